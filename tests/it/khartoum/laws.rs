//! The laws that the rules imply, over one phase after another of a game: written
//! again from the rules text, with nothing of the engine but its map and counters.

use std::collections::{BTreeMap, BTreeSet};

use despatch::geometry::hex::{Dir, Hex, Side};
use despatch::omdurman::board::{Bank, Terrain, Works};
use despatch::omdurman::data::{Army, Cell, Data, Kind, UnitId, Victory};
use despatch::omdurman::events::{Event, Fight, FightKind, Rolled};
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{Place, Secret, State, Window};

use super::Counts;

const ARMIES: [Army; 2] = [Army::AngloEgyptian, Army::Dervish];

/// One game under the laws.
pub struct Laws<'a> {
    data: &'a Data,
    /// Victory points by what was lost, Anglo-Egyptian first.
    points: [u32; 2],
    /// An Anglo-Egyptian unit that is no gunboat was lost on the west bank.
    fell_west: bool,
    /// Things that happened, for tests that want them to.
    pub seen: Counts,
}

impl<'a> Laws<'a> {
    /// A game that begins with a state.
    pub fn new(data: &'a Data, start: &State) -> Self {
        let points = ARMIES.map(|army| start.points(army));
        Self { data, points, fell_west: false, seen: Counts::new() }
    }

    /// Holds one phase against the laws.
    pub fn phase(&mut self, before: &State, events: &[Event], after: &State, here: &str) {
        let mut phase = Phase {
            data: self.data,
            here,
            held: Position::new(self.data, before),
            state: before.clone(),
            fired: BTreeSet::new(),
            attacked: BTreeSet::new(),
            retreated: BTreeSet::new(),
            loaded: BTreeSet::new(),
        };
        for event in events {
            if let Some(word) = kind_of(self.data, event) {
                *self.seen.entry(word).or_default() += 1;
            }
            if let Event::Eliminated { unit, .. } = event {
                let id = self.data.find(unit).unwrap();
                let (army, points) = worth(self.data, &phase.state, id);
                self.points[army as usize] += points;
                let west = phase.state.hex(id).and_then(|h| self.data.board.bank(h));
                let unit = self.data.unit(id);
                self.fell_west |= unit.army == Army::AngloEgyptian && west == Some(Bank::West);
            }
            phase.event(event);
            phase.state.apply(self.data, event);
        }
        assert_eq!(&phase.state, after, "{here}: the fold of the events is the state after");
        state_laws(self.data, before, after, here);
        for army in ARMIES {
            let scored = after.points(army);
            assert_eq!(scored, self.points[army as usize], "{here}: points of {army:?}");
        }
        if let Some(result) = &after.result {
            let ours = self.result(before, events, after);
            assert_eq!(*result, ours, "{here}: the result");
        }
    }

