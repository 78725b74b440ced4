//! Normal form and the hashes of the protocol (`docs/dice.md`, "Primitives").
//!
//! Every file hash is taken over the normal form of the file, so that line ends
//! spoilt by mail or zip break nothing; every other hash is taken over a small
//! text block that anybody can type into `sha256sum`.

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr_iter, memchr2};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::id::Id;

/// The first word of every hashed block and record file.
pub const PROTOCOL: &str = "pbem-dice/1";

/// 32 bytes written as 64 lower-case hex digits: a hash, a secret, a key, a nonce.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Hex64([u8; 32]);

/// A text is not 64 lower-case hex digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not 64 digits 0-9 a-f (lower case)")]
pub struct HexError(pub String);

impl Hex64 {
    /// Reads 64 digits; upper case is refused, since one value has one spelling.
    pub fn new(text: &str) -> Result<Self, HexError> {
        let mut bytes = [0; 32];
        match lower_hex(text, &mut bytes) {
            Some(()) => Ok(Self(bytes)),
            None => Err(HexError(text.to_owned())),
        }
    }

    /// The value of 32 bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// SHA-256 of bytes as they are, without normal form.
    pub fn digest(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 64 digits.
    fn digits(&self) -> [u8; 64] {
        let mut out = [0; 64];
        for (at, byte) in self.0.iter().enumerate() {
            [out[2 * at], out[2 * at + 1]] = two_digits(*byte);
        }
        out
    }

    /// The 32 bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

/// Fills `out` from exactly twice as many lower-case hex digits.
pub(crate) fn lower_hex(text: &str, out: &mut [u8]) -> Option<()> {
    let digits = text.as_bytes();
    if digits.len() != out.len() * 2 {
        return None;
    }
    let value = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(())
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| two_digits(*byte)).map(char::from).collect()
}

fn two_digits(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

impl fmt::Display for Hex64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

impl fmt::Debug for Hex64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Hex64 {
    type Err = HexError;
    fn from_str(text: &str) -> Result<Self, HexError> {
        Self::new(text)
    }
}

impl TryFrom<String> for Hex64 {
    type Error = HexError;
    fn try_from(text: String) -> Result<Self, HexError> {
        Self::new(&text)
    }
}

impl From<Hex64> for String {
    fn from(value: Hex64) -> Self {
        value.to_string()
    }
}

/// Why bytes have no normal form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A byte that is no UTF-8 text.
    #[error("line {line}: the byte 0x{byte:02x} is not UTF-8 text")]
    Encoding {
        /// Line, from 1.
        line: usize,
        /// The byte.
        byte: u8,
    },
    /// A zero byte: a binary file.
    #[error("line {line}: a zero byte; this is a binary file, not text")]
    Zero {
        /// Line, from 1.
        line: usize,
    },
}

/// True of a text that is its own normal form: what this program wrote, nearly always.
fn is_normal(bytes: &[u8]) -> bool {
    let trailing = memchr_iter(b'\n', bytes)
        .any(|at| at.checked_sub(1).is_some_and(|at| matches!(bytes[at], b' ' | b'\t')));
    let one_end = match bytes {
        [.., a, b'\n'] => *a != b'\n',
        _ => bytes == b"\n",
    };
    !trailing
        && one_end
        && memchr2(0, b'\r', bytes).is_none()
        && !bytes.starts_with("\u{feff}".as_bytes())
}

/// The normal form N of a text: UTF-8 without NUL, no byte order mark at the
/// start, LF line ends, no blanks before a line end, one LF at the end.
/// `normal(normal(x)) == normal(x)`.
pub fn normal(bytes: &[u8]) -> Result<String, TextError> {
    let line = |at: usize| 1 + bytes[..at].iter().filter(|b| **b == b'\n').count();
    let text = std::str::from_utf8(bytes).map_err(|fault| {
        let at = fault.valid_up_to();
        TextError::Encoding { line: line(at), byte: bytes.get(at).copied().unwrap_or_default() }
    })?;
    if is_normal(bytes) {
        return Ok(text.to_owned());
    }
    if let Some(at) = text.find('\0') {
        return Err(TextError::Zero { line: line(at) });
    }
    let bare = text.trim_start_matches('\u{feff}');
    let bare = if bare.contains('\r') {
        Cow::Owned(bare.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(bare)
    };
    let mut out = String::with_capacity(bare.len() + 1);
    for line in bare.split('\n') {
        out.push_str(line.trim_end_matches([' ', '\t']));
        out.push('\n');
    }
    out.truncate(out.trim_end_matches('\n').len());
    out.push('\n');
    Ok(out)
}

/// F: the hash of a file, SHA-256 of its normal form.
pub fn file_hash(bytes: &[u8]) -> Result<Hex64, TextError> {
    Ok(text_hash(&normal(bytes)?))
}

/// F of a text that is in normal form already, such as everything that this
/// program writes.
pub fn text_hash(normal: &str) -> Hex64 {
    Hex64::digest(normal.as_bytes())
}

/// The block that H hashes: the tag's line, then a line `key=value` each.
pub fn block(tag: &str, pairs: &[(&str, &dyn fmt::Display)]) -> String {
    use fmt::Write as _;
    let mut out = format!("{PROTOCOL} {tag}\n");
    for (key, value) in pairs {
        let _ = writeln!(out, "{key}={value}");
    }
    out
}

fn h(tag: &str, pairs: &[(&str, &dyn fmt::Display)]) -> Hex64 {
    text_hash(&block(tag, pairs))
}

/// A link of the chain: `s_index` from `s_{index+1}`.
pub fn chain_link(game: &Id, index: u32, next: &Hex64) -> Hex64 {
    // What H does, without its search for words: a game has some thousands of links, and
    // every command that knows the secrets derives them all.
    let (index, next) = (index.to_string(), next.digits());
    let mut block = Vec::with_capacity(256);
    for part in [PROTOCOL, " chain\ngame=", game.as_str(), "\nindex=", &index, "\nnext="] {
        block.extend_from_slice(part.as_bytes());
    }
    block.extend_from_slice(&next);
    block.push(b'\n');
    Hex64::digest(&block)
}

/// A player's commitment to a nonce.
pub fn join(game: &Id, player: &Id, nonce: &Hex64) -> Hex64 {
    h("join", &[("game", game), ("player", player), ("nonce", nonce)])
}

/// The entropy of a list that is spelt out already.
pub fn entropy(game: &Id, count: usize, list: &str) -> Hex64 {
    h("entropy", &[("game", game), ("count", &count), ("list", &list)])
}

/// The entropy of the players' nonces, which need not be sorted yet.
pub fn entropy_of_nonces(game: &Id, nonces: &[(Id, Hex64)]) -> Hex64 {
    let mut sorted: Vec<_> = nonces.iter().collect();
    // On the id alone: the joined strings would sort `p10:` before `p1:`.
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let list: Vec<String> = sorted.iter().map(|(player, n)| format!("{player}:{n}")).collect();
    entropy(game, sorted.len(), &list.join(","))
}

/// The entropy of a beacon string (`quicknet:<round>:<randomness>`).
pub fn entropy_of_beacon(game: &Id, beacon: &dyn fmt::Display) -> Hex64 {
    entropy(game, 1, &beacon.to_string())
}

/// The commitment to the secret d.
pub fn hidden(game: &Id, secret: &Hex64) -> Hex64 {
    h("hidden", &[("game", game), ("secret", secret)])
}

/// The seed of a phase; `beacon` is a beacon string or `none`.
pub fn seed(
    game: &Id,
    phase: u32,
    reference: &Hex64,
    entropy: &Hex64,
    beacon: &dyn fmt::Display,
) -> Hex64 {
    h(
        "seed",
        &[
            ("game", game),
            ("phase", &phase),
            ("ref", reference),
            ("entropy", entropy),
            ("links", &"none"),
            ("beacon", beacon),
        ],
    )
}

/// The key of a public roll.
pub fn roll_key(seed: &Hex64, label: &str) -> Hex64 {
    h("roll", &[("seed", seed), ("label", &label)])
}

/// The key of a sealed roll: the secret d and the phase's seed together.
pub fn hidden_roll_key(secret: &Hex64, seed: &Hex64, label: &str) -> Hex64 {
    h("hidden-roll", &[("secret", secret), ("seed", seed), ("label", &label)])
}

/// The commitment to a sealed roll.
pub fn seal(game: &Id, phase: u32, key: &Hex64, label: &str, spec: &str) -> Hex64 {
    h(
        "seal",
        &[("game", game), ("phase", &phase), ("key", key), ("label", &label), ("spec", &spec)],
    )
}

/// The commitment to a player's note, made in `phase`; `text` is F of the note.
pub fn hide(game: &Id, phase: u32, owner: &Id, salt: &Hex64, text: &Hex64) -> Hex64 {
    h(
        "hide",
        &[("game", game), ("phase", &phase), ("owner", owner), ("salt", salt), ("text", text)],
    )
}

/// The ticket of a form; `issue` is 1, and 1 more for each new form of the phase.
pub fn ticket(game: &Id, phase: u32, player: &Id, issue: u32, secret: &Hex64) -> Hex64 {
    h(
        "ticket",
        &[
            ("game", game),
            ("phase", &phase),
            ("player", player),
            ("issue", &issue),
            ("secret", secret),
        ],
    )
}

/// The salt of a secret file; `file` is its name inside the phase's folder.
pub fn salt(game: &Id, phase: u32, file: &str, secret: &Hex64) -> Hex64 {
    h("salt", &[("game", game), ("phase", &phase), ("file", &file), ("secret", secret)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_form_of_the_vector() {
        let mut bytes = [0; 20];
        lower_hex("efbbbfefbbbf6120090d0a620d0d630d0d0a0d0a", &mut bytes).unwrap();
        let text = normal(&bytes).unwrap();
        assert_eq!(text, "a\nb\n\nc\n");
        assert_eq!(
            text_hash(&text).to_string(),
            "7bebbe912f70e4e817f83e3cdeb5f11f9bc556334d9789484f665b63dd3b14dc"
        );
    }

    #[test]
    fn normal_form_is_its_own_normal_form() {
        for text in ["", " ", "\n\n", "a", "a\r", "\r\na \n", "\u{feff}\u{feff}a\n\u{feff}b"] {
            let once = normal(text.as_bytes()).unwrap();
            assert!(is_normal(once.as_bytes()), "{once:?}");
            assert_eq!(is_normal(text.as_bytes()), once == text, "{text:?}");
            assert_eq!(normal(once.as_bytes()).unwrap(), once);
        }
        assert_eq!(normal(b"").unwrap(), "\n");
        assert_eq!(normal(b"a\n\xff"), Err(TextError::Encoding { line: 2, byte: 0xff }));
        assert_eq!(normal(b"a\nb\0"), Err(TextError::Zero { line: 2 }));
    }

    #[test]
    fn hex_has_one_spelling() {
        let low = "0a".repeat(32);
        assert_eq!(Hex64::new(&low).unwrap().to_string(), low);
        assert!(Hex64::new(&low.to_uppercase()).is_err());
        assert!(Hex64::new(&low[1..]).is_err());
        assert!(Hex64::new(&"ä".repeat(32)).is_err());
    }
}
