//! Counters, charts, rulings and scenario, loaded from the rules files of a game
//! and validated as order files are.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::source::Source;
use crate::game::{RulesFault, RulesFiles, ScenarioInfo};
use crate::geometry::hex::Hex;

use super::board::{Board, MapFile, Terrain};
use super::cite::cite;
use super::rulings::Rulings;

/// An army of the rules; a scenario gives it a side's name (`british`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Army {
    /// The Anglo-Egyptian army.
    AngloEgyptian,
    /// The Dervish army.
    Dervish,
}

impl Army {
    /// The other army.
    #[must_use]
    pub fn enemy(self) -> Self {
        match self {
            Self::AngloEgyptian => Self::Dervish,
            Self::Dervish => Self::AngloEgyptian,
        }
    }
}

/// The kind of a counter (rules 2.3, 6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Infantry.
    Infantry,
    /// Cavalry.
    Cavalry,
    /// Camel troops.
    Camel,
    /// Artillery.
    Artillery,
    /// A Maxim battery.
    Maxim,
    /// A Dervish or an old Anglo-Egyptian gunboat.
    Gunboat,
    /// A new, named gunboat.
    NamedGunboat,
    /// A fort.
    Fort,
    /// A Dervish leader with his retinue.
    Leader,
    /// An Anglo-Egyptian leader.
    Staff,
}

impl Kind {
    /// True for gunboats of both kinds.
    pub fn is_gunboat(self) -> bool {
        matches!(self, Self::Gunboat | Self::NamedGunboat)
    }

    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Infantry => "infantry",
            Self::Cavalry => "cavalry",
            Self::Camel => "camel",
            Self::Artillery => "artillery",
            Self::Maxim => "Maxims",
            Self::Gunboat => "gunboat",
            Self::NamedGunboat => "named gunboat",
            Self::Fort => "fort",
            Self::Leader => "leader",
            Self::Staff => "leader",
        }
    }
}

/// A line of the range table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weapon {
    /// Spears and swords.
    Spears,
    /// Rifles.
    Rifles,
    /// Maxim guns.
    Maxims,
    /// Artillery.
    Artillery,
    /// Howitzers of named gunboats.
    Howitzer,
    /// No weapon.
    None,
}

impl Weapon {
    /// The name in the charts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spears => "spears",
            Self::Rifles => "rifles",
            Self::Maxims => "maxims",
            Self::Artillery => "artillery",
            Self::Howitzer => "howitzer",
            Self::None => "none",
        }
    }
}

/// A range effect: what a fire factor is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Multiplier {
    /// Halved, rounded down, at least 1 (6.1.H).
    Half,
    /// Multiplied.
    Times(u32),
}

impl Multiplier {
    /// The factors that count.
    pub fn of(self, factor: u32) -> u32 {
        match self {
            Self::Half => (factor / 2).max(1),
            Self::Times(n) => factor * n,
        }
    }

    /// As the report prints it.
    pub fn text(self) -> String {
        match self {
            Self::Half => "1/2".to_owned(),
            Self::Times(n) => format!("x{n}"),
        }
    }
}

/// A unit of the game, by its place in the roster (ids sorted).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub u16);

/// The printed side of a counter in play.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Such as `mulazmin-07`.
    pub id: String,
    /// Such as `Mulazmin`.
    pub name: String,
    /// Its army.
    pub army: Army,
    /// The command that orders it.
    pub command: String,
    /// Dervish tribe, where it has one.
    pub tribe: Option<String>,
    /// The word by which loss lists may name it: tribe, nation or kind.
    pub class: String,
    /// The colour of a Dervish counter.
    pub colour: Option<String>,
    /// Brigade of an Anglo-Egyptian battalion (5.5.4).
    pub brigade: Option<String>,
    /// Its kind.
    pub kind: Kind,
    /// What it fires.
    pub weapon: Weapon,
    /// Friendlies fire on the Dervish table and melee with the Dervish modifier.
    pub friendlies: bool,
    /// Fire factor.
    pub fire: u32,
    /// Melee factor.
    pub melee: u32,
    /// Movement allowance; of a gunboat, against the current.
    pub ma: u32,
    /// Movement allowance of a gunboat with the current; else as `ma`.
    pub down: u32,
    /// A fort's hex.
    pub fort: Option<Hex>,
    /// Where its figures come from.
    pub source: String,
}

impl Unit {
    /// `9-5-8`, as on the counter.
    pub fn factors(&self) -> String {
        if self.kind.is_gunboat() {
            format!("{}-{}-{}/{}", self.fire, self.melee, self.ma, self.down)
        } else {
            format!("{}-{}-{}", self.fire, self.melee, self.ma)
        }
    }
}

/// The level of a hex or unit for the line of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Ground.
    Ground,
    /// Rough.
    Rough,
    /// Hilltop.
    Hilltop,
}

