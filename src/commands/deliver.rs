//! `deliver`: hands what lies in `outbox/` to the mail system and moves it to `sent/`.
//!
//! A message is moved only after the mail system has taken it; a machine that stops in
//! between sends it again, with the same Message-ID, so that a mail program shows one.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::settings::Settings;
use super::words::some;
use crate::cli::DeliverArgs;
use crate::core::hash::Hex64;
use crate::mail::letter::Letter;

/// The folder of what was handed over.
pub const SENT: &str = "sent";
/// How long a mail program may take for one message.
const PATIENCE: Duration = Duration::from_secs(120);
/// The file whose lock keeps two deliveries of one game apart.
const LOCK: &str = ".deliver";

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// A program that reads a message and takes its receivers from the headers.
    Program(Vec<String>),
    /// A Maildir, for a mail program that sends from there.
    Maildir(PathBuf),
}

/// What a delivery came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Messages handed over.
    pub sent: usize,
    /// Messages to people without an address: they stay.
    pub by_hand: Vec<String>,
    /// Messages that the mail system did not take, with what it said: they stay.
    pub failed: Vec<(String, String)>,
}

/// Delivers.
pub fn run(desk: &mut Desk<'_>, args: &DeliverArgs) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let settings = folder.settings()?;
    let way = way(desk, args.sendmail.as_deref(), args.maildir.as_deref(), &settings)?;
    let done = deliver(desk, &folder.root, &settings, &way)?;
    writeln!(desk.out, "{} handed over", some(done.sent, "message"))?;
    for name in &done.by_hand {
        writeln!(desk.out, "  by other means: outbox/{name} (no address)")?;
    }
    for (name, why) in &done.failed {
        writeln!(desk.err, "outbox/{name} stays: {why}")?;
    }
    if done.failed.is_empty() {
        return Ok(0);
    }
    writeln!(desk.err, "help: see to the mail program, then run `despatch deliver` again")?;
    Ok(1)
}

/// The way that arguments or settings name.
///
/// # Errors
/// Neither does.
pub fn way(
    desk: &Desk<'_>,
    sendmail: Option<&str>,
    maildir: Option<&Path>,
    settings: &Settings,
) -> Result<Way, Fault> {
    if let Some(dir) = maildir {
        return Ok(Way::Maildir(desk.path(dir)));
    }
    let line = sendmail.or(settings.mail.sendmail.as_deref()).unwrap_or_default();
    let words: Vec<String> = line.split_whitespace().map(ToOwned::to_owned).collect();
    if words.is_empty() {
        return Err(Fault::input(
            "nobody says how mail goes out",
            "add --sendmail \"msmtp -t\" or --maildir DIR, or write sendmail = \"msmtp -t\" \
             below [mail] in game.toml",
        ));
    }
    Ok(Way::Program(words))
}

/// Hands over every message of a game's outbox, oldest first.
///
/// # Errors
/// Another delivery is at work, or the folder cannot be used. A message that the mail
/// system refuses is no error: the others go out.
pub fn deliver(
    desk: &Desk<'_>,
    root: &Path,
    settings: &Settings,
    way: &Way,
) -> Result<Delivered, Fault> {
    let outbox = root.join("outbox");
    let mut done = Delivered::default();
    if !outbox.is_dir() {
        return Ok(done);
    }
    let lock = root.join(LOCK);
    let held = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock)
        .map_err(Fault::file("open", &lock))?;
    match held.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Fault::Busy { root: root.to_owned() }),
        Err(TryLockError::Error(source)) => return Err(Fault::file("lock", &lock)(source)),
    }
    let result = hand_over(desk, root, settings, way, &mut done);
    // A lock that cannot be given back ends with the process.
    let _ = held.unlock();
    result.map(|()| done)
}

