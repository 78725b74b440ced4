//! Faults as data, and the one place that draws them.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

use super::rule::Rule;
use super::source::Source;

/// What a diagnostic does to the order it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The order is refused (or, for a header, the file).
    Error,
    /// Legal, probably not what was wanted.
    Warning,
    /// For information.
    Note,
}

/// One fault: where, which rule, what was found and what would be legal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// What it does.
    pub severity: Severity,
    /// The rule that it cites, if it is a fault of rules.
    pub rule: Option<Rule>,
    /// What was found, lower case, without a full stop.
    pub message: String,
    /// The bytes of the source that are underlined.
    pub span: Option<Range<usize>>,
    /// The words beside the underline.
    pub label: Option<String>,
    /// Other places that explain it.
    pub also: Vec<(Range<usize>, String)>,
    /// Facts worth knowing.
    pub notes: Vec<String>,
    /// What would be legal, or the way out.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A fault that refuses an order or a file.
    pub fn error(rule: Option<Rule>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, rule, message.into())
    }

    /// A legal order that is probably not what was wanted.
    pub fn warning(rule: Option<Rule>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, rule, message.into())
    }

    /// Something worth knowing.
    pub fn remark(rule: Option<Rule>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, rule, message.into())
    }

    fn new(severity: Severity, rule: Option<Rule>, message: String) -> Self {
        Self {
            severity,
            rule,
            message,
            span: None,
            label: None,
            also: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Underlines these bytes.
    #[must_use]
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }

    /// Writes beside the underline.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = Some(text.into());
        self
    }

    /// Points at another place too.
    #[must_use]
    pub fn also(mut self, span: Range<usize>, text: impl Into<String>) -> Self {
        self.also.push((span, text.into()));
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what would be legal.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The fault as people read it, drawn on its source.
    pub fn render(&self, source: &Source, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let id = self.rule.map(|r| r.0.to_owned());
        let mut title = level.primary_title(self.message.as_str());
        if let Some(id) = &id {
            title = title.id(id.as_str());
        }
        let mut group = Group::with_title(title);
        if let Some(span) = &self.span {
            let clip = |s: &Range<usize>| clip(&source.text, s);
            let mut main = AnnotationKind::Primary.span(clip(span));
            if let Some(label) = &self.label {
                main = main.label(label.as_str());
            }
            let mut snippet =
                Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(main);
            for (other, text) in &self.also {
                snippet = snippet
                    .annotation(AnnotationKind::Context.span(clip(other)).label(text.as_str()));
            }
            group = group.element(snippet);
        } else {
            group = group.element(annotate_snippets::Origin::path(source.name.as_str()));
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

fn clip(text: &str, span: &Range<usize>) -> Range<usize> {
    let bound = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = bound(span.start);
    start..bound(span.end).max(start)
}

/// How many faults of one file are drawn; the rest are counted.
const DRAWN: usize = 100;

/// All faults of a file, by place; beyond a hundred, how many more there are.
pub fn render_all(faults: &[Diagnostic], source: &Source, colour: bool) -> String {
    let mut sorted: Vec<&Diagnostic> = faults.iter().collect();
    sorted.sort_by_key(|d| (d.span.as_ref().map_or(0, |s| s.start), d.severity));
    let mut out = String::new();
    for fault in sorted.iter().take(DRAWN) {
        let _ = writeln!(out, "{}\n", fault.render(source, colour));
    }
    if sorted.len() > DRAWN {
        let _ = writeln!(out, "... and {} more; mend these first\n", sorted.len() - DRAWN);
    }
    out
}

/// How many errors, warnings and notes there are, in words; `no faults` if none.
pub fn count(faults: &[Diagnostic]) -> String {
    let of = |s| faults.iter().filter(|d| d.severity == s).count();
    let words: Vec<String> = [
        (of(Severity::Error), "error"),
        (of(Severity::Warning), "warning"),
        (of(Severity::Note), "note"),
    ]
    .iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{n} {word}{}", if *n == 1 { "" } else { "s" }))
    .collect();
    if words.is_empty() { "no faults".to_owned() } else { words.join(", ") }
}

/// A diagnostic with the places of its spans, as JSON gives it.
pub fn to_json(fault: &Diagnostic, source: &Source) -> serde_json::Value {
    let place = |span: &Range<usize>| {
        serde_json::json!({
            "from": source.place(span.start),
            "to": source.place(span.end),
            "text": source.text.get(span.clone()).unwrap_or_default(),
        })
    };
    serde_json::json!({
        "file": source.name,
        "severity": fault.severity,
        "rule": fault.rule,
        "message": fault.message,
        "at": fault.span.as_ref().map(place),
        "label": fault.label,
        "also": fault.also.iter()
            .map(|(s, text)| serde_json::json!({ "at": place(s), "label": text }))
            .collect::<Vec<_>>(),
        "notes": fault.notes,
        "help": fault.help,
    })
}

/// The word nearest to `given` among `known`, if it is near enough to be meant.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + given.chars().count() / 4;
    known
        .into_iter()
        .map(|word| (distance(given, word), word))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, word)| word)
}

/// Edit distance with transpositions of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(rows[i - 2][j - 2] + 1);
            }
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_a_fault_with_its_rule_and_the_way_out() {
        let source = Source::new("mahdi.toml", "[[move]]\npath = [\"1014\", \"1213\"]\n");
        let fault = Diagnostic::error(Some(Rule("5.2.6")), "`mulazmin-07` must stop in 1113")
            .at(25..31)
            .label("third step")
            .also(17..23, "in the zone of control of x-sud")
            .note("a note")
            .help("end the path in 1113");
        insta::assert_snapshot!(fault.render(&source, false), @r#"
        error[5.2.6]: `mulazmin-07` must stop in 1113
         --> mahdi.toml:2:17
          |
        2 | path = ["1014", "1213"]
          |         ------  ^^^^^^ third step
          |         |
          |         in the zone of control of x-sud
          |
          = note: a note
          = help: end the path in 1113
        "#);
    }

    #[test]
    fn guesses_what_was_meant() {
        assert_eq!(did_you_mean("degehim-01", ["degheim-01", "mulazmin-01"]), Some("degheim-01"));
        assert_eq!(did_you_mean("fortress", ["form", "hash"]), None);
    }
}
