//! Bases of a unit in contact go back to it (R19).

use crate::geometry::plane::{Pose, overlap};

use super::super::cite;
use super::super::events::Event;
use super::super::manoeuvre::March;
use super::super::state::Order;
use super::super::table::{Table, size_of};
use super::Turn;

impl Turn<'_> {
    /// Bases out of place of a unit in contact go back to it, each on its own way (R19):
    /// beside or behind one that fights.
    pub(super) fn rejoin(&mut self, id: &str) {
        let Some(index) = self.state.units.iter().position(|u| u.id == id) else { return };
        let unit = self.state.units[index].clone();
        if !unit.on_table() || unit.order == Order::Withdraw {
            return;
        }
        if !self.table().engaged(index) {
            let state = self.state.clone();
            let table = Table::new(self.data, &state);
            let mut march = March::new(&table, index);
            march.regain(self.recovered_now(id));
            self.lay_down(id, &march);
            return;
        }
        let size = size_of(self.data, &unit);
        let rate = {
            let state = self.state.clone();
            let table = Table::new(self.data, &state);
            March::new(&table, index).rate
        };
        let numbers: Vec<usize> = unit.standing().map(|(n, _)| n).collect();
        for n in numbers {
            let table = self.table();
            let name = unit.base_id(n);
            let Some(me) = table.body(&name).cloned() else { continue };
            let fights = |b: &super::super::table::Body| !table.enemies_of(b).is_empty();
            let mates: Vec<_> = table.bodies_of(index).filter(|b| b.base != n).cloned().collect();
            let backs = mates.iter().any(|b| {
                fights(b) && {
                    let (right, forward) =
                        self.data.compass.local(b.pose.at, b.pose.facing, me.pose.at);
                    right.abs() <= size.front / 2 && forward < 0 && forward > -size.depth * 3 / 2
                }
            });
            if !me.sound || fights(&me) || backs {
                continue;
            }
            let mut spots: Vec<(bool, i64, Pose)> = Vec::new();
            for mate in mates.iter().filter(|b| fights(b)) {
                for (right, forward) in [(size.front, 0), (-size.front, 0), (0, -size.depth)] {
                    let at =
                        self.data.compass.place(mate.pose.at, mate.pose.facing, right, forward);
                    let pose = Pose { at, facing: mate.pose.facing };
                    let shape = pose.corners(&self.data.compass, size);
                    let free = table.open(&shape)
                        && !table.on_fence(&shape)
                        && !table.bodies.iter().any(|b| {
                            (b.unit, b.base) != (index, n)
                                && overlap(&shape, &b.shape, self.data.slack)
                        });
                    let way = me.pose.at.distance(at);
                    if free && way <= rate && way > 2 * self.data.slack {
                        let body = super::super::table::Body { pose, shape, ..me.clone() };
                        let meets = table
                            .bodies
                            .iter()
                            .any(|e| e.army != me.army && table.in_contact(&body, e));
                        spots.push((!meets, way, pose));
                    }
                }
            }
            spots.sort_unstable();
            if let Some((_, _, pose)) = spots.first() {
                cite("R19");
                let (pose, why) = (*pose, "regains contact with its unit".to_owned());
                self.emit(Event::Pushed { base: name, pose, why });
            }
        }
    }
}
