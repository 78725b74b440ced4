//! Hexes of a printed map: pointy tops, rows from west to east, ids `CCRR`
//! (column and row from 1). Hexes of odd rows stand half a hex further east.

use std::fmt::{self, Write as _};

/// A hex by its printed column and row; column or row 0 lies off every map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex {
    /// Column, from 1 at the west.
    pub col: u8,
    /// Row, from 1 at the north.
    pub row: u8,
}

/// A direction from a hex to a neighbour, clockwise from east.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dir {
    /// East.
    E,
    /// South-east.
    SE,
    /// South-west.
    SW,
    /// West.
    W,
    /// North-west.
    NW,
    /// North-east.
    NE,
}

impl Dir {
    /// All six, clockwise from east.
    pub const ALL: [Self; 6] = [Self::E, Self::SE, Self::SW, Self::W, Self::NW, Self::NE];

    /// The direction back.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self::ALL[(self as usize + 3) % 6]
    }

    /// How many sixths of a turn lie between two directions, 0 to 3.
    pub fn turns(self, other: Self) -> u8 {
        let d = (self as u8).abs_diff(other as u8);
        d.min(6 - d)
    }

    /// Reads `E`, `SE`, `SW`, `W`, `NW` or `NE`, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(text))
    }

    /// The printed name, such as `SE`.
    pub fn name(self) -> &'static str {
        ["E", "SE", "SW", "W", "NW", "NE"][self as usize]
    }
}

impl Hex {
    /// The hex of a column and a row.
    pub const fn new(col: u8, row: u8) -> Self {
        Self { col, row }
    }

    /// Reads four digits `CCRR`.
    pub fn parse(text: &str) -> Option<Self> {
        let b = text.as_bytes();
        if b.len() != 4 || !b.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let two = |i: usize| (b[i] - b'0') * 10 + (b[i + 1] - b'0');
        let hex = Self::new(two(0), two(2));
        (hex.col > 0 && hex.row > 0).then_some(hex)
    }

    /// Position in half hexes eastwards.
    pub fn x2(self) -> i32 {
        2 * i32::from(self.col) + i32::from(self.row % 2)
    }

    /// Position in rows southwards.
    pub fn y(self) -> i32 {
        i32::from(self.row)
    }

    /// The hex at such a position, if it has a column and row that can be printed.
    pub fn at(x2: i32, y: i32) -> Option<Self> {
        let shifted = x2 - y.rem_euclid(2);
        if shifted % 2 != 0 {
            return None;
        }
        Some(Self::new(u8::try_from(shifted / 2).ok()?, u8::try_from(y).ok()?))
    }

    /// The neighbour in a direction, which may lie off the map; `None` when its
    /// column or row would fall below 0 or above 255.
    pub fn step(self, dir: Dir) -> Option<Self> {
        let (dx, dy) = match dir {
            Dir::E => (2, 0),
            Dir::SE => (1, 1),
            Dir::SW => (-1, 1),
            Dir::W => (-2, 0),
            Dir::NW => (-1, -1),
            Dir::NE => (1, -1),
        };
        let (x2, y) = (self.x2() + dx, self.y() + dy);
        if y < 0 || x2 < y.rem_euclid(2) { None } else { Self::at(x2, y) }
    }

    /// The distance in hexes.
    pub fn distance(self, other: Self) -> u32 {
        let dx = (self.x2() - other.x2()).unsigned_abs();
        let dy = (self.y() - other.y()).unsigned_abs();
        dy + dx.saturating_sub(dy) / 2
    }

    /// The direction of an adjacent hex.
    pub fn direction_to(self, other: Self) -> Option<Dir> {
        Dir::ALL.into_iter().find(|d| self.step(*d) == Some(other))
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.col > 99 || self.row > 99 {
            return write!(f, "{:02}{:02}", self.col, self.row);
        }
        // Written often: four digits by hand.
        let digits = [self.col / 10, self.col % 10, self.row / 10, self.row % 10];
        digits.into_iter().try_for_each(|digit| f.write_char(char::from(b'0' + digit)))
    }
}

/// A hexside, named from one of its two hexes; two names of one side are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side {
    hex: Hex,
    dir: Dir,
}

