//! Reads TOML that a person wrote, key by key, and gathers every fault: syntax,
//! unknown keys, wrong types, missing keys. (serde stops at its first fault, and
//! players want to see them all.)

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diag::{Diagnostic, did_you_mean};

/// A value with the bytes that it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Its bytes in the source.
    pub span: Range<usize>,
}

impl<T> At<T> {
    /// Joins a value and its place.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }
}

/// Parses a text; syntax faults go to `faults`, and what could be read is passed
/// to `visit` all the same.
pub fn document<R>(
    text: &str,
    faults: &mut Vec<Diagnostic>,
    visit: impl FnOnce(&mut Table<'_, '_>, &mut Vec<Diagnostic>) -> R,
) -> R {
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let mut fault = Diagnostic::error(None, format!("this is not TOML: {}", error.message()));
        if let Some(span) = error.span() {
            fault = fault.at(span);
        }
        faults.push(fault.help("texts stand in \"quotes\", lists in [brackets], and each [[order]] starts on a line of its own"));
    }
    let span = root.span();
    let mut table = Table { entries: root.get_ref(), span, known: Vec::new() };
    visit(&mut table, faults)
}

/// Where tables begin: lines that start with a bracket and hold nothing else.
pub fn heads(text: &str) -> Vec<usize> {
    let mut at = 0;
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let words = line.split('#').next().unwrap_or("").trim();
        if words.starts_with('[') && words.ends_with(']') && !words.contains(',') {
            out.push(at + line.len() - line.trim_start().len());
        }
        at += line.len();
    }
    out
}

/// One table of a document; remembers which keys were asked for.
#[derive(Debug)]
pub struct Table<'a, 'i> {
    entries: &'a DeTable<'i>,
    span: Range<usize>,
    known: Vec<&'static str>,
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn wrong(key: &str, value: &Spanned<DeValue<'_>>, wanted: &str, example: &str) -> Diagnostic {
    Diagnostic::error(None, format!("`{key}` wants {wanted}, not {}", kind(value.get_ref())))
        .at(value.span())
        .help(format!("write it like this: {example}"))
}

impl<'a, 'i> Table<'a, 'i> {
    /// Where the table stands; for a `[[table]]` its header line.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The place of a key, if it is there.
    pub fn key_span(&self, key: &str) -> Option<Range<usize>> {
        self.entries.iter().find(|(k, _)| k.get_ref() == key).map(|(k, _)| k.span())
    }

    fn take(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'i>>> {
        self.known.push(key);
        self.entries.iter().find(|(k, _)| k.get_ref() == key).map(|(_, v)| v)
    }

    /// A text.
    pub fn text(&mut self, key: &'static str, faults: &mut Vec<Diagnostic>) -> Option<At<String>> {
        let value = self.take(key)?;
        if let DeValue::String(s) = value.get_ref() {
            Some(At::new(s.to_string(), value.span()))
        } else {
            faults.push(wrong(key, value, "a text", &format!("{key} = \"...\"")));
            None
        }
    }

    /// True or false.
    pub fn flag(&mut self, key: &'static str, faults: &mut Vec<Diagnostic>) -> Option<At<bool>> {
        let value = self.take(key)?;
        if let DeValue::Boolean(b) = value.get_ref() {
            Some(At::new(*b, value.span()))
        } else {
            faults.push(wrong(key, value, "true or false", &format!("{key} = true")));
            None
        }
    }

    /// A whole number from 0.
    pub fn number(&mut self, key: &'static str, faults: &mut Vec<Diagnostic>) -> Option<At<u32>> {
        let value = self.take(key)?;
        if let DeValue::Integer(n) = value.get_ref()
            && let Ok(n) = u32::from_str_radix(n.as_str(), n.radix())
        {
            return Some(At::new(n, value.span()));
        }
        faults.push(wrong(key, value, "a whole number from 0", &format!("{key} = 1")));
        None
    }

