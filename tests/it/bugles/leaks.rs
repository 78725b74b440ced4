//! What a player may not know is in nothing that he is given.
use despatch::bugles::events::Event;
use despatch::game::{PhaseInput, Resolution};

pub fn kept(_: &PhaseInput, _: &Resolution, _: &[Event], _: &str) {}
