//! `demo`: plays a shipped sample game through the same functions as the commands.
//!
//! A sample is a folder `games/<system>/samples/<name>/` with `sample.toml` and
//! order files that lack only `head` and `ticket`, which are filled in here. Times,
//! secret and nonces are fixed, so everybody's demo leaves the same files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use serde::Deserialize;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::ledger::Ledger;
use super::new::{Plan, create, demo_secret};
use super::settings::Person;
use super::{
    adjudicate, amend, bundle, call, close, games, genesis, join, lock, receive, roster, verify,
};
use crate::cli::{
    AdjudicateArgs, BundleArgs, CallArgs, Cli, CloseArgs, Command, DemoArgs, Dice, GenesisArgs,
    JoinArgs, LockArgs, VerifyArgs,
};
use crate::core::beacon::{DEFAULT_GRID, DEFAULT_WAIT};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::orderfile::{Form, read_header};
use crate::core::source::Source;
use crate::core::time::Stamp;
use crate::core::viewer::Viewer;
use crate::game::{self, Library};

/// `sample.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// The scenario's id.
    pub scenario: String,
    /// The game's id; the order files quote it.
    pub id: String,
    /// What the sample shows, for people.
    #[serde(default)]
    pub about: String,
    /// As `--player` has them.
    pub players: Vec<String>,
    /// `brisk` or `strict`.
    #[serde(default)]
    pub cadence: String,
    /// Options switched on.
    #[serde(default)]
    pub options: Vec<String>,
    /// Rulings by name.
    #[serde(default)]
    pub rulings: BTreeMap<String, String>,
    /// When the offer is made; every phase is a week after the one before.
    pub start: Stamp,
    /// Played where no sample is named.
    #[serde(default)]
    pub usual: bool,
    /// What happens, in order.
    pub step: Vec<Step>,
}

/// One step: a phase, an amendment, or the close.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The order files of a phase, in order of arrival; who sends none misses the
    /// deadline.
    pub files: Option<Vec<String>>,
    /// Files that come after the lock: kept, and too late.
    #[serde(default)]
    pub late: Vec<String>,
    /// The phase whose files they are, as a check of the sample.
    pub phase: Option<u32>,
    /// The report is printed.
    #[serde(default)]
    pub decisive: bool,
    /// Whose report is printed; the public one if left out.
    pub viewer: Option<String>,
    /// The words after `despatch amend`.
    pub amend: Option<Vec<String>>,
    /// Ends the game: with this result, or with the rules' own if empty.
    pub close: Option<String>,
    /// Something to say to the reader.
    pub note: Option<String>,
}

/// The samples of a library: the name of each with its folder.
pub fn samples(library: &Library) -> BTreeMap<String, String> {
    let folder = |path: &String| {
        let dir = path.strip_suffix("/sample.toml")?;
        let mut parts = dir.rsplit('/');
        let (name, kind) = (parts.next()?, parts.next()?);
        (kind == "samples" && dir.starts_with("games/")).then(|| (name.to_owned(), dir.to_owned()))
    };
    library.keys().filter_map(folder).collect()
}

/// Plays a sample.
pub fn run(desk: &mut Desk<'_>, args: &DemoArgs) -> Result<u8, Fault> {
    let library = desk.library_with_samples()?;
    let all = samples(&library);
    let mut read_all = Vec::new();
    for (name, dir) in &all {
        read_all.push((name.as_str(), dir.as_str(), read(&library, dir)?));
    }
    let wanted = args.scenario.as_deref();
    let chosen = match wanted {
        Some(wanted) => read_all
            .iter()
            .find(|(name, _, _)| *name == wanted)
            .or_else(|| read_all.iter().find(|(_, _, sample)| sample.scenario == wanted)),
        None => read_all.iter().find(|(_, _, sample)| sample.usual).or(read_all.first()),
    };
    let Some((name, source, sample)) = chosen else {
        let list: Vec<String> = read_all
            .iter()
            .map(|(name, _, sample)| match sample.scenario.as_str() {
                scenario if scenario == *name => scenario.to_owned(),
                scenario => format!("{scenario} (or {name})"),
            })
            .collect();
        return Err(Fault::input(
            format!("there is no sample game of `{}`", wanted.unwrap_or("any")),
            if list.is_empty() {
                "no sample is built into this program".to_owned()
            } else {
                format!("the samples are {}", list.join(", "))
            },
        ));
    };
    let root = match &args.dir {
        Some(dir) => desk.path(dir),
        None => fresh_dir(desk, name),
    };
    play(desk, &library, source, sample, &root)
}

