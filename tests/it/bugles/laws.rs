//! The laws that the rules imply, over one phase after another of a game: written again
//! from the rules text.

#![allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::many_single_char_names,
    clippy::unused_self,
    reason = "an independent method; laws are methods of the book of laws"
)]

use std::collections::BTreeMap;

use despatch::bugles::data::{Army, Cadence, Data, Nation, Troop};
use despatch::bugles::events::{Effect, Event, Exchange};
use despatch::bugles::state::{Condition, Formation, Order, Presence, State, Window};
use despatch::bugles::table::{Table, size_of};
use despatch::geometry::plane::Point;

use super::Counts;

/// One game under the laws.
#[derive(Debug, Default)]
pub struct Laws {
    /// Things that happened, for tests that want them to.
    pub seen: Counts,
}

/// The separating axes of two quadrilaterals in plain numbers, written apart from the
/// engine's: how deep they cut into each other, times the length of the axis.
fn cut(a: &[Point; 4], b: &[Point; 4]) -> f64 {
    let mut least = f64::MAX;
    for shape in [a, b] {
        for i in 0..4 {
            let (p, q) = (shape[i], shape[(i + 1) % 4]);
            let (nx, ny) = ((p.y - q.y) as f64, (q.x - p.x) as f64);
            let length = nx.hypot(ny);
            let range = |s: &[Point; 4]| {
                s.iter()
                    .map(|v| (v.x as f64 * nx + v.y as f64 * ny) / length)
                    .fold((f64::MAX, f64::MIN), |(l, h), n| (l.min(n), h.max(n)))
            };
            let ((a0, a1), (b0, b1)) = (range(a), range(b));
            least = least.min(a1.min(b1) - a0.max(b0));
        }
    }
    least
}

impl Laws {
    fn count(&mut self, what: &str) {
        *self.seen.entry(what.to_owned()).or_default() += 1;
    }

    /// Holds one phase against the laws.
    pub fn phase(
        &mut self,
        data: &Data,
        before: &State,
        events: &[Event],
        after: &State,
        here: &str,
    ) {
        let mut now = before.clone();
        let mut changed: BTreeMap<String, u32> = BTreeMap::new();
        let mut allowed: BTreeMap<String, u32> = BTreeMap::new();
        for event in events {
            self.event(data, &now, event, &mut changed, &mut allowed, here);
            let orders: BTreeMap<String, Order> =
                now.units.iter().map(|u| (u.id.clone(), u.order)).collect();
            let sudden: Vec<(String, usize)> = now
                .units
                .iter()
                .flat_map(|u| {
                    u.bases
                        .iter()
                        .enumerate()
                        .filter(|(_, b)| !b.stands())
                        .map(|(n, _)| (u.id.clone(), n))
                })
                .collect();
            let shown: Vec<String> = now
                .units
                .iter()
                .filter(|u| u.presence == Presence::Table)
                .map(|u| u.id.clone())
                .collect();
            let guns: Vec<(String, Vec<Point>)> = now
                .units
                .iter()
                .filter(|u| u.troop == Troop::MahdistArtillery && u.presence == Presence::Table)
                .map(|u| (u.id.clone(), u.bases.iter().map(|b| b.at).collect()))
                .collect();
            now.apply(data, event);
            // R8: an order changes by a general, by R12, or when a unit is set up.
            for (id, order) in orders {
                let to = now.unit(&id).map(|u| u.order);
                if to == Some(order) {
                    continue;
                }
                let lawful = matches!(
                    event,
                    Event::Ordered { .. } | Event::Flipped { .. } | Event::Deployed { .. }
                );
                assert!(lawful, "{here}: {id} changes its order by {event:?}");
            }
            for (id, n) in sudden {
                assert!(!now.unit(&id).unwrap().bases[n].stands(), "{here}: {id} {n} rises again");
            }
            let in_setup = matches!(before.window, Window::Deploy | Window::Muster);
            for id in shown {
                let presence = &now.unit(&id).unwrap().presence;
                let storm = matches!(event, Event::Veiled { unit, .. } if *unit == id);
                assert!(
                    in_setup || storm || *presence == Presence::Table,
                    "{here}: {id} hides again"
                );
            }
            for (id, places) in guns {
                let unit = now.unit(&id).unwrap();
                let pushed = matches!(event, Event::Suppressed { .. } | Event::Pushed { .. });
                let moved = unit.bases.iter().zip(&places).any(|(b, p)| b.at != *p);
                assert!(!moved || pushed || in_setup, "{here}: the guns {id} move by {event:?}");
            }
        }
        assert_eq!(now, *after, "{here}: the fold of the events is the state after");
        self.lie(data, after, here);
        for unit in &after.units {
            assert!(unit.order != Order::Unseen, "{here}: {} has no order", unit.id);
            let column = unit.order == Order::Attack && unit.formation == Formation::Column;
            assert!(!column, "{here}: {} attacks in column", unit.id);
        }
        self.no_move_near_enemies(data, before, after, here);
    }

