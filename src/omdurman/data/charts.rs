//! The printed charts: results, ranges, terrain, sight.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::board::Terrain;
use super::counters::{Army, Multiplier, Weapon};
use crate::geometry::hex::Dir;

/// The level of a hex or unit for the line of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Ground.
    Ground,
    /// Rough.
    Rough,
    /// Hilltop.
    Hilltop,
}

impl Level {
    /// The name in the charts.
    pub fn name(self) -> &'static str {
        ["ground", "rough", "hilltop"][self as usize]
    }
}

/// What blocks a line of sight, with the numbers of the printed conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// What.
    pub what: Blocks,
    /// Conditions 1 to 8.
    pub conditions: Vec<u8>,
}

/// Things that block sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Units in a hex.
    Units,
    /// Huts.
    Huts,
    /// A wall hexside.
    Wall,
    /// Rough.
    Rough,
    /// Trees.
    Trees,
    /// A crest hexside.
    Crest,
    /// A hilltop.
    Hilltop,
}

/// A line of the terrain chart.
#[derive(Clone, Copy, Debug)]
pub struct TerrainLine {
    /// Movement points to enter.
    pub mp: u32,
    /// Added to the die of fire at the hex.
    pub drm: i32,
    /// Its level.
    pub level: Level,
}

/// A hexside's line of the terrain chart.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HexsideLine {
    /// Movement points added to those of the hex entered.
    pub mp: u32,
    /// Added to the die of fire across it.
    pub drm: i32,
}

/// A cell of the results table, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// No effect.
    Nothing,
    /// Half of the units disrupted.
    Disrupt,
    /// That many units eliminated.
    Eliminate(u32),
}

/// The charts.
#[derive(Clone, Debug)]
pub struct Charts {
    pub(super) rows: Vec<(u32, [Cell; 10])>,
    pub(super) range: BTreeMap<(Army, Weapon), Vec<Option<Multiplier>>>,
    pub(super) terrain: [TerrainLine; 8],
    pub(super) sight: Vec<(Level, Level, Vec<Blocker>)>,
    /// Movement points of a step along a road.
    pub road_mp: u32,
    /// Modifier of fire at units in a fort.
    pub fort_drm: i32,
    /// Khor.
    pub khor: HexsideLine,
    /// Crest.
    pub crest: HexsideLine,
    /// Wall.
    pub wall: HexsideLine,
    /// Gate.
    pub gate: HexsideLine,
    /// Breach.
    pub breach: HexsideLine,
    /// Melee modifier of the Dervish side, then of the Anglo-Egyptian.
    pub melee: (i32, i32),
    /// The Anglo-Egyptian accuracy bonus.
    pub accuracy: i32,
    /// The bonus of brigade integrity.
    pub integrity: i32,
    /// Results that sink a gunboat, destroy a fort, breach a wall, sink the chain.
    pub needed: Needed,
    /// The Zariba.
    pub zariba: ZaribaLine,
    /// The nearest target of a howitzer, in hexes.
    pub howitzer_nearest: u32,
    /// Where a howitzer's shell falls, by the impact roll: off the target hex in that
    /// direction, or in it.
    pub scatter: [Option<Dir>; 10],
    /// Mines and chain.
    pub river: RiverLine,
    /// Deserting units for each pip of the roll: so many, divided by so many.
    pub desertion: (u32, u32),
}

/// The least results of rule 6.6.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needed {
    /// To sink a gunboat.
    pub gunboat: u32,
    /// To destroy a fort.
    pub fort: u32,
    /// To breach a wall.
    pub wall: u32,
    /// To sink the chain.
    pub chain: u32,
}

/// What the hexsides of the Zariba do (9.2.3).
#[derive(Clone, Copy, Debug)]
pub struct ZaribaLine {
    /// Added to the die of Dervish fire across the thorn hedge.
    pub thorn: i32,
    /// Added to the die of Dervish fire at entrenched units.
    pub trench: i32,
    /// The modifier of Dervish units that attack entrenched units in melee.
    pub trench_melee: i32,
    /// Movement points added at the two ends.
    pub end_mp: u32,
}

/// Mines and chain (10.0).
#[derive(Clone, Copy, Debug)]
pub struct RiverLine {
    /// How many mines there are.
    pub mines: u32,
    /// The least roll that damages a gunboat.
    pub damaged_from: u32,
    /// The least roll that sinks it.
    pub sunk_from: u32,
    /// Hexes that a damaged gunboat drifts in a turn.
    pub drift: u32,
    /// The longest chain, in hexes.
    pub chain_hexes: u32,
}

impl Charts {
    /// The row for a number of factors: its name and its ten cells.
    pub fn row(&self, factors: u32) -> (String, &[Cell; 10]) {
        let at = self.rows.iter().position(|(upto, _)| factors <= *upto);
        let i = at.unwrap_or(self.rows.len() - 1);
        let from = if i == 0 { 1 } else { self.rows[i - 1].0 + 1 };
        let name = if i + 1 == self.rows.len() {
            format!("{from}+")
        } else {
            format!("{from}-{}", self.rows[i].0)
        };
        (name, &self.rows[i].1)
    }

    /// Every row with its name, from the lowest.
    pub fn rows(&self) -> impl Iterator<Item = (String, &[Cell; 10])> {
        self.rows.iter().map(|(upto, _)| self.row(*upto))
    }

    /// The cell for a number of factors and a modified roll, clamped to 1 to 10.
    pub fn result(&self, factors: u32, roll: i32) -> Cell {
        let column = usize::try_from(roll.clamp(1, 10) - 1).unwrap_or(0);
        self.row(factors).1[column]
    }

    /// The range effect of a weapon, by day; `None` beyond its range.
    pub fn range(&self, army: Army, weapon: Weapon, distance: u32) -> Option<Multiplier> {
        let line = self.range.get(&(army, weapon))?;
        *line.get((distance as usize).checked_sub(1)?)?
    }

    /// The longest range of a weapon, by day.
    pub fn reach(&self, army: Army, weapon: Weapon) -> u32 {
        self.range
            .get(&(army, weapon))
            .and_then(|line| line.iter().rposition(Option::is_some))
            .map_or(0, |i| u32::try_from(i).unwrap_or(0) + 1)
    }

    /// A terrain's line.
    pub fn terrain(&self, terrain: Terrain) -> TerrainLine {
        self.terrain[Terrain::ALL.iter().position(|t| *t == terrain).unwrap_or(0)]
    }

    /// What blocks sight between two levels.
    pub fn blockers(&self, from: Level, to: Level) -> &[Blocker] {
        self.sight.iter().find(|(f, t, _)| (*f, *t) == (from, to)).map_or(&[], |(_, _, b)| b)
    }
}
