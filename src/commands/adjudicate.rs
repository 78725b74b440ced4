//! `adjudicate`: resolves the locked orders.
//!
//! All that it writes is a function of what is recorded, so that running it again
//! after a kill ends with the same bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::genesis::read_beacon;
use super::inbox::Inbox;
use super::ledger::{Ledger, OpenPhase};
use super::lock::{lines, missing};
use super::new::game_fault;
use super::outbox::{Note, Post, enclosed};
use super::outcome::{next_of, resolve, write_reports};
use super::position::lone_player;
use super::press::{self, PressRules};
use super::settings::Settings;
use super::store::Batch;
use super::timetable::Timetable;
use super::words::wrap;
use crate::cli::AdjudicateArgs;
use crate::core::beacon::{BeaconString, BeaconValue, RoundName};
use crate::core::dice::Roller;
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{Fate, OrderLine, Turn};
use crate::core::source::Source;
use crate::core::time::Stamp;
use crate::core::viewer::Viewer;
use crate::game::{Game, PhaseInput, Report, Resolution, Submission};

/// Resolves the phase that is locked, or rehearses the one that is called.
pub fn run(desk: &mut Desk<'_>, args: &AdjudicateArgs) -> Result<u8, Fault> {
    if args.rehearse {
        return rehearse(desk, args);
    }
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    must_be_phase(&ledger, args.phase)?;
    let open = ledger.must_be_called()?;
    let phase = open.phase;
    let dir = phase_dir(phase);
    let Some(lock) = &open.lock else {
        return Err(Fault::refused(
            format!("the orders of phase {phase} are not closed"),
            "close them with `despatch lock`; `adjudicate --rehearse` tries the turn without",
        ));
    };
    if lock.call != open.call().hash() {
        return Err(Fault::refused(
            format!("the lock of phase {phase} names another call than the folder has"),
            "`despatch verify` says more; restore the calls from a backup",
        ));
    }
    let absent = missing(&lock.orders);
    if args.allow_missing.is_some_and(|n| absent.len() > n as usize) {
        return Err(Fault::refused(
            format!("the lock has nothing from {}", super::call::join(&absent)),
            format!("add --allow-missing {}", absent.len()),
        ));
    }
    ledger.must_be_engine(&desk.engine)?;
    let orders = submissions(&folder, phase, &lock.orders)?;
    let game = ledger.game(desk, &folder)?;
    let state = ledger.state(&folder)?;
    let head = ledger.head()?;
    let (secret, chain) = folder.chain(&ledger.offer)?;
    let reference = chain.at(phase).ok_or_else(|| {
        Fault::refused(
            format!("the sealed dice of this game end with phase {}", chain.length()),
            "close it and continue in a new game: `despatch new --continues`",
        )
    })?;
    let mut batch = Batch::new();
    let beacon = beacon_of(desk, &folder, &dir, lock.beacon, args, &mut batch)?;
    let entropy = ledger.genesis.as_ref().map_or(ledger.offer.hidden, |g| g.entropy);
    let seed = seed_of(&ledger.offer.game, phase, &reference, &entropy, beacon);
    let input = PhaseInput {
        game: ledger.offer.game.clone(),
        phase,
        prev: head.to_string(),
        state,
        orders,
        rehearsal: false,
    };
    let sealed = ledger.sealed().then_some(&secret.hidden);
    let (done, outcome) = resolve(&*game, &input, &seed, sealed, "", None)?;
    let turn = Turn {
        game: ledger.offer.game.clone(),
        phase,
        prev: head,
        engine: desk.engine.clone(),
        rules: ledger.rules,
        state_before: ledger.state,
        lock: lock.hash(),
        reference,
        beacon,
        seed,
        rolls: hash::text_hash(&outcome.rolls),
        seals: outcome.seals.as_deref().map(hash::text_hash),
        events: hash::text_hash(&outcome.events),
        report: hash::text_hash(&outcome.report),
        state_after: hash::text_hash(&outcome.state),
        next: next_of(&done.outlook)?,
    };
    outcome.write(&mut batch, &dir);
    write_reports(&mut batch, &dir, &done.reports)?;
    let settings = folder.settings()?;
    let seats = game.seats(&input.state).map_err(game_fault)?;
    let rules =
        PressRules { seats: &seats, anonymous: settings.press.anonymous && ledger.sealed() };
    let pages = press::pages(&press::files(&files(&folder, phase, &lock.orders)?), rules);
    for (viewer, page) in &pages {
        batch.record(format!("{dir}/press/{viewer}.txt"), page.as_str());
    }
    mails(desk.now, &settings, &ledger, &*game, &mut batch, &turn, &done, &pages)?;
    batch.record(format!("{dir}/turn.txt"), turn.to_text());
    folder.commit(desk, &batch)?;
    print_report(desk, &ledger, &done, turn.hash())
}

