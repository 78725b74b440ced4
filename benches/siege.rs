//! Plays many sieges, policy against policy, and prints what they came to: the figures
//! by which the reconstructed tables were fitted. `cargo bench --bench siege` plays
//! 2,000 of each pair; `cargo bench --bench siege -- 200` fewer; `-- 2000 --write`
//! keeps the tables in `games/last-outpost/samples/results.toml`, which the docs show.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench says what is wrong by stopping"
)]

#[path = "../tests/it/siege/played.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod played;
#[path = "../tests/it/siege/policy.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod policy;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use despatch::game::{Settings, rules_files};
use despatch::last_outpost::data::{Data, Side};
use despatch::last_outpost::events::Event;
use despatch::last_outpost::state::Window;
use rayon::prelude::*;

use policy::{Commandant, Emir};

/// What one siege came to.
#[derive(Clone, Debug, Default)]
struct Came {
    result: String,
    day: u32,
    casualties: u32,
    defenders: u32,
    phases: u32,
    tower: bool,
    guns: bool,
    hospital: bool,
    /// Each assault: markers brought, rounds, and whether it took the place.
    assaults: Vec<(u32, u32, bool)>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let runs: u32 = args.iter().find_map(|a| a.parse().ok()).unwrap_or(2000);
    let mut settings = Settings { scenario: "last-outpost".to_owned(), ..Settings::default() };
    for arg in &args {
        if let Some((name, choice)) = arg.split_once('=') {
            settings.rulings.insert(name.to_owned(), choice.to_owned());
        }
    }
    let library = match args.iter().position(|a| a == "--games") {
        Some(at) => despatch::assets::from_folder(std::path::Path::new(&args[at + 1])).unwrap(),
        None => despatch::assets::embedded().unwrap(),
    };
    let files = rules_files(&library, &settings).unwrap();
    let data = Data::load(&files).unwrap();
    let pairs: [(&str, Emir, Commandant); 4] = [
        ("prepared emir, active commandant", Emir::prepared(), Commandant::active()),
        ("raiding emir, active commandant", Emir::raider(), Commandant::active()),
        ("premature emir, active commandant", Emir::premature(), Commandant::active()),
        ("prepared emir, passive commandant", Emir::prepared(), Commandant::passive()),
    ];
    let mut rows = Vec::new();
    let mut assault_rows = Vec::new();
    for (name, emir, commandant) in &pairs {
        let all: Vec<Came> = (0..runs)
            .into_par_iter()
            .map(|run| one(&data, &format!("{name}/{run}"), emir, commandant))
            .collect();
        rows.push(row(name, &all));
        assault_rows.push(assaults(name, &all));
    }
    let head = [
        "pair",
        "Mahdist Major",
        "Mahdist Minor",
        "Draw",
        "Anglo-Egyptian Minor",
        "Anglo-Egyptian Major",
        "ended on day (mean)",
        "Mahdist casualties (mean, 10th to 90th of 100)",
        "defenders left (mean)",
        "phases (mean)",
    ];
    let second = [
        "pair",
        "assaults a siege",
        "rounds (mean)",
        "few markers (under 8): took the place",
        "many (15 and more): took the place",
    ];
    println!("{}", table(&head, &rows));
    println!("{}", table(&second, &assault_rows));
    if args.iter().any(|a| a == "--write") {
        let text = written(runs, &head, &rows, &second, &assault_rows);
        std::fs::write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/games/last-outpost/samples/results.toml"),
            text,
        )
        .unwrap();
    }
}

