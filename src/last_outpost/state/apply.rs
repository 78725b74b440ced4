//! What each event does to a position.

use std::collections::BTreeSet;

use super::super::data::{Data, FigureId, Kind, Post, Side};
use super::super::events::Event;
use super::{Place, State, Wave, WaveStatus, text};

impl State {
    /// Applies what happened: bookkeeping, no rules.
    #[allow(clippy::too_many_lines, reason = "a line or two for each kind of event")]
    pub fn apply(&mut self, data: &Data, event: &Event) {
        let find = |name: &String| data.find(name);
        match event {
            Event::Doctrine { player, doctrine } => {
                self.doctrine.insert(player.clone(), doctrine.as_ref().clone());
            }
            Event::Posted { figures, post, walks } => {
                let Some(to) = data.find_post(post) else { return };
                for id in figures.iter().filter_map(find) {
                    if *walks {
                        self.figures[id.at()].bound = Some(to);
                    } else {
                        self.figures[id.at()].place = Self::at_post(to);
                        self.figures[id.at()].bound = None;
                    }
                }
            }
            Event::Stands { figures, place } => {
                let Some(place) = text::place_of(data, place) else { return };
                let round = self.round;
                for id in figures.iter().filter_map(find) {
                    let figure = &mut self.figures[id.at()];
                    figure.place = place;
                    figure.since = round;
                    let there = figure.bound.map(Self::at_post);
                    if there == Some(place) {
                        figure.bound = None;
                    }
                }
            }
            Event::Chosen { assault, .. } => {
                if *assault {
                    self.forced = false;
                    self.round = 1;
                    self.begin_assault(data);
                }
            }
            Event::Card { markers, .. } => self.markers += markers,
            Event::Forced { .. } => self.forced = true,
            Event::Hit { figure, outcome, .. } => {
                let Some(id) = find(figure) else { return };
                self.hit(data, id, outcome);
            }
            Event::Hidden { figures } => {
                for id in figures.iter().filter_map(find) {
                    self.figures[id.at()].place = Place::Rocks(false);
                }
            }
            Event::Launched(launch) => {
                let Some(target) = data.compound.find_wall(&launch.target) else { return };
                self.markers = self.markers.saturating_sub(launch.markers);
                for id in launch.figures.iter().filter_map(find) {
                    self.figures[id.at()].place = Place::Advancing;
                    self.figures[id.at()].wave = Some(launch.wave);
                }
                self.waves.push(Wave {
                    number: launch.wave,
                    player: launch.player.clone(),
                    target,
                    launched: self.round,
                    moves: 0,
                    strength: launch.strength,
                    casualties: 0,
                    markers: launch.markers,
                    checks: 0,
                    status: WaveStatus::Advancing,
                    raise: launch.raise,
                    through: launch.through,
                    intents: launch.intents.clone(),
                    workers: launch.workers,
                });
            }
            Event::Told { wave, raise, through, intents, workers } => {
                if let Some(wave) = self.waves.iter_mut().find(|w| w.number == *wave) {
                    wave.raise = *raise;
                    wave.through = *through;
                    wave.intents.clone_from(intents);
                    wave.workers = *workers;
                }
            }
            Event::Raised { wave, figures, markers, .. } => {
                let Some(wave) = self.waves.iter_mut().find(|w| w.number == *wave) else { return };
                wave.markers = wave.markers.saturating_sub(*markers);
                let place = match wave.status {
                    WaveStatus::Advancing => Place::Advancing,
                    _ => Place::Before(wave.target),
                };
                let round = self.round;
                for id in figures.iter().filter_map(find) {
                    self.figures[id.at()].place = place;
                    self.figures[id.at()].since = round;
                }
            }
            Event::WaveMoved { wave, moves } => {
                let Some(wave) = self.waves.iter_mut().find(|w| w.number == *wave) else { return };
                wave.moves = *moves;
                if *moves >= data.tables.wave_moves {
                    wave.status = WaveStatus::Arrived;
                    let (target, number) = (wave.target, wave.number);
                    let round = self.round;
                    for figure in &mut self.figures {
                        if figure.wave == Some(number) && figure.place == Place::Advancing {
                            figure.place = Place::Before(target);
                            figure.since = round;
                        }
                    }
                }
            }
            Event::Opened { from, to, .. } => {
                let c = &data.compound;
                if let (Some(from), Some(to)) = (c.find_wall(from), c.find_wall(to)) {
                    self.opened.insert((from, to));
                }
            }
            Event::Shot(shot) => {
                let round = self.round;
                if let Some(id) = find(&shot.figure) {
                    let figure = &mut self.figures[id.at()];
                    figure.fired = round;
                    // A revolver counts its shots, a rifle has one (R29, R30).
                    if data.figure(id).kind == Kind::Officer {
                        figure.shots = figure.shots.saturating_sub(1);
                    } else {
                        figure.loaded = false;
                    }
                    if figure.place == Place::Rocks(false) {
                        figure.place = Place::Rocks(true);
                    }
                }
                if let Some(id) = find(&shot.target)
                    && data.figure(id).side == Side::Garrison
                {
                    self.figures[id.at()].disturbed = round;
                }
            }
            Event::Struck(blow) => {
                let round = self.round;
                for id in [&blow.attacker, &blow.defender].into_iter().filter_map(find) {
                    self.figures[id.at()].disturbed = round;
                }
            }
            Event::GunFired { gun, .. } => {
                if let Some(gun) = data.compound.find_gun(gun) {
                    self.guns[gun.at()].loading = Some(0);
                }
            }
            Event::GunSilent { gun, silent, .. } => {
                if let Some(gun) = data.compound.find_gun(gun) {
                    self.guns[gun.at()].silent = *silent;
                }
            }
            Event::Checked { wave, .. } => {
                if let Some(wave) = self.waves.iter_mut().find(|w| w.number == *wave) {
                    wave.checks += 1;
                }
            }
            Event::Withdrew { wave, .. } => self.end_wave(data, *wave, WaveStatus::Withdrawn),
            Event::WaveEnded { wave, .. } => self.end_wave(data, *wave, WaveStatus::Finished),
            Event::Tower { points, .. } => {
                let most = data.tables.tower_points;
                self.tower = (self.tower + points).min(most);
            }
            Event::GunTried { gun, disabled, .. } => {
                if let (Some(gun), true) = (data.compound.find_gun(gun), *disabled) {
                    self.guns[gun.at()].disabled = true;
                    self.guns[gun.at()].loading = None;
                }
            }
            Event::Yard { held, massacred, .. } => {
                self.held = *held;
                self.massacred |= massacred;
            }
            Event::Loaded { figures } => {
                for id in figures.iter().filter_map(find) {
                    self.figures[id.at()].loaded = true;
                    self.figures[id.at()].shots = data.tables.fire.shots;
                }
            }
            Event::GunLoads { gun, loading } => {
                if let Some(gun) = data.compound.find_gun(gun) {
                    self.guns[gun.at()].loading = *loading;
                }
            }
            Event::RoundEnded { idle, .. } => {
                self.idle = *idle;
                self.round += 1;
                // Fire opens a section to the crowd it was aimed at, not to a later one.
                let crowds: BTreeSet<Place> = self.figures.iter().map(|f| f.place).collect();
                self.opened.retain(|(from, _)| crowds.contains(&Place::Before(*from)));
            }
            Event::AssaultEnded { .. } => {
                self.end_assault(data);
                self.round = 0;
            }
            Event::Returned { figures, .. } => {
                for id in figures.iter().filter_map(find) {
                    self.figures[id.at()].wounded = true;
                }
            }
            Event::Gone { figures } => {
                for id in figures.iter().filter_map(find) {
                    self.figures[id.at()].place = Place::Dead;
                }
            }
            Event::Rallied { figures } => {
                for id in figures.iter().filter_map(find) {
                    self.figures[id.at()].place = Place::Camp;
                    self.figures[id.at()].wave = None;
                }
            }
            Event::Over { result, .. } => self.result = Some(result.clone()),
            Event::PhaseEnded { phase } => self.phase = *phase,
            Event::Next { window, day } => {
                self.window = *window;
                self.day = *day;
            }
            Event::Orders { .. }
            | Event::Stopped { .. }
            | Event::Outcome { .. }
            | Event::RoundBegan { .. }
            | Event::Zone(_)
            | Event::Lapsed { .. } => {}
        }
    }

