//! Odds: one exchange exactly, and what the events of a window come to.

use std::fmt::Write as _;

use serde_json::json;

use crate::core::chance::Chances;
use crate::core::dice::Roller;
use crate::game::{Answer, GameError, Question, Subject, Tally, Trials};

use super::combat::{By, effect, modifiers, pairs};
use super::data::{Army, Data};
use super::events::{Effect, Event, Modifier};
use super::fire::{Aim, Shot, own_modifiers, shot_modifiers, targets, value_at};
use super::resolve::{Part, resolve};
use super::state::State;
use super::table::{Table, mounted, values_of};

/// The topics with what they want.
const TOPICS: [(&str, &str); 3] = [
    ("chart", "odds chart --factors N [--drm N]: a total of N against the combat values"),
    ("fire", "odds fire TARGET-BASE --with BASE...: each shot"),
    ("melee", "odds melee BASE: the combat of a base as it stands"),
];

fn wrong(message: impl Into<String>) -> GameError {
    let help = TOPICS.map(|(_, text)| text).join("\n");
    GameError::Question { message: message.into(), help }
}

/// The ways of two dice for totals that begin with these values.
fn outcomes(value: i64, against: i64, half_destroys: bool) -> [(&'static str, u128); 4] {
    let both = Chances::die(6)
        .with(&Chances::die(6), |a, b| (i64::from(*a) + value, i64::from(*b) + against));
    let loses = |low: i64, high: i64| low < high;
    let destroyed = |low: i64, high: i64| 2 * low < high || 2 * low == high && half_destroys;
    [
        ("destroyed", both.ways(|(a, b)| loses(*b, *a) && destroyed(*b, *a))),
        ("beaten", both.ways(|(a, b)| loses(*b, *a) && !destroyed(*b, *a))),
        ("equal", both.ways(|(a, b)| a == b)),
        ("lower", both.ways(|(a, b)| loses(*a, *b))),
    ]
}

fn table_line(value: i64, against: i64, half: bool) -> String {
    let mut line = format!("{value:>3} against {against}: ");
    for (what, ways) in outcomes(value, against, half) {
        let _ = write!(line, " {what} {}", crate::core::chance::percent(ways, 36));
    }
    line
}

/// The exact odds of one exchange.
///
/// # Errors
/// Another topic, too few words, a base that cannot do it.
pub fn odds(data: &Data, state: Option<&State>, question: &Question) -> Result<Answer, GameError> {
    let words: Vec<&str> = question.words.iter().map(String::as_str).collect();
    let half = data.rulings.half_destroys;
    match (question.topic.as_str(), &words[..]) {
        ("chart", [factors, drm]) => {
            let (Ok(value), Ok(by)) = (factors.parse::<i64>(), drm.parse::<i64>()) else {
                return Err(wrong("the chart wants a value and a modifier"));
            };
            if value.abs() > 1000 || by.abs() > 1000 {
                return Err(wrong("the chart wants small numbers"));
            }
            let mut combats: Vec<i64> = data.values.values().map(|v| v.combat).collect();
            combats.sort_unstable();
            combats.dedup();
            let lines: Vec<String> =
                combats.iter().map(|c| table_line(value + by, *c, half)).collect();
            let text = format!("one die each [R23, R26, R27]\n{}\n", lines.join("\n"));
            Ok(Answer { text, json: json!({ "lines": lines }) })
        }
        ("fire", [at, with @ ..]) if !with.is_empty() => {
            let state = state.ok_or_else(|| wrong("these odds need a position"))?;
            let table = Table::new(data, state);
            let find = |id: &str| {
                (0..table.bodies.len())
                    .find(|n| table.name(&table.bodies[*n]) == id)
                    .ok_or_else(|| wrong(format!("`{id}` is no base on the table")))
            };
            let target = find(at)?;
            let mut text = String::new();
            let mut list = Vec::new();
            for id in with {
                let firer = find(id)?;
                let body = &table.bodies[firer];
                let step = if body.army == Army::Mahdist { 2 } else { 3 };
                let all = targets(&table, firer, step);
                let Some((aim, range)) = all.into_iter().find(|(aim, _)| *aim == Aim::Base(target))
                else {
                    let _ = writeln!(text, "{id} cannot fire at {at} [R23]");
                    continue;
                };
                let shot = Shot { firer, aim, range };
                let sum = |m: Vec<Modifier>| m.iter().map(|m| m.by).sum::<i64>();
                let value = value_at(&table, body, range) + sum(shot_modifiers(&table, &shot));
                let enemy = &table.bodies[target];
                let against = values_of(data, table.unit(enemy), enemy.base).combat
                    + sum(own_modifiers(&table, enemy));
                let line =
                    format!("{id} at {}: {}", data.inches(range), table_line(value, against, half));
                let _ = writeln!(text, "{line}");
                list.push(line);
            }
            Ok(Answer { text, json: json!({ "target": at, "shots": list }) })
        }
        ("melee", [id, ..]) => {
            let state = state.ok_or_else(|| wrong("these odds need a position"))?;
            let table = Table::new(data, state);
            let matched = pairs(&table, &[]);
            let pair = matched.iter().find(|p| {
                [p.regular, p.mahdist].iter().any(|n| table.name(&table.bodies[*n]) == *id)
            });
            let Some(pair) = pair else {
                return Err(wrong(format!("`{id}` is in no combat now")));
            };
            let (a, b) = (&table.bodies[pair.regular], &table.bodies[pair.mahdist]);
            let total = |x, y| {
                let (mods, _) = modifiers(&table, x, y, &matched);
                values_of(data, table.unit(x), x.base).combat
                    + mods.iter().map(|m| m.by).sum::<i64>()
            };
            let (ours, theirs) = (total(a, b), total(b, a));
            let by = By::Combat { cavalry: mounted(table.unit(a)), rear: false };
            let (beaten, _) = effect(&table, b, by, (theirs.max(1) * 2, theirs.max(1) * 2 - 1));
            let text = format!(
                "{} against {}\n{}\n  beaten: {} {} [R26]\n",
                table.name(a),
                table.name(b),
                table_line(ours, theirs, half),
                table.name(b),
                beaten.word()
            );
            Ok(Answer {
                text,
                json: json!({ "regular": table.name(a), "mahdist": table.name(b), "values": [ours, theirs] }),
            })
        }
        (topic, _) => {
            Err(wrong(format!("`{topic}` is no odds of this game, or wants other words")))
        }
    }
}

/// A window made ready to be resolved many times.
#[derive(Debug)]
pub struct Trial<'a> {
    data: &'a Data,
    before: State,
    parts: Vec<Part>,
}

