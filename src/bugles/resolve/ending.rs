//! The end of a window: victory (R5), the next window, storm (R31), arrivals (R6).

use crate::core::dice::DiceError;
use crate::core::id::Id;
use crate::geometry::plane::{Point, contains};

use super::super::cite;
use super::super::data::{Army, Cadence, Data};
use super::super::events::Event;
use super::super::state::{Behind, Drawn, Marker, State, Window};
use super::Turn;

/// Whose orders a window awaits.
pub fn asks(data: &Data, state: &State) -> Vec<Id> {
    let of =
        |army: Army| state.players().into_iter().filter(move |(_, a)| *a == army).map(|(p, _)| p);
    let both = || of(Army::AngloEgyptian).chain(of(Army::Mahdist)).collect::<Vec<_>>();
    let mut out = match state.window {
        Window::Muster | Window::End => Vec::new(),
        Window::Deploy | Window::Orders | Window::Turn => both(),
        Window::Mahdist => of(Army::Mahdist).collect(),
        Window::Action => of(Army::AngloEgyptian).collect(),
    };
    let _ = data;
    out.sort();
    out
}

impl Turn<'_> {
    /// Has anybody won?
    pub(super) fn judge(&mut self) {
        cite("R5");
        let victory = &self.data.scenario.victory;
        if let Some(objective) = &victory.objective {
            let army = objective.zone.army;
            let there = self.state.at_objective(objective);
            if there >= usize::try_from(objective.bases).unwrap_or(0) {
                let why = format!("{there} sound bases reached {}", objective.name);
                self.over(Some(army), why);
                return;
            }
        }
        let broken: Vec<(Army, u32, u32, u32)> = victory
            .breaks
            .iter()
            .map(|(army, percent)| {
                let whole = match army {
                    Army::AngloEgyptian => self.state.elements,
                    Army::Mahdist => self.state.mustered,
                };
                (*army, *percent, self.state.lost(*army), whole)
            })
            .filter(|(army, percent, lost, whole)| {
                // Who may still grow by arrivals does not break before they are over.
                let grows = *army == Army::Mahdist
                    && self
                        .data
                        .scenario
                        .arrivals
                        .as_ref()
                        .is_some_and(|a| self.state.turn < a.last);
                let hidden = *army == Army::Mahdist
                    && self
                        .state
                        .markers
                        .iter()
                        .any(|m| matches!(&m.behind, Behind::Random(l) if !l.is_empty()));
                *whole > 0 && !grows && !hidden && lost * 100 >= whole * percent
            })
            .collect();
        match &broken[..] {
            [] => {}
            [(army, percent, lost, whole)] => {
                let why = format!(
                    "the {} army lost {lost} of {whole} bases and breaks at {percent} per cent",
                    army.name()
                );
                self.over(Some(army.enemy()), why);
            }
            _ => self.over(None, "both armies are broken".to_owned()),
        }
        if self.state.result.is_none() && self.state.turn >= self.data.scenario.turns {
            let why = format!("turn {} was the last", self.state.turn);
            self.over(victory.at_end, why);
        }
    }

    fn over(&mut self, winner: Option<Army>, why: String) {
        let result = match winner {
            Some(army) => format!("{} victory", army.name()),
            None => "draw".to_owned(),
        };
        self.emit(Event::Over { result, winner, why, rule: "R5".to_owned() });
    }

    /// The window after this one; a new turn begins with its storm and its arrival.
    pub(super) fn advance(&mut self, window: Window) -> Result<(), DiceError> {
        let phase = self.phase;
        if self.state.result.is_some() {
            // The clock stops; the phase still counts.
            let (turn, window) = (self.state.turn, Window::End);
            self.emit(Event::Advanced { phase, turn, window });
            return Ok(());
        }
        let cadence = self.data.cadence;
        let first = if cadence == Cadence::Single { Window::Turn } else { Window::Orders };
        let turn = self.state.turn;
        let (turn, window) = match window {
            Window::Muster => (0, Window::Deploy),
            Window::Orders if cadence == Cadence::Strict => (turn, Window::Mahdist),
            Window::Orders | Window::Mahdist => (turn, Window::Action),
            Window::Deploy | Window::Action | Window::Turn => (turn + 1, first),
            Window::End => (turn, Window::End),
        };
        let new = turn != self.state.turn;
        self.emit(Event::Advanced { phase, turn, window });
        if new {
            self.weather()?;
            self.arrival()?;
            self.look("it stands within sight");
        }
        Ok(())
    }

    /// A marker at a random point of the edge, and under seal what is behind it (R6).
    fn arrival(&mut self) -> Result<(), DiceError> {
        let Some(arrivals) = self.data.scenario.arrivals.clone() else { return Ok(()) };
        if self.state.turn > arrivals.last {
            return Ok(());
        }
        cite("R6");
        let head = self.head();
        let table = self.data.scenario.table;
        // The perimeter of the edges named, in tenths of an inch.
        let length = |edge: &str| if matches!(edge, "north" | "south") { table.x } else { table.y };
        let whole: i64 = arrivals.edges.iter().map(|e| length(e) / 10).sum();
        let spec = format!("1d{whole}");
        let mut at = i64::from(self.dice.roll(&format!("{head}/arrival/edge"), &spec)?[0]) - 1;
        let mut spot = Point::default();
        for edge in &arrivals.edges {
            if at < length(edge) / 10 {
                spot = match edge.as_str() {
                    "north" => Point::new(at * 10, table.y),
                    "south" => Point::new(at * 10, 0),
                    "east" => Point::new(table.x, at * 10),
                    _ => Point::new(0, at * 10),
                };
                break;
            }
            at -= length(edge) / 10;
        }
        let mut sealed = vec![self.dice.roll_sealed(&format!("{head}/arrival"), "1d100")?];
        let chance = arrivals.chance.unwrap_or(self.state.elements);
        let real = sealed[0].faces[0] <= chance;
        let number = self.dice.roll_sealed(&format!("{head}/arrival/units"), "2d6")?;
        let units: u32 = number.faces.iter().map(|f| self.average(*f)).sum();
        sealed.push(number);
        let mut list: Vec<Drawn> = Vec::new();
        for n in 1..=arrivals.units {
            let kind = self.dice.roll_sealed(&format!("{head}/arrival/{n}/type"), "1d6")?;
            let pair = self.dice.roll_sealed(&format!("{head}/arrival/{n}/bases"), "2d6")?;
            if real && n <= units {
                let two = (self.average(pair.faces[0]), self.average(pair.faces[1]));
                list.push(self.by_dice(self.average(kind.faces[0]), two, arrivals.bases));
            }
            sealed.extend([kind, pair]);
        }
        if self.data.rulings.arrive_in_cover
            && let Some(cover) = self.nearest_cover(spot)
        {
            spot = cover;
        }
        let general = self
            .state
            .generals
            .iter()
            .find(|g| g.army == Army::Mahdist)
            .map_or_else(String::new, |g| g.id.clone());
        let number = self.state.numbered + 1;
        let marker = Marker {
            id: format!("m-{number}"),
            at: spot,
            general,
            under_fire: false,
            halted: false,
            veil: false,
            noted: Some(0),
            behind: Behind::Random(list),
            sealed,
        };
        self.emit(Event::Placed { marker, number });
        Ok(())
    }

    /// The middle of the nearest piece of cover that no marker is in.
    fn nearest_cover(&self, from: Point) -> Option<Point> {
        self.data
            .scenario
            .shapes
            .iter()
            .filter(|s| self.data.class(s).hides && !self.data.class(s).fence)
            .filter(|s| !self.state.markers.iter().any(|m| contains(&s.points, m.at)))
            .map(super::super::data::Shape::middle)
            .min_by_key(|p| (p.square_to(from), *p))
    }
}
