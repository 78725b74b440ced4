//! Mails as real programs make them, taken by `receive`: the corpus in `tests/mail/`.
//!
//! All are mails of north in phase 1 of the game `g`. `orders-*` order the walk of
//! n-1 by 2 and are final; `none-*` order nothing; of the others the snapshot says
//! what they are. `tests/mail/make.py` made them.

use std::path::{Path, PathBuf};

use crate::table::{Table, stamp};

/// The program that the corpus was made with: forms quote the ledger's head.
const ENGINE: &str = "despatch/0.1.0";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail")
}

/// The game `g` with phase 1 called, as the corpus knows it.
pub(crate) fn called() -> Table {
    let mut table = Table::new();
    table.engine = Some(ENGINE.to_owned());
    table.begin("plain");
    table.run(&["call", "--deadline", "2027-01-11T18:00:00Z"]).ok();
    table.now = stamp("2027-01-10T00:00:00Z");
    table
}

/// A mail of the corpus, in the table's folder.
fn put(table: &Table, name: &str) {
    let mail = std::fs::read_to_string(corpus().join(name)).unwrap_or_else(|_| {
        // Latin-1 in the raw: bytes, not text.
        std::fs::copy(corpus().join(name), table.root.join(name)).unwrap();
        String::new()
    });
    if !mail.is_empty() {
        // A picture of ten megabytes is not kept in the sources.
        let picture = format!("{}\r\n", "QUJD".repeat(19)).repeat(130_000);
        std::fs::write(table.root.join(name), mail.replace("@MEGABYTES@", &picture)).unwrap();
    }
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(corpus())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "eml"))
        .collect();
    names.sort();
    names
}

/// What a command changed in the game: new and changed files.
fn changes(before: &Table, after: &Table) -> Vec<String> {
    let old = before.tree();
    let new = after.tree();
    new.iter().filter(|(p, b)| old.get(*p) != Some(b)).map(|(p, _)| p.clone()).collect()
}

#[test]
fn the_corpus_is_of_this_game() {
    let form = std::fs::read_to_string(corpus().join("form.toml")).unwrap();
    assert_eq!(
        called().read("g/phase-001/forms/north.toml"),
        form,
        "the form of the game is another: put it in tests/mail/form.toml, run make.py"
    );
}

