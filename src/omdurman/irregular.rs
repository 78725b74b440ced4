//! What of a position the rules could not have brought about: for a referee who has
//! edited a state.

use super::board::Terrain;
use super::cite::{cite, uncounted};
use super::data::{Army, Data, Kind};
use super::position::Position;
use super::state::{Place, State, Window};
use super::violation::Violation;

/// One line for each thing, with its rule; nothing for a lawful position.
pub fn irregular(data: &Data, state: &State) -> Vec<String> {
    uncounted(|| found(data, state))
}

fn found(data: &Data, state: &State) -> Vec<String> {
    let position = Position::new(data, state);
    let mut lines = Vec::new();
    let mut wrong = |violation: &Violation| {
        let rule = violation.rule().map(|rule| format!(" [{rule}]")).unwrap_or_default();
        lines.push(format!("{violation}{rule}"));
    };
    for army in [Army::AngloEgyptian, Army::Dervish] {
        for hex in position.hexes(army) {
            let all: Vec<_> = position.of(army, hex).collect();
            // A hex that holds too many is told once, with how many.
            let crowd = |n: usize| position.may_join(hex, &all[..n], all[n]).err();
            let faults: Vec<Violation> = (0..all.len()).filter_map(crowd).collect();
            let many = |v: &Violation| matches!(v, Violation::Overstacked { .. });
            let worst = faults.iter().rposition(many);
            for (n, fault) in faults.iter().enumerate() {
                if !many(fault) || worst == Some(n) {
                    wrong(fault);
                }
            }
            // 5.4: leaders of the Anglo-Egyptians who stand alone stop nobody.
            let enemy = position.body(army.enemy(), hex);
            if let (Army::AngloEgyptian, Some(enemy), true) =
                (army, enemy.first(), position.has_body(army, hex))
            {
                let enemy = data.unit(*enemy).id.clone();
                wrong(&Violation::EnemyThere { hex, enemy });
            }
        }
    }
    for id in data.ids() {
        let unit = data.unit(id);
        let Some(hex) = state.hex(id) else { continue };
        match (data.board.terrain(hex) == Terrain::Nile, unit.kind.is_gunboat()) {
            (true, false) => wrong(&Violation::IntoTheNile { unit: unit.id.clone(), hex }),
            (false, true) => wrong(&Violation::OutOfTheNile { unit: unit.id.clone(), hex }),
            _ => {}
        }
        if let Err(closed) = position.may_enter_city(id, hex) {
            wrong(&closed);
        }
    }
    for id in data.ids() {
        let (unit, now) = (data.unit(id), state.unit(id));
        let never = unit.kind == Kind::Fort || unit.kind.is_gunboat();
        if state.disrupted(id) && (never || state.hex(id).is_none()) {
            lines.push(format!("`{}` cannot be disrupted [{}]", unit.id, cite("7.8.A")));
        }
        if let Place::Aboard { boat, .. } = now.place {
            let name = &data.unit(boat).id;
            if state.hex(boat).is_none() || state.aboard(data, boat).len() > 1 {
                let rule = cite("6.5.2.C");
                lines.push(format!("`{}` has no room aboard `{name}` [{rule}]", unit.id));
            }
        }
    }
    if state.result.is_some() != (state.window == Window::End) {
        lines.push("a game has a result when it is over, and only then".to_owned());
    }
    lines
}
