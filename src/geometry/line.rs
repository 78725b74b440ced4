//! The straight line between two hex centres: which hexes it crosses, which
//! hexsides, and where it runs along a hexspine or through a hex corner.
//!
//! A hex is drawn with its centre at (2 per column, 3 per row) and its corners at
//! whole numbers, so that every question is the sign of an integer.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::OnceLock;

use super::hex::{Dir, Hex, Side};

/// A place relative to the start of a line: half hexes eastwards, rows southwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offset(i32, i32);

/// What a line meets between one hex whose inside it crosses and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It crosses the hexside between them.
    Cross(Side),
    /// It passes a hex corner: over the end of the side between them, or round
    /// its other end through `third`.
    Corner {
        /// The side between the two hexes, met at its end.
        side: Side,
        /// The other two sides that meet at the corner.
        round: [Side; 2],
        /// The third hex at the corner.
        third: Hex,
    },
    /// It runs along the hexspine between two hexes that both touch it.
    Spine {
        /// The side that it runs along.
        along: Side,
        /// The hexes on either side of it.
        beside: [Hex; 2],
        /// The two sides met at the near corner, one towards each hex beside.
        enter: [Side; 2],
        /// The two sides met at the far corner.
        leave: [Side; 2],
    },
}

/// A line between two hexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The hexes between the ends whose inside the line crosses, in order.
    pub crossed: Vec<Hex>,
    /// What it meets between one of [start, crossed..., end] and the next: one
    /// more than `crossed` has hexes.
    pub passages: Vec<Passage>,
}

/// The line from the centre of one hex to that of another (not the same).
pub fn line(from: Hex, to: Hex) -> Line {
    let (dx, dy) = (to.x2() - from.x2(), to.y() - from.y());
    let offsets = crossed_offsets(dx, dy);
    let crossed: Vec<Hex> =
        offsets.iter().filter_map(|o| Hex::at(from.x2() + o.0, from.y() + o.1)).collect();
    let mut stops = Vec::with_capacity(crossed.len() + 2);
    stops.push(from);
    stops.extend(&crossed);
    stops.push(to);
    let passages =
        stops.windows(2).map(|pair| passage(from, Offset(dx, dy), pair[0], pair[1])).collect();
    Line { crossed, passages }
}

/// Corners of a hex around its centre, clockwise from the top.
const CORNERS: [(i32, i32); 6] = [(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)];

/// The two corners of the side in each direction, clockwise from east.
fn ends(dir: Dir) -> [(i32, i32); 2] {
    let i = dir as usize + 1;
    [CORNERS[i % 6], CORNERS[(i + 1) % 6]]
}

/// Which side of the line a point lies on: negative, on it (0), positive.
fn side_of(line: Offset, x: i32, y: i32) -> i32 {
    line.0 * y - 3 * line.1 * x
}

/// Lines of at most this many hexes are computed once.
const KEPT: i32 = 10;

fn crossed_offsets(dx: i32, dy: i32) -> Cow<'static, [Offset]> {
    const WIDTH: usize = 4 * KEPT as usize + 1;
    static TABLE: [OnceLock<Vec<Offset>>; WIDTH * (2 * KEPT as usize + 1)] =
        [const { OnceLock::new() }; WIDTH * (2 * KEPT as usize + 1)];
    if dx.abs() > 2 * KEPT || dy.abs() > KEPT {
        return Cow::Owned(compute(Offset(dx, dy)));
    }
    let index = usize::try_from((dy + KEPT) * (4 * KEPT + 1) + dx + 2 * KEPT).unwrap_or(0);
    Cow::Borrowed(TABLE[index].get_or_init(|| compute(Offset(dx, dy))))
}

/// Finds the hexes whose inside the line crosses: those with corners on both
/// sides of it, between the ends, in order of where the line enters them.
fn compute(line: Offset) -> Vec<Offset> {
    let mut found: Vec<(Fraction, Offset)> = Vec::new();
    let (x0, x1) = (line.0.min(0) - 1, line.0.max(0) + 1);
    for y in line.1.min(0)..=line.1.max(0) {
        for x in (x0..=x1).filter(|x| (x - y) % 2 == 0) {
            let here = Offset(x, y);
            if here == Offset(0, 0) || here == line {
                continue;
            }
            if let Some(entry) = entry(line, here)
                && entry.within()
            {
                found.push((entry, here));
            }
        }
    }
    found.sort_by(|a, b| a.0.compare(&b.0));
    found.into_iter().map(|(_, offset)| offset).collect()
}

/// A place on the line as a fraction of its length.
#[derive(Clone, Copy, Debug)]
struct Fraction {
    top: i64,
    bottom: i64,
}

impl Fraction {
    fn compare(&self, other: &Self) -> Ordering {
        (self.top * other.bottom).cmp(&(other.top * self.bottom))
    }

    fn within(&self) -> bool {
        self.top > 0 && self.top < self.bottom
    }
}

