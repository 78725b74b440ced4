//! The checks: their names, and what it means when one fails.

use std::fmt;

use serde::Serialize;

/// The checks of `docs/dice.md`, section "Verification", in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// A file parses exactly.
    Format,
    /// A file is text.
    Text,
    /// A file that must be there is.
    Missing,
    /// Ids, players, mode, the first state.
    Offer,
    /// Offer, joins or beacon, entropy.
    Genesis,
    /// The rules list and its files.
    Rules,
    /// Each record follows the one before.
    Ledger,
    /// The secret of the phase follows from the tip.
    Chain,
    /// The lock: players, the call it names, early or not.
    Lock,
    /// The calls of a phase.
    Call,
    /// Rounds and values of the beacon.
    Beacon,
    /// The order files.
    Orders,
    /// The seed of the phase.
    Seed,
    /// Public rolls.
    Rolls,
    /// Sealed rolls and notes.
    Seals,
    /// Events, report, state.
    Files,
    /// Amendments.
    Amend,
    /// The close: all secrets open.
    Close,
    /// The head that was given.
    Head,
}

impl Check {
    /// The check's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Text => "text",
            Self::Missing => "missing",
            Self::Offer => "offer",
            Self::Genesis => "genesis",
            Self::Rules => "rules",
            Self::Ledger => "ledger",
            Self::Chain => "chain",
            Self::Lock => "lock",
            Self::Call => "call",
            Self::Beacon => "beacon",
            Self::Orders => "orders",
            Self::Seed => "seed",
            Self::Rolls => "rolls",
            Self::Seals => "seals",
            Self::Files => "files",
            Self::Amend => "amend",
            Self::Close => "close",
            Self::Head => "head",
        }
    }

    /// What it means when this check fails, in plain words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Format => "The file was edited by hand, or made by another program.",
            Self::Text => "The file was damaged on its way, or is not what its name says.",
            Self::Missing => {
                "The bundle is incomplete: ask for it again. If nobody can show the file, the \
                 ledger cannot be checked past this point."
            }
            Self::Offer => "The game was not offered as the protocol demands.",
            Self::Genesis => {
                "The start of the game differs from what was agreed: the dice may have been \
                 chosen."
            }
            Self::Rules => "The rules here are not those that the ledger names.",
            Self::Ledger => {
                "The history was cut, reordered or rewritten here: a record does not follow from \
                 the one before it."
            }
            Self::Chain => {
                "The referee's secret of this phase is not the one that he fixed before the game: \
                 its dice may have been chosen."
            }
            Self::Lock => "The list of the orders that count was changed, or was made out of turn.",
            Self::Call => "The call for orders was changed, or was made out of turn.",
            Self::Beacon => {
                "The public value mixed into the dice is not the one that the times decide: the \
                 dice may have been chosen."
            }
            Self::Orders => "An order file here is not the one that was locked.",
            Self::Seed => "The seed of this phase does not follow from the fixed values.",
            Self::Rolls => "A die here does not show what the seed gives.",
            Self::Seals => "Something hidden was opened as something else than was sealed.",
            Self::Files => "An outcome here is not the one that the ledger names.",
            Self::Amend => "A change between two phases is not as the ledger has it.",
            Self::Close => "The secrets shown at the end are not those that were fixed.",
            Self::Head => {
                "The history here is not the one that your mail belongs to: it was rewritten, or \
                 the referee showed different histories to different players."
            }
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
