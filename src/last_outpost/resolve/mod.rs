//! Resolving a locked set of orders, step by step in the rulebook's order. Only
//! [`Turn::emit`] changes the state, so the event log is complete by construction.

mod aftermath;
mod day;
mod fire;
mod melee;
mod movement;
mod objectives;
mod round;
mod waves;

use std::collections::{BTreeMap, BTreeSet};

use crate::core::cite::cite;
use crate::core::dice::{DiceError, Roller};
use crate::core::id::Id;

use super::check::Plan;
use super::data::{Data, FigureId, GunId, Side, ZoneId};
use super::events::Event;
use super::position::Position;
use super::state::{Place, State, Window};

pub use aftermath::{Level, levels, outcome};

/// A player's part in a phase.
pub type Part = crate::game::part::Part<Plan>;

/// How a player's orders fared.
#[derive(Clone, Debug, Default)]
struct Tally {
    done: u32,
    failed: u32,
    defaulted: Vec<String>,
}

/// One phase being resolved.
#[derive(Debug)]
pub struct Turn<'a> {
    data: &'a Data,
    state: State,
    events: Vec<Event>,
    dice: &'a mut Roller,
    parts: &'a [Part],
    tallies: BTreeMap<Id, Tally>,
    /// The zone in which each figure began the round, and acts.
    began: BTreeMap<FigureId, ZoneId>,
    /// Who has acted in this round.
    acted: BTreeSet<FigureId>,
    /// How many defenders have attacked each Mahdist in this round.
    attacked: BTreeMap<FigureId, usize>,
    /// Guns that fired in this round.
    fired: BTreeSet<GunId>,
    /// Figures that went through the redoubt's door in this round (R24).
    door: u32,
    /// Something of R10 happened in this round.
    busy: bool,
    /// Something happened after which players decide anew.
    turning_point: bool,
    /// Orders that came to their end: player and line.
    over: BTreeSet<(Id, usize)>,
}

/// Resolves the window of a state; the state after and the events that led to it.
///
/// # Errors
/// The dice refused, which ends the adjudication.
pub fn resolve(
    data: &Data,
    state: State,
    phase: u32,
    parts: &[Part],
    dice: &mut Roller,
) -> Result<(State, Vec<Event>), DiceError> {
    let mut turn = Turn {
        data,
        state,
        events: Vec::new(),
        dice,
        parts,
        tallies: BTreeMap::new(),
        began: BTreeMap::new(),
        acted: BTreeSet::new(),
        attacked: BTreeMap::new(),
        fired: BTreeSet::new(),
        door: 0,
        busy: false,
        turning_point: false,
        over: BTreeSet::new(),
    };
    turn.doctrine();
    let next = match turn.state.window {
        Window::Setup => {
            turn.posts_at_once();
            Window::Day
        }
        Window::Day => turn.day()?,
        Window::Assault => turn.block()?,
        Window::Launch => turn.launch_window(),
        Window::Round => turn.single_round()?,
        Window::End => Window::End,
    };
    turn.tell_outcomes();
    turn.emit(Event::PhaseEnded { phase });
    let day = turn.state.day;
    turn.emit(Event::Next { window: next, day });
    Ok((turn.state, turn.events))
}

/// Who is asked for orders in the window of a state.
pub fn asks(state: &State) -> Vec<Id> {
    let side = |side: Side| {
        let ours = state.seats.iter().filter(move |seat| seat.side == side.id());
        ours.map(|seat| seat.player.clone())
    };
    let mut asked: Vec<Id> = match state.window {
        Window::Setup => side(Side::Garrison).collect(),
        Window::Launch => side(Side::Mahdist).collect(),
        Window::Day | Window::Assault | Window::Round => {
            side(Side::Garrison).chain(side(Side::Mahdist)).collect()
        }
        Window::End => Vec::new(),
    };
    asked.sort();
    asked
}

