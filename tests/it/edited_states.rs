//! States as a referee may edit them for `amend state`: whatever a rule system takes as a
//! position it can also show, ask orders for and resolve.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::salt::split_state;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{self, FormHeader, Game, GameError, PhaseInput, Submission};
use toml::Value;

use crate::khartoum::library;
use crate::khartoum::played::{Played, refused};
use crate::siege::random::Choices;

/// A place in a document.
type Way = Vec<Step>;

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Item(usize),
}

/// Every number, text and truth of a document with the way to it.
fn leaves(value: &Value, way: &mut Way, out: &mut Vec<(Way, Value)>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                way.push(Step::Key(key.clone()));
                leaves(value, way, out);
                way.pop();
            }
        }
        Value::Array(items) => {
            for (n, value) in items.iter().enumerate() {
                way.push(Step::Item(n));
                leaves(value, way, out);
                way.pop();
            }
        }
        leaf => out.push((way.clone(), leaf.clone())),
    }
}

/// Puts a leaf there; without one, takes a key away or adds an item twice.
fn put(value: &mut Value, way: &[Step], leaf: Option<Value>) {
    let (first, rest) = way.split_first().unwrap();
    if rest.is_empty() {
        match (value, first, leaf) {
            (Value::Table(table), Step::Key(key), Some(leaf)) => {
                table.insert(key.clone(), leaf);
            }
            (Value::Table(table), Step::Key(key), None) => {
                table.remove(key);
            }
            (Value::Array(items), Step::Item(n), Some(leaf)) => items[*n] = leaf,
            (Value::Array(items), Step::Item(n), None) => {
                let twice = items[*n].clone();
                items.push(twice);
            }
            _ => unreachable!("the way is of this document"),
        }
        return;
    }
    let next = match (value, first) {
        (Value::Table(table), Step::Key(key)) => &mut table[key],
        (Value::Array(items), Step::Item(n)) => &mut items[*n],
        _ => unreachable!("the way is of this document"),
    };
    put(next, rest, leaf);
}

/// One leaf is replaced: by another of the document, by a number at the edge, or by
/// nothing; which, and by what.
fn edit(document: &mut Value, choices: &mut Choices) -> (Way, Option<Value>) {
    let mut all = Vec::new();
    leaves(document, &mut Vec::new(), &mut all);
    let (way, old) = choices.of(&all).clone();
    let alike: Vec<&Value> = all.iter().map(|(_, v)| v).filter(|v| v.same_type(&old)).collect();
    let new = match (choices.below(8), &old) {
        (0, _) => None,
        (1, Value::Integer(_)) => Some(Value::Integer(*choices.of(&[0, -1, 1, 99, i64::MAX]))),
        (2, Value::Integer(n)) => Some(Value::Integer(n.wrapping_add(*choices.of(&[-1, 1])))),
        (_, Value::Boolean(b)) => Some(Value::Boolean(!b)),
        _ => Some((*choices.of(&alike)).clone()),
    };
    put(document, &way, new.clone());
    (way, new)
}

/// The files that the players sent, or forms sent back unchanged.
fn orders(
    game: &dyn Game,
    state: &str,
    sent: &BTreeMap<Id, String>,
) -> Result<BTreeMap<Id, Submission>, GameError> {
    let outlook = game.outlook(state)?;
    let mut all = BTreeMap::new();
    for seat in game.seats(state)? {
        let player = seat.player;
        let view = game.view(state, &Viewer::Player(player.clone()))?;
        game.map(&view)?;
        if !outlook.asks.contains(&player) {
            all.insert(player, Submission::Idle);
            continue;
        }
        let header = FormHeader {
            game: Id::new("edited-1").unwrap(),
            phase: 3,
            player: player.clone(),
            head: "0".repeat(64),
            ticket: "0".repeat(64),
        };
        let form = game.form(&view, &header)?;
        let name = format!("{player}.toml");
        let checked = game.check(&view, &player, &Source::new(&name, &form))?;
        assert!(checked.faults.is_empty(), "{:?}\n{form}", checked.faults);
        let source = Source::new(&name, sent.get(&player).unwrap_or(&form));
        game.check(&view, &player, &source)?;
        all.insert(player, Submission::File(source));
    }
    Ok(all)
}

