//! Reads and validates the rules files; every fault of every file at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::id::Id;
use crate::core::source::Source;
use crate::game::{RulesFault, RulesFiles, ScenarioInfo};
use crate::geometry::plane::{Compass, Facing, Point, Size};

use super::super::rulings::Rulings;
use super::super::state::{Formation, Order};
use super::files::{
    GeometryFile, ScenarioFile, SettingsFile, ShapeFile, TerrainFile, TroopsFile, ValuesFile,
};
use super::scenario::{
    Arrivals, Emir, GeneralLine, Objective, Scenario, Shape, UnitLine, Victory, Zone,
};
use super::{Arm, Army, Cadence, Class, Data, Troop, TroopData};

pub(super) struct Loader<'a> {
    files: &'a RulesFiles,
    faults: Vec<RulesFault>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(files: &'a RulesFiles) -> Self {
        Self { files, faults: Vec::new() }
    }

    fn say(&mut self, path: &str, fault: Diagnostic) {
        let text = self.files.get(path).map_or("", String::as_str);
        self.faults.push(RulesFault { source: Source::new(path, text), fault });
    }

    /// A fault at the first word in backticks that the file has.
    fn wrong(&mut self, path: &str, message: impl Into<String>) {
        let message = message.into();
        let text = self.files.get(path).map_or("", String::as_str);
        let place = message.split('`').nth(1).and_then(|w| Some((text.find(w)?, w.len())));
        let fault = Diagnostic::error(None, message.clone());
        self.say(
            path,
            match place {
                Some((at, length)) => fault.at(at..at + length),
                None => fault,
            },
        );
    }

    fn read<T: DeserializeOwned>(&mut self, path: &str) -> Option<T> {
        let Some(text) = self.files.get(path) else {
            self.wrong(path, format!("the rules file `{path}` is missing"));
            return None;
        };
        match toml::from_str(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let fault = Diagnostic::error(None, error.message().to_owned());
                self.say(
                    path,
                    match error.span() {
                        Some(span) => fault.at(span),
                        None => fault,
                    },
                );
                None
            }
        }
    }

    pub(super) fn load(mut self) -> Result<Data, Vec<RulesFault>> {
        let settings: Option<SettingsFile> = self.read("settings.toml");
        let geometry: Option<GeometryFile> = self.read("geometry.toml");
        let troops: Option<TroopsFile> = self.read("units.toml");
        let values: Option<ValuesFile> = self.read("values.toml");
        let terrain: Option<TerrainFile> = self.read("terrain.toml");
        let chosen = settings.as_ref().map(|s| s.rulings.clone()).unwrap_or_default();
        let text = self.files.get("rulings.toml").cloned().unwrap_or_default();
        let rulings = match Rulings::load(&text, &chosen) {
            Ok(rulings) => Some(rulings),
            Err(faults) => {
                for fault in faults {
                    self.say("rulings.toml", fault);
                }
                None
            }
        };
        let path = settings.as_ref().map(|s| format!("scenarios/{}.toml", s.scenario));
        let file: Option<ScenarioFile> = path.as_ref().and_then(|p| self.read(p));
        let cadence = settings.as_ref().and_then(|s| match s.cadence.as_str() {
            "brisk" => Some(Cadence::Brisk),
            "strict" => Some(Cadence::Strict),
            "single" => Some(Cadence::Single),
            other => {
                let fault = format!("`{other}` is no cadence: brisk, strict, single");
                self.wrong("settings.toml", fault);
                None
            }
        });
        let (
            Some(settings),
            Some(geometry),
            Some(troops),
            Some(values),
            Some(terrain),
            Some(rulings),
            Some(file),
            Some(cadence),
            Some(path),
        ) = (settings, geometry, troops, values, terrain, rulings, file, cadence, path)
        else {
            return Err(self.faults);
        };
        for option in &settings.options {
            if !file.options.contains(option) {
                let fault =
                    Diagnostic::error(None, format!("`{option}` is no option of this scenario"));
                let known: Vec<&str> = file.options.iter().map(String::as_str).collect();
                self.say(
                    "settings.toml",
                    match &known[..] {
                        [] => fault.help("it has none"),
                        known => fault.help(format!("its options: {}", known.join(", "))),
                    },
                );
            }
        }
        let inch = geometry.per_inch;
        if inch != 100 {
            let fault = format!("`per_inch` = {inch}: places are written in hundredths");
            self.wrong("geometry.toml", fault);
        }
        let compass = match Compass::new(geometry.scale, geometry.sines.clone()) {
            Ok(compass) => Some(compass),
            Err(fault) => {
                self.wrong("geometry.toml", format!("`sines`: {fault}"));
                None
            }
        };
        let troops = self.troops(&troops, &values);
        self.values(&values);
        let scenario = self.scenario(&path, &settings.scenario, file, &terrain.class);
        let (Some(compass), true) = (compass, self.faults.is_empty()) else {
            return Err(self.faults);
        };
        let emir_rifles =
            values.emir.rifles.iter().filter_map(|(k, n)| Some((k.parse().ok()?, *n))).collect();
        Ok(Data {
            compass,
            inch,
            slack: geometry.slack,
            touch: geometry.touch,
            troops,
            values: values.rows,
            bands: values.bands,
            modifiers: values.modifiers,
            average: values.average.faces,
            distances: values.distances,
            obey: values.obey,
            emir_cavalry: values.emir.cavalry,
            emir_rifles,
            classes: terrain.class,
            scenario,
            rulings,
            cadence,
            storm: settings.options.iter().any(|o| o == "storm"),
            options: settings.options,
            files: self.files.clone(),
        })
    }

    fn troops(&mut self, file: &TroopsFile, values: &ValuesFile) -> BTreeMap<Troop, TroopData> {
        let mut out = BTreeMap::new();
        for line in &file.troop {
            let id = line.id.id();
            for row in [Some(&line.values), line.dismounted.as_ref()].into_iter().flatten() {
                if !values.rows.contains_key(row) {
                    self.wrong("units.toml", format!("`{row}` is no row of values.toml"));
                }
            }
            let sound = line.size.iter().all(|n| (20..=400).contains(n) && n % 2 == 0)
                && (0..=2000).contains(&line.line)
                && (0..=2000).contains(&line.column)
                && line.march.is_none_or(|n| (0..=2000).contains(&n));
            if !sound {
                self.wrong("units.toml", format!("`{id}`: a size or a rate is out of bounds"));
            }
            if line.dismounted.is_some()
                != (line.id.arm() == Arm::Cavalry && id != "mahdist-cavalry")
            {
                let fault = format!("`{id}`: regular cavalry, and only they, may dismount");
                self.wrong("units.toml", fault);
            }
            let data = TroopData {
                name: line.name.clone(),
                figures: line.figures,
                size: Size { front: line.size[0], depth: line.size[1] },
                line: line.line,
                column: line.column,
                march: line.march,
                values: line.values.clone(),
                dismounted: line.dismounted.clone(),
            };
            if out.insert(line.id, data).is_some() {
                self.wrong("units.toml", format!("`{id}` stands twice"));
            }
        }
        for troop in Troop::ALL {
            if !out.contains_key(&troop) {
                self.wrong("units.toml", format!("the troops `{}` are missing", troop.id()));
            }
        }
        out
    }

    fn values(&mut self, file: &ValuesFile) {
        let path = "values.toml";
        if !file.bands.windows(2).all(|w| w[0] < w[1]) || file.bands[0] <= 0 {
            self.wrong(path, "the `bands` do not rise");
        }
        for (name, row) in &file.rows {
            if !(1..=20).contains(&row.combat) || row.fire.iter().any(|n| !(0..=20).contains(n)) {
                self.wrong(path, format!("`{name}`: a value is not between 0 and 20"));
            }
        }
        if !file.rows.contains_key("mahdist-rifles") {
            self.wrong(path, "the row `mahdist-rifles` is missing");
        }
        if file.average.faces.iter().any(|n| !(1..=9).contains(n)) {
            self.wrong(path, "the `faces` of the average die are not between 1 and 9");
        }
        if file.emir.rifles.keys().any(|k| k.parse::<u32>().is_err()) {
            self.wrong(path, "the `rifles` of an emir want a face of a die each");
        }
    }

    fn point(&mut self, path: &str, text: &[String; 2]) -> Point {
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

    fn shape(&mut self, path: &str, line: &ShapeFile, classes: &[Class]) -> Option<Shape> {
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
    fn scenario(
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
