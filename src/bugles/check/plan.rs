//! What a file lawfully orders, and what of it was refused.

pub use crate::game::part::Refusal;
use crate::geometry::plane::{Facing, Point};

use super::super::data::Data;
use super::super::manoeuvre::Step;
use super::super::state::{FirePlan, Formation, Order};

/// An order that passed [`super::plan`]; nothing else can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legal<T> {
    pub(super) order: T,
    pub(super) line: usize,
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

/// Set up a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployOrder {
    /// Who.
    pub unit: String,
    /// The middle of its front.
    pub at: Point,
    /// Where it looks.
    pub facing: Facing,
    /// Line or column.
    pub formation: Formation,
    /// Its first order.
    pub order: Order,
}

/// A false marker (R21).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FalseOrder {
    /// Where.
    pub at: Point,
    /// Whose command moves it.
    pub general: String,
}

/// Where a general goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Go {
    /// To a point.
    To(Point),
    /// To a base, and with it.
    Attach(String),
}

/// A general moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneralOrder {
    /// Who.
    pub general: String,
    /// Where.
    pub go: Go,
}

/// A condition that an order waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A visible enemy is so near.
    EnemyWithin(i64),
    /// None is.
    NoEnemyWithin(i64),
    /// The unit is in contact.
    InContact,
    /// It came under fire in this turn.
    UnderFire,
    /// It has this order.
    Has(Order),
}

/// A unit gets another order (R13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Who.
    pub unit: String,
    /// Which order.
    pub to: Order,
    /// Only if this holds.
    pub only_if: Option<Condition>,
}

/// Who moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// A unit.
    Unit(String),
    /// A marker.
    Marker(String),
}

/// What a unit does in step 5 (R7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Both, moving first.
    MoveThenFire,
    /// Both, firing first.
    FireThenMove,
    /// It moves.
    Move,
    /// It fires.
    Fire,
}

/// A unit or a marker moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveOrder {
    /// Who.
    pub who: Who,
    /// Step by step.
    pub steps: Vec<Step>,
    /// Move and fire.
    pub act: Option<Act>,
    /// Only if this holds.
    pub only_if: Option<Condition>,
}

impl MoveOrder {
    /// The order in short.
    pub fn words(&self, data: &Data) -> String {
        let who = match &self.who {
            Who::Unit(id) | Who::Marker(id) => id,
        };
        let steps: Vec<String> = self.steps.iter().map(|s| s.words(|n| data.inches(n))).collect();
        format!(
            "move {who}: {}",
            if steps.is_empty() { "stand".to_owned() } else { steps.join(", ") }
        )
    }
}

/// What a unit fires at from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FireOrder {
    /// Who.
    pub unit: String,
    /// At what.
    pub plan: FirePlan,
}

/// What one player's file lawfully orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Set-up.
    pub deploys: Vec<Legal<DeployOrder>>,
    /// False markers.
    pub falses: Vec<Legal<FalseOrder>>,
    /// Generals.
    pub generals: Vec<Legal<GeneralOrder>>,
    /// Changes of orders, most wanted first.
    pub changes: Vec<Legal<Change>>,
    /// Moves.
    pub moves: Vec<Legal<MoveOrder>>,
    /// Fire.
    pub fires: Vec<Legal<FireOrder>>,
    /// Markers to be shown.
    pub reveals: Vec<Legal<String>>,
    /// What was refused.
    pub refusals: Vec<Refusal>,
}

impl Plan {
    /// How many orders of each kind there are by now.
    pub(super) fn mark(&self) -> [usize; 7] {
        [
            self.deploys.len(),
            self.falses.len(),
            self.generals.len(),
            self.changes.len(),
            self.moves.len(),
            self.fires.len(),
            self.reveals.len(),
        ]
    }

    /// Forgets what was added since: an order that is refused orders nothing.
    pub(super) fn back_to(&mut self, mark: [usize; 7]) {
        self.deploys.truncate(mark[0]);
        self.falses.truncate(mark[1]);
        self.generals.truncate(mark[2]);
        self.changes.truncate(mark[3]);
        self.moves.truncate(mark[4]);
        self.fires.truncate(mark[5]);
        self.reveals.truncate(mark[6]);
    }

    /// How many orders would be carried out.
    pub fn accepted(&self) -> usize {
        self.deploys.len()
            + self.falses.len()
            + self.generals.len()
            + self.changes.len()
            + self.moves.len()
            + self.fires.len()
            + self.reveals.len()
    }
}
