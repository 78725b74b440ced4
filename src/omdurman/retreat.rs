//! Retreat before melee (7.5): where cavalry and camel troops may go.

use crate::geometry::hex::{Dir, Hex, Side};

use super::board::{Terrain, Works};
use super::cite::cite;
use super::data::{Kind, UnitId};
use super::position::Position;
use super::violation::Violation;

/// How far a retreat goes.
const RETREAT: u32 = 2;

impl Position<'_> {
    /// Whether a unit may retreat by these two hexes: passable, free of enemies, two
    /// hexes from where it stands, within the limits of stacking at the end. Zones of
    /// control do not stop it (ruling `retreat`).
    pub fn may_retreat(&self, id: UnitId, path: [Hex; 2]) -> Result<(), Violation> {
        let unit = self.data.unit(id);
        let from = self.on_map(id)?;
        if self.state.disrupted(id) {
            return Violation::Disrupted { unit: unit.id.clone(), what: "retreat" }.bar();
        }
        let mut here = from;
        for to in path {
            let Some(dir) = here.direction_to(to).filter(|_| self.data.board.has(to)) else {
                return Violation::NotAdjacent { from: here, to }.bar();
            };
            let side = Side::new(here, dir);
            if self.wall(side) {
                return Violation::Wall { side }.bar();
            }
            if let Some(works @ (Works::Thorn | Works::Trench)) = self.works(side) {
                return Violation::Zariba { side, works: works.name(), rule: "9.2.3.3" }.bar();
            }
            self.may_enter(id, to)?;
            here = to;
        }
        if from.distance(here) != RETREAT {
            let why = format!("would retreat to {here}, which is not two hexes from {from}");
            return Violation::Special { unit: unit.id.clone(), why, rule: "7.5" }.bar();
        }
        let friends: Vec<UnitId> = self.of(unit.army, here).collect();
        self.may_join(here, &friends, id)
    }

    /// The way of a unit that goes as far away as it can from those who attack: the end
    /// farthest from all of them together, ties clockwise from east (ruling `retreat`).
    pub fn retreat_away(&self, id: UnitId, attackers: &[Hex]) -> Option<[Hex; 2]> {
        let from = self.state.hex(id)?;
        let mut best: Option<(u32, [Hex; 2])> = None;
        // The twelve ends clockwise from east; those between two directions by either.
        let ring = (0..6).flat_map(|k| {
            let (here, next) = (Dir::ALL[k], Dir::ALL[(k + 1) % 6]);
            [(here, here), (here, next), (next, here)]
        });
        for (first, second) in ring {
            let Some(a) = self.data.board.neighbour(from, first) else { continue };
            let Some(b) = self.data.board.neighbour(a, second) else { continue };
            if self.may_retreat(id, [a, b]).is_err() {
                continue;
            }
            let far: u32 = attackers.iter().map(|h| h.distance(b)).sum();
            if best.is_none_or(|(old, _)| far > old) {
                best = Some((far, [a, b]));
            }
        }
        best.map(|(_, path)| path)
    }

    /// True for a unit that may retreat from infantry at all.
    pub fn rides(&self, id: UnitId) -> bool {
        matches!(self.data.unit(id).kind, Kind::Cavalry | Kind::Camel)
            && !self.state.disrupted(id)
            && self.state.hex(id).is_some_and(|h| self.data.board.terrain(h) != Terrain::Nile)
    }

    /// True if enemy infantry could attack this unit in melee where it stands.
    pub fn fears_infantry(&self, id: UnitId) -> bool {
        let Some(hex) = self.state.hex(id).filter(|_| self.rides(id)) else { return false };
        let enemy = self.data.unit(id).army.enemy();
        cite("7.5");
        self.data.board.neighbours(hex).any(|(_, from)| {
            self.of(enemy, from).any(|foe| {
                self.data.unit(foe).kind == Kind::Infantry && self.may_melee(foe, hex).is_ok()
            })
        })
    }
}
