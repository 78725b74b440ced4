//! Random players: hundreds of sieges from order files with every kind of order, lawful
//! or not, and laws that no position may break.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use despatch::core::cite;
use despatch::core::dice::{ChaChaWords, below};
use despatch::core::id::Id;
use despatch::last_outpost::data::{Data, Kind, Side, Way};
use despatch::last_outpost::events::Event;
use despatch::last_outpost::irregular::irregular;
use despatch::last_outpost::position::Position;
use despatch::last_outpost::state::{Place, State, WaveStatus, Window};

use super::played;

/// A stream of choices.
pub struct Choices(ChaChaWords);

impl Choices {
    pub fn new(number: u64) -> Self {
        Self(ChaChaWords::numbered([7; 32], number))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        if n < 2 { 0 } else { below(&mut self.0, u32::try_from(n).unwrap()) as usize }
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    pub fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A file of random orders for a player.
pub fn orders(data: &Data, view: &State, player: &Id, choices: &mut Choices) -> String {
    match view.side(player).unwrap() {
        Side::Garrison => garrison(data, view, choices),
        Side::Mahdist => mahdist(data, view, choices),
    }
}

fn garrison(data: &Data, view: &State, choices: &mut Choices) -> String {
    let c = &data.compound;
    let mut out = String::new();
    let posts = data.post_ids();
    let section = |choices: &mut Choices| {
        let all: Vec<_> = c.sections().collect();
        c.wall(*choices.of(&all)).id.clone()
    };
    if choices.once_in(3) {
        out.push_str("[doctrine]\n");
        let _ = writeln!(out, "support = \"{}\"", choices.of(&["never", "if-free", "always"]));
        let _ = writeln!(out, "revolver = {}", choices.once_in(2));
        let _ = writeln!(out, "bayonet = {}", choices.once_in(3));
        if choices.once_in(2) {
            out.push_str("zones = [\"RD\", \"HB\", \"LZ\"]\nwound = [\"wounded\", \"officer\"]\n");
            out.push_str("returns = [\"gunner\"]\ntargets = [\"snipers\", \"wave\", \"next\"]\n");
        }
    }
    for _ in 0..choices.below(6) {
        match choices.below(6) {
            0 => {
                let hold = choices.below(5);
                let _ = writeln!(out, "[[fire]]\nat = \"{}\"\nhold = {hold}", section(choices));
            }
            1 => {
                let (min, hold) = (choices.below(30), choices.below(4));
                let gun = choices.of(&["gun-1", "gun-2"]);
                let _ = writeln!(out, "[[gun]]\ngun = \"{gun}\"\nmin_wave = {min}\nhold = {hold}");
            }
            _ => {
                let standing: Vec<_> = view.garrison(data).collect();
                let Some(from) = standing.get(choices.below(standing.len())) else { continue };
                let to = choices.of(&posts);
                if choices.once_in(2) {
                    let figure = &data.figure(*from).id;
                    let _ = writeln!(out, "[[post]]\nfigures = [\"{figure}\"]\nto = \"{to}\"");
                } else {
                    let from = choices.of(&posts);
                    let count = 1 + choices.below(5);
                    let _ = writeln!(
                        out,
                        "[[post]]\nfrom = \"{from}\"\ncount = {count}\nto = \"{to}\""
                    );
                    if choices.once_in(2) {
                        let kind = choices.of(&["soldier", "soldier", "gunner", "officer"]);
                        let _ = writeln!(out, "kind = \"{kind}\"");
                    }
                }
                if view.window.in_assault() && choices.once_in(2) {
                    let at = section(choices);
                    let n = choices.below(25);
                    let _ = writeln!(out, "if = \"wave_at({at}) >= {n} and round > 1\"");
                }
            }
        }
    }
    out
}

fn mahdist(data: &Data, view: &State, choices: &mut Choices) -> String {
    let c = &data.compound;
    let mut out = String::new();
    let day = view.window == Window::Day;
    if day {
        let turn = if choices.once_in(2) { "assault" } else { "sniping" };
        let _ = writeln!(out, "[day]\nturn = \"{turn}\"");
        let joker = choices.once_in(3);
        let cards = 1 + choices.below(12);
        let _ = writeln!(out, "[sniping]\nstop_on_first_joker = {joker}\nmax_cards = {cards}");
        if choices.once_in(2) {
            out.push_str("after_second_joker = \"continue\"\n");
        }
        if choices.once_in(3) {
            let rifles = 1 + choices.below(12);
            let _ = writeln!(out, "[rocks]\nrifles = {rifles}");
        }
    }
    if choices.once_in(6) {
        out.push_str("[doctrine]\ncall_off = \"uncommitted < 3 and waves = 0\"\n");
    }
    let words = ["fight", "guns", "tower", "hospital", "redoubt", "hunt"];
    let told = |out: &mut String, choices: &mut Choices| {
        let mut list: Vec<&str> = Vec::new();
        for _ in 0..=choices.below(4) {
            list.push(words[choices.below(words.len())]);
        }
        let _ = writeln!(out, "intents = {list:?}");
        let _ = writeln!(out, "raise = \"{}\"", choices.of(&["at-once", "contact", "last"]));
        let _ = writeln!(out, "through = \"{}\"", choices.of(&["gaps", "holders"]));
        let workers = choices.of(&[0, 3, 4, 8, 11, 12, 16, 19, 120, 400_000]);
        let _ = writeln!(out, "workers = {workers}");
    };
    for _ in 0..=choices.below(4) {
        if day || choices.once_in(3) {
            let all: Vec<_> = c.sections().collect();
            let target = &c.wall(*choices.of(&all)).id;
            let (spears, rifles) = (8 + choices.below(50), choices.below(12));
            let markers = choices.below(8);
            let _ = writeln!(
                out,
                "[[wave]]\ntarget = \"{target}\"\nspears = {spears}\nrifles = {rifles}\nmarkers = {markers}"
            );
            if !day {
                let _ = writeln!(out, "round = {}", view.round as usize + choices.below(4));
            }
            told(&mut out, choices);
        } else if let Some(wave) = view.waves.get(choices.below(view.waves.len().max(1))) {
            let wave = wave.number;
            if choices.once_in(8) {
                let _ = writeln!(out, "[[withdraw]]\nwave = \"wave-{wave}\"");
                let _ = writeln!(out, "if = \"casualties(wave-{wave}) >= 40\"");
            } else {
                let _ = writeln!(out, "[[tell]]\nwave = \"wave-{wave}\"");
                told(&mut out, choices);
            }
        }
    }
    out
}

/// Laws of every position: who is where, and how many.
pub fn lawful(data: &Data, state: &State) {
    assert_eq!(irregular(data, state), [""; 0], "what the rules brought about");
    let position = Position::new(data, state);
    let c = &data.compound;
    let count = |kind: Kind| data.figures.iter().filter(|f| f.kind == kind).count();
    assert_eq!(data.figures.len(), state.figures.len(), "no figure appears or goes");
    assert_eq!(count(Kind::Soldier) + count(Kind::Officer) + count(Kind::Gunner), 60);
    for wall in c.wall_ids() {
        let (holders, places) = (position.holders(wall).len(), c.wall(wall).places as usize);
        assert!(holders <= places, "{holders} hold the {places} places of {}", c.wall(wall).id);
        let front = position.front(wall);
        for attackers in front.pairs.values() {
            assert!(attackers.len() <= data.tables.melee.at_holder, "two at a holder");
        }
    }
    for room in c.room_ids() {
        for side in Side::BOTH {
            let there = position.in_room(side, room).len();
            if let Some(cap) = c.room(room).cap {
                let who = || -> Vec<String> {
                    let ids = position.in_room(side, room);
                    ids.iter().map(|id| format!("{:?}", (id, state.place(*id)))).collect()
                };
                assert!(
                    there <= cap as usize,
                    "{there} of a side in {}, {:?} round {}: {:?}",
                    c.room(room).id,
                    state.window,
                    state.round,
                    who()
                );
            }
        }
    }
    for id in data.ids() {
        let (figure, name) = (state.figure(id), &data.figure(id).id);
        match data.figure(id).side {
            Side::Garrison => {
                assert!(figure.wave.is_none(), "{name} is of a wave");
                let outside =
                    matches!(figure.place, Place::Before(w) if c.wall(w).way == Way::Outer);
                assert!(!outside, "{name} has left the compound (R25)");
                assert!(!matches!(figure.place, Place::Camp | Place::Advancing | Place::Rocks(_)));
                if figure.place == Place::Fallen {
                    assert!(!figure.wounded, "{name} was wounded before: he is dead (R9)");
                    assert!(state.window.in_assault(), "{name} awaits the end of an assault");
                }
            }
            Side::Mahdist => {
                assert!(!figure.wounded, "{name}: Mahdists are never wounded");
                if figure.place.present() || figure.place == Place::Advancing {
                    let wave = figure.wave.and_then(|n| state.wave(n));
                    assert!(
                        wave.is_some_and(despatch::last_outpost::state::Wave::active),
                        "{name} fights without a wave"
                    );
                }
                assert!(!matches!(figure.place, Place::Wall(_) | Place::Gun(_) | Place::Fallen));
            }
        }
    }
    for wave in &state.waves {
        if wave.status == WaveStatus::Advancing {
            assert!(wave.moves < data.tables.wave_moves, "a wave off the table has moves to go");
        }
        if !wave.active() {
            assert!(position.members(wave.number).is_empty(), "who is finished has nobody left");
            assert_eq!(wave.markers, 0, "markers of a finished wave are gone");
        }
    }
    if let Some(cap) = data.rulings.marker_cap {
        assert!(state.markers_in_play() <= cap, "more markers than there are (R1)");
    }
    assert!(state.tower <= data.tables.tower_points);
    if state.window == Window::End {
        assert!(state.result.is_some(), "a siege that is over has a result");
        let nobody = state.garrison(data).next().is_none();
        assert!(nobody || state.day == data.days, "it ends on the last day, or with the garrison");
    }
}

/// Laws of what happened: nobody fires unloaded, acts twice, or out of time.
pub fn happened(data: &Data, before: &State, after: &State, events: &[Event]) {
    let mut state = before.clone();
    let mut acted: BTreeMap<String, u32> = BTreeMap::new();
    let mut turned: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
    let (mut killed, mut gained, mut spent, mut lost) = (0, 0, 0, 0);
    for event in events {
        match event {
            Event::RoundBegan { .. } => {
                acted.clear();
                turned.clear();
            }
            Event::Stands { figures, place } => {
                let c = &data.compound;
                let wall = place.strip_prefix("before ").and_then(|w| c.find_wall(w));
                let outer = wall.filter(|w| c.wall(*w).way == Way::Outer);
                for name in figures.iter().filter(|_| outer.is_some()) {
                    let from = state.place(data.find(name).unwrap());
                    let Place::Before(from) = from else { panic!("{name} turns from {from:?}") };
                    assert!(c.adjoin(from, outer.unwrap()), "{name} walks round (R26)");
                    assert!(turned.insert(name.clone()), "{name} moves twice (R21, R26)");
                }
            }
            Event::Shot(shot) => {
                let id = data.find(&shot.figure).unwrap();
                let position = Position::new(data, &state);
                assert!(position.can_fire(id), "{} fires unloaded (R29, R30)", shot.figure);
                let kind = data.figure(id).kind;
                assert!(matches!(kind, Kind::Soldier | Kind::Officer | Kind::Rifle), "R34");
                let n = acted.entry(shot.figure.clone()).or_default();
                *n += 1;
                let most = if kind == Kind::Officer { data.tables.fire.shots_a_round } else { 1 };
                assert!(*n <= most, "{} fires {n} times in a round", shot.figure);
                let sum: i32 = i32::try_from(shot.die).unwrap()
                    + shot.modifiers.iter().map(|m| m.drm).sum::<i32>();
                assert_eq!(shot.hit, sum >= shot.needed);
            }
            Event::Struck(blow) => {
                let n = acted.entry(blow.attacker.clone()).or_default();
                *n += 1;
                assert_eq!(*n, 1, "{} attacks twice, or fires too", blow.attacker);
                let sum: i32 = blow.dice.iter().map(|d| i32::try_from(*d).unwrap()).sum::<i32>()
                    + blow.modifiers.iter().map(|m| m.drm).sum::<i32>();
                assert_eq!(sum, blow.total);
                for id in [&blow.attacker, &blow.defender] {
                    let id = data.find(id).unwrap();
                    assert!(state.place(id).present(), "the dead fight");
                }
            }
            Event::GunFired { gun, wave, .. } => {
                let gun = data.compound.find_gun(gun).unwrap();
                let g = state.guns[gun.at()];
                assert!(!g.disabled && !g.silent && g.loading.is_none(), "R31, R33, R44");
                let wall = data.compound.gun(gun).wall;
                let target = state.wave(*wave).unwrap().target;
                assert_eq!(data.compound.wall(wall).side, data.compound.wall(target).side, "R31");
            }
            Event::WaveMoved { wave, moves } => {
                let w = state.wave(*wave).unwrap();
                assert_eq!(*moves, w.moves + 1);
                if *moves == data.tables.wave_moves {
                    let men = Position::new(data, &state).members(*wave);
                    turned.extend(men.iter().map(|id| data.figure(*id).id.clone()));
                }
                // R16: moves in rounds r, r+1, r+2 and contact in r+3.
                assert_eq!(w.launched + moves - 1, state.round, "wave-{wave} keeps time");
            }
            Event::Card { markers, .. } => gained += markers,
            Event::Withdrew { wave, .. } | Event::WaveEnded { wave, .. } => {
                let kept = data.rulings.markers_return;
                lost += if kept { 0 } else { state.wave(*wave).unwrap().markers };
            }
            Event::AssaultEnded { .. } => {
                let left = state.waves.iter().filter(|w| w.active()).map(|w| w.markers);
                lost += if data.rulings.markers_return { 0 } else { left.sum() };
            }
            Event::Launched(launch) => {
                let wall = data.compound.find_wall(&launch.target).unwrap();
                assert!(!Position::new(data, &state).engaged(wall), "R15");
                assert!(
                    launch
                        .figures
                        .iter()
                        .all(|f| { state.place(data.find(f).unwrap()) == Place::Camp })
                );
            }
            Event::Raised { wave, figures, markers, .. } => {
                assert_eq!(figures.len(), (*markers * data.tables.raised) as usize, "R19");
                for figure in figures {
                    let f = state.figure(data.find(figure).unwrap());
                    assert_eq!((f.place, f.wave), (Place::Dead, Some(*wave)), "R19");
                }
                spent += markers;
            }
            Event::Hit { figure, outcome, .. } => {
                let id = data.find(figure).unwrap();
                let alive = state.place(id).present()
                    || matches!(state.place(id), Place::Advancing | Place::Rocks(_));
                assert!(alive, "{figure} is hit and is {:?}", state.place(id));
                if data.figure(id).side == Side::Mahdist {
                    killed += 1;
                }
                if outcome == "fallen" {
                    assert!(!state.figure(id).wounded);
                }
            }
            Event::Checked { wave, casualties, limit, .. } => {
                let w = state.wave(*wave).unwrap();
                assert_eq!(w.casualties, *casualties);
                assert!(casualties >= limit, "R20");
                let [first, second] = Position::new(data, &state).limits(w);
                assert!([first, second].contains(limit));
            }
            _ => {}
        }
        state.apply(data, event);
        if matches!(event, Event::RoundEnded { .. } | Event::AssaultEnded { .. }) {
            lawful(data, &state);
        }
    }
    lawful(data, after);
    if &state != after {
        let (folded, resolved) = (state.to_text(data, None), after.to_text(data, None));
        let line = folded.lines().zip(resolved.lines()).find(|(a, b)| a != b);
        panic!("the state is no fold of the events: {line:?}");
    }
    assert_eq!(after.casualties, before.casualties + killed, "each death counts once (R48)");
    assert_eq!(
        after.markers_in_play() + spent + lost,
        before.markers_in_play() + gained,
        "markers are gained, held, spent, or lost with their wave"
    );
}

/// Plays one random siege.
pub fn siege(data: &Data, number: u64, mut seen: impl FnMut(&State, &State, &[Event])) -> State {
    let mut choices = Choices::new(number);
    played::siege(
        data,
        &format!("random/{number}"),
        &mut |view, player| {
            if choices.once_in(12) {
                return None;
            }
            Some(orders(data, view, player, &mut choices))
        },
        &mut |before, after, events| seen(before, after, events),
    )
}

#[test]
fn random_players_keep_every_law() {
    let mut endings: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..500 {
        let cadence = if number % 5 == 0 { "strict" } else { "brisk" };
        let game = GAMES.with(|games| games[usize::from(cadence == "strict")].clone());
        let data = game.data();
        let end = siege(data, number, |before, after, events| {
            happened(data, before, after, events);
            // Text and back is the same position: what a check lets pass must never leave
            // a state that cannot be read again.
            if after.phase % 7 == 0 || number < 100 {
                let text = after.to_text(data, None);
                let read = State::parse(data, &text).unwrap();
                assert_eq!(read.to_text(data, None), text);
                if &read != after {
                    let (a, b) = (format!("{read:?}"), format!("{after:?}"));
                    let at = a.bytes().zip(b.bytes()).position(|(x, y)| x != y).unwrap_or(0);
                    let near = |text: &str| {
                        text[at.saturating_sub(200)..].chars().take(260).collect::<String>()
                    };
                    panic!("a state is not what its text says:\n{}\n{}", near(&a), near(&b));
                }
            }
        });
        *endings.entry(end.result.unwrap()).or_default() += 1;
    }
    println!("{endings:?}");
    assert!(endings.len() >= 3, "random sieges end in several ways: {endings:?}");
}

thread_local! {
    static GAMES: [std::rc::Rc<despatch::last_outpost::game::LastOutpost>; 2] =
        ["brisk", "strict"].map(|cadence| std::rc::Rc::new(super::game(cadence, &[])));
}

/// How often each rule is applied by random players.
pub fn exercised() -> BTreeMap<&'static str, u64> {
    let game = super::game("brisk", &[]);
    let data = game.data();
    cite::start_counting();
    for number in 1000..1060 {
        siege(data, number, |_, _, _| {});
    }
    cite::stop_counting()
}
