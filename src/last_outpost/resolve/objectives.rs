//! What the Mahdists came for: the tower, the guns, the hospital (R43 to R45).

use std::collections::BTreeMap;

use crate::core::cite::cite;
use crate::core::dice::DiceError;

use super::super::data::{FigureId, GunId, Holds, Post, RoomId, Side};
use super::super::doctrine::Intent;
use super::super::events::Event;
use super::super::state::Place;
use super::Turn;

impl Turn<'_> {
    /// Mahdists in the open of a room who have not acted and are not just over a wall.
    fn idle_men(&self, room: RoomId) -> Vec<FigureId> {
        self.data
            .of(Side::Mahdist)
            .filter(|id| self.state.place(*id) == Place::Open(room))
            .filter(|id| !self.acted.contains(id))
            .collect()
    }

    /// Guns of a room that can be worked at: nobody serves them any more.
    fn open_guns(&self, room: RoomId) -> Vec<GunId> {
        self.data
            .compound
            .gun_ids()
            .filter(|gun| self.data.room_of(Post::Gun(*gun)) == room)
            .filter(|gun| !self.state.guns[gun.at()].disabled)
            .filter(|gun| self.position().crew(*gun).is_empty())
            .collect()
    }

    /// Men who work rather than fight: those told to go for the guns before fighting.
    pub(super) fn workers(&self, room: RoomId) -> Vec<FigureId> {
        let wanted = self.data.tables.gun_figures as usize * self.open_guns(room).len();
        let eager = |id: &FigureId| {
            let wave = self.state.figure(*id).wave.and_then(|n| self.state.wave(n));
            wave.is_some_and(|w| {
                let at = |intent: Intent| w.intents.iter().position(|i| *i == intent);
                match (at(Intent::Guns), at(Intent::Fight)) {
                    (Some(guns), Some(fight)) => guns < fight,
                    (Some(_), None) => true,
                    _ => false,
                }
            })
        };
        self.idle_men(room).into_iter().filter(eager).take(wanted).collect()
    }

    /// Work in a room by those told to and by those who found nobody to fight.
    pub(super) fn work(&mut self, room: RoomId, workers: &[FigureId]) -> Result<(), DiceError> {
        let fighting: BTreeMap<FigureId, Vec<FigureId>> = self.position().inside(room, workers);
        let engaged: Vec<FigureId> = fighting.into_values().flatten().collect();
        let mut free: Vec<FigureId> = self.idle_men(room);
        free.retain(|id| workers.contains(id) || !engaged.contains(id));
        for gun in self.open_guns(room) {
            let needs = self.data.tables.gun_figures as usize;
            if free.len() < needs {
                break;
            }
            let pair: Vec<FigureId> = free.drain(..needs).collect();
            self.try_gun(gun, &pair)?;
        }
        if self.data.compound.holding(Holds::Tower) == Some(room) {
            self.tower(room, &free)?;
        }
        Ok(())
    }

    /// One attempt at a gun by two figures (R44).
    fn try_gun(&mut self, gun: GunId, men: &[FigureId]) -> Result<(), DiceError> {
        let gun = self.data.compound.gun(gun).id.clone();
        let label = self.label(&format!("disable/{gun}"));
        let die = self.dice.roll(&label, "1d6")?.first().copied().unwrap_or(1);
        let disabled = die >= self.data.tables.gun_die;
        self.busy = true;
        self.acted.extend(men.iter().copied());
        self.emit(Event::GunTried {
            label,
            side: Side::Mahdist.id().to_owned(),
            gun,
            die,
            disabled,
            rule: cite("R44").to_string(),
        });
        Ok(())
    }

    /// A die for each full four at work, if no defender is left in the zone (R43).
    fn tower(&mut self, room: RoomId, free: &[FigureId]) -> Result<(), DiceError> {
        let zone = self.data.compound.room(room).zone;
        let sole = self.position().in_zone(Side::Garrison, zone).is_empty();
        if !sole || self.state.tower_down(self.data) {
            return Ok(());
        }
        let mut left: BTreeMap<u32, u32> =
            self.state.waves.iter().map(|w| (w.number, w.workers)).collect();
        let men: Vec<FigureId> = free
            .iter()
            .copied()
            .filter(|id| {
                let left = self.state.figure(*id).wave.and_then(|wave| left.get_mut(&wave));
                left.is_some_and(|n| {
                    let works = *n > 0;
                    *n = n.saturating_sub(1);
                    works
                })
            })
            .collect();
        let workers = u32::try_from(men.len()).unwrap_or(u32::MAX);
        let count = workers / self.data.tables.tower_figures;
        if count == 0 {
            return Ok(());
        }
        let label = self.label("tower");
        let dice = self.dice.roll(&label, &format!("{count}d6"))?;
        let points = dice.iter().filter(|d| **d <= self.data.tables.tower_die).sum();
        self.busy = true;
        self.acted.extend(men);
        self.emit(Event::Tower {
            label,
            side: Side::Mahdist.id().to_owned(),
            workers,
            dice,
            points,
            rule: cite("R43").to_string(),
        });
        Ok(())
    }

    /// Who holds the yard at the end of a round (R45).
    pub(super) fn yard(&mut self) {
        let Some(room) = self.data.compound.holding(Holds::Hospital) else { return };
        let zone = self.data.compound.room(room).zone;
        let position = self.position();
        let holds = position.in_zone(Side::Garrison, zone).is_empty()
            && !position.in_zone(Side::Mahdist, zone).is_empty();
        if self.state.massacred {
            return;
        }
        let held = if holds { self.state.held + 1 } else { 0 };
        if held == self.state.held && held == 0 {
            return;
        }
        let massacred = held >= self.data.tables.hospital_rounds && !self.state.massacred;
        if holds {
            self.busy = true;
        }
        self.emit(Event::Yard { held, massacred, rule: cite("R45").to_string() });
        if massacred {
            // Who fell before lay in the hospital: he does not return (ruling `hospital`).
            let fallen: Vec<FigureId> = self
                .data
                .of(Side::Garrison)
                .filter(|id| self.state.place(*id) == Place::Fallen)
                .collect();
            if !fallen.is_empty() {
                let figures = self.names(&fallen);
                self.emit(Event::Gone { figures });
            }
        }
    }
}
