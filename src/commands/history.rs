//! `history`: every record of the ledger with its head.

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::ledger::{Ledger, Record};
use crate::core::record::{Next, Value as _};

/// Prints one line a record.
pub fn run(desk: &mut Desk<'_>) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    let mut rows = Vec::new();
    if let Some(genesis) = &ledger.genesis {
        rows.push(("genesis".to_owned(), genesis.hash(), String::new()));
    }
    let mut window = ledger.offer.first.to_string();
    for entry in &ledger.entries {
        let (what, note) = match &entry.record {
            Record::Turn(turn) => {
                let note = window.clone();
                if let Next::Window(next) = &turn.next {
                    window = next.to_string();
                }
                (format!("phase {}", turn.phase), note)
            }
            Record::Amend(amend) => {
                if let Next::Window(next) = &amend.next {
                    window = next.to_string();
                }
                let kind = format!("{}, consent {}", amend.kind.write(), amend.consent.write());
                (format!("amendment {}", amend.number), kind)
            }
            Record::Close(close) => ("close".to_owned(), close.result.clone()),
        };
        rows.push((what, entry.head, note));
    }
    if desk.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(what, head, note)| {
                serde_json::json!({ "record": what, "head": head.to_string(), "note": note })
            })
            .collect();
        writeln!(desk.out, "{}", serde_json::Value::Array(rows))?;
        return Ok(0);
    }
    for (what, head, note) in &rows {
        writeln!(desk.out, "{}", format!("{what:<14} {head}  {note}").trim_end())?;
    }
    if rows.is_empty() {
        writeln!(desk.out, "no record yet: the genesis is open")?;
    }
    Ok(0)
}
