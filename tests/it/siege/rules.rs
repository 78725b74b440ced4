//! The index of rules, kept honest: what it calls implemented is cited by the code,
//! shown by a case and exercised by random players; what the code cites, it lists.

use super::{cases, random};
use crate::index;

const SYSTEM: &str = "last-outpost";

/// `R1` to `R49`.
fn number(word: &str) -> bool {
    word.strip_prefix('R').is_some_and(|n| n.parse::<u32>().is_ok())
}

#[test]
fn the_index_is_sound() {
    index::sound(SYSTEM);
    assert_eq!(index::rows(SYSTEM).len(), 49);
}

#[test]
fn code_and_index_agree() {
    index::agrees(SYSTEM, &index::cited("last_outpost", number));
}

#[test]
fn every_implemented_rule_has_a_case() {
    index::shown(SYSTEM, &cases::all().into_iter().flat_map(|c| c.rules).collect());
}

#[test]
fn every_implemented_rule_is_exercised_by_random_players() {
    let counts = random::exercised();
    println!("how often each rule was applied by random players:");
    for (rule, count) in &counts {
        println!("  {rule:<10} {count:>9}");
    }
    let never: Vec<String> = index::implemented(SYSTEM)
        .into_iter()
        .filter(|r| !counts.contains_key(r.as_str()))
        .collect();
    assert!(never.is_empty(), "implemented, and never applied: {never:?}");
}

#[test]
fn the_rules_companion_is_current() {
    let page = index::companion_is_current(SYSTEM);
    for word in ["R49", "reconstructed", "Anglo-Egyptian Minor", "spill-over"] {
        assert!(page.contains(word), "the page speaks of {word}");
    }
}