    /// The place that a post stands for.
    pub fn at_post(post: Post) -> Place {
        match post {
            Post::Wall(wall) => Place::Wall(wall),
            Post::Room(room) => Place::Open(room),
            Post::Gun(gun) => Place::Gun(gun),
        }
    }

    fn hit(&mut self, data: &Data, id: FigureId, outcome: &str) {
        let figure = &mut self.figures[id.at()];
        figure.bound = None;
        match outcome {
            "wounded" => figure.wounded = true,
            "fallen" => figure.place = Place::Fallen,
            _ => figure.place = Place::Dead,
        }
        if data.figure(id).side == Side::Mahdist {
            self.casualties += 1;
            let wave = figure.wave;
            if let Some(wave) = self.waves.iter_mut().find(|w| Some(w.number) == wave) {
                wave.casualties += 1;
            }
        }
    }

    /// Everybody and every gun begins loaded.
    fn begin_assault(&mut self, data: &Data) {
        self.waves.clear();
        self.opened.clear();
        self.idle = 0;
        self.held = 0;
        for figure in &mut self.figures {
            figure.loaded = true;
            figure.shots = data.tables.fire.shots;
            figure.fired = 0;
            figure.disturbed = 0;
            figure.since = 0;
            figure.wave = None;
        }
        for gun in &mut self.guns {
            gun.loading = None;
            gun.silent = false;
        }
    }

    fn end_wave(&mut self, data: &Data, number: u32, status: WaveStatus) {
        let Some(wave) = self.waves.iter_mut().find(|w| w.number == number) else { return };
        wave.status = status;
        if data.rulings.markers_return {
            self.markers += wave.markers;
        }
        wave.markers = 0;
        for figure in &mut self.figures {
            if figure.wave == Some(number)
                && (figure.place.present() || figure.place == Place::Advancing)
            {
                figure.place = Place::Withdrawn;
            }
        }
    }

    fn end_assault(&mut self, data: &Data) {
        let left: Vec<u32> = self.waves.iter().filter(|w| w.active()).map(|w| w.number).collect();
        for wave in left {
            self.end_wave(data, wave, WaveStatus::Withdrawn);
        }
        for id in data.of(Side::Mahdist) {
            let figure = &mut self.figures[id.at()];
            if matches!(figure.place, Place::Rocks(_)) {
                figure.place = Place::Withdrawn;
            }
        }
        // Nobody is on his way any more; who was, stands where he was last.
        for id in data.of(Side::Garrison) {
            let room = self.figures[id.at()].place.room(data);
            let figure = &mut self.figures[id.at()];
            figure.bound = None;
            if let (Place::Before(_) | Place::Across(_), Some(room)) = (figure.place, room) {
                figure.place = Place::Open(room);
            }
        }
        self.waves.clear();
        self.opened.clear();
    }
}
