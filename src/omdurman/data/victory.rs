//! How a scenario is won, as its file says (9.1.4, 9.2.4, 9.3.5).

use serde::Deserialize;

/// The kinds of victory.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Victory {
    /// Gordon's fate (9.3.5).
    Gordon(GordonVictory),
    /// Units eliminated on both sides (9.2.4).
    Eliminations(EliminationVictory),
    /// Victory points (9.1.4).
    Points(PointVictory),
}

/// Rule 9.3.5 as data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GordonVictory {
    #[allow(dead_code, reason = "shown, and required of the data")]
    source: String,
    pub(super) gordon: String,
    pub(super) palace: String,
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

/// Rule 9.2.4 as data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EliminationVictory {
    #[allow(dead_code, reason = "shown, and required of the data")]
    source: String,
    /// From the lowest to the highest.
    pub levels: Vec<EliminationLevel>,
}

/// A level with the enemy units that each army must eliminate for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EliminationLevel {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u32,
    /// Dervish units that the Anglo-Egyptians eliminate.
    pub anglo_egyptian: u32,
    /// Anglo-Egyptian units that the Dervish eliminate.
    pub dervish: u32,
}

/// Rule 9.1.4 as data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointVictory {
    #[allow(dead_code, reason = "shown, and required of the data")]
    source: String,
    pub(super) tomb: String,
    /// What the Tomb is worth at the end.
    pub tomb_points: u32,
    /// The Khalifa's unit.
    pub khalifa: String,
    /// The unit of the east bank.
    pub isa: String,
    /// From the lowest to the highest.
    pub levels: Vec<PointLevel>,
    /// What each kind of loss is worth.
    pub points: PointList,
}

/// A level with the difference of points that each army needs for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PointLevel {
    /// Its name.
    pub name: String,
    /// Ahead by this much.
    pub anglo_egyptian: u32,
    /// Ahead by this much.
    pub dervish: u32,
}

/// Rules 9.1.4.1 and 9.1.4.2.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PointList {
    /// A British leader.
    pub leader: u32,
    /// A British gunboat.
    pub gunboat: u32,
    /// A Friendlies unit on the east bank.
    pub friendlies_east: u32,
    /// Any other land unit, Friendlies on the west bank too.
    pub land: u32,
    /// Isa Zachneih.
    pub isa: u32,
    /// The Khalifa.
    pub khalifa: u32,
    /// Any other Dervish unit.
    pub dervish: u32,
    /// A fort.
    pub fort: u32,
}
