//! A round of an assault: the zones in the commandant's order, each with its
//! initiative (R11, R13), and what the end of a round brings.

use crate::core::cite::cite;
use crate::core::dice::DiceError;

use super::super::data::{FigureId, Kind, RoomId, Side, ZoneId};
use super::super::events::{Event, ZoneTurn};
use super::super::state::{Place, Window};
use super::Turn;

/// Rounds without anything of R10 after which the Mahdists go.
const IDLE: u32 = 3;

impl Turn<'_> {
    /// Brisk cadence: rounds until somebody has to decide, or so many have passed.
    pub(super) fn block(&mut self) -> Result<Window, DiceError> {
        for _ in 0..self.data.rulings.rounds_a_block {
            // The opening waves were announced when the day began.
            let opened = self.state.round == 1 && !self.state.waves.is_empty();
            if !opened && let Some(end) = self.step_one() {
                return Ok(end);
            }
            if let Some(end) = self.round()? {
                return Ok(end);
            }
            if self.turning_point {
                break;
            }
        }
        Ok(Window::Assault)
    }

    /// Strict cadence: steps 2 to 5 of one round.
    pub(super) fn single_round(&mut self) -> Result<Window, DiceError> {
        Ok(self.round()?.unwrap_or(Window::Launch))
    }

    /// Steps 2 to 5. The window that follows if the assault, or the siege, is over.
    fn round(&mut self) -> Result<Option<Window>, DiceError> {
        let round = self.state.round;
        self.emit(Event::RoundBegan { round });
        self.acted.clear();
        self.attacked.clear();
        self.fired.clear();
        self.door = 0;
        self.busy = false;
        self.reinforcements();
        let position = self.position();
        self.began = self.data.ids().filter_map(|id| Some((id, position.acts_in(id)?))).collect();
        let held: Vec<(RoomId, bool)> = self.rooms_with_mahdists();
        let mut left: Vec<ZoneId> = self.data.compound.zone_ids().collect();
        while !left.is_empty() {
            cite("R11");
            let zone = self.next_zone(&left);
            left.retain(|z| *z != zone);
            self.zone(zone)?;
        }
        Ok(self.end_of_round(&held))
    }

    fn rooms_with_mahdists(&self) -> Vec<(RoomId, bool)> {
        let position = self.position();
        let there = |room: RoomId| !position.in_room(Side::Mahdist, room).is_empty();
        self.data.compound.room_ids().map(|room| (room, there(room))).collect()
    }

    /// The zone that the commandant picks next: by his list, then the most threatened.
    fn next_zone(&self, left: &[ZoneId]) -> ZoneId {
        let owner = self.state.holder(Side::Garrison, "commandant");
        let list = self.state.doctrine_of(owner).zones;
        let c = &self.data.compound;
        for name in &list {
            if let Some(zone) = c.find_zone(name).filter(|zone| left.contains(zone)) {
                return zone;
            }
        }
        let position = self.position();
        let threat = |zone: &ZoneId| {
            let inside = position.in_zone(Side::Mahdist, *zone).len();
            let sections = || c.sections().filter(|w| c.zone_of(*w) == *zone);
            let before: usize = sections().map(|w| position.before(w).len()).sum();
            let due = self.data.tables.wave_moves.saturating_sub(1);
            let coming: usize = sections()
                .flat_map(|w| position.coming(w))
                .filter(|w| w.moves >= due)
                .map(|w| position.members(w.number).len())
                .sum();
            (inside, before + coming, std::cmp::Reverse(*zone))
        };
        left.iter().copied().max_by_key(threat).unwrap_or(ZoneId(0))
    }

    /// One zone: initiative, then each side moves and attacks (R11, R13).
    fn zone(&mut self, zone: ZoneId) -> Result<(), DiceError> {
        cite("R12");
        let position = self.position();
        let garrison = position.at_barriers(zone);
        let mahdists = position.in_zone(Side::Mahdist, zone).len();
        let c = &self.data.compound;
        let coming = self.state.waves.iter().any(|w| w.active() && c.zone_of(w.target) == zone);
        let mut dice = Vec::new();
        let mut first = Side::Garrison;
        cite("R13");
        if mahdists > garrison {
            let name = c.zone(zone).id.clone();
            for throw in 1_u32.. {
                let again = if throw > 1 { format!("-{throw}") } else { String::new() };
                let label = self.label(&format!("{name}/initiative{again}"));
                let faces = self.dice.roll(&label, "2d6")?;
                let (a, b) = (faces.first().copied(), faces.get(1).copied());
                let (a, b) = (a.unwrap_or(1), b.unwrap_or(1));
                dice.push((a, b));
                if a != b {
                    first = if a > b { Side::Garrison } else { Side::Mahdist };
                    break;
                }
            }
        }
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.emit(Event::Zone(Box::new(ZoneTurn {
            zone: c.zone(zone).id.clone(),
            garrison: count(garrison),
            mahdists: count(mahdists),
            first: first.id().to_owned(),
            dice,
            busy: mahdists > 0 || coming,
        })));
        for side in [first, first.enemy()] {
            match side {
                Side::Garrison => {
                    self.garrison_moves(zone);
                    self.garrison_attacks(zone)?;
                }
                Side::Mahdist => {
                    self.advance_waves(zone);
                    self.mahdist_moves(zone);
                    self.mahdist_attacks(zone)?;
                }
            }
            self.morale()?;
        }
        Ok(())
    }

    /// The figures of a side that began the round in a zone, can act and have not.
    pub(super) fn ready(&self, side: Side, zone: ZoneId) -> Vec<FigureId> {
        self.data
            .of(side)
            .filter(|id| self.began.get(id) == Some(&zone))
            .filter(|id| self.state.place(*id).present() && !self.acted.contains(id))
            .collect()
    }

    /// Reloading, the yard, spent waves, annihilation, idleness. The window that
    /// follows if that ends the assault.
    fn end_of_round(&mut self, held: &[(RoomId, bool)]) -> Option<Window> {
        self.reload();
        self.yard();
        self.spent_waves();
        if self.rooms_with_mahdists().iter().zip(held).any(|(now, then)| now.1 && !then.1) {
            self.turning_point = true;
        }
        let round = self.state.round;
        let idle = if self.busy { 0 } else { self.state.idle + 1 };
        self.emit(Event::RoundEnded { round, idle });
        if self.state.garrison(self.data).next().is_none() {
            return Some(self.end_assault("no defender is left", "R47"));
        }
        if idle >= IDLE {
            let left: Vec<u32> =
                self.state.waves.iter().filter(|w| w.active()).map(|w| w.number).collect();
            for wave in left {
                self.withdraw(wave, "nothing happened for three rounds", "R10");
            }
            let why = "nothing happened for three rounds: all Mahdists withdraw";
            return Some(self.end_assault(why, "R10"));
        }
        let active = self.state.waves.iter().any(super::super::state::Wave::active);
        if !active && self.position().uncommitted(None).is_empty() {
            return Some(self.end_assault("all Mahdists have fallen or withdrawn", "R10"));
        }
        None
    }

    /// Rifles, revolvers and guns are loaded by those who were left in peace
    /// (R29, R30, R33).
    fn reload(&mut self) {
        let round = self.state.round;
        let mut loaded = Vec::new();
        for id in self.data.ids() {
            let figure = self.state.figure(id);
            if !(figure.place.present() || matches!(figure.place, Place::Rocks(_))) {
                continue;
            }
            let rested = figure.fired < round && figure.disturbed < round;
            let needs = match self.data.figure(id).kind {
                Kind::Soldier => !figure.loaded,
                Kind::Rifle => !figure.loaded && figure.fired < round,
                Kind::Officer => figure.shots < self.data.tables.fire.shots,
                Kind::Gunner | Kind::Spear => false,
            };
            let rifle = self.data.figure(id).kind == Kind::Rifle;
            if needs && (rested || (rifle && figure.fired < round)) {
                cite(if self.data.figure(id).kind == Kind::Officer { "R30" } else { "R29" });
                loaded.push(id);
            }
        }
        if !loaded.is_empty() {
            let figures = self.names(&loaded);
            self.emit(Event::Loaded { figures });
        }
        for gun in self.data.compound.gun_ids() {
            let state = self.state.guns[gun.at()];
            let (Some(loading), false) = (state.loading, state.disabled) else { continue };
            let crew = self.position().crew(gun);
            let fought = crew.iter().any(|id| self.state.figure(*id).disturbed == round);
            if self.fired.contains(&gun) || fought || crew.is_empty() {
                continue;
            }
            cite("R33");
            let missing =
                self.data.tables.crew.saturating_sub(u32::try_from(crew.len()).unwrap_or(u32::MAX));
            let needed = self.data.tables.gun_reload + missing;
            let loading = loading + 1;
            let loading = (loading < needed).then_some(loading);
            let gun = self.data.compound.gun(gun).id.clone();
            self.emit(Event::GunLoads { gun, loading });
        }
    }
}
