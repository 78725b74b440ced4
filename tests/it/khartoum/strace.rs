//! One command killed for real, by the kernel, at each of its renames in turn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::start::{NOW, despatch, locked};

fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, dir: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                out.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(root, root, &mut out);
    out
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// The same files with the same bytes; names those that differ.
fn same(one: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>, when: &str) {
    let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let differ: Vec<_> = names.into_iter().filter(|n| one.get(*n) != other.get(*n)).collect();
    assert!(differ.is_empty(), "{when}: {differ:?}");
}

/// True if the kernel can be asked to do such things here.
fn can_trace() -> bool {
    let works = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !works {
        println!("skipped: strace is not installed or may not trace");
    }
    works
}

/// Runs `adjudicate` while the kernel does something at such calls; whether it came to
/// its end.
fn adjudicate(game: &Path, calls: &str, what: &str) -> bool {
    let trace = format!("trace={calls}");
    let inject = format!("inject={calls}:{what}");
    let status = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", &trace, "-e", &inject])
        .arg(env!("CARGO_BIN_EXE_despatch"))
        .args(["--now", NOW, "adjudicate"])
        .current_dir(game)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    status.success()
}

/// The tree that `adjudicate` leaves, and a fresh game each time one is asked for.
fn games(root: &Path) -> (BTreeMap<String, Vec<u8>>, impl FnMut() -> PathBuf) {
    let game = locked(root);
    let twin = root.join("twin");
    copy(&game, &twin);
    despatch(&twin, &["adjudicate"]);
    let root = root.to_owned();
    let mut number = 0;
    let fresh = move || {
        number += 1;
        let victim = root.join(format!("victim-{number}"));
        copy(&game, &victim);
        victim
    };
    (tree(&twin), fresh)
}

#[test]
#[cfg(target_os = "linux")]
fn adjudicate_killed_by_the_kernel_at_any_rename_or_sync_ends_as_if_unkilled() {
    if !can_trace() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let (whole, mut fresh) = games(root.path());
    'calls: for calls in ["rename,renameat,renameat2", "fsync,syncfs"] {
        for n in 1..60 {
            let victim = fresh();
            if adjudicate(&victim, calls, &format!("signal=SIGKILL:when={n}")) {
                assert!(n > 2, "the command makes such calls: {calls}");
                assert!(n < 6 || calls.contains("rename"), "files are flushed together");
                continue 'calls;
            }
            // The kill may have come after the commit: then the phase is resolved, and
            // any command completes the tree.
            let again = Command::new(env!("CARGO_BIN_EXE_despatch"))
                .args(["--now", NOW, "adjudicate"])
                .current_dir(&victim)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&again.stderr);
            assert!(again.status.success() || said.contains("phase"), "{said}");
            despatch(&victim, &["history"]);
            same(&tree(&victim), &whole, &format!("killed at call {n} of {calls}"));
        }
        panic!("adjudicate never ends");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn where_a_disk_cannot_be_flushed_whole_each_file_is() {
    if !can_trace() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let (whole, mut fresh) = games(root.path());
    let victim = fresh();
    assert!(adjudicate(&victim, "syncfs", "error=ENOSYS"));
    same(&tree(&victim), &whole, "flushed one by one");
    // And a file that cannot be flushed is a fault, not a turn that may be lost.
    let victim = fresh();
    let before = tree(&victim);
    assert!(!adjudicate(&victim, "syncfs,fsync", "error=EIO"));
    same(&tree(&victim), &before, "a disk that failed");
    despatch(&victim, &["adjudicate"]);
    same(&tree(&victim), &whole, "after a disk that failed");
}
