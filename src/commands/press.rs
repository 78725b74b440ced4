//! Press: `[[message]]` tables of an order file, shown with the next report to those
//! whom they are for. They belong to no rule system, so no rule system sees them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::viewer::Viewer;
use crate::game::{Seat, Submission};

/// The longest message, in characters.
const LONGEST: usize = 4_000;

/// For whom a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Everybody, the public included.
    All,
    /// A side.
    Side(String),
    /// One player.
    Player(Id),
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// For whom.
    pub to: Reader,
    /// What it says.
    pub text: String,
    /// Shown without the name of its seat.
    pub anonymous: bool,
}

/// The rules of a game's press.
#[derive(Clone, Copy, Debug)]
pub struct PressRules<'a> {
    /// Who plays.
    pub seats: &'a [Seat],
    /// Messages may hide who wrote them: the game says so, and its orders are published
    /// only at its close.
    pub anonymous: bool,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    message: Vec<RawMessage>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMessage {
    to: toml::Spanned<String>,
    text: toml::Spanned<String>,
    #[serde(default)]
    anonymous: Option<toml::Spanned<bool>>,
}

/// The ranges of the `[[message]]` tables in a text.
fn tables(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut at, mut inside, mut open) = (0, false, None::<&str>);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start();
        if open.is_none() && bare.starts_with('[') {
            let head: String = bare.chars().filter(|c| !c.is_whitespace()).collect();
            inside = head.starts_with("[[message]]");
            if inside {
                out.push(start..start);
            }
        }
        if inside && let Some(last) = out.last_mut() {
            last.end = at;
        }
        // A long string goes on over lines that look like tables.
        let mut rest = line;
        loop {
            let found = match open {
                Some(mark) => rest.find(mark).map(|i| (i, mark)),
                None if bare.starts_with('#') => None,
                None => ["\"\"\"", "'''"]
                    .into_iter()
                    .filter_map(|mark| rest.find(mark).map(|i| (i, mark)))
                    .min(),
            };
            let Some((i, mark)) = found else { break };
            open = if open.is_some() { None } else { Some(mark) };
            rest = &rest[i + 3..];
        }
    }
    out
}

