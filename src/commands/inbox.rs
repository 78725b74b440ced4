//! `receipts.txt`: what has come from whom in a phase.

use std::fmt::Write as _;

use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use crate::core::hash::{Hex64, text_hash};
use crate::core::id::Id;
use crate::core::orderfile::{Form, read_header};
use crate::core::source::Source;
use crate::core::time::Stamp;

/// One line of `receipts.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Whose file.
    pub player: Id,
    /// F of it.
    pub hash: Hex64,
    /// When it came.
    pub received: Stamp,
}

/// What has come in a phase, from `receipts.txt`: its n-th line for a player is
/// that player's receipt n. The file counts that our own server had last, and of
/// several in one second the one with the highest number.
#[derive(Clone, Debug, Default)]
pub struct Inbox {
    /// In order of arrival.
    pub receipts: Vec<Receipt>,
}

impl Inbox {
    /// Reads the receipts of a phase.
    ///
    /// # Errors
    /// A line that is no receipt.
    pub fn read(folder: &Folder, phase: u32) -> Result<Self, Fault> {
        let path = format!("{}/receipts.txt", phase_dir(phase));
        let Some(text) = folder.maybe(&path)? else { return Ok(Self::default()) };
        let receipt = |line: &str| -> Option<Receipt> {
            let words: Vec<&str> = line.split(' ').collect();
            let ["receipt", _, _, player, hash, received] = words[..] else { return None };
            Some(Receipt {
                player: Id::new(player).ok()?,
                hash: Hex64::new(hash).ok()?,
                received: Stamp::new(received).ok()?,
            })
        };
        let mut inbox = Self::default();
        for line in text.lines().filter(|l| !l.is_empty()) {
            inbox.receipts.push(receipt(line).ok_or_else(|| {
                Fault::input(
                    format!("`{path}` has a line that is no receipt: {line}"),
                    "restore the file from a backup: `lock` takes the received times from it",
                )
            })?);
        }
        Ok(inbox)
    }

    /// The receipt of the file that counts.
    pub fn last(&self, player: &Id) -> Option<&Receipt> {
        let own = self.receipts.iter().filter(|r| &r.player == player);
        own.max_by_key(|r| r.received)
    }

    /// The number of the receipt of the file that counts.
    pub fn last_number(&self, player: &Id) -> Option<usize> {
        let own = self.receipts.iter().filter(|r| &r.player == player).enumerate();
        own.max_by_key(|(_, r)| r.received).map(|(at, _)| at + 1)
    }

    /// The number of the last receipt of a file with that hash.
    pub fn number_of(&self, player: &Id, hash: &Hex64) -> Option<usize> {
        let own = self.receipts.iter().filter(|r| &r.player == player).enumerate();
        own.filter(|(_, r)| r.hash == *hash).last().map(|(at, _)| at + 1)
    }

    /// How many valid files a player has sent.
    pub fn count(&self, player: &Id) -> usize {
        self.receipts.iter().filter(|r| &r.player == player).count()
    }

    /// The file's text.
    pub fn text(&self, game: &Id, phase: u32) -> String {
        self.receipts.iter().fold(String::new(), |mut out, r| {
            let _ = writeln!(out, "{}", line(game, phase, r));
            out
        })
    }
}

/// A receipt as everybody may see it: the ticket in the file keeps its hash opaque.
pub fn line(game: &Id, phase: u32, receipt: &Receipt) -> String {
    let Receipt { player, hash, received } = receipt;
    format!("receipt {game} {phase} {player} {hash} {received}")
}

/// Where it is noted that orders of the file that counts are refused: its hash.
pub fn doubt_path(phase: u32, player: &Id) -> String {
    format!("{}/doubts/{player}.txt", phase_dir(phase))
}

/// True if the file that counts is marked final and none of its orders is refused: a
/// club's pass does not lock early on a file whose author may want to mend it.
///
/// # Errors
/// The file cannot be read.
pub fn is_settled(folder: &Folder, phase: u32, player: &Id) -> Result<bool, Fault> {
    let text = folder.read(&format!("{}/orders/{player}.toml", phase_dir(phase)))?;
    let doubted = folder.maybe(&doubt_path(phase, player))?;
    let same = doubted.is_some_and(|hash| hash.trim() == text_hash(&text).to_string());
    Ok(!same && is_final(folder, phase, player)?)
}

/// True if the file that counts is marked final.
///
/// # Errors
/// The file cannot be read.
pub fn is_final(folder: &Folder, phase: u32, player: &Id) -> Result<bool, Fault> {
    let text = folder.read(&format!("{}/orders/{player}.toml", phase_dir(phase)))?;
    Ok(read_header(&Source::new("orders", &text), Form::Game).is_ok_and(|h| h.final_))
}
