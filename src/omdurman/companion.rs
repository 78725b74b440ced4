//! The rules companion: what the referee's machine will do, from the data that it
//! plays by. `docs/omdurman.md` is this page, and a test keeps it so.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::board::Terrain;
use super::data::{Army, Cell, Data, Ground, Level, Unit, Victory, Weapon};
use super::words::runs;

/// What a player may write, by window: kind, keys, rule.
const ORDERS: [(&str, &str, &str); 16] = [
    ("place", "`units`, `hex`: set-up", "9.1.1.1, 9.2.1, 9.3.2.1"),
    ("hide", "`note` (`mine CCRR`, `chain CCRR ...`, `nothing`), `salt`: set-up", "10.1.B, 10.2.B"),
    ("enter", "`units`, `at`, then `to`, `path` or `towards`", "9.1.1.2, 9.1.1.3, 9.3.2.2"),
    ("move", "`units` or `stack`, and `to`, `path` or `towards`", "5.1 to 5.4"),
    ("transfer", "as move, by the mouths of the Nile", "9.3.4.E"),
    ("follow", "`units`, `leader`: as near as they can to where he ends", "5.5.3"),
    ("load", "`units` (one Friendlies unit), `boat`", "5.2.1.A, B"),
    ("disembark", "`units`, and `to`, `path` or `towards`", "5.2.1.A, B"),
    ("construct", "`units` or `stack`: builds the Zariba beside it", "5.3.A to D"),
    ("demolish", "`units`, `at` (`HEX:fort`, `HEX:SIDE`, `HEX:chain`)", "6.5.3, 10.2.D"),
    ("desert", "`units`: first to go first", "8.2.C"),
    ("fire", "`units` or `stack`, `at` (best first), `advance`, `weapon`, `combine`", "6.1, 6.6.4"),
    ("second", "`units` or `stack`, `at`, `advance`: second fire of Maxims", "6.4.2.B"),
    ("hold", "`units` or `stack`: no fire", "6.1.B"),
    ("melee", "`units` or `stack`, `at` (best first), `advance`", "7.1 to 7.7"),
    ("retreat", "`units` or `stack`, `how` (`away`, `never`) or `path`", "7.5"),
];

/// The windows of a player-turn: id, who sends, what it covers.
const WINDOWS: [(&str, &str, &str); 9] = [
    ("setup-1, setup-2", "the side that sets up first, then the other", "set-up, hidden notes"),
    ("move", "phasing side", "entry, movement, transport, works announced, desertion, drift"),
    (
        "combat (brisk)",
        "both sides",
        "defensive fire, its second fire, offensive fire, its second fire, melees with retreats; then works are finished and units recover",
    ),
    ("defence (strict)", "the other side", "defensive direct fire"),
    ("defence-second (strict)", "Anglo-Egyptian defence", "second fire and howitzers"),
    ("offence (strict)", "phasing side", "offensive direct fire, advances"),
    ("offence-second (strict)", "Anglo-Egyptian offence", "second fire and howitzers, advances"),
    ("melee (strict)", "phasing side; the other for retreats", "melees, advances"),
    ("end of the player-turn", "nobody", "works, recovery, victory"),
];

/// The page, from every scenario of the system.
pub fn page(games: &[&Data]) -> String {
    let mut out = String::new();
    let Some(first) = games.first() else { return out };
    out.push_str(
        "# Remember Gordon! The Battle of Omdurman\n\n\
         Made from the data that the program plays by: `despatch games show ID --page`.\n\
         Numbers in brackets are those of the rulebook. A referee who owns the boxed game\n\
         corrects a figure in a folder of his own and plays with `--games DIR`.\n",
    );
    sequence(&mut out);
    orders(&mut out);
    counters(&mut out, games);
    charts(&mut out, first);
    for data in games {
        scenario(&mut out, data);
    }
    rulings(&mut out, first);
    doubts(&mut out, first);
    out
}

