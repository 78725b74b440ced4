//! `check`: every fault of an order file, by the code that adjudicates.

use super::desk::Desk;
use super::fault::Fault;
use super::new::game_fault;
use super::position::Position;
use super::words::some;
use crate::cli::CheckArgs;
use crate::core::diag::{Diagnostic, Severity, count, render_all, to_json};
use crate::core::hash;
use crate::core::orderfile::{Expected, Form, check_header, read_header};
use crate::core::record::Secret;
use crate::core::source::Source;
use crate::game::Checked;

/// Checks a file before it is sent.
pub fn run(desk: &mut Desk<'_>, args: &CheckArgs) -> Result<u8, Fault> {
    let path = desk.path(&args.orders);
    let bytes = std::fs::read(&path).map_err(Fault::file("read", &path))?;
    let name =
        args.orders.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let source = match Source::from_bytes(&name, &bytes) {
        Ok(source) => source,
        Err(fault) => {
            let source = Source::new(&name, "");
            return tell(desk, &source, &Checked { faults: vec![*fault], ..Checked::default() });
        }
    };
    let header = match read_header(&source, Form::Game) {
        Ok(header) => header,
        Err(mut faults) => {
            faults.extend(parse_fault(&source));
            return tell(desk, &source, &Checked { faults, ..Checked::default() });
        }
    };
    let player = header.player.value.clone();
    let position = Position::find(desk, &args.position, Some(&player))?;
    let ledger = &position.ledger;
    let mut faults = Vec::new();
    if !ledger.offer.players.contains(&player) {
        faults.push(
            Diagnostic::error(None, format!("this game has no player `{player}`"))
                .at(header.player.span.clone())
                .help("copy the line from the form that you were sent"),
        );
        return tell(desk, &source, &Checked { faults, ..Checked::default() });
    }
    if let Some(open) = &ledger.open {
        // Only the referee's folder can know the ticket.
        let secret = position.folder.maybe_record("referee.secret", Secret::parse)?;
        let ticket =
            secret.map(|s| hash::ticket(&ledger.offer.game, open.phase, &player, 1, &s.hidden));
        let expected = Expected {
            game: &ledger.offer.game,
            phase: open.phase,
            player: &player,
            head: &open.call().prev,
            ticket: ticket.as_ref(),
            replaced: &[],
        };
        faults.extend(check_header(&header, &expected));
    }
    faults.extend(parse_fault(&source));
    if faults.iter().any(|f| f.severity == Severity::Error) {
        return tell(desk, &source, &Checked { faults, ..Checked::default() });
    }
    let mut checked = position.game.check(&position.view, &player, &source).map_err(game_fault)?;
    checked.faults.splice(0..0, faults);
    tell(desk, &source, &checked)
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
            writeln!(desk.out, "  {order}")?;
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
