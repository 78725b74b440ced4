//! The position of a game: what `state-after.toml` holds.
//!
//! [`State::apply`] is the only door through which it changes; it knows no rules
//! and rolls no dice, so a replay is a fold over the event log.

mod river;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::game::Seat;
use crate::geometry::hex::{Hex, Side};

use super::cite::cite;
use super::data::{Army, Data, UnitId, Victory};
use super::events::Event;
use super::fire::Target;
pub use river::{Note, River, Secret};

/// Where a unit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not yet on the map: to be placed or to enter.
    Waiting,
    /// In a hex.
    At(Hex),
    /// On board a gunboat since a turn (5.2.1).
    Aboard {
        /// The gunboat.
        boat: UnitId,
        /// The turn of loading.
        since: u32,
    },
    /// Eliminated: when, in words such as `turn 2 dervish`.
    Eliminated(String),
    /// Out of the game without being eliminated.
    Out,
}

/// Whether a unit is disrupted (7.8), and since whose player-turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In good order.
    Good,
    /// Disrupted in the player-turn of this army.
    Disrupted(Army),
}

/// A unit's place and order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitState {
    /// Where.
    pub place: Place,
    /// Disrupted or not.
    pub order: Order,
}

/// The rule steps that a phase covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// Set-up of the side that places first.
    #[serde(rename = "setup-1")]
    Setup,
    /// Set-up of the other side.
    #[serde(rename = "setup-2")]
    Setup2,
    /// Movement (5.0).
    Move,
    /// Both fires and melee (6.0, 7.0): cadence brisk.
    Combat,
    /// Defensive fire (6.7): cadence strict.
    Defence,
    /// Second fire of Maxims and howitzer fire of the defence (6.4.2): cadence strict.
    DefenceSecond,
    /// Offensive fire (6.8): cadence strict.
    Offence,
    /// Second fire of Maxims and howitzer fire of the offence: cadence strict.
    OffenceSecond,
    /// Melee (7.0): cadence strict.
    Melee,
    /// The game is over.
    End,
}

impl Window {
    /// The id in calls and records.
    pub fn id(self) -> &'static str {
        match self {
            Self::Setup => "setup-1",
            Self::Setup2 => "setup-2",
            Self::Move => "move",
            Self::Combat => "combat",
            Self::Defence => "defence",
            Self::DefenceSecond => "defence-second",
            Self::Offence => "offence",
            Self::OffenceSecond => "offence-second",
            Self::Melee => "melee",
            Self::End => "end",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Setup | Self::Setup2 => "set-up",
            Self::Move => "movement",
            Self::Combat => "fire and melee",
            Self::Defence => "defensive fire",
            Self::DefenceSecond => "defensive second fire",
            Self::Offence => "offensive fire",
            Self::OffenceSecond => "offensive second fire",
            Self::Melee => "melee",
            Self::End => "the end",
        }
    }

    /// True for the windows in which units are placed.
    pub fn is_setup(self) -> bool {
        matches!(self, Self::Setup | Self::Setup2)
    }

    /// True for the windows in which something is fired.
    pub fn has_fire(self) -> bool {
        matches!(
            self,
            Self::Combat
                | Self::Defence
                | Self::DefenceSecond
                | Self::Offence
                | Self::OffenceSecond
        )
    }

    /// True for the windows in which there is melee.
    pub fn has_melee(self) -> bool {
        matches!(self, Self::Combat | Self::Melee)
    }
}

/// What a unit does for the rest of its player-turn, or of the game turn, instead of
/// fighting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Builds the hexsides of the Zariba beside it (5.3.C).
    Construct,
    /// Destroys a fort, a wall hexside or the chain (6.5.3.B, 10.2.D).
    Demolish(Target),
}

impl Task {
    /// As states and orders write it: `construct`, `demolish 1242:SE`.
    pub fn words(&self) -> String {
        match self {
            Self::Construct => "construct".to_owned(),
            Self::Demolish(target) => format!("demolish {target}"),
        }
    }

    /// True for work that takes a whole game turn, both player-turns: at the chain
    /// (10.2.D and the ruling `chain-cutting`).
    pub fn whole_turn(&self) -> bool {
        matches!(self, Self::Demolish(Target::Chain(_)))
    }

