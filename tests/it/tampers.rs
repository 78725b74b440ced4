//! Changes that a dishonest or clumsy referee could make to a bundle, and the
//! check that must catch each: the list at the end of `docs/dice.md`, section
//! "Verification".
//!
//! Every [`Tamper`] looks for a place in the bundle where it applies, so the table
//! can be run over any bundle: [`run_all`] says which found none.

use despatch::core::beacon::{BeaconString, BeaconValue, RoundName};
use despatch::core::record::{
    Call, Close, Fate, Genesis, Lock, Offer, Opened, Rolls, Seals, Turn, YesNo,
};
use despatch::core::verify::{Check, MemoryBundle, Options, verify};

use crate::tamper::{RecordFile, add_line, calls, edit, flip, get, mend, phases, put, text};

/// One change.
pub(crate) struct Tamper {
    /// What was done.
    pub(crate) name: &'static str,
    /// The check that must name it.
    pub(crate) check: Check,
    /// Whether the liar then mends all later hashes.
    pub(crate) mended: bool,
    /// Does it, in the first place that allows it; false if the bundle has none.
    pub(crate) change: fn(&mut MemoryBundle) -> bool,
}

/// Does `change` in the first phase in which it finds something to change.
fn in_a_phase(
    bundle: &mut MemoryBundle,
    mut change: impl FnMut(&mut MemoryBundle, &str) -> bool,
) -> bool {
    phases(bundle).iter().any(|folder| change(bundle, folder))
}

/// Changes the first record of its kind that has something to change.
fn edit_a<T: RecordFile>(
    bundle: &mut MemoryBundle,
    name: &str,
    mut change: impl FnMut(&mut T) -> bool,
) -> bool {
    in_a_phase(bundle, |bundle, folder| edit(bundle, &format!("{folder}/{name}"), &mut change))
}

fn other_face(rolls: &mut Rolls) -> bool {
    rolls.rolls.first_mut().is_some_and(|roll| {
        roll.faces[0] = if roll.faces[0] == 1 { 2 } else { 1 };
        true
    })
}

/// Moves all calls of the first phase by a day, so that the round differs on every
/// grid: back, or on if it was locked early, since `lock` would notice otherwise.
fn other_deadline(bundle: &mut MemoryBundle) -> bool {
    in_a_phase(bundle, |bundle, folder| {
        let Some(lock) = get::<Lock>(bundle, &format!("{folder}/lock.txt")) else { return false };
        let day = if lock.early == YesNo::Yes { 86_400 } else { -86_400 };
        lock.beacon.is_some()
            && calls(bundle, folder).iter().all(|path| {
                edit::<Call>(bundle, path, |call| {
                    call.made = call.made.plus(day);
                    call.deadline = call.deadline.plus(day);
                    true
                })
            })
    })
}

/// Changes a sealed roll where it is opened: in a phase or at the close.
fn opened_roll(bundle: &mut MemoryBundle, change: fn(&mut Vec<Opened>, usize)) -> bool {
    let mut paths: Vec<String> =
        phases(bundle).iter().map(|folder| format!("{folder}/seals.txt")).collect();
    paths.push("close-seals.txt".to_owned());
    paths.iter().any(|path| {
        edit::<Seals>(bundle, path, |seals| {
            let roll = seals.opens.iter().position(|open| matches!(open, Opened::Roll { .. }));
            roll.is_some_and(|index| {
                change(&mut seals.opens, index);
                true
            })
        })
    })
}

