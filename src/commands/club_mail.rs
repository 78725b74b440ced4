//! The mail of a club, sorted to the games that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::club::{Pass, guarded, quietly};
use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::intake::{Item, gather, time_of};
use super::ledger::Ledger;
use super::receive::take_items;
use super::register::{Entry, Fate, REGISTER, Register, digest};
use super::store::Batch;
use super::words::some;
use crate::cli::ClubArgs;
use crate::mail::orders::{games_in, named_games};

/// Sorts the mail of the club's mailboxes to its games.
pub(super) fn mail_in(
    desk: &mut Desk<'_>,
    root: &Path,
    games: &BTreeMap<String, PathBuf>,
    args: &ClubArgs,
    pass: &mut Pass,
) -> Result<(), Fault> {
    let mut club = Register::parse(&read_or_empty(&root.join(REGISTER))?).map_err(|line| {
        Fault::input(format!("`{REGISTER}`: {line} is no line of ours"), "restore it")
    })?;
    let taken = |mark: &str| club.has(mark);
    let items = gather(desk, &args.mailboxes, args.server.as_deref(), &taken)?;
    // A game's folder may have another name than the game.
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    for (name, dir) in games {
        // What cannot be read is told when the game's own turn comes.
        let offer = read_or_empty(&dir.join("offer.txt")).unwrap_or_default();
        if let Some(id) = offer.lines().find_map(|line| line.strip_prefix("game=")) {
            ids.insert(id.to_owned(), name.clone());
        }
    }
    let mut by_game: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let mut nobodys: Vec<Item> = Vec::new();
    let mut seen = BTreeSet::new();
    for item in items {
        let bytes = item.bytes();
        let mark = digest(bytes);
        if !seen.insert(mark) {
            continue;
        }
        let named = match &item {
            Item::Mail { letter, .. } => named_games(letter),
            Item::Orders { bytes, .. } => games_in(&String::from_utf8_lossy(bytes)),
        };
        let mut found: Vec<&String> = named.iter().filter_map(|id| ids.get(id)).collect();
        // An auto-reply, a bounce or a question belongs to the game of its subject.
        let subject = item.subject().unwrap_or_default();
        let bracket = subject.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        if found.is_empty() {
            found.extend(bracket.and_then(|(id, _)| ids.get(id.trim())));
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            nobodys.push(item);
        } else {
            for name in found {
                by_game.entry(name.clone()).or_default().push(item.clone());
            }
        }
    }
    // A mail is done with when every game that it names has it; else the next pass sees
    // it again, and who has it already takes it no second time.
    let mut done: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut waits = BTreeSet::new();
    for (name, items) in by_game {
        let dir = games[&name].clone();
        let mut taken = false;
        guarded(desk, pass, &name, |desk, pass| {
            let count = quietly(desk, &dir, |desk| {
                let folder = Folder::hold(desk)?;
                let before = Register::read(&folder)?.entries.len();
                let open = Ledger::read(&folder)?.head.is_some();
                if !open {
                    return Ok(None);
                }
                take_items(desk, &folder, &items)?;
                Ok(Some(Register::read(&folder)?.entries.len() - before))
            })?;
            match count {
                None => pass.say(&name, "mail came before the genesis: it stays in the mailbox"),
                Some(count) => {
                    taken = true;
                    pass.taken += count;
                    if count > 0 {
                        pass.say(&name, format!("{} taken", some(count, "mail")));
                    }
                }
            }
            Ok(())
        });
        for item in &items {
            let mark = digest(item.bytes());
            if taken {
                done.entry(mark).or_default().push(format!("game={name}"));
            } else {
                waits.insert(mark);
            }
        }
    }
    done.retain(|mark, _| !waits.contains(mark));
    let received = desk.now;
    let entries =
        done.into_iter().map(|(digest, fates)| Entry { digest, id: None, received, fates });
    club.entries.extend(entries);
    unclaimed(desk, root, &nobodys, club, args, pass)
}

/// Keeps what belongs to no game.
fn unclaimed(
    desk: &mut Desk<'_>,
    root: &Path,
    items: &[Item],
    mut register: Register,
    args: &ClubArgs,
    pass: &mut Pass,
) -> Result<(), Fault> {
    let mut batch = Batch::new();
    for item in items {
        let mark = digest(item.bytes());
        let path = format!("unclaimed/{mark}.eml");
        batch.record(path.clone(), item.bytes());
        pass.troubles.push(format!(
            "mail of no game: `{}`, kept in {path}",
            item.subject().unwrap_or("an order file")
        ));
        let when = time_of(item, args.server.as_deref());
        register.entries.push(Entry {
            digest: mark,
            id: None,
            received: when.filter(|at| *at <= desk.now).unwrap_or(desk.now),
            fates: vec![format!("{}={path}", Fate::Unclaimed.word())],
        });
    }
    pass.taken += items.len();
    batch.replace(REGISTER, register.text());
    desk.store.commit(root, &batch)
}

fn read_or_empty(path: &Path) -> Result<String, Fault> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(Fault::file("read", path)(e)),
    }
}
