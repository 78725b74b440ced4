//! The rule system as the rest of the program sees it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::core::dice::Roller;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::viewer::Viewer;
use crate::game::layout::Layout;
use crate::game::part::{self, event_log};
use crate::game::{
    Answer, Checked, FormHeader, Game, GameError, Outlook, PhaseInput, Question, Resolution,
    RulesFault, RulesFiles, ScenarioInfo, Seat, Submission, Trials,
};

use super::ask::ask;
use super::check::plan;
use super::data::{Data, Side};
use super::describe::describe;
use super::form::{default_words, form};
use super::map;
use super::odds;
use super::position::Position;
use super::report::{Material, heading, report};
use super::resolve::{Part, asks, resolve};
use super::state::{State, Window, place_words};
use super::understood::understood;
use super::view::view;

/// A loaded game of this system.
#[derive(Debug)]
pub struct LastOutpost {
    data: Data,
    layout: Layout,
}

impl LastOutpost {
    /// Loads the rules files of a game.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        Ok(Self { data: Data::load(files)?, layout: Layout::default() })
    }

    /// The data, for tests and tools of this system.
    pub fn data(&self) -> &Data {
        &self.data
    }

    fn state(&self, text: &str) -> Result<State, GameError> {
        State::parse(&self.data, text)
    }

    fn outlook_of(&self, state: &State) -> Outlook {
        let over = state.window == Window::End;
        Outlook {
            window: (!over).then(|| state.window.id().to_owned()),
            asks: asks(state),
            heading: if over {
                "the siege is over".to_owned()
            } else {
                format!("{}, {}", heading(&self.data, state), state.window.title())
            },
            default: default_words(&Position::new(&self.data, state)),
            result: state.result.clone(),
        }
    }
}

impl Game for LastOutpost {
    fn scenario(&self) -> &ScenarioInfo {
        &self.data.info
    }

    fn initial_state(&self, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        Ok(State::initial(&self.data, game, seats).to_text(&self.data, None))
    }

    fn continued_state(&self, old: &str, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        let mut state = self.state(old)?;
        let strict = match state.window {
            Window::Assault => Some(false),
            Window::Launch | Window::Round => Some(true),
            _ => None,
        };
        if strict.is_some_and(|strict| strict != self.data.strict) {
            let cadence = if self.data.strict { "strict" } else { "brisk" };
            let window = state.window.title();
            return Err(GameError::Contradicted(format!(
                "the window to come is {window}, which cadence {cadence} does not have"
            )));
        }
        state.game = game.to_string();
        state.phase = 0;
        state.seats = seats.to_vec();
        state.doctrine.retain(|player, _| seats.iter().any(|seat| seat.player == *player));
        for wave in &mut state.waves {
            let same = seats.iter().any(|seat| seat.player == wave.player);
            let other = seats.iter().find(|seat| seat.side == Side::Mahdist.id());
            if let (false, Some(other)) = (same, other) {
                wave.player = other.player.clone();
            }
        }
        Ok(state.to_text(&self.data, None))
    }

    fn outlook(&self, state: &str) -> Result<Outlook, GameError> {
        Ok(self.outlook_of(&self.state(state)?))
    }

    fn seats(&self, state: &str) -> Result<Vec<Seat>, GameError> {
        Ok(self.state(state)?.seats)
    }

    fn view(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        let shown = view(&self.data, &self.state(state)?, viewer);
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
            understood: understood(&position, &plan),
            accepted: plan.accepted(),
            refused: plan.refusals.len(),
        })
    }

    fn adjudicate(&self, input: &PhaseInput, dice: &mut Roller) -> Result<Resolution, GameError> {
        let before = self.state(&input.state)?;
        let parts = parts(&self.data, &before, &input.orders);
        let (after, events) = resolve(&self.data, before.clone(), input.phase, &parts, dice)?;
        let outlook = self.outlook_of(&after);
        let material = Material {
            data: &self.data,
            before: &before,
            after: &after,
            events: &events,
            rolls: dice.rolls().len(),
            phase: input.phase,
            prev: &input.prev,
            rehearsal: input.rehearsal,
            outlook: &outlook,
        };
        let sheet = self.layout.sheet(&self.data.files)?;
        let mut reports = BTreeMap::new();
        for viewer in [Viewer::Referee, Viewer::Public]
            .into_iter()
            .chain(input.orders.keys().cloned().map(Viewer::Player))
        {
            let made = report(&sheet, &material, &viewer)?;
            reports.insert(viewer, made);
        }
        let log = event_log(&events)?;
        Ok(Resolution { events: log, state: after.to_text(&self.data, None), reports, outlook })
    }

    fn trials<'a>(
        &'a self,
        view: &str,
        orders: &BTreeMap<Id, Submission>,
    ) -> Result<Box<dyn Trials + 'a>, GameError> {
        let before = self.state(view)?;
        let parts = parts(&self.data, &before, orders);
        Ok(Box::new(odds::Window::new(&self.data, before, parts)))
    }

    fn odds(&self, _view: Option<&str>, question: &Question) -> Result<Answer, GameError> {
        odds::odds(&self.data, question)
    }

    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError> {
        let state = self.state(view)?;
        ask(&Position::new(&self.data, &state), question)
    }

    fn map(&self, view: &str) -> Result<String, GameError> {
        let state = self.state(view)?;
        let position = Position::new(&self.data, &state);
        let mut out = map::draw(&position).join("\n");
        let _ = write!(out, "\n\n{}\n\n", map::LEGEND);
        for line in map::places(&position) {
            out.push_str(&crate::core::template::wrap(&line, 0, 4, 72));
            out.push('\n');
        }
        Ok(out)
    }

    fn side_names(&self) -> BTreeMap<String, String> {
        Side::BOTH.iter().map(|s| (s.id().to_owned(), s.name().to_owned())).collect()
    }

    fn describe(&self) -> String {
        describe(&self.data)
    }

    fn irregular(&self, state: &str) -> Result<Vec<String>, GameError> {
        let state = self.state(state)?;
        Ok(super::irregular::irregular(&self.data, &state))
    }

    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError> {
        let (a, b) = (self.state(before)?, self.state(after)?);
        Ok(difference(&self.data, &a, &b))
    }
}

