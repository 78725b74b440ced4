//! Plays many fights of a line against an attack, and whole games of policy against
//! policy, and prints what they came to. `cargo bench --bench bugles` plays 300 fights
//! and 200 games a row; `cargo bench --bench bugles -- 20` so many games and fights;
//! `-- --write` keeps the tables in `games/bugles/samples/results.toml`, which the docs
//! show; `NAME=CHOICE` plays by another ruling, `--games DIR` by other data, `only=ID`
//! one scenario; `show=SEED` tells one game turn by turn.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench says what is wrong by stopping"
)]

#[path = "../tests/it/bugles/trials.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests")]
mod trials;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use despatch::bugles::events::Event;
use despatch::bugles::game::Bugles;
use despatch::game::Library;
use rayon::prelude::*;

use trials::{ATTACKS, End, LINES, campaign, fights, game, watched};

const SCENARIOS: [&str; 4] = ["bugles-solo", "bugles-club", "el-teb", "tamai"];
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/bugles/samples/results.toml");

/// A table of the results.
struct Table {
    title: String,
    head: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let runs: Option<u64> = args.iter().find_map(|a| a.parse().ok());
    let (trials, games) = (runs.unwrap_or(300), runs.unwrap_or(200));
    let only = args.iter().find_map(|a| a.strip_prefix("only="));
    let rulings: Vec<(&str, &str)> = args
        .iter()
        .filter(|a| !a.starts_with("only=") && !a.starts_with("show="))
        .filter_map(|a| a.split_once('='))
        .collect();
    let library = match args.iter().position(|a| a == "--games") {
        Some(at) => despatch::assets::from_folder(std::path::Path::new(&args[at + 1])).unwrap(),
        None => despatch::assets::embedded().unwrap(),
    };
    if let Some(seed) = args.iter().find_map(|a| a.strip_prefix("show=")?.parse().ok()) {
        show(&game(&library, only.unwrap_or(SCENARIOS[0]), &rulings), seed);
        return;
    }
    let mut tables = Vec::new();
    if only.is_none() {
        tables.push(lines(&library, &rulings, trials));
    }
    let scenarios: Vec<&str> =
        SCENARIOS.into_iter().filter(|s| only.is_none_or(|o| o == *s)).collect();
    tables.push(ends(&library, &scenarios, &rulings, games));
    for table in &tables {
        println!("{}", table.title);
        for row in &table.rows {
            println!("  {}", row[0]);
            for (name, cell) in table.head.iter().zip(row).skip(1) {
                println!("    {name:<28} {cell}");
            }
        }
    }
    if args.iter().any(|a| a == "--write") {
        let old = std::fs::read_to_string(RESULTS).unwrap_or_default();
        std::fs::write(RESULTS, written(trials, games, &tables, &old)).unwrap();
    }
}

/// One game, turn by turn: what each unit did, and how it stands.
fn show(game: &Bugles, seed: u64) {
    let data = game.data();
    let end = watched(game, seed, &mut |events, after| {
        println!("turn {}", after.turn);
        for event in events {
            match event {
                Event::Moved { unit, way, why, .. } => {
                    println!("  {unit}: {} {why}", way.join(", "));
                }
                Event::Ordered { unit, to, obeyed, .. } => {
                    println!("  {unit}: {} {}", to.word(), if *obeyed { "" } else { "NOT" });
                }
                Event::Revealed { marker, behind, .. } => println!("  {marker}: {behind:?}"),
                Event::Destroyed { base, why, .. } => println!("  {base} lost: {why}"),
                _ => {}
            }
        }
        for unit in after.units.iter().filter(|u| u.strength() > 0) {
            let (order, at) = (unit.order.word(), data.spot(unit.anchor));
            let (now, all) = (unit.strength(), unit.bases.len());
            let how = unit.formation.word();
            println!("    {} {order} {how} {now}/{all} {at} {}", unit.id, unit.facing.degrees());
        }
    });
    println!("{}: {}", end.result, end.why);
}

fn tenths(sum: u64, of: u64) -> String {
    let n = (sum * 10).checked_div(of).unwrap_or(0);
    format!("{}.{}", n / 10, n % 10)
}

fn percent(n: u64, of: u64) -> String {
    format!("{} %", (n * 100).checked_div(of).unwrap_or(0))
}

