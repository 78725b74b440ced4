//! The machine as a player: it writes an order file, in the words that anybody writes,
//! by the tactics notes of the rules. Mahdists lurk until the enemy is near, make for
//! flanks, and charge; regulars form a line and fire.

use std::fmt::Write as _;

use crate::core::viewer::Viewer;
use crate::geometry::plane::{Point, nearest};

use super::data::{Arm, Army, Data, Troop};
use super::state::{Behind, Formation, Order, Presence, State, Unit, Window};
use super::table::Table;
use super::view::view;

/// What the machine sees of a position that it plays an army in: what a player of that
/// army would.
pub fn machine_view(data: &Data, state: &State, army: Army) -> State {
    let Ok(player) = crate::core::id::Id::player("machine") else { return state.clone() };
    let mut seated = state.clone();
    seated.seats.push(crate::game::Seat {
        player: player.clone(),
        side: army.id().to_owned(),
        commands: state
            .generals
            .iter()
            .filter(|g| g.army == army)
            .map(|g| g.seat.clone())
            .collect(),
    });
    let mut seen = view(data, &seated, &Viewer::Player(player));
    seen.seats.clone_from(&state.seats);
    seen
}

/// An order file for an army, without a header.
pub fn orders(data: &Data, state: &State, army: Army) -> String {
    let table = Table::new(data, state);
    let mut out = String::new();
    let window = state.window;
    if window.has_orders() {
        generals(&table, army, &mut out);
        changes(&table, army, &mut out);
    }
    match army {
        Army::Mahdist if window.has_mahdist(data.cadence) => mahdists(&table, &mut out),
        Army::AngloEgyptian if window.has_action() => regulars(&table, &mut out),
        _ => {}
    }
    if window == Window::Deploy && army == Army::Mahdist {
        lurk(&table, &mut out);
    }
    out
}

/// Where a unit is reckoned from.
fn spot(unit: &Unit) -> Point {
    unit.anchor
}

fn mine<'a>(table: &Table<'a>, army: Army) -> impl Iterator<Item = (usize, &'a Unit)> {
    table.state.units.iter().enumerate().filter(move |(_, u)| {
        u.army() == army && u.strength() > 0 && u.presence != Presence::Waiting
    })
}

/// How far the nearest visible enemy is from a unit.
fn gap(table: &Table<'_>, index: usize, unit: &Unit) -> Option<i64> {
    match unit.presence {
        Presence::Table => table.unit_gap(index),
        _ => table.nearest_of(unit.army().enemy(), spot(unit)).map(|(d, _)| d),
    }
}

/// Generals stay with the middle of their units.
fn generals(table: &Table<'_>, army: Army, out: &mut String) {
    let data = table.data;
    for general in table.generals().filter(|g| g.army == army && g.attached.is_none()) {
        let spots: Vec<Point> = mine(table, army)
            .filter(|(_, u)| u.general == general.id)
            .map(|(_, u)| spot(u))
            .collect();
        let n = i64::try_from(spots.len()).unwrap_or(0);
        if n == 0 {
            continue;
        }
        let sum = spots.iter().fold(Point::default(), |a, b| a + *b);
        let middle = Point::new(sum.x / n, sum.y / n);
        let way = general.at.distance(middle);
        // A general who stays gives one order more (R13); he goes when most are far away.
        let far = spots.iter().filter(|p| p.distance(general.at) > data.distances.command_mahdist);
        if 2 * far.count() <= spots.len() || way < 200 {
            continue;
        }
        let most = data.distances.general - 10;
        let to = if way <= most {
            middle
        } else {
            let v = middle - general.at;
            Point::new(general.at.x + v.x * most / way, general.at.y + v.y * most / way)
        };
        let to =
            Point::new(to.x.clamp(0, data.scenario.table.x), to.y.clamp(0, data.scenario.table.y));
        let (x, y) = (data.inches(to.x), data.inches(to.y));
        let _ = write!(out, "[[general]]\ngeneral = \"{}\"\nto = [{x}, {y}]\n", general.id);
    }
}

