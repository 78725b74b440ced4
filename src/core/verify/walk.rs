//! Reading files with their faults named, and the way along the ledger.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Check;
use super::outcome::{Counts, Failure, Notice, NoticeKind, PhaseFacts, RecordName};
use super::{Bundle, Options};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{
    Amend, Call, Close, Mode, Next, Offer, RecordFault, RulesList, Secrecy, Turn,
};

/// A step of a verification: it stops at the first failure.
pub(super) type Step<T = ()> = Result<T, Failure>;

/// The first failure of a check.
pub(super) fn fail<T>(check: Check, file: &str, message: impl Into<String>) -> Step<T> {
    Err(Failure { check, file: file.to_owned(), message: message.into() })
}

/// Fails a check unless it holds.
pub(super) fn must(
    holds: bool,
    check: Check,
    file: &str,
    message: impl FnOnce() -> String,
) -> Step {
    if holds { Ok(()) } else { fail(check, file, message()) }
}

/// A commitment as it was registered.
#[derive(Clone, Debug)]
pub(super) struct Registered {
    pub(super) phase: u32,
    /// Whose note it is; `None` for a roll.
    pub(super) owner: Option<Id>,
    /// The owner's order file, if it does not name the commitment: it must then hold
    /// the salt and the note.
    pub(super) file: Option<String>,
    /// Once a roll was opened: its key and label.
    pub(super) key: Option<(Hex64, String)>,
    pub(super) open: bool,
}

/// What the ledger says so far.
pub(super) struct Position {
    pub(super) offer: Offer,
    pub(super) entropy: Hex64,
    pub(super) head: Hex64,
    pub(super) state: Hex64,
    pub(super) state_path: String,
    pub(super) rules: Hex64,
    pub(super) list: RulesList,
    pub(super) next: Next,
    /// `s_p` of the last phase; the tip before phase 1.
    pub(super) reference: Hex64,
    pub(super) engine: String,
    pub(super) phase: u32,
    pub(super) amendment: u32,
    /// The seed of each phase, and the labels of its public rolls.
    pub(super) seeds: BTreeMap<u32, (Hex64, BTreeSet<String>)>,
    pub(super) seals: BTreeMap<Hex64, Registered>,
    /// True when the bundle has a close: then nothing may be withheld.
    pub(super) closed: bool,
}

impl Position {
    /// True if the secret files may still be kept back.
    pub(super) fn may_withhold(&self) -> bool {
        self.offer.secrecy == Secrecy::Sealed && !self.closed
    }
}

/// A verification on its way.
pub(super) struct Walk<'a> {
    bundle: &'a dyn Bundle,
    pub(super) files: BTreeSet<String>,
    pub(super) options: Options,
    pub(super) game: Option<Id>,
    pub(super) mode: Option<Mode>,
    pub(super) notices: Vec<Notice>,
    pub(super) counts: Counts,
    pub(super) heads: Vec<(RecordName, Hex64)>,
    pub(super) phases: Vec<PhaseFacts>,
}

/// The folder of a phase.
pub(super) fn phase_folder(number: u32) -> String {
    format!("phase-{number:03}")
}

/// The folder of an amendment.
pub(super) fn amend_folder(number: u32) -> String {
    format!("amend-{number:03}")
}

