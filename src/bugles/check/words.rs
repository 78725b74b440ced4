//! The words of steps and conditions.

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::geometry::plane::Point;

use super::super::cite;
use super::super::data::Data;
use super::super::manoeuvre::Step;
use super::super::state::{Formation, Order};
use super::Condition;

/// What one may write as a step.
const STEPS: [&str; 14] = [
    "advance",
    "advance 3.0",
    "retire 1.5",
    "wheel left 45",
    "wheel right 45",
    "about face",
    "move to [x, y]",
    "charge nearest",
    "charge UNIT",
    "form battle",
    "form column",
    "mount",
    "dismount",
    "stand",
];

/// Reads a step of a manoeuvre.
///
/// # Errors
/// What is wrong with it, and what one may write.
#[allow(clippy::result_large_err, reason = "faults are as large as they are")]
pub fn read_step(data: &Data, text: &str) -> Result<Step, Diagnostic> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let length = |word: &str| {
        data.read_inches(word).filter(|n| (1..=6000).contains(n)).ok_or_else(|| {
            Diagnostic::error(None, format!("`{word}` is no number of inches"))
                .help("write inches with up to two decimals, such as 3 or 2.5")
        })
    };
    let degrees = |word: &str| {
        word.parse::<i64>().ok().filter(|n| (1..=180).contains(n)).ok_or_else(|| {
            Diagnostic::error(None, format!("`{word}` is no number of degrees"))
                .help("write whole degrees from 1 to 180")
        })
    };
    Ok(match &words[..] {
        ["stand" | "halt"] => Step::Stand,
        ["advance"] => Step::Advance(None),
        ["advance", n] => Step::Advance(Some(length(n)?)),
        ["retire"] => Step::Retire(None),
        ["retire", n] => Step::Retire(Some(length(n)?)),
        ["wheel", "left", n] => Step::Wheel(-degrees(n)?),
        ["wheel", "right", n] => Step::Wheel(degrees(n)?),
        ["about", "face"] | ["about-face"] | ["face", "about"] => Step::About,
        ["move", "to", rest @ ..] => Step::To(read_point(data, &rest.join(" "))?),
        ["charge", "nearest"] => Step::Charge(None),
        ["charge", who] => Step::Charge(Some((*who).to_owned())),
        ["form", "battle" | "line"] => Step::Form(Formation::Battle),
        ["form", "column"] => Step::Form(Formation::Column),
        ["mount"] => Step::Mount(true),
        ["dismount"] => Step::Mount(false),
        _ => {
            let fault = Diagnostic::error(None, format!("`{text}` is no step of a manoeuvre"));
            return Err(match did_you_mean(text, STEPS) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help(format!("steps are: {}", STEPS.join("; "))),
            });
        }
    })
}

/// `[12.5, 30]`, with or without the brackets.
#[allow(clippy::result_large_err, reason = "faults are as large as they are")]
fn read_point(data: &Data, text: &str) -> Result<Point, Diagnostic> {
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
    let mut parts = bare.split(',').map(|n| data.read_inches(n.trim()));
    match (parts.next().flatten(), parts.next().flatten(), parts.next()) {
        (Some(x), Some(y), None) if data.scenario.on_table(Point::new(x, y)) => {
            Ok(Point::new(x, y))
        }
        (Some(_), Some(_), None) => {
            Err(Diagnostic::error(None, format!("`{text}` is off the table"))
                .help(format!("the table runs from [0, 0] to {}", data.spot(data.scenario.table))))
        }
        _ => Err(Diagnostic::error(None, format!("`{text}` is no place"))
            .help("write move to [12.5, 30]: inches from the left and the bottom edge")),
    }
}

/// Reads a condition.
///
/// # Errors
/// What is wrong with it, and what one may write.
#[allow(clippy::result_large_err, reason = "faults are as large as they are")]
pub fn read_condition(data: &Data, text: &str) -> Result<Condition, Diagnostic> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wrong = || {
        let joined = words.iter().any(|w| matches!(*w, "and" | "or" | "not" | "&&" | "||"));
        let help = if joined {
            "conditions are not joined: write an order for each; of several orders of a unit \
             the first whose condition holds is carried out"
        } else {
            "conditions are: enemy within 6; no enemy within 6; in contact; under fire; order \
             HOLD, ATTACK, MOVE or WITHDRAW"
        };
        Diagnostic::error(Some(cite("R11")), format!("`{text}` is no condition")).help(help)
    };
    let length = |n: &str| data.read_inches(n).filter(|n| *n >= 0).ok_or_else(wrong);
    Ok(match &words[..] {
        ["enemy", "within", n] => Condition::EnemyWithin(length(n)?),
        ["no", "enemy", "within", n] => Condition::NoEnemyWithin(length(n)?),
        ["in", "contact"] => Condition::InContact,
        ["under", "fire"] => Condition::UnderFire,
        ["order", "HOLD"] => Condition::Has(Order::Hold),
        ["order", "ATTACK"] => Condition::Has(Order::Attack),
        // Any MOVE, one that withdraws too.
        ["order", "MOVE"] => Condition::Has(Order::Move),
        ["order", "WITHDRAW"] => Condition::Has(Order::Withdraw),
        _ => return Err(wrong()),
    })
}
