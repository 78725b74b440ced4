//! `receive`: takes order files and answers each with a receipt or a bounce.
//!
//! Every file that comes is kept: in `orders/` while it counts, in `superseded/`
//! when a later one replaced it, in `late/`, in `refused/` or in `unclaimed/`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::inbox::{Inbox, Receipt, line};
use super::ledger::{Ledger, OpenPhase};
use super::new::game_fault;
use super::outbox::post;
use super::settings::{Person, Settings};
use super::store::Batch;
use super::words::{moment, some};
use crate::cli::ReceiveArgs;
use crate::core::diag::{Diagnostic, Severity, render_all};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::orderfile::{Expected, Form, Header, check_header, read_header};
use crate::core::source::Source;
use crate::core::template::{WIDTH, wrap};
use crate::core::time::Stamp;
use crate::game::{Checked, Game};

/// Takes the files, all or none.
pub fn run(desk: &mut Desk<'_>, args: &ReceiveArgs) -> Result<u8, Fault> {
    let mut files = Vec::new();
    for path in &args.files {
        let full = desk.path(path);
        let bytes = std::fs::read(&full).map_err(Fault::file("read", &full))?;
        files.push((name_of(path), bytes));
    }
    take(desk, &files)
}

/// Takes files by name and bytes, all or none.
///
/// # Errors
/// The folder cannot be used.
pub fn take(desk: &mut Desk<'_>, files: &[(String, Vec<u8>)]) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    ledger.head()?;
    let game = ledger.game(desk, &folder)?;
    let (inbox, views) = match &ledger.open {
        Some(open) => {
            let mut views = BTreeMap::new();
            for player in &ledger.offer.players {
                let path = format!("{}/views/{player}.toml", phase_dir(open.phase));
                views.insert(player.clone(), folder.read(&path)?);
            }
            (Inbox::read(&folder, open.phase)?, views)
        }
        None => (Inbox::default(), BTreeMap::new()),
    };
    let mut tray = Tray {
        settings: folder.settings()?,
        d: folder.secret()?.hidden,
        now: desk.now,
        game: &*game,
        folder: &folder,
        ledger: &ledger,
        views,
        known: inbox.receipts.clone(),
        inbox,
        batch: Batch::new(),
        said: String::new(),
        code: 0,
    };
    for (name, bytes) in files {
        tray.take(name, bytes)?;
    }
    let Tray { batch, said, code, .. } = tray;
    folder.commit(desk, &batch)?;
    write!(desk.out, "{said}")?;
    Ok(code)
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// The files of one command, on their way into the folder.
struct Tray<'a> {
    settings: Settings,
    /// The secret d, from which tickets come.
    d: Hex64,
    now: Stamp,
    game: &'a dyn Game,
    folder: &'a Folder,
    ledger: &'a Ledger,
    views: BTreeMap<Id, String>,
    inbox: Inbox,
    /// The receipts from before this command.
    known: Vec<Receipt>,
    batch: Batch,
    said: String,
    code: u8,
}