impl Turn<'_> {
    /// Records an event and applies it.
    fn emit(&mut self, event: Event) {
        self.state.apply(self.data, &event);
        self.events.push(event);
    }

    fn position(&self) -> Position<'_> {
        Position::new(self.data, &self.state)
    }

    fn name(&self, id: FigureId) -> String {
        self.data.figure(id).id.clone()
    }

    fn names(&self, ids: &[FigureId]) -> Vec<String> {
        ids.iter().map(|id| self.name(*id)).collect()
    }

    /// The head of every dice label: `d03`, in an assault `d03/r02`.
    fn label(&self, rest: &str) -> String {
        let day = self.state.day;
        let rest = rest.to_lowercase();
        match self.state.round {
            0 => format!("d{day:02}/{rest}"),
            round => format!("d{day:02}/r{round:02}/{rest}"),
        }
    }

    fn tally(&mut self, player: &Id) -> &mut Tally {
        self.tallies.entry(player.clone()).or_default()
    }

    fn done(&mut self, player: &Id, line: usize) {
        if self.over.insert((player.clone(), line)) {
            self.tally(player).done += 1;
        }
    }

    fn fail(
        &mut self,
        player: &Id,
        line: usize,
        order: String,
        reason: String,
        rule: &'static str,
    ) {
        if !self.over.insert((player.clone(), line)) {
            return;
        }
        self.tally(player).failed += 1;
        let rule = if rule.is_empty() { String::new() } else { cite(rule).to_string() };
        self.emit(Event::Outcome {
            player: player.clone(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            outcome: "failed".to_owned(),
            order,
            reason,
            rule,
        });
    }

    fn doctrine(&mut self) {
        for part in self.parts {
            for _ in 0..part.plan.standing_orders {
                self.tally(&part.player).done += 1;
            }
            if let Some(doctrine) = &part.plan.doctrine {
                self.emit(Event::Doctrine {
                    player: part.player.clone(),
                    doctrine: Box::new(doctrine.clone()),
                });
            }
        }
    }

    /// Postings between assaults are carried out at once (A33 of the design: R21).
    fn posts_at_once(&mut self) {
        cite("R21");
        for part in self.parts {
            for order in &part.plan.posts {
                if let super::check::Who::These(ids) = &order.get().who {
                    let (to, post) = (order.get().to, self.data.post_id(order.get().to).to_owned());
                    // Each file was checked alone: another's may have filled the place.
                    if self.no_room(ids, to) {
                        let what = format!("others have filled {post}");
                        let words = format!("posting to {post}");
                        self.fail(&part.player, order.line(), words, what, "R21");
                        continue;
                    }
                    let figures = self.names(ids);
                    self.emit(Event::Posted { figures, post, walks: false });
                    self.done(&part.player, order.line());
                }
            }
        }
    }

    /// True if a post, or the floor that it belongs to, does not take these as well.
    fn no_room(&self, ids: &[FigureId], to: super::data::Post) -> bool {
        let position = self.position();
        let room = self.data.room_of(to);
        let place = State::at_post(to);
        let count = |new: &dyn Fn(Place) -> bool| {
            ids.iter().filter(|id| new(self.state.place(**id))).count()
        };
        count(&|at| at != place) > position.places_left(to)
            || count(&|at| at.room(self.data) != Some(room))
                > position.room_for(Side::Garrison, room)
    }

    /// Puts figures somewhere.
    fn stand(&mut self, ids: &[FigureId], place: Place) {
        if ids.is_empty() {
            return;
        }
        let figures = self.names(ids);
        let place = super::state::place_words(self.data, place);
        self.emit(Event::Stands { figures, place });
    }

    /// Hits a figure, by what its side and its wounds make of it (R9, R46).
    fn hit(&mut self, id: FigureId, cause: &str, rule: &'static str) {
        let mahdist = self.data.figure(id).side == Side::Mahdist;
        let wounded = self.state.figure(id).wounded;
        let outcome = if mahdist || wounded { "killed" } else { "fallen" };
        if wounded {
            cite("R9");
        }
        let rule = cite(rule).to_string();
        let (figure, cause) = (self.name(id), cause.to_owned());
        self.emit(Event::Hit { figure, outcome: outcome.to_owned(), cause, rule });
    }

    fn tell_outcomes(&mut self) {
        for part in self.parts {
            for refusal in &part.plan.refusals {
                self.emit(Event::Outcome {
                    player: part.player.clone(),
                    line: u32::try_from(refusal.line).unwrap_or(u32::MAX),
                    outcome: "refused".to_owned(),
                    order: crate::core::words::plain(&refusal.order),
                    reason: crate::core::words::plain(&refusal.reason),
                    rule: refusal.rule.clone(),
                });
            }
            // What no condition called for is over with the block.
            let mut left: Vec<(usize, String)> = Vec::new();
            let plan = &part.plan;
            let here = |line: usize| self.over.contains(&(part.player.clone(), line));
            for order in plan.posts.iter().filter(|o| !here(o.line())) {
                left.push((
                    order.line(),
                    format!("posting to {}", self.data.post_id(order.get().to)),
                ));
            }
            for order in plan.waves.iter().filter(|o| !here(o.line())) {
                let target = &self.data.compound.wall(order.get().target).id;
                left.push((order.line(), format!("wave against {target}")));
            }
            for order in plan.withdraws.iter().filter(|o| !here(o.line())) {
                left.push((order.line(), format!("withdrawing wave-{}", order.get().wave)));
            }
            for (line, what) in left {
                let what = format!("line {line}: {what}: it did not come to it");
                self.emit(Event::Lapsed { player: part.player.clone(), what });
                self.tally(&part.player).done += 1;
            }
            let tally = self.tallies.remove(&part.player).unwrap_or_default();
            self.emit(Event::Orders {
                player: part.player.clone(),
                submission: part.submission.to_owned(),
                done: tally.done,
                failed: tally.failed,
                refused: u32::try_from(part.plan.refusals.len()).unwrap_or(u32::MAX),
                defaulted: tally.defaulted,
            });
        }
    }
}