impl<'a> Walk<'a> {
    pub(super) fn new(bundle: &'a dyn Bundle, options: Options) -> Self {
        Self {
            bundle,
            files: bundle.files().into_iter().collect(),
            options,
            game: None,
            mode: None,
            notices: Vec::new(),
            counts: Counts::default(),
            heads: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// A file in normal form, or `None` if there is none.
    pub(super) fn text(&self, path: &str) -> Step<Option<String>> {
        if !self.files.contains(path) {
            return Ok(None);
        }
        let Some(bytes) = self.bundle.read(path) else {
            return fail(Check::Missing, path, "the file cannot be read");
        };
        match hash::normal(&bytes) {
            Ok(text) => Ok(Some(text)),
            Err(fault) => fail(Check::Text, path, fault.to_string()),
        }
    }

    /// A file that must be there.
    pub(super) fn need(&self, path: &str) -> Step<String> {
        match self.text(path)? {
            Some(text) => Ok(text),
            None => fail(Check::Missing, path, "the file is not here, and must be"),
        }
    }

    /// A record that must be there, and its text.
    pub(super) fn record<T>(
        &self,
        path: &str,
        parse: fn(&str) -> Result<T, RecordFault>,
    ) -> Step<(T, Hex64)> {
        let text = self.need(path)?;
        match parse(&text) {
            Ok(record) => Ok((record, hash::text_hash(&text))),
            Err(fault) => fail(Check::Format, path, fault.to_string()),
        }
    }

    /// A file whose hash the ledger names; `None` if it is withheld, which only
    /// secret files may be.
    pub(super) fn named(
        &mut self,
        path: &str,
        hash: &Hex64,
        check: Check,
        may_withhold: bool,
    ) -> Step<Option<String>> {
        let Some(text) = self.text(path)? else {
            if may_withhold {
                self.counts.withheld += 1;
                return Ok(None);
            }
            return fail(Check::Missing, path, "the file is not here, and must be");
        };
        let found = hash::text_hash(&text);
        must(found == *hash, check, path, || {
            format!("the file has the hash {found}; the ledger names {hash}")
        })?;
        Ok(Some(text))
    }

    pub(super) fn notice(&mut self, kind: NoticeKind, file: &str, text: impl Into<String>) {
        self.notices.push(Notice { kind, file: file.to_owned(), text: text.into() });
    }

    /// All checks but that of the head given.
    pub(super) fn run(&mut self) -> Step {
        let mut at = self.start()?;
        loop {
            let number = at.amendment + 1;
            let path = format!("{}/amend.txt", amend_folder(number));
            if self.follows(&path, Amend::parse, |record| record.prev == at.head)? {
                self.amendment(&mut at, number)?;
                continue;
            }
            let path = format!("{}/turn.txt", phase_folder(at.phase + 1));
            if self.follows(&path, Turn::parse, |record| record.prev == at.head)? {
                // What a phase counted before it failed was not a whole phase.
                let counts = self.counts;
                if let Err(failure) = self.phase(&mut at) {
                    self.counts = counts;
                    return Err(failure);
                }
                continue;
            }
            if self.follows("close.txt", Close::parse, |record| record.prev == at.head)? {
                self.close(&mut at)?;
            }
            break;
        }
        self.leftovers(&at)?;
        if !self.heads.iter().any(|(record, _)| *record == RecordName::Close) {
            self.open_phase(&at)?;
        }
        self.last_notices(&at);
        Ok(())
    }

    fn follows<T>(
        &self,
        path: &str,
        parse: fn(&str) -> Result<T, RecordFault>,
        test: impl Fn(&T) -> bool,
    ) -> Step<bool> {
        Ok(self.files.contains(path) && test(&self.record(path, parse)?.0))
    }

    /// A record or a folder that the way along the ledger did not meet.
    fn leftovers(&self, at: &Position) -> Step {
        let closed = self.heads.iter().any(|(record, _)| *record == RecordName::Close);
        let last = self.heads.last().map_or_else(String::new, |(record, _)| record.to_string());
        // The record that should have come next says most about what is wrong.
        let next = [
            format!("{}/amend.txt", amend_folder(at.amendment + 1)),
            format!("{}/turn.txt", phase_folder(at.phase + 1)),
            "close.txt".to_owned(),
        ];
        for path in next.iter().filter(|path| self.files.contains(*path)) {
            must(path == "close.txt" && closed, Check::Ledger, path, || {
                format!("its prev is not the head of {last}, the last record here ({})", at.head)
            })?;
        }
        for path in &self.files {
            let Some((folder, _)) = path.split_once('/') else { continue };
            let number = |prefix: &str| {
                let digits = folder.strip_prefix(prefix)?;
                let plain = digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit());
                plain.then(|| digits.parse::<u32>().ok().filter(|n| format!("{n:03}") == digits))
            };
            let known = match (number("phase-"), number("amend-")) {
                (Some(Some(phase)), _) => {
                    // The next phase may be called and have no record yet.
                    (1..=at.phase).contains(&phase) || (phase == at.phase + 1 && !closed)
                }
                (_, Some(Some(amendment))) => (1..=at.amendment).contains(&amendment),
                (None, None) => true,
                _ => false,
            };
            must(known, Check::Ledger, path, || {
                format!("the folder follows no record; the last one here is {last}")
            })?;
        }
        Ok(())
    }

    /// The phase that is called and has no record yet: its calls and its lock.
    fn open_phase(&mut self, at: &Position) -> Step {
        let number = at.phase + 1;
        let folder = phase_folder(number);
        let path = format!("{folder}/call.txt");
        if !self.files.contains(&path) {
            return Ok(());
        }
        let lock_path = format!("{folder}/lock.txt");
        // The table counts recorded phases only.
        let counts = self.counts;
        let what = if self.files.contains(&lock_path) {
            self.called(at, number, None)?;
            "locked"
        } else {
            let calls = self.calls(&folder)?;
            self.check_calls(at, number, &calls)?;
            "called"
        };
        self.counts = counts;
        self.notice(
            NoticeKind::OpenPhase,
            &path,
            format!("phase {number} is {what} and not yet resolved"),
        );
        Ok(())
    }

    /// All call files of a phase, in order, with their hashes.
    pub(super) fn calls(&self, folder: &str) -> Step<Vec<(String, Call, Hex64)>> {
        let mut calls = Vec::new();
        for number in 1_u32.. {
            let path = if number == 1 {
                format!("{folder}/call.txt")
            } else {
                format!("{folder}/call-{number}.txt")
            };
            if number > 1 && !self.files.contains(&path) {
                break;
            }
            let (call, hash) = self.record(&path, Call::parse)?;
            calls.push((path, call, hash));
        }
        Ok(calls)
    }

    /// Remembers who wrote a record.
    pub(super) fn engine(&mut self, at: &mut Position, engine: &str, path: &str) {
        if engine != at.engine {
            let text = format!("the program changed from {} to {engine}", at.engine);
            self.notice(NoticeKind::EngineChanged, path, text);
            engine.clone_into(&mut at.engine);
        }
    }

    fn last_notices(&mut self, at: &Position) {
        if self.counts.withheld > 0 {
            let text = format!(
                "{} secret files (orders, events, states) are published at the close",
                self.counts.withheld
            );
            self.notice(NoticeKind::NotPublished, "", text);
        }
        let closed = at.seals.values().filter(|seal| !seal.open).count();
        if closed > 0 {
            let text = format!("{closed} sealed rolls or notes are not opened yet");
            self.notice(NoticeKind::SealsClosed, "", text);
        }
        if self.counts.beacons > 0 && self.options.beacon_key.is_none() {
            self.notice(
                NoticeKind::SignaturesUnchecked,
                "",
                "the signatures of the beacon were not checked; compare its public pages",
            );
        }
        if let Some(player) = &at.offer.referee {
            let text = format!(
                "the referee plays {player} in an open game: he can read the others' orders first"
            );
            self.notice(NoticeKind::RefereePlays, "offer.txt", text);
        }
        if let Some(old) = &at.offer.continues {
            let text = format!("this game goes on from {} at head {}", old.game, old.head);
            self.notice(NoticeKind::Continues, "offer.txt", text);
        }
    }
}