    /// Reads it.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            None => (text == "construct").then_some(Self::Construct),
            Some(("demolish", target)) => Target::parse(target).map(Self::Demolish),
            _ => None,
        }
    }
}

/// Victory points that were scored (9.1.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// By whom.
    pub army: Army,
    /// How many.
    pub points: u32,
    /// The game turn.
    pub turn: u32,
    /// In whose player-turn.
    pub moving: Army,
    /// For which unit, eliminated.
    pub unit: UnitId,
}

impl Score {
    /// As states write it: `dervish 3 turn 3 dervish: xv-egy`.
    pub fn words(&self, data: &Data) -> String {
        let side = |army: Army| &data.side(army).id;
        let (by, moving) = (side(self.army), side(self.moving));
        let Self { points, turn, .. } = self;
        format!("{by} {points} turn {turn} {moving}: {}", data.unit(self.unit).id)
    }

    /// Reads it.
    pub fn parse(data: &Data, text: &str) -> Option<Self> {
        let army = |word: &str| {
            let side = data.scenario.sides.iter().find(|s| s.id == word)?;
            Some(side.army)
        };
        let (when, unit) = text.split_once(": ")?;
        let [by, points, "turn", turn, moving] = when.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        Some(Self {
            army: army(by)?,
            points: points.parse().ok()?,
            turn: turn.parse().ok()?,
            moving: army(moving)?,
            unit: data.find(unit)?,
        })
    }
}

/// A player's standing orders; they hold until changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Who is lost first: unit ids, tribes, nations, kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// What a unit without a fire order does: `nearest` or `hold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fire: Option<String>,
    /// Whether Anglo-Egyptian units advance when no order says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advance: Option<bool>,
    /// Whether cavalry and camels retreat before melee (7.5): `away` or `never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retreat: Option<String>,
}

/// The whole position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The game's id.
    pub game: String,
    /// Phases recorded so far.
    pub phase: u32,
    /// The game turn, from 1; 0 in set-up.
    pub turn: u32,
    /// Whose player-turn it is.
    pub moving: Army,
    /// The window that comes next.
    pub window: Window,
    /// Every unit, in roster order.
    pub units: Vec<UnitState>,
    /// Breached hexsides (6.6.3).
    pub breaches: BTreeSet<Side>,
    /// Hexsides of the Zariba that stand (5.3, 9.2.3).
    pub zariba: BTreeSet<Side>,
    /// Units at work in this player-turn; at the chain, in this game turn.
    pub tasks: BTreeMap<UnitId, Task>,
    /// Gunboats that have lost their engines (10.1.D).
    pub damaged: BTreeSet<UnitId>,
    /// Gunboats in a chained hex, with the hex that they came from (10.2.C).
    pub chained: BTreeMap<UnitId, Hex>,
    /// What is hidden in the Nile, as far as the viewer may know.
    pub river: River,
    /// Victory points so far.
    pub score: Vec<Score>,
    /// Who plays.
    pub seats: Vec<Seat>,
    /// Standing orders by player.
    pub standing: BTreeMap<Id, Standing>,
    /// The turn on which Gordon fell.
    pub gordon_fell: Option<u32>,
    /// The level of victory, when the game is over.
    pub result: Option<String>,
}

impl State {
    /// The position before phase 1: nobody on the map but forts and Gordon.
    pub fn initial(data: &Data, game: &Id, seats: &[Seat]) -> Self {
        if matches!(data.scenario.victory, Victory::Eliminations(_)) {
            // Who is in no command of the scenario is not in the battle.
            cite("9.2.1.1.B");
            cite("9.2.1.2.B");
        }
        let units = data
            .ids()
            .map(|id| UnitState {
                place: match data.unit(id).fort {
                    Some(hex) => Place::At(hex),
                    None => match data.scenario.gordon {
                        Some((gordon, palace)) if gordon == id => Place::At(palace),
                        _ => Place::Waiting,
                    },
                },
                order: Order::Good,
            })
            .collect();
        Self {
            game: game.to_string(),
            phase: 0,
            turn: 0,
            moving: data.scenario.first,
            window: Window::Setup,
            units,
            breaches: BTreeSet::new(),
            zariba: if data.scenario.zariba_built {
                data.board.zariba.iter().copied().collect()
            } else {
                BTreeSet::new()
            },
            tasks: BTreeMap::new(),
            damaged: BTreeSet::new(),
            chained: BTreeMap::new(),
            river: River::default(),
            score: Vec::new(),
            seats: seats.to_vec(),
            standing: BTreeMap::new(),
            gordon_fell: None,
            result: None,
        }
    }

