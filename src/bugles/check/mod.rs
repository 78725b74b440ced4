//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused with
//! the rule, the place and what would be legal.

mod deploy;
mod moves;
mod words;

use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity};
use crate::core::id::Id;
use crate::core::source::Source;
use crate::geometry::plane::{Facing, Point};

use super::cite;
use super::data::{Army, Data};
use super::manoeuvre::Step;
use super::orders::{self, Kind, Raw};
use super::state::{FirePlan, Formation, Order, Presence, State, Unit};
use super::table::Table;
use super::violation::Violation;
pub use deploy::most_false;
pub use moves::lawful;
pub use words::{read_condition, read_step};

/// An order that passed [`plan`]; nothing else can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legal<T> {
    order: T,
    line: usize,
}

impl<T> Legal<T> {
    /// The order.
    pub fn get(&self) -> &T {
        &self.order
    }

    /// Its line in the file.
    pub fn line(&self) -> usize {
        self.line
    }
}

/// Set up a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployOrder {
    /// Who.
    pub unit: String,
    /// The middle of its front.
    pub at: Point,
    /// Where it looks.
    pub facing: Facing,
    /// Line or column.
    pub formation: Formation,
    /// Its first order.
    pub order: Order,
}

/// A false marker (R21).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalseOrder {
    /// Where.
    pub at: Point,
    /// Whose command moves it.
    pub general: String,
}

/// Where a general goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Go {
    /// To a point.
    To(Point),
    /// To a base, and with it.
    Attach(String),
}

/// A general moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneralOrder {
    /// Who.
    pub general: String,
    /// Where.
    pub go: Go,
}

/// A condition that an order waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A visible enemy is so near.
    EnemyWithin(i64),
    /// None is.
    NoEnemyWithin(i64),
    /// The unit is in contact.
    InContact,
    /// It came under fire in this turn.
    UnderFire,
    /// It has this order.
    Has(Order),
}

/// A unit gets another order (R13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Who.
    pub unit: String,
    /// Which order.
    pub to: Order,
    /// Only if this holds.
    pub only_if: Option<Condition>,
}

/// Who moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// A unit.
    Unit(String),
    /// A marker.
    Marker(String),
}

/// What a unit does in step 5 (R7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Both, moving first.
    MoveThenFire,
    /// Both, firing first.
    FireThenMove,
    /// It moves.
    Move,
    /// It fires.
    Fire,
}

/// A unit or a marker moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveOrder {
    /// Who.
    pub who: Who,
    /// Step by step.
    pub steps: Vec<Step>,
    /// Move and fire.
    pub act: Option<Act>,
    /// Only if this holds.
    pub only_if: Option<Condition>,
}

impl MoveOrder {
    /// The order in short.
    pub fn words(&self, data: &Data) -> String {
        let who = match &self.who {
            Who::Unit(id) | Who::Marker(id) => id,
        };
        let steps: Vec<String> = self.steps.iter().map(|s| s.words(|n| data.inches(n))).collect();
        format!(
            "move {who}: {}",
            if steps.is_empty() { "stand".to_owned() } else { steps.join(", ") }
        )
    }
}

/// What a unit fires at from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FireOrder {
    /// Who.
    pub unit: String,
    /// At what.
    pub plan: FirePlan,
}

/// An order that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its line in the file.
    pub line: usize,
    /// The order in short.
    pub order: String,
    /// Why.
    pub reason: String,
    /// The rule, if one is broken.
    pub rule: String,
}

/// What one player's file lawfully orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Set-up.
    pub deploys: Vec<Legal<DeployOrder>>,
    /// False markers.
    pub falses: Vec<Legal<FalseOrder>>,
    /// Generals.
    pub generals: Vec<Legal<GeneralOrder>>,
    /// Changes of orders, most wanted first.
    pub changes: Vec<Legal<Change>>,
    /// Moves.
    pub moves: Vec<Legal<MoveOrder>>,
    /// Fire.
    pub fires: Vec<Legal<FireOrder>>,
    /// Markers to be shown.
    pub reveals: Vec<Legal<String>>,
    /// What was refused.
    pub refusals: Vec<Refusal>,
}