fn changes(table: &Table<'_>, army: Army, out: &mut String) {
    let mut wanted: Vec<(i64, String, Order)> = Vec::new();
    for (index, unit) in mine(table, army) {
        if unit.troop == Troop::MahdistArtillery {
            continue;
        }
        let Some(gap) = gap(table, index, unit) else { continue };
        let to = match army {
            Army::Mahdist => mahdist_order(table, unit, gap),
            Army::AngloEgyptian => regular_order(table, unit, gap),
        };
        if let Some(to) = to.filter(|to| *to != unit.order) {
            wanted.push((gap, unit.id.clone(), to));
        }
    }
    wanted.sort();
    for (_, unit, to) in wanted {
        let _ = write!(out, "[[change]]\nunit = \"{unit}\"\nto = \"{}\"\n", to.word());
    }
}

/// Lurk in cover until they are near; in the open come up in column, form, and charge.
/// Where the enemy does not come, they go to him in the end.
fn mahdist_order(table: &Table<'_>, unit: &Unit, gap: i64) -> Option<Order> {
    let lurks = table.hides(spot(unit));
    let rate = table.data.troop(unit.troop).line;
    let tired = table.state.turn >= 3;
    let near = match (lurks, tired) {
        // Near enough for two turns at most: all together now.
        (true, false) => 2 * rate + 200,
        (true, true) => 2400,
        (false, _) => 1600,
    };
    match (unit.formation, unit.order) {
        (Formation::Battle, Order::Hold | Order::Move) if gap <= near => Some(Order::Attack),
        (Formation::Column, Order::Move) if gap <= 1500 => Some(Order::Hold),
        (_, Order::Hold) if !lurks && gap > 1600 => Some(Order::Move),
        _ => None,
    }
}

/// Hold and fire. Where there is an objective: march while nobody is near, then come up
/// in line as far as fire reaches.
fn regular_order(table: &Table<'_>, unit: &Unit, gap: i64) -> Option<Order> {
    let goal = table.data.scenario.victory.objective.as_ref();
    let goes = goal.is_some_and(|o| o.zone.army == Army::AngloEgyptian);
    let line = unit.formation == Formation::Battle;
    let fights = matches!(unit.troop.arm(), Arm::Infantry);
    match unit.order {
        Order::Move if gap <= 1400 && !(goes && fights && line) => Some(Order::Hold),
        Order::Move | Order::Hold if goes && fights && line && gap > 1000 && gap <= 1800 => {
            Some(Order::Attack)
        }
        Order::Hold | Order::Attack if goes && gap > 1800 => Some(Order::Move),
        _ => None,
    }
}

fn write_move(out: &mut String, key: &str, who: &str, steps: &str) {
    let _ = write!(out, "[[move]]\n{key} = \"{who}\"\ndo = [{steps}]\n");
}

/// Where a Mahdist makes for: past the nearer flank of the nearest enemy unit.
fn flank(table: &Table<'_>, from: Point) -> Option<Point> {
    let (_, body) = table.nearest_of(Army::AngloEgyptian, from)?;
    let unit = table.unit(body);
    let compass = &table.data.compass;
    let sides = [-900, 900].map(|right| compass.place(unit.anchor, unit.facing, right, -80));
    let best = sides.into_iter().min_by_key(|p| (p.square_to(from), *p))?;
    let table_size = table.data.scenario.table;
    Some(Point::new(best.x.clamp(100, table_size.x - 100), best.y.clamp(100, table_size.y - 100)))
}

