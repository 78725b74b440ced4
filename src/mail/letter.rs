//! A mail that arrived: who, when by our own server's word, and every text in it
//! that could hold orders.

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Address, Encoding, Host, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};

use super::html;
use crate::core::time::Stamp;

/// The largest attachment that is looked into for orders, in bytes; longer ones stay
/// in the mail, which is kept whole.
const LARGEST: usize = 1 << 20;

/// Who wrote a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A person, as far as anybody can tell.
    Person,
    /// A program that answers for somebody (RFC 3834): never answered.
    AutoReply,
    /// A mail system that could not deliver (RFC 3464): never answered.
    Bounce,
}

/// One text in a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The file's name, if it has one.
    pub name: Option<String>,
    /// The text, decoded.
    pub text: String,
    /// The bytes as they were before any charset was read: what a signature is of.
    pub raw: Vec<u8>,
    /// Inside so many forwarded mails.
    pub depth: usize,
    /// What was changed to read it.
    pub changed: Vec<String>,
}

/// A line that a mail server put on top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The server that wrote it, in lower case.
    pub by: Option<String>,
    /// When it had the mail.
    pub at: Stamp,
}

/// A mail that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its Message-ID, without angle brackets.
    pub id: Option<String>,
    /// The address it says it is from, in lower case. Proves nothing.
    pub from: Option<String>,
    /// Its subject.
    pub subject: String,
    /// Who wrote it.
    pub nature: Nature,
    /// The Received lines, topmost first.
    pub hops: Vec<Hop>,
    /// Attached files, in order.
    pub files: Vec<Part>,
    /// The text that its reader sees.
    pub body: Part,
    /// True where it, or a part of it, is encrypted.
    pub encrypted: bool,
}

impl Letter {
    /// Reads a mail; `None` if the bytes are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let message = MessageParser::default().parse(bytes)?;
        let mut letter = Self {
            id: message.message_id().map(ToOwned::to_owned),
            from: message.from().and_then(first_address),
            subject: one_line(message.subject().unwrap_or_default()),
            nature: nature(&message),
            hops: message.received_all().filter_map(hop).collect(),
            files: Vec::new(),
            body: Part {
                name: None,
                text: String::new(),
                raw: Vec::new(),
                depth: 0,
                changed: Vec::new(),
            },
            encrypted: false,
        };
        letter.gather(&message, 0);
        Some(letter)
    }

    /// When our own server had it: the topmost Received line, if it is of the server
    /// that the settings name (any, if they name none). `Date:` is the sender's word
    /// and counts for nothing.
    pub fn received(&self, server: Option<&str>) -> Option<Stamp> {
        let top = self.hops.first()?;
        let ours = server.is_none_or(|name| {
            top.by.as_deref().is_some_and(|by| by.eq_ignore_ascii_case(name.trim()))
        });
        ours.then_some(top.at)
    }

    fn gather(&mut self, message: &Message<'_>, depth: usize) {
        let mut seen = Vec::new();
        for id in &message.text_body {
            let Some(part) = message.part(*id) else { continue };
            if part.attachment_name().is_none() {
                self.body_part(message, part, depth);
                seen.push(*id);
            }
        }
        // A program that sends an empty text beside the HTML means the HTML.
        if depth == 0 && self.body.text.trim().is_empty() {
            for id in &message.html_body {
                let Some(part) = message.part(*id) else { continue };
                if let PartType::Html(_) = &part.body {
                    self.body_part(message, part, depth);
                    seen.push(*id);
                }
            }
        }
        for (id, part) in message.parts.iter().enumerate() {
            let kind = part.content_type();
            let subtype = kind.and_then(|k| k.subtype()).unwrap_or_default().to_ascii_lowercase();
            self.encrypted |= ["encrypted", "pkcs7-mime", "x-pkcs7-mime"].contains(&&*subtype);
            if seen.iter().any(|s| usize::try_from(*s) == Ok(id)) {
                continue;
            }
            match &part.body {
                PartType::Message(inner) if depth < 8 => self.gather(inner, depth + 1),
                PartType::Text(_) | PartType::Binary(_) | PartType::InlineBinary(_) => {
                    let named = part.attachment_name().is_some();
                    let bare = matches!(part.body, PartType::Text(_))
                        && !message.text_body.contains(&u32::try_from(id).unwrap_or(u32::MAX));
                    if (named || bare || depth > 0)
                        && let Some(found) = text_of(message, part, depth)
                    {
                        self.files.push(found);
                    }
                }
                _ => {}
            }
        }
    }

    fn body_part(&mut self, message: &Message<'_>, part: &MessagePart<'_>, depth: usize) {
        let Some(found) = text_of(message, part, depth) else { return };
        if depth > 0 {
            self.files.push(found);
            return;
        }
        // Programs join the parts before and after an attachment; so do we.
        if !self.body.text.is_empty() && !self.body.text.ends_with('\n') {
            self.body.text.push('\n');
        }
        self.body.text += &found.text;
        self.body.raw.extend(found.raw);
        for change in found.changed {
            if !self.body.changed.contains(&change) {
                self.body.changed.push(change);
            }
        }
    }
}

