//! Why an order is against the rules: a variant a rule, with its facts.

use std::fmt;

use crate::core::rule::Rule;

use super::cite;
use super::state::{Formation, Order};

/// A breach of the rules by an order.
#[allow(missing_docs, reason = "the fields of each variant are named for the facts they hold")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Somebody else commands it.
    NotYours { what: String, owner: String },
    /// Destroyed or off the table.
    Gone { what: String },
    /// Ordered twice.
    Twice { what: String, line: usize, rule: &'static str },
    /// The window is not for this.
    NotNow { what: &'static str, window: &'static str },
    /// A place outside the zone.
    OutsideZone { unit: String, spot: String, zone: String },
    /// In an obstacle, or on another unit.
    NoRoom { unit: String, spot: String, why: String },
    /// Too many false markers.
    TooManyFalse { most: u32, real: u32, per: u32 },
    /// Too far for a general.
    GeneralTooFar { general: String, way: String, most: String },
    /// A general goes with bases of his own army.
    AttachTo { base: String, first: Option<String> },
    /// ATTACK in column.
    AttackInColumn { unit: String },
    /// Mahdist artillery never moves.
    GunsStay { unit: String },
    /// The order does not allow the step.
    OrderForbids { unit: String, order: Order, step: String, instead: &'static str },
    /// A formation does not allow the step.
    FormationForbids { unit: String, formation: Formation, step: String },
    /// It is in that formation already.
    Already { unit: String, what: String },
    /// Changing formation takes the whole move.
    FormAlone { unit: String },
    /// Only regular cavalry mounts and dismounts.
    NoHorses { unit: String },
    /// Longer than the move.
    TooLong { unit: String, step: String, most: String, formation: Formation },
    /// Egyptian and Sudanese troops move or fire.
    MoveOrFire { unit: String },
    /// Markers go from point to point.
    MarkerStep { marker: String, step: String },
    /// It cannot fire at all.
    NoFire { unit: String },
}

impl Violation {
    /// The rule that it breaks.
    pub fn rule(&self) -> Option<Rule> {
        Some(match self {
            Self::NotYours { .. } => cite("R1"),
            Self::TooManyFalse { .. } => cite("R21"),
            Self::GeneralTooFar { .. } | Self::GunsStay { .. } | Self::TooLong { .. } => {
                cite("R17")
            }
            Self::AttachTo { .. } => cite("R25"),
            Self::AttackInColumn { .. } | Self::FormAlone { .. } | Self::Already { .. } => {
                cite("R16")
            }
            Self::OrderForbids { order, .. } => match order {
                Order::Hold => cite("R9"),
                Order::Attack => cite("R10"),
                _ => cite("R11"),
            },
            Self::FormationForbids { .. } => cite("R15"),
            Self::NoHorses { .. } => cite("R9"),
            Self::MoveOrFire { .. } | Self::NotNow { .. } => cite("R7"),
            Self::MarkerStep { .. } => cite("R20"),
            Self::NoFire { .. } => cite("R24"),
            Self::Gone { .. } => cite("R27"),
            Self::Twice { rule, .. } => cite(rule),
            Self::OutsideZone { .. } => cite("R5"),
            Self::NoRoom { .. } => cite("R3"),
        })
    }

    /// What would be legal.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NotYours { owner, .. } => format!("its orders come from `{owner}`"),
            Self::Gone { .. } => "leave this order out".to_owned(),
            // Changes and moves may wait for a condition; nothing else may.
            Self::Twice { line, rule: "R11" | "R14", .. } => {
                format!("keep line {line} or this one, or give line {line} an `if`")
            }
            Self::Twice { line, .. } => format!("keep line {line} or this one"),
            Self::NotNow { .. } => "keep it for its own window; the form lists what is asked now".to_owned(),
            Self::OutsideZone { zone, .. } => format!("your zone is {zone}"),
            Self::NoRoom { .. } => "choose another place or facing".to_owned(),
            Self::TooManyFalse { most, .. } => format!("place {most} at most"),
            Self::GeneralTooFar { most, .. } => format!("he moves up to {most} inches"),
            Self::AttachTo { first: Some(first), .. } => {
                format!("write a base of it: attach = \"{first}\"")
            }
            Self::AttachTo { .. } => {
                "name a base of your own army that stands on the table for all to see".to_owned()
            }
            Self::AttackInColumn { unit } => {
                format!("order {unit} to HOLD, `form battle` in its move, and ATTACK after that")
            }
            Self::GunsStay { .. } => "it may fire where it stands".to_owned(),
            Self::OrderForbids { instead, .. } => (*instead).to_owned(),
            Self::FormationForbids { formation: Formation::Column, .. } => {
                "a column may advance, move to a point, wheel, face about; on HOLD it may form battle".to_owned()
            }
            Self::FormationForbids { .. } => "form column on HOLD first".to_owned(),
            Self::Already { .. } | Self::NoHorses { .. } => "leave the step out".to_owned(),
            Self::FormAlone { .. } => "write the change of formation alone".to_owned(),
            Self::TooLong { most, .. } => format!("{most} inches at most"),
            Self::MoveOrFire { .. } => "write act = \"move\" or act = \"fire\"".to_owned(),
            Self::MarkerStep { .. } => "write do = [\"move to [x, y]\"], as many as you like".to_owned(),
            Self::NoFire { .. } => "leave it out".to_owned(),
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotYours { what, .. } => write!(f, "`{what}` is not yours to command"),
            Self::Gone { what } => write!(f, "`{what}` is not on the table any more"),
            Self::Twice { what, line, .. } => {
                write!(f, "`{what}` has an order already, in line {line}")
            }
            Self::NotNow { what, window } => write!(f, "{what} is not for this window ({window})"),
            Self::OutsideZone { unit, spot, .. } => {
                write!(f, "`{unit}` would stand outside your zone at {spot}")
            }
            Self::NoRoom { unit, spot, why } => {
                write!(f, "there is no room for `{unit}` at {spot}: {why}")
            }
            Self::TooManyFalse { most, real, per } => {
                write!(f, "{real} hidden units allow {most} false markers, one for every {per}")
            }
            Self::GeneralTooFar { general, way, .. } => {
                write!(f, "{general} would move {way} inches")
            }
            Self::AttachTo { base, .. } => {
                write!(f, "`{base}` is no base that a general of yours can go with")
            }
            Self::AttackInColumn { unit } => write!(f, "{unit} is in column and cannot ATTACK"),
            Self::GunsStay { unit } => write!(f, "{unit} is Mahdist artillery, which never moves"),
            Self::OrderForbids { unit, order, step, .. } => {
                write!(f, "{unit} with the order {} may not `{step}`", order.word())
            }
            Self::FormationForbids { unit, formation, step } => {
                write!(f, "{unit} is in {}, which does not allow `{step}`", formation.word())
            }
            Self::Already { unit, what } => write!(f, "{unit} is {what} already"),
            Self::FormAlone { unit } => {
                write!(f, "changing formation takes the whole move of {unit}")
            }
            Self::NoHorses { unit } => write!(f, "{unit} is no regular cavalry"),
            Self::TooLong { unit, step, most, formation } => write!(
                f,
                "`{step}` is more than {unit} can do in a turn: {most} inches in {}",
                formation.word()
            ),
            Self::MoveOrFire { unit } => {
                write!(f, "{unit} is not British: in step 5 it moves or fires, not both")
            }
            Self::MarkerStep { marker, step } => {
                write!(f, "marker {marker} goes from point to point: `{step}` is no point")
            }
            Self::NoFire { unit } => write!(f, "{unit} has nothing to fire with"),
        }
    }
}