/// A phase of this position; that it is shown, and what it comes to.
fn played(game: &dyn Game, state: &str, sent: &BTreeMap<Id, String>) -> Result<(), GameError> {
    let outlook = game.outlook(state)?;
    for viewer in [Viewer::Referee, Viewer::Public] {
        game.map_for(state, &viewer)?;
    }
    if outlook.window.is_none() {
        return Ok(());
    }
    let id = Id::new("edited-1").unwrap();
    let hex = |digit: &str| digit.repeat(64).parse().unwrap();
    let mut dice = Roller::sealing(&id, 3, &hex("7"), &hex("8"));
    let input = PhaseInput {
        game: id,
        phase: 3,
        prev: "0".repeat(64),
        state: state.to_owned(),
        orders: orders(game, state, sent)?,
        rehearsal: false,
    };
    let done = game.adjudicate(&input, &mut dice)?;
    game.outlook(&done.state)?;
    game.difference(state, &done.state)?;
    Ok(())
}

/// Every position of a sample, edited so often; how many edits were taken and refused.
fn edits(sample: &str, rounds: usize) -> (u32, u32) {
    let demo = Played::sample(sample);
    let mut choices = Choices::new(1);
    let (mut taken, mut refused) = (0, 0);
    for phase in 1.. {
        let path = format!("phase-{phase:03}/state-after.toml");
        if !demo.there(&path) {
            break;
        }
        let state = demo.read(&path);
        let state = split_state(&state).1;
        let settings = game::settings_of(state).unwrap();
        let game = game::load(&game::rules_files(&library(), &settings).unwrap()).unwrap();
        let mut sent = BTreeMap::new();
        for seat in game.seats(state).unwrap() {
            let path = format!("phase-{:03}/orders/{}.toml", phase + 1, seat.player);
            if demo.there(&path) {
                sent.insert(seat.player, demo.read(&path));
            }
        }
        for _ in 0..rounds {
            let mut document: Value = toml::from_str::<toml::Table>(state).unwrap().into();
            let mut done = Vec::new();
            for _ in 0..=choices.below(3) {
                done.push(edit(&mut document, &mut choices));
            }
            let text = toml::to_string(&document).unwrap();
            if game.outlook(&text).is_err() {
                refused += 1;
                continue;
            }
            taken += 1;
            let none = BTreeMap::new();
            let sent = if choices.once_in(4) { &none } else { &sent };
            let come = catch_unwind(AssertUnwindSafe(|| played(&*game, &text, sent)));
            assert!(
                matches!(come, Ok(Ok(()))),
                "{sample}, after phase {phase}: {done:#?}: {:?}",
                come.map_err(|_| "panic")
            );
        }
    }
    (taken, refused)
}

/// `EDITS=20 cargo test --test it -- edited_states` tries so many more.
#[test]
fn whatever_is_taken_as_a_position_can_be_played() {
    let rounds = std::env::var("EDITS").map_or(2, |times| times.parse().unwrap());
    for sample in ["khartoum", "omdurman-historical", "last-outpost", "bugles"] {
        let (taken, refused) = edits(sample, rounds);
        println!("{sample}: {taken} edited states played, {refused} refused");
        assert!(taken > 5 && refused > 5, "edits of both kinds: {taken}, {refused}");
    }
}

/// The state after a phase of a sample, with some texts of it replaced, before and after.
fn edited(sample: &str, phase: u32, edits: &[(&str, &str)]) -> (Box<dyn Game>, [String; 2]) {
    let demo = Played::sample(sample);
    let state = demo.read(&format!("phase-{phase:03}/state-after.toml"));
    let state = split_state(&state).1.to_owned();
    let settings = game::settings_of(&state).unwrap();
    let game = game::load(&game::rules_files(&library(), &settings).unwrap()).unwrap();
    let mut after = state.clone();
    for (from, to) in edits {
        assert!(after.contains(from), "{from}: {after}");
        after = after.replacen(from, to, 1);
    }
    (game, [state, after])
}

/// What is told of such a state.
fn told(sample: &str, phase: u32, edits: &[(&str, &str)]) -> Vec<String> {
    let (game, [before, after]) = edited(sample, phase, edits);
    assert_eq!(game.irregular(&before).unwrap(), [""; 0]);
    game.irregular(&after).unwrap()
}

#[test]
fn a_name_that_no_label_of_a_die_could_hold_is_refused() {
    let edits = [("id = \"black-watch\"", "id = \"ATTACK\"")];
    let (game, [before, after]) = edited("bugles", 4, &edits);
    game.outlook(&before).unwrap();
    let fault = game.outlook(&after).unwrap_err().to_string();
    assert!(fault.contains("`ATTACK` is no name"), "{fault}");
}

