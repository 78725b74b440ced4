//! How the game stands and ends: Gordon's fate (9.3.5), units eliminated (9.2.4),
//! victory points (9.1.4).

use super::super::board::Bank;
use super::super::cite::cite;
use super::super::data::{
    Army, Data, EliminationLevel, EliminationVictory, Kind, PointVictory, UnitId, Victory,
};
use super::super::events::Event;
use super::super::position::Position;
use super::super::state::{Place, State};
use super::Turn;

/// Dervish units eliminated, as rule 9.3.5.B counts them: forts are not among them
/// (ruling `khartoum-losses`).
pub fn dervish_lost(data: &Data, state: &State) -> u32 {
    let lost = data
        .ids()
        .filter(|id| data.unit(*id).army == Army::Dervish && data.unit(*id).kind != Kind::Fort)
        .filter(|id| matches!(state.unit(*id).place, Place::Eliminated(_)))
        .count();
    u32::try_from(lost).unwrap_or(u32::MAX)
}

/// The level of victory when Gordon falls on a turn with so many Dervish lost, and
/// how it comes about (9.3.5); nothing in scenarios without him.
pub fn fallen_level(data: &Data, turn: u32, lost: u32) -> (String, Vec<String>) {
    let Victory::Gordon(victory) = &data.scenario.victory else {
        return (String::new(), Vec::new());
    };
    let mut why = vec![format!("Gordon fell on turn {turn}")];
    if let Some(won) = victory.falls.iter().find(|f| turn <= f.turn) {
        let levels = victory.losses.iter().rev().find(|p| lost >= p.units).map_or(0, |p| p.levels);
        let (units, less) = (plural(lost, "unit"), plural(levels, "level"));
        why.push(format!("the Dervish lost {units}: {less} less"));
        if levels > 0 {
            cite("9.3.5.B");
        }
        let at = victory.scale.iter().position(|l| *l == won.level).unwrap_or(0);
        let moved = (at + levels as usize).min(victory.scale.len() - 1);
        return (victory.scale[moved].clone(), why);
    }
    // Ruling `gordon-late`: the level of the last turn that he survived.
    let level = victory.survives.iter().rev().find(|s| s.turn < turn);
    why.push(format!("he had survived turn {}", turn - 1));
    (level.map_or(String::new(), |s| s.level.clone()), why)
}

/// The level that each side has reached by units eliminated, and the net result
/// (9.2.4): the names of the result and of both levels with their values.
pub fn eliminations(
    data: &Data,
    state: &State,
    victory: &EliminationVictory,
) -> (String, Vec<String>) {
    let dervish = state.eliminated(data, Army::Dervish);
    let ours = state.eliminated(data, Army::AngloEgyptian);
    let level = |test: &dyn Fn(&EliminationLevel) -> bool| {
        victory.levels.iter().rev().find(|l| test(l)).or_else(|| victory.levels.first())
    };
    let a = level(&|l| dervish >= l.anglo_egyptian);
    let d = level(&|l| ours >= l.dervish);
    let (Some(a), Some(d)) = (a, d) else { return (String::new(), Vec::new()) };
    let name = |army: Army| data.side(army).name.clone();
    let why = vec![
        format!(
            "{} eliminated {dervish} Dervish units: {} ({})",
            name(Army::AngloEgyptian),
            a.name,
            a.value
        ),
        format!(
            "{} eliminated {ours} Anglo-Egyptian units: {} ({})",
            name(Army::Dervish),
            d.name,
            d.value
        ),
    ];
    let net = a.value.abs_diff(d.value);
    let winner = if a.value > d.value { Army::AngloEgyptian } else { Army::Dervish };
    let result = match victory.levels.iter().find(|l| l.value == net) {
        // Ruling `net-levels`: a net of 0 or 1 is a draw.
        Some(l) if net > 1 => format!("{} {}", name(winner), l.name),
        _ => "Draw".to_owned(),
    };
    (result, why)
}

