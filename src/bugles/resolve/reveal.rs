//! Markers come off the table (R20 to R22), random forces appear (R6).

use crate::geometry::plane::{Facing, Point, Pose};

use super::super::cite;
use super::super::data::Army;
use super::super::events::{Event, Lay};
use super::super::lay::order;
use super::super::state::{Behind, Drawn, Formation, General, Presence, Unit};
use super::Turn;

impl Turn<'_> {
    /// Reveals every marker that an enemy is near enough to (R20).
    pub(super) fn look(&mut self, why: &str) {
        loop {
            let table = self.table();
            let seen = self.state.markers.iter().find(|m| {
                table
                    .nearest_of(Army::AngloEgyptian, m.at)
                    .is_some_and(|(d, _)| d <= table.reveal_distance(m.at))
            });
            let Some(marker) = seen.map(|m| m.id.clone()) else { return };
            self.reveal(&marker, why);
        }
    }

    /// Takes a marker off and shows what was behind it.
    pub(super) fn reveal(&mut self, id: &str, why: &str) {
        let Some(marker) = self.state.marker(id).cloned() else { return };
        cite("R20");
        for sealed in &marker.sealed {
            // A roll is opened once; a marker is revealed once.
            let _ = self.dice.open(sealed);
        }
        let noted = marker.noted.unwrap_or(0);
        let tell = |turn: &mut Self, behind: Vec<String>| {
            turn.emit(Event::Revealed {
                marker: id.to_owned(),
                why: why.to_owned(),
                behind,
                noted,
            });
        };
        match &marker.behind {
            Behind::Nothing | Behind::Unseen => tell(self, Vec::new()),
            Behind::Random(list) if list.is_empty() => {
                cite("R6");
                tell(self, Vec::new());
            }
            Behind::Unit(unit) => {
                let unit = unit.clone();
                tell(self, vec![unit.clone()]);
                self.appear(&unit);
                if marker.under_fire {
                    // What its marker came under, it came under.
                    self.emit(Event::UnderFire { target: unit.clone() });
                }
                self.take_noted(&unit, noted);
                self.flip_near();
            }
            Behind::Random(list) => {
                let list = list.clone();
                self.force_appears(&marker.id, marker.at, &list, why, noted);
                self.flip_near();
            }
        }
    }

    /// A unit whose marker came off lies as it stood under it, or as near as there is
    /// room.
    fn appear(&mut self, id: &str) {
        let Some(unit) = self.state.unit(id).cloned() else { return };
        let lay = self.shown(&unit);
        self.emit(Event::Deployed { unit: unit.id.clone(), lay, order: unit.order, marker: None });
    }

    /// Where a hidden unit would lie if its marker came off now.
    pub(super) fn shown(&self, unit: &Unit) -> Lay {
        let lay = super::super::lay::laid(self.data, unit);
        let fits = self.room(unit, unit.anchor, unit.facing, unit.formation, false);
        if fits.anchor != lay.anchor || !unit.trail.is_empty() { fits } else { lay }
    }

    /// What was noted while it was hidden leaves the front (R22).
    fn take_noted(&mut self, id: &str, noted: u32) {
        for _ in 0..noted {
            let Some(unit) = self.state.unit(id).cloned() else { return };
            let Some(first) = order(self.data, &unit).first().copied() else { return };
            let rule = cite("R22").0.to_owned();
            let why = "shot while it was hidden".to_owned();
            self.emit(Event::Destroyed { base: unit.base_id(first), why, rule });
        }
    }

    /// The force of a random emir comes out with ATTACK (R6).
    fn force_appears(&mut self, marker: &str, at: Point, list: &[Drawn], why: &str, noted: u32) {
        cite("R6");
        let number = marker.rsplit_once('-').map_or(marker, |(_, n)| n).to_owned();
        let emir = format!("emir-{number}");
        let seat = self
            .state
            .generals
            .iter()
            .find(|g| g.army == Army::Mahdist)
            .map_or_else(|| emir.clone(), |g| g.seat.clone());
        let facing = self.facing_enemy(at);
        let names: Vec<String> = (1..=list.len()).map(|n| format!("r{number}-{n}")).collect();
        self.emit(Event::Revealed {
            marker: marker.to_owned(),
            why: why.to_owned(),
            behind: names.clone(),
            noted,
        });
        self.emit(Event::GeneralCame {
            general: General {
                id: emir.clone(),
                name: format!("the emir of marker {marker}"),
                army: Army::Mahdist,
                seat,
                at,
                here: true,
                attached: None,
                macdonald: false,
            },
        });
        for (n, (name, drawn)) in names.iter().zip(list).enumerate() {
            let pose = Pose { at, facing };
            let unit = self.drawn(name.clone(), &emir, drawn, pose);
            // Beside the first, then behind, alternately (ruling `random-block`).
            let n = i64::try_from(n).unwrap_or(0);
            let side = if n % 2 == 1 { 1 } else { -1 };
            let spot = self.data.compass.place(at, facing, side * (n + 1) / 2 * 500, 0);
            let spot = Point::new(
                spot.x.clamp(0, self.data.scenario.table.x),
                spot.y.clamp(0, self.data.scenario.table.y),
            );
            self.emit(Event::Mustered { unit: unit.clone() });
            let lay = self.room(&unit, spot, facing, Formation::Battle, false);
            self.emit(Event::Deployed { unit: name.clone(), lay, order: unit.order, marker: None });
        }
        if let Some(first) = names.first() {
            self.take_noted(first, noted);
        }
    }

    /// The facing from a point to the nearest regulars.
    fn facing_enemy(&self, at: Point) -> Facing {
        let table = self.table();
        table
            .nearest_of(Army::AngloEgyptian, at)
            .map_or(Facing::default(), |(_, b)| self.data.compass.toward(at, b.pose.at))
    }

    /// Owners who wish show what is behind a marker (ruling `reveal`).
    pub(super) fn reveal_by_wish(&mut self) {
        let parts = self.parts;
        for part in parts {
            for legal in &part.plan.reveals {
                let id = legal.get().clone();
                if self.state.marker(&id).is_some() {
                    self.reveal(&id, "its owner shows it");
                    self.done(&part.player);
                } else {
                    self.failed(
                        &part.player,
                        legal,
                        format!("reveal {id}"),
                        "it is off already",
                        "R20",
                    );
                }
            }
        }
    }

    /// A hidden unit that fires is seen (ruling `reveal`).
    pub(super) fn reveal_to_fire(&mut self, id: &str) {
        if let Some(Presence::Marker(marker)) = self.state.unit(id).map(|u| u.presence.clone()) {
            self.reveal(&marker, "it fires");
        }
    }
}
