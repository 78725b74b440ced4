//! `new --continues`: a game that goes on from the last state of another, whose
//! secret is lost or whose dice are used up (`docs/dice.md`, section "Secrets and
//! files"); and `verify --continues`, with which everybody sees that it did.

use std::fmt::Write as _;
use std::path::Path;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::ledger::{Ledger, rules_at, state_at};
use super::new::{chosen, game_fault};
use super::roster::Place;
use super::settings::{Person, Settings};
use super::words::some;
use crate::bundle_dir::DirBundle;
use crate::cli::{Dice, NewArgs};
use crate::core::hash::Hex64;
use crate::core::id::Id;
use crate::core::record::{Continues, Mode, Next, Offer};
use crate::core::verify::{Check, Options, Verification, verify};
use crate::game::{Game, GameError, RulesFiles, ScenarioInfo, Seat, settings_in};

/// What a new game takes over from an old one.
#[derive(Clone, Debug)]
pub struct Continued {
    /// The old game and the head of the record that this one goes on from.
    pub from: Continues,
    /// The old offer.
    pub offer: Offer,
    /// The rules files of the new game: those in force at that record, with what the
    /// referee chose otherwise.
    pub rules: RulesFiles,
    /// Names and addresses, where the old folder has them; a bundle has none.
    pub people: Option<Settings>,
    /// The old seats.
    seats: Vec<Seat>,
    /// The old state, without salt.
    state: String,
    /// What the referee should know of it, a line each.
    told: Vec<String>,
}

impl Continued {
    /// The old game's dice.
    pub fn dice(&self) -> Dice {
        match self.offer.mode {
            Mode::Chain => Dice::Chain,
            Mode::Beacon => Dice::Beacon,
        }
    }

    /// The old seats with the people in them.
    ///
    /// # Errors
    /// Nobody knows who they are: a bundle has no names.
    pub fn places(&self) -> Result<Vec<Place>, Fault> {
        let person = |seat: &Seat| -> Option<Person> {
            self.people.as_ref()?.player.get(&seat.player).cloned()
        };
        let places = self.seats.iter().map(|seat| {
            let person = person(seat).ok_or_else(|| {
                Fault::input(
                    format!("who plays `{}`? names and addresses are in no bundle", seat.player),
                    "say it with --player SIDE[/COMMAND]=NAME[:ADDRESS], for every side",
                )
            })?;
            Ok(Place { seat: seat.clone(), person })
        });
        let mut places = places.collect::<Result<Vec<_>, Fault>>()?;
        places.sort_by(|a, b| a.seat.player.cmp(&b.seat.player));
        Ok(places)
    }

    /// The state before phase 1 of the new game.
    ///
    /// # Errors
    /// The rules that were chosen contradict the position.
    pub fn state_of(&self, game: &dyn Game, id: &Id, seats: &[Seat]) -> Result<String, Fault> {
        game.continued_state(&self.state, id, seats).map_err(|fault| match fault {
            GameError::Contradicted(_) | GameError::State(_) => Fault::refused(
                format!("the position of {} cannot be played so: {fault}", self.from.game),
                "leave out --cadence, --option, --ruling or --games: the settings of the old game \
                 then hold",
            ),
            other => game_fault(other),
        })
    }

    /// For the referee: what the game goes on from and what is left behind.
    pub fn tell(&self) -> String {
        let mut out = format!("goes on from {} at head {}\n", self.from.game, self.from.head);
        for line in &self.told {
            let _ = writeln!(out, "  {line}");
        }
        out
    }
}

/// A ledger that verifies, as it was at one of its heads.
struct Old {
    folder: Folder,
    found: Verification,
    /// Up to the head.
    then: Ledger,
    /// The whole of it.
    now: Ledger,
}

