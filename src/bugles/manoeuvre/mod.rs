//! Movement as a person does it with a ruler: a unit carries out one step after another
//! on a table, tenth of an inch by tenth, until the steps or the move are used up or
//! something stops it. Checks and resolution both ask here.

mod charge;
mod going;
mod ranks;
mod turning;

use crate::geometry::plane::Point;

use super::cite;
use super::data::Army;
use super::events::Lay;
use super::lay::laid;
use super::state::{Formation, Order, Unit};
use super::table::{Around, Table, mounted, size_of};

/// One step of a manoeuvre, as ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Straight ahead, so far, or as far as the move allows.
    Advance(Option<i64>),
    /// Back, looking ahead (R17).
    Retire(Option<i64>),
    /// Turn by so many degrees, right is positive.
    Wheel(i64),
    /// Turn about (R16).
    About,
    /// Turn to a point and go there.
    To(Point),
    /// Into contact with a unit; `None` the nearest.
    Charge(Option<String>),
    /// Change to line or column (R16).
    Form(Formation),
    /// Mount or dismount.
    Mount(bool),
    /// Close with the nearest enemy as ATTACK demands (R10).
    Close,
    /// Stay.
    Stand,
}

impl Step {
    /// As one writes it.
    pub fn words(&self, inches: impl Fn(i64) -> String) -> String {
        match self {
            Self::Advance(None) => "advance".to_owned(),
            Self::Advance(Some(n)) => format!("advance {}", inches(*n)),
            Self::Retire(None) => "retire".to_owned(),
            Self::Retire(Some(n)) => format!("retire {}", inches(*n)),
            Self::Wheel(n) if *n < 0 => format!("wheel left {}", -n),
            Self::Wheel(n) => format!("wheel right {n}"),
            Self::About => "about face".to_owned(),
            Self::To(p) => format!("move to [{}, {}]", inches(p.x), inches(p.y)),
            Self::Charge(None) => "charge nearest".to_owned(),
            Self::Charge(Some(who)) => format!("charge {who}"),
            Self::Form(f) => format!("form {}", f.word()),
            Self::Mount(true) => "mount".to_owned(),
            Self::Mount(false) => "dismount".to_owned(),
            Self::Close => "close with the nearest enemy".to_owned(),
            Self::Stand => "stand".to_owned(),
        }
    }
}

/// What ends a movement before its orders do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt {
    /// In words.
    pub why: String,
    /// The rule, or nothing.
    pub rule: &'static str,
    /// A marker that must be looked at before anybody goes on (R20).
    pub marker: Option<String>,
    /// It came within 12 inches of an enemy (R12).
    pub holds: bool,
}

/// A unit on the move.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a thing that is so or not")]
#[allow(clippy::struct_field_names, reason = "march pace is what the rules call it")]
pub struct March<'a> {
    table: &'a Table<'a>,
    index: usize,
    /// The unit as it is by now.
    pub unit: Unit,
    /// What it has used of its move.
    pub spent: i64,
    /// Its whole move.
    pub rate: i64,
    /// It goes at march pace where it may.
    march: Option<i64>,
    /// What it did.
    pub way: Vec<String>,
    /// It changed formation.
    pub formed: bool,
    /// It met an enemy.
    pub met: Option<String>,
    /// What stopped it.
    pub halt: Option<Halt>,
    /// It paid for a fence.
    climbed: bool,
    /// Degrees that a column turned in one bend, and how far it went since: bends less
    /// than a base's front apart are one (ruling `wheeling`).
    pub bent: (i64, i64),
    /// A step failed before it closed with somebody.
    pub spoilt: bool,
    /// MOVE that becomes HOLD near enemies.
    wary: bool,
    /// Guns and horses, which bad going slows and fences stop.
    heavy: bool,
    /// How far it went straight on last.
    gone: i64,
    /// Where it last had room, while it stands on friends: the unit, what was spent, and
    /// how long the way was.
    safe: Option<Box<(Unit, i64, usize)>>,
}

