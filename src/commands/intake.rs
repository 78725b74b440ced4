//! What `receive` is given: order files, mails, mbox files, Maildir folders, folders
//! of such files, the standard input. Nothing here is moved or changed.

use std::io::Read as _;
use std::path::Path;

use mail_parser::mailbox::mbox::MessageIterator;

use super::desk::Desk;
use super::fault::Fault;
use super::register::digest;
use crate::core::time::Stamp;
use crate::mail::letter::Letter;

/// One thing that arrived.
#[derive(Clone, Debug)]
pub enum Item {
    /// An order file that the referee hands in.
    Orders {
        /// The file's name.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
        /// The signature that lies beside it (`NAME.sig`).
        signature: Option<String>,
    },
    /// A mail.
    Mail {
        /// The file's name, for people.
        name: String,
        /// The mail as it is.
        bytes: Vec<u8>,
        /// The mail, read.
        letter: Box<Letter>,
        /// The time of its file, if it came in one.
        at: Option<Stamp>,
    },
}

impl Item {
    /// Its bytes as they came.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Orders { bytes, .. } | Self::Mail { bytes, .. } => bytes,
        }
    }

    /// The subject of a mail.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Self::Orders { .. } => None,
            Self::Mail { letter, .. } => Some(&letter.subject),
        }
    }
}

/// Gathers everything that the arguments name; mails are sorted by `when`.
///
/// # Errors
/// Something cannot be read, or a folder holds nothing that could be mail.
pub fn gather(
    desk: &mut Desk<'_>,
    paths: &[std::path::PathBuf],
    server: Option<&str>,
    taken: &dyn Fn(&str) -> bool,
) -> Result<Vec<Item>, Fault> {
    let mut items = Items { list: Vec::new(), taken, seen: 0 };
    for path in paths {
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            if let Some(input) = &mut desk.input {
                input
                    .read_to_end(&mut bytes)
                    .map_err(Fault::file("read", Path::new("the standard input")))?;
            }
            sort_out("standard input", bytes, None, &mut items);
            continue;
        }
        let full = desk.path(path);
        if full.is_dir() {
            folder(&full, &mut items)?;
        } else {
            file(&full, &mut items)?;
        }
    }
    // The order in which our own server had them; files by hand stay where they are.
    let now = desk.now;
    let mut mails: Vec<Item> = Vec::new();
    let mut out = Vec::new();
    for item in items.list {
        match item {
            Item::Orders { .. } => out.push(item),
            Item::Mail { .. } => mails.push(item),
        }
    }
    mails.sort_by_key(|item| time_of(item, server).unwrap_or(now));
    out.extend(mails);
    Ok(out)
}

/// When our server had a mail, else the time of its file.
pub fn time_of(item: &Item, server: Option<&str>) -> Option<Stamp> {
    match item {
        Item::Mail { letter, at, .. } => letter.received(server).or(*at),
        Item::Orders { .. } => None,
    }
}

