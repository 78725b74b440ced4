//! Why an order is against the rules: a variant a rule, with its facts.

use std::fmt;

use crate::core::rule::Rule;
use crate::geometry::hex::{Hex, Side};

use super::cite::cite;

/// A breach of the rules by an order.
#[allow(missing_docs, reason = "the fields of each variant are named for the facts they hold")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The unit is eliminated.
    Dead { unit: String, when: String },
    /// The unit is not on the map.
    NotOnMap { unit: String },
    /// The unit has nothing to do with this kind of order now.
    AlreadyOnMap { unit: String, hex: Hex },
    /// Somebody else's unit.
    NotYours { unit: String, owner: String },
    /// The unit has an order already.
    Twice { unit: String, line: usize, fire: bool },
    /// A disrupted unit may not move, fire or melee.
    Disrupted { unit: String, what: &'static str },
    /// A step to a hex that is not adjacent.
    NotAdjacent { from: Hex, to: Hex },
    /// A land unit may not enter the Nile.
    IntoTheNile { unit: String, hex: Hex },
    /// A gunboat may not leave the Nile.
    OutOfTheNile { unit: String, hex: Hex },
    /// A wall lies between.
    Wall { side: Side },
    /// A thorn hedge or trench lies between.
    Zariba { side: Side, works: &'static str, rule: &'static str },
    /// The walled city is closed to this unit.
    ClosedCity { unit: String, hex: Hex, rule: &'static str },
    /// A gunboat must stop in a chained hex.
    StopAtChain { unit: String, hex: Hex },
    /// No gunboat crosses the chain.
    AcrossChain { unit: String, hex: Hex },
    /// The unit is on board a gunboat.
    OnBoard { unit: String, boat: String },
    /// The unit builds or demolishes in this player-turn.
    AtWork { unit: String, what: &'static str, rule: &'static str },
    /// A limit of the order of appearance.
    TooMany { unit: String, what: String, rule: &'static str },
    /// Something of a special order is not so.
    Special { unit: String, why: String, rule: &'static str },
    /// Enemies are in the hex.
    EnemyThere { hex: Hex, enemy: String },
    /// An enemy fort, even empty.
    EnemyFort { hex: Hex, fort: String },
    /// It must stop in an enemy zone of control.
    MustStop { unit: String, hex: Hex, enemy: String, next: Hex },
    /// Too few movement points.
    TooFar {
        unit: String,
        hex: Hex,
        cost: u32,
        allowance: u32,
        why: &'static str,
        rule: &'static str,
    },
    /// The unit cannot move at all.
    Immobile { unit: String, why: &'static str, rule: &'static str },
    /// The hex cannot be reached.
    NoPath { unit: String, to: Hex, allowance: u32, why: &'static str, rule: &'static str },
    /// Too many units in a hex.
    Overstacked { hex: Hex, have: usize, unit: String },
    /// Tribes in one hex.
    Tribes { hex: Hex, unit: String, tribe: String, with: String },
    /// A leader with units of another colour.
    LeaderColour { hex: Hex, unit: String, with: String },
    /// A gunboat with another unit.
    WithGunboat { hex: Hex, unit: String, with: String },
    /// Not an entry hex.
    NotAnEntry { hex: Hex, edges: String, rule: &'static str },
    /// Not the turn of entry.
    NoEntryNow { unit: String, turn: u32, rule: &'static str },
    /// Not a hex where this unit may set up.
    NoSetup { unit: String, hex: Hex, why: String, allowed: String, rule: &'static str },
    /// Nobody to fire at.
    Nobody { target: String },
    /// Leaders alone, whom neither fire nor melee touches.
    Untouchable { unit: String, hex: Hex, rule: &'static str },
    /// Only artillery may fire at this.
    OnlyArtillery { unit: String, at: &'static str, rule: &'static str },
    /// The unit has no fire factor or may not fire.
    CannotFire { unit: String, why: &'static str },
    /// Out of range.
    OutOfRange { unit: String, target: String, range: u32, reach: u32, night: bool },
    /// Out of sight.
    Unseen { unit: String, target: String, why: Vec<String>, rule: Rule },
    /// Already breached.
    NoWall { side: Side, breached: bool },
    /// The kind may not melee attack.
    CannotMelee { unit: String, why: &'static str, rule: &'static str },
    /// Not next to the target.
    MeleeNotAdjacent { unit: String, target: Hex },
    /// Melee across something that bars it.
    MeleeBarred { unit: String, target: Hex, what: &'static str, rule: &'static str },
    /// A hex with a fort needs an infantry attacker.
    FortNeedsInfantry { target: Hex },
    /// The order has no place in this window.
    WrongWindow { order: &'static str, window: &'static str },
    /// Not this side's part of the window.
    NotYourPart { order: &'static str, why: &'static str },
}

impl Violation {
    /// The rule that is broken; `None` for faults of form.
    pub fn rule(&self) -> Option<Rule> {
        Some(match self {
            Self::Dead { .. }
            | Self::NotOnMap { .. }
            | Self::AlreadyOnMap { .. }
            | Self::NotYours { .. }
            | Self::WrongWindow { .. }
            | Self::OnBoard { .. }
            | Self::NotYourPart { .. }
            | Self::Twice { fire: false, .. } => return None,
            Self::Twice { .. } => cite("6.1.F"),
            Self::Disrupted { .. } => cite("7.8.B"),
            Self::NotAdjacent { .. } => cite("5.1.1"),
            Self::StopAtChain { .. } => cite("10.2.C"),
            Self::AcrossChain { .. } => cite("10.2.D"),
            Self::IntoTheNile { .. } => cite("5.2.2.A"),
            Self::OutOfTheNile { .. } => cite("5.2.2.B"),
            Self::Wall { .. } => cite("5.2.3.C"),
            Self::EnemyThere { .. } => cite("5.1.2"),
            Self::EnemyFort { .. } => cite("6.5.4.D"),
            Self::MustStop { .. } => cite("5.2.6"),
            Self::Immobile { rule, .. }
            | Self::TooFar { rule, .. }
            | Self::NoPath { rule, .. }
            | Self::OnlyArtillery { rule, .. }
            | Self::CannotMelee { rule, .. }
            | Self::MeleeBarred { rule, .. }
            | Self::Zariba { rule, .. }
            | Self::ClosedCity { rule, .. }
            | Self::AtWork { rule, .. }
            | Self::TooMany { rule, .. }
            | Self::Special { rule, .. }
            | Self::Untouchable { rule, .. }
            | Self::NotAnEntry { rule, .. }
            | Self::NoEntryNow { rule, .. }
            | Self::NoSetup { rule, .. } => cite(rule),
            Self::Overstacked { .. } => cite("5.5.1.A"),
            Self::Tribes { .. } => cite("5.5.2"),
            Self::LeaderColour { .. } => cite("5.5.3"),
            Self::WithGunboat { .. } => cite("5.5.1.C"),
            Self::Nobody { .. } => cite("6.1.E"),
            Self::CannotFire { .. } => cite("6.1.A"),
            Self::OutOfRange { night: true, .. } => cite("8.1.C"),
            Self::OutOfRange { .. } => cite("6.2.B"),
            Self::Unseen { rule, .. } => *rule,
            Self::NoWall { .. } => cite("6.6.3.A"),
            Self::MeleeNotAdjacent { .. } => cite("7.2.A"),
            Self::FortNeedsInfantry { .. } => cite("6.5.4.F"),
        })
    }

    /// Notes the rule as applied, and gives the violation back as an error.
    pub(super) fn bar<T>(self) -> Result<T, Self> {
        self.rule();
        Err(self)
    }

    /// The way out, where there is one besides another order.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::MustStop { hex, .. } => {
                format!("end the path in {hex}, or go round the zone of control")
            }
            Self::Wall { .. } => "cross at a gate or a breach".to_owned(),
            Self::Zariba { .. } => {
                "the Zariba is entered and left at its two ends by the Nile".to_owned()
            }
            Self::ClosedCity { rule: "5.2.3.A", .. } => {
                "only the Khalifa, Dervish artillery and Taiasha units may".to_owned()
            }
            Self::OnBoard { .. } => "order `[[disembark]]` first".to_owned(),
            Self::NotAdjacent { from, .. } => {
                format!("name a neighbour of {from}, or give only `to` and let the path be found")
            }
            Self::TooFar { unit, .. } | Self::NoPath { unit, .. } => {
                format!("`despatch ask reach {unit}` lists what it can reach")
            }
            Self::Overstacked { .. } => {
                "four units at most end in a hex; leaders do not count, forts do".to_owned()
            }
            Self::NotAnEntry { edges, .. } => format!("enter through {edges}"),
            Self::NoSetup { allowed, .. } if allowed.is_empty() => {
                "no hex is left for it in this set-up".to_owned()
            }
            Self::NoSetup { allowed, .. } => format!("it may stand in: {allowed}"),
            Self::OutOfRange { unit, .. }
            | Self::Unseen { unit, .. }
            | Self::OnlyArtillery { unit, .. } => {
                format!("`despatch ask targets {unit}` lists what it can hit")
            }
            Self::Nobody { .. } => {
                "name a hex with enemy units, an enemy fort as `0402:fort`, a wall as `0512:SE`"
                    .to_owned()
            }
            Self::Untouchable { hex, .. } => format!("move into {hex}, or advance into it"),
            Self::NotYours { .. } => "order your own units; `despatch form` lists them".to_owned(),
            Self::Twice { .. } => "give each unit one order of a kind".to_owned(),
            Self::FortNeedsInfantry { .. } => "name at least one infantry unit for it".to_owned(),
            Self::WrongWindow { window, .. } => {
                format!("this window is {window}: its form shows what can be ordered")
            }
            _ => return None,
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dead { unit, when } => write!(f, "`{unit}` was eliminated ({when})"),
            Self::NotOnMap { unit } => write!(f, "`{unit}` is not on the map"),
            Self::AlreadyOnMap { unit, hex } => {
                write!(f, "`{unit}` is on the map already, in {hex}")
            }
            Self::NotYours { unit, owner } => {
                write!(f, "`{unit}` is ordered by {owner}, not by you")
            }
            Self::Twice { unit, line, .. } => {
                write!(
                    f,
                    "`{unit}` has an order already that this one does not go with, on line {line}"
                )
            }
            Self::Disrupted { unit, what } => write!(f, "`{unit}` is disrupted and may not {what}"),
            Self::NotAdjacent { from, to } => write!(f, "{to} is not next to {from}"),
            Self::IntoTheNile { unit, hex } => {
                write!(f, "`{unit}` is a land unit and may not enter the Nile hex {hex}")
            }
            Self::OutOfTheNile { unit, hex } => {
                write!(f, "`{unit}` is a gunboat and {hex} is no Nile hex")
            }
            Self::Wall { side } => write!(f, "the wall {side} cannot be crossed"),
            Self::EnemyThere { hex, enemy } => write!(f, "{enemy} stands in {hex}"),
            Self::EnemyFort { hex, fort } => write!(f, "{hex} holds the enemy fort {fort}"),
            Self::MustStop { unit, hex, next, .. } => {
                write!(f, "`{unit}` must stop in {hex} and cannot go on to {next}")
            }
            Self::TooFar { unit, hex, cost, allowance, why, .. } => write!(
                f,
                "`{unit}` would need {cost} movement points to reach {hex} and has {allowance}{why}"
            ),
            Self::Immobile { unit, why, .. } => write!(f, "`{unit}` may not move: {why}"),
            Self::NoPath { unit, to, allowance, why, .. } => {
                write!(f, "`{unit}` cannot reach {to} with {allowance} movement points{why}")
            }
            Self::Overstacked { hex, have, .. } => {
                write!(f, "{have} units would end the phase in {hex} (four may)")
            }
            Self::Tribes { hex, unit, tribe, with } => {
                write!(f, "`{unit}` ({tribe}) may not end in {hex} with {with} of another tribe")
            }
            Self::LeaderColour { hex, unit, with } => {
                write!(f, "`{unit}` may not end in {hex} with {with}, who is not of its command")
            }
            Self::WithGunboat { hex, unit, with } => {
                write!(f, "`{unit}` may not end in {hex} with {with}: gunboats stack with nobody")
            }
            Self::NotAnEntry { hex, .. } => write!(f, "no unit enters the map in {hex}"),
            Self::NoEntryNow { unit, turn, rule: "9.3.2.2" } => {
                write!(f, "`{unit}` could enter on turn {turn} only")
            }
            Self::NoEntryNow { unit, turn: 0, .. } => write!(f, "`{unit}` never enters"),
            Self::NoEntryNow { unit, turn, .. } => {
                write!(f, "`{unit}` enters from turn {turn} on")
            }
            Self::NoSetup { unit, hex, why, .. } => {
                write!(f, "`{unit}` may not set up in {hex}{why}")
            }
            Self::Nobody { target } => write!(f, "there is nobody to attack at {target}"),
            Self::Untouchable { unit, hex, .. } => write!(
                f,
                "{unit} stands alone in {hex}; only a unit that enters the hex ends his command"
            ),
            Self::OnlyArtillery { unit, at, .. } => {
                write!(f, "`{unit}` is no artillery, and only artillery fires at {at}")
            }
            Self::CannotFire { unit, why } => write!(f, "`{unit}` cannot fire: {why}"),
            Self::OutOfRange { unit, target, range, reach, night } => {
                let night = if *night { " at night" } else { "" };
                write!(f, "{target} is {range} hexes from `{unit}`, which reaches {reach}{night}")
            }
            Self::Unseen { unit, target, why, .. } => {
                write!(f, "`{unit}` does not see {target}: {}", why.join("; "))
            }
            Self::NoWall { side, breached: true } => {
                write!(f, "the wall {side} is breached already")
            }
            Self::NoWall { side, .. } => write!(f, "there is no wall at {side}"),
            Self::CannotMelee { unit, why, .. } => {
                write!(f, "`{unit}` may not attack in melee: {why}")
            }
            Self::MeleeNotAdjacent { unit, target } => {
                write!(f, "`{unit}` is not next to {target}")
            }
            Self::MeleeBarred { unit, target, what, .. } => {
                write!(f, "`{unit}` may not attack {target} across {what}")
            }
            Self::FortNeedsInfantry { target } => {
                write!(f, "{target} holds a fort, and only infantry can attack one in melee")
            }
            Self::WrongWindow { order, window } => {
                write!(f, "`{order}` has no place in the window {window}")
            }
            Self::NotYourPart { order, why } => write!(f, "`{order}` is not yours to order: {why}"),
            Self::Zariba { side, works, .. } => write!(f, "the {works} {side} lies between"),
            Self::ClosedCity { unit, hex, .. } => {
                write!(f, "{hex} is in the walled city, which `{unit}` may not enter")
            }
            Self::StopAtChain { unit, hex } => {
                write!(f, "`{unit}` must stop at the chain in {hex}")
            }
            Self::AcrossChain { unit, hex } => {
                write!(f, "`{unit}` cannot pass the chain to {hex}")
            }
            Self::OnBoard { unit, boat } => write!(f, "`{unit}` is on board {boat}"),
            Self::AtWork { unit, what, .. } => write!(f, "`{unit}` {what} in this player-turn"),
            Self::TooMany { unit, what, .. } => write!(f, "`{unit}` may not enter: {what}"),
            Self::Special { unit, why, .. } => write!(f, "`{unit}` {why}"),
        }
    }
}
