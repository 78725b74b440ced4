//! Naval transport (5.2.1), the Zariba (5.3), demolition (6.5.3, 10.2.D) and
//! desertion (8.2): orders of the movement phase that move nobody.

use std::ops::Range;

use crate::core::diag::Diagnostic;
use crate::geometry::hex::{Dir, Hex, Side};

use super::super::board::Terrain;
use super::super::cite::cite;
use super::super::data::{Army, Kind, UnitId};
use super::super::fire::Target;
use super::super::orders::{Kind as Order, Raw};
use super::super::position::Position;
use super::super::state::{Place, Task, Window};
use super::super::violation::Violation;
use super::{Checker, LoadOrder, TaskOrder};

/// Whether a unit may go on board a gunboat now (5.2.1).
pub fn may_load(position: &Position<'_>, id: UnitId, boat: UnitId) -> Result<(), Violation> {
    let data = position.data;
    let unit = data.unit(id);
    let refuse = |why: String, rule| Violation::Special { unit: unit.id.clone(), why, rule }.bar();
    if !unit.friendlies {
        return refuse("is no Friendlies unit: no other is carried".to_owned(), "5.2.1.A");
    }
    match data.find("isa-zachneih").map(|isa| &position.state.unit(isa).place) {
        Some(Place::Eliminated(_)) => {}
        Some(_) => {
            return refuse("waits: isa-zachneih is not eliminated yet".to_owned(), "5.2.1.A");
        }
        // There is no east bank to come from without him.
        None => return refuse("is carried in the campaign alone".to_owned(), "5.2.1.A"),
    }
    let hex = position.on_map(id)?;
    position.may_move(id)?;
    if !data.unit(boat).kind.is_gunboat() {
        return refuse(format!("cannot go on board {}", data.unit(boat).id), "5.2.1.A");
    }
    let there = position.on_map(boat)?;
    if hex.distance(there) != 1 {
        let name = &data.unit(boat).id;
        return refuse(format!("does not begin the turn beside {name} in {there}"), "5.2.1.B");
    }
    if !position.state.aboard(data, boat).is_empty() {
        return refuse(
            format!("finds no room: {} carries one unit", data.unit(boat).id),
            "5.2.1.B",
        );
    }
    cite("5.2.1.B");
    cite("6.5.2.C");
    Ok(())
}

/// The hexsides of the Zariba that a unit would build where it stands (5.3.C).
pub fn to_build(position: &Position<'_>, hex: Hex) -> Vec<Side> {
    let board = &position.data.board;
    if !board.in_zariba(hex) {
        return Vec::new();
    }
    Dir::ALL
        .iter()
        .map(|d| Side::new(hex, *d))
        .filter(|s| board.side(*s).zariba.is_some() && position.works(*s).is_none())
        .collect()
}

/// Whether a unit may build the Zariba now.
pub fn may_construct(position: &Position<'_>, id: UnitId) -> Result<Vec<Side>, Violation> {
    let unit = position.data.unit(id);
    let refuse = |why: &str, rule| {
        Violation::Special { unit: unit.id.clone(), why: why.to_owned(), rule }.bar()
    };
    if unit.army != Army::AngloEgyptian || unit.kind != Kind::Infantry || unit.friendlies {
        return refuse("is no infantry of the main army: it builds no Zariba", "5.3.C");
    }
    let hex = position.on_map(id)?;
    let sides = to_build(position, hex);
    if sides.is_empty() {
        let inside = position.data.board.in_zariba(hex);
        return if inside {
            refuse("has nothing left to build beside it", "5.3.C")
        } else {
            refuse("does not stand within the place of the Zariba", "5.3.B")
        };
    }
    cite("5.3.B");
    cite("5.3.C");
    Ok(sides)
}

