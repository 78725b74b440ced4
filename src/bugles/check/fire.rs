//! Fire plans, and markers that their owner shows (R20, R23).

use crate::core::diag::Diagnostic;

use super::super::cite;
use super::super::orders::Raw;
use super::super::state::{FirePlan, Presence};
use super::super::table::values_of;
use super::super::violation::Violation;
use super::{Checker, FireOrder, Legal};

/// What one may write as a target, but for ids.
const KINDS: [&str; 7] =
    ["in-contact", "nearest", "cavalry", "infantry", "guns", "rifles", "markers"];

impl Checker<'_> {
    pub(super) fn fire(&mut self, raw: &Raw) {
        let mut plan = FirePlan::default();
        if let Some(targets) = &raw.targets {
            plan.targets = Vec::new();
            if targets.value.is_empty() {
                let fault = Diagnostic::error(Some(cite("R23")), "`at` names nothing to fire at")
                    .help(format!("write {}, or ids; or leave `at` out", KINDS.join(", ")));
                self.say(fault, &targets.span);
            }
            for target in &targets.value {
                let word = target.value.as_str();
                if KINDS.contains(&word)
                    || self.state.marker(word).is_some()
                    || self.target(word, &target.span)
                {
                    plan.targets.push(word.to_owned());
                }
            }
        }
        if let Some(n) = &raw.per_target {
            if n.value == 0 || n.value > 20 {
                let fault = Diagnostic::error(Some(cite("R23")), "`per_target` wants 1 to 20")
                    .help("how many bases fire at one target before another is sought");
                self.say(fault, &n.span);
            }
            plan.per_target = n.value;
        }
        plan.markers = raw.markers.as_ref().is_some_and(|m| m.value);
        plan.hold = raw.hold.as_ref().is_some_and(|m| m.value);
        if raw.units.is_empty() {
            self.say(
                Diagnostic::error(None, "this [[fire]] names no unit").help("write unit = \"...\""),
                &raw.span,
            );
        }
        for name in &raw.units {
            let Some((_, unit)) = self.own(&name.value, &name.span) else { continue };
            let fires = unit
                .standing()
                .any(|(n, _)| values_of(self.data, unit, n).fire.iter().any(|v| *v > 0));
            if !fires {
                self.violated(&Violation::NoFire { unit: unit.id.clone() }, &name.span);
                continue;
            }
            if let Some(first) = self.plan.fires.iter().find(|o| o.order.unit == unit.id) {
                let line = first.line;
                let what = unit.id.clone();
                self.violated(&Violation::Twice { what, line, rule: "R23" }, &name.span);
                continue;
            }
            let order = FireOrder { unit: unit.id.clone(), plan: plan.clone() };
            self.plan.fires.push(Legal { order, line: raw.line });
        }
    }

    /// A word that is no kind of target: an enemy, or a fault.
    fn target(&mut self, word: &str, span: &std::ops::Range<usize>) -> bool {
        match crate::core::diag::did_you_mean(word, KINDS) {
            Some(near) if self.state.unit(word).is_none() => {
                let fault =
                    Diagnostic::error(Some(cite("R23")), format!("`{word}` is nothing to fire at"));
                self.say(fault.help(format!("did you mean `{near}`?")), span);
                false
            }
            _ => self.enemy(word, "target", cite("R23"), span),
        }
    }

    pub(super) fn reveal(&mut self, raw: &Raw) {
        let Some(name) = &raw.marker else { return };
        let hidden =
            self.state.units.iter().find(|u| u.presence == Presence::Marker(name.value.clone()));
        let Some(marker) = self.state.marker(&name.value) else {
            let known = self.state.markers.iter().map(|m| m.id.as_str());
            let fault = Diagnostic::error(None, format!("`{}` is no marker", name.value));
            let fault = match crate::core::diag::did_you_mean(&name.value, known) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            };
            self.say(fault, &name.span);
            return;
        };
        let general = hidden.map_or(marker.general.clone(), |u| u.general.clone());
        if !self.commands(&general) {
            let owner = self.owner(&general);
            self.violated(&Violation::NotYours { what: name.value.clone(), owner }, &name.span);
            return;
        }
        if let Some(first) = self.plan.reveals.iter().find(|r| r.order == name.value) {
            let (what, line) = (name.value.clone(), first.line);
            self.violated(&Violation::Twice { what, line, rule: "R20" }, &name.span);
            return;
        }
        self.plan.reveals.push(Legal { order: name.value.clone(), line: raw.line });
    }
}
