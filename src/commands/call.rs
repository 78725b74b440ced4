//! `call`: opens the next phase (forms, views, mails) or extends its deadline.

use std::fmt::Write as _;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, call_name, phase_dir};
use super::ledger::{Ledger, OpenPhase};
use super::new::{game_fault, normal_text};
use super::outbox::{Note, Post, enclosed};
use super::reissue::record_seats;
use super::remind::policy;
use super::settings::Settings;
use super::store::Batch;
use super::timetable::Timetable;
use super::words::{moment, wrap};
use crate::cli::CallArgs;
use crate::core::beacon::{self, RoundName};
use crate::core::hash;
use crate::core::id::Id;
use crate::core::record::{Call, Mode, Next, Offer};
use crate::core::time::Stamp;
use crate::core::viewer::Viewer;
use crate::game::{FormHeader, Outlook};

/// Calls for orders.
pub fn run(desk: &mut Desk<'_>, args: &CallArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let deadline = args
        .deadline
        .as_ref()
        .map(|text| {
            Stamp::new(text).map_err(|e| {
                Fault::input(e.to_string(), "write --deadline 2027-01-18T19:00:00Z, in UTC")
            })
        })
        .transpose()?;
    call(desk, &folder, deadline)
}

/// Calls the next phase, or extends the one that is called, in a folder that is held.
///
/// # Errors
/// A guard says no.
pub fn call(desk: &mut Desk<'_>, folder: &Folder, deadline: Option<Stamp>) -> Result<u8, Fault> {
    let mut ledger = Ledger::read(folder)?;
    ledger.must_be_open()?;
    if record_seats(desk, folder, &ledger)? {
        ledger = Ledger::read(folder)?;
    }
    match &ledger.open {
        Some(open) => extend(desk, folder, &ledger, open, deadline),
        None => open_phase(desk, folder, &ledger, deadline),
    }
}

/// The beacon of a phase that closes then.
pub fn round(offer: &Offer, closing: Stamp) -> Option<RoundName> {
    (offer.mode == Mode::Beacon)
        .then(|| RoundName(beacon::phase_round(closing, offer.wait, offer.grid)))
}

fn open_phase(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    deadline: Option<Stamp>,
) -> Result<u8, Fault> {
    let head = ledger.head()?;
    ledger.must_be_engine(&desk.engine)?;
    let Next::Window(window) = &ledger.next else {
        return Err(Fault::refused(
            "the game is over: no phase is left to call",
            "end it with `despatch close`",
        ));
    };
    let (secret, chain) = folder.chain(&ledger.offer)?;
    let phase = ledger.phases + 1;
    if chain.at(phase).is_none() {
        return Err(Fault::refused(
            format!("the sealed dice of this game end with phase {}", chain.length()),
            "close it and continue in a new game: `despatch new --continues`",
        ));
    }
    let settings = folder.settings()?;
    let game = ledger.game(desk, folder)?;
    let state = ledger.state(folder)?;
    let outlook = game.outlook(&state).map_err(game_fault)?;
    if outlook.window.as_deref() != Some(window.as_str()) {
        return Err(Fault::refused(
            format!("the ledger says that `{window}` comes next, the rules say otherwise"),
            "`despatch verify --replay` shows where they part; an amendment mends it",
        ));
    }
    let table = Timetable::new(&settings.deadline)?;
    let deadline = match deadline {
        Some(deadline) => deadline,
        None => table.next(desk.now)?,
    };
    if deadline <= desk.now {
        return Err(Fault::refused(
            format!("the deadline {deadline} is not after now, {}", desk.now),
            "name a later --deadline",
        ));
    }
    let call = Call {
        game: ledger.offer.game.clone(),
        phase,
        prev: head,
        follows: None,
        window: window.clone(),
        asks: outlook.asks.clone(),
        made: desk.now,
        deadline,
        beacon: round(&ledger.offer, deadline),
    };
    let dir = phase_dir(phase);
    let mut batch = Batch::new();
    for player in &ledger.offer.players {
        let viewer = Viewer::Player(player.clone());
        let view = normal_text(&game.view(&state, &viewer).map_err(game_fault)?)?;
        let header = FormHeader {
            game: call.game.clone(),
            phase,
            player: player.clone(),
            head: head.to_string(),
            ticket: hash::ticket(&call.game, phase, player, 1, &secret.hidden).to_string(),
        };
        let form = normal_text(&game.form(&view, &header).map_err(game_fault)?)?;
        let when = table.tell(deadline, desk.now);
        let missed = policy(&settings, &table, 1, deadline);
        let body = mail(&call, &outlook, player, &form, &when, &missed);
        let asked =
            if call.asks.contains(player) { "orders by" } else { "for your information, until" };
        let note = Note {
            name: &format!("{dir}-call-{player}"),
            subject: &format!("phase {phase}: {asked} {}", moment(deadline)),
            body: &body,
            with: vec![
                enclosed(form_name(&call.game, phase, player), form.as_str()),
                enclosed(format!("view-{player}-{phase}.toml"), view.as_str()),
                enclosed("call.txt", call.to_text()),
            ],
            ..Note::default()
        };
        Post::new(&settings, &ledger.offer, desk.now).to(&mut batch, player, &note);
        batch.record(format!("{dir}/views/{player}.toml"), view);
        batch.record(format!("{dir}/forms/{player}.toml"), form);
    }
    batch.record(call_name(phase, 1), call.to_text());
    folder.commit(desk, &batch)?;
    writeln!(desk.out, "phase {phase} called: {}", outlook.heading)?;
    writeln!(desk.out, "  asks      {}", join(&call.asks))?;
    writeln!(desk.out, "  deadline  {deadline}")?;
    writeln!(
        desk.out,
        "next: send the mails in outbox/, take answers with `despatch receive FILE`"
    )?;
    Ok(0)
}

