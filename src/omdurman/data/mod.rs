//! Counters, charts, rulings and scenario, loaded from the rules files of a game
//! and validated as order files are.

mod charts;
mod counters;
mod files;
mod load;

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::game::{RulesFault, RulesFiles, ScenarioInfo};
use crate::geometry::hex::Hex;

use super::board::Board;
use super::cite::cite;
use super::rulings::Rulings;
pub use charts::{Blocker, Blocks, Cell, Charts, HexsideLine, Level, Needed, TerrainLine};
pub use counters::{Army, Kind, Multiplier, Unit, UnitId, Weapon};
use load::Loader;

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

/// The scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What `games` shows.
    pub info: ScenarioInfo,
    /// The last turn.
    pub turns: u32,
    /// The night turns.
    pub night: Vec<u32>,
    /// The army that moves first.
    pub first: Army,
    /// The range table that both sides use, if they share one.
    pub range_table: Option<Army>,
    /// The sides, in order of set-up.
    pub sides: Vec<SideInfo>,
    /// Gordon and his hex.
    pub gordon: (UnitId, Hex),
    /// Where each unit is placed when nothing is ordered.
    pub standard: BTreeMap<UnitId, Hex>,
    /// Who enters, and the entry hexes.
    pub entry: (Army, BTreeSet<Hex>),
    /// The turn of entry.
    pub entry_turn: u32,
    /// Victory (9.3.5).
    pub victory: Victory,
}

/// Rule 9.3.5 as data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Victory {
    #[allow(dead_code, reason = "shown, and required of the data")]
    source: String,
    gordon: String,
    /// Gordon falls on or before a turn: the level.
    pub falls: Vec<VictoryTurn>,
    /// Gordon survives the end of a turn: the level.
    pub survives: Vec<VictoryTurn>,
    /// All levels from the best Dervish to the best British.
    pub scale: Vec<String>,
    /// Dervish units eliminated and the levels they cost.
    pub losses: Vec<Penalty>,
}

/// A turn and a level.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VictoryTurn {
    /// The turn.
    pub turn: u32,
    /// The level.
    pub level: String,
}

/// A number of units eliminated and what it costs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// From this many units.
    pub units: u32,
    /// Levels lost.
    pub levels: u32,
}

/// All data of one game.
#[derive(Clone, Debug)]
pub struct Data {
    /// The map.
    pub board: Board,
    /// The charts.
    pub charts: Charts,
    /// The readings in force.
    pub rulings: Rulings,
    /// The scenario.
    pub scenario: Scenario,
    /// The units in play, ids sorted.
    pub units: Vec<Unit>,
    /// True for `cadence = "strict"`.
    pub strict: bool,
    /// The rules files, for templates and descriptions.
    pub files: RulesFiles,
}

impl Data {
    /// The printed values of a unit.
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[usize::from(id.0)]
    }

    /// A unit by its name.
    pub fn find(&self, id: &str) -> Option<UnitId> {
        let at = self.units.binary_search_by(|u| u.id.as_str().cmp(id)).ok()?;
        u16::try_from(at).ok().map(UnitId)
    }

    /// Every unit, in order of id.
    pub fn ids(&self) -> impl Iterator<Item = UnitId> + use<> {
        (0..u16::try_from(self.units.len()).unwrap_or(u16::MAX)).map(UnitId)
    }

    /// The side that leads an army.
    pub fn side(&self, army: Army) -> &SideInfo {
        self.scenario.sides.iter().find(|s| s.army == army).unwrap_or(&self.scenario.sides[0])
    }

    /// True on a night turn (8.0).
    pub fn night(&self, turn: u32) -> bool {
        let night = self.scenario.night.contains(&turn);
        if night {
            cite("8.0");
            cite("9.3.4.A");
        }
        night
    }

    /// The range table on which a unit fires (2.3, 6.5.2.A, 9.3.4.C).
    pub fn range_army(&self, unit: &Unit) -> Army {
        match self.scenario.range_table {
            Some(army) => army,
            None if unit.friendlies => Army::Dervish,
            None => unit.army,
        }
    }

    /// Reads and validates the rules files.
    ///
    /// # Errors
    /// Every fault that is found, stage by stage.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        Loader { files, faults: Vec::new() }.load()
    }
}
