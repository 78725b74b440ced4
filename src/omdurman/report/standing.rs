//! How the game stands: losses, points, who stands where, a player's own units.

use super::super::data::{Army, Data, Kind, Victory};
use super::super::position::Position;
use super::super::resolve;
use super::super::state::{Place, State};
use super::super::words::{counted, runs};
use super::{Group, LostLine, Mine, PositionModel};
use crate::core::id::Id;

/// A player's units one a line, or by place where there are many.
pub(super) fn mine(
    data: &Data,
    state: &State,
    player: &Id,
    many: usize,
) -> (Vec<Mine>, Vec<Group>) {
    let lines: Vec<Mine> = data
        .ids()
        .filter(|id| state.owner(data, *id) == Some(player))
        .map(|id| {
            let unit = data.unit(id);
            let place = match &state.unit(id).place {
                Place::Waiting => "off the map".to_owned(),
                Place::At(hex) => hex.to_string(),
                Place::Aboard { boat, .. } => format!("on board {}", data.unit(*boat).id),
                Place::Eliminated(when) => format!("lost, {when}"),
                Place::Out => "out".to_owned(),
            };
            let note = match (state.disrupted(id), state.damaged.contains(&id)) {
                (true, _) => "disrupted",
                (_, true) => "engines lost",
                _ => "",
            };
            Mine { unit: unit.id.clone(), place, note: note.to_owned() }
        })
        .collect();
    if lines.len() <= many {
        return (lines, Vec::new());
    }
    let mut groups: Vec<Group> = Vec::new();
    for line in &lines {
        let place = match line.note.as_str() {
            "" => line.place.clone(),
            note => format!("{} ({note})", line.place),
        };
        // Losses are told together, whenever they fell.
        let place = if place.starts_with("lost") { "lost".to_owned() } else { place };
        match groups.iter_mut().find(|g| g.place == place) {
            Some(group) => group.units.push(line.unit.clone()),
            None => groups.push(Group { place, units: vec![line.unit.clone()] }),
        }
    }
    groups.sort_by(|a, b| a.place.cmp(&b.place));
    for group in &mut groups {
        group.units = runs(&group.units);
    }
    (Vec::new(), groups)
}

/// Losses, how the game stands, and who stands where.
pub(super) fn position_model(data: &Data, position: &Position<'_>) -> PositionModel {
    let state = position.state;
    let lost = data
        .scenario
        .sides
        .iter()
        .map(|side| {
            let gordon = matches!(data.scenario.victory, Victory::Gordon(_));
            let lost = if side.army == Army::Dervish && gordon {
                resolve::dervish_lost(data, state)
            } else {
                state.eliminated(data, side.army)
            };
            LostLine { side: side.name.clone(), lost, note: loss_note(data, side.army, lost) }
        })
        .collect();
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
                .collect::<Vec<_>>();
            holdings.push(Group { place: position.hex_words(hex), units: runs(&units) });
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
            let place = format!("off the map ({})", side.name);
            holdings.push(Group { place, units: runs(&counted(off)) });
        }
    }
    for id in data.ids() {
        if let Place::Aboard { boat, .. } = state.unit(id).place {
            let place = format!("on board {}", data.unit(boat).id);
            holdings.push(Group { place, units: vec![data.unit(id).id.clone()] });
        }
    }
    PositionModel {
        lost,
        stands: stands(data, position),
        breaches: state.breaches.iter().map(ToString::to_string).collect(),
        disrupted: down,
        holdings,
    }
}

/// What more losses would cost, where the scenario says so.
fn loss_note(data: &Data, army: Army, lost: u32) -> String {
    match &data.scenario.victory {
        Victory::Gordon(victory) if army == Army::Dervish => {
            let next = victory.losses.iter().find(|p| lost < p.units);
            next.map_or(String::new(), |p| {
                format!(
                    "{} cost the Dervish {} level{} [9.3.5.B]",
                    p.units,
                    p.levels,
                    if p.levels == 1 { "" } else { "s" }
                )
            })
        }
        Victory::Eliminations(victory) => {
            let need = |l: &super::super::data::EliminationLevel| match army {
                Army::Dervish => l.anglo_egyptian,
                Army::AngloEgyptian => l.dervish,
            };
            let now = victory.levels.iter().rev().find(|l| lost >= need(l));
            let next = victory.levels.iter().find(|l| lost < need(l));
            let by = data.side(army.enemy()).name.clone();
            let mut text = now.map_or(String::new(), |l| format!("{by}: {}", l.name));
            if let Some(next) = next {
                text = format!("{text}, {} from {}", next.name, need(next));
            }
            text
        }
        _ => String::new(),
    }
}

fn stands(data: &Data, position: &Position<'_>) -> Vec<String> {
    let state = position.state;
    match &data.scenario.victory {
        Victory::Gordon(_) => gordon_words(data, position),
        Victory::Eliminations(victory) => {
            let (result, _) = resolve::eliminations(data, state, victory);
            vec![format!("As it stands: {result} [9.2.4.C].")]
        }
        Victory::Points(victory) => {
            let (ours, theirs, holder) = resolve::points_now(data, state, victory);
            let name = |army: Army| data.side(army).name.clone();
            vec![format!(
                "Victory points: {} {ours}, {} {theirs}, with {} for the Mahdi's Tomb, which \
                 the {} hold [9.1.4].",
                name(Army::AngloEgyptian),
                name(Army::Dervish),
                victory.tomb_points,
                name(holder)
            )]
        }
    }
}

fn gordon_words(data: &Data, position: &Position<'_>) -> Vec<String> {
    let state = position.state;
    let Some((gordon, palace)) = data.scenario.gordon else { return Vec::new() };
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
    words
}
