//! Exact geometry in integers: no floats, the same on every machine.

pub mod hex;
pub mod line;
pub mod plane;
