//! The README's first hours, run as they stand: every shell block in order, in an
//! empty folder.

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

#[test]
#[cfg(unix)]
fn the_first_hours_run_as_they_stand() {
    let page = include_str!("../../README.md");
    let blocks = blocks(page);
    assert!(blocks.len() > 5, "the README has its commands");
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
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    for words in ["RECEIPT 1", "SET-UP", "ALL CHECKS PASSED", "no faults; 2 orders", "reaches"] {
        assert!(out.contains(words), "`{words}` is missing\n{out}\n{err}");
    }
}
