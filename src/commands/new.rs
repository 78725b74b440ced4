//! `new`: a game's folder, its sealed dice, and the offer to the players.

use std::path::Path;

use super::continues::{self, Continued};
use super::desk::Desk;
use super::fault::Fault;
use super::games;
use super::offer::{offer_mail, unproved};
use super::outbox::{Note, Post};
use super::roster::{self, Place};
use super::settings::{Club, Deadline, Mail, Person, Press, Settings};
use super::store::Batch;
use super::words::wrap;
use crate::cli::{Cadence, Dice, Entropy, NewArgs};
use crate::core::beacon::{self, DEFAULT_GRID, DEFAULT_WAIT};
use crate::core::chain::{Chain, new_secret};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{EntropySource, Mode, Offer, RulesEntry, RulesList, Secrecy, Secret};
use crate::core::salt::salt_state;
use crate::game::{self, RulesFiles, Seat, Text};

/// Phases that a fresh chain can serve.
const LENGTH: u32 = 2000;

/// The root of the demo's published secret, a line of words that anybody can hash:
/// nothing is secret about it, so `new` refuses it.
pub const DEMO_ROOT: &str = "despatch demo: this secret is published, never play with it";

/// The demo's secret for a game.
pub fn demo_secret(game: &Id) -> Secret {
    Secret {
        game: game.clone(),
        length: LENGTH,
        root: Hex64::digest(DEMO_ROOT.as_bytes()),
        hidden: Hex64::digest(format!("{DEMO_ROOT} (hidden)").as_bytes()),
    }
}

/// What a new game is made from.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The id.
    pub id: Id,
    /// What the referee chose.
    pub choices: game::Settings,
    /// Who plays.
    pub places: Vec<Place>,
    /// The secrets.
    pub secret: Secret,
    /// The referee's name and address.
    pub referee: Person,
    /// Days to a deadline.
    pub days: u32,
    /// Beacon or not.
    pub dice: Dice,
    /// Where the entropy comes from, if not from where the dice do.
    pub entropy: Option<Entropy>,
    /// Seconds from closing to the earliest beacon.
    pub wait: u64,
    /// The grid of beacons, seconds.
    pub grid: u64,
    /// The player whom the referee plays.
    pub plays: Option<Id>,
    /// The game before.
    pub continues: Option<Continued>,
}

/// Makes the folder.
pub fn run(desk: &mut Desk<'_>, args: &NewArgs) -> Result<u8, Fault> {
    let root = desk.path(&args.dir);
    let library = desk.library()?;
    let scenarios = (desk.systems.scenarios)(&library).map_err(|f| desk.rules_faults(&f))?;
    let scenario = games::find(&scenarios, &args.scenario)?;
    let continues = match &args.continues {
        Some(dir) => Some(continues::take_over(desk, dir, scenario, args)?),
        None => None,
    };
    let before = continues.as_ref();
    let places = match before {
        Some(old) if args.players.is_empty() => old.places()?,
        _ => roster::seat(scenario, &args.players)?,
    };
    let id = game_id(args, &root)?;
    if before.is_some_and(|old| old.from.game == id) {
        return Err(Fault::refused(
            format!("the old game is called `{id}` too: every game has an id of its own"),
            "name another folder, or give the new game an id with --id",
        ));
    }
    let secret = if let Some(path) = &args.secret {
        Secret::parse(&desk.read(path)?)
            .map_err(|e| Fault::input(format!("`{}`: {e}", path.display()), "leave out --secret"))?
    } else {
        let mut random = [0_u8; 64];
        (desk.random)(&mut random).map_err(Fault::file("read", Path::new("random bytes")))?;
        new_secret(&id, LENGTH, &random)
    };
    if secret.root == demo_secret(&id).root || secret.hidden == demo_secret(&id).hidden {
        return Err(Fault::refused(
            "this is the demo's secret: everybody knows its dice",
            "leave out --secret; the program takes fresh random bytes",
        ));
    }
    if secret.game != id {
        return Err(Fault::refused(
            format!("this secret belongs to the game `{}`", secret.game),
            "leave out --secret: every game has its own",
        ));
    }
    let grid = args.grid.or(before.map(|old| old.offer.grid)).unwrap_or(DEFAULT_GRID);
    if grid == 0 || 86_400 % grid != 0 {
        return Err(Fault::input(
            format!("--grid {grid}: the beacons of a day must lie evenly"),
            "name a divisor of 86400: 43200 is noon and midnight",
        ));
    }
    let dice = args.dice.or(before.map(Continued::dice)).unwrap_or_default();
    let people = before.and_then(|old| old.people.as_ref());
    let plan = Plan {
        choices: chosen(args, game::Settings::default())?,
        referee: match (&args.referee, people) {
            (Some(text), _) => roster::person(text)?,
            (None, Some(people)) => people.referee.clone(),
            (None, None) => roster::person("The referee")?,
        },
        days: args.days.or(people.map(|p| p.deadline.days)).unwrap_or(7),
        dice,
        entropy: args.entropy,
        wait: args.wait.or(before.map(|old| old.offer.wait)).unwrap_or(DEFAULT_WAIT),
        grid,
        plays: plays(args, before, dice, &places)?,
        continues,
        id,
        places,
        secret,
    };
    create(desk, &root, &plan)?;
    Ok(0)
}

