//! How each event changes the state; nothing else does.

use super::super::data::{Army, Data};
use super::super::events::{Event, Lay};
use super::{Condition, Presence, State, Unit, Window};

impl Unit {
    /// Lies as it is told.
    pub fn take(&mut self, lay: &Lay) {
        self.anchor = lay.anchor;
        self.facing = lay.facing;
        self.formation = lay.formation;
        self.dismounted = lay.dismounted;
        self.trail.clone_from(&lay.trail);
        for (index, pose) in &lay.bases {
            if let Some(base) = self.bases.get_mut(*index) {
                base.at = pose.at;
                base.facing = pose.facing;
            }
        }
    }
}

impl State {
    fn unit_mut(&mut self, id: &str) -> Option<&mut Unit> {
        self.units.iter_mut().find(|u| u.id == id)
    }

    fn base_mut(&mut self, id: &str) -> Option<&mut super::Base> {
        let (unit, number) = id.rsplit_once('-')?;
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        self.unit_mut(unit)?.bases.get_mut(index)
    }

    /// Applies an event.
    pub fn apply(&mut self, data: &Data, event: &Event) {
        self.change(data, event);
        // A general goes with the base that he is attached to (R17, ruling
        // `macdonald-with`).
        let moved = matches!(
            event,
            Event::Moved { .. }
                | Event::Pushed { .. }
                | Event::Suppressed { .. }
                | Event::Deployed { .. }
                | Event::Veiled { .. }
        );
        if moved {
            for n in 0..self.generals.len() {
                let base = self.generals[n].attached.clone();
                if let Some((unit, index)) = base.as_deref().and_then(|b| self.base(b)) {
                    // Under a marker nothing but the marker's place is to be seen (R20).
                    self.generals[n].at = match unit.presence {
                        Presence::Marker(_) => unit.anchor,
                        _ => unit.bases[index].at,
                    };
                }
            }
        }
    }

