//! Fire: who may, at whom, with what (R23 to R25).

use crate::geometry::plane::{Point, nearest};

use super::cite;
use super::data::{Arm, Army};
use super::events::Modifier;
use super::state::{FirePlan, Formation, Unit};
use super::table::{Body, Table, values_of};

/// What a base fires at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aim {
    /// A base, by its place among the bodies.
    Base(usize),
    /// A marker, by id.
    Marker(String),
}

/// A base with its target and the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The firer, by its place among the bodies.
    pub firer: usize,
    /// The target.
    pub aim: Aim,
    /// The range in units.
    pub range: i64,
}

/// The value for fire at a range; 0 where it does not reach.
pub fn value_at(table: &Table<'_>, body: &Body, range: i64) -> i64 {
    cite("R24");
    let values = values_of(table.data, table.unit(body), body.base);
    let band = table.data.bands.iter().position(|far| range <= *far);
    band.map_or(0, |b| values.fire[b])
}

/// Why a unit does not fire at all, if it does not; with the rule.
pub fn silent(unit: &Unit, turn: u32) -> Option<(&'static str, &'static str)> {
    if unit.fire.hold {
        Some(("it holds its fire", ""))
    } else if unit.formed == turn && turn > 0 {
        Some(("it changes formation", "R23"))
    } else if unit.troop.is_gun() && unit.formation == Formation::Column {
        Some(("its guns are limbered", "R15"))
    } else {
        None
    }
}

/// The middle of a base's front, from which fire is measured.
pub fn muzzle(table: &Table<'_>, body: &Body) -> Point {
    body.pose.front(&table.data.compass, body.size)
}

/// Everything that a base may fire at in a step, with the range of each.
pub fn targets(table: &Table<'_>, firer: usize, step: u32) -> Vec<(Aim, i64)> {
    let body = &table.bodies[firer];
    let unit = table.unit(body);
    let values = values_of(table.data, unit, body.base);
    if !body.sound || values.fire.iter().all(|v| *v == 0) {
        return Vec::new();
    }
    if table.state.storm.is_some() && table.data.rulings.storm_stops_fire {
        return Vec::new();
    }
    let met = table.enemies_of(body);
    let touched = !met.is_empty();
    // A base in contact fires in phase 3 alone, and only at those in contact with it
    // (ruling `fire-in-contact`).
    if touched && (step != 3 || table.data.rulings.no_fire_in_contact) {
        return Vec::new();
    }
    let from = muzzle(table, body);
    let compass = &table.data.compass;
    let ahead = |p: Point| {
        let (right, forward) = compass.seen(from, body.pose.facing, p);
        right.abs() <= forward
    };
    let reaches = |range: i64| value_at(table, body, range) > 0 && range <= table.sight();
    let bands = values.fire.iter().zip(table.data.bands);
    let longest = bands.filter(|(v, _)| **v > 0).map(|(_, far)| far).max().unwrap_or(0);
    let mut out = Vec::new();
    for (n, enemy) in table.bodies.iter().enumerate().filter(|(_, e)| e.army != body.army) {
        let far = longest + enemy.radius;
        if from.square_to(enemy.pose.at) > far * far {
            continue;
        }
        let p = nearest(&enemy.shape, from);
        let range = from.distance(p);
        if !reaches(range) {
            continue;
        }
        if touched {
            if table.contact(body, enemy).is_some() {
                out.push((Aim::Base(n), range));
            }
            continue;
        }
        if !ahead(p) || step != 3 && !table.enemies_of(enemy).is_empty() {
            continue;
        }
        let but = [(body.unit, body.base), (enemy.unit, enemy.base)];
        if table.blocked(from, p, &but).is_none() {
            out.push((Aim::Base(n), range));
        }
    }
    if body.army == Army::AngloEgyptian && !touched {
        for marker in table.markers() {
            let range = from.distance(marker.at);
            if reaches(range)
                && ahead(marker.at)
                && table.blocked(from, marker.at, &[(body.unit, body.base)]).is_none()
            {
                out.push((Aim::Marker(marker.id.clone()), range));
            }
        }
    }
    out
}