fn game_id(args: &NewArgs, root: &Path) -> Result<Id, Fault> {
    let text = match &args.id {
        Some(id) => id.clone(),
        None => {
            root.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
        }
    };
    Id::new(&text).map_err(|e| Fault::input(e.to_string(), "give the game an id with --id"))
}

/// The player whom the referee plays: named, or the one he played before.
fn plays(
    args: &NewArgs,
    before: Option<&Continued>,
    dice: Dice,
    places: &[Place],
) -> Result<Option<Id>, Fault> {
    let old = before.and_then(|old| old.offer.referee.as_ref()).map(ToString::to_string);
    let Some(text) = args.referee_plays.clone().or(old).filter(|text| text != "none") else {
        return Ok(None);
    };
    if dice != Dice::Beacon {
        return Err(Fault::refused(
            "a referee who plays would know the dice to come",
            "add --dice beacon, or leave out --referee-plays",
        ));
    }
    places
        .iter()
        .find(|p| p.seat.player.as_str() == text.as_str())
        .map(|p| Some(p.seat.player.clone()))
        .ok_or_else(|| {
            Fault::input(
                format!("--referee-plays: there is no player `{text}`"),
                "name one of the --player seats",
            )
        })
}

/// The settings that the arguments choose, on top of those that hold anyway.
///
/// # Errors
/// A ruling without its choice.
pub fn chosen(args: &NewArgs, base: game::Settings) -> Result<game::Settings, Fault> {
    let mut settings = game::Settings { scenario: args.scenario.clone(), ..base };
    match args.cadence {
        Some(Cadence::Brisk) => "brisk".clone_into(&mut settings.cadence),
        Some(Cadence::Strict) => "strict".clone_into(&mut settings.cadence),
        Some(Cadence::Single) => "single".clone_into(&mut settings.cadence),
        None => {}
    }
    for option in &args.options {
        if !settings.options.contains(option) {
            settings.options.push(option.clone());
        }
    }
    for ruling in &args.rulings {
        let (name, choice) = ruling.split_once('=').ok_or_else(|| {
            Fault::input(
                format!("`--ruling {ruling}` has no `=`"),
                format!("write NAME=CHOICE; `despatch games show {}` lists them", args.scenario),
            )
        })?;
        settings.rulings.insert(name.trim().to_owned(), choice.trim().to_owned());
    }
    Ok(settings)
}

/// The rules list of a game's files, which lie below `rules/`.
pub fn list_rules(files: &RulesFiles) -> RulesList {
    let entry = |(name, text): (&String, &Text)| RulesEntry {
        hash: hash::text_hash(text),
        path: format!("rules/{name}"),
    };
    RulesList::new(files.iter().map(entry).collect())
}