fn lines(library: &Library, rulings: &[(&str, &str)], trials: u64) -> Table {
    let mut all = Vec::new();
    for (ruling, note) in [
        (None, ""),
        (Some(("fire-in-contact", "barred")), " (fire-in-contact barred)"),
        (Some(("coherency", "dressed")), " (coherency dressed)"),
    ] {
        for attack in ATTACKS {
            all.extend(LINES.map(|(name, troop)| (name, troop, attack, ruling, note)));
        }
    }
    let row = |(name, troop, attack, ruling, note): (_, _, trials::Attack, Option<_>, _)| {
        let rulings: Vec<(&str, &str)> = rulings.iter().copied().chain(ruling).collect();
        let sum = fights(&game(library, "tamai", &rulings), attack, troop, trials);
        vec![
            format!("{name}: {}{note}", attack.name),
            percent(sum.held, trials),
            percent(sum.met, trials),
            tenths(sum.line_lost, trials),
            tenths(sum.mob_lost, trials),
        ]
    };
    Table {
        title: "Lines of six bases against Mahdists without rifles:".to_owned(),
        head: &["line and attack", "held", "met", "line lost", "Mahdists lost"],
        rows: all.into_par_iter().map(row).collect(),
    }
}

fn ends(library: &Library, scenarios: &[&str], rulings: &[(&str, &str)], games: u64) -> Table {
    let mut rows = Vec::new();
    for scenario in scenarios {
        let game = game(library, scenario, rulings);
        let all: Vec<End> = (0..games).into_par_iter().map(|n| campaign(&game, n)).collect();
        let of = |what: &str| {
            percent(u64::try_from(all.iter().filter(|e| e.result == what).count()).unwrap(), games)
        };
        let sum = |f: fn(&End) -> u32| all.iter().map(|e| u64::from(f(e))).sum::<u64>();
        let mut ways: BTreeMap<String, u32> = BTreeMap::new();
        for end in &all {
            // The kind of ending, without its figures.
            let words = end.why.split_whitespace().filter(|w| w.parse::<u32>().is_err());
            *ways.entry(words.collect::<Vec<_>>().join(" ")).or_default() += 1;
        }
        let mut turns: Vec<u32> = all.iter().map(|e| e.turns).collect();
        turns.sort_unstable();
        println!("{scenario}: turns {turns:?}");
        for (why, n) in ways {
            println!("{scenario}: {n} x {why}");
        }
        rows.push(vec![
            (*scenario).to_owned(),
            of("Anglo-Egyptian victory"),
            of("Mahdist victory"),
            of("draw"),
            tenths(sum(|e| e.turns), games),
            tenths(sum(|e| e.lost[0]), games),
            tenths(sum(|e| e.lost[1]), games),
        ]);
    }
    Table {
        title: "Whole games:".to_owned(),
        head: &[
            "scenario",
            "Anglo-Egyptian",
            "Mahdist",
            "draw",
            "turns",
            "Anglo-Egyptian bases lost",
            "Mahdist bases lost",
        ],
        rows,
    }
}

/// The file of the docs; what people found in the figures before stays with it.
fn written(trials: u64, games: u64, tables: &[Table], old: &str) -> String {
    let quote = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let note = format!(
        "{trials} fights and {games} games a row. A line of six bases on HOLD, on open ground, \
         against Mahdists without rifles who ATTACK; eight turns, nobody changes an order. \
         *Held*: half of the line or more still stands. *Met*: the attack came to hand strokes \
         at all. Losses are means, in bases. The games are policy against policy, one mail a \
         turn: the machine (`src/bugles/tactics.rs`) writes for both armies, each from what it \
         may see."
    );
    let mut out = format!(
        "# Written by `cargo bench --bench bugles -- --write`; shown in the docs. The findings \
         are kept.\nnote = {}\n",
        quote(&note)
    );
    let kept = toml::from_str::<toml::Table>(old).ok();
    let findings = kept.as_ref().and_then(|t| t.get("findings")).and_then(|f| f.as_array());
    out.push_str("findings = [\n");
    for finding in findings.into_iter().flatten() {
        let _ = writeln!(out, "    {finding},");
    }
    out.push_str("]\n");
    for table in tables {
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|c| quote(c)).collect();
            format!("[{}]", cells.join(", "))
        };
        let head = line(table.head.iter().map(|h| (*h).to_owned()).collect());
        let _ =
            write!(out, "\n[[table]]\ntitle = {}\nhead = {head}\nrows = [\n", quote(&table.title));
        for row in &table.rows {
            let _ = writeln!(out, "    {},", line(row.clone()));
        }
        out.push_str("]\n");
    }
    out
}
