//! A club of a hundred games and three hundred players by mail that is lost, doubled,
//! delayed and reordered; and passes that overlap, meet a broken game, or fetch beacons.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use despatch::commands::register::{Register, digest};
use despatch::core::time::Stamp;
use despatch::mail::letter::Letter;

use crate::khartoum::players::Luck;
use crate::table::{Table, stamp, tree};

/// Makes a game of the club, its genesis closed.
fn game(table: &Table, id: &str) {
    let player =
        |seat: &str| format!("{seat}={seat}-{id}:{}-{id}@players.example", seat.replace('/', "-"));
    let dir = format!("club/{id}");
    let (north, south, guns) = (player("north"), player("south"), player("south/guns"));
    table
        .run(&[
            "new",
            "plain",
            &dir,
            "--referee",
            "Rita:rita@club.example",
            "--player",
            &north,
            "--player",
            &south,
            "--player",
            &guns,
        ])
        .ok();
    table.join_in(&dir, id);
}

fn settings(table: &Table, id: &str, deadline: &str) {
    let path = format!("club/{id}/game.toml");
    let text = table.read(&path);
    let (before, rest) = text.split_once("[deadline]\n").unwrap();
    let (_, players) = rest.split_once("\n[player").unwrap();
    table.write(&path, &format!("{before}[deadline]\n{deadline}\n\n[player{players}"));
}

/// A mail on its way: when it arrives, its bytes, the mark of the orders in it.
struct Mail {
    /// When our server had it.
    at: Stamp,
    /// When it lies in the box: some are fetched late.
    lies: Stamp,
    bytes: Vec<u8>,
    mark: Option<String>,
}

struct World {
    luck: Luck,
    way: Vec<Mail>,
    count: usize,
}

impl World {
    /// A mail goes out; what happens to it is chance.
    fn post(&mut self, sent: Stamp, text: &str, mark: Option<&str>) {
        if self.luck.percent(10) {
            return;
        }
        let copies = if self.luck.percent(10) { 2 } else { 1 };
        self.count += 1;
        for copy in 0..copies {
            let hours = match self.luck.below(10) {
                0 => 24 * (1 + self.luck.below(12)),
                n => n,
            };
            let at = sent.plus(i64::try_from(hours * 3_600 + self.luck.below(3_600)).unwrap());
            let time = chrono::DateTime::from_timestamp(at.unix(), 0).unwrap().to_rfc2822();
            let bytes = format!(
                "Received: from x.example by mx.club.example with ESMTP id {}{copy}; {time}\r\n\
                 Message-ID: <{}@players.example>\r\n{text}",
                self.count, self.count
            );
            let late = if self.luck.percent(25) { self.luck.below(40) * 3_600 } else { 0 };
            let lies = at.plus(i64::try_from(late).unwrap());
            let mark = mark.map(str::to_owned);
            self.way.push(Mail { at, lies, bytes: bytes.into_bytes(), mark });
        }
    }

    /// A player reads a call and writes, once or more, or chats, or is away.
    fn answer(&mut self, now: Stamp, call: &Letter, from: &str) {
        let subject = &call.subject;
        let quoted = call.body.text.lines().fold(String::new(), |all, l| all + "> " + l + "\r\n");
        let head = format!("From: <{from}>\r\nSubject: Re: {subject}\r\n");
        if self.luck.percent(10) {
            self.post(
                now,
                &format!("{head}Auto-Submitted: auto-replied\r\n\r\nAway\r\n{quoted}"),
                None,
            );
        }
        if self.luck.percent(15) {
            self.post(now, &format!("{head}\r\nThank you!\r\n\r\n{quoted}"), None);
        }
        if self.luck.percent(12) {
            return;
        }
        let file = call.files.iter().find(|f| f.text.contains("ticket = ")).unwrap();
        let unit = match from.split('-').next().unwrap() {
            "north" => "n-1",
            _ if from.starts_with("south-guns") => "s-2",
            _ => "s-1",
        };
        for _ in 0..=self.luck.below(3) {
            let mark = format!("mark-{}.", self.count + 1);
            let by = 1 + self.luck.below(4);
            let last = self.luck.percent(60);
            let form = file.text.replace("final = false", &format!("final = {last}"));
            let spoilt = if self.luck.percent(5) { "[[walk\n" } else { "" };
            let orders = format!("# {mark}\n{spoilt}[[walk]]\nunit = \"{unit}\"\nby = {by}\n");
            let body = format!("{form}\n{orders}").replace('\n', "\r\n");
            let sent = now.plus(i64::try_from(self.luck.below(80) * 3_600).unwrap());
            self.post(sent, &format!("{head}\r\n{body}"), Some(&mark));
        }
    }
}

