//! What the ledger of a folder says is true now: the records from the genesis to the
//! present head, the rules and the state in force, the phase that is called.

use std::collections::BTreeMap;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, amend_dir, call_name, phase_dir};
use crate::core::hash::{self, Hex64};
use crate::core::record::{
    Amend, AmendKind, Call, Close, Genesis, Lock, Next, Offer, RulesList, Secrecy, Turn,
};
use crate::core::salt::split_state;
use crate::game::{Game, RulesFiles};

/// One record of the ledger, with what it was made upon.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The record.
    pub record: Record,
    /// Its hash: the head after it.
    pub head: Hex64,
    /// The rules list before it.
    pub rules_path: String,
    /// The state before it.
    pub state_path: String,
}

/// A record after the genesis.
#[derive(Clone, Debug)]
pub enum Record {
    /// A phase.
    Turn(Turn),
    /// An amendment.
    Amend(Amend),
    /// The end.
    Close(Close),
}

/// A phase that is called and not resolved.
#[derive(Clone, Debug)]
pub struct OpenPhase {
    /// Its number.
    pub phase: u32,
    /// Its calls; never empty.
    pub calls: Vec<Call>,
    /// Its lock, if the orders are closed.
    pub lock: Option<Lock>,
}

impl OpenPhase {
    /// The call that counts.
    pub fn call(&self) -> &Call {
        &self.calls[self.calls.len() - 1]
    }
}

/// What the ledger of a folder says is true now.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// The offer.
    pub offer: Offer,
    /// The genesis, once closed.
    pub genesis: Option<Genesis>,
    /// Every record after it, in order.
    pub entries: Vec<Entry>,
    /// The head, once there is a genesis.
    pub head: Option<Hex64>,
    /// The last recorded phase, 0 before the first.
    pub phases: u32,
    /// Amendments so far.
    pub amendments: u32,
    /// The engine of the last record.
    pub engine: String,
    /// F of the rules list in force.
    pub rules: Hex64,
    /// Where that list is.
    pub rules_path: String,
    /// F of the present state.
    pub state: Hex64,
    /// Where it is.
    pub state_path: String,
    /// The window to come.
    pub next: Next,
    /// The phase that is called.
    pub open: Option<OpenPhase>,
    /// The end, if there was one.
    pub closed: Option<Close>,
}

impl Ledger {
    /// Walks the records of a folder from the genesis to the present head.
    ///
    /// # Errors
    /// A record that does not parse, or one that follows none.
    pub fn read(folder: &Folder) -> Result<Self, Fault> {
        let mut ledger = Self::begin(folder)?;
        while ledger.step(folder)? {}
        ledger.open = ledger.open_phase(folder)?;
        ledger.nothing_is_missing(folder)?;
        Ok(ledger)
    }

    /// Files of a later phase, or of a lock, show that some of an earlier one are gone:
    /// to go on would make that phase a second time.
    fn nothing_is_missing(&self, folder: &Folder) -> Result<(), Fault> {
        let next = self.phases + 1;
        let gone = |what: String, of: String| {
            Err(Fault::refused(
                format!("`{what}` is here, and files of {of} are gone"),
                "restore them from a backup or a bundle; `despatch verify` says which",
            ))
        };
        let named = |name: &str| name.strip_prefix("phase-").and_then(|n| n.parse::<u32>().ok());
        let listed = std::fs::read_dir(&folder.root).map_err(Fault::file("read", &folder.root))?;
        let later = listed
            .filter_map(|entry| named(&entry.ok()?.file_name().to_string_lossy()))
            .filter(|phase| *phase > next)
            .max();
        if let Some(later) = later {
            return gone(phase_dir(later), phase_dir(next));
        }
        let lock = format!("{}/lock.txt", phase_dir(next));
        if self.open.is_none() && folder.has(&lock) {
            return gone(lock, "its call".to_owned());
        }
        Ok(())
    }

    /// The ledger as it was when this was its head; nothing after it is read.
    ///
    /// # Errors
    /// A record that does not parse, or no record with this head.
    pub fn read_until(folder: &Folder, head: Hex64) -> Result<Self, Fault> {
        let mut ledger = Self::begin(folder)?;
        while ledger.head != Some(head) {
            if !ledger.step(folder)? {
                return Err(Fault::refused(
                    format!("no record of {} has the head {head}", ledger.offer.game),
                    "`despatch history` in that folder lists the records with their heads",
                ));
            }
        }
        Ok(ledger)
    }

