//! The cases below `tests/cases/omdurman/`: files that a player could read, written
//! from the rules text. Each is resolved or asked, compared with what it expects,
//! and its report kept as a snapshot beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;

use despatch::core::diag::Severity;
use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{Game, PhaseInput, Question, Submission};
use despatch::geometry::hex::{Hex, Side};
use despatch::omdurman::data::UnitId;
use despatch::omdurman::events::{Event, FightKind};
use despatch::omdurman::game::Omdurman;
use despatch::omdurman::state::{Note, Order, Place, Score, Standing, State, Task, Window};
use serde::Deserialize;

use super::{game_id, game_of, whole_sides};

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
    zariba: Option<Vec<String>>,
    #[serde(default)]
    mines: Vec<String>,
    #[serde(default)]
    chain: Vec<String>,
    #[serde(default)]
    known: bool,
    #[serde(default)]
    damaged: Vec<String>,
    #[serde(default)]
    chained: BTreeMap<String, String>,
    #[serde(default)]
    aboard: BTreeMap<String, String>,
    #[serde(default)]
    tasks: BTreeMap<String, String>,
    #[serde(default)]
    points: Vec<String>,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    turn: Option<u32>,
    moving: Option<String>,
    window: Option<String>,
    #[serde(default)]
    breaches: Vec<String>,
    #[serde(default)]
    disrupted: Vec<String>,
    #[serde(default)]
    waiting: Vec<String>,
    #[serde(default)]
    eliminated: Vec<String>,
    #[serde(default)]
    absent: Vec<String>,
    #[serde(default)]
    missing: Vec<String>,
    #[serde(default)]
    standing: bool,
    #[serde(default)]
    units: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    orders: BTreeMap<String, String>,
    #[serde(default)]
    dice: BTreeMap<String, toml::Value>,
    expect: Option<Expect>,
    #[serde(default)]
    ask: Vec<Ask>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    at: Option<BTreeMap<String, Vec<String>>>,
    eliminated: Option<Vec<String>>,
    disrupted: Option<Vec<String>>,
    breached: Option<Vec<String>>,
    zariba: Option<Vec<String>>,
    points: Option<BTreeMap<String, u32>>,
    deserted: Option<Vec<String>>,
    retreated: Option<BTreeMap<String, String>>,
    aboard: Option<BTreeMap<String, String>>,
    out: Option<Vec<String>>,
    damaged: Option<Vec<String>>,
    /// `stands` or `sunk`.
    chain: Option<String>,
    /// Who is at work in the position after, and at what.
    tasks: Option<BTreeMap<String, String>>,
    fights: Option<Vec<FightLine>>,
    advanced: Option<Vec<String>>,
    moved: Option<BTreeMap<String, u32>>,
    refused: Option<Vec<OutcomeLine>>,
    failed: Option<Vec<OutcomeLine>>,
    accepted: Option<usize>,
    rolled: Option<Vec<String>>,
    result: Option<String>,
    next: Option<Next>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FightLine {
    target: Option<String>,
    kind: Option<FightKind>,
    factors: Option<u32>,
    total: Option<i32>,
    result: Option<String>,
    modifiers: Option<i32>,
    defence_factors: Option<u32>,
    defence_total: Option<i32>,
    defence_result: Option<String>,
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
struct Next {
    turn: u32,
    moving: String,
    window: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    question: String,
    clear: Option<bool>,
    rule: Option<String>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    says_not: Vec<String>,
    #[serde(default)]
    reaches: BTreeMap<String, u32>,
    #[serde(default)]
    reaches_not: Vec<String>,
}

/// `mulazmin-01..16` is sixteen units.
fn expand(list: &[String]) -> Vec<String> {
    list.iter()
        .flat_map(|text| match text.split_once("..") {
            Some((stem, end)) => {
                let (stem, from) = stem.rsplit_once('-').unwrap();
                let width = from.len();
                let range = from.parse::<u32>().unwrap()..=end.parse::<u32>().unwrap();
                range.map(|n| format!("{stem}-{n:0width$}")).collect()
            }
            None => vec![text.clone()],
        })
        .collect()
}

/// Games by their settings, loaded once.
fn loaded(
    scenario: &str,
    options: &[String],
    cadence: &str,
    rulings: &[(&str, &str)],
) -> &'static Omdurman {
    static GAMES: Mutex<BTreeMap<String, &'static Omdurman>> = Mutex::new(BTreeMap::new());
    let key = format!("{scenario} {options:?} {cadence} {rulings:?}");
    let mut games = GAMES.lock().unwrap();
    games
        .entry(key)
        .or_insert_with(|| Box::leak(Box::new(game_of(scenario, options, cadence, rulings))))
}

