//! The Last Outpost: a siege of twelve days, figure by figure.

pub mod ask;
pub mod check;
pub mod companion;
pub mod condition;
pub mod data;
pub mod describe;
pub mod doctrine;
pub mod events;
pub mod form;
pub mod game;
pub mod irregular;
mod load;
pub mod map;
pub mod odds;
pub mod orders;
pub mod position;
pub mod report;
pub mod resolve;
pub mod state;
pub mod understood;
pub mod view;
pub mod violation;
