//! A game whose secret is lost goes on in a new one: from its last state, under its
//! settings, with dice of its own.

use std::path::Path;
use std::process::Command;

use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;

/// A folder with games in it and a clock that the test turns.
struct Club {
    dir: tempfile::TempDir,
    day: u32,
}

/// What a command printed and its exit code.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self.out
    }

    #[track_caller]
    fn refused(self, code: i32, words: &str) {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        assert!(self.err.contains(words), "{}", self.err);
        assert!(self.err.contains("help: "), "{}", self.err);
    }
}

const PEOPLE: [&str; 4] = ["--player", "british=Anna:anna@example.org", "--player", "dervish=Ben"];

impl Club {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), day: 1 }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn run(&self, words: &[&str]) -> Said {
        let now = format!("2027-{:02}-{:02}T12:00:00Z", 1 + self.day / 28, 1 + self.day % 28);
        let done = Command::new(env!("CARGO_BIN_EXE_despatch"))
            .args(["--now", &now])
            .args(words)
            .current_dir(self.dir.path())
            .output()
            .unwrap();
        Said {
            code: done.status.code().unwrap(),
            out: String::from_utf8(done.stdout).unwrap(),
            err: String::from_utf8(done.stderr).unwrap(),
        }
    }

    /// Takes both nonces and closes the genesis.
    fn genesis(&self, game: &str) {
        let id = Id::new(game).unwrap();
        for what in ["--commitment", "--nonce"] {
            for player in ["british", "dervish"] {
                let nonce = Hex64::digest(format!("{game} {player}").as_bytes());
                let value = match what {
                    "--nonce" => nonce,
                    _ => hash::join(&id, &Id::player(player).unwrap(), &nonce),
                };
                self.run(&["-C", game, "join", player, what, &value.to_string()]).ok();
            }
        }
        self.run(&["-C", game, "genesis"]).ok();
    }

    /// Plays a phase with the orders of one player.
    fn phase(&mut self, game: &str, phase: u32, player: &str, orders: &str) {
        self.run(&["-C", game, "call"]).ok();
        let form = self.read(&format!("{game}/phase-{phase:03}/forms/{player}.toml"));
        std::fs::write(self.path("in.toml"), format!("{form}\n{orders}")).unwrap();
        self.run(&["-C", game, "receive", "in.toml"]).ok();
        self.day += 8;
        self.run(&["-C", game, "lock", "--allow-missing", "1"]).ok();
        self.run(&["-C", game, "adjudicate"]).ok();
    }

    /// A game called `old` of two phases: set-up and the first Dervish moves.
    fn two_phases(more: &[&str]) -> Self {
        let mut club = Self::new();
        let line = ["new", "khartoum", "old"];
        club.run(&line.iter().chain(&PEOPLE).chain(more).copied().collect::<Vec<_>>()).ok();
        club.genesis("old");
        let setup = "[[place]]\nunits = [\"x-sud\", \"friendlies-1\"]\nhex = \"1112\"\n\
                     [[place]]\nunits = [\"gunboat-1\"]\nhex = \"0112\"\n\
                     [standing]\nlosses = [\"friendlies\"]\n";
        club.phase("old", 1, "british", setup);
        let enter = "[[enter]]\nunits = [\"mulazmin-01\", \"mulazmin-02\"]\nat = \"0616\"\n\
                     to = \"0613\"\n";
        club.phase("old", 2, "dervish", enter);
        club
    }

    fn head(&self, game: &str, record: &str) -> String {
        let history = self.run(&["-C", game, "history"]).ok();
        let line = history.lines().find(|l| l.starts_with(record)).unwrap();
        line.split_whitespace().find(|word| word.len() == 64).unwrap().to_owned()
    }
}

fn lose_the_secret(folder: &Path) {
    std::fs::remove_file(folder.join("referee.secret")).unwrap();
}

