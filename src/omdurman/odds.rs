//! Odds: one attack exactly, from the functions that resolve it; and what the events
//! of a window come to, for counting over many resolutions.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::core::chance::Chances;
use crate::core::dice::Roller;
use crate::core::template::{WIDTH, wrap};
use crate::game::{Answer, GameError, Question, Subject, Tally, Trials};
use crate::geometry::hex::Hex;

use super::cite::cite;
use super::data::{Army, Cell, Data, Kind, UnitId};
use super::events::{Event, Modifier};
use super::fire::{Shot, Target};
use super::position::Position;
use super::resolve::{Foreseen, Part, resolve_untold};
use super::state::State;
use super::violation::Violation;

/// The topics with what they want.
pub const TOPICS: [(&str, &str); 3] = [
    ("chart", "odds chart --factors N [--drm N]: a row of the results table"),
    ("fire", "odds fire AT --with UNIT...: fire at a hex, HEX:fort or HEX:SIDE (a wall)"),
    ("melee", "odds melee HEX --with UNIT...: both sides' dice"),
];

fn wrong(message: impl Into<String>) -> GameError {
    let help = TOPICS.map(|(_, text)| text).join("\n");
    GameError::Question { message: message.into(), help }
}

/// The exact odds of one attack: `chart FACTORS DRM`, `fire AT UNIT...`, `melee HEX
/// UNIT...`.
///
/// # Errors
/// Another topic, too few words, a unit that cannot do it (each one, with its rule).
pub fn odds(
    data: &Data,
    position: Option<&Position<'_>>,
    question: &Question,
) -> Result<Answer, GameError> {
    let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
    let seen = || {
        position.ok_or_else(|| wrong("these odds need a position: go into a game or name --view"))
    };
    match (question.topic.as_str(), &words[..]) {
        ("chart", [factors, drm]) => {
            let factors = factors.parse().ok().filter(|n| *n > 0);
            let (Some(factors), Ok(drm)) = (factors, drm.parse()) else {
                return Err(wrong("the chart wants factors from 1 and a modifier"));
            };
            Ok(chart(data, factors, drm))
        }
        ("fire", [at, units @ ..]) if !units.is_empty() => {
            let position = seen()?;
            let target = Target::parse(at)
                .ok_or_else(|| wrong(format!("`{at}` is no target: HEX, HEX:fort or HEX:SE")))?;
            fire(position, target, &find(data, units)?)
        }
        ("melee", [at, units @ ..]) if !units.is_empty() => {
            let position = seen()?;
            let hex = Hex::parse(at).ok_or_else(|| wrong(format!("`{at}` is no hex")))?;
            melee(position, hex, &find(data, units)?)
        }
        (topic, _) if TOPICS.iter().any(|(t, _)| *t == topic) => {
            Err(wrong(format!("`odds {topic}` wants other words than these")))
        }
        (topic, _) => Err(wrong(format!("`{topic}` is no attack of this game"))),
    }
}

/// The units of one army by name, each once.
fn find(data: &Data, names: &[&str]) -> Result<Vec<UnitId>, GameError> {
    let mut units = Vec::new();
    let mut faults = Vec::new();
    for name in names {
        match data.find(name) {
            Some(id) if units.contains(&id) => faults.push(format!("`{name}` is named twice")),
            Some(id) => units.push(id),
            None => faults.push(format!("`{name}` names no unit of this game")),
        }
    }
    if units.iter().any(|id| data.unit(*id).army != data.unit(units[0]).army) {
        faults.push("these units are of both sides".to_owned());
    }
    if faults.is_empty() { Ok(units) } else { Err(wrong(faults.join("; "))) }
}

/// Refusals of several units as one.
fn barred(faults: &[Violation]) -> GameError {
    let words: Vec<String> = faults
        .iter()
        .map(|v| v.rule().map_or_else(|| v.to_string(), |rule| format!("{v} [{rule}]")))
        .collect();
    wrong(words.join("; "))
}

