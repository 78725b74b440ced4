//! What every game shares because it is truly the same: ids, sources and faults,
//! viewers, the dice protocol and the ledger. Nothing here knows a rule.

pub mod diag;
pub mod dice;
pub mod id;
pub mod read;
pub mod rule;
pub mod source;
pub mod template;
pub mod viewer;
