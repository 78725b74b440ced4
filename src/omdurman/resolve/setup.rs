//! Set-up (9.1.1.1, 9.2.1, 9.3.2.1): the orders of the side that places, then the standard places
//! for whatever was not ordered.

use std::collections::BTreeMap;

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::check::{Arrival, settle, setup_hexes};
use super::super::data::{Kind, UnitId};
use super::super::events::Event;
use super::super::state::{Place, Window};
use super::super::words::{counted, runs};
use super::Turn;

impl Turn<'_> {
    pub(super) fn setup(&mut self) -> Result<(), DiceError> {
        self.seal_notes()?;
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
        Ok(())
    }

    /// Units that nobody placed stand where the scenario says, or else in the first
    /// lawful hex with room.
    fn standard_places(&mut self) {
        let second = self.state.window == Window::Setup2;
        let mut setting = self.data.scenario.sides.iter().filter(|s| s.setup);
        let Some(army) = setting.nth(usize::from(second)).map(|s| s.army) else { return };
        let mut defaulted: BTreeMap<Id, Vec<String>> = BTreeMap::new();
        let position = self.position();
        // Leaders first: strangers in their hex would bar them (5.5.3).
        let mut zones: Vec<(bool, UnitId, Vec<Hex>)> = self
            .data
            .ids()
            .filter(|id| self.data.unit(*id).army == army)
            .filter(|id| self.state.unit(*id).place == Place::Waiting)
            .map(|id| {
                let leads = self.data.unit(id).kind == Kind::Leader;
                (!leads, id, setup_hexes(&position, id))
            })
            .collect();
        zones.sort_by_key(|z| (z.0, z.1));
        for (_, id, hexes) in zones {
            let position = self.position();
            let mut choices: Vec<Hex> = self
                .data
                .scenario
                .standard
                .get(&id)
                .copied()
                .filter(|h| hexes.contains(h))
                .into_iter()
                .collect();
            choices.extend(hexes);
            let army = self.data.unit(id).army;
            let free = choices.into_iter().find(|hex| {
                let others: Vec<UnitId> = position.of(army, *hex).collect();
                position.may_join(*hex, &others, id).is_ok()
            });
            let Some(hex) = free else { continue };
            self.emit(Event::Placed { unit: self.name(id), hex });
            if let Some(owner) = self.state.owner(self.data, id) {
                defaulted.entry(owner.clone()).or_default().push(self.name(id));
            }
        }
        for (player, units) in defaulted {
            let units = runs(&counted(units)).join(", ");
            self.tally(&player).defaulted.push(format!("placed as usual: {units}"));
        }
    }
}
