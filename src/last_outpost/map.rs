//! The compound as a text plan, with who holds what.

use super::data::{Side, Way};
use super::position::Position;
use super::state::Place;

/// The plan: each `<NAME...>` of the drawing becomes the place's defenders, and after
/// a colon the Mahdists before it or in it.
pub fn draw(position: &Position<'_>) -> Vec<String> {
    position.data.compound.plan.iter().map(|line| fill(position, line)).collect()
}

fn fill(position: &Position<'_>, line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        let Some((token, after)) = after.split_once('>') else { break };
        out.push_str(before);
        let name = token.trim_end_matches('.');
        let width = token.chars().count() + 2;
        let text = label(position, name);
        out.push_str(&crate::core::template::pad(&text, width, false));
        rest = after;
    }
    out.push_str(rest);
    out.trim_end().to_owned()
}

fn label(position: &Position<'_>, name: &str) -> String {
    let c = &position.data.compound;
    let (ours, theirs) = if let Some(wall) = c.find_wall(name) {
        (position.holders(wall).len(), position.before(wall).len())
    } else if let Some(room) = c.find_room(name) {
        let open = |side: Side| {
            let ids = position.in_room(side, room);
            ids.iter()
                .filter(|id| !matches!(position.state.place(**id), Place::Wall(_) | Place::Gun(_)))
                .count()
        };
        (open(Side::Garrison), open(Side::Mahdist))
    } else {
        return format!("{name}?");
    };
    if theirs > 0 { format!("{name} {ours}:{theirs}") } else { format!("{name} {ours}") }
}

/// What the figures of the plan mean.
pub const LEGEND: &str = "4:12 = four defenders, twelve Mahdists (before a wall, or within)";

/// Who stands where, a line a place that somebody holds or comes at.
pub fn places(position: &Position<'_>) -> Vec<String> {
    let (data, state) = (position.data, position.state);
    let c = &data.compound;
    let mut out = Vec::new();
    let people = |ids: &[super::data::FigureId]| {
        let mut counts: std::collections::BTreeMap<(super::data::Kind, bool), usize> =
            std::collections::BTreeMap::new();
        for id in ids {
            let figure = state.figure(*id);
            *counts.entry((data.figure(*id).kind, figure.wounded)).or_default() += 1;
        }
        let words: Vec<String> = counts
            .into_iter()
            .map(|((kind, wounded), n)| {
                let s = if n == 1 { "" } else { "s" };
                format!("{n} {}{}{s}", if wounded { "wounded " } else { "" }, kind.name())
            })
            .collect();
        words.join(", ")
    };
    for room in c.room_ids() {
        let mut parts: Vec<String> = Vec::new();
        for wall in c.walls_of(room) {
            let holders = position.holders(wall);
            let before = position.before(wall);
            let mut part = String::new();
            if !holders.is_empty() {
                part = people(&holders);
                let loaded = holders.iter().filter(|id| position.can_fire(**id)).count();
                if state.window.in_assault() {
                    part = format!("{part} ({loaded} can fire)");
                }
            }
            if let Some(gun) = c.gun_at(wall) {
                let word = position.gun_word(gun);
                part = format!(
                    "{part}{}{} {word}",
                    if part.is_empty() { "" } else { "; " },
                    c.gun(gun).id
                );
            }
            if !before.is_empty() {
                part = format!(
                    "{part}{}before it {}",
                    if part.is_empty() { "" } else { "; " },
                    people(&before)
                );
            }
            if !part.is_empty() {
                let way = if c.wall(wall).way == Way::Outer { "" } else { "barrier " };
                parts.push(format!("{way}{}: {part}", c.wall(wall).id));
            }
        }
        for (side, word) in [(Side::Garrison, "in the open"), (Side::Mahdist, "Mahdists within")] {
            let ids: Vec<_> = position
                .in_room(side, room)
                .into_iter()
                .filter(|id| matches!(state.place(*id), Place::Open(_) | Place::Across(_)))
                .collect();
            if !ids.is_empty() {
                parts.push(format!("{} {word}: {}", c.room(room).id, people(&ids)));
            }
        }
        out.extend(parts);
    }
    out
}
