//! Turning and changing formation: wheels, about face, line and column (R16, R17).

use crate::geometry::plane::{Point, Pose};

use super::super::cite;
use super::super::events::Lay;
use super::super::lay::{arc, behind, depth, laid, order};
use super::super::state::{Bend, Condition, Formation, Presence};
use super::super::table::size_of;
use super::{March, Step, Way};

impl March<'_> {
    pub(super) fn turn_to(&self, point: Point) -> i64 {
        let compass = &self.table.data.compass;
        if point == self.unit.anchor {
            return 0;
        }
        self.unit.facing.turn_to(compass.toward(self.unit.anchor, point))
    }

    /// Turns; as far as the move allows. True where it turned all the way.
    pub(super) fn wheel(&mut self, degrees: i64) -> bool {
        if degrees == 0 {
            return true;
        }
        cite("R17");
        if self.ragged() && self.folds_by(degrees) {
            // Turned again and again, rounding brings bases onto one another: they take
            // their places first.
            self.dress();
            if self.ragged() {
                self.stop("its ranks are too broken to turn", "R19");
                return false;
            }
        }
        let before = self.unit.clone();
        let spent = self.spent;
        let (mut degrees, mut whole) = (degrees, true);
        if self.unit.formation == Formation::Column && order(self.table.data, &self.unit).len() > 1
        {
            if self.bent.1 >= size_of(self.table.data, &self.unit).front {
                self.bent.0 = 0;
            }
            self.bent = (self.bent.0 + degrees.abs(), 0);
            if self.bent.0 > 45 {
                if self.rate / 2 > self.left() {
                    self.stop("a sharper bend than 45 degrees takes half the move", "R17");
                    return false;
                }
                self.spent += self.rate / 2;
                self.bent.0 = 0;
            }
            self.unit.trail.insert(0, Bend { at: self.unit.anchor, facing: self.unit.facing });
        } else {
            let radius = self.swing();
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
        let start = self.lies();
        let ragged = self.ragged();
        self.unit.facing = self.unit.facing.turned(degrees);
        let mut lay = laid(self.table.data, &self.unit);
        if ragged {
            lay.clone_from(&start);
            self.replace(&mut lay, &start);
        }
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

    pub(super) fn about(&mut self) {
        cite("R16");
        if self.rate / 2 > self.left() {
            self.stop("facing about takes half the move", "R16");
            return;
        }
        let data = self.table.data;
        if matches!(self.unit.presence, Presence::Marker(_)) {
            // Its front is where the marker is, whichever way it looks (R20, ruling
            // `marker-moves`).
            self.unit.facing = self.unit.facing.back();
            self.unit.trail.clear();
            let lay = laid(data, &self.unit);
            self.unit.take(&lay);
            self.spent += self.rate / 2;
            self.way.push("about face".to_owned());
            return;
        }
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

    pub(super) fn form(&mut self, formation: Formation, dismounted: bool) {
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

    /// The same formation about another front.
    pub(super) fn replace(&self, lay: &mut Lay, from: &Lay) {
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
}
