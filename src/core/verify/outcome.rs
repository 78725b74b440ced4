//! What a verification says: the failure, notices, counts, the heads.

use std::fmt::{self, Write as _};

use serde::Serialize;

use super::check::Check;
use crate::core::hash::Hex64;
use crate::core::record::{Mode, Next, RulesList};

/// The first check that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Which.
    pub check: Check,
    /// The file that shows it; empty where no file does.
    pub file: String,
    /// What is wrong, in plain words.
    pub message: String,
}

/// What kind of notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// A record was made by another program than the one before.
    EngineChanged,
    /// An amendment.
    Amendment,
    /// A file received after the deadline.
    LateFile,
    /// A lock at or after its beacon.
    LateLock,
    /// A lock dated before its call or before a file that it lists.
    FalseTime,
    /// Files that are published only at the close.
    NotPublished,
    /// Commitments that nobody opened yet.
    SealsClosed,
    /// Beacon values were compared, their signatures were not.
    SignaturesUnchecked,
    /// The referee plays.
    RefereePlays,
    /// A phase is called and has no record yet.
    OpenPhase,
    /// The game goes on from another one.
    Continues,
}

/// Something worth knowing that fails nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// What kind.
    pub kind: NoticeKind,
    /// The file that shows it; may be empty.
    pub file: String,
    /// In plain words.
    pub text: String,
}

/// One record of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordName {
    /// `genesis.txt`.
    Genesis,
    /// The turn of a phase.
    Phase(u32),
    /// An amendment.
    Amendment(u32),
    /// `close.txt`.
    Close,
}

impl fmt::Display for RecordName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Genesis => f.write_str("the genesis"),
            Self::Phase(number) => write!(f, "phase {number}"),
            Self::Amendment(number) => write!(f, "amendment {number}"),
            Self::Close => f.write_str("the close"),
        }
    }
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Nonces of players; none where a beacon stands for them.
    pub nonces: usize,
    /// Files of the rules list in force at the start.
    pub rules: usize,
    /// Recorded phases.
    pub phases: u32,
    /// Amendments.
    pub amendments: u32,
    /// Call files.
    pub calls: usize,
    /// Order files whose hash was compared.
    pub orders: usize,
    /// Secrets of the chain.
    pub secrets: usize,
    /// Public rolls computed again.
    pub rolls: usize,
    /// Commitments registered.
    pub sealed: usize,
    /// Commitments opened.
    pub opened: usize,
    /// Beacon values, those of phases and that of the genesis.
    pub beacons: usize,
    /// Files not published yet.
    pub withheld: usize,
}

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The game, once the offer was read.
    pub game: String,
    /// The mode, once the offer was read.
    #[serde(serialize_with = "mode_word")]
    pub mode: Option<Mode>,
    /// The first check that failed; `None` if all passed.
    pub failure: Option<Failure>,
    /// In the order found.
    pub notices: Vec<Notice>,
    /// What was checked, up to the failure.
    pub counts: Counts,
    /// Every record with its head, in the ledger's order.
    pub heads: Vec<(RecordName, Hex64)>,
    /// The head that was given.
    pub given: Option<Hex64>,
    /// The record whose head was given.
    pub matched: Option<RecordName>,
    /// What each recorded phase was resolved from, for a replay.
    #[serde(skip)]
    pub phases: Vec<PhaseFacts>,
}

/// What a phase was resolved from, and which files hold its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseFacts {
    /// The phase.
    pub phase: u32,
    /// The head before it.
    pub prev: Hex64,
    /// Its seed.
    pub seed: Hex64,
    /// The rules files in force; [`RulesList`] says where each lies.
    pub rules: RulesList,
    /// The path of the state before, which may be withheld.
    pub state_before: String,
    /// The folder of its outcome: its own, or that of the last correction.
    pub outcome: String,
    /// The next window by the record with that outcome.
    pub next: Next,
}

#[allow(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn mode_word<S: serde::Serializer>(mode: &Option<Mode>, to: S) -> Result<S::Ok, S::Error> {
    mode.map(|mode| if mode == Mode::Chain { "chain" } else { "beacon" }).serialize(to)
}

/// What a passed verification proves, and what not.
const PROVES: &str = "\
The dice follow from values fixed before the orders were locked. This does
not prove that the referee kept secrets, or delivered every mail; run with
--replay to check that he read the rules right.";
const WITHHELD: &str = "\
The dice follow from values fixed before the orders were locked. This does
not prove that the referee kept secrets, or delivered every mail; whether he
read the rules right is shown after the close, with --replay.";
const REPLAYED: &str = "\
The dice follow from values fixed before the orders were locked, and the
rules, applied again, give all that was published. This does not prove that
the referee kept secrets, or delivered every mail.";
const CHAIN: &str = "The referee could know these dice in advance.";
const NO_HEAD: &str = "\
No head was given, so the last record proves nothing: it could have been
rewritten. Give the 64 digits of your last mail with --head.";

