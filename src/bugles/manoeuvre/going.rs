//! Going straight on or back, tenth of an inch by tenth, until something stops it (R12,
//! R17, R18, R20).

use crate::geometry::plane::Point;

use super::super::cite;
use super::super::data::Army;
use super::super::events::Lay;
use super::super::lay::{depth, laid};
use super::super::state::{Formation, Order};
use super::{Halt, March, Step, Way};

impl March<'_> {
    /// Where the unit lies when it has gone so far.
    pub(super) fn shifted(&self, from: &Lay, way: i64) -> Lay {
        let compass = &self.table.data.compass;
        let anchor = compass.place(from.anchor, from.facing, 0, way);
        if from.trail.is_empty() {
            let v = anchor - from.anchor;
            let mut lay = from.clone();
            lay.anchor = anchor;
            for (_, pose) in &mut lay.bases {
                pose.at = pose.at + v;
            }
            return lay;
        }
        let mut unit = self.unit.clone();
        unit.take(from);
        unit.anchor = anchor;
        laid(self.table.data, &unit)
    }

    /// Goes straight on, or back at half speed; tenth by tenth.
    pub(super) fn straight(&mut self, way: i64, back: bool, exact: bool) -> i64 {
        let data = self.table.data;
        let before = self.unit.clone();
        let start = self.lies();
        let spent = self.spent;
        let (mut gone, mut cost) = (0, 0);
        let mut clear: Option<(i64, i64, Lay)> = None;
        let first = self.meets(&self.shapes(&start));
        if matches!(first, Way::Free) {
            clear = Some((0, 0, start.clone()));
        }
        let mut gap = if self.unit.order == Order::Withdraw { self.shunned(&start) } else { None };
        // Who is too near to be on MOVE does not begin to.
        if self.wary && self.halt.is_none() {
            let near = data.distances.move_becomes_hold;
            if self.table.enemy_within(self.unit.army(), &self.shapes(&start), near) {
                let why = "within 12 inches of an enemy: MOVE becomes HOLD".to_owned();
                let rule = cite("R12").0;
                self.halt = Some(Halt { why, rule, marker: None, holds: true });
            }
        }
        while gone < way && self.halt.is_none() {
            let tenth = 10.min(way - gone);
            let lay = self.shifted(&start, if back { -(gone + tenth) } else { gone + tenth });
            let mut price = if back { 2 * tenth } else { tenth };
            let shapes = self.shapes(&lay);
            if self.heavy && lay.bases.iter().any(|(_, p)| self.table.bad_going(p.at)) {
                price *= 2;
            }
            if shapes.iter().any(|s| self.table.on_fence(s)) && !self.climbed {
                if self.heavy {
                    self.stop("neither guns nor horses cross the fence", "R28");
                    break;
                }
                price += 200;
            }
            let limit = match self.march {
                Some(pace) if self.over_twenty(&lay) => pace,
                _ => self.rate,
            };
            if spent + cost + price > limit.max(self.rate) || spent + cost + price > limit {
                break;
            }
            let next = match self.meets(&shapes) {
                Way::Met(unit) => {
                    let who = self.table.state.units[unit].id.clone();
                    self.stop(
                        format!("{who} is in the way: only a charge goes into contact"),
                        "R23",
                    );
                    break;
                }
                Way::Barred(why, rule) => {
                    self.stop(why, rule);
                    break;
                }
                Way::Friends => false,
                Way::Free => true,
            };
            if self.unit.order == Order::Withdraw {
                let now = self.shunned(&lay);
                if now.zip(gap).is_some_and(|(now, gap)| now < gap) {
                    self.stop("a withdrawal goes no nearer to the enemy", cite("R12").0);
                    break;
                }
                gap = now;
            }
            if price > 2 * tenth + 100 {
                self.climbed = true;
            }
            gone += tenth;
            cost += price;
            self.watch(&shapes);
            if next {
                clear = Some((gone, cost, lay));
            }
        }
        self.gone = clear.as_ref().map_or(0, |(gone, _, _)| *gone);
        let Some((gone_to, cost_to, lay)) = clear else {
            self.unit = before;
            self.spent = spent;
            self.stop("friends leave no room to end", "R17");
            return 0;
        };
        if gone_to < gone && self.halt.is_none() {
            self.stop("friends leave no room further on", "R17");
        } else if gone_to < way && self.halt.is_none() && exact {
            let most = data.inches(gone_to);
            self.stop(format!("the move is used up after {most} inches"), "R17");
        }
        self.safe = None;
        self.bent.1 += gone_to;
        self.unit.take(&lay);
        self.spent = spent + cost_to;
        if self.march.is_some() && self.spent > self.rate {
            cite("R18");
            self.rate = self.spent;
        }
        self.trim();
        if gone_to > 0 {
            let step =
                if back { Step::Retire(Some(gone_to)) } else { Step::Advance(Some(gone_to)) };
            self.way.push(step.words(|n| data.inches(n)));
        }
        gone_to
    }

    /// Looks out for enemies and markers near the way (R12, R20).
    fn watch(&mut self, shapes: &[[Point; 4]]) {
        let table = self.table;
        if self.unit.army() == Army::AngloEgyptian {
            let near = table.markers().iter().find(|m| {
                let reach = table.reveal_distance(m.at);
                shapes
                    .iter()
                    .any(|s| m.at.distance(crate::geometry::plane::nearest(s, m.at)) <= reach)
            });
            if let Some(marker) = near {
                let why = format!("marker {} is near enough to be seen through", marker.id);
                self.halt = Some(Halt {
                    why,
                    rule: cite("R20").0,
                    marker: Some(marker.id.clone()),
                    holds: false,
                });
                return;
            }
        }
        let near = table.data.distances.move_becomes_hold;
        if self.wary && table.enemy_within(self.unit.army(), shapes, near) {
            let why = "within 12 inches of an enemy: MOVE becomes HOLD".to_owned();
            self.halt = Some(Halt { why, rule: cite("R12").0, marker: None, holds: true });
        }
    }

    /// Forgets bends that the column has left behind.
    fn trim(&mut self) {
        if self.unit.formation == Formation::Battle {
            self.unit.trail.clear();
            return;
        }
        let mut left = depth(self.table.data, &self.unit);
        let mut at = self.unit.anchor;
        let mut keep = 0;
        for bend in &self.unit.trail {
            left -= at.distance(bend.at);
            if left <= 0 {
                break;
            }
            at = bend.at;
            keep += 1;
        }
        self.unit.trail.truncate(keep);
    }
}
