//! Reads and validates a map: what can be found again by flood fill is, and is
//! compared with what the file lists.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::diag::Diagnostic;
use crate::geometry::hex::{Dir, Grid, Hex, Side};

use super::files::{Banks, EdgeLine, Hexsides, MapFile, Region};
use super::{Bank, Board, Edge, Terrain, Works};

fn fault(message: String) -> Diagnostic {
    Diagnostic::error(None, message)
}

fn bank(word: &str) -> Option<Bank> {
    match word {
        "west" => Some(Bank::West),
        "east" => Some(Bank::East),
        "island" => Some(Bank::Island),
        "point" => Some(Bank::Point),
        _ => None,
    }
}

/// A board in the making, with what is wrong so far.
struct Maker {
    board: Board,
    faults: Vec<Diagnostic>,
}

impl Board {
    /// Validates a map file.
    ///
    /// # Errors
    /// Every fault: rows of the wrong length, unknown letters, ids off the map, a Nile
    /// hex without a current, a list that the flood fill refutes.
    pub(in super::super) fn new(file: MapFile) -> Result<Self, Vec<Diagnostic>> {
        let grid = Grid { rows: file.rows, odd: file.columns.odd, even: file.columns.even };
        let board = Self {
            title: file.title,
            source: file.source,
            grid,
            terrain: vec![None; grid.len()],
            flow: vec![None; grid.len()],
            edges: vec![[Edge::default(); 6]; grid.len()],
            inside: vec![false; grid.len()],
            by_wall: vec![false; grid.len()],
            in_zariba: vec![false; grid.len()],
            banks: vec![None; grid.len()],
            city_closed: file.city.closed,
            names: BTreeMap::new(),
            gate_names: BTreeMap::new(),
            mouths: (Vec::new(), Vec::new()),
            map_edges: BTreeMap::new(),
            regions: BTreeMap::new(),
            walls: Vec::new(),
            zariba: Vec::new(),
            khor_mouth_row: file.nile.khor_mouth_row,
        };
        let mut maker = Maker { board, faults: Vec::new() };
        maker.grounds(&file.terrain);
        maker.currents(&file.flow);
        maker.hexsides(&file.hexsides);
        maker.places(&file.names);
        let gap: Vec<Side> = file.city.gap.iter().filter_map(|t| Side::parse(t)).collect();
        let listed = maker.hexes(&file.city.inside, "inside");
        if let Some(from) = maker.hex(&file.city.from, "city") {
            let walled = |e: &Edge, s: Side| e.wall || e.gate || gap.contains(&s);
            let filled = maker.board.flood(from, walled);
            maker.same(&filled, &listed, "the city");
        }
        for hex in &listed {
            maker.board.inside[grid.index(*hex)] = true;
        }
        if let Some(zariba) = &file.zariba {
            let listed = maker.hexes(&zariba.inside, "zariba");
            if let Some(from) = maker.hex(&zariba.from, "zariba") {
                let filled = maker.board.flood(from, |e, _| e.zariba.is_some());
                maker.same(&filled, &listed, "the Zariba");
            }
            for hex in &listed {
                maker.board.in_zariba[grid.index(*hex)] = true;
            }
            maker.ends_on_the_nile();
        }
        if let Some(banks) = &file.banks {
            maker.banks(banks);
        }
        let white = maker.hexes(&file.nile.white_mouths, "nile");
        let blue = maker.hexes(&file.nile.blue_mouths, "nile");
        maker.board.mouths = (white, blue);
        maker.edges(&file.edges);
        for (name, region) in &file.regions {
            maker.region(name, region, &file.lines);
        }
        let board = &mut maker.board;
        board.walls = board.sides(|e| e.wall);
        board.zariba = board.sides(|e| e.zariba.is_some());
        for (by, edges) in board.by_wall.iter_mut().zip(&board.edges) {
            *by = edges.iter().any(|e| e.wall);
        }
        if maker.faults.is_empty() { Ok(maker.board) } else { Err(maker.faults) }
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

    /// The sides with something on them, in order.
    fn sides(&self, has: impl Fn(&Edge) -> bool) -> Vec<Side> {
        let mut found = Vec::new();
        for hex in self.grid.hexes() {
            for (edge, dir) in self.edges[self.grid.index(hex)].iter().zip(Dir::ALL) {
                if has(edge) {
                    found.push(Side::new(hex, dir));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Land hexes reached from `start` without crossing a hexside that stops.
    fn flood(&self, start: Hex, stops: impl Fn(&Edge, Side) -> bool) -> Vec<Hex> {
        let mut seen = vec![false; self.grid.len()];
        seen[self.grid.index(start)] = true;
        let mut found = vec![start];
        let mut at = 0;
        while let Some(hex) = found.get(at).copied() {
            at += 1;
            for (dir, edge) in Dir::ALL.into_iter().zip(&self.edges[self.grid.index(hex)]) {
                let Some(next) = hex.step(dir).filter(|h| self.grid.has(*h)) else { continue };
                let index = self.grid.index(next);
                let land = self.terrain[index].is_some_and(|t| t != Terrain::Nile);
                if !seen[index] && land && !stops(edge, Side::new(hex, dir)) {
                    seen[index] = true;
                    found.push(next);
                }
            }
        }
        found
    }
}

impl Maker {
    fn rows(&mut self, what: &str, rows: &[String], mut each: impl FnMut(&mut Self, Hex, char)) {
        let grid = self.board.grid;
        if rows.len() != usize::from(grid.rows) {
            self.faults.push(fault(format!("`{what}` has {} rows, not {}", rows.len(), grid.rows)));
        }
        for (r, text) in (1..=grid.rows).zip(rows) {
            let width = if r % 2 == 1 { grid.odd } else { grid.even };
            if text.chars().count() != usize::from(width) {
                self.faults.push(fault(format!("`{what}` row {r} has not {width} hexes: {text}")));
                continue;
            }
            for (c, letter) in (1..=width).zip(text.chars()) {
                each(self, Hex::new(c, r), letter);
            }
        }
    }

    fn grounds(&mut self, rows: &[String]) {
        self.rows("terrain", rows, |maker, hex, letter| {
            let ground = Terrain::from_letter(letter);
            if ground.is_none() && letter != '#' {
                maker.faults.push(fault(format!("`{letter}` in {hex} is no terrain")));
            }
            let i = maker.board.grid.index(hex);
            maker.board.terrain[i] = ground;
        });
    }

    fn currents(&mut self, rows: &[String]) {
        self.rows("flow", rows, |maker, hex, letter| {
            let i = maker.board.grid.index(hex);
            maker.board.flow[i] = match letter {
                '\\' => Some(Dir::NW),
                '/' => Some(Dir::NE),
                '<' => Some(Dir::W),
                '>' => Some(Dir::E),
                '.' | '#' => None,
                _ => {
                    maker.faults.push(fault(format!("`{letter}` in {hex} is no current")));
                    None
                }
            };
            if (maker.board.terrain[i] == Some(Terrain::Nile)) != maker.board.flow[i].is_some() {
                maker.faults.push(fault(format!("{hex}: Nile and current disagree")));
            }
        });
    }

    fn hexsides(&mut self, h: &Hexsides) {
        for (what, list, put) in [
            ("wall", &h.wall, (|e: &mut Edge| e.wall = true) as fn(&mut Edge)),
            ("gate", &h.gate, |e| e.gate = true),
            ("road", &h.road, |e| e.road = true),
            ("khor", &h.khor, |e| e.khor = true),
            ("crest", &h.crest, |e| e.crest = true),
            ("thorn", &h.thorn, |e| e.zariba = Some(Works::Thorn)),
            ("trench", &h.trench, |e| e.zariba = Some(Works::Trench)),
            ("end", &h.end, |e| e.zariba = Some(Works::End)),
        ] {
            for text in list {
                match Side::parse(text) {
                    Some(side) if self.board.mark(side, put) => {}
                    _ => {
                        let message = format!("`{text}` in `{what}` is no hexside here");
                        self.faults.push(fault(message));
                    }
                }
            }
        }
    }

    fn hex(&mut self, text: &str, what: &str) -> Option<Hex> {
        let found = Hex::parse(text).filter(|h| self.board.has(*h));
        if found.is_none() {
            self.faults.push(fault(format!("`{text}` in `{what}` is no hex of this map")));
        }
        found
    }

    fn hexes(&mut self, list: &[String], what: &str) -> Vec<Hex> {
        let mut found: Vec<Hex> = list.iter().filter_map(|text| self.hex(text, what)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn places(&mut self, names: &BTreeMap<String, Vec<String>>) {
        for (name, list) in names {
            if let [one] = &list[..]
                && let Some(side) = Side::parse(one)
            {
                self.board.gate_names.insert(name.clone(), side);
                continue;
            }
            let hexes: Vec<Hex> = list.iter().filter_map(|t| self.hex(t, "names")).collect();
            self.board.names.insert(name.clone(), hexes);
        }
    }

    /// What the flood fill finds must be what the file lists.
    fn same(&mut self, filled: &[Hex], listed: &[Hex], what: &str) {
        let grid = self.board.grid;
        let mut found = vec![(false, false); grid.len()];
        for hex in filled {
            found[grid.index(*hex)].0 = true;
        }
        for hex in listed {
            found[grid.index(*hex)].1 = true;
        }
        for hex in grid.hexes() {
            let (filled, listed) = found[grid.index(hex)];
            if filled != listed {
                let found = if filled { "inside" } else { "outside" };
                self.faults.push(fault(format!("the flood fill finds {hex} {found} {what}")));
            }
        }
    }

    /// Rule 9.2.3.3: both ends of the Zariba connect to the Nile.
    fn ends_on_the_nile(&mut self) {
        let ends = self.board.sides(|e| e.zariba == Some(Works::End));
        for side in &ends {
            let (a, b) = side.hexes();
            let wet = [Some(a), b].into_iter().flatten().filter(|h| self.board.has(*h)).any(|h| {
                self.board.neighbours(h).any(|(_, n)| self.board.terrain(n) == Terrain::Nile)
            });
            if !wet {
                self.faults.push(fault(format!("the end {side} of the Zariba is not on the Nile")));
            }
        }
        if ends.len() != 2 {
            self.faults.push(fault(format!("the Zariba has {} ends, not 2", ends.len())));
        }
    }

    /// The land falls into pieces parted by water: each is compared with its list.
    fn banks(&mut self, file: &Banks) {
        let grid = self.board.grid;
        let mut lists: Vec<(Bank, String, Vec<Hex>)> = vec![
            (Bank::East, "the east bank".to_owned(), self.hexes(&file.east, "east")),
            (Bank::Point, "the point".to_owned(), self.hexes(&file.point, "point")),
        ];
        for (i, list) in file.islands.iter().enumerate() {
            lists.push((Bank::Island, format!("island {}", i + 1), self.hexes(list, "islands")));
        }
        if let Some(from) = self.hex(&file.west_from, "banks") {
            let west = self.board.flood(from, |_, _| false);
            if west.len() != file.west_hexes {
                let has = west.len();
                self.faults.push(fault(format!("the west bank has {has} hexes by flood fill")));
            }
            self.put_on(Bank::West, &west);
        }
        for (bank, what, list) in &lists {
            // A piece of land that touches a list belongs to it whole.
            let mut within = vec![false; grid.len()];
            let mut filled: Vec<Hex> = Vec::new();
            for hex in list {
                if !within[grid.index(*hex)] {
                    for hex in self.board.flood(*hex, |_, _| false) {
                        within[grid.index(hex)] = true;
                        filled.push(hex);
                    }
                }
            }
            self.same(&filled, list, what);
            self.put_on(*bank, list);
        }
        for hex in grid.hexes().filter(|h| self.board.has(*h)) {
            let land = self.board.terrain(hex) != Terrain::Nile;
            if land != self.board.bank(hex).is_some() {
                self.faults.push(fault(format!("{hex} is on no bank, or in the Nile")));
            }
        }
    }

    fn put_on(&mut self, bank: Bank, hexes: &[Hex]) {
        for hex in hexes {
            let i = self.board.grid.index(*hex);
            if self.board.banks[i].replace(bank).is_some() {
                self.faults.push(fault(format!("{hex} is on two banks")));
            }
        }
    }

    fn edges(&mut self, edges: &BTreeMap<String, EdgeLine>) {
        for (name, line) in edges {
            let mut hexes: Vec<Hex> = line.hexes.iter().filter_map(|t| self.hex(t, name)).collect();
            if line.row.is_some() || line.column.is_some() {
                let on = line.bank.as_deref().map(bank);
                let board = &self.board;
                hexes.extend(board.grid.hexes().filter(|h| {
                    board.has(*h)
                        && (Some(h.row) == line.row || Some(h.col) == line.column)
                        && h.row >= line.from_row
                        && on.is_none_or(|b| board.bank(*h) == b)
                }));
            }
            if hexes.is_empty() {
                self.faults.push(fault(format!("the edge `{name}` has no hex")));
            }
            self.board.map_edges.insert(name.clone(), hexes);
        }
    }

    fn region(&mut self, name: &str, file: &Region, lines: &BTreeMap<String, Vec<String>>) {
        let mut found: Vec<Hex> = match (&file.hexes, &file.fill) {
            (Some(list), _) => self.hexes(list, name),
            (None, Some(from)) => {
                let stop = file.stop.as_deref().unwrap_or("");
                let stops: BTreeSet<Side> =
                    lines.get(stop).into_iter().flatten().filter_map(|t| Side::parse(t)).collect();
                match self.hex(from, name) {
                    Some(from) => self.board.flood(from, |_, s| stops.contains(&s)),
                    None => Vec::new(),
                }
            }
            (None, None) => self.board.grid.hexes().filter(|h| self.board.has(*h)).collect(),
        };
        let board = &self.board;
        let on = file.bank.as_deref().map(bank);
        found.retain(|h| {
            h.row >= file.from_row
                && on.is_none_or(|b| board.bank(*h) == b)
                && file.inside.is_none_or(|w| board.inside(*h) == w)
                && file.zariba.is_none_or(|w| board.in_zariba(*h) == w)
        });
        if found.is_empty() {
            self.faults.push(fault(format!("the region `{name}` has no hex")));
        }
        found.sort_unstable();
        found.dedup();
        self.board.regions.insert(name.to_owned(), found.into());
    }
}