    fn begin(folder: &Folder) -> Result<Self, Fault> {
        let offer = folder.record("offer.txt", Offer::parse)?;
        let genesis = folder.maybe_record("genesis.txt", Genesis::parse)?;
        Ok(Self {
            head: genesis.as_ref().map(Genesis::hash),
            genesis,
            entries: Vec::new(),
            phases: 0,
            amendments: 0,
            engine: offer.engine.clone(),
            rules: offer.rules,
            rules_path: "rules.sha256".to_owned(),
            state: offer.state,
            state_path: "state-000.toml".to_owned(),
            next: Next::Window(offer.first.clone()),
            open: None,
            closed: None,
            offer,
        })
    }

    /// Takes the record that follows the present head, if there is one.
    fn step(&mut self, folder: &Folder) -> Result<bool, Fault> {
        let Some(head) = self.head else { return Ok(false) };
        let (rules_path, state_path) = (self.rules_path.clone(), self.state_path.clone());
        let entry = |record, head| Entry { record, head, rules_path, state_path };

        let dir = amend_dir(self.amendments + 1);
        let path = format!("{dir}/amend.txt");
        if let Some(amend) = folder.maybe_record(&path, Amend::parse)?
            && amend.prev == head
        {
            let after = amend.hash();
            self.head = Some(after);
            self.amendments += 1;
            self.engine.clone_from(&amend.engine);
            if amend.rules != self.rules {
                self.rules_path = format!("{dir}/rules.sha256");
            }
            if amend.state_after != amend.state_before {
                self.state_path = format!("{dir}/state-after.toml");
            }
            (self.rules, self.state) = (amend.rules, amend.state_after);
            self.next = amend.next.clone();
            self.entries.push(entry(Record::Amend(amend), after));
            return Ok(true);
        }
        let dir = phase_dir(self.phases + 1);
        if let Some(turn) = folder.maybe_record(&format!("{dir}/turn.txt"), Turn::parse)? {
            if turn.prev != head {
                return Err(gap(&format!("{dir}/turn.txt")));
            }
            let after = turn.hash();
            self.head = Some(after);
            self.phases += 1;
            self.engine.clone_from(&turn.engine);
            self.state = turn.state_after;
            self.state_path = format!("{dir}/state-after.toml");
            self.next = turn.next.clone();
            self.entries.push(entry(Record::Turn(turn), after));
            return Ok(true);
        }
        if folder.has(&path) {
            return Err(gap(&path));
        }
        if let Some(close) = folder.maybe_record("close.txt", Close::parse)?
            && self.closed.is_none()
        {
            if close.prev != head {
                return Err(gap("close.txt"));
            }
            let after = close.hash();
            self.head = Some(after);
            self.closed = Some(close.clone());
            self.entries.push(entry(Record::Close(close.clone()), after));
            return Ok(true);
        }
        Ok(false)
    }

    fn open_phase(&self, folder: &Folder) -> Result<Option<OpenPhase>, Fault> {
        let phase = self.phases + 1;
        let mut calls: Vec<Call> = Vec::new();
        while let Some(call) =
            folder.maybe_record(&call_name(phase, calls.len() + 1), Call::parse)?
        {
            if Some(call.prev) != self.head {
                return Err(Fault::refused(
                    format!("the call of phase {phase} names another head than the ledger has"),
                    "`despatch verify` shows the ledger; a call is made on its last record",
                ));
            }
            calls.push(call);
        }
        if calls.is_empty() {
            return Ok(None);
        }
        let lock = folder.maybe_record(&format!("{}/lock.txt", phase_dir(phase)), Lock::parse)?;
        Ok(Some(OpenPhase { phase, calls, lock }))
    }

    /// The head, or what must be done to have one.
    ///
    /// # Errors
    /// The genesis is still open.
    pub fn head(&self) -> Result<Hex64, Fault> {
        self.head.ok_or_else(|| {
            Fault::refused(
                "this game has no genesis yet",
                "take the players' nonces with `despatch join`, then run `despatch genesis`",
            )
        })
    }

    /// True if states, events and orders stay hidden until the close.
    pub fn sealed(&self) -> bool {
        self.offer.secrecy == Secrecy::Sealed
    }

