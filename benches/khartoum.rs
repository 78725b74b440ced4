//! The parts of a phase, each alone: `cargo bench`. Whole processes are measured by
//! `benches/measure.py`, which writes `docs/speed.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use despatch::bundle_dir::DirBundle;
use despatch::core::dice::Roller;
use despatch::core::hash::Hex64;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::verify::{Options, verify};
use despatch::core::viewer::Viewer;
use despatch::game::{
    FormHeader, Game, PhaseInput, Question, Seat, Settings, Submission, load, rules_files,
};
use despatch::geometry::hex::Hex;
use despatch::odds::simulate;
use despatch::omdurman::data::{Army, Kind};
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::resolve::resolve;
use despatch::omdurman::state::{Place, State, Window};

fn seats() -> Vec<Seat> {
    let seat = |player: &str, commands: &[&str]| Seat {
        player: Id::player(player).expect("a name"),
        side: player.to_owned(),
        commands: commands.iter().map(|c| (*c).to_owned()).collect(),
    };
    vec![
        seat("british", &["garrison", "flotilla"]),
        seat("dervish", &["mulazmin", "west-bank", "guns"]),
    ]
}

fn orders(entries: u32) -> String {
    let mut text = String::new();
    for n in 1..=entries {
        let hex = 2 + n % 16;
        let _ = write!(
            text,
            "[[enter]]\nunits = [\"mulazmin-{n:02}\"]\nat = \"{hex:02}16\"\nto = \"{hex:02}14\"\n"
        );
    }
    text
}

fn khartoum(c: &mut Criterion) {
    let library = despatch::assets::embedded().expect("the shipped files");
    let settings = Settings { scenario: "khartoum".to_owned(), ..Settings::default() };
    let files = rules_files(&library, &settings).expect("sound rules");
    let game = load(&files).expect("sound rules");
    let id = Id::new("bench").expect("a name");
    let seats = seats();
    let mut state = game.initial_state(&id, &seats).expect("a state");
    let mut phase = 1;
    let mut play = |state: &str, orders: BTreeMap<Id, Submission>| {
        let input = PhaseInput {
            game: id.clone(),
            phase,
            prev: "0".repeat(64),
            state: state.to_owned(),
            orders,
            rehearsal: false,
        };
        phase += 1;
        let done = game.adjudicate(&input, &mut Roller::seeded(&"7".repeat(64))).expect("a phase");
        (input, done)
    };
    let file =
        |player: &Id, text: &str| (player.clone(), Submission::File(Source::new("o.toml", text)));
    let (british, dervish) = (&seats[0].player, &seats[1].player);
    state = play(&state, [file(british, ""), file(dervish, "")].into()).1.state;
    let move_state = state.clone();
    let text = orders(32);
    let (move_input, moved) = play(&state, [file(british, ""), file(dervish, &text)].into());
    let (combat_input, _) = play(&moved.state, [file(british, ""), file(dervish, "")].into());

    c.bench_function("load the rules files", |b| {
        b.iter(|| load(black_box(&files)).is_ok());
    });
    c.bench_function("parse a state", |b| {
        b.iter(|| game.seats(black_box(&moved.state)).is_ok());
    });
    c.bench_function("what comes next", |b| {
        b.iter(|| game.outlook(black_box(&moved.state)).is_ok());
    });
    c.bench_function("check 32 entries", |b| {
        let source = Source::new("o.toml", &text);
        b.iter(|| game.check(black_box(&move_state), dervish, &source).is_ok());
    });
    c.bench_function("a form of the combat window", |b| {
        let view = game.view(&moved.state, &Viewer::Player(dervish.clone())).expect("a view");
        let header = FormHeader {
            game: id.clone(),
            phase: 3,
            player: dervish.clone(),
            head: "0".repeat(64),
            ticket: "1".repeat(64),
        };
        b.iter(|| game.form(black_box(&view), &header).is_ok());
    });
    c.bench_function("resolve and report a move window", |b| {
        b.iter(|| {
            game.adjudicate(black_box(&move_input), &mut Roller::seeded(&"7".repeat(64))).is_ok()
        });
    });
    c.bench_function("resolve and report a combat window", |b| {
        b.iter(|| {
            game.adjudicate(black_box(&combat_input), &mut Roller::seeded(&"7".repeat(64))).is_ok()
        });
    });
}

/// One combat window again and again without reports, as odds ask for it.
fn resolve_alone(c: &mut Criterion) {
    let library = despatch::assets::embedded().expect("the shipped files");
    let settings = Settings { scenario: "khartoum".to_owned(), ..Settings::default() };
    let game = Omdurman::load(&rules_files(&library, &settings).expect("rules")).expect("rules");
    let data = game.data();
    let mut state = State::initial(data, &Id::new("bench").expect("a name"), &seats());
    for (n, id) in data.ids().enumerate() {
        let unit = data.unit(id);
        if unit.kind == Kind::Infantry {
            let hex = match unit.army {
                Army::Dervish => Hex::new(4 + u8::try_from(n % 12).unwrap_or(0), 13),
                Army::AngloEgyptian => Hex::new(5 + u8::try_from(n % 8).unwrap_or(0), 12),
            };
            state.units[usize::from(id.0)].place = Place::At(hex);
        }
    }
    (state.turn, state.window) = (3, Window::Combat);
    c.bench_function("resolve a combat window, no report", |b| {
        b.iter(|| {
            let mut dice = Roller::seeded(&"7".repeat(64));
            resolve(data, black_box(state.clone()), 9, &[], &mut dice).is_ok()
        });
    });
    let view = state.to_text(data, None);
    let nothing = seats().into_iter().map(|seat| (seat.player, Submission::Missing)).collect();
    let trials = game.trials(&view, &nothing).expect("a window");
    c.bench_function("odds of a combat window, 100 resolutions", |b| {
        let seed = Hex64::digest(b"bench");
        b.iter(|| simulate(black_box(&*trials), 100, &seed).is_ok());
    });
    c.bench_function("odds of one attack", |b| {
        let words = vec!["16".to_owned(), "1".to_owned()];
        let question = Question { topic: "chart".to_owned(), words };
        b.iter(|| game.odds(black_box(Some(&view)), &question).is_ok());
    });
}

/// The ledger of the protocol's sample bundle.
fn verification(c: &mut Criterion) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample");
    let bundle = DirBundle::open(folder.as_ref()).expect("the sample bundle");
    c.bench_function("verify a bundle of two phases", |b| {
        b.iter(|| verify(black_box(&bundle), None, &Options { beacon_key: None }).passed());
    });
}

criterion_group!(benches, khartoum, resolve_alone, verification);
criterion_main!(benches);
