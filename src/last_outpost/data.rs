//! What a siege is played with: the compound, the figures, the tables, the rulings.

use std::collections::BTreeMap;

use crate::core::ruling::Ruling;
use crate::game::{RulesFault, RulesFiles, ScenarioInfo};

use super::load;

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The Anglo-Egyptian garrison.
    Garrison,
    /// The Mahdists.
    Mahdist,
}

impl Side {
    /// Both, the garrison first.
    pub const BOTH: [Self; 2] = [Self::Garrison, Self::Mahdist];

    /// As files and seats name it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Garrison => "garrison",
            Self::Mahdist => "mahdist",
        }
    }

    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Garrison => "Anglo-Egyptian",
            Self::Mahdist => "Mahdist",
        }
    }

    /// The other one.
    #[must_use]
    pub fn enemy(self) -> Self {
        match self {
            Self::Garrison => Self::Mahdist,
            Self::Mahdist => Self::Garrison,
        }
    }

    /// Reads its id.
    pub fn parse(text: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|side| side.id() == text)
    }
}

/// The kinds of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// With a rifle (R29).
    Soldier,
    /// With a revolver (R30).
    Officer,
    /// Serves a gun (R32, R34).
    Gunner,
    /// A Mahdist with spear and sword.
    Spear,
    /// A Mahdist with a rifle (R41, R42).
    Rifle,
}

impl Kind {
    /// All.
    pub const ALL: [Self; 5] =
        [Self::Soldier, Self::Officer, Self::Gunner, Self::Spear, Self::Rifle];

    /// As files name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Soldier => "soldier",
            Self::Officer => "officer",
            Self::Gunner => "gunner",
            Self::Spear => "spear",
            Self::Rifle => "rifle",
        }
    }

    /// Reads its name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub u16);

        impl $name {
            /// As an index.
            pub fn at(self) -> usize {
                usize::from(self.0)
            }
        }
    };
}

index!(
    /// A figure, by its place in [`Data::figures`].
    FigureId
);
index!(
    /// A zone (R12), by its place in [`Compound::zones`].
    ZoneId
);
index!(
    /// A room, by its place in [`Compound::rooms`].
    RoomId
);
index!(
    /// A wall, by its place in [`Compound::walls`].
    WallId
);
index!(
    /// A gun, by its place in [`Compound::guns`].
    GunId
);

/// A figure's fixed facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureData {
    /// Such as `soldier-07`.
    pub id: String,
    /// Whose.
    pub side: Side,
    /// What.
    pub kind: Kind,
    /// The chief who leads it; empty for the garrison, whose commands are zones.
    pub command: String,
    /// The gun that a gunner serves.
    pub gun: Option<GunId>,
}

/// A zone of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Such as `LZ`.
    pub id: String,
    /// Such as `large zeriba`.
    pub name: String,
    /// The garrison's command that holds it.
    pub command: String,
    /// Where the plan comes from.
    pub source: String,
}

/// What a room holds that the Mahdists come for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The water tower (R43).
    Tower,
    /// The hospital (R45).
    Hospital,
}

/// A zone, or a floor of the redoubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Such as `LZ` or `RD-roof`.
    pub id: String,
    /// Its zone.
    pub zone: ZoneId,
    /// How many of one side a floor takes.
    pub cap: Option<u32>,
    /// Floors above the ground.
    pub height: u32,
    /// What it holds.
    pub holds: Option<Holds>,
    /// For a floor: the rooms of other zones that it looks down on.
    pub sees: Vec<RoomId>,
    /// Where the plan comes from.
    pub source: String,
}

/// How one enters by a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From outside, over one of the nine sections (R14, R23).
    Outer,
    /// From a neighbouring room over a barrier (R23).
    Barrier(RoomId),
    /// From a neighbouring room through the redoubt's door (R24, R39).
    Door(RoomId),
    /// From the floor below or above (R40).
    Ladder(RoomId),
}

impl Way {
    /// The room one comes from.
    pub fn from(self) -> Option<RoomId> {
        match self {
            Self::Outer => None,
            Self::Barrier(room) | Self::Door(room) | Self::Ladder(room) => Some(room),
        }
    }

    /// True where one defends and two attack (R39, R40).
    pub fn narrow(self) -> bool {
        matches!(self, Self::Door(_) | Self::Ladder(_))
    }
}