impl Case {
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn state(&self, game: &Omdurman) -> State {
        let data = game.data();
        let mut state = State::initial(data, &game_id(), &whole_sides(game));
        let find = |name: &str| data.find(name).unwrap_or_else(|| panic!("no unit {name}"));
        for id in data.ids() {
            let stays = data.unit(id).fort.is_some() || Some(id) == data.scenario.gordon_id();
            if !stays {
                state.units[usize::from(id.0)].place = Place::Out;
            }
        }
        for (hex, names) in &self.units {
            let hex = Hex::parse(hex).filter(|h| data.board.has(*h)).expect("a hex");
            for name in expand(names) {
                state.units[usize::from(find(&name).0)].place = Place::At(hex);
            }
        }
        for name in expand(&self.waiting) {
            state.units[usize::from(find(&name).0)].place = Place::Waiting;
        }
        for name in expand(&self.eliminated) {
            state.units[usize::from(find(&name).0)].place = Place::Eliminated("before".to_owned());
        }
        for name in &self.absent {
            state.units[usize::from(find(name).0)].place = Place::Out;
        }
        let side = self.moving.as_deref().unwrap_or("dervish");
        state.moving = data.scenario.sides.iter().find(|s| s.id == side).unwrap().army;
        state.turn = self.turn.unwrap_or(2);
        state.window = match self.window.as_deref().unwrap_or("combat") {
            "setup-1" => Window::Setup,
            "setup-2" => Window::Setup2,
            "move" => Window::Move,
            "combat" => Window::Combat,
            "defence" => Window::Defence,
            "defence-second" => Window::DefenceSecond,
            "offence" => Window::Offence,
            "offence-second" => Window::OffenceSecond,
            "melee" => Window::Melee,
            other => panic!("no window {other}"),
        };
        if state.window.is_setup() {
            state.turn = 0;
        }
        self.special(game, &mut state);
        for name in expand(&self.disrupted) {
            let id = find(&name);
            state.units[usize::from(id.0)].order = Order::Disrupted(data.unit(id).army.enemy());
        }
        for side in &self.breaches {
            state.breaches.insert(Side::parse(side).unwrap());
        }
        if !self.standing {
            for seat in whole_sides(game) {
                let hold = Standing { fire: Some("hold".to_owned()), ..Standing::default() };
                state.standing.insert(seat.player, hold);
            }
        }
        state
    }

