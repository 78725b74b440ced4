//! The report of a phase: a model made from the events and the view after it, and
//! its layout by `templates/report.txt.j2`.

use serde::Serialize;

use crate::core::dice::Roll;
use crate::core::template::{Sheet, TemplateError};
use crate::core::viewer::Viewer;
use crate::game::{Outlook, Report};
use crate::geometry::hex::Hex;

use super::check::path_words;
use super::data::{Army, Data, Kind};
use super::events::{Event, Fight, FightKind, Rolled};
use super::map;
use super::position::Position;
use super::resolve;
use super::state::{Place, State, Window};
use super::view::view;

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
    placed: Vec<Group>,
    moves: Vec<MoveLine>,
    sections: Vec<Section>,
    others: Vec<String>,
    skipped: Vec<String>,
    position: PositionModel,
    dice: Vec<DieLine>,
    over: Option<OverModel>,
    next: Option<NextModel>,
    mine: Vec<Mine>,
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
    gordon: Vec<String>,
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
    let shown = view(material.after, viewer);
    let model = model(material, &shown, viewer);
    let text = sheet.render(&model)?;
    let mut json = serde_json::to_string_pretty(&model).unwrap_or_default();
    json.push('\n');
    Ok(Report { text: normal(&text), json })
}

/// No blanks at line ends, no empty lines at the end, at most one in a row.
fn normal(text: &str) -> String {
    let mut out = String::new();
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() {
            empty = true;
            continue;
        }
        if empty && !out.is_empty() {
            out.push('\n');
        }
        empty = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// `turn 2, Dervish player-turn (day)`.
pub fn heading(data: &Data, state: &State) -> String {
    if state.window == Window::Setup {
        return "before turn 1".to_owned();
    }
    let night = if data.night(state.turn) { "night" } else { "day" };
    format!("turn {}, {} player-turn ({night})", state.turn, data.side(state.moving).name)
}

fn model<'a>(m: &Material<'a>, after: &State, viewer: &Viewer) -> Model<'a> {
    let data = m.data;
    let position = Position::new(data, after);
    let mut orders: Vec<OrdersLine> = Vec::new();
    let mut outcomes: Vec<(String, OutcomeLine)> = Vec::new();
    let mut standing = Vec::new();
    let mut placed: Vec<Group> = Vec::new();
    let mut moves: Vec<MoveLine> = Vec::new();
    let mut sections: Vec<Section> = Vec::new();
    let mut others = Vec::new();
    let mut skipped = Vec::new();
    let mut over = None;
    for event in m.events {
        match event {
            Event::Orders { player, submission, done, failed, refused, defaulted } => {
                orders.push(OrdersLine {
                    player: player.to_string(),
                    submission: submission.clone(),
                    done: *done,
                    failed: *failed,
                    refused: *refused,
                    total: done + failed + refused,
                    defaulted: defaulted.clone(),
                    outcomes: Vec::new(),
                });
            }
            Event::Outcome { player, line, outcome, order, reason, rule } => outcomes.push((
                player.to_string(),
                OutcomeLine {
                    outcome: outcome.clone(),
                    line: *line,
                    order: order.clone(),
                    reason: reason.clone(),
                    rule: rule.clone(),
                },
            )),
            Event::Standing { player, .. } => {
                standing.push(format!("{player} changed the standing orders"));
            }
            Event::Placed { unit, hex } => {
                let place = position.hex_words(*hex);
                match placed.iter_mut().find(|g| g.place == place) {
                    Some(group) => group.units.push(unit.clone()),
                    None => placed.push(Group { place, units: vec![unit.clone()] }),
                }
            }
            Event::Entered { unit, path, cost, allowance } => {
                add_move(&mut moves, unit, path, *cost, *allowance, true);
            }
            Event::Moved { unit, path, cost, allowance } => {
                add_move(&mut moves, unit, path, *cost, *allowance, false);
            }
            Event::Fight(fight) => sections.push(section(&position, fight)),
            Event::Advanced { unit, from, to, compulsory, rule } => {
                let verb = if *compulsory { "must advance" } else { "advances" };
                note(&mut sections, format!("{unit} {verb} from {from} into {to} [{rule}]"));
            }
            Event::Wasted { units, target } => {
                let units = units.join(", ");
                let text = format!("nothing is left to attack at {target}: {units}");
                if sections.is_empty() { others.push(text) } else { note(&mut sections, text) }
            }
            Event::StayedBehind { unit, to, rule, .. } => {
                stays(&mut sections, unit, *to, rule);
            }
            Event::GordonFell { unit, by, turn, rule } => {
                let name = &data.find(unit).map_or(unit.clone(), |id| data.unit(id).name.clone());
                let text = format!("{by} enters the Palace: {name} falls on turn {turn} [{rule}]");
                if sections.is_empty() { others.push(text) } else { note(&mut sections, text) }
            }
            Event::LeftOut { unit, rule } => others.push(format!("{unit} is out [{rule}]")),
            Event::Recovered { unit, rule } => others.push(format!("{unit} recovers [{rule}]")),
            Event::Skipped { turn, moving, window } => {
                let side = &data.side(*moving).name;
                skipped.push(format!(
                    "turn {turn}, {side} player-turn, {}: nobody could do anything",
                    window.title()
                ));
            }
            Event::Over { result, why, rule } => {
                over = Some(OverModel {
                    result: result.clone(),
                    why: why.clone(),
                    rule: rule.clone(),
                });
            }
            Event::Eliminated { .. }
            | Event::Disrupted { .. }
            | Event::Breached { .. }
            | Event::Next { .. }
            | Event::PhaseEnded { .. } => {}
        }
    }
    for (player, line) in outcomes {
        if let Some(orders) = orders.iter_mut().find(|o| o.player == player) {
            orders.outcomes.push(line);
        }
    }
    for orders in &mut orders {
        orders.outcomes.sort_by_key(|o| o.line);
    }
    let mine = match viewer {
        Viewer::Player(id) => mine(data, after, id),
        _ => Vec::new(),
    };
    let outlook = m.outlook;
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
        orders,
        standing,
        placed,
        moves,
        sections,
        others,
        skipped,
        position: position_model(data, &position),
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
        mine,
        map: map::draw(&position).lines().map(str::to_owned).collect(),
        legend: map::LEGEND,
    }
}

