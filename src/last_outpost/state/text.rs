//! A state as the text of `state-after.toml`, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::game::{GameError, Seat};

use super::super::data::{Data, FigureId, Kind, Side};
use super::super::doctrine::{Doctrine, Intent, Raise, Through};
use super::{FigureState, GunState, Place, State, Wave, WaveStatus, Window};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing)]
    #[allow(dead_code, reason = "a sealed game's first line, added and removed by the ledger")]
    salt: Option<String>,
    game: String,
    scenario: String,
    /// With `scenario`, what a view needs to be read without its game folder.
    #[serde(default)]
    cadence: String,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    phase: u32,
    day: u32,
    round: u32,
    window: Window,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    markers: u32,
    casualties: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    forced: bool,
    #[serde(default)]
    tower: u32,
    #[serde(default)]
    held: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    massacred: bool,
    #[serde(default)]
    idle: u32,
    /// Sections opened to those before another: `FROM TO`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    opened: Vec<String>,
    figures: BTreeMap<String, String>,
    guns: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wave: Vec<WaveFile>,
    seat: Vec<SeatFile>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    doctrine: BTreeMap<Id, Doctrine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatFile {
    player: Id,
    side: String,
    commands: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaveFile {
    number: u32,
    player: Id,
    target: String,
    launched: u32,
    moves: u32,
    strength: u32,
    casualties: u32,
    markers: u32,
    checks: u32,
    status: WaveStatus,
    raise: Raise,
    through: Through,
    intents: Vec<Intent>,
    workers: u32,
}

/// A place as states name it.
pub fn place_words(data: &Data, place: Place) -> String {
    let c = &data.compound;
    match place {
        Place::Wall(wall) => format!("wall {}", c.wall(wall).id),
        Place::Gun(gun) => format!("gun {}", c.gun(gun).id),
        Place::Open(room) => format!("in {}", c.room(room).id),
        Place::Before(wall) => format!("before {}", c.wall(wall).id),
        Place::Across(room) => format!("across {}", c.room(room).id),
        Place::Fallen => "fallen".to_owned(),
        Place::Dead => "dead".to_owned(),
        Place::Camp => "camp".to_owned(),
        Place::Rocks(false) => "rocks".to_owned(),
        Place::Rocks(true) => "rocks seen".to_owned(),
        Place::Advancing => "advancing".to_owned(),
        Place::Withdrawn => "withdrawn".to_owned(),
    }
}

/// Reads a place.
pub fn place_of(data: &Data, text: &str) -> Option<Place> {
    let c = &data.compound;
    Some(match text {
        "fallen" => Place::Fallen,
        "dead" => Place::Dead,
        "camp" => Place::Camp,
        "rocks" => Place::Rocks(false),
        "rocks seen" => Place::Rocks(true),
        "advancing" => Place::Advancing,
        "withdrawn" => Place::Withdrawn,
        _ => {
            let (word, name) = text.split_once(' ')?;
            match word {
                "wall" => Place::Wall(c.find_wall(name)?),
                "gun" => Place::Gun(c.find_gun(name)?),
                "in" => Place::Open(c.find_room(name)?),
                "before" => Place::Before(c.find_wall(name)?),
                "across" => Place::Across(c.find_room(name)?),
                _ => return None,
            }
        }
    })
}

/// A figure in words: its place, then what differs from a fresh figure's facts.
fn figure_words(data: &Data, id: FigureId, figure: &FigureState) -> String {
    let mut text = place_words(data, figure.place);
    if figure.wounded {
        text.push_str(", wounded");
    }
    for (word, number) in [
        ("wave", figure.wave.unwrap_or(0)),
        ("fired", figure.fired),
        ("disturbed", figure.disturbed),
        ("since", figure.since),
    ] {
        if number > 0 {
            let _ = write!(text, ", {word} {number}");
        }
    }
    if let Some(post) = figure.bound {
        let _ = write!(text, ", bound {}", data.post_id(post));
    }
    if data.figure(id).kind == Kind::Officer {
        if figure.shots != data.tables.fire.shots {
            let _ = write!(text, ", shots {}", figure.shots);
        }
    } else if !figure.loaded {
        text.push_str(", empty");
    }
    text
}

fn figure_of(data: &Data, id: FigureId, text: &str) -> Option<FigureState> {
    let mut words = text.split(", ");
    let mut figure = FigureState {
        place: place_of(data, words.next()?)?,
        wounded: false,
        wave: None,
        bound: None,
        loaded: true,
        shots: data.tables.fire.shots,
        fired: 0,
        disturbed: 0,
        since: 0,
    };
    for word in words {
        match word.split_once(' ') {
            None if word == "wounded" => figure.wounded = true,
            None if word == "empty" => figure.loaded = false,
            Some(("bound", post)) => figure.bound = Some(data.find_post(post)?),
            Some((what, number)) => {
                let number: u32 = number.parse().ok().filter(|n| *n < 1_000_000)?;
                match what {
                    "wave" => figure.wave = Some(number),
                    "fired" => figure.fired = number,
                    "disturbed" => figure.disturbed = number,
                    "since" => figure.since = number,
                    "shots" if number <= data.tables.fire.shots => figure.shots = number,
                    _ => return None,
                }
            }
            None => return None,
        }
    }
    lawful(data, id, &figure).then_some(figure)
}

/// Defenders are where defenders can be, Mahdists where they can.
fn lawful(data: &Data, id: FigureId, figure: &FigureState) -> bool {
    match data.figure(id).side {
        Side::Garrison if figure.wave.is_some() => false,
        Side::Garrison => match figure.place {
            Place::Gun(gun) => data.serves(id, gun),
            Place::Before(wall) => data.compound.wall(wall).way.from().is_some(),
            Place::Camp | Place::Rocks(_) | Place::Advancing | Place::Withdrawn => false,
            _ => true,
        },
        Side::Mahdist => match figure.place {
            Place::Wall(_) | Place::Gun(_) | Place::Fallen => false,
            Place::Rocks(_) => data.figure(id).kind == Kind::Rifle,
            Place::Camp | Place::Withdrawn | Place::Dead => !figure.wounded,
            _ => figure.wave.is_some() && !figure.wounded,
        },
    }
}

fn gun_words(gun: &GunState) -> String {
    let mut text = match (gun.disabled, gun.loading) {
        (true, _) => "disabled".to_owned(),
        (false, None) => "ready".to_owned(),
        (false, Some(n)) => format!("loading {n}"),
    };
    if gun.silent {
        text.push_str(", silent");
    }
    text
}

fn gun_of(text: &str) -> Option<GunState> {
    let (text, silent) = match text.strip_suffix(", silent") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let gun = GunState { loading: None, silent, disabled: false };
    Some(match text.strip_prefix("loading ") {
        Some(n) => GunState { loading: Some(n.parse().ok().filter(|n| *n < 1000)?), ..gun },
        None if text == "ready" => gun,
        None if text == "disabled" => GunState { disabled: true, ..gun },
        None => return None,
    })
}

impl State {
    /// The state as TOML in normal form.
    pub fn to_text(&self, data: &Data, viewer: Option<&str>) -> String {
        let c = &data.compound;
        let file = File {
            salt: None,
            game: self.game.clone(),
            scenario: data.info.id.clone(),
            cadence: if data.strict { "strict" } else { "brisk" }.to_owned(),
            rulings: data
                .rulings
                .all
                .iter()
                .filter(|r| r.choice != r.default)
                .map(|r| (r.name.clone(), r.choice.clone()))
                .collect(),
            phase: self.phase,
            day: self.day,
            round: self.round,
            window: self.window,
            viewer: viewer.map(str::to_owned),
            result: self.result.clone(),
            markers: self.markers,
            casualties: self.casualties,
            forced: self.forced,
            tower: self.tower,
            held: self.held,
            massacred: self.massacred,
            idle: self.idle,
            opened: self
                .opened
                .iter()
                .map(|(from, to)| format!("{} {}", c.wall(*from).id, c.wall(*to).id))
                .collect(),
            figures: data
                .ids()
                .map(|id| (data.figure(id).id.clone(), figure_words(data, id, self.figure(id))))
                .collect(),
            guns: c
                .gun_ids()
                .map(|id| (c.gun(id).id.clone(), gun_words(&self.guns[id.at()])))
                .collect(),
            wave: self
                .waves
                .iter()
                .map(|w| WaveFile {
                    number: w.number,
                    player: w.player.clone(),
                    target: c.wall(w.target).id.clone(),
                    launched: w.launched,
                    moves: w.moves,
                    strength: w.strength,
                    casualties: w.casualties,
                    markers: w.markers,
                    checks: w.checks,
                    status: w.status,
                    raise: w.raise,
                    through: w.through,
                    intents: w.intents.clone(),
                    workers: w.workers,
                })
                .collect(),
            seat: self
                .seats
                .iter()
                .map(|s| SeatFile {
                    player: s.player.clone(),
                    side: s.side.clone(),
                    commands: s.commands.clone(),
                })
                .collect(),
            doctrine: self.doctrine.clone(),
        };
        // A map of texts, numbers and lists always has a TOML form.
        toml::to_string(&file).unwrap_or_default()
    }

    /// Reads a state or a view.
    ///
    /// # Errors
    /// What is wrong with it, in words, with the line where there is one.
    pub fn parse(data: &Data, text: &str) -> Result<Self, GameError> {
        let bad = |message: String| GameError::State(message);
        let file: File = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
        if file.scenario != data.info.id {
            let mine = &data.info.id;
            return Err(bad(format!("it is of scenario `{}`, not `{mine}`", file.scenario)));
        }
        if file.figures.len() != data.figures.len() {
            let (has, wants) = (file.figures.len(), data.figures.len());
            return Err(bad(format!("it has {has} figures, not {wants}")));
        }
        let c = &data.compound;
        let mut figures = Vec::new();
        for id in data.ids() {
            let name = &data.figure(id).id;
            let text = file.figures.get(name).ok_or_else(|| bad(format!("`{name}` is missing")))?;
            let figure = figure_of(data, id, text)
                .ok_or_else(|| bad(format!("`{text}` is nothing that {name} can be")))?;
            figures.push(figure);
        }
        let mut guns = Vec::new();
        for id in c.gun_ids() {
            let name = &c.gun(id).id;
            let gun = file.guns.get(name).and_then(|text| gun_of(text));
            guns.push(gun.ok_or_else(|| bad(format!("`{name}` is missing or wrong")))?);
        }
        if file.guns.len() != guns.len() {
            return Err(bad(format!("it has {} guns, not {}", file.guns.len(), guns.len())));
        }
        let wall = |name: &str| {
            let found = c.find_wall(name).filter(|id| c.sections().any(|s| s == *id));
            found.ok_or_else(|| bad(format!("`{name}` is no wall section")))
        };
        let mut waves: Vec<Wave> = Vec::new();
        for w in file.wave {
            if w.number == 0 || waves.iter().any(|other| other.number >= w.number) {
                return Err(bad(format!("wave {} is out of order", w.number)));
            }
            if [w.launched, w.moves, w.strength, w.casualties, w.markers, w.checks, w.workers]
                .iter()
                .any(|n| *n > 100_000)
            {
                return Err(bad(format!("wave {} has a figure that no wave has", w.number)));
            }
            waves.push(Wave {
                number: w.number,
                player: w.player,
                target: wall(&w.target)?,
                launched: w.launched,
                moves: w.moves,
                strength: w.strength,
                casualties: w.casualties,
                markers: w.markers,
                checks: w.checks,
                status: w.status,
                raise: w.raise,
                through: w.through,
                intents: w.intents,
                workers: w.workers,
            });
        }
        if let Some((id, _)) = data.ids().zip(&figures).find(|(_, f)| {
            f.wave.is_some_and(|n| !waves.iter().any(|w| w.number == n))
                && (f.place.present() || f.place == Place::Advancing)
        }) {
            return Err(bad(format!("{} is of a wave that is not there", data.figure(id).id)));
        }
        let mut opened = BTreeSet::new();
        for pair in &file.opened {
            let (from, to) =
                pair.split_once(' ').ok_or_else(|| bad(format!("`{pair}` is no pair")))?;
            opened.insert((wall(from)?, wall(to)?));
        }
        for (what, figure, most) in [
            ("day", file.day, data.days + 1),
            ("round", file.round, 10_000),
            ("markers", file.markers, 100_000),
            ("casualties", file.casualties, 1_000_000),
            ("tower", file.tower, data.tables.tower_points),
            ("held", file.held, 10_000),
            ("idle", file.idle, 10_000),
        ] {
            if figure > most {
                return Err(bad(format!("`{what}` is {figure}, which is more than {most}")));
            }
        }
        if file.day == 0 || (file.window.in_assault() && file.round == 0) {
            return Err(bad("days, and the rounds of an assault, count from 1".to_owned()));
        }
        let seats = file
            .seat
            .into_iter()
            .map(|s| Seat { player: s.player, side: s.side, commands: s.commands })
            .collect();
        Ok(Self {
            game: file.game,
            phase: file.phase,
            day: file.day,
            round: file.round,
            window: file.window,
            figures,
            waves,
            guns,
            markers: file.markers,
            casualties: file.casualties,
            forced: file.forced,
            tower: file.tower,
            held: file.held,
            massacred: file.massacred,
            opened,
            idle: file.idle,
            seats,
            doctrine: file.doctrine,
            result: file.result,
        })
    }
}
