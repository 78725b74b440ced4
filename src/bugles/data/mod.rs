//! The data that a game is played by: troops, values, terrain, scenario, rulings.

mod files;
mod load;
mod scenario;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::game::{RulesFault, RulesFiles};
use crate::geometry::plane::{Compass, Point, Size, contains};

use super::rulings::Rulings;
pub use files::{ArmyFile, ObjectiveFile};
pub use scenario::{
    Arrivals, Emir, GeneralLine, Objective, Scenario, Shape, UnitLine, Victory, Zone,
};

/// The two armies. "Anglo-Egyptian" includes the Sudanese battalions (R1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Army {
    /// British, Egyptian and Sudanese.
    AngloEgyptian,
    /// The Mahdi's.
    Mahdist,
}

impl Army {
    /// The other one.
    #[must_use]
    pub const fn enemy(self) -> Self {
        match self {
            Self::AngloEgyptian => Self::Mahdist,
            Self::Mahdist => Self::AngloEgyptian,
        }
    }

    /// Its word in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::AngloEgyptian => "anglo-egyptian",
            Self::Mahdist => "mahdist",
        }
    }

    /// As printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AngloEgyptian => "Anglo-Egyptian",
            Self::Mahdist => "Mahdist",
        }
    }
}

/// Whose soldiers they are: obedience (R14) and the second action (R7) go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nation {
    /// British.
    British,
    /// Sudanese regulars.
    Sudanese,
    /// Egyptian regulars.
    Egyptian,
    /// The Mahdi's followers.
    Mahdist,
}

/// How they fight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// On foot.
    Infantry,
    /// Mounted.
    Cavalry,
    /// Machine guns.
    Maxim,
    /// Guns.
    Artillery,
}

/// The kinds of troops of the value table and the basing list.
#[allow(missing_docs, reason = "each is named for what it is")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Troop {
    BritishInfantry,
    SudaneseInfantry,
    EgyptianInfantry,
    MahdistInfantry,
    BritishCavalry,
    EgyptianCavalry,
    MahdistCavalry,
    BritishMaxim,
    EgyptianMaxim,
    BritishArtillery,
    EgyptianArtillery,
    MahdistArtillery,
}

impl Troop {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::BritishInfantry,
        Self::SudaneseInfantry,
        Self::EgyptianInfantry,
        Self::MahdistInfantry,
        Self::BritishCavalry,
        Self::EgyptianCavalry,
        Self::MahdistCavalry,
        Self::BritishMaxim,
        Self::EgyptianMaxim,
        Self::BritishArtillery,
        Self::EgyptianArtillery,
        Self::MahdistArtillery,
    ];

    /// Whose.
    pub const fn nation(self) -> Nation {
        match self {
            Self::BritishInfantry
            | Self::BritishCavalry
            | Self::BritishMaxim
            | Self::BritishArtillery => Nation::British,
            Self::SudaneseInfantry => Nation::Sudanese,
            Self::EgyptianInfantry
            | Self::EgyptianCavalry
            | Self::EgyptianMaxim
            | Self::EgyptianArtillery => Nation::Egyptian,
            Self::MahdistInfantry | Self::MahdistCavalry | Self::MahdistArtillery => {
                Nation::Mahdist
            }
        }
    }

    /// How it fights.
    pub const fn arm(self) -> Arm {
        match self {
            Self::BritishInfantry
            | Self::SudaneseInfantry
            | Self::EgyptianInfantry
            | Self::MahdistInfantry => Arm::Infantry,
            Self::BritishCavalry | Self::EgyptianCavalry | Self::MahdistCavalry => Arm::Cavalry,
            Self::BritishMaxim | Self::EgyptianMaxim => Arm::Maxim,
            Self::BritishArtillery | Self::EgyptianArtillery | Self::MahdistArtillery => {
                Arm::Artillery
            }
        }
    }

    /// The army it belongs to.
    pub const fn army(self) -> Army {
        match self.nation() {
            Nation::Mahdist => Army::Mahdist,
            _ => Army::AngloEgyptian,
        }
    }

    /// Guns and machine guns.
    pub const fn is_gun(self) -> bool {
        matches!(self.arm(), Arm::Artillery | Arm::Maxim)
    }

    /// Its word in files.
    pub fn id(self) -> String {
        toml::Value::try_from(self)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// What a kind of troops has of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TroopData {
    /// As printed.
    pub name: String,
    /// Figures on a base.
    pub figures: u32,
    /// The base.
    pub size: Size,
    /// Movement in line, or by hand.
    pub line: i64,
    /// Movement in column.
    pub column: i64,
    /// Movement on the march, where there is one.
    pub march: Option<i64>,
    /// The row of values.
    pub values: String,
    /// The row of values on foot, for cavalry that may dismount.
    pub dismounted: Option<String>,
}

/// A row of the value table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// In combat, and when fired at.
    pub combat: i64,
    /// By range band; 0 = out of range.
    pub fire: [i64; 4],
}

/// The distances that the rules name, in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distances {
    /// R9.
    pub hold_charge: i64,
    /// R12.
    pub move_becomes_hold: i64,
    /// R14.
    pub command_mahdist: i64,
    /// R14.
    pub command_regular: i64,
    /// R17.
    pub general: i64,
    /// R18.
    pub march: i64,
    /// R20.
    pub reveal: i64,
    /// R20.
    pub reveal_cover: i64,
    /// R22.
    pub marker_under_fire: i64,
    /// R21.
    pub marker_bluff: i64,
}

