//! The report of a phase: a model made from the events and the view after it, and
//! its layout by `templates/report.txt.j2`.

mod gather;

use serde::Serialize;

use crate::core::json::pretty;
use crate::core::template::{Sheet, TemplateError, normal};
use crate::core::viewer::Viewer;
use crate::game::{Outlook, Report};

use super::data::{Data, Side};
use super::events::Event;
use super::map;
use super::position::Position;
use super::resolve::levels;
use super::state::{State, Window};
use super::view::{Knows, view};
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
    /// How many public rolls there were.
    pub rolls: usize,
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
    notices: Vec<String>,
    day: Option<DayModel>,
    waves_formed: Vec<String>,
    rounds: Vec<RoundModel>,
    after: Vec<String>,
    lost: LostModel,
    plan: Vec<String>,
    legend: &'static str,
    places: Vec<String>,
    waves: Vec<WaveModel>,
    siege: SiegeModel,
    rolls: usize,
    over: Option<OverModel>,
    next: Option<NextModel>,
}

#[derive(Clone, Debug, Serialize)]
struct OrdersLine {
    player: String,
    submission: String,
    /// True if the viewer may know how the orders fared.
    told: bool,
    done: u32,
    failed: u32,
    refused: u32,
    total: u32,
    defaulted: Vec<String>,
    outcomes: Vec<OutcomeLine>,
}

#[derive(Clone, Debug, Serialize)]
struct OutcomeLine {
    outcome: String,
    line: u32,
    order: String,
    reason: String,
    rule: String,
}

#[derive(Clone, Debug, Default, Serialize)]
struct DayModel {
    kind: String,
    why: String,
    rule: String,
    cards: Vec<String>,
    markers_gained: u32,
    wounded: Vec<String>,
    killed: Vec<String>,
    forced: bool,
}

#[derive(Clone, Debug, Default, Serialize)]
struct RoundModel {
    round: u32,
    before: Vec<String>,
    zones: Vec<ZoneModel>,
    end: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
struct ZoneModel {
    zone: String,
    name: String,
    initiative: String,
    lines: Vec<String>,
}

/// Who was lost in the phase, by place and cause.
#[derive(Clone, Debug, Default, Serialize)]
struct LostModel {
    garrison: Vec<String>,
    mahdists: u32,
    mahdists_by_cause: Vec<String>,
}

#[derive(Debug, Serialize)]
struct WaveModel {
    wave: String,
    target: String,
    men: usize,
    casualties: u32,
    moves: u32,
    status: &'static str,
    /// Only for those who may know.
    markers: Option<u32>,
}

#[derive(Debug, Serialize)]
struct SiegeModel {
    day: u32,
    days: u32,
    defenders: usize,
    wounded: usize,
    uncommitted: usize,
    markers: u32,
    casualties: u32,
    casualty_limit: u32,
    tower: u32,
    tower_points: u32,
    guns: Vec<String>,
    hospital: String,
    if_it_ended_now: String,
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
    let json = pretty(&model).unwrap_or_default();
    Ok(Report { text: normal(&text), json })
}

/// `day 3`, in an assault `day 3, round 5`.
pub fn heading(data: &Data, state: &State) -> String {
    match state.window {
        Window::Setup => "before the first day".to_owned(),
        _ if state.round > 0 => {
            format!("day {} of {}, round {}", state.day, data.days, state.round)
        }
        _ => format!("day {} of {}", state.day.min(data.days), data.days),
    }
}

fn model<'a>(m: &Material<'a>, after: &State, viewer: &Viewer) -> Model<'a> {
    let data = m.data;
    let position = Position::new(data, after);
    let knows = Knows::of(m.before, viewer);
    let mut told = Gathered::new(data, m.before, knows);
    for event in m.events {
        told.take(event);
    }
    told.finish();
    let outlook = m.outlook;
    Model {
        game: &m.before.game,
        phase: m.phase,
        window: m.before.window.id(),
        window_title: m.before.window.title(),
        scenario: &data.info.title,
        heading: heading(data, m.before),
        viewer: match viewer {
            Viewer::Referee => "the referee".to_owned(),
            Viewer::Public => "the public".to_owned(),
            Viewer::Player(id) => id.to_string(),
        },
        rehearsal: m.rehearsal,
        rulings: crate::core::ruling::changed(&data.rulings.all),
        head: m.prev,
        orders: told.orders,
        notices: told.notices,
        day: told.day,
        waves_formed: told.formed,
        rounds: told.rounds,
        after: told.after,
        lost: told.lost,
        plan: map::draw(&position),
        legend: map::LEGEND,
        places: map::places(&position),
        waves: waves(&position, knows),
        siege: siege(&position),
        rolls: m.rolls,
        over: told.over,
        next: outlook.window.as_ref().map(|window| NextModel {
            phase: m.phase + 1,
            window: window.clone(),
            heading: outlook.heading.clone(),
            asks: outlook.asks.iter().map(ToString::to_string).collect(),
            default: outlook.default.clone(),
        }),
    }
}

fn waves(position: &Position<'_>, knows: Knows) -> Vec<WaveModel> {
    let c = &position.data.compound;
    position
        .state
        .waves
        .iter()
        .map(|w| WaveModel {
            wave: format!("wave-{}", w.number),
            target: c.wall(w.target).id.clone(),
            men: position.members(w.number).len(),
            casualties: w.casualties,
            moves: w.moves,
            status: match w.status {
                super::state::WaveStatus::Advancing => "advancing",
                super::state::WaveStatus::Arrived => "at the compound",
                super::state::WaveStatus::Withdrawn => "withdrawn",
                super::state::WaveStatus::Finished => "finished",
            },
            markers: knows.knows(Side::Mahdist).then_some(w.markers),
        })
        .collect()
}

fn siege(position: &Position<'_>) -> SiegeModel {
    let (data, state) = (position.data, position.state);
    let c = &data.compound;
    let (garrison, mahdist, _) = levels(data, state);
    let word = |side: Side, level| match level {
        super::resolve::Level::Minor => format!("{} Minor", side.name()),
        _ => format!("{} Major", side.name()),
    };
    SiegeModel {
        day: state.day.min(data.days),
        days: data.days,
        defenders: state.garrison(data).count(),
        wounded: state.garrison(data).filter(|id| state.figure(*id).wounded).count(),
        uncommitted: position.uncommitted(None).len(),
        markers: state.markers_in_play(),
        casualties: state.casualties,
        casualty_limit: data.rulings.casualty_limit,
        tower: state.tower,
        tower_points: data.tables.tower_points,
        guns: c
            .gun_ids()
            .map(|gun| format!("{} {}", c.gun(gun).id, position.gun_word(gun)))
            .collect(),
        hospital: match (state.massacred, state.held) {
            (true, _) => "patients slain".to_owned(),
            (false, 0) => "safe".to_owned(),
            (false, n) => format!("yard held for {n} end of round"),
        },
        if_it_ended_now: match garrison.cmp(&mahdist) {
            std::cmp::Ordering::Greater => word(Side::Garrison, garrison),
            std::cmp::Ordering::Less => word(Side::Mahdist, mahdist),
            std::cmp::Ordering::Equal => "Draw".to_owned(),
        },
    }
}
