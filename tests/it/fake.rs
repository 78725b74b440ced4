//! A tiny game to play folders with: units walk along a road, and the phase after
//! each walk one side shoots. It has a ruling, defaults, refusals and an end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use despatch::commands::Systems;
use despatch::core::diag::Diagnostic;
use despatch::core::dice::Roller;
use despatch::core::id::Id;
use despatch::core::rule::Rule;
use despatch::core::source::Source;
use despatch::core::viewer::Viewer;
use despatch::game::{
    Answer, Checked, FormHeader, Game, GameError, Library, Outlook, PhaseInput, Question, Report,
    Resolution, RulesFault, RulesFiles, ScenarioInfo, Seat, Settings, Subject, Submission, Tally,
    Trials,
};
use serde::{Deserialize, Serialize};

/// The functions that commands are given instead of the real systems.
pub(crate) fn systems() -> Systems {
    Systems { scenarios, rules_files, load, companion: |_, _| Ok("# Road\n".to_owned()) }
}

const SAMPLE: &str = r#"
scenario = "plain"
id = "road-demo"
about = "Two sides meet on a road."
players = ["north=Anna", "south=Ben"]
start = "2027-01-04T18:00:00Z"

[[step]]
phase = 1
files = ["north-1.toml", "south-1.toml"]
decisive = true

[[step]]
amend = ["ruling", "--set", "pace=2", "--note", "too fast"]

[[step]]
files = []
note = "nobody sends anything: the defaults count"

[[step]]
close = "North and South agree on a draw"
"#;

/// What `games/` would hold.
pub(crate) fn library() -> Library {
    let orders = |player: &str, unit: &str, phase: u32| {
        let header = format!("game = \"road-demo\"\nphase = {phase}\nplayer = \"{player}\"\n");
        format!("{header}final = true\n\n[[walk]]\nunit = \"{unit}\"\nby = 2\n")
    };
    [
        ("games/road/samples/short/sample.toml".to_owned(), SAMPLE.into()),
        ("games/road/samples/short/north-1.toml".to_owned(), orders("north", "n-1", 1).into()),
        ("games/road/samples/short/south-1.toml".to_owned(), orders("south", "s-1", 1).into()),
        ("games/road/game.toml".to_owned(), "length = 6\nlast_turn = 3\n".into()),
        ("templates/road/report.txt.j2".to_owned(), "# a template\n".into()),
    ]
    .into()
}

fn info(id: &str) -> ScenarioInfo {
    ScenarioInfo {
        id: id.to_owned(),
        system: "road".to_owned(),
        title: format!("The {id} Road"),
        summary: "two sides on one road".to_owned(),
        sides: vec![
            ("north".to_owned(), vec!["main".to_owned()]),
            ("south".to_owned(), vec!["foot".to_owned(), "guns".to_owned()]),
        ],
        sealed: id == "dark",
    }
}

#[allow(clippy::unnecessary_wraps, reason = "the shape that commands are given")]
fn scenarios(_: &Library) -> Result<Vec<ScenarioInfo>, Vec<RulesFault>> {
    Ok(vec![info("plain"), info("dark")])
}

fn fault(name: &str, text: &str, message: &str) -> Vec<RulesFault> {
    vec![RulesFault {
        source: Source::new(name, text),
        fault: Diagnostic::error(None, message).help("look at `despatch games`"),
    }]
}

fn rules_files(library: &Library, settings: &Settings) -> Result<RulesFiles, Vec<RulesFault>> {
    if !["plain", "dark"].contains(&settings.scenario.as_str()) {
        return Err(fault("settings.toml", "", "no such scenario"));
    }
    let pace = settings.rulings.get("pace").map_or("3", String::as_str);
    let text = format!("scenario = \"{}\"\n[rulings]\npace = \"{pace}\"\n", settings.scenario);
    let mut files: RulesFiles = library
        .iter()
        .filter(|(path, _)| !path.contains("/samples/"))
        .filter_map(|(path, text)| {
            Some((path.strip_prefix("games/road/")?.to_owned(), text.clone()))
        })
        .collect();
    files.insert("settings.toml".to_owned(), text.into());
    load(&files)?;
    Ok(files)
}

