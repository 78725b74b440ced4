//! The index of rules, kept honest: what it calls implemented is cited by the code,
//! shown by a case and exercised by random players; what the code cites, it lists.

use super::{cases, random};
use crate::index;

const SYSTEM: &str = "omdurman";

/// `6.2.E`, `10.0`.
fn number(word: &str) -> bool {
    let mut parts = word.split('.');
    let digits = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit());
    parts.next().is_some_and(digits)
        && word.contains('.')
        && parts.all(|p| digits(p) || (p.len() == 1 && p.as_bytes()[0].is_ascii_uppercase()))
}

#[test]
fn the_index_is_sound() {
    index::sound(SYSTEM);
}

#[test]
fn code_and_index_agree() {
    index::agrees(SYSTEM, &index::cited(SYSTEM, number));
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
    for number in ["9.1.4.1", "9.2.4.C", "6.6.4", "10.0"] {
        assert!(page.contains(number), "the page speaks of {number}");
    }
}
