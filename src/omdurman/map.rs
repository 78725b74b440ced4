//! The position as a text map that any mail program shows: the whole of a small
//! board, and of a large one the part that matters.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::geometry::hex::{Dir, Hex, Side};

use super::board::Works;
use super::data::{Army, Data, Kind};
use super::events::Event;
use super::position::Position;

/// Columns that fit beside each other in a mail.
const WIDE: u8 = 22;
/// Rows of the part of a large board that a report shows.
const TALL: u8 = 18;

/// Draws the whole board; a board wider than a mail in two panels, west and east.
pub fn draw(position: &Position<'_>) -> String {
    let grid = position.data.board.grid;
    if grid.even <= WIDE {
        return panel(position, 1..=grid.even, 1..=grid.rows);
    }
    let half = grid.even.div_ceil(2);
    let west = panel(position, 1..=half, 1..=grid.rows);
    let east = panel(position, half..=grid.even, 1..=grid.rows);
    format!("{west}\n{east}")
}

/// The part of the board that matters after a phase: where there was fighting and
/// where both sides are near each other; the whole of a small board.
pub fn cut(position: &Position<'_>, events: &[Event]) -> String {
    let grid = position.data.board.grid;
    if grid.even <= WIDE {
        return panel(position, 1..=grid.even, 1..=grid.rows);
    }
    let mut weight: BTreeMap<Hex, u32> = BTreeMap::new();
    for event in events {
        let (hex, much) = match event {
            Event::Fight(fight) => (Hex::parse(fight.target.get(..4).unwrap_or("")), 40),
            Event::Moved { path, .. } | Event::Entered { path, .. } => (path.last().copied(), 2),
            _ => (None, 0),
        };
        if let Some(hex) = hex.filter(|h| grid.has(*h)) {
            *weight.entry(hex).or_default() += much;
        }
    }
    let (ours, theirs) = (position.hexes(Army::AngloEgyptian), position.hexes(Army::Dervish));
    for hex in ours.iter().chain(&theirs) {
        let enemies = if ours.binary_search(hex).is_ok() { &theirs } else { &ours };
        let near = enemies.iter().map(|e| e.distance(*hex)).min().unwrap_or(99);
        *weight.entry(*hex).or_default() += if near <= 6 { 6 } else { 1 };
    }
    let rows = TALL.min(grid.rows);
    // What lies north-west of each corner, so that each part is four looks.
    let line = usize::from(grid.odd.max(grid.even)) + 1;
    let mut sums = vec![0_u32; (usize::from(grid.rows) + 1) * line];
    for (hex, much) in &weight {
        sums[usize::from(hex.row) * line + usize::from(hex.col)] = *much;
    }
    for at in line..sums.len() {
        if at % line > 0 {
            sums[at] = sums[at] + sums[at - 1] + sums[at - line] - sums[at - line - 1];
        }
    }
    let corner = |col: u8, row: u8| sums[usize::from(row) * line + usize::from(col)];
    let mut best = (0, 1, 1);
    for top in 1..=grid.rows + 1 - rows {
        for left in 1..=grid.even + 1 - WIDE {
            let (right, bottom) = (left + WIDE - 1, top + rows - 1);
            let sum = corner(right, bottom) + corner(left - 1, top - 1)
                - corner(left - 1, bottom)
                - corner(right, top - 1);
            if sum > best.0 {
                best = (sum, left, top);
            }
        }
    }
    let (_, left, top) = best;
    panel(position, left..=left + WIDE - 1, top..=top + rows - 1)
}