fn one(data: &Data, seed: &str, emir: &Emir, commandant: &Commandant) -> Came {
    let mut came = Came::default();
    let mut brought = 0;
    let mut rounds = 0;
    let mut goals = 0;
    let end = played::siege(
        data,
        seed,
        &mut |view, player| {
            Some(match view.side(player).unwrap() {
                Side::Mahdist => policy::emir(data, view, emir),
                Side::Garrison => policy::commandant(data, view, commandant),
            })
        },
        &mut |before, after, events| {
            came.phases += 1;
            for event in events {
                match event {
                    Event::Launched(launch) => brought += launch.markers,
                    Event::RoundEnded { .. } => rounds += 1,
                    Event::AssaultEnded { .. } => {
                        let now = u32::from(after.tower_down(data))
                            + u32::from(after.guns_disabled(data))
                            + u32::from(after.massacred);
                        let wiped = after.garrison(data).next().is_none();
                        came.assaults.push((brought, rounds, wiped || now > goals));
                        goals = now;
                        brought = 0;
                        rounds = 0;
                    }
                    _ => {}
                }
            }
            if after.window == Window::End {
                came.day = before.day;
            }
        },
    );
    came.result = end.result.clone().unwrap_or_default();
    came.casualties = end.casualties;
    came.defenders = u32::try_from(end.garrison(data).count()).unwrap();
    came.tower = end.tower_down(data);
    came.guns = end.guns_disabled(data);
    came.hospital = end.massacred;
    came
}

fn share(n: usize, of: usize) -> String {
    match (n * 1000).checked_div(of) {
        Some(share) => format!("{}.{} %", share / 10, share % 10),
        None => "-".to_owned(),
    }
}

fn mean(sum: u64, of: usize) -> String {
    let of = u64::try_from(of).unwrap().max(1);
    format!("{}.{}", sum / of, sum * 10 / of % 10)
}

fn row(name: &str, all: &[Came]) -> Vec<String> {
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    for came in all {
        *results.entry(&came.result).or_default() += 1;
    }
    let n = |result: &str| share(results.get(result).copied().unwrap_or(0), all.len());
    let sum = |f: fn(&Came) -> u32| all.iter().map(|c| u64::from(f(c))).sum::<u64>();
    let mut casualties: Vec<u32> = all.iter().map(|c| c.casualties).collect();
    casualties.sort_unstable();
    let at = |tenth: usize| casualties[casualties.len() * tenth / 10];
    vec![
        name.to_owned(),
        n("Mahdist Major"),
        n("Mahdist Minor"),
        n("Draw"),
        n("Anglo-Egyptian Minor"),
        n("Anglo-Egyptian Major"),
        mean(sum(|c| c.day), all.len()),
        format!("{} ({} to {})", mean(sum(|c| c.casualties), all.len()), at(1), at(9)),
        mean(sum(|c| c.defenders), all.len()),
        mean(sum(|c| c.phases), all.len()),
    ]
}

fn assaults(name: &str, all: &[Came]) -> Vec<String> {
    let each: Vec<(u32, u32, bool)> = all.iter().flat_map(|c| c.assaults.clone()).collect();
    let rounds: u64 = each.iter().map(|a| u64::from(a.1)).sum();
    let took = |from: u32, to: u32| {
        let these: Vec<_> = each.iter().filter(|a| (from..to).contains(&a.0)).collect();
        let won = these.iter().filter(|a| a.2).count();
        format!("{} of {}", share(won, these.len()), these.len())
    };
    vec![
        name.to_owned(),
        mean(u64::try_from(each.len()).unwrap(), all.len()),
        mean(rounds, each.len()),
        took(0, 8),
        took(15, u32::MAX),
    ]
}

fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "{}", row[0]);
        for (name, cell) in head.iter().zip(row).skip(1) {
            let _ = writeln!(out, "  {name:<48} {cell}");
        }
    }
    out
}

fn written(
    runs: u32,
    head: &[&str],
    rows: &[Vec<String>],
    second: &[&str],
    assaults: &[Vec<String>],
) -> String {
    let quote = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut out = format!(
        "# Written by `cargo bench --bench siege -- {runs} --write`; shown in the docs.\n\
         note = {}\n",
        quote(&format!(
            "{runs} sieges of each pair, with the tables as they ship. Policies write order \
             files from what they may see (`tests/it/siege/policy.rs`)."
        ))
    );
    for (title, head, rows) in [("How sieges end:", head, rows), ("Assaults:", second, assaults)] {
        let _ = write!(out, "\n[[table]]\ntitle = {}\n", quote(title));
        let line = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|c| quote(c)).collect();
            format!("[{}]", cells.join(", "))
        };
        let _ = writeln!(out, "head = {}", line(head.iter().map(|h| (*h).to_owned()).collect()));
        let _ = writeln!(out, "rows = [");
        for row in rows {
            let _ = writeln!(out, "    {},", line(row.clone()));
        }
        out.push_str("]\n");
    }
    out
}
