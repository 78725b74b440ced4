//! Units and scenario, put together from counters, map and the scenario's file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::game::ScenarioInfo;
use crate::game::reading::Reading;
use crate::geometry::hex::Hex;

use super::super::board::{Board, Terrain};
use super::files::{Counter, CounterFile, FortPlace, ScenarioFile, ZoneFile};
use super::load::Loader;
use super::{
    Army, Entry, Ground, Kind, RiverOptions, Scenario, Schedule, SideInfo, Unit, UnitId, Victory,
    Zone,
};

/// Rules that a scenario's zones and entries may name.
const RULES: [&str; 12] = [
    "9.1.1.1",
    "9.1.1.2",
    "9.1.1.3.D",
    "9.1.1.3.E",
    "9.1.1.3.F",
    "9.1.1.3.G",
    "9.2.1.1.C",
    "9.2.1.1.D",
    "9.2.1.1.E",
    "9.2.1.2.D",
    "9.2.1.2.E",
    "9.3.2.1",
];

fn rule(text: &str) -> Option<&'static str> {
    RULES.into_iter().chain(["9.3.2.2"]).find(|r| *r == text)
}

impl Loader<'_> {
    pub(super) fn units(
        &mut self,
        path: &str,
        counters: &CounterFile,
        scenario: &ScenarioFile,
        board: &Board,
    ) -> Vec<Unit> {
        let by_id = self.counters(counters);
        let mut units: Vec<Unit> = Vec::new();
        for side in &scenario.side {
            for command in &side.command {
                let mut wanted = Vec::new();
                for text in &command.units {
                    let (line, n) = match text.split_once(' ') {
                        Some((line, n)) => (line, n.parse().unwrap_or(0)),
                        None => (text.as_str(), usize::MAX),
                    };
                    // A counter line (all of it, or the first n), or one counter.
                    match counters.counter.iter().find(|c| c.id == line) {
                        Some(counter) => {
                            let ids = counter.ids();
                            if n == 0 || (n != usize::MAX && ids.len() < n) {
                                self.wrong(
                                    path,
                                    format!("`{text}`: the counter mix has not that many"),
                                );
                            }
                            wanted.extend(ids.into_iter().take(n));
                        }
                        None => wanted.push(text.clone()),
                    }
                }
                for id in wanted {
                    if let Some(c) = by_id.get(&id) {
                        units.push(unit(&id, c, side.army, &command.id, None));
                    } else {
                        let mut fault = Diagnostic::error(None, format!("`{id}` is no counter"));
                        if let Some(near) = did_you_mean(&id, by_id.keys().map(String::as_str)) {
                            fault = fault.help(format!("did you mean `{near}`?"));
                        }
                        self.say(path, fault);
                    }
                }
                let fort = counters.counter.iter().find(|c| c.kind == Kind::Fort);
                for id in &command.forts {
                    let place: Option<FortPlace> =
                        scenario.fort.get(id).cloned().and_then(|v| v.try_into().ok());
                    let hex =
                        place.as_ref().and_then(|p| Hex::parse(&p.hex)).filter(|h| board.has(*h));
                    match (fort, place, hex) {
                        (Some(c), Some(place), Some(hex)) => {
                            let mut unit = unit(id, c, side.army, &command.id, Some(hex));
                            unit.name = place.name;
                            units.push(unit);
                        }
                        _ => self.wrong(path, format!("[fort] has no sound place for `{id}`")),
                    }
                }
            }
        }
        units.sort_by(|a, b| a.id.cmp(&b.id));
        for pair in units.windows(2) {
            if pair[0].id == pair[1].id {
                self.wrong(path, format!("`{}` is in two commands", pair[0].id));
            }
        }
        units
    }

    fn counters<'c>(&mut self, counters: &'c CounterFile) -> BTreeMap<String, &'c Counter> {
        let mut by_id: BTreeMap<String, &Counter> = BTreeMap::new();
        for counter in &counters.counter {
            let ids = counter.ids();
            let colours = counter.colours.as_ref().map_or(ids.len(), Vec::len);
            if ids.len() != counter.count as usize || colours != ids.len() {
                self.wrong(
                    "units.toml",
                    format!("`{}` has not {} names or colours", counter.id, counter.count),
                );
            }
            for (what, figure) in [
                ("fire", Some(counter.fire)),
                ("maxim", counter.maxim),
                ("melee", Some(counter.melee)),
                ("ma", counter.ma),
                ("up", counter.up),
                ("down", counter.down),
            ] {
                let figure = i64::from(figure.unwrap_or(0));
                self.bounded("units.toml", what, figure, 0, 100);
            }
            for id in ids {
                if by_id.insert(id.clone(), counter).is_some() {
                    self.wrong("units.toml", format!("the id `{id}` stands twice"));
                }
            }
        }
        by_id
    }

    /// The units that a list of counter lines and ids names.
    fn named(&mut self, path: &str, units: &[Unit], list: &[String]) -> Vec<UnitId> {
        let mut out = Vec::new();
        for word in list {
            let before = out.len();
            for (i, unit) in units.iter().enumerate() {
                if unit.id == *word || unit.line == *word {
                    out.extend(u16::try_from(i).ok().map(UnitId));
                }
            }
            if out.len() == before {
                self.wrong(path, format!("`{word}` names no unit of this scenario"));
            }
        }
        out
    }

    fn rule(&mut self, path: &str, text: &str) -> &'static str {
        rule(text).unwrap_or_else(|| {
            self.wrong(path, format!("`{text}` is no rule of set-up or entry"));
            ""
        })
    }

    fn zone(&mut self, path: &str, file: &ZoneFile, board: &Board) -> Option<Zone> {
        let rule = self.rule(path, &file.rule);
        let one = |name: &str| -> Option<Hex> { board.regions.get(name)?.first().copied() };
        let ground = match (file.region.as_deref(), file.around.as_deref()) {
            (Some("garrison"), None) => Ground::Garrison,
            (Some("nile"), None) => Ground::AnyNile,
            (Some(name), None) => {
                let mut found: Vec<&Arc<[Hex]>> = Vec::new();
                let all: Vec<&str> =
                    std::iter::once(name).chain(file.others.iter().map(String::as_str)).collect();
                for name in &all {
                    match board.regions.get(*name) {
                        Some(region) => found.push(region),
                        None => self.wrong(path, format!("the map has no region `{name}`")),
                    }
                }
                let hexes = if let [one] = found[..] {
                    Arc::clone(one)
                } else {
                    let all: BTreeSet<Hex> = found.iter().flat_map(|r| r.iter().copied()).collect();
                    all.into_iter().collect()
                };
                Ground::Region(all.join(" or "), hexes)
            }
            (None, Some(name)) => {
                let Some(hex) = one(name) else {
                    self.wrong(path, format!("the map has no region `{name}`"));
                    return None;
                };
                Ground::Around(hex)
            }
            _ => {
                self.wrong(path, "a [[zone]] has either `region` or `around`");
                return None;
            }
        };
        Some(Zone { ground, rule })
    }

    #[allow(clippy::too_many_lines, reason = "one pass over one file, in its order")]
    pub(super) fn scenario(
        &mut self,
        path: &str,
        file: ScenarioFile,
        units: Vec<Unit>,
        board: &Board,
        options: &[String],
    ) -> Option<(Vec<Unit>, Scenario)> {
        let find = |id: &str| {
            units.iter().position(|u| u.id == id).and_then(|i| u16::try_from(i).ok()).map(UnitId)
        };
        let hex = |text: &str| Hex::parse(text).filter(|h| board.has(*h));
        let mut standard = BTreeMap::new();
        for (place, value) in &file.standard {
            if place == "source" {
                continue;
            }
            let names: Vec<String> = value.clone().try_into().unwrap_or_default();
            for name in &names {
                match (find(name), hex(place)) {
                    (Some(unit), Some(hex)) => {
                        if standard.insert(unit, hex).is_some() {
                            self.wrong(path, format!("[standard] places `{name}` twice"));
                        }
                    }
                    _ => self.wrong(path, format!("[standard] cannot place `{name}` in `{place}`")),
                }
            }
        }
        let mut zones: Vec<Option<Zone>> = vec![None; units.len()];
        for zone in &file.zone {
            let made = self.zone(path, zone, board);
            for id in self.named(path, &units, &zone.units) {
                zones[usize::from(id.0)].clone_from(&made);
            }
        }
        let mut entries = Vec::new();
        let mut enters: Vec<Option<usize>> = vec![None; units.len()];
        for entry in &file.entry {
            let mut hexes = BTreeSet::new();
            for name in &entry.through {
                match board.map_edges.get(name) {
                    Some(list) => hexes.extend(list.iter().copied()),
                    None => self.wrong(path, format!("the map has no edge `{name}`")),
                }
            }
            self.bounded(path, "from", i64::from(entry.from), 1, i64::from(file.turns));
            self.bounded(path, "mp", i64::from(entry.mp.unwrap_or(1)), 1, 20);
            for id in self.named(path, &units, &entry.units) {
                enters[usize::from(id.0)] = Some(entries.len());
            }
            entries.push(Entry {
                from: entry.from,
                hexes,
                edges: entry.through.clone(),
                mp: entry.mp,
                rule: self.rule(path, &entry.rule),
            });
        }
        let gordon = match &file.victory {
            Victory::Gordon(v) => {
                for level in v.falls.iter().chain(&v.survives) {
                    if !v.scale.contains(&level.level) {
                        self.wrong(
                            path,
                            format!("`{}` is not on the scale of levels", level.level),
                        );
                    }
                }
                if v.falls.is_empty() || v.survives.is_empty() {
                    self.wrong(path, "[victory] lacks `falls` or `survives`");
                }
                let (Some(gordon), Some(palace)) = (find(&v.gordon), hex(&v.palace)) else {
                    self.wrong(path, "Gordon or his hex is missing");
                    return None;
                };
                Some((gordon, palace))
            }
            Victory::Eliminations(v) => {
                if v.levels.is_empty() {
                    self.wrong(path, "[victory] lacks `levels`");
                }
                None
            }
            Victory::Points(v) => {
                for id in [&v.khalifa, &v.isa] {
                    if find(id).is_none() {
                        self.wrong(path, format!("[victory] names `{id}`, which is no unit"));
                    }
                }
                None
            }
        };
        let tomb = match &file.victory {
            Victory::Points(v) => {
                let tomb = hex(&v.tomb);
                if tomb.is_none() {
                    self.wrong(path, format!("`{}` is no hex for the Tomb", v.tomb));
                }
                tomb
            }
            _ => None,
        };
        for (i, unit) in units.iter().enumerate() {
            let placed = zones[i].is_some() || enters[i].is_some() || unit.fort.is_some();
            let gordon = gordon.is_some_and(|(id, _)| usize::from(id.0) == i);
            if !placed && !gordon {
                self.wrong(path, format!("`{}` neither sets up nor enters", unit.id));
            }
            if unit.fort.is_some_and(|h| board.terrain(h) == Terrain::Nile) {
                self.wrong(path, format!("`{}` stands in the Nile", unit.id));
            }
        }
        self.bounded(path, "turns", i64::from(file.turns), 1, 99);
        if !file.track.is_empty() && file.track.len() != file.turns as usize {
            self.wrong(path, format!("`track` has not {} turns", file.turns));
        }
        let sides: Vec<SideInfo> = file
            .side
            .iter()
            .map(|s| SideInfo {
                id: s.id.clone(),
                name: s.name.clone(),
                army: s.army,
                setup: s.setup,
                commands: s.command.iter().map(|c| c.id.clone()).collect(),
            })
            .collect();
        if sides.len() != 2 || sides[0].army == sides[1].army {
            self.wrong(path, "a scenario has two sides, one an army");
            return None;
        }
        let on = |names: &[&str]| options.iter().any(|o| names.contains(&o.as_str()));
        let river = RiverOptions {
            mines: on(&["mines", "mines-or-chain"]),
            chain: on(&["chain", "mines-or-chain"]),
        };
        let info = ScenarioInfo {
            id: file.id,
            system: "omdurman".to_owned(),
            title: file.title,
            summary: file.summary,
            sides: sides.iter().map(|s| (s.id.clone(), s.commands.clone())).collect(),
            sealed: river.any(),
        };
        let scenario = Scenario {
            info,
            turns: file.turns,
            track: file.track,
            night: file.night,
            first: file.first,
            range_table: file.range_table,
            sides,
            gordon,
            zones,
            standard,
            entries,
            enters,
            schedule: file.schedule.map(|s| Schedule {
                army: s.army,
                gunboats: s.gunboats,
                land: s.land,
                first_brigades: s.first_brigades,
                free: s.free,
                leaders_by: s.leaders_by,
            }),
            zariba_built: file.zariba.as_deref() == Some("built"),
            desertion: file.desertion,
            river,
            options: options.to_vec(),
            tomb,
            victory: file.victory,
        };
        Some((units, scenario))
    }
}

fn unit(id: &str, c: &Counter, army: Army, command: &str, fort: Option<Hex>) -> Unit {
    let class = c.tribe.clone().or_else(|| c.class.clone());
    let at = c.names.as_ref().and_then(|names| names.iter().position(|n| n == id));
    let own = at.and_then(|i| c.colours.as_ref()?.get(i).cloned());
    Unit {
        id: id.to_owned(),
        name: c.name.clone(),
        army,
        command: command.to_owned(),
        tribe: c.tribe.clone(),
        class: class.unwrap_or_else(|| c.kind.name().to_owned()),
        colour: own.or_else(|| c.colour.clone()),
        brigade: c.brigade.clone(),
        kind: c.kind,
        weapon: c.weapon,
        friendlies: c.friendlies,
        engineers: c.engineers,
        line: c.id.clone(),
        fire: c.fire,
        maxim: c.maxim,
        melee: c.melee,
        ma: c.up.or(c.ma).unwrap_or(0),
        down: c.down.or(c.ma).unwrap_or(0),
        fort,
        source: c.source.clone(),
    }
}
