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
            // Nor is one in what machines read, nor why a move ended, which tells it.
            let twin: serde_json::Value = serde_json::from_str(&report.json).unwrap();
            let lines = twin["sections"].as_array().unwrap().iter();
            for event in lines.flat_map(|s| s["lines"].as_array().unwrap()).map(|l| &l["event"]) {
                let (unit, order, why) = match event["event"].as_str() {
                    Some("deployed") => (&event["unit"], &event["order"], None),
                    Some("mustered") => (&event["unit"]["id"], &event["unit"]["order"], None),
                    Some("moved") => {
                        (&event["unit"], &serde_json::Value::Null, event["why"].as_str())
                    }
                    _ => continue,
                };
                let name = unit.as_str().unwrap();
                let theirs = |s: &State| s.unit(name).is_some_and(|u| u.army() == other);
                if theirs(&before) || theirs(&after) {
                    assert!(order.is_null() || order == "UNSEEN", "{here}: {viewer}: {event}");
                    assert!(why.is_none_or(str::is_empty), "{here}: {viewer}: {event}");
                }
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

/// A phase with the orders of both sides.
fn phase(game: &Bugles, state: &str, number: u32, mahdist: &str, british: &str) -> Resolution {
    let file = |player: &str, text: &str| {
        let source = despatch::core::source::Source::new(&format!("{player}.toml"), text);
        (Id::player(player).unwrap(), despatch::game::Submission::File(source))
    };
    let input = PhaseInput {
        game: game_id(),
        phase: number,
        prev: "0".repeat(64),
        state: state.to_owned(),
        orders: [file("mahdist", mahdist), file("anglo-egyptian", british)].into(),
        rehearsal: false,
    };
    let mut luck = super::players::Luck::new(u64::from(number));
    game.adjudicate(&input, &mut super::random::dice(number, &mut luck)).unwrap()
}

/// Tamai in its first turn, set up as it is shipped but for these orders.
fn tamai(mahdist: &str) -> (Bugles, Resolution) {
    let game = game_of("tamai", &[], "brisk", &[]);
    let start = game.initial_state(&game_id(), &super::whole_sides(&game)).unwrap();
    let set_up = phase(&game, &start, 1, mahdist, "");
    (game, set_up)
}

#[test]
fn a_marker_tells_nothing_of_what_is_done_under_it() {
    let (game, set_up) = tamai(
        "[[deploy]]\nunit = \"hadendowa-2\"\nat = [30, 43]\norder = \"HOLD\"\n\
         [[deploy]]\nunit = \"hadendowa-5\"\nat = [50, 38]\norder = \"MOVE\"\nformation = \"column\"\n\
         [[deploy]]\nunit = \"hadendowa-3\"\nat = [40, 43]\norder = \"HOLD\"\n",
    );
    let before = State::parse(game.data(), &set_up.state).unwrap();
    let after = phase(
        &game,
        &set_up.state,
        2,
        "[[move]]\nunit = \"hadendowa-2\"\ndo = [\"form column\"]\n\
         [[move]]\nunit = \"hadendowa-3\"\ndo = [\"wheel left 45\"]\n\
         [[move]]\nunit = \"hadendowa-5\"\ndo = [\"about face\", \"advance 1\"]\n\
         [[fire]]\nunit = \"hadendowa-2\"\nat = [\"nearest\"]\n",
        "",
    );
    let state = State::parse(game.data(), &after.state).unwrap();
    let public = &after.reports[&Viewer::Public].text;
    let marker = |unit: &str| match &before.unit(unit).unwrap().presence {
        Presence::Marker(marker) => marker.clone(),
        other => panic!("{unit} is {other:?}"),
    };
    for unit in ["hadendowa-2", "hadendowa-3"] {
        let id = marker(unit);
        assert_eq!(state.marker(&id).unwrap().at, before.marker(&id).unwrap().at);
        assert!(!public.contains(&format!("marker {id} ")), "{public}");
    }
    let id = marker("hadendowa-5");
    assert!(public.contains(&format!("marker {id} goes 1 to ")), "{public}");
}

#[test]
fn markers_at_one_place_are_numbered_by_chance() {
    let heap = "[[false]]\nat = [30, 43]\n[[false]]\nat = [30, 43]\n\
                [[deploy]]\nunit = \"hadendowa-1\"\nat = [30, 43]\n";
    let orders: BTreeSet<Vec<bool>> = (1..=9)
        .map(|seed| {
            let game = game_of("tamai", &[], "brisk", &[]);
            let start = game.initial_state(&game_id(), &super::whole_sides(&game)).unwrap();
            let set_up = phase(&game, &start, seed, heap, "");
            let state = State::parse(game.data(), &set_up.state).unwrap();
            let here = state.markers.iter().filter(|m| m.at.x == 3000 && m.at.y == 4300);
            here.map(|m| m.behind == Behind::Nothing).collect()
        })
        .collect();
    assert!(orders.len() > 1, "always {orders:?}");
}

#[test]
fn emirs_stand_beside_one_another_and_their_forms_can_be_sent_as_they_are() {
    let game = game_of("bugles-club", &[], "brisk", &[]);
    let start = game.initial_state(&game_id(), &super::whole_sides(&game)).unwrap();
    for seed in 1..8 {
        let mustered = phase(&game, &start, seed, "", "").state;
        let player = Id::player("mahdist").unwrap();
        let view = game.view(&mustered, &Viewer::Player(player.clone())).unwrap();
        let form = form(&game, &view, &player);
        let keys = ["unit =", "at =", "facing =", "formation =", "order ="];
        let wanted = |l: &&str| *l == "[[deploy]]" || keys.iter().any(|k| l.starts_with(k));
        let lines = form.lines().filter_map(|l| l.strip_prefix("# "));
        let file = lines.filter(wanted).collect::<Vec<_>>().join("\n");
        let source = despatch::core::source::Source::new("form.toml", &file);
        let checked = game.check(&view, &player, &source).unwrap();
        assert!(checked.refused == 0 && checked.accepted > 3, "{seed}: {:?}", checked.faults);
        // Set up so, or by nobody's order, no two markers lie on one another.
        for orders in [file.as_str(), ""] {
            let set_up = phase(&game, &mustered, seed, orders, "");
            let state = State::parse(game.data(), &set_up.state).unwrap();
            let places: BTreeSet<_> = state.markers.iter().map(|m| m.at).collect();
            assert_eq!(places.len(), state.markers.len());
        }
    }
}

#[test]
fn no_general_names_a_unit_that_nobody_sees() {
    let file = "[[general]]\ngeneral = \"osman\"\nattach = \"hadendowa-2-3\"\n";
    let (game, set_up) = tamai(file);
    assert!(set_up.reports[&Viewer::Referee].text.contains("is no base that a general"));
    // Nor where a storm hid it: the view has no base that is under a marker.
    let mut state = State::parse(game.data(), &set_up.state).unwrap();
    let hidden = state.units.iter().find(|u| matches!(u.presence, Presence::Marker(_))).unwrap();
    let base = hidden.base_id(0);
    let general = state.generals.iter_mut().find(|g| g.army == Army::Mahdist).unwrap();
    general.attached = Some(base.clone());
    let text = state.to_text(game.data(), None);
    assert!(!game.view(&text, &Viewer::Public).unwrap().contains(&base));
}

#[test]
fn an_amendment_tells_both_sides_nothing_hidden() {
    let (game, set_up) = tamai("");
    let data = game.data();
    let old = State::parse(data, &set_up.state).unwrap();
    let mut new = old.clone();
    for unit in &mut new.units {
        unit.order = despatch::bugles::state::Order::Attack;
    }
    let hidden = new.units.iter_mut().find(|u| matches!(u.presence, Presence::Marker(_))).unwrap();
    let name = hidden.id.clone();
    hidden.bases[0].condition = despatch::bugles::state::Condition::Lost;
    let text = new.to_text(data, None);
    let told = game.difference(&set_up.state, &text).unwrap().join("\n");
    assert_eq!(
        told,
        "what the Anglo-Egyptian side alone knows: changed; sealed until the close\n\
         what the Mahdist side alone knows: changed; sealed until the close"
    );
    assert!(!told.contains(&name));
    new.units.iter_mut().find(|u| u.id == "gordons").unwrap().bases[0].condition =
        despatch::bugles::state::Condition::Lost;
    let told = game.difference(&set_up.state, &new.to_text(data, None)).unwrap().join("\n");
    assert!(told.contains("gordons: 4 of 4 bases in battle"), "{told}");
    for word in ["Point", "Facing", "Some(", "{", "ATTACK", "HOLD"] {
        assert!(!told.contains(word), "{told}");
    }
    assert!(game.difference(&set_up.state, &set_up.state).unwrap().is_empty());
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
