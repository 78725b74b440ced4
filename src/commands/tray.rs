//! The files and mails of one command, on their way into the folder of a game.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::call::form_name;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::inbox::{Inbox, Receipt, doubt_path, line};
use super::issues::Issues;
use super::ledger::{Ledger, OpenPhase};
use super::new::game_fault;
use super::outbox::{Note, Post, enclosed};
use super::press::{self, PressRules};
use super::receipt;
use super::register::{Fate, Register};
use super::settings::Settings;
use super::signed;
use super::store::Batch;
use super::words::moment;
use crate::core::diag::{Diagnostic, Severity, render_all};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::orderfile::{Expected, Form, Header, check_header, read_header};
use crate::core::source::Source;
use crate::core::template::{WIDTH, wrap};
use crate::core::time::Stamp;
use crate::game::Game;
use crate::mail::message::Enclosure;

/// The files of one command, on their way into the folder.
pub struct Tray<'a> {
    /// Names and addresses.
    pub settings: Settings,
    /// The secret d, from which tickets come.
    pub d: Hex64,
    /// The present time.
    pub now: Stamp,
    /// When the file or mail at hand came.
    pub received: Stamp,
    /// The rules.
    pub game: &'a dyn Game,
    /// The folder.
    pub folder: &'a Folder,
    /// Its ledger.
    pub ledger: &'a Ledger,
    /// Every player's view.
    pub views: BTreeMap<Id, String>,
    /// The receipts of the phase.
    pub inbox: Inbox,
    /// The forms of the phase that were sent anew.
    pub issues: Issues,
    /// The receipts from before this command.
    pub known: Vec<Receipt>,
    /// The mails taken so far.
    pub register: Register,
    /// What became of the order files of the mail at hand.
    pub fates: Vec<String>,
    /// What the file at hand is signed with, and the bytes that may have been signed.
    pub signature: Option<(String, Vec<Vec<u8>>)>,
    /// The mail at hand has a Message-ID that came before.
    pub repeated: bool,
    /// What will be written.
    pub batch: Batch,
    /// What the referee reads.
    pub said: String,
    /// The exit code.
    pub code: u8,
}

impl std::fmt::Debug for Tray<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tray").field("received", &self.received).finish_non_exhaustive()
    }
}

