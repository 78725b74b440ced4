//! Fire, unit by unit: targets first, then the dice (R23 to R27, R22).

use crate::core::dice::DiceError;

use super::super::cite;
use super::super::combat::{By, effect};
use super::super::data::Army;
use super::super::events::{Effect, Event, Exchange, Score};
use super::super::fire::{Aim, Shot, declare, own_modifiers, shot_modifiers, value_at};
use super::super::state::Presence;
use super::super::table::values_of;
use super::Turn;

impl Turn<'_> {
    /// Every unit of an army fires, by id.
    pub(super) fn fire(&mut self, army: Army, step: u32) -> Result<(), DiceError> {
        let ids: Vec<String> = self
            .state
            .units
            .iter()
            .filter(|u| u.army() == army && u.strength() > 0)
            .map(|u| u.id.clone())
            .collect();
        for id in ids {
            self.unit_fires(&id, step)?;
        }
        Ok(())
    }

    /// One unit fires: all its bases have stated their targets before any is resolved.
    pub(super) fn unit_fires(&mut self, id: &str, step: u32) -> Result<(), DiceError> {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return Ok(()) };
        if self.state.units[index].presence != Presence::Table {
            self.unmask(id, step);
            if self.state.units[index].presence != Presence::Table {
                return Ok(());
            }
        }
        if step == 3 && self.about_to_form(index) {
            return Ok(());
        }
        let state = self.state.clone();
        let table = super::super::table::Table::new(self.data, &state);
        // A base that came back to its unit in this phase does not fire in it (R29).
        let returned: Vec<String> = self
            .events
            .iter()
            .filter_map(|e| match e {
                Event::Recovered { base, .. } if step == 5 => Some(base.clone()),
                _ => None,
            })
            .collect();
        let shots: Vec<Shot> = declare(&table, index, step)
            .into_iter()
            .filter(|s| !returned.contains(&table.name(&table.bodies[s.firer])))
            .collect();
        for shot in shots {
            let base = table.name(&table.bodies[shot.firer]);
            let label = format!("{}/fire/s{step}/{base}", self.head());
            match &shot.aim {
                Aim::Marker(marker) => {
                    if self.state.marker(marker).is_none() {
                        continue;
                    }
                    self.fire_at_marker(&table, &shot, marker, step, label)?;
                }
                Aim::Base(target) => {
                    let name = table.name(&table.bodies[*target]);
                    let stands = self.state.base(&name).is_some_and(|(u, n)| u.bases[n].stands());
                    if stands {
                        self.fire_at_base(&table, &shot, *target, step, label)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A hidden unit with rifles or guns that is told to fire shows itself, where it has
    /// somebody to fire at from where it would stand: a plan alone shows nobody (R20).
    fn unmask(&mut self, id: &str, step: u32) {
        let asked = self
            .parts
            .iter()
            .any(|p| p.plan.fires.iter().any(|f| f.get().unit == id && !f.get().plan.hold));
        let Some(index) = self.state.units.iter().position(|u| u.id == id).filter(|_| asked) else {
            return;
        };
        let mut shown = self.state.clone();
        let lay = self.shown(&shown.units[index]);
        shown.units[index].take(&lay);
        shown.units[index].presence = Presence::Table;
        let table = super::super::table::Table::new(self.data, &shown);
        if !declare(&table, index, step).is_empty() {
            self.reveal_to_fire(id);
        }
    }

    /// The firer's side of an exchange.
    fn firer(table: &super::super::table::Table<'_>, shot: &Shot, die: u32) -> Score {
        let body = &table.bodies[shot.firer];
        let value = value_at(table, body, shot.range);
        let modifiers = shot_modifiers(table, shot);
        let total = i64::from(die) + value + modifiers.iter().map(|m| m.by).sum::<i64>();
        Score { base: table.name(body), die, value, modifiers, total }
    }

    fn fire_at_base(
        &mut self,
        table: &super::super::table::Table<'_>,
        shot: &Shot,
        target: usize,
        step: u32,
        label: String,
    ) -> Result<(), DiceError> {
        let faces = self.dice.roll(&label, "2d6")?;
        let attacker = Self::firer(table, shot, faces[0]);
        let body = &table.bodies[target];
        let unit = table.unit(body);
        let modifiers = own_modifiers(table, body);
        let value = values_of(self.data, unit, body.base).combat;
        let total = i64::from(faces[1]) + value + modifiers.iter().map(|m| m.by).sum::<i64>();
        let defender = Score { base: table.name(body), die: faces[1], value, modifiers, total };
        let (effect, rule) = if defender.total < attacker.total {
            effect(table, body, By::Fire, (attacker.total, defender.total))
        } else {
            (Effect::Nothing, "R26")
        };
        let name = defender.base.clone();
        let target_unit = unit.id.clone();
        self.emit(Event::Shot {
            exchange: Exchange {
                step,
                label,
                attacker,
                defender,
                range: shot.range,
                on_defender: true,
                effect,
                rule: rule.to_owned(),
            },
        });
        if !self.state.unit(&target_unit).is_some_and(|u| u.under_fire) {
            self.emit(Event::UnderFire { target: target_unit });
        }
        self.befall(&name, effect, rule, "fire", None);
        Ok(())
    }

    /// Every Mahdist fights with 3, so that nobody needs to know what is there (R22).
    fn fire_at_marker(
        &mut self,
        table: &super::super::table::Table<'_>,
        shot: &Shot,
        marker: &str,
        step: u32,
        label: String,
    ) -> Result<(), DiceError> {
        cite("R22");
        let sealed = self.dice.roll_sealed(&label, "2d6")?;
        let attacker = Self::firer(table, shot, sealed.faces[0]);
        let value = self.data.values["mahdist-infantry"].combat;
        let total = i64::from(sealed.faces[1]) + value;
        let (won, lost) = (attacker.total, total);
        let effect = if lost >= won {
            Effect::Nothing
        } else if 2 * lost < won || 2 * lost == won && self.data.rulings.half_destroys {
            Effect::Destroyed
        } else {
            Effect::Recoil
        };
        let defender = Score {
            base: marker.to_owned(),
            die: sealed.faces[1],
            value,
            modifiers: Vec::new(),
            total,
        };
        let firer = attacker.base.clone();
        let exchange = Exchange {
            step,
            label,
            attacker,
            defender,
            range: shot.range,
            on_defender: true,
            effect,
            rule: "R22".to_owned(),
        };
        let marker = marker.to_owned();
        self.emit(Event::MarkerShot {
            step,
            firer,
            marker: marker.clone(),
            range: shot.range,
            exchange,
            sealed,
        });
        if !self.state.marker(&marker).is_some_and(|m| m.under_fire) {
            self.emit(Event::UnderFire { target: marker });
        }
        Ok(())
    }
}
