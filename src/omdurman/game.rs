//! The rule system as the rest of the program sees it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::core::dice::Roller;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::template::TemplateError;
use crate::core::viewer::Viewer;
use crate::game::{
    Answer, Checked, FormHeader, Game, GameError, Outlook, PhaseInput, Question, Resolution,
    RulesFault, RulesFiles, ScenarioInfo, Seat, Submission, Trials,
};

use super::ask::ask;
use super::check::{Plan, path_words, plan};
use super::data::{Army, Data};
use super::form::{default_words, form};
use super::map;
use super::odds;
use super::position::Position;
use super::report::{Material, heading, report, sheet};
use super::resolve::{Part, asks, resolve};
use super::state::{Place, State, Window};
use super::view::view;

/// A loaded game of this system.
#[derive(Debug)]
pub struct Omdurman {
    data: Data,
}

impl Omdurman {
    /// Loads the rules files of a game.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        Ok(Self { data: Data::load(files)? })
    }

    /// The data, for tests and tools of this system.
    pub fn data(&self) -> &Data {
        &self.data
    }

    fn state(&self, text: &str) -> Result<State, GameError> {
        State::parse(&self.data, text)
    }

    fn outlook_of(&self, state: &State) -> Outlook {
        let position = Position::new(&self.data, state);
        let over = state.window == Window::End;
        Outlook {
            window: (!over).then(|| state.window.id().to_owned()),
            asks: if over { Vec::new() } else { asks(&self.data, state) },
            heading: if over {
                "the game is over".to_owned()
            } else {
                format!("{}, {}", heading(&self.data, state), state.window.title())
            },
            default: default_words(&position),
            result: state.result.clone(),
        }
    }
}

impl From<TemplateError> for GameError {
    fn from(error: TemplateError) -> Self {
        Self::State(error.to_string())
    }
}

impl Game for Omdurman {
    fn scenario(&self) -> &ScenarioInfo {
        &self.data.scenario.info
    }

    fn initial_state(&self, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        Ok(State::initial(&self.data, game, seats).to_text(&self.data, None))
    }

    fn continued_state(&self, old: &str, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        let mut state = self.state(old)?;
        let grouped = state.window == Window::Combat;
        let single = matches!(state.window, Window::Defence | Window::Offence | Window::Melee);
        if (self.data.strict && grouped) || (!self.data.strict && single) {
            let cadence = if self.data.strict { "strict" } else { "brisk" };
            let window = state.window.title();
            return Err(GameError::Contradicted(format!(
                "the window to come is {window}, which cadence {cadence} does not have"
            )));
        }
        state.game = game.to_string();
        state.phase = 0;
        state.seats = seats.to_vec();
        state.standing.retain(|player, _| seats.iter().any(|seat| seat.player == *player));
        Ok(state.to_text(&self.data, None))
    }

    fn outlook(&self, state: &str) -> Result<Outlook, GameError> {
        Ok(self.outlook_of(&self.state(state)?))
    }

    fn seats(&self, state: &str) -> Result<Vec<Seat>, GameError> {
        Ok(self.state(state)?.seats)
    }

    fn view(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        let shown = view(&self.state(state)?, viewer);
        Ok(shown.to_text(&self.data, Some(&viewer.to_string())))
    }

    fn form(&self, view: &str, header: &FormHeader) -> Result<String, GameError> {
        let state = self.state(view)?;
        Ok(form(&Position::new(&self.data, &state), header)?)
    }

    fn check(&self, view: &str, player: &Id, file: &Source) -> Result<Checked, GameError> {
        let state = self.state(view)?;
        let position = Position::new(&self.data, &state);
        let (plan, faults) = plan(&position, player, file);
        Ok(Checked {
            faults,
            understood: understood(&position, player, &plan),
            accepted: plan.accepted(),
            refused: plan.refusals.len(),
        })
    }

    fn adjudicate(&self, input: &PhaseInput, dice: &mut Roller) -> Result<Resolution, GameError> {
        let before = self.state(&input.state)?;
        let parts = parts(&Position::new(&self.data, &before), &input.orders);
        let (after, events) = resolve(&self.data, before.clone(), input.phase, &parts, dice)?;
        let outlook = self.outlook_of(&after);
        let material = Material {
            data: &self.data,
            before: &before,
            after: &after,
            events: &events,
            rolls: dice.rolls(),
            phase: input.phase,
            prev: &input.prev,
            rehearsal: input.rehearsal,
            outlook: &outlook,
        };
        let sheet = sheet(&self.data)?;
        let mut reports = BTreeMap::new();
        for viewer in [Viewer::Referee, Viewer::Public]
            .into_iter()
            .chain(input.orders.keys().cloned().map(Viewer::Player))
        {
            let made = report(&sheet, &material, &viewer)?;
            reports.insert(viewer, made);
        }
        let mut log = String::new();
        for event in &events {
            let line = serde_json::to_string(event)
                .map_err(|e| GameError::State(format!("an event has no JSON form: {e}")))?;
            log.push_str(&line);
            log.push('\n');
        }
        Ok(Resolution { events: log, state: after.to_text(&self.data, None), reports, outlook })
    }

