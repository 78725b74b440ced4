//! Who looks at a game: one function of each rule system makes a viewer's view.

use std::fmt;

use super::id::Id;

/// For whom a view, a report or a bundle is made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Viewer {
    /// Sees everything.
    Referee,
    /// Sees what all may see.
    Public,
    /// Sees what this player may see.
    Player(Id),
}

impl Viewer {
    /// Reads `referee`, `public` or a player's name.
    pub fn new(text: &str) -> Result<Self, super::id::IdError> {
        Ok(match text {
            "referee" => Self::Referee,
            "public" => Self::Public,
            player => Self::Player(Id::player(player)?),
        })
    }
}

impl fmt::Display for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Referee => f.pad("referee"),
            Self::Public => f.pad("public"),
            Self::Player(id) => id.fmt(f),
        }
    }
}
