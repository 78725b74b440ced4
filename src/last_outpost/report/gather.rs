//! What the events of a phase come to in a report, for one viewer.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::core::words::runs;

use super::super::data::{Data, FigureId, Side};
use super::super::events::{Blow, Event, Shot};
use super::super::state::{Place, State, place_words};
use super::super::view::Knows;
use super::{DayModel, LostModel, OrdersLine, OutcomeLine, OverModel, RoundModel, ZoneModel};

/// Shots of one kind in a step, told together.
#[derive(Default)]
struct Volley {
    /// Side, from, at, the lowest die that hits.
    key: (String, String, String, i32),
    shooters: Vec<String>,
    dice: Vec<String>,
    hits: usize,
    rule: String,
    wounded: u32,
}

/// Attacks of one kind in a step, told together.
#[derive(Default)]
struct Fray {
    /// Side, where, the lowest sum that kills.
    key: (String, String, i32),
    /// Each attack with its dice, so that it can be redone on paper.
    blows: Vec<String>,
    kills: usize,
    passes: usize,
    rule: String,
    /// One less than needed would pass (R37).
    over_a_wall: bool,
}

/// What a side did in a step of a zone, in the order in which it began.
enum Group {
    Shots(Volley),
    Blows(Fray),
    /// Who stands where now, and whether that came of a fight.
    Stands(String, bool, Vec<String>),
    Said(String),
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
    /// The side whose step it is, and what it has done in it so far.
    acting: Option<Side>,
    groups: Vec<Group>,
    /// The assault has ended: what is told now comes after it.
    ended: bool,
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
            acting: None,
            groups: Vec::new(),
            ended: false,
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
    fn line(&mut self, line: String) {
        if let Some(lines) = &mut self.step_one {
            lines.push(line);
            return;
        }
        if self.ended {
            self.after.push(line);
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

    /// A line after all that was gathered before it.
    fn say(&mut self, line: String) {
        self.flush();
        self.line(line);
    }

    /// The side that acts now; what the other did before is told first (R11).
    fn turn(&mut self, side: Side) {
        if self.acting != Some(side) {
            self.flush();
            self.acting = Some(side);
        }
    }

    /// Tells what was gathered of a step, in the order in which it happened.
    fn flush(&mut self) {
        self.acting = None;
        for group in std::mem::take(&mut self.groups) {
            match group {
                Group::Shots(volley) => self.volley(&volley),
                Group::Blows(fray) => self.fray(&fray),
                Group::Stands(what, _, who) => {
                    self.line(format!("{what}: {}", runs(&who).join(", ")));
                }
                Group::Said(line) => self.line(line),
            }
        }
    }

    fn volley(&mut self, volley: &Volley) {
        let (side, from, at, needed) = &volley.key;
        let who = if side == "garrison" { "fire from" } else { "snipers in" };
        let wounded = match volley.wounded {
            0 => String::new(),
            n => format!(" ({n} of them wounded: -1 [R35])"),
        };
        self.line(format!(
            "{who} {from} at {at}: {}{wounded}, {needed} or more hits [{}]: {} hit; dice {}",
            Self::some(u32::try_from(volley.dice.len()).unwrap_or(0), "shot"),
            volley.rule,
            volley.hits,
            volley.dice.join(" ")
        ));
        self.line(format!("  fired: {}", runs(&volley.shooters).join(", ")));
    }

    fn fray(&mut self, fray: &Fray) {
        let (side, at, needed) = &fray.key;
        let n = u32::try_from(fray.blows.len()).unwrap_or(0);
        let who = match (side.as_str(), n) {
            ("garrison", 1) => "defender attacks",
            ("garrison", _) => "defenders attack",
            (_, 1) => "Mahdist attacks",
            _ => "Mahdists attack",
        };
        let mut line = format!(
            "hand to hand {at}: {n} {who}, {needed} or more kills [{}]: {} killed",
            fray.rule, fray.kills
        );
        if fray.over_a_wall && side != "garrison" {
            let verb = if fray.passes == 1 { "passes" } else { "pass" };
            let _ = write!(line, ", {} {verb} behind with {} [R37]", fray.passes, needed - 1);
        }
        self.line(line);
        self.line(format!("  {}", fray.blows.join("; ")));
    }

    fn shot(&mut self, shot: &Shot) {
        let wave = self.data.find(&shot.target).and_then(|id| self.now.figure(id).wave);
        let at = match (shot.at.as_str(), wave) {
            ("advancing", Some(wave)) => format!("wave-{wave}"),
            (at, _) => Self::place(at),
        };
        let key = (shot.side.clone(), Self::place(&shot.from), at, shot.needed);
        self.turn(Side::parse(&shot.side).unwrap_or(Side::Garrison));
        let found = self.groups.iter().position(|g| matches!(g, Group::Shots(v) if v.key == key));
        let at = found.unwrap_or_else(|| {
            self.groups.push(Group::Shots(Volley { key, ..Volley::default() }));
            self.groups.len() - 1
        });
        let Some(Group::Shots(volley)) = self.groups.get_mut(at) else { return };
        volley.shooters.push(shot.figure.clone());
        volley.shooters.dedup();
        let mut die = shot.die.to_string();
        for m in &shot.modifiers {
            let _ = write!(die, "{:+}", m.drm);
        }
        volley.dice.push(die);
        volley.rule.clone_from(&shot.rule);
        volley.wounded += u32::from(!shot.modifiers.is_empty());
        volley.hits += usize::from(shot.hit);
    }

    /// Where a fight is: at a wall, behind one, or within a room.
    fn fought_at(&self, blow: &Blow) -> (String, bool) {
        if self.data.compound.find_wall(&blow.at).is_some() {
            return (format!("at {}", blow.at), true);
        }
        let place = self.data.find(&blow.defender).map(|id| self.now.place(id));
        match place {
            Some(Place::Wall(_) | Place::Gun(_)) => {
                let words = place.map_or(String::new(), |p| place_words(self.data, p));
                (format!("behind {}", Self::place(&words)), false)
            }
            _ => (format!("within {}", blow.at), false),
        }
    }

    fn blow(&mut self, blow: &Blow) {
        let (at, over_a_wall) = self.fought_at(blow);
        let key = (blow.side.clone(), at, blow.needed);
        self.turn(Side::parse(&blow.side).unwrap_or(Side::Garrison));
        let found = self.groups.iter().position(|g| matches!(g, Group::Blows(f) if f.key == key));
        let at = found.unwrap_or_else(|| {
            self.groups.push(Group::Blows(Fray { key, over_a_wall, ..Fray::default() }));
            self.groups.len() - 1
        });
        let Some(Group::Blows(fray)) = self.groups.get_mut(at) else { return };
        let dice: Vec<String> = blow.dice.iter().map(ToString::to_string).collect();
        let mut words = format!("{} at {}: {}", blow.attacker, blow.defender, dice.join("+"));
        for m in &blow.modifiers {
            let _ = write!(words, "{:+}", m.drm);
        }
        let _ = write!(words, "={}", blow.total);
        for m in &blow.modifiers {
            let _ = write!(words, " ({} [{}])", m.what, m.rule);
        }
        match blow.outcome.as_str() {
            "kills" => {
                words.push_str(" kills");
                fray.kills += 1;
            }
            "passes" => {
                words.push_str(" passes");
                fray.passes += 1;
            }
            _ => {}
        }
        fray.blows.push(words);
        fray.rule.clone_from(&blow.rule);
    }

    /// Figures stand somewhere else: by moving, or after a fight.
    fn stands(&mut self, figures: &[String], place: &str) {
        let what = match place.split_once(' ') {
            Some(("across", room)) => format!("over the wall into {room} [R23]"),
            Some(("before", wall)) => format!("to the wall {wall} [R23]"),
            Some(("wall", wall)) => format!("hold {wall} [R21]"),
            Some(("in", room)) if self.ended => format!("await their posting in {room}"),
            Some(("in", room)) => format!("in {room}"),
            _ => place.to_owned(),
        };
        let first = figures.first().and_then(|name| self.data.find(name));
        self.turn(first.map_or(Side::Garrison, |id| self.data.figure(id).side));
        let fought = self.groups.iter().any(|g| matches!(g, Group::Shots(_) | Group::Blows(_)));
        for group in &mut self.groups {
            if let Group::Stands(there, after, who) = group
                && (&*there, *after) == (&what, fought)
            {
                who.extend(figures.iter().cloned());
                return;
            }
        }
        self.groups.push(Group::Stands(what, fought, figures.to_vec()));
    }

    fn fell(&mut self, figure: &str, outcome: &str, cause: &str, rule: &str) {
        let Some(id) = self.data.find(figure) else { return };
        let place = Self::place(&place_words(self.data, self.now.place(id)));
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
            Event::Stands { figures, place } => self.stands(figures, place),
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
            Event::Stopped { cards, why, rule } => {
                let knows = self.knows.knows(Side::Mahdist);
                if let Some(day) = &mut self.day {
                    let why = if knows { format!(": {why}") } else { String::new() };
                    let cards = Self::some(*cards, "card");
                    day.cards.push(format!("the emir stops after {cards}{why} [{rule}]"));
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
                    let _ = write!(line, ", with {} [R18]", Self::some(launch.markers, "marker"));
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
                    let dice: Vec<String> = zone
                        .dice
                        .iter()
                        .map(|(a, b)| format!("garrison {a} Mahdists {b}"))
                        .collect();
                    let first = if zone.first == Side::Garrison.id() {
                        "the garrison"
                    } else {
                        "the Mahdists"
                    };
                    format!(
                        "{} at barriers, {} within; dice {}: {first} first",
                        zone.garrison,
                        zone.mahdists,
                        dice.join(", again ")
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
                self.turn(Side::Garrison);
                let line = format!("fire from {to} opens it to those before {from} [{rule}]");
                self.groups.push(Group::Said(line));
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
                    format!("; {} unspent", Self::some(*markers, "marker"))
                } else {
                    String::new()
                };
                self.end(format!("nobody is left of wave-{wave}{lost}"));
            }
            Event::Tower { workers, dice, points, rule, .. } => {
                let dice: Vec<String> = dice.iter().map(ToString::to_string).collect();
                self.say(format!(
                    "{workers} at the tower: dice {}: {} of damage [{rule}]",
                    dice.join(" "),
                    Self::some(*points, "point")
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
                self.ended = true;
                let fallen = |id: &FigureId| matches!(self.now.place(*id), Place::Fallen);
                let fell = self.data.of(Side::Garrison).any(|id| fallen(&id));
                if self.now.garrison(self.data).next().is_none() {
                    self.after.push("nobody returns to a place that has fallen [R47]".to_owned());
                } else if !fell {
                    let line = "no defender who fell unwounded is left to return [R46]";
                    self.after.push(line.to_owned());
                }
            }
            Event::Returned { figures, of, rule } => self.say(format!(
                "of {of} who fell unwounded {} {}, wounded: {} [{rule}]",
                figures.len(),
                if figures.len() == 1 { "returns" } else { "return" },
                runs(figures).join(", ")
            )),
            // Slain in the hospital while the assault goes on (R45).
            Event::Gone { figures } if !self.ended => {
                let who = runs(figures).join(", ");
                self.end(format!("slain in the hospital, and lost for good: {who} [R45]"));
            }
            Event::Gone { figures } => {
                self.flush();
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