/// The results of a number of factors and a modifier of the die.
fn results(data: &Data, factors: u32, drm: i32) -> Chances<Cell> {
    Chances::die(10).map(|face| {
        let face = i32::try_from(*face).unwrap_or(0);
        data.charts.result(factors, face.saturating_add(drm))
    })
}

fn cell_words(cell: Cell) -> String {
    match cell {
        Cell::Nothing => "-  no effect".to_owned(),
        Cell::Disrupt => "D  half disrupted".to_owned(),
        Cell::Eliminate(1) => "1  unit eliminated".to_owned(),
        Cell::Eliminate(n) => format!("{n}  units eliminated"),
    }
}

fn eliminated(cell: Cell) -> u32 {
    if let Cell::Eliminate(n) = cell { n } else { 0 }
}

/// `1-3, 5`: the faces of the die that give a result.
fn faces(data: &Data, factors: u32, drm: i32, cell: Cell) -> String {
    let gives = |face: i32| data.charts.result(factors, face.saturating_add(drm)) == cell;
    let mut out: Vec<String> = Vec::new();
    let mut face = 1;
    while face <= 10 {
        if gives(face) {
            let first = face;
            while face < 10 && gives(face + 1) {
                face += 1;
            }
            out.push(if first == face { face.to_string() } else { format!("{first}-{face}") });
        }
        face += 1;
    }
    out.join(", ")
}

/// The table of one die: result, faces, chance.
fn table(text: &mut String, data: &Data, factors: u32, drm: i32) -> Value {
    let results = results(data, factors, drm);
    let mut rows = Vec::new();
    for (cell, ways) in results.iter() {
        let cell = *cell;
        let faces = faces(data, factors, drm, cell);
        let chance = results.percent(|other| *other == cell);
        let _ = writeln!(text, "       {:<22} die {faces:<9} {chance:>6}", cell_words(cell));
        let result = super::resolve::cell_text(cell);
        rows.push(json!({ "result": result, "faces": faces, "of_10": ways_of(ways) }));
    }
    Value::Array(rows)
}

/// Ways as a JSON number: those of one or two dice are few.
fn ways_of(ways: u128) -> u64 {
    u64::try_from(ways).unwrap_or(u64::MAX)
}

fn chart(data: &Data, factors: u32, drm: i32) -> Answer {
    let (row, _) = data.charts.row(factors);
    let mut text = format!("{factors} factors, row {row}, die {drm:+} [6.2.C]\n");
    let rows = table(&mut text, data, factors, drm);
    let mean = results(data, factors, drm).mean(|cell| eliminated(*cell));
    let _ = writeln!(text, "     eliminated on average {mean}, if so many are there");
    let json = json!({ "factors": factors, "row": row, "drm": drm, "results": rows });
    Answer { text, json }
}

fn modifiers_of(text: &mut String, modifiers: &[Modifier]) -> i32 {
    for m in modifiers {
        let _ = writeln!(text, "       {:+} {:<24} [{}]", m.drm, m.what, m.rule);
    }
    if modifiers.is_empty() {
        text.push_str("       no modifiers\n");
    }
    modifiers.iter().map(|m| m.drm).sum()
}

/// Where a window of movement comes first, the odds are those of today's places.
fn as_it_stands(position: &Position<'_>) -> String {
    let state = position.state;
    let night = if position.data.night(state.turn) { ", night" } else { "" };
    let words = format!(
        "turn {}, {} player-turn{night}, before {}, as all stand now",
        state.turn,
        position.data.side(state.moving).name,
        state.window.title()
    );
    wrap(&words, 0, 3, WIDTH) + "\n"
}

