//! All integration tests, in one binary.
#![allow(unreachable_pub, reason = "one binary: pub is for the modules beside")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are outside #[test] functions")]

mod any_bytes;
mod fake;
mod folder;
mod guards;
mod help;
mod khartoum;
mod kills;
mod maker;
mod program;
mod records;
mod sample_bundle;
mod table;
mod tamper;
mod tampers;
mod vectors;
mod verification;
