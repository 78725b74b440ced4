//! Steps 2 and 5: units and markers move (R9 to R12, R16 to R19, R31).

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::plane::Point;

use super::super::check::{Act, Condition as When, Legal, MoveOrder, Who, forms, lawful};
use super::super::cite;
use super::super::data::Army;
use super::super::events::{Event, Lay};
use super::super::manoeuvre::{March, Step};
use super::super::state::{Condition, Order, Presence};
use super::super::table::Table;
use super::Turn;

impl Turn<'_> {
    /// True where a condition of an order holds for a unit now.
    pub(super) fn holds(&self, when: &When, unit: &str) -> bool {
        let Some(index) = self.state.units.iter().position(|u| u.id == unit) else { return false };
        let table = self.table();
        let u = &self.state.units[index];
        let gap = match u.presence {
            Presence::Table => table.unit_gap(index),
            _ => table.nearest_of(u.army().enemy(), u.anchor).map(|(d, _)| d),
        };
        match when {
            When::EnemyWithin(n) => gap.is_some_and(|g| g <= *n),
            When::NoEnemyWithin(n) => gap.is_none_or(|g| g > *n),
            When::InContact => table.engaged(index),
            When::UnderFire => self.under_fire(u),
            When::Has(Order::Move) => matches!(u.order, Order::Move | Order::Withdraw),
            When::Has(order) => u.order == *order,
        }
    }

    /// The orders of a unit in this phase, in the order of the files, whose condition
    /// holds: the first is carried out.
    pub(super) fn order_for(&self, who: &Who) -> Option<(Id, Legal<MoveOrder>)> {
        let unit = match who {
            Who::Unit(id) => Some(id.as_str()),
            Who::Marker(_) => None,
        };
        self.parts.iter().find_map(|part| {
            part.plan
                .moves
                .iter()
                .find(|m| {
                    m.get().who == *who
                        && m.get()
                            .only_if
                            .as_ref()
                            .is_none_or(|w| unit.is_some_and(|u| self.holds(w, u)))
                })
                .map(|m| (part.player.clone(), m.clone()))
        })
    }

    /// Every order that no condition let through is told as such.
    fn tell_unmet(&mut self, army: Army) {
        let parts = self.parts;
        for part in parts {
            if self.state.army(&part.player).is_some_and(|a| a != army) {
                continue;
            }
            for legal in &part.plan.moves {
                let who = legal.get().who.clone();
                let taken = self.order_for(&who);
                if taken.is_some_and(|(player, m)| player == part.player && m == *legal) {
                    continue;
                }
                let reason = if self.order_for(&who).is_some() {
                    "another order of it, whose condition held, came first"
                } else {
                    "its condition does not hold"
                };
                let words = legal.get().words(self.data);
                self.unmet(&part.player, legal, words, reason, "R11");
            }
        }
    }

    pub(super) fn mahdists_move(&mut self) -> Result<(), DiceError> {
        self.recover(Army::Mahdist);
        self.reveal_by_wish();
        self.storm_veers()?;
        self.tell_unmet(Army::Mahdist);
        for id in self.in_order(Army::Mahdist) {
            match &id {
                Who::Unit(unit) => self.unit_moves(&unit.clone(), true),
                Who::Marker(marker) => self.marker_moves(&marker.clone()),
            }
            if let Some(marker) = self.marker_of(&id) {
                self.collide(&marker);
            }
            self.look("it came within sight");
        }
        self.veil();
        self.flip_near();
        Ok(())
    }

    /// The marker that moves where this one does.
    fn marker_of(&self, who: &Who) -> Option<String> {
        match who {
            Who::Marker(id) => Some(id.clone()),
            Who::Unit(id) => match &self.state.unit(id)?.presence {
                Presence::Marker(id) => Some(id.clone()),
                _ => None,
            },
        }
    }

    /// Units and markers of an army in the order in which they move: as the files name
    /// them, then by id.
    fn in_order(&self, army: Army) -> Vec<Who> {
        let mut out: Vec<Who> = Vec::new();
        for part in self.parts {
            for legal in &part.plan.moves {
                if !out.contains(&legal.get().who) {
                    out.push(legal.get().who.clone());
                }
            }
        }
        let units =
            self.state.units.iter().filter(|u| u.strength() > 0).map(|u| Who::Unit(u.id.clone()));
        let markers = self.state.markers.iter().map(|m| Who::Marker(m.id.clone()));
        for who in units.chain(markers) {
            if !out.contains(&who) {
                out.push(who);
            }
        }
        out.retain(|who| match who {
            Who::Unit(id) => self.state.unit(id).is_some_and(|u| u.army() == army),
            Who::Marker(_) => army == Army::Mahdist,
        });
        out
    }

    /// Bases that were suppressed turn to the front again (R29).
    fn recover(&mut self, army: Army) {
        let mut out = Vec::new();
        for unit in self.state.units.iter().filter(|u| u.army() == army && u.on_table()) {
            for (n, base) in unit.standing() {
                if base.condition == Condition::Suppressed {
                    out.push((unit.base_id(n), unit.facing));
                }
            }
        }
        for (base, facing) in out {
            cite("R29");
            self.emit(Event::Recovered { base, facing });
        }
    }

    /// The suppressed bases of a unit that recovered in this phase so far.
    pub(super) fn recovered_now(&self, unit: &str) -> bool {
        self.events.iter().any(|e| {
            matches!(e, Event::Recovered { base, .. }
                if base.rsplit_once('-').is_some_and(|(u, _)| u == unit))
        })
    }

    /// Step 5: those who fire first, then everybody moves, then the others fire.
    pub(super) fn regulars_act(&mut self) -> Result<(), DiceError> {
        self.recover(Army::AngloEgyptian);
        self.tell_unmet(Army::AngloEgyptian);
        let order = self.in_order(Army::AngloEgyptian);
        let acts: Vec<(String, Act)> = order
            .iter()
            .filter_map(|who| match who {
                Who::Unit(id) => Some((id.clone(), self.act_of(id))),
                Who::Marker(_) => None,
            })
            .collect();
        for (id, act) in &acts {
            if matches!(act, Act::FireThenMove | Act::Fire) {
                self.unit_fires(id, 5)?;
            }
        }
        for (id, act) in &acts {
            if *act == Act::Fire {
                if let Some((player, _)) = self.order_for(&Who::Unit(id.clone())) {
                    self.done(&player);
                }
                self.rejoin(id);
            } else {
                self.unit_moves(id, true);
                self.look("regulars came near");
            }
        }
        self.flip_near();
        for (id, act) in &acts {
            if *act == Act::MoveThenFire {
                self.unit_fires(id, 5)?;
            }
        }
        Ok(())
    }

    /// One unit's move: what was ordered, then what its order demands of it.
    fn unit_moves(&mut self, id: &str, whole: bool) {
        let ordered = self.order_for(&Who::Unit(id.to_owned())).filter(|_| whole);
        let mut steps = ordered.as_ref().map(|(_, m)| m.get().steps.clone()).unwrap_or_default();
        let words = ordered.as_ref().map_or(String::new(), |(_, m)| m.get().words(self.data));
        let Some(unit) = self.state.unit(id).cloned() else { return };
        let mut told = ordered.is_none();
        if let Some((_, legal)) = &ordered
            && let Err((why, rule)) = lawful(self.data, &unit, &steps)
        {
            let (player, _) = ordered.clone().unwrap_or_else(|| unreachable!("it was ordered"));
            let legal = legal.clone();
            self.failed(&player, &legal, words.clone(), why, rule);
            steps.clear();
            told = true;
        }
        if forms(&steps) && self.fired(id) {
            if let Some((player, legal)) = &ordered {
                let why = "it fired in this turn: who changes formation does not fire";
                self.failed(player, legal, words.clone(), why, cite("R23").0);
            }
            steps.clear();
            told = true;
        }
        if let Some((player, legal)) = &ordered
            && !told
            && self.shirks(id, &steps)
        {
            let why = "ATTACK goes on: it would come no nearer to the enemy, and closes instead";
            self.failed(player, legal, words.clone(), why, cite("R10").0);
            steps.clear();
            told = true;
        }
        match unit.order {
            Order::Hold => cite("R9"),
            Order::Attack => cite("R10"),
            _ => cite("R11"),
        };
        if unit.order == Order::Attack && !steps.contains(&Step::Close) {
            steps.push(Step::Close);
        }
        if unit.troop == super::super::data::Troop::MahdistArtillery || unit.strength() == 0 {
            return;
        }
        let under = self.marker_of(&Who::Unit(id.to_owned()));
        let halted = under.and_then(|m| self.state.marker(&m)).is_some_and(|m| m.halted);
        if unit.halted || halted || self.state.storm.is_some() && unit.army() == Army::AngloEgyptian
        {
            if let Some((player, legal)) = &ordered
                && !told
            {
                let why = match unit.army() {
                    Army::AngloEgyptian => "only Mahdists move in the storm",
                    Army::Mahdist => "it halts until the storm is over",
                };
                self.failed(player, legal, words, why, cite("R31").0);
            }
            return;
        }
        self.reveal_to_charge(id, &steps);
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return };
        if self.table().engaged(index) {
            self.rejoin(id);
            if let Some((player, legal)) = &ordered
                && !told
            {
                self.failed(player, legal, words, "it is in contact with the enemy", cite("R23").0);
            }
            return;
        }
        // After a stop to look through a marker the move goes on where it was.
        let (mut spent, mut rate, mut bent, mut first) = (0, 0, (0, 0), true);
        while let Some(index) = self.state.units.iter().position(|u| u.id == id) {
            let state = self.state.clone();
            let table = Table::new(self.data, &state);
            let mut march = March::new(&table, index);
            if !first {
                march = march.resumed(spent, rate, bent);
            }
            self.slowed(&mut march);
            let mut done = 0;
            if !first || march.regain(self.recovered_now(id)) {
                done = march.run(&steps);
            }
            first = false;
            self.lay_down(id, &march);
            let halt = march.halt.clone();
            if let Some(marker) = halt.as_ref().and_then(|h| h.marker.clone()) {
                self.reveal(&marker, "regulars came near");
                spent = march.spent;
                rate = march.rate;
                bent = march.bent;
                let rest = done.min(steps.len());
                // The step that was broken off is taken up again, less what is done.
                let broken = rest.saturating_sub(1);
                steps = resume(&steps[broken.min(steps.len())..], &march);
                let was = state.units[index].order;
                let flipped =
                    self.near_now(id) || self.state.unit(id).is_some_and(|u| u.order != was);
                if flipped || steps.is_empty() || march.left() == 0 {
                    break;
                }
                continue;
            }
            if halt.as_ref().is_some_and(|h| h.holds) {
                self.flip(id, "within 12 inches of an enemy");
            }
            if let Some((player, legal)) = &ordered
                && !told
            {
                told = true;
                match &halt {
                    Some(h) if march.met.is_none() || march.spoilt => {
                        self.failed(player, legal, words.clone(), h.why.clone(), h.rule);
                    }
                    _ => self.done(player),
                }
            }
            break;
        }
        if let Some((player, _)) = &ordered
            && !told
        {
            self.done(player);
        }
    }

    /// Records where a unit lies after a march, if it did anything.
    pub(super) fn lay_down(&mut self, id: &str, march: &March<'_>) {
        let Some(before) = self.state.unit(id) else { return };
        // Where nothing moves, its front stays where it was taken to be.
        let changed = before.facing != march.unit.facing
            || before.formation != march.unit.formation
            || before.dismounted != march.unit.dismounted
            || before.bases != march.unit.bases;
        if !changed {
            // Who must go on and cannot says why.
            if let Some(halt) = march.halt.as_ref().filter(|h| h.marker.is_none())
                && before.order == Order::Attack
                && march.met.is_none()
            {
                let (unit, why) = (id.to_owned(), halt.why.clone());
                let rule = halt.rule.to_owned();
                self.emit(Event::Stays { unit, why, rule });
            }
            return;
        }
        let bases = march
            .unit
            .standing()
            .filter(|(_, b)| b.condition == Condition::Sound)
            .map(|(n, b)| (n, b.pose()))
            .collect();
        let lay = Lay {
            anchor: march.unit.anchor,
            facing: march.unit.facing,
            formation: march.unit.formation,
            dismounted: march.unit.dismounted,
            trail: march.unit.trail.clone(),
            bases,
        };
        let why = march.halt.as_ref().map_or(String::new(), |h| h.why.clone());
        let presence = before.presence.clone();
        let to = lay.anchor;
        self.emit(Event::Moved {
            unit: id.to_owned(),
            lay,
            way: march.way.clone(),
            spent: march.spent,
            rate: march.rate,
            why,
            formed: march.formed,
        });
        if let Presence::Marker(marker) = presence {
            self.marker_goes(&marker, to);
        }
    }

    /// A marker goes somewhere: how far is what anybody can measure, from where it was to
    /// where it is; the way and the price of it would tell what is behind it (R20, ruling
    /// `marker-moves`).
    pub(super) fn marker_goes(&mut self, id: &str, to: Point) {
        let Some(from) = self.state.marker(id).map(|m| m.at).filter(|from| *from != to) else {
            return;
        };
        let marker = id.to_owned();
        // Moves go by tenths of an inch; places are rounded to hundredths.
        let spent = (from.distance(to) + 5) / 10 * 10;
        self.emit(Event::MarkerMoved { marker, to, spent });
    }

    /// A unit that charges is seen (ruling `reveal`): one that comes into contact by this
    /// move; who cannot reach anybody goes on under its marker.
    fn reveal_to_charge(&mut self, id: &str, steps: &[Step]) {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return };
        let Presence::Marker(marker) = self.state.units[index].presence.clone() else { return };
        if !steps.iter().any(|s| matches!(s, Step::Charge(_) | Step::Close)) {
            return;
        }
        let meets = {
            let table = self.table();
            let mut march = March::new(&table, index);
            self.slowed(&mut march);
            if march.regain(false) {
                march.run(steps);
            }
            march.met.is_some()
        };
        if meets {
            self.reveal(&marker, "it charges");
        }
    }

    /// A marker that came under fire goes 3 inches in its next move (R22).
    pub(super) fn slowed(&self, march: &mut March<'_>) {
        let Presence::Marker(marker) = &march.unit.presence else { return };
        if self.state.marker(marker).is_some_and(|m| m.under_fire) {
            cite("R22");
            march.rate = march.rate.min(self.data.distances.marker_under_fire);
        }
    }
}

/// The steps still to do when the first of them was broken off on the way.
fn resume(steps: &[Step], march: &March<'_>) -> Vec<Step> {
    let Some((first, rest)) = steps.split_first() else { return Vec::new() };
    let gone = march.gone_in_last_step();
    let first = match first {
        Step::Advance(Some(n)) => Some(Step::Advance(Some(n - gone))).filter(|_| *n > gone),
        Step::Retire(Some(n)) => Some(Step::Retire(Some(n - gone))).filter(|_| *n > gone),
        Step::Wheel(_) | Step::About | Step::Form(_) | Step::Mount(_) | Step::Stand => None,
        other => Some(other.clone()),
    };
    first.into_iter().chain(rest.iter().cloned()).collect()
}
