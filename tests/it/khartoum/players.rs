//! Random players who write lawful order files, and policies that play to win.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use despatch::core::dice::{ChaChaWords, Words, below};
use despatch::core::id::Id;
use despatch::geometry::hex::Hex;
use despatch::omdurman::check::{entry_hexes, may_enter_now, setup_hexes};
use despatch::omdurman::data::{Army, Data, UnitId};
use despatch::omdurman::fire::Target;
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{Place, State, Window};

/// A stream of random numbers for tests.
pub struct Luck(ChaChaWords);

impl Luck {
    /// From a number.
    pub fn new(seed: u64) -> Self {
        let mut key = [7; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaChaWords::keyed(key))
    }

    /// 0 to n - 1.
    pub fn below(&mut self, n: usize) -> usize {
        if n < 2 { 0 } else { below(&mut self.0, u32::try_from(n).unwrap()) as usize }
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// One of a list.
    pub fn one<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }

    /// 32 random bytes in hex.
    pub fn hex64(&mut self) -> String {
        (0..8).fold(String::new(), |mut text, _| {
            let _ = write!(text, "{:08x}", self.0.word());
            text
        })
    }
}

/// Where everybody would stand as the orders so far leave them.
struct Plan<'a> {
    position: &'a Position<'a>,
    there: BTreeMap<Hex, Vec<UnitId>>,
}

impl<'a> Plan<'a> {
    fn new(position: &'a Position<'a>, army: Army) -> Self {
        let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for id in position.data.ids() {
            if let (Some(hex), true) = (position.state.hex(id), position.data.unit(id).army == army)
            {
                there.entry(hex).or_default().push(id);
            }
        }
        Self { position, there }
    }

    /// Moves a unit if it may stand there.
    fn go(&mut self, id: UnitId, from: Option<Hex>, to: Hex) -> bool {
        let others: Vec<UnitId> =
            self.there.get(&to).into_iter().flatten().copied().filter(|o| *o != id).collect();
        if self.position.may_join(to, &others, id).is_err() {
            return false;
        }
        if let Some(from) = from {
            self.there.entry(from).or_default().retain(|o| *o != id);
        }
        self.there.entry(to).or_default().push(id);
        true
    }
}

/// A lawful order file of a player, without header: random, with a leaning towards
/// the Palace for the Dervish and towards fighting for all.
pub fn orders(data: &Data, state: &State, player: &Id, luck: &mut Luck) -> String {
    let position = Position::new(data, state);
    let Some(army) = state.army(data, player) else { return String::new() };
    let mine: Vec<UnitId> =
        data.ids().filter(|id| state.owner(data, *id) == Some(player)).collect();
    let mut out = String::new();
    match state.window {
        Window::Setup if data.side(army).setup => {
            setup(&position, army, &mine, luck, &mut out);
        }
        Window::Move if army == state.moving => {
            movement(&position, army, &mine, luck, &mut out);
        }
        _ => combat(&position, army, &mine, luck, &mut out),
    }
    if luck.percent(10) {
        let classes: Vec<&str> = mine.iter().map(|id| data.unit(*id).class.as_str()).collect();
        if let Some(class) = luck.one(&classes) {
            let _ = writeln!(out, "[standing]\nlosses = [\"{class}\"]\nadvance = true");
        }
    }
    out
}

fn setup(position: &Position<'_>, army: Army, mine: &[UnitId], luck: &mut Luck, out: &mut String) {
    let mut plan = Plan::new(position, army);
    for id in mine {
        if position.state.unit(*id).place != Place::Waiting || luck.percent(20) {
            continue;
        }
        let mut hexes = setup_hexes(position, *id);
        if luck.percent(30) && !position.data.unit(*id).kind.is_gunboat() {
            hexes.retain(|hex| position.fort(*hex).is_some());
        }
        if let Some(hex) = luck.one(&hexes)
            && plan.go(*id, None, *hex)
        {
            let _ = writeln!(
                out,
                "[[place]]\nunit = \"{}\"\nhex = \"{hex}\"",
                position.data.unit(*id).id
            );
        }
    }
}

