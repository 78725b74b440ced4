//! `reissue`: a new form with a new ticket for one player of the phase that is called,
//! the old one being void; with `--to`, to the person who takes the seat over.

use super::amend;
use super::call::form_name;
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::issues::{Issue, Issues};
use super::join::find_player;
use super::ledger::{Ledger, Record};
use super::outbox::{Note, Post, enclosed};
use super::roster::person;
use super::store::Batch;
use super::words::wrap;
use crate::cli::ReissueArgs;
use crate::core::hash;
use crate::core::id::Id;
use crate::core::record::AmendKind;

/// Sends a form anew.
pub fn run(desk: &mut Desk<'_>, args: &ReissueArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    let open = ledger.must_be_called()?;
    let player = find_player(&ledger.offer, &args.player)?;
    if open.lock.is_some() {
        return Err(Fault::refused(
            format!("the orders of phase {} are closed: no form counts any more", open.phase),
            "a substitute takes the seat between two phases: `despatch amend seat`",
        ));
    }
    let (phase, dir) = (open.phase, phase_dir(open.phase));
    let mut settings = folder.settings()?;
    let mut issues = Issues::read(&folder, phase)?;
    let number = issues.number(&player) + 1;
    let ticket = hash::ticket(&ledger.offer.game, phase, &player, number, &folder.secret()?.hidden);
    let path = format!("{dir}/forms/{player}.toml");
    let form = with_ticket(&folder.read(&path)?, &ticket.to_string());
    let view = folder.read(&format!("{dir}/views/{player}.toml"))?;
    let mut batch = Batch::new();
    let seat = match &args.to {
        Some(text) => {
            let mut new = person(text)?;
            let old = settings.player.get(&player).cloned().unwrap_or_default();
            // A key is a person's, not a seat's.
            new.key = None;
            settings.player.insert(player.clone(), new.clone());
            batch.replace("game.toml", settings.text());
            Some((old.name, new.name))
        }
        None => None,
    };
    issues.list.push(Issue { player: player.clone(), number, made: desk.now, seat: seat.clone() });
    batch.replace(Issues::path(phase), issues.text());
    batch.replace(path, form.as_str());
    let why = match &seat {
        Some((old, _)) => format!(
            "You take the seat {player} of the game {} from {old}. What {old} has sent counts \
             until you send a file; old forms count no more. The form and your view of the game \
             are attached, and the form stands below.",
            ledger.offer.game
        ),
        None => format!(
            "This form of phase {phase} replaces the one that {player} was sent before: the old \
             one counts no more. A file that was taken stays taken."
        ),
    };
    let body = format!(
        "{}\n\nOrders are due by {}.\nhead {}\n\n{form}",
        wrap(&why),
        super::words::moment(open.call().deadline),
        open.call().prev
    );
    let note = Note {
        name: &format!("{dir}-form-{number}-{player}"),
        subject: &format!("phase {phase}: a new form"),
        body: &body,
        with: vec![
            enclosed(form_name(&ledger.offer.game, phase, &player), form.as_str()),
            enclosed(format!("view-{player}-{phase}.toml"), view),
        ],
        ..Note::default()
    };
    Post::new(&settings, &ledger.offer, desk.now).to(&mut batch, &player, &note);
    folder.commit(desk, &batch)?;
    writeln!(desk.out, "{player} has a new form (number {number}); the old one is void")?;
    if let Some((old, new)) = &seat {
        writeln!(desk.out, "the seat passes from {old} to {new}: the next record will say so")?;
    }
    writeln!(desk.out, "next: send the mail in outbox/ (`despatch deliver`)")?;
    Ok(0)
}

/// A form with another ticket.
fn with_ticket(form: &str, ticket: &str) -> String {
    let line = |line: &str| match line.split_once('=') {
        Some((key, _)) if key.trim() == "ticket" => format!("{key}= \"{ticket}\"\n"),
        _ => format!("{line}\n"),
    };
    form.lines().map(line).collect()
}

/// Records the seats that changed hands during the last phase, before anything else
/// enters the ledger; true if there were any.
///
/// # Errors
/// The record cannot be written.
pub fn record_seats(desk: &mut Desk<'_>, folder: &Folder, ledger: &Ledger) -> Result<bool, Fault> {
    if ledger.open.is_some() || ledger.phases == 0 || ledger.closed.is_some() {
        return Ok(false);
    }
    let mut said = String::new();
    for entry in &ledger.entries {
        if let Record::Amend(a) = &entry.record
            && a.kind == AmendKind::Seat
            && a.phase == ledger.phases
        {
            said += &folder.read(&format!("{}/note.txt", super::folder::amend_dir(a.number)))?;
        }
    }
    let change = |player: &Id, old: &str, new: &str| format!("{player}: {old} -> {new}");
    let changes: Vec<String> = Issues::read(folder, ledger.phases)?
        .list
        .into_iter()
        .filter_map(|issue| issue.seat.map(|(old, new)| change(&issue.player, &old, &new)))
        .filter(|change| !said.contains(change.as_str()))
        .collect();
    if changes.is_empty() {
        return Ok(false);
    }
    amend::seats_changed(desk, folder, ledger, changes)?;
    Ok(true)
}
