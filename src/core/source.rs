//! A text file that somebody sent: read once, with every fault of its encoding
//! found before anybody parses it.

use std::ops::Range;

use serde::Serialize;

use super::diag::Diagnostic;

/// The largest order file that is read, in bytes: ten times what the largest side of
/// the largest scenario can need.
pub const LARGEST: usize = 1 << 18;

/// A file's name and its text, ready to be parsed; spans of diagnostics count
/// bytes in `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name shown to people, such as `british.toml`.
    pub name: String,
    /// The text: no byte order mark, every line end one LF.
    pub text: String,
    /// What was changed to read it, in words for a receipt.
    pub changed: Vec<String>,
}

/// A place in a source as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Source {
    /// A source made by the program itself.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), changed: Vec::new() }
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// One diagnostic that says what the bytes are instead of UTF-8 text: too
    /// long, binary, UTF-16 or another encoding (with the line and the byte).
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Box<Diagnostic>> {
        let fail = |message: String, help: &str| {
            Err(Box::new(Diagnostic::error(None, message).help(help)))
        };
        if bytes.len() > LARGEST {
            return fail(
                format!("this file has {} bytes; an order file has at most {LARGEST}", bytes.len()),
                "send only your orders: the form with your lines in it",
            );
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return fail(
                "this file is UTF-16, not UTF-8".to_owned(),
                "save it again as plain text, encoding UTF-8",
            );
        }
        if bytes.contains(&0) {
            return fail(
                "this is a binary file, not text (it holds a zero byte)".to_owned(),
                "send the order file itself, not an archive or a document of a word processor",
            );
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(fault) => {
                let at = fault.valid_up_to();
                let line = 1 + bytes[..at].iter().filter(|b| **b == b'\n').count();
                return fail(
                    format!("line {line}: the byte 0x{:02x} is not UTF-8 text", bytes[at]),
                    "save it again with the encoding UTF-8 (it looks like Latin-1 or Windows-1252)",
                );
            }
        };
        let mut changed = Vec::new();
        let bare = text.trim_start_matches('\u{feff}');
        if bare.len() != text.len() {
            changed.push("a byte order mark removed".to_owned());
        }
        let text = if bare.contains('\r') {
            changed.push("line ends made LF".to_owned());
            bare.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            bare.to_owned()
        };
        Ok(Self { name: name.to_owned(), text, changed })
    }

    /// The line and column of a byte offset.
    pub fn place(&self, offset: usize) -> Place {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        Place {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[start..].chars().count(),
        }
    }

    /// The line number of a span's start.
    pub fn line(&self, span: &Range<usize>) -> usize {
        self.place(span.start).line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_mail_does_to_a_file() {
        let read = Source::from_bytes("a.toml", b"\xef\xbb\xbf\xef\xbb\xbfa = 1\r\nb = 2\rc = 3\n")
            .unwrap();
        assert_eq!(read.text, "a = 1\nb = 2\nc = 3\n");
        assert_eq!(read.changed, ["a byte order mark removed", "line ends made LF"]);
        assert_eq!(read.place(6), Place { line: 2, column: 1 });
    }

    #[test]
    fn refuses_what_is_not_text() {
        for (bytes, word) in [
            (&b"a = \"\xe9t\xe9\"\n"[..], "UTF-8"),
            (b"a\0b", "binary"),
            (b"\xff\xfea\0", "UTF-16"),
            (&vec![b'#'; LARGEST + 1], "bytes"),
        ] {
            let fault = Source::from_bytes("a.toml", bytes).unwrap_err();
            assert!(fault.message.contains(word), "{}", fault.message);
        }
    }
}
