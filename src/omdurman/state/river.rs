//! What the Khalifa has hidden in the Nile (10.0), as sealed notes.

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::geometry::hex::Hex;

/// One sealed note: a mine, the chain, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Who hid it.
    pub owner: Id,
    /// In which phase.
    pub phase: u32,
    /// Its line: `mine 1845`, `chain 2035 2135`, `nothing`.
    pub text: String,
    /// The salt of its commitment, 64 hex digits.
    pub salt: String,
    /// True once everybody may know it.
    #[serde(default)]
    pub opened: bool,
}

/// What a note says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// A mine in a hex.
    Mine(Hex),
    /// The chain, hex by hex from bank to bank.
    Chain(Vec<Hex>),
    /// Nothing: so that the number of notes betrays nothing.
    Nothing,
}

impl Secret {
    /// Reads the line of a note.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let kind = words.next()?;
        let hexes: Vec<Hex> = words.map(Hex::parse).collect::<Option<_>>()?;
        match (kind, &hexes[..]) {
            ("mine", [hex]) => Some(Self::Mine(*hex)),
            ("chain", [_, ..]) => Some(Self::Chain(hexes)),
            ("nothing", []) => Some(Self::Nothing),
            _ => None,
        }
    }
}

/// Everything hidden, or what is known of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct River {
    /// The notes, in the order in which they were sealed.
    pub notes: Vec<Note>,
    /// True once the chain was met.
    pub chain_known: bool,
    /// True once the chain was sunk (10.2.D).
    pub chain_sunk: bool,
}

impl River {
    /// The mine in a hex, if it has not gone off: the text of its note.
    pub fn mine(&self, hex: Hex) -> Option<&Note> {
        self.notes.iter().find(|n| !n.opened && Secret::parse(&n.text) == Some(Secret::Mine(hex)))
    }

    /// The chain, unless it was sunk.
    pub fn chain(&self) -> Option<Vec<Hex>> {
        if self.chain_sunk {
            return None;
        }
        self.notes.iter().find_map(|n| match Secret::parse(&n.text) {
            Some(Secret::Chain(hexes)) => Some(hexes),
            _ => None,
        })
    }

    /// The note of the chain.
    pub fn chain_note(&self) -> Option<&Note> {
        self.notes.iter().find(|n| matches!(Secret::parse(&n.text), Some(Secret::Chain(_))))
    }

    /// How many mines have gone off.
    pub fn mines_met(&self) -> usize {
        self.notes
            .iter()
            .filter(|n| n.opened && matches!(Secret::parse(&n.text), Some(Secret::Mine(_))))
            .count()
    }

    /// Marks a note as known to all.
    pub fn open(&mut self, text: &str) {
        if let Some(note) = self.notes.iter_mut().find(|n| n.text == text && !n.opened) {
            note.opened = true;
        }
    }
}
