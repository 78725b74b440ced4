//! The program itself, with a shipped game, as a shell starts it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;
use despatch::core::record::Secret;

use crate::table::tree;

/// A place in the world.
struct Place<'a> {
    cwd: &'a Path,
    zone: &'a str,
    language: &'a str,
}

impl Place<'_> {
    fn run(&self, now: &str, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_despatch"))
            .args(["--now", now])
            .args(words)
            .current_dir(self.cwd)
            .env("TZ", self.zone)
            .env("LANG", self.language)
            .env("LC_ALL", self.language)
            .output()
            .unwrap()
    }

    fn ok(&self, now: &str, words: &[&str]) -> String {
        let done = self.run(now, words);
        let err = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success(), "{words:?}: {err}");
        String::from_utf8(done.stdout).unwrap()
    }
}

/// Two phases of a game in the folder `dir`, which is relative.
fn play(place: &Place<'_>, dir: &str) {
    let game = Id::new("siege").unwrap();
    let secret = Secret {
        game: game.clone(),
        length: 20,
        root: Hex64::digest(b"root"),
        hidden: Hex64::digest(b"hidden"),
    };
    std::fs::write(place.cwd.join("secret.txt"), secret.to_text()).unwrap();
    let now = "2027-01-04T18:00:00Z";
    place.ok(
        now,
        &[
            "new",
            "khartoum",
            dir,
            "--id",
            "siege",
            "--secret",
            "secret.txt",
            "--player",
            "british=Ännchen:a@example.org",
            "--player",
            "dervish=Ben",
        ],
    );
    for player in ["british", "dervish"] {
        let commitment =
            hash::join(&game, &Id::new(player).unwrap(), &Hex64::digest(player.as_bytes()));
        place.ok(now, &["-C", dir, "join", player, "--commitment", &commitment.to_string()]);
    }
    for player in ["british", "dervish"] {
        let nonce = Hex64::digest(player.as_bytes()).to_string();
        place.ok(now, &["-C", dir, "join", player, "--nonce", &nonce]);
    }
    place.ok(now, &["-C", dir, "genesis"]);
    for (phase, asked, day) in [(1, "british", 4), (2, "dervish", 12)] {
        let at = |plus: u32| format!("2027-01-{:02}T18:00:00Z", day + plus);
        place.ok(&at(0), &["-C", dir, "call"]);
        let form = format!("{dir}/phase-{phase:03}/forms/{asked}.toml");
        place.ok(&at(1), &["-C", dir, "check", &form]);
        place.ok(&at(1), &["-C", dir, "receive", &form]);
        place.ok(&at(7), &["-C", dir, "lock"]);
        place.ok(&at(8), &["-C", dir, "adjudicate"]);
    }
    place.ok(now, &["-C", dir, "bundle", "--for", "dervish", "out"]);
    place.ok(now, &["verify", "out", "--replay"]);
}

#[test]
fn the_same_game_anywhere_leaves_the_same_bytes() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    play(&Place { cwd: one.path(), zone: "UTC", language: "C" }, "g");
    let place = Place { cwd: two.path(), zone: "Pacific/Kiritimati", language: "tr_TR.UTF-8" };
    play(&place, "deep/down/h");
    let (first, second) = (tree(&one.path().join("g")), tree(&two.path().join("deep/down/h")));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (path, bytes) in &first {
        assert_eq!(bytes, &second[path], "{path}");
    }
    assert_eq!(tree(&one.path().join("out")), tree(&two.path().join("out")));
}

#[test]
fn a_reader_who_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["games", "show", "khartoum"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success());
    assert_eq!(String::from_utf8(done.stderr).unwrap(), "");
}

#[test]
fn a_referees_own_data_replaces_what_ships() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place { cwd: dir.path(), zone: "UTC", language: "C" };
    let now = "2027-01-04T18:00:00Z";
    std::fs::create_dir(dir.path().join("own")).unwrap();
    let none = place.ok(now, &["--games", "own", "games"]);
    assert!(none.contains("No game"), "{none}");
    assert!(place.ok(now, &["games"]).contains("khartoum"));
    let missing = place.run(now, &["--games", "nowhere", "games"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_player_needs_the_bundle_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place { cwd: dir.path(), zone: "UTC", language: "C" };
    play(&place, "g");
    let now = "2027-01-20T18:00:00Z";
    place.ok(now, &["-C", "g", "call"]);
    place.ok(now, &["-C", "g", "bundle", "--for", "british", "mine"]);
    std::fs::remove_dir_all(dir.path().join("g")).unwrap();
    let view = "mine/phase-003/views/british.toml";
    std::fs::copy(dir.path().join("mine/phase-003/forms/british.toml"), dir.path().join("o.toml"))
        .unwrap();
    place.ok(now, &["check", "o.toml", "--view", view]);
    place.ok(now, &["-C", "mine", "check", "o.toml"]);
    let reach = place.ok(now, &["ask", "reach", "x-sud", "--view", view]);
    assert!(reach.contains("MP"), "{reach}");
    place.ok(now, &["map", "--view", view]);
    place.ok(now, &["-C", "mine", "report", "--for", "british"]);
    place.ok(now, &["-C", "mine", "form", "british"]);
    let bare = place.run(now, &["check", "o.toml", "--view", "o.toml"]);
    assert_eq!(bare.status.code(), Some(2));
}

#[test]
fn the_demo_is_the_same_everywhere() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let now = "2027-06-01T00:00:00Z";
    let place = Place { cwd: one.path(), zone: "UTC", language: "C" };
    let said = place.ok(now, &["demo"]);
    assert!(said.contains("THE GAME IS OVER"), "{said}");
    assert!(said.contains("ALL CHECKS PASSED"), "{said}");
    assert!(said.contains("15 phases resolved again"), "{said}");
    let place = Place { cwd: two.path(), zone: "Asia/Kathmandu", language: "de_DE.UTF-8" };
    place.ok("2030-01-01T00:00:00Z", &["demo", "khartoum", "--dir", "some/where"]);
    let first = tree(&one.path().join("despatch-demo-khartoum"));
    let second = tree(&two.path().join("some/where"));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (path, bytes) in &first {
        assert_eq!(bytes, &second[path], "{path}");
    }
    let luck = place.ok(now, &["-C", "some/where/game", "luck"]);
    assert!(luck.contains("British"), "{luck}");
}
