//! The index of a system's rules against its code: what both name.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
struct Index {
    rule: Vec<Entry>,
}

/// A row of `games/<system>/rules.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// As the rules text numbers it, or as we do where it does not.
    pub number: String,
    /// Our own short title.
    pub title: String,
    /// `implemented`, `narrative`, `component` or `not-yet`.
    pub standing: String,
    /// What a player sees of a rule that is not built.
    pub refusal: Option<String>,
}

/// The rows of a system.
pub fn rows(system: &str) -> Vec<Entry> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("games/{system}/rules.toml"));
    toml::from_str::<Index>(&std::fs::read_to_string(path).unwrap()).unwrap().rule
}

/// The numbers of a system.
pub fn listed(system: &str) -> BTreeSet<String> {
    rows(system).into_iter().map(|r| r.number).collect()
}

/// The numbers that a system implements.
pub fn implemented(system: &str) -> BTreeSet<String> {
    rows(system).into_iter().filter(|r| r.standing == "implemented").map(|r| r.number).collect()
}

/// Every text in quotes in the sources below `src/<folder>` that looks like the number
/// of a rule.
pub fn cited(folder: &str, like: fn(&str) -> bool) -> BTreeSet<String> {
    fn read(folder: &Path, out: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(&path, out);
            } else {
                out.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut text = String::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder), &mut text);
    text.split('"').filter(|word| like(word)).map(str::to_owned).collect()
}

/// The rows are sound: no number twice, each with a title and a known standing.
pub fn sound(system: &str) {
    let mut seen = BTreeSet::new();
    for rule in rows(system) {
        assert!(seen.insert(rule.number.clone()), "{} stands twice", rule.number);
        assert!(!rule.title.is_empty());
        let known = ["implemented", "narrative", "component", "not-yet"];
        assert!(known.contains(&rule.standing.as_str()), "{}: {}", rule.number, rule.standing);
        assert_eq!(
            rule.standing == "not-yet",
            rule.refusal.is_some(),
            "{}: what is not built says what a player sees",
            rule.number
        );
    }
}

/// What the code cites is listed, and what is implemented is cited.
pub fn agrees(system: &str, cited: &BTreeSet<String>) {
    let listed = listed(system);
    let unknown: Vec<&String> = cited.difference(&listed).collect();
    assert!(unknown.is_empty(), "cited by the code and not in the index: {unknown:?}");
    let implemented = implemented(system);
    let silent: Vec<&String> = implemented.difference(cited).collect();
    assert!(silent.is_empty(), "implemented, and cited nowhere: {silent:?}");
}

/// What cases show is listed, and what is implemented is shown by a case.
pub fn shown(system: &str, shown: &BTreeSet<String>) {
    let listed = listed(system);
    let unknown: Vec<&String> = shown.difference(&listed).collect();
    assert!(unknown.is_empty(), "named by cases and not in the index: {unknown:?}");
    let implemented = implemented(system);
    let missing: Vec<&String> = implemented.difference(shown).collect();
    assert!(missing.is_empty(), "implemented, and shown by no case: {missing:?}");
}

/// The generated page of a system below `docs/` is what the program writes now.
pub fn companion_is_current(system: &str) -> String {
    let library = despatch::assets::embedded().unwrap();
    let page = despatch::game::companion(&library, system).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/{system}.md"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/{system}.md is stale: UPDATE_DOCS=1 cargo test the_rules_companion writes it"
    );
    page
}
