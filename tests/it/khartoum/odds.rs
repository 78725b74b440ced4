//! Odds: exact ones against sums done by hand, whole windows against the exact ones.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use despatch::core::dice::Roller;
use despatch::core::hash::Hex64;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::game::{Game, Question, Subject, Submission, Trials};
use despatch::geometry::hex::Hex;
use despatch::odds::{Odds, simulate};
use despatch::omdurman::data::Army;
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::state::{Place, State, Window};
use serde_json::{Value, json};

use super::{game, game_id, two_seats};

/// Turn 2, a day, the Dervish to act: a breach between four Mulazmin and two Sudanese
/// battalions, and two guns that look at the wall.
fn position(table: &Omdurman, window: Window) -> String {
    let data = table.data();
    let mut state = State::initial(data, &game_id(), &two_seats());
    for (hex, units) in [
        ("1013", &["ix-sud", "xii-sud"][..]),
        ("1112", &["friendlies-1"]),
        ("1014", &["mulazmin-01", "mulazmin-02"]),
        ("1114", &["mulazmin-03", "mulazmin-04"]),
        ("1116", &["dervish-art-1", "dervish-art-2"]),
    ] {
        for unit in units {
            let id = data.find(unit).unwrap();
            state.units[usize::from(id.0)].place = Place::At(Hex::parse(hex).unwrap());
        }
    }
    for side in &data.board.walls {
        let (a, b) = side.hexes();
        let breached = [Some(a), b].map(|hex| hex.map_or(String::new(), |h| h.to_string()));
        if breached.contains(&"1013".to_owned()) && breached.contains(&"1014".to_owned()) {
            state.breaches.insert(*side);
        }
    }
    (state.turn, state.moving, state.window, state.phase) = (2, Army::Dervish, window, 4);
    state.to_text(data, None)
}

fn ask(table: &Omdurman, view: &str, line: &str) -> Value {
    let mut words = line.split(' ').map(str::to_owned);
    let question = Question { topic: words.next().unwrap(), words: words.collect() };
    table.odds(Some(view), &question).unwrap().json
}

fn window(table: &Omdurman, view: &str, dervish: &str) -> Odds {
    let file = Submission::File(Source::new("dervish.toml", dervish));
    let orders = BTreeMap::from([
        (Id::new("british").unwrap(), Submission::Missing),
        (Id::new("dervish").unwrap(), file),
    ]);
    let trials = table.trials(view, &orders).unwrap();
    simulate(&*trials, 10_000, &Hex64::digest(b"odds")).unwrap()
}

/// What no die changes is found once for all resolutions of a window: one that is the
/// first and one that comes after others must be the same.
#[test]
fn a_resolution_does_not_depend_on_those_before_it() {
    let table = game("brisk", &[]);
    let view = position(&table, Window::Combat);
    let orders = BTreeMap::from([
        (Id::new("british").unwrap(), Submission::Missing),
        (Id::new("dervish").unwrap(), Submission::Missing),
    ]);
    let once = |trials: &dyn Trials, run: u64| {
        let mut dice = Roller::streamed([5; 32], run);
        let tally = trials.once(&mut dice).unwrap();
        (tally, dice.rolls().to_vec())
    };
    let used = table.trials(&view, &orders).unwrap();
    let mut seen = Vec::new();
    for run in 0..40 {
        let fresh = table.trials(&view, &orders).unwrap();
        let (tally, rolls) = once(&*fresh, run);
        assert_eq!(once(&*used, run), (tally.clone(), rolls.clone()), "run {run}");
        assert!(rolls.iter().any(|roll| roll.label.contains("/defence/")), "{rolls:?}");
        seen.push(tally);
    }
    assert!(seen.iter().any(|tally| *tally != seen[0]), "the dice matter");
}

/// A number of 10,000 within five standard deviations of a chance of `of` in `all`.
#[track_caller]
fn near(times: u32, of: u64, all: u64) {
    let due = 10_000 * of / all;
    let spread = (25 * 10_000 * of * (all - of) / (all * all)).isqrt() + 1;
    let times = u64::from(times);
    assert!(times.abs_diff(due) <= spread, "{times} of 10000, not {due} +- {spread}");
}

#[test]
fn the_chart_is_counted_by_hand() {
    let table = game("brisk", &[]);
    let view = position(&table, Window::Combat);
    // Row 16-20 reads DD11122233: with +1 the die's 1 reads the second cell, and 9 and
    // 10 both the last.
    let found = ask(&table, &view, "chart 16 1");
    assert_eq!(found["row"], "16-20");
    let row = |result: &str, faces: &str, of_10: u32| json!({ "result": result, "faces": faces, "of_10": of_10 });
    let due = [row("D", "1", 1), row("1", "2-4", 3), row("2", "5-7", 3), row("3", "8-10", 3)];
    assert_eq!(found["results"], json!(due));
    // Beyond the ends of the chart the end counts.
    let found = ask(&table, &view, "chart 16 -40");
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert_eq!(found["results"][0]["of_10"], 10);
    let far = format!("chart 16 {}", i32::MAX);
    assert_eq!(ask(&table, &view, &far)["results"][0]["of_10"], 10);
}

