//! The position as a text map that any mail program shows.

use std::fmt::Write as _;

use crate::geometry::hex::{Dir, Hex, Side};

use super::data::{Army, Kind};
use super::position::Position;

/// Draws the whole board: two characters a hex, and a line between rows where walls
/// run. Rows with odd numbers stand half a hex further east.
pub fn draw(position: &Position<'_>) -> String {
    let board = &position.data.board;
    let grid = board.grid;
    let mut out = String::new();
    let mut head = String::from("    ");
    for col in 1..=grid.even {
        let _ = write!(head, "{col:02} ");
    }
    out.push_str(head.trim_end());
    out.push('\n');
    for row in 1..=grid.rows {
        let shift = if row % 2 == 1 { "  " } else { " " };
        let cols = if row % 2 == 1 { grid.odd } else { grid.even };
        let mut line = format!("{row:02}|{shift}");
        let mut under = format!("  |{shift}");
        let mut walls = false;
        for col in 1..=cols {
            let hex = Hex::new(col, row);
            let _ = write!(line, "{}{}", cell(position, hex), side(position, hex, Dir::E, '|'));
            let (sw, se) = (side(position, hex, Dir::SW, '\\'), side(position, hex, Dir::SE, '/'));
            walls |= sw != ' ' || se != ' ';
            let _ = write!(under, "{sw}{se} ");
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
    let side = Side::new(hex, dir);
    let edge = position.data.board.edge(hex, dir);
    if position.breach(side) {
        'x'
    } else if edge.wall {
        wall
    } else if edge.gate {
        '='
    } else {
        ' '
    }
}

/// Two characters for a hex: who stands there, or what ground it is.
fn cell(position: &Position<'_>, hex: Hex) -> String {
    let board = &position.data.board;
    if !board.has(hex) {
        return "  ".to_owned();
    }
    let here = position.at(hex);
    let Some(first) = here.first() else {
        return match board.terrain(hex).letter() {
            'B' => "##".to_owned(),
            '~' => "~~".to_owned(),
            letter => format!("{letter} "),
        };
    };
    let army = position.data.unit(*first).army;
    let kind = |k: Kind| here.iter().filter(|id| position.data.unit(**id).kind == k).count();
    let boats = here.iter().filter(|id| position.data.unit(**id).kind.is_gunboat()).count();
    if boats > 0 {
        return if army == Army::Dervish { "dg" } else { "bg" }.to_owned();
    }
    let bodies = here.len() - kind(Kind::Fort) - kind(Kind::Staff);
    if bodies == 0 {
        if kind(Kind::Staff) > 0 {
            return "Go".to_owned();
        }
        return if army == Army::Dervish { "DF" } else { "BF" }.to_owned();
    }
    let down = here.iter().filter(|id| position.state.disrupted(**id)).count();
    let letter = match (army, down > 0) {
        (Army::Dervish, false) => 'D',
        (Army::Dervish, true) => 'd',
        (Army::AngloEgyptian, false) => 'B',
        (Army::AngloEgyptian, true) => 'b',
    };
    format!("{letter}{}", bodies.min(9))
}

/// What the signs mean.
pub const LEGEND: &str = "\
D4 four Dervish units, B2 two British (small letter: some disrupted),
bg a gunboat, BF DF an empty fort, Go Gordon alone; . clear t trees
s swamp h huts ## building ~~ Nile; walls | \\ /, gate =, breach x
";