    /// R12: nobody has MOVE within 12 inches of a visible enemy.
    fn no_move_near_enemies(&self, data: &Data, before: &State, after: &State, here: &str) {
        // Where step 1 stands alone, an order may be given that the next step takes back.
        let alone = before.window == Window::Orders && data.cadence == Cadence::Strict;
        if before.window == Window::Muster || alone || after.result.is_some() {
            return;
        }
        // Steps 2 and 5 end with this; combat may then push somebody a base nearer.
        let table = Table::new(data, after);
        for (n, unit) in after.units.iter().enumerate() {
            if unit.order == Order::Move && unit.on_table() {
                let gap = table.unit_gap(n).unwrap_or(i64::MAX);
                assert!(gap > 1200 - 400, "{here}: {} has MOVE at {gap}", unit.id);
            }
        }
    }

    /// Bases never lie on one another, nor off the table.
    fn lie(&mut self, data: &Data, after: &State, here: &str) {
        let table = Table::new(data, after);
        for (i, a) in table.bodies.iter().enumerate() {
            for p in a.shape {
                assert!(data.scenario.on_table(p), "{here}: {} is off the table", table.name(a));
            }
            for b in &table.bodies[..i] {
                if a.pose.at.square_to(b.pose.at) > 400 * 400 {
                    continue;
                }
                let depth = cut(&a.shape, &b.shape);
                assert!(
                    depth <= 4.0,
                    "{here}: {} lies on {} by {depth}",
                    table.name(a),
                    table.name(b)
                );
            }
        }
    }

