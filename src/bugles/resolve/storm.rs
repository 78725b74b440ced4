//! Dust storms (R31): how they come and go, who is lost to sight, who veers.

use crate::core::dice::DiceError;
use crate::geometry::plane::Point;

use super::super::cite;
use super::super::data::{Army, Troop};
use super::super::events::Event;
use super::super::lay::laid;
use super::super::state::{Behind, Marker, Presence, Storm, Unit};
use super::Turn;

impl Turn<'_> {
    /// The storm of the option (R31): twelve on two dice brings one.
    pub(super) fn weather(&mut self) -> Result<(), DiceError> {
        if !self.data.storm {
            return Ok(());
        }
        cite("R31");
        if let Some(storm) = self.state.storm {
            if self.state.turn > storm.until {
                self.emit(Event::StormEnded);
                self.unveil();
            }
            return Ok(());
        }
        let head = self.head();
        let faces = self.dice.roll(&format!("{head}/storm"), "2d6")?;
        if faces.iter().sum::<u32>() < 12 {
            return Ok(());
        }
        let length = self.dice.roll(&format!("{head}/storm/length"), "2d6")?;
        let sight = self.dice.roll(&format!("{head}/storm/sight"), "2d6")?;
        let storm = Storm {
            until: self.state.turn + length.iter().sum::<u32>() - 1,
            sight: i64::from(sight.iter().sum::<u32>()) * self.data.inch,
        };
        let faces = length.into_iter().chain(sight).collect();
        self.emit(Event::StormBegan { storm, faces });
        self.veil();
        Ok(())
    }

    /// Whom nobody sees in the storm a marker stands for (R31, ruling `storm-moves`).
    pub(super) fn veil(&mut self) {
        let Some(storm) = self.state.storm else { return };
        cite("R31");
        let table = self.table();
        let mut hidden = Vec::new();
        for (index, unit) in self.state.units.iter().enumerate() {
            let there = unit.army() == Army::Mahdist && unit.on_table();
            let shapes = table.shapes_of(index);
            if there && !table.enemy_within(Army::Mahdist, &shapes, storm.sight) {
                hidden.push((unit.id.clone(), unit.anchor, unit.general.clone(), unit.halted));
            }
        }
        for (unit, at, general, halted) in hidden {
            let number = self.state.numbered + 1;
            let marker = Marker {
                id: format!("m-{number}"),
                at,
                general,
                under_fire: false,
                halted,
                veil: true,
                noted: Some(0),
                behind: Behind::Unit(unit.clone()),
                sealed: Vec::new(),
            };
            self.emit(Event::Veiled { unit, marker, number });
        }
    }

    /// When the storm is over, everybody sees again whom it hid.
    fn unveil(&mut self) {
        let veils = self.state.markers.iter().filter(|m| m.veil).map(|m| m.id.clone());
        for marker in veils.collect::<Vec<_>>() {
            self.reveal(&marker, "the storm is over");
        }
    }

    /// Storm: whoever is out of sight veers by an average die before he moves (R31).
    pub(super) fn storm_veers(&mut self) -> Result<(), DiceError> {
        if self.state.storm.is_none() {
            return Ok(());
        }
        cite("R31");
        self.veil();
        let sight = self.table().sight();
        // All who are out of sight are markers; they veer and what is behind them with them; their way turns by so much.
        let far: Vec<String> = {
            let table = self.table();
            let unseen = |at: Point| {
                table.nearest_of(Army::AngloEgyptian, at).is_none_or(|(d, _)| d > sight)
            };
            let there = self.state.markers.iter().filter(|m| !m.halted && unseen(m.at));
            there.map(|m| m.id.clone()).collect()
        };
        for id in far {
            let die = self.dice.roll(&format!("{}/veer/{id}", self.head()), "1d6")?[0];
            let die = self.average(die);
            let degrees = match die {
                2 => -45,
                5 => 45,
                _ => 0,
            };
            self.emit(Event::Veered { who: id.clone(), die, degrees });
            let hidden =
                self.state.units.iter().find(|u| u.presence == Presence::Marker(id.clone()));
            let gun = |u: &Unit| u.troop.is_gun();
            if let Some(unit) = hidden.cloned().filter(|u| degrees != 0 && !gun(u)) {
                let mut turned = unit.clone();
                turned.facing = unit.facing.turned(degrees);
                turned.trail.clear();
                let lay = laid(self.data, &turned);
                let way = vec![format!("veers {degrees}")];
                self.emit(Event::Moved {
                    unit: unit.id,
                    lay,
                    way,
                    spent: 0,
                    rate: 0,
                    why: String::new(),
                    formed: false,
                });
            }
        }
        Ok(())
    }

    /// A marker that comes within a base's front of another in the storm halts with it
    /// until the storm is over (R31, ruling `storm-moves`).
    pub(super) fn collide(&mut self, id: &str) {
        let Some(storm) = self.state.storm else { return };
        let Some(me) = self.state.marker(id) else { return };
        let table = self.table();
        let unseen = |at: Point| {
            table.nearest_of(Army::AngloEgyptian, at).is_none_or(|(d, _)| d > storm.sight)
        };
        let front = self.data.troop(Troop::MahdistInfantry).size.front;
        let others: Vec<String> = self
            .state
            .markers
            .iter()
            .filter(|m| m.id != me.id && unseen(m.at) && m.at.distance(me.at) <= front)
            .map(|m| m.id.clone())
            .collect();
        if others.is_empty() || !unseen(me.at) {
            return;
        }
        cite("R31");
        for who in others.into_iter().chain([id.to_owned()]) {
            if self.state.marker(&who).is_some_and(|m| !m.halted) {
                let why = "it collides with another in the storm".to_owned();
                self.emit(Event::Halted { who, why });
            }
        }
    }
}
