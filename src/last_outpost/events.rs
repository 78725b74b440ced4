//! What happens, as data: the only record of a phase. A report can be redone from
//! these, and a state is the fold of them.

use serde::{Deserialize, Serialize};

use crate::core::id::Id;

use super::doctrine::{Doctrine, Intent, Raise, Through};
use super::state::Window;

/// A modifier of a roll, with the rule that gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modifier {
    /// In words.
    pub what: String,
    /// Added to the roll.
    pub drm: i32,
    /// The rule.
    pub rule: String,
}

/// A wave as it is formed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Its number.
    pub wave: u32,
    /// Whose.
    pub player: Id,
    /// The section.
    pub target: String,
    /// Who is in it.
    pub figures: Vec<String>,
    /// Markers with it.
    pub markers: u32,
    /// Its strength for morale.
    pub strength: u32,
    /// When markers raise the dead.
    pub raise: Raise,
    /// What the first of a crowd do.
    pub through: Through,
    /// What its men do within.
    pub intents: Vec<Intent>,
    /// How many work at the tower at most.
    pub workers: u32,
}

/// Who has the initiative in a zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneTurn {
    /// The zone.
    pub zone: String,
    /// Defenders at its barriers.
    pub garrison: u32,
    /// Mahdists within.
    pub mahdists: u32,
    /// Whose it is: `garrison` or `mahdist`.
    pub first: String,
    /// Both dice, garrison first, for each throw that was needed.
    pub dice: Vec<(u32, u32)>,
    /// True if anything happens in the zone.
    pub busy: bool,
}

/// One shot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shot {
    /// Label of the roll.
    pub label: String,
    /// `garrison` or `mahdist`.
    pub side: String,
    /// Who fires.
    pub figure: String,
    /// From where.
    pub from: String,
    /// At whom.
    pub target: String,
    /// Where that one is.
    pub at: String,
    /// The lowest die that hits.
    pub needed: i32,
    /// The die.
    pub die: u32,
    /// Its modifiers.
    pub modifiers: Vec<Modifier>,
    /// True for a hit.
    pub hit: bool,
    /// The rule.
    pub rule: String,
}