impl Level {
    /// The name in the charts.
    pub fn name(self) -> &'static str {
        ["ground", "rough", "hilltop"][self as usize]
    }
}

/// What blocks a line of sight, with the numbers of the printed conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// What.
    pub what: Blocks,
    /// Conditions 1 to 8.
    pub conditions: Vec<u8>,
}

/// Things that block sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Units in a hex.
    Units,
    /// Huts.
    Huts,
    /// A wall hexside.
    Wall,
    /// Rough.
    Rough,
    /// Trees.
    Trees,
    /// A crest hexside.
    Crest,
    /// A hilltop.
    Hilltop,
}

/// A line of the terrain chart.
#[derive(Clone, Copy, Debug)]
pub struct TerrainLine {
    /// Movement points to enter.
    pub mp: u32,
    /// Added to the die of fire at the hex.
    pub drm: i32,
    /// Its level.
    pub level: Level,
}

/// A hexside's line of the terrain chart.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HexsideLine {
    /// Movement points added to those of the hex entered.
    pub mp: u32,
    /// Added to the die of fire across it.
    pub drm: i32,
}

/// A cell of the results table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No effect.
    Nothing,
    /// Half of the units disrupted.
    Disrupt,
    /// That many units eliminated.
    Eliminate(u32),
}

/// The charts.
#[derive(Clone, Debug)]
pub struct Charts {
    rows: Vec<(u32, [Cell; 10])>,
    range: BTreeMap<(Army, Weapon), Vec<Option<Multiplier>>>,
    terrain: [TerrainLine; 8],
    sight: Vec<(Level, Level, Vec<Blocker>)>,
    /// Movement points of a step along a road.
    pub road_mp: u32,
    /// Modifier of fire at units in a fort.
    pub fort_drm: i32,
    /// Khor.
    pub khor: HexsideLine,
    /// Crest.
    pub crest: HexsideLine,
    /// Wall.
    pub wall: HexsideLine,
    /// Gate.
    pub gate: HexsideLine,
    /// Breach.
    pub breach: HexsideLine,
    /// Melee modifier of the Dervish side, then of the Anglo-Egyptian.
    pub melee: (i32, i32),
    /// The Anglo-Egyptian accuracy bonus.
    pub accuracy: i32,
    /// The bonus of brigade integrity.
    pub integrity: i32,
    /// Results that sink a gunboat, destroy a fort, breach a wall.
    pub needed: Needed,
}

/// The least results of rule 6.6.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needed {
    /// To sink a gunboat.
    pub gunboat: u32,
    /// To destroy a fort.
    pub fort: u32,
    /// To breach a wall.
    pub wall: u32,
}

impl Charts {
    /// The row for a number of factors: its name and its ten cells.
    pub fn row(&self, factors: u32) -> (String, &[Cell; 10]) {
        let at = self.rows.iter().position(|(upto, _)| factors <= *upto);
        let i = at.unwrap_or(self.rows.len() - 1);
        let from = if i == 0 { 1 } else { self.rows[i - 1].0 + 1 };
        let name = if i + 1 == self.rows.len() {
            format!("{from}+")
        } else {
            format!("{from}-{}", self.rows[i].0)
        };
        (name, &self.rows[i].1)
    }

    /// The cell for a number of factors and a modified roll, clamped to 1 to 10.
    pub fn result(&self, factors: u32, roll: i32) -> Cell {
        let column = usize::try_from(roll.clamp(1, 10) - 1).unwrap_or(0);
        self.row(factors).1[column]
    }

    /// The range effect of a weapon, by day; `None` beyond its range.
    pub fn range(&self, army: Army, weapon: Weapon, distance: u32) -> Option<Multiplier> {
        let line = self.range.get(&(army, weapon))?;
        *line.get((distance as usize).checked_sub(1)?)?
    }

    /// The longest range of a weapon, by day.
    pub fn reach(&self, army: Army, weapon: Weapon) -> u32 {
        self.range
            .get(&(army, weapon))
            .and_then(|line| line.iter().rposition(Option::is_some))
            .map_or(0, |i| u32::try_from(i).unwrap_or(0) + 1)
    }

    /// A terrain's line.
    pub fn terrain(&self, terrain: Terrain) -> TerrainLine {
        self.terrain[Terrain::ALL.iter().position(|t| *t == terrain).unwrap_or(0)]
    }

    /// What blocks sight between two levels.
    pub fn blockers(&self, from: Level, to: Level) -> &[Blocker] {
        self.sight.iter().find(|(f, t, _)| (*f, *t) == (from, to)).map_or(&[], |(_, _, b)| b)
    }
}

/// A side of the scenario.
#[derive(Clone, Debug)]
pub struct SideInfo {
    /// `british`.
    pub id: String,
    /// `British`.
    pub name: String,
    /// The army it leads.
    pub army: Army,
    /// True if it places its units before turn 1.
    pub setup: bool,
    /// Its commands.
    pub commands: Vec<String>,
}

