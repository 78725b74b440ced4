//! The short verifier in Python, which was written from `docs/dice.md` and not from
//! the program: it must pass what passes and name the same check as the program.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use despatch::bundle_dir::DirBundle;
use despatch::core::record::{Fate, Lock};
use despatch::core::verify::{Bundle as _, Check, MemoryBundle, Options, verify};

use crate::tamper::{self, add_line, cut_before_close, load, mend, put, spoil};
use crate::{tampers, verification};

const LAST: &str = "b02c305d8a6c991d81b512742460e34dc1c173a2afc2967f033873265573322e";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sample() -> MemoryBundle {
    load(&root().join("tests/data/dice-sample"))
}

/// Whether a program is there; says so if a test cannot run without it.
fn have(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| {
        let version = if **program == "sh" { vec!["-c", ":"] } else { vec!["--version"] };
        let version = if **program == "openssl" { vec!["version"] } else { version };
        !Command::new(program).args(version).output().is_ok_and(|done| done.status.success())
    });
    if let Some(program) = missing {
        let _ = writeln!(std::io::stderr(), "skipped: there is no `{program}` here");
    }
    missing.is_none()
}

/// What the verifier answered.
#[derive(Debug)]
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    /// The check that failed, if one did as it should.
    fn failed(&self) -> Option<&str> {
        let rest = self.out.strip_prefix("FAILED ")?;
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(self.out.ends_with("DO NOT TRUST THIS BUNDLE\n"), "{self:?}");
        rest.split_once(": ").map(|(check, _)| check)
    }

    fn passed(&self) -> &str {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        assert!(self.out.contains("\nALL CHECKS PASSED\nThe dice follow from"), "{self:?}");
        &self.out
    }
}

