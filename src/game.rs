//! What a rule system offers to the rest of the program, and the only place that
//! names all of them.
//!
//! A [`Game`] is a rule system loaded with the rules files of one game: the same
//! files that its ledger hashes. Everything passes through it as text in normal
//! form, so that the ledger, the bundle and a player's machine see the same bytes.

pub mod layout;
pub mod part;
pub mod reading;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::bugles::game::Bugles;
use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::dice::Roller;
use crate::core::hash::Hex64;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::template::TemplateError;
use crate::core::viewer::Viewer;
use crate::last_outpost::game::LastOutpost;
use crate::omdurman::game::Omdurman;

/// The files below `rules/` of a game, by path without that prefix
/// (`charts.toml`, `scenarios/khartoum.toml`, `templates/report.txt.j2`,
/// `settings.toml`), each in normal form.
pub type RulesFiles = BTreeMap<String, Text>;

/// A text that ships inside the program, or somebody's own.
pub type Text = Cow<'static, str>;

/// Who plays a scenario: a seat with its side and the commands it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The player's id: the side, or side and command (`dervish-guns`).
    pub player: Id,
    /// The side, as the scenario names it.
    pub side: String,
    /// The commands of that side that this seat holds; never empty.
    pub commands: Vec<String>,
}

/// What can be played, for `games` and `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioInfo {
    /// Such as `khartoum`.
    pub id: String,
    /// The rule system: `omdurman`, `last-outpost`.
    pub system: String,
    /// Such as `The Fall of Khartoum`.
    pub title: String,
    /// One line for a list.
    pub summary: String,
    /// Each side with its commands, in order of set-up.
    pub sides: Vec<(String, Vec<String>)>,
    /// True where a scenario hides something from a player: `secrecy=sealed`.
    pub sealed: bool,
}

/// The position in time: what the next phase asks, of whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The window's id (`move`, `combat`), or `None` when the game is over.
    pub window: Option<String>,
    /// The players whose orders the rules await, sorted; may be empty.
    pub asks: Vec<Id>,
    /// For people: `turn 2, Dervish player-turn (day), movement`.
    pub heading: String,
    /// What happens by default when a player sends nothing, for the call.
    pub default: String,
    /// The result when the game is over: `Dervish Tactical`.
    pub result: Option<String>,
}

/// What the form quotes; `dice.md` 5.4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormHeader {
    /// The game.
    pub game: Id,
    /// The phase number.
    pub phase: u32,
    /// Whose form it is.
    pub player: Id,
    /// The ledger head that the call names, 64 hex digits.
    pub head: String,
    /// The ticket, 64 hex digits.
    pub ticket: String,
}

/// What one file orders, checked against a view; made by [`Game::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Every fault, errors and warnings alike.
    pub faults: Vec<Diagnostic>,
    /// The orders as understood, one line each, for the receipt.
    pub understood: Vec<String>,
    /// Orders that would be carried out as written.
    pub accepted: usize,
    /// Orders that are refused.
    pub refused: usize,
}

/// A player's orders in a phase as the lock has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submission {
    /// The valid file that counts, in normal form.
    File(Source),
    /// Asked, but nothing valid came.
    Missing,
    /// Not asked, and sent nothing.
    Idle,
}

/// All that a phase is resolved from, besides the dice.
#[derive(Clone, Debug)]
pub struct PhaseInput {
    /// The game.
    pub game: Id,
    /// The phase number, from 1.
    pub phase: u32,
    /// The head before this phase (`prev` of the turn record); reports may name it.
    pub prev: String,
    /// The state before, without its salt line.
    pub state: String,
    /// Every seat's submission.
    pub orders: BTreeMap<Id, Submission>,
    /// Throw-away dice: every page says REHEARSAL.
    pub rehearsal: bool,
}

/// One report as text and as its machine-readable twin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// 72 columns of plain text in normal form.
    pub text: String,
    /// The same as JSON, in normal form.
    pub json: String,
}

/// What a phase came to.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The event log, one JSON object a line, without the salt line.
    pub events: String,
    /// The state after, without its salt line.
    pub state: String,
    /// For the referee, the public and every player.
    pub reports: BTreeMap<Viewer, Report>,
    /// The outlook of the state after.
    pub outlook: Outlook,
}

