//! The rules companion: what the referee's machine will do, from the data that it
//! plays by. `docs/bugles.md` is this page, and a test keeps it so.

use std::fmt::Write as _;

use super::data::Data;

/// The page, from every scenario of the system; `results` is what fights and games came
/// to, as the bench wrote it.
pub fn page(games: &[&Data], results: &str) -> String {
    let mut out = String::new();
    let Some(first) = games.first() else { return out };
    out.push_str(
        "# Bugles in the Sudan\n\n\
         Made from the data that the program plays by: `despatch games show ID --page`.\n\
         The rules text has no numbers; R1 to R31 are ours (`games/bugles/rules.toml`). A\n\
         referee corrects a figure in a folder of his own and plays with `--games DIR`.\n\n\
         ![El Teb as it is set up](bugles.svg)\n",
    );
    out.push_str(&rules(first));
    out.push_str(ORDERS);
    out.push_str(ORDERS_BY_WORD);
    out.push_str(&measure(first));
    out.push_str(&troops(first));
    out.push_str(&values(first));
    out.push_str(&terrain(first));
    for data in games {
        out.push_str(&scenario(data));
    }
    out.push_str(&measured(results));
    out.push_str(&rulings(first));
    out
}

/// The windows, and what one may write in each.
const ORDERS: &str = "\n## Windows and orders\n\n\
| window | who sends | steps of R7 |\n|---|---|---|\n\
| muster | nobody | what emirs bring (R2), under seal |\n\
| deploy | both | setting up, first orders, false markers |\n\
| orders | both (brisk); generals only (strict) | 1 and 2; strict: 1 |\n\
| mahdist (strict) | Mahdists | 2 |\n\
| action | Anglo-Egyptians | 3 to 6 |\n\
| turn (single) | both | 1 to 6 |\n\n\
| order | keys | rules |\n|---|---|---|\n\
| `[[deploy]]` | `unit`, `at`, `facing`, `formation`, `order` | R8, R15 |\n\
| `[[false]]` | `at` | R21 |\n\
| `[[general]]` | `general`, `to` or `attach` | R17, R25 |\n\
| `[[change]]` | `unit` or `units`, `to`, `withdraw`, `if`; most wanted first | R8, R13, R14 |\n\
| `[[move]]` | `unit`, `units` or `marker`, `do`, `act`, `if` | R9 to R12, R15 to R19 |\n\
| `[[fire]]` | `unit` or `units`, `at`, `per_target`, `markers`, `hold`; stands until changed | R23 |\n\
| `[[reveal]]` | `marker` | R20 |\n\n\
Steps of `do`: `advance 3.0`, `advance`, `retire 1.5`, `wheel left 45`, `wheel right 45`,\n\
`about face`, `move to [x, y]`, `charge UNIT`, `charge nearest`, `form battle`,\n\
`form column`, `mount`, `dismount`, `stand`. Targets of `at`: `in-contact`, `nearest`,\n\
`cavalry`, `infantry`, `rifles`, `guns`, `markers`, or an id. Cadence `brisk` asks for two\n\
files a turn, `strict` for three, `single` for one.\n";

/// Every word of an order file with worked files, which a test checks; what orders and
/// formations allow; how reports are read; how one plays alone.
pub const ORDERS_BY_WORD: &str = include_str!("companion/orders.md");

fn rules(data: &Data) -> String {
    #[derive(serde::Deserialize)]
    struct File {
        rule: Vec<Row>,
    }
    #[derive(serde::Deserialize)]
    struct Row {
        number: String,
        title: String,
        standing: String,
    }
    let mut out = "\n## Rules\n\n| | | standing |\n|---|---|---|\n".to_owned();
    let text = data.files.get("rules.toml").map_or("", |text| &**text);
    if let Ok(file) = toml::from_str::<File>(text) {
        for row in file.rule {
            let _ = writeln!(out, "| {} | {} | {} |", row.number, row.title, row.standing);
        }
    }
    out
}

fn measure(data: &Data) -> String {
    format!(
        "\n## The measure of the table\n\n\
         Places are whole numbers of 1/{} inch, facings whole degrees clockwise from north\n\
         (the top edge); a table of 91 sines in `geometry.toml` is all that turns. A move goes\n\
         by tenths of an inch. Edges touch within {} inch; bases overlap that cut into each\n\
         other by more than {} inch. A base is measured from its edges; fire from the middle\n\
         of its front.\n",
        data.inch,
        data.inches(data.touch),
        data.inches(data.slack)
    )
}

fn troops(data: &Data) -> String {
    let mut out = "\n## Troops (R3, R17)\n\n\
        | troops | figures | base, inches | line | column | march |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for troop in data.troops.values() {
        let _ = writeln!(
            out,
            "| {} | {} | {} x {} | {} | {} | {} |",
            troop.name,
            troop.figures,
            data.inches(troop.size.front),
            data.inches(troop.size.depth),
            data.inches(troop.line),
            data.inches(troop.column),
            troop.march.map_or("-".to_owned(), |m| data.inches(m))
        );
    }
    out
}

