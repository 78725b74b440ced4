//! Second fire of Maxims and howitzer fire (6.4.2, 6.6.4): allocated together, then
//! the shells fall, then what joins them or stands alone is resolved.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::cite::cite;
use super::super::data::{Army, UnitId, Weapon};
use super::super::events::{Event, Fight, FightKind, Impact};
use super::super::fire::{Shot, Target};
use super::effect::Effect;
use super::fire::{Allocation, Defaults, rule_of};
use super::{Kept, Turn};

/// A howitzer's fire as ordered.
struct Shell {
    shot: Shot,
    target: Target,
    combine: bool,
}

impl Turn<'_> {
    /// The second subphase of one army; only the Anglo-Egyptians have one (6.4.2.A).
    pub(super) fn second_subphase(&mut self, army: Army) -> Result<(), DiceError> {
        if army != Army::AngloEgyptian {
            return Ok(());
        }
        for rule in ["6.4.2.A", "6.4.2.C", "6.4.2.E", "2.3.4.B"] {
            cite(rule);
        }
        let (mut maxims, shells) = self.allocate_second(army);
        // 6.4.2.D: shells that fall where they were meant join the Maxims there.
        let mut joined: BTreeMap<Target, Vec<Impact>> = BTreeMap::new();
        let mut shared: BTreeMap<Target, u32> = BTreeMap::new();
        for shell in shells {
            let boat = self.name(shell.shot.unit);
            let aim = shell.shot.to;
            let label = if self.data.rulings.howitzers_share {
                format!("{}/howitzer/{}/impact", self.label(), shell.target.label())
            } else {
                format!("{}/howitzer/{boat}/impact", self.label())
            };
            let die = match shared.get(&shell.target) {
                Some(die) if self.data.rulings.howitzers_share => *die,
                _ => self.dice.d10(&label)?,
            };
            shared.insert(shell.target, die);
            for rule in ["6.4.2.B", "6.6.4.D"] {
                cite(rule);
            }
            let column = usize::try_from(die.clamp(1, 10) - 1).unwrap_or(0);
            let fell = match self.data.charts.scatter[column] {
                None => Some(aim),
                Some(dir) => self.data.board.neighbour(aim, dir),
            };
            let impact = Impact { boat, aim, label, die, fell };
            let meant = fell == Some(aim);
            let there = maxims.attacks.iter().any(|(t, _)| *t == shell.target);
            if shell.combine && meant && there {
                cite("6.4.2.D");
                maxims.add(shell.target, shell.shot);
                joined.entry(shell.target).or_default().push(impact);
            } else {
                self.shell_falls(army, &shell, impact)?;
            }
        }
        for (target, shots) in maxims.attacks {
            let impacts = joined.remove(&target).unwrap_or_default();
            for rule in ["6.4.2.B", "6.4.2.F"] {
                cite(rule);
            }
            self.attack(army, FightKind::Second, target, &shots, &maxims.advancing, impacts)?;
        }
        Ok(())
    }

    fn allocate_second(&mut self, army: Army) -> (Allocation, Vec<Shell>) {
        let mut out = Allocation::default();
        let mut shells: Vec<Shell> = Vec::new();
        let mut ordered: BTreeSet<UnitId> = BTreeSet::new();
        let mut failures: Vec<(Id, usize, String, Vec<Kept>)> = Vec::new();
        let mut done: Vec<(Id, bool)> = Vec::new();
        let position = self.position();
        for part in self.army_parts(army) {
            ordered.extend(&part.plan.holds);
            for (order, shelling) in part
                .plan
                .seconds
                .iter()
                .map(|o| (o, false))
                .chain(part.plan.shells.iter().map(|o| (o, true)))
            {
                let (line, order) = (order.line(), order.get());
                let mut fired = false;
                let mut kept = Vec::new();
                for id in &order.units {
                    if !shelling {
                        ordered.insert(*id);
                    }
                    let mut barred = Vec::new();
                    let shot = order.at.iter().find_map(|target| {
                        let shot = if shelling {
                            position.shell(*id, *target)
                        } else {
                            position.shot_with(*id, Weapon::Maxims, *target)
                        };
                        shot.map_err(|v| barred.push(v)).ok().map(|shot| (*target, shot))
                    });
                    let Some((target, shot)) = shot else {
                        let mut why = self.kept(*id, &barred);
                        if !self.fates.contains_key(id) {
                            why.reason = self.with_cause(why.reason, &order.at);
                        }
                        kept.push(why);
                        continue;
                    };
                    fired = true;
                    if shelling {
                        shells.push(Shell { shot, target, combine: order.combine });
                        continue;
                    }
                    if order.advance.unwrap_or_else(|| self.wants_advance(*id)) {
                        out.advancing.insert(*id);
                    }
                    out.add(target, shot);
                }
                if !kept.is_empty() {
                    let goals: Vec<String> = order.at.iter().map(ToString::to_string).collect();
                    failures.push((part.player.clone(), line, goals.join(", "), kept));
                }
                done.push((part.player.clone(), fired));
            }
        }
        let defaults = self.standing_second(army, &ordered, &mut out);
        self.tell_fire(done, failures, "second fire");
        self.tell_defaults(defaults, "second fire");
        (out, shells)
    }

    /// Maxims without an order of their own repeat the targets of their direct fire, or
    /// fire by the standing policy; howitzers never fire unordered, for their shells
    /// may fall on friends.
    fn standing_second(
        &self,
        army: Army,
        ordered: &BTreeSet<UnitId>,
        out: &mut Allocation,
    ) -> Defaults {
        let position = self.position();
        let targets = position.targets_of(army);
        let mut told = Defaults::new();
        for id in self.data.ids() {
            let unit = self.data.unit(id);
            let able = unit.army == army && unit.has_maxims() && position.can_fire(id).is_ok();
            if !able || ordered.contains(&id) {
                continue;
            }
            let direct = self
                .parts
                .iter()
                .flat_map(|p| &p.plan.fires)
                .map(super::super::check::Legal::get)
                .find(|o| o.units.contains(&id) && o.weapon.is_none_or(|w| w == Weapon::Maxims));
            let found = match direct {
                Some(order) => {
                    if order.advance.unwrap_or_else(|| self.wants_advance(id)) {
                        out.advancing.insert(id);
                    }
                    order
                        .at
                        .iter()
                        .find_map(|t| Some((*t, position.shot_with(id, Weapon::Maxims, *t).ok()?)))
                }
                None if self.holds(id) => None,
                None => {
                    let found = self.nearest(&position, id, Weapon::Maxims, &targets, out);
                    if let (Some((target, _)), Some(owner)) =
                        (&found, self.state.owner(self.data, id))
                    {
                        let at = told.entry(owner.clone()).or_default();
                        at.entry(*target).or_default().push(unit.id.clone());
                    }
                    if self.wants_advance(id) {
                        out.advancing.insert(id);
                    }
                    found
                }
            };
            if let Some((target, shot)) = found {
                out.add(target, shot);
            }
        }
        told
    }

    /// One gunboat's shell, by itself: the loss roll on what stands where it falls,
    /// friend or enemy (6.6.4.C to E).
    fn shell_falls(&mut self, army: Army, shell: &Shell, impact: Impact) -> Result<(), DiceError> {
        let label = format!("{}/howitzer/{}/loss", self.label(), impact.boat);
        cite("6.6.4.C");
        cite("6.6.4.E");
        let fell = impact.fell;
        let (target, victim) = self.under_the_shell(army, shell.target, fell);
        let shots = std::slice::from_ref(&shell.shot);
        let modifiers = match (target, victim) {
            (Some(target), Some(_)) => self.position().fire_modifiers(army, target, shots),
            _ => Vec::new(),
        };
        let place = fell.map_or("off the map".to_owned(), |h| h.to_string());
        self.fights += 1;
        let number = self.fights;
        let cause = format!("howitzer fire into {place} (fight {number})");
        let parts = vec![self.fire_part(&shell.shot)];
        let (mut rolled, cell) = self.throw(label.clone(), parts, modifiers)?;
        let outcome = match (target, victim) {
            (Some(target), Some(victim)) => self.effect(victim, target, cell, &label)?,
            _ => Effect {
                words: "the shell falls on nobody".to_owned(),
                rule: "6.6.4.E",
                ..Effect::default()
            },
        };
        self.note(&mut rolled, &outcome);
        let position = self.position();
        let target_words = match (target, victim) {
            (Some(target), Some(victim)) => position.target_words(victim.enemy(), target),
            _ => "nobody".to_owned(),
        };
        let left = match (fell, victim) {
            (Some(hex), Some(victim)) => position
                .defenders_and_boats(victim.enemy(), hex)
                .into_iter()
                .filter(|id| !outcome.lost.contains(id))
                .map(|id| self.name(id))
                .collect(),
            _ => Vec::new(),
        };
        let friends = victim == Some(army);
        let effect = if friends {
            format!("{} - on its own side", outcome.words).trim_start_matches(" - ").to_owned()
        } else {
            outcome.words.clone()
        };
        self.emit(Event::Fight(Box::new(Fight {
            number,
            kind: FightKind::Howitzer,
            attacker: army,
            target: target.map_or(place, |t| t.to_string()),
            target_words,
            impacts: vec![impact],
            attack: rolled,
            defence: None,
            effect,
            left,
            rules: vec![rule_of(FightKind::Howitzer).to_owned(), outcome.rule.to_owned()],
        })));
        self.take_effect(outcome, &cause);
        Ok(())
    }

    /// What a shell hits, and whose it is: the fort where one was aimed at and stands
    /// there, else the units of the hex.
    fn under_the_shell(
        &self,
        army: Army,
        aimed: Target,
        fell: Option<Hex>,
    ) -> (Option<Target>, Option<Army>) {
        let Some(hex) = fell else { return (None, None) };
        let position = self.position();
        if let Target::Fort(_) = aimed
            && let Some(fort) = position.fort(hex)
        {
            return (Some(Target::Fort(hex)), Some(self.data.unit(fort).army));
        }
        let victim = [army.enemy(), army].into_iter().find(|a| position.has_body(*a, hex));
        (Some(Target::Units(hex)), victim)
    }
}
