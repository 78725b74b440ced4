//! What resolving a phase comes to, as files: recorded by `adjudicate`, set right by
//! `amend correct`, compared by a replay.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::Fault;
use super::folder::{Folder, amend_dir, phase_dir};
use super::new::{game_fault, normal_text, salted_state};
use super::store::Batch;
use crate::core::dice::{Roller, SealedRoll};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{Next, Opened, Sealed, Seals};
use crate::core::salt::salt_events;
use crate::core::viewer::Viewer;
use crate::game::{Game, Outlook, PhaseInput, Report, Resolution};

/// The files of a phase's outcome, in normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// `rolls.txt`.
    pub rolls: String,
    /// `seals.txt` of a sealed game.
    pub seals: Option<String>,
    /// `events.jsonl`.
    pub events: String,
    /// `report/public.txt`.
    pub report: String,
    /// `state-after.toml`.
    pub state: String,
    /// What was rolled under seals; in no file.
    pub sealed: Vec<SealedRoll>,
    /// Notes that were opened, by commitment: `notes/<commitment>.txt`.
    pub notes: Vec<(Hex64, String)>,
}

impl Outcome {
    /// Leaves out what is registered or opened already.
    pub fn leave_out(&mut self, known: &Known) {
        let Some(Ok(mut list)) = self.seals.as_deref().map(Seals::parse) else { return };
        list.seals.retain(|seal| !known.sealed.contains(&seal.commitment()));
        list.opens.retain(|open| !known.opened.contains(&open.commitment()));
        self.seals = Some(list.to_text());
    }

    /// Files everything but the report, which goes with the other reports.
    pub fn write(&self, batch: &mut Batch, dir: &str) {
        batch.record(format!("{dir}/rolls.txt"), self.rolls.as_str());
        if let Some(seals) = &self.seals {
            batch.record(format!("{dir}/seals.txt"), seals.as_str());
        }
        batch.record(format!("{dir}/events.jsonl"), self.events.as_str());
        batch.record(format!("{dir}/state-after.toml"), self.state.as_str());
        for (commitment, text) in &self.notes {
            batch.record(format!("notes/{commitment}.txt"), text.as_str());
        }
    }
}

/// Resolves a phase and makes its files; `prefix` goes before the names that salt.
/// Where viewers are named, only their reports are made, the public's among them.
/// Recording, correcting and replaying a phase all do this.
///
/// # Errors
/// The rule system stopped, or made something that is no text.
pub fn resolve(
    game: &dyn Game,
    input: &PhaseInput,
    seed: &Hex64,
    sealed: Option<&Hex64>,
    prefix: &str,
    viewers: Option<&[Viewer]>,
) -> Result<(Resolution, Outcome), Fault> {
    let (id, phase) = (&input.game, input.phase);
    let mut dice = match sealed {
        Some(d) => Roller::sealing(id, phase, seed, d),
        None => Roller::seeded(&seed.to_string()),
    };
    let done = match viewers {
        None => game.adjudicate(input, &mut dice),
        Some(viewers) => game.again(input, &mut dice, viewers),
    };
    let done = done.map_err(game_fault)?;
    let events = match sealed {
        Some(d) => {
            let salt = hash::salt(id, phase, &format!("{prefix}events.jsonl"), d);
            salt_events(&salt, &done.events)
        }
        None => done.events.clone(),
    };
    let state = format!("{prefix}state-after.toml");
    let report = done.reports.get(&Viewer::Public).ok_or_else(|| {
        Fault::refused("the rule system made no public report", "report this rule system")
    })?;
    let files = Outcome {
        rolls: dice.rolls_file(id, phase).to_text(),
        seals: sealed.map(|_| dice.seals_file(id, phase).to_text()),
        events: normal_text(&events)?,
        report: normal_text(&report.text)?,
        state: normal_text(&salted_state(id, phase, &state, sealed, &done.state))?,
        sealed: dice.sealed_rolls().to_vec(),
        notes: dice.opened_notes().to_vec(),
    };
    Ok((done, files))
}

/// Commitments that earlier records made and opened: a correction does not repeat
/// them.
#[derive(Clone, Debug, Default)]
pub struct Known {
    sealed: BTreeSet<Hex64>,
    opened: BTreeSet<Hex64>,
}

impl Known {
    /// What was known when an amendment of that number corrected a phase.
    ///
    /// # Errors
    /// A list of seals cannot be read.
    pub fn before(folder: &Folder, phase: u32, amendment: u32) -> Result<Self, Fault> {
        let mut known = Self::default();
        let phases = (1..=phase).map(phase_dir);
        for dir in phases.chain((1..amendment).map(amend_dir)) {
            if let Some(list) = folder.maybe_record(&format!("{dir}/seals.txt"), Seals::parse)? {
                known.sealed.extend(list.seals.iter().map(Sealed::commitment));
                known.opened.extend(list.opens.iter().map(Opened::commitment));
            }
        }
        Ok(known)
    }
}

/// What a record says of the window to come.
///
/// # Errors
/// The rule system's window is no id.
pub fn next_of(outlook: &Outlook) -> Result<Next, Fault> {
    match &outlook.window {
        None => Ok(Next::End),
        Some(window) => Id::new(window)
            .map(Next::Window)
            .map_err(|e| Fault::refused(e.to_string(), "report this rule system")),
    }
}

/// Files every viewer's report, as text and JSON.
///
/// # Errors
/// A report is no text.
pub fn write_reports(
    batch: &mut Batch,
    dir: &str,
    reports: &BTreeMap<Viewer, Report>,
) -> Result<(), Fault> {
    for (viewer, report) in reports {
        batch.record(format!("{dir}/report/{viewer}.txt"), normal_text(&report.text)?);
        batch.record(format!("{dir}/report/{viewer}.json"), normal_text(&report.json)?);
    }
    Ok(())
}
