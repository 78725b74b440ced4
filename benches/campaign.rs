//! Plays a whole campaign into a folder, for `benches/measure.py`: 22 turns by the
//! generals of the tests, every phase with its files, as a club would have it.
//!
//!     cargo run --release --example campaign -- DIR

use std::path::{Path, PathBuf};

use clap::Parser as _;
use despatch::cli::Cli;
use despatch::commands::store::Store;
use despatch::commands::{Desk, Systems};
use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;
use despatch::core::time::Stamp;
use despatch::game::{Settings, rules_files};
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::state::State;

#[path = "../tests/it/khartoum/generals.rs"]
mod generals;

const PLAYERS: [&str; 2] = ["anglo-egyptian", "dervish"];

struct Club {
    dir: PathBuf,
    now: Stamp,
    byte: u8,
}

impl Club {
    /// Runs `despatch -C DIR LINE`, which must succeed; what it prints.
    fn run(&mut self, line: &[&str]) -> String {
        let dir = self.dir.display().to_string();
        let words = ["despatch", "-C", &dir].into_iter().chain(line.iter().copied());
        let cli = Cli::try_parse_from(words).expect("a command line");
        let byte = &mut self.byte;
        let mut random = |bytes: &mut [u8]| {
            bytes.fill_with(|| {
                *byte = byte.wrapping_add(1);
                *byte
            });
            Ok(())
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut desk = Desk::new(self.now, Systems::shipped(), &mut random, &mut out, &mut err);
        desk.store = Store::hasty();
        let code = despatch::commands::run(&cli, &mut desk);
        let (out, err) = (String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
        assert!(code == 0, "{line:?}: {out}{err}");
        out.into_owned()
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.join(path)).ok()
    }
}

fn main() {
    let dir = PathBuf::from(std::env::args().nth(1).expect("a folder to make"));
    let dir = std::path::absolute(dir).expect("a path");
    let now = Stamp::new("2027-01-01T00:00:00Z").expect("a time");
    let mut club = Club { dir, now, byte: 0 };
    let game = Id::new("omdurman").expect("an id");
    let name = |player: &str| format!("{player}={player}:{player}@club.example");
    let (ours, theirs) = (name(PLAYERS[0]), name(PLAYERS[1]));
    let folder = club.dir.display().to_string();
    club.run(&[
        "new",
        "omdurman-campaign",
        &folder,
        "--id",
        game.as_str(),
        "--player",
        &ours,
        "--player",
        &theirs,
        "--dice",
        "chain",
    ]);
    for player in PLAYERS {
        let nonce = Hex64::digest(player.as_bytes());
        let commitment = hash::join(&game, &Id::new(player).expect("an id"), &nonce).to_string();
        club.run(&["join", player, "--commitment", &commitment]);
    }
    for player in PLAYERS {
        let nonce = Hex64::digest(player.as_bytes()).to_string();
        club.run(&["join", player, "--nonce", &nonce]);
    }
    club.run(&["genesis"]);
    let library = despatch::assets::embedded().expect("the shipped files");
    let settings = Settings { scenario: "omdurman-campaign".to_owned(), ..Settings::default() };
    let files = rules_files(&library, &settings).unwrap_or_else(|_| panic!("sound rules"));
    let rules = Omdurman::load(&files).unwrap_or_else(|_| panic!("sound rules"));
    let scratch = tempfile::tempdir().expect("a folder");
    for phase in 1.. {
        club.run(&["call"]);
        club.now = club.now.plus(3_600);
        for player in PLAYERS {
            play(&mut club, &rules, phase, player, scratch.path());
        }
        club.now = club.now.plus(14 * 86_400);
        club.run(&["lock", "--allow-missing", "2"]);
        if club.run(&["adjudicate"]).contains("the game is over") {
            break;
        }
    }
    club.run(&["close"]);
}

/// A player's general fills in the form.
fn play(club: &mut Club, rules: &Omdurman, phase: u32, player: &str, scratch: &Path) {
    let folder = format!("phase-{phase:03}");
    let form = club.read(&format!("{folder}/forms/{player}.toml"));
    let view = club.read(&format!("{folder}/views/{player}.toml"));
    let (Some(form), Some(view)) = (form, view) else { return };
    let view = State::parse(rules.data(), &view).expect("a view");
    let orders = generals::orders(rules.data(), &view, &Id::new(player).expect("an id"));
    let path = scratch.join(format!("{player}.toml"));
    std::fs::write(&path, format!("{form}\n{orders}")).expect("a file");
    club.run(&["receive", &path.display().to_string()]);
}
