//! A position and the questions that the rules ask of it: who stands opposite whom,
//! who is in contact, what can be fired at, who counts for what. Forms, checks,
//! answers and the resolver ask the same functions.

use std::collections::BTreeMap;

use super::data::{Data, FigureId, GunId, Kind, Post, RoomId, Side, WallId, Way, ZoneId};
use super::state::{Place, State, Wave, WaveStatus};

/// A state with its data.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// What does not change.
    pub data: &'a Data,
    /// What does.
    pub state: &'a State,
}

/// Who does what at a wall that is attacked (ruling `matching`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Front {
    /// Those opposite empty places: they cross in their next move, if they came before
    /// this round, and attack until then.
    pub crossers: Vec<FigureId>,
    /// Each holder with those who attack him.
    pub pairs: BTreeMap<FigureId, Vec<FigureId>>,
    /// Those who wait behind.
    pub waiting: Vec<FigureId>,
}

/// Something that can be fired at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aim {
    /// Mahdists in the shooter's own room.
    Inside(RoomId),
    /// Mahdists before a section.
    Section(WallId),
    /// A wave off the table, by number.
    Wave(u32),
    /// Mahdists in a room of the next zone, or beyond it.
    Next(RoomId),
    /// Riflemen on an upper floor, or in the rocks.
    Snipers,
}

impl<'a> Position<'a> {
    /// Joins them.
    pub fn new(data: &'a Data, state: &'a State) -> Self {
        Self { data, state }
    }

    /// The zone in which a figure acts: that of the room in which it stands, of the
    /// section before which it stands, or of its wave's section.
    pub fn acts_in(&self, id: FigureId) -> Option<ZoneId> {
        let c = &self.data.compound;
        match self.state.place(id) {
            Place::Before(wall) if c.wall(wall).way == Way::Outer => Some(c.zone_of(wall)),
            Place::Advancing => {
                let wave = self.state.wave(self.state.figure(id).wave?)?;
                Some(c.zone_of(wave.target))
            }
            place => place.room(self.data).map(|room| c.room(room).zone),
        }
    }

    /// The figures of a side that stand in a room: the garrison at its walls and guns
    /// too, Mahdists who are within.
    pub fn in_room(&self, side: Side, room: RoomId) -> Vec<FigureId> {
        let here = |id: &FigureId| self.state.place(*id).room(self.data) == Some(room);
        self.data.of(side).filter(here).collect()
    }

    /// The figures of a side that stand in a zone.
    pub fn in_zone(&self, side: Side, zone: ZoneId) -> Vec<FigureId> {
        let c = &self.data.compound;
        let here = |id: &FigureId| {
            self.state.place(*id).room(self.data).is_some_and(|room| c.room(room).zone == zone)
        };
        self.data.of(side).filter(here).collect()
    }

    /// The defenders who hold a wall, gunners at their gun among them.
    pub fn holders(&self, wall: WallId) -> Vec<FigureId> {
        let gun = self.data.compound.gun_at(wall);
        let holds = |id: &FigureId| match self.state.place(*id) {
            Place::Wall(w) => w == wall,
            Place::Gun(g) => Some(g) == gun,
            _ => false,
        };
        self.data.of(Side::Garrison).filter(holds).collect()
    }

    /// Those who stand before a wall, in the order in which they came, by wave and id.
    pub fn before(&self, wall: WallId) -> Vec<FigureId> {
        let mut ids: Vec<FigureId> = self
            .data
            .of(Side::Mahdist)
            .filter(|id| self.state.place(*id) == Place::Before(wall))
            .collect();
        ids.sort_by_key(|id| {
            let figure = self.state.figure(*id);
            (figure.since, figure.wave, *id)
        });
        ids
    }

    /// Places at a wall that nobody holds.
    pub fn empty_places(&self, wall: WallId) -> usize {
        let places = self.data.compound.wall(wall).places as usize;
        places.saturating_sub(self.holders(wall).len())
    }

