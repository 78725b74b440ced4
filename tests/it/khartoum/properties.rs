//! Laws over random input: geometry against an independent library, charts without
//! gaps, a checker that no bytes can upset.

use despatch::core::source::Source;
use despatch::game::Game;
use despatch::geometry::hex::{Dir, Hex};
use despatch::geometry::line::{Passage, line};
use despatch::omdurman::board::Terrain;
use despatch::omdurman::data::{Army, Weapon};
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{State, Window};
use proptest::prelude::*;

use super::players::{Luck, orders};
use super::{game, game_id, two_seats};

/// The same hex in the axial coordinates of `hexx`.
fn axial(hex: Hex) -> hexx::Hex {
    hexx::Hex::new((hex.x2() - hex.y()) / 2, hex.y())
}

fn any_hex() -> impl Strategy<Value = Hex> {
    (1_u8..=35, 1_u8..=48).prop_map(|(col, row)| Hex::new(col, row))
}

fn near_hex() -> impl Strategy<Value = Hex> {
    (1_u8..=14, 1_u8..=14).prop_map(|(col, row)| Hex::new(col, row))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distances_are_those_of_hexx(a in any_hex(), b in any_hex()) {
        prop_assert_eq!(a.distance(b), axial(a).unsigned_distance_to(axial(b)));
    }

    #[test]
    fn neighbours_are_those_of_hexx(a in any_hex()) {
        let mut ours: Vec<hexx::Hex> = Dir::ALL.iter().filter_map(|d| a.step(*d)).map(axial).collect();
        let mut theirs: Vec<hexx::Hex> = axial(a).all_neighbors().to_vec();
        theirs.retain(|h| ours.contains(h) || a.col > 1 && a.row > 1);
        ours.sort_by_key(|h| (h.x, h.y));
        theirs.sort_by_key(|h| (h.x, h.y));
        prop_assert_eq!(ours, theirs);
        for dir in Dir::ALL {
            if let Some(next) = a.step(dir) {
                prop_assert_eq!(next.step(dir.opposite()), Some(a));
                prop_assert_eq!(a.direction_to(next), Some(dir));
            }
        }
    }

    #[test]
    fn lines_pass_where_those_of_hexx_pass(a in near_hex(), b in near_hex()) {
        prop_assume!(a != b);
        let ours = line(a, b);
        let mut met: Vec<hexx::Hex> = vec![axial(a), axial(b)];
        met.extend(ours.crossed.iter().map(|h| axial(*h)));
        for passage in &ours.passages {
            match passage {
                Passage::Spine { beside, .. } => met.extend(beside.iter().map(|h| axial(*h))),
                Passage::Corner { third, .. } => met.push(axial(*third)),
                Passage::Cross(_) => {}
            }
        }
        for hex in axial(a).line_to(axial(b)) {
            prop_assert!(met.contains(&hex), "{a} to {b}: {hex:?} is not on our line");
        }
        // Each step leads on, and the way back is the same.
        let mut back = line(b, a).crossed;
        back.reverse();
        prop_assert_eq!(&ours.crossed, &back);
        let mut stops = vec![a];
        stops.extend(&ours.crossed);
        stops.push(b);
        for (pair, passage) in stops.windows(2).zip(&ours.passages) {
            let apart = pair[0].distance(pair[1]);
            prop_assert_eq!(apart, if matches!(passage, Passage::Spine { .. }) { 2 } else { 1 });
        }
    }

    #[test]
    fn no_bytes_upset_the_checker(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let table = game("brisk", &[]);
        let state = table.initial_state(&game_id(), &two_seats()).unwrap();
        if let Ok(source) = Source::from_bytes("any.toml", &bytes) {
            let player = two_seats()[0].player.clone();
            let checked = table.check(&state, &player, &source).unwrap();
            for fault in &checked.faults {
                fault.render(&source, false);
            }
        }
    }

    #[test]
    fn no_spoilt_order_file_upsets_the_checker(
        seed in 0_u64..200,
        window in 0_usize..3,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..12),
    ) {
        let table = game("brisk", &[]);
        let mut state = State::initial(table.data(), &game_id(), &two_seats());
        state.window = [Window::Setup, Window::Move, Window::Combat][window];
        state.turn = 1;
        let player = two_seats()[usize::from(window > 0)].player.clone();
        let mut text = orders(table.data(), &state, &player, &mut Luck::new(seed)).into_bytes();
        text.extend_from_slice(b"\n[[fire]]\nunits = [\"mulazmin-01\"]\nat = [\"0512:SE\", \"0402:fort\"]\n");
        for (index, byte, kind) in cuts {
            let at = index.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => { text.remove(at); }
            }
        }
        if let Ok(source) = Source::from_bytes("spoilt.toml", &text) {
            let view = state.to_text(table.data(), None);
            let checked = table.check(&view, &player, &source).unwrap();
            for fault in &checked.faults {
                fault.render(&source, false);
            }
        }
    }
}

#[test]
fn charts_are_total() {
    let table = game("brisk", &[]);
    let charts = &table.data().charts;
    for factors in 0..400 {
        for roll in -20..30 {
            charts.result(factors, roll);
        }
    }
    assert_eq!(charts.row(1).0, "1-5");
    assert_eq!(charts.row(26).0, "26-30");
    assert_eq!(charts.row(400).0, "41+");
    for army in [Army::Dervish, Army::AngloEgyptian] {
        for weapon in [Weapon::Spears, Weapon::Rifles, Weapon::Artillery] {
            for distance in 0..30 {
                let reach = charts.reach(army, weapon);
                let effect = charts.range(army, weapon, distance);
                assert_eq!(effect.is_some(), (1..=reach).contains(&distance));
            }
        }
    }
}

#[test]
fn the_city_is_what_the_flood_fill_finds() {
    // Loading compares the list with the fill; here is what depends on it.
    let table = game("brisk", &[]);
    let board = &table.data().board;
    let inside = board.grid.hexes().filter(|h| board.inside(*h)).count();
    assert_eq!(inside, 119);
    for gate in board.gate_names.values() {
        let (a, b) = gate.hexes();
        assert_ne!(board.inside(a), board.inside(b.unwrap()), "{gate} leads out of the city");
    }
}

#[test]
fn nobody_is_in_a_zone_of_control_across_water_or_into_houses() {
    let table = game("brisk", &[]);
    let data = table.data();
    let mut state = State::initial(data, &game_id(), &two_seats());
    let hexes: Vec<Hex> =
        data.board.grid.hexes().filter(|h| data.board.terrain(*h) != Terrain::Nile).collect();
    let unit = data.find("mulazmin-01").unwrap();
    for hex in &hexes {
        state.units[usize::from(unit.0)].place = despatch::omdurman::state::Place::At(*hex);
        let position = Position::new(data, &state);
        for (_, next) in data.board.neighbours(*hex) {
            if position.in_zone(Army::AngloEgyptian, next) == Some(unit) {
                let ground = data.board.terrain(next);
                assert!(!matches!(ground, Terrain::Nile | Terrain::Huts | Terrain::Building));
            }
        }
    }
}