impl<'a> Trial<'a> {
    /// A window with its orders.
    pub fn new(data: &'a Data, before: State, parts: Vec<Part>) -> Self {
        Self { data, before, parts }
    }
}

impl Trials for Trial<'_> {
    fn once(&self, dice: &mut Roller) -> Result<Tally, GameError> {
        let phase = self.before.phase + 1;
        let (after, events) = resolve(self.data, self.before.clone(), phase, &self.parts, dice)?;
        let mut tally = Tally::new();
        for army in [Army::AngloEgyptian, Army::Mahdist] {
            tally.insert(Subject::Count { what: army.name().to_owned() }, 0);
        }
        for event in &events {
            match event {
                Event::Destroyed { base, .. } => {
                    let Some((unit, n)) = after.base(base) else { continue };
                    let side = unit.army().name().to_owned();
                    *tally.entry(Subject::Count { what: side.clone() }).or_default() += 1;
                    let place = self.before.base(base).map_or_else(
                        || "off the table".to_owned(),
                        |(u, n)| self.data.spot(u.bases[n].at),
                    );
                    let _ = n;
                    *tally.entry(Subject::Lost { side, unit: base.clone(), place }).or_default() +=
                        1;
                }
                Event::Suppressed { base, .. } => {
                    let Some((unit, n)) = self.before.base(base) else { continue };
                    let side = unit.army().name().to_owned();
                    let place = self.data.spot(unit.bases[n].at);
                    *tally
                        .entry(Subject::Disrupted { side, unit: base.clone(), place })
                        .or_default() = 1;
                }
                Event::Revealed { marker, .. } => {
                    let what = format!("{marker} is revealed");
                    *tally.entry(Subject::Happens { what }).or_default() += 1;
                }
                Event::Over { result, .. } => {
                    *tally.entry(Subject::End { result: result.clone() }).or_default() += 1;
                }
                Event::Fought { exchange } if exchange.effect == Effect::Nothing => {}
                _ => {}
            }
        }
        Ok(tally)
    }
}
