//! Steps 4 and 6: combats (R23 to R27), and what befalls bases: recoil, suppression,
//! destruction (R28 to R30).

use crate::core::dice::DiceError;
use crate::geometry::plane::{Pose, Side, hull, overlap};

use super::super::cite;
use super::super::combat::{By, effect, modifiers, pairs};
use super::super::data::Army;
use super::super::events::{Effect, Event, Exchange, Score};
use super::super::table::{Body, Table, mounted, values_of};
use super::Turn;

impl Turn<'_> {
    /// All combats of a phase: matches, overlaps and supports as they are when it begins,
    /// results in order of id.
    pub(super) fn fight(&mut self, step: u32) -> Result<(), DiceError> {
        let state = self.state.clone();
        let table = Table::new(self.data, &state);
        let fought: &[String] = if step == 4 { &[] } else { &state.fought };
        let matched = pairs(&table, &[]);
        for pair in pairs(&table, fought) {
            let (regular, mahdist) = (&table.bodies[pair.regular], &table.bodies[pair.mahdist]);
            let names = [table.name(regular), table.name(mahdist)];
            let lies = |name: &String, body: &Body| {
                self.state
                    .base(name)
                    .is_some_and(|(u, n)| u.bases[n].stands() && u.bases[n].pose() == body.pose)
            };
            if !lies(&names[0], regular) || !lies(&names[1], mahdist) {
                continue;
            }
            let label = format!("{}/combat/s{step}/{}", self.head(), names[0]);
            let faces = self.dice.roll(&label, "2d6")?;
            let (mods, backed) = modifiers(&table, regular, mahdist, &matched);
            let (their_mods, their_backed) = modifiers(&table, mahdist, regular, &matched);
            let score = |body: &Body, name: &String, die: u32, modifiers| {
                let value = values_of(self.data, table.unit(body), body.base).combat;
                let mut score = Score { base: name.clone(), die, value, modifiers, total: 0 };
                let sum: i64 =
                    score.modifiers.iter().map(|m: &super::super::events::Modifier| m.by).sum();
                score.total = i64::from(die) + value + sum;
                score
            };
            let ours = score(regular, &names[0], faces[0], mods);
            let theirs = score(mahdist, &names[1], faces[1], their_mods);
            let (a, b) = (ours.total, theirs.total);
            let (on_defender, loser, winner) =
                if b < a { (true, mahdist, regular) } else { (false, regular, mahdist) };
            let (result, rule) = if a == b {
                (Effect::Nothing, "R26")
            } else {
                let by = By::Combat {
                    cavalry: mounted(table.unit(winner)) && table.contact(winner, loser).is_some(),
                    rear: table.bodies.iter().any(|e| {
                        e.army != loser.army
                            && table.contact(e, loser).is_some_and(|(_, side)| side == Side::Rear)
                    }),
                };
                effect(&table, loser, by, (a.max(b), a.min(b)))
            };
            let name = if on_defender { names[1].clone() } else { names[0].clone() };
            let support = if on_defender { their_backed } else { backed };
            self.emit(Event::Fought {
                exchange: Exchange {
                    step,
                    label,
                    attacker: ours,
                    defender: theirs,
                    range: 0,
                    on_defender,
                    effect: result,
                    rule: rule.to_owned(),
                },
            });
            let support = support.map(|n| table.name(&table.bodies[n]));
            self.befall(&name, result, rule, "combat", support);
        }
        Ok(())
    }

    /// What an exchange does to a base.
    pub(super) fn befall(
        &mut self,
        name: &str,
        effect: Effect,
        rule: &str,
        by: &str,
        support: Option<String>,
    ) {
        match effect {
            Effect::Nothing => {}
            Effect::Destroyed => {
                self.destroy(name, format!("beaten in {by}"), rule);
                if let Some(second) = support {
                    let rule = cite("R30").0;
                    self.destroy(&second, format!("it backed {name}"), rule);
                }
            }
            Effect::Recoil => self.recoil(name),
            Effect::Suppressed => self.suppress(name),
        }
    }

    fn destroy(&mut self, name: &str, why: String, rule: &str) {
        let stands = self.state.base(name).is_some_and(|(u, n)| u.bases[n].stands());
        if stands {
            self.emit(Event::Destroyed { base: name.to_owned(), why, rule: rule.to_owned() });
        }
    }

    /// Back by its own depth, looking at the enemy; ranks of its unit are pushed (R28).
    fn recoil(&mut self, name: &str) {
        cite("R28");
        let state = self.state.clone();
        let table = Table::new(self.data, &state);
        let Some(body) = table.body(name) else { return };
        match self.pushes(&table, body, -body.size.depth) {
            Ok(list) => {
                for (n, pose) in list {
                    let pushed = table.name(&table.bodies[n]);
                    let why = if pushed == name {
                        "recoils".to_owned()
                    } else {
                        format!("pushed by {name}")
                    };
                    self.emit(Event::Pushed { base: pushed, pose, why });
                }
            }
            Err(what) => self.destroy(name, format!("it cannot recoil: {what}"), "R28"),
        }
    }

    /// Where a base and those of its unit behind it go, or what stands in the way.
    fn pushes(
        &self,
        table: &Table<'_>,
        body: &Body,
        way: i64,
    ) -> Result<Vec<(usize, Pose)>, String> {
        let slack = self.data.slack;
        let compass = &self.data.compass;
        let first = table.bodies.iter().position(|b| (b.unit, b.base) == (body.unit, body.base));
        let mut todo: Vec<usize> = first.into_iter().collect();
        let shift =
            compass.place(crate::geometry::plane::Point::default(), body.pose.facing, 0, way);
        let mut out: Vec<(usize, Pose)> = Vec::new();
        while let Some(n) = todo.pop() {
            if out.iter().any(|(m, _)| *m == n) {
                continue;
            }
            let moving = &table.bodies[n];
            let pose = Pose { at: moving.pose.at + shift, facing: moving.pose.facing };
            let shape = pose.corners(compass, moving.size);
            let mut swept = moving.shape.to_vec();
            swept.extend(shape);
            let swept = hull(&swept);
            if !table.open(&shape) || !table.open(&swept) {
                return Err("an obstacle or the edge of the table is behind it".to_owned());
            }
            let fence = table
                .fences()
                .any(|line| overlap(&line, &swept, slack) && !overlap(&line, &moving.shape, slack));
            if fence {
                return Err("a fence is behind it".to_owned());
            }
            for (m, other) in table.bodies.iter().enumerate() {
                if m == n || !overlap(&swept, &other.shape, slack) {
                    continue;
                }
                if other.unit != body.unit {
                    return Err(format!("{} is behind it", table.name(other)));
                }
                // Those of its unit beside it that it slides along are not pushed.
                let behind = compass.local(moving.pose.at, body.pose.facing, other.pose.at).1;
                if behind.signum() == way.signum() && !out.iter().any(|(o, _)| *o == m) {
                    todo.push(m);
                }
            }
            out.push((n, pose));
        }
        Ok(out)
    }

    /// Back by its own depth, its back to the enemy; where that is barred it stays,
    /// turned about (R29).
    fn suppress(&mut self, name: &str) {
        cite("R29");
        let state = self.state.clone();
        let table = Table::new(self.data, &state);
        let Some(body) = table.body(name) else { return };
        // One that was suppressed before runs on the way it looks.
        let away = if body.sound { body.pose.facing.back() } else { body.pose.facing };
        let at = self.data.compass.place(body.pose.at, away, 0, body.size.depth);
        let shape = Pose { at, facing: away }.corners(&self.data.compass, body.size);
        let mut swept = body.shape.to_vec();
        swept.extend(shape);
        let swept = hull(&swept);
        let slack = self.data.slack;
        let free = table.open(&swept)
            && !table.fences().any(|line| overlap(&line, &swept, slack))
            && !table.bodies.iter().any(|b| {
                (b.unit, b.base) != (body.unit, body.base) && overlap(&swept, &b.shape, slack)
            });
        let at = if free { at } else { body.pose.at };
        self.emit(Event::Suppressed { base: name.to_owned(), pose: Pose { at, facing: away } });
    }

    /// Generals whom an enemy base touches while no friend is near are out (ruling
    /// `generals-lost`).
    pub(super) fn generals_touched(&mut self) {
        let table = self.table();
        let mut lost = Vec::new();
        for general in table.generals() {
            let near = |army: Army| table.nearest_of(army, general.at).map_or(i64::MAX, |(d, _)| d);
            if near(general.army.enemy()) <= self.data.touch && near(general.army) > 160 {
                lost.push(general.id.clone());
            }
        }
        for general in lost {
            let rule = "R17".to_owned();
            let why = "an enemy reached him and no friend is near".to_owned();
            self.emit(Event::GeneralLost { general, why, rule });
        }
    }
}
