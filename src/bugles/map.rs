//! The table as a text plan, and as a picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::geometry::plane::{Point, contains, overlap};

use super::data::Army;
use super::table::Table;

/// The widest plan, in columns.
const COLUMNS: i64 = 66;

/// Which letter stands for which unit.
pub fn letters(table: &Table<'_>) -> BTreeMap<usize, char> {
    let mut out = BTreeMap::new();
    for (army, first) in [(Army::AngloEgyptian, b'A'), (Army::Mahdist, b'a')] {
        let units = table.state.units.iter().enumerate();
        let there = units.filter(|(_, u)| u.army() == army && u.on_table());
        for ((index, _), n) in there.zip(0_u8..) {
            let letter = if n < 26 { char::from(first + n) } else { '&' };
            out.insert(index, letter);
        }
    }
    out
}

/// The text plan with its legend.
pub fn draw(table: &Table<'_>) -> String {
    let data = table.data;
    let size = data.scenario.table;
    let inch = data.inch;
    // A column is a whole number of half inches, a row twice as much.
    let mut wide = inch / 2;
    while size.x > COLUMNS * wide {
        wide += inch / 2;
    }
    let high = 2 * wide;
    let (columns, rows) = ((size.x + wide - 1) / wide, (size.y + high - 1) / high);
    let letters = letters(table);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "north is up; a column is {} in, a row {} in",
        data.inches(wide),
        data.inches(high)
    );
    let grid = Grid { wide, high, columns, rows };
    let cells = grid.drawn(table, &letters);
    for row in (0..rows).rev() {
        let line: String = (0..columns).map(|c| cells[grid.index((c, row))]).collect();
        let _ = writeln!(out, "{:>4} {}", row * high / inch, line.trim_end());
    }
    let mut scale = String::from("     ");
    let mut column = 0;
    while column < columns {
        let text = (column * wide / inch).to_string();
        let _ = write!(scale, "{text:<10}");
        column += 10;
    }
    let _ = writeln!(out, "{}", scale.trim_end());
    legend(table, &letters, &mut out);
    out
}

/// The cells of a plan.
struct Grid {
    wide: i64,
    high: i64,
    columns: i64,
    rows: i64,
}

type Cell = (i64, i64);

impl Grid {
    fn cell(&self, p: Point) -> Cell {
        let column = p.x.div_euclid(self.wide).clamp(0, self.columns - 1);
        (column, p.y.div_euclid(self.high).clamp(0, self.rows - 1))
    }

    /// The place of a cell in a list of all, row by row.
    fn index(&self, (column, row): Cell) -> usize {
        usize::try_from(row * self.columns + column).unwrap_or(0)
    }

    fn corners(&self, (column, row): Cell) -> [Point; 4] {
        let (x, y) = (column * self.wide, row * self.high);
        [
            Point::new(x, y),
            Point::new(x + self.wide, y),
            Point::new(x + self.wide, y + self.high),
            Point::new(x, y + self.high),
        ]
    }

    fn middle(&self, (column, row): Cell) -> Point {
        Point::new(column * self.wide + self.wide / 2, row * self.high + self.high / 2)
    }

    /// The cells that a shape may lie in.
    fn around(&self, shape: &[Point]) -> Vec<Cell> {
        let low = shape.iter().fold((i64::MAX, i64::MAX), |l, p| (l.0.min(p.x), l.1.min(p.y)));
        let high = shape.iter().fold((i64::MIN, i64::MIN), |h, p| (h.0.max(p.x), h.1.max(p.y)));
        let from = self.cell(Point::new(low.0, low.1));
        let to = self.cell(Point::new(high.0, high.1));
        (from.0..=to.0).flat_map(|c| (from.1..=to.1).map(move |r| (c, r))).collect()
    }

