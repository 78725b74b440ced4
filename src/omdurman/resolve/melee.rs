//! Melee (7.0): attackers are allocated, then each attacked hex is one melee in
//! which both sides roll before anybody is lost (7.3).

use std::collections::{BTreeMap, BTreeSet};

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::check::Retreat;
use super::super::cite::cite;
use super::super::data::{Army, Cell, Kind, UnitId};
use super::super::events::{Event, Fight, FightKind, Part as FightPart, Rolled};
use super::{Kept, Turn};

/// A unit with its melee order, until it has fought.
struct Attacker {
    unit: UnitId,
    order: usize,
    at: Vec<Hex>,
    /// What it would have attacked when the melees began.
    first: Option<Hex>,
    fought: bool,
}

impl Turn<'_> {
    pub(super) fn melee(&mut self) -> Result<(), DiceError> {
        let army = self.state.moving;
        let mut advancing: BTreeSet<UnitId> = BTreeSet::new();
        let mut orders: Vec<(Id, usize, String)> = Vec::new();
        let mut kept: BTreeMap<usize, Vec<Kept>> = BTreeMap::new();
        let mut attackers: Vec<Attacker> = Vec::new();
        let position = self.position();
        for part in self.army_parts(army) {
            for legal in &part.plan.melees {
                let (line, order) = (legal.line(), legal.get());
                let goals: Vec<String> = order.at.iter().map(ToString::to_string).collect();
                orders.push((part.player.clone(), line, goals.join(", ")));
                let number = orders.len() - 1;
                for id in &order.units {
                    let mut barred = Vec::new();
                    let first = order.at.iter().copied().find(|hex| {
                        position.may_melee(*id, *hex).map_err(|v| barred.push(v)).is_ok()
                    });
                    if first.is_none() {
                        kept.entry(number).or_default().push(self.kept(*id, &barred));
                    }
                    let standing = self.standing_of(*id).and_then(|s| s.advance);
                    if order.advance.or(standing).unwrap_or(false) {
                        advancing.insert(*id);
                    }
                    attackers.push(Attacker {
                        unit: *id,
                        order: number,
                        at: order.at.clone(),
                        first,
                        fought: false,
                    });
                }
            }
        }
        // Melee by melee in the order of the files; each unit attacks the first hex of
        // its list that it can attack when its turn comes, so that who finds a hex
        // emptied by a retreat goes on to the next (7.5 and the ruling `retreat`).
        while !self.over() {
            let position = self.position();
            let aim = |a: &Attacker| {
                a.at.iter().copied().find(|hex| position.may_melee(a.unit, *hex).is_ok())
            };
            let next = attackers.iter().filter(|a| !a.fought).find_map(aim);
            let Some(hex) = next else { break };
            let group: Vec<usize> = (0..attackers.len())
                .filter(|i| !attackers[*i].fought && aim(&attackers[*i]) == Some(hex))
                .collect();
            let units: Vec<UnitId> = group.iter().map(|i| attackers[*i].unit).collect();
            if self.fight(army, hex, &units, &advancing)? {
                for i in group {
                    attackers[i].fought = true;
                }
            }
        }
        let mut gone: Vec<(Hex, Vec<UnitId>)> = Vec::new();
        for a in attackers.iter().filter(|a| !a.fought) {
            let Some(hex) = a.first.filter(|_| self.state.hex(a.unit).is_some()) else { continue };
            match gone.iter_mut().find(|(h, _)| *h == hex) {
                Some((_, units)) => units.push(a.unit),
                None => gone.push((hex, vec![a.unit])),
            }
        }
        if !self.over() {
            for (hex, units) in gone {
                let units = units.iter().map(|id| self.name(*id)).collect();
                self.emit(Event::Wasted { units, target: hex.to_string() });
            }
        }
        for (number, (player, line, goals)) in orders.into_iter().enumerate() {
            let fought = attackers.iter().any(|a| a.order == number && a.first.is_some());
            let tally = self.tally(&player);
            if fought {
                tally.done += 1;
            } else {
                tally.failed += 1;
            }
            if let Some(kept) = kept.remove(&number) {
                self.fail_units(&player, line, "melee", &format!(" at {goals}"), kept);
            }
        }
        Ok(())
    }

    /// 7.5: cavalry and camels leave before infantry attacks them. The units that
    /// retreated, and whether the hex is empty now.
    fn retreats(&mut self, hex: Hex, attackers: &[UnitId]) -> bool {
        let infantry = attackers.iter().any(|id| self.data.unit(*id).kind == Kind::Infantry);
        if !infantry {
            return false;
        }
        let from: Vec<Hex> = attackers.iter().filter_map(|id| self.state.hex(*id)).collect();
        let defenders = self.position().defenders(self.state.moving, hex);
        let mut left = false;
        for id in defenders {
            if self.retreated.contains(&id) || !self.position().rides(id) {
                continue;
            }
            let owner = self.state.owner(self.data, id).cloned();
            let ordered = self
                .parts
                .iter()
                .filter(|p| Some(&p.player) == owner.as_ref())
                .find_map(|p| p.plan.retreats.get(&id).cloned());
            let standing = self.standing_of(id).and_then(|s| s.retreat.clone());
            let how = ordered.unwrap_or(match standing.as_deref() {
                Some("never") => Retreat::Never,
                _ => Retreat::Away,
            });
            let position = self.position();
            let path = match how {
                Retreat::Never => None,
                Retreat::Away => position.retreat_away(id, &from),
                Retreat::Path(path) => position.may_retreat(id, path).ok().map(|()| path),
            };
            let Some([a, b]) = path else { continue };
            self.retreated.insert(id);
            left = true;
            let unit = self.name(id);
            let rule = cite("7.5").to_string();
            self.emit(Event::Retreated { unit, path: vec![hex, a, b], rule });
            self.give_up(id, "it has retreated".to_owned());
            for hex in [a, b] {
                self.catches(id, hex);
            }
        }
        left
    }

    /// One melee; false if the hex was emptied by a retreat and nobody fought.
    fn fight(
        &mut self,
        army: Army,
        hex: Hex,
        attackers: &[UnitId],
        advancing: &BTreeSet<UnitId>,
    ) -> Result<bool, DiceError> {
        let named: Vec<UnitId> = attackers.to_vec();
        let position = self.position();
        let able: Vec<UnitId> =
            attackers.iter().copied().filter(|id| position.may_melee(*id, hex).is_ok()).collect();
        if self.retreats(hex, &able) && self.position().defenders(army, hex).is_empty() {
            if self.data.rulings.retreat_advance {
                self.advance_after_melee(army, hex, &able, advancing);
                return Ok(true);
            }
            return Ok(false);
        }
        let position = self.position();
        let defenders = position.defenders(army, hex);
        let attackers: Vec<UnitId> =
            able.into_iter().filter(|id| position.may_melee(*id, hex).is_ok()).collect();
        if attackers.is_empty() || defenders.is_empty() {
            let units = named.iter().map(|id| self.name(*id)).collect();
            self.emit(Event::Wasted { units, target: hex.to_string() });
            return Ok(true);
        }
        let fort = defenders.iter().any(|id| self.data.unit(*id).kind == Kind::Fort);
        let infantry = attackers.iter().any(|id| self.data.unit(*id).kind == Kind::Infantry);
        if fort {
            cite("6.5.4.F");
            if !infantry {
                let units = attackers.iter().map(|id| self.name(*id)).collect();
                self.emit(Event::Wasted { units, target: hex.to_string() });
                return Ok(true);
            }
        }
        for rule in ["7.1.A", "7.4.B", "7.7.A"] {
            cite(rule);
        }
        let target_words = position.count_words(&defenders);
        let fit: Vec<UnitId> = defenders
            .iter()
            .copied()
            .filter(|id| self.data.rulings.disrupted_defend || !self.state.disrupted(*id))
            .collect();
        let attack_modifier = position.melee_modifier(army, &attackers, Some(hex));
        let defence_modifier = position.melee_modifier(army.enemy(), &fit, None);
        let count = self.melees.entry(hex).or_default();
        *count += 1;
        let label = match *count {
            1 => format!("{}/melee/{hex}", self.label()),
            n => format!("{}/melee/{hex}/{n}", self.label()),
        };
        let mut attack = self.rolled(&attackers, attack_modifier, format!("{label}/attacker"))?;
        let mut defence = if fit.is_empty() {
            cite("7.8.B");
            None
        } else {
            Some(self.rolled(&fit, defence_modifier, format!("{label}/defender"))?)
        };
        cite("7.3");

        // What the attacker's roll does to the defenders: those who fight first, the
        // disrupted next, a fort last (7.7.B, ruling `fort-in-melee`).
        let mut lost = Vec::new();
        let mut disrupted = Vec::new();
        match attack.1 {
            Cell::Nothing => {}
            Cell::Disrupt => {
                let body: Vec<UnitId> = defenders
                    .iter()
                    .copied()
                    .filter(|id| self.data.unit(*id).kind != Kind::Fort)
                    .collect();
                let fresh: Vec<UnitId> =
                    body.iter().copied().filter(|id| !self.state.disrupted(*id)).collect();
                let roll = format!("{label}/attacker/losses");
                let (picked, how) = self.pick(&fresh, body.len().div_ceil(2), &roll)?;
                (disrupted, attack.0.chosen) = (picked, how);
            }
            Cell::Eliminate(n) => {
                cite("7.7.B");
                let fort = |id: &UnitId| self.data.unit(*id).kind == Kind::Fort;
                let down = |id: &UnitId| self.state.disrupted(*id);
                let groups: [Vec<UnitId>; 3] = [
                    defenders.iter().copied().filter(|id| !fort(id) && !down(id)).collect(),
                    defenders.iter().copied().filter(|id| !fort(id) && down(id)).collect(),
                    defenders.iter().copied().filter(fort).collect(),
                ];
                let mut left = n as usize;
                for (i, group) in groups.iter().enumerate() {
                    let take = left.min(group.len());
                    let roll = format!("{label}/attacker/losses{}", ["", "-2", "-3"][i]);
                    let (picked, how) = self.pick(group, take, &roll)?;
                    if attack.0.chosen.is_empty() && take > 0 {
                        attack.0.chosen = how;
                    }
                    lost.extend(picked);
                    left -= take;
                }
            }
        }
        let mut own_lost = Vec::new();
        let mut own_disrupted = Vec::new();
        if let Some(defence) = &mut defence {
            match defence.1 {
                Cell::Eliminate(n) => {
                    let roll = format!("{label}/defender/losses");
                    let (picked, how) = self.pick(&attackers, n as usize, &roll)?;
                    (own_lost, defence.0.chosen) = (picked, how);
                }
                Cell::Disrupt if self.data.rulings.d_disrupts_attackers => {
                    let roll = format!("{label}/defender/losses");
                    let (picked, how) =
                        self.pick(&attackers, attackers.len().div_ceil(2), &roll)?;
                    (own_disrupted, defence.0.chosen) = (picked, how);
                }
                Cell::Disrupt => "a defender's D disrupts nobody".clone_into(&mut defence.0.chosen),
                Cell::Nothing => {}
            }
            defence.0.lost = own_lost.iter().map(|id| self.name(*id)).collect();
            defence.0.disrupted = own_disrupted.iter().map(|id| self.name(*id)).collect();
        }
        attack.0.lost = lost.iter().map(|id| self.name(*id)).collect();
        attack.0.disrupted = disrupted.iter().map(|id| self.name(*id)).collect();
        self.fights += 1;
        let number = self.fights;
        let cause = format!("melee at {hex} (fight {number})");
        let left: Vec<String> =
            defenders.iter().filter(|id| !lost.contains(id)).map(|id| self.name(*id)).collect();
        let effect = if defence.is_none() {
            "all defenders are disrupted and do not roll".to_owned()
        } else {
            String::new()
        };
        let emptied = left.is_empty();
        self.emit(Event::Fight(Box::new(Fight {
            number,
            kind: FightKind::Melee,
            attacker: army,
            target: hex.to_string(),
            target_words,
            impacts: Vec::new(),
            attack: attack.0,
            defence: defence.map(|d| d.0),
            effect,
            left,
            rules: vec!["7.7.A".to_owned(), "7.3".to_owned()],
        })));
        for id in lost.into_iter().chain(own_lost) {
            self.eliminate(id, &cause, "7.7.B");
        }
        for id in disrupted.into_iter().chain(own_disrupted) {
            self.disrupt(id, &cause);
        }
        if emptied {
            self.advance_after_melee(army, hex, &attackers, advancing);
        }
        Ok(true)
    }

    fn rolled(
        &mut self,
        units: &[UnitId],
        modifier: super::super::events::Modifier,
        label: String,
    ) -> Result<(Rolled, Cell), DiceError> {
        let parts: Vec<FightPart> = units
            .iter()
            .filter_map(|id| {
                let unit = self.data.unit(*id);
                Some(FightPart {
                    unit: unit.id.clone(),
                    from: self.state.hex(*id)?,
                    weapon: String::new(),
                    printed: unit.melee,
                    range: 1,
                    multiplier: "x1".to_owned(),
                    factors: unit.melee,
                    rules: Vec::new(),
                })
            })
            .collect();
        self.throw(label, parts, vec![modifier])
    }

    /// 7.6: Dervish attackers that survive must advance, up to the stacking limit;
    /// Anglo-Egyptian ones may. The ruling `barred-advance` passes over the others.
    fn advance_after_melee(
        &mut self,
        army: Army,
        hex: Hex,
        attackers: &[UnitId],
        advancing: &BTreeSet<UnitId>,
    ) {
        let compulsory = army == Army::Dervish;
        for id in attackers {
            if !compulsory && !advancing.contains(id) {
                continue;
            }
            let Some(from) = self.state.hex(*id) else { continue };
            if self.state.disrupted(*id) {
                continue;
            }
            if let Err(violation) = self.position().may_advance(*id, hex) {
                let rule = violation.rule().map_or(String::new(), |r| r.to_string());
                let (unit, reason) = (self.name(*id), violation.to_string());
                self.emit(Event::StayedBehind { unit, to: hex, reason, rule });
                continue;
            }
            let rule = cite(if compulsory { "7.6.A" } else { "7.6.B" }).to_string();
            self.emit(Event::Advanced { unit: self.name(*id), from, to: hex, compulsory, rule });
            self.catches(*id, hex);
        }
    }
}