/// Both sides' points as they stand, the Tomb included, with whose it is:
/// Anglo-Egyptian, Dervish (9.1.4).
pub fn points_now(data: &Data, state: &State, victory: &PointVictory) -> (u32, u32, Army) {
    let holder = tomb_holder(data, state);
    let tomb = |army: Army| if holder == army { victory.tomb_points } else { 0 };
    (
        state.points(Army::AngloEgyptian) + tomb(Army::AngloEgyptian),
        state.points(Army::Dervish) + tomb(Army::Dervish),
        holder,
    )
}

/// 9.1.4.D: the Tomb is taken by a British leader with at least one combat unit that
/// is no Friendlies, both undisrupted.
fn tomb_holder(data: &Data, state: &State) -> Army {
    cite("9.1.4.B");
    let Some(tomb) = data.scenario.tomb else { return Army::Dervish };
    let position = Position::new(data, state);
    let sound = |id: &UnitId| !state.disrupted(*id);
    let here: Vec<UnitId> = position.of(Army::AngloEgyptian, tomb).filter(sound).collect();
    let leader = here.iter().any(|id| data.unit(*id).kind == Kind::Staff);
    let fighter =
        here.iter().any(|id| data.unit(*id).kind != Kind::Staff && !data.unit(*id).friendlies);
    if leader && fighter {
        cite("9.1.4.D");
        cite("6.5.1.D");
        Army::AngloEgyptian
    } else {
        Army::Dervish
    }
}

