//! Verification of a bundle or of a game's folder (`docs/dice.md`, section
//! "Verification"): seventeen checks in a fixed order, the first failure named.
//!
//! Nothing here is needed to play. It is what a player runs who does not want to
//! trust the referee, so it recomputes everything from the files alone.

mod bundle;
mod check;
mod explain;
mod outcome;
mod phase;
mod seals;
mod start;
mod walk;

pub use bundle::{Bundle, MemoryBundle};
pub use check::Check;
pub use explain::{ByHand, ExplainError, Step, explain_roll};
pub use outcome::{Counts, Failure, Notice, NoticeKind, PhaseFacts, RecordName, Verification};

use super::beacon::BeaconKey;
use super::hash::Hex64;
use walk::Walk;

/// How to verify.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The beacon's public key; tests have one of their own. `None` leaves the
    /// signatures unchecked, which is noticed.
    pub beacon_key: Option<BeaconKey>,
}

impl Default for Options {
    /// Signatures checked with quicknet's key.
    fn default() -> Self {
        Self { beacon_key: Some(BeaconKey::quicknet()) }
    }
}

/// Verifies a bundle. `head` is the one from the reader's own mail, all 64 digits:
/// without it the last record proves nothing.
pub fn verify(bundle: &dyn Bundle, head: Option<&Hex64>, options: &Options) -> Verification {
    let mut walk = Walk::new(bundle, *options);
    let mut failure = walk.run().err();
    let heads = walk.heads;
    let matched = head.and_then(|given| {
        heads.iter().rev().find(|(_, known)| known == given).map(|(record, _)| *record)
    });
    if let (None, Some(given), None) = (&failure, head, matched) {
        failure = Some(Failure {
            check: Check::Head,
            file: String::new(),
            message: format!("no record of this ledger has the head that you gave, {given}"),
        });
    }
    Verification {
        game: walk.game.map(|game| game.to_string()).unwrap_or_default(),
        mode: walk.mode,
        failure,
        notices: walk.notices,
        counts: walk.counts,
        heads,
        given: head.copied(),
        matched,
        phases: walk.phases,
    }
}
