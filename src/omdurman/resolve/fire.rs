//! Fire (6.7, 6.8): all fire of a side is allocated before any is resolved
//! (6.4.1.B); then attack by attack, with its advance.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::{Hex, Side};

use super::super::cite::cite;
use super::super::data::{Army, Cell, UnitId, Weapon};
use super::super::events::{Event, Fight, FightKind, Part as FightPart, Rolled};
use super::super::fire::{Shot, Target};
use super::{Kept, Turn};

/// The attacks of a subphase by target, and who advances.
#[derive(Debug, Default)]
struct Allocation {
    /// In the order in which the targets were first named (6.4.1.C): files by player,
    /// then line; what the standing orders add comes last.
    attacks: Vec<(Target, Vec<Shot>)>,
    advancing: BTreeSet<UnitId>,
}

impl Allocation {
    fn add(&mut self, target: Target, shot: Shot) {
        match self.attacks.iter_mut().find(|(t, _)| *t == target) {
            Some((_, shots)) => shots.push(shot),
            None => self.attacks.push((target, vec![shot])),
        }
    }

    fn factors(&self, target: Target) -> u32 {
        let shots = self.attacks.iter().find(|(t, _)| *t == target);
        shots.map_or(0, |(_, shots)| shots.iter().map(|s| s.factors).sum())
    }
}

