//! All integration tests, in one binary.
#![allow(clippy::unwrap_used, reason = "helpers of tests are outside #[test] functions")]

mod maker;
mod records;
mod sample_bundle;
mod tamper;
mod vectors;
mod verification;