    /// What only the large scenarios have: works, boats, secrets, points.
    fn special(&self, game: &Omdurman, state: &mut State) {
        let data = game.data();
        let find = |name: &str| data.find(name).unwrap_or_else(|| panic!("no unit {name}"));
        if let Some(sides) = &self.zariba {
            state.zariba = sides.iter().map(|s| Side::parse(s).unwrap()).collect();
        }
        let dervish = Id::player("dervish").unwrap();
        let mut hide = |text: String, salt: char, opened: bool| {
            state.river.notes.push(Note {
                owner: dervish.clone(),
                phase: 1,
                text,
                salt: salt.to_string().repeat(64),
                opened,
            });
        };
        for (hex, salt) in self.mines.iter().zip(['a', 'b']) {
            hide(format!("mine {hex}"), salt, false);
        }
        if !self.chain.is_empty() {
            hide(format!("chain {}", self.chain.join(" ")), 'c', self.known);
            state.river.chain_known = self.known;
        }
        state.damaged = self.damaged.iter().map(|n| find(n)).collect();
        state.chained =
            self.chained.iter().map(|(boat, hex)| (find(boat), Hex::parse(hex).unwrap())).collect();
        for (unit, text) in &self.aboard {
            let (boat, since) = text.split_once(' ').unwrap();
            let (boat, since) = (find(boat), since.parse().unwrap());
            state.units[usize::from(find(unit).0)].place = Place::Aboard { boat, since };
        }
        state.tasks = self
            .tasks
            .iter()
            .map(|(unit, text)| (find(unit), Task::parse(text).unwrap()))
            .collect();
        for text in &self.points {
            state.score.push(Score::parse(data, text).unwrap_or_else(|| panic!("{text}")));
        }
    }

    /// Runs the case; every difference, and the texts to keep.
    fn run(&self) -> (Vec<String>, String) {
        let rulings: Vec<(&str, &str)> =
            self.rulings.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let scenario = self.scenario.as_deref().unwrap_or("khartoum");
        let cadence = self.cadence.as_deref().unwrap_or("brisk");
        let game = loaded(scenario, &self.options, cadence, &rulings);
        let state = self.state(game);
        let text = state.to_text(game.data(), None);
        for seat in whole_sides(game) {
            super::random::form_passes(game, &text, &seat.player, 7);
        }
        let mut faults = Vec::new();
        let mut kept = String::new();
        for ask in &self.ask {
            answer(game, &text, ask, &mut faults, &mut kept);
        }
        if let Some(expect) = &self.expect {
            self.resolve(game, &state, &text, expect, &mut faults, &mut kept);
        }
        (faults, kept)
    }

