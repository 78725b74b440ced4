//! `join`: first every player's commitment, then every player's nonce.

use std::fmt::Write as _;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::ledger::Ledger;
use super::outbox::{Note, Post};
use super::store::Batch;
use crate::cli::JoinArgs;
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{EntropySource, Offer};
use crate::core::time::Stamp;

/// What has come from the players.
#[derive(Clone, Debug, Default)]
pub struct Joins {
    /// Each player with commitment and nonce.
    pub players: Vec<(Id, Option<Hex64>, Option<Hex64>)>,
}

impl Joins {
    /// Reads `joins/`.
    ///
    /// # Errors
    /// A file there that holds no 64 digits.
    pub fn read(folder: &Folder, offer: &Offer) -> Result<Self, Fault> {
        let value = |player: &Id, what: &str| -> Result<Option<Hex64>, Fault> {
            let path = format!("joins/{player}-{what}.txt");
            folder
                .maybe(&path)?
                .map(|text| {
                    Hex64::new(text.trim_end()).map_err(|e| {
                        Fault::input(format!("`{path}`: {e}"), "take the value again from the mail")
                    })
                })
                .transpose()
        };
        let mut joins = Self::default();
        for player in &offer.players {
            let commitment = value(player, "commitment")?;
            let nonce = value(player, "nonce")?;
            joins.players.push((player.clone(), commitment, nonce));
        }
        Ok(joins)
    }

    /// Who has not committed yet, but for `except`.
    pub fn uncommitted(&self, except: Option<&Id>) -> Vec<String> {
        let open = |(id, commitment, _): &&(Id, Option<Hex64>, Option<Hex64>)| {
            commitment.is_none() && Some(id) != except
        };
        self.players.iter().filter(open).map(|(id, ..)| id.to_string()).collect()
    }
}

/// Takes a commitment or a nonce.
pub fn run(desk: &mut Desk<'_>, args: &JoinArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    let offer = &ledger.offer;
    if ledger.genesis.is_some() {
        return Err(Fault::refused(
            "the genesis of this game is closed: nobody can join any more",
            "a substitute takes a seat with `despatch amend seat`",
        ));
    }
    if offer.entropy != EntropySource::Nonces {
        return Err(Fault::refused(
            "this game takes its entropy from the beacon, not from the players",
            "run `despatch genesis`",
        ));
    }
    let player = find_player(offer, &args.player)?;
    let mut joins = Joins::read(&folder, offer)?;
    let hex = |text: &str| {
        Hex64::new(text).map_err(|e| {
            Fault::input(e.to_string(), "`despatch nonce` makes a nonce and its commitment")
        })
    };
    let mut batch = Batch::new();
    let at = joins.players.iter().position(|(id, ..)| *id == player).unwrap_or_default();
    if let Some(text) = &args.commitment {
        let value = hex(text)?;
        must_be_new(&player, "commitment", joins.players[at].1, value)?;
        batch.record(format!("joins/{player}-commitment.txt"), format!("{value}\n"));
        joins.players[at].1 = Some(value);
        writeln!(desk.out, "{player} has committed")?;
        let missing = joins.uncommitted(None);
        if missing.is_empty() {
            ask_for_nonces(&folder, offer, desk.now, &joins, &mut batch)?;
            writeln!(desk.out, "all have: send the mails in outbox/, then take the nonces")?;
        } else {
            writeln!(desk.out, "still to commit: {}", missing.join(", "))?;
        }
    } else if let Some(text) = &args.nonce {
        let value = hex(text)?;
        must_be_new(&player, "nonce", joins.players[at].2, value)?;
        let missing = joins.uncommitted(Some(&player));
        if !missing.is_empty() {
            return Err(Fault::refused(
                format!(
                    "{} could still choose a nonce to suit: no commitment yet",
                    missing.join(", ")
                ),
                format!("take their commitments first; do not show {player}'s nonce to anybody"),
            ));
        }
        let commitment = hash::join(&offer.game, &player, &value);
        match joins.players[at].1 {
            Some(promised) if promised != commitment => {
                return Err(Fault::refused(
                    format!("this nonce is not the one that {player} committed to"),
                    format!(
                        "its commitment would be {commitment}, promised was {promised}: ask again"
                    ),
                ));
            }
            Some(_) => {}
            None => {
                batch.record(format!("joins/{player}-commitment.txt"), format!("{commitment}\n"));
                writeln!(
                    desk.err,
                    "note: {player} sent no commitment: {player} trusts you and the others"
                )?;
            }
        }
        batch.record(format!("joins/{player}-nonce.txt"), format!("{value}\n"));
        joins.players[at].2 = Some(value);
        let open: Vec<String> =
            joins.players.iter().filter(|j| j.2.is_none()).map(|j| j.0.to_string()).collect();
        if open.is_empty() {
            writeln!(desk.out, "all nonces are in: run `despatch genesis`")?;
        } else {
            writeln!(desk.out, "{player} has joined; still to show a nonce: {}", open.join(", "))?;
        }
    }
    folder.commit(desk, &batch)?;
    Ok(0)
}

/// The player of that id.
///
/// # Errors
/// There is none.
pub fn find_player(offer: &Offer, text: &str) -> Result<Id, Fault> {
    offer.players.iter().find(|id| id.as_str() == text).cloned().ok_or_else(|| {
        let known: Vec<&str> = offer.players.iter().map(Id::as_str).collect();
        Fault::input(
            format!("this game has no player `{text}`"),
            format!("the players are {}", known.join(", ")),
        )
    })
}

fn must_be_new(player: &Id, what: &str, old: Option<Hex64>, new: Hex64) -> Result<(), Fault> {
    match old {
        Some(old) if old != new => Err(Fault::refused(
            format!("{player}'s {what} is taken already: {old}"),
            "a commitment binds; a change of mind is a new game with a new id",
        )),
        _ => Ok(()),
    }
}

fn ask_for_nonces(
    folder: &Folder,
    offer: &Offer,
    now: Stamp,
    joins: &Joins,
    batch: &mut Batch,
) -> Result<(), Fault> {
    let settings = folder.settings()?;
    let mut list = String::new();
    for (id, commitment, _) in &joins.players {
        if let Some(commitment) = commitment {
            let _ = writeln!(list, "  {id}\n    {commitment}");
        }
    }
    let body = format!(
        "Everybody has committed. Compare yours, then mail your nonce to\neverybody.\n\n{list}"
    );
    for player in &offer.players {
        let name = format!("nonces-{player}");
        let subject = "all have committed: mail your nonce";
        let note = Note { name: &name, subject, body: &body, ..Note::default() };
        Post::new(&settings, offer, now).to(batch, player, &note);
    }
    Ok(())
}
