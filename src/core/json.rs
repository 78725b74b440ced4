//! The JSON twins of reports: indented, so that a person can read them and a
//! comparison of two shows lines.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// A model as indented JSON with a line end.
///
/// # Errors
/// A model that JSON cannot hold, such as a map whose keys are no texts.
pub fn pretty<T: Serialize>(model: &T) -> Result<String, serde_json::Error> {
    let mut text = at_depth(model, 0)?;
    text.push('\n');
    Ok(text)
}

/// A field of such a model, indented as it stands there: for a raw value that several
/// models share.
///
/// # Errors
/// The same.
pub fn pretty_field<T: Serialize>(part: &T) -> Result<String, serde_json::Error> {
    at_depth(part, 1)
}

fn at_depth<T: Serialize>(model: &T, depth: usize) -> Result<String, serde_json::Error> {
    let mut out = Vec::with_capacity(1 << 12);
    let layout = Indented { depth, has_value: false };
    model.serialize(&mut Serializer::with_formatter(&mut out, layout))?;
    String::from_utf8(out).map_err(serde::ser::Error::custom)
}

/// The layout of `serde_json`'s own pretty printer. That one writes the indentation
/// blank by blank, which made it the slowest part of a report.
#[derive(Debug)]
struct Indented {
    depth: usize,
    has_value: bool,
}

/// A line end and blanks for the deepest report.
const LINE: &[u8] = b"\n                                                                ";

impl Indented {
    fn line<W: ?Sized + io::Write>(&self, out: &mut W, comma: bool) -> io::Result<()> {
        if comma {
            out.write_all(b",")?;
        }
        let long = 1 + 2 * self.depth;
        out.write_all(&LINE[..long.min(LINE.len())])?;
        for _ in LINE.len()..long {
            out.write_all(b" ")?;
        }
        Ok(())
    }

    fn end<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            self.line(out, false)?;
        }
        out.write_all(bracket)
    }

    fn begin<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(bracket)
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.line(out, !first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.line(out, !first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn lays_out_as_the_library_does() {
        let mut deep = serde_json::json!([1, "a\"b", null, 2.5]);
        for _ in 0..40 {
            deep =
                serde_json::json!({"in": deep, "empty": [], "none": {}, "list": [[], [{}], true]});
        }
        let wanted = serde_json::to_string_pretty(&deep).unwrap() + "\n";
        assert_eq!(pretty(&deep).unwrap(), wanted);
        let raw = |part| RawValue::from_string(pretty_field(part).unwrap()).unwrap();
        let fields: BTreeMap<&str, Box<RawValue>> =
            deep.as_object().unwrap().iter().map(|(key, part)| (key.as_str(), raw(part))).collect();
        assert_eq!(pretty(&fields).unwrap(), wanted, "raw fields change nothing");
    }
}
