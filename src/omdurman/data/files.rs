//! The rules files as they are written; the notes beside the figures are required
//! and shown, not computed with.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::charts::HexsideLine;
use super::charts::Level;
use super::counters::{Army, Kind, Weapon};
use super::victory::Victory;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CounterFile {
    pub(super) counter: Vec<Counter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    dead_code,
    reason = "the notes beside the figures are required and shown, not computed with"
)]
pub(super) struct Counter {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) side: Army,
    pub(super) tribe: Option<String>,
    pub(super) class: Option<String>,
    pub(super) colour: Option<String>,
    /// Colours of named counters, one a name.
    pub(super) colours: Option<Vec<String>>,
    pub(super) brigade: Option<String>,
    pub(super) brigade_source: Option<String>,
    pub(super) kind: Kind,
    pub(super) kind_source: Option<String>,
    pub(super) weapon: Weapon,
    #[serde(default)]
    pub(super) friendlies: bool,
    #[serde(default)]
    pub(super) engineers: bool,
    pub(super) count: u32,
    pub(super) names: Option<Vec<String>>,
    pub(super) names_source: Option<String>,
    pub(super) fire: u32,
    pub(super) fire_source: Option<String>,
    pub(super) maxim: Option<u32>,
    pub(super) melee: u32,
    pub(super) ma: Option<u32>,
    pub(super) up: Option<u32>,
    pub(super) down: Option<u32>,
    pub(super) source: String,
}

impl Counter {
    pub(super) fn ids(&self) -> Vec<String> {
        if let Some(names) = &self.names {
            return names.clone();
        }
        // Tribes are numbered with two digits so that their ids sort as counted.
        let wide = self.tribe.is_some();
        (1..=self.count)
            .map(|n| if wide { format!("{}-{n:02}", self.id) } else { format!("{}-{n}", self.id) })
            .collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChartFile {
    pub(super) results: ResultsFile,
    pub(super) range: RangeFile,
    pub(super) terrain: BTreeMap<String, toml::Value>,
    pub(super) road: RoadFile,
    pub(super) fort: FortFile,
    pub(super) hexside: HexsideFile,
    pub(super) sight: BTreeMap<String, toml::Value>,
    pub(super) melee: MeleeFile,
    pub(super) fire: FireFile,
    pub(super) needed: NeededFile,
    pub(super) zariba: ZaribaFile,
    pub(super) howitzer: HowitzerFile,
    pub(super) river: RiverFile,
    pub(super) desertion: DesertionFile,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct ResultsFile {
    pub(super) source: String,
    pub(super) rows: Vec<ResultRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultRow {
    pub(super) upto: u32,
    pub(super) cells: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(dead_code)]
pub(super) struct RangeFile {
    pub(super) source: String,
    pub(super) dervish: BTreeMap<Weapon, String>,
    pub(super) anglo_egyptian: BTreeMap<Weapon, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct TerrainFile {
    pub(super) mp: u32,
    pub(super) drm: i32,
    pub(super) level: Level,
    pub(super) letter: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RoadFile {
    pub(super) mp: u32,
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct FortFile {
    pub(super) drm: i32,
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct HexsideFile {
    pub(super) source: String,
    pub(super) khor: HexsideLine,
    pub(super) crest: HexsideLine,
    pub(super) wall: HexsideLine,
    pub(super) gate: HexsideLine,
    pub(super) breach: HexsideLine,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(dead_code)]
pub(super) struct MeleeFile {
    pub(super) dervish: i32,
    pub(super) anglo_egyptian: i32,
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct FireFile {
    pub(super) accuracy: i32,
    pub(super) integrity: i32,
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct NeededFile {
    pub(super) gunboat: u32,
    pub(super) fort: u32,
    pub(super) wall: u32,
    pub(super) chain: u32,
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct ZaribaFile {
    pub(super) source: String,
    pub(super) thorn: i32,
    pub(super) trench: i32,
    pub(super) trench_melee: i32,
    pub(super) end_mp: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct HowitzerFile {
    pub(super) source: String,
    pub(super) nearest: u32,
    pub(super) scatter: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct RiverFile {
    pub(super) source: String,
    pub(super) mines: u32,
    pub(super) damaged_from: u32,
    pub(super) sunk_from: u32,
    pub(super) drift: u32,
    pub(super) chain_hexes: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct DesertionFile {
    pub(super) source: String,
    pub(super) times: u32,
    pub(super) over: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct ScenarioFile {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) map: String,
    pub(super) turns: u32,
    #[serde(default)]
    pub(super) track: Vec<String>,
    pub(super) night: Vec<u32>,
    pub(super) night_source: String,
    pub(super) first: Army,
    pub(super) range_table: Option<Army>,
    pub(super) range_table_source: Option<String>,
    /// `built` or `open`, where the map has a Zariba.
    pub(super) zariba: Option<String>,
    /// The turn of the desertion roll (8.2).
    pub(super) desertion: Option<u32>,
    /// Options that a referee may switch on.
    #[serde(default)]
    pub(super) options: Vec<String>,
    pub(super) side: Vec<SideFile>,
    #[serde(default)]
    pub(super) fort: BTreeMap<String, toml::Value>,
    pub(super) zone: Vec<ZoneFile>,
    pub(super) standard: BTreeMap<String, toml::Value>,
    #[serde(default)]
    pub(super) entry: Vec<EntryFile>,
    pub(super) schedule: Option<ScheduleFile>,
    pub(super) victory: Victory,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SideFile {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) army: Army,
    pub(super) setup: bool,
    pub(super) command: Vec<CommandFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct CommandFile {
    pub(super) id: String,
    pub(super) units: Vec<String>,
    #[serde(default)]
    pub(super) forts: Vec<String>,
    pub(super) source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FortPlace {
    pub(super) hex: String,
    pub(super) name: String,
}

/// Where units set up: a region of the map, or around a leader's hex.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ZoneFile {
    pub(super) units: Vec<String>,
    pub(super) region: Option<String>,
    #[serde(default, rename = "or")]
    pub(super) others: Vec<String>,
    pub(super) around: Option<String>,
    pub(super) rule: String,
}

/// From which turn, and where, units enter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryFile {
    pub(super) units: Vec<String>,
    pub(super) from: u32,
    pub(super) through: Vec<String>,
    pub(super) mp: Option<u32>,
    pub(super) rule: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
pub(super) struct ScheduleFile {
    pub(super) source: String,
    pub(super) army: Army,
    pub(super) gunboats: usize,
    pub(super) land: usize,
    pub(super) first_brigades: usize,
    pub(super) free: u32,
    pub(super) leaders_by: u32,
}

/// The part of `settings.toml` that chooses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsFile {
    #[allow(dead_code)]
    pub(super) system: String,
    pub(super) scenario: String,
    pub(super) cadence: String,
    #[serde(default)]
    pub(super) options: Vec<String>,
    #[serde(default)]
    pub(super) rulings: BTreeMap<String, String>,
}
