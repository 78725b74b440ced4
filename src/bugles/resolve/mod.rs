//! Resolving a locked set of orders, step by step in the order of the rules (R7). Only
//! [`Turn::emit`] changes the state, so the event log is complete by construction.

mod acts;
mod command;
mod deploy;
mod ending;
mod fighting;
mod hold;
mod markers;
mod moves;
mod rejoin;
mod reveal;
mod shooting;
mod storm;

use std::collections::BTreeMap;

use crate::core::dice::{DiceError, Roller};
use crate::core::id::Id;

use super::check::{Legal, Plan};
use super::cite;
use super::data::{Army, Data};
use super::events::Event;
use super::state::{State, Window};
use super::table::Table;

pub use deploy::{deployment, hidden_at_first};
pub use ending::asks;

/// A player's part in a phase.
pub type Part = crate::game::part::Part<Plan>;

/// One phase being resolved.
#[derive(Debug)]
pub struct Turn<'a> {
    pub(super) data: &'a Data,
    pub(super) state: State,
    events: Vec<Event>,
    dice: &'a mut Roller,
    parts: &'a [Part],
    tallies: BTreeMap<Id, (u32, u32)>,
    phase: u32,
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
    let window = state.window;
    let mut turn =
        Turn { data, state, events: Vec::new(), dice, parts, tallies: BTreeMap::new(), phase };
    for part in parts {
        for refusal in &part.plan.refusals {
            turn.emit(Event::Outcome {
                player: part.player.clone(),
                line: u32::try_from(refusal.line).unwrap_or(0),
                order: refusal.order.clone(),
                outcome: "refused".to_owned(),
                reason: refusal.reason.clone(),
                rule: refusal.rule.clone(),
            });
        }
    }
    match window {
        Window::Muster => turn.muster()?,
        Window::Deploy => turn.deploy()?,
        Window::Orders | Window::Mahdist | Window::Action | Window::Turn => turn.steps(window)?,
        Window::End => {}
    }
    turn.tell_tallies();
    turn.advance(window)?;
    Ok((turn.state, turn.events))
}

impl Turn<'_> {
    /// Records an event and applies it.
    fn emit(&mut self, event: Event) {
        self.state.apply(self.data, &event);
        self.events.push(event);
    }

    fn table(&self) -> Table<'_> {
        Table::new(self.data, &self.state)
    }

    /// The steps that the window covers, in the order of R7.
    fn steps(&mut self, window: Window) -> Result<(), DiceError> {
        cite("R7");
        let cadence = self.data.cadence;
        self.fire_plans();
        if window.has_orders() {
            self.begin(1);
            self.command()?;
        }
        if window.has_mahdist(cadence) {
            self.begin(2);
            self.mahdists_move()?;
            self.fire(Army::Mahdist, 2)?;
            self.flip_under_fire(Army::AngloEgyptian);
            self.generals_touched();
        }
        if window.has_action() {
            self.begin(3);
            self.fire(Army::AngloEgyptian, 3)?;
            self.flip_under_fire(Army::Mahdist);
            self.begin(4);
            self.fight(4)?;
            self.begin(5);
            self.regulars_act()?;
            self.flip_under_fire(Army::Mahdist);
            self.begin(6);
            self.fight(6)?;
            self.veil();
            // Fire and combat may have driven somebody near (R12).
            self.flip_near();
            self.generals_touched();
            self.judge();
        }
        Ok(())
    }

    fn begin(&mut self, step: u32) {
        let turn = self.state.turn;
        self.emit(Event::Step { turn, step });
    }

    /// `t05`: the head of every label of this turn.
    fn head(&self) -> String {
        format!("t{:02}", self.state.turn)
    }

    /// A roll of the average die (the rules' D5): its face and the number on it.
    fn average(&self, face: u32) -> u32 {
        let index = usize::try_from(face.saturating_sub(1)).unwrap_or(0).min(5);
        self.data.average[index]
    }

    fn fire_plans(&mut self) {
        for part in self.parts {
            for order in &part.plan.fires {
                let (unit, plan) = (order.get().unit.clone(), order.get().plan.clone());
                if self.state.unit(&unit).is_some_and(|u| u.fire != plan) {
                    self.emit(Event::FirePlan { unit, plan });
                }
                self.done(&part.player);
            }
        }
    }

    /// An order whose condition did not hold, or that another came before: as ordered,
    /// and told to its writer.
    fn unmet<T>(&mut self, player: &Id, legal: &Legal<T>, order: String, reason: &str, rule: &str) {
        self.done(player);
        self.emit(Event::Outcome {
            player: player.clone(),
            line: u32::try_from(legal.line()).unwrap_or(0),
            order,
            outcome: "unmet".to_owned(),
            reason: reason.to_owned(),
            rule: rule.to_owned(),
        });
    }

    fn done(&mut self, player: &Id) {
        self.tallies.entry(player.clone()).or_default().0 += 1;
    }

    fn failed<T>(
        &mut self,
        player: &Id,
        legal: &Legal<T>,
        order: String,
        reason: impl Into<String>,
        rule: &str,
    ) {
        self.tallies.entry(player.clone()).or_default().1 += 1;
        self.emit(Event::Outcome {
            player: player.clone(),
            line: u32::try_from(legal.line()).unwrap_or(0),
            order,
            outcome: "failed".to_owned(),
            reason: reason.into(),
            rule: rule.to_owned(),
        });
    }

    fn tell_tallies(&mut self) {
        for part in self.parts {
            let (done, failed) = self.tallies.get(&part.player).copied().unwrap_or_default();
            self.emit(Event::Orders {
                player: part.player.clone(),
                submission: part.submission.to_owned(),
                done,
                failed,
                refused: u32::try_from(part.plan.refusals.len()).unwrap_or(0),
            });
        }
    }
}