    /// The result of a game that is over, by rules 9.1.4, 9.2.4 and 9.3.5.
    fn result(&self, before: &State, events: &[Event], after: &State) -> String {
        let data = self.data;
        let alive = |id: &UnitId| {
            matches!(after.unit(*id).place, Place::At(_) | Place::Waiting | Place::Aboard { .. })
        };
        let lost = |army: Army, forts: bool| {
            data.ids()
                .filter(|id| data.unit(*id).army == army)
                .filter(|id| forts || data.unit(*id).kind != Kind::Fort)
                .filter(|id| matches!(after.unit(*id).place, Place::Eliminated(_)))
                .count()
        };
        match &data.scenario.victory {
            Victory::Eliminations(_) => {
                let level = |n: usize, table: [usize; 4]| {
                    table.iter().filter(|least| n >= **least).count() + 1
                };
                let ours = level(lost(Army::Dervish, true), [30, 45, 60, 100]);
                let theirs = level(lost(Army::AngloEgyptian, true), [5, 10, 15, 30]);
                let names = ["", "Draw", "Marginal", "Tactical", "Strategic", "Decisive"];
                let side = if ours > theirs { "Anglo-Egyptian" } else { "Dervish" };
                match ours.abs_diff(theirs) {
                    0 | 1 => "Draw".to_owned(),
                    net => format!("{side} {}", names[net]),
                }
            }
            Victory::Points(_) => {
                let of = |army| data.ids().filter(move |id| data.unit(*id).army == army);
                if !of(Army::Dervish).any(|id| alive(&id)) {
                    return "Anglo-Egyptian Decisive".to_owned();
                }
                let west = |id: UnitId| {
                    !data.unit(id).kind.is_gunboat()
                        && after.hex(id).is_some_and(|h| data.board.bank(h) == Some(Bank::West))
                };
                if self.fell_west && !of(Army::AngloEgyptian).any(west) {
                    return "Dervish Decisive".to_owned();
                }
                let sound = |id: &UnitId| {
                    after.hex(*id) == data.scenario.tomb
                        && data.unit(*id).army == Army::AngloEgyptian
                        && !after.disrupted(*id)
                };
                let staff = data.ids().any(|id| sound(&id) && data.unit(id).kind == Kind::Staff);
                let force = data.ids().any(|id| {
                    let unit = data.unit(id);
                    sound(&id) && unit.kind != Kind::Staff && !unit.friendlies
                });
                let tomb = if staff && force { [25, 0] } else { [0, 25] };
                let [ours, theirs] = [0, 1].map(|i| self.points[i] + tomb[i]);
                let (side, ahead, table) = if ours > theirs {
                    ("Anglo-Egyptian", ours - theirs, [15, 30, 50])
                } else {
                    ("Dervish", theirs - ours, [10, 20, 30])
                };
                match table.iter().filter(|least| ahead >= **least).count() {
                    0 => "Draw".to_owned(),
                    n => format!("{side} {}", ["Marginal", "Tactical", "Decisive"][n - 1]),
                }
            }
            Victory::Gordon(_) => {
                let fell = events.iter().find_map(|e| match e {
                    Event::GordonFell { turn, .. } => Some(*turn),
                    _ => None,
                });
                let scale = [
                    "Dervish Decisive",
                    "Dervish Tactical",
                    "Dervish Marginal",
                    "British Marginal",
                    "British Tactical",
                    "British Decisive",
                ];
                let penalty = match lost(Army::Dervish, false) {
                    0..=15 => 0,
                    16..=23 => 1,
                    24..=31 => 2,
                    _ => 3,
                };
                match fell.or(before.gordon_fell) {
                    None => "British Decisive".to_owned(),
                    Some(0..=4) => scale[penalty].to_owned(),
                    Some(5) => scale[1 + penalty].to_owned(),
                    Some(6) => scale[2 + penalty].to_owned(),
                    Some(7) => "British Marginal".to_owned(),
                    Some(_) => "British Tactical".to_owned(),
                }
            }
        }
    }
}

/// Whose points the loss of a unit gives, and how many (9.1.4.1, 9.1.4.2).
fn worth(data: &Data, state: &State, id: UnitId) -> (Army, u32) {
    let unit = data.unit(id);
    if !matches!(data.scenario.victory, Victory::Points(_)) {
        return (unit.army.enemy(), 0);
    }
    let points = match (unit.army, unit.kind) {
        (Army::Dervish, Kind::Fort) => 0,
        (Army::Dervish, _) if unit.id == "khalifa" => 10,
        (Army::Dervish, _) => 1,
        (_, Kind::Staff | Kind::Gunboat | Kind::NamedGunboat) => 10,
        _ if unit.friendlies => match state.unit(id).place {
            Place::At(hex) if data.board.bank(hex) != Some(Bank::East) => 3,
            _ => 1,
        },
        _ => 3,
    };
    (unit.army.enemy(), points)
}

