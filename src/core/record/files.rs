//! The records themselves: their keys in order.

use std::fmt::Write as _;

use super::value::{Continues, EntropySource, Join, Next, Opened, OrderLine, Sealed};
use super::word::{AmendKind, Consent, Mode, Secrecy, YesNo};
use super::{Reader, RecordFault, Writer, quoted};
use crate::core::beacon::{BeaconString, RoundName};
use crate::core::dice::Roll;
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::time::Stamp;

macro_rules! record {
    ($(#[$doc:meta])* $name:ident, $tag:literal {
        $($(#[$item:meta])* $field:ident: $type:ty = $how:ident($($key:literal),+)),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$item])* pub $field: $type),+ }

        impl $name {
            /// The word after the protocol's name in the first line.
            pub const TAG: &'static str = $tag;

            /// Reads a text in normal form.
            pub fn parse(text: &str) -> Result<Self, RecordFault> {
                let mut reader = Reader::open(text, $tag)?;
                $(let $field = reader.$how($($key),+)?;)+
                reader.close()?;
                Ok(Self { $($field),+ })
            }

            /// The file, in normal form.
            pub fn to_text(&self) -> String {
                let mut writer = Writer::open($tag);
                $(writer.$how(&self.$field, $($key),+);)+
                writer.0
            }

            /// F of the file; for a record of the ledger this is its head.
            pub fn hash(&self) -> Hex64 {
                hash::text_hash(&self.to_text())
            }
        }
    };
}

record! {
    /// `offer.txt`: all that is fixed before anybody joins (5.1).
    Offer, "offer" {
        /// The game.
        game: Id = one("game"),
        /// The scenario.
        scenario: Id = one("scenario"),
        /// Such as `despatch/0.1.0`.
        engine: String = one("engine"),
        /// F of `rules.sha256`.
        rules: Hex64 = one("rules"),
        /// F of `state-000.toml`.
        state: Hex64 = one("state"),
        /// The window of phase 1.
        first: Id = one("first"),
        /// When orders, events and states are published.
        secrecy: Secrecy = one("secrecy"),
        /// Whether every phase has a beacon value.
        mode: Mode = one("mode"),
        /// The player whom the referee plays.
        referee: Option<Id> = one("referee"),
        /// Where the entropy comes from.
        entropy: EntropySource = one("entropy"),
        /// Seconds from closing to the earliest beacon.
        wait: u64 = one("wait"),
        /// The grid of beacons, seconds.
        grid: u64 = one("grid"),
        /// N: the phases that the chain can serve.
        length: u32 = one("length"),
        /// `s_0`.
        tip: Hex64 = one("tip"),
        /// H(hidden) of d.
        hidden: Hex64 = one("hidden"),
        /// The game that this one goes on from.
        continues: Option<Continues> = one("continues"),
        /// When it was made.
        made: Stamp = one("made"),
        /// The players, sorted.
        players: Vec<Id> = many("players", "player"),
    }
}

record! {
    /// `genesis.txt`: the first record of the ledger (5.2).
    Genesis, "genesis" {
        /// The game.
        game: Id = one("game"),
        /// F of `offer.txt`.
        offer: Hex64 = one("offer"),
        /// Commitments and nonces, sorted by player; empty with a beacon.
        joins: Vec<Join> = many("joins", "join"),
        /// The beacon that stands for the nonces.
        beacon: Option<BeaconString> = one("beacon"),
        /// H(entropy).
        entropy: Hex64 = one("entropy"),
    }
}

record! {
    /// `call.txt`, `call-2.txt` ...: a call for orders or an extension (5.3).
    Call, "call" {
        /// The game.
        game: Id = one("game"),
        /// The phase, from 1.
        phase: u32 = one("phase"),
        /// The head at the time of the call.
        prev: Hex64 = one("prev"),
        /// F of the call before, for an extension.
        follows: Option<Hex64> = one("follows"),
        /// The window.
        window: Id = one("window"),
        /// Whose orders the rules await, sorted.
        asks: Vec<Id> = one("asks"),
        /// When it was made.
        made: Stamp = one("made"),
        /// When orders close.
        deadline: Stamp = one("deadline"),
        /// The beacon by the deadline; `None` in mode chain.
        beacon: Option<RoundName> = one("beacon"),
    }
}

record! {
    /// `lock.txt`: which files count (5.5).
    Lock, "lock" {
        /// The game.
        game: Id = one("game"),
        /// The phase.
        phase: u32 = one("phase"),
        /// F of the last call.
        call: Hex64 = one("call"),
        /// When it was made.
        locked: Stamp = one("locked"),
        /// Whether it came before the deadline because all were final.
        early: YesNo = one("early"),
        /// The beacon of the phase; `None` in mode chain.
        beacon: Option<RoundName> = one("beacon"),
        /// What came from each player, sorted.
        orders: Vec<OrderLine> = many("players", "orders"),
    }
}

record! {
    /// `rolls.txt`: the public rolls of a phase (5.6).
    Rolls, "rolls" {
        /// The game.
        game: Id = one("game"),
        /// The phase.
        phase: u32 = one("phase"),
        /// The rolls, in the order rolled.
        rolls: Vec<Roll> = many("rolls", "roll"),
    }
}

record! {
    /// `seals.txt` and `close-seals.txt`: commitments made and opened (5.7).
    Seals, "seals" {
        /// The game.
        game: Id = one("game"),
        /// The phase; 0 at the close.
        phase: u32 = one("phase"),
        /// Commitments registered, in the order made.
        seals: Vec<Sealed> = many("seals", "seal"),
        /// Commitments opened.
        opens: Vec<Opened> = many("opens", "open"),
    }
}

record! {
    /// `turn.txt`: the record of a phase (5.8).
    Turn, "turn" {
        /// The game.
        game: Id = one("game"),
        /// The phase.
        phase: u32 = one("phase"),
        /// The head before, as the call has it.
        prev: Hex64 = one("prev"),
        /// The program that ran it.
        engine: String = one("engine"),
        /// F of the rules list in force.
        rules: Hex64 = one("rules"),
        /// F of the state before.
        state_before: Hex64 = one("state_before"),
        /// F of `lock.txt`.
        lock: Hex64 = one("lock"),
        /// `s_p`.
        reference: Hex64 = one("ref"),
        /// The beacon's value; `None` in mode chain.
        beacon: Option<BeaconString> = one("beacon"),
        /// H(seed).
        seed: Hex64 = one("seed"),
        /// F of `rolls.txt`.
        rolls: Hex64 = one("rolls"),
        /// F of `seals.txt`; `None` in open games.
        seals: Option<Hex64> = one("seals"),
        /// F of `events.jsonl`.
        events: Hex64 = one("events"),
        /// F of `report/public.txt`.
        report: Hex64 = one("report"),
        /// F of `state-after.toml`.
        state_after: Hex64 = one("state_after"),
        /// The window of the next phase.
        next: Next = one("next"),
    }
}

record! {
    /// `amend-NNN/amend.txt`: a change between two phases (5.9).
    Amend, "amend" {
        /// The game.
        game: Id = one("game"),
        /// From 1.
        number: u32 = one("number"),
        /// The head before.
        prev: Hex64 = one("prev"),
        /// When it was made.
        made: Stamp = one("made"),
        /// What it changes.
        kind: AmendKind = one("kind"),
        /// The last recorded phase; 0 before phase 1.
        phase: u32 = one("phase"),
        /// Who agreed.
        consent: Consent = one("consent"),
        /// The program.
        engine: String = one("engine"),
        /// F of the rules list in force from now on.
        rules: Hex64 = one("rules"),
        /// F of the state before.
        state_before: Hex64 = one("state_before"),
        /// F of the corrected rolls.
        rolls: Option<Hex64> = one("rolls"),
        /// F of the corrected seals.
        seals: Option<Hex64> = one("seals"),
        /// F of the corrected events.
        events: Option<Hex64> = one("events"),
        /// F of the corrected public report.
        report: Option<Hex64> = one("report"),
        /// F of the state after.
        state_after: Hex64 = one("state_after"),
        /// The window of the next phase.
        next: Next = one("next"),
        /// F of `note.txt`.
        note: Hex64 = one("note"),
    }
}

record! {
    /// `close.txt`: the end of the game; all secrets open (5.10).
    Close, "close" {
        /// The game.
        game: Id = one("game"),
        /// The head before.
        prev: Hex64 = one("prev"),
        /// When it was made.
        made: Stamp = one("made"),
        /// How many phases there were.
        phases: u32 = one("phases"),
        /// How many amendments.
        amendments: u32 = one("amendments"),
        /// F of `close-seals.txt`.
        seals: Option<Hex64> = one("seals"),
        /// d.
        secret: Hex64 = one("secret"),
        /// The result, in words.
        result: String = one("result"),
    }
}

record! {
    /// `referee.secret`: in no bundle and no mail ("Secrets and files").
    Secret, "secret" {
        /// The game.
        game: Id = one("game"),
        /// N.
        length: u32 = one("length"),
        /// `s_N`.
        root: Hex64 = one("root"),
        /// d.
        hidden: Hex64 = one("hidden"),
    }
}

/// One line of `rules.sha256`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesEntry {
    /// F of the file.
    pub hash: Hex64,
    /// Its path in the bundle: `rules/...` or `amend-NNN/rules/...`.
    pub path: String,
}

impl RulesEntry {
    /// The path below the game's `rules/`: what the file is called whichever
    /// amendment brought it.
    pub fn name(&self) -> &str {
        below_rules(&self.path).unwrap_or(&self.path)
    }
}

/// `rules.sha256`: what `sha256sum` prints for every file that can change a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesList {
    /// The files, sorted by path bytewise.
    pub entries: Vec<RulesEntry>,
}

impl RulesList {
    /// A list of files, sorted here.
    pub fn new(mut entries: Vec<RulesEntry>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Self { entries }
    }

    /// Reads a text in normal form: sorted, no path twice, every path below
    /// `rules/` or `amend-NNN/rules/`.
    pub fn parse(text: &str) -> Result<Self, RecordFault> {
        let mut list = Self::default();
        if text == "\n" {
            return Ok(list);
        }
        let Some(body) = text.strip_suffix('\n') else {
            return Err(RecordFault {
                line: text.split('\n').count(),
                expected: "a line end after the last line".to_owned(),
                found: quoted(text.rsplit('\n').next().unwrap_or_default()),
            });
        };
        for (index, line) in body.split('\n').enumerate() {
            let fault = |expected: &str| RecordFault {
                line: index + 1,
                expected: expected.to_owned(),
                found: quoted(line),
            };
            let entry = line
                .split_once("  ")
                .and_then(|(hash, path)| {
                    Some(RulesEntry { hash: Hex64::new(hash).ok()?, path: path.to_owned() })
                })
                .ok_or_else(|| fault("<64 digits>, two spaces, a path"))?;
            if below_rules(&entry.path).is_none() {
                return Err(fault("a path below rules/ or amend-NNN/rules/"));
            }
            if list.entries.last().is_some_and(|last| last.path >= entry.path) {
                return Err(fault("paths sorted bytewise, each once"));
            }
            list.entries.push(entry);
        }
        Ok(list)
    }

    /// The file, in normal form.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            let _ = writeln!(out, "{}  {}", entry.hash, entry.path);
        }
        if out.is_empty() {
            out.push('\n');
        }
        out
    }

    /// F of the file.
    pub fn hash(&self) -> Hex64 {
        hash::text_hash(&self.to_text())
    }
}

/// What follows `rules/` or `amend-NNN/rules/` in a path that stays below it.
fn below_rules(path: &str) -> Option<&str> {
    let after = path
        .strip_prefix("amend-")
        .and_then(|rest| rest.split_once('/'))
        .filter(|(number, _)| number.len() >= 3 && number.bytes().all(|b| b.is_ascii_digit()))
        .map_or(path, |(_, rest)| rest);
    let name = after.strip_prefix("rules/")?;
    let plain = name.bytes().all(|b| (0x21..=0x7e).contains(&b) && b != b'\\' && b != b':');
    let safe = name.split('/').all(|part| !part.is_empty() && part != "." && part != "..");
    (plain && safe).then_some(name)
}
