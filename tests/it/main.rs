//! All integration tests, in one binary.
#![allow(clippy::unwrap_used, reason = "helpers of tests are outside #[test] functions")]

mod fake;
mod folder;
mod guards;
mod help;
mod kills;
mod records;
mod table;
mod vectors;
