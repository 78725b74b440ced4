//! Values that are one word of a short list.

use super::value::Value;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $expected:literal {
        $($(#[$item:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$item])* $variant),+ }

        impl Value for $name {
            const EXPECTED: &'static str = $expected;
            fn read(text: &str) -> Option<Self> {
                match text { $($word => Some(Self::$variant),)+ _ => None }
            }
            fn write(&self) -> String {
                match self { $(Self::$variant => $word),+ }.to_owned()
            }
        }
    };
}

words! {
    /// Whether orders, events and states are published with each report.
    Secrecy, "open or sealed" {
        /// With each report.
        Open = "open",
        /// At the close.
        Sealed = "sealed",
    }
}
words! {
    /// Whether every phase mixes in a value of the public beacon.
    Mode, "chain or beacon" {
        /// The referee's chain and the entropy of the genesis alone.
        Chain = "chain",
        /// A value a phase.
        Beacon = "beacon",
    }
}
words! {
    /// An answer.
    YesNo, "yes or no" {
        /// Yes.
        Yes = "yes",
        /// No.
        No = "no",
    }
}
words! {
    /// What an amendment changes.
    AmendKind, "ruling, state, seat or correct" {
        /// New rules files.
        Ruling = "ruling",
        /// A state set by the referee.
        State = "state",
        /// Another person takes a seat.
        Seat = "seat",
        /// The last phase run again after an error of program or data.
        Correct = "correct",
    }
}
words! {
    /// Who agreed to an amendment.
    Consent, "all or referee" {
        /// Every player.
        All = "all",
        /// The referee alone.
        Referee = "referee",
    }
}