#[test]
fn a_hundred_games_run_by_faulty_mail_and_nothing_is_lost() {
    const GAMES: usize = 100;
    let mut table = Table::new();
    table.hasty = true;
    for number in 0..GAMES {
        let id = format!("g{number:03}");
        game(&table, &id);
        let missing = if number % 2 == 0 { "defaults" } else { "extend" };
        settings(
            &table,
            &id,
            &format!(
                "days = 4\nzone = \"Europe/Berlin\"\ntime = \"20:00\"\nremind_hours = 24\n\
             grace_hours = 2\nmissing = \"{missing}\"\nallow_missing = 3\nextend_days = 1"
            ),
        );
    }
    let mut world = World { luck: Luck::new(6), way: Vec::new(), count: 0 };
    let mut arrived: Vec<Mail> = Vec::new();
    let mut read = BTreeSet::new();
    for dir in ["box/new", "box/cur", "out/new"] {
        std::fs::create_dir_all(table.root.join(dir)).unwrap();
    }
    let line = ["club", "club", "--mailbox", "box", "--maildir", "out"];
    let mut longest = 0;
    let mut addresses = BTreeSet::new();
    for pass in 0..24 {
        // What has arrived lies in the box, in no order.
        let now = table.now;
        let due = |mail: &Mail| mail.lies <= now;
        let (mut here, there): (Vec<Mail>, Vec<Mail>) = world.way.drain(..).partition(due);
        here.sort_by_key(|mail| mail.at);
        here.reverse();
        world.way = there;
        for mail in here {
            let name = format!("{}.{:05}", world.luck.below(100_000), arrived.len());
            std::fs::write(table.root.join("box/new").join(name), &mail.bytes).unwrap();
            arrived.push(mail);
        }
        if pass % 7 == 3 {
            let spam = Mail {
                at: now,
                lies: now,
                bytes: format!("From: x@spam.example\r\nSubject: Buy {pass}\r\n\r\nNow!\r\n")
                    .into_bytes(),
                mark: None,
            };
            std::fs::write(table.root.join(format!("box/new/spam{pass}")), &spam.bytes).unwrap();
            arrived.push(spam);
        }
        let start = Instant::now();
        let ran = table.run(&line);
        longest = longest.max(start.elapsed().as_millis());
        assert!(ran.code <= 1, "{}{}", ran.out, ran.err);
        assert!(!ran.out.contains("stopped in the middle"), "{}", ran.out);
        for (name, bytes) in tree(&table.root.join("out/new")) {
            if !read.insert(name) {
                continue;
            }
            let letter = Letter::read(&bytes).unwrap();
            let to = despatch::commands::deliver::receivers(&bytes);
            addresses.extend(to.iter().cloned());
            if letter.subject.contains("orders by") {
                world.answer(table.now, &letter, &to[0]);
            }
        }
        table.now = table.now.plus(12 * 3_600);
    }
    assert_eq!(addresses.len(), 3 * GAMES);
    // What came after the last pass is taken by one more.
    println!("{} mails, longest pass {longest} ms", arrived.len());
    account(&table, &arrived);
    let mut phases = 0;
    for number in 0..GAMES {
        let dir = format!("club/g{number:03}");
        let found = table.run(&["verify", &dir]).ok();
        assert!(found.out.contains("ALL CHECKS PASSED"), "{dir}: {}", found.out);
        phases += (1..9)
            .filter(|p| table.root.join(format!("{dir}/phase-{p:03}/turn.txt")).exists())
            .count();
    }
    assert!(phases >= 2 * GAMES, "{phases} phases were resolved");
}

