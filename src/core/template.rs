//! Templates of reports and forms: layout only. What they show is decided before,
//! in the view model that they are given.

use std::sync::{Mutex, PoisonError};

use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior, syntax::SyntaxConfig};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Why a template could not be rendered: its name, line and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the template {name} cannot be rendered: {what}")]
pub struct TemplateError {
    /// Its file.
    pub name: String,
    /// What minijinja says, with the line.
    pub what: String,
}

/// The width of every text that goes into a mail.
pub const WIDTH: usize = 72;

/// The line between two parts of a template; each part is laid out for itself.
const PART: &str = "{# part #}\n";

/// A template, compiled once; an unknown name in it is an error when it is rendered.
///
/// Filters: `left(n)` and `right(n)` pad to n columns, `wrap(first, next)` breaks
/// at 72 columns with that many blanks before the first and the further lines,
/// `across(text)` puts a second text at the right end of the line, or of the next.
///
/// A line `{# part #}` parts a template in two; see [`Sheet`].
#[derive(Debug)]
pub struct Template {
    name: String,
    env: Environment<'static>,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    name: String,
    /// Lines of the file before it, which stand empty in its source so that faults
    /// name the right line.
    above: usize,
    /// The fields of a model that it shows.
    fields: Vec<String>,
}

/// What was laid out with a template. A part that is given what it was given before is
/// not laid out again: most of the reports of a phase is the same for all.
#[derive(Debug)]
pub struct Sheet<'a> {
    template: &'a Template,
    /// By part.
    laid: Vec<Mutex<Laid>>,
}

/// What a part was given, and what became of it.
type Laid = Vec<(Vec<Value>, String)>;

impl Template {
    /// Compiles a template.
    ///
    /// # Errors
    /// What is wrong with it, with the line.
    pub fn new(name: &str, source: &str) -> Result<Self, TemplateError> {
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
        let mut env = Environment::new();
        env.set_syntax(syntax.build().map_err(|e| wrong(name, &e))?);
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.add_filter("left", |text: Value, width: usize| pad(&text.to_string(), width, false));
        env.add_filter("right", |text: Value, width: usize| pad(&text.to_string(), width, true));
        env.add_filter("wrap", |text: Value, first: usize, next: usize| {
            wrap(&text.to_string(), first, next, WIDTH)
        });
        env.add_filter("across", |left: Value, right: Value| {
            across(&left.to_string(), &right.to_string())
        });
        env.add_filter("sign", |n: i64| format!("{n:+}"));
        let texts: Vec<&str> = source.split(PART).collect();
        let mut parts = Vec::new();
        let mut above = 0;
        for (number, text) in texts.iter().enumerate() {
            let part = if number == 0 { name.to_owned() } else { format!("{name}#{number}") };
            let padded = format!("{}{text}", "\n".repeat(above));
            env.add_template_owned(part.clone(), padded).map_err(|e| wrong(name, &e))?;
            // The only part of a template is laid out each time, whatever it shows.
            let mut fields = Vec::new();
            if texts.len() > 1 {
                let template = env.get_template(&part).map_err(|e| wrong(name, &e))?;
                fields.extend(template.undeclared_variables(false));
                fields.sort();
            }
            parts.push(Part { name: part, above, fields });
            above += text.matches('\n').count() + 1;
        }
        Ok(Self { name: name.to_owned(), env, parts })
    }

    /// An empty sheet.
    pub fn sheet(&self) -> Sheet<'_> {
        Sheet { template: self, laid: self.parts.iter().map(|_| Mutex::default()).collect() }
    }

    /// Renders it once.
    ///
    /// # Errors
    /// As [`Sheet::render`].
    pub fn render<T: Serialize>(&self, model: &T) -> Result<String, TemplateError> {
        self.sheet().render(model)
    }
}

