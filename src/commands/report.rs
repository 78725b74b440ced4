//! `report`: reads back what a viewer was told.

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, amend_dir, phase_dir};
use super::ledger::{Entry, Ledger, Record, corrects};
use super::position::viewer;
use crate::cli::ReportArgs;
use crate::core::record::Rolls;

/// Prints a report or the dice of a phase.
pub fn run(desk: &mut Desk<'_>, args: &ReportArgs) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    if ledger.phases == 0 {
        return Err(Fault::refused(
            "no phase is resolved yet: there is no report",
            "`despatch status` says what comes next",
        ));
    }
    let phase = args.phase.unwrap_or(ledger.phases);
    if phase == 0 || phase > ledger.phases {
        return Err(Fault::input(
            format!("phase {phase} is not resolved"),
            format!("phases 1 to {} are", ledger.phases),
        ));
    }
    let dir = directory(&ledger, phase);
    if args.dice {
        return dice(desk, &folder, &dir, phase);
    }
    let who = viewer(&folder, &ledger, args.viewer.as_deref())?;
    let kind = if desk.json { "json" } else { "txt" };
    let path = format!("{dir}/report/{who}.{kind}");
    let Some(text) = folder.maybe(&path)? else {
        return Err(Fault::refused(
            format!("this folder has no report of phase {phase} for {who}"),
            "a bundle has the public report and its own player's: try --for public",
        ));
    };
    write!(desk.out, "{text}")?;
    if !desk.json
        && let Some(page) = folder.maybe(&format!("{}/press/{who}.txt", phase_dir(phase)))?
    {
        write!(desk.out, "\n{page}")?;
    }
    Ok(0)
}

/// The folder that holds the files of a phase as they count: its own, or that of
/// the amendment that corrected it.
pub fn directory(ledger: &Ledger, phase: u32) -> String {
    let corrected = |entry: &&Entry| corrects(entry, phase);
    match ledger.entries.iter().rev().find(corrected).map(|e| &e.record) {
        Some(Record::Amend(amend)) => amend_dir(amend.number),
        _ => phase_dir(phase),
    }
}

fn dice(desk: &mut Desk<'_>, folder: &Folder, dir: &str, phase: u32) -> Result<u8, Fault> {
    let rolls = folder.record(&format!("{dir}/rolls.txt"), Rolls::parse)?.rolls;
    if desk.json {
        writeln!(desk.out, "{}", serde_json::json!({ "phase": phase, "rolls": rolls }))?;
        return Ok(0);
    }
    writeln!(desk.out, "{} rolls of phase {phase}", rolls.len())?;
    let width = rolls.iter().map(|r| r.label.len()).max().unwrap_or(5).max(5);
    writeln!(desk.out, "  {:<width$}  {:<8} faces", "label", "spec")?;
    for roll in &rolls {
        let faces: Vec<String> = roll.faces.iter().map(ToString::to_string).collect();
        writeln!(desk.out, "  {:<width$}  {:<8} {}", roll.label, roll.spec, faces.join(","))?;
    }
    writeln!(desk.out, "  one by hand: despatch verify --phase {phase} --roll LABEL")?;
    Ok(0)
}
