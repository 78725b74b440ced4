//! Messages that go out, deadlines, substitutes, signatures and press.

use std::process::Command;

use despatch::mail::letter::Letter;

use crate::table::{Table, stamp};

/// The messages in a Maildir.
pub(crate) fn maildir(table: &Table, dir: &str) -> Vec<Letter> {
    let mut paths: Vec<_> = std::fs::read_dir(table.root.join(dir).join("new"))
        .map(|all| all.map(|e| e.unwrap().path()).collect())
        .unwrap_or_default();
    paths.sort();
    paths.iter().map(|p| Letter::read(&std::fs::read(p).unwrap()).unwrap()).collect()
}

fn called() -> Table {
    let table = Table::new();
    table.begin_by_mail("plain");
    table.run(&["call"]).ok();
    table
}

#[test]
fn messages_are_mail_that_a_person_can_answer() {
    let mut table = called();
    table.phase_by_hand();
    let outbox = table.root.join("g/outbox");
    let mut ids = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(outbox).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let letter = Letter::read(&bytes).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(ids.insert(letter.id.clone().unwrap()), "{name}");
        for head in [
            "From: \"Rita\" <rita@club.example>",
            "Reply-To:",
            "Date:",
            "Auto-Submitted: auto-",
            "MIME-Version: 1.0",
            "Subject: [g] ",
        ] {
            assert!(
                text.contains(&format!("\r\n{head}")) || text.starts_with(head),
                "{name}: {head}\n{text}"
            );
        }
        // One thread a game and player: every message refers to the offer.
        let offer = name.starts_with("offer-");
        assert_eq!(text.contains("\r\nReferences: "), !offer, "{name}");
        let north = table.read("g/outbox/offer-north.eml");
        let root = Letter::read(north.as_bytes()).unwrap().id.unwrap();
        if name.ends_with("-north.eml") && !offer {
            assert!(text.contains(&format!("\r\nReferences: <{root}>\r\n")), "{name}: {text}");
        }
        for line in letter.body.text.lines() {
            let form = line.starts_with("head") || line.starts_with("ticket");
            assert!(form || line.chars().count() <= 72, "{name}: {line}");
        }
    }
    let call = table.read("g/outbox/phase-001-call-north.eml");
    let letter = Letter::read(call.as_bytes()).unwrap();
    let files: Vec<&str> = letter.files.iter().filter_map(|f| f.name.as_deref()).collect();
    assert_eq!(files, ["g-1-north.toml", "view-north-1.toml", "call.txt"]);
    assert!(letter.body.text.ends_with(&table.read("g/phase-001/forms/north.toml")));
    insta::assert_snapshot!("call", letter.body.text);
    let report = table.read("g/outbox/phase-001-report-north.eml");
    insta::assert_snapshot!("report", Letter::read(report.as_bytes()).unwrap().body.text);
    let offer = table.read("g/outbox/offer-north.eml");
    assert!(offer.contains("ben@players.example"), "{offer}");
}

#[test]
fn a_delivery_that_is_killed_sends_again_under_the_same_id() {
    let table = called();
    let line = ["deliver", "--maildir", "out"];
    let twin = table.copy();
    let whole = twin.run(&line).ok();
    let all = maildir(&twin, "out").len();
    assert!(
        all >= 9 && whole.out.contains(&format!("{all} messages handed over")),
        "{}",
        whole.out
    );
    assert_eq!(std::fs::read_dir(twin.root.join("g/outbox")).unwrap().count(), 0);
    for step in 1..=whole.steps {
        let mut table = table.copy();
        table.die_at = Some(step);
        table.run(&line);
        table.die_at = None;
        table.run(&line).ok();
        assert_eq!(maildir(&table, "out").len(), all, "step {step}");
        assert_eq!(std::fs::read_dir(table.root.join("g/sent")).unwrap().count(), all);
    }
    assert_eq!(twin.run(&line).ok().out, "0 messages handed over\n");
}

