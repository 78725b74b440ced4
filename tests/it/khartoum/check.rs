//! The checker as a player meets it: each fixture is a file sent to `despatch check`,
//! with its whole output and exit code as a snapshot.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use despatch::core::viewer::Viewer;
use despatch::geometry::hex::Hex;
use despatch::omdurman::data::Army;
use despatch::omdurman::state::{Place, State, Window};
use despatch::omdurman::view::view;

use super::{game, game_id, two_seats};

/// A position in the middle of things: turn 2, the Dervish before the walls.
fn position(window: Window) -> String {
    let table = game("brisk", &[]);
    let data = table.data();
    let mut state = State::initial(data, &game_id(), &two_seats());
    for (hex, units) in [
        ("1112", &["x-sud", "friendlies-1", "egy-batt-1"][..]),
        ("0512", &["ix-sud", "xii-sud"]),
        ("1013", &["warwickshire"]),
        ("0208", &["gunboat-1"]),
        ("1014", &["mulazmin-07", "mulazmin-08"]),
        ("0914", &["mulazmin-01", "mulazmin-02", "mulazmin-03"]),
        ("0815", &["mulazmin-04", "mulazmin-05"]),
        ("0816", &["kehena-01", "dervish-art-1"]),
        ("1114", &["degheim-01"]),
    ] {
        for unit in units {
            let id = data.find(unit).unwrap();
            state.units[usize::from(id.0)].place = Place::At(Hex::parse(hex).unwrap());
        }
    }
    let dead = data.find("mulazmin-09").unwrap();
    state.units[usize::from(dead.0)].place = Place::Eliminated("turn 1 dervish".to_owned());
    state.turn = 2;
    state.moving = Army::Dervish;
    state.window = window;
    state.phase = 4;
    let player = Viewer::Player(two_seats()[1].player.clone());
    view(data, &state, &player).to_text(data, Some("dervish"))
}

const HEADER: &str = "game = \"khartoum-test\"\nphase = 5\nplayer = \"dervish\"\n\
    head = \"0000000000000000000000000000000000000000000000000000000000000000\"\n\
    ticket = \"1111111111111111111111111111111111111111111111111111111111111111\"\n\n";

fn run(folder: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("DESPATCH_GAME")
        .output()
        .unwrap();
    let mut text = format!("exit code {}\n", output.status.code().unwrap());
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let words = String::from_utf8_lossy(bytes);
        let _ = write!(text, "----- {name} -----\n{words}");
    }
    text
}

fn check(window: Window, orders: &[u8], more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("view.toml"), position(window)).unwrap();
    std::fs::write(folder.path().join("dervish.toml"), orders).unwrap();
    let mut args = vec!["check", "dervish.toml", "--view", "view.toml"];
    args.extend(more);
    run(folder.path(), &args)
}

fn moves(orders: &str) -> String {
    check(Window::Move, format!("{HEADER}{orders}").as_bytes(), &[])
}

fn combat(orders: &str) -> String {
    check(Window::Combat, format!("{HEADER}{orders}").as_bytes(), &[])
}

macro_rules! fixtures {
    ($($name:ident: $text:expr;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(concat!("check-", stringify!($name)), $text);
            }
        )*
    };
}

