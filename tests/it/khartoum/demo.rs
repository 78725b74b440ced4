//! The bundle of the shipped game under a forger's hands.

use std::path::Path;
use std::process::Command;

use despatch::core::hash::Hex64;
use despatch::core::verify::{MemoryBundle, Options, verify};

use crate::tamper::{load, spoil};
use crate::tampers::{rewrite_the_last_record, run_all};

/// Plays the demo in a folder and gives back its bundle.
pub fn bundle(folder: &Path) -> MemoryBundle {
    let output = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["demo", "--dir", "demo", "--now", "2027-01-01T00:00:00Z"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    load(&folder.join("demo/bundle"))
}

fn options() -> Options {
    Options { beacon_key: None }
}

fn head(bundle: &MemoryBundle) -> Hex64 {
    verify(bundle, None, &options()).head().unwrap()
}

#[test]
fn every_change_that_applies_to_the_demo_is_caught_by_its_check() {
    let folder = tempfile::tempdir().unwrap();
    let mut bundle = bundle(folder.path());
    let passed = verify(&bundle, Some(&head(&bundle)), &options());
    assert!(passed.passed(), "{}", passed.render());
    let none = run_all(&bundle, &options());
    println!("no place in the demo for: {none:?}");
    assert!(none.len() < 20, "most changes find a place: {none:?}");

    let head = head(&bundle);
    let mut spoilt = bundle.clone();
    spoil(&mut spoilt);
    assert!(verify(&spoilt, Some(&head), &options()).passed(), "mail may spoil line ends");

    rewrite_the_last_record(&mut bundle);
    assert!(verify(&bundle, None, &options()).passed(), "nobody can see it without a head");
    let given = verify(&bundle, Some(&head), &options());
    assert_eq!(given.failure.unwrap().check.name(), "head");
}

#[test]
fn one_byte_changed_in_any_file_of_the_demo_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = bundle(folder.path());
    let head = head(&bundle);
    let mut files = 0;
    for path in bundle.files.keys() {
        // What no record names: the verifier, and the reports' machine-readable twins.
        if path == "verify.py" || Path::new(path).extension().is_some_and(|e| e == "json") {
            continue;
        }
        let bytes = &bundle.files[path];
        // A letter or digit in the middle, so that the normal form changes.
        let plain = |at: &usize| bytes[*at].is_ascii_alphanumeric();
        let middle = bytes.len() / 2;
        let at = (middle..bytes.len()).chain(0..middle).find(plain).unwrap();
        let mut changed = bundle.clone();
        changed.files.get_mut(path).unwrap()[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
        let result = verify(&changed, Some(&head), &options());
        assert!(!result.passed(), "a byte changed in {path} goes unseen");
        files += 1;
    }
    assert!(files > 50, "{files} files were tried");
}

#[test]
fn a_report_that_the_rules_do_not_give_passes_the_dice_and_fails_the_replay() {
    let folder = tempfile::tempdir().unwrap();
    let mut forged = bundle(folder.path());
    let path = "phase-003/report/public.txt";
    let lie = crate::tamper::text(&forged, path).unwrap().replace("lost  10", "lost   9");
    crate::tamper::put(&mut forged, path, &lie);
    crate::tamper::mend(&mut forged);
    let root = folder.path().join("forged");
    for (path, bytes) in &forged.files {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    let run = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_despatch"))
            .arg("verify")
            .arg(&root)
            .args(words)
            .output()
            .unwrap()
    };
    assert!(run(&[]).status.success(), "the dice are untouched");
    let replayed = run(&["--replay"]);
    let text = String::from_utf8_lossy(&replayed.stdout);
    assert_eq!(replayed.status.code(), Some(1), "{text}");
    assert!(text.contains("phase 3") && text.contains("FAILED"), "{text}");
    assert!(text.contains("DO NOT TRUST") && !text.contains("ALL CHECKS PASSED"), "{text}");
}
