//! What a file orders to stand: `[doctrine]`, `[sniping]`, `[[fire]]`, `[[gun]]`.

use crate::core::diag::Diagnostic;
use crate::core::read::At;

use super::super::condition::Condition;
use super::super::data::{Kind as FigureKind, Post, Side};
use super::super::doctrine::{GunPlan, Sniping, Support};
use super::super::orders::{Raw, RawDoctrine, RawSniping, no_choice};
use super::super::state::Window;
use super::super::violation::Violation;
use super::Checker;

/// What `targets` may name.
pub(super) const TARGETS: [&str; 5] = ["inside", "wall", "wave", "next", "snipers"];

const ALWAYS: [Window; 5] =
    [Window::Setup, Window::Day, Window::Assault, Window::Launch, Window::Round];

impl Checker<'_> {
    /// `[[fire]]`: hold the fire of a wall.
    pub(super) fn hold_fire(&mut self, raw: &Raw) {
        if !self.belongs(raw, Side::Garrison, &ALWAYS) {
            return;
        }
        let Some(hold) = &raw.hold else { return };
        let before = self.faults.len();
        for at in &raw.sections {
            if let Some(wall) = self.section(at) {
                self.commands(Post::Wall(wall), &at.value, &at.span);
            }
        }
        if raw.sections.is_empty() {
            let fault = Diagnostic::error(None, "this [[fire]] names no section");
            let fault =
                fault.at(raw.span.clone()).help("write at = \"LZ-N\", or a list of sections");
            self.faults.push(fault);
        }
        if hold.value > self.position.data.tables.wave_moves {
            let most = self.position.data.tables.wave_moves;
            let what = format!("a wave arrives on move {most}: {} never comes", hold.value);
            let fault = Diagnostic::error(Some(crate::core::cite::cite("R16")), what);
            let fault = fault.at(hold.span.clone()).help(format!("0 to {most}"));
            self.faults.push(fault);
        }
        if self.faults.len() > before {
            return;
        }
        for at in &raw.sections {
            if hold.value == 0 {
                self.doctrine.hold.remove(&at.value);
            } else {
                self.doctrine.hold.insert(at.value.clone(), hold.value);
            }
        }
        self.plan.standing_orders += 1;
    }

    /// `[[gun]]`: what a gun waits for.
    pub(super) fn gun(&mut self, raw: &Raw) {
        if !self.belongs(raw, Side::Garrison, &ALWAYS) {
            return;
        }
        let Some(name) = &raw.to else { return };
        let c = &self.position.data.compound;
        let Some(gun) = c.find_gun(&name.value) else {
            let known: Vec<&str> = c.gun_ids().map(|id| c.gun(id).id.as_str()).collect();
            self.unknown("gun", name, &known);
            return;
        };
        if self.commands(Post::Gun(gun), &name.value, &name.span) {
            let last = self.position.data.tables.wave_moves.saturating_sub(1);
            if let Some(hold) = raw.hold.as_ref().filter(|hold| hold.value > last) {
                let violation = Violation::GunTooLate { hold: hold.value, last };
                self.fault(&violation, hold.span.clone());
                return;
            }
            let army = self.position.data.of(Side::Mahdist).count();
            if let Some(min) = raw.min_wave.as_ref().filter(|min| min.value as usize > army) {
                let (what, wants) = ("men of a wave".to_owned(), min.value as usize);
                let violation = Violation::TooFew { what, has: army, wants, rule: "R31" };
                self.fault(&violation, min.span.clone());
                return;
            }
            // What stands of it stands on where the order says nothing else.
            let stood = self.doctrine.guns.get(&name.value);
            let (min_wave, hold) = stood.map_or((1, 0), |plan| (plan.min_wave, plan.hold));
            let plan = GunPlan {
                min_wave: raw.min_wave.as_ref().map_or(min_wave, |n| n.value),
                hold: raw.hold.as_ref().map_or(hold, |n| n.value),
            };
            self.doctrine.guns.insert(name.value.clone(), plan);
            self.plan.standing_orders += 1;
        }
    }

    /// `[sniping]`: when to stop flipping cards (R8).
    pub(super) fn sniping(&mut self, raw: &RawSniping) {
        let state = self.position.state;
        let emir = state.holder(Side::Mahdist, "emir");
        if self.side != Side::Mahdist {
            let violation = Violation::WrongSide { order: "sniping", side: "Mahdist" };
            self.fault(&violation, raw.span.clone());
        } else if emir != Some(self.player) {
            let commander = emir.map_or(String::new(), ToString::to_string);
            let what = "sniping".to_owned();
            self.fault(&Violation::NotYours { what, commander }, raw.span.clone());
        } else {
            let mut plan: Sniping = self.doctrine.sniping.clone().unwrap_or_default();
            if let Some(flag) = &raw.stop_on_first_joker {
                plan.stop_on_first_joker = flag.value;
            }
            if let Some(number) = &raw.max_cards {
                plan.max_cards = number.value.min(12);
            }
            plan.stop_at_markers =
                raw.stop_at_markers.as_ref().map(|n| n.value).or(plan.stop_at_markers);
            plan.stop_if_kills = raw.stop_if_kills.as_ref().map(|n| n.value).or(plan.stop_if_kills);
            if let Some(word) = &raw.after_second_joker {
                plan.after_second_joker = word.value == "continue";
            }
            self.doctrine.sniping = Some(plan);
            self.plan.standing_orders += 1;
            return;
        }
        self.refuse_table(raw.span.clone(), "sniping");
    }

    /// `[doctrine]`.
    pub(super) fn standing(&mut self, raw: &RawDoctrine) {
        let before = self.faults.len();
        let mut doctrine = self.doctrine.clone();
        if self.side == Side::Garrison {
            self.garrison(raw, &mut doctrine);
            if let Some(call_off) = &raw.call_off {
                let violation = Violation::WrongSide { order: "call_off", side: "Mahdist" };
                self.fault(&violation, call_off.span.clone());
            }
        } else {
            for (key, span) in [
                ("zones", raw.zones.as_ref().map(|l| &l.span)),
                ("targets", raw.targets.as_ref().map(|l| &l.span)),
                ("support", raw.support.as_ref().map(|l| &l.span)),
                ("revolver", raw.revolver.as_ref().map(|l| &l.span)),
                ("bayonet", raw.bayonet.as_ref().map(|l| &l.span)),
                ("wound", raw.wound.as_ref().map(|l| &l.span)),
                ("kill", raw.kill.as_ref().map(|l| &l.span)),
                ("returns", raw.returns.as_ref().map(|l| &l.span)),
            ] {
                if let Some(span) = span {
                    let violation = Violation::WrongSide { order: key, side: "Anglo-Egyptian" };
                    self.fault(&violation, span.clone());
                }
            }
            if let Some(text) = &raw.call_off {
                if text.value.is_empty() {
                    doctrine.call_off = None;
                } else if self.position.state.holder(Side::Mahdist, "emir") != Some(self.player) {
                    self.for_one("call_off", Side::Mahdist, "emir", &text.span);
                } else if Condition::read(self.position.data, self.side, text, &mut self.faults)
                    .is_some()
                {
                    doctrine.call_off = Some(text.value.clone());
                }
            }
        }
        if self.faults.len() == before {
            self.doctrine = doctrine;
            self.plan.standing_orders += 1;
        } else {
            self.refuse_table(raw.span.clone(), "doctrine");
        }
    }

    /// A key that only the holder of a command may use.
    fn for_one(&mut self, key: &str, side: Side, command: &str, span: &std::ops::Range<usize>) {
        let holder = self.position.state.holder(side, command);
        let commander = holder.map_or(String::new(), ToString::to_string);
        self.fault(&Violation::NotYours { what: key.to_owned(), commander }, span.clone());
    }

    fn garrison(&mut self, raw: &RawDoctrine, doctrine: &mut super::Doctrine) {
        let c = &self.position.data.compound;
        // Nobody would ask another player for these (R5, R6, R11, R46).
        for (key, list) in [
            ("zones", &raw.zones),
            ("wound", &raw.wound),
            ("kill", &raw.kill),
            ("returns", &raw.returns),
        ] {
            if let Some(list) = list
                && self.position.state.holder(Side::Garrison, "commandant") != Some(self.player)
            {
                self.for_one(key, Side::Garrison, "commandant", &list.span);
            }
        }
        if let Some(zones) = &raw.zones {
            let mut named: Vec<String> = Vec::new();
            for zone in &zones.value {
                if c.find_zone(&zone.value).is_none() {
                    let known: Vec<&str> = c.zones.iter().map(|z| z.id.as_str()).collect();
                    self.unknown("zone", zone, &known);
                } else if named.contains(&zone.value) {
                    let what = format!("`{}` stands twice", zone.value);
                    self.faults.push(Diagnostic::error(None, what).at(zone.span.clone()));
                } else {
                    named.push(zone.value.clone());
                }
            }
            doctrine.zones = named;
        }
        if let Some(targets) = &raw.targets {
            for word in &targets.value {
                if !TARGETS.contains(&word.value.as_str()) {
                    self.faults.push(no_choice(word, "targets", &TARGETS));
                }
            }
            doctrine.targets = targets.value.iter().map(|w| w.value.clone()).collect();
        }
        if let Some(word) = &raw.support {
            match Support::parse(&word.value) {
                Some(support) => doctrine.support = Some(support),
                None => self.faults.push(no_choice(word, "support", &Support::WORDS)),
            }
        }
        doctrine.revolver = raw.revolver.as_ref().map(|f| f.value).or(doctrine.revolver);
        doctrine.bayonet = raw.bayonet.as_ref().map(|f| f.value).or(doctrine.bayonet);
        if let Some(list) = &raw.wound {
            doctrine.wound = self.selectors(&list.value);
        }
        if let Some(list) = &raw.kill {
            doctrine.kill = self.selectors(&list.value);
        }
        if let Some(list) = &raw.returns {
            doctrine.returns = self.selectors(&list.value);
        }
    }

    /// Words that pick defenders: a kind, a place, `wounded`, an id, or some of these
    /// joined by dots (`LZ-N.soldier`).
    fn selectors(&mut self, list: &[At<String>]) -> Vec<String> {
        let data = self.position.data;
        for word in list {
            for part in word.value.split('.') {
                let known = part == "wounded"
                    || FigureKind::parse(part).is_some()
                    || data.find_post(part).is_some()
                    || data.compound.find_zone(part).is_some()
                    || data.find(part).is_some_and(|id| data.figure(id).side == Side::Garrison);
                if !known {
                    let text = At::new(part.to_owned(), word.span.clone());
                    let mut words = vec!["soldier", "officer", "gunner", "wounded"];
                    words.extend(data.post_ids());
                    self.unknown("kind, place or figure", &text, &words);
                }
            }
        }
        list.iter().map(|w| w.value.clone()).collect()
    }
}
