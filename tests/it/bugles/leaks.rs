//! What a player may not know is in nothing that he is given: views, forms, reports,
//! public dice.

use std::collections::BTreeSet;

use despatch::bugles::data::Army;
use despatch::bugles::events::Event;
use despatch::bugles::game::Bugles;
use despatch::bugles::state::{Behind, Presence, State};
use despatch::core::id::Id;
use despatch::core::viewer::Viewer;
use despatch::game::{FormHeader, Game, PhaseInput, Resolution};

use super::{game_id, game_of};

/// Words that only those who may know something can be given.
fn secrets(state: &State, army: Army) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for unit in state.units.iter().filter(|u| u.army() == army && u.presence != Presence::Table) {
        out.insert(unit.id.clone());
    }
    for marker in &state.markers {
        for sealed in &marker.sealed {
            out.insert(sealed.key.to_string());
        }
    }
    out
}

/// One phase: nothing secret in what the others are given.
pub fn kept(input: &PhaseInput, resolution: &Resolution, events: &[Event], here: &str) {
    let (game, scenario) = game_for(here);
    let data = game.data();
    let after = State::parse(data, &resolution.state).unwrap();
    let before = State::parse(data, &input.state).unwrap();
    let mut viewers: Vec<(Viewer, Option<Army>)> = vec![(Viewer::Public, None)];
    viewers.extend(
        after.seats.iter().map(|s| (Viewer::Player(s.player.clone()), after.army(&s.player))),
    );
    // Units that were never seen in this phase either.
    let shown: BTreeSet<&String> = events
        .iter()
        .flat_map(|e| match e {
            Event::Revealed { behind, .. } => behind.iter().collect::<Vec<_>>(),
            // Everybody saw where it stood when the storm hid it.
            Event::Veiled { unit, .. } => vec![unit],
            _ => Vec::new(),
        })
        .collect();
    for (viewer, army) in viewers {
        let report = &resolution.reports[&viewer];
        let view = game.view(&resolution.state, &viewer).unwrap();
        let mut given = format!("{}{}{view}", report.text, report.json);
        if let Viewer::Player(player) = &viewer {
            given.push_str(&form(&game, &view, player));
        }
        for other in [Army::AngloEgyptian, Army::Mahdist] {
            if army == Some(other) {
                continue;
            }
            for word in secrets(&after, other) {
                let told =
                    given.contains(&format!("\"{word}\"")) || given.contains(&format!("{word}-1"));
                assert!(
                    !told || shown.contains(&word),
                    "{here}: {viewer} is told of {word} ({scenario})"
                );
            }
            // Orders of the other side are in no view and no report of this viewer.
            let seen = State::parse(data, &view).unwrap();
            for unit in seen.units.iter().filter(|u| u.army() == other) {
                assert_eq!(
                    unit.order.word(),
                    "unseen",
                    "{here}: {viewer} sees an order of {}",
                    unit.id
                );
            }
            for event in events {
                if let Event::Ordered { unit, to, .. } = event
                    && before.unit(unit).is_some_and(|u| u.army() == other)
                {
                    let line = format!("{unit}: {}", to.word());
                    assert!(!report.text.contains(&line), "{here}: {viewer} reads `{line}`");
                }
            }
        }
        // What is behind a random marker nobody reads, where the scenario is blind.
        let blind = data.scenario.arrivals.as_ref().is_some_and(|a| a.blind);
        let seen = State::parse(data, &view).unwrap();
        for marker in &seen.markers {
            let random = matches!(after.marker(&marker.id).unwrap().behind, Behind::Random(_));
            if army != Some(Army::Mahdist) || random && blind {
                assert_eq!(marker.behind, Behind::Unseen, "{here}: {viewer}");
                assert_eq!(marker.noted, None, "{here}: {viewer}");
            }
            assert!(marker.sealed.is_empty(), "{here}: {viewer} holds a key");
        }
        // A sealed shot shows no dice.
        for event in events {
            if let Event::MarkerShot { exchange, marker, .. } = event
                && viewer != Viewer::Referee
            {
                let still = after.marker(marker).is_some();
                let total = format!("\"total\": {}", exchange.attacker.total);
                let label = format!("\"label\": \"{}\"", exchange.label);
                assert!(!still || !report.json.contains(&label), "{here}: {viewer} reads {total}");
            }
        }
    }
}

fn form(game: &Bugles, view: &str, player: &Id) -> String {
    let header = FormHeader {
        game: game_id(),
        phase: 1,
        player: player.clone(),
        head: "0".repeat(64),
        ticket: "1".repeat(64),
    };
    game.form(view, &header).unwrap()
}

/// The game of a place in a test: `SCENARIO seed N phase ...`.
fn game_for(here: &str) -> (Bugles, String) {
    let scenario = here.split(' ').next().unwrap().to_owned();
    let seed: u64 = here.split(' ').nth(2).unwrap().parse().unwrap();
    (super::random::table(&scenario, seed % 60), scenario)
}

#[test]
fn the_number_of_seals_tells_nothing_of_what_is_hidden() {
    // The same table with and without something behind a marker rolls as many seals.
    let game = game_of("tamai", &[], "brisk", &[]);
    let count = |false_marker: bool| {
        let seats = super::whole_sides(&game);
        let mut luck = super::players::Luck::new(7);
        let mut state = game.initial_state(&game_id(), &seats).unwrap();
        let mut numbers = Vec::new();
        for phase in 1..4 {
            let mut parsed = State::parse(game.data(), &state).unwrap();
            if phase == 2 && false_marker {
                // One of the units under a marker is nobody any more.
                let unit = parsed
                    .units
                    .iter()
                    .position(|u| u.presence == Presence::Marker("m-2".to_owned()));
                parsed.units.remove(unit.unwrap());
                parsed.markers.iter_mut().find(|m| m.id == "m-2").unwrap().behind = Behind::Nothing;
                state = parsed.to_text(game.data(), None);
            }
            let orders = seats
                .iter()
                .map(|s| (s.player.clone(), despatch::game::Submission::Missing))
                .collect();
            let input = PhaseInput {
                game: game_id(),
                phase,
                prev: "0".repeat(64),
                state: state.clone(),
                orders,
                rehearsal: false,
            };
            let mut dice = super::random::dice(phase, &mut luck);
            state = game.adjudicate(&input, &mut dice).unwrap().state;
            numbers.push(dice.sealed_rolls().len());
        }
        numbers
    };
    assert_eq!(count(true), count(false));
}
