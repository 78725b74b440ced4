//! A shipped sample, played by `demo`, and what a test asks of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::table::tree;

/// The folder of a demo and what it said.
#[derive(Debug)]
pub struct Played {
    _dir: tempfile::TempDir,
    root: PathBuf,
    /// What the demo printed.
    pub said: String,
}

fn run(cwd: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["--now", "2027-06-01T00:00:00Z"])
        .args(words)
        .current_dir(cwd)
        .output()
        .unwrap()
}

/// Runs the program and gives back what it said.
pub fn despatch(cwd: &Path, words: &[&str]) -> String {
    let done = run(cwd, words);
    let err = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{words:?}: {err}");
    String::from_utf8(done.stdout).unwrap()
}

/// Runs the program, which refuses, and gives back what it said.
pub fn refused(cwd: &Path, words: &[&str]) -> String {
    let done = run(cwd, words);
    assert!(!done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stdout));
    String::from_utf8(done.stderr).unwrap()
}

impl Played {
    /// Plays the sample of that name.
    pub fn sample(name: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let said = despatch(dir.path(), &["demo", name, "--dir", "d"]);
        Self { root: dir.path().join("d"), _dir: dir, said }
    }

    /// A copy of the referee's folder from before the phase after this one was called.
    pub fn open_after(&self, phase: u32) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in tree(&self.root.join("game")) {
            let top = path.split('/').next().unwrap_or_default();
            let later = top.strip_prefix("phase-").and_then(|n| n.parse::<u32>().ok());
            if later.is_some_and(|n| n > phase) || top.starts_with("close") {
                continue;
            }
            let to = dir.path().join(path);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::write(to, bytes).unwrap();
        }
        dir
    }

    /// A file of the referee's folder.
    pub fn read(&self, path: &str) -> String {
        let path = self.root.join("game").join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// True if the referee's folder has it.
    pub fn there(&self, path: &str) -> bool {
        self.root.join("game").join(path).exists()
    }

    /// The events of a phase of one kind.
    pub fn events(&self, phase: u32, kind: &str) -> Vec<Value> {
        let text = self.read(&format!("phase-{phase:03}/events.jsonl"));
        let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|event| event["event"] == kind).collect()
    }

    /// True if the phase has such an event with these values.
    pub fn has(&self, phase: u32, kind: &str, values: &[(&str, &str)]) -> bool {
        let fits = |event: &Value| values.iter().all(|(key, value)| event[*key] == *value);
        self.events(phase, kind).iter().any(fits)
    }

    /// The public report of a phase as data.
    pub fn report(&self, phase: u32) -> Value {
        serde_json::from_str(&self.read(&format!("phase-{phase:03}/report/public.json"))).unwrap()
    }

    /// The fights of one kind in a phase at one target.
    pub fn fights(&self, phase: u32, kind: &str) -> Vec<Value> {
        let all = self.events(phase, "fight");
        all.into_iter().filter(|fight| fight["kind"] == kind).collect()
    }

    /// True if that unit took part in a fight of that kind.
    pub fn fired(&self, phase: u32, kind: &str, unit: &str) -> bool {
        self.fights(phase, kind).iter().any(|fight| {
            let parts = fight["attack"]["parts"].as_array().unwrap();
            parts.iter().any(|part| part["unit"] == unit)
        })
    }

    /// How many text reports there are; every line of each fits into 72 columns, and
    /// every line that the demo printed before the verification into 79.
    pub fn reports_that_fit(&self) -> usize {
        let mut reports = 0;
        for (path, bytes) in tree(&self.root.join("game")) {
            let text = Path::new(&path).extension().is_some_and(|e| e == "txt");
            if !path.contains("/report/") || !text {
                continue;
            }
            reports += 1;
            for line in String::from_utf8(bytes).unwrap().lines() {
                assert!(line.chars().count() <= 72, "{path}: {line}");
            }
        }
        for line in self.shown().lines() {
            assert!(line.chars().count() <= 79, "{line}");
        }
        reports
    }

    /// What the demo printed before the verification.
    pub fn shown(&self) -> &str {
        self.said.split_once("VERIFICATION").unwrap().0
    }

    /// The bundle passes every check from the last head on.
    pub fn verifies(&self, phases: u32) {
        let history = despatch(&self.root, &["-C", "game", "history"]);
        let heads = |line: &str| {
            let digits =
                |word: &&str| word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit());
            line.split_whitespace().find(digits).map(str::to_owned)
        };
        let head = history.lines().filter_map(heads).next_back().unwrap();
        let said = despatch(&self.root, &["verify", "bundle", "--head", &head, "--replay"]);
        assert!(said.contains("ALL CHECKS PASSED"), "{said}");
        assert!(said.contains(&format!("{phases} phases resolved again")), "{said}");
        assert!(said.contains("yours is the close"), "{said}");
    }

    /// A text without its head, which differs with every rules file.
    pub fn plain(&self, path: &str) -> String {
        let hex = |word: &str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let line = |l: &str| if hex(l.trim()) { "  <head>".to_owned() } else { l.to_owned() };
        self.read(path).lines().map(line).collect::<Vec<_>>().join("\n")
    }

    /// A form without head and ticket.
    pub fn form(&self, phase: u32, player: &str) -> String {
        let text = self.plain(&format!("phase-{phase:03}/forms/{player}.toml"));
        let keeps = |l: &&str| !l.starts_with("head") && !l.starts_with("ticket");
        text.lines().filter(keeps).collect::<Vec<_>>().join("\n")
    }
}
