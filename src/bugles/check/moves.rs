//! Moves: what a unit's order and formation allow (R9 to R11, R15 to R17), and what
//! would happen as things stand.

use crate::core::diag::Diagnostic;

use super::super::cite;
use super::super::data::{Army, Data, Nation, Troop};
use super::super::manoeuvre::{March, Step, may_hold_charge};
use super::super::orders::Raw;
use super::super::state::{Behind, Formation, Order, Unit};
use super::super::violation::Violation;
use super::{Act, Checker, Condition, Legal, MoveOrder, Who, read_condition, read_step};

/// Whether a unit may do these steps at all: by its order and its formation.
///
/// # Errors
/// The first rule that is broken, as words with the rule.
pub fn lawful(data: &Data, unit: &Unit, steps: &[Step]) -> Result<(), (String, &'static str)> {
    may(data, unit, unit.order, steps).map_err(|v| (v.to_string(), v.rule().map_or("", |r| r.0)))
}

/// The same for any order that it may have by then.
fn may(data: &Data, unit: &Unit, order: Order, steps: &[Step]) -> Result<(), Violation> {
    let id = || unit.id.clone();
    let inches = |n: i64| data.inches(n);
    let moves = steps.iter().any(|s| *s != Step::Stand);
    if unit.troop == Troop::MahdistArtillery && moves {
        return Err(Violation::GunsStay { unit: id() });
    }
    let forms = steps.iter().any(|s| matches!(s, Step::Form(_) | Step::Mount(_)));
    for step in steps {
        let words = step.words(inches);
        let forbids =
            |instead| Violation::OrderForbids { unit: id(), order, step: words.clone(), instead };
        match (order, step) {
            (Order::Hold, Step::Advance(_) | Step::Retire(_) | Step::To(_)) => {
                return Err(forbids(
                    "on HOLD a unit stays, turns, changes formation, or charges an enemy within 6 inches",
                ));
            }
            (Order::Hold, Step::Wheel(_) | Step::About) if data.rulings.hold_turns_barred => {
                return Err(forbids("on HOLD a unit does not turn (ruling turning-on-hold)"));
            }
            (Order::Hold, Step::Charge(_)) if !may_hold_charge(unit) => {
                return Err(forbids(
                    "on HOLD only Mahdists and mounted regulars charge; others fire",
                ));
            }
            (Order::Attack, Step::Retire(_)) => {
                return Err(forbids("ATTACK goes on; a MOVE with withdraw = true goes back"));
            }
            (Order::Attack | Order::Move | Order::Withdraw, Step::Form(_) | Step::Mount(_)) => {
                return Err(forbids("changing formation needs HOLD"));
            }
            (Order::Move | Order::Withdraw, Step::Charge(_)) => {
                return Err(forbids(
                    "charging needs ATTACK, or HOLD with an enemy within 6 inches",
                ));
            }
            _ => {}
        }
        match (unit.formation, step) {
            (Formation::Column, Step::Charge(_) | Step::Retire(_)) => {
                return Err(Violation::FormationForbids {
                    unit: id(),
                    formation: unit.formation,
                    step: words,
                });
            }
            (now, Step::Form(to)) if now == *to => {
                let what = format!("in {}", to.word());
                return Err(Violation::Already { unit: id(), what });
            }
            _ => {}
        }
        if let Step::Mount(up) = step {
            if data.troop(unit.troop).dismounted.is_none() {
                return Err(Violation::NoHorses { unit: id() });
            }
            if *up != unit.dismounted {
                let what = if *up { "in the saddle" } else { "on foot" }.to_owned();
                return Err(Violation::Already { unit: id(), what });
            }
        }
    }
    if forms && steps.iter().filter(|s| **s != Step::Stand).count() > 1 {
        return Err(Violation::FormAlone { unit: id() });
    }
    // Longer than any move of the formation.
    let troop = data.troop(unit.troop);
    let most = match unit.formation {
        Formation::Battle => troop.line,
        Formation::Column => troop.column.max(troop.march.unwrap_or(0)),
    };
    let mut whole = 0;
    for step in steps {
        whole += match step {
            Step::Advance(Some(n)) => *n,
            Step::Retire(Some(n)) => 2 * n,
            Step::About => most / 2,
            _ => 0,
        };
        if whole > most {
            let most = match step {
                Step::Retire(_) => inches(most / 2),
                _ => inches(most),
            };
            let step = step.words(inches);
            return Err(Violation::TooLong { unit: id(), step, most, formation: unit.formation });
        }
    }
    Ok(())
}

