//! Cases that a player could read: a position, order files, dice by label, what must
//! come of it. They are folders below `tests/cases/last-outpost/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use despatch::core::dice::{DiceError, Roller};
use despatch::core::id::Id;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{Game, GameError, PhaseInput, Submission};
use despatch::last_outpost::check::plan;
use despatch::last_outpost::data::{Data, Side};
use despatch::last_outpost::events::Event;
use despatch::last_outpost::game::LastOutpost;
use despatch::last_outpost::position::Position;
use despatch::last_outpost::state::{Place, State, place_words};
use despatch::last_outpost::view::view;

use super::played;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub rules: Vec<String>,
    #[serde(rename = "title")]
    _title: String,
    #[serde(rename = "why")]
    _why: String,
    #[serde(default = "assault")]
    window: String,
    #[serde(default = "three")]
    day: u32,
    round: Option<u32>,
    #[serde(default)]
    cadence: String,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    #[serde(default)]
    markers: u32,
    #[serde(default)]
    casualties: u32,
    #[serde(default)]
    forced: bool,
    #[serde(default)]
    tower: u32,
    #[serde(default)]
    held: u32,
    #[serde(default)]
    massacred: bool,
    #[serde(default)]
    idle: u32,
    #[serde(default)]
    opened: Vec<String>,
    /// Everybody stands where the plan has him, but for those named.
    #[serde(default)]
    everybody: bool,
    #[serde(default)]
    figures: BTreeMap<String, String>,
    #[serde(default)]
    guns: BTreeMap<String, String>,
    #[serde(default)]
    wave: Vec<WaveCase>,
    #[serde(default)]
    orders: BTreeMap<String, String>,
    #[serde(default)]
    dice: BTreeMap<String, Vec<u32>>,
    #[serde(default)]
    expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaveCase {
    number: u32,
    target: String,
    moves: u32,
    strength: u32,
    #[serde(default)]
    casualties: u32,
    #[serde(default)]
    markers: u32,
    #[serde(default)]
    checks: u32,
    #[serde(default = "one")]
    launched: u32,
    #[serde(default = "at_once")]
    raise: String,
    #[serde(default = "gaps")]
    through: String,
    #[serde(default = "usual")]
    intents: Vec<String>,
    #[serde(default = "twelve")]
    workers: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Expect {
    places: BTreeMap<String, String>,
    dead: Option<BTreeSet<String>>,
    fallen: Option<BTreeSet<String>>,
    wounded: Option<BTreeSet<String>>,
    loaded: Vec<String>,
    empty: Vec<String>,
    shots: BTreeMap<String, u32>,
    casualties: Option<u32>,
    markers: Option<u32>,
    tower: Option<u32>,
    held: Option<u32>,
    massacred: Option<bool>,
    forced: Option<bool>,
    guns: BTreeMap<String, String>,
    waves: BTreeMap<String, String>,
    moves: BTreeMap<String, u32>,
    opened: Option<Vec<String>>,
    first: BTreeMap<String, String>,
    window: Option<String>,
    day: Option<u32>,
    result: Option<String>,
    refused: Option<Vec<String>>,
    failed: Option<Vec<String>>,
    rolled: Vec<String>,
    not_rolled: Vec<String>,
    /// Words that the public report must have.
    report: Vec<String>,
}

fn assault() -> String {
    "assault".to_owned()
}
fn three() -> u32 {
    3
}
fn one() -> u32 {
    1
}
fn twelve() -> u32 {
    12
}
fn at_once() -> String {
    "at-once".to_owned()
}
fn gaps() -> String {
    "gaps".to_owned()
}
fn usual() -> Vec<String> {
    ["fight", "guns", "hospital", "tower", "hunt", "redoubt"].map(str::to_owned).to_vec()
}

/// The folders of the cases.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/last-outpost");
    let mut out: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    out.sort();
    out
}

/// All cases.
pub fn all() -> Vec<Case> {
    folders().iter().map(|f| read(f)).collect()
}

