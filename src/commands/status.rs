//! `status`: where the game stands and what may be run now.

use std::fmt::Write as _;

use super::call::join;
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, name_of, phase_dir};
use super::inbox::{Inbox, is_final, is_settled};
use super::join::Joins;
use super::ledger::Ledger;
use super::lock::{lines, missing};
use super::timetable::Timetable;
use super::words::some;
use crate::core::beacon::{self, RoundName};
use crate::core::id::Id;
use crate::core::record::{EntropySource, Next};
use crate::core::time::Stamp;

/// One player's part in the phase that is called.
struct Sent {
    player: Id,
    asked: bool,
    state: &'static str,
    receipt: usize,
    received: Option<String>,
    refused: usize,
    late: usize,
}

/// Prints it.
pub fn run(desk: &mut Desk<'_>) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    let sent = sent(&folder, &ledger, desk.now)?;
    let next = next_step(desk, &folder, &ledger)?;
    if desk.json {
        let players: Vec<_> = sent
            .iter()
            .map(|s| {
                serde_json::json!({
                    "player": s.player.as_str(), "asked": s.asked, "state": s.state,
                    "receipt": s.receipt, "received": s.received,
                    "refused": s.refused, "late": s.late,
                })
            })
            .collect();
        let open = ledger.open.as_ref();
        let value = serde_json::json!({
            "game": ledger.offer.game.as_str(),
            "scenario": ledger.offer.scenario.as_str(),
            "head": ledger.head.map(|h| h.to_string()),
            "resolved": ledger.phases,
            "amendments": ledger.amendments,
            "phase": open.map(|o| o.phase),
            "window": open.map(|o| o.call().window.to_string()),
            "deadline": open.map(|o| o.call().deadline.to_string()),
            "locked": open.is_some_and(|o| o.lock.is_some()),
            "closed": ledger.closed.as_ref().map(|c| c.result.clone()),
            "players": players,
            "next": next,
        });
        writeln!(desk.out, "{value}")?;
        return Ok(0);
    }
    writeln!(desk.out, "{}  {}", ledger.offer.game, ledger.offer.scenario)?;
    if let Some(head) = ledger.head {
        writeln!(desk.out, "head {head}")?;
    }
    writeln!(
        desk.out,
        "{} resolved, {}",
        some(ledger.phases as usize, "phase"),
        some(ledger.amendments as usize, "amendment")
    )?;
    if let Some(open) = &ledger.open {
        let call = open.call();
        writeln!(
            desk.out,
            "phase {}, window {}, deadline {}",
            open.phase, call.window, call.deadline
        )?;
        let settings = folder.settings().ok();
        let table = settings.as_ref().and_then(|s| Timetable::new(&s.deadline).ok());
        if let Some(table) = table {
            writeln!(desk.out, "  {}", table.tell(call.deadline, desk.now))?;
        }
        for s in &sent {
            let mut extra = String::new();
            if s.refused > 0 {
                let _ = write!(extra, "  {} not taken", s.refused);
            }
            if s.late > 0 {
                let _ = write!(extra, "  {} late", s.late);
            }
            let when = s.received.as_deref().unwrap_or("");
            writeln!(
                desk.out,
                "  {:<20} {:<16} {:<12} {when}{extra}",
                s.player,
                settings.as_ref().map_or_else(String::new, |all| name_of(all, &s.player)),
                s.state
            )?;
        }
    }
    if let Some(warning) = super::lock::beacon_is_public(&ledger, desk.now) {
        writeln!(desk.out, "{warning}")?;
    }
    writeln!(desk.out, "next: {next}")?;
    Ok(0)
}

