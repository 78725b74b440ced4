//! Runs commands in a folder of a test, in this process, with the tiny game.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use despatch::cli::Cli;
use despatch::commands::store::Store;
use despatch::commands::{Desk, run};
use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;
use despatch::core::time::Stamp;

use crate::fake;

/// What a command did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Steps of writing.
    pub(crate) steps: u64,
}

impl Ran {
    /// Expects success.
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self
    }

    /// Expects a refusal with these words and a way out.
    pub(crate) fn refused(self, words: &str) -> Self {
        assert_eq!(self.code, 1, "{}{}", self.out, self.err);
        assert!(self.err.contains(words), "{}", self.err);
        assert!(self.err.contains("help: "), "{}", self.err);
        self
    }
}

/// A referee's table: a folder, a clock.
#[derive(Debug)]
pub(crate) struct Table {
    _dir: Option<tempfile::TempDir>,
    pub(crate) root: PathBuf,
    pub(crate) now: Stamp,
    pub(crate) engine: Option<String>,
    pub(crate) die_at: Option<u64>,
    /// What the next commands find on their standard input.
    pub(crate) input: Vec<u8>,
    /// Files need not outlive the machine.
    pub(crate) hasty: bool,
}

pub(crate) fn stamp(text: &str) -> Stamp {
    Stamp::new(text).unwrap()
}

impl Table {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_owned();
        let now = stamp("2027-01-04T18:00:00Z");
        Self {
            _dir: Some(dir),
            root,
            now,
            engine: None,
            die_at: None,
            input: Vec::new(),
            hasty: false,
        }
    }

    /// A twin with the same files.
    pub(crate) fn copy(&self) -> Self {
        let twin = Self { now: self.now, engine: self.engine.clone(), ..Self::new() };
        copy_tree(&self.root, &twin.root);
        twin
    }

    /// Runs `despatch -C g LINE`.
    pub(crate) fn run(&self, line: &[&str]) -> Ran {
        self.run_in("g", line)
    }

    /// Runs `despatch -C DIR LINE`.
    pub(crate) fn run_in(&self, dir: &str, line: &[&str]) -> Ran {
        let words = ["despatch", "-C", dir].into_iter().chain(line.iter().copied());
        let cli = Cli::try_parse_from(words).unwrap();
        let mut byte = 0_u8;
        let mut random = |bytes: &mut [u8]| {
            for b in bytes {
                byte = byte.wrapping_add(1);
                *b = byte;
            }
            Ok(())
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut desk = Desk::new(self.now, fake::systems(), &mut random, &mut out, &mut err);
        let mut input = &self.input[..];
        desk.input = Some(&mut input);
        desk.cwd.clone_from(&self.root);
        desk.library = Some(fake::library());
        desk.json = cli.format == despatch::cli::Format::Json;
        if let Some(engine) = &self.engine {
            desk.engine.clone_from(engine);
        }
        if self.hasty {
            desk.store = Store::hasty();
        }
        if let Some(step) = self.die_at {
            desk.store = Store::dying_at(step);
        }
        let code = run(&cli, &mut desk);
        let steps = desk.store.steps();
        Ran {
            code,
            out: String::from_utf8(out).unwrap(),
            err: String::from_utf8(err).unwrap(),
            steps,
        }
    }

    /// Makes the game `g` and closes its genesis.
    pub(crate) fn begin(&self, scenario: &str) {
        self.run(&[
            "new",
            scenario,
            "g",
            "--player",
            "north=Anna:anna@example.org",
            "--player",
            "south=Ben",
            "--player",
            "south/guns=Cleo",
        ])
        .ok();
        self.join_all();
    }

    /// Makes the game `g` with addresses for everybody and closes its genesis.
    pub(crate) fn begin_by_mail(&self, scenario: &str) {
        let player = |seat: &str, name: &str| {
            format!("{seat}={name}:{}@players.example", name.to_lowercase())
        };
        let (north, south, guns) =
            (player("north", "Anna"), player("south", "Ben"), player("south/guns", "Cleo"));
        let line = [
            "new",
            scenario,
            "g",
            "--referee",
            "Rita:rita@club.example",
            "--player",
            &north,
            "--player",
            &south,
            "--player",
            &guns,
        ];
        self.run(&line).ok();
        self.join_all();
    }

    fn join_all(&self) {
        self.join_in("g", "g");
    }

    /// Everybody joins the game in a folder; its genesis is closed.
    pub(crate) fn join_in(&self, dir: &str, id: &str) {
        let game = Id::new(id).unwrap();
        let players = ["north", "south", "south-guns"];
        for player in players {
            let nonce = Hex64::digest(player.as_bytes());
            let commitment = hash::join(&game, &Id::new(player).unwrap(), &nonce).to_string();
            self.run_in(dir, &["join", player, "--commitment", &commitment]).ok();
        }
        for player in players {
            let nonce = Hex64::digest(player.as_bytes()).to_string();
            self.run_in(dir, &["join", player, "--nonce", &nonce]).ok();
        }
        self.run_in(dir, &["genesis"]).ok();
    }

    /// The form of the phase with orders below, as a file to be received.
    pub(crate) fn orders(&self, phase: u32, player: &str, orders: &str, last: bool) -> String {
        let form = self.read(&format!("g/phase-{phase:03}/forms/{player}.toml"));
        let form = if last { form.replace("final = false", "final = true") } else { form };
        let name = format!("{player}-in.toml");
        self.write(&name, &format!("{form}\n{orders}"));
        name
    }

    /// Calls, receives files of all three, locks after the deadline.
    pub(crate) fn up_to_lock(&mut self, phase: u32) {
        self.run(&["call"]).ok();
        let walk = |unit: &str| format!("[[walk]]\nunit = \"{unit}\"\nby = 2\n");
        for (player, unit) in [("north", "n-1"), ("south", "s-1")] {
            let file = self.orders(phase, player, &walk(unit), false);
            self.run(&["receive", &file]).ok();
        }
        self.now = self.now.plus(8 * 86_400);
        self.run(&["lock", "--allow-missing", "1"]).ok();
    }

    /// The phase that is called: nobody sends anything but north.
    pub(crate) fn phase_by_hand(&mut self) {
        let file = self.orders(1, "north", "[[walk]]\nunit = \"n-1\"\nby = 2\n", false);
        self.run(&["receive", &file]).ok();
        self.now = self.now.plus(8 * 86_400);
        self.run(&["lock", "--allow-missing", "2"]).ok();
        self.run(&["adjudicate"]).ok();
    }

    /// One whole phase.
    pub(crate) fn phase(&mut self, phase: u32) {
        self.up_to_lock(phase);
        self.run(&["adjudicate"]).ok();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// All files of the game by path.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        tree(&self.root.join("g"))
    }
}

/// All files below a folder by path.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    gather(root, "", &mut all);
    all
}

fn gather(dir: &Path, prefix: &str, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            gather(&entry.path(), &format!("{name}/"), all);
        } else {
            all.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
