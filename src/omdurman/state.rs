//! The position of a game: what `state-after.toml` holds.
//!
//! [`State::apply`] is the only door through which it changes; it knows no rules
//! and rolls no dice, so a replay is a fold over the event log.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::game::{GameError, Seat};
use crate::geometry::hex::{Hex, Side};

use super::data::{Army, Data, UnitId};
use super::events::Event;

/// Where a unit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not yet on the map: to be placed or to enter.
    Waiting,
    /// In a hex.
    At(Hex),
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
    /// Movement (5.0).
    Move,
    /// Both fires and melee (6.0, 7.0): cadence brisk.
    Combat,
    /// Defensive fire (6.7): cadence strict.
    Defence,
    /// Offensive fire (6.8): cadence strict.
    Offence,
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
            Self::Move => "move",
            Self::Combat => "combat",
            Self::Defence => "defence",
            Self::Offence => "offence",
            Self::Melee => "melee",
            Self::End => "end",
        }
    }

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Setup => "set-up",
            Self::Move => "movement",
            Self::Combat => "fire and melee",
            Self::Defence => "defensive fire",
            Self::Offence => "offensive fire",
            Self::Melee => "melee",
            Self::End => "the end",
        }
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
    /// Who plays.
    pub seats: Vec<Seat>,
    /// Standing orders by player.
    pub standing: BTreeMap<Id, Standing>,
    /// The turn on which Gordon fell.
    pub gordon_fell: Option<u32>,
    /// The level of victory, when the game is over.
    pub result: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing)]
    #[allow(dead_code, reason = "a sealed game's first line, added and removed by the ledger")]
    salt: Option<String>,
    game: String,
    scenario: String,
    /// With `scenario`, what a view needs to be read without its game folder.
    #[serde(default)]
    cadence: String,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    phase: u32,
    turn: u32,
    moving: String,
    window: Window,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gordon_fell: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(default)]
    breaches: Vec<String>,
    units: BTreeMap<String, String>,
    seat: Vec<SeatFile>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    standing: BTreeMap<Id, Standing>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatFile {
    player: Id,
    side: String,
    commands: Vec<String>,
}

