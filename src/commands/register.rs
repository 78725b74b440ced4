//! `mail/register.txt`: every mail that came, and what became of it.
//!
//! A line a mail: number, digest of its bytes, digest of its Message-ID (or `-`),
//! when it came, and for each order file in it (or for the mail itself) a fate and the
//! file it is in. A mail whose digest is here has been taken; reading a mailbox again
//! changes nothing.

use std::fmt::Write as _;

use super::fault::Fault;
use super::folder::Folder;
use crate::core::hash::Hex64;
use crate::core::time::Stamp;

/// Where it lies in a game's folder.
pub const REGISTER: &str = "mail/register.txt";

/// What became of an order file, or of a mail without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It counted when it came.
    Orders,
    /// A file that came later by our server's time counts.
    Superseded,
    /// The very file has come before; that one is named.
    Again,
    /// Not valid: answered with the reasons.
    Refused,
    /// Valid, after the lock.
    Late,
    /// Nobody's, or without orders.
    Unclaimed,
}

impl Fate {
    /// As the register writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Superseded => "superseded",
            Self::Again => "again",
            Self::Refused => "refused",
            Self::Late => "late",
            Self::Unclaimed => "unclaimed",
        }
    }
}

/// One mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The first 16 digits of the SHA-256 of its bytes.
    pub digest: String,
    /// The same of its Message-ID.
    pub id: Option<String>,
    /// When it came.
    pub received: Stamp,
    /// `fate=path`, one an order file, at least one.
    pub fates: Vec<String>,
}

/// All mails that a folder has taken.
#[derive(Clone, Debug, Default)]
pub struct Register {
    /// In the order in which they were taken.
    pub entries: Vec<Entry>,
}

/// Sixteen digits that stand for some bytes.
pub fn digest(bytes: &[u8]) -> String {
    Hex64::digest(bytes).to_string()[..16].to_owned()
}

impl Register {
    /// Reads a folder's.
    ///
    /// # Errors
    /// A line that is none of ours.
    pub fn read(folder: &Folder) -> Result<Self, Fault> {
        let text = folder.maybe(REGISTER)?.unwrap_or_default();
        Self::parse(&text).map_err(|line| {
            Fault::input(
                format!("`{REGISTER}` has a line that is none of ours: {line}"),
                "restore it from a backup; without it mails would be taken twice",
            )
        })
    }

    /// Reads the text.
    ///
    /// # Errors
    /// The line that is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let entry = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let [_, digest, id, received, fates @ ..] = &words[..] else { return None };
            Some(Entry {
                digest: (*digest).to_owned(),
                id: (*id != "-").then(|| (*id).to_owned()),
                received: Stamp::new(received).ok()?,
                fates: fates.iter().map(|fate| (*fate).to_owned()).collect(),
            })
        };
        let lines = text.lines().filter(|line| !line.is_empty());
        let entries = lines.map(|line| entry(line).ok_or_else(|| line.to_owned()));
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// The text.
    pub fn text(&self) -> String {
        self.entries.iter().enumerate().fold(String::new(), |mut out, (at, entry)| {
            let id = entry.id.as_deref().unwrap_or("-");
            let fates = entry.fates.join(" ");
            let _ = writeln!(out, "{} {} {id} {} {fates}", at + 1, entry.digest, entry.received);
            out
        })
    }

    /// True if a mail of these bytes was taken.
    pub fn has(&self, digest: &str) -> bool {
        self.entries.iter().any(|entry| entry.digest == digest)
    }

    /// True if a mail of that Message-ID was taken.
    pub fn has_id(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| entry.id.as_deref() == Some(id))
    }
}
