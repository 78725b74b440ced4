//! Tools to change a bundle: read a record, change it, write it again, and then do
//! what a liar would do next: [`mend`] computes all later hashes again, down the
//! ledger.

use std::path::Path;

use despatch::bundle_dir::DirBundle;
use despatch::core::hash::{self, Hex64};
use despatch::core::record::{
    Amend, Call, Close, Fate, Genesis, Lock, Offer, RecordFault, Rolls, Seals, Turn,
};
use despatch::core::verify::{Bundle, MemoryBundle};

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
