//! Questions about a position, each answered with its reasons.

use std::fmt::Write as _;

use serde_json::json;

use crate::game::{Answer, GameError, Question};
use crate::geometry::plane::{Point, nearest};

use super::data::Army;
use super::fire::{Aim, muzzle, silent, targets, value_at};
use super::form::unit_facts;
use super::manoeuvre::{March, Step};
use super::state::Presence;
use super::table::Table;

/// The topics with what they want.
const TOPICS: [(&str, &str); 6] = [
    ("unit", "ask unit UNIT: order, formation, rates, nearest enemy, obedience"),
    ("reach", "ask reach UNIT: how far it can go straight on, and whether it can charge"),
    ("range", "ask range A B: the distance between units, bases, markers, generals or x,y"),
    ("targets", "ask targets UNIT [STEP]: what each base may fire at (steps 2, 3 or 5)"),
    ("contacts", "ask contacts: who is in contact with whom, and how they would be matched"),
    ("los", "ask los A B: whether the one sees the other, and what is between"),
];

fn wrong(message: impl Into<String>) -> GameError {
    let help = TOPICS.map(|(_, text)| text).join("\n");
    GameError::Question { message: message.into(), help }
}

fn unit_index(table: &Table<'_>, id: &str) -> Result<usize, GameError> {
    table.state.units.iter().position(|u| u.id == id).ok_or_else(|| {
        let known = table.state.units.iter().map(|u| u.id.as_str());
        match crate::core::diag::did_you_mean(id, known) {
            Some(near) => wrong(format!("`{id}` names no unit; did you mean `{near}`?")),
            None => wrong(format!("`{id}` names no unit")),
        }
    })
}

/// The shapes of anything that has a place.
fn shapes(table: &Table<'_>, word: &str) -> Result<Vec<Vec<Point>>, GameError> {
    if let Some(body) = table.body(word) {
        return Ok(vec![body.shape.to_vec()]);
    }
    if let Some(index) = table.state.units.iter().position(|u| u.id == word) {
        let of: Vec<Vec<Point>> = table.bodies_of(index).map(|b| b.shape.to_vec()).collect();
        return Ok(if of.is_empty() { vec![vec![table.state.units[index].anchor]] } else { of });
    }
    if let Some(marker) = table.state.marker(word) {
        return Ok(vec![vec![marker.at]]);
    }
    if let Some(general) = table.state.general(word) {
        return Ok(vec![vec![general.at]]);
    }
    let mut parts = word.split(',').map(|n| table.data.read_inches(n.trim()));
    match (parts.next().flatten(), parts.next().flatten(), parts.next()) {
        (Some(x), Some(y), None) => Ok(vec![vec![Point::new(x, y)]]),
        _ => Err(wrong(format!("`{word}` has no place: a unit, base, marker, general, or x,y"))),
    }
}

fn gap(a: &[Point], b: &[Point]) -> i64 {
    let from = |a: &[Point], b: &[Point]| {
        a.iter().map(|p| p.distance(nearest(b, *p))).min().unwrap_or(i64::MAX)
    };
    from(a, b).min(from(b, a))
}

/// Answers a question.
///
/// # Errors
/// Another topic, too few words, a name of nothing.
pub fn ask(table: &Table<'_>, question: &Question) -> Result<Answer, GameError> {
    let data = table.data;
    let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
    match (question.topic.as_str(), &words[..]) {
        ("unit", [id]) => {
            let index = unit_index(table, id)?;
            let unit = &table.state.units[index];
            let facts = unit_facts(table, index);
            let mut text = format!(
                "{id}: {}, {} of {} bases, {} in {}, front at {} facing {}\n",
                data.troop(unit.troop).name,
                unit.strength(),
                unit.bases.len(),
                unit.order.word(),
                unit.formation.word(),
                data.spot(unit.anchor),
                unit.facing.degrees()
            );
            for fact in &facts {
                let _ = writeln!(text, "  {fact}");
            }
            for (n, base) in unit.standing() {
                let _ = writeln!(
                    text,
                    "  {} at {} facing {}{}",
                    unit.base_id(n),
                    data.spot(base.at),
                    base.facing.degrees(),
                    if base.condition == super::state::Condition::Suppressed {
                        ", suppressed [R29]"
                    } else {
                        ""
                    }
                );
            }
            Ok(Answer { text, json: json!({ "unit": id, "facts": facts }) })
        }
        ("reach", [id]) => reach(table, id),
        ("range", [a, b]) => {
            let (x, y) = (shapes(table, a)?, shapes(table, b)?);
            let least = x.iter().flat_map(|s| y.iter().map(|t| gap(s, t))).min().unwrap_or(0);
            let inches = data.inches(least);
            let text = format!("{a} to {b}: {inches} inches, from edge to edge\n");
            Ok(Answer { text, json: json!({ "from": a, "to": b, "inches": inches }) })
        }
        ("targets", [id, rest @ ..]) => {
            let step = match rest {
                [] => None,
                [n] => Some(
                    n.parse::<u32>()
                        .ok()
                        .filter(|n| [2, 3, 5].contains(n))
                        .ok_or_else(|| wrong(format!("`{n}` is no step of fire: 2, 3 or 5")))?,
                ),
                _ => return Err(wrong("`targets` wants a unit and perhaps a step")),
            };
            fire_targets(table, id, step)
        }
        ("contacts", []) => Ok(contacts(table)),
        ("los", [a, b]) => sight(table, a, b),
        (topic, _) => {
            let known = TOPICS.iter().any(|(t, _)| *t == topic);
            Err(wrong(if known {
                format!("`{topic}` wants other words")
            } else {
                format!("`{topic}` is no question of this game")
            }))
        }
    }
}