#[test]
fn every_mail_of_the_corpus_is_understood() {
    let table = called();
    let names = names();
    assert!(names.len() >= 40, "{} mails", names.len());
    for name in names {
        let twin = table.copy();
        put(&twin, &name);
        let ran = twin.run(&["receive", &name]);
        assert!(ran.code <= 1, "{name}: {}", ran.err);
        let counts = twin.root.join("g/phase-001/orders/north.toml");
        let orders = std::fs::read_to_string(&counts).unwrap_or_default();
        let table_of = |text: &str| toml::from_str::<toml::Table>(text).unwrap_or_default();
        let walk = table_of("[[walk]]\nunit = \"n-1\"\nby = 2\n").remove("walk");
        if name.starts_with("orders-") {
            let found = table_of(&orders);
            assert_eq!(found.get("walk"), walk.as_ref(), "{name}: {}\n{orders}", ran.out);
            assert_eq!(found["final"], toml::Value::Boolean(true), "{name}");
            assert_eq!(ran.code, 0, "{name}: {}", ran.out);
        } else if name.starts_with("none-") {
            assert!(!counts.exists(), "{name}: {}", ran.out);
            assert!(twin.root.join("g/unclaimed/1.eml").exists(), "{name}: {}", ran.out);
        }
        let shown = orders.lines().filter(|l| !l.starts_with('#') && !l.is_empty());
        let text = format!(
            "{}--- orders\n{}\n--- files\n{}\n",
            ran.out,
            shown.collect::<Vec<_>>().join("\n"),
            changes(&table, &twin).join("\n")
        );
        insta::with_settings!({
            snapshot_path => corpus(),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, { insta::assert_snapshot!(name.trim_end_matches(".eml"), text); });
        // Reading it again changes nothing.
        let before = twin.tree();
        twin.run(&["receive", &name]);
        assert_eq!(twin.tree(), before, "{name}");
    }
}

#[test]
fn orders_typed_above_a_quoted_form_take_its_header() {
    let table = called();
    put(&table, "typed-above-the-quoted-form.eml");
    let ran = table.run(&["receive", "typed-above-the-quoted-form.eml"]).ok();
    assert!(ran.out.contains("orders above the form taken\n  under its header"), "{}", ran.out);
    let orders: toml::Table = toml::from_str(&orders_of(&table, "north")).unwrap();
    let form: toml::Table = toml::from_str(&table.read("g/phase-001/forms/north.toml")).unwrap();
    assert_eq!(orders["ticket"], form["ticket"]);
    assert_eq!(orders["final"], toml::Value::Boolean(false), "nobody said that it is");
    let walk = &orders["walk"].as_array().unwrap()[0];
    assert_eq!((walk["unit"].as_str(), walk["by"].as_integer()), (Some("n-1"), Some(2)));
}

#[test]
fn a_subject_is_one_line_whatever_it_holds() {
    let table = called();
    // A line break, a colour and a carriage return, as an encoded word hides them.
    let subject = "=?utf-8?q?hello=0ANOBODY'S_=1B[31mred=0D=0A=09_end?=";
    let mail = |subject: &str, more: &str| {
        format!("From: x@example.org\r\nSubject: {subject}\r\n{more}\r\nno orders\r\n")
    };
    for (name, more) in [
        ("person", ""),
        ("program", "Auto-Submitted: auto-replied\r\n"),
        ("bounce", "Return-Path: <>\r\n"),
    ] {
        table.write("s.eml", &mail(subject, more));
        let ran = table.run(&["receive", "s.eml"]);
        assert!(ran.out.contains("`hello NOBODY'S [31mred end`"), "{name}: {:?}", ran.out);
        assert!(!ran.out.contains(['\u{1b}', '\r']), "{name}: {:?}", ran.out);
    }
    let ran = table.run_in(".", &["club", ".", "--mailbox", "s.eml"]);
    assert!(ran.out.contains("`hello NOBODY'S [31mred end`"), "{:?}", ran.out);
}

/// A mail of north's with orders, received at a time.
pub(crate) fn mail(table: &Table, phase: u32, player: &str, by: u32, at: &str, id: &str) -> String {
    let unit = if player == "north" { "n-1" } else { "s-1" };
    let form = table.read(&format!("g/phase-{phase:03}/forms/{player}.toml"));
    format!(
        "Received: from x.example by mx.club.example; {at}\r\nFrom: {player}@example.org\r\n\
         To: referee@club.example\r\nSubject: orders\r\nMessage-ID: <{id}@example.org>\r\n\r\n\
         {form}\n[[walk]]\nunit = \"{unit}\"\nby = {by}\n"
    )
}

fn orders_of(table: &Table, player: &str) -> String {
    table.read(&format!("g/phase-001/orders/{player}.toml"))
}

#[test]
fn an_older_mail_never_overwrites_a_newer_one() {
    let table = called();
    let one = mail(&table, 1, "north", 1, "Sat, 9 Jan 2027 10:00:00 +0000", "a");
    let two = mail(&table, 1, "north", 2, "Sat, 9 Jan 2027 12:00:00 +0100", "b");
    // An mbox holds them in the wrong order; our server's time decides.
    table.write("box", &format!("From x Sat Jan  9 11:00:00 2027\n{two}\nFrom x\n{one}\n"));
    let ran = table.run(&["receive", "box"]).ok();
    assert!(ran.out.contains("RECEIPT 2"), "{}", ran.out);
    assert!(orders_of(&table, "north").contains("by = 2"));
    // The first arrives a second time, and one that lay somewhere for a day.
    let again = one.replacen("mx.club.example", "mx.club.example with ESMTP id 7", 1);
    table.write("again.eml", &again);
    let ran = table.run(&["receive", "again.eml"]);
    assert!(ran.out.contains("receipt 1 stands"), "{}", ran.out);
    let late = mail(&table, 1, "north", 3, "Fri, 8 Jan 2027 10:00:00 +0000", "c");
    table.write("late.eml", &late);
    let ran = table.run(&["receive", "late.eml"]).ok();
    assert!(ran.out.contains("which still counts"), "{}", ran.out);
    assert!(orders_of(&table, "north").contains("by = 2"));
    assert!(table.read("g/phase-001/superseded/north-3.toml").contains("by = 3"));
    let register = table.read("g/mail/register.txt");
    let words = ["orders=", "orders=", "again=phase-001/superseded/north-1.toml", "superseded="];
    for (line, word) in register.lines().zip(words) {
        assert!(line.contains(word), "{register}");
    }
    // A new mail with the old orders counts: minds change.
    let back = mail(&table, 1, "north", 1, "Sat, 9 Jan 2027 13:00:00 +0000", "d");
    table.write("back.eml", &back);
    let ran = table.run(&["receive", "back.eml"]).ok();
    assert!(ran.out.contains("This replaces receipt 2."), "{}", ran.out);
    assert!(orders_of(&table, "north").contains("by = 1"));
    assert!(table.read("g/phase-001/superseded/north-2.toml").contains("by = 2"));
}

#[test]
fn a_player_whose_header_is_lost_hears_of_it() {
    let table = Table::new();
    table.begin_by_mail("plain");
    table.run(&["call"]).ok();
    let form = table
        .read("g/phase-001/forms/north.toml")
        .replace("player = \"north\"", "player = \"nrth\"");
    let mail = |from: &str| format!("From: <{from}>\nSubject: orders\n\n{form}");
    table.write("known.eml", &mail("Anna@Players.example"));
    let ran = table.run(&["receive", "known.eml"]);
    assert!(ran.out.contains("NOBODY'S"), "{}", ran.out);
    let told = table.read("g/outbox/phase-001-no-orders-north-1.eml");
    assert!(told.contains("anna@players.example"), "{told}");
    table.write("stranger.eml", &mail("x@evil.example"));
    table.run(&["receive", "stranger.eml"]);
    assert!(!table.root.join("g/outbox/phase-001-no-orders-north-2.eml").exists());
    // Not more than three times a phase, whatever comes.
    for number in 0..6 {
        let text = format!("From: anna@players.example\nSubject: {number}\n\nhello {number}\n");
        table.write("hello.eml", &text);
        table.run(&["receive", "hello.eml"]);
    }
    assert!(table.root.join("g/outbox/phase-001-no-orders-north-3.eml").exists());
    assert!(!table.root.join("g/outbox/phase-001-no-orders-north-4.eml").exists());
}

#[test]
fn a_form_quoted_without_marks_displaces_nothing() {
    let table = called();
    let form = table.read("g/phase-001/forms/north.toml");
    let talk = |id: u32, form: &str| {
        format!(
            "From: anna@example.org\nMessage-ID: <{id}@x>\nSubject: Re: phase 1\n\nThanks!\n\n{form}"
        )
    };
    table.write("real.eml", &mail(&table, 1, "north", 2, "Sat, 9 Jan 2027 10:00:00 +0000", "a"));
    table.run(&["receive", "real.eml"]).ok();
    table.write("talk.eml", &talk(1, &form));
    let ran = table.run(&["receive", "talk.eml"]);
    assert!(ran.out.contains("nothing is changed in it"), "{}", ran.out);
    assert!(orders_of(&table, "north").contains("by = 2"));
}

#[test]
fn maildirs_folders_and_pipes_are_read() {
    let mut table = called();
    for dir in ["Maildir/new", "Maildir/cur", "Maildir/tmp"] {
        std::fs::create_dir_all(table.root.join(dir)).unwrap();
    }
    let north = mail(&table, 1, "north", 1, "Sat, 9 Jan 2027 10:00:00 +0000", "a");
    let south = mail(&table, 1, "south", 2, "Sat, 9 Jan 2027 11:00:00 +0000", "b");
    table.write("Maildir/new/1799.M1.host", &north.replace("\r\n", "\n"));
    table.write("Maildir/cur/1799.M2.host:2,S", &south);
    table.run(&["receive", "Maildir"]).ok();
    assert!(orders_of(&table, "north").contains("by = 1"));
    assert!(orders_of(&table, "south").contains("by = 2"));
    let before = table.tree();
    table.run(&["receive", "Maildir"]).ok();
    assert_eq!(table.tree(), before);
    table.input = mail(&table, 1, "north", 3, "Sat, 9 Jan 2027 12:00:00 +0000", "c").into_bytes();
    table.run(&["receive", "-"]).ok();
    assert!(orders_of(&table, "north").contains("by = 3"));
    // To a delivery agent a mail that is kept is delivered: it must not bounce.
    table.input = b"From: x@spam.example\nSubject: x\n\nBuy!\n".to_vec();
    let kept = table.run(&["receive", "-"]).ok();
    assert!(kept.out.contains("kept in unclaimed/1.eml"), "{}", kept.out);
    std::fs::create_dir(table.root.join("empty")).unwrap();
    let ran = table.run(&["receive", "empty"]);
    assert!(ran.code == 2 && ran.err.contains("help: name a Maildir"), "{}", ran.err);
    std::fs::create_dir(table.root.join("in")).unwrap();
    let file = table.orders(1, "south", "", true);
    std::fs::rename(table.root.join(file), table.root.join("in/s.toml")).unwrap();
    table.run(&["receive", "in"]).ok();
    assert!(orders_of(&table, "south").contains("final = true"));
}

#[test]
fn only_our_own_server_says_when_a_mail_came() {
    let table = called();
    let settings = table.read("g/game.toml");
    table.write("g/game.toml", &format!("{settings}\n[mail]\nserver = \"mx.club.example\"\n"));
    let good = mail(&table, 1, "north", 1, "Sat, 9 Jan 2027 10:00:00 +0000", "a");
    table.write("good.eml", &good);
    table.run(&["receive", "good.eml"]).ok();
    // Its sender says that it came in 2020, or tomorrow: the file's time and ours count.
    let forged = mail(&table, 1, "north", 2, "Fri, 3 Jan 2020 10:00:00 +0000", "b")
        .replace("mx.club.example", "mx.sender.example");
    table.write("forged.eml", &forged);
    let evening = u64::try_from(stamp("2027-01-09T20:00:00Z").unix()).unwrap();
    std::fs::File::options()
        .write(true)
        .open(table.root.join("forged.eml"))
        .unwrap()
        .set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(evening))
        .unwrap();
    table.run(&["receive", "forged.eml"]).ok();
    assert!(orders_of(&table, "north").contains("by = 2"));
    let receipts = table.read("g/phase-001/receipts.txt");
    assert!(receipts.contains("2027-01-09T20:00:00Z") && !receipts.contains("2020-"), "{receipts}");
    let ahead = mail(&table, 1, "south", 2, "Wed, 13 Jan 2027 10:00:00 +0000", "c");
    table.write("ahead.eml", &ahead);
    table.run(&["receive", "ahead.eml"]).ok();
    assert!(table.read("g/phase-001/receipts.txt").contains("south"));
    assert!(!table.read("g/phase-001/receipts.txt").contains("2027-01-13"));
}