#[derive(Deserialize)]
struct Chosen {
    scenario: String,
    rulings: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Data {
    length: u32,
    last_turn: u32,
}

fn load(files: &RulesFiles) -> Result<Box<dyn Game>, Vec<RulesFault>> {
    let text = |name: &str| files.get(name).cloned().unwrap_or_default();
    let chosen: Chosen = toml::from_str(&text("settings.toml"))
        .map_err(|e| fault("settings.toml", &text("settings.toml"), e.message()))?;
    let data: Data = toml::from_str(&text("game.toml"))
        .map_err(|e| fault("game.toml", &text("game.toml"), e.message()))?;
    let Some(pace @ 1..=4) = chosen.rulings.get("pace").and_then(|p| p.parse().ok()) else {
        return Err(fault("settings.toml", "", "pace is 1 to 4"));
    };
    Ok(Box::new(Road { info: info(&chosen.scenario), data, pace }))
}

struct Road {
    info: ScenarioInfo,
    data: Data,
    pace: u32,
}

impl std::fmt::Debug for Road {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Road")
    }
}

#[derive(Clone, Serialize, Deserialize, PartialEq)]
struct State {
    turn: u32,
    window: String,
    seat: Vec<RawSeat>,
    unit: BTreeMap<String, Unit>,
}

#[derive(Clone, Serialize, Deserialize, PartialEq)]
struct RawSeat {
    player: Id,
    side: String,
    commands: Vec<String>,
}

#[derive(Clone, Serialize, Deserialize, PartialEq)]
struct Unit {
    side: String,
    command: String,
    at: u32,
    hits: u32,
}

#[derive(Deserialize)]
struct Orders {
    #[serde(default)]
    walk: Vec<Walk>,
}

#[derive(Deserialize)]
struct Walk {
    unit: String,
    by: toml::Spanned<u32>,
}

fn read(state: &str) -> Result<State, GameError> {
    toml::from_str(state).map_err(|e| GameError::State(e.message().to_owned()))
}

impl Road {
    fn of(&self, state: &State) -> Outlook {
        let over = state.turn > self.data.last_turn;
        let asks = state
            .seat
            .iter()
            .filter(|s| state.window == "walk" || s.side == "north")
            .map(|s| s.player.clone())
            .collect();
        Outlook {
            window: (!over).then(|| state.window.clone()),
            asks: if over { Vec::new() } else { asks },
            heading: format!("turn {}, {}", state.turn, state.window),
            default: "whoever sends nothing stands".to_owned(),
            result: over.then(|| "Draw on the road".to_owned()),
        }
    }

    fn walks(&self, state: &State, player: &Id, file: &Source) -> (Checked, Vec<(String, u32)>) {
        let mut checked = Checked::default();
        let mut walks = Vec::new();
        let orders: Orders = match toml::from_str(&file.text) {
            Ok(orders) => orders,
            Err(e) => {
                let fault = Diagnostic::error(None, e.message());
                checked.faults.push(match e.span() {
                    Some(span) => fault.at(span),
                    None => fault,
                });
                return (checked, walks);
            }
        };
        let seat = state.seat.iter().find(|s| &s.player == player);
        for walk in orders.walk {
            let own = state.unit.get(&walk.unit).is_some_and(|u| {
                seat.is_some_and(|s| s.side == u.side && s.commands.contains(&u.command))
            });
            let by = *walk.by.get_ref();
            if !own {
                checked.refused += 1;
                checked.faults.push(
                    Diagnostic::error(Some(Rule("1.1")), format!("`{}` is not yours", walk.unit))
                        .at(walk.by.span()),
                );
            } else if by > self.pace {
                checked.refused += 1;
                checked.faults.push(
                    Diagnostic::error(Some(Rule("1.2")), format!("{by} steps are too many"))
                        .at(walk.by.span())
                        .help(format!("walk {} at most", self.pace)),
                );
            } else {
                checked.accepted += 1;
                checked.understood.push(format!("{:<16} walks {by}", walk.unit));
                walks.push((walk.unit, by));
            }
        }
        checked.understood.push("everybody else   stands".to_owned());
        (checked, walks)
    }
}

/// The road's shots for odds: whoever rolls above 8 is hit.
struct Shots(State);