/// How well a target fits a wish of a fire plan: lower is better; `None` not at all.
fn fits(table: &Table<'_>, firer: &Body, aim: &Aim, wish: &str, plan: &FirePlan) -> bool {
    match aim {
        Aim::Base(n) => {
            let body = &table.bodies[*n];
            let unit = table.unit(body);
            match wish {
                "in-contact" => table.in_contact(firer, body),
                "nearest" => true,
                "cavalry" => unit.troop.arm() == Arm::Cavalry,
                "infantry" => unit.troop.arm() == Arm::Infantry,
                "guns" => unit.troop.is_gun(),
                "rifles" => unit.bases[body.base].rifles,
                id => unit.id == id,
            }
        }
        Aim::Marker(id) => wish == "markers" || wish == id || (wish == "nearest" && plan.markers),
    }
}

/// The shots of a unit in a step: every base states its target before any is resolved
/// (R23). Wishes go from first to last; of those that fit, the nearest that fewer than
/// `per_target` bases of the unit fire at already, else the nearest.
pub fn declare(table: &Table<'_>, unit: usize, step: u32) -> Vec<Shot> {
    let u = &table.state.units[unit];
    if silent(u, table.state.turn).is_some() || !u.on_table() {
        return Vec::new();
    }
    cite("R23");
    let mut taken: Vec<(Aim, u32)> = Vec::new();
    let mut out = Vec::new();
    let firers: Vec<usize> =
        (0..table.bodies.len()).filter(|n| table.bodies[*n].unit == unit).collect();
    for firer in firers {
        let all = targets(table, firer, step);
        let count = |aim: &Aim| taken.iter().find(|(a, _)| a == aim).map_or(0, |(_, n)| *n);
        let mut chosen: Option<(Aim, i64)> = None;
        let mut wishes: Vec<&str> = u.fire.targets.iter().map(String::as_str).collect();
        if u.fire.markers && !wishes.contains(&"markers") {
            wishes.push("markers");
        }
        for wish in wishes {
            let fit: Vec<&(Aim, i64)> = all
                .iter()
                .filter(|(aim, _)| fits(table, &table.bodies[firer], aim, wish, &u.fire))
                .collect();
            let key = |t: &&&(Aim, i64)| (t.1, t.0.clone());
            let fresh = fit.iter().filter(|t| count(&t.0) < u.fire.per_target).min_by_key(key);
            if let Some(best) = fresh.or_else(|| fit.iter().min_by_key(key)) {
                chosen = Some((best.0.clone(), best.1));
                break;
            }
        }
        if let Some((aim, range)) = chosen {
            match taken.iter_mut().find(|(a, _)| *a == aim) {
                Some((_, n)) => *n += 1,
                None => taken.push((aim.clone(), 1)),
            }
            out.push(Shot { firer, aim, range });
        }
    }
    out
}

fn modifier(what: &str, by: i64, rule: &str) -> Modifier {
    Modifier { what: what.to_owned(), by, rule: rule.to_owned() }
}

/// What a base has of its own, firing or fired at (R25).
pub fn own_modifiers(table: &Table<'_>, body: &Body) -> Vec<Modifier> {
    let by = &table.data.modifiers;
    let mut out = Vec::new();
    if body.army == Army::AngloEgyptian && table.bad_going(body.pose.at) {
        out.push(modifier("in bad going", by.bad_going, cite("R25").0));
    }
    if table.macdonald(body) {
        out.push(modifier("MacDonald", by.macdonald, cite("R25").0));
    }
    out
}

/// What the firer of a shot adds (R25).
pub fn shot_modifiers(table: &Table<'_>, shot: &Shot) -> Vec<Modifier> {
    let body = &table.bodies[shot.firer];
    let mut out = own_modifiers(table, body);
    let from = muzzle(table, body);
    let (middle, point) = match &shot.aim {
        Aim::Base(n) => {
            let target = &table.bodies[*n];
            (target.pose.at, nearest(&target.shape, from))
        }
        Aim::Marker(id) => {
            let at = table.state.marker(id).map_or(from, |m| m.at);
            (at, at)
        }
    };
    // Behind a fence too, where the fence is theirs and not the firer's.
    let fenced = table.fence_between(body.pose.at, middle, 100)
        && !table.fence_between(middle, body.pose.at, 100)
        && from != point;
    if table.in_cover(middle) || fenced {
        out.push(modifier("target in cover", table.data.modifiers.cover, cite("R25").0));
    }
    out
}
