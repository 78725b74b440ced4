//! Who an order is for: units by id, by range, by the stack they stand in, or all who
//! answer to a word.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::read::At;
use crate::geometry::hex::Hex;

use super::super::data::UnitId;
use super::super::orders::{self, Kind, Raw};
use super::super::state::Place;
use super::super::violation::Violation;
use super::Checker;

/// Units with where the file names them.
type Named = Vec<(UnitId, Range<usize>)>;

impl Checker<'_> {
    /// Notes whom the movement orders of the file name, so that a hex which they leave
    /// counts as free for those that come after.
    pub(super) fn foresee(&mut self, file: &orders::File) {
        let position = self.position;
        let data = position.data;
        // Who enters or lands leaves no hex.
        let leaves = |r: &&Raw| matches!(r.kind, Kind::Move | Kind::Transfer | Kind::Follow);
        for raw in file.orders.iter().filter(leaves) {
            for name in &raw.units {
                self.movers.extend(data.answering(&name.value));
            }
            if let Some(hex) = raw.stack.as_ref().and_then(|t| Hex::parse(&t.value))
                && data.board.has(hex)
            {
                self.movers.extend(position.at(hex));
            }
        }
        // Who cannot move stays although a word names him, and a boat that takes a unit
        // on board lies still.
        let boats: Vec<UnitId> = file
            .orders
            .iter()
            .filter(|raw| raw.kind == Kind::Load)
            .filter_map(|raw| data.find(&raw.word.as_ref()?.value))
            .collect();
        self.movers.retain(|id| {
            position.state.owner(data, *id) == Some(self.player)
                && position.may_move(*id).is_ok()
                && !boats.contains(id)
        });
    }

    /// The units of an order, each with its place in the file.
    pub(super) fn units(
        &mut self,
        raw: &Raw,
        group: &'static str,
        fits: impl Fn(UnitId) -> bool,
    ) -> Option<Named> {
        let before = self.errors();
        let mut out = self.named(raw, group, &fits);
        if let Some(stack) = &raw.stack
            && let Some(hex) = self.hex(stack)
        {
            let state = self.position.state;
            let here: Vec<UnitId> = self
                .position
                .at(hex)
                .iter()
                .copied()
                .filter(|id| state.owner(self.position.data, *id) == Some(self.player) && fits(*id))
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
                    unit: self.position.data.unit(*id).id.clone(),
                    line,
                    fire: group.starts_with("fire"),
                };
                self.fault(&violation, span.clone());
            }
        }
        if out.is_empty() && !self.failed_since(before) {
            let fault =
                Diagnostic::error(None, format!("this [[{}]] names no unit", raw.kind.name()));
            self.faults.push(fault.at(raw.span.clone()).help(match raw.kind {
                Kind::Place | Kind::Enter | Kind::Load | Kind::Disembark | Kind::Desert => {
                    "add a line `units = [\"...\"]`"
                }
                _ => "add a line `units = [\"...\"]` or `stack = \"CCRR\"`",
            }));
        }
        (!self.failed_since(before)).then_some(out)
    }

    fn named(&mut self, raw: &Raw, group: &'static str, fits: &dyn Fn(UnitId) -> bool) -> Named {
        let data = self.position.data;
        let state = self.position.state;
        let mut out: Named = Vec::new();
        let mut nobody = Vec::new();
        for name in &raw.units {
            let found = data.answering(&name.value);
            if found.is_empty() {
                self.unknown(name);
                continue;
            }
            if let Some(id) = data.find(&name.value) {
                // One unit by its id: what is wrong with it is said.
                if self.mine(id, name.span.clone()) {
                    out.push((id, name.span.clone()));
                }
                continue;
            }
            // A range or a word for many: whoever of them can, and has no order yet.
            let free: Vec<UnitId> = found
                .iter()
                .copied()
                .filter(|id| state.owner(data, *id) == Some(self.player))
                .filter(|id| !matches!(state.unit(*id).place, Place::Eliminated(_) | Place::Out))
                .filter(|id| fits(*id) && !self.used.contains_key(&(group, *id)))
                .filter(|id| !out.iter().any(|(o, _)| o == id))
                .collect();
            if free.is_empty() {
                let text = format!(
                    "nobody of yours who answers to `{}` can {} now",
                    name.value,
                    raw.kind.name()
                );
                nobody.push(Diagnostic::error(None, text).at(name.span.clone()));
            }
            out.extend(free.into_iter().map(|id| (id, name.span.clone())));
        }
        // A tribe that is gone does not keep the others of the list from obeying.
        if out.is_empty() {
            self.faults.append(&mut nobody);
        }
        out
    }

    /// Whether a unit is this player's and alive; says so if not.
    fn mine(&mut self, id: UnitId, span: Range<usize>) -> bool {
        let data = self.position.data;
        let state = self.position.state;
        let unit = data.unit(id).id.clone();
        let owner = state.owner(data, id);
        if owner != Some(self.player) {
            let owner = owner.map_or("nobody".to_owned(), ToString::to_string);
            self.fault(&Violation::NotYours { unit, owner }, span);
            return false;
        }
        if let Place::Eliminated(when) = &state.unit(id).place {
            self.fault(&Violation::Dead { unit, when: when.clone() }, span);
            return false;
        }
        true
    }

    /// One unit of this player by its id.
    pub(super) fn one(&mut self, name: &At<String>) -> Option<UnitId> {
        if let Some(id) = self.position.data.find(&name.value) {
            return self.mine(id, name.span.clone()).then_some(id);
        }
        self.unknown(name);
        None
    }

    fn unknown(&mut self, name: &At<String>) {
        let data = self.position.data;
        let state = self.position.state;
        let mut words: BTreeSet<&str> = BTreeSet::new();
        for id in data.ids().filter(|id| state.owner(data, *id) == Some(self.player)) {
            let unit = data.unit(id);
            words.extend([unit.id.as_str(), unit.class.as_str(), unit.command.as_str()]);
        }
        let mut fault =
            Diagnostic::error(None, format!("`{}` names no unit of this game", name.value))
                .at(name.span.clone());
        fault = match did_you_mean(&name.value, words.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("`despatch form` lists your units"),
        };
        self.faults.push(fault);
    }

    pub(super) fn hex(&mut self, text: &At<String>) -> Option<Hex> {
        let board = &self.position.data.board;
        if let Some(hex) = Hex::parse(&text.value).filter(|h| board.has(*h)) {
            Some(hex)
        } else {
            let grid = board.grid;
            let last = Hex::new(grid.odd.max(grid.even), grid.rows);
            self.faults.push(
                Diagnostic::error(None, format!("`{}` is no hex of this map", text.value))
                    .at(text.span.clone())
                    .help(format!(
                        "hexes are four digits, column and row, up to {last}; not every one is \
                         printed: `despatch map` shows them"
                    )),
            );
            None
        }
    }
}
