//! Line of sight (6.3): the printed table, its seven conditions, and the special
//! cases of 6.3.2, on the exact line of [`crate::geometry::line`].

use std::rc::Rc;

use crate::core::rule::Rule;
use crate::geometry::hex::{Hex, Side};
use crate::geometry::line::{Line, Passage, line};

use super::board::Terrain;
use super::cite::cite;
use super::data::{Blocks, Kind, Level, UnitId};
use super::position::Position;

/// Something between two hexes that blocks sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// In words: `wall 1112:W lies between`.
    pub what: String,
    /// The rule.
    pub rule: Rule,
    /// True for units, which may be gone when the shot is fired.
    pub units: bool,
}

/// A hex on the line, or the pair of hexes beside a hexspine.
enum Obstacle {
    One(Hex),
    Pair([Hex; 2]),
}

impl Position<'_> {
    /// What blocks sight between two hexes, found once for all who stand in them.
    pub(super) fn blocked(&self, from: Hex, to: Hex, through: Option<Side>) -> Rc<[Block]> {
        let key = (from, to, through);
        if let Some(found) = self.index.sights.borrow().get(&key) {
            return Rc::clone(found);
        }
        let found: Rc<[Block]> = self.sight(from, to, through).into();
        self.index.sights.borrow_mut().insert(key, Rc::clone(&found));
        found
    }

    /// What blocks sight between two hexes for their occupants; empty if nothing.
    /// `through` is a wall that does not block: the target itself (6.6.3).
    pub fn sight(&self, from: Hex, to: Hex, through: Option<Side>) -> Vec<Block> {
        if from == to {
            return Vec::new();
        }
        cite("6.3.1.A");
        let line = line(from, to);
        let (low, high) = (self.level(from), self.level(to));
        let mut blocks = Vec::new();
        for blocker in self.data.charts.blockers(low, high) {
            let conditions = self.conditions(low, high, blocker.what, &blocker.conditions);
            match blocker.what {
                Blocks::Units => self.units_block(from, to, &line, &conditions, &mut blocks),
                Blocks::Wall => self.walls_block(from, to, &line, through, &mut blocks),
                Blocks::Crest => self.crests_block(from, to, &line, &conditions, &mut blocks),
                Blocks::Huts | Blocks::Trees | Blocks::Rough | Blocks::Hilltop => {
                    self.terrain_blocks(from, to, &line, blocker.what, &conditions, &mut blocks);
                }
            }
        }
        blocks
    }

    /// The conditions of a table entry as the rulings read them.
    fn conditions(&self, from: Level, to: Level, what: Blocks, printed: &[u8]) -> Vec<u8> {
        let mirror = (from, to) == (Level::Hilltop, Level::Ground) && what == Blocks::Units;
        if mirror && !self.data.rulings.hilltop_ground_as_printed {
            vec![4]
        } else {
            printed.to_vec()
        }
    }

    fn obstacles(line: &Line) -> Vec<Obstacle> {
        let mut out = Vec::new();
        for (i, passage) in line.passages.iter().enumerate() {
            if let Passage::Spine { beside, .. } = passage {
                out.push(Obstacle::Pair(*beside));
            }
            if let Some(hex) = line.crossed.get(i) {
                out.push(Obstacle::One(*hex));
            }
        }
        out
    }

    /// The hex of an obstacle that blocks by `test`: beside a hexspine both must
    /// (ruling `hexspine`), and a hex off the map never does.
    fn blocking(&self, obstacle: &Obstacle, test: impl Fn(Hex) -> bool) -> Option<Hex> {
        let test = |hex: Hex| self.data.board.has(hex) && test(hex);
        match obstacle {
            Obstacle::One(hex) => test(*hex).then_some(*hex),
            Obstacle::Pair([a, b]) if self.data.rulings.spine_both => {
                (test(*a) && test(*b)).then_some(*a)
            }
            Obstacle::Pair([a, b]) => [*a, *b].into_iter().find(|h| test(*h)),
        }
    }

    fn units_block(
        &self,
        from: Hex,
        to: Hex,
        line: &Line,
        conditions: &[u8],
        out: &mut Vec<Block>,
    ) {
        let holds = |hex: Hex, condition: u8| match condition {
            3 => hex.distance(from) <= hex.distance(to),
            4 => hex.distance(to) <= hex.distance(from),
            5 => hex.distance(from) == 1 && self.level(hex) == self.level(from),
            6 => hex.distance(to) == 1 && self.level(hex) == self.level(to),
            7 => self.level(hex) >= self.level(from).min(self.level(to)),
            8 => self.level(hex) == Level::Hilltop,
            _ => true,
        };
        for obstacle in Self::obstacles(line) {
            let test = |hex: Hex| {
                if self.entrenched(hex) {
                    // 9.2.3.2.C: entrenched units are fired over.
                    cite("9.2.3.2.C");
                    return false;
                }
                if !self.at(hex).iter().any(|id| self.blocks_sight(*id)) {
                    return false;
                }
                match conditions {
                    [] => true,
                    [_, _] if !self.data.rulings.sight_units_both => {
                        conditions.iter().any(|c| holds(hex, *c))
                    }
                    _ => conditions.iter().all(|c| holds(hex, *c)),
                }
            };
            if let Some(hex) = self.blocking(&obstacle, test) {
                let unit = self.at(hex).iter().find(|id| self.blocks_sight(**id));
                let unit = unit.map_or(String::new(), |id| self.data.unit(*id).id.clone());
                out.push(Block {
                    what: format!("{unit} in {hex} stands between"),
                    rule: cite("6.3.1.B"),
                    units: true,
                });
            }
        }
    }

    /// 6.3.2.A: gunboats and forts do not block.
    fn blocks_sight(&self, id: UnitId) -> bool {
        match self.data.unit(id).kind {
            Kind::Fort => {
                cite("6.3.2.A");
                false
            }
            kind if kind.is_gunboat() => {
                cite("6.3.2.A");
                false
            }
            Kind::Staff => self.data.rulings.leaders_block,
            _ => true,
        }
    }

    fn terrain_blocks(
        &self,
        from: Hex,
        to: Hex,
        line: &Line,
        what: Blocks,
        conditions: &[u8],
        out: &mut Vec<Block>,
    ) {
        cite("6.3.2.F");
        let ground = (self.level(from), self.level(to)) == (Level::Ground, Level::Ground);
        let is = |hex: Hex| match (what, self.data.board.terrain(hex)) {
            (Blocks::Huts, Terrain::Huts)
            | (Blocks::Trees, Terrain::Trees)
            | (Blocks::Rough, Terrain::Rough)
            | (Blocks::Hilltop, Terrain::Hilltop) => true,
            (Blocks::Huts, Terrain::Building) => self.data.rulings.buildings_block,
            (Blocks::Rough, Terrain::Hilltop) => ground && self.data.rulings.hilltop_as_rough,
            _ => false,
        };
        let holds = |hex: Hex| {
            conditions.iter().all(|c| match c {
                3 => hex.distance(from) <= hex.distance(to),
                4 => hex.distance(to) <= hex.distance(from),
                _ => true,
            })
        };
        let found: Vec<Hex> = Self::obstacles(line)
            .iter()
            .filter_map(|o| self.blocking(o, |hex| is(hex) && holds(hex)))
            .collect();
        let enough = if conditions.contains(&1) { 3 } else { 1 };
        if found.len() >= enough {
            let word = match what {
                Blocks::Huts => "huts",
                Blocks::Trees => "trees",
                Blocks::Rough => "rough",
                _ => "hilltop",
            };
            let hexes: Vec<String> = found.iter().map(ToString::to_string).collect();
            let verb = if found.len() == 1 { "lies" } else { "lie" };
            out.push(Block {
                what: format!("{word} in {} {verb} between", hexes.join(", ")),
                rule: cite("6.3.1.B"),
                units: false,
            });
        }
    }

    /// A hexside across the line: crossed inside, or met at a corner that cannot be
    /// passed on its other side (ruling `corner`).
    fn crossed(&self, passage: &Passage, has: impl Fn(Side) -> bool) -> Option<Side> {
        let passable = self.data.rulings.corner_passable;
        match passage {
            Passage::Cross(side) => has(*side).then_some(*side),
            Passage::Corner { side, round, .. } => {
                let other = round.iter().copied().find(|s| has(*s));
                let both = if passable {
                    has(*side) && other.is_some()
                } else {
                    has(*side) || other.is_some()
                };
                both.then(|| if has(*side) { *side } else { other.unwrap_or(*side) })
            }
            Passage::Spine { enter, leave, .. } => [enter, leave].into_iter().find_map(|pair| {
                let [a, b] = *pair;
                let hit = if passable { has(a) && has(b) } else { has(a) || has(b) };
                hit.then(|| if has(a) { a } else { b })
            }),
        }
    }

    fn walls_block(
        &self,
        from: Hex,
        to: Hex,
        line: &Line,
        through: Option<Side>,
        out: &mut Vec<Block>,
    ) {
        let own = |side: Side| {
            self.data.rulings.own_rampart_sees
                && ((side.of(from) && self.stands_on_rampart(from))
                    || (side.of(to) && self.stands_on_rampart(to)))
        };
        let stands = |side: Side| {
            (self.wall(side) || (self.data.rulings.gates_block && self.data.board.side(side).gate))
                && Some(side) != through
        };
        for passage in &line.passages {
            if self.crossed(passage, |s| self.breach(s)).is_some() {
                cite("6.6.3.B");
            }
            if let Some(side) = self.crossed(passage, |s| stands(s) && !own(s)) {
                out.push(Block {
                    what: format!("the wall {side} lies between"),
                    rule: cite("6.3.1.B"),
                    units: false,
                });
            }
        }
        let along: Vec<Side> = line
            .passages
            .iter()
            .filter_map(|p| match p {
                Passage::Spine { along, .. } if stands(*along) => Some(*along),
                _ => None,
            })
            .collect();
        // 6.3.2.D: along one wall hexside, not along two.
        if let [_, second, ..] = along[..] {
            out.push(Block {
                what: format!("the line runs along more than one wall ({second} too)"),
                rule: cite("6.3.2.D"),
                units: false,
            });
        } else if !along.is_empty() {
            cite("6.3.2.D");
        }
    }

    /// True where the occupants of a hex stand on its rampart: inside, beside a wall,
    /// at rough level (a fort's do not, 6.3.2.C).
    fn stands_on_rampart(&self, hex: Hex) -> bool {
        self.rampart(hex) && self.level(hex) == Level::Rough
    }

    fn crests_block(
        &self,
        from: Hex,
        to: Hex,
        line: &Line,
        conditions: &[u8],
        out: &mut Vec<Block>,
    ) {
        let crest = |side: Side| self.data.board.side(side).crest;
        let mut crossed: Vec<Side> = Vec::new();
        for passage in &line.passages {
            crossed.extend(self.crossed(passage, crest));
            if let Passage::Spine { along, .. } = passage {
                // 6.3.2.E: along a crest is as through it.
                if crest(*along) {
                    cite("6.3.2.E");
                    crossed.push(*along);
                }
            }
        }
        if crossed.is_empty() {
            return;
        }
        if conditions.contains(&2) {
            let beside = if self.data.rulings.crest_together {
                crossed.iter().all(|s| s.of(from) || s.of(to))
            } else {
                crossed.iter().all(|s| s.of(from)) || crossed.iter().all(|s| s.of(to))
            };
            if beside {
                return;
            }
        }
        let near = |side: &Side, a: Hex| {
            let (h, other) = side.hexes();
            h.distance(a) + other.map_or(h.distance(a), |o| o.distance(a))
        };
        let hit = crossed.iter().find(|s| {
            conditions.iter().all(|c| match c {
                3 => near(s, from) <= near(s, to),
                4 => near(s, to) <= near(s, from),
                _ => true,
            })
        });
        if let Some(side) = hit {
            out.push(Block {
                what: format!("the crest {side} lies between"),
                rule: cite("6.3.1.B"),
                units: false,
            });
        }
    }

    /// The hexsides of the target's own hex that the line from `from` crosses.
    pub fn sides_into(&self, from: Hex, to: Hex) -> Vec<Side> {
        if from == to {
            return Vec::new();
        }
        match line(from, to).passages.last() {
            Some(Passage::Cross(side) | Passage::Corner { side, .. }) => vec![*side],
            Some(Passage::Spine { leave: [a, b], .. }) => vec![*a, *b],
            None => Vec::new(),
        }
    }
}