#[test]
fn a_game_goes_on_from_its_last_state() {
    let mut club = Club::two_phases(&["--ruling", "losses=random", "--days", "5"]);
    club.run(&["-C", "old", "amend", "ruling", "--set", "standing-fire=hold", "--note", "agreed"])
        .ok();
    let head = club.head("old", "amendment 1");
    club.run(&["-C", "old", "bundle", "--for", "public", "old-bundle"]).ok();
    lose_the_secret(&club.path("old"));
    club.run(&["-C", "old", "call"]).refused(1, "referee.secret");

    let said = club.run(&["new", "khartoum", "young", "--continues", "old"]).ok();
    assert!(said.contains(&format!("goes on from old at head {head}")), "{said}");
    assert!(said.contains("the position is that after amendment 1"), "{said}");
    assert!(said.contains("Anna <anna@example.org>"), "{said}");
    let offer = club.read("young/offer.txt");
    for line in [&format!("continues=old:{head}"), "first=combat", "game=young"] {
        assert!(offer.lines().any(|l| l == line), "{line}: {offer}");
    }
    // The same position, of another game before its phase 1.
    let (before, after) =
        (club.read("old/phase-002/state-after.toml"), club.read("young/state-000.toml"));
    let changed: Vec<(&str, &str)> =
        before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
    assert_eq!(before.lines().count() + 1, after.lines().count(), "one ruling more");
    assert_eq!(changed[0], ("game = \"old\"", "game = \"young\""));
    assert!(after.contains("phase = 0\n") && after.contains("mulazmin-01 = \"0613\"\n"), "{after}");
    assert!(after.contains("losses = [\"friendlies\"]"), "{after}");
    // The rules in force, the amended ruling with them, and the referee's settings.
    let settings = club.read("young/rules/settings.toml");
    assert!(settings.contains("random") && settings.contains("hold"), "{settings}");
    assert!(club.read("young/game.toml").contains("days = 5"));
    let mail = club.read("young/outbox/offer-dervish.txt");
    assert!(mail.contains("goes on from old at the head") && mail.contains(&head), "{mail}");

    club.genesis("young");
    club.phase("young", 1, "dervish", "");
    let report = club.read("young/phase-001/report/public.txt");
    assert!(report.contains("turn 1, Dervish player-turn"), "{report}");
    club.run(&["-C", "young", "bundle", "--for", "public", "young-bundle"]).ok();
    let head = club.head("young", "phase 1");
    let line = ["verify", "young-bundle", "--head", &head, "--replay", "--continues", "old-bundle"];
    let said = club.run(&line).ok();
    assert!(said.contains("ALL CHECKS PASSED") && said.contains("1 phases"), "{said}");
    assert!(said.contains("continues   old at the head that the offer names"), "{said}");
}

#[test]
fn a_bundle_will_do_and_the_settings_may_change() {
    let club = Club::two_phases(&["--cadence", "strict"]);
    club.run(&["-C", "old", "bundle", "--for", "dervish", "b"]).ok();
    let line = ["new", "khartoum", "young", "--continues", "b"];
    club.run(&line).refused(2, "names and addresses are in no bundle");
    let with: Vec<&str> = line.iter().chain(&PEOPLE).copied().collect();
    // The window to come is defensive fire, which the brisk cadence does not have.
    let brisk: Vec<&str> = with.iter().copied().chain(["--cadence", "brisk"]).collect();
    club.run(&brisk).refused(1, "the window to come is defensive fire");
    assert!(!club.path("young").exists(), "nothing is half made");
    let said = club
        .run(&with.iter().copied().chain(["--ruling", "losses=random"]).collect::<Vec<_>>())
        .ok();
    assert!(said.contains("rules files that differ from the old ones: settings.toml"), "{said}");
    let settings = club.read("young/rules/settings.toml");
    assert!(settings.contains("strict") && settings.contains("random"), "{settings}");
    assert!(club.read("young/offer.txt").contains("first=defence\n"));
}

