//! What every game shares because it is truly the same: ids, sources and faults,
//! viewers, the dice protocol and the ledger. Nothing here knows a rule.

pub mod beacon;
pub mod chain;
pub mod chance;
pub mod cite;
pub mod diag;
pub mod dice;
pub mod hash;
pub mod id;
pub mod json;
pub mod last;
pub mod orderfile;
pub mod read;
pub mod record;
pub mod rule;
pub mod ruling;
pub mod salt;
pub mod source;
pub mod template;
pub mod time;
pub mod verify;
pub mod viewer;
pub mod words;
