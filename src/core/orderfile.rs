//! The header of an order file (`docs/dice.md`, 5.4): who orders what, in which
//! phase of which game, on which ledger head.
//!
//! It is read line by line, before the first table header, so that a script of a
//! few lines can read it as this program does.

use std::ops::Range;

use super::diag::{Diagnostic, did_you_mean};
use super::hash::Hex64;
use super::id::Id;
use super::source::Source;

mod expected;

pub use expected::{Expected, check_header};

/// A value of the header and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<T> {
    /// The value.
    pub value: T,
    /// The bytes of the value in the source.
    pub span: Range<usize>,
}

/// The header of an order file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The game.
    pub game: Field<Id>,
    /// The phase, from 1.
    pub phase: Field<u32>,
    /// Whose orders these are.
    pub player: Field<Id>,
    /// The head that the call names; `None` only in a [`Form::Sample`].
    pub head: Option<Field<Hex64>>,
    /// The ticket of the form; `None` only in a [`Form::Sample`].
    pub ticket: Option<Field<Hex64>>,
    /// A set that need not wait for the deadline.
    pub final_: bool,
}

/// How much of a header must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file of a game: all of it.
    Game,
    /// A sample or a file written by hand for a test: head and ticket may be absent.
    Sample,
}

const KEYS: [&str; 6] = ["game", "phase", "player", "head", "ticket", "final"];
const COPY: &str = "copy the line from the form that you were sent";

/// A line `key = value` of the header, with the bytes of both.
struct Line<'a> {
    key: &'a str,
    value: &'a str,
    key_at: Range<usize>,
    value_at: Range<usize>,
}

/// Reads the header.
///
/// # Errors
/// Every fault of it at once.
pub fn read_header(source: &Source, form: Form) -> Result<Header, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut found: [Option<Line<'_>>; 6] = [const { None }; 6];
    let mut strange = Vec::new();
    let top = top_lines(&source.text);
    for line in top.lines {
        let Some(index) = KEYS.iter().position(|key| *key == line.key) else {
            strange.push(line);
            continue;
        };
        if let Some(first) = &found[index] {
            faults.push(
                Diagnostic::error(None, format!("`{}` is given twice in the header", line.key))
                    .at(line.key_at)
                    .label("the second time")
                    .also(first.key_at.clone(), "the first time")
                    .help("keep one of the two lines: the one of the form that you were sent"),
            );
        } else {
            found[index] = Some(line);
        }
    }
    // A key that is missing may be there in other letters.
    for line in &strange {
        let missing = KEYS.iter().zip(&found).filter(|(_, line)| line.is_none());
        if let Some(key) = did_you_mean(&line.key.to_lowercase(), missing.map(|(key, _)| *key)) {
            faults.push(
                Diagnostic::warning(None, format!("`{}` is no key of the header", line.key))
                    .at(line.key_at.clone())
                    .help(format!("did you mean `{key}`?")),
            );
        }
    }

    let mut reading = Reading { faults, below: top.below };
    let [game, phase, player, head, ticket, last] = &found;
    let game = reading.need("game", game.as_ref(), true, |line| id(line, Id::new));
    let phase = reading.need("phase", phase.as_ref(), true, number);
    let player = reading.need("player", player.as_ref(), true, |line| id(line, Id::player));
    let whole = form == Form::Game;
    let head = reading.need("head", head.as_ref(), whole, |line| digits(line, "head"));
    let ticket = reading.need("ticket", ticket.as_ref(), whole, |line| digits(line, "ticket"));
    let last = reading.need("final", last.as_ref(), false, boolean);
    let bad = reading.faults.iter().any(|f| f.severity == super::diag::Severity::Error);
    match (game, phase, player) {
        (Some(game), Some(phase), Some(player)) if !bad => Ok(Header {
            game,
            phase,
            player,
            head,
            ticket,
            final_: last.is_some_and(|field| field.value),
        }),
        _ => Err(reading.faults),
    }
}

/// The lines before the first table, or before the first text of several lines, which
/// may hold anything; and those keys of the header that stand after it, where they
/// count for nothing.
struct Top<'a> {
    lines: Vec<Line<'a>>,
    below: Vec<Line<'a>>,
}

