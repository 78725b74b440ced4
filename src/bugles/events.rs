//! What happens: the event log, from which the state after follows.

use serde::{Deserialize, Serialize};

use crate::core::dice::SealedRoll;
use crate::core::id::Id;
use crate::geometry::plane::{Facing, Point, Pose};

use super::data::Army;
use super::state::{Bend, FirePlan, Formation, General, Marker, Order, Storm, Unit, Window};

/// A modifier with its rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modifier {
    /// What it is for.
    pub what: String,
    /// How much.
    pub by: i64,
    /// Its rule.
    pub rule: String,
}

/// One side of an exchange: die, value, modifiers, total.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The base.
    pub base: String,
    /// The die.
    pub die: u32,
    /// The value of the table.
    pub value: i64,
    /// Modifiers.
    pub modifiers: Vec<Modifier>,
    /// All together.
    pub total: i64,
}

/// What an exchange does to the one who loses it (R26, R27).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// It falls back, turned about (R29).
    Suppressed,
    /// It falls back facing the enemy (R28).
    Recoil,
    /// It is destroyed.
    Destroyed,
}

impl Effect {
    /// As printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "no effect",
            Self::Suppressed => "suppressed",
            Self::Recoil => "recoils",
            Self::Destroyed => "DESTROYED",
        }
    }
}

/// A shot, or a fight of two bases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Step of the turn: 2, 3, 4, 5 or 6.
    pub step: u32,
    /// The label of its dice.
    pub label: String,
    /// The firer; in combat the Anglo-Egyptian.
    pub attacker: Score,
    /// The target; in combat the Mahdist.
    pub defender: Score,
    /// Range in units, for fire.
    pub range: i64,
    /// Who loses by it: `true` the defender.
    pub on_defender: bool,
    /// What it does.
    pub effect: Effect,
    /// Its rule.
    pub rule: String,
}

/// Where a unit lies after it moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lay {
    /// The middle of its front.
    pub anchor: Point,
    /// Where it looks.
    pub facing: Facing,
    /// Line or column.
    pub formation: Formation,
    /// On foot.
    pub dismounted: bool,
    /// The bends of a column.
    pub trail: Vec<Bend>,
    /// Every base that stands, by index.
    pub bases: Vec<(usize, Pose)>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields of each are named for the facts they hold")]
#[allow(clippy::large_enum_variant, reason = "a log is not long")]
pub enum Event {
    /// How a player's file came.
    Orders { player: Id, submission: String, done: u32, failed: u32, refused: u32 },
    /// What became of one order.
    Outcome { player: Id, line: u32, order: String, outcome: String, reason: String, rule: String },
    /// A step of the turn begins.
    Step { turn: u32, step: u32 },
    /// A unit joins: drawn by the dice for an emir.
    Mustered { unit: Unit },
    /// A unit is set up, on the table or under a marker.
    Deployed { unit: String, lay: Lay, order: Order, marker: Option<String> },
    /// A marker is placed.
    Placed { marker: Marker, number: u32 },
    /// A general moves.
    GeneralMoved { general: String, to: Point, attached: Option<String>, moved: bool },
    /// How many orders a general may change.
    Allowance {
        general: String,
        faces: Vec<u32>,
        modifiers: Vec<Modifier>,
        total: u32,
        label: String,
    },
    /// A general gives an order.
    Ordered {
        unit: String,
        general: String,
        to: Order,
        distance: i64,
        label: String,
        die: u32,
        needed: u32,
        obeyed: bool,
        rule: String,
    },
    /// An order changes by itself (R12).
    Flipped { unit: String, from: Order, to: Order, why: String, rule: String },
    /// What a unit fires at from now on.
    FirePlan { unit: String, plan: FirePlan },
    /// A unit moves.
    Moved {
        unit: String,
        lay: Lay,
        way: Vec<String>,
        spent: i64,
        rate: i64,
        why: String,
        formed: bool,
    },
    /// A unit that must go on by its order cannot.
    Stays { unit: String, why: String, rule: String },
    /// A marker moves.
    MarkerMoved { marker: String, to: Point, spent: i64 },
    /// A marker is taken off, and what it was.
    Revealed { marker: String, why: String, behind: Vec<String>, noted: u32 },
    /// The general of a random force appears.
    GeneralCame { general: General },
    /// Fire, with its dice.
    Shot { exchange: Exchange },
    /// Fire at a marker: the dice are sealed.
    MarkerShot {
        step: u32,
        firer: String,
        marker: String,
        range: i64,
        exchange: Exchange,
        sealed: SealedRoll,
    },
    /// A fight.
    Fought { exchange: Exchange },
    /// A base moves by what befell it.
    Pushed { base: String, pose: Pose, why: String },
    /// A base is suppressed, where it lies then.
    Suppressed { base: String, pose: Pose },
    /// A base recovers.
    Recovered { base: String, facing: Facing },
    /// A base is destroyed.
    Destroyed { base: String, why: String, rule: String },
    /// Came under fire.
    UnderFire { target: String },
    /// A general is out.
    GeneralLost { general: String, why: String, rule: String },
    /// A storm begins.
    StormBegan { storm: Storm, faces: Vec<u32> },
    /// A unit is lost to sight in a storm: a marker stands for it (R31).
    Veiled { unit: String, marker: Marker, number: u32 },
    /// A storm ends.
    StormEnded,
    /// Somebody veers in a storm.
    Veered { who: String, die: u32, degrees: i64 },
    /// Somebody halts in a storm.
    Halted { who: String, why: String },
    /// The window or the turn changes.
    Advanced { phase: u32, turn: u32, window: Window },
    /// The game is over.
    Over { result: String, winner: Option<Army>, why: String, rule: String },
}
