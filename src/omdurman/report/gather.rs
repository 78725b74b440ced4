//! What the events of a phase come to in a report: orders, moves, fights, the rest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::geometry::hex::Hex;

use super::super::check::path_words;
use super::super::data::Army;
use super::super::events::{Event, Fight, FightKind, Part};
use super::super::position::Position;
use super::super::words::runs;
use super::{Group, Impact, MoveLine, OrdersLine, OutcomeLine, OverModel, PartLine, Section};

/// The parts of a report, gathered event by event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Gathered {
    pub(super) orders: Vec<OrdersLine>,
    outcomes: Vec<(String, OutcomeLine)>,
    pub(super) standing: Vec<String>,
    pub(super) placed: Vec<Group>,
    pub(super) moves: Vec<MoveLine>,
    pub(super) sections: Vec<Section>,
    pub(super) others: Vec<String>,
    pub(super) skipped: Vec<String>,
    scored: Vec<Scored>,
    pub(super) over: Option<OverModel>,
    deserted: Vec<String>,
    /// True once demolitions have begun: what falls then, falls in no fight.
    fought: bool,
    /// Orders of each player, all refused, that the reader may not know of.
    unseen: BTreeMap<String, u32>,
}

/// Points of one kind, with what they are for.
#[derive(Debug, PartialEq)]
struct Scored {
    side: String,
    each: i64,
    rule: String,
    what: Vec<String>,
}

impl Gathered {
    /// The points of the phase, a line a kind: `Dervish +20: sultan, melik (10 each)`.
    pub(super) fn points(&self) -> Vec<String> {
        let line = |s: &Scored| {
            let (count, what) = (s.what.len(), runs(&s.what).join(", "));
            let all = s.each * i64::try_from(count).unwrap_or(0);
            let each = if count > 1 { format!(" ({} each)", s.each) } else { String::new() };
            format!("{} +{all}: {what}{each} [{}]", s.side, s.rule)
        };
        self.scored.iter().map(line).collect()
    }

