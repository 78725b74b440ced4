//! The data files as written.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Army, Class, Distances, Modifiers, Obey, Troop, Values};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsFile {
    #[allow(dead_code, reason = "game.rs chose this system by it")]
    pub system: String,
    pub scenario: String,
    pub cadence: String,
    pub options: Vec<String>,
    #[serde(default)]
    pub rulings: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GeometryFile {
    pub per_inch: i64,
    pub slack: i64,
    pub touch: i64,
    pub scale: i64,
    pub sines: Vec<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TroopsFile {
    pub troop: Vec<TroopLine>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TroopLine {
    pub id: Troop,
    pub name: String,
    pub figures: u32,
    pub size: [i64; 2],
    pub line: i64,
    pub column: i64,
    pub march: Option<i64>,
    pub values: String,
    pub dismounted: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ValuesFile {
    pub bands: [i64; 4],
    pub rows: BTreeMap<String, Values>,
    pub modifiers: Modifiers,
    pub average: AverageFile,
    pub distances: Distances,
    pub obey: Obey,
    pub emir: EmirFile,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AverageFile {
    pub faces: [u32; 6],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EmirFile {
    pub cavalry: Vec<u32>,
    pub rifles: BTreeMap<String, u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TerrainFile {
    pub class: Vec<Class>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub title: String,
    pub summary: String,
    pub source: String,
    /// Width and depth of the table in inches.
    pub table: [i64; 2],
    pub turns: u32,
    /// The hour at which turn 1 begins, for headings: `11:20`.
    #[serde(default)]
    pub start: String,
    #[serde(default)]
    pub options: Vec<String>,
    pub army: Vec<ArmyFile>,
    pub general: Vec<GeneralFile>,
    #[serde(default)]
    pub unit: Vec<UnitFile>,
    #[serde(default)]
    pub emir: Vec<EmirLine>,
    #[serde(default)]
    pub terrain: Vec<ShapeFile>,
    pub zone: Vec<ZoneFile>,
    pub arrivals: Option<ArrivalsFile>,
    pub victory: VictoryFile,
    #[serde(default)]
    pub fact: Vec<FactFile>,
}

/// An army of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmyFile {
    /// Which.
    pub army: Army,
    /// The machine plays it by the tactics notes of the rules.
    #[serde(default)]
    pub machine: bool,
    /// Words about what it has to do.
    #[serde(default)]
    pub task: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GeneralFile {
    pub id: String,
    pub name: String,
    pub army: Army,
    pub at: [String; 2],
    #[serde(default)]
    pub macdonald: bool,
    /// Another general whose player commands this one too, for small games.
    pub seat: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitFile {
    pub id: String,
    pub name: String,
    pub troop: Troop,
    pub general: String,
    pub bases: u32,
    #[serde(default)]
    pub rifles: u32,
    pub at: [String; 2],
    pub facing: i64,
    #[serde(default)]
    pub column: bool,
    #[serde(default)]
    pub hidden: bool,
    pub order: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EmirLine {
    pub general: String,
    /// The most units that the dice may bring.
    pub units: u32,
    /// The most bases of each.
    pub bases: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShapeFile {
    pub class: String,
    pub name: String,
    pub points: Vec<[String; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ZoneFile {
    pub army: Army,
    pub from: [String; 2],
    pub to: [String; 2],
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArrivalsFile {
    pub edges: Vec<String>,
    /// The chance in per cent; the elements of the Anglo-Egyptian force where left out.
    pub chance: Option<u32>,
    pub units: u32,
    pub bases: u32,
    pub last: u32,
    #[serde(default)]
    pub blind: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VictoryFile {
    pub objective: Option<ObjectiveFile>,
    pub breaks: BTreeMap<Army, u32>,
    pub at_end: String,
}

/// A piece of ground that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveFile {
    /// What it is.
    pub name: String,
    /// Who wants it.
    pub army: Army,
    /// Its corners, in inches.
    pub from: [String; 2],
    /// The other corner.
    pub to: [String; 2],
    /// How many sound bases must stand there.
    pub bases: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FactFile {
    pub what: String,
    pub source: String,
}
