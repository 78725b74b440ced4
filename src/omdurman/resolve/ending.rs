//! The end of windows and player-turns: recovery (7.8.C), tasks, and what comes next
//! (4.0). The next window is a function of rules, state and cadence; windows that
//! nobody could use are passed over.

use crate::core::dice::DiceError;
use crate::core::id::Id;

use super::super::check::{may_enter_now, sets_up};
use super::super::cite::cite;
use super::super::data::{Army, Data, Kind, UnitId, Weapon};
use super::super::events::Event;
use super::super::fire::Target;
use super::super::position::Position;
use super::super::state::{Order, Place, State, Window};
use super::Turn;

/// The window that follows one in a player-turn; `None` at its end.
pub fn next_window(data: &Data, window: Window) -> Option<Window> {
    match (window, data.strict) {
        (Window::Move, false) => Some(Window::Combat),
        (Window::Move, true) => Some(Window::Defence),
        (Window::Defence, _) => Some(Window::DefenceSecond),
        (Window::DefenceSecond, _) => Some(Window::Offence),
        (Window::Offence, _) => Some(Window::OffenceSecond),
        (Window::OffenceSecond, _) => Some(Window::Melee),
        _ => None,
    }
}

/// The players who have something to decide in the window of a state, sorted.
pub fn asks(data: &Data, state: &State) -> Vec<Id> {
    let position = Position::new(data, state);
    let targets = [Army::Dervish, Army::AngloEgyptian].map(|army| position.targets_of(army));
    let fires = |id: UnitId| {
        let targets = &targets[usize::from(data.unit(id).army == Army::AngloEgyptian)];
        position.hits_something(id, targets)
    };
    let enemies = |id: UnitId| position.hexes(data.unit(id).army.enemy());
    let seconds = |id: UnitId| {
        let unit = data.unit(id);
        if unit.army != Army::AngloEgyptian || position.can_fire(id).is_err() {
            return false;
        }
        let maxims = unit.has_maxims()
            && enemies(id)
                .iter()
                .any(|h| position.shot_with(id, Weapon::Maxims, Target::Units(*h)).is_ok());
        let shells = position.can_shell(id).is_ok()
            && enemies(id).iter().any(|h| position.shell(id, Target::Units(*h)).is_ok());
        maxims || shells
    };
    let decides = |id: UnitId| -> bool {
        let unit = data.unit(id);
        let phasing = unit.army == state.moving;
        let attacks = || phasing && !position.melee_targets(id).is_empty();
        match state.window {
            Window::Setup | Window::Setup2 => {
                state.unit(id).place == Place::Waiting
                    && data.scenario.zone(id).is_some()
                    && sets_up(&position, unit.army)
            }
            Window::Move => {
                phasing
                    && match state.unit(id).place {
                        Place::At(_) => position.may_move(id).is_ok(),
                        Place::Waiting => may_enter_now(&position, id).is_ok(),
                        Place::Aboard { .. } => true,
                        _ => false,
                    }
            }
            Window::Combat => {
                fires(id) || seconds(id) || attacks() || (!phasing && position.fears_infantry(id))
            }
            Window::Defence => !phasing && fires(id),
            Window::DefenceSecond => !phasing && seconds(id),
            Window::Offence => phasing && fires(id),
            Window::OffenceSecond => phasing && seconds(id),
            Window::Melee => attacks() || (!phasing && position.fears_infantry(id)),
            Window::End => false,
        }
    };
    let mut out: Vec<Id> = Vec::new();
    for id in data.ids() {
        if let Some(owner) = state.owner(data, id)
            && !out.contains(owner)
            && decides(id)
        {
            out.push(owner.clone());
        }
    }
    out.sort();
    out
}

impl Turn<'_> {
    /// Goes to the next window that somebody can use, or to the end of the game.
    pub(super) fn advance_window(&mut self) -> Result<(), DiceError> {
        loop {
            if let Some(turn) = self.state.gordon_fell {
                self.gordon_is_dead(turn);
                return Ok(());
            }
            let (turn, moving, window) = (self.state.turn, self.state.moving, self.state.window);
            let first = self.data.scenario.first;
            let next = match next_window(self.data, window) {
                Some(window) => (turn, moving, window),
                None if window == Window::Setup && self.second_setup() => {
                    (turn, moving, Window::Setup2)
                }
                None if window.is_setup() => (1, first, Window::Move),
                None => {
                    self.end_player_turn()?;
                    if self.decided_early() {
                        return Ok(());
                    }
                    if moving == first {
                        (turn, moving.enemy(), Window::Move)
                    } else {
                        if turn >= self.data.scenario.turns || self.nobody_left_to_attack() {
                            self.last_turn_ends(turn);
                            return Ok(());
                        }
                        cite("4.0.C");
                        (turn + 1, first, Window::Move)
                    }
                }
            };
            let (turn, moving, window) = next;
            cite(if moving == Army::Dervish { "4.0.B" } else { "4.0.A" });
            self.emit(Event::Next { turn, moving, window });
            if !asks(self.data, &self.state).is_empty() || self.must_happen() {
                return Ok(());
            }
            // Second fire that no scenario has is no news.
            if !matches!(window, Window::DefenceSecond | Window::OffenceSecond)
                || self.has_second_fire(window)
            {
                self.emit(Event::Skipped { turn, moving, window });
            }
        }
    }

    fn second_setup(&self) -> bool {
        self.data.scenario.sides.iter().filter(|s| s.setup).count() > 1
    }

    /// True for a window that happens although nobody decides anything: desertion, a
    /// boat that drifts, leaders who must come.
    fn must_happen(&self) -> bool {
        let army = self.state.moving;
        let drifts = self.state.damaged.iter().any(|id| self.data.unit(*id).army == army);
        let deserts =
            army == Army::Dervish && self.data.scenario.desertion == Some(self.state.turn);
        self.state.window == Window::Move && (drifts || deserts)
    }

    /// True where the army that would fire in a second subphase has anything for it.
    fn has_second_fire(&self, window: Window) -> bool {
        let army = match window {
            Window::DefenceSecond => self.state.moving.enemy(),
            _ => self.state.moving,
        };
        army == Army::AngloEgyptian
            && self.data.ids().any(|id| {
                let unit = self.data.unit(id);
                unit.army == army && (unit.has_maxims() || unit.kind == Kind::NamedGunboat)
            })
    }

    /// 7.8.C: a unit is itself again when a player-turn of its owner ends; before
    /// that, what was begun in it is done.
    fn end_player_turn(&mut self) -> Result<(), DiceError> {
        self.finish_tasks()?;
        let army = self.state.moving;
        for id in self.data.ids() {
            let Order::Disrupted(since) = self.state.unit(id).order else { continue };
            let fresh = since == army && self.data.rulings.recovery_full_turn;
            if self.data.unit(id).army == army && !fresh {
                let rule = cite("7.8.C").to_string();
                self.emit(Event::Recovered { unit: self.name(id), rule });
            }
        }
        Ok(())
    }
}