/// What to count an event as, if it is one of those that are rare.
fn kind_of(data: &Data, event: &Event) -> Option<String> {
    let word = match event {
        Event::Loaded { .. } => "loaded",
        Event::Landed { .. } => "landed",
        Event::Built { .. } => "built",
        Event::Demolished { .. } => "demolished",
        Event::GaveUp { .. } => "gave up",
        Event::Struck { .. } => "mine struck",
        Event::Drifted { .. } => "drifted",
        Event::Chained { .. } => "chained",
        Event::ChainSunk { .. } => "chain sunk",
        Event::Retreated { .. } => "retreated",
        Event::Deserted { .. } => "deserted",
        Event::Breached { .. } => "breached",
        Event::Hidden { .. } => "hidden",
        Event::Stopped { .. } => "boat stopped",
        Event::Eliminated { unit, .. } => {
            let unit = data.unit(data.find(unit)?);
            match unit.kind {
                Kind::Staff => "leader lost",
                Kind::Fort => "fort lost",
                Kind::Gunboat | Kind::NamedGunboat => "gunboat sunk",
                _ if unit.id == "isa-zachneih" => "Isa killed",
                _ => return None,
            }
        }
        Event::Fight(fight) if !fight.impacts.is_empty() => match fight.kind {
            FightKind::Second => "howitzer combined",
            _ if fight.effect.contains("own side") => "shell on friends",
            _ => "howitzer alone",
        },
        _ => return None,
    };
    Some(word.to_owned())
}

/// One phase as it goes on.
struct Phase<'a> {
    data: &'a Data,
    here: &'a str,
    /// The position when the phase began.
    held: Position<'a>,
    state: State,
    fired: BTreeSet<(u8, String, String)>,
    attacked: BTreeSet<String>,
    retreated: BTreeSet<String>,
    loaded: BTreeSet<String>,
}