#[test]
#[cfg(unix)]
fn what_the_mail_program_refuses_stays() {
    let table = called();
    let refused = table.run(&["deliver", "--sendmail", "false"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("stays: `false` says"), "{}", refused.err);
    let missing = table.run(&["deliver", "--sendmail", "no-such-program -t"]);
    assert!(missing.err.contains("cannot run `no-such-program`"), "{}", missing.err);
    assert!(!table.root.join("g/sent").exists());
    let nobody = table.run(&["deliver"]);
    assert!(nobody.code == 2 && nobody.err.contains("--sendmail"), "{}", nobody.err);
    // Who has no address is served by other means.
    let settings = table.read("g/game.toml").replace("cleo@players.example", "");
    table.write("g/game.toml", &settings);
    table.run(&["reissue", "south-guns"]).ok();
    let ran = table.run(&["deliver", "--maildir", "out"]).ok();
    assert!(
        ran.out.contains("by other means: outbox/phase-001-form-2-south-guns.eml"),
        "{}",
        ran.out
    );
}

#[test]
fn a_form_sent_anew_voids_the_old_one() {
    let table = called();
    let old = table.orders(1, "north", "", true);
    std::fs::rename(table.root.join(&old), table.root.join("old.toml")).unwrap();
    table.run(&["reissue", "north"]).ok();
    let refused = table.run(&["receive", "old.toml"]);
    assert!(refused.out.contains("the ticket is of an earlier form"), "{}", refused.out);
    let new = table.orders(1, "north", "", true);
    table.run(&["check", &new, "--rules", "g"]).ok();
    table.run(&["receive", &new]).ok();
}

#[test]
fn a_substitute_is_in_the_next_record() {
    let mut table = called();
    let first = table.orders(1, "north", "[[walk]]\nunit = \"n-1\"\nby = 1\n", true);
    table.run(&["receive", &first]).ok();
    table.run(&["reissue", "north", "--to", "Dora:dora@players.example"]).ok();
    let mail = table.read("g/outbox/phase-001-form-2-north.eml");
    assert!(mail.contains("dora@players.example") && !mail.contains("anna@"), "{mail}");
    // What Anna sent counts until Dora sends something; Anna can send no more.
    assert!(table.read("g/phase-001/orders/north.toml").contains("by = 1"));
    assert_eq!(table.run(&["receive", &first]).code, 0);
    table.write("more.toml", &table.read(&first).replace("by = 1", "by = 2"));
    assert_eq!(table.run(&["receive", "more.toml"]).code, 1);
    table.now = table.now.plus(8 * 86_400);
    table.run(&["lock", "--allow-missing", "2"]).ok();
    table.run(&["adjudicate"]).ok();
    let called = table.run(&["call"]).ok();
    assert!(called.out.contains("Amendment 1 (seat)"), "{}", called.out);
    assert!(table.read("g/amend-001/note.txt").contains("north: Anna -> Dora"));
    table.now = table.now.plus(8 * 86_400);
    table.run(&["lock", "--allow-missing", "3"]).ok();
    table.run(&["adjudicate"]).ok();
    table.run(&["call"]).ok();
    assert!(!table.root.join("g/amend-002").exists());
    table.run(&["verify", "g", "--replay"]).ok();
}

fn set(table: &Table, deadline: &str) {
    let settings = table.read("g/game.toml");
    let (before, rest) = settings.split_once("[deadline]\n").unwrap();
    let (_, players) = rest.split_once("\n[player").unwrap();
    table.write("g/game.toml", &format!("{before}[deadline]\n{deadline}\n\n[player{players}"));
}

#[test]
fn deadlines_are_told_in_the_games_zone() {
    let table = Table::new();
    table.begin_by_mail("plain");
    set(
        &table,
        "days = 5\nweekdays = [\"sun\"]\ntime = \"20:00\"\nzone = \"Europe/Berlin\"\n\
                 remind_hours = 24\nmissing = \"extend\"\nallow_missing = 1\nextend_days = 2",
    );
    table.run(&["call"]).ok();
    let letter = Letter::read(table.read("g/outbox/phase-001-call-south.eml").as_bytes()).unwrap();
    let text = letter.body.text;
    for words in [
        "Sun 2027-01-10 19:00 UTC (20:00 Europe/Berlin), in 145 hours.",
        "the deadline moves once, to Sun 2027-01-17 19:00 UTC",
    ] {
        assert!(text.replace('\n', " ").contains(words), "{text}");
    }
    set(&table, "days = 5\nzone = \"Berlin\"");
    let bad = table.run(&["status"]);
    assert_eq!(bad.code, 0, "the position can be read all the same: {}", bad.err);
    assert!(table.run(&["remind"]).err.contains("[deadline] zone = `Berlin`"));
}

#[test]
fn reminders_go_once_to_those_who_are_missing() {
    let table = called();
    let file = table.orders(1, "north", "", true);
    table.run(&["receive", &file]).ok();
    let said = table.run(&["remind"]).ok().out;
    assert_eq!(said, "reminded: south, south-guns\n");
    assert_eq!(table.run(&["remind"]).ok().out, "reminded: nobody\n");
    table.run(&["deliver", "--maildir", "out"]).ok();
    assert_eq!(table.run(&["remind"]).ok().out, "reminded: nobody\n");
}

#[test]
fn press_is_shown_to_those_whom_it_is_for() {
    let mut table = Table::new();
    table.begin_by_mail("dark");
    let settings = table.read("g/game.toml");
    table.write("g/game.toml", &format!("{settings}\n[press]\nanonymous = true\n"));
    table.run(&["call"]).ok();
    let press = "[[message]]\nto = \"all\"\ntext = \"\"\"\nWe come in peace.\n[[walk]]\"\"\"\n\
                 [[message]]\nto = \"south\"\ntext = \"a plot\"\nanonymous = true\n\
                 [[walk]]\nunit = \"n-1\"\nby = 2\n[[message]]\nto = \"nroth\"\ntext = \"x\"\n";
    let file = table.orders(1, "north", press, true);
    let ran = table.run(&["receive", &file]);
    for words in [
        "message to all (5 words)",
        "message to south (2 words, without your name)",
        "nobody is called `nroth`",
        "did you mean `north`?",
        "n-1 walks 2",
    ] {
        assert!(ran.out.contains(words), "{words}: {}", ran.out);
    }
    table.now = table.now.plus(8 * 86_400);
    table.run(&["lock", "--allow-missing", "2"]).ok();
    table.run(&["adjudicate"]).ok();
    let report = |player: &str| {
        let text = table.read(&format!("g/outbox/phase-001-report-{player}.eml"));
        Letter::read(text.as_bytes()).unwrap().body.text
    };
    let seen = report("south");
    assert!(seen.contains("north to all:\n  | We come in peace.\n  | [[walk]]\n"), "{seen}");
    assert!(seen.contains("somebody to south:\n  | a plot\n"), "{seen}");
    // A side's message is for the side that reads it, guns included.
    assert!(report("south-guns").contains("a plot"));
    let public = table.read("g/phase-001/press/public.txt");
    assert!(public.contains("peace") && !public.contains("plot"), "{public}");
    assert!(table.run(&["report", "--for", "public"]).ok().out.contains("We come in peace"));
    table.run(&["verify", "g", "--replay"]).ok();
    table.run(&["bundle", "--for", "south", "b"]).ok();
    assert!(table.root.join("b/phase-001/press/south.txt").exists());
    assert!(!table.root.join("b/phase-001/press/north.txt").exists());
    table.run(&["verify", "b"]).ok();
}

#[test]
fn an_open_game_has_no_anonymous_press() {
    let table = called();
    let file = table.orders(
        1,
        "north",
        "[[message]]\nto = \"all\"\ntext = \"x\"\nanonymous = true\n",
        true,
    );
    let ran = table.run(&["receive", &file]);
    assert!(ran.out.contains("this game has no anonymous press"), "{}", ran.out);
    assert_eq!(table.run(&["check", &file, "--rules", "g"]).code, 1);
}

/// True where a program can be run.
pub(crate) fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--help").output().is_ok();
    if !found {
        println!("skipped: no {program} on this machine");
    }
    found
}

