//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused
//! with the rule, the place and what would be legal.

mod file;
mod posts;
mod stands;
mod waves;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::core::cite::cite;
use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::id::Id;
use crate::core::read::{At, heads};
use crate::core::source::Source;
pub use crate::game::part::Refusal;

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
        sent: BTreeMap::new(),
        quiet: None,
        taken: BTreeMap::new(),
        markers: 0,
        heads: heads(&source.text)
            .into_iter()
            .map(|at| (at, source.text[at..].lines().next().unwrap_or("").to_owned()))
            .collect(),
        length: source.text.len() + 1,
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
    /// How many the orders so far send to a post in an assault.
    sent: BTreeMap<Post, usize>,
    /// The file was sent on a day that its `[day]`, or the lack of one, makes a day of
    /// sniping, by the emir himself; whether it has a `[day]`.
    quiet: Option<bool>,
    /// How many figures of a kind the waves so far take.
    taken: BTreeMap<FigureKind, usize>,
    /// Markers that the waves so far take.
    markers: u32,
    /// Where tables begin in the file, each with its line.
    heads: Vec<(usize, String)>,
    /// Where the file ends.
    length: usize,
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