fn fire(position: &Position<'_>, target: Target, units: &[UnitId]) -> Result<Answer, GameError> {
    let data = position.data;
    let army = data.unit(units[0]).army;
    let (mut shots, mut faults): (Vec<Shot>, Vec<Violation>) = (Vec::new(), Vec::new());
    for id in units {
        let mut barred = None;
        let before = shots.len();
        for (weapon, _) in data.unit(*id).arms() {
            match position.shot_with(*id, weapon, target) {
                Ok(shot) => shots.push(shot),
                Err(violation) => barred = barred.or(Some(violation)),
            }
        }
        if shots.len() == before {
            faults.extend(barred.or_else(|| position.shot(*id, target).err()));
        }
    }
    if !faults.is_empty() {
        return Err(barred(&faults));
    }
    let words = position.target_words(army, target);
    let mut text = wrap(&format!("FIRE at {target}: {words} [6.1]"), 0, 3, WIDTH) + "\n";
    text += &as_it_stands(position);
    let mut parts = Vec::new();
    for shot in &shots {
        let unit = data.unit(shot.unit);
        let other = data.scenario.range_table.is_some_and(|table| table != unit.army);
        let note = if other { "  Dervish table [9.3.4.C]" } else { "" };
        let _ = writeln!(
            text,
            "     {:<16} {:>3}  range {}  {:<4}{:>4}{note}",
            unit.id,
            shot.printed,
            shot.range,
            shot.multiplier.text(),
            shot.factors
        );
        parts.push(json!({
            "unit": unit.id, "printed": shot.printed, "range": shot.range,
            "multiplier": shot.multiplier.text(), "factors": shot.factors,
        }));
    }
    let factors: u32 = shots.iter().map(|s| s.factors).sum();
    let (row, _) = data.charts.row(factors);
    let _ = writeln!(text, "                             factors {factors:>4}   row {row} [6.2.C]");
    let modifiers = position.fire_modifiers(army, target, &shots);
    let drm = modifiers_of(&mut text, &modifiers);
    let rows = table(&mut text, data, factors, drm);
    let effect = fire_effect(position, army, target, &results(data, factors, drm), &mut text);
    let json = json!({
        "target": target.to_string(), "with": parts, "factors": factors, "row": row,
        "modifiers": modifiers, "results": rows, "effect": effect,
    });
    Ok(Answer { text, json })
}

/// What the results mean at a target.
fn fire_effect(
    position: &Position<'_>,
    army: Army,
    target: Target,
    results: &Chances<Cell>,
    text: &mut String,
) -> Value {
    let needed = position.data.charts.needed;
    let mut all_or_nothing = |what: &str, needed: u32, rule: &'static str| {
        let hit = |cell: &Cell| eliminated(*cell) >= needed;
        let chance = results.percent(hit);
        let _ = writeln!(text, "     {what} {chance} ({needed} needed) [{}]", cite(rule));
        json!({ "what": what, "of_10": ways_of(results.ways(hit)), "needed": needed, "rule": rule })
    };
    match target {
        Target::Fort(_) => all_or_nothing("the fort is destroyed", needed.fort, "6.6.2.A"),
        Target::Wall(_) => all_or_nothing("the wall is breached", needed.wall, "6.6.3.A"),
        Target::Chain(_) => all_or_nothing("the chain is sunk", needed.chain, "10.2.D"),
        Target::Units(hex) if position.gunboat(hex).is_some() => {
            all_or_nothing("the gunboat is sunk", needed.gunboat, "6.6.1")
        }
        Target::Units(hex) => {
            let body = position.body(army.enemy(), hex);
            losses(text, "lost", results, |cell| eliminated(*cell), body.len())
        }
    }
}

/// The spread of a loss among so many units.
fn losses<T: Ord>(
    text: &mut String,
    word: &str,
    chances: &Chances<T>,
    lost: impl Fn(&T) -> u32,
    there: usize,
) -> Value {
    let there = u32::try_from(there).unwrap_or(u32::MAX);
    let spread = chances.map(|outcome| lost(outcome).min(there));
    let words: Vec<String> = spread
        .iter()
        .map(|(n, _)| {
            let all = if *n == there { " (all)" } else { "" };
            format!("{n}{all} {}", spread.percent(|other| other == n))
        })
        .collect();
    let mean = spread.mean(|n| *n);
    let line = format!("{word}: {}; on average {mean}", words.join(", "));
    let _ = writeln!(text, "{}", wrap(&line, 5, 7, WIDTH));
    let ways: Vec<Value> =
        spread.iter().map(|(n, ways)| json!({ "units": n, "ways": ways_of(ways) })).collect();
    json!({ "there": there, "of": ways_of(spread.total()), "lost": ways })
}