    /// A unit's state.
    pub fn unit(&self, id: UnitId) -> &UnitState {
        &self.units[usize::from(id.0)]
    }

    fn unit_mut(&mut self, id: UnitId) -> &mut UnitState {
        &mut self.units[usize::from(id.0)]
    }

    /// A unit's hex, if it is on the map.
    pub fn hex(&self, id: UnitId) -> Option<Hex> {
        match self.unit(id).place {
            Place::At(hex) => Some(hex),
            _ => None,
        }
    }

    /// True if the unit is disrupted.
    pub fn disrupted(&self, id: UnitId) -> bool {
        self.unit(id).order != Order::Good
    }

    /// The units on board a gunboat.
    pub fn aboard(&self, data: &Data, boat: UnitId) -> Vec<UnitId> {
        let on = |id: &UnitId| matches!(self.unit(*id).place, Place::Aboard { boat: b, .. } if b == boat);
        data.ids().filter(on).collect()
    }

    /// The victory points of an army so far; the Tomb counts at the end.
    pub fn points(&self, army: Army) -> u32 {
        self.score.iter().filter(|s| s.army == army).map(|s| s.points).sum()
    }

    /// How many units of an army are eliminated; leaders, gunboats and forts too.
    pub fn eliminated(&self, data: &Data, army: Army) -> u32 {
        let lost = data
            .ids()
            .filter(|id| data.unit(*id).army == army)
            .filter(|id| matches!(self.unit(*id).place, Place::Eliminated(_)))
            .count();
        u32::try_from(lost).unwrap_or(u32::MAX)
    }

    /// The player who orders a unit.
    pub fn owner(&self, data: &Data, id: UnitId) -> Option<&Id> {
        let unit = data.unit(id);
        let side = &data.side(unit.army).id;
        self.seats
            .iter()
            .find(|s| s.side == *side && s.commands.contains(&unit.command))
            .map(|s| &s.player)
    }

    /// A player's army.
    pub fn army(&self, data: &Data, player: &Id) -> Option<Army> {
        let seat = self.seats.iter().find(|s| s.player == *player)?;
        data.scenario.sides.iter().find(|s| s.id == seat.side).map(|s| s.army)
    }

    /// `turn 2 dervish`: when something happened, for the record.
    pub fn when(&self, data: &Data) -> String {
        format!("turn {} {}", self.turn, data.side(self.moving).id)
    }

