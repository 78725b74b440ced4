//! The report of a phase: a model made from the events and the view after it, and
//! its layout by `templates/report.txt.j2`.

mod gather;
mod standing;

use std::sync::Arc;

use minijinja::value::{Serde, Value};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::core::dice::Roll;
use crate::core::json::{pretty, pretty_field};
use crate::core::template::{Sheet, TemplateError, normal};
use crate::core::viewer::Viewer;
use crate::game::{Outlook, Report};

use super::data::Data;
use super::events::{Event, Fight, Impact, Rolled};
use super::map;
use super::position::Position;
use super::state::{State, Window};
use super::view::seen;
use gather::Gathered;

/// All that a report is made from.
#[derive(Debug)]
pub struct Material<'a> {
    /// Data of the game.
    pub data: &'a Data,
    /// The state before the phase.
    pub before: &'a State,
    /// The state after it.
    pub after: &'a State,
    /// What happened.
    pub events: &'a [Event],
    /// The public rolls.
    pub rolls: &'a [Roll],
    /// The phase.
    pub phase: u32,
    /// The head before it.
    pub prev: &'a str,
    /// Throw-away dice.
    pub rehearsal: bool,
    /// What comes next.
    pub outlook: &'a Outlook,
}

/// The model of a report; the JSON twin is this, as it stands. What all may see who
/// may see the same is there already, in the form `F` that is wanted.
#[derive(Debug, Serialize)]
struct Model<'a, F> {
    game: &'a str,
    phase: u32,
    window: &'static str,
    window_title: &'static str,
    scenario: &'a str,
    heading: &'a str,
    viewer: &'a str,
    rehearsal: bool,
    rulings: &'a [String],
    head: &'a str,
    orders: &'a F,
    standing: &'a F,
    placed_rule: &'static str,
    placed: &'a F,
    moves: &'a F,
    sections: &'a F,
    others: &'a F,
    skipped: &'a F,
    scored: &'a F,
    position: &'a F,
    dice: &'a F,
    over: &'a F,
    next: &'a Option<NextModel>,
    mine: &'a [Mine],
    mine_by_place: &'a [Group],
    map: &'a F,
    legend: &'static str,
}

/// The parts of a model that many readers share, each in one form: a value for the
/// template, or JSON.
#[derive(Debug)]
struct Shared<F> {
    orders: F,
    standing: F,
    placed: F,
    moves: F,
    sections: F,
    others: F,
    skipped: F,
    scored: F,
    position: F,
    dice: F,
    over: F,
    map: F,
}

#[derive(Debug, PartialEq, Serialize)]
struct OrdersLine {
    player: String,
    submission: String,
    done: u32,
    failed: u32,
    refused: u32,
    total: u32,
    defaulted: Vec<String>,
    outcomes: Vec<OutcomeLine>,
}

