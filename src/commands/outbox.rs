//! Ready-to-send messages, one a file in `outbox/`; `deliver` moves them to `sent/`.

use super::settings::{Person, Settings};
use super::store::Batch;
use crate::core::hash::Hex64;
use crate::core::id::Id;
use crate::core::record::Offer;
use crate::core::time::Stamp;
use crate::mail::message::{Enclosure, Mailbox, Message, Occasion};

/// The host of Message-IDs where the referee has no address: reserved by RFC 2606.
const NOWHERE: &str = "despatch.invalid";

/// Writes the messages of one game.
#[derive(Clone, Debug)]
pub struct Post<'a> {
    settings: &'a Settings,
    game: Id,
    /// Sets games of one name apart.
    mark: String,
    now: Stamp,
}

/// What a message says.
#[derive(Clone, Debug, Default)]
pub struct Note<'a> {
    /// What the message is (`phase-003-call-british`): the name of its file, so that a
    /// command that runs again after a kill writes the same file again.
    pub name: &'a str,
    /// Its subject, after the game's name.
    pub subject: &'a str,
    /// Its text.
    pub body: &'a str,
    /// The files that go with it.
    pub with: Vec<Enclosure>,
    /// It answers a mail.
    pub answer: bool,
}

/// A file that goes with a message.
pub fn enclosed(name: impl Into<String>, text: impl Into<String>) -> Enclosure {
    Enclosure { name: name.into(), text: text.into() }
}

impl<'a> Post<'a> {
    /// The post of a game.
    pub fn new(settings: &'a Settings, offer: &Offer, now: Stamp) -> Self {
        let mark = offer.tip.to_string()[..12].to_owned();
        Self { settings, game: offer.game.clone(), mark, now }
    }

    fn host(&self) -> &str {
        self.settings.referee.address.rsplit_once('@').map_or(NOWHERE, |(_, host)| host)
    }

    fn referee(&self) -> Mailbox {
        let Person { name, address, .. } = &self.settings.referee;
        let address =
            if address.is_empty() { format!("referee@{NOWHERE}") } else { address.clone() };
        Mailbox { name: name.clone(), address }
    }

    /// The first message of a player's thread: the offer.
    fn root(&self, player: &Id) -> String {
        format!("{}.offer.{player}.{}@{}", self.game, self.mark, self.host())
    }

    /// Puts a message to one player into the outbox.
    pub fn to(&self, batch: &mut Batch, player: &Id, note: &Note<'_>) {
        self.to_all(batch, &[player], note);
    }

    /// Puts one message to several players into the outbox.
    pub fn to_all(&self, batch: &mut Batch, players: &[&Id], note: &Note<'_>) {
        let known = players.iter().filter_map(|id| self.settings.player.get(*id));
        let to: Vec<Mailbox> =
            known.map(|p| Mailbox { name: p.name.clone(), address: p.address.clone() }).collect();
        if to.is_empty() {
            return;
        }
        let offer = players.len() == 1 && note.name.starts_with("offer-");
        let subject = format!("[{}] {}", self.game, note.subject);
        let (id, thread) = if offer {
            (self.root(players[0]), Vec::new())
        } else {
            let mut all = format!("{subject}\n{}\n", note.body);
            for enclosure in &note.with {
                all = all + &enclosure.name + "\n" + &enclosure.text;
            }
            let hash = &Hex64::digest(all.as_bytes()).to_string()[..12];
            let id = format!("{}.{}.{}.{hash}@{}", self.game, note.name, self.mark, self.host());
            (id, players.iter().map(|player| self.root(player)).collect())
        };
        let message = Message {
            from: self.referee(),
            to,
            subject,
            date: self.now,
            id,
            thread,
            occasion: if note.answer { Occasion::Replied } else { Occasion::Generated },
            body: note.body.to_owned(),
            enclosures: note.with.clone(),
        };
        batch.replace(format!("outbox/{}.eml", note.name), message.to_bytes());
    }
}
