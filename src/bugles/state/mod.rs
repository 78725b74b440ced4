//! The position: generals, units with their bases, markers, storm, clock.

mod apply;
mod text;
mod unit;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::core::dice::SealedRoll;
use crate::core::id::Id;
use crate::game::Seat;
use crate::geometry::plane::{Point, Pose};

use super::data::{Army, Cadence, Data, Objective, Troop};

pub use unit::{Base, Bend, Condition, FirePlan, Formation, Order, Presence, Unit, bases};

/// A general.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct General {
    /// His id, which is also that of his command.
    pub id: String,
    /// As printed.
    pub name: String,
    /// Whose.
    pub army: Army,
    /// The command whose player leads him.
    pub seat: String,
    /// Where he is.
    pub at: Point,
    /// He is on the table.
    pub here: bool,
    /// The base that he goes with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<String>,
    /// He is `MacDonald` (R25).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub macdonald: bool,
}

/// What is behind a marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behind {
    /// This unit.
    Unit(String),
    /// Nothing.
    Nothing,
    /// A random emir's force; an empty list is a false marker (R6).
    Random(Vec<Drawn>),
    /// In views only: one may not know.
    Unseen,
}

/// A unit that the dice drew for a random emir (R2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// What it is.
    pub troop: Troop,
    /// How many bases.
    pub bases: u32,
    /// How many of them are rifles.
    pub rifles: u32,
}

/// A marker on the table (R20, R21).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    /// Its id.
    pub id: String,
    /// Where.
    pub at: Point,
    /// Whose command moves it, where one may know.
    pub general: String,
    /// It came under fire since it last moved (R22).
    #[serde(default)]
    pub under_fire: bool,
    /// It stands still until the storm is over (R31).
    #[serde(default)]
    pub halted: bool,
    /// It stands for a unit that a storm hides, and goes with the storm (R31).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub veil: bool,
    /// Bases noted as destroyed; `None` in views of those who may not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noted: Option<u32>,
    /// What is behind it.
    pub behind: Behind,
    /// Sealed rolls that open with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sealed: Vec<SealedRoll>,
}

/// A dust storm (R31).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storm {
    /// The last turn of it.
    pub until: u32,
    /// How far one sees, in units.
    pub sight: i64,
}

/// A window: what a phase covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Window {
    /// The dice decide what emirs bring (R2); nobody is asked.
    Muster,
    /// Setting up.
    Deploy,
    /// Steps 1 and 2 (brisk), or 1 (strict).
    Orders,
    /// Step 2 (strict).
    Mahdist,
    /// Steps 3 to 6.
    Action,
    /// Steps 1 to 6 (single).
    Turn,
    /// The game is over.
    End,
}

impl Window {
    /// Its word in records.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Muster => "muster",
            Self::Deploy => "deploy",
            Self::Orders => "orders",
            Self::Mahdist => "mahdist",
            Self::Action => "action",
            Self::Turn => "turn",
            Self::End => "end",
        }
    }

    /// For people.
    pub const fn title(self, cadence: Cadence) -> &'static str {
        match (self, cadence) {
            (Self::Muster, _) => "the emirs muster",
            (Self::Deploy, _) => "deployment",
            (Self::Orders, Cadence::Strict) => "generals move and order",
            (Self::Orders, _) => "orders and Mahdist move",
            (Self::Mahdist, _) => "Mahdist move and fire",
            (Self::Action, _) => "Anglo-Egyptian fire and move",
            (Self::Turn, _) => "the whole turn",
            (Self::End, _) => "the game is over",
        }
    }

    /// True where generals move and give orders (step 1).
    pub const fn has_orders(self) -> bool {
        matches!(self, Self::Orders | Self::Turn)
    }

    /// True where Mahdists move and fire (step 2).
    pub fn has_mahdist(self, cadence: Cadence) -> bool {
        matches!(self, Self::Mahdist | Self::Turn)
            || self == Self::Orders && cadence == Cadence::Brisk
    }

    /// True where Anglo-Egyptians fire, move and fight (steps 3 to 6).
    pub const fn has_action(self) -> bool {
        matches!(self, Self::Action | Self::Turn)
    }
}

/// The whole position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The game.
    pub game: String,
    /// The last phase that was resolved.
    pub phase: u32,
    /// The turn.
    pub turn: u32,
    /// The window to come.
    pub window: Window,
    /// Who plays.
    pub seats: Vec<Seat>,
    /// Generals, sorted by id.
    pub generals: Vec<General>,
    /// Units, sorted by id.
    pub units: Vec<Unit>,
    /// Markers, sorted by id.
    pub markers: Vec<Marker>,
    /// Markers so far, for their numbers.
    pub numbered: u32,
    /// Anglo-Egyptian bases at the start (R6).
    pub elements: u32,
    /// Mahdist bases that took part so far, for breaking points.
    pub mustered: u32,
    /// A storm.
    pub storm: Option<Storm>,
    /// Bases that fought in phase 4 of this turn, by id.
    pub fought: Vec<String>,
    /// The result, when the game is over.
    pub result: Option<String>,
}

