//! Closing with the enemy: charges, contact, what an ATTACK still demands (R9, R10,
//! R23).

use crate::geometry::plane::Point;

use super::super::cite;
use super::super::data::{Arm, Army};
use super::super::lay::{files, order};
use super::super::state::{Formation, Order};
use super::super::table::{Around, size_of, values_of};
use super::March;

impl March<'_> {
    /// Straight into contact with what is met (R9, R10): turns to the target where it
    /// does not lie ahead, goes on until it touches, and conforms.
    pub(super) fn charge(&mut self, who: Option<&str>) {
        let table = self.table;
        let target = table
            .bodies
            .iter()
            .filter(|b| b.army != self.unit.army())
            .filter(|b| who.is_none_or(|w| table.unit(b).id == w))
            .min_by_key(|b| {
                (
                    self.unit
                        .anchor
                        .distance(crate::geometry::plane::nearest(&b.shape, self.unit.anchor)),
                    b.unit,
                    b.base,
                )
            });
        let Some(target) = target else {
            let why = match who {
                Some(who) => format!("{who} is not to be seen"),
                None => "no enemy is to be seen".to_owned(),
            };
            self.stop(why, "R10");
            return;
        };
        let near = self.table.data.distances.hold_charge;
        let gap = self.gap(&self.lies());
        if self.unit.order == Order::Hold && gap.is_none_or(|gap| gap > near) {
            self.stop("on HOLD it charges enemies within 6 inches", cite("R9").0);
            return;
        }
        let aim = target.pose.at;
        let want = target.unit;
        let before = (self.unit.clone(), self.spent, self.way.len());
        self.go_in(aim, want);
        // On HOLD it stays where it is if it cannot reach them (R9).
        if self.unit.order == Order::Hold && self.met.is_none() {
            let (unit, spent, length) = before;
            self.unit = unit;
            self.spent = spent;
            self.way.truncate(length);
            self.safe = None;
        }
    }

    /// Turns to an enemy where it must, goes on until it touches one, and conforms.
    fn go_in(&mut self, aim: Point, want: usize) {
        let table = self.table;
        let ahead = self.scan(self.left());
        if ahead.is_none_or(|(_, hit)| table.bodies[hit].unit != want) {
            let turn = self.turn_to(aim);
            if !self.wheel(turn) {
                return;
            }
        }
        if let Some((gone, hit)) = self.scan(self.left()) {
            self.conform(gone, hit);
            return;
        }
        self.straight(i64::MAX, false, false);
        if self.halt.is_none() {
            self.stop("the move is too short to reach the enemy", "R17");
        }
    }

    /// How far it goes straight on until it touches an enemy, and which base.
    fn scan(&self, way: i64) -> Option<(i64, usize)> {
        let start = self.lies();
        let mut gone = 0;
        let mut spent = 0;
        let mut climbed = self.climbed;
        loop {
            let lay = self.shifted(&start, gone);
            let shapes = self.shapes(&lay);
            let around = Around::of(&shapes);
            let hit = self.table.bodies.iter().enumerate().filter(|(_, b)| {
                b.army != self.unit.army()
                    && around.near(b, self.table.data.touch)
                    && shapes.iter().any(|s| self.table.touch(s, &b.shape))
            });
            // Of several, the one that lies most squarely ahead.
            let hit = hit.min_by_key(|(n, b)| {
                let seen = self.table.data.compass.local(lay.anchor, lay.facing, b.pose.at);
                (seen.0.abs(), *n)
            });
            if let Some((n, _)) = hit {
                return Some((gone, n));
            }
            if !shapes.iter().all(|s| self.table.open(s)) {
                return None;
            }
            if shapes.iter().any(|s| self.table.on_fence(s)) && !climbed {
                if self.heavy {
                    return None;
                }
                climbed = true;
                spent += 200;
            }
            let heavy = self.heavy && lay.bases.iter().any(|(_, p)| self.table.bad_going(p.at));
            spent += if heavy { 20 } else { 10 };
            gone += 10;
            if spent > way {
                return None;
            }
        }
    }

    /// Turns and slides onto the side of the base that it met (ruling `contact`).
    fn conform(&mut self, gone: i64, hit: usize) {
        let (table, data) = (self.table, self.table.data);
        let compass = &data.compass;
        let body = &table.bodies[hit];
        let before = self.unit.clone();
        let start = self.lies();
        let touch = self.shifted(&start, gone);
        // The side that looks most against the way that the charge came.
        let heading = self.unit.facing;
        let side = crate::geometry::plane::Side::ALL
            .into_iter()
            .min_by_key(|s| {
                let normal = body.pose.facing.turned(s.degrees());
                (normal.turn_to(heading.back()).abs(), s.degrees())
            })
            .unwrap_or(crate::geometry::plane::Side::Front);
        let normal = body.pose.facing.turned(side.degrees());
        let half = match side {
            crate::geometry::plane::Side::Front | crate::geometry::plane::Side::Rear => {
                body.size.depth / 2
            }
            _ => body.size.front / 2,
        };
        let middle = compass.place(body.pose.at, normal, 0, half);
        let facing = normal.back();
        let count = order(data, &self.unit).len();
        let width = files(self.unit.army(), self.unit.troop.is_gun(), self.unit.formation, count);
        let width = i64::try_from(width).unwrap_or(1);
        let front = size_of(data, &self.unit).front;
        let now = compass.local(middle, facing, touch.anchor).0;
        let mut slides: Vec<i64> =
            (0..width).map(|file| -(2 * file - (width - 1)) * front / 2).collect();
        slides.sort_by_key(|s| ((s - now).abs(), *s));
        let left = self.left() - gone;
        for slide in slides {
            let anchor = compass.place(middle, facing, slide, 0);
            let moved = touch.anchor.distance(anchor);
            if moved - front > left.max(0) + 10 {
                continue;
            }
            self.unit.anchor = anchor;
            self.unit.facing = facing;
            self.unit.trail.clear();
            // Bases keep their places in the formation.
            let mut lay = touch.clone();
            self.replace(&mut lay, &touch);
            let shapes = self.shapes(&lay);
            let room = shapes.iter().all(|s| table.open(s))
                && !table
                    .bodies
                    .iter()
                    .any(|b| b.unit != self.index && shapes.iter().any(|s| table.lies_on(s, b)));
            let footprint = size_of(data, &self.unit);
            let reached = lay.bases.iter().any(|(_, pose)| {
                crate::geometry::plane::front_contact(
                    compass,
                    (*pose, footprint),
                    (body.pose, body.size),
                    data.touch,
                    2 * data.slack,
                )
                .is_some()
            });
            if room && reached {
                self.unit.take(&lay);
                self.spent = (self.spent + gone + (moved - front).max(0)).min(self.rate);
                let who = table.unit(body).id.clone();
                self.way.push(format!(
                    "charges {} and meets {} ({})",
                    data.inches(gone),
                    who,
                    match side {
                        crate::geometry::plane::Side::Front => "front",
                        crate::geometry::plane::Side::Rear => "rear",
                        _ => "flank",
                    }
                ));
                self.met = Some(who);
                return;
            }
        }
        self.unit = before;
        self.straight((gone - 20).max(0), false, false);
        self.halt = None;
        self.stop(format!("there is no room to meet {}", table.unit(body).id), "R23");
    }

    /// The longest range of the unit's bases; 0 where it has no fire.
    pub fn reach(&self) -> i64 {
        let data = self.table.data;
        let far = |n: usize| {
            let fire = values_of(data, &self.unit, n).fire;
            (0..4).rev().find(|b| fire[*b] > 0).map_or(0, |b| data.bands[b])
        };
        self.unit.standing().map(|(n, _)| far(n)).max().unwrap_or(0)
    }

    /// What an ATTACK order still demands (R10): into one's own range; Mahdists without
    /// rifles into contact.
    pub fn close_in(&mut self) {
        cite("R10");
        if self.formed || self.unit.formation == Formation::Column || self.left() == 0 {
            return;
        }
        let table = self.table;
        let Some((_, body)) = table.nearest_of(self.unit.army().enemy(), self.unit.anchor) else {
            return;
        };
        let homes = self.unit.army() == Army::Mahdist && !self.unit.has_rifles();
        if homes && self.unit.troop.arm() != Arm::Artillery {
            self.charge(None);
            return;
        }
        let reach = self.reach();
        let gap = self.gap(&self.lies());
        let Some(gap) = gap.filter(|gap| *gap > reach) else { return };
        let aim = body.pose.at;
        let turn = self.turn_to(aim);
        // Straight on is good enough where the enemy lies well ahead.
        if turn.abs() > 20 && !self.wheel(turn) {
            return;
        }
        self.straight(gap - reach, false, false);
    }
}
