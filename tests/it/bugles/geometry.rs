//! The exact geometry against an independent method in floating point, over random
//! shapes; and the laws that it must keep for itself.
#![allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::many_single_char_names,
    reason = "the independent method"
)]

use despatch::bugles::data::Data;
use despatch::geometry::plane::{
    Compass, Facing, Point, Pose, Size, contains, front_contact, hull, near, nearest, overlap,
};
use proptest::prelude::*;

fn data() -> &'static Data {
    static GAME: std::sync::OnceLock<despatch::bugles::game::Bugles> = std::sync::OnceLock::new();
    GAME.get_or_init(|| super::game_of("bugles-solo", &[], "brisk", &[])).data()
}

fn compass() -> &'static Compass {
    &data().compass
}

const SIZE: Size = Size { front: 160, depth: 80 };

fn pose() -> impl Strategy<Value = Pose> {
    (0_i64..600, 0_i64..600, 0_i64..360)
        .prop_map(|(x, y, f)| Pose { at: Point::new(x, y), facing: Facing::of(f) })
}

/// The corners of a base by sines and cosines of the machine.
fn corners(pose: Pose, size: Size) -> [(f64, f64); 4] {
    let a = (pose.facing.degrees() as f64).to_radians();
    let (s, c) = a.sin_cos();
    let (w, d) = (size.front as f64 / 2.0, size.depth as f64 / 2.0);
    [(-w, d), (w, d), (w, -d), (-w, -d)]
        .map(|(r, f)| (pose.at.x as f64 + r * c + f * s, pose.at.y as f64 + f * c - r * s))
}

/// How far a point lies from a convex shape, by clamping onto each edge; 0 inside.
fn distance(shape: &[(f64, f64)], p: (f64, f64)) -> f64 {
    let n = shape.len();
    let mut inside = true;
    let mut best = f64::MAX;
    for i in 0..n {
        let (a, b) = (shape[i], shape[(i + 1) % n]);
        let (ex, ey) = (b.0 - a.0, b.1 - a.1);
        let (vx, vy) = (p.0 - a.0, p.1 - a.1);
        inside &= ex * vy - ey * vx <= 0.0;
        let t = ((vx * ex + vy * ey) / (ex * ex + ey * ey)).clamp(0.0, 1.0);
        best = best.min((vx - t * ex).hypot(vy - t * ey));
    }
    if inside { 0.0 } else { best }
}

