//! Random fire, second fire, howitzers, retreats and melee.

use std::collections::BTreeSet;

use despatch::geometry::hex::Hex;
use despatch::omdurman::board::Terrain;
use despatch::omdurman::data::{Army, Kind, UnitId, Weapon};
use despatch::omdurman::fire::{Shot, Target};
use despatch::omdurman::position::Position;
use despatch::omdurman::state::Window;

use super::{Desk, list};

impl Desk<'_> {
    pub(super) fn combat(&mut self) {
        let state = self.position.state;
        let phasing = self.army == state.moving;
        let (direct, second) = match state.window {
            Window::Combat => (true, true),
            Window::Defence => (!phasing, false),
            Window::DefenceSecond => (false, !phasing),
            Window::Offence => (phasing, false),
            Window::OffenceSecond => (false, phasing),
            _ => (false, false),
        };
        let melee = matches!(state.window, Window::Combat | Window::Melee);
        let mut fired: BTreeSet<UnitId> = BTreeSet::new();
        if direct {
            for id in self.mine.clone() {
                if !fired.contains(&id) {
                    self.fire(id, phasing, &mut fired);
                }
            }
        }
        if second && self.army == Army::AngloEgyptian {
            for id in self.mine.clone() {
                self.second(id);
                self.shell(id);
            }
        }
        if melee && phasing {
            self.melees();
        } else if melee {
            for id in self.mine.clone() {
                self.retreat(id);
            }
        }
    }

    /// A few targets, best first.
    fn aims(&mut self, targets: &[(Target, Shot)]) -> Vec<Target> {
        let mut list: Vec<Target> = Vec::new();
        let hard = |t: &&(Target, Shot)| match t.0 {
            Target::Fort(_) | Target::Chain(_) => true,
            Target::Units(hex) => self.position.gunboat(hex).is_some(),
            Target::Wall(_) => false,
        };
        if let Some((target, _)) = targets.iter().find(hard).filter(|_| self.luck.percent(75)) {
            list.push(*target);
        }
        for _ in 0..=self.luck.below(2) {
            if let Some((target, _)) = self.luck.one(targets)
                && !list.contains(target)
            {
                list.push(*target);
            }
        }
        list
    }

    fn fire(&mut self, id: UnitId, phasing: bool, fired: &mut BTreeSet<UnitId>) {
        let targets = self.position.targets(id);
        if targets.is_empty() {
            return;
        }
        let advance = phasing && self.luck.percent(50);
        let orders = |units: String, at: &[Target], weapon: &str| {
            let mut lines = vec![units, format!("at = {}", list(at))];
            if advance {
                lines.push("advance = true".to_owned());
            }
            if !weapon.is_empty() {
                lines.push(format!("weapon = \"{weapon}\""));
            }
            lines
        };
        fired.insert(id);
        if self.luck.percent(25) {
            if self.luck.percent(60) {
                let units = self.units(&[id]);
                self.write("hold", &[units]);
            }
            return;
        }
        let unit = self.data.unit(id);
        if unit.arms().count() > 1 && self.luck.percent(60) {
            // Each weapon at its own targets.
            for (weapon, word) in [(Weapon::Artillery, "artillery"), (Weapon::Maxims, "maxim")] {
                let mine: Vec<(Target, Shot)> =
                    targets.iter().filter(|(_, s)| s.weapon == weapon).cloned().collect();
                let at = self.aims(&mine);
                if !at.is_empty() && self.luck.percent(80) {
                    let lines = orders(self.units(&[id]), &at, word);
                    self.write("fire", &lines);
                }
            }
            return;
        }
        let at = self.aims(&targets);
        // A brigade or a whole stack at one target.
        let free = |o: &UnitId| self.position.can_fire(*o).is_ok();
        if let Some(brigade) = unit.brigade.clone()
            && self.luck.percent(50)
        {
            let all: Vec<UnitId> =
                self.answering(&brigade).into_iter().filter(|o| free(o)).collect();
            if all.iter().all(|o| *o == id || !fired.contains(o)) {
                fired.extend(all);
                let lines = orders(format!("units = [\"{brigade}\"]"), &at, "");
                self.write("fire", &lines);
                return;
            }
        }
        let stack: Vec<UnitId> = self.stack_of(id).into_iter().filter(|o| free(o)).collect();
        if stack.len() > 1
            && stack.iter().all(|o| *o == id || !fired.contains(o))
            && self.luck.percent(40)
        {
            fired.extend(&stack);
            if let Some(hex) = self.position.state.hex(id) {
                let lines = orders(format!("stack = \"{hex}\""), &at, "");
                self.write("fire", &lines);
            }
            return;
        }
        let lines = orders(self.units(&[id]), &at, "");
        self.write("fire", &lines);
    }

    /// Second fire of Maxims (6.4.2.B).
    fn second(&mut self, id: UnitId) {
        if !self.data.unit(id).has_maxims() || self.luck.percent(40) {
            return;
        }
        let hits = |t: &Target| self.position.shot_with(id, Weapon::Maxims, *t).is_ok();
        let targets: Vec<Target> =
            self.enemies().into_iter().map(Target::Units).filter(hits).collect();
        let Some(target) = self.luck.one(&targets).copied() else { return };
        let mut lines = vec![self.units(&[id]), format!("at = [\"{target}\"]")];
        if self.army == self.position.state.moving && self.luck.percent(50) {
            lines.push("advance = true".to_owned());
        }
        self.write("second", &lines);
    }

    /// Howitzer fire (6.6.4), mostly at enemies, now and then beside friends.
    fn shell(&mut self, id: UnitId) {
        if self.position.can_shell(id).is_err() || self.luck.percent(20) {
            return;
        }
        let mut targets: Vec<Target> = Vec::new();
        for hex in self.enemies() {
            targets.push(Target::Units(hex));
            if self.position.fort(hex).is_some() {
                targets.push(Target::Fort(hex));
            }
            if self.luck.percent(5) {
                let beside = self.data.board.neighbours(hex).map(|(_, n)| Target::Units(n));
                targets.extend(beside);
            }
        }
        targets.retain(|t| self.position.shell(id, *t).is_ok());
        let Some(target) = self.luck.one(&targets).copied() else { return };
        let mut lines = vec![self.units(&[id]), format!("at = [\"{target}\"]")];
        lines.push("weapon = \"howitzer\"".to_owned());
        if self.luck.percent(70) {
            lines.push("combine = true".to_owned());
        }
        self.write("fire", &lines);
    }

    /// What cavalry and camels do when infantry comes (7.5).
    fn retreat(&mut self, id: UnitId) {
        let kind = self.data.unit(id).kind;
        let Some(from) = self.position.state.hex(id) else { return };
        if !matches!(kind, Kind::Cavalry | Kind::Camel) || !self.position.fears_infantry(id) {
            return;
        }
        let board = &self.data.board;
        let mut paths: Vec<[Hex; 2]> = Vec::new();
        for (_, a) in board.neighbours(from) {
            for (_, b) in board.neighbours(a) {
                if self.position.may_retreat(id, [a, b]).is_ok() {
                    paths.push([a, b]);
                }
            }
        }
        let way = match (self.luck.below(4), self.luck.one(&paths)) {
            (0, _) => "how = \"never\"".to_owned(),
            (1, _) => "how = \"away\"".to_owned(),
            (2, Some(path)) => format!("path = {}", list(path)),
            _ => return,
        };
        let units = self.units(&[id]);
        self.write("retreat", &[units, way]);
    }

    // ------------------------------------------------------------------ melee

    fn melees(&mut self) {
        let mut named: BTreeSet<UnitId> = BTreeSet::new();
        for id in self.mine.clone() {
            if named.contains(&id) || self.luck.percent(25) {
                continue;
            }
            let hexes = storms(self.position, id);
            let Some(hex) = self.luck.one(&hexes).copied() else { continue };
            let mut at = vec![hex];
            at.extend(self.luck.one(&hexes).copied().filter(|h| *h != hex));
            let class = self.data.unit(id).class.clone();
            let able: Vec<UnitId> = self
                .answering(&class)
                .into_iter()
                .filter(|o| self.position.can_melee(*o).is_ok() && !named.contains(o))
                .collect();
            let many = able.len() > 1 && able.contains(&id) && self.data.find(&class).is_none();
            let units = if many && self.luck.percent(30) {
                named.extend(able);
                format!("units = [\"{class}\"]")
            } else {
                named.insert(id);
                self.units(&[id])
            };
            let advance = self.army == Army::Dervish || self.luck.percent(50);
            let lines = [units, format!("at = {}", list(&at)), format!("advance = {advance}")];
            self.write("melee", &lines);
        }
    }
}

/// The hexes that a unit may attack: those with a fort only where infantry could join
/// in (6.5.4.F).
fn storms(position: &Position<'_>, id: UnitId) -> Vec<Hex> {
    let data = position.data;
    let army = data.unit(id).army;
    let stormed = |hex: &Hex| {
        let fort = position.fort(*hex).is_some_and(|f| data.unit(f).army != army);
        let infantry = |from: Hex| {
            position.of(army, from).any(|friend| {
                data.unit(friend).kind == Kind::Infantry && position.may_melee(friend, *hex).is_ok()
            })
        };
        !fort || data.board.neighbours(*hex).any(|(_, from)| infantry(from))
    };
    let mut hexes = position.melee_targets(id);
    hexes.retain(|hex| data.board.terrain(*hex) != Terrain::Nile && stormed(hex));
    hexes
}
