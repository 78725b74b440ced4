//! Entry and movement orders.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::core::diag::Diagnostic;
use crate::geometry::hex::Hex;

use super::super::board::Terrain;
use super::super::cite::cite;
use super::super::data::{Kind as UnitKind, UnitId};
use super::super::movement::{Reached, Walk};
use super::super::orders::{Kind, Raw};
use super::super::position::Position;
use super::super::state::{Place, Window};
use super::super::violation::Violation;
use super::{Checker, Manner, MoveOrder, path_words, violation_fault};

/// True if a unit may enter the map this turn (9.1.1.2 to 9.1.1.4, 9.3.2.2).
pub fn may_enter_now(position: &Position<'_>, id: UnitId) -> Result<(), Violation> {
    let data = position.data;
    let unit = data.unit(id).id.clone();
    let Some(entry) = data.scenario.entry(id) else {
        return Violation::NoEntryNow { unit, turn: 0, rule: "9.1.1.2" }.bar();
    };
    let now = position.state.turn;
    // Ruling `late-entry` is about Khartoum; elsewhere who is late comes later.
    let late = entry.rule != "9.3.2.2" || data.rulings.late_entry;
    if now == entry.from || (now > entry.from && late) {
        cite(entry.rule);
        Ok(())
    } else {
        let army = data.unit(id).army;
        let scheduled = data.scenario.schedule.is_some_and(|s| s.army == army);
        let rule = if scheduled { "9.1.1.4" } else { entry.rule };
        Violation::NoEntryNow { unit, turn: entry.from, rule }.bar()
    }
}

/// The entry hexes of a unit in force.
pub fn entry_hexes(position: &Position<'_>, id: UnitId) -> Vec<Hex> {
    let data = position.data;
    let Some(entry) = data.scenario.entry(id) else { return Vec::new() };
    let boat = data.unit(id).kind.is_gunboat();
    let fort = |hex: &Hex| position.fort(*hex).is_some();
    entry
        .hexes
        .iter()
        .copied()
        .filter(|h| (data.board.terrain(*h) == Terrain::Nile) == boat)
        .filter(|h| entry.rule != "9.3.2.2" || data.rulings.north_fort_entry || !fort(h))
        .collect()
}

/// Why a unit may not enter beside those who enter this turn already (9.1.1.4).
pub fn over_schedule(position: &Position<'_>, entered: &[UnitId], id: UnitId) -> Option<Violation> {
    let data = position.data;
    let schedule = data.scenario.schedule.filter(|s| s.army == data.unit(id).army)?;
    for rule in ["9.1.1.3.A", "9.1.1.3.B", "9.1.1.3.C"] {
        cite(rule);
    }
    let turn = position.state.turn;
    if turn >= schedule.free {
        cite("9.1.1.4");
        return None;
    }
    let unit = data.unit(id);
    let refuse = |what: String| {
        let violation = Violation::TooMany { unit: unit.id.clone(), what, rule: "9.1.1.4" };
        violation.rule();
        Some(violation)
    };
    let like = |test: &dyn Fn(UnitKind) -> bool| {
        entered.iter().filter(|o| test(data.unit(**o).kind)).count()
    };
    let boats = |k: UnitKind| k.is_gunboat();
    let land = |k: UnitKind| !k.is_gunboat() && k != UnitKind::Staff;
    if boats(unit.kind) && like(&boats) >= schedule.gunboats {
        return refuse(format!("{} gunboats enter in a turn", schedule.gunboats));
    }
    if land(unit.kind) && turn > 1 && like(&land) >= schedule.land {
        return refuse(format!("{} land units enter in a turn", schedule.land));
    }
    if turn == 1
        && let Some(brigade) = &unit.brigade
    {
        let mut brigades: BTreeSet<&String> =
            entered.iter().filter_map(|o| data.unit(*o).brigade.as_ref()).collect();
        brigades.insert(brigade);
        if brigades.len() > schedule.first_brigades {
            let n = schedule.first_brigades;
            return refuse(format!("{n} brigades of the Egyptian Division enter on turn 1"));
        }
    }
    cite("9.1.1.4");
    None
}

