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
        Some(true) => out.push("today: an assault".to_owned()),
        Some(false) => out.push("today: sniping".to_owned()),
        None => {}
    }
    if let Some(rifles) = plan.rocks {
        out.push(format!("in the rocks: {rifles} riflemen, if today is an assault"));
    }
    for order in plan.posts.iter().map(Legal::get) {
        let who = match &order.who {
            Who::These(ids) => names(ids),
            Who::From { post, kind, count } => {
                let kind = kind.map_or("men", super::data::Kind::name);
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
            "round {}: a wave against {}: {} spears, {} rifles, {} markers{when}; {}",
            order.round,
            c.wall(order.target).id,
            order.spears,
            order.rifles,
            order.markers,
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
        let text = toml::to_string(doctrine).unwrap_or_default();
        out.push("standing from now on:".to_owned());
        out.extend(text.lines().filter(|l| !l.is_empty()).map(|l| format!("  {l}")));
    }
    if out.is_empty() {
        out.push(super::form::default_words(position));
    }
    out
}

fn told(told: &Told) -> String {
    let intents: Vec<&str> = told.intents.iter().map(|i| i.word()).collect();
    format!(
        "raise {}, through {}, within: {}, {} at the tower",
        told.raise.word(),
        told.through.word(),
        intents.join(" "),
        told.workers
    )
}
