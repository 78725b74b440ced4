//! Movement (5.0): desertion and drift first, then all lawful moves of the phasing side
//! together; the stacking limit holds when they have ended (5.5.1.E).

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::check::{
    Arrival, Manner, MoveOrder, entry_hexes, over_schedule, path_words, settle,
};
use super::super::cite::cite;
use super::super::data::{Army, Kind, UnitId};
use super::super::events::Event;
use super::super::movement::Walk;
use super::super::state::Place;
use super::super::violation::Violation;
use super::{Kept, Turn};

/// A boat with its way.
type Sailing = (UnitId, Walk, Manner);

/// Why an order lapsed, and by which rule.
type Lapse = (&'static str, &'static str);

impl Turn<'_> {
    pub(super) fn movement(&mut self) -> Result<(), DiceError> {
        self.desertion()?;
        self.drift()?;
        self.loading();
        let mut orders: Vec<(Id, usize, MoveOrder)> = Vec::new();
        for part in self.army_parts(self.state.moving) {
            for order in &part.plan.moves {
                orders.push((part.player.clone(), order.line(), order.get().clone()));
            }
        }
        orders.retain_mut(|(player, line, order)| self.still_stands(player, *line, order));
        // Who goes ashore does so before his boat sails on (5.2.1.B).
        orders.sort_by_key(|(_, _, order)| order.manner != Manner::Lands);
        let arrivals: Vec<Arrival> = orders
            .iter()
            .enumerate()
            .flat_map(|(i, (_, _, order))| {
                order.walks.iter().filter_map(move |(unit, walk)| {
                    Some(Arrival { order: i, unit: *unit, hex: *walk.path.last()? })
                })
            })
            .collect();
        let fallen = settle(&self.position(), &arrivals);
        cite("5.5.1.E");
        let mut entered: Vec<UnitId> = Vec::new();
        let mut boats: Vec<Sailing> = Vec::new();
        for (i, (player, line, order)) in orders.into_iter().enumerate() {
            let barred = fallen.get(&i).cloned().or_else(|| self.over_limit(&order, &mut entered));
            if let Some(violation) = barred {
                let words: Vec<String> = order
                    .walks
                    .iter()
                    .map(|(unit, walk)| format!("{} {}", self.name(*unit), path_words(&walk.path)))
                    .collect();
                let rule = violation.rule().map_or(String::new(), |r| r.to_string());
                self.tally(&player).failed += 1;
                self.fail(
                    &player,
                    line,
                    format!("move {}", words.join(", ")),
                    format!("{violation}, after the moves of the other commands"),
                    rule,
                );
                continue;
            }
            self.tally(&player).done += 1;
            self.carry_out(order, &mut boats);
        }
        self.set_sail(boats)?;
        self.announce();
        self.leaders_enter();
        self.left_standing();
        self.left_out();
        Ok(())
    }

    /// True for a gunboat that takes a unit on board in this turn and so lies still,
    /// whoever ordered it to sail (5.2.1.B).
    fn loads_now(&self, boat: UnitId) -> bool {
        let turn = self.state.turn;
        self.state.aboard(self.data, boat).iter().any(
            |id| matches!(self.state.unit(*id).place, Place::Aboard { since, .. } if since == turn),
        )
    }

    /// Takes out of an order the units that it no longer finds where it did, and tells
    /// why; false if nobody is left to carry it out.
    fn still_stands(&mut self, player: &Id, line: usize, order: &mut MoveOrder) -> bool {
        let manner = order.manner;
        let named = order.walks.len();
        let mut lapsed: Vec<Kept> = Vec::new();
        order.walks.retain(|(id, walk)| {
            let lapse = self.lapse(*id, walk, manner);
            if let Some((reason, rule)) = lapse {
                let (reason, rule) = (reason.to_owned(), cite(rule).to_string());
                lapsed.push(Kept { unit: *id, reason, rule });
            }
            lapse.is_none()
        });
        let stands = named == 0 || !order.walks.is_empty();
        if !stands {
            self.tally(player).failed += 1;
        }
        self.fail_units(player, line, "move", "", lapsed);
        stands
    }

    /// Why a unit's order has lapsed since it was checked: it has deserted, its boat
    /// has drifted, or lies still.
    fn lapse(&self, id: UnitId, walk: &Walk, manner: Manner) -> Option<Lapse> {
        const DRIFTED: Lapse =
            ("the gunboat has drifted away from where the order found it", "10.1.D");
        let start = walk.path.first();
        match (&self.state.unit(id).place, manner) {
            (Place::At(hex), Manner::Moves) if start == Some(hex) => self
                .loads_now(id)
                .then_some(("the gunboat takes a unit on board and lies still", "5.2.1.B")),
            (Place::Waiting, Manner::Enters) => None,
            // From the hex of the boat to the first hex ashore.
            (Place::Aboard { boat, .. }, Manner::Lands) => {
                let beside = |at: Hex| start.is_some_and(|h| h.distance(at) == 1);
                if self.state.hex(*boat).is_some_and(beside) { None } else { Some(DRIFTED) }
            }
            (Place::Out, _) if self.state.moving == Army::Dervish => {
                Some(("deserted before it could march", "8.2.C"))
            }
            _ => Some(DRIFTED),
        }
    }

    /// 9.1.1.4 over all commands of a side: who is one too many.
    fn over_limit(&self, order: &MoveOrder, entered: &mut Vec<UnitId>) -> Option<Violation> {
        if order.manner != Manner::Enters {
            return None;
        }
        let position = self.position();
        let before = entered.len();
        for (id, _) in &order.walks {
            if let Some(violation) = over_schedule(&position, entered, *id) {
                entered.truncate(before);
                return Some(violation);
            }
            entered.push(*id);
        }
        None
    }

    fn carry_out(&mut self, order: MoveOrder, boats: &mut Vec<Sailing>) {
        for (id, walk) in order.walks {
            if walk.path.len() < 2 && order.manner == Manner::Moves {
                continue;
            }
            if self.data.unit(id).army == Army::AngloEgyptian {
                cite("5.1.2");
            }
            if self.data.unit(id).kind.is_gunboat() {
                boats.push((id, walk, order.manner));
                continue;
            }
            let path = walk.path.clone();
            self.moved(id, walk.path, walk.cost, walk.allowance, order.manner);
            let from = usize::from(order.manner == Manner::Moves);
            for hex in &path[from..] {
                self.catches(id, *hex);
            }
        }
    }

    /// All boats move together: one whose hex is still taken waits until the boat there
    /// has sailed, so that only mines, the chain and their victims stop anybody.
    fn set_sail(&mut self, mut boats: Vec<Sailing>) -> Result<(), DiceError> {
        while !boats.is_empty() {
            let position = self.position();
            let free = boats.iter().position(|(id, walk, _)| {
                let there = walk.path.last().and_then(|hex| position.gunboat(*hex));
                there.is_none_or(|other| other == *id || boats.iter().all(|b| b.0 != other))
            });
            let (id, walk, manner) = boats.remove(free.unwrap_or(0));
            self.sail(id, &walk, manner)?;
        }
        Ok(())
    }

    /// Records that a unit came to the end of a path.
    pub(super) fn moved(
        &mut self,
        id: UnitId,
        path: Vec<Hex>,
        cost: u32,
        allowance: u32,
        manner: Manner,
    ) {
        let unit = self.name(id);
        let event = match (manner, &self.state.unit(id).place) {
            (Manner::Enters, _) => Event::Entered { unit, path, cost, allowance },
            (Manner::Lands, Place::Aboard { boat, .. }) => {
                let boat = self.name(*boat);
                Event::Landed { unit, boat, path, cost, allowance }
            }
            _ => Event::Moved { unit, path, cost, allowance },
        };
        self.emit(event);
    }

    /// 9.1.1.3.D: leaders who are not there by the turn enter at the first free hex.
    fn leaders_enter(&mut self) {
        let Some(schedule) = self.data.scenario.schedule else { return };
        if self.state.moving != schedule.army || self.state.turn < schedule.leaders_by {
            return;
        }
        for id in self.data.ids() {
            let unit = self.data.unit(id);
            if unit.kind != Kind::Staff || self.state.unit(id).place != Place::Waiting {
                continue;
            }
            let position = self.position();
            let found = entry_hexes(&position, id).into_iter().find_map(|hex| {
                let others: Vec<UnitId> = position.of(unit.army, hex).collect();
                position.may_join(hex, &others, id).ok()?;
                position.walk(id, &[hex], true).ok()
            });
            let Some(walk) = found else { continue };
            cite("9.1.1.3.D");
            if let Some(owner) = self.state.owner(self.data, id).cloned() {
                let hex = walk.path.first().map_or(String::new(), ToString::to_string);
                let text = format!("{} enters at {hex} [9.1.1.3.D]", self.name(id));
                self.tally(&owner).defaulted.push(text);
            }
            self.moved(id, walk.path, walk.cost, walk.allowance, Manner::Enters);
        }
    }

    /// Ruling `late-entry`, choice `barred`: who misses the turn of entry is out.
    fn left_out(&mut self) {
        if self.data.rulings.late_entry || self.data.scenario.gordon.is_none() {
            return;
        }
        for id in self.data.ids() {
            let turn = self.data.scenario.entry(id).map(|e| e.from);
            let waits = self.state.unit(id).place == Place::Waiting
                && self.data.unit(id).army == self.state.moving;
            if waits && turn == Some(self.state.turn) {
                let rule = cite("9.3.2.2").to_string();
                self.emit(Event::LeftOut { unit: self.name(id), rule });
            }
        }
    }

    /// Says who could have moved and was not ordered to, player by player.
    fn left_standing(&mut self) {
        let parts: Vec<Id> =
            self.army_parts(self.state.moving).iter().map(|p| p.player.clone()).collect();
        for player in parts {
            let file = self.parts.iter().any(|p| p.player == player && p.submission == "file");
            if !file {
                self.tally(&player).defaulted.push("nobody moves".to_owned());
            }
        }
    }
}
