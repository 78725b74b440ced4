//! A player's position, for `form`, `ask`, `map` and `check`: the rules from a game
//! folder or bundle, the view from a file or from that folder.

use std::path::{Path, PathBuf};

use super::desk::Desk;
use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use super::join::find_player;
use super::ledger::Ledger;
use super::new::game_fault;
use crate::cli::{AskArgs, FormArgs, MapArgs, PositionArgs};
use crate::core::hash;
use crate::core::id::Id;
use crate::core::salt::split_state;
use crate::core::viewer::Viewer;
use crate::game::{Answer, Game, GameError, Question, settings_of};

/// The rules and a view.
#[derive(Debug)]
pub struct Position {
    /// The game, loaded.
    pub game: Box<dyn Game>,
    /// What the viewer sees.
    pub view: String,
    /// The folder that the rules came from, with its ledger; none when a view was
    /// all there was, and the rules are those that ship (or of `--games`).
    pub home: Option<(Folder, Ledger)>,
}

impl Position {
    /// Finds the rules and the view; `default` looks when nobody else is named.
    ///
    /// # Errors
    /// No folder with rules, or no view.
    pub fn find(
        desk: &mut Desk<'_>,
        args: &PositionArgs,
        default: Option<&Id>,
    ) -> Result<Self, Fault> {
        if let Some(path) = args.view.as_ref().filter(|_| lone_view(desk, args)) {
            let view = view_text(desk, path)?;
            let library = desk.library()?;
            let settings = settings_of(&view).map_err(|f| desk.rules_faults(&f))?;
            let files = (desk.systems.rules_files)(&library, &settings)
                .map_err(|f| desk.rules_faults(&f))?;
            let game = (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))?;
            return Ok(Self { game, view, home: None });
        }
        let root = rules_root(desk, args)?;
        let folder = Folder::open_at(desk, &root)?;
        let ledger = Ledger::read(&folder)?;
        let game = ledger.game(desk, &folder)?;
        let view = match &args.view {
            Some(path) => view_text(desk, path)?,
            None => view_of(&folder, &ledger, &*game, args.viewer.as_deref(), default)?,
        };
        Ok(Self { game, view, home: Some((folder, ledger)) })
    }
}

/// A view or state file without its salt.
fn view_text(desk: &Desk<'_>, path: &Path) -> Result<String, Fault> {
    let text = desk.read(path)?;
    let text = hash::normal(text.as_bytes()).map_err(|e| {
        Fault::input(format!("`{}`: {e}", path.display()), "use the view as it was sent")
    })?;
    Ok(split_state(&text).1.to_owned())
}

/// True when neither a folder was named nor one is where the command or the view is.
fn lone_view(desk: &Desk<'_>, args: &PositionArgs) -> bool {
    args.rules.is_none() && desk.game.is_none() && rules_root(desk, args).is_err()
}

/// Where the rules are: named, the desk's game, or the bundle that the view lies in.
fn rules_root(desk: &Desk<'_>, args: &PositionArgs) -> Result<PathBuf, Fault> {
    if let Some(dir) = &args.rules {
        return Ok(desk.path(dir));
    }
    let here = desk.game_dir();
    let Some(view) = &args.view else { return Ok(here) };
    let holds = |dir: &Path| dir.join("offer.txt").is_file();
    if desk.game.is_some() || holds(&here) {
        return Ok(here);
    }
    let view = desk.path(view);
    let above =
        view.ancestors().skip(1).find(|dir| holds(dir)).map(|dir| {
            if dir.as_os_str().is_empty() { PathBuf::from(".") } else { dir.to_owned() }
        });
    above.ok_or_else(|| {
        Fault::input(
            format!("no rules lie near `{}`", view.display()),
            "name the bundle or folder of the game with --rules DIR: the rules are in it",
        )
    })
}

/// The referee's eyes where his secret is, the public's elsewhere; where one plays alone
/// against the machine and keeps the folder himself, his own.
pub fn default_viewer(folder: &Folder, ledger: &Ledger) -> Viewer {
    if !folder.has("referee.secret") {
        return Viewer::Public;
    }
    lone_player(ledger).map_or(Viewer::Referee, |player| Viewer::Player(player.clone()))
}

