//! The README's first hours and the handbooks, run as they stand: every shell block
//! in order, in an empty folder.

use std::path::Path;
use std::process::Command;

/// The shell blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Option<String> = None;
    for line in page.lines() {
        match (&mut open, line) {
            (None, "```sh") => open = Some(String::new()),
            (Some(_), "```") => out.extend(open.take()),
            (Some(text), line) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, _) => {}
        }
    }
    out
}

/// Runs blocks in one shell; its output and whether it went well.
#[cfg(unix)]
fn shell(blocks: &[String]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_despatch")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .arg("-eux")
        .arg("-c")
        .arg(blocks.concat())
        .current_dir(folder.path())
        .env("PATH", path)
        .env("HOME", folder.path())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
#[cfg(unix)]
fn the_first_hours_run_as_they_stand() {
    let blocks = blocks(include_str!("../../README.md"));
    assert!(blocks.len() > 5, "the README has its commands");
    let (well, said) = shell(&blocks);
    assert!(well, "{said}");
    let words = [
        "RECEIPT 1",
        "SET-UP",
        "ALL CHECKS PASSED",
        "no faults; 2 orders",
        "reaches",
        "Report for anglo-egyptian",
        "what is hidden from you",
    ];
    for words in words {
        assert!(said.contains(words), "`{words}` is missing\n{said}");
    }
}

#[test]
#[cfg(unix)]
fn the_handbooks_run_as_they_stand() {
    // The player's begins with the bundle that the referee's ends with.
    let mut all = blocks(include_str!("../../docs/referee.md"));
    all.extend(blocks(include_str!("../../docs/player.md")));
    assert!(all.len() >= 10, "the handbooks have their commands");
    if !crate::post::there("ssh-keygen") {
        all.retain(|block| !block.contains("ssh-keygen"));
    }
    let (well, said) = shell(&all);
    assert!(well, "{said}");
    for words in [
        "phase 1 called",
        "1 mail taken; phase 1 locked early: everybody is final; phase 1 resolved; phase 2 called",
        "british to all:",
        "| The Sirdar is on his way.",
        "the seat passes from Bob to Dora",
        "message to british (4 words)",
        "ALL CHECKS PASSED",
    ] {
        assert!(said.contains(words), "`{words}` is missing\n{said}");
    }
}
