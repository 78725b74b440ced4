//! The rules companion: what the referee's machine will do, from the data that it
//! plays by. `docs/last-outpost.md` is this page, and a test keeps it so.

use std::fmt::Write as _;

use serde::Deserialize;

use super::data::{Data, Way};

#[derive(Deserialize)]
struct Index {
    rule: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    number: String,
    title: String,
    standing: String,
}

#[derive(Deserialize)]
struct Results {
    note: String,
    table: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What a player may write: order, keys, window, rule.
const ORDERS: [(&str, &str, &str, &str); 11] = [
    (
        "[[post]]",
        "`figures` or `from` `kind` `count`; `to`; in an assault `if`",
        "setup, day, assault",
        "R21 to R24",
    ),
    ("[[fire]]", "`at` a section or several, `hold` for so many moves; stands", "any", "R17"),
    ("[[gun]]", "`gun`, `min_wave`, `hold`; stands", "any", "R31"),
    (
        "[doctrine] of the garrison",
        "`zones`, `targets`, `support`, `revolver`, `bayonet`, `wound`, `kill`, `returns`; stands",
        "any",
        "R5, R6, R11, R26, R30, R46",
    ),
    ("[day]", "`turn`: sniping or assault (the emir)", "day", "R3"),
    (
        "[sniping]",
        "`stop_on_first_joker`, `max_cards`, `stop_at_markers`, `stop_if_kills`, `after_second_joker`; stands",
        "any",
        "R8",
    ),
    ("[rocks]", "`rifles`: riflemen who stay hidden", "day", "R42"),
    (
        "[[wave]]",
        "`target`, `spears`, `rifles`, `markers`, `round`, `if`, `intents`, `workers`, `raise`, `through`",
        "day, assault, launch",
        "R15, R18, R19",
    ),
    (
        "[[tell]]",
        "`wave`, and `intents`, `workers`, `raise`, `through`",
        "assault, launch, round",
        "R25",
    ),
    ("[[withdraw]]", "`wave`, `if`: while all its men are outside", "assault, launch", "R10"),
    (
        "[doctrine] of the Mahdists",
        "`call_off`: a condition on which all withdraw; stands",
        "any",
        "R10",
    ),
];

/// Every word of an order file, with worked files; a test checks each of these.
pub const ORDERS_BY_WORD: &str = include_str!("companion/orders.md");

/// The windows: id, who sends, what it covers.
const WINDOWS: [(&str, &str, &str); 5] = [
    ("setup", "the garrison", "posting, and what stands"),
    (
        "day",
        "both sides",
        "the garrison's posting; sniping to its end, or the opening waves of an assault, which everybody sees before writing again",
    ),
    (
        "assault (brisk)",
        "both sides",
        "rounds until a zone is entered, a wave breaks or is spent, or as many as the ruling `rounds-a-block` says; waves may name any of them",
    ),
    ("launch (strict)", "the Mahdists", "step 1 of a round: waves are formed and announced"),
    ("round (strict)", "both sides", "steps 2 to 5 of that round"),
];

/// The page; `results` is what play came to, as the calibration wrote it.
pub fn page(games: &[&Data], results: &str) -> String {
    let mut out = String::new();
    let Some(data) = games.first() else { return out };
    out.push_str(
        "# The Last Outpost\n\n\
         Made from the data that the program plays by: `despatch games show last-outpost --page`.\n\
         The rules text has no numbers; ours follow its sentences (`rules.toml`). A referee\n\
         corrects a figure in a folder of his own and plays with `--games DIR`.\n",
    );
    windows(&mut out);
    out.push_str(ORDERS_BY_WORD);
    compound(&mut out, data);
    tables(&mut out, data);
    rules(&mut out, data);
    rulings(&mut out, data);
    measured(&mut out, results);
    out
}

fn windows(out: &mut String) {
    out.push_str("\n## By mail\n\n| window | who sends | what it covers |\n|---|---|---|\n");
    for (id, who, what) in WINDOWS {
        let _ = writeln!(out, "| {id} | {who} | {what} |");
    }
    out.push_str(
        "\nA siege takes a mail for the setup, one a day, and for each assault one for every\n\
         three rounds or turning point: usually three to six. Twelve days with three assaults\n\
         come to some 25 mails a side. Card by card decisions are stop rules (`[sniping]`),\n\
         choices during a round are what stands (`[doctrine]`) and conditions (`if`).\n\n\
         | order | keys | window | rules |\n|---|---|---|---|\n",
    );
    for (order, keys, window, rules) in ORDERS {
        let _ = writeln!(out, "| `{order}` | {keys} | {window} | {rules} |");
    }
    out.push_str(
        "\nHidden from the other side and the public until the close: what stands, where\n\
         defenders are bound, which markers go with which wave, what its men were told, riflemen\n\
         in the rocks before their first shot. Orders, states and events stay sealed until then.\n\
         Every roll is thrown in the open, as at a table: none shows more than what both sides\n\
         see happen. The deck is shuffled for each day after its orders are locked.\n",
    );
}

fn compound(out: &mut String, data: &Data) {
    let c = &data.compound;
    out.push_str("\n## The compound\n\n```\n");
    for line in &c.plan {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("```\n\n| wall | enters | from | places | source |\n|---|---|---|---|---|\n");
    for id in c.wall_ids() {
        let wall = c.wall(id);
        let from = match wall.way {
            Way::Outer => format!("outside, {}", wall.side),
            Way::Barrier(room) => format!("{} over a barrier", c.room(room).id),
            Way::Door(room) => format!("{} through the door", c.room(room).id),
            Way::Ladder(room) => format!("{} by a ladder", c.room(room).id),
        };
        let room = &c.room(wall.room).id;
        let _ =
            writeln!(out, "| {} | {room} | {from} | {} | {} |", wall.id, wall.places, wall.source);
    }
    out.push_str("\n| room | zone | takes | source |\n|---|---|---|---|\n");
    for id in c.room_ids() {
        let room = c.room(id);
        let cap = room.cap.map_or("any number".to_owned(), |n| format!("{n} of a side"));
        let zone = &c.zone(room.zone).name;
        let _ = writeln!(out, "| {} | {zone} | {cap} | {} |", room.id, room.source);
    }
    out.push_str("\nSections that adjoin (R26): ");
    let pairs: Vec<String> =
        c.spill.iter().map(|(a, b)| format!("{} and {}", c.wall(*a).id, c.wall(*b).id)).collect();
    let _ = writeln!(out, "{}.", pairs.join(", "));
    out.push_str("\n| figures | default posts |\n|---|---|\n");
    let mut posts: std::collections::BTreeMap<String, Vec<&str>> =
        std::collections::BTreeMap::new();
    for (id, post) in &data.posts {
        posts.entry(data.post_id(*post).to_owned()).or_default().push(&data.figure(*id).id);
    }
    for (post, ids) in posts {
        let _ = writeln!(out, "| {} | {post} |", crate::core::words::runs(&ids).join(", "));
    }
}

fn tables(out: &mut String, data: &Data) {
    let t = &data.tables;
    out.push_str("\n## Tables\n\nThe printed melee and morale tables are lost: these were fitted by play.\n\n");
    out.push_str("| hand to hand (R36) | two dice, or more |\n|---|---|\n");
    for (who, needed) in [
        ("a defender at one before a barrier, door or ladder", t.melee.garrison_at_barrier),
        ("a defender at one within", t.melee.garrison_inside),
        ("a Mahdist at the holder of one; one less passes (R37)", t.melee.mahdist_at_barrier),
        ("a Mahdist at one in the open or from behind", t.melee.mahdist_inside),
    ] {
        let _ = writeln!(out, "| {who} | {needed} |");
    }
    let _ = writeln!(
        out,
        "\nA defender's wound {:+} (R35), the height of a ladder {:+} (R40). {} attack one holder, {} one man in the open.",
        t.melee.wound, t.melee.height, t.melee.at_holder, t.melee.in_the_open
    );
    let _ = writeln!(
        out,
        "\nMorale (R20): at {} per cent of its strength a wave withdraws on {} or less of two dice, at {} per cent on {} or less.",
        t.morale.first_percent, t.morale.first, t.morale.second_percent, t.morale.second
    );
    out.push_str("\n| fire | hits on |\n|---|---|\n");
    for (who, needed) in [
        ("rifles and revolvers at Mahdists (R27)", t.fire.garrison),
        ("at snipers on the roof or in the rocks (R41, R42)", t.fire.at_snipers),
        ("riflemen in the rocks (R42)", t.fire.rocks),
        ("snipers on the roof at a man in the open (R41)", t.fire.roof_open),
        ("the same at a man in cover (R41)", t.fire.roof_cover),
    ] {
        let _ = writeln!(out, "| {who} | {needed} and more |");
    }
    out.push_str(
        "\nThe roll of a day's deck is a `shuffle12`: its numbers are rows of this table, in the\n\
         order in which the cards lie.\n\n\
         | row | card (R4) | does | markers |\n|---|---|---|---|\n",
    );
    for (row, card) in (1..).zip(&t.deck) {
        let does = match card.does {
            super::data::CardDoes::Wounds => "wounds a defender",
            super::data::CardDoes::Kills => "kills a defender",
            super::data::CardDoes::Nothing => "nothing",
            super::data::CardDoes::Joker => "two force an assault",
        };
        let _ = writeln!(out, "| {row} | {} | {does} | {} |", card.name, card.markers);
    }
}

fn rules(out: &mut String, data: &Data) {
    out.push_str("\n## Rules\n\n| rule | what it is about | stands as |\n|---|---|---|\n");
    let text = data.files.get("rules.toml").map_or("", |text| &**text);
    let rows = toml::from_str::<Index>(text).map_or(Vec::new(), |index| index.rule);
    for row in rows {
        let _ = writeln!(out, "| {} | {} | {} |", row.number, row.title, row.standing);
    }
}

fn rulings(out: &mut String, data: &Data) {
    out.push_str(
        "\n## Rulings\n\n| ruling | rule | choices (the default first) |\n|---|---|---|\n",
    );
    for ruling in &data.rulings.all {
        let mut choices: Vec<(&String, &String)> = ruling.choices.iter().collect();
        choices.sort_by_key(|(name, _)| **name != ruling.default);
        let words: Vec<String> =
            choices.into_iter().map(|(name, text)| format!("`{name}`: {text}")).collect();
        let _ = writeln!(out, "| {} | {} | {} |", ruling.name, ruling.rule, words.join("; "));
    }
}

fn measured(out: &mut String, results: &str) {
    let Ok(results) = toml::from_str::<Results>(results) else { return };
    let _ = writeln!(out, "\n## What play comes to\n\n{}", results.note.trim());
    for table in results.table {
        let _ = writeln!(out, "\n{}\n\n| {} |", table.title, table.head.join(" | "));
        let _ = writeln!(out, "|{}", "---|".repeat(table.head.len()));
        for row in table.rows {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
    }
}
