//! `bundle`: what one viewer may have, by the protocol's table and nothing else.

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, amend_dir, call_name, phase_dir};
use super::ledger::Ledger;
use super::position::viewer;
use super::store::Batch;
use crate::cli::BundleArgs;
use crate::core::record::RulesList;
use crate::core::viewer::Viewer;

/// Where the short verifier lies in the library.
const VERIFIER: &str = "templates/verify.py";

/// Copies the viewer's files into a new folder.
pub fn run(desk: &mut Desk<'_>, args: &BundleArgs) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    let who = viewer(&folder, &ledger, Some(&args.viewer))?;
    if who == Viewer::Referee {
        return Err(Fault::refused(
            "the referee has the folder itself; a bundle is for others",
            "name a player or `public`; back the folder up by copying it",
        ));
    }
    let mut batch = Batch::new();
    for path in paths(&folder, &ledger, &who)? {
        batch.record(path.clone(), folder.read(&path)?);
    }
    if let Some(text) = desk.library()?.get(VERIFIER) {
        batch.replace("verify.py", &**text);
    }
    let out = desk.path(&args.out);
    if out.exists() && std::fs::read_dir(&out).map_err(Fault::file("read", &out))?.next().is_some()
    {
        return Err(Fault::refused(
            format!("`{}` holds something already", out.display()),
            "name a folder that does not exist yet",
        ));
    }
    std::fs::create_dir_all(&out).map_err(Fault::file("make", &out))?;
    desk.store.commit(&out, &batch)?;
    writeln!(desk.out, "bundle for {who} in {}", out.display())?;
    if let Some(head) = ledger.head {
        writeln!(desk.out, "head {head}")?;
        writeln!(desk.out, "check it: despatch verify {} --head {head}", out.display())?;
    }
    Ok(0)
}

/// The paths that a viewer may have, of those that are there.
///
/// # Errors
/// A rules list cannot be read.
pub fn paths(folder: &Folder, ledger: &Ledger, who: &Viewer) -> Result<Vec<String>, Fault> {
    let mut all: Vec<String> =
        ["offer.txt", "genesis.txt", "genesis-beacon.json"].map(str::to_owned).into();
    let shown = !ledger.sealed() || ledger.closed.is_some();
    if shown {
        all.push("state-000.toml".to_owned());
    }
    rules(folder, "rules.sha256", &mut all)?;
    let last = ledger.open.as_ref().map_or(ledger.phases, |open| open.phase);
    for phase in 1..=last {
        of_phase(folder, ledger, who, phase, shown, &mut all);
    }
    for number in 1..=ledger.amendments {
        let dir = amend_dir(number);
        rules(folder, &format!("{dir}/rules.sha256"), &mut all)?;
        let mut files = vec!["amend.txt", "note.txt", "rolls.txt", "seals.txt"];
        files.extend(["report/public.txt", "report/public.json"]);
        if shown {
            files.extend(["events.jsonl", "state-after.toml"]);
        }
        all.extend(files.iter().map(|file| format!("{dir}/{file}")));
        if let Viewer::Player(player) = who {
            all.extend(["txt", "json"].map(|kind| format!("{dir}/report/{player}.{kind}")));
        }
    }
    all.extend(["close.txt", "close-seals.txt"].map(str::to_owned));
    notes(folder, &mut all);
    all.retain(|path| folder.has(path));
    all.sort();
    all.dedup();
    Ok(all)
}

fn rules(folder: &Folder, list: &str, all: &mut Vec<String>) -> Result<(), Fault> {
    if let Some(rules) = folder.maybe_record(list, RulesList::parse)? {
        all.push(list.to_owned());
        all.extend(rules.entries.into_iter().map(|entry| entry.path));
    }
    Ok(())
}

fn of_phase(
    folder: &Folder,
    ledger: &Ledger,
    who: &Viewer,
    phase: u32,
    shown: bool,
    all: &mut Vec<String>,
) {
    let dir = phase_dir(phase);
    let mut number = 1;
    while folder.has(&call_name(phase, number)) {
        all.push(call_name(phase, number));
        number += 1;
    }
    let resolved = phase <= ledger.phases;
    let mut files = vec!["lock.txt".to_owned()];
    if resolved {
        let public = [
            "beacon.json",
            "rolls.txt",
            "seals.txt",
            "report/public.txt",
            "report/public.json",
            "turn.txt",
            "press/public.txt",
        ];
        files.extend(public.map(str::to_owned));
        if shown {
            files.extend(["events.jsonl", "state-after.toml"].map(str::to_owned));
            let orders = |player| format!("orders/{player}.toml");
            files.extend(ledger.offer.players.iter().map(orders));
        }
    }
    if let Viewer::Player(player) = who {
        files.push(format!("forms/{player}.toml"));
        files.push(format!("views/{player}.toml"));
        if folder.has(&format!("{dir}/lock.txt")) {
            files.push(format!("orders/{player}.toml"));
        }
        if resolved {
            files.push(format!("press/{player}.txt"));
            files.extend(["txt", "json"].map(|kind| format!("report/{player}.{kind}")));
        }
    }
    all.extend(files.iter().map(|file| format!("{dir}/{file}")));
}

/// Notes lie in `notes/` only once they are opened.
fn notes(folder: &Folder, all: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder.root.join("notes")) else { return };
    for entry in entries.filter_map(Result::ok) {
        all.push(format!("notes/{}", entry.file_name().to_string_lossy()));
    }
}
