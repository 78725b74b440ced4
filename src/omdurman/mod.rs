//! Remember Gordon! The Battle of Omdurman (1982): hexes, stacks, zones of
//! control, fire and melee.

pub mod ask;
pub mod board;
pub mod check;
pub mod companion;
pub mod data;
pub mod describe;
pub mod events;
pub mod fire;
pub mod form;
pub mod game;
pub mod irregular;
pub mod map;
pub mod melee;
pub mod movement;
pub mod odds;
pub mod orders;
pub mod position;
pub mod report;
pub mod resolve;
pub mod retreat;
pub mod rulings;
pub mod sight;
pub mod state;
pub mod understood;
pub mod view;
pub mod violation;
pub mod words;

pub use crate::core::cite;