    fn trials<'a>(
        &'a self,
        view: &str,
        orders: &BTreeMap<Id, Submission>,
    ) -> Result<Box<dyn Trials + 'a>, GameError> {
        let before = self.state(view)?;
        let parts = parts(&Position::new(&self.data, &before), orders);
        Ok(Box::new(odds::Window::new(&self.data, before, parts)))
    }

    fn odds(&self, view: Option<&str>, question: &Question) -> Result<Answer, GameError> {
        let state = view.map(|text| self.state(text)).transpose()?;
        let position = state.as_ref().map(|state| Position::new(&self.data, state));
        odds::odds(&self.data, position.as_ref(), question)
    }

    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError> {
        let state = self.state(view)?;
        ask(&Position::new(&self.data, &state), question)
    }

    fn map(&self, view: &str) -> Result<String, GameError> {
        let state = self.state(view)?;
        let drawn = map::draw(&Position::new(&self.data, &state));
        Ok(format!("{drawn}\n{}", map::LEGEND))
    }

    fn side_names(&self) -> BTreeMap<String, String> {
        let word = |army: Army| match army {
            Army::AngloEgyptian => "anglo-egyptian",
            Army::Dervish => "dervish",
        };
        let sides = &self.data.scenario.sides;
        sides.iter().map(|side| (word(side.army).to_owned(), side.name.clone())).collect()
    }

    fn describe(&self) -> String {
        describe(&self.data)
    }

    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError> {
        let (a, b) = (self.state(before)?, self.state(after)?);
        let mut out = Vec::new();
        for id in self.data.ids() {
            if a.unit(id) != b.unit(id) {
                let word = |s: &State| match &s.unit(id).place {
                    Place::Waiting => "off the map".to_owned(),
                    Place::At(hex) => {
                        format!("{hex}{}", if s.disrupted(id) { " disrupted" } else { "" })
                    }
                    Place::Eliminated(when) => format!("eliminated ({when})"),
                    Place::Out => "out of the game".to_owned(),
                };
                out.push(format!("{}: {} -> {}", self.data.unit(id).id, word(&a), word(&b)));
            }
        }
        for (what, x, y) in [
            ("turn", a.turn.to_string(), b.turn.to_string()),
            (
                "player-turn",
                self.data.side(a.moving).id.clone(),
                self.data.side(b.moving).id.clone(),
            ),
            ("window", a.window.id().to_owned(), b.window.id().to_owned()),
            ("breaches", format!("{:?}", a.breaches), format!("{:?}", b.breaches)),
            ("seats", format!("{:?}", a.seats), format!("{:?}", b.seats)),
            ("standing orders", format!("{:?}", a.standing), format!("{:?}", b.standing)),
            ("result", format!("{:?}", a.result), format!("{:?}", b.result)),
        ] {
            if x != y {
                out.push(format!("{what}: {x} -> {y}"));
            }
        }
        Ok(out)
    }
}

/// What each player lawfully orders.
fn parts(position: &Position<'_>, orders: &BTreeMap<Id, Submission>) -> Vec<Part> {
    let part = |(player, submission): (&Id, &Submission)| {
        let (submission, plan) = match submission {
            Submission::File(source) => ("file", plan(position, player, source).0),
            Submission::Missing => ("missing", Plan::default()),
            Submission::Idle => ("idle", Plan::default()),
        };
        Part { player: player.clone(), submission, plan }
    };
    orders.iter().map(part).collect()
}

