//! Changes that a dishonest or clumsy referee could make to a bundle, and the
//! check that must catch each: the list at the end of `docs/dice.md`, section
//! "Verification".
//!
//! Every [`Tamper`] looks for a place in the bundle where it applies, so the table
//! can be run over any bundle: [`run_all`] says which did. [`mend`] then does what a
//! liar would do next: it computes all later hashes again, down the ledger.

use std::path::Path;

use despatch::bundle_dir::DirBundle;
use despatch::core::beacon::{BeaconString, BeaconValue, RoundName};
use despatch::core::hash::{self, Hex64};
use despatch::core::record::{
    Amend, Call, Close, Fate, Genesis, Lock, Offer, Opened, RecordFault, Rolls, Seals, Turn, YesNo,
};
use despatch::core::verify::{Bundle, Check, MemoryBundle, Options, verify};

/// A folder of files, read into memory.
pub(crate) fn load(folder: &Path) -> MemoryBundle {
    let disk = DirBundle::open(folder).unwrap();
    let files = disk.files().into_iter().map(|path| (path.clone(), disk.read(&path).unwrap()));
    MemoryBundle { files: files.collect() }
}

/// A file as text in normal form.
pub(crate) fn text(bundle: &MemoryBundle, path: &str) -> Option<String> {
    bundle.files.get(path).map(|bytes| hash::normal(bytes).unwrap())
}

/// Replaces a file.
pub(crate) fn put(bundle: &mut MemoryBundle, path: &str, text: &str) {
    bundle.files.insert(path.to_owned(), text.as_bytes().to_vec());
}

/// Adds a line to a text file; false if there is none.
pub(crate) fn add_line(bundle: &mut MemoryBundle, path: &str, line: &str) -> bool {
    let Some(old) = text(bundle, path) else { return false };
    put(bundle, path, &format!("{old}{line}\n"));
    true
}

/// F of a file, if it is there.
pub(crate) fn file_hash(bundle: &MemoryBundle, path: &str) -> Option<Hex64> {
    text(bundle, path).map(|text| hash::text_hash(&text))
}

/// A kind of record that can be read, changed and written again.
pub(crate) trait RecordFile: Sized {
    /// Reads it.
    fn parse(text: &str) -> Result<Self, RecordFault>;
    /// Writes it.
    fn to_text(&self) -> String;
}

macro_rules! record_files {
    ($($name:ident),+) => {
        $(impl RecordFile for $name {
            fn parse(text: &str) -> Result<Self, RecordFault> {
                $name::parse(text)
            }
            fn to_text(&self) -> String {
                $name::to_text(self)
            }
        })+
    };
}
record_files!(Amend, Call, Close, Genesis, Lock, Offer, Rolls, Seals, Turn);

/// A record of the bundle, if it is there.
pub(crate) fn get<T: RecordFile>(bundle: &MemoryBundle, path: &str) -> Option<T> {
    text(bundle, path).map(|text| T::parse(&text).unwrap())
}

/// Changes a record; false if it is not there or `change` finds nothing to change.
pub(crate) fn edit<T: RecordFile>(
    bundle: &mut MemoryBundle,
    path: &str,
    change: impl FnOnce(&mut T) -> bool,
) -> bool {
    let Some(mut record) = get::<T>(bundle, path) else { return false };
    if !change(&mut record) {
        return false;
    }
    put(bundle, path, &record.to_text());
    true
}

/// The folders of the recorded phases, in order.
pub(crate) fn phases(bundle: &MemoryBundle) -> Vec<String> {
    let folder = |number: u32| format!("phase-{number:03}");
    (1..10_000)
        .map(folder)
        .take_while(|folder| bundle.files.contains_key(&format!("{folder}/turn.txt")))
        .collect()
}

/// The paths of a phase's call files, in order.
pub(crate) fn calls(bundle: &MemoryBundle, folder: &str) -> Vec<String> {
    let name = |number: u32| match number {
        1 => format!("{folder}/call.txt"),
        number => format!("{folder}/call-{number}.txt"),
    };
    (1..1_000).map(name).take_while(|path| bundle.files.contains_key(path)).collect()
}

/// A value that differs in its last digit.
pub(crate) fn flip(value: Hex64) -> Hex64 {
    let mut bytes = value.bytes();
    bytes[31] ^= 1;
    Hex64::from_bytes(bytes)
}