/// Where the line enters a hex, if it crosses its inside.
fn entry(line: Offset, hex: Offset) -> Option<Fraction> {
    let corner = |i: usize| {
        let (cx, cy) = CORNERS[i % 6];
        (hex.0 + cx, 3 * hex.1 + cy)
    };
    let sides: Vec<i32> = (0..6).map(|i| side_of(line, corner(i).0, corner(i).1)).collect();
    if sides.iter().all(|s| *s >= 0) || sides.iter().all(|s| *s <= 0) {
        return None;
    }
    let along = |x: i64, y: i64| x * i64::from(line.0) + y * i64::from(3 * line.1);
    let length = along(i64::from(line.0), i64::from(3 * line.1));
    let mut first: Option<Fraction> = None;
    for i in 0..6 {
        let (a, b) = (i64::from(sides[i]), i64::from(sides[(i + 1) % 6]));
        if (a > 0 && b > 0) || (a < 0 && b < 0) || a == b {
            continue;
        }
        let ((ax, ay), (bx, by)) = (corner(i), corner(i + 1));
        // The crossing divides the side from one corner to the other as |a| : |b|.
        let weight = b - a;
        let x = i64::from(ax) * b - i64::from(bx) * a;
        let y = i64::from(ay) * b - i64::from(by) * a;
        let (mut top, mut bottom) = (along(x, y), weight * length);
        if bottom < 0 {
            (top, bottom) = (-top, -bottom);
        }
        let here = Fraction { top, bottom };
        if first.as_ref().is_none_or(|f| here.compare(f) == Ordering::Less) {
            first = Some(here);
        }
    }
    first
}

fn passage(from: Hex, line: Offset, a: Hex, b: Hex) -> Passage {
    let place = |hex: Hex| (hex.x2() - from.x2(), 3 * (hex.y() - from.y()));
    let (ax, ay) = place(a);
    if let Some(dir) = a.direction_to(b) {
        let side = Side::new(a, dir);
        let met = ends(dir).into_iter().position(|(x, y)| side_of(line, ax + x, ay + y) == 0);
        let Some(end) = met else {
            return Passage::Cross(side);
        };
        // The third hex at a corner lies one sixth of a turn towards that corner.
        let turn = if end == 0 { 5 } else { 1 };
        let towards = Dir::ALL[(dir as usize + turn) % 6];
        return match a.step(towards) {
            Some(third) => Passage::Corner {
                side,
                round: [Side::new(a, towards), Side::between(third, b).unwrap_or(side)],
                third,
            },
            None => Passage::Cross(side),
        };
    }
    // Two hexes in a row that do not touch: the line runs along the side between
    // their two common neighbours.
    let common: Vec<(Dir, Hex)> = Dir::ALL
        .into_iter()
        .filter_map(|d| Some((d, a.step(d)?)))
        .filter(|(_, hex)| hex.direction_to(b).is_some())
        .collect();
    let [(d1, left), (d2, right)] = common[..] else {
        unreachable!("consecutive hexes of a line touch, or share exactly two neighbours");
    };
    Passage::Spine {
        along: Side::between(left, right).unwrap_or(Side::new(a, d1)),
        beside: [left, right],
        enter: [Side::new(a, d1), Side::new(a, d2)],
        leave: [
            Side::between(left, b).unwrap_or(Side::new(a, d1)),
            Side::between(right, b).unwrap_or(Side::new(a, d2)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(id: &str) -> Hex {
        Hex::parse(id).unwrap()
    }

    fn ids(hexes: &[Hex]) -> String {
        hexes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_line_along_a_row_crosses_each_hex() {
        let l = line(hex("0305"), hex("0705"));
        assert_eq!(ids(&l.crossed), "0405 0505 0605");
        assert!(l.passages.iter().all(|p| matches!(p, Passage::Cross(_))));
    }

    #[test]
    fn a_line_due_south_alternates_spines_and_hexes() {
        let l = line(hex("0502"), hex("0506"));
        assert_eq!(ids(&l.crossed), "0504");
        let Passage::Spine { along, beside, .. } = l.passages[0] else { panic!("{l:?}") };
        assert_eq!(along.to_string(), "0403:E");
        assert_eq!(ids(&beside), "0503 0403"); // clockwise from east
        assert!(matches!(l.passages[1], Passage::Spine { .. }));
    }

    #[test]
    fn a_line_through_a_corner_names_the_way_round() {
        // From 0101 the line to 0502 passes corners, found by brute force below.
        let mut corners = 0;
        for to in (super::super::hex::Grid { rows: 9, odd: 9, even: 9 }).hexes() {
            let from = hex("0505");
            if from == to {
                continue;
            }
            let l = line(from, to);
            assert_eq!(l.passages.len(), l.crossed.len() + 1);
            for p in &l.passages {
                if let Passage::Corner { side, round, third } = p {
                    corners += 1;
                    assert!(round.iter().all(|s| s.of(*third)));
                    assert!(!side.of(*third));
                }
            }
            let mut back = line(to, from).crossed;
            back.reverse();
            assert_eq!(l.crossed, back);
        }
        assert!(corners > 0);
    }
}
