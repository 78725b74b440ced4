//! Step 1 of a round: waves are called off, the dead are raised, new waves are formed
//! and announced (R15, R18, R19).

use crate::core::cite::cite;
use crate::core::id::Id;

use super::super::check::{Told, free_of};
use super::super::condition::Condition;
use super::super::data::{FigureId, Kind, Side, WallId};
use super::super::doctrine::Raise;
use super::super::events::{Event, Launch};
use super::super::state::{Place, WaveStatus, Window};
use super::Turn;

impl Turn<'_> {
    /// Strict cadence: step 1 alone.
    pub(super) fn launch_window(&mut self) -> Window {
        match self.step_one() {
            Some(end) => end,
            None => Window::Round,
        }
    }

    /// Step 1. The window that follows if the assault ends with it (R10).
    pub(super) fn step_one(&mut self) -> Option<Window> {
        self.tells();
        if self.called_off() {
            let waves: Vec<u32> =
                self.state.waves.iter().filter(|w| w.active()).map(|w| w.number).collect();
            for wave in waves {
                self.withdraw(wave, "the emir calls the assault off", "R10");
            }
            return Some(self.end_assault("the emir called it off", "R10"));
        }
        self.withdrawals();
        self.raise_dead();
        self.launches();
        if self.state.waves.iter().any(super::super::state::Wave::active) {
            return None;
        }
        Some(self.end_assault("no wave was left and none was formed", "R10"))
    }

    fn called_off(&self) -> bool {
        let emir = self.state.holder(Side::Mahdist, "emir");
        self.state
            .doctrine_of(emir)
            .call_off
            .and_then(|text| Condition::parse(self.data, Side::Mahdist, &text))
            .is_some_and(|condition| condition.holds(&self.position()))
    }

    fn tells(&mut self) {
        for part in self.parts {
            for order in &part.plan.tells {
                let (wave, told) = order.get();
                if self.over.contains(&(part.player.clone(), order.line())) {
                    continue;
                }
                self.emit(Event::Told {
                    wave: *wave,
                    raise: told.raise,
                    through: told.through,
                    intents: told.intents.clone(),
                    workers: told.workers,
                });
                self.done(&part.player, order.line());
            }
        }
    }

    /// A wave goes: all of it, men within too.
    pub(super) fn withdraw(&mut self, wave: u32, why: &str, rule: &'static str) {
        self.turning_point = true;
        let rule = cite(rule).to_string();
        self.emit(Event::Withdrew { wave, why: why.to_owned(), rule });
    }

    /// Waves that are ordered off: only while all their men are outside.
    fn withdrawals(&mut self) {
        for part in self.parts {
            for order in &part.plan.withdraws {
                let number = order.get().wave;
                if self.over.contains(&(part.player.clone(), order.line())) {
                    continue;
                }
                let holds = order.get().when.as_ref().is_none_or(|c| c.holds(&self.position()));
                let active = self.state.wave(number).is_some_and(super::super::state::Wave::active);
                if !holds || !active {
                    continue;
                }
                let within = self
                    .position()
                    .members(number)
                    .into_iter()
                    .any(|id| self.state.place(id).room(self.data).is_some());
                if within {
                    let what = "some of its men are within the compound".to_owned();
                    self.fail(
                        &part.player,
                        order.line(),
                        format!("withdraw wave-{number}"),
                        what,
                        "R10",
                    );
                } else {
                    self.withdraw(number, "it was ordered off", "R10");
                    self.done(&part.player, order.line());
                }
            }
        }
    }

    /// Markers raise the dead in fives (R19).
    fn raise_dead(&mut self) {
        let raised = self.data.tables.raised as usize;
        for wave in self.state.waves.clone() {
            if !wave.active() || wave.markers == 0 {
                continue;
            }
            let position = self.position();
            let dead = position.dead_of(wave.number);
            let lots = (dead.len() / raised).min(wave.markers as usize);
            let now = match wave.raise {
                Raise::AtOnce => true,
                Raise::Contact => wave.status == WaveStatus::Arrived,
                Raise::Last => position.members(wave.number).is_empty(),
            };
            if lots == 0 || !now {
                continue;
            }
            let figures = self.names(&dead[..lots * raised]);
            self.emit(Event::Raised {
                wave: wave.number,
                figures,
                markers: u32::try_from(lots).unwrap_or(0),
                rule: cite("R19").to_string(),
            });
        }
    }

    /// The waves ordered for this round.
    pub(super) fn launches(&mut self) {
        let round = self.state.round;
        for part in self.parts {
            for order in &part.plan.waves {
                let wave = order.get();
                let done = self.over.contains(&(part.player.clone(), order.line()));
                if wave.round != round || done {
                    continue;
                }
                if !wave.when.as_ref().is_none_or(|c| c.holds(&self.position())) {
                    continue;
                }
                let target = &self.data.compound.wall(wave.target).id;
                let words = format!("wave at {target}");
                if self.position().engaged(wave.target) {
                    let what = format!("{target} is engaged");
                    self.fail(&part.player, order.line(), words, what, "R15");
                    continue;
                }
                let mut ids: Vec<FigureId> = Vec::new();
                for (kind, count) in [(Kind::Spear, wave.spears), (Kind::Rifle, wave.rifles)] {
                    let free = free_of(&self.position(), &part.player, kind);
                    ids.extend(free.into_iter().take(count as usize));
                }
                if ids.is_empty() {
                    let what = "nobody is left for it".to_owned();
                    self.fail(&part.player, order.line(), words, what, "R15");
                    continue;
                }
                let free: usize = [Kind::Spear, Kind::Rifle]
                    .map(|kind| free_of(&self.position(), &part.player, kind).len())
                    .iter()
                    .sum();
                let smallest = self.data.tables.smallest_wave as usize;
                if ids.len() < smallest.min(free) {
                    let what = format!("a wave of {} is too small", ids.len());
                    self.fail(&part.player, order.line(), words, what, "R8");
                    continue;
                }
                let markers = wave.markers.min(self.state.markers);
                self.launch(&part.player, wave.target, &ids, markers, &wave.told);
                self.done(&part.player, order.line());
            }
        }
    }

    /// Forms a wave and announces it.
    pub(super) fn launch(
        &mut self,
        player: &Id,
        target: WallId,
        ids: &[FigureId],
        markers: u32,
        told: &Told,
    ) {
        let number = u32::try_from(self.state.waves.len()).unwrap_or(u32::MAX) + 1;
        for rule in ["R14", "R15", "R18"] {
            cite(rule);
        }
        let strength =
            u32::try_from(ids.len()).unwrap_or(u32::MAX) + markers * self.data.tables.raised;
        self.emit(Event::Launched(Box::new(Launch {
            wave: number,
            player: player.clone(),
            target: self.data.compound.wall(target).id.clone(),
            figures: self.names(ids),
            markers,
            strength,
            raise: told.raise,
            through: told.through,
            intents: told.intents.clone(),
            workers: told.workers,
        })));
    }

    /// Waves check their morale at the limits that they have reached (R20).
    pub(super) fn morale(&mut self) -> Result<(), crate::core::dice::DiceError> {
        let morale = self.data.tables.morale.clone();
        for number in 1..=u32::try_from(self.state.waves.len()).unwrap_or(0) {
            while let Some(wave) = self.state.wave(number).filter(|w| w.active()).cloned() {
                let limits = self.position().limits(&wave);
                let Some(limit) = limits.get(wave.checks as usize).copied() else { break };
                if wave.casualties < limit || self.position().members(number).is_empty() {
                    break;
                }
                let (percent, breaks_on) = match wave.checks {
                    0 => (morale.first_percent, morale.first),
                    _ => (morale.second_percent, morale.second),
                };
                let label = self.label(&format!("wave-{number}/morale-{percent}"));
                let dice = self.dice.roll(&label, "2d6")?;
                let stands = dice.iter().sum::<u32>() > breaks_on;
                self.emit(Event::Checked {
                    label,
                    side: Side::Mahdist.id().to_owned(),
                    wave: number,
                    percent,
                    casualties: wave.casualties,
                    limit,
                    dice,
                    breaks_on,
                    stands,
                    rule: cite("R20").to_string(),
                });
                if !stands {
                    self.withdraw(number, "its morale broke", "R20");
                }
            }
        }
        Ok(())
    }

    /// Waves of which nobody is left, and that nothing can raise.
    pub(super) fn spent_waves(&mut self) {
        let raised = self.data.tables.raised as usize;
        for wave in self.state.waves.clone() {
            if !wave.active() || !self.position().members(wave.number).is_empty() {
                continue;
            }
            let dead = self.position().dead_of(wave.number).len();
            if wave.markers > 0 && dead >= raised {
                continue;
            }
            self.turning_point = true;
            self.emit(Event::WaveEnded { wave: wave.number, markers: wave.markers });
        }
    }

    /// Moves the waves that come at the sections of a zone (R16).
    pub(super) fn advance_waves(&mut self, zone: super::super::data::ZoneId) {
        for wave in self.state.waves.clone() {
            let here = self.data.compound.zone_of(wave.target) == zone;
            if wave.status != WaveStatus::Advancing || !here {
                continue;
            }
            cite("R16");
            self.busy = true;
            let moves = wave.moves + 1;
            self.emit(Event::WaveMoved { wave: wave.number, moves });
            if moves >= self.data.tables.wave_moves {
                self.silence(wave.target);
            }
        }
    }

    /// A gun whose section is engaged fires no more (R31).
    pub(super) fn silence(&mut self, wall: WallId) {
        if let Some(gun) = self.data.compound.gun_at(wall)
            && !self.state.guns[gun.at()].silent
        {
            let rule = cite("R31").to_string();
            let gun = self.data.compound.gun(gun).id.clone();
            self.emit(Event::GunSilent { gun, silent: true, rule });
        }
    }

    /// The living men of a wave who are off the table, spears first.
    pub(super) fn advancing(&self, number: u32) -> Vec<FigureId> {
        let mut men: Vec<FigureId> = self
            .position()
            .members(number)
            .into_iter()
            .filter(|id| self.state.place(*id) == Place::Advancing)
            .collect();
        men.sort_by_key(|id| (self.data.figure(*id).kind, *id));
        men
    }
}