/// A wall that can be held against those who would enter its room: one of the nine
/// sections, or the inner side of a barrier, door or ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Such as `LZ-N`, or `LZ/HB` for the barrier of the large zeriba towards HB.
    pub id: String,
    /// The room within.
    pub room: RoomId,
    /// How one enters.
    pub way: Way,
    /// The side of the compound, for guns: `N`, `E`, `S`, `W`; empty within.
    pub side: String,
    /// How many defenders find a place at it.
    pub places: u32,
    /// Where the plan comes from.
    pub source: String,
}

/// A gun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gun {
    /// Such as `gun-1`.
    pub id: String,
    /// Its wall section.
    pub wall: WallId,
    /// Its crew.
    pub crew: Vec<FigureId>,
}

/// The compound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compound {
    /// A drawing.
    pub plan: Vec<String>,
    /// The five zones (R12).
    pub zones: Vec<Zone>,
    /// The rooms.
    pub rooms: Vec<Room>,
    /// The nine sections first, then the inner walls.
    pub walls: Vec<Wall>,
    /// The guns.
    pub guns: Vec<Gun>,
    /// Sections that adjoin, both ways (R26).
    pub spill: Vec<(WallId, WallId)>,
}

impl Compound {
    /// A zone.
    pub fn zone(&self, id: ZoneId) -> &Zone {
        &self.zones[id.at()]
    }

    /// A room.
    pub fn room(&self, id: RoomId) -> &Room {
        &self.rooms[id.at()]
    }

    /// A wall.
    pub fn wall(&self, id: WallId) -> &Wall {
        &self.walls[id.at()]
    }

    /// A gun.
    pub fn gun(&self, id: GunId) -> &Gun {
        &self.guns[id.at()]
    }

    /// All zones.
    pub fn zone_ids(&self) -> impl Iterator<Item = ZoneId> + use<> {
        (0..count(self.zones.len())).map(ZoneId)
    }

    /// All rooms.
    pub fn room_ids(&self) -> impl Iterator<Item = RoomId> + use<> {
        (0..count(self.rooms.len())).map(RoomId)
    }

    /// All walls, the sections first.
    pub fn wall_ids(&self) -> impl Iterator<Item = WallId> + use<> {
        (0..count(self.walls.len())).map(WallId)
    }

    /// The nine sections (R14).
    pub fn sections(&self) -> impl Iterator<Item = WallId> + '_ {
        self.wall_ids().filter(|id| self.wall(*id).way == Way::Outer)
    }

    /// All guns.
    pub fn gun_ids(&self) -> impl Iterator<Item = GunId> + use<> {
        (0..count(self.guns.len())).map(GunId)
    }

    /// The zone of a wall.
    pub fn zone_of(&self, wall: WallId) -> ZoneId {
        self.room(self.wall(wall).room).zone
    }

    /// Walls by which one enters a room.
    pub fn walls_of(&self, room: RoomId) -> impl Iterator<Item = WallId> + '_ {
        self.wall_ids().filter(move |id| self.wall(*id).room == room)
    }

    /// The wall by which one goes from one room to the next.
    pub fn between(&self, from: RoomId, to: RoomId) -> Option<WallId> {
        self.wall_ids().find(|id| {
            let wall = self.wall(*id);
            wall.room == to && wall.way.from() == Some(from)
        })
    }

    /// The rooms next to one, with the wall by which one enters each.
    pub fn next_to(&self, room: RoomId) -> impl Iterator<Item = (RoomId, WallId)> + '_ {
        self.wall_ids().filter_map(move |id| {
            let wall = self.wall(id);
            (wall.way.from() == Some(room)).then_some((wall.room, id))
        })
    }

    /// The first step of the shortest way from one room to another.
    pub fn step(&self, from: RoomId, to: RoomId) -> Option<(RoomId, WallId)> {
        let mut seen = vec![false; self.rooms.len()];
        let mut queue = std::collections::VecDeque::new();
        seen[from.at()] = true;
        for (room, wall) in self.next_to(from) {
            queue.push_back((room, (room, wall)));
            seen[room.at()] = true;
        }
        while let Some((room, first)) = queue.pop_front() {
            if room == to {
                return Some(first);
            }
            for (next, _) in self.next_to(room) {
                if !seen[next.at()] {
                    seen[next.at()] = true;
                    queue.push_back((next, first));
                }
            }
        }
        None
    }

    /// True for sections that adjoin (R26).
    pub fn adjoin(&self, a: WallId, b: WallId) -> bool {
        self.spill.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
    }

    /// The room that holds something.
    pub fn holding(&self, what: Holds) -> Option<RoomId> {
        self.room_ids().find(|id| self.room(*id).holds == Some(what))
    }

    /// A wall by its id.
    pub fn find_wall(&self, text: &str) -> Option<WallId> {
        self.wall_ids().find(|id| self.wall(*id).id == text)
    }

    /// A room by its id.
    pub fn find_room(&self, text: &str) -> Option<RoomId> {
        self.room_ids().find(|id| self.room(*id).id == text)
    }

    /// A zone by its id.
    pub fn find_zone(&self, text: &str) -> Option<ZoneId> {
        self.zone_ids().find(|id| self.zone(*id).id == text)
    }

    /// A gun by its id.
    pub fn find_gun(&self, text: &str) -> Option<GunId> {
        self.gun_ids().find(|id| self.gun(*id).id == text)
    }

    /// The gun at a section, if there is one.
    pub fn gun_at(&self, wall: WallId) -> Option<GunId> {
        self.gun_ids().find(|id| self.gun(*id).wall == wall)
    }
}

