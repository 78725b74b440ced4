//! A scenario: who plays, where everybody begins and enters, how long it lasts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::game::ScenarioInfo;
use crate::geometry::hex::Hex;

use super::counters::{Army, UnitId};
use super::victory::Victory;

/// A side of the scenario.
#[derive(Clone, Debug)]
pub struct SideInfo {
    /// `british`.
    pub id: String,
    /// `British`.
    pub name: String,
    /// The army it leads.
    pub army: Army,
    /// True if it places its units before turn 1.
    pub setup: bool,
    /// Its commands.
    pub commands: Vec<String>,
}

/// Where a unit may set up.
#[derive(Clone, Debug)]
pub enum Ground {
    /// The garrison of Khartoum (9.3.2.1).
    Garrison,
    /// Any Nile hex.
    AnyNile,
    /// These hexes, by the name of their region.
    Region(String, Arc<[Hex]>),
    /// Within three hexes of a leader's letter, out of sight of the enemy (9.2.1.2).
    Around(Hex),
}

/// A ground with the rule that gives it.
#[derive(Clone, Debug)]
pub struct Zone {
    /// Where.
    pub ground: Ground,
    /// The rule.
    pub rule: &'static str,
}

/// From when and where units enter.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The first turn.
    pub from: u32,
    /// The entry hexes.
    pub hexes: BTreeSet<Hex>,
    /// The names of the edges, for people.
    pub edges: Vec<String>,
    /// What the entry hex costs; its terrain, if it is not said.
    pub mp: Option<u32>,
    /// The rule.
    pub rule: &'static str,
}

/// How many reinforcements may enter in a turn (9.1.1.4).
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Whose.
    pub army: Army,
    /// Gunboats a turn.
    pub gunboats: usize,
    /// Land units a turn, from turn 2; leaders not counted.
    pub land: usize,
    /// Brigades of the Egyptian Division on turn 1.
    pub first_brigades: usize,
    /// The turn from which all may enter.
    pub free: u32,
    /// The turn by which leaders must have entered (9.1.1.3.D).
    pub leaders_by: u32,
}

/// What the Khalifa may have hidden in the Nile (10.0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RiverOptions {
    /// Two mines may be hidden.
    pub mines: bool,
    /// A chain may be hidden.
    pub chain: bool,
}

impl RiverOptions {
    /// True if anything may be hidden.
    pub fn any(self) -> bool {
        self.mines || self.chain
    }
}

/// The scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What `games` shows.
    pub info: ScenarioInfo,
    /// The last turn.
    pub turns: u32,
    /// What each turn is called on the track; may be empty.
    pub track: Vec<String>,
    /// The night turns.
    pub night: Vec<u32>,
    /// The army that moves first.
    pub first: Army,
    /// The range table that both sides use, if they share one.
    pub range_table: Option<Army>,
    /// The sides, in order of set-up.
    pub sides: Vec<SideInfo>,
    /// Gordon and his hex.
    pub gordon: Option<(UnitId, Hex)>,
    /// Where each unit sets up, if it does; by unit.
    pub zones: Vec<Option<Zone>>,
    /// Where each unit is placed when nothing is ordered.
    pub standard: BTreeMap<UnitId, Hex>,
    /// The entries.
    pub entries: Vec<Entry>,
    /// By which of them each unit enters, if it does; by unit.
    pub enters: Vec<Option<usize>>,
    /// Limits of entry.
    pub schedule: Option<Schedule>,
    /// True if the Zariba stands from the start (5.3.A).
    pub zariba_built: bool,
    /// The turn of the desertion roll (8.2.A).
    pub desertion: Option<u32>,
    /// Mines and chain, as the options say.
    pub river: RiverOptions,
    /// The options in force, as chosen.
    pub options: Vec<String>,
    /// The Mahdi's Tomb, where it counts.
    pub tomb: Option<Hex>,
    /// Victory.
    pub victory: Victory,
}

impl Scenario {
    /// Where a unit sets up.
    pub fn zone(&self, id: UnitId) -> Option<&Zone> {
        self.zones[usize::from(id.0)].as_ref()
    }

    /// Where and when a unit enters.
    pub fn entry(&self, id: UnitId) -> Option<&Entry> {
        self.enters[usize::from(id.0)].map(|i| &self.entries[i])
    }

    /// Gordon, where he is in play.
    pub fn gordon_id(&self) -> Option<UnitId> {
        self.gordon.map(|(id, _)| id)
    }
}
