//! Bugles in the Sudan: tabletop brigades, inches, bases, orders, hidden markers.

pub mod ask;
pub mod check;
pub mod combat;
pub mod companion;
pub mod data;
pub mod describe;
pub mod difference;
pub mod events;
pub mod fire;
pub mod form;
pub mod game;
pub mod irregular;
pub mod lay;
pub mod manoeuvre;
pub mod map;
pub mod odds;
pub mod orders;
pub mod report;
pub mod resolve;
pub mod rulings;
pub mod state;
pub mod table;
pub mod tactics;
pub mod understood;
pub mod view;
pub mod violation;

pub use crate::core::cite;
use crate::core::cite::cite;