fn sent(folder: &Folder, ledger: &Ledger, now: Stamp) -> Result<Vec<Sent>, Fault> {
    let Some(open) = &ledger.open else { return Ok(Vec::new()) };
    let inbox = Inbox::read(folder, open.phase)?;
    let dir = phase_dir(open.phase);
    let mut all = Vec::new();
    for player in &ledger.offer.players {
        let last = inbox.last(player);
        let asked = open.call().asks.contains(player);
        let state = match last {
            Some(_) if is_settled(folder, open.phase, player)? => "final",
            Some(_) if is_final(folder, open.phase, player)? => "final, orders refused",
            Some(_) => "provisional",
            None if asked && now >= open.call().deadline => "late",
            None if asked => "nothing yet",
            None => "not asked",
        };
        all.push(Sent {
            player: player.clone(),
            asked,
            state,
            receipt: inbox.count(player),
            received: last.map(|r| r.received.to_string()),
            refused: count(folder, &format!("{dir}/refused"), player),
            late: count(folder, &format!("{dir}/late"), player),
        });
    }
    Ok(all)
}

/// Files `<player>-<number>.toml` in a folder.
fn count(folder: &Folder, dir: &str, player: &Id) -> usize {
    let Ok(entries) = std::fs::read_dir(folder.root.join(dir)) else { return 0 };
    entries
        .filter_map(Result::ok)
        .filter(|e| {
            let name = e.file_name().to_string_lossy().into_owned();
            name.strip_suffix(".toml").and_then(|stem| stem.rsplit_once('-')).is_some_and(
                |(id, n)| id == player.as_str() && n.bytes().all(|b| b.is_ascii_digit()),
            )
        })
        .count()
}

/// What the referee does next, in one line.
fn next_step(desk: &Desk<'_>, folder: &Folder, ledger: &Ledger) -> Result<String, Fault> {
    if let Some(close) = &ledger.closed {
        return Ok(format!("nothing: the game is closed ({})", close.result));
    }
    if !folder.has("referee.secret") {
        return Ok(match &ledger.open {
            Some(open) if open.lock.is_none() => {
                format!("send your orders by {}; `despatch check` first", open.call().deadline)
            }
            _ => "wait for the referee's next mail".to_owned(),
        });
    }
    if ledger.head.is_none() {
        return Ok(match ledger.offer.entropy {
            EntropySource::Nonces => {
                let joins = Joins::read(folder, &ledger.offer)?;
                let missing = joins.uncommitted(None);
                let open: Vec<&str> =
                    joins.players.iter().filter(|j| j.2.is_none()).map(|j| j.0.as_str()).collect();
                if !missing.is_empty() {
                    format!("despatch join, commitments of {}", missing.join(", "))
                } else if open.is_empty() {
                    "despatch genesis".to_owned()
                } else {
                    format!("despatch join, nonces of {}", open.join(", "))
                }
            }
            EntropySource::Round(round) => {
                format!("despatch genesis --beacon FILE, after {}", beacon::time_of(round))
            }
        });
    }
    let Some(open) = &ledger.open else {
        return Ok(match &ledger.next {
            Next::End => "despatch close (the game is over)".to_owned(),
            Next::Window(window) => {
                format!("despatch call (phase {}, window {window})", ledger.phases + 1)
            }
        });
    };
    if let Some(lock) = &open.lock {
        return Ok(match lock.beacon {
            Some(RoundName(round)) => format!(
                "despatch adjudicate --beacon FILE, after {}",
                beacon::time_of(u64::try_from(round).unwrap_or(1))
            ),
            None => "despatch adjudicate".to_owned(),
        });
    }
    let inbox = Inbox::read(folder, open.phase)?;
    let missing = missing(&lines(ledger, open, &inbox));
    if desk.now >= open.call().deadline {
        return Ok(if missing.is_empty() {
            "despatch lock".to_owned()
        } else {
            format!(
                "despatch lock --allow-missing {} ({} sent nothing)",
                missing.len(),
                join(&missing)
            )
        });
    }
    let mut all_final = missing.is_empty();
    for player in &open.call().asks {
        all_final = all_final && is_settled(folder, open.phase, player)?;
    }
    Ok(if all_final {
        "despatch lock --early (everybody asked is final)".to_owned()
    } else {
        format!("wait for {} until {}", join(&open.call().asks), open.call().deadline)
    })
}
