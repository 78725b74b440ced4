//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused
//! with the rule, the place and what would be legal.

mod file;
mod stands;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::core::cite::cite;
use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::id::Id;
use crate::core::read::At;
use crate::core::source::Source;

use super::condition::Condition;
use super::data::{FigureId, Kind as FigureKind, Post, Side, WallId};
use super::doctrine::{Doctrine, Intent, Raise, Through};
use super::orders::{self, Raw};
use super::position::Position;
use super::state::{Place, Window};
use super::violation::Violation;

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

/// Who is posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// These.
    These(Vec<FigureId>),
    /// So many of those who stand there, when it comes to it.
    From {
        /// Where.
        post: Post,
        /// Of which kind; soldiers first if any.
        kind: Option<FigureKind>,
        /// How many.
        count: u32,
    },
}

/// Post defenders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostOrder {
    /// Who.
    pub who: Who,
    /// Where.
    pub to: Post,
    /// On what condition, in an assault.
    pub when: Option<Condition>,
}

/// Form a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveOrder {
    /// Against which section.
    pub target: WallId,
    /// Spears.
    pub spears: u32,
    /// Rifles.
    pub rifles: u32,
    /// Markers.
    pub markers: u32,
    /// In which round.
    pub round: u32,
    /// On what condition.
    pub when: Option<Condition>,
    /// What its men are told.
    pub told: Told,
}

/// What a wave's men are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// When markers raise the dead.
    pub raise: Raise,
    /// What the first of a crowd do.
    pub through: Through,
    /// What they do within.
    pub intents: Vec<Intent>,
    /// How many work at the tower at most.
    pub workers: u32,
}

/// Withdraw a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawOrder {
    /// Which.
    pub wave: u32,
    /// On what condition.
    pub when: Option<Condition>,
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
    /// Postings.
    pub posts: Vec<Legal<PostOrder>>,
    /// Waves.
    pub waves: Vec<Legal<WaveOrder>>,
    /// Waves told something else.
    pub tells: Vec<Legal<(u32, Told)>>,
    /// Waves withdrawn.
    pub withdraws: Vec<Legal<WithdrawOrder>>,
    /// An assault (true) or sniping.
    pub day: Option<bool>,
    /// Riflemen who hide.
    pub rocks: Option<u32>,
    /// All that stands, if the file changes it.
    pub doctrine: Option<Doctrine>,
    /// Orders that change what stands.
    pub standing_orders: usize,
    /// What was refused.
    pub refusals: Vec<Refusal>,
}

impl Plan {
    /// How many orders would be carried out.
    pub fn accepted(&self) -> usize {
        self.posts.len()
            + self.waves.len()
            + self.tells.len()
            + self.withdraws.len()
            + usize::from(self.day.is_some())
            + usize::from(self.rocks.is_some())
            + self.standing_orders
    }
}

/// Checks a file of a player against a position.
pub fn plan(position: &Position<'_>, player: &Id, source: &Source) -> (Plan, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let file = orders::read(source, &mut faults);
    let side = position.state.side(player).unwrap_or(Side::Garrison);
    let mut checker = Checker {
        position,
        player,
        side,
        faults,
        plan: Plan::default(),
        doctrine: position.state.doctrine_of(Some(player)),
        posted: BTreeMap::new(),
        taken: BTreeMap::new(),
        markers: 0,
        ends: source.text.match_indices('\n').map(|(at, _)| at).collect(),
    };
    checker.file(&file);
    (checker.plan, checker.faults)
}

struct Checker<'a> {
    position: &'a Position<'a>,
    player: &'a Id,
    side: Side,
    faults: Vec<Diagnostic>,
    plan: Plan,
    doctrine: Doctrine,
    /// Where the orders so far leave defenders, when they are posted at once.
    posted: BTreeMap<FigureId, Post>,
    /// How many figures of a kind the waves so far take.
    taken: BTreeMap<FigureKind, usize>,
    /// Markers that the waves so far take.
    markers: u32,
    /// Where the lines of the file end.
    ends: Vec<usize>,
}