/// Whether a unit that ends its movement in a hex may demolish a target from there.
pub fn may_demolish(
    position: &Position<'_>,
    id: UnitId,
    from: Hex,
    target: Target,
) -> Result<(), Violation> {
    let data = position.data;
    let unit = data.unit(id);
    let refuse = |why: String, rule| Violation::Special { unit: unit.id.clone(), why, rule }.bar();
    if let Target::Chain(hex) = target {
        if unit.army != Army::AngloEgyptian || !matches!(unit.kind, Kind::Infantry | Kind::Cavalry)
        {
            return refuse("is neither infantry nor cavalry of the army".to_owned(), "10.2.D");
        }
        if !(position.state.river.chain_known && position.chain().contains(&hex)) {
            return refuse("sees no chain there".to_owned(), "10.2.D");
        }
        if position.state.hex(id) != Some(from) {
            return refuse("works a whole turn at the chain and cannot move".to_owned(), "10.2.D");
        }
        if from.distance(hex) != 1 || data.board.terrain(from) == Terrain::Nile {
            return refuse(format!("is not on the bank beside {hex}"), "10.2.D");
        }
        cite("10.2.D");
        return Ok(());
    }
    if !unit.engineers {
        return refuse("is not the Royal Engineers: it demolishes nothing".to_owned(), "6.5.3.B");
    }
    cite("6.5.3.A");
    let near = match target {
        Target::Fort(hex) => {
            let enemy = position
                .data
                .board
                .has(hex)
                .then(|| position.fort(hex))
                .flatten()
                .is_some_and(|f| data.unit(f).army != unit.army);
            if !enemy {
                return refuse(format!("finds no enemy fort in {hex}"), "6.5.3.B");
            }
            from.distance(hex) == 1
        }
        Target::Wall(side) => {
            if !position.wall(side) {
                return Violation::NoWall { side, breached: position.breach(side) }.bar();
            }
            side.of(from)
        }
        Target::Units(_) | Target::Chain(_) => {
            return refuse(
                format!("demolishes forts and walls, and {target} is neither"),
                "6.5.3.B",
            );
        }
    };
    if !near {
        return refuse(format!("would end in {from}, which is not beside {target}"), "6.5.3.B");
    }
    cite("6.5.3.B");
    Ok(())
}

/// Whether a unit may desert (8.2.D).
pub fn may_desert(position: &Position<'_>, id: UnitId) -> Result<(), Violation> {
    let unit = position.data.unit(id);
    let bound = unit.id == "khalifa"
        || unit.kind.is_gunboat()
        || matches!(unit.kind, Kind::Artillery | Kind::Fort);
    if bound || unit.army != Army::Dervish {
        let why = "never deserts".to_owned();
        return Violation::Special { unit: unit.id.clone(), why, rule: "8.2.D" }.bar();
    }
    position.on_map(id).map(|_| ())
}

