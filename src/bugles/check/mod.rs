//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused with
//! the rule, the place and what would be legal.

mod command;
mod deploy;
mod fire;
mod moves;
mod plan;
mod words;

use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity};
use crate::core::id::Id;
use crate::core::rule::Rule;
use crate::core::source::Source;
use crate::geometry::plane::Point;

use super::cite;
use super::data::{Army, Data};
use super::orders::{self, Kind, Raw};
use super::state::{State, Unit};
use super::table::Table;
use super::violation::Violation;
pub use deploy::most_false;
pub use moves::{forms, lawful};
pub use plan::{
    Act, Change, Condition, DeployOrder, FalseOrder, FireOrder, GeneralOrder, Go, Legal, MoveOrder,
    Plan, Refusal, Who,
};
pub use words::{read_condition, read_step};

/// Who writes a file: a player, or the machine that plays an army.
#[derive(Clone, Copy, Debug)]
pub enum Writer<'a> {
    /// A player.
    Player(&'a Id),
    /// The machine.
    Machine(Army),
}

/// Checks a file against a position: the writer's own view.
pub fn plan(
    data: &Data,
    state: &State,
    writer: Writer<'_>,
    source: &Source,
) -> (Plan, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let file = orders::read(source, &mut faults);
    let army = match writer {
        Writer::Player(player) => state.army(player),
        Writer::Machine(army) => Some(army),
    };
    let mut checker = Checker {
        data,
        state,
        writer,
        army: army.unwrap_or(Army::Mahdist),
        table: Table::new(data, state),
        faults,
        plan: Plan::default(),
    };
    checker.file(&file);
    (checker.plan, checker.faults)
}

/// A violation as a diagnostic, without a place yet.
pub fn violation_fault(violation: &Violation) -> Diagnostic {
    let fault = Diagnostic::error(violation.rule(), violation.to_string());
    match violation.help() {
        Some(help) => fault.help(help),
        None => fault,
    }
}

struct Checker<'a> {
    data: &'a Data,
    state: &'a State,
    writer: Writer<'a>,
    army: Army,
    table: Table<'a>,
    faults: Vec<Diagnostic>,
    plan: Plan,
}

/// The most orders that a file may hold.
const MOST: usize = 1000;

impl<'a> Checker<'a> {
    fn file(&mut self, file: &orders::File) {
        for line in &file.unreadable {
            self.plan.refusals.push(Refusal {
                line: *line,
                order: "a line that cannot be read".to_owned(),
                reason: "the check says what is wrong with it".to_owned(),
                rule: String::new(),
            });
        }
        for (n, raw) in file.orders.iter().enumerate() {
            let before = self.faults.len();
            let mark = self.plan.mark();
            if n >= MOST {
                self.say(
                    Diagnostic::error(None, format!("{} orders are too many", file.orders.len())),
                    &raw.span,
                );
            } else if let Some(fault) = self.not_now(raw) {
                self.violated(&fault, &raw.span);
            } else {
                match raw.kind {
                    Kind::Deploy => self.deploy(raw),
                    Kind::False => self.false_marker(raw),
                    Kind::General => self.general(raw),
                    Kind::Change => self.change(raw),
                    Kind::Move => self.moving(raw),
                    Kind::Fire => self.fire(raw),
                    Kind::Reveal => self.reveal(raw),
                }
            }
            if raw.broken {
                // What could not be read is told already; of what could, each word that
                // is wrong, and nothing of the order as a whole.
                let said = self.faults.split_off(before);
                let words = said.into_iter().filter(|f| {
                    f.severity == Severity::Error && f.span.as_ref().is_some_and(|s| *s != raw.span)
                });
                self.faults.extend(words);
            }
            let error = self.faults[before..].iter().find(|f| f.severity == Severity::Error);
            let why = match error {
                _ if raw.broken => Some(("it cannot be read".to_owned(), "")),
                Some(fault) => Some((fault.message.clone(), fault.rule.map_or("", |r| r.0))),
                None => None,
            };
            if let Some((reason, rule)) = why {
                // All of an order or nothing: half of it is not what was ordered.
                self.plan.back_to(mark);
                let rule = rule.to_owned();
                self.refuse(raw, reason, rule);
            }
            if n >= MOST {
                break;
            }
        }
    }

    /// True where something is wrong since there were so many faults.
    fn wrong_since(&self, before: usize) -> bool {
        self.faults[before..].iter().any(|f| f.severity == Severity::Error)
    }

    fn refuse(&mut self, raw: &Raw, reason: String, rule: String) {
        let mut words: Vec<&str> = raw.units.iter().map(|u| u.value.as_str()).collect();
        words.extend(raw.marker.iter().chain(&raw.general).map(|w| w.value.as_str()));
        let order = format!("{} {}", raw.kind.name(), words.join(", "));
        self.plan.refusals.push(Refusal { line: raw.line, order, reason, rule });
    }

    fn say(&mut self, fault: Diagnostic, span: &Range<usize>) {
        self.faults.push(fault.at(span.clone()));
    }

    fn violated(&mut self, violation: &Violation, span: &Range<usize>) {
        self.say(violation_fault(violation), span);
    }

