//! The cases below `tests/cases/bugles/`: files that a player could read, written from
//! the rules text. Each is resolved or asked, compared with what it expects, and its
//! report kept as a snapshot beside it.

#![allow(clippy::float_arithmetic, reason = "cases are written in inches")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;

use despatch::bugles::data::{Army, Troop};
use despatch::bugles::events::{Effect, Event};
use despatch::bugles::game::Bugles;
use despatch::bugles::lay::laid;
use despatch::bugles::state::{
    Behind, Condition, FirePlan, Formation, General, Marker, Order, Presence, State, Storm, Unit,
    Window, bases,
};
use despatch::core::diag::Severity;
use despatch::core::dice::{DiceError, Roller};
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{Game, GameError, PhaseInput, Question, Resolution, Submission};
use despatch::geometry::plane::{Facing, Point, Pose};
use serde::Deserialize;

use super::{game_id, game_of, whole_sides};

/// Inches as they are written, in hundredths.
fn units(n: f64) -> i64 {
    format!("{:.0}", n * 100.0).parse().unwrap()
}

fn point(p: [f64; 2]) -> Point {
    Point::new(units(p[0]), units(p[1]))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub rules: Vec<String>,
    #[allow(dead_code, reason = "for people")]
    title: String,
    #[allow(dead_code, reason = "for people")]
    why: String,
    scenario: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    cadence: Option<String>,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    turn: Option<u32>,
    window: Option<String>,
    /// `[until, inches]`.
    storm: Option<[u32; 2]>,
    /// The scenario's own units and generals stand as it has them.
    #[serde(default)]
    as_shipped: bool,
    #[serde(default)]
    general: BTreeMap<String, GeneralLine>,
    #[serde(default)]
    unit: BTreeMap<String, UnitLine>,
    #[serde(default)]
    marker: BTreeMap<String, MarkerLine>,
    #[serde(default)]
    orders: BTreeMap<String, String>,
    #[serde(default)]
    dice: BTreeMap<String, toml::Value>,
    /// Every die that is not listed.
    #[serde(default)]
    rest: Option<u32>,
    expect: Option<Expect>,
    #[serde(default)]
    ask: Vec<Ask>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GeneralLine {
    army: Army,
    at: [f64; 2],
    with: Option<String>,
    #[serde(default)]
    macdonald: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitLine {
    troop: Troop,
    bases: u32,
    #[serde(default)]
    rifles: u32,
    at: [f64; 2],
    facing: i64,
    #[serde(default)]
    column: bool,
    order: Option<String>,
    general: Option<String>,
    under: Option<String>,
    #[serde(default)]
    on_foot: bool,
    #[serde(default)]
    suppressed: Vec<usize>,
    #[serde(default)]
    lost: Vec<usize>,
    #[serde(default)]
    hold_fire: bool,
    /// Places of bases that stand elsewhere: number, x, y.
    #[serde(default)]
    moved: Vec<[f64; 3]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkerLine {
    at: [f64; 2],
    #[serde(default)]
    under_fire: bool,
    #[serde(default)]
    noted: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// Where the fronts of units are.
    at: Option<BTreeMap<String, [f64; 2]>>,
    facing: Option<BTreeMap<String, i64>>,
    /// Where bases are.
    base: Option<BTreeMap<String, [f64; 2]>>,
    order: Option<BTreeMap<String, String>>,
    formation: Option<BTreeMap<String, String>>,
    destroyed: Option<Vec<String>>,
    suppressed: Option<Vec<String>>,
    recoiled: Option<Vec<String>>,
    recovered: Option<Vec<String>>,
    /// `FIRER > TARGET 7:8 no effect`.
    shots: Option<Vec<String>>,
    /// `REGULAR > MAHDIST 7:8 no effect`.
    fights: Option<Vec<String>>,
    marker_shots: Option<Vec<String>>,
    revealed: Option<BTreeMap<String, Vec<String>>>,
    markers: Option<BTreeMap<String, [f64; 2]>>,
    mustered: Option<BTreeMap<String, [u32; 2]>>,
    spent: Option<BTreeMap<String, f64>>,
    allowance: Option<BTreeMap<String, u32>>,
    obeyed: Option<BTreeMap<String, bool>>,
    general: Option<BTreeMap<String, [f64; 2]>>,
    out: Option<Vec<String>>,
    storm: Option<[u32; 2]>,
    refused: Option<Vec<OutcomeLine>>,
    failed: Option<Vec<OutcomeLine>>,
    accepted: Option<usize>,
    result: Option<String>,
    next: Option<[String; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeLine {
    player: String,
    rule: Option<String>,
    says: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    question: String,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    says_not: Vec<String>,
}

/// Games by their settings, loaded once.
fn loaded(case: &Case) -> &'static Bugles {
    static GAMES: Mutex<BTreeMap<String, &'static Bugles>> = Mutex::new(BTreeMap::new());
    let scenario = case.scenario.as_deref().unwrap_or("tamai");
    let cadence = case.cadence.as_deref().unwrap_or("brisk");
    let key = format!("{scenario} {:?} {cadence} {:?}", case.options, case.rulings);
    let mut games = GAMES.lock().unwrap();
    games.entry(key).or_insert_with(|| {
        let options: Vec<&str> = case.options.iter().map(String::as_str).collect();
        let rulings: Vec<(&str, &str)> =
            case.rulings.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        Box::leak(Box::new(game_of(scenario, &options, cadence, &rulings)))
    })
}

impl Case {
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn state(&self, game: &Bugles) -> State {
        let data = game.data();
        let mut state = State::initial(data, &game_id(), &whole_sides(game));
        state.window = match self.window.as_deref().unwrap_or("action") {
            "muster" => Window::Muster,
            "deploy" => Window::Deploy,
            "orders" => Window::Orders,
            "mahdist" => Window::Mahdist,
            "action" => Window::Action,
            "turn" => Window::Turn,
            other => panic!("no window {other}"),
        };
        let early = matches!(state.window, Window::Muster | Window::Deploy);
        state.turn = if early { 0 } else { self.turn.unwrap_or(3) };
        state.storm =
            self.storm.map(|[until, sight]| Storm { until, sight: i64::from(sight) * 100 });
        if self.as_shipped {
            return state;
        }
        state.units.clear();
        state.generals.clear();
        let seat = |army: Army| {
            let sides = &game.scenario().sides;
            sides
                .iter()
                .find(|(id, _)| *id == army.id())
                .map_or_else(|| "nobody".to_owned(), |(_, commands)| commands[0].clone())
        };
        for (army, id) in [(Army::AngloEgyptian, "graham"), (Army::Mahdist, "digna")] {
            if !self.general.contains_key(id) {
                state.generals.push(General {
                    id: id.to_owned(),
                    name: id.to_owned(),
                    army,
                    seat: seat(army),
                    at: Point::new(100, if army == Army::Mahdist { 4700 } else { 100 }),
                    here: true,
                    attached: None,
                    macdonald: false,
                });
            }
        }
        for (id, line) in &self.general {
            state.generals.push(General {
                id: id.clone(),
                name: id.clone(),
                army: line.army,
                seat: seat(line.army),
                at: point(line.at),
                here: true,
                attached: line.with.clone(),
                macdonald: line.macdonald,
            });
        }
        for (id, line) in &self.unit {
            state.units.push(Self::unit(game, id, line));
        }
        for (id, line) in &self.marker {
            let unit = self.unit.iter().find(|(_, u)| u.under.as_ref() == Some(id));
            state.numbered += 1;
            state.markers.push(Marker {
                id: id.clone(),
                at: point(line.at),
                general: "digna".to_owned(),
                under_fire: line.under_fire,
                halted: false,
                veil: false,
                noted: Some(line.noted),
                behind: unit.map_or(Behind::Nothing, |(u, _)| Behind::Unit(u.clone())),
                sealed: Vec::new(),
            });
        }
        state.generals.sort_by(|a, b| a.id.cmp(&b.id));
        state.units.sort_by(|a, b| a.id.cmp(&b.id));
        state.markers.sort_by(|a, b| a.id.cmp(&b.id));
        let count = |army: Army| {
            let of = self.unit.values().filter(|u| u.troop.army() == army);
            of.map(|u| u.bases).sum::<u32>()
        };
        state.elements = count(Army::AngloEgyptian);
        state.mustered = count(Army::Mahdist);
        for general in &mut state.generals {
            if let Some((u, n)) = general.attached.as_ref().and_then(|b| {
                let (unit, number) = b.rsplit_once('-')?;
                let unit = state.units.iter().find(|u| u.id == unit)?;
                Some((unit, number.parse::<usize>().ok()? - 1))
            }) {
                general.at = u.bases[n].at;
            }
        }
        state
    }

    fn unit(game: &Bugles, id: &str, line: &UnitLine) -> Unit {
        let at = point(line.at);
        let facing = Facing::of(line.facing);
        let army = line.troop.army();
        let mut unit = Unit {
            id: id.to_owned(),
            name: id.to_owned(),
            troop: line.troop,
            general: line.general.clone().unwrap_or_else(|| {
                if army == Army::Mahdist { "digna" } else { "graham" }.to_owned()
            }),
            order: match line.order.as_deref().unwrap_or("HOLD") {
                "HOLD" => Order::Hold,
                "ATTACK" => Order::Attack,
                "MOVE" => Order::Move,
                "withdraw" => Order::Withdraw,
                other => panic!("no order {other}"),
            },
            formation: if line.column { Formation::Column } else { Formation::Battle },
            anchor: at,
            facing,
            presence: line.under.clone().map_or(Presence::Table, Presence::Marker),
            dismounted: line.on_foot,
            formed: 0,
            halted: false,
            under_fire: false,
            fire: FirePlan { hold: line.hold_fire, ..FirePlan::default() },
            trail: Vec::new(),
            bases: bases(line.bases, line.rifles, Pose { at, facing }),
        };
        let lay = laid(game.data(), &unit);
        unit.take(&lay);
        for n in &line.lost {
            unit.bases[n - 1].condition = Condition::Lost;
        }
        for n in &line.suppressed {
            let base = &mut unit.bases[n - 1];
            base.condition = Condition::Suppressed;
            base.facing = facing.back();
            base.at = game.data().compass.place(base.at, facing, 0, -80);
        }
        for [n, x, y] in &line.moved {
            let index: usize = format!("{n:.0}").parse().unwrap();
            unit.bases[index - 1].at = point([*x, *y]);
        }
        unit
    }

    /// Resolves the case; every die that is not listed shows `rest`.
    fn resolve(
        &self,
        game: &Bugles,
        input: &PhaseInput,
    ) -> Result<(Resolution, Roller), GameError> {
        let mut script: BTreeMap<String, Vec<u32>> = self
            .dice
            .iter()
            .map(|(label, value)| {
                let face = |v: &toml::Value| u32::try_from(v.as_integer().unwrap()).unwrap();
                let faces = match value {
                    toml::Value::Array(list) => list.iter().map(face).collect(),
                    one => vec![face(one)],
                };
                (label.clone(), faces)
            })
            .collect();
        for _ in 0..500 {
            let mut dice = Roller::scripted(script.clone());
            match game.adjudicate(input, &mut dice) {
                Err(GameError::Dice(DiceError::Script { label, spec })) if self.rest.is_some() => {
                    let (count, _) = spec.split_once('d').unwrap();
                    let count: usize = count.parse().unwrap();
                    script.insert(label, vec![self.rest.unwrap(); count]);
                }
                Err(error) => return Err(error),
                Ok(resolution) => return Ok((resolution, dice)),
            }
        }
        panic!("too many dice");
    }

    /// Runs the case; every difference, and the texts to keep.
    fn run(&self) -> (Vec<String>, String) {
        let game = loaded(self);
        let state = self.state(game);
        let text = state.to_text(game.data(), None);
        for seat in whole_sides(game) {
            super::random::form_passes(game, &text, &seat.player, 7);
        }
        let mut faults = Vec::new();
        let mut kept = String::new();
        for ask in &self.ask {
            let mut words = ask.question.split_whitespace().map(str::to_owned);
            let question = Question { topic: words.next().unwrap(), words: words.collect() };
            let answer = match game.ask(&text, &question) {
                Ok(answer) => answer.text,
                Err(error) => format!("{error}\n"),
            };
            let _ = write!(kept, "# ask {}\n{answer}", ask.question);
            for word in &ask.says {
                if !answer.contains(word.as_str()) {
                    faults.push(format!("{}: does not say `{word}`: {answer}", ask.question));
                }
            }
            for word in &ask.says_not {
                if answer.contains(word.as_str()) {
                    faults.push(format!("{}: says `{word}`", ask.question));
                }
            }
        }
        if let Some(expect) = &self.expect {
            self.compare(game, &state, &text, expect, &mut faults, &mut kept);
        }
        (faults, kept)
    }

    fn compare(
        &self,
        game: &Bugles,
        state: &State,
        text: &str,
        expect: &Expect,
        faults: &mut Vec<String>,
        kept: &mut String,
    ) {
        let data = game.data();
        let mut orders = BTreeMap::new();
        let mut accepted = 0;
        for seat in whole_sides(game) {
            let player = seat.player.to_string();
            let file = self.orders.get(&player).map_or("", String::as_str);
            let source = Source::new(&format!("{player}.toml"), file);
            let view = game.view(text, &Viewer::Player(seat.player.clone())).unwrap();
            let checked = game.check(&view, &seat.player, &source).unwrap();
            accepted += checked.accepted;
            let shown = despatch::core::diag::render_all(&checked.faults, &source, false);
            if !shown.is_empty() {
                let _ = writeln!(kept, "# check {player}\n{}", shown.trim_end());
            }
            let errors = checked.faults.iter().filter(|f| f.severity == Severity::Error).count();
            if (errors == 0) != (checked.refused == 0) {
                faults.push(format!("{player}: {errors} errors, {} refused", checked.refused));
            }
            orders.insert(seat.player, Submission::File(source));
        }
        let input = PhaseInput {
            game: game_id(),
            phase: 7,
            prev: "0".repeat(64),
            state: text.to_owned(),
            orders,
            rehearsal: false,
        };
        let (resolution, _) = match self.resolve(game, &input) {
            Ok(resolved) => resolved,
            Err(error) => {
                faults.push(format!("adjudication: {error}"));
                return;
            }
        };
        let events: Vec<Event> =
            resolution.events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let after = State::parse(data, &resolution.state).unwrap();
        let mut folded = state.clone();
        for event in &events {
            folded.apply(data, event);
        }
        if folded != after {
            faults.push("the fold of the events is not the state after".to_owned());
        }
        kept.push_str(&resolution.reports[&Viewer::Referee].text);
        outcome(data, &events, &after, expect, accepted, faults);
    }
}

fn near(a: Point, b: Point) -> bool {
    a.square_to(b) <= 5 * 5
}

/// Compares what came out with what is expected.
fn outcome(
    data: &despatch::bugles::data::Data,
    events: &[Event],
    after: &State,
    expect: &Expect,
    accepted: usize,
    faults: &mut Vec<String>,
) {
    let mut fault = |what: String| faults.push(what);
    for (id, at) in expect.at.iter().flatten() {
        let unit = after.unit(id).unwrap_or_else(|| panic!("no unit {id}"));
        if !near(unit.anchor, point(*at)) {
            fault(format!("{id} is at {}, not at {at:?}", data.spot(unit.anchor)));
        }
    }
    for (id, facing) in expect.facing.iter().flatten() {
        let unit = after.unit(id).unwrap();
        if unit.facing.degrees() != *facing {
            fault(format!("{id} faces {}, not {facing}", unit.facing.degrees()));
        }
    }
    for (id, at) in expect.base.iter().flatten() {
        let (unit, n) = after.base(id).unwrap_or_else(|| panic!("no base {id}"));
        if !near(unit.bases[n].at, point(*at)) {
            fault(format!("{id} is at {}, not at {at:?}", data.spot(unit.bases[n].at)));
        }
    }
    for (id, order) in expect.order.iter().flatten() {
        let has = after.unit(id).unwrap().order.word();
        if has != order {
            fault(format!("{id} has {has}, not {order}"));
        }
    }
    for (id, formation) in expect.formation.iter().flatten() {
        let unit = after.unit(id).unwrap();
        let foot = if unit.dismounted { " on foot" } else { "" };
        let has = format!("{}{foot}", unit.formation.word());
        if has != *formation {
            fault(format!("{id} is in {has}, not {formation}"));
        }
    }
    let named = |pick: &dyn Fn(&Event) -> Option<String>| -> Vec<String> {
        let mut list: Vec<String> = events.iter().filter_map(pick).collect();
        list.sort();
        list
    };
    let mut list = |what: &str, want: &Option<Vec<String>>, got: Vec<String>| {
        if let Some(want) = want {
            let mut want = want.clone();
            want.sort();
            if want != got {
                faults.push(format!("{what}: expected {want:?}, got {got:?}"));
            }
        }
    };
    list(
        "destroyed",
        &expect.destroyed,
        named(&|e| match e {
            Event::Destroyed { base, .. } => Some(base.clone()),
            _ => None,
        }),
    );
    list(
        "suppressed",
        &expect.suppressed,
        named(&|e| match e {
            Event::Suppressed { base, .. } => Some(base.clone()),
            _ => None,
        }),
    );
    list(
        "recoiled",
        &expect.recoiled,
        named(&|e| match e {
            Event::Pushed { base, why, .. } if why == "recoils" => Some(base.clone()),
            _ => None,
        }),
    );
    list(
        "recovered",
        &expect.recovered,
        named(&|e| match e {
            Event::Recovered { base, .. } => Some(base.clone()),
            _ => None,
        }),
    );
    let exchange = |x: &despatch::bugles::events::Exchange| {
        let what = match x.effect {
            Effect::Nothing => "no effect",
            Effect::Suppressed => "suppressed",
            Effect::Recoil => "recoils",
            Effect::Destroyed => "destroyed",
        };
        let (a, d) = (&x.attacker, &x.defender);
        format!("{} > {} {}:{} {what}", a.base, d.base, a.total, d.total)
    };
    list(
        "shots",
        &expect.shots,
        named(&|e| match e {
            Event::Shot { exchange: x } => Some(exchange(x)),
            _ => None,
        }),
    );
    list(
        "fights",
        &expect.fights,
        named(&|e| match e {
            Event::Fought { exchange: x } => Some(exchange(x)),
            _ => None,
        }),
    );
    list(
        "marker shots",
        &expect.marker_shots,
        named(&|e| match e {
            Event::MarkerShot { exchange: x, .. } => Some(exchange(x)),
            _ => None,
        }),
    );
    list(
        "out",
        &expect.out,
        named(&|e| match e {
            Event::GeneralLost { general, .. } => Some(general.clone()),
            _ => None,
        }),
    );
    if let Some(want) = &expect.revealed {
        let got: BTreeMap<String, Vec<String>> = events
            .iter()
            .filter_map(|e| match e {
                Event::Revealed { marker, behind, .. } => Some((marker.clone(), behind.clone())),
                _ => None,
            })
            .collect();
        if *want != got {
            faults.push(format!("revealed: expected {want:?}, got {got:?}"));
        }
    }
    for (id, at) in expect.markers.iter().flatten() {
        match after.marker(id) {
            Some(m) if near(m.at, point(*at)) => {}
            Some(m) => faults.push(format!("{id} is at {}, not at {at:?}", data.spot(m.at))),
            None => faults.push(format!("{id} is off the table")),
        }
    }
    for (id, [count, rifles]) in expect.mustered.iter().flatten() {
        let unit = after.unit(id).unwrap_or_else(|| panic!("no unit {id}"));
        let has = [unit.bases.len(), unit.bases.iter().filter(|b| b.rifles).count()];
        if has != [*count as usize, *rifles as usize] {
            faults.push(format!("{id} has {has:?} bases and rifles, not {count} and {rifles}"));
        }
    }
    for (id, inches) in expect.spent.iter().flatten() {
        let spent: Vec<i64> = events
            .iter()
            .filter_map(|e| match e {
                Event::Moved { unit, spent, .. } if unit == id => Some(*spent),
                Event::MarkerMoved { marker, spent, .. } if marker == id => Some(*spent),
                _ => None,
            })
            .collect();
        if spent.last() != Some(&units(*inches)) {
            faults.push(format!("{id} spent {spent:?}, not {inches}"));
        }
    }
    for (id, want) in expect.allowance.iter().flatten() {
        let got = events.iter().find_map(|e| match e {
            Event::Allowance { general, total, .. } if general == id => Some(*total),
            _ => None,
        });
        if got != Some(*want) {
            faults.push(format!("{id} may change {got:?} orders, not {want}"));
        }
    }
    for (id, want) in expect.obeyed.iter().flatten() {
        let got = events.iter().find_map(|e| match e {
            Event::Ordered { unit, obeyed, .. } if unit == id => Some(*obeyed),
            _ => None,
        });
        if got != Some(*want) {
            faults.push(format!("{id} obeyed: {got:?}, not {want}"));
        }
    }
    for (id, at) in expect.general.iter().flatten() {
        let general = after.general(id).unwrap();
        if !near(general.at, point(*at)) {
            faults.push(format!("{id} is at {}, not at {at:?}", data.spot(general.at)));
        }
    }
    if let Some([until, sight]) = expect.storm {
        let want = Some(Storm { until, sight: i64::from(sight) * 100 });
        if after.storm != want {
            faults.push(format!("storm: expected {want:?}, got {:?}", after.storm));
        }
    }
    for (kind, want) in [("refused", &expect.refused), ("failed", &expect.failed)] {
        let Some(want) = want else { continue };
        let mut got: Vec<(&str, &str, &str)> = events
            .iter()
            .filter_map(|e| match e {
                Event::Outcome { player, outcome, reason, rule, .. } if outcome == kind => {
                    Some((player.as_str(), rule.as_str(), reason.as_str()))
                }
                _ => None,
            })
            .collect();
        for line in want {
            let fits = |(player, rule, says): &(&str, &str, &str)| {
                *player == line.player
                    && line.rule.as_ref().is_none_or(|r| r == rule)
                    && line.says.as_ref().is_none_or(|s| says.contains(s.as_str()))
            };
            match got.iter().position(fits) {
                Some(at) => {
                    got.remove(at);
                }
                None => faults.push(format!("not {kind}: {line:?}; {kind}: {got:?}")),
            }
        }
        if !got.is_empty() {
            faults.push(format!("{kind} too: {got:?}"));
        }
    }
    if let Some(want) = expect.accepted
        && want != accepted
    {
        faults.push(format!("{accepted} orders accepted, not {want}"));
    }
    if let Some(want) = &expect.result
        && after.result.as_ref() != Some(want)
    {
        faults.push(format!("result {:?}, not {want}", after.result));
    }
    if let Some([turn, window]) = &expect.next {
        let got = [after.turn.to_string(), after.window.id().to_owned()];
        if got != [turn.clone(), window.clone()] {
            faults.push(format!("next is {got:?}, not {turn}, {window}"));
        }
    }
}

/// Every case, by folder.
pub fn all() -> Vec<Case> {
    folders().iter().map(|f| Case::load(&f.join("case.toml"))).collect()
}

fn folders() -> Vec<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/bugles");
    let mut out: Vec<_> = std::fs::read_dir(root)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.join("case.toml").is_file())
        .collect();
    out.sort();
    out
}

#[test]
fn every_case_comes_out_as_it_says() {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for folder in folders() {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let case = Case::load(&folder.join("case.toml"));
        assert!(seen.insert(name.clone()));
        let (wrong, kept) = case.run();
        faults.extend(wrong.into_iter().map(|w| format!("{name}: {w}")));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("report", kept));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
