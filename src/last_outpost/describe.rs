//! `games show`: the compound, the figures, the tables and rulings, with where each
//! figure comes from.

use std::fmt::Write as _;

use super::data::Data;
use crate::core::template::wrap;

/// The files that a referee may correct, with titles.
pub const FILES: [(&str, &str); 3] = [
    ("compound.toml", "THE COMPOUND"),
    ("garrison.toml", "THE FIGURES"),
    ("tables.toml", "THE TABLES"),
];

/// `games show`.
pub fn describe(data: &Data) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} days; {} figures", data.days, data.figures.len());
    for (file, title) in FILES {
        let _ = writeln!(out, "\n{title} ({file}; correct a figure with --games DIR)");
        for line in data.files.get(file).map_or("", |text| &**text).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out.push_str("\nRULINGS (* the choice in force)\n");
    for ruling in &data.rulings.all {
        let _ = writeln!(out, "  {} [{}]", ruling.name, ruling.rule);
        for (choice, text) in &ruling.choices {
            let mark = if *choice == ruling.choice { "*" } else { " " };
            let note = if *choice == ruling.default { " (default)" } else { "" };
            let line = format!("{mark} {choice}{note}: {text}");
            let _ = writeln!(out, "{}", wrap(&line, 4, 8, 72));
        }
    }
    out
}