/// A question about a position (`ask`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// `reach`, `cost`, `los`, `targets`, `zoc`, ...
    pub topic: String,
    /// The words after it: unit ids and hexes.
    pub words: Vec<String>,
}

/// An answer with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: serde_json::Value,
}

/// Why a game could not answer: bad words in a question, or a text that is no
/// state or view of this game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// A state or view that does not parse or breaks a law of states.
    #[error("this is no position of this game: {0}")]
    State(String),
    /// A state that does not go with the cadence, options or rulings chosen.
    #[error("the settings contradict the position: {0}")]
    Contradicted(String),
    /// A question that names no unit or hex, or has too few words.
    #[error("{message}")]
    Question {
        /// What is wrong with it.
        message: String,
        /// How to ask instead.
        help: String,
    },
    /// The dice refused: a label twice, or a specification that is none.
    #[error(transparent)]
    Dice(#[from] crate::core::dice::DiceError),
    /// The rules need a faculty that is not built yet.
    #[error("rule {rule} is not implemented yet: {what}")]
    NotYet {
        /// The rule.
        rule: String,
        /// What was asked of it.
        what: String,
    },
}

impl From<TemplateError> for GameError {
    fn from(error: TemplateError) -> Self {
        Self::State(error.to_string())
    }
}

/// Something that `odds` count over many resolutions of one window.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// How many units are lost: by the side of that name.
    Count {
        /// Whose.
        what: String,
    },
    /// A unit is lost.
    Lost {
        /// Its side, by name.
        side: String,
        /// Its id.
        unit: String,
        /// Where it stood before the window.
        place: String,
    },
    /// A unit is disrupted, or whatever the rules call a unit that is not lost but
    /// cannot act.
    Disrupted {
        /// Its side, by name.
        side: String,
        /// Its id.
        unit: String,
        /// Where it stood before the window.
        place: String,
    },
    /// A side loses somebody of those who stood in a place.
    Loses {
        /// The side, by name.
        side: String,
        /// The place.
        place: String,
    },
    /// A side loses everybody who stood in a place.
    Cleared {
        /// The side, by name.
        side: String,
        /// The place.
        place: String,
    },
    /// Anything else, in words: `wall 0913:E is breached`.
    Happens {
        /// What.
        what: String,
    },
    /// The game ends.
    End {
        /// With this result.
        result: String,
    },
}

/// What one resolution came to. A [`Subject::Count`] is there with 0 too, so that its
/// mean and spread are those of all resolutions; the others are there when they happen.
pub type Tally = BTreeMap<Subject, u32>;

/// A window made ready to be resolved many times: orders read and checked once, no
/// report written.
pub trait Trials: Sync {
    /// Resolves it once, as [`Game::adjudicate`] does.
    ///
    /// # Errors
    /// The dice refused.
    fn once(&self, dice: &mut Roller) -> Result<Tally, GameError>;
}

/// A rule system loaded with the rules files of one game.
pub trait Game: std::fmt::Debug {
    /// The scenario that the settings chose.
    fn scenario(&self) -> &ScenarioInfo;

    /// The state before phase 1, without a salt line.
    fn initial_state(&self, game: &Id, seats: &[Seat]) -> Result<String, GameError>;

    /// The state before phase 1 of a game that goes on from the last state of
    /// another: the same position under another id and these seats, without a salt
    /// line. Standing orders of players who have no seat any more end.
    ///
    /// # Errors
    /// No state of this game, or one that these rules contradict
    /// ([`GameError::Contradicted`]).
    fn continued_state(&self, old: &str, game: &Id, seats: &[Seat]) -> Result<String, GameError>;

    /// What the next phase asks, of whom: a function of rules and state alone.
    fn outlook(&self, state: &str) -> Result<Outlook, GameError>;

    /// The seats that a state or view names.
    fn seats(&self, state: &str) -> Result<Vec<Seat>, GameError>;