fn hand_over(
    desk: &Desk<'_>,
    root: &Path,
    settings: &Settings,
    way: &Way,
    done: &mut Delivered,
) -> Result<(), Fault> {
    let outbox = root.join("outbox");
    let mut messages = Vec::new();
    for entry in fs::read_dir(&outbox).map_err(Fault::file("read", &outbox))? {
        let path = entry.map_err(Fault::file("read", &outbox))?.path();
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        if name.starts_with('.') || path.extension().is_none_or(|end| end != "eml") {
            continue;
        }
        let bytes = fs::read(&path).map_err(Fault::file("read", &path))?;
        let date = date_of(&bytes);
        messages.push((date, name, bytes));
    }
    messages.sort();
    if !messages.is_empty() && settings.referee.address.is_empty() {
        return Err(Fault::refused(
            "the referee has no address, so nobody could answer these mails",
            "write it in game.toml, below [referee]; mails made before keep their sender",
        ));
    }
    let sent = root.join(SENT);
    for (_, name, bytes) in messages {
        if !has_receiver(&bytes) {
            done.by_hand.push(name);
            continue;
        }
        let bytes = unix_lines(&bytes);
        let taken = match way {
            Way::Program(words) => pipe(words, &bytes),
            Way::Maildir(dir) => into_maildir(dir, &bytes).map_err(|e| e.to_string()),
        };
        match taken {
            Ok(()) => {
                desk.store.rename(&outbox.join(&name), &sent.join(&name))?;
                done.sent += 1;
            }
            Err(why) => done.failed.push((name, why)),
        }
    }
    Ok(())
}

/// The Date of a message of ours, to send in order.
fn date_of(bytes: &[u8]) -> i64 {
    mail_parser::MessageParser::default()
        .parse_headers(bytes)
        .and_then(|m| m.date().map(mail_parser::DateTime::to_timestamp))
        .unwrap_or(0)
}

/// True if the `To:` of a message holds an address.
fn has_receiver(bytes: &[u8]) -> bool {
    receivers(bytes).iter().any(|address| address.contains('@'))
}

/// The addresses that a message is to.
pub fn receivers(bytes: &[u8]) -> Vec<String> {
    let message = mail_parser::MessageParser::default().parse_headers(bytes);
    let Some(message) = &message else { return Vec::new() };
    let Some(to) = message.to() else { return Vec::new() };
    to.iter().filter_map(|a| a.address.as_ref().map(|a| a.trim().to_owned())).collect()
}

/// Mail programs on Unix take lines that end with LF and send CR LF.
fn unix_lines(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

fn pipe(words: &[String], bytes: &[u8]) -> Result<(), String> {
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot run `{}`: {e}", words[0]))?;
    let stdin = child.stdin.take();
    let stderr = child.stderr.take();
    let bytes = bytes.to_vec();
    // Both ends in threads of their own: a program may talk before it has read all.
    let writer = std::thread::spawn(move || {
        stdin.is_some_and(|mut end| end.write_all(&bytes).and_then(|()| end.flush()).is_ok())
    });
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(end) = stderr {
            // What it says is for people: a part is better than nothing.
            let _ = end.take(4_096).read_to_end(&mut said);
        }
        String::from_utf8_lossy(&said).trim().replace('\n', "; ")
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`{}` did not end in {} s", words[0], PATIENCE.as_secs()));
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(e) => return Err(e.to_string()),
        }
    };
    let written = writer.join().unwrap_or(false);
    let said = reader.join().unwrap_or_default();
    if status.success() && written {
        Ok(())
    } else if status.success() {
        Err(format!("`{}` did not read the whole message", words[0]))
    } else {
        Err(format!(
            "`{}` says: {} ({status})",
            words[0],
            if said.is_empty() { "-" } else { &said }
        ))
    }
}

/// Writes a message into a Maildir; the same message has the same name there.
fn into_maildir(dir: &Path, bytes: &[u8]) -> std::io::Result<()> {
    for part in ["tmp", "new", "cur"] {
        fs::create_dir_all(dir.join(part))?;
    }
    let id = Letter::read(bytes).and_then(|letter| letter.id).unwrap_or_default();
    let name = format!("{}.despatch", &Hex64::digest(id.as_bytes()).to_string()[..24]);
    let staged = dir.join("tmp").join(&name);
    let mut file = File::create(&staged)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&staged, dir.join("new").join(&name))
}
