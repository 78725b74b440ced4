//! A whole file: its orders in turn, then what they come to together.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity};

use super::super::cite::cite;
use super::super::data::Kind as UnitKind;
use super::super::orders::{self, Kind, Raw};
use super::super::state::{Place, Window};
use super::super::violation::Violation;
use super::{Arrival, Checker, Legal, MoveOrder, PlaceOrder, Refusal, settle, violation_fault};

impl Checker<'_> {
    pub(super) fn file(&mut self, file: &orders::File) {
        let broken = self.broken(file);
        self.foresee(file);
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
                        for unit in &order.units {
                            self.arrive(index, *unit, order.hex);
                        }
                        places.push((index, raw, order));
                    }
                }
                Kind::Enter | Kind::Move | Kind::Transfer | Kind::Follow | Kind::Disembark => {
                    if let Some(order) = self.moving(raw) {
                        for (unit, walk) in &order.walks {
                            if let Some(hex) = walk.path.last() {
                                self.arrive(index, *unit, *hex);
                            }
                        }
                        moves.push((index, raw, order));
                    }
                }
                _ => self.other(raw),
            }
            if let Some(fault) =
                self.faults[before..].iter().find(|f| f.severity == Severity::Error)
            {
                let (reason, rule) = (fault.message.clone(), fault.rule.map_or("", |r| r.0));
                self.refuse(raw, reason, rule.to_owned());
            }
        }
        let fallen = settle(self.position, &self.arriving);
        for (index, violation) in &fallen {
            self.crowded(file, *index, violation);
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
        self.notes_complete(file);
        if !file.orders.is_empty() {
            self.leaders_due(file.orders[0].span.clone());
        }
        self.plan.refusals.sort_by_key(|r| r.line);
        if let Some(losses) = &file.losses {
            self.plan.losses = Some(self.selectors(losses));
        }
        if let Some(raw) = &file.standing {
            self.standing(raw);
        }
    }

    /// Orders that bring nobody to another hex.
    fn other(&mut self, raw: &Raw) {
        let line = raw.line;
        match raw.kind {
            Kind::Hide => {
                if let Some(order) = self.hide(raw) {
                    self.plan.hides.push(Legal { order, line });
                }
            }
            Kind::Load => {
                if let Some(order) = self.load(raw) {
                    self.plan.loads.push(Legal { order, line });
                }
            }
            Kind::Construct | Kind::Demolish => {
                if let Some(order) = self.task(raw) {
                    self.plan.tasks.push(Legal { order, line });
                }
            }
            Kind::Desert => {
                if let Some(units) = self.desert(raw) {
                    self.plan.deserters.extend(units);
                    self.plan.desert_orders += 1;
                }
            }
            Kind::Fire => {
                if let Some(order) = self.fire(raw) {
                    let shells = order.weapon == Some(super::Weapon::Howitzer);
                    let list = if shells { &mut self.plan.shells } else { &mut self.plan.fires };
                    list.push(Legal { order, line });
                }
            }
            Kind::Second => {
                if let Some(order) = self.second(raw) {
                    self.plan.seconds.push(Legal { order, line });
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
                    self.plan.melees.push(Legal { order, line });
                }
            }
            Kind::Retreat => {
                if let Some(orders) = self.retreat(raw) {
                    self.plan.retreats.extend(orders);
                    self.plan.retreat_orders += 1;
                }
            }
            Kind::Place
            | Kind::Enter
            | Kind::Move
            | Kind::Transfer
            | Kind::Follow
            | Kind::Disembark => {}
        }
    }

    /// 9.1.1.3.D: says which leaders will enter by themselves.
    fn leaders_due(&mut self, span: Range<usize>) {
        let position = self.position;
        let data = position.data;
        let due = data
            .scenario
            .schedule
            .is_some_and(|s| s.army == self.army && position.state.turn == s.leaders_by);
        let moves = position.state.window == Window::Move && self.army == position.state.moving;
        if !(due && moves) {
            return;
        }
        for id in data.ids() {
            let waits = data.unit(id).kind == UnitKind::Staff
                && position.state.unit(id).place == Place::Waiting
                && position.state.owner(data, id) == Some(self.player)
                && !self.entered.contains(&id);
            if waits {
                let text = format!(
                    "`{}` must enter this turn and has no order: it will enter at the first \
                     free entrance hex",
                    data.unit(id).id
                );
                let rule = Some(cite("9.1.1.3.D"));
                self.faults.push(Diagnostic::warning(rule, text).at(span.clone()));
            }
        }
    }

    fn arrive(&mut self, order: usize, unit: super::UnitId, hex: super::Hex) {
        self.arriving.push(Arrival { order, unit, hex });
        self.ends.insert(unit, hex);
    }

    /// An order that falls because too many would end in its hex.
    fn crowded(&mut self, file: &orders::File, index: usize, violation: &Violation) {
        let raw = &file.orders[index];
        let span = raw
            .to
            .as_ref()
            .map(|t| t.span.clone())
            .or_else(|| raw.path.as_ref().map(|p| p.span.clone()))
            .unwrap_or(raw.span.clone());
        let lines: Vec<String> = self
            .arriving
            .iter()
            .filter(|a| a.order != index)
            .filter(|a| self.arriving.iter().any(|b| b.order == index && b.hex == a.hex))
            .map(|a| file.orders[a.order].line.to_string())
            .collect();
        let mut fault = violation_fault(violation).at(span);
        if !lines.is_empty() {
            let mut lines = lines;
            lines.dedup();
            fault = fault.label(format!("after the orders on lines {}", lines.join(", ")));
        }
        let rule = fault.rule.map_or("", |r| r.0).to_owned();
        self.faults.push(fault);
        self.refuse(raw, violation.to_string(), rule);
    }

    fn standing(&mut self, raw: &orders::RawStanding) {
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
        if let Some(retreat) = &raw.retreat {
            standing.retreat = Some(retreat.value.clone());
        }
        self.plan.standing = Some(standing);
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

    pub(super) fn errors(&self) -> usize {
        self.faults.len()
    }

    pub(super) fn refuse(&mut self, raw: &Raw, reason: String, rule: String) {
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
        } else if let Some(towards) = &raw.towards {
            order = format!("{order} towards {}", towards.value);
        }
        if let Some(word) = &raw.word {
            order = format!("{order} ({})", word.value);
        }
        self.plan.refusals.push(Refusal { line: raw.line, order, reason, rule });
    }

    pub(super) fn fault(&mut self, violation: &Violation, span: Range<usize>) {
        self.faults.push(violation_fault(violation).at(span));
    }

    /// The kind of order must belong to the window, and to this side's part of it.
    pub(super) fn in_window(
        &mut self,
        raw: &Raw,
        windows: &[Window],
        mine: bool,
        why: &'static str,
    ) -> bool {
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

    /// True if an error was found since `before`.
    pub(super) fn failed_since(&self, before: usize) -> bool {
        self.faults[before..].iter().any(|f: &Diagnostic| f.severity == Severity::Error)
    }
}
