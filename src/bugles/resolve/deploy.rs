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
        for emir in &data.scenario.emirs {
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
                let at = Point::new(i64::midpoint(from.x, to.x), i64::midpoint(from.y, to.y));
                let facing = data.compass.toward(at, middle(&self.state, data));
                let pose = Pose { at, facing };
                let mut unit = self.drawn(format!("{general}-{n}"), general, &drawn, pose);
                unit.order = Order::Move;
                self.emit(Event::Mustered { unit });
            }
        }
        Ok(())
    }

    /// Everybody is set up: by the orders, and where there are none or there is no room,
    /// as near as may be.
    pub(super) fn deploy(&mut self) {
        let parts = self.parts;
        let hidden = |id: &str, data: &Data| {
            let line = data.scenario.units.iter().find(|u| u.id == id);
            line.is_none_or(|u| u.hidden)
        };
        let ids: Vec<String> = self.state.units.iter().map(|u| u.id.clone()).collect();
        // Those who cover most ground first would be fairer to none: by id.
        let mut under: Vec<(Point, Option<String>, String)> = Vec::new();
        for id in ids {
            let order = parts.iter().find_map(|p| {
                p.plan.deploys.iter().find(|d| d.get().unit == id).map(|d| (p.player.clone(), d))
            });
            let Some(unit) = self.state.unit(&id).cloned() else { continue };
            let (at, facing, formation, first) = match &order {
                Some((_, d)) => (d.get().at, d.get().facing, d.get().formation, d.get().order),
                None => (unit.anchor, unit.facing, unit.formation, unit.order),
            };
            let hides = unit.army() == Army::Mahdist && hidden(&id, self.data);
            let lay = self.room(&unit, at, facing, formation, hides);
            if let Some((player, d)) = order {
                if lay.anchor == at {
                    self.done(&player);
                } else {
                    let text = format!("deploy {id}");
                    let spot = self.data.spot(lay.anchor);
                    self.failed(
                        &player,
                        d,
                        text,
                        format!("there is no room: it stands at {spot}"),
                        "",
                    );
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
        // Numbered by place, which tells nothing of what is behind them.
        under.sort();
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
    }

    /// The option of R21: a marker on every piece of cover, false where nobody is in it.
    fn cover_without(
        &self,
        under: &[(Point, Option<String>, String)],
    ) -> Vec<(Point, Option<String>, String)> {
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
        let table = self.table();
        let size = size_of(self.data, unit);
        let fits = |lay: &Lay| {
            lay.bases.iter().all(|(_, pose)| {
                let shape = pose.corners(&self.data.compass, size);
                table.open(&shape)
                    && (hides
                        || !table.bodies.iter().any(|b| {
                            overlap(&shape, &b.shape, self.data.slack)
                                || b.army != unit.army() && table.touch(&shape, &b.shape)
                        }))
            })
        };
        let first = deployment(self.data, unit, at, facing, formation);
        if fits(&first) {
            return first;
        }
        for ring in 1..60_i64 {
            for turn in 0..16 {
                let spot =
                    self.data.compass.place(at, facing.turned(180 + turn * 22), 0, ring * 80);
                if !self.data.scenario.on_table(spot) {
                    continue;
                }
                let lay = deployment(self.data, unit, spot, facing, formation);
                if fits(&lay) {
                    return lay;
                }
            }
        }
        first
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
