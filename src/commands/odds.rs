//! `odds`: one attack exactly, or a whole window resolved many times.

use std::collections::BTreeMap;
use std::path::Path;

use super::desk::Desk;
use super::fault::Fault;
use super::new::game_fault;
use super::position::Position;
use super::words::{some, wrap};
use crate::cli::OddsArgs;
use crate::core::diag::render_all;
use crate::core::hash::Hex64;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::viewer::Viewer;
use crate::game::{Answer, Question, Settings, Submission};
use crate::odds::simulate;

/// Tells the odds.
pub fn run(desk: &mut Desk<'_>, args: &OddsArgs) -> Result<u8, Fault> {
    match &args.topic {
        Some(topic) => attack(desk, args, topic),
        None => window(desk, args),
    }
}

fn attack(desk: &mut Desk<'_>, args: &OddsArgs, topic: &str) -> Result<u8, Fault> {
    let words = match (args.factors, &args.at) {
        (Some(factors), _) => vec![factors.to_string(), args.drm.unwrap_or(0).to_string()],
        (None, Some(at)) => std::iter::once(at).chain(&args.with).cloned().collect(),
        (None, None) => Vec::new(),
    };
    let question = Question { topic: topic.to_owned(), words };
    let answer = if let Some(name) = &args.scenario {
        of_scenario(desk, name, &question)?
    } else {
        let position = Position::find(desk, &args.position, None)?;
        position.game.odds(Some(&position.view), &question).map_err(game_fault)?
    };
    if desk.json {
        writeln!(desk.out, "{}", answer.json)?;
    } else {
        writeln!(desk.out, "{}", answer.text.trim_end())?;
    }
    Ok(0)
}

/// The charts of a scenario as it ships, without any game.
fn of_scenario(desk: &mut Desk<'_>, name: &str, question: &Question) -> Result<Answer, Fault> {
    let library = desk.library()?;
    let settings = Settings { scenario: name.to_owned(), ..Settings::default() };
    let files =
        (desk.systems.rules_files)(&library, &settings).map_err(|f| desk.rules_faults(&f))?;
    let game = (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))?;
    game.odds(None, question).map_err(game_fault)
}

fn window(desk: &mut Desk<'_>, args: &OddsArgs) -> Result<u8, Fault> {
    let mut files = BTreeMap::new();
    for path in &args.orders {
        let (player, source) = order_file(desk, path)?;
        if let Some(first) = files.insert(player.clone(), source) {
            return Err(Fault::input(
                format!("`{}` and `{}` are both of {player}", first.name, path.display()),
                "name one file a player",
            ));
        }
    }
    let eyes = match files.keys().next() {
        Some(player) if files.len() == 1 => Some(player.clone()),
        _ => None,
    };
    let Position { game, view, .. } = Position::find(desk, &args.position, eyes.as_ref())?;
    let outlook = game.outlook(&view).map_err(game_fault)?;
    if outlook.window.is_none() {
        return Err(Fault::refused(
            "the game is over: nothing is left to chance",
            "name an earlier position with --view FILE",
        ));
    }
    let seats = game.seats(&view).map_err(game_fault)?;
    if let Some(stranger) = files.keys().find(|p| seats.iter().all(|s| s.player != **p)) {
        let players: Vec<&str> = seats.iter().map(|s| s.player.as_str()).collect();
        return Err(Fault::input(
            format!("this game has no player `{stranger}`"),
            format!("its players are {}", players.join(", ")),
        ));
    }
    let mut orders = BTreeMap::new();
    let mut assumed = Vec::new();
    let mut unknown = Vec::new();
    for seat in &seats {
        let player = &seat.player;
        let (submission, words) = match files.remove(player) {
            Some(source) => {
                let seen = game.view(&view, &Viewer::Player(player.clone())).map_err(game_fault)?;
                let checked = game.check(&seen, player, &source).map_err(game_fault)?;
                write!(desk.err, "{}", render_all(&checked.faults, &source, desk.colour))?;
                let accepted = some(checked.accepted, "order");
                let words = format!("{}: {accepted}, {} refused", source.name, checked.refused);
                (Submission::File(source), words)
            }
            None if outlook.asks.contains(player) => {
                unknown.push(player.to_string());
                (Submission::Missing, "no file: the defaults".to_owned())
            }
            None => (Submission::Idle, "not asked".to_owned()),
        };
        assumed.push((player.clone(), words));
        orders.insert(player.clone(), submission);
    }
    let trials = game.trials(&view, &orders).map_err(game_fault)?;
    let found =
        simulate(&*trials, args.runs, &Hex64::digest(args.seed.as_bytes())).map_err(game_fault)?;
    if desk.json {
        let mut value = found.to_json();
        value["seed"] = args.seed.as_str().into();
        value["heading"] = outlook.heading.into();
        value["orders"] = assumed
            .iter()
            .map(|(p, words)| (p.to_string(), serde_json::Value::from(words.as_str())))
            .collect();
        writeln!(desk.out, "{value}")?;
        return Ok(0);
    }
    writeln!(desk.out, "ODDS   {} resolutions, seed `{}`", args.runs, args.seed)?;
    writeln!(desk.out, "{}", outlook.heading)?;
    for (player, words) in &assumed {
        writeln!(desk.out, "  {player:<18} {words}")?;
    }
    if !unknown.is_empty() {
        let text =
            format!("What {} will order is not known. {}", unknown.join(", "), outlook.default);
        writeln!(desk.out, "{}", wrap(&text))?;
    }
    if game.scenario().sealed {
        let text = "What this view does not show is not counted: hidden things may change \
                    every figure.";
        writeln!(desk.out, "{}", wrap(text))?;
    }
    write!(desk.out, "\n{}", found.render())?;
    Ok(0)
}

/// An order file with the player that its header names.
fn order_file(desk: &Desk<'_>, path: &Path) -> Result<(Id, Source), Fault> {
    #[derive(serde::Deserialize)]
    struct Named {
        player: String,
    }
    let full = desk.path(path);
    let bytes = std::fs::read(&full).map_err(Fault::file("read", &full))?;
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let check = format!("`despatch check {}` shows every fault", path.display());
    let bounce = |why: &str| {
        Fault::refused(format!("`{}` would bounce: {why}", path.display()), check.clone())
    };
    let source = Source::from_bytes(&name, &bytes).map_err(|fault| bounce(&fault.message))?;
    toml::from_str::<toml::Table>(&source.text).map_err(|fault| bounce(fault.message()))?;
    let named: Named = toml::from_str(&source.text)
        .map_err(|_| bounce("its header names no player (player = \"...\")"))?;
    let player = Id::player(&named.player).map_err(|fault| bounce(&fault.to_string()))?;
    Ok((player, source))
}
