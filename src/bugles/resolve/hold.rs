//! MOVE turns to HOLD near the enemy and under fire (R12).

use super::super::cite;
use super::super::data::Army;
use super::super::events::Event;
use super::super::state::{Order, Presence, Unit};
use super::Turn;

impl Turn<'_> {
    /// True where a MOVE unit stands within 12 inches of a visible enemy; it then holds.
    pub(super) fn near_now(&mut self, id: &str) -> bool {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return false };
        let near = self.data.distances.move_becomes_hold;
        let flips = self.state.units[index].order == Order::Move
            && self.table().unit_gap(index).is_some_and(|gap| gap <= near);
        if flips {
            self.flip(id, "within 12 inches of an enemy");
        }
        flips
    }

    pub(super) fn flip(&mut self, id: &str, why: &str) {
        let Some(unit) = self.state.unit(id) else { return };
        if unit.order == Order::Move {
            let rule = cite("R12").0.to_owned();
            let (unit, why) = (unit.id.clone(), why.to_owned());
            self.emit(Event::Flipped { unit, from: Order::Move, to: Order::Hold, why, rule });
        }
    }

    /// Every MOVE unit within 12 inches of a visible enemy holds (R12).
    pub(super) fn flip_near(&mut self) {
        let near = self.data.distances.move_becomes_hold;
        let table = self.table();
        let ids: Vec<String> = self
            .state
            .units
            .iter()
            .enumerate()
            .filter(|(_, u)| u.order == Order::Move && u.strength() > 0)
            .filter(|(n, u)| match u.presence {
                Presence::Table => table.enemy_within(u.army(), &table.shapes_of(*n), near),
                _ => table.nearest_of(u.army().enemy(), u.anchor).is_some_and(|(d, _)| d <= near),
            })
            .map(|(_, u)| u.id.clone())
            .collect();
        for id in ids {
            self.flip(&id, "within 12 inches of an enemy");
        }
    }

    /// Every MOVE unit of an army that came under fire holds (R12), when the enemy's fire
    /// has ended: fire of an earlier turn does not undo an order that was given since.
    pub(super) fn flip_under_fire(&mut self, army: Army) {
        let ids: Vec<String> = self
            .state
            .units
            .iter()
            .filter(|u| u.army() == army && u.order == Order::Move && u.strength() > 0)
            .filter(|u| self.under_fire(u))
            .map(|u| u.id.clone())
            .collect();
        for id in ids {
            self.flip(&id, "it came under fire");
        }
    }

    /// True for a unit that came under fire, or whose marker did (R22).
    pub(super) fn under_fire(&self, unit: &Unit) -> bool {
        match &unit.presence {
            Presence::Marker(m) => self.state.marker(m).is_some_and(|m| m.under_fire),
            _ => unit.under_fire,
        }
    }
}
