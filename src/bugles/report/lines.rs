//! Events as the lines of a report.

use crate::core::template::pad;
use crate::core::viewer::Viewer;
use crate::geometry::plane::Point;

use super::super::data::{Army, Data};
use super::super::events::{Event, Exchange, Modifier, Score};
use super::super::state::{State, Unit};
use super::super::understood::fire_words;
use super::super::view::{knows, may_read};
use super::{Line, OrdersLine, OutcomeLine, OverModel, Section};

/// What a viewer is told, as it is gathered.
#[derive(Debug)]
pub(super) struct Gathered<'a> {
    data: &'a Data,
    viewer: &'a Viewer,
    pub(super) orders: Vec<OrdersLine>,
    pending: Vec<(String, OutcomeLine)>,
    pub(super) sections: Vec<Section>,
    pub(super) over: Option<OverModel>,
    /// The unit whose table is open.
    group: String,
    /// A turn that has begun, and no line of it yet.
    begun: Option<u32>,
}

const STEPS: [(&str, &str); 6] = [
    ("1. COMMAND", "R7, R13, R14"),
    ("2. MAHDISTS MOVE AND FIRE", "R7"),
    ("3. ANGLO-EGYPTIANS FIRE", "R7"),
    ("4. COMBATS", "R7"),
    ("5. ANGLO-EGYPTIANS MOVE AND FIRE", "R7"),
    ("6. NEW COMBATS", "R7"),
];

impl<'a> Gathered<'a> {
    pub(super) fn new(data: &'a Data, viewer: &'a Viewer) -> Self {
        Self {
            data,
            viewer,
            orders: Vec::new(),
            pending: Vec::new(),
            sections: Vec::new(),
            over: None,
            group: String::new(),
            begun: None,
        }
    }

    fn section(&mut self, title: &str, rule: &str) {
        self.group = String::new();
        self.sections.push(Section {
            title: title.to_owned(),
            rule: rule.to_owned(),
            lines: Vec::new(),
        });
    }

    fn add(&mut self, text: String, row: bool, event: serde_json::Value) {
        self.put(text, row, 2, event);
    }

    fn put(&mut self, text: String, row: bool, indent: u32, event: serde_json::Value) {
        if let Some(turn) = self.begun.take() {
            self.section(&format!("TURN {turn} BEGINS"), "R6, R20, R31");
        } else if self.sections.is_empty() {
            self.section("SETTING UP", "R20, R21");
        }
        if let Some(section) = self.sections.last_mut() {
            section.lines.push(Line { text, row, indent, next: indent + 4, event });
        }
    }

    fn say(&mut self, text: String, event: &Event) {
        self.group = String::new();
        let json = Self::json(event);
        self.add(text, false, json);
    }

    /// The event for machines; a sealed shot without its dice.
    fn json(event: &Event) -> serde_json::Value {
        match event {
            Event::MarkerShot { step, firer, marker, range, .. } => serde_json::json!({
                "event": "marker-shot", "step": step, "firer": firer, "marker": marker, "range": range
            }),
            Event::Veiled { unit, marker, .. } => serde_json::json!({
                "event": "veiled", "unit": unit, "marker": marker.id, "at": marker.at
            }),
            // What is behind a marker, and its dice, are in no report but the referee's.
            Event::Placed { marker, .. } => serde_json::json!({
                "event": "placed", "marker": marker.id, "at": marker.at
            }),
            other => serde_json::to_value(other).unwrap_or_default(),
        }
    }

