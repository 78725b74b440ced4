//! The rule system as the rest of the program sees it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::core::dice::Roller;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::viewer::Viewer;
use crate::game::{
    Answer, Checked, FormHeader, Game, GameError, Outlook, PhaseInput, Question, Resolution,
    RulesFault, RulesFiles, ScenarioInfo, Seat, Submission, Trials,
};

use super::ask::ask;
use super::check::{Plan, plan};
use super::data::{Data, Side};
use super::describe::describe;
use super::form::{default_words, form};
use super::map;
use super::odds;
use super::position::Position;
use super::report::{Material, heading, report, sheet};
use super::resolve::{Part, asks, resolve};
use super::state::{State, Window, place_words};
use super::understood::understood;
use super::view::view;

/// A loaded game of this system.
#[derive(Debug)]
pub struct LastOutpost {
    data: Data,
}

impl LastOutpost {
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

    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError> {
        let (a, b) = (self.state(before)?, self.state(after)?);
        let mut out = Vec::new();
        for id in self.data.ids() {
            if a.figure(id) != b.figure(id) {
                let word = |s: &State| {
                    let wounded = if s.figure(id).wounded { ", wounded" } else { "" };
                    let place = place_words(&self.data, s.place(id));
                    let loads = if s.figure(id).loaded { "" } else { ", empty" };
                    format!("{place}{wounded}{loads}")
                };
                out.push(format!("{}: {} -> {}", self.data.figure(id).id, word(&a), word(&b)));
            }
        }
        for (what, x, y) in [
            ("day", a.day.to_string(), b.day.to_string()),
            ("round", a.round.to_string(), b.round.to_string()),
            ("window", a.window.id().to_owned(), b.window.id().to_owned()),
            ("markers", a.markers.to_string(), b.markers.to_string()),
            ("casualties", a.casualties.to_string(), b.casualties.to_string()),
            ("forced assault", a.forced.to_string(), b.forced.to_string()),
            ("tower", a.tower.to_string(), b.tower.to_string()),
            ("the yard", a.held.to_string(), b.held.to_string()),
            ("massacre", a.massacred.to_string(), b.massacred.to_string()),
            ("guns", format!("{:?}", a.guns), format!("{:?}", b.guns)),
            ("waves", format!("{:?}", a.waves), format!("{:?}", b.waves)),
            ("opened", format!("{:?}", a.opened), format!("{:?}", b.opened)),
            ("idle rounds", a.idle.to_string(), b.idle.to_string()),
            ("seats", format!("{:?}", a.seats), format!("{:?}", b.seats)),
            ("doctrine", format!("{:?}", a.doctrine), format!("{:?}", b.doctrine)),
            ("result", format!("{:?}", a.result), format!("{:?}", b.result)),
        ] {
            if x != y {
                out.push(format!("{what}: {x} -> {y}"));
            }
        }
        Ok(out)
    }
}

/// What each player lawfully orders: each file is checked against what its player may
/// see, as when it came.
fn parts(data: &Data, before: &State, orders: &BTreeMap<Id, Submission>) -> Vec<Part> {
    let part = |(player, submission): (&Id, &Submission)| {
        let (submission, plan) = match submission {
            Submission::File(source) => {
                let seen = view(data, before, &Viewer::Player(player.clone()));
                ("file", plan(&Position::new(data, &seen), player, source).0)
            }
            Submission::Missing => ("missing", Plan::default()),
            Submission::Idle => ("idle", Plan::default()),
        };
        Part { player: player.clone(), submission, plan }
    };
    orders.iter().map(part).collect()
}