fn read(folder: &Path) -> Case {
    let path = folder.join("case.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `soldier-01..04` and single ids.
fn ids(name: &str) -> Vec<String> {
    match name.split_once("..") {
        Some((first, last)) => {
            let (stem, from) = first.rsplit_once('-').unwrap();
            let digits = from.len();
            let (from, to): (u32, u32) = (from.parse().unwrap(), last.parse().unwrap());
            (from..=to).map(|n| format!("{stem}-{n:0digits$}")).collect()
        }
        None => vec![name.to_owned()],
    }
}

/// The position of a case, as the text of a state.
fn position(data: &Data, case: &Case) -> Result<State, String> {
    let in_assault = ["assault", "launch", "round"].contains(&case.window.as_str());
    let round = case.round.unwrap_or(if in_assault { 2 } else { 0 });
    let mut text = format!(
        "game = \"siege\"\nscenario = \"last-outpost\"\nphase = 4\nday = {}\nround = {round}\n\
         window = \"{}\"\nmarkers = {}\ncasualties = {}\nforced = {}\ntower = {}\nheld = {}\n\
         massacred = {}\nidle = {}\nopened = {:?}\n",
        case.day,
        case.window,
        case.markers,
        case.casualties,
        case.forced,
        case.tower,
        case.held,
        case.massacred,
        case.idle,
        case.opened,
    );
    text.push_str("[figures]\n");
    let mut named: BTreeMap<String, &str> = BTreeMap::new();
    for (names, place) in &case.figures {
        for id in ids(names) {
            if data.find(&id).is_none() {
                return Err(format!("`{id}` is no figure"));
            }
            named.insert(id, place);
        }
    }
    let start = played::start(data);
    for id in data.ids() {
        let name = &data.figure(id).id;
        let usual = match data.figure(id).side {
            Side::Garrison if case.everybody => place_words(data, start.place(id)),
            Side::Garrison => "dead".to_owned(),
            Side::Mahdist => "camp".to_owned(),
        };
        let place = named.get(name).map_or(usual, |p| (*p).to_owned());
        let _ = writeln!(text, "{name} = \"{place}\"");
    }
    text.push_str("[guns]\n");
    for gun in data.compound.gun_ids() {
        let name = &data.compound.gun(gun).id;
        let _ = writeln!(text, "{name} = \"{}\"", case.guns.get(name).map_or("ready", |g| g));
    }
    for w in &case.wave {
        let status = if w.moves < data.tables.wave_moves { "advancing" } else { "arrived" };
        let _ = write!(
            text,
            "[[wave]]\nnumber = {}\nplayer = \"mahdist\"\ntarget = \"{}\"\nlaunched = {}\n\
             moves = {}\nstrength = {}\ncasualties = {}\nmarkers = {}\nchecks = {}\n\
             status = \"{status}\"\nraise = \"{}\"\nthrough = \"{}\"\nintents = {:?}\nworkers = {}\n",
            w.number,
            w.target,
            w.launched,
            w.moves,
            w.strength,
            w.casualties,
            w.markers,
            w.checks,
            w.raise,
            w.through,
            w.intents,
            w.workers
        );
    }
    for seat in played::seats(data) {
        let _ = write!(
            text,
            "[[seat]]\nplayer = \"{}\"\nside = \"{}\"\ncommands = {:?}\n",
            seat.player, seat.side, seat.commands
        );
    }
    State::parse(data, &text).map_err(|e| e.to_string())
}

/// The dice that a case does not name: they miss, hold, and let the garrison go first.
fn unnamed(label: &str, spec: &str) -> Vec<u32> {
    if label.contains("/morale-") {
        return vec![6, 6];
    }
    if label.contains("/initiative") {
        return vec![6, 1];
    }
    if let Some(n) = spec.strip_prefix("shuffle") {
        return (1..=n.parse().unwrap()).collect();
    }
    let count: usize = spec.split('d').next().unwrap().parse().unwrap();
    vec![if label.ends_with("/tower") { 6 } else { 1 }; count]
}

struct Ran {
    before: State,
    after: State,
    events: Vec<Event>,
    labels: Vec<String>,
    report: String,
    refused: Vec<String>,
}

fn run(game: &LastOutpost, case: &Case) -> Result<Ran, String> {
    let data = game.data();
    let before = position(data, case)?;
    let mut orders = BTreeMap::new();
    let mut refused = Vec::new();
    for seat in &before.seats {
        let submission = match case.orders.get(seat.player.as_str()) {
            Some(text) => {
                let source = Source::new("orders.toml", text);
                let seen = view(data, &before, &Viewer::Player(seat.player.clone()));
                let (plan, faults) = plan(&Position::new(data, &seen), &seat.player, &source);
                refused.extend(plan.refusals.iter().map(|r| r.rule.clone()));
                if plan.refusals.is_empty() {
                    for fault in faults {
                        if fault.severity == despatch::core::diag::Severity::Error {
                            return Err(format!("a fault that refuses nothing: {}", fault.message));
                        }
                    }
                }
                Submission::File(source)
            }
            None => Submission::Missing,
        };
        orders.insert(seat.player.clone(), submission);
    }
    let input = PhaseInput {
        game: Id::new("siege").unwrap(),
        phase: 5,
        prev: "0".repeat(64),
        state: before.to_text(data, None),
        orders,
        rehearsal: false,
    };
    let mut faces = case.dice.clone();
    let (resolution, labels) = loop {
        let mut roller = Roller::scripted(faces.clone());
        match game.adjudicate(&input, &mut roller) {
            Ok(resolution) => {
                let labels = roller.rolls().iter().map(|r| r.label.clone()).collect();
                break (resolution, labels);
            }
            Err(GameError::Dice(DiceError::Script { label, spec }))
                if !faces.contains_key(&label) =>
            {
                let dice = unnamed(&label, &spec);
                faces.insert(label, dice);
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    Ok(Ran {
        after: State::parse(data, &resolution.state).map_err(|e| e.to_string())?,
        before,
        events: resolution.events.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        labels,
        report: resolution.reports[&Viewer::Public].text.clone(),
        refused,
    })
}

/// What a case wants and did not get.
#[allow(clippy::too_many_lines, reason = "a line or two for each key of a case")]
fn faults(game: &LastOutpost, case: &Case) -> Vec<String> {
    let data = game.data();
    let ran = match run(game, case) {
        Ok(ran) => ran,
        Err(error) => return vec![error],
    };
    let mut out = Vec::new();
    let expect = &case.expect;
    let (before, after) = (&ran.before, &ran.after);
    let mut same = |what: &str, wanted: String, got: String| {
        if wanted != got {
            out.push(format!("{what}: wanted {wanted}, got {got}"));
        }
    };
    for (names, place) in &expect.places {
        for name in ids(names) {
            let got = data
                .find(&name)
                .map_or("no figure".to_owned(), |id| place_words(data, after.place(id)));
            same(&name, place.clone(), got);
        }
    }
    let changed = |is: &dyn Fn(&State, despatch::last_outpost::data::FigureId) -> bool| {
        let new = |id: &despatch::last_outpost::data::FigureId| !is(before, *id) && is(after, *id);
        data.ids().filter(new).map(|id| data.figure(id).id.clone()).collect::<BTreeSet<String>>()
    };
    let spread = |names: &BTreeSet<String>| -> BTreeSet<String> {
        names.iter().flat_map(|n| ids(n)).collect()
    };
    for (what, wanted, place) in
        [("dead", &expect.dead, Place::Dead), ("fallen", &expect.fallen, Place::Fallen)]
    {
        if let Some(wanted) = wanted {
            let got = changed(&|s, id| s.place(id) == place);
            same(what, format!("{:?}", spread(wanted)), format!("{got:?}"));
        }
    }
    if let Some(wanted) = &expect.wounded {
        let got = changed(&|s, id| s.figure(id).wounded);
        same("wounded", format!("{:?}", spread(wanted)), format!("{got:?}"));
    }
    for (names, is) in [(&expect.loaded, true), (&expect.empty, false)] {
        for name in names.iter().flat_map(|n| ids(n)) {
            let got = data.find(&name).map(|id| after.figure(id).loaded);
            same(&format!("{name} loaded"), format!("{:?}", Some(is)), format!("{got:?}"));
        }
    }
    for (name, shots) in &expect.shots {
        let got = data.find(name).map(|id| after.figure(id).shots);
        same(&format!("{name} shots"), format!("{:?}", Some(shots)), format!("{:?}", got.as_ref()));
    }
    for (what, wanted, got) in [
        ("casualties", expect.casualties, after.casualties),
        ("markers", expect.markers, after.markers),
        ("tower", expect.tower, after.tower),
        ("held", expect.held, after.held),
        ("day", expect.day, after.day),
    ] {
        if let Some(wanted) = wanted {
            same(what, wanted.to_string(), got.to_string());
        }
    }
    for (what, wanted, got) in
        [("massacred", expect.massacred, after.massacred), ("forced", expect.forced, after.forced)]
    {
        if let Some(wanted) = wanted {
            same(what, wanted.to_string(), got.to_string());
        }
    }
    let text = after.to_text(data, None);
    let table: toml::Table = toml::from_str(&text).unwrap();
    for (gun, wanted) in &expect.guns {
        same(gun, wanted.clone(), table["guns"][gun].as_str().unwrap().to_owned());
    }
    // The last that was known of each wave, also of those that are over by now.
    let mut waves: BTreeMap<String, (String, u32)> = BTreeMap::new();
    let mut state = before.clone();
    for event in std::iter::once(None).chain(ran.events.iter().map(Some)) {
        if let Some(event) = event {
            state.apply(data, event);
        }
        for w in &state.waves {
            let status = toml::Value::try_from(w.status).unwrap();
            waves.insert(w.number.to_string(), (status.as_str().unwrap().to_owned(), w.moves));
        }
    }
    for (number, wanted) in &expect.waves {
        let got = waves.get(number).map_or("none", |w| w.0.as_str()).to_owned();
        same(&format!("wave {number}"), wanted.clone(), got);
    }
    for (number, wanted) in &expect.moves {
        let got = waves.get(number).map_or(0, |w| w.1);
        same(&format!("moves of wave {number}"), wanted.to_string(), got.to_string());
    }
    if let Some(wanted) = &expect.opened {
        let name = |w| data.compound.wall(w).id.clone();
        let got: Vec<String> =
            after.opened.iter().map(|(a, b)| format!("{} {}", name(*a), name(*b))).collect();
        same("opened", format!("{wanted:?}"), format!("{got:?}"));
    }
    for (zone, wanted) in &expect.first {
        let got = ran.events.iter().find_map(|e| match e {
            Event::Zone(z) if z.zone == *zone => Some(z.first.clone()),
            _ => None,
        });
        same(&format!("first in {zone}"), wanted.clone(), got.unwrap_or_default());
    }
    if let Some(wanted) = &expect.window {
        same("window", wanted.clone(), after.window.id().to_owned());
    }
    if let Some(wanted) = &expect.result {
        same("result", wanted.clone(), after.result.clone().unwrap_or_default());
    }
    if let Some(wanted) = &expect.refused {
        same("refused", format!("{wanted:?}"), format!("{:?}", ran.refused));
    } else {
        same("refused", "[]".to_owned(), format!("{:?}", ran.refused));
    }
    let failed: Vec<String> = ran
        .events
        .iter()
        .filter_map(|e| match e {
            Event::Outcome { outcome, rule, .. } if outcome == "failed" => Some(rule.clone()),
            _ => None,
        })
        .collect();
    same(
        "failed",
        format!("{:?}", expect.failed.clone().unwrap_or_default()),
        format!("{failed:?}"),
    );
    for label in &expect.rolled {
        same(
            label,
            "rolled".to_owned(),
            if ran.labels.contains(label) { "rolled" } else { "not rolled" }.to_owned(),
        );
    }
    for label in &expect.not_rolled {
        same(
            label,
            "not rolled".to_owned(),
            if ran.labels.contains(label) { "rolled" } else { "not rolled" }.to_owned(),
        );
    }
    for words in &expect.report {
        let has = ran.report.contains(words);
        same(&format!("the report says `{words}`"), "true".to_owned(), has.to_string());
    }
    // A die that is named and never thrown is a case that shows nothing.
    for label in case.dice.keys() {
        if !ran.labels.contains(label) {
            out.push(format!("{label} was named and never rolled; rolled: {:?}", ran.labels));
        }
    }
    out
}

#[test]
fn every_case_comes_out_as_the_rules_say() {
    let mut games: BTreeMap<String, LastOutpost> = BTreeMap::new();
    let mut bad = Vec::new();
    let mut shown = 0;
    for folder in folders() {
        let case = read(&folder);
        let mut rulings = case.rulings.clone();
        // One round a case.
        rulings.entry("rounds-a-block".to_owned()).or_insert_with(|| "1".to_owned());
        let key = format!("{} {rulings:?}", case.cadence);
        let game = games.entry(key).or_insert_with(|| {
            let chosen: Vec<(&str, &str)> =
                rulings.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let cadence = if case.cadence.is_empty() { "brisk" } else { &case.cadence };
            super::game(cadence, &chosen)
        });
        let faults = faults(game, &case);
        shown += 1;
        if !faults.is_empty() {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            bad.push(format!("{name}\n    {}", faults.join("\n    ")));
        }
    }
    assert!(shown > 80, "only {shown} cases");
    assert!(bad.is_empty(), "{} faults in {shown} cases\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn reports_of_the_cases_are_as_kept() {
    let mut texts = Vec::new();
    for folder in folders() {
        let case = read(&folder);
        // One report for each rule is kept: that of its first case.
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let rule = name.split('-').next().unwrap_or_default().to_owned();
        if texts.iter().any(|(r, _): &(String, String)| *r == rule) {
            continue;
        }
        let mut rulings: Vec<(&str, &str)> =
            case.rulings.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        if !case.rulings.contains_key("rounds-a-block") {
            rulings.push(("rounds-a-block", "1"));
        }
        let game = super::game("brisk", &rulings);
        let ran = run(&game, &case).unwrap();
        insta::with_settings!({ snapshot_path => &folder, prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("report", ran.report);
        });
        texts.push((rule, name));
    }
}
