//! A game's folder from the offer to the close, with the tiny game.

use crate::table::{Table, stamp, tree};

#[test]
fn a_whole_game_is_played_and_verified() {
    let mut table = Table::new();
    table.begin("plain");
    assert!(table.read("g/outbox/offer-north.eml").contains("KEEP THIS MAIL"));
    for phase in 1..=6 {
        table.phase(phase);
    }
    table.run(&["call"]).refused("the game is over");
    let closed = table.run(&["close"]).ok();
    assert!(closed.out.contains("Draw on the road"), "{}", closed.out);

    let head = table.run(&["history"]).ok().out;
    let head = head.lines().last().unwrap().split_whitespace().nth(1).unwrap().to_owned();
    let found = table.run(&["verify", "g", "--head", &head, "--replay"]).ok();
    assert!(found.out.contains("ALL CHECKS PASSED"), "{}", found.out);
    assert!(found.out.contains("6 phases resolved again"), "{}", found.out);

    table.run(&["bundle", "--for", "public", "out"]).ok();
    let found = table.run(&["verify", "out", "--head", &head, "--replay"]).ok();
    assert!(found.out.contains("ALL CHECKS PASSED"), "{}", found.out);
    table.run(&["bundle", "--for", "public", "out"]).refused("holds something already");
}

#[test]
fn a_sealed_game_shows_nothing_before_the_close() {
    let mut table = Table::new();
    table.begin("dark");
    table.phase(1);
    table.phase(2);
    table.run(&["call"]).ok();
    for viewer in ["public", "south-guns", "north"] {
        let out = format!("out-{viewer}");
        table.run(&["bundle", "--for", viewer, &out]).ok();
        let files = tree(&table.root.join(&out));
        let secret = |path: &str| {
            let own = |kind: &str, end: &str| path.ends_with(&format!("/{kind}/{viewer}.{end}"));
            let listed = own("orders", "toml") || own("forms", "toml") || own("views", "toml");
            let listed = listed || own("report", "txt") || own("report", "json");
            let words = ["orders/", "forms/", "views/", "events", "state-", "secret", "receipts"];
            let words = words.iter().any(|w| path.contains(w));
            let report = path.contains("/report/") && !path.contains("/report/public.");
            let never = ["outbox", "superseded", "late/", "refused", "joins"];
            path == "game.toml"
                || never.iter().any(|w| path.contains(w))
                || ((words || report) && !listed)
        };
        for (path, bytes) in &files {
            assert!(!secret(path), "{viewer} got {path}");
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("Anna") && !text.contains("example.org"), "{path}");
        }
        let found = table.run(&["verify", &out]).ok();
        assert!(found.out.contains("ALL CHECKS PASSED"), "{}", found.out);
        table.run(&["verify", &out, "--replay"]).refused("not yet possible");
        // There is no state in it: a player looks with the own eyes, the public not at all.
        if viewer == "public" {
            table.run_in(&out, &["map"]).refused("sealed until the close");
        } else {
            let map = table.run_in(&out, &["map"]).ok().out;
            let own = table.run_in("g", &["map", "--for", viewer]).ok().out;
            assert_eq!(map, own, "{viewer}");
            let other = if viewer == "north" { "south" } else { "north" };
            table.run_in(&out, &["map", "--for", other]).refused("sealed until the close");
        }
    }
    // The referee can replay at once; everybody after the close.
    table.run(&["verify", "g", "--replay"]).ok();
    table.now = table.now.plus(8 * 86_400);
    table.run(&["lock", "--allow-missing", "3"]).ok();
    table.run(&["adjudicate"]).ok();
    table.run(&["close", "--result", "an agreed draw"]).ok();
    table.run(&["bundle", "--for", "public", "open"]).ok();
    let found = table.run(&["verify", "open", "--replay"]).ok();
    assert!(found.out.contains("3 phases resolved again"), "{}", found.out);
}

#[test]
fn amendments_are_published_and_replayed() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    let said =
        table.run(&["amend", "ruling", "--set", "pace=2", "--note", "too fast by far"]).ok().out;
    assert!(said.contains("- pace = \"3\"") && said.contains("+ \"pace\" = \"2\""), "{said}");
    table.phase(2);
    let state = table.read("g/phase-002/state-after.toml").replace("at = 2\n", "at = 1\n");
    table.write("mine.toml", &state);
    let said = table.run(&["amend", "state", "mine.toml", "--note", "a slip"]).ok().out;
    assert!(said.contains("n-1: at 2 -> 1"), "{said}");
    table.run(&["amend", "seat", "south=Dora:d@example.org", "--note", "ill"]).ok();
    assert!(table.read("g/game.toml").contains("Dora"));
    table.phase(3);
    table.write("long.toml", "length = 6\nlast_turn = 9\n");
    let line = ["amend", "correct", "--file", "game.toml=long.toml", "--note", "a misprint"];
    table.run(&line).ok();
    assert!(table.run(&["report", "--for", "north"]).ok().out.contains("for north"));
    table.phase(4);
    let found = table.run(&["verify", "g", "--replay"]).ok().out;
    assert!(found.contains("ALL CHECKS PASSED") && found.contains("4 phases"), "{found}");
    table.run(&["bundle", "--for", "north", "out"]).ok();
    let found = table.run(&["verify", "out", "--replay"]).ok().out;
    assert!(found.contains("4 phases"), "{found}");
}