/// The scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What `games` shows.
    pub info: ScenarioInfo,
    /// The last turn.
    pub turns: u32,
    /// The night turns.
    pub night: Vec<u32>,
    /// The army that moves first.
    pub first: Army,
    /// The range table that both sides use, if they share one.
    pub range_table: Option<Army>,
    /// The sides, in order of set-up.
    pub sides: Vec<SideInfo>,
    /// Gordon and his hex.
    pub gordon: (UnitId, Hex),
    /// Where each unit is placed when nothing is ordered.
    pub standard: BTreeMap<UnitId, Hex>,
    /// Who enters, and the entry hexes.
    pub entry: (Army, BTreeSet<Hex>),
    /// The turn of entry.
    pub entry_turn: u32,
    /// Victory (9.3.5).
    pub victory: Victory,
}

/// Rule 9.3.5 as data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Victory {
    #[allow(dead_code, reason = "shown, and required of the data")]
    source: String,
    gordon: String,
    /// Gordon falls on or before a turn: the level.
    pub falls: Vec<VictoryTurn>,
    /// Gordon survives the end of a turn: the level.
    pub survives: Vec<VictoryTurn>,
    /// All levels from the best Dervish to the best British.
    pub scale: Vec<String>,
    /// Dervish units eliminated and the levels they cost.
    pub losses: Vec<Penalty>,
}

/// A turn and a level.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VictoryTurn {
    /// The turn.
    pub turn: u32,
    /// The level.
    pub level: String,
}

/// A number of units eliminated and what it costs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// From this many units.
    pub units: u32,
    /// Levels lost.
    pub levels: u32,
}

/// All data of one game.
#[derive(Clone, Debug)]
pub struct Data {
    /// The map.
    pub board: Board,
    /// The charts.
    pub charts: Charts,
    /// The readings in force.
    pub rulings: Rulings,
    /// The scenario.
    pub scenario: Scenario,
    /// The units in play, ids sorted.
    pub units: Vec<Unit>,
    /// True for `cadence = "strict"`.
    pub strict: bool,
    /// The rules files, for templates and descriptions.
    pub files: RulesFiles,
}

impl Data {
    /// The printed values of a unit.
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[usize::from(id.0)]
    }

    /// A unit by its name.
    pub fn find(&self, id: &str) -> Option<UnitId> {
        let at = self.units.binary_search_by(|u| u.id.as_str().cmp(id)).ok()?;
        u16::try_from(at).ok().map(UnitId)
    }

    /// Every unit, in order of id.
    pub fn ids(&self) -> impl Iterator<Item = UnitId> + use<> {
        (0..u16::try_from(self.units.len()).unwrap_or(u16::MAX)).map(UnitId)
    }

    /// The side that leads an army.
    pub fn side(&self, army: Army) -> &SideInfo {
        self.scenario.sides.iter().find(|s| s.army == army).unwrap_or(&self.scenario.sides[0])
    }

    /// True on a night turn (8.0).
    pub fn night(&self, turn: u32) -> bool {
        let night = self.scenario.night.contains(&turn);
        if night {
            cite("8.0");
            cite("9.3.4.A");
        }
        night
    }

    /// The range table on which a unit fires (2.3, 6.5.2.A, 9.3.4.C).
    pub fn range_army(&self, unit: &Unit) -> Army {
        match self.scenario.range_table {
            Some(army) => army,
            None if unit.friendlies => Army::Dervish,
            None => unit.army,
        }
    }

    /// Reads and validates the rules files.
    ///
    /// # Errors
    /// Every fault that is found, stage by stage.
    pub fn load(files: &RulesFiles) -> Result<Self, Vec<RulesFault>> {
        Loader { files, faults: Vec::new() }.load()
    }
}

// ------------------------------------------------------------------ the files

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CounterFile {
    counter: Vec<Counter>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    dead_code,
    reason = "the notes beside the figures are required and shown, not computed with"
)]
struct Counter {
    id: String,
    name: String,
    side: Army,
    tribe: Option<String>,
    class: Option<String>,
    colour: Option<String>,
    brigade: Option<String>,
    brigade_source: Option<String>,
    kind: Kind,
    kind_source: Option<String>,
    weapon: Weapon,
    #[serde(default)]
    friendlies: bool,
    #[serde(default)]
    engineers: bool,
    count: u32,
    names: Option<Vec<String>>,
    names_source: Option<String>,
    fire: u32,
    fire_source: Option<String>,
    maxim: Option<u32>,
    melee: u32,
    ma: Option<u32>,
    up: Option<u32>,
    down: Option<u32>,
    source: String,
}