fn top_lines(text: &str) -> Top<'_> {
    let mut top = Top { lines: Vec::new(), below: Vec::new() };
    let (mut at, mut in_table) = (0, false);
    for whole in text.split_inclusive('\n') {
        let start = at;
        at += whole.len();
        let line = whole.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        in_table |= line.starts_with('[') || ["\"\"\"", "'''"].iter().any(|q| line.contains(q));
        let Some((key, rest)) = whole.split_once('=') else { continue };
        let key_at = start + (key.len() - key.trim_start().len());
        let value = without_comment(rest).trim();
        let value_at = start + key.len() + 1 + (rest.len() - rest.trim_start().len());
        let line = Line {
            key: key.trim(),
            value,
            key_at: key_at..key_at + key.trim().len(),
            value_at: value_at..value_at + value.len(),
        };
        if !in_table {
            top.lines.push(line);
        } else if KEYS.contains(&line.key) {
            top.below.push(line);
        }
    }
    top
}

/// A value without the comment after it; a `#` between quotes is no comment.
fn without_comment(rest: &str) -> &str {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '#') => return &rest[..at],
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    rest
}

/// What a line holds, or what is wrong with it and what would be right.
type Read<T> = Result<T, (String, String)>;

struct Reading<'a> {
    faults: Vec<Diagnostic>,
    below: Vec<Line<'a>>,
}

impl Reading<'_> {
    fn need<T>(
        &mut self,
        key: &str,
        line: Option<&Line<'_>>,
        required: bool,
        read: impl Fn(&Line<'_>) -> Read<T>,
    ) -> Option<Field<T>> {
        let Some(line) = line else {
            if required {
                let fault = Diagnostic::error(None, format!("the header has no line `{key} = `"));
                self.faults.push(match self.below.iter().find(|line| line.key == key) {
                    Some(line) => fault
                        .at(line.key_at.clone())
                        .label("here it is no part of the header")
                        .help("move it above the first line that begins with `[`"),
                    None => fault.help(format!("{COPY}; it stands above the first order")),
                });
            }
            return None;
        };
        match read(line) {
            Ok(value) => Some(Field { value, span: line.value_at.clone() }),
            Err((message, help)) => {
                let span = if line.value.is_empty() { &line.key_at } else { &line.value_at };
                self.faults.push(Diagnostic::error(None, message).at(span.clone()).help(help));
                None
            }
        }
    }
}

/// The text between double quotes.
fn quoted<'a>(line: &Line<'a>) -> Read<&'a str> {
    let inner = line.value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(text) if !text.contains(['"', '\\']) => Ok(text),
        _ => Err((
            format!("`{}` is {}, not a text in double quotes", line.key, shown(line.value)),
            format!("write `{} = \"...\"`; {COPY}", line.key),
        )),
    }
}

fn shown(value: &str) -> String {
    if value.is_empty() { "empty".to_owned() } else { format!("`{value}`") }
}

fn id(line: &Line<'_>, read: fn(&str) -> Result<Id, super::id::IdError>) -> Read<Id> {
    read(quoted(line)?).map_err(|fault| (fault.to_string(), COPY.to_owned()))
}

fn number(line: &Line<'_>) -> Read<u32> {
    let plain = !line.value.starts_with('0') && line.value.bytes().all(|b| b.is_ascii_digit());
    line.value.parse().ok().filter(|_| plain).ok_or_else(|| {
        (
            format!("`phase` is {}, not a whole number from 1", shown(line.value)),
            "write the number without quotes, such as `phase = 7`".to_owned(),
        )
    })
}

fn digits(line: &Line<'_>, what: &str) -> Read<Hex64> {
    let text = quoted(line)?;
    Hex64::new(text).map_err(|_| {
        let count = text.chars().count();
        let found = if count == 64 {
            "64 characters that are not all digits 0-9 a-f".to_owned()
        } else {
            format!("{count} characters")
        };
        (format!("`{what}` has {found}, not 64 digits 0-9 a-f"), COPY.to_owned())
    })
}