impl Checker<'_> {
    pub(super) fn moving(&mut self, raw: &Raw) {
        let mut steps = Vec::new();
        for word in raw.steps.iter().flat_map(|s| &s.value) {
            match read_step(self.data, &word.value) {
                Ok(step) => steps.push(step),
                Err(fault) => {
                    self.say(fault, &word.span);
                    return;
                }
            }
        }
        if steps.len() > 20 {
            let fault = Diagnostic::error(None, "a manoeuvre has 20 steps at most");
            self.say(fault, &raw.span);
            return;
        }
        let only_if = match raw.only_if.as_ref().map(|t| (read_condition(self.data, &t.value), t)) {
            None => None,
            Some((Ok(condition), _)) => Some(condition),
            Some((Err(fault), text)) => {
                self.say(fault, &text.span);
                return;
            }
        };
        let act = match raw.act.as_ref().map(|a| (a.value.as_str(), a)) {
            None => None,
            Some(("move", _)) => Some(Act::Move),
            Some(("fire", _)) => Some(Act::Fire),
            Some(("move-then-fire", _)) => Some(Act::MoveThenFire),
            Some(("fire-then-move", _)) => Some(Act::FireThenMove),
            Some((other, a)) => {
                let fault = Diagnostic::error(Some(cite("R7")), format!("`{other}` is no act"))
                    .help("acts are move, fire, move-then-fire, fire-then-move");
                self.say(fault, &a.span);
                return;
            }
        };
        let (who, span) = match (raw.units.first(), &raw.marker) {
            (Some(unit), None) => {
                let Some((index, found)) = self.own(&unit.value, &unit.span) else { return };
                if !self.unit_may(index, found, &steps, (act, only_if.as_ref()), raw) {
                    return;
                }
                (Who::Unit(found.id.clone()), unit.span.clone())
            }
            (None, Some(marker)) => {
                if !self.marker_may(marker, &steps, act, only_if.is_some()) {
                    return;
                }
                (Who::Marker(marker.value.clone()), marker.span.clone())
            }
            _ => {
                let fault = Diagnostic::error(None, "a [[move]] names one unit or one marker")
                    .help("write unit = \"...\" or marker = \"...\"");
                self.say(fault, &raw.span);
                return;
            }
        };
        let same = self.plan.moves.iter().find(|m| {
            m.order.who == who && (m.order.only_if.is_none() || m.order.only_if == only_if)
        });
        if let Some(first) = same {
            let (Who::Unit(what) | Who::Marker(what)) = who;
            let line = first.line;
            self.violated(&Violation::Twice { what, line }, &span);
            return;
        }
        let order = MoveOrder { who, steps, act, only_if };
        self.plan.moves.push(Legal { order, line: raw.line });
    }

    fn unit_may(
        &mut self,
        index: usize,
        unit: &Unit,
        steps: &[Step],
        (act, only_if): (Option<Act>, Option<&Condition>),
        raw: &Raw,
    ) -> bool {
        let span = raw.steps.as_ref().map_or(raw.span.clone(), |s| s.span.clone());
        let both = matches!(act, Some(Act::MoveThenFire | Act::FireThenMove));
        if both && unit.troop.nation() != Nation::British && unit.army() == Army::AngloEgyptian {
            let at = raw.act.as_ref().map_or(raw.span.clone(), |a| a.span.clone());
            self.violated(&Violation::MoveOrFire { unit: unit.id.clone() }, &at);
            return false;
        }
        // The order that it has by then: one of those that this file gives it, or the one
        // that it has.
        let mut orders = vec![unit.order];
        if self.state.window.has_orders() {
            let given = self.plan.changes.iter().filter(|c| c.order.unit == unit.id);
            orders.extend(given.map(|c| c.order.to));
        }
        if unit.order == Order::Move {
            // It may hold by itself before it moves (R12).
            orders.push(Order::Hold);
        }
        // An order that waits for HOLD is carried out on HOLD, whatever stands now.
        if let Some(Condition::Has(order)) = only_if {
            orders = vec![*order];
        }
        let mut first = None;
        for order in &orders {
            match may(self.data, unit, *order, steps) {
                Ok(()) => {
                    first = None;
                    break;
                }
                Err(violation) => first = first.or(Some(violation)),
            }
        }
        if let Some(violation) = first {
            self.violated(&violation, &span);
            return false;
        }
        if orders.len() == 1 && raw.only_if.is_none() && !steps.is_empty() {
            self.foresee(index, steps, &span);
        }
        true
    }

    /// What stops the move as things stand: a warning, since the enemy may change it.
    fn foresee(&mut self, index: usize, steps: &[Step], span: &std::ops::Range<usize>) {
        let mut march = March::new(&self.table, index);
        if self.table.engaged(index) {
            let fault = Diagnostic::warning(
                Some(cite("R23")),
                "the unit is in contact: as things stand it does not move",
            );
            self.say(fault, span);
            return;
        }
        if march.regain(false) {
            march.run(steps);
        }
        if let Some(halt) = march.halt.filter(|h| h.marker.is_none()) {
            let rule = (!halt.rule.is_empty()).then(|| cite(halt.rule));
            let done =
                if march.way.is_empty() { "nothing".to_owned() } else { march.way.join(", ") };
            let fault = Diagnostic::warning(
                rule,
                format!("as things stand the move ends early: {}", halt.why),
            )
            .note(format!("it does: {done}"));
            self.say(fault, span);
        }
    }

    fn marker_may(
        &mut self,
        marker: &crate::core::read::At<String>,
        steps: &[Step],
        act: Option<Act>,
        conditional: bool,
    ) -> bool {
        let Some(found) = self.state.marker(&marker.value) else {
            let known = self.state.markers.iter().map(|m| m.id.as_str());
            let fault =
                Diagnostic::error(Some(cite("R20")), format!("`{}` is no marker", marker.value));
            let fault = match crate::core::diag::did_you_mean(&marker.value, known) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            };
            self.say(fault, &marker.span);
            return false;
        };
        if !self.commands(&found.general.clone()) {
            let owner = self.owner(&found.general);
            let what = marker.value.clone();
            self.violated(&Violation::NotYours { what, owner }, &marker.span);
            return false;
        }
        if let Behind::Unit(unit) = &found.behind {
            let fault = Diagnostic::error(
                None,
                format!("behind {} is {unit}: order the unit", marker.value),
            )
            .help(format!("write unit = \"{unit}\""));
            self.say(fault, &marker.span);
            return false;
        }
        if act.is_some() || conditional {
            let fault = Diagnostic::error(None, "a marker has no `act` and no `if`");
            self.say(fault.help("leave them out"), &marker.span);
            return false;
        }
        for step in steps {
            if !matches!(step, Step::To(_) | Step::Stand) {
                let step = step.words(|n| self.data.inches(n));
                let marker_id = marker.value.clone();
                self.violated(&Violation::MarkerStep { marker: marker_id, step }, &marker.span);
                return false;
            }
        }
        true
    }
}