fn python(words: &[&std::ffi::OsStr]) -> Said {
    let done = Command::new("python3")
        .arg("-B")
        .arg(root().join("templates/verify.py"))
        .args(words)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
    Said { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

fn python_on(folder: &Path, head: Option<&str>) -> Said {
    let mut words = vec![folder.as_os_str()];
    words.extend(head.map(std::ffi::OsStr::new));
    python(&words)
}

fn write(bundle: &MemoryBundle, folder: &Path) {
    for (path, bytes) in &bundle.files {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
}

fn python_of(bundle: &MemoryBundle, head: Option<&str>) -> Said {
    let folder = tempfile::tempdir().unwrap();
    write(bundle, folder.path());
    python_on(folder.path(), head)
}

/// The program's answer to the same question: without signatures, as Python has it.
fn program_of(bundle: &MemoryBundle) -> Option<Check> {
    let options = Options { beacon_key: None };
    verify(bundle, None, &options).failure.map(|failure| failure.check)
}

#[test]
fn it_is_short_and_carried_by_every_bundle() {
    let text = std::fs::read_to_string(root().join("templates/verify.py")).unwrap();
    assert!(text.lines().count() <= 250, "{} lines", text.lines().count());
    assert!(text.lines().all(|line| line.len() <= 120));
}

#[test]
fn the_sample_passes_whole_spoilt_and_cut() {
    if !have(&["python3"]) {
        return;
    }
    let said = python_of(&sample(), Some(LAST));
    let out = said.passed();
    assert!(out.contains("your head is that of close.txt"), "{out}");
    assert!(out.contains("amendment 1: ruling") && out.contains("BLS"), "{out}");
    assert!(!out.contains("could know"), "{out}");
    let said = python_of(&sample(), None);
    assert!(said.passed().contains("the last record proves nothing"));
    let early = "7e1b881df851d6b79fde527fa532547fddad86328c1df864e3831520e908280c";
    assert!(python_of(&sample(), Some(early)).passed().contains("that of genesis.txt"));

    let mut bundle = sample();
    spoil(&mut bundle);
    python_of(&bundle, Some(LAST)).passed();

    let mut bundle = sample();
    cut_before_close(&mut bundle);
    let second = "ede9d6edfee201c42700458b51524840dfed8fb811b2472c1a137938fd7fed56";
    let said = python_of(&bundle, Some(second));
    assert!(said.passed().contains("10 files not published yet"), "{said:?}");
    let mut bundle = sample();
    bundle.files.retain(|path, _| !path.starts_with("close"));
    python_of(&bundle, Some(second)).passed();
    assert!(add_line(&mut bundle, "phase-001/events.jsonl", "{}"));
    assert_eq!(python_of(&bundle, None).failed(), Some("files"));
}

#[test]
fn it_passes_at_every_stage_and_in_a_referees_folder() {
    if !have(&["python3"]) {
        return;
    }
    for keep in [
        &["genesis"][..],
        &["genesis", "phase-001/call"],
        &["genesis", "phase-001/call", "phase-001/lock"],
        &["genesis", "phase-001"],
        &["genesis", "phase-001", "amend-001"],
        &["genesis", "phase-001", "amend-001", "phase-002/call", "phase-002/lock"],
    ] {
        let mut bundle = sample();
        bundle.files.retain(|path, _| {
            ["offer", "rules", "state-000"].iter().chain(keep).any(|word| path.starts_with(word))
        });
        python_of(&bundle, None).passed();
    }
    let mut bundle = sample();
    for path in [
        ".lock",
        "game.toml",
        "joins.toml",
        "referee.secret",
        "outbox/phase-001/report.txt",
        "phase-001/forms/dervish.toml",
        "phase-001/late/dervish-1.toml",
        "phase-001/receipts/dervish-1.txt",
        "phase-001/refused/dervish-1.toml",
        "phase-001/report/dervish.txt",
        "phase-001/superseded/dervish-1.toml",
        "phase-001/views/dervish.toml",
        "unclaimed/1.toml",
        "verify.py",
    ] {
        bundle.files.insert(path.to_owned(), vec![0xff, 0]);
    }
    python_of(&bundle, Some(LAST)).passed();
}

/// Every change of the protocol's table that finds a place in the bundle.
fn tampered(name: &str, bundle: &MemoryBundle, wrong: &mut Vec<String>) -> usize {
    let mut made = 0;
    for tamper in tampers::tampers() {
        let mut changed = bundle.clone();
        if !(tamper.change)(&mut changed) {
            continue;
        }
        if tamper.mended {
            mend(&mut changed);
        }
        // Python cannot check signatures: what the liar made up gives another seed.
        let made_up = tamper.name == "beacon value made up, page and all";
        let expected = if made_up { Check::Seed } else { tamper.check }.to_string();
        let said = python_of(&changed, None);
        if said.failed() != Some(&expected) {
            wrong.push(format!("{name}: {}: not `{expected}` but {said:?}", tamper.name));
        }
        made += 1;
    }
    made
}

#[test]
fn it_names_each_change_as_the_program_does() {
    if !have(&["python3"]) {
        return;
    }
    let mut wrong = Vec::new();
    assert_eq!(tampered("sample", &sample(), &mut wrong), tampers::tampers().len());
    let (open, sealed) = (verification::open_game().bundle(), verification::sealed_game().bundle());
    tampered("open", &open, &mut wrong);
    tampered("sealed", &sealed, &mut wrong);
    for (name, expected, change) in verification::more() {
        let mut changed = open.clone();
        assert!(change(&mut changed), "{name}");
        mend(&mut changed);
        let said = python_of(&changed, None);
        if said.failed() != Some(&expected.to_string()) {
            wrong.push(format!("{name}: not `{expected}` but {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn it_agrees_with_the_program_on_a_line_added_anywhere() {
    if !have(&["python3"]) {
        return;
    }
    let mut wrong = Vec::new();
    for good in [sample(), verification::open_game().bundle()] {
        python_of(&good, None).passed();
        for path in good.files.keys() {
            for mended in [false, true] {
                let mut changed = good.clone();
                assert!(add_line(&mut changed, path, "x"));
                let record = Path::new(path).extension().is_some_and(|e| e == "txt");
                if mended && !record {
                    mend(&mut changed);
                }
                let (said, program) = (python_of(&changed, None), program_of(&changed));
                // A line too many is a fault of form, and of the hash that names the file:
                // either is right, and both must say so.
                let form = program.is_some() && said.failed() == Some("format");
                if !form && said.failed() != program.map(|check| check.to_string()).as_deref() {
                    wrong.push(format!("{path} mended {mended}: {program:?} but {said:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_order_file_may_hold_a_note_itself_in_place_of_its_commitment() {
    let path = "phase-001/orders/dervish.toml";
    let sent = String::from_utf8(sample().files[path].clone()).unwrap();
    let line = |name: &str| sent.lines().find(|l| l.starts_with(name)).unwrap().to_owned();
    let with = |sent: String| {
        let mut bundle = sample();
        put(&mut bundle, path, &sent);
        mend(&mut bundle);
        bundle
    };
    let note = "note = '''\n[[mine]]\nhex = \"0304\"\n'''";
    let whole = with(sent.replace(&line("seal"), note));
    assert_eq!(program_of(&whole), None);
    let no_salt = with(sent.replace(&line("seal"), note).replace(&line("salt"), ""));
    let no_note = with(sent.replace(&line("seal"), ""));
    for bundle in [&no_salt, &no_note] {
        assert_eq!(program_of(bundle), Some(Check::Seals));
    }
    if have(&["python3"]) {
        python_of(&whole, None).passed();
        for bundle in [&no_salt, &no_note] {
            assert_eq!(python_of(bundle, None).failed(), Some("seals"));
        }
    }
}

#[test]
fn only_a_head_catches_the_last_record_rewritten() {
    if !have(&["python3"]) {
        return;
    }
    let mut bundle = sample();
    tampers::rewrite_the_last_record(&mut bundle);
    python_of(&bundle, None).passed();
    assert_eq!(python_of(&bundle, Some(LAST)).failed(), Some("head"));
}

#[test]
fn wrong_usage_is_no_verdict() {
    if !have(&["python3"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let word = |text: &'static str| std::ffi::OsStr::new(text);
    for words in [
        &[][..],
        &[word("/nowhere/at/all")],
        &[folder.path().as_os_str(), word("79d34f1bf56ff21d")],
        &[folder.path().as_os_str(), word(LAST), word(LAST)],
    ] {
        let said = python(words);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        assert!(said.err.contains("verify.py DIR [HEAD]"), "{said:?}");
    }
    assert_eq!(python_on(folder.path(), None).failed(), Some("missing"));
}

/// The demo: its folder, and the last head as the program prints it.
fn demo() -> (tempfile::TempDir, PathBuf, String) {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("demo");
    run_program(&["demo", "--dir", dir.to_str().unwrap(), "--now", "2027-01-01T00:00:00Z"]);
    let game = dir.join("game");
    let history = run_program(&["-C", game.to_str().unwrap(), "history"]);
    let head = history.lines().last().unwrap().split_whitespace().nth(1).unwrap().to_owned();
    (place, dir, head)
}

fn run_program(words: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_despatch")).args(words).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_demo_passes_and_a_changed_face_does_not() {
    if !have(&["python3"]) {
        return;
    }
    let (_place, dir, head) = demo();
    let bundle = dir.join("bundle");
    let shipped = std::fs::read_to_string(bundle.join("verify.py")).unwrap();
    assert_eq!(shipped, std::fs::read_to_string(root().join("templates/verify.py")).unwrap());
    for folder in ["bundle", "game"] {
        let said = python_on(&dir.join(folder), Some(&head));
        assert!(said.passed().contains("your head is that of close.txt"), "{said:?}");
        assert!(said.passed().ends_with("could know these dice in advance.\n"), "{said:?}");
    }
    assert!(python_on(&bundle, None).passed().contains("the last record proves nothing"));
    let disk = DirBundle::open(&bundle).unwrap();
    let rolls = disk.files().into_iter().find(|path| path.ends_with("phase-003/rolls.txt"));
    let file = bundle.join(rolls.unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    let face = text.rfind(' ').unwrap() + 1;
    let other = if text[face..].starts_with('1') { "2\n" } else { "1\n" };
    std::fs::write(&file, format!("{}{other}", &text[..face])).unwrap();
    assert_eq!(python_on(&bundle, Some(&head)).failed(), Some("rolls"));
}

/// Lines of `sh`, run in a folder.
fn shell(folder: &Path, lines: &str) -> String {
    let done = Command::new("sh").args(["-eu", "-c", lines]).current_dir(folder).output().unwrap();
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{err}\n{lines}");
    String::from_utf8(done.stdout).unwrap()
}

/// `(phase, label, sides, faces)` of every roll of dice in a bundle.
fn rolls(bundle: &MemoryBundle) -> Vec<(u32, String, u32, Vec<u32>)> {
    let mut out = Vec::new();
    for (phase, folder) in (1..).zip(tamper::phases(bundle)) {
        let text = tamper::text(bundle, &format!("{folder}/rolls.txt")).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("roll=")) {
            let words: Vec<&str> = line.split(' ').collect();
            let Some((_, sides)) = words[1].split_once('d') else { continue };
            let Ok(sides) = sides.parse() else { continue };
            let faces = words[2].split(',').map(|face| face.parse().unwrap()).collect();
            out.push((phase, words[0].to_owned(), sides, faces));
        }
    }
    out
}

#[test]
#[cfg(unix)]
fn a_roll_by_hand_as_the_page_says() {
    if !have(&["sh", "sha256sum", "openssl"]) {
        return;
    }
    let page = std::fs::read_to_string(root().join("docs/dice.md")).unwrap();
    let section = page.split("## Checking a roll by hand").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks: Vec<&str> =
        section.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let choice = "phase=2 label=fire/offence/0712\n";
    assert!(blocks[0].starts_with(choice), "{}", blocks[0]);
    let (_place, dir, _) = demo();
    for (folder, bundle) in [
        (root().join("tests/data/dice-sample"), sample()),
        (dir.join("bundle"), load(&dir.join("bundle"))),
    ] {
        for (phase, label, _, faces) in rolls(&bundle) {
            let lines =
                blocks.concat().replacen(choice, &format!("phase={phase} label={label}\n"), 1);
            let out = shell(&folder, &lines);
            let lines: Vec<&str> = out.lines().collect();
            assert_eq!(lines[0], lines[1], "the sealed secret of {label}\n{out}");
            assert_eq!(lines[2], lines[3], "the seed of {label}\n{out}");
            let found: Vec<u32> =
                lines.last().unwrap().split_whitespace().map(|n| n.parse().unwrap()).collect();
            assert_eq!(found, faces, "{label}\n{out}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_roll_by_hand_as_the_program_prints_it() {
    if !have(&["sh", "sha256sum", "openssl"]) {
        return;
    }
    let (_place, dir, _) = demo();
    for folder in [dir.join("bundle"), root().join("tests/data/dice-sample")] {
        for (phase, label, sides, faces) in rolls(&load(&folder)) {
            let (phase, folder) = (phase.to_string(), folder.to_str().unwrap());
            let words = ["verify", folder, "--roll", &label, "--phase", &phase];
            let printed = run_program(&words);
            let mut last = String::new();
            let mut lines = printed.lines().peekable();
            while let Some(line) = lines.next() {
                let command = line.trim();
                if !command.starts_with("printf ") && !command.starts_with("head ") {
                    continue;
                }
                last = shell(Path::new(folder), command);
                let found = last.trim().trim_end_matches(" -").trim();
                let told = lines.peek().unwrap().trim().strip_prefix("= ").unwrap();
                assert_eq!(found, told, "{command}");
            }
            let words = last.split_whitespace().map(|word| u32::from_str_radix(word, 16).unwrap());
            let found: Vec<u32> = words.map(|word| word % sides + 1).collect();
            assert_eq!(found, faces, "{label}\n{printed}");
        }
    }
}

/// A change that is always possible.
type Change = fn(&mut MemoryBundle);

#[test]
fn it_names_the_rarer_faults_as_the_program_does() {
    if !have(&["python3"]) {
        return;
    }
    let rows: [(&str, Check, Change); 3] = [
        ("a header that stands in a text of several lines", Check::Orders, |bundle| {
            let path = "phase-001/orders/dervish.toml";
            let text = tamper::text(bundle, path).unwrap();
            put(bundle, path, &format!("note = '''\n{text}'''\n"));
        }),
        ("early, and somebody asked sent nothing", Check::Lock, |bundle| {
            bundle.files.remove("phase-002/orders/british.toml");
            tamper::edit(bundle, "phase-002/lock.txt", |lock: &mut Lock| {
                lock.orders[0].fate = Fate::Nmr;
                true
            });
        }),
        ("a note that its owner never sent", Check::Seals, |bundle| {
            let path = "phase-001/orders/dervish.toml";
            let text =
                tamper::text(bundle, path).unwrap().replace("seal = \"567c", "seal = \"667c");
            put(bundle, path, &text);
        }),
    ];
    for (name, check, change) in rows {
        let mut bundle = sample();
        change(&mut bundle);
        mend(&mut bundle);
        let said = python_of(&bundle, None);
        assert_eq!(program_of(&bundle), Some(check), "{name}");
        assert_eq!(said.failed(), Some(check.to_string().as_str()), "{name}: {said:?}");
    }
}

#[test]
fn words_that_break_the_parser_are_answered() {
    if !have(&["python3"]) {
        return;
    }
    // Numbers beyond all bounds, nested pages, dates that no calendar has.
    let nines = "9".repeat(4_000);
    for (path, from, to) in [
        ("offer.txt", "wait=600", format!("wait={nines}")),
        ("offer.txt", "players=3", format!("players={nines}")),
        ("offer.txt", "made=2023-08-23", "made=2023-02-30".to_owned()),
        ("phase-001/lock.txt", "quicknet:123", format!("quicknet:{nines}")),
        ("phase-001/rolls.txt", "1d6 3", format!("{nines}d6 3")),
        ("phase-001/rolls.txt", "1d6 3", "1d4294967296 3".to_owned()),
        ("phase-001/beacon.json", "{\"round\":123", format!("{}{{\"round\":1", "[".repeat(99_999))),
        ("phase-001/beacon.json", "\"signature\"", "\"sig\"".to_owned()),
        ("rules.sha256", "rules/rulings.toml", "rules/../offer.txt".to_owned()),
    ] {
        let mut bundle = sample();
        let text = tamper::text(&bundle, path).unwrap();
        assert!(text.contains(from), "{path}: {from}");
        put(&mut bundle, path, &text.replace(from, &to));
        let said = python_of(&bundle, None);
        assert!(said.failed().is_some() && said.err.is_empty(), "{path} {from}: {said:?}");
    }
}