/// The text of a state file: with its salt line where states are sealed.
pub fn salted_state(
    game: &Id,
    phase: u32,
    file: &str,
    secret: Option<&Hex64>,
    state: &str,
) -> String {
    match secret {
        Some(d) => salt_state(&hash::salt(game, phase, file, d), state),
        None => state.to_owned(),
    }
}

/// Makes the folder of a plan.
///
/// # Errors
/// The folder holds something, or the rules cannot be used.
pub fn create(desk: &mut Desk<'_>, root: &Path, plan: &Plan) -> Result<(), Fault> {
    let files = if let Some(old) = &plan.continues {
        old.rules.clone()
    } else {
        let library = desk.library()?;
        (desk.systems.rules_files)(&library, &plan.choices).map_err(|f| desk.rules_faults(&f))?
    };
    let mut normal = RulesFiles::new();
    for (name, text) in files {
        let text = normal_text(&text)?;
        normal.insert(name, text.into());
    }
    let game = (desk.systems.load)(&normal).map_err(|f| desk.rules_faults(&f))?;
    let seats: Vec<Seat> = plan.places.iter().map(|p| p.seat.clone()).collect();
    let state = match &plan.continues {
        Some(old) => old.state_of(&*game, &plan.id, &seats)?,
        None => game.initial_state(&plan.id, &seats).map_err(game_fault)?,
    };
    let outlook = game.outlook(&state).map_err(game_fault)?;
    let sealed = game.scenario().sealed;
    if sealed && plan.plays.is_some() {
        return Err(Fault::refused(
            "this scenario hides things from the players: the referee cannot play in it",
            "leave out --referee-plays",
        ));
    }
    let first = outlook.window.as_deref().unwrap_or_default();
    let first =
        Id::new(first).map_err(|e| Fault::input(e.to_string(), "report this rule system"))?;
    let list = list_rules(&normal);
    let secret = sealed.then_some(&plan.secret.hidden);
    let state = normal_text(&salted_state(&plan.id, 0, "state-000.toml", secret, &state))?;
    let mode = match plan.dice {
        Dice::Chain => Mode::Chain,
        Dice::Beacon => Mode::Beacon,
    };
    let entropy = match (plan.entropy, plan.dice) {
        (Some(Entropy::Nonces), _) | (None, Dice::Chain) => EntropySource::Nonces,
        (Some(Entropy::Beacon), _) | (None, Dice::Beacon) => {
            let wait = i64::try_from(plan.wait).unwrap_or(i64::MAX);
            let round = beacon::round_at(desk.now.plus(wait)).max(1);
            EntropySource::Round(u64::try_from(round).unwrap_or(1))
        }
    };
    let offer = Offer {
        game: plan.id.clone(),
        scenario: Id::new(&plan.choices.scenario)
            .map_err(|e| Fault::input(e.to_string(), "report this rule system"))?,
        engine: desk.engine.clone(),
        rules: list.hash(),
        state: hash::text_hash(&state),
        first,
        secrecy: if sealed { Secrecy::Sealed } else { Secrecy::Open },
        mode,
        referee: plan.plays.clone(),
        entropy,
        wait: plan.wait,
        grid: plan.grid,
        length: plan.secret.length,
        tip: Chain::of(&plan.secret).tip(),
        hidden: hash::hidden(&plan.id, &plan.secret.hidden),
        continues: plan.continues.as_ref().map(|old| old.from.clone()),
        made: desk.now,
        players: seats.iter().map(|s| s.player.clone()).collect(),
    };
    let settings = Settings {
        referee: plan.referee.clone(),
        deadline: Deadline::in_days(plan.days),
        mail: Mail::default(),
        press: Press::default(),
        club: Club::default(),
        player: plan.places.iter().map(|p| (p.seat.player.clone(), p.person.clone())).collect(),
    };

    std::fs::create_dir_all(root).map_err(Fault::file("make", root))?;
    let _held = desk.store.hold(root)?;
    must_be_empty(root)?;
    let mut batch = Batch::new();
    batch.secret("referee.secret", plan.secret.to_text());
    batch.replace("game.toml", settings.text());
    for (name, text) in &normal {
        batch.record(format!("rules/{name}"), &**text);
    }
    batch.record("rules.sha256", list.to_text());
    batch.record("state-000.toml", state);
    for place in &plan.places {
        let body = offer_mail(&offer, &settings, &place.seat, &game.scenario().title);
        let note = Note {
            name: &format!("offer-{}", place.seat.player),
            subject: &format!("offer: {}", game.scenario().title),
            body: &body,
            ..Note::default()
        };
        Post::new(&settings, &offer, desk.now).to(&mut batch, &place.seat.player, &note);
    }
    // Last: a folder with an offer is a game.
    batch.record("offer.txt", offer.to_text());
    desk.store.commit(root, &batch)?;
    tell(desk, root, &offer, &settings, plan.continues.as_ref())
}

