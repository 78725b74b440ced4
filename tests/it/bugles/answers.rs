//! The reports of the sample that ships answer what a player asks. The answers are taken
//! from the JSON twin of each report, and every one must be in its text.

use std::path::{Path, PathBuf};
use std::process::Command;

use despatch::bugles::data::Data;
use despatch::bugles::events::{Effect, Event, Exchange, Modifier, Score};
use despatch::geometry::plane::Point;
use serde_json::Value;

/// Plays the sample once; the folder of its game.
fn demo(dir: &Path) -> PathBuf {
    let out = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["demo", "bugles", "--dir"])
        .arg(dir.join("demo"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
    dir.join("demo/game")
}

/// A text without its line breaks, so that words can be found that were wrapped.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A twin, with the events that it tells of.
struct Twin<'a> {
    data: &'a Data,
    json: Value,
    events: Vec<Event>,
}

impl<'a> Twin<'a> {
    fn new(data: &'a Data, text: &str) -> Self {
        let json: Value = serde_json::from_str(text).unwrap();
        let lines = json["sections"].as_array().unwrap().iter();
        let lines = lines.flat_map(|s| s["lines"].as_array().unwrap());
        // What is cut short for its reader (a sealed shot, a marker) is read as it stands.
        let events = lines.filter_map(|l| serde_json::from_value(l["event"].clone()).ok());
        let events = events.collect();
        Self { data, json, events }
    }

    fn each<T>(&self, pick: impl Fn(&Event) -> Option<T>) -> Vec<T> {
        self.events.iter().filter_map(pick).collect()
    }

    /// Events as they stand, of a kind.
    fn raw(&self, kind: &str) -> Vec<&Value> {
        let lines = self.json["sections"].as_array().unwrap().iter();
        let lines = lines.flat_map(|s| s["lines"].as_array().unwrap());
        lines.map(|l| &l["event"]).filter(|e| e["event"] == kind).collect()
    }

    fn inches(&self, n: i64) -> String {
        self.data.inches(n)
    }

    fn spot(&self, p: Point) -> String {
        self.data.spot(p)
    }

    /// The strings of a list of the twin.
    fn list(&self, place: &str) -> Vec<String> {
        let list = self.json[place].as_array().into_iter().flatten();
        list.map(|v| v.as_str().unwrap().to_owned()).collect()
    }
}

fn sum(score: &Score) -> String {
    let by: i64 = score.modifiers.iter().map(|m| m.by).sum();
    let by = if by == 0 { String::new() } else { format!("{by:+}") };
    format!("{}+{}{by}={}", score.die, score.value, score.total)
}

fn why(x: &Exchange) -> Vec<String> {
    let of = |list: &[Modifier]| {
        let list = list.iter().map(|m| format!("{:+} {} [{}]", m.by, m.what, m.rule));
        list.collect::<Vec<_>>()
    };
    [of(&x.attacker.modifiers), of(&x.defender.modifiers)].concat()
}

/// Who fired at whom, at what range, with which dice, against what, and what came of it.
fn shots(twin: &Twin<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for x in
        twin.each(|e| if let Event::Shot { exchange } = e { Some(exchange.clone()) } else { None })
    {
        let (range, effect) = (twin.inches(x.range), x.effect.word());
        out.push(format!(
            "{} > {} {range} {} : {} {effect}",
            x.attacker.base,
            x.defender.base,
            sum(&x.attacker),
            sum(&x.defender)
        ));
        out.extend(why(&x));
    }
    for shot in twin.raw("marker-shot") {
        let word = |key: &str| shot[key].as_str().unwrap();
        let range = twin.inches(shot["range"].as_i64().unwrap());
        out.push(format!("{} > {} {range} dice sealed", word("firer"), word("marker")));
    }
    out
}

fn fights(twin: &Twin<'_>) -> Vec<String> {
    let fought = |e: &Event| match e {
        Event::Fought { exchange } => Some(exchange.clone()),
        _ => None,
    };
    let mut out = Vec::new();
    for x in twin.each(fought) {
        let loser = if x.on_defender { &x.defender.base } else { &x.attacker.base };
        let result = match x.effect {
            Effect::Nothing => "no effect".to_owned(),
            effect => format!("{loser} {} [{}]", effect.word(), x.rule),
        };
        out.push(format!(
            "{} > {} {} : {} {result}",
            x.attacker.base,
            x.defender.base,
            sum(&x.attacker),
            sum(&x.defender)
        ));
        out.extend(why(&x));
    }
    out
}

/// Who was driven back or suppressed, and where to. How far is in the same sentence: see
/// [`how_far`].
fn driven(twin: &Twin<'_>) -> Vec<String> {
    let of = |e: &Event| match e {
        Event::Pushed { base, pose, why } => {
            Some([format!("{base} {why}"), format!("inches, to {}", twin.spot(pose.at))])
        }
        Event::Suppressed { base, pose } => {
            Some([format!("{base} "), format!("{}, turned about", twin.spot(pose.at))])
        }
        _ => None,
    };
    twin.each(of).into_iter().flatten().collect()
}

