//! What a check says of a file before it counts: faults, warnings, and what stands.

use std::collections::BTreeMap;

use despatch::core::diag::Severity;
use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{Game, PhaseInput, Seat, Submission};
use despatch::last_outpost::check::plan;
use despatch::last_outpost::data::Data;
use despatch::last_outpost::game::LastOutpost;
use despatch::last_outpost::position::Position;
use despatch::last_outpost::state::{Place, State, Window};

use super::random::{self, Choices};

/// A day's position; the emir holds `markers`.
fn day(data: &Data, markers: u32) -> State {
    let mut state = super::played::start(data);
    state.window = Window::Day;
    state.markers = markers;
    state
}

/// Faults of a file, `error` or `warning` before each with its help, and how many of
/// its orders would be carried out and are refused.
fn checked(data: &Data, state: &State, player: &str, text: &str) -> (Vec<String>, usize, usize) {
    let id = Id::player(player).unwrap();
    let seen = despatch::last_outpost::view::view(data, state, &Viewer::Player(id.clone()));
    let (plan, faults) = plan(&Position::new(data, &seen), &id, &Source::new("orders", text));
    let words = |fault: &despatch::core::diag::Diagnostic| {
        let severity = if fault.severity == Severity::Error { "error" } else { "warning" };
        let help = fault.help.clone().unwrap_or_default();
        format!("{severity}: {}; {help}", fault.message)
    };
    (faults.iter().map(words).collect(), plan.accepted(), plan.refusals.len())
}

#[test]
fn what_stands_can_be_sent_back_as_the_form_shows_it() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let mut choices = Choices::new(5);
    let mut seen = 0;
    for number in 0..6 {
        random::siege(data, 900 + number, |before, _, _| {
            for player in before.doctrine.keys() {
                let stands = before.doctrine_of(Some(player));
                let mut fresh = before.clone();
                fresh.doctrine.remove(player);
                let text = stands.orders().join("\n");
                let source = Source::new("orders", &text);
                let (plan, faults) = plan(&Position::new(data, &fresh), player, &source);
                let faults: Vec<&str> = faults.iter().map(|f| f.message.as_str()).collect();
                assert!(faults.is_empty(), "{faults:?} in\n{text}");
                let again = plan.doctrine.unwrap_or_default();
                assert_eq!(again.orders(), stands.orders());
                seen += 1;
            }
            let _ = choices.below(2);
        });
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn what_would_not_work_is_said_before_it_counts() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let quiet = day(data, 0);
    let mut fight = day(data, 0);
    fight.window = Window::Assault;
    fight.round = 1;
    for (state, player, text, wanted) in [
        (
            &quiet,
            "mahdist",
            "[day]\nturn = \"assault\"\n",
            "warning: no wave is formed by this file: 10 men rush HB-N",
        ),
        (
            &quiet,
            "mahdist",
            "[day]\nturn = \"assault\"\n[[wave]]\ntarget = \"HB-N\"\nspears = 30\nmarkers = 1\n",
            "warning: every wave of this file is refused: 10 men rush",
        ),
        (
            &quiet,
            "mahdist",
            "[[wave]]\ntarget = \"HB-N\"\nspears = 30\n",
            "error: no wave is formed on a day of sniping, and this day is one; add [day]",
        ),
        (
            &fight,
            "garrison",
            "[[post]]\nfrom = \"LZ-N\"\ncount = 4\nto = \"LZ-W\"\n",
            "warning: 4 are sent to `LZ-W`, which has 1 free now; who finds no place stands",
        ),
        (
            &fight,
            "garrison",
            "[[post]]\nfrom = \"LZ-S\"\nkind = \"gunner\"\nto = \"LZ\"\n",
            "they serve the gun there: from = \"gun-2\"",
        ),
        (
            &quiet,
            "garrison",
            "[[post]]\nfrom = \"LZ-S\"\nkind = \"gunner\"\nto = \"LZ\"\n",
            "error: gunners at LZ-S: 1 wanted, 0 there; they serve the gun there",
        ),
        (
            &fight,
            "garrison",
            "[[post]]\nfrom = \"LZ-S\"\nto = \"LZ\"\nif = \"lost >= 20 or lost > 3\"\n",
            "joined by `and`, by nothing else; for `or` write the order twice",
        ),
        (
            &quiet,
            "garrison",
            "[[fire]]\nat = [\"LZ-S\", \"LZ-X\"]\nhold = 2\n",
            "error: `LZ-X` is no wall section",
        ),
        (
            &quiet,
            "garrison",
            "[[post]]\nfrom = \"HB-N\"\nfigures = [\"soldier-30\"]\ncount = 2\nto = \"LZ\"\n",
            "error: a posting has `figures` or `from`, not both",
        ),
        (
            &quiet,
            "garrison",
            "[[post]]\nfigures = []\nto = \"LZ\"\n",
            "error: this [[post]] names nobody",
        ),
        (
            &quiet,
            "garrison",
            "[[post]]\nfrom = \"HB-N\"\ncount = 0\nto = \"LZ\"\n",
            "error: `count = 0` posts nobody",
        ),
        (
            &quiet,
            "garrison",
            "[[gun]]\ngun = \"gun-1\"\nmin_wave = 4000000000\n",
            "error: men of a wave: 4000000000 wanted, 120 there",
        ),
    ] {
        let (faults, ..) = checked(data, state, player, text);
        assert!(faults.iter().any(|f| f.contains(wanted)), "{wanted}\n{faults:?} in\n{text}");
    }
}

