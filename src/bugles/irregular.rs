//! What of a position the rules could not have brought about: for a referee who has
//! edited a state.

use crate::geometry::plane::overlap;

use super::cite::{cite, uncounted};
use super::data::{Data, Shape};
use super::state::{Formation, Order, State};
use super::table::Table;
use super::violation::Violation;

/// One line for each thing, with its rule; nothing for a lawful position.
pub fn irregular(data: &Data, state: &State) -> Vec<String> {
    uncounted(|| found(data, state))
}

fn found(data: &Data, state: &State) -> Vec<String> {
    let table = Table::new(data, state);
    // Bases that have wheeled and closed up cut by a rounding more than a step may.
    let slack = 2 * data.slack;
    let mut lines = Vec::new();
    for (n, body) in table.bodies.iter().enumerate() {
        let name = table.name(body);
        let blocked = |shape: &Shape| {
            data.class(shape).impassable && overlap(&body.shape, &shape.points, slack)
        };
        let off = body.shape.iter().any(|p| !data.scenario.on_table(*p));
        if off || data.scenario.shapes.iter().any(blocked) {
            lines.push(format!("{name} is off the table or in an obstacle [{}]", cite("R3")));
        }
        for other in &table.bodies[..n] {
            if overlap(&body.shape, &other.shape, slack) {
                let other = table.name(other);
                lines.push(format!("{name} lies on {other} [{}]", cite("R3")));
            }
        }
    }
    for unit in &state.units {
        if unit.order == Order::Attack && unit.formation == Formation::Column {
            let fault = Violation::AttackInColumn { unit: unit.id.clone() };
            let rule = fault.rule().map(|rule| format!(" [{rule}]")).unwrap_or_default();
            lines.push(format!("{fault}{rule}"));
        }
    }
    lines
}
