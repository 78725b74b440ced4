//! The printed map: terrain, hexsides, the current, the walled city.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Deserialize;

use crate::core::diag::Diagnostic;
use crate::geometry::hex::{Dir, Grid, Hex, Side};

/// What fills a hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Terrain {
    /// Open ground.
    Clear,
    /// Rough ground.
    Rough,
    /// The top of a hill.
    Hilltop,
    /// Trees.
    Trees,
    /// Swamp.
    Swamp,
    /// Huts.
    Huts,
    /// A building.
    Building,
    /// The Nile.
    Nile,
}

impl Terrain {
    /// All, in the order of the chart.
    pub const ALL: [Self; 8] = [
        Self::Clear,
        Self::Rough,
        Self::Trees,
        Self::Swamp,
        Self::Hilltop,
        Self::Huts,
        Self::Building,
        Self::Nile,
    ];

    /// The name in the charts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Rough => "rough",
            Self::Hilltop => "hilltop",
            Self::Trees => "trees",
            Self::Swamp => "swamp",
            Self::Huts => "huts",
            Self::Building => "building",
            Self::Nile => "nile",
        }
    }

    fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            '.' => Self::Clear,
            'r' => Self::Rough,
            '^' => Self::Hilltop,
            't' => Self::Trees,
            's' => Self::Swamp,
            'h' => Self::Huts,
            'B' => Self::Building,
            '~' => Self::Nile,
            _ => return None,
        })
    }

    /// The letter of a text map.
    pub fn letter(self) -> char {
        match self {
            Self::Clear => '.',
            Self::Rough => 'r',
            Self::Hilltop => '^',
            Self::Trees => 't',
            Self::Swamp => 's',
            Self::Huts => 'h',
            Self::Building => 'B',
            Self::Nile => '~',
        }
    }
}

/// What lies on a hexside; a breach is no part of the map but of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "any of them may lie on one hexside")]
pub struct Edge {
    /// City wall.
    pub wall: bool,
    /// Gate in the city wall.
    pub gate: bool,
    /// Road from hex to hex.
    pub road: bool,
    /// Khor (stream bed).
    pub khor: bool,
    /// Crest.
    pub crest: bool,
}

