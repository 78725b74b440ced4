//! Counts how often each rule was applied, for the test that asks whether the
//! random players exercise every rule. Off unless a test switches it on; nothing
//! in the rules reads it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::core::rule::Rule;

thread_local! {
    static COUNTING: Cell<bool> = const { Cell::new(false) };
    static COUNTS: RefCell<BTreeMap<&'static str, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Notes that a rule was applied, and gives it back.
pub fn cite(rule: &'static str) -> Rule {
    if COUNTING.get() {
        COUNTS.with_borrow_mut(|counts| *counts.entry(rule).or_default() += 1);
    }
    Rule(rule)
}

/// Looks at something without playing by the rules: what is cited meanwhile is not
/// counted.
pub fn uncounted<T>(look: impl FnOnce() -> T) -> T {
    let was = COUNTING.replace(false);
    let seen = look();
    COUNTING.set(was);
    seen
}

/// Starts counting on this thread, from nothing.
pub fn start_counting() {
    COUNTS.with_borrow_mut(BTreeMap::clear);
    COUNTING.set(true);
}

/// Stops counting and gives the counts of this thread.
pub fn stop_counting() -> BTreeMap<&'static str, u64> {
    COUNTING.set(false);
    COUNTS.with_borrow_mut(std::mem::take)
}