/// What is in the way at a place.
enum Way {
    Free,
    /// Free, but no place to end.
    Friends,
    Barred(String, &'static str),
    Met(usize),
}

impl<'a> March<'a> {
    /// A unit of the table at the beginning of its move.
    pub fn new(table: &'a Table<'a>, index: usize) -> Self {
        let unit = table.state.units[index].clone();
        let wary = unit.order == Order::Move;
        let mut march = Self {
            table,
            index,
            spent: 0,
            rate: 0,
            march: None,
            way: Vec::new(),
            formed: false,
            met: None,
            halt: None,
            climbed: false,
            bent: (0, 0),
            spoilt: false,
            wary,
            heavy: unit.troop.is_gun() || mounted(&unit),
            gone: 0,
            safe: None,
            unit,
        };
        march.settle();
        march.rate = march.allowance();
        march.march = march.marching();
        march
    }

    /// Goes on with a move after an interruption: what was spent stays spent.
    #[must_use]
    pub fn resumed(mut self, spent: i64, rate: i64, bent: (i64, i64)) -> Self {
        self.spent = spent;
        self.bent = bent;
        self.rate = self.rate.max(rate);
        self
    }

    fn allowance(&self) -> i64 {
        let data = self.table.data;
        let troop = data.troop(self.unit.troop);
        let (line, column) = if self.unit.dismounted {
            let foot = &data.troops[&super::data::Troop::BritishInfantry];
            (foot.line, foot.column)
        } else {
            (troop.line, troop.column)
        };
        let rate = match self.unit.formation {
            Formation::Battle => line,
            Formation::Column => column,
        };
        match self.table.state.storm {
            None => rate,
            Some(_) if self.unit.army() == Army::AngloEgyptian => 0,
            Some(_) if self.in_sight() => rate,
            Some(_) => rate / 20 * 10,
        }
    }

    /// In a storm: true where an enemy sees the unit.
    fn in_sight(&self) -> bool {
        let gap = self
            .table
            .enemy_gap(self.unit.army(), &self.shapes(&laid(self.table.data, &self.unit)));
        gap.is_some_and(|gap| gap <= self.table.sight())
    }

    /// March pace: Mahdists in column more than 20 inches from every enemy (R18).
    fn marching(&self) -> Option<i64> {
        let pace = self.table.data.troop(self.unit.troop).march?;
        let may = self.unit.formation == Formation::Column && self.table.state.storm.is_none();
        if !may {
            return None;
        }
        cite("R18");
        self.over_twenty(&laid(self.table.data, &self.unit)).then_some(pace)
    }

    fn over_twenty(&self, lay: &Lay) -> bool {
        let march = self.table.data.distances.march;
        !self.table.enemy_within(self.unit.army(), &self.shapes(lay), march)
    }

    /// How far it went straight on in its last step, for taking it up again.
    pub const fn gone_in_last_step(&self) -> i64 {
        self.gone
    }

    /// What is left of the move.
    pub fn left(&self) -> i64 {
        (self.rate - self.spent).max(0)
    }

    fn shapes(&self, lay: &Lay) -> Vec<[Point; 4]> {
        let size = size_of(self.table.data, &self.unit);
        lay.bases.iter().map(|(_, p)| p.corners(&self.table.data.compass, size)).collect()
    }

    fn stop(&mut self, why: impl Into<String>, rule: &'static str) {
        if self.halt.is_none() {
            self.halt = Some(Halt { why: why.into(), rule, marker: None, holds: false });
        }
    }

    /// What a lay meets.
    fn meets(&self, shapes: &[[Point; 4]]) -> Way {
        let table = self.table;
        let around = Around::of(shapes);
        let near = || table.bodies.iter().filter(|b| around.near(b, table.data.touch));
        if let Some(body) = near()
            .find(|b| b.army != self.unit.army() && shapes.iter().any(|s| table.touch(s, &b.shape)))
        {
            return Way::Met(body.unit);
        }
        if !shapes.iter().all(|s| table.open(s)) {
            return Way::Barred(
                "an obstacle or the edge of the table is in the way".to_owned(),
                "",
            );
        }
        let friend = near().find(|b| {
            b.unit != self.index
                && b.army == self.unit.army()
                && shapes.iter().any(|s| table.lies_on(s, b))
        });
        match friend {
            None => Way::Free,
            Some(b) if table.data.rulings.friends_bar => {
                Way::Barred(format!("{} is in the way", table.unit(b).id), cite("R17").0)
            }
            Some(_) => Way::Friends,
        }
    }

