//! `receive`: takes order files and mails, and answers each with a receipt or a bounce.
//!
//! Every file that comes is kept: in `orders/` while it counts, in `superseded/`
//! when a later one replaced it, in `late/`, in `refused/` or in `unclaimed/`; a mail
//! that held orders lies whole in `mail/`, beside the register of all mails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::inbox::Inbox;
use super::intake::{Item, gather, time_of};
use super::issues::Issues;
use super::ledger::Ledger;
use super::register::{REGISTER, Register};
use super::store::Batch;
use super::tray::Tray;
use crate::cli::ReceiveArgs;

/// What delivery agents understand as "keep it and try later" (`EX_TEMPFAIL`).
const TRY_LATER: u8 = 75;

/// Takes what the arguments name, all or nothing.
pub fn run(desk: &mut Desk<'_>, args: &ReceiveArgs) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let server = folder.settings()?.mail.server;
    let register = Register::read(&folder)?;
    let items = gather(desk, &args.files, server.as_deref(), &|mark| register.has(mark))?;
    // A delivery agent takes failure for "bounce it" or "try later": a mail that is kept is
    // delivered, whatever is in it.
    let piped = args.files.iter().any(|path| path.as_os_str() == "-");
    match hold(desk) {
        Err(busy @ Fault::Busy { .. }) if piped => {
            super::complain(desk, &busy);
            Ok(TRY_LATER)
        }
        folder => {
            let code = take_items(desk, &folder?, &items)?;
            Ok(if piped { 0 } else { code })
        }
    }
}

/// Holds the folder; waits a little for another process, since a mail that is piped in
/// by a delivery agent cannot be asked to come again.
fn hold(desk: &Desk<'_>) -> Result<Folder, Fault> {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        match Folder::hold(desk) {
            Err(Fault::Busy { .. }) => std::thread::sleep(std::time::Duration::from_millis(200)),
            done => return done,
        }
    }
    Folder::hold(desk)
}

/// Takes order files by name and bytes, all or nothing.
///
/// # Errors
/// The folder cannot be used.
pub fn take(desk: &mut Desk<'_>, files: &[(String, Vec<u8>)]) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let order = |(name, bytes): &(String, Vec<u8>)| Item::Orders {
        name: name.clone(),
        bytes: bytes.clone(),
        signature: None,
    };
    let items: Vec<Item> = files.iter().map(order).collect();
    take_items(desk, &folder, &items)
}

/// Takes what has arrived into a folder that is held.
///
/// # Errors
/// The folder cannot be used.
pub fn take_items(desk: &mut Desk<'_>, folder: &Folder, items: &[Item]) -> Result<u8, Fault> {
    let ledger = Ledger::read(folder)?;
    ledger.head()?;
    let game = ledger.game(desk, folder)?;
    let (inbox, issues, views) = match &ledger.open {
        Some(open) => {
            let mut views = BTreeMap::new();
            for player in &ledger.offer.players {
                let path = format!("{}/views/{player}.toml", phase_dir(open.phase));
                views.insert(player.clone(), folder.read(&path)?);
            }
            (Inbox::read(folder, open.phase)?, Issues::read(folder, open.phase)?, views)
        }
        None => (Inbox::default(), Issues::default(), BTreeMap::new()),
    };
    let settings = folder.settings()?;
    let register = Register::read(folder)?;
    let server = settings.mail.server.clone();
    let before = register.entries.len();
    let mut tray = Tray {
        settings,
        d: folder.secret()?.hidden,
        now: desk.now,
        received: desk.now,
        game: &*game,
        folder,
        ledger: &ledger,
        views,
        known: inbox.receipts.clone(),
        inbox,
        issues,
        register,
        fates: Vec::new(),
        signature: None,
        repeated: false,
        batch: Batch::new(),
        said: String::new(),
        code: 0,
    };
    for item in items {
        match item {
            Item::Orders { name, bytes, signature } => {
                tray.received = desk.now;
                tray.take(name, bytes, signature.as_deref())?;
            }
            Item::Mail { name, bytes, letter, .. } => {
                let when = time_of(item, server.as_deref());
                // A clock ahead of ours is not believed.
                tray.received = when.filter(|at| *at <= desk.now).unwrap_or(desk.now);
                tray.mail(name, bytes, letter)?;
            }
        }
    }
    if tray.register.entries.len() > before {
        let text = tray.register.text();
        tray.batch.replace(REGISTER, text);
    }
    let Tray { batch, mut said, code, .. } = tray;
    folder.commit(desk, &batch)?;
    if let Some(warning) = super::lock::beacon_is_public(&ledger, desk.now) {
        let _ = writeln!(said, "{warning}");
    }
    write!(desk.out, "{said}")?;
    Ok(code)
}

/// The ids of players whose address a mail says it is from.
pub fn senders(
    settings: &super::settings::Settings,
    from: Option<&str>,
) -> BTreeSet<crate::core::id::Id> {
    let same = |address: &str| from.is_some_and(|from| from.eq_ignore_ascii_case(address.trim()));
    let known = settings.player.iter().filter(|(_, person)| same(&person.address));
    known.map(|(id, _)| id.clone()).collect()
}