fn boolean(line: &Line<'_>) -> Read<bool> {
    match line.value {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err((
            format!("`final` is {}, neither true nor false", shown(other)),
            "write `final = true` if your orders need not wait for the deadline".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Header, Vec<Diagnostic>> {
        read_header(&Source::new("a.toml", text), Form::Game)
    }

    fn whole() -> String {
        let digits = "0a".repeat(32);
        format!(
            "# form\ngame   = \"g\"\nphase  = 7   # seven\nplayer = \"red\"\nhead = \"{digits}\"\n\
             ticket = \"{digits}\"\nfinal  = true        # done\n\n[[move]]\nphase = 9\n"
        )
    }

    #[test]
    fn reads_the_header_above_the_first_table() {
        let text = whole();
        let header = header(&text).unwrap();
        assert_eq!((header.game.value.as_str(), header.phase.value, header.final_), ("g", 7, true));
        assert_eq!(&text[header.player.span], "\"red\"");
        assert_eq!(&text[header.phase.span], "7");
    }

    #[test]
    fn what_stands_in_a_text_is_no_header() {
        let below = "note = \"\"\"\ngame = \"other\"\nplayer = \"blue\"\n\"\"\"\n[[move]]\n";
        let text = whole().replace("[[move]]\n", below);
        assert_eq!(header(&text).unwrap().player.value.as_str(), "red");
        let text = text.replace("\"\"\"", "'''");
        assert_eq!(header(&text).unwrap().game.value.as_str(), "g");
        // Above the header the text ends it: nothing in it or after it counts.
        let above = format!("note = \"\"\"\n{}\"\"\"\n{}", whole(), whole());
        assert!(header(&above).is_err());
        let remark = whole().replace("# form", "# \"\"\"");
        assert!(header(&remark).is_ok(), "a remark is no text");
    }

    #[test]
    fn gathers_every_fault() {
        let faults = header(
            "Game = \"g\"\nphase = \"7\"\nphase = 7\nplayer = 'red'\nhead = \"12\"\nfinal = yes\n\
             [[move]]\nticket = \"a\"\n",
        )
        .unwrap_err();
        let mut words: Vec<_> = faults.iter().map(|fault| fault.message.as_str()).collect();
        words.sort_unstable();
        assert_eq!(
            words,
            [
                "`Game` is no key of the header",
                "`final` is `yes`, neither true nor false",
                "`head` has 2 characters, not 64 digits 0-9 a-f",
                "`phase` is `\"7\"`, not a whole number from 1",
                "`phase` is given twice in the header",
                "`player` is `'red'`, not a text in double quotes",
                "the header has no line `game = `",
                "the header has no line `ticket = `",
            ]
        );
        assert!(faults.iter().all(|fault| fault.help.is_some() && fault.rule.is_none()));
    }

    #[test]
    fn a_sample_may_omit_head_and_ticket() {
        let source = Source::new("a.toml", "game = \"g\"\nphase = 1\nplayer = \"red\"\n");
        assert_eq!(read_header(&source, Form::Game).unwrap_err().len(), 2);
        assert!(read_header(&source, Form::Sample).unwrap().head.is_none());
    }

    #[test]
    fn each_thing_that_differs_is_a_fault_of_its_own() {
        let header = header(&whole()).unwrap();
        let (g, h) = (Id::new("g").unwrap(), Id::new("h").unwrap());
        let (red, blue) = (Id::new("red").unwrap(), Id::new("blue").unwrap());
        let (a, b) = (Hex64::from_bytes([0x0a; 32]), Hex64::from_bytes([0x0b; 32]));
        let right = Expected {
            game: &g,
            phase: 7,
            player: &red,
            head: &a,
            ticket: Some(&a),
            replaced: &[],
        };
        let words = |expected: Expected<'_>| -> Vec<String> {
            check_header(&header, &expected).into_iter().map(|fault| fault.message).collect()
        };
        assert!(words(right).is_empty());
        for (expected, message) in [
            (Expected { game: &h, ..right }, "these are orders of the game `g`, not of `h`"),
            (Expected { phase: 8, ..right }, "this form is of phase 7; phase 8 is open"),
            (Expected { phase: 6, ..right }, "phase 7 has not been called; phase 6 is open"),
            (Expected { player: &blue, ..right }, "these are orders of `red`, not of `blue`"),
            (Expected { head: &b, ..right }, "the head is not the one that the call names"),
            (Expected { ticket: Some(&b), ..right }, "the ticket is not that of your form"),
            (
                Expected { ticket: Some(&b), replaced: &[a], ..right },
                "the ticket is of an earlier form, which a later one replaced",
            ),
        ] {
            assert_eq!(words(expected), [message]);
        }
    }
}
