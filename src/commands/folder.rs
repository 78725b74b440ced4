//! A game's folder: where things lie in it, and how they are read.

use std::path::{Path, PathBuf};

use super::desk::Desk;
use super::fault::Fault;
use super::settings::Settings;
use super::store::{Batch, Held, Store};
use crate::core::chain::Chain;
use crate::core::hash;
use crate::core::id::Id;
use crate::core::record::{Offer, RecordFault, Secret};

/// `phase-007`.
pub fn phase_dir(phase: u32) -> String {
    format!("phase-{phase:03}")
}

/// `amend-002`.
pub fn amend_dir(number: u32) -> String {
    format!("amend-{number:03}")
}

/// The name of the n-th call of a phase: `call.txt`, `call-2.txt`, ...
pub fn call_name(phase: u32, number: usize) -> String {
    let dir = phase_dir(phase);
    if number == 1 { format!("{dir}/call.txt") } else { format!("{dir}/call-{number}.txt") }
}

/// A folder that holds a game or a bundle of one.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub root: PathBuf,
    held: Option<Held>,
}

impl Folder {
    /// Opens the desk's game to read it.
    ///
    /// # Errors
    /// There is no game.
    pub fn open(desk: &Desk<'_>) -> Result<Self, Fault> {
        Self::open_at(desk, &desk.game_dir())
    }

    /// Opens a game or bundle to read it; finishes what a stopped command left.
    ///
    /// # Errors
    /// There is no game.
    pub fn open_at(desk: &Desk<'_>, root: &Path) -> Result<Self, Fault> {
        if Store::is_unfinished(root) {
            drop(desk.store.hold(root)?);
        }
        must_hold_a_game(root)?;
        Ok(Self { root: root.to_owned(), held: None })
    }

    /// Opens the desk's game to change it, alone.
    ///
    /// # Errors
    /// There is no game, or another process is at work in it.
    pub fn hold(desk: &Desk<'_>) -> Result<Self, Fault> {
        let root = desk.game_dir();
        if !root.join("offer.txt").exists() && !Store::is_unfinished(&root) {
            must_hold_a_game(&root)?;
        }
        let held = desk.store.hold(&root)?;
        must_hold_a_game(&root)?;
        Ok(Self { root, held: Some(held) })
    }

    /// Writes a batch; the folder must be held.
    ///
    /// # Errors
    /// Something recorded is in the way, or writing fails.
    pub fn commit(&self, desk: &Desk<'_>, batch: &Batch) -> Result<(), Fault> {
        if self.held.is_none() {
            return Err(Fault::refused(
                "this folder was opened to be read",
                "this is an error of the program: please report it",
            ));
        }
        desk.store.commit(&self.root, batch)
    }

    /// True if that file is there.
    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).is_file()
    }

    /// A text in normal form.
    ///
    /// # Errors
    /// It is not there or no text.
    pub fn read(&self, path: &str) -> Result<String, Fault> {
        let full = self.root.join(path);
        let bytes = std::fs::read(&full).map_err(Fault::file("read", &full))?;
        hash::normal(&bytes).map_err(|e| {
            Fault::input(
                format!("`{}`: {e}", full.display()),
                "restore the file from a bundle or a backup",
            )
        })
    }

    /// A text in normal form, if it is there.
    ///
    /// # Errors
    /// It is there but no text.
    pub fn maybe(&self, path: &str) -> Result<Option<String>, Fault> {
        if self.has(path) { self.read(path).map(Some) } else { Ok(None) }
    }

    /// A record.
    ///
    /// # Errors
    /// It is not there or no such record.
    pub fn record<T>(
        &self,
        path: &str,
        parse: impl Fn(&str) -> Result<T, RecordFault>,
    ) -> Result<T, Fault> {
        parse(&self.read(path)?).map_err(|e| {
            Fault::input(
                format!("`{}`: {e}", self.root.join(path).display()),
                "restore the file from a bundle or a backup; `despatch verify` says more",
            )
        })
    }

    /// A record, if it is there.
    ///
    /// # Errors
    /// It is there but no such record.
    pub fn maybe_record<T>(
        &self,
        path: &str,
        parse: impl Fn(&str) -> Result<T, RecordFault>,
    ) -> Result<Option<T>, Fault> {
        if self.has(path) { self.record(path, parse).map(Some) } else { Ok(None) }
    }

    /// The referee's settings.
    ///
    /// # Errors
    /// They are not there or say something else.
    pub fn settings(&self) -> Result<Settings, Fault> {
        Settings::read(&self.root.join("game.toml"))
    }

    /// The referee's secret.
    ///
    /// # Errors
    /// It is not there: then nobody can roll.
    pub fn secret(&self) -> Result<Secret, Fault> {
        if !self.has("referee.secret") {
            return Err(Fault::refused(
                "`referee.secret` is not in this folder: only the referee can do this",
                "restore it from your backup; without it a new game must continue this one \
                 (`despatch new --continues`)",
            ));
        }
        self.record("referee.secret", Secret::parse)
    }

    /// The dice chain of the secret, if it is that of the offer.
    ///
    /// # Errors
    /// No secret, or another game's.
    pub fn chain(&self, offer: &Offer) -> Result<(Secret, Chain), Fault> {
        let secret = self.secret()?;
        let chain = Chain::of(&secret);
        if secret.game != offer.game
            || chain.tip() != offer.tip
            || hash::hidden(&offer.game, &secret.hidden) != offer.hidden
        {
            return Err(Fault::refused(
                "`referee.secret` is not the secret of this game's offer",
                "restore the right one from your backup",
            ));
        }
        Ok((secret, chain))
    }
}

fn must_hold_a_game(root: &Path) -> Result<(), Fault> {
    if root.join("offer.txt").is_file() {
        return Ok(());
    }
    Err(Fault::input(
        format!("there is no game in `{}`", root.display()),
        "go into the game's folder or name it with -C DIR; `despatch new` makes one",
    ))
}

/// The players' names, for texts: the id where the settings know nobody.
pub fn name_of(settings: &Settings, player: &Id) -> String {
    settings.player.get(player).map_or_else(|| player.to_string(), |p| p.name.clone())
}
