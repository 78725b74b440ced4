//! `club`: one pass over all games of a club: mail in, reminders, locks, dice, calls,
//! mail out, and a page that says where everything stands.
//!
//! Made to run every few minutes. Each game is held while it is worked on and let go;
//! what stops one game is written on the page and stops no other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::adjudicate;
use super::call::{self, join};
use super::club_mail::mail_in;
use super::deliver::{self, Delivered};
use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::genesis;
use super::inbox::{Inbox, is_settled};
use super::ledger::{Ledger, OpenPhase};
use super::lock::{self, beacon_is_public, lines, missing};
use super::remind::{extend_once, remind};
use super::settings::{Missing, Settings};
use super::store::Batch;
use super::words::some;
use crate::cli::{AdjudicateArgs, ClubArgs, GenesisArgs, LockArgs};
use crate::core::beacon::RoundName;
use crate::core::record::{EntropySource, Mode, Next};

/// The page that a pass writes.
pub const PAGE: &str = "summary.txt";

/// What a pass came to.
#[derive(Debug, Default)]
pub(super) struct Pass {
    /// A line or more a game.
    games: BTreeMap<String, Vec<String>>,
    /// What the referee must see to.
    pub(super) troubles: Vec<String>,
    /// Mails taken.
    pub(super) taken: usize,
    sent: usize,
}

impl Pass {
    pub(super) fn say(&mut self, game: &str, what: impl Into<String>) {
        self.games.entry(game.to_owned()).or_default().push(what.into());
    }
}

/// Makes one pass.
pub fn run(desk: &mut Desk<'_>, args: &ClubArgs) -> Result<u8, Fault> {
    let root = desk.path(&args.dir);
    if !root.is_dir() {
        return Err(Fault::input(
            format!("there is no folder `{}`", root.display()),
            "name the folder that holds the games' folders",
        ));
    }
    let held = match desk.store.hold(&root) {
        Err(Fault::Busy { .. }) => {
            writeln!(desk.out, "another pass is at work; it does all that is due")?;
            return Ok(0);
        }
        held => held?,
    };
    let mut pass = Pass::default();
    let mut games = games(&root)?;
    twins(&mut games, &mut pass);
    if games.is_empty() && pass.troubles.is_empty() {
        return Err(Fault::input(
            format!("no folder in `{}` holds a game", root.display()),
            "make games in it with `despatch new SCENARIO DIR/GAME`",
        ));
    }
    mail_in(desk, &root, &games, args, &mut pass)?;
    for (name, dir) in &games {
        guarded(desk, &mut pass, name, |desk, pass| play(desk, name, dir, args, pass));
        guarded(desk, &mut pass, name, |desk, pass| mail_out(desk, name, dir, args, pass));
    }
    let page = page(desk, &root, &games, &pass);
    let mut batch = Batch::new();
    batch.replace(PAGE, page.as_str());
    desk.store.commit(&root, &batch)?;
    drop(held);
    write!(desk.out, "{page}")?;
    Ok(u8::from(!pass.troubles.is_empty()))
}

/// The games of a club by folder name, sorted.
fn games(root: &Path) -> Result<BTreeMap<String, PathBuf>, Fault> {
    let mut games = BTreeMap::new();
    for entry in std::fs::read_dir(root).map_err(Fault::file("read", root))? {
        let path = entry.map_err(Fault::file("read", root))?.path();
        let unfinished = super::store::Store::is_unfinished(&path);
        if path.is_dir() && (path.join("offer.txt").is_file() || unfinished) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            games.insert(name, path);
        }
    }
    Ok(games)
}

/// Folders that hold one and the same game, such as a copy kept as a backup: none of
/// them is played, for two ledgers of one game are worth nothing.
fn twins(games: &mut BTreeMap<String, PathBuf>, pass: &mut Pass) {
    let mut by_id: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, dir) in games.iter() {
        let offer = std::fs::read_to_string(dir.join("offer.txt")).unwrap_or_default();
        if let Some(id) = offer.lines().find_map(|line| line.strip_prefix("game=")) {
            by_id.entry(id.to_owned()).or_default().push(name.clone());
        }
    }
    for (id, names) in by_id.into_iter().filter(|(_, names)| names.len() > 1) {
        pass.troubles.push(format!(
            "{}: folders of one game, {id}: none is played; move the copies elsewhere",
            names.join(", ")
        ));
        games.retain(|name, _| !names.contains(name));
    }
}

