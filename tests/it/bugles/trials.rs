//! Fights of a line against an attack, and whole games of policy against policy: what
//! the bench measures and the tests look at.

use despatch::bugles::check::{Writer, plan};
use despatch::bugles::data::{Army, Troop};
use despatch::bugles::events::Event;
use despatch::bugles::game::Bugles;
use despatch::bugles::lay::laid;
use despatch::bugles::resolve::{Part, resolve};
use despatch::bugles::state::{
    FirePlan, Formation, General, Order, Presence, State, Unit, Window, bases,
};
use despatch::bugles::tactics;
use despatch::bugles::view::view;
use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{Game, Library, Seat, Settings, rules_files};
use despatch::geometry::plane::{Facing, Point, Pose};

/// A scenario in single cadence, with rulings.
pub fn game(library: &Library, scenario: &str, rulings: &[(&str, &str)]) -> Bugles {
    let settings = Settings {
        scenario: scenario.to_owned(),
        cadence: "single".to_owned(),
        options: Vec::new(),
        rulings: rulings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
    };
    Bugles::load(&rules_files(library, &settings).unwrap()).unwrap()
}

/// One player a side.
pub fn seats(game: &Bugles) -> Vec<Seat> {
    let side = |(side, commands): &(String, Vec<String>)| Seat {
        player: Id::player(side).unwrap(),
        side: side.clone(),
        commands: commands.clone(),
    };
    game.scenario().sides.iter().map(side).collect()
}

/// A line, and who attacks it.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    pub name: &'static str,
    /// Middle of the line's front, in inches.
    pub line: [i64; 2],
    /// Bases, front and facing of each Mahdist unit.
    pub mobs: &'static [(u32, [i64; 2], i64)],
}

pub const ATTACKS: [Attack; 5] = [
    Attack { name: "12 in front, from 10 in", line: [50, 10], mobs: &[(12, [50, 20], 180)] },
    Attack { name: "18 in front, from 10 in", line: [50, 10], mobs: &[(18, [50, 20], 180)] },
    Attack {
        name: "12 in front, 6 on the flank",
        line: [50, 10],
        mobs: &[(12, [50, 20], 180), (6, [40, 9], 90)],
    },
    Attack { name: "12 in front, from 5 in", line: [50, 10], mobs: &[(12, [50, 15], 180)] },
    Attack { name: "12 in front, at a zariba", line: [61, 8], mobs: &[(12, [61, 18], 180)] },
];

pub const LINES: [(&str, Troop); 3] = [
    ("British", Troop::BritishInfantry),
    ("Sudanese", Troop::SudaneseInfantry),
    ("Egyptian", Troop::EgyptianInfantry),
];

fn unit(game: &Bugles, id: &str, troop: Troop, count: u32, at: [i64; 2], facing: i64) -> Unit {
    let at = Point::new(at[0] * 100, at[1] * 100);
    let facing = Facing::of(facing);
    let mahdist = troop == Troop::MahdistInfantry;
    let mut unit = Unit {
        id: id.to_owned(),
        name: id.to_owned(),
        troop,
        general: if mahdist { "osman" } else { "davis" }.to_owned(),
        order: if mahdist { Order::Attack } else { Order::Hold },
        formation: Formation::Battle,
        anchor: at,
        facing,
        presence: Presence::Table,
        dismounted: false,
        formed: 0,
        halted: false,
        under_fire: false,
        fire: FirePlan::default(),
        trail: Vec::new(),
        bases: bases(count, 0, Pose { at, facing }),
    };
    let lay = laid(game.data(), &unit);
    unit.take(&lay);
    unit
}

/// What became of fights, added up: the line holds where half of it stands when the
/// turns are over.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    pub held: u64,
    pub line_lost: u64,
    pub mob_lost: u64,
    pub met: u64,
}