/// One side's factors, modifier and table in a melee; the results of its die.
fn melee_side(
    text: &mut String,
    position: &Position<'_>,
    word: &str,
    units: &[UnitId],
    against: Option<Hex>,
) -> (Chances<Cell>, Value) {
    let data = position.data;
    for id in units {
        let unit = data.unit(*id);
        let hex = position.state.hex(*id).map_or(String::new(), |h| h.to_string());
        let _ = writeln!(text, "     {:<16} {hex}           {:>4}", unit.id, unit.melee);
    }
    let factors: u32 = units.iter().map(|id| data.unit(*id).melee).sum();
    let (row, _) = data.charts.row(factors);
    let _ = writeln!(text, "     {word:<24}factors {factors:>4}   row {row} [7.7.A]");
    let modifier = position.melee_modifier(data.unit(units[0]).army, units, against);
    let drm = modifiers_of(text, std::slice::from_ref(&modifier));
    let rows = table(text, data, factors, drm);
    let names: Vec<&str> = units.iter().map(|id| data.unit(*id).id.as_str()).collect();
    let json = json!({
        "units": names, "factors": factors, "row": row, "modifier": modifier, "results": rows,
    });
    (results(data, factors, drm), json)
}

fn melee(position: &Position<'_>, hex: Hex, units: &[UnitId]) -> Result<Answer, GameError> {
    let data = position.data;
    let army = data.unit(units[0]).army;
    let faults: Vec<Violation> =
        units.iter().filter_map(|id| position.may_melee(*id, hex).err()).collect();
    if !faults.is_empty() {
        return Err(barred(&faults));
    }
    let defenders = position.defenders(army, hex);
    let kind = |id: &UnitId| data.unit(*id).kind;
    let fort = defenders.iter().any(|id| kind(id) == Kind::Fort);
    if fort && !units.iter().any(|id| kind(id) == Kind::Infantry) {
        let rule = cite("6.5.4.F");
        return Err(wrong(format!("only infantry takes a fort: name some [{rule}]")));
    }
    let fit: Vec<UnitId> = defenders
        .iter()
        .copied()
        .filter(|id| data.rulings.disrupted_defend || !position.state.disrupted(*id))
        .collect();
    let words = position.count_words(&defenders);
    let mut text = wrap(&format!("MELEE at {hex}: {words} [7.7.A]"), 0, 3, WIDTH) + "\n";
    text += &as_it_stands(position);
    let (attack, attack_json) = melee_side(&mut text, position, "attack", units, Some(hex));
    text.push('\n');
    let (defence, defence_json) = if fit.is_empty() {
        let rule = cite("7.8.B");
        let _ = writeln!(text, "     all defenders are disrupted and do not roll [{rule}]");
        (Chances::certain(Cell::Nothing), Value::Null)
    } else {
        melee_side(&mut text, position, "defence", &fit, None)
    };
    // Both sides roll before anybody is lost (7.3): every pair of results counts.
    let both = attack.with(&defence, |a, d| (*a, *d));
    let _ = writeln!(text, "\n     both dice, {} ways [{}]", both.total(), cite("7.3"));
    let theirs =
        losses(&mut text, "defenders lost", &both, |(a, _)| eliminated(*a), defenders.len());
    let ours = losses(&mut text, "attackers lost", &both, |(_, d)| eliminated(*d), units.len());
    let cleared = |(a, _): &(Cell, Cell)| eliminated(*a) as usize >= defenders.len();
    let taken = |pair: &(Cell, Cell)| {
        let gone = match pair.1 {
            Cell::Eliminate(n) => n as usize,
            Cell::Disrupt if data.rulings.d_disrupts_attackers => units.len().div_ceil(2),
            _ => 0,
        };
        cleared(pair) && gone < units.len()
    };
    let rule = cite(if army == Army::Dervish { "7.6.A" } else { "7.6.B" });
    let _ = writeln!(
        text,
        "     hex cleared {}; with an attacker left to advance {} [{rule}]",
        both.percent(cleared),
        both.percent(taken)
    );
    let json = json!({
        "target": hex.to_string(), "attack": attack_json, "defence": defence_json,
        "ways": ways_of(both.total()), "defenders": theirs, "attackers": ours,
        "cleared": ways_of(both.ways(cleared)), "taken": ways_of(both.ways(taken)),
    });
    Ok(Answer { text, json })
}

