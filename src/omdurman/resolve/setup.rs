//! Set-up (9.3.2.1): the orders of the side that places, then the standard places
//! for whatever was not ordered.

use std::collections::BTreeMap;

use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::check::{Arrival, settle, setup_hexes};
use super::super::cite::cite;
use super::super::data::UnitId;
use super::super::events::Event;
use super::super::state::Place;
use super::Turn;

impl Turn<'_> {
    pub(super) fn setup(&mut self) {
        cite("9.3.2.1");
        let mut orders: Vec<(Id, usize, Vec<UnitId>, Hex)> = Vec::new();
        for part in self.parts {
            for order in &part.plan.places {
                let place = order.get();
                orders.push((part.player.clone(), order.line(), place.units.clone(), place.hex));
            }
        }
        let arrivals: Vec<Arrival> = orders
            .iter()
            .enumerate()
            .flat_map(|(i, (_, _, units, hex))| {
                units.iter().map(move |unit| Arrival { order: i, unit: *unit, hex: *hex })
            })
            .collect();
        let fallen = settle(&self.position(), &arrivals);
        for (i, (player, line, units, hex)) in orders.into_iter().enumerate() {
            let words: Vec<String> = units.iter().map(|u| self.name(*u)).collect();
            if let Some(violation) = fallen.get(&i) {
                let rule = violation.rule().map_or(String::new(), |r| r.to_string());
                let order = format!("place {} in {hex}", words.join(", "));
                self.tally(&player).failed += 1;
                self.fail(&player, line, order, violation.to_string(), rule);
                continue;
            }
            self.tally(&player).done += 1;
            for unit in units {
                self.emit(Event::Placed { unit: self.name(unit), hex });
            }
        }
        self.standard_places();
    }

    /// Units that nobody placed stand where the scenario says, or else in the first
    /// lawful hex with room.
    fn standard_places(&mut self) {
        let sides: Vec<_> =
            self.data.scenario.sides.iter().filter(|s| s.setup).map(|s| s.army).collect();
        let mut defaulted: BTreeMap<Id, Vec<String>> = BTreeMap::new();
        for id in self.data.ids() {
            let waiting = self.state.unit(id).place == Place::Waiting;
            if !waiting || !sides.contains(&self.data.unit(id).army) {
                continue;
            }
            let position = self.position();
            let mut choices: Vec<Hex> =
                self.data.scenario.standard.get(&id).copied().into_iter().collect();
            choices.extend(setup_hexes(&position, id));
            let army = self.data.unit(id).army;
            let free = choices.into_iter().find(|hex| {
                let others: Vec<UnitId> = position.of(army, *hex).collect();
                position.may_join(*hex, &others, id).is_ok()
            });
            let Some(hex) = free else { continue };
            self.emit(Event::Placed { unit: self.name(id), hex });
            if let Some(owner) = self.state.owner(self.data, id) {
                defaulted
                    .entry(owner.clone())
                    .or_default()
                    .push(format!("{} {hex}", self.name(id)));
            }
        }
        for (player, units) in defaulted {
            self.tally(&player).defaulted.push(format!("placed as usual: {}", units.join(", ")));
        }
    }
}
