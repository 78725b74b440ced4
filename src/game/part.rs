//! What every rule system makes of the files that came, and of the events that followed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{GameError, Submission};
use crate::core::id::Id;
use crate::core::source::Source;

/// A player's part in a phase: how the file came, and what it lawfully orders.
#[derive(Clone, Debug)]
pub struct Part<Plan> {
    /// The player.
    pub player: Id,
    /// `file`, `missing` or `idle`; `machine`, where the machine plays.
    pub submission: &'static str,
    /// The lawful orders; empty without a file.
    pub plan: Plan,
}

/// Every player's part; `plan` checks a file against what its player may see.
pub fn parts<Plan: Default>(
    orders: &BTreeMap<Id, Submission>,
    plan: impl Fn(&Id, &Source) -> Plan,
) -> Vec<Part<Plan>> {
    let part = |(player, submission): (&Id, &Submission)| {
        let (submission, plan) = match submission {
            Submission::File(source) => ("file", plan(player, source)),
            Submission::Missing => ("missing", Plan::default()),
            Submission::Idle => ("idle", Plan::default()),
        };
        Part { player: player.clone(), submission, plan }
    };
    orders.iter().map(part).collect()
}

/// An order that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its line in the file.
    pub line: usize,
    /// The order in short.
    pub order: String,
    /// Why.
    pub reason: String,
    /// The rule, if one is broken.
    pub rule: String,
}

/// The event log of a phase: one JSON object a line.
///
/// # Errors
/// An event that JSON cannot hold.
pub fn event_log<Event: Serialize>(events: &[Event]) -> Result<String, GameError> {
    let mut log = String::new();
    for event in events {
        let line = serde_json::to_string(event)
            .map_err(|e| GameError::State(format!("an event has no JSON form: {e}")))?;
        log.push_str(&line);
        log.push('\n');
    }
    Ok(log)
}
