//! The commands: the only place that reads and writes files.
//!
//! Every command is a function of a [`Desk`] (where we are, what time it is, where
//! output goes) and its arguments. All of them write through one [`store::Store`].

pub mod adjudicate;
pub mod amend;
mod batch;
pub mod bundle;
pub mod call;
pub mod check;
pub mod close;
pub mod club;
mod club_mail;
pub mod continues;
pub mod deliver;
pub mod demo;
pub mod desk;
pub mod fault;
pub mod folder;
pub mod games;
pub mod genesis;
pub mod history;
pub mod inbox;
mod inside;
pub mod intake;
pub mod issues;
pub mod join;
pub mod ledger;
mod letters;
pub mod lock;
pub mod luck;
pub mod manual;
pub mod new;
pub mod odds;
pub mod offer;
pub mod outbox;
pub mod outcome;
pub mod position;
pub mod press;
pub mod receipt;
pub mod receive;
pub mod register;
pub mod reissue;
pub mod remind;
pub mod replay;
pub mod report;
pub mod roster;
pub mod seals;
pub mod settings;
pub mod signed;
pub mod status;
pub mod store;
pub mod timetable;
pub mod tray;
pub mod verify;
pub mod words;

pub use desk::{Desk, Systems};
pub use fault::Fault;

use crate::cli::{Cli, Command};
use crate::core::time::Stamp;

/// Runs one command and returns the exit code of the program; what went wrong is
/// on the desk's error output, with the way out.
pub fn run(cli: &Cli, desk: &mut Desk<'_>) -> u8 {
    let done = prepare(cli, desk).and_then(|()| dispatch(&cli.command, desk));
    match done {
        Ok(code) => code,
        Err(fault) => {
            complain(desk, &fault);
            fault.code()
        }
    }
}

/// Prints a fault as the program does.
pub fn complain(desk: &mut Desk<'_>, fault: &Fault) {
    if matches!(fault, Fault::Pipe | Fault::Told) {
        return;
    }
    let (red, plain) = if desk.colour { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
    // An error output that is gone cannot be told so.
    let _ = writeln!(desk.err, "{red}error{plain}: {fault}");
    if let Some(help) = fault.help() {
        let _ = writeln!(desk.err, "help: {help}");
    }
}

fn prepare(cli: &Cli, desk: &mut Desk<'_>) -> Result<(), Fault> {
    if let Some(text) = &cli.now {
        desk.now = Stamp::new(text).map_err(|e| {
            Fault::input(format!("--now: {e}"), "write it as 2027-01-18T19:00:00Z, in UTC")
        })?;
    }
    desk.game.clone_from(&cli.game);
    desk.games.clone_from(&cli.games);
    Ok(())
}

fn dispatch(command: &Command, desk: &mut Desk<'_>) -> Result<u8, Fault> {
    match command {
        Command::Demo(args) => demo::run(desk, args),
        Command::Games(args) => games::run(desk, args),
        Command::New(args) => new::run(desk, args),
        Command::Join(args) => join::run(desk, args),
        Command::Genesis(args) => genesis::run(desk, args),
        Command::Call(args) => call::run(desk, args),
        Command::Receive(args) => receive::run(desk, args),
        Command::Club(args) => club::run(desk, args),
        Command::Reissue(args) => reissue::run(desk, args),
        Command::Remind => remind::run(desk),
        Command::Deliver(args) => deliver::run(desk, args),
        Command::Status => status::run(desk),
        Command::Lock(args) => lock::run(desk, args),
        Command::Adjudicate(args) => adjudicate::run(desk, args),
        Command::Report(args) => report::run(desk, args),
        Command::Amend(args) => amend::run(desk, args),
        Command::Bundle(args) => bundle::run(desk, args),
        Command::Close(args) => close::run(desk, args),
        Command::Verify(args) => verify::run(desk, args),
        Command::Check(args) => check::run(desk, args),
        Command::Form(args) => position::form(desk, args),
        Command::Ask(args) => position::ask(desk, args),
        Command::Odds(args) => odds::run(desk, args),
        Command::Map(args) => position::map(desk, args),
        Command::Hash(args) => seals::hash(desk, args),
        Command::Nonce(args) => seals::nonce(desk, args),
        Command::Hide(args) => seals::hide(desk, args),
        Command::History => history::run(desk),
        Command::Luck => luck::run(desk),
        Command::Completions { shell } => manual::completions(desk, *shell),
        Command::Man { out } => manual::man(desk, out.as_deref()),
    }
}
