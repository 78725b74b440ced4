//! What one command writes.

/// What may be at the place of a file already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing, or the same bytes: recorded files are never overwritten.
    Record,
    /// Anything.
    Replace,
}

/// A file to be written.
#[derive(Clone, Debug)]
pub(super) struct Put {
    /// Where, from the game's folder.
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) rule: Rule,
    /// For nobody else on the machine.
    pub(super) secret: bool,
}

/// The files that one command writes, in the order in which they appear.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(super) puts: Vec<Put>,
    pub(super) removals: Vec<String>,
}

impl Batch {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A file that is written once and never overwritten.
    pub fn record(&mut self, path: impl Into<String>, text: impl Into<Vec<u8>>) {
        self.put(path.into(), text.into(), Rule::Record, false);
    }

    /// A file that may change.
    pub fn replace(&mut self, path: impl Into<String>, text: impl Into<Vec<u8>>) {
        self.put(path.into(), text.into(), Rule::Replace, false);
    }

    /// A file that nobody else on the machine may read, written once.
    pub fn secret(&mut self, path: impl Into<String>, text: impl Into<Vec<u8>>) {
        self.put(path.into(), text.into(), Rule::Record, true);
    }

    /// A file that goes away once all others are in place.
    pub fn remove(&mut self, path: impl Into<String>) {
        self.removals.push(path.into());
    }

    /// The text that a path will have, if this batch writes it.
    pub fn text(&self, path: &str) -> Option<&[u8]> {
        self.puts.iter().rev().find(|p| p.path == path).map(|p| p.bytes.as_slice())
    }

    fn put(&mut self, path: String, bytes: Vec<u8>, rule: Rule, secret: bool) {
        // The last word counts: a file written twice in one command is renamed once.
        self.puts.retain(|p| p.path != path);
        self.puts.push(Put { path, bytes, rule, secret });
    }
}