impl Tray<'_> {
    fn take(&mut self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        let source = match Source::from_bytes(name, bytes) {
            Ok(source) => source,
            Err(fault) => return self.unclaimed(name, bytes, &[*fault], &Source::new(name, "")),
        };
        let parsed = toml::from_str::<toml::Table>(&source.text);
        let header = read_header(&source, Form::Game);
        let player = match &header {
            Ok(header) if self.ledger.offer.players.contains(&header.player.value) => {
                header.player.value.clone()
            }
            // A header with faults may still name its player.
            _ => {
                let Some(player) = self.guess(&source) else {
                    let mut faults = header.err().unwrap_or_default();
                    let fault = Diagnostic::error(None, "the header names no player of this game");
                    faults.push(fault.help("the form that the player was sent has it filled in"));
                    return self.unclaimed(name, bytes, &faults, &source);
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
                return self.refuse(&player, bytes, &faults, &source);
            }
        };
        if header.game.value != self.ledger.offer.game {
            // Our player of that name has nothing to do with another game's.
            faults.push(
                Diagnostic::error(None, format!("orders of the game `{}`", header.game.value))
                    .at(header.game.span.clone())
                    .help("receive it in the folder of that game"),
            );
            return self.unclaimed(name, bytes, &faults, &source);
        }
        if let Some(phase) = self.is_late(&header) {
            return self.late(&player, phase, bytes);
        }
        let Some(open) = &self.ledger.open else {
            faults.push(
                Diagnostic::error(None, "no phase is called now").help("wait for the next call"),
            );
            return self.refuse(&player, bytes, &faults, &source);
        };
        let ticket = self.ticket(open.phase, &player);
        let expected = Expected {
            game: &self.ledger.offer.game,
            phase: open.phase,
            player: &player,
            head: &open.call().prev,
            ticket: Some(&ticket),
            replaced: &[],
        };
        faults.extend(check_header(&header, &expected));
        if faults.iter().any(|f| f.severity == Severity::Error) {
            return self.refuse(&player, bytes, &faults, &source);
        }
        self.accept(open, &player, &header, bytes, &source)
    }

    fn ticket(&self, phase: u32, player: &Id) -> Hex64 {
        hash::ticket(&self.ledger.offer.game, phase, player, 1, &self.d)
    }

    /// The player whom a broken file names in its line `player = "..."`.
    fn guess(&self, source: &Source) -> Option<Id> {
        let named = |line: &str| {
            let (key, value) = line.split_once('=')?;
            let word = value.trim().trim_matches(['"', '\'']);
            let known = self.ledger.offer.players.iter().find(|p| p.as_str() == word)?;
            (key.trim() == "player").then(|| known.clone())
        };
        source.text.lines().find_map(named)
    }

    /// The phase that a good file is too late for.
    fn is_late(&self, header: &Header) -> Option<u32> {
        let phase = header.phase.value;
        let locked =
            self.ledger.open.as_ref().is_some_and(|o| o.phase == phase && o.lock.is_some());
        let over = (1..=self.ledger.phases).contains(&phase);
        let right = header.ticket.as_ref().map(|t| t.value)
            == Some(self.ticket(phase, &header.player.value));
        ((locked || over) && right).then_some(phase)
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
        let receipt =
            Receipt { player: player.clone(), hash: hash::text_hash(&text), received: self.now };
        let before = self.inbox.count(player);
        let last = self.inbox.last(player);
        // What was there before this command came again, or the last file repeated; a file
        // that returns after another one counts anew.
        if self.known.contains(&receipt) || last.is_some_and(|l| l.hash == receipt.hash) {
            let _ = writeln!(
                self.said,
                "{player}: this very file has come already, receipt {before} stands\n"
            );
            return Ok(());
        }
        let orders = format!("{dir}/orders/{player}.toml");
        if before > 0 {
            let old = match self.batch.text(&orders) {
                Some(old) => old.to_vec(),
                None => self.folder.read(&orders)?.into_bytes(),
            };
            self.batch.record(format!("{dir}/superseded/{player}-{before}.toml"), old);
        }
        let view = self.views.get(player).map(String::as_str).unwrap_or_default();
        // Read as it will count: in normal form.
        let read = Source { text: text.clone(), ..source.clone() };
        let checked = self.game.check(view, player, &read).map_err(game_fault)?;
        let number = before + 1;
        let answer = answer(&game, phase, number, header.final_, &receipt, &read, &checked, open);
        if checked.refused > 0 || checked.faults.iter().any(|f| f.severity == Severity::Error) {
            self.code = 1;
        }
        let _ = writeln!(self.said, "{answer}");
        self.batch.replace(orders, text.as_str());
        if let Some(person) = self.settings.player.get(player) {
            let body = format!("{answer}\nThe file that counts:\n\n{text}");
            let subject = format!("[{game}] phase {phase}: receipt {number}");
            let name = format!("{dir}-receipt-{player}-{number}");
            post(&mut self.batch, &name, person, &subject, &body);
        }
        let others: Vec<String> = self
            .settings
            .player
            .iter()
            .filter(|(id, _)| *id != player)
            .map(|(_, person)| person.mailbox())
            .collect();
        if !others.is_empty() {
            let everybody = Person { name: others.join(", "), address: String::new() };
            let subject = format!("[{game}] phase {phase}: {player} has sent a file");
            let name = format!("{dir}-receipt-{player}-{number}-all");
            post(&mut self.batch, &name, &everybody, &subject, &line(&game, phase, &receipt));
        }
        self.inbox.receipts.push(receipt);
        self.batch.replace(format!("{dir}/receipts.txt"), self.inbox.text(&game, phase));
        Ok(())
    }

    /// Keeps a file under the first free number of a folder; the same bytes are
    /// kept once.
    fn keep(&mut self, stem: &str, bytes: &[u8]) -> Result<(String, usize), Fault> {
        for number in 1.. {
            let path = format!("{stem}{number}.toml");
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
        self.code = 1;
        let dir = phase_dir(phase);
        let (path, number) = self.keep(&format!("{dir}/late/{player}-"), bytes)?;
        let counts = if self.counted(phase, player) {
            "your earlier file counts"
        } else {
            "the defaults count"
        };
        let text = format!(
            "TOO LATE  {}  phase {phase}  {player}  {}\nThe orders of phase {phase} were closed before \
             this file came: {counts}.\n",
            self.ledger.offer.game,
            moment(self.now)
        );
        let _ = writeln!(self.said, "{text}kept in {path}\n");
        if let Some(person) = self.settings.player.get(player) {
            let subject = format!("[{}] phase {phase}: too late", self.ledger.offer.game);
            post(
                &mut self.batch,
                &format!("{dir}-late-{player}-{number}"),
                person,
                &subject,
                &text,
            );
        }
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
        let (path, number) = self.keep(&format!("{dir}/refused/{player}-"), bytes)?;
        let counts = match self.inbox.count(player) {
            0 => "Nothing of yours counts yet.".to_owned(),
            n => format!("Your receipt {n} still counts."),
        };
        let text = format!(
            "NOT TAKEN  {}  phase {}  {player}  {}\nThis file cannot count. {counts}\n\n{}",
            self.ledger.offer.game,
            open.phase,
            moment(self.now),
            render_all(faults, source, false)
        );
        let _ = writeln!(self.said, "{text}kept in {path}\n");
        if let Some(person) = self.settings.player.get(player) {
            let subject = format!("[{}] phase {}: not taken", self.ledger.offer.game, open.phase);
            post(
                &mut self.batch,
                &format!("{dir}-refused-{player}-{number}"),
                person,
                &subject,
                &text,
            );
        }
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
        let (path, _) = self.keep("unclaimed/", bytes)?;
        let _ = writeln!(
            self.said,
            "NOBODY'S  `{name}` names no player and phase that could take it; kept in {path}\n\n{}",
            render_all(faults, source, false)
        );
        Ok(())
    }
}

#[allow(clippy::too_many_arguments)] // the facts of a receipt, each once
fn answer(
    game: &Id,
    phase: u32,
    number: usize,
    last: bool,
    receipt: &Receipt,
    source: &Source,
    checked: &Checked,
    open: &OpenPhase,
) -> String {
    let mut text = format!(
        "RECEIPT {number}  {game}  phase {phase}  {}  {}\n",
        receipt.player,
        moment(receipt.received)
    );
    if number > 1 {
        let _ = writeln!(text, "This replaces receipt {}.", number - 1);
    }
    let _ = writeln!(text, "It counts unless a later valid file comes before the lock.");
    let _ = writeln!(
        text,
        "Marked: {}.",
        if last { "final (need not wait for the deadline)" } else { "provisional (final = false)" }
    );
    if receipt.received > open.call().deadline {
        let _ = writeln!(text, "It came after the deadline; everybody can see that in the lock.");
    }
    let _ = writeln!(text, "file hash {}", receipt.hash);
    if !source.changed.is_empty() {
        let _ = writeln!(text, "Changed to read it: {}.", source.changed.join(", "));
    }
    let _ = writeln!(text, "As understood:");
    for order in &checked.understood {
        let _ = writeln!(text, "{}", wrap(order, 2, 6, WIDTH));
    }
    if !checked.faults.is_empty() {
        let _ = write!(text, "\n{}", render_all(&checked.faults, source, false));
    }
    let _ = writeln!(
        text,
        "{} would be carried out as written, {} refused.",
        some(checked.accepted, "order"),
        checked.refused
    );
    text
}
