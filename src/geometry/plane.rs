//! Exact plane geometry in whole units: points, facings of whole degrees, oriented
//! rectangles, convex shapes. One table of sines, given as data, is all that turns;
//! everything else is whole numbers, so that every machine finds the same places.

use serde::{Deserialize, Serialize};

/// A point or a vector of the plane: x to the right, y up, in whole units.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "[i64; 2]", into = "[i64; 2]")]
pub struct Point {
    /// To the right.
    pub x: i64,
    /// Up.
    pub y: i64,
}

impl From<[i64; 2]> for Point {
    fn from([x, y]: [i64; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Point> for [i64; 2] {
    fn from(p: Point) -> Self {
        [p.x, p.y]
    }
}

impl std::ops::Add for Point {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y }
    }
}

impl std::ops::Sub for Point {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y }
    }
}

impl Point {
    /// The point with these coordinates.
    pub const fn new(x: i64, y: i64) -> Self {
        Self { x, y }
    }

    /// The scalar product.
    pub const fn dot(self, o: Self) -> i64 {
        self.x * o.x + self.y * o.y
    }

    /// The cross product: positive where `o` lies to the left of this vector.
    pub const fn cross(self, o: Self) -> i64 {
        self.x * o.y - self.y * o.x
    }

    /// The square of the length.
    pub const fn square(self) -> i64 {
        self.dot(self)
    }

    /// The length, rounded down.
    pub const fn length(self) -> i64 {
        self.square().isqrt()
    }

    /// The square of the distance to another point.
    pub fn square_to(self, o: Self) -> i64 {
        (self - o).square()
    }

    /// The distance to another point, rounded up: who is within r is never said to be
    /// further.
    pub fn distance(self, o: Self) -> i64 {
        let square = self.square_to(o);
        let root = square.isqrt();
        if root * root == square { root } else { root + 1 }
    }
}

/// A quotient rounded to the nearest whole number, halves away from nought.
pub const fn rounded(a: i64, b: i64) -> i64 {
    if (a < 0) == (b < 0) {
        (a.abs() * 2 + b.abs()) / (b.abs() * 2)
    } else {
        -((a.abs() * 2 + b.abs()) / (b.abs() * 2))
    }
}

/// A facing in whole degrees, clockwise from up the plane (north).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "i64", into = "i64")]
pub struct Facing(i64);

impl TryFrom<i64> for Facing {
    type Error = String;
    fn try_from(degrees: i64) -> Result<Self, String> {
        if (0..360).contains(&degrees) {
            Ok(Self(degrees))
        } else {
            Err(format!("{degrees} is no facing: 0 to 359 degrees"))
        }
    }
}

impl From<Facing> for i64 {
    fn from(f: Facing) -> Self {
        f.0
    }
}

impl Facing {
    /// The facing of so many degrees; any whole number will do.
    pub const fn of(degrees: i64) -> Self {
        Self(degrees.rem_euclid(360))
    }

    /// Degrees clockwise from north, 0 to 359.
    pub const fn degrees(self) -> i64 {
        self.0
    }

    /// Turned to the right by so many degrees; to the left where it is negative.
    #[must_use]
    pub const fn turned(self, degrees: i64) -> Self {
        Self::of(self.0 + degrees)
    }

    /// The other way.
    #[must_use]
    pub const fn back(self) -> Self {
        self.turned(180)
    }

    /// The turn from this facing to another: -179 to 180, right is positive.
    pub const fn turn_to(self, o: Self) -> i64 {
        let d = (o.0 - self.0).rem_euclid(360);
        if d > 180 { d - 360 } else { d }
    }
}

/// The table of directions: the sines of 0 to 90 degrees times a scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compass {
    scale: i64,
    quarter: Vec<i64>,
}

impl Compass {
    /// A table of directions.
    ///
    /// # Errors
    /// A table that is none: not 91 figures rising from 0 to the scale, or sine and
    /// cosine of an angle whose squares do not add up to the square of the scale.
    pub fn new(scale: i64, quarter: Vec<i64>) -> Result<Self, String> {
        if !(1000..=10_000_000).contains(&scale) {
            return Err("the scale of the sines is not between 1000 and 10000000".to_owned());
        }
        if quarter.len() != 91 {
            return Err(format!("the table has {} sines, not 91", quarter.len()));
        }
        if quarter[0] != 0 || quarter[90] != scale || quarter.windows(2).any(|w| w[0] >= w[1]) {
            return Err("the sines do not rise from 0 to the scale".to_owned());
        }
        for degrees in 0..=90 {
            let (s, c) = (quarter[degrees], quarter[90 - degrees]);
            if (s * s + c * c - scale * scale).abs() > 2 * scale {
                return Err(format!("sine and cosine of {degrees} degrees do not fit together"));
            }
        }
        Ok(Self { scale, quarter })
    }

    /// What a length of one stands for in [`Compass::sine`].
    pub const fn scale(&self) -> i64 {
        self.scale
    }

