//! Every guard refuses, with the way out in the message.

use crate::table::{Table, stamp};

fn called() -> Table {
    let table = Table::new();
    table.begin("plain");
    table.run(&["call"]).ok();
    table
}

#[test]
fn a_phase_is_resolved_once() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    table.run(&["adjudicate"]).refused("phase 1 is resolved");
    table.run(&["adjudicate", "--phase", "1"]).refused("is resolved already");
    table.run(&["lock"]).refused("not called yet");
    table.up_to_lock(2);
    table.run(&["lock", "--allow-missing", "3"]).refused("locked already");
    table.run(&["adjudicate", "--phase", "3"]).refused("not the next one");
}

#[test]
fn nothing_is_locked_before_the_deadline() {
    let table = called();
    table.run(&["lock"]).refused("the deadline of phase 1 is");
    table.run(&["lock", "--early"]).refused("needs a final file");
    for player in ["north", "south", "south-guns"] {
        let file = table.orders(1, player, "", player != "south");
        table.run(&["receive", &file]).ok();
    }
    table.run(&["lock", "--early"]).refused("south (provisional)");
    let file = table.orders(1, "south", "", true);
    table.run(&["receive", &file]).ok();
    table.run(&["lock", "--early"]).ok();
    table.run(&["adjudicate"]).ok();
    table.run(&["verify", "g", "--replay"]).ok();
}

#[test]
fn nothing_is_locked_early_on_a_final_file_with_refused_orders() {
    let table = called();
    for player in ["south", "south-guns"] {
        let file = table.orders(1, player, "", true);
        table.run(&["receive", &file]).ok();
    }
    let file = table.orders(1, "north", "[[walk]]\nunit = \"n-1\"\nby = 9\n", true);
    let receipt = table.run(&["receive", &file]).out;
    assert!(receipt.contains("no phase is locked early on it"), "{receipt}");
    let status = table.run(&["status"]).ok().out;
    assert!(status.contains("final, orders refused"), "{status}");
    assert!(!status.contains("--early"), "{status}");
    table.run(&["lock", "--early"]).refused("north (orders refused)");
    let file = table.orders(1, "north", "[[walk]]\nunit = \"n-1\"\nby = 1\n", true);
    table.run(&["receive", &file]).ok();
    assert!(table.run(&["status"]).ok().out.contains("despatch lock --early"));
    table.run(&["lock", "--early"]).ok();
}

#[test]
fn an_amendment_has_words_and_a_whole_state() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    for note in ["", " "] {
        let ran = table.run(&["amend", "ruling", "--set", "pace=2", "--note", note]);
        assert!(ran.code != 0 && ran.err.contains("needs words"), "{ran:?}");
    }
    let state = table.read("g/phase-001/state-after.toml");
    table.write("seen.toml", &format!("viewer = \"north\"\n{state}"));
    table.run(&["amend", "state", "seen.toml", "--note", "x"]).refused("not a state");
    let far = state.replace("at = 6\n", "at = 9\n");
    assert_ne!(far, state);
    table.write("far.toml", &far);
    let amend = ["amend", "state", "far.toml", "--note", "x"];
    table.run(&amend).refused("brought this state about:\n");
    table.run(&amend).refused("- s-2 is off the road [2]");
    assert!(!table.root.join("g/amend-001").exists());
    table.run(&[&amend[..], &["--anyway"]].concat()).ok();
    // What stands already is not told again.
    table.write("farther.toml", &far.replace("at = 9\n", "at = 8\n"));
    table.run(&["amend", "state", "farther.toml", "--note", "x"]).ok();
}

#[test]
fn missing_players_are_allowed_by_number() {
    let mut table = called();
    table.now = stamp("2027-02-01T00:00:00Z");
    table.run(&["lock"]).refused("--allow-missing 3");
    table.run(&["lock", "--allow-missing", "2"]).refused("north, south, south-guns");
    table.run(&["lock", "--allow-missing", "3"]).ok();
    table.run(&["adjudicate", "--allow-missing", "2"]).refused("--allow-missing 3");
    table.run(&["adjudicate"]).ok();
}

#[test]
fn nothing_goes_over_what_is_there() {
    let mut table = Table::new();
    table.begin("plain");
    table.up_to_lock(1);
    table.write("g/phase-001/rolls.txt", "mine\n");
    table.run(&["adjudicate"]).refused("is there already and differs");
    assert!(!table.root.join("g/phase-001/turn.txt").exists());
    std::fs::remove_file(table.root.join("g/phase-001/rolls.txt")).unwrap();
    table.run(&["adjudicate"]).ok();
}

