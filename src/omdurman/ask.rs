//! Questions about a position, each answered with its reasons and rule numbers,
//! from the functions that the checker and the resolver use.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::core::diag::did_you_mean;
use crate::game::{Answer, GameError, Question};
use crate::geometry::hex::{Hex, Side};

use super::check::{entry_hexes, landing_hexes, may_enter_now, path_words};
use super::data::{Kind, UnitId};
use super::fire::Target;
use super::position::Position;
use super::state::Place;

/// The topics with what they want.
pub const TOPICS: [(&str, &str); 5] = [
    ("reach", "ask reach UNIT: where it can move, with the cost"),
    ("cost", "ask cost UNIT HEX...: what a path costs, step by step"),
    ("los", "ask los HEX HEX: whether the first sees the second, and what blocks"),
    ("targets", "ask targets UNIT: what it can fire at and attack"),
    ("zoc", "ask zoc HEX: whose zones of control reach the hex, and why"),
];

fn help() -> String {
    TOPICS.map(|(_, text)| text).join("\n")
}

fn wrong(message: impl Into<String>) -> GameError {
    GameError::Question { message: message.into(), help: help() }
}

/// Answers a question.
///
/// # Errors
/// A question that names no unit or hex, or has too few words.
pub fn ask(position: &Position<'_>, question: &Question) -> Result<Answer, GameError> {
    let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
    match (question.topic.as_str(), &words[..]) {
        ("reach", [unit]) => Ok(reach(position, find(position, unit)?)),
        ("cost", [unit, path @ ..]) if !path.is_empty() => {
            let hexes: Vec<Hex> =
                path.iter().map(|h| hex(position, h)).collect::<Result<_, _>>()?;
            Ok(cost(position, find(position, unit)?, &hexes))
        }
        ("los", [from, to]) => Ok(los(position, hex(position, from)?, hex(position, to)?)),
        ("targets", [unit]) => Ok(targets(position, find(position, unit)?)),
        ("zoc", [text]) => Ok(zoc(position, hex(position, text)?)),
        (topic, _) if TOPICS.iter().any(|(t, _)| *t == topic) => {
            Err(wrong(format!("`ask {topic}` wants other words than these")))
        }
        (topic, _) => Err(wrong(format!("`{topic}` is no question of this game"))),
    }
}

fn find(position: &Position<'_>, text: &str) -> Result<UnitId, GameError> {
    let data = position.data;
    data.find(text).ok_or_else(|| {
        let near = did_you_mean(text, data.units.iter().map(|u| u.id.as_str()));
        let hint = near.map_or(String::new(), |n| format!(": did you mean `{n}`?"));
        wrong(format!("`{text}` names no unit of this game{hint}"))
    })
}

fn hex(position: &Position<'_>, text: &str) -> Result<Hex, GameError> {
    Hex::parse(text)
        .filter(|h| position.data.board.has(*h))
        .ok_or_else(|| wrong(format!("`{text}` is no hex of this map")))
}

fn answer(text: String, json: Value) -> Answer {
    Answer { text, json }
}

fn reach(position: &Position<'_>, id: UnitId) -> Answer {
    let unit = position.data.unit(id);
    let (up, down) = position.allowances(id);
    let refuse = |v: super::violation::Violation| {
        let rule = v.rule().map_or(String::new(), |r| format!(" [{r}]"));
        answer(
            format!("{v}{rule}\n"),
            json!({ "unit": unit.id, "moves": false, "why": v.to_string(), "rule": v.rule() }),
        )
    };
    let found = match &position.state.unit(id).place {
        Place::At(_) => match position.may_move(id) {
            Ok(()) => position.reach(id),
            Err(v) => return refuse(v),
        },
        Place::Waiting => match may_enter_now(position, id) {
            Ok(()) => position.reach_entering(id, entry_hexes(position, id).into_iter()),
            Err(v) => return refuse(v),
        },
        Place::Eliminated(when) => {
            return refuse(super::violation::Violation::Dead {
                unit: unit.id.clone(),
                when: when.clone(),
            });
        }
        Place::Aboard { .. } => match landing_hexes(position, id) {
            Ok(hexes) => position.reach_entering(id, hexes.into_iter()),
            Err(v) => return refuse(v),
        },
        Place::Out => {
            return refuse(super::violation::Violation::NotOnMap { unit: unit.id.clone() });
        }
    };
    let mp = if up == down { format!("{up} MP") } else { format!("{up} MP up, {down} MP down") };
    let night = if position.data.night(position.state.turn) { ", at night [8.1.A]" } else { "" };
    let mut text =
        format!("{} {} ({mp}{night}) reaches {} hexes:\n", unit.id, unit.factors(), found.len());
    let mut rows = Vec::new();
    for (hex, r) in found.iter() {
        let mut line = format!("  {hex}  {:>2} MP  {}", r.cost, path_words(&r.path));
        if let Some(enemy) = r.stops {
            let _ = write!(line, "  stops: zone of {} [5.2.6]", position.data.unit(enemy).id);
        }
        text.push_str(&line);
        text.push('\n');
        rows.push(json!({
            "hex": hex.to_string(), "mp": r.cost, "path": path_words(&r.path),
            "stops": r.stops.map(|e| position.data.unit(e).id.clone()),
        }));
    }
    answer(text, json!({ "unit": unit.id, "moves": true, "up": up, "down": down, "reach": rows }))
}