fn destroyed(twin: &Twin<'_>) -> Vec<String> {
    twin.each(|e| match e {
        Event::Destroyed { base, why, rule } => {
            Some(format!("{base} is destroyed: {why} [{rule}]"))
        }
        Event::GeneralLost { general, why, .. } => Some(format!("{general} is OUT: {why}")),
        _ => None,
    })
}

fn revealed(twin: &Twin<'_>) -> Vec<String> {
    twin.each(|e| match e {
        Event::Revealed { marker, why, behind, .. } => Some((
            format!("marker {marker} comes off at ["),
            match &behind[..] {
                [] => format!("({why}): nothing was behind it"),
                list => format!("({why}): {} comes out", list.join(", ")),
            },
        )),
        _ => None,
    })
    .into_iter()
    .flat_map(|(a, b)| [a, b])
    .collect()
}

/// What arrived or appeared, how strong, and where.
fn arrived(twin: &Twin<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for marker in twin.raw("placed") {
        let at: Point = serde_json::from_value(marker["at"].clone()).unwrap();
        let id = marker["marker"].as_str().unwrap();
        out.push(format!("marker {id} is placed at {}", twin.spot(at)));
    }
    for (unit, count, spot) in twin.each(|e| match e {
        Event::Deployed { unit, lay, .. } => {
            Some((unit.clone(), lay.bases.len(), twin.spot(lay.anchor)))
        }
        _ => None,
    }) {
        out.push(format!("{unit} ({count} base"));
        out.push(format!("stands at {spot}"));
    }
    out
}

/// Who went where, how far of how far, and why no further.
fn moves(twin: &Twin<'_>) -> Vec<String> {
    twin.each(|e| match e {
        Event::Moved { unit, lay, way, spent, rate, why, .. } => {
            let way = if way.is_empty() { "stays".to_owned() } else { way.join(", ") };
            let why = if why.is_empty() { String::new() } else { format!("; {why}") };
            Some(format!(
                "{unit}: {way} to {} facing {} ({} of {}){why}",
                twin.spot(lay.anchor),
                lay.facing.degrees(),
                twin.inches(*spent),
                twin.inches(*rate)
            ))
        }
        Event::MarkerMoved { marker, to, spent } => {
            Some(format!("marker {marker} goes {} to {}", twin.inches(*spent), twin.spot(*to)))
        }
        Event::GeneralMoved { general, to, moved, .. } => {
            let verb = if *moved { "goes to" } else { "is at" };
            Some(format!("{general} {verb} {}", twin.spot(*to)))
        }
        _ => None,
    })
}

/// Which orders changed, by whom or by what, and which stand now.
fn commands(twin: &Twin<'_>) -> Vec<String> {
    let mut out = twin.each(|e| match e {
        Event::Allowance { general, total, .. } => {
            Some(format!("{general} may change {total} order(s): average die"))
        }
        Event::Ordered { unit, to, distance, die, needed, obeyed, .. } => {
            let away = format!("{} away", twin.inches(*distance));
            Some(match (*needed, *obeyed) {
                (0, _) => format!("{unit}: {} (at once, {away})", to.word()),
                (n, true) => {
                    format!("{unit}: {} (die {die}, {n} or more obeys, {away})", to.word())
                }
                (n, false) => {
                    format!("{unit}: {} (NOT: die {die}, {n} or more obeys, {away})", to.word())
                }
            })
        }
        Event::Flipped { unit, from, to, why, .. } => {
            Some(format!("{unit}: {} becomes {}, {why}", from.word(), to.word()))
        }
        _ => None,
    });
    out.extend(twin.list("standing"));
    out
}

/// Who sent orders, and what became of them as far as the reader may know.
fn senders(twin: &Twin<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for line in twin.json["orders"].as_array().unwrap() {
        let word = |v: &Value| v.as_str().unwrap().to_owned();
        let n = |key: &str| line[key].as_u64().unwrap();
        out.push(match (line["submission"].as_str().unwrap(), line["known"] == true) {
            ("missing", _) => format!("{} no orders received", word(&line["player"])),
            ("idle", _) => format!("{} not asked", word(&line["player"])),
            (_, false) => format!("{} orders received", word(&line["player"])),
            (_, true) => {
                let (done, failed, refused) = (n("done"), n("failed"), n("refused"));
                let all = done + failed + refused;
                let s = if all == 1 { "" } else { "s" };
                let player = word(&line["player"]);
                format!("{player} {all} order{s}: {done} done, {failed} failed, {refused} refused")
            }
        });
        for x in line["outcomes"].as_array().unwrap() {
            let (outcome, order, reason) = (&x["outcome"], &x["order"], &x["reason"]);
            out.push(format!("{} line {} {}", word(outcome), x["line"], word(order)));
            out.push(word(reason));
        }
    }
    out
}

