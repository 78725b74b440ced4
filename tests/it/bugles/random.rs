//! Whole games of random players, with every law that the rules imply checked after each
//! phase.

use std::collections::BTreeMap;

use despatch::bugles::events::Event;
use despatch::bugles::game::Bugles;
use despatch::bugles::irregular::irregular;
use despatch::bugles::state::State;
use despatch::bugles::view::view;
use despatch::core::cite;
use despatch::core::diag::Severity;
use despatch::core::dice::Roller;
use despatch::core::hash::Hex64;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{FormHeader, Game, PhaseInput, Resolution, Seat, Submission};

use rayon::prelude::*;

use super::laws::Laws;
use super::players::{Leaning, Luck, orders};
use super::{Counts, game_id, game_of, several, whole_sides};

/// What became of a game.
#[derive(Debug)]
pub struct Played {
    pub result: String,
    pub phases: u32,
    pub seen: Counts,
}

/// The dice of a phase: real ones, that seal.
pub fn dice(phase: u32, luck: &mut Luck) -> Roller {
    let seed: Hex64 = luck.hex64().parse().unwrap();
    let secret: Hex64 = luck.hex64().parse().unwrap();
    Roller::sealing(&game_id(), phase, &seed, &secret)
}

/// Looks at a phase when it is resolved.
pub type Watch<'a> = &'a mut dyn FnMut(&PhaseInput, &Resolution, &[Event], &str);

