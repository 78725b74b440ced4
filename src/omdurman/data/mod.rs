//! Counters, charts, rulings and scenario, loaded from the rules files of a game
//! and validated as order files are.

mod assemble;
mod charts;
mod counters;
mod files;
mod load;
mod scenario;
mod victory;

use crate::game::{RulesFault, RulesFiles};

use super::board::Board;
use super::cite::cite;
use super::rulings::Rulings;
pub use charts::{
    Blocker, Blocks, Cell, Charts, HexsideLine, Level, Needed, RiverLine, TerrainLine, ZaribaLine,
};
pub use counters::{Army, Kind, Multiplier, Unit, UnitId, Weapon};
use load::Loader;
pub use scenario::{Entry, Ground, RiverOptions, Scenario, Schedule, SideInfo, Zone};
pub use victory::{EliminationLevel, EliminationVictory, GordonVictory, PointVictory, Victory};

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

    /// The units that a word of an order names: one by its id, a range
    /// (`mulazmin-01..08`), or all who answer to it (tribe, brigade, command, kind).
    pub fn answering(&self, word: &str) -> Vec<UnitId> {
        if let Some(id) = self.find(word) {
            return vec![id];
        }
        if let Some((from, last)) = word.split_once("..") {
            let Some((stem, first)) = from.rsplit_once('-') else { return Vec::new() };
            let (Ok(a), Ok(b)) = (first.parse::<u32>(), last.parse::<u32>()) else {
                return Vec::new();
            };
            let width = first.len();
            let ids: Option<Vec<UnitId>> = (a..=b.min(a.saturating_add(200)))
                .map(|n| self.find(&format!("{stem}-{n:0width$}")))
                .collect();
            return ids.unwrap_or_default();
        }
        self.ids().filter(|id| self.unit(*id).answers_to(word)).collect()
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
            if self.scenario.gordon.is_some() {
                cite("9.3.4.A");
            }
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