#[test]
fn the_state_is_the_ledgers() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    let path = "g/phase-001/state-after.toml";
    let good = table.read(path);
    table.write(path, &good.replace("turn = 1", "turn = 2"));
    table.run(&["call"]).refused("is not the state that the ledger names");
    // Spoilt line ends are no other state.
    table.write(path, &good.replace('\n', "\r\n"));
    table.run(&["call"]).ok();
}

#[test]
fn rules_and_engine_are_the_ledgers() {
    let mut table = Table::new();
    table.begin("plain");
    table.up_to_lock(1);
    let good = table.read("g/rules/game.toml");
    table.write("g/rules/game.toml", &good.replace('6', "7"));
    table.run(&["adjudicate"]).refused("is not the rules file that the ledger names");
    table.write("g/rules/game.toml", &good);
    table.engine = Some("despatch/99.0.0".to_owned());
    table.run(&["adjudicate"]).refused("the ledger names despatch/");
    table.engine = None;
    table.run(&["adjudicate"]).ok();
    // An amendment records the change of program.
    table.engine = Some("despatch/99.0.0".to_owned());
    table.run(&["call"]).refused("the ledger names despatch/");
    table.run(&["amend", "ruling", "--note", "a new release"]).ok();
    table.run(&["call"]).ok();
}

#[test]
fn edited_orders_are_noticed() {
    let mut table = Table::new();
    table.begin("plain");
    table.up_to_lock(1);
    let path = "g/phase-001/orders/north.toml";
    table.write(path, &table.read(path).replace("by = 2", "by = 3"));
    table.run(&["adjudicate"]).refused("is not the file that counts");
}

#[test]
fn a_file_of_another_phase_or_head_is_not_taken() {
    let table = called();
    let form = table.read("g/phase-001/forms/north.toml");
    table.write("head.toml", &form.replace("head = \"", "head = \"00").replace("0\"\n", "\"\n"));
    table.write("ahead.toml", &form.replace("phase = 1", "phase = 2"));
    for file in ["head.toml", "ahead.toml"] {
        let ran = table.run(&["receive", file]);
        assert_eq!(ran.code, 1);
        assert!(ran.out.contains("NOT TAKEN"), "{}", ran.out);
    }
    // Another game's player of that name is nobody here.
    table.write("other.toml", &form.replace("game = \"g\"", "game = \"h\""));
    assert!(table.run(&["receive", "other.toml"]).out.contains("NOBODY'S"));
    assert!(!table.root.join("g/phase-001/orders").exists());
}

#[test]
fn one_process_at_a_time() {
    let table = called();
    let lock = std::fs::File::options().write(true).open(table.root.join("g/.lock")).unwrap();
    lock.lock().unwrap();
    table.run(&["call", "--deadline", "2027-03-01T00:00:00Z"]).refused("another process");
    table.run(&["status"]).ok();
}

#[test]
fn a_new_game_needs_an_empty_folder_and_its_own_secret() {
    let table = Table::new();
    table.write("g/a.txt", "here\n");
    let line = ["new", "plain", "g", "--player", "north=A", "--player", "south=B"];
    table.run(&line).refused("is not empty");
    std::fs::remove_file(table.root.join("g/a.txt")).unwrap();
    let id = despatch::core::id::Id::new("g").unwrap();
    let secret = despatch::commands::new::demo_secret(&id);
    table.write("demo.secret", &secret.to_text());
    let mut with = line.to_vec();
    with.extend(["--secret", "demo.secret"]);
    table.run(&with).refused("demo's secret");
    table.run(&line).ok();
    table.run(&line).refused("is not empty");
}

#[test]
#[cfg(unix)]
fn the_secret_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let table = called();
    let mode =
        |path: &str| std::fs::metadata(table.root.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("g/referee.secret"), 0o600);
    assert_ne!(mode("g/offer.txt") & 0o044, 0);
}

#[test]
fn nonces_come_after_commitments() {
    let table = Table::new();
    table.run(&["new", "plain", "g", "--player", "north=A", "--player", "south=B"]).ok();
    let nonce = "0a".repeat(32);
    table.run(&["join", "north", "--nonce", &nonce]).refused("no commitment yet");
    table.run(&["genesis"]).refused("not everybody has joined");
    table.run(&["call"]).refused("no genesis yet");
    let made = table.run(&["nonce", "--player", "north", "--nonce", &nonce]).ok().out;
    let commitment = made.lines().next().unwrap().split(' ').nth(1).unwrap().to_owned();
    table.run(&["join", "north", "--commitment", &commitment]).ok();
    table.run(&["join", "north", "--commitment", &nonce]).refused("taken already");
    // South has no program: the nonce alone, after all others committed.
    table.run(&["join", "south", "--nonce", &nonce]).ok();
    table.run(&["join", "north", "--nonce", &"0b".repeat(32)]).refused("not the one");
    table.run(&["join", "north", "--nonce", &nonce]).ok();
    table.run(&["genesis"]).ok();
    table.run(&["genesis"]).refused("closed already");
}