/// Plays one game with the orders that somebody writes for each player.
pub fn play_with(
    game: &Bugles,
    seats: &[Seat],
    seed: u64,
    thorough: bool,
    write: &mut dyn FnMut(&State, &Id, &mut Luck) -> String,
    watch: Watch<'_>,
) -> Played {
    let data = game.data();
    let mut luck = Luck::new(seed);
    let mut state = game.initial_state(&game_id(), seats).unwrap();
    let mut laws = Laws::default();
    for phase in 1..200 {
        let before = State::parse(data, &state).unwrap();
        if thorough {
            assert_eq!(before.to_text(data, None), state, "a state survives its text");
        }
        let here =
            format!("{} seed {seed} phase {phase} ({})", data.scenario.info.id, before.window.id());
        let outlook = game.outlook(&state).unwrap();
        if outlook.window.is_none() {
            let result = outlook.result.unwrap();
            return Played { result, phases: phase - 1, seen: laws.seen };
        }
        let mut submissions: BTreeMap<Id, Submission> = BTreeMap::new();
        for seat in seats {
            let player = &seat.player;
            let viewer = Viewer::Player(player.clone());
            let shown = view(data, &before, &viewer);
            let text = write(&shown, player, &mut luck);
            let shown_text = shown.to_text(data, Some(&viewer.to_string()));
            if thorough {
                form_passes(game, &state, player, phase);
            }
            let source = checked(game, &shown_text, player, &text, &here);
            let asked = outlook.asks.contains(player);
            submissions.insert(
                player.clone(),
                match (luck.percent(3), asked) {
                    (true, true) => Submission::Missing,
                    (_, false) => Submission::Idle,
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
        let resolution = game.adjudicate(&input, &mut dice(phase, &mut luck)).unwrap();
        let events: Vec<Event> =
            resolution.events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let after = State::parse(data, &resolution.state).unwrap();
        laws.phase(data, &before, &events, &after, &here);
        assert_eq!(irregular(data, &after), [""; 0], "{here}: what the rules brought about");
        if thorough {
            reports_are_sound(&resolution, &here);
            watch(&input, &resolution, &events, &here);
        }
        state = resolution.state;
    }
    panic!("seed {seed}: the game does not end");
}

/// Plays one game of random players.
pub fn play(game: &Bugles, seats: &[Seat], seed: u64, thorough: bool) -> Played {
    let leaning = Leaning {
        busy: 30 + seed % 5 * 15,
        tactics: [0, 50, 90][usize::try_from(seed % 3).unwrap()],
    };
    let data = game.data();
    play_with(
        game,
        seats,
        seed,
        thorough,
        &mut |view, player, luck| orders(data, view, player, luck, leaning),
        &mut super::leaks::kept,
    )
}

/// A lawful file is never refused.
fn checked(game: &Bugles, view: &str, player: &Id, text: &str, here: &str) -> Source {
    let source = Source::new(&format!("{player}.toml"), text);
    let checked = game.check(view, player, &source).unwrap();
    let errors: Vec<String> = checked
        .faults
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .map(|f| f.render(&source, false))
        .collect();
    assert!(
        checked.refused == 0 && errors.is_empty(),
        "{here}: a lawful order of {player} is refused\n{}\n{text}",
        errors.join("\n")
    );
    source
}

/// A form sent back unchanged passes the check.
pub fn form_passes(game: &Bugles, state: &str, player: &Id, phase: u32) {
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

/// Reports are 72 columns wide, and their twins are JSON.
fn reports_are_sound(resolution: &Resolution, here: &str) {
    for (viewer, report) in &resolution.reports {
        for line in report.text.lines() {
            assert!(line.chars().count() <= 72, "{here}: {viewer}: a line is too long: {line}");
        }
        serde_json::from_str::<serde_json::Value>(&report.json).unwrap();
    }
}

/// Every reading that has another choice, in that other choice.
pub const OTHERS: [(&str, &str); 11] = [
    ("exactly-half", "destroyed"),
    ("beaten-on-foot", "nothing"),
    ("fire-in-contact", "barred"),
    ("turning-on-hold", "allowed"),
    ("macdonald-with", "unit"),
    ("overlaps-counted", "all"),
    ("arrivals-at", "cover"),
    ("through-friends", "barred"),
    ("real-per-false", "4"),
    ("storm-fire", "none"),
    ("coherency", "dressed"),
];

/// A scenario as a seed has it: cadence, option, readings.
pub fn table(scenario: &str, seed: u64) -> Bugles {
    // Most in the quickest cadence: the same rules in half the phases.
    let cadence = match seed % 6 {
        0 => "brisk",
        3 => "strict",
        _ => "single",
    };
    let options: &[&str] = match seed % 8 {
        1 => &["storm"],
        5 => &["storm", "cover-markers"],
        7 => &["cover-markers"],
        _ => &[],
    };
    let rulings: &[(&str, &str)] = if seed % 5 == 2 { &OTHERS } else { &[] };
    game_of(scenario, options, cadence, rulings)
}

/// How many games a test plays: more, where the environment asks for so many times as
/// many.
fn games(n: u64) -> u64 {
    let times = std::env::var("DESPATCH_GAMES").ok().and_then(|n| n.parse().ok());
    n * times.unwrap_or(1)
}

/// Plays games of one scenario, on both cores; results and rare things.
fn campaign(scenario: &str, count: u64, wants: &[&str]) {
    let (mut results, mut seen, mut phases) = (Counts::new(), Counts::new(), 0);
    let tables: Vec<Bugles> = (0..60).map(|n| table(scenario, n)).collect();
    let all: Vec<Played> = (0..games(count))
        .into_par_iter()
        .map(|seed| {
            let table = &tables[usize::try_from(seed % 60).unwrap()];
            let seats = if seed % 3 == 1 { several(table) } else { whole_sides(table) };
            play(table, &seats, seed, seed % 10 == 0)
        })
        .collect();
    for played in all {
        phases += played.phases;
        *results.entry(played.result).or_default() += 1;
        for (what, n) in played.seen {
            *seen.entry(what).or_default() += n;
        }
    }
    println!("{scenario}: {phases} phases, {results:?}\n{seen:?}");
    let never: Vec<&&str> = wants.iter().filter(|w| !seen.contains_key(**w)).collect();
    assert!(never.is_empty(), "it never happened: {never:?}");
}

#[test]
fn random_players_keep_every_law_of_the_solo_game() {
    campaign(
        "bugles-solo",
        180,
        &[
            "shot",
            "combat",
            "charge",
            "suppressed",
            "recoil",
            "revealed",
            "false marker",
            "marker shot",
            "MOVE to HOLD",
            "formed",
            "storm",
            "veered",
        ],
    );
}

#[test]
fn random_players_keep_every_law_of_the_club_game() {
    campaign(
        "bugles-club",
        40,
        &["disobeyed", "march", "support lost", "false marker", "regains contact"],
    );
}

#[test]
fn random_players_keep_every_law_at_el_teb() {
    campaign("el-teb", 40, &["pushed", "blocked recoil", "retires"]);
}

#[test]
fn random_players_keep_every_law_at_tamai() {
    campaign("tamai", 40, &["rejoins", "marker under fire moves"]);
}

/// Rules that random players exercised, with how often.
pub fn exercised() -> BTreeMap<&'static str, u64> {
    cite::start_counting();
    for (scenario, seeds) in [
        ("bugles-solo", 300..318_u64),
        ("bugles-club", 300..304),
        ("el-teb", 300..303),
        ("tamai", 300..303),
    ] {
        for seed in seeds {
            let table = table(scenario, seed);
            play(&table, &whole_sides(&table), seed, false);
        }
    }
    cite::stop_counting()
}