#[test]
fn receipts_replace_each_other_and_nothing_is_lost() {
    let mut table = Table::new();
    table.begin("plain");
    table.run(&["call"]).ok();
    let walk = |by: u32| format!("[[walk]]\nunit = \"n-1\"\nby = {by}\n");
    let file = table.orders(1, "north", &walk(1), false);
    let first = table.run(&["receive", &file]).ok();
    insta::assert_snapshot!("receipt", first.out);
    // The same again changes nothing.
    let before = table.tree();
    table.run(&["receive", &file]).ok();
    assert_eq!(table.tree(), before);
    // A refused order does not make a file invalid.
    let file = table.orders(1, "north", &walk(9), true);
    let second = table.run(&["receive", &file]);
    assert_eq!(second.code, 1);
    assert!(second.out.contains("This replaces receipt 1."), "{}", second.out);
    assert!(second.out.contains("error[1.2]"), "{}", second.out);
    assert!(table.read("g/phase-001/superseded/north-1.toml").contains("by = 1"));
    // A file that does not parse, or with a wrong ticket, displaces nothing.
    table.write("broken.toml", &format!("{}[[walk\n", table.read(&file)));
    let bounced = table.run(&["receive", "broken.toml"]);
    assert!(bounced.out.contains("Your receipt 2 still counts."), "{}", bounced.out);
    let ticket = table.read(&file).replace("ticket = \"", "ticket = \"0");
    table.write("ticket.toml", &ticket);
    table.run(&["receive", "ticket.toml"]);
    assert!(table.read("g/phase-001/refused/north-2.toml").contains("ticket"));
    assert!(table.read("g/phase-001/orders/north.toml").contains("by = 9"));
    // What nobody sent is kept too.
    table.write("spam.txt", "buy now\n");
    let spam = table.run(&["receive", "spam.txt"]);
    assert!(spam.out.contains("NOBODY'S"), "{}", spam.out);
    assert_eq!(table.read("g/unclaimed/1.toml"), "buy now\n");
    let status = table.run(&["status"]).ok().out;
    assert!(status.contains("final"), "{status}");
    // Late files are late.
    let late = table.orders(1, "south", "", false);
    table.now = stamp("2027-02-01T00:00:00Z");
    table.run(&["lock", "--allow-missing", "2"]).ok();
    let late = table.run(&["receive", &late]);
    assert!(late.out.contains("TOO LATE"), "{}", late.out);
    assert!(table.read("g/phase-001/late/south-1.toml").contains("south"));
}

#[test]
fn a_player_checks_and_asks_with_the_view_that_was_sent() {
    let mut table = Table::new();
    table.begin("dark");
    table.phase(1);
    table.run(&["call"]).ok();
    let file = table.orders(2, "south", "[[walk]]\nunit = \"s-2\"\nby = 1\n", false);
    table.run(&["bundle", "--for", "south", "mine"]).ok();
    let view = "mine/phase-002/views/south.toml";
    let checked = table.run(&["check", &file, "--rules", "mine", "--view", view]);
    assert_eq!(checked.code, 1);
    assert!(checked.err.contains("error[1.1]: `s-2` is not yours"), "{}", checked.err);
    let form = table.run(&["form", "south"]).ok().out;
    table.write("form.toml", &form);
    table.run(&["check", "form.toml", "--rules", "mine"]).ok();
    let answer = table.run(&["ask", "where", "s-1", "--rules", "mine", "--view", view]).ok();
    assert_eq!(answer.out, "at 4\n");
    let json = table.run(&["--format", "json", "ask", "where", "s-1"]).ok();
    assert_eq!(json.out, "{\"at\":4}\n");
    let unknown = table.run(&["ask", "where", "n-1", "--rules", "mine", "--view", view]);
    assert_eq!(unknown.code, 2);
    assert!(table.run(&["map"]).ok().out.contains("n-1"));
    assert!(!table.run(&["map", "--for", "south"]).ok().out.contains("n-1"));
    assert!(table.run(&["luck"]).ok().out.contains("spread"));
    assert!(table.run(&["report", "--dice"]).ok().out.contains("t1/walk/n-1"));
    let by_hand = table.run(&["verify", "g", "--roll", "t1/walk/n-1"]).ok().out;
    assert!(by_hand.contains("sha256sum"), "{by_hand}");
}

