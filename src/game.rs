//! What a rule system offers to the rest of the program, and the only place that
//! names all of them.
//!
//! A [`Game`] is a rule system loaded with the rules files of one game: the same
//! files that its ledger hashes. Everything passes through it as text in normal
//! form, so that the ledger, the bundle and a player's machine see the same bytes.

use std::collections::BTreeMap;

use crate::core::diag::Diagnostic;
use crate::core::dice::Roller;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::viewer::Viewer;

/// The files below `rules/` of a game, by path without that prefix
/// (`charts.toml`, `scenarios/khartoum.toml`, `templates/report.txt.j2`,
/// `settings.toml`), each in normal form.
pub type RulesFiles = BTreeMap<String, String>;

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
    /// The rule system: `omdurman`.
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

/// A rule system loaded with the rules files of one game.
pub trait Game: std::fmt::Debug {
    /// The scenario that the settings chose.
    fn scenario(&self) -> &ScenarioInfo;

    /// The state before phase 1, without a salt line.
    fn initial_state(&self, game: &Id, seats: &[Seat]) -> Result<String, GameError>;

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

    /// Answers a question about a position, with reasons and rule numbers.
    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError>;

    /// The position as a text map.
    fn map(&self, view: &str) -> Result<String, GameError>;

    /// The rules of the game as data: for `games show` (rulings, charts, where
    /// each figure comes from).
    fn describe(&self) -> String;

    /// What changed between two states, one line each, for `amend`.
    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError>;
}

/// Texts of `games/` and `templates/` by path below the project
/// (`games/omdurman/charts.toml`, `templates/omdurman/report.txt.j2`): the
/// embedded ones, or a referee's own.
pub type Library = BTreeMap<String, String>;

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

/// Everything that can be played with a library.
pub fn scenarios(library: &Library) -> Result<Vec<ScenarioInfo>, Vec<RulesFault>> {
    let _ = library;
    Ok(Vec::new())
}

/// The rules files of a new game: the system's data and templates, and
/// `settings.toml` with every choice spelt out.
///
/// # Errors
/// An unknown scenario, cadence, option or ruling, each with what there is.
pub fn rules_files(library: &Library, settings: &Settings) -> Result<RulesFiles, Vec<RulesFault>> {
    let _ = (library, settings);
    Err(Vec::new())
}

/// Loads a game from its rules files, validated as order files are.
///
/// # Errors
/// Every fault of every file.
pub fn load(files: &RulesFiles) -> Result<Box<dyn Game>, Vec<RulesFault>> {
    let _ = files;
    Err(Vec::new())
}
