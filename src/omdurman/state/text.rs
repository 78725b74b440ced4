//! A state as the text of `state-after.toml`, and back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::game::{GameError, Seat};
use crate::geometry::hex::{Hex, Side};

use super::super::data::{Data, UnitId};
use super::{Note, Order, Place, River, Score, Secret, Standing, State, Task, UnitState, Window};

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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    phase: u32,
    turn: u32,
    moving: String,
    window: Window,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gordon_fell: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(default)]
    breaches: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    zariba: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    chain_known: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    chain_sunk: bool,
    /// Victory points as `SIDE POINTS turn TURN SIDE: UNIT`, in the order in which they were scored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    score: Vec<String>,
    units: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tasks: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    chained: BTreeMap<String, String>,
    seat: Vec<SeatFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    river: Vec<Note>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    standing: BTreeMap<Id, Standing>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatFile {
    player: Id,
    side: String,
    commands: Vec<String>,
}

impl State {
    /// The state as TOML in normal form.
    pub fn to_text(&self, data: &Data, viewer: Option<&str>) -> String {
        let word = |id: UnitId| {
            let unit = self.unit(id);
            let mut text = match &unit.place {
                Place::Waiting => "waiting".to_owned(),
                Place::At(hex) => hex.to_string(),
                Place::Aboard { boat, since } => {
                    format!("aboard {} since {since}", data.unit(*boat).id)
                }
                Place::Eliminated(when) => format!("eliminated {when}"),
                Place::Out => "out".to_owned(),
            };
            if let Order::Disrupted(army) = unit.order {
                let _ = write!(text, " disrupted {}", data.side(army).id);
            }
            text
        };
        let name = |id: UnitId| data.unit(id).id.clone();
        let file = File {
            salt: None,
            game: self.game.clone(),
            scenario: data.scenario.info.id.clone(),
            cadence: if data.strict { "strict" } else { "brisk" }.to_owned(),
            options: data.scenario.options.clone(),
            rulings: data
                .rulings
                .all
                .iter()
                .filter(|r| r.choice != r.default)
                .map(|r| (r.name.clone(), r.choice.clone()))
                .collect(),
            phase: self.phase,
            turn: self.turn,
            moving: data.side(self.moving).id.clone(),
            window: self.window,
            viewer: viewer.map(str::to_owned),
            gordon_fell: self.gordon_fell,
            result: self.result.clone(),
            breaches: self.breaches.iter().map(ToString::to_string).collect(),
            zariba: self.zariba.iter().map(ToString::to_string).collect(),
            damaged: self.damaged.iter().map(|id| name(*id)).collect(),
            chain_known: self.river.chain_known,
            chain_sunk: self.river.chain_sunk,
            score: self.score.iter().map(|s| s.words(data)).collect(),
            tasks: self.tasks.iter().map(|(id, task)| (name(*id), task.words())).collect(),
            chained: self.chained.iter().map(|(id, hex)| (name(*id), hex.to_string())).collect(),
            river: self.river.notes.clone(),
            units: data.ids().map(|id| (data.unit(id).id.clone(), word(id))).collect(),
            seat: self
                .seats
                .iter()
                .map(|s| SeatFile {
                    player: s.player.clone(),
                    side: s.side.clone(),
                    commands: s.commands.clone(),
                })
                .collect(),
            standing: self.standing.clone(),
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
        if file.scenario != data.scenario.info.id {
            let mine = &data.scenario.info.id;
            return Err(bad(format!("it is of scenario `{}`, not `{mine}`", file.scenario)));
        }
        let army = |text: &str| {
            let side = data.scenario.sides.iter().find(|s| s.id == text);
            side.map(|s| s.army).ok_or_else(|| bad(format!("`{text}` is no side")))
        };
        let mut units =
            vec![UnitState { place: Place::Waiting, order: Order::Good }; data.units.len()];
        if file.units.len() != units.len() {
            return Err(bad(format!("it has {} units, not {}", file.units.len(), units.len())));
        }
        for (name, text) in &file.units {
            let id = data.find(name).ok_or_else(|| bad(format!("`{name}` is no unit")))?;
            let (place, order) = match text.split_once(" disrupted ") {
                Some((place, side)) => (place, Order::Disrupted(army(side)?)),
                None => (text.as_str(), Order::Good),
            };
            let place = place_of(data, place)
                .ok_or_else(|| bad(format!("`{place}` is no place for {name}")))?;
            units[usize::from(id.0)] = UnitState { place, order };
        }
        let mut breaches = BTreeSet::new();
        for text in &file.breaches {
            match Side::parse(text).filter(|s| data.board.side(*s).wall) {
                Some(side) => breaches.insert(side),
                None => return Err(bad(format!("`{text}` is no wall to be breached"))),
            };
        }
        let mut zariba = BTreeSet::new();
        for text in &file.zariba {
            match Side::parse(text).filter(|s| data.board.side(*s).zariba.is_some()) {
                Some(side) => zariba.insert(side),
                None => return Err(bad(format!("`{text}` is no hexside of the Zariba"))),
            };
        }
        let unit =
            |name: &String| data.find(name).ok_or_else(|| bad(format!("`{name}` is no unit")));
        let mut tasks = BTreeMap::new();
        for (name, text) in &file.tasks {
            let task = Task::parse(text).ok_or_else(|| bad(format!("`{text}` is no task")))?;
            tasks.insert(unit(name)?, task);
        }
        let mut chained = BTreeMap::new();
        for (name, text) in &file.chained {
            let hex = Hex::parse(text).filter(|h| data.board.has(*h));
            chained.insert(unit(name)?, hex.ok_or_else(|| bad(format!("`{text}` is no hex")))?);
        }
        let mut score = Vec::new();
        for text in &file.score {
            let entry = Score::parse(data, text);
            score.push(entry.ok_or_else(|| bad(format!("`{text}` is no entry of points")))?);
        }
        for note in &file.river {
            if Secret::parse(&note.text).is_none() {
                return Err(bad(format!("`{}` is nothing that can be hidden", note.text)));
            }
        }
        let river =
            River { notes: file.river, chain_known: file.chain_known, chain_sunk: file.chain_sunk };
        let damaged = file.damaged.iter().map(unit).collect::<Result<_, _>>()?;
        let seats = file
            .seat
            .into_iter()
            .map(|s| Seat { player: s.player, side: s.side, commands: s.commands })
            .collect();
        Ok(Self {
            game: file.game,
            phase: file.phase,
            turn: file.turn,
            moving: army(&file.moving)?,
            window: file.window,
            units,
            breaches,
            zariba,
            tasks,
            damaged,
            chained,
            river,
            score,
            seats,
            standing: file.standing,
            gordon_fell: file.gordon_fell,
            result: file.result,
        })
    }
}

fn place_of(data: &Data, text: &str) -> Option<Place> {
    Some(match text {
        "waiting" => Place::Waiting,
        "out" => Place::Out,
        _ => match (text.strip_prefix("eliminated "), text.strip_prefix("aboard ")) {
            (Some(when), _) => Place::Eliminated(when.to_owned()),
            (_, Some(on)) => {
                let (boat, since) = on.split_once(" since ")?;
                let boat = data.find(boat).filter(|b| data.unit(*b).kind.is_gunboat())?;
                Place::Aboard { boat, since: since.parse().ok()? }
            }
            _ => Place::At(Hex::parse(text).filter(|h| data.board.has(*h))?),
        },
    })
}