#[test]
fn an_extension_comes_before_the_deadline_only() {
    let mut table = Table::new();
    table.begin("plain");
    table.run(&["call", "--deadline", "2027-01-08T18:00:00Z"]).ok();
    table.run(&["call"]).refused("called already");
    table.run(&["call", "--deadline", "2027-01-07T18:00:00Z"]).refused("no extension");
    table.run(&["call", "--deadline", "2027-01-09T18:00:00Z"]).ok();
    assert!(table.read("g/phase-001/call-2.txt").contains("2027-01-09"));
    table.now = stamp("2027-01-09T18:00:00Z");
    table.run(&["call", "--deadline", "2027-01-10T18:00:00Z"]).refused("is over");
    table.run(&["lock", "--allow-missing", "3"]).ok();
    table.run(&["adjudicate"]).ok();
    table.run(&["verify", "g", "--replay"]).ok();
}

#[test]
fn a_rehearsal_writes_nothing() {
    let table = Table::new();
    table.begin("plain");
    table.run(&["call"]).ok();
    let before = table.tree();
    let said = table.run(&["adjudicate", "--rehearse"]).ok().out;
    assert!(said.starts_with("REHEARSAL"), "{said}");
    assert_eq!(table.tree(), before);
}

#[test]
fn the_same_game_leaves_the_same_files() {
    let play = || {
        let mut table = Table::new();
        table.begin("dark");
        table.phase(1);
        table.phase(2);
        table.tree()
    };
    let (one, two) = (play(), play());
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (path, bytes) in &one {
        assert_eq!(bytes, &two[path], "{path}");
    }
}

#[test]
fn the_close_opens_rolls_and_notes() {
    let mut table = Table::new();
    table.begin("dark");
    table.run(&["call"]).ok();
    table.write("mines.txt", "two mines in the road\n");
    let salt = "0c".repeat(32);
    let line = ["hide", "mines.txt", "--phase", "1", "--player", "north", "--salt", &salt];
    let sealed = table.run(&line).ok().out;
    let commitment = sealed.lines().next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let stanza = format!("[[hide]]\nnote = \"two mines in the road\"\nsalt = \"{salt}\"\n");
    assert!(
        sealed.contains("\nIn your orders of phase 1:\n") && sealed.contains(&stanza),
        "{sealed}"
    );
    let (_, order) = sealed.split_once("phase 1:\n").unwrap();
    let order = order.split_once("Tell nobody").unwrap().0;
    let order: toml::Table = toml::from_str(order).unwrap();
    assert_eq!(order["hide"][0]["salt"].as_str(), Some(&*salt));
    // What does not fit between quotes is no stanza: its file and salt are kept.
    for note in ["say \"no\"\n", "two\nlines\n", "\n"] {
        table.write("other.txt", note);
        let said = table.run(&["hide", "other.txt", "--phase", "1", "--player", "north"]).ok().out;
        assert!(!said.contains("[[hide]]"), "{said}");
        assert!(said.contains("Put the commitment into your orders of phase 1"), "{said}");
    }
    let file = table.orders(1, "north", &format!("hide = \"{commitment}\"\n"), false);
    table.run(&["receive", &file]).ok();
    table.now = table.now.plus(8 * 86_400);
    table.run(&["lock", "--allow-missing", "2"]).ok();
    table.run(&["adjudicate"]).ok();
    table.run(&["close", "--result", "a draw"]).refused("north sealed in phase 1");
    let open = format!("{salt}:mines.txt");
    table.run(&["close", "--result", "a draw", "--open", &open]).ok();
    assert!(table.read(&format!("g/notes/{commitment}.txt")).contains("two mines"));
    table.run(&["bundle", "--for", "public", "out"]).ok();
    let found = table.run(&["verify", "out", "--replay"]).ok().out;
    assert!(found.contains("2 made, 2 opened"), "{found}");
}

