//! The public beacon: drand's quicknet, its rounds in time, its values and their
//! signatures (`docs/dice.md`, "Primitives").

use std::fmt;

use drand_verify::{G2PubkeyRfc, Pubkey};

use super::hash::{Hex64, hex, lower_hex};
use super::time::Stamp;

/// The chain hash of quicknet; part of the address of its public pages.
pub const CHAIN_HASH: &str = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
/// Quicknet's public key.
pub const PUBLIC_KEY: &str = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";
/// Unix time of round 1.
pub const GENESIS: i64 = 1_692_803_367;
/// Seconds from one round to the next.
pub const PERIOD: i64 = 3;
/// Default seconds from closing to the earliest beacon: six hours.
pub const DEFAULT_WAIT: u64 = 21_600;
/// Default grid of beacons in seconds: 00:00 and 12:00 UTC.
pub const DEFAULT_GRID: u64 = 43_200;

/// The public key of a beacon of this scheme, 96 bytes; a parameter so that tests
/// can sign rounds of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconKey(pub [u8; 96]);

impl BeaconKey {
    /// Quicknet's.
    pub fn quicknet() -> Self {
        let mut bytes = [0; 96];
        // The constant has the right length and digits; a test says so.
        let _ = lower_hex(PUBLIC_KEY, &mut bytes);
        Self(bytes)
    }
}

/// The page where anybody can read a round.
pub fn page(round: u64) -> String {
    format!("https://api.drand.sh/{CHAIN_HASH}/public/{round}")
}

/// The moment at which a phase's beacon is due: the first multiple of `grid` at or
/// after `closing + wait` (seconds). `closing` is the last call's deadline, or the
/// time of an early lock. A grid of 0 is taken as 1.
pub fn due(closing: Stamp, wait: u64, grid: u64) -> Stamp {
    let grid = i128::from(grid.max(1));
    let earliest = i128::from(closing.unix()) + i128::from(wait);
    let moment = -(-earliest).div_euclid(grid) * grid;
    let far = if moment < 0 { i64::MIN } else { i64::MAX };
    Stamp::from_unix(0).map_or(closing, |epoch| epoch.plus(i64::try_from(moment).unwrap_or(far)))
}

/// The first round at or after a moment; zero or negative before round 1.
pub fn round_at(moment: Stamp) -> i64 {
    -(GENESIS - moment.unix()).div_euclid(PERIOD) + 1
}

/// The round of a phase: that of the moment at which its beacon is [`due`].
pub fn phase_round(closing: Stamp, wait: u64, grid: u64) -> i64 {
    round_at(due(closing, wait, grid))
}

/// When a round appears.
pub fn time_of(round: u64) -> Stamp {
    let seconds = i64::try_from(round).unwrap_or(i64::MAX).saturating_sub(1);
    Stamp::from_unix(GENESIS).map_or_else(
        || unreachable!("the beacon's first round lies in the year 2023"),
        |first| first.plus(seconds.saturating_mul(PERIOD)),
    )
}

/// `quicknet:<round>` as calls and locks name it; the round of a call may be
/// negative, since a call may be older than the beacon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoundName(pub i64);

impl fmt::Display for RoundName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "quicknet:{}", self.0)
    }
}

impl RoundName {
    /// Reads `quicknet:123` or `quicknet:-177`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("quicknet:")?;
        let value: i64 = digits.parse().ok()?;
        (value.to_string() == digits).then_some(Self(value))
    }
}

/// `quicknet:<round>:<randomness>`, what a seed hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconString {
    /// The round, at least 1.
    pub round: u64,
    /// SHA-256 of its signature.
    pub randomness: Hex64,
}

impl fmt::Display for BeaconString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "quicknet:{}:{}", self.round, self.randomness)
    }
}

impl BeaconString {
    /// Reads a beacon string.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, randomness) = text.strip_prefix("quicknet:")?.split_once(':')?;
        let round: u64 = digits.parse().ok()?;
        let randomness = Hex64::new(randomness).ok()?;
        (round >= 1 && round.to_string() == digits).then_some(Self { round, randomness })
    }
}

/// Why a beacon file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeaconError {
    /// No JSON object with the three keys.
    #[error("expected the public page of a quicknet round ({expected}); found {found}")]
    Format {
        /// What the page has.
        expected: &'static str,
        /// What the file has.
        found: String,
    },
    /// The randomness is not the hash of the signature.
    #[error("the randomness of round {round} is not the SHA-256 of its signature")]
    Randomness {
        /// The round.
        round: u64,
    },
    /// The signature is not the beacon's for that round.
    #[error("the signature is not the beacon's for round {round}")]
    Signature {
        /// The round.
        round: u64,
    },
}

