//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused
//! with the rule, the place and what would be legal.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity, did_you_mean};
use crate::core::id::Id;
use crate::core::read::At;
use crate::core::source::Source;
use crate::geometry::hex::{Hex, Side};

use super::board::Terrain;
use super::data::{Army, UnitId};
use super::fire::Target;
use super::movement::Walk;
use super::orders::{self, Kind, Raw};
use super::position::Position;
use super::state::{Place, Standing, Window};
use super::violation::Violation;

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

/// What of a preference list can be done, and what cannot.
#[derive(Debug, Default)]
struct Preferences {
    /// Something of it can be done, now or perhaps when its step comes.
    hit: bool,
    misses: Vec<(Violation, Range<usize>, Option<&'static str>)>,
}

impl Preferences {
    fn miss(&mut self, violation: Violation, span: Range<usize>, hope: Option<&'static str>) {
        self.hit |= hope.is_some();
        self.misses.push((violation, span, hope));
    }
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

/// The hexes where a unit may set up (9.3.2.1).
pub fn setup_hexes(position: &Position<'_>, id: UnitId) -> Vec<Hex> {
    let data = position.data;
    let board = &data.board;
    let unit = data.unit(id);
    let both = data.rulings.setup_both_sides_of_wall;
    board
        .grid
        .hexes()
        .filter(|hex| board.has(*hex))
        .filter(|hex| {
            let nile = board.terrain(*hex) == Terrain::Nile;
            if unit.kind.is_gunboat() || nile {
                return unit.kind.is_gunboat() && nile;
            }
            if position.fort(*hex).is_some_and(|f| data.unit(f).army == unit.army) {
                return true;
            }
            if position.fort(*hex).is_some() {
                return false;
            }
            let home = matches!(board.terrain(*hex), Terrain::Building | Terrain::Huts);
            let beside = board.neighbours(*hex).any(|(dir, _)| {
                let edge = board.edge(*hex, dir);
                edge.wall || edge.gate
            });
            (home && board.inside(*hex)) || (beside && (both || board.inside(*hex)))
        })
        .collect()
}

/// True if a unit may enter the map this turn (9.3.2.2).
pub fn may_enter_now(position: &Position<'_>, id: UnitId) -> Result<(), Violation> {
    let data = position.data;
    let unit = data.unit(id);
    let turn = data.scenario.entry_turn;
    let now = position.state.turn;
    if unit.army == data.scenario.entry.0
        && (now == turn || (now > turn && data.rulings.late_entry))
    {
        Ok(())
    } else {
        Err(Violation::NoEntryNow { unit: unit.id.clone(), turn })
    }
}

/// The entry hexes in force.
pub fn entry_hexes(position: &Position<'_>) -> Vec<Hex> {
    let data = position.data;
    let fort = |hex: &Hex| position.fort(*hex).is_some();
    data.scenario
        .entry
        .1
        .iter()
        .copied()
        .filter(|h| data.board.terrain(*h) != Terrain::Nile)
        .filter(|h| data.rulings.north_fort_entry || !fort(h))
        .collect()
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
                    if let Some(order) = self.melee(raw, file) {
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
                standing.losses = self.selectors(losses);
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
                .filter(|(_, raw)| raw.span.start <= span.start)
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
            self.faults.push(
                fault
                    .at(raw.span.clone())
                    .help("add a line `units = [\"...\"]` or `stack = \"CCRR\"`"),
            );
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

    fn place(&mut self, raw: &Raw) -> Option<PlaceOrder> {
        let position = self.position;
        let side = position.data.side(self.army);
        let units = self.units(raw, "place", |_| true);
        if !self.in_window(raw, &[Window::Setup], side.setup, "this side enters on turn 1") {
            return None;
        }
        let (units, hex) = (units?, self.hex(raw.to.as_ref()?)?);
        let span = raw.to.as_ref().map_or(raw.span.clone(), |t| t.span.clone());
        let before = self.errors();
        for (id, at) in &units {
            let unit = position.data.unit(*id);
            if let Some(there) = position.state.hex(*id) {
                self.fault(
                    &Violation::AlreadyOnMap { unit: unit.id.clone(), hex: there },
                    at.clone(),
                );
                continue;
            }
            let allowed = setup_hexes(position, *id);
            if !allowed.contains(&hex) {
                let words: Vec<String> = allowed.iter().map(ToString::to_string).collect();
                let allowed = if unit.kind.is_gunboat() {
                    "any Nile hex".to_owned()
                } else {
                    words.join(" ")
                };
                let violation = Violation::NoSetup { unit: unit.id.clone(), hex, allowed };
                self.fault(&violation, span.clone());
            }
        }
        let units = units.into_iter().map(|(id, _)| id).collect();
        (self.errors() == before).then_some(PlaceOrder { units, hex })
    }

    fn moving(&mut self, raw: &Raw) -> Option<MoveOrder> {
        let position = self.position;
        let units = self.units(raw, "move", |id| position.may_move(id).is_ok());
        let mine = self.army == position.state.moving;
        if !self.in_window(raw, &[Window::Move], mine, "the other side moves in this window") {
            return None;
        }
        let entering = raw.kind == Kind::Enter;
        let before = self.errors();
        let path: Option<Vec<(Hex, Range<usize>)>> = raw.path.as_ref().map(|list| {
            list.value.iter().filter_map(|t| Some((self.hex(t)?, t.span.clone()))).collect()
        });
        let to = raw.to.as_ref().and_then(|t| Some((self.hex(t)?, t.span.clone())));
        let at: Vec<(Hex, Range<usize>)> =
            raw.at.iter().filter_map(|t| Some((self.hex(t)?, t.span.clone()))).collect();
        let units = units?;
        if self.errors() != before {
            return None;
        }
        let mut walks = Vec::new();
        for (id, span) in units {
            let walk = if entering {
                self.entry(raw, id, &span, &at, path.as_deref(), to.as_ref())
            } else {
                self.walk(raw, id, &span, path.as_deref(), to.as_ref())
            };
            if let Some(walk) = walk {
                walks.push((id, walk));
            }
        }
        if self.faults[before..].iter().any(|f| f.severity == Severity::Error) {
            return None;
        }
        Some(MoveOrder { walks, entering })
    }

    fn walk(
        &mut self,
        raw: &Raw,
        id: UnitId,
        span: &Range<usize>,
        path: Option<&[(Hex, Range<usize>)]>,
        to: Option<&(Hex, Range<usize>)>,
    ) -> Option<Walk> {
        let position = self.position;
        let unit = position.data.unit(id);
        let Some(from) = position.state.hex(id) else {
            let fault = violation_fault(&Violation::NotOnMap { unit: unit.id.clone() });
            let fault = fault.help("units off the map enter with [[enter]]");
            self.faults.push(fault.at(span.clone()));
            return None;
        };
        if let Err(violation) = position.may_move(id) {
            self.fault(&violation, span.clone());
            return None;
        }
        let walk = if let Some(path) = path {
            let rest = if path.first().map(|p| p.0) == Some(from) { &path[1..] } else { path };
            let mut hexes = vec![from];
            hexes.extend(rest.iter().map(|p| p.0));
            self.follow(id, &hexes, rest, 1, false)?
        } else {
            let (to, at) = to?;
            if *to == from {
                return Some(Walk { path: vec![from], cost: 0, allowance: 0, steps: Vec::new() });
            }
            if let Some(found) = position.reach(id).get(to) {
                position.walk(id, &found.path, false).ok()?
            } else {
                self.no_path(id, *to, at.clone(), &position.reach(id));
                return None;
            }
        };
        if raw.kind == Kind::Transfer && walk.steps.iter().all(|s| s.mp != 6) {
            let fault = Diagnostic::error(
                Some(super::cite::cite("9.3.4.E")),
                format!("this way of `{}` does not pass by the mouths of the Nile", unit.id),
            );
            self.faults.push(fault.at(span.clone()).help(
                "a path that passes goes from 0101 straight to 0501, 0601, 1401 or 1501, or back",
            ));
            return None;
        }
        Some(walk)
    }

    /// Why a hex is out of reach: the rule that bars it, or the points that lack.
    fn no_path(
        &mut self,
        id: UnitId,
        to: Hex,
        span: Range<usize>,
        reach: &BTreeMap<Hex, super::movement::Reached>,
    ) {
        let position = self.position;
        let violation = if let Err(violation) = position.may_enter(id, to) {
            violation
        } else {
            let (up, down) = position.allowances(id);
            let unit = position.data.unit(id).id.clone();
            let (why, rule) = position.limit(id, false);
            Violation::NoPath { unit, to, allowance: up.max(down), why, rule }
        };
        let mut fault = violation_fault(&violation).at(span);
        let near = reach.iter().min_by_key(|(hex, r)| (hex.distance(to), r.cost, **hex));
        if let Some((hex, found)) = near {
            fault = fault.help(format!(
                "it can come as near as {hex} ({} MP, {})",
                found.cost,
                path_words(&found.path)
            ));
        }
        self.faults.push(fault);
    }

    /// Walks a path as written; `skip` hexes of `hexes` come before `written`.
    fn follow(
        &mut self,
        id: UnitId,
        hexes: &[Hex],
        written: &[(Hex, Range<usize>)],
        skip: usize,
        entering: bool,
    ) -> Option<Walk> {
        match self.position.walk(id, hexes, entering) {
            Ok(walk) => Some(walk),
            Err(bad) => {
                let index = bad.index.saturating_sub(skip);
                let span = written.get(index).map_or(0..0, |w| w.1.clone());
                let mut fault =
                    violation_fault(&bad.violation).at(span).label(format!("step {}", index + 1));
                if let (Violation::MustStop { enemy, .. }, Some(before)) =
                    (&bad.violation, index.checked_sub(1).and_then(|i| written.get(i)))
                {
                    fault =
                        fault.also(before.1.clone(), format!("in the zone of control of {enemy}"));
                }
                self.faults.push(fault);
                None
            }
        }
    }

    fn entry(
        &mut self,
        raw: &Raw,
        id: UnitId,
        span: &Range<usize>,
        at: &[(Hex, Range<usize>)],
        path: Option<&[(Hex, Range<usize>)]>,
        to: Option<&(Hex, Range<usize>)>,
    ) -> Option<Walk> {
        let position = self.position;
        let unit = position.data.unit(id);
        if let Some(hex) = position.state.hex(id) {
            self.fault(&Violation::AlreadyOnMap { unit: unit.id.clone(), hex }, span.clone());
            return None;
        }
        if let Err(violation) = may_enter_now(position, id) {
            self.fault(&violation, span.clone());
            return None;
        }
        let entries = entry_hexes(position);
        let named = at.first().or_else(|| path.and_then(<[_]>::first));
        if let Some((hex, span)) = named
            && !entries.contains(hex)
        {
            let edges = "a land hex of the south edge (row 16) or the east edge (column 18)";
            let violation = match position.may_enter(id, *hex) {
                Err(v) if position.data.scenario.entry.1.contains(hex) => v,
                _ => Violation::NotAnEntry { hex: *hex, edges: edges.to_owned() },
            };
            self.fault(&violation, span.clone());
            return None;
        }
        if let Some(path) = path {
            let mut hexes: Vec<Hex> = Vec::new();
            let mut written: Vec<(Hex, Range<usize>)> = Vec::new();
            if let Some(entry) = at.first().filter(|e| path.first().map(|p| p.0) != Some(e.0)) {
                hexes.push(entry.0);
                written.push(entry.clone());
            }
            hexes.extend(path.iter().map(|p| p.0));
            written.extend(path.iter().cloned());
            return self.follow(id, &hexes, &written, 0, true);
        }
        let starts: Vec<Hex> = match at.first() {
            Some((hex, _)) => vec![*hex],
            None => entries,
        };
        let reach = position.reach_entering(id, starts.iter().copied());
        let (to, to_span) = match to {
            Some((hex, span)) => (*hex, span.clone()),
            None => (starts.first().copied()?, raw.span.clone()),
        };
        if let Some(found) = reach.get(&to) {
            position.walk(id, &found.path, true).ok()
        } else {
            self.no_path(id, to, to_span, &reach);
            None
        }
    }

    fn target(&mut self, text: &At<String>) -> Option<Target> {
        let board = &self.position.data.board;
        let target = Target::parse(&text.value).filter(|t| match t {
            Target::Units(hex) | Target::Fort(hex) => board.has(*hex),
            Target::Wall(side) => board.has(side.hexes().0),
        });
        if target.is_none() {
            self.faults.push(
                Diagnostic::error(None, format!("`{}` is no target", text.value))
                    .at(text.span.clone())
                    .help("a target is a hex `0712`, a fort `0402:fort` or a wall `0512:SE`"),
            );
        }
        target
    }

    fn fire(&mut self, raw: &Raw) -> Option<FireOrder> {
        let position = self.position;
        let window = position.state.window;
        let phasing = self.army == position.state.moving;
        let units = self.units(raw, "fire", |id| position.can_fire(id).is_ok());
        let mine = match window {
            Window::Defence => !phasing,
            Window::Offence => phasing,
            _ => true,
        };
        let windows = [Window::Combat, Window::Defence, Window::Offence];
        if !self.in_window(raw, &windows, mine, "the other side fires in this window") {
            return None;
        }
        let before = self.errors();
        if let Some(weapon) = raw.weapon.as_ref().filter(|w| w.value != "artillery") {
            let (what, rule) = match weapon.value.as_str() {
                "maxim" => ("fire of Maxims", "6.4.2.B"),
                _ => ("howitzer fire", "6.6.4.A"),
            };
            self.fault(&Violation::NotYet { what, rule }, weapon.span.clone());
        }
        if let Some(advance) = raw.advance.as_ref().filter(|a| a.value && !phasing) {
            self.faults.push(
                Diagnostic::warning(
                    Some(super::cite::cite("6.7.B")),
                    "nobody advances after defensive fire",
                )
                .at(advance.span.clone()),
            );
        }
        let at: Vec<(Target, Range<usize>)> =
            raw.at.iter().filter_map(|t| Some((self.target(t)?, t.span.clone()))).collect();
        let units = units?;
        let mut list = Preferences::default();
        for (id, span) in &units {
            if let Err(violation) = position.can_fire(*id) {
                self.fault(&violation, span.clone());
                continue;
            }
            for (target, at) in &at {
                let Err(violation) = position.shot(*id, *target) else {
                    list.hit = true;
                    continue;
                };
                // Defensive fire comes first and may clear the way for the phasing side.
                let later = phasing && window == Window::Combat;
                let unseen = matches!(violation, Violation::Unseen { .. });
                let clears = later && unseen && position.only_units_block(*id, *target);
                let hope = "unless those units are gone when offensive fire begins";
                list.miss(violation, at.clone(), clears.then_some(hope));
            }
        }
        self.tell(list);
        if self.faults[before..].iter().any(|f| f.severity == Severity::Error) || at.is_empty() {
            return None;
        }
        Some(FireOrder {
            units: units.into_iter().map(|u| u.0).collect(),
            at: at.into_iter().map(|t| t.0).collect(),
            advance: raw.advance.as_ref().map(|a| a.value),
        })
    }

    /// Says what of a preference list cannot be done: warnings where something of it
    /// can, errors that refuse the order where nothing can.
    fn tell(&mut self, list: Preferences) {
        let mut told: Vec<(Range<usize>, Option<crate::core::rule::Rule>)> = Vec::new();
        for (violation, span, hope) in list.misses {
            let mut fault = violation_fault(&violation).at(span.clone());
            if list.hit {
                // One unit stands for all that miss the same target for the same reason.
                if told.contains(&(span.clone(), fault.rule)) {
                    continue;
                }
                told.push((span, fault.rule));
                fault.severity = Severity::Warning;
                let hope = hope.map_or(String::new(), |h| format!(", {h}"));
                fault = fault.note(format!("passed over{hope}"));
            }
            self.faults.push(fault);
        }
    }

    fn hold(&mut self, raw: &Raw) -> Option<Vec<UnitId>> {
        let windows = [Window::Combat, Window::Defence, Window::Offence];
        let units = self.units(raw, "fire", |id| self.position.can_fire(id).is_ok());
        let ok = self.in_window(raw, &windows, true, "");
        units.filter(|_| ok).map(|list| list.into_iter().map(|u| u.0).collect())
    }

    fn melee(&mut self, raw: &Raw, file: &orders::File) -> Option<MeleeOrder> {
        let position = self.position;
        let phasing = self.army == position.state.moving;
        let window = position.state.window;
        let units = self.units(raw, "melee", |id| position.can_melee(id).is_ok());
        let why = "only the side whose player-turn it is attacks in melee";
        if !self.in_window(raw, &[Window::Combat, Window::Melee], phasing, why) {
            return None;
        }
        let before = self.errors();
        if let Some(advance) =
            raw.advance.as_ref().filter(|a| !a.value && self.army == Army::Dervish)
        {
            self.faults.push(
                Diagnostic::warning(
                    Some(super::cite::cite("7.6.A")),
                    "Dervish units must advance into a hex that they emptied in melee",
                )
                .at(advance.span.clone()),
            );
        }
        let at: Vec<(Hex, Range<usize>)> =
            raw.at.iter().filter_map(|t| Some((self.hex(t)?, t.span.clone()))).collect();
        let units = units?;
        let mut list = Preferences::default();
        for (id, span) in &units {
            if let Err(violation) = position.can_melee(*id) {
                self.fault(&violation, span.clone());
                continue;
            }
            let name = &position.data.unit(*id).id;
            let moves_first = window == Window::Combat
                && file.orders.iter().any(|o| {
                    o.kind == Kind::Fire
                        && o.advance.as_ref().is_some_and(|a| a.value)
                        && o.units.iter().any(|u| u.value == *name)
                });
            for (hex, at) in &at {
                let Err(violation) = position.may_melee(*id, *hex) else {
                    list.hit = true;
                    continue;
                };
                // A wall that this side's guns can reach may be open when it comes to melee.
                let wall = matches!(violation, Violation::MeleeBarred { rule: "7.2.B", .. })
                    && self.guns_reach(*id, *hex);
                let opens = window == Window::Combat && (wall || moves_first);
                let hope = "unless offensive fire opens the way before the melees";
                list.miss(violation, at.clone(), opens.then_some(hope));
            }
        }
        self.tell(list);
        if self.faults[before..].iter().any(|f| f.severity == Severity::Error) || at.is_empty() {
            return None;
        }
        Some(MeleeOrder {
            units: units.into_iter().map(|u| u.0).collect(),
            at: at.into_iter().map(|t| t.0).collect(),
            advance: raw.advance.as_ref().map(|a| a.value),
        })
    }

    /// True if a gun of this side can fire at the wall between a unit and a hex.
    fn guns_reach(&self, id: UnitId, hex: Hex) -> bool {
        let position = self.position;
        let side = position.state.hex(id).and_then(|from| Side::between(from, hex));
        side.is_some_and(|side| {
            position.data.ids().any(|gun| {
                position.data.unit(gun).army == self.army
                    && position.shot(gun, Target::Wall(side)).is_ok()
            })
        })
    }

    /// Loss preferences: ids, tribes, nations and kinds; a word that names nobody is
    /// a warning, and is passed over.
    fn selectors(&mut self, list: &[At<String>]) -> Vec<String> {
        let data = self.position.data;
        let words: BTreeSet<&str> = data
            .units
            .iter()
            .filter(|u| u.army == self.army)
            .flat_map(|u| [u.id.as_str(), u.class.as_str(), u.command.as_str(), u.kind.name()])
            .collect();
        let mut out = Vec::new();
        for word in list {
            if words.contains(word.value.as_str()) {
                out.push(word.value.clone());
                continue;
            }
            let fault = Diagnostic::warning(
                None,
                format!("`{}` names no unit of yours in this game", word.value),
            )
            .at(word.span.clone());
            self.faults.push(match did_you_mean(&word.value, words.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help("name a unit, a tribe, a nation or a kind of unit"),
            });
        }
        out
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
