//! Moves: what a unit's order and formation allow (R9 to R11, R15 to R17), and what
//! would happen as things stand.

use crate::core::diag::Diagnostic;

use super::super::cite;
use super::super::data::{Army, Data, Nation, Troop};
use super::super::manoeuvre::{March, Step, may_hold_charge};
use super::super::orders::Raw;
use super::super::state::{Behind, Formation, Order, Unit};
use super::super::table::Table;
use super::super::violation::Violation;
use super::{Act, Checker, Condition, Legal, MoveOrder, Who, read_step};

/// Whether a unit may do these steps at all: by its order and its formation.
///
/// # Errors
/// The first rule that is broken, as words with the rule.
pub fn lawful(data: &Data, unit: &Unit, steps: &[Step]) -> Result<(), (String, &'static str)> {
    match breaches(data, unit, unit.order, steps).first() {
        Some(v) => Err((v.to_string(), v.rule().map_or("", |r| r.0))),
        None => Ok(()),
    }
}

/// The same for any order that it may have by then: every rule that is broken.
fn breaches(data: &Data, unit: &Unit, order: Order, steps: &[Step]) -> Vec<Violation> {
    let id = || unit.id.clone();
    let inches = |n: i64| data.inches(n);
    let moves = steps.iter().any(|s| *s != Step::Stand);
    if unit.troop == Troop::MahdistArtillery && moves {
        return vec![Violation::GunsStay { unit: id() }];
    }
    let mut out = Vec::new();
    for step in steps {
        let words = step.words(inches);
        if let Some(instead) = forbidden(data, unit, order, step) {
            out.push(Violation::OrderForbids { unit: id(), order, step: words.clone(), instead });
        }
        match (unit.formation, step) {
            (formation @ Formation::Column, Step::Charge(_) | Step::Retire(_)) => {
                out.push(Violation::FormationForbids { unit: id(), formation, step: words });
            }
            (now, Step::Form(to)) if now == *to => {
                let what = format!("in {}", to.word());
                out.push(Violation::Already { unit: id(), what });
            }
            _ => {}
        }
        if let Step::Mount(up) = step {
            if data.troop(unit.troop).dismounted.is_none() {
                out.push(Violation::NoHorses { unit: id() });
            } else if *up != unit.dismounted {
                let what = if *up { "in the saddle" } else { "on foot" }.to_owned();
                out.push(Violation::Already { unit: id(), what });
            }
        }
    }
    if forms(steps) && steps.iter().filter(|s| **s != Step::Stand).count() > 1 {
        out.push(Violation::FormAlone { unit: id() });
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
            out.push(Violation::TooLong { unit: id(), step, most, formation: unit.formation });
            break;
        }
    }
    out
}

/// Why an order does not allow a step: what would be allowed.
fn forbidden(data: &Data, unit: &Unit, order: Order, step: &Step) -> Option<&'static str> {
    match (order, step) {
        (Order::Hold, Step::Advance(_) | Step::Retire(_) | Step::To(_)) => Some(
            "on HOLD a unit stays, turns, changes formation, or charges an enemy within 6 inches",
        ),
        (Order::Hold, Step::Wheel(_) | Step::About) if data.rulings.hold_turns_barred => {
            Some("on HOLD a unit does not turn (ruling turning-on-hold)")
        }
        (Order::Hold, Step::Charge(_)) if !may_hold_charge(unit) => {
            Some("on HOLD only Mahdists and mounted regulars charge; others fire")
        }
        (Order::Attack, Step::Retire(_)) => {
            Some("ATTACK goes on; a MOVE with withdraw = true goes back")
        }
        (Order::Attack | Order::Move | Order::Withdraw, Step::Form(_) | Step::Mount(_)) => {
            Some("changing formation needs HOLD")
        }
        (Order::Move | Order::Withdraw, Step::Charge(_)) => {
            Some("charging needs ATTACK, or HOLD with an enemy within 6 inches")
        }
        _ => None,
    }
}