fn note(sections: &mut [Section], text: String) {
    if let Some(last) = sections.last_mut() {
        last.notes.push(text);
    }
}

/// Units that may not follow into a hex by the same rule are one line.
fn stays(sections: &mut [Section], unit: &str, to: Hex, rule: &str) {
    let Some(last) = sections.last_mut() else { return };
    let (begin, end) = (format!("may not follow into {to}: "), format!(" [{rule}]"));
    if let Some(line) = last.notes.last_mut()
        && let Some(units) = line.strip_prefix(&begin).and_then(|l| l.strip_suffix(&end))
    {
        *line = format!("{begin}{units}, {unit}{end}");
        return;
    }
    last.notes.push(format!("{begin}{unit}{end}"));
}

/// Units with the same path are one line.
fn add_move(
    moves: &mut Vec<MoveLine>,
    unit: &str,
    path: &[Hex],
    cost: u32,
    allowance: u32,
    entered: bool,
) {
    let words = path_words(path);
    let same = |m: &&mut MoveLine| {
        m.path == words && m.entered == entered && (m.cost, m.allowance) == (cost, allowance)
    };
    if let Some(line) = moves.iter_mut().find(same) {
        line.units.push(unit.to_owned());
        return;
    }
    moves.push(MoveLine {
        units: vec![unit.to_owned()],
        from: path.first().filter(|_| !entered).map(ToString::to_string),
        to: path.last().map_or(String::new(), ToString::to_string),
        path: words,
        cost,
        allowance,
        entered,
    });
}

fn section(position: &Position<'_>, fight: &Fight) -> Section {
    let line = |p: &super::events::Part| PartLine {
        unit: p.unit.clone(),
        from: p.from.to_string(),
        printed: p.printed,
        range: p.range,
        multiplier: p.multiplier.clone(),
        factors: p.factors,
        note: match p.rules.first() {
            Some(rule) => format!("Dervish table [{rule}]"),
            None => String::new(),
        },
    };
    let (what, rule) = match fight.kind {
        FightKind::Defence => ("DEFENSIVE FIRE", "6.7.A"),
        FightKind::Offence => ("OFFENSIVE FIRE", "6.8.1"),
        FightKind::Melee => ("MELEE", "7.7.A"),
    };
    let hex = Hex::parse(fight.target.get(..4).unwrap_or(""));
    let place = hex.and_then(|h| position.data.board.name(h));
    let place = place.map_or(String::new(), |name| format!(" ({name})"));
    let title = format!("{what} at {}{place}: {}", fight.target, fight.target_words);
    Section {
        title,
        rule,
        attackers: fight.attack.parts.iter().map(line).collect(),
        defenders: fight.defence.iter().flat_map(|d| d.parts.iter().map(line)).collect(),
        notes: Vec::new(),
        attack: fight.attack.clone(),
        defence: fight.defence.clone(),
        fight: Fight { defence: None, ..fight.clone() },
    }
}

