//! The report of a phase: a model made from the events that a viewer may be told and
//! the view after them, and its layout by `templates/report.txt.j2`.

mod lines;

use serde::Serialize;

use crate::core::dice::Roll;
use crate::core::json::pretty;
use crate::core::template::{Sheet, TemplateError, normal};
use crate::core::viewer::Viewer;
use crate::game::{Outlook, Report};

use super::data::{Army, Data};
use super::events::Event;
use super::map;
use super::state::{Presence, State};
use super::table::Table;
use super::view::{knows, told, view};
use lines::Gathered;

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
    sections: Vec<Section>,
    standing: Vec<String>,
    lost: Vec<String>,
    plan: Vec<String>,
    dice: Vec<DieLine>,
    over: Option<OverModel>,
    next: Option<NextModel>,
}

#[derive(Debug, Serialize)]
struct OrdersLine {
    player: String,
    submission: String,
    /// The viewer may know how the orders fared.
    known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<u32>,
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

/// A step of the turn, or a group in it.
#[derive(Debug, Serialize)]
struct Section {
    title: String,
    rule: String,
    lines: Vec<Line>,
}

/// A line of a section: a sentence, which is wrapped, or a row of a table, which is not.
#[derive(Debug, Serialize)]
struct Line {
    text: String,
    row: bool,
    /// Blanks before the first line of it, and before the others.
    indent: u32,
    next: u32,
    /// The event, for machines.
    event: serde_json::Value,
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
    why: String,
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

/// `turn 5 of 24, 12:20`.
pub fn heading(data: &Data, state: &State) -> String {
    if state.turn == 0 {
        return "before turn 1".to_owned();
    }
    let hour = data.scenario.start.map_or(String::new(), |minutes| {
        // A turn is a quarter of an hour.
        let now = minutes + 15 * (state.turn - 1);
        format!(", {}:{:02}", now / 60 % 24, now % 60)
    });
    let storm = if state.storm.is_some() { ", dust storm" } else { "" };
    format!("turn {} of {}{hour}{storm}", state.turn, data.scenario.turns)
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
    let model = model(material, viewer);
    let text = sheet.render(&model)?;
    Ok(Report { text: normal(&text), json: pretty(&model).unwrap_or_default() })
}

fn model<'a>(m: &Material<'a>, viewer: &Viewer) -> Model<'a> {
    let data = m.data;
    let seen = view(data, m.after, viewer);
    let mut told_of = Gathered::new(data, viewer);
    let mut now = m.before.clone();
    for event in m.events {
        if let Some(event) = told(&now, viewer, event) {
            told_of.take(&now, &event);
        }
        now.apply(data, event);
    }
    let Gathered { orders, sections, over, .. } = told_of;
    let outlook = m.outlook;
    let mut lost = Vec::new();
    for army in [Army::AngloEgyptian, Army::Mahdist] {
        // How many there are behind markers nobody is told.
        let there = match army {
            Army::AngloEgyptian => seen.elements,
            Army::Mahdist => seen.mustered,
        };
        let word = if knows(m.after, viewer, army) || army == Army::AngloEgyptian {
            format!("{} lost {} of {there} bases", army.name(), seen.lost(army))
        } else {
            format!("{} lost {} of {there} bases seen so far", army.name(), seen.lost(army))
        };
        let breaks = data.scenario.victory.breaks.iter().find(|(a, _)| *a == army);
        lost.push(match breaks {
            Some((_, percent)) => format!("{word}; it breaks at {percent} per cent [R5]"),
            None => word,
        });
    }
    if let Some(o) = &data.scenario.victory.objective {
        lost.push(format!(
            "{} wants {} sound bases at {} ({} to {}): {} there now [R5]",
            o.zone.army.name(),
            o.bases,
            o.name,
            data.spot(o.zone.from),
            data.spot(o.zone.to),
            seen.at_objective(o)
        ));
    }
    lost.push(match data.scenario.victory.at_end {
        Some(army) => format!(
            "if nobody has won by the end of turn {}: {} victory [R5]",
            data.scenario.turns,
            army.name()
        ),
        None => {
            format!("if nobody has won by the end of turn {}: a draw [R5]", data.scenario.turns)
        }
    });
    Model {
        game: &m.before.game,
        phase: m.phase,
        window: m.before.window.id(),
        window_title: m.before.window.title(data.cadence),
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
        orders,
        sections,
        standing: standing(data, m.after, &seen, viewer),
        lost,
        plan: map::draw(&Table::new(data, &seen)).lines().map(str::to_owned).collect(),
        dice: m
            .rolls
            .iter()
            .map(|r| DieLine {
                label: r.label.clone(),
                spec: r.spec.clone(),
                faces: r.faces.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
            })
            .collect(),
        over,
        next: outlook.window.as_ref().map(|window| NextModel {
            phase: m.phase + 1,
            window: window.clone(),
            heading: outlook.heading.clone(),
            asks: outlook.asks.iter().map(ToString::to_string).collect(),
            default: outlook.default.clone(),
        }),
    }
}

/// Orders as they now stand, of those whose orders the viewer may know (R8).
fn standing(data: &Data, after: &State, seen: &State, viewer: &Viewer) -> Vec<String> {
    let mut out = Vec::new();
    for unit in seen.units.iter().filter(|u| u.strength() > 0) {
        if !knows(after, viewer, unit.army()) {
            continue;
        }
        let place = match &unit.presence {
            Presence::Marker(m) => format!(" under {m}"),
            _ => String::new(),
        };
        out.push(format!(
            "{}: {} in {}, {} of {} bases, at {}{place}",
            unit.id,
            unit.order.word(),
            unit.formation.word(),
            unit.strength(),
            unit.bases.len(),
            data.spot(unit.anchor)
        ));
    }
    out
}