impl Phase<'_> {
    fn unit(&self, name: &str) -> UnitId {
        self.data.find(name).unwrap()
    }

    fn event(&mut self, event: &Event) {
        let here = self.here;
        match event {
            Event::Fight(fight) => self.fight(fight),
            Event::Moved { unit, path, cost, allowance } => {
                let id = self.unit(unit);
                assert_eq!(self.state.hex(id), path.first().copied(), "{here}: {unit} jumps");
                assert!(!self.loaded.contains(unit), "{here}: {unit} takes on board and sails");
                self.walk(unit, path, *cost, *allowance, None);
            }
            Event::Entered { unit, path, cost, allowance } => {
                let id = self.unit(unit);
                assert_eq!(self.state.unit(id).place, Place::Waiting, "{here}: {unit} enters");
                let entry = self.data.scenario.entry(id).unwrap();
                assert!(entry.hexes.contains(&path[0]), "{here}: {unit} enters at {}", path[0]);
                assert!(self.state.turn >= entry.from, "{here}: {unit} enters early");
                let terrain = self.data.charts.terrain(self.data.board.terrain(path[0])).mp;
                self.walk(unit, path, *cost, *allowance, Some(entry.mp.unwrap_or(terrain)));
            }
            Event::Landed { unit, boat, path, cost, allowance } => {
                let id = self.unit(unit);
                let Place::Aboard { boat: on, since } = self.state.unit(id).place else {
                    panic!("{here}: {unit} lands from nowhere");
                };
                assert_eq!(on, self.unit(boat), "{here}");
                assert!(self.state.turn >= since + 2, "{here}: {unit} lands too soon");
                let lies = self.state.hex(on).unwrap();
                assert_eq!(lies.distance(path[0]), 1, "{here}: {unit} lands far from {boat}");
                assert_eq!(self.data.board.bank(path[0]), Some(Bank::West), "{here}: {unit}");
                let terrain = self.data.charts.terrain(self.data.board.terrain(path[0])).mp;
                self.walk(unit, path, *cost, *allowance, Some(terrain));
            }
            Event::Loaded { unit, boat, .. } => {
                let (id, on) = (self.unit(unit), self.unit(boat));
                assert!(self.data.unit(id).friendlies, "{here}: {unit} is carried");
                let isa = self.unit("isa-zachneih");
                let dead = matches!(self.state.unit(isa).place, Place::Eliminated(_));
                assert!(dead, "{here}: Isa lives and {unit} is carried");
                let (a, b) = (self.state.hex(id).unwrap(), self.state.hex(on).unwrap());
                assert_eq!(a.distance(b), 1, "{here}: {unit} is not beside {boat}");
                self.loaded.insert(boat.clone());
            }
            Event::Advanced { from, to, unit, .. } => {
                let id = self.unit(unit);
                assert_eq!(self.state.hex(id), Some(*from), "{here}: {unit}");
                assert_eq!(from.distance(*to), 1, "{here}: {unit} advances one hex");
                let side = Side::between(*from, *to).unwrap();
                assert!(!self.standing_wall(side), "{here}: {unit} advances over a wall");
                assert!(!self.data.board.side(side).khor, "{here}: {unit} advances over a khor");
                let thorn = self.works(side) == Some(Works::Thorn);
                assert!(!thorn, "{here}: {unit} advances over the hedge");
                let kind = self.data.unit(id).kind;
                let guns = matches!(kind, Kind::Artillery | Kind::Fort | Kind::Staff);
                assert!(!guns && !kind.is_gunboat(), "{here}: {unit} advances");
                assert!(!self.state.disrupted(id), "{here}: {unit} advances disrupted");
                assert_eq!(self.data.unit(id).army, self.state.moving, "{here}: {unit} advances");
            }
            Event::Retreated { unit, path, .. } => self.retreat(unit, path),
            Event::Eliminated { unit, .. } => {
                let id = self.unit(unit);
                let there =
                    matches!(self.state.unit(id).place, Place::At(_) | Place::Aboard { .. });
                assert!(there, "{here}: {unit} is lost twice");
                assert_ne!(Some(id), self.data.scenario.gordon_id(), "{here}: Gordon is shot");
            }
            Event::Deserted { unit, .. } => {
                let id = self.unit(unit);
                let kind = self.data.unit(id).kind;
                let bound = unit == "khalifa" || kind == Kind::Artillery || kind == Kind::Fort;
                assert!(self.state.hex(id).is_some(), "{here}: {unit} deserts from nowhere");
                assert!(!bound && !kind.is_gunboat(), "{here}: {unit} deserts");
                assert_eq!(self.data.unit(id).army, Army::Dervish, "{here}: {unit} deserts");
            }
            Event::Drifted { unit, path, .. } => {
                let id = self.unit(unit);
                assert!(self.state.damaged.contains(&id), "{here}: {unit} drifts");
                assert!(path.len() <= 3, "{here}: {unit} drifts too far");
                for pair in path.windows(2) {
                    let flow = self.data.board.flow(pair[0]).unwrap();
                    assert_eq!(pair[0].step(flow), Some(pair[1]), "{here}: {unit} drifts");
                }
            }
            Event::Built { side, unit, .. } => {
                let hex = self.state.hex(self.unit(unit)).unwrap();
                assert!(side.of(hex) && self.data.board.side(*side).zariba.is_some(), "{here}");
            }
            _ => {}
        }
    }

    fn standing_wall(&self, side: Side) -> bool {
        self.data.board.side(side).wall && !self.state.breaches.contains(&side)
    }

    fn works(&self, side: Side) -> Option<Works> {
        self.data.board.side(side).zariba.filter(|_| self.state.zariba.contains(&side))
    }

    /// No wall, no hedge, no trench, no enemies, no water but for boats, no closed city.
    fn step(&self, unit: &str, from: Hex, to: Hex) {
        let here = self.here;
        let id = self.unit(unit);
        let boat = self.data.unit(id).kind.is_gunboat();
        if from.distance(to) > 1 {
            let (white, blue) = &self.data.board.mouths;
            let mouths = |a: &Hex, b: &Hex| white.contains(a) && blue.contains(b);
            assert!(boat && (mouths(&from, &to) || mouths(&to, &from)), "{here}: {unit} jumps");
        } else {
            let side = Side::between(from, to).unwrap();
            assert!(boat || !self.standing_wall(side), "{here}: {unit} crosses a wall");
            let barred = matches!(self.works(side), Some(Works::Thorn | Works::Trench));
            assert!(boat || !barred, "{here}: {unit} crosses the Zariba");
        }
        self.stands(unit, to);
    }

    /// Where a unit may be at all.
    fn stands(&self, unit: &str, to: Hex) {
        let here = self.here;
        let id = self.unit(unit);
        let board = &self.data.board;
        let boat = self.data.unit(id).kind.is_gunboat();
        assert_eq!(board.terrain(to) == Terrain::Nile, boat, "{here}: {unit} in {to}");
        assert!(!shut_out(self.data, id, to), "{here}: {unit} in the walled city");
        for other in self.data.ids().filter(|o| self.state.hex(*o) == Some(to)) {
            let unlike = self.data.unit(other).army != self.data.unit(id).army;
            let staff = self.data.unit(other).kind == Kind::Staff;
            assert!(!unlike || staff, "{here}: {unit} enters the hex of an enemy, {to}");
        }
    }

    fn walk(&self, unit: &str, path: &[Hex], cost: u32, allowance: u32, entry: Option<u32>) {
        let (here, data) = (self.here, self.data);
        let id = self.unit(unit);
        let counter = data.unit(id);
        let boat = counter.kind.is_gunboat();
        assert!(!self.state.disrupted(id), "{here}: {unit} moves disrupted");
        assert_ne!(counter.kind, Kind::Fort, "{here}");
        assert_ne!(Some(id), data.scenario.gordon_id(), "{here}");
        assert!(!self.state.damaged.contains(&id), "{here}: {unit} sails without engines");
        assert_eq!(counter.army, self.state.moving, "{here}: {unit} moves");
        let mut sum = entry.unwrap_or(0);
        let mut upstream = false;
        if entry.is_some() {
            self.stands(unit, path[0]);
        }
        for pair in path.windows(2) {
            self.step(unit, pair[0], pair[1]);
            sum += self.price(pair[0], pair[1], boat);
            upstream |= boat && against(data, pair[0], pair[1]);
        }
        assert_eq!(sum, cost, "{here}: what {unit} pays for {path:?}");
        let night =
            data.scenario.night.contains(&self.state.turn) && counter.army == Army::AngloEgyptian;
        let half = |n: u32| if night { n / 2 } else { n };
        let most = if upstream { half(counter.ma) } else { half(counter.down) };
        assert!(
            cost <= allowance && allowance <= most,
            "{here}: {unit} goes {cost} of {allowance}"
        );
        // 5.2.6: who comes into an enemy zone of control stops there.
        let through = match entry {
            Some(_) => &path[..path.len() - 1],
            None if path.len() > 1 => &path[1..path.len() - 1],
            None => &[],
        };
        for hex in through {
            let held = self.held.held_in(id, *hex);
            assert!(held.is_none(), "{here}: {unit} passes {hex} in a zone of control");
        }
        if boat {
            self.chain(unit, id, path);
        }
    }

    /// Movement points of a step, from the terrain chart.
    fn price(&self, from: Hex, to: Hex, boat: bool) -> u32 {
        let (board, charts) = (&self.data.board, &self.data.charts);
        if boat {
            return if from.distance(to) > 1 { 6 } else { charts.terrain(Terrain::Nile).mp };
        }
        let dir = from.direction_to(to).unwrap();
        let edge = board.edge(from, dir);
        let side = Side::new(from, dir);
        let mut sum = if edge.road {
            charts.road_mp
        } else {
            charts.terrain(board.terrain(to)).mp
                + if edge.khor { charts.khor.mp } else { 0 }
                + if edge.crest { charts.crest.mp } else { 0 }
        };
        if edge.gate && (!edge.road || self.data.rulings.gate_adds_on_road) {
            sum += charts.gate.mp;
        }
        if self.state.breaches.contains(&side) {
            sum += charts.breach.mp;
        }
        if self.works(side) == Some(Works::End) {
            sum += 2;
        }
        sum
    }

    /// 10.2.C, D: a boat stops in a chained hex and goes back the way that it came.
    fn chain(&self, unit: &str, id: UnitId, path: &[Hex]) {
        let here = self.here;
        let chain: Vec<Hex> = if self.state.river.chain_sunk {
            Vec::new()
        } else {
            let secrets = self.state.river.notes.iter().filter_map(|n| Secret::parse(&n.text));
            secrets
                .flat_map(|s| if let Secret::Chain(hexes) = s { hexes } else { Vec::new() })
                .collect()
        };
        for hex in path.iter().skip(1).rev().skip(1) {
            assert!(!chain.contains(hex), "{here}: {unit} passes the chain at {hex}");
        }
        if path.len() > 1 && chain.contains(&path[0]) {
            assert!(!chain.contains(&path[1]), "{here}: {unit} goes along the chain");
            if let Some(came) = self.state.chained.get(&id) {
                let water = pool(self.data, *came, &chain);
                let back = water.contains(&path[1]);
                assert!(back, "{here}: {unit} crosses the chain from {came} to {}", path[1]);
            }
        }
    }

    fn retreat(&mut self, unit: &str, path: &[Hex]) {
        let here = self.here;
        let id = self.unit(unit);
        let kind = self.data.unit(id).kind;
        assert!(matches!(kind, Kind::Cavalry | Kind::Camel), "{here}: {unit} retreats");
        assert!(self.retreated.insert(unit.to_owned()), "{here}: {unit} retreats twice");
        assert!(!self.state.disrupted(id), "{here}: {unit} retreats disrupted");
        assert_ne!(self.data.unit(id).army, self.state.moving, "{here}: {unit} retreats");
        assert_eq!(self.state.hex(id), path.first().copied(), "{here}: {unit} retreats");
        assert_eq!(path.len(), 3, "{here}: {unit} retreats two hexes");
        assert_eq!(path[0].distance(path[2]), 2, "{here}: {unit} retreats two hexes");
        for pair in path.windows(2) {
            self.step(unit, pair[0], pair[1]);
        }
    }

    // ------------------------------------------------------------------ fights

    fn fight(&mut self, fight: &Fight) {
        let here = self.here;
        let label = &fight.attack.label;
        assert!(self.attacked.insert(label.clone()), "{here}: {label} twice");
        let once = match fight.kind {
            FightKind::Howitzer | FightKind::Melee => String::new(),
            kind => format!("{kind:?} {}", fight.target),
        };
        if !once.is_empty() {
            assert!(self.attacked.insert(once.clone()), "{here}: {once} attacked twice");
        }
        let step = match fight.kind {
            FightKind::Defence => 0,
            FightKind::Offence => 1,
            FightKind::Second | FightKind::Howitzer => 2,
            FightKind::Melee => 3,
        };
        for part in &fight.attack.parts {
            let key = (step, part.unit.clone(), part.weapon.clone());
            assert!(self.fired.insert(key), "{here}: {} fires twice", part.unit);
        }
        for rolled in std::iter::once(&fight.attack).chain(&fight.defence) {
            self.rolled(fight, rolled);
        }
        for part in &fight.attack.parts {
            self.attacks(fight, &part.unit, part.from);
        }
    }

    fn rolled(&self, fight: &Fight, rolled: &Rolled) {
        let (here, data) = (self.here, self.data);
        let sum: u32 = rolled.parts.iter().map(|p| p.factors).sum();
        assert_eq!(sum, rolled.factors, "{here}");
        let drm: i32 = rolled.modifiers.iter().map(|m| m.drm).sum();
        assert_eq!(rolled.total, i32::try_from(rolled.die).unwrap() + drm, "{here}");
        let cell = data.charts.result(rolled.factors, rolled.total);
        let text = match cell {
            Cell::Nothing => "-".to_owned(),
            Cell::Disrupt => "D".to_owned(),
            Cell::Eliminate(n) => n.to_string(),
        };
        assert_eq!(text, rolled.result, "{here}: the chart");
        if !matches!(cell, Cell::Disrupt) {
            assert!(rolled.disrupted.is_empty(), "{here}: a number disrupts nobody");
        }
        if let Cell::Eliminate(n) = cell {
            // Rules 6.6.2.B and 6.6.3.D: one goes with a fort, one beside a wall.
            assert!(rolled.lost.len() <= (n as usize).max(2), "{here}: too many are lost");
        }
        for part in &rolled.parts {
            let id = self.unit(&part.unit);
            let may = data.rulings.disrupted_defend && fight.kind == FightKind::Melee;
            assert!(may || !self.state.disrupted(id), "{here}: {} is disrupted", part.unit);
            assert_eq!(self.state.hex(id), Some(part.from), "{here}: {}", part.unit);
        }
    }

    fn attacks(&self, fight: &Fight, unit: &str, from: Hex) {
        let (here, data) = (self.here, self.data);
        let id = self.unit(unit);
        let counter = data.unit(id);
        assert_eq!(counter.army, fight.attacker, "{here}: {unit}");
        if fight.attacker == self.state.moving {
            assert!(!self.state.tasks.contains_key(&id), "{here}: {unit} works and fights");
        }
        match fight.kind {
            FightKind::Second | FightKind::Howitzer => {
                let able = counter.has_maxims() || counter.kind == Kind::NamedGunboat;
                assert!(able, "{here}: {unit} fires in the second subphase");
            }
            FightKind::Melee => {
                let kinds = [Kind::Infantry, Kind::Cavalry, Kind::Camel, Kind::Leader];
                assert!(kinds.contains(&counter.kind), "{here}: {unit} attacks in melee");
                let to = Hex::parse(&fight.target).unwrap();
                let side = Side::between(from, to);
                let side = side.unwrap_or_else(|| panic!("{here}: {unit} attacks from afar"));
                assert!(!self.standing_wall(side), "{here}: {unit} attacks over a wall");
                assert!(!data.board.side(side).khor, "{here}: {unit} attacks over a khor");
                let thorn = self.works(side) == Some(Works::Thorn);
                assert!(!thorn, "{here}: {unit} attacks over the hedge");
            }
            _ => {}
        }
    }
}

