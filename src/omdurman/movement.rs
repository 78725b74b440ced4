//! Movement (5.0): what a step costs, whether a path is legal, what can be reached.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::geometry::hex::{Dir, Hex, Side};

use super::board::{Terrain, Works};
use super::cite::cite;
use super::data::{Army, Kind, UnitId};
use super::position::Position;
use super::state::Place;
use super::violation::Violation;

/// The cost of one step with what makes it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Movement points.
    pub mp: u32,
    /// `clear 1`, `gate 1`: what they are paid for.
    pub parts: Vec<(&'static str, u32)>,
    /// Against the current (gunboats).
    pub upstream: bool,
}

/// A legal path with its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The hexes; the first is where the unit stood, or its entry hex.
    pub path: Vec<Hex>,
    /// Movement points spent.
    pub cost: u32,
    /// Movement points it had for this path.
    pub allowance: u32,
    /// The steps, one fewer than hexes (as many, for an entry).
    pub steps: Vec<Step>,
}

/// A path that is not legal: the step that breaks a rule, from 0, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadStep {
    /// Index into the path.
    pub index: usize,
    /// The rule.
    pub violation: Violation,
}

/// A hex in reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Movement points to it by the cheapest path.
    pub cost: u32,
    /// The cheapest path (ties: fewer hexes, then lower hex ids).
    pub path: Vec<Hex>,
    /// The enemy in whose zone of control it lies: the unit must stop there.
    pub stops: Option<UnitId>,
}