/// The modifiers of R25.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Modifiers {
    /// Regulars in bad going.
    pub bad_going: i64,
    /// A second rank in combat.
    pub second_rank: i64,
    /// Each overlap.
    pub overlap: i64,
    /// Defending a zariba, barricade or building.
    pub defending: i64,
    /// Fire at troops in cover.
    pub cover: i64,
    /// `MacDonald` with Sudanese.
    pub macdonald: i64,
}

/// What a unit out of reach needs to obey (R14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obey {
    /// Mahdists.
    pub mahdist: u32,
    /// Sudanese.
    pub sudanese: u32,
    /// Egyptians.
    pub egyptian: u32,
    /// British.
    pub british: u32,
}

impl Obey {
    /// What a nation needs.
    pub const fn needs(&self, nation: Nation) -> u32 {
        match nation {
            Nation::British => self.british,
            Nation::Sudanese => self.sudanese,
            Nation::Egyptian => self.egyptian,
            Nation::Mahdist => self.mahdist,
        }
    }
}

/// What a class of terrain does.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a thing that terrain does or not")]
pub struct Class {
    /// Its word in files.
    pub id: String,
    /// As printed.
    pub name: String,
    /// Its mark in plans.
    pub mark: char,
    /// Regulars fight badly there, guns and horses go at half rate.
    #[serde(default)]
    pub bad_going: bool,
    /// Fire at troops in it is hampered.
    #[serde(default)]
    pub cover: bool,
    /// Markers in it stay hidden longer.
    #[serde(default)]
    pub hides: bool,
    /// Nobody sees through it, though into it and out of it.
    #[serde(default)]
    pub blocks_sight: bool,
    /// Nobody goes in: a major obstacle.
    #[serde(default)]
    pub impassable: bool,
    /// Troops in it defend it in combat.
    #[serde(default)]
    pub defended: bool,
    /// A line, not an area: a thorn fence.
    #[serde(default)]
    pub fence: bool,
}

/// How many mails a turn takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// Two windows a turn.
    Brisk,
    /// Three: the Mahdist moves when he knows his orders.
    Strict,
    /// One.
    Single,
}

/// Everything that a game is played by.
#[derive(Clone, Debug)]
pub struct Data {
    /// The table of directions.
    pub compass: Compass,
    /// Units in an inch.
    pub inch: i64,
    /// Bases overlap by more than this.
    pub slack: i64,
    /// Edges touch within this.
    pub touch: i64,
    /// Every kind of troops.
    pub troops: BTreeMap<Troop, TroopData>,
    /// The value table.
    pub values: BTreeMap<String, Values>,
    /// Far limits of the range bands.
    pub bands: [i64; 4],
    /// The modifiers.
    pub modifiers: Modifiers,
    /// The average die.
    pub average: [u32; 6],
    /// Distances.
    pub distances: Distances,
    /// Obedience.
    pub obey: Obey,
    /// Faces of the average die that make a random unit cavalry.
    pub emir_cavalry: Vec<u32>,
    /// Rifle bases by the face of a double.
    pub emir_rifles: BTreeMap<u32, u32>,
    /// Classes of terrain.
    pub classes: Vec<Class>,
    /// The scenario.
    pub scenario: Scenario,
    /// The rulings.
    pub rulings: Rulings,
    /// How many mails.
    pub cadence: Cadence,
    /// The dust storm option is on.
    pub storm: bool,
    /// The option that every piece of cover has a marker is on (R21).
    pub cover_markers: bool,
    /// Options chosen.
    pub options: Vec<String>,
    /// The rules files.
    pub files: RulesFiles,
}

impl Data {
    /// Loads the rules files of a game.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        load::Loader::new(files).load()
    }

    /// What a kind of troops has of its own.
    pub fn troop(&self, troop: Troop) -> &TroopData {
        &self.troops[&troop]
    }

    /// The class of a shape.
    pub fn class(&self, shape: &Shape) -> &Class {
        &self.classes[shape.class]
    }

    /// The shapes of which something holds and that a point lies in.
    pub fn shapes_at(&self, point: Point, holds: impl Fn(&Class) -> bool) -> Option<&Shape> {
        self.scenario
            .shapes
            .iter()
            .find(|s| holds(self.class(s)) && !self.class(s).fence && contains(&s.points, point))
    }

    /// Units as inches, as printed: `3`, `2.5`, `12.35`.
    pub fn inches(&self, units: i64) -> String {
        let (sign, units) = (if units < 0 { "-" } else { "" }, units.abs());
        let (whole, part) = (units / self.inch, units % self.inch * 100 / self.inch);
        match (part, part % 10) {
            (0, _) => format!("{sign}{whole}"),
            (_, 0) => format!("{sign}{whole}.{}", part / 10),
            _ => format!("{sign}{whole}.{part:02}"),
        }
    }

    /// A point as people write it: `[12.3, 30]`.
    pub fn spot(&self, p: Point) -> String {
        format!("[{}, {}]", self.inches(p.x), self.inches(p.y))
    }

    /// Reads inches with up to two decimals.
    pub fn read_inches(&self, text: &str) -> Option<i64> {
        let (sign, bare) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
        let (whole, part) = bare.split_once('.').unwrap_or((bare, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 4 || part.len() > 2 || !digits(whole) || !digits(part)
        {
            return None;
        }
        let hundredths: i64 = format!("{part:0<2}").parse().ok()?;
        Some(sign * (whole.parse::<i64>().ok()? * self.inch + hundredths * self.inch / 100))
    }
}
