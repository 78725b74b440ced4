//! Random movement: entries, moves, marches of many, transport, works, deserters.

use std::collections::{BTreeMap, BTreeSet};

use despatch::geometry::hex::{Dir, Hex, Side};
use despatch::omdurman::board::{Bank, Terrain};
use despatch::omdurman::check::{
    entry_hexes, landing_hexes, may_construct, may_demolish, may_desert, may_enter_now, may_load,
    over_schedule,
};
use despatch::omdurman::data::{Army, Kind, UnitId};
use despatch::omdurman::fire::Target;
use despatch::omdurman::movement::Reached;
use despatch::omdurman::state::Place;

use super::{Desk, Plan, list};

/// The orders of one movement phase as far as they are written.
struct March<'a> {
    plan: Plan<'a>,
    /// Who has an order that moves him, or must stay where he is.
    busy: BTreeSet<UnitId>,
    /// Who must stay where he is although he could move.
    still: BTreeSet<UnitId>,
    /// Who enters, for the limits of 9.1.1.4.
    entered: Vec<UnitId>,
    /// Where those end who were told it hex by hex.
    ends: BTreeMap<UnitId, Hex>,
}

impl<'a> Desk<'a> {
    pub(super) fn movement(&mut self) {
        let mut march = March {
            plan: Plan::new(self.position, self.army),
            busy: BTreeSet::new(),
            still: BTreeSet::new(),
            entered: Vec::new(),
            ends: BTreeMap::new(),
        };
        self.loads(&mut march);
        self.landings(&mut march);
        self.builds(&mut march);
        // What many do is found in turn when the file is read, entries first; single
        // orders beside it must come before it.
        if self.leaning.many && self.luck.percent(50) {
            self.enter_many(&mut march);
            self.march_many(&mut march);
        } else {
            let many = self.leaning.many && self.luck.percent(50);
            self.enter(&mut march);
            self.moves(&mut march, if many { 50 } else { 0 });
            if many {
                self.march_many(&mut march);
            }
        }
        self.demolish(&mut march);
        self.desert();
    }

    /// Where a unit would like to be.
    fn goal(&mut self, id: UnitId) -> Hex {
        let data = self.data;
        let unit = data.unit(id);
        let from = self.position.state.hex(id).unwrap_or(Hex::new(20, 20));
        if let Some((_, palace)) = data.scenario.gordon {
            return palace;
        }
        let tomb = data.scenario.tomb.unwrap_or(Hex::new(28, 15));
        let nearest = |hexes: Vec<Hex>| hexes.into_iter().min_by_key(|h| (h.distance(from), *h));
        let isa = data.find("isa-zachneih").and_then(|isa| self.position.state.hex(isa));
        let of_army = |army: Army, test: &dyn Fn(UnitId) -> bool| -> Vec<Hex> {
            data.ids()
                .filter(|o| data.unit(*o).army == army && test(*o))
                .filter_map(|o| self.position.state.hex(o))
                .collect()
        };
        let boats = of_army(Army::AngloEgyptian, &|o| data.unit(o).kind.is_gunboat());
        let east = of_army(Army::AngloEgyptian, &|o| {
            let hex = self.position.state.hex(o);
            data.unit(o).friendlies && hex.is_some_and(|h| data.board.bank(h) == Some(Bank::East))
        });
        let enemy = nearest(self.enemies());
        if self.army == Army::Dervish {
            return enemy.unwrap_or(tomb);
        }
        if unit.friendlies {
            return isa.or_else(|| nearest(boats)).unwrap_or(tomb);
        }
        if unit.kind.is_gunboat() {
            if !self.position.state.aboard(data, id).is_empty() {
                // To where the west bank is near.
                return Hex::new(28, 16);
            }
            return match nearest(east) {
                Some(hex) if isa.is_none() && self.luck.percent(60) => hex,
                _ if isa.is_some() && self.luck.percent(30) => isa.unwrap_or(tomb),
                _ => Hex::new(18, 44),
            };
        }
        if unit.engineers {
            return data.board.walls.first().map_or(tomb, |s| s.parts().0);
        }
        if self.leaning.digs && unit.kind == Kind::Infantry && data.scenario.tomb.is_some() {
            return Hex::new(27, 16);
        }
        if self.luck.percent(60) { tomb } else { enemy.unwrap_or(tomb) }
    }

    /// Hexes in reach, those near the goal first.
    fn choices(&mut self, id: UnitId, reach: &BTreeMap<Hex, Reached>) -> Vec<Hex> {
        let goal = self.goal(id);
        let mut hexes: Vec<(u32, Hex)> = reach.keys().map(|h| (h.distance(goal), *h)).collect();
        hexes.sort_unstable();
        hexes.into_iter().map(|(_, hex)| hex).collect()
    }

