//! Fire (6.0): who may fire at what, with how many factors and which modifiers.

use std::fmt;

use crate::geometry::hex::{Hex, Side};

use super::board::Works;
use super::cite::cite;
use super::data::{Army, Kind, Multiplier, UnitId, Weapon};
use super::events::Modifier;
use super::position::Position;
use super::state::{Place, Task};
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
    /// The chain, in one of its hexes (10.2.D).
    Chain(Hex),
}

impl Target {
    /// Reads `0712`, `0402:fort`, `1845:chain` or `0512:SE`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None => Hex::parse(text).map(Self::Units),
            Some((hex, word)) if word.eq_ignore_ascii_case("fort") => {
                Hex::parse(hex).map(Self::Fort)
            }
            Some((hex, word)) if word.eq_ignore_ascii_case("chain") => {
                Hex::parse(hex).map(Self::Chain)
            }
            Some(_) => Side::parse(text).map(Self::Wall),
        }
    }

    /// As it stands in dice labels: `0712`, `0402-fort`, `0512-se`.
    pub fn label(self) -> String {
        self.to_string().replace(':', "-").to_lowercase()
    }

    /// The hex of the target; of a wall, none.
    pub fn hex(self) -> Option<Hex> {
        match self {
            Self::Units(hex) | Self::Fort(hex) | Self::Chain(hex) => Some(hex),
            Self::Wall(_) => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Units(hex) => hex.fmt(f),
            Self::Fort(hex) => write!(f, "{hex}:fort"),
            Self::Chain(hex) => write!(f, "{hex}:chain"),
            Self::Wall(side) => side.fmt(f),
        }
    }
}