fn mahdists(table: &Table<'_>, out: &mut String) {
    let data = table.data;
    for (index, unit) in mine(table, Army::Mahdist) {
        if unit.troop == Troop::MahdistArtillery {
            continue;
        }
        let Some(gap) = gap(table, index, unit) else { continue };
        // An order that the file asks for may come or not; each has its own move.
        if unit.formation == Formation::Column {
            let to = flank(table, spot(unit)).map(|p| data.spot(p)).unwrap_or_default();
            if unit.order == Order::Hold || gap <= 1500 {
                write_move(out, "unit", &unit.id, "\"form battle\"");
                out.push_str("if = \"order HOLD\"\n");
            }
            if unit.order != Order::Hold {
                write_move(out, "unit", &unit.id, &format!("\"move to {to}\""));
                out.push_str("if = \"order MOVE\"\n");
            }
        } else if unit.order == Order::Hold && gap <= data.distances.hold_charge {
            write_move(out, "unit", &unit.id, "\"charge nearest\"");
            out.push_str("if = \"order HOLD\"\n");
        } else if unit.order == Order::Move
            && (!table.hides(spot(unit)) || gap > 2400)
            && let Some(p) = flank(table, spot(unit))
        {
            write_move(out, "unit", &unit.id, &format!("\"move to {}\"", data.spot(p)));
            out.push_str("if = \"order MOVE\"\n");
        }
    }
    for marker in &table.state.markers {
        let to = match marker.behind {
            Behind::Unit(_) => continue,
            // A false marker stays out of sight, where it worries somebody.
            Behind::Nothing => {
                let near = table.nearest_of(Army::AngloEgyptian, marker.at).map_or(0, |(d, _)| d);
                if near < 1700 {
                    continue;
                }
                flank(table, marker.at)
            }
            _ => flank(table, marker.at),
        };
        if let Some(to) = to {
            write_move(out, "marker", &marker.id, &format!("\"move to {}\"", data.spot(to)));
        }
    }
}

fn regulars(table: &Table<'_>, out: &mut String) {
    let data = table.data;
    let goal =
        data.scenario.victory.objective.as_ref().filter(|o| o.zone.army == Army::AngloEgyptian);
    for (index, unit) in mine(table, Army::AngloEgyptian) {
        if table.engaged(index) || unit.formation == Formation::Column && unit.order == Order::Hold
        {
            if unit.formation == Formation::Column && !table.engaged(index) {
                write_move(out, "unit", &unit.id, "\"form battle\"");
            }
            continue;
        }
        if unit.order == Order::Move
            && let Some(goal) = goal
        {
            let middle = Point::new(
                i64::midpoint(goal.zone.from.x, goal.zone.to.x),
                i64::midpoint(goal.zone.from.y, goal.zone.to.y),
            );
            // Each keeps its place in the line: it goes for its own part of the goal.
            let dx = (unit.anchor.x - middle.x)
                .clamp(goal.zone.from.x - middle.x, goal.zone.to.x - middle.x);
            let to = Point::new(middle.x + dx, middle.y);
            write_move(out, "unit", &unit.id, &format!("\"move to {}\"", data.spot(to)));
            continue;
        }
        // A line turns to an enemy who comes up outside its arc.
        let Some((_, body)) = table.nearest_of(Army::Mahdist, unit.anchor) else { continue };
        let near = nearest(&body.shape, unit.anchor);
        let turn = unit.facing.turn_to(data.compass.toward(unit.anchor, near));
        if unit.order == Order::Hold && turn.abs() > 40 && unit.troop.arm() != Arm::Cavalry {
            let side = if turn < 0 { "left" } else { "right" };
            let by = turn.abs().min(90);
            write_move(out, "unit", &unit.id, &format!("\"wheel {side} {by}\""));
        }
    }
}

/// Hidden units stand where the scenario has them; false markers go into cover.
fn lurk(table: &Table<'_>, out: &mut String) {
    let data = table.data;
    let (most, _) = super::check::most_false(data, table.state);
    let zones: Vec<_> = data.scenario.zones.iter().filter(|z| z.army == Army::Mahdist).collect();
    let mut left = most;
    for shape in data.scenario.shapes.iter().filter(|s| data.class(s).hides && !data.class(s).fence)
    {
        let n = i64::try_from(shape.points.len()).unwrap_or(1);
        let sum = shape.points.iter().fold(Point::default(), |a, b| a + *b);
        let at = Point::new(sum.x / n, sum.y / n);
        if left > 0 && zones.iter().any(|z| z.has(at)) {
            left -= 1;
            let (x, y) = (data.inches(at.x), data.inches(at.y));
            let _ = write!(out, "[[false]]\nat = [{x}, {y}]\n");
        }
    }
}