    /// The sine of a facing, times the scale: how far it goes to the right.
    pub fn sine(&self, facing: Facing) -> i64 {
        let at = |n: i64| self.quarter[usize::try_from(n).unwrap_or(0)];
        match facing.0 {
            n @ 0..=90 => at(n),
            n @ 91..=180 => at(180 - n),
            n @ 181..=270 => -at(n - 180),
            n => -at(360 - n),
        }
    }

    /// The cosine of a facing, times the scale: how far it goes up.
    pub fn cosine(&self, facing: Facing) -> i64 {
        self.sine(facing.turned(90))
    }

    /// The point so far to the right and forward of another, as somebody there sees it
    /// who looks along the facing.
    pub fn place(&self, from: Point, facing: Facing, right: i64, forward: i64) -> Point {
        let (s, c) = (self.sine(facing), self.cosine(facing));
        Point {
            x: from.x + rounded(right * c + forward * s, self.scale),
            y: from.y + rounded(forward * c - right * s, self.scale),
        }
    }

    /// How far to the right and forward a point lies, as somebody sees it who looks
    /// along the facing; times the scale, exact.
    pub fn seen(&self, from: Point, facing: Facing, point: Point) -> (i64, i64) {
        let (s, c, v) = (self.sine(facing), self.cosine(facing), point - from);
        (v.x * c - v.y * s, v.x * s + v.y * c)
    }

    /// The same in whole units.
    pub fn local(&self, from: Point, facing: Facing, point: Point) -> (i64, i64) {
        let (right, forward) = self.seen(from, facing, point);
        (rounded(right, self.scale), rounded(forward, self.scale))
    }

    /// The facing that comes nearest to the way from one point to another; north where
    /// they are one. Of two as near, the smaller.
    pub fn toward(&self, from: Point, to: Point) -> Facing {
        let v = to - from;
        if v == Point::default() {
            return Facing::default();
        }
        // The sector of 45 degrees is known from the signs; the best of its degrees is
        // the one with the greatest scalar product.
        let quarter = match (v.x >= 0, v.y >= 0) {
            (true, true) => 0,
            (true, false) => 90,
            (false, false) => 180,
            (false, true) => 270,
        };
        let mut best = (i64::MIN, 0);
        for degrees in quarter..=quarter + 90 {
            let facing = Facing::of(degrees);
            let along = v.x * self.sine(facing) + v.y * self.cosine(facing);
            if along > best.0 {
                best = (along, degrees);
            }
        }
        Facing::of(best.1)
    }
}

/// How broad and deep an oriented rectangle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// From left to right.
    pub front: i64,
    /// From front to rear.
    pub depth: i64,
}

/// Where an oriented rectangle lies: its centre, and which way it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pose {
    /// The centre.
    pub at: Point,
    /// Which way it looks.
    pub facing: Facing,
}

/// The sides of an oriented rectangle, in the order of its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Where it looks.
    Front,
    /// Its right.
    Right,
    /// Its back.
    Rear,
    /// Its left.
    Left,
}

impl Side {
    /// All four: side n runs from corner n to corner n+1.
    pub const ALL: [Self; 4] = [Self::Front, Self::Right, Self::Rear, Self::Left];

    /// Which way the side looks, in degrees from the front.
    pub const fn degrees(self) -> i64 {
        match self {
            Self::Front => 0,
            Self::Right => 90,
            Self::Rear => 180,
            Self::Left => 270,
        }
    }
}

impl Pose {
    /// The corners: front left, front right, rear right, rear left.
    pub fn corners(&self, compass: &Compass, size: Size) -> [Point; 4] {
        let (w, d) = (size.front / 2, size.depth / 2);
        let corner = |right, forward| compass.place(self.at, self.facing, right, forward);
        [corner(-w, d), corner(w, d), corner(w, -d), corner(-w, -d)]
    }

    /// The middle of the front edge.
    pub fn front(&self, compass: &Compass, size: Size) -> Point {
        compass.place(self.at, self.facing, 0, size.depth / 2)
    }

    /// The same rectangle moved along its facing; back where the way is negative.
    #[must_use]
    pub fn advanced(&self, compass: &Compass, way: i64) -> Self {
        Self { at: compass.place(self.at, self.facing, 0, way), facing: self.facing }
    }
}

/// The least and the greatest of a shape along an axis.
fn range(axis: Point, shape: &[Point]) -> (i64, i64) {
    shape.iter().fold((i64::MAX, i64::MIN), |(low, high), p| {
        let n = axis.dot(*p);
        (low.min(n), high.max(n))
    })
}

/// True where two shapes cut into each other along an axis by more than `slack`.
fn meets_on(axis: Point, a: &[Point], b: &[Point], slack: i64) -> bool {
    let ((a0, a1), (b0, b1)) = (range(axis, a), range(axis, b));
    let depth = (a1 - b0).min(b1 - a0);
    let square = i128::from(axis.square());
    depth > 0 && i128::from(depth).pow(2) > i128::from(slack).pow(2) * square
}

