//! `remind`: once, some hours before a deadline, to those of whom orders are awaited;
//! and the one extension that a call may have announced.

use super::call::{extend, join};
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::inbox::{Inbox, is_final};
use super::ledger::{Ledger, OpenPhase};
use super::lock::{lines, missing};
use super::outbox::{Note, Post};
use super::settings::{Missing, Settings};
use super::store::Batch;
use super::timetable::Timetable;
use super::words::wrap;
use crate::core::id::Id;
use crate::core::time::Stamp;

/// How long before a deadline an announced extension is decided, in seconds.
const DECIDE: i64 = 3_600;

/// Reminds, by hand.
pub fn run(desk: &mut Desk<'_>) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    let open = ledger.must_be_called()?;
    let settings = folder.settings()?;
    let told = remind(desk, &folder, &ledger, open, &settings, true)?;
    writeln!(desk.out, "reminded: {}", join(&told))?;
    Ok(0)
}

/// Writes the reminders that are due (by hand: at once), each once.
///
/// # Errors
/// The folder cannot be used.
pub fn remind(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    open: &OpenPhase,
    settings: &Settings,
    by_hand: bool,
) -> Result<Vec<Id>, Fault> {
    let deadline = open.call().deadline;
    let hours = i64::from(settings.deadline.remind_hours);
    let due = by_hand || hours > 0 && desk.now >= deadline.plus(-hours * 3_600);
    let mut told = Vec::new();
    if !due || open.lock.is_some() || desk.now >= deadline {
        return Ok(told);
    }
    let inbox = Inbox::read(folder, open.phase)?;
    let table = Timetable::new(&settings.deadline)?;
    let mut batch = Batch::new();
    for player in &open.call().asks {
        let name = format!("{}-remind-{player}", phase_dir(open.phase));
        let there = |dir: &str| folder.has(&format!("{dir}/{name}.eml"));
        let last = inbox.last_number(player);
        let done = last.is_some() && is_final(folder, open.phase, player)?;
        if done || there("outbox") || there("sent") {
            continue;
        }
        let what = match last {
            None => "Nothing valid of yours has come yet.".to_owned(),
            Some(n) => format!("Your receipt {n} counts; it is marked provisional."),
        };
        let body = format!(
            "{}\n\nOrders of {player} are due by\n  {}.\n\n{}\n",
            wrap(&format!("{what} This is the only reminder of phase {}.", open.phase)),
            table.tell(deadline, desk.now),
            wrap(&policy(settings, &table, open.calls.len(), deadline))
        );
        let note = Note {
            name: &name,
            subject: &format!("phase {}: a reminder", open.phase),
            body: &body,
            ..Note::default()
        };
        Post::new(settings, &ledger.offer, desk.now).to(&mut batch, player, &note);
        told.push(player.clone());
    }
    folder.commit(desk, &batch)?;
    Ok(told)
}

/// What happens when somebody is missing at the deadline, as the call announces it.
pub fn policy(settings: &Settings, table: &Timetable, calls: usize, deadline: Stamp) -> String {
    let rules = &settings.deadline;
    let some = match rules.allow_missing {
        0 => "If anybody is missing then".to_owned(),
        n => format!("If more than {n} are missing then"),
    };
    let defaults = match rules.allow_missing {
        0 => "the referee decides.".to_owned(),
        n => format!("the defaults run for up to {n} who are missing, else the referee decides."),
    };
    match rules.missing {
        Missing::Hold => format!("{some}, the referee decides whether the game goes on."),
        Missing::Defaults => format!("If somebody is missing then, {defaults}"),
        Missing::Extend if calls == 1 => {
            let later = table.not_before(deadline.plus(i64::from(rules.extend_days) * 86_400));
            let later = later.map_or_else(|_| "later".to_owned(), super::words::moment);
            format!(
                "If somebody who is asked has sent nothing one hour before it, the deadline moves \
                 once, to {later}; after that, {defaults}"
            )
        }
        Missing::Extend => format!("It does not move again: {defaults}"),
    }
}

/// Moves the deadline once, if the call announced it, the hour has come and somebody is
/// missing; true if it moved. Never after the deadline: `docs/dice.md`, 5.3.
///
/// # Errors
/// The folder cannot be used.
pub fn extend_once(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    open: &OpenPhase,
    settings: &Settings,
) -> Result<bool, Fault> {
    let deadline = open.call().deadline;
    let hour = desk.now >= deadline.plus(-DECIDE) && desk.now < deadline;
    if settings.deadline.missing != Missing::Extend
        || open.calls.len() > 1
        || open.lock.is_some()
        || !hour
    {
        return Ok(false);
    }
    let inbox = Inbox::read(folder, open.phase)?;
    if missing(&lines(ledger, open, &inbox)).is_empty() {
        return Ok(false);
    }
    let table = Timetable::new(&settings.deadline)?;
    let later =
        table.not_before(deadline.plus(i64::from(settings.deadline.extend_days) * 86_400))?;
    extend(desk, folder, ledger, open, Some(later))?;
    Ok(true)
}
