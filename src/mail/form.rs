//! What came back, compared with the form as it was sent: broken lines joined, and
//! whether anything was changed in it at all.

use std::collections::{BTreeMap, BTreeSet};

use super::orders::{Forms, is_toml, key, plain_letter, unquote};

/// The form that the header of a text names.
pub(super) fn form_of(text: &str, forms: Forms<'_>) -> Option<String> {
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    for line in text.lines() {
        if let Some(key) = key(line) {
            let value = line.split(['=', '\u{ff1d}']).nth(1)?.split('#').next()?;
            let value: String = value
                .chars()
                .map(plain_letter)
                .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
                .collect();
            found.entry(key).or_insert(value);
        }
    }
    let phase = found.get("phase")?.parse().ok()?;
    forms(found.get("game")?, phase, found.get("player")?)
}

fn squeezed(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The comment of a line, without blanks.
fn remark(line: &str) -> Option<String> {
    line.find('#').map(|at| squeezed(&line[at..]))
}

/// Joins lines of the form that a mail program broke on the way back: whole ones, and
/// comments behind something that the player changed.
pub(super) fn rejoin(lines: &[&str], form: &str) -> (Vec<String>, bool) {
    let known: BTreeMap<String, &str> = form.lines().map(|line| (squeezed(line), line)).collect();
    let remarks: BTreeSet<String> = form.lines().filter_map(remark).collect();
    let mut out = Vec::new();
    let mut joined = false;
    let mut at = 0;
    'lines: while at < lines.len() {
        let (mut whole, mut tail) = (squeezed(lines[at]), remark(lines[at]));
        let broken = !whole.is_empty() && !known.contains_key(&whole);
        let cut = tail.as_ref().is_some_and(|tail| !remarks.contains(tail));
        let mut text = lines[at].trim_end().to_owned();
        for more in 1..4 {
            let Some(next) = lines.get(at + more).filter(|_| broken) else { break };
            let next = unquote(next).1;
            whole += &squeezed(next);
            text = text + " " + next.trim();
            if let Some(tail) = &mut tail {
                *tail += &squeezed(next);
            }
            let found = match known.get(&whole) {
                Some(line) => Some((*line).to_owned()),
                None if cut && tail.as_ref().is_some_and(|t| remarks.contains(t)) => {
                    Some(text.clone())
                }
                None => None,
            };
            if let Some(line) = found {
                out.push(line);
                at += more + 1;
                joined = true;
                continue 'lines;
            }
        }
        out.push(lines[at].to_owned());
        at += 1;
    }
    (out, joined)
}

/// True if every line that orders something stands in the form as it was sent.
pub(super) fn is_untouched<'a>(lines: impl Iterator<Item = &'a str>, form: &str) -> bool {
    let known: Vec<String> = form.lines().map(squeezed).collect();
    lines
        .filter(|line| is_toml(line) && !line.trim_start().starts_with('#'))
        .map(squeezed)
        .all(|line| line.is_empty() || known.contains(&line))
}
