//! The index of rules, kept honest: what it calls implemented is cited by the code,
//! shown by a case and exercised by random players; what the code cites, it lists.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::{cases, random};

#[derive(Deserialize)]
struct Index {
    rule: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    number: String,
    title: String,
    standing: String,
    refusal: Option<String>,
}

fn index() -> Vec<Entry> {
    let text = include_str!("../../../games/omdurman/rules.toml");
    toml::from_str::<Index>(text).unwrap().rule
}

fn implemented() -> BTreeSet<String> {
    index().into_iter().filter(|r| r.standing == "implemented").map(|r| r.number).collect()
}

/// Every text in quotes in the sources of the system that looks like a rule.
fn cited() -> BTreeSet<String> {
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
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/omdurman"), &mut text);
    text.split('"')
        .filter(|word| {
            let mut parts = word.split('.');
            let number = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit());
            parts.next().is_some_and(number)
                && word.contains('.')
                && parts
                    .all(|p| number(p) || (p.len() == 1 && p.as_bytes()[0].is_ascii_uppercase()))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_index_is_sound() {
    let index = index();
    let mut seen = BTreeSet::new();
    for rule in &index {
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

#[test]
fn code_and_index_agree() {
    let listed: BTreeSet<String> = index().into_iter().map(|r| r.number).collect();
    let cited = cited();
    let unknown: Vec<&String> = cited.difference(&listed).collect();
    assert!(unknown.is_empty(), "cited by the code and not in the index: {unknown:?}");
    let implemented = implemented();
    let silent: Vec<&String> = implemented.difference(&cited).collect();
    assert!(silent.is_empty(), "implemented, and cited nowhere: {silent:?}");
}

#[test]
fn every_implemented_rule_has_a_case() {
    let listed: BTreeSet<String> = index().into_iter().map(|r| r.number).collect();
    let shown: BTreeSet<String> = cases::all().into_iter().flat_map(|c| c.rules).collect();
    let unknown: Vec<&String> = shown.difference(&listed).collect();
    assert!(unknown.is_empty(), "named by cases and not in the index: {unknown:?}");
    let implemented = implemented();
    let missing: Vec<&String> = implemented.difference(&shown).collect();
    assert!(missing.is_empty(), "implemented, and shown by no case: {missing:?}");
}

#[test]
fn every_implemented_rule_is_exercised_by_random_players() {
    let counts = random::exercised();
    println!("how often each rule was applied by random players:");
    for (rule, count) in &counts {
        println!("  {rule:<10} {count:>9}");
    }
    let never: Vec<String> =
        implemented().into_iter().filter(|r| !counts.contains_key(r.as_str())).collect();
    assert!(never.is_empty(), "implemented, and never applied: {never:?}");
}

#[test]
fn the_rules_companion_is_current() {
    let page = despatch::game::companion(&super::library(), "omdurman").unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/omdurman.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/omdurman.md is stale: UPDATE_DOCS=1 cargo test the_rules_companion writes it"
    );
    for number in ["9.1.4.1", "9.2.4.C", "6.6.4", "10.0"] {
        assert!(page.contains(number), "the page speaks of {number}");
    }
}