#[test]
#[cfg(unix)]
fn a_player_with_a_key_signs_every_file() {
    if !there("ssh-keygen") {
        return;
    }
    let table = called();
    let keygen = |words: &[&str]| {
        let done =
            Command::new("ssh-keygen").args(words).current_dir(&table.root).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    for key in ["anna", "mallory"] {
        keygen(&["-q", "-t", "ed25519", "-N", "", "-C", key, "-f", key]);
    }
    let key = table.read("anna.pub");
    let settings = table.read("g/game.toml");
    let address = "address = \"anna@players.example\"\n";
    let with_key = format!("{address}key = \"{}\"\n", key.trim());
    table.write("g/game.toml", &settings.replace(address, &with_key));
    let file = table.orders(1, "north", "[[walk]]\nunit = \"n-1\"\nby = 2\n", true);
    let unsigned = table.run(&["receive", &file]);
    assert!(
        unsigned.out.contains("registered a key, and this file is not signed"),
        "{}",
        unsigned.out
    );
    let sign = |key: &str, space: &str| {
        let _ = std::fs::remove_file(table.root.join(format!("{file}.sig")));
        keygen(&["-q", "-Y", "sign", "-f", key, "-n", space, &file]);
    };
    for (key, space) in [("mallory", "pbem-orders@g"), ("anna", "pbem-orders@other")] {
        sign(key, space);
        let forged = table.run(&["receive", &file]);
        assert!(forged.out.contains("the signature is not of this file"), "{}", forged.out);
    }
    assert!(!table.root.join("g/phase-001/orders/north.toml").exists());
    sign("anna", "pbem-orders@g");
    // By mail, both attached; the program made CR LF of the text.
    let attach = |name: &str| {
        let text = table.read(name).replace('\n', "\r\n");
        format!(
            "--b\r\nContent-Type: text/plain; name=\"{name}\"\r\nContent-Disposition: attachment; \
                 filename=\"{name}\"\r\n\r\n{text}\r\n"
        )
    };
    let mail = format!(
        "From: anna@players.example\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n{}{}--b--\r\n",
        attach(&file),
        attach(&format!("{file}.sig"))
    );
    table.write("signed.eml", &mail);
    table.run(&["receive", "signed.eml"]).ok();
    table.write("spoilt.eml", &mail.replace("by = 2", "by = 3"));
    assert_eq!(table.run(&["receive", "spoilt.eml"]).code, 1);
    let mut table = table;
    table.now = stamp("2027-01-12T00:00:00Z");
    assert!(table.read("g/phase-001/orders/north.toml").contains("by = 2"));
}

#[test]
fn a_stranger_changes_nothing_and_hears_nothing() {
    let table = called();
    let before = table.tree();
    let form = table.read("g/phase-001/forms/north.toml");
    let other = table.read("g/phase-001/forms/south.toml");
    let ticket = |text: &str| text.lines().find(|l| l.starts_with("ticket")).unwrap().to_owned();
    // South knows south's ticket, not north's; and says to be north.
    let forged = form.replace(&ticket(&form), &ticket(&other));
    table.write("forged.eml", &format!("From: anna@players.example\r\nSubject: x\r\n\r\n{forged}"));
    let ran = table.run(&["receive", "forged.eml"]);
    assert!(ran.out.contains("the ticket is not that of your form"), "{}", ran.out);
    assert!(!table.root.join("g/phase-001/orders/north.toml").exists());
    table.write("spam.eml", "From: x@evil.example\r\nSubject: hello\r\n\r\nno orders\r\n");
    table.run(&["receive", "spam.eml"]);
    for (path, bytes) in table.tree() {
        if path.starts_with("outbox/") && !before.contains_key(&path) {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains("anna@players.example"), "{path}: {text}");
            assert!(!text.contains("evil.example"), "{path}: {text}");
        }
    }
}
