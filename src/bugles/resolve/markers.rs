//! Markers that are no unit of ours go from point to point (R20 to R22).

use crate::geometry::plane::{Facing, Point, rounded};

use super::super::check::Who;
use super::super::cite;
use super::super::data::Army;
use super::super::events::Event;
use super::super::manoeuvre::Step;
use super::super::state::Behind;
use super::Turn;

impl Turn<'_> {
    /// A marker that is no unit of ours moves from point to point.
    pub(super) fn marker_moves(&mut self, id: &str) {
        let Some((player, legal)) = self.order_for(&Who::Marker(id.to_owned())) else { return };
        let words = legal.get().words(self.data);
        let Some(marker) = self.state.marker(id).cloned() else {
            self.failed(&player, &legal, words, "it is off the table", "R20");
            return;
        };
        if let Behind::Unit(_) = marker.behind {
            return;
        }
        if marker.halted {
            self.failed(&player, &legal, words, "it halts in the storm", "R31");
            return;
        }
        let distances = &self.data.distances;
        let table = self.table();
        let near = |p: Point| table.nearest_of(Army::AngloEgyptian, p).map_or(i64::MAX, |(d, _)| d);
        // A false marker may bluff at the pace of horses; one that may be real goes on foot.
        let foot = self.data.troop(super::super::data::Troop::MahdistInfantry);
        let (fast, slow) = match marker.behind {
            Behind::Nothing => (distances.marker_bluff, 600),
            _ => (foot.march.unwrap_or(foot.column), foot.column),
        };
        cite("R21");
        let in_storm = self.state.storm.is_some() && near(marker.at) > table.sight();
        let halve = |n: i64| if in_storm { n / 20 * 10 } else { n };
        let cap = if marker.under_fire {
            cite("R22");
            distances.marker_under_fire
        } else {
            i64::MAX
        };
        let (fast, slow) = (halve(fast).min(cap), halve(slow).min(cap));
        let veer = self.events.iter().rev().find_map(|e| match e {
            Event::Veered { who, degrees, .. } if who == id => Some(*degrees),
            _ => None,
        });
        let (mut at, mut spent, mut stopped) = (marker.at, 0, None);
        'way: for step in &legal.get().steps {
            let Step::To(to) = step else { continue };
            let to = &match veer {
                Some(degrees) if degrees != 0 => {
                    // The same way, turned about where the marker is.
                    let v = *to - at;
                    let compass = &self.data.compass;
                    compass.place(at, Facing::default().turned(degrees), v.x, v.y)
                }
                _ => *to,
            };
            let (from, whole) = (at, at.distance(*to));
            let mut gone = 0;
            while gone < whole {
                let tenth = 10.min(whole - gone);
                let v = *to - from;
                let next = Point::new(
                    from.x + rounded(v.x * (gone + tenth), whole),
                    from.y + rounded(v.y * (gone + tenth), whole),
                );
                let limit = if near(next) > distances.march { fast } else { slow };
                if spent + tenth > limit {
                    stopped = Some(("the move is used up", "R17"));
                    break 'way;
                }
                if !self.data.scenario.on_table(next)
                    || self.data.shapes_at(next, |c| c.impassable).is_some()
                {
                    stopped = Some(("an obstacle or the edge is in the way", "R17"));
                    break 'way;
                }
                at = next;
                gone += tenth;
                spent += tenth;
                if near(at) <= table.reveal_distance(at) {
                    break 'way;
                }
            }
        }
        self.marker_goes(id, at);
        match stopped {
            Some((why, rule)) => self.failed(&player, &legal, words, why, rule),
            None => self.done(&player),
        }
    }
}