impl Sheet<'_> {
    /// Renders the template with a model.
    ///
    /// # Errors
    /// A name that the model does not have, with the line.
    pub fn render<T: Serialize>(&self, model: &T) -> Result<String, TemplateError> {
        let Template { name, env, parts } = self.template;
        let model = Value::from(Serde(model));
        let mut out = String::new();
        for (part, laid) in parts.iter().zip(&self.laid) {
            let given = part.fields.iter().map(|field| model.get_attr(field));
            let given: Vec<Value> = given.collect::<Result<_, _>>().map_err(|e| wrong(name, &e))?;
            // A poisoned memory is no worse than none.
            let mut laid = laid.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, text)) = laid.iter().find(|(before, _)| *before == given) {
                out.push_str(text);
                continue;
            }
            let template = env.get_template(&part.name).map_err(|e| wrong(name, &e))?;
            let text = template.render(&model).map_err(|e| wrong(name, &e))?;
            let text = text.get(part.above..).unwrap_or_default();
            out.push_str(text);
            if parts.len() > 1 {
                laid.push((given, text.to_owned()));
            }
        }
        Ok(out)
    }
}

fn wrong(name: &str, error: &minijinja::Error) -> TemplateError {
    TemplateError {
        name: name.to_owned(),
        what: format!("{error} (line {})", error.line().unwrap_or(0)),
    }
}

/// No blanks at line ends, no empty lines at the end, at most one in a row.
pub fn normal(text: &str) -> String {
    let mut out = String::new();
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() {
            empty = true;
            continue;
        }
        if empty && !out.is_empty() {
            out.push('\n');
        }
        empty = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Pads to a number of columns; a longer text is left as it is.
pub fn pad(text: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(text.width()));
    if right { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// Two texts at both ends of a line of 72 columns; on two lines, where one is too
/// short for them.
pub fn across(left: &str, right: &str) -> String {
    let room = WIDTH.saturating_sub(left.width());
    if right.width() < room {
        format!("{left}{}", pad(right, room, true))
    } else {
        format!("{left}\n{}", pad(right, WIDTH, true))
    }
}

/// Breaks a text between words at a width, with so many blanks before the first
/// line and the further ones; a longer word stands alone on its line.
pub fn wrap(text: &str, first: usize, next: usize, width: usize) -> String {
    let mut lines = Vec::new();
    let mut line = " ".repeat(first);
    let mut empty = true;
    let mut words: Vec<&str> = text.split_whitespace().rev().collect();
    while let Some(word) = words.pop() {
        // A long path breaks after one of its hyphens.
        let room = width.saturating_sub(next);
        let word = match word.get(..room).and_then(|part| part.rfind('-')) {
            Some(at) if word.width() > room => {
                words.push(&word[at + 1..]);
                &word[..=at]
            }
            _ => word,
        };
        if !empty && line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(next)));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_out_words_and_columns() {
        assert_eq!(wrap("one two three four", 2, 4, 12), "  one two\n    three\n    four");
        assert_eq!(wrap("to 0101-0102-0103", 0, 2, 12), "to\n  0101-0102-\n  0103");
        assert_eq!(pad("x", 3, true), "  x");
        assert_eq!(across("a", "b"), format!("a{}b", " ".repeat(70)));
        let (a, b) = ("a".repeat(30), "b".repeat(42));
        assert_eq!(across(&a, &b), format!("{a}\n{}{b}", " ".repeat(30)));
        let sheet = Template::new("t.txt.j2", "{{ a | left(4) }}|{{ b | sign }}\n").unwrap();
        assert_eq!(sheet.render(&serde_json::json!({"a": "x", "b": 2})).unwrap(), "x   |+2\n");
        assert!(sheet.render(&serde_json::json!({ "a": "x" })).is_err());
        assert!(Template::new("t.txt.j2", "{{ a").is_err());
    }

    #[test]
    fn a_part_is_laid_out_anew_when_it_is_given_something_else() {
        let source = "{{ a }}\n{# part #}\n{% for x in b %}\n{{ x.c }}{{ a }}\n{% endfor %}\n\
                      {# part #}\n{{ d }}\n";
        let template = Template::new("t.txt.j2", source).unwrap();
        let sheet = template.sheet();
        let model = |a: u32, c: &str| serde_json::json!({"a": a, "b": [{"c": c}], "d": "e"});
        for (a, c) in [(1, "x"), (1, "x"), (2, "x"), (2, "y"), (1, "x")] {
            assert_eq!(sheet.render(&model(a, c)).unwrap(), format!("{a}\n{c}{a}\ne\n"));
        }
        let short = serde_json::json!({"a": 1, "b": []});
        let fault = sheet.render(&short).unwrap_err();
        assert!(fault.what.ends_with("(line 7)"), "{fault}");
    }
}
