//! Names of games, players, windows and scenarios (`docs/dice.md`, primitives).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A name of 1 to 32 characters: `a-z`, `0-9` and inner hyphens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Id(String);

/// Why a text is no [`Id`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not 1 to 32 of the allowed characters.
    #[error("`{0}` is not a name of 1 to 32 characters a-z, 0-9 and inner hyphens")]
    Shape(String),
    /// Reserved as a player name: a word of the formats or a device name.
    #[error("`{0}` is reserved and cannot name a player")]
    Reserved(String),
}

impl Id {
    /// Reads a name of a game, window or scenario.
    pub fn new(text: &str) -> Result<Self, IdError> {
        let bytes = text.as_bytes();
        let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let ok = (1..=32).contains(&bytes.len())
            && bytes.iter().all(|b| plain(b) || *b == b'-')
            && bytes.first().is_some_and(plain)
            && bytes.last().is_some_and(plain);
        if ok { Ok(Self(text.to_owned())) } else { Err(IdError::Shape(text.to_owned())) }
    }

    /// Reads a name of a player, which may not be a word that the formats or an
    /// operating system keep for themselves.
    pub fn player(text: &str) -> Result<Self, IdError> {
        const WORDS: [&str; 12] = [
            "referee",
            "public",
            "all",
            "none",
            "nmr",
            "idle",
            "close",
            "superseded",
            "late",
            "con",
            "prn",
            "aux",
        ];
        let id = Self::new(text)?;
        let device = text == "nul"
            || (text.len() == 4
                && (text.starts_with("com") || text.starts_with("lpt"))
                && text.as_bytes()[3].is_ascii_digit());
        if WORDS.contains(&text) || device {
            return Err(IdError::Reserved(text.to_owned()));
        }
        Ok(id)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for Id {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(&text)
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_shape_of_the_protocol() {
        for good in ["a", "british", "dervish-2", "0", "a-b-c", &"x".repeat(32)] {
            assert!(Id::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a b", "a_b", "ä", &"x".repeat(33)] {
            assert!(Id::new(bad).is_err(), "{bad}");
        }
        for reserved in ["referee", "public", "nul", "com0", "lpt9", "late"] {
            assert_eq!(Id::player(reserved), Err(IdError::Reserved(reserved.to_owned())));
        }
        assert!(Id::player("com10").is_ok());
    }
}