#[test]
fn an_earlier_record_leaves_out_what_came_after() {
    let club = Club::two_phases(&[]);
    club.run(&["-C", "old", "call"]).ok();
    let head = club.head("old", "phase 1");
    let said = club.run(&["new", "khartoum", "young", "--continues", "old", "--head", &head]).ok();
    for words in [
        "the position is that after phase 1 (phase-001/state-after.toml)",
        "LEFT OUT: 1 phase and 0 amendments that old records later",
        "phase 3 of old is called and not resolved",
        "old can still be played",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(club.read("young/state-000.toml").contains("mulazmin-01 = \"waiting\""));
    club.genesis("young");
    let said = club.run(&["verify", "young", "--continues", "old"]).ok();
    assert!(said.contains("old has later records than that head"), "{said}");
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let club = Club::two_phases(&[]);
    let new = |more: &[&str]| {
        club.run(&["new", "khartoum", "young"].iter().chain(more).copied().collect::<Vec<_>>())
    };
    std::fs::create_dir(club.path("empty")).unwrap();
    new(&["--continues", "empty"]).refused(2, "there is no game in `");
    new(&["--continues", "old", "--head", "12ab"]).refused(2, "64");
    let none = "0".repeat(64);
    new(&["--continues", "old", "--head", &none]).refused(1, "its last record is phase 2, head");
    new(&["--continues", "old", "--id", "old"]).refused(1, "the old game is called `old` too");
    new(&["--continues", "old", "--ruling", "loses=random"]).refused(2, "did you mean `losses`?");
    assert_eq!(new(&["--head", &none]).code, 2, "--head is of the game that is continued");

    // A ledger that was tampered with.
    let state = club.path("old/phase-002/state-after.toml");
    let text = std::fs::read_to_string(&state).unwrap();
    std::fs::write(&state, text.replace("\"0613\"", "\"0612\"")).unwrap();
    new(&["--continues", "old"]).refused(1, "does not verify (files)");
    std::fs::write(&state, text).unwrap();

    // A game that ended by its rules, and one that never began.
    club.run(&["demo", "khartoum", "--dir", "d"]).ok();
    new(&["--continues", "d/game"]).refused(1, "is over: there is nothing to go on with");
    let offer = ["new", "khartoum", "offered"];
    club.run(&offer.iter().chain(&PEOPLE).copied().collect::<Vec<_>>()).ok();
    new(&["--continues", "offered"]).refused(1, "has no genesis: nothing was played");
    assert!(!club.path("young").exists(), "nothing is half made");

    // A game that goes on from none, or from another than it says.
    club.run(&["verify", "old", "--continues", "d/game"]).refused(1, "goes on from no other");
    new(&["--continues", "old"]).ok();
    club.genesis("young");
    club.run(&["verify", "young", "--continues", "d/game"])
        .refused(1, "has no record with that head");
}

#[test]
fn a_start_from_another_position_is_told() {
    let club = Club::two_phases(&[]);
    club.run(&["new", "khartoum", "young", "--continues", "old"]).ok();
    // A referee who moves a unit and mends every hash that he can.
    let state = club.read("young/state-000.toml").replace("\"0613\"", "\"0612\"");
    let offer = club.read("young/offer.txt");
    let was = offer.lines().find_map(|l| l.strip_prefix("state=")).unwrap().to_owned();
    std::fs::write(club.path("young/state-000.toml"), &state).unwrap();
    let mended = offer.replace(&was, &hash::text_hash(&state).to_string());
    std::fs::write(club.path("young/offer.txt"), mended).unwrap();
    club.genesis("young");
    club.run(&["verify", "young"]).ok();
    let said = club.run(&["verify", "young", "--continues", "old"]);
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains("continues   mulazmin-01: 0613 -> 0612"), "{}", said.out);
    assert!(said.out.contains("DO NOT TRUST THIS BUNDLE"), "{}", said.out);
}
