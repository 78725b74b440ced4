//! The manual of every command, as the program prints it.

use std::process::Command;

fn help(words: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(words)
        .arg("--help")
        .env("COLUMNS", "80")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(done.status.success());
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_manual_reads_so() {
    insta::assert_snapshot!("help", help(&[]));
    for command in [
        "demo",
        "games",
        "new",
        "join",
        "genesis",
        "call",
        "receive",
        "status",
        "lock",
        "adjudicate",
        "report",
        "amend",
        "bundle",
        "close",
        "verify",
        "check",
        "form",
        "ask",
        "odds",
        "map",
        "hash",
        "nonce",
        "hide",
        "history",
        "luck",
        "completions",
        "man",
    ] {
        insta::assert_snapshot!(format!("help-{command}"), help(&[command]));
    }
}

#[test]
fn completions_and_man_pages_are_made() {
    let out = |words: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_despatch")).args(words).output().unwrap();
        assert!(done.status.success());
        String::from_utf8(done.stdout).unwrap()
    };
    assert!(out(&["completions", "bash"]).contains("adjudicate"));
    assert!(out(&["man"]).contains(".TH despatch"));
    let dir = tempfile::tempdir().unwrap();
    out(&["man", "--out", dir.path().to_str().unwrap()]);
    assert!(dir.path().join("despatch-call.1").exists());
}

#[test]
fn usage_is_two_and_a_missing_game_says_the_way_out() {
    let run = |words: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        Command::new(env!("CARGO_BIN_EXE_despatch"))
            .args(words)
            .current_dir(dir.path())
            .output()
            .unwrap()
    };
    assert_eq!(run(&["call", "--what"]).status.code(), Some(2));
    let done = run(&["status"]);
    assert_eq!(done.status.code(), Some(2));
    let err = String::from_utf8(done.stderr).unwrap();
    assert!(err.contains("there is no game in") && err.contains("-C DIR"), "{err}");
    assert_eq!(run(&["--now", "yesterday", "status"]).status.code(), Some(2));
}
