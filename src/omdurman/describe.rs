//! `games show`: sides, counters, charts and rulings, with where each figure comes
//! from.

use std::fmt::Write as _;

use super::data::Data;

/// `games show`: sides, counters, charts and rulings, with where each figure comes
/// from.
pub fn describe(data: &Data) -> String {
    let mut out = String::new();
    let scenario = &data.scenario;
    let _ = writeln!(out, "{}\n{}\n", scenario.info.title, scenario.info.summary);
    let night: Vec<String> = scenario.night.iter().map(u32::to_string).collect();
    let _ = writeln!(out, "turns 1 to {}, night: {}", scenario.turns, night.join(", "));
    let _ = writeln!(out, "map: {} ({})", data.board.title, data.board.source);
    out.push_str("\nSIDES AND COMMANDS\n");
    for side in &scenario.sides {
        let _ = writeln!(out, "  {} ({})", side.id, side.name);
        for command in &side.commands {
            let units: Vec<&str> = data
                .units
                .iter()
                .filter(|u| u.army == side.army && u.command == *command)
                .map(|u| u.id.as_str())
                .collect();
            let text = format!("{}/{command}: {}", side.id, units.join(" "));
            let _ = writeln!(out, "{}", crate::core::template::wrap(&text, 4, 8, 72));
        }
    }
    out.push_str("\nCOUNTERS (fire-melee-movement)\n");
    let mut seen: Vec<String> = Vec::new();
    for unit in &data.units {
        let line = format!(
            "{} {} {}, {}: {}",
            unit.name,
            unit.factors(),
            unit.kind.name(),
            unit.weapon.name(),
            unit.source
        );
        if !seen.contains(&line) {
            let _ = writeln!(out, "{}", crate::core::template::wrap(&line, 2, 6, 72));
            seen.push(line);
        }
    }
    out.push_str("\nCHARTS (charts.toml; correct a figure with --games DIR)\n");
    if let Some(text) = data.files.get("charts.toml") {
        for line in text.lines() {
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
            let _ = writeln!(out, "{}", crate::core::template::wrap(&line, 4, 8, 72));
        }
    }
    out
}
