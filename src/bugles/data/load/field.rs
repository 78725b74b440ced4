//! A scenario: the table, its terrain, who stands where, who wins.

use std::collections::BTreeSet;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::id::Id;
use crate::game::ScenarioInfo;
use crate::game::reading::Reading;
use crate::geometry::plane::{Facing, Point};

use super::super::super::state::{Formation, Order};
use super::super::files::{ScenarioFile, ShapeFile};
use super::super::scenario::{
    Arrivals, Emir, GeneralLine, Objective, Scenario, Shape, UnitLine, Victory, Zone,
};
use super::super::{Army, Class, Troop};
use super::Loader;

impl Loader<'_> {
    pub(super) fn point(&mut self, path: &str, text: &[String; 2]) -> Point {
        let mut read = |word: &String| {
            let (whole, part) = word.split_once('.').unwrap_or((word, ""));
            let value = whole
                .parse::<i64>()
                .ok()
                .filter(|_| part.len() < 3)
                .and_then(|w| format!("{part:0<2}").parse::<i64>().ok().map(|p| w * 100 + p));
            value.unwrap_or_else(|| {
                self.wrong(path, format!("`{word}` is no number of inches"));
                0
            })
        };
        Point::new(read(&text[0]), read(&text[1]))
    }

    pub(super) fn shape(
        &mut self,
        path: &str,
        line: &ShapeFile,
        classes: &[Class],
    ) -> Option<Shape> {
        let Some(class) = classes.iter().position(|c| c.id == line.class) else {
            let fault = Diagnostic::error(None, format!("`{}` is no class of terrain", line.class));
            let near = did_you_mean(&line.class, classes.iter().map(|c| c.id.as_str()));
            self.say(
                path,
                match near {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault,
                },
            );
            return None;
        };
        let points: Vec<Point> = line.points.iter().map(|p| self.point(path, p)).collect();
        let n = points.len();
        if classes[class].fence {
            if n < 2 {
                self.wrong(path, format!("the fence `{}` has fewer than two posts", line.name));
            }
        } else {
            let turn = |i: usize| {
                (points[(i + 1) % n] - points[i]).cross(points[(i + 2) % n] - points[(i + 1) % n])
            };
            let convex = n > 2 && ((0..n).all(|i| turn(i) > 0) || (0..n).all(|i| turn(i) < 0));
            if !convex {
                let fault = format!("`{}` is not convex: cut it into convex pieces", line.name);
                self.wrong(path, fault);
                return None;
            }
        }
        Some(Shape { class, name: line.name.clone(), points })
    }

    #[allow(clippy::too_many_lines, reason = "one thing after another")]
    pub(super) fn scenario(
        &mut self,
        path: &str,
        id: &str,
        file: ScenarioFile,
        classes: &[Class],
    ) -> Scenario {
        let table = Point::new(file.table[0] * 100, file.table[1] * 100);
        if !(1200..=20_000).contains(&table.x) || !(1200..=20_000).contains(&table.y) {
            self.wrong(path, "the `table` is not between 12 and 200 inches");
        }
        if !(1..=60).contains(&file.turns) {
            self.wrong(path, "`turns` is not between 1 and 60");
        }
        let mut seen = BTreeSet::new();
        let mut generals = Vec::new();
        for g in &file.general {
            if Id::player(&g.id).is_err() || !seen.insert(g.id.clone()) {
                self.wrong(path, format!("`{}` is no id, or stands twice", g.id));
            }
            let at = self.point(path, &g.at);
            let seat = g.seat.clone().unwrap_or_else(|| g.id.clone());
            generals.push(GeneralLine {
                id: g.id.clone(),
                name: g.name.clone(),
                army: g.army,
                at,
                macdonald: g.macdonald,
                seat,
            });
        }
        for g in &generals {
            if !generals.iter().any(|s| s.id == g.seat && s.seat == s.id && s.army == g.army) {
                self.wrong(path, format!("`{}` is no general with a seat of his own", g.seat));
            }
        }
        let mut units = Vec::new();
        for u in &file.unit {
            if Id::new(&u.id).is_err() || u.id.len() > 20 || !seen.insert(u.id.clone()) {
                self.wrong(path, format!("`{}` is no id of 20 letters, or stands twice", u.id));
            }
            let army = u.troop.army();
            if !generals.iter().any(|g| g.id == u.general && g.army == army) {
                self.wrong(path, format!("`{}` has no general `{}`", u.id, u.general));
            }
            let order = match u.order.as_str() {
                "HOLD" => Order::Hold,
                "ATTACK" => Order::Attack,
                "MOVE" => Order::Move,
                other => {
                    self.wrong(path, format!("`{other}` is no order: HOLD, ATTACK, MOVE"));
                    Order::Hold
                }
            };
            if order == Order::Attack && u.column {
                self.wrong(path, format!("`{}` cannot ATTACK in column", u.id));
            }
            if !(1..=12).contains(&u.bases) || u.rifles > u.bases {
                self.wrong(path, format!("`{}` has no 1 to 12 bases, or more rifles", u.id));
            }
            if u.rifles > 0 && u.troop != Troop::MahdistInfantry {
                self.wrong(path, format!("`{}`: only Mahdist infantry has rifle bases", u.id));
            }
            if u.hidden && army == Army::AngloEgyptian {
                self.wrong(path, format!("`{}`: only Mahdists hide", u.id));
            }
            let Ok(facing) = Facing::try_from(u.facing) else {
                self.wrong(path, format!("`{}`: {} is no facing", u.id, u.facing));
                continue;
            };
            let at = self.point(path, &u.at);
            units.push(UnitLine {
                id: u.id.clone(),
                name: u.name.clone(),
                troop: u.troop,
                general: u.general.clone(),
                bases: u.bases,
                rifles: u.rifles,
                at,
                facing,
                formation: if u.column { Formation::Column } else { Formation::Battle },
                hidden: u.hidden,
                order,
            });
        }
        let mut emirs = Vec::new();
        for e in &file.emir {
            if !generals.iter().any(|g| g.id == e.general && g.army == Army::Mahdist) {
                self.wrong(path, format!("`{}` is no Mahdist general", e.general));
            }
            if !(1..=10).contains(&e.units) || !(2..=10).contains(&e.bases) {
                self.wrong(path, format!("`{}`: 1 to 10 units of 2 to 10 bases", e.general));
            }
            let (general, units, bases) = (e.general.clone(), e.units, e.bases);
            emirs.push(Emir { general, units, bases });
        }
        let shapes: Vec<Shape> =
            file.terrain.iter().filter_map(|line| self.shape(path, line, classes)).collect();
        let mut zones = Vec::new();
        for z in &file.zone {
            let (from, to) = (self.point(path, &z.from), self.point(path, &z.to));
            if from.x >= to.x || from.y >= to.y {
                self.wrong(path, "a `zone` runs from its lower left to its upper right corner");
            }
            zones.push(Zone { army: z.army, from, to });
        }
        let arrivals = file.arrivals.as_ref().map(|a| {
            for edge in &a.edges {
                if !["north", "east", "south", "west"].contains(&edge.as_str()) {
                    self.wrong(path, format!("`{edge}` is no edge: north, east, south, west"));
                }
            }
            let sound = !a.edges.is_empty()
                && (1..=10).contains(&a.units)
                && (2..=10).contains(&a.bases)
                && a.chance.is_none_or(|c| c <= 100);
            if !sound {
                self.wrong(path, "`arrivals`: edges, 1 to 10 units, 2 to 10 bases, chance to 100");
            }
            Arrivals {
                edges: a.edges.clone(),
                chance: a.chance,
                units: a.units,
                bases: a.bases,
                last: a.last,
                blind: a.blind,
            }
        });
        let objective = file.victory.objective.as_ref().map(|o| Objective {
            name: o.name.clone(),
            zone: Zone {
                army: o.army,
                from: self.point(path, &o.from),
                to: self.point(path, &o.to),
            },
            bases: o.bases,
        });
        let at_end = match file.victory.at_end.as_str() {
            "anglo-egyptian" => Some(Army::AngloEgyptian),
            "mahdist" => Some(Army::Mahdist),
            "draw" => None,
            other => {
                self.wrong(path, format!("`{other}`: anglo-egyptian, mahdist or draw"));
                None
            }
        };
        let start = match file.start.split_once(':') {
            None if file.start.is_empty() => None,
            Some((h, m)) if h.parse::<u32>().is_ok() && m.parse::<u32>().is_ok() => {
                Some(h.parse::<u32>().unwrap_or(0) * 60 + m.parse::<u32>().unwrap_or(0))
            }
            _ => {
                self.wrong(path, format!("`{}` is no hour", file.start));
                None
            }
        };
        let mut sides = Vec::new();
        for army in [Army::AngloEgyptian, Army::Mahdist] {
            let Some(line) = file.army.iter().find(|a| a.army == army) else {
                self.wrong(path, format!("no [[army]] is `{}`", army.id()));
                continue;
            };
            let commands: Vec<String> = generals
                .iter()
                .filter(|g| g.army == army && g.seat == g.id)
                .map(|g| g.id.clone())
                .collect();
            if line.machine {
                if army == Army::AngloEgyptian {
                    self.wrong(path, "the machine plays Mahdists only");
                }
            } else if commands.is_empty() {
                self.wrong(path, format!("`{}` has no general", army.id()));
            } else {
                sides.push((army.id().to_owned(), commands));
            }
        }
        let on_table = |p: &Point| (0..=table.x).contains(&p.x) && (0..=table.y).contains(&p.y);
        for (what, p) in generals
            .iter()
            .map(|g| (g.id.clone(), g.at))
            .chain(units.iter().map(|u| (u.id.clone(), u.at)))
            .chain(shapes.iter().flat_map(|s| s.points.iter().map(|p| (s.name.clone(), *p))))
            .collect::<Vec<_>>()
        {
            if !on_table(&p) {
                self.wrong(path, format!("`{what}` stands off the table"));
            }
        }
        let info = ScenarioInfo {
            id: id.to_owned(),
            system: "bugles".to_owned(),
            title: file.title,
            summary: file.summary,
            sides,
            sealed: true,
        };
        Scenario {
            info,
            source: file.source,
            facts: file.fact.into_iter().map(|f| (f.what, f.source)).collect(),
            table,
            turns: file.turns,
            start,
            options: file.options,
            armies: file.army,
            generals,
            units,
            emirs,
            shapes,
            zones,
            arrivals,
            victory: Victory {
                objective,
                breaks: file.victory.breaks.into_iter().collect(),
                at_end,
            },
        }
    }
}
