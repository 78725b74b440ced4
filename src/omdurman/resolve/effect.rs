//! A throw on the Combat Results Table (6.2) and what it does: one die for all fire
//! and melee, and the losses that fire, shells and demolitions share.

use crate::core::dice::DiceError;
use crate::geometry::hex::Side;

use super::super::cite::cite;
use super::super::data::{Army, Cell, UnitId};
use super::super::events::{Event, Modifier, Part as FightPart, Rolled};
use super::super::fire::Target;
use super::Turn;

/// What a roll did.
#[derive(Debug, Default)]
pub(super) struct Effect {
    pub(super) lost: Vec<UnitId>,
    pub(super) disrupted: Vec<UnitId>,
    pub(super) breached: Option<Side>,
    pub(super) chain_sunk: bool,
    pub(super) chosen: String,
    pub(super) words: String,
    pub(super) rule: &'static str,
}

impl Turn<'_> {
    /// Throws the die of an attack and reads the chart (6.2.C, 6.2.D, 7.7.A).
    pub(super) fn throw(
        &mut self,
        label: String,
        parts: Vec<FightPart>,
        modifiers: Vec<Modifier>,
    ) -> Result<(Rolled, Cell), DiceError> {
        let factors: u32 = parts.iter().map(|p| p.factors).sum();
        let (row, _) = self.data.charts.row(factors);
        let die = self.dice.d10(&label)?;
        let total = i32::try_from(die).unwrap_or(0) + modifiers.iter().map(|m| m.drm).sum::<i32>();
        let cell = self.data.charts.result(factors, total);
        let rolled = Rolled {
            label,
            parts,
            factors,
            row,
            die,
            modifiers,
            total,
            result: cell_text(cell),
            lost: Vec::new(),
            disrupted: Vec::new(),
            chosen: String::new(),
        };
        Ok((rolled, cell))
    }

    /// What a result does to a target held by `enemy`.
    pub(super) fn effect(
        &mut self,
        enemy: Army,
        target: Target,
        cell: Cell,
        label: &str,
    ) -> Result<Effect, DiceError> {
        let needed = self.data.charts.needed;
        let losses = match cell {
            Cell::Eliminate(n) => n,
            _ => 0,
        };
        let mut out = Effect { rule: "6.2.D", ..Effect::default() };
        match target {
            Target::Units(hex) => {
                let position = self.position();
                if let Some(boat) = position.gunboat(hex) {
                    out.rule = "6.6.1";
                    cite(out.rule);
                    if losses >= needed.gunboat {
                        out.words = format!("the gunboat is sunk ({} needed)", needed.gunboat);
                        out.lost = vec![boat];
                    } else {
                        out.words = format!("a miss: {} needed", needed.gunboat);
                    }
                    return Ok(out);
                }
                let body = position.body(enemy, hex);
                let fresh: Vec<UnitId> =
                    body.iter().copied().filter(|id| !self.state.disrupted(*id)).collect();
                match cell {
                    Cell::Nothing => "no effect".clone_into(&mut out.words),
                    Cell::Disrupt => {
                        let half = body.len().div_ceil(2);
                        let (picked, how) = self.pick(&fresh, half, &format!("{label}/losses"))?;
                        (out.disrupted, out.chosen) = (picked, how);
                    }
                    Cell::Eliminate(n) => {
                        let (picked, how) =
                            self.pick(&body, n as usize, &format!("{label}/losses"))?;
                        (out.lost, out.chosen) = (picked, how);
                    }
                }
            }
            Target::Fort(hex) => {
                out.rule = "6.6.2.A";
                cite(out.rule);
                let fort = self.position().fort(hex);
                if let (Some(fort), true) = (fort, losses >= needed.fort) {
                    out.words = format!("the fort is destroyed ({} needed)", needed.fort);
                    let (with, how) = self.falls_too(enemy, target, label)?;
                    if !with.is_empty() {
                        cite("6.6.2.B");
                    }
                    out.lost = vec![fort];
                    out.lost.extend(with);
                    out.chosen = how;
                } else {
                    out.words = format!("a miss: {} needed", needed.fort);
                }
            }
            Target::Wall(side) => {
                out.rule = "6.6.3.A";
                cite(out.rule);
                if losses >= needed.wall {
                    out.words = format!("the wall is BREACHED ({} needed)", needed.wall);
                    let (with, how) = self.falls_too(enemy, target, label)?;
                    if !with.is_empty() {
                        out.rule = "6.6.3.D";
                    }
                    out.breached = Some(side);
                    (out.lost, out.chosen) = (with, how);
                } else {
                    out.words = format!("a miss: {} needed", needed.wall);
                }
            }
            Target::Chain(_) => {
                out.rule = "10.2.D";
                cite(out.rule);
                out.chain_sunk = losses >= needed.chain;
                out.words = if out.chain_sunk {
                    format!("the chain is SUNK ({} needed)", needed.chain)
                } else {
                    format!("a miss: {} needed", needed.chain)
                };
            }
        }
        Ok(out)
    }

    /// One enemy of the firer falls with a fort or beside a breach, of his owner's
    /// choosing (6.6.2.B, 6.6.3.D); for demolitions too (6.5.3.C).
    pub(super) fn falls_too(
        &mut self,
        enemy: Army,
        target: Target,
        label: &str,
    ) -> Result<(Vec<UnitId>, String), DiceError> {
        let position = self.position();
        let near: Vec<UnitId> = match target {
            Target::Fort(hex) => position.body(enemy, hex),
            Target::Wall(side) => {
                let (a, b) = side.hexes();
                [Some(a), b]
                    .into_iter()
                    .flatten()
                    .filter(|h| self.data.board.has(*h))
                    .flat_map(|h| position.body(enemy, h))
                    .filter(|id| !self.data.unit(*id).kind.is_gunboat())
                    .collect()
            }
            Target::Units(_) | Target::Chain(_) => Vec::new(),
        };
        self.pick(&near, 1, &format!("{label}/losses"))
    }

    /// Writes into a throw whom it hit.
    pub(super) fn note(&self, rolled: &mut Rolled, effect: &Effect) {
        rolled.lost = effect.lost.iter().map(|id| self.name(*id)).collect();
        rolled.disrupted = effect.disrupted.iter().map(|id| self.name(*id)).collect();
        rolled.chosen.clone_from(&effect.chosen);
    }

    /// Carries out what a throw did.
    pub(super) fn take_effect(&mut self, effect: Effect, cause: &str) {
        if let Some(side) = effect.breached {
            self.emit(Event::Breached { side, rule: cite("6.6.3.C").to_string() });
        }
        if effect.chain_sunk {
            self.emit(Event::ChainSunk { rule: cite("10.2.D").to_string() });
        }
        for id in effect.lost {
            self.eliminate(id, cause, effect.rule);
        }
        for id in effect.disrupted {
            self.disrupt(id, cause);
        }
    }
}

/// A cell of the chart as it is printed.
pub(in super::super) fn cell_text(cell: Cell) -> String {
    match cell {
        Cell::Nothing => "-".to_owned(),
        Cell::Disrupt => "D".to_owned(),
        Cell::Eliminate(n) => n.to_string(),
    }
}
