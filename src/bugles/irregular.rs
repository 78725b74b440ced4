//! What of a position the rules could not have brought about: for a referee who has
//! edited a state.

use super::cite::cite;
use super::data::Data;
use super::state::{Formation, Order, State};
use super::table::Table;

/// One line for each thing, with its rule; nothing for a lawful position.
pub fn irregular(data: &Data, state: &State) -> Vec<String> {
    let table = Table::new(data, state);
    let mut lines = Vec::new();
    for (n, body) in table.bodies.iter().enumerate() {
        let name = table.name(body);
        if !table.open(&body.shape) {
            lines.push(format!("{name} is off the table or in an obstacle [{}]", cite("R3")));
        }
        for other in &table.bodies[..n] {
            if table.lies_on(&body.shape, other) {
                let other = table.name(other);
                lines.push(format!("{name} lies on {other} [{}]", cite("R3")));
            }
        }
    }
    for unit in &state.units {
        if unit.order == Order::Attack && unit.formation == Formation::Column {
            lines.push(format!("{} has ATTACK in column [{}]", unit.id, cite("R10")));
        }
    }
    lines
}
