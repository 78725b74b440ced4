//! The Fall of Khartoum: cases that a player could read, random players, laws, and
//! the sample game that ships.

pub mod played;
pub mod players;

mod answers;
mod campaign;
mod cases;
mod check;
mod continues;
mod demo;
mod generals;
mod historical;
mod laws;
mod leaks;
mod mail;
mod odds;
mod policy;
mod properties;
mod random;
mod rules;
mod sample;
mod secrets;
mod start;
mod starts;
mod strace;

use std::collections::BTreeMap;

use despatch::core::id::Id;
use despatch::game::{Library, RulesFiles, Seat, Settings, rules_files};
use despatch::omdurman::game::Omdurman;

/// The library that ships.
pub fn library() -> Library {
    despatch::assets::embedded().unwrap()
}

/// The rules files of the scenario with some rulings and a cadence.
pub fn files(cadence: &str, rulings: &[(&str, &str)]) -> RulesFiles {
    files_of("khartoum", &[], cadence, rulings)
}

/// The rules files of any scenario of the system.
pub fn files_of(
    scenario: &str,
    options: &[String],
    cadence: &str,
    rulings: &[(&str, &str)],
) -> RulesFiles {
    let settings = Settings {
        scenario: scenario.to_owned(),
        cadence: cadence.to_owned(),
        options: options.to_vec(),
        rulings: rulings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
    };
    rules_files(&library(), &settings).unwrap_or_else(|faults| {
        let text: Vec<String> = faults.iter().map(|f| f.fault.render(&f.source, false)).collect();
        panic!("{}", text.join("\n"))
    })
}

/// The game as it ships.
pub fn game(cadence: &str, rulings: &[(&str, &str)]) -> Omdurman {
    Omdurman::load(&files(cadence, rulings)).unwrap()
}

/// Any scenario of the system.
pub fn game_of(
    scenario: &str,
    options: &[String],
    cadence: &str,
    rulings: &[(&str, &str)],
) -> Omdurman {
    Omdurman::load(&files_of(scenario, options, cadence, rulings)).unwrap()
}

/// One player a side, holding all its commands, in any scenario.
pub fn whole_sides(game: &Omdurman) -> Vec<Seat> {
    let side = |(id, commands): &(String, Vec<String>)| Seat {
        player: Id::player(id).unwrap(),
        side: id.clone(),
        commands: commands.clone(),
    };
    let mut seats: Vec<Seat> =
        despatch::game::Game::scenario(game).sides.iter().map(side).collect();
    seats.sort_by(|a, b| a.player.cmp(&b.player));
    seats
}

/// One player a side.
pub fn two_seats() -> Vec<Seat> {
    seats(&[
        ("british", "british", &["garrison", "flotilla"]),
        ("dervish", "dervish", &["mulazmin", "west-bank", "guns"]),
    ])
}

/// Seats from player, side and commands.
pub fn seats(list: &[(&str, &str, &[&str])]) -> Vec<Seat> {
    list.iter()
        .map(|(player, side, commands)| Seat {
            player: Id::player(player).unwrap(),
            side: (*side).to_owned(),
            commands: commands.iter().map(|c| (*c).to_owned()).collect(),
        })
        .collect()
}

/// A test game's id.
pub fn game_id() -> Id {
    Id::new("khartoum-test").unwrap()
}

/// Counts by key.
pub type Counts = BTreeMap<String, u64>;
