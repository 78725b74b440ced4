//! The printed map: terrain, hexsides, the current, the walled city, the Zariba, the
//! banks of the Nile.

mod files;
mod load;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::geometry::hex::{Dir, Grid, Hex, Side};

pub(super) use files::MapFile;

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
        Self::ALL.into_iter().find(|t| t.letter() == letter)
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

/// What lies on a hexside; a breach is no part of the map but of the state, and of
/// the Zariba the map has only where it may stand.
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
    /// Of the Zariba: thorn hedge, trench or end.
    pub zariba: Option<Works>,
}

/// The three kinds of hexside of the Zariba (9.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Works {
    /// Thorn hedge.
    Thorn,
    /// Trench.
    Trench,
    /// One of the two ends at the Nile.
    End,
}

impl Works {
    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Thorn => "thorn hedge",
            Self::Trench => "trench",
            Self::End => "end of the Zariba",
        }
    }
}

/// On which side of the water a land hex lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bank {
    /// West of the Nile.
    West,
    /// East of it.
    East,
    /// On an island.
    Island,
    /// Between the White Nile and the Blue.
    Point,
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
    in_zariba: Vec<bool>,
    banks: Vec<Option<Bank>>,
    /// True where only some Dervish units may enter the walled city (5.2.3).
    pub city_closed: bool,
    /// Named places, hexes first.
    pub names: BTreeMap<String, Vec<Hex>>,
    /// Named gates.
    pub gate_names: BTreeMap<String, Side>,
    /// Mouth hexes of the White Nile and of the Blue.
    pub mouths: (Vec<Hex>, Vec<Hex>),
    /// Entry hexes of each named map edge.
    pub map_edges: BTreeMap<String, Vec<Hex>>,
    /// Where units set up: hexes by the name of the region.
    pub regions: BTreeMap<String, Arc<[Hex]>>,
    /// Walls, in order.
    pub walls: Vec<Side>,
    /// Hexsides where the Zariba may stand, in order.
    pub zariba: Vec<Side>,
    /// The row of the Nile hex where the Khor Shambat ends: mines and chain lie south
    /// of it (10.1.B); 0 where the map has none.
    pub khor_mouth_row: u8,
}

impl Board {
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

    /// Thorn hedge for trench and trench for thorn hedge (ruling `zariba-faces`).
    pub(super) fn swap_zariba_faces(&mut self) {
        for edge in self.edges.iter_mut().flatten() {
            edge.zariba = edge.zariba.map(|works| match works {
                Works::Thorn => Works::Trench,
                Works::Trench => Works::Thorn,
                Works::End => Works::End,
            });
        }
    }

    /// True for a hex within the Zariba (9.2.1.1.E).
    pub fn in_zariba(&self, hex: Hex) -> bool {
        self.in_zariba[self.grid.index(hex)]
    }

    /// On which bank a land hex lies; `None` for the Nile and on maps without banks.
    pub fn bank(&self, hex: Hex) -> Option<Bank> {
        self.banks[self.grid.index(hex)]
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
