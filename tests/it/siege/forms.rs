//! Forms pass as they stand, and no file, however spoilt, stops the check.

use despatch::core::diag::Severity;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{FormHeader, Game};
use despatch::last_outpost::resolve::asks;
use despatch::last_outpost::state::Window;

use super::random::{self, Choices};

#[test]
fn a_form_sent_back_unchanged_orders_nothing_and_has_no_fault() {
    let mut windows = std::collections::BTreeSet::new();
    for (number, cadence) in [(3, "brisk"), (4, "strict"), (9, "brisk")] {
        let game = super::game(cadence, &[]);
        let data = game.data();
        random::siege(data, number, |before, _, _| {
            windows.insert(before.window);
            let state = before.to_text(data, None);
            for player in asks(before) {
                let view = game.view(&state, &Viewer::Player(player.clone())).unwrap();
                let header = FormHeader {
                    game: Id::new("siege").unwrap(),
                    phase: before.phase + 1,
                    player: player.clone(),
                    head: "0".repeat(64),
                    ticket: "0".repeat(64),
                };
                let form = game.form(&view, &header).unwrap();
                let lines = form.lines().count();
                assert!(lines < 120, "a form of {lines} lines is more than two pages\n{form}");
                let checked = game.check(&view, &player, &Source::new("form", &form)).unwrap();
                let faults: Vec<&str> = checked.faults.iter().map(|f| f.message.as_str()).collect();
                assert!(faults.is_empty(), "{faults:?} in\n{form}");
                assert_eq!((checked.accepted, checked.refused), (0, 0));
            }
        });
    }
    let all = [Window::Setup, Window::Day, Window::Assault, Window::Launch, Window::Round];
    assert!(all.iter().all(|w| windows.contains(w)), "{windows:?}");
}

#[test]
fn spoilt_files_are_refused_with_a_place_and_never_stop_the_check() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let mut choices = Choices::new(77);
    let mut faulty = 0;
    for number in 0..4 {
        random::siege(data, 200 + number, |before, _, _| {
            let state = before.to_text(data, None);
            for player in asks(before) {
                let view = game.view(&state, &Viewer::Player(player.clone())).unwrap();
                let mut text = random::orders(data, before, &player, &mut choices).into_bytes();
                for _ in 0..=choices.below(3) {
                    if text.is_empty() {
                        break;
                    }
                    let at = choices.below(text.len());
                    match choices.below(3) {
                        0 => text[at] = *choices.of(b"\"[]={}#-9z\n"),
                        1 => text.truncate(at),
                        _ => text.insert(at, *choices.of(b"\"[]={}#-9z\n")),
                    }
                }
                let text = String::from_utf8_lossy(&text).into_owned();
                let source = Source::new("spoilt", &text);
                let checked = game.check(&view, &player, &source).unwrap();
                for fault in checked.faults.iter().filter(|f| f.severity == Severity::Error) {
                    faulty += 1;
                    let span = fault.span.clone().unwrap_or_default();
                    assert!(span.end <= text.len() + 1, "{} points past the end", fault.message);
                    assert!(fault.span.is_some(), "{} has no place", fault.message);
                }
            }
        });
    }
    assert!(faulty > 50, "{faulty} faults");
}