fixtures! {
    lawful_moves: moves("[[move]]\nstack = \"0815\"\nto = \"0715\"\n[[move]]\nunits = [\"degheim-01\"]\npath = [\"1114\", \"1113\"]\n");
    nothing_ordered: moves("");
    unknown_key: moves("[[move]]\nunits = [\"mulazmin-04\"]\npth = [\"0715\"]\n[[mvoe]]\nunits = [\"mulazmin-05\"]\n");
    wrong_type: moves("[[move]]\nunits = 7\nto = 715\n");
    one_bracket: moves("[move]\nunits = [\"mulazmin-04\"]\nto = \"0715\"\n");
    duplicate_order: moves("[[move]]\nunits = [\"mulazmin-04\"]\nto = \"0715\"\n[[move]]\nstack = \"0815\"\nto = \"0714\"\n");
    unknown_unit: moves("[[move]]\nunits = [\"mulzamin-04\", \"ghost\"]\nto = \"0715\"\n");
    somebody_elses_unit: moves("[[move]]\nunits = [\"x-sud\"]\nto = \"1011\"\n");
    dead_unit: moves("[[move]]\nunits = [\"mulazmin-09\"]\nto = \"0715\"\n");
    zone_of_control_at_the_third_hex: moves("[[move]]\nunits = [\"mulazmin-04\"]\npath = [\"0815\", \"0814\", \"0914\", \"1014\", \"1114\", \"1113\", \"1213\", \"1212\"]\n");
    through_a_wall: moves("[[move]]\nunits = [\"mulazmin-01\"]\npath = [\"0914\", \"0913\", \"0912\"]\n");
    into_the_nile: moves("[[move]]\nunits = [\"mulazmin-04\"]\nto = \"0214\"\n");
    too_far: moves("[[move]]\nunits = [\"kehena-01\"]\nto = \"1816\"\n");
    not_a_neighbour: moves("[[move]]\nunits = [\"kehena-01\"]\npath = [\"0816\", \"1216\"]\n");
    no_such_hex: moves("[[move]]\nunits = [\"kehena-01\"]\nto = \"9999\"\n[[move]]\nstack = \"ab\"\nto = \"0815\"\n");
    over_stacked: moves("[[move]]\nunits = [\"mulazmin-04\"]\nto = \"0914\"\n[[move]]\nunits = [\"mulazmin-05\"]\nto = \"0914\"\n");
    tribes_together: moves("[[move]]\nunits = [\"kehena-01\"]\nto = \"0914\"\n");
    late_entry_on_a_wrong_hex: moves("[[enter]]\nunits = [\"mulazmin-20\"]\nat = \"0909\"\nto = \"0908\"\n[[enter]]\nunits = [\"mulazmin-21\"]\nat = \"0216\"\n");
    wrong_window: moves("[[fire]]\nunits = [\"mulazmin-07\"]\nat = [\"1013\"]\n[[place]]\nunits = [\"mulazmin-20\"]\nhex = \"0512\"\n");
    not_yet_built: moves("[[load]]\nunits = [\"friendlies-1\"]\n[[construct]]\nunits = [\"x-sud\"]\n");
    lawful_combat: combat("losses = [\"mulazmin\"]\n[[fire]]\nunits = [\"mulazmin-07\", \"mulazmin-08\"]\nat = [\"1013\"]\n[[fire]]\nunits = [\"dervish-art-1\"]\nat = [\"0913:E\", \"1013\"]\n[standing]\nlosses = [\"degheim\", \"kehena\"]\n");
    out_of_range: combat("[[fire]]\nunits = [\"mulazmin-01\"]\nat = [\"0512\"]\n");
    out_of_sight: combat("[[fire]]\nunits = [\"dervish-art-1\"]\nat = [\"0912:SE\", \"1112\"]\n");
    at_nobody: combat("[[fire]]\nunits = [\"dervish-art-1\"]\nat = [\"0713\", \"1804:fort\", \"0101:E\"]\n");
    twice_by_one_unit: combat("[[fire]]\nunits = [\"mulazmin-07\"]\nat = [\"1013\"]\n[[fire]]\nunits = [\"mulazmin-07\"]\nat = [\"1013\"]\n");
    only_artillery: combat("[[fire]]\nunits = [\"mulazmin-07\"]\nat = [\"0208\", \"0402:fort\", \"0913:E\"]\n");
    melee_faults: combat("[[melee]]\nunits = [\"dervish-art-1\"]\nat = [\"1013\"]\n[[melee]]\nunits = [\"mulazmin-01\"]\nat = [\"1112\"]\n[[melee]]\nunits = [\"mulazmin-07\"]\nat = [\"1013\"]\n");
    a_typo_elsewhere_leaves_other_orders_alone: moves("[[move]]\nunits = [\"mulazmin-04\"]\nto = \"0715\"\n[standing]\nfir = \"hold\"\n");
    control_characters: moves("[[move]]\nunits = [\"a\\u0000\\u001b[2J\\u202eb\"]\nto = \"0715\"\n");
    path_and_to_disagree: moves("[[move]]\nunits = [\"mulazmin-04\"]\npath = [\"0715\"]\nto = \"0714\"\n");
    melee_after_an_advance: combat("[[fire]]\nunits = [\"mulazmin-07\"]\nat = [\"1013\"]\nadvance = true\n[[melee]]\nunits = [\"mulazmin-07\"]\nat = [\"1012\", \"0512\"]\n");
    unknown_losses: combat("losses = [\"mulazmn\", \"jehadia\"]\n");
    maxims_and_howitzers: combat("[[fire]]\nunits = [\"mulazmin-07\"]\nat = [\"1013\"]\nweapon = \"maxim\"\n");
    several_faults_at_once: moves("[[move]]\nunits = [\"mulazmin-01\"]\npath = [\"0913\", \"0912\"]\n[[move]]\nunits = [\"x-sud\", \"mulazmin-99\"]\nto = \"1113\"\n[[move]]\nunits = [\"mulazmin-04\"]\nto = \"0914\"\nspeed = 3\n[[move]]\nunits = [\"mulazmin-05\"]\nto = \"0714\"\n");
    several_faults_as_json: check(Window::Move, format!("{HEADER}[[move]]\nunits = [\"mulazmin-01\"]\npath = [\"0913\", \"0912\"]\n[[move]]\nunits = [\"x-sud\"]\nto = \"1113\"\n").as_bytes(), &["--format", "json"]);
    wrong_game_and_phase: check(Window::Move, HEADER.replace("khartoum-test", "sudan").replace("= 5", "= 4").as_bytes(), &[]);
    header_missing: check(Window::Move, b"[[move]]\nunits = [\"mulazmin-04\"]\nto = \"0715\"\n", &[]);
    not_toml: moves("[[move]]\nunits = [mulazmin-04]\nto = \"0715\"\n[[move\nunits = [\"mulazmin-05\"]\n");
    byte_order_mark_and_crlf: check(Window::Move, format!("\u{feff}{}[[move]]\r\nunits = [\"mulazmin-04\"]\r\nto = \"0715\"\r\n", HEADER.replace('\n', "\r\n")).as_bytes(), &[]);
    latin_1: check(Window::Move, &[HEADER.as_bytes(), b"# caf\xe9\n"].concat(), &[]);
    empty_file: check(Window::Move, b"", &[]);
    five_megabytes: check(Window::Move, &vec![b'#'; 5 << 20], &[]);
    deep_nesting: check(Window::Move, format!("{HEADER}x = {}{}\n", "[".repeat(20_000), "]".repeat(20_000)).as_bytes(), &[]);
    binary_file: check(Window::Move, b"\x7fELF\x02\x01\x01\0\0\0", &[]);
}

