//! Orders to fire, to hold fire, to attack and to retreat; loss preferences.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity, did_you_mean};
use crate::core::read::At;
use crate::core::rule::Rule;
use crate::geometry::hex::{Hex, Side};

use super::super::cite::cite;
use super::super::data::{Army, Kind as UnitKind, UnitId, Weapon};
use super::super::fire::Target;
use super::super::orders::Raw;
use super::super::state::Window;
use super::super::violation::Violation;
use super::{Checker, FireOrder, Legal, MeleeOrder, Retreat, violation_fault};

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
    pub(super) fn target(&mut self, text: &At<String>) -> Option<Target> {
        let board = &self.position.data.board;
        let target = Target::parse(&text.value).filter(|t| match t {
            Target::Units(hex) | Target::Fort(hex) | Target::Chain(hex) => board.has(*hex),
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

    fn aims(&mut self, raw: &Raw) -> Vec<(Target, Range<usize>)> {
        raw.at.iter().filter_map(|t| Some((self.target(t)?, t.span.clone()))).collect()
    }

    /// Direct fire, and howitzer fire where the weapon says so.
    pub(super) fn fire(&mut self, raw: &Raw) -> Option<FireOrder> {
        let position = self.position;
        let window = position.state.window;
        let phasing = self.army == position.state.moving;
        let weapon = raw.weapon.as_ref().map(|w| match w.value.as_str() {
            "maxim" => Weapon::Maxims,
            "howitzer" => Weapon::Howitzer,
            _ => Weapon::Artillery,
        });
        let shells = weapon == Some(Weapon::Howitzer);
        let group = match weapon {
            Some(Weapon::Maxims) => "fire maxim",
            Some(Weapon::Howitzer) => "fire howitzer",
            Some(_) => "fire artillery",
            None => "fire",
        };
        let units = self.units(raw, group, |id| {
            if shells { position.can_shell(id).is_ok() } else { position.can_fire(id).is_ok() }
        });
        let (mine, windows) = self.turn_to_fire(shells);
        if !self.in_window(raw, windows, mine, "the other side fires in this window") {
            return None;
        }
        let before = self.errors();
        if let Some(advance) = raw.advance.as_ref().filter(|a| a.value && !phasing) {
            self.faults.push(
                Diagnostic::warning(Some(cite("6.7.B")), "nobody advances after defensive fire")
                    .at(advance.span.clone()),
            );
        }
        if let Some(combine) = raw.combine.as_ref().filter(|_| !shells) {
            let fault = Diagnostic::error(Some(cite("6.4.2.D")), "only howitzer fire is combined");
            self.faults.push(fault.at(combine.span.clone()).help("add `weapon = \"howitzer\"`"));
        }
        let at = self.aims(raw);
        let units = units?;
        self.both_at_once(&units, weapon);
        let mut list = Preferences::default();
        for (id, span) in &units {
            let able = if shells { position.can_shell(*id) } else { position.can_fire(*id) };
            if let Err(violation) = able {
                self.fault(&violation, span.clone());
                continue;
            }
            for (target, at) in &at {
                let result = if shells {
                    position.shell(*id, *target).map(|_| ())
                } else {
                    self.any_arm(*id, weapon, *target)
                };
                let Err(violation) = result else {
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
        if self.failed_since(before) || at.is_empty() {
            return None;
        }
        Some(FireOrder {
            units: units.into_iter().map(|u| u.0).collect(),
            weapon,
            at: at.into_iter().map(|t| t.0).collect(),
            advance: raw.advance.as_ref().map(|a| a.value),
            combine: raw.combine.as_ref().is_some_and(|c| c.value),
        })
    }

    /// Whether this side fires now, directly or in the second subphase, and in which
    /// windows anybody does.
    fn turn_to_fire(&self, second: bool) -> (bool, &'static [Window]) {
        let phasing = self.army == self.position.state.moving;
        let mine = match self.position.state.window {
            Window::Defence | Window::DefenceSecond => !phasing,
            Window::Offence | Window::OffenceSecond => phasing,
            _ => true,
        };
        if second {
            (mine, &[Window::Combat, Window::DefenceSecond, Window::OffenceSecond])
        } else {
            (mine, &[Window::Combat, Window::Defence, Window::Offence])
        }
    }

    /// A weapon fires once: an order for all of a boat's weapons and one for a single
    /// weapon clash (6.1.F).
    fn both_at_once(&mut self, units: &[(UnitId, Range<usize>)], weapon: Option<Weapon>) {
        for (id, span) in units {
            let clash = match weapon {
                None => ["fire artillery", "fire maxim"]
                    .iter()
                    .find_map(|g| self.used.get(&(*g, *id)).copied()),
                Some(Weapon::Howitzer) => None,
                Some(_) => self.used.get(&("fire", *id)).copied(),
            };
            if let Some(line) = clash {
                let unit = self.position.data.unit(*id).id.clone();
                self.fault(&Violation::Twice { unit, line, fire: true }, span.clone());
            }
        }
    }

    /// Whether one of the weapons meant can hit; what bars the first, if none can.
    fn any_arm(&self, id: UnitId, weapon: Option<Weapon>, target: Target) -> Result<(), Violation> {
        let position = self.position;
        let mut refusal = None;
        for (arm, _) in
            position.data.unit(id).arms().filter(|(w, _)| weapon.is_none_or(|m| m == *w))
        {
            match position.shot_with(id, arm, target) {
                Ok(_) => return Ok(()),
                Err(violation) => refusal = refusal.or(Some(violation)),
            }
        }
        if let Some(violation) = refusal {
            return Err(violation);
        }
        let unit = position.data.unit(id).id.clone();
        Violation::CannotFire { unit, why: "it has no such weapon" }.bar()
    }

    /// Second fire of Maxims (6.4.2.B).
    pub(super) fn second(&mut self, raw: &Raw) -> Option<FireOrder> {
        let position = self.position;
        let window = position.state.window;
        let phasing = self.army == position.state.moving;
        let maxims =
            |id: UnitId| position.data.unit(id).has_maxims() && position.can_fire(id).is_ok();
        let units = self.units(raw, "fire second", maxims);
        let (mine, windows) = self.turn_to_fire(true);
        if !self.in_window(raw, windows, mine, "the other side fires in this window") {
            return None;
        }
        let before = self.errors();
        let at = self.aims(raw);
        let units = units?;
        let mut list = Preferences::default();
        for (id, span) in &units {
            if self.army == Army::Dervish {
                let unit = position.data.unit(*id).id.clone();
                let why = "does not fire twice: only the Anglo-Egyptians do".to_owned();
                self.fault(&Violation::Special { unit, why, rule: "6.4.2.A" }, span.clone());
                continue;
            }
            if !position.data.unit(*id).has_maxims() {
                let unit = position.data.unit(*id).id.clone();
                let why = "has no Maxims: it fires once".to_owned();
                self.fault(&Violation::Special { unit, why, rule: "6.4.2.B" }, span.clone());
                continue;
            }
            if let Err(violation) = position.can_fire(*id) {
                self.fault(&violation, span.clone());
                continue;
            }
            for (target, at) in &at {
                let Err(violation) = position.shot_with(*id, Weapon::Maxims, *target) else {
                    list.hit = true;
                    continue;
                };
                // Direct fire comes first and may clear the way.
                let clears = window == Window::Combat
                    && matches!(violation, Violation::Unseen { .. })
                    && position.only_units_block(*id, *target);
                let hope = "unless those units are gone when second fire begins";
                list.miss(violation, at.clone(), clears.then_some(hope));
            }
        }
        let _ = phasing;
        self.tell(list);
        if self.failed_since(before) || at.is_empty() {
            return None;
        }
        Some(FireOrder {
            units: units.into_iter().map(|u| u.0).collect(),
            weapon: Some(Weapon::Maxims),
            at: at.into_iter().map(|t| t.0).collect(),
            advance: raw.advance.as_ref().map(|a| a.value),
            combine: false,
        })
    }

    /// Retreat before melee (7.5): what cavalry and camels do when infantry comes.
    pub(super) fn retreat(&mut self, raw: &Raw) -> Option<Vec<(UnitId, Retreat)>> {
        let position = self.position;
        let phasing = self.army == position.state.moving;
        let rides = |id: UnitId| {
            matches!(position.data.unit(id).kind, UnitKind::Cavalry | UnitKind::Camel)
                && position.state.hex(id).is_some()
        };
        let units = self.units(raw, "retreat", rides);
        let why = "only the side that is attacked retreats";
        if !self.in_window(raw, &[Window::Combat, Window::Melee], !phasing, why) {
            return None;
        }
        let before = self.errors();
        let path: Option<Vec<(Hex, Range<usize>)>> = raw.path.as_ref().map(|list| {
            list.value.iter().filter_map(|t| Some((self.hex(t)?, t.span.clone()))).collect()
        });
        let units = units?;
        let how = match (&path, &raw.word) {
            (Some(_), Some(word)) => {
                let fault = Diagnostic::error(None, "`how` beside `path`");
                self.faults.push(fault.at(word.span.clone()).help("give one of them"));
                return None;
            }
            (Some(path), None) => {
                let [(a, _), (b, _)] = path[..] else {
                    let fault = Diagnostic::error(Some(cite("7.5")), "a retreat is two hexes");
                    let span = raw.path.as_ref().map_or(raw.span.clone(), |p| p.span.clone());
                    self.faults.push(fault.at(span));
                    return None;
                };
                Retreat::Path([a, b])
            }
            (None, Some(word)) if word.value == "never" => Retreat::Never,
            _ => Retreat::Away,
        };
        for (id, span) in &units {
            let unit = position.data.unit(*id);
            if !rides(*id) {
                let why = "is neither cavalry nor camel troops: it does not retreat".to_owned();
                let unit = unit.id.clone();
                self.fault(&Violation::Special { unit, why, rule: "7.5" }, span.clone());
                continue;
            }
            if let Retreat::Path(path) = &how
                && let Err(violation) = position.may_retreat(*id, *path)
            {
                let at = raw.path.as_ref().map_or(span.clone(), |p| p.span.clone());
                self.fault(&violation, at);
            }
        }
        if self.failed_since(before) {
            return None;
        }
        Some(units.into_iter().map(|(id, _)| (id, how.clone())).collect())
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
        let windows = [
            Window::Combat,
            Window::Defence,
            Window::DefenceSecond,
            Window::Offence,
            Window::OffenceSecond,
        ];
        let before = self.errors();
        let units = self.units(raw, "hold", |id| self.position.can_fire(id).is_ok());
        let ok = self.in_window(raw, &windows, true, "");
        let windows = ["fire", "fire artillery", "fire maxim"];
        for (id, span) in units.iter().flatten() {
            if let Some(line) = windows.iter().find_map(|g| self.used.get(&(*g, *id)).copied()) {
                let unit = self.position.data.unit(*id).id.clone();
                self.fault(&Violation::Twice { unit, line, fire: true }, span.clone());
            }
        }
        let ok = ok && !self.failed_since(before);
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
                let Err(violation) = self.may_storm(*id, *hex) else {
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
        if self.failed_since(before) || at.is_empty() {
            return None;
        }
        Some(MeleeOrder {
            units: units.into_iter().map(|u| u.0).collect(),
            at: at.into_iter().map(|t| t.0).collect(),
            advance: raw.advance.as_ref().map(|a| a.value),
        })
    }

    /// Whether a unit may attack a hex, and, where a fort stands there, whether infantry
    /// of its army could join in (6.5.4.F).
    fn may_storm(&self, id: UnitId, hex: Hex) -> Result<(), Violation> {
        let position = self.position;
        position.may_melee(id, hex)?;
        let army = position.data.unit(id).army;
        let fort = position.fort(hex).is_some_and(|f| position.data.unit(f).army != army);
        let infantry = || {
            position.data.board.neighbours(hex).any(|(_, from)| {
                position.of(army, from).any(|friend| {
                    position.data.unit(friend).kind == UnitKind::Infantry
                        && position.may_melee(friend, hex).is_ok()
                })
            })
        };
        if fort && !infantry() {
            return Violation::FortNeedsInfantry { target: hex }.bar();
        }
        Ok(())
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
            .flat_map(|u| {
                let brigade = u.brigade.as_deref().unwrap_or(&u.id);
                [u.id.as_str(), u.class.as_str(), u.command.as_str(), u.kind.name(), brigade]
            })
            .collect();
        let mut out = Vec::new();
        for word in list {
            if out.contains(&word.value) {
                continue;
            }
            if words.contains(word.value.as_str())
                || data.answering(&word.value).iter().any(|id| data.unit(*id).army == self.army)
            {
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