    fn resolve(
        &self,
        game: &Omdurman,
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
            let submission = match self.orders.get(&player) {
                Some(text) => Submission::File(Source::new(&format!("{player}.toml"), text)),
                None if self.missing.contains(&player) => Submission::Missing,
                None => Submission::File(Source::new(&format!("{player}.toml"), "")),
            };
            if let Submission::File(source) = &submission {
                let view = game.view(text, &Viewer::Player(seat.player.clone())).unwrap();
                let checked = game.check(&view, &seat.player, source).unwrap();
                accepted += checked.accepted;
                let shown = despatch::core::diag::render_all(&checked.faults, source, false);
                if !shown.is_empty() {
                    let _ = writeln!(kept, "# check {player}\n{}", shown.trim_end());
                }
                let errors =
                    checked.faults.iter().filter(|f| f.severity == Severity::Error).count();
                if (errors == 0) != (checked.refused == 0) {
                    faults.push(format!("{player}: {errors} errors, {} refused", checked.refused));
                }
            }
            orders.insert(seat.player, submission);
        }
        let script: BTreeMap<String, Vec<u32>> = self
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
        let input = PhaseInput {
            game: game_id(),
            phase: 7,
            prev: "0".repeat(64),
            state: text.to_owned(),
            orders,
            rehearsal: false,
        };
        let mut dice = Roller::scripted(script);
        let resolution = match game.adjudicate(&input, &mut dice) {
            Ok(resolution) => resolution,
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
        let again = game.adjudicate(&input, &mut Roller::scripted(dice_of(&dice))).unwrap();
        if again.events != resolution.events || again.reports != resolution.reports {
            faults.push("a second run gives other bytes".to_owned());
        }
        let public = &resolution.reports[&Viewer::Public];
        kept.push_str(&public.text);

        let mut want = |key: &str, wanted: String, got: String| {
            if wanted != got {
                faults.push(format!("{key}: expected {wanted}, got {got}"));
            }
        };
        let sorted = |list: &[String]| {
            let mut list = expand(list);
            list.sort();
            list.join(" ")
        };
        for (hex, units) in expect.at.iter().flatten() {
            let hex = Hex::parse(hex).unwrap();
            let there: Vec<String> = data
                .ids()
                .filter(|id| after.hex(*id) == Some(hex))
                .map(|id| data.unit(id).id.clone())
                .collect();
            want(&format!("at {hex}"), sorted(units), sorted(&there));
        }
        let lost: Vec<String> = events
            .iter()
            .filter_map(|e| match e {
                Event::Eliminated { unit, .. } | Event::GordonFell { unit, .. } => {
                    Some(unit.clone())
                }
                _ => None,
            })
            .collect();
        if let Some(units) = &expect.eliminated {
            want("eliminated", sorted(units), sorted(&lost));
        }
        if let Some(units) = &expect.disrupted {
            let down: Vec<String> = data
                .ids()
                .filter(|id| after.disrupted(*id))
                .map(|id| data.unit(id).id.clone())
                .collect();
            want("disrupted", sorted(units), sorted(&down));
        }
        if let Some(sides) = &expect.breached {
            let made: Vec<String> =
                after.breaches.difference(&state.breaches).map(ToString::to_string).collect();
            let named: Vec<String> =
                sides.iter().map(|s| Side::parse(s).unwrap().to_string()).collect();
            want("breached", sorted(&named), sorted(&made));
        }
        let names = |test: &dyn Fn(&Event) -> Option<String>| -> Vec<String> {
            events.iter().filter_map(test).collect()
        };
        if let Some(sides) = &expect.zariba {
            let made: Vec<String> =
                after.zariba.difference(&state.zariba).map(ToString::to_string).collect();
            let listed: Vec<String> =
                sides.iter().map(|s| Side::parse(s).unwrap().to_string()).collect();
            want("zariba", sorted(&listed), sorted(&made));
        }
        for (side, points) in expect.points.iter().flatten() {
            let army = data.scenario.sides.iter().find(|s| s.id == *side).unwrap().army;
            let got = after.points(army);
            want(&format!("points of {side}"), points.to_string(), got.to_string());
        }
        if let Some(units) = &expect.deserted {
            let gone = names(&|e| match e {
                Event::Deserted { unit, .. } => Some(unit.clone()),
                _ => None,
            });
            want("deserted", sorted(units), sorted(&gone));
        }
        if let Some(wanted) = &expect.retreated {
            let ends: BTreeMap<String, String> = events
                .iter()
                .filter_map(|e| match e {
                    Event::Retreated { unit, path, .. } => {
                        Some((unit.clone(), path.last().unwrap().to_string()))
                    }
                    _ => None,
                })
                .collect();
            want("retreated", format!("{wanted:?}"), format!("{ends:?}"));
        }
        if let Some(wanted) = &expect.aboard {
            let on: BTreeMap<String, String> = data
                .ids()
                .filter_map(|id| match after.unit(id).place {
                    Place::Aboard { boat, .. } => {
                        Some((data.unit(id).id.clone(), data.unit(boat).id.clone()))
                    }
                    _ => None,
                })
                .collect();
            want("aboard", format!("{wanted:?}"), format!("{on:?}"));
        }
        let these = |test: &dyn Fn(UnitId) -> bool| -> Vec<String> {
            data.ids().filter(|id| test(*id)).map(|id| data.unit(id).id.clone()).collect()
        };
        if let Some(units) = &expect.out {
            let gone = these(&|id| {
                after.unit(id).place == Place::Out && state.unit(id).place != Place::Out
            });
            want("out", sorted(units), sorted(&gone));
        }
        if let Some(units) = &expect.damaged {
            want("damaged", sorted(units), sorted(&these(&|id| after.damaged.contains(&id))));
        }
        if let Some(wanted) = &expect.chain {
            let stands = after.river.chain().is_some_and(|hexes| !hexes.is_empty());
            want("chain", wanted.clone(), if stands { "stands" } else { "sunk" }.to_owned());
        }
        if let Some(wanted) = &expect.tasks {
            let at_work: BTreeMap<String, String> = after
                .tasks
                .iter()
                .map(|(id, task)| (data.unit(*id).id.clone(), task.words()))
                .collect();
            want("tasks", format!("{wanted:?}"), format!("{at_work:?}"));
        }
        if let Some(units) = &expect.advanced {
            let movers: Vec<String> = events
                .iter()
                .filter_map(|e| match e {
                    Event::Advanced { unit, .. } => Some(unit.clone()),
                    _ => None,
                })
                .collect();
            want("advanced", units.join(" "), movers.join(" "));
        }
        for (unit, cost) in expect.moved.iter().flatten() {
            let spent = events.iter().find_map(|e| match e {
                Event::Moved { unit: u, cost, .. }
                | Event::Entered { unit: u, cost, .. }
                | Event::Landed { unit: u, cost, .. }
                    if u == unit =>
                {
                    Some(*cost)
                }
                _ => None,
            });
            want(&format!("moved {unit}"), format!("{:?}", Some(*cost)), format!("{spent:?}"));
        }
        if let Some(count) = expect.accepted {
            want("accepted", count.to_string(), accepted.to_string());
        }
        if let Some(labels) = &expect.rolled {
            let made: Vec<String> = dice.rolls().iter().map(|r| r.label.clone()).collect();
            want("rolled", sorted(labels), sorted(&made));
        }
        if let Some(result) = &expect.result {
            want("result", result.clone(), after.result.clone().unwrap_or_default());
        }
        if let Some(next) = &expect.next {
            let got =
                format!("turn {} {} {}", after.turn, data.side(after.moving).id, after.window.id());
            want("next", format!("turn {} {} {}", next.turn, next.moving, next.window), got);
        }
        if let Some(lines) = &expect.fights {
            let fights: Vec<_> = events
                .iter()
                .filter_map(|e| match e {
                    Event::Fight(fight) => Some(fight),
                    _ => None,
                })
                .collect();
            want("number of fights", lines.len().to_string(), fights.len().to_string());
            for (line, fight) in lines.iter().zip(fights) {
                let at = |key: &str| format!("fight {} {key}", fight.number);
                let mut same = |key: &str, wanted: Option<String>, got: String| {
                    if let Some(wanted) = wanted {
                        want(&at(key), wanted, got);
                    }
                };
                let a = &fight.attack;
                same("target", line.target.clone(), fight.target.clone());
                same("kind", line.kind.map(|k| format!("{k:?}")), format!("{:?}", fight.kind));
                same("factors", line.factors.map(|n| n.to_string()), a.factors.to_string());
                same("total", line.total.map(|n| n.to_string()), a.total.to_string());
                same("result", line.result.clone(), a.result.clone());
                let drm: i32 = a.modifiers.iter().map(|m| m.drm).sum();
                same("modifiers", line.modifiers.map(|n| n.to_string()), drm.to_string());
                let d = fight.defence.as_ref();
                let word = |n: Option<String>| n.unwrap_or_else(|| "none".to_owned());
                same(
                    "defence_factors",
                    line.defence_factors.map(|n| n.to_string()),
                    word(d.map(|d| d.factors.to_string())),
                );
                same(
                    "defence_total",
                    line.defence_total.map(|n| n.to_string()),
                    word(d.map(|d| d.total.to_string())),
                );
                same(
                    "defence_result",
                    line.defence_result.clone(),
                    word(d.map(|d| d.result.clone())),
                );
            }
        }
        for (kind, lines) in [("refused", &expect.refused), ("failed", &expect.failed)] {
            let Some(lines) = lines else { continue };
            let got: Vec<(String, String, String)> = events
                .iter()
                .filter_map(|e| match e {
                    Event::Outcome { player, outcome, order, reason, rule, .. }
                        if outcome == kind =>
                    {
                        Some((player.to_string(), rule.clone(), format!("{order}: {reason}")))
                    }
                    _ => None,
                })
                .collect();
            if got.len() != lines.len() {
                faults.push(format!("{kind}: expected {} orders, got {got:?}", lines.len()));
                continue;
            }
            for (line, (player, rule, words)) in lines.iter().zip(&got) {
                let ok = line.player == *player
                    && line.rule.as_ref().is_none_or(|r| r == rule)
                    && line.says.as_ref().is_none_or(|s| words.contains(s.as_str()));
                if !ok {
                    faults
                        .push(format!("{kind}: expected {line:?}, got {player} [{rule}] {words}"));
                }
            }
        }
    }
}