fn read(library: &Library, dir: &str) -> Result<Sample, Fault> {
    let path = format!("{dir}/sample.toml");
    let text = library.get(&path).map(|text| &**text).unwrap_or_default();
    toml::from_str(text).map_err(|e| {
        Fault::input(format!("`{path}`: {}", e.message()), "mend the sample, or leave out --games")
    })
}

/// The first of `despatch-demo-NAME`, `despatch-demo-NAME-2`, ... that is not there.
fn fresh_dir(desk: &Desk<'_>, name: &str) -> PathBuf {
    let first = format!("despatch-demo-{name}");
    let mut dir = desk.path(Path::new(&first));
    let mut number = 2;
    while dir.exists() {
        dir = desk.path(Path::new(&format!("{first}-{number}")));
        number += 1;
    }
    dir
}

/// Plays a sample into a folder: the referee's game in `game/`, the public bundle
/// in `bundle/`.
///
/// # Errors
/// A step of the sample was refused.
pub fn play(
    desk: &mut Desk<'_>,
    library: &Library,
    source: &str,
    sample: &Sample,
    root: &Path,
) -> Result<u8, Fault> {
    let bad = |e: crate::core::id::IdError| Fault::input(e.to_string(), "mend the sample");
    let id = Id::new(&sample.id).map_err(bad)?;
    let scenarios = (desk.systems.scenarios)(library).map_err(|f| desk.rules_faults(&f))?;
    let scenario = games::find(&scenarios, &sample.scenario)?;
    let plan = Plan {
        secret: demo_secret(&id),
        id,
        choices: game::Settings {
            scenario: sample.scenario.clone(),
            cadence: sample.cadence.clone(),
            options: sample.options.clone(),
            rulings: sample.rulings.clone(),
        },
        places: roster::seat(scenario, &sample.players)?,
        referee: Person { name: "The demo".to_owned(), address: String::new(), key: None },
        days: 7,
        dice: Dice::Chain,
        entropy: None,
        wait: DEFAULT_WAIT,
        grid: DEFAULT_GRID,
        plays: None,
        continues: None,
    };
    let game_dir = root.join("game");
    let title = scenario.title.clone();
    let about = sample.about.trim();
    writeln!(desk.out, "DEMO  {title}\n{about}{}", if about.is_empty() { "" } else { "\n" })?;

    let mut stage = Stage { desk, game_dir: game_dir.clone(), now: sample.start };
    stage.act(|desk| create(desk, &game_dir, &plan).map(|()| 0))?;
    stage.join(&plan)?;
    for step in &sample.step {
        stage.step(library, source, &plan, step)?;
    }
    finish(stage, root)
}

/// Runs commands quietly in the demo's folder at the demo's time.
struct Stage<'d, 'a> {
    desk: &'d mut Desk<'a>,
    game_dir: PathBuf,
    now: Stamp,
}

