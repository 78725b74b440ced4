//! A citation of a numbered rule of the published rules text.

use std::fmt;

use serde::Serialize;

/// The number of a rule as the rulebook prints it, such as `6.2.E`; a game's
/// `rules.toml` lists them all with a short title of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Rule(pub &'static str);

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}
