//! Orders for many units at once: everybody as near as the points allow to a goal, or
//! to where a leader ends. The paths are found, the cheapest first, and shown.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use crate::core::diag::Diagnostic;
use crate::geometry::hex::Hex;

use super::super::board::Terrain;
use super::super::cite::cite;
use super::super::data::{Kind, UnitId};
use super::super::movement::{Reached, Walk};
use super::super::orders::Raw;
use super::super::position::Position;
use super::super::violation::Violation;
use super::moves::{Route, entry_hexes, landing_hexes, may_enter_now, over_schedule};
use super::{Checker, Manner, MoveOrder};

/// Movement points from every hex to a goal over the ground alone: no enemies, no
/// zones of control, no limits of stacking. What cannot be reached is absent.
pub(super) fn way_to(position: &Position<'_>, id: UnitId, goal: Hex) -> BTreeMap<Hex, u32> {
    let board = &position.data.board;
    let boat = position.data.unit(id).kind.is_gunboat();
    let mut best: BTreeMap<Hex, u32> = BTreeMap::from([(goal, 0)]);
    let mut buckets: BTreeMap<u32, Vec<Hex>> = BTreeMap::from([(0, vec![goal])]);
    while let Some((cost, hexes)) = buckets.pop_first() {
        for hex in hexes {
            if best.get(&hex) != Some(&cost) {
                continue;
            }
            for (_, from) in board.neighbours(hex) {
                if (board.terrain(from) == Terrain::Nile) != boat {
                    continue;
                }
                let Some(mp) = position.ground_cost(id, from, hex) else { continue };
                let there = cost + mp;
                if best.get(&from).is_none_or(|old| there < *old) {
                    best.insert(from, there);
                    buckets.entry(there).or_default().push(from);
                }
            }
        }
    }
    best
}

/// The ways to one goal. Who may walk where depends on army, boat or not, and colour
/// (5.2.3): they are found once for all who are alike in these.
struct Ways<'a> {
    position: &'a Position<'a>,
    goal: Hex,
    known: BTreeMap<(bool, bool, Option<String>), BTreeMap<Hex, u32>>,
}

impl<'a> Ways<'a> {
    fn new(position: &'a Position<'a>, goal: Hex) -> Self {
        Self { position, goal, known: BTreeMap::new() }
    }

    /// Movement points from every hex for a unit.
    fn of(&mut self, id: UnitId) -> &BTreeMap<Hex, u32> {
        let unit = self.position.data.unit(id);
        let key = (unit.kind.is_gunboat(), unit.friendlies, unit.colour.clone());
        self.known.entry(key).or_insert_with(|| way_to(self.position, id, self.goal))
    }
}