#[derive(Debug, PartialEq, Serialize)]
struct OutcomeLine {
    outcome: String,
    line: u32,
    order: String,
    reason: String,
    rule: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct Group {
    place: String,
    units: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct MoveLine {
    units: Vec<String>,
    from: Option<String>,
    to: String,
    path: String,
    cost: u32,
    allowance: u32,
    entered: bool,
}

#[derive(Debug, PartialEq, Serialize)]
struct Section {
    fight: Fight,
    title: String,
    rule: &'static str,
    attackers: Vec<PartLine>,
    defenders: Vec<PartLine>,
    impacts: Vec<String>,
    attack: Rolled,
    defence: Option<Rolled>,
    notes: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize)]
struct PartLine {
    unit: String,
    from: String,
    printed: u32,
    range: u32,
    multiplier: String,
    factors: u32,
    note: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct PositionModel {
    lost: Vec<LostLine>,
    /// How the game stands, in sentences.
    stands: Vec<String>,
    breaches: Vec<String>,
    disrupted: Vec<String>,
    holdings: Vec<Group>,
}

#[derive(Debug, PartialEq, Serialize)]
struct LostLine {
    side: String,
    lost: u32,
    note: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct DieLine {
    label: String,
    spec: String,
    faces: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct OverModel {
    result: String,
    why: Vec<String>,
    rule: String,
}

#[derive(Debug, Serialize)]
struct NextModel {
    phase: u32,
    window: String,
    heading: String,
    asks: Vec<String>,
    default: String,
}

#[derive(Debug, Serialize)]
struct Mine {
    unit: String,
    place: String,
    note: String,
}

/// What a report shows to all who may see the same of the position.
#[derive(Debug)]
pub struct Shown {
    state: State,
    ready: Arc<Ready>,
}

/// The parts that such readers share, for the template and for the JSON twin.
#[derive(Debug)]
struct Ready {
    values: Shared<Value>,
    json: Shared<Box<RawValue>>,
}

impl Shown {
    /// Gathers it for those who may not know what lies in the Nile, and for those who may;
    /// where that makes no difference, once for both.
    ///
    /// # Errors
    /// A part that has no JSON form.
    pub fn gather(m: &Material<'_>) -> Result<[Self; 2], serde_json::Error> {
        let states = [false, true].map(|knows| seen(m.data, m.after, knows));
        if !hides_something(m) {
            let ready = Arc::new(Parts::gather(m, &states[1], true).ready()?);
            return Ok(states.map(|state| Self { state, ready: Arc::clone(&ready) }));
        }
        let [less, more] =
            [false, true].map(|knows| Parts::gather(m, &states[usize::from(knows)], knows));
        let outside = Arc::new(less.ready()?);
        let inside = if less == more { Arc::clone(&outside) } else { Arc::new(more.ready()?) };
        let [a, b] = states;
        Ok([Self { state: a, ready: outside }, Self { state: b, ready: inside }])
    }
}

/// True where something lies in the Nile, or was to lie there, that not all may know of.
fn hides_something(m: &Material<'_>) -> bool {
    let river = |state: &State| !state.river.notes.is_empty() || !state.chained.is_empty();
    let hid =
        |event: &Event| matches!(event, Event::Outcome { order, .. } if order.starts_with("hide "));
    river(m.before) || river(m.after) || m.events.iter().any(hid)
}

/// A form in which a part of a model can be kept ready.
trait Form: Sized {
    fn of<T: Serialize>(part: &T) -> Result<Self, serde_json::Error>;
}

impl Form for Value {
    fn of<T: Serialize>(part: &T) -> Result<Self, serde_json::Error> {
        Ok(Value::from(Serde(part)))
    }
}

impl Form for Box<RawValue> {
    fn of<T: Serialize>(part: &T) -> Result<Self, serde_json::Error> {
        RawValue::from_string(pretty_field(part)?)
    }
}

/// What the events of a phase came to.
#[derive(PartialEq)]
struct Parts {
    told: Gathered,
    scored: Vec<String>,
    position: PositionModel,
    dice: Vec<DieLine>,
    map: Vec<String>,
}

impl Parts {
    fn gather(m: &Material<'_>, state: &State, knows: bool) -> Self {
        let at = Position::new(m.data, state);
        let mut told = Gathered::default();
        for event in m.events {
            told.take(&at, event, knows);
        }
        told.finish();
        Self {
            scored: told.points(),
            position: standing::position_model(m.data, &at),
            dice: m.rolls.iter().map(DieLine::of).collect(),
            map: map::cut(&at, m.events).lines().map(str::to_owned).collect(),
            told,
        }
    }

    fn ready(&self) -> Result<Ready, serde_json::Error> {
        Ok(Ready { values: self.shared()?, json: self.shared()? })
    }

    fn shared<F: Form>(&self) -> Result<Shared<F>, serde_json::Error> {
        let told = &self.told;
        Ok(Shared {
            orders: F::of(&told.orders)?,
            standing: F::of(&told.standing)?,
            placed: F::of(&told.placed)?,
            moves: F::of(&told.moves)?,
            sections: F::of(&told.sections)?,
            others: F::of(&told.others)?,
            skipped: F::of(&told.skipped)?,
            scored: F::of(&self.scored)?,
            position: F::of(&self.position)?,
            dice: F::of(&self.dice)?,
            over: F::of(&told.over)?,
            map: F::of(&self.map)?,
        })
    }
}

/// The report of a viewer, as text and as JSON.
///
/// # Errors
/// A template that cannot be rendered.
pub fn report(
    sheet: &Sheet<'_>,
    material: &Material<'_>,
    shown: &Shown,
    viewer: &Viewer,
) -> Result<Report, TemplateError> {
    let own = Own::new(material, shown, viewer);
    let text = sheet.render(&own.model(material, &shown.ready.values))?;
    let json = pretty(&own.model(material, &shown.ready.json)).unwrap_or_default();
    Ok(Report { text: normal(&text), json })
}

/// `turn 2, Dervish player-turn (day)`, with the time where the track has one.
pub fn heading(data: &Data, state: &State) -> String {
    if state.window.is_setup() {
        return "before turn 1".to_owned();
    }
    let night = if data.night(state.turn) { "night" } else { "day" };
    let at = (state.turn as usize).checked_sub(1).and_then(|i| data.scenario.track.get(i));
    let when = at.map_or(night, String::as_str);
    format!("turn {}, {} player-turn ({when})", state.turn, data.side(state.moving).name)
}

/// More units than this are told by place, not one a line.
const MANY: usize = 60;

/// What a report tells each reader for himself.
struct Own {
    viewer: String,
    heading: String,
    rulings: Vec<String>,
    next: Option<NextModel>,
    mine: Vec<Mine>,
    mine_by_place: Vec<Group>,
}

impl Own {
    fn new(m: &Material<'_>, shown: &Shown, viewer: &Viewer) -> Self {
        let (mine, mine_by_place) = match viewer {
            Viewer::Player(id) => standing::mine(m.data, &shown.state, id, MANY),
            _ => (Vec::new(), Vec::new()),
        };
        let outlook = m.outlook;
        Self {
            viewer: match viewer {
                Viewer::Referee => "the referee".to_owned(),
                Viewer::Public => "the public".to_owned(),
                Viewer::Player(id) => id.to_string(),
            },
            heading: heading(m.data, m.before),
            rulings: m.data.rulings.changed(),
            next: outlook.window.as_ref().map(|window| NextModel {
                phase: m.phase + 1,
                window: window.clone(),
                heading: outlook.heading.clone(),
                asks: outlook.asks.iter().map(ToString::to_string).collect(),
                default: outlook.default.clone(),
            }),
            mine,
            mine_by_place,
        }
    }

    fn model<'a, F>(&'a self, m: &'a Material<'_>, shared: &'a Shared<F>) -> Model<'a, F> {
        Model {
            game: &m.before.game,
            phase: m.phase,
            window: m.before.window.id(),
            window_title: m.before.window.title(),
            scenario: &m.data.scenario.info.title,
            heading: &self.heading,
            viewer: &self.viewer,
            rehearsal: m.rehearsal,
            rulings: &self.rulings,
            head: m.prev,
            orders: &shared.orders,
            standing: &shared.standing,
            placed_rule: placed_rule(m.data, m.before),
            placed: &shared.placed,
            moves: &shared.moves,
            sections: &shared.sections,
            others: &shared.others,
            skipped: &shared.skipped,
            scored: &shared.scored,
            position: &shared.position,
            dice: &shared.dice,
            over: &shared.over,
            next: &self.next,
            mine: &self.mine,
            mine_by_place: &self.mine_by_place,
            map: &shared.map,
            legend: map::legend(m.data),
        }
    }
}

impl DieLine {
    fn of(roll: &Roll) -> Self {
        Self {
            label: roll.label.clone(),
            spec: roll.spec.clone(),
            faces: roll.faces.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        }
    }
}

/// The rule of set-up of a scenario.
fn placed_rule(data: &Data, before: &State) -> &'static str {
    match data.scenario.info.id.as_str() {
        "omdurman-historical" if before.window == Window::Setup => "9.2.1.1.A",
        "omdurman-historical" => "9.2.1.2.A",
        "omdurman-campaign" => "9.1.1.1",
        _ => "9.3.2.1",
    }
}
