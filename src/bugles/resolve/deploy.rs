//! Setting up: what emirs muster (R2), where everybody stands, false markers (R21).

use crate::core::dice::DiceError;
use crate::geometry::plane::{Facing, Point, Pose, contains, overlap};

use super::super::check::Go;
use super::super::cite;
use super::super::data::{Army, Data, Troop};
use super::super::events::{Event, Lay};
use super::super::lay::laid;
use super::super::state::{
    Behind, Condition, Drawn, FirePlan, Formation, Marker, Order, Presence, State, Unit, bases,
};
use super::super::table::{Table, size_of};
use super::Turn;

/// True for a unit that stands under a marker when it is set up (R20).
pub fn hidden_at_first(data: &Data, unit: &Unit) -> bool {
    let line = data.scenario.units.iter().find(|u| u.id == unit.id);
    unit.army() == Army::Mahdist && line.is_none_or(|u| u.hidden)
}

/// Somebody under a marker to be: where, who if anybody, whose.
type Under = (Point, Option<String>, String);

/// A unit laid out at a place, facing somewhere; for deployment.
pub fn deployment(
    data: &Data,
    unit: &Unit,
    at: Point,
    facing: Facing,
    formation: Formation,
) -> Lay {
    let mut unit = unit.clone();
    unit.anchor = at;
    unit.facing = facing;
    unit.formation = formation;
    unit.trail.clear();
    for base in &mut unit.bases {
        if base.condition != Condition::Lost {
            base.at = at;
            base.facing = facing;
        }
    }
    laid(data, &unit)
}