    /// Half of the time one of the best few, else any.
    fn choose(&mut self, choices: &[Hex]) -> Option<Hex> {
        let few = choices.len().min(8);
        let span = if self.luck.percent(60) { few } else { choices.len() };
        if span == 0 { None } else { Some(choices[self.luck.below(span)]) }
    }

    /// Some units like the one at `at`, from the same place, that have no order yet.
    fn alike(&mut self, march: &March<'a>, at: usize) -> Vec<UnitId> {
        let id = self.mine[at];
        let place = &self.position.state.unit(id).place;
        let like = |o: &UnitId| {
            self.data.unit(*o).line == self.data.unit(id).line
                && self.data.unit(*o).colour == self.data.unit(id).colour
                && self.position.state.unit(*o).place == *place
                && self.position.state.disrupted(*o) == self.position.state.disrupted(id)
                && !march.busy.contains(o)
        };
        let group: Vec<UnitId> = self.mine[at..].iter().copied().filter(like).take(4).collect();
        let take = 1 + self.luck.below(group.len());
        group[..take].to_vec()
    }

    // ------------------------------------------------------------- one by one

    fn enter(&mut self, march: &mut March<'a>) {
        for at in 0..self.mine.len() {
            let id = self.mine[at];
            if march.busy.contains(&id)
                || self.position.state.unit(id).place != Place::Waiting
                || may_enter_now(self.position, id).is_err()
                || self.luck.percent(10)
            {
                continue;
            }
            let entries = entry_hexes(self.position, id);
            let reach = self.position.reach_entering(id, entries.into_iter());
            let choices = self.choices(id, &reach);
            for _ in 0..4 {
                let Some(to) = self.choose(&choices) else { break };
                let mut group = self.alike(march, at);
                group.retain(|unit| {
                    let room = over_schedule(self.position, &march.entered, *unit).is_none();
                    let goes = room && march.plan.go(*unit, None, to);
                    if goes {
                        march.entered.push(*unit);
                    }
                    goes
                });
                if group.is_empty() {
                    continue;
                }
                march.busy.extend(&group);
                march.ends.extend(group.iter().map(|unit| (*unit, to)));
                let path = &reach[&to].path;
                let (way, gate, end) =
                    (format!("path = {}", list(path)), path[0], format!("to = \"{to}\""));
                let gate = format!("at = [\"{gate}\"]");
                let units = self.units(&group);
                let lines = match self.luck.below(5) {
                    0 => vec![units, gate, way],
                    1 => vec![units, way],
                    2 => vec![units, gate, end],
                    3 if path.len() == 1 => vec![units, gate],
                    _ => vec![units, end],
                };
                self.write("enter", &lines);
                break;
            }
        }
    }

    fn moves(&mut self, march: &mut March<'a>, skip: usize) {
        let stay = match (self.army, self.data.scenario.gordon) {
            (Army::Dervish, _) => 0,
            (_, Some(_)) => 60,
            _ => 35,
        };
        for at in 0..self.mine.len() {
            let id = self.mine[at];
            let Some(from) = self.position.state.hex(id) else { continue };
            if march.busy.contains(&id)
                || self.position.may_move(id).is_err()
                || self.luck.percent(stay)
                || self.luck.percent(skip)
            {
                continue;
            }
            let reach = self.position.reach(id);
            let choices = self.choices(id, &reach);
            for _ in 0..4 {
                let Some(to) = self.choose(&choices) else { break };
                if to == from {
                    continue;
                }
                let mut group = self.alike(march, at);
                group.retain(|unit| march.plan.go(*unit, Some(from), to));
                if group.is_empty() {
                    continue;
                }
                march.busy.extend(&group);
                march.ends.extend(group.iter().map(|unit| (*unit, to)));
                self.move_order(march, &group, to, &reach[&to]);
                break;
            }
        }
    }

    /// True for the Khalifa's boats where something is hidden in the Nile: their orders
    /// name every hex, so that no search for a way tells what he knows.
    fn knows_the_chain(&self, id: UnitId) -> bool {
        self.army == Army::Dervish
            && self.data.scenario.river.any()
            && self.data.unit(id).kind.is_gunboat()
    }