    /// What a viewer may see of a state, as TOML; the input of `check`, `form`,
    /// `ask` and `map`. A state of the referee is its own view.
    fn view(&self, state: &str, viewer: &Viewer) -> Result<String, GameError>;

    /// An order file for a player, filled in: sent back unchanged it passes
    /// [`Game::check`] and means the defaults.
    fn form(&self, view: &str, header: &FormHeader) -> Result<String, GameError>;

    /// Reads an order file (whose header is checked elsewhere) against a view.
    fn check(&self, view: &str, player: &Id, file: &Source) -> Result<Checked, GameError>;

    /// Resolves a phase. The only source of chance is `dice`.
    fn adjudicate(&self, input: &PhaseInput, dice: &mut Roller) -> Result<Resolution, GameError>;

    /// Resolves a phase again to compare it with what is recorded: only the reports of
    /// these viewers are wanted.
    ///
    /// # Errors
    /// As [`Game::adjudicate`].
    fn again(
        &self,
        input: &PhaseInput,
        dice: &mut Roller,
        _viewers: &[Viewer],
    ) -> Result<Resolution, GameError> {
        self.adjudicate(input, dice)
    }

    /// The notes that players sealed and a state knows: salt and text, for the close.
    /// Systems whose players seal nothing have none.
    fn notes(&self, _state: &str) -> Result<Vec<(Hex64, String)>, GameError> {
        Ok(Vec::new())
    }

    /// Makes the window of a state or view ready to be resolved many times with these
    /// orders.
    ///
    /// # Errors
    /// No position of this game, or a scenario whose odds are not built.
    fn trials<'a>(
        &'a self,
        view: &str,
        orders: &BTreeMap<Id, Submission>,
    ) -> Result<Box<dyn Trials + 'a>, GameError>;

    /// The exact odds of one attack, explained as the report would: of a position, or
    /// of the charts alone.
    fn odds(&self, view: Option<&str>, question: &Question) -> Result<Answer, GameError>;

    /// Answers a question about a position, with reasons and rule numbers.
    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError>;

    /// The position as a text map.
    fn map(&self, view: &str) -> Result<String, GameError>;

    /// The words by which the event log names sides, each with the side's printed name;
    /// nothing where a log names players only.
    fn side_names(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The map of a state as a viewer sees it: [`Game::map`] of his view.
    ///
    /// # Errors
    /// No state of this game.
    fn map_for(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        self.map(&self.view(state, viewer)?)
    }

    /// The rules of the game as data: for `games show` (rulings, charts, where
    /// each figure comes from).
    fn describe(&self) -> String;

    /// What of a state the rules could not have brought about, one line each with its
    /// rule; nothing for a lawful one. For `amend state`, whose author may mean it.
    ///
    /// # Errors
    /// No state of this game.
    fn irregular(&self, state: &str) -> Result<Vec<String>, GameError>;

    /// What changed between two states, one line each, for `amend`.
    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError>;
}

/// Texts of `games/` and `templates/` by path below the project
/// (`games/omdurman/charts.toml`, `templates/omdurman/report.txt.j2`): the
/// embedded ones, or a referee's own.
pub type Library = BTreeMap<String, Text>;

/// What a referee chooses at `new`; written to `rules/settings.toml`, hashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The scenario's id.
    pub scenario: String,
    /// `brisk` or `strict`; empty for the default.
    pub cadence: String,
    /// Options switched on.
    pub options: Vec<String>,
    /// Rulings that differ from their default, by name.
    pub rulings: BTreeMap<String, String>,
}

/// A fault of a rules file: which file, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesFault {
    /// The file.
    pub source: Source,
    /// The fault.
    pub fault: Diagnostic,
}

/// The settings that a game's rules files spell out, amended or not.
///
/// # Errors
/// A `settings.toml` that says something else.
pub fn settings_in(files: &RulesFiles) -> Result<Settings, Vec<RulesFault>> {
    #[derive(serde::Deserialize)]
    struct Chosen {
        scenario: String,
        #[serde(default)]
        cadence: String,
        #[serde(default)]
        options: Vec<String>,
        #[serde(default)]
        rulings: BTreeMap<String, String>,
    }
    let text = files.get("settings.toml").map_or("", |text| &**text);
    match toml::from_str::<Chosen>(text) {
        Ok(Chosen { scenario, cadence, options, rulings }) => {
            Ok(Settings { scenario, cadence, options, rulings })
        }
        Err(error) => {
            let fault = Diagnostic::error(None, error.message().to_owned());
            Err(vec![RulesFault { source: Source::new("settings.toml", text), fault }])
        }
    }
}

