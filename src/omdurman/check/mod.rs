//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused
//! with the rule, the place and what would be legal.

mod fights;
mod moves;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity, did_you_mean};
use crate::core::id::Id;
use crate::core::read::At;
use crate::core::source::Source;
use crate::geometry::hex::Hex;

use super::data::{Army, UnitId};
use super::fire::Target;
use super::movement::Walk;
use super::orders::{self, Kind, Raw};
use super::position::Position;
use super::state::{Place, Standing, Window};
use super::violation::Violation;
pub use moves::{entry_hexes, may_enter_now, setup_hexes};

/// An order that passed [`plan`]; nothing else can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legal<T> {
    order: T,
    line: usize,
}

impl<T> Legal<T> {
    /// The order.
    pub fn get(&self) -> &T {
        &self.order
    }

    /// Its line in the file.
    pub fn line(&self) -> usize {
        self.line
    }
}

/// Set up units in a hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// Where.
    pub hex: Hex,
}

/// Move or enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveOrder {
    /// Each unit with its path.
    pub walks: Vec<(UnitId, Walk)>,
    /// True where the units enter the map.
    pub entering: bool,
}

/// Fire at the first of these targets that can be hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FireOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// At what, best first.
    pub at: Vec<Target>,
    /// Advance if the target is vacated.
    pub advance: Option<bool>,
}

/// Attack the first of these hexes that can be attacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeleeOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// Where, best first.
    pub at: Vec<Hex>,
    /// Advance (Dervish must).
    pub advance: Option<bool>,
}

/// An order that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its line in the file.
    pub line: usize,
    /// The order in short.
    pub order: String,
    /// Why.
    pub reason: String,
    /// The rule, if one is broken.
    pub rule: String,
}

/// What one player's file lawfully orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Set-up.
    pub places: Vec<Legal<PlaceOrder>>,
    /// Entries and moves.
    pub moves: Vec<Legal<MoveOrder>>,
    /// Fire.
    pub fires: Vec<Legal<FireOrder>>,
    /// Units told to hold their fire.
    pub holds: BTreeSet<UnitId>,
    /// How many hold orders there are.
    pub hold_orders: usize,
    /// Melee.
    pub melees: Vec<Legal<MeleeOrder>>,
    /// Loss preferences of this phase.
    pub losses: Option<Vec<String>>,
    /// Standing orders as the file leaves them, if it changes them.
    pub standing: Option<Standing>,
    /// What was refused.
    pub refusals: Vec<Refusal>,
}

impl Plan {
    /// How many orders would be carried out.
    pub fn accepted(&self) -> usize {
        self.places.len()
            + self.moves.len()
            + self.fires.len()
            + self.hold_orders
            + self.melees.len()
    }
}

/// Checks a file of a player against a position.
pub fn plan(position: &Position<'_>, player: &Id, source: &Source) -> (Plan, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let file = orders::read(source, &mut faults);
    let army = position.state.army(position.data, player);
    let mut checker = Checker {
        position,
        player,
        army: army.unwrap_or(position.state.moving),
        faults,
        plan: Plan::default(),
        used: BTreeMap::new(),
        entering: Vec::new(),
    };
    checker.file(&file);
    (checker.plan, checker.faults)
}

struct Checker<'a> {
    position: &'a Position<'a>,
    player: &'a Id,
    army: Army,
    faults: Vec<Diagnostic>,
    plan: Plan,
    used: BTreeMap<(&'static str, UnitId), usize>,
    /// Arrivals for the stacking check: order, unit, hex, place of the words.
    entering: Vec<Arrival>,
}

/// A unit that ends its movement in a hex.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The order that brings it; any number that tells orders apart.
    pub order: usize,
    /// Who.
    pub unit: UnitId,
    /// Where.
    pub hex: Hex,
}

