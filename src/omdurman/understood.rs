//! An order file as understood, for the receipt: a line an order, stacks together.

use super::check::{Legal, Manner, Plan, Retreat, path_words};
use super::data::{UnitId, Weapon};
use super::form::default_words;
use super::movement::Walk;
use super::position::Position;
use super::words::id_list;

/// The orders as understood.
pub fn understood(position: &Position<'_>, plan: &Plan) -> Vec<String> {
    let data = position.data;
    let names = |ids: &[UnitId]| id_list(data, ids);
    let mut out = Vec::new();
    for order in plan.places.iter().map(Legal::get) {
        out.push(format!("place {} in {}", names(&order.units), position.hex_words(order.hex)));
    }
    for order in plan.hides.iter().map(Legal::get) {
        out.push(format!("hide: {}", order.note));
    }
    for order in plan.loads.iter().map(Legal::get) {
        out.push(format!("{} goes on board {}", names(&[order.unit]), names(&[order.boat])));
    }
    moves(position, plan, &mut out);
    for order in plan.tasks.iter().map(Legal::get) {
        out.push(format!("{}: {}", names(&order.units), order.task.words()));
    }
    if !plan.deserters.is_empty() {
        out.push(format!("desert first: {}", names(&plan.deserters)));
    }
    fights(position, plan, &mut out);
    if let Some(losses) = &plan.losses {
        out.push(format!("losses in this phase: {}", losses.join(", ")));
    }
    if let Some(standing) = &plan.standing {
        let mut words = Vec::new();
        if !standing.losses.is_empty() {
            words.push(format!("losses {}", standing.losses.join(", ")));
        }
        if let Some(fire) = &standing.fire {
            words.push(format!("fire {fire}"));
        }
        if let Some(advance) = standing.advance {
            words.push(format!("advance {advance}"));
        }
        if let Some(retreat) = &standing.retreat {
            words.push(format!("retreat {retreat}"));
        }
        out.push(format!("standing orders: {}", words.join("; ")));
    }
    out.push(format!("everybody else: {}", default_words(position)));
    out
}

fn moves(position: &Position<'_>, plan: &Plan, out: &mut Vec<String>) {
    let data = position.data;
    for order in plan.moves.iter().map(Legal::get) {
        // Units with the same way are one line.
        let mut groups: Vec<(Vec<UnitId>, &Walk)> = Vec::new();
        for (id, walk) in &order.walks {
            match groups.iter_mut().find(|g| g.1 == walk) {
                Some(group) => group.0.push(*id),
                None => groups.push((vec![*id], walk)),
            }
        }
        for (units, walk) in groups {
            let names = id_list(data, &units);
            let to = walk.path.last().map_or(String::new(), ToString::to_string);
            let verb = match order.manner {
                Manner::Enters => format!("enters -> {to}"),
                Manner::Lands => format!("goes ashore -> {to}"),
                Manner::Moves if walk.path.len() < 2 => {
                    out.push(format!("{names} stays in {to}"));
                    continue;
                }
                Manner::Moves => format!("{} -> {to}", walk.path[0]),
            };
            let (cost, allowance) = (walk.cost, walk.allowance);
            let path = path_words(&walk.path);
            out.push(format!("{names} {verb}   {cost} MP of {allowance}   {path}"));
        }
    }
}

fn fights(position: &Position<'_>, plan: &Plan, out: &mut Vec<String>) {
    let names = |ids: &[UnitId]| id_list(position.data, ids);
    let list = |at: &[super::fire::Target]| {
        at.iter().map(ToString::to_string).collect::<Vec<_>>().join(", else ")
    };
    for order in plan.fires.iter().map(Legal::get) {
        let advance = if order.advance == Some(true) { ", then advance" } else { "" };
        let with = match order.weapon {
            Some(Weapon::Maxims) => " (Maxims)",
            Some(_) => " (artillery)",
            None => "",
        };
        let units = names(&order.units);
        out.push(format!("fire {units}{with} at {}{advance}", list(&order.at)));
    }
    for order in plan.seconds.iter().map(Legal::get) {
        let advance = if order.advance == Some(true) { ", then advance" } else { "" };
        let units = names(&order.units);
        out.push(format!("second fire {units} at {}{advance}", list(&order.at)));
    }
    for order in plan.shells.iter().map(Legal::get) {
        let joins = if order.combine { ", joining second fire there" } else { "" };
        let units = names(&order.units);
        out.push(format!("howitzer fire {units} at {}{joins}", list(&order.at)));
    }
    if !plan.holds.is_empty() {
        let ids: Vec<UnitId> = plan.holds.iter().copied().collect();
        out.push(format!("hold fire: {}", names(&ids)));
    }
    for order in plan.melees.iter().map(Legal::get) {
        let at: Vec<String> = order.at.iter().map(ToString::to_string).collect();
        out.push(format!("melee {} at {}", names(&order.units), at.join(", else ")));
    }
    let mut stands: Vec<UnitId> = Vec::new();
    for (id, how) in &plan.retreats {
        match how {
            Retreat::Never => stands.push(*id),
            Retreat::Away => out.push(format!("{} retreats away from infantry", names(&[*id]))),
            Retreat::Path(path) => {
                out.push(format!("{} retreats by {}", names(&[*id]), path_words(path)));
            }
        }
    }
    if !stands.is_empty() {
        out.push(format!("never retreat: {}", names(&stands)));
    }
}
