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

/// Words broken into lines of at most 72 columns.
pub fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let columns = unicode_width::UnicodeWidthStr::width(word);
        if width > 0 && width + 1 + columns > 72 {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += columns;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may() {
        let text = wrap(&"word ".repeat(40));
        assert!(text.lines().all(|line| line.len() <= 72));
        assert_eq!(text.lines().next().unwrap().len(), 69);
        assert_eq!(wrap(" a  b\nc "), "a b c");
    }
}
