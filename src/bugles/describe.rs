//! `games show`: armies, values, terrain, rulings, with where the facts come from.

use std::fmt::Write as _;

use crate::core::template::wrap;

use super::data::Data;

/// What can be known of a scenario before it is played.
pub fn describe(data: &Data) -> String {
    let scenario = &data.scenario;
    let mut out = String::new();
    let _ = writeln!(out, "{}\n{}\n", scenario.info.title, wrap(&scenario.info.summary, 0, 0, 72));
    let table = scenario.table;
    let _ = writeln!(
        out,
        "table {} by {} inches, {} turns; {}",
        data.inches(table.x),
        data.inches(table.y),
        scenario.turns,
        scenario.source
    );
    for army in &scenario.armies {
        let who = if army.machine { " (the machine plays it)" } else { "" };
        let _ = writeln!(
            out,
            "{}",
            wrap(&format!("{}{who}: {}", army.army.name(), army.task), 0, 2, 72)
        );
    }
    out.push_str("\nCOMMANDS\n");
    for general in &scenario.generals {
        let units: Vec<String> = scenario
            .units
            .iter()
            .filter(|u| u.general == general.id)
            .map(|u| format!("{} ({} of {})", u.id, u.bases, data.troop(u.troop).name))
            .collect();
        let emir = scenario.emirs.iter().find(|e| e.general == general.id);
        let units = match emir {
            Some(e) => format!(
                "{}, and by dice up to {} units of up to {} bases",
                units.join(", "),
                e.units,
                e.bases
            ),
            None => units.join(", "),
        };
        let text = format!("{}/{} {}: {units}", general.army.id(), general.id, general.name);
        let _ = writeln!(out, "{}", wrap(&text, 2, 6, 72));
    }
    if let Some(a) = &scenario.arrivals {
        let chance = a.chance.map_or("one per Anglo-Egyptian base".to_owned(), |c| c.to_string());
        let text = format!(
            "a marker a turn to turn {} at the {} edge, chance in per cent: {chance}; up to {} units of up to {} bases{} [R6]",
            a.last,
            a.edges.join(", "),
            a.units,
            a.bases,
            if a.blind { "; nobody knows which are real" } else { "" }
        );
        let _ = writeln!(out, "\nARRIVALS\n{}", wrap(&text, 2, 4, 72));
    }
    if !scenario.facts.is_empty() {
        out.push_str("\nFACTS AND WHERE THEY COME FROM\n");
        for (what, source) in &scenario.facts {
            let _ = writeln!(out, "{}", wrap(&format!("{what}: {source}"), 2, 6, 72));
        }
    }
    out.push_str("\nVALUES (values.toml; correct a figure with --games DIR)\n");
    if let Some(text) = data.files.get("values.toml") {
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
            let _ = writeln!(out, "{}", wrap(&format!("{mark} {choice}{note}: {text}"), 4, 8, 72));
        }
    }
    out
}