    /// Takes an event up; `knows` is true for those who may know what lies in the Nile.
    #[allow(clippy::too_many_lines, reason = "one line or two for each kind of event")]
    pub(super) fn take(&mut self, position: &Position<'_>, event: &Event, knows: bool) {
        let data = position.data;
        match event {
            Event::Orders { player, submission, done, failed, refused, defaulted } => {
                self.orders.push(OrdersLine {
                    player: player.to_string(),
                    submission: submission.clone(),
                    done: *done,
                    failed: *failed,
                    refused: *refused,
                    total: done + failed + refused,
                    defaulted: defaulted.clone(),
                    outcomes: Vec::new(),
                });
            }
            Event::Outcome { player, line, outcome, order, reason, rule } => {
                // What was to be hidden is nobody else's business, refused or not.
                let theirs = position.state.army(data, player) == Some(Army::Dervish);
                if !knows && theirs && order.starts_with("hide ") {
                    *self.unseen.entry(player.to_string()).or_default() += 1;
                } else {
                    self.outcomes.push((
                        player.to_string(),
                        OutcomeLine {
                            outcome: outcome.clone(),
                            line: *line,
                            order: order.clone(),
                            reason: reason.clone(),
                            rule: rule.clone(),
                        },
                    ));
                }
            }
            Event::Standing { player, .. } => {
                self.standing.push(format!("{player} changed the standing orders"));
            }
            Event::Placed { unit, hex } => {
                let place = position.hex_words(*hex);
                match self.placed.iter_mut().find(|g| g.place == place) {
                    Some(group) => group.units.push(unit.clone()),
                    None => self.placed.push(Group { place, units: vec![unit.clone()] }),
                }
            }
            Event::Entered { unit, path, cost, allowance } => {
                self.add_move(unit, path, *cost, *allowance, true);
            }
            Event::Moved { unit, path, cost, allowance } => {
                self.add_move(unit, path, *cost, *allowance, false);
            }
            Event::Landed { unit, boat, path, cost, allowance } => {
                self.others.push(format!(
                    "{unit} goes ashore from {boat}: {} ({cost} of {allowance} MP) [5.2.1.B]",
                    path_words(path)
                ));
            }
            Event::Loaded { unit, boat, rule, .. } => {
                self.others.push(format!("{unit} goes on board {boat} [{rule}]"));
            }
            Event::Fight(fight) => self.sections.push(section(position, fight)),
            Event::Advanced { unit, from, to, compulsory, rule } => {
                let verb = if *compulsory { "must advance" } else { "advances" };
                self.note_or_other(format!("{unit} {verb} from {from} into {to} [{rule}]"));
            }
            Event::Retreated { unit, path, rule } => {
                let text = format!("{unit} retreats before melee: {} [{rule}]", path_words(path));
                self.others.push(text);
            }
            Event::Wasted { units, target } => {
                let units = runs(units).join(", ");
                self.note_or_other(format!("nothing is left to attack at {target}: {units}"));
            }
            Event::StayedBehind { unit, to, rule, .. } => self.stays(unit, *to, rule),
            Event::GordonFell { unit, by, turn, rule } => {
                let name = &data.find(unit).map_or(unit.clone(), |id| data.unit(id).name.clone());
                let text = format!("{by} enters the Palace: {name} falls on turn {turn} [{rule}]");
                self.note_or_other(text);
            }
            Event::Eliminated { unit, cause, rule } => {
                // Losses of a fight stand in its table; a leader's fall or a boat's does not.
                let told = self.sections.iter().any(|s| {
                    s.attack.lost.contains(unit)
                        || s.defence.as_ref().is_some_and(|d| d.lost.contains(unit))
                });
                if !told {
                    self.note_or_other(format!("{unit} is lost: {cause} [{rule}]"));
                }
            }
            Event::LeftOut { unit, rule } => self.others.push(format!("{unit} is out [{rule}]")),
            Event::Recovered { unit, rule } => {
                self.others.push(format!("{unit} recovers [{rule}]"));
            }
            Event::Announced { unit, task, rule } => {
                self.others.push(format!("{unit} begins: {task} [{rule}]"));
            }
            Event::Built { side, unit, rule } => {
                let works = data.board.side(*side).zariba.map_or("", |w| w.name());
                self.others.push(format!("{unit} has built {side}, {works} [{rule}]"));
            }
            Event::Demolished { unit, target, rule } => {
                self.fought = true;
                self.others.push(format!("{unit} demolishes {target} [{rule}]"));
            }
            Event::GaveUp { unit, task, reason, rule } => {
                self.others.push(format!("{unit} gives up ({task}): {reason} [{rule}]"));
            }
            Event::Desertion { die, count, rule, .. } => {
                self.others.push(format!("desertion roll {die}: {count} units desert [{rule}]"));
            }
            Event::Deserted { unit, .. } => self.deserted.push(unit.clone()),
            Event::Hidden { owner, text, .. } => {
                if knows {
                    self.others.push(format!("{owner} hides in the Nile: {text} [10.1.B]"));
                }
            }
            Event::NoteOpened { text, commitment, rule } => {
                self.others.push(format!("a sealed note is opened: {text} [{rule}] {commitment}"));
            }
            Event::Struck { unit, hex, die, effect, rule, .. } => {
                self.others
                    .push(format!("{unit} strikes a mine in {hex}: die {die}, {effect} [{rule}]"));
            }
            Event::Drifted { unit, path, off, rule } => {
                let end = if *off { " and off the map" } else { "" };
                let path = path_words(path);
                self.others.push(format!("{unit} drifts {path}{end} [{rule}]"));
            }
            Event::Chained { unit, hex, rule, .. } => {
                let british =
                    data.find(unit).is_some_and(|id| data.unit(id).army == Army::AngloEgyptian);
                if knows || british {
                    self.others.push(format!("{unit} is stopped by the chain in {hex} [{rule}]"));
                }
            }
            Event::ChainSunk { rule } => {
                self.note_or_other(format!("the chain is sunk [{rule}]"));
            }
            Event::Stopped { unit, hex, reason } => {
                self.others.push(format!("{unit} stops in {hex}: {reason}"));
            }
            Event::Scored { army, points, unit, rule } => {
                let side = data.side(*army).name.clone();
                let each = i64::from(*points);
                let like = |s: &&mut Scored| s.side == side && s.each == each && s.rule == *rule;
                match self.scored.iter_mut().find(like) {
                    Some(scored) => scored.what.push(unit.clone()),
                    None => self.scored.push(Scored {
                        side,
                        each,
                        rule: rule.clone(),
                        what: vec![unit.clone()],
                    }),
                }
            }
            Event::Skipped { turn, moving, window } => {
                let side = &data.side(*moving).name;
                self.skipped.push(format!(
                    "turn {turn}, {side} player-turn, {}: nobody could do anything",
                    window.title()
                ));
            }
            Event::Over { result, why, rule } => {
                self.over = Some(OverModel {
                    result: result.clone(),
                    why: why.clone(),
                    rule: rule.clone(),
                });
            }
            Event::Damaged { .. }
            | Event::Disrupted { .. }
            | Event::Breached { .. }
            | Event::Next { .. }
            | Event::PhaseEnded { .. } => {}
        }
    }