impl Turn<'_> {
    /// A new unit that the dice drew.
    pub(super) fn drawn(&self, id: String, general: &str, drawn: &Drawn, at: Pose) -> Unit {
        let name = self.data.troop(drawn.troop).name.clone();
        Unit {
            id,
            name,
            troop: drawn.troop,
            general: general.to_owned(),
            order: Order::Attack,
            formation: Formation::Battle,
            anchor: at.at,
            facing: at.facing,
            presence: Presence::Waiting,
            dismounted: false,
            formed: 0,
            halted: false,
            under_fire: false,
            fire: FirePlan::default(),
            trail: Vec::new(),
            bases: bases(drawn.bases, drawn.rifles, at),
        }
    }

    /// A unit from its dice (R2): type by an average die, bases by two, rifles by
    /// doubles.
    pub(super) fn by_dice(&self, kind: u32, pair: (u32, u32), most: u32) -> Drawn {
        cite("R2");
        let cavalry = self.data.emir_cavalry.contains(&kind);
        let count = (pair.0 + pair.1).min(most);
        let doubles = pair.0 == pair.1 && !cavalry;
        let rifles = self.data.emir_rifles.get(&pair.0).copied().filter(|_| doubles).unwrap_or(0);
        Drawn {
            troop: if cavalry { Troop::MahdistCavalry } else { Troop::MahdistInfantry },
            bases: count,
            rifles: rifles.min(count),
        }
    }

    /// The dice bring each emir's force; sealed, since the other side may not know.
    pub(super) fn muster(&mut self) -> Result<(), DiceError> {
        let data = self.data;
        let emirs = (0..).zip(&data.scenario.emirs);
        let all = i64::try_from(data.scenario.emirs.len()).unwrap_or(1).max(1);
        for (at, emir) in emirs {
            let general = &emir.general;
            let number = self.dice.roll_sealed(&format!("muster/{general}"), "2d6")?;
            let units: u32 = number.faces.iter().map(|f| self.average(*f)).sum();
            let zone = data.scenario.zones.iter().find(|z| z.army == Army::Mahdist);
            let (from, to) =
                zone.map_or((Point::default(), data.scenario.table), |z| (z.from, z.to));
            // All that could come are rolled for, or the number of seals would tell.
            for n in 1..=emir.units {
                let kind = self.dice.roll_sealed(&format!("muster/{general}/{n}/type"), "1d6")?;
                let pair = self.dice.roll_sealed(&format!("muster/{general}/{n}/bases"), "2d6")?;
                if n > units {
                    continue;
                }
                let drawn = self.by_dice(
                    self.average(kind.faces[0]),
                    (self.average(pair.faces[0]), self.average(pair.faces[1])),
                    emir.bases,
                );
                // Each emir in his part of the zone, two and two: nobody stands on another.
                let (cell, rows) = (i64::from(n) - 1, i64::from(emir.units.div_ceil(2)).max(1));
                let size = to - from;
                let spot = Point::new(
                    from.x + size.x * (4 * at + 1 + 2 * (cell % 2)) / (4 * all),
                    from.y + size.y * (2 * (cell / 2) + 1) / (2 * rows),
                );
                let facing = data.compass.toward(spot, middle(&self.state, data));
                let pose = Pose { at: spot, facing };
                let mut unit = self.drawn(format!("{general}-{n}"), general, &drawn, pose);
                unit.order = Order::Move;
                let lay = self.free_of_all(&unit, pose);
                unit.anchor = lay.anchor;
                unit.bases = bases(drawn.bases, drawn.rifles, Pose { at: lay.anchor, facing });
                self.emit(Event::Mustered { unit });
            }
        }
        Ok(())
    }

    /// Everybody is set up: by the orders, and where there are none or there is no room,
    /// as near as may be.
    ///
    /// # Errors
    /// The dice refused.
    pub(super) fn deploy(&mut self) -> Result<(), DiceError> {
        let parts = self.parts;
        let order_of = |id: &str| {
            parts.iter().find_map(|p| {
                p.plan.deploys.iter().find(|d| d.get().unit == id).map(|d| (p.player.clone(), d))
            })
        };
        let mut ids: Vec<String> = self.state.units.iter().map(|u| u.id.clone()).collect();
        // Whoever was ordered to a place has it before those who were ordered nowhere.
        ids.sort_by_key(|id| order_of(id).is_none());
        let mut under: Vec<Under> = Vec::new();
        for id in ids {
            let order = order_of(&id);
            let Some(unit) = self.state.unit(&id).cloned() else { continue };
            let (at, facing, formation, first) = match &order {
                Some((_, d)) => (d.get().at, d.get().facing, d.get().formation, d.get().order),
                None => (unit.anchor, unit.facing, unit.formation, unit.order),
            };
            let hides = hidden_at_first(self.data, &unit);
            let lay = self.set_up(&unit, Pose { at, facing }, formation, hides);
            if let Some((player, d)) = order {
                if lay.anchor == at {
                    self.done(&player);
                } else {
                    let text = format!("deploy {id}");
                    let why =
                        format!("there is no room: it stands at {}", self.data.spot(lay.anchor));
                    self.failed(&player, d, text, why, "R3");
                }
            }
            if hides {
                under.push((lay.anchor, Some(id.clone()), unit.general.clone()));
            }
            self.emit(Event::Deployed { unit: id, lay, order: first, marker: None });
        }
        // Generals after their units, since they may go with a base.
        for part in parts {
            for order in &part.plan.generals {
                let general = order.get().general.clone();
                let (to, attached) = match &order.get().go {
                    Go::To(to) => (*to, None),
                    Go::Attach(base) => match self.state.base(base) {
                        Some((unit, n)) => (unit.bases[n].at, Some(base.clone())),
                        None => continue,
                    },
                };
                self.emit(Event::GeneralMoved { general, to, attached, moved: false });
                self.done(&part.player);
            }
        }
        for part in parts {
            for false_marker in &part.plan.falses {
                cite("R21");
                let order = false_marker.get();
                under.push((order.at, None, order.general.clone()));
                self.done(&part.player);
            }
        }
        if self.data.cover_markers {
            under.extend(self.cover_without(&under));
        }
        let under = self.numbered(under)?;
        for (number, (at, unit, general)) in (1_u32..).zip(under) {
            let id = format!("m-{number}");
            let behind = unit.clone().map_or(Behind::Nothing, Behind::Unit);
            let marker = Marker {
                id: id.clone(),
                at,
                general,
                under_fire: false,
                halted: false,
                veil: false,
                noted: Some(0),
                behind,
                sealed: Vec::new(),
            };
            cite("R20");
            self.emit(Event::Placed { marker, number });
            if let Some(unit) = unit
                && let Some(u) = self.state.unit(&unit).cloned()
            {
                let lay = laid(self.data, &u);
                self.emit(Event::Deployed { unit, lay, order: u.order, marker: Some(id) });
            }
        }
        self.look("it stands within sight");
        self.judge_deployment();
        Ok(())
    }

    /// In the order of their numbers: by place, and at one place by dice that nobody
    /// sees, since names would tell what is behind which (R20, ruling `marker-moves`).
    fn numbered(&mut self, mut under: Vec<Under>) -> Result<Vec<Under>, DiceError> {
        under.sort();
        let mut out = Vec::new();
        for group in under.chunk_by(|a, b| a.0 == b.0) {
            let mut drawn = Vec::new();
            for (n, one) in group.iter().enumerate() {
                let die = if group.len() == 1 {
                    0
                } else {
                    let at = out.len() + n + 1;
                    self.dice.roll_sealed(&format!("deploy/marker/{at}"), "1d1000")?.faces[0]
                };
                drawn.push((die, one.clone()));
            }
            drawn.sort();
            out.extend(drawn.into_iter().map(|(_, one)| one));
        }
        Ok(out)
    }

    /// The option of R21: a marker on every piece of cover, false where nobody is in it.
    fn cover_without(&self, under: &[Under]) -> Vec<Under> {
        cite("R21");
        let Some(general) = self.state.generals.iter().find(|g| g.army == Army::Mahdist) else {
            return Vec::new();
        };
        let shapes = self.data.scenario.shapes.iter();
        shapes
            .filter(|s| self.data.class(s).hides && !self.data.class(s).fence)
            .filter(|s| !under.iter().any(|(at, _, _)| contains(&s.points, *at)))
            .map(|s| (s.middle(), None, general.id.clone()))
            .collect()
    }

    /// A place for a unit at or near a point: clear of others, of obstacles and the edge.
    pub(super) fn room(
        &self,
        unit: &Unit,
        at: Point,
        facing: Facing,
        formation: Formation,
        hides: bool,
    ) -> Lay {
        let fits = |shapes: &[[Point; 4]]| self.fits(unit, shapes, hides);
        let first = deployment(self.data, unit, at, facing, formation);
        if fits(&self.shapes(unit, &first)) {
            return first;
        }
        self.near(unit, Pose { at, facing }, formation, fits).unwrap_or(first)
    }

    /// The same as a unit is set up: who has to give way stays in the zone of its army.
    fn set_up(&self, unit: &Unit, pose: Pose, formation: Formation, hides: bool) -> Lay {
        let first = deployment(self.data, unit, pose.at, pose.facing, formation);
        if self.fits(unit, &self.shapes(unit, &first), hides) {
            return first;
        }
        let fits =
            |shapes: &[[Point; 4]]| self.in_zone(unit, shapes) && self.fits(unit, shapes, hides);
        self.near(unit, pose, formation, fits)
            .unwrap_or_else(|| self.room(unit, pose.at, pose.facing, formation, hides))
    }

    /// A place for a unit that musters: in the zone, and clear of all who have theirs.
    fn free_of_all(&self, unit: &Unit, pose: Pose) -> Lay {
        let formation = Formation::Battle;
        let others: Vec<_> = self
            .state
            .units
            .iter()
            .filter(|u| u.army() == unit.army())
            .flat_map(|u| {
                let lay = deployment(self.data, u, u.anchor, u.facing, formation);
                self.shapes(u, &lay)
            })
            .collect();
        let fits = |shapes: &[[Point; 4]]| {
            let table = self.table();
            self.in_zone(unit, shapes)
                && self.fits(unit, shapes, true)
                && shapes.iter().all(|s| {
                    !table.on_fence(s) && !others.iter().any(|o| overlap(s, o, self.data.slack))
                })
        };
        let first = deployment(self.data, unit, pose.at, pose.facing, formation);
        if fits(&self.shapes(unit, &first)) {
            return first;
        }
        self.near(unit, pose, formation, fits).unwrap_or(first)
    }

    fn shapes(&self, unit: &Unit, lay: &Lay) -> Vec<[Point; 4]> {
        let size = size_of(self.data, unit);
        lay.bases.iter().map(|(_, pose)| pose.corners(&self.data.compass, size)).collect()
    }

    /// Clear of obstacles, and of everybody who is seen, where it is to be seen itself.
    fn fits(&self, unit: &Unit, shapes: &[[Point; 4]], hides: bool) -> bool {
        let table = self.table();
        shapes.iter().all(|shape| {
            table.open(shape)
                && (hides
                    || !table.bodies.iter().any(|b| {
                        overlap(shape, &b.shape, self.data.slack)
                            || b.army != unit.army() && table.touch(shape, &b.shape)
                    }))
        })
    }

    fn in_zone(&self, unit: &Unit, shapes: &[[Point; 4]]) -> bool {
        let zones = || self.data.scenario.zones.iter().filter(|z| z.army == unit.army());
        zones().next().is_none()
            || shapes.iter().all(|s| zones().any(|z| s.iter().all(|p| z.has(*p))))
    }

    /// The nearest place in rings about a point that will do.
    fn near(
        &self,
        unit: &Unit,
        Pose { at, facing }: Pose,
        formation: Formation,
        fits: impl Fn(&[[Point; 4]]) -> bool,
    ) -> Option<Lay> {
        for ring in 1..60_i64 {
            for turn in 0..16 {
                let spot =
                    self.data.compass.place(at, facing.turned(180 + turn * 22), 0, ring * 80);
                if !self.data.scenario.on_table(spot) {
                    continue;
                }
                let lay = deployment(self.data, unit, spot, facing, formation);
                if fits(&self.shapes(unit, &lay)) {
                    return Some(lay);
                }
            }
        }
        None
    }

    /// Units that begin within 12 inches of an enemy hold, if they were to move (R12).
    fn judge_deployment(&mut self) {
        self.flip_near();
    }
}

/// Where the regulars stand, or the middle of the table.
fn middle(state: &State, data: &Data) -> Point {
    let table = Table::new(data, state);
    let regulars: Vec<Point> =
        table.bodies.iter().filter(|b| b.army == Army::AngloEgyptian).map(|b| b.pose.at).collect();
    let regulars = if regulars.is_empty() {
        state.units.iter().filter(|u| u.army() == Army::AngloEgyptian).map(|u| u.anchor).collect()
    } else {
        regulars
    };
    let n = i64::try_from(regulars.len()).unwrap_or(1).max(1);
    let sum = regulars.iter().fold(Point::default(), |a, b| a + *b);
    if regulars.is_empty() {
        Point::new(data.scenario.table.x / 2, data.scenario.table.y / 2)
    } else {
        Point::new(sum.x / n, sum.y / n)
    }
}
