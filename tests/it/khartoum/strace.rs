//! One command killed for real, by the kernel, at each of its renames in turn.

use std::collections::BTreeMap;
use std::path::Path;
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

#[test]
#[cfg(target_os = "linux")]
fn adjudicate_killed_by_the_kernel_at_any_rename_ends_as_if_unkilled() {
    let works = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !works {
        println!("skipped: strace is not installed or may not trace");
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let game = locked(root.path());
    let twin = root.path().join("twin");
    copy(&game, &twin);
    despatch(&twin, &["adjudicate"]);
    let whole = tree(&twin);
    for n in 1..60 {
        let victim = root.path().join(format!("victim-{n}"));
        copy(&game, &victim);
        let inject = format!("inject=rename,renameat,renameat2:signal=SIGKILL:when={n}");
        let status = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "-e", "trace=rename,renameat,renameat2", "-e", &inject])
            .arg(env!("CARGO_BIN_EXE_despatch"))
            .args(["--now", NOW, "adjudicate"])
            .current_dir(&victim)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        if status.success() {
            assert!(n > 3, "the command renames files");
            return;
        }
        // The kill may have come after the commit: then the phase is resolved, and any
        // command completes the tree.
        let again = Command::new(env!("CARGO_BIN_EXE_despatch"))
            .args(["--now", NOW, "adjudicate"])
            .current_dir(&victim)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&again.stderr);
        assert!(again.status.success() || said.contains("phase"), "{said}");
        despatch(&victim, &["history"]);
        assert_eq!(tree(&victim), whole, "killed at rename {n}");
    }
    panic!("adjudicate never ends");
}