fn answer(game: &Omdurman, text: &str, ask: &Ask, faults: &mut Vec<String>, kept: &mut String) {
    let mut words = ask.question.split_whitespace().map(str::to_owned);
    let question = Question { topic: words.next().unwrap(), words: words.collect() };
    let answer = match game.ask(text, &question) {
        Ok(answer) => answer,
        Err(error) => {
            faults.push(format!("{}: {error}", ask.question));
            return;
        }
    };
    let _ = writeln!(kept, "? {}\n{}", ask.question, answer.text);
    let mut want = |ok: bool, what: String| {
        if !ok {
            faults.push(format!("{}: {what}\n{}", ask.question, answer.text));
        }
    };
    if let Some(clear) = ask.clear {
        want(answer.json["clear"] == serde_json::json!(clear), format!("clear = {clear}"));
    }
    if let Some(rule) = &ask.rule {
        want(answer.text.contains(&format!("[{rule}]")), format!("rule {rule}"));
    }
    for word in &ask.says {
        want(answer.text.contains(word), format!("says {word}"));
    }
    for word in &ask.says_not {
        want(!answer.text.contains(word), format!("does not say {word}"));
    }
    let reach: BTreeMap<String, u64> = answer.json["reach"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|r| (r["hex"].as_str().unwrap().to_owned(), r["mp"].as_u64().unwrap()))
        .collect();
    for (hex, mp) in &ask.reaches {
        let found = reach.get(hex).copied();
        want(found == Some(u64::from(*mp)), format!("reaches {hex} for {mp}, got {found:?}"));
    }
    for hex in &ask.reaches_not {
        want(!reach.contains_key(hex), format!("does not reach {hex}"));
    }
}

fn dice_of(dice: &Roller) -> BTreeMap<String, Vec<u32>> {
    dice.rolls().iter().map(|r| (r.label.clone(), r.faces.clone())).collect()
}

#[test]
fn every_case_comes_out_as_the_rules_say() {
    let mut failed: BTreeSet<String> = BTreeSet::new();
    let mut count = 0;
    insta::glob!("../../cases/omdurman", "*/case.toml", |path| {
        count += 1;
        let case = Case::load(path);
        let (faults, kept) = case.run();
        let name = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        for fault in faults {
            failed.insert(format!("{name}: {fault}"));
        }
        insta::with_settings!({
            snapshot_path => path.parent().unwrap(),
            prepend_module_to_snapshot => false,
            snapshot_suffix => "",
            omit_expression => true,
        }, {
            insta::assert_snapshot!("report", kept);
        });
    });
    let list: Vec<String> = failed.into_iter().collect();
    assert!(list.is_empty(), "{} faults in {count} cases:\n{}", list.len(), list.join("\n"));
    assert!(count > 0, "there are cases");
}

/// Loads every case: for the comparison with the index of rules.
pub fn all() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/omdurman");
    let mut folders: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    folders.iter().map(|f| Case::load(&f.join("case.toml"))).collect()
}