    /// The exchanges of one unit stand together under its name.
    fn exchange(&mut self, unit: &str, verb: &str, x: &Exchange, event: &Event) {
        let key = format!("{unit} {verb} {}", x.step);
        if self.group != key {
            self.add(format!("{unit} {verb}"), false, serde_json::Value::Null);
            self.group = key;
        }
        let json = Self::json(event);
        let range = if x.range > 0 || verb == "fires" {
            format!("{:>5}", self.data.inches(x.range))
        } else {
            String::new()
        };
        let head = format!("{} > {} {range}", x.attacker.base, x.defender.base);
        let figures = format!("{}  : {}", sum(&x.attacker), sum(&x.defender));
        let loser = if x.on_defender { &x.defender.base } else { &x.attacker.base };
        let result = match (x.effect, verb) {
            (super::super::events::Effect::Nothing, _) => "no effect".to_owned(),
            (effect, "fires") => format!("{} [{}]", effect.word(), x.rule),
            (effect, _) => format!("{loser} {} [{}]", effect.word(), x.rule),
        };
        if head.len() <= 29 && figures.len() <= 21 && result.len() <= 16 {
            let row =
                format!("    {} {} {result}", pad(&head, 29, false), pad(&figures, 21, false));
            self.add(row, true, json);
        } else {
            self.add(format!("    {head}"), true, json);
            self.add(
                format!("      {}  {result}", pad(&figures, 22, false)),
                true,
                serde_json::Value::Null,
            );
        }
        for (who, score) in [(&x.attacker.base, &x.attacker), (&x.defender.base, &x.defender)] {
            if !score.modifiers.is_empty() {
                let text = format!("{who}: {}", modifiers(&score.modifiers));
                self.put(text, false, 6, serde_json::Value::Null);
            }
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm an event")]
    pub(super) fn take(&mut self, now: &State, event: &Event) {
        let data = self.data;
        let inches = |n: i64| data.inches(n);
        match event {
            Event::Orders { player, submission, done, failed, refused } => {
                // How the orders of the other side fared would tell what they were.
                let known = may_read(now, self.viewer, player);
                let player = player.to_string();
                let mut outcomes = Vec::new();
                self.pending.retain_mut(|(who, line)| {
                    let mine = *who == player;
                    if mine {
                        outcomes.push(OutcomeLine {
                            outcome: std::mem::take(&mut line.outcome),
                            line: line.line,
                            order: std::mem::take(&mut line.order),
                            reason: std::mem::take(&mut line.reason),
                            rule: std::mem::take(&mut line.rule),
                        });
                    }
                    !mine
                });
                self.orders.push(OrdersLine {
                    player,
                    submission: submission.clone(),
                    known,
                    done: known.then_some(*done),
                    failed: known.then_some(*failed),
                    refused: known.then_some(*refused),
                    outcomes,
                });
            }
            Event::Outcome { player, line, order, outcome, reason, rule } => {
                let (outcome, order) = (outcome.clone(), order.clone());
                let (reason, rule) = (reason.clone(), rule.clone());
                let line = OutcomeLine { outcome, line: *line, order, reason, rule };
                self.pending.push((player.to_string(), line));
            }
            Event::Step { step, .. } => {
                let index = usize::try_from(*step).unwrap_or(1).saturating_sub(1).min(5);
                self.section(STEPS[index].0, STEPS[index].1);
            }
            Event::Mustered { unit } => self.say(
                format!(
                    "{} musters {}: {} of {} bases [R2]",
                    unit.general,
                    unit.id,
                    data.troop(unit.troop).name,
                    unit.bases.len()
                ),
                event,
            ),
            Event::Deployed { unit, lay, order, marker } => {
                let army = now.unit(unit).map_or(Army::Mahdist, Unit::army);
                let order = if knows(now, self.viewer, army) {
                    format!(", {}", order.word())
                } else {
                    String::new()
                };
                let under = marker.as_ref().map_or(String::new(), |m| format!(" under {m}"));
                let what = now.unit(unit).map_or(String::new(), |u| force(data, u));
                self.say(
                    format!(
                        "{unit}{what} stands at {} facing {}, {}{order}{under}",
                        data.spot(lay.anchor),
                        lay.facing.degrees(),
                        lay.formation.word()
                    ),
                    event,
                );
            }
            Event::Placed { marker, .. } => {
                let text =
                    format!("marker {} is placed at {} [R20]", marker.id, data.spot(marker.at));
                self.say(text, event);
            }
            Event::Veiled { unit, marker, .. } => {
                let (id, at) = (&marker.id, data.spot(marker.at));
                self.say(
                    format!("{unit} is lost to sight: marker {id} stands for it at {at} [R31]"),
                    event,
                );
            }
            Event::GeneralMoved { general, to, attached, moved } => {
                let with = attached.as_ref().map_or(String::new(), |b| format!(", with {b}"));
                let verb = if *moved { "goes to" } else { "is at" };
                self.say(format!("{general} {verb} {}{with}", data.spot(*to)), event);
            }
            Event::Allowance { general, faces, modifiers: mods, total, .. } => {
                let faces: Vec<String> = faces.iter().map(u32::to_string).collect();
                let mods = if mods.is_empty() {
                    " [R13]".to_owned()
                } else {
                    format!(" {}", modifiers(mods))
                };
                self.say(
                    format!(
                        "{general} may change {total} order(s): average die {}{mods}",
                        faces.join(",")
                    ),
                    event,
                );
            }
            Event::Ordered { unit, to, distance, die, needed, obeyed, .. } => {
                let how = match (needed, obeyed) {
                    (0, _) => format!("at once, {} away", inches(*distance)),
                    (n, true) => {
                        format!("die {die}, {n} or more obeys, {} away", inches(*distance))
                    }
                    (n, false) => {
                        format!("NOT: die {die}, {n} or more obeys, {} away", inches(*distance))
                    }
                };
                self.say(format!("{unit}: {} ({how}) [R14]", to.word()), event);
            }
            Event::Flipped { unit, from, to, why, rule } => {
                self.say(
                    format!("{unit}: {} becomes {}, {why} [{rule}]", from.word(), to.word()),
                    event,
                );
            }
            Event::FirePlan { unit, plan } => {
                if now.turn > 0 && self.sections.is_empty() {
                    self.section("FIRE PLANS", "R23");
                }
                self.say(format!("{unit} {}", fire_words(plan)), event);
            }
            Event::Moved { unit, lay, way, spent, rate, why, .. } => {
                let way = if way.is_empty() { "stays".to_owned() } else { way.join(", ") };
                let why = if why.is_empty() { String::new() } else { format!("; {why}") };
                self.say(
                    format!(
                        "{unit}: {way} to {} facing {} ({} of {}){why}",
                        data.spot(lay.anchor),
                        lay.facing.degrees(),
                        inches(*spent),
                        inches(*rate)
                    ),
                    event,
                );
            }
            Event::Stays { unit, why, rule } => {
                let rule = if rule.is_empty() { String::new() } else { format!(" [{rule}]") };
                self.say(format!("{unit} stays: {why}{rule}"), event);
            }
            Event::MarkerMoved { marker, to, spent } => {
                self.say(
                    format!("marker {marker} goes {} to {}", inches(*spent), data.spot(*to)),
                    event,
                );
                if !knows(now, self.viewer, Army::Mahdist) {
                    self.by_number();
                }
            }
            Event::Revealed { marker, why, behind, noted } => {
                let what = if behind.is_empty() {
                    "nothing was behind it".to_owned()
                } else {
                    format!("{} comes out", behind.join(", "))
                };
                let noted = if *noted > 0 {
                    format!("; {noted} noted as destroyed [R22]")
                } else {
                    String::new()
                };
                let at = now.marker(marker).map_or(String::new(), |m| data.spot(m.at));
                self.say(
                    format!("marker {marker} comes off at {at} ({why}): {what}{noted} [R20]"),
                    event,
                );
            }
            Event::GeneralCame { general } => {
                self.say(format!("{} appears at {}", general.id, data.spot(general.at)), event);
            }
            Event::Shot { exchange } => {
                let unit = base_unit(&exchange.attacker.base);
                self.exchange(&unit, "fires", exchange, event);
            }
            Event::MarkerShot { firer, marker, range, .. } => {
                let unit = base_unit(firer);
                let key = format!("{unit} fires at markers");
                if self.group != key {
                    self.add(key.clone(), false, serde_json::Value::Null);
                    self.group = key;
                }
                let json = Self::json(event);
                let row = format!("    {firer} > {marker} {}   dice sealed [R22]", inches(*range));
                self.add(row, true, json);
            }
            Event::Fought { exchange } => {
                let unit = base_unit(&exchange.attacker.base);
                self.exchange(&unit, "fights", exchange, event);
            }
            Event::Pushed { base, pose, why } => {
                let (way, spot) = (inches(gone(now, base, pose.at)), data.spot(pose.at));
                self.note(format!("{base} {why}: {way} inches, to {spot}"), event);
            }
            Event::Suppressed { base, pose } => {
                let spot = data.spot(pose.at);
                let text = match gone(now, base, pose.at) {
                    0 => format!("{base} cannot fall back: it stays at {spot}, turned about [R29]"),
                    way => format!(
                        "{base} falls back {} inches, to {spot}, turned about [R29]",
                        inches(way)
                    ),
                };
                self.note(text, event);
            }
            Event::Recovered { base, .. } => {
                let at = now.base(base).map_or(String::new(), |(u, n)| data.spot(u.bases[n].at));
                self.say(format!("{base} recovers at {at} [R29]"), event);
            }
            Event::Destroyed { base, why, rule } => {
                self.note(format!("{base} is destroyed: {why} [{rule}]"), event);
            }
            Event::UnderFire { .. } => {}
            Event::Advanced { turn, .. } => self.begun = (*turn != now.turn).then_some(*turn),
            Event::GeneralLost { general, why, rule } => {
                self.say(format!("{general} is OUT: {why} [{rule}]"), event);
            }
            Event::StormBegan { storm, faces } => {
                let faces: Vec<String> = faces.iter().map(u32::to_string).collect();
                let begun = self.begun.take();
                self.section("A DUST STORM", "R31");
                self.say(
                    format!(
                        "it lasts to turn {}, and one sees {} inches (dice {})",
                        storm.until,
                        inches(storm.sight),
                        faces.join(",")
                    ),
                    event,
                );
                self.begun = begun;
            }
            Event::StormEnded => {
                let begun = self.begun.take();
                self.section("THE STORM ABATES", "R31");
                self.say("everybody sees again".to_owned(), event);
                self.begun = begun;
            }
            Event::Veered { who, die, degrees } => {
                let how = match degrees {
                    0 => "keeps its way".to_owned(),
                    n if *n < 0 => format!("veers {} degrees left", -n),
                    n => format!("veers {n} degrees right"),
                };
                self.say(format!("{who} {how} (average die {die}) [R31]"), event);
            }
            Event::Halted { who, why } => {
                self.say(format!("{who} halts until the storm is over: {why} [R31]"), event);
            }
            Event::Over { result, why, rule, .. } => {
                self.over = Some(OverModel {
                    result: result.clone(),
                    why: why.clone(),
                    rule: rule.clone(),
                });
            }
        }
    }

    /// Who moves first is ordered by names that the other side may not know: to its eyes
    /// markers move together, and are told by number.
    fn by_number(&mut self) {
        let number = |line: &Line| -> Option<u32> {
            let marker = line.event.get("marker")?.as_str()?;
            let moved = line.event.get("event")? == "marker-moved";
            marker.rsplit_once('-')?.1.parse().ok().filter(|_| moved)
        };
        let Some(section) = self.sections.last_mut() else { return };
        let mut at = section.lines.len().saturating_sub(1);
        while at > 0
            && number(&section.lines[at - 1]).is_some_and(|n| Some(n) > number(&section.lines[at]))
        {
            section.lines.swap(at - 1, at);
            at -= 1;
        }
    }

    /// Something that follows from the exchange above it.
    fn note(&mut self, text: String, event: &Event) {
        let json = Self::json(event);
        self.put(text, false, 6, json);
    }
}

/// How far a base goes from where it lies.
fn gone(now: &State, base: &str, to: Point) -> i64 {
    now.base(base).map_or(0, |(unit, n)| unit.bases[n].at.distance(to))
}

/// ` (8 bases of Mahdist infantry, 2 with rifles)`.
fn force(data: &Data, unit: &Unit) -> String {
    let (count, rifles) = (unit.strength(), unit.standing().filter(|(_, b)| b.rifles).count());
    let with = if rifles == 0 { String::new() } else { format!(", {rifles} with rifles") };
    let bases = if count == 1 { "base" } else { "bases" };
    format!(" ({count} {bases} of {}{with})", data.troop(unit.troop).name)
}

fn base_unit(base: &str) -> String {
    base.rsplit_once('-').map_or(base, |(unit, _)| unit).to_owned()
}

/// `4+6-1=9`.
fn sum(score: &Score) -> String {
    let by: i64 = score.modifiers.iter().map(|m| m.by).sum();
    let by = if by == 0 { String::new() } else { format!("{by:+}") };
    format!("{}+{}{by}={}", score.die, score.value, score.total)
}

fn modifiers(list: &[Modifier]) -> String {
    let words: Vec<String> =
        list.iter().map(|m| format!("{:+} {} [{}]", m.by, m.what, m.rule)).collect();
    words.join(", ")
}
