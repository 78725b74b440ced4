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
use crate::khartoum::played::Played;
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
