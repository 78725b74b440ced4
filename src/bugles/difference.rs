//! What changed between two positions, for everybody to read: an amendment is told to
//! both sides at once.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::core::viewer::Viewer;
use crate::game::Seat;

use super::data::{Army, Data};
use super::state::{Condition, General, State, Unit};
use super::understood::fire_words;
use super::view::view;

/// What both sides see of a change; of a secret no more than that there is one, and whose.
pub fn difference(data: &Data, before: &State, after: &State) -> Vec<String> {
    let open = |state: &State| view(data, state, &Viewer::Public);
    let (old, new) = (open(before), open(after));
    let mut out = Vec::new();
    let mut tell = |id: &str, x: Option<String>, y: Option<String>| {
        if x != y {
            let word = |w: Option<String>| w.unwrap_or_else(|| "not on the table".to_owned());
            out.push(format!("{id}: {} -> {}", word(x), word(y)));
        }
    };
    let ids: BTreeSet<&String> = old.units.iter().chain(&new.units).map(|u| &u.id).collect();
    for id in ids {
        let word = |s: &State| s.unit(id).map(|u| unit_words(data, u));
        tell(id, word(&old), word(&new));
    }
    let ids: BTreeSet<&String> = old.generals.iter().chain(&new.generals).map(|g| &g.id).collect();
    for id in ids {
        let word = |s: &State| s.general(id).map(|g| general_words(data, g));
        tell(id, word(&old), word(&new));
    }
    let ids: BTreeSet<&String> = old.markers.iter().chain(&new.markers).map(|m| &m.id).collect();
    for id in ids {
        let word = |s: &State| {
            s.marker(id).map(|m| {
                let fire = if m.under_fire { ", under fire" } else { "" };
                let halts = if m.halted { ", halted by the storm" } else { "" };
                format!("at {}{fire}{halts}", data.spot(m.at))
            })
        };
        tell(id, word(&old), word(&new));
    }
    let storm = |s: &State| {
        s.storm.map(|s| format!("to turn {}, one sees {} inches", s.until, data.inches(s.sight)))
    };
    let none = |word: Option<String>| word.unwrap_or_else(|| "none".to_owned());
    let seats = |s: &State| {
        let word =
            |seat: &Seat| format!("{} {} ({})", seat.player, seat.side, seat.commands.join(", "));
        s.seats.iter().map(word).collect::<Vec<_>>().join("; ")
    };
    let fought =
        |s: &State| if s.fought.is_empty() { "nobody".to_owned() } else { s.fought.join(", ") };
    for (what, x, y) in [
        ("turn", old.turn.to_string(), new.turn.to_string()),
        ("window", old.window.id().to_owned(), new.window.id().to_owned()),
        ("storm", none(storm(&old)), none(storm(&new))),
        ("who fought in this turn", fought(&old), fought(&new)),
        ("bases at the start", old.elements.to_string(), new.elements.to_string()),
        ("players", seats(&old), seats(&new)),
        ("result", none(old.result.clone()), none(new.result.clone())),
    ] {
        if x != y {
            out.push(format!("{what}: {x} -> {y}"));
        }
    }
    for army in [Army::AngloEgyptian, Army::Mahdist] {
        if secrets(data, before, army) != secrets(data, after, army) {
            let whose = army.name();
            out.push(format!("what the {whose} side alone knows: changed; sealed until the close"));
        }
    }
    // Never nothing for two positions that differ: the caller would print their text.
    if out.is_empty() && before != after {
        out.push("something that nobody may know yet: changed; sealed until the close".to_owned());
    }
    out
}

/// What only an army may know of its own, as words to compare and never to print.
fn secrets(data: &Data, state: &State, army: Army) -> Vec<String> {
    let open = view(data, state, &Viewer::Public);
    let mut out = Vec::new();
    for unit in state.units.iter().filter(|u| u.army() == army) {
        let mut words = format!("{} {} {}", unit.id, unit.order.word(), fire_words(&unit.fire));
        if open.unit(&unit.id).is_none() {
            let _ = write!(words, " {:?} {}", unit.presence, unit_words(data, unit));
        }
        out.push(words);
    }
    for general in state.generals.iter().filter(|g| g.army == army) {
        out.push(format!("{} {}", general.id, general_words(data, general)));
    }
    if army == Army::Mahdist {
        let markers = state.markers.iter();
        out.extend(markers.map(|m| format!("{} {} {:?} {:?}", m.id, m.general, m.behind, m.noted)));
    }
    out
}

fn unit_words(data: &Data, unit: &Unit) -> String {
    let bases = unit.standing().map(|(n, b)| {
        let how = if b.condition == Condition::Suppressed { " suppressed" } else { "" };
        format!("{} at {} facing {}{how}", unit.base_id(n), data.spot(b.at), b.facing.degrees())
    });
    let foot = if unit.dismounted { ", on foot" } else { "" };
    let fire = if unit.under_fire { ", under fire" } else { "" };
    let halts = if unit.halted { ", halted by the storm" } else { "" };
    format!(
        "{} of {} bases in {}, front at {} facing {}{foot}{fire}{halts} ({})",
        unit.strength(),
        unit.bases.len(),
        unit.formation.word(),
        data.spot(unit.anchor),
        unit.facing.degrees(),
        bases.collect::<Vec<_>>().join(", ")
    )
}

fn general_words(data: &Data, general: &General) -> String {
    if !general.here {
        return "out of the game".to_owned();
    }
    let with = general.attached.as_ref().map_or(String::new(), |b| format!(", with {b}"));
    format!("at {}{with}", data.spot(general.at))
}
