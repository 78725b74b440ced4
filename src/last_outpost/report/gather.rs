//! What the events of a phase come to in a report, for one viewer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::core::words::runs;

use super::super::data::{Data, Side};
use super::super::events::{Blow, Event, Shot};
use super::super::state::State;
use super::super::view::Knows;
use super::{DayModel, LostModel, OrdersLine, OutcomeLine, OverModel, RoundModel, ZoneModel};

/// Shots of one kind in a zone, told together.
#[derive(Default)]
struct Volley {
    shooters: Vec<String>,
    dice: Vec<u32>,
    hits: Vec<String>,
    rule: String,
    wounded: u32,
}

/// Attacks of one kind in a zone, told together.
#[derive(Default)]
struct Fray {
    attackers: Vec<String>,
    kills: Vec<String>,
    passes: Vec<String>,
    sums: Vec<i32>,
    rule: String,
}

/// The parts of a report, gathered event by event.
pub(super) struct Gathered<'a> {
    data: &'a Data,
    before: &'a State,
    knows: Knows,
    /// The position as the events so far have made it, to say where somebody fell.
    now: State,
    pub(super) orders: Vec<OrdersLine>,
    outcomes: Vec<(String, OutcomeLine)>,
    pub(super) notices: Vec<String>,
    pub(super) day: Option<DayModel>,
    pub(super) formed: Vec<String>,
    pub(super) rounds: Vec<RoundModel>,
    pub(super) after: Vec<String>,
    pub(super) lost: LostModel,
    causes: BTreeMap<String, u32>,
    pub(super) over: Option<OverModel>,
    volleys: BTreeMap<(String, String, String, i32), Volley>,
    frays: BTreeMap<(String, String, i32), Fray>,
    stands: BTreeMap<String, Vec<String>>,
    /// Step 1 of the round that follows, until it begins.
    step_one: Option<Vec<String>>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(data: &'a Data, before: &'a State, knows: Knows) -> Self {
        Self {
            data,
            before,
            knows,
            now: before.clone(),
            orders: Vec::new(),
            outcomes: Vec::new(),
            notices: Vec::new(),
            day: None,
            formed: Vec::new(),
            rounds: Vec::new(),
            after: Vec::new(),
            lost: LostModel::default(),
            causes: BTreeMap::new(),
            over: None,
            volleys: BTreeMap::new(),
            frays: BTreeMap::new(),
            stands: BTreeMap::new(),
            step_one: None,
        }
    }

    fn theirs(&self, player: &crate::core::id::Id) -> bool {
        self.knows.everything || self.before.side(player).is_some_and(|s| self.knows.knows(s))
    }

    /// A number of things, the word in the plural where there are several.
    fn some(n: u32, word: &str) -> String {
        format!("{n} {word}{}", if n == 1 { "" } else { "s" })
    }

    /// A place as a report says it.
    fn place(place: &str) -> String {
        match place.split_once(' ') {
            Some(("rocks", _)) => "the rocks".to_owned(),
            _ if place == "rocks" => "the rocks".to_owned(),
            Some(("wall" | "in" | "gun" | "across", name)) => name.to_owned(),
            Some(("before", name)) => format!("those before {name}"),
            _ => place.to_owned(),
        }
    }

    /// A line of what happens now: in a zone, before the zones, or outside rounds.
    fn say(&mut self, line: String) {
        if let Some(lines) = &mut self.step_one {
            lines.push(line);
            return;
        }
        match self.rounds.last_mut() {
            Some(round) => match round.zones.last_mut() {
                Some(zone) => zone.lines.push(line),
                None => round.before.push(line),
            },
            None => self.formed.push(line),
        }
    }

    /// Tells what was gathered of a zone: fire, then hand to hand, then who moved.
    fn flush(&mut self) {
        for ((side, from, at, needed), volley) in std::mem::take(&mut self.volleys) {
            let dice: Vec<String> = volley.dice.iter().map(ToString::to_string).collect();
            let who = if side == "garrison" { "fire from" } else { "snipers in" };
            let wounded = match volley.wounded {
                0 => String::new(),
                n => format!(" ({n} of them wounded: -1 [R35])"),
            };
            let hits = volley.hits.len();
            self.say(format!(
                "{who} {from} at {at}: {}{wounded}, {needed} or more hits [{}]: {hits} hit; dice {}",
                Self::some(u32::try_from(volley.dice.len()).unwrap_or(0), "shot"),
                volley.rule,
                dice.join(" ")
            ));
            let who = format!("  fired: {}", runs(&volley.shooters).join(", "));
            self.say(who);
        }
        for ((side, at, needed), fray) in std::mem::take(&mut self.frays) {
            let who = if side == "garrison" { "defenders" } else { "Mahdists" };
            let sums: Vec<String> = fray.sums.iter().map(ToString::to_string).collect();
            let mut line = format!(
                "hand to hand at {at}: {} {who} attack, {needed} or more kills [{}]: {} killed",
                fray.attackers.len(),
                fray.rule,
                fray.kills.len()
            );
            if !fray.passes.is_empty() {
                let _ = write!(line, ", {} pass behind [R37]", fray.passes.len());
            }
            let _ = write!(line, "; totals {}", sums.join(" "));
            self.say(line);
        }
        for (what, who) in std::mem::take(&mut self.stands) {
            let line = format!("{what}: {}", runs(&who).join(", "));
            self.say(line);
        }
    }

    fn shot(&mut self, shot: &Shot) {
        let wave = self.data.find(&shot.target).and_then(|id| self.now.figure(id).wave);
        let at = match (shot.at.as_str(), wave) {
            ("advancing", Some(wave)) => format!("wave-{wave}"),
            (at, _) => Self::place(at),
        };
        let key = (shot.side.clone(), Self::place(&shot.from), at, shot.needed);
        let volley = self.volleys.entry(key).or_default();
        volley.shooters.push(shot.figure.clone());
        volley.shooters.dedup();
        volley.dice.push(shot.die);
        volley.rule.clone_from(&shot.rule);
        volley.wounded += u32::from(!shot.modifiers.is_empty());
        if shot.hit {
            volley.hits.push(shot.target.clone());
        }
    }

    fn blow(&mut self, blow: &Blow) {
        let key = (blow.side.clone(), blow.at.clone(), blow.needed);
        let fray = self.frays.entry(key).or_default();
        fray.attackers.push(blow.attacker.clone());
        fray.sums.push(blow.total);
        fray.rule.clone_from(&blow.rule);
        match blow.outcome.as_str() {
            "kills" => fray.kills.push(blow.defender.clone()),
            "passes" => fray.passes.push(blow.attacker.clone()),
            _ => {}
        }
    }

    fn fell(&mut self, figure: &str, outcome: &str, cause: &str, rule: &str) {
        let Some(id) = self.data.find(figure) else { return };
        let place = Self::place(&super::super::state::place_words(self.data, self.now.place(id)));
        if self.data.figure(id).side == Side::Mahdist {
            self.lost.mahdists += 1;
            let cause = match cause.split_once(" with ") {
                Some((how, _)) => how.to_owned(),
                None => cause.to_owned(),
            };
            *self.causes.entry(cause).or_default() += 1;
            return;
        }
        let line = format!("{figure}, {place}: {outcome} by {cause} [{rule}]");
        if let Some(day) = self.day.as_mut().filter(|_| self.rounds.is_empty()) {
            match outcome {
                "wounded" => day.wounded.push(line.clone()),
                _ => day.killed.push(line.clone()),
            }
        }
        self.lost.garrison.push(line);
    }

    /// Takes an event up.
    #[allow(clippy::too_many_lines, reason = "one line or two for each kind of event")]
    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::Orders { player, submission, done, failed, refused, defaulted } => {
                let told = self.theirs(player);
                self.orders.push(OrdersLine {
                    player: player.to_string(),
                    submission: submission.clone(),
                    told,
                    done: if told { *done } else { 0 },
                    failed: if told { *failed } else { 0 },
                    refused: if told { *refused } else { 0 },
                    total: if told { done + failed + refused } else { 0 },
                    defaulted: if told { defaulted.clone() } else { Vec::new() },
                    outcomes: Vec::new(),
                });
            }
            Event::Outcome { player, line, outcome, order, reason, rule } => {
                if self.theirs(player) {
                    self.outcomes.push((
                        player.to_string(),
                        OutcomeLine {
                            outcome: outcome.clone(),
                            line: *line,
                            order: order.clone(),
                            reason: reason.clone(),
                            rule: rule.clone(),
                        },
                    ));
                }
            }
            Event::Doctrine { player, .. } => {
                if self.theirs(player) {
                    self.notices.push(format!("{player} changed what stands"));
                }
            }
            Event::Lapsed { player, what } => {
                if self.theirs(player) {
                    self.notices.push(format!("{player}, {what}"));
                }
            }
            Event::Posted { figures, post, walks } => {
                let who = runs(figures).join(", ");
                if !walks {
                    self.notices.push(format!("posted to {post}: {who} [R21]"));
                } else if self.knows.knows(Side::Garrison) {
                    self.say(format!("on their way to {post}: {who}"));
                }
            }
            Event::Stands { figures, place } => {
                let verb = match place.split_once(' ') {
                    Some(("across", room)) => format!("over the wall into {room} [R23]"),
                    Some(("before", wall)) => format!("to the wall {wall} [R23]"),
                    Some(("wall", wall)) => format!("hold {wall} [R21]"),
                    Some(("in", room)) => format!("in {room}"),
                    _ => place.clone(),
                };
                self.stands.entry(verb).or_default().extend(figures.iter().cloned());
            }
            Event::Chosen { assault, why, rule } => {
                let kind = if *assault { "assault" } else { "sniping" };
                self.day = Some(DayModel {
                    kind: kind.to_owned(),
                    why: why.clone(),
                    rule: rule.clone(),
                    ..DayModel::default()
                });
            }
            Event::Card { number, card, markers, lost, rule } => {
                if let Some(day) = &mut self.day {
                    let gained = match (*markers, *lost) {
                        (0, 0) => String::new(),
                        (n, 0) => format!(": {}", Self::some(n, "marker")),
                        (n, l) => {
                            format!(": {}, {l} more than there are [R1]", Self::some(n, "marker"))
                        }
                    };
                    day.cards.push(format!("{number}. {card}{gained} [{rule}]"));
                    day.markers_gained += markers;
                }
            }
            Event::Forced { rule } => {
                if let Some(day) = &mut self.day {
                    day.forced = true;
                    day.cards.push(format!("both jokers: tomorrow is an assault [{rule}]"));
                }
            }
            Event::Hit { figure, outcome, cause, rule } => self.fell(figure, outcome, cause, rule),
            Event::Hidden { figures } => {
                if self.knows.knows(Side::Mahdist) {
                    let who = runs(figures).join(", ");
                    self.say(format!("in the rocks: {who} [R42]"));
                }
            }
            Event::Launched(launch) => {
                let mut line = format!(
                    "wave-{} of {} figures rushes {} [R15]",
                    launch.wave,
                    launch.figures.len(),
                    launch.target
                );
                if self.knows.knows(Side::Mahdist) && launch.markers > 0 {
                    let _ = write!(line, ", with {} markers [R18]", launch.markers);
                }
                self.say(line);
            }
            Event::Told { wave, .. } => {
                if self.knows.knows(Side::Mahdist) {
                    self.say(format!("wave-{wave} has new orders"));
                }
            }
            Event::Raised { wave, figures, markers, rule } => {
                self.say(format!(
                    "{} {} {} men of wave-{wave} [{rule}]",
                    Self::some(*markers, "marker"),
                    if *markers == 1 { "raises" } else { "raise" },
                    figures.len()
                ));
            }
            Event::RoundBegan { round } => {
                self.flush();
                let before = self.step_one.take().unwrap_or_default();
                self.rounds.push(RoundModel { round: *round, before, ..RoundModel::default() });
            }
            Event::Zone(zone) => {
                self.flush();
                let initiative = if zone.dice.is_empty() {
                    format!(
                        "{} at barriers, {} within: the garrison first",
                        zone.garrison, zone.mahdists
                    )
                } else {
                    let dice: Vec<String> =
                        zone.dice.iter().map(|(a, b)| format!("{a}:{b}")).collect();
                    let first = Side::parse(&zone.first).map_or("", Side::name);
                    format!(
                        "{} at barriers, {} within; dice {}: {first} first",
                        zone.garrison,
                        zone.mahdists,
                        dice.join(" ")
                    )
                };
                let name = self
                    .data
                    .compound
                    .find_zone(&zone.zone)
                    .map_or(String::new(), |z| self.data.compound.zone(z).name.clone());
                if let Some(round) = self.rounds.last_mut() {
                    round.zones.push(ZoneModel {
                        zone: zone.zone.clone(),
                        name,
                        initiative,
                        lines: Vec::new(),
                    });
                }
            }
            Event::WaveMoved { wave, moves } => {
                let last = self.data.tables.wave_moves;
                let target = self
                    .now
                    .wave(*wave)
                    .map_or(String::new(), |w| self.data.compound.wall(w.target).id.clone());
                self.say(if *moves >= last {
                    format!("wave-{wave} reaches {target} [R16]")
                } else {
                    format!("wave-{wave} comes on towards {target}: move {moves} of {last} [R16]")
                });
            }
            Event::Opened { from, to, rule } => {
                self.say(format!("fire from {to} opens it to those before {from} [{rule}]"));
            }
            Event::Shot(shot) => self.shot(shot),
            Event::Struck(blow) => self.blow(blow),
            Event::GunFired { gun, wave, dice, missing, kills, rule, .. } => {
                let dice: Vec<String> = dice.iter().map(ToString::to_string).collect();
                let missing = if *missing > 0 {
                    format!(", less {missing} of the crew missing")
                } else {
                    String::new()
                };
                self.say(format!(
                    "{gun} fires at wave-{wave}: dice {}{missing}: {kills} casualties [{rule}]",
                    dice.join(" ")
                ));
            }
            Event::GunSilent { gun, silent, rule } => {
                let what =
                    if *silent { "is silent: its wall is engaged" } else { "may fire again" };
                self.say(format!("{gun} {what} [{rule}]"));
            }
            Event::Checked {
                wave,
                percent,
                casualties,
                limit,
                dice,
                breaks_on,
                stands,
                rule,
                ..
            } => {
                self.flush();
                let dice: Vec<String> = dice.iter().map(ToString::to_string).collect();
                let result = if *stands { "it stands" } else { "it BREAKS" };
                // The limit would tell how many markers are with it.
                let limit = if self.knows.knows(Side::Mahdist) {
                    format!(" ({limit} are {percent} per cent)")
                } else {
                    format!(" ({percent} per cent)")
                };
                self.say(format!(
                    "wave-{wave} has {casualties} casualties{limit}: morale dice {}, {breaks_on} or less breaks: {result} [{rule}]",
                    dice.join(" ")
                ));
            }
            Event::Withdrew { wave, why, rule } => {
                self.flush();
                self.say(format!("wave-{wave} withdraws: {why} [{rule}]"));
            }
            Event::WaveEnded { wave, markers } => {
                let lost = if self.knows.knows(Side::Mahdist) && *markers > 0 {
                    format!("; {markers} markers unspent")
                } else {
                    String::new()
                };
                self.end(format!("nobody is left of wave-{wave}{lost}"));
            }
            Event::Tower { workers, dice, points, rule, .. } => {
                let dice: Vec<String> = dice.iter().map(ToString::to_string).collect();
                self.say(format!(
                    "{workers} at the tower: dice {}: {points} points of damage [{rule}]",
                    dice.join(" ")
                ));
            }
            Event::GunTried { gun, die, disabled, rule, .. } => {
                let result = if *disabled { "it is DISABLED" } else { "nothing" };
                self.say(format!("two at {gun}: die {die}: {result} [{rule}]"));
            }
            Event::Yard { held, massacred, rule } => {
                let line = if *massacred {
                    format!("the walled yard is held: the patients are SLAIN [{rule}]")
                } else if *held > 0 {
                    format!("the Mahdists hold the walled yard: end of round {held} [{rule}]")
                } else {
                    format!("the walled yard is no longer the Mahdists' alone [{rule}]")
                };
                self.end(line);
            }
            Event::Loaded { figures } => {
                self.end(format!("loaded again: {} [R29, R30]", runs(figures).join(", ")));
            }
            Event::GunLoads { gun, loading } => {
                let what = match loading {
                    Some(n) => format!("loads, round {n}"),
                    None => "is ready".to_owned(),
                };
                self.end(format!("{gun} {what} [R33]"));
            }
            Event::RoundEnded { .. } => {
                self.flush();
                self.step_one = Some(Vec::new());
            }
            Event::AssaultEnded { why, rule } => {
                self.flush();
                self.after.extend(self.step_one.take().unwrap_or_default());
                self.after.push(format!("The assault ends: {why} [{rule}]"));
            }
            Event::Returned { figures, of, rule } => self.after.push(format!(
                "of {of} who fell unwounded {} return, wounded: {} [{rule}]",
                figures.len(),
                runs(figures).join(", ")
            )),
            Event::Gone { figures } => {
                self.after.push(format!("lost for good: {}", runs(figures).join(", ")));
            }
            Event::Rallied { figures } => {
                self.after.push(format!("{} Mahdists stand ready again", figures.len()));
            }
            Event::Over { result, why, rule } => {
                self.over = Some(OverModel {
                    result: result.clone(),
                    why: why.clone(),
                    rule: rule.clone(),
                });
            }
            Event::PhaseEnded { .. } | Event::Next { .. } => {}
        }
        self.now.apply(self.data, event);
    }

    fn end(&mut self, line: String) {
        self.flush();
        match self.rounds.last_mut() {
            Some(round) => round.end.push(line),
            None => self.after.push(line),
        }
    }

    /// Puts outcomes beside their orders, and causes in words.
    pub(super) fn finish(&mut self) {
        self.flush();
        self.after.extend(self.step_one.take().unwrap_or_default());
        for (player, outcome) in std::mem::take(&mut self.outcomes) {
            if let Some(orders) = self.orders.iter_mut().find(|o| o.player == player) {
                orders.outcomes.push(outcome);
            }
        }
        // A zone in which nothing happened says nothing.
        for round in &mut self.rounds {
            round.zones.retain(|zone| !zone.lines.is_empty());
        }
        self.lost.mahdists_by_cause =
            self.causes.iter().map(|(cause, n)| format!("{n} by {cause}")).collect();
    }
}
