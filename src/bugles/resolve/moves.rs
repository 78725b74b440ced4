//! Steps 2 and 5: units and markers move (R9 to R12, R16 to R19, R31).

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::plane::{Facing, Point, Pose, overlap, rounded};

use super::super::check::{Act, Condition as When, Legal, MoveOrder, Who, lawful};
use super::super::cite;
use super::super::data::{Arm, Army, Nation};
use super::super::events::{Event, Lay};
use super::super::lay::laid;
use super::super::manoeuvre::{March, Step};
use super::super::state::{Behind, Condition, Order, Presence};
use super::super::table::{Table, size_of};
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
            When::UnderFire => u.under_fire,
            When::Has(order) => u.order == *order,
        }
    }

    /// The orders of a unit in this phase, in the order of the files, whose condition
    /// holds: the first is carried out.
    fn order_for(&self, who: &Who) -> Option<(Id, Legal<MoveOrder>)> {
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
                // Another order of the unit was carried out, or none: both are as ordered.
                self.done(&part.player);
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
            self.look("it came within sight");
        }
        self.flip_near();
        Ok(())
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
    fn recovered_now(&self, unit: &str) -> bool {
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
        self.flip_under_fire();
        for (id, act) in &acts {
            if *act == Act::Fire {
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

    /// What a unit does in step 5 (R7): British troops move and fire, the others move or
    /// fire.
    fn act_of(&self, id: &str) -> Act {
        let order = self.order_for(&Who::Unit(id.to_owned())).map(|(_, m)| m.get().clone());
        let Some(unit) = self.state.unit(id) else { return Act::Fire };
        let british = unit.troop.nation() == Nation::British;
        let moves = order.as_ref().is_some_and(|o| o.steps.iter().any(|s| *s != Step::Stand));
        match order.as_ref().and_then(|o| o.act) {
            Some(act) if british || matches!(act, Act::Move | Act::Fire) => act,
            _ if british => Act::MoveThenFire,
            _ if moves => Act::Move,
            // An ATTACK must get into range before it fires (R10).
            _ if unit.order == Order::Attack && !self.in_range(id) => Act::Move,
            _ => Act::Fire,
        }
    }

    fn in_range(&self, id: &str) -> bool {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return true };
        let table = self.table();
        let reach = March::new(&table, index).reach();
        table.unit_gap(index).is_none_or(|gap| gap <= reach)
    }

    /// One unit's move: what was ordered, then what its order demands of it.
    fn unit_moves(&mut self, id: &str, whole: bool) {
        let ordered = self.order_for(&Who::Unit(id.to_owned())).filter(|_| whole);
        let mut steps = ordered.as_ref().map(|(_, m)| m.get().steps.clone()).unwrap_or_default();
        let words = ordered.as_ref().map_or(String::new(), |(_, m)| m.get().words(self.data));
        let Some(unit) = self.state.unit(id).cloned() else { return };
        if let Some((_, legal)) = &ordered
            && let Err((why, rule)) = lawful(self.data, &unit, &steps)
        {
            let (player, _) = ordered.clone().unwrap_or_else(|| unreachable!("it was ordered"));
            let legal = legal.clone();
            self.failed(&player, &legal, words.clone(), why, rule);
            steps.clear();
        }
        let mut told = steps.is_empty();
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
        if unit.halted || self.state.storm.is_some() && unit.army() == Army::AngloEgyptian {
            if let Some((player, legal)) = &ordered
                && !told
            {
                self.failed(player, legal, words, "nobody moves in the storm", cite("R31").0);
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
        let (mut spent, mut rate, mut first) = (0, 0, true);
        while let Some(index) = self.state.units.iter().position(|u| u.id == id) {
            let state = self.state.clone();
            let table = Table::new(self.data, &state);
            let mut march = March::new(&table, index);
            if !first {
                march = march.resumed(spent, rate);
            }
            let slow = match &state.units[index].presence {
                Presence::Marker(m) => state.marker(m).is_some_and(|m| m.under_fire),
                _ => false,
            };
            if slow {
                cite("R22");
                march.rate = march.rate.min(self.data.distances.marker_under_fire);
            }
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
                    Some(h) if march.met.is_none() => {
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
    fn lay_down(&mut self, id: &str, march: &March<'_>) {
        let Some(before) = self.state.unit(id) else { return };
        let changed = before.anchor != march.unit.anchor
            || before.facing != march.unit.facing
            || before.formation != march.unit.formation
            || before.dismounted != march.unit.dismounted
            || before.bases != march.unit.bases;
        if !changed {
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
            self.emit(Event::MarkerMoved { marker, to, spent: march.spent });
        }
    }

    /// A unit that charges is seen (ruling `reveal`).
    fn reveal_to_charge(&mut self, id: &str, steps: &[Step]) {
        let Some(unit) = self.state.unit(id) else { return };
        let Presence::Marker(marker) = unit.presence.clone() else { return };
        let charges = steps.iter().any(|s| matches!(s, Step::Charge(_)));
        let table = self.table();
        let near = table.nearest_of(Army::AngloEgyptian, unit.anchor).map(|(d, _)| d);
        let troop = self.data.troop(unit.troop);
        let closes = steps.contains(&Step::Close)
            && near.is_some_and(|d| d <= troop.line + 200)
            && unit.formation == super::super::state::Formation::Battle;
        if charges || closes {
            self.reveal(&marker, "it charges");
        }
    }

    /// Bases out of place of a unit in contact go back to it, each on its own way (R19):
    /// beside or behind one that fights.
    pub(super) fn rejoin(&mut self, id: &str) {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return };
        let unit = self.state.units[index].clone();
        if !unit.on_table() || unit.order == Order::Withdraw {
            return;
        }
        if !self.table().engaged(index) {
            let state = self.state.clone();
            let table = Table::new(self.data, &state);
            let mut march = March::new(&table, index);
            march.regain(self.recovered_now(id));
            self.lay_down(id, &march);
            return;
        }
        let size = size_of(self.data, &unit);
        let rate = {
            let state = self.state.clone();
            let table = Table::new(self.data, &state);
            March::new(&table, index).rate
        };
        let numbers: Vec<usize> = unit.standing().map(|(n, _)| n).collect();
        for n in numbers {
            let table = self.table();
            let name = unit.base_id(n);
            let Some(me) = table.body(&name).cloned() else { continue };
            let fights = |b: &super::super::table::Body| !table.enemies_of(b).is_empty();
            let mates: Vec<_> = table.bodies_of(index).filter(|b| b.base != n).cloned().collect();
            let backs = mates.iter().any(|b| {
                fights(b) && {
                    let (right, forward) =
                        self.data.compass.local(b.pose.at, b.pose.facing, me.pose.at);
                    right.abs() <= size.front / 2 && forward < 0 && forward > -size.depth * 3 / 2
                }
            });
            if !me.sound || fights(&me) || backs {
                continue;
            }
            let mut spots: Vec<(bool, i64, Pose)> = Vec::new();
            for mate in mates.iter().filter(|b| fights(b)) {
                for (right, forward) in [(size.front, 0), (-size.front, 0), (0, -size.depth)] {
                    let at =
                        self.data.compass.place(mate.pose.at, mate.pose.facing, right, forward);
                    let pose = Pose { at, facing: mate.pose.facing };
                    let shape = pose.corners(&self.data.compass, size);
                    let free = table.open(&shape)
                        && !table.on_fence(&shape)
                        && !table.bodies.iter().any(|b| {
                            (b.unit, b.base) != (index, n)
                                && overlap(&shape, &b.shape, self.data.slack)
                        });
                    let way = me.pose.at.distance(at);
                    if free && way <= rate && way > 2 * self.data.slack {
                        let body = super::super::table::Body { pose, shape, ..me.clone() };
                        let meets = table
                            .bodies
                            .iter()
                            .any(|e| e.army != me.army && table.in_contact(&body, e));
                        spots.push((!meets, way, pose));
                    }
                }
            }
            spots.sort_unstable();
            if let Some((_, _, pose)) = spots.first() {
                cite("R19");
                let (pose, why) = (*pose, "regains contact with its unit".to_owned());
                self.emit(Event::Pushed { base: name, pose, why });
            }
        }
    }

    /// A marker that is no unit of ours moves from point to point.
    fn marker_moves(&mut self, id: &str) {
        let Some((player, legal)) = self.order_for(&Who::Marker(id.to_owned())) else { return };
        let words = legal.get().words(self.data);
        let Some(marker) = self.state.marker(id).cloned() else {
            self.failed(&player, &legal, words, "it is off the table", "R20");
            return;
        };
        if let Behind::Unit(_) = marker.behind {
            return;
        }
        if marker.halted {
            self.failed(&player, &legal, words, "it halts in the storm", "R31");
            return;
        }
        let distances = &self.data.distances;
        let table = self.table();
        let near = |p: Point| table.nearest_of(Army::AngloEgyptian, p).map_or(i64::MAX, |(d, _)| d);
        // A false marker may bluff at the pace of horses; one that may be real goes on foot.
        let foot = self.data.troop(super::super::data::Troop::MahdistInfantry);
        let (fast, slow) = match marker.behind {
            Behind::Nothing => (distances.marker_bluff, 600),
            _ => (foot.march.unwrap_or(foot.column), foot.column),
        };
        cite("R21");
        let in_storm = self.state.storm.is_some() && near(marker.at) > table.sight();
        let halve = |n: i64| if in_storm { n / 20 * 10 } else { n };
        let cap = if marker.under_fire {
            cite("R22");
            distances.marker_under_fire
        } else {
            i64::MAX
        };
        let (fast, slow) = (halve(fast).min(cap), halve(slow).min(cap));
        let veer = self.events.iter().rev().find_map(|e| match e {
            Event::Veered { who, degrees, .. } if who == id => Some(*degrees),
            _ => None,
        });
        let (mut at, mut spent, mut stopped) = (marker.at, 0, None);
        'way: for step in &legal.get().steps {
            let Step::To(to) = step else { continue };
            let to = &match veer {
                Some(degrees) if degrees != 0 => {
                    // The same way, turned about where the marker is.
                    let v = *to - at;
                    let compass = &self.data.compass;
                    compass.place(at, Facing::default().turned(degrees), v.x, v.y)
                }
                _ => *to,
            };
            let (from, whole) = (at, at.distance(*to));
            let mut gone = 0;
            while gone < whole {
                let tenth = 10.min(whole - gone);
                let v = *to - from;
                let next = Point::new(
                    from.x + rounded(v.x * (gone + tenth), whole),
                    from.y + rounded(v.y * (gone + tenth), whole),
                );
                let limit = if near(next) > distances.march { fast } else { slow };
                if spent + tenth > limit {
                    stopped = Some(("the move is used up", "R17"));
                    break 'way;
                }
                if !self.data.scenario.on_table(next)
                    || self.data.shapes_at(next, |c| c.impassable).is_some()
                {
                    stopped = Some(("an obstacle or the edge is in the way", "R17"));
                    break 'way;
                }
                at = next;
                gone += tenth;
                spent += tenth;
                if near(at) <= table.reveal_distance(at) {
                    break 'way;
                }
            }
        }
        if at != marker.at {
            self.emit(Event::MarkerMoved { marker: id.to_owned(), to: at, spent });
        }
        match stopped {
            Some((why, rule)) => self.failed(&player, &legal, words, why, rule),
            None => self.done(&player),
        }
    }

    /// Storm: whoever is out of sight veers by an average die before he moves (R31).
    fn storm_veers(&mut self) -> Result<(), DiceError> {
        if self.state.storm.is_none() {
            return Ok(());
        }
        cite("R31");
        let sight = self.table().sight();
        // Markers veer too, as what is behind them would; their way turns by so much.
        let far: Vec<String> = {
            let table = self.table();
            let unseen = |at: Point| {
                table.nearest_of(Army::AngloEgyptian, at).is_none_or(|(d, _)| d > sight)
            };
            let there = self.state.markers.iter().filter(|m| !m.halted && unseen(m.at));
            there.map(|m| m.id.clone()).collect()
        };
        for id in far {
            let die = self.dice.roll(&format!("{}/veer/{id}", self.head()), "1d6")?[0];
            let die = self.average(die);
            let degrees = match die {
                2 => -45,
                5 => 45,
                _ => 0,
            };
            self.emit(Event::Veered { who: id.clone(), die, degrees });
            let hidden =
                self.state.units.iter().find(|u| u.presence == Presence::Marker(id.clone()));
            if let Some(unit) = hidden.cloned().filter(|_| degrees != 0) {
                let mut turned = unit.clone();
                turned.facing = unit.facing.turned(degrees);
                turned.trail.clear();
                let lay = laid(self.data, &turned);
                let way = vec![format!("veers {degrees}")];
                self.emit(Event::Moved {
                    unit: unit.id,
                    lay,
                    way,
                    spent: 0,
                    rate: 0,
                    why: String::new(),
                    formed: false,
                });
            }
        }
        let mut who: Vec<(String, Point, Facing)> = Vec::new();
        for unit in
            self.state.units.iter().filter(|u| u.army() == Army::Mahdist && u.strength() > 0)
        {
            if unit.on_table() && unit.troop.arm() != Arm::Artillery && !unit.halted {
                who.push((unit.id.clone(), unit.anchor, unit.facing));
            }
        }
        let table = self.table();
        who.retain(|(_, at, _)| {
            table.nearest_of(Army::AngloEgyptian, *at).is_none_or(|(d, _)| d > sight)
        });
        for (id, _, facing) in who {
            let die = self.dice.roll(&format!("{}/veer/{id}", self.head()), "1d6")?[0];
            let face = self.average(die);
            let degrees = match face {
                2 => -45,
                5 => 45,
                _ => 0,
            };
            self.emit(Event::Veered { who: id.clone(), die: face, degrees });
            if degrees == 0 {
                continue;
            }
            let Some(unit) = self.state.unit(&id).cloned() else { continue };
            let mut turned = unit.clone();
            turned.facing = facing.turned(degrees);
            turned.trail.clear();
            let lay = laid(self.data, &turned);
            let index = self.state.units.iter().position(|u| u.id == id).unwrap_or(0);
            let table = self.table();
            let size = size_of(self.data, &unit);
            let collides = lay.bases.iter().any(|(_, p)| {
                let shape = p.corners(&self.data.compass, size);
                !table.open(&shape)
                    || table
                        .bodies
                        .iter()
                        .any(|b| b.unit != index && overlap(&shape, &b.shape, self.data.slack))
            });
            if collides {
                let why = "it collides with others".to_owned();
                self.emit(Event::Halted { who: id, why });
            } else {
                let way = vec![format!("veers {degrees}")];
                self.emit(Event::Moved {
                    unit: id,
                    lay,
                    way,
                    spent: 0,
                    rate: 0,
                    why: String::new(),
                    formed: false,
                });
            }
        }
        Ok(())
    }

    /// True where a MOVE unit stands within 12 inches of a visible enemy; it then holds.
    fn near_now(&mut self, id: &str) -> bool {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return false };
        let near = self.data.distances.move_becomes_hold;
        let flips = self.state.units[index].order == Order::Move
            && self.table().unit_gap(index).is_some_and(|gap| gap <= near);
        if flips {
            self.flip(id, "within 12 inches of an enemy");
        }
        flips
    }

    fn flip(&mut self, id: &str, why: &str) {
        let Some(unit) = self.state.unit(id) else { return };
        if unit.order == Order::Move {
            let rule = cite("R12").0.to_owned();
            let (unit, why) = (unit.id.clone(), why.to_owned());
            self.emit(Event::Flipped { unit, from: Order::Move, to: Order::Hold, why, rule });
        }
    }

    /// Every MOVE unit within 12 inches of a visible enemy holds (R12).
    pub(super) fn flip_near(&mut self) {
        let near = self.data.distances.move_becomes_hold;
        let table = self.table();
        let ids: Vec<String> = self
            .state
            .units
            .iter()
            .enumerate()
            .filter(|(_, u)| u.order == Order::Move && u.strength() > 0)
            .filter(|(n, u)| match u.presence {
                Presence::Table => table.enemy_within(u.army(), &table.shapes_of(*n), near),
                _ => table.nearest_of(u.army().enemy(), u.anchor).is_some_and(|(d, _)| d <= near),
            })
            .map(|(_, u)| u.id.clone())
            .collect();
        for id in ids {
            self.flip(&id, "within 12 inches of an enemy");
        }
    }

    /// Every MOVE unit that came under fire holds (R12).
    pub(super) fn flip_under_fire(&mut self) {
        let ids: Vec<String> = self
            .state
            .units
            .iter()
            .filter(|u| u.order == Order::Move && u.strength() > 0)
            .filter(|u| match &u.presence {
                Presence::Marker(m) => self.state.marker(m).is_some_and(|m| m.under_fire),
                _ => u.under_fire,
            })
            .map(|u| u.id.clone())
            .collect();
        for id in ids {
            self.flip(&id, "it came under fire");
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
