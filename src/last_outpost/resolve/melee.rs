//! Fighting hand to hand (R36 to R40).

use crate::core::cite::cite;
use crate::core::dice::DiceError;

use super::super::data::{FigureId, RoomId, Side, WallId, Way, ZoneId};
use super::super::events::{Blow, Event, Modifier};
use super::super::state::Place;
use super::Turn;

/// What an attack came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blows {
    Kills,
    Passes,
    Nothing,
}

impl Turn<'_> {
    /// The Mahdists of a zone attack: before its sections, before the walls of rooms
    /// next to theirs, within; then those left free work and snipe.
    pub(super) fn mahdist_attacks(&mut self, zone: ZoneId) -> Result<(), DiceError> {
        self.snipers(zone)?;
        let c = &self.data.compound;
        let walls: Vec<WallId> = c
            .wall_ids()
            .filter(|w| match c.wall(*w).way.from() {
                None => c.zone_of(*w) == zone,
                Some(from) => c.room(from).zone == zone,
            })
            .collect();
        for wall in walls {
            self.storm(wall)?;
        }
        let rooms: Vec<RoomId> = c.room_ids().filter(|r| c.room(*r).zone == zone).collect();
        for room in rooms {
            let workers = self.workers(room);
            for (defender, attackers) in self.position().inside(room, &workers) {
                for id in attackers {
                    if !self.state.place(defender).present() {
                        break;
                    }
                    if self.may_attack(id, zone) {
                        self.attack(id, defender, None)?;
                    }
                }
            }
            self.work(room, &workers)?;
        }
        Ok(())
    }

    fn may_attack(&self, id: FigureId, zone: ZoneId) -> bool {
        self.began.get(&id).is_none_or(|began| *began == zone)
            && !self.acted.contains(&id)
            && self.state.place(id).present()
    }

    /// Those before a wall attack its holders; at the door and at ladders the second
    /// follows the first who kills (R38 to R40).
    fn storm(&mut self, wall: WallId) -> Result<(), DiceError> {
        let zone = {
            let c = &self.data.compound;
            c.wall(wall).way.from().map_or(c.zone_of(wall), |from| c.room(from).zone)
        };
        let narrow = self.data.compound.wall(wall).way.narrow();
        for (holder, attackers) in self.position().front(wall).pairs {
            let mut entered = false;
            for id in attackers {
                if !self.may_attack(id, zone) {
                    continue;
                }
                if entered {
                    if narrow {
                        cite("R39");
                        self.enter(id, wall);
                    }
                    continue;
                }
                let result = self.attack(id, holder, Some(wall))?;
                match result {
                    Blows::Kills => {
                        cite("R38");
                        self.enter(id, wall);
                        entered = true;
                    }
                    Blows::Passes => {
                        cite("R37");
                        self.enter(id, wall);
                    }
                    Blows::Nothing => {}
                }
            }
        }
        Ok(())
    }

    /// Within the wall: on the place of the fallen, or behind the holder.
    fn enter(&mut self, id: FigureId, wall: WallId) {
        let room = self.data.compound.wall(wall).room;
        if self.position().room_for(Side::Mahdist, room) == 0 {
            return;
        }
        self.acted.insert(id);
        self.stand(&[id], Place::Across(room));
    }

    /// A Mahdist attacks a defender: over a wall, or within (`None`).
    fn attack(
        &mut self,
        id: FigureId,
        defender: FigureId,
        wall: Option<WallId>,
    ) -> Result<Blows, DiceError> {
        let melee = &self.data.tables.melee;
        let way = wall.map(|w| self.data.compound.wall(w).way);
        let (needed, rule) = match way {
            None => (melee.mahdist_inside, "R36"),
            Some(Way::Door(_)) => (melee.mahdist_at_barrier, "R39"),
            Some(Way::Ladder(_)) => (melee.mahdist_at_barrier, "R40"),
            Some(_) => (melee.mahdist_at_barrier, "R36"),
        };
        self.blow(id, defender, wall, needed, Vec::new(), rule)
    }

    /// A defender attacks a Mahdist, with his wound (R35) and the height of his
    /// ladder (R40).
    pub(super) fn strike(&mut self, id: FigureId, target: FigureId) -> Result<(), DiceError> {
        let melee = self.data.tables.melee.clone();
        let wall = match (self.state.place(id), self.state.place(target)) {
            (Place::Wall(wall), Place::Before(before)) if wall == before => Some(wall),
            (Place::Gun(gun), Place::Before(before))
                if self.data.compound.gun(gun).wall == before =>
            {
                Some(before)
            }
            _ => None,
        };
        let needed = if wall.is_some() { melee.garrison_at_barrier } else { melee.garrison_inside };
        let mut modifiers = Vec::new();
        if self.state.figure(id).wounded {
            modifiers.push(Modifier {
                what: "wounded".to_owned(),
                drm: melee.wound,
                rule: cite("R35").to_string(),
            });
        }
        let ladder = wall.is_some_and(|w| matches!(self.data.compound.wall(w).way, Way::Ladder(_)));
        if ladder {
            modifiers.push(Modifier {
                what: "height".to_owned(),
                drm: melee.height,
                rule: cite("R40").to_string(),
            });
        }
        if matches!(self.state.place(id), Place::Gun(_))
            || self.data.figure(id).kind == super::super::data::Kind::Gunner
        {
            cite("R34");
        }
        *self.attacked.entry(target).or_default() += 1;
        self.blow(id, target, wall, needed, modifiers, "R36")?;
        Ok(())
    }

    fn blow(
        &mut self,
        id: FigureId,
        defender: FigureId,
        wall: Option<WallId>,
        needed: i32,
        modifiers: Vec<Modifier>,
        rule: &'static str,
    ) -> Result<Blows, DiceError> {
        let label = self.label(&format!("melee/{}", self.name(id)));
        let dice = self.dice.roll(&label, "2d6")?;
        let sum: i32 = dice.iter().map(|d| i32::try_from(*d).unwrap_or(0)).sum();
        let total = sum + modifiers.iter().map(|m| m.drm).sum::<i32>();
        let side = self.data.figure(id).side;
        // R37 speaks of Mahdists who attack somebody who holds something.
        let passes = side == Side::Mahdist && wall.is_some() && total == needed - 1;
        let result = if total >= needed {
            Blows::Kills
        } else if passes {
            Blows::Passes
        } else {
            Blows::Nothing
        };
        let c = &self.data.compound;
        let at = match wall {
            Some(wall) => c.wall(wall).id.clone(),
            None => self
                .state
                .place(defender)
                .room(self.data)
                .map_or(String::new(), |room| c.room(room).id.clone()),
        };
        self.busy = true;
        self.acted.insert(id);
        self.emit(Event::Struck(Box::new(Blow {
            label,
            side: side.id().to_owned(),
            attacker: self.name(id),
            defender: self.name(defender),
            at,
            needed,
            dice,
            modifiers,
            total,
            outcome: match result {
                Blows::Kills => "kills",
                Blows::Passes => "passes",
                Blows::Nothing => "nothing",
            }
            .to_owned(),
            rule: cite(rule).to_string(),
        })));
        if result == Blows::Kills {
            let cause = format!("hand to hand with {}", self.name(id));
            self.hit(defender, &cause, rule);
        }
        Ok(result)
    }
}
