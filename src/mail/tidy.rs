//! Characters that mail programs and word processors put in place of what was typed.

/// What never belongs to an order file and may always go: byte order marks (also in
/// the middle, where parts were joined), invisible marks, foreign line ends and
/// spaces. What was changed is said in words for the receipt.
pub fn always(text: &str) -> (String, Vec<String>) {
    let mut said = Vec::new();
    let mut note = |what: &str| {
        if !said.iter().any(|s| s == what) {
            said.push(what.to_owned());
        }
    };
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{feff}' => note("a byte order mark removed"),
            '\u{200b}'..='\u{200f}' | '\u{00ad}' | '\u{2060}' | '\u{202a}'..='\u{202e}' => {
                note("invisible characters removed");
            }
            '\r' => {
                if chars.peek() == Some(&'\n') {
                    chars.next();
                }
                note("line ends made LF");
                out.push('\n');
            }
            '\u{2028}' | '\u{2029}' | '\u{0085}' => {
                note("line ends made LF");
                out.push('\n');
            }
            '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}' => {
                note("non-breaking and wide spaces made plain");
                out.push(' ');
            }
            c => out.push(c),
        }
    }
    (out, said)
}

/// The text as TOML: as it is, if it parses; else with what was typed as plain
/// quotes, dashes and letters put back, first in lines that have no plain quote.
pub fn as_toml(text: &str) -> (String, Vec<String>) {
    if reads(text) {
        return (text.to_owned(), Vec::new());
    }
    let (mild, said) = plain(text, |line| !line.contains('"'));
    if !said.is_empty() && reads(&mild) {
        return (mild, said);
    }
    let (strong, said) = plain(text, |_| true);
    (strong, said)
}

fn reads(text: &str) -> bool {
    toml::from_str::<toml::Table>(text).is_ok()
}

fn plain(text: &str, wanted: impl Fn(&str) -> bool) -> (String, Vec<String>) {
    let mut said = Vec::new();
    let mut note = |what: &str| {
        if !said.iter().any(|s| s == what) {
            said.push(what.to_owned());
        }
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // What stands in a comment hurts nobody.
        if !wanted(line) || line.trim_start().starts_with('#') {
            out.push_str(line);
            continue;
        }
        for c in line.chars() {
            out.push(match c {
                '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{ab}' | '\u{bb}'
                | '\u{2033}' | '\u{301d}' | '\u{301e}' => {
                    note("typographic quotes made plain");
                    '"'
                }
                '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' => {
                    note("typographic quotes made plain");
                    '\''
                }
                '\u{2010}'..='\u{2015}' | '\u{2212}' => {
                    note("typographic dashes made plain");
                    '-'
                }
                '\u{ff01}'..='\u{ff5e}' => {
                    note("full-width characters made plain");
                    char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)
                }
                c => c,
            });
        }
    }
    (out, said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_spaces_always_go() {
        let (text, said) = always("\u{feff}a\u{a0}= 1\r\n\u{feff}b\u{200b} = 2\u{2028}");
        assert_eq!(text, "a = 1\nb = 2\n");
        assert_eq!(said.len(), 4, "{said:?}");
    }

    #[test]
    fn quotes_are_plain_only_where_toml_needs_them() {
        let good = "text = \"he said \u{201c}no\u{201d}\"\n";
        assert_eq!(as_toml(good), (good.to_owned(), vec![]));
        let spoilt = format!("{good}unit = \u{201c}x-sud\u{201d}\n");
        assert_eq!(as_toml(&spoilt).0, format!("{good}unit = \"x-sud\"\n"));
        let mixed = "units = [\"x\u{2013}sud\u{201d}, \"y\"]\n";
        assert_eq!(as_toml(mixed).0, "units = [\"x-sud\", \"y\"]\n");
        assert_eq!(as_toml("ｔｏ ＝ ＂０９１２＂\n").0, "to = \"0912\"\n");
    }
}
