//! What commands answer to small slips, as people make them.

use std::path::Path;
use std::process::Command;

struct Said {
    code: i32,
    out: String,
    err: String,
}

fn run(folder: &Path, words: &[&str]) -> Said {
    let done = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["--now", "2027-06-01T00:00:00Z"])
        .args(words)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    Said {
        code: done.status.code().unwrap(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
    }
}

const NEW: [&str; 7] = ["new", "khartoum", "g", "--player", "british=A", "--player", "dervish=B"];

#[test]
fn a_folder_without_a_game_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let said = run(dir.path(), &["verify"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("there is no game in") && said.out.is_empty(), "{}", said.err);
    // A bundle that lost its offer is another matter.
    std::fs::write(dir.path().join("genesis.txt"), "pbem-dice/1 genesis\n").unwrap();
    let said = run(dir.path(), &["verify"]);
    assert_eq!(said.code, 1);
    assert!(said.out.contains("DO NOT TRUST"), "{}", said.out);
}

#[test]
fn a_ruling_that_does_not_exist_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let line: Vec<&str> = NEW.into_iter().chain(["--ruling", "loses=random"]).collect();
    let said = run(dir.path(), &line);
    assert_eq!(said.code, 2);
    assert_eq!(said.err.matches("error").count(), 1, "{}", said.err);
    assert!(said.err.contains("did you mean `losses`?"), "{}", said.err);
}

#[test]
fn a_nonce_is_for_a_player_of_the_game_that_is_there() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &NEW).code, 0);
    for place in [&["-C", "g"][..], &["-C", "g", "--format", "json"]] {
        let line = |more: &[&'static str]| [place, &["nonce", "--player"], more].concat();
        assert_eq!(run(dir.path(), &line(&["british"])).code, 0);
        let said = run(dir.path(), &line(&["britsh"]));
        assert_eq!(said.code, 2);
        assert!(said.err.contains("the players are british, dervish"), "{}", said.err);
        assert_eq!(run(dir.path(), &line(&["britsh", "--id", "g"])).code, 2);
        assert_eq!(run(dir.path(), &line(&["french", "--id", "other"])).code, 0);
    }
    assert_eq!(run(dir.path(), &["nonce", "--player", "british"]).code, 2, "which game?");
}

#[test]
fn topics_are_listed_sides_have_names_and_a_map_is_no_json() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["demo", "khartoum", "--dir", "d"]).code, 0);
    let game = |more: &[&str]| run(dir.path(), &[&["-C", "d/game"], more].concat());
    let said = game(&["ask"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.contains("ask reach UNIT") && said.out.contains("ask zoc HEX"),
        "{}",
        said.out
    );
    assert_eq!(game(&["ask", "reech"]).code, 2);
    let said = game(&["map", "--format", "json"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    let said = game(&["luck"]).out;
    for name in ["\nBritish ", "\nDervish "] {
        assert!(said.contains(name), "{said}");
    }
    assert!(!said.contains("anglo-egyptian") && !said.contains("(not "), "{said}");
}