/// The seed of a phase.
pub fn seed_of(
    game: &Id,
    phase: u32,
    reference: &Hex64,
    entropy: &Hex64,
    beacon: Option<BeaconString>,
) -> Hex64 {
    match beacon {
        Some(beacon) => hash::seed(game, phase, reference, entropy, &beacon),
        None => hash::seed(game, phase, reference, entropy, &"none"),
    }
}

/// Every seat's orders as the lock lists them, if the files are those.
///
/// # Errors
/// A file is missing or another.
pub fn submissions(
    folder: &Folder,
    phase: u32,
    lines: &[OrderLine],
) -> Result<BTreeMap<Id, Submission>, Fault> {
    let mut orders = files(folder, phase, lines)?;
    for submission in orders.values_mut() {
        if let Submission::File(source) = submission {
            *source = press::without(source);
        }
    }
    Ok(orders)
}

/// The same with the players' messages in them, which no rule system reads.
fn files(
    folder: &Folder,
    phase: u32,
    lines: &[OrderLine],
) -> Result<BTreeMap<Id, Submission>, Fault> {
    let mut orders = BTreeMap::new();
    for line in lines {
        let submission = match &line.fate {
            Fate::Nmr => Submission::Missing,
            Fate::Idle => Submission::Idle,
            Fate::File { hash, .. } => {
                let path = format!("{}/orders/{}.toml", phase_dir(phase), line.player);
                if !folder.has(&path) {
                    return Err(Fault::refused(
                        format!("`{path}` is gone, and a receipt promises that it counts"),
                        format!(
                            "restore it: the receipt in outbox/ or sent/ repeats it, byte for \
                             byte; its hash is {hash}"
                        ),
                    ));
                }
                let text = folder.read(&path)?;
                if hash::text_hash(&text) != *hash {
                    return Err(Fault::refused(
                        format!("`{path}` is not the file that counts"),
                        "orders are not edited by hand: restore the file whose receipt was last",
                    ));
                }
                Submission::File(Source::new(&format!("{}.toml", line.player), &text))
            }
        };
        orders.insert(line.player.clone(), submission);
    }
    Ok(orders)
}

fn must_be_phase(ledger: &Ledger, wanted: Option<u32>) -> Result<(), Fault> {
    match wanted {
        Some(phase) if phase <= ledger.phases && phase > 0 => Err(Fault::refused(
            format!("phase {phase} is resolved already: a phase is resolved once"),
            format!(
                "read it with `despatch report --phase {phase}`; an error of the program is \
                     mended with `despatch amend correct`"
            ),
        )),
        Some(phase) if phase != ledger.phases + 1 => Err(Fault::refused(
            format!("phase {phase} is not the next one: that is {}", ledger.phases + 1),
            "leave out --phase",
        )),
        _ => Ok(()),
    }
}

fn beacon_of(
    desk: &Desk<'_>,
    folder: &Folder,
    dir: &str,
    round: Option<RoundName>,
    args: &AdjudicateArgs,
    batch: &mut Batch,
) -> Result<Option<BeaconString>, Fault> {
    let Some(RoundName(round)) = round else {
        if args.beacon.is_some() {
            return Err(Fault::input(
                "this game's dice take no beacon after the genesis",
                "leave out --beacon",
            ));
        }
        return Ok(None);
    };
    let round = u64::try_from(round).unwrap_or(1);
    let path = format!("{dir}/beacon.json");
    let value = match folder.maybe(&path)? {
        Some(_) => read_beacon(desk, Some(&folder.root.join(&path)), round)?,
        None => read_beacon(desk, args.beacon.as_deref(), round)?,
    };
    batch.record(path, BeaconValue::to_text(&value));
    Ok(Some(value.string()))
}