/// Indices of small lists.
fn count(len: usize) -> u16 {
    u16::try_from(len).unwrap_or(u16::MAX)
}

/// What a card does (R5 to R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardDoes {
    /// Wounds a defender.
    Wounds,
    /// Kills a defender.
    Kills,
    /// Nothing.
    Nothing,
    /// The first does nothing, the second forces an assault.
    Joker,
}

/// A card of the deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Such as `4 of hearts`.
    pub name: String,
    /// What it does.
    pub does: CardDoes,
    /// Markers for the Mahdists.
    pub markers: u32,
}

/// Fire: the lowest die that hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FireTable {
    /// The garrison at Mahdists (R27).
    pub garrison: i32,
    /// The garrison at snipers on the roof or in the rocks (R41, R42).
    pub at_snipers: i32,
    /// Riflemen in the rocks (R42).
    pub rocks: i32,
    /// Snipers at a man in the open (R41).
    pub roof_open: i32,
    /// Snipers at a man in cover (R41).
    pub roof_cover: i32,
    /// Shots of a revolver in a round (R30).
    pub shots_a_round: u32,
    /// Shots of a revolver in all (R30).
    pub shots: u32,
}

/// Melee: the lowest sum that kills (R36).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeleeTable {
    /// A defender at one before a barrier, door or ladder.
    pub garrison_at_barrier: i32,
    /// A defender at one within.
    pub garrison_inside: i32,
    /// A Mahdist at the holder of a barrier, door or ladder.
    pub mahdist_at_barrier: i32,
    /// A Mahdist at one in the open, or from behind.
    pub mahdist_inside: i32,
    /// For a wounded defender's own roll (R35).
    pub wound: i32,
    /// For the roll of the holder of a ladder (R40).
    pub height: i32,
    /// How many attack one holder.
    pub at_holder: usize,
    /// How many attack one man in the open.
    pub in_the_open: usize,
}

/// Morale: a wave withdraws on this or less (R20).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoraleTable {
    /// At the first limit.
    pub first: u32,
    /// At the second limit.
    pub second: u32,
    /// The first limit, in per cent.
    pub first_percent: u32,
    /// The second limit, in per cent.
    pub second_percent: u32,
}

/// All tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The deck (R4), unshuffled.
    pub deck: Vec<Card>,
    /// Fire.
    pub fire: FireTable,
    /// A full crew (R32).
    pub crew: u32,
    /// Rounds to reload with it (R33).
    pub gun_reload: u32,
    /// Melee.
    pub melee: MeleeTable,
    /// Morale.
    pub morale: MoraleTable,
    /// The move on which a wave reaches its section (R16).
    pub wave_moves: u32,
    /// The dead that a marker raises (R19).
    pub raised: u32,
    /// The smallest wave.
    pub smallest_wave: u32,
    /// Figures for a die at the tower (R43).
    pub tower_figures: u32,
    /// Up to this die it is damaged.
    pub tower_die: u32,
    /// Damage that brings it down.
    pub tower_points: u32,
    /// Figures for an attempt at a gun (R44).
    pub gun_figures: u32,
    /// The lowest die that disables it.
    pub gun_die: u32,
    /// Ends of rounds that the yard must be held (R45).
    pub hospital_rounds: u32,
}

