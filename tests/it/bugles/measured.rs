//! How often a line holds: measured against what the rules' own notes on tactics say.
//! `cargo test --release -- --ignored measured --nocapture` prints the table that
//! `games/bugles/measured.toml` keeps for the companion.

use std::fmt::Write as _;

use despatch::bugles::data::Troop;
use despatch::bugles::game::Bugles;
use despatch::bugles::lay::laid;
use despatch::bugles::resolve::resolve;
use despatch::bugles::state::{
    FirePlan, Formation, General, Order, Presence, State, Unit, Window, bases,
};
use despatch::core::dice::Roller;
use despatch::geometry::plane::{Facing, Point, Pose};

use super::{game_id, game_of, whole_sides};

/// A line, and who attacks it.
#[derive(Clone, Copy, Debug)]
struct Attack {
    name: &'static str,
    /// Middle of the line's front, in inches.
    line: [i64; 2],
    /// Bases, front and facing of each Mahdist unit.
    mobs: &'static [(u32, [i64; 2], i64)],
}

const ATTACKS: [Attack; 5] = [
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

const LINES: [(&str, Troop); 3] = [
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

/// What became of it: the line holds where half of it stands and the attack is spent, or
/// the turns are over.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    held: u64,
    line_lost: u64,
    mob_lost: u64,
    met: u64,
}

fn fight(game: &Bugles, attack: Attack, troop: Troop, key: [u8; 32], number: u64) -> Sum {
    let data = game.data();
    let mut state = State::initial(data, &game_id(), &whole_sides(game));
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
    state.generals = vec![
        corner("davis", despatch::bugles::data::Army::AngloEgyptian, 100),
        corner("osman", despatch::bugles::data::Army::Mahdist, 7000),
    ];
    state.turn = 1;
    state.window = Window::Turn;
    let mut sum = Sum::default();
    for phase in 1..=8 {
        state.window = Window::Turn;
        state.result = None;
        state.turn = phase;
        let mut dice = Roller::streamed(key, number * 1000 + u64::from(phase));
        let (after, events) = resolve(data, state, phase, &[], &mut dice).unwrap();
        sum.met |= u64::from(
            events.iter().any(|e| matches!(e, despatch::bugles::events::Event::Fought { .. })),
        );
        state = after;
        let left = |id: &str| state.unit(id).map_or(0, Unit::strength);
        if left("line") * 2 < 6 {
            break;
        }
    }
    let line = state.unit("line").unwrap();
    sum.held = u64::from(line.strength() * 2 >= 6);
    sum.line_lost = 6 - line.strength() as u64;
    sum.mob_lost = state
        .units
        .iter()
        .filter(|u| u.id != "line")
        .map(|u| (u.bases.len() - u.strength()) as u64)
        .sum();
    sum
}

fn measure(game: &Bugles, attack: Attack, troop: Troop, trials: u64) -> Sum {
    let mut total = Sum::default();
    for n in 0..trials {
        let one = fight(game, attack, troop, [7; 32], n);
        total.held += one.held;
        total.line_lost += one.line_lost;
        total.mob_lost += one.mob_lost;
        total.met += one.met;
    }
    total
}

fn tenths(sum: u64, trials: u64) -> String {
    let n = sum * 10 / trials;
    format!("{}.{}", n / 10, n % 10)
}

#[test]
#[ignore = "minutes: prints the table of games/bugles/measured.toml"]
fn measured_lines_against_attacks() {
    let trials = 300;
    let mut out = String::new();
    for (rulings, note) in
        [(&[][..], ""), (&[("fire-in-contact", "barred")][..], " (no fire in contact)")]
    {
        let game = game_of("tamai", &[], "single", rulings);
        for attack in ATTACKS {
            for (name, troop) in LINES {
                let sum = measure(&game, attack, troop, trials);
                let _ = writeln!(
                    out,
                    "    [\"{name}\", \"{}{note}\", \"{}%\", \"{}%\", \"{}\", \"{}\"],",
                    attack.name,
                    sum.held * 100 / trials,
                    sum.met * 100 / trials,
                    tenths(sum.line_lost, trials),
                    tenths(sum.mob_lost, trials)
                );
            }
        }
    }
    println!("{out}");
}

#[test]
#[ignore = "minutes: prints the games of games/bugles/measured.toml"]
fn measured_games_of_policy_against_policy() {
    for scenario in ["bugles-solo", "bugles-club", "el-teb", "tamai"] {
        let game = game_of(scenario, &[], "single", &[]);
        let seats = whole_sides(&game);
        let (mut results, mut lost) = (super::Counts::new(), [0_u32; 2]);
        let games = 40;
        for seed in 0..games {
            let played = super::random::play_with(
                &game,
                &seats,
                9000 + seed,
                false,
                &mut |view, player, _| {
                    despatch::bugles::tactics::orders(game.data(), view, view.army(player).unwrap())
                },
                &mut |_, _, _, _| {},
            );
            *results.entry(played.result).or_default() += 1;
            for (n, army) in
                [despatch::bugles::data::Army::AngloEgyptian, despatch::bugles::data::Army::Mahdist]
                    .into_iter()
                    .enumerate()
            {
                lost[n] += played.state.lost(army);
            }
        }
        let of = |what: &str| results.get(what).copied().unwrap_or(0);
        println!(
            "    [\"{scenario}\", \"{games}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\"],",
            of("Anglo-Egyptian victory"),
            of("Mahdist victory"),
            of("draw"),
            tenths(u64::from(lost[0]), games),
            tenths(u64::from(lost[1]), games)
        );
    }
}

#[test]
fn lines_hold_as_the_notes_on_tactics_say() {
    let game = game_of("tamai", &[], "single", &[]);
    let trials = 30;
    let of = |attack: usize, troop| measure(&game, ATTACKS[attack], troop, trials);
    let british = of(0, Troop::BritishInfantry);
    // British troops stand almost any attack in front.
    assert!(british.held * 100 >= 90 * trials, "{british:?}");
    let egyptian = of(0, Troop::EgyptianInfantry);
    assert!(egyptian.line_lost >= british.line_lost, "{egyptian:?} {british:?}");
    // From close by, more of them come home; and on the flank they do most harm.
    let near = of(3, Troop::EgyptianInfantry);
    assert!(near.line_lost >= egyptian.line_lost, "{near:?} {egyptian:?}");
    let flank = of(2, Troop::EgyptianInfantry);
    let front = of(1, Troop::EgyptianInfantry);
    assert!(flank.line_lost >= front.line_lost, "{flank:?} {front:?}");
}
