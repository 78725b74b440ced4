//! A state with its map: who stands where, who may stand together, whose zones of
//! control lie where.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::core::rule::Rule;
use crate::geometry::hex::{Dir, Hex, Side};

use super::board::{Terrain, Works};
use super::cite::cite;
use super::data::{Army, Data, Kind, Level, UnitId};
use super::movement::Reached;
use super::sight::Block;
use super::state::State;
use super::violation::Violation;

/// A state seen on its board; made anew after each change.
#[derive(Debug)]
pub struct Position<'a> {
    /// The data of the game.
    pub data: &'a Data,
    /// The state.
    pub state: &'a State,
    /// What was found of it so far.
    pub(super) index: Rc<Index>,
}

/// Units of one kind in one place reach the same hexes: their counter line, their
/// colour, where they start and for how much.
pub(super) type ReachKey = (String, Option<String>, Vec<(Hex, u32)>);

/// From where to where, through which wall.
type Line = (Hex, Hex, Option<Side>);

/// What is found of a state once and asked often: who stands where, zones of control,
/// what can be reached. It holds as long as nobody moves, falls or turns over.
#[derive(Debug)]
pub(super) struct Index {
    /// The units on the map by hex, ids in order within each.
    occupants: Vec<UnitId>,
    /// Where each hex's units begin in `occupants`, by index of the grid; one more.
    begins: Vec<u16>,
    /// Who holds land units of each army in each hex, found when first asked.
    zones: [OnceCell<Vec<Option<UnitId>>>; 2],
    pub(super) unseen: OnceCell<BTreeSet<Hex>>,
    pub(super) reach: RefCell<BTreeMap<ReachKey, Rc<BTreeMap<Hex, Reached>>>>,
    /// What blocks sight between two hexes, for a target that a wall may be.
    pub(super) sights: RefCell<BTreeMap<Line, Rc<[Block]>>>,
}

impl Index {
    /// Sorts the units of a state into their hexes.
    pub(super) fn new(data: &Data, state: &State) -> Self {
        // Made after every event: two flat lists, not one a hex.
        let mut there = Vec::with_capacity(data.units.len());
        let mut begins = vec![0_u16; data.board.grid.len() + 1];
        for id in data.ids() {
            if let Some(hex) = state.hex(id) {
                let at = data.board.grid.index(hex);
                there.push((at, id));
                begins[at] += 1;
            }
        }
        let mut end = 0;
        for begin in &mut begins {
            end += *begin;
            *begin = end;
        }
        // Filled from each hex's end, so that what is left are the beginnings.
        let mut occupants = vec![UnitId(0); there.len()];
        for (at, id) in there.into_iter().rev() {
            begins[at] -= 1;
            occupants[usize::from(begins[at])] = id;
        }
        Self {
            occupants,
            begins,
            zones: [const { OnceCell::new() }; 2],
            unseen: OnceCell::new(),
            reach: RefCell::default(),
            sights: RefCell::default(),
        }
    }
}

impl<'a> Position<'a> {
    /// Sorts the units of a state into their hexes.
    pub fn new(data: &'a Data, state: &'a State) -> Self {
        Self { data, state, index: Rc::new(Index::new(data, state)) }
    }

    /// The units in a hex, ids in order.
    pub fn at(&self, hex: Hex) -> &[UnitId] {
        let at = self.data.board.grid.index(hex);
        let index = &*self.index;
        &index.occupants[usize::from(index.begins[at])..usize::from(index.begins[at + 1])]
    }

    /// The units of an army in a hex.
    pub fn of(&self, army: Army, hex: Hex) -> impl Iterator<Item = UnitId> + use<'_, 'a> {
        self.at(hex).iter().copied().filter(move |id| self.data.unit(*id).army == army)
    }

    /// Units of an army in a hex that can be attacked as a body: not forts, and not
    /// Anglo-Egyptian leaders, whom no chart result touches (6.5.1.C).
    pub fn body(&self, army: Army, hex: Hex) -> Vec<UnitId> {
        let body = |id: &UnitId| !matches!(self.data.unit(*id).kind, Kind::Fort | Kind::Staff);
        self.of(army, hex).filter(body).collect()
    }

    /// True where such a body stands.
    pub fn has_body(&self, army: Army, hex: Hex) -> bool {
        let body = |id: UnitId| !matches!(self.data.unit(id).kind, Kind::Fort | Kind::Staff);
        self.of(army, hex).any(body)
    }

    /// The fort in a hex, whoever holds it.
    pub fn fort(&self, hex: Hex) -> Option<UnitId> {
        self.at(hex).iter().copied().find(|id| self.data.unit(*id).kind == Kind::Fort)
    }

    /// The gunboat in a hex.
    pub fn gunboat(&self, hex: Hex) -> Option<UnitId> {
        self.at(hex).iter().copied().find(|id| self.data.unit(*id).kind.is_gunboat())
    }