#[test]
fn a_closed_game_stays_closed() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    table.run(&["close"]).refused("found no result yet");
    table.run(&["close", "--result", "South concedes"]).ok();
    for line in [&["call"][..], &["lock"], &["adjudicate"], &["close", "--result", "x"]] {
        table.run(line).refused("this game is closed");
    }
    table.run(&["amend", "ruling", "--set", "pace=1", "--note", "x"]).refused("closed");
}

#[test]
fn nothing_enters_the_ledger_while_a_phase_is_called() {
    let table = called();
    table.run(&["amend", "ruling", "--set", "pace=1", "--note", "x"]).refused("called and not");
    table.run(&["close", "--result", "x"]).refused("called and not");
}

#[test]
fn a_beacon_game_waits_for_its_rounds() {
    let table = Table::new();
    let line =
        ["new", "plain", "g", "--dice", "beacon", "--player", "north=A", "--player", "south=B"];
    let said = table.run(&line).ok().out;
    assert!(said.contains("curl -s https://api.drand.sh/"), "{said}");
    let refused = table.run(&["genesis"]).refused("wait for the beacon's round");
    assert!(refused.err.contains("curl -s"), "{}", refused.err);
    let sig = "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
    let random = "fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc";
    let page = format!("{{\"round\":123,\"randomness\":\"{random}\",\"signature\":\"{sig}\"}}");
    table.write("round.json", &page);
    table.run(&["genesis", "--beacon", "round.json"]).refused("is round 123, not");
}

#[test]
fn a_phase_is_not_played_twice_because_files_are_gone() {
    for (gone, told) in [
        ("g/phase-002/turn.txt", "`phase-003` is here, and files of phase-002 are gone"),
        ("g/phase-001", "`phase-003` is here, and files of phase-001 are gone"),
        ("g/phase-003/call.txt", "`phase-003/lock.txt` is here, and files of its call are gone"),
    ] {
        let mut table = Table::new();
        table.begin("plain");
        table.phase(1);
        table.phase(2);
        table.up_to_lock(3);
        let gone = table.root.join(gone);
        if gone.is_dir() {
            std::fs::remove_dir_all(gone).unwrap();
        } else {
            std::fs::remove_file(gone).unwrap();
        }
        let before = table.tree();
        for command in ["call", "adjudicate", "status"] {
            table.run(&[command]).refused(told);
        }
        assert_eq!(table.tree().len(), before.len(), "nothing is written");
    }
}

#[test]
fn an_amendment_is_not_made_twice_nor_undone_by_another() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    let seat = ["amend", "seat", "south=Dora:d@example.org", "--note", "ill"];
    table.run(&seat).ok();
    table.run(&seat).refused("nothing would change");
    for odd in ["d", "d@", "not an@address", "d@example.org,e@example.org", "<d@example.org>"] {
        let ran = table.run(&["amend", "seat", &format!("south=Dora:{odd}"), "--note", "x"]);
        assert!(ran.code != 0 && ran.err.contains("is no address for mail"), "{odd}: {ran:?}");
    }
    let state = table.read("g/phase-001/state-after.toml").replace("at = 6\n", "at = 5\n");
    table.write("mine.toml", &state);
    table.run(&["amend", "state", "mine.toml", "--note", "a slip"]).ok();
    table.run(&["amend", "correct", "--note", "x"]).refused("would undo it");
}

#[test]
fn an_old_head_leaves_open_what_came_after_it() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    table.phase(2);
    let history = table.run(&["history"]).ok().out;
    let heads: Vec<&str> = history.split_whitespace().filter(|word| word.len() == 64).collect();
    let (last, before) = (heads[heads.len() - 1], heads[heads.len() - 2]);
    let said = table.run(&["verify", "g", "--head", before]).ok().out;
    assert!(said.contains("Yours is the head of phase 1. What came after it proves"), "{said}");
    let said = table.run(&["verify", "g", "--head", last]).ok().out;
    assert!(said.contains("yours is phase 2") && !said.contains("proves nothing"), "{said}");
}