fn cost(position: &Position<'_>, id: UnitId, hexes: &[Hex]) -> Answer {
    let unit = position.data.unit(id);
    let (path, entering): (Vec<Hex>, bool) = match position.state.hex(id) {
        Some(from) if hexes.first() == Some(&from) => (hexes.to_vec(), false),
        Some(from) => (std::iter::once(from).chain(hexes.iter().copied()).collect(), false),
        None => (hexes.to_vec(), true),
    };
    let mut text = String::new();
    let mut steps = Vec::new();
    let mut total = 0;
    for (i, to) in path.iter().enumerate() {
        let step = match (i, entering) {
            (0, false) => continue,
            (0, true) => position.entry_step(id, *to),
            _ => position.step(id, path[i - 1], *to),
        };
        match step {
            Ok(step) => {
                total += step.mp;
                let parts: Vec<String> =
                    step.parts.iter().map(|(what, mp)| format!("{what} {mp}")).collect();
                let _ = writeln!(text, "  {to}  {:>2} MP  {}", step.mp, parts.join(" + "));
                steps.push(json!({ "hex": to.to_string(), "mp": step.mp, "parts": parts }));
            }
            Err(v) => {
                let rule = v.rule().map_or(String::new(), |r| format!(" [{r}]"));
                let _ = writeln!(text, "  {to}  no: {v}{rule}");
                steps
                    .push(json!({ "hex": to.to_string(), "why": v.to_string(), "rule": v.rule() }));
                break;
            }
        }
    }
    let verdict = match position.may_move(id) {
        Err(v) => Err(v),
        Ok(()) => position.walk(id, &path, entering).map_err(|b| b.violation),
    };
    let (line, legal) = match &verdict {
        Ok(walk) => (format!("{total} of {} MP: legal [5.1.1]", walk.allowance), true),
        Err(v) => {
            let rule = v.rule().map_or(String::new(), |r| format!(" [{r}]"));
            (format!("not legal: {v}{rule}"), false)
        }
    };
    let text = format!("{} {}\n{text}{line}\n", unit.id, path_words(&path));
    answer(
        text,
        json!({
            "unit": unit.id, "path": path_words(&path), "steps": steps, "mp": total, "legal": legal,
            "why": verdict.as_ref().err().map(ToString::to_string),
            "rule": verdict.as_ref().err().and_then(super::violation::Violation::rule),
        }),
    )
}

fn los(position: &Position<'_>, from: Hex, to: Hex) -> Answer {
    let (a, b) = (position.level(from), position.level(to));
    let blocks = position.sight(from, to, None);
    let mut text = format!(
        "{} ({} level) to {} ({} level), {} hexes: ",
        position.hex_words(from),
        a.name(),
        position.hex_words(to),
        b.name(),
        from.distance(to)
    );
    if blocks.is_empty() {
        text.push_str("clear [6.3]\n");
    } else {
        text.push_str("blocked\n");
        for block in &blocks {
            let _ = writeln!(text, "  {} [{}]", block.what, block.rule);
        }
    }
    let crossed: Vec<String> = if from == to {
        Vec::new()
    } else {
        crate::geometry::line::line(from, to).crossed.iter().map(ToString::to_string).collect()
    };
    if !crossed.is_empty() {
        let _ = writeln!(text, "  the line crosses {}", crossed.join(" "));
    }
    let json = json!({
        "from": from.to_string(), "to": to.to_string(), "levels": [a.name(), b.name()],
        "distance": from.distance(to), "clear": blocks.is_empty(), "crosses": crossed,
        "blocks": blocks.iter().map(|b| json!({ "what": b.what, "rule": b.rule })).collect::<Vec<_>>(),
    });
    answer(text, json)
}

