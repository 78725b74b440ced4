//! Set-up, entry and movement orders.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity};
use crate::geometry::hex::Hex;

use super::super::board::Terrain;
use super::super::cite::cite;
use super::super::data::UnitId;
use super::super::movement::{Reached, Walk};
use super::super::orders::{Kind, Raw};
use super::super::position::Position;
use super::super::state::Window;
use super::super::violation::Violation;
use super::{Checker, MoveOrder, PlaceOrder, path_words, violation_fault};

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
    pub(super) fn place(&mut self, raw: &Raw) -> Option<PlaceOrder> {
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

    pub(super) fn moving(&mut self, raw: &Raw) -> Option<MoveOrder> {
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
        if let (Some((end, _)), Some((goal, span))) =
            (path.as_ref().and_then(|p| p.last()), to.as_ref())
            && end != goal
        {
            let text = format!("`path` ends in {end} and `to` says {goal}");
            self.faults
                .push(Diagnostic::error(None, text).at(span.clone()).help("give one of them"));
        }
        if let [_, (_, span), ..] = &at[..] {
            let fault = Diagnostic::error(None, "units of one order enter through one hex");
            self.faults.push(fault.at(span.clone()).help("write an [[enter]] for each entry hex"));
        }
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
}
