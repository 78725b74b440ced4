//! Record files: strict text, one `key=value` a line (`docs/dice.md`, "The files").
//!
//! Every record knows its exact keys and their order; `parse(to_text(x)) == x`, and
//! a text in normal form that parses is what `to_text` writes. [`value`] says how
//! each kind of value is spelt.

mod files;
mod value;
mod word;

pub use files::{
    Amend, Call, Close, Genesis, Lock, Offer, Rolls, RulesEntry, RulesList, Seals, Secret, Turn,
};
pub use value::{Continues, EntropySource, Fate, Join, Next, Opened, OrderLine, Sealed, Value};
pub use word::{AmendKind, Consent, Mode, Secrecy, YesNo};

use super::hash::PROTOCOL;

/// Why a text is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct RecordFault {
    /// The line, from 1.
    pub line: usize,
    /// What would be right.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// Reads the lines of a record in order.
#[derive(Debug)]
struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads the first line.
    fn open(text: &'a str, tag: &str) -> Result<Self, RecordFault> {
        let mut reader = Self { lines: text.split('\n').collect(), at: 0 };
        let last = reader.lines.pop().unwrap_or_default();
        if !last.is_empty() {
            return Err(RecordFault {
                line: reader.lines.len() + 1,
                expected: "a line end after the last line".to_owned(),
                found: quoted(last),
            });
        }
        let first = format!("{PROTOCOL} {tag}");
        if reader.lines.first() != Some(&first.as_str()) {
            return Err(reader.fault(format!("`{first}`")));
        }
        reader.at = 1;
        Ok(reader)
    }

    /// What is wrong with the present line.
    fn fault(&self, expected: String) -> RecordFault {
        RecordFault {
            line: self.at + 1,
            expected,
            found: self.lines.get(self.at).map_or("the end of the file".to_owned(), |l| quoted(l)),
        }
    }

    /// The line `key=value`.
    fn one<T: Value>(&mut self, key: &str) -> Result<T, RecordFault> {
        let read = self
            .lines
            .get(self.at)
            .and_then(|line| line.strip_prefix(key))
            .and_then(|rest| rest.strip_prefix('='))
            .filter(|value| is_value(value))
            .and_then(T::read);
        let Some(value) = read else {
            return Err(self.fault(format!("`{key}=` and {}", T::EXPECTED)));
        };
        self.at += 1;
        Ok(value)
    }

    /// The line `count=n`, then n lines `key=value`.
    fn many<T: Value>(&mut self, count: &str, key: &str) -> Result<Vec<T>, RecordFault> {
        let count: u32 = self.one(count)?;
        (0..count).map(|_| self.one(key)).collect()
    }

    /// Nothing may follow.
    fn close(self) -> Result<(), RecordFault> {
        if self.at == self.lines.len() {
            Ok(())
        } else {
            Err(self.fault("the end of the file".to_owned()))
        }
    }
}

/// Writes the lines of a record.
#[derive(Debug)]
struct Writer(String);

impl Writer {
    fn open(tag: &str) -> Self {
        Self(format!("{PROTOCOL} {tag}\n"))
    }

    fn one<T: Value>(&mut self, value: &T, key: &str) {
        self.0.push_str(key);
        self.0.push('=');
        self.0.push_str(&value.write());
        self.0.push('\n');
    }

    fn many<T: Value>(&mut self, values: &[T], count: &str, key: &str) {
        self.one(&values.len(), count);
        for value in values {
            self.one(value, key);
        }
    }
}

/// True for what may stand after `=`: 1 to 4096 bytes 0x20-0x7E, no space first
/// or last, and no two together.
pub fn is_value(text: &str) -> bool {
    (1..=4096).contains(&text.len())
        && text.bytes().all(|b| (0x20..=0x7e).contains(&b))
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains("  ")
}

/// A line as a fault shows it: short, in backquotes.
fn quoted(line: &str) -> String {
    let mut shown: String = line.chars().take(72).collect();
    if shown.len() < line.len() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}
