//! Words for people: times and counts.

use chrono::DateTime;

use crate::core::time::Stamp;

/// A time as people read it: `Sun 2027-01-17 08:41 UTC`.
pub fn moment(stamp: Stamp) -> String {
    DateTime::from_timestamp(stamp.unix(), 0)
        .map_or_else(|| stamp.to_string(), |time| time.format("%a %Y-%m-%d %H:%M UTC").to_string())
}

/// `1 order`, `2 orders`.
pub fn some(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