/// The mails of a Maildir, or every file of another folder.
fn folder(dir: &Path, items: &mut Items<'_>) -> Result<(), Fault> {
    let before = items.seen;
    let maildir = dir.join("new").is_dir() && dir.join("cur").is_dir();
    let dirs = if maildir { vec![dir.join("new"), dir.join("cur")] } else { vec![dir.to_owned()] };
    for dir in dirs {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(&dir).map_err(Fault::file("read", &dir))? {
            let path = entry.map_err(Fault::file("read", &dir))?.path();
            let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
            let beside = path.extension().is_some_and(|end| end == "sig");
            if path.is_file() && !hidden && !beside {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            match file(&path, items) {
                // A mail program moved it while we looked: it is in the other folder.
                Err(Fault::File { source, .. })
                    if maildir && source.kind() == std::io::ErrorKind::NotFound => {}
                other => other?,
            }
        }
    }
    if items.seen == before && !maildir {
        return Err(Fault::input(
            format!("the folder `{}` holds no file", dir.display()),
            "name a Maildir (with new/ and cur/), a folder of .eml or .toml files, or files",
        ));
    }
    Ok(())
}

/// A pipe or a device may never come to its end.
///
/// # Errors
/// The path leads to nothing, or to no ordinary file.
fn must_be_file(path: &Path) -> Result<(), Fault> {
    let kind = std::fs::metadata(path).map_err(Fault::file("read", path))?;
    if kind.is_file() {
        return Ok(());
    }
    Err(Fault::input(format!("`{}` is no ordinary file", path.display()), "name a file"))
}

fn file(path: &Path, items: &mut Items<'_>) -> Result<(), Fault> {
    must_be_file(path)?;
    let bytes = std::fs::read(path).map_err(Fault::file("read", path))?;
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let time = std::fs::metadata(path).and_then(|m| m.modified()).ok();
    let at = time
        .and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok())
        .and_then(|d| Stamp::from_unix(i64::try_from(d.as_secs()).ok()?));
    sort_out(&name, bytes, at, items);
    if let Some(Item::Orders { signature, .. }) = items.list.last_mut() {
        *signature = std::fs::read_to_string(path.with_file_name(format!("{name}.sig"))).ok();
    }
    Ok(())
}

/// Tells mbox, mail and order file apart by how they begin.
fn sort_out(name: &str, bytes: Vec<u8>, at: Option<Stamp>, items: &mut Items<'_>) {
    if bytes.starts_with(b"From ") {
        for (number, message) in MessageIterator::new(&bytes[..]).enumerate() {
            let Ok(message) = message else { continue };
            let bytes = message.unwrap_contents();
            let name = format!("{name}, mail {}", number + 1);
            items.mail(name, bytes, None);
        }
        return;
    }
    if is_mail(&bytes) {
        items.mail(name.to_owned(), bytes, at);
    } else {
        items.push(Item::Orders { name: name.to_owned(), bytes, signature: None });
    }
}

/// What was gathered so far.
struct Items<'a> {
    list: Vec<Item>,
    /// True for the digest of a mail that was taken before: it need not be read.
    taken: &'a dyn Fn(&str) -> bool,
    /// Files and mails, those taken before included.
    seen: usize,
}

impl Items<'_> {
    fn push(&mut self, item: Item) {
        self.seen += 1;
        self.list.push(item);
    }

    fn mail(&mut self, name: String, bytes: Vec<u8>, at: Option<Stamp>) {
        if (self.taken)(&digest(&bytes)) {
            self.seen += 1;
            return;
        }
        self.push(match Letter::read(&bytes) {
            Some(letter) => Item::Mail { name, bytes, letter: Box::new(letter), at },
            None => Item::Orders { name, bytes, signature: None },
        });
    }
}

/// True for bytes that begin with the header fields of a mail.
fn is_mail(bytes: &[u8]) -> bool {
    const FIELDS: [&str; 14] = [
        "received",
        "return-path",
        "from",
        "to",
        "subject",
        "date",
        "message-id",
        "mime-version",
        "delivered-to",
        "x-original-to",
        "envelope-to",
        "content-type",
        "dkim-signature",
        "authentication-results",
    ];
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4_096)]).into_owned();
    let start = start.trim_start_matches('\u{feff}');
    let mut known = false;
    for line in start.lines() {
        if line.is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { return false };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) {
            return false;
        }
        known |= FIELDS.contains(&name.to_ascii_lowercase().as_str());
        if known {
            break;
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_begins_with_fields() {
        assert!(is_mail(b"X-Spam: no\r\nFrom: a@b\r\n\r\nx"));
        for other in [&b"game = \"g\"\n"[..], b"# From: a\n", b"", b"hello\n", b"[walk]\nFrom: x\n"]
        {
            assert!(!is_mail(other));
        }
    }
}