/// Two characters a hex, and a line between rows where walls or the Zariba run. Rows
/// with odd numbers stand half a hex further east.
fn panel(position: &Position<'_>, cols: RangeInclusive<u8>, rows: RangeInclusive<u8>) -> String {
    let grid = position.data.board.grid;
    let mut out = String::new();
    let mut head = String::from("    ");
    for col in cols.clone() {
        let _ = write!(head, "{col:02} ");
    }
    out.push_str(head.trim_end());
    out.push('\n');
    for row in rows {
        let shift = if row % 2 == 1 { "  " } else { " " };
        let mut line = format!("{row:02}|{shift}");
        let mut under = format!("  |{shift}");
        let mut walls = false;
        for hex in cols.clone().map(|col| Hex::new(col, row)).filter(|h| grid.has(*h)) {
            let (sw, se) = (side(position, hex, Dir::SW, '\\'), side(position, hex, Dir::SE, '/'));
            line.extend(cell(position, hex));
            line.push(side(position, hex, Dir::E, '|'));
            under.extend([sw, se, ' ']);
            walls |= sw != ' ' || se != ' ';
        }
        out.push_str(line.trim_end());
        out.push('\n');
        if walls {
            out.push_str(under.trim_end());
            out.push('\n');
        }
    }
    out
}

fn side(position: &Position<'_>, hex: Hex, dir: Dir, wall: char) -> char {
    let edge = position.data.board.edge(hex, dir);
    if !edge.wall && !edge.gate && edge.zariba.is_none() {
        return ' ';
    }
    let side = Side::new(hex, dir);
    if position.breach(side) {
        return 'x';
    }
    match position.works(side) {
        Some(Works::Thorn) => return '*',
        Some(Works::Trench) => return '%',
        Some(Works::End) => return '"',
        None => {}
    }
    if edge.wall {
        wall
    } else if edge.gate {
        '='
    } else {
        ' '
    }
}

/// Two characters for a hex: who stands there, or what ground it is.
fn cell(position: &Position<'_>, hex: Hex) -> [char; 2] {
    let board = &position.data.board;
    if !board.has(hex) {
        return [' ', ' '];
    }
    let here = position.at(hex);
    let Some(first) = here.first() else {
        return match board.terrain(hex).letter() {
            'B' => ['#', '#'],
            '~' => ['~', '~'],
            letter => [letter, ' '],
        };
    };
    let army = position.data.unit(*first).army;
    let kind = |k: Kind| here.iter().filter(|id| position.data.unit(**id).kind == k).count();
    let boats = here.iter().filter(|id| position.data.unit(**id).kind.is_gunboat()).count();
    if boats > 0 {
        return if army == Army::Dervish { ['d', 'g'] } else { ['b', 'g'] };
    }
    let bodies = here.len() - kind(Kind::Fort) - kind(Kind::Staff);
    if bodies == 0 {
        if kind(Kind::Staff) > 0 {
            let gordon = position.data.scenario.gordon_id();
            let is = here.iter().any(|id| Some(*id) == gordon);
            return if is { ['G', 'o'] } else { ['L', 'e'] };
        }
        return if army == Army::Dervish { ['D', 'F'] } else { ['B', 'F'] };
    }
    let down = here.iter().filter(|id| position.state.disrupted(**id)).count();
    let letter = match (army, down > 0) {
        (Army::Dervish, false) => 'D',
        (Army::Dervish, true) => 'd',
        (Army::AngloEgyptian, false) => 'B',
        (Army::AngloEgyptian, true) => 'b',
    };
    [letter, u32::try_from(bodies).ok().and_then(|n| char::from_digit(n, 10)).unwrap_or('9')]
}

/// What the signs mean.
pub fn legend(data: &Data) -> &'static str {
    if data.scenario.gordon.is_some() {
        "\
D4 four Dervish units, B2 two British (small letter: some disrupted),
bg a gunboat, BF DF an empty fort, Go Gordon alone; . clear t trees
s swamp h huts ## building ~~ Nile; walls | \\ /, gate =, breach x
"
    } else {
        "\
D4 four Dervish units, B2 two Anglo-Egyptian (small letter: some
disrupted), bg dg a gunboat, DF an empty fort, Le a leader alone;
. clear r rough ^ hilltop t trees s swamp h huts ## building ~~ Nile;
walls | \\ /, gate =, breach x; Zariba: * thorn hedge, % trench, \" end
"
    }
}