/// Whether two shapes share ground, by points of a fine grid over the one: a method that
/// knows nothing of axes.
fn shares_ground(a: Pose, b: Pose) -> (bool, bool) {
    let shape = corners(b, SIZE);
    let angle = (a.facing.degrees() as f64).to_radians();
    let (s, c) = angle.sin_cos();
    let (mut deep, mut any) = (false, false);
    for i in 0..=40 {
        for j in 0..=20 {
            let (r, f) = (-80.0 + 4.0 * f64::from(i), -40.0 + 4.0 * f64::from(j));
            let p = (a.at.x as f64 + r * c + f * s, a.at.y as f64 + f * c - r * s);
            let n = shape.len();
            let depth = (0..n)
                .map(|k| {
                    let (p0, p1) = (shape[k], shape[(k + 1) % n]);
                    let (ex, ey) = (p1.0 - p0.0, p1.1 - p0.1);
                    -(ex * (p.1 - p0.1) - ey * (p.0 - p0.0)) / ex.hypot(ey)
                })
                .fold(f64::MAX, f64::min);
            any |= depth > 0.0;
            deep |= depth > 9.0;
        }
    }
    (deep, any)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn corners_are_where_sine_and_cosine_put_them(pose in pose()) {
        let exact = pose.corners(compass(), SIZE);
        for (p, (x, y)) in exact.iter().zip(corners(pose, SIZE)) {
            prop_assert!((p.x as f64 - x).abs() < 0.51 && (p.y as f64 - y).abs() < 0.51, "{p:?} {x} {y}");
        }
    }

    #[test]
    fn bases_overlap_where_they_share_ground(a in pose(), b in pose()) {
        let (x, y) = (a.corners(compass(), SIZE), b.corners(compass(), SIZE));
        let exact = overlap(&x, &y, data().slack);
        prop_assert_eq!(exact, overlap(&y, &x, data().slack), "it is the same from both sides");
        let (deep, any) = shares_ground(a, b);
        prop_assert!(!deep || exact, "they share ground well inside");
        // Corners may cut in between the points of the grid.
        let touching = distance(&corners(b, SIZE), (a.at.x as f64, a.at.y as f64)) < 180.0;
        prop_assert!(!exact || any || touching);
    }

    #[test]
    fn far_apart_is_never_overlap(a in pose(), b in pose()) {
        let (x, y) = (a.corners(compass(), SIZE), b.corners(compass(), SIZE));
        let gap = corners(a, SIZE).iter().map(|p| distance(&corners(b, SIZE), *p)).fold(f64::MAX, f64::min)
            .min(corners(b, SIZE).iter().map(|p| distance(&corners(a, SIZE), *p)).fold(f64::MAX, f64::min));
        // Edges that cross have no corner in the other; then `gap` is no gap.
        if gap > 2.0 && !shares_ground(a, b).1 && !shares_ground(b, a).1 {
            prop_assert!(!overlap(&x, &y, 4) || gap < 90.0);
        }
    }

    #[test]
    fn the_nearest_point_is_as_near_as_can_be(a in pose(), x in 0_i64..900, y in 0_i64..900) {
        let shape = a.corners(compass(), SIZE);
        let p = Point::new(x, y);
        let found = nearest(&shape, p);
        let by_floats = distance(&corners(a, SIZE), (x as f64, y as f64));
        let ours = (p.square_to(found) as f64).sqrt();
        prop_assert!((ours - by_floats).abs() < 1.6, "{ours} {by_floats}");
        prop_assert!(!contains(&shape, p) || found == p, "who is inside is at no distance");
    }

    #[test]
    fn shapes_are_near_within_their_distance(a in pose(), b in pose(), reach in 0_i64..200) {
        let (x, y) = (a.corners(compass(), SIZE), b.corners(compass(), SIZE));
        let gap = corners(a, SIZE).iter().map(|p| distance(&corners(b, SIZE), *p)).fold(f64::MAX, f64::min)
            .min(corners(b, SIZE).iter().map(|p| distance(&corners(a, SIZE), *p)).fold(f64::MAX, f64::min));
        if gap < reach as f64 - 2.0 {
            prop_assert!(near(&x, &y, reach));
        }
        if gap > reach as f64 + 2.0 && !overlap(&x, &y, 0) {
            prop_assert!(!near(&x, &y, reach));
        }
    }

    #[test]
    fn the_way_to_a_point_is_the_nearest_degree(a in pose(), x in 0_i64..5000, y in 0_i64..5000) {
        let to = Point::new(x, y);
        prop_assume!(a.at.square_to(to) > 100);
        let facing = compass().toward(a.at, to);
        let exact = ((x - a.at.x) as f64).atan2((y - a.at.y) as f64).to_degrees().rem_euclid(360.0);
        let off = (facing.degrees() as f64 - exact + 540.0).rem_euclid(360.0) - 180.0;
        prop_assert!(off.abs() <= 0.51, "{} for {exact}", facing.degrees());
    }

    #[test]
    fn there_and_back_is_the_same_place(a in pose(), right in -900_i64..900, forward in -900_i64..900) {
        let p = compass().place(a.at, a.facing, right, forward);
        let (r, f) = compass().local(a.at, a.facing, p);
        prop_assert!((r - right).abs() <= 1 && (f - forward).abs() <= 1);
    }

    #[test]
    fn a_hull_holds_every_point(points in prop::collection::vec((0_i64..500, 0_i64..500), 3..12)) {
        let points: Vec<Point> = points.into_iter().map(|(x, y)| Point::new(x, y)).collect();
        let shape = hull(&points);
        prop_assume!(shape.len() > 2);
        for p in &points {
            prop_assert!(contains(&shape, *p));
        }
    }

    #[test]
    fn a_base_set_against_another_is_in_contact(a in pose(), slide in -155_i64..155) {
        // Front to front, slid sideways: the shared edge is what is left of the front.
        let spot = compass().place(a.at, a.facing, slide, SIZE.depth);
        let b = Pose { at: spot, facing: a.facing.back() };
        let found = front_contact(compass(), (a, SIZE), (b, SIZE), data().touch, 2 * data().slack);
        let shared = SIZE.front - slide.abs();
        match found {
            Some((length, _)) => prop_assert!((length - shared).abs() <= 3, "{length} {shared}"),
            None => prop_assert!(shared <= 2 * data().slack + 3),
        }
        let (x, y) = (a.corners(compass(), SIZE), b.corners(compass(), SIZE));
        prop_assert!(!overlap(&x, &y, data().slack), "they touch, and do not overlap");
    }
}

#[test]
fn corners_alone_are_no_contact() {
    let a = Pose { at: Point::new(1000, 1000), facing: Facing::of(0) };
    for (right, forward) in [(160, 80), (-160, 80), (170, 80), (0, 95)] {
        let b =
            Pose { at: compass().place(a.at, a.facing, right, forward), facing: Facing::of(180) };
        let found = front_contact(compass(), (a, SIZE), (b, SIZE), 10, 4);
        assert!(found.is_none(), "{right} {forward}: {found:?}");
    }
}

#[test]
fn the_table_of_directions_is_that_of_the_sines() {
    for degrees in 0..360 {
        let exact = f64::from(i32::try_from(degrees).unwrap()).to_radians().sin();
        let ours = compass().sine(Facing::of(degrees)) as f64 / compass().scale() as f64;
        assert!((exact - ours).abs() < 0.000_001, "{degrees}: {exact} {ours}");
    }
}
