//! Going on board (5.2.1), building the Zariba (5.3) and demolishing (6.5.3, 10.2.D):
//! what is announced in movement and done when the player-turn ends.

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::check::{may_demolish, may_load, to_build};
use super::super::cite::cite;
use super::super::data::UnitId;
use super::super::events::Event;
use super::super::fire::Target;
use super::super::state::Task;
use super::Turn;

impl Turn<'_> {
    /// Units that begin the turn beside a gunboat go on board.
    pub(super) fn loading(&mut self) {
        let mut orders: Vec<(Id, usize, UnitId, UnitId)> = Vec::new();
        for part in self.army_parts(self.state.moving) {
            for order in &part.plan.loads {
                let load = order.get();
                orders.push((part.player.clone(), order.line(), load.unit, load.boat));
            }
        }
        for (player, line, unit, boat) in orders {
            match may_load(&self.position(), unit, boat) {
                Ok(()) => {
                    self.tally(&player).done += 1;
                    self.emit(Event::Loaded {
                        unit: self.name(unit),
                        boat: self.name(boat),
                        turn: self.state.turn,
                        rule: cite("5.2.1.B").to_string(),
                    });
                }
                Err(violation) => {
                    let rule = violation.rule().map_or(String::new(), |r| r.to_string());
                    self.tally(&player).failed += 1;
                    let order = format!("load {} on {}", self.name(unit), self.name(boat));
                    self.fail(&player, line, order, violation.to_string(), rule);
                }
            }
        }
    }

    /// After the moves: who begins to build or to demolish.
    pub(super) fn announce(&mut self) {
        let mut orders: Vec<(Id, usize, Vec<UnitId>, Task)> = Vec::new();
        for part in self.army_parts(self.state.moving) {
            for order in &part.plan.tasks {
                let task = order.get();
                let (units, task) = (task.units.clone(), task.task.clone());
                orders.push((part.player.clone(), order.line(), units, task));
            }
        }
        for (player, line, units, task) in orders {
            let mut begun = false;
            for id in units {
                let Some(hex) = self.state.hex(id) else { continue };
                if let Err(violation) = self.still_able(id, hex, &task) {
                    let rule = violation.rule().map_or(String::new(), |r| r.to_string());
                    let order = format!("{} ({})", task.words(), self.name(id));
                    self.fail(&player, line, order, violation.to_string(), rule);
                    continue;
                }
                begun = true;
                if self.position().at(hex).len() > 1 && matches!(task, Task::Demolish(_)) {
                    cite("6.5.3.D");
                }
                let rule = match &task {
                    Task::Construct => "5.3.C",
                    Task::Demolish(Target::Chain(_)) => "10.2.D",
                    Task::Demolish(_) => "6.5.3.B",
                };
                self.emit(Event::Announced {
                    unit: self.name(id),
                    task: task.words(),
                    rule: cite(rule).to_string(),
                });
            }
            let tally = self.tally(&player);
            if begun { tally.done += 1 } else { tally.failed += 1 }
        }
    }

    fn still_able(
        &self,
        id: UnitId,
        hex: Hex,
        task: &Task,
    ) -> Result<(), super::super::violation::Violation> {
        let position = self.position();
        match task {
            Task::Construct => super::super::check::may_construct(&position, id).map(|_| ()),
            Task::Demolish(target) => may_demolish(&position, id, hex, *target),
        }
    }

    /// The end of a player-turn: what was begun is done, if it still can be. Work at
    /// the chain is done when the game turn ends (10.2.D).
    pub(super) fn finish_tasks(&mut self) -> Result<(), DiceError> {
        let turn_ends = self.state.moving != self.data.scenario.first;
        let mut due: Vec<(UnitId, Hex, Task)> = Vec::new();
        for (id, task) in self.state.tasks.clone() {
            let own = self.data.unit(id).army == self.state.moving;
            let Some(hex) = self.state.hex(id).filter(|_| own || task.whole_turn()) else {
                continue;
            };
            if let Task::Demolish(target) = task
                && let Some(reason) = self.hindered(id, hex, target)
            {
                self.give_up(id, reason);
            } else if !task.whole_turn() || turn_ends {
                due.push((id, hex, task));
            }
        }
        for (id, hex, task) in due {
            match task {
                Task::Construct => {
                    for side in to_build(&self.position(), hex) {
                        let rule = cite("5.3.C").to_string();
                        self.emit(Event::Built { side, unit: self.name(id), rule });
                    }
                }
                // Another at the same work may have been done first.
                Task::Demolish(target) if self.hindered(id, hex, target).is_some() => {}
                Task::Demolish(target) => self.demolish(id, target)?,
            }
        }
        Ok(())
    }

    /// Why a unit cannot go on with a demolition.
    fn hindered(&self, id: UnitId, hex: Hex, target: Target) -> Option<String> {
        if self.state.disrupted(id) {
            return Some("it is disrupted".to_owned());
        }
        may_demolish(&self.position(), id, hex, target).err().map(|v| v.to_string())
    }

    /// A unit at work, if it was, works no more.
    pub(super) fn give_up(&mut self, id: UnitId, reason: String) {
        let Some(task) = self.state.tasks.get(&id) else { return };
        let rule = cite(if task.whole_turn() { "10.2.D" } else { "6.5.3.B" }).to_string();
        let task = task.words();
        self.emit(Event::GaveUp { unit: self.name(id), task, reason, rule });
    }

    fn demolish(&mut self, id: UnitId, target: Target) -> Result<(), DiceError> {
        let chain = matches!(target, Target::Chain(_));
        let words = cite(if chain { "10.2.D" } else { "6.5.3.C" }).to_string();
        self.emit(Event::Demolished {
            unit: self.name(id),
            target: target.to_string(),
            rule: words,
        });
        let cause = format!("the demolition of {target}");
        let enemy = self.data.unit(id).army.enemy();
        let label = format!("{}/demolition/{}", self.label(), target.label());
        if let Target::Wall(side) = target {
            self.emit(Event::Breached { side, rule: cite("6.6.3.C").to_string() });
        }
        let fort = match target {
            Target::Fort(at) => self.position().fort(at),
            _ => None,
        };
        let (with, _) = self.falls_too(enemy, target, &label)?;
        let rule = if fort.is_some() { "6.5.3.C" } else { "6.6.3.D" };
        for lost in fort.into_iter().chain(with) {
            self.eliminate(lost, &cause, rule);
        }
        if chain {
            self.emit(Event::ChainSunk { rule: cite("10.2.D").to_string() });
        }
        Ok(())
    }
}
