//! All integration tests, in one binary.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests tell what they counted or skipped"
)]
#![allow(unreachable_pub, reason = "one binary: pub is for the modules beside")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are outside #[test] functions")]

mod any_bytes;
mod bugles;
mod club;
mod edited_states;
mod fake;
mod folder;
mod guards;
mod help;
mod index;
mod khartoum;
mod kills;
mod layers;
mod mailbox;
mod maker;
mod post;
mod program;
mod python;
mod readme;
mod records;
mod sample_bundle;
mod siege;
mod smtp;
mod table;
mod tamper;
mod tampers;
mod vectors;
mod verification;
