//! `games`: what can be played.

use super::desk::Desk;
use super::fault::Fault;
use crate::cli::{GamesArgs, GamesWhat};
use crate::core::diag::did_you_mean;
use crate::game::{ScenarioInfo, Settings};

/// Lists the scenarios, or shows one.
pub fn run(desk: &mut Desk<'_>, args: &GamesArgs) -> Result<u8, Fault> {
    let library = desk.library_with_samples()?;
    let scenarios = (desk.systems.scenarios)(&library).map_err(|f| desk.rules_faults(&f))?;
    match &args.what {
        Some(GamesWhat::Show { id, page: true }) => page(desk, &scenarios, id),
        Some(GamesWhat::Show { id, .. }) => show(desk, &scenarios, id),
        None => list(desk, &scenarios),
    }
}

fn list(desk: &mut Desk<'_>, scenarios: &[ScenarioInfo]) -> Result<u8, Fault> {
    if desk.json {
        let all: Vec<_> = scenarios.iter().map(json).collect();
        writeln!(desk.out, "{}", serde_json::Value::Array(all))?;
        return Ok(0);
    }
    for scenario in scenarios {
        writeln!(desk.out, "{:<16} {:<14} {}", scenario.id, scenario.system, scenario.title)?;
        writeln!(desk.out, "{:<16} {}", "", scenario.summary)?;
    }
    if scenarios.is_empty() {
        writeln!(desk.out, "No game is built into this program.")?;
    } else {
        writeln!(desk.out, "\n`despatch games show ID` tells more about one of them.")?;
    }
    Ok(0)
}

fn show(desk: &mut Desk<'_>, scenarios: &[ScenarioInfo], id: &str) -> Result<u8, Fault> {
    let scenario = find(scenarios, id)?;
    let settings = Settings { scenario: scenario.id.clone(), ..Settings::default() };
    let library = desk.library_with_samples()?;
    let files =
        (desk.systems.rules_files)(&library, &settings).map_err(|f| desk.rules_faults(&f))?;
    let game = (desk.systems.load)(&files).map_err(|f| desk.rules_faults(&f))?;
    if desk.json {
        let mut value = json(scenario);
        value["description"] = game.describe().into();
        value["files"] = files.keys().cloned().collect::<Vec<_>>().into();
        writeln!(desk.out, "{value}")?;
        return Ok(0);
    }
    writeln!(desk.out, "{} ({}, {})", scenario.title, scenario.id, scenario.system)?;
    writeln!(desk.out, "{}\n", scenario.summary)?;
    for (side, commands) in &scenario.sides {
        writeln!(desk.out, "  side {side}: {}", commands.join(", "))?;
    }
    if scenario.sealed {
        writeln!(desk.out, "  hidden from some players: orders and states stay sealed to the end")?;
    }
    writeln!(desk.out, "\n{}", game.describe().trim_end())?;
    Ok(0)
}

/// The rules companion of a scenario's system.
fn page(desk: &mut Desk<'_>, scenarios: &[ScenarioInfo], id: &str) -> Result<u8, Fault> {
    let system = &find(scenarios, id)?.system;
    let library = desk.library_with_samples()?;
    let page = (desk.systems.companion)(&library, system).map_err(|f| desk.rules_faults(&f))?;
    write!(desk.out, "{page}")?;
    Ok(0)
}

/// The scenario of that id.
///
/// # Errors
/// There is none; the nearest is named.
pub fn find<'a>(scenarios: &'a [ScenarioInfo], id: &str) -> Result<&'a ScenarioInfo, Fault> {
    scenarios.iter().find(|s| s.id == id).ok_or_else(|| {
        let known: Vec<&str> = scenarios.iter().map(|s| s.id.as_str()).collect();
        let help = match did_you_mean(id, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? there are {}", known.join(", ")),
            None => format!("there are {}", known.join(", ")),
        };
        Fault::input(format!("there is no scenario `{id}`"), help)
    })
}

fn json(scenario: &ScenarioInfo) -> serde_json::Value {
    serde_json::json!({
        "id": scenario.id,
        "system": scenario.system,
        "title": scenario.title,
        "summary": scenario.summary,
        "sealed": scenario.sealed,
        "sides": scenario.sides.iter()
            .map(|(side, commands)| serde_json::json!({ "side": side, "commands": commands }))
            .collect::<Vec<_>>(),
    })
}
