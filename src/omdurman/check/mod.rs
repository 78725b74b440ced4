//! The one way in: an order file against a position. What passes is a [`Plan`] of
//! lawful orders, which is all that the resolver accepts; what does not is refused
//! with the rule, the place and what would be legal.

mod fights;
mod file;
mod march;
mod moves;
mod setup;
mod units;
mod works;

use std::collections::{BTreeMap, BTreeSet};

use crate::core::diag::Diagnostic;
use crate::core::id::Id;
use crate::core::source::Source;
pub use crate::game::part::Refusal;
use crate::geometry::hex::Hex;

use super::data::{Army, UnitId, Weapon};
use super::fire::Target;
use super::movement::Walk;
use super::orders;
use super::position::Position;
use super::state::{Standing, Task};
use super::violation::Violation;
pub use moves::{entry_hexes, landing_hexes, may_enter_now, over_schedule};
pub use setup::{sets_up, setup_hexes, unseen_hexes};
pub use works::{may_construct, may_demolish, may_desert, may_load, to_build};

/// An order that passed [`plan`]; nothing else can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legal<T> {
    order: T,
    line: usize,
}

impl<T> Legal<T> {
    /// The order.
    pub fn get(&self) -> &T {
        &self.order
    }

    /// Its line in the file.
    pub fn line(&self) -> usize {
        self.line
    }
}

/// Set up units in a hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// Where.
    pub hex: Hex,
}

/// How units come to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// On the map.
    Moves,
    /// From off the map.
    Enters,
    /// From on board a gunboat.
    Lands,
}

/// Move, enter or go ashore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveOrder {
    /// Each unit with its path.
    pub walks: Vec<(UnitId, Walk)>,
    /// How.
    pub manner: Manner,
}

/// Go on board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadOrder {
    /// Who.
    pub unit: UnitId,
    /// Which gunboat.
    pub boat: UnitId,
}

/// Build or demolish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// What.
    pub task: Task,
}

/// Seal a note about the Nile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HideOrder {
    /// The note's line.
    pub note: String,
    /// The salt, 64 hex digits.
    pub salt: String,
}

/// What a unit does when infantry attacks it in melee (7.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Retreat {
    /// It stands.
    Never,
    /// It goes as far away as it can.
    Away,
    /// It goes these two hexes.
    Path([Hex; 2]),
}

/// Fire at the first of these targets that can be hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FireOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// With what; with all it has for direct fire, if it is not said.
    pub weapon: Option<Weapon>,
    /// At what, best first.
    pub at: Vec<Target>,
    /// Advance if the target is vacated.
    pub advance: Option<bool>,
    /// Howitzer fire joins second fire at its target where it falls there.
    pub combine: bool,
}

/// Attack the first of these hexes that can be attacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeleeOrder {
    /// Who.
    pub units: Vec<UnitId>,
    /// Where, best first.
    pub at: Vec<Hex>,
    /// Advance (Dervish must).
    pub advance: Option<bool>,
}

/// What one player's file lawfully orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Set-up.
    pub places: Vec<Legal<PlaceOrder>>,
    /// Entries and moves.
    pub moves: Vec<Legal<MoveOrder>>,
    /// Units that go on board.
    pub loads: Vec<Legal<LoadOrder>>,
    /// Building and demolishing.
    pub tasks: Vec<Legal<TaskOrder>>,
    /// Who deserts first.
    pub deserters: Vec<UnitId>,
    /// How many orders name deserters.
    pub desert_orders: usize,
    /// Sealed notes.
    pub hides: Vec<Legal<HideOrder>>,
    /// Direct fire.
    pub fires: Vec<Legal<FireOrder>>,
    /// Second fire of Maxims.
    pub seconds: Vec<Legal<FireOrder>>,
    /// Howitzer fire.
    pub shells: Vec<Legal<FireOrder>>,
    /// Retreats before melee.
    pub retreats: BTreeMap<UnitId, Retreat>,
    /// How many retreat orders there are.
    pub retreat_orders: usize,
    /// Units told to hold their fire.
    pub holds: BTreeSet<UnitId>,
    /// How many hold orders there are.
    pub hold_orders: usize,
    /// Melee.
    pub melees: Vec<Legal<MeleeOrder>>,
    /// Loss preferences of this phase.
    pub losses: Option<Vec<String>>,
    /// Standing orders as the file leaves them, if it changes them.
    pub standing: Option<Standing>,
    /// What was refused.
    pub refusals: Vec<Refusal>,
}