/// Whether all arrivals may stand where they end (5.5.1.E): the orders that may
/// not be carried out, later ones first to go. A unit whose order falls stays where
/// it was, which can bar others.
pub fn settle(position: &Position<'_>, arrivals: &[Arrival]) -> BTreeMap<usize, Violation> {
    let mut fallen: BTreeMap<usize, Violation> = BTreeMap::new();
    loop {
        let stands = |order: usize| !fallen.contains_key(&order);
        let movers: BTreeSet<UnitId> =
            arrivals.iter().filter(|a| stands(a.order)).map(|a| a.unit).collect();
        let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for id in position.data.ids() {
            if let Some(hex) = position.state.hex(id).filter(|_| !movers.contains(&id)) {
                there.entry(hex).or_default().push(id);
            }
        }
        let mut bad = None;
        for arrival in arrivals.iter().filter(|a| stands(a.order)) {
            let army = position.data.unit(arrival.unit).army;
            let here = there.entry(arrival.hex).or_default();
            let friends: Vec<UnitId> =
                here.iter().copied().filter(|o| position.data.unit(*o).army == army).collect();
            match position.may_join(arrival.hex, &friends, arrival.unit) {
                Ok(()) => here.push(arrival.unit),
                Err(violation) => bad = Some((arrival.order, violation)),
            }
            if bad.is_some() {
                break;
            }
        }
        match bad {
            Some((order, violation)) => fallen.insert(order, violation),
            None => return fallen,
        };
    }
}