#[allow(clippy::too_many_arguments)] // what a report mail is made of, each once
fn mails(
    now: Stamp,
    settings: &Settings,
    ledger: &Ledger,
    game: &dyn Game,
    batch: &mut Batch,
    turn: &Turn,
    done: &Resolution,
    pages: &BTreeMap<Viewer, String>,
) -> Result<(), Fault> {
    let table = Timetable::new(&settings.deadline)?;
    let before = match turn.phase {
        1 => format!("the tip\n  {}", ledger.offer.tip),
        p => format!("`ref` of phase {}", p - 1),
    };
    let head = turn.hash();
    for player in &ledger.offer.players {
        let viewer = Viewer::Player(player.clone());
        let Some(report) = done.reports.get(&viewer) else { continue };
        let map = game.map_for(&done.state, &viewer).map_err(game_fault)?;
        let mut text = report.text.trim_end().to_owned();
        text += &press::below(pages.get(&viewer));
        let _ = write!(
            text,
            "\n\nhead {head}\n\nBy hand: this gives {before}\n  \
             printf 'pbem-dice/1 chain\\ngame=%s\\nindex=%s\\nnext=%s\\n' \\\n  \
             {} {} \\\n  {} \\\n  | sha256sum\nseed {}\n",
            turn.game,
            turn.phase - 1,
            turn.reference,
            turn.seed
        );
        if let Some(result) = &done.outlook.result {
            let _ = writeln!(text, "\n{}", wrap(&format!("The game is over: {result}")));
        } else {
            let due = table.tell(table.next(now)?, now);
            let next = format!("Next: {}", done.outlook.heading);
            let _ = writeln!(text, "\n{}", wrap(&next));
            let _ = writeln!(text, "If it is called now, orders will be due by\n  {due}");
        }
        let note = Note {
            name: &format!("{}-report-{player}", phase_dir(turn.phase)),
            subject: &format!("phase {}: report", turn.phase),
            body: &text,
            with: vec![
                enclosed(format!("report-{}.txt", turn.phase), report.text.as_str()),
                enclosed("map.txt", map),
                enclosed("turn.txt", turn.to_text()),
            ],
            ..Note::default()
        };
        Post::new(settings, &ledger.offer, now).to(batch, player, &note);
    }
    Ok(())
}

/// The report that whoever runs the command may read: in a game that one plays alone,
/// his own.
fn report_to_print<'a>(ledger: &Ledger, done: &'a Resolution) -> Option<&'a Report> {
    let own = lone_player(ledger).map(|player| Viewer::Player(player.clone()));
    [own.unwrap_or(Viewer::Referee), Viewer::Public].iter().find_map(|v| done.reports.get(v))
}

fn print_report(
    desk: &mut Desk<'_>,
    ledger: &Ledger,
    done: &Resolution,
    head: Hex64,
) -> Result<u8, Fault> {
    if let Some(report) = report_to_print(ledger, done) {
        if desk.json {
            write!(desk.out, "{}", report.json)?;
            return Ok(0);
        }
        writeln!(desk.out, "{}\n", report.text.trim_end())?;
    }
    writeln!(desk.out, "head {head}")?;
    if let Some(result) = &done.outlook.result {
        writeln!(desk.out, "the game is over: {result}")?;
        writeln!(desk.out, "next: send the mails in outbox/, then `despatch close`")?;
    } else {
        writeln!(desk.out, "next: send the mails in outbox/, then `despatch call`")?;
        writeln!(desk.out, "      ({})", done.outlook.heading)?;
    }
    if lone_player(ledger).is_some() {
        writeln!(desk.out, "what is hidden from you: `despatch report --for referee` would tell")?;
    }
    Ok(0)
}

/// Tries the called phase with throw-away dice and writes nothing.
fn rehearse(desk: &mut Desk<'_>, args: &AdjudicateArgs) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    must_be_phase(&ledger, args.phase)?;
    let open: &OpenPhase = ledger.must_be_called()?;
    let orders = if let Some(lock) = &open.lock {
        submissions(&folder, open.phase, &lock.orders)?
    } else {
        let inbox = Inbox::read(&folder, open.phase)?;
        submissions(&folder, open.phase, &lines(&ledger, open, &inbox))?
    };
    let game = ledger.game(desk, &folder)?;
    let input = PhaseInput {
        game: ledger.offer.game.clone(),
        phase: open.phase,
        prev: ledger.head()?.to_string(),
        state: ledger.state(&folder)?,
        orders,
        rehearsal: true,
    };
    let mut dice = Roller::rehearsal(&input.game, input.phase, desk.fresh()?.bytes());
    let done = game.adjudicate(&input, &mut dice).map_err(game_fault)?;
    if let Some(report) = report_to_print(&ledger, &done) {
        if desk.json {
            write!(desk.out, "{}", report.json)?;
        } else {
            writeln!(desk.out, "REHEARSAL: throw-away dice, nothing is written\n")?;
            writeln!(desk.out, "{}", report.text.trim_end())?;
            writeln!(desk.out, "\nREHEARSAL: the real dice will fall otherwise")?;
        }
    }
    Ok(0)
}
