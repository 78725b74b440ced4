//! What of a position the rules could not have brought about: for a referee who has
//! edited a state.

use crate::core::cite::{cite, uncounted};

use super::data::{Data, Post, Side};
use super::position::Position;
use super::state::{Place, State, Wave, Window};

/// One line for each thing, with its rule; nothing for a lawful position.
pub fn irregular(data: &Data, state: &State) -> Vec<String> {
    uncounted(|| found(data, state))
}

fn found(data: &Data, state: &State) -> Vec<String> {
    let position = Position::new(data, state);
    let c = &data.compound;
    let mut lines = Vec::new();
    let mut full = |post: Post, there: usize, places: u32, rule| {
        if there > places as usize {
            let post = data.post_id(post);
            lines.push(format!("{there} stand at {post}, which has {places} places [{rule}]"));
        }
    };
    for wall in c.wall_ids() {
        full(Post::Wall(wall), position.holders(wall).len(), c.wall(wall).places, cite("R21"));
    }
    for gun in c.gun_ids() {
        full(Post::Gun(gun), position.crew(gun).len(), data.tables.crew, cite("R32"));
    }
    for room in c.room_ids() {
        let Some(cap) = c.room(room).cap else { continue };
        for side in Side::BOTH {
            full(Post::Room(room), position.in_room(side, room).len(), cap, cite("R24"));
        }
    }
    for id in data.ids() {
        let (figure, name) = (state.figure(id), &data.figure(id).id);
        let fallen = figure.place == Place::Fallen;
        if fallen && figure.wounded {
            lines.push(format!("{name} was wounded before: he is dead [{}]", cite("R9")));
        }
        if fallen && !state.window.in_assault() {
            lines.push(format!("{name} awaits the end of no assault [{}]", cite("R10")));
        }
        let fights = figure.place.present() || figure.place == Place::Advancing;
        if data.figure(id).side == Side::Mahdist && fights {
            let wave = figure.wave.and_then(|number| state.wave(number));
            if !wave.is_some_and(Wave::active) {
                lines.push(format!("{name} fights for a wave that is finished [{}]", cite("R15")));
            }
        }
    }
    for wave in state.waves.iter().filter(|wave| !wave.active()) {
        if wave.markers > 0 {
            let number = wave.number;
            lines.push(format!("wave {number} is finished and has markers [{}]", cite("R18")));
        }
    }
    if let Some(cap) = data.rulings.marker_cap.filter(|cap| state.markers_in_play() > *cap) {
        let markers = state.markers_in_play();
        lines.push(format!("{markers} markers are in play; there are {cap} [{}]", cite("R1")));
    }
    if state.result.is_some() != (state.window == Window::End) {
        lines.push("a siege has a result when it is over, and only then".to_owned());
    }
    lines
}
