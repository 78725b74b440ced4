//! What happens, as data: the only record of a phase. A report can be redone from
//! these, and a state is the fold of them.

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::geometry::hex::{Hex, Side};

use super::data::Army;
use super::state::{Standing, Window};

mod hex_text {
    //! Hexes and hexsides as their printed ids.
    use super::{Hex, Side};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    impl Serialize for Hex {
        fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_str(self)
        }
    }
    impl<'de> Deserialize<'de> for Hex {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            let text = String::deserialize(d)?;
            Self::parse(&text).ok_or_else(|| D::Error::custom("no hex"))
        }
    }
    impl Serialize for Side {
        fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_str(self)
        }
    }
    impl<'de> Deserialize<'de> for Side {
        fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
            let text = String::deserialize(d)?;
            Self::parse(&text).ok_or_else(|| D::Error::custom("no hexside"))
        }
    }
}

impl Serialize for Army {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(match self {
            Self::AngloEgyptian => "anglo-egyptian",
            Self::Dervish => "dervish",
        })
    }
}

/// A modifier of a die, with the rule that gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modifier {
    /// In words: `accuracy`, `huts`.
    pub what: String,
    /// Added to the die.
    pub drm: i32,
    /// The rule.
    pub rule: String,
}

/// One unit's part in an attack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The unit.
    pub unit: String,
    /// Its hex.
    pub from: Hex,
    /// Which of its weapons, where it has several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub weapon: String,
    /// Its printed factor.
    pub printed: u32,
    /// Range in hexes (fire), 1 in melee.
    pub range: u32,
    /// The range effect, as printed: `x2`, `1/2`; `x1` in melee.
    pub multiplier: String,
    /// The factors that count.
    pub factors: u32,
    /// Rules worth a note in the table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// The roll of one side in a fight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rolled {
    /// Label of the roll.
    pub label: String,
    /// Who takes part, with what.
    pub parts: Vec<Part>,
    /// Sum of the factors.
    pub factors: u32,
    /// The chart row, `26-30`.
    pub row: String,
    /// The die, 1 to 10.
    pub die: u32,
    /// Its modifiers.
    pub modifiers: Vec<Modifier>,
    /// Die and modifiers.
    pub total: i32,
    /// The chart's result: `-`, `D` or a number.
    pub result: String,
    /// Units eliminated by it.
    pub lost: Vec<String>,
    /// Units disrupted by it.
    pub disrupted: Vec<String>,
    /// How the losses were chosen.
    pub chosen: String,
}

/// The kind of a fight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FightKind {
    /// Defensive fire (6.7).
    Defence,
    /// Offensive fire (6.8).
    Offence,
    /// Second fire of Maxims, with howitzers that join it (6.4.2).
    Second,
    /// Howitzer fire (6.6.4).
    Howitzer,
    /// Melee (7.0).
    Melee,
}

/// A fight: fire at a target, or a melee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fight {
    /// Number in the phase, from 1.
    pub number: u32,
    /// Which.
    pub kind: FightKind,
    /// Who attacks.
    pub attacker: Army,
    /// The target: `0712`, `0402:fort`, `0512:SE`.
    pub target: String,
    /// The target in words: `four Mulazmin`, `the wall`.
    pub target_words: String,
    /// Howitzer fire: what it was aimed at, and how it fell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impacts: Vec<Impact>,
    /// The attacker's roll.
    pub attack: Rolled,
    /// The defender's roll in a melee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defence: Option<Rolled>,
    /// What came of it besides losses: `the wall is breached`, `a miss`.
    pub effect: String,
    /// Units that stood in the target hex and still do.
    pub left: Vec<String>,
    /// Rules applied.
    pub rules: Vec<String>,
}