impl Position<'_> {
    /// The movement allowances of a unit this turn, against and with the current
    /// (equal for land units); halved at night for Anglo-Egyptians (8.1.A).
    pub fn allowances(&self, id: UnitId) -> (u32, u32) {
        let unit = self.data.unit(id);
        // Printed anew each turn: points are neither saved nor lent nor kept.
        cite("5.1.3.A");
        cite("5.1.3.B");
        let (up, down) = (unit.ma, unit.down);
        if unit.army == Army::AngloEgyptian && self.data.night(self.state.turn) {
            cite("8.1.A");
            (up / 2, down / 2)
        } else {
            (up, down)
        }
    }

    /// Whether a unit may move at all this window.
    pub fn may_move(&self, id: UnitId) -> Result<(), Violation> {
        let unit = self.data.unit(id);
        let name = unit.id.clone();
        if Some(id) == self.data.scenario.gordon_id() {
            return Violation::Immobile {
                unit: name,
                why: "General Gordon stays in the Palace",
                rule: "9.3.4.F",
            }
            .bar();
        }
        if unit.kind == Kind::Fort {
            return Violation::Immobile { unit: name, why: "forts never move", rule: "5.2.5" }
                .bar();
        }
        if self.state.damaged.contains(&id) {
            return Violation::Immobile {
                unit: name,
                why: "its engines are lost: it drifts",
                rule: "10.1.D",
            }
            .bar();
        }
        if self.state.disrupted(id) {
            return Violation::Disrupted { unit: name, what: "move" }.bar();
        }
        Ok(())
    }

    /// Whether a unit may be in a hex of the walled city (5.2.3).
    pub(super) fn may_enter_city(&self, id: UnitId, to: Hex) -> Result<(), Violation> {
        let board = &self.data.board;
        if !board.city_closed || !board.inside(to) {
            return Ok(());
        }
        let unit = self.data.unit(id);
        let (open, rule) = match unit.army {
            Army::AngloEgyptian => (!unit.friendlies, "5.2.3.B"),
            Army::Dervish => (
                // The Khalifa, the guns and his bodyguard: the black counters.
                unit.kind == Kind::Fort || unit.colour.as_deref() == Some("black"),
                "5.2.3.A",
            ),
        };
        cite(rule);
        if open {
            Ok(())
        } else if unit.friendlies {
            cite("6.5.2.B");
            Violation::ClosedCity { unit: unit.id.clone(), hex: to, rule }.bar()
        } else {
            Violation::ClosedCity { unit: unit.id.clone(), hex: to, rule }.bar()
        }
    }

    /// The hexes of the chain, if it is there and the holder of this view knows it.
    pub fn chain(&self) -> Vec<Hex> {
        self.state.river.chain().unwrap_or_default()
    }

    /// Whether a gunboat may leave a chained hex for another (10.2.C, D): back to the
    /// water that it came from, and nowhere else.
    fn may_leave_chain(&self, id: UnitId, from: Hex, to: Hex) -> Result<(), Violation> {
        let chain = self.chain();
        if !chain.contains(&from) {
            return Ok(());
        }
        let back = match self.state.chained.get(&id) {
            Some(came) => !chain.contains(&to) && self.same_water(*came, to, &chain),
            None => !chain.contains(&to),
        };
        if back {
            Ok(())
        } else {
            Violation::AcrossChain { unit: self.data.unit(id).id.clone(), hex: to }.bar()
        }
    }

    /// True if two Nile hexes are joined by water without passing the chain.
    fn same_water(&self, a: Hex, b: Hex, chain: &[Hex]) -> bool {
        let board = &self.data.board;
        let mut seen = std::collections::BTreeSet::from([a]);
        let mut queue = vec![a];
        while let Some(hex) = queue.pop() {
            if hex == b {
                return true;
            }
            for (_, next) in board.neighbours(hex) {
                if board.terrain(next) == Terrain::Nile
                    && !chain.contains(&next)
                    && seen.insert(next)
                {
                    queue.push(next);
                }
            }
        }
        false
    }

    /// Whether a unit may stand in, or pass through, a hex (not how it got there).
    pub fn may_enter(&self, id: UnitId, to: Hex) -> Result<(), Violation> {
        let unit = self.data.unit(id);
        let nile = self.data.board.terrain(to) == Terrain::Nile;
        if unit.kind.is_gunboat() && !nile {
            return Violation::OutOfTheNile { unit: unit.id.clone(), hex: to }.bar();
        }
        if !unit.kind.is_gunboat() && nile {
            return Violation::IntoTheNile { unit: unit.id.clone(), hex: to }.bar();
        }
        let enemy = self.of(unit.army.enemy(), to).find(|o| self.data.unit(*o).kind != Kind::Staff);
        match enemy {
            Some(fort)
                if self.data.unit(fort).kind == Kind::Fort
                    && !self.has_body(unit.army.enemy(), to) =>
            {
                Violation::EnemyFort { hex: to, fort: self.data.unit(fort).id.clone() }.bar()
            }
            Some(other) => {
                Violation::EnemyThere { hex: to, enemy: self.data.unit(other).id.clone() }.bar()
            }
            None => {
                self.may_enter_city(id, to)?;
                // Every hex can be played: of the small map the halves at the edges too.
                if self.data.scenario.gordon.is_some() {
                    cite("9.3.1");
                    cite("9.3.4.B");
                } else {
                    cite("2.1.C");
                }
                if self.of(unit.army, to).next().is_some() {
                    cite("5.5.1.D");
                }
                if self.fort(to).is_some() {
                    cite("6.5.4.E");
                }
                Ok(())
            }
        }
    }

    /// The cost of entering a hex from nowhere: the entry's own, or the terrain's
    /// (9.1.1.2, 9.1.1.3, 9.3.2.2).
    pub fn entry_step(&self, id: UnitId, to: Hex) -> Result<Step, Violation> {
        self.may_enter(id, to)?;
        // Who goes ashore pays the terrain (5.2.1.B), who enters what his entry says.
        let waits = self.state.unit(id).place == Place::Waiting;
        let entry = self.data.scenario.entry(id).filter(|_| waits);
        let terrain = self.data.board.terrain(to);
        let (mp, word) = match entry.and_then(|e| e.mp) {
            Some(mp) => (mp, "entry"),
            None => (self.data.charts.terrain(terrain).mp, terrain.name()),
        };
        if let Some(entry) = entry {
            cite(entry.rule);
        }
        Ok(Step { mp, parts: vec![(word, mp)], upstream: false })
    }

    /// What a step from a hex to an adjacent one costs, or why it may not be taken.
    pub fn step(&self, id: UnitId, from: Hex, to: Hex) -> Result<Step, Violation> {
        let unit = self.data.unit(id);
        let board = &self.data.board;
        let charts = &self.data.charts;
        if unit.kind.is_gunboat()
            && let Some(step) = self.transfer(from, to)
        {
            self.may_enter(id, to)?;
            return Ok(step);
        }
        let Some(dir) = from.direction_to(to).filter(|_| board.has(to)) else {
            return Violation::NotAdjacent { from, to }.bar();
        };
        if unit.kind.is_gunboat() {
            self.may_enter(id, to)?;
            self.may_leave_chain(id, from, to)?;
            cite("5.2.2.B");
            let mp = charts.terrain(Terrain::Nile).mp;
            let upstream = self.upstream(from, dir);
            let word = if upstream { "upstream" } else { "downstream" };
            return Ok(Step { mp, parts: vec![(word, mp)], upstream });
        }
        let side = Side::new(from, dir);
        let edge = board.edge(from, dir);
        if self.wall(side) {
            return Violation::Wall { side }.bar();
        }
        let works = self.works(side);
        if let Some(works @ (Works::Thorn | Works::Trench)) = works {
            return Violation::Zariba { side, works: works.name(), rule: "9.2.3.3" }.bar();
        }
        self.may_enter(id, to)?;
        cite("5.1.1");
        let mut parts = Vec::new();
        let terrain = board.terrain(to);
        if edge.road {
            parts.push(("road", charts.road_mp));
        } else {
            parts.push((terrain.name(), charts.terrain(terrain).mp));
            if edge.khor {
                parts.push(("khor", charts.khor.mp));
            }
            if edge.crest {
                parts.push(("crest", charts.crest.mp));
            }
        }
        if edge.gate && (!edge.road || self.data.rulings.gate_adds_on_road) {
            cite("5.2.3.C");
            parts.push(("gate", charts.gate.mp));
        }
        if self.breach(side) {
            cite("5.2.3.C");
            parts.push(("breach", charts.breach.mp));
        }
        if works == Some(Works::End) {
            cite("9.2.3.3");
            parts.push(("end of the Zariba", charts.zariba.end_mp));
        }
        Ok(Step { mp: parts.iter().map(|p| p.1).sum(), parts, upstream: false })
    }

    /// What a step costs over the ground alone, whoever stands there; `None` where this
    /// unit could never go.
    pub fn ground_cost(&self, id: UnitId, from: Hex, to: Hex) -> Option<u32> {
        let dir = from.direction_to(to).filter(|_| self.data.board.has(to))?;
        self.cost_to(id, from, dir, to)
    }

    fn cost_to(&self, id: UnitId, from: Hex, dir: Dir, to: Hex) -> Option<u32> {
        let board = &self.data.board;
        let charts = &self.data.charts;
        let boat = self.data.unit(id).kind.is_gunboat();
        if (board.terrain(to) == Terrain::Nile) != boat {
            cite(if boat { "5.2.2.B" } else { "5.2.2.A" });
            return None;
        }
        if boat {
            return Some(charts.terrain(Terrain::Nile).mp);
        }
        let edge = board.edge(from, dir);
        let built = edge.wall || edge.zariba.is_some();
        let side = built.then(|| Side::new(from, dir));
        let works = side.and_then(|s| self.works(s));
        if side.is_some_and(|s| self.wall(s)) {
            cite("5.2.3.C");
            return None;
        }
        if matches!(works, Some(Works::Thorn | Works::Trench)) {
            cite("9.2.3.3");
            return None;
        }
        if self.may_enter_city(id, to).is_err() {
            return None;
        }
        let ground = if edge.road {
            charts.road_mp
        } else {
            let khor = if edge.khor { charts.khor.mp } else { 0 };
            let crest = if edge.crest { charts.crest.mp } else { 0 };
            charts.terrain(board.terrain(to)).mp + khor + crest
        };
        let gate = edge.gate && (!edge.road || self.data.rulings.gate_adds_on_road);
        let extra = if gate { charts.gate.mp } else { 0 }
            + if side.is_some_and(|s| self.breach(s)) { charts.breach.mp } else { 0 }
            + if works == Some(Works::End) { charts.zariba.end_mp } else { 0 };
        Some(ground + extra)
    }

    /// True if a step of a gunboat goes against the current of the hex it leaves.
    pub fn upstream(&self, from: Hex, dir: Dir) -> bool {
        cite("5.2.4.A");
        self.data.board.flow(from).is_some_and(|flow| flow.turns(dir) > 1)
    }

    /// The passage off the map between the White Nile and the Blue (9.3.4.E).
    fn transfer(&self, from: Hex, to: Hex) -> Option<Step> {
        let (white, blue) = &self.data.board.mouths;
        let joins = (white.contains(&from) && blue.contains(&to))
            || (blue.contains(&from) && white.contains(&to));
        joins.then(|| {
            cite("9.3.4.E");
            Step { mp: 6, parts: vec![("White to Blue Nile", 6)], upstream: true }
        })
    }

    /// What limits a unit's movement, in words, and by which rule; `capped` where it
    /// is the smaller allowance of a gunboat that went upstream.
    pub fn limit(&self, id: UnitId, capped: bool) -> (&'static str, &'static str) {
        let night =
            self.data.unit(id).army == Army::AngloEgyptian && self.data.night(self.state.turn);
        match (capped, night) {
            (true, true) => (" when it goes upstream at night", "5.2.4.B"),
            (true, false) => (" when it goes upstream", "5.2.4.B"),
            (false, true) => (" at night", "8.1.A"),
            (false, false) => ("", "5.1.1"),
        }
    }

    /// The enemy in whose zone of control a unit would be in a hex.
    pub fn held_in(&self, id: UnitId, hex: Hex) -> Option<UnitId> {
        let unit = self.data.unit(id);
        if unit.kind.is_gunboat() {
            self.in_gunboat_zone(unit.army, hex)
        } else {
            self.in_zone(unit.army, hex)
        }
    }

    /// Walks a path hex by hex. `entering` pays for the first hex; else the first
    /// hex is where the unit stands.
    ///
    /// # Errors
    /// The first step that breaks a rule.
    pub fn walk(&self, id: UnitId, path: &[Hex], entering: bool) -> Result<Walk, BadStep> {
        let bad = |index: usize, violation: Violation| BadStep { index, violation };
        let (up, down) = self.allowances(id);
        let mut walk = Walk { path: path.to_vec(), cost: 0, allowance: down, steps: Vec::new() };
        let mut held: Option<(Hex, UnitId)> = None;
        let chain = if self.data.unit(id).kind.is_gunboat() { self.chain() } else { Vec::new() };
        for (index, to) in path.iter().enumerate() {
            let step = if index == 0 {
                if !entering {
                    continue;
                }
                self.entry_step(id, *to).map_err(|v| bad(index, v))?
            } else {
                if let Some((hex, enemy)) = held {
                    return Err(bad(
                        index,
                        Violation::MustStop {
                            unit: self.data.unit(id).id.clone(),
                            hex,
                            enemy: self.data.unit(enemy).id.clone(),
                            next: *to,
                        },
                    ));
                }
                if index > 1 && chain.contains(&path[index - 1]) {
                    let unit = self.data.unit(id).id.clone();
                    let stop = Violation::StopAtChain { unit, hex: path[index - 1] };
                    stop.rule();
                    return Err(bad(index, stop));
                }
                self.step(id, path[index - 1], *to).map_err(|v| bad(index, v))?
            };
            if step.upstream {
                // 5.2.4.B: one hex upstream, and the upstream allowance is the limit.
                cite("5.2.4.B");
                walk.allowance = up;
            }
            walk.cost += step.mp;
            walk.steps.push(step);
            if walk.cost > walk.allowance {
                let capped = walk.allowance < down && walk.cost <= down;
                let (why, rule) = self.limit(id, capped);
                let unit = self.data.unit(id).id.clone();
                let (cost, allowance) = (walk.cost, walk.allowance);
                let short = Violation::TooFar { unit, hex: *to, cost, allowance, why, rule };
                return Err(bad(index, short));
            }
            if let Some(enemy) = self.held_in(id, *to) {
                for rule in ["5.2.6", "5.4.C", "5.4.D"] {
                    cite(rule);
                }
                held = Some((*to, enemy));
            }
        }
        Ok(walk)
    }

    /// Every hex that a unit can reach from where it stands.
    pub fn reach(&self, id: UnitId) -> Rc<BTreeMap<Hex, Reached>> {
        match self.state.hex(id) {
            Some(from) => self.reach_from(id, vec![(from, 0)]),
            None => Rc::default(),
        }
    }

    /// What units that are alike can reach is found once. Gunboats are never alike:
    /// the chain holds each on its own side.
    fn reach_from(&self, id: UnitId, starts: Vec<(Hex, u32)>) -> Rc<BTreeMap<Hex, Reached>> {
        let unit = self.data.unit(id);
        if unit.kind.is_gunboat() {
            return Rc::new(self.search(id, &starts));
        }
        let key = (unit.line.clone(), unit.colour.clone(), starts);
        if let Some(found) = self.index.reach.borrow().get(&key) {
            return Rc::clone(found);
        }
        let found = Rc::new(self.search(id, &key.2));
        self.index.reach.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    /// Every hex that an entering unit can reach through the given entry hexes.
    pub fn reach_entering(
        &self,
        id: UnitId,
        entries: impl Iterator<Item = Hex>,
    ) -> Rc<BTreeMap<Hex, Reached>> {
        let (_, allowance) = self.allowances(id);
        let starts: Vec<(Hex, u32)> = entries
            .filter_map(|hex| Some((hex, self.entry_step(id, hex).ok()?.mp)))
            .filter(|(_, mp)| *mp <= allowance)
            .collect();
        let mut found = self.reach_from(id, starts.clone());
        for (hex, cost) in starts.into_iter().filter(|(_, mp)| *mp == 0) {
            // The search leaves out where it begins for nothing.
            Rc::make_mut(&mut found).entry(hex).or_insert_with(|| Reached {
                cost,
                path: vec![hex],
                stops: self.held_in(id, hex),
            });
        }
        found
    }

    fn search(&self, id: UnitId, starts: &[(Hex, u32)]) -> BTreeMap<Hex, Reached> {
        let (up, down) = self.allowances(id);
        let mut best = self.spread(id, starts, down, !self.data.unit(id).kind.is_gunboat());
        if self.data.unit(id).kind.is_gunboat() {
            // With the current alone on the large allowance, else any way on the small.
            for (hex, found) in self.spread(id, starts, up, true) {
                let entry = best.entry(hex).or_insert_with(|| found.clone());
                if found.cost < entry.cost {
                    *entry = found;
                }
            }
        }
        for (hex, cost) in starts {
            if *cost == 0 {
                best.remove(hex);
            }
        }
        best
    }

    /// Cheapest ways from the starts, hex by hex in order of cost (points are few, so
    /// a bucket for each cost serves as the queue).
    fn spread(
        &self,
        id: UnitId,
        starts: &[(Hex, u32)],
        allowance: u32,
        upstream: bool,
    ) -> BTreeMap<Hex, Reached> {
        let board = &self.data.board;
        let boat = self.data.unit(id).kind.is_gunboat();
        let chain = if boat { self.chain() } else { Vec::new() };
        let mut best: Vec<Option<u32>> = vec![None; board.grid.len()];
        let mut before: Vec<Option<Hex>> = vec![None; board.grid.len()];
        let mut buckets: Vec<Vec<Hex>> = vec![Vec::new(); allowance as usize + 1];
        for (hex, cost) in starts.iter().filter(|s| s.1 <= allowance) {
            let seen = &mut best[board.grid.index(*hex)];
            if seen.is_none_or(|old| *cost < old) {
                *seen = Some(*cost);
                buckets[*cost as usize].push(*hex);
            }
        }
        let mut found: Vec<(Hex, Reached)> = Vec::new();
        let mut done = vec![false; board.grid.len()];
        for cost in 0..=allowance {
            let mut at = 0;
            while let Some(here) = buckets[cost as usize].get(at).copied() {
                at += 1;
                let index = board.grid.index(here);
                if done[index] || best[index] != Some(cost) {
                    continue;
                }
                done[index] = true;
                let mut path = vec![here];
                while let Some(hex) = path.last().and_then(|h| before[board.grid.index(*h)]) {
                    path.push(hex);
                }
                path.reverse();
                // A unit that begins in a zone of control may leave it (5.4.D).
                let begins = path.len() == 1 && cost == 0;
                let stops = if begins { None } else { self.held_in(id, here) };
                found.push((here, Reached { cost, path, stops }));
                if stops.is_some() || (!begins && chain.contains(&here)) {
                    continue;
                }
                let (white, blue) = &board.mouths;
                let beyond: &[Hex] = match boat {
                    true if white.contains(&here) => blue,
                    true if blue.contains(&here) => white,
                    _ => &[],
                };
                let next = board.neighbours(here).map(|(dir, hex)| (Some(dir), hex));
                for (dir, to) in next.chain(beyond.iter().map(|hex| (None, *hex))) {
                    let Some((mp, against)) = self.step_cost(id, here, dir, to) else { continue };
                    let there = cost + mp;
                    if (against && !upstream) || there > allowance {
                        continue;
                    }
                    let seen = &mut best[board.grid.index(to)];
                    if seen.is_none_or(|old| there < old) {
                        *seen = Some(there);
                        before[board.grid.index(to)] = Some(here);
                        buckets[there as usize].push(to);
                    }
                }
            }
        }
        found.into_iter().collect()
    }

    /// The points of a step, and whether it goes against the current; nothing where it
    /// may not be taken. [`Position::step`] says why, and what is paid for.
    fn step_cost(&self, id: UnitId, from: Hex, dir: Option<Dir>, to: Hex) -> Option<(u32, bool)> {
        let unit = self.data.unit(id);
        let land = dir.filter(|_| !unit.kind.is_gunboat());
        let Some(dir) = land else {
            let step = self.step(id, from, to).ok()?;
            return Some((step.mp, step.upstream));
        };
        let enemy = |o: &UnitId| {
            let other = self.data.unit(*o);
            other.army != unit.army && other.kind != Kind::Staff
        };
        if let Some(other) = self.at(to).iter().find(|o| enemy(o)) {
            let fort = self.data.unit(*other).kind == Kind::Fort;
            let empty = fort && !self.has_body(unit.army.enemy(), to);
            cite(if empty { "6.5.4.D" } else { "5.1.2" });
            return None;
        }
        Some((self.cost_to(id, from, dir, to)?, false))
    }
}