fn fight(game: &Bugles, attack: Attack, troop: Troop, number: u64) -> Sum {
    let data = game.data();
    let mut state = State::initial(data, &Id::new("bugles").unwrap(), &seats(game));
    state.units = vec![unit(game, "line", troop, 6, attack.line, 0)];
    for (n, (count, at, facing)) in attack.mobs.iter().enumerate() {
        let id = format!("mob-{}", n + 1);
        state.units.push(unit(game, &id, Troop::MahdistInfantry, *count, *at, *facing));
    }
    let corner = |id: &str, army, x| General {
        id: id.to_owned(),
        name: id.to_owned(),
        army,
        seat: id.to_owned(),
        at: Point::new(x, 100),
        here: true,
        attached: None,
        macdonald: false,
    };
    state.generals =
        vec![corner("davis", Army::AngloEgyptian, 100), corner("osman", Army::Mahdist, 7000)];
    let mut sum = Sum::default();
    for phase in 1..=8 {
        state.window = Window::Turn;
        state.result = None;
        state.turn = phase;
        let mut dice = Roller::streamed([7; 32], number * 1000 + u64::from(phase));
        let (after, events) = resolve(data, state, phase, &[], &mut dice).unwrap();
        sum.met |= u64::from(events.iter().any(|e| matches!(e, Event::Fought { .. })));
        state = after;
        if state.unit("line").map_or(0, Unit::strength) * 2 < 6 {
            break;
        }
    }
    let line = state.unit("line").unwrap();
    sum.held = u64::from(line.strength() * 2 >= 6);
    sum.line_lost = 6 - line.strength() as u64;
    let mobs = state.units.iter().filter(|u| u.id != "line");
    sum.mob_lost = mobs.map(|u| (u.bases.len() - u.strength()) as u64).sum();
    sum
}

/// So many fights.
pub fn fights(game: &Bugles, attack: Attack, troop: Troop, trials: u64) -> Sum {
    let mut total = Sum::default();
    for n in 0..trials {
        let one = fight(game, attack, troop, n);
        total.held += one.held;
        total.line_lost += one.line_lost;
        total.mob_lost += one.mob_lost;
        total.met += one.met;
    }
    total
}

/// How a whole game ended.
#[derive(Clone, Debug)]
pub struct End {
    pub result: String,
    pub why: String,
    pub turns: u32,
    /// Bases lost: Anglo-Egyptian, Mahdist.
    pub lost: [u32; 2],
}

/// A whole game in which [`tactics`] writes for both armies, each from what it may see.
pub fn campaign(game: &Bugles, seed: u64) -> End {
    watched(game, seed, &mut |_, _| {})
}

/// The same, and somebody looks at each turn: the events, and the state after them.
pub fn watched(game: &Bugles, seed: u64, watch: &mut dyn FnMut(&[Event], &State)) -> End {
    let data = game.data();
    let mut state = State::initial(data, &Id::new("bugles").unwrap(), &seats(game));
    let mut why = String::new();
    for phase in 1..200 {
        if state.window == Window::End {
            break;
        }
        let mut parts = Vec::new();
        for (player, army) in state.players() {
            let own = view(data, &state, &Viewer::Player(player.clone()));
            let source = Source::new("orders.toml", &tactics::orders(data, &own, army));
            let (plan, faults) = plan(data, &own, Writer::Player(&player), &source);
            assert!(plan.refusals.is_empty(), "{faults:?}\n{}", source.text);
            parts.push(Part { player, submission: "file", plan });
        }
        if data.scenario.machine(Army::Mahdist) {
            let own = tactics::machine_view(data, &state, Army::Mahdist);
            let source = Source::new("orders.toml", &tactics::orders(data, &own, Army::Mahdist));
            let (plan, _) = plan(data, &own, Writer::Machine(Army::Mahdist), &source);
            let player = Id::player("machine").unwrap();
            parts.push(Part { player, submission: "machine", plan });
        }
        let mut dice = Roller::streamed([9; 32], seed * 1000 + u64::from(phase));
        let (after, events) = resolve(data, state, phase, &parts, &mut dice).unwrap();
        for event in &events {
            if let Event::Over { why: told, .. } = event {
                why.clone_from(told);
            }
        }
        watch(&events, &after);
        state = after;
    }
    End {
        result: state.result.clone().unwrap(),
        why,
        turns: state.turn,
        lost: [Army::AngloEgyptian, Army::Mahdist].map(|army| state.lost(army)),
    }
}
