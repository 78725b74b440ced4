//! Where a command works: what it is told and what it may use.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::store::Store;
use crate::assets;
use crate::core::diag::render_all;
use crate::core::hash::Hex64;
use crate::core::time::Stamp;
use crate::game::{self, Game, Library, RulesFault, RulesFiles, ScenarioInfo, Settings};

/// This program as the ledger names it.
pub const ENGINE: &str = concat!("despatch/", env!("CARGO_PKG_VERSION"));

/// What can be played.
pub type ScenariosFn = fn(&Library) -> Result<Vec<ScenarioInfo>, Vec<RulesFault>>;
/// The rules files of a new game.
pub type RulesFilesFn = fn(&Library, &Settings) -> Result<RulesFiles, Vec<RulesFault>>;
/// A game from its rules files.
pub type LoadFn = fn(&RulesFiles) -> Result<Box<dyn Game>, Vec<RulesFault>>;

/// The rules companion of a system.
pub type CompanionFn = fn(&Library, &str) -> Result<String, Vec<RulesFault>>;

/// The rule systems, so that a test can bring its own.
#[derive(Clone, Copy, Debug)]
pub struct Systems {
    /// What can be played.
    pub scenarios: ScenariosFn,
    /// The rules files of a new game.
    pub rules_files: RulesFilesFn,
    /// A game from its rules files.
    pub load: LoadFn,
    /// The rules companion of a system.
    pub companion: CompanionFn,
}

impl Systems {
    /// Those that ship.
    pub fn shipped() -> Self {
        Self {
            scenarios: game::scenarios,
            rules_files: game::rules_files,
            load: game::load,
            companion: game::companion,
        }
    }
}

/// Fills bytes from the system's generator.
pub type Random<'a> = &'a mut dyn FnMut(&mut [u8]) -> io::Result<()>;

/// Everything that a command is given besides its arguments.
pub struct Desk<'a> {
    /// The present time.
    pub now: Stamp,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// The program's name and version, as the ledger writes it.
    pub engine: String,
    /// `-C`.
    pub game: Option<PathBuf>,
    /// `--games`.
    pub games: Option<PathBuf>,
    /// The library, where a test brings its own.
    pub library: Option<Library>,
    /// The rule systems.
    pub systems: Systems,
    /// Writes files.
    pub store: Store,
    /// Makes secrets.
    pub random: Random<'a>,
    /// The standard input, for mail that is piped in.
    pub input: Option<&'a mut dyn io::Read>,
    /// For people, and for programs that asked for JSON.
    pub out: &'a mut dyn Write,
    /// For faults and notices.
    pub err: &'a mut dyn Write,
    /// Colour on the error output.
    pub colour: bool,
    /// JSON on the output.
    pub json: bool,
}

impl fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk")
            .field("now", &self.now)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl<'a> Desk<'a> {
    /// A desk in the working directory, with the embedded library.
    pub fn new(
        now: Stamp,
        systems: Systems,
        random: Random<'a>,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
    ) -> Self {
        Self {
            now,
            cwd: PathBuf::new(),
            engine: ENGINE.to_owned(),
            game: None,
            games: None,
            library: None,
            systems,
            store: Store::new(),
            random,
            input: None,
            out,
            err,
            colour: false,
            json: false,
        }
    }

    /// A path from the command line.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    /// The folder of the game that the command acts on.
    pub fn game_dir(&self) -> PathBuf {
        let dir = self.cwd.join(self.game.as_deref().unwrap_or(Path::new("")));
        if dir.as_os_str().is_empty() { PathBuf::from(".") } else { dir }
    }

    /// The game data: a test's, a referee's, or what ships.
    ///
    /// # Errors
    /// A `--games` folder that cannot be read.
    pub fn library(&self) -> Result<Library, Fault> {
        self.shipped(false)
    }

    /// The same with the sample games.
    ///
    /// # Errors
    /// As [`Desk::library`].
    pub fn library_with_samples(&self) -> Result<Library, Fault> {
        self.shipped(true)
    }

    fn shipped(&self, with_samples: bool) -> Result<Library, Fault> {
        if let Some(library) = &self.library {
            return Ok(library.clone());
        }
        match &self.games {
            Some(dir) => assets::from_folder(&self.path(dir)),
            None if with_samples => assets::embedded(),
            None => assets::without_samples(),
        }
        .map_err(|e| {
            Fault::input(e.to_string(), "--games DIR wants a folder laid out as games/ is")
        })
    }

    /// Reads a text file from the command line.
    ///
    /// # Errors
    /// A file that is not there or is no UTF-8.
    pub fn read(&self, path: &Path) -> Result<String, Fault> {
        let path = self.path(path);
        std::fs::read_to_string(&path).map_err(Fault::file("read", &path))
    }

    /// Prints faults of rules files; they stop the command, and each has its own help.
    pub fn rules_faults(&mut self, faults: &[RulesFault]) -> Fault {
        if faults.is_empty() {
            return Fault::input(
                "no such game is built into this program",
                "`despatch games` lists what can be played; --games DIR takes other data",
            );
        }
        for RulesFault { source, fault } in faults {
            let text = render_all(std::slice::from_ref(fault), source, self.colour);
            let _ = write!(self.err, "{text}");
        }
        Fault::Told
    }

    /// 32 fresh random bytes.
    ///
    /// # Errors
    /// The system gave none.
    pub fn fresh(&mut self) -> Result<Hex64, Fault> {
        let mut bytes = [0_u8; 32];
        (self.random)(&mut bytes).map_err(Fault::file("read", Path::new("random bytes")))?;
        Ok(Hex64::from_bytes(bytes))
    }
}
