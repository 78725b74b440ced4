//! Setting up: zones, room, false markers (R21).

use crate::core::diag::Diagnostic;
use crate::geometry::plane::Facing;

use super::super::cite;
use super::super::data::Data;
use super::super::orders::Raw;
use super::super::resolve::{deployment, hidden_at_first};
use super::super::state::{Formation, Order, State, Unit};
use super::super::table::size_of;
use super::super::violation::Violation;
use super::{Checker, DeployOrder, FalseOrder, Legal};

/// How many false markers somebody may place, and for how many hidden units: those of
/// his own commands (R21, ruling `false-markers-shared`).
pub fn most_false(data: &Data, state: &State, own: impl Fn(&str) -> bool) -> (u32, u32) {
    let counts = |u: &&Unit| hidden_at_first(data, u) && own(&u.general);
    let real = state.units.iter().filter(counts).count();
    let real = u32::try_from(real).unwrap_or(0);
    cite("R21");
    (real / data.rulings.real_per_false.max(1), real)
}

impl Checker<'_> {
    pub(super) fn zone_words(&self) -> String {
        let zones = self.data.scenario.zones.iter().filter(|z| z.army == self.army);
        let words: Vec<String> = zones
            .map(|z| format!("{} to {}", self.data.spot(z.from), self.data.spot(z.to)))
            .collect();
        words.join(" or ")
    }

    pub(super) fn deploy(&mut self, raw: &Raw) {
        let before = self.faults.len();
        let own = raw.units.first().and_then(|name| {
            let (_, unit) = self.own(&name.value, &name.span)?;
            Some((unit, name.span.clone()))
        });
        let place = self.point(raw, "at");
        let facing = raw.facing.as_ref().and_then(|n| {
            let facing = n.value.parse::<i64>().ok().and_then(|n| Facing::try_from(n).ok());
            if facing.is_none() {
                let fault =
                    Diagnostic::error(Some(cite("R15")), format!("`{}` is no facing", n.value))
                        .help("write facing = 180: degrees clockwise from 0 to 359, 0 north (the top edge), 90 east, 180 south");
                self.say(fault, &n.span);
            }
            facing
        });
        let formation = raw.formation.as_ref().and_then(|f| match f.value.as_str() {
            "battle" | "line" => Some(Formation::Battle),
            "column" => Some(Formation::Column),
            other => {
                let fault =
                    Diagnostic::error(Some(cite("R15")), format!("`{other}` is no formation"))
                        .help("formations are battle (a line) and column");
                self.say(fault, &f.span);
                None
            }
        });
        let order = raw.order.as_ref().and_then(|o| match o.value.as_str() {
            "HOLD" => Some(Order::Hold),
            "ATTACK" => Some(Order::Attack),
            "MOVE" => Some(Order::Move),
            other => {
                let fault = Diagnostic::error(Some(cite("R8")), format!("`{other}` is no order"))
                    .help("orders are HOLD, ATTACK and MOVE, in capitals");
                self.say(fault, &o.span);
                None
            }
        });
        let Some((unit, name)) = own else { return };
        if let Some(first) = self.plan.deploys.iter().find(|d| d.order.unit == unit.id) {
            let (what, line) = (unit.id.clone(), first.line);
            self.violated(&Violation::Twice { what, line, rule: "R8" }, &name);
        }
        let facing = facing.unwrap_or(unit.facing);
        let formation = formation.unwrap_or(unit.formation);
        let order = order.unwrap_or(unit.order);
        if order == Order::Attack && formation == Formation::Column {
            self.violated(&Violation::AttackInColumn { unit: unit.id.clone() }, &name);
        }
        if order != Order::Hold && unit.troop == super::super::data::Troop::MahdistArtillery {
            self.violated(&Violation::GunsStay { unit: unit.id.clone() }, &name);
        }
        let Some((at, span)) = place else { return };
        let lay = deployment(self.data, unit, at, facing, formation);
        let size = size_of(self.data, unit);
        let spot = self.data.spot(at);
        let zones: Vec<_> =
            self.data.scenario.zones.iter().filter(|z| z.army == self.army).collect();
        for (_, pose) in &lay.bases {
            let shape = pose.corners(&self.data.compass, size);
            if !zones.is_empty() && !zones.iter().any(|z| shape.iter().all(|p| z.has(*p))) {
                let zone = self.zone_words();
                self.violated(&Violation::OutsideZone { unit: unit.id.clone(), spot, zone }, &span);
                return;
            }
            if !self.table.open(&shape) || self.table.on_fence(&shape) {
                let why = "an obstacle or a fence lies there".to_owned();
                self.violated(&Violation::NoRoom { unit: unit.id.clone(), spot, why }, &span);
                return;
            }
        }
        let shapes: Vec<_> =
            lay.bases.iter().map(|(_, p)| p.corners(&self.data.compass, size)).collect();
        for other in &self.plan.deploys {
            let o = &other.order;
            let Some(with) = self.state.unit(&o.unit) else { continue };
            let theirs = deployment(self.data, with, o.at, o.facing, o.formation);
            let their_size = size_of(self.data, with);
            let meets = theirs.bases.iter().any(|(_, p)| {
                let shape = p.corners(&self.data.compass, their_size);
                shapes.iter().any(|s| crate::geometry::plane::overlap(s, &shape, self.data.slack))
            });
            if meets {
                let why = format!("{} of line {} stands there", o.unit, other.line);
                let fault = Violation::NoRoom { unit: unit.id.clone(), spot: spot.clone(), why };
                self.violated(&fault, &span);
                return;
            }
        }
        if self.wrong_since(before) {
            return;
        }
        let order = DeployOrder { unit: unit.id.clone(), at, facing, formation, order };
        self.plan.deploys.push(Legal { order, line: raw.line });
    }

    pub(super) fn false_marker(&mut self, raw: &Raw) {
        let Some((at, span)) = self.point(raw, "at") else { return };
        let mut general = None;
        for g in &self.state.generals {
            if self.commands(&g.id) && raw.general.as_ref().is_none_or(|w| w.value == g.id) {
                general = Some(g.id.clone());
                break;
            }
        }
        let Some(general) = general else {
            let what =
                raw.general.as_ref().map_or("a false marker", |g| g.value.as_str()).to_owned();
            self.violated(
                &Violation::NotYours { what, owner: "another player".to_owned() },
                &raw.span,
            );
            return;
        };
        let zones: Vec<_> =
            self.data.scenario.zones.iter().filter(|z| z.army == self.army).collect();
        if !zones.is_empty() && !zones.iter().any(|z| z.has(at)) {
            let (zone, spot) = (self.zone_words(), self.data.spot(at));
            let unit = "a false marker".to_owned();
            self.violated(&Violation::OutsideZone { unit, spot, zone }, &span);
            return;
        }
        let (most, real) = most_false(self.data, self.state, |general| self.commands(general));
        if self.plan.falses.len() >= usize::try_from(most).unwrap_or(0) {
            let per = self.data.rulings.real_per_false;
            self.violated(&Violation::TooManyFalse { most, real, per }, &raw.span);
            return;
        }
        self.plan.falses.push(Legal { order: FalseOrder { at, general }, line: raw.line });
    }
}