    /// What an order of this kind does in this window.
    fn not_now(&self, raw: &Raw) -> Option<Violation> {
        let window = self.state.window;
        let cadence = self.data.cadence;
        let deploys = window == super::state::Window::Deploy;
        let steps = window.has_orders() || window.has_action() || window.has_mahdist(cadence);
        let moves = match self.army {
            Army::Mahdist => window.has_mahdist(cadence),
            Army::AngloEgyptian => window.has_action(),
        };
        let (may, what) = match raw.kind {
            Kind::Deploy => (deploys, "setting up"),
            Kind::False => (deploys && self.army == Army::Mahdist, "placing false markers"),
            Kind::General => (deploys || window.has_orders(), "moving a general"),
            Kind::Change => (window.has_orders(), "changing orders"),
            Kind::Move => (moves, "moving"),
            Kind::Fire => (steps || deploys, "a fire plan"),
            Kind::Reveal => (moves && self.army == Army::Mahdist, "showing a marker"),
        };
        let window = window.title(cadence);
        (!may).then_some(Violation::NotNow { what, window })
    }

    /// True where the writer commands a general (R1).
    fn commands(&self, general: &str) -> bool {
        cite("R1");
        let Some(general) = self.state.general(general) else { return false };
        match self.writer {
            Writer::Machine(army) => general.army == army,
            Writer::Player(player) => self.state.leader(&general.id) == Some(player),
        }
    }

    fn owner(&self, general: &str) -> String {
        self.state.leader(general).map_or_else(|| "the machine".to_owned(), ToString::to_string)
    }

    /// A unit of the writer that is named, or a fault.
    fn own(&mut self, word: &str, span: &Range<usize>) -> Option<(usize, &'a Unit)> {
        let found = self.state.units.iter().position(|u| u.id == word);
        let Some(index) = found else {
            let mine: Vec<&str> = self
                .state
                .units
                .iter()
                .filter(|u| self.commands(&u.general))
                .map(|u| u.id.as_str())
                .collect();
            let fault = Diagnostic::error(None, format!("`{word}` names no unit that you know"));
            let near = crate::core::diag::did_you_mean(word, mine.iter().copied());
            let fault = match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help(format!("yours are: {}", mine.join(", "))),
            };
            self.say(fault, span);
            return None;
        };
        let unit = &self.state.units[index];
        if !self.commands(&unit.general) {
            let owner = self.owner(&unit.general);
            self.violated(&Violation::NotYours { what: unit.id.clone(), owner }, span);
            return None;
        }
        if unit.strength() == 0 {
            self.violated(&Violation::Gone { what: unit.id.clone() }, span);
            return None;
        }
        Some((index, unit))
    }

    /// An enemy that is named: a unit that is seen, or one of the scenario's that may be
    /// seen by then. Anything else is a fault.
    fn enemy(&mut self, word: &str, verb: &str, rule: Rule, span: &Range<usize>) -> bool {
        let army = self.army;
        let theirs = |u: &&Unit| u.army() != army;
        if self.state.unit(word).is_some_and(|u| theirs(&u)) {
            return true;
        }
        // Whether it is hidden or gone nobody is told: it is not to be seen.
        let listed = self.data.scenario.units.iter().any(|u| u.id == word);
        if listed && self.state.unit(word).is_none() {
            let fault = Diagnostic::warning(
                Some(rule),
                format!("`{word}` is not to be seen now: it counts when it is"),
            );
            self.say(fault, span);
            return true;
        }
        let seen = || self.state.units.iter().filter(theirs).map(|u| u.id.as_str());
        let own = self.state.unit(word).or(self.state.base(word).map(|(unit, _)| unit));
        let (message, help) = if own.is_some_and(|u| !theirs(&u)) {
            (format!("`{word}` is of your own army"), None)
        } else if self.state.marker(word).is_some() {
            let message = format!("`{word}` is a marker: nobody {verb}s what he does not see");
            (message, Some(format!("{verb} a unit when it is seen, or `nearest`")))
        } else if let Some((unit, _)) = self.state.base(word) {
            let message = format!("`{word}` is a base: one {verb}s a unit");
            (message, Some(format!("write `{}`", unit.id)))
        } else {
            let near = crate::core::diag::did_you_mean(word, seen());
            (
                format!("`{word}` names no enemy that you see"),
                near.map(|near| format!("did you mean `{near}`?")),
            )
        };
        let list: Vec<&str> = seen().collect();
        let fault = Diagnostic::error(Some(rule), message).help(help.unwrap_or_else(|| {
            if list.is_empty() {
                "no enemy is to be seen; write `nearest`".to_owned()
            } else {
                format!("enemies that you see: {}; or write `nearest`", list.join(", "))
            }
        }));
        self.say(fault, span);
        false
    }

    fn point(&mut self, raw: &Raw, what: &str) -> Option<(Point, Range<usize>)> {
        let Some(at) = &raw.at else {
            let fault = Diagnostic::error(None, format!("this order does not say where: `{what}`"))
                .help(format!(
                    "write {what} = [12.5, 30]: inches from the left and the bottom edge"
                ));
            self.say(fault, &raw.span);
            return None;
        };
        let values: Vec<Option<i64>> =
            at.value.iter().map(|n| self.data.read_inches(&n.value)).collect();
        let [Some(x), Some(y)] = values[..] else {
            let fault = Diagnostic::error(None, format!("`{what}` is no place")).help(format!(
                "write {what} = [12.5, 30]: two numbers of inches, two decimals at most"
            ));
            self.say(fault, &at.span);
            return None;
        };
        let point = Point::new(x, y);
        if !self.data.scenario.on_table(point) {
            let table = self.data.spot(self.data.scenario.table);
            let fault =
                Diagnostic::error(None, format!("{} is off the table", self.data.spot(point)))
                    .help(format!("the table runs from [0, 0] to {table}"));
            self.say(fault, &at.span);
            return None;
        }
        Some((point, at.span.clone()))
    }
}
