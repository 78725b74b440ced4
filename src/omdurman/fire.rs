//! Fire (6.0): who may fire at what, with how many factors and which modifiers.

use std::fmt;

use crate::geometry::hex::{Hex, Side};

use super::cite::cite;
use super::data::{Army, Kind, Multiplier, UnitId, Weapon};
use super::events::Modifier;
use super::position::Position;
use super::violation::Violation;

/// What is fired at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The units of a hex, or the gunboat in it.
    Units(Hex),
    /// The fort of a hex, not those in it (6.6.2).
    Fort(Hex),
    /// A wall hexside (6.6.3).
    Wall(Side),
}

impl Target {
    /// Reads `0712`, `0402:fort` or `0512:SE`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None => Hex::parse(text).map(Self::Units),
            Some((hex, word)) if word.eq_ignore_ascii_case("fort") => {
                Hex::parse(hex).map(Self::Fort)
            }
            Some(_) => Side::parse(text).map(Self::Wall),
        }
    }

    /// As it stands in dice labels: `0712`, `0402-fort`, `0512-se`.
    pub fn label(self) -> String {
        self.to_string().replace(':', "-").to_lowercase()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Units(hex) => hex.fmt(f),
            Self::Fort(hex) => write!(f, "{hex}:fort"),
            Self::Wall(side) => side.fmt(f),
        }
    }
}

/// One unit's fire at a target, if it is lawful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Who fires.
    pub unit: UnitId,
    /// From where.
    pub from: Hex,
    /// The hex that range and sight are measured to.
    pub to: Hex,
    /// In hexes.
    pub range: u32,
    /// The range effect.
    pub multiplier: Multiplier,
    /// The factors that count.
    pub factors: u32,
}

