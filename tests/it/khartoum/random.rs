//! Whole games of random players, with every law that the rules imply checked after
//! each phase.

use std::collections::BTreeMap;

use despatch::core::diag::Severity;
use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{FormHeader, Game, PhaseInput, Resolution, Seat, Submission};
use despatch::omdurman::cite;
use despatch::omdurman::events::Event;
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::irregular::irregular;
use despatch::omdurman::state::State;
use despatch::omdurman::view::view;

use super::laws::Laws;
use super::players::{Leaning, Luck, orders};
use super::starts::Start;
use super::{Counts, game_id, game_of, secrets, starts, whole_sides};

/// How a game is played.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// Up to three players a side.
    pub several: bool,
    /// Reports, forms and secrets are looked at too.
    pub thorough: bool,
    /// Phases after which the game is broken off; 0 for none.
    pub phases: u32,
}

/// What became of a game.
#[derive(Debug)]
pub struct Played {
    /// Its result; nothing if it was broken off.
    pub result: Option<String>,
    /// How many phases it took.
    pub phases: u32,
    /// Rare things that happened.
    pub seen: Counts,
    /// Files with an order for many that found no room.
    pub crowded: u32,
    /// The last state.
    pub state: State,
}

/// The seats of a game: one player a side, or the commands of each dealt out to three.
fn roster(game: &Omdurman, several: bool) -> Vec<Seat> {
    if !several {
        return whole_sides(game);
    }
    let mut seats: Vec<Seat> = Vec::new();
    for (side, commands) in &game.scenario().sides {
        for part in commands.chunks(commands.len().div_ceil(3)) {
            seats.push(Seat {
                player: Id::player(&format!("{side}-{}", part[0])).unwrap(),
                side: side.clone(),
                commands: part.to_vec(),
            });
        }
    }
    seats.sort_by(|a, b| a.player.cmp(&b.player));
    seats
}

/// Plays one game of random players from its beginning, or from a start position, to
/// its end.
pub fn play(
    game: &Omdurman,
    start: Option<&starts::Start>,
    seed: u64,
    manner: Manner,
    leaning: Leaning,
) -> Played {
    let data = game.data();
    play_with(game, start, seed, manner, &mut |view, player, luck| {
        orders(data, view, player, luck, leaning)
    })
}

