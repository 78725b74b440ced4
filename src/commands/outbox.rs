//! Ready-to-send messages, one a file in `outbox/`: headers, an empty line, the text.

use std::fmt::Write as _;

use super::settings::Person;
use super::store::Batch;

/// Puts one message into the outbox.
///
/// The name says what the message is (`phase-003-call-british`), so that a command
/// that runs again after a kill writes the same file again.
pub fn post(batch: &mut Batch, name: &str, to: &Person, subject: &str, body: &str) {
    let mut text = String::new();
    let _ = writeln!(text, "To: {}", to.mailbox());
    let _ = writeln!(text, "Subject: {subject}");
    let _ = write!(text, "\n{}\n", body.trim_end());
    batch.replace(format!("outbox/{name}.txt"), text);
}