    /// Terrain, over it fences, bases that touch a cell, markers, bases that hold its
    /// middle, generals.
    fn drawn(&self, table: &Table<'_>, letters: &BTreeMap<usize, char>) -> Vec<char> {
        let data = table.data;
        let mut cells = vec!['.'; usize::try_from(self.columns * self.rows).unwrap_or(0)];
        for shape in data.scenario.shapes.iter().rev().filter(|s| !data.class(s).fence) {
            for cell in self.around(&shape.points) {
                if contains(&shape.points, self.middle(cell)) {
                    cells[self.index(cell)] = data.class(shape).mark;
                }
            }
        }
        for line in table.fences() {
            for cell in self.around(&line) {
                if overlap(&line, &self.corners(cell), 0) {
                    cells[self.index(cell)] = '=';
                }
            }
        }
        let letter = |unit: usize| letters.get(&unit).copied().unwrap_or('&');
        for body in table.bodies.iter().rev() {
            for cell in self.around(&body.shape) {
                if overlap(&body.shape, &self.corners(cell), 20) {
                    cells[self.index(cell)] = letter(body.unit);
                }
            }
        }
        for marker in table.markers() {
            cells[self.index(self.cell(marker.at))] = '?';
        }
        for body in table.bodies.iter().rev() {
            for cell in self.around(&body.shape) {
                if contains(&body.shape, self.middle(cell)) {
                    cells[self.index(cell)] = letter(body.unit);
                }
            }
        }
        for general in table.generals() {
            cells[self.index(self.cell(general.at))] = '*';
        }
        cells
    }
}

fn legend(table: &Table<'_>, letters: &BTreeMap<usize, char>, out: &mut String) {
    let data = table.data;
    for (index, letter) in letters {
        let unit = &table.state.units[*index];
        let line = format!(
            "{letter} {}: {} of {}, {}, front at {} facing {}",
            unit.id,
            unit.strength(),
            unit.bases.len(),
            unit.formation.word(),
            data.spot(unit.anchor),
            unit.facing.degrees()
        );
        let _ = writeln!(out, "{}", crate::core::template::wrap(&line, 2, 6, 72));
    }
    let mut words = vec!["* general".to_owned()];
    if !table.markers().is_empty() {
        words.push("? marker".to_owned());
    }
    for class in &data.classes {
        let there = data.scenario.shapes.iter().any(|s| data.class(s).id == class.id);
        if there {
            words.push(format!("{} {}", class.mark, class.name));
        }
    }
    let _ = writeln!(out, "{}", crate::core::template::wrap(&words.join("; "), 2, 4, 72));
    for marker in table.markers() {
        let line = format!("? {} at {}", marker.id, data.spot(marker.at));
        let _ = writeln!(out, "  {line}");
    }
}

/// The table as an SVG picture: every base as it lies, with its front.
pub fn picture(table: &Table<'_>) -> String {
    let data = table.data;
    let size = data.scenario.table;
    let flip = |p: Point| format!("{},{}", p.x, size.y - p.y);
    let points = |shape: &[Point]| shape.iter().map(|p| flip(*p)).collect::<Vec<_>>().join(" ");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"960\">\n\
         <rect width=\"{}\" height=\"{}\" fill=\"#e8dcb5\"/>\n",
        size.x, size.y, size.x, size.y
    );
    for shape in &data.scenario.shapes {
        let class = data.class(shape);
        let colour = match class.id.as_str() {
            "cover" => "#a9bd83",
            "obstacle" => "#7f9dbb",
            "building" => "#b9a28a",
            "dead-ground" => "#d4c391",
            _ => "#cdb98a",
        };
        let _ = if class.fence {
            writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"#5d4a2b\" stroke-width=\"16\" stroke-dasharray=\"30 14\"><title>{}</title></polyline>",
                points(&shape.points),
                shape.name
            )
        } else {
            writeln!(
                out,
                "<polygon points=\"{}\" fill=\"{colour}\"><title>{}</title></polygon>",
                points(&shape.points),
                shape.name
            )
        };
    }
    for body in &table.bodies {
        let colour = if body.army == Army::AngloEgyptian { "#b03a2e" } else { "#3d5a40" };
        let (a, b) = (body.shape[0], body.shape[1]);
        let _ = writeln!(
            out,
            "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"{}\" stroke=\"#222\" stroke-width=\"4\"><title>{}</title></polygon>\n\
             <line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#fff\" stroke-width=\"14\"/>",
            points(&body.shape),
            if body.sound { "0.9" } else { "0.4" },
            table.name(body),
            a.x,
            size.y - a.y,
            b.x,
            size.y - b.y
        );
    }
    for marker in table.markers() {
        let at = marker.at;
        let _ = writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"70\" fill=\"#f6f2e4\" stroke=\"#555\" stroke-width=\"8\"><title>{}</title></circle>",
            at.x,
            size.y - at.y,
            marker.id
        );
    }
    for general in table.generals() {
        let at = general.at;
        let _ = writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"40\" fill=\"#d9a514\" stroke=\"#222\" stroke-width=\"8\"><title>{}</title></circle>",
            at.x,
            size.y - at.y,
            general.id
        );
    }
    out.push_str("</svg>\n");
    out
}