/// A window ready to be resolved again and again.
#[derive(Debug)]
pub struct Window<'a> {
    data: &'a Data,
    before: State,
    parts: Vec<Part>,
    /// Who stood together before: side, hex, units that fire or melee can remove.
    stacks: Vec<(Army, Hex, Vec<UnitId>)>,
    foreseen: Foreseen,
}

impl<'a> Window<'a> {
    /// Makes the window of a state ready, with what each player orders.
    pub fn new(data: &'a Data, before: State, parts: Vec<Part>) -> Self {
        let mut stacks = Vec::new();
        {
            let position = Position::new(data, &before);
            for side in &data.scenario.sides {
                for hex in position.hexes(side.army) {
                    let units: Vec<UnitId> = position
                        .of(side.army, hex)
                        .filter(|id| data.unit(*id).kind != Kind::Staff)
                        .collect();
                    if !units.is_empty() {
                        stacks.push((side.army, hex, units));
                    }
                }
            }
        }
        Self { data, before, parts, stacks, foreseen: Foreseen::default() }
    }

    fn side(&self, army: Army) -> String {
        self.data.side(army).name.clone()
    }

    /// What the events of one resolution come to.
    fn tally(&self, events: &[Event]) -> Tally {
        let data = self.data;
        let mut tally = Tally::new();
        let mut lost = vec![false; data.units.len()];
        for event in events {
            let (id, down) = match event {
                Event::Eliminated { unit, .. } => (data.find(unit), false),
                Event::Disrupted { unit, .. } => (data.find(unit), true),
                Event::GordonFell { unit, .. } => {
                    let what =
                        format!("{} falls", data.find(unit).map_or(unit, |id| &data.unit(id).name));
                    tally.insert(Subject::Happens { what }, 1);
                    (data.find(unit), false)
                }
                Event::Breached { side, .. } => {
                    tally.insert(Subject::Happens { what: format!("wall {side} is breached") }, 1);
                    continue;
                }
                Event::Over { result, .. } => {
                    tally.insert(Subject::End { result: result.clone() }, 1);
                    continue;
                }
                _ => continue,
            };
            let Some(id) = id else { continue };
            let unit = data.unit(id);
            let place = self.before.hex(id).map_or("off map".to_owned(), |h| h.to_string());
            let (side, name) = (self.side(unit.army), unit.id.clone());
            if down {
                tally.insert(Subject::Disrupted { side, unit: name, place }, 1);
                continue;
            }
            lost[usize::from(id.0)] = true;
            if unit.kind.is_gunboat() {
                tally.insert(Subject::Happens { what: format!("{name} is sunk") }, 1);
            }
            tally.insert(Subject::Lost { side, unit: name, place }, 1);
        }
        for (army, hex, units) in &self.stacks {
            let gone = units.iter().filter(|id| lost[usize::from(id.0)]).count();
            if gone > 0 {
                let (side, place) = (self.side(*army), hex.to_string());
                if gone == units.len() {
                    tally.insert(Subject::Cleared { side: side.clone(), place: place.clone() }, 1);
                }
                tally.insert(Subject::Loses { side, place }, 1);
            }
        }
        for side in &data.scenario.sides {
            let all = data.ids().filter(|id| data.unit(*id).army == side.army);
            let gone = all.filter(|id| lost[usize::from(id.0)]).count();
            let what = side.name.clone();
            tally.insert(Subject::Count { what }, u32::try_from(gone).unwrap_or(u32::MAX));
        }
        tally
    }
}

impl Trials for Window<'_> {
    fn once(&self, dice: &mut Roller) -> Result<Tally, GameError> {
        let phase = self.before.phase + 1;
        let before = self.before.clone();
        let (_, events) =
            resolve_untold(self.data, before, phase, &self.parts, dice, &self.foreseen)?;
        Ok(self.tally(&events))
    }
}