/// One attack hand to hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blow {
    /// Label of the roll.
    pub label: String,
    /// `garrison` or `mahdist`.
    pub side: String,
    /// Who attacks.
    pub attacker: String,
    /// Whom.
    pub defender: String,
    /// Where it is fought: a wall or a room.
    pub at: String,
    /// The lowest sum that kills.
    pub needed: i32,
    /// Both dice.
    pub dice: Vec<u32>,
    /// Modifiers.
    pub modifiers: Vec<Modifier>,
    /// Dice and modifiers.
    pub total: i32,
    /// `kills`, `passes` (R37) or `nothing`.
    pub outcome: String,
    /// The rule.
    pub rule: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A player's file in this phase, and how many of its orders came to what.
    Orders {
        /// Who.
        player: Id,
        /// `file`, `missing` or `idle`.
        submission: String,
        /// Orders carried out.
        done: u32,
        /// Orders that failed.
        failed: u32,
        /// Orders refused.
        refused: u32,
        /// What was defaulted.
        defaulted: Vec<String>,
    },
    /// An order that was refused or failed.
    Outcome {
        /// Whose.
        player: Id,
        /// Its line.
        line: u32,
        /// `refused` or `failed`.
        outcome: String,
        /// The order in short.
        order: String,
        /// Why.
        reason: String,
        /// The rule, if one is broken.
        rule: String,
    },
    /// A player changed what stands.
    Doctrine {
        /// Who.
        player: Id,
        /// All of it.
        doctrine: Box<Doctrine>,
    },
    /// Defenders are posted, or told to walk to a post.
    Posted {
        /// Who.
        figures: Vec<String>,
        /// Where.
        post: String,
        /// In an assault they walk by the rules (R21 to R24).
        walks: bool,
    },
    /// Figures stand somewhere else now.
    Stands {
        /// Who.
        figures: Vec<String>,
        /// The place, as states name it.
        place: String,
    },
    /// The kind of day (R3).
    Chosen {
        /// An assault.
        assault: bool,
        /// Why: `ordered`, `forced`, `default`.
        why: String,
        /// The rule.
        rule: String,
    },
    /// A card is flipped (R4).
    Card {
        /// Which, from 1.
        number: u32,
        /// Its name.
        card: String,
        /// Markers gained.
        markers: u32,
        /// Markers lost to the limit of the stock.
        lost: u32,
        /// The rule.
        rule: String,
    },
    /// The emir flips no other card (R8).
    Stopped {
        /// Cards flipped.
        cards: u32,
        /// Which of his rules stopped him: his side's secret.
        why: String,
        /// The rule.
        rule: String,
    },
    /// Both jokers: the next day is an assault (R8).
    Forced {
        /// The rule.
        rule: String,
    },
    /// A figure is hit.
    Hit {
        /// Who.
        figure: String,
        /// `wounded`, `fallen` (unwounded before, may return) or `killed`.
        outcome: String,
        /// By what.
        cause: String,
        /// The rule.
        rule: String,
    },
    /// Riflemen hide in the rocks (R42).
    Hidden {
        /// Who.
        figures: Vec<String>,
    },
    /// A wave is formed and announced (R15).
    Launched(Box<Launch>),
    /// A wave gets other orders for what its men do.
    Told {
        /// Which.
        wave: u32,
        /// When markers raise the dead.
        raise: Raise,
        /// What the first of a crowd do.
        through: Through,
        /// What its men do within.
        intents: Vec<Intent>,
        /// How many work at the tower at most.
        workers: u32,
    },
    /// Markers raise the dead (R19).
    Raised {
        /// Which wave.
        wave: u32,
        /// Who.
        figures: Vec<String>,
        /// Markers spent.
        markers: u32,
        /// The rule.
        rule: String,
    },
    /// A round begins.
    RoundBegan {
        /// Which.
        round: u32,
    },
    /// A zone is dealt with (R11, R13).
    Zone(Box<ZoneTurn>),
    /// A wave advances, or arrives (R16).
    WaveMoved {
        /// Which.
        wave: u32,
        /// Moves made.
        moves: u32,
    },
    /// Fire from a section opens it to those before another (R26).
    Opened {
        /// Where they stand.
        from: String,
        /// The section that fired.
        to: String,
        /// The rule.
        rule: String,
    },
    /// A shot.
    Shot(Box<Shot>),
    /// An attack hand to hand.
    Struck(Box<Blow>),
    /// A gun fires (R32).
    GunFired {
        /// Label of the roll.
        label: String,
        /// `garrison`.
        side: String,
        /// Which.
        gun: String,
        /// At which wave.
        wave: u32,
        /// Both dice.
        dice: Vec<u32>,
        /// Missing crew.
        missing: u32,
        /// Casualties.
        kills: u32,
        /// The rule.
        rule: String,
    },
    /// A gun may fire no more, or again (R31).
    GunSilent {
        /// Which.
        gun: String,
        /// No more.
        silent: bool,
        /// The rule.
        rule: String,
    },
    /// A wave checks its morale (R20).
    Checked {
        /// Label of the roll.
        label: String,
        /// `mahdist`.
        side: String,
        /// Which wave.
        wave: u32,
        /// The limit, in per cent.
        percent: u32,
        /// Its casualties.
        casualties: u32,
        /// The casualties that made it check.
        limit: u32,
        /// Both dice.
        dice: Vec<u32>,
        /// It withdraws on this or less.
        breaks_on: u32,
        /// It stands.
        stands: bool,
        /// The rule.
        rule: String,
    },
    /// A wave withdraws.
    Withdrew {
        /// Which.
        wave: u32,
        /// Why.
        why: String,
        /// The rule.
        rule: String,
    },
    /// Nobody is left of a wave.
    WaveEnded {
        /// Which.
        wave: u32,
        /// Markers it had left.
        markers: u32,
    },
    /// Work at the tower (R43).
    Tower {
        /// Label of the roll.
        label: String,
        /// `mahdist`.
        side: String,
        /// How many work.
        workers: u32,
        /// The dice.
        dice: Vec<u32>,
        /// Points of damage.
        points: u32,
        /// The rule.
        rule: String,
    },
    /// An attempt at a gun (R44).
    GunTried {
        /// Label of the roll.
        label: String,
        /// `mahdist`.
        side: String,
        /// Which.
        gun: String,
        /// The die.
        die: u32,
        /// It is disabled.
        disabled: bool,
        /// The rule.
        rule: String,
    },
    /// Who holds the yard at the end of a round (R45).
    Yard {
        /// Ends of rounds running.
        held: u32,
        /// The patients are slain.
        massacred: bool,
        /// The rule.
        rule: String,
    },
    /// Figures have reloaded.
    Loaded {
        /// Who.
        figures: Vec<String>,
    },
    /// A gun's crew reloads.
    GunLoads {
        /// Which.
        gun: String,
        /// Rounds so far; none when it is ready.
        loading: Option<u32>,
    },
    /// An order that the block did not come to.
    Lapsed {
        /// Whose.
        player: Id,
        /// In words.
        what: String,
    },
    /// A round ends.
    RoundEnded {
        /// Which.
        round: u32,
        /// Rounds running without an attack, a crossing or work.
        idle: u32,
    },
    /// The assault ends (R10).
    AssaultEnded {
        /// Why.
        why: String,
        /// The rule.
        rule: String,
    },
    /// Wounded return (R46).
    Returned {
        /// Who.
        figures: Vec<String>,
        /// How many fell unwounded.
        of: u32,
        /// The rule.
        rule: String,
    },
    /// The fallen who do not return.
    Gone {
        /// Who.
        figures: Vec<String>,
    },
    /// Mahdists stand ready for another day.
    Rallied {
        /// Who.
        figures: Vec<String>,
    },
    /// The siege is over.
    Over {
        /// The result.
        result: String,
        /// How it follows.
        why: Vec<String>,
        /// The rule.
        rule: String,
    },
    /// The phase is over.
    PhaseEnded {
        /// Which.
        phase: u32,
    },
    /// What comes next.
    Next {
        /// The window.
        window: Window,
        /// The day.
        day: u32,
    },
}
