//! All integration tests, in one binary.
#![allow(clippy::unwrap_used, reason = "helpers of tests are outside #[test] functions")]

mod records;
mod sample_bundle;
mod tamper;
mod vectors;