impl Checker<'_> {
    fn fault(&mut self, violation: &Violation, span: Range<usize>) {
        let fault = Diagnostic::error(violation.rule(), violation.to_string()).at(span);
        self.faults.push(match violation.help() {
            Some(help) => fault.help(help),
            None => fault,
        });
    }

    fn unknown(&mut self, what: &str, text: &At<String>, known: &[&str]) {
        let rule = match what {
            "zone" => Some(cite("R12")),
            "wall section" => Some(cite("R14")),
            "post of the compound" => Some(cite("R25")),
            _ => None,
        };
        let fault =
            Diagnostic::error(rule, format!("`{}` is no {what}", text.value)).at(text.span.clone());
        self.faults.push(match did_you_mean(&text.value, known.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help(format!("there is: {}", known.join(", "))),
        });
    }

    /// The order belongs to the side and to the window.
    fn belongs(&mut self, raw: &Raw, side: Side, windows: &[Window]) -> bool {
        let order = raw.kind.name();
        if side != self.side {
            self.fault(&Violation::WrongSide { order, side: side.name() }, raw.span.clone());
            return false;
        }
        let window = self.position.state.window;
        if !windows.contains(&window) {
            let window = window.id();
            self.fault(&Violation::WrongWindow { order, window }, raw.span.clone());
            return false;
        }
        true
    }

    /// The condition of an order, if it has one; faults of it refuse the order.
    fn condition(&mut self, text: Option<&At<String>>) -> Option<Condition> {
        Condition::read(self.position.data, self.side, text?, &mut self.faults)
    }

    /// The player commands the zone of a post.
    fn commands(&mut self, post: Post, what: &str, span: &Range<usize>) -> bool {
        let (data, state) = (self.position.data, self.position.state);
        let zone = data.compound.room(data.room_of(post)).zone;
        match state.commander(data, zone) {
            Some(commander) if commander != self.player => {
                let commander = commander.to_string();
                let what = what.to_owned();
                self.fault(&Violation::NotYours { what, commander }, span.clone());
                false
            }
            _ => true,
        }
    }

    fn post_named(&mut self, text: &At<String>) -> Option<Post> {
        let data = self.position.data;
        let found = data.find_post(&text.value);
        if found.is_none() {
            self.unknown("post of the compound", text, &data.post_ids());
        }
        found
    }

    fn post(&mut self, raw: &Raw) -> Option<PostOrder> {
        let windows = [Window::Setup, Window::Day, Window::Assault, Window::Round];
        if !self.belongs(raw, Side::Garrison, &windows) {
            return None;
        }
        let (data, state) = (self.position.data, self.position.state);
        let before = self.faults.len();
        let to = raw.to.as_ref().and_then(|to| self.post_named(to));
        let now = !state.window.in_assault();
        if now && let Some(when) = &raw.when {
            let fault = Diagnostic::error(None, "a posting between assaults has no condition")
                .at(when.span.clone())
                .help("leave the `if` out");
            self.faults.push(fault);
        }
        let when = self.condition(raw.when.as_ref());
        let mut ids: Vec<FigureId> = Vec::new();
        for name in &raw.figures {
            ids.extend(self.figures_named(name));
        }
        for id in &ids {
            let name = data.figure(*id).id.clone();
            let span = raw
                .figures
                .iter()
                .find(|f| f.value.starts_with(name.rsplit_once('-').map_or("", |(stem, _)| stem)))
                .map_or(raw.span.clone(), |f| f.span.clone());
            let place = state.place(*id);
            let Some(room) = place.room(data) else {
                let fate = if place == Place::Fallen { "out of the fight" } else { "dead" };
                let fate = fate.to_owned();
                self.fault(&Violation::Gone { figure: name, fate }, span);
                continue;
            };
            self.commands(Post::Room(room), &name, &span);
            if let Some(Post::Gun(gun)) = to
                && data.figure(*id).gun != Some(gun)
            {
                let gun = data.compound.gun(gun).id.clone();
                self.fault(&Violation::NotHisGun { figure: name, gun }, span);
            }
        }
        let mut who = Who::These(ids.clone());
        if let Some(from) = &raw.from {
            let post = self.post_named(from)?;
            self.commands(post, &from.value, &from.span);
            let kind = raw.kind_of.as_ref().and_then(|k| FigureKind::parse(&k.value));
            let there = self.standing_at(post, kind);
            let count = raw.count.as_ref().map_or(1, |c| c.value);
            if now {
                if (count as usize) > there.len() {
                    let what = format!("figures at {}", from.value);
                    let (has, wants) = (there.len(), count as usize);
                    let span = raw.count.as_ref().map_or(from.span.clone(), |c| c.span.clone());
                    self.fault(&Violation::TooFew { what, has, wants, rule: "R21" }, span);
                    return None;
                }
                ids = there.into_iter().take(count as usize).collect();
                who = Who::These(ids.clone());
            } else {
                who = Who::From { post, kind, count };
            }
            if let (Some(Post::Gun(_)), Some(to)) = (to, &raw.to)
                && kind != Some(FigureKind::Gunner)
            {
                let (figure, gun) = (from.value.clone(), to.value.clone());
                self.fault(&Violation::NotHisGun { figure, gun }, to.span.clone());
            }
        }
        let to = to.filter(|_| self.faults.len() == before)?;
        if now {
            // A place at the wall, and room on the floor that it belongs to.
            let room = data.room_of(to);
            let cap = data.compound.room(room).cap.map(|cap| (Post::Room(room), cap, "R24"));
            let wall = match to {
                Post::Wall(wall) => Some((to, data.compound.wall(wall).places, "R21")),
                _ => None,
            };
            for (post, places, rule) in wall.into_iter().chain(cap) {
                let (wants, places) = (self.would_stand(post, &ids), places as usize);
                if wants > places {
                    let post = data.post_id(post).to_owned();
                    let span = raw.to.as_ref().map_or(raw.span.clone(), |t| t.span.clone());
                    self.fault(&Violation::Full { post, places, wants, rule }, span);
                    return None;
                }
            }
            for id in ids {
                self.posted.insert(id, to);
            }
        }
        Some(PostOrder { who, to, when })
    }

    /// Figures of an id or a run of ids: `soldier-01..04`.
    fn figures_named(&mut self, name: &At<String>) -> Vec<FigureId> {
        let data = self.position.data;
        let side = self.side;
        let text = name.value.as_str();
        let mut out = Vec::new();
        if let Some((first, last)) = text.split_once("..") {
            let parts = first.rsplit_once('-');
            let range = parts.and_then(|(stem, from)| {
                Some((stem, from.len(), from.parse::<u32>().ok()?, last.parse::<u32>().ok()?))
            });
            match range {
                Some((stem, digits, from, to)) if from <= to && to - from < 200 => {
                    for number in from..=to {
                        let id = format!("{stem}-{number:0digits$}");
                        if let Some(found) =
                            data.find(&id).filter(|id| data.figure(*id).side == side)
                        {
                            out.push(found);
                        } else {
                            self.unknown_figure(&At::new(id, name.span.clone()));
                            break;
                        }
                    }
                }
                _ => self.unknown_figure(name),
            }
        } else {
            match data.find(text).filter(|id| data.figure(*id).side == side) {
                Some(found) => out.push(found),
                None => self.unknown_figure(name),
            }
        }
        out
    }

    fn unknown_figure(&mut self, name: &At<String>) {
        let data = self.position.data;
        let known: Vec<&str> = data.of(self.side).map(|id| data.figure(id).id.as_str()).collect();
        let what = format!("`{}` is no figure of yours", name.value);
        let fault = Diagnostic::error(None, what).at(name.span.clone());
        self.faults.push(match did_you_mean(&name.value, known.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("such as soldier-01, officer-2, or soldier-01..04"),
        });
    }

    /// Who stands at a post as the orders so far have it: unwounded first.
    fn standing_at(&self, post: Post, kind: Option<FigureKind>) -> Vec<FigureId> {
        let (data, state) = (self.position.data, self.position.state);
        let mut ids: Vec<FigureId> = data
            .of(Side::Garrison)
            .filter(|id| kind.is_none_or(|kind| data.figure(*id).kind == kind))
            .filter(|id| match self.posted.get(id) {
                Some(there) => *there == post,
                None => post_of(state.place(*id)) == Some(post),
            })
            .collect();
        ids.sort_by_key(|id| (data.figure(*id).kind, state.figure(*id).wounded, *id));
        ids
    }

    /// How many would stand at a post with these.
    fn would_stand(&self, post: Post, ids: &[FigureId]) -> usize {
        let (data, state) = (self.position.data, self.position.state);
        let mut others = 0;
        for id in data.of(Side::Garrison).filter(|id| !ids.contains(id)) {
            let there = match self.posted.get(&id) {
                Some(there) => Some(*there),
                None => post_of(state.place(id)),
            };
            let counts = match (post, there) {
                (Post::Wall(wall), Some(Post::Gun(gun))) => data.compound.gun(gun).wall == wall,
                (Post::Room(room), Some(there)) => data.room_of(there) == room,
                (_, there) => there == Some(post),
            };
            others += usize::from(counts);
        }
        others + ids.len()
    }

    fn wave(&mut self, raw: &Raw) -> Option<WaveOrder> {
        let windows = [Window::Day, Window::Assault, Window::Launch];
        if !self.belongs(raw, Side::Mahdist, &windows) {
            return None;
        }
        let (data, state) = (self.position.data, self.position.state);
        let before = self.faults.len();
        let target = raw.to.as_ref().and_then(|to| self.section(to));
        let when = self.condition(raw.when.as_ref());
        let told = self.told(raw, None);
        let (from, to) = match state.window {
            Window::Day => (1, 1),
            Window::Launch => (state.round, state.round),
            _ => (state.round, state.round + data.rulings.rounds_a_block - 1),
        };
        let round = raw.round.as_ref().map_or(from, |r| r.value);
        if let Some(named) = &raw.round
            && !(from..=to).contains(&round)
        {
            self.fault(&Violation::Round { round, from, to }, named.span.clone());
        }
        if let (Some(target), Some(to)) = (target, &raw.to)
            && round == state.round.max(1)
            && state.window != Window::Day
            && self.position.engaged(target)
        {
            self.fault(&Violation::Engaged { section: to.value.clone() }, to.span.clone());
        }
        let (spears, rifles) = (
            raw.spears.as_ref().map_or(0, |n| n.value),
            raw.rifles.as_ref().map_or(0, |n| n.value),
        );
        let mut left = 0;
        for (kind, wants, at) in
            [(FigureKind::Spear, spears, &raw.spears), (FigureKind::Rifle, rifles, &raw.rifles)]
        {
            let have = self.free(kind);
            let taken = self.taken.get(&kind).copied().unwrap_or(0);
            let has = have.saturating_sub(taken);
            left += has;
            if wants as usize > has {
                let what = format!("uncommitted {}s", kind.name());
                let wants = wants as usize;
                let span = at.as_ref().map_or(raw.span.clone(), |n| n.span.clone());
                self.fault(&Violation::TooFew { what, has, wants, rule: "R15" }, span);
            }
        }
        let size = (spears as usize).saturating_add(rifles as usize);
        if size < (data.tables.smallest_wave as usize).min(left).max(1) {
            let smallest = data.tables.smallest_wave;
            let span = raw.spears.as_ref().map_or(raw.span.clone(), |n| n.span.clone());
            self.fault(&Violation::SmallWave { has: size, smallest }, span);
        }
        let markers = raw.markers.as_ref().map_or(0, |n| n.value);
        if let Some(named) = &raw.markers
            && self.markers.saturating_add(markers) > state.markers
        {
            let wants = self.markers.saturating_add(markers);
            self.fault(&Violation::Markers { has: state.markers, wants }, named.span.clone());
        }
        let target = target.filter(|_| self.faults.len() == before)?;
        let told = told?;
        *self.taken.entry(FigureKind::Spear).or_default() += spears as usize;
        *self.taken.entry(FigureKind::Rifle).or_default() += rifles as usize;
        self.markers += markers;
        Some(WaveOrder { target, spears, rifles, markers, round, when, told })
    }

    /// Figures of a kind that the player leads and that are free for a wave.
    fn free(&self, kind: FigureKind) -> usize {
        free_of(self.position, self.player, kind).len()
    }

    fn section(&mut self, text: &At<String>) -> Option<WallId> {
        let c = &self.position.data.compound;
        let found = c.find_wall(&text.value).filter(|w| c.sections().any(|s| s == *w));
        if found.is_none() {
            let known: Vec<&str> = c.sections().map(|w| c.wall(w).id.as_str()).collect();
            self.unknown("wall section", text, &known);
        }
        found
    }

    fn told(&mut self, raw: &Raw, base: Option<Told>) -> Option<Told> {
        let base = base.unwrap_or(Told {
            raise: Raise::default(),
            through: Through::default(),
            intents: Intent::USUAL.to_vec(),
            workers: 12,
        });
        let before = self.faults.len();
        let mut intents = Vec::new();
        for word in raw.intents.iter().flat_map(|list| &list.value) {
            match Intent::parse(&word.value) {
                Some(intent) if !intents.contains(&intent) => intents.push(intent),
                Some(_) => {}
                None => {
                    let words = Intent::ALL.map(|(_, word)| word);
                    self.faults.push(orders::no_choice(word, "intents", &words));
                }
            }
        }
        if intents.is_empty() {
            intents = base.intents;
        }
        (self.faults.len() == before).then(|| Told {
            raise: raw.raise.as_ref().and_then(|w| Raise::parse(&w.value)).unwrap_or(base.raise),
            through: raw
                .through
                .as_ref()
                .and_then(|w| Through::parse(&w.value))
                .unwrap_or(base.through),
            intents,
            workers: raw.workers.as_ref().map_or(base.workers, |n| n.value),
        })
    }

    /// A wave of this player that can be ordered.
    fn own_wave(&mut self, raw: &Raw) -> Option<u32> {
        let text = raw.wave.as_ref()?;
        let number = text.value.strip_prefix("wave-").and_then(|n| n.parse::<u32>().ok());
        let wave = number.and_then(|n| self.position.state.wave(n)).filter(|w| w.active());
        let Some(wave) = wave else {
            let wave = text.value.clone();
            self.fault(&Violation::WaveOver { wave }, text.span.clone());
            return None;
        };
        if wave.player != *self.player {
            let (what, commander) = (text.value.clone(), wave.player.to_string());
            self.fault(&Violation::NotYours { what, commander }, text.span.clone());
            return None;
        }
        Some(wave.number)
    }
}

/// Figures of a kind that a player leads and that are free for a wave.
pub fn free_of(position: &Position<'_>, player: &Id, kind: FigureKind) -> Vec<FigureId> {
    let (data, state) = (position.data, position.state);
    position
        .uncommitted(None)
        .into_iter()
        .filter(|id| data.figure(*id).kind == kind)
        .filter(|id| state.holder(Side::Mahdist, &data.figure(*id).command) == Some(player))
        .collect()
}

/// The post that a place stands for.
pub fn post_of(place: Place) -> Option<Post> {
    match place {
        Place::Wall(wall) => Some(Post::Wall(wall)),
        Place::Gun(gun) => Some(Post::Gun(gun)),
        Place::Open(room) => Some(Post::Room(room)),
        _ => None,
    }
}