    /// Who of a crowd before a wall may cross, whom each attacks who does not, and who
    /// waits behind.
    pub fn front(&self, wall: WallId) -> Front {
        let crowd = self.before(wall);
        let holders = self.holders(wall);
        let mut front = Front::default();
        let gaps = self.empty_places(wall);
        let holders_first = crowd.first().is_some_and(|id| {
            let wave = self.state.figure(*id).wave.and_then(|n| self.state.wave(n));
            wave.is_some_and(|w| w.through == super::doctrine::Through::Holders)
        });
        let at_holder = self.data.tables.melee.at_holder;
        let room_for = holders.len() * at_holder;
        // Whoever does not cross in the movement attacks: on arrival everybody (R16).
        let attackers = crowd.len().min(room_for);
        front.crossers = if holders_first {
            crowd[attackers..].iter().copied().take(gaps).collect()
        } else {
            crowd.iter().copied().take(gaps).collect()
        };
        for (at, id) in crowd.into_iter().enumerate() {
            if at < room_for {
                front.pairs.entry(holders[at % holders.len()]).or_default().push(id);
            } else {
                front.waiting.push(id);
            }
        }
        front
    }

    /// Who fights whom within a room: each Mahdist there who does not stand before
    /// another wall or work, against a defender there, three at most on one.
    pub fn inside(&self, room: RoomId, workers: &[FigureId]) -> BTreeMap<FigureId, Vec<FigureId>> {
        let mut pairs: BTreeMap<FigureId, Vec<FigureId>> = BTreeMap::new();
        let mut defenders = self.in_room(Side::Garrison, room);
        // The wounded fall first, and whoever stands alone.
        defenders.sort_by_key(|id| (!self.state.figure(*id).wounded, *id));
        if defenders.is_empty() {
            return pairs;
        }
        let mut at = 0;
        for id in self.in_room(Side::Mahdist, room) {
            let free = !matches!(self.state.place(id), Place::Before(_)) && !workers.contains(&id);
            if !free {
                continue;
            }
            if at == defenders.len() * self.data.tables.melee.in_the_open {
                break;
            }
            pairs.entry(defenders[at % defenders.len()]).or_default().push(id);
            at += 1;
        }
        pairs
    }

    /// The Mahdists who are in contact with a defender: those within first.
    pub fn contact(&self, id: FigureId) -> Vec<FigureId> {
        let Some(room) = self.state.place(id).room(self.data) else { return Vec::new() };
        let mut out = self.inside(room, &[]).remove(&id).unwrap_or_default();
        let c = &self.data.compound;
        let wall = match self.state.place(id) {
            Place::Wall(wall) => Some(wall),
            Place::Gun(gun) => Some(c.gun(gun).wall),
            _ => None,
        };
        if let Some(wall) = wall {
            out.extend(self.front(wall).pairs.remove(&id).unwrap_or_default());
        }
        out
    }