/// Plays one game with the orders that somebody writes for each player.
pub fn play_with(
    game: &Omdurman,
    start: Option<&starts::Start>,
    seed: u64,
    manner: Manner,
    write: &mut dyn FnMut(&State, &Id, &mut Luck) -> String,
) -> Played {
    let data = game.data();
    let mut luck = Luck::new(seed);
    let roster = roster(game, manner.several);
    let mut state = match start {
        None => game.initial_state(&game_id(), &roster).unwrap(),
        Some(start) => start.state(data, &roster).to_text(data, None),
    };
    let mut laws = Laws::new(data, &State::parse(data, &state).unwrap());
    let mut crowded = 0;
    for phase in 1..600 {
        let before = State::parse(data, &state).unwrap();
        assert_eq!(before.to_text(data, None), state, "a state survives its text");
        let here = format!("seed {seed} phase {phase} ({})", before.window.id());
        let outlook = game.outlook(&state).unwrap();
        if outlook.window.is_none() || (manner.phases > 0 && phase > manner.phases) {
            let (result, met) = (outlook.result, laws.seen);
            return Played { result, phases: phase - 1, seen: met, crowded, state: before };
        }
        let mut submissions: BTreeMap<Id, Submission> = BTreeMap::new();
        for seat in &roster {
            let player = &seat.player;
            let viewer = Viewer::Player(player.clone());
            let shown = view(data, &before, &viewer);
            let text = write(&shown, player, &mut luck);
            if manner.thorough {
                form_passes(game, &state, player, phase);
            }
            let text_seen = shown.to_text(data, Some(&viewer.to_string()));
            let (source, full) = checked(game, &text_seen, player, &text, &here);
            crowded += u32::from(full);
            let asked = outlook.asks.contains(player);
            submissions.insert(
                player.clone(),
                match (luck.percent(4), asked) {
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
        let dice = luck.hex64();
        let resolution = game.adjudicate(&input, &mut Roller::seeded(&dice)).unwrap();
        let events: Vec<Event> =
            resolution.events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let after = State::parse(data, &resolution.state).unwrap();
        laws.phase(&before, &events, &after, &here);
        assert_eq!(irregular(data, &after), [""; 0], "{here}: what the rules brought about");
        if manner.thorough {
            reports_are_sound(&resolution, &here);
            secrets::kept(game, &input, &dice, &resolution, &events, &here);
        }
        state = resolution.state;
    }
    panic!("seed {seed}: the game does not end");
}

/// A lawful file is never refused. Orders for many at once may find no room for
/// somebody, which nobody can know beforehand; such a file is not sent.
fn checked(game: &Omdurman, view: &str, player: &Id, text: &str, here: &str) -> (Source, bool) {
    let source = Source::new(&format!("{player}.toml"), text);
    let checked = game.check(view, player, &source).unwrap();
    let errors: Vec<String> = checked
        .faults
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .map(|f| f.render(&source, false))
        .collect();
    if errors.iter().any(|e| e.contains("finds no hex with room on its way")) {
        return (Source::new(&format!("{player}.toml"), ""), true);
    }
    assert!(
        checked.refused == 0 && errors.is_empty(),
        "{here}: a lawful order of {player} is refused\n{}\n{text}",
        errors.join("\n")
    );
    (source, false)
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

/// Reports are 72 columns wide, and their twins are JSON.
fn reports_are_sound(resolution: &Resolution, here: &str) {
    for (viewer, report) in &resolution.reports {
        for line in report.text.lines() {
            assert!(line.chars().count() <= 72, "{here}: {viewer}: a line is too long: {line}");
        }
        serde_json::from_str::<serde_json::Value>(&report.json).unwrap();
    }
}

/// Khartoum with every reading that has another choice, in that other choice.
fn other_khartoum() -> Omdurman {
    game_of(
        "khartoum",
        &[],
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

/// The readings of the large scenarios, each in its other choice.
const OTHERS: [(&str, &str); 18] = [
    ("losses", "random"),
    ("forts-and-stacking", "free"),
    ("guns-and-tribes", "own-group"),
    ("fire-at-a-fort", "bare"),
    ("d-against-attackers", "disrupts"),
    ("disrupted-in-melee", "normal"),
    ("recovery", "full-turn"),
    ("sight-units", "both"),
    ("hilltop-to-ground", "3"),
    ("ground-over-hilltop", "rough-only"),
    ("crest-note", "one"),
    ("gate-on-a-road", "road"),
    ("entrenched", "across"),
    ("zariba-faces", "swapped"),
    ("howitzer-impact", "shared"),
    ("emptied-by-retreat", "advance"),
    ("desertion", "down"),
    ("chain-line", "any"),
];

/// A scenario of the large map, as a seed has it: cadence, option, readings.
fn large(scenario: &str, seed: u64) -> Omdurman {
    let options = match (scenario, seed % 4) {
        ("omdurman-campaign", 0) => vec!["mines".to_owned()],
        ("omdurman-campaign", 1) => vec!["chain".to_owned()],
        ("omdurman-campaign", 2) => vec!["mines-or-chain".to_owned()],
        _ => Vec::new(),
    };
    let cadence = if seed % 5 == 3 { "strict" } else { "brisk" };
    let mut rulings: Vec<(&str, &str)> = Vec::new();
    if seed % 3 == 2 {
        rulings.extend(OTHERS);
        if seed.is_multiple_of(2) {
            rulings.push(("drifted-off", "eliminated"));
        }
    }
    game_of(scenario, &options, cadence, &rulings)
}

fn manner(seed: u64) -> Manner {
    Manner { several: seed.is_multiple_of(3), thorough: seed.is_multiple_of(4), phases: 0 }
}

/// How many games a test plays: more, where the environment asks for so many times as
/// many.
fn games(n: u64) -> u64 {
    let times = std::env::var("DESPATCH_GAMES").ok().and_then(|n| n.parse().ok());
    n * times.unwrap_or(1)
}

fn add(all: &mut Counts, some: Counts) {
    for (key, n) in some {
        *all.entry(key).or_default() += n;
    }
}

/// Adds up what became of games, and prints it.
#[derive(Debug, Default)]
struct Tally {
    games: u32,
    phases: u32,
    crowded: u32,
    results: Counts,
    seen: Counts,
}

impl Tally {
    fn count(&mut self, played: Played) {
        self.games += 1;
        self.phases += played.phases;
        self.crowded += played.crowded;
        let result = played.result.unwrap_or_else(|| "broken off".to_owned());
        *self.results.entry(result).or_default() += 1;
        add(&mut self.seen, played.seen);
    }

    fn saw(&self, what: &[&str]) {
        println!("{self:?}");
        let never: Vec<&&str> = what.iter().filter(|w| !self.seen.contains_key(**w)).collect();
        assert!(never.is_empty(), "it never happened: {never:?}");
        assert!(self.crowded * 20 <= self.phases, "too many orders find no room: {self:?}");
    }
}

#[test]
fn random_players_keep_every_law() {
    let brisk = game_of("khartoum", &[], "brisk", &[]);
    let strict = game_of("khartoum", &[], "strict", &[]);
    let other = other_khartoum();
    let mut tally = Tally::default();
    for seed in 0..games(200) {
        let table = match seed % 4 {
            0 | 1 => &brisk,
            2 => &strict,
            _ => &other,
        };
        let manner = Manner { thorough: seed % 10 == 0, ..manner(seed) };
        tally.count(play(table, None, seed, manner, Leaning::of(seed)));
    }
    assert!(tally.results.len() > 2, "several ends are seen: {tally:?}");
    tally.saw(&["breached", "fort lost", "gunboat sunk"]);
}

#[test]
fn random_players_keep_every_law_of_the_historical_battle() {
    let mut tally = Tally::default();
    for seed in 0..games(16) {
        let table = large("omdurman-historical", seed);
        tally.count(play(&table, None, seed, manner(seed), Leaning::of(seed)));
    }
    tally.saw(&["retreated", "howitzer alone", "leader lost"]);
}

#[test]
fn random_players_keep_every_law_of_the_campaign() {
    let mut tally = Tally::default();
    for seed in 0..games(12) {
        let table = large("omdurman-campaign", seed);
        tally.count(play(&table, None, seed, manner(seed), Leaning::of(seed)));
    }
    tally.saw(&["hidden", "deserted", "retreated", "built"]);
}

#[test]
fn random_players_keep_every_law_where_rare_things_are_near() {
    let mut tally = Tally::default();
    for start in starts::all() {
        let mut one = Tally::default();
        for seed in 0..games(start.games) {
            let table = game_of(start.scenario, &start.options(), Start::cadence(seed), &[]);
            let manner = Manner { phases: start.phases, ..manner(seed) };
            one.count(play(&table, Some(&start), seed, manner, Leaning::of(seed + 1)));
        }
        println!("{}:", start.name);
        one.saw(start.sees);
        tally.phases += one.phases;
    }
    println!("{} phases", tally.phases);
}

/// Rules that random players exercised, with how often.
pub fn exercised() -> BTreeMap<&'static str, u64> {
    cite::start_counting();
    for (table, seeds) in [
        (game_of("khartoum", &[], "brisk", &[]), 1000..1040),
        (game_of("khartoum", &[], "strict", &[]), 1040..1050),
        (other_khartoum(), 1050..1060),
    ] {
        for seed in seeds {
            play(&table, None, seed, Manner { thorough: false, ..manner(seed) }, Leaning::of(seed));
        }
    }
    for (scenario, seeds) in
        [("omdurman-historical", 2000..2004), ("omdurman-campaign", 2000..2002)]
    {
        for seed in seeds {
            let table = large(scenario, seed);
            play(&table, None, seed, Manner { thorough: false, ..manner(seed) }, Leaning::of(seed));
        }
    }
    // What seldom comes about by chance, from positions where it is near.
    for start in starts::all() {
        for seed in 0..start.games.min(8) {
            let table = game_of(start.scenario, &start.options(), Start::cadence(seed), &[]);
            let manner = Manner { phases: start.phases, ..Manner::default() };
            play(&table, Some(&start), 3000 + seed, manner, Leaning::of(seed + 1));
        }
    }
    cite::stop_counting()
}