    /// Puts what was gathered into its order.
    pub(super) fn finish(&mut self) {
        for (player, line) in std::mem::take(&mut self.outcomes) {
            if let Some(orders) = self.orders.iter_mut().find(|o| o.player == player) {
                orders.outcomes.push(line);
            }
        }
        for orders in &mut self.orders {
            let unseen = self.unseen.remove(&orders.player).unwrap_or(0);
            orders.refused -= unseen;
            orders.total -= unseen;
        }
        for orders in &mut self.orders {
            orders.outcomes.sort_by_key(|o| o.line);
        }
        for line in &mut self.moves {
            line.units = runs(&line.units);
        }
        for group in &mut self.placed {
            group.units = runs(&group.units);
        }
        if !self.deserted.is_empty() {
            let units = runs(&self.deserted).join(", ");
            self.others.push(format!("deserted: {units} [8.2.C]"));
        }
    }

    fn note(&mut self, text: String) {
        if let Some(last) = self.sections.last_mut() {
            last.notes.push(text);
        }
    }

    fn note_or_other(&mut self, text: String) {
        if self.fought || self.sections.is_empty() {
            self.others.push(text);
        } else {
            self.note(text);
        }
    }

    /// Units that may not follow into a hex by the same rule are one line.
    fn stays(&mut self, unit: &str, to: Hex, rule: &str) {
        let Some(last) = self.sections.last_mut() else { return };
        let (begin, end) = (format!("may not follow into {to}: "), format!(" [{rule}]"));
        if let Some(line) = last.notes.last_mut()
            && let Some(units) = line.strip_prefix(&begin).and_then(|l| l.strip_suffix(&end))
        {
            *line = format!("{begin}{units}, {unit}{end}");
            return;
        }
        last.notes.push(format!("{begin}{unit}{end}"));
    }

    /// Units with the same path are one line.
    fn add_move(&mut self, unit: &str, path: &[Hex], cost: u32, allowance: u32, entered: bool) {
        let words = path_words(path);
        let same = |m: &&mut MoveLine| {
            m.path == words && m.entered == entered && (m.cost, m.allowance) == (cost, allowance)
        };
        if let Some(line) = self.moves.iter_mut().find(same) {
            line.units.push(unit.to_owned());
            return;
        }
        self.moves.push(MoveLine {
            units: vec![unit.to_owned()],
            from: path.first().filter(|_| !entered).map(ToString::to_string),
            to: path.last().map_or(String::new(), ToString::to_string),
            path: words,
            cost,
            allowance,
            entered,
        });
    }
}

fn section(position: &Position<'_>, fight: &Fight) -> Section {
    let line = |p: &Part| PartLine {
        unit: p.unit.clone(),
        from: p.from.to_string(),
        printed: p.printed,
        range: p.range,
        multiplier: p.multiplier.clone(),
        factors: p.factors,
        note: {
            let mut note = p.weapon.clone();
            if let Some(rule) = p.rules.first() {
                let gap = if note.is_empty() { "" } else { " " };
                let _ = write!(note, "{gap}Dervish table [{rule}]");
            }
            note
        },
    };
    let (what, rule) = match fight.kind {
        FightKind::Defence => ("DEFENSIVE FIRE", "6.7.A"),
        FightKind::Offence => ("OFFENSIVE FIRE", "6.8.1"),
        FightKind::Second => ("SECOND FIRE", "6.4.2.B"),
        FightKind::Howitzer => ("HOWITZER FIRE", "6.6.4.B"),
        FightKind::Melee => ("MELEE", "7.7.A"),
    };
    let hex = Hex::parse(fight.target.get(..4).unwrap_or(""));
    let place = hex.and_then(|h| position.data.board.name(h));
    let place = place.map_or(String::new(), |name| format!(" ({name})"));
    let title = format!("{what} at {}{place}: {}", fight.target, fight.target_words);
    Section {
        title,
        rule,
        attackers: fight.attack.parts.iter().map(line).collect(),
        defenders: fight.defence.iter().flat_map(|d| d.parts.iter().map(line)).collect(),
        impacts: fight.impacts.iter().map(impact).collect(),
        notes: Vec::new(),
        attack: fight.attack.clone(),
        defence: fight.defence.clone(),
        fight: Fight { defence: None, ..fight.clone() },
    }
}

/// How a howitzer's shell fell, in words.
fn impact(i: &Impact) -> String {
    let fell = match i.fell {
        Some(hex) if hex == i.aim => "it falls as meant".to_owned(),
        Some(hex) => format!("it falls in {hex}"),
        None => "it falls off the map".to_owned(),
    };
    format!("{} aims at {}, impact die {}: {fell} [6.6.4.D]", i.boat, i.aim, i.die)
}
