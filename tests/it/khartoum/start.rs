//! A game brought to its first phase through the program.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The time of every command.
pub const NOW: &str = "2027-01-01T00:00:00Z";

/// Runs the program, which must succeed.
pub fn despatch(folder: &Path, args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["--now", NOW])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A game whose first phase is locked.
pub fn locked(root: &Path) -> PathBuf {
    let game = called(root);
    let form = std::fs::read_to_string(game.join("phase-001/forms/british.toml")).unwrap();
    let orders = form.replace("final  = false", "final  = true");
    std::fs::write(root.join("british.toml"), orders).unwrap();
    despatch(&game, &["receive", "../british.toml"]);
    despatch(&game, &["lock", "--early"]);
    game
}

/// A game whose first phase is called.
pub fn called(root: &Path) -> PathBuf {
    despatch(
        root,
        &[
            "new",
            "khartoum",
            "game",
            "--player",
            "british=A:anna@club.example",
            "--player",
            "dervish=B:bob@club.example",
            "--dice",
            "chain",
        ],
    );
    let game = root.join("game");
    for (player, letter) in [("british", "a"), ("dervish", "b")] {
        let nonce = letter.repeat(64);
        let words = ["--now", NOW, "nonce", "--player", player, "--nonce", &nonce];
        let output = Command::new(env!("CARGO_BIN_EXE_despatch"))
            .args(words)
            .current_dir(&game)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let commitment = text.lines().next().unwrap().split_whitespace().last().unwrap().to_owned();
        despatch(&game, &["join", player, "--commitment", &commitment]);
    }
    for (player, letter) in [("british", "a"), ("dervish", "b")] {
        despatch(&game, &["join", player, "--nonce", &letter.repeat(64)]);
    }
    despatch(&game, &["genesis"]);
    despatch(&game, &["call"]);
    game
}
