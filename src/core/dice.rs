//! Dice: one keyed ChaCha20 stream a roll, mapped to faces by rejection
//! (`docs/dice.md`, section "Dice"). The only file that names `rand_chacha`.

use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::hash::Hex64;

mod roller;

pub use roller::{Roller, SealedRoll};

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
    /// A sealed roll or note in a game that seals nothing: it has no secret here.
    #[error("`{0}` would be sealed, but these dice have no secret")]
    Unsealed(String),
    /// A commitment that was registered or opened before in this phase.
    #[error("the commitment {0} would be registered or opened twice in this phase")]
    Commitment(Hex64),
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
#[derive(Clone)]
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

    /// One of many independent streams of a key, by number (the nonce).
    pub fn numbered(key: [u8; 32], number: u64) -> Self {
        let mut words = ChaCha20Rng::from_seed(key);
        words.set_stream(number);
        Self(words)
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

/// The faces of a key: what anybody computes who knows it.
pub fn faces(key: &Hex64, spec: Spec) -> Vec<u32> {
    draw(&mut ChaChaWords::keyed(key.bytes()), spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words given by a test, so that rejection can be seen.
    struct Given(std::vec::IntoIter<u32>);

    impl Words for Given {
        fn word(&mut self) -> u32 {
            self.0.next().unwrap()
        }
    }

    #[test]
    fn words_at_or_above_the_limit_are_rejected() {
        let mut words = Given(vec![0xffff_fffc, 0xffff_ffff, 0xffff_fffb, 7].into_iter());
        assert_eq!(draw(&mut words, Spec::parse("1d6").unwrap()), [6]);
        assert_eq!(words.word(), 7, "three words were taken");
        // 2^32 is a multiple of 2: nothing is rejected.
        assert_eq!(below(&mut Given(vec![u32::MAX].into_iter()), 2), 1);
        // The largest n rejects the one word that is left over.
        let mut words = Given(vec![u32::MAX, u32::MAX - 1].into_iter());
        assert_eq!(below(&mut words, u32::MAX), u32::MAX - 1);
    }

    #[test]
    fn the_stream_is_the_published_one() {
        // RFC 8439, A.1, test vectors 1 and 2: key 0, nonce 0, blocks 0 and 1.
        let mut words = ChaChaWords::keyed([0; 32]);
        let mut bytes = Vec::new();
        for _ in 0..32 {
            bytes.extend_from_slice(&words.word().to_le_bytes());
        }
        assert_eq!(
            crate::core::hash::hex(&bytes),
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
             da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586\
             9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
             29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
        );
    }

    #[test]
    fn specifications_have_one_spelling() {
        for good in ["1d2", "9999d4294967295", "2d6", "shuffle2", "shuffle9999"] {
            assert_eq!(Spec::parse(good).unwrap().to_string(), good);
        }
        for bad in [
            "",
            "d6",
            "0d6",
            "1d1",
            "01d6",
            "1d06",
            "10000d6",
            "1d4294967296",
            "shuffle1",
            "shuffle10000",
            "shuffle",
            "1D6",
            "+1d6",
            " 1d6",
            "1d6 ",
        ] {
            assert!(Spec::parse(bad).is_err(), "{bad}");
        }
        assert!(is_label("fire/0712.a_b-c") && is_label(&"x".repeat(120)));
        assert!(!is_label("") && !is_label("A") && !is_label("a b") && !is_label(&"x".repeat(121)));
    }
}
