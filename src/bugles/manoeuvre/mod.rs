//! Movement as a person does it with a ruler: a unit carries out one step after another
//! on a table, tenth of an inch by tenth, until the steps or the move are used up or
//! something stops it. Checks and resolution both ask here.

use crate::geometry::plane::{Point, Pose, overlap};

use super::cite;
use super::data::{Arm, Army};
use super::events::Lay;
use super::lay::{arc, behind, depth, half_front, laid, order, out_of_place};
use super::state::{Bend, Condition, Formation, Order, Unit};
use super::table::{Table, mounted, size_of, values_of};

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
    /// Degrees turned since it last went on, for columns.
    bent: i64,
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
            bent: 0,
            wary,
            heavy: unit.troop.is_gun() || mounted(&unit),
            gone: 0,
            safe: None,
            unit,
        };
        march.rate = march.allowance();
        march.march = march.marching();
        march
    }

    /// Goes on with a move after an interruption: what was spent stays spent.
    #[must_use]
    pub fn resumed(mut self, spent: i64, rate: i64) -> Self {
        self.spent = spent;
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
        let slack = table.data.slack;
        if let Some(body) = table.bodies.iter().find(|b| {
            b.army != self.unit.army()
                && shapes.iter().any(|s| close(s, b.pose.at, 600) && table.touch(s, &b.shape))
        }) {
            return Way::Met(body.unit);
        }
        if !shapes.iter().all(|s| table.open(s)) {
            return Way::Barred(
                "an obstacle or the edge of the table is in the way".to_owned(),
                "",
            );
        }
        let friend = table.bodies.iter().find(|b| {
            b.unit != self.index
                && b.army == self.unit.army()
                && shapes.iter().any(|s| close(s, b.pose.at, 600) && overlap(s, &b.shape, slack))
        });
        match friend {
            None => Way::Free,
            Some(b) if table.data.rulings.friends_bar => {
                Way::Barred(format!("{} is in the way", table.unit(b).id), cite("R17").0)
            }
            Some(_) => Way::Friends,
        }
    }

    /// Brings bases that are out of place back to the formation (R19), which the move
    /// pays for; `recovered` where suppressed ones come back (R29). True where the unit
    /// is whole afterwards.
    pub fn regain(&mut self, recovered: bool) -> bool {
        let lay = laid(self.table.data, &self.unit);
        let far = out_of_place(&self.unit, &lay);
        if far <= 2 * self.table.data.slack {
            return true;
        }
        cite("R19");
        let cost = if recovered { far.max(self.rate / 2) } else { far };
        let room = matches!(self.meets(&self.shapes(&lay)), Way::Free);
        if !room {
            self.stop("the bases find no room to regain contact", "R19");
            return false;
        }
        if cost > self.left() {
            // As far as the move goes, each on its own way.
            let left = self.left();
            let mut part = lay;
            for (n, pose) in &mut part.bases {
                let from = self.unit.bases[*n].at;
                let whole = from.distance(pose.at);
                if whole > left {
                    let v = pose.at - from;
                    let step = |n: i64| crate::geometry::plane::rounded(n * left, whole);
                    *pose = Pose {
                        at: Point::new(from.x + step(v.x), from.y + step(v.y)),
                        facing: pose.facing,
                    };
                }
            }
            if !matches!(self.meets(&self.shapes(&part)), Way::Free) || self.folded(&part) {
                self.stop("the bases find no room to regain contact", "R19");
                return false;
            }
            self.unit.take(&part);
            self.spent = self.rate;
            self.way.push("bases on their way back to the unit".to_owned());
            self.stop("the move ends before the unit is whole again", "R19");
            return false;
        }
        self.unit.take(&lay);
        self.spent += cost;
        self.way.push(format!("regains contact ({})", self.table.data.inches(cost)));
        true
    }

    /// True where bases of a lay would lie on one another.
    fn folded(&self, lay: &Lay) -> bool {
        let shapes = self.shapes(lay);
        let slack = self.table.data.slack;
        (0..shapes.len()).any(|i| (0..i).any(|j| overlap(&shapes[i], &shapes[j], slack)))
    }

    /// Carries out steps until one is stopped; how many were done.
    pub fn run(&mut self, steps: &[Step]) -> usize {
        let mut done = steps.len();
        for (n, step) in steps.iter().enumerate() {
            if self.halt.is_some() || self.met.is_some() {
                done = n;
                break;
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
        done
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

    fn turn_to(&self, point: Point) -> i64 {
        let compass = &self.table.data.compass;
        if point == self.unit.anchor {
            return 0;
        }
        self.unit.facing.turn_to(compass.toward(self.unit.anchor, point))
    }

    /// Turns; as far as the move allows. True where it turned all the way.
    fn wheel(&mut self, degrees: i64) -> bool {
        if degrees == 0 {
            return true;
        }
        cite("R17");
        let before = self.unit.clone();
        let spent = self.spent;
        let (mut degrees, mut whole) = (degrees, true);
        if self.unit.formation == Formation::Column && order(self.table.data, &self.unit).len() > 1
        {
            self.bent += degrees.abs();
            if self.bent > 45 {
                if self.rate / 2 > self.left() {
                    self.stop("a sharper bend than 45 degrees takes half the move", "R17");
                    return false;
                }
                self.spent += self.rate / 2;
                self.bent = 0;
            }
            self.unit.trail.insert(0, Bend { at: self.unit.anchor, facing: self.unit.facing });
        } else {
            let radius = half_front(self.table.data, &self.unit);
            if arc(radius, degrees) > self.left() {
                whole = false;
                while degrees != 0 && arc(radius, degrees) > self.left() {
                    degrees -= degrees.signum();
                }
            }
            self.spent += arc(radius, degrees);
        }
        if degrees == 0 {
            self.stop("nothing is left of the move to turn with", "R17");
            return false;
        }
        self.unit.facing = self.unit.facing.turned(degrees);
        let lay = laid(self.table.data, &self.unit);
        match self.meets(&self.shapes(&lay)) {
            Way::Free => {
                self.safe = None;
                self.unit.take(&lay);
                let words = Step::Wheel(degrees).words(|n| self.table.data.inches(n));
                self.way.push(words);
                if !whole {
                    self.stop("the move is used up by turning", "R17");
                }
                whole
            }
            Way::Friends => {
                // A place to pass, not to end: the next step must leave it.
                if self.safe.is_none() {
                    self.safe = Some(Box::new((before.clone(), spent, self.way.len())));
                }
                self.unit.take(&lay);
                self.way.push(Step::Wheel(degrees).words(|n| self.table.data.inches(n)));
                if !whole || self.left() == 0 {
                    self.unit = before;
                    self.spent = spent;
                    self.way.pop();
                    self.stop("there is no room to turn", "R17");
                    return false;
                }
                whole
            }
            Way::Met(_) | Way::Barred(..) => {
                self.unit = before;
                self.spent = spent;
                self.stop("there is no room to turn", "R17");
                false
            }
        }
    }

    /// Where the unit lies when it has gone so far.
    fn shifted(&self, from: &Lay, way: i64) -> Lay {
        let compass = &self.table.data.compass;
        let anchor = compass.place(from.anchor, from.facing, 0, way);
        if from.trail.is_empty() {
            let v = anchor - from.anchor;
            let mut lay = from.clone();
            lay.anchor = anchor;
            for (_, pose) in &mut lay.bases {
                pose.at = pose.at + v;
            }
            return lay;
        }
        let mut unit = self.unit.clone();
        unit.take(from);
        unit.anchor = anchor;
        laid(self.table.data, &unit)
    }

    /// Goes straight on, or back at half speed; tenth by tenth.
    fn straight(&mut self, way: i64, back: bool, exact: bool) -> i64 {
        let data = self.table.data;
        let before = self.unit.clone();
        let start = laid(data, &self.unit);
        let spent = self.spent;
        let (mut gone, mut cost) = (0, 0);
        let mut clear: Option<(i64, i64, Lay)> = None;
        let first = self.meets(&self.shapes(&start));
        if matches!(first, Way::Free) {
            clear = Some((0, 0, start.clone()));
        }
        let mut gap = if self.unit.order == Order::Withdraw { self.gap(&start) } else { None };
        // Who is too near to be on MOVE does not begin to.
        if self.wary && self.halt.is_none() {
            let near = data.distances.move_becomes_hold;
            if self.table.enemy_within(self.unit.army(), &self.shapes(&start), near) {
                let why = "within 12 inches of an enemy: MOVE becomes HOLD".to_owned();
                let rule = cite("R12").0;
                self.halt = Some(Halt { why, rule, marker: None, holds: true });
            }
        }
        while gone < way && self.halt.is_none() {
            let tenth = 10.min(way - gone);
            let lay = self.shifted(&start, if back { -(gone + tenth) } else { gone + tenth });
            let mut price = if back { 2 * tenth } else { tenth };
            let shapes = self.shapes(&lay);
            if self.heavy && lay.bases.iter().any(|(_, p)| self.table.bad_going(p.at)) {
                price *= 2;
            }
            if shapes.iter().any(|s| self.table.on_fence(s)) && !self.climbed {
                if self.heavy {
                    self.stop("neither guns nor horses cross the fence", "R28");
                    break;
                }
                price += 200;
            }
            let limit = match self.march {
                Some(pace) if self.over_twenty(&lay) => pace,
                _ => self.rate,
            };
            if spent + cost + price > limit.max(self.rate) || spent + cost + price > limit {
                break;
            }
            let next = match self.meets(&shapes) {
                Way::Met(unit) => {
                    let who = self.table.state.units[unit].id.clone();
                    self.stop(
                        format!("{who} is in the way: only a charge goes into contact"),
                        "R23",
                    );
                    break;
                }
                Way::Barred(why, rule) => {
                    self.stop(why, rule);
                    break;
                }
                Way::Friends => false,
                Way::Free => true,
            };
            if self.unit.order == Order::Withdraw {
                let now = self.gap(&lay);
                if now.zip(gap).is_some_and(|(now, gap)| now < gap) {
                    self.stop("a withdrawal goes no nearer to the enemy", cite("R12").0);
                    break;
                }
                gap = now;
            }
            if price > 2 * tenth + 100 {
                self.climbed = true;
            }
            gone += tenth;
            cost += price;
            self.watch(&shapes);
            if next {
                clear = Some((gone, cost, lay));
            }
        }
        self.bent = 0;
        self.gone = clear.as_ref().map_or(0, |(gone, _, _)| *gone);
        let Some((gone_to, cost_to, lay)) = clear else {
            self.unit = before;
            self.spent = spent;
            self.stop("friends leave no room to end", "R17");
            return 0;
        };
        if gone_to < gone && self.halt.is_none() {
            self.stop("friends leave no room further on", "R17");
        } else if gone_to < way && self.halt.is_none() && exact {
            let most = data.inches(gone_to);
            self.stop(format!("the move is used up after {most} inches"), "R17");
        }
        self.safe = None;
        self.unit.take(&lay);
        self.spent = spent + cost_to;
        if self.march.is_some() && self.spent > self.rate {
            cite("R18");
            self.rate = self.spent;
        }
        self.trim();
        if gone_to > 0 {
            let step =
                if back { Step::Retire(Some(gone_to)) } else { Step::Advance(Some(gone_to)) };
            self.way.push(step.words(|n| data.inches(n)));
        }
        gone_to
    }

    fn gap(&self, lay: &Lay) -> Option<i64> {
        self.table.enemy_gap(self.unit.army(), &self.shapes(lay))
    }

    /// Looks out for enemies and markers near the way (R12, R20).
    fn watch(&mut self, shapes: &[[Point; 4]]) {
        let table = self.table;
        if self.unit.army() == Army::AngloEgyptian {
            let near = table.markers().iter().find(|m| {
                let reach = table.reveal_distance(m.at);
                shapes
                    .iter()
                    .any(|s| m.at.distance(crate::geometry::plane::nearest(s, m.at)) <= reach)
            });
            if let Some(marker) = near {
                let why = format!("marker {} is near enough to be seen through", marker.id);
                self.halt = Some(Halt {
                    why,
                    rule: cite("R20").0,
                    marker: Some(marker.id.clone()),
                    holds: false,
                });
                return;
            }
        }
        let near = table.data.distances.move_becomes_hold;
        if self.wary && table.enemy_within(self.unit.army(), shapes, near) {
            let why = "within 12 inches of an enemy: MOVE becomes HOLD".to_owned();
            self.halt = Some(Halt { why, rule: cite("R12").0, marker: None, holds: true });
        }
    }

    /// Forgets bends that the column has left behind.
    fn trim(&mut self) {
        if self.unit.formation == Formation::Battle {
            self.unit.trail.clear();
            return;
        }
        let mut left = depth(self.table.data, &self.unit);
        let mut at = self.unit.anchor;
        let mut keep = 0;
        for bend in &self.unit.trail {
            left -= at.distance(bend.at);
            if left <= 0 {
                break;
            }
            at = bend.at;
            keep += 1;
        }
        self.unit.trail.truncate(keep);
    }

    fn about(&mut self) {
        cite("R16");
        if self.rate / 2 > self.left() {
            self.stop("facing about takes half the move", "R16");
            return;
        }
        let data = self.table.data;
        let length = depth(data, &self.unit);
        let rear =
            behind(&data.compass, self.unit.anchor, self.unit.facing, &self.unit.trail, length);
        let old: Vec<Bend> = self.unit.trail.clone();
        let mut trail = Vec::new();
        for (n, bend) in old.iter().enumerate().rev() {
            let before = if n == 0 { self.unit.facing } else { old[n - 1].facing };
            trail.push(Bend { at: bend.at, facing: before.back() });
        }
        self.unit.anchor = rear.at;
        self.unit.facing = rear.facing.back();
        self.unit.trail = trail;
        for base in &mut self.unit.bases {
            if base.condition == Condition::Sound {
                base.facing = base.facing.back();
            }
        }
        // A second rank that was not full steps up.
        let lay = laid(data, &self.unit);
        if matches!(self.meets(&self.shapes(&lay)), Way::Free) {
            self.unit.take(&lay);
        }
        self.spent += self.rate / 2;
        self.way.push("about face".to_owned());
    }

    fn form(&mut self, formation: Formation, dismounted: bool) {
        cite("R16");
        if self.spent > 0 {
            self.stop("changing formation takes the whole move", "R16");
            return;
        }
        let before = self.unit.clone();
        let mounting = dismounted != self.unit.dismounted;
        self.unit.formation = formation;
        self.unit.dismounted = dismounted;
        if formation == Formation::Battle {
            self.unit.trail.clear();
        }
        let mut lay = laid(self.table.data, &self.unit);
        // Where it finds no room about its front, it tries a little further back.
        for back in [0_i64, 40, 80, 120, 160, 240, 320] {
            let compass = &self.table.data.compass;
            self.unit.anchor = compass.place(before.anchor, before.facing, 0, -back);
            lay = laid(self.table.data, &self.unit);
            if matches!(self.meets(&self.shapes(&lay)), Way::Free) {
                break;
            }
        }
        if !matches!(self.meets(&self.shapes(&lay)), Way::Free) {
            self.unit = before;
            self.stop("there is no room to change formation", "R16");
            return;
        }
        self.unit.take(&lay);
        self.spent = self.rate;
        self.formed = true;
        self.way.push(match (mounting, dismounted) {
            (true, true) => "dismount".to_owned(),
            (true, false) => "mount".to_owned(),
            _ => format!("form {}", formation.word()),
        });
    }

    /// Straight into contact with what is met (R9, R10): turns to the target where it
    /// does not lie ahead, goes on until it touches, and conforms.
    fn charge(&mut self, who: Option<&str>) {
        let table = self.table;
        let target = table
            .bodies
            .iter()
            .filter(|b| b.army != self.unit.army())
            .filter(|b| who.is_none_or(|w| table.unit(b).id == w))
            .min_by_key(|b| {
                (
                    self.unit
                        .anchor
                        .distance(crate::geometry::plane::nearest(&b.shape, self.unit.anchor)),
                    b.unit,
                    b.base,
                )
            });
        let Some(target) = target else {
            self.stop(format!("{} is not on the table", who.unwrap_or("no enemy")), "R10");
            return;
        };
        let near = self.table.data.distances.hold_charge;
        let gap = self.gap(&laid(table.data, &self.unit));
        if self.unit.order == Order::Hold && gap.is_none_or(|gap| gap > near) {
            self.stop("on HOLD it charges enemies within 6 inches", cite("R9").0);
            return;
        }
        let aim = target.pose.at;
        let want = target.unit;
        let before = (self.unit.clone(), self.spent, self.way.len());
        self.go_in(aim, want);
        // On HOLD it stays where it is if it cannot reach them (R9).
        if self.unit.order == Order::Hold && self.met.is_none() {
            let (unit, spent, length) = before;
            self.unit = unit;
            self.spent = spent;
            self.way.truncate(length);
            self.safe = None;
        }
    }

    /// Turns to an enemy where it must, goes on until it touches one, and conforms.
    fn go_in(&mut self, aim: Point, want: usize) {
        let table = self.table;
        let ahead = self.scan(self.left());
        if ahead.is_none_or(|(_, hit)| table.bodies[hit].unit != want) {
            let turn = self.turn_to(aim);
            if !self.wheel(turn) {
                return;
            }
        }
        if let Some((gone, hit)) = self.scan(self.left()) {
            self.conform(gone, hit);
            return;
        }
        self.straight(i64::MAX, false, false);
        if self.halt.is_none() {
            self.stop("the move is too short to reach the enemy", "R17");
        }
    }

    /// How far it goes straight on until it touches an enemy, and which base.
    fn scan(&self, way: i64) -> Option<(i64, usize)> {
        let start = laid(self.table.data, &self.unit);
        let mut gone = 0;
        let mut spent = 0;
        let mut climbed = self.climbed;
        loop {
            let lay = self.shifted(&start, gone);
            let shapes = self.shapes(&lay);
            let hit = self.table.bodies.iter().enumerate().filter(|(_, b)| {
                b.army != self.unit.army()
                    && shapes
                        .iter()
                        .any(|s| close(s, b.pose.at, 600) && self.table.touch(s, &b.shape))
            });
            // Of several, the one that lies most squarely ahead.
            let hit = hit.min_by_key(|(n, b)| {
                let seen = self.table.data.compass.local(lay.anchor, lay.facing, b.pose.at);
                (seen.0.abs(), *n)
            });
            if let Some((n, _)) = hit {
                return Some((gone, n));
            }
            if !shapes.iter().all(|s| self.table.open(s)) {
                return None;
            }
            if shapes.iter().any(|s| self.table.on_fence(s)) && !climbed {
                if self.heavy {
                    return None;
                }
                climbed = true;
                spent += 200;
            }
            let heavy = self.heavy && lay.bases.iter().any(|(_, p)| self.table.bad_going(p.at));
            spent += if heavy { 20 } else { 10 };
            gone += 10;
            if spent > way {
                return None;
            }
        }
    }

    /// Turns and slides onto the side of the base that it met (ruling `contact`).
    fn conform(&mut self, gone: i64, hit: usize) {
        let (table, data) = (self.table, self.table.data);
        let compass = &data.compass;
        let body = &table.bodies[hit];
        let before = self.unit.clone();
        let start = laid(data, &self.unit);
        let touch = self.shifted(&start, gone);
        // The side that looks most against the way that the charge came.
        let heading = self.unit.facing;
        let side = crate::geometry::plane::Side::ALL
            .into_iter()
            .min_by_key(|s| {
                let normal = body.pose.facing.turned(s.degrees());
                (normal.turn_to(heading.back()).abs(), s.degrees())
            })
            .unwrap_or(crate::geometry::plane::Side::Front);
        let normal = body.pose.facing.turned(side.degrees());
        let half = match side {
            crate::geometry::plane::Side::Front | crate::geometry::plane::Side::Rear => {
                body.size.depth / 2
            }
            _ => body.size.front / 2,
        };
        let middle = compass.place(body.pose.at, normal, 0, half);
        let facing = normal.back();
        let count = order(data, &self.unit).len();
        let width = super::lay::files(
            self.unit.army(),
            self.unit.troop.is_gun(),
            self.unit.formation,
            count,
        );
        let width = i64::try_from(width).unwrap_or(1);
        let front = size_of(data, &self.unit).front;
        let now = compass.local(middle, facing, touch.anchor).0;
        let mut slides: Vec<i64> =
            (0..width).map(|file| -(2 * file - (width - 1)) * front / 2).collect();
        slides.sort_by_key(|s| ((s - now).abs(), *s));
        let left = self.left() - gone;
        for slide in slides {
            let anchor = compass.place(middle, facing, slide, 0);
            let moved = touch.anchor.distance(anchor);
            if moved - front > left.max(0) + 10 {
                continue;
            }
            self.unit.anchor = anchor;
            self.unit.facing = facing;
            self.unit.trail.clear();
            // Bases keep their places in the formation.
            let mut lay = touch.clone();
            self.replace(&mut lay, &touch);
            let shapes = self.shapes(&lay);
            let slack = data.slack;
            let room = shapes.iter().all(|s| table.open(s))
                && !table.bodies.iter().any(|b| {
                    b.unit != self.index
                        && shapes
                            .iter()
                            .any(|s| close(s, b.pose.at, 600) && overlap(s, &b.shape, slack))
                });
            let footprint = size_of(data, &self.unit);
            let reached = lay.bases.iter().any(|(_, pose)| {
                crate::geometry::plane::front_contact(
                    compass,
                    (*pose, footprint),
                    (body.pose, body.size),
                    data.touch,
                    2 * slack,
                )
                .is_some()
            });
            if room && reached {
                self.unit.take(&lay);
                self.spent = (self.spent + gone + (moved - front).max(0)).min(self.rate);
                let who = table.unit(body).id.clone();
                self.way.push(format!(
                    "charges {} and meets {} ({})",
                    data.inches(gone),
                    who,
                    match side {
                        crate::geometry::plane::Side::Front => "front",
                        crate::geometry::plane::Side::Rear => "rear",
                        _ => "flank",
                    }
                ));
                self.met = Some(who);
                return;
            }
        }
        self.unit = before;
        self.straight((gone - 20).max(0), false, false);
        self.halt = None;
        self.stop(format!("there is no room to meet {}", table.unit(body).id), "R23");
    }

    /// The same formation about another front.
    fn replace(&self, lay: &mut Lay, from: &Lay) {
        let compass = &self.table.data.compass;
        for (_, pose) in &mut lay.bases {
            let (right, forward) = compass.local(from.anchor, from.facing, pose.at);
            *pose = Pose {
                at: compass.place(self.unit.anchor, self.unit.facing, right, forward),
                facing: self.unit.facing,
            };
        }
        lay.anchor = self.unit.anchor;
        lay.facing = self.unit.facing;
        lay.trail.clear();
    }

    /// The longest range of the unit's bases; 0 where it has no fire.
    pub fn reach(&self) -> i64 {
        let data = self.table.data;
        let far = |n: usize| {
            let fire = values_of(data, &self.unit, n).fire;
            (0..4).rev().find(|b| fire[*b] > 0).map_or(0, |b| data.bands[b])
        };
        self.unit.standing().map(|(n, _)| far(n)).max().unwrap_or(0)
    }

    /// What an ATTACK order still demands (R10): into one's own range; Mahdists without
    /// rifles into contact.
    pub fn close_in(&mut self) {
        cite("R10");
        if self.formed || self.unit.formation == Formation::Column || self.left() == 0 {
            return;
        }
        let table = self.table;
        let Some((_, body)) = table.nearest_of(self.unit.army().enemy(), self.unit.anchor) else {
            return;
        };
        let homes = self.unit.army() == Army::Mahdist && !self.unit.has_rifles();
        if homes && self.unit.troop.arm() != Arm::Artillery {
            self.charge(None);
            return;
        }
        let reach = self.reach();
        let gap = self.gap(&laid(table.data, &self.unit));
        let Some(gap) = gap.filter(|gap| *gap > reach) else { return };
        let aim = body.pose.at;
        let turn = self.turn_to(aim);
        // Straight on is good enough where the enemy lies well ahead.
        if turn.abs() > 20 && !self.wheel(turn) {
            return;
        }
        self.straight(gap - reach, false, false);
    }
}

/// A quick look: may a base there matter to a shape at all?
fn close(shape: &[Point; 4], at: Point, reach: i64) -> bool {
    (shape[0].x - at.x).abs() <= reach && (shape[0].y - at.y).abs() <= reach
}

/// True where a unit on HOLD may charge an enemy near it: Mahdists, and regular cavalry
/// in the saddle (R9).
pub fn may_hold_charge(unit: &Unit) -> bool {
    unit.army() == Army::Mahdist && !unit.troop.is_gun() || mounted(unit)
}
