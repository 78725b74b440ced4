//! What the Khalifa has hidden in the Nile stays hidden until it is met: whoever may
//! not know it sees and reads the same, whatever it is.

use std::collections::BTreeSet;

use despatch::core::dice::Roller;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{Game, PhaseInput, Report, Resolution, Submission};
use despatch::geometry::hex::Hex;
use despatch::omdurman::board::Terrain;
use despatch::omdurman::data::{Army, Data};
use despatch::omdurman::events::Event;
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::state::{Secret, State, Window};

/// Holds the views and reports of a phase against the notes that are still sealed.
pub fn kept(
    game: &Omdurman,
    input: &PhaseInput,
    dice: &str,
    resolution: &Resolution,
    events: &[Event],
    here: &str,
) {
    let data = game.data();
    let before = State::parse(data, &input.state).unwrap();
    let after = State::parse(data, &resolution.state).unwrap();
    if let Some(note) = after.river.chain_note() {
        let known = after.river.chain_known;
        assert!(!known || note.opened, "{here}: the chain is known, and its note is sealed");
    }
    let sealed: Vec<_> = after.river.notes.iter().filter(|n| !n.opened).collect();
    if sealed.is_empty() || after.window == Window::End {
        return;
    }
    let outsiders = outsiders(data, &after, resolution);
    for viewer in &outsiders {
        let view = game.view(&resolution.state, viewer).unwrap();
        let report = &resolution.reports[viewer];
        for text in [&view, &report.text, &report.json] {
            for note in &sealed {
                let told = note.text != "nothing" && text.contains(&note.text);
                assert!(!told && !text.contains(&note.salt), "{here}: {viewer} reads a note");
            }
        }
    }
    if before.window.is_setup() {
        // Nothing of the Nile but what stands there is told.
        let stands: BTreeSet<Hex> = data.ids().filter_map(|id| after.hex(id)).collect();
        for viewer in &outsiders {
            let text = &resolution.reports[viewer].text;
            for hex in sealed.iter().flat_map(|n| hexes(&n.text)).filter(|h| !stands.contains(h)) {
                assert!(!text.contains(&hex.to_string()), "{here}: {viewer} reads of {hex}");
            }
        }
        return;
    }
    // The same phase with other things hidden where nobody came.
    let Some(twin) = twin(data, &before, &after, events) else { return };
    let other = PhaseInput { state: twin.to_text(data, None), ..input.clone() };
    let theirs = game.adjudicate(&other, &mut Roller::seeded(dice)).unwrap();
    for viewer in &outsiders {
        let (a, b): (&Report, &Report) = (&resolution.reports[viewer], &theirs.reports[viewer]);
        assert_eq!(a.text, b.text, "{here}: the report of {viewer} depends on what is hidden");
        assert_eq!(a.json, b.json, "{here}: the report of {viewer} depends on what is hidden");
        let views = [&resolution.state, &theirs.state].map(|s| game.view(s, viewer).unwrap());
        assert_eq!(views[0], views[1], "{here}: the view of {viewer} depends on what is hidden");
    }
}

#[test]
fn refused_notes_are_in_no_report_of_the_other_side_and_not_counted() {
    let options = ["mines-or-chain".to_owned()];
    let game = super::game_of("omdurman-campaign", &options, "brisk", &[]);
    let seats = super::whole_sides(&game);
    let state = game.initial_state(&super::game_id(), &seats).unwrap();
    let reports = |orders: &str| {
        let text = |player: &str| if player == "dervish" { orders } else { "" };
        let file = |p: &str| Submission::File(Source::new(&format!("{p}.toml"), text(p)));
        let orders = seats.iter().map(|s| (s.player.clone(), file(s.player.as_str()))).collect();
        let input = PhaseInput {
            game: super::game_id(),
            phase: 1,
            prev: "0".repeat(64),
            state: state.clone(),
            orders,
            rehearsal: false,
        };
        game.adjudicate(&input, &mut Roller::seeded("refused notes")).unwrap()
    };
    let without = reports("");
    let note = |text: &str, salt: char| {
        let salt = salt.to_string().repeat(64);
        format!("[[hide]]\nnote = \"{text}\"\nsalt = \"{salt}\"\n")
    };
    for orders in [
        note("chain 2038 2138 2238 2338", 'a') + &note("nothing", 'b'),
        note("mine 0101", 'a'),
        note("mine 2138", 'a') + &note("mine 2137", 'b') + &note("mine 2238", 'c'),
        note("a sandwich", 'a'),
        "[[hide]]\n".to_owned(),
    ] {
        let some = reports(&orders);
        let sealed = State::parse(game.data(), &some.state).unwrap().river.notes.len();
        for viewer in without.reports.keys() {
            let (a, b) = (&without.reports[viewer], &some.reports[viewer]);
            let knows = *viewer == Viewer::Referee || viewer.to_string() == "dervish";
            assert_eq!(knows, b.text.contains("refused line"), "{viewer}\n{orders}");
            // Notes that are taken are no secret: their commitments are in the record.
            if !knows && sealed == 0 {
                assert_eq!(a.text, b.text, "{viewer}\n{orders}");
                assert_eq!(a.json, b.json, "{viewer}\n{orders}");
            }
            if !knows {
                assert!(b.text.contains(", 0 refused"), "{viewer}\n{}", b.text);
            }
        }
    }
}

/// Who may not know: the public, and the players of the other side.
fn outsiders(data: &Data, state: &State, resolution: &Resolution) -> Vec<Viewer> {
    let outside = |viewer: &Viewer| match viewer {
        Viewer::Public => true,
        Viewer::Referee => false,
        Viewer::Player(player) => state.army(data, player) == Some(Army::AngloEgyptian),
    };
    resolution.reports.keys().filter(|v| outside(v)).cloned().collect()
}

fn hexes(note: &str) -> Vec<Hex> {
    match Secret::parse(note) {
        Some(Secret::Mine(hex)) => vec![hex],
        Some(Secret::Chain(hexes)) => hexes,
        _ => Vec::new(),
    }
}

/// The state with every sealed note changed into another, which bears on nothing that
/// happened: the Khalifa's own boats, which know where the chain is, are told their way
/// hex by hex in these games.
fn twin(data: &Data, before: &State, after: &State, events: &[Event]) -> Option<State> {
    let mut met: BTreeSet<Hex> = BTreeSet::new();
    for event in events {
        if let Event::Moved { path, .. }
        | Event::Entered { path, .. }
        | Event::Drifted { path, .. } = event
        {
            met.extend(path);
        }
    }
    let board = &data.board;
    let nile = |h: &Hex| board.has(*h) && board.terrain(*h) == Terrain::Nile;
    let free = |h: &Hex| h.row > board.khor_mouth_row && !met.contains(h);
    let mut decoys = board.grid.hexes().filter(|h| nile(h) && free(h)).collect::<Vec<_>>();
    decoys.retain(|h| data.ids().all(|id| before.hex(id) != Some(*h)));
    let mut out = before.clone();
    for (i, note) in out.river.notes.iter_mut().enumerate() {
        let sealed = !after.river.notes[i].opened;
        if !sealed || note.opened {
            continue;
        }
        note.text = match Secret::parse(&note.text) {
            Some(Secret::Mine(hex)) => {
                let near = decoys.iter().position(|h| *h != hex)?;
                format!("mine {}", decoys.remove(near))
            }
            Some(Secret::Chain(_)) => "nothing".to_owned(),
            _ => {
                let hex = decoys.pop()?;
                format!("mine {hex}")
            }
        };
    }
    Some(out)
}
