//! The sample game that ships: it plays to a result, verifies, and shows what it says.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use despatch::bugles::state::{State, Window};
use despatch::bugles::tactics;
use despatch::bugles::view::view;
use despatch::core::viewer::Viewer;

fn demo(root: &Path, games: Option<&Path>) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_despatch"));
    command.args(["demo", "bugles", "--dir", "demo", "--now", "2027-01-01T00:00:00Z"]);
    if let Some(games) = games {
        command.arg("--games").arg(games);
    }
    let output = command.current_dir(root).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn the_sample_plays_to_a_result_and_verifies() {
    let root = tempfile::tempdir().unwrap();
    let text = demo(root.path(), None);
    assert!(text.contains("RESULT"), "{text}");
    assert!(text.contains("ALL CHECKS PASSED"), "{text}");
    for words in ["COMBATS", "fires", "comes off"] {
        assert!(text.contains(words), "the reports show `{words}`");
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

/// `docs/bugles.svg`: El Teb as it is set up, every base where it stands.
#[test]
fn the_picture_is_current() {
    let game = super::game_of("el-teb", &[], "brisk", &[]);
    let data = game.data();
    let start = State::initial(data, &super::game_id(), &super::whole_sides(&game));
    let mut dice = despatch::core::dice::Roller::streamed([1; 32], 1);
    let (state, _) = despatch::bugles::resolve::resolve(data, start, 1, &[], &mut dice).unwrap();
    let table = despatch::bugles::table::Table::new(data, &state);
    let picture = despatch::bugles::map::picture(&table);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bugles.svg");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &picture).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(picture, kept, "docs/bugles.svg is stale: UPDATE_DOCS=1 writes it");
}

/// What a player wrote about his orders in the file that is replaced: the lines of
/// comment below its header.
fn thoughts(path: &Path) -> String {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let below = old.split_once("\n\n").map_or("", |(_, below)| below);
    below.split_inclusive('\n').take_while(|l| l.starts_with('#')).collect()
}

/// Writes the order files of the sample by the policies of both sides, phase by phase,
/// from what a demo of the phases before came to. What players wrote in their comments
/// stays, and so do the steps of `sample.toml` with their notes: only files that it names
/// and that no hand wrote (`by hand` in their first line) are written anew.
#[test]
#[ignore = "writes games/bugles/samples/bugles"]
fn write_the_sample() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let folder = games.join("bugles/samples/bugles");
    std::fs::create_dir_all(&folder).unwrap();
    let kept = std::fs::read_to_string(folder.join("sample.toml")).unwrap();
    let (head, _) = kept.split_once("[[step]]").unwrap_or((&kept, ""));
    let scenario: toml::Table = toml::from_str(&kept).unwrap();
    let step = |phase: u32| -> toml::Table {
        let steps = scenario.get("step").and_then(|s| s.as_array()).into_iter().flatten();
        let mut own = steps
            .filter_map(|s| s.as_table())
            .filter(|s| s.get("phase").and_then(toml::Value::as_integer) == Some(i64::from(phase)));
        own.next().cloned().unwrap_or_default()
    };
    let id = scenario["id"].as_str().unwrap().to_owned();
    let cadence = scenario["cadence"].as_str().unwrap();
    let game = super::game_of(scenario["scenario"].as_str().unwrap(), &[], cadence, &[]);
    let data = game.data();
    let mut steps = String::new();
    let mut state: Option<State> = None;
    for phase in 1..60 {
        let now = match &state {
            Some(state) => state.clone(),
            None => State::initial(data, &super::game_id(), &super::whole_sides(&game)),
        };
        if now.window == Window::End {
            steps.push_str("[[step]]\nclose = \"\"\n");
            break;
        }
        let own = step(phase);
        let list = |key: &str| -> Vec<String> {
            let names = own.get(key).and_then(|f| f.as_array()).into_iter().flatten();
            names.filter_map(|n| n.as_str().map(str::to_owned)).collect()
        };
        let (mut files, late) = (list("files"), list("late"));
        let named = !files.is_empty() || !late.is_empty();
        for (player, army) in now.players() {
            let asked = despatch::bugles::resolve::asks(data, &now).contains(&player);
            if !asked {
                continue;
            }
            let seen = view(data, &now, &Viewer::Player(player.clone()));
            let text = tactics::orders(data, &seen, army);
            let name = format!("{phase:02}-{player}.toml");
            let file = format!(
                "# {}\ngame   = \"{id}\"\nphase  = {phase}\nplayer = \"{player}\"\nfinal  = true\n\n{}{text}",
                despatch::bugles::report::heading(data, &now),
                thoughts(&folder.join(&name))
            );
            let by_hand = std::fs::read_to_string(folder.join(&name))
                .is_ok_and(|old| old.lines().next().is_some_and(|l| l.contains("by hand")));
            if !by_hand {
                std::fs::write(folder.join(&name), file.trim_end().to_owned() + "\n").unwrap();
            }
            if !named {
                files.push(name);
            }
        }
        let quoted = |list: &[String]| {
            list.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
        };
        let _ = write!(steps, "[[step]]\nphase = {phase}\nfiles = [{}]\n", quoted(&files));
        if !late.is_empty() {
            let _ = writeln!(steps, "late = [{}]", quoted(&late));
        }
        if own.contains_key("decisive") {
            steps.push_str("decisive = true\n");
        }
        if let Some(note) = own.get("note").and_then(|n| n.as_str()) {
            let _ = write!(steps, "note = \"\"\"\n{}\"\"\"\n", note.trim());
        }
        steps.push('\n');
        std::fs::write(folder.join("sample.toml"), format!("{head}{steps}")).unwrap();
        let root = tempfile::tempdir().unwrap();
        demo(root.path(), Some(&games));
        let path = format!("demo/game/phase-{phase:03}/state-after.toml");
        let text = std::fs::read_to_string(root.path().join(path)).unwrap();
        state = Some(State::parse(data, &text).unwrap());
    }
    std::fs::write(folder.join("sample.toml"), format!("{head}{steps}")).unwrap();
}
