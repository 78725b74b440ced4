//! The small language of conditions in order files: facts compared with whole
//! numbers, joined by `and`: `wave_at(HB-N) >= 20 and defenders(LZ-W) > 4`.

use std::ops::Range;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::read::At;

use super::data::{Data, Post, Side, WallId, ZoneId};
use super::position::Position;
use super::state::{Place, WaveStatus};

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `=` or `==`.
    Equal,
    /// `>=`.
    AtLeast,
    /// `>`.
    More,
}

/// Something that a condition can ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Mahdists who come at a section or stand before it.
    WaveAt(WallId),
    /// Moves made by the wave that is nearest to a section; 0 if none comes.
    Moves(WallId),
    /// Defenders at a wall or gun, or in a room.
    DefendersAt(Post),
    /// Defenders in a zone.
    DefendersIn(ZoneId),
    /// Mahdists within a zone.
    Inside(ZoneId),
    /// Loaded defenders at a wall or gun, or in a room.
    Loaded(Post),
    /// The round of the assault.
    Round,
    /// The day.
    Day,
    /// Defenders who fell in this assault and were unwounded before.
    Lost,
    /// Wall sections with at least one defender.
    Held,
    /// Mahdists free for a wave.
    Uncommitted,
    /// Markers in the emir's hand.
    Markers,
    /// Casualties of a wave, in per cent of its strength.
    Casualties(u32),
    /// Waves that are off the table or at the compound.
    Waves,
}

/// One comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    fact: Fact,
    op: Op,
    number: u32,
}

/// All must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// As written.
    pub text: String,
    /// Who asks: he is answered by what he can see.
    side: Side,
    terms: Vec<Term>,
}

/// The facts with how each is written and who may ask.
const FACTS: [(&str, &str, Option<Side>); 13] = [
    ("wave_at", "SECTION", None),
    ("moves", "SECTION", None),
    ("defenders", "PLACE", None),
    ("inside", "ZONE", None),
    ("loaded", "PLACE", None),
    ("round", "", None),
    ("day", "", None),
    ("lost", "", None),
    ("held", "", None),
    ("waves", "", None),
    ("uncommitted", "", None),
    ("markers", "", Some(Side::Mahdist)),
    ("casualties", "WAVE", Some(Side::Mahdist)),
];

impl Condition {
    /// Reads a condition; every fault of it goes to `faults`.
    pub fn read(
        data: &Data,
        side: Side,
        text: &At<String>,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        let before = faults.len();
        let mut terms = Vec::new();
        // Offsets within the quotes: the value has no escapes if the lengths agree.
        let exact = text.span.len() == text.value.len() + 2;
        let mut at = text.span.start + 1;
        for part in text.value.split(" and ") {
            let span = if exact { at..at + part.len() } else { text.span.clone() };
            at += part.len() + " and ".len();
            if let Some(term) = term(data, side, part, &span, faults) {
                terms.push(term);
            }
        }
        (faults.len() == before).then(|| Self { text: text.value.clone(), side, terms })
    }

    /// Reads a condition that was checked before.
    pub fn parse(data: &Data, side: Side, text: &str) -> Option<Self> {
        let mut faults = Vec::new();
        Self::read(data, side, &At::new(text.to_owned(), 0..text.len() + 2), &mut faults)
    }

    /// True if every comparison holds.
    pub fn holds(&self, position: &Position<'_>) -> bool {
        self.terms.iter().all(|term| {
            let value = value(position, self.side, term.fact);
            match term.op {
                Op::Less => value < term.number,
                Op::AtMost => value <= term.number,
                Op::Equal => value == term.number,
                Op::AtLeast => value >= term.number,
                Op::More => value > term.number,
            }
        })
    }
}

