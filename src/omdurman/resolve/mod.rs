//! Resolving a locked set of orders, step by step in the rulebook's order. Only
//! [`Turn::emit`] changes the state, so the event log is complete by construction.

mod effect;
mod ending;
mod fire;
mod losses;
mod melee;
mod movement;
mod river;
mod second;
mod setup;
mod victory;
mod works;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::OnceLock;

use crate::core::dice::{DiceError, Roller};
use crate::core::id::Id;

use super::check::Plan;
use super::data::{Army, Data, Kind, UnitId};
use super::events::Event;
use super::position::{Index, Position};
use super::state::{Standing, State, Window};
use super::words::{plain, runs};

pub(super) use effect::cell_text;
pub use ending::{asks, next_window};
pub use victory::{dervish_lost, eliminations, fallen_level, points_now};

/// A player's part in a phase.
pub type Part = crate::game::part::Part<Plan>;

/// How a player's orders fared.
#[derive(Clone, Debug, Default)]
struct Tally {
    done: u32,
    failed: u32,
    defaulted: Vec<String>,
}

/// A unit that could not do its part of an order, and why.
#[derive(Clone, Debug)]
struct Kept {
    unit: UnitId,
    reason: String,
    rule: String,
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
    fights: u32,
    phase: u32,
    /// What became of units in this phase, for the causes of failed orders.
    fates: BTreeMap<UnitId, String>,
    /// Who has retreated before melee (7.5: once a turn).
    retreated: BTreeSet<UnitId>,
    /// How many melees there were in each hex, for the labels.
    melees: BTreeMap<crate::geometry::hex::Hex, u32>,
    /// What was found of the state, until an event makes it another.
    index: OnceCell<Rc<Index>>,
    /// Whether players are told how their orders fared.
    told: bool,
    /// What other resolutions of the same window found already; until the first fire.
    foreseen: Option<&'a Foreseen>,
}

/// True for events after which everybody stands where he stood, as he did, on the same
/// ground.
fn stays_put(event: &Event) -> bool {
    matches!(
        event,
        Event::Fight(_)
            | Event::Orders { .. }
            | Event::Outcome { .. }
            | Event::Standing { .. }
            | Event::StayedBehind { .. }
            | Event::Wasted { .. }
            | Event::Scored { .. }
            | Event::Skipped { .. }
            | Event::Stopped { .. }
            | Event::Announced { .. }
            | Event::GaveUp { .. }
            | Event::PhaseEnded { .. }
    )
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
    resolve_as(data, state, phase, parts, dice, None)
}

/// What is the same in every resolution of a window, since no die is thrown before it:
/// the first allocation of fire. Found in the first of them.
#[derive(Debug, Default)]
pub struct Foreseen(OnceLock<fire::Allocation>);

/// The same for those who count what comes of it, thousands of times: what became of
/// each order is in no event, and put into no words. `foreseen` belongs to this state
/// and these orders.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_untold(
    data: &Data,
    state: State,
    phase: u32,
    parts: &[Part],
    dice: &mut Roller,
    foreseen: &Foreseen,
) -> Result<(State, Vec<Event>), DiceError> {
    resolve_as(data, state, phase, parts, dice, Some(foreseen))
}

fn resolve_as(
    data: &Data,
    state: State,
    phase: u32,
    parts: &[Part],
    dice: &mut Roller,
    foreseen: Option<&Foreseen>,
) -> Result<(State, Vec<Event>), DiceError> {
    let window = state.window;
    let told = foreseen.is_none();
    let mut turn = Turn {
        data,
        state,
        events: Vec::new(),
        dice,
        parts,
        tallies: BTreeMap::new(),
        fights: 0,
        phase,
        fates: BTreeMap::new(),
        retreated: BTreeSet::new(),
        melees: BTreeMap::new(),
        index: OnceCell::new(),
        told,
        foreseen,
    };
    turn.standing();
    let (moving, enemy) = (turn.state.moving, turn.state.moving.enemy());
    match window {
        Window::Setup | Window::Setup2 => turn.setup()?,
        Window::Move => turn.movement()?,
        Window::Combat => {
            for army in [enemy, moving] {
                if !turn.over() {
                    turn.fire_subphase(army)?;
                }
                if !turn.over() {
                    turn.second_subphase(army)?;
                }
            }
            if !turn.over() {
                turn.melee()?;
            }
        }
        Window::Defence => turn.fire_subphase(enemy)?,
        Window::DefenceSecond => turn.second_subphase(enemy)?,
        Window::Offence => turn.fire_subphase(moving)?,
        Window::OffenceSecond => turn.second_subphase(moving)?,
        Window::Melee => turn.melee()?,
        Window::End => {}
    }
    if told {
        turn.tell_outcomes();
    }
    turn.emit(Event::PhaseEnded { phase });
    turn.advance_window()?;
    Ok((turn.state, turn.events))
}

