//! The table as it lies: every base as a shape, and questions about distances,
//! contacts, sight and room.

use crate::geometry::plane::{
    Point, Pose, Side, Size, contains, front_contact, near, nearest, overlap,
};

use super::cite;
use super::data::{Arm, Army, Data, Troop, Values};
use super::state::{Condition, General, Marker, State, Unit};

/// Nothing of a base of this size lies further from its centre.
pub const fn radius(size: Size) -> i64 {
    i64::midpoint(size.front, size.depth) + 2
}

/// The middle of a base, and how far it reaches from there at most.
fn circle(shape: &[Point; 4]) -> (Point, i64) {
    let at =
        Point::new(i64::midpoint(shape[0].x, shape[2].x), i64::midpoint(shape[0].y, shape[2].y));
    let span = |a: Point, b: Point| (a.x - b.x).abs() + (a.y - b.y).abs();
    (at, span(shape[0], at).max(span(shape[1], at)) + 2)
}

/// True where two circles come within `reach` of each other: a quick look before the
/// exact one.
fn meet((a, r): (Point, i64), (b, s): (Point, i64), reach: i64) -> bool {
    let far = r + s + reach;
    a.square_to(b) <= far * far
}

/// The upright rectangle around shapes.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    low: Point,
    high: Point,
}

impl Around {
    /// The rectangle around these shapes.
    pub fn of(shapes: &[[Point; 4]]) -> Self {
        let mut low = Point::new(i64::MAX, i64::MAX);
        let mut high = Point::new(i64::MIN, i64::MIN);
        for p in shapes.iter().flatten() {
            low = Point::new(low.x.min(p.x), low.y.min(p.y));
            high = Point::new(high.x.max(p.x), high.y.max(p.y));
        }
        Self { low, high }
    }

    /// True where a base may come within `reach` of one of the shapes.
    pub fn near(&self, body: &Body, reach: i64) -> bool {
        let (at, far) = (body.pose.at, body.radius + reach);
        at.x >= self.low.x - far
            && at.x <= self.high.x + far
            && at.y >= self.low.y - far
            && at.y <= self.high.y + far
    }
}

/// A base on the table.
#[derive(Clone, Debug)]
pub struct Body {
    /// Index of its unit in the state.
    pub unit: usize,
    /// Index of the base in its unit.
    pub base: usize,
    /// Whose.
    pub army: Army,
    /// Where.
    pub pose: Pose,
    /// How large.
    pub size: Size,
    /// Its corners.
    pub shape: [Point; 4],
    /// Nothing of it lies further from its centre.
    pub radius: i64,
    /// Not suppressed.
    pub sound: bool,
}

/// The size of a unit's bases as it is now: dismounted cavalry with its horseholders
/// stands on squares (R3).
pub fn size_of(data: &Data, unit: &Unit) -> Size {
    cite("R3");
    let size = data.troop(unit.troop).size;
    if unit.dismounted { Size { front: size.front, depth: size.front } } else { size }
}

/// A row of the value table for a base (R24).
pub fn values_of<'a>(data: &'a Data, unit: &Unit, base: usize) -> &'a Values {
    let troop = data.troop(unit.troop);
    let row = match &troop.dismounted {
        Some(row) if unit.dismounted => row,
        _ if unit.bases[base].rifles => "mahdist-rifles",
        _ => &troop.values,
    };
    &data.values[row]
}

/// True for cavalry in the saddle.
pub fn mounted(unit: &Unit) -> bool {
    unit.troop.arm() == Arm::Cavalry && !unit.dismounted
}

/// A position to ask.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The data.
    pub data: &'a Data,
    /// The state.
    pub state: &'a State,
    /// Every base that stands on the table.
    pub bodies: Vec<Body>,
}

impl<'a> Table<'a> {
    /// Lays out a state.
    pub fn new(data: &'a Data, state: &'a State) -> Self {
        let mut bodies = Vec::new();
        for (index, unit) in state.units.iter().enumerate() {
            if !unit.on_table() {
                continue;
            }
            let size = size_of(data, unit);
            for (base, b) in unit.standing() {
                let pose = b.pose();
                bodies.push(Body {
                    unit: index,
                    base,
                    army: unit.army(),
                    pose,
                    size,
                    shape: pose.corners(&data.compass, size),
                    radius: radius(size),
                    sound: b.condition == Condition::Sound,
                });
            }
        }
        Self { data, state, bodies }
    }