    fn move_order(&mut self, march: &March<'a>, group: &[UnitId], to: Hex, found: &Reached) {
        let jumps = found.path.windows(2).any(|p| p[0].distance(p[1]) > 1);
        // Transfers are read after the moves of many, which would take the boat first.
        let transfers = jumps && !self.leaning.many && self.luck.percent(50);
        let kind = if transfers { "transfer" } else { "move" };
        // A stack where it holds nobody else who could move.
        let stack: Vec<UnitId> = self
            .stack_of(group[0])
            .into_iter()
            .filter(|id| self.position.may_move(*id).is_ok())
            .collect();
        let whole = stack.iter().all(|id| group.contains(id) || march.busy.contains(id));
        let alone = whole && stack.iter().all(|id| group.contains(id));
        let units = match (alone && self.luck.percent(50), group, found.path.first()) {
            (true, _, Some(from)) => format!("stack = \"{from}\""),
            (false, [one], _) if self.luck.percent(30) => format!("unit = \"{}\"", self.name(*one)),
            _ => self.units(group),
        };
        let first = usize::from(self.luck.percent(50));
        let way = match self.luck.below(2) {
            1 if !self.knows_the_chain(group[0]) => format!("to = \"{to}\""),
            _ => format!("path = {}", list(&found.path[first..])),
        };
        self.write(kind, &[units, way]);
    }

    // ------------------------------------------------------------ many at once

