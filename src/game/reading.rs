//! Reading rules files so that every fault of every file is told at once.

use serde::de::DeserializeOwned;

use super::{RulesFault, RulesFiles};
use crate::core::diag::Diagnostic;
use crate::core::source::Source;

/// A loader of rules files: what it reads, and what is wrong so far.
pub trait Reading {
    /// The files.
    fn files(&self) -> &RulesFiles;

    /// The faults so far.
    fn faults(&mut self) -> &mut Vec<RulesFault>;

    /// Tells a fault of a file.
    fn say(&mut self, path: &str, fault: Diagnostic) {
        let text = self.files().get(path).map_or("", |text| &**text);
        let source = Source::new(path, text);
        self.faults().push(RulesFault { source, fault });
    }

    /// Tells what is wrong with a file, at the first word in backticks: that is what the
    /// file has wrong.
    fn wrong(&mut self, path: &str, message: impl Into<String>) {
        let message = message.into();
        let text = self.files().get(path).map_or("", |text| &**text);
        let place = message.split('`').nth(1).and_then(|word| Some((text.find(word)?, word.len())));
        let mut fault = Diagnostic::error(None, message.clone());
        if let Some((at, length)) = place {
            fault = fault.at(at..at + length);
        }
        self.say(path, fault);
    }

    /// A figure that no printed chart or counter could have is wrong.
    fn bounded(&mut self, path: &str, what: &str, figure: i64, from: i64, to: i64) {
        if !(from..=to).contains(&figure) {
            self.wrong(path, format!("`{what}`: {figure} is not between {from} and {to}"));
        }
    }

    /// A file as data; `None` where it is missing or does not parse, which is told.
    fn read<T: DeserializeOwned>(&mut self, path: &str) -> Option<T> {
        let Some(text) = self.files().get(path) else {
            self.wrong(path, format!("the rules file `{path}` is missing"));
            return None;
        };
        match toml::from_str(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let mut fault = Diagnostic::error(None, error.message().to_owned());
                if let Some(span) = error.span() {
                    fault = fault.at(span);
                }
                self.say(path, fault);
                None
            }
        }
    }
}