    /// The unit of a body.
    pub fn unit(&self, body: &Body) -> &'a Unit {
        &self.state.units[body.unit]
    }

    /// The id of a body's base.
    pub fn name(&self, body: &Body) -> String {
        self.unit(body).base_id(body.base)
    }

    /// A body by its base's id.
    pub fn body(&self, id: &str) -> Option<&Body> {
        let (unit, number) = id.rsplit_once('-')?;
        let base = number.parse::<usize>().ok()?.checked_sub(1)?;
        self.bodies.iter().find(|b| b.base == base && self.unit(b).id == unit)
    }

    /// The bodies of a unit.
    pub fn bodies_of(&self, unit: usize) -> impl Iterator<Item = &Body> {
        self.bodies.iter().filter(move |b| b.unit == unit)
    }

    /// The nearest base of an army to a point: the distance, and which.
    pub fn nearest_of(&self, army: Army, from: Point) -> Option<(i64, &Body)> {
        let mut best: Option<(i64, &Body)> = None;
        for body in self.bodies.iter().filter(|b| b.army == army) {
            let circle = (body.pose.at, body.radius);
            if best.is_some_and(|(d, _)| !meet((from, 0), circle, d)) {
                continue;
            }
            let distance = from.distance(nearest(&body.shape, from));
            let key = |d: i64, b: &Body| (d, b.unit, b.base);
            if best.is_none_or(|(d, b)| key(distance, body) < key(d, b)) {
                best = Some((distance, body));
            }
        }
        best
    }

    /// The distance between two shapes, where it is not more than `reach`: by the
    /// corners of each and the nearest point of the other.
    pub fn gap(a: &[Point], b: &[Point]) -> i64 {
        if overlap(a, b, 0) {
            return 0;
        }
        let from = |a: &[Point], b: &[Point]| {
            a.iter().map(|p| p.distance(nearest(b, *p))).min().unwrap_or(i64::MAX)
        };
        from(a, b).min(from(b, a))
    }

    /// How near the nearest visible base of the other army is to any of these shapes.
    pub fn enemy_gap(&self, army: Army, shapes: &[[Point; 4]]) -> Option<i64> {
        let mut best: Option<i64> = None;
        let around = Around::of(shapes);
        for body in self.bodies.iter().filter(|b| b.army != army) {
            if best.is_some_and(|gap| !around.near(body, gap)) {
                continue;
            }
            for shape in shapes {
                let circles = (circle(shape), (body.pose.at, body.radius));
                if best.is_none_or(|gap| meet(circles.0, circles.1, gap)) {
                    let gap = Self::gap(shape, &body.shape);
                    best = Some(best.map_or(gap, |b| b.min(gap)));
                }
            }
        }
        best
    }

    /// True where an enemy of an army is within `reach` of any of these shapes.
    pub fn enemy_within(&self, army: Army, shapes: &[[Point; 4]], reach: i64) -> bool {
        let around = Around::of(shapes);
        self.bodies.iter().filter(|b| b.army != army && around.near(b, reach)).any(|body| {
            shapes.iter().any(|shape| {
                let (at, far) = circle(shape);
                at.square_to(body.pose.at) <= reach * reach
                    || meet((at, far), (body.pose.at, body.radius), reach)
                        && Self::gap(shape, &body.shape) <= reach
            })
        })
    }

    /// The shapes of a unit's bases.
    pub fn shapes_of(&self, unit: usize) -> Vec<[Point; 4]> {
        self.bodies_of(unit).map(|b| b.shape).collect()
    }

    /// The distance from one of our units on the table to the nearest visible enemy.
    pub fn unit_gap(&self, unit: usize) -> Option<i64> {
        self.enemy_gap(self.state.units[unit].army(), &self.shapes_of(unit))
    }

    /// Whether the front of `a` lies along a side of `b` (R23): how much of it, and
    /// which side.
    pub fn contact(&self, a: &Body, b: &Body) -> Option<(i64, Side)> {
        let (touch, slack) = (self.data.touch, self.data.slack);
        let reach = a.size.front + a.size.depth + b.size.front + b.size.depth;
        if a.pose.at.square_to(b.pose.at) > reach * reach {
            return None;
        }
        front_contact(&self.data.compass, (a.pose, a.size), (b.pose, b.size), touch, 2 * slack)
    }

    /// True where the front of either lies along the other.
    pub fn in_contact(&self, a: &Body, b: &Body) -> bool {
        self.contact(a, b).is_some() || self.contact(b, a).is_some()
    }

    /// The enemies in contact with a base, front to anything.
    pub fn enemies_of(&self, body: &Body) -> Vec<&Body> {
        self.bodies.iter().filter(|b| b.army != body.army && self.in_contact(body, b)).collect()
    }

    /// True where any base of a unit is in contact with an enemy.
    pub fn engaged(&self, unit: usize) -> bool {
        self.bodies_of(unit).any(|b| !self.enemies_of(b).is_empty())
    }

    /// True where two shapes touch: within a tenth of an inch.
    pub fn touch(&self, a: &[Point; 4], b: &[Point; 4]) -> bool {
        meet(circle(a), circle(b), self.data.touch) && near(a, b, self.data.touch)
    }

    /// True where a shape lies on a base.
    pub fn lies_on(&self, shape: &[Point; 4], body: &Body) -> bool {
        meet(circle(shape), (body.pose.at, body.radius), 0)
            && overlap(shape, &body.shape, self.data.slack)
    }

    /// True where a point lies in terrain that fire is hampered by.
    pub fn in_cover(&self, p: Point) -> bool {
        self.data.shapes_at(p, |c| c.cover).is_some()
    }

    /// True where a point lies in terrain that keeps markers hidden longer (R20).
    pub fn hides(&self, p: Point) -> bool {
        self.data.shapes_at(p, |c| c.hides).is_some()
    }

    /// True where a point lies in bad going.
    pub fn bad_going(&self, p: Point) -> bool {
        self.data.shapes_at(p, |c| c.bad_going).is_some()
    }

    /// The pieces of all fences.
    pub fn fences(&self) -> impl Iterator<Item = [Point; 2]> + '_ {
        self.data
            .scenario
            .shapes
            .iter()
            .filter(|s| self.data.class(s).fence)
            .flat_map(|s| s.points.windows(2).map(|w| [w[0], w[1]]))
    }

    /// True where a way from one point to another crosses a fence that lies within
    /// `reach` of its end.
    pub fn fence_between(&self, from: Point, to: Point, reach: i64) -> bool {
        self.fences().any(|[p, q]| {
            let (a, b) = ((q - p).cross(from - p), (q - p).cross(to - p));
            let (c, d) = ((to - from).cross(p - from), (to - from).cross(q - from));
            let crosses = (a > 0) != (b > 0) && (c > 0) != (d > 0);
            crosses && crate::geometry::plane::within(p, q, to, reach)
        })
    }

    /// True where a shape lies on a fence.
    pub fn on_fence(&self, shape: &[Point]) -> bool {
        self.fences().any(|line| overlap(&line, shape, self.data.slack))
    }

    /// True where a shape lies on the table and in no obstacle.
    pub fn open(&self, shape: &[Point]) -> bool {
        shape.iter().all(|p| self.data.scenario.on_table(*p))
            && !self.data.scenario.shapes.iter().any(|s| {
                self.data.class(s).impassable && overlap(shape, &s.points, self.data.slack)
            })
    }

    /// Why one point does not see another, if it does not: a base between that is
    /// neither of these two, or terrain.
    pub fn blocked(&self, from: Point, to: Point, but: &[(usize, usize)]) -> Option<String> {
        let line = [from, to];
        let slack = self.data.slack;
        let (low, high) = (
            Point::new(from.x.min(to.x) - 150, from.y.min(to.y) - 150),
            Point::new(from.x.max(to.x) + 150, from.y.max(to.y) + 150),
        );
        let body = self.bodies.iter().find(|b| {
            (low.x..=high.x).contains(&b.pose.at.x)
                && (low.y..=high.y).contains(&b.pose.at.y)
                && !but.contains(&(b.unit, b.base))
                && overlap(&line, &b.shape, slack)
        });
        if let Some(body) = body {
            return Some(self.name(body));
        }
        self.data
            .scenario
            .shapes
            .iter()
            .find(|s| {
                self.data.class(s).blocks_sight
                    && !contains(&s.points, from)
                    && !contains(&s.points, to)
                    && overlap(&line, &s.points, slack)
            })
            .map(|s| s.name.clone())
    }

    /// How far one sees.
    pub fn sight(&self) -> i64 {
        self.state.storm.map_or(i64::MAX, |s| s.sight)
    }

    /// The markers that are not one's own army's business: what Anglo-Egyptians see.
    pub fn markers(&self) -> &'a [Marker] {
        &self.state.markers
    }

    /// The generals on the table.
    pub fn generals(&self) -> impl Iterator<Item = &'a General> {
        self.state.generals.iter().filter(|g| g.here)
    }

    /// How near an enemy must come for a marker there to be revealed (R20).
    pub fn reveal_distance(&self, at: Point) -> i64 {
        let distances = &self.data.distances;
        let near = if self.hides(at) { distances.reveal_cover } else { distances.reveal };
        near.min(self.sight())
    }

    /// `MacDonald` is with this base (R25).
    pub fn macdonald(&self, body: &Body) -> bool {
        let unit = self.unit(body);
        if unit.troop != Troop::SudaneseInfantry {
            return false;
        }
        self.generals().filter(|g| g.macdonald).any(|g| match &g.attached {
            Some(base) if self.data.rulings.macdonald_unit => {
                self.state.base(base).is_some_and(|(u, _)| u.id == unit.id)
            }
            Some(base) => *base == self.name(body),
            None => false,
        })
    }
}