/// The only player of a game that hides something from him until its close.
pub fn lone_player(ledger: &Ledger) -> Option<&Id> {
    match &ledger.offer.players[..] {
        [player] if ledger.sealed() && ledger.closed.is_none() => Some(player),
        _ => None,
    }
}

/// A viewer by name, who must be one of this game's.
///
/// # Errors
/// Nobody is called so.
pub fn viewer(folder: &Folder, ledger: &Ledger, name: Option<&str>) -> Result<Viewer, Fault> {
    Ok(match name {
        None => default_viewer(folder, ledger),
        Some("referee") => Viewer::Referee,
        Some("public") => Viewer::Public,
        Some(text) => Viewer::Player(find_player(&ledger.offer, text)?),
    })
}

fn view_of(
    folder: &Folder,
    ledger: &Ledger,
    game: &dyn Game,
    name: Option<&str>,
    default: Option<&Id>,
) -> Result<String, Fault> {
    let viewer = match (name, default) {
        (None, Some(player)) => Viewer::Player(player.clone()),
        _ => viewer(folder, ledger, name)?,
    };
    if let (Viewer::Player(player), Some(open)) = (&viewer, &ledger.open) {
        let path = format!("{}/views/{player}.toml", phase_dir(open.phase));
        if let Some(view) = folder.maybe(&path)? {
            return Ok(view);
        }
    }
    if !folder.has(&ledger.state_path) {
        // A player's bundle of a sealed game has his own view and nobody else's.
        let phase = ledger.open.as_ref().map_or(ledger.phases, |open| open.phase);
        let mut own = ledger
            .offer
            .players
            .iter()
            .map(|player| format!("{}/views/{player}.toml", phase_dir(phase)))
            .filter(|path| folder.has(path));
        if let (Some(path), None, None) = (own.next(), own.next(), name) {
            return folder.read(&path);
        }
        return Err(Fault::refused(
            "this bundle has no state: it is sealed until the close",
            "name your own view with --view FILE (from your call mail or bundle)",
        ));
    }
    let state = ledger.state(folder)?;
    game.view(&state, &viewer).map_err(game_fault)
}

/// Prints a player's form of the phase that is called.
pub fn form(desk: &mut Desk<'_>, args: &FormArgs) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    let player = find_player(&ledger.offer, &args.player)?;
    if ledger.open.is_none() && !folder.has("referee.secret") {
        return Err(Fault::refused(
            "no phase is called in this bundle: it has no form",
            "the form comes with the next call mail",
        ));
    }
    let open = ledger.must_be_called()?;
    let path = format!("{}/forms/{player}.toml", phase_dir(open.phase));
    let Some(text) = folder.maybe(&path)? else {
        return Err(Fault::refused(
            format!("this bundle has no form of {player}"),
            "only the referee's folder and the player's own bundle have it",
        ));
    };
    write!(desk.out, "{text}")?;
    Ok(0)
}

/// Answers a question about a position.
pub fn ask(desk: &mut Desk<'_>, args: &AskArgs) -> Result<u8, Fault> {
    let position = Position::find(desk, &args.position, None)?;
    let topic = args.topic.clone().unwrap_or_default();
    let question = Question { topic, words: args.words.clone() };
    let answer = match position.game.ask(&position.view, &question) {
        // No topic is no question: what can be asked is what a wrong one is told.
        Err(GameError::Question { help, .. }) if args.topic.is_none() => Answer {
            json: serde_json::json!({ "topics": help.lines().collect::<Vec<_>>() }),
            text: help,
        },
        answer => answer.map_err(game_fault)?,
    };
    if desk.json {
        writeln!(desk.out, "{}", answer.json)?;
    } else {
        writeln!(desk.out, "{}", answer.text.trim_end())?;
    }
    Ok(0)
}

/// Draws a position.
pub fn map(desk: &mut Desk<'_>, args: &MapArgs) -> Result<u8, Fault> {
    if desk.json {
        return Err(Fault::input(
            "a map is drawn for people: it has no JSON form",
            "leave out --format json; the view itself is TOML, and `ask` answers in JSON",
        ));
    }
    let position = Position::find(desk, &args.position, None)?;
    let text = position.game.map(&position.view).map_err(game_fault)?;
    writeln!(desk.out, "{}", text.trim_end())?;
    Ok(0)
}