impl Checker<'_> {
    fn file(&mut self, file: &orders::File) {
        let broken = self.broken(file);
        let mut moves: Vec<(usize, &Raw, MoveOrder)> = Vec::new();
        let mut places: Vec<(usize, &Raw, PlaceOrder)> = Vec::new();
        for (index, raw) in file.orders.iter().enumerate() {
            if let Some(reason) = broken.get(&index) {
                self.refuse(raw, reason.clone(), String::new());
                continue;
            }
            let before = self.errors();
            match raw.kind {
                Kind::Place => {
                    if let Some(order) = self.place(raw) {
                        places.push((index, raw, order));
                    }
                }
                Kind::Enter | Kind::Move | Kind::Transfer => {
                    if let Some(order) = self.moving(raw) {
                        moves.push((index, raw, order));
                    }
                }
                Kind::Fire => {
                    if let Some(order) = self.fire(raw) {
                        self.plan.fires.push(Legal { order, line: raw.line });
                    }
                }
                Kind::Hold => {
                    if let Some(units) = self.hold(raw) {
                        self.plan.holds.extend(units);
                        self.plan.hold_orders += 1;
                    }
                }
                Kind::Melee => {
                    if let Some(order) = self.melee(raw) {
                        self.plan.melees.push(Legal { order, line: raw.line });
                    }
                }
            }
            if let Some(fault) =
                self.faults[before..].iter().find(|f| f.severity == Severity::Error)
            {
                let (reason, rule) = (fault.message.clone(), fault.rule.map_or("", |r| r.0));
                self.refuse(raw, reason, rule.to_owned());
            }
        }
        for (index, _, order) in &places {
            for unit in &order.units {
                self.entering.push(Arrival { order: *index, unit: *unit, hex: order.hex });
            }
        }
        for (index, _, order) in &moves {
            for (unit, walk) in &order.walks {
                if let Some(hex) = walk.path.last() {
                    self.entering.push(Arrival { order: *index, unit: *unit, hex: *hex });
                }
            }
        }
        let fallen = settle(self.position, &self.entering);
        for (index, violation) in &fallen {
            let raw = &file.orders[*index];
            let span = raw
                .to
                .as_ref()
                .map(|t| t.span.clone())
                .or_else(|| raw.path.as_ref().map(|p| p.span.clone()))
                .unwrap_or(raw.span.clone());
            let lines: Vec<String> = self
                .entering
                .iter()
                .filter(|a| a.order != *index)
                .filter(|a| self.entering.iter().any(|b| b.order == *index && b.hex == a.hex))
                .map(|a| file.orders[a.order].line.to_string())
                .collect();
            let mut fault = violation_fault(violation).at(span);
            if !lines.is_empty() {
                fault = fault.label(format!("after the orders on lines {}", lines.join(", ")));
            }
            let rule = fault.rule.map_or("", |r| r.0).to_owned();
            self.faults.push(fault);
            self.refuse(raw, violation.to_string(), rule);
        }
        for (index, raw, order) in places {
            if !fallen.contains_key(&index) {
                self.plan.places.push(Legal { order, line: raw.line });
            }
        }
        for (index, raw, order) in moves {
            if !fallen.contains_key(&index) {
                self.plan.moves.push(Legal { order, line: raw.line });
            }
        }
        self.plan.refusals.sort_by_key(|r| r.line);
        if let Some(losses) = &file.losses {
            self.plan.losses = Some(self.selectors(losses));
        }
        if let Some(raw) = &file.standing {
            let mut standing =
                self.position.state.standing.get(self.player).cloned().unwrap_or_default();
            if let Some(losses) = &raw.losses {
                let known = self.selectors(losses);
                // Words that name nobody do not wipe out an earlier list.
                if !known.is_empty() || losses.is_empty() {
                    standing.losses = known;
                }
            }
            if let Some(fire) = &raw.fire {
                standing.fire = Some(fire.value.clone());
            }
            if let Some(advance) = &raw.advance {
                standing.advance = Some(advance.value);
            }
            self.plan.standing = Some(standing);
        }
    }

    /// The orders that have faults of form, with the first of each.
    fn broken(&self, file: &orders::File) -> BTreeMap<usize, String> {
        let mut out = BTreeMap::new();
        for fault in &self.faults {
            let Some(span) = fault.span.as_ref().filter(|_| fault.severity == Severity::Error)
            else {
                continue;
            };
            let owner = file
                .orders
                .iter()
                .enumerate()
                .filter(|(_, raw)| raw.span.start <= span.start && span.start < raw.end)
                .max_by_key(|(_, raw)| raw.span.start);
            if let Some((index, _)) = owner {
                out.entry(index).or_insert_with(|| fault.message.clone());
            }
        }
        out
    }

    fn errors(&self) -> usize {
        self.faults.len()
    }

    fn refuse(&mut self, raw: &Raw, reason: String, rule: String) {
        let mut words: Vec<&str> = raw.units.iter().map(|u| u.value.as_str()).collect();
        if let Some(stack) = &raw.stack {
            words.push(&stack.value);
        }
        let mut order = format!("{} {}", raw.kind.name(), words.join(", "));
        let at: Vec<&str> = raw.at.iter().map(|t| t.value.as_str()).collect();
        if !at.is_empty() {
            order = format!("{order} at {}", at.join(", "));
        }
        let end = raw.to.as_ref().or_else(|| raw.path.as_ref().and_then(|p| p.value.last()));
        if let Some(to) = end {
            order = format!("{order} to {}", to.value);
        }
        self.plan.refusals.push(Refusal { line: raw.line, order, reason, rule });
    }

    fn fault(&mut self, violation: &Violation, span: Range<usize>) {
        self.faults.push(violation_fault(violation).at(span));
    }

    /// The kind of order must belong to the window, and to this side's part of it.
    fn in_window(&mut self, raw: &Raw, windows: &[Window], mine: bool, why: &'static str) -> bool {
        let window = self.position.state.window;
        if !windows.contains(&window) {
            let violation =
                Violation::WrongWindow { order: raw.kind.name(), window: window.title() };
            self.fault(&violation, raw.span.clone());
            return false;
        }
        if !mine {
            self.fault(&Violation::NotYourPart { order: raw.kind.name(), why }, raw.span.clone());
            return false;
        }
        true
    }

    /// The units of an order, each with its place in the file.
    fn units(
        &mut self,
        raw: &Raw,
        group: &'static str,
        fits: impl Fn(UnitId) -> bool,
    ) -> Option<Vec<(UnitId, Range<usize>)>> {
        let data = self.position.data;
        let state = self.position.state;
        let before = self.errors();
        let mut out: Vec<(UnitId, Range<usize>)> = Vec::new();
        for name in &raw.units {
            let Some(id) = data.find(&name.value) else {
                self.unknown(name);
                continue;
            };
            let unit = data.unit(id);
            let owner = state.owner(data, id);
            if owner != Some(self.player) {
                let owner = owner.map_or("nobody".to_owned(), ToString::to_string);
                let violation = Violation::NotYours { unit: unit.id.clone(), owner };
                self.fault(&violation, name.span.clone());
                continue;
            }
            if let Place::Eliminated(when) = &state.unit(id).place {
                let violation = Violation::Dead { unit: unit.id.clone(), when: when.clone() };
                self.fault(&violation, name.span.clone());
                continue;
            }
            out.push((id, name.span.clone()));
        }
        if let Some(stack) = &raw.stack
            && let Some(hex) = self.hex(stack)
        {
            let here: Vec<UnitId> = self
                .position
                .at(hex)
                .iter()
                .copied()
                .filter(|id| state.owner(data, *id) == Some(self.player) && fits(*id))
                .collect();
            if here.is_empty() {
                let fault = Diagnostic::error(
                    None,
                    format!("no unit of yours in {hex} can {}", raw.kind.name()),
                );
                self.faults.push(fault.at(stack.span.clone()));
            }
            out.extend(here.into_iter().map(|id| (id, stack.span.clone())));
        }
        for (id, span) in &out {
            if let Some(line) = self.used.insert((group, *id), raw.line) {
                let violation = Violation::Twice {
                    unit: data.unit(*id).id.clone(),
                    line,
                    fire: group == "fire",
                };
                self.fault(&violation, span.clone());
            }
        }
        if out.is_empty() && !self.faults[before..].iter().any(|f| f.severity == Severity::Error) {
            let fault =
                Diagnostic::error(None, format!("this [[{}]] names no unit", raw.kind.name()));
            self.faults.push(fault.at(raw.span.clone()).help(match raw.kind {
                Kind::Place | Kind::Enter => "add a line `units = [\"...\"]`",
                _ => "add a line `units = [\"...\"]` or `stack = \"CCRR\"`",
            }));
        }
        let bad = self.faults[before..].iter().any(|f| f.severity == Severity::Error);
        (!bad).then_some(out)
    }

    fn unknown(&mut self, name: &At<String>) {
        let data = self.position.data;
        let state = self.position.state;
        let mine: Vec<&str> = data
            .ids()
            .filter(|id| state.owner(data, *id) == Some(self.player))
            .map(|id| data.unit(id).id.as_str())
            .collect();
        let mut fault =
            Diagnostic::error(None, format!("`{}` names no unit of this game", name.value))
                .at(name.span.clone());
        fault = match did_you_mean(&name.value, mine.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("`despatch form` lists your units"),
        };
        self.faults.push(fault);
    }

    fn hex(&mut self, text: &At<String>) -> Option<Hex> {
        let board = &self.position.data.board;
        if let Some(hex) = Hex::parse(&text.value).filter(|h| board.has(*h)) {
            Some(hex)
        } else {
            let grid = board.grid;
            let last = Hex::new(grid.odd.max(grid.even), grid.rows);
            self.faults.push(
                Diagnostic::error(None, format!("`{}` is no hex of this map", text.value))
                    .at(text.span.clone())
                    .help(format!("hexes are four digits, column and row: 0101 to {last}")),
            );
            None
        }
    }
}

/// A violation as a diagnostic, without a place yet.
pub fn violation_fault(violation: &Violation) -> Diagnostic {
    let fault = Diagnostic::error(violation.rule(), violation.to_string());
    match violation.help() {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// `0512-0612-0712`.
pub fn path_words(path: &[Hex]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}
