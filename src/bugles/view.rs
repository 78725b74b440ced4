//! The one way out: what a viewer may see of a position, and which events he may be
//! told. Forms, plans, answers, checks and reports are made from these and from nothing
//! else.

use std::borrow::Cow;

use crate::core::id::Id;
use crate::core::viewer::Viewer;

use super::data::{Army, Data};
use super::events::Event;
use super::state::{Behind, FirePlan, Order, Presence, State, Unit};

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
            veil(unit);
        }
    }
    // Whom a general goes with is told of bases that stand on the table; under a marker
    // he is where the marker is.
    for general in &mut seen.generals {
        if general.attached.as_deref().is_some_and(|b| !may_see(state, viewer, b)) {
            general.attached = None;
        }
    }
    if !mahdist {
        let bases: usize =
            seen.units.iter().filter(|u| u.army() == Army::Mahdist).map(|u| u.bases.len()).sum();
        seen.mustered = u32::try_from(bases).unwrap_or(0);
    }
    seen
}

/// A unit of the other side: neither its order nor what it fires at.
fn veil(unit: &mut Unit) {
    unit.order = Order::Unseen;
    unit.fire = FirePlan::default();
}

/// True where a viewer sees a base, or knows where it is hidden.
fn may_see(state: &State, viewer: &Viewer, base: &str) -> bool {
    state
        .base(base)
        .is_some_and(|(u, _)| u.presence == Presence::Table || knows(state, viewer, u.army()))
}

/// What a viewer may be told of an event, if anything; `state` is the position just
/// before it. Of an event that he may know in part, this is the part: reports and their
/// JSON twins are both made from it.
pub fn told<'a>(state: &State, viewer: &Viewer, event: &'a Event) -> Option<Cow<'a, Event>> {
    if *viewer == Viewer::Referee {
        return Some(Cow::Borrowed(event));
    }
    if !may_hear(state, viewer, event) {
        return None;
    }
    let secret = |unit: &str| state.unit(unit).is_some_and(|u| !knows(state, viewer, u.army()));
    let part = match event {
        Event::Deployed { unit, lay, marker, .. } if secret(unit) => Event::Deployed {
            unit: unit.clone(),
            lay: lay.clone(),
            order: Order::Unseen,
            marker: marker.clone(),
        },
        Event::Mustered { unit } if !knows(state, viewer, unit.army()) => {
            let mut unit = unit.clone();
            veil(&mut unit);
            Event::Mustered { unit }
        }
        // Why a move ended tells under which order it was made.
        Event::Moved { unit, lay, way, spent, rate, formed, .. } if secret(unit) => Event::Moved {
            unit: unit.clone(),
            lay: lay.clone(),
            way: way.clone(),
            spent: *spent,
            rate: *rate,
            why: String::new(),
            formed: *formed,
        },
        Event::GeneralMoved { general, to, attached: Some(base), moved }
            if !may_see(state, viewer, base) =>
        {
            let general = general.clone();
            Event::GeneralMoved { general, to: *to, attached: None, moved: *moved }
        }
        _ => return Some(Cow::Borrowed(event)),
    };
    Some(Cow::Owned(part))
}

/// Whether a viewer may hear of an event at all.
fn may_hear(state: &State, viewer: &Viewer, event: &Event) -> bool {
    let known = |unit: &str| {
        state
            .unit(unit)
            .is_none_or(|u| u.presence == Presence::Table || knows(state, viewer, u.army()))
    };
    let secret = |unit: &str| state.unit(unit).is_some_and(|u| knows(state, viewer, u.army()));
    match event {
        Event::Ordered { unit, .. }
        | Event::Flipped { unit, .. }
        | Event::Stays { unit, .. }
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
