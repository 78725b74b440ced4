//! The text of a receipt: what was understood, what counts, what was changed to read it.

use std::fmt::Write as _;

use super::inbox::Receipt;
use super::ledger::OpenPhase;
use super::words::{moment, some};
use crate::core::diag::render_all;
use crate::core::id::Id;
use crate::core::source::Source;
use crate::core::template::{WIDTH, wrap};
use crate::game::Checked;

#[allow(clippy::too_many_arguments)] // the facts of a receipt, each once
/// A receipt. `standing` is the receipt that counts instead of this one, `before` the one
/// that counted until now, `last` the file's word that it is final.
pub fn answer(
    game: &Id,
    phase: u32,
    number: usize,
    standing: Option<usize>,
    before: Option<usize>,
    last: bool,
    receipt: &Receipt,
    source: &Source,
    checked: &Checked,
    open: &OpenPhase,
) -> String {
    let mut text = format!(
        "RECEIPT {number}  {game}  phase {phase}  {}  {}\n",
        receipt.player,
        moment(receipt.received)
    );
    match (standing, before) {
        (Some(later), _) => {
            let _ =
                writeln!(text, "It came before the file of receipt {later}, which still counts.");
        }
        (None, Some(old)) => {
            let _ = writeln!(text, "This replaces receipt {old}.");
        }
        (None, None) => {}
    }
    if standing.is_none() {
        let _ = writeln!(text, "It counts unless a later valid file comes before the lock.");
    }
    let _ = writeln!(
        text,
        "Marked: {}.",
        match (last, checked.refused) {
            (true, 0) => "final (need not wait for the deadline)",
            (true, _) => "final, but orders are refused: no phase is locked early on it",
            (false, _) => "provisional (final = false)",
        }
    );
    if receipt.received > open.call().deadline {
        let _ = writeln!(text, "It came after the deadline; everybody can see that in the lock.");
    }
    let _ = writeln!(text, "file hash\n  {}", receipt.hash);
    if !source.changed.is_empty() {
        let changed = format!("Changed to read it: {}.", source.changed.join(", "));
        let _ = writeln!(text, "{}", wrap(&changed, 0, 2, WIDTH));
    }
    let _ = writeln!(text, "As understood:");
    for order in &checked.understood {
        let _ = writeln!(text, "{}", wrap(order, 2, 6, WIDTH));
    }
    if !checked.faults.is_empty() {
        let _ = write!(text, "\n{}", render_all(&checked.faults, source, false));
    }
    let _ = writeln!(
        text,
        "{} would be carried out as written, {} refused.",
        some(checked.accepted, "order"),
        checked.refused
    );
    text
}