impl Trials for Shots {
    fn once(&self, dice: &mut Roller) -> Result<Tally, GameError> {
        let mut tally = Tally::new();
        for id in self.0.unit.keys() {
            let hit = dice.d10(id)? > 8;
            tally.insert(Subject::Count { what: id.clone() }, u32::from(hit));
        }
        Ok(tally)
    }
}

impl Game for Road {
    fn scenario(&self) -> &ScenarioInfo {
        &self.info
    }

    fn initial_state(&self, _: &Id, seats: &[Seat]) -> Result<String, GameError> {
        let unit = |side: &str, command: &str, at| Unit {
            side: side.to_owned(),
            command: command.to_owned(),
            at,
            hits: 0,
        };
        let state = State {
            turn: 1,
            window: "walk".to_owned(),
            seat: seats
                .iter()
                .map(|s| RawSeat {
                    player: s.player.clone(),
                    side: s.side.clone(),
                    commands: s.commands.clone(),
                })
                .collect(),
            unit: [
                ("n-1".to_owned(), unit("north", "main", 0)),
                ("s-1".to_owned(), unit("south", "foot", self.data.length)),
                ("s-2".to_owned(), unit("south", "guns", self.data.length)),
            ]
            .into(),
        };
        toml::to_string(&state).map_err(|e| GameError::State(e.to_string()))
    }

    fn continued_state(&self, old: &str, _: &Id, seats: &[Seat]) -> Result<String, GameError> {
        let mut state = read(old)?;
        state.seat = seats
            .iter()
            .map(|s| RawSeat {
                player: s.player.clone(),
                side: s.side.clone(),
                commands: s.commands.clone(),
            })
            .collect();
        toml::to_string(&state).map_err(|e| GameError::State(e.to_string()))
    }

    fn outlook(&self, state: &str) -> Result<Outlook, GameError> {
        Ok(self.of(&read(state)?))
    }

    fn seats(&self, state: &str) -> Result<Vec<Seat>, GameError> {
        let seats = read(state)?.seat;
        Ok(seats
            .into_iter()
            .map(|s| Seat { player: s.player, side: s.side, commands: s.commands })
            .collect())
    }

    fn view(&self, state: &str, viewer: &Viewer) -> Result<String, GameError> {
        let mut seen = read(state)?;
        if self.info.sealed {
            let side = match viewer {
                Viewer::Referee => return Ok(state.to_owned()),
                Viewer::Public => None,
                Viewer::Player(id) => {
                    seen.seat.iter().find(|s| &s.player == id).map(|s| s.side.clone())
                }
            };
            seen.unit.retain(|_, u| Some(&u.side) == side.as_ref());
        }
        toml::to_string(&seen).map_err(|e| GameError::State(e.to_string()))
    }

    fn form(&self, view: &str, header: &FormHeader) -> Result<String, GameError> {
        let state = read(view)?;
        let mut text = format!(
            "game = \"{}\"\nphase = {}\nplayer = \"{}\"\nhead = \"{}\"\nticket = \"{}\"\n\
             final = false\n\n",
            header.game, header.phase, header.player, header.head, header.ticket
        );
        for (id, unit) in &state.unit {
            let _ =
                writeln!(text, "# {id} at {}\n# [[walk]]\n# unit = \"{id}\"\n# by = 1", unit.at);
        }
        Ok(text)
    }

    fn check(&self, view: &str, player: &Id, file: &Source) -> Result<Checked, GameError> {
        Ok(self.walks(&read(view)?, player, file).0)
    }