impl Plan {
    /// How many orders would be carried out.
    pub fn accepted(&self) -> usize {
        self.deploys.len()
            + self.falses.len()
            + self.generals.len()
            + self.changes.len()
            + self.moves.len()
            + self.fires.len()
            + self.reveals.len()
    }
}

/// Who writes a file: a player, or the machine that plays an army.
#[derive(Clone, Copy, Debug)]
pub enum Writer<'a> {
    /// A player.
    Player(&'a Id),
    /// The machine.
    Machine(Army),
}

/// Checks a file against a position: the writer's own view.
pub fn plan(
    data: &Data,
    state: &State,
    writer: Writer<'_>,
    source: &Source,
) -> (Plan, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let file = orders::read(source, &mut faults);
    let army = match writer {
        Writer::Player(player) => state.army(player),
        Writer::Machine(army) => Some(army),
    };
    let mut checker = Checker {
        data,
        state,
        writer,
        army: army.unwrap_or(Army::Mahdist),
        table: Table::new(data, state),
        faults,
        plan: Plan::default(),
    };
    checker.file(&file);
    (checker.plan, checker.faults)
}

/// A violation as a diagnostic, without a place yet.
pub fn violation_fault(violation: &Violation) -> Diagnostic {
    let fault = Diagnostic::error(violation.rule(), violation.to_string());
    match violation.help() {
        Some(help) => fault.help(help),
        None => fault,
    }
}

struct Checker<'a> {
    data: &'a Data,
    state: &'a State,
    writer: Writer<'a>,
    army: Army,
    table: Table<'a>,
    faults: Vec<Diagnostic>,
    plan: Plan,
}

/// The most orders that a file may hold.
const MOST: usize = 1000;

impl<'a> Checker<'a> {
    fn file(&mut self, file: &orders::File) {
        for line in &file.unreadable {
            self.plan.refusals.push(Refusal {
                line: *line,
                order: "a line that cannot be read".to_owned(),
                reason: "the check says what is wrong with it".to_owned(),
                rule: String::new(),
            });
        }
        for (n, raw) in file.orders.iter().enumerate() {
            let before = self.errors();
            if n >= MOST {
                self.say(
                    Diagnostic::error(None, format!("{} orders are too many", file.orders.len())),
                    &raw.span,
                );
            } else if raw.broken {
                self.refuse(raw, "it cannot be read".to_owned(), String::new());
                continue;
            } else if let Some(fault) = self.not_now(raw) {
                self.violated(&fault, &raw.span);
            } else {
                match raw.kind {
                    Kind::Deploy => self.deploy(raw),
                    Kind::False => self.false_marker(raw),
                    Kind::General => self.general(raw),
                    Kind::Change => self.change(raw),
                    Kind::Move => self.moving(raw),
                    Kind::Fire => self.fire(raw),
                    Kind::Reveal => self.reveal(raw),
                }
            }
            let error = self.faults[before..].iter().find(|f| f.severity == Severity::Error);
            if let Some(fault) = error {
                let (reason, rule) = (fault.message.clone(), fault.rule.map_or("", |r| r.0));
                let rule = rule.to_owned();
                self.refuse(raw, reason, rule);
            }
            if n >= MOST {
                break;
            }
        }
    }

    fn errors(&self) -> usize {
        self.faults.len()
    }

    fn refuse(&mut self, raw: &Raw, reason: String, rule: String) {
        let mut words: Vec<&str> = raw.units.iter().map(|u| u.value.as_str()).collect();
        words.extend(raw.marker.iter().chain(&raw.general).map(|w| w.value.as_str()));
        let order = format!("{} {}", raw.kind.name(), words.join(", "));
        self.plan.refusals.push(Refusal { line: raw.line, order, reason, rule });
    }

    fn say(&mut self, fault: Diagnostic, span: &Range<usize>) {
        self.faults.push(fault.at(span.clone()));
    }

    fn violated(&mut self, violation: &Violation, span: &Range<usize>) {
        self.say(violation_fault(violation), span);
    }