impl Stage<'_, '_> {
    /// Runs one command; its output is kept back.
    fn act(
        &mut self,
        command: impl FnOnce(&mut Desk<'_>) -> Result<u8, Fault>,
    ) -> Result<String, Fault> {
        let mut quiet = Vec::new();
        let desk = &mut *self.desk;
        let mut inner = Desk {
            now: self.now,
            cwd: desk.cwd.clone(),
            engine: desk.engine.clone(),
            game: Some(std::path::absolute(&self.game_dir).unwrap_or(self.game_dir.clone())),
            games: desk.games.clone(),
            library: desk.library.clone(),
            systems: desk.systems,
            store: super::store::Store::new(),
            random: &mut *desk.random,
            input: None,
            out: &mut quiet,
            err: &mut *desk.err,
            colour: desk.colour,
            json: false,
        };
        command(&mut inner)?;
        Ok(String::from_utf8_lossy(&quiet).into_owned())
    }

    fn join(&mut self, plan: &Plan) -> Result<(), Fault> {
        let nonce = |player: &Id| {
            Hex64::digest(format!("despatch demo: the nonce of {player} is published").as_bytes())
        };
        for place in &plan.places {
            let player = &place.seat.player;
            let commitment = hash::join(&plan.id, player, &nonce(player)).to_string();
            let args =
                JoinArgs { player: player.to_string(), commitment: Some(commitment), nonce: None };
            self.act(|desk| join::run(desk, &args))?;
        }
        for place in &plan.places {
            let player = &place.seat.player;
            let nonce = Some(nonce(player).to_string());
            let args = JoinArgs { player: player.to_string(), commitment: None, nonce };
            self.act(|desk| join::run(desk, &args))?;
        }
        self.act(|desk| genesis::run(desk, &GenesisArgs { beacon: None }))?;
        Ok(())
    }

    fn step(
        &mut self,
        library: &Library,
        source: &str,
        plan: &Plan,
        step: &Step,
    ) -> Result<(), Fault> {
        if let Some(note) = &step.note {
            writeln!(self.desk.out, "--- {}\n", note.trim())?;
        }
        if let Some(words) = &step.amend {
            let line = ["despatch", "amend"].into_iter().chain(words.iter().map(String::as_str));
            let cli = Cli::try_parse_from(line)
                .map_err(|e| Fault::input(e.to_string(), "mend the sample's amend step"))?;
            if let Command::Amend(args) = &cli.command {
                let said = self.act(|desk| amend::run(desk, args))?;
                if step.decisive {
                    writeln!(self.desk.out, "{said}")?;
                }
            }
        }
        if let Some(files) = &step.files {
            self.phase(library, source, plan, step, files)?;
        }
        if let Some(result) = &step.close {
            let result = (!result.is_empty()).then(|| result.clone());
            let said =
                self.act(|desk| close::run(desk, &CloseArgs { result, open: Vec::new() }))?;
            let first = said.lines().next().unwrap_or_default();
            writeln!(self.desk.out, "RESULT  {first}\n")?;
        }
        Ok(())
    }

    fn phase(
        &mut self,
        library: &Library,
        source: &str,
        plan: &Plan,
        step: &Step,
        files: &[String],
    ) -> Result<(), Fault> {
        let begin = self.now;
        let deadline = begin.plus(6 * 86_400);
        let args = CallArgs { deadline: Some(deadline.to_string()) };
        self.act(|desk| call::run(desk, &args))?;
        let folder = Folder::open_at(self.desk, &self.game_dir)?;
        let open = Ledger::read(&folder)?.must_be_called()?.clone();
        if step.phase.is_some_and(|phase| phase != open.phase) {
            return Err(Fault::input(
                format!("the sample's phase {:?} is phase {} here", step.phase, open.phase),
                "mend the sample: its steps follow the rules' windows",
            ));
        }
        let send = |stage: &mut Self, file: &str, at: Stamp| -> Result<(), Fault> {
            let path = format!("{source}/{file}");
            let text = library.get(&path).ok_or_else(|| {
                Fault::input(format!("the sample has no file `{path}`"), "mend the sample")
            })?;
            let text = filled_in(plan, open.phase, &open.call().prev, file, text);
            stage.now = at;
            let name = file.rsplit('/').next().unwrap_or(file).to_owned();
            stage.act(|desk| receive::take(desk, &[(name, text.into_bytes())]))?;
            Ok(())
        };
        for (file, hours) in files.iter().zip(1_i64..) {
            send(self, file, begin.plus(86_400 + hours * 3_600))?;
        }
        self.now = deadline;
        let all = u32::try_from(plan.places.len()).unwrap_or(u32::MAX);
        let args = LockArgs { early: false, allow_missing: all };
        self.act(|desk| lock::run(desk, &args))?;
        for (file, minutes) in step.late.iter().zip(1_i64..) {
            send(self, file, deadline.plus(minutes * 60))?;
        }
        self.now = deadline.plus(3_600);
        let args =
            AdjudicateArgs { phase: None, allow_missing: None, beacon: None, rehearse: false };
        self.act(|desk| adjudicate::run(desk, &args))?;
        if step.decisive {
            let viewer = step.viewer.as_deref().unwrap_or("public");
            let viewer = Viewer::new(viewer)
                .map_err(|e| Fault::input(e.to_string(), "mend the sample's viewer"))?;
            let path = format!("{}/report/{viewer}.txt", phase_dir(open.phase));
            writeln!(self.desk.out, "{}", folder.read(&path)?)?;
        } else {
            writeln!(
                self.desk.out,
                "phase {} resolved (window {})",
                open.phase,
                open.call().window
            )?;
        }
        self.now = begin.plus(7 * 86_400);
        Ok(())
    }
}

/// The file with the head and the ticket of this game's form, as a player would
/// have sent it.
fn filled_in(plan: &Plan, phase: u32, head: &Hex64, file: &str, text: &str) -> String {
    let Ok(header) = read_header(&Source::new(file, text), Form::Sample) else {
        return text.to_owned();
    };
    let ticket = hash::ticket(&plan.id, phase, &header.player.value, 1, &plan.secret.hidden);
    let mut top = String::new();
    if header.head.is_none() {
        let _ = writeln!(top, "head = \"{head}\"");
    }
    if header.ticket.is_none() {
        let _ = writeln!(top, "ticket = \"{ticket}\"");
    }
    format!("{top}{text}")
}

fn finish(mut stage: Stage<'_, '_>, root: &Path) -> Result<u8, Fault> {
    let out = std::path::absolute(root.join("bundle")).unwrap_or_else(|_| root.join("bundle"));
    let args = BundleArgs { viewer: "public".to_owned(), out: out.clone() };
    stage.act(|desk| bundle::run(desk, &args))?;
    let folder = Folder::open_at(stage.desk, &stage.game_dir)?;
    let ledger = Ledger::read(&folder)?;
    let head = ledger.head()?;
    let replay = !ledger.sealed() || ledger.closed.is_some();
    let args = VerifyArgs {
        dir: Some(out),
        head: Some(head.to_string()),
        replay,
        roll: None,
        phase: None,
        continues: None,
    };
    let said = stage.act(|desk| verify::run(desk, &args));
    let desk = stage.desk;
    let said = said?;
    writeln!(desk.out, "VERIFICATION of {}\n\n{said}", root.join("bundle").display())?;
    let game = root.join("game").display().to_string();
    writeln!(desk.out, "The referee's folder is {game}; try")?;
    writeln!(desk.out, "  despatch -C {game} report --phase 1")?;
    writeln!(desk.out, "  despatch -C {game} map")?;
    writeln!(desk.out, "  despatch -C {game} history")?;
    writeln!(desk.out, "  despatch -C {game} luck")?;
    writeln!(desk.out, "  despatch verify {} --replay", root.join("bundle").display())?;
    writeln!(desk.out, "Its dice come from a published secret: `despatch new` makes a real game.")?;
    Ok(u8::from(!said.contains("ALL CHECKS PASSED")))
}
