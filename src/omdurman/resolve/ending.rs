//! The end of windows, player-turns and the game: recovery (7.8.C), what comes
//! next (4.0), victory (9.3.5). The next window is a function of rules, state and
//! cadence; windows that nobody could use are passed over.

use crate::core::id::Id;

use super::super::check::may_enter_now;
use super::super::cite::cite;
use super::super::data::{Army, Data, Kind, UnitId};
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
        (Window::Defence, _) => Some(Window::Offence),
        (Window::Offence, _) => Some(Window::Melee),
        _ => None,
    }
}

/// The players who have something to decide in the window of a state, sorted.
pub fn asks(data: &Data, state: &State) -> Vec<Id> {
    let position = Position::new(data, state);
    let fires = |id: UnitId| {
        let army = data.unit(id).army;
        position.can_fire(id).is_ok()
            && position
                .targets(id)
                .iter()
                // A garrison's fire at its own wall is lawful, but no reason to wait.
                .any(|(t, _)| !matches!(t, Target::Wall(_)) || army == Army::Dervish)
    };
    let decides = |id: UnitId| -> bool {
        let unit = data.unit(id);
        let phasing = unit.army == state.moving;
        match state.window {
            Window::Setup => state.unit(id).place == Place::Waiting && data.side(unit.army).setup,
            Window::Move => {
                phasing
                    && match state.unit(id).place {
                        Place::At(_) => position.may_move(id).is_ok(),
                        Place::Waiting => may_enter_now(&position, id).is_ok(),
                        _ => false,
                    }
            }
            Window::Combat => fires(id) || (phasing && !position.melee_targets(id).is_empty()),
            Window::Defence => !phasing && fires(id),
            Window::Offence => phasing && fires(id),
            Window::Melee => phasing && !position.melee_targets(id).is_empty(),
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
    pub(super) fn advance_window(&mut self) {
        loop {
            if let Some(turn) = self.state.gordon_fell {
                self.gordon_is_dead(turn);
                return;
            }
            let (turn, moving, window) = (self.state.turn, self.state.moving, self.state.window);
            let next = match next_window(self.data, window) {
                Some(window) => (turn, moving, window),
                None if window == Window::Setup => (1, self.data.scenario.first, Window::Move),
                None => {
                    self.end_player_turn();
                    if moving == self.data.scenario.first {
                        (turn, moving.enemy(), Window::Move)
                    } else {
                        if turn >= self.data.scenario.turns || self.nobody_left_to_attack() {
                            self.gordon_survives(turn);
                            return;
                        }
                        cite("4.0.C");
                        (turn + 1, self.data.scenario.first, Window::Move)
                    }
                }
            };
            let (turn, moving, window) = next;
            cite(if moving == Army::Dervish { "4.0.B" } else { "4.0.A" });
            self.emit(Event::Next { turn, moving, window });
            if !asks(self.data, &self.state).is_empty() {
                return;
            }
            self.emit(Event::Skipped { turn, moving, window });
        }
    }

    /// 7.8.C: a unit is itself again when a player-turn of its owner ends.
    fn end_player_turn(&mut self) {
        let army = self.state.moving;
        for id in self.data.ids() {
            let Order::Disrupted(since) = self.state.unit(id).order else { continue };
            let fresh = since == army && self.data.rulings.recovery_full_turn;
            if self.data.unit(id).army == army && !fresh {
                let rule = cite("7.8.C").to_string();
                self.emit(Event::Recovered { unit: self.name(id), rule });
            }
        }
    }

    /// True when no Dervish unit that could ever reach Gordon is left.
    fn nobody_left_to_attack(&self) -> bool {
        !self.data.ids().any(|id| {
            let unit = self.data.unit(id);
            let alive = matches!(self.state.unit(id).place, Place::At(_) | Place::Waiting);
            unit.army == Army::Dervish && alive && unit.kind != Kind::Fort
        })
    }

    /// Dervish units eliminated, forts not among them (ruling `khartoum-losses`).
    fn dervish_lost(&self) -> u32 {
        dervish_lost(self.data, &self.state)
    }

    fn gordon_is_dead(&mut self, turn: u32) {
        cite("9.3.3.A");
        let lost = self.dervish_lost();
        let (result, why) = fallen_level(self.data, turn, lost);
        self.emit(Event::Over { result, why, rule: cite("9.3.5.A").to_string() });
    }

    fn gordon_survives(&mut self, turn: u32) {
        cite("9.3.3.A");
        let victory = &self.data.scenario.victory;
        let (level, why) = if turn >= self.data.scenario.turns {
            let best = victory.survives.last().map_or(String::new(), |s| s.level.clone());
            (best, format!("Gordon survives the end of turn {turn}"))
        } else {
            let best = victory.survives.last().map_or(String::new(), |s| s.level.clone());
            (best, format!("no Dervish unit is left on turn {turn} that could reach Gordon"))
        };
        let lost = self.dervish_lost();
        let why = vec![why, format!("the Dervish lost {}", plural(lost, "unit"))];
        self.emit(Event::Over { result: level, why, rule: cite("9.3.5.A").to_string() });
    }
}

/// Dervish units eliminated, as rule 9.3.5.B counts them.
pub fn dervish_lost(data: &Data, state: &State) -> u32 {
    let lost = data
        .ids()
        .filter(|id| data.unit(*id).army == Army::Dervish && data.unit(*id).kind != Kind::Fort)
        .filter(|id| matches!(state.unit(*id).place, Place::Eliminated(_)))
        .count();
    u32::try_from(lost).unwrap_or(u32::MAX)
}

/// The level of victory when Gordon falls on a turn with so many Dervish lost, and
/// how it comes about (9.3.5).
pub fn fallen_level(data: &Data, turn: u32, lost: u32) -> (String, Vec<String>) {
    let victory = &data.scenario.victory;
    let mut why = vec![format!("Gordon fell on turn {turn}")];
    if let Some(won) = victory.falls.iter().find(|f| turn <= f.turn) {
        let levels = victory.losses.iter().rev().find(|p| lost >= p.units).map_or(0, |p| p.levels);
        let (units, less) = (plural(lost, "unit"), plural(levels, "level"));
        why.push(format!("the Dervish lost {units}: {less} less"));
        if levels > 0 {
            cite("9.3.5.B");
        }
        let at = victory.scale.iter().position(|l| *l == won.level).unwrap_or(0);
        let moved = (at + levels as usize).min(victory.scale.len() - 1);
        return (victory.scale[moved].clone(), why);
    }
    // Ruling `gordon-late`: the level of the last turn that he survived.
    let level = victory.survives.iter().rev().find(|s| s.turn < turn);
    why.push(format!("he had survived turn {}", turn - 1));
    (level.map_or(String::new(), |s| s.level.clone()), why)
}

fn plural(n: u32, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