/// Every mail that arrived is in one register, and every order file in it in one place.
fn account(table: &Table, arrived: &[Mail]) {
    let files = tree(&table.root.join("club"));
    let mut registers: BTreeMap<String, Register> = BTreeMap::new();
    for (path, bytes) in &files {
        if let Some(dir) = path.strip_suffix("mail/register.txt") {
            let text = String::from_utf8(bytes.clone()).unwrap();
            registers.insert(dir.to_owned(), Register::parse(&text).unwrap());
        }
    }
    let entries: BTreeMap<(&str, &str), &Vec<String>> = registers
        .iter()
        .flat_map(|(dir, r)| {
            r.entries.iter().map(move |e| ((dir.as_str(), e.digest.as_str()), &e.fates))
        })
        .collect();
    let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for mail in arrived {
        let mark = digest(&mail.bytes);
        let own: Vec<_> = entries
            .iter()
            .filter(|((dir, digest), _)| !dir.is_empty() && *digest == mark)
            .collect();
        let club = entries.get(&("", mark.as_str()));
        assert!(club.is_some(), "{}", String::from_utf8_lossy(&mail.bytes));
        if own.is_empty() {
            // Of no game: kept by the club.
            assert!(club.unwrap()[0].starts_with("unclaimed="), "{club:?}");
            assert!(files.contains_key(&club.unwrap()[0]["unclaimed=".len()..]));
            *fates.entry("no game").or_default() += 1;
            continue;
        }
        assert_eq!(own.len(), 1, "a mail is of one game here");
        let ((dir, _), what) = own[0];
        assert_eq!(what.len(), 1, "{what:?}");
        let (fate, path) = what[0].split_once('=').unwrap();
        assert!(files.contains_key(&format!("{dir}{path}")), "{dir}{path}");
        *fates
            .entry(match fate {
                "orders" => "orders",
                "superseded" => "superseded",
                "again" => "again",
                "late" => "late",
                "refused" => "refused",
                _ => "unclaimed",
            })
            .or_default() += 1;
        match &mail.mark {
            Some(mark) => {
                assert_ne!(fate, "unclaimed", "{}", String::from_utf8_lossy(&mail.bytes));
                wanted.insert(mark);
            }
            None => assert_eq!(fate, "unclaimed"),
        }
    }
    println!("{fates:?}");
    assert_eq!(fates.values().sum::<usize>(), arrived.len());
    for fate in ["orders", "superseded", "again", "late", "refused", "unclaimed", "no game"] {
        assert!(fates.contains_key(fate), "no mail was {fate}: {fates:?}");
    }
    // Every set of orders lies in exactly one of the folders, and no file there is
    // nobody's.
    let kept = |path: &str| {
        ["/orders/", "/superseded/", "/late/", "/refused/"].iter().any(|dir| path.contains(dir))
    };
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| kept(path)) {
        let text = String::from_utf8_lossy(bytes);
        let mark = text
            .lines()
            .find_map(|l| l.strip_prefix("# mark-"))
            .unwrap_or_else(|| panic!("{path}"));
        let folder = path.rsplit('/').nth(1).unwrap();
        found.entry(format!("mark-{mark}")).or_default().push(folder);
    }
    for (mark, folders) in &found {
        // What cannot count is refused in its phase; its copy may come after that.
        let twice = folders == &["late", "refused"];
        assert!(folders.len() == 1 || twice, "{mark} lies in {folders:?}");
    }
    let found: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    let lost: Vec<_> = found.symmetric_difference(&wanted).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn a_broken_game_stops_no_other_and_passes_may_overlap() {
    let table = Table::new();
    for id in ["a", "b", "c"] {
        game(&table, id);
    }
    table.write("club/b/rules/game.toml", "nonsense\n");
    table.write("club/c/game.toml", "nonsense\n");
    let ran = table.run(&["club", "club"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("SEE TO\n  b: "), "{}", ran.out);
    assert!(ran.out.contains("is not the rules file that the ledger names"), "{}", ran.out);
    assert!(ran.out.contains("c: ") && ran.out.contains("phase 1 called"), "{}", ran.out);
    assert!(table.root.join("club/a/phase-001/call.txt").exists());
    assert_eq!(table.read("club/summary.txt"), ran.out);
    // Another pass holds the club, or another command a game.
    let store = despatch::commands::store::Store::new();
    let held = store.hold(&table.root.join("club")).unwrap();
    let ran = table.run(&["club", "club"]).ok();
    assert!(ran.out.contains("another pass is at work"), "{}", ran.out);
    drop(held);
    let held = store.hold(&table.root.join("club/a")).unwrap();
    let ran = table.run(&["club", "club"]);
    assert!(ran.out.contains("at the next pass"), "{}", ran.out);
    drop(held);
    let before = tree(&table.root.join("club"));
    table.run(&["club", "club"]);
    let mut after = tree(&table.root.join("club"));
    after.insert("summary.txt".into(), before["summary.txt"].clone());
    assert_eq!(before, after, "a pass with nothing due changes nothing");
}

#[test]
fn a_club_holds_games_whose_players_are_missing() {
    let mut table = Table::new();
    game(&table, "a");
    game(&table, "b");
    settings(&table, "b", "days = 3\nmissing = \"extend\"\nallow_missing = 3\nremind_hours = 5");
    table.run(&["club", "club"]).ok();
    let deadline = stamp("2027-01-07T18:00:00Z");
    table.now = deadline.plus(-4 * 3_600);
    let ran = table.run(&["club", "club"]).ok();
    assert!(ran.out.contains("reminded: north, south, south-guns"), "{}", ran.out);
    table.now = deadline.plus(-1_800);
    let ran = table.run(&["club", "club"]).ok();
    assert!(ran.out.contains("deadline moved, as the call announced"), "{}", ran.out);
    assert!(table.read("club/b/phase-001/call-2.txt").contains("2027-01-09T18:00:00Z"));
    table.now = stamp("2027-01-09T17:30:00Z");
    let ran = table.run(&["club", "club"]).ok();
    assert!(!ran.out.contains("moved"), "once only: {}", ran.out);
    table.now = stamp("2027-01-12T00:00:00Z");
    let ran = table.run(&["club", "club"]).ok();
    assert!(ran.out.contains("phase 1 resolved; phase 2 called"), "{}", ran.out);
    assert!(ran.out.contains("a: HELD: phase 1 is past its deadline without north"), "{}", ran.out);
    table.run(&["verify", "club/b", "--replay"]).ok();
}

#[test]
fn a_club_takes_beacon_values_from_a_drop_folder() {
    let mut table = Table::new();
    table.now = stamp("2023-08-23T15:05:33Z");
    table
        .run(&[
            "new", "plain", "club/a", "--dice", "beacon", "--wait", "600", "--grid", "3",
            "--player", "north=A", "--player", "south=B",
        ])
        .ok();
    let text =
        table.read("club/a/game.toml").replace("\n[player", "\n[club]\ncall = false\n\n[player");
    let text = text.replacen("\n[club]\ncall = false\n\n[player.south", "\n[player.south", 1);
    table.write(
        "club/a/game.toml",
        &text.replace("\"hold\"\nallow_missing = 0", "\"defaults\"\nallow_missing = 2"),
    );
    let line = ["club", "club", "--beacons", "drop"];
    let ran = table.run(&line).ok();
    assert!(ran.out.contains("waits for the beacon's round 123"), "{}", ran.out);
    let signature = "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92";
    let randomness = "fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc";
    table.write(
        "drop/123.json",
        &format!(
            "{{\"round\":123,\"randomness\":\"{randomness}\",\"signature\":\"{signature}\"}}\n"
        ),
    );
    let ran = table.run(&line).ok();
    assert!(ran.out.contains("genesis closed; waits for your `despatch call`"), "{}", ran.out);
    table.run_in("club/a", &["call", "--deadline", "2023-08-23T15:49:24Z"]).ok();
    table.now = stamp("2023-08-23T15:50:00Z");
    let ran = table.run(&line).ok();
    assert!(
        ran.out.contains("phase 1 locked; waits for 1000.json, due 2023-08-23T15:59:24Z"),
        "{}",
        ran.out
    );
    let sample =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample/phase-002/beacon.json");
    table.write("drop/1000.json", &std::fs::read_to_string(sample).unwrap());
    table.now = stamp("2023-08-23T16:00:00Z");
    let ran = table.run(&line).ok();
    assert!(ran.out.contains("phase 1 resolved"), "{}", ran.out);
    // A round that is public before the lock is cried out.
    table.run_in("club/a", &["call", "--deadline", "2023-08-23T17:00:00Z"]).ok();
    table.now = stamp("2023-08-23T18:00:00Z");
    let file = table.read("club/a/phase-002/forms/north.toml");
    table.write("late.toml", &file);
    let ran = table.run_in("club/a", &["receive", "late.toml"]).ok();
    assert!(ran.out.contains("WARNING: the beacon's round"), "{}", ran.out);
    assert!(table.run_in("club/a", &["status"]).ok().out.contains("WARNING"));
    let ran = table.run_in("club/a", &["lock", "--allow-missing", "1"]).ok();
    assert!(ran.err.contains("WARNING: the beacon's round"), "{}", ran.err);
}

#[test]
fn a_player_in_two_games_may_send_both_orders_in_one_mail() {
    let mut table = Table::new();
    for id in ["a", "b"] {
        game(&table, id);
    }
    table.run(&["club", "club"]);
    let attached = |id: &str| {
        let form = table.read(&format!("club/{id}/phase-001/forms/north.toml"));
        format!(
            "--x\nContent-Type: text/plain; name={id}.toml\nContent-Disposition: attachment; \
                 filename={id}.toml\n\n{}\n",
            form.replace("final = false", "final = true")
        )
    };
    let mail = format!(
        "From: north@players.example\nSubject: both games\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=x\n\n--x\n\nHello\n{}{}--x--\n",
        attached("a"),
        attached("b")
    );
    table.write("box/both.eml", &mail);
    table.now = table.now.plus(3_600);
    let ran = table.run(&["club", "club", "--mailbox", "box"]).ok();
    assert!(ran.out.contains("2 mails taken"), "{}", ran.out);
    for id in ["a", "b"] {
        assert!(table.root.join(format!("club/{id}/phase-001/orders/north.toml")).exists());
        assert!(!table.root.join(format!("club/{id}/unclaimed")).exists());
    }
    // A later pass finds nothing new in the same box.
    let ran = table.run(&["club", "club", "--mailbox", "box"]).ok();
    assert!(ran.out.contains("0 mails taken"), "{}", ran.out);
}

/// Two games whose players have answered, the answers in a box.
fn answered() -> Table {
    let mut table = Table::new();
    for id in ["a", "b"] {
        game(&table, id);
    }
    table.run(&["club", "club"]);
    for id in ["a", "b"] {
        for (at, player) in ["north", "south", "south-guns"].iter().enumerate() {
            let form = table.read(&format!("club/{id}/phase-001/forms/{player}.toml"));
            let form = form.replace("final = false", "final = true");
            table.write(
                &format!("box/{id}-{player}.eml"),
                &format!(
                    "Received: from x by mx.club.example; Tue, 5 Jan 2027 10:0{at}:00 +0000\n\
                     From: {player}@players.example\nSubject: x\nMessage-ID: <{id}{player}@x>\n\n{form}"
                ),
            );
        }
    }
    table.now = table.now.plus(86_400);
    table
}

#[test]
fn a_final_file_with_refused_orders_does_not_close_a_phase_early() {
    let table = answered();
    let path = "box/a-north.eml";
    let mail = table.read(path);
    table.write(path, &format!("{mail}\n[[walk]]\nunit = \"n-1\"\nby = 9\n"));
    let line = ["club", "club", "--mailbox", "box"];
    let ran = table.run(&line);
    assert!(ran.out.contains("phase 1: 3 of 3 in, until"), "{}", ran.out);
    assert!(ran.out.contains("phase 1 locked early: everybody is final"), "b: {}", ran.out);
    assert!(table.root.join("club/a/phase-001/doubts/north.txt").exists());
    assert!(!table.root.join("club/b/phase-001/doubts").exists());
    // Nobody who is not the referee gets to see the doubt.
    table.run_in("club/a", &["bundle", "--for", "north", "out"]).ok();
    assert!(!tree(&table.root.join("out")).keys().any(|path| path.contains("doubt")));
    assert!(table.run(&line).out.contains("phase 1: 3 of 3 in"), "nor at the next pass");
    // A mended file, and all are.
    let mended = mail.replace("<anorth@x>", "<anorth2@x>").replace("10:00:00", "11:00:00");
    table.write(path, &format!("{mended}\n[[walk]]\nunit = \"n-1\"\nby = 1\n"));
    let ran = table.run(&line).ok();
    assert!(
        ran.out.contains("a                        1 mail taken; phase 1 locked early"),
        "{}",
        ran.out
    );
    assert!(table.root.join("club/a/phase-001/turn.txt").exists());
}

#[test]
fn a_deadline_closes_a_phase_with_refused_orders() {
    let mut table = answered();
    let path = "box/a-north.eml";
    let mail = table.read(path);
    table.write(path, &format!("{mail}\n[[walk]]\nunit = \"n-1\"\nby = 9\n"));
    let line = ["club", "club", "--mailbox", "box"];
    table.run(&line);
    table.now = table.now.plus(30 * 86_400);
    let ran = table.run(&line);
    assert!(ran.out.contains("phase 1 locked; phase 1 resolved"), "{}", ran.out);
}

#[test]
fn copies_of_one_game_are_not_played() {
    let table = answered();
    for (path, bytes) in tree(&table.root.join("club/a")) {
        let to = table.root.join("club/a-backup").join(path);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, bytes).unwrap();
    }
    let before = tree(&table.root.join("club/a"));
    let line = ["club", "club", "--mailbox", "box"];
    let ran = table.run(&line);
    assert_eq!(ran.code, 1);
    let told = "a, a-backup: folders of one game, a: none is played; move the copies elsewhere";
    assert!(ran.out.contains(told), "{}", ran.out);
    assert!(ran.out.contains("phase 1 resolved"), "b is played: {}", ran.out);
    assert_eq!(tree(&table.root.join("club/a")), before);
    assert_eq!(tree(&table.root.join("club/a-backup")), before);
    // The mail of the game is not lost: the club keeps it.
    let kept = tree(&table.root.join("club/unclaimed"));
    assert_eq!(kept.len(), 3, "{}", ran.out);
}