    /// Carries out steps until one is stopped; how many were done.
    pub fn run(&mut self, steps: &[Step]) -> usize {
        let mut done = steps.len();
        for (n, step) in steps.iter().enumerate() {
            // What is left of the move of an ATTACK is spent closing, whatever came of the
            // steps before (R10, ruling `attack-goes-on`).
            let failed = self.halt.clone().filter(|h| h.marker.is_none() && !h.holds);
            if let (Step::Close, Some(failed), None) = (step, failed, &self.met) {
                self.close_all_the_same(failed);
                continue;
            }
            if self.halt.is_some() || self.met.is_some() {
                done = done.min(n);
                continue;
            }
            self.step(step);
        }
        // Passing through friends is allowed, ending on them is not.
        if let Some(safe) = self.safe.take().filter(|_| self.met.is_none()) {
            let (unit, spent, length) = *safe;
            self.unit = unit;
            self.spent = spent;
            self.way.truncate(length);
            self.stop("friends leave no room to end", "R17");
        }
        if self.met.is_none() {
            self.dress();
        }
        done
    }

    /// Closes after a step that failed; what failed first is what is told.
    fn close_all_the_same(&mut self, failed: Halt) {
        self.spoilt = true;
        self.halt = None;
        self.close_in();
        if self.halt.as_ref().is_none_or(|h| h.marker.is_none()) {
            self.halt = Some(failed);
        }
    }

    fn step(&mut self, step: &Step) {
        if self.formed && *step != Step::Stand && *step != Step::Close {
            self.stop("changing formation took the whole move", cite("R16").0);
            return;
        }
        match step {
            Step::Stand => {}
            Step::Advance(way) => {
                self.straight(way.unwrap_or(i64::MAX), false, way.is_some());
            }
            Step::Retire(way) => {
                if self.unit.formation == Formation::Column {
                    self.stop("a column cannot retire facing ahead", cite("R17").0);
                } else {
                    self.straight(way.unwrap_or(i64::MAX), true, way.is_some());
                }
            }
            Step::Wheel(degrees) => {
                self.wheel(*degrees);
            }
            Step::About => self.about(),
            Step::To(point) => {
                let turn = self.turn_to(*point);
                if self.wheel(turn) {
                    self.straight(self.unit.anchor.distance(*point), false, false);
                }
            }
            Step::Charge(who) => self.charge(who.as_deref()),
            Step::Form(formation) => self.form(*formation, self.unit.dismounted),
            Step::Mount(up) => self.form(self.unit.formation, !*up),
            Step::Close => self.close_in(),
        }
    }

    /// How near the nearest visible enemy is, and by how many degrees it looks past him.
    pub fn stands_off(&self) -> Option<(i64, i64)> {
        let gap = self.gap(&self.lies())?;
        let (_, body) = self.table.nearest_of(self.unit.army().enemy(), self.unit.anchor)?;
        Some((gap, self.turn_to(body.pose.at).abs()))
    }

    /// How near an ATTACK must come: its own range, or for Mahdists without rifles into
    /// contact (R10).
    pub fn wants(&self) -> i64 {
        let homes = self.unit.army() == Army::Mahdist && !self.unit.has_rifles();
        if homes { 0 } else { self.reach() }
    }

    /// From what a withdrawal goes away: visible enemies, and to the eyes of regulars
    /// markers (R12, ruling `withdrawal`).
    fn shunned(&self, lay: &Lay) -> Option<i64> {
        let shapes = self.shapes(lay);
        let markers = self.table.markers().iter().filter(|_| self.unit.army() != Army::Mahdist);
        let markers = markers.flat_map(|m| {
            shapes.iter().map(|s| m.at.distance(crate::geometry::plane::nearest(s, m.at)))
        });
        markers.chain(self.gap(lay)).min()
    }

    fn gap(&self, lay: &Lay) -> Option<i64> {
        self.table.enemy_gap(self.unit.army(), &self.shapes(lay))
    }
}

/// True where a unit on HOLD may charge an enemy near it: Mahdists, and regular cavalry
/// in the saddle (R9).
pub fn may_hold_charge(unit: &Unit) -> bool {
    unit.army() == Army::Mahdist && !unit.troop.is_gun() || mounted(unit)
}