const OLD_HEAD: &str = "\
What came after it proves nothing: it could have been rewritten. Give the \
64 digits of your last mail with --head.";

impl Verification {
    /// True if no check failed.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }

    /// The present head.
    pub fn head(&self) -> Option<Hex64> {
        self.heads.last().map(|(_, head)| *head)
    }

    /// The sentences below the table when all passed: what that proves; `replayed`
    /// when the rules were applied again and gave the same.
    pub fn closing(&self, replayed: bool) -> String {
        let mut out = match (replayed, self.counts.withheld) {
            (true, _) => REPLAYED,
            (false, 0) => PROVES,
            (false, _) => WITHHELD,
        }
        .to_owned();
        if self.mode == Some(Mode::Chain) {
            out = format!("{out}\n{CHAIN}");
        }
        match (self.given, self.matched) {
            (None, _) => out = format!("{out}\n{NO_HEAD}"),
            (Some(given), Some(record)) if Some(given) != self.head() => {
                let mut text = String::new();
                let words = format!("Yours is the head of {record}. {OLD_HEAD}");
                wrap(&mut text, "", "", &words);
                out = format!("{out}\n{}", text.trim_end());
            }
            _ => {}
        }
        out
    }

    /// The table of what was checked: subject and facts, a line each.
    pub fn table(&self) -> Vec<(String, String)> {
        let c = &self.counts;
        let mut rows = Vec::new();
        let reached = |name: RecordName| self.heads.iter().any(|(record, _)| *record == name);
        if reached(RecordName::Genesis) {
            rows.push(("genesis".to_owned(), format!("sealed tip, {}, entropy", self.start())));
            if c.rules > 0 {
                rows.push(("rules".to_owned(), some(c.rules, "file")));
            }
        }
        if c.phases > 0 {
            let name = if c.phases == 1 { "1".to_owned() } else { format!("1-{}", c.phases) };
            let facts = [
                some(c.calls, "call"),
                some(c.phases as usize, "lock"),
                some(c.orders, "order file"),
                some(c.secrets, "secret"),
                some(c.rolls, "roll"),
            ];
            rows.push((format!("phase {name}"), facts.join(", ")));
        }
        if c.sealed > 0 {
            rows.push(("seals".to_owned(), format!("{} made, {} opened", c.sealed, c.opened)));
        }
        if c.amendments > 0 {
            rows.push(("amendments".to_owned(), c.amendments.to_string()));
        }
        if reached(RecordName::Close) {
            rows.push(("close".to_owned(), "every secret shown is the one fixed".to_owned()));
        }
        if let Some(matched) = self.matched {
            rows.push(("head".to_owned(), format!("yours is {matched}")));
        }
        rows
    }

    fn start(&self) -> String {
        match self.counts.nonces {
            0 => "one beacon value".to_owned(),
            nonces => some(nonces, "nonce"),
        }
    }

    /// All of it as people read it, 72 columns wide where no hash is longer.
    pub fn render(&self) -> String {
        self.render_after(None)
    }

    /// The same after a replay: `Some(false)` where it gave other results.
    pub fn render_after(&self, replay: Option<bool>) -> String {
        let mut out = String::new();
        for (subject, facts) in self.table() {
            let _ = writeln!(out, "{subject:<12}{facts:<53} ok");
        }
        if let Some(failure) = &self.failure {
            let _ = writeln!(out, "{:<66}FAILED", failure.check.name());
            let place = if failure.file.is_empty() { "" } else { "in " };
            for text in [&format!("{place}{}", failure.file), &failure.message] {
                wrap(&mut out, "  ", "  ", text);
            }
            wrap(&mut out, "  ", "  ", failure.check.meaning());
        }
        for notice in &self.notices {
            let place =
                if notice.file.is_empty() { String::new() } else { format!(" ({})", notice.file) };
            let text = format!("{}{place}", notice.text);
            wrap(&mut out, "notice      ", "            ", &text);
        }
        if self.passed() && replay != Some(false) {
            let closing = self.closing(replay.is_some());
            let _ = writeln!(out, "ALL CHECKS PASSED\n{closing}");
        } else {
            out.push_str("DO NOT TRUST THIS BUNDLE\n");
        }
        out
    }
}

/// `1 file`, `2 files`.
fn some(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Writes a text in lines of 72 columns; a word that is longer stays whole. An
/// empty text writes nothing.
fn wrap(out: &mut String, first: &str, rest: &str, text: &str) {
    let mut line = String::new();
    let mut lead = first;
    for word in text.split_whitespace() {
        if !line.is_empty() && lead.len() + line.len() + 1 + word.len() > 72 {
            let _ = writeln!(out, "{lead}{line}");
            line.clear();
            lead = rest;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        let _ = writeln!(out, "{lead}{line}");
    }
}