impl Plan {
    /// How many orders would be carried out.
    pub fn accepted(&self) -> usize {
        self.places.len()
            + self.moves.len()
            + self.loads.len()
            + self.tasks.len()
            + self.desert_orders
            + self.hides.len()
            + self.fires.len()
            + self.seconds.len()
            + self.shells.len()
            + self.hold_orders
            + self.melees.len()
            + self.retreat_orders
    }
}

/// Checks a file of a player against a position.
pub fn plan(position: &Position<'_>, player: &Id, source: &Source) -> (Plan, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let file = orders::read(source, &mut faults);
    let army = position.state.army(position.data, player);
    let mut checker = Checker {
        position,
        player,
        army: army.unwrap_or(position.state.moving),
        faults,
        plan: Plan::default(),
        used: BTreeMap::new(),
        arriving: Vec::new(),
        movers: BTreeSet::new(),
        entered: Vec::new(),
        ends: BTreeMap::new(),
    };
    checker.file(&file);
    (checker.plan, checker.faults)
}

struct Checker<'a> {
    position: &'a Position<'a>,
    player: &'a Id,
    army: Army,
    faults: Vec<Diagnostic>,
    plan: Plan,
    used: BTreeMap<(&'static str, UnitId), usize>,
    /// Arrivals for the stacking check, in the order of the file.
    arriving: Vec<Arrival>,
    /// Units that some order of this file moves.
    movers: BTreeSet<UnitId>,
    /// Units that enter by the orders so far, for the limits of 9.1.1.4.
    entered: Vec<UnitId>,
    /// Where the orders so far leave units.
    ends: BTreeMap<UnitId, Hex>,
}

/// A unit that ends its movement in a hex.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The order that brings it; any number that tells orders apart.
    pub order: usize,
    /// Who.
    pub unit: UnitId,
    /// Where.
    pub hex: Hex,
}

/// Whether all arrivals may stand where they end (5.5.1.E): the orders that may
/// not be carried out, later ones first to go. A unit whose order falls stays where
/// it was, which can bar others.
pub fn settle(position: &Position<'_>, arrivals: &[Arrival]) -> BTreeMap<usize, Violation> {
    let mut fallen: BTreeMap<usize, Violation> = BTreeMap::new();
    loop {
        let stands = |order: usize| !fallen.contains_key(&order);
        let movers: BTreeSet<UnitId> =
            arrivals.iter().filter(|a| stands(a.order)).map(|a| a.unit).collect();
        let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for id in position.data.ids() {
            if let Some(hex) = position.state.hex(id).filter(|_| !movers.contains(&id)) {
                there.entry(hex).or_default().push(id);
            }
        }
        let mut bad = None;
        for arrival in arrivals.iter().filter(|a| stands(a.order)) {
            let army = position.data.unit(arrival.unit).army;
            let here = there.entry(arrival.hex).or_default();
            let friends: Vec<UnitId> =
                here.iter().copied().filter(|o| position.data.unit(*o).army == army).collect();
            match position.may_join(arrival.hex, &friends, arrival.unit) {
                Ok(()) => here.push(arrival.unit),
                Err(violation) => bad = Some((arrival.order, violation)),
            }
            if bad.is_some() {
                break;
            }
        }
        match bad {
            Some((order, violation)) => fallen.insert(order, violation),
            None => return fallen,
        };
    }
}

/// A violation as a diagnostic, without a place yet.
pub fn violation_fault(violation: &Violation) -> Diagnostic {
    let fault = Diagnostic::error(violation.rule(), violation.to_string());
    match violation.help() {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// `0512-0612-0712`.
pub fn path_words(path: &[Hex]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}
