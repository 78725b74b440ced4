//! A message to players as RFC 5322 writes it: text that can be answered inline,
//! attached files, the headers that keep a game in one thread.

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::date::Date;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::text::Text;
use mail_builder::mime::{BodyPart, MimePart};

use crate::core::hash::Hex64;
use crate::core::time::Stamp;

/// Longer lines travel encoded, though RFC 5322 allows 998 bytes.
const LONGEST: usize = 500;

/// Somebody a message is from or to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// The name.
    pub name: String,
    /// The address; empty where there is none.
    pub address: String,
}

/// Why a message is sent (RFC 3834).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// By the course of the game.
    Generated,
    /// In answer to a mail.
    Replied,
}

/// A file that goes with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosure {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The referee.
    pub from: Mailbox,
    /// Who gets it.
    pub to: Vec<Mailbox>,
    /// Its subject.
    pub subject: String,
    /// When it was made.
    pub date: Stamp,
    /// Its Message-ID, without brackets.
    pub id: String,
    /// The messages before it in its thread, oldest first.
    pub thread: Vec<String>,
    /// Why it is sent.
    pub occasion: Occasion,
    /// The text.
    pub body: String,
    /// What goes with it.
    pub enclosures: Vec<Enclosure>,
}

impl Mailbox {
    fn written(&self) -> Address<'static> {
        let name = clean(&self.name);
        if self.address.is_empty() {
            // A group without members: a name that RFC 5322 allows where no address is.
            return Address::new_group(Some(name), Vec::new());
        }
        Address::new_address(Some(name).filter(|n| !n.is_empty()), clean(&self.address))
    }
}

/// A header's text, on one line.
fn clean(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(plain).collect::<String>().trim().to_owned()
}

impl Message {
    /// The message's bytes, CR LF at line ends; the same for the same message.
    pub fn to_bytes(&self) -> Vec<u8> {
        let to = self.to.iter().map(Mailbox::written).collect();
        let submitted = match self.occasion {
            Occasion::Generated => "auto-generated",
            Occasion::Replied => "auto-replied",
        };
        let mut message = MessageBuilder::new()
            .header("From", self.from.written())
            .header("To", Address::new_list(to))
            .header("Reply-To", self.from.written())
            .header("Subject", Text::new(clean(&self.subject)))
            .header("Date", Date::new(self.date.unix()))
            .header("Message-ID", MessageId::new(self.id.clone()));
        if let Some(last) = self.thread.last() {
            message = message
                .header("In-Reply-To", MessageId::new(last.clone()))
                .header("References", MessageId::new_list(self.thread.iter().cloned()));
        }
        message = message
            .header("Auto-Submitted", Text::new(submitted))
            .header("MIME-Version", Text::new("1.0"));
        let text = text_part(&self.body, None);
        let body = if self.enclosures.is_empty() {
            text
        } else {
            // The boundary is a function of the message, so that the bytes are too.
            let boundary = format!("=_{}", &Hex64::digest(self.id.as_bytes()).to_string()[..32]);
            let mut parts = vec![text];
            parts.extend(self.enclosures.iter().map(|e| text_part(&e.text, Some(&e.name))));
            let kind = ContentType::new("multipart/mixed").attribute("boundary", boundary);
            MimePart::new(kind, BodyPart::Multipart(parts))
        };
        let mut out = Vec::new();
        message.body(body).serialize(&mut out);
        out
    }
}

fn text_part(text: &str, name: Option<&str>) -> MimePart<'static> {
    let text = text.trim_end().to_owned() + "\n";
    let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    let short = text.lines().all(|line| line.len() <= LONGEST && !line.ends_with([' ', '\t']));
    let seven = short && text.bytes().all(|b| matches!(b, b'\t' | b'\r' | b'\n' | 32..=126));
    let mut kind = ContentType::new("text/plain").attribute("charset", "utf-8");
    if let Some(name) = name {
        kind = kind.attribute("name", name.to_owned());
    }
    let part = MimePart::new(kind, BodyPart::Text(text.into()));
    let part = if seven { part.transfer_encoding("7bit") } else { part };
    match name {
        Some(name) => part.attachment(name.to_owned()),
        None => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::letter::{Letter, Nature};

    #[test]
    fn what_is_written_reads_back() {
        let to = |name: &str, address: &str| Mailbox { name: name.into(), address: address.into() };
        let message = Message {
            from: to("The referee", "referee@club.example"),
            to: vec![to("J\u{f6}rg, \"the\" Mahdi", "joerg@example.org"), to("Ben", "")],
            subject: "[g] phase 1\r\nBcc: x@y".into(),
            date: Stamp::new("2027-01-04T18:00:00Z").unwrap(),
            id: "a.1@club.example".into(),
            thread: vec!["root@club.example".into(), "call@club.example".into()],
            occasion: Occasion::Replied,
            body: "plain\n> quoted\n".into(),
            enclosures: vec![
                Enclosure { name: "north.toml".into(), text: "a = \"\u{fc}\"\n".into() },
                Enclosure { name: "map.txt".into(), text: "x\n".into() },
            ],
        };
        let bytes = message.to_bytes();
        assert_eq!(bytes, message.to_bytes());
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.is_ascii() && !text.replace("\r\n", "").contains(['\r', '\n']), "{text}");
        assert!(!text.contains("\r\nBcc:"), "{text}");
        assert!(text.contains("Date: Mon, 4 Jan 2027 18:00:00 +0000"), "{text}");
        assert!(text.contains("References: <root@club.example> <call@club.example>"), "{text}");
        let letter = Letter::read(&bytes).unwrap();
        assert_eq!(letter.nature, Nature::AutoReply);
        assert_eq!(letter.id.as_deref(), Some("a.1@club.example"));
        assert_eq!(letter.body.text, "plain\n> quoted\n");
        assert_eq!(letter.files[0].text, "a = \"\u{fc}\"\n");
        assert_eq!(letter.files[1].name.as_deref(), Some("map.txt"));
    }
}