/// True for a unit that may not be in a hex of walled Omdurman (5.2.3).
fn shut_out(data: &Data, id: UnitId, hex: Hex) -> bool {
    if !data.board.city_closed || !data.board.inside(hex) {
        return false;
    }
    let unit = data.unit(id);
    match unit.army {
        Army::AngloEgyptian => unit.friendlies || unit.kind.is_gunboat(),
        Army::Dervish => {
            let tribe = unit.tribe.as_deref() == Some("taiasha");
            let guns = matches!(unit.kind, Kind::Artillery | Kind::Fort);
            !(tribe || guns || unit.id == "khalifa")
        }
    }
}

/// True for a step of a boat against the current.
fn against(data: &Data, from: Hex, to: Hex) -> bool {
    match (from.direction_to(to), data.board.flow(from)) {
        (Some(dir), Some(flow)) => flow.turns(dir) > 1,
        (Some(_), None) => false,
        // From the White Nile to the Blue (9.3.4.E).
        (None, _) => true,
    }
}

/// The water that can be reached without passing the chain.
fn pool(data: &Data, from: Hex, chain: &[Hex]) -> BTreeSet<Hex> {
    let mut seen = BTreeSet::from([from]);
    let mut queue = vec![from];
    while let Some(hex) = queue.pop() {
        for next in Dir::ALL.iter().filter_map(|d| data.board.neighbour(hex, *d)) {
            let open = data.board.terrain(next) == Terrain::Nile && !chain.contains(&next);
            if open && seen.insert(next) {
                queue.push(next);
            }
        }
    }
    seen
}