impl Checker<'_> {
    pub(super) fn moving(&mut self, raw: &Raw) -> Option<MoveOrder> {
        let entered = self.entered.len();
        let order = self.moving_order(raw);
        if order.is_none() {
            // Who is refused does not count for the limits of entry (9.1.1.4).
            self.entered.truncate(entered);
        }
        order
    }

    fn moving_order(&mut self, raw: &Raw) -> Option<MoveOrder> {
        let position = self.position;
        let manner = match raw.kind {
            Kind::Enter => Manner::Enters,
            Kind::Disembark => Manner::Lands,
            _ => Manner::Moves,
        };
        let units = self.units(raw, "move", |id| match manner {
            Manner::Enters => {
                position.state.unit(id).place == Place::Waiting
                    && may_enter_now(position, id).is_ok()
            }
            Manner::Lands => matches!(position.state.unit(id).place, Place::Aboard { .. }),
            Manner::Moves => position.state.hex(id).is_some() && position.may_move(id).is_ok(),
        });
        let mine = self.army == position.state.moving;
        if !self.in_window(raw, &[Window::Move], mine, "the other side moves in this window") {
            return None;
        }
        let before = self.errors();
        let route = self.route(raw);
        let units = units?;
        if self.errors() != before {
            return None;
        }
        if raw.kind == Kind::Follow {
            return self.follow_leader(raw, &units);
        }
        if raw.towards.is_some() {
            return self.towards(raw, &units, &route, manner);
        }
        let mut walks = Vec::new();
        for (id, span) in units {
            let walk = match manner {
                Manner::Enters => self.entry(raw, id, &span, &route),
                Manner::Lands => self.landing(id, &span, &route),
                Manner::Moves => self.walk(raw, id, &span, &route),
            };
            if let Some(walk) = walk {
                walks.push((id, walk));
            }
        }
        (!self.failed_since(before)).then_some(MoveOrder { walks, manner })
    }

    /// The hexes that a movement order names.
    fn route(&mut self, raw: &Raw) -> Route {
        let path: Option<Vec<Spot>> = raw.path.as_ref().map(|list| {
            list.value.iter().filter_map(|t| Some((self.hex(t)?, t.span.clone()))).collect()
        });
        let to = raw.to.as_ref().and_then(|t| Some((self.hex(t)?, t.span.clone())));
        let at: Vec<Spot> =
            raw.at.iter().filter_map(|t| Some((self.hex(t)?, t.span.clone()))).collect();
        if let Some(list) = raw.path.as_ref().filter(|list| list.value.is_empty()) {
            let fault = Diagnostic::error(None, "the path names no hex");
            self.faults.push(fault.at(list.span.clone()).help("name the hexes, or give `to`"));
        }
        if let (Some((end, _)), Some((goal, span))) =
            (path.as_ref().and_then(|p| p.last()), to.as_ref())
            && end != goal
        {
            let text = format!("`path` ends in {end} and `to` says {goal}");
            self.faults
                .push(Diagnostic::error(None, text).at(span.clone()).help("give one of them"));
        }
        if let Some(towards) = raw.towards.as_ref().filter(|_| to.is_some() || path.is_some()) {
            let fault = Diagnostic::error(None, "`towards` beside `to` or `path`");
            self.faults.push(fault.at(towards.span.clone()).help("give one of them"));
        }
        if let [_, (_, span), ..] = &at[..] {
            let fault = Diagnostic::error(None, "units of one order enter through one hex");
            self.faults.push(fault.at(span.clone()).help("write an [[enter]] for each entry hex"));
        }
        Route { at, path, to }
    }

    fn walk(&mut self, raw: &Raw, id: UnitId, span: &Range<usize>, route: &Route) -> Option<Walk> {
        let position = self.position;
        let unit = position.data.unit(id);
        let (path, to) = (route.path.as_deref(), route.to.as_ref());
        if let Place::Aboard { .. } = position.state.unit(id).place {
            if let Err(violation) = position.on_map(id) {
                self.fault(&violation, span.clone());
            }
            return None;
        }
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
                Some(cite("9.3.4.E")),
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
    fn no_path(&mut self, id: UnitId, to: Hex, span: Range<usize>, reach: &BTreeMap<Hex, Reached>) {
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

    fn entry(&mut self, raw: &Raw, id: UnitId, span: &Range<usize>, route: &Route) -> Option<Walk> {
        let position = self.position;
        let unit = position.data.unit(id);
        let (at, path, to) = (&route.at[..], route.path.as_deref(), route.to.as_ref());
        if let Some(hex) = position.state.hex(id) {
            self.fault(&Violation::AlreadyOnMap { unit: unit.id.clone(), hex }, span.clone());
            return None;
        }
        if let Err(violation) = may_enter_now(position, id) {
            self.fault(&violation, span.clone());
            return None;
        }
        if let Some(violation) = over_schedule(position, &self.entered, id) {
            self.fault(&violation, span.clone());
            return None;
        }
        let entries = entry_hexes(position, id);
        let named = at.first().or_else(|| path.and_then(<[_]>::first));
        if let Some((hex, span)) = named
            && !entries.contains(hex)
        {
            let entry = position.data.scenario.entry(id)?;
            let violation = match position.may_enter(id, *hex) {
                Err(v) if entry.hexes.contains(hex) => v,
                _ => Violation::NotAnEntry {
                    hex: *hex,
                    edges: edge_words(&entry.edges, &entries),
                    rule: entry.rule,
                },
            };
            self.fault(&violation, span.clone());
            return None;
        }
        self.entered.push(id);
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

    /// A unit goes ashore from its gunboat (5.2.1.B).
    fn landing(&mut self, id: UnitId, span: &Range<usize>, route: &Route) -> Option<Walk> {
        let position = self.position;
        let starts = match landing_hexes(position, id) {
            Ok(hexes) => hexes,
            Err(violation) => {
                self.fault(&violation, span.clone());
                return None;
            }
        };
        if let Some(path) = route.path.as_deref() {
            let (first, at) = path.first()?;
            if !starts.contains(first) {
                let unit = position.data.unit(id).id.clone();
                let why = format!(
                    "cannot land in {first}: that is no free hex of the west bank beside its boat"
                );
                self.fault(&Violation::Special { unit, why, rule: "5.2.1.B" }, at.clone());
                return None;
            }
            let hexes: Vec<Hex> = path.iter().map(|p| p.0).collect();
            return self.follow(id, &hexes, path, 0, true);
        }
        let (to, at) = route.to.as_ref()?;
        let reach = position.reach_entering(id, starts.into_iter());
        if let Some(found) = reach.get(to) {
            position.walk(id, &found.path, true).ok()
        } else {
            self.no_path(id, *to, at.clone(), &reach);
            None
        }
    }
}

/// The hexes where a unit on board may go ashore now: the west bank beside its boat,
/// on the third turn or later (5.2.1.B).
pub fn landing_hexes(position: &Position<'_>, id: UnitId) -> Result<Vec<Hex>, Violation> {
    let data = position.data;
    let unit = data.unit(id).id.clone();
    let Place::Aboard { boat, since } = position.state.unit(id).place else {
        let why = "is not on board a gunboat".to_owned();
        return Violation::Special { unit, why, rule: "5.2.1.B" }.bar();
    };
    if position.state.turn < since + 2 {
        let why = format!("went on board on turn {since} and may land on turn {}", since + 2);
        return Violation::Special { unit, why, rule: "5.2.1.B" }.bar();
    }
    let at = position.on_map(boat)?;
    let west = |hex: &Hex| data.board.bank(*hex) == Some(super::super::board::Bank::West);
    cite("5.2.1.B");
    Ok(data.board.neighbours(at).map(|(_, hex)| hex).filter(west).collect())
}

fn edge_words(edges: &[String], hexes: &[Hex]) -> String {
    if hexes.len() > 40 || edges == ["south", "east"] {
        return "a land hex of the south edge (row 16) or the east edge (column 18)".to_owned();
    }
    hexes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A hex with its place in the file.
type Spot = (Hex, Range<usize>);

/// The hexes that a movement order names.
#[derive(Debug, Default)]
pub(super) struct Route {
    pub(super) at: Vec<Spot>,
    pub(super) path: Option<Vec<Spot>>,
    pub(super) to: Option<Spot>,
}