#[test]
fn a_melee_is_counted_by_hand() {
    let table = game("strict", &[]);
    let view = position(&table, Window::Melee);
    let found = ask(&table, &view, "melee 1013 mulazmin-01 mulazmin-02");
    let (attack, defence) = (&found["attack"], &found["defence"]);
    assert_eq!((&attack["row"], &attack["modifier"]["drm"]), (&json!("11-15"), &json!(2)));
    assert_eq!((&defence["row"], &defence["modifier"]["drm"]), (&json!("6-10"), &json!(1)));
    let losses = |side: &Value| -> Vec<(u64, u64)> {
        let rows = side["lost"].as_array().unwrap().iter();
        rows.map(|r| (r["units"].as_u64().unwrap(), r["ways"].as_u64().unwrap())).collect()
    };
    // Both rows again, cell by cell, and every pair of dice.
    let cells =
        |text: &str| -> Vec<u64> { text.split(' ').map(|c| c.parse().unwrap_or(0)).collect() };
    let (a_row, d_row) = (cells(ROW_11_15), cells(ROW_6_10));
    let cell = |row: &[u64], roll: usize| row[roll.min(10) - 1];
    let (mut theirs, mut ours) = (BTreeMap::new(), BTreeMap::new());
    let (mut cleared, mut taken) = (0, 0);
    for (a, d) in (1..=10).flat_map(|a| (1..=10).map(move |d| (a, d))) {
        let (lost, gone) = (cell(&a_row, a + 2).min(2), cell(&d_row, d + 1).min(2));
        *theirs.entry(lost).or_insert(0) += 1;
        *ours.entry(gone).or_insert(0) += 1;
        cleared += u64::from(lost == 2);
        taken += u64::from(lost == 2 && gone < 2);
    }
    assert_eq!(losses(&found["defenders"]), theirs.into_iter().collect::<Vec<_>>());
    assert_eq!(losses(&found["attackers"]), ours.into_iter().collect::<Vec<_>>());
    assert_eq!((&found["cleared"], &found["taken"]), (&json!(cleared), &json!(taken)));

    // And the window, resolved by the code that adjudicates, agrees.
    let orders = "[[melee]]\nunits = [\"mulazmin-01\", \"mulazmin-02\"]\nat = [\"1013\"]\n";
    let odds = window(&table, &view, orders);
    let side = table.data().side(Army::AngloEgyptian).name.clone();
    let place = "1013".to_owned();
    near(odds.times(&Subject::Cleared { side, place }), cleared, 100);
}

/// The printed rows of the results table, from 1 to 10.
const ROW_11_15: &str = "- D D 1 1 1 2 2 2 3";
const ROW_6_10: &str = "- - D D 1 1 1 2 2 2";

#[test]
fn guns_at_the_wall_agree_with_the_exact_chance() {
    let table = game("strict", &[]);
    let view = position(&table, Window::Offence);
    let found = ask(&table, &view, "fire 1013:SE dervish-art-1 dervish-art-2");
    let of_10 = found["effect"]["of_10"].as_u64().unwrap();
    assert!((1..10).contains(&of_10), "{found}");
    let orders = "[[fire]]\nunits = [\"dervish-art-1\", \"dervish-art-2\"]\nat = [\"1013:SE\"]\n\
                  [[hold]]\nunits = [\"mulazmin-01\", \"mulazmin-02\", \"mulazmin-03\", \
                  \"mulazmin-04\", \"fort-north\"]\n";
    let odds = window(&table, &view, orders);
    let what = "wall 1013:SE is breached".to_owned();
    near(odds.times(&Subject::Happens { what }), of_10, 10);
    assert_eq!(odds.rolls, 10_000, "one roll a time");
}