    fn event(
        &mut self,
        data: &Data,
        now: &State,
        event: &Event,
        changed: &mut BTreeMap<String, u32>,
        allowed: &mut BTreeMap<String, u32>,
        here: &str,
    ) {
        match event {
            Event::Allowance { general, faces, total, .. } => {
                assert!(
                    faces.iter().all(|f| (2..=5).contains(f)),
                    "{here}: average dice {faces:?}"
                );
                assert!(*total <= 5, "{here}");
                allowed.insert(general.clone(), *total);
            }
            Event::Ordered { unit, general, to, distance, die, needed, obeyed, .. } => {
                let unit = now.unit(unit).unwrap();
                assert_eq!(unit.general, *general, "{here}: his own units only");
                let n = changed.entry(general.clone()).or_default();
                *n += 1;
                assert!(*n <= allowed[general], "{here}: {general} changes too many orders");
                let reach = if unit.army() == Army::Mahdist { 800 } else { 1200 };
                let needs = match unit.troop.nation() {
                    Nation::British => 3,
                    Nation::Mahdist => 5,
                    _ => 4,
                };
                let far = *distance > reach;
                assert_eq!(*needed, if far { needs } else { 0 }, "{here}: {}", unit.id);
                assert_eq!(*obeyed, !far || *die >= needs, "{here}: {}", unit.id);
                assert!(*to != Order::Attack || unit.formation == Formation::Battle, "{here}");
                self.count(if *obeyed { "obeyed" } else { "disobeyed" });
            }
            Event::Flipped { from, to, .. } => {
                assert_eq!((*from, *to), (Order::Move, Order::Hold), "{here}: R12");
                self.count("MOVE to HOLD");
            }
            Event::Moved { unit, lay, spent, rate, formed, way, .. } => {
                let u = now.unit(unit).unwrap();
                assert!(spent <= rate, "{here}: {unit} spends {spent} of {rate}");
                let troop = data.troop(u.troop);
                let (line, column) =
                    if u.dismounted { (300, 500) } else { (troop.line, troop.column) };
                let most = match u.formation {
                    Formation::Battle => line,
                    Formation::Column => column.max(troop.march.unwrap_or(0)),
                };
                assert!(*rate <= most, "{here}: {unit} has a rate of {rate}");
                // A base goes no further than the move, the slide of a charge, and what
                // a wheel swings its end by; a veer is the storm's.
                let veers = way.iter().any(|w| w.starts_with("veers"));
                let charges = way.iter().any(|w| w.starts_with("charges"));
                let slide = if charges { 900 } else { 0 };
                let about = way.iter().any(|w| w.starts_with("about"));
                for (n, pose) in &lay.bases {
                    let gone = u.bases[*n].at.distance(pose.at);
                    let hidden = u.presence != Presence::Table;
                    let regrouped = *formed || veers || about || hidden;
                    assert!(
                        regrouped || gone <= spent + slide + 330,
                        "{here}: {unit} base {n} goes {gone} for {spent}: {way:?}"
                    );
                }
                if *formed {
                    assert_eq!(u.order, Order::Hold, "{here}: R16: {unit} forms on HOLD");
                    self.count("formed");
                }
                if charges {
                    self.count("charge");
                    let lawful = matches!(u.order, Order::Attack | Order::Hold);
                    assert!(lawful, "{here}: {unit} charges with {:?}", u.order);
                }
                if u.order == Order::Hold && !*formed && !charges && !veers && !hidden_units(u) {
                    // On HOLD one turns, or regains contact; one does not go anywhere.
                    // Its front may be taken to be further back, where fire drove it.
                    let back = data.compass.local(u.anchor, u.facing, lay.anchor);
                    let stays = back.0.abs() <= 2 && back.1 <= 0 || about;
                    assert!(stays, "{here}: {unit} moves on HOLD: {way:?}");
                }
                if *spent > column && u.formation == Formation::Column {
                    self.count("march");
                    let table = Table::new(data, now);
                    let index = now.units.iter().position(|x| x.id == *unit).unwrap();
                    let gap = if u.on_table() {
                        table.unit_gap(index)
                    } else {
                        table.nearest_of(Army::AngloEgyptian, u.anchor).map(|(d, _)| d)
                    };
                    assert!(
                        gap.is_none_or(|g| g > 1900),
                        "{here}: R18: {unit} marches {gap:?} from an enemy"
                    );
                }
                if u.bases.iter().any(|b| b.condition == Condition::Suppressed) {
                    self.count("moves with suppressed");
                }
                if way.iter().any(|w| w.starts_with("regains")) {
                    self.count("regains contact");
                }
                if way.iter().any(|w| w.starts_with("retire")) {
                    assert_eq!(u.formation, Formation::Battle, "{here}: R17");
                    self.count("retires");
                }
            }
            Event::MarkerMoved { spent, marker, .. } => {
                let m = now.marker(marker).unwrap();
                assert!(*spent <= 1000, "{here}: {marker} moves {spent}");
                if m.under_fire {
                    assert!(*spent <= 300, "{here}: R22: {marker} moves {spent} under fire");
                    self.count("marker under fire moves");
                }
                self.count("marker moves");
            }
            Event::Shot { exchange } => {
                self.exchange(data, now, exchange, true, here);
                self.count("shot");
            }
            Event::Fought { exchange } => {
                self.exchange(data, now, exchange, false, here);
                self.count("combat");
            }
            Event::MarkerShot { exchange, .. } => {
                assert_eq!(exchange.defender.value, 3, "{here}: R22");
                self.count("marker shot");
            }
            Event::Revealed { behind, noted, .. } => {
                self.count(if behind.is_empty() { "false marker" } else { "revealed" });
                if *noted > 0 {
                    self.count("noted");
                }
            }
            Event::Suppressed { base, .. } => {
                let (unit, n) = now.base(base).unwrap();
                assert!(unit.bases[n].stands(), "{here}: {base} is suppressed when lost");
                let lawful =
                    unit.army() == Army::AngloEgyptian || unit.troop == Troop::MahdistArtillery;
                assert!(lawful, "{here}: R26: {base} is suppressed");
                self.count("suppressed");
            }
            Event::Pushed { base, pose, why } => {
                let (unit, n) = now.base(base).unwrap();
                if why == "recoils" {
                    let way = unit.bases[n].at.distance(pose.at);
                    let depth = size_of(data, unit).depth;
                    assert!((way - depth).abs() <= 2, "{here}: R28: {base} recoils {way}");
                    self.count("recoil");
                } else if why.starts_with("pushed") {
                    self.count("pushed");
                } else {
                    self.count("rejoins");
                }
            }
            Event::Destroyed { base, why, .. } => {
                let (unit, n) = now.base(base).unwrap();
                assert!(unit.bases[n].stands(), "{here}: {base} dies twice");
                self.count(if why.starts_with("it cannot recoil") {
                    "blocked recoil"
                } else if why.starts_with("it backed") {
                    "support lost"
                } else {
                    "destroyed"
                });
            }
            Event::GeneralMoved { general, to, .. } => {
                let g = now.general(general).unwrap();
                let way = g.at.distance(*to);
                let setup = now.window == Window::Deploy;
                assert!(setup || way <= 800, "{here}: {general} moves {way}");
            }
            Event::GeneralLost { .. } => self.count("general lost"),
            Event::StormBegan { storm, .. } => {
                self.count("storm");
                assert!((200..=1200).contains(&storm.sight), "{here}: R31");
            }
            Event::Veered { degrees, .. } => {
                assert!([-45, 0, 45].contains(degrees), "{here}: R31");
                self.count("veered");
            }
            Event::Veiled { .. } => self.count("veiled"),
            Event::Halted { .. } => self.count("halted"),
            _ => {}
        }
    }

