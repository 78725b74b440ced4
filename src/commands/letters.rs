//! Mails on their way into the folder: the order files in them, or why there are none.

use std::fmt::Write as _;

use super::fault::Fault;
use super::folder::phase_dir;
use super::receive::senders;
use super::register::{Entry, Fate, digest};
use super::tray::Tray;
use crate::core::hash;
use crate::core::id::Id;
use crate::core::orderfile::{Form, read_header};
use crate::core::source::Source;
use crate::core::template::{WIDTH, wrap};
use crate::mail::letter::{Letter, Nature};
use crate::mail::orders::{Contents, Found, find, games_in};

/// How often a player is told in a phase that a mail held no orders: enough to help,
/// too few for two programs that answer each other.
const TOLD: usize = 3;

impl Tray<'_> {
    /// Takes a mail: every order file in it, or the mail itself as unclaimed.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn mail(&mut self, name: &str, bytes: &[u8], letter: &Letter) -> Result<(), Fault> {
        let mark = digest(bytes);
        if self.register.has(&mark) {
            return Ok(());
        }
        let id = letter.id.as_deref().map(|id| digest(id.as_bytes()));
        self.repeated = id.as_deref().is_some_and(|id| self.register.has_id(id));
        self.fates.clear();
        self.open_letter(name, bytes, letter)?;
        self.repeated = false;
        if self.fates.iter().any(|fate| !fate.starts_with("unclaimed=")) {
            self.batch.record(format!("mail/{mark}.eml"), bytes);
        }
        let fates = std::mem::take(&mut self.fates);
        self.register.entries.push(Entry { digest: mark, id, received: self.received, fates });
        Ok(())
    }

    fn open_letter(&mut self, name: &str, bytes: &[u8], letter: &Letter) -> Result<(), Fault> {
        let subject = &letter.subject;
        match letter.nature {
            Nature::Person => {}
            Nature::AutoReply => {
                return self
                    .set_aside(bytes, &format!("AUTOMATIC  `{subject}`: a program's answer"));
            }
            Nature::Bounce => {
                return self.set_aside(
                    bytes,
                    &format!("BOUNCED  `{subject}`: a mail system could not deliver"),
                );
            }
        }
        let forms = |game: &str, phase: u32, player: &str| {
            let ours = game == self.ledger.offer.game.as_str()
                && self.ledger.offer.players.iter().any(|p| p.as_str() == player);
            let path = format!("{}/forms/{player}.toml", phase_dir(phase));
            ours.then(|| self.folder.maybe(&path).ok().flatten()).flatten()
        };
        match find(letter, &forms) {
            Contents::Orders(files) => {
                // One mail may bring the orders of a player's games: each takes its own.
                let game = self.ledger.offer.game.as_str();
                let ours = |found: &Found| {
                    let named = games_in(&found.text);
                    named.is_empty() || named.iter().any(|name| name == game)
                };
                let any = files.iter().any(ours);
                for found in files {
                    if any && !ours(&found) {
                        let _ = writeln!(
                            self.said,
                            "`{}` holds orders of another game: receive the mail there too\n",
                            found.name
                        );
                        continue;
                    }
                    self.found(&found, name)?;
                }
                if self.fates.iter().all(|fate| fate.starts_with("unclaimed=")) {
                    for player in senders(&self.settings, letter.from.as_deref()) {
                        self.tell_no_orders(
                            &player,
                            "The header of the form in it names no player and phase of this game: \
                             copy it from the call, unchanged.",
                        );
                    }
                }
                Ok(())
            }
            Contents::Unchanged(found)
                if self.owner_of(&found).is_some_and(|p| self.inbox.count(&p) == 0) =>
            {
                self.found(&found, name)
            }
            // It never displaces what the player has sent.
            Contents::Quoted(found) | Contents::Unchanged(found) => {
                let player = self.owner_of(&found);
                self.set_aside(
                    bytes,
                    &format!(
                        "NO ORDERS  `{subject}`: the form is quoted and nothing is changed in it"
                    ),
                )?;
                if let Some(player) = player {
                    self.tell_no_orders(
                        &player,
                        "It quotes the form of the call and changes nothing in it. If you mean the \
                         defaults, send the form as a file, with `final = true`.",
                    );
                }
                Ok(())
            }
            Contents::Nothing => {
                let why = if letter.encrypted {
                    "it is encrypted"
                } else if letter.body.text.trim().is_empty() && letter.files.is_empty() {
                    "it is empty"
                } else {
                    "no header of an order file is in it"
                };
                self.set_aside(bytes, &format!("NO ORDERS  `{subject}`: {why}"))?;
                // The address proves nothing, so nothing changes; but its owner may like
                // to know, and hears it at the address of the roster.
                for player in senders(&self.settings, letter.from.as_deref()) {
                    self.tell_no_orders(
                        &player,
                        &format!(
                            "No orders were found: {why}. Answer the call with the form in your \
                             text, or attach the form's file, filled in; as plain text, not \
                             encrypted."
                        ),
                    );
                }
                Ok(())
            }
        }
    }

    /// Keeps a mail that orders nothing, and tells the referee.
    fn set_aside(&mut self, bytes: &[u8], what: &str) -> Result<(), Fault> {
        self.code = 1;
        let (path, _) = self.keep("unclaimed/", ".eml", bytes)?;
        self.fate(Fate::Unclaimed, &path);
        let _ = writeln!(self.said, "{what}; kept in {path}\n");
        Ok(())
    }

    fn tell_no_orders(&mut self, player: &Id, why: &str) {
        let phase = self.ledger.open.as_ref().map_or(self.ledger.phases, |open| open.phase);
        let name = |n: usize| format!("{}-no-orders-{player}-{n}", phase_dir(phase));
        let there = |n: usize| {
            let path = format!("outbox/{}.eml", name(n));
            self.batch.text(&path).is_some()
                || self.folder.has(&path)
                || self.folder.has(&format!("sent/{}.eml", name(n)))
        };
        let Some(number) = (1..=TOLD).find(|n| !there(*n)) else { return };
        let counts = match self.inbox.last_number(player) {
            Some(n) => format!("Your receipt {n} still counts."),
            None => "Nothing of yours counts yet.".to_owned(),
        };
        let text = format!("A mail came from you that holds no orders. {why} {counts}");
        let subject = format!("phase {phase}: no orders in your mail");
        self.answer(player, &name(number), &subject, &wrap(&text, 0, 0, WIDTH), Vec::new());
    }

    /// The player to whom a file's ticket belongs, if it is one of this phase.
    fn owner_of(&self, found: &Found) -> Option<Id> {
        let open = self.ledger.open.as_ref()?;
        let source = Source::new(&found.name, &found.text);
        let header = read_header(&source, Form::Game).ok()?;
        let player = header.player.value.clone();
        let (ticket, _) = self.tickets(open.phase, &player);
        (header.ticket.map(|t| t.value) == Some(ticket)).then_some(player)
    }

    /// An order file that a mail held.
    fn found(&mut self, found: &Found, mail: &str) -> Result<(), Fault> {
        let name = format!("{} ({mail})", found.name);
        let bytes = found.text.as_bytes();
        let mut signed = found.signed.clone();
        signed.push(found.text.replace('\n', "\r\n").into_bytes());
        if let Ok(normal) = hash::normal(bytes) {
            signed.push(normal.into_bytes());
        }
        self.signature = found.signature.clone().map(|signature| (signature, signed));
        match Source::from_bytes(&name, bytes) {
            Ok(mut source) => {
                source.changed.clone_from(&found.changed);
                self.read(&source, bytes)
            }
            Err(fault) => self.unreadable(&name, bytes, *fault),
        }
    }
}
