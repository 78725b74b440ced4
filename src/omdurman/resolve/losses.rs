//! Who is lost and who is disrupted: the owner's choice, made ahead (7.7.B and the
//! ruling `losses`).

use crate::core::dice::DiceError;

use super::super::data::{Kind, UnitId};
use super::Turn;

impl Turn<'_> {
    /// Picks `count` of the candidates: by the owner's list, then the lowest fire and
    /// melee factors, then id, Dervish leaders last; or at random, where the ruling
    /// says so. Returns them with how they were chosen.
    pub(super) fn pick(
        &mut self,
        candidates: &[UnitId],
        count: usize,
        label: &str,
    ) -> Result<(Vec<UnitId>, String), DiceError> {
        if count >= candidates.len() {
            return Ok((candidates.to_vec(), "all of them".to_owned()));
        }
        if count == 0 {
            return Ok((Vec::new(), String::new()));
        }
        if self.data.rulings.losses_random {
            let spec = format!("shuffle{}", candidates.len());
            let order = self.dice.roll(label, &spec)?;
            let picked = order.iter().take(count).map(|n| candidates[*n as usize - 1]).collect();
            return Ok((picked, "drawn at random".to_owned()));
        }
        let mut ranked: Vec<(usize, bool, u32, UnitId)> = candidates
            .iter()
            .map(|id| {
                let unit = self.data.unit(*id);
                (self.preference(*id), unit.kind == Kind::Leader, unit.fire + unit.melee, *id)
            })
            .collect();
        ranked.sort();
        let ordered = ranked.iter().take(count).any(|r| r.0 != usize::MAX);
        let how = if ordered { "owner's order" } else { "no preference: weakest" };
        Ok((ranked.into_iter().take(count).map(|r| r.3).collect(), how.to_owned()))
    }

    /// The place of a unit in its owner's loss list of this phase, or the standing
    /// one.
    fn preference(&self, id: UnitId) -> usize {
        let Some(owner) = self.state.owner(self.data, id) else { return usize::MAX };
        let now =
            self.parts.iter().find(|p| p.player == *owner).and_then(|p| p.plan.losses.as_ref());
        let list = now.or_else(|| self.state.standing.get(owner).map(|s| &s.losses));
        let unit = self.data.unit(id);
        list.and_then(|list| {
            list.iter().position(|word| {
                unit.answers_to(word)
                    || (word.contains("..") && self.data.answering(word).contains(&id))
            })
        })
        .unwrap_or(usize::MAX)
    }
}