fn targets(position: &Position<'_>, id: UnitId) -> Answer {
    let unit = position.data.unit(id);
    let army = unit.army;
    let mut text = String::new();
    let mut can = Vec::new();
    let mut cannot = Vec::new();
    if let Err(v) = position.can_fire(id) {
        let rule = v.rule().map_or(String::new(), |r| format!(" [{r}]"));
        let _ = writeln!(text, "fire: {v}{rule}");
    } else {
        let _ = writeln!(
            text,
            "{} fires {} ({}) up to {} hexes:",
            unit.id,
            unit.fire,
            unit.weapon.name(),
            position.fire_reach(id)
        );
        for (target, shot) in position.targets(id) {
            let modifiers = position.fire_modifiers(army, target, std::slice::from_ref(&shot));
            let words: Vec<String> =
                modifiers.iter().map(|m| format!("{:+} {} [{}]", m.drm, m.what, m.rule)).collect();
            let _ = writeln!(
                text,
                "  {target}  range {} {} = {} factors  {}  {}",
                shot.range,
                shot.multiplier.text(),
                shot.factors,
                position.target_words(army, target),
                words.join(", ")
            );
            can.push(json!({
                "target": target.to_string(), "range": shot.range, "factors": shot.factors,
                "multiplier": shot.multiplier.text(), "modifiers": modifiers,
            }));
        }
        for target in position.targets_of(army) {
            if let Err(v) = position.shot(id, target) {
                let rule = v.rule().map_or(String::new(), |r| format!(" [{r}]"));
                if let Target::Fort(_) = target {
                    continue;
                }
                let _ = writeln!(text, "  not {target}: {v}{rule}");
                cannot.push(
                    json!({ "target": target.to_string(), "why": v.to_string(), "rule": v.rule() }),
                );
            }
        }
    }
    let melee: Vec<String> = position.melee_targets(id).iter().map(ToString::to_string).collect();
    match position.can_melee(id) {
        Err(v) => {
            let rule = v.rule().map_or(String::new(), |r| format!(" [{r}]"));
            let _ = writeln!(text, "melee: {v}{rule}");
        }
        Ok(_) if melee.is_empty() => {
            text.push_str("melee: no enemy beside it that it may attack [7.2]\n");
        }
        Ok(_) => {
            let _ = writeln!(text, "melee {} at {} [7.2.A]", unit.melee, melee.join(", "));
        }
    }
    answer(text, json!({ "unit": unit.id, "fire": can, "cannot": cannot, "melee": melee }))
}

fn zoc(position: &Position<'_>, hex: Hex) -> Answer {
    let mut text = format!("zones of control into {}:\n", position.hex_words(hex));
    let mut rows = Vec::new();
    for (dir, from) in position.data.board.neighbours(hex) {
        for id in position.at(from) {
            let unit = position.data.unit(*id);
            let side = &position.data.side(unit.army).id;
            let boat = unit.kind.is_gunboat();
            let crosses = if boat {
                Err(crate::core::rule::Rule("5.4.A"))
            } else {
                position.exerts(*id).and_then(|_| position.zone_crosses(from, dir.opposite()))
            };
            let (yes, rule) = match crosses {
                Ok(rule) => (true, rule),
                Err(rule) => (false, rule),
            };
            let note = if boat { " (against gunboats only)" } else { "" };
            let word = if yes { "reaches" } else { "does not reach" };
            let _ = writeln!(text, "  {} of {side} in {from} {word} it [{rule}]{note}", unit.id);
            rows.push(json!({ "unit": unit.id, "side": side, "from": from.to_string(), "reaches": yes, "rule": rule }));
        }
    }
    if rows.is_empty() {
        text.push_str("  nobody stands beside it\n");
    }
    let mut out: Vec<Value> = Vec::new();
    let here = position.at(hex).iter().any(|id| position.data.unit(*id).kind != Kind::Staff);
    if here {
        let _ = writeln!(text, "zones of control out of it:");
    }
    for (dir, to) in position.data.board.neighbours(hex) {
        if !here {
            break;
        }
        let (yes, rule) = match position.zone_crosses(hex, dir) {
            Ok(rule) => (true, rule),
            Err(rule) => (false, rule),
        };
        let side = Side::new(hex, dir);
        let word = if yes { "reaches" } else { "does not reach" };
        let _ = writeln!(text, "  {word} {to} across {side} [{rule}]");
        out.push(json!({ "to": to.to_string(), "reaches": yes, "rule": rule }));
    }
    answer(text, json!({ "hex": hex.to_string(), "into": rows, "out": out }))
}
