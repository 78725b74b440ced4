//! A state as the text of `state-after.toml`, and back.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::core::id::Id;
use crate::game::{GameError, Seat};

use super::super::data::{Cadence, Data};
use super::{General, Marker, Presence, State, Storm, Unit, Window};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing)]
    #[allow(dead_code, reason = "a sealed game's first line, added and removed by the ledger")]
    salt: Option<String>,
    game: String,
    scenario: String,
    #[serde(default)]
    cadence: String,
    #[serde(default)]
    options: Vec<String>,
    phase: u32,
    turn: u32,
    window: Window,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    numbered: u32,
    elements: u32,
    mustered: u32,
    #[serde(default)]
    fought: Vec<String>,
    #[serde(default)]
    rulings: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    storm: Option<Storm>,
    seat: Vec<SeatFile>,
    #[serde(default)]
    general: Vec<General>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marker: Vec<Marker>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unit: Vec<Unit>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatFile {
    player: Id,
    side: String,
    commands: Vec<String>,
}

impl State {
    /// The state as TOML.
    pub fn to_text(&self, data: &Data, viewer: Option<&str>) -> String {
        let cadence = match data.cadence {
            Cadence::Brisk => "brisk",
            Cadence::Strict => "strict",
            Cadence::Single => "single",
        };
        let file = File {
            salt: None,
            game: self.game.clone(),
            scenario: data.scenario.info.id.clone(),
            cadence: cadence.to_owned(),
            options: data.options.clone(),
            phase: self.phase,
            turn: self.turn,
            window: self.window,
            viewer: viewer.map(str::to_owned),
            result: self.result.clone(),
            numbered: self.numbered,
            elements: self.elements,
            mustered: self.mustered,
            fought: self.fought.clone(),
            rulings: data
                .rulings
                .all
                .iter()
                .filter(|r| r.choice != r.default)
                .map(|r| (r.name.clone(), r.choice.clone()))
                .collect(),
            storm: self.storm,
            seat: self
                .seats
                .iter()
                .map(|s| SeatFile {
                    player: s.player.clone(),
                    side: s.side.clone(),
                    commands: s.commands.clone(),
                })
                .collect(),
            general: self.generals.clone(),
            marker: self.markers.clone(),
            unit: self.units.clone(),
        };
        toml::to_string(&file).unwrap_or_default()
    }

    /// Reads a state or a view.
    ///
    /// # Errors
    /// A text that is none, or that breaks a law of states.
    pub fn parse(data: &Data, text: &str) -> Result<Self, GameError> {
        let file: File =
            toml::from_str(text).map_err(|e| GameError::State(e.message().to_owned()))?;
        let bad = |what: String| Err(GameError::State(what));
        if file.scenario != data.scenario.info.id {
            return bad(format!("it is of the scenario `{}`", file.scenario));
        }
        if file.turn > data.scenario.turns {
            return bad(format!("turn {} is after the last", file.turn));
        }
        let mut state = Self {
            game: file.game,
            phase: file.phase,
            turn: file.turn,
            window: file.window,
            seats: file
                .seat
                .into_iter()
                .map(|s| Seat { player: s.player, side: s.side, commands: s.commands })
                .collect(),
            generals: file.general,
            units: file.unit,
            markers: file.marker,
            numbered: file.numbered,
            elements: file.elements,
            mustered: file.mustered,
            storm: file.storm,
            fought: file.fought,
            result: file.result,
        };
        state.generals.sort_by(|a, b| a.id.cmp(&b.id));
        state.units.sort_by(|a, b| a.id.cmp(&b.id));
        state.markers.sort_by(|a, b| a.id.cmp(&b.id));
        let mut seen = BTreeSet::new();
        let ids = state.generals.iter().map(|g| &g.id);
        let ids = ids.chain(state.units.iter().map(|u| &u.id));
        for id in ids.chain(state.markers.iter().map(|m| &m.id)) {
            // It is part of the labels of dice.
            if Id::new(id).is_err() {
                return bad(format!("`{id}` is no name of a unit, a general or a marker"));
            }
            if !seen.insert(id.clone()) {
                return bad(format!("`{id}` stands twice"));
            }
        }
        let far = |p: crate::geometry::plane::Point| p.x.abs() > 100_000 || p.y.abs() > 100_000;
        for unit in &state.units {
            if unit.bases.is_empty() || unit.bases.len() > 20 {
                return bad(format!("`{}` has no bases, or too many", unit.id));
            }
            if !state.generals.iter().any(|g| g.id == unit.general && g.army == unit.army()) {
                return bad(format!("`{}` has no general `{}`", unit.id, unit.general));
            }
            if far(unit.anchor) || unit.bases.iter().any(|b| far(b.at)) {
                return bad(format!("`{}` is nowhere near the table", unit.id));
            }
            if let Presence::Marker(id) = &unit.presence
                && state.marker(id).is_none()
            {
                return bad(format!("`{}` is under no marker `{id}`", unit.id));
            }
        }
        if state.markers.iter().any(|m| far(m.at)) || state.generals.iter().any(|g| far(g.at)) {
            return bad("a marker or a general is nowhere near the table".to_owned());
        }
        Ok(state)
    }
}
