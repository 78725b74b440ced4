//! `check`: every fault of an order file, by the code that adjudicates.

use std::io::{self, Read as _};
use std::path::Path;

use super::desk::Desk;
use super::fault::Fault;
use super::issues::Issues;
use super::new::game_fault;
use super::position::Position;
use super::press::{self, PressRules};
use super::words::some;
use crate::cli::CheckArgs;
use crate::core::diag::{Diagnostic, Severity, count, render_all, to_json};
use crate::core::hash;
use crate::core::id::Id;
use crate::core::orderfile::{Expected, Form, Header, check_header, read_header};
use crate::core::record::Secret;
use crate::core::source::{LARGEST, Source};
use crate::core::template::{WIDTH, wrap};
use crate::game::{Checked, Seat};

/// A file, or what comes through a pipe; a device may never come to its end: one byte
/// more than an order file has is enough to say so.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if std::fs::metadata(path)?.is_file() {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Checks a file before it is sent.
pub fn run(desk: &mut Desk<'_>, args: &CheckArgs) -> Result<u8, Fault> {
    let path = desk.path(&args.orders);
    let bytes = read(&path).map_err(Fault::file("read", &path))?;
    let name =
        args.orders.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let source = match Source::from_bytes(&name, &bytes) {
        Ok(source) => source,
        Err(fault) => {
            let source = Source::new(&name, "");
            return tell(desk, &source, &Checked { faults: vec![*fault], ..Checked::default() });
        }
    };
    let header = read_header(&source, Form::Game);
    let named = match &header {
        Ok(header) => Some(header.player.value.clone()),
        // The header has faults; whose rules to check by may still be told.
        Err(_) => {
            toml::from_str::<Named>(&source.text).ok().and_then(|n| Id::player(&n.player).ok())
        }
    };
    let Some(player) = named else {
        let mut faults = header.err().unwrap_or_default();
        faults.extend(parse_fault(&source));
        return tell(desk, &source, &Checked { faults, ..Checked::default() });
    };
    let position = Position::find(desk, &args.position, Some(&player))?;
    let mut faults = match &header {
        Ok(header) => header_faults(&position, header)?,
        Err(faults) => faults.clone(),
    };
    let seats = position.game.seats(&position.view).map_err(game_fault)?;
    let mut checked = if seats.iter().any(|s| s.player == player) {
        let bare = press::without(&source);
        let mut checked =
            position.game.check(&position.view, &player, &bare).map_err(game_fault)?;
        let (messages, faults) = press::read(&source, press_rules(&position, &seats));
        checked.understood.extend(messages.iter().map(press::Message::summary));
        checked.faults.extend(faults);
        checked
    } else {
        if let Ok(header) = &header {
            let players: Vec<&str> = seats.iter().map(|s| s.player.as_str()).collect();
            faults.push(
                Diagnostic::error(None, format!("this game has no player `{player}`"))
                    .at(header.player.span.clone())
                    .help(format!("its players are {}", players.join(", "))),
            );
        }
        faults.extend(parse_fault(&source));
        Checked::default()
    };
    checked.faults.splice(0..0, faults);
    tell(desk, &source, &checked)
}

/// The press rules as far as a player can know them: in an open game nothing is
/// anonymous; whether a sealed one allows it, the receipt says.
fn press_rules<'a>(position: &Position, seats: &'a [Seat]) -> PressRules<'a> {
    let sealed = position.home.as_ref().is_none_or(|(_, ledger)| ledger.sealed());
    PressRules { seats, anonymous: sealed }
}

#[derive(serde::Deserialize)]
struct Named {
    player: String,
}

/// What of a header differs from the phase that is called; from a view alone, from
/// the game and the phase that the view is of.
fn header_faults(position: &Position, header: &Header) -> Result<Vec<Diagnostic>, Fault> {
    #[derive(serde::Deserialize)]
    struct Seen {
        game: Id,
        phase: u32,
    }
    let player = &header.player.value;
    let Some((folder, ledger)) = &position.home else {
        let Ok(seen) = toml::from_str::<Seen>(&position.view) else { return Ok(Vec::new()) };
        let expected = Expected {
            game: &seen.game,
            phase: seen.phase + 1,
            player,
            head: &header.head.as_ref().map_or_else(|| hash::Hex64::digest(b""), |h| h.value),
            ticket: None,
            replaced: &[],
        };
        return Ok(check_header(header, &expected));
    };
    if !ledger.offer.players.contains(player) {
        return Ok(Vec::new());
    }
    let Some(open) = &ledger.open else { return Ok(Vec::new()) };
    // Only the referee's folder can know the ticket.
    let secret = folder.maybe_record("referee.secret", Secret::parse)?;
    let tickets = match secret {
        Some(secret) => {
            let issues = Issues::read(folder, open.phase)?;
            Some(issues.tickets(&ledger.offer.game, open.phase, player, &secret.hidden))
        }
        None => None,
    };
    let (ticket, replaced) = tickets.map_or((None, Vec::new()), |(now, old)| (Some(now), old));
    let expected = Expected {
        game: &ledger.offer.game,
        phase: open.phase,
        player,
        head: &open.call().prev,
        ticket: ticket.as_ref(),
        replaced: &replaced,
    };
    Ok(check_header(header, &expected))
}

fn parse_fault(source: &Source) -> Option<Diagnostic> {
    let fault = toml::from_str::<toml::Table>(&source.text).err()?;
    let diagnostic = Diagnostic::error(None, fault.message().to_owned())
        .help("the file is no TOML: compare it with the form");
    Some(match fault.span() {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    })
}

fn tell(desk: &mut Desk<'_>, source: &Source, checked: &Checked) -> Result<u8, Fault> {
    let bad = checked.refused > 0 || checked.faults.iter().any(|f| f.severity == Severity::Error);
    if desk.json {
        let value = serde_json::json!({
            "file": source.name,
            "ok": !bad,
            "faults": checked.faults.iter().map(|f| to_json(f, source)).collect::<Vec<_>>(),
            "accepted": checked.accepted,
            "refused": checked.refused,
            "understood": checked.understood,
        });
        writeln!(desk.out, "{value}")?;
        return Ok(u8::from(bad));
    }
    write!(desk.err, "{}", render_all(&checked.faults, source, desk.colour))?;
    if !checked.understood.is_empty() {
        writeln!(desk.out, "As understood:")?;
        for order in &checked.understood {
            writeln!(desk.out, "{}", wrap(order, 2, 6, WIDTH))?;
        }
    }
    writeln!(
        desk.out,
        "{}; {} would be carried out as written, {} refused.",
        count(&checked.faults),
        some(checked.accepted, "order"),
        checked.refused
    )?;
    Ok(u8::from(bad))
}
