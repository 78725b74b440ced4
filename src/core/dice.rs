//! Dice: one keyed ChaCha20 stream a roll, mapped to faces by rejection
//! (`docs/dice.md`, section "Dice"). The only file that names `rand_chacha`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Why a roll was refused; adjudication stops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiceError {
    /// Not `<n>d<s>` (n 1-9999, s 2-4294967295) nor `shuffle<n>` (n 2-9999).
    #[error("`{0}` is no specification of dice")]
    Spec(String),
    /// Not 1 to 120 of `a-z 0-9 . _ / -`.
    #[error("`{0}` is no label of a roll")]
    Label(String),
    /// The same label twice in one phase.
    #[error("the label `{0}` would be rolled twice in this phase")]
    Repeated(String),
    /// A case's script has no faces for this label, or too few or other ones.
    #[error("the script has no faces for `{label}` {spec}")]
    Script {
        /// The label asked for.
        label: String,
        /// Its specification.
        spec: String,
    },
}

/// What is rolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spec {
    /// `<n>d<s>`: n dice of s faces.
    Dice {
        /// How many, 1-9999.
        count: u32,
        /// Faces of each, 2-4294967295.
        sides: u32,
    },
    /// `shuffle<n>`: a permutation of 1..=n, n 2-9999.
    Shuffle(u32),
}

impl Spec {
    /// Reads `2d6` or `shuffle12`.
    pub fn parse(text: &str) -> Result<Self, DiceError> {
        let bad = || DiceError::Spec(text.to_owned());
        let int = |s: &str| -> Result<u32, DiceError> {
            let digits = !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
            if !digits || (s.len() > 1 && s.starts_with('0')) {
                return Err(bad());
            }
            s.parse().map_err(|_| bad())
        };
        if let Some(n) = text.strip_prefix("shuffle") {
            let n = int(n)?;
            return if (2..=9999).contains(&n) { Ok(Self::Shuffle(n)) } else { Err(bad()) };
        }
        let (count, sides) = text.split_once('d').ok_or_else(bad)?;
        let (count, sides) = (int(count)?, int(sides)?);
        if (1..=9999).contains(&count) && sides >= 2 {
            Ok(Self::Dice { count, sides })
        } else {
            Err(bad())
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dice { count, sides } => write!(f, "{count}d{sides}"),
            Self::Shuffle(n) => write!(f, "shuffle{n}"),
        }
    }
}

/// True for 1 to 120 of `a-z 0-9 . _ / -`.
pub fn is_label(text: &str) -> bool {
    (1..=120).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._/-".contains(&b))
}

/// A source of uniform 32-bit words; all that the mapping to faces sees.
pub trait Words {
    /// The next word.
    fn word(&mut self) -> u32;
}

/// The words of one roll: ChaCha20, 256-bit key, nonce 0, counter from 0,
/// little-endian.
pub struct ChaChaWords(ChaCha20Rng);

impl fmt::Debug for ChaChaWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChaChaWords")
    }
}

impl ChaChaWords {
    /// The stream of a key.
    pub fn keyed(key: [u8; 32]) -> Self {
        Self(ChaCha20Rng::from_seed(key))
    }
}

impl Words for ChaChaWords {
    fn word(&mut self) -> u32 {
        self.0.next_u32()
    }
}

/// A number below `n`, exactly uniform: words at or above the largest multiple
/// of `n` are rejected. `n` is at least 2.
pub fn below(words: &mut impl Words, n: u32) -> u32 {
    let limit = (1_u64 << 32) / u64::from(n) * u64::from(n);
    loop {
        let word = words.word();
        if u64::from(word) < limit {
            return word % n;
        }
    }
}

/// The faces of a specification, in the order drawn.
pub fn draw(words: &mut impl Words, spec: Spec) -> Vec<u32> {
    match spec {
        Spec::Dice { count, sides } => (0..count).map(|_| below(words, sides) + 1).collect(),
        Spec::Shuffle(n) => {
            let mut cards: Vec<u32> = (1..=n).collect();
            for i in (1..n).rev() {
                let j = below(words, i + 1);
                cards.swap(i as usize, j as usize);
            }
            cards
        }
    }
}

/// One public roll as `rolls.txt` lists it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Roll {
    /// What was rolled for.
    pub label: String,
    /// Such as `1d10`.
    pub spec: String,
    /// The faces, in the order drawn.
    pub faces: Vec<u32>,
}

/// Rolls the dice of one phase and keeps the list of them.
#[derive(Clone, Debug)]
pub struct Roller {
    faces: Faces,
    rolls: Vec<Roll>,
    used: BTreeSet<String>,
}

#[derive(Clone, Debug)]
enum Faces {
    /// The phase's seed, as 64 hex digits.
    Seed(String),
    /// Faces given by label: for cases that a person wrote.
    Script(BTreeMap<String, Vec<u32>>),
}

impl Roller {
    /// The dice of a phase from its seed (64 lower-case hex digits).
    pub fn seeded(seed: &str) -> Self {
        Self::of(Faces::Seed(seed.to_owned()))
    }

    /// Dice whose faces a test case gives, label by label.
    pub fn scripted(faces: BTreeMap<String, Vec<u32>>) -> Self {
        Self::of(Faces::Script(faces))
    }

    fn of(faces: Faces) -> Self {
        Self { faces, rolls: Vec::new(), used: BTreeSet::new() }
    }

    /// Rolls in public.
    ///
    /// # Errors
    /// A bad label or specification, or a label rolled before in this phase.
    pub fn roll(&mut self, label: &str, spec: &str) -> Result<Vec<u32>, DiceError> {
        let parsed = Spec::parse(spec)?;
        if !is_label(label) {
            return Err(DiceError::Label(label.to_owned()));
        }
        if !self.used.insert(label.to_owned()) {
            return Err(DiceError::Repeated(label.to_owned()));
        }
        let faces = match &self.faces {
            Faces::Seed(seed) => {
                let block = format!("pbem-dice/1 roll\nseed={seed}\nlabel={label}\n");
                let key: [u8; 32] = Sha256::digest(block.as_bytes()).into();
                draw(&mut ChaChaWords::keyed(key), parsed)
            }
            Faces::Script(script) => {
                let count = match parsed {
                    Spec::Dice { count, .. } => count,
                    Spec::Shuffle(n) => n,
                };
                match script.get(label) {
                    Some(faces) if faces.len() == count as usize => faces.clone(),
                    _ => {
                        return Err(DiceError::Script {
                            label: label.to_owned(),
                            spec: spec.to_owned(),
                        });
                    }
                }
            }
        };
        self.rolls.push(Roll {
            label: label.to_owned(),
            spec: spec.to_owned(),
            faces: faces.clone(),
        });
        Ok(faces)
    }

    /// One ten-sided die.
    pub fn d10(&mut self, label: &str) -> Result<u32, DiceError> {
        Ok(self.roll(label, "1d10")?[0])
    }

    /// The public rolls so far, in order.
    pub fn rolls(&self) -> &[Roll] {
        &self.rolls
    }
}