#[test]
fn a_table_with_a_fault_is_refused_as_a_whole() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let state = day(data, 0);
    for (player, text) in [
        (
            "mahdist",
            "[sniping]\nmax_cards = -1\nstop_on_first_joker = false\nafter_second_joker = \"x\"\n",
        ),
        ("mahdist", "[day]\nturn = \"assault\"\nturn = \"sniping\"\n"),
        ("mahdist", "[day]\nturn = \"asault\"\n"),
        ("mahdist", "[rocks]\nrifles = 3\nspears = 2\n"),
        ("garrison", "[[fire]]\nat = [\"LZ-S\", \"LZ-X\"]\nhold = 2\n"),
        ("garrison", "[[fire]]\nat = []\nhold = 2\n"),
        ("garrison", "[doctrine]\nsupport = \"never\"\nbogus = 1\n"),
        ("mahdist", "[doctrine]\ncall_off = \"round > \"\n"),
    ] {
        let (faults, accepted, refused) = checked(data, &state, player, text);
        assert!(!faults.is_empty());
        assert_eq!((accepted, refused), (0, 1), "{faults:?} in\n{text}");
    }
}

#[test]
fn a_gun_keeps_what_an_order_does_not_name() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let mut state = day(data, 0);
    let id = Id::player("garrison").unwrap();
    for (text, wanted) in [
        ("[[gun]]\ngun = \"gun-1\"\nmin_wave = 20\nhold = 2\n", (20, 2)),
        ("[[gun]]\ngun = \"gun-1\"\nmin_wave = 25\n", (25, 2)),
        ("[[gun]]\ngun = \"gun-1\"\nhold = 0\n", (25, 0)),
    ] {
        let (plan, _) = plan(&Position::new(data, &state), &id, &Source::new("orders", text));
        let doctrine = plan.doctrine.unwrap();
        let gun = &doctrine.guns["gun-1"];
        assert_eq!((gun.min_wave, gun.hold), wanted);
        state.doctrine.insert(id.clone(), doctrine);
    }
}

/// Two players of the garrison, each with some of its zones.
fn divided(game: &LastOutpost) -> State {
    let data = game.data();
    let mut state = day(data, 0);
    let mahdist = state.seats.iter().find(|s| s.side == "mahdist").unwrap().clone();
    let all = state.seats.iter().find(|s| s.side == "garrison").unwrap().commands.clone();
    let (west, rest) = all.into_iter().partition(|c| c == "west");
    let seat = |player: &str, commands| Seat {
        player: Id::player(player).unwrap(),
        side: "garrison".to_owned(),
        commands,
    };
    state.seats = vec![seat("garrison", rest), seat("garrison-west", west), mahdist];
    state
}

#[test]
fn two_players_do_not_overfill_a_floor() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let state = divided(&game);
    let file = |figure: &str| {
        let text = format!("[[post]]\nfigures = [\"{figure}\"]\nto = \"RD-roof\"\n");
        Submission::File(Source::new("orders", &text))
    };
    let mut orders = BTreeMap::new();
    for (player, figure) in [("garrison", "soldier-36"), ("garrison-west", "soldier-01")] {
        orders.insert(Id::player(player).unwrap(), file(figure));
    }
    orders.insert(Id::player("mahdist").unwrap(), Submission::Missing);
    let input = PhaseInput {
        game: Id::new("siege").unwrap(),
        phase: 2,
        prev: "0".repeat(64),
        state: state.to_text(data, None),
        orders,
        rehearsal: false,
    };
    let done = game.adjudicate(&input, &mut Roller::seeded("overfill")).unwrap();
    let after = State::parse(data, &done.state).unwrap();
    random::lawful(data, &after);
    let roof = data.compound.find_room("RD-roof").unwrap();
    let there = data.ids().filter(|id| after.place(*id) == Place::Open(roof)).count();
    assert_eq!(there, 4);
    let public = &done.reports[&Viewer::Referee].text;
    assert!(public.contains("others have filled RD-roof"), "{public}");
}

