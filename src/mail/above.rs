//! Orders typed above a quoted form, without a header of their own: most mail programs
//! put the cursor there. They take the header of the form below them.

use super::orders::{is_toml, key, unquote};
use super::tidy;

/// True for a line that begins orders.
fn begins(line: &str) -> bool {
    let line = line.trim();
    (line.starts_with('[') && line.ends_with(']') && is_toml(line) && line.len() > 2)
        || line.starts_with("losses")
}

/// The orders that stand unquoted before any header, if there are some.
pub(super) fn typed_above(text: &str) -> Option<Vec<String>> {
    let (text, _) = tidy::always(text);
    let above: Vec<&str> =
        text.lines().take_while(|line| unquote(line).0 == 0 && key(line) != Some("game")).collect();
    let first = above.iter().position(|line| begins(line))?;
    Some(above[first..].iter().map(|line| (*line).to_owned()).collect())
}

/// An order file made of the header of a form and the orders typed above it; what was
/// written into the form stands below them.
pub(super) fn under_header(form: &str, typed: &[String]) -> String {
    let lines: Vec<&str> = form.lines().collect();
    let tables = lines.iter().position(|line| line.trim_start().starts_with('['));
    let (header, rest) = lines.split_at(tables.unwrap_or(lines.len()));
    let mut out: Vec<&str> = header.to_vec();
    out.extend(typed.iter().map(String::as_str));
    out.extend(rest);
    out.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_above_a_quote_are_found_and_talk_is_not() {
        let mail =
            "Hello,\n\n[[move]]\nunits = [\"a\"]\n\nBob\n\nOn Monday wrote:\n> game = \"g\"\n";
        let typed = typed_above(mail).unwrap();
        assert_eq!(typed[0], "[[move]]");
        assert!(typed_above("may forts move?\n> game = \"g\"\n").is_none());
        assert!(typed_above("game = \"g\"\n[[move]]\n").is_none(), "that is a file of its own");
        let file = under_header("game = \"g\"\nfinal = true\n[[fire]]\n", &typed[..2]);
        assert_eq!(file, "game = \"g\"\nfinal = true\n[[move]]\nunits = [\"a\"]\n[[fire]]\n");
    }
}
