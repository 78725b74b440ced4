//! The rule system as the rest of the program sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use crate::core::dice::Roller;
use crate::core::hash::Hex64;
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
use super::check::plan;
use super::data::{Army, Data};
use super::describe::describe;
use super::form::{default_words, form};
use super::map;
use super::odds;
use super::position::Position;
use super::report::{Material, Shown, heading, report};
use super::resolve::{Part, asks, resolve};
use super::state::{Note, Place, State, Window};
use super::understood::understood;
use super::view::{knows_the_river, view};

/// A loaded game of this system.
#[derive(Debug)]
pub struct Omdurman {
    data: Data,
    layout: Layout,
    /// The state that was read last: a command asks several things of it.
    read: Last<String, State>,
    /// The map that was drawn last: most of the time the sides see the same.
    drawn: Last<State, String>,
}

impl Omdurman {
    /// Loads the rules files of a game.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        Ok(Self {
            data: Data::load(files)?,
            layout: Layout::default(),
            read: Last::default(),
            drawn: Last::default(),
        })
    }

    /// The data, for tests and tools of this system.
    pub fn data(&self) -> &Data {
        &self.data
    }

    fn state(&self, text: &str) -> Result<Arc<State>, GameError> {
        self.read.get(text, || State::parse(&self.data, text))
    }

    fn drawn(&self, state: &State) -> String {
        let drawn = self.drawn.get(state, || {
            let map = map::draw(&Position::new(&self.data, state));
            Ok::<_, Infallible>(format!("{map}\n{}", map::legend(&self.data)))
        });
        match drawn {
            Ok(drawn) => drawn.to_string(),
        }
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

impl Game for Omdurman {
    fn scenario(&self) -> &ScenarioInfo {
        &self.data.scenario.info
    }

    fn initial_state(&self, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        Ok(State::initial(&self.data, game, seats).to_text(&self.data, None))
    }

    fn continued_state(&self, old: &str, game: &Id, seats: &[Seat]) -> Result<String, GameError> {
        let mut state = State::parse(&self.data, old)?;
        let grouped = state.window == Window::Combat;
        let fights = state.window.has_fire() || state.window.has_melee();
        let single = fights && !grouped;
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
        let state = self.state(state)?;
        Ok(self.outlook_of(&state))
    }

    fn seats(&self, state: &str) -> Result<Vec<Seat>, GameError> {
        Ok(self.state(state)?.seats.clone())
    }

    fn view(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        let state = self.state(state)?;
        let shown = view(&self.data, &state, viewer);
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
        let viewers: Vec<Viewer> = [Viewer::Referee, Viewer::Public]
            .into_iter()
            .chain(input.orders.keys().cloned().map(Viewer::Player))
            .collect();
        self.again(input, dice, &viewers)
    }

    fn again(
        &self,
        input: &PhaseInput,
        dice: &mut Roller,
        viewers: &[Viewer],
    ) -> Result<Resolution, GameError> {
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
        let shown = Shown::gather(&material).map_err(no_json)?;
        for viewer in viewers {
            let shown = &shown[usize::from(knows_the_river(&self.data, &after, viewer))];
            reports.insert(viewer.clone(), report(&sheet, &material, shown, viewer)?);
        }
        let log = event_log(&events)?;
        Ok(Resolution { events: log, state: after.to_text(&self.data, None), reports, outlook })
    }

    fn notes(&self, state: &str) -> Result<Vec<(Hex64, String)>, GameError> {
        let state = self.state(state)?;
        let salted = |n: &Note| Some((n.salt.parse().ok()?, format!("{}\n", n.text)));
        Ok(state.river.notes.iter().filter_map(salted).collect())
    }

    fn trials<'a>(
        &'a self,
        view: &str,
        orders: &BTreeMap<Id, Submission>,
    ) -> Result<Box<dyn Trials + 'a>, GameError> {
        let before = self.state(view)?;
        let parts = parts(&self.data, &before, orders);
        Ok(Box::new(odds::Window::new(&self.data, State::clone(&before), parts)))
    }

    fn odds(&self, view: Option<&str>, question: &Question) -> Result<Answer, GameError> {
        let state = view.map(|text| self.state(text)).transpose()?;
        let position = state.as_deref().map(|state| Position::new(&self.data, state));
        odds::odds(&self.data, position.as_ref(), question)
    }

    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError> {
        let state = self.state(view)?;
        ask(&Position::new(&self.data, &state), question)
    }

    fn map(&self, view: &str) -> Result<String, GameError> {
        let state = self.state(view)?;
        Ok(self.drawn(&state))
    }

    fn map_for(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        let state = self.state(state)?;
        Ok(self.drawn(&view(&self.data, &state, viewer)))
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

    fn irregular(&self, state: &str) -> Result<Vec<String>, GameError> {
        let state = self.state(state)?;
        Ok(super::irregular::irregular(&self.data, &state))
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
                    Place::Aboard { boat, .. } => format!("aboard {}", self.data.unit(*boat).id),
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
            ("victory points", points(&self.data, &a), points(&self.data, &b)),
        ] {
            if x != y {
                out.push(format!("{what}: {x} -> {y}"));
            }
        }
        // The rest in the words of the states.
        let parts = |text: &str| {
            let mut table: toml::Table = toml::from_str(text).unwrap_or_default();
            let standing = table.remove("standing");
            let keys = ["breaches", "zariba", "tasks", "damaged", "chained", "result"];
            table.retain(|key, _| keys.contains(&key));
            for (player, orders) in standing.iter().filter_map(toml::Value::as_table).flatten() {
                table.insert(format!("standing orders of {player}"), orders.clone());
            }
            table
        };
        let (x, y) = (parts(before), parts(after));
        let keys: BTreeSet<&String> = x.keys().chain(y.keys()).collect();
        for key in keys.into_iter().filter(|key| x.get(*key) != y.get(*key)) {
            let word = |table: &toml::Table| {
                table.get(key).map_or_else(|| "none".to_owned(), ToString::to_string)
            };
            out.push(format!("{key}: {} -> {}", word(&x), word(&y)));
        }
        Ok(out)
    }
}

#[allow(clippy::needless_pass_by_value)] // so that it fits `map_err`
fn no_json(fault: serde_json::Error) -> GameError {
    GameError::State(format!("an event has no JSON form: {fault}"))
}

/// The victory points of a position, in words.
fn points(data: &Data, state: &State) -> String {
    state.score.iter().map(|s| s.words(data)).collect::<Vec<_>>().join("; ")
}

/// What each player lawfully orders: each file is checked against what its player may
/// see, as when it came.
fn parts(data: &Data, before: &State, orders: &BTreeMap<Id, Submission>) -> Vec<Part> {
    part::parts(orders, |player, source| {
        let seen = view(data, before, &Viewer::Player(player.clone()));
        plan(&Position::new(data, &seen), player, source).0
    })
}