/// What each player lawfully orders: each file is checked against what its player may
/// see, as when it came.
fn parts(data: &Data, before: &State, orders: &BTreeMap<Id, Submission>) -> Vec<Part> {
    part::parts(orders, |player, source| {
        let seen = view(data, before, &Viewer::Player(player.clone()));
        plan(&Position::new(data, &seen), player, source).0
    })
}

/// What changed between two positions, for everybody to read: what both sides see of
/// it, and of a secret no more than whose it is.
fn difference(data: &Data, before: &State, after: &State) -> Vec<String> {
    let compound = &data.compound;
    let open = |state: &State| view(data, state, &Viewer::Public);
    let (old, new) = (open(before), open(after));
    let mut out = Vec::new();
    for id in data.ids() {
        let word = |s: &State| {
            let figure = s.figure(id);
            let wounded = if figure.wounded { ", wounded" } else { "" };
            let loads = if figure.loaded { "" } else { ", empty" };
            let wave = figure.wave.map_or(String::new(), |n| format!(", wave-{n}"));
            format!("{}{wounded}{loads}{wave}", place_words(data, s.place(id)))
        };
        let (x, y) = (word(&old), word(&new));
        if x != y {
            out.push(format!("{}: {x} -> {y}", data.figure(id).id));
        }
    }
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let list = |words: Vec<String>| {
        if words.is_empty() { "none".to_owned() } else { words.join("; ") }
    };
    let waves = |s: &State| {
        let word = |w: &super::state::Wave| {
            format!(
                "wave-{} of {} at {}, move {}, {} casualties",
                w.number,
                w.player,
                compound.wall(w.target).id,
                w.moves,
                w.casualties
            )
        };
        list(s.waves.iter().map(word).collect())
    };
    let guns = |s: &State| {
        let word = |g: super::data::GunId| {
            let gun = s.guns[g.at()];
            let state = match (gun.disabled, gun.silent, gun.loading) {
                (true, ..) => "disabled".to_owned(),
                (_, true, _) => "silent".to_owned(),
                (_, _, Some(n)) => format!("loading {n}"),
                _ => "ready".to_owned(),
            };
            format!("{} {state}", compound.gun(g).id)
        };
        list(compound.gun_ids().map(word).collect())
    };
    let opened = |s: &State| {
        let word = |(from, to): &(super::data::WallId, super::data::WallId)| {
            format!("{} to those before {}", compound.wall(*to).id, compound.wall(*from).id)
        };
        list(s.opened.iter().map(word).collect())
    };
    let seats = |s: &State| {
        let word =
            |seat: &Seat| format!("{} {} ({})", seat.player, seat.side, seat.commands.join(", "));
        list(s.seats.iter().map(word).collect())
    };
    let result = |s: &State| s.result.clone().unwrap_or_else(|| "none yet".to_owned());
    for (what, x, y) in [
        ("day", old.day.to_string(), new.day.to_string()),
        ("round", old.round.to_string(), new.round.to_string()),
        ("window", old.window.id().to_owned(), new.window.id().to_owned()),
        ("markers in play", old.markers.to_string(), new.markers.to_string()),
        ("Mahdist casualties", old.casualties.to_string(), new.casualties.to_string()),
        ("forced assault", yes(old.forced), yes(new.forced)),
        ("points at the tower", old.tower.to_string(), new.tower.to_string()),
        ("rounds the yard was held", old.held.to_string(), new.held.to_string()),
        ("patients slain", yes(old.massacred), yes(new.massacred)),
        ("guns", guns(&old), guns(&new)),
        ("waves", waves(&old), waves(&new)),
        ("sections opened", opened(&old), opened(&new)),
        ("idle rounds", old.idle.to_string(), new.idle.to_string()),
        ("players", seats(&old), seats(&new)),
        ("result", result(&old), result(&new)),
    ] {
        if x != y {
            out.push(format!("{what}: {x} -> {y}"));
        }
    }
    for seat in &after.seats {
        if before.doctrine.get(&seat.player) != after.doctrine.get(&seat.player) {
            out.push(format!("what {} has standing: changed; sealed until the close", seat.player));
        }
    }
    // Never nothing for two positions that differ: the caller would print their text.
    if out.is_empty() && before != after {
        out.push("something that one side alone knows: changed; sealed until the close".to_owned());
    }
    out
}
