//! Step 1: generals move and change orders (R13, R14).

use crate::core::dice::DiceError;

use super::super::check::{Change, Go, Legal};
use super::super::cite;
use super::super::data::Army;
use super::super::events::{Event, Modifier};
use super::super::state::{Order, Presence, Unit};
use super::Turn;

/// Why a change of orders is not possible for a unit as it is, with the rule.
fn barred(unit: &Unit, to: Order) -> Option<(&'static str, &'static str)> {
    if to == Order::Attack && unit.formation == super::super::state::Formation::Column {
        Some(("a unit in column cannot ATTACK: it forms line on HOLD first", "R16"))
    } else if to == Order::Withdraw && unit.troop == super::super::data::Troop::MahdistArtillery {
        Some(("Mahdist artillery never moves", "R17"))
    } else {
        None
    }
}

impl Turn<'_> {
    pub(super) fn command(&mut self) -> Result<(), DiceError> {
        let moved = self.generals_move();
        let ids: Vec<String> =
            self.state.generals.iter().filter(|g| g.here).map(|g| g.id.clone()).collect();
        // One die a unit or marker, whether somebody orders it or not: the number of
        // seals tells nothing.
        let mut obey: Vec<(String, u32, String)> = Vec::new();
        let visible = self.state.units.iter().filter(|u| u.on_table()).map(|u| u.id.clone());
        let markers = self.state.markers.iter().map(|m| m.id.clone());
        for id in visible.chain(markers).collect::<Vec<_>>() {
            let label = format!("{}/obey/{id}", self.head());
            let die = self.dice.roll_sealed(&label, "1d6")?.faces[0];
            obey.push((id, die, label));
        }
        for general in ids {
            let label = format!("{}/orders/{general}", self.head());
            let die = self.dice.roll_sealed(&label, "1d6")?.faces[0];
            self.general_orders(&general, moved.contains(&general), (die, label), &obey);
        }
        Ok(())
    }

    /// Moves generals; who moved.
    fn generals_move(&mut self) -> Vec<String> {
        let mut moved = Vec::new();
        let parts = self.parts;
        for part in parts {
            for legal in &part.plan.generals {
                let order = legal.get();
                let Some(general) = self.state.general(&order.general).cloned() else { continue };
                let words = format!("general {}", general.id);
                if !general.here {
                    self.failed(&part.player, legal, words, "he is out of the game", "R17");
                    continue;
                }
                if self.state.storm.is_some() && general.army == Army::AngloEgyptian {
                    let why = "only Mahdists move in the storm";
                    self.failed(&part.player, legal, words, why, cite("R31").0);
                    continue;
                }
                let (to, attached) = match &order.go {
                    Go::To(to) => (*to, None),
                    Go::Attach(base) => {
                        let Some((unit, index)) = self.state.base(base) else { continue };
                        if !unit.on_table() || !unit.bases[index].stands() {
                            self.failed(
                                &part.player,
                                legal,
                                words,
                                format!("{base} is not there"),
                                "R25",
                            );
                            continue;
                        }
                        (unit.bases[index].at, Some(base.clone()))
                    }
                };
                let way = general.at.distance(to);
                let most = self.data.distances.general;
                cite("R17");
                let to = if way > most {
                    let v = to - general.at;
                    let step = |n: i64| crate::geometry::plane::rounded(n * most, way);
                    crate::geometry::plane::Point::new(
                        general.at.x + step(v.x),
                        general.at.y + step(v.y),
                    )
                } else {
                    to
                };
                let attached = attached.filter(|_| way <= most);
                let goes = to != general.at;
                if goes {
                    moved.push(general.id.clone());
                }
                self.emit(Event::GeneralMoved { general: general.id, to, attached, moved: goes });
                self.done(&part.player);
            }
        }
        moved
    }

    /// One general's die and what he does with it.
    fn general_orders(
        &mut self,
        id: &str,
        moved: bool,
        (die, label): (u32, String),
        obey: &[(String, u32, String)],
    ) {
        let Some(general) = self.state.general(id).cloned() else { return };
        let face = self.average(die);
        cite("R13");
        let mut modifiers = Vec::new();
        let mut less = |what: &str| {
            modifiers.push(Modifier { what: what.to_owned(), by: -1, rule: "R13".to_owned() });
        };
        if general.army == Army::Mahdist {
            less("Mahdist");
        }
        if moved {
            less("he moved");
        }
        let total = face.saturating_sub(u32::try_from(modifiers.len()).unwrap_or(0));
        self.emit(Event::Allowance {
            general: id.to_owned(),
            faces: vec![face],
            modifiers,
            total,
            label,
        });
        let mut left = total;
        let mut tried: Vec<String> = Vec::new();
        let parts = self.parts;
        for part in parts {
            for legal in &part.plan.changes {
                let change = legal.get();
                let Some(unit) = self.state.unit(&change.unit).cloned() else { continue };
                if unit.general != id {
                    continue;
                }
                let words = format!("change {} to {}", unit.id, change.to.word());
                if tried.contains(&unit.id) {
                    let why = "another order was given to it in this turn";
                    self.unmet(&part.player, legal, words, why, "R14");
                    continue;
                }
                if let Some(condition) = &change.only_if
                    && !self.holds(condition, &unit.id)
                {
                    self.unmet(&part.player, legal, words, "its condition does not hold", "R13");
                    continue;
                }
                if unit.order == change.to {
                    self.done(&part.player);
                    continue;
                }
                if unit.strength() == 0 {
                    self.failed(&part.player, legal, words, "it is destroyed", "R8");
                    continue;
                }
                if let Some((why, rule)) = barred(&unit, change.to) {
                    self.failed(&part.player, legal, words, why, rule);
                    continue;
                }
                if left == 0 {
                    let why = format!("{id} may change {total} orders in this turn");
                    self.failed(&part.player, legal, words, why, "R13");
                    continue;
                }
                left -= 1;
                tried.push(unit.id.clone());
                self.give(&part.player.clone(), legal, &unit, general.at, obey);
            }
        }
    }

    /// One order to one unit: obeyed within reach, by a die beyond (R14).
    fn give(
        &mut self,
        player: &crate::core::id::Id,
        legal: &Legal<Change>,
        unit: &Unit,
        from: crate::geometry::plane::Point,
        obey: &[(String, u32, String)],
    ) {
        cite("R8");
        let rule = cite("R14").0.to_owned();
        let table = self.table();
        let index = self.state.units.iter().position(|u| u.id == unit.id).unwrap_or(0);
        let distance = match &unit.presence {
            Presence::Table => table
                .bodies_of(index)
                .map(|b| from.distance(crate::geometry::plane::nearest(&b.shape, from)))
                .min()
                .unwrap_or(i64::MAX),
            _ => from.distance(unit.anchor),
        };
        let reach = match unit.army() {
            Army::Mahdist => self.data.distances.command_mahdist,
            Army::AngloEgyptian => self.data.distances.command_regular,
        };
        let key = match &unit.presence {
            Presence::Marker(marker) => marker,
            _ => &unit.id,
        };
        let die = obey.iter().find(|(id, _, _)| id == key);
        let needed = self.data.obey.needs(unit.troop.nation());
        let (die, label, needed) = match die {
            Some((_, die, label)) if distance > reach => (*die, label.clone(), needed),
            _ => (0, String::new(), 0),
        };
        let obeyed = die >= needed;
        let to = legal.get().to;
        self.emit(Event::Ordered {
            unit: unit.id.clone(),
            general: unit.general.clone(),
            to,
            distance,
            label,
            die,
            needed,
            obeyed,
            rule,
        });
        if obeyed {
            self.done(player);
        } else {
            let words = format!("change {} to {}", unit.id, to.word());
            let why = format!(
                "it is {} from its general and rolled {die}: {needed} or more obeys",
                self.data.inches(distance)
            );
            self.failed(player, legal, words, why, "R14");
        }
    }
}