fn movement(
    position: &Position<'_>,
    army: Army,
    mine: &[UnitId],
    luck: &mut Luck,
    out: &mut String,
) {
    let palace = position.data.scenario.gordon.map_or(Hex::new(11, 40), |g| g.1);
    let mut plan = Plan::new(position, army);
    for id in mine {
        let (kind, from, reach) = match position.state.unit(*id).place {
            Place::At(hex) if position.may_move(*id).is_ok() => {
                ("move", Some(hex), position.reach(*id))
            }
            Place::Waiting if may_enter_now(position, *id).is_ok() => {
                let hexes = entry_hexes(position, *id);
                ("enter", None, position.reach_entering(*id, hexes.into_iter()))
            }
            _ => continue,
        };
        if army == Army::AngloEgyptian && luck.percent(60) {
            continue;
        }
        let mut hexes: Vec<(u32, Hex)> = reach.keys().map(|h| (h.distance(palace), *h)).collect();
        hexes.sort_unstable();
        for _ in 0..4 {
            // Half of the time one of the best few, else any hex in reach.
            let few = hexes.len().min(8);
            let span = if luck.percent(60) { few } else { hexes.len() };
            if span == 0 {
                break;
            }
            let to = hexes[luck.below(span)].1;
            if Some(to) == from || !plan.go(*id, from, to) {
                continue;
            }
            let name = &position.data.unit(*id).id;
            if luck.percent(50) {
                let path: Vec<String> =
                    reach[&to].path.iter().map(|h| format!("\"{h}\"")).collect();
                let _ =
                    writeln!(out, "[[{kind}]]\nunits = [\"{name}\"]\npath = [{}]", path.join(", "));
            } else {
                let _ = writeln!(out, "[[{kind}]]\nunits = [\"{name}\"]\nto = \"{to}\"");
            }
            break;
        }
    }
}

fn combat(position: &Position<'_>, army: Army, mine: &[UnitId], luck: &mut Luck, out: &mut String) {
    let state = position.state;
    let phasing = army == state.moving;
    let fires = match state.window {
        Window::Combat => true,
        Window::Defence => !phasing,
        Window::Offence => phasing,
        _ => false,
    };
    let melees = phasing && matches!(state.window, Window::Combat | Window::Melee);
    for id in mine {
        let name = &position.data.unit(*id).id;
        let targets = if fires { position.targets(*id) } else { Vec::new() };
        if !targets.is_empty() && luck.percent(70) {
            let mut list: Vec<String> = Vec::new();
            let fort = targets.iter().find(|(t, _)| matches!(t, Target::Fort(_)));
            if let Some((target, _)) = fort.filter(|_| luck.percent(50)) {
                list.push(format!("\"{target}\""));
            }
            for _ in 0..=luck.below(2) {
                if let Some((target, _)) = luck.one(&targets) {
                    let text = format!("\"{target}\"");
                    if !list.contains(&text) {
                        list.push(text);
                    }
                }
            }
            let advance = if phasing && luck.percent(50) { "advance = true\n" } else { "" };
            let _ = write!(
                out,
                "[[fire]]\nunits = [\"{name}\"]\nat = [{}]\n{advance}",
                list.join(", ")
            );
        } else if !targets.is_empty() && luck.percent(20) {
            let _ = writeln!(out, "[[hold]]\nunits = [\"{name}\"]");
        }
        if melees && luck.percent(75) {
            let hexes = position.melee_targets(*id);
            if let Some(hex) = luck.one(&hexes) {
                let advance = army == Army::Dervish || luck.percent(50);
                let _ = writeln!(
                    out,
                    "[[melee]]\nunits = [\"{name}\"]\nat = [\"{hex}\"]\nadvance = {advance}"
                );
            }
        }
    }
}
