//! `lock`: closes the set of order files.

use std::fmt::Write as _;

use super::adjudicate::submissions;
use super::call::{join, round};
use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::inbox::{Inbox, is_final, is_settled};
use super::ledger::{Ledger, OpenPhase};
use super::outbox::{Note, Post, enclosed};
use super::store::Batch;
use super::words::{moment, wrap};
use crate::cli::LockArgs;
use crate::core::beacon::{self, RoundName};
use crate::core::id::Id;
use crate::core::record::{Fate, Lock, OrderLine, YesNo};
use crate::core::time::Stamp;

/// Who has sent what so far, as a lock would list it.
pub fn lines(ledger: &Ledger, open: &OpenPhase, inbox: &Inbox) -> Vec<OrderLine> {
    let line = |player: &Id| OrderLine {
        player: player.clone(),
        fate: match inbox.last(player) {
            Some(receipt) => Fate::File { hash: receipt.hash, received: receipt.received },
            None if open.call().asks.contains(player) => Fate::Nmr,
            None => Fate::Idle,
        },
    };
    ledger.offer.players.iter().map(line).collect()
}

/// The players who were asked and sent nothing valid.
pub fn missing(lines: &[OrderLine]) -> Vec<Id> {
    lines.iter().filter(|l| l.fate == Fate::Nmr).map(|l| l.player.clone()).collect()
}

/// A warning where the orders are still open though the beacon's value that will enter
/// the dice is out: whoever knows the sealed chain could then know the dice.
pub fn beacon_is_public(ledger: &Ledger, now: Stamp) -> Option<String> {
    let open = ledger.open.as_ref().filter(|open| open.lock.is_none())?;
    let number = u64::try_from(open.call().beacon?.0).ok()?;
    let time = beacon::time_of(number);
    (time <= now).then(|| {
        wrap(&format!(
            "WARNING: the beacon's round {number} has been public since {time}, and the orders \
             of phase {} are not locked. `verify` will show everybody that the lock came after \
             it. Lock at once, and tell the players why it is late.",
            open.phase
        ))
    })
}

/// Writes `lock.txt`.
pub fn run(desk: &mut Desk<'_>, args: &LockArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    let open = ledger.must_be_called()?;
    let phase = open.phase;
    if open.lock.is_some() {
        return Err(Fault::refused(
            format!("phase {phase} is locked already"),
            "resolve it with `despatch adjudicate`",
        ));
    }
    let inbox = Inbox::read(&folder, phase)?;
    let lines = lines(&ledger, open, &inbox);
    // The files must be those that the receipts promised, before they are closed.
    submissions(&folder, phase, &lines)?;
    let newest = inbox.receipts.iter().map(|r| r.received).max();
    let earliest = newest.map_or(open.call().made, |r| r.max(open.call().made));
    if desk.now < earliest {
        return Err(Fault::refused(
            format!("the clock says {}, before the call or the last file ({earliest})", desk.now),
            "set the clock right: a lock dated back could choose its beacon",
        ));
    }
    let deadline = open.call().deadline;
    let before = desk.now < deadline;
    if before && !args.early {
        return Err(Fault::refused(
            format!("the deadline of phase {phase} is {deadline}; now it is {}", desk.now),
            "wait for it, or add --early when everybody asked has sent a final file",
        ));
    }
    let missing = missing(&lines);
    if before {
        let mut waiting: Vec<String> = missing.iter().map(|p| format!("{p} (nothing)")).collect();
        for player in &open.call().asks {
            if inbox.last(player).is_none() || is_settled(&folder, phase, player)? {
                continue;
            }
            // The receipt said that nothing is locked early on a file with refused orders.
            let why =
                if is_final(&folder, phase, player)? { "orders refused" } else { "provisional" };
            waiting.push(format!("{player} ({why})"));
        }
        if !waiting.is_empty() {
            return Err(Fault::refused(
                format!(
                    "an early lock needs a final file of everybody asked: {}",
                    waiting.join(", ")
                ),
                format!("wait for them or for the deadline, {deadline}"),
            ));
        }
    }
    let allowed = usize::try_from(args.allow_missing).unwrap_or(usize::MAX);
    if missing.len() > allowed {
        return Err(Fault::refused(
            format!("nothing valid has come from {}", join(&missing)),
            format!(
                "to go on with their defaults add --allow-missing {}; before the deadline \
                 `despatch call --deadline TIME` would have given more time",
                missing.len()
            ),
        ));
    }
    let closing = if before { desk.now } else { deadline };
    let beacon = round(&ledger.offer, closing).map(|RoundName(r)| RoundName(r.max(1)));
    let lock = Lock {
        game: ledger.offer.game.clone(),
        phase,
        call: open.call().hash(),
        locked: desk.now,
        early: if before { YesNo::Yes } else { YesNo::No },
        beacon,
        orders: lines,
    };
    let mut text = String::new();
    let _ =
        writeln!(text, "The orders of phase {phase} are closed. The lock, attached, has the hash");
    let _ = writeln!(text, "{}\n", lock.hash());
    for line in &lock.orders {
        let _ = match &line.fate {
            Fate::File { hash, received } => {
                writeln!(text, "{}  received {}\n  {hash}", line.player, moment(*received))
            }
            Fate::Nmr => writeln!(text, "{}  nothing came: defaults", line.player),
            Fate::Idle => writeln!(text, "{}  was not asked", line.player),
        };
    }
    let _ = writeln!(text, "\nCompare your line with your last receipt, now.");
    let mut beacon_help = String::new();
    if let Some(RoundName(number)) = beacon
        && let Ok(number) = u64::try_from(number)
    {
        let _ = write!(
            beacon_help,
            "The dice wait for the beacon's round {number}, at {}:\n  curl -o round.json -s \\\n  \
             {}\n",
            beacon::time_of(number),
            beacon::page(number)
        );
        text.push('\n');
        text += &beacon_help;
    }
    let settings = folder.settings()?;
    let mut batch = Batch::new();
    for player in &ledger.offer.players {
        let note = Note {
            name: &format!("{}-lock-{player}", phase_dir(phase)),
            subject: &format!("phase {phase}: orders closed"),
            body: &text,
            with: vec![enclosed("lock.txt", lock.to_text())],
            ..Note::default()
        };
        Post::new(&settings, &ledger.offer, desk.now).to(&mut batch, player, &note);
    }
    batch.record(format!("{}/lock.txt", phase_dir(phase)), lock.to_text());
    folder.commit(desk, &batch)?;
    if let Some(warning) = beacon_is_public(&ledger, desk.now) {
        writeln!(desk.err, "{warning}")?;
    }
    writeln!(desk.out, "phase {phase} locked ({})", lock.hash())?;
    for line in &lock.orders {
        let what = match &line.fate {
            Fate::File { hash, received } => {
                let late = if *received > deadline { "  after the deadline" } else { "" };
                format!("{}...  {received}{late}", &hash.to_string()[..12])
            }
            Fate::Nmr => "nothing came: defaults".to_owned(),
            Fate::Idle => "not asked".to_owned(),
        };
        writeln!(desk.out, "  {:<20} {what}", line.player)?;
    }
    if beacon_help.is_empty() {
        writeln!(desk.out, "next: `despatch adjudicate`")?;
    } else {
        write!(desk.out, "{beacon_help}")?;
        writeln!(desk.out, "next: send the mails in outbox/ now; then")?;
        writeln!(desk.out, "  despatch adjudicate --beacon round.json")?;
    }
    Ok(0)
}