/// Opens the old game and verifies all that can be without its secrets.
fn open(desk: &Desk<'_>, dir: &Path, head: Option<Hex64>) -> Result<Old, Fault> {
    let root = desk.path(dir);
    let folder = Folder::open_at(desk, &root).map_err(|fault| match fault {
        Fault::Input { message, .. } => {
            Fault::input(message, "name the old game's folder, or an unpacked bundle of it")
        }
        other => other,
    })?;
    if !folder.has("genesis.txt") {
        return Err(Fault::refused(
            format!("the game in `{}` has no genesis: nothing was played", root.display()),
            "make the new game without --continues",
        ));
    }
    let bundle = DirBundle::open(&root).map_err(Fault::file("read", &root))?;
    let found = verify(&bundle, head.as_ref(), &Options::default());
    if let Some(failure) = &found.failure {
        let last = found.heads.last().map_or_else(String::new, |(record, head)| {
            format!("; its last record is {record}, head {head}")
        });
        return Err(if failure.check == Check::Head {
            Fault::refused(
                format!("{} has no record with that head{last}", found.game),
                "`despatch history` in that folder lists them; the one to take is in the last \
                 report mail",
            )
        } else {
            let place = if failure.file.is_empty() {
                String::new()
            } else {
                format!("`{}`: ", failure.file)
            };
            Fault::refused(
                format!(
                    "the ledger in `{}` does not verify ({}): {place}{}",
                    root.display(),
                    failure.check,
                    failure.message
                ),
                "a game goes on from a ledger that is whole: take a player's bundle, or a backup; \
                 `despatch verify` says more",
            )
        });
    }
    let now = Ledger::read(&folder)?;
    let then = match head {
        Some(head) => Ledger::read_until(&folder, head)?,
        None => now.clone(),
    };
    Ok(Old { folder, found, then, now })
}

fn read_head(text: &str) -> Result<Hex64, Fault> {
    Hex64::new(text.trim()).map_err(|e| {
        Fault::input(e.to_string(), "copy all 64 digits of the head from the last report mail")
    })
}

/// Reads what a new game takes over.
///
/// # Errors
/// No game there, a ledger that does not verify, no such record, another scenario, a
/// game that is over or sealed, or settings that mean nothing.
pub fn take_over(
    desk: &mut Desk<'_>,
    dir: &Path,
    scenario: &ScenarioInfo,
    args: &NewArgs,
) -> Result<Continued, Fault> {
    let head = args.head.as_deref().map(read_head).transpose()?;
    let old = open(desk, dir, head)?;
    let offer = old.then.offer.clone();
    let game = &offer.game;
    if offer.scenario.as_str() != scenario.id {
        return Err(Fault::refused(
            format!("{game} is a game of `{}`, not of `{}`", offer.scenario, scenario.id),
            format!("write `despatch new {} ...`", offer.scenario),
        ));
    }
    if old.then.sealed() {
        return Err(Fault::refused(
            format!("{game} hides things from its players: going on from it is not built yet"),
            "its sealed rolls belong to its own secret and cannot be opened in another game",
        ));
    }
    if old.then.next == Next::End {
        return Err(Fault::refused(
            format!("{game} is over: there is nothing to go on with"),
            "`despatch report` in that folder shows how it ended; --head HEX goes on from an \
             earlier record of it",
        ));
    }
    let before = rules_at(&old.folder, &old.then.rules_path, old.then.rules)?;
    let rules = rules_of(desk, &before, args)?;
    let loaded = (desk.systems.load)(&rules).map_err(|f| desk.rules_faults(&f))?;
    if loaded.scenario().system != scenario.system {
        return Err(Fault::refused(
            format!("{game} is a game of the system `{}`", loaded.scenario().system),
            format!("this program's `{}` is one of `{}`", scenario.id, scenario.system),
        ));
    }
    let state = state_at(&old.folder, &old.then.state_path, old.then.state)?;
    let seats = loaded.seats(&state).map_err(game_fault)?;
    let people = if old.folder.has("game.toml") { Some(old.folder.settings()?) } else { None };
    let last = old.then.head()?;
    Ok(Continued {
        from: Continues { game: game.clone(), head: last },
        told: left_behind(desk, &old, &before, &rules),
        offer,
        rules,
        people,
        seats,
        state,
    })
}

/// The rules in force at the old record, or those of `--games`, with the settings that
/// the referee changes.
fn rules_of(desk: &mut Desk<'_>, old: &RulesFiles, args: &NewArgs) -> Result<RulesFiles, Fault> {
    let kept = args.cadence.is_none() && args.options.is_empty() && args.rulings.is_empty();
    if kept && desk.games.is_none() {
        return Ok(old.clone());
    }
    let base = settings_in(old).map_err(|f| desk.rules_faults(&f))?;
    let settings = chosen(args, base)?;
    let library = desk.library()?;
    let files =
        (desk.systems.rules_files)(&library, &settings).map_err(|f| desk.rules_faults(&f))?;
    (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))?;
    if desk.games.is_some() {
        return Ok(files);
    }
    let mut rules = old.clone();
    for (name, text) in files.into_iter().filter(|(name, _)| name == "settings.toml") {
        rules.insert(name, text);
    }
    Ok(rules)
}

