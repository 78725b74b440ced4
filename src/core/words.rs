//! Lists of names in few words.

/// Names in the order in which people count: `fort-2` before `fort-10`.
pub fn counted<S: AsRef<str>>(mut names: Vec<S>) -> Vec<S> {
    names.sort_by_key(|name| {
        let name = name.as_ref();
        let number = name.rsplit_once('-').and_then(|(stem, n)| Some((stem, n.parse().ok()?)));
        let (stem, number): (&str, u32) = number.unwrap_or((name, 0));
        (stem.to_owned(), number)
    });
    names
}

/// Draws runs of three or more consecutive numbers together.
pub fn runs<S: AsRef<str>>(names: &[S]) -> Vec<String> {
    let parts = |name: &str| -> Option<(String, u32, usize)> {
        let (stem, number) = name.rsplit_once('-')?;
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let n = number.parse().ok().filter(|_| digits)?;
        Some((stem.to_owned(), n, number.len()))
    };
    let mut out: Vec<String> = Vec::new();
    let mut i = 0;
    while i < names.len() {
        let first = names[i].as_ref();
        let mut end = i;
        if let Some((stem, number, _)) = parts(first) {
            let follows = |k: usize| {
                let step = u32::try_from(k - i).unwrap_or(u32::MAX);
                names
                    .get(k)
                    .and_then(|n| parts(n.as_ref()))
                    .is_some_and(|(s, n, _)| s == stem && n == number.saturating_add(step))
            };
            while follows(end + 1) {
                end += 1;
            }
        }
        if end >= i + 2 {
            let last = names[end].as_ref();
            let tail = last.rsplit_once('-').map_or(last, |(_, n)| n);
            out.push(format!("{first}..{tail}"));
            i = end + 1;
        } else {
            out.push(first.to_owned());
            i += 1;
        }
    }
    out
}

/// A player's words as a report may carry them to everybody: no control characters
/// and no marks that turn the direction of a line, and not too many.
pub fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let mut out: String =
        text.chars().take(400).map(|c| if c.is_control() || turns(c) { '?' } else { c }).collect();
    if text.chars().nth(400).is_some() {
        out.push_str("...");
    }
    out
}