    /// The waves that come at a section and are off the table.
    pub fn coming(&self, wall: WallId) -> impl Iterator<Item = &'a Wave> {
        let state = self.state;
        state.waves.iter().filter(move |w| w.status == WaveStatus::Advancing && w.target == wall)
    }

    /// The living men of a wave.
    pub fn members(&self, number: u32) -> Vec<FigureId> {
        self.data
            .of(Side::Mahdist)
            .filter(|id| {
                let figure = self.state.figure(*id);
                figure.wave == Some(number)
                    && (figure.place.present() || figure.place == Place::Advancing)
            })
            .collect()
    }

    /// The dead of a wave, who can be raised (R19).
    pub fn dead_of(&self, number: u32) -> Vec<FigureId> {
        self.data
            .of(Side::Mahdist)
            .filter(|id| {
                let figure = self.state.figure(*id);
                figure.wave == Some(number) && figure.place == Place::Dead
            })
            .collect()
    }

    /// A section is engaged when Mahdists stand before it, or fight within on it.
    pub fn engaged(&self, wall: WallId) -> bool {
        if !self.before(wall).is_empty() {
            return true;
        }
        let holders = self.holders(wall);
        let pairs = self.inside(self.data.compound.wall(wall).room, &[]);
        holders.iter().any(|id| pairs.contains_key(id))
    }

    /// Defenders who count for the initiative of a zone (R13, ruling `initiative-count`).
    pub fn at_barriers(&self, zone: ZoneId) -> usize {
        let c = &self.data.compound;
        self.in_zone(Side::Garrison, zone)
            .into_iter()
            .filter(|id| match self.state.place(*id) {
                Place::Wall(_) | Place::Gun(_) | Place::Across(_) => true,
                Place::Before(wall) => c.wall(wall).way.from().is_some(),
                _ => false,
            })
            .count()
    }

    /// A defender may fire: he has a weapon and it is loaded (R29, R30, R34).
    pub fn can_fire(&self, id: FigureId) -> bool {
        let figure = self.state.figure(id);
        match self.data.figure(id).kind {
            Kind::Soldier => figure.loaded,
            Kind::Officer => figure.shots > 0,
            Kind::Rifle => figure.loaded && self.state.round >= figure.fired + 2,
            Kind::Gunner | Kind::Spear => false,
        }
    }

    /// The rooms of the next zones, into which one can fire from a room (R28).
    fn zones_beside(&self, room: RoomId) -> Vec<RoomId> {
        let c = &self.data.compound;
        if c.room(room).cap.is_some() {
            return c.room(room).sees.clone();
        }
        let over = |wall: WallId| matches!(c.wall(wall).way, Way::Barrier(_));
        c.next_to(room).filter(|(_, wall)| over(*wall)).map(|(next, _)| next).collect()
    }

    /// Rooms of other zones into which one can fire from a room (R28): those next to
    /// it, and those beyond one that is empty of both sides.
    pub fn fire_into(&self, room: RoomId) -> Vec<RoomId> {
        let c = &self.data.compound;
        let mut out = Vec::new();
        for next in self.zones_beside(room) {
            out.push(next);
            let empty = Side::BOTH.iter().all(|side| self.in_room(*side, next).is_empty());
            if empty && c.room(room).cap.is_none() {
                for (beyond, wall) in c.next_to(next) {
                    let barrier = matches!(c.wall(wall).way, Way::Barrier(_));
                    if barrier && beyond != room && !out.contains(&beyond) {
                        out.push(beyond);
                    }
                }
            }
        }
        out
    }

    /// What a defender can fire at where he stands, whatever his orders say. He fires
    /// over his own wall, into his room, into the next zone from anywhere but a wall
    /// (R21: he steps to the edge), and at those who storm an adjoining section.
    pub fn aims(&self, id: FigureId) -> Vec<Aim> {
        let c = &self.data.compound;
        let place = self.state.place(id);
        let Some(room) = place.room(self.data) else { return Vec::new() };
        let mut out = Vec::new();
        let enemies = |room: RoomId| !self.in_room(Side::Mahdist, room).is_empty();
        if enemies(room) {
            out.push(Aim::Inside(room));
        }
        let upstairs = c.room(room).height > 0;
        if let Place::Wall(wall) = place
            && c.wall(wall).way == Way::Outer
        {
            if !self.before(wall).is_empty() {
                out.push(Aim::Section(wall));
            }
            out.extend(self.coming(wall).map(|w| Aim::Wave(w.number)));
            for other in c.sections().filter(|other| *other != wall) {
                // The far wall of his own zone is no neighbour: HB-S does not fire over
                // HB-N, nor do its attackers walk round to it (R26).
                if c.adjoin(wall, other) && !self.before(other).is_empty() {
                    out.push(Aim::Section(other));
                }
            }
        } else if !upstairs && c.room(room).cap.is_none() {
            // From the middle of a zone: at those before any of its sections.
            for wall in c.sections().filter(|w| c.wall(*w).room == room) {
                if !self.before(wall).is_empty() {
                    out.push(Aim::Section(wall));
                }
            }
        }
        if upstairs {
            let off = self.state.waves.iter().filter(|w| w.status == WaveStatus::Advancing);
            out.extend(off.map(|w| Aim::Wave(w.number)));
            if self.data.rulings.redoubt_fires_at_walls {
                let beside = self.zones_beside(room);
                for wall in c.sections().filter(|w| beside.contains(&c.wall(*w).room)) {
                    if !self.before(wall).is_empty() {
                        out.push(Aim::Section(wall));
                    }
                }
            }
        }
        let at_outer_wall = matches!(place, Place::Wall(w) if c.wall(w).way == Way::Outer);
        if !at_outer_wall && !matches!(place, Place::Gun(_)) {
            for next in self.fire_into(room).into_iter().filter(|next| enemies(*next)) {
                out.push(Aim::Next(next));
            }
        }
        if !self.snipers_seen(id).is_empty() {
            out.push(Aim::Snipers);
        }
        out
    }

    /// Snipers whom a defender may answer: those in the rocks from the upper floors
    /// (R42), those on an upper floor from the zones beside it and within (R41).
    pub fn snipers_seen(&self, id: FigureId) -> Vec<FigureId> {
        let c = &self.data.compound;
        let Some(room) = self.state.place(id).room(self.data) else { return Vec::new() };
        let upstairs = c.room(room).height > 0;
        let sees = |sniper: FigureId| match self.state.place(sniper) {
            Place::Rocks(seen) => seen && upstairs,
            Place::Open(at) => {
                c.room(at).height > 0
                    && self.data.figure(sniper).kind == Kind::Rifle
                    && at != room
                    && self.zones_beside(at).contains(&room)
            }
            _ => false,
        };
        self.data.of(Side::Mahdist).filter(|s| sees(*s)).collect()
    }

    /// The men of a target, in the order in which they fall: spears before rifles.
    pub fn men(&self, aim: Aim, shooter: FigureId) -> Vec<FigureId> {
        let mut men = match aim {
            Aim::Inside(room) | Aim::Next(room) => self.in_room(Side::Mahdist, room),
            Aim::Section(wall) => self.before(wall),
            Aim::Wave(number) => self
                .members(number)
                .into_iter()
                .filter(|id| self.state.place(*id) == Place::Advancing)
                .collect(),
            Aim::Snipers => return self.snipers_seen(shooter),
        };
        if !matches!(aim, Aim::Section(_)) {
            men.sort_by_key(|id| (self.data.figure(*id).kind, *id));
        }
        men
    }

    /// The crew at a gun.
    pub fn crew(&self, gun: GunId) -> Vec<FigureId> {
        self.data.of(Side::Garrison).filter(|id| self.state.place(*id) == Place::Gun(gun)).collect()
    }

    /// How a gun stands, in a word: plan, form and report say the same. Between
    /// assaults every gun is ready that is not disabled.
    pub fn gun_word(&self, gun: GunId) -> String {
        let g = self.state.guns[gun.at()];
        let fights = self.state.window.in_assault();
        match (g.disabled, fights && g.silent, g.loading.filter(|_| fights)) {
            (true, ..) => "disabled".to_owned(),
            (_, true, _) => "silent".to_owned(),
            (_, _, Some(n)) => format!("loading {n}"),
            _ => "ready".to_owned(),
        }
    }

    /// The waves that a gun may fire at (R31).
    pub fn gun_targets(&self, gun: GunId) -> Vec<&'a Wave> {
        let c = &self.data.compound;
        let side = &c.wall(c.gun(gun).wall).side;
        let state = self.state;
        state
            .waves
            .iter()
            .filter(|w| w.status == WaveStatus::Advancing && c.wall(w.target).side == *side)
            .collect()
    }

    /// The wave's limits in casualties (R20): the first and the second.
    pub fn limits(&self, wave: &Wave) -> [u32; 2] {
        let morale = &self.data.tables.morale;
        [morale.first_percent, morale.second_percent]
            .map(|percent| (wave.strength * percent).div_ceil(100))
    }

    /// How many of a side a room still takes.
    pub fn room_for(&self, side: Side, room: RoomId) -> usize {
        match self.data.compound.room(room).cap {
            Some(cap) => (cap as usize).saturating_sub(self.in_room(side, room).len()),
            None => usize::MAX,
        }
    }

    /// How many more defenders find a place at a post.
    pub fn places_left(&self, post: Post) -> usize {
        match post {
            Post::Wall(wall) => self.empty_places(wall),
            Post::Room(room) => self.room_for(Side::Garrison, room),
            Post::Gun(gun) => (self.data.tables.crew as usize).saturating_sub(self.crew(gun).len()),
        }
    }

    /// The smallest lawful wave, and the section with the fewest defenders: where it
    /// goes when an assault begins to which nobody ordered one (ruling `smallest-wave`).
    pub fn smallest_wave(&self) -> Option<(WallId, Vec<FigureId>)> {
        let target = self.data.compound.sections().min_by_key(|w| self.holders(*w).len())?;
        let smallest = self.data.tables.smallest_wave as usize;
        Some((target, self.uncommitted(None).into_iter().take(smallest).collect()))
    }

    /// Mahdists who can form a wave.
    pub fn uncommitted(&self, command: Option<&str>) -> Vec<FigureId> {
        self.data
            .of(Side::Mahdist)
            .filter(|id| self.state.place(*id) == Place::Camp)
            .filter(|id| command.is_none_or(|c| self.data.figure(*id).command == c))
            .collect()
    }
}
