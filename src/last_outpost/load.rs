//! Reads and validates the rules files of a siege; every fault is gathered.

mod files;

use std::collections::BTreeMap;

use crate::core::ruling;
use crate::game::reading::Reading;
use crate::game::{RulesFault, RulesFiles, ScenarioInfo};

use files::{CommandFile, CompoundFile, GarrisonFile, ScenarioFile, SettingsFile, TablesFile};

use super::data::{
    Card, CardDoes, Compound, Data, FigureData, FigureId, FireTable, Gun, GunId, Holds, Kind,
    MeleeTable, MoraleTable, Post, Room, RoomId, Rulings, Side, Tables, Wall, WallId, Way, Zone,
    ZoneId,
};

const COMPOUND: &str = "compound.toml";
const GARRISON: &str = "garrison.toml";
const TABLES: &str = "tables.toml";

struct Loader<'a> {
    files: &'a RulesFiles,
    faults: Vec<RulesFault>,
}

impl Reading for Loader<'_> {
    fn files(&self) -> &RulesFiles {
        self.files
    }

    fn faults(&mut self) -> &mut Vec<RulesFault> {
        &mut self.faults
    }
}

impl Loader<'_> {
    fn standing(&mut self, path: &str, standing: &str) {
        if !["text", "inferred", "reconstructed"].contains(&standing) {
            let what = format!("`{standing}` is no standing: text, inferred, reconstructed");
            self.wrong(path, what);
        }
    }

    fn compound(
        &mut self,
        file: CompoundFile,
        scenario: &ScenarioFile,
    ) -> (Compound, Vec<Vec<String>>) {
        let mut zones = Vec::new();
        let commands = scenario.side.iter().filter(|s| s.id == Side::Garrison.id());
        let commands: Vec<&CommandFile> = commands.flat_map(|s| &s.commands).collect();
        for zone in file.zone {
            self.standing(COMPOUND, &zone.standing);
            let holders: Vec<&str> = commands
                .iter()
                .filter(|c| c.zones.contains(&zone.id))
                .map(|c| c.id.as_str())
                .collect();
            if holders.len() != 1 {
                let what = format!("zone `{}` needs one command, not {}", zone.id, holders.len());
                self.wrong(COMPOUND, what);
            }
            let command = holders.first().copied().unwrap_or("").to_owned();
            let source = format!("{}: {}", zone.standing, zone.source);
            zones.push(Zone { id: zone.id, name: zone.name, command, source });
        }
        let mut rooms: Vec<Room> = Vec::new();
        let names: Vec<String> = file.room.iter().map(|r| r.id.clone()).collect();
        for room in file.room {
            self.standing(COMPOUND, &room.standing);
            let zone = zones.iter().position(|z| z.id == room.zone);
            if zone.is_none() {
                self.wrong(COMPOUND, format!("`{}` is no zone", room.zone));
            }
            let holds = match room.holds.as_deref() {
                None => None,
                Some("tower") => Some(Holds::Tower),
                Some("hospital") => Some(Holds::Hospital),
                Some(other) => {
                    self.wrong(COMPOUND, format!("`{other}` is nothing that a room holds"));
                    None
                }
            };
            let mut sees = Vec::new();
            for other in &room.sees {
                match names.iter().position(|name| name == other) {
                    Some(at) => sees.push(RoomId(index(Some(at)))),
                    None => self.wrong(COMPOUND, format!("`{other}` is no room")),
                }
            }
            rooms.push(Room {
                sees,
                id: room.id,
                zone: ZoneId(index(zone)),
                cap: room.cap,
                height: room.height,
                holds,
                source: format!("{}: {}", room.standing, room.source),
            });
        }
        for (what, name) in [(Holds::Tower, "tower"), (Holds::Hospital, "hospital")] {
            if rooms.iter().filter(|r| r.holds == Some(what)).count() != 1 {
                self.wrong(COMPOUND, format!("one room `holds` the {name}"));
            }
        }
        let find = |text: &str| rooms.iter().position(|r| r.id == text);
        let mut walls: Vec<Wall> = Vec::new();
        for wall in file.wall {
            self.standing(COMPOUND, &wall.standing);
            self.bounded(COMPOUND, &wall.id, i64::from(wall.places), 1, 40);
            let room = find(&wall.room);
            if room.is_none() {
                self.wrong(COMPOUND, format!("`{}` is no room", wall.room));
            }
            if !["N", "E", "S", "W"].contains(&wall.side.as_str()) {
                self.wrong(COMPOUND, format!("`{}` is no side of the compound", wall.side));
            }
            walls.push(Wall {
                id: wall.id,
                room: RoomId(index(room)),
                way: Way::Outer,
                side: wall.side,
                places: wall.places,
                source: format!("{}: {}", wall.standing, wall.source),
            });
        }
        if walls.len() != 9 {
            self.wrong(COMPOUND, format!("{} wall sections; the rules have nine", walls.len()));
        }
        for passage in file.passage {
            self.standing(COMPOUND, &passage.standing);
            self.bounded(COMPOUND, &passage.kind, i64::from(passage.places), 1, 40);
            let (Some(a), Some(b)) = (find(&passage.rooms.0), find(&passage.rooms.1)) else {
                let (a, b) = &passage.rooms;
                self.wrong(COMPOUND, format!("`{a}` or `{b}` is no room"));
                continue;
            };
            for (to, from) in [(b, a), (a, b)] {
                let (to, from) = (RoomId(index(Some(to))), RoomId(index(Some(from))));
                let way = match passage.kind.as_str() {
                    "barrier" => Way::Barrier(from),
                    "door" => Way::Door(from),
                    "ladder" => Way::Ladder(from),
                    other => {
                        self.wrong(COMPOUND, format!("`{other}` is no kind of passage"));
                        continue;
                    }
                };
                walls.push(Wall {
                    id: format!("{}/{}", rooms[to.at()].id, rooms[from.at()].id),
                    room: to,
                    way,
                    side: String::new(),
                    places: passage.places,
                    source: format!("{}: {}", passage.standing, passage.source),
                });
            }
        }
        self.standing(COMPOUND, &file.spill.standing);
        let find = |text: &str| walls.iter().position(|w| w.id == text);
        let mut spill = Vec::new();
        for (a, b) in &file.spill.pairs {
            match (find(a), find(b)) {
                (Some(a), Some(b)) if walls[a].way == Way::Outer && walls[b].way == Way::Outer => {
                    spill.push((WallId(index(Some(a))), WallId(index(Some(b)))));
                }
                _ => self.wrong(COMPOUND, format!("`{a}` or `{b}` is no wall section")),
            }
        }
        let mut guns = Vec::new();
        for gun in &file.gun {
            self.standing(COMPOUND, &gun.standing);
            let wall = find(&gun.wall).filter(|w| walls[*w].way == Way::Outer);
            if wall.is_none() {
                self.wrong(COMPOUND, format!("`{}` is no wall section", gun.wall));
            }
            guns.push(Gun { id: gun.id.clone(), wall: WallId(index(wall)), crew: Vec::new() });
        }
        let crews = file.gun.into_iter().map(|g| g.crew).collect();
        let plan = file.plan.lines().map(str::to_owned).collect();
        (Compound { plan, zones, rooms, walls, guns, spill }, crews)
    }

    fn figures(
        &mut self,
        file: &GarrisonFile,
        scenario: &ScenarioFile,
        compound: &mut Compound,
        crews: &[Vec<String>],
    ) -> Vec<FigureData> {
        let mut figures: Vec<FigureData> = Vec::new();
        for side in Side::BOTH {
            for group in file.group.iter().filter(|g| g.side == side.id()) {
                self.standing(GARRISON, &group.standing);
                self.bounded(GARRISON, &group.prefix, i64::from(group.count), 1, 500);
                if group.source.is_empty() {
                    self.wrong(GARRISON, format!("`{}` has no source", group.prefix));
                }
                let Some(kind) = Kind::parse(&group.kind) else {
                    self.wrong(GARRISON, format!("`{}` is no kind of figure", group.kind));
                    continue;
                };
                let ours = scenario.side.iter().find(|s| s.id == side.id());
                let known = ours.is_some_and(|s| s.commands.iter().any(|c| c.id == group.command));
                if side == Side::Mahdist && !known {
                    self.wrong(GARRISON, format!("`{}` is no command", group.command));
                }
                let digits = group.count.to_string().len();
                for number in 1..=group.count.min(500) {
                    figures.push(FigureData {
                        id: format!("{}-{number:0digits$}", group.prefix),
                        side,
                        kind,
                        command: group.command.clone(),
                        gun: None,
                    });
                }
            }
        }
        for group in &file.group {
            if Side::parse(&group.side).is_none() {
                self.wrong(GARRISON, format!("`{}` is no side", group.side));
            }
        }
        for (at, crew) in crews.iter().enumerate() {
            for name in crew {
                match figures.iter().position(|f| f.id == *name && f.kind == Kind::Gunner) {
                    Some(figure) => {
                        figures[figure].gun = Some(GunId(index(Some(at))));
                        compound.guns[at].crew.push(FigureId(index(Some(figure))));
                    }
                    None => self.wrong(COMPOUND, format!("`{name}` is no gunner")),
                }
            }
        }
        figures
    }

    fn tables(&mut self, read: TablesFile) -> Tables {
        for standing in [
            &read.sniping.standing,
            &read.fire.standing,
            &read.gun.standing,
            &read.melee.standing,
            &read.morale.standing,
            &read.waves.standing,
            &read.objectives.standing,
        ] {
            self.standing(TABLES, standing);
        }
        let mut deck = Vec::new();
        for card in read.sniping.card {
            let does = match card.does.as_str() {
                "wounds" => CardDoes::Wounds,
                "kills" => CardDoes::Kills,
                "nothing" => CardDoes::Nothing,
                "joker" => CardDoes::Joker,
                other => {
                    self.wrong(TABLES, format!("`{other}` is nothing that a card does"));
                    continue;
                }
            };
            deck.push(Card { name: card.name, does, markers: card.markers });
        }
        if deck.len() != 12 {
            self.wrong(TABLES, format!("`sniping`: {} cards, not twelve", deck.len()));
        }
        let (fire, melee, morale) = (read.fire, read.melee, read.morale);
        for (what, figure) in [
            ("garrison", fire.garrison),
            ("at_snipers", fire.at_snipers),
            ("rocks", fire.rocks),
            ("roof_open", fire.roof_open),
            ("roof_cover", fire.roof_cover),
        ] {
            self.bounded(TABLES, what, figure.into(), 2, 6);
        }
        for (what, figure) in [
            ("garrison_at_barrier", melee.garrison_at_barrier),
            ("garrison_inside", melee.garrison_inside),
            ("mahdist_at_barrier", melee.mahdist_at_barrier),
            ("mahdist_inside", melee.mahdist_inside),
        ] {
            // One less must be possible too (R37).
            self.bounded(TABLES, what, figure.into(), 3, 12);
        }
        self.bounded(TABLES, "wound", melee.wound.into(), -3, 0);
        self.bounded(TABLES, "height", melee.height.into(), 0, 3);
        let figure = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        self.bounded(TABLES, "at_holder", figure(melee.at_holder), 1, 6);
        self.bounded(TABLES, "in_the_open", figure(melee.in_the_open), 1, 6);
        for (what, figure, from, to) in [
            ("first", morale.first, 0, 12),
            ("second", morale.second, 0, 12),
            ("first_percent", morale.first_percent, 1, 100),
            ("second_percent", morale.second_percent, 1, 100),
            ("shots_a_round", fire.shots_a_round, 1, 6),
            ("shots", fire.shots, 1, 12),
            ("crew", read.gun.crew, 1, 8),
            ("reload", read.gun.reload, 1, 12),
            ("moves", read.waves.moves, 1, 12),
            ("raised", read.waves.raised, 1, 20),
            ("smallest", read.waves.smallest, 1, 120),
            ("tower_figures", read.objectives.tower_figures, 1, 40),
            ("tower_die", read.objectives.tower_die, 1, 6),
            ("tower_points", read.objectives.tower_points, 1, 60),
            ("gun_figures", read.objectives.gun_figures, 1, 20),
            ("gun_die", read.objectives.gun_die, 1, 6),
            ("hospital_rounds", read.objectives.hospital_rounds, 1, 12),
        ] {
            self.bounded(TABLES, what, figure.into(), from, to);
        }
        Tables {
            deck,
            fire: FireTable {
                garrison: fire.garrison,
                at_snipers: fire.at_snipers,
                rocks: fire.rocks,
                roof_open: fire.roof_open,
                roof_cover: fire.roof_cover,
                shots_a_round: fire.shots_a_round,
                shots: fire.shots,
            },
            crew: read.gun.crew,
            gun_reload: read.gun.reload,
            melee: MeleeTable {
                garrison_at_barrier: melee.garrison_at_barrier,
                garrison_inside: melee.garrison_inside,
                mahdist_at_barrier: melee.mahdist_at_barrier,
                mahdist_inside: melee.mahdist_inside,
                wound: melee.wound,
                height: melee.height,
                at_holder: melee.at_holder,
                in_the_open: melee.in_the_open,
            },
            morale: MoraleTable {
                first: morale.first,
                second: morale.second,
                first_percent: morale.first_percent,
                second_percent: morale.second_percent,
            },
            wave_moves: read.waves.moves,
            raised: read.waves.raised,
            smallest_wave: read.waves.smallest,
            tower_figures: read.objectives.tower_figures,
            tower_die: read.objectives.tower_die,
            tower_points: read.objectives.tower_points,
            gun_figures: read.objectives.gun_figures,
            gun_die: read.objectives.gun_die,
            hospital_rounds: read.objectives.hospital_rounds,
        }
    }

    fn rulings(&mut self, settings: &SettingsFile) -> Option<Rulings> {
        let Some(text) = self.files.get("rulings.toml") else {
            self.wrong("rulings.toml", "the rules file `rulings.toml` is missing");
            return None;
        };
        let (all, mut faults) = ruling::load(text, &settings.rulings);
        let mut is = |name: &str, choice: &str| ruling::stands(&all, name, choice, &mut faults);
        let no_cap = is("marker-cap", "none");
        let mut rulings = Rulings {
            all: Vec::new(),
            minor_conditions: 0,
            casualty_limit: 0,
            marker_cap: None,
            refresh_full: is("refresh", "full"),
            second_joker_ends: is("second-joker", "ends"),
            markers_return: is("finished-markers", "returned"),
            gun_silent_until_clear: is("silenced-gun", "until-clear"),
            officer_fires_in_contact: is("officer-in-contact", "fires"),
            redoubt_fires_at_walls: is("redoubt-fire", "walls"),
            one_gun_is_enough: is("all-guns", "one"),
            gunners_serve_any: is("gunners", "any-gun"),
            rounds_a_block: 0,
        };
        let mut number = |name: &str| ruling::number(&all, name, &mut faults);
        rulings.minor_conditions = number("minor-conditions");
        rulings.casualty_limit = number("casualty-limit");
        rulings.rounds_a_block = number("rounds-a-block").max(1);
        if !no_cap {
            rulings.marker_cap = Some(number("marker-cap"));
        }
        for fault in faults {
            self.say("rulings.toml", fault);
        }
        rulings.all = all;
        Some(rulings)
    }

    fn posts(
        &mut self,
        file: &GarrisonFile,
        compound: &Compound,
        figures: &[FigureData],
    ) -> Vec<(FigureId, Post)> {
        let mut posts: Vec<(FigureId, Post)> = Vec::new();
        let mut next: BTreeMap<Kind, usize> = BTreeMap::new();
        for (place, kinds) in &file.posts {
            let post = compound
                .find_wall(place)
                .map(Post::Wall)
                .or_else(|| compound.find_room(place).map(Post::Room))
                .or_else(|| compound.find_gun(place).map(Post::Gun));
            let Some(post) = post else {
                self.wrong(GARRISON, format!("`{place}` is no post"));
                continue;
            };
            for (kind, count) in kinds {
                let Some(kind) = Kind::parse(kind) else {
                    self.wrong(GARRISON, format!("`{kind}` is no kind of figure"));
                    continue;
                };
                if let Post::Gun(gun) = post {
                    for figure in compound.gun(gun).crew.iter().take(*count as usize) {
                        posts.push((*figure, post));
                    }
                    continue;
                }
                let at = next.entry(kind).or_default();
                let ours: Vec<usize> = (0..figures.len())
                    .filter(|i| figures[*i].kind == kind && figures[*i].side == Side::Garrison)
                    .collect();
                for figure in ours.iter().skip(*at).take(*count as usize) {
                    posts.push((FigureId(index(Some(*figure))), post));
                }
                *at += *count as usize;
            }
        }
        let garrison = figures.iter().filter(|f| f.side == Side::Garrison).count();
        if posts.len() != garrison {
            let what = format!("`posts` place {} figures of {garrison}", posts.len());
            self.wrong(GARRISON, what);
        }
        posts.sort();
        posts
    }

    fn load(mut self) -> Result<Data, Vec<RulesFault>> {
        let settings: Option<SettingsFile> = self.read("settings.toml");
        let scenario: Option<ScenarioFile> =
            settings.as_ref().and_then(|s| self.read(&format!("scenarios/{}.toml", s.scenario)));
        let compound: Option<CompoundFile> = self.read(COMPOUND);
        let garrison: Option<GarrisonFile> = self.read(GARRISON);
        let tables: Option<TablesFile> = self.read(TABLES);
        let rulings = settings.as_ref().and_then(|s| self.rulings(s));
        let (Some(settings), Some(scenario), Some(compound), Some(garrison), Some(tables)) =
            (settings, scenario, compound, garrison, tables)
        else {
            return Err(self.faults);
        };
        if !["", "brisk", "strict"].contains(&settings.cadence.as_str()) {
            let what = format!("`{}` is no cadence: brisk, strict", settings.cadence);
            self.wrong("settings.toml", what);
        }
        for option in &settings.options {
            let what = format!("`{option}` is no option of this scenario: it has none");
            self.wrong("settings.toml", what);
        }
        let path = format!("scenarios/{}.toml", settings.scenario);
        self.bounded(&path, "days", scenario.days.into(), 1, 99);
        let mut sides = Vec::new();
        for side in Side::BOTH {
            match scenario.side.iter().find(|s| s.id == side.id()) {
                Some(file) => {
                    let commands = file.commands.iter().map(|c| c.id.clone()).collect();
                    sides.push((file.id.clone(), commands));
                }
                None => self.wrong(&path, format!("side `{}` is missing", side.id())),
            }
        }
        let (mut compound, crews) = self.compound(compound, &scenario);
        let tables = self.tables(tables);
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let figures = self.figures(&garrison, &scenario, &mut compound, &crews);
        let posts = self.posts(&garrison, &compound, &figures);
        let Some(rulings) = rulings.filter(|_| self.faults.is_empty()) else {
            return Err(self.faults);
        };
        Ok(Data {
            info: ScenarioInfo {
                id: scenario.id,
                system: "last-outpost".to_owned(),
                title: scenario.title,
                summary: scenario.summary,
                sides,
                sealed: true,
            },
            days: scenario.days,
            strict: settings.cadence == "strict",
            compound,
            by_id: (0..).map(FigureId).zip(&figures).map(|(id, f)| (f.id.clone(), id)).collect(),
            figures,
            posts,
            tables,
            rulings,
            files: self.files.clone(),
        })
    }
}

/// The index of something found, and 0 of what was not: that is a fault already.
fn index(found: Option<usize>) -> u16 {
    found.and_then(|at| u16::try_from(at).ok()).unwrap_or(0)
}

/// Loads and validates the rules files.
///
/// # Errors
/// Every fault of every file.
pub(super) fn load(files: &RulesFiles) -> Result<Data, Vec<RulesFault>> {
    Loader { files, faults: Vec::new() }.load()
}