/// The rulings that the rules ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a named reading with two choices")]
pub struct Rulings {
    /// All, with the choice in force.
    pub all: Vec<Ruling>,
    /// minor-conditions.
    pub minor_conditions: u32,
    /// casualty-limit.
    pub casualty_limit: u32,
    /// marker-cap; `None` for no limit.
    pub marker_cap: Option<u32>,
    /// refresh = full.
    pub refresh_full: bool,
    /// second-joker = ends.
    pub second_joker_ends: bool,
    /// finished-markers = returned.
    pub markers_return: bool,
    /// silenced-gun = until-clear.
    pub gun_silent_until_clear: bool,
    /// officer-in-contact = fires.
    pub officer_fires_in_contact: bool,
    /// redoubt-fire = walls.
    pub redoubt_fires_at_walls: bool,
    /// all-guns = one.
    pub one_gun_is_enough: bool,
    /// gunners = any-gun.
    pub gunners_serve_any: bool,
    /// rounds-a-block.
    pub rounds_a_block: u32,
}

/// Everything about a game that does not change.
#[derive(Clone, Debug)]
pub struct Data {
    /// For lists.
    pub info: ScenarioInfo,
    /// Days of the siege (R2).
    pub days: u32,
    /// A decision at every step, or as many steps as pass without one.
    pub strict: bool,
    /// The compound.
    pub compound: Compound,
    /// The figures, the garrison first.
    pub figures: Vec<FigureData>,
    /// The figures by id.
    pub by_id: BTreeMap<String, FigureId>,
    /// Where the garrison stands by default.
    pub posts: Vec<(FigureId, Post)>,
    /// The tables.
    pub tables: Tables,
    /// The rulings.
    pub rulings: Rulings,
    /// The rules files, for templates and `describe`.
    pub files: RulesFiles,
}

/// Where a defender can be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Post {
    /// At a wall.
    Wall(WallId),
    /// Somewhere in a room.
    Room(RoomId),
    /// At a gun, as its crew.
    Gun(GunId),
}

impl Data {
    /// Loads and validates the rules files.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        load::load(files)
    }

    /// A figure's facts.
    pub fn figure(&self, id: FigureId) -> &FigureData {
        &self.figures[id.at()]
    }

    /// All figures.
    pub fn ids(&self) -> impl Iterator<Item = FigureId> + use<> {
        (0..count(self.figures.len())).map(FigureId)
    }

    /// The figures of a side.
    pub fn of(&self, side: Side) -> impl Iterator<Item = FigureId> + '_ {
        self.ids().filter(move |id| self.figure(*id).side == side)
    }

    /// A figure by its id.
    pub fn find(&self, text: &str) -> Option<FigureId> {
        self.by_id.get(text).copied()
    }

    /// True for one who may serve a gun (R34, ruling `gunners`).
    pub fn serves(&self, id: FigureId, gun: GunId) -> bool {
        let figure = self.figure(id);
        let any = self.rulings.gunners_serve_any;
        figure.kind == Kind::Gunner && (any || figure.gun == Some(gun))
    }

    /// The room of a post.
    pub fn room_of(&self, post: Post) -> RoomId {
        match post {
            Post::Wall(wall) => self.compound.wall(wall).room,
            Post::Room(room) => room,
            Post::Gun(gun) => self.compound.wall(self.compound.gun(gun).wall).room,
        }
    }

    /// A post as files name it.
    pub fn post_id(&self, post: Post) -> &str {
        match post {
            Post::Wall(wall) => &self.compound.wall(wall).id,
            Post::Room(room) => &self.compound.room(room).id,
            Post::Gun(gun) => &self.compound.gun(gun).id,
        }
    }

    /// A post by its id.
    pub fn find_post(&self, text: &str) -> Option<Post> {
        let compound = &self.compound;
        compound
            .find_wall(text)
            .map(Post::Wall)
            .or_else(|| compound.find_room(text).map(Post::Room))
            .or_else(|| compound.find_gun(text).map(Post::Gun))
    }

    /// Every post's id, for suggestions.
    pub fn post_ids(&self) -> Vec<&str> {
        let c = &self.compound;
        let walls = c.wall_ids().map(|id| c.wall(id).id.as_str());
        let rooms = c.room_ids().map(|id| c.room(id).id.as_str());
        let guns = c.gun_ids().map(|id| c.gun(id).id.as_str());
        walls.chain(rooms).chain(guns).collect()
    }

    /// Who stands at the compound's posts by default.
    pub fn default_posts(&self) -> BTreeMap<FigureId, Post> {
        self.posts.iter().copied().collect()
    }
}