#[test]
fn orders_for_the_whole_side_are_refused_to_who_does_not_lead_it() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let state = divided(&game);
    for key in ["zones = [\"LZ\"]", "wound = [\"soldier\"]", "kill = []", "returns = [\"officer\"]"]
    {
        let text = format!("[doctrine]\n{key}\n");
        assert_eq!(checked(data, &state, "garrison-west", &text).2, 1, "{key}");
        assert_eq!(checked(data, &state, "garrison", &text).2, 0, "{key}");
    }
}

#[test]
fn an_amended_position_tells_nobody_a_secret() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let before = day(data, 3);
    let mut after = before.clone();
    after.markers = 4;
    let rifle = data.find("rifle-07").unwrap();
    after.figures[rifle.at()].place = Place::Rocks(false);
    let mut doctrine = after.doctrine_of(None);
    doctrine.call_off = Some("round > 77".to_owned());
    after.doctrine.insert(Id::player("mahdist").unwrap(), doctrine);
    let words = game
        .difference(&before.to_text(data, None), &after.to_text(data, None))
        .unwrap()
        .join("\n");
    assert!(words.contains("what mahdist has standing: changed"), "{words}");
    assert!(words.contains("markers in play: 3 -> 4"), "{words}");
    for secret in ["77", "rifle-07", "rocks", "Some("] {
        assert!(!words.contains(secret), "{secret} in {words}");
    }
    // Never nothing where something changed.
    let mut hidden = before.clone();
    hidden.figures[rifle.at()].place = Place::Rocks(false);
    let words = game.difference(&before.to_text(data, None), &hidden.to_text(data, None)).unwrap();
    assert_eq!(words.len(), 1);
}

#[test]
fn the_worked_files_of_the_companion_pass_the_check() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let quiet = day(data, 9);
    // An assault as the examples have it: two waves, both outside.
    let mut opening = quiet.clone();
    let (mut fight, mut files) = (None, 0);
    for block in despatch::last_outpost::companion::ORDERS_BY_WORD.split("```toml\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let (who, window) = text.lines().next().unwrap()[2..].split_once(", ").unwrap();
        let state = if window == "day" { &quiet } else { fight.as_ref().unwrap() };
        let (faults, accepted, refused) = checked(data, state, who, text);
        assert!(faults.is_empty() && refused == 0 && accepted > 0, "{faults:?} in\n{text}");
        if (who, window) == ("mahdist", "day") {
            opening.doctrine.clear();
            let (after, _) = super::played::phase(
                data,
                opening.clone(),
                &mut Roller::seeded("worked"),
                &mut |_, player| (player.as_str() == who).then(|| text.to_owned()),
            );
            assert_eq!((after.window, after.waves.len()), (Window::Assault, 2));
            fight = Some(after);
        }
        files += 1;
    }
    assert_eq!(files, 4);
}

#[test]
fn nobody_of_the_garrison_is_of_a_wave_wherever_he_is() {
    let game = super::game("brisk", &[]);
    let data = game.data();
    let mut state = super::played::start(data);
    let id = |name: &str| data.find(name).unwrap();
    let gun = data.compound.gun_ids().next().unwrap();
    let serves = data.ids().find(|figure| data.serves(*figure, gun)).unwrap();
    for (figure, place) in [
        (serves, Place::Gun(gun)),
        (id("soldier-01"), Place::Fallen),
        (id("soldier-01"), Place::Dead),
    ] {
        let was = state.figures[figure.at()];
        state.figures[figure.at()].place = place;
        let text = state.to_text(data, None);
        State::parse(data, &text).unwrap();
        state.figures[figure.at()].wave = Some(1);
        let text = state.to_text(data, None);
        assert!(State::parse(data, &text).is_err(), "{place:?} with a wave");
        state.figures[figure.at()] = was;
    }
}