#[test]
fn a_window_of_moves_has_no_dice() {
    let table = game("brisk", &[]);
    let odds = window(&table, &position(&table, Window::Move), "");
    assert_eq!(odds.rolls, 0);
    assert!(odds.render().contains("No dice are rolled in this window"), "{}", odds.render());
}

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, threads: &str, args: &[&str]) -> Ran {
    let done = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .arg("odds")
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("RAYON_NUM_THREADS", threads)
        .output()
        .unwrap();
    Ran {
        code: done.status.code().unwrap(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

const DERVISH: &str = "player = \"dervish\"\n\
    [[fire]]\nunits = [\"dervish-art-1\", \"dervish-art-2\"]\nat = [\"1013:SE\"]\n\
    [[melee]]\nunits = [\"mulazmin-01\", \"mulazmin-02\"]\nat = [\"1013\"]\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let table = game("brisk", &[]);
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("state.toml", &position(&table, Window::Combat));
    write("dervish.toml", DERVISH);
    write("british.toml", "player = \"british\"\n[[hold]]\nunits = [\"ix-sud\"]\n");
    write("stranger.toml", "player = \"french\"\n");
    write("broken.toml", "player = \"dervish\"\n[[fire\n");
    write("nameless.toml", "[[fire]]\n");
    write(
        "refused.toml",
        "player = \"dervish\"\n[[melee]]\nunits = [\"x-sud\"]\nat = [\"1013\"]\n",
    );
    dir
}

#[test]
fn it_reads_so_and_fits_a_mail() {
    let dir = folder();
    for (name, args) in [
        ("window", &["--orders", "dervish.toml", "--runs", "2000"][..]),
        ("fire", &["fire", "1013:SE", "--with", "dervish-art-1", "dervish-art-2"]),
        ("fire-at-units", &["fire", "1013", "--with", "mulazmin-01,mulazmin-02,dervish-art-1"]),
        ("melee", &["melee", "1013", "--with", "mulazmin-01", "mulazmin-02"]),
    ] {
        let args: Vec<&str> = args.iter().chain(&["--state", "state.toml"]).copied().collect();
        let ran = run(dir.path(), "2", &args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        for line in ran.out.lines() {
            assert!(line.chars().count() <= 72, "{line}");
        }
        insta::assert_snapshot!(format!("odds-{name}"), ran.out);
    }
    let chart = ["chart", "--factors", "16", "--drm", "-3", "--scenario", "khartoum"];
    insta::assert_snapshot!("odds-chart", run(dir.path(), "1", &chart).out);
}

#[test]
fn the_figures_are_the_same_on_any_number_of_cores() {
    let dir = folder();
    let line =
        ["--state", "state.toml", "--orders", "dervish.toml", "british.toml", "--runs", "999"];
    let once = run(dir.path(), "1", &line);
    assert_eq!(once.code, 0, "{}", once.err);
    for threads in ["1", "2", "5"] {
        assert_eq!(run(dir.path(), threads, &line).out, once.out);
    }
    let other: Vec<&str> = line.iter().copied().chain(["--seed", "mine"]).collect();
    let figures = |ran: &Ran| ran.out.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_ne!(figures(&run(dir.path(), "1", &other)), figures(&once), "other dice");
    let json: Vec<&str> = line.iter().copied().chain(["--format", "json"]).collect();
    let value: Value = serde_json::from_str(&run(dir.path(), "1", &json).out).unwrap();
    assert_eq!((&value["runs"], &value["seed"]), (&json!(999), &json!("despatch odds")));
    assert!(value["orders"]["british"].as_str().unwrap().starts_with("british.toml"), "{value}");
}

#[test]
fn what_has_no_odds_is_refused_with_the_rule() {
    let dir = folder();
    let refused = |code: i32, words: &str, args: &[&str]| {
        let args: Vec<&str> = args.iter().chain(&["--state", "state.toml"]).copied().collect();
        let ran = run(dir.path(), "1", &args);
        assert_eq!(ran.code, code, "{args:?} {}{}", ran.out, ran.err);
        assert!(ran.err.contains(words), "{args:?} {}", ran.err);
        assert!(ran.err.contains("help: "), "{}", ran.err);
    };
    // Every unit that cannot is told, each with its rule.
    let both = ["fire", "1112", "--with", "mulazmin-01", "dervish-art-1"];
    refused(2, "`mulazmin-01`", &both);
    refused(2, "[6.", &both);
    refused(2, "`dervish-art-1`", &both);
    refused(2, "of both sides", &["fire", "1013", "--with", "mulazmin-01", "ix-sud"]);
    refused(2, "`ghost` names no unit", &["fire", "1013", "--with", "ghost"]);
    refused(2, "named twice", &["fire", "1013", "--with", "mulazmin-01,mulazmin-01"]);
    refused(2, "no target", &["fire", "13", "--with", "mulazmin-01"]);
    refused(2, "[7.4.A]", &["melee", "1013", "--with", "dervish-art-1"]);
    refused(2, "`volley` is no attack", &["volley", "1013", "--with", "mulazmin-01"]);
    refused(2, "wants factors from 1", &["chart", "--factors", "0"]);
    refused(1, "would bounce", &["--orders", "broken.toml"]);
    refused(1, "names no player", &["--orders", "nameless.toml"]);
    refused(2, "no player `french`", &["--orders", "stranger.toml"]);
    refused(2, "both of dervish", &["--orders", "dervish.toml", "refused.toml"]);
    // A refused order does not stop the rest; the checker's words go with it.
    let ran = run(dir.path(), "1", &["--orders", "refused.toml", "--state", "state.toml"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("refused.toml: 0 orders, 1 refused"), "{}", ran.out);
    assert!(ran.err.contains("error"), "{}", ran.err);
    // Nothing else is a command line.
    let usage = |args: &[&str]| assert_eq!(run(dir.path(), "1", args).code, 2, "{args:?}");
    usage(&["fire", "1013", "--with", "mulazmin-01", "--orders", "dervish.toml"]);
    usage(&["--runs", "0"]);
    usage(&["--factors", "3"]);
    usage(&["--with", "mulazmin-01"]);
}