fn reach(table: &Table<'_>, id: &str) -> Result<Answer, GameError> {
    let data = table.data;
    let index = unit_index(table, id)?;
    let mut text = String::new();
    let mut march = March::new(table, index);
    let rate = march.rate;
    march.run(&[Step::Advance(None)]);
    let gone: Vec<String> = march.way.clone();
    let _ = writeln!(text, "{id} moves {} inches [R17]", data.inches(rate));
    let ahead = if gone.is_empty() { "nowhere".to_owned() } else { gone.join(", ") };
    let why = march.halt.as_ref().map_or(String::new(), |h| {
        let rule = if h.rule.is_empty() { String::new() } else { format!(" [{}]", h.rule) };
        format!(" ({}{rule})", h.why)
    });
    let _ = writeln!(text, "straight ahead: {ahead}{why}");
    let mut charge = March::new(table, index);
    charge.run(&[Step::Charge(None)]);
    let charges = charge.met.clone();
    let _ = match &charges {
        Some(who) => writeln!(text, "charge nearest: meets {who} ({})", charge.way.join(", ")),
        None => writeln!(
            text,
            "charge nearest: no ({})",
            charge.halt.map_or("out of reach".to_owned(), |h| h.why)
        ),
    };
    Ok(Answer { text, json: json!({ "unit": id, "rate": data.inches(rate), "charges": charges }) })
}

fn fire_targets(table: &Table<'_>, id: &str, step: Option<u32>) -> Result<Answer, GameError> {
    let data = table.data;
    let index = unit_index(table, id)?;
    let unit = &table.state.units[index];
    let step = step.unwrap_or(if unit.army() == Army::Mahdist { 2 } else { 3 });
    let mut text = String::new();
    if unit.presence != Presence::Table {
        let _ = writeln!(text, "{id} is not on the table for all to see; firing shows it [R20]");
    }
    if let Some((why, rule)) = silent(unit, table.state.turn) {
        let rule = if rule.is_empty() { String::new() } else { format!(" [{rule}]") };
        let _ = writeln!(text, "{id} does not fire: {why}{rule}");
    }
    let mut list = Vec::new();
    for (n, body) in table.bodies.iter().enumerate().filter(|(_, b)| b.unit == index) {
        let mut all = targets(table, n, step);
        all.sort_by_key(|(aim, range)| (*range, aim.clone()));
        let words: Vec<String> = all
            .iter()
            .map(|(aim, range)| {
                let name = match aim {
                    Aim::Base(b) => table.name(&table.bodies[*b]),
                    Aim::Marker(m) => m.clone(),
                };
                format!("{name} at {} with {}", data.inches(*range), value_at(table, body, *range))
            })
            .collect();
        let what = if words.is_empty() { "nothing".to_owned() } else { words.join("; ") };
        let line = format!("{}: {what}", table.name(body));
        let _ = writeln!(text, "{}", crate::core::template::wrap(&line, 0, 4, 72));
        list.push(json!({ "base": table.name(body), "targets": words }));
    }
    Ok(Answer { text, json: json!({ "unit": id, "step": step, "bases": list }) })
}

fn contacts(table: &Table<'_>) -> Answer {
    let matched = super::combat::pairs(table, &[]);
    let mut text = String::new();
    let mut list = Vec::new();
    for pair in &matched {
        let (a, b) = (&table.bodies[pair.regular], &table.bodies[pair.mahdist]);
        let (ours, _) = super::combat::modifiers(table, a, b, &matched);
        let (theirs, _) = super::combat::modifiers(table, b, a, &matched);
        let sum = |m: &[super::events::Modifier]| m.iter().map(|m| m.by).sum::<i64>();
        let line = format!(
            "{} fights {}: modifiers {:+} against {:+} [R23, R25]",
            table.name(a),
            table.name(b),
            sum(&ours),
            sum(&theirs)
        );
        let _ = writeln!(text, "{line}");
        list.push(line);
    }
    if list.is_empty() {
        text.push_str("nobody is in contact\n");
    }
    Answer { text, json: json!({ "combats": list }) }
}

fn sight(table: &Table<'_>, a: &str, b: &str) -> Result<Answer, GameError> {
    let from = match table.body(a) {
        Some(body) => muzzle(table, body),
        None => shapes(table, a)?[0][0],
    };
    let target = shapes(table, b)?;
    let to = target.iter().map(|s| nearest(s, from)).min_by_key(|p| p.square_to(from));
    let to = to.ok_or_else(|| wrong(format!("`{b}` has no place")))?;
    let but: Vec<(usize, usize)> = [a, b]
        .iter()
        .filter_map(|w| table.body(w).map(|b| (b.unit, b.base)))
        .chain(
            table
                .bodies
                .iter()
                .filter(|x| table.unit(x).id == b && nearest(&x.shape, from) == to)
                .map(|x| (x.unit, x.base)),
        )
        .collect();
    let blocked = table.blocked(from, to, &but);
    let range = table.data.inches(from.distance(to));
    let text = match &blocked {
        None => format!("{a} sees {b}: {range} inches, nothing is between [R23]\n"),
        Some(what) => format!("{a} does not see {b}: {what} is between [R23]\n"),
    };
    Ok(Answer {
        text,
        json: json!({ "clear": blocked.is_none(), "between": blocked, "inches": range }),
    })
}
