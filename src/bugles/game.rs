//! The rule system as the rest of the program sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::core::dice::Roller;
use crate::core::id::Id;
use crate::core::last::Last;
use crate::core::source::Source;
use crate::core::viewer::Viewer;
use crate::game::layout::Layout;
use crate::game::part::{self, event_log};
use crate::game::{
    Answer, Checked, FormHeader, Game, GameError, Outlook, PhaseInput, Question, Resolution,
    RulesFault, RulesFiles, ScenarioInfo, Seat, Submission, Trials,
};

use super::ask::ask;
use super::check::{Writer, plan};
use super::data::{Army, Data};
use super::describe::describe;
use super::difference::difference;
use super::form::{default_words, form};
use super::map;
use super::odds;
use super::report::{Material, heading, report};
use super::resolve::{Part, asks, resolve};
use super::state::{State, Window};
use super::table::Table;
use super::tactics;
use super::understood::understood;
use super::view::view;

/// A loaded game of this system.
#[derive(Debug)]
pub struct Bugles {
    data: Data,
    layout: Layout,
    /// The state that was read last: a command asks several things of it.
    read: Last<String, State>,
}

impl Bugles {
    /// Loads the rules files of a game.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        Ok(Self { data: Data::load(files)?, layout: Layout::default(), read: Last::default() })
    }

    /// The data, for tests and tools of this system.
    pub fn data(&self) -> &Data {
        &self.data
    }

    fn state(&self, text: &str) -> Result<Arc<State>, GameError> {
        self.read.get(text, || State::parse(&self.data, text))
    }

    fn outlook_of(&self, state: &State) -> Outlook {
        let over = state.window == Window::End;
        Outlook {
            window: (!over).then(|| state.window.id().to_owned()),
            asks: asks(&self.data, state),
            heading: if over {
                "the game is over".to_owned()
            } else {
                let title = state.window.title(self.data.cadence);
                format!("{}, {title}", heading(&self.data, state))
            },
            default: default_words(&self.data, state),
            result: state.result.clone(),
        }
    }
}

impl Game for Bugles {
    fn scenario(&self) -> &ScenarioInfo {
        &self.data.scenario.info
    }

    fn initial_state(&self, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        Ok(State::initial(&self.data, game, seats).to_text(&self.data, None))
    }

    fn continued_state(&self, old: &str, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        let mut state = State::parse(&self.data, old)?;
        let fits = match (state.window, self.data.cadence) {
            (Window::Turn, cadence) => cadence == super::data::Cadence::Single,
            (Window::Orders | Window::Action, cadence) => cadence != super::data::Cadence::Single,
            (Window::Mahdist, cadence) => cadence == super::data::Cadence::Strict,
            (Window::Muster | Window::Deploy | Window::End, _) => true,
        };
        if !fits {
            let window = state.window.id();
            return Err(GameError::Contradicted(format!(
                "the window to come is {window}, which this cadence does not have"
            )));
        }
        state.game = game.to_string();
        state.phase = 0;
        state.seats = seats.to_vec();
        Ok(state.to_text(&self.data, None))
    }

    fn outlook(&self, state: &str) -> Result<Outlook, GameError> {
        Ok(self.outlook_of(&*self.state(state)?))
    }

    fn seats(&self, state: &str) -> Result<Vec<Seat>, GameError> {
        Ok(self.state(state)?.seats.clone())
    }

    fn view(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        let shown = view(&self.data, &*self.state(state)?, viewer);
        Ok(shown.to_text(&self.data, Some(&viewer.to_string())))
    }

    fn form(&self, view: &str, header: &FormHeader) -> Result<String, GameError> {
        Ok(form(&self.data, &*self.state(view)?, header)?)
    }

    fn check(&self, view: &str, player: &Id, file: &Source) -> Result<Checked, GameError> {
        let state = self.state(view)?;
        let (plan, faults) = plan(&self.data, &state, Writer::Player(player), file);
        Ok(Checked {
            faults,
            understood: understood(&self.data, &state, &plan),
            accepted: plan.accepted(),
            refused: plan.refusals.len(),
        })
    }

    fn adjudicate(&self, input: &PhaseInput, dice: &mut Roller) -> Result<Resolution, GameError> {
        let before = self.state(&input.state)?;
        let parts = parts(&self.data, &before, &input.orders);
        let (after, events) =
            resolve(&self.data, State::clone(&before), input.phase, &parts, dice)?;
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
        Ok(Box::new(odds::Trial::new(&self.data, State::clone(&before), parts)))
    }

    fn odds(&self, view: Option<&str>, question: &Question) -> Result<Answer, GameError> {
        let state = view.map(|text| self.state(text)).transpose()?;
        odds::odds(&self.data, state.as_deref(), question)
    }

    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError> {
        let state = self.state(view)?;
        ask(&Table::new(&self.data, &state), question)
    }

    fn map(&self, view: &str) -> Result<String, GameError> {
        let state = self.state(view)?;
        Ok(map::draw(&Table::new(&self.data, &state)))
    }

    fn side_names(&self) -> BTreeMap<String, String> {
        [Army::AngloEgyptian, Army::Mahdist]
            .into_iter()
            .map(|army| (army.id().to_owned(), army.name().to_owned()))
            .collect()
    }

    fn describe(&self) -> String {
        describe(&self.data)
    }

    fn irregular(&self, state: &str) -> Result<Vec<String>, GameError> {
        let state = self.state(state)?;
        Ok(super::irregular::irregular(&self.data, &state))
    }

    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError> {
        let (before, after) = (self.state(before)?, self.state(after)?);
        Ok(difference(&self.data, &before, &after))
    }
}

/// What each player lawfully orders: each file is checked against what its player may
/// see, as when it came. The machine writes a file of its own, from its own view, and
/// is checked as anybody is.
fn parts(data: &Data, before: &State, orders: &BTreeMap<Id, Submission>) -> Vec<Part> {
    let mut out = part::parts(orders, |player, source| {
        let seen = view(data, before, &Viewer::Player(player.clone()));
        plan(data, &seen, Writer::Player(player), source).0
    });
    if data.scenario.machine(Army::Mahdist)
        && let Ok(player) = Id::player("machine")
    {
        let seen = tactics::machine_view(data, before, Army::Mahdist);
        let text = tactics::orders(data, &seen, Army::Mahdist);
        let source = Source::new("machine.toml", &text);
        let plan = plan(data, &seen, Writer::Machine(Army::Mahdist), &source).0;
        out.push(Part { player, submission: "machine", plan });
    }
    out
}