impl State {
    /// The state before phase 1.
    pub fn initial(data: &Data, game: &Id, seats: &[Seat]) -> Self {
        let scenario = &data.scenario;
        let mut generals: Vec<General> = scenario
            .generals
            .iter()
            .map(|g| General {
                id: g.id.clone(),
                name: g.name.clone(),
                army: g.army,
                seat: g.seat.clone(),
                at: g.at,
                here: true,
                attached: None,
                macdonald: g.macdonald,
            })
            .collect();
        generals.sort_by(|a, b| a.id.cmp(&b.id));
        let mut units: Vec<Unit> = scenario
            .units
            .iter()
            .map(|u| Unit {
                id: u.id.clone(),
                name: u.name.clone(),
                troop: u.troop,
                general: u.general.clone(),
                order: u.order,
                formation: u.formation,
                anchor: u.at,
                facing: u.facing,
                presence: Presence::Waiting,
                dismounted: false,
                formed: 0,
                halted: false,
                under_fire: false,
                fire: FirePlan::default(),
                trail: Vec::new(),
                bases: bases(u.bases, u.rifles, Pose { at: u.at, facing: u.facing }),
            })
            .collect();
        units.sort_by(|a, b| a.id.cmp(&b.id));
        let count = |army: Army| {
            scenario.units.iter().filter(|u| u.troop.army() == army).map(|u| u.bases).sum()
        };
        Self {
            game: game.to_string(),
            phase: 0,
            turn: 0,
            window: if scenario.emirs.is_empty() { Window::Deploy } else { Window::Muster },
            seats: seats.to_vec(),
            generals,
            units,
            markers: Vec::new(),
            numbered: 0,
            elements: count(Army::AngloEgyptian),
            mustered: count(Army::Mahdist),
            storm: None,
            fought: Vec::new(),
            result: None,
        }
    }

    /// A unit by id.
    pub fn unit(&self, id: &str) -> Option<&Unit> {
        self.units.iter().find(|u| u.id == id)
    }

    /// A general by id.
    pub fn general(&self, id: &str) -> Option<&General> {
        self.generals.iter().find(|g| g.id == id)
    }

    /// A marker by id.
    pub fn marker(&self, id: &str) -> Option<&Marker> {
        self.markers.iter().find(|m| m.id == id)
    }

    /// A base by its id: its unit and index.
    pub fn base(&self, id: &str) -> Option<(&Unit, usize)> {
        let (unit, number) = id.rsplit_once('-')?;
        let unit = self.unit(unit)?;
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        (index < unit.bases.len()).then_some((unit, index))
    }

    /// The army of a player.
    pub fn army(&self, player: &Id) -> Option<Army> {
        let seat = self.seats.iter().find(|s| s.player == *player)?;
        match seat.side.as_str() {
            "anglo-egyptian" => Some(Army::AngloEgyptian),
            _ => Some(Army::Mahdist),
        }
    }

    /// Who leads a general: the player whose seat holds his command.
    pub fn leader(&self, general: &str) -> Option<&Id> {
        let general = self.general(general)?;
        let held = |s: &&Seat| s.side == general.army.id() && s.commands.contains(&general.seat);
        self.seats.iter().find(held).map(|s| &s.player)
    }

    /// Bases lost, by army.
    pub fn lost(&self, army: Army) -> u32 {
        let of = |u: &&Unit| u.army() == army;
        let lost: usize = self.units.iter().filter(of).map(|u| u.bases.len() - u.strength()).sum();
        u32::try_from(lost).unwrap_or(u32::MAX)
    }

    /// How many sound bases stand where a scenario wants them (R5).
    pub fn at_objective(&self, objective: &Objective) -> usize {
        let zone = &objective.zone;
        self.units
            .iter()
            .filter(|u| u.army() == zone.army && u.on_table())
            .flat_map(Unit::standing)
            .filter(|(_, b)| b.condition == Condition::Sound && zone.has(b.at))
            .count()
    }

    /// The names of the seats' armies with players.
    pub fn players(&self) -> BTreeMap<Id, Army> {
        self.seats.iter().filter_map(|s| Some((s.player.clone(), self.army(&s.player)?))).collect()
    }
}
