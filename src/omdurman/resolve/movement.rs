//! Movement (5.0): all lawful moves of the phasing side together; the stacking
//! limit holds when they have ended (5.5.1.E).

use crate::core::id::Id;

use super::super::check::{Arrival, MoveOrder, path_words, settle};
use super::super::cite::cite;
use super::super::data::Army;
use super::super::events::Event;
use super::super::state::Place;
use super::Turn;

impl Turn<'_> {
    pub(super) fn movement(&mut self) {
        let mut orders: Vec<(Id, usize, MoveOrder)> = Vec::new();
        for part in self.army_parts(self.state.moving) {
            for order in &part.plan.moves {
                orders.push((part.player.clone(), order.line(), order.get().clone()));
            }
        }
        let arrivals: Vec<Arrival> = orders
            .iter()
            .enumerate()
            .flat_map(|(i, (_, _, order))| {
                order.walks.iter().filter_map(move |(unit, walk)| {
                    Some(Arrival { order: i, unit: *unit, hex: *walk.path.last()? })
                })
            })
            .collect();
        let fallen = settle(&self.position(), &arrivals);
        cite("5.5.1.E");
        for (i, (player, line, order)) in orders.into_iter().enumerate() {
            if let Some(violation) = fallen.get(&i) {
                let words: Vec<String> = order
                    .walks
                    .iter()
                    .map(|(unit, walk)| format!("{} {}", self.name(*unit), path_words(&walk.path)))
                    .collect();
                let rule = violation.rule().map_or(String::new(), |r| r.to_string());
                self.tally(&player).failed += 1;
                self.fail(
                    &player,
                    line,
                    format!("move {}", words.join(", ")),
                    format!("{violation}, after the moves of the other commands"),
                    rule,
                );
                continue;
            }
            self.tally(&player).done += 1;
            self.carry_out(order);
        }
        self.left_standing();
        let entry = &self.data.scenario.entry;
        let last =
            self.state.turn == self.data.scenario.entry_turn && !self.data.rulings.late_entry;
        if self.state.moving == entry.0 && last {
            for id in self.data.ids() {
                if self.data.unit(id).army == entry.0 && self.state.unit(id).place == Place::Waiting
                {
                    let rule = cite("9.3.2.2").to_string();
                    self.emit(Event::LeftOut { unit: self.name(id), rule });
                }
            }
        }
    }

    fn carry_out(&mut self, order: MoveOrder) {
        let palace = self.data.scenario.gordon.1;
        for (id, walk) in order.walks {
            if walk.path.len() < 2 && !order.entering {
                continue;
            }
            if self.data.unit(id).army == Army::AngloEgyptian {
                cite("5.1.2");
            }
            let through_palace =
                self.data.unit(id).army == Army::Dervish && walk.path.contains(&palace);
            let (unit, path) = (self.name(id), walk.path);
            let (cost, allowance) = (walk.cost, walk.allowance);
            if order.entering {
                self.emit(Event::Entered { unit, path, cost, allowance });
            } else {
                self.emit(Event::Moved { unit, path, cost, allowance });
            }
            if through_palace {
                self.enters_gordons_hex(id);
            }
        }
    }

    /// Says who could have moved and was not ordered to, player by player.
    fn left_standing(&mut self) {
        let parts: Vec<Id> =
            self.army_parts(self.state.moving).iter().map(|p| p.player.clone()).collect();
        for player in parts {
            let file = self.parts.iter().any(|p| p.player == player && p.submission == "file");
            if !file {
                self.tally(&player).defaulted.push("nobody moves".to_owned());
            }
        }
    }
}
