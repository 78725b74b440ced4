//! The text of an HTML part, line by line as a reader sees it: block elements end
//! lines, `<pre>` keeps its own, and quoted blocks get the `> ` of plain mail.

use mail_parser::decoders::html::add_html_token;

/// Elements that begin and end a line.
const BLOCKS: [&str; 17] = [
    "address",
    "article",
    "blockquote",
    "body",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "hr",
    "li",
    "p",
    "table",
    "tr",
];
/// Elements whose content nobody reads.
const HIDDEN: [&str; 4] = ["head", "style", "script", "template"];

struct Page {
    lines: Vec<String>,
    line: String,
    quotes: usize,
    pre: usize,
    hidden: Option<String>,
}

impl Page {
    fn end_line(&mut self) {
        let text = self.line.trim_end_matches([' ', '\t']).to_owned();
        let text =
            if self.pre > 0 { text } else { text.trim_start_matches([' ', '\t']).to_owned() };
        self.lines.push(format!("{}{text}", "> ".repeat(self.quotes)));
        self.line.clear();
    }

    fn break_line(&mut self) {
        if !self.line.trim().is_empty() {
            self.end_line();
        }
        self.line.clear();
    }

    fn tag(&mut self, tag: &str) {
        let (close, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        if let Some(hidden) = &self.hidden {
            if close && *hidden == name {
                self.hidden = None;
            }
            return;
        }
        if HIDDEN.contains(&name.as_str()) && !close {
            self.hidden = Some(name);
            return;
        }
        match name.as_str() {
            "br" => self.end_line(),
            "td" | "th" if !close => self.line.push(' '),
            "blockquote" => {
                self.break_line();
                self.quotes = if close { self.quotes.saturating_sub(1) } else { self.quotes + 1 };
            }
            "pre" => {
                self.break_line();
                self.pre = if close { self.pre.saturating_sub(1) } else { self.pre + 1 };
            }
            block if BLOCKS.contains(&block) => self.break_line(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden.is_some() {
            return;
        }
        let text = entities(text);
        if self.pre > 0 {
            let mut lines = text.split('\n');
            self.line += lines.next().unwrap_or_default();
            for line in lines {
                self.end_line();
                self.line.push_str(line);
            }
            return;
        }
        for c in text.chars() {
            // A no-break space is kept: indents of quoted code are made of them.
            if matches!(c, ' ' | '\t' | '\n' | '\r') {
                if !self.line.is_empty() && !self.line.ends_with(' ') {
                    self.line.push(' ');
                }
            } else {
                self.line.push(c);
            }
        }
    }
}

/// `&amp;` and its kin as the characters they stand for.
fn entities(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|b| b == b';');
        if let Some(end) = end {
            add_html_token(&mut out, &rest.as_bytes()[..=end], false);
            rest = &rest[end + 1..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out + rest
}

/// The text of a page, with `> ` before what stands in block quotes.
pub fn to_text(html: &str) -> String {
    let mut page = Page { lines: Vec::new(), line: String::new(), quotes: 0, pre: 0, hidden: None };
    let html = html.replace("\r\n", "\n");
    let mut rest = html.as_str();
    while let Some(at) = rest.find('<') {
        page.text(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 2)
        } else {
            rest.find('>')
        };
        let Some(end) = end else { break };
        if !rest.starts_with("<!") {
            page.tag(rest[1..end].trim());
        }
        rest = &rest[end + 1..];
    }
    if !rest.starts_with('<') {
        page.text(rest);
    }
    page.break_line();
    page.lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_that_a_reader_sees() {
        let page = "<html><head><style>p { x = 1 }</style></head><body><div>a = &quot;1&quot;</div>\
                    <div>b&nbsp;= 2<br>c =\n  3</div><blockquote type=cite>old<blockquote>older\
                    </blockquote></blockquote><pre>x  y\n z</pre><!-- no > comment -->&#x2d;&unknown; &</body>";
        assert_eq!(
            to_text(page),
            "a = \"1\"\nb\u{a0}= 2\nc = 3\n> old\n> > older\nx  y\n z\n-&unknown; &\n"
        );
        assert_eq!(to_text("<"), "\n");
    }
}
