//! Reads and validates the rules files, stage by stage: charts, counters, map,
//! scenario; each stage refers only to earlier ones, and all faults are gathered.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::source::Source;
use crate::game::{RulesFault, RulesFiles, ScenarioInfo};
use crate::geometry::hex::Hex;

use super::super::board::{Board, MapFile, Terrain};
use super::super::rulings::Rulings;
use super::files::{
    ChartFile, Counter, CounterFile, FortPlace, ScenarioFile, SettingsFile, TerrainFile,
};
use super::{
    Army, Blocker, Blocks, Cell, Charts, Data, Kind, Level, Multiplier, Needed, Scenario, SideInfo,
    TerrainLine, Unit, UnitId,
};

pub(super) struct Loader<'a> {
    pub(super) files: &'a RulesFiles,
    pub(super) faults: Vec<RulesFault>,
}

impl Loader<'_> {
    fn say(&mut self, path: &str, fault: Diagnostic) {
        let text = self.files.get(path).map_or("", String::as_str);
        self.faults.push(RulesFault { source: Source::new(path, text), fault });
    }

    fn wrong(&mut self, path: &str, message: impl Into<String>) {
        let message = message.into();
        let text = self.files.get(path).map_or("", String::as_str);
        // The first word in backticks is what the file has wrong: point at it.
        let place = message.split('`').nth(1).and_then(|word| Some((text.find(word)?, word.len())));
        let fault = Diagnostic::error(None, message.clone());
        self.say(
            path,
            match place {
                Some((at, length)) => fault.at(at..at + length),
                None => fault,
            },
        );
    }

    /// A figure that no printed chart or counter could have.
    fn bounded(&mut self, path: &str, what: &str, figure: i64, from: i64, to: i64) {
        if !(from..=to).contains(&figure) {
            self.wrong(path, format!("`{what}`: {figure} is not between {from} and {to}"));
        }
    }

    fn read<T: DeserializeOwned>(&mut self, path: &str) -> Option<T> {
        let Some(text) = self.files.get(path) else {
            self.wrong(path, format!("the rules file `{path}` is missing"));
            return None;
        };
        match toml::from_str(text) {
            Ok(value) => Some(value),
            Err(error) => {
                let mut fault = Diagnostic::error(None, error.message().to_owned());
                if let Some(span) = error.span() {
                    fault = fault.at(span);
                }
                self.say(path, fault);
                None
            }
        }
    }

    pub(super) fn load(mut self) -> Result<Data, Vec<RulesFault>> {
        let settings: Option<SettingsFile> = self.read("settings.toml");
        let counters: Option<CounterFile> = self.read("units.toml");
        let charts: Option<ChartFile> = self.read("charts.toml");
        let rulings = if let (Some(s), Some(text)) = (&settings, self.files.get("rulings.toml")) {
            match Rulings::load(text, &s.rulings) {
                Ok(rulings) => Some(rulings),
                Err(faults) => {
                    for fault in faults {
                        self.say("rulings.toml", fault);
                    }
                    None
                }
            }
        } else {
            self.wrong("rulings.toml", "the rules file `rulings.toml` is missing");
            None
        };
        let scenario: Option<ScenarioFile> =
            settings.as_ref().and_then(|s| self.read(&format!("scenarios/{}.toml", s.scenario)));
        let board = scenario.as_ref().and_then(|s| {
            let path = format!("maps/{}.toml", s.map);
            let file: MapFile = self.read(&path)?;
            match Board::new(file) {
                Ok(board) => Some(board),
                Err(faults) => {
                    for fault in faults {
                        self.wrong(&path, fault.message);
                    }
                    None
                }
            }
        });
        if let Some(s) = &settings {
            if !["brisk", "strict"].contains(&s.cadence.as_str()) {
                self.wrong(
                    "settings.toml",
                    format!("`{}` is no cadence: brisk, strict", s.cadence),
                );
            }
            for option in &s.options {
                self.wrong("settings.toml", format!("`{option}` is no option of this scenario"));
            }
        }
        let charts = charts.and_then(|c| self.charts(&c));
        let parts = (settings, counters, charts, rulings, scenario, board);
        let (
            Some(settings),
            Some(counters),
            Some(charts),
            Some(rulings),
            Some(scenario),
            Some(board),
        ) = parts
        else {
            return Err(self.faults);
        };
        let path = format!("scenarios/{}.toml", settings.scenario);
        let units = self.units(&path, &counters, &scenario, &board);
        let data = self.scenario(&path, scenario, units, &board).map(|(units, scenario)| Data {
            board,
            charts,
            rulings,
            scenario,
            units,
            strict: settings.cadence == "strict",
            files: self.files.clone(),
        });
        match data {
            Some(data) if self.faults.is_empty() => Ok(data),
            _ => Err(self.faults),
        }
    }

    fn charts(&mut self, file: &ChartFile) -> Option<Charts> {
        let path = "charts.toml";
        let before = self.faults.len();
        let mut rows = Vec::new();
        let mut last = 0;
        for row in &file.results.rows {
            let cells: Vec<Cell> = row
                .cells
                .chars()
                .filter_map(|c| match c {
                    '-' => Some(Cell::Nothing),
                    'D' => Some(Cell::Disrupt),
                    _ => c.to_digit(10).map(Cell::Eliminate),
                })
                .collect();
            match <[Cell; 10]>::try_from(cells) {
                Ok(cells) if row.upto > last => rows.push((row.upto, cells)),
                _ => self.wrong(
                    path,
                    format!("the results row up to {} is not ten cells in order", row.upto),
                ),
            }
            last = row.upto;
        }
        if rows.is_empty() {
            self.wrong(path, "the results table has no row");
        }
        let mut range = BTreeMap::new();
        for (army, lines) in [
            (Army::Dervish, &file.range.dervish),
            (Army::AngloEgyptian, &file.range.anglo_egyptian),
        ] {
            for (weapon, text) in lines {
                let line: Vec<Option<Multiplier>> = text
                    .chars()
                    .map(|c| match c {
                        'h' => Some(Multiplier::Half),
                        _ => c.to_digit(10).filter(|n| *n > 0).map(Multiplier::Times),
                    })
                    .collect();
                range.insert((army, *weapon), line);
            }
        }
        let terrain = Terrain::ALL.map(|t| {
            let line =
                file.terrain.get(t.name()).cloned().map(toml::Value::try_into::<TerrainFile>);
            if let Some(Ok(line)) = line {
                TerrainLine { mp: line.mp, drm: line.drm, level: line.level }
            } else {
                self.wrong(path, format!("[terrain] lacks a sound line for {}", t.name()));
                TerrainLine { mp: 1, drm: 0, level: Level::Ground }
            }
        });
        let mut sight = Vec::new();
        for from in [Level::Ground, Level::Rough, Level::Hilltop] {
            for to in [Level::Ground, Level::Rough, Level::Hilltop] {
                let key = format!("{}-{}", from.name(), to.name());
                let row: Option<Vec<Blocker>> = file
                    .sight
                    .get(&key)
                    .and_then(toml::Value::as_array)
                    .and_then(|a| a.iter().map(|v| blocker(v.as_str()?)).collect());
                match row {
                    Some(row) => sight.push((from, to, row)),
                    None => self.wrong(path, format!("[sight] lacks a sound row {key}")),
                }
            }
        }
        for line in &terrain {
            self.bounded(path, "mp", i64::from(line.mp), 1, 20);
            self.bounded(path, "drm", i64::from(line.drm), -10, 10);
        }
        let sides = &file.hexside;
        for line in [&sides.khor, &sides.crest, &sides.wall, &sides.gate, &sides.breach] {
            self.bounded(path, "mp", i64::from(line.mp), 0, 20);
            self.bounded(path, "drm", i64::from(line.drm), -10, 10);
        }
        for (what, drm) in [
            ("dervish", file.melee.dervish),
            ("anglo-egyptian", file.melee.anglo_egyptian),
            ("accuracy", file.fire.accuracy),
            ("integrity", file.fire.integrity),
            ("drm", file.fort.drm),
        ] {
            self.bounded(path, what, i64::from(drm), -10, 10);
        }
        self.bounded(path, "mp", i64::from(file.road.mp), 1, 20);
        if last < 41 {
            self.wrong(path, format!("the last row of `results` ends at {last} factors"));
        }
        (self.faults.len() == before).then_some(Charts {
            rows,
            range,
            terrain,
            sight,
            road_mp: file.road.mp,
            fort_drm: file.fort.drm,
            khor: file.hexside.khor,
            crest: file.hexside.crest,
            wall: file.hexside.wall,
            gate: file.hexside.gate,
            breach: file.hexside.breach,
            melee: (file.melee.dervish, file.melee.anglo_egyptian),
            accuracy: file.fire.accuracy,
            integrity: file.fire.integrity,
            needed: Needed {
                gunboat: file.needed.gunboat,
                fort: file.needed.fort,
                wall: file.needed.wall,
            },
        })
    }

    fn units(
        &mut self,
        path: &str,
        counters: &CounterFile,
        scenario: &ScenarioFile,
        board: &Board,
    ) -> Vec<Unit> {
        let mut by_id: BTreeMap<String, &Counter> = BTreeMap::new();
        for counter in &counters.counter {
            let ids = counter.ids();
            if ids.len() != counter.count as usize {
                self.wrong(
                    "units.toml",
                    format!("`{}` has not {} names", counter.id, counter.count),
                );
            }
            for (what, figure) in [
                ("fire", Some(counter.fire)),
                ("melee", Some(counter.melee)),
                ("ma", counter.ma),
                ("up", counter.up),
                ("down", counter.down),
            ] {
                let figure = i64::from(figure.unwrap_or(0));
                self.bounded("units.toml", what, figure, 0, 100);
            }
            for id in ids {
                if by_id.insert(id.clone(), counter).is_some() {
                    self.wrong("units.toml", format!("the id `{id}` stands twice"));
                }
            }
        }
        let mut units: Vec<Unit> = Vec::new();
        for side in &scenario.side {
            for command in &side.command {
                let mut wanted = Vec::new();
                for text in &command.units {
                    match text.split_once(' ') {
                        Some((line, n)) => {
                            let n: usize = n.parse().unwrap_or(0);
                            let found = counters.counter.iter().find(|c| c.id == line);
                            let ids = found.map(Counter::ids).unwrap_or_default();
                            if n == 0 || ids.len() < n {
                                self.wrong(
                                    path,
                                    format!("`{text}`: the counter mix has not that many"),
                                );
                            }
                            wanted.extend(ids.into_iter().take(n));
                        }
                        None => wanted.push(text.clone()),
                    }
                }
                for id in wanted {
                    if let Some(c) = by_id.get(&id) {
                        units.push(unit(&id, c, side.army, &command.id, None));
                    } else {
                        let mut fault = Diagnostic::error(None, format!("`{id}` is no counter"));
                        if let Some(near) = did_you_mean(&id, by_id.keys().map(String::as_str)) {
                            fault = fault.help(format!("did you mean `{near}`?"));
                        }
                        self.say(path, fault);
                    }
                }
                let fort = counters.counter.iter().find(|c| c.kind == Kind::Fort);
                for id in &command.forts {
                    let place: Option<FortPlace> =
                        scenario.fort.get(id).cloned().and_then(|v| v.try_into().ok());
                    let hex =
                        place.as_ref().and_then(|p| Hex::parse(&p.hex)).filter(|h| board.has(*h));
                    match (fort, place, hex) {
                        (Some(c), Some(place), Some(hex)) => {
                            let mut unit = unit(id, c, side.army, &command.id, Some(hex));
                            unit.name = place.name;
                            units.push(unit);
                        }
                        _ => self.wrong(path, format!("[fort] has no sound place for `{id}`")),
                    }
                }
            }
        }
        units.sort_by(|a, b| a.id.cmp(&b.id));
        for pair in units.windows(2) {
            if pair[0].id == pair[1].id {
                self.wrong(path, format!("`{}` is in two commands", pair[0].id));
            }
        }
        units
    }

    fn scenario(
        &mut self,
        path: &str,
        file: ScenarioFile,
        units: Vec<Unit>,
        board: &Board,
    ) -> Option<(Vec<Unit>, Scenario)> {
        let find = |id: &str| {
            units.iter().position(|u| u.id == id).and_then(|i| u16::try_from(i).ok()).map(UnitId)
        };
        let hex = |text: &str| Hex::parse(text).filter(|h| board.has(*h));
        let mut standard = BTreeMap::new();
        for place in &file.setup.standard {
            match (find(&place.units), hex(&place.hex)) {
                (Some(unit), Some(hex)) => {
                    standard.insert(unit, hex);
                }
                _ => self.wrong(path, format!("[setup] cannot place `{}`", place.units)),
            }
        }
        let (Some(gordon), Some(palace)) = (find(&file.victory.gordon), hex(&file.setup.gordon))
        else {
            self.wrong(path, "Gordon or his hex is missing");
            return None;
        };
        let mut entry = BTreeSet::new();
        for name in &file.entry.edges {
            match board.map_edges.get(name) {
                Some(hexes) => entry.extend(hexes.iter().copied()),
                None => self.wrong(path, format!("the map has no edge `{name}`")),
            }
        }
        for level in file.victory.falls.iter().chain(&file.victory.survives) {
            if !file.victory.scale.contains(&level.level) {
                self.wrong(path, format!("`{}` is not on the scale of levels", level.level));
            }
        }
        self.bounded(path, "turns", i64::from(file.turns), 1, 99);
        self.bounded(path, "turn", i64::from(file.entry.turn), 1, i64::from(file.turns));
        for unit in units.iter().filter(|u| u.fort.is_some()) {
            if unit.fort.is_some_and(|h| board.terrain(h) == Terrain::Nile) {
                self.wrong(path, format!("`{}` stands in the Nile", unit.id));
            }
        }
        if file.victory.falls.is_empty() || file.victory.survives.is_empty() {
            self.wrong(path, "[victory] lacks `falls` or `survives`");
        }
        let sides: Vec<SideInfo> = file
            .side
            .iter()
            .map(|s| SideInfo {
                id: s.id.clone(),
                name: s.name.clone(),
                army: s.army,
                setup: s.setup,
                commands: s.command.iter().map(|c| c.id.clone()).collect(),
            })
            .collect();
        if sides.len() != 2 || sides[0].army == sides[1].army {
            self.wrong(path, "a scenario has two sides, one an army");
            return None;
        }
        let info = ScenarioInfo {
            id: file.id,
            system: "omdurman".to_owned(),
            title: file.title,
            summary: file.summary,
            sides: sides.iter().map(|s| (s.id.clone(), s.commands.clone())).collect(),
            sealed: false,
        };
        let scenario = Scenario {
            info,
            turns: file.turns,
            night: file.night,
            first: file.first,
            range_table: file.range_table,
            sides,
            gordon: (gordon, palace),
            standard,
            entry: (file.entry.side, entry),
            entry_turn: file.entry.turn,
            victory: file.victory,
        };
        Some((units, scenario))
    }
}