/// Computes every hash again that an earlier change made wrong, down the ledger:
/// offer, genesis, calls, the heads that order files quote, locks, turns,
/// amendments, close. Not mended, since they are what a tamper changes: entries of
/// rules lists, joins, rounds, beacons, secrets, seeds, faces, opened seals.
pub(crate) fn mend(bundle: &mut MemoryBundle) {
    let rules = file_hash(bundle, "rules.sha256");
    let state = file_hash(bundle, "state-000.toml");
    edit::<Offer>(bundle, "offer.txt", |offer| {
        offer.rules = rules.unwrap_or(offer.rules);
        offer.state = state.unwrap_or(offer.state);
        true
    });
    let offer: Offer = get(bundle, "offer.txt").unwrap();
    let offer_hash = offer.hash();
    edit::<Genesis>(bundle, "genesis.txt", |genesis| {
        genesis.offer = offer_hash;
        true
    });
    let mut at = At {
        head: file_hash(bundle, "genesis.txt").unwrap(),
        state: offer.state,
        rules: offer.rules,
    };
    let mut amendment = 1;
    for phase in 0_u32.. {
        if phase > 0 {
            let folder = format!("phase-{phase:03}");
            if calls(bundle, &folder).is_empty() {
                break;
            }
            mend_phase(bundle, &folder, &mut at);
        }
        loop {
            let folder = format!("amend-{amendment:03}");
            let next: Option<Amend> = get(bundle, &format!("{folder}/amend.txt"));
            if next.is_none_or(|amend| amend.phase != phase) {
                break;
            }
            mend_amendment(bundle, &folder, &mut at);
            amendment += 1;
        }
    }
    let seals = file_hash(bundle, "close-seals.txt");
    edit::<Close>(bundle, "close.txt", |close| {
        close.prev = at.head;
        close.seals = close.seals.map(|old| seals.unwrap_or(old));
        true
    });
}

/// What the next record must name.
struct At {
    head: Hex64,
    state: Hex64,
    rules: Hex64,
}

fn mend_phase(bundle: &mut MemoryBundle, folder: &str, at: &mut At) {
    let mut before = None;
    for path in calls(bundle, folder) {
        edit::<Call>(bundle, &path, |call| {
            call.prev = at.head;
            call.follows = before;
            true
        });
        before = file_hash(bundle, &path);
    }
    let lock_path = format!("{folder}/lock.txt");
    let Some(mut lock) = get::<Lock>(bundle, &lock_path) else { return };
    lock.call = before.unwrap();
    for line in &mut lock.orders {
        let path = format!("{folder}/orders/{}.toml", line.player);
        let (Fate::File { hash, .. }, Some(old)) = (&mut line.fate, text(bundle, &path)) else {
            continue;
        };
        let quoted: Vec<String> = old
            .lines()
            .map(|line| match line.split_once('=') {
                Some((key, _)) if key.trim() == "head" => format!("head = \"{}\"", at.head),
                _ => line.to_owned(),
            })
            .collect();
        put(bundle, &path, &(quoted.join("\n") + "\n"));
        *hash = file_hash(bundle, &path).unwrap();
    }
    put(bundle, &lock_path, &lock.to_text());
    let of = |name: &str| file_hash(bundle, &format!("{folder}/{name}"));
    let (rolls, seals, events) = (of("rolls.txt"), of("seals.txt"), of("events.jsonl"));
    let (report, state) = (of("report/public.txt"), of("state-after.toml"));
    let path = format!("{folder}/turn.txt");
    let recorded = edit::<Turn>(bundle, &path, |turn| {
        turn.prev = at.head;
        turn.rules = at.rules;
        turn.state_before = at.state;
        turn.lock = lock.hash();
        turn.rolls = rolls.unwrap_or(turn.rolls);
        turn.seals = turn.seals.map(|old| seals.unwrap_or(old));
        turn.events = events.unwrap_or(turn.events);
        turn.report = report.unwrap_or(turn.report);
        turn.state_after = state.unwrap_or(turn.state_after);
        at.state = turn.state_after;
        true
    });
    if recorded {
        at.head = file_hash(bundle, &path).unwrap();
    }
}

fn mend_amendment(bundle: &mut MemoryBundle, folder: &str, at: &mut At) {
    let of = |name: &str| file_hash(bundle, &format!("{folder}/{name}"));
    let (note, list, state) = (of("note.txt"), of("rules.sha256"), of("state-after.toml"));
    let files = [of("rolls.txt"), of("seals.txt"), of("events.jsonl"), of("report/public.txt")];
    let path = format!("{folder}/amend.txt");
    edit::<Amend>(bundle, &path, |amend| {
        let same = amend.state_after == amend.state_before;
        amend.prev = at.head;
        amend.state_before = at.state;
        amend.state_after = if same { at.state } else { state.unwrap_or(amend.state_after) };
        amend.rules = list.unwrap_or(at.rules);
        amend.note = note.unwrap_or(amend.note);
        let fields = [&mut amend.rolls, &mut amend.seals, &mut amend.events, &mut amend.report];
        for (field, file) in fields.into_iter().zip(files) {
            *field = field.map(|old| file.unwrap_or(old));
        }
        at.state = amend.state_after;
        at.rules = amend.rules;
        true
    });
    at.head = file_hash(bundle, &path).unwrap();
}

/// What mail, zip and editors do: a byte order mark, CR LF and trailing blanks in
/// every text file. It must change nothing.
pub(crate) fn spoil(bundle: &mut MemoryBundle) {
    for bytes in bundle.files.values_mut() {
        let text = String::from_utf8(bytes.clone()).unwrap();
        *bytes = format!("\u{feff}{}\r\n", text.replace('\n', " \t\r\n")).into_bytes();
    }
}

/// Takes the close away and, in a sealed game, all that is published only with it.
pub(crate) fn cut_before_close(bundle: &mut MemoryBundle) {
    bundle.files.retain(|path, _| {
        let name = path.rsplit('/').next().unwrap();
        !path.starts_with("close")
            && !path.contains("/orders/")
            && name != "events.jsonl"
            && !name.starts_with("state-")
    });
}

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