impl Turn<'_> {
    /// Counts the victory points for a unit that was eliminated where it stood.
    pub(super) fn score(&mut self, id: UnitId, place: &Place) {
        let Victory::Points(victory) = &self.data.scenario.victory else { return };
        let unit = self.data.unit(id);
        let list = &victory.points;
        let east = match place {
            Place::At(hex) => self.data.board.bank(*hex) == Some(Bank::East),
            // Ruling `transport`: on the river it counts as the east bank.
            Place::Aboard { .. } => true,
            _ => false,
        };
        let (points, rule) = match unit.army {
            Army::AngloEgyptian => (
                match unit.kind {
                    Kind::Staff => list.leader,
                    kind if kind.is_gunboat() => list.gunboat,
                    _ if unit.friendlies && east => list.friendlies_east,
                    _ => list.land,
                },
                "9.1.4.1",
            ),
            Army::Dervish => (
                match unit.kind {
                    Kind::Fort => list.fort,
                    _ if unit.id == victory.khalifa => list.khalifa,
                    _ if unit.id == victory.isa => list.isa,
                    _ => list.dervish,
                },
                "9.1.4.2",
            ),
        };
        cite("9.1.4.E");
        let rule = cite(rule).to_string();
        if points > 0 {
            let (army, unit) = (unit.army.enemy(), unit.id.clone());
            self.emit(Event::Scored { army, points, unit, rule });
        }
    }

    /// True when no Dervish unit that could ever reach Gordon is left.
    pub(super) fn nobody_left_to_attack(&self) -> bool {
        self.data.scenario.gordon.is_some()
            && !self.data.ids().any(|id| {
                let unit = self.data.unit(id);
                let alive = matches!(self.state.unit(id).place, Place::At(_) | Place::Waiting);
                unit.army == Army::Dervish && alive && unit.kind != Kind::Fort
            })
    }

    /// The end by Gordon's death.
    pub(super) fn gordon_is_dead(&mut self, turn: u32) {
        cite("9.3.3.A");
        let lost = dervish_lost(self.data, &self.state);
        let (result, why) = fallen_level(self.data, turn, lost);
        self.emit(Event::Over { result, why, rule: cite("9.3.5.A").to_string() });
    }

    /// 9.1.4.3.C and D: a decisive victory before the last turn.
    pub(super) fn decided_early(&mut self) -> bool {
        let Victory::Points(_) = &self.data.scenario.victory else { return false };
        let alive = |id: &UnitId| {
            matches!(
                self.state.unit(*id).place,
                Place::At(_) | Place::Waiting | Place::Aboard { .. }
            )
        };
        let data = self.data;
        let of = |army: Army| data.ids().filter(move |id| data.unit(*id).army == army);
        let name = |army: Army| self.data.side(army).name.clone();
        if !of(Army::Dervish).any(|id| alive(&id)) {
            let result = format!("{} Decisive", name(Army::AngloEgyptian));
            let why = vec!["no Dervish unit is left in play".to_owned()];
            self.emit(Event::Over { result, why, rule: cite("9.1.4.3.C").to_string() });
            return true;
        }
        // Ruling `west-bank`: judged once such units have been in play, by those lost.
        let west = |id: &UnitId| {
            let unit = self.data.unit(*id);
            !unit.kind.is_gunboat()
                && self.state.hex(*id).is_some_and(|h| self.data.board.bank(h) == Some(Bank::West))
        };
        let fell = self.state.score.iter().any(|s| {
            let unit = self.data.unit(s.unit);
            s.army == Army::Dervish && !unit.kind.is_gunboat() && (!unit.friendlies || s.points > 1)
        });
        if fell && !of(Army::AngloEgyptian).any(|id| west(&id)) {
            let result = format!("{} Decisive", name(Army::Dervish));
            let why = vec!["no Anglo-Egyptian unit is left on the west bank".to_owned()];
            self.emit(Event::Over { result, why, rule: cite("9.1.4.3.D").to_string() });
            return true;
        }
        false
    }

    /// The end of the last turn, or of a game that nobody can win any more.
    pub(super) fn last_turn_ends(&mut self, turn: u32) {
        match &self.data.scenario.victory {
            Victory::Gordon(victory) => {
                cite("9.3.3.A");
                let best = victory.survives.last().map_or(String::new(), |s| s.level.clone());
                let first = if turn >= self.data.scenario.turns {
                    format!("Gordon survives the end of turn {turn}")
                } else {
                    format!("no Dervish unit is left on turn {turn} that could reach Gordon")
                };
                let lost = dervish_lost(self.data, &self.state);
                let why = vec![first, format!("the Dervish lost {}", plural(lost, "unit"))];
                self.emit(Event::Over { result: best, why, rule: cite("9.3.5.A").to_string() });
            }
            Victory::Eliminations(victory) => {
                for rule in ["9.2.2", "9.2.4.A", "9.2.4.C"] {
                    cite(rule);
                }
                let (result, why) = eliminations(self.data, &self.state, victory);
                self.emit(Event::Over { result, why, rule: cite("9.2.4.B").to_string() });
            }
            Victory::Points(victory) => {
                for rule in ["9.1.2", "9.1.4.A", "9.1.4.3.A"] {
                    cite(rule);
                }
                let (ours, theirs, holder) = points_now(self.data, &self.state, victory);
                let name = |army: Army| self.data.side(army).name.clone();
                let why = vec![
                    format!("the Mahdi's Tomb: {} to the {}", victory.tomb_points, name(holder)),
                    format!(
                        "{} {ours}, {} {theirs}",
                        name(Army::AngloEgyptian),
                        name(Army::Dervish)
                    ),
                ];
                let ahead = ours.abs_diff(theirs);
                let winner = if ours > theirs { Army::AngloEgyptian } else { Army::Dervish };
                let level = victory.levels.iter().rev().find(|l| {
                    ahead
                        >= match winner {
                            Army::AngloEgyptian => l.anglo_egyptian,
                            Army::Dervish => l.dervish,
                        }
                });
                let (result, rule) = match level {
                    Some(level) => (format!("{} {}", name(winner), level.name), "9.1.4.3.A"),
                    None => ("Draw".to_owned(), "9.1.4.3.B"),
                };
                self.emit(Event::Over { result, why, rule: cite(rule).to_string() });
            }
        }
    }
}

pub(super) fn plural(n: u32, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}