impl State {
    /// The position before phase 1: nobody on the map but forts and Gordon.
    pub fn initial(data: &Data, game: &Id, seats: &[Seat]) -> Self {
        let units = data
            .ids()
            .map(|id| UnitState {
                place: match data.unit(id).fort {
                    Some(hex) => Place::At(hex),
                    None if id == data.scenario.gordon.0 => Place::At(data.scenario.gordon.1),
                    None => Place::Waiting,
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
            Event::Moved { unit, path, .. } | Event::Entered { unit, path, .. } => {
                if let Some(hex) = path.last() {
                    self.put(data, unit, *hex);
                }
            }
            Event::Advanced { unit, to, .. } => self.put(data, unit, *to),
            Event::Eliminated { unit, .. } => {
                let when = self.when(data);
                if let Some(id) = data.find(unit) {
                    let state = self.unit_mut(id);
                    state.place = Place::Eliminated(when);
                    state.order = Order::Good;
                }
            }
            Event::LeftOut { unit, .. } => {
                if let Some(id) = data.find(unit) {
                    self.unit_mut(id).place = Place::Out;
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
                    self.unit_mut(id).place = Place::Eliminated(when);
                }
            }
            Event::Standing { player, standing } => {
                self.standing.insert(player.clone(), standing.clone());
            }
            Event::Next { turn, moving, window } => {
                // A unit that stays disrupted beyond a player-turn is no longer fresh.
                if *moving != self.moving {
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
            | Event::Skipped { .. } => {}
        }
    }

    fn put(&mut self, data: &Data, unit: &str, hex: Hex) {
        if let Some(id) = data.find(unit) {
            self.unit_mut(id).place = Place::At(hex);
        }
    }

    /// The state as TOML in normal form.
    pub fn to_text(&self, data: &Data, viewer: Option<&str>) -> String {
        let word = |id: UnitId| {
            let unit = self.unit(id);
            let mut text = match &unit.place {
                Place::Waiting => "waiting".to_owned(),
                Place::At(hex) => hex.to_string(),
                Place::Eliminated(when) => format!("eliminated {when}"),
                Place::Out => "out".to_owned(),
            };
            if let Order::Disrupted(army) = unit.order {
                let _ = write!(text, " disrupted {}", data.side(army).id);
            }
            text
        };
        let file = File {
            salt: None,
            game: self.game.clone(),
            scenario: data.scenario.info.id.clone(),
            cadence: if data.strict { "strict" } else { "brisk" }.to_owned(),
            rulings: data
                .rulings
                .all
                .iter()
                .filter(|r| r.choice != r.default)
                .map(|r| (r.name.clone(), r.choice.clone()))
                .collect(),
            phase: self.phase,
            turn: self.turn,
            moving: data.side(self.moving).id.clone(),
            window: self.window,
            viewer: viewer.map(str::to_owned),
            gordon_fell: self.gordon_fell,
            result: self.result.clone(),
            breaches: self.breaches.iter().map(ToString::to_string).collect(),
            units: data.ids().map(|id| (data.unit(id).id.clone(), word(id))).collect(),
            seat: self
                .seats
                .iter()
                .map(|s| SeatFile {
                    player: s.player.clone(),
                    side: s.side.clone(),
                    commands: s.commands.clone(),
                })
                .collect(),
            standing: self.standing.clone(),
        };
        // A map of texts, numbers and lists always has a TOML form.
        toml::to_string(&file).unwrap_or_default()
    }

    /// Reads a state or a view.
    ///
    /// # Errors
    /// What is wrong with it, in words, with the line where there is one.
    pub fn parse(data: &Data, text: &str) -> Result<Self, GameError> {
        let bad = |message: String| GameError::State(message);
        let file: File = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
        if file.scenario != data.scenario.info.id {
            let mine = &data.scenario.info.id;
            return Err(bad(format!("it is of scenario `{}`, not `{mine}`", file.scenario)));
        }
        let army = |text: &str| {
            let side = data.scenario.sides.iter().find(|s| s.id == text);
            side.map(|s| s.army).ok_or_else(|| bad(format!("`{text}` is no side")))
        };
        let mut units =
            vec![UnitState { place: Place::Waiting, order: Order::Good }; data.units.len()];
        if file.units.len() != units.len() {
            return Err(bad(format!("it has {} units, not {}", file.units.len(), units.len())));
        }
        for (name, text) in &file.units {
            let id = data.find(name).ok_or_else(|| bad(format!("`{name}` is no unit")))?;
            let (place, order) = match text.split_once(" disrupted ") {
                Some((place, side)) => (place, Order::Disrupted(army(side)?)),
                None => (text.as_str(), Order::Good),
            };
            let place = match place {
                "waiting" => Place::Waiting,
                "out" => Place::Out,
                _ => match place.strip_prefix("eliminated ") {
                    Some(when) => Place::Eliminated(when.to_owned()),
                    None => match Hex::parse(place).filter(|h| data.board.has(*h)) {
                        Some(hex) => Place::At(hex),
                        None => return Err(bad(format!("`{place}` is no place for {name}"))),
                    },
                },
            };
            units[usize::from(id.0)] = UnitState { place, order };
        }
        let mut breaches = BTreeSet::new();
        for text in &file.breaches {
            match Side::parse(text).filter(|s| data.board.side(*s).wall) {
                Some(side) => breaches.insert(side),
                None => return Err(bad(format!("`{text}` is no wall to be breached"))),
            };
        }
        let seats = file
            .seat
            .into_iter()
            .map(|s| Seat { player: s.player, side: s.side, commands: s.commands })
            .collect();
        Ok(Self {
            game: file.game,
            phase: file.phase,
            turn: file.turn,
            moving: army(&file.moving)?,
            window: file.window,
            units,
            breaches,
            seats,
            standing: file.standing,
            gordon_fell: file.gordon_fell,
            result: file.result,
        })
    }
}
