//! `verify --replay`: every phase resolved again, every byte compared.

use super::adjudicate::{Outcome, next_of, resolve, seed_of, submissions};
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Entry, Folder, Ledger, Record, amend_dir, phase_dir, rules_at, state_at};
use crate::core::hash::{self, Hex64};
use crate::core::record::{Amend, AmendKind, Lock, Next, Secret, Turn};
use crate::game::PhaseInput;

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

/// Resolves every phase again.
///
/// # Errors
/// Files are withheld until the close ("not yet possible"), or cannot be used.
pub fn replay(desk: &mut Desk<'_>, folder: &Folder, ledger: &Ledger) -> Result<Replayed, Fault> {
    let mut found = Replayed::default();
    let d = match (&ledger.closed, folder.maybe_record("referee.secret", Secret::parse)?) {
        (Some(close), _) => Some(close.secret),
        (None, secret) => secret.map(|s| s.hidden),
    };
    for (index, entry) in ledger.entries.iter().enumerate() {
        let Record::Turn(turn) = &entry.record else { continue };
        let d = match (ledger.sealed(), d) {
            (true, None) => return Err(not_yet("its orders and states are sealed")),
            (true, d) => d,
            (false, _) => None,
        };
        // An amendment that corrected the phase stands for it.
        let correction = ledger.entries[index + 1..]
            .iter()
            .map_while(|e| match &e.record {
                Record::Amend(amend) => Some(amend),
                _ => None,
            })
            .filter(|a| a.kind == AmendKind::Correct && a.phase == turn.phase)
            .last();
        one(desk, folder, ledger, entry, turn, correction, d, &mut found)?;
    }
    Ok(found)
}

fn not_yet(why: &str) -> Fault {
    Fault::refused(
        format!("a replay is not yet possible: {why}"),
        "ask for the bundle again after the close; `verify` without --replay works now",
    )
}

#[allow(clippy::too_many_arguments)] // the facts of one phase, each once
fn one(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    entry: &Entry,
    turn: &Turn,
    correction: Option<&Amend>,
    d: Option<Hex64>,
    found: &mut Replayed,
) -> Result<(), Fault> {
    let phase = turn.phase;
    let dir = phase_dir(phase);
    let (rules_path, rules, engine, prefix) = match correction {
        None => (entry.rules_path.clone(), turn.rules, &turn.engine, String::new()),
        Some(amend) => {
            let path = rules_of(ledger, amend);
            (path, amend.rules, &amend.engine, format!("{}/", amend_dir(amend.number)))
        }
    };
    if *engine != desk.engine {
        found
            .notices
            .push(format!("phase {phase} was resolved by {engine}; this is {}", desk.engine));
    }
    let lock = folder.record(&format!("{dir}/lock.txt"), Lock::parse)?;
    for line in &lock.orders {
        let path = format!("{dir}/orders/{}.toml", line.player);
        let came = matches!(line.fate, crate::core::record::Fate::File { .. });
        if came && !folder.has(&path) {
            return Err(not_yet(&format!("`{path}` is not in this folder")));
        }
    }
    if !folder.has(&entry.state_path) {
        return Err(not_yet(&format!("`{}` is not in this folder", entry.state_path)));
    }
    let files = rules_at(folder, &rules_path, rules)?;
    let game = (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))?;
    let entropy = ledger.genesis.as_ref().map_or(turn.seed, |g| g.entropy);
    let seed = seed_of(&turn.game, phase, &turn.reference, &entropy, turn.beacon);
    let input = PhaseInput {
        game: turn.game.clone(),
        phase,
        prev: turn.prev.to_string(),
        state: state_at(folder, &entry.state_path, turn.state_before)?,
        orders: submissions(folder, phase, &lock.orders)?,
        rehearsal: false,
    };
    let (done, outcome) = resolve(&*game, &input, &seed, d.as_ref(), &prefix)?;
    found.phases += 1;
    found.rolls += outcome.rolls.matches("\nroll=").count();
    let (recorded, next) = match correction {
        None => (Recorded::of_turn(turn), &turn.next),
        Some(amend) => (Recorded::of_amend(amend), &amend.next),
    };
    recorded.compare(phase, &outcome, &mut found.differences);
    let again: Next = next_of(&done.outlook)?;
    if again != *next {
        found.differences.push(format!("phase {phase}: the window to come differs"));
    }
    Ok(())
}

/// The rules list in force after an amendment.
fn rules_of(ledger: &Ledger, amend: &Amend) -> String {
    let after = ledger.entries.iter().find_map(|entry| match &entry.record {
        Record::Amend(other) if other.number == amend.number => {
            if amend.rules == rules_before(ledger, entry) {
                Some(entry.rules_path.clone())
            } else {
                Some(format!("{}/rules.sha256", amend_dir(amend.number)))
            }
        }
        _ => None,
    });
    after.unwrap_or_else(|| ledger.rules_path.clone())
}

fn rules_before(ledger: &Ledger, entry: &Entry) -> Hex64 {
    let mut rules = ledger.offer.rules;
    for other in &ledger.entries {
        if other.head == entry.head {
            break;
        }
        if let Record::Amend(amend) = &other.record {
            rules = amend.rules;
        }
    }
    rules
}

/// The hashes that a record has of a phase's files.
struct Recorded {
    rolls: Option<Hex64>,
    seals: Option<Hex64>,
    events: Option<Hex64>,
    report: Option<Hex64>,
    state: Hex64,
}

impl Recorded {
    fn of_turn(turn: &Turn) -> Self {
        Self {
            rolls: Some(turn.rolls),
            seals: turn.seals,
            events: Some(turn.events),
            report: Some(turn.report),
            state: turn.state_after,
        }
    }

    fn of_amend(amend: &Amend) -> Self {
        Self {
            rolls: amend.rolls,
            seals: amend.seals,
            events: amend.events,
            report: amend.report,
            state: amend.state_after,
        }
    }

    fn compare(&self, phase: u32, outcome: &Outcome, differences: &mut Vec<String>) {
        let hash = |text: &str| Some(hash::text_hash(text));
        for (what, recorded, again) in [
            ("rolls", self.rolls, hash(&outcome.rolls)),
            ("seals", self.seals, outcome.seals.as_deref().and_then(hash)),
            ("events", self.events, hash(&outcome.events)),
            ("public report", self.report, hash(&outcome.report)),
            ("state", Some(self.state), hash(&outcome.state)),
        ] {
            if recorded != again {
                differences.push(format!("phase {phase}: the {what} come out otherwise"));
            }
        }
    }
}