/// The laws of a position, and of two that follow each other.
fn state_laws(data: &Data, before: &State, after: &State, here: &str) {
    let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
    for id in data.ids() {
        if let Some(hex) = after.hex(id) {
            there.entry(hex).or_default().push(id);
        }
    }
    for (hex, all) in &there {
        let armies: BTreeSet<Army> = all.iter().map(|id| data.unit(*id).army).collect();
        if armies.len() > 1 {
            let alone = all.iter().all(|id| {
                let unit = data.unit(*id);
                unit.army == Army::Dervish || unit.kind == Kind::Staff
            });
            assert!(alone, "{here}: both sides in {hex}");
        }
        for army in armies {
            let units: Vec<UnitId> =
                all.iter().copied().filter(|id| data.unit(*id).army == army).collect();
            stack_laws(data, *hex, &units, here);
        }
    }
    for id in data.ids() {
        let (unit, old, new) = (data.unit(id), before.unit(id), after.unit(id));
        if let Some(hex) = after.hex(id) {
            let nile = data.board.terrain(hex) == Terrain::Nile;
            assert_eq!(nile, unit.kind.is_gunboat(), "{here}: {} in {hex}", unit.id);
            assert!(!shut_out(data, id, hex), "{here}: {} in the walled city", unit.id);
        }
        match (&old.place, &new.place) {
            (Place::Eliminated(_) | Place::Out, _) => {
                assert_eq!(old, new, "{here}: {} comes back", unit.id);
            }
            (a, Place::Waiting) => {
                assert_eq!(*a, Place::Waiting, "{here}: {} waits again", unit.id);
            }
            (_, Place::Aboard { boat, .. }) => {
                assert!(after.hex(*boat).is_some(), "{here}: {} on a lost boat", unit.id);
                assert_eq!(after.aboard(data, *boat).len(), 1, "{here}: {}", data.unit(*boat).id);
            }
            _ => {}
        }
        if after.disrupted(id) {
            let can = after.hex(id).is_some() && unit.kind != Kind::Fort;
            assert!(can && !unit.kind.is_gunboat(), "{here}: {} is disrupted", unit.id);
        }
    }
    assert!(before.breaches.is_subset(&after.breaches), "{here}: a breach is mended");
    assert!(before.zariba.is_subset(&after.zariba), "{here}: a part of the Zariba is gone");
    assert!(after.score.starts_with(&before.score), "{here}: points are taken away");
    assert!(!before.river.chain_sunk || after.river.chain_sunk, "{here}: the chain is up again");
    let notes = before.river.notes.iter().zip(&after.river.notes);
    for (a, b) in notes {
        assert_eq!((&a.text, &a.salt), (&b.text, &b.salt), "{here}: a note is changed");
        assert!(!a.opened || b.opened, "{here}: a note is sealed again");
    }
    assert!(before.river.notes.len() <= after.river.notes.len(), "{here}: a note is gone");
    assert_eq!(after.result.is_some(), after.window == Window::End, "{here}");
}