/// What the file of a form is called in a mail.
pub fn form_name(game: &Id, phase: u32, player: &Id) -> String {
    format!("{game}-{phase}-{player}.toml")
}

/// Names joined for people.
pub fn join(names: &[Id]) -> String {
    if names.is_empty() {
        return "nobody".to_owned();
    }
    names.iter().map(Id::as_str).collect::<Vec<_>>().join(", ")
}

fn mail(
    call: &Call,
    outlook: &Outlook,
    player: &Id,
    form: &str,
    when: &str,
    missed: &str,
) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}  phase {}, window {}", call.game, call.phase, call.window);
    let _ = writeln!(text, "{}\n", wrap(&outlook.heading));
    if call.asks.contains(player) {
        let _ = writeln!(text, "Orders of {player} are due by\n  {when}.");
        let default = format!("If nothing is sent: {}.", outlook.default.trim_end_matches('.'));
        let _ = writeln!(text, "{}", wrap(&default));
    } else {
        let _ =
            writeln!(text, "Nothing is asked of {player} in this phase. You may send orders by");
        let _ = writeln!(text, "  {when};\nthe game does not wait for them.");
    }
    let _ = writeln!(text, "{}", wrap(&format!("Asked: {}", join(&call.asks))));
    let _ = writeln!(text, "{}", wrap(missed));
    if let Some(RoundName(round)) = call.beacon {
        let _ = writeln!(text, "The beacon's round {round} will enter the dice.");
    }
    let _ = writeln!(text, "head {}", call.prev);
    let _ = writeln!(text, "call {}\n", call.hash());
    let answer = if call.asks.contains(player) { "Answer" } else { "You may answer" };
    let _ = writeln!(
        text,
        "{}\n",
        wrap(&format!(
            "{answer} with the form, filled in: the attached file, or this mail with your orders \
             written between its lines."
        ))
    );
    let _ = write!(text, "{form}");
    text
}

/// Moves the deadline of the phase that is called.
///
/// # Errors
/// A guard says no.
pub fn extend(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    open: &OpenPhase,
    deadline: Option<Stamp>,
) -> Result<u8, Fault> {
    let old = open.call();
    if open.lock.is_some() {
        return Err(Fault::refused(
            format!("phase {} is called and locked already", open.phase),
            "resolve it with `despatch adjudicate`",
        ));
    }
    let Some(deadline) = deadline else {
        return Err(Fault::refused(
            format!("phase {} is called already, until {}", open.phase, old.deadline),
            "to extend it, name a later --deadline; else `despatch lock`, `despatch adjudicate`",
        ));
    };
    if desk.now >= old.deadline {
        return Err(Fault::refused(
            format!("the deadline {} is over: there is no extension after it", old.deadline),
            "`despatch lock --allow-missing N` goes on without those who are missing",
        ));
    }
    if deadline <= old.deadline {
        return Err(Fault::refused(
            format!("{deadline} is no extension of {}", old.deadline),
            "a deadline only moves back: name a later one",
        ));
    }
    let number = open.calls.len() + 1;
    let call = Call {
        follows: Some(old.hash()),
        made: desk.now,
        deadline,
        beacon: round(&ledger.offer, deadline),
        ..old.clone()
    };
    let settings: Settings = folder.settings()?;
    let table = Timetable::new(&settings.deadline)?;
    let mut batch = Batch::new();
    let body = format!(
        "The deadline of phase {} moves from\n  {}\nto\n  {}.\nYour form stays good.\n{}\ncall {}\n",
        open.phase,
        moment(old.deadline),
        table.tell(deadline, desk.now),
        wrap(&policy(&settings, &table, number, deadline)),
        call.hash()
    );
    for player in &ledger.offer.players {
        let note = Note {
            name: &format!("{}-call-{number}-{player}", phase_dir(open.phase)),
            subject: &format!("phase {}: more time, {}", open.phase, moment(deadline)),
            body: &body,
            with: vec![enclosed(format!("call-{number}.txt"), call.to_text())],
            ..Note::default()
        };
        Post::new(&settings, &ledger.offer, desk.now).to(&mut batch, player, &note);
    }
    batch.record(call_name(open.phase, number), call.to_text());
    folder.commit(desk, &batch)?;
    writeln!(desk.out, "phase {} extended to {deadline}", open.phase)?;
    Ok(0)
}