fn unit(id: &str, c: &Counter, army: Army, command: &str, fort: Option<Hex>) -> Unit {
    let class = c.tribe.clone().or_else(|| c.class.clone());
    Unit {
        id: id.to_owned(),
        name: c.name.clone(),
        army,
        command: command.to_owned(),
        tribe: c.tribe.clone(),
        class: class.unwrap_or_else(|| c.kind.name().to_owned()),
        colour: c.colour.clone(),
        brigade: c.brigade.clone(),
        kind: c.kind,
        weapon: c.weapon,
        friendlies: c.friendlies,
        fire: c.fire,
        melee: c.melee,
        ma: c.up.or(c.ma).unwrap_or(0),
        down: c.down.or(c.ma).unwrap_or(0),
        fort,
        source: c.source.clone(),
    }
}

fn blocker(text: &str) -> Option<Blocker> {
    let (what, conditions) = text.split_once(':').unwrap_or((text, ""));
    let what = match what {
        "units" => Blocks::Units,
        "huts" => Blocks::Huts,
        "wall" => Blocks::Wall,
        "rough" => Blocks::Rough,
        "trees" => Blocks::Trees,
        "crest" => Blocks::Crest,
        "hilltop" => Blocks::Hilltop,
        _ => return None,
    };
    let conditions = conditions
        .split(',')
        .filter(|c| !c.is_empty())
        .map(|c| c.parse().ok())
        .collect::<Option<Vec<u8>>>()?;
    Some(Blocker { what, conditions })
}