/// Does one thing for one game; whatever goes wrong is written down.
pub(super) fn guarded(
    desk: &mut Desk<'_>,
    pass: &mut Pass,
    name: &str,
    work: impl FnOnce(&mut Desk<'_>, &mut Pass) -> Result<(), Fault>,
) {
    let done = catch_unwind(AssertUnwindSafe(|| work(desk, pass)));
    match done {
        Ok(Ok(())) => {}
        Ok(Err(Fault::Busy { .. })) => {
            pass.say(name, "another process is at work in it: at the next pass");
        }
        Ok(Err(fault)) => {
            let help = fault.help().map_or_else(String::new, |help| format!(" ({help})"));
            pass.troubles.push(format!("{name}: {fault}{help}"));
        }
        Err(_) => pass.troubles.push(format!(
            "{name}: the program stopped in the middle: please report it with the game's folder"
        )),
    }
}

/// A desk for one game whose own words go to waste: the page has what matters.
pub(super) fn quietly<T>(
    desk: &mut Desk<'_>,
    dir: &Path,
    work: impl FnOnce(&mut Desk<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let (mut out, mut err) = (std::io::sink(), std::io::sink());
    let mut inner = Desk {
        now: desk.now,
        cwd: desk.cwd.clone(),
        engine: desk.engine.clone(),
        game: Some(std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned())),
        games: desk.games.clone(),
        library: desk.library.clone(),
        systems: desk.systems,
        store: std::mem::take(&mut desk.store),
        random: &mut *desk.random,
        input: None,
        out: &mut out,
        err: &mut err,
        colour: false,
        json: false,
    };
    let done = catch_unwind(AssertUnwindSafe(|| work(&mut inner)));
    desk.store = std::mem::take(&mut inner.store);
    drop(inner);
    match done {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Everything that is due in one game.
fn play(
    desk: &mut Desk<'_>,
    name: &str,
    dir: &Path,
    args: &ClubArgs,
    pass: &mut Pass,
) -> Result<(), Fault> {
    let beacons = args.beacons.as_ref().map(|dir| desk.path(dir));
    let said = quietly(desk, dir, |desk| {
        let mut said = Vec::new();
        // A phase that nobody is asked in may follow at once; each step is whole.
        for _ in 0..8 {
            let (what, more) = step(desk, beacons.as_deref())?;
            said.extend(what);
            if !more {
                break;
            }
        }
        Ok(said)
    })?;
    for line in said {
        pass.say(name, line);
    }
    Ok(())
}

/// The file of a fetched beacon value: `ROUND.json` in the drop folder.
fn value(beacons: Option<&Path>, round: u64) -> Option<PathBuf> {
    let path = beacons?.join(format!("{round}.json"));
    path.is_file().then_some(path)
}

/// The next thing that is due, if any: what was done, and whether more may be due.
fn step(desk: &mut Desk<'_>, beacons: Option<&Path>) -> Result<(Vec<String>, bool), Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    let settings = folder.settings()?;
    if ledger.closed.is_some() {
        return Ok((Vec::new(), false));
    }
    if ledger.head.is_none() {
        let EntropySource::Round(round) = ledger.offer.entropy else {
            return Ok((vec!["waits for the players to join".to_owned()], false));
        };
        let Some(path) = value(beacons, round) else {
            return Ok((vec![format!("waits for the beacon's round {round}")], false));
        };
        drop(folder);
        genesis::run(desk, &GenesisArgs { beacon: Some(path) })?;
        return Ok((vec!["genesis closed".to_owned()], true));
    }
    let Some(open) = &ledger.open else {
        if ledger.next == Next::End {
            return Ok((vec!["over: close it with `despatch close`".to_owned()], false));
        }
        if !settings.club.call {
            return Ok((vec!["waits for your `despatch call`".to_owned()], false));
        }
        drop(folder);
        let folder = Folder::hold(desk)?;
        call::call(desk, &folder, None)?;
        return Ok((vec![format!("phase {} called", ledger.phases + 1)], true));
    };
    if let Some(lock) = &open.lock {
        let path = match lock.beacon {
            None => None,
            Some(RoundName(round)) => {
                let round = u64::try_from(round).unwrap_or(1);
                let Some(path) = value(beacons, round) else {
                    let page = crate::core::beacon::page(round);
                    let when = crate::core::beacon::time_of(round);
                    return Ok((
                        vec![format!("waits for {round}.json, due {when}: {page}")],
                        false,
                    ));
                };
                Some(path)
            }
        };
        let phase = open.phase;
        drop(folder);
        let args = AdjudicateArgs {
            phase: Some(phase),
            allow_missing: None,
            beacon: path,
            rehearse: false,
        };
        adjudicate::run(desk, &args)?;
        return Ok((vec![format!("phase {phase} resolved")], true));
    }
    orders_open(desk, folder, &ledger, open, &settings)
}

/// While orders are taken: reminders, the announced extension, the lock.
fn orders_open(
    desk: &mut Desk<'_>,
    folder: Folder,
    ledger: &Ledger,
    open: &OpenPhase,
    settings: &Settings,
) -> Result<(Vec<String>, bool), Fault> {
    drop(folder);
    let folder = Folder::hold(desk)?;
    let mut said = Vec::new();
    let told = remind(desk, &folder, ledger, open, settings, false)?;
    if !told.is_empty() {
        said.push(format!("reminded: {}", join(&told)));
    }
    if extend_once(desk, &folder, ledger, open, settings)? {
        said.push("deadline moved, as the call announced".to_owned());
        return Ok((said, false));
    }
    let (phase, deadline) = (open.phase, open.call().deadline);
    let inbox = Inbox::read(&folder, phase)?;
    let absent = missing(&lines(ledger, open, &inbox));
    let mut all_final = absent.is_empty();
    for player in &open.call().asks {
        all_final =
            all_final && inbox.last(player).is_some() && is_settled(&folder, phase, player)?;
    }
    // The beacon must not be public before the lock: half of its distance is the most.
    let mut grace = i64::from(settings.deadline.grace_hours) * 3_600;
    if ledger.offer.mode == Mode::Beacon {
        grace = grace.min(i64::try_from(ledger.offer.wait / 2).unwrap_or(i64::MAX));
    }
    let early = desk.now < deadline && all_final && settings.club.early;
    if !early && desk.now < deadline.plus(grace) {
        said.push(format!(
            "phase {phase}: {} of {} in, until {deadline}",
            open.call().asks.len() - absent.len(),
            open.call().asks.len()
        ));
        return Ok((said, false));
    }
    if let Some(warning) = beacon_is_public(ledger, desk.now) {
        said.push(warning.replace('\n', " "));
    }
    let allowed = match settings.deadline.missing {
        Missing::Hold => 0,
        Missing::Defaults | Missing::Extend => settings.deadline.allow_missing,
    };
    if absent.len() > usize::try_from(allowed).unwrap_or(usize::MAX) {
        said.push(format!(
            "HELD: phase {phase} is past its deadline without {}: despatch lock --allow-missing {}",
            join(&absent),
            absent.len()
        ));
        return Ok((said, false));
    }
    drop(folder);
    lock::run(desk, &LockArgs { early, allow_missing: allowed })?;
    said.push(format!(
        "phase {phase} locked{}",
        if early { " early: everybody is final" } else { "" }
    ));
    Ok((said, true))
}

fn mail_out(
    desk: &mut Desk<'_>,
    name: &str,
    dir: &Path,
    args: &ClubArgs,
    pass: &mut Pass,
) -> Result<(), Fault> {
    let settings = Settings::read(&dir.join("game.toml"))?;
    let sendmail = args.sendmail.as_deref();
    if sendmail.is_none() && args.maildir.is_none() && settings.mail.sendmail.is_none() {
        let wait = std::fs::read_dir(dir.join("outbox")).map_or(0, Iterator::count);
        if wait > 0 {
            pass.say(
                name,
                format!("{} in outbox/: nobody says how mail goes out", some(wait, "message")),
            );
        }
        return Ok(());
    }
    let way = deliver::way(desk, sendmail, args.maildir.as_deref(), &settings)?;
    let Delivered { sent, by_hand, failed } = deliver::deliver(desk, dir, &settings, &way)?;
    pass.sent += sent;
    if !by_hand.is_empty() {
        pass.say(name, format!("{} for people without an address", some(by_hand.len(), "message")));
    }
    if let Some((message, why)) = failed.first() {
        pass.troubles
            .push(format!("{name}: {} not sent; {message}: {why}", some(failed.len(), "message")));
    }
    Ok(())
}

/// The referee's page.
fn page(desk: &Desk<'_>, root: &Path, games: &BTreeMap<String, PathBuf>, pass: &Pass) -> String {
    let mut text = format!(
        "{}  {}, {} taken, {} sent\n",
        desk.now,
        some(games.len(), "game"),
        some(pass.taken, "mail"),
        some(pass.sent, "message")
    );
    let held = pass.games.iter().flat_map(|(name, said)| {
        said.iter().filter(|s| s.starts_with("HELD")).map(move |s| format!("{name}: {s}"))
    });
    let troubles: Vec<String> = pass.troubles.iter().cloned().chain(held).collect();
    if !troubles.is_empty() {
        text += "\nSEE TO\n";
        for trouble in &troubles {
            let _ = writeln!(text, "  {trouble}");
        }
    }
    text += "\nGAMES\n";
    for name in games.keys() {
        let said = pass.games.get(name).map_or_else(|| "-".to_owned(), |said| said.join("; "));
        let _ = writeln!(text, "  {name:<24} {said}");
    }
    // Mail that nobody could place waits for the referee: the club's, and each game's.
    let waiting = |dir: &Path| std::fs::read_dir(dir.join("unclaimed")).map_or(0, Iterator::count);
    let mut unclaimed = vec![("unclaimed/".to_owned(), waiting(root))];
    for (name, dir) in games {
        unclaimed.push((format!("{name}/unclaimed/"), waiting(dir)));
    }
    unclaimed.retain(|(_, count)| *count > 0);
    for (i, (place, count)) in unclaimed.iter().enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}{} in {place}", some(*count, "mail"));
    }
    text
}
