//! Orders to fire, to hold fire and to attack; loss preferences.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity, did_you_mean};
use crate::core::read::At;
use crate::core::rule::Rule;
use crate::geometry::hex::{Hex, Side};

use super::super::cite::cite;
use super::super::data::{Army, UnitId};
use super::super::fire::Target;
use super::super::orders::Raw;
use super::super::state::Window;
use super::super::violation::Violation;
use super::{Checker, FireOrder, Legal, MeleeOrder, violation_fault};

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

impl Checker<'_> {
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

    pub(super) fn fire(&mut self, raw: &Raw) -> Option<FireOrder> {
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
                Diagnostic::warning(Some(cite("6.7.B")), "nobody advances after defensive fire")
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
        let mut told: Vec<(Range<usize>, Option<Rule>)> = Vec::new();
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

    pub(super) fn hold(&mut self, raw: &Raw) -> Option<Vec<UnitId>> {
        let windows = [Window::Combat, Window::Defence, Window::Offence];
        let units = self.units(raw, "fire", |id| self.position.can_fire(id).is_ok());
        let ok = self.in_window(raw, &windows, true, "");
        units.filter(|_| ok).map(|list| list.into_iter().map(|u| u.0).collect())
    }

    pub(super) fn melee(&mut self, raw: &Raw) -> Option<MeleeOrder> {
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
                    Some(cite("7.6.A")),
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
            for (hex, at) in &at {
                let Err(violation) = position.may_melee(*id, *hex) else {
                    list.hit = true;
                    continue;
                };
                // A wall that this side's guns can reach may be open when it comes to melee.
                let wall = matches!(violation, Violation::MeleeBarred { rule: "7.2.B", .. })
                    && self.guns_reach(*id, *hex);
                let apart = matches!(
                    violation,
                    Violation::MeleeNotAdjacent { .. } | Violation::MeleeBarred { .. }
                );
                let opens = window == Window::Combat
                    && (wall || (apart && self.may_come_next_to(*id, *hex)));
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

    /// True if a unit's own fire order of this file could bring it next to a hex, by an
    /// advance into a target beside both.
    fn may_come_next_to(&self, id: UnitId, hex: Hex) -> bool {
        let state = self.position.state;
        let Some(from) = state.hex(id) else { return false };
        let standing = state.standing.get(self.player).and_then(|s| s.advance).unwrap_or(false);
        self.plan.fires.iter().map(Legal::get).any(|order| {
            order.units.contains(&id)
                && order.advance.unwrap_or(standing)
                && order.at.iter().any(|target| match target {
                    Target::Units(at) => from.distance(*at) == 1 && at.distance(hex) == 1,
                    _ => false,
                })
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
    pub(super) fn selectors(&mut self, list: &[At<String>]) -> Vec<String> {
        let data = self.position.data;
        let words: BTreeSet<&str> = data
            .units
            .iter()
            .filter(|u| u.army == self.army)
            .flat_map(|u| [u.id.as_str(), u.class.as_str(), u.command.as_str(), u.kind.name()])
            .collect();
        let mut out = Vec::new();
        for word in list {
            if out.contains(&word.value) {
                continue;
            }
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
