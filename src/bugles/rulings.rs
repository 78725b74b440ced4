//! The readings of unclear rules that a game is played by.

use std::collections::BTreeMap;

use crate::core::diag::Diagnostic;
use crate::core::ruling;
pub use crate::core::ruling::Ruling;

/// All rulings of a game; the fields are those that the rules ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a named reading with two choices")]
pub struct Rulings {
    /// All of them, by name.
    pub all: Vec<Ruling>,
    /// exactly-half = destroyed.
    pub half_destroys: bool,
    /// beaten-on-foot = nothing.
    pub beaten_on_foot_stands: bool,
    /// fire-in-contact = barred.
    pub no_fire_in_contact: bool,
    /// real-per-false = 3 or 4.
    pub real_per_false: u32,
    /// turning-on-hold = barred.
    pub hold_turns_barred: bool,
    /// macdonald-with = unit.
    pub macdonald_unit: bool,
    /// overlaps-counted = all.
    pub all_overlaps: bool,
    /// arrivals-at = cover.
    pub arrive_in_cover: bool,
    /// through-friends = barred.
    pub friends_bar: bool,
    /// coherency = dressed.
    pub dresses_first: bool,
    /// storm-fire = none.
    pub storm_stops_fire: bool,
}

impl Rulings {
    /// Reads `rulings.toml` and the choices that differ from the defaults.
    ///
    /// # Errors
    /// Every fault: a ruling or a choice that does not exist, with what there is.
    pub fn load(text: &str, chosen: &BTreeMap<String, String>) -> Result<Self, Vec<Diagnostic>> {
        let (rulings, mut faults) = ruling::load(text, chosen);
        let mut is = |name: &str, choice: &str| ruling::stands(&rulings, name, choice, &mut faults);
        let read = Self {
            half_destroys: is("exactly-half", "destroyed"),
            beaten_on_foot_stands: is("beaten-on-foot", "nothing"),
            no_fire_in_contact: is("fire-in-contact", "barred"),
            hold_turns_barred: is("turning-on-hold", "barred"),
            macdonald_unit: is("macdonald-with", "unit"),
            all_overlaps: is("overlaps-counted", "all"),
            arrive_in_cover: is("arrivals-at", "cover"),
            friends_bar: is("through-friends", "barred"),
            dresses_first: is("coherency", "dressed"),
            storm_stops_fire: is("storm-fire", "none"),
            real_per_false: 3,
            all: Vec::new(),
        };
        let real_per_false = ruling::number(&rulings, "real-per-false", &mut faults);
        if faults.is_empty() {
            Ok(Self { all: rulings, real_per_false, ..read })
        } else {
            Err(faults)
        }
    }

    /// The rulings that differ from their defaults, as `name = choice`.
    pub fn changed(&self) -> Vec<String> {
        ruling::changed(&self.all)
    }
}
