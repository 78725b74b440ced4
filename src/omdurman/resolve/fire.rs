//! Fire (6.7, 6.8): all fire of a side is allocated before any is resolved
//! (6.4.1.B); then attack by attack, with its advance.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::cite::cite;
use super::super::data::{Army, Kind, UnitId, Weapon};
use super::super::events::{Event, Fight, FightKind, Impact, Part as FightPart};
use super::super::fire::{Shot, Target};
use super::super::position::Position;
use super::super::words::runs;
use super::{Kept, Turn};

/// What fires without an order: by player and target.
pub(super) type Defaults = BTreeMap<Id, BTreeMap<Target, Vec<String>>>;

/// The attacks of a subphase by target, and who advances.
#[derive(Clone, Debug, Default)]
pub(super) struct Allocation {
    /// In the order in which the targets were first named (6.4.1.C): files by player,
    /// then line; what the standing orders add comes last.
    pub(super) attacks: Vec<(Target, Vec<Shot>)>,
    pub(super) advancing: BTreeSet<UnitId>,
}

impl Allocation {
    pub(super) fn add(&mut self, target: Target, shot: Shot) {
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
        let allocation = match self.foreseen.take() {
            Some(foreseen) => foreseen.0.get_or_init(|| self.allocate(army, kind)).clone(),
            None => self.allocate(army, kind),
        };
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
            let advancing = &allocation.advancing;
            self.attack(army, kind, target, &shots, advancing, Vec::new())?;
        }
        Ok(())
    }

    fn allocate(&mut self, army: Army, kind: FightKind) -> Allocation {
        let mut out = Allocation::default();
        let mut ordered: BTreeSet<(UnitId, Weapon)> = BTreeSet::new();
        let mut failures: Vec<(Id, usize, String, Vec<Kept>)> = Vec::new();
        let mut done: Vec<(Id, bool)> = Vec::new();
        let position = self.position();
        for part in self.army_parts(army) {
            if !part.plan.holds.is_empty() {
                cite("6.1.B");
            }
            for id in &part.plan.holds {
                ordered.extend(self.data.unit(*id).arms().map(|(weapon, _)| (*id, weapon)));
            }
            for order in &part.plan.fires {
                let (line, order) = (order.line(), order.get());
                let mut fired = false;
                let mut kept = Vec::new();
                for id in &order.units {
                    let mut barred = Vec::new();
                    let mut shots = Vec::new();
                    let carried = self.data.unit(*id).arms();
                    for (weapon, _) in carried.filter(|(w, _)| order.weapon.is_none_or(|o| o == *w))
                    {
                        ordered.insert((*id, weapon));
                        shots.extend(order.at.iter().find_map(|target| {
                            match position.shot_with(*id, weapon, *target) {
                                Ok(shot) => Some((*target, shot)),
                                Err(violation) => {
                                    if !barred.contains(&violation) {
                                        barred.push(violation);
                                    }
                                    None
                                }
                            }
                        }));
                    }
                    if shots.is_empty() {
                        let mut why = self.kept(*id, &barred);
                        if !self.fates.contains_key(id) {
                            why.reason = self.with_cause(why.reason, &order.at);
                        }
                        kept.push(why);
                        continue;
                    }
                    fired = true;
                    if order.advance.unwrap_or_else(|| self.wants_advance(*id)) {
                        out.advancing.insert(*id);
                    }
                    for (target, shot) in shots {
                        out.add(target, shot);
                    }
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
        self.tell_fire(done, failures, "fire");
        let word = if kind == FightKind::Defence { "defensive" } else { "offensive" };
        self.tell_defaults(defaults, &format!("{word} fire"));
        out
    }

    /// Counts the orders that fired and tells of those that did not.
    pub(super) fn tell_fire(
        &mut self,
        done: Vec<(Id, bool)>,
        failures: Vec<(Id, usize, String, Vec<Kept>)>,
        verb: &str,
    ) {
        for (player, fired) in done {
            // In the brisk window a hold counts once, with the fire of its side.
            let tally = self.tally(&player);
            if fired { tally.done += 1 } else { tally.failed += 1 }
        }
        for (player, line, goals, kept) in failures {
            self.fail_units(&player, line, verb, &format!(" at {goals}"), kept);
        }
    }

    /// Tells what fired by the standing policy, target by target.
    pub(super) fn tell_defaults(&mut self, defaults: Defaults, what: &str) {
        if !self.told {
            return;
        }
        for (player, targets) in defaults {
            let list: Vec<String> = targets
                .iter()
                .map(|(target, weapons)| format!("{} at {target}", runs(weapons).join(", ")))
                .collect();
            let text =
                format!("{what} without an order, by the standing policy: {}", list.join("; "));
            self.tally(&player).defaulted.push(text);
        }
    }

    /// Adds what happened to a target, where that is why it cannot be hit.
    pub(super) fn with_cause(&self, reason: String, targets: &[Target]) -> String {
        if !self.told {
            return reason;
        }
        let gone = targets.iter().find_map(|t| match t {
            Target::Units(hex) | Target::Fort(hex) => {
                self.events.iter().rev().find_map(|e| match e {
                    Event::Fight(f) if f.target == hex.to_string() && f.left.is_empty() => {
                        Some(format!(" (emptied in fight {})", f.number))
                    }
                    _ => None,
                })
            }
            Target::Wall(_) | Target::Chain(_) => None,
        });
        reason + &gone.unwrap_or_default()
    }

    pub(super) fn wants_advance(&self, id: UnitId) -> bool {
        self.standing_of(id).and_then(|s| s.advance).unwrap_or(false)
    }

    /// Weapons without an order fire at the nearest enemy they can hit, joining the
    /// attack with the most factors (ruling `standing-fire`), unless told to hold.
    fn standing_fire(
        &self,
        army: Army,
        ordered: &BTreeSet<(UnitId, Weapon)>,
        out: &mut Allocation,
    ) -> Defaults {
        let position = self.position();
        let targets = position.targets_of(army);
        let mut told = Defaults::new();
        for id in self.data.ids() {
            let unit = self.data.unit(id);
            if unit.army != army || position.can_fire(id).is_err() || self.holds(id) {
                continue;
            }
            for (weapon, _) in unit.arms().filter(|(w, _)| !ordered.contains(&(id, *w))) {
                let Some((target, shot)) = self.nearest(&position, id, weapon, &targets, out)
                else {
                    continue;
                };
                if let Some(owner) = self.state.owner(self.data, id) {
                    let arm = if unit.arms().count() > 1 {
                        format!(" ({})", weapon.name())
                    } else {
                        String::new()
                    };
                    let words = format!("{}{arm}", unit.id);
                    told.entry(owner.clone()).or_default().entry(target).or_default().push(words);
                }
                if self.wants_advance(id) {
                    out.advancing.insert(id);
                }
                out.add(target, shot);
            }
        }
        told
    }

    /// True for a unit that holds its fire when no order says otherwise.
    pub(super) fn holds(&self, id: UnitId) -> bool {
        let policy = self.standing_of(id).and_then(|s| s.fire.clone());
        policy.map_or(self.data.rulings.standing_hold, |p| p == "hold")
    }

    /// The nearest target of a weapon; of those as near, the one with the most factors
    /// on it already; forts only where nothing else is in reach.
    pub(super) fn nearest(
        &self,
        position: &Position<'_>,
        id: UnitId,
        weapon: Weapon,
        targets: &[Target],
        out: &Allocation,
    ) -> Option<(Target, Shot)> {
        let from = self.state.hex(id)?;
        let near = position.weapon_reach(id, weapon);
        let mut order: Vec<(bool, u32, u32, Target)> = targets
            .iter()
            .filter_map(|t| {
                let (fort, hex) = match t {
                    Target::Units(hex) => (false, *hex),
                    Target::Fort(hex) if weapon == Weapon::Artillery => (true, *hex),
                    _ => return None,
                };
                let range = from.distance(hex);
                (range <= near).then(|| (fort, range, u32::MAX - out.factors(*t), *t))
            })
            .collect();
        // Sight is the dear part: the first in this order that can be hit.
        order.sort_unstable();
        order.into_iter().find_map(|(_, _, _, t)| {
            let clear = t.hex().is_some_and(|hex| position.blocked(from, hex, None).is_empty());
            if clear { Some((t, position.shot_with(id, weapon, t).ok()?)) } else { None }
        })
    }

    pub(super) fn attack(
        &mut self,
        army: Army,
        kind: FightKind,
        target: Target,
        shots: &[Shot],
        advancing: &BTreeSet<UnitId>,
        impacts: Vec<Impact>,
    ) -> Result<(), DiceError> {
        if self.nothing_there(army, target) {
            // A breach or a fort's fall took the last of them in this subphase.
            let units = shots.iter().map(|s| self.name(s.unit)).collect();
            self.emit(Event::Wasted { units, target: target.to_string() });
            return Ok(());
        }
        for rule in ["6.1.A", "6.1.C", "6.1.D", "6.1.E", "6.1.F", "6.2.C"] {
            cite(rule);
        }
        let (step, words) = match kind {
            FightKind::Defence => ("defence", "defensive"),
            FightKind::Second => ("second", "second"),
            _ => ("offence", "offensive"),
        };
        let label = format!("{}/{step}/{}", self.label(), target.label());
        self.fights += 1;
        let number = self.fights;
        let cause = format!("{words} fire at {target} (fight {number})");
        let position = self.position();
        let modifiers = position.fire_modifiers(army, target, shots);
        let target_words = position.target_words(army, target);
        let parts: Vec<FightPart> = shots.iter().map(|s| self.fire_part(s)).collect();
        let (mut rolled, cell) = self.throw(label.clone(), parts, modifiers)?;
        let outcome = self.effect(army.enemy(), target, cell, &label)?;
        self.note(&mut rolled, &outcome);
        let left = target.hex().map_or(Vec::new(), |hex| {
            let gone = &outcome.lost;
            let all = self.position().defenders_and_boats(army, hex);
            all.into_iter().filter(|id| !gone.contains(id)).map(|id| self.name(id)).collect()
        });
        let mut rules = vec![rule_of(kind).to_owned()];
        rules.push(outcome.rule.to_owned());
        self.emit(Event::Fight(Box::new(Fight {
            number,
            kind,
            attacker: army,
            target: target.to_string(),
            target_words,
            impacts,
            attack: rolled,
            defence: None,
            effect: outcome.words.clone(),
            left,
            rules,
        })));
        self.take_effect(outcome, &cause);
        if army != self.state.moving {
            cite("6.7.B");
        } else if let Target::Units(hex) = target {
            let shooters: Vec<UnitId> = shots.iter().map(|s| s.unit).collect();
            self.advance_after_fire(army, hex, &shooters, advancing);
        }
        Ok(())
    }

    /// A breach, a fort's fall or earlier fire took the last of them.
    fn nothing_there(&self, army: Army, target: Target) -> bool {
        let position = self.position();
        match target {
            Target::Units(hex) => !position.has_body(army.enemy(), hex),
            Target::Fort(hex) => position.fort(hex).is_none(),
            Target::Wall(side) => !position.wall(side),
            Target::Chain(_) => self.state.river.chain_sunk,
        }
    }

    pub(super) fn fire_part(&self, shot: &Shot) -> FightPart {
        let unit = self.data.unit(shot.unit);
        let mut rules = Vec::new();
        if self.data.scenario.range_table.is_some_and(|army| army != unit.army) {
            rules.push(cite("9.3.4.C").to_string());
        }
        if unit.kind == Kind::Fort {
            cite("6.5.4.A");
            if self.data.scenario.gordon.is_some() {
                cite("9.3.4.D");
            }
        }
        if unit.friendlies && self.data.scenario.range_table.is_none() {
            rules.push(cite("6.5.2.A").to_string());
        }
        cite(match (unit.army, shot.weapon) {
            (Army::Dervish, Weapon::Artillery) => "2.3.1.A",
            (Army::Dervish, Weapon::Rifles) => "2.3.1.B",
            (Army::Dervish, _) => "2.3.1.C",
            (_, Weapon::Rifles) => "2.3.2.A",
            (_, _) if unit.kind == Kind::NamedGunboat => "2.3.2.C",
            (_, _) => "2.3.2.B",
        });
        let weapon = if unit.arms().count() > 1 { shot.weapon.name() } else { "" };
        FightPart {
            unit: unit.id.clone(),
            from: shot.from,
            weapon: weapon.to_owned(),
            printed: shot.printed,
            range: shot.range,
            multiplier: shot.multiplier.text(),
            factors: shot.factors,
            rules,
        }
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
        if position.has_body(army.enemy(), hex) {
            return;
        }
        let mut gone: BTreeSet<UnitId> = BTreeSet::new();
        for id in shooters.iter().filter(|id| advancing.contains(id)) {
            if !gone.insert(*id) {
                continue;
            }
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
            self.catches(*id, hex);
        }
    }
}

/// The rule by which a kind of fire is fired.
pub(super) fn rule_of(kind: FightKind) -> &'static str {
    match kind {
        FightKind::Defence => "6.7.A",
        FightKind::Offence => "6.8.1",
        FightKind::Second => "6.4.2.B",
        FightKind::Howitzer => "6.6.4.B",
        FightKind::Melee => "7.7.A",
    }
}
