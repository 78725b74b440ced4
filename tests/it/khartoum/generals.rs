//! Generals who play the campaign to win: the Dervish gather, march towards the enemy
//! and attack; the Anglo-Egyptians build the Zariba, let them come, and go to the Tomb
//! with their brigades together. Used by a test and by `benches/campaign.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use despatch::core::id::Id;
use despatch::geometry::hex::Hex;
use despatch::omdurman::check::{may_construct, may_enter_now, over_schedule};
use despatch::omdurman::data::{Army, Data, Kind, UnitId};
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{Place, State, Window};

/// Who leads whom to the Tomb.
const LEADERS: [(&str, &str); 3] = [("kitchener", "1b"), ("gatacre", "2b"), ("hunter", "1e")];

/// Brigades in the order of their march, each with its post in the Zariba.
pub(crate) const BRIGADES: [(&str, Hex); 6] = [
    ("1e", Hex::new(27, 13)),
    ("2e", Hex::new(26, 15)),
    ("1b", Hex::new(27, 17)),
    ("2b", Hex::new(28, 18)),
    ("3e", Hex::new(27, 16)),
    ("4e", Hex::new(28, 12)),
];

/// Who holds another post than his brigade, or has none: the guns behind the hedge,
/// where nobody charges, and at the southern end.
const POSTS: [(&str, Hex); 10] = [
    ("royal-eng", Hex::new(27, 14)),
    ("egy-batt-1", Hex::new(27, 14)),
    ("egy-batt-2", Hex::new(27, 14)),
    ("maxim-batt-3", Hex::new(27, 14)),
    ("lancashire", Hex::new(28, 19)),
    ("northumberland", Hex::new(28, 19)),
    ("maxim-batt-1", Hex::new(28, 19)),
    ("maxim-batt-2", Hex::new(28, 19)),
    ("32-battery", Hex::new(28, 17)),
    ("37-battery", Hex::new(28, 17)),
];

/// Where all others wait, and the boats beside them.
const CAMP: Hex = Hex::new(28, 15);
const MOORING: Hex = Hex::new(29, 16);

/// From this turn on the Dervish attack; before it they gather.
const ATTACK: u32 = 6;

/// From this turn on the Anglo-Egyptians leave off firing to storm.
const STORM: u32 = 20;

/// From this turn on the Anglo-Egyptians march, if few of the enemy are left in the
/// field, and from the other on in any case.
const MARCH: u32 = 11;
const MARCH_NOW: u32 = 15;
const FEW: usize = 30;

struct Policy<'a> {
    position: &'a Position<'a>,
    data: &'a Data,
    army: Army,
    there: BTreeMap<Hex, Vec<UnitId>>,
    out: String,
}

/// The orders of a player.
pub(crate) fn orders(data: &Data, view: &State, player: &Id) -> String {
    let position = Position::new(data, view);
    let Some(army) = view.army(data, player) else { return String::new() };
    let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
    for id in data.ids().filter(|id| data.unit(*id).army == army) {
        if let Some(hex) = view.hex(id) {
            there.entry(hex).or_default().push(id);
        }
    }
    let mut policy = Policy { position: &position, data, army, there, out: String::new() };
    match (view.window, army) {
        (Window::Move, Army::AngloEgyptian) if view.moving == army => policy.advance(),
        (Window::Move, Army::Dervish) if view.moving == army => policy.swarm(),
        (Window::Combat | Window::Melee, _) if view.moving == army => policy.storm(),
        _ => {}
    }
    policy.out
}