fn first_address(address: &Address<'_>) -> Option<String> {
    address.first()?.address.as_ref().map(|a| a.trim().to_lowercase())
}

fn hop(received: &mail_parser::Received<'_>) -> Option<Hop> {
    let at = Stamp::from_unix(received.date?.to_timestamp())?;
    let by = received.by.as_ref().map(|by| match by {
        Host::Name(name) => name.trim().to_lowercase(),
        Host::IpAddr(ip) => ip.to_string(),
    });
    Some(Hop { by, at })
}

fn header<'a>(message: &'a Message<'_>, name: &str) -> Option<&'a str> {
    let mut all = message.headers_raw();
    all.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn nature(message: &Message<'_>) -> Nature {
    let kind = message.content_type();
    let is = |main: &str, sub: &str| {
        kind.is_some_and(|k| {
            k.ctype().eq_ignore_ascii_case(main)
                && k.subtype().is_some_and(|s| s.eq_ignore_ascii_case(sub))
        })
    };
    let from = message.from().and_then(first_address).unwrap_or_default();
    let local = from.split('@').next().unwrap_or_default();
    let empty = header(message, "Return-Path") == Some("<>");
    if is("multipart", "report") || is("message", "delivery-status") || local == "mailer-daemon" {
        return Nature::Bounce;
    }
    let says = |name, words: &[&str]| {
        header(message, name).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            words.iter().any(|word| value.starts_with(word))
        })
    };
    let submitted = header(message, "Auto-Submitted")
        .is_some_and(|value| !value.to_ascii_lowercase().starts_with("no"));
    let subject = message.subject().unwrap_or_default().to_lowercase();
    let away = ["automatic reply:", "auto-reply:", "autoreply:", "out of office", "abwesenheit"];
    if submitted
        || says("Precedence", &["auto_reply", "bulk", "junk"])
        || header(message, "X-Autoreply").is_some()
        || header(message, "X-Autorespond").is_some()
        || away.iter().any(|word| subject.starts_with(word))
    {
        return Nature::AutoReply;
    }
    // An empty return path is a mail that must never be answered (RFC 3834).
    if empty { Nature::Bounce } else { Nature::Person }
}

/// The text of a part, or `None` where it is none.
fn text_of(message: &Message<'_>, part: &MessagePart<'_>, depth: usize) -> Option<Part> {
    let mut changed = Vec::new();
    let name = part.attachment_name().map(|name| {
        name.rsplit(['/', '\\'])
            .next()
            .unwrap_or(name)
            .chars()
            .filter(|c| !c.is_control())
            .collect()
    });
    let raw = match &part.body {
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => bytes.to_vec(),
        _ => decoded(message, part),
    };
    if raw.len() > LARGEST {
        return None;
    }
    let text = match &part.body {
        PartType::Html(page) => {
            changed.push("taken from the HTML text".to_owned());
            html::to_text(page)
        }
        PartType::Text(text) if !text.contains('\u{fffd}') => text.to_string(),
        PartType::Text(_) | PartType::Binary(_) | PartType::InlineBinary(_) => {
            let (text, change) = guess(&raw)?;
            changed.extend(change);
            text
        }
        PartType::Message(_) | PartType::Multipart(_) => return None,
    };
    let charset = part
        .content_type()
        .and_then(|kind| kind.attribute("charset"))
        .map(str::to_ascii_lowercase)
        .filter(|c| !["utf-8", "utf8", "us-ascii", "ascii"].contains(&c.as_str()));
    if let Some(charset) = charset
        && !text.is_ascii()
    {
        changed.push(format!("read as {charset}"));
    }
    let flowed = part.content_type().is_some_and(|kind| {
        kind.attribute("format").is_some_and(|format| format.eq_ignore_ascii_case("flowed"))
    });
    // Mail has CR LF at its line ends: that is no change of the file.
    let text = text.replace("\r\n", "\n");
    let text = if flowed && matches!(part.body, PartType::Text(_)) {
        let delete = part
            .content_type()
            .and_then(|kind| kind.attribute("delsp"))
            .is_some_and(|delsp| delsp.eq_ignore_ascii_case("yes"));
        let joined = unflow(&text, delete);
        if joined != text {
            changed.push("flowed lines joined".to_owned());
        }
        joined
    } else {
        text
    };
    Some(Part { name, text, raw, depth, changed })
}