    fn adjudicate(&self, input: &PhaseInput, dice: &mut Roller) -> Result<Resolution, GameError> {
        let mut state = read(&input.state)?;
        let mut events = String::new();
        let mut text = format!("PHASE {} on {}\n", input.phase, &input.prev[..8]);
        if input.rehearsal {
            text.insert_str(0, "REHEARSAL\n");
        }
        for (player, orders) in &input.orders {
            match orders {
                Submission::File(file) => {
                    let (checked, walks) = self.walks(&state, player, file);
                    let _ = writeln!(text, "{player}: {} refused", checked.refused);
                    for (unit, by) in walks {
                        if state.window == "walk" {
                            let unit = state.unit.get_mut(&unit).unwrap();
                            unit.at = if unit.side == "north" {
                                unit.at + by
                            } else {
                                unit.at.saturating_sub(by)
                            };
                        }
                        let _ = writeln!(events, "{{\"walk\":\"{unit}\",\"by\":{by}}}");
                    }
                }
                Submission::Missing => {
                    let _ = writeln!(text, "{player}: nothing came, stands");
                }
                Submission::Idle => {}
            }
        }
        let seats = state.seat.clone();
        for (id, unit) in &mut state.unit {
            let face = dice.d10(&format!("t{}/{}/{id}", state.turn, state.window))?;
            unit.hits += u32::from(face > 8);
            let player = seats
                .iter()
                .find(|s| s.side == unit.side && s.commands.contains(&unit.command))
                .map_or("nobody", |s| s.player.as_str());
            let _ = writeln!(
                events,
                "{{\"player\":\"{player}\",\"label\":\"t{}/{}/{id}\",\"face\":{face}}}",
                state.turn, state.window
            );
            let _ = writeln!(text, "{id} at {} rolls {face}", unit.at);
        }
        if self.info.sealed {
            dice.roll_sealed(&format!("t{}/{}/ambush", state.turn, state.window), "2d6")?;
            for (player, orders) in &input.orders {
                let Submission::File(file) = orders else { continue };
                let hidden = file.text.lines().find_map(|l| l.strip_prefix("hide = \""));
                if let Some(digits) = hidden {
                    dice.seal_note(player, digits.trim_end_matches('"').parse().unwrap())?;
                }
            }
        }
        if state.window == "walk" {
            "shoot".clone_into(&mut state.window);
        } else {
            "walk".clone_into(&mut state.window);
            state.turn += 1;
        }
        let state_text = toml::to_string(&state).map_err(|e| GameError::State(e.to_string()))?;
        let mut reports = BTreeMap::new();
        let viewers = [Viewer::Referee, Viewer::Public]
            .into_iter()
            .chain(state.seat.iter().map(|s| Viewer::Player(s.player.clone())));
        for viewer in viewers {
            let report = Report {
                text: format!("{text}for {viewer}\n"),
                json: format!("{{\"for\":\"{viewer}\"}}\n"),
            };
            reports.insert(viewer, report);
        }
        Ok(Resolution { events, state: state_text, reports, outlook: self.of(&state) })
    }

    fn trials<'a>(
        &'a self,
        view: &str,
        _: &BTreeMap<Id, Submission>,
    ) -> Result<Box<dyn Trials + 'a>, GameError> {
        Ok(Box::new(Shots(read(view)?)))
    }

    fn odds(&self, _: Option<&str>, question: &Question) -> Result<Answer, GameError> {
        Err(GameError::Question {
            message: format!("`{}` is no attack on this road", question.topic),
            help: "units roll by themselves".to_owned(),
        })
    }

    fn ask(&self, view: &str, question: &Question) -> Result<Answer, GameError> {
        let state = read(view)?;
        match question.words.first().and_then(|w| state.unit.get(w)) {
            Some(unit) if question.topic == "where" => Ok(Answer {
                text: format!("at {}\n", unit.at),
                json: serde_json::json!({ "at": unit.at }),
            }),
            _ => Err(GameError::Question {
                message: "no such unit or topic".to_owned(),
                help: "ask where UNIT".to_owned(),
            }),
        }
    }

    fn map(&self, view: &str) -> Result<String, GameError> {
        let state = read(view)?;
        let mut text = String::new();
        for (id, unit) in &state.unit {
            let _ = writeln!(text, "{id:<6}{}x", ".".repeat(unit.at as usize));
        }
        Ok(text)
    }

    fn describe(&self) -> String {
        format!("pace = {}\n", self.pace)
    }

    fn irregular(&self, state: &str) -> Result<Vec<String>, GameError> {
        let off = |(id, unit): (&String, &Unit)| {
            (unit.at > self.data.length).then(|| format!("{id} is off the road [2]"))
        };
        Ok(read(state)?.unit.iter().filter_map(off).collect())
    }

    fn difference(&self, before: &str, after: &str) -> Result<Vec<String>, GameError> {
        let (before, after) = (read(before)?, read(after)?);
        let mut lines = Vec::new();
        for (id, unit) in &after.unit {
            match before.unit.get(id) {
                Some(old) if old != unit => {
                    lines.push(format!("{id}: at {} -> {}", old.at, unit.at));
                }
                _ => {}
            }
        }
        Ok(lines)
    }
}