#[test]
fn headers_are_checked_against_the_game_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("game");
    let at = |args: &[&str]| run(folder.path(), args);
    at(&[
        "--now",
        "2027-01-01T00:00:00Z",
        "new",
        "khartoum",
        "game",
        "--player",
        "british=A",
        "--player",
        "dervish=B",
    ]);
    let nonces = [("british", "a".repeat(64)), ("dervish", "b".repeat(64))];
    for (player, nonce) in &nonces {
        let out = at(&["-C", "game", "nonce", "--player", player, "--nonce", nonce]);
        let line = out.lines().find(|l| l.starts_with("commitment")).unwrap();
        at(&[
            "-C",
            "game",
            "join",
            player,
            "--commitment",
            line.split_whitespace().last().unwrap(),
        ]);
    }
    for (player, nonce) in &nonces {
        at(&["-C", "game", "join", player, "--nonce", nonce]);
    }
    at(&["-C", "game", "genesis"]);
    at(&["-C", "game", "--now", "2027-01-01T01:00:00Z", "call"]);
    let form = std::fs::read_to_string(root.join("phase-001/forms/british.toml")).unwrap();
    let value = |key: &str| {
        let line = form.lines().find(|l| l.starts_with(key)).unwrap();
        line.split('"').nth(1).unwrap().to_owned()
    };
    let (head, ticket) = (value("head"), value("ticket"));
    let mut shown = String::new();
    for (what, text) in [
        ("the form as it came", form.clone()),
        ("another head", form.replace(&head, &"0".repeat(64))),
        ("another ticket", form.replace(&ticket, &"1".repeat(64))),
        ("another player's name", form.replace("\"british\"", "\"dervish\"")),
        ("nobody's name", form.replace("\"british\"", "\"prussian\"")),
        (
            "all at once",
            form.replace(&head, "12").replace(&ticket, "AB").replace("phase  = 1", "phase = 2"),
        ),
    ] {
        std::fs::write(folder.path().join("orders.toml"), text).unwrap();
        let out = at(&["-C", "game", "check", "orders.toml"]);
        let out = out.replace(&head, "<head>").replace(&ticket, "<ticket>");
        let _ = write!(shown, "##### {what}\n{out}\n");
    }
    insta::assert_snapshot!("check-headers", shown);
}