    /// A list of texts; a single text counts as a list of one.
    pub fn texts(
        &mut self,
        key: &'static str,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<At<Vec<At<String>>>> {
        let value = self.take(key)?;
        let example = format!("{key} = [\"...\", \"...\"]");
        match value.get_ref() {
            DeValue::String(s) => {
                let one = At::new(s.to_string(), value.span());
                Some(At::new(vec![one], value.span()))
            }
            DeValue::Array(items) => {
                let mut out = Vec::new();
                for item in items {
                    match item.get_ref() {
                        DeValue::String(s) => out.push(At::new(s.to_string(), item.span())),
                        _ => faults.push(wrong(key, item, "texts in its list", &example)),
                    }
                }
                Some(At::new(out, value.span()))
            }
            _ => {
                faults.push(wrong(key, value, "a list of texts", &example));
                None
            }
        }
    }

    /// A list of numbers, with or without a point, each as it was written.
    pub fn figures(
        &mut self,
        key: &'static str,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<At<Vec<At<String>>>> {
        let value = self.take(key)?;
        let example = format!("{key} = [12.5, 30]");
        let DeValue::Array(items) = value.get_ref() else {
            faults.push(wrong(key, value, "a list of numbers", &example));
            return None;
        };
        let mut out = Vec::new();
        for item in items {
            match item.get_ref() {
                DeValue::Integer(n) => out.push(At::new(n.as_str().to_owned(), item.span())),
                DeValue::Float(n) => out.push(At::new(n.as_str().to_owned(), item.span())),
                _ => faults.push(wrong(key, item, "numbers in its list", &example)),
            }
        }
        Some(At::new(out, value.span()))
    }

    /// The tables written `[[key]]`, in the order of the file.
    pub fn tables(
        &mut self,
        key: &'static str,
        faults: &mut Vec<Diagnostic>,
    ) -> Vec<Table<'a, 'i>> {
        let Some(value) = self.take(key) else { return Vec::new() };
        let mut out = Vec::new();
        let example = format!("[[{key}]] on a line of its own");
        match value.get_ref() {
            DeValue::Array(items) => {
                for item in items {
                    match item.get_ref() {
                        DeValue::Table(entries) => {
                            out.push(Table { entries, span: item.span(), known: Vec::new() });
                        }
                        _ => faults.push(wrong(key, item, "tables", &example)),
                    }
                }
            }
            DeValue::Table(entries) => {
                faults.push(
                    Diagnostic::error(None, format!("`[{key}]` needs double brackets"))
                        .at(self.key_span(key).unwrap_or(value.span()))
                        .help(format!("write [[{key}]]: there may be several")),
                );
                out.push(Table { entries, span: value.span(), known: Vec::new() });
            }
            _ => faults.push(wrong(key, value, "tables", &example)),
        }
        out
    }

    /// The table written `[key]`.
    pub fn table(
        &mut self,
        key: &'static str,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<Table<'a, 'i>> {
        let value = self.take(key)?;
        if let DeValue::Table(entries) = value.get_ref() {
            Some(Table { entries, span: value.span(), known: Vec::new() })
        } else {
            faults.push(wrong(key, value, "a table", &format!("[{key}]")));
            None
        }
    }

    /// Says that a key is missing, if it is.
    pub fn require(&self, key: &str, what: &str, faults: &mut Vec<Diagnostic>) {
        if self.key_span(key).is_none() {
            faults.push(
                Diagnostic::error(None, format!("this {what} has no `{key}`"))
                    .at(self.span())
                    .help(format!("add a line `{key} = ...` below it")),
            );
        }
    }

    /// Lets a key pass without reading it: somebody else does.
    pub fn allow(&mut self, key: &'static str) {
        self.known.push(key);
    }

    /// Reports every key that was not asked for.
    pub fn finish(&self, what: &str, faults: &mut Vec<Diagnostic>) {
        for (key, _) in self.entries {
            let name: &str = key.get_ref();
            if self.known.contains(&name) {
                continue;
            }
            let mut fault =
                Diagnostic::error(None, format!("`{name}` is no key of {what}")).at(key.span());
            fault = match did_you_mean(name, self.known.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help(format!("it has: {}", self.known.join(", "))),
            };
            faults.push(fault);
        }
    }
}
