//! Laws over random input: geometry against an independent library, charts without
//! gaps, a checker that no bytes can upset.

use std::collections::BTreeMap;
use std::sync::Mutex;

use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::game::Game;
use despatch::geometry::hex::{Dir, Hex};
use despatch::geometry::line::{Passage, line};
use despatch::omdurman::board::Terrain;
use despatch::omdurman::data::{Army, Weapon};
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{State, Window};
use proptest::prelude::*;

use super::players::{Leaning, Luck, orders};
use super::{game, game_id, game_of, starts, two_seats, whole_sides};

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

/// One order of each kind of the large map, lawful or not.
const EVERY_KIND: &str = r#"
[[place]]
units = ["mulazmin-01..04", "1e"]
hex = "1511"
[[hide]]
note = "chain 2138 2238 2338 2438"
salt = "0000000000000000000000000000000000000000000000000000000000000000"
[[load]]
units = ["friendlies-1"]
boat = "sultan"
[[enter]]
units = ["jaalin"]
at = ["0120"]
towards = "1140"
[[move]]
stack = "2716"
path = ["2715", "2714"]
[[follow]]
units = ["jaalin-01..25"]
leader = "yakub"
[[disembark]]
units = ["friendlies-2"]
to = "2816"
[[construct]]
units = ["1b"]
[[demolish]]
units = ["royal-eng"]
at = ["1540:SE"]
[[desert]]
units = ["kehena"]
[[fire]]
units = ["sultan"]
at = ["2212", "2138:chain", "2539:fort", "1540:SE"]
weapon = "howitzer"
combine = true
advance = true
[[second]]
units = ["maxim-batt-1..4"]
at = ["2212"]
[[hold]]
stack = "2717"
[[melee]]
units = ["mulazmin"]
at = ["2713", "2615"]
[[retreat]]
units = ["camel-corps-1"]
path = ["2712", "2612"]
[standing]
losses = ["mulazmin", "1b"]
retreat = "never"
fire = "hold"
"#;

/// A scenario's game, loaded once.
fn loaded(scenario: &str, options: &[String]) -> &'static Omdurman {
    static GAMES: Mutex<BTreeMap<String, &'static Omdurman>> = Mutex::new(BTreeMap::new());
    let mut games = GAMES.lock().unwrap();
    let key = format!("{scenario} {options:?}");
    games
        .entry(key)
        .or_insert_with(|| Box::leak(Box::new(game_of(scenario, options, "brisk", &[]))))
}

/// Changes, adds and takes out bytes, words and lines, and has the rest checked.
fn spoil_and_check(
    table: &Omdurman,
    state: &State,
    player: &Id,
    mut text: Vec<u8>,
    cuts: &[(prop::sample::Index, u8, u8)],
) {
    for (index, byte, kind) in cuts {
        let at = index.index(text.len());
        match kind {
            0 => text[at] = *byte,
            1 => text.insert(at, *byte),
            2 => {
                text.remove(at);
            }
            // A digit for another: a hex or a unit that is none, or another.
            3 => {
                if let Some(n) = text[at..].iter().position(u8::is_ascii_digit) {
                    text[at + n] = b'0' + byte % 10;
                }
            }
            // A line twice.
            _ => {
                let start = text[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
                let end =
                    text[at..].iter().position(|b| *b == b'\n').map_or(text.len(), |n| at + n);
                let line = [&text[start..end], b"\n"].concat();
                text.splice(start..start, line);
            }
        }
    }
    if let Ok(source) = Source::from_bytes("spoilt.toml", &text) {
        let view = state.to_text(table.data(), None);
        let checked = table.check(&view, player, &source).unwrap();
        for fault in &checked.faults {
            fault.render(&source, false);
        }
    }
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
        let text = orders(table.data(), &state, &player, &mut Luck::new(seed), Leaning::of(seed));
        let text = text + "\n[[fire]]\nunits = [\"mulazmin-01\"]\nat = [\"0512:SE\", \"0402:fort\"]\n";
        spoil_and_check(&table, &state, &player, text.into_bytes(), &cuts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_spoilt_order_file_of_the_large_map_upsets_the_checker(
        start in any::<prop::sample::Index>(),
        window in 0_usize..4,
        seed in 0_u64..200,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..5), 1..12),
    ) {
        let starts = starts::all();
        let start = start.get(&starts);
        let table = loaded(start.scenario, &start.options());
        let seats = whole_sides(table);
        let mut state = start.state(table.data(), &seats);
        state.window = [Window::Setup, Window::Move, Window::Combat, Window::Setup2][window];
        for seat in &seats {
            let leaning = Leaning { digs: true, many: seed % 2 == 0 };
            let text = orders(table.data(), &state, &seat.player, &mut Luck::new(seed), leaning);
            spoil_and_check(table, &state, &seat.player, (text + EVERY_KIND).into_bytes(), &cuts);
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
