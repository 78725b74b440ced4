//! What a side may not know appears in nothing that is made for it or for the public:
//! views, forms, plans, reports. Two sieges that differ only in secrets of one side
//! look the same to the other until the secrets show.

use std::collections::BTreeMap;

use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{FormHeader, Game, PhaseInput, Submission};
use despatch::last_outpost::game::LastOutpost;

/// Everything that is made for a viewer of a phase.
fn seen(
    game: &LastOutpost,
    state: &str,
    orders: &[(&str, &str)],
    viewer: &Viewer,
) -> (String, String) {
    let mut submissions = BTreeMap::new();
    for player in ["garrison", "mahdist"] {
        let text = orders.iter().find(|(p, _)| *p == player).map_or("", |(_, t)| *t);
        let submission = Submission::File(Source::new("orders.toml", text));
        submissions.insert(Id::player(player).unwrap(), submission);
    }
    let input = PhaseInput {
        game: Id::new("siege").unwrap(),
        phase: 9,
        prev: "0".repeat(64),
        state: state.to_owned(),
        orders: submissions,
        rehearsal: false,
    };
    let mut dice = Roller::seeded("leaks");
    let done = game.adjudicate(&input, &mut dice).unwrap();
    let view = game.view(&done.state, viewer).unwrap();
    let mut out = format!("{}\n{}\n{view}\n", done.reports[viewer].text, done.reports[viewer].json);
    out.push_str(&game.map(&view).unwrap());
    if let Viewer::Player(player) = viewer {
        let header = FormHeader {
            game: Id::new("siege").unwrap(),
            phase: 10,
            player: player.clone(),
            head: "0".repeat(64),
            ticket: "0".repeat(64),
        };
        out.push_str(&game.form(&view, &header).unwrap());
    }
    (out, done.state)
}

fn player(name: &str) -> Viewer {
    Viewer::Player(Id::player(name).unwrap())
}

/// A day's state with markers in hand.
fn day(game: &LastOutpost) -> String {
    let state = super::played::start(game.data());
    let text = state.to_text(game.data(), None);
    text.replace("window = \"setup\"", "window = \"day\"").replace("markers = 0", "markers = 12")
}

const WAVE: &str = "[day]\nturn = \"assault\"\n[[wave]]\ntarget = \"HB-N\"\nspears = 30\n";

#[test]
fn markers_and_aims_of_waves_stay_with_the_mahdists() {
    let game = super::game("brisk", &[]);
    let state = day(&game);
    let plain = format!("{WAVE}markers = 2\n");
    let other = format!(
        "{WAVE}markers = 9\nintents = [\"tower\"]\nraise = \"last\"\nthrough = \"holders\"\nworkers = 3\n\
         [doctrine]\ncall_off = \"uncommitted < 5\"\n"
    );
    for viewer in [player("garrison"), Viewer::Public] {
        let (a, _) = seen(&game, &state, &[("mahdist", &plain)], &viewer);
        let (b, _) = seen(&game, &state, &[("mahdist", &other)], &viewer);
        assert!(a == b, "{viewer} sees what the wave was told");
    }
    let (a, _) = seen(&game, &state, &[("mahdist", &plain)], &player("mahdist"));
    let (b, _) = seen(&game, &state, &[("mahdist", &other)], &player("mahdist"));
    assert_ne!(a, b, "the Mahdists see their own");
}

#[test]
fn riflemen_in_the_rocks_are_unseen_before_they_fire() {
    let game = super::game("brisk", &[]);
    let state = day(&game);
    let plain = WAVE.to_owned();
    let other = format!("{WAVE}[rocks]\nrifles = 7\n");
    for viewer in [player("garrison"), Viewer::Public] {
        let (a, _) = seen(&game, &state, &[("mahdist", &plain)], &viewer);
        let (b, after) = seen(&game, &state, &[("mahdist", &other)], &viewer);
        assert!(a == b, "{viewer} sees the rocks");
        // With the first shot they are there for all to see.
        let (fired, _) = seen(&game, &after, &[], &viewer);
        assert!(fired.contains("the rocks"), "{viewer} is shot at from the rocks");
    }
}

#[test]
fn a_doctrine_and_where_men_are_bound_stay_with_the_garrison() {
    let game = super::game("brisk", &[]);
    let state = day(&game);
    let (_, assault) = seen(&game, &state, &[("mahdist", WAVE)], &Viewer::Public);
    let other = "[doctrine]\nsupport = \"never\"\nzones = [\"LZ\", \"RD\", \"WY\", \"SZ\", \"HB\"]\n\
                 kill = [\"officer\"]\n[[fire]]\nat = \"WY-S\"\nhold = 3\n\
                 [[post]]\nfigures = [\"soldier-01\"]\nto = \"WY-N\"\nif = \"wave_at(WY-N) >= 50\"\n";
    for viewer in [player("mahdist"), Viewer::Public] {
        // Zones in which nothing happens may come in any order.
        let (a, _) = seen(
            &game,
            &assault,
            &[(
                "garrison",
                "[doctrine]\nsupport = \"never\"\nzones = [\"LZ\", \"RD\", \"WY\", \"SZ\", \"HB\"]\n",
            )],
            &viewer,
        );
        let (b, _) = seen(&game, &assault, &[("garrison", other)], &viewer);
        assert!(a == b, "{viewer} sees what stands in the garrison");
    }
    let bound = "[[post]]\nfigures = [\"soldier-41\"]\nto = \"SZ\"\n";
    let (mine, _) = seen(&game, &assault, &[("garrison", bound)], &player("garrison"));
    let (theirs, _) = seen(&game, &assault, &[("garrison", bound)], &player("mahdist"));
    assert!(mine.contains("bound SZ"), "the garrison knows where he goes");
    assert!(!theirs.contains("bound SZ") && !theirs.contains("on their way to SZ"));
}

#[test]
fn refused_and_failed_orders_are_nobody_elses_business() {
    let game = super::game("brisk", &[]);
    let state = day(&game);
    let wrong = "[[post]]\nfigures = [\"soldier-01\"]\nto = \"the moon\"\n";
    for viewer in [player("mahdist"), Viewer::Public] {
        let (a, _) = seen(&game, &state, &[("garrison", "")], &viewer);
        let (b, _) = seen(&game, &state, &[("garrison", wrong)], &viewer);
        assert!(a == b, "{viewer} sees a refused order");
    }
    let (mine, _) = seen(&game, &state, &[("garrison", wrong)], &player("garrison"));
    assert!(mine.contains("the moon"));
}