#[test]
fn the_page_counts_unplaced_mail_game_by_game() {
    let mut table = Table::new();
    for id in ["a", "b"] {
        game(&table, id);
    }
    table.run(&["club", "club"]);
    let question = |id: &str, number: u32| {
        format!("From: p@players.example\nSubject: Re: [{id}] phase 1\n\nquestion {number}?\n")
    };
    table.write("box/1.eml", &question("a", 1));
    table.write("box/2.eml", &question("a", 2));
    table.write("box/3.eml", &question("b", 3));
    table.write("box/4.eml", "From: x@spam.example\nSubject: buy\n\nBuy!\n");
    table.now = table.now.plus(3_600);
    let ran = table.run(&["club", "club", "--mailbox", "box"]);
    for line in ["1 mail in unclaimed/", "2 mails in a/unclaimed/", "1 mail in b/unclaimed/"] {
        assert!(ran.out.lines().any(|l| l == line), "{line}: {}", ran.out);
    }
}

/// The club and what was sent, without the page.
fn outcome(table: &Table) -> BTreeMap<String, Vec<u8>> {
    let mut all = tree(&table.root.join("club"));
    all.remove("summary.txt");
    all.retain(|path, _| !path.contains(".despatch-"));
    for (path, bytes) in tree(&table.root.join("out")) {
        all.insert(format!("out/{path}"), bytes);
    }
    all
}