    /// True for the army that has a reason to fire at the walls of this map: they are the
    /// other's (Omdurman is the Khalifa's city, Khartoum Gordon's).
    pub fn besieges(&self, army: Army) -> bool {
        (army == Army::Dervish) != self.data.board.city_closed
    }

    /// Every hex where an army has something, ids in order.
    pub fn hexes(&self, army: Army) -> Vec<Hex> {
        let mut hexes: Vec<Hex> = self
            .data
            .ids()
            .filter(|id| self.data.unit(*id).army == army)
            .filter_map(|id| self.state.hex(id))
            .collect();
        hexes.sort_unstable();
        hexes.dedup();
        hexes
    }

    /// True where the wall on a side still stands.
    pub fn wall(&self, side: Side) -> bool {
        self.data.board.side(side).wall && !self.state.breaches.contains(&side)
    }

    /// True where a wall has been breached.
    pub fn breach(&self, side: Side) -> bool {
        self.state.breaches.contains(&side)
    }

    /// What of the Zariba stands on a side.
    pub fn works(&self, side: Side) -> Option<Works> {
        let works = self.data.board.side(side).zariba?;
        if self.state.zariba.contains(&side) {
            cite("5.3.D");
            return Some(works);
        }
        // Until somebody builds it there is nothing but clear ground.
        cite("2.1.B");
        cite("5.3.A");
        None
    }

    /// True for a hex whose units are entrenched: within the Zariba, beside a trench
    /// (9.2.3.2.D).
    pub fn entrenched(&self, hex: Hex) -> bool {
        let dug = self.data.board.in_zariba(hex)
            && Dir::ALL.iter().any(|d| self.works(Side::new(hex, *d)) == Some(Works::Trench));
        if dug {
            cite("9.2.3.2.D");
        }
        dug
    }

    /// True for a hex inside the walled city with a standing wall on a side.
    pub fn rampart(&self, hex: Hex) -> bool {
        let board = &self.data.board;
        board.inside(hex)
            && board.by_wall(hex)
            && Dir::ALL.iter().any(|d| self.wall(Side::new(hex, *d)))
    }

    /// The level of a hex's occupants for sight (6.3.2.B, 6.3.2.C).
    pub fn level(&self, hex: Hex) -> Level {
        if self.gunboat(hex).is_some() {
            cite("6.3.2.B");
            return Level::Rough;
        }
        if self.fort(hex).is_some() && self.data.rulings.fort_sight_ground {
            cite("6.3.2.C");
            return Level::Ground;
        }
        let ground = self.data.charts.terrain(self.data.board.terrain(hex)).level;
        if ground == Level::Ground && self.rampart(hex) {
            cite("6.3.2.B");
            return Level::Rough;
        }
        ground
    }

    // ------------------------------------------------------ zones of control

    /// True if the unit has a zone of control (5.4.A, 7.8.B).
    pub fn exerts(&self, id: UnitId) -> Result<Rule, Rule> {
        let unit = self.data.unit(id);
        match unit.kind {
            Kind::Staff => Err(cite("5.4.A")),
            Kind::Fort => Ok(cite("6.5.4.G")),
            _ if self.state.disrupted(id) => Err(cite("5.4.B")),
            _ => Ok(cite("5.4.A")),
        }
    }

    /// Whether a zone of control reaches from a hex into the next, for land units:
    /// the rule that lets it, or the rule that stops it (5.4.E to 5.4.J).
    pub fn zone_crosses(&self, from: Hex, dir: Dir) -> Result<Rule, Rule> {
        let board = &self.data.board;
        let Some(to) = board.neighbour(from, dir) else { return Err(cite("5.4.A")) };
        if board.terrain(from) == Terrain::Nile || board.terrain(to) == Terrain::Nile {
            return Err(cite("5.4.E"));
        }
        let side = Side::new(from, dir);
        let edge = board.edge(from, dir);
        if edge.khor {
            return Err(cite("5.4.F"));
        }
        if self.fort(to).is_some() {
            return Err(cite("5.4.F"));
        }
        if self.works(side).is_some() && board.in_zariba(to) && !board.in_zariba(from) {
            return Err(cite("5.4.K"));
        }
        let homes = matches!(board.terrain(to), Terrain::Huts | Terrain::Building);
        if self.breach(side) {
            if homes && self.data.rulings.hut_beats_breach {
                return Err(cite("5.4.J"));
            }
            return Ok(cite("5.4.I"));
        }
        let inwards = board.inside(to) && !board.inside(from);
        if edge.wall && inwards {
            return Err(cite("5.4.F"));
        }
        if edge.gate && inwards {
            return Err(cite("5.4.H"));
        }
        if homes {
            return Err(cite("5.4.J"));
        }
        if self.works(side).is_some() {
            return Ok(cite("5.4.K"));
        }
        Ok(match (edge.wall, edge.gate) {
            (true, _) => cite("5.4.G"),
            (_, true) => cite("5.4.H"),
            _ if self.fort(from).is_some() => cite("5.4.G"),
            _ => cite("5.4.A"),
        })
    }

