//! The index of rules, kept honest: what it calls implemented is cited by the code,
//! shown by a case and exercised by random players; what the code cites, it lists.

use super::{cases, random};
use crate::index;

const SYSTEM: &str = "bugles";

/// `R1` to `R31`.
fn number(word: &str) -> bool {
    word.strip_prefix('R').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn the_index_is_sound() {
    index::sound(SYSTEM);
    assert_eq!(index::rows(SYSTEM).len(), 31, "R1 to R31");
}

#[test]
fn code_and_index_agree() {
    index::agrees(SYSTEM, &index::cited(SYSTEM, number));
}

#[test]
fn every_implemented_rule_has_a_case() {
    index::shown(SYSTEM, &cases::all().into_iter().flat_map(|c| c.rules).collect());
}

#[test]
fn every_implemented_rule_is_exercised_by_random_players() {
    let counts = random::exercised();
    println!("how often each rule was applied by random players:");
    for (rule, count) in &counts {
        println!("  {rule:<10} {count:>9}");
    }
    let never: Vec<String> = index::implemented(SYSTEM)
        .into_iter()
        .filter(|r| !counts.contains_key(r.as_str()))
        .collect();
    assert!(never.is_empty(), "implemented, and never applied: {never:?}");
}

#[test]
fn every_ruling_names_a_rule_of_the_index() {
    let game = super::game_of("bugles-solo", &[], "brisk", &[]);
    let listed = index::listed(SYSTEM);
    for ruling in &game.data().rulings.all {
        assert!(listed.contains(&ruling.rule), "{}: {}", ruling.name, ruling.rule);
    }
}

#[test]
fn the_rules_companion_is_current() {
    let page = index::companion_is_current(SYSTEM);
    for words in ["## Measured", "## El Teb", "R31", "fire-in-contact", "charge UNIT"] {
        assert!(page.contains(words), "the companion has `{words}`");
    }
}

#[test]
fn the_worked_files_of_the_companion_pass_the_check() {
    use despatch::core::id::Id;
    use despatch::core::source::Source;
    use despatch::core::viewer::Viewer;
    use despatch::game::{Game, PhaseInput, Submission};
    let game = super::game_of("el-teb", &[], "single", &[]);
    let start = game.initial_state(&super::game_id(), &super::whole_sides(&game)).unwrap();
    let missing = |p: &str| (Id::player(p).unwrap(), Submission::Missing);
    let input = PhaseInput {
        game: super::game_id(),
        phase: 1,
        prev: "0".repeat(64),
        state: start.clone(),
        orders: [missing("anglo-egyptian"), missing("mahdist")].into(),
        rehearsal: false,
    };
    let mut luck = super::players::Luck::new(1);
    let turn = game.adjudicate(&input, &mut random::dice(1, &mut luck)).unwrap().state;
    let mut files = 0;
    for block in despatch::bugles::companion::ORDERS_BY_WORD.split("```toml\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let words: Vec<&str> = text.lines().next().unwrap()[2..].split(", ").collect();
        let [_, window, who] = words[..] else { panic!("{words:?}") };
        let state = if window == "deploy" { &start } else { &turn };
        let player = Id::player(who).unwrap();
        let view = game.view(state, &Viewer::Player(player.clone())).unwrap();
        let checked = game.check(&view, &player, &Source::new("worked.toml", text)).unwrap();
        assert!(checked.faults.is_empty(), "{:?} in\n{text}", checked.faults);
        assert!(checked.refused == 0 && checked.accepted > 0);
        files += 1;
    }
    assert_eq!(files, 4);
}

#[test]
fn faults_of_data_are_all_told() {
    let settings = despatch::game::Settings {
        scenario: "bugles-solo".to_owned(),
        ..despatch::game::Settings::default()
    };
    let files = despatch::game::rules_files(&super::library(), &settings).unwrap();
    // What is wrong, in which file, and a word of what is said about it.
    let spoilt = [
        ("geometry.toml", "    17452,", "    27452,", "sine"),
        ("units.toml", "values = \"maxim\"", "values = \"maxims\"", "`maxims` is no row"),
        ("values.toml", "bands = [500, 1000", "bands = [1500, 1000", "`bands` do not rise"),
        (
            "scenarios/bugles-solo.toml",
            "class = \"cover\"",
            "class = \"covr\"",
            "did you mean `cover`",
        ),
        (
            "scenarios/bugles-solo.toml",
            "general = \"lewis\"",
            "general = \"levis\"",
            "has no general `levis`",
        ),
        ("scenarios/bugles-solo.toml", "order = \"MOVE\"", "order = \"GO\"", "`GO` is no order"),
        ("rulings.toml", "name = \"exactly-half\"", "name = \"half\"", "`exactly-half` is missing"),
    ];
    for (path, from, to, says) in spoilt {
        let mut files = files.clone();
        let text = files.get_mut(path).unwrap();
        let (from, to) = if path == "geometry.toml" { ("17452", "27452") } else { (from, to) };
        assert!(text.contains(from), "{path} has `{from}`");
        *text = text.replacen(from, to, 1).into();
        let faults = despatch::bugles::game::Bugles::load(&files).unwrap_err();
        let words: Vec<String> = faults.iter().map(|f| f.fault.render(&f.source, false)).collect();
        assert!(words.iter().any(|w| w.contains(says)), "{path}: {words:?}");
    }
}