impl Turn<'_> {
    /// The direct fire of one army: defensive if it is not its player-turn.
    pub(super) fn fire_subphase(&mut self, army: Army) -> Result<(), DiceError> {
        let kind = if army == self.state.moving { FightKind::Offence } else { FightKind::Defence };
        cite(if kind == FightKind::Offence { "6.8.1" } else { "6.7.A" });
        for rule in ["6.4.A", "6.4.1.A", "6.4.1.B", "6.4.1.C"] {
            cite(rule);
        }
        cite(if self.state.moving == Army::Dervish { "6.4.B" } else { "6.4.C" });
        let allocation = self.allocate(army, kind);
        let mut aims: BTreeMap<Hex, Target> = BTreeMap::new();
        for (target, shot) in
            allocation.attacks.iter().flat_map(|(t, s)| s.iter().map(move |s| (*t, s)))
        {
            // 6.1.G: the units of one hex may choose different targets.
            if *aims.entry(shot.from).or_insert(target) != target {
                cite("6.1.G");
            }
        }
        for (target, shots) in allocation.attacks {
            self.attack(army, kind, target, &shots, &allocation.advancing)?;
        }
        Ok(())
    }

    fn allocate(&mut self, army: Army, kind: FightKind) -> Allocation {
        let mut out = Allocation::default();
        let mut ordered: BTreeSet<UnitId> = BTreeSet::new();
        let mut failures: Vec<(Id, usize, String, Vec<Kept>)> = Vec::new();
        let mut done: Vec<(Id, bool)> = Vec::new();
        let position = self.position();
        for part in self.army_parts(army) {
            if !part.plan.holds.is_empty() {
                cite("6.1.B");
            }
            ordered.extend(&part.plan.holds);
            for order in &part.plan.fires {
                let (line, order) = (order.line(), order.get());
                let mut fired = false;
                let mut kept = Vec::new();
                for id in &order.units {
                    ordered.insert(*id);
                    let mut barred = Vec::new();
                    let shot =
                        order.at.iter().find_map(|target| match position.shot(*id, *target) {
                            Ok(shot) => Some((*target, shot)),
                            Err(violation) => {
                                barred.push(violation);
                                None
                            }
                        });
                    let Some((target, shot)) = shot else {
                        let mut why = self.kept(*id, &barred);
                        why.reason = self.with_cause(why.reason, &order.at);
                        kept.push(why);
                        continue;
                    };
                    fired = true;
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
            done.extend((0..part.plan.hold_orders).map(|_| (part.player.clone(), true)));
        }
        let defaults = self.standing_fire(army, &ordered, &mut out);
        for (player, fired) in done {
            // In the brisk window a hold counts once, with the fire of its side.
            let tally = self.tally(&player);
            if fired { tally.done += 1 } else { tally.failed += 1 }
        }
        for (player, line, goals, kept) in failures {
            self.fail_units(&player, line, "fire", &goals, kept);
        }
        let word = if kind == FightKind::Defence { "defensive" } else { "offensive" };
        for (player, list) in defaults {
            let text = format!(
                "{word} fire without an order, by the standing policy: {}",
                list.join(", ")
            );
            self.tally(&player).defaulted.push(text);
        }
        out
    }

    /// Adds what happened to a target, where that is why it cannot be hit.
    fn with_cause(&self, reason: String, targets: &[Target]) -> String {
        let gone = targets.iter().find_map(|t| match t {
            Target::Units(hex) | Target::Fort(hex) => {
                self.events.iter().rev().find_map(|e| match e {
                    Event::Fight(f) if f.target == hex.to_string() && f.left.is_empty() => {
                        Some(format!(" (emptied in fight {})", f.number))
                    }
                    _ => None,
                })
            }
            Target::Wall(_) => None,
        });
        reason + &gone.unwrap_or_default()
    }

    fn wants_advance(&self, id: UnitId) -> bool {
        self.standing_of(id).and_then(|s| s.advance).unwrap_or(false)
    }

    /// Units without an order fire at the nearest enemy they can hit, joining the
    /// attack with the most factors (ruling `standing-fire`), unless told to hold.
    fn standing_fire(
        &self,
        army: Army,
        ordered: &BTreeSet<UnitId>,
        out: &mut Allocation,
    ) -> BTreeMap<Id, Vec<String>> {
        let position = self.position();
        let targets = position.targets_of(army);
        let mut told: BTreeMap<Id, Vec<String>> = BTreeMap::new();
        for id in self.data.ids() {
            let unit = self.data.unit(id);
            if unit.army != army || ordered.contains(&id) || position.can_fire(id).is_err() {
                continue;
            }
            let policy = self.standing_of(id).and_then(|s| s.fire.clone());
            let hold = policy.map_or(self.data.rulings.standing_hold, |p| p == "hold");
            if hold {
                continue;
            }
            let Some(from) = self.state.hex(id) else { continue };
            let near = position.fire_reach(id);
            let best = targets
                .iter()
                .filter(|t| match t {
                    Target::Units(hex) => from.distance(*hex) <= near,
                    Target::Fort(hex) => {
                        unit.weapon == Weapon::Artillery && from.distance(*hex) <= near
                    }
                    Target::Wall(_) => false,
                })
                .filter_map(|t| Some((*t, position.shot(id, *t).ok()?)))
                .min_by_key(|(t, shot)| {
                    let joined = out.factors(*t);
                    (matches!(t, Target::Fort(_)), shot.range, u32::MAX - joined, *t)
                });
            if let Some((target, shot)) = best {
                if let Some(owner) = self.state.owner(self.data, id) {
                    told.entry(owner.clone()).or_default().push(format!("{} at {target}", unit.id));
                }
                if self.wants_advance(id) {
                    out.advancing.insert(id);
                }
                out.add(target, shot);
            }
        }
        told
    }

    fn attack(
        &mut self,
        army: Army,
        kind: FightKind,
        target: Target,
        shots: &[Shot],
        advancing: &BTreeSet<UnitId>,
    ) -> Result<(), DiceError> {
        if let Target::Units(hex) = target
            && self.position().body(army.enemy(), hex).is_empty()
        {
            // A breach or a fort's fall took the last of them in this subphase.
            let units = shots.iter().map(|s| self.name(s.unit)).collect();
            self.emit(Event::Wasted { units, target: target.to_string() });
            return Ok(());
        }
        for rule in ["6.1.A", "6.1.C", "6.1.D", "6.1.E", "6.1.F", "6.2.C"] {
            cite(rule);
        }
        let step = if kind == FightKind::Defence { "defence" } else { "offence" };
        let label = format!("{}/{step}/{}", self.label(), target.label());
        let words = if kind == FightKind::Defence { "defensive" } else { "offensive" };
        self.fights += 1;
        let number = self.fights;
        let cause = format!("{words} fire at {target} (fight {number})");
        let position = self.position();
        let modifiers = position.fire_modifiers(army, target, shots);
        let target_words = position.target_words(army, target);
        let parts: Vec<FightPart> = shots.iter().map(|s| self.fire_part(s)).collect();
        let factors: u32 = shots.iter().map(|s| s.factors).sum();
        let (row, _) = self.data.charts.row(factors);
        let die = self.dice.d10(&label)?;
        let total = i32::try_from(die).unwrap_or(0) + modifiers.iter().map(|m| m.drm).sum::<i32>();
        let cell = self.data.charts.result(factors, total);
        let mut rolled = Rolled {
            label: label.clone(),
            parts,
            factors,
            row,
            die,
            modifiers,
            total,
            result: cell_text(cell),
            lost: Vec::new(),
            disrupted: Vec::new(),
            chosen: String::new(),
        };
        let outcome = self.effect(army, target, cell, &label)?;
        rolled.lost = outcome.lost.iter().map(|id| self.name(*id)).collect();
        rolled.disrupted = outcome.disrupted.iter().map(|id| self.name(*id)).collect();
        rolled.chosen = outcome.chosen;
        let hex = match target {
            Target::Units(hex) | Target::Fort(hex) => Some(hex),
            Target::Wall(_) => None,
        };
        let left = hex.map_or(Vec::new(), |hex| {
            let gone = &outcome.lost;
            let all = self.position().defenders_and_boats(army, hex);
            all.into_iter().filter(|id| !gone.contains(id)).map(|id| self.name(id)).collect()
        });
        let mut rules = vec![if kind == FightKind::Defence { "6.7.A" } else { "6.8.1" }.to_owned()];
        rules.push(outcome.rule.to_owned());
        self.emit(Event::Fight(Box::new(Fight {
            number,
            kind,
            attacker: army,
            target: target.to_string(),
            target_words,
            attack: rolled,
            defence: None,
            effect: outcome.words,
            left,
            rules,
        })));
        if let Some(side) = outcome.breached {
            self.emit(Event::Breached { side, rule: cite("6.6.3.C").to_string() });
        }
        for id in outcome.lost {
            self.eliminate(id, &cause, outcome.rule);
        }
        for id in outcome.disrupted {
            self.disrupt(id, &cause);
        }
        if kind == FightKind::Defence {
            cite("6.7.B");
        } else if let Target::Units(hex) = target {
            let shooters: Vec<UnitId> = shots.iter().map(|s| s.unit).collect();
            self.advance_after_fire(army, hex, &shooters, advancing);
        }
        Ok(())
    }

    fn fire_part(&self, shot: &Shot) -> FightPart {
        let unit = self.data.unit(shot.unit);
        let mut rules = Vec::new();
        if self.data.scenario.range_table.is_some_and(|army| army != unit.army) {
            rules.push(cite("9.3.4.C").to_string());
        }
        if unit.kind == super::super::data::Kind::Fort {
            cite("6.5.4.A");
            cite("9.3.4.D");
        }
        cite(match (unit.army, unit.weapon) {
            (Army::Dervish, Weapon::Artillery) => "2.3.1.A",
            (Army::Dervish, Weapon::Rifles) => "2.3.1.B",
            (Army::Dervish, _) => "2.3.1.C",
            (_, Weapon::Rifles) => "2.3.2.A",
            (_, _) => "2.3.2.B",
        });
        FightPart {
            unit: unit.id.clone(),
            from: shot.from,
            printed: unit.fire,
            range: shot.range,
            multiplier: shot.multiplier.text(),
            factors: shot.factors,
            rules,
        }
    }

    fn effect(
        &mut self,
        army: Army,
        target: Target,
        cell: Cell,
        label: &str,
    ) -> Result<Effect, DiceError> {
        let enemy = army.enemy();
        let needed = self.data.charts.needed;
        let losses = match cell {
            Cell::Eliminate(n) => n,
            _ => 0,
        };
        let mut out = Effect { rule: "6.2.D", ..Effect::default() };
        match target {
            Target::Units(hex) => {
                let position = self.position();
                if let Some(boat) = position.gunboat(hex) {
                    out.rule = "6.6.1";
                    cite(out.rule);
                    if losses >= needed.gunboat {
                        out.words = format!("the gunboat is sunk ({} needed)", needed.gunboat);
                        out.lost = vec![boat];
                    } else {
                        out.words = format!("a miss: {} needed", needed.gunboat);
                    }
                    return Ok(out);
                }
                let body = position.body(enemy, hex);
                let fresh: Vec<UnitId> =
                    body.iter().copied().filter(|id| !self.state.disrupted(*id)).collect();
                match cell {
                    Cell::Nothing => "no effect".clone_into(&mut out.words),
                    Cell::Disrupt => {
                        let half = body.len().div_ceil(2);
                        let (picked, how) = self.pick(&fresh, half, &format!("{label}/losses"))?;
                        (out.disrupted, out.chosen) = (picked, how);
                    }
                    Cell::Eliminate(n) => {
                        let (picked, how) =
                            self.pick(&body, n as usize, &format!("{label}/losses"))?;
                        (out.lost, out.chosen) = (picked, how);
                    }
                }
            }
            Target::Fort(hex) => {
                out.rule = "6.6.2.A";
                cite(out.rule);
                let position = self.position();
                let fort = position.fort(hex);
                let body = position.body(enemy, hex);
                if let (Some(fort), true) = (fort, losses >= needed.fort) {
                    out.words = format!("the fort is destroyed ({} needed)", needed.fort);
                    let (with, how) = self.pick(&body, 1, &format!("{label}/losses"))?;
                    if !with.is_empty() {
                        cite("6.6.2.B");
                    }
                    out.lost = vec![fort];
                    out.lost.extend(with);
                    out.chosen = how;
                } else {
                    out.words = format!("a miss: {} needed", needed.fort);
                }
            }
            Target::Wall(side) => {
                out.rule = "6.6.3.A";
                cite(out.rule);
                if losses >= needed.wall {
                    out.words = format!("the wall is BREACHED ({} needed)", needed.wall);
                    let position = self.position();
                    let (a, b) = side.hexes();
                    let beside: Vec<UnitId> = [Some(a), b]
                        .into_iter()
                        .flatten()
                        .filter(|h| self.data.board.has(*h))
                        .flat_map(|h| position.body(enemy, h))
                        .filter(|id| !self.data.unit(*id).kind.is_gunboat())
                        .collect();
                    let (with, how) = self.pick(&beside, 1, &format!("{label}/losses"))?;
                    if !with.is_empty() {
                        out.rule = "6.6.3.D";
                    }
                    out.breached = Some(side);
                    (out.lost, out.chosen) = (with, how);
                } else {
                    out.words = format!("a miss: {} needed", needed.wall);
                }
            }
        }
        Ok(out)
    }

    /// 6.8.2: units that took part, stood next to the vacated hex and were told to.
    fn advance_after_fire(
        &mut self,
        army: Army,
        hex: Hex,
        shooters: &[UnitId],
        advancing: &BTreeSet<UnitId>,
    ) {
        let position = self.position();
        if !position.body(army.enemy(), hex).is_empty() {
            return;
        }
        for id in shooters.iter().filter(|id| advancing.contains(id)) {
            let Some(from) = self.state.hex(*id) else { continue };
            if from.distance(hex) != 1 || self.position().may_advance(*id, hex).is_err() {
                continue;
            }
            cite("6.8.2.B");
            self.emit(Event::Advanced {
                unit: self.name(*id),
                from,
                to: hex,
                compulsory: false,
                rule: cite("6.8.2.A").to_string(),
            });
            if army == Army::Dervish && hex == self.data.scenario.gordon.1 {
                self.enters_gordons_hex(*id);
            }
        }
    }
}

/// What a roll did.
#[derive(Debug, Default)]
struct Effect {
    lost: Vec<UnitId>,
    disrupted: Vec<UnitId>,
    breached: Option<Side>,
    chosen: String,
    words: String,
    rule: &'static str,
}

/// A cell of the chart as it is printed.
pub(in super::super) fn cell_text(cell: Cell) -> String {
    match cell {
        Cell::Nothing => "-".to_owned(),
        Cell::Disrupt => "D".to_owned(),
        Cell::Eliminate(n) => n.to_string(),
    }
}