/// The source as a rule system reads it: messages blanked out, every other byte in its
/// place.
pub fn without(source: &Source) -> Source {
    let mut bytes = source.text.clone().into_bytes();
    for range in tables(&source.text) {
        for byte in &mut bytes[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    // Whole characters were blanked, so this is still text.
    let text = String::from_utf8(bytes).unwrap_or_else(|_| source.text.clone());
    Source { text, ..source.clone() }
}

/// The messages of a source and every fault of them.
pub fn read(source: &Source, rules: PressRules<'_>) -> (Vec<Message>, Vec<Diagnostic>) {
    let (mut messages, mut faults) = (Vec::new(), Vec::new());
    for range in tables(&source.text) {
        let start = range.start;
        let raw: Raw = match toml::from_str(&source.text[range.clone()]) {
            Ok(raw) => raw,
            Err(fault) => {
                let diagnostic = Diagnostic::error(None, fault.message().to_owned())
                    .help("write to = \"all\" (or a side or player) and text = \"...\"");
                let span = fault.span().unwrap_or(0..range.len());
                faults.push(diagnostic.at(start + span.start..start + span.end));
                continue;
            }
        };
        for one in raw.message {
            let at = |span: Range<usize>| start + span.start..start + span.end;
            let to = one.to.get_ref().as_str();
            let side = rules.seats.iter().find(|s| s.side == to);
            let player = rules.seats.iter().find(|s| s.player.as_str() == to);
            let reader = match (to, player, side) {
                ("all", ..) => Some(Reader::All),
                // A side that one player holds has that player's name.
                (_, _, Some(side)) => Some(Reader::Side(side.side.clone())),
                (_, Some(player), None) => Some(Reader::Player(player.player.clone())),
                _ => None,
            };
            let anonymous = one.anonymous.as_ref().is_some_and(|a| *a.get_ref());
            if let Some(span) = one.anonymous.as_ref().filter(|_| anonymous && !rules.anonymous) {
                faults.push(
                    Diagnostic::error(None, "this game has no anonymous press")
                        .at(at(span.span()))
                        .help("leave the line out: the message is then shown with your seat"),
                );
            } else if one.text.get_ref().chars().count() > LONGEST {
                faults.push(
                    Diagnostic::error(
                        None,
                        format!("this message is longer than {LONGEST} letters"),
                    )
                    .at(at(one.to.span()))
                    .help("shorten it, or send two"),
                );
            } else if let Some(to) = reader {
                messages.push(Message { to, text: one.text.into_inner(), anonymous });
            } else {
                let mut known = vec!["all"];
                known.extend(rules.seats.iter().map(|s| s.side.as_str()));
                known.extend(rules.seats.iter().map(|s| s.player.as_str()));
                let mut seen = std::collections::BTreeSet::new();
                known.retain(|word| seen.insert(*word));
                let help = match did_you_mean(to, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("write one of: {}", known.join(", ")),
                };
                faults.push(
                    Diagnostic::error(None, format!("nobody is called `{to}`"))
                        .at(at(one.to.span()))
                        .help(help),
                );
            }
        }
    }
    (messages, faults)
}

impl Message {
    /// One line for a receipt.
    pub fn summary(&self) -> String {
        let words = self.text.split_whitespace().count();
        let who = if self.anonymous { ", without your name" } else { "" };
        let words = if words == 1 { "1 word".to_owned() } else { format!("{words} words") };
        format!("message to {} ({words}{who})", self.to.word())
    }
}

impl Reader {
    fn word(&self) -> &str {
        match self {
            Self::All => "all",
            Self::Side(side) => side,
            Self::Player(player) => player.as_str(),
        }
    }
}

/// The press of a phase as each viewer may read it; viewers without any are left out.
pub fn pages(orders: &BTreeMap<Id, Source>, rules: PressRules<'_>) -> BTreeMap<Viewer, String> {
    let mut pages: BTreeMap<Viewer, String> = BTreeMap::new();
    let mut viewers = vec![Viewer::Referee, Viewer::Public];
    viewers.extend(rules.seats.iter().map(|s| Viewer::Player(s.player.clone())));
    for (author, source) in orders {
        for message in read(source, rules).0 {
            for viewer in &viewers {
                let own = matches!(viewer, Viewer::Player(id) if id == author);
                let sees = own
                    || *viewer == Viewer::Referee
                    || match &message.to {
                        Reader::All => true,
                        Reader::Side(side) => rules.seats.iter().any(|s| {
                            s.side == *side && *viewer == Viewer::Player(s.player.clone())
                        }),
                        Reader::Player(id) => *viewer == Viewer::Player(id.clone()),
                    };
                if !sees {
                    continue;
                }
                let hidden = message.anonymous && !own && *viewer != Viewer::Referee;
                let from = if hidden { "somebody" } else { author.as_str() };
                let page = pages.entry(viewer.clone()).or_insert_with(|| "PRESS\n".to_owned());
                let _ = writeln!(page, "\n{from} to {}:", message.to.word());
                for paragraph in message.text.split('\n').filter(|p| !p.trim().is_empty()) {
                    for line in wrap_narrow(paragraph) {
                        let _ = writeln!(page, "  | {line}");
                    }
                }
            }
        }
    }
    pages
}

/// Words in lines that leave room for the mark before them: what a player writes can
/// never look like a line of the report.
fn wrap_narrow(text: &str) -> Vec<String> {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut lines = vec![String::new()];
    for word in plain.split_whitespace() {
        let width = lines.last().map_or(0, |l| unicode_width::UnicodeWidthStr::width(l.as_str()));
        let more = unicode_width::UnicodeWidthStr::width(word);
        if width > 0 && width + 1 + more > 66 {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// The sources of the files that count.
pub fn files(orders: &BTreeMap<Id, Submission>) -> BTreeMap<Id, Source> {
    let file = |(id, submission): (&Id, &Submission)| match submission {
        Submission::File(source) => Some((id.clone(), source.clone())),
        Submission::Missing | Submission::Idle => None,
    };
    orders.iter().filter_map(file).collect()
}

/// A page below a report in a mail.
pub fn below(page: Option<&String>) -> String {
    page.map_or_else(String::new, |page| format!("\n\n{}", page.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_blanked_and_nothing_moves() {
        let text = "a = 1\n[[message]]\nto = \"all\"\ntext = \"\"\"\n[[walk]]\n\u{fc}\"\"\"\n\
                    [[walk]]\nby = 1\n# [[message]]\n";
        let source = Source::new("a", text);
        let bare = without(&source);
        assert_eq!(bare.text.len(), text.len());
        let table: toml::Table = toml::from_str(&bare.text).unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), ["a", "walk"]);
        assert_eq!(bare.text.find("by = 1"), text.find("by = 1"));
        assert!(wrap_narrow(&"word ".repeat(30)).iter().all(|line| line.len() <= 66));
    }
}