#[test]
fn replies_to_an_old_phase_and_bad_bytes_come_back_to_their_player() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    table.run(&["call"]).ok();
    let old = mail(&table, 1, "north", 1, "Wed, 13 Jan 2027 10:00:00 +0000", "a");
    table.write("old.eml", &old);
    let ran = table.run(&["receive", "old.eml"]);
    assert!(ran.out.contains("TOO LATE"), "{}", ran.out);
    assert!(table.read("g/mail/register.txt").contains("late=phase-001/late/north-1.toml"));
    let file = table.orders(2, "north", "# caf@\n", false);
    let text: Vec<u8> =
        table.read(&file).bytes().map(|b| if b == b'@' { 0xe9 } else { b }).collect();
    std::fs::write(table.root.join("bad.toml"), text).unwrap();
    let ran = table.run(&["receive", "bad.toml"]);
    assert!(ran.out.contains("NOT TAKEN") && ran.out.contains("0xe9"), "{}", ran.out);
    assert!(table.root.join("g/phase-002/refused/north-1.toml").exists());
}

#[test]
fn orders_that_were_removed_or_edited_are_noticed_before_the_lock() {
    let mut table = called();
    for (player, id) in [("north", "a"), ("south", "b")] {
        let text = mail(&table, 1, player, 1, "Sat, 9 Jan 2027 10:00:00 +0000", id);
        table.write("m.eml", &text);
        table.run(&["receive", "m.eml"]).ok();
    }
    table.now = stamp("2027-01-12T00:00:00Z");
    let path = "g/phase-001/orders/north.toml";
    let good = table.read(path);
    table.write(path, &good.replace("by = 1", "by = 3"));
    table.run(&["lock", "--allow-missing", "1"]).refused("is not the file that counts");
    std::fs::remove_file(table.root.join(path)).unwrap();
    table.run(&["lock", "--allow-missing", "1"]).refused("is gone, and a receipt promises");
    table.write(path, &good);
    table.run(&["lock", "--allow-missing", "1"]).ok();
}

proptest::proptest! {
    #[test]
    fn no_mail_stops_the_program(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400),
                                 at in 0_usize..2_000, name in 0_usize..40) {
        use despatch::mail::{letter::Letter, orders};
        let names = names();
        let mut mail = std::fs::read(corpus().join(&names[name % names.len()])).unwrap();
        let from = at.min(mail.len());
        let to = (from + bytes.len() / 2).min(mail.len());
        mail.splice(from..to, bytes);
        if let Some(letter) = Letter::read(&mail) {
            let form = |_: &str, _: u32, _: &str| Some("game = \"g\"\n# a\n".to_owned());
            let _ = orders::find(&letter, &form);
        }
    }
}