impl Turn<'_> {
    /// Records an event and applies it.
    fn emit(&mut self, event: Event) {
        self.state.apply(self.data, &event);
        if !stays_put(&event) {
            self.index.take();
        }
        self.events.push(event);
    }

    fn position(&self) -> Position<'_> {
        let index = self.index.get_or_init(|| Rc::new(Index::new(self.data, &self.state)));
        Position { data: self.data, state: &self.state, index: Rc::clone(index) }
    }

    fn name(&self, id: UnitId) -> String {
        self.data.unit(id).id.clone()
    }

    fn over(&self) -> bool {
        self.state.gordon_fell.is_some()
    }

    fn tally(&mut self, player: &Id) -> &mut Tally {
        self.tallies.entry(player.clone()).or_default()
    }

    /// `t02-dervish`: the head of every dice label of this player-turn.
    fn label(&self) -> String {
        format!("t{:02}-{}", self.state.turn, self.data.side(self.state.moving).id)
    }

    /// The parts of an army, in order of player.
    fn army_parts(&self, army: Army) -> Vec<&Part> {
        self.parts.iter().filter(|p| self.state.army(self.data, &p.player) == Some(army)).collect()
    }

    fn standing(&mut self) {
        for part in self.parts {
            if let Some(standing) = &part.plan.standing
                && self.state.standing.get(&part.player) != Some(standing)
            {
                self.emit(Event::Standing {
                    player: part.player.clone(),
                    standing: standing.clone(),
                });
            }
        }
    }

    /// The standing orders that govern a unit.
    fn standing_of(&self, id: UnitId) -> Option<&Standing> {
        self.state.standing.get(self.state.owner(self.data, id)?)
    }

    fn fail(&mut self, player: &Id, line: usize, order: String, reason: String, rule: String) {
        if !self.told {
            return;
        }
        self.emit(Event::Outcome {
            player: player.clone(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            outcome: "failed".to_owned(),
            order,
            reason,
            rule,
        });
    }

    /// Tells what kept units of one order from their part: units with the same reason
    /// in one entry. The order is worded `<verb> <units><rest>`.
    fn fail_units(&mut self, player: &Id, line: usize, verb: &str, rest: &str, why: Vec<Kept>) {
        if !self.told {
            return;
        }
        let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
        for kept in why {
            let unit = self.name(kept.unit);
            match groups.iter_mut().find(|g| g.0 == kept.reason && g.1 == kept.rule) {
                Some(group) => group.2.push(unit),
                None => groups.push((kept.reason, kept.rule, vec![unit])),
            }
        }
        for (reason, rule, units) in groups {
            let units = runs(&units).join(", ");
            self.fail(player, line, format!("{verb} {units}{rest}"), reason, rule);
        }
    }

    /// Why a unit could do nothing of a preference list: what became of it, or what
    /// bars each choice.
    fn kept(&self, unit: UnitId, barred: &[super::violation::Violation]) -> Kept {
        if !self.told {
            return Kept { unit, reason: String::new(), rule: String::new() };
        }
        if let Some(fate) = self.fates.get(&unit) {
            return Kept { unit, reason: fate.clone(), rule: String::new() };
        }
        // Without its name, so that units with the same reason are told together.
        let name = format!("`{}` ", self.name(unit));
        let range = format!(" from `{}`, which reaches ", self.name(unit));
        let words: Vec<String> = barred
            .iter()
            .map(|v| {
                v.to_string().replacen(&name, "", 1).replacen(&range, " away, the reach is ", 1)
            })
            .collect();
        let rule = barred.first().and_then(super::violation::Violation::rule);
        Kept { unit, reason: words.join("; "), rule: rule.map_or(String::new(), |r| r.to_string()) }
    }

    /// Takes a unit off the map, with who goes down with it, and counts the points.
    fn eliminate(&mut self, id: UnitId, cause: &str, rule: &'static str) {
        let hex = self.state.hex(id);
        let place = self.state.unit(id).place.clone();
        self.fates.insert(id, format!("eliminated in {cause}"));
        self.emit(Event::Eliminated {
            unit: self.name(id),
            cause: cause.to_owned(),
            rule: super::cite::cite(rule).to_string(),
        });
        self.score(id, &place);
        if self.data.unit(id).kind.is_gunboat() {
            for passenger in self.state.aboard(self.data, id) {
                let cause = format!("lost with {}", self.name(id));
                self.eliminate(passenger, &cause, "5.2.1.B");
            }
        }
        if let Some(hex) = hex {
            self.leaders_left_alone(id, hex);
        }
    }

    /// 6.5.1.C: an Anglo-Egyptian leader falls when all the combat units that he is
    /// stacked with are eliminated.
    fn leaders_left_alone(&mut self, lost: UnitId, hex: crate::geometry::hex::Hex) {
        let unit = self.data.unit(lost);
        if unit.army != Army::AngloEgyptian || unit.kind == Kind::Staff {
            return;
        }
        let here: Vec<UnitId> = self.position().of(Army::AngloEgyptian, hex).collect();
        if here.iter().any(|id| self.data.unit(*id).kind != Kind::Staff) {
            return;
        }
        for id in here {
            if Some(id) != self.data.scenario.gordon_id() {
                self.eliminate(id, "the end of all who were with him", "6.5.1.C");
            }
        }
    }

    /// A Dervish unit stands in, or passed through, a hex: leaders alone there fall
    /// (6.5.1.C, 9.3.4.F).
    fn catches(&mut self, by: UnitId, hex: crate::geometry::hex::Hex) {
        if self.data.unit(by).army != Army::Dervish {
            return;
        }
        let here: Vec<UnitId> = self.position().of(Army::AngloEgyptian, hex).collect();
        for id in here {
            if Some(id) == self.data.scenario.gordon_id() {
                self.enters_gordons_hex(by);
            } else if self.data.unit(id).kind == Kind::Staff {
                let cause = format!("being alone when {} came", self.name(by));
                self.eliminate(id, &cause, "6.5.1.C");
            }
        }
    }

    /// Turns a unit over.
    fn disrupt(&mut self, id: UnitId, cause: &str) {
        self.fates.insert(id, format!("disrupted in {cause}"));
        self.emit(Event::Disrupted {
            unit: self.name(id),
            rule: super::cite::cite("7.8.A").to_string(),
        });
    }

    /// A Dervish unit stands in, or passed through, the hex of a lone Gordon.
    fn enters_gordons_hex(&mut self, by: UnitId) {
        if let (None, Some(gordon)) = (self.state.gordon_fell, self.data.scenario.gordon_id()) {
            let turn = self.state.turn;
            self.emit(Event::GordonFell {
                unit: self.name(gordon),
                by: self.name(by),
                turn,
                rule: super::cite::cite("9.3.4.F").to_string(),
            });
        }
    }

    fn tell_outcomes(&mut self) {
        for part in self.parts {
            for refusal in &part.plan.refusals {
                self.emit(Event::Outcome {
                    player: part.player.clone(),
                    line: u32::try_from(refusal.line).unwrap_or(u32::MAX),
                    outcome: "refused".to_owned(),
                    order: plain(&refusal.order),
                    reason: plain(&refusal.reason),
                    rule: refusal.rule.clone(),
                });
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
