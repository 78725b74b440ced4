//! Whole games of random players, with every law that the rules imply checked after
//! each phase.

use std::collections::{BTreeMap, BTreeSet};

use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{FormHeader, Game, PhaseInput, Submission};
use despatch::omdurman::board::Terrain;
use despatch::omdurman::cite;
use despatch::omdurman::data::{Army, Cell, Data, Kind, UnitId};
use despatch::omdurman::events::{Event, Fight, FightKind};
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{Place, State, Window};

use super::players::{Luck, orders};
use super::{Counts, game, game_id, seats, two_seats};

/// Plays one game to its end; the result, and how many phases it took.
fn play(game: &Omdurman, seed: u64, several: bool, thorough: bool) -> (String, u32) {
    let data = game.data();
    let mut luck = Luck::new(seed);
    let roster = if several {
        seats(&[
            ("british", "british", &["garrison"]),
            ("british-flotilla", "british", &["flotilla"]),
            ("dervish", "dervish", &["mulazmin"]),
            ("dervish-guns", "dervish", &["guns"]),
            ("dervish-west-bank", "dervish", &["west-bank"]),
        ])
    } else {
        two_seats()
    };
    let mut state = game.initial_state(&game_id(), &roster).unwrap();
    for phase in 1..200 {
        let before = State::parse(data, &state).unwrap();
        assert_eq!(before.to_text(data, None), state, "a state survives its text");
        let outlook = game.outlook(&state).unwrap();
        if outlook.window.is_none() {
            return (outlook.result.unwrap(), phase - 1);
        }
        assert!(!outlook.asks.is_empty(), "a phase asks somebody: {}", outlook.heading);
        let mut submissions: BTreeMap<Id, Submission> = BTreeMap::new();
        for seat in &roster {
            let player = &seat.player;
            let text = orders(data, &before, player, &mut luck);
            let source = Source::new(&format!("{player}.toml"), &text);
            form_passes(game, &state, player, phase);
            let checked = game.check(&state, player, &source).unwrap();
            let errors: Vec<String> = checked
                .faults
                .iter()
                .filter(|f| f.severity == despatch::core::diag::Severity::Error)
                .map(|f| f.render(&source, false))
                .collect();
            assert!(
                checked.refused == 0 && errors.is_empty(),
                "seed {seed} phase {phase}: a lawful order is refused\n{}",
                errors.join("\n")
            );
            let missing = luck.percent(4);
            let asked = outlook.asks.contains(player);
            submissions.insert(
                player.clone(),
                match (missing, asked) {
                    (true, true) => Submission::Missing,
                    (true, false) => Submission::Idle,
                    _ => Submission::File(source),
                },
            );
        }
        let input = PhaseInput {
            game: game_id(),
            phase,
            prev: "0".repeat(64),
            state: state.clone(),
            orders: submissions,
            rehearsal: false,
        };
        let mut dice = Roller::seeded(&luck.hex64());
        let resolution = game.adjudicate(&input, &mut dice).unwrap();
        let events: Vec<Event> =
            resolution.events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let after = State::parse(data, &resolution.state).unwrap();
        laws(data, &before, &events, &after, seed, phase);
        if thorough {
            for (viewer, report) in &resolution.reports {
                for line in report.text.lines() {
                    assert!(line.chars().count() <= 72, "{viewer}: a line is too long: {line}");
                }
                serde_json::from_str::<serde_json::Value>(&report.json).unwrap();
            }
        }
        state = resolution.state;
    }
    panic!("seed {seed}: the game does not end");
}

/// A form sent back unchanged passes the check.
pub fn form_passes(game: &Omdurman, state: &str, player: &Id, phase: u32) {
    let view = game.view(state, &Viewer::Player(player.clone())).unwrap();
    let header = FormHeader {
        game: game_id(),
        phase,
        player: player.clone(),
        head: "0".repeat(64),
        ticket: "1".repeat(64),
    };
    let form = game.form(&view, &header).unwrap();
    let checked = game.check(&view, player, &Source::new("form.toml", &form)).unwrap();
    assert!(checked.faults.is_empty(), "{:?}\n{form}", checked.faults);
    assert_eq!((checked.accepted, checked.refused), (0, 0));
}

/// The laws of the rules, over one phase.
fn laws(data: &Data, before: &State, events: &[Event], after: &State, seed: u64, phase: u32) {
    let here = format!("seed {seed} phase {phase} ({})", before.window.id());
    let mut state = before.clone();
    let mut fired: BTreeSet<(FightKind, String)> = BTreeSet::new();
    let mut attacked: BTreeSet<(FightKind, String)> = BTreeSet::new();
    for event in events {
        match event {
            Event::Fight(fight) => {
                assert!(attacked.insert((fight.kind, fight.target.clone())), "{here}: one attack");
                for part in &fight.attack.parts {
                    assert!(fired.insert((fight.kind, part.unit.clone())), "{here}: fires once");
                }
                fight_laws(data, &state, fight, &here);
            }
            Event::Moved { unit, path, cost, allowance }
            | Event::Entered { unit, path, cost, allowance } => {
                assert!(cost <= allowance, "{here}: {unit} beyond its allowance");
                let id = data.find(unit).unwrap();
                assert!(!state.disrupted(id), "{here}: a disrupted unit moves");
                assert_ne!(data.unit(id).kind, Kind::Fort);
                assert_ne!(Some(id), data.scenario.gordon_id());
                for pair in path.windows(2) {
                    let jump = pair[0].distance(pair[1]) > 1;
                    assert!(!jump || data.unit(id).kind.is_gunboat(), "{here}: {unit} jumps");
                }
            }
            Event::Advanced { from, to, unit, .. } => {
                assert_eq!(from.distance(*to), 1, "{here}: {unit} advances one hex");
            }
            Event::Eliminated { unit, .. } => {
                let id = data.find(unit).unwrap();
                assert!(state.hex(id).is_some(), "{here}: {unit} is lost twice");
                assert_ne!(Some(id), data.scenario.gordon_id(), "{here}: Gordon is shot");
            }
            _ => {}
        }
        state.apply(data, event);
    }
    assert_eq!(&state, after, "{here}: the fold of the events is the state after");
    state_laws(data, before, after, &here);
}