#[test]
fn units_where_no_unit_may_be_are_told() {
    let told = told(
        "khartoum",
        3,
        &[
            ("hadendowa-01 = \"1711\"", "hadendowa-01 = \"0512\""),
            ("xii-sud = \"1107\"", "xii-sud = \"0512\""),
            ("gunboat-1 = \"0212\"", "gunboat-1 = \"1107\""),
            ("mulazmin-13 = \"waiting\"", "mulazmin-13 = \"0212\""),
            ("iii-egy = \"1007\"", "iii-egy = \"1112\""),
            ("iv-egy = \"1013\"", "iv-egy = \"1112\""),
            ("fort-north = \"1804\"", "fort-north = \"1804 disrupted dervish\""),
        ],
    );
    assert_eq!(
        told,
        [
            "hadendowa-01 stands in 0512 [5.1.2]",
            "5 units would end the phase in 1112 (four may) [5.5.1.A]",
            "`mulazmin-03` (mulazmin) may not end in 0512 with hadendowa-01 of another tribe \
             [5.5.2]",
            "`mulazmin-04` (mulazmin) may not end in 0512 with hadendowa-01 of another tribe \
             [5.5.2]",
            "`gunboat-1` is a gunboat and 1107 is no Nile hex [5.2.2.B]",
            "`mulazmin-13` is a land unit and may not enter the Nile hex 0212 [5.2.2.A]",
            "`fort-north` cannot be disrupted [7.8.A]",
        ]
    );
}

#[test]
fn a_compound_that_holds_too_many_is_told() {
    let told = told(
        "last-outpost",
        6,
        &[
            ("soldier-09 = \"wall LZ-N", "soldier-09 = \"wall HB-S"),
            ("soldier-10 = \"wall LZ-N", "soldier-10 = \"in RD-upper"),
            ("soldier-11 = \"wall LZ-N", "soldier-11 = \"in RD-upper"),
            ("soldier-12 = \"wall LZ-N\"", "soldier-12 = \"fallen, wounded\""),
        ],
    );
    assert_eq!(
        told,
        [
            "6 stand at HB-S, which has 5 places [R21]",
            "7 stand at RD-upper, which has 6 places [R24]",
            "soldier-12 was wounded before: he is dead [R9]",
        ]
    );
}

#[test]
fn a_base_that_lies_on_another_is_told() {
    let told = told(
        "bugles",
        4,
        &[
            (
                "order = \"ATTACK\"\nformation = \"battle\"",
                "order = \"ATTACK\"\nformation = \"column\"",
            ),
            ("at = [3320, 1700]", "at = [3200, 1700]"),
            ("at = [3480, 1700]", "at = [3480, 5]"),
        ],
    );
    assert_eq!(
        told,
        [
            "black-watch-2 lies on black-watch-1 [R3]",
            "black-watch-3 is off the table or in an obstacle [R3]",
            "black-watch is in column and cannot ATTACK [R16]",
        ]
    );
}

#[test]
fn what_an_amendment_would_bring_to_a_stop_is_refused() {
    let demo = Played::sample("bugles");
    let open = demo.open_after(5);
    let amend = |file: &str, words: &[&str]| {
        let path = open.path().join(file);
        let path = path.to_str().unwrap().to_owned();
        let line = [&["amend"], words, &["--note", "x"]].concat();
        let line: Vec<String> = line.iter().map(|word| word.replace("FILE", &path)).collect();
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        refused(open.path(), &words)
    };
    let state = demo.read("phase-005/state-after.toml");
    for window in ["deploy", "muster"] {
        let edited = state.replace("window = \"turn\"", &format!("window = \"{window}\""));
        assert_ne!(edited, state);
        std::fs::write(open.path().join("s.toml"), edited).unwrap();
        let said = amend("s.toml", &["state", "FILE"]);
        assert!(said.contains("could not be played"), "{said}");
    }
    for (name, text, told) in [
        ("report.txt.j2", "{{ 1/0 }}", "1 / 0"),
        ("form.toml.j2", "{% for", "form.toml.j2"),
        ("form.toml.j2", "", "a form has no header"),
    ] {
        std::fs::write(open.path().join("t.j2"), text).unwrap();
        let said = amend("t.j2", &["ruling", "--file", &format!("templates/{name}=FILE")]);
        assert!(said.contains("could not be played") && said.contains(told), "{said}");
    }
}