#[test]
fn long_lists_are_bounded() {
    let words = "\"x\", ".repeat(20_000);
    let text = combat(&format!("losses = [{words}]\n"));
    assert!(text.contains("`losses` has 20000 words; 300 are read"), "{}", &text[..600]);
}

#[test]
fn a_refused_order_never_stops_a_phase() {
    use despatch::core::dice::Roller;
    use despatch::core::source::Source;
    use despatch::game::{Game, PhaseInput, Submission};
    let table = game("brisk", &[]);
    let state = table.initial_state(&game_id(), &two_seats()).unwrap();
    let odd = "[[place]]\nunits = [\"\\u0000\\u001b[2J\\u202e\"]\nhex = \"0512\"\n";
    let file = |player: &str, text: &str| {
        let id = despatch::core::id::Id::player(player).unwrap();
        (id, Submission::File(Source::new("o.toml", text)))
    };
    let input = PhaseInput {
        game: game_id(),
        phase: 1,
        prev: "0".repeat(64),
        state,
        orders: [file("british", odd), file("dervish", "")].into(),
        rehearsal: false,
    };
    let done = table.adjudicate(&input, &mut Roller::seeded(&"1".repeat(64))).unwrap();
    for report in done.reports.values() {
        let odd = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!report.text.contains(odd), "{}", report.text);
        assert!(report.text.contains("refused"), "{}", report.text);
        assert!(report.text.lines().all(|l| l.chars().count() <= 72));
    }
    assert!(!done.events.contains("\\u0000"), "{}", done.events);
}

#[test]
fn thousands_of_faults_are_counted_and_not_all_drawn() {
    let orders = "[[move]]\nunits = [\"x-sud\"]\nto = \"0101\"\n".repeat(900);
    let text = moves(&orders);
    assert!(text.contains("... and "), "{}", &text[..400]);
    assert!(text.len() < 100_000, "{} bytes are drawn", text.len());
    assert!(text.contains("900 refused"), "every one is counted");
}

#[test]
fn questions_are_answered_from_a_view_or_a_state_alone() {
    let folder = tempfile::tempdir().unwrap();
    let view = position(Window::Move);
    let state: String =
        view.lines().filter(|l| !l.starts_with("viewer")).fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{line}");
            text
        });
    std::fs::write(folder.path().join("view.toml"), view).unwrap();
    std::fs::write(folder.path().join("state.toml"), state).unwrap();
    let mut shown = String::new();
    for question in [
        &["reach", "gunboat-1"][..],
        &["cost", "mulazmin-04", "0814", "0813", "0812"],
        &["cost", "kehena-01", "0916", "1015"],
        &["los", "1112", "1014"],
        &["los", "0815", "1009"],
        &["targets", "egy-batt-1"],
        &["targets", "gordon"],
        &["zoc", "1113"],
        &["zoc", "0107"],
        &["reach", "mulazmin-09"],
        &["reach", "nobody"],
        &["los", "1112"],
        &["weather"],
    ] {
        let ask = |file: &str, more: &[&str]| {
            let mut args = vec!["ask"];
            args.extend(question);
            args.extend(["--view", file]);
            args.extend(more);
            run(folder.path(), &args)
        };
        let text = ask("view.toml", &[]);
        assert_eq!(text, ask("state.toml", &[]), "a state answers as a view does");
        let json = ask("view.toml", &["--format", "json"]);
        let _ =
            write!(shown, "##### ask {}\n{text}\n----- json -----\n{json}\n", question.join(" "));
    }
    insta::assert_snapshot!("ask-from-a-view", shown);
    let map = run(folder.path(), &["map", "--view", "view.toml"]);
    assert!(map.contains("exit code 0") && map.contains("Go"), "{map}");
}
