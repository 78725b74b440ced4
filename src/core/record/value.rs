//! How each kind of value in a record is spelt.

use crate::core::beacon::{BeaconString, RoundName};
use crate::core::dice::Roll;
use crate::core::hash::Hex64;
use crate::core::id::Id;
use crate::core::time::Stamp;

/// A value of a record: its spelling, both ways.
pub trait Value: Sized {
    /// What a fault says would be right.
    const EXPECTED: &'static str;
    /// Reads it; `None` if it is not spelt exactly so.
    fn read(text: &str) -> Option<Self>;
    /// Writes it.
    fn write(&self) -> String;
}

/// Reads `0` or digits without a leading zero.
fn int<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits && (text == "0" || !text.starts_with('0')) { text.parse().ok() } else { None }
}

macro_rules! plain {
    ($type:ty, $expected:literal, $read:expr) => {
        impl Value for $type {
            const EXPECTED: &'static str = $expected;
            fn read(text: &str) -> Option<Self> {
                $read(text)
            }
            fn write(&self) -> String {
                self.to_string()
            }
        }
    };
}

plain!(u32, "a whole number", int);
plain!(u64, "a whole number", int);
plain!(usize, "a whole number", int);
plain!(Hex64, "64 digits 0-9 a-f", |t| Hex64::new(t).ok());
plain!(Id, "a name of a-z, 0-9 and inner hyphens", |t| Id::new(t).ok());
plain!(Stamp, "a time such as 2027-01-10T18:00:00Z", |t| Stamp::new(t).ok());
plain!(String, "a text", |t: &str| Some(t.to_owned()));
plain!(RoundName, "a round such as quicknet:123", RoundName::parse);
plain!(BeaconString, "a beacon such as quicknet:123:<64 digits>", BeaconString::parse);

impl<T: Value> Value for Option<T> {
    // The word before it depends on T, which a constant cannot join; `none` is
    // understood from the list of keys.
    const EXPECTED: &'static str = T::EXPECTED;
    fn read(text: &str) -> Option<Self> {
        if text == "none" { Some(None) } else { T::read(text).map(Some) }
    }
    fn write(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), T::write)
    }
}

/// A list of names in one value: joined by commas, or `none`.
impl Value for Vec<Id> {
    const EXPECTED: &'static str = "names joined by commas, or none";
    fn read(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Vec::new());
        }
        text.split(',').map(|name| Id::new(name).ok()).collect()
    }
    fn write(&self) -> String {
        if self.is_empty() {
            return "none".to_owned();
        }
        self.iter().map(Id::as_str).collect::<Vec<_>>().join(",")
    }
}

/// Where the entropy of the genesis comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntropySource {
    /// A nonce of every player.
    Nonces,
    /// A round of the beacon, at least 1.
    Round(u64),
}

impl Value for EntropySource {
    const EXPECTED: &'static str = "nonces or a round such as quicknet:123";
    fn read(text: &str) -> Option<Self> {
        if text == "nonces" {
            return Some(Self::Nonces);
        }
        let RoundName(round) = RoundName::parse(text)?;
        u64::try_from(round).ok().filter(|round| *round >= 1).map(Self::Round)
    }
    fn write(&self) -> String {
        match self {
            Self::Nonces => "nonces".to_owned(),
            Self::Round(round) => format!("quicknet:{round}"),
        }
    }
}

/// The window of the next phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// It has this name.
    Window(Id),
    /// The game is over.
    End,
}

impl Next {
    /// The window's name, or `None` when the game is over.
    pub fn window(&self) -> Option<&Id> {
        match self {
            Self::Window(id) => Some(id),
            Self::End => None,
        }
    }
}

impl Value for Next {
    const EXPECTED: &'static str = "the name of a window, or end";
    fn read(text: &str) -> Option<Self> {
        if text == "end" { Some(Self::End) } else { Id::new(text).ok().map(Self::Window) }
    }
    fn write(&self) -> String {
        self.window().map_or_else(|| "end".to_owned(), ToString::to_string)
    }
}

/// The game that a new one goes on from, with its last head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continues {
    /// The old game.
    pub game: Id,
    /// Its last head.
    pub head: Hex64,
}

impl Value for Continues {
    const EXPECTED: &'static str = "none or <game>:<head>";
    fn read(text: &str) -> Option<Self> {
        let (game, head) = text.split_once(':')?;
        Some(Self { game: Id::new(game).ok()?, head: Hex64::new(head).ok()? })
    }
    fn write(&self) -> String {
        format!("{}:{}", self.game, self.head)
    }
}

/// A player's commitment and the nonce shown later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The player.
    pub player: Id,
    /// H(join).
    pub commitment: Hex64,
    /// The nonce.
    pub nonce: Hex64,
}

impl Value for Join {
    const EXPECTED: &'static str = "<player> <commitment> <nonce>";
    fn read(text: &str) -> Option<Self> {
        let [player, commitment, nonce] = words(text)?;
        Some(Self {
            player: Id::new(player).ok()?,
            commitment: Hex64::new(commitment).ok()?,
            nonce: Hex64::new(nonce).ok()?,
        })
    }
    fn write(&self) -> String {
        format!("{} {} {}", self.player, self.commitment, self.nonce)
    }
}

