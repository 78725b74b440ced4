//! The position of a siege, and what each event does to it.

mod apply;
mod text;

pub use text::{place_of, place_words};

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::game::Seat;

use super::data::{Data, FigureId, GunId, Kind, Post, RoomId, Side, WallId, ZoneId};
use super::doctrine::{Doctrine, Intent, Raise, Through};

/// Where a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A defender who holds a wall.
    Wall(WallId),
    /// A gunner at his gun.
    Gun(GunId),
    /// Somewhere in a room.
    Open(RoomId),
    /// Before a wall that he would cross: outside a section, or in the room on the far
    /// side of a barrier, door or ladder (R23, R24).
    Before(WallId),
    /// Just over a barrier, touching it (R23).
    Across(RoomId),
    /// A defender who fell in this assault unwounded, and may return (R46).
    Fallen,
    /// Killed.
    Dead,
    /// A Mahdist who is free for a wave.
    Camp,
    /// A rifleman hidden in the rocks; `true` when he has fired (R42).
    Rocks(bool),
    /// With a wave that is still off the table (R16).
    Advancing,
    /// A Mahdist who is out until the next day.
    Withdrawn,
}

impl Place {
    /// The room in which he stands, if it is one.
    pub fn room(self, data: &Data) -> Option<RoomId> {
        match self {
            Self::Wall(wall) => Some(data.compound.wall(wall).room),
            Self::Gun(gun) => Some(data.room_of(Post::Gun(gun))),
            Self::Open(room) | Self::Across(room) => Some(room),
            Self::Before(wall) => data.compound.wall(wall).way.from(),
            _ => None,
        }
    }

    /// True for a defender who can act, and a Mahdist within or at the compound.
    pub fn present(self) -> bool {
        matches!(
            self,
            Self::Wall(_) | Self::Gun(_) | Self::Open(_) | Self::Before(_) | Self::Across(_)
        )
    }
}

/// A figure's changing facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureState {
    /// Where.
    pub place: Place,
    /// Wounded (R5, R9, R35, R46).
    pub wounded: bool,
    /// His wave, by its number.
    pub wave: Option<u32>,
    /// Where he was told to go.
    pub bound: Option<Post>,
    /// A rifle is loaded (R29).
    pub loaded: bool,
    /// Shots left in a revolver (R30).
    pub shots: u32,
    /// The round in which he fired last; 0 for never.
    pub fired: u32,
    /// The round in which he last attacked or was attacked (R29).
    pub disturbed: u32,
    /// The round in which he came to his place.
    pub since: u32,
}

/// How far a wave has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaveStatus {
    /// Off the table.
    Advancing,
    /// At the compound.
    Arrived,
    /// Withdrawn, or ordered off.
    Withdrawn,
    /// Nobody is left of it.
    Finished,
}

/// A wave (R15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Its number in this assault, from 1.
    pub number: u32,
    /// Whose it is.
    pub player: Id,
    /// The section that it rushes.
    pub target: WallId,
    /// The round in which it was launched.
    pub launched: u32,
    /// Moves made, up to that on which it arrives (R16).
    pub moves: u32,
    /// Figures at launch and those its markers stand for (R20).
    pub strength: u32,
    /// Casualties, each death counted.
    pub casualties: u32,
    /// Markers not yet spent (R18).
    pub markers: u32,
    /// Morale checks passed (R20).
    pub checks: u32,
    /// How far it has come.
    pub status: WaveStatus,
    /// When markers raise the dead.
    pub raise: Raise,
    /// Whether the first of a crowd cross or attack.
    pub through: Through,
    /// What its men do within.
    pub intents: Vec<Intent>,
    /// How many work at the tower at most.
    pub workers: u32,
}

impl Wave {
    /// True while it has men who act.
    pub fn active(&self) -> bool {
        matches!(self.status, WaveStatus::Advancing | WaveStatus::Arrived)
    }
}

/// A gun's changing facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GunState {
    /// Rounds loaded since it fired; `None` when it is ready (R33).
    pub loading: Option<u32>,
    /// Its section has been engaged in this assault (R31).
    pub silent: bool,
    /// Disabled for the rest of the game (R44).
    pub disabled: bool,
}

/// What one set of order files covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// Posting the garrison.
    Setup,
    /// A day's choice, the sniping, and the opening waves of an assault.
    Day,
    /// A block of rounds.
    Assault,
    /// Strict: the Mahdists form waves.
    Launch,
    /// Strict: the rest of the round.
    Round,
    /// The siege is over.
    End,
}

impl Window {
    /// As calls name it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Day => "day",
            Self::Assault => "assault",
            Self::Launch => "launch",
            Self::Round => "round",
            Self::End => "end",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Day => "day",
            Self::Assault => "assault",
            Self::Launch => "forming waves",
            Self::Round => "assault round",
            Self::End => "end",
        }
    }

    /// True while an assault goes on.
    pub fn in_assault(self) -> bool {
        matches!(self, Self::Assault | Self::Launch | Self::Round)
    }
}

