//! The one way out: what a viewer may see of a position. Forms, plans, answers,
//! checks and reports are made from views and from nothing else.

use crate::core::viewer::Viewer;

use super::data::{Data, Side};
use super::doctrine::{Intent, Raise, Through};
use super::state::{Place, State};

/// The side whose secrets a viewer may know; `None` for nobody's. The referee knows
/// both (`everything`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knows {
    /// Knows all.
    pub everything: bool,
    /// Knows what this side knows.
    pub side: Option<Side>,
}

impl Knows {
    /// What a viewer may know.
    pub fn of(state: &State, viewer: &Viewer) -> Self {
        match viewer {
            Viewer::Referee => Self { everything: true, side: None },
            Viewer::Public => Self { everything: false, side: None },
            Viewer::Player(id) => Self { everything: false, side: state.side(id) },
        }
    }

    /// True for what a side knows.
    pub fn knows(self, side: Side) -> bool {
        self.everything || self.side == Some(side)
    }
}

/// The position as a viewer may see it.
///
/// Open is where everybody stands, who is loaded, wounded or dead, waves with target
/// and figures once announced, damage, and how many markers are in play. Hidden from
/// the other side and the public is what stands in a doctrine, where defenders are
/// bound, which markers go with which wave and what its men were told, and riflemen in
/// the rocks before their first shot.
pub fn view(data: &Data, state: &State, viewer: &Viewer) -> State {
    let knows = Knows::of(state, viewer);
    if knows.everything {
        return state.clone();
    }
    let mut seen = state.clone();
    let theirs = |id: &crate::core::id::Id| state.side(id).is_some_and(|side| knows.knows(side));
    seen.doctrine.retain(|id, _| theirs(id));
    if !knows.knows(Side::Garrison) {
        for figure in &mut seen.figures {
            figure.bound = None;
        }
    }
    if !knows.knows(Side::Mahdist) {
        seen.markers = state.markers_in_play();
        for wave in &mut seen.waves {
            let number = wave.number;
            let men = state.figures.iter().filter(|f| f.wave == Some(number)).count();
            wave.markers = 0;
            wave.strength = u32::try_from(men).unwrap_or(u32::MAX);
            wave.raise = Raise::default();
            wave.through = Through::default();
            wave.intents = Intent::USUAL.to_vec();
            wave.workers = 0;
        }
        for id in data.of(Side::Mahdist) {
            let figure = &mut seen.figures[id.at()];
            if figure.place == Place::Rocks(false) {
                figure.place = Place::Camp;
            }
        }
    }
    seen
}
