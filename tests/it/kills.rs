//! The machine stops at every step of writing in turn; the game is then as before
//! or as after, and running the command again ends in the tree of a twin that was
//! never stopped.

use crate::table::Table;

/// Stops a command at each of its steps.
fn kill(prepared: &Table, line: &[&str]) {
    let twin = prepared.copy();
    let whole = twin.run(line);
    assert!(whole.code <= 1, "{}{}", whole.out, whole.err);
    let (before, after) = (prepared.tree(), twin.tree());
    assert_ne!(before, after);
    let (mut befores, mut afters) = (0, 0);
    for step in 1..=whole.steps {
        let mut table = prepared.copy();
        table.die_at = Some(step);
        table.run(line);
        table.die_at = None;
        // Whoever looks next finds it as before or as after: `status` recovers
        // what was committed, the next command sweeps the rest away.
        table.run(&["status"]).ok();
        let mut found = table.tree();
        found.retain(|path, _| !path.contains(".despatch-"));
        if found == after {
            afters += 1;
        } else {
            assert_eq!(found, before, "step {step}");
            befores += 1;
            table.run(line);
            assert_eq!(table.tree(), after, "step {step}");
        }
        let verified = table.run(&["verify", "g", "--replay"]);
        assert_eq!(verified.code, 0, "step {step}: {}{}", verified.out, verified.err);
    }
    assert!(befores > 0 && afters > 0, "{befores} {afters}");
}

#[test]
fn receive_is_whole() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    table.run(&["call"]).ok();
    let file = table.orders(2, "north", "[[walk]]\nunit = \"n-1\"\nby = 1\n", false);
    table.run(&["receive", &file]).ok();
    let file = table.orders(2, "north", "[[walk]]\nunit = \"n-1\"\nby = 2\n", false);
    kill(&table, &["receive", &file]);
    table.write("broken.toml", &format!("{}[[walk\n", table.read(&file)));
    kill(&table, &["receive", "broken.toml"]);
    let mail = format!(
        "Received: from a by b; Tue, 12 Jan 2027 18:00:00 +0000\nFrom: a@b.example\n\
         Subject: x\n\n{}",
        table.read(&file).replace("by = 2", "by = 3")
    );
    table.write("orders.eml", &mail);
    kill(&table, &["receive", "orders.eml"]);
    kill(&table, &["reissue", "north", "--to", "Dora:d@players.example"]);
    kill(&table, &["remind"]);
}

#[test]
fn lock_and_adjudicate_are_whole() {
    for scenario in ["plain", "dark"] {
        let mut table = Table::new();
        table.begin(scenario);
        table.phase(1);
        table.run(&["call"]).ok();
        let file = table.orders(2, "north", "", false);
        table.run(&["receive", &file]).ok();
        table.now = table.now.plus(8 * 86_400);
        kill(&table, &["lock"]);
        table.run(&["lock"]).ok();
        kill(&table, &["adjudicate"]);
    }
}

#[test]
fn call_amend_and_close_are_whole() {
    let mut table = Table::new();
    table.begin("plain");
    table.phase(1);
    kill(&table, &["call"]);
    kill(&table, &["amend", "ruling", "--set", "pace=1", "--note", "x"]);
    kill(&table, &["amend", "seat", "north=Dora", "--note", "x"]);
    table.write("g6.toml", "length = 6\nlast_turn = 2\n");
    kill(&table, &["amend", "correct", "--file", "game.toml=g6.toml", "--note", "x"]);
    let state = table.read("g/phase-001/state-after.toml").replace("at = 2\n", "at = 1\n");
    table.write("mine.toml", &state);
    kill(&table, &["amend", "state", "mine.toml", "--note", "x"]);
    kill(&table, &["close", "--result", "x"]);
}

#[test]
fn new_and_genesis_are_whole() {
    let line = ["new", "plain", "g", "--player", "north=A", "--player", "south=B"];
    let twin = Table::new();
    let steps = twin.run(&line).ok().steps;
    for step in 1..=steps {
        let mut table = Table::new();
        table.die_at = Some(step);
        table.run(&line);
        table.die_at = None;
        let again = table.run(&line);
        // After its commit the folder is a game, and `new` says so.
        assert!(again.code == 0 || again.err.contains("not empty"), "{}", again.err);
        assert_eq!(table.tree(), twin.tree(), "step {step}");
    }
    let table = Table::new();
    table.run(&line).ok();
    for player in ["north", "south"] {
        let nonce = "0a".repeat(32);
        let made = table.run(&["nonce", "--player", player, "--nonce", &nonce]).ok().out;
        let commitment = made.lines().next().unwrap().split(' ').nth(1).unwrap().to_owned();
        table.run(&["join", player, "--commitment", &commitment]).ok();
    }
    for player in ["north", "south"] {
        table.run(&["join", player, "--nonce", &"0a".repeat(32)]).ok();
    }
    kill(&table, &["genesis"]);
}