fn fight_laws(data: &Data, state: &State, fight: &Fight, here: &str) {
    for rolled in std::iter::once(&fight.attack).chain(&fight.defence) {
        let sum: u32 = rolled.parts.iter().map(|p| p.factors).sum();
        assert_eq!(sum, rolled.factors, "{here}");
        let drm: i32 = rolled.modifiers.iter().map(|m| m.drm).sum();
        assert_eq!(rolled.total, i32::try_from(rolled.die).unwrap() + drm, "{here}");
        let cell = data.charts.result(rolled.factors, rolled.total);
        let text = match cell {
            Cell::Nothing => "-".to_owned(),
            Cell::Disrupt => "D".to_owned(),
            Cell::Eliminate(n) => n.to_string(),
        };
        assert_eq!(text, rolled.result, "{here}: the chart");
        if !matches!(cell, Cell::Disrupt) {
            assert!(rolled.disrupted.is_empty(), "{here}: a number disrupts nobody");
        }
        for part in &rolled.parts {
            let id = data.find(&part.unit).unwrap();
            let may = data.rulings.disrupted_defend && fight.kind == FightKind::Melee;
            assert!(may || !state.disrupted(id), "{here}: {} fights disrupted", part.unit);
            assert_eq!(state.hex(id), Some(part.from), "{here}");
        }
    }
    for part in &fight.attack.parts {
        assert_eq!(data.unit(data.find(&part.unit).unwrap()).army, fight.attacker, "{here}");
    }
}

fn state_laws(data: &Data, before: &State, after: &State, here: &str) {
    let position = Position::new(data, after);
    for hex in data.board.grid.hexes() {
        for army in [Army::AngloEgyptian, Army::Dervish] {
            let units: Vec<UnitId> = position.of(army, hex).collect();
            for (i, id) in units.iter().enumerate() {
                let others: Vec<UnitId> =
                    units.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, u)| *u).collect();
                let joins = position.may_join(hex, &others, *id);
                assert!(joins.is_ok(), "{here}: {hex} {:?}", joins.unwrap_err().to_string());
            }
        }
        let sides: BTreeSet<Army> = position
            .at(hex)
            .iter()
            .filter(|id| data.unit(**id).kind != Kind::Staff)
            .map(|id| data.unit(*id).army)
            .collect();
        assert!(sides.len() < 2, "{here}: both sides in {hex}");
    }
    for id in data.ids() {
        let unit = data.unit(id);
        if let Some(hex) = after.hex(id) {
            let nile = data.board.terrain(hex) == Terrain::Nile;
            assert_eq!(nile, unit.kind.is_gunboat(), "{here}: {} in {hex}", unit.id);
        }
        if matches!(before.unit(id).place, Place::Eliminated(_) | Place::Out) {
            assert_eq!(before.unit(id), after.unit(id), "{here}: {} comes back", unit.id);
        }
        if after.disrupted(id) {
            assert!(after.hex(id).is_some() && unit.kind != Kind::Fort, "{here}: {}", unit.id);
        }
    }
    assert!(before.breaches.is_subset(&after.breaches), "{here}: a breach is mended");
    assert_eq!(after.result.is_some(), after.window == Window::End, "{here}");
}

/// The game with every reading that has another choice, in that other choice.
fn other_readings() -> Omdurman {
    game(
        "brisk",
        &[
            ("losses", "random"),
            ("forts-and-stacking", "free"),
            ("guns-and-tribes", "own-group"),
            ("d-against-attackers", "disrupts"),
            ("disrupted-in-melee", "normal"),
            ("recovery", "full-turn"),
            ("own-rampart", "blocks"),
            ("hexspine", "either"),
            ("corner", "either"),
            ("hut-beside-breach", "breach"),
            ("gates-and-sight", "wall"),
            ("late-entry", "barred"),
            ("standing-fire", "hold"),
            ("beside-the-wall", "both"),
        ],
    )
}

/// How many games the ordinary test run plays.
const GAMES: u64 = 200;

#[test]
fn random_players_keep_every_law() {
    let brisk = game("brisk", &[]);
    let strict = game("strict", &[]);
    let other = other_readings();
    let mut results: Counts = Counts::new();
    let mut phases = 0;
    for seed in 0..GAMES {
        let table = match seed % 4 {
            0 | 1 => &brisk,
            2 => &strict,
            _ => &other,
        };
        let (result, took) = play(table, seed, seed % 3 == 0, seed % 10 == 0);
        *results.entry(result).or_default() += 1;
        phases += took;
    }
    assert!(results.len() > 2, "several ends are seen: {results:?}");
    println!("{GAMES} games, {phases} phases: {results:?}");
}

/// Rules that random players exercised, with how often.
pub fn exercised() -> BTreeMap<&'static str, u64> {
    cite::start_counting();
    for (table, seeds) in [
        (game("brisk", &[]), 1000..1040),
        (game("strict", &[]), 1040..1050),
        (other_readings(), 1050..1060),
    ] {
        for seed in seeds {
            play(&table, seed, seed % 3 == 0, false);
        }
    }
    cite::stop_counting()
}
