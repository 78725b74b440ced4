//! The Last Outpost: cases that a player could read, random players, laws, policies,
//! and the sample siege that ships.

pub mod played;
pub mod policy;

mod cases;
mod checks;
mod forms;
mod leaks;
pub mod random;
mod rules;
mod sample;

use despatch::game::{Settings, rules_files};
use despatch::last_outpost::game::LastOutpost;

/// The siege with some rulings and a cadence.
pub fn game(cadence: &str, rulings: &[(&str, &str)]) -> LastOutpost {
    let settings = Settings {
        scenario: "last-outpost".to_owned(),
        cadence: cadence.to_owned(),
        options: Vec::new(),
        rulings: rulings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
    };
    let files =
        rules_files(&despatch::assets::embedded().unwrap(), &settings).unwrap_or_else(|faults| {
            let text: Vec<String> =
                faults.iter().map(|f| f.fault.render(&f.source, false)).collect();
            panic!("{}", text.join("\n"))
        });
    LastOutpost::load(&files).unwrap()
}