/// Rules 5.5.1 to 5.5.3 for the units of one army in a hex.
fn stack_laws(data: &Data, hex: Hex, units: &[UnitId], here: &str) {
    let named = || units.iter().map(|id| data.unit(*id).id.as_str()).collect::<Vec<_>>();
    let counted = units.iter().filter(|id| match data.unit(**id).kind {
        Kind::Leader | Kind::Staff => false,
        Kind::Fort => data.rulings.forts_count,
        _ => true,
    });
    assert!(counted.count() <= 4, "{here}: {hex} holds {:?}", named());
    let forts = units.iter().filter(|id| data.unit(**id).kind == Kind::Fort).count();
    assert!(forts <= 1, "{here}: {forts} forts in {hex}");
    let boats = units.iter().any(|id| data.unit(*id).kind.is_gunboat());
    assert!(!boats || units.len() == 1, "{here}: {hex} holds {:?}", named());
    let mut tribes: BTreeSet<&str> =
        units.iter().filter_map(|id| data.unit(*id).tribe.as_deref()).collect();
    let guns = |id: &UnitId| {
        let unit = data.unit(*id);
        unit.army == Army::Dervish && unit.kind == Kind::Artillery
    };
    if data.rulings.guns_own_group && units.iter().any(guns) {
        tribes.insert("guns");
    }
    assert!(tribes.len() <= 1, "{here}: {hex} holds {tribes:?}");
    for leader in units.iter().filter(|id| data.unit(**id).kind == Kind::Leader) {
        let colour = &data.unit(*leader).colour;
        let like = |id: &UnitId| {
            let unit = data.unit(*id);
            unit.kind == Kind::Fort || colour.is_none() || unit.colour == *colour
        };
        assert!(units.iter().all(like), "{here}: {hex} holds {:?}", named());
    }
}
