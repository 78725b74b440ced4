//! Melee (7.0): who may attack whom, and the modifiers of both rolls.

use crate::geometry::hex::{Hex, Side};

use super::board::Works;
use super::cite::cite;
use super::data::{Army, Kind, UnitId};
use super::events::Modifier;
use super::position::Position;
use super::violation::Violation;

impl Position<'_> {
    /// Whether a unit may attack in melee at all (7.4.A, 7.1.B, 6.5.4.B, 7.8.B).
    pub fn can_melee(&self, id: UnitId) -> Result<Hex, Violation> {
        let unit = self.data.unit(id);
        let name = || unit.id.clone();
        let hex = self.on_map(id)?;
        let refuse = |why, rule| Violation::CannotMelee { unit: name(), why, rule }.bar();
        match unit.kind {
            Kind::Infantry | Kind::Cavalry | Kind::Camel => {}
            Kind::Leader => {
                cite("6.5.1.A");
            }
            Kind::Fort => return refuse("a fort's melee factor defends only", "6.5.4.B"),
            Kind::Gunboat | Kind::NamedGunboat => return refuse("gunboats have none", "7.1.B"),
            Kind::Artillery | Kind::Maxim => return refuse("guns only defend", "7.4.A"),
            Kind::Staff => return refuse("British leaders only move", "6.5.1.B"),
        }
        if self.state.disrupted(id) {
            return Violation::Disrupted { unit: name(), what: "melee" }.bar();
        }
        self.free(id)?;
        cite("7.4.A");
        Ok(hex)
    }

    /// The enemies in a hex that a melee there is against: all but gunboats and
    /// Anglo-Egyptian leaders, the fort included (7.4.B).
    pub fn defenders(&self, attacker: Army, hex: Hex) -> Vec<UnitId> {
        self.of(attacker.enemy(), hex)
            .filter(|id| {
                let kind = self.data.unit(*id).kind;
                !kind.is_gunboat() && kind != Kind::Staff
            })
            .collect()
    }

    /// Everything of the enemy in a hex that fire can touch: units, fort, gunboat.
    pub fn defenders_and_boats(&self, attacker: Army, hex: Hex) -> Vec<UnitId> {
        let touched = |id: &UnitId| self.data.unit(*id).kind != Kind::Staff;
        self.of(attacker.enemy(), hex).filter(touched).collect()
    }

    /// Whether a unit may attack a hex in melee (7.2).
    pub fn may_melee(&self, id: UnitId, target: Hex) -> Result<(), Violation> {
        let from = self.can_melee(id)?;
        let unit = self.data.unit(id);
        if let Some(violation) = self.leaders_alone(unit.army.enemy(), target) {
            return violation.bar();
        }
        if !self.data.board.has(target) || self.defenders(unit.army, target).is_empty() {
            if self.data.board.has(target)
                && self.gunboat(target).is_some_and(|b| self.data.unit(b).army != unit.army)
            {
                return Violation::MeleeBarred {
                    unit: unit.id.clone(),
                    target,
                    what: "the water: gunboats are not attacked in melee",
                    rule: "7.1.B",
                }
                .bar();
            }
            return Violation::Nobody { target: target.to_string() }.bar();
        }
        let Some(side) = Side::between(from, target) else {
            return Violation::MeleeNotAdjacent { unit: unit.id.clone(), target }.bar();
        };
        cite("7.2.A");
        let barred =
            |what, rule| Violation::MeleeBarred { unit: unit.id.clone(), target, what, rule }.bar();
        if self.wall(side) {
            return barred("a wall", "7.2.B");
        }
        if self.data.board.side(side).khor {
            return barred("a khor", "7.2.A");
        }
        if self.works(side) == Some(Works::Thorn) {
            return barred("a thorn hedge", "9.2.3.1.B");
        }
        if self.data.board.side(side).wall || self.data.board.side(side).gate {
            cite("7.2.B");
        }
        Ok(())
    }

    /// The hexes that a unit may attack in melee now.
    pub fn melee_targets(&self, id: UnitId) -> Vec<Hex> {
        let Ok(from) = self.can_melee(id) else { return Vec::new() };
        let mut out: Vec<Hex> = self
            .data
            .board
            .neighbours(from)
            .map(|(_, hex)| hex)
            .filter(|hex| self.may_melee(id, *hex).is_ok())
            .collect();
        out.sort_unstable();
        out
    }

    /// The modifier of one side's melee roll (7.7.A, 6.5.2.A); `against` is the hex that
    /// the units attack, and nothing for those who are attacked.
    pub fn melee_modifier(&self, army: Army, units: &[UnitId], against: Option<Hex>) -> Modifier {
        let (dervish, ours) = self.data.charts.melee;
        if army == Army::Dervish
            && let Some(hex) = against
            && self.entrenched(hex)
            && (!self.data.rulings.entrenched_across_only || self.all_across_trench(units, hex))
        {
            return Modifier {
                what: "Dervish at a trench".to_owned(),
                drm: self.data.charts.zariba.trench_melee,
                rule: cite("9.2.3.2.B").to_string(),
            };
        }
        let friendlies = !units.is_empty() && units.iter().all(|id| self.data.unit(*id).friendlies);
        match army {
            Army::Dervish => Modifier {
                what: "Dervish".to_owned(),
                drm: dervish,
                rule: cite("7.7.A").to_string(),
            },
            Army::AngloEgyptian if friendlies => Modifier {
                what: "Friendlies".to_owned(),
                drm: dervish,
                rule: cite("6.5.2.A").to_string(),
            },
            Army::AngloEgyptian => {
                let name = self.data.side(army).name.clone();
                Modifier { what: name, drm: ours, rule: cite("7.7.A").to_string() }
            }
        }
    }

    fn all_across_trench(&self, units: &[UnitId], hex: Hex) -> bool {
        units.iter().all(|id| {
            let side = self.state.hex(*id).and_then(|from| Side::between(from, hex));
            side.is_some_and(|s| self.works(s) == Some(Works::Trench))
        })
    }
}
