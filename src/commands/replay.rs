//! `verify --replay`: every phase resolved again, every byte compared.

use super::adjudicate::submissions;
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::new::normal_text;
use super::outcome::{Known, Outcome, next_of, resolve};
use crate::core::hash::Hex64;
use crate::core::id::Id;
use crate::core::record::{Close, Fate, Lock, RulesEntry, Secrecy, Secret, Turn};
use crate::core::salt::split_state;
use crate::core::verify::{PhaseFacts, Verification};
use crate::core::viewer::Viewer;
use crate::game::{Game, PhaseInput, Resolution, RulesFiles};

/// What a replay found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Phases resolved again.
    pub phases: u32,
    /// Public rolls in them.
    pub rolls: usize,
    /// What differs, a line each.
    pub differences: Vec<String>,
    /// What should be known.
    pub notices: Vec<String>,
}

/// Resolves every phase of a folder again that has passed its verification: so the
/// files that are here are those that the ledger names.
///
/// # Errors
/// Files are withheld until the close ("not yet possible"), or cannot be used.
pub fn replay(
    desk: &mut Desk<'_>,
    folder: &Folder,
    verified: &Verification,
) -> Result<Replayed, Fault> {
    let offer = folder.record("offer.txt", crate::core::record::Offer::parse)?;
    let d = match offer.secrecy {
        Secrecy::Open => None,
        Secrecy::Sealed => Some(secret(folder)?),
    };
    let mut found = Replayed::default();
    let mut rules = Rules::default();
    for facts in &verified.phases {
        one(desk, folder, &offer.game, facts, d.as_ref(), &mut rules, &mut found)?;
    }
    Ok(found)
}

/// The rules of the phase before, loaded: they seldom change from one to the next. What
/// lies in their files is what the list says, or there would be nothing to replay.
#[derive(Debug, Default)]
pub struct Rules(Option<(Vec<RulesEntry>, Box<dyn Game>)>);

impl Rules {
    fn of(
        &mut self,
        desk: &mut Desk<'_>,
        folder: &Folder,
        facts: &PhaseFacts,
    ) -> Result<&dyn Game, Fault> {
        let entries = &facts.rules.entries;
        let kept = self.0.take().filter(|(known, _)| known == entries);
        let (_, game) = if let Some(kept) = kept {
            self.0.insert(kept)
        } else {
            let mut files = RulesFiles::new();
            for entry in entries {
                files.insert(entry.name().to_owned(), folder.read(&entry.path)?.into());
            }
            let game = (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))?;
            self.0.insert((entries.clone(), game))
        };
        Ok(&**game)
    }
}

/// The secret d: published by the close, or the referee's own.
fn secret(folder: &Folder) -> Result<Hex64, Fault> {
    if let Some(close) = folder.maybe_record("close.txt", Close::parse)? {
        return Ok(close.secret);
    }
    match folder.maybe_record("referee.secret", Secret::parse)? {
        Some(secret) => Ok(secret.hidden),
        None => Err(not_yet("its orders and states are sealed until the close")),
    }
}

fn not_yet(why: &str) -> Fault {
    Fault::refused(
        format!("a replay is not yet possible: {why}"),
        "ask for the bundle again after the close; `verify` without --replay works now",
    )
}

/// Resolves one phase again from what is recorded.
///
/// # Errors
/// Files are withheld, or the rule system stopped.
pub fn again(
    desk: &mut Desk<'_>,
    folder: &Folder,
    game_id: &Id,
    facts: &PhaseFacts,
    d: Option<&Hex64>,
    rules: &mut Rules,
) -> Result<(Resolution, Outcome), Fault> {
    let phase = facts.phase;
    let dir = phase_dir(phase);
    let need = |path: &str| -> Result<(), Fault> {
        if folder.has(path) { Ok(()) } else { Err(not_yet(&format!("`{path}` is not here"))) }
    };
    let lock = folder.record(&format!("{dir}/lock.txt"), Lock::parse)?;
    for line in &lock.orders {
        if matches!(line.fate, Fate::File { .. }) {
            need(&format!("{dir}/orders/{}.toml", line.player))?;
        }
    }
    need(&facts.state_before)?;
    let game = rules.of(desk, folder, facts)?;
    let state = folder.read(&facts.state_before)?;
    let input = PhaseInput {
        game: game_id.clone(),
        phase,
        prev: facts.prev.to_string(),
        state: split_state(&state).1.to_owned(),
        orders: submissions(folder, phase, &lock.orders)?,
        rehearsal: false,
    };
    let corrected = facts.outcome != dir;
    let prefix = if corrected { format!("{}/", facts.outcome) } else { String::new() };
    // Of the reports, those that lie here can be compared.
    let mut viewers = vec![Viewer::Public];
    let players = input.orders.keys().cloned().map(Viewer::Player);
    viewers.extend(players.chain([Viewer::Referee]).filter(|viewer| {
        ["txt", "json"].iter().any(|kind| folder.has(&report_path(facts, viewer, kind)))
    }));
    let (done, mut outcome) = resolve(game, &input, &facts.seed, d, &prefix, Some(&viewers))?;
    if let Some(number) = facts.outcome.strip_prefix("amend-").and_then(|n| n.parse().ok()) {
        outcome.leave_out(&Known::before(folder, phase, number)?);
    }
    Ok((done, outcome))
}

fn report_path(facts: &PhaseFacts, viewer: &Viewer, kind: &str) -> String {
    format!("{}/report/{viewer}.{kind}", facts.outcome)
}

fn one(
    desk: &mut Desk<'_>,
    folder: &Folder,
    game_id: &Id,
    facts: &PhaseFacts,
    d: Option<&Hex64>,
    rules: &mut Rules,
    found: &mut Replayed,
) -> Result<(), Fault> {
    let phase = facts.phase;
    let (done, outcome) = again(desk, folder, game_id, facts, d, rules)?;
    let dir = phase_dir(phase);
    let turn = folder.record(&format!("{dir}/turn.txt"), Turn::parse)?;
    if facts.outcome == dir && turn.engine != desk.engine {
        found.notices.push(format!(
            "phase {phase} was resolved by {}; this is {}",
            turn.engine, desk.engine
        ));
    }
    found.phases += 1;
    found.rolls += outcome.rolls.matches("\nroll=").count();

    let mut compare = |name: &str, again: Option<&str>| -> Result<(), Fault> {
        let path = format!("{}/{name}", facts.outcome);
        if folder.maybe(&path)?.as_deref() != again {
            found.differences.push(format!("phase {phase}: `{path}` comes out otherwise"));
        }
        Ok(())
    };
    compare("rolls.txt", Some(&outcome.rolls))?;
    compare("seals.txt", outcome.seals.as_deref())?;
    compare("events.jsonl", Some(&outcome.events))?;
    compare("state-after.toml", Some(&outcome.state))?;
    compare("report/public.txt", Some(&outcome.report))?;
    // No record names the other reports, but what a player was told can be
    // compared wherever it lies.
    for (viewer, report) in &done.reports {
        for (kind, text) in [("txt", &report.text), ("json", &report.json)] {
            let name = format!("report/{viewer}.{kind}");
            if folder.has(&format!("{}/{name}", facts.outcome)) && name != "report/public.txt" {
                compare(&name, Some(&normal_text(text)?))?;
            }
        }
    }
    if next_of(&done.outlook)? != facts.next {
        found.differences.push(format!("phase {phase}: another window would come next"));
    }
    Ok(())
}
