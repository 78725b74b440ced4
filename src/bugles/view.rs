//! The one way out: what a viewer may see of a position, and which events he may be
//! told. Forms, plans, answers, checks and reports are made from these and from nothing
//! else.

use crate::core::id::Id;
use crate::core::viewer::Viewer;

use super::data::{Army, Data};
use super::events::Event;
use super::state::{Behind, FirePlan, Order, Presence, State};

/// The army whose secrets a viewer shares; the referee shares both.
pub fn side(state: &State, viewer: &Viewer) -> Option<Army> {
    match viewer {
        Viewer::Player(id) => state.army(id),
        Viewer::Referee | Viewer::Public => None,
    }
}

/// True where a viewer knows what an army knows.
pub fn knows(state: &State, viewer: &Viewer, army: Army) -> bool {
    *viewer == Viewer::Referee || side(state, viewer) == Some(army)
}

/// True where a viewer may read what became of a player's orders: his own, and those of
/// his side. That a player sent any is everybody's to know.
pub fn may_read(state: &State, viewer: &Viewer, player: &Id) -> bool {
    match viewer {
        Viewer::Referee => true,
        Viewer::Player(id) => id == player || side(state, viewer) == state.army(player),
        Viewer::Public => false,
    }
}

/// The position as a viewer may see it.
///
/// Hidden from the other army: what is behind markers and what is noted of them, orders
/// and fire plans, units not yet set up. Hidden from everybody but the referee: sealed
/// rolls, and where the scenario says so what random arrivals are.
pub fn view(data: &Data, state: &State, viewer: &Viewer) -> State {
    let mut seen = state.clone();
    if *viewer == Viewer::Referee {
        return seen;
    }
    let blind = data.scenario.arrivals.as_ref().is_some_and(|a| a.blind);
    let mahdist = knows(state, viewer, Army::Mahdist);
    for marker in &mut seen.markers {
        marker.sealed.clear();
        let random = matches!(marker.behind, Behind::Random(_));
        if !mahdist || random && blind {
            marker.behind = Behind::Unseen;
            marker.noted = None;
        }
        if !mahdist {
            marker.general = String::new();
        }
    }
    seen.units.retain(|u| u.presence == Presence::Table || knows(state, viewer, u.army()));
    for unit in &mut seen.units {
        if !knows(state, viewer, unit.army()) {
            unit.order = Order::Unseen;
            unit.fire = FirePlan::default();
        }
    }
    if !mahdist {
        let bases: usize =
            seen.units.iter().filter(|u| u.army() == Army::Mahdist).map(|u| u.bases.len()).sum();
        seen.mustered = u32::try_from(bases).unwrap_or(0);
    }
    seen
}

/// Whether a viewer may be told of an event; `state` is the position just before it.
pub fn told(state: &State, viewer: &Viewer, event: &Event) -> bool {
    if *viewer == Viewer::Referee {
        return true;
    }
    let known = |unit: &str| {
        state
            .unit(unit)
            .is_none_or(|u| u.presence == Presence::Table || knows(state, viewer, u.army()))
    };
    let secret = |unit: &str| state.unit(unit).is_some_and(|u| knows(state, viewer, u.army()));
    match event {
        Event::Ordered { unit, .. }
        | Event::Flipped { unit, .. }
        | Event::FirePlan { unit, .. } => secret(unit),
        Event::Allowance { general, .. } => {
            state.general(general).is_some_and(|g| knows(state, viewer, g.army))
        }
        Event::Outcome { player, .. } => may_read(state, viewer, player),
        Event::Mustered { unit } => {
            knows(state, viewer, unit.army()) || state.window != super::state::Window::Muster
        }
        Event::Deployed { unit, marker, .. } => {
            // A unit under a marker, or set up before its marker is placed.
            secret(unit)
                || marker.is_none() && state.window != super::state::Window::Deploy
                || state.unit(unit).is_some_and(|u| u.army() == Army::AngloEgyptian)
        }
        Event::Moved { unit, .. }
        | Event::Veered { who: unit, .. }
        | Event::Halted { who: unit, .. } => known(unit),
        _ => true,
    }
}