impl Policy<'_> {
    /// Movement points from everywhere to a goal, for a unit.
    fn ways(&self, id: UnitId, goal: Hex) -> BTreeMap<Hex, u32> {
        let mut best = BTreeMap::from([(goal, 0)]);
        let mut queue: BTreeSet<(u32, Hex)> = BTreeSet::from([(0, goal)]);
        while let Some((cost, hex)) = queue.pop_first() {
            for (_, from) in self.data.board.neighbours(hex) {
                let Some(mp) = self.position.ground_cost(id, from, hex) else { continue };
                if best.get(&from).is_none_or(|old| cost + mp < *old) {
                    best.insert(from, cost + mp);
                    queue.insert((cost + mp, from));
                }
            }
        }
        best
    }

    fn named(&self, word: &str) -> Vec<UnitId> {
        self.data.answering(word)
    }

    fn near(&self, hex: Hex) -> u32 {
        let enemies = self.position.hexes(self.army.enemy());
        enemies.into_iter().map(|h| h.distance(hex)).min().unwrap_or(99)
    }

    fn fits(&self, hex: Hex, units: &[UnitId]) -> bool {
        let mut there: Vec<UnitId> = self.there.get(&hex).cloned().unwrap_or_default();
        there.retain(|id| !units.contains(id));
        units.iter().all(|id| {
            let fits = self.position.may_join(hex, &there, *id).is_ok();
            there.push(*id);
            fits
        })
    }

    fn go(&mut self, units: &[UnitId], to: Hex) {
        for all in self.there.values_mut() {
            all.retain(|id| !units.contains(id));
        }
        self.there.entry(to).or_default().extend(units);
        let names: Vec<String> =
            units.iter().map(|id| format!("\"{}\"", self.data.unit(*id).id)).collect();
        let kind = match self.position.state.unit(units[0]).place {
            Place::Waiting => "enter",
            _ => "move",
        };
        let _ = writeln!(self.out, "[[{kind}]]\nunits = [{}]\nto = \"{to}\"", names.join(", "));
    }

    /// Units together to the hex from which the rest of their way is shortest.
    fn together(&mut self, units: &[UnitId], goal: Hex) -> Option<Hex> {
        let first = *units.first()?;
        let reach = match self.position.state.unit(first).place {
            Place::Waiting => {
                let gates = despatch::omdurman::check::entry_hexes(self.position, first);
                self.position.reach_entering(first, gates.into_iter())
            }
            _ => self.position.reach(first),
        };
        let ways = self.ways(first, goal);
        let slowest = |hex: &Hex| {
            units.iter().all(|id| {
                self.data.unit(*id).ma >= self.data.unit(first).ma
                    || reach[hex].cost <= self.data.unit(*id).ma / 2
            })
        };
        let to = reach
            .keys()
            .copied()
            .filter(|hex| slowest(hex) && self.fits(*hex, units))
            .min_by_key(|hex| (ways.get(hex).copied().unwrap_or(9999), *hex))?;
        self.go(units, to);
        Some(to)
    }

    // ----------------------------------------------------------- Anglo-Egyptians

    fn post(&self, id: UnitId, other: Hex) -> Hex {
        let name = &self.data.unit(id).id;
        POSTS.iter().find(|(unit, _)| unit == name).map_or(other, |(_, post)| *post)
    }

    fn marches(&self) -> bool {
        let state = self.position.state;
        let field = self.data.ids().filter(|id| {
            let unit = self.data.unit(*id);
            let still = matches!(unit.kind, Kind::Fort | Kind::Artillery);
            let on = matches!(state.unit(*id).place, Place::At(_) | Place::Waiting);
            unit.army == Army::Dervish && !still && !unit.kind.is_gunboat() && on
        });
        state.turn >= MARCH_NOW || (state.turn >= MARCH && field.count() <= FEW)
    }

    fn advance(&mut self) {
        let tomb = self.data.scenario.tomb.unwrap_or(Hex::new(11, 40));
        let state = self.position.state;
        let marches = self.marches();
        let mut ends: BTreeMap<&str, Hex> = BTreeMap::new();
        let mut entered: Vec<UnitId> = Vec::new();
        let may_come = |id: UnitId, entered: &[UnitId], policy: &Self| {
            state.unit(id).place == Place::Waiting
                && may_enter_now(policy.position, id).is_ok()
                && over_schedule(policy.position, entered, id).is_none()
        };
        for (brigade, place) in BRIGADES {
            let units: Vec<UnitId> = self
                .named(brigade)
                .into_iter()
                .filter(|id| !matches!(state.unit(*id).place, Place::Eliminated(_)))
                .collect();
            let waits: Vec<UnitId> = units
                .iter()
                .copied()
                .filter(|id| {
                    let comes = may_come(*id, &entered, self);
                    if comes {
                        entered.push(*id);
                    }
                    comes
                })
                .collect();
            if waits.len() == units.len() && !units.is_empty() {
                if let Some(to) = self.together(&waits, place) {
                    ends.insert(brigade, to);
                }
                continue;
            }
            entered.retain(|id| !waits.contains(id));
            // Who stands together goes together, unless the enemy is before the rifles.
            let mut groups: BTreeMap<(Hex, Hex), Vec<UnitId>> = BTreeMap::new();
            for id in units.iter().filter(|id| self.position.may_move(**id).is_ok()) {
                if let Some(hex) = state.hex(*id) {
                    let goal = if marches { tomb } else { self.post(*id, place) };
                    groups.entry((hex, goal)).or_default().push(*id);
                }
            }
            for ((hex, goal), group) in groups {
                ends.insert(brigade, hex);
                if hex == goal {
                    self.construct(&group);
                } else if !marches || self.near(hex) > 2 || state.turn >= 17 {
                    let end = self.together(&group, goal).unwrap_or(hex);
                    ends.insert(brigade, end);
                }
            }
        }
        for (leader, brigade) in LEADERS {
            let Some(id) = self.data.find(leader) else { continue };
            let able = state.hex(id).is_some() || may_come(id, &entered, self);
            if let (true, Some(end)) =
                (able && self.position.may_move(id).is_ok(), ends.get(brigade))
                && state.hex(id) != Some(*end)
            {
                self.together(&[id], *end);
            }
        }
        let lead = ends.get("1b").or(ends.values().next()).copied().unwrap_or(tomb);
        for id in self.data.ids() {
            let unit = self.data.unit(id);
            let rest = unit.army == self.army && unit.brigade.is_none() && unit.kind != Kind::Staff;
            if !rest || self.position.may_move(id).is_err() {
                continue;
            }
            let goal = match unit.kind {
                kind if kind.is_gunboat() => MOORING,
                _ if unit.friendlies => Hex::new(34, 19),
                _ if marches => lead,
                _ => self.post(id, CAMP),
            };
            if state.hex(id) == Some(goal) {
                self.construct(&[id]);
                continue;
            }
            let near = u32::from(marches);
            match state.unit(id).place {
                Place::Waiting if may_come(id, &entered, self) => {
                    entered.push(id);
                    self.together(&[id], goal);
                }
                Place::At(hex)
                    if hex.distance(goal) > near
                        && (!marches || self.near(hex) > 4 || unit.kind.is_gunboat()) =>
                {
                    self.together(&[id], goal);
                }
                _ => {}
            }
        }
    }

    /// Those who can build what is not built beside them do.
    fn construct(&mut self, units: &[UnitId]) {
        let mut units = units.to_vec();
        units.retain(|id| may_construct(self.position, *id).is_ok());
        if units.is_empty() {
            return;
        }
        let names: Vec<String> =
            units.iter().map(|id| format!("\"{}\"", self.data.unit(*id).id)).collect();
        let _ = writeln!(self.out, "[[construct]]\nunits = [{}]", names.join(", "));
    }

    // ------------------------------------------------------------------- Dervish

    fn swarm(&mut self) {
        let state = self.position.state;
        let tomb = self.data.scenario.tomb.unwrap_or(Hex::new(11, 40));
        for id in self.data.ids() {
            let unit = self.data.unit(id);
            let still = unit.kind == Kind::Fort
                || unit.kind == Kind::Artillery
                || unit.kind.is_gunboat()
                || unit.colour.as_deref() == Some("black");
            if unit.army != self.army || still || self.position.may_move(id).is_err() {
                continue;
            }
            let comes = may_enter_now(self.position, id).is_ok();
            let from = match state.unit(id).place {
                Place::At(hex) => hex,
                Place::Waiting if comes => Hex::new(1, 25),
                _ => continue,
            };
            let enemies = self.position.hexes(Army::AngloEgyptian).into_iter().filter(|hex| {
                self.data.board.bank(*hex) == Some(despatch::omdurman::board::Bank::West)
            });
            let nearest = enemies.min_by_key(|h| (h.distance(from), *h)).unwrap_or(tomb);
            let goal = if state.turn < ATTACK { Hex::new(18, 20) } else { nearest };
            self.together(&[id], goal);
        }
    }

    /// Everybody attacks what he can, Anglo-Egyptians with whole stacks only.
    fn storm(&mut self) {
        let mut stacks: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for id in self.data.ids().filter(|id| self.data.unit(*id).army == self.army) {
            let fort = |hex: &Hex| self.position.fort(*hex).is_none();
            let at: Vec<Hex> = self.position.melee_targets(id).into_iter().filter(fort).collect();
            let bold = self.army == Army::Dervish || self.position.state.turn >= STORM;
            if let (Some(hex), true) = (at.first(), bold) {
                stacks.entry(*hex).or_default().push(id);
            }
        }
        for (hex, units) in stacks {
            if self.army == Army::AngloEgyptian && units.len() < 3 {
                continue;
            }
            let names: Vec<String> =
                units.iter().map(|id| format!("\"{}\"", self.data.unit(*id).id)).collect();
            let _ = writeln!(
                self.out,
                "[[melee]]\nunits = [{}]\nat = [\"{hex}\"]\nadvance = true",
                names.join(", ")
            );
        }
    }
}
