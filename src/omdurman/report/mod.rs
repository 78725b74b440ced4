//! The report of a phase: a model made from the events and the view after it, and
//! its layout by `templates/report.txt.j2`.

mod gather;
mod standing;

use serde::Serialize;

use crate::core::dice::Roll;
use crate::core::template::{Sheet, TemplateError, normal};
use crate::core::viewer::Viewer;
use crate::game::{Outlook, Report};

use super::data::Data;
use super::events::{Event, Fight, Impact, Rolled};
use super::map;
use super::position::Position;
use super::state::{State, Window};
use super::view::{knows_the_river, view};
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

/// The model of a report; the JSON twin is this, as it stands.
#[derive(Debug, Serialize)]
struct Model<'a> {
    game: &'a str,
    phase: u32,
    window: &'static str,
    window_title: &'static str,
    scenario: &'a str,
    heading: String,
    viewer: String,
    rehearsal: bool,
    rulings: Vec<String>,
    head: &'a str,
    orders: Vec<OrdersLine>,
    standing: Vec<String>,
    placed_rule: &'static str,
    placed: Vec<Group>,
    moves: Vec<MoveLine>,
    sections: Vec<Section>,
    others: Vec<String>,
    skipped: Vec<String>,
    scored: Vec<String>,
    position: PositionModel,
    dice: Vec<DieLine>,
    over: Option<OverModel>,
    next: Option<NextModel>,
    mine: Vec<Mine>,
    mine_by_place: Vec<Group>,
    map: Vec<String>,
    legend: &'static str,
}

#[derive(Debug, Serialize)]
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

#[derive(Debug, Serialize)]
struct OutcomeLine {
    outcome: String,
    line: u32,
    order: String,
    reason: String,
    rule: String,
}

#[derive(Debug, Serialize)]
struct Group {
    place: String,
    units: Vec<String>,
}

#[derive(Debug, Serialize)]
struct MoveLine {
    units: Vec<String>,
    from: Option<String>,
    to: String,
    path: String,
    cost: u32,
    allowance: u32,
    entered: bool,
}

#[derive(Debug, Serialize)]
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

#[derive(Debug, Serialize)]
struct PartLine {
    unit: String,
    from: String,
    printed: u32,
    range: u32,
    multiplier: String,
    factors: u32,
    note: String,
}

#[derive(Debug, Serialize)]
struct PositionModel {
    lost: Vec<LostLine>,
    /// How the game stands, in sentences.
    stands: Vec<String>,
    breaches: Vec<String>,
    disrupted: Vec<String>,
    holdings: Vec<Group>,
}

#[derive(Debug, Serialize)]
struct LostLine {
    side: String,
    lost: u32,
    note: String,
}

#[derive(Debug, Serialize)]
struct DieLine {
    label: String,
    spec: String,
    faces: String,
}

#[derive(Debug, Serialize)]
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

/// The layout of reports, from the rules files of a game.
///
/// # Errors
/// A template that cannot be compiled.
pub fn sheet(data: &Data) -> Result<Sheet<'_>, TemplateError> {
    let name = "templates/report.txt.j2";
    Sheet::new(name, data.files.get(name).map_or("", String::as_str))
}

/// The report of a viewer, as text and as JSON.
///
/// # Errors
/// A template that cannot be rendered.
pub fn report(
    sheet: &Sheet<'_>,
    material: &Material<'_>,
    viewer: &Viewer,
) -> Result<Report, TemplateError> {
    let shown = view(material.data, material.after, viewer);
    let model = model(material, &shown, viewer);
    let text = sheet.render(&model)?;
    let mut json = serde_json::to_string_pretty(&model).unwrap_or_default();
    json.push('\n');
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

fn model<'a>(m: &Material<'a>, after: &State, viewer: &Viewer) -> Model<'a> {
    let data = m.data;
    let position = Position::new(data, after);
    let knows = knows_the_river(data, after, viewer);
    let mut told = Gathered::default();
    for event in m.events {
        told.take(&position, event, knows);
    }
    told.finish();
    let (mine, mine_by_place) = match viewer {
        Viewer::Player(id) => standing::mine(data, after, id, MANY),
        _ => (Vec::new(), Vec::new()),
    };
    let outlook = m.outlook;
    let drawn = map::cut(&position, m.events);
    Model {
        game: &m.before.game,
        phase: m.phase,
        window: m.before.window.id(),
        window_title: m.before.window.title(),
        scenario: &data.scenario.info.title,
        heading: heading(data, m.before),
        viewer: match viewer {
            Viewer::Referee => "the referee".to_owned(),
            Viewer::Public => "the public".to_owned(),
            Viewer::Player(id) => id.to_string(),
        },
        rehearsal: m.rehearsal,
        rulings: data.rulings.changed(),
        head: m.prev,
        scored: told.points(),
        orders: told.orders,
        standing: told.standing,
        placed_rule: placed_rule(data, m.before),
        placed: told.placed,
        moves: told.moves,
        sections: told.sections,
        others: told.others,
        skipped: told.skipped,
        position: standing::position_model(data, &position),
        dice: m
            .rolls
            .iter()
            .map(|r| DieLine {
                label: r.label.clone(),
                spec: r.spec.clone(),
                faces: r.faces.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            })
            .collect(),
        over: told.over,
        next: outlook.window.as_ref().map(|window| NextModel {
            phase: m.phase + 1,
            window: window.clone(),
            heading: outlook.heading.clone(),
            asks: outlook.asks.iter().map(ToString::to_string).collect(),
            default: outlook.default.clone(),
        }),
        mine,
        mine_by_place,
        map: drawn.lines().map(str::to_owned).collect(),
        legend: map::legend(data),
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