    /// Refuses to go on after the close.
    ///
    /// # Errors
    /// The game is closed.
    pub fn must_be_open(&self) -> Result<(), Fault> {
        match &self.closed {
            None => Ok(()),
            Some(close) => Err(Fault::refused(
                format!("this game is closed: {}", close.result),
                "`despatch new --continues` starts another from its last state; `despatch verify` \
                 and `despatch report` read this one",
            )),
        }
    }

    /// The phase that is called.
    ///
    /// # Errors
    /// None is.
    pub fn must_be_called(&self) -> Result<&OpenPhase, Fault> {
        self.must_be_open()?;
        self.head()?;
        self.open.as_ref().ok_or_else(|| {
            let done = match self.phases {
                0 => "no phase is called yet".to_owned(),
                p => format!("phase {p} is resolved and phase {} is not called yet", p + 1),
            };
            Fault::refused(done, "open the next phase with `despatch call`")
        })
    }

    /// Refuses while a phase is called: nothing else enters the ledger then.
    ///
    /// # Errors
    /// A phase is called.
    pub fn must_be_between(&self, what: &str) -> Result<(), Fault> {
        self.must_be_open()?;
        match &self.open {
            None => Ok(()),
            Some(open) => Err(Fault::refused(
                format!("phase {} is called and not resolved: no {what} now", open.phase),
                "`despatch lock` and `despatch adjudicate` it first",
            )),
        }
    }

    /// Refuses a program other than the one that the ledger names.
    ///
    /// # Errors
    /// It is another.
    pub fn must_be_engine(&self, engine: &str) -> Result<(), Fault> {
        if self.engine == engine {
            return Ok(());
        }
        Err(Fault::refused(
            format!("this is {engine}, but the ledger names {}", self.engine),
            format!(
                "run {}, or record the change between two phases: despatch amend ruling --note \
                 \"played on with {engine}\"",
                self.engine
            ),
        ))
    }

    /// The present state without its salt line, if it is the ledger's.
    ///
    /// # Errors
    /// It is another.
    pub fn state(&self, folder: &Folder) -> Result<String, Fault> {
        state_at(folder, &self.state_path, self.state)
    }

    /// The rules in force, loaded, if they are the ledger's.
    ///
    /// # Errors
    /// They are others, or cannot be used.
    pub fn game(&self, desk: &mut Desk<'_>, folder: &Folder) -> Result<Box<dyn Game>, Fault> {
        let files = rules_at(folder, &self.rules_path, self.rules)?;
        (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))
    }
}

fn gap(path: &str) -> Fault {
    Fault::refused(
        format!("`{path}` follows no record of the ledger"),
        "`despatch verify` shows where the ledger breaks; restore the files from a backup",
    )
}

/// A state without its salt line, if it has that hash.
///
/// # Errors
/// It has another.
pub fn state_at(folder: &Folder, path: &str, expected: Hex64) -> Result<String, Fault> {
    let text = folder.read(path)?;
    if hash::text_hash(&text) != expected {
        return Err(Fault::refused(
            format!("`{path}` is not the state that the ledger names"),
            "restore it from a bundle or a backup; a wanted change is an amendment: \
             despatch amend state FILE --note WHY",
        ));
    }
    Ok(split_state(&text).1.to_owned())
}

/// Rules files of a list, if everything has the hash that is named.
///
/// # Errors
/// The list or a file is another.
pub fn rules_at(folder: &Folder, path: &str, expected: Hex64) -> Result<RulesFiles, Fault> {
    let list = folder.record(path, RulesList::parse)?;
    let help = "restore the file from a bundle or a backup; a wanted change is an amendment: \
                despatch amend ruling --file NAME=FILE --note WHY";
    if list.hash() != expected {
        return Err(Fault::refused(
            format!("`{path}` is not the rules list that the ledger names"),
            help,
        ));
    }
    let mut files = BTreeMap::new();
    for entry in &list.entries {
        let text = folder.read(&entry.path)?;
        if hash::text_hash(&text) != entry.hash {
            return Err(Fault::refused(
                format!("`{}` is not the rules file that the ledger names", entry.path),
                help,
            ));
        }
        files.insert(entry.name().to_owned(), text.into());
    }
    Ok(files)
}

/// True if an amendment set its own files for the phase it corrects.
pub fn corrects(entry: &Entry, phase: u32) -> bool {
    matches!(&entry.record, Record::Amend(a) if a.kind == AmendKind::Correct && a.phase == phase)
}