/// Everything that can be played with a library.
///
/// # Errors
/// Faults of the files that name the scenarios.
pub fn scenarios(library: &Library) -> Result<Vec<ScenarioInfo>, Vec<RulesFault>> {
    let mut out = Vec::new();
    for scenario in index(library)? {
        let settings = Settings { scenario: scenario.1.clone(), ..Settings::default() };
        out.push(load(&rules_files(library, &settings)?)?.scenario().clone());
    }
    Ok(out)
}

/// The rules files of a new game: the system's data and templates, and
/// `settings.toml` with every choice spelt out. [`load`] is what validates them.
///
/// # Errors
/// An unknown scenario, with what there is.
pub fn rules_files(library: &Library, settings: &Settings) -> Result<RulesFiles, Vec<RulesFault>> {
    let index = index(library)?;
    let Some((system, _)) = index.iter().find(|(_, id)| *id == settings.scenario) else {
        let known: Vec<&str> = index.iter().map(|(_, id)| id.as_str()).collect();
        let name = &settings.scenario;
        let fault = Diagnostic::error(None, format!("there is no scenario `{name}`"));
        let fault = match did_you_mean(name, known.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help(format!("there is: {}", known.join(", "))),
        };
        return Err(vec![RulesFault { source: Source::new("--scenario", ""), fault }]);
    };
    let mut files = RulesFiles::new();
    // A game has its own map, not those of other scenarios.
    let path = format!("games/{system}/scenarios/{}.toml", settings.scenario);
    let map = library.get(&path).and_then(|text| toml::from_str::<toml::Table>(text).ok());
    let map = map.and_then(|t| t.get("map").and_then(|m| m.as_str().map(str::to_owned)));
    let data = format!("games/{system}/");
    let templates = format!("templates/{system}/");
    for (path, text) in library {
        if let Some(rest) = path.strip_prefix(&data) {
            let named = |folder: &str| {
                rest.strip_prefix(folder).and_then(|file| file.strip_suffix(".toml"))
            };
            let other = named("scenarios/").is_some_and(|id| id != settings.scenario)
                || named("maps/").is_some_and(|id| map.as_deref().is_some_and(|own| own != id));
            if !rest.starts_with("samples/") && !other {
                files.insert(rest.to_owned(), text.clone());
            }
        } else if let Some(rest) = path.strip_prefix(&templates) {
            files.insert(format!("templates/{rest}"), text.clone());
        }
    }
    let quote = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let cadence = if settings.cadence.is_empty() { "brisk" } else { &settings.cadence };
    let mut text = format!(
        "system = {}\nscenario = {}\ncadence = {}\n",
        quote(system),
        quote(&settings.scenario),
        quote(cadence)
    );
    let options: Vec<String> = settings.options.iter().map(|o| quote(o)).collect();
    let _ = write!(text, "options = [{}]\n\n[rulings]\n", options.join(", "));
    for (name, choice) in &settings.rulings {
        let _ = writeln!(text, "{} = {}", quote(name), quote(choice));
    }
    files.insert("settings.toml".to_owned(), (text.trim_end().to_owned() + "\n").into());
    Ok(files)
}

/// Loads a game from its rules files, validated as order files are.
///
/// # Errors
/// Every fault of every file.
pub fn load(files: &RulesFiles) -> Result<Box<dyn Game>, Vec<RulesFault>> {
    #[derive(serde::Deserialize)]
    struct System {
        system: String,
    }
    let text = files.get("settings.toml").map_or("", |text| &**text);
    let source = || Source::new("settings.toml", text);
    let system = match toml::from_str::<System>(text) {
        Ok(named) => named.system,
        Err(error) => {
            let fault = Diagnostic::error(None, error.message().to_owned());
            return Err(vec![RulesFault { source: source(), fault }]);
        }
    };
    match system.as_str() {
        "omdurman" => Ok(Box::new(Omdurman::load(files)?)),
        "last-outpost" => Ok(Box::new(LastOutpost::load(files)?)),
        "bugles" => Ok(Box::new(Bugles::load(files)?)),
        name => Err(no_system(name, source())),
    }
}

