//! Bugles in the Sudan: cases that a player could read, random players, laws, and the
//! sample game that ships.

mod answers;
mod cases;
mod geometry;
mod laws;
mod leaks;
mod measured;
mod players;
mod random;
mod rules;
mod sample;
#[allow(dead_code, reason = "shared with the bench")]
mod trials;

use std::collections::BTreeMap;

use despatch::bugles::game::Bugles;
use despatch::core::id::Id;
use despatch::game::{Game, Library, Seat, Settings, rules_files};

/// How often things happened.
pub type Counts = BTreeMap<String, u32>;

/// The library that ships.
pub fn library() -> Library {
    despatch::assets::embedded().unwrap()
}

/// A scenario of the system with options, cadence and rulings.
pub fn game_of(
    scenario: &str,
    options: &[&str],
    cadence: &str,
    rulings: &[(&str, &str)],
) -> Bugles {
    let settings = Settings {
        scenario: scenario.to_owned(),
        cadence: cadence.to_owned(),
        options: options.iter().map(|o| (*o).to_owned()).collect(),
        rulings: rulings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
    };
    let files = rules_files(&library(), &settings).unwrap_or_else(|faults| {
        let words: Vec<String> = faults.iter().map(|f| f.fault.render(&f.source, false)).collect();
        panic!("{}", words.join("\n"))
    });
    Bugles::load(&files).unwrap()
}

/// The id of every game here.
pub fn game_id() -> Id {
    Id::new("bugles").unwrap()
}

/// One player a side.
pub fn whole_sides(game: &Bugles) -> Vec<Seat> {
    let mut seats: Vec<Seat> = game
        .scenario()
        .sides
        .iter()
        .map(|(side, commands)| Seat {
            player: Id::player(side).unwrap(),
            side: side.clone(),
            commands: commands.clone(),
        })
        .collect();
    seats.sort_by(|a, b| a.player.cmp(&b.player));
    seats
}

/// One player a command.
pub fn several(game: &Bugles) -> Vec<Seat> {
    let mut seats = Vec::new();
    for (side, commands) in &game.scenario().sides {
        for command in commands {
            seats.push(Seat {
                player: Id::player(&format!("{side}-{command}")).unwrap(),
                side: side.clone(),
                commands: vec![command.clone()],
            });
        }
    }
    seats.sort_by(|a, b| a.player.cmp(&b.player));
    seats
}
