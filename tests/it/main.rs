//! All integration tests, in one binary.
#![allow(clippy::unwrap_used, reason = "helpers of tests are outside #[test] functions")]

mod any_bytes;
mod maker;
mod records;
mod sample_bundle;
mod tamper;
mod tampers;
mod vectors;
mod verification;
