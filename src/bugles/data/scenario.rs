//! A scenario: table, terrain, forces, zones, arrivals, victory.

use crate::game::ScenarioInfo;
use crate::geometry::plane::{Facing, Point};

use super::super::state::{Formation, Order};
use super::{Army, ArmyFile, Troop};

/// A piece of terrain: a convex area, or the line of a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Index of its class.
    pub class: usize,
    /// What people call it.
    pub name: String,
    /// Its corners; of a fence, its posts in order.
    pub points: Vec<Point>,
}

impl Shape {
    /// Its middle: the mean of its corners.
    pub fn middle(&self) -> Point {
        let n = i64::try_from(self.points.len()).unwrap_or(1).max(1);
        let sum = self.points.iter().fold(Point::default(), |a, b| a + *b);
        Point::new(sum.x / n, sum.y / n)
    }
}

/// Where an army may deploy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Whose.
    pub army: Army,
    /// The lower left corner.
    pub from: Point,
    /// The upper right corner.
    pub to: Point,
}

impl Zone {
    /// True for points in it or on its edge.
    pub fn has(&self, p: Point) -> bool {
        (self.from.x..=self.to.x).contains(&p.x) && (self.from.y..=self.to.y).contains(&p.y)
    }
}

/// A general as the scenario has him.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneralLine {
    /// His id, which is also that of his command.
    pub id: String,
    /// As printed.
    pub name: String,
    /// Whose.
    pub army: Army,
    /// Where he begins.
    pub at: Point,
    /// He is `MacDonald` (R25).
    pub macdonald: bool,
    /// The command whose player leads him.
    pub seat: String,
}

/// A unit as the scenario has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitLine {
    /// Its id.
    pub id: String,
    /// As printed.
    pub name: String,
    /// What it is.
    pub troop: Troop,
    /// Its general.
    pub general: String,
    /// How many bases, the rifles among them.
    pub bases: u32,
    /// How many of them are rifles.
    pub rifles: u32,
    /// The middle of its front.
    pub at: Point,
    /// Where it looks.
    pub facing: Facing,
    /// Line or column.
    pub formation: Formation,
    /// Under a marker.
    pub hidden: bool,
    /// Its first order.
    pub order: Order,
}

/// An emir whose force the dice decide (R2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emir {
    /// His id.
    pub general: String,
    /// The most units.
    pub units: u32,
    /// The most bases of a unit.
    pub bases: u32,
}

/// Random arrivals (R6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The edges at which they come, in the order of the perimeter.
    pub edges: Vec<String>,
    /// The chance in per cent; the number of Anglo-Egyptian elements where none is given.
    pub chance: Option<u32>,
    /// The most units behind one marker.
    pub units: u32,
    /// The most bases of a unit.
    pub bases: u32,
    /// The last turn in which one comes.
    pub last: u32,
    /// The Mahdist player does not know either.
    pub blind: bool,
}

/// Ground that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objective {
    /// What it is.
    pub name: String,
    /// Where; its army is who wants it.
    pub zone: Zone,
    /// How many sound bases must stand there.
    pub bases: u32,
}

/// Who wins, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Victory {
    /// Ground to reach.
    pub objective: Option<Objective>,
    /// An army is broken when so many per cent of its bases are destroyed.
    pub breaks: Vec<(Army, u32)>,
    /// Who wins when the turns are over; nobody: a draw.
    pub at_end: Option<Army>,
}

/// A scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Id, title, sides.
    pub info: ScenarioInfo,
    /// Where it comes from.
    pub source: String,
    /// Facts with the origin of each.
    pub facts: Vec<(String, String)>,
    /// Width and depth of the table.
    pub table: Point,
    /// How many turns.
    pub turns: u32,
    /// Minutes after midnight at which turn 1 begins.
    pub start: Option<u32>,
    /// Options that it offers.
    pub options: Vec<String>,
    /// The armies.
    pub armies: Vec<ArmyFile>,
    /// Generals.
    pub generals: Vec<GeneralLine>,
    /// Units.
    pub units: Vec<UnitLine>,
    /// Emirs by dice.
    pub emirs: Vec<Emir>,
    /// Terrain.
    pub shapes: Vec<Shape>,
    /// Zones of deployment.
    pub zones: Vec<Zone>,
    /// Random arrivals.
    pub arrivals: Option<Arrivals>,
    /// Victory.
    pub victory: Victory,
}

impl Scenario {
    /// True where the machine plays an army.
    pub fn machine(&self, army: Army) -> bool {
        self.armies.iter().any(|a| a.army == army && a.machine)
    }

    /// True for points on the table.
    pub fn on_table(&self, p: Point) -> bool {
        (0..=self.table.x).contains(&p.x) && (0..=self.table.y).contains(&p.y)
    }
}