    /// What an order of this kind does in this window.
    fn not_now(&self, raw: &Raw) -> Option<Violation> {
        let window = self.state.window;
        let cadence = self.data.cadence;
        let deploys = window == super::state::Window::Deploy;
        let steps = window.has_orders() || window.has_action() || window.has_mahdist(cadence);
        let moves = match self.army {
            Army::Mahdist => window.has_mahdist(cadence),
            Army::AngloEgyptian => window.has_action(),
        };
        let (may, what) = match raw.kind {
            Kind::Deploy => (deploys, "setting up"),
            Kind::False => (deploys && self.army == Army::Mahdist, "placing false markers"),
            Kind::General => (deploys || window.has_orders(), "moving a general"),
            Kind::Change => (window.has_orders(), "changing orders"),
            Kind::Move => (moves, "moving"),
            Kind::Fire => (steps || deploys, "a fire plan"),
            Kind::Reveal => (moves && self.army == Army::Mahdist, "showing a marker"),
        };
        let window = window.title(cadence);
        (!may).then_some(Violation::NotNow { what, window })
    }

    /// True where the writer commands a general (R1).
    fn commands(&self, general: &str) -> bool {
        cite("R1");
        let Some(general) = self.state.general(general) else { return false };
        match self.writer {
            Writer::Machine(army) => general.army == army,
            Writer::Player(player) => self.state.leader(&general.id) == Some(player),
        }
    }

    fn owner(&self, general: &str) -> String {
        self.state.leader(general).map_or_else(|| "the machine".to_owned(), ToString::to_string)
    }