/// What the referee should know: how far the state is, what is not taken over.
fn left_behind(desk: &Desk<'_>, old: &Old, before: &RulesFiles, rules: &RulesFiles) -> Vec<String> {
    let (then, now) = (&old.then, &old.now);
    let game = &then.offer.game;
    let mut out = Vec::new();
    let record = then.head.and_then(|head| {
        old.found.heads.iter().rev().find(|(_, known)| *known == head).map(|(record, _)| record)
    });
    if let Some(record) = record {
        out.push(format!("the position is that after {record} ({})", then.state_path));
    }
    let (phases, amendments) = (now.phases - then.phases, now.amendments - then.amendments);
    if phases + amendments > 0 {
        out.push(format!(
            "LEFT OUT: {} and {} that {game} records later",
            some(phases as usize, "phase"),
            some(amendments as usize, "amendment")
        ));
    }
    if let Some(open) = &now.open {
        out.push(format!(
            "phase {} of {game} is called and not resolved: its orders are asked for again",
            open.phase
        ));
    }
    if now.closed.is_none() && old.folder.chain(&now.offer).is_ok() {
        out.push(format!(
            "{game} can still be played, its referee.secret is there: close it, so that one \
             game goes on"
        ));
    }
    if then.engine != desk.engine {
        out.push(format!("{game} was played with {}; this is {}", then.engine, desk.engine));
    }
    let changed: Vec<&str> = rules
        .iter()
        .filter(|(name, text)| before.get(*name) != Some(*text))
        .map(|(name, _)| name.as_str())
        .chain(before.keys().filter(|name| !rules.contains_key(*name)).map(String::as_str))
        .collect();
    if !changed.is_empty() {
        out.push(format!("rules files that differ from the old ones: {}", changed.join(", ")));
    }
    out
}

/// How a new game compares with the one that its offer says it goes on from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// In words: which record of which game.
    pub what: String,
    /// What differs in the position, a line each: then the offer's word is not kept.
    pub differences: Vec<String>,
    /// What should be known.
    pub notices: Vec<String>,
}

/// Compares `state-000.toml` of a game that verified with the last state of the game
/// before.
///
/// # Errors
/// The game goes on from no other, or the old one is not there or does not verify.
pub fn compare(desk: &mut Desk<'_>, root: &Path, old_dir: &Path) -> Result<Compared, Fault> {
    let folder = Folder::open_at(desk, root)?;
    let offer = folder.record("offer.txt", Offer::parse)?;
    let Some(from) = &offer.continues else {
        return Err(Fault::refused(
            format!("{} goes on from no other game", offer.game),
            "leave out --continues",
        ));
    };
    let old = open(desk, old_dir, Some(from.head))?;
    let mut out = Compared {
        what: format!("{} at the head that the offer names", from.game),
        ..Compared::default()
    };
    if old.then.offer.game != from.game {
        out.differences.push(format!("the old game is {}", old.then.offer.game));
    }
    if offer.scenario != old.then.offer.scenario {
        out.differences.push(format!("the old game is of `{}`", old.then.offer.scenario));
        return Ok(out);
    }
    let before = rules_at(&old.folder, &old.then.rules_path, old.then.rules)?;
    let rules = rules_at(&folder, "rules.sha256", offer.rules)?;
    for name in before.keys().chain(rules.keys()).collect::<std::collections::BTreeSet<_>>() {
        if before.get(name) != rules.get(name) {
            out.notices.push(format!("the rules file `{name}` is not that of {}", from.game));
        }
    }
    if old.now.head != old.then.head {
        out.notices.push(format!("{} has later records than that head", from.game));
    }
    let game = (desk.systems.load)(&rules).map_err(|f| desk.rules_faults(&f))?;
    let now = state_at(&folder, "state-000.toml", offer.state)?;
    let then = state_at(&old.folder, &old.then.state_path, old.then.state)?;
    let seats = game.seats(&now).map_err(game_fault)?;
    let due = game.continued_state(&then, &offer.game, &seats).map_err(game_fault)?;
    if due.trim_end() != now.trim_end() {
        out.differences.extend(game.difference(&due, &now).map_err(game_fault)?);
        if out.differences.is_empty() {
            out.differences.push("`state-000.toml` is another position".to_owned());
        }
    }
    Ok(out)
}
