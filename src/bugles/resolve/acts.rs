//! What a unit does with its move before it makes it: move or fire (R7), change formation
//! (R16), go on as ATTACK demands (R10).

use super::super::check::{Act, Who, forms, lawful};
use super::super::data::{Army, Nation};
use super::super::events::Event;
use super::super::manoeuvre::{March, Step};
use super::super::state::Order;
use super::Turn;

impl Turn<'_> {
    /// What a unit does in step 5 (R7): British troops move and fire, the others move or
    /// fire.
    pub(super) fn act_of(&self, id: &str) -> Act {
        let order = self.order_for(&Who::Unit(id.to_owned())).map(|(_, m)| m.get().clone());
        let Some(unit) = self.state.unit(id) else { return Act::Fire };
        let british = unit.troop.nation() == Nation::British;
        let moves = order.as_ref().is_some_and(|o| o.steps.iter().any(|s| *s != Step::Stand));
        match order.as_ref().and_then(|o| o.act) {
            // An ATTACK must get into range, whatever else it does (R10).
            Some(Act::Fire) if unit.order == Order::Attack && !self.in_range(id) => {
                if british {
                    Act::FireThenMove
                } else {
                    Act::Move
                }
            }
            Some(act) if british || matches!(act, Act::Move | Act::Fire) => act,
            _ if british => Act::MoveThenFire,
            _ if moves => Act::Move,
            // An ATTACK must get into range before it fires (R10).
            _ if unit.order == Order::Attack && !self.in_range(id) => Act::Move,
            _ => Act::Fire,
        }
    }

    /// True where a unit fired in this phase.
    pub(super) fn fired(&self, id: &str) -> bool {
        let by = |base: &str| base.rsplit_once('-').is_some_and(|(unit, _)| unit == id);
        self.events.iter().any(|e| match e {
            Event::Shot { exchange } => by(&exchange.attacker.base),
            Event::MarkerShot { firer, .. } => by(firer),
            _ => false,
        })
    }

    /// True for a unit that will change formation in step 5, as things stand: it does not
    /// fire before that either (ruling `who-cannot-fire`).
    pub(super) fn about_to_form(&self, index: usize) -> bool {
        let unit = &self.state.units[index];
        unit.army() == Army::AngloEgyptian
            && self.state.storm.is_none()
            && self.order_for(&Who::Unit(unit.id.clone())).is_some_and(|(_, m)| {
                let steps = &m.get().steps;
                forms(steps) && lawful(self.data, unit, steps).is_ok()
            })
            && !self.table().engaged(index)
    }

    /// True for steps that keep an ATTACK back: it ends no nearer to the enemy, and turned
    /// no more to him, where it could come nearer; or out of its range, where it was in it
    /// (R10, ruling `attack-goes-on`).
    pub(super) fn shirks(&self, id: &str, steps: &[Step]) -> bool {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return false };
        let unit = &self.state.units[index];
        let table = self.table();
        let still = self.state.storm.is_some() && unit.army() == Army::AngloEgyptian;
        if unit.order != Order::Attack || still || unit.halted || table.engaged(index) {
            return false;
        }
        let ends = |steps: &[Step]| {
            let mut march = March::new(&table, index);
            self.slowed(&mut march);
            if march.regain(self.recovered_now(id)) {
                march.run(steps);
            }
            let met = march.met.is_some();
            let looks = march.halt.as_ref().is_some_and(|h| h.marker.is_some());
            (met || looks, march.stands_off())
        };
        let start = March::new(&table, index);
        let Some((gap, turn)) = start.stands_off() else { return false };
        let reach = start.wants();
        let (met, end) = ends(&[steps, &[Step::Close]].concat());
        let Some((then, turned)) = end.filter(|_| !met) else { return false };
        if gap <= reach {
            return then > reach;
        }
        if then < gap || then == gap && turned < turn {
            return false;
        }
        let (met, end) = ends(&[Step::Close]);
        met || end.is_some_and(|(then, _)| then < gap)
    }

    pub(super) fn in_range(&self, id: &str) -> bool {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return true };
        let table = self.table();
        let reach = March::new(&table, index).reach();
        table.unit_gap(index).is_none_or(|gap| gap <= reach)
    }
}