#[test]
fn a_pass_that_is_killed_is_made_good_by_the_next() {
    let prepared = answered();
    let line = ["club", "club", "--mailbox", "box", "--maildir", "out"];
    let twin = prepared.copy();
    let whole = twin.run(&line).ok();
    assert!(whole.out.contains("phase 1 resolved; phase 2 called"), "{}", whole.out);
    let after = outcome(&twin);
    for step in (1..=whole.steps).step_by(37) {
        let mut table = prepared.copy();
        table.die_at = Some(step);
        table.run(&line);
        table.die_at = None;
        table.run(&line);
        let found = outcome(&table);
        let paths = |all: &BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&found), paths(&after), "step {step}");
        for (path, bytes) in &found {
            assert!(bytes == &after[path], "step {step}: {path}");
        }
    }
}

#[test]
fn passes_and_commands_that_overlap_do_each_thing_once() {
    let table = answered();
    let line = ["club", "club", "--mailbox", "box", "--maildir", "out"];
    let twin = table.copy();
    twin.run(&line).ok();
    std::thread::scope(|scope| {
        for number in 0..6 {
            let table = &table;
            scope.spawn(move || {
                let ran = match number % 3 {
                    0 => table.run_in("club/a", &["receive", "box"]),
                    1 => table.run_in("club/b", &["deliver", "--maildir", "out"]),
                    _ => table.run(&line),
                };
                assert!(ran.code <= 1, "{}{}", ran.out, ran.err);
            });
        }
    });
    table.run(&line);
    table.run(&line).ok();
    let ids = |table: &Table| -> BTreeSet<String> {
        tree(&table.root.join("out/new")).into_keys().collect()
    };
    assert_eq!(ids(&table), ids(&twin));
    for game in ["a", "b"] {
        let receipts = |table: &Table| table.read(&format!("club/{game}/phase-001/receipts.txt"));
        assert_eq!(receipts(&table), receipts(&twin));
        let found = table.run(&["verify", &format!("club/{game}"), "--replay"]).ok();
        assert!(found.out.contains("phases resolved again"), "{}", found.out);
    }
}