/// One weapon's fire at a target, if it is lawful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Who fires.
    pub unit: UnitId,
    /// With what.
    pub weapon: Weapon,
    /// The printed factor of that weapon.
    pub printed: u32,
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
        let hex = self.on_map(id)?;
        if unit.arms().next().is_none() {
            cite("6.5.1.B");
            return Violation::CannotFire { unit: name(), why: "it has no fire factor" }.bar();
        }
        if self.state.disrupted(id) {
            return Violation::Disrupted { unit: name(), what: "fire" }.bar();
        }
        self.free(id)?;
        Ok(hex)
    }

    /// The hex of a unit.
    ///
    /// # Errors
    /// It is on board, or off the map.
    pub fn on_map(&self, id: UnitId) -> Result<Hex, Violation> {
        let place = &self.state.unit(id).place;
        if let Place::At(hex) = place {
            return Ok(*hex);
        }
        let unit = self.data.unit(id).id.clone();
        match *place {
            Place::Aboard { boat, .. } => {
                let boat = self.data.unit(boat).id.clone();
                Violation::OnBoard { unit, boat }.bar()
            }
            _ => Violation::NotOnMap { unit }.bar(),
        }
    }

    /// Units that build or demolish neither fire offensively nor attack in melee
    /// (5.3.C, 6.5.3.B); they do defend themselves in the other player-turn.
    pub fn free(&self, id: UnitId) -> Result<(), Violation> {
        if self.data.unit(id).army != self.state.moving {
            return Ok(());
        }
        let Some(task) = self.state.tasks.get(&id) else { return Ok(()) };
        let unit = self.data.unit(id).id.clone();
        match task {
            Task::Construct => {
                Violation::AtWork { unit, what: "builds the Zariba", rule: "5.3.C" }.bar()
            }
            Task::Demolish(target) => {
                let rule = if matches!(target, Target::Chain(_)) { "10.2.D" } else { "6.5.3.B" };
                Violation::AtWork { unit, what: "demolishes", rule }.bar()
            }
        }
    }

    /// The longest range of a unit's weapon now; halved at night, at least 1 (8.1.C).
    pub fn weapon_reach(&self, id: UnitId, weapon: Weapon) -> u32 {
        let unit = self.data.unit(id);
        let reach = self.data.charts.reach(self.data.range_army(unit), weapon);
        if self.data.night(self.state.turn) {
            cite("8.1.C");
            (reach / 2).max(1)
        } else {
            reach
        }
    }

    /// The longest range of a unit's main weapon now.
    pub fn fire_reach(&self, id: UnitId) -> u32 {
        self.weapon_reach(id, self.data.unit(id).weapon)
    }

    /// The fire of a unit's main weapon at a target, or why it may not fire at it.
    pub fn shot(&self, id: UnitId, target: Target) -> Result<Shot, Violation> {
        self.shot_with(id, self.data.unit(id).weapon, target)
    }

    /// The direct fire of one weapon of a unit at a target, or why it may not.
    pub fn shot_with(&self, id: UnitId, weapon: Weapon, target: Target) -> Result<Shot, Violation> {
        let from = self.can_fire(id)?;
        let unit = self.data.unit(id);
        let enemy = unit.army.enemy();
        let artillery = weapon == Weapon::Artillery;
        let only = |at, rule| Violation::OnlyArtillery { unit: unit.id.clone(), at, rule };
        let nobody = || Violation::Nobody { target: target.to_string() };
        let candidates: Vec<(Hex, Option<Side>)> = match target {
            Target::Units(hex) => {
                if let Some(violation) = self.leaders_alone(enemy, hex) {
                    return violation.bar();
                }
                if !self.data.board.has(hex) || !self.has_body(enemy, hex) {
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
            Target::Chain(hex) => {
                let known = self.state.river.chain_known && self.chain().contains(&hex);
                if !known || unit.army == Army::Dervish {
                    let why = "sees no chain there".to_owned();
                    let unit = unit.id.clone();
                    return Violation::Special { unit, why, rule: "10.2.D" }.bar();
                }
                if !artillery {
                    return Err(only("the chain", "10.2.D"));
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
            match self.shot_to(id, weapon, from, to, through, target) {
                Ok(shot) => return Ok(shot),
                Err(violation) => refusal = refusal.or(Some(violation)),
            }
        }
        Err(refusal.unwrap_or_else(nobody))
    }

    /// Why leaders alone in a hex are no target (6.5.1.C, 9.3.4.F).
    pub(super) fn leaders_alone(&self, army: Army, hex: Hex) -> Option<Violation> {
        if !self.data.board.has(hex) {
            return None;
        }
        let mut here = self.of(army, hex);
        let first = here.next().filter(|id| self.data.unit(*id).kind == Kind::Staff)?;
        if here.any(|id| self.data.unit(id).kind != Kind::Staff) {
            return None;
        }
        let gordon = Some(first) == self.data.scenario.gordon_id();
        let unit = self.data.unit(first);
        let (unit, rule) =
            if gordon { (unit.name.clone(), "9.3.4.F") } else { (unit.id.clone(), "6.5.1.C") };
        Some(Violation::Untouchable { unit, hex, rule })
    }

    /// The printed factor of one of a unit's weapons.
    fn factor(&self, id: UnitId, weapon: Weapon) -> Option<u32> {
        self.data.unit(id).arms().find(|(w, _)| *w == weapon).map(|(_, factor)| factor)
    }

    fn shot_to(
        &self,
        id: UnitId,
        weapon: Weapon,
        from: Hex,
        to: Hex,
        through: Option<Side>,
        target: Target,
    ) -> Result<Shot, Violation> {
        let unit = self.data.unit(id);
        let Some(printed) = self.factor(id, weapon) else {
            let why = "it has no such weapon";
            return Violation::CannotFire { unit: unit.id.clone(), why }.bar();
        };
        // A wall of the firer's own hex is fired at as from the hex beside it.
        let range = from.distance(to).max(1);
        let reach = self.weapon_reach(id, weapon);
        let effect = self.data.charts.range(self.data.range_army(unit), weapon, range);
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
        let blocks = self.blocked(from, to, through);
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
        let factors = multiplier.of(printed);
        Ok(Shot { unit: id, weapon, printed, from, to, range, multiplier, factors })
    }

    /// Whether a unit can throw howitzer shells at all, and from where (6.6.4.A).
    pub fn can_shell(&self, id: UnitId) -> Result<Hex, Violation> {
        let unit = self.data.unit(id);
        let name = || unit.id.clone();
        let from = self.can_fire(id)?;
        if unit.kind != Kind::NamedGunboat {
            let why = "only the named gunboats carry howitzers".to_owned();
            return Violation::Special { unit: name(), why, rule: "6.6.4.A" }.bar();
        }
        if self.data.night(self.state.turn) {
            let why = "fires no howitzer at night".to_owned();
            return Violation::Special { unit: name(), why, rule: "8.1.B" }.bar();
        }
        Ok(from)
    }

    /// Howitzer fire of a named gunboat at a hex that it need not see (6.6.4.B).
    pub fn shell(&self, id: UnitId, target: Target) -> Result<Shot, Violation> {
        let from = self.can_shell(id)?;
        let unit = self.data.unit(id);
        let (Target::Units(to) | Target::Fort(to)) = target else {
            let why = "throws shells at a hex or a fort only".to_owned();
            return Violation::Special { unit: unit.id.clone(), why, rule: "6.6.4.B" }.bar();
        };
        let range = from.distance(to);
        let reach = self.data.charts.reach(unit.army, Weapon::Howitzer);
        let effect = self.data.charts.range(unit.army, Weapon::Howitzer, range);
        let near = self.data.charts.howitzer_nearest;
        let Some(multiplier) = effect.filter(|_| (near..=reach).contains(&range)) else {
            let why =
                format!("throws shells {near} to {reach} hexes, and {target} is {range} away");
            return Violation::Special { unit: unit.id.clone(), why, rule: "6.6.4.B" }.bar();
        };
        cite("6.6.4.A");
        cite("6.6.4.B");
        Ok(Shot {
            unit: id,
            weapon: Weapon::Howitzer,
            printed: unit.fire,
            from,
            to,
            range,
            multiplier,
            factors: multiplier.of(unit.fire),
        })
    }

    /// True if only units stand in the way of a shot: they may be gone when it is
    /// fired.
    pub fn only_units_block(&self, id: UnitId, target: Target) -> bool {
        let (Some(from), Some(to)) = (self.state.hex(id), target.hex()) else {
            return false;
        };
        let blocks = self.sight(from, to, None);
        !blocks.is_empty() && blocks.iter().all(|b| b.units)
    }

    /// Everything that an army could fire at but walls: hexes, forts, the chain.
    pub fn targets_of(&self, army: Army) -> Vec<Target> {
        let enemy = army.enemy();
        let mut out = Vec::new();
        for hex in self.hexes(enemy) {
            if self.has_body(enemy, hex) {
                out.push(Target::Units(hex));
            }
            if self.fort(hex).is_some_and(|f| self.data.unit(f).army == enemy) {
                out.push(Target::Fort(hex));
            }
        }
        if army == Army::AngloEgyptian && self.state.river.chain_known {
            out.extend(self.chain().into_iter().map(Target::Chain));
        }
        out
    }

    /// True for a unit that can hit something now, of the targets of its army; a
    /// garrison's fire at its own wall is lawful, and does not count.
    pub fn hits_something(&self, id: UnitId, targets: &[Target]) -> bool {
        let Ok(from) = self.can_fire(id) else { return false };
        let unit = self.data.unit(id);
        let hits = |target: Target, hex: Hex| {
            unit.arms().any(|(weapon, _)| {
                from.distance(hex) <= self.weapon_reach(id, weapon)
                    && self.blocked(from, hex, None).is_empty()
                    && self.shot_with(id, weapon, target).is_ok()
            })
        };
        if targets.iter().any(|t| t.hex().is_some_and(|hex| hits(*t, hex))) {
            return true;
        }
        let walls = unit.weapon == Weapon::Artillery && self.besieges(unit.army);
        let far = self.fire_reach(id);
        walls
            && self.data.board.walls.iter().any(|side| {
                let (a, b) = side.hexes();
                let near = |hex: Hex| from.distance(hex) <= far;
                (near(a) || b.is_some_and(near)) && self.shot(id, Target::Wall(*side)).is_ok()
            })
    }

    /// The targets that a unit can hit now with each of its weapons, walls last.
    pub fn targets(&self, id: UnitId) -> Vec<(Target, Shot)> {
        let Ok(from) = self.can_fire(id) else { return Vec::new() };
        let unit = self.data.unit(id);
        let far = unit.arms().map(|(w, _)| self.weapon_reach(id, w)).max().unwrap_or(0);
        let mut out: Vec<(Target, Shot)> = self
            .targets_of(unit.army)
            .into_iter()
            .filter(|t| t.hex().is_none_or(|h| from.distance(h) <= far))
            .flat_map(|t| {
                unit.arms().filter_map(move |(w, _)| Some((t, self.shot_with(id, w, t).ok()?)))
            })
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

    /// The modifiers of an attack by fire (6.2.D to 6.2.F, terrain chart, 9.2.3).
    pub fn fire_modifiers(&self, army: Army, target: Target, shots: &[Shot]) -> Vec<Modifier> {
        let charts = &self.data.charts;
        let mut out = Vec::new();
        let mut add = |what: String, drm: i32, rule: &'static str| {
            if drm != 0 {
                out.push(Modifier { what, drm, rule: cite(rule).to_string() });
            }
        };
        // Ruling `howitzers`: no accuracy bonus where shells take part.
        let shells = shots.iter().any(|s| s.weapon == Weapon::Howitzer);
        if army == Army::AngloEgyptian && !shells {
            add("accuracy".to_owned(), charts.accuracy, "6.2.E");
        }
        if let Some(brigade) = self.whole_brigade(shots) {
            add(format!("integrity of {brigade}"), charts.integrity, "6.2.F");
        }
        let hex = match target {
            Target::Units(hex) | Target::Fort(hex) => hex,
            Target::Wall(_) | Target::Chain(_) => return out,
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
        let mut best: Option<(String, i32, &'static str)> = None;
        let mut offer = |what: String, drm: i32, rule: &'static str| {
            if best.as_ref().is_none_or(|(_, b, _)| drm < *b) {
                best = Some((what, drm, rule));
            }
        };
        if army == Army::Dervish
            && self.entrenched(hex)
            && !self.data.rulings.entrenched_across_only
        {
            offer("entrenched".to_owned(), charts.zariba.trench, "9.2.3.2.A");
        }
        for shot in shots.iter().filter(|s| s.weapon != Weapon::Howitzer) {
            let sides = self.sides_into(shot.from, hex);
            let all =
                |has: &dyn Fn(Side) -> bool| !sides.is_empty() && sides.iter().all(|s| has(*s));
            if all(&|s| self.wall(s)) && self.data.board.inside(hex) {
                offer(format!("wall {}", sides[0]), charts.wall.drm, "6.2.D");
            }
            if all(&|s| self.data.board.side(s).crest) {
                offer(format!("crest {}", sides[0]), charts.crest.drm, "6.2.D");
            }
            if army == Army::Dervish && all(&|s| self.works(s) == Some(Works::Thorn)) {
                offer(format!("thorn hedge {}", sides[0]), charts.zariba.thorn, "9.2.3.1.A");
            }
            if army == Army::Dervish
                && self.entrenched(hex)
                && all(&|s| self.works(s) == Some(Works::Trench))
            {
                offer(format!("trench {}", sides[0]), charts.zariba.trench, "9.2.3.2.A");
            }
        }
        if let Some((what, drm, rule)) = best {
            add(what, drm, rule);
        }
        out
    }

    /// The brigade whose four battalions are stacked in one hex and all take part
    /// (5.5.4), if there is one among the shots.
    fn whole_brigade(&self, shots: &[Shot]) -> Option<String> {
        for shot in shots {
            let Some(brigade) = &self.data.unit(shot.unit).brigade else { continue };
            let battalions = self.data.units.iter().filter(|u| u.brigade.as_ref() == Some(brigade));
            let together = shots.iter().filter(|s| {
                s.from == shot.from && self.data.unit(s.unit).brigade.as_ref() == Some(brigade)
            });
            if together.count() == 4 && battalions.count() == 4 {
                for rule in ["5.5.4.A", "5.5.4.B", "5.5.4.C"] {
                    cite(rule);
                }
                return Some(brigade.clone());
            }
        }
        None
    }

    /// What stands at a target, in words.
    pub fn target_words(&self, army: Army, target: Target) -> String {
        match target {
            Target::Wall(_) => "the wall".to_owned(),
            Target::Chain(_) => "the chain".to_owned(),
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

    /// True for units that may advance into a hex emptied by fire or melee: not
    /// artillery, gunboats, forts or Anglo-Egyptian leaders (6.8.2.C).
    pub fn may_advance_kind(&self, id: UnitId) -> bool {
        matches!(
            self.data.unit(id).kind,
            Kind::Infantry | Kind::Cavalry | Kind::Camel | Kind::Maxim | Kind::Leader
        )
    }

    /// Whether a unit may advance into an adjacent, emptied hex (6.8.2, 7.6).
    pub fn may_advance(&self, id: UnitId, to: Hex) -> Result<(), Violation> {
        let unit = self.data.unit(id);
        let from = self.on_map(id)?;
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
        if let Some(works @ Works::Thorn) = self.works(side) {
            return Violation::Zariba { side, works: works.name(), rule: "9.2.3.1.C" }.bar();
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
