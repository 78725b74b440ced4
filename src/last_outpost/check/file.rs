//! A whole file: its orders in turn, and which of them its faults refuse.

use std::collections::BTreeMap;

use crate::core::cite::cite;
use crate::core::diag::{Diagnostic, Severity};

use super::super::data::{Kind as FigureKind, Side};
use super::super::orders::{File, Kind, Raw};
use super::super::state::Window;
use super::super::violation::Violation;
use super::{Checker, Legal, Refusal, WithdrawOrder, free_of};

impl Checker<'_> {
    pub(super) fn file(&mut self, file: &File) {
        let broken = self.broken(file);
        let standing = self.doctrine.clone();
        self.quiet = self.quiet(file);
        for (index, raw) in file.orders.iter().enumerate() {
            if let Some(reason) = broken.get(&index) {
                self.refuse(raw, reason.clone(), String::new());
                continue;
            }
            let before = self.faults.len();
            self.order(raw);
            if let Some(fault) =
                self.faults[before..].iter().find(|f| f.severity == Severity::Error)
            {
                let (reason, rule) = (fault.message.clone(), fault.rule.map_or("", |r| r.0));
                self.refuse(raw, reason, rule.to_owned());
            }
        }
        if let Some((span, _)) = &file.day
            && !self.spoilt("day", span)
        {
            self.day(file);
        }
        if let Some((span, _)) = &file.rocks
            && !self.spoilt("rocks", span)
        {
            self.rocks(file);
        }
        if let Some(raw) = &file.sniping
            && !self.spoilt("sniping", &raw.span)
        {
            self.sniping(raw);
        }
        if let Some(raw) = &file.doctrine
            && !self.spoilt("doctrine", &raw.span)
        {
            self.standing(raw);
        }
        self.no_wave(file);
        self.plan.refusals.sort_by_key(|r| r.line);
        if self.doctrine != standing {
            self.plan.doctrine = Some(self.doctrine.clone());
        }
    }

    /// The emir's file makes this day one of sniping: whether it says so itself.
    fn quiet(&self, file: &File) -> Option<bool> {
        let state = self.position.state;
        let emir = state.holder(Side::Mahdist, "emir") == Some(self.player);
        if !emir || state.window != Window::Day || state.forced {
            return None;
        }
        let said = file.day.as_ref().and_then(|(_, turn)| turn.as_ref());
        match said {
            Some(turn) => (turn.value != "assault").then_some(true),
            // A `[day]` with a fault has one already.
            None => file.day.is_none().then_some(false),
        }
    }

    /// An assault to which the emir forms no wave: the ruling `smallest-wave` does.
    fn no_wave(&mut self, file: &File) {
        let Some((span, _)) = &file.day else { return };
        let assault =
            self.plan.day == Some(true) || (self.position.state.forced && self.plan.day.is_some());
        if assault && self.plan.waves.is_empty() {
            let what = super::super::form::smallest_words(self.position);
            let why = if file.orders.iter().any(|raw| raw.kind == Kind::Wave) {
                "every wave of this file is refused"
            } else {
                "no wave is formed by this file"
            };
            self.faults.push(
                Diagnostic::warning(Some(cite("R8")), format!("{why}: {what}"))
                    .at(span.clone())
                    .help("add a [[wave]], unless another of your side forms one"),
            );
        }
    }

    fn order(&mut self, raw: &Raw) {
        let line = raw.line;
        match raw.kind {
            Kind::Post => {
                if let Some(order) = self.post(raw) {
                    self.plan.posts.push(Legal { order, line });
                }
            }
            Kind::Fire => self.hold_fire(raw),
            Kind::Gun => self.gun(raw),
            Kind::Wave => {
                if let Some(order) = self.wave(raw) {
                    self.plan.waves.push(Legal { order, line });
                }
            }
            Kind::Tell => {
                let windows = [Window::Assault, Window::Launch, Window::Round];
                if self.belongs(raw, Side::Mahdist, &windows)
                    && let Some(number) = self.own_wave(raw)
                {
                    let base = self.position.state.wave(number).map(|w| super::Told {
                        raise: w.raise,
                        through: w.through,
                        intents: w.intents.clone(),
                        workers: w.workers,
                    });
                    if let Some(told) = self.told(raw, base) {
                        self.plan.tells.push(Legal { order: (number, told), line });
                    }
                }
            }
            Kind::Withdraw => {
                let windows = [Window::Assault, Window::Launch];
                if self.belongs(raw, Side::Mahdist, &windows)
                    && let Some(wave) = self.own_wave(raw)
                {
                    let before = self.faults.len();
                    let when = self.condition(raw.when.as_ref());
                    if self.faults.len() == before {
                        let order = WithdrawOrder { wave, when };
                        self.plan.withdraws.push(Legal { order, line });
                    }
                }
            }
        }
    }

    /// `[day]`: the emir chooses (R3), unless the jokers have chosen for him (R8).
    fn day(&mut self, file: &File) {
        let Some((span, turn)) = &file.day else { return };
        let order = "day";
        let state = self.position.state;
        let emir = state.holder(Side::Mahdist, "emir") == Some(self.player);
        if self.side != Side::Mahdist {
            self.fault(&Violation::WrongSide { order, side: "Mahdist" }, span.clone());
        } else if !emir {
            let commander =
                state.holder(Side::Mahdist, "emir").map_or(String::new(), ToString::to_string);
            self.fault(&Violation::NotYours { what: order.to_owned(), commander }, span.clone());
        } else if state.window == Window::Day {
            let Some(turn) = turn else { return };
            let assault = turn.value == "assault";
            if state.forced && !assault {
                self.faults.push(
                    Diagnostic::warning(
                        Some(cite("R8")),
                        "both jokers fell yesterday: this day is an assault",
                    )
                    .at(turn.span.clone())
                    .help("form at least one wave"),
                );
            }
            self.plan.day = Some(assault);
            return;
        } else {
            let window = state.window.id();
            self.fault(&Violation::WrongWindow { order, window }, span.clone());
        }
        self.refuse_table(span.clone(), order);
    }

    /// `[rocks]`: riflemen who stay hidden (R42).
    fn rocks(&mut self, file: &File) {
        let Some((span, rifles)) = &file.rocks else { return };
        let state = self.position.state;
        let before = self.faults.len();
        if self.side != Side::Mahdist {
            let violation = Violation::WrongSide { order: "rocks", side: "Mahdist" };
            self.fault(&violation, span.clone());
        } else if state.window != Window::Day {
            self.fault(&Violation::TooLateToHide, span.clone());
        } else if let Some(rifles) = rifles {
            let free = free_of(self.position, self.player, FigureKind::Rifle).len();
            let taken = self.taken.get(&FigureKind::Rifle).copied().unwrap_or(0);
            let has = free.saturating_sub(taken);
            let wants = rifles.value as usize;
            if wants > has {
                let what = "riflemen".to_owned();
                let rule = "R42";
                self.fault(&Violation::TooFew { what, has, wants, rule }, rifles.span.clone());
            } else {
                self.plan.rocks = Some(rifles.value);
            }
        }
        if self.faults.len() > before {
            self.refuse_table(span.clone(), "rocks");
        }
    }

    /// The orders that have faults of form, with the first of each.
    fn broken(&self, file: &File) -> BTreeMap<usize, String> {
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

    /// A table that is no list of orders and has a fault of form is refused as a whole,
    /// as an order is: nothing of it is carried out.
    fn spoilt(&mut self, name: &str, span: &std::ops::Range<usize>) -> bool {
        let mine = |line: &str| {
            let line = line.split('#').next().unwrap_or("");
            line.trim().trim_start_matches('[').trim_end_matches(']').trim() == name
        };
        // A table within one line is all of it; others go from head to head.
        let mut regions: Vec<std::ops::Range<usize>> = Vec::new();
        for (index, (at, line)) in self.heads.iter().enumerate() {
            if mine(line) {
                let end = self.heads.get(index + 1).map_or(self.length, |(at, _)| *at);
                regions.push(*at..end);
            }
        }
        let inside = |at: usize| span.contains(&at) || regions.iter().any(|r| r.contains(&at));
        let found = self.faults.iter().find(|fault| {
            fault.severity == Severity::Error
                && fault.span.as_ref().is_some_and(|s| inside(s.start))
        });
        let Some(fault) = found else { return false };
        let (reason, rule) = (fault.message.clone(), fault.rule.map_or("", |r| r.0).to_owned());
        let line = 1 + self.ends.partition_point(|end| *end < span.start);
        self.plan.refusals.push(Refusal { line, order: format!("[{name}]"), reason, rule });
        true
    }

    fn refuse(&mut self, raw: &Raw, reason: String, rule: String) {
        let mut words = vec![raw.kind.name().to_owned()];
        words.extend(raw.figures.iter().map(|f| f.value.clone()));
        for part in [&raw.wave, &raw.from].into_iter().flatten() {
            words.push(part.value.clone());
        }
        for (number, what) in
            [(&raw.count, "men"), (&raw.spears, "spears"), (&raw.rifles, "rifles")]
        {
            if let Some(number) = number {
                words.push(format!("{} {what}", number.value));
            }
        }
        for at in &raw.sections {
            words.push(format!("at {}", at.value));
        }
        if let Some(to) = &raw.to {
            words.push(format!("at {}", to.value));
        }
        let order = words.join(" ");
        self.plan.refusals.push(Refusal { line: raw.line, order, reason, rule });
    }

    /// Refuses a table that is no list of orders, for the last fault found.
    pub(super) fn refuse_table(&mut self, span: std::ops::Range<usize>, order: &str) {
        let Some(fault) = self.faults.last() else { return };
        let (reason, rule) = (fault.message.clone(), fault.rule.map_or("", |r| r.0).to_owned());
        let line = 1 + self.ends.partition_point(|end| *end < span.start);
        let order = format!("[{order}]");
        self.plan.refusals.push(Refusal { line, order, reason, rule });
    }
}
