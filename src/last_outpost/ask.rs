//! Questions about a position, answered by the functions that the resolver asks.

use std::fmt::Write as _;

use serde_json::json;

use crate::core::words::runs;
use crate::game::{Answer, GameError, Question};

use super::data::{FigureId, Post, Side, Way};
use super::position::{Aim, Position};
use super::state::place_words;

const HELP: &str = "ask reach FIGURE, targets FIGURE or GUN, front WALL, zone ZONE, wave N";

/// Answers a question.
///
/// # Errors
/// A question that names nothing, or no topic of this game.
pub fn ask(position: &Position<'_>, question: &Question) -> Result<Answer, GameError> {
    let wrong = |message: String| GameError::Question { message, help: HELP.to_owned() };
    let word = question
        .words
        .first()
        .ok_or_else(|| wrong(format!("`{}` asks about nothing", question.topic)))?;
    let data = position.data;
    let c = &data.compound;
    let answer = match question.topic.as_str() {
        "reach" | "cost" => {
            let id = data.find(word).ok_or_else(|| wrong(format!("`{word}` is no figure")))?;
            reach(position, id)
        }
        "targets" => match (data.find(word), c.find_gun(word)) {
            (Some(id), _) => Some(targets(position, id)),
            (_, Some(gun)) => {
                let waves = position.gun_targets(gun);
                let names: Vec<String> =
                    waves.iter().map(|w| format!("wave-{}", w.number)).collect();
                let text = format!(
                    "{word} can fire at waves that come at its side of the compound [R31]: {}\n",
                    none(&names)
                );
                Some((text, json!({"gun": word, "waves": names})))
            }
            _ => return Err(wrong(format!("`{word}` is no figure and no gun"))),
        },
        "front" | "zoc" => {
            let wall = c.find_wall(word).ok_or_else(|| wrong(format!("`{word}` is no wall")))?;
            let front = position.front(wall);
            let names = |ids: &[FigureId]| {
                let n: Vec<&str> = ids.iter().map(|id| data.figure(*id).id.as_str()).collect();
                runs(&n).join(", ")
            };
            let mut text = format!(
                "{word}: {} of {} places held; ",
                position.holders(wall).len(),
                c.wall(wall).places
            );
            let _ = writeln!(text, "{} stand before it", position.before(wall).len());
            let _ = writeln!(text, "  may cross [R23]: {}", dash(&names(&front.crossers)));
            for (holder, attackers) in &front.pairs {
                let holder = &data.figure(*holder).id;
                let _ = writeln!(text, "  {holder} against {}", names(attackers));
            }
            let _ = writeln!(text, "  wait: {}", dash(&names(&front.waiting)));
            let ids = |list: &[FigureId]| -> Vec<&str> {
                list.iter().map(|id| data.figure(*id).id.as_str()).collect()
            };
            let pairs: std::collections::BTreeMap<&str, Vec<&str>> =
                front.pairs.iter().map(|(h, a)| (data.figure(*h).id.as_str(), ids(a))).collect();
            let value = json!({"wall": word, "crossers": ids(&front.crossers), "pairs": pairs, "waiting": ids(&front.waiting)});
            Some((text, value))
        }
        "zone" => {
            let zone = c.find_zone(word).ok_or_else(|| wrong(format!("`{word}` is no zone")))?;
            let ours = position.at_barriers(zone);
            let theirs = position.in_zone(Side::Mahdist, zone).len();
            let first = if theirs > ours { "both sides roll" } else { "the garrison has it" };
            let text = format!(
                "{} ({word}): {ours} at barriers, {theirs} Mahdists within\n\
                 initiative [R13]: {first}\n",
                c.zone(zone).name
            );
            Some((text, json!({"zone": word, "garrison": ours, "mahdists": theirs})))
        }
        "wave" => {
            let number = word.trim_start_matches("wave-").parse().ok();
            let wave = number
                .and_then(|n| position.state.wave(n))
                .ok_or_else(|| wrong(format!("`{word}` is no wave of this assault")))?;
            let [first, second] = position.limits(wave);
            let men = position.members(wave.number).len();
            let text = format!(
                "wave-{} against {}: {men} men, {} of {} moves [R16]\n\
                 casualties {}; it checks morale at {first} and {second} [R20]\n",
                wave.number,
                c.wall(wave.target).id,
                wave.moves,
                data.tables.wave_moves,
                wave.casualties
            );
            let value = json!({"wave": wave.number, "men": men, "moves": wave.moves, "casualties": wave.casualties, "limits": [first, second]});
            Some((text, value))
        }
        other => return Err(wrong(format!("`{other}` is no topic of this game"))),
    };
    let (text, json) = answer.ok_or_else(|| wrong(format!("`{word}` does not stand there")))?;
    Ok(Answer { text, json })
}