/// The list of the protocol, in its order, with and without mended hashes where
/// both are caught.
pub(crate) fn tampers() -> Vec<Tamper> {
    let row = |name, check, mended, change| Tamper { name, check, mended, change };
    vec![
        row("face edited", Check::Rolls, false, |b| edit_a(b, "rolls.txt", other_face)),
        row("face and roll hash edited", Check::Rolls, true, |b| {
            edit_a(b, "rolls.txt", other_face)
        }),
        row("label repeated", Check::Rolls, true, |b| {
            edit_a::<Rolls>(b, "rolls.txt", |rolls| {
                let first = rolls.rolls.first().cloned();
                rolls.rolls.extend(first.clone());
                first.is_some()
            })
        }),
        row("order edited", Check::Orders, false, |b| {
            in_a_phase(b, |b, folder| {
                let prefix = format!("{folder}/orders/");
                let path = b.files.keys().find(|path| path.starts_with(&prefix)).cloned();
                path.is_some_and(|path| add_line(b, &path, "# moved"))
            })
        }),
        row("order removed", Check::Missing, false, |b| {
            let path = b.files.keys().find(|path| path.contains("/orders/")).cloned();
            path.is_some_and(|path| b.files.remove(&path).is_some())
        }),
        row("order added at nmr", Check::Orders, false, |b| {
            in_a_phase(b, |b, folder| {
                let Some(lock) = get::<Lock>(b, &format!("{folder}/lock.txt")) else {
                    return false;
                };
                let missing = lock.orders.iter().find(|line| line.fate == Fate::Nmr);
                missing.is_some_and(|line| {
                    let path = format!("{folder}/orders/{}.toml", line.player);
                    put(b, &path, "# I did send this\n");
                    true
                })
            })
        }),
        row("nmr turned to idle", Check::Orders, true, |b| {
            edit_a::<Lock>(b, "lock.txt", |lock| {
                let line = lock.orders.iter_mut().find(|line| line.fate == Fate::Nmr);
                line.map(|line| line.fate = Fate::Idle).is_some()
            })
        }),
        row("beacon value changed in the record", Check::Beacon, true, |b| {
            edit_a::<Turn>(b, "turn.txt", |turn| {
                turn.beacon =
                    turn.beacon.map(|old| BeaconString { randomness: flip(old.randomness), ..old });
                turn.beacon.is_some()
            })
        }),
        row("beacon value made up, page and all", Check::Beacon, true, |b| {
            in_a_phase(b, |b, folder| {
                let path = format!("{folder}/beacon.json");
                let Some(page) = text(b, &path) else { return false };
                let mut signature = BeaconValue::parse(&page).unwrap().signature;
                signature[47] ^= 1;
                let value =
                    BeaconValue::signed(BeaconValue::parse(&page).unwrap().round, signature);
                put(b, &path, &value.to_text());
                edit::<Turn>(b, &format!("{folder}/turn.txt"), |turn| {
                    turn.beacon = Some(value.string());
                    true
                })
            })
        }),
        row("round changed in the lock", Check::Beacon, true, |b| {
            edit_a::<Lock>(b, "lock.txt", |lock| {
                lock.beacon = lock.beacon.map(|RoundName(round)| RoundName(round + 1));
                lock.beacon.is_some()
            })
        }),
        row("deadline changed", Check::Beacon, true, other_deadline),
        row("early lock time changed", Check::Beacon, true, |b| {
            edit_a::<Lock>(b, "lock.txt", |lock| {
                let early = lock.early == YesNo::Yes && lock.beacon.is_some();
                lock.locked = lock.locked.plus(-86_400);
                early
            })
        }),
        row("extension made after the deadline", Check::Call, true, |b| {
            in_a_phase(b, |b, folder| {
                let Some(first) = get::<Call>(b, &format!("{folder}/call.txt")) else {
                    return false;
                };
                edit::<Call>(b, &format!("{folder}/call-2.txt"), |call| {
                    call.made = first.deadline;
                    true
                })
            })
        }),
        row("extension dropped", Check::Lock, false, |b| {
            in_a_phase(b, |b, folder| b.files.remove(&format!("{folder}/call-2.txt")).is_some())
        }),
        row("other window", Check::Call, true, |b| {
            in_a_phase(b, |b, folder| {
                let paths = calls(b, folder);
                paths.iter().all(|path| {
                    edit::<Call>(b, path, |call| {
                        call.window = despatch::core::id::Id::new("elsewhere").unwrap();
                        true
                    })
                })
            })
        }),
        row("secret swapped", Check::Chain, true, |b| {
            edit_a::<Turn>(b, "turn.txt", |turn| {
                turn.reference = flip(turn.reference);
                true
            })
        }),
        row("index skipped", Check::Chain, true, |b| {
            let Some(next) = get::<Turn>(b, "phase-002/turn.txt") else { return false };
            edit::<Turn>(b, "phase-001/turn.txt", |turn| {
                turn.reference = next.reference;
                true
            })
        }),
        row("tip changed", Check::Genesis, false, |b| {
            edit::<Offer>(b, "offer.txt", |offer| {
                offer.tip = flip(offer.tip);
                true
            })
        }),
        row("tip changed and every hash mended", Check::Chain, true, |b| {
            edit::<Offer>(b, "offer.txt", |offer| {
                offer.tip = flip(offer.tip);
                true
            })
        }),
        row("nonce changed", Check::Genesis, true, |b| {
            edit::<Genesis>(b, "genesis.txt", |genesis| {
                let join = genesis.joins.first_mut();
                join.map(|join| join.nonce = flip(join.nonce)).is_some()
            })
        }),
        row("state edited", Check::Files, false, |b| {
            in_a_phase(b, |b, folder| add_line(b, &format!("{folder}/state-after.toml"), "# x"))
        }),
        row("events edited", Check::Files, false, |b| {
            in_a_phase(b, |b, folder| add_line(b, &format!("{folder}/events.jsonl"), "{}"))
        }),
        row("report edited", Check::Files, false, |b| {
            in_a_phase(b, |b, folder| add_line(b, &format!("{folder}/report/public.txt"), "x"))
        }),
        row("first state edited", Check::Offer, false, |b| add_line(b, "state-000.toml", "# x")),
        row("amendment removed", Check::Ledger, false, |b| {
            let before = b.files.len();
            b.files.retain(|path, _| !path.starts_with("amend-001/"));
            b.files.len() < before
        }),
        row("note of an amendment edited", Check::Amend, false, |b| {
            add_line(b, "amend-001/note.txt", "And more.")
        }),
        row("rules file edited", Check::Rules, true, |b| {
            let path = b.files.keys().find(|path| path.starts_with("rules/")).cloned();
            path.is_some_and(|path| add_line(b, &path, "# x"))
        }),
        row("ruling edited", Check::Rules, true, |b| {
            let path = b.files.keys().find(|path| path.starts_with("amend-001/rules/")).cloned();
            path.is_some_and(|path| add_line(b, &path, "# x"))
        }),
        row("rules list edited", Check::Rules, false, |b| {
            add_line(b, "rules.sha256", &format!("{}  rules/zzz.toml", "0".repeat(64)))
        }),
        row("note edited", Check::Seals, true, |b| {
            let path = b.files.keys().find(|path| path.starts_with("notes/")).cloned();
            path.is_some_and(|path| add_line(b, &path, "hex = \"0405\""))
        }),
        row("sealed roll opened with other faces", Check::Seals, true, |b| {
            opened_roll(b, |opens, index| {
                if let Opened::Roll { roll, .. } = &mut opens[index] {
                    roll.faces[0] = if roll.faces[0] == 1 { 2 } else { 1 };
                }
            })
        }),
        row("sealed roll opened with another key", Check::Seals, true, |b| {
            opened_roll(b, |opens, index| {
                if let Opened::Roll { key, .. } = &mut opens[index] {
                    *key = flip(*key);
                }
            })
        }),
        row("seal never opened", Check::Close, true, |b| {
            opened_roll(b, |opens, index| {
                opens.remove(index);
            })
        }),
        row("d swapped", Check::Close, true, |b| {
            edit::<Close>(b, "close.txt", |close| {
                close.secret = flip(close.secret);
                true
            })
        }),
        row("a record taken away", Check::Ledger, false, |b| {
            let last = phases(b).len();
            last > 1 && b.files.remove("phase-001/turn.txt").is_some()
        }),
        row("a folder after a gap", Check::Ledger, false, |b| {
            let gap = phases(b).len() + 2;
            put(b, &format!("phase-{gap:03}/call.txt"), "later\n");
            true
        }),
        row("bytes that are no text", Check::Text, false, |b| {
            b.files.insert("genesis.txt".to_owned(), vec![0xff, 0xfe, 0]);
            true
        }),
        row("a line too many in a record", Check::Format, false, |b| {
            in_a_phase(b, |b, folder| add_line(b, &format!("{folder}/lock.txt"), "more=1"))
        }),
    ]
}

