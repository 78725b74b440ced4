//! Reads and validates the rules files, stage by stage: charts, counters, map,
//! scenario; each stage refers only to earlier ones, and all faults are gathered.

use std::collections::BTreeMap;

use crate::core::diag::Diagnostic;
use crate::game::reading::Reading;
use crate::game::{RulesFault, RulesFiles};
use crate::geometry::hex::Dir;

use super::super::board::{Board, MapFile, Terrain};
use super::super::rulings::Rulings;
use super::files::{ChartFile, CounterFile, ScenarioFile, SettingsFile, TerrainFile};
use super::{
    Army, Blocker, Blocks, Cell, Charts, Data, Level, Multiplier, Needed, RiverLine, TerrainLine,
    ZaribaLine,
};

pub(super) struct Loader<'a> {
    pub(super) files: &'a RulesFiles,
    pub(super) faults: Vec<RulesFault>,
}

impl Reading for Loader<'_> {
    fn files(&self) -> &RulesFiles {
        self.files
    }

    fn faults(&mut self) -> &mut Vec<RulesFault> {
        &mut self.faults
    }
}

impl Loader<'_> {
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
            let known = scenario.as_ref().map_or(&[][..], |s| &s.options[..]);
            for option in &s.options {
                if !known.contains(option) {
                    let mut fault = Diagnostic::error(
                        None,
                        format!("`{option}` is no option of this scenario"),
                    );
                    fault = match known {
                        [] => fault.help("it has none"),
                        _ => fault.help(format!("its options: {}", known.join(", "))),
                    };
                    self.say("settings.toml", fault);
                }
            }
            if s.options.len() > 1 {
                self.wrong("settings.toml", "choose one option: rule 10.0.B advises against both");
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
        let mut board = board;
        if rulings.zariba_swapped {
            board.swap_zariba_faces();
        }
        let path = format!("scenarios/{}.toml", settings.scenario);
        let units = self.units(&path, &counters, &scenario, &board);
        let options = &settings.options;
        let data =
            self.scenario(&path, scenario, units, &board, options).map(|(units, scenario)| Data {
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
        for (what, figure, from, to) in [
            ("thorn", i64::from(file.zariba.thorn), -10, 10),
            ("trench", i64::from(file.zariba.trench), -10, 10),
            ("trench_melee", i64::from(file.zariba.trench_melee), -10, 10),
            ("end_mp", i64::from(file.zariba.end_mp), 0, 20),
            ("nearest", i64::from(file.howitzer.nearest), 1, 10),
            ("mines", i64::from(file.river.mines), 1, 9),
            ("drift", i64::from(file.river.drift), 1, 9),
            ("chain_hexes", i64::from(file.river.chain_hexes), 1, 20),
            ("times", i64::from(file.desertion.times), 0, 10),
            ("over", i64::from(file.desertion.over), 1, 10),
        ] {
            self.bounded(path, what, figure, from, to);
        }
        let mut scatter = [None; 10];
        if file.howitzer.scatter.len() != 10 {
            self.wrong(path, "`scatter` has not ten entries");
        }
        for (slot, word) in scatter.iter_mut().zip(&file.howitzer.scatter) {
            *slot = Dir::parse(word);
            if slot.is_none() && word != "target" {
                self.wrong(path, format!("`{word}` in `scatter` is no direction"));
            }
        }
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
                chain: file.needed.chain,
            },
            zariba: ZaribaLine {
                thorn: file.zariba.thorn,
                trench: file.zariba.trench,
                trench_melee: file.zariba.trench_melee,
                end_mp: file.zariba.end_mp,
            },
            howitzer_nearest: file.howitzer.nearest,
            scatter,
            river: RiverLine {
                mines: file.river.mines,
                damaged_from: file.river.damaged_from,
                sunk_from: file.river.sunk_from,
                drift: file.river.drift,
                chain_hexes: file.river.chain_hexes,
            },
            desertion: (file.desertion.times, file.desertion.over),
        })
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