fn values(data: &Data) -> String {
    let mut out = "\n## Values (R24) and modifiers (R25)\n\n| row | combat |".to_owned();
    let mut from = 0;
    for far in data.bands {
        let _ = write!(out, " {}-{} |", data.inches(from), data.inches(far));
        from = far;
    }
    out.push_str("\n|---|---|---|---|---|---|\n");
    for (name, row) in &data.values {
        let fire: Vec<String> =
            row.fire.iter().map(|v| if *v == 0 { "-".to_owned() } else { v.to_string() }).collect();
        let _ = writeln!(out, "| {name} | {} | {} |", row.combat, fire.join(" | "));
    }
    let m = &data.modifiers;
    let _ = writeln!(
        out,
        "\nModifiers: regulars in bad going {:+}; second rank in combat {:+}; each overlap {:+};\n\
         defending {:+} (combat); target in cover {:+} (fire); MacDonald with Sudanese {:+}.\n\n\
         The average die (the rules' D5) has the faces {}.",
        m.bad_going,
        m.second_rank,
        m.overlap,
        m.defending,
        m.cover,
        m.macdonald,
        data.average.map(|n| n.to_string()).join(", ")
    );
    out
}

fn terrain(data: &Data) -> String {
    let mut out = "\n## Terrain\n\n| class | on plans | what it does |\n|---|---|---|\n".to_owned();
    for c in &data.classes {
        let mut does = Vec::new();
        for (holds, what) in [
            (c.bad_going, "regulars fight badly; guns and horses at half rate"),
            (c.cover, "fire at troops in it is hampered"),
            (c.hides, "markers in it are seen through at 8 inches"),
            (c.blocks_sight, "nobody sees through it"),
            (c.impassable, "nobody enters: a major obstacle"),
            (c.defended, "troops in it defend it"),
            (c.fence, "a thorn fence: stops recoil, guns and horses; foot climbs it for 2 inches"),
        ] {
            if holds {
                does.push(what);
            }
        }
        let _ = writeln!(out, "| {} | `{}` | {} |", c.name, c.mark, does.join("; "));
    }
    out
}

fn scenario(data: &Data) -> String {
    let s = &data.scenario;
    let mut out = format!(
        "\n## {} (`{}`)\n\n{}\n\nTable {} by {} inches; {} turns of a quarter of an hour. Source: {}.\n\n",
        s.info.title,
        s.info.id,
        s.info.summary,
        data.inches(s.table.x),
        data.inches(s.table.y),
        s.turns,
        s.source
    );
    for army in &s.armies {
        let machine = if army.machine { " (played by the machine)" } else { "" };
        let _ = writeln!(out, "- {}{machine}: {}", army.army.name(), army.task);
    }
    out.push_str("\n| command | unit | troops | bases | rifles |\n|---|---|---|---|---|\n");
    for unit in &s.units {
        let _ = writeln!(
            out,
            "| {} | {} ({}) | {} | {} | {} |",
            unit.general,
            unit.id,
            unit.name,
            data.troop(unit.troop).name,
            unit.bases,
            unit.rifles
        );
    }
    for emir in &s.emirs {
        let _ = writeln!(
            out,
            "| {} | by dice (R2) | | {} units of up to {} | |",
            emir.general, emir.units, emir.bases
        );
    }
    if let Some(a) = &s.arrivals {
        let _ = writeln!(
            out,
            "\nRandom arrivals (R6): one marker a turn to turn {}, at the {} edge; up to {} units of up to {} bases{}.",
            a.last,
            a.edges.join(", "),
            a.units,
            a.bases,
            if a.blind { "; which are real nobody knows" } else { "" }
        );
    }
    let v = &s.victory;
    out.push_str("\nVictory (R5):");
    if let Some(o) = &v.objective {
        let _ = write!(
            out,
            " {} wins with {} sound bases at {} ({} to {});",
            o.zone.army.name(),
            o.bases,
            o.name,
            data.spot(o.zone.from),
            data.spot(o.zone.to)
        );
    }
    for (army, percent) in &v.breaks {
        let _ = write!(out, " the {} army breaks at {percent} per cent;", army.name());
    }
    let end = v.at_end.map_or("a draw".to_owned(), |a| format!("{} victory", a.name()));
    let _ = writeln!(out, " after the last turn: {end}.");
    if !s.facts.is_empty() {
        out.push_str("\nFacts and where they come from:\n\n");
        for (what, source) in &s.facts {
            let _ = writeln!(out, "- {what}: {source}");
        }
    }
    out
}

/// The measured table, which a test prints and this file keeps.
/// What fights and games come to, as the bench wrote it.
fn measured(results: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Results {
        note: String,
        findings: Vec<String>,
        table: Vec<Table>,
    }
    #[derive(serde::Deserialize)]
    struct Table {
        title: String,
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    }
    let Ok(results) = toml::from_str::<Results>(results) else { return String::new() };
    let mut out = format!("\n## Measured\n\n{}\n", results.note.trim());
    for table in results.table {
        let _ = writeln!(out, "\n{}\n\n| {} |", table.title, table.head.join(" | "));
        let _ = writeln!(out, "|{}", "---|".repeat(table.head.len()));
        for row in table.rows {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
    }
    out.push('\n');
    for finding in &results.findings {
        let _ = writeln!(out, "- {finding}");
    }
    out
}

fn rulings(data: &Data) -> String {
    let mut out =
        "\n## Rulings\n\nThe default stands first; `new --ruling NAME=CHOICE` chooses another.\n\n\
                   | ruling | rule | choices |\n|---|---|---|\n"
            .to_owned();
    for ruling in &data.rulings.all {
        let mut choices: Vec<(&String, &String)> = ruling.choices.iter().collect();
        choices.sort_by_key(|(name, _)| (**name != ruling.default, (*name).clone()));
        let words: Vec<String> =
            choices.iter().map(|(name, text)| format!("**{name}**: {text}")).collect();
        let _ = writeln!(out, "| {} | {} | {} |", ruling.name, ruling.rule, words.join("; "));
    }
    out
}