impl Position<'_> {
    /// Whether a unit can fire at all (6.1.A, 6.5, 7.8.B).
    pub fn can_fire(&self, id: UnitId) -> Result<Hex, Violation> {
        let unit = self.data.unit(id);
        let name = || unit.id.clone();
        let Some(hex) = self.state.hex(id) else {
            return Violation::NotOnMap { unit: name() }.bar();
        };
        if unit.weapon == Weapon::None || unit.fire == 0 {
            cite("6.5.1.B");
            return Violation::CannotFire { unit: name(), why: "it has no fire factor" }.bar();
        }
        if self.state.disrupted(id) {
            return Violation::Disrupted { unit: name(), what: "fire" }.bar();
        }
        Ok(hex)
    }

    /// The longest range of a unit now; halved at night, at least 1 (8.1.C).
    pub fn fire_reach(&self, id: UnitId) -> u32 {
        let unit = self.data.unit(id);
        let reach = self.data.charts.reach(self.data.range_army(unit), unit.weapon);
        if self.data.night(self.state.turn) {
            cite("8.1.C");
            (reach / 2).max(1)
        } else {
            reach
        }
    }

    /// The fire of a unit at a target, or why it may not fire at it.
    pub fn shot(&self, id: UnitId, target: Target) -> Result<Shot, Violation> {
        let from = self.can_fire(id)?;
        let unit = self.data.unit(id);
        let enemy = unit.army.enemy();
        let artillery = unit.weapon == Weapon::Artillery;
        let only = |at, rule| Violation::OnlyArtillery { unit: unit.id.clone(), at, rule };
        let nobody = || Violation::Nobody { target: target.to_string() };
        let candidates: Vec<(Hex, Option<Side>)> = match target {
            Target::Units(hex) => {
                if let Some(violation) = self.gordon_alone(enemy, hex) {
                    return violation.bar();
                }
                if !self.data.board.has(hex) || self.body(enemy, hex).is_empty() {
                    return Err(nobody());
                }
                if self.gunboat(hex).is_some() && !artillery {
                    return Err(only("a gunboat", "6.6.1"));
                }
                vec![(hex, None)]
            }
            Target::Fort(hex) => {
                let fort = self.data.board.has(hex).then(|| self.fort(hex)).flatten();
                if fort.is_none_or(|f| self.data.unit(f).army != enemy) {
                    return Err(nobody());
                }
                if !artillery {
                    return Err(only("a fort", "6.6.2.A"));
                }
                vec![(hex, None)]
            }
            Target::Wall(side) => {
                if !self.wall(side) {
                    return Violation::NoWall { side, breached: self.breach(side) }.bar();
                }
                if !artillery {
                    return Err(only("a wall", "6.6.3.A"));
                }
                let (a, b) = side.hexes();
                let mut hexes: Vec<Hex> = [Some(a), b]
                    .into_iter()
                    .flatten()
                    .filter(|h| self.data.board.has(*h))
                    .collect();
                // To the nearer of the wall's hexes; either, when they are as far.
                hexes.sort_by_key(|h| from.distance(*h));
                let near = hexes.first().map_or(0, |h| from.distance(*h));
                hexes.retain(|h| from.distance(*h) == near);
                hexes.into_iter().map(|h| (h, Some(side))).collect()
            }
        };
        let mut refusal = None;
        for (to, through) in candidates {
            match self.shot_to(id, from, to, through, target) {
                Ok(shot) => return Ok(shot),
                Err(violation) => refusal = refusal.or(Some(violation)),
            }
        }
        Err(refusal.unwrap_or_else(nobody))
    }

    /// Why Gordon alone in a hex is no target (9.3.4.F).
    pub(super) fn gordon_alone(&self, army: Army, hex: Hex) -> Option<Violation> {
        let (gordon, palace) = self.data.scenario.gordon;
        let alone = hex == palace && self.of(army, hex).eq([gordon]);
        alone.then(|| Violation::Untouchable { unit: self.data.unit(gordon).name.clone(), hex })
    }

    fn shot_to(
        &self,
        id: UnitId,
        from: Hex,
        to: Hex,
        through: Option<Side>,
        target: Target,
    ) -> Result<Shot, Violation> {
        let unit = self.data.unit(id);
        // A wall of the firer's own hex is fired at as from the hex beside it.
        let range = from.distance(to).max(1);
        let reach = self.fire_reach(id);
        let effect = self.data.charts.range(self.data.range_army(unit), unit.weapon, range);
        let (Some(multiplier), true) = (effect, range <= reach) else {
            return Violation::OutOfRange {
                unit: unit.id.clone(),
                target: target.to_string(),
                range,
                reach,
                night: self.data.night(self.state.turn),
            }
            .bar();
        };
        cite("6.2.B");
        let blocks = self.sight(from, to, through);
        if let Some(first) = blocks.first() {
            cite("6.3.1.C");
            let rule = if blocks.iter().all(|b| b.units) { first.rule } else { cite("6.2.A") };
            return Violation::Unseen {
                unit: unit.id.clone(),
                target: target.to_string(),
                why: blocks.iter().map(|b| b.what.clone()).collect(),
                rule,
            }
            .bar();
        }
        cite("6.2.A");
        if self.data.night(self.state.turn) {
            cite("8.1.D");
        }
        if multiplier == Multiplier::Half {
            cite("6.1.H");
        }
        Ok(Shot { unit: id, from, to, range, multiplier, factors: multiplier.of(unit.fire) })
    }

    /// True if only units stand in the way of a shot: they may be gone when it is
    /// fired.
    pub fn only_units_block(&self, id: UnitId, target: Target) -> bool {
        let (Some(from), Target::Units(to) | Target::Fort(to)) = (self.state.hex(id), target)
        else {
            return false;
        };
        let blocks = self.sight(from, to, None);
        !blocks.is_empty() && blocks.iter().all(|b| b.units)
    }

    /// Everything that an army could fire at: hexes, forts, and for artillery walls.
    pub fn targets_of(&self, army: Army) -> Vec<Target> {
        let enemy = army.enemy();
        let mut out = Vec::new();
        for hex in self.hexes(enemy) {
            if !self.body(enemy, hex).is_empty() {
                out.push(Target::Units(hex));
            }
            if self.fort(hex).is_some_and(|f| self.data.unit(f).army == enemy) {
                out.push(Target::Fort(hex));
            }
        }
        out
    }

    /// The targets that a unit can hit now, walls last.
    pub fn targets(&self, id: UnitId) -> Vec<(Target, Shot)> {
        if self.can_fire(id).is_err() {
            return Vec::new();
        }
        let unit = self.data.unit(id);
        let mut out: Vec<(Target, Shot)> = self
            .targets_of(unit.army)
            .into_iter()
            .filter_map(|t| Some((t, self.shot(id, t).ok()?)))
            .collect();
        if unit.weapon == Weapon::Artillery {
            for side in &self.data.board.walls {
                let target = Target::Wall(*side);
                if let Ok(shot) = self.shot(id, target) {
                    out.push((target, shot));
                }
            }
        }
        out
    }

    /// The modifiers of an attack by fire (6.2.D, 6.2.E, terrain chart).
    pub fn fire_modifiers(&self, army: Army, target: Target, shots: &[Shot]) -> Vec<Modifier> {
        let charts = &self.data.charts;
        let mut out = Vec::new();
        let mut add = |what: String, drm: i32, rule: &'static str| {
            if drm != 0 {
                out.push(Modifier { what, drm, rule: cite(rule).to_string() });
            }
        };
        if army == Army::AngloEgyptian {
            add("accuracy".to_owned(), charts.accuracy, "6.2.E");
        }
        let hex = match target {
            Target::Units(hex) | Target::Fort(hex) => hex,
            Target::Wall(_) => return out,
        };
        let fort = self.fort(hex).is_some();
        let fort_counts = match target {
            Target::Fort(_) => self.data.rulings.fort_itself_protected,
            _ => fort,
        };
        if fort_counts {
            add("in the fort".to_owned(), charts.fort_drm, "6.5.4.C");
        } else if !fort {
            let terrain = self.data.board.terrain(hex);
            add(terrain.name().to_owned(), charts.terrain(terrain).drm, "6.2.D");
        }
        // Ruling `several-hexsides`: the most protective of all lines, once.
        let mut best: Option<(String, i32)> = None;
        for shot in shots {
            let sides = self.sides_into(shot.from, hex);
            let all =
                |has: &dyn Fn(Side) -> bool| !sides.is_empty() && sides.iter().all(|s| has(*s));
            let behind_wall = all(&|s| self.wall(s)) && self.data.board.inside(hex);
            let behind_crest = all(&|s| self.data.board.side(s).crest);
            for (hit, word, drm) in
                [(behind_wall, "wall", charts.wall.drm), (behind_crest, "crest", charts.crest.drm)]
            {
                if hit && best.as_ref().is_none_or(|(_, b)| drm < *b) {
                    best = Some((format!("{word} {}", sides[0]), drm));
                }
            }
        }
        if let Some((what, drm)) = best {
            add(what, drm, "6.2.D");
        }
        out
    }

    /// What stands at a target, in words.
    pub fn target_words(&self, army: Army, target: Target) -> String {
        match target {
            Target::Wall(_) => "the wall".to_owned(),
            Target::Fort(hex) => {
                self.fort(hex).map_or_else(String::new, |f| self.data.unit(f).name.clone())
            }
            Target::Units(hex) => self.count_words(&self.body(army.enemy(), hex)),
        }
    }

    /// `2 Mulazmin, 1 Dervish artillery`.
    pub fn count_words(&self, units: &[UnitId]) -> String {
        let mut counts: Vec<(&str, u32)> = Vec::new();
        for id in units {
            let name = self.data.unit(*id).name.as_str();
            match counts.iter_mut().find(|(n, _)| *n == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let many = |name: &str, n: u32| match name {
            _ if n == 1 => name.to_owned(),
            _ if name.ends_with("battery") => name.replace("battery", "batteries"),
            _ if name.ends_with("battalion") || name.ends_with("gunboat") => format!("{name}s"),
            _ => name.to_owned(),
        };
        let words: Vec<String> = counts
            .iter()
            .map(|(name, n)| {
                // A fort has a name of its own.
                if name.contains("Fort") {
                    (*name).to_owned()
                } else {
                    format!("{n} {}", many(name, *n))
                }
            })
            .collect();
        words.join(", ")
    }

    /// True for units that may lead the advance into a hex emptied by fire or melee:
    /// not artillery, Maxims, gunboats or forts (6.8.2.C).
    pub fn may_advance_kind(&self, id: UnitId) -> bool {
        matches!(
            self.data.unit(id).kind,
            Kind::Infantry | Kind::Cavalry | Kind::Camel | Kind::Leader
        )
    }

    /// Whether a unit may advance into an adjacent, emptied hex (6.8.2, 7.6).
    pub fn may_advance(&self, id: UnitId, to: Hex) -> Result<(), Violation> {
        let unit = self.data.unit(id);
        let Some(from) = self.state.hex(id) else {
            return Violation::NotOnMap { unit: unit.id.clone() }.bar();
        };
        if !self.may_advance_kind(id) {
            return Violation::Immobile {
                unit: unit.id.clone(),
                why: "its kind does not advance after combat",
                rule: "6.8.2.C",
            }
            .bar();
        }
        let Some(side) = Side::between(from, to) else {
            return Violation::MeleeNotAdjacent { unit: unit.id.clone(), target: to }.bar();
        };
        if self.wall(side) {
            return Violation::Wall { side }.bar();
        }
        if self.data.board.side(side).khor {
            return Violation::MeleeBarred {
                unit: unit.id.clone(),
                target: to,
                what: "a khor",
                rule: "6.8.2.D",
            }
            .bar();
        }
        self.may_enter(id, to)?;
        let others: Vec<UnitId> = self.of(unit.army, to).collect();
        self.may_join(to, &others, id)
    }
}