fn must_be_empty(root: &Path) -> Result<(), Fault> {
    for entry in std::fs::read_dir(root).map_err(Fault::file("read", root))? {
        let entry = entry.map_err(Fault::file("read", root))?;
        let name = entry.file_name();
        // Folders without a file are what a stopped `new` leaves.
        if name != ".lock" && !(entry.path().is_dir() && holds_no_file(&entry.path())) {
            return Err(Fault::refused(
                format!("`{}` is not empty: it holds `{}`", root.display(), name.to_string_lossy()),
                "name a folder that does not exist yet",
            ));
        }
    }
    Ok(())
}

fn holds_no_file(dir: &Path) -> bool {
    std::fs::read_dir(dir).is_ok_and(|entries| {
        entries.into_iter().all(|e| e.is_ok_and(|e| e.path().is_dir() && holds_no_file(&e.path())))
    })
}

/// A text in normal form.
///
/// # Errors
/// It holds a zero byte.
pub fn normal_text(text: &str) -> Result<String, Fault> {
    hash::normal(text.as_bytes())
        .map_err(|e| Fault::input(e.to_string(), "a file of this game is no text"))
}

/// A rule system's refusal as a fault.
#[allow(clippy::needless_pass_by_value)] // so that it fits `map_err`
pub fn game_fault(fault: game::GameError) -> Fault {
    match fault {
        game::GameError::Question { message, help } => Fault::input(message, help),
        game::GameError::State(_) => Fault::input(
            fault.to_string(),
            "use the state or view of this game as the program wrote it",
        ),
        other => Fault::refused(other.to_string(), "nothing was written; report it to the program"),
    }
}

fn tell(
    desk: &mut Desk<'_>,
    root: &Path,
    offer: &Offer,
    settings: &Settings,
    continues: Option<&Continued>,
) -> Result<(), Fault> {
    writeln!(desk.out, "made {} in {}", offer.game, root.display())?;
    if let Some(old) = continues {
        write!(desk.out, "{}", old.tell())?;
    }
    for player in &offer.players {
        if let Some(person) = settings.player.get(player) {
            writeln!(desk.out, "  {player:<20} {}", person.mailbox())?;
        }
    }
    writeln!(desk.out, "{}", wrap(unproved(offer.mode)))?;
    writeln!(desk.out, "back up referee.secret: without it this game cannot go on")?;
    writeln!(desk.out, "next: send the offers in outbox/, then")?;
    match offer.entropy {
        EntropySource::Nonces => {
            writeln!(desk.out, "  despatch join PLAYER --commitment HEX   (each player)")?;
            writeln!(
                desk.out,
                "  despatch join PLAYER --nonce HEX        (when all have committed)"
            )?;
            writeln!(desk.out, "  despatch genesis")?;
        }
        EntropySource::Round(round) => {
            writeln!(desk.out, "after {}:", beacon::time_of(round))?;
            writeln!(desk.out, "  curl -s {} -o round.json", beacon::page(round))?;
            writeln!(desk.out, "  despatch genesis --beacon round.json")?;
        }
    }
    Ok(())
}