impl Checker<'_> {
    /// `towards`: each unit in turn goes where the rest of the way is shortest.
    pub(super) fn towards(
        &mut self,
        raw: &Raw,
        units: &[(UnitId, Range<usize>)],
        route: &Route,
        manner: Manner,
    ) -> Option<MoveOrder> {
        let text = raw.towards.as_ref()?;
        let goal = self.hex(text)?;
        let before = self.errors();
        let at = route.at.first().map(|(hex, _)| *hex);
        let walks = self.each_towards(units, goal, at, manner, text.span.clone());
        (!self.failed_since(before)).then_some(MoveOrder { walks, manner })
    }

    /// `follow`: each unit goes as near as it can to where its leader ends.
    pub(super) fn follow_leader(
        &mut self,
        raw: &Raw,
        units: &[(UnitId, Range<usize>)],
    ) -> Option<MoveOrder> {
        let data = self.position.data;
        let name = raw.word.as_ref()?;
        let leader = self.one(name)?;
        if data.unit(leader).kind != Kind::Leader && data.unit(leader).kind != Kind::Staff {
            let text = format!("`{}` is no leader", name.value);
            self.faults.push(Diagnostic::error(None, text).at(name.span.clone()));
            return None;
        }
        let Some(goal) = self.ends.get(&leader).copied().or(self.position.state.hex(leader)) else {
            let violation = Violation::NotOnMap { unit: data.unit(leader).id.clone() };
            self.fault(&violation, name.span.clone());
            return None;
        };
        let before = self.errors();
        for (id, span) in units {
            let (unit, lead) = (data.unit(*id), data.unit(leader));
            if unit.colour.is_some() && unit.colour != lead.colour {
                let why = format!("is not of the command of {}", lead.id);
                let unit = unit.id.clone();
                self.fault(&Violation::Special { unit, why, rule: "5.5.3" }, span.clone());
            }
        }
        if self.failed_since(before) {
            return None;
        }
        cite("5.5.3");
        let mut others: Vec<(UnitId, Range<usize>)> =
            units.iter().filter(|(id, _)| *id != leader).cloned().collect();
        // Whoever is nearest goes first, so that nobody who is there makes room for
        // somebody who comes, and ends farther from his leader than he stood.
        let mut ways = Ways::new(self.position, goal);
        others.sort_by_cached_key(|(id, _)| {
            let from = self.position.state.hex(*id);
            from.and_then(|hex| ways.of(*id).get(&hex).copied()).unwrap_or(u32::MAX)
        });
        let walks = self.each_towards(&others, goal, None, Manner::Moves, name.span.clone());
        (!self.failed_since(before)).then_some(MoveOrder { walks, manner: Manner::Moves })
    }

    fn each_towards(
        &mut self,
        units: &[(UnitId, Range<usize>)],
        goal: Hex,
        at: Option<Hex>,
        manner: Manner,
        goal_span: Range<usize>,
    ) -> Vec<(UnitId, Walk)> {
        let position = self.position;
        let data = position.data;
        let mut there = self.standing_room();
        let mut ways = Ways::new(position, goal);
        let mut walks = Vec::new();
        for (id, span) in units {
            let Some(reach) = self.reach_of(*id, at, manner, span) else { continue };
            let unit = data.unit(*id);
            let way = ways.of(*id);
            let rest = |hex: &Hex| way.get(hex).copied().unwrap_or(10_000 + hex.distance(goal));
            let from = position.state.hex(*id);
            let mut choices: Vec<(u32, u32, Hex)> =
                reach.iter().map(|(hex, r)| (rest(hex), r.cost, *hex)).collect();
            choices.extend(from.filter(|_| manner == Manner::Moves).map(|h| (rest(&h), 0, h)));
            choices.sort_unstable();
            let army = unit.army;
            let fits = |hex: Hex| {
                let friends: Vec<UnitId> = there
                    .get(&hex)
                    .into_iter()
                    .flatten()
                    .copied()
                    .filter(|o| data.unit(*o).army == army)
                    .collect();
                position.may_join(hex, &friends, *id).is_ok()
            };
            let Some((_, _, hex)) = choices.into_iter().find(|(_, _, hex)| fits(*hex)) else {
                let unit = unit.id.clone();
                let why = "finds no hex with room on its way".to_owned();
                self.fault(&Violation::Special { unit, why, rule: "5.5.1.A" }, goal_span.clone());
                continue;
            };
            there.entry(hex).or_default().push(*id);
            if manner == Manner::Enters {
                self.entered.push(*id);
            }
            let walk = match reach.get(&hex) {
                Some(found) => position.walk(*id, &found.path, manner != Manner::Moves).ok(),
                None => Some(Walk { path: vec![hex], cost: 0, allowance: 0, steps: Vec::new() }),
            };
            if let Some(walk) = walk {
                walks.push((*id, walk));
            }
        }
        walks
    }

    /// Who will stand where: those whom no order moves, and those whom the orders so
    /// far have brought.
    fn standing_room(&self) -> BTreeMap<Hex, Vec<UnitId>> {
        let position = self.position;
        let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for id in position.data.ids().filter(|id| !self.movers.contains(id)) {
            if let Some(hex) = position.state.hex(id) {
                there.entry(hex).or_default().push(id);
            }
        }
        for (id, hex) in &self.ends {
            there.entry(*hex).or_default().push(*id);
        }
        there
    }

    fn reach_of(
        &mut self,
        id: UnitId,
        at: Option<Hex>,
        manner: Manner,
        span: &Range<usize>,
    ) -> Option<Rc<BTreeMap<Hex, Reached>>> {
        let position = self.position;
        let found = match manner {
            Manner::Moves => {
                position.on_map(id).and_then(|_| position.may_move(id)).map(|()| position.reach(id))
            }
            Manner::Lands => landing_hexes(position, id)
                .map(|hexes| position.reach_entering(id, hexes.into_iter())),
            Manner::Enters => may_enter_now(position, id)
                .and_then(|()| match over_schedule(position, &self.entered, id) {
                    Some(violation) => Err(violation),
                    None => Ok(()),
                })
                .map(|()| {
                    let hexes = entry_hexes(position, id);
                    let through = hexes.into_iter().filter(|h| at.is_none_or(|a| a == *h));
                    position.reach_entering(id, through)
                }),
        };
        match found {
            Ok(reach) => Some(reach),
            Err(violation) => {
                self.fault(&violation, span.clone());
                None
            }
        }
    }
}