/// The settings that a view or state file names, so that a player who has nothing
/// else can load its game from a library.
///
/// # Errors
/// A text that names no scenario.
pub fn settings_of(view: &str) -> Result<Settings, Vec<RulesFault>> {
    #[derive(serde::Deserialize)]
    struct Named {
        scenario: String,
        #[serde(default)]
        cadence: String,
        #[serde(default)]
        options: Vec<String>,
        #[serde(default)]
        rulings: BTreeMap<String, String>,
    }
    match toml::from_str::<Named>(view) {
        Ok(named) => Ok(Settings {
            scenario: named.scenario,
            cadence: named.cadence,
            options: named.options,
            rulings: named.rulings,
        }),
        Err(error) => {
            let fault = Diagnostic::error(None, error.message().to_owned());
            Err(vec![RulesFault { source: Source::new("the view", view), fault }])
        }
    }
}

/// The rules companion of a system, as Markdown: charts, counters, sequence of play,
/// scenarios, rulings, doubts.
///
/// # Errors
/// Faults of the files of its scenarios.
pub fn companion(library: &Library, system: &str) -> Result<String, Vec<RulesFault>> {
    match system {
        "omdurman" => {
            let games = each(library, system, Omdurman::load)?;
            let data: Vec<_> = games.iter().map(Omdurman::data).collect();
            Ok(crate::omdurman::companion::page(&data))
        }
        "last-outpost" => {
            let games = each(library, system, LastOutpost::load)?;
            let data: Vec<_> = games.iter().map(LastOutpost::data).collect();
            Ok(crate::last_outpost::companion::page(&data, results(library, system)))
        }
        "bugles" => {
            let games = each(library, system, Bugles::load)?;
            let data: Vec<_> = games.iter().map(Bugles::data).collect();
            Ok(crate::bugles::companion::page(&data, results(library, system)))
        }
        _ => Err(no_system(system, Source::new("games", ""))),
    }
}

/// What play of a system came to, as its bench wrote it: beside the samples, since it is
/// no rule and in no game's hash.
fn results<'a>(library: &'a Library, system: &str) -> &'a str {
    let path = format!("games/{system}/samples/results.toml");
    library.get(&path).map_or("", |text| &**text)
}

/// Every scenario of a system as it ships.
fn each<G>(
    library: &Library,
    system: &str,
    load: fn(&RulesFiles) -> Result<G, Vec<RulesFault>>,
) -> Result<Vec<G>, Vec<RulesFault>> {
    let mut games = Vec::new();
    for (owner, scenario) in index(library)? {
        if owner == system {
            let settings = Settings { scenario, ..Settings::default() };
            games.push(load(&rules_files(library, &settings)?)?);
        }
    }
    Ok(games)
}

fn no_system(name: &str, source: Source) -> Vec<RulesFault> {
    let fault = Diagnostic::error(None, format!("`{name}` is no rule system of this program"));
    vec![RulesFault { source, fault }]
}

/// Systems with their scenarios, as each `games/<system>/game.toml` lists them.
fn index(library: &Library) -> Result<Vec<(String, String)>, Vec<RulesFault>> {
    #[derive(serde::Deserialize)]
    struct GameFile {
        id: String,
        scenarios: Vec<String>,
    }
    let mut out = Vec::new();
    for (path, text) in library {
        if !path.starts_with("games/") || !path.ends_with("/game.toml") {
            continue;
        }
        match toml::from_str::<GameFile>(text) {
            Ok(file) => out.extend(file.scenarios.into_iter().map(|s| (file.id.clone(), s))),
            Err(error) => {
                let fault = Diagnostic::error(None, error.message().to_owned());
                return Err(vec![RulesFault { source: Source::new(path, text), fault }]);
            }
        }
    }
    Ok(out)
}
