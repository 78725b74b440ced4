//! The Nile: sealed notes, mines and the chain (10.0), drift, and the Dervish
//! desertion roll that comes with the first night (8.2).

use crate::core::dice::DiceError;
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::geometry::hex::Hex;

use super::super::board::Terrain;
use super::super::check::{Manner, may_desert};
use super::super::cite::cite;
use super::super::data::{Army, Kind, UnitId};
use super::super::events::Event;
use super::super::movement::Walk;
use super::super::state::{Note, Place};
use super::Turn;

impl Turn<'_> {
    /// The commitment of a note: H(hide) of the dice protocol.
    fn commitment(&self, note: &Note) -> Option<(Hex64, Hex64)> {
        let game = Id::new(&self.state.game).ok()?;
        let salt = note.salt.parse::<Hex64>().ok()?;
        let text = hash::text_hash(&format!("{}\n", note.text));
        Some((hash::hide(&game, note.phase, &note.owner, &salt, &text), salt))
    }

    /// 10.1.B, 10.2.B: what the Khalifa hides is sealed before play.
    pub(super) fn seal_notes(&mut self) -> Result<(), DiceError> {
        for part in self.parts {
            for order in &part.plan.hides {
                let note = Note {
                    owner: part.player.clone(),
                    phase: self.phase,
                    text: order.get().note.clone(),
                    salt: order.get().salt.clone(),
                    opened: false,
                };
                let Some((commitment, _)) = self.commitment(&note) else { continue };
                self.dice.seal_note(&note.owner, commitment)?;
                for rule in ["10.1.B", "10.2.B", "10.1.E"] {
                    cite(rule);
                }
                self.tally(&part.player).done += 1;
                let Note { owner, phase, text, salt, .. } = note;
                self.emit(Event::Hidden { owner, phase, text, salt });
            }
        }
        Ok(())
    }

    fn open_note(&mut self, note: &Note, rule: &'static str) -> Result<(), DiceError> {
        if note.opened {
            return Ok(());
        }
        if let Some((commitment, salt)) = self.commitment(note) {
            self.dice.open_note(commitment, salt, &format!("{}\n", note.text))?;
            self.emit(Event::NoteOpened {
                text: note.text.clone(),
                commitment: commitment.to_string(),
                rule: cite(rule).to_string(),
            });
        }
        Ok(())
    }

    // ------------------------------------------------------------- desertion

    /// 8.2: on the first night turn one die tells how many units desert.
    pub(super) fn desertion(&mut self) -> Result<(), DiceError> {
        let due = self.data.scenario.desertion == Some(self.state.turn);
        if !due || self.state.moving != Army::Dervish {
            return Ok(());
        }
        let label = format!("t{:02}/desertion", self.state.turn);
        let die = self.dice.d10(&label)?;
        let (times, over) = self.data.charts.desertion;
        let count = if self.data.rulings.desertion_down {
            die * times / over
        } else {
            (die * times).div_ceil(over)
        };
        for rule in ["8.2.A", "8.2.B"] {
            cite(rule);
        }
        let rule = cite("8.2.B").to_string();
        self.emit(Event::Desertion { label, die, count, rule });
        let mut chosen: Vec<(UnitId, &'static str)> = Vec::new();
        let position = self.position();
        for part in self.army_parts(Army::Dervish) {
            for id in &part.plan.deserters {
                if !chosen.iter().any(|(c, _)| c == id) {
                    chosen.push((*id, "named"));
                }
            }
        }
        // The cheapest first, leaders last, as for losses.
        let mut others: Vec<(bool, u32, UnitId)> = self
            .data
            .ids()
            .filter(|id| may_desert(&position, *id).is_ok())
            .filter(|id| !chosen.iter().any(|(c, _)| c == id))
            .map(|id| {
                let unit = self.data.unit(id);
                (unit.kind == Kind::Leader, unit.fire + unit.melee, id)
            })
            .collect();
        others.sort_unstable();
        chosen.extend(others.into_iter().map(|(_, _, id)| (id, "nobody named: the cheapest")));
        let told: Vec<(Id, usize)> = self
            .army_parts(Army::Dervish)
            .iter()
            .map(|p| (p.player.clone(), p.plan.desert_orders))
            .collect();
        for (player, orders) in told {
            self.tally(&player).done += u32::try_from(orders).unwrap_or(0);
        }
        for (id, how) in chosen.into_iter().take(count as usize) {
            self.fates.insert(id, "deserted".to_owned());
            for rule in ["8.2.D", "8.2.E"] {
                cite(rule);
            }
            self.emit(Event::Deserted {
                unit: self.name(id),
                chosen: how.to_owned(),
                rule: cite("8.2.C").to_string(),
            });
        }
        Ok(())
    }

    // ------------------------------------------------------- drift, mines, chain

    /// 10.1.D: gunboats without engines drift at the start of their owner's movement.
    pub(super) fn drift(&mut self) -> Result<(), DiceError> {
        let army = self.state.moving;
        let boats: Vec<UnitId> = self.state.damaged.iter().copied().collect();
        for id in boats {
            if self.data.unit(id).army != army {
                continue;
            }
            let Some(from) = self.state.hex(id) else { continue };
            let mut path = vec![from];
            let mut off = false;
            for _ in 0..self.data.charts.river.drift {
                let here = path[path.len() - 1];
                let chain = self.state.river.chain().unwrap_or_default();
                let Some(dir) = self.data.board.flow(here).filter(|_| !chain.contains(&here))
                else {
                    break;
                };
                let Some(next) = self.data.board.neighbour(here, dir) else {
                    off = true;
                    break;
                };
                let blocked = self.data.board.terrain(next) != Terrain::Nile
                    || self.position().gunboat(next).is_some();
                if blocked {
                    break;
                }
                path.push(next);
                if army == Army::AngloEgyptian && self.state.river.mine(next).is_some() {
                    break;
                }
            }
            if path.len() < 2 && !off {
                continue;
            }
            let end = path[path.len() - 1];
            let came = path.len().checked_sub(2).map(|i| path[i]);
            let lost = off && self.data.rulings.drifted_off_lost;
            let rule = cite("10.1.D").to_string();
            self.emit(Event::Drifted { unit: self.name(id), path, off: off && !lost, rule });
            if lost {
                self.eliminate(id, "drift off the map", "10.1.D");
            } else if off {
                for passenger in self.state.aboard(self.data, id) {
                    let rule = cite("10.1.D").to_string();
                    self.emit(Event::LeftOut { unit: self.name(passenger), rule });
                }
            } else {
                self.meets(id, end, came)?;
            }
        }
        Ok(())
    }

    /// A gunboat goes hex by hex until something in the Nile stops it.
    pub(super) fn sail(
        &mut self,
        id: UnitId,
        walk: &Walk,
        manner: Manner,
    ) -> Result<(), DiceError> {
        let british = self.data.unit(id).army == Army::AngloEgyptian;
        if !british && self.data.scenario.river.mines {
            cite("10.1.F");
        }
        let begin = usize::from(manner == Manner::Moves);
        let chain = self.state.river.chain().unwrap_or_default();
        let mut last = walk.path.len() - 1;
        for (i, hex) in walk.path.iter().enumerate().skip(begin) {
            let mined = british && self.state.river.mine(*hex).is_some();
            if mined || chain.contains(hex) {
                last = i;
                break;
            }
        }
        // Another boat may have been stopped where this one was to end.
        let planned = last;
        while last >= begin && self.position().gunboat(walk.path[last]).is_some_and(|o| o != id) {
            if last == 0 {
                let (unit, hex) = (self.name(id), walk.path[0]);
                let reason = "another gunboat lies there".to_owned();
                self.emit(Event::Stopped { unit, hex, reason });
                return Ok(());
            }
            last -= 1;
        }
        if last < planned {
            let (unit, hex) = (self.name(id), walk.path[last]);
            let reason = "another gunboat was stopped in its way".to_owned();
            self.emit(Event::Stopped { unit, hex, reason });
        }
        if last < begin || (manner == Manner::Moves && last == 0) {
            return Ok(());
        }
        let steps = &walk.steps[..=last - begin];
        let cost = steps.iter().map(|s| s.mp).sum();
        let path: Vec<Hex> = walk.path[..=last].to_vec();
        let (end, came) = (path[last], last.checked_sub(1).map(|i| path[i]));
        self.moved(id, path, cost, walk.allowance, manner);
        self.meets(id, end, came)
    }

    /// What a gunboat finds in the hex where it stops.
    fn meets(&mut self, id: UnitId, hex: Hex, came: Option<Hex>) -> Result<(), DiceError> {
        let british = self.data.unit(id).army == Army::AngloEgyptian;
        if british && let Some(note) = self.state.river.mine(hex).cloned() {
            self.strikes(id, hex, &note)?;
        }
        let chain = self.state.river.chain().unwrap_or_default();
        if chain.contains(&hex) && matches!(self.state.unit(id).place, Place::At(_)) {
            let note = self.state.river.chain_note().cloned();
            let from = came.unwrap_or(hex);
            let rule = cite("10.2.C").to_string();
            self.emit(Event::Chained { unit: self.name(id), hex, from, rule });
            if let Some(note) = note.filter(|_| british) {
                self.open_note(&note, "10.2.C")?;
            }
        }
        Ok(())
    }

    /// 10.1.C and D: the mine stops the boat whatever the roll, and is spent.
    fn strikes(&mut self, id: UnitId, hex: Hex, note: &Note) -> Result<(), DiceError> {
        let number = self.state.river.mines_met() + 1;
        let label = format!("{}/mine/{number}", self.label());
        let die = self.dice.d10(&label)?;
        let river = self.data.charts.river;
        let (sunk, damaged) = (die >= river.sunk_from, die >= river.damaged_from);
        let effect = match (sunk, damaged) {
            (true, _) => "the gunboat is sunk",
            (_, true) => "the gunboat loses its engines and will drift",
            _ => "no effect",
        };
        self.open_note(note, "10.1.C")?;
        self.emit(Event::Struck {
            unit: self.name(id),
            hex,
            label,
            die,
            effect: effect.to_owned(),
            rule: cite("10.1.C").to_string(),
        });
        if sunk {
            self.eliminate(id, &format!("a mine in {hex}"), "10.1.D");
        } else if damaged {
            let rule = cite("10.1.D").to_string();
            self.emit(Event::Damaged { unit: self.name(id), rule });
        }
        Ok(())
    }
}
