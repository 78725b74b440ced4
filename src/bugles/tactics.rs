//! The machine as a player: it writes an order file, in the words that anybody writes,
//! by the tactics notes of the rules. Mahdists lurk until the enemy is near, make for
//! flanks, and charge; regulars form a line and fire.

use std::fmt::Write as _;

use crate::core::viewer::Viewer;
use crate::geometry::plane::{Point, nearest};

use super::data::{Arm, Army, Data, Troop};
use super::state::{Behind, Formation, Order, Presence, State, Unit, Window};
use super::table::{Body, Table, values_of};
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
    match army {
        Army::Mahdist if window == Window::Deploy => lurk(&table, &mut out),
        Army::AngloEgyptian if window == Window::Deploy => aim(&table, &mut out),
        _ => {}
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
        // Who sees nobody reckons with nobody near.
        let gap = gap(table, index, unit).unwrap_or(i64::MAX);
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

/// True where the Mahdists win nothing by waiting: they must come.
fn must_come(data: &Data) -> bool {
    data.scenario.victory.at_end != Some(Army::Mahdist)
}

/// Lurk in cover until they are near, and then come all together. Where waiting wins
/// nothing, come at once: in dribs and drabs a line shoots them down one by one.
fn mahdist_order(table: &Table<'_>, unit: &Unit, gap: i64) -> Option<Order> {
    let lurks = table.hides(spot(unit));
    let rate = table.data.troop(unit.troop).line;
    let comes = must_come(table.data);
    // When one of them is near enough for two moves, all who are within reach come.
    let called = mine(table, Army::Mahdist).any(|(_, u)| {
        let near = table.nearest_of(Army::AngloEgyptian, spot(u)).map(|(d, _)| d);
        u.order == Order::Attack || near.is_some_and(|d| d <= rate + 300)
    });
    let near = match (comes, called) {
        (true, _) => i64::MAX,
        (false, true) => 2000,
        (false, false) => rate + 300,
    };
    match (unit.formation, unit.order) {
        (Formation::Battle, Order::Hold | Order::Move) if gap <= near => Some(Order::Attack),
        (Formation::Column, Order::Move) if gap <= 1500 => Some(Order::Hold),
        (_, Order::Hold) if !lurks && gap > 2000 => Some(Order::Move),
        _ => None,
    }
}

/// True where the regulars win nothing by waiting: there is ground to take, or an army to
/// find.
fn must_go(data: &Data) -> bool {
    let victory = &data.scenario.victory;
    victory
        .objective
        .as_ref()
        .map_or(victory.at_end == Some(Army::Mahdist), |o| o.zone.army == Army::AngloEgyptian)
}

/// Hold and fire. Where one must go: march while nobody is near, then come up in line as
/// far as fire reaches.
fn regular_order(table: &Table<'_>, unit: &Unit, gap: i64) -> Option<Order> {
    let goes = must_go(table.data);
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

/// What the regulars look for: the ground that they want, each his own part of it, or
/// the nearest marker or Mahdist.
fn quarry(table: &Table<'_>, unit: &Unit) -> Option<Point> {
    let data = table.data;
    if let Some(goal) = &data.scenario.victory.objective {
        let zone = &goal.zone;
        let middle = Point::new(
            i64::midpoint(zone.from.x, zone.to.x),
            i64::midpoint(zone.from.y, zone.to.y),
        );
        let dx = (unit.anchor.x - middle.x).clamp(zone.from.x - middle.x, zone.to.x - middle.x);
        return (zone.army == Army::AngloEgyptian).then_some(Point::new(middle.x + dx, middle.y));
    }
    if !must_go(data) {
        return None;
    }
    let markers = table.state.markers.iter().map(|m| m.at);
    let seen = table.bodies.iter().filter(|b| b.army == Army::Mahdist).map(|b| b.pose.at);
    markers.chain(seen).min_by_key(|p| (p.square_to(unit.anchor), *p))
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

/// Whom a Mahdist charges: who is near, and rather the weak than the strong.
fn prey<'a>(table: &Table<'a>, from: Point) -> Option<&'a str> {
    let regulars = table.bodies.iter().filter(|b| b.army == Army::AngloEgyptian);
    let worth = |b: &Body| {
        let combat = values_of(table.data, table.unit(b), b.base).combat;
        (from.distance(b.pose.at) + 200 * combat, b.unit, b.base)
    };
    regulars.min_by_key(|b| worth(b)).map(|b| table.unit(b).id.as_str())
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
        } else if unit.order == Order::Attack {
            if let Some(prey) = prey(table, spot(unit)) {
                write_move(out, "unit", &unit.id, &format!("\"charge {prey}\""));
                out.push_str("if = \"order ATTACK\"\n");
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
    for (index, unit) in mine(table, Army::AngloEgyptian) {
        if table.engaged(index) || unit.formation == Formation::Column && unit.order == Order::Hold
        {
            if unit.formation == Formation::Column && !table.engaged(index) {
                write_move(out, "unit", &unit.id, "\"form battle\"");
            }
            continue;
        }
        if unit.order == Order::Move
            && let Some(to) = quarry(table, unit)
        {
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

/// Regulars fire at markers where they see nothing else (R22).
fn aim(table: &Table<'_>, out: &mut String) {
    for unit in table.state.units.iter().filter(|u| u.army() == Army::AngloEgyptian) {
        let _ = write!(out, "[[fire]]\nunit = \"{}\"\nmarkers = true\n", unit.id);
    }
}

/// Hidden units stand where the scenario has them, with the order to come where they
/// must; false markers go into cover.
fn lurk(table: &Table<'_>, out: &mut String) {
    let data = table.data;
    if must_come(data) {
        for (unit, at) in table
            .state
            .units
            .iter()
            .filter(|u| u.army() == Army::Mahdist && !u.troop.is_gun())
            .map(|u| (&u.id, u.anchor))
        {
            let (x, y) = (data.inches(at.x), data.inches(at.y));
            let _ =
                write!(out, "[[deploy]]\nunit = \"{unit}\"\nat = [{x}, {y}]\norder = \"ATTACK\"\n");
        }
    }
    let (most, _) = super::check::most_false(data, table.state, |_| true);
    let zones: Vec<_> = data.scenario.zones.iter().filter(|z| z.army == Army::Mahdist).collect();
    let mut left = most;
    for shape in data.scenario.shapes.iter().filter(|s| data.class(s).hides && !data.class(s).fence)
    {
        let at = shape.middle();
        if left > 0 && zones.iter().any(|z| z.has(at)) {
            left -= 1;
            let (x, y) = (data.inches(at.x), data.inches(at.y));
            let _ = write!(out, "[[false]]\nat = [{x}, {y}]\n");
        }
    }
}
