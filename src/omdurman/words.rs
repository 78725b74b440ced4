//! Lists of units in few words.

use super::data::{Data, UnitId};
pub use crate::core::words::{counted, plain, runs};

/// Ids with runs of numbers drawn together: `mulazmin-01..04, x-sud`. Order files
/// take the same form.
pub fn id_list(data: &Data, ids: &[UnitId]) -> String {
    let names: Vec<&str> = ids.iter().map(|id| data.unit(*id).id.as_str()).collect();
    runs(&names).join(", ")
}