/// Rewrites the last record so that it still follows from the one before.
pub(crate) fn rewrite_the_last_record(bundle: &mut MemoryBundle) {
    let closed = edit::<Close>(bundle, "close.txt", |close| {
        "somebody else won".clone_into(&mut close.result);
        true
    });
    if !closed {
        let path = format!("{}/turn.txt", phases(bundle).pop().unwrap());
        edit::<Turn>(bundle, &path, |turn| {
            "despatch/9.9.9".clone_into(&mut turn.engine);
            true
        });
    }
}

/// Runs every tamper that applies over a bundle that passes, and asserts that each
/// is named by its check. Returns the names of those that found no place.
pub(crate) fn run_all(bundle: &MemoryBundle, options: &Options) -> Vec<&'static str> {
    let (mut skipped, mut wrong) = (Vec::new(), Vec::new());
    for tamper in tampers() {
        let mut changed = bundle.clone();
        if !(tamper.change)(&mut changed) {
            skipped.push(tamper.name);
            continue;
        }
        if tamper.mended {
            mend(&mut changed);
        }
        let found = verify(&changed, None, options).failure;
        if found.as_ref().map(|failure| failure.check) != Some(tamper.check) {
            wrong.push(format!("{}: not `{}` but {found:?}", tamper.name, tamper.check));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    skipped
}