impl Tray<'_> {
    /// Answers a player, at the address of the roster.
    pub(super) fn answer(
        &mut self,
        player: &Id,
        name: &str,
        subject: &str,
        body: &str,
        with: Vec<Enclosure>,
    ) {
        let post = Post::new(&self.settings, &self.ledger.offer, self.now);
        post.to(&mut self.batch, player, &Note { name, subject, body, with, answer: true });
    }

    pub(super) fn fate(&mut self, fate: Fate, path: &str) {
        self.fates.push(format!("{}={path}", fate.word()));
    }

    /// Takes an order file.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn take(&mut self, name: &str, bytes: &[u8], signature: Option<&str>) -> Result<(), Fault> {
        self.signature = signature.map(|text| (text.to_owned(), vec![bytes.to_vec()]));
        match Source::from_bytes(name, bytes) {
            Ok(source) => self.read(&source, bytes),
            Err(fault) => self.unreadable(name, bytes, *fault),
        }
    }

    /// A file that is no UTF-8 text: its player hears of it, if it names one.
    pub(super) fn unreadable(
        &mut self,
        name: &str,
        bytes: &[u8],
        fault: Diagnostic,
    ) -> Result<(), Fault> {
        let seen = Source::new(name, &String::from_utf8_lossy(bytes));
        let source = Source::new(name, "");
        match self.guess(&seen) {
            Some(player) => self.refuse(&player, bytes, &[fault], &source),
            None => self.unclaimed(name, bytes, &[fault], &source),
        }
    }

    pub(super) fn read(&mut self, source: &Source, bytes: &[u8]) -> Result<(), Fault> {
        let name = source.name.as_str();
        let parsed = toml::from_str::<toml::Table>(&source.text);
        let header = read_header(source, Form::Game);
        let player = match &header {
            Ok(header) if self.ledger.offer.players.contains(&header.player.value) => {
                header.player.value.clone()
            }
            // A header with faults may still name its player.
            _ => {
                let Some(player) = self.guess(source) else {
                    let mut faults = header.err().unwrap_or_default();
                    let fault = Diagnostic::error(None, "the header names no player of this game");
                    faults.push(fault.help("the form that the player was sent has it filled in"));
                    return self.unclaimed(name, bytes, &faults, source);
                };
                player
            }
        };
        let mut faults = Vec::new();
        if let Err(fault) = parsed {
            let diagnostic = Diagnostic::error(None, fault.message().to_owned())
                .help("the file is no TOML: compare it with the form, then send it again");
            faults.push(match fault.span() {
                Some(span) => diagnostic.at(span),
                None => diagnostic,
            });
        }
        let header = match header {
            Ok(header) => header,
            Err(more) => {
                faults.extend(more);
                return self.refuse(&player, bytes, &faults, source);
            }
        };
        if header.game.value != self.ledger.offer.game {
            // Our player of that name has nothing to do with another game's.
            faults.push(
                Diagnostic::error(None, format!("orders of the game `{}`", header.game.value))
                    .at(header.game.span.clone())
                    .help("receive it in the folder of that game"),
            );
            return self.unclaimed(name, bytes, &faults, source);
        }
        if let Some(phase) = self.is_late(&header)? {
            return self.late(&player, phase, bytes);
        }
        let Some(open) = &self.ledger.open else {
            faults.push(
                Diagnostic::error(None, "no phase is called now").help("wait for the next call"),
            );
            return self.refuse(&player, bytes, &faults, source);
        };
        let (ticket, replaced) = self.tickets(open.phase, &player);
        // A copy of a file that was taken by the form of its day.
        let known = hash::file_hash(bytes).ok().and_then(|h| self.inbox.number_of(&player, &h));
        if let (Some(same), Some(old)) = (known, &header.ticket)
            && replaced.contains(&old.value)
        {
            let inbox = self.inbox.clone();
            self.again(open.phase, &player, &inbox, same);
            return Ok(());
        }
        let expected = Expected {
            game: &self.ledger.offer.game,
            phase: open.phase,
            player: &player,
            head: &open.call().prev,
            ticket: Some(&ticket),
            replaced: &replaced,
        };
        faults.extend(check_header(&header, &expected));
        if faults.iter().any(|f| f.severity == Severity::Error) {
            return self.refuse(&player, bytes, &faults, source);
        }
        self.accept(open, &player, &header, bytes, source)
    }

    pub(super) fn tickets(&self, phase: u32, player: &Id) -> (Hex64, Vec<Hex64>) {
        self.issues.tickets(&self.ledger.offer.game, phase, player, &self.d)
    }

    /// The player whom a broken file names in its line `player = "..."`.
    fn guess(&self, source: &Source) -> Option<Id> {
        let named = |line: &str| {
            let (key, value) = line.split_once('=')?;
            let word = value.trim().trim_matches(['"', '\'']);
            let known = self.ledger.offer.players.iter().find(|p| p.as_str() == word)?;
            key.trim().eq_ignore_ascii_case("player").then(|| known.clone())
        };
        source.text.lines().find_map(named)
    }

    /// The phase that a good file is too late for.
    fn is_late(&self, header: &Header) -> Result<Option<u32>, Fault> {
        let phase = header.phase.value;
        let locked =
            self.ledger.open.as_ref().is_some_and(|o| o.phase == phase && o.lock.is_some());
        let over = (1..=self.ledger.phases).contains(&phase);
        if !locked && !over {
            return Ok(None);
        }
        let issues = Issues::read(self.folder, phase)?;
        let player = &header.player.value;
        let (ticket, old) = issues.tickets(&self.ledger.offer.game, phase, player, &self.d);
        let right =
            header.ticket.as_ref().is_some_and(|t| t.value == ticket || old.contains(&t.value));
        Ok(right.then_some(phase))
    }

    fn accept(
        &mut self,
        open: &OpenPhase,
        player: &Id,
        header: &Header,
        bytes: &[u8],
        source: &Source,
    ) -> Result<(), Fault> {
        let game = self.ledger.offer.game.clone();
        let phase = open.phase;
        let dir = phase_dir(phase);
        let Ok(text) = hash::normal(bytes) else {
            return self.refuse(player, bytes, &[], source);
        };
        if let Some(fault) = self.unsigned(player)? {
            return self.refuse(player, bytes, &[fault], source);
        }
        // Nobody can have had the ticket before the call was made.
        let received = self.received.max(open.call().made).max(open.calls[0].made);
        let received = if received > self.now { self.now } else { received };
        let receipt = Receipt { player: player.clone(), hash: hash::text_hash(&text), received };
        let number = self.inbox.count(player) + 1;
        let last = self.inbox.last_number(player);
        let counting = self.inbox.last(player).cloned();
        // What was there before this command came again, or the last file repeated; a file
        // that returns after another one counts anew.
        let same = self.inbox.number_of(player, &receipt.hash).filter(|_| {
            self.known.contains(&receipt)
                || self.repeated
                || counting.as_ref().is_some_and(|l| l.hash == receipt.hash)
        });
        if let Some(same) = same {
            let inbox = self.inbox.clone();
            self.again(phase, player, &inbox, same);
            return Ok(());
        }
        let orders = format!("{dir}/orders/{player}.toml");
        let view = self.views.get(player).map(String::as_str).unwrap_or_default();
        // Read as it will count: in normal form.
        let read = Source { text: text.clone(), ..source.clone() };
        let bare = press::without(&read);
        let mut checked = self.game.check(view, player, &bare).map_err(game_fault)?;
        let seats = self.game.seats(view).map_err(game_fault)?;
        let rules = PressRules {
            seats: &seats,
            anonymous: self.settings.press.anonymous && self.ledger.sealed(),
        };
        let (messages, faults) = press::read(&read, rules);
        checked.understood.extend(messages.iter().map(press::Message::summary));
        checked.faults.extend(faults);
        if checked.refused > 0 || checked.faults.iter().any(|f| f.severity == Severity::Error) {
            self.code = 1;
        }
        // Our server had another file of this player later: that one counts.
        let older = counting.as_ref().is_some_and(|l| l.received > receipt.received);
        let standing = if older { last } else { None };
        let answer = receipt::answer(
            &game,
            phase,
            number,
            standing,
            last,
            header.final_,
            &receipt,
            &read,
            &checked,
            open,
        );
        let _ = writeln!(self.said, "{answer}");
        if older {
            let path = format!("{dir}/superseded/{player}-{number}.toml");
            self.batch.record(path.clone(), text.as_str());
            self.fate(Fate::Superseded, &path);
        } else {
            if let Some(last) = last {
                let old = match self.batch.text(&orders) {
                    Some(old) => old.to_vec(),
                    None => self.folder.read(&orders)?.into_bytes(),
                };
                self.batch.record(format!("{dir}/superseded/{player}-{last}.toml"), old);
            }
            self.batch.replace(orders.clone(), text.as_str());
            if checked.refused > 0 {
                let path = doubt_path(phase, player);
                self.batch.replace(path, format!("{}\n", receipt.hash));
            }
            self.fate(Fate::Orders, &orders);
        }
        let which = if older { "The file of this receipt" } else { "The file that counts" };
        let body = format!("{answer}\n{which} is attached.\n");
        let subject = format!("phase {phase}: receipt {number}");
        let file = vec![enclosed(form_name(&game, phase, player), text.as_str())];
        self.answer(player, &format!("{dir}-receipt-{player}-{number}"), &subject, &body, file);
        self.tell_others(player, &dir, number, &receipt, phase);
        self.inbox.receipts.push(receipt);
        self.batch.replace(format!("{dir}/receipts.txt"), self.inbox.text(&game, phase));
        Ok(())
    }

    /// A file that has come already: nothing changes.
    fn again(&mut self, phase: u32, player: &Id, inbox: &Inbox, same: usize) {
        let dir = phase_dir(phase);
        let path = if Some(same) == inbox.last_number(player) {
            format!("{dir}/orders/{player}.toml")
        } else {
            format!("{dir}/superseded/{player}-{same}.toml")
        };
        self.fate(Fate::Again, &path);
        let _ = writeln!(
            self.said,
            "{player}: this very file has come already, receipt {same} stands\n"
        );
    }

    /// What is wrong with the signature of a player who registered a key.
    fn unsigned(&self, player: &Id) -> Result<Option<Diagnostic>, Fault> {
        let key = self.settings.player.get(player).and_then(|person| person.key.as_ref());
        let Some(key) = key else { return Ok(None) };
        let game = &self.ledger.offer.game;
        let space = signed::name_space(game);
        let how = format!(
            "sign the file and attach both: ssh-keygen -Y sign -f KEY -n {space} orders.toml"
        );
        let Some((signature, candidates)) = &self.signature else {
            let fault = format!("{player} registered a key, and this file is not signed");
            return Ok(Some(Diagnostic::error(None, fault).help(how)));
        };
        if signed::verifies(game, player, key, signature, candidates)? {
            return Ok(None);
        }
        let fault = format!("the signature is not of this file by the key of {player}");
        Ok(Some(Diagnostic::error(None, fault).help(how)))
    }

    /// The receipt's one line, to everybody else.
    fn tell_others(
        &mut self,
        player: &Id,
        dir: &str,
        number: usize,
        receipt: &Receipt,
        phase: u32,
    ) {
        let others: Vec<&Id> = self.ledger.offer.players.iter().filter(|p| *p != player).collect();
        let file = line(&self.ledger.offer.game, phase, receipt) + "\n";
        let note = Note {
            name: &format!("{dir}-receipt-{player}-{number}-all"),
            subject: &format!("phase {phase}: {player} has sent a file"),
            body: &format!(
                "{player} has sent a file for phase {phase}, received {}.\nIts hash is\n  {}\n\n\
                 Keep this: a file that is lost later is lost for everybody to see.\n",
                moment(receipt.received),
                receipt.hash
            ),
            with: vec![enclosed("receipt.txt", file)],
            answer: true,
        };
        let post = Post::new(&self.settings, &self.ledger.offer, self.now);
        post.to_all(&mut self.batch, &others, &note);
    }

    /// Keeps a file under the first free number of a folder; the same bytes are
    /// kept once.
    pub(super) fn keep(
        &mut self,
        stem: &str,
        end: &str,
        bytes: &[u8],
    ) -> Result<(String, usize), Fault> {
        for number in 1.. {
            let path = format!("{stem}{number}{end}");
            let full = self.folder.root.join(&path);
            let there = match self.batch.text(&path) {
                Some(old) => Some(old.to_vec()),
                None if full.exists() => {
                    Some(std::fs::read(&full).map_err(Fault::file("read", &full))?)
                }
                None => None,
            };
            match there {
                Some(old) if old != bytes => {}
                _ => {
                    self.batch.record(path.clone(), bytes);
                    return Ok((path, number));
                }
            }
        }
        Err(Fault::refused("no number is left", "tidy up that folder"))
    }

    fn late(&mut self, player: &Id, phase: u32, bytes: &[u8]) -> Result<(), Fault> {
        // A copy of a file that came in time is not late.
        let known = hash::file_hash(bytes).ok();
        let inbox = Inbox::read(self.folder, phase)?;
        if let Some(same) = known.and_then(|h| inbox.number_of(player, &h)) {
            self.again(phase, player, &inbox, same);
            return Ok(());
        }
        self.code = 1;
        let dir = phase_dir(phase);
        let (path, number) = self.keep(&format!("{dir}/late/{player}-"), ".toml", bytes)?;
        self.fate(Fate::Late, &path);
        let counts = if self.counted(phase, player) {
            "your earlier file counts"
        } else {
            "the defaults count"
        };
        let text = format!(
            "TOO LATE  {}  phase {phase}  {player}  {}\n{}\n",
            self.ledger.offer.game,
            moment(self.received),
            wrap(
                &format!(
                    "The orders of phase {phase} were closed before this file came: {counts}."
                ),
                0,
                0,
                WIDTH
            )
        );
        let _ = writeln!(self.said, "{text}kept in {path}\n");
        let subject = format!("phase {phase}: too late");
        self.answer(player, &format!("{dir}-late-{player}-{number}"), &subject, &text, Vec::new());
        Ok(())
    }

    fn counted(&self, phase: u32, player: &Id) -> bool {
        self.folder.has(&format!("{}/orders/{player}.toml", phase_dir(phase)))
    }

    fn refuse(
        &mut self,
        player: &Id,
        bytes: &[u8],
        faults: &[Diagnostic],
        source: &Source,
    ) -> Result<(), Fault> {
        self.code = 1;
        let Some(open) = &self.ledger.open else {
            return self.unclaimed(&source.name, bytes, faults, source);
        };
        let dir = phase_dir(open.phase);
        let (path, number) = self.keep(&format!("{dir}/refused/{player}-"), ".toml", bytes)?;
        self.fate(Fate::Refused, &path);
        let counts = match self.inbox.last_number(player) {
            None => "Nothing of yours counts yet.".to_owned(),
            Some(n) => format!("Your receipt {n} still counts."),
        };
        let text = format!(
            "NOT TAKEN  {}  phase {}  {player}  {}\nThis file cannot count. {counts}\n\n{}",
            self.ledger.offer.game,
            open.phase,
            moment(self.received),
            render_all(faults, source, false)
        );
        let _ = writeln!(self.said, "{text}kept in {path}\n");
        let subject = format!("phase {}: not taken", open.phase);
        let name = format!("{dir}-refused-{player}-{number}");
        self.answer(player, &name, &subject, &text, Vec::new());
        Ok(())
    }

    fn unclaimed(
        &mut self,
        name: &str,
        bytes: &[u8],
        faults: &[Diagnostic],
        source: &Source,
    ) -> Result<(), Fault> {
        self.code = 1;
        let (path, _) = self.keep("unclaimed/", ".toml", bytes)?;
        self.fate(Fate::Unclaimed, &path);
        let _ = writeln!(
            self.said,
            "NOBODY'S  `{name}` names no player and phase that could take it; kept in {path}\n\n{}",
            render_all(faults, source, false)
        );
        Ok(())
    }
}