/// The orders as understood, for the receipt.
fn understood(position: &Position<'_>, player: &Id, plan: &Plan) -> Vec<String> {
    let data = position.data;
    let names = |ids: &[super::data::UnitId]| {
        ids.iter().map(|id| data.unit(*id).id.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut out = Vec::new();
    for order in &plan.places {
        out.push(format!(
            "place {} in {}",
            names(&order.get().units),
            position.hex_words(order.get().hex)
        ));
    }
    for order in &plan.moves {
        // Units with the same way are one line.
        let mut groups: Vec<(Vec<String>, &super::movement::Walk)> = Vec::new();
        for (id, walk) in &order.get().walks {
            let name = data.unit(*id).id.clone();
            match groups.iter_mut().find(|g| g.1 == walk) {
                Some(group) => group.0.push(name),
                None => groups.push((vec![name], walk)),
            }
        }
        for (names, walk) in groups {
            let names = names.join(", ");
            let to = walk.path.last().map_or(String::new(), ToString::to_string);
            let verb = if order.get().entering {
                format!("enters -> {to}")
            } else if walk.path.len() < 2 {
                out.push(format!("{names} stays in {to}"));
                continue;
            } else {
                format!("{} -> {to}", walk.path[0])
            };
            let (cost, allowance) = (walk.cost, walk.allowance);
            let path = path_words(&walk.path);
            out.push(format!("{names} {verb}   {cost} MP of {allowance}   {path}"));
        }
    }
    for order in &plan.fires {
        let at: Vec<String> = order.get().at.iter().map(ToString::to_string).collect();
        let advance = if order.get().advance == Some(true) { ", then advance" } else { "" };
        out.push(format!("fire {} at {}{advance}", names(&order.get().units), at.join(", else ")));
    }
    if !plan.holds.is_empty() {
        let ids: Vec<super::data::UnitId> = plan.holds.iter().copied().collect();
        out.push(format!("hold fire: {}", names(&ids)));
    }
    for order in &plan.melees {
        let at: Vec<String> = order.get().at.iter().map(ToString::to_string).collect();
        out.push(format!("melee {} at {}", names(&order.get().units), at.join(", else ")));
    }
    if let Some(losses) = &plan.losses {
        out.push(format!("losses in this phase: {}", losses.join(", ")));
    }
    if let Some(standing) = &plan.standing {
        let mut words = Vec::new();
        if !standing.losses.is_empty() {
            words.push(format!("losses {}", standing.losses.join(", ")));
        }
        if let Some(fire) = &standing.fire {
            words.push(format!("fire {fire}"));
        }
        if let Some(advance) = standing.advance {
            words.push(format!("advance {advance}"));
        }
        out.push(format!("standing orders: {}", words.join("; ")));
    }
    let _ = player;
    out.push(format!("everybody else: {}", default_words(position)));
    out
}

/// `games show`: sides, counters, charts and rulings, with where each figure comes
/// from.
fn describe(data: &Data) -> String {
    let mut out = String::new();
    let scenario = &data.scenario;
    let _ = writeln!(out, "{}\n{}\n", scenario.info.title, scenario.info.summary);
    let night: Vec<String> = scenario.night.iter().map(u32::to_string).collect();
    let _ = writeln!(out, "turns 1 to {}, night: {}", scenario.turns, night.join(", "));
    let _ = writeln!(out, "map: {} ({})", data.board.title, data.board.source);
    out.push_str("\nSIDES AND COMMANDS\n");
    for side in &scenario.sides {
        let _ = writeln!(out, "  {} ({})", side.id, side.name);
        for command in &side.commands {
            let units: Vec<&str> = data
                .units
                .iter()
                .filter(|u| u.army == side.army && u.command == *command)
                .map(|u| u.id.as_str())
                .collect();
            let text = format!("{}/{command}: {}", side.id, units.join(" "));
            let _ = writeln!(out, "{}", crate::core::template::wrap(&text, 4, 8, 72));
        }
    }
    out.push_str("\nCOUNTERS (fire-melee-movement)\n");
    let mut seen: Vec<String> = Vec::new();
    for unit in &data.units {
        let line = format!(
            "{} {} {}, {}: {}",
            unit.name,
            unit.factors(),
            unit.kind.name(),
            unit.weapon.name(),
            unit.source
        );
        if !seen.contains(&line) {
            let _ = writeln!(out, "{}", crate::core::template::wrap(&line, 2, 6, 72));
            seen.push(line);
        }
    }
    out.push_str("\nCHARTS (charts.toml; correct a figure with --games DIR)\n");
    if let Some(text) = data.files.get("charts.toml") {
        for line in text.lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out.push_str("\nRULINGS (* the choice in force)\n");
    for ruling in &data.rulings.all {
        let _ = writeln!(out, "  {} [{}]", ruling.name, ruling.rule);
        for (choice, text) in &ruling.choices {
            let mark = if *choice == ruling.choice { "*" } else { " " };
            let note = if *choice == ruling.default { " (default)" } else { "" };
            let line = format!("{mark} {choice}{note}: {text}");
            let _ = writeln!(out, "{}", crate::core::template::wrap(&line, 4, 8, 72));
        }
    }
    out
}