    /// The enemy unit whose zone of control holds a land unit of `army` in a hex.
    pub fn in_zone(&self, army: Army, hex: Hex) -> Option<UnitId> {
        let grid = self.data.board.grid;
        let zones = self.index.zones[army as usize].get_or_init(|| {
            let mut held = vec![None; grid.len()];
            for hex in grid.hexes().filter(|h| self.data.board.has(*h)) {
                held[grid.index(hex)] = self.holder(army, hex);
            }
            held
        });
        zones[grid.index(hex)]
    }

    fn holder(&self, army: Army, hex: Hex) -> Option<UnitId> {
        let enemy = army.enemy();
        for (dir, from) in self.data.board.neighbours(hex) {
            if self.at(from).is_empty() {
                continue;
            }
            let holder = self.of(enemy, from).find(|id| {
                if self.data.unit(*id).kind.is_gunboat() {
                    cite("5.4.E");
                    return false;
                }
                self.exerts(*id).is_ok()
            });
            if let Some(id) = holder
                && self.zone_crosses(from, dir.opposite()).is_ok()
            {
                return Some(id);
            }
        }
        None
    }

    /// The enemy gunboat whose zone of control holds a gunboat of `army` in a hex
    /// (5.4.A: gunboats against gunboats only).
    pub fn in_gunboat_zone(&self, army: Army, hex: Hex) -> Option<UnitId> {
        self.data.board.neighbours(hex).find_map(|(_, from)| {
            self.of(army.enemy(), from)
                .find(|id| self.data.unit(*id).kind.is_gunboat() && self.exerts(*id).is_ok())
        })
    }

    // -------------------------------------------------------------- stacking

    /// The tribe that a unit counts as for stacking, if any (5.5.2).
    pub fn tribe(&self, id: UnitId) -> Option<&str> {
        let unit = self.data.unit(id);
        if let Some(tribe) = &unit.tribe {
            return Some(tribe);
        }
        let gun = unit.army == Army::Dervish && unit.kind == Kind::Artillery;
        (gun && self.data.rulings.guns_own_group).then_some("artillery")
    }

    /// Whether a unit may stand in a hex together with others of its army that
    /// would be there (5.5): `others` are all of them, forts included.
    pub fn may_join(&self, hex: Hex, others: &[UnitId], id: UnitId) -> Result<(), Violation> {
        let unit = self.data.unit(id);
        let name = |id: UnitId| self.data.unit(id).id.clone();
        let boat = |id: UnitId| self.data.unit(id).kind.is_gunboat();
        if let Some(other) = others.iter().find(|o| boat(id) || boat(**o)) {
            return Violation::WithGunboat { hex, unit: name(id), with: name(*other) }.bar();
        }
        let fort = |id: UnitId| self.data.unit(id).kind == Kind::Fort;
        if let Some(other) = others.iter().find(|o| fort(id) && fort(**o)) {
            let why = format!("cannot stand in {hex}: {} stands there", name(*other));
            return Violation::Special { unit: name(id), why, rule: "9.1.1.1" }.bar();
        }
        let counts = |id: &UnitId| match self.data.unit(*id).kind {
            // 5.5.1.B: leaders stack free.
            Kind::Leader | Kind::Staff => false,
            Kind::Fort => self.data.rulings.forts_count,
            _ => true,
        };
        // 5.5.3: a Dervish leader stacks with units of his colour only.
        let strangers = |a: UnitId, b: UnitId| {
            let (leader, other) = (self.data.unit(a), self.data.unit(b));
            leader.kind == Kind::Leader
                && other.kind != Kind::Fort
                && leader.colour.is_some()
                && other.colour != leader.colour
        };
        let other = others.iter().find(|o| strangers(id, **o) || strangers(**o, id));
        if let Some(other) = other {
            let (unit, with) = if unit.kind == Kind::Leader {
                (name(id), name(*other))
            } else {
                (name(*other), name(id))
            };
            return Violation::LeaderColour { hex, unit, with }.bar();
        }
        if unit.kind == Kind::Leader {
            cite("5.5.3");
        }
        if let Some(tribe) = self.tribe(id) {
            let other = others.iter().find(|o| self.tribe(**o).is_some_and(|t| t != tribe));
            if let Some(o) = other {
                return Violation::Tribes {
                    hex,
                    unit: name(id),
                    tribe: tribe.to_owned(),
                    with: name(*o),
                }
                .bar();
            }
        }
        let have = others.iter().filter(|o| counts(o)).count() + usize::from(counts(&id));
        if counts(&id) && have > 4 {
            return Violation::Overstacked { hex, have, unit: name(id) }.bar();
        }
        if matches!(unit.kind, Kind::Leader | Kind::Staff) {
            cite("5.5.1.B");
        }
        cite("5.5.1.A");
        Ok(())
    }

    // ----------------------------------------------------------------- words

    /// A hex with its printed name: `1106 (Palace)`.
    pub fn hex_words(&self, hex: Hex) -> String {
        match self.data.board.name(hex) {
            Some(name) => format!("{hex} ({name})"),
            None => hex.to_string(),
        }
    }
}