    /// Applies an event: bookkeeping only.
    pub fn apply(&mut self, data: &Data, event: &Event) {
        match event {
            Event::Placed { unit, hex } => self.put(data, unit, *hex),
            Event::Moved { unit, path, .. }
            | Event::Entered { unit, path, .. }
            | Event::Landed { unit, path, .. }
            | Event::Retreated { unit, path, .. } => {
                if let Some(hex) = path.last() {
                    self.put(data, unit, *hex);
                }
            }
            Event::Advanced { unit, to, .. } => self.put(data, unit, *to),
            Event::Eliminated { unit, .. } => {
                let when = self.when(data);
                if let Some(id) = data.find(unit) {
                    self.gone(id, Place::Eliminated(when));
                }
            }
            Event::LeftOut { unit, .. } | Event::Deserted { unit, .. } => {
                if let Some(id) = data.find(unit) {
                    self.gone(id, Place::Out);
                }
            }
            Event::Drifted { unit, path, off, .. } => {
                if let (Some(id), Some(hex)) = (data.find(unit), path.last()) {
                    self.put(data, unit, *hex);
                    if *off {
                        self.gone(id, Place::Out);
                    }
                }
            }
            Event::Loaded { unit, boat, turn, .. } => {
                if let (Some(id), Some(boat)) = (data.find(unit), data.find(boat)) {
                    self.unit_mut(id).place = Place::Aboard { boat, since: *turn };
                }
            }
            Event::Announced { unit, task, .. } => {
                if let (Some(id), Some(task)) = (data.find(unit), Task::parse(task)) {
                    self.tasks.insert(id, task);
                }
            }
            Event::GaveUp { unit, .. } => {
                if let Some(id) = data.find(unit) {
                    self.tasks.remove(&id);
                }
            }
            Event::Built { side, .. } => {
                self.zariba.insert(*side);
            }
            Event::Damaged { unit, .. } => {
                self.damaged.extend(data.find(unit));
            }
            Event::Chained { unit, from, .. } => {
                if let Some(id) = data.find(unit) {
                    self.chained.insert(id, *from);
                    // A Dervish boat that lies there tells nobody why.
                    self.river.chain_known |= data.unit(id).army == Army::AngloEgyptian;
                }
            }
            Event::ChainSunk { .. } => {
                self.river.chain_sunk = true;
                self.chained.clear();
            }
            Event::Hidden { owner, phase, text, salt } => {
                self.river.notes.push(Note {
                    owner: owner.clone(),
                    phase: *phase,
                    text: text.clone(),
                    salt: salt.clone(),
                    opened: false,
                });
            }
            Event::NoteOpened { text, .. } => self.river.open(text),
            Event::Scored { army, points, unit, .. } => {
                if let Some(unit) = data.find(unit) {
                    let (turn, moving) = (self.turn, self.moving);
                    let (army, points) = (*army, *points);
                    self.score.push(Score { army, points, turn, moving, unit });
                }
            }
            Event::Disrupted { unit, .. } => {
                let moving = self.moving;
                if let Some(id) = data.find(unit) {
                    self.unit_mut(id).order = Order::Disrupted(moving);
                }
            }
            Event::Recovered { unit, .. } => {
                if let Some(id) = data.find(unit) {
                    self.unit_mut(id).order = Order::Good;
                }
            }
            Event::Breached { side, .. } => {
                self.breaches.insert(*side);
            }
            Event::GordonFell { unit, turn, .. } => {
                let when = self.when(data);
                self.gordon_fell = Some(*turn);
                if let Some(id) = data.find(unit) {
                    self.gone(id, Place::Eliminated(when));
                }
            }
            Event::Standing { player, standing } => {
                self.standing.insert(player.clone(), standing.clone());
            }
            Event::Next { turn, moving, window } => {
                // A unit that stays disrupted beyond a player-turn is no longer fresh.
                if *moving != self.moving {
                    let same_turn = *turn == self.turn;
                    self.tasks.retain(|_, task| same_turn && task.whole_turn());
                    for unit in &mut self.units {
                        if unit.order == Order::Disrupted(self.moving) {
                            unit.order = Order::Disrupted(*moving);
                        }
                    }
                }
                self.turn = *turn;
                self.moving = *moving;
                self.window = *window;
            }
            Event::PhaseEnded { phase } => self.phase = *phase,
            Event::Over { result, .. } => {
                self.result = Some(result.clone());
                self.window = Window::End;
            }
            Event::Fight(_)
            | Event::Orders { .. }
            | Event::Outcome { .. }
            | Event::StayedBehind { .. }
            | Event::Wasted { .. }
            | Event::Desertion { .. }
            | Event::Struck { .. }
            | Event::Demolished { .. }
            | Event::Stopped { .. }
            | Event::Skipped { .. } => {}
        }
    }

    fn put(&mut self, data: &Data, unit: &str, hex: Hex) {
        if let Some(id) = data.find(unit) {
            self.unit_mut(id).place = Place::At(hex);
            self.chained.remove(&id);
        }
    }

    /// Takes a unit off the map, with all that is noted of it.
    fn gone(&mut self, id: UnitId, place: Place) {
        let state = self.unit_mut(id);
        state.place = place;
        state.order = Order::Good;
        self.tasks.remove(&id);
        self.damaged.remove(&id);
        self.chained.remove(&id);
    }
}
