//! How a unit lies: the places of its bases in line and in column (R15).

use crate::geometry::plane::{Compass, Facing, Point, Pose, Size, overlap};

use super::cite;
use super::data::{Army, Data};
use super::events::Lay;
use super::state::{Bend, Condition, Formation, Unit};
use super::table::size_of;

/// How many bases stand side by side.
pub fn files(army: Army, guns: bool, formation: Formation, count: usize) -> usize {
    cite("R15");
    match (army, formation) {
        (Army::AngloEgyptian, Formation::Battle) => count.max(1),
        (Army::AngloEgyptian, Formation::Column) => 1,
        _ if guns => count.max(1),
        // Mahdists: two ranks in line; more than two in column, where they are many
        // enough (ruling `columns`).
        (Army::Mahdist, Formation::Battle) => count.div_ceil(2).max(1),
        (Army::Mahdist, Formation::Column) => {
            if count >= 5 {
                2
            } else {
                1
            }
        }
    }
}

/// The way of a column behind its head: so far back, where is one and where does one
/// look?
pub fn behind(
    compass: &Compass,
    head: Point,
    facing: Facing,
    trail: &[Bend],
    mut back: i64,
) -> Pose {
    let (mut at, mut facing) = (head, facing);
    for bend in trail {
        let length = at.distance(bend.at);
        if back <= length {
            break;
        }
        back -= length;
        at = bend.at;
        facing = bend.facing;
    }
    Pose { at: compass.place(at, facing, 0, -back), facing }
}

fn whole(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(0)
}

/// How far behind the head the middle of each rank lies. Where the way bends, a rank
/// needs more room: it stays so far back that it lies on none before it.
pub fn backs(
    compass: &Compass,
    head: (Point, Facing),
    size: Size,
    files: usize,
    count: usize,
    trail: &[Bend],
) -> Vec<i64> {
    let ranks = count.div_ceil(files.max(1));
    let close: Vec<i64> = (0..ranks).map(|n| whole(n) * size.depth + size.depth / 2).collect();
    if trail.is_empty() {
        return close;
    }
    let broad = Size { front: whole(files) * size.front, depth: size.depth };
    let mut out: Vec<i64> = Vec::new();
    let mut shapes: Vec<[Point; 4]> = Vec::new();
    for _ in 0..ranks {
        let mut back = out.last().map_or(size.depth / 2, |last| last + size.depth);
        let shape = loop {
            let shape = behind(compass, head.0, head.1, trail, back).corners(compass, broad);
            let free = !shapes.iter().any(|other| overlap(other, &shape, SLACK));
            if free || back > whole(ranks + 4) * 4 * size.depth {
                break shape;
            }
            back += 10;
        };
        shapes.push(shape);
        out.push(back);
    }
    out
}

/// What ranks of a column may cut into one another by rounding, in units.
const SLACK: i64 = 2;

/// The places of so many bases in a formation.
pub fn places(
    compass: &Compass,
    (anchor, facing): (Point, Facing),
    size: Size,
    files: usize,
    count: usize,
    trail: &[Bend],
) -> Vec<Pose> {
    let backs = backs(compass, (anchor, facing), size, files, count, trail);
    (0..count)
        .map(|n| {
            let (rank, file) = (n / files, n % files);
            // The last rank stands in the middle where it is not full.
            let in_rank = files.min(count - rank * files);
            let right = (2 * whole(file) - (whole(in_rank) - 1)) * size.front / 2;
            let right = if in_rank < files && rank > 0 {
                // A second rank keeps to its files, so that each base has one to follow.
                (2 * whole(file + (files - in_rank) / 2) - (whole(files) - 1)) * size.front / 2
            } else {
                right
            };
            let middle = behind(compass, anchor, facing, trail, backs[rank]);
            Pose { at: compass.place(middle.at, middle.facing, right, 0), facing: middle.facing }
        })
        .collect()
}

/// The sound bases in the order in which they take their places: those in front first,
/// as they stand now; where they stand level, riflemen first, then as they are counted.
/// Suppressed ones do not stand in the formation.
pub fn order(data: &Data, unit: &Unit) -> Vec<usize> {
    let sound = |b: &super::state::Base| b.condition == Condition::Sound;
    let mut all: Vec<usize> = unit.standing().filter(|(_, b)| sound(b)).map(|(n, _)| n).collect();
    let depth = size_of(data, unit).depth / 2;
    all.sort_by_cached_key(|n| {
        let base = &unit.bases[*n];
        let level = match unit.formation {
            Formation::Battle => {
                -data.compass.local(unit.anchor, unit.facing, base.at).1.div_euclid(depth)
            }
            Formation::Column => base.at.distance(unit.anchor).div_euclid(depth),
        };
        (level, !base.rifles, *n)
    });
    all
}

/// A unit laid out about its anchor: every sound base in its place. In a rank they keep
/// the order from left to right in which they stand, so that nobody crosses over.
pub fn laid(data: &Data, unit: &Unit) -> Lay {
    let size = size_of(data, unit);
    let all = order(data, unit);
    let width = files(unit.army(), unit.troop.is_gun(), unit.formation, all.len());
    let places =
        places(&data.compass, (unit.anchor, unit.facing), size, width, all.len(), &unit.trail);
    let mut bases: Vec<(usize, Pose)> = Vec::new();
    for (rank, spots) in places.chunks(width).enumerate() {
        let mut here: Vec<usize> = all.iter().skip(rank * width).take(width).copied().collect();
        let middle = spots[0];
        here.sort_by_cached_key(|n| {
            (data.compass.seen(middle.at, middle.facing, unit.bases[*n].at).0, *n)
        });
        bases.extend(here.into_iter().zip(spots.iter().copied()));
    }
    bases.sort_unstable_by_key(|(n, _)| *n);
    Lay {
        anchor: unit.anchor,
        facing: unit.facing,
        formation: unit.formation,
        dismounted: unit.dismounted,
        trail: unit.trail.clone(),
        bases,
    }
}

/// How far the base with the furthest to go is from its place.
pub fn out_of_place(unit: &Unit, lay: &Lay) -> i64 {
    lay.bases.iter().map(|(n, pose)| unit.bases[*n].at.distance(pose.at)).max().unwrap_or(0)
}

/// Half the front of the unit, for the cost of a wheel: nothing for a single base.
pub fn half_front(data: &Data, unit: &Unit) -> i64 {
    let count = order(data, unit).len();
    let width = files(unit.army(), unit.troop.is_gun(), unit.formation, count);
    if width <= 1 && count <= 1 {
        return 0;
    }
    i64::try_from(width).unwrap_or(1) * size_of(data, unit).front / 2
}

/// The arc of a wheel by so many degrees at a radius, rounded up to a tenth of an inch.
pub const fn arc(radius: i64, degrees: i64) -> i64 {
    // 355/113 is pi to six places.
    let units = radius * degrees.abs() * 355;
    let down = units / (180 * 113);
    let up = if down * 180 * 113 == units { down } else { down + 1 };
    (up + 9) / 10 * 10
}

/// The length of a column behind its anchor.
pub fn depth(data: &Data, unit: &Unit) -> i64 {
    let count = order(data, unit).len();
    let width = files(unit.army(), unit.troop.is_gun(), unit.formation, count);
    let size = size_of(data, unit);
    let head = (unit.anchor, unit.facing);
    let backs = backs(&data.compass, head, size, width, count, &unit.trail);
    backs.last().map_or(0, |last| last + size.depth / 2)
}