fn none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn dash(text: &str) -> &str {
    if text.is_empty() { "nobody" } else { text }
}

/// Where a defender can be, and after how many rounds.
fn reach(position: &Position<'_>, id: FigureId) -> Option<(String, serde_json::Value)> {
    let data = position.data;
    let c = &data.compound;
    let from = position.state.place(id).room(data)?;
    let mut rounds: Vec<Option<u32>> = vec![None; c.rooms.len()];
    rounds[from.at()] = Some(1);
    // Few rooms: relax until nothing changes.
    let cost = |way: Way| match way {
        Way::Outer => None,
        // To it, over it, and free in the third round (R23).
        Way::Barrier(_) => Some(2),
        Way::Door(_) | Way::Ladder(_) => Some(1),
    };
    for _ in 0..c.rooms.len() {
        for room in c.room_ids() {
            let Some(now) = rounds[room.at()] else { continue };
            for (next, wall) in c.next_to(room) {
                if let Some(more) = cost(c.wall(wall).way) {
                    let then = now + more;
                    if rounds[next.at()].is_none_or(|r| r > then) {
                        rounds[next.at()] = Some(then);
                    }
                }
            }
        }
    }
    let figure = &data.figure(id).id;
    let place = place_words(data, position.state.place(id));
    let mut text = format!("{figure}, {place}: free to act at a place of\n");
    let mut rows = Vec::new();
    for room in c.room_ids() {
        if let Some(r) = rounds[room.at()] {
            let left = position.places_left(Post::Room(room));
            let full = if left == 0 { ", full now" } else { "" };
            let _ = writeln!(text, "  {:<10} in round {r} [R21, R23, R24]{full}", c.room(room).id);
            rows.push(json!({"room": c.room(room).id, "round": r}));
        }
    }
    Some((text, json!({"figure": figure, "rooms": rows})))
}

fn targets(position: &Position<'_>, id: FigureId) -> (String, serde_json::Value) {
    let data = position.data;
    let c = &data.compound;
    let figure = &data.figure(id).id;
    let loaded = position.can_fire(id);
    let mut text =
        format!("{figure} {}\n", if loaded { "can fire at" } else { "cannot fire now [R29, R30]" });
    let mut rows = Vec::new();
    for aim in position.aims(id) {
        let (what, rule) = match aim {
            Aim::Inside(room) => (format!("Mahdists within {}", c.room(room).id), "R27"),
            Aim::Section(wall) => (format!("those before {}", c.wall(wall).id), "R27"),
            Aim::Wave(n) => (format!("wave-{n}"), "R17"),
            Aim::Next(room) => (format!("Mahdists in {}", c.room(room).id), "R28"),
            Aim::Snipers => ("snipers".to_owned(), "R41, R42"),
        };
        let men = position.men(aim, id).len();
        let _ = writeln!(text, "  {what}: {men} men [{rule}]");
        rows.push(json!({"target": what, "men": men, "rule": rule}));
    }
    if rows.is_empty() {
        text.push_str("  nobody stands where he could fire at him\n");
    }
    let contact = position.contact(id);
    if !contact.is_empty() {
        let names: Vec<&str> = contact.iter().map(|m| data.figure(*m).id.as_str()).collect();
        let _ = writeln!(text, "  in contact with {}", runs(&names).join(", "));
    }
    (text, json!({"figure": figure, "loaded": loaded, "targets": rows}))
}
