//! The rules files of a siege as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct SettingsFile {
    pub(super) scenario: String,
    #[serde(default)]
    pub(super) cadence: String,
    #[serde(default)]
    pub(super) options: Vec<String>,
    #[serde(default)]
    pub(super) rulings: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) days: u32,
    #[serde(rename = "days_source")]
    pub(super) _days_source: String,
    pub(super) side: Vec<SideFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SideFile {
    pub(super) id: String,
    #[serde(rename = "name")]
    pub(super) _name: String,
    pub(super) commands: Vec<CommandFile>,
    #[serde(rename = "commands_source")]
    pub(super) _source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandFile {
    pub(super) id: String,
    #[serde(default)]
    pub(super) zones: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GarrisonFile {
    pub(super) group: Vec<GroupFile>,
    pub(super) posts: BTreeMap<String, BTreeMap<String, u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupFile {
    pub(super) kind: String,
    pub(super) side: String,
    #[serde(default)]
    pub(super) command: String,
    pub(super) prefix: String,
    pub(super) count: u32,
    pub(super) standing: String,
    pub(super) source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompoundFile {
    pub(super) plan: String,
    pub(super) zone: Vec<ZoneFile>,
    pub(super) room: Vec<RoomFile>,
    pub(super) wall: Vec<WallFile>,
    pub(super) passage: Vec<PassageFile>,
    pub(super) spill: SpillFile,
    pub(super) gun: Vec<GunFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ZoneFile {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) standing: String,
    pub(super) source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoomFile {
    pub(super) id: String,
    pub(super) zone: String,
    pub(super) cap: Option<u32>,
    #[serde(default)]
    pub(super) height: u32,
    pub(super) holds: Option<String>,
    #[serde(default)]
    pub(super) sees: Vec<String>,
    pub(super) standing: String,
    pub(super) source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WallFile {
    pub(super) id: String,
    pub(super) room: String,
    pub(super) side: String,
    pub(super) places: u32,
    pub(super) standing: String,
    pub(super) source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PassageFile {
    pub(super) rooms: (String, String),
    pub(super) kind: String,
    pub(super) places: u32,
    pub(super) standing: String,
    pub(super) source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpillFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) pairs: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GunFile {
    pub(super) id: String,
    pub(super) wall: String,
    pub(super) crew: Vec<String>,
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TablesFile {
    pub(super) sniping: SnipingFile,
    pub(super) fire: FireFile,
    pub(super) gun: GunTable,
    pub(super) melee: MeleeFile,
    pub(super) morale: MoraleFile,
    pub(super) waves: WavesFile,
    pub(super) objectives: ObjectivesFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SnipingFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) card: Vec<CardFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardFile {
    pub(super) name: String,
    pub(super) does: String,
    #[serde(default)]
    pub(super) markers: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FireFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) garrison: i32,
    pub(super) at_snipers: i32,
    pub(super) rocks: i32,
    pub(super) roof_open: i32,
    pub(super) roof_cover: i32,
    pub(super) shots_a_round: u32,
    pub(super) shots: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GunTable {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) crew: u32,
    pub(super) reload: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeleeFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) garrison_at_barrier: i32,
    pub(super) garrison_inside: i32,
    pub(super) mahdist_at_barrier: i32,
    pub(super) mahdist_inside: i32,
    pub(super) wound: i32,
    pub(super) height: i32,
    pub(super) at_holder: usize,
    pub(super) in_the_open: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MoraleFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) first_percent: u32,
    pub(super) second_percent: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WavesFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) moves: u32,
    pub(super) raised: u32,
    pub(super) smallest: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectivesFile {
    pub(super) standing: String,
    #[serde(rename = "source")]
    pub(super) _source: String,
    pub(super) tower_figures: u32,
    pub(super) tower_die: u32,
    pub(super) tower_points: u32,
    pub(super) gun_figures: u32,
    pub(super) gun_die: u32,
    pub(super) hospital_rounds: u32,
}
