//! A siege played from order files, without a folder: what policies, random players
//! and the calibration share.

use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::Seat;
use despatch::last_outpost::check::{Plan, plan};
use despatch::last_outpost::data::Data;
use despatch::last_outpost::events::Event;
use despatch::last_outpost::position::Position;
use despatch::last_outpost::resolve::{Part, asks, resolve};
use despatch::last_outpost::state::{State, Window};
use despatch::last_outpost::view::view;

/// One player a side.
pub(crate) fn seats(data: &Data) -> Vec<Seat> {
    let mut seats: Vec<Seat> = data
        .info
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

/// The first position.
pub(crate) fn start(data: &Data) -> State {
    State::initial(data, &Id::new("siege").unwrap(), &seats(data))
}

/// Resolves one window: `orders` gives each player's file, if he sends one.
pub(crate) fn phase(
    data: &Data,
    state: State,
    dice: &mut Roller,
    orders: &mut dyn FnMut(&State, &Id) -> Option<String>,
) -> (State, Vec<Event>) {
    let asked = asks(&state);
    let parts: Vec<Part> = state
        .seats
        .iter()
        .map(|seat| {
            let player = &seat.player;
            if !asked.contains(player) {
                return Part { player: player.clone(), submission: "idle", plan: Plan::default() };
            }
            let seen = view(data, &state, &Viewer::Player(player.clone()));
            match orders(&seen, player) {
                Some(text) => {
                    let source = Source::new("orders.toml", &text);
                    let (plan, _) = plan(&Position::new(data, &seen), player, &source);
                    Part { player: player.clone(), submission: "file", plan }
                }
                None => {
                    Part { player: player.clone(), submission: "missing", plan: Plan::default() }
                }
            }
        })
        .collect();
    let number = state.phase + 1;
    resolve(data, state, number, &parts, dice).unwrap()
}

/// Plays to the end; `watch` sees each phase. Panics if a siege does not end.
pub(crate) fn siege(
    data: &Data,
    seed: &str,
    orders: &mut dyn FnMut(&State, &Id) -> Option<String>,
    watch: &mut dyn FnMut(&State, &State, &[Event]),
) -> State {
    let mut state = start(data);
    let mut phases = 0;
    while state.window != Window::End {
        let mut dice = Roller::seeded(&format!("{seed}/{phases}"));
        let before = state.clone();
        let (after, events) = phase(data, state, &mut dice, orders);
        watch(&before, &after, &events);
        state = after;
        phases += 1;
        assert!(phases < 400, "a siege goes on for ever");
    }
    state
}
