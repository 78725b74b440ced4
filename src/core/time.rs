//! Times as records write them: `YYYY-MM-DDTHH:MM:SSZ`, whole seconds, UTC.

use std::fmt;

use chrono::{DateTime, NaiveDateTime};
use serde::{Deserialize, Serialize};

const FORMAT: &str = "%Y-%m-%dT%H:%M:%SZ";

/// A moment in whole seconds of Unix time, years 0000 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stamp(i64);

/// A text is no time of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time of the form 2027-01-10T18:00:00Z")]
pub struct StampError(pub String);

/// The first second of year 0000 and the last of year 9999.
const RANGE: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

impl Stamp {
    /// Reads a time; every digit and letter in its place, no leap second.
    pub fn new(text: &str) -> Result<Self, StampError> {
        let bad = || StampError(text.to_owned());
        let seconds =
            NaiveDateTime::parse_from_str(text, FORMAT).map_err(|_| bad())?.and_utc().timestamp();
        let stamp = Self::from_unix(seconds).ok_or_else(bad)?;
        // One moment has one spelling: chrono also reads unpadded and signed
        // numbers and a sixtieth second.
        if stamp.to_string() == text { Ok(stamp) } else { Err(bad()) }
    }

    /// The moment of a number of seconds since 1970-01-01T00:00:00Z, or `None`
    /// outside the years 0000 to 9999.
    pub fn from_unix(seconds: i64) -> Option<Self> {
        RANGE.contains(&seconds).then_some(Self(seconds))
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// This moment moved by some seconds, held within the years 0000 to 9999.
    #[must_use]
    pub fn plus(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds).clamp(*RANGE.start(), *RANGE.end()))
    }

    /// Seconds from `earlier` to this moment; negative if it is later.
    pub fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::from_timestamp(self.0, 0) {
            Some(time) => f.pad(&time.format(FORMAT).to_string()),
            None => f.pad("?"),
        }
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Stamp {
    type Error = StampError;
    fn try_from(text: String) -> Result<Self, StampError> {
        Self::new(&text)
    }
}

impl From<Stamp> for String {
    fn from(stamp: Stamp) -> Self {
        stamp.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_strict() {
        let stamp = Stamp::new("2027-01-10T18:00:01Z").unwrap();
        assert_eq!(stamp.unix(), 1_799_604_001);
        assert_eq!(stamp.plus(59).to_string(), "2027-01-10T18:01:00Z");
        assert_eq!(stamp.plus(59).since(stamp), 59);
        for bad in [
            "",
            "2027-01-10T18:00:00",
            "2027-01-10 18:00:00Z",
            "2027-1-10T18:00:00Z",
            "2027-02-30T18:00:00Z",
            "2027-01-10T18:00:60Z",
            "2027-01-10T24:00:00Z",
            "+2027-01-10T18:00:00Z",
            " 2027-01-10T18:00:00Z",
            "12027-01-10T18:00:00Z",
        ] {
            assert!(Stamp::new(bad).is_err(), "{bad}");
        }
        for text in ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
            assert_eq!(Stamp::new(text).unwrap().to_string(), text);
        }
    }
}