    fn enter_many(&mut self, march: &mut March<'a>) {
        for at in 0..self.mine.len() {
            let id = self.mine[at];
            let waits = |o: UnitId, march: &March<'a>| {
                !march.busy.contains(&o)
                    && self.position.state.unit(o).place == Place::Waiting
                    && may_enter_now(self.position, o).is_ok()
            };
            if !waits(id, march) || self.luck.percent(10) {
                continue;
            }
            let goal = self.goal(id);
            let class = self.data.unit(id).class.clone();
            let word = class != self.name(id) && self.army == Army::Dervish;
            let mut group: Vec<UnitId> = Vec::new();
            if word {
                group.extend(self.answering(&class).into_iter().filter(|o| waits(*o, march)));
            } else {
                let few: Vec<UnitId> =
                    self.mine[at..].iter().copied().filter(|o| waits(*o, march)).take(6).collect();
                for o in few {
                    if over_schedule(self.position, &march.entered, o).is_none() {
                        march.entered.push(o);
                        group.push(o);
                    }
                }
            }
            if group.is_empty() {
                continue;
            }
            march.busy.extend(&group);
            let units = if word { format!("units = [\"{class}\"]") } else { self.units(&group) };
            self.write("enter", &[units, format!("towards = \"{goal}\"")]);
        }
    }

    fn march_many(&mut self, march: &mut March<'a>) {
        // Moves are read before those who follow.
        for follows in [false, true] {
            self.march_some(march, follows);
        }
    }

    fn march_some(&mut self, march: &mut March<'a>, follows: bool) {
        let free = |o: UnitId, march: &March<'a>| {
            !march.busy.contains(&o)
                && self.position.state.hex(o).is_some()
                && self.position.may_move(o).is_ok()
        };
        for at in 0..self.mine.len() {
            let id = self.mine[at];
            let stay = if self.army == Army::Dervish { 30 } else { 50 };
            if !free(id, march) || self.luck.percent(stay) {
                continue;
            }
            let unit = self.data.unit(id);
            let mut words = vec![unit.id.clone(), unit.class.clone()];
            words.extend(unit.brigade.clone());
            if let Some((stem, number)) = unit.id.rsplit_once('-')
                && let Ok(n) = number.parse::<usize>()
            {
                // A range of those who exist.
                let last = (n..n + 12)
                    .take_while(|k| {
                        self.data
                            .find(&format!("{stem}-{k:0width$}", width = number.len()))
                            .is_some()
                    })
                    .last()
                    .unwrap_or(n);
                words.push(format!("{}..{last:0width$}", unit.id, width = number.len()));
            }
            let word = words[self.luck.below(words.len())].clone();
            let group: Vec<UnitId> =
                self.answering(&word).into_iter().filter(|o| free(*o, march)).collect();
            // A word must not call away those who are to stay.
            let all = self.answering(&word);
            let stays = |o: &UnitId| march.still.contains(o) || self.knows_the_chain(*o);
            if group.is_empty() || all.iter().any(stays) {
                continue;
            }
            let units = format!("units = [\"{word}\"]");
            if follows {
                let Some(leader) = self.leader_of(&group).filter(|leader| group != [*leader])
                else {
                    continue;
                };
                march.busy.extend(&group);
                let leader = format!("leader = \"{}\"", self.name(leader));
                self.write("follow", &[units, leader]);
            } else {
                march.busy.extend(&group);
                let goal = self.goal(id);
                self.write("move", &[units, format!("towards = \"{goal}\"")]);
            }
        }
    }

    /// A leader of this player on the map whom the units may follow.
    fn leader_of(&mut self, group: &[UnitId]) -> Option<UnitId> {
        let leads = |id: &UnitId| {
            let lead = self.data.unit(*id);
            matches!(lead.kind, Kind::Leader | Kind::Staff)
                && self.position.state.hex(*id).is_some()
                && Some(*id) != self.data.scenario.gordon_id()
                && group.iter().all(|o| {
                    let colour = &self.data.unit(*o).colour;
                    colour.is_none() || *colour == lead.colour
                })
        };
        let leaders: Vec<UnitId> = self.mine.iter().copied().filter(leads).collect();
        self.luck.one(&leaders).copied()
    }

    // ----------------------------------------------------------------- works

    fn loads(&mut self, march: &mut March<'a>) {
        let boats: Vec<UnitId> = self
            .data
            .ids()
            .filter(|id| {
                let unit = self.data.unit(*id);
                unit.army == self.army && unit.kind.is_gunboat()
            })
            .collect();
        for id in self.mine.clone() {
            if !self.data.unit(id).friendlies || self.luck.percent(20) {
                continue;
            }
            let room = |boat: &UnitId| {
                !march.busy.contains(boat) && may_load(self.position, id, *boat).is_ok()
            };
            let Some(boat) = boats.iter().copied().find(room) else { continue };
            march.busy.extend([id, boat]);
            let (unit, boat) = (self.name(id), self.name(boat));
            self.write("load", &[format!("units = [\"{unit}\"]"), format!("boat = \"{boat}\"")]);
        }
    }

    fn landings(&mut self, march: &mut March<'a>) {
        for id in self.mine.clone() {
            if !matches!(self.position.state.unit(id).place, Place::Aboard { .. }) {
                continue;
            }
            let Ok(hexes) = landing_hexes(self.position, id) else { continue };
            let reach = self.position.reach_entering(id, hexes.into_iter());
            let choices = self.choices(id, &reach);
            let Some(to) = self.choose(&choices).filter(|to| march.plan.go(id, None, *to)) else {
                continue;
            };
            march.busy.insert(id);
            let unit = format!("units = [\"{}\"]", self.name(id));
            let way = match self.luck.below(2) {
                0 => format!("path = {}", list(&reach[&to].path)),
                _ => format!("to = \"{to}\""),
            };
            self.write("disembark", &[unit, way]);
        }
    }

    /// Who builds the Zariba stays where he is.
    fn builds(&mut self, march: &mut March<'a>) {
        let mut builders = Vec::new();
        for id in self.mine.clone() {
            let able = may_construct(self.position, id).is_ok()
                && !self.position.state.disrupted(id)
                && !march.busy.contains(&id);
            if able && self.luck.percent(if self.leaning.digs { 80 } else { 30 }) {
                march.busy.insert(id);
                march.still.insert(id);
                builders.push(id);
            }
        }
        if !builders.is_empty() {
            let units = self.units(&builders);
            self.write("construct", &[units]);
        }
    }

    fn demolish(&mut self, march: &mut March<'a>) {
        let data = self.data;
        for id in self.mine.clone() {
            let unit = data.unit(id);
            let told = march.ends.get(&id).copied();
            let stays = self.position.state.hex(id).filter(|_| !march.busy.contains(&id));
            let Some(from) = told.or(stays) else { continue };
            if self.army != Army::AngloEgyptian || self.position.state.disrupted(id) {
                continue;
            }
            if data.board.terrain(from) == Terrain::Nile {
                continue;
            }
            let mut targets: Vec<Target> = Vec::new();
            for (_, next) in data.board.neighbours(from) {
                targets.extend([Target::Chain(next), Target::Fort(next)]);
            }
            targets.extend(Dir::ALL.iter().map(|d| Target::Wall(Side::new(from, *d))));
            if !unit.engineers {
                targets.retain(|t| matches!(t, Target::Chain(_)));
            }
            targets.retain(|t| may_demolish(self.position, id, from, *t).is_ok());
            if let Some(target) = self.luck.one(&targets).copied()
                && self.luck.percent(70)
            {
                let units = self.units(&[id]);
                self.write("demolish", &[units, format!("at = [\"{target}\"]")]);
            }
        }
    }

    fn desert(&mut self) {
        let turn = Some(self.position.state.turn);
        if self.army != Army::Dervish || self.data.scenario.desertion != turn {
            return;
        }
        let mut list = Vec::new();
        for id in self.mine.clone() {
            if may_desert(self.position, id).is_ok() && self.luck.percent(5) {
                list.push(id);
            }
        }
        if !list.is_empty() {
            let units = self.units(&list);
            self.write("desert", &[units]);
        }
    }
}
