//! Generals and the orders that they change (R13, R14, R16, R17).

use std::ops::Range;

use crate::core::diag::Diagnostic;

use super::super::cite;
use super::super::data::Army;
use super::super::orders::Raw;
use super::super::resolve::hidden_at_first;
use super::super::state::{Formation, Order, Unit};
use super::super::violation::Violation;
use super::{Change, Checker, Condition, GeneralOrder, Go, Legal, read_condition};

impl Checker<'_> {
    pub(super) fn general(&mut self, raw: &Raw) {
        let Some(name) = &raw.general else { return };
        let Some(general) = self.state.general(&name.value).cloned() else {
            let known = self.state.generals.iter().map(|g| g.id.as_str());
            let fault = Diagnostic::error(None, format!("`{}` is no general", name.value));
            let fault = match crate::core::diag::did_you_mean(&name.value, known) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            };
            self.say(fault, &name.span);
            return;
        };
        if !self.commands(&general.id) {
            let owner = self.owner(&general.id);
            self.violated(&Violation::NotYours { what: general.id, owner }, &name.span);
            return;
        }
        if !general.here {
            self.violated(&Violation::Gone { what: general.id }, &name.span);
            return;
        }
        if let Some(first) = self.plan.generals.iter().find(|o| o.order.general == general.id) {
            let line = first.line;
            self.violated(&Violation::Twice { what: general.id, line, rule: "R13" }, &name.span);
            return;
        }
        if let (Some(_), Some(attach)) = (&raw.at, &raw.attach) {
            let fault = Diagnostic::error(
                Some(cite("R17")),
                format!("{} goes to a place or to a base, not to both", general.id),
            );
            self.say(fault.help("leave out `to` or `attach`"), &attach.span);
        }
        let deploys = self.state.window == super::super::state::Window::Deploy;
        let (go, to, span) = if let Some(base) = &raw.attach {
            let found = self.state.base(&base.value).filter(|(u, n)| {
                let shown = u.on_table() || deploys && !hidden_at_first(self.data, u);
                u.army() == general.army && u.bases[*n].stands() && shown
            });
            let Some((unit, n)) = found else {
                // Whoever names a unit is told one of its bases.
                let shown = |u: &&Unit| u.on_table() || deploys && !hidden_at_first(self.data, u);
                let unit = self.state.unit(&base.value).filter(|u| u.army() == general.army);
                let first = unit.filter(shown).and_then(|u| {
                    let (n, _) = u.standing().next()?;
                    Some(u.base_id(n))
                });
                let fault = Violation::AttachTo { base: base.value.clone(), first };
                self.violated(&fault, &base.span);
                return;
            };
            (Go::Attach(base.value.clone()), unit.bases[n].at, base.span.clone())
        } else {
            let Some((to, span)) = self.point(raw, "to") else { return };
            (Go::To(to), to, span)
        };
        let way = general.at.distance(to);
        let most = self.data.distances.general;
        if deploys {
            let zone = self.data.scenario.zones.iter().find(|z| z.army == general.army);
            if zone.is_some_and(|z| !z.has(to)) {
                let zone = self.zone_words();
                let spot = self.data.spot(to);
                let fault = Violation::OutsideZone { unit: general.id, spot, zone };
                self.violated(&fault, &span);
                return;
            }
        } else if way > most {
            let (way, most) = (self.data.inches(way), self.data.inches(most));
            let fault = Violation::GeneralTooFar { general: general.id, way, most };
            self.violated(&fault, &span);
            return;
        }
        let order = GeneralOrder { general: general.id, go };
        self.plan.generals.push(Legal { order, line: raw.line });
    }

    pub(super) fn change(&mut self, raw: &Raw) {
        let withdraw = raw.withdraw.as_ref().is_some_and(|w| w.value);
        let to = match raw.order.as_ref().map(|w| (w.value.as_str(), withdraw, w)) {
            None => None,
            Some(("HOLD", false, _)) => Some(Order::Hold),
            Some(("ATTACK", false, _)) => Some(Order::Attack),
            Some(("MOVE", false, _)) => Some(Order::Move),
            Some(("MOVE", true, _)) => Some(Order::Withdraw),
            Some((other, _, word)) => {
                let fault =
                    Diagnostic::error(Some(cite("R8")), format!("`{other}` is no such order"))
                        .help(
                            "orders are HOLD, ATTACK and MOVE; only a MOVE may say withdraw = true",
                        );
                self.say(fault, &word.span);
                None
            }
        };
        let only_if = self.condition(raw);
        if raw.units.is_empty() {
            self.say(
                Diagnostic::error(None, "this [[change]] names no unit")
                    .help("write unit = \"...\""),
                &raw.span,
            );
        }
        for name in &raw.units {
            let Some((_, unit)) = self.own(&name.value, &name.span) else { continue };
            let Some(to) = to else { continue };
            let same = self.plan.changes.iter().find(|c| {
                c.order.unit == unit.id && (c.order.only_if.is_none() || c.order.only_if == only_if)
            });
            if let Some(first) = same {
                let line = first.line;
                let what = unit.id.clone();
                self.violated(&Violation::Twice { what, line, rule: "R14" }, &name.span);
                continue;
            }
            if to == Order::Attack && unit.formation == Formation::Column {
                self.violated(&Violation::AttackInColumn { unit: unit.id.clone() }, &name.span);
                continue;
            }
            if to != Order::Hold && unit.troop == super::super::data::Troop::MahdistArtillery {
                self.violated(&Violation::GunsStay { unit: unit.id.clone() }, &name.span);
                continue;
            }
            if unit.order == to && only_if.is_none() {
                let fault = Diagnostic::warning(
                    Some(cite("R8")),
                    format!("{} has the order {} already", unit.id, to.word()),
                );
                self.say(fault, &name.span);
            }
            let order = Change { unit: unit.id.clone(), to, only_if: only_if.clone() };
            self.plan.changes.push(Legal { order, line: raw.line });
            self.count_changes(&unit.general, &name.span);
        }
    }

    /// The condition of an order, if it has one that can be read.
    pub(super) fn condition(&mut self, raw: &Raw) -> Option<Condition> {
        let text = raw.only_if.as_ref()?;
        match read_condition(self.data, &text.value) {
            Ok(condition) => Some(condition),
            Err(fault) => {
                self.say(fault, &text.span);
                None
            }
        }
    }

    /// Says when a general wants more than his die can give (R13).
    fn count_changes(&mut self, general: &str, span: &Range<usize>) {
        let of = |c: &&Legal<Change>| {
            self.state.unit(&c.order.unit).is_some_and(|u| u.general == general)
        };
        let wanted = self.plan.changes.iter().filter(of).count();
        let top = self.data.average.iter().copied().max().unwrap_or(0);
        let moves = self.plan.generals.iter().any(|g| g.order.general == general);
        let less = u32::from(self.army == Army::Mahdist) + u32::from(moves);
        let most = top.saturating_sub(less);
        if wanted == usize::try_from(most).unwrap_or(0) + 1 {
            let fault = Diagnostic::warning(
                Some(cite("R13")),
                format!("{general} can change {most} orders at most; this is number {wanted}"),
            )
            .help("the die decides how many; the first in the file come first");
            self.say(fault, span);
        }
    }
}