/// What a lock has of one player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderLine {
    /// The player.
    pub player: Id,
    /// What came.
    pub fate: Fate,
}

/// What came from a player before the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A valid file.
    File {
        /// F of the file.
        hash: Hex64,
        /// When the last valid one came.
        received: Stamp,
    },
    /// Asked, and nothing valid came.
    Nmr,
    /// Not asked, and sent nothing.
    Idle,
}

impl Value for OrderLine {
    const EXPECTED: &'static str = "<player> <hash> <received>, or <player> nmr, or <player> idle";
    fn read(text: &str) -> Option<Self> {
        let (player, rest) = text.split_once(' ')?;
        let fate = match rest {
            "nmr" => Fate::Nmr,
            "idle" => Fate::Idle,
            _ => {
                let [hash, received] = words(rest)?;
                Fate::File { hash: Hex64::new(hash).ok()?, received: Stamp::new(received).ok()? }
            }
        };
        Some(Self { player: Id::new(player).ok()?, fate })
    }
    fn write(&self) -> String {
        match &self.fate {
            Fate::File { hash, received } => format!("{} {hash} {received}", self.player),
            Fate::Nmr => format!("{} nmr", self.player),
            Fate::Idle => format!("{} idle", self.player),
        }
    }
}

impl Value for Roll {
    const EXPECTED: &'static str = "<label> <spec> <faces>";
    fn read(text: &str) -> Option<Self> {
        let [label, spec, faces] = words(text)?;
        Some(Self { label: label.to_owned(), spec: spec.to_owned(), faces: read_faces(faces)? })
    }
    fn write(&self) -> String {
        format!("{} {} {}", self.label, self.spec, write_faces(&self.faces))
    }
}

/// A commitment that a phase registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// H(seal) of a roll.
    Roll(Hex64),
    /// H(hide) of a player's note.
    Note {
        /// Whose it is.
        owner: Id,
        /// H(hide).
        commitment: Hex64,
    },
}

impl Sealed {
    /// The commitment.
    pub fn commitment(&self) -> Hex64 {
        match self {
            Self::Roll(commitment) | Self::Note { commitment, .. } => *commitment,
        }
    }
}

impl Value for Sealed {
    const EXPECTED: &'static str = "roll <commitment>, or note <owner> <commitment>";
    fn read(text: &str) -> Option<Self> {
        match text.split_once(' ')? {
            ("roll", rest) => Some(Self::Roll(Hex64::new(rest).ok()?)),
            ("note", rest) => {
                let [owner, commitment] = words(rest)?;
                Some(Self::Note {
                    owner: Id::new(owner).ok()?,
                    commitment: Hex64::new(commitment).ok()?,
                })
            }
            _ => None,
        }
    }
    fn write(&self) -> String {
        match self {
            Self::Roll(commitment) => format!("roll {commitment}"),
            Self::Note { owner, commitment } => format!("note {owner} {commitment}"),
        }
    }
}

/// A commitment opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// A sealed roll.
    Roll {
        /// H(seal).
        commitment: Hex64,
        /// H(hidden-roll).
        key: Hex64,
        /// The roll.
        roll: Roll,
    },
    /// A player's note, in `notes/<commitment>.txt`.
    Note {
        /// H(hide).
        commitment: Hex64,
        /// Its salt.
        salt: Hex64,
        /// F of the note.
        text: Hex64,
    },
}

impl Opened {
    /// The commitment.
    pub fn commitment(&self) -> Hex64 {
        match self {
            Self::Roll { commitment, .. } | Self::Note { commitment, .. } => *commitment,
        }
    }
}

impl Value for Opened {
    const EXPECTED: &'static str =
        "roll <commitment> <key> <label> <spec> <faces>, or note <commitment> <salt> <text hash>";
    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        let (commitment, rest) = rest.split_once(' ')?;
        let commitment = Hex64::new(commitment).ok()?;
        let (first, rest) = rest.split_once(' ')?;
        let first = Hex64::new(first).ok()?;
        match kind {
            "roll" => Some(Self::Roll { commitment, key: first, roll: Roll::read(rest)? }),
            "note" => Some(Self::Note { commitment, salt: first, text: Hex64::new(rest).ok()? }),
            _ => None,
        }
    }
    fn write(&self) -> String {
        match self {
            Self::Roll { commitment, key, roll } => {
                format!("roll {commitment} {key} {}", roll.write())
            }
            Self::Note { commitment, salt, text } => format!("note {commitment} {salt} {text}"),
        }
    }
}

/// Exactly N words with one space between.
fn words<const N: usize>(text: &str) -> Option<[&str; N]> {
    let words: Vec<&str> = text.split(' ').collect();
    let words: [&str; N] = words.try_into().ok()?;
    words.iter().all(|word| !word.is_empty()).then_some(words)
}

/// Faces joined by commas, in the order drawn.
fn read_faces(text: &str) -> Option<Vec<u32>> {
    text.split(',').map(int).collect()
}

/// Faces as records list them.
fn write_faces(faces: &[u32]) -> String {
    faces.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