/// How it stands, who would win, what comes next, and what happens if nothing is sent.
fn to_come(twin: &Twin<'_>) -> Vec<String> {
    let mut out = twin.list("lost");
    for (at, key) in [("over", "result"), ("over", "why"), ("next", "heading"), ("next", "default")]
    {
        out.extend(twin.json[at][key].as_str().map(str::to_owned));
    }
    for player in twin.json["next"]["asks"].as_array().into_iter().flatten() {
        out.push(player.as_str().unwrap().to_owned());
    }
    out
}

type Answers = fn(&Twin<'_>) -> Vec<String>;

/// Ten questions of a player: where the JSON twin has the answer, the text must too.
const QUESTIONS: [(&str, Answers); 10] = [
    ("who sent orders, who did not, and what became of them?", senders),
    ("which orders changed, why, and which stand now?", commands),
    ("who went where, how far, and what stopped him?", moves),
    ("which markers were looked through, where, and what was behind?", revealed),
    ("what arrived or appeared, how strong, and where?", arrived),
    ("who fired at whom, at what range, with which dice and result?", shots),
    ("who fought whom, with which dice, modifiers and result?", fights),
    ("who was driven back or suppressed, and where to?", driven),
    ("who was destroyed, and by what?", destroyed),
    ("how does it stand, what comes next, and what if I send nothing?", to_come),
];

/// Every recoil tells how far: by its own depth, or as far as a push goes.
fn how_far(text: &str, twin: &Twin<'_>) {
    for (base, why) in twin.each(|e| match e {
        Event::Pushed { base, why, .. } => Some((base.clone(), why.clone())),
        _ => None,
    }) {
        let head = format!("{base} {why}: ");
        let at = text.find(&head).unwrap() + head.len();
        let way = text[at..].split(' ').next().unwrap();
        assert!(way.parse::<f64>().is_ok_and(|n| n > 0.0), "{head}{way}");
    }
}

#[test]
fn the_sample_game_answers_what_a_player_asks() {
    let dir = tempfile::tempdir().unwrap();
    let game = demo(dir.path());
    let rules = super::game_of("el-teb", &[], "single", &[]);
    let mut answered = [0; QUESTIONS.len()];
    let (mut refused, mut missed, mut replaced) = (0, 0, 0);
    for phase in 1.. {
        let folder = game.join(format!("phase-{phase:03}"));
        if !folder.join("report").exists() {
            break;
        }
        for viewer in ["referee", "public", "anglo-egyptian", "mahdist"] {
            let read = |kind: &str| {
                std::fs::read_to_string(folder.join(format!("report/{viewer}.{kind}"))).unwrap()
            };
            let text = flat(&read("txt"));
            let twin = Twin::new(rules.data(), &read("json"));
            for (at, (question, answers)) in QUESTIONS.iter().enumerate() {
                for answer in answers(&twin).iter().filter(|a| !a.is_empty()) {
                    assert!(
                        text.contains(&flat(answer)),
                        "phase {phase}, {viewer}: {question} `{answer}` is not in the text"
                    );
                    answered[at] += 1;
                }
            }
            how_far(&text, &twin);
            // Everybody is told who sent orders; what they were only their own side.
            let senders = twin.json["orders"].as_array().unwrap();
            assert_eq!(senders.len(), 2, "phase {phase}, {viewer}: both armies are named");
            for line in senders {
                let own = viewer == "referee" || line["player"] == viewer;
                assert_eq!(line["known"] == true, own, "phase {phase}, {viewer}");
                assert_eq!(line.get("done").is_some(), own, "phase {phase}, {viewer}");
            }
        }
        // The referee's twin tells everything that happened.
        let log = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
        let twin = std::fs::read_to_string(folder.join("report/referee.json")).unwrap();
        let told = Twin::new(rules.data(), &twin).events;
        for line in log.lines() {
            // The first line is the salt.
            let Ok(event) = serde_json::from_str::<Event>(line) else { continue };
            let shown = matches!(
                event,
                Event::Shot { .. }
                    | Event::Fought { .. }
                    | Event::Pushed { .. }
                    | Event::Suppressed { .. }
                    | Event::Destroyed { .. }
                    | Event::Revealed { .. }
                    | Event::Moved { .. }
                    | Event::Flipped { .. }
                    | Event::Ordered { .. }
            );
            assert!(!shown || told.contains(&event), "phase {phase}: nobody is told of {line}");
        }
        let all = std::fs::read_to_string(folder.join("report/referee.txt")).unwrap();
        refused += flat(&all).matches("refused line").count();
        missed += all.matches("no orders received").count();
        let superseded = folder.join("superseded");
        if superseded.exists() && std::fs::read_dir(superseded).unwrap().next().is_some() {
            replaced += 1;
        }
        for line in all.lines() {
            assert!(line.chars().count() <= 72, "phase {phase}: {line}");
        }
    }
    for ((question, _), n) in QUESTIONS.iter().zip(answered) {
        assert!(n > 0, "nothing in the sample answers: {question}");
    }
    assert!(refused > 0 && missed > 0 && replaced > 0, "{refused} {missed} {replaced}");
}
