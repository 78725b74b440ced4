//! An order file as understood, for the receipt: a line an order.

use super::check::{Act, Condition, Go, Legal, Plan};
use super::data::Data;
use super::form::default_words;
use super::state::{FirePlan, State};

/// A condition in words.
pub fn condition(data: &Data, when: &Condition) -> String {
    match when {
        Condition::EnemyWithin(n) => format!("an enemy is within {}", data.inches(*n)),
        Condition::NoEnemyWithin(n) => format!("no enemy is within {}", data.inches(*n)),
        Condition::InContact => "it is in contact".to_owned(),
        Condition::UnderFire => "it came under fire".to_owned(),
        Condition::Has(order) => format!("it has {}", order.word()),
    }
}

/// A fire plan in words.
pub fn fire_words(plan: &FirePlan) -> String {
    if plan.hold {
        return "holds its fire".to_owned();
    }
    let markers = if plan.markers { ", markers too" } else { "" };
    format!(
        "fires at {}, {} base(s) a target{markers}",
        plan.targets.join(", then "),
        plan.per_target
    )
}

/// The orders as understood.
pub fn understood(data: &Data, state: &State, plan: &Plan) -> Vec<String> {
    let mut out = Vec::new();
    let only = |when: &Option<Condition>| {
        when.as_ref().map_or(String::new(), |w| format!(" if {}", condition(data, w)))
    };
    for d in plan.deploys.iter().map(Legal::get) {
        out.push(format!(
            "set up {} at {} facing {}, {}, {}",
            d.unit,
            data.spot(d.at),
            d.facing.degrees(),
            d.formation.word(),
            d.order.word()
        ));
    }
    for f in plan.falses.iter().map(Legal::get) {
        out.push(format!("a false marker at {}", data.spot(f.at)));
    }
    for g in plan.generals.iter().map(Legal::get) {
        out.push(match &g.go {
            Go::To(to) => format!("{} goes to {}", g.general, data.spot(*to)),
            Go::Attach(base) => format!("{} goes to {base} and stays with it", g.general),
        });
    }
    for c in plan.changes.iter().map(Legal::get) {
        out.push(format!("{}: {}{}", c.unit, c.to.word(), only(&c.only_if)));
    }
    for m in plan.moves.iter().map(Legal::get) {
        let act = match m.act {
            None => "",
            Some(Act::Move) => ", moves",
            Some(Act::Fire) => ", fires",
            Some(Act::MoveThenFire) => ", moves, then fires",
            Some(Act::FireThenMove) => ", fires, then moves",
        };
        out.push(format!("{}{act}{}", m.words(data), only(&m.only_if)));
    }
    for f in plan.fires.iter().map(Legal::get) {
        out.push(format!("{} {}", f.unit, fire_words(&f.plan)));
    }
    for r in plan.reveals.iter().map(Legal::get) {
        out.push(format!("{r} is shown"));
    }
    out.push(format!("everybody else: {}", default_words(data, state)));
    out
}