/// Where a howitzer's shell fell (6.6.4.D).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// The gunboat.
    pub boat: String,
    /// The hex aimed at.
    pub aim: Hex,
    /// Label of the impact roll.
    pub label: String,
    /// The impact roll, 1 to 10.
    pub die: u32,
    /// The hex where it fell, if that is on the map.
    pub fell: Option<Hex>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A player's file in this phase, and how many of its orders came to what.
    Orders {
        /// The player.
        player: Id,
        /// `file`, `missing` (asked, nothing valid came) or `idle`.
        submission: String,
        /// Orders carried out.
        done: u32,
        /// Orders that failed because of what happened.
        failed: u32,
        /// Orders refused.
        refused: u32,
        /// In words, what the defaults did for this player.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        defaulted: Vec<String>,
    },
    /// What came of one order, when it was not simply done.
    Outcome {
        /// The player.
        player: Id,
        /// The line of the file.
        line: u32,
        /// `refused` or `failed`.
        outcome: String,
        /// The order in short.
        order: String,
        /// Why.
        reason: String,
        /// The rule.
        rule: String,
    },
    /// Standing orders were changed.
    Standing {
        /// Whose.
        player: Id,
        /// To what.
        standing: Standing,
    },
    /// A unit was set up.
    Placed {
        /// The unit.
        unit: String,
        /// Where.
        hex: Hex,
    },
    /// A unit entered the map.
    Entered {
        /// The unit.
        unit: String,
        /// The hexes, the entry hex first.
        path: Vec<Hex>,
        /// Movement points spent.
        cost: u32,
        /// Movement points it had.
        allowance: u32,
    },
    /// A unit moved.
    Moved {
        /// The unit.
        unit: String,
        /// The hexes, where it stood first.
        path: Vec<Hex>,
        /// Movement points spent.
        cost: u32,
        /// Movement points it had.
        allowance: u32,
    },
    /// A fight was fought; losses follow as events of their own.
    Fight(Box<Fight>),
    /// A unit was eliminated.
    Eliminated {
        /// The unit.
        unit: String,
        /// By what.
        cause: String,
        /// The rule.
        rule: String,
    },
    /// A unit is out of the game, not eliminated.
    LeftOut {
        /// The unit.
        unit: String,
        /// The rule.
        rule: String,
    },
    /// A unit was disrupted.
    Disrupted {
        /// The unit.
        unit: String,
        /// The rule.
        rule: String,
    },
    /// A unit recovered from disruption.
    Recovered {
        /// The unit.
        unit: String,
        /// The rule.
        rule: String,
    },
    /// A wall hexside was breached.
    Breached {
        /// The hexside.
        side: Side,
        /// The rule.
        rule: String,
    },
    /// A unit advanced after combat.
    Advanced {
        /// The unit.
        unit: String,
        /// From where.
        from: Hex,
        /// To where.
        to: Hex,
        /// True where the rules compel it.
        compulsory: bool,
        /// The rule.
        rule: String,
    },
    /// An attack that found nobody left, or that could no longer be made.
    Wasted {
        /// Who would have attacked.
        units: Vec<String>,
        /// What.
        target: String,
    },
    /// A unit that would have advanced may not enter or stack there.
    StayedBehind {
        /// The unit.
        unit: String,
        /// Where it would have gone.
        to: Hex,
        /// Why not.
        reason: String,
        /// The rule.
        rule: String,
    },
    /// A Dervish unit entered Gordon's hex.
    GordonFell {
        /// Gordon.
        unit: String,
        /// Who entered.
        by: String,
        /// On which turn.
        turn: u32,
        /// The rule.
        rule: String,
    },
    /// A unit retreated before melee (7.5).
    Retreated {
        /// The unit.
        unit: String,
        /// Two steps, from where it stood.
        path: Vec<Hex>,
        /// The rule.
        rule: String,
    },
    /// A unit went on board (5.2.1).
    Loaded {
        /// The unit.
        unit: String,
        /// The gunboat.
        boat: String,
        /// The turn.
        turn: u32,
        /// The rule.
        rule: String,
    },
    /// A unit went ashore.
    Landed {
        /// The unit.
        unit: String,
        /// The gunboat.
        boat: String,
        /// The hexes, the first on the bank.
        path: Vec<Hex>,
        /// Movement points spent.
        cost: u32,
        /// Movement points it had.
        allowance: u32,
    },
    /// A unit begins to build or to demolish.
    Announced {
        /// The unit.
        unit: String,
        /// `construct` or `demolish TARGET`.
        task: String,
        /// The rule.
        rule: String,
    },
    /// A hexside of the Zariba was built (5.3.C).
    Built {
        /// The hexside.
        side: Side,
        /// By whom.
        unit: String,
        /// The rule.
        rule: String,
    },
    /// A demolition succeeded (6.5.3.B).
    Demolished {
        /// By whom.
        unit: String,
        /// What.
        target: String,
        /// The rule.
        rule: String,
    },
    /// A task came to nothing.
    GaveUp {
        /// Whose.
        unit: String,
        /// Which.
        task: String,
        /// Why.
        reason: String,
        /// The rule.
        rule: String,
    },
    /// The desertion roll (8.2).
    Desertion {
        /// Label of the roll.
        label: String,
        /// The die.
        die: u32,
        /// How many units desert.
        count: u32,
        /// The rule.
        rule: String,
    },
    /// A unit deserted.
    Deserted {
        /// The unit.
        unit: String,
        /// How it was chosen.
        chosen: String,
        /// The rule.
        rule: String,
    },
    /// A player sealed a note (10.1.B, 10.2.B); shown to nobody else.
    Hidden {
        /// Who.
        owner: Id,
        /// In which phase.
        phase: u32,
        /// The line of the note.
        text: String,
        /// The salt of its commitment.
        salt: String,
    },
    /// A sealed note was opened.
    NoteOpened {
        /// Its line.
        text: String,
        /// Its commitment, 64 hex digits.
        commitment: String,
        /// The rule.
        rule: String,
    },
    /// A gunboat struck a mine (10.1.C).
    Struck {
        /// The gunboat.
        unit: String,
        /// Where.
        hex: Hex,
        /// Label of the roll.
        label: String,
        /// The die.
        die: u32,
        /// What came of it.
        effect: String,
        /// The rule.
        rule: String,
    },
    /// A gunboat lost its engines.
    Damaged {
        /// The gunboat.
        unit: String,
        /// The rule.
        rule: String,
    },
    /// A damaged gunboat drifted.
    Drifted {
        /// The gunboat.
        unit: String,
        /// The hexes, where it lay first.
        path: Vec<Hex>,
        /// True if it left the map.
        off: bool,
        /// The rule.
        rule: String,
    },
    /// A gunboat came to the chain (10.2.C).
    Chained {
        /// The gunboat.
        unit: String,
        /// Where it stops.
        hex: Hex,
        /// Where it came from.
        from: Hex,
        /// The rule.
        rule: String,
    },
    /// The chain was sunk (10.2.D).
    ChainSunk {
        /// The rule.
        rule: String,
    },
    /// A gunboat stopped short of where it was going.
    Stopped {
        /// The gunboat.
        unit: String,
        /// Where.
        hex: Hex,
        /// Why.
        reason: String,
    },
    /// Victory points (9.1.4).
    Scored {
        /// For whom.
        army: Army,
        /// How many.
        points: u32,
        /// For which unit, eliminated.
        unit: String,
        /// The rule.
        rule: String,
    },
    /// A window that nobody could have used was passed over.
    Skipped {
        /// The turn.
        turn: u32,
        /// The player-turn.
        moving: Army,
        /// The window.
        window: Window,
    },
    /// What comes next.
    Next {
        /// The turn.
        turn: u32,
        /// The player-turn.
        moving: Army,
        /// The window.
        window: Window,
    },
    /// The phase is recorded.
    PhaseEnded {
        /// Its number.
        phase: u32,
    },
    /// The game is over.
    Over {
        /// The level of victory.
        result: String,
        /// How it came about.
        why: Vec<String>,
        /// The rule.
        rule: String,
    },
}