/// True where steps change a unit's formation, mounting and dismounting too (R16).
pub fn forms(steps: &[Step]) -> bool {
    steps.iter().any(|s| matches!(s, Step::Form(_) | Step::Mount(_)))
}

impl Checker<'_> {
    pub(super) fn moving(&mut self, raw: &Raw) {
        let before = self.faults.len();
        let mut steps = Vec::new();
        for word in raw.steps.iter().flat_map(|s| &s.value) {
            match read_step(self.data, &word.value) {
                Ok(step) => {
                    if let Step::Charge(Some(who)) = &step {
                        self.enemy(who, "charge", cite("R10"), &word.span);
                    }
                    steps.push(step);
                }
                Err(fault) => self.say(fault, &word.span),
            }
        }
        if steps.len() > 20 {
            let fault = Diagnostic::error(Some(cite("R17")), "a manoeuvre has 20 steps at most");
            self.say(fault.help("leave the rest out"), &raw.span);
        }
        let only_if = self.condition(raw);
        let act = self.act(raw, &steps);
        let names: Vec<(Who, std::ops::Range<usize>)> = match (&raw.units[..], &raw.marker) {
            ([_, ..], None) => {
                let mut names = Vec::new();
                for name in &raw.units {
                    let Some((index, unit)) = self.own(&name.value, &name.span) else { continue };
                    self.unit_may(index, unit, &steps, (act, only_if.as_ref()), (raw, before));
                    names.push((Who::Unit(unit.id.clone()), name.span.clone()));
                }
                names
            }
            ([], Some(marker)) => {
                self.marker_may(marker, &steps, act, raw.only_if.is_some());
                vec![(Who::Marker(marker.value.clone()), marker.span.clone())]
            }
            _ => {
                let fault =
                    Diagnostic::error(Some(cite("R11")), "a [[move]] names units or one marker")
                        .help(
                            "write unit = \"...\", units = [\"...\", \"...\"] or marker = \"...\"",
                        );
                self.say(fault, &raw.span);
                return;
            }
        };
        for (who, span) in names {
            let same = self.plan.moves.iter().find(|m| {
                m.order.who == who && (m.order.only_if.is_none() || m.order.only_if == only_if)
            });
            if let Some(first) = same {
                let (Who::Unit(what) | Who::Marker(what)) = who;
                let line = first.line;
                self.violated(&Violation::Twice { what, line, rule: "R11" }, &span);
                continue;
            }
            let order = MoveOrder { who, steps: steps.clone(), act, only_if: only_if.clone() };
            self.plan.moves.push(Legal { order, line: raw.line });
        }
    }

    /// What a unit does in step 5 (R7), if that is said and can be.
    fn act(&mut self, raw: &Raw, steps: &[Step]) -> Option<Act> {
        let word = raw.act.as_ref()?;
        let act = match word.value.as_str() {
            "move" => Act::Move,
            "fire" => Act::Fire,
            "move-then-fire" => Act::MoveThenFire,
            "fire-then-move" => Act::FireThenMove,
            other => {
                let fault = Diagnostic::error(Some(cite("R7")), format!("`{other}` is no act"))
                    .help("acts are move, fire, move-then-fire, fire-then-move");
                self.say(fault, &word.span);
                return None;
            }
        };
        let (rule, message, help) = if self.army == Army::Mahdist {
            ("R7", "Mahdists move, then fire, in step 2: `act` is for step 5", "leave `act` out")
        } else if forms(steps) && act != Act::Move {
            (
                "R23",
                "who changes formation does not fire in the same turn",
                "write act = \"move\", or leave `act` out",
            )
        } else if act == Act::Fire && steps.iter().any(|s| *s != Step::Stand) {
            ("R7", "act = \"fire\" does not move", "leave `do` out, or write another act")
        } else {
            return Some(act);
        };
        let fault = Diagnostic::error(Some(cite(rule)), message);
        self.say(fault.help(help), &word.span);
        None
    }

    fn unit_may(
        &mut self,
        index: usize,
        unit: &Unit,
        steps: &[Step],
        (act, only_if): (Option<Act>, Option<&Condition>),
        (raw, before): (&Raw, usize),
    ) {
        let span = raw.steps.as_ref().map_or(raw.span.clone(), |s| s.span.clone());
        let both = matches!(act, Some(Act::MoveThenFire | Act::FireThenMove));
        if both && unit.troop.nation() != Nation::British && unit.army() == Army::AngloEgyptian {
            let at = raw.act.as_ref().map_or(raw.span.clone(), |a| a.span.clone());
            self.violated(&Violation::MoveOrFire { unit: unit.id.clone() }, &at);
        }
        // The order that it has by then: one of those that this file gives it, the last
        // first, or the one that it has.
        let given = self.plan.changes.iter().rev().filter(|c| c.order.unit == unit.id);
        let given: Vec<(Order, bool)> =
            given.map(|c| (c.order.to, c.order.only_if.is_none())).collect();
        let mut orders: Vec<Order> = given.iter().map(|(to, _)| *to).collect();
        orders.push(unit.order);
        if unit.order == Order::Move {
            // It may hold by itself before it moves (R12).
            orders.push(Order::Hold);
        }
        // An order that waits for HOLD is carried out on HOLD, whatever stands now.
        if let Some(Condition::Has(order)) = only_if {
            orders = vec![*order];
        }
        // Where none of them will do, what is wrong with the one that fits best.
        let all = orders.iter().map(|order| breaches(self.data, unit, *order, steps));
        for violation in all.min_by_key(Vec::len).unwrap_or_default() {
            self.violated(&violation, &span);
        }
        if self.wrong_since(before) || raw.only_if.is_some() || steps.is_empty() {
            return;
        }
        match &given[..] {
            [] => self.foresee(index, None, steps, &span),
            [(to, true)] => self.foresee(index, Some(*to), steps, &span),
            _ => {}
        }
    }

    /// What stops the move as things stand: a warning, since the enemy may change it.
    fn foresee(
        &mut self,
        index: usize,
        given: Option<Order>,
        steps: &[Step],
        span: &std::ops::Range<usize>,
    ) {
        let mut state = self.state.clone();
        if let Some(order) = given {
            state.units[index].order = order;
        }
        let table = Table::new(self.data, &state);
        let mut march = March::new(&table, index);
        if table.engaged(index) {
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
    ) {
        let Some(found) = self.state.marker(&marker.value) else {
            let known = self.state.markers.iter().map(|m| m.id.as_str());
            let fault =
                Diagnostic::error(Some(cite("R20")), format!("`{}` is no marker", marker.value));
            let fault = match crate::core::diag::did_you_mean(&marker.value, known) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            };
            self.say(fault, &marker.span);
            return;
        };
        if !self.commands(&found.general.clone()) {
            let owner = self.owner(&found.general);
            let what = marker.value.clone();
            self.violated(&Violation::NotYours { what, owner }, &marker.span);
            return;
        }
        if let Behind::Unit(unit) = &found.behind {
            let fault = Diagnostic::error(
                None,
                format!("behind {} is {unit}: order the unit", marker.value),
            )
            .help(format!("write unit = \"{unit}\""));
            self.say(fault, &marker.span);
            return;
        }
        if act.is_some() || conditional {
            let fault = Diagnostic::error(Some(cite("R20")), "a marker has no `act` and no `if`");
            self.say(fault.help("leave them out"), &marker.span);
        }
        for step in steps {
            if !matches!(step, Step::To(_) | Step::Stand) {
                let step = step.words(|n| self.data.inches(n));
                let marker_id = marker.value.clone();
                self.violated(&Violation::MarkerStep { marker: marker_id, step }, &marker.span);
            }
        }
    }
}