    /// The arithmetic of R23 to R27, done again.
    fn exchange(&mut self, data: &Data, now: &State, x: &Exchange, fire: bool, here: &str) {
        for score in [&x.attacker, &x.defender] {
            let by: i64 = score.modifiers.iter().map(|m| m.by).sum();
            assert!((1..=6).contains(&score.die), "{here}");
            assert_eq!(score.total, i64::from(score.die) + score.value + by, "{here}: {score:?}");
        }
        let (unit, n) = now.base(&x.defender.base).unwrap();
        assert!(unit.bases[n].stands(), "{here}: {} is fired at when lost", x.defender.base);
        let (firer, f) = now.base(&x.attacker.base).unwrap();
        assert!(
            !fire || firer.bases[f].condition == Condition::Sound,
            "{here}: suppressed bases do not fire: {x:?}"
        );
        assert_ne!(firer.army(), unit.army(), "{here}");
        let (a, b) = (x.attacker.total, x.defender.total);
        let half = data.rulings.half_destroys;
        let kills = |won: i64, lost: i64| 2 * lost < won || half && 2 * lost == won;
        if fire {
            assert!(x.on_defender);
            if a <= b {
                assert_eq!(x.effect, Effect::Nothing, "{here}: {x:?}");
            } else if kills(a, b) {
                assert_eq!(x.effect, Effect::Destroyed, "{here}: {x:?}");
            } else {
                let mounted = matches!(unit.troop, Troop::BritishCavalry | Troop::EgyptianCavalry)
                    && !unit.dismounted;
                let recoils =
                    mounted || matches!(unit.troop, Troop::MahdistInfantry | Troop::MahdistCavalry);
                let want = if recoils { Effect::Recoil } else { Effect::Suppressed };
                assert_eq!(x.effect, want, "{here}: {x:?}");
            }
            assert!(x.range <= 2000, "{here}");
            return;
        }
        assert_eq!(firer.army(), Army::AngloEgyptian, "{here}: the regular stands first");
        if a == b {
            assert_eq!(x.effect, Effect::Nothing, "{here}: {x:?}");
            self.count("equal");
            return;
        }
        assert_eq!(x.on_defender, b < a, "{here}");
        if kills(a.max(b), a.min(b)) || a < b {
            assert_eq!(x.effect, Effect::Destroyed, "{here}: {x:?}");
        }
        if unit.troop == Troop::MahdistArtillery && b < a {
            assert_eq!(x.effect, Effect::Destroyed, "{here}: {x:?}");
        }
    }
}

/// A unit under a marker that comes up is laid out anew.
fn hidden_units(unit: &despatch::bugles::state::Unit) -> bool {
    unit.presence != Presence::Table
}