/// True where two convex shapes overlap by more than `slack` on every axis (of the
/// separating axes of convex shapes: the normals of their edges). A shape of two points
/// is a line, which meets what has points on both sides of it.
pub fn overlap(a: &[Point], b: &[Point], slack: i64) -> bool {
    separated_by_none(a, b, slack) && separated_by_none(b, a, slack)
}

fn separated_by_none(a: &[Point], b: &[Point], slack: i64) -> bool {
    let n = a.len();
    let edges = if n == 2 { 1 } else { n };
    (0..edges).map(|i| a[(i + 1) % n] - a[i]).filter(|edge| edge.square() > 0).all(|edge| {
        let axis = Point { x: -edge.y, y: edge.x };
        if n == 2 {
            let (at, (low, high)) = (axis.dot(a[0]), range(axis, b));
            low < at && at < high
        } else {
            meets_on(axis, a, b, slack)
        }
    })
}

/// The point of a line from `p` to `q` that is nearest to another, rounded.
pub fn nearest_on(p: Point, q: Point, to: Point) -> Point {
    let (edge, v) = (q - p, to - p);
    let (along, square) = (v.dot(edge), edge.square());
    if along <= 0 || square == 0 {
        return p;
    }
    if along >= square {
        return q;
    }
    Point { x: p.x + rounded(edge.x * along, square), y: p.y + rounded(edge.y * along, square) }
}

/// True where a point lies in a convex shape or on its edge; the shape may run either
/// way round.
pub fn contains(shape: &[Point], point: Point) -> bool {
    let n = shape.len();
    let sides = (0..n).map(|i| (shape[(i + 1) % n] - shape[i]).cross(point - shape[i]));
    let (low, high) = sides.fold((i64::MAX, i64::MIN), |(l, h), s| (l.min(s), h.max(s)));
    n > 2 && (low >= 0 || high <= 0)
}

/// The point of a convex shape nearest to another: itself, where it lies inside.
pub fn nearest(shape: &[Point], to: Point) -> Point {
    if contains(shape, to) {
        return to;
    }
    let n = shape.len();
    (0..n)
        .map(|i| nearest_on(shape[i], shape[(i + 1) % n], to))
        .min_by_key(|p| (p.square_to(to), *p))
        .unwrap_or(to)
}

/// True where a point lies within `reach` of a line, exactly.
pub fn within(p: Point, q: Point, to: Point, reach: i64) -> bool {
    let (edge, v) = (q - p, to - p);
    let (along, square) = (v.dot(edge), edge.square());
    if along <= 0 || square == 0 {
        return v.square() <= reach * reach;
    }
    if along >= square {
        return (to - q).square() <= reach * reach;
    }
    let cross = edge.cross(v);
    i128::from(cross).pow(2) <= i128::from(reach * reach) * i128::from(square)
}

/// True where two convex shapes overlap or come within `reach` of each other.
pub fn near(a: &[Point], b: &[Point], reach: i64) -> bool {
    let touches = |from: &[Point], to: &[Point]| {
        let n = to.len();
        from.iter().any(|p| (0..n).any(|i| within(to[i], to[(i + 1) % n], *p, reach)))
    };
    touches(a, b) || touches(b, a) || overlap(a, b, 0)
}

/// The convex hull of points, counter-clockwise.
pub fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while out.len() > 1
                && (out[out.len() - 1] - out[out.len() - 2]).cross(p - out[out.len() - 1]) <= 0
            {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut lower = half(&mut sorted.iter().copied());
    lower.extend(half(&mut sorted.iter().rev().copied()));
    lower
}

/// Whether the front edge of one rectangle lies along a side of another: the longest
/// such stretch, with the side. Edges touch that run within `gap` of each other over
/// more than `least`; corners alone do not.
pub fn front_contact(
    compass: &Compass,
    a: (Pose, Size),
    b: (Pose, Size),
    gap: i64,
    least: i64,
) -> Option<(i64, Side)> {
    let corners = b.0.corners(compass, b.1);
    let front = a.0.front(compass, a.1);
    let seen = corners.map(|p| compass.local(front, a.0.facing, p));
    let mut best: Option<(i64, Side)> = None;
    for (n, side) in Side::ALL.into_iter().enumerate() {
        let (p, q) = (seen[n], seen[(n + 1) % 4]);
        if p.1.abs() > gap || q.1.abs() > gap {
            continue;
        }
        let from = p.0.min(q.0).max(-a.1.front / 2);
        let to = p.0.max(q.0).min(a.1.front / 2);
        // The body of the other lies ahead, not behind this edge.
        let ahead = compass.local(front, a.0.facing, b.0.at).1 > 0;
        if ahead && to - from > least && best.is_none_or(|(length, _)| to - from > length) {
            best = Some((to - from, side));
        }
    }
    best
}
