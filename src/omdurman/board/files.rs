//! A map file as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The map file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct MapFile {
    pub(super) title: String,
    pub(super) source: String,
    pub(super) rows: u8,
    pub(super) columns: Columns,
    pub(super) terrain: Vec<String>,
    pub(super) flow: Vec<String>,
    pub(super) hexsides: Hexsides,
    pub(super) names: BTreeMap<String, Vec<String>>,
    pub(super) city: City,
    pub(super) zariba: Option<Zariba>,
    pub(super) banks: Option<Banks>,
    pub(super) nile: Nile,
    #[serde(default)]
    pub(super) lines: BTreeMap<String, Vec<String>>,
    pub(super) edges: BTreeMap<String, EdgeLine>,
    #[serde(default)]
    pub(super) regions: BTreeMap<String, Region>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Columns {
    pub(super) odd: u8,
    pub(super) even: u8,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hexsides {
    #[allow(dead_code, reason = "read so that a map must say where its hexsides come from")]
    pub(super) source: String,
    #[serde(default)]
    pub(super) wall: Vec<String>,
    #[serde(default)]
    pub(super) gate: Vec<String>,
    #[serde(default)]
    pub(super) road: Vec<String>,
    #[serde(default)]
    pub(super) khor: Vec<String>,
    #[serde(default)]
    pub(super) crest: Vec<String>,
    #[serde(default)]
    pub(super) thorn: Vec<String>,
    #[serde(default)]
    pub(super) trench: Vec<String>,
    #[serde(default)]
    pub(super) end: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct City {
    #[allow(dead_code, reason = "read so that a map must say where its city comes from")]
    pub(super) source: String,
    pub(super) from: String,
    /// Rule 5.2.3 holds here.
    #[serde(default)]
    pub(super) closed: bool,
    #[serde(default)]
    pub(super) gap: Vec<String>,
    pub(super) inside: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Zariba {
    #[allow(dead_code, reason = "read so that a map must say where its Zariba comes from")]
    pub(super) source: String,
    pub(super) from: String,
    pub(super) inside: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Banks {
    #[allow(dead_code, reason = "read so that a map must say where its banks come from")]
    pub(super) source: String,
    pub(super) west_from: String,
    pub(super) west_hexes: usize,
    pub(super) east: Vec<String>,
    pub(super) point: Vec<String>,
    pub(super) islands: Vec<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nile {
    #[allow(dead_code, reason = "read so that a map must say where its mouths come from")]
    pub(super) source: String,
    #[serde(default)]
    pub(super) white_mouths: Vec<String>,
    #[serde(default)]
    pub(super) blue_mouths: Vec<String>,
    /// The row in which the Khor Shambat empties into the Nile (10.1.B).
    #[serde(default)]
    pub(super) khor_mouth_row: u8,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EdgeLine {
    #[allow(dead_code, reason = "shown to readers of the file")]
    pub(super) source: Option<String>,
    pub(super) row: Option<u8>,
    pub(super) column: Option<u8>,
    #[serde(default)]
    pub(super) from_row: u8,
    pub(super) bank: Option<String>,
    #[serde(default)]
    pub(super) hexes: Vec<String>,
}

/// Hexes for which all that is said holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Region {
    #[allow(dead_code, reason = "shown to readers of the file")]
    pub(super) source: String,
    pub(super) hexes: Option<Vec<String>>,
    /// Land reached from here without crossing the hexsides of the line `stop`.
    pub(super) fill: Option<String>,
    pub(super) stop: Option<String>,
    pub(super) bank: Option<String>,
    #[serde(default)]
    pub(super) from_row: u8,
    pub(super) inside: Option<bool>,
    pub(super) zariba: Option<bool>,
}
