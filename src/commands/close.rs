//! `close`: ends the game and opens every seal.

use std::collections::{BTreeMap, BTreeSet};

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, amend_dir, phase_dir};
use super::ledger::{Ledger, Record};
use super::new::{game_fault, normal_text};
use super::outbox::{Note, Post, enclosed};
use super::reissue::record_seats;
use super::replay::{Rules, again};
use super::store::Batch;
use super::words::wrap;
use crate::bundle_dir::DirBundle;
use crate::cli::CloseArgs;
use crate::core::dice::SealedRoll;
use crate::core::hash::{self, Hex64};
use crate::core::record::{AmendKind, Close, Next, Opened, Sealed, Seals};
use crate::core::verify::{Options, verify};

/// Writes `close.txt`.
pub fn run(desk: &mut Desk<'_>, args: &CloseArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let mut ledger = Ledger::read(&folder)?;
    ledger.head()?;
    ledger.must_be_between("close")?;
    if record_seats(desk, &folder, &ledger)? {
        ledger = Ledger::read(&folder)?;
    }
    let head = ledger.head()?;
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
    let mut batch = Batch::new();
    let opens = open_all(desk, &folder, &ledger, &secret.hidden, &args.open, &mut batch)?;
    let seals = (!opens.is_empty()).then(|| {
        let game = ledger.offer.game.clone();
        Seals { game, phase: 0, seals: Vec::new(), opens }
    });
    if let Some(seals) = &seals {
        batch.record("close-seals.txt", seals.to_text());
    }
    let close = Close {
        game: ledger.offer.game.clone(),
        prev: head,
        made: desk.now,
        phases: ledger.phases,
        amendments: ledger.amendments,
        seals: seals.as_ref().map(Seals::hash),
        secret: secret.hidden,
        result: result.clone(),
    };
    let settings = folder.settings()?;
    let body = format!(
        "{}\nEvery seal is open; the bundle now holds every file.\n\nhead {}\n",
        wrap(&format!("The game {} is over: {result}.", ledger.offer.game)),
        close.hash()
    );
    for player in &ledger.offer.players {
        let note = Note {
            name: &format!("close-{player}"),
            subject: &format!("the game is over: {result}"),
            body: &body,
            with: vec![enclosed("close.txt", close.to_text())],
            ..Note::default()
        };
        Post::new(&settings, &ledger.offer, desk.now).to(&mut batch, player, &note);
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

/// A commitment that nobody has opened, and the phase in which it was made.
struct Closed {
    seal: Sealed,
    phase: u32,
}

fn still_sealed(folder: &Folder, ledger: &Ledger) -> Result<Vec<Closed>, Fault> {
    let mut made: Vec<Closed> = Vec::new();
    let mut opened = BTreeSet::new();
    for entry in &ledger.entries {
        let (dir, phase) = match &entry.record {
            Record::Turn(turn) if turn.seals.is_some() => (phase_dir(turn.phase), turn.phase),
            Record::Amend(amend) if amend.kind == AmendKind::Correct && amend.seals.is_some() => {
                (amend_dir(amend.number), amend.phase)
            }
            _ => continue,
        };
        let seals = folder.record(&format!("{dir}/seals.txt"), Seals::parse)?;
        made.extend(seals.seals.into_iter().map(|seal| Closed { seal, phase }));
        opened.extend(seals.opens.iter().map(Opened::commitment));
    }
    made.retain(|closed| !opened.contains(&closed.seal.commitment()));
    Ok(made)
}

/// Opens everything that is still sealed: rolls by resolving their phases again,
/// notes with what their owners sent.
fn open_all(
    desk: &mut Desk<'_>,
    folder: &Folder,
    ledger: &Ledger,
    d: &Hex64,
    notes: &[String],
    batch: &mut Batch,
) -> Result<Vec<Opened>, Fault> {
    let closed = still_sealed(folder, ledger)?;
    let mut opens = Vec::new();
    if closed.is_empty() {
        return Ok(opens);
    }
    let bundle = DirBundle::open(&folder.root).map_err(Fault::file("read", &folder.root))?;
    let verified = verify(&bundle, None, &Options { beacon_key: None });
    if let Some(failure) = &verified.failure {
        return Err(Fault::refused(
            format!("the ledger fails its check `{}`: {}", failure.check, failure.message),
            "`despatch verify` says more; restore the files from a backup, then close",
        ));
    }
    // What the rules took from the orders they know; the rest comes from the owners.
    let state = ledger.state(folder)?;
    let mut shown = ledger.game(desk, folder)?.notes(&state).map_err(game_fault)?;
    for text in notes {
        shown.push(note(desk, text)?);
    }
    let mut rolls = BTreeMap::new();
    let mut rules = Rules::default();
    for facts in &verified.phases {
        if closed.iter().any(|c| c.phase == facts.phase && matches!(c.seal, Sealed::Roll(_))) {
            let (_, outcome) = again(desk, folder, &ledger.offer.game, facts, Some(d), &mut rules)?;
            rolls.extend(outcome.sealed.into_iter().map(|roll| (roll.commitment, roll)));
        }
    }
    for Closed { seal, phase } in &closed {
        let opened = match seal {
            Sealed::Roll(commitment) => rolls.get(commitment).map(SealedRoll::opened),
            Sealed::Note { owner, commitment } => {
                let fits = |(salt, text): &&(Hex64, String)| {
                    let text = hash::text_hash(text);
                    hash::hide(&ledger.offer.game, *phase, owner, salt, &text) == *commitment
                };
                shown.iter().find(fits).map(|(salt, text)| {
                    batch.record(format!("notes/{commitment}.txt"), text.as_str());
                    Opened::Note {
                        commitment: *commitment,
                        salt: *salt,
                        text: hash::text_hash(text),
                    }
                })
            }
        };
        opens.push(opened.ok_or_else(|| match seal {
            Sealed::Note { owner, .. } => Fault::refused(
                format!("the note that {owner} sealed in phase {phase} is still closed"),
                format!("ask {owner} for its salt and file, then add --open SALT:FILE"),
            ),
            Sealed::Roll(commitment) => Fault::refused(
                format!("no roll of phase {phase} belongs to the seal {commitment}"),
                "`despatch verify --replay` shows which phase comes out otherwise",
            ),
        })?);
    }
    Ok(opens)
}

/// A note as its owner sent it: `SALT:FILE`.
fn note(desk: &Desk<'_>, text: &str) -> Result<(Hex64, String), Fault> {
    let bad = || {
        Fault::input(
            format!("`--open {text}` is not SALT:FILE"),
            "write the 64 digits of the salt, a colon, and the file of the note",
        )
    };
    let (salt, path) = text.split_once(':').ok_or_else(bad)?;
    let salt = Hex64::new(salt).map_err(|_| bad())?;
    let text = normal_text(&desk.read(std::path::Path::new(path))?)?;
    Ok((salt, text))
}