/// The map file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapFile {
    title: String,
    source: String,
    rows: u8,
    columns: Columns,
    terrain: Vec<String>,
    flow: Vec<String>,
    hexsides: Hexsides,
    names: BTreeMap<String, Vec<String>>,
    city: City,
    nile: Nile,
    edges: BTreeMap<String, EdgeLine>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    odd: u8,
    even: u8,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hexsides {
    #[allow(dead_code, reason = "read so that a map must say where its hexsides come from")]
    source: String,
    #[serde(default)]
    wall: Vec<String>,
    #[serde(default)]
    gate: Vec<String>,
    #[serde(default)]
    road: Vec<String>,
    #[serde(default)]
    khor: Vec<String>,
    #[serde(default)]
    crest: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct City {
    #[allow(dead_code, reason = "read so that a map must say where its city comes from")]
    source: String,
    from: String,
    #[serde(default)]
    gap: Vec<String>,
    inside: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nile {
    #[allow(dead_code, reason = "read so that a map must say where its mouths come from")]
    source: String,
    #[serde(default)]
    white_mouths: Vec<String>,
    #[serde(default)]
    blue_mouths: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EdgeLine {
    row: Option<u8>,
    column: Option<u8>,
}

/// The loaded and validated map.
#[derive(Clone, Debug)]
pub struct Board {
    /// Such as `The Fall of Khartoum, 1885`.
    pub title: String,
    /// Where the map's facts come from.
    pub source: String,
    /// Its extent.
    pub grid: Grid,
    terrain: Vec<Option<Terrain>>,
    flow: Vec<Option<Dir>>,
    edges: Vec<[Edge; 6]>,
    inside: Vec<bool>,
    by_wall: Vec<bool>,
    /// Named places, hexes first.
    pub names: BTreeMap<String, Vec<Hex>>,
    /// Named gates.
    pub gate_names: BTreeMap<String, Side>,
    /// Mouth hexes of the White Nile and of the Blue.
    pub mouths: (Vec<Hex>, Vec<Hex>),
    /// Entry hexes of each named map edge.
    pub map_edges: BTreeMap<String, Vec<Hex>>,
    /// Walls, in order.
    pub walls: Vec<Side>,
}

fn fault(message: String) -> Diagnostic {
    Diagnostic::error(None, message)
}

impl Board {
    /// Validates a map file.
    ///
    /// # Errors
    /// Every fault: rows of the wrong length, unknown letters, ids off the map,
    /// a Nile hex without a current, a city list that the flood fill refutes.
    pub(super) fn new(file: MapFile) -> Result<Self, Vec<Diagnostic>> {
        let grid = Grid { rows: file.rows, odd: file.columns.odd, even: file.columns.even };
        let mut faults = Vec::new();
        let mut board = Self {
            title: file.title,
            source: file.source,
            grid,
            terrain: vec![None; grid.len()],
            flow: vec![None; grid.len()],
            edges: vec![[Edge::default(); 6]; grid.len()],
            inside: vec![false; grid.len()],
            by_wall: vec![false; grid.len()],
            names: BTreeMap::new(),
            gate_names: BTreeMap::new(),
            mouths: (Vec::new(), Vec::new()),
            map_edges: BTreeMap::new(),
            walls: Vec::new(),
        };
        for (what, rows) in [("terrain", &file.terrain), ("flow", &file.flow)] {
            if rows.len() != usize::from(grid.rows) {
                faults.push(fault(format!("`{what}` has {} rows, not {}", rows.len(), grid.rows)));
            }
            for (r, text) in (1..=grid.rows).zip(rows) {
                let width = if r % 2 == 1 { grid.odd } else { grid.even };
                if text.chars().count() != usize::from(width) {
                    faults.push(fault(format!("`{what}` row {r} has not {width} hexes: {text}")));
                    continue;
                }
                for (c, letter) in (1..=width).zip(text.chars()) {
                    let hex = Hex::new(c, r);
                    let i = grid.index(hex);
                    if what == "terrain" {
                        board.terrain[i] = Terrain::from_letter(letter);
                        if board.terrain[i].is_none() && letter != '#' {
                            faults.push(fault(format!("`{letter}` in {hex} is no terrain")));
                        }
                    } else {
                        board.flow[i] = match letter {
                            '\\' => Some(Dir::NW),
                            '/' => Some(Dir::NE),
                            '<' => Some(Dir::W),
                            '>' => Some(Dir::E),
                            '.' | '#' => None,
                            _ => {
                                faults.push(fault(format!("`{letter}` in {hex} is no current")));
                                None
                            }
                        };
                        if (board.terrain[i] == Some(Terrain::Nile)) != board.flow[i].is_some() {
                            faults.push(fault(format!("{hex}: Nile and current disagree")));
                        }
                    }
                }
            }
        }
        let h = file.hexsides;
        for (what, list, put) in [
            ("wall", &h.wall, (|e: &mut Edge| e.wall = true) as fn(&mut Edge)),
            ("gate", &h.gate, |e| e.gate = true),
            ("road", &h.road, |e| e.road = true),
            ("khor", &h.khor, |e| e.khor = true),
            ("crest", &h.crest, |e| e.crest = true),
        ] {
            for text in list {
                match Side::parse(text) {
                    Some(side) if board.mark(side, put) => {}
                    _ => faults.push(fault(format!("`{text}` in `{what}` is no hexside here"))),
                }
            }
        }
        let mut hexes = |list: &[String], what: &str| -> Vec<Hex> {
            list.iter()
                .filter_map(|text| {
                    if let Some(hex) = Hex::parse(text).filter(|h| grid.has(*h)) {
                        Some(hex)
                    } else {
                        faults.push(fault(format!("`{text}` in `{what}` is no hex of this map")));
                        None
                    }
                })
                .collect()
        };
        for (name, list) in &file.names {
            if let [one] = &list[..]
                && let Some(side) = Side::parse(one)
            {
                board.gate_names.insert(name.clone(), side);
                continue;
            }
            board.names.insert(name.clone(), hexes(list, "names"));
        }
        let listed: BTreeSet<Hex> = hexes(&file.city.inside, "inside").into_iter().collect();
        board.mouths =
            (hexes(&file.nile.white_mouths, "nile"), hexes(&file.nile.blue_mouths, "nile"));
        let start = hexes(std::slice::from_ref(&file.city.from), "city");
        let gap: Vec<Side> = file.city.gap.iter().filter_map(|t| Side::parse(t)).collect();
        for (name, line) in file.edges {
            let on = |h: &Hex| Some(h.row) == line.row || Some(h.col) == line.column;
            board.map_edges.insert(name, grid.hexes().filter(on).collect());
        }
        if let Some(start) = start.first() {
            let filled = board.flood(*start, &gap);
            for hex in filled.symmetric_difference(&listed) {
                let found = if filled.contains(hex) { "inside" } else { "outside" };
                faults.push(fault(format!("the flood fill finds {hex} {found} the city")));
            }
        }
        for hex in &listed {
            board.inside[grid.index(*hex)] = true;
        }
        for hex in grid.hexes() {
            board.by_wall[grid.index(hex)] = Dir::ALL.iter().any(|d| board.edge(hex, *d).wall);
        }
        board.walls = grid
            .hexes()
            .flat_map(|hex| [Dir::E, Dir::SE, Dir::SW].map(|d| (hex, d)))
            .filter(|(hex, d)| board.edge(*hex, *d).wall)
            .map(|(hex, d)| Side::new(hex, d))
            .collect();
        if faults.is_empty() { Ok(board) } else { Err(faults) }
    }

    fn mark(&mut self, side: Side, put: fn(&mut Edge)) -> bool {
        let (hex, dir) = side.parts();
        let mut any = false;
        if self.grid.has(hex) {
            put(&mut self.edges[self.grid.index(hex)][dir as usize]);
            any = true;
        }
        if let Some(other) = hex.step(dir).filter(|h| self.grid.has(*h)) {
            put(&mut self.edges[self.grid.index(other)][dir.opposite() as usize]);
            any = true;
        }
        any
    }

    /// Land hexes reached from `start` without crossing wall, gate or `gap`.
    fn flood(&self, start: Hex, gap: &[Side]) -> BTreeSet<Hex> {
        let mut seen = BTreeSet::from([start]);
        let mut queue = VecDeque::from([start]);
        while let Some(hex) = queue.pop_front() {
            for dir in Dir::ALL {
                let edge = self.edge(hex, dir);
                if edge.wall || edge.gate || gap.contains(&Side::new(hex, dir)) {
                    continue;
                }
                if let Some(next) = self.neighbour(hex, dir)
                    && self.terrain(next) != Terrain::Nile
                    && seen.insert(next)
                {
                    queue.push_back(next);
                }
            }
        }
        seen
    }

    /// True for a hex that can be played.
    pub fn has(&self, hex: Hex) -> bool {
        self.grid.has(hex) && self.terrain[self.grid.index(hex)].is_some()
    }

    /// The terrain of a hex of the map.
    pub fn terrain(&self, hex: Hex) -> Terrain {
        self.terrain[self.grid.index(hex)].unwrap_or(Terrain::Clear)
    }

    /// Where the Nile flows to from a Nile hex.
    pub fn flow(&self, hex: Hex) -> Option<Dir> {
        self.flow[self.grid.index(hex)]
    }

    /// What lies on a side of a hex of the map.
    pub fn edge(&self, hex: Hex, dir: Dir) -> Edge {
        self.edges[self.grid.index(hex)][dir as usize]
    }

    /// What lies on a hexside; nothing, if it is on no hex of the map.
    pub fn side(&self, side: Side) -> Edge {
        let (hex, dir) = side.parts();
        if self.grid.has(hex) {
            return self.edge(hex, dir);
        }
        match hex.step(dir).filter(|h| self.grid.has(*h)) {
            Some(other) => self.edge(other, dir.opposite()),
            None => Edge::default(),
        }
    }

    /// True for a hex inside the walled city.
    pub fn inside(&self, hex: Hex) -> bool {
        self.inside[self.grid.index(hex)]
    }

    /// True for a hex with a wall on one of its sides.
    pub fn by_wall(&self, hex: Hex) -> bool {
        self.by_wall[self.grid.index(hex)]
    }

    /// The adjacent hex of the map.
    pub fn neighbour(&self, hex: Hex, dir: Dir) -> Option<Hex> {
        hex.step(dir).filter(|h| self.has(*h))
    }

    /// The adjacent hexes of the map, clockwise from east.
    pub fn neighbours(&self, hex: Hex) -> impl Iterator<Item = (Dir, Hex)> {
        Dir::ALL.into_iter().filter_map(move |d| Some((d, self.neighbour(hex, d)?)))
    }

    /// The printed name of a hex, if it has one.
    pub fn name(&self, hex: Hex) -> Option<&str> {
        self.names.iter().find(|(_, hexes)| hexes.contains(&hex)).map(|(name, _)| name.as_str())
    }
}