impl Side {
    /// The side of a hex in a direction, in its one canonical name: seen from the
    /// hex that has it to the east, south-east or south-west, where there is one.
    pub fn new(hex: Hex, dir: Dir) -> Self {
        match dir {
            Dir::E | Dir::SE | Dir::SW => Self { hex, dir },
            _ => match hex.step(dir) {
                Some(other) => Self { hex: other, dir: dir.opposite() },
                None => Self { hex, dir },
            },
        }
    }

    /// The side between two adjacent hexes.
    pub fn between(a: Hex, b: Hex) -> Option<Self> {
        Some(Self::new(a, a.direction_to(b)?))
    }

    /// Reads `0512:SE`.
    pub fn parse(text: &str) -> Option<Self> {
        let (hex, dir) = text.split_once(':')?;
        Some(Self::new(Hex::parse(hex)?, Dir::parse(dir)?))
    }

    /// Its two hexes; the second may lie off the map.
    pub fn hexes(self) -> (Hex, Option<Hex>) {
        (self.hex, self.hex.step(self.dir))
    }

    /// True if this is one of the six sides of a hex.
    pub fn of(self, hex: Hex) -> bool {
        self.hex == hex || self.hex.step(self.dir) == Some(hex)
    }

    /// The hex across the side, seen from one of its hexes.
    pub fn across(self, from: Hex) -> Option<Hex> {
        if self.hex == from {
            self.hex.step(self.dir)
        } else {
            (self.hex.step(self.dir) == Some(from)).then_some(self.hex)
        }
    }

    /// The canonical hex and direction.
    pub fn parts(self) -> (Hex, Dir) {
        (self.hex, self.dir)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.hex, self.dir.name())
    }
}

/// The extent of a map: rows, and hexes in odd and in even rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Rows.
    pub rows: u8,
    /// Hexes in a row with an odd number.
    pub odd: u8,
    /// Hexes in a row with an even number.
    pub even: u8,
}

impl Grid {
    /// True if the hex lies within the extent.
    pub fn has(self, hex: Hex) -> bool {
        let cols = if hex.row % 2 == 1 { self.odd } else { self.even };
        (1..=self.rows).contains(&hex.row) && (1..=cols).contains(&hex.col)
    }

    /// The length of an array that [`Grid::index`] indexes.
    pub fn len(self) -> usize {
        usize::from(self.rows) * usize::from(self.odd.max(self.even))
    }

    /// True for a map without hexes.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A dense index of a hex within the extent.
    pub fn index(self, hex: Hex) -> usize {
        usize::from(hex.row - 1) * usize::from(self.odd.max(self.even)) + usize::from(hex.col - 1)
    }

    /// Every hex, row by row.
    pub fn hexes(self) -> impl Iterator<Item = Hex> {
        (1..=self.rows).flat_map(move |row| {
            (1..=if row % 2 == 1 { self.odd } else { self.even }).map(move |col| Hex::new(col, row))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_follow_the_printed_scheme() {
        let n = |id: &str, d| Hex::parse(id).unwrap().step(d).unwrap().to_string();
        assert_eq!(n("0512", Dir::NW), "0411"); // even row: NW c-1
        assert_eq!(n("0512", Dir::NE), "0511");
        assert_eq!(n("0512", Dir::SE), "0513");
        assert_eq!(n("0513", Dir::NW), "0512"); // odd row: NW c
        assert_eq!(n("0513", Dir::NE), "0612");
        assert_eq!(n("0513", Dir::SE), "0614");
        assert_eq!(Side::parse("0513:NW"), Side::parse("0512:SE"));
        assert_eq!(Side::parse("0513:NW").unwrap().to_string(), "0512:SE");
    }

    #[test]
    fn distances_are_those_of_the_example_maps() {
        let d = |a, b| Hex::parse(a).unwrap().distance(Hex::parse(b).unwrap());
        assert_eq!(d("0101", "0101"), 0);
        assert_eq!(d("0512", "0513"), 1);
        assert_eq!(d("1112", "1106"), 6);
        assert_eq!(d("0116", "1816"), 17);
    }
}
