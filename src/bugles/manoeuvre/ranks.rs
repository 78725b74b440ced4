//! Ranks that combat and fire have broken: who has lost contact, what it takes to be
//! whole again, and how a broken line goes on (R19).

use crate::geometry::plane::{Point, Pose, overlap};

use super::super::cite;
use super::super::events::Lay;
use super::super::lay::{half_front, laid, out_of_place};
use super::super::state::{Condition, Formation, Order};
use super::super::table::size_of;
use super::{March, Way};

impl March<'_> {
    /// The front of a unit whose ranks are broken is where its foremost base stands
    /// (ruling `coherency`).
    pub(super) fn settle(&mut self) {
        if !self.ragged() {
            return;
        }
        let (data, unit) = (self.table.data, &self.unit);
        let half = size_of(data, unit).depth / 2;
        let sound = unit.standing().filter(|(_, b)| b.condition == Condition::Sound);
        let fore = sound
            .map(|(_, b)| data.compass.local(unit.anchor, unit.facing, b.at).1 + half)
            .max()
            .unwrap_or(0);
        if fore < -2 * data.slack {
            self.unit.anchor = data.compass.place(unit.anchor, unit.facing, 0, fore);
        }
    }

    /// True for a line some of whose bases are out of their places, where such a line
    /// goes on as it stands (ruling `coherency`).
    pub(super) fn ragged(&self) -> bool {
        let data = self.table.data;
        self.unit.formation == Formation::Battle
            && !data.rulings.dresses_first
            && out_of_place(&self.unit, &laid(data, &self.unit)) > 2 * data.slack
    }

    /// Where the sound bases lie as it begins a step: in their places, or, where ranks
    /// are broken, as they stand.
    pub(super) fn lies(&self) -> Lay {
        let whole = laid(self.table.data, &self.unit);
        if !self.ragged() {
            return whole;
        }
        let sound = self.unit.standing().filter(|(_, b)| b.condition == Condition::Sound);
        Lay { bases: sound.map(|(n, b)| (n, b.pose())).collect(), ..whole }
    }

    /// How far from its middle the unit reaches, for the cost of a wheel: half its front,
    /// or to the base that lags most.
    pub(super) fn swing(&self) -> i64 {
        let half = half_front(self.table.data, &self.unit);
        if !self.ragged() {
            return half;
        }
        let lay = self.lies();
        let far = lay.bases.iter().map(|(_, pose)| lay.anchor.distance(pose.at)).max();
        half.max(far.unwrap_or(0))
    }

    /// True where every sound base touches another of the unit, and all of them hang
    /// together, at an edge or a corner (R19).
    fn hangs_together(&self) -> bool {
        let size = size_of(self.table.data, &self.unit);
        let compass = &self.table.data.compass;
        let sound = self.unit.standing().filter(|(_, b)| b.condition == Condition::Sound);
        let mut rest: Vec<_> = sound.map(|(_, b)| b.pose().corners(compass, size)).collect();
        let mut todo: Vec<_> = rest.pop().into_iter().collect();
        while let Some(shape) = todo.pop() {
            let (with, without): (Vec<_>, Vec<_>) =
                rest.into_iter().partition(|s| self.table.touch(s, &shape));
            todo.extend(with);
            rest = without;
        }
        rest.is_empty()
    }

    /// With what is left of a move bases that lag behind take their places again.
    pub(super) fn dress(&mut self) {
        if !self.ragged() || self.formed {
            return;
        }
        let lay = laid(self.table.data, &self.unit);
        let far = out_of_place(&self.unit, &lay);
        let room = matches!(self.meets(&self.shapes(&lay)), Way::Free);
        let nearer = self.unit.order == Order::Withdraw
            && self.gap(&lay).zip(self.gap(&self.lies())).is_some_and(|(then, now)| then < now);
        if far > self.left() || !room || nearer {
            return;
        }
        cite("R19");
        self.unit.take(&lay);
        self.spent += far;
        self.way.push(format!("dresses its ranks ({})", self.table.data.inches(far)));
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
        // Who hangs together has nothing to regain: the whole moves as it stands.
        if !recovered && self.ragged() && self.hangs_together() {
            return true;
        }
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

    /// True where a turn of the unit as it stands brings bases onto one another.
    pub(super) fn folds_by(&self, degrees: i64) -> bool {
        let start = self.lies();
        let mut turned = self.clone();
        turned.unit.facing = turned.unit.facing.turned(degrees);
        let mut lay = start.clone();
        turned.replace(&mut lay, &start);
        self.folded(&lay)
    }

    /// True where bases of a lay would lie on one another.
    pub(super) fn folded(&self, lay: &Lay) -> bool {
        let shapes = self.shapes(lay);
        let slack = self.table.data.slack;
        (0..shapes.len()).any(|i| (0..i).any(|j| overlap(&shapes[i], &shapes[j], slack)))
    }
}
