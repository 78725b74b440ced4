//! Who may import whom, as `CONTRIBUTING.md` says: rules know no files, systems do
//! not know each other, and the core knows nobody.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The part of a source before its own tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]").next().unwrap_or("").to_owned()
}

#[test]
fn imports_follow_the_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // Folder or file, and the modules of ours that it may not name.
    let rules: [(&str, &[&str]); 9] = [
        (
            "mail",
            &[
                "commands",
                "odds",
                "game",
                "geometry",
                "omdurman",
                "last_outpost",
                "bugles",
                "cli",
                "assets",
                "bundle_dir",
            ],
        ),
        (
            "core",
            &[
                "commands",
                "odds",
                "game",
                "geometry",
                "omdurman",
                "last_outpost",
                "bugles",
                "cli",
                "assets",
                "bundle_dir",
                "mail",
            ],
        ),
        (
            "geometry",
            &[
                "commands",
                "odds",
                "game",
                "omdurman",
                "last_outpost",
                "bugles",
                "cli",
                "assets",
                "bundle_dir",
            ],
        ),
        (
            "omdurman",
            &["commands", "odds", "cli", "assets", "bundle_dir", "last_outpost", "bugles"],
        ),
        (
            "bugles",
            &["commands", "odds", "cli", "assets", "bundle_dir", "last_outpost", "omdurman"],
        ),
        ("game.rs", &["commands", "odds", "cli", "assets", "bundle_dir"]),
        (
            "last_outpost",
            &["commands", "odds", "cli", "assets", "bundle_dir", "omdurman", "bugles"],
        ),
        (
            "odds.rs",
            &["commands", "omdurman", "last_outpost", "bugles", "cli", "assets", "bundle_dir"],
        ),
        ("cli.rs", &["commands", "omdurman", "last_outpost", "bugles"]),
    ];
    let mut faults = Vec::new();
    for (place, barred) in rules {
        let mut files = Vec::new();
        let path = root.join(place);
        if path.is_dir() {
            sources(&path, &mut files);
        } else {
            files.push(path);
        }
        assert!(!files.is_empty(), "{place} is there");
        for file in files {
            let text = code(&file);
            for module in barred {
                if text.contains(&format!("crate::{module}::")) {
                    faults.push(format!("{} names {module}", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn rules_touch_no_clock_file_environment_or_terminal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    for place in ["core", "geometry", "omdurman", "last_outpost", "bugles", "mail"] {
        let mut files = Vec::new();
        sources(&root.join(place), &mut files);
        for file in files {
            let text = code(&file);
            for word in
                ["std::fs", "std::env", "std::io", "Utc::now", "SystemTime", "println!", "HashMap"]
            {
                // The printer of JSON writes into memory by a trait of that name.
                let printer = word == "std::io" && file.ends_with("core/json.rs");
                if text.contains(word) && !printer {
                    faults.push(format!("{} uses {word}", file.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