fn table(out: &mut String, head: &[&str], rows: &[Vec<String>]) {
    let _ = writeln!(out, "| {} |", head.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

fn sequence(out: &mut String) {
    out.push_str("\n## Sequence of play [4.0]\n\n");
    out.push_str(
        "A turn has two player-turns; which side is first the scenario says. Each window is\n\
         one mail of orders and one set of dice. Windows that nobody can use are passed over.\n\n",
    );
    let rows: Vec<Vec<String>> = WINDOWS
        .iter()
        .map(|(id, who, what)| vec![(*id).to_owned(), (*who).to_owned(), (*what).to_owned()])
        .collect();
    table(out, &["window", "who sends orders", "what happens"], &rows);
}

fn orders(out: &mut String) {
    out.push_str("\n## Orders\n\n");
    out.push_str(
        "`units` takes ids, ranges (`mulazmin-01..08`), tribes, brigades (`1e`), commands and\n\
         kinds; `stack` all units of yours in a hex. Targets: `CCRR`, `CCRR:fort`, `CCRR:SE`\n\
         (a wall), `CCRR:chain`. `[standing]` takes `losses`, `fire`, `advance`, `retreat`.\n\n",
    );
    let rows: Vec<Vec<String>> = ORDERS
        .iter()
        .map(|(kind, keys, rule)| {
            vec![format!("`[[{kind}]]`"), (*keys).to_owned(), (*rule).to_owned()]
        })
        .collect();
    table(out, &["order", "keys", "rules"], &rows);
}

fn counters(out: &mut String, games: &[&Data]) {
    out.push_str("\n## Counters\n\nFactors: fire-melee-movement; of gunboats, against and with the current.\n\n");
    // All units of all scenarios, by the counter line that they come from.
    let mut lines: BTreeMap<(Army, String), Vec<&Unit>> = BTreeMap::new();
    for unit in games.iter().flat_map(|data| &data.units) {
        let list = lines.entry((unit.army, unit.line.clone())).or_default();
        if !list.iter().any(|u| u.id == unit.id) {
            list.push(unit);
        }
    }
    let notes = games.first().map(|data| counter_notes(data)).unwrap_or_default();
    let rows: Vec<Vec<String>> = lines
        .iter()
        .filter_map(|((_, line), units)| {
            let unit = units.first()?;
            let mut ids: Vec<&str> = units.iter().map(|u| u.id.as_str()).collect();
            ids.sort_unstable();
            let maxim = unit.maxim.map_or(String::new(), |m| format!(", Maxims {m} twice"));
            let twice = if unit.weapon == Weapon::Maxims { " twice" } else { "" };
            let brigade = unit.brigade.as_deref().map_or(String::new(), |b| format!(" {b}"));
            let colour = unit.colour.as_deref().map_or(String::new(), |c| format!(", {c}"));
            Some(vec![
                format!("{}{brigade}", unit.name),
                runs(&ids).join(", "),
                format!("{}{colour}", unit.kind.name()),
                format!("{}{twice}{maxim}", unit.weapon.name()),
                unit.factors(),
                notes.get(line).cloned().unwrap_or_else(|| unit.source.clone()),
            ])
        })
        .collect();
    table(out, &["counter", "ids", "kind", "weapon", "factors", "source"], &rows);
}

/// Sources and notes of each counter line, as its file has them.
fn counter_notes(data: &Data) -> BTreeMap<String, String> {
    let text = data.files.get("units.toml").map_or("", |text| &**text);
    let file: toml::Table = toml::from_str(text).unwrap_or_default();
    let list = file.get("counter").and_then(toml::Value::as_array);
    let mut out = BTreeMap::new();
    for counter in list.into_iter().flatten().filter_map(toml::Value::as_table) {
        let word = |key: &str| counter.get(key).and_then(toml::Value::as_str);
        let mut notes: Vec<String> = word("source").map(str::to_owned).into_iter().collect();
        for (key, what) in [
            ("kind_source", "kind"),
            ("brigade_source", "brigade"),
            ("names_source", "names"),
            ("fire_source", "fire"),
        ] {
            notes.extend(word(key).map(|text| format!("{what}: {text}")));
        }
        if let Some(id) = word("id") {
            out.insert(id.to_owned(), notes.join("; "));
        }
    }
    out
}

/// What a section of `charts.toml` says of its source.
fn source(data: &Data, section: &str) -> String {
    let text = data.files.get("charts.toml").map_or("", |text| &**text);
    let file: toml::Table = toml::from_str(text).unwrap_or_default();
    file.get(section)
        .and_then(|s| s.get("source"))
        .and_then(toml::Value::as_str)
        .map_or(String::new(), |s| format!("Source: {s}.\n"))
}

fn charts(out: &mut String, data: &Data) {
    let charts = &data.charts;
    out.push_str("\n## Combat results\n\nModified die; - nothing, D half of the units (rounded up) disrupted, a number eliminated.\n\n");
    let mut rows = Vec::new();
    for (name, cells) in charts.rows() {
        let mut row = vec![name];
        row.extend(cells.iter().map(|cell| match cell {
            Cell::Nothing => "-".to_owned(),
            Cell::Disrupt => "D".to_owned(),
            Cell::Eliminate(n) => n.to_string(),
        }));
        rows.push(row);
    }
    table(out, &["factors", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], &rows);
    let _ = writeln!(out, "\n{}", source(data, "results"));
    let needed = charts.needed;
    let _ = writeln!(
        out,
        "A gunboat is sunk on {}, a fort destroyed on {}, a wall breached on {}, the chain sunk on {} [6.6, 10.2.D].",
        needed.gunboat, needed.fort, needed.wall, needed.chain
    );
    let (dervish, ours) = charts.melee;
    let _ = writeln!(
        out,
        "Melee: Dervish {dervish:+}, Anglo-Egyptian {ours:+}, Friendlies {dervish:+} [7.7.A, 6.5.2.A]. Fire: accuracy {:+} [6.2.E], a whole brigade {:+} [6.2.F], in a fort {:+} [6.5.4.C].",
        charts.accuracy, charts.integrity, charts.fort_drm
    );
    let _ = writeln!(
        out,
        "Zariba: Dervish fire {:+} across the hedge and {:+} at entrenched units, Dervish melee {:+} against them, ends +{} MP [9.2.3].",
        charts.zariba.thorn, charts.zariba.trench, charts.zariba.trench_melee, charts.zariba.end_mp
    );
    ranges(out, data);
    terrain(out, data);
    sight(out, data);
    let impacts: Vec<String> = charts
        .scatter
        .iter()
        .enumerate()
        .map(|(i, dir)| {
            format!("{} {}", i + 1, dir.map_or("target", crate::geometry::hex::Dir::name))
        })
        .collect();
    let _ = writeln!(
        out,
        "\n## Howitzers [6.6.4]\n\n{} to {} hexes, no sight needed, not at night. Impact die: {}.\n\n{}",
        charts.howitzer_nearest,
        charts.reach(Army::AngloEgyptian, Weapon::Howitzer),
        impacts.join(", "),
        source(data, "howitzer")
    );
}

fn ranges(out: &mut String, data: &Data) {
    out.push_str("\n## Range effects\n\nHalves are rounded down for each unit, at least 1 [6.1.H]; at night ranges are halved [8.1.C].\n\n");
    let mut rows = Vec::new();
    for (army, name) in [(Army::Dervish, "Dervish"), (Army::AngloEgyptian, "Anglo-Egyptian")] {
        for weapon in
            [Weapon::Spears, Weapon::Rifles, Weapon::Maxims, Weapon::Artillery, Weapon::Howitzer]
        {
            if data.charts.reach(army, weapon) == 0 {
                continue;
            }
            let mut row = vec![format!("{name} {}", weapon.name())];
            row.extend((1..=10).map(|d| {
                data.charts
                    .range(army, weapon, d)
                    .map_or(String::new(), super::data::Multiplier::text)
            }));
            rows.push(row);
        }
    }
    table(out, &["line", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], &rows);
    let _ = writeln!(out, "\n{}", source(data, "range"));
}

fn terrain(out: &mut String, data: &Data) {
    out.push_str("\n## Terrain\n\n");
    let charts = &data.charts;
    let mut rows: Vec<Vec<String>> = Terrain::ALL
        .iter()
        .map(|t| {
            let line = charts.terrain(*t);
            vec![
                t.name().to_owned(),
                line.mp.to_string(),
                format!("{:+}", line.drm),
                line.level.name().to_owned(),
            ]
        })
        .collect();
    rows.push(vec![
        "road, along it".to_owned(),
        charts.road_mp.to_string(),
        String::new(),
        String::new(),
    ]);
    for (name, line) in [
        ("khor", charts.khor),
        ("crest", charts.crest),
        ("wall", charts.wall),
        ("gate", charts.gate),
        ("breach", charts.breach),
    ] {
        let mp = if name == "wall" { "not crossed".to_owned() } else { format!("+{}", line.mp) };
        rows.push(vec![format!("{name} (hexside)"), mp, format!("{:+}", line.drm), String::new()]);
    }
    table(out, &["terrain", "MP", "die of fire at it", "level"], &rows);
    let _ = writeln!(out, "\n{}", source(data, "terrain"));
}

fn sight(out: &mut String, data: &Data) {
    out.push_str("\n## Line of sight [6.3]\n\nWhat blocks, from the level of the row to the level of the column; numbers are the conditions below.\n\n");
    let levels = [Level::Ground, Level::Rough, Level::Hilltop];
    let text = data.files.get("charts.toml").map_or("", |text| &**text);
    let file: toml::Table = toml::from_str(text).unwrap_or_default();
    let sight = file.get("sight").and_then(toml::Value::as_table);
    let cell = |from: Level, to: Level| -> String {
        let key = format!("{}-{}", from.name(), to.name());
        let list = sight.and_then(|s| s.get(&key)).and_then(toml::Value::as_array);
        let words: Vec<&str> = list.into_iter().flatten().filter_map(toml::Value::as_str).collect();
        words.join("; ")
    };
    let rows: Vec<Vec<String>> = levels
        .iter()
        .map(|from| {
            let mut row = vec![from.name().to_owned()];
            row.extend(levels.iter().map(|to| cell(*from, *to)));
            row
        })
        .collect();
    table(out, &["from", "ground", "rough", "hilltop"], &rows);
    out.push('\n');
    let conditions = sight.and_then(|s| s.get("conditions")).and_then(toml::Value::as_table);
    for (n, words) in conditions.into_iter().flatten() {
        let _ = writeln!(out, "{n}. {}", words.as_str().unwrap_or(""));
    }
    let _ = writeln!(out, "\n{}", source(data, "sight"));
}

fn scenario(out: &mut String, data: &Data) {
    let s = &data.scenario;
    let _ = writeln!(out, "\n## {} (`{}`)\n\n{}.\n", s.info.title, s.info.id, s.info.summary);
    let _ = writeln!(out, "Map: {} ({}).", data.board.title, data.board.source);
    let first = &data.side(s.first).name;
    let night: Vec<String> = s.night.iter().map(u32::to_string).collect();
    let night = if night.is_empty() { "none".to_owned() } else { night.join(", ") };
    let _ = writeln!(
        out,
        "Turns 1 to {}, night turns: {night}. The {first} side moves first.",
        s.turns
    );
    if !s.track.is_empty() {
        let _ = writeln!(out, "Track: {}.", s.track.join(", "));
    }
    out.push('\n');
    let mut rows = Vec::new();
    for side in &s.sides {
        for command in &side.commands {
            let ids: Vec<&str> = data
                .units
                .iter()
                .filter(|u| u.army == side.army && u.command == *command)
                .map(|u| u.id.as_str())
                .collect();
            rows.push(vec![
                format!("{}/{command}", side.id),
                ids.len().to_string(),
                runs(&ids).join(", "),
            ]);
        }
    }
    table(out, &["command", "units", "ids"], &rows);
    arrivals(out, data);
    victory(out, data);
}

fn arrivals(out: &mut String, data: &Data) {
    let s = &data.scenario;
    let mut rows: Vec<(String, Vec<&str>)> = Vec::new();
    for (i, unit) in data.units.iter().enumerate() {
        let text = match (&s.zones[i], s.enters[i].map(|e| &s.entries[e])) {
            (Some(zone), _) => match &zone.ground {
                Ground::Garrison => format!(
                    "sets up in buildings and huts of the town, forts, and beside the wall [{}]",
                    zone.rule
                ),
                Ground::AnyNile => format!("sets up in any Nile hex [{}]", zone.rule),
                Ground::Around(hex) => format!(
                    "sets up within three hexes of {hex}, out of sight [{}, 9.2.1.2.C]",
                    zone.rule
                ),
                Ground::Region(name, hexes) if hexes.len() > 20 => {
                    format!("sets up in the region {name}, {} hexes [{}]", hexes.len(), zone.rule)
                }
                Ground::Region(_, hexes) => {
                    let list: Vec<String> = hexes.iter().map(ToString::to_string).collect();
                    format!("sets up in {} [{}]", list.join(" "), zone.rule)
                }
            },
            (None, Some(entry)) => {
                let mp = entry.mp.map_or("the terrain cost".to_owned(), |mp| format!("{mp} MP"));
                format!(
                    "enters from turn {} by {} for {mp} [{}]",
                    entry.from,
                    entry.edges.join(", "),
                    entry.rule
                )
            }
            _ => continue,
        };
        match rows.iter_mut().find(|(t, _)| *t == text) {
            Some((_, ids)) => ids.push(&unit.id),
            None => rows.push((text, vec![&unit.id])),
        }
    }
    out.push('\n');
    for (text, ids) in rows {
        let _ = writeln!(out, "- {}: {text}", runs(&ids).join(", "));
    }
    if let Some(schedule) = s.schedule {
        let _ = writeln!(
            out,
            "- On turn 1 at most {} brigades of the Egyptian Division, on turns 2 and 3 at most {} land units, on each of them at most {} gunboats; from turn {} on all that are left [9.1.1.4]; leaders by turn {} [9.1.1.3.D]",
            schedule.first_brigades,
            schedule.land,
            schedule.gunboats,
            schedule.free,
            schedule.leaders_by
        );
    }
    if s.river.any() || s.info.id == "omdurman-campaign" {
        out.push_str("- Options, chosen at `new`: `mines`, `chain`, `mines-or-chain` [10.0]; with one of them orders and states stay sealed until the close\n");
    }
}

fn victory(out: &mut String, data: &Data) {
    out.push_str("\nVictory:\n\n");
    let mut rows = Vec::new();
    match &data.scenario.victory {
        Victory::Gordon(v) => {
            for f in &v.falls {
                rows.push(vec![
                    f.level.clone(),
                    format!("Gordon falls on turn {} or before", f.turn),
                ]);
            }
            for f in &v.survives {
                rows.push(vec![f.level.clone(), format!("Gordon survives turn {}", f.turn)]);
            }
            for p in &v.losses {
                rows.push(vec![
                    format!("{} levels less", p.levels),
                    format!("{} Dervish units lost", p.units),
                ]);
            }
            table(out, &["level", "condition [9.3.5]"], &rows);
        }
        Victory::Eliminations(v) => {
            for l in &v.levels {
                rows.push(vec![
                    format!("{} ({})", l.name, l.value),
                    l.anglo_egyptian.to_string(),
                    l.dervish.to_string(),
                ]);
            }
            table(out, &["level", "Dervish lost, from", "Anglo-Egyptians lost, from"], &rows);
            out.push_str("\nThe lower value is taken from the higher [9.2.4.C].\n");
        }
        Victory::Points(v) => {
            for l in &v.levels {
                rows.push(vec![
                    l.name.clone(),
                    l.anglo_egyptian.to_string(),
                    l.dervish.to_string(),
                ]);
            }
            table(out, &["level", "Anglo-Egyptian ahead by", "Dervish ahead by"], &rows);
            let p = &v.points;
            let _ = writeln!(
                out,
                "\nPoints: the Tomb {} at the end [9.1.4.A]; for the Dervish {} a leader, {} a gunboat, {} a Friendlies unit on the east bank, {} any other land unit [9.1.4.1]; for the Anglo-Egyptians {} the Khalifa, {} Isa Zachneih, {} any other Dervish unit, {} a fort [9.1.4.2].",
                v.tomb_points,
                p.leader,
                p.gunboat,
                p.friendlies_east,
                p.land,
                p.khalifa,
                p.isa,
                p.dervish,
                p.fort
            );
        }
    }
}

fn rulings(out: &mut String, data: &Data) {
    out.push_str("\n## Rulings\n\nHow unclear rules are read; `new --ruling NAME=CHOICE` chooses another reading.\n\n");
    let mut rows = Vec::new();
    for ruling in &data.rulings.all {
        let choices: Vec<String> = ruling
            .choices
            .iter()
            .map(|(choice, text)| {
                let mark = if *choice == ruling.default { "**" } else { "" };
                format!("{mark}{choice}{mark}: {text}")
            })
            .collect();
        rows.push(vec![ruling.name.clone(), ruling.rule.clone(), choices.join("; ")]);
    }
    table(out, &["ruling", "rule", "choices (default in bold)"], &rows);
}

fn doubts(out: &mut String, data: &Data) {
    out.push_str("\n## Doubts\n\nFigures and places that are less certain than the rest.\n\n");
    let text = data.files.get("doubts.toml").map_or("", |text| &**text);
    let file: toml::Table = toml::from_str(text).unwrap_or_default();
    let list = file.get("doubt").and_then(toml::Value::as_array);
    let rows: Vec<Vec<String>> = list
        .into_iter()
        .flatten()
        .map(|doubt| {
            ["what", "where", "why", "correct"]
                .map(|key| doubt.get(key).and_then(toml::Value::as_str).unwrap_or("").to_owned())
                .to_vec()
        })
        .collect();
    table(out, &["what", "where", "why", "how to correct it"], &rows);
}
