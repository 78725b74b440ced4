//! The sample siege that ships: its reports answer what a player asks, and whole
//! sieges by policy come to an end of every kind.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::played;
use super::policy::{Commandant, Emir, commandant, emir};
use despatch::last_outpost::data::Side;

/// Plays the sample once; the folder of its game.
fn demo(dir: &Path) -> std::path::PathBuf {
    let out = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["demo", "last-outpost", "--dir"])
        .arg(dir.join("demo"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("ALL CHECKS PASSED"), "{said}");
    dir.join("demo/game")
}

/// A text without its line breaks, so that words can be found that were wrapped.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every text that stands somewhere in a JSON value.
fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(s) => out.push(s.clone()),
        Value::Array(list) => list.iter().for_each(|v| texts(v, out)),
        Value::Object(map) => map.values().for_each(|v| texts(v, out)),
        _ => {}
    }
}

/// Ten questions of a player: where the JSON twin has the answer, the text must too.
const QUESTIONS: [(&str, &str); 10] = [
    ("what kind of day was it, and why?", "/day/kind"),
    ("which cards were flipped, and what did they bring?", "/day/cards"),
    ("which waves were formed, against what?", "/waves_formed"),
    ("what happened, round by round and zone by zone?", "/rounds"),
    ("whom did we lose, where, and to what?", "/lost/garrison"),
    ("how many Mahdists fell, and to what?", "/lost/mahdists_by_cause"),
    ("who stands where?", "/places"),
    ("how did the assault end, who comes back?", "/after"),
    ("how do tower, guns and hospital stand, and who would win?", "/siege/guns"),
    ("what comes next, and what if I send nothing?", "/next/default"),
];

#[test]
fn the_sample_siege_answers_what_a_player_asks() {
    let dir = tempfile::tempdir().unwrap();
    let game = demo(dir.path());
    let mut answered = [0; QUESTIONS.len()];
    let (mut refused, mut missed, mut replaced) = (0, 0, 0);
    for phase in 1.. {
        let folder = game.join(format!("phase-{phase:03}"));
        if !folder.join("report").exists() {
            break;
        }
        for viewer in ["referee", "public", "garrison", "mahdist"] {
            let read = |kind: &str| {
                std::fs::read_to_string(folder.join(format!("report/{viewer}.{kind}"))).unwrap()
            };
            let text = flat(&read("txt"));
            let twin: Value = serde_json::from_str(&read("json")).unwrap();
            for (at, (question, place)) in QUESTIONS.iter().enumerate() {
                let mut wanted = Vec::new();
                if let Some(value) = twin.pointer(place) {
                    texts(value, &mut wanted);
                }
                for answer in wanted.iter().filter(|a| !a.is_empty()) {
                    assert!(
                        text.contains(&flat(answer)),
                        "phase {phase}, {viewer}: {question} `{answer}` is not in the text"
                    );
                    answered[at] += 1;
                }
            }
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

#[test]
fn sieges_by_policy_end_in_every_way() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let mut results = std::collections::BTreeMap::new();
    let (mut objectives, mut wiped) = (0, 0);
    for number in 0..40 {
        let plan = match number % 4 {
            0 => Emir::prepared(),
            3 => Emir::premature(),
            _ => Emir::raider(),
        };
        let holds = if number % 8 == 0 { Commandant::passive() } else { Commandant::active() };
        let end = played::siege(
            data,
            &format!("policy/{number}"),
            &mut |view, player| {
                Some(match view.side(player).unwrap() {
                    Side::Mahdist => emir(data, view, &plan),
                    Side::Garrison => commandant(data, view, &holds),
                })
            },
            &mut |_, _, _| {},
        );
        objectives += u32::from(end.tower_down(data) || end.guns_disabled(data) || end.massacred);
        wiped += u32::from(end.garrison(data).next().is_none());
        *results.entry(end.result.unwrap()).or_insert(0) += 1;
    }
    assert!(results.len() >= 3, "{results:?}");
    assert!(objectives > 5 && wiped > 3, "{results:?}, {objectives} objectives, {wiped} wiped out");
}