/// What a round published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeaconValue {
    /// The round, at least 1.
    pub round: u64,
    /// What the page calls randomness.
    pub randomness: Hex64,
    /// The signature, 48 bytes.
    pub signature: [u8; 48],
}

impl BeaconValue {
    /// Reads the public page's object (`beacon.json`); keys besides `round`,
    /// `randomness` and `signature` are ignored.
    pub fn parse(text: &str) -> Result<Self, BeaconError> {
        let bad = |expected, found: String| BeaconError::Format { expected, found };
        let page: serde_json::Value = serde_json::from_str(text)
            .map_err(|fault| bad("a JSON object", format!("no JSON: {fault}")))?;
        let object = page.as_object().ok_or_else(|| bad("a JSON object", page.to_string()))?;
        let show = |key| object.get(key).map_or("no such key".to_owned(), ToString::to_string);
        let word = |key| object.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let round = object
            .get("round")
            .and_then(serde_json::Value::as_u64)
            .filter(|round| *round >= 1)
            .ok_or_else(|| bad("`round`, a number from 1", show("round")))?;
        let randomness = Hex64::new(word("randomness"))
            .map_err(|_| bad("`randomness`, 64 hex digits", show("randomness")))?;
        let mut signature = [0; 48];
        lower_hex(word("signature"), &mut signature)
            .ok_or_else(|| bad("`signature`, 96 hex digits", show("signature")))?;
        Ok(Self { round, randomness, signature })
    }

    /// The value of a signature.
    pub fn signed(round: u64, signature: [u8; 48]) -> Self {
        Self { round, randomness: Hex64::digest(&signature), signature }
    }

    /// The file `beacon.json`, in normal form.
    pub fn to_text(&self) -> String {
        let signature = hex(&self.signature);
        format!(
            "{{\"round\":{},\"randomness\":\"{}\",\"signature\":\"{signature}\"}}\n",
            self.round, self.randomness
        )
    }

    /// The string that a seed hashes.
    pub fn string(&self) -> BeaconString {
        BeaconString { round: self.round, randomness: self.randomness }
    }

    /// Checks that the randomness is the hash of the signature: no network, no key.
    pub fn check_randomness(&self) -> Result<(), BeaconError> {
        if Hex64::digest(&self.signature) == self.randomness {
            Ok(())
        } else {
            Err(BeaconError::Randomness { round: self.round })
        }
    }

    /// Checks the signature (scheme `bls-unchained-g1-rfc9380`).
    pub fn check_signature(&self, key: &BeaconKey) -> Result<(), BeaconError> {
        let good = G2PubkeyRfc::from_fixed(key.0)
            .ok()
            .and_then(|key| key.verify(self.round, b"", &self.signature).ok());
        if good == Some(true) { Ok(()) } else { Err(BeaconError::Signature { round: self.round }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_the_vectors() {
        let round = |text| {
            let closing = Stamp::new(text).unwrap();
            (
                due(closing, DEFAULT_WAIT, DEFAULT_GRID).to_string(),
                phase_round(closing, DEFAULT_WAIT, DEFAULT_GRID),
            )
        };
        assert_eq!(round("2027-01-10T18:00:00Z"), ("2027-01-11T00:00:00Z".to_owned(), 35_607_412));
        assert_eq!(round("2027-01-10T18:00:01Z"), ("2027-01-11T12:00:00Z".to_owned(), 35_621_812));
        // The calls of the sample bundle: grid 3, wait 600.
        let round = |text| phase_round(Stamp::new(text).unwrap(), 600, 3);
        assert_eq!(round("2023-08-23T14:50:33Z"), -177);
        assert_eq!(round("2023-08-23T15:05:33Z"), 123);
        assert_eq!(round("2023-08-23T15:49:24Z"), 1000);
        assert_eq!(time_of(123).plus(-600).to_string(), "2023-08-23T15:05:33Z");
    }

    #[test]
    fn quicknet_123_is_good_and_is_not_124() {
        let text = "{\"round\":123,\"randomness\":\"fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc\",\"signature\":\"b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92\"}\n";
        let mut value = BeaconValue::parse(text).unwrap();
        assert_eq!(value.to_text(), text);
        value.check_randomness().unwrap();
        value.check_signature(&BeaconKey::quicknet()).unwrap();
        value.round = 124;
        assert_eq!(
            value.check_signature(&BeaconKey::quicknet()),
            Err(BeaconError::Signature { round: 124 })
        );
    }

    #[test]
    fn names_of_rounds_have_one_spelling() {
        assert_eq!(RoundName::parse("quicknet:-177"), Some(RoundName(-177)));
        for bad in ["quicknet:", "quicknet:+1", "quicknet:01", "quicknet:-0", "drand:1", "1"] {
            assert_eq!(RoundName::parse(bad), None, "{bad}");
        }
    }
}
