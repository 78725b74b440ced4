//! The one way out: what a viewer may see of a position. Forms, maps, answers,
//! checks and reports are made from views and from nothing else.

use crate::core::viewer::Viewer;

use super::state::State;

/// The position as a viewer may see it.
///
/// The Fall of Khartoum is played open: its states and order files are published
/// with each report (`secrecy=open`), so that nothing is taken away here. Mines and
/// the chain of the campaign will be.
pub fn view(state: &State, _viewer: &Viewer) -> State {
    state.clone()
}