/// The position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The game.
    pub game: String,
    /// The last phase resolved.
    pub phase: u32,
    /// The day, from 1 (R2).
    pub day: u32,
    /// The round of the assault that is next or going on; 0 outside assaults.
    pub round: u32,
    /// What comes next.
    pub window: Window,
    /// Every figure.
    pub figures: Vec<FigureState>,
    /// The waves of this assault.
    pub waves: Vec<Wave>,
    /// Every gun.
    pub guns: Vec<GunState>,
    /// Markers that the emir holds (R5, R6).
    pub markers: u32,
    /// Mahdist casualties, each death counted (R48).
    pub casualties: u32,
    /// This day must be an assault (R8).
    pub forced: bool,
    /// Damage of the tower (R43).
    pub tower: u32,
    /// Ends of rounds running at which the Mahdists held the yard (R45).
    pub held: u32,
    /// The patients are slain (R45).
    pub massacred: bool,
    /// Sections opened to those before another (R26): from, to.
    pub opened: BTreeSet<(WallId, WallId)>,
    /// Rounds running without an attack, a crossing or work (R10).
    pub idle: u32,
    /// Who plays.
    pub seats: Vec<Seat>,
    /// What each player ordered to stand.
    pub doctrine: BTreeMap<Id, Doctrine>,
    /// The result, once there is one.
    pub result: Option<String>,
}

impl State {
    /// The state before phase 1.
    pub fn initial(data: &Data, game: &Id, seats: &[Seat]) -> Self {
        let posts = data.default_posts();
        let figures = data
            .ids()
            .map(|id| {
                let place = match posts.get(&id) {
                    Some(Post::Wall(wall)) => Place::Wall(*wall),
                    Some(Post::Room(room)) => Place::Open(*room),
                    Some(Post::Gun(gun)) => Place::Gun(*gun),
                    None => Place::Camp,
                };
                FigureState {
                    place,
                    wounded: false,
                    wave: None,
                    bound: None,
                    loaded: true,
                    shots: data.tables.fire.shots,
                    fired: 0,
                    disturbed: 0,
                    since: 0,
                }
            })
            .collect();
        Self {
            game: game.to_string(),
            phase: 0,
            day: 1,
            round: 0,
            window: Window::Setup,
            figures,
            waves: Vec::new(),
            guns: vec![
                GunState { loading: None, silent: false, disabled: false };
                data.compound.guns.len()
            ],
            markers: 0,
            casualties: 0,
            forced: false,
            tower: 0,
            held: 0,
            massacred: false,
            opened: BTreeSet::new(),
            idle: 0,
            seats: seats.to_vec(),
            doctrine: BTreeMap::new(),
            result: None,
        }
    }

    /// A figure's facts.
    pub fn figure(&self, id: FigureId) -> &FigureState {
        &self.figures[id.at()]
    }

    /// Where a figure is.
    pub fn place(&self, id: FigureId) -> Place {
        self.figures[id.at()].place
    }

    /// The side that a player plays.
    pub fn side(&self, player: &Id) -> Option<Side> {
        let seat = self.seats.iter().find(|seat| seat.player == *player)?;
        Side::parse(&seat.side)
    }

    /// The player who holds a command of a side.
    pub fn holder(&self, side: Side, command: &str) -> Option<&Id> {
        let holds =
            |seat: &&Seat| seat.side == side.id() && seat.commands.iter().any(|c| c == command);
        self.seats.iter().find(holds).map(|seat| &seat.player)
    }

    /// The player who commands a zone of the garrison.
    pub fn commander(&self, data: &Data, zone: ZoneId) -> Option<&Id> {
        self.holder(Side::Garrison, &data.compound.zone(zone).command)
    }

    /// What a player ordered to stand; nothing at first.
    pub fn doctrine_of(&self, player: Option<&Id>) -> Doctrine {
        player.and_then(|id| self.doctrine.get(id)).cloned().unwrap_or_default()
    }

    /// A wave by number.
    pub fn wave(&self, number: u32) -> Option<&Wave> {
        self.waves.iter().find(|wave| wave.number == number)
    }

    /// Markers held and with waves: those that are not in the stock.
    pub fn markers_in_play(&self) -> u32 {
        self.markers + self.waves.iter().map(|wave| wave.markers).sum::<u32>()
    }

    /// Defenders who stand in the compound.
    pub fn garrison<'a>(&'a self, data: &'a Data) -> impl Iterator<Item = FigureId> + 'a {
        data.of(Side::Garrison).filter(|id| self.place(*id).present())
    }

    /// True when all guns that count are disabled (R44 and the ruling `all-guns`).
    pub fn guns_disabled(&self, data: &Data) -> bool {
        let mut guns = self.guns.iter().map(|gun| gun.disabled);
        if data.rulings.one_gun_is_enough { guns.any(|d| d) } else { guns.all(|d| d) }
    }

    /// True when the tower is down (R43).
    pub fn tower_down(&self, data: &Data) -> bool {
        self.tower >= data.tables.tower_points
    }

    /// How many of a kind a side has in some place.
    pub fn count(&self, data: &Data, kind: Kind, there: impl Fn(Place) -> bool) -> usize {
        data.ids().filter(|id| data.figure(*id).kind == kind && there(self.place(*id))).count()
    }
}