#[test]
fn a_beacon_game_is_played_with_published_rounds() {
    let mut table = Table::new();
    table.now = stamp("2023-08-23T15:05:33Z");
    table
        .run(&[
            "new", "plain", "g", "--dice", "beacon", "--wait", "600", "--grid", "3", "--player",
            "north=A", "--player", "south=B",
        ])
        .ok();
    let rounds = [(
        123_u32,
        "fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc",
        "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92",
    )];
    for (round, randomness, signature) in rounds {
        let page = format!(
            "{{\"round\":{round},\"randomness\":\"{randomness}\",\"signature\":\"{signature}\"}}\n"
        );
        table.write("genesis.json", &page);
    }
    let sample =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample/phase-002/beacon.json");
    table.write("round.json", &std::fs::read_to_string(sample).unwrap());
    table.run(&["genesis", "--beacon", "genesis.json"]).ok();
    table.run(&["call", "--deadline", "2023-08-23T15:49:24Z"]).ok();
    table.now = stamp("2023-08-23T15:50:00Z");
    let locked = table.run(&["lock", "--allow-missing", "2"]).ok().out;
    assert!(locked.contains("round 1000"), "{locked}");
    let waits = table.run(&["adjudicate"]).refused("round 1000");
    assert!(waits.err.contains("curl -s"), "{}", waits.err);
    table.run(&["adjudicate", "--beacon", "genesis.json"]).refused("is round 123, not 1000");
    table.run(&["adjudicate", "--beacon", "round.json"]).ok();
    let found = table.run(&["verify", "g", "--replay"]).ok().out;
    assert!(found.contains("one beacon value"), "{found}");
}

#[test]
fn the_demo_plays_a_sample_and_leaves_the_same_files_everywhere() {
    let play = |dir: &str, now: &str| {
        let mut table = Table::new();
        table.now = stamp(now);
        let said = table.run(&["demo", "--dir", dir]).ok().out;
        (tree(&table.root.join(dir)), said.replace(&*table.root.join(dir).to_string_lossy(), "D"))
    };
    let (one, said) = play("one", "2027-01-04T18:00:00Z");
    insta::assert_snapshot!("demo", said);
    let (two, _) = play("deep/two", "2031-05-06T07:08:09Z");
    assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>());
    for (path, bytes) in &one {
        assert_eq!(bytes, &two[path], "{path}");
    }
    let table = Table::new();
    table.run(&["demo", "plain"]).ok();
    table.run(&["demo", "short"]).ok();
    assert!(table.root.join("despatch-demo-short-2/bundle/close.txt").exists());
    assert_eq!(table.run(&["demo", "moon"]).code, 2);
    table.run(&["demo", "--dir", "despatch-demo-short"]).refused("is not empty");
}

/// Runs the commands of a mail that follow an indent of two, in a shell.
#[cfg(unix)]
fn by_hand(mail: &str, fill: &[(&str, &str)]) -> Vec<String> {
    let mut said = Vec::new();
    // A command goes on where a line ends with a backslash.
    let mail = mail.replace("\r\n", "\n").replace("\\\n", " ");
    for line in mail.lines().filter(|l| l.trim_start().starts_with("printf ")) {
        let words = line
            .split_whitespace()
            .map(|word| fill.iter().find(|(name, _)| *name == word).map_or(word, |(_, text)| text));
        let line = words.collect::<Vec<_>>().join(" ");
        let done = std::process::Command::new("sh").arg("-c").arg(&line).output().unwrap();
        let out = String::from_utf8(done.stdout).unwrap();
        said.push(out.split_whitespace().next().unwrap_or_default().to_owned());
    }
    said
}

#[test]
#[cfg(unix)]
fn the_commands_in_the_mails_work_by_hand() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    let offer = table.read("g/outbox/offer-north.eml");
    let tip = offer.lines().find_map(|l| l.strip_prefix("tip ")).unwrap();
    let report = table.read("g/outbox/phase-001-report-north.eml");
    assert_eq!(by_hand(&report, &[]), [tip]);
    let turn = table.read("g/phase-001/turn.txt");
    let reference = turn.lines().find_map(|l| l.strip_prefix("ref=")).unwrap();
    let nonce = "0a".repeat(32);
    let said = by_hand(&offer, &[("NONCE", &nonce), ("INDEX", "0"), ("REF", reference)]);
    let line = ["nonce", "--player", "north", "--nonce", &nonce];
    let commitment = table.run(&line).ok().out;
    assert_eq!(commitment.lines().next().unwrap(), format!("commitment {}", said[0]));
    assert_eq!(said[1], tip);
}

#[test]
fn a_correction_of_a_sealed_game_repeats_no_seal() {
    let mut table = Table::new();
    table.begin("dark");
    table.phase(1);
    table.write("long.toml", "length = 6\nlast_turn = 9\n");
    let line = ["amend", "correct", "--file", "game.toml=long.toml", "--note", "a misprint"];
    table.run(&line).ok();
    table.phase(2);
    let again = ["amend", "correct", "--note", "again"];
    table.run(&again).refused("nothing would change");
    table.write("long.toml", "length = 6\nlast_turn = 8\n");
    table.run(&line).ok();
    table.run(&["close", "--result", "a draw"]).ok();
    table.run(&["bundle", "--for", "public", "out"]).ok();
    let found = table.run(&["verify", "out", "--replay"]).ok().out;
    assert!(found.contains("2 made, 2 opened"), "{found}");
}