fn term(
    data: &Data,
    side: Side,
    part: &str,
    span: &Range<usize>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Term> {
    let mut fault = |message: String, help: String| {
        faults.push(Diagnostic::error(None, message).at(span.clone()).help(help));
        None
    };
    let form = "write it like this: wave_at(HB-N) >= 20 and round > 3";
    if part.split_whitespace().any(|word| matches!(word, "or" | "OR" | "||" | "not" | "NOT")) {
        return fault(
            format!("`{part}`: comparisons are joined by `and`, by nothing else"),
            "for `or` write the order twice, each with an `if` of its own".to_owned(),
        );
    }
    let Some(at) = part.find(['<', '>', '=']) else {
        return fault(format!("`{part}` compares nothing"), form.to_owned());
    };
    let (left, right) = part.split_at(at);
    let sign: String = right.chars().take_while(|c| matches!(c, '<' | '>' | '=')).collect();
    let op = match sign.as_str() {
        "<" => Op::Less,
        "<=" => Op::AtMost,
        "=" | "==" => Op::Equal,
        ">=" => Op::AtLeast,
        ">" => Op::More,
        other => {
            return fault(
                format!("`{other}` is no comparison"),
                "there is: < <= = >= >".to_owned(),
            );
        }
    };
    let number = right[sign.len()..].trim();
    let Some(number) = number.parse::<u32>().ok().filter(|n| *n <= 1_000_000) else {
        return fault(format!("`{number}` is no whole number from 0"), form.to_owned());
    };
    let left = left.trim();
    let (name, argument) = match left.split_once('(') {
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(argument) => (name.trim(), argument.trim()),
            None => return fault(format!("`{left}` lacks its `)`"), form.to_owned()),
        },
        None => (left, ""),
    };
    let Some((_, wants, only)) = FACTS.iter().find(|(fact, _, _)| *fact == name) else {
        let known = FACTS.iter().map(|(fact, _, _)| *fact);
        let help = match did_you_mean(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there is: {}", known.collect::<Vec<_>>().join(", ")),
        };
        return fault(format!("`{name}` is nothing that a condition can ask"), help);
    };
    if only.is_some_and(|only| only != side) {
        return fault(
            format!("`{name}` is not known to the {}", side.name()),
            "ask what your side can see".to_owned(),
        );
    }
    let c = &data.compound;
    let sections = || c.sections().map(|w| c.wall(w).id.as_str()).collect::<Vec<_>>().join(", ");
    let section = || c.find_wall(argument).filter(|w| c.sections().any(|s| s == *w));
    let fact = match (name, *wants) {
        (_, "") if !argument.is_empty() => {
            return fault(format!("`{name}` has no place"), format!("write {name} alone"));
        }
        ("wave_at", _) => section().map(Fact::WaveAt),
        ("moves", _) => section().map(Fact::Moves),
        ("defenders", _) => match (data.find_post(argument), c.find_zone(argument)) {
            (Some(Post::Room(_)) | None, Some(zone)) => Some(Fact::DefendersIn(zone)),
            (post, _) => post.map(Fact::DefendersAt),
        },
        ("loaded", _) => data.find_post(argument).map(Fact::Loaded),
        ("inside", _) => c.find_zone(argument).map(Fact::Inside),
        ("casualties", _) => {
            argument.trim_start_matches("wave-").parse().ok().map(Fact::Casualties)
        }
        ("round", _) => Some(Fact::Round),
        ("day", _) => Some(Fact::Day),
        ("lost", _) => Some(Fact::Lost),
        ("held", _) => Some(Fact::Held),
        ("uncommitted", _) => Some(Fact::Uncommitted),
        ("markers", _) => Some(Fact::Markers),
        _ => Some(Fact::Waves),
    };
    if let Some(fact) = fact {
        return Some(Term { fact, op, number });
    }
    let help = match *wants {
        "SECTION" => format!("the sections: {}", sections()),
        "WAVE" => "name a wave, such as wave-2".to_owned(),
        "ZONE" => {
            let zones: Vec<&str> = c.zones.iter().map(|z| z.id.as_str()).collect();
            format!("the zones: {}", zones.join(", "))
        }
        _ => format!("the places: {}", data.post_ids().join(", ")),
    };
    let what = wants.to_lowercase();
    fault(format!("`{argument}` is no {what} for `{name}`"), help)
}

fn value(position: &Position<'_>, side: Side, fact: Fact) -> u32 {
    let (data, state) = (position.data, position.state);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let at = |post: Post| -> Vec<super::data::FigureId> {
        match post {
            Post::Wall(wall) => position.holders(wall),
            Post::Gun(gun) => position.crew(gun),
            Post::Room(room) => position.in_room(Side::Garrison, room),
        }
    };
    match fact {
        Fact::WaveAt(wall) => {
            let coming: usize =
                position.coming(wall).map(|w| position.members(w.number).len()).sum();
            count(coming + position.before(wall).len())
        }
        Fact::Moves(wall) => {
            let there = state.waves.iter().filter(|w| w.target == wall && w.active());
            there.map(|w| w.moves).max().unwrap_or(0)
        }
        Fact::DefendersAt(post) => count(at(post).len()),
        Fact::Loaded(post) => {
            count(at(post).into_iter().filter(|id| position.can_fire(*id)).count())
        }
        Fact::DefendersIn(zone) => count(position.in_zone(Side::Garrison, zone).len()),
        Fact::Inside(zone) => count(position.in_zone(Side::Mahdist, zone).len()),
        Fact::Round => state.round,
        Fact::Day => state.day,
        Fact::Lost => {
            count(data.of(Side::Garrison).filter(|id| state.place(*id) == Place::Fallen).count())
        }
        Fact::Held => {
            let held = |wall: &WallId| !position.holders(*wall).is_empty();
            count(data.compound.sections().filter(held).count())
        }
        Fact::Uncommitted => {
            // The garrison cannot tell riflemen in the rocks from those in the camp
            // before they fire (R42).
            let hidden = |id: &super::data::FigureId| {
                side == Side::Garrison && state.place(*id) == Place::Rocks(false)
            };
            count(position.uncommitted(None).len() + data.of(Side::Mahdist).filter(hidden).count())
        }
        Fact::Markers => state.markers,
        Fact::Casualties(number) => state
            .wave(number)
            .map_or(0, |w| (w.casualties * 100).checked_div(w.strength).unwrap_or(0)),
        Fact::Waves => {
            let active = |w: &&super::state::Wave| {
                matches!(w.status, WaveStatus::Advancing | WaveStatus::Arrived)
            };
            count(state.waves.iter().filter(active).count())
        }
    }
}