impl Counter {
    fn ids(&self) -> Vec<String> {
        if let Some(names) = &self.names {
            return names.clone();
        }
        // Tribes are numbered with two digits so that their ids sort as counted.
        let wide = self.tribe.is_some();
        (1..=self.count)
            .map(|n| if wide { format!("{}-{n:02}", self.id) } else { format!("{}-{n}", self.id) })
            .collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChartFile {
    results: ResultsFile,
    range: RangeFile,
    terrain: BTreeMap<String, toml::Value>,
    road: RoadFile,
    fort: FortFile,
    hexside: HexsideFile,
    sight: BTreeMap<String, toml::Value>,
    melee: MeleeFile,
    fire: FireFile,
    needed: NeededFile,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct ResultsFile {
    source: String,
    rows: Vec<ResultRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultRow {
    upto: u32,
    cells: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(dead_code)]
struct RangeFile {
    source: String,
    dervish: BTreeMap<Weapon, String>,
    anglo_egyptian: BTreeMap<Weapon, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct TerrainFile {
    mp: u32,
    drm: i32,
    level: Level,
    letter: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct RoadFile {
    mp: u32,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct FortFile {
    drm: i32,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct HexsideFile {
    source: String,
    khor: HexsideLine,
    crest: HexsideLine,
    wall: HexsideLine,
    gate: HexsideLine,
    breach: HexsideLine,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(dead_code)]
struct MeleeFile {
    dervish: i32,
    anglo_egyptian: i32,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct FireFile {
    accuracy: i32,
    integrity: i32,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct NeededFile {
    gunboat: u32,
    fort: u32,
    wall: u32,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct ScenarioFile {
    id: String,
    title: String,
    summary: String,
    map: String,
    turns: u32,
    night: Vec<u32>,
    night_source: String,
    first: Army,
    range_table: Option<Army>,
    range_table_source: Option<String>,
    side: Vec<SideFile>,
    fort: BTreeMap<String, toml::Value>,
    setup: SetupFile,
    entry: EntryFile,
    victory: Victory,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SideFile {
    id: String,
    name: String,
    army: Army,
    setup: bool,
    command: Vec<CommandFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct CommandFile {
    id: String,
    units: Vec<String>,
    #[serde(default)]
    forts: Vec<String>,
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FortPlace {
    hex: String,
    name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct SetupFile {
    source: String,
    gordon: String,
    standard: Vec<StandardPlace>,
    standard_source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StandardPlace {
    units: String,
    hex: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct EntryFile {
    source: String,
    side: Army,
    edges: Vec<String>,
    turn: u32,
}

/// The part of `settings.toml` that chooses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    #[allow(dead_code)]
    system: String,
    scenario: String,
    cadence: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
}

// ---------------------------------------------------------------- the loading

struct Loader<'a> {
    files: &'a RulesFiles,
    faults: Vec<RulesFault>,
}

impl Loader<'_> {
    fn say(&mut self, path: &str, fault: Diagnostic) {
        let text = self.files.get(path).map_or("", String::as_str);
        self.faults.push(RulesFault { source: Source::new(path, text), fault });
    }

    fn wrong(&mut self, path: &str, message: impl Into<String>) {
        self.say(path, Diagnostic::error(None, message));
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

    fn load(mut self) -> Result<Data, Vec<RulesFault>> {
        let settings: Option<SettingsFile> = self.read("settings.toml");
        let counters: Option<CounterFile> = self.read("units.toml");
        let charts: Option<ChartFile> = self.read("charts.toml");
        let rulings = match (&settings, self.files.get("rulings.toml")) {
            (Some(s), Some(text)) => match Rulings::load(text, &s.rulings) {
                Ok(rulings) => Some(rulings),
                Err(faults) => {
                    for fault in faults {
                        self.say("rulings.toml", fault);
                    }
                    None
                }
            },
            _ => {
                self.wrong("rulings.toml", "the rules file `rulings.toml` is missing");
                None
            }
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
                        self.say(&path, fault);
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
        let charts = charts.and_then(|c| self.charts(c));
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

    fn charts(&mut self, file: ChartFile) -> Option<Charts> {
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
            match line {
                Some(Ok(line)) => TerrainLine { mp: line.mp, drm: line.drm, level: line.level },
                _ => {
                    self.wrong(path, format!("[terrain] lacks a sound line for {}", t.name()));
                    TerrainLine { mp: 1, drm: 0, level: Level::Ground }
                }
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
                    match by_id.get(&id) {
                        Some(c) => units.push(unit(&id, c, side.army, &command.id, None)),
                        None => {
                            let mut fault =
                                Diagnostic::error(None, format!("`{id}` is no counter"));
                            if let Some(near) = did_you_mean(&id, by_id.keys().map(String::as_str))
                            {
                                fault = fault.help(format!("did you mean `{near}`?"));
                            }
                            self.say(path, fault);
                        }
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