    /// A unit of the writer that is named, or a fault.
    fn own(&mut self, word: &str, span: &Range<usize>) -> Option<(usize, &'a Unit)> {
        let found = self.state.units.iter().position(|u| u.id == word);
        let Some(index) = found else {
            let mine: Vec<&str> = self
                .state
                .units
                .iter()
                .filter(|u| self.commands(&u.general))
                .map(|u| u.id.as_str())
                .collect();
            let fault = Diagnostic::error(None, format!("`{word}` names no unit that you know"));
            let near = crate::core::diag::did_you_mean(word, mine.iter().copied());
            let fault = match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help(format!("yours are: {}", mine.join(", "))),
            };
            self.say(fault, span);
            return None;
        };
        let unit = &self.state.units[index];
        if !self.commands(&unit.general) {
            let owner = self.owner(&unit.general);
            self.violated(&Violation::NotYours { what: unit.id.clone(), owner }, span);
            return None;
        }
        if unit.strength() == 0 {
            self.violated(&Violation::Gone { what: unit.id.clone() }, span);
            return None;
        }
        Some((index, unit))
    }

    fn point(&mut self, raw: &Raw, what: &str) -> Option<(Point, Range<usize>)> {
        let Some(at) = &raw.at else {
            let fault = Diagnostic::error(None, format!("this order does not say where: `{what}`"))
                .help(format!(
                    "write {what} = [12.5, 30]: inches from the left and the bottom edge"
                ));
            self.say(fault, &raw.span);
            return None;
        };
        let values: Vec<Option<i64>> =
            at.value.iter().map(|n| self.data.read_inches(&n.value)).collect();
        let [Some(x), Some(y)] = values[..] else {
            let fault = Diagnostic::error(None, format!("`{what}` is no place")).help(format!(
                "write {what} = [12.5, 30]: two numbers of inches, two decimals at most"
            ));
            self.say(fault, &at.span);
            return None;
        };
        let point = Point::new(x, y);
        if !self.data.scenario.on_table(point) {
            let table = self.data.spot(self.data.scenario.table);
            let fault =
                Diagnostic::error(None, format!("{} is off the table", self.data.spot(point)))
                    .help(format!("the table runs from [0, 0] to {table}"));
            self.say(fault, &at.span);
            return None;
        }
        Some((point, at.span.clone()))
    }

    fn general(&mut self, raw: &Raw) {
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
            self.violated(&Violation::Twice { what: general.id, line }, &name.span);
            return;
        }
        let deploys = self.state.window == super::state::Window::Deploy;
        let (go, to, span) = if let Some(base) = &raw.attach {
            let found = self.state.base(&base.value).filter(|(u, n)| {
                u.army() == general.army && u.bases[*n].stands() && (u.on_table() || deploys)
            });
            let Some((unit, n)) = found else {
                self.violated(&Violation::AttachTo { base: base.value.clone() }, &base.span);
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

    fn change(&mut self, raw: &Raw) {
        let Some(word) = &raw.order else { return };
        let withdraw = raw.withdraw.as_ref().is_some_and(|w| w.value);
        let to = match (word.value.as_str(), withdraw) {
            ("HOLD", false) => Order::Hold,
            ("ATTACK", false) => Order::Attack,
            ("MOVE", false) => Order::Move,
            ("MOVE", true) => Order::Withdraw,
            (other, _) => {
                let fault =
                    Diagnostic::error(Some(cite("R8")), format!("`{other}` is no such order"))
                        .help(
                            "orders are HOLD, ATTACK and MOVE; only a MOVE may say withdraw = true",
                        );
                self.say(fault, &word.span);
                return;
            }
        };
        let only_if = match &raw.only_if {
            None => None,
            Some(text) => match read_condition(self.data, &text.value) {
                Ok(condition) => Some(condition),
                Err(fault) => {
                    self.say(fault, &text.span);
                    return;
                }
            },
        };
        if raw.units.is_empty() {
            self.say(
                Diagnostic::error(None, "this [[change]] names no unit")
                    .help("write unit = \"...\""),
                &raw.span,
            );
        }
        for name in &raw.units {
            let Some((_, unit)) = self.own(&name.value, &name.span) else { continue };
            let same = self.plan.changes.iter().find(|c| {
                c.order.unit == unit.id && (c.order.only_if.is_none() || c.order.only_if == only_if)
            });
            if let Some(first) = same {
                let line = first.line;
                self.violated(&Violation::Twice { what: unit.id.clone(), line }, &name.span);
                continue;
            }
            if to == Order::Attack && unit.formation == Formation::Column {
                self.violated(&Violation::AttackInColumn { unit: unit.id.clone() }, &name.span);
                continue;
            }
            if to != Order::Hold && unit.troop == super::data::Troop::MahdistArtillery {
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

    fn fire(&mut self, raw: &Raw) {
        let mut plan = FirePlan::default();
        if let Some(targets) = &raw.targets {
            plan.targets = Vec::new();
            for target in &targets.value {
                let word = target.value.as_str();
                let kinds =
                    ["in-contact", "nearest", "cavalry", "infantry", "guns", "rifles", "markers"];
                let ids = self
                    .state
                    .units
                    .iter()
                    .map(|u| &u.id)
                    .chain(self.state.markers.iter().map(|m| &m.id));
                let known: Vec<&str> =
                    kinds.iter().copied().chain(ids.map(String::as_str)).collect();
                if known.contains(&word) {
                    plan.targets.push(word.to_owned());
                } else {
                    let fault = Diagnostic::error(None, format!("`{word}` is nothing to fire at"));
                    let fault = match crate::core::diag::did_you_mean(word, known.iter().copied()) {
                        Some(near) => fault.help(format!("did you mean `{near}`?")),
                        None => fault.help(format!("write {}, or an id", kinds.join(", "))),
                    };
                    self.say(fault, &target.span);
                }
            }
        }
        if let Some(n) = &raw.per_target {
            if n.value == 0 || n.value > 20 {
                let fault = Diagnostic::error(None, "`per_target` wants 1 to 20")
                    .help("how many bases fire at one target before another is sought");
                self.say(fault, &n.span);
                return;
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
            let fires = unit.standing().any(|(n, _)| {
                super::table::values_of(self.data, unit, n).fire.iter().any(|v| *v > 0)
            });
            if !fires {
                self.violated(&Violation::NoFire { unit: unit.id.clone() }, &name.span);
                continue;
            }
            if let Some(first) = self.plan.fires.iter().find(|o| o.order.unit == unit.id) {
                let line = first.line;
                self.violated(&Violation::Twice { what: unit.id.clone(), line }, &name.span);
                continue;
            }
            let order = FireOrder { unit: unit.id.clone(), plan: plan.clone() };
            self.plan.fires.push(Legal { order, line: raw.line });
        }
    }

    fn reveal(&mut self, raw: &Raw) {
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
        self.plan.reveals.push(Legal { order: name.value.clone(), line: raw.line });
    }
}