fn mine(data: &Data, state: &State, player: &crate::core::id::Id) -> Vec<Mine> {
    data.ids()
        .filter(|id| state.owner(data, *id) == Some(player))
        .map(|id| {
            let unit = data.unit(id);
            let place = match &state.unit(id).place {
                Place::Waiting => "off the map".to_owned(),
                Place::At(hex) => hex.to_string(),
                Place::Eliminated(when) => format!("lost, {when}"),
                Place::Out => "out".to_owned(),
            };
            let note = if state.disrupted(id) { "disrupted" } else { "" };
            Mine { unit: unit.id.clone(), place, note: note.to_owned() }
        })
        .collect()
}

fn position_model(data: &Data, position: &Position<'_>) -> PositionModel {
    let state = position.state;
    let victory = &data.scenario.victory;
    let lost = data
        .scenario
        .sides
        .iter()
        .map(|side| {
            let lost = if side.army == Army::Dervish {
                resolve::dervish_lost(data, state)
            } else {
                state.eliminated(data, side.army)
            };
            let next = victory.losses.iter().find(|p| lost < p.units);
            let note = match (side.army, next) {
                (Army::Dervish, Some(p)) => {
                    format!(
                        "{} cost the Dervish {} level{} [9.3.5.B]",
                        p.units,
                        p.levels,
                        if p.levels == 1 { "" } else { "s" }
                    )
                }
                _ => String::new(),
            };
            LostLine { side: side.name.clone(), lost, note }
        })
        .collect();
    let (gordon, palace) = data.scenario.gordon;
    let mut words = Vec::new();
    if let Some(turn) = state.gordon_fell {
        words.push(format!("{} fell on turn {turn}.", data.unit(gordon).name));
    } else if state.turn > 0 {
        let near = data
            .ids()
            .filter(|id| {
                let unit = data.unit(*id);
                unit.army == Army::Dervish && !matches!(unit.kind, Kind::Fort)
            })
            .filter_map(|id| Some((state.hex(id)?.distance(palace), data.unit(id).id.clone())))
            .min();
        let holds = format!("{} holds {}", data.unit(gordon).name, position.hex_words(palace));
        words.push(match near {
            Some((d, unit)) => {
                let hexes = if d == 1 { "hex" } else { "hexes" };
                format!("{holds}; nearest Dervish {d} {hexes} away ({unit}).")
            }
            None => format!("{holds}; no Dervish unit is on the map."),
        });
        let lost = resolve::dervish_lost(data, state);
        let (level, _) = resolve::fallen_level(data, state.turn, lost);
        if state.result.is_none() {
            words.push(format!("If he falls on this turn: {level}."));
        }
    }
    let down: Vec<String> =
        data.ids().filter(|id| state.disrupted(*id)).map(|id| data.unit(id).id.clone()).collect();
    let mut holdings: Vec<Group> = Vec::new();
    for side in &data.scenario.sides {
        for hex in position.hexes(side.army) {
            let units = position
                .of(side.army, hex)
                .map(|id| {
                    let down = if state.disrupted(id) { "*" } else { "" };
                    format!("{}{down}", data.unit(id).id)
                })
                .collect();
            holdings.push(Group { place: position.hex_words(hex), units });
        }
    }
    for side in &data.scenario.sides {
        let off: Vec<String> = data
            .ids()
            .filter(|id| data.unit(*id).army == side.army)
            .filter(|id| state.unit(*id).place == Place::Waiting)
            .map(|id| data.unit(id).id.clone())
            .collect();
        if !off.is_empty() {
            holdings.push(Group { place: format!("off the map ({})", side.name), units: off });
        }
    }
    PositionModel {
        lost,
        gordon: words,
        breaches: state.breaches.iter().map(ToString::to_string).collect(),
        disrupted: down,
        holdings,
    }
}
