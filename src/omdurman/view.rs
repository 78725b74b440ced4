//! The one way out: what a viewer may see of a position. Forms, maps, answers,
//! checks and reports are made from views and from nothing else.

use crate::core::viewer::Viewer;

use super::data::{Army, Data};
use super::state::State;

/// The position as a viewer may see it.
///
/// Everything lies open but what the Khalifa has hidden in the Nile (10.1.B, 10.2.B):
/// that is seen by his side and the referee, and by everybody once it was met.
pub fn view(data: &Data, state: &State, viewer: &Viewer) -> State {
    seen(data, state, knows_the_river(data, state, viewer))
}

/// The position for those who may know what is hidden in the Nile, or for the others.
pub fn seen(data: &Data, state: &State, knows: bool) -> State {
    let mut seen = state.clone();
    if !knows {
        seen.river.notes.retain(|note| note.opened);
        seen.chained.retain(|id, _| data.unit(*id).army == Army::AngloEgyptian);
    }
    seen
}

/// True for those who may know what is hidden in the Nile.
pub fn knows_the_river(data: &Data, state: &State, viewer: &Viewer) -> bool {
    match viewer {
        Viewer::Referee => true,
        Viewer::Public => false,
        Viewer::Player(id) => state.army(data, id) == Some(Army::Dervish),
    }
}
