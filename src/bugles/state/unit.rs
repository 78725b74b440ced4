//! Units: orders, formations, bases, what they fire at.

use serde::{Deserialize, Serialize};

use crate::geometry::plane::{Facing, Point, Pose};

use super::super::data::{Army, Troop};

/// The order that a unit has (R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Order {
    /// R9.
    Hold,
    /// R10.
    Attack,
    /// R11.
    Move,
    /// A MOVE that withdraws (R12).
    Withdraw,
    /// In views only: an enemy's order, which one may not know.
    Unseen,
}

impl Order {
    /// As the rules print it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hold => "HOLD",
            Self::Attack => "ATTACK",
            Self::Move => "MOVE",
            Self::Withdraw => "MOVE (withdraw)",
            Self::Unseen => "unseen",
        }
    }
}

/// Line or column (R15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Formation {
    /// One rank of regulars, two of Mahdists.
    Battle,
    /// One base wide for regulars, deep for Mahdists, limbered for guns.
    Column,
}

impl Formation {
    /// As printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Battle => "battle",
            Self::Column => "column",
        }
    }
}

/// How a base is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// It fights.
    Sound,
    /// Turned about, its back to the enemy (R29).
    Suppressed,
    /// Destroyed.
    Lost,
}

/// One base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Where its centre lies.
    pub at: Point,
    /// Where it looks.
    pub facing: Facing,
    /// How it is.
    pub condition: Condition,
    /// A rifle base of Mahdists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rifles: bool,
}

impl Base {
    /// Its place.
    pub fn pose(&self) -> Pose {
        Pose { at: self.at, facing: self.facing }
    }

    /// On the table.
    pub fn stands(&self) -> bool {
        self.condition != Condition::Lost
    }
}

/// Where a unit is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// On the table for all to see.
    Table,
    /// Under this marker (R20).
    Marker(String),
    /// Not set up yet.
    Waiting,
}

/// What a unit fires at: standing until it is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirePlan {
    /// Best first: `in-contact`, `nearest`, `cavalry`, `guns`, `markers`, or a unit's or
    /// marker's id.
    pub targets: Vec<String>,
    /// How many bases of the unit fire at one target before another is sought.
    pub per_target: u32,
    /// It fires at markers when nothing else is there.
    pub markers: bool,
    /// It holds its fire.
    pub hold: bool,
}

impl Default for FirePlan {
    fn default() -> Self {
        Self {
            targets: vec!["in-contact".to_owned(), "nearest".to_owned()],
            per_target: 1,
            markers: false,
            hold: false,
        }
    }
}

/// A bend of a column's way: where the head was, and where it looked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bend {
    /// Where.
    pub at: Point,
    /// The facing of the way before it.
    pub facing: Facing,
}

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// Its id.
    pub id: String,
    /// As printed.
    pub name: String,
    /// What it is.
    pub troop: Troop,
    /// Its general.
    pub general: String,
    /// Its order.
    pub order: Order,
    /// Line or column.
    pub formation: Formation,
    /// The middle of its front.
    pub anchor: Point,
    /// Where it looks.
    pub facing: Facing,
    /// Where it is.
    pub presence: Presence,
    /// Cavalry on foot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dismounted: bool,
    /// The turn in which it last changed formation.
    #[serde(default)]
    pub formed: u32,
    /// The turn and phase (4 or 6) in which bases of it last fought, per base.
    #[serde(default)]
    pub halted: bool,
    /// It came under fire in this turn.
    #[serde(default)]
    pub under_fire: bool,
    /// What it fires at.
    pub fire: FirePlan,
    /// The bends of its way, where it is a column; the last one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trail: Vec<Bend>,
    /// Its bases.
    #[serde(rename = "base")]
    pub bases: Vec<Base>,
}

impl Unit {
    /// Its army.
    pub fn army(&self) -> Army {
        self.troop.army()
    }

    /// On the table with a base at least.
    pub fn on_table(&self) -> bool {
        self.presence == Presence::Table && self.bases.iter().any(Base::stands)
    }

    /// Its bases that are not lost, with their index.
    pub fn standing(&self) -> impl Iterator<Item = (usize, &Base)> {
        self.bases.iter().enumerate().filter(|(_, b)| b.stands())
    }

    /// How many bases are not lost.
    pub fn strength(&self) -> usize {
        self.standing().count()
    }

    /// The id of a base.
    pub fn base_id(&self, index: usize) -> String {
        format!("{}-{}", self.id, index + 1)
    }

    /// Rifle bases or guns among them that stand.
    pub fn has_rifles(&self) -> bool {
        self.standing().any(|(_, b)| b.rifles)
    }
}

/// The bases of a new unit: rifles come first, so that they stand in the front rank.
pub fn bases(count: u32, rifles: u32, pose: Pose) -> Vec<Base> {
    (0..count)
        .map(|n| Base {
            at: pose.at,
            facing: pose.facing,
            condition: Condition::Sound,
            rifles: n < rifles,
        })
        .collect()
}
