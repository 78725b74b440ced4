//! An order file as understood, for the receipt.

use super::check::{Legal, Plan, Told, Who};
use super::data::FigureId;
use super::position::Position;
use crate::core::words::runs;

/// The orders as understood, a line each.
pub fn understood(position: &Position<'_>, plan: &Plan) -> Vec<String> {
    let data = position.data;
    let c = &data.compound;
    let names = |ids: &[FigureId]| {
        let names: Vec<&str> = ids.iter().map(|id| data.figure(*id).id.as_str()).collect();
        runs(&names).join(", ")
    };
    let mut out = Vec::new();
    match plan.day {
        Some(true) if plan.waves.is_empty() => {
            let what = super::form::smallest_words(position);
            out.push(format!("today: an assault, to which no wave is formed here: {what}"));
        }
        Some(true) => out.push("today: an assault".to_owned()),
        Some(false) if position.state.forced => {
            let what = if plan.waves.is_empty() {
                format!(": {}", super::form::smallest_words(position))
            } else {
                String::new()
            };
            out.push(format!("today: an assault, because both jokers fell [R8]{what}"));
        }
        Some(false) => out.push("today: sniping".to_owned()),
        None => {}
    }
    if let Some(rifles) = plan.rocks {
        out.push(format!(
            "in the rocks: {}, if today is an assault",
            if rifles == 1 { "1 rifleman".to_owned() } else { format!("{rifles} riflemen") }
        ));
    }
    for order in plan.posts.iter().map(Legal::get) {
        let who = match &order.who {
            Who::These(ids) => names(ids),
            Who::From { post, kind, count } => {
                let kind = match (kind, count) {
                    (Some(kind), 1) => kind.name().to_owned(),
                    (Some(kind), _) => format!("{}s", kind.name()),
                    (None, 1) => "man".to_owned(),
                    (None, _) => "men".to_owned(),
                };
                format!("{count} {kind} of {}", data.post_id(*post))
            }
        };
        let verb = if position.state.window.in_assault() { "go to" } else { "stand at" };
        let when = order.when.as_ref().map_or(String::new(), |c| format!(", if {}", c.text));
        out.push(format!("{who}: {verb} {}{when}", data.post_id(order.to)));
    }
    for order in plan.waves.iter().map(Legal::get) {
        let when = order.when.as_ref().map_or(String::new(), |c| format!(", if {}", c.text));
        out.push(format!(
            "round {}: a wave against {}: {}, {}, {}{when}; {}",
            order.round,
            c.wall(order.target).id,
            some(order.spears, "spear"),
            some(order.rifles, "rifle"),
            some(order.markers, "marker"),
            told(&order.told)
        ));
    }
    for order in plan.tells.iter().map(Legal::get) {
        out.push(format!("wave-{}: {}", order.0, told(&order.1)));
    }
    for order in plan.withdraws.iter().map(Legal::get) {
        let when = order.when.as_ref().map_or(String::new(), |c| format!(", if {}", c.text));
        out.push(format!("wave-{} withdraws{when}", order.wave));
    }
    if let Some(doctrine) = &plan.doctrine {
        out.push("standing from now on:".to_owned());
        out.extend(doctrine.orders().into_iter().map(|l| format!("  {l}")));
    }
    if out.is_empty() {
        out.push(super::form::default_words(position));
    }
    out
}

/// A number of things, the word in the plural where there are several.
fn some(n: u32, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

pub(super) fn told(told: &Told) -> String {
    let intents: Vec<&str> = told.intents.iter().map(|i| i.word()).collect();
    format!(
        "raise {}, through {}, within: {}, {} at the tower",
        told.raise.word(),
        told.through.word(),
        intents.join(" "),
        told.workers
    )
}
