//! `close`: ends the game and opens every seal.

use std::collections::BTreeSet;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, Ledger, Record, amend_dir, phase_dir};
use super::new::game_fault;
use super::outbox::post;
use super::store::Batch;
use crate::cli::CloseArgs;
use crate::core::hash::Hex64;
use crate::core::record::{AmendKind, Close, Next, Opened, Sealed, Seals};

/// Writes `close.txt`.
pub fn run(desk: &mut Desk<'_>, args: &CloseArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    let head = ledger.head()?;
    ledger.must_be_between("close")?;
    let (secret, _) = folder.chain(&ledger.offer)?;
    let result = match (&args.result, &ledger.next) {
        (Some(text), _) => text.clone(),
        (None, Next::End) => {
            let game = ledger.game(desk, &folder)?;
            let outlook = game.outlook(&ledger.state(&folder)?).map_err(game_fault)?;
            outlook.result.unwrap_or_else(|| "no result".to_owned())
        }
        (None, Next::Window(_)) => {
            return Err(Fault::refused(
                "the rules have found no result yet",
                "say what ends the game: --result \"Dervish concede\", \"an agreed draw\"",
            ));
        }
    };
    let result = plain(&result)?;
    let open = still_sealed(&folder, &ledger)?;
    if !open.is_empty() {
        return Err(Fault::refused(
            format!("{} seals are still closed, the first is {}", open.len(), open[0]),
            "the rules must open them in their last phase; play it on",
        ));
    }
    let close = Close {
        game: ledger.offer.game.clone(),
        prev: head,
        made: desk.now,
        phases: ledger.phases,
        amendments: ledger.amendments,
        seals: None,
        secret: secret.hidden,
        result: result.clone(),
    };
    let settings = folder.settings()?;
    let body = format!(
        "The game {} is over: {result}.\nEvery seal is open; the bundle now holds every file.\n\n\
         head {}\n\n{}",
        ledger.offer.game,
        close.hash(),
        close.to_text()
    );
    let mut batch = Batch::new();
    for player in &ledger.offer.players {
        if let Some(person) = settings.player.get(player) {
            let subject = format!("[{}] the game is over: {result}", ledger.offer.game);
            post(&mut batch, &format!("close-{player}"), person, &subject, &body);
        }
    }
    batch.record("close.txt", close.to_text());
    folder.commit(desk, &batch)?;
    writeln!(desk.out, "closed: {result}\nhead {}", close.hash())?;
    writeln!(desk.out, "next: `despatch bundle --for public DIR`, and send it to everybody")?;
    Ok(0)
}

/// The result as a record may hold it: plain letters, one line.
fn plain(text: &str) -> Result<String, Fault> {
    let one = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if crate::core::record::is_value(&one) {
        Ok(one)
    } else {
        Err(Fault::input(
            format!("`{one}` cannot stand in a record"),
            "write the result in plain ASCII letters, 1 to 4096 of them",
        ))
    }
}

/// Commitments that nobody has opened.
fn still_sealed(folder: &Folder, ledger: &Ledger) -> Result<Vec<Hex64>, Fault> {
    let mut made = Vec::new();
    let mut opened = BTreeSet::new();
    for entry in &ledger.entries {
        let dir = match &entry.record {
            Record::Turn(turn) if turn.seals.is_some() => phase_dir(turn.phase),
            Record::Amend(amend) if amend.kind == AmendKind::Correct && amend.seals.is_some() => {
                amend_dir(amend.number)
            }
            _ => continue,
        };
        let seals = folder.record(&format!("{dir}/seals.txt"), Seals::parse)?;
        made.extend(seals.seals.iter().map(Sealed::commitment));
        opened.extend(seals.opens.iter().map(Opened::commitment));
    }
    made.retain(|commitment| !opened.contains(commitment));
    Ok(made)
}