/// The bytes of a part without their transfer encoding.
fn decoded(message: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    let range = part.offset_body as usize..part.offset_end as usize;
    let bytes = message.raw_message().get(range).unwrap_or_default();
    match part.encoding {
        Encoding::None => Some(bytes.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(bytes),
        Encoding::Base64 => base64_decode(bytes),
    }
    .unwrap_or_else(|| bytes.to_vec())
}

/// Bytes whose charset nobody names: UTF-8, UTF-16 by its mark, else Windows-1252;
/// `None` where they are no text.
fn guess(bytes: &[u8]) -> Option<(String, Option<String>)> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let decode = charset_decoder(b"utf-16")?;
        return Some((decode(bytes), Some("read as UTF-16".to_owned())));
    }
    if bytes.contains(&0) {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Some((text.to_owned(), None));
    }
    let controls = bytes.iter().filter(|b| **b < 32 && !b"\t\n\r\x0c\x1b".contains(b)).count();
    if controls > 0 {
        return None;
    }
    let decode = charset_decoder(b"windows-1252")?;
    Some((decode(bytes), Some("read as Windows-1252".to_owned())))
}

/// Joins the lines that RFC 3676 lets a program break; `>` marks are kept.
fn unflow(text: &str, delete: bool) -> String {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for line in text.replace("\r\n", "\n").split('\n') {
        let quotes = line.bytes().take_while(|b| *b == b'>').count();
        let content = &line[quotes..];
        let content = content.strip_prefix(' ').unwrap_or(content);
        let signature = content == "-- ";
        match out.last_mut() {
            Some((depth, last)) if open && *depth == quotes && !signature => last.push_str(content),
            _ => out.push((quotes, content.to_owned())),
        }
        open = content.ends_with(' ') && !signature;
        if open
            && delete
            && let Some((_, last)) = out.last_mut()
        {
            last.pop();
        }
    }
    let shown = out.into_iter().map(|(quotes, line)| match quotes {
        0 => line,
        n => format!("{} {line}", ">".repeat(n)),
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// A subject as it may be shown: one line without control characters, whatever a
/// stranger wrote into it.
fn one_line(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_line_of_our_server_says_when() {
        let mail = "Received: from a by mx.club.example; Mon, 4 Jan 2027 20:00:00 +0100\r\n\
                    Received: from x by elsewhere.example; Mon, 4 Jan 2027 10:00:00 +0000\r\n\
                    Date: Sun, 3 Jan 2027 00:00:00 +0000\r\nFrom: A <Anna@Example.org>\r\n\r\nhi\r\n";
        let letter = Letter::read(mail.as_bytes()).unwrap();
        assert_eq!(letter.from.as_deref(), Some("anna@example.org"));
        let when = |server| letter.received(server).map(|stamp| stamp.to_string());
        assert_eq!(when(None).as_deref(), Some("2027-01-04T19:00:00Z"));
        assert_eq!(when(Some("MX.club.example")).as_deref(), Some("2027-01-04T19:00:00Z"));
        assert_eq!(when(Some("other.example")), None);
    }

    #[test]
    fn programs_are_known_by_their_headers() {
        let nature = |head: &str| {
            Letter::read(format!("{head}\r\nFrom: a@b.example\r\n\r\nx\r\n").as_bytes())
                .unwrap()
                .nature
        };
        assert_eq!(nature("Subject: orders"), Nature::Person);
        assert_eq!(nature("Auto-Submitted: no"), Nature::Person);
        assert_eq!(nature("Auto-Submitted: auto-replied"), Nature::AutoReply);
        assert_eq!(nature("Subject: Automatic reply: orders"), Nature::AutoReply);
        assert_eq!(nature("Precedence: bulk"), Nature::AutoReply);
        assert_eq!(nature("Return-Path: <>"), Nature::Bounce);
        assert_eq!(
            nature("Content-Type: multipart/report; report-type=delivery-status; boundary=b"),
            Nature::Bounce
        );
    }

    #[test]
    fn flowed_lines_are_joined_within_their_quotes() {
        assert_eq!(unflow("a \nb\n> c \n> d\n>e\n-- \nf", false), "a b\n> c d\n> e\n-- \nf");
        assert_eq!(unflow("a \nb", true), "ab");
        assert_eq!(unflow(" > stuffed", false), "> stuffed");
    }
}