    fn change(&mut self, _data: &Data, event: &Event) {
        match event {
            Event::Orders { .. }
            | Event::Outcome { .. }
            | Event::Allowance { .. }
            | Event::Veered { .. }
            | Event::Stays { .. }
            | Event::Shot { .. } => {}
            Event::Step { step, .. } => {
                // What came under fire goes slowly in one Mahdist move (R22), and so long
                // Mahdists know that they were fired at; regulars until the turn ends.
                if *step == 3 {
                    for marker in &mut self.markers {
                        marker.under_fire = false;
                    }
                    for unit in self.units.iter_mut().filter(|u| u.army() == Army::Mahdist) {
                        unit.under_fire = false;
                    }
                }
            }
            Event::Mustered { unit } => {
                let bases = u32::try_from(unit.bases.len()).unwrap_or(0);
                self.mustered += bases;
                self.units.push(unit.clone());
                self.units.sort_by(|a, b| a.id.cmp(&b.id));
            }
            Event::Deployed { unit, lay, order, marker } => {
                let marker = marker.clone();
                if let Some(unit) = self.unit_mut(unit) {
                    unit.take(lay);
                    unit.order = *order;
                    unit.presence = marker.map_or(Presence::Table, Presence::Marker);
                }
            }
            Event::Placed { marker, number } => {
                self.numbered = *number;
                self.markers.push(marker.clone());
                self.markers.sort_by(|a, b| a.id.cmp(&b.id));
            }
            Event::Veiled { unit, marker, number } => {
                self.numbered = *number;
                let id = marker.id.clone();
                self.markers.push(marker.clone());
                self.markers.sort_by(|a, b| a.id.cmp(&b.id));
                if let Some(unit) = self.unit_mut(unit) {
                    unit.presence = Presence::Marker(id);
                }
            }
            Event::GeneralMoved { general, to, attached, .. } => {
                if let Some(g) = self.generals.iter_mut().find(|g| g.id == *general) {
                    g.at = *to;
                    g.attached.clone_from(attached);
                }
            }
            Event::Ordered { unit, to, obeyed, .. } => {
                if let Some(unit) = self.unit_mut(unit).filter(|_| *obeyed) {
                    unit.order = *to;
                }
            }
            Event::Flipped { unit, to, .. } => {
                if let Some(unit) = self.unit_mut(unit) {
                    unit.order = *to;
                }
            }
            Event::FirePlan { unit, plan } => {
                if let Some(unit) = self.unit_mut(unit) {
                    unit.fire = plan.clone();
                }
            }
            Event::Moved { unit, lay, formed, .. } => {
                let turn = self.turn;
                if let Some(unit) = self.unit_mut(unit) {
                    unit.take(lay);
                    if *formed {
                        unit.formed = turn;
                    }
                }
            }
            Event::MarkerMoved { marker, to, .. } => {
                if let Some(m) = self.markers.iter_mut().find(|m| m.id == *marker) {
                    m.at = *to;
                }
                let under = Presence::Marker(marker.clone());
                if let Some(unit) = self.units.iter_mut().find(|u| u.presence == under) {
                    unit.anchor = *to;
                }
            }
            Event::Revealed { marker, .. } => self.markers.retain(|m| m.id != *marker),
            Event::GeneralCame { general } => {
                self.generals.push(general.clone());
                self.generals.sort_by(|a, b| a.id.cmp(&b.id));
            }
            Event::MarkerShot { marker, exchange, sealed, .. } => {
                let lost = exchange.effect == super::super::events::Effect::Destroyed;
                if let Some(m) = self.markers.iter_mut().find(|m| m.id == *marker) {
                    m.noted = Some(m.noted.unwrap_or(0) + u32::from(lost));
                    m.sealed.push(sealed.clone());
                }
            }
            Event::Fought { exchange } => {
                for base in [&exchange.attacker.base, &exchange.defender.base] {
                    if !self.fought.contains(base) {
                        self.fought.push(base.clone());
                    }
                }
                self.fought.sort();
            }
            Event::Pushed { base, pose, .. } => {
                if let Some(base) = self.base_mut(base) {
                    base.at = pose.at;
                    base.facing = pose.facing;
                }
            }
            Event::Suppressed { base, pose } => {
                if let Some(base) = self.base_mut(base) {
                    base.at = pose.at;
                    base.facing = pose.facing;
                    base.condition = Condition::Suppressed;
                }
            }
            Event::Recovered { base, facing } => {
                if let Some(base) = self.base_mut(base) {
                    base.condition = Condition::Sound;
                    base.facing = *facing;
                }
            }
            Event::Destroyed { base: id, .. } => {
                if let Some(base) = self.base_mut(id) {
                    base.condition = Condition::Lost;
                }
                for g in &mut self.generals {
                    if g.attached.as_deref() == Some(id) {
                        g.attached = None;
                    }
                }
            }
            Event::UnderFire { target } => {
                if let Some(m) = self.markers.iter_mut().find(|m| m.id == *target) {
                    m.under_fire = true;
                } else if let Some(unit) = self.unit_mut(target) {
                    unit.under_fire = true;
                }
            }
            Event::GeneralLost { general, .. } => {
                if let Some(g) = self.generals.iter_mut().find(|g| g.id == *general) {
                    g.here = false;
                    g.attached = None;
                }
            }
            Event::StormBegan { storm, .. } => self.storm = Some(*storm),
            Event::StormEnded => {
                self.storm = None;
                for unit in &mut self.units {
                    unit.halted = false;
                }
                for marker in &mut self.markers {
                    marker.halted = false;
                }
            }
            Event::Halted { who, .. } => {
                if let Some(m) = self.markers.iter_mut().find(|m| m.id == *who) {
                    m.halted = true;
                } else if let Some(unit) = self.unit_mut(who) {
                    unit.halted = true;
                }
            }
            Event::Advanced { phase, turn, window } => {
                if *turn != self.turn {
                    self.fought.clear();
                    for unit in self.units.iter_mut().filter(|u| u.army() != Army::Mahdist) {
                        unit.under_fire = false;
                    }
                }
                self.phase = *phase;
                self.turn = *turn;
                self.window = *window;
            }
            Event::Over { result, .. } => {
                self.result = Some(result.clone());
                self.window = Window::End;
            }
        }
    }
}