impl Checker<'_> {
    fn moving_side(&mut self, raw: &Raw) -> bool {
        let mine = self.army == self.position.state.moving;
        self.in_window(raw, &[Window::Move], mine, "the other side moves in this window")
    }

    pub(super) fn load(&mut self, raw: &Raw) -> Option<LoadOrder> {
        let position = self.position;
        let units = self.units(raw, "move", |_| true);
        if !self.moving_side(raw) {
            return None;
        }
        let units = units?;
        let name = raw.word.as_ref()?;
        let boat = self.own_boat(name)?;
        let before = self.errors();
        let [(id, span)] = &units[..] else {
            let fault = Diagnostic::error(Some(cite("5.2.1.B")), "a gunboat carries one unit");
            self.faults.push(fault.at(raw.span.clone()));
            return None;
        };
        if let Err(violation) = may_load(position, *id, boat) {
            self.fault(&violation, span.clone());
        }
        if self.plan.loads.iter().any(|l| l.get().boat == boat) {
            let unit = position.data.unit(boat).id.clone();
            let why = "takes one unit on board".to_owned();
            self.fault(&Violation::Special { unit, why, rule: "5.2.1.B" }, name.span.clone());
        }
        // The boat lies still while it loads.
        if let Some(line) = self.used.insert(("move", boat), raw.line) {
            let unit = position.data.unit(boat).id.clone();
            self.fault(&Violation::Twice { unit, line, fire: false }, name.span.clone());
        }
        (self.errors() == before).then_some(LoadOrder { unit: *id, boat })
    }

    /// A gunboat of this army, whoever of its players commands it.
    fn own_boat(&mut self, name: &crate::core::read::At<String>) -> Option<UnitId> {
        let data = self.position.data;
        let found = data.find(&name.value).filter(|id| {
            let unit = data.unit(*id);
            unit.army == self.army && unit.kind.is_gunboat()
        });
        if found.is_none() {
            let text = format!("`{}` is no gunboat of this side", name.value);
            self.faults.push(Diagnostic::error(None, text).at(name.span.clone()));
        }
        found
    }

    pub(super) fn task(&mut self, raw: &Raw) -> Option<TaskOrder> {
        let position = self.position;
        let target = match raw.kind {
            Order::Demolish => {
                let text = raw.at.first()?;
                let target = self.target(text)?;
                if let Some(second) = raw.at.get(1) {
                    let fault = Diagnostic::error(None, "one target a demolition");
                    self.faults.push(fault.at(second.span.clone()));
                }
                Some((target, text.span.clone()))
            }
            _ => None,
        };
        let units = self.units(raw, "task", |id| match target {
            None => may_construct(position, id).is_ok(),
            Some(_) => position.data.unit(id).engineers,
        });
        if !self.moving_side(raw) {
            return None;
        }
        let units = units?;
        let before = self.errors();
        for (id, span) in &units {
            self.task_of(*id, target.as_ref(), span);
        }
        let task = match target {
            Some((target, _)) => Task::Demolish(target),
            None => Task::Construct,
        };
        let units = units.into_iter().map(|(id, _)| id).collect();
        (!self.failed_since(before)).then_some(TaskOrder { units, task })
    }

    fn task_of(
        &mut self,
        id: UnitId,
        target: Option<&(Target, Range<usize>)>,
        span: &Range<usize>,
    ) {
        let position = self.position;
        if position.state.disrupted(id) {
            let unit = position.data.unit(id).id.clone();
            self.fault(&Violation::Disrupted { unit, what: "work" }, span.clone());
            return;
        }
        let stays = position.state.hex(id);
        let end = self.ends.get(&id).copied().or(stays);
        let result = match target {
            None if end != stays => {
                let unit = position.data.unit(id).id.clone();
                let why = "builds where it begins and ends its turn, and moves away".to_owned();
                Violation::Special { unit, why, rule: "5.3.C" }.bar()
            }
            None => may_construct(position, id).map(|_| ()),
            Some((target, _)) => match end {
                Some(from) => may_demolish(position, id, from, *target),
                None => position.on_map(id).map(|_| ()),
            },
        };
        if let Err(violation) = result {
            let at = target.map_or(span.clone(), |(_, at)| at.clone());
            self.fault(&violation, at);
        }
    }

    pub(super) fn desert(&mut self, raw: &Raw) -> Option<Vec<UnitId>> {
        let position = self.position;
        let units = self.units(raw, "desert", |id| may_desert(position, id).is_ok());
        if !self.moving_side(raw) {
            return None;
        }
        let units = units?;
        let before = self.errors();
        if position.data.scenario.desertion != Some(position.state.turn)
            || self.army != Army::Dervish
        {
            let unit = "[[desert]]".to_owned();
            let why = match position.data.scenario.desertion {
                Some(turn) => format!("has its place on turn {turn}"),
                None => "has no place in this scenario".to_owned(),
            };
            self.fault(&Violation::Special { unit, why, rule: "8.2.A" }, raw.span.clone());
            return None;
        }
        for (id, span) in &units {
            if let Err(violation) = may_desert(position, *id) {
                self.fault(&violation, span.clone());
            }
        }
        (self.errors() == before).then(|| units.into_iter().map(|(id, _)| id).collect())
    }
}
