//! Set-up: where each unit may be placed (9.1.1.1, 9.2.1, 9.3.2.1), and what may be
//! hidden in the Nile (10.1.B, 10.2.B).

use std::collections::BTreeSet;

use crate::core::diag::Diagnostic;
use crate::core::hash::Hex64;
use crate::geometry::hex::Hex;

use super::super::board::{Board, Terrain};
use super::super::cite::cite;
use super::super::data::{Army, Ground, Kind, UnitId, Victory};
use super::super::orders::{self, Kind as Order, Raw};
use super::super::position::Position;
use super::super::state::{Place, Secret, State, Window};
use super::super::violation::Violation;
use super::{Checker, HideOrder, PlaceOrder};

/// The hexes within which the units of a leader's colour set up (9.2.1.2.E).
const AROUND: u32 = 3;

/// The hexes where a unit may set up now, those of its usual place first.
pub fn setup_hexes(position: &Position<'_>, id: UnitId) -> Vec<Hex> {
    let data = position.data;
    let board = &data.board;
    let unit = data.unit(id);
    let Some(zone) = data.scenario.zone(id) else { return Vec::new() };
    cite(zone.rule);
    let wet = |hex: &Hex| board.terrain(*hex) == Terrain::Nile;
    let all = || board.grid.hexes().filter(|hex| board.has(*hex));
    match &zone.ground {
        Ground::AnyNile => all().filter(wet).collect(),
        Ground::Garrison => all().filter(|hex| garrison(position, id, *hex)).collect(),
        Ground::Region(_, hexes) => hexes
            .iter()
            .copied()
            .filter(|h| wet(h) == unit.kind.is_gunboat())
            .filter(|h| unit.kind != Kind::Fort || position.fort(*h).is_none())
            .collect(),
        Ground::Around(centre) => {
            let unseen = unseen_hexes(position);
            let mut hexes: Vec<Hex> = all()
                .filter(|hex| centre.distance(*hex) <= AROUND && !wet(hex))
                .filter(|hex| unseen.contains(hex))
                .collect();
            hexes.sort_by_key(|hex| (centre.distance(*hex), *hex));
            hexes
        }
    }
}

fn garrison(position: &Position<'_>, id: UnitId, hex: Hex) -> bool {
    let data = position.data;
    let board = &data.board;
    if board.terrain(hex) == Terrain::Nile {
        return false;
    }
    if let Some(fort) = position.fort(hex) {
        return data.unit(fort).army == data.unit(id).army;
    }
    let home = matches!(board.terrain(hex), Terrain::Building | Terrain::Huts);
    let beside = board.neighbours(hex).any(|(dir, _)| {
        let edge = board.edge(hex, dir);
        edge.wall || edge.gate
    });
    let both = data.rulings.setup_both_sides_of_wall;
    (home && board.inside(hex)) || (beside && (both || board.inside(hex)))
}

/// Land hexes that no Anglo-Egyptian land unit sees (9.2.1.2.C and the ruling
/// `historical-sight`); Dervish units are left out of account, since who is placed
/// first would otherwise hide the next.
pub fn unseen_hexes<'p>(position: &'p Position<'_>) -> &'p BTreeSet<Hex> {
    position.index.unseen.get_or_init(|| {
        let data = position.data;
        let mut alone: State = position.state.clone();
        for id in data.ids().filter(|id| data.unit(*id).army == Army::Dervish) {
            alone.units[usize::from(id.0)].place = Place::Waiting;
        }
        let alone = Position::new(data, &alone);
        let watches = |hex: &Hex| {
            alone.of(Army::AngloEgyptian, *hex).any(|id| {
                let kind = data.unit(id).kind;
                kind != Kind::Staff && (!kind.is_gunboat() || data.rulings.gunboats_see_setup)
            })
        };
        let eyes: Vec<Hex> = alone.hexes(Army::AngloEgyptian).into_iter().filter(watches).collect();
        cite("9.2.1.2.C");
        let near = |hex: &Hex| {
            data.ids().filter_map(|id| data.scenario.zone(id)).any(|zone| match zone.ground {
                Ground::Around(centre) => centre.distance(*hex) <= AROUND,
                _ => false,
            })
        };
        data.board
            .grid
            .hexes()
            .filter(|hex| data.board.has(*hex) && near(hex))
            .filter(|hex| eyes.iter().all(|eye| !alone.sight(*eye, *hex, None).is_empty()))
            .collect()
    })
}

/// Who sees a hex of the Dervish set-up, in words.
fn seen_from(position: &Position<'_>, hex: Hex) -> Option<Hex> {
    let data = position.data;
    position.hexes(Army::AngloEgyptian).into_iter().find(|eye| {
        let land = position.of(Army::AngloEgyptian, *eye).any(|id| {
            let kind = data.unit(id).kind;
            kind != Kind::Staff && (!kind.is_gunboat() || data.rulings.gunboats_see_setup)
        });
        land && position.sight(*eye, hex, None).is_empty()
    })
}

/// The side that sets up in a window.
pub fn sets_up(position: &Position<'_>, army: Army) -> bool {
    if matches!(position.data.scenario.victory, Victory::Eliminations(_)) {
        cite("9.2.1.1.A");
        cite("9.2.1.2.A");
    }
    let second = position.state.window == Window::Setup2;
    let mut sides = position.data.scenario.sides.iter().filter(|s| s.setup);
    sides.nth(usize::from(second)).is_some_and(|s| s.army == army)
}

impl Checker<'_> {
    pub(super) fn place(&mut self, raw: &Raw) -> Option<PlaceOrder> {
        let position = self.position;
        let data = position.data;
        let waits = |id: UnitId| position.state.unit(id).place == Place::Waiting;
        let units = self.units(raw, "place", waits);
        let side = data.side(self.army);
        let why = if side.setup {
            "the other side sets up in this window"
        } else {
            "this side enters on turn 1"
        };
        let windows = [Window::Setup, Window::Setup2];
        if !self.in_window(raw, &windows, sets_up(position, self.army), why) {
            return None;
        }
        let (units, hex) = (units?, self.hex(raw.to.as_ref()?)?);
        let span = raw.to.as_ref().map_or(raw.span.clone(), |t| t.span.clone());
        let before = self.errors();
        for (id, at) in &units {
            let unit = data.unit(*id);
            if let Some(there) = position.state.hex(*id) {
                self.fault(
                    &Violation::AlreadyOnMap { unit: unit.id.clone(), hex: there },
                    at.clone(),
                );
                continue;
            }
            let Some(zone) = data.scenario.zone(*id) else {
                let turn = data.scenario.entry(*id).map_or(0, |e| e.from);
                let rule = data.scenario.entry(*id).map_or("9.1.1.2", |e| e.rule);
                self.fault(
                    &Violation::NoEntryNow { unit: unit.id.clone(), turn, rule },
                    at.clone(),
                );
                continue;
            };
            let allowed = setup_hexes(position, *id);
            if !allowed.contains(&hex) {
                let violation = Violation::NoSetup {
                    unit: unit.id.clone(),
                    hex,
                    why: self.no_setup(*id, hex),
                    allowed: hex_list(&zone.ground, &allowed),
                    rule: if self.seen(&zone.ground, hex) { "9.2.1.2.C" } else { zone.rule },
                };
                self.fault(&violation, span.clone());
            }
        }
        let units = units.into_iter().map(|(id, _)| id).collect();
        (self.errors() == before).then_some(PlaceOrder { units, hex })
    }

    /// True where a hex is near enough to the leader, but in sight of the enemy.
    fn seen(&self, ground: &Ground, hex: Hex) -> bool {
        match ground {
            Ground::Around(centre) => {
                centre.distance(hex) <= AROUND
                    && self.position.data.board.terrain(hex) != Terrain::Nile
                    && !unseen_hexes(self.position).contains(&hex)
            }
            _ => false,
        }
    }

    fn no_setup(&self, id: UnitId, hex: Hex) -> String {
        let data = self.position.data;
        let Some(zone) = data.scenario.zone(id) else { return String::new() };
        match &zone.ground {
            Ground::Around(centre) if centre.distance(hex) > AROUND => {
                let away = centre.distance(hex);
                format!(
                    ": it is {away} hexes from the leader's hex {centre}, and {AROUND} are allowed"
                )
            }
            Ground::Around(_) if self.seen(&zone.ground, hex) => {
                match seen_from(self.position, hex) {
                    Some(eye) => format!(": Anglo-Egyptian units in {eye} see it"),
                    None => ": Anglo-Egyptian units see it".to_owned(),
                }
            }
            _ => String::new(),
        }
    }

    /// A sealed note about the Nile.
    pub(super) fn hide(&mut self, raw: &Raw) -> Option<HideOrder> {
        let position = self.position;
        let river = position.data.scenario.river;
        let mine = self.army == Army::Dervish && sets_up(position, self.army);
        let why = "only the Khalifa hides anything in the Nile";
        if !self.in_window(raw, &[Window::Setup], mine, why) {
            return None;
        }
        // One player of the side: two notes are sealed, not two a player (10.1.E).
        let khalifa = position.data.find("khalifa");
        let commands =
            khalifa.and_then(|id| position.state.owner(position.data, id)) == Some(self.player);
        if !commands {
            let why = "only the player who commands the Khalifa hides anything in the Nile";
            let order = raw.kind.name();
            self.fault(&Violation::NotYourPart { order, why }, raw.span.clone());
            return None;
        }
        let note = raw.word.as_ref()?;
        let salt = raw.salt.as_ref()?;
        let before = self.errors();
        let special =
            |why: String, rule| Violation::Special { unit: note.value.clone(), why, rule };
        if !river.any() {
            let why = "cannot be hidden: this game has neither mines nor chain".to_owned();
            self.fault(&special(why, "10.0.A"), note.span.clone());
            return None;
        }
        if salt.value.parse::<Hex64>().is_err() {
            let fault = Diagnostic::error(None, "a salt is 64 digits 0-9 and a-f");
            self.faults.push(
                fault.at(salt.span.clone()).help("`despatch hide` makes one with the commitment"),
            );
        }
        match Secret::parse(&note.value) {
            Some(Secret::Mine(hex)) if river.mines => {
                self.mined(&special, hex, &note.value, note.span.clone());
            }
            Some(Secret::Chain(hexes)) if river.chain => {
                if let Err(why) = chain_fault(position, &hexes) {
                    self.fault(&special(why, "10.2.B"), note.span.clone());
                }
            }
            Some(Secret::Nothing) => {}
            Some(Secret::Mine(_)) => {
                let why = "cannot be hidden: this game has a chain, no mines".to_owned();
                self.fault(&special(why, "10.0.A"), note.span.clone());
            }
            Some(Secret::Chain(_)) => {
                let why = "cannot be hidden: this game has mines, no chain".to_owned();
                self.fault(&special(why, "10.0.A"), note.span.clone());
            }
            None => {
                let text = format!("`{}` is nothing that can be hidden", note.value);
                self.faults.push(Diagnostic::error(None, text).at(note.span.clone()).help(
                    "write `mine CCRR`, `chain CCRR CCRR ...` from bank to bank, or `nothing`",
                ));
            }
        }
        if self.plan.hides.iter().any(|h| h.get().salt == salt.value) {
            let fault = Diagnostic::error(
                None,
                "the other note has this salt: who learns it from one could guess the other",
            );
            let help = "`despatch hide` makes a salt for each note";
            self.faults.push(fault.at(salt.span.clone()).help(help));
        }
        (self.errors() == before)
            .then(|| HideOrder { note: note.value.clone(), salt: salt.value.clone() })
    }

    fn mined(
        &mut self,
        special: &dyn Fn(String, &'static str) -> Violation,
        hex: Hex,
        text: &str,
        span: std::ops::Range<usize>,
    ) {
        if let Err(why) = river_hex(self.position, hex) {
            self.fault(&special(why, "10.1.B"), span);
        } else if self.plan.hides.iter().any(|h| h.get().note == text) {
            let why = "is hidden already: the two mines lie in different hexes".to_owned();
            self.fault(&special(why, "10.1.B"), span);
        }
    }

    /// Two notes are sealed, whatever they say, so that their number betrays nothing:
    /// two mines, or a chain and nothing.
    pub(super) fn notes_complete(&mut self, file: &orders::File) {
        let hides: Vec<&Raw> = file.orders.iter().filter(|r| r.kind == Order::Hide).collect();
        let Some(first) = hides.first() else { return };
        if self.plan.hides.len() != hides.len() {
            return;
        }
        let secrets: Vec<Option<Secret>> =
            self.plan.hides.iter().map(|h| Secret::parse(&h.get().note)).collect();
        let mines = secrets.iter().filter(|s| matches!(s, Some(Secret::Mine(_)))).count();
        let chains = secrets.iter().filter(|s| matches!(s, Some(Secret::Chain(_)))).count();
        if chains == 0 && mines == secrets.len() && mines > 2 {
            // 10.1.E: two mines, and no more.
            for raw in &hides[2..] {
                let note = raw.word.as_ref().map_or(String::new(), |w| w.value.clone());
                let why = "is one mine too many: there are two".to_owned();
                let violation = Violation::Special { unit: note, why, rule: "10.1.E" };
                self.fault(&violation, raw.span.clone());
                self.refuse(raw, violation.to_string(), "10.1.E".to_owned());
            }
            self.plan.hides.truncate(2);
            return;
        }
        let sound = secrets.len() == 2 && chains < 2 && (chains == 0 || mines == 0);
        // One option, nobody else knows which, and not both.
        let rule = cite("10.0.A");
        cite("10.0.B");
        if !sound {
            let why = format!(
                "{mines} mine(s) and {chains} chain(s) in {} note(s): two notes are sealed, two \
                 mines, or a chain and `nothing`",
                secrets.len()
            );
            self.faults.push(Diagnostic::error(Some(rule), why.clone()).at(first.span.clone()));
            self.plan.hides.clear();
            for raw in hides {
                self.refuse(raw, why.clone(), rule.0.to_owned());
            }
        }
    }
}

fn hex_list(ground: &Ground, allowed: &[Hex]) -> String {
    match ground {
        Ground::AnyNile => "any Nile hex".to_owned(),
        Ground::Region(name, _) if allowed.len() > 60 => {
            format!("the region `{name}` ({} hexes), such as {}", allowed.len(), allowed[0])
        }
        _ => allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    }
}

/// Whether a hex is a Nile hex south of the mouth of the Khor Shambat.
fn river_hex(position: &Position<'_>, hex: Hex) -> Result<(), String> {
    let board = &position.data.board;
    if !board.has(hex) || board.terrain(hex) != Terrain::Nile {
        return Err(format!("is not in the Nile: {hex} is no Nile hex"));
    }
    if hex.row <= board.khor_mouth_row {
        return Err(format!(
            "is too far north: {hex} is not south of row {}, where the Khor Shambat ends",
            board.khor_mouth_row
        ));
    }
    Ok(())
}

/// Whether a line of hexes can be a chain (10.2.B and the ruling `chain-line`).
fn chain_fault(position: &Position<'_>, hexes: &[Hex]) -> Result<(), String> {
    let board = &position.data.board;
    for hex in hexes {
        river_hex(position, *hex)?;
    }
    let longest = position.data.charts.river.chain_hexes as usize;
    if hexes.len() > longest {
        return Err(format!("is {} hexes long, and {longest} are allowed", hexes.len()));
    }
    if hexes.windows(2).any(|pair| pair[0].distance(pair[1]) != 1) {
        return Err("is no line: its hexes are not each beside the next".to_owned());
    }
    let distinct: BTreeSet<&Hex> = hexes.iter().collect();
    if distinct.len() != hexes.len() {
        return Err("names a hex twice".to_owned());
    }
    if position.data.rulings.chain_any_line {
        return Ok(());
    }
    let lands = |hex: Hex| -> BTreeSet<Hex> {
        board.neighbours(hex).map(|(_, n)| n).filter(|n| is_land(board, *n)).collect()
    };
    let ends = (hexes.first().map(|h| lands(*h)), hexes.last().map(|h| lands(*h)));
    if let (Some(a), Some(b)) = ends
        && let (Some(shore), false) = (a.first(), b.is_empty())
    {
        let piece = piece_of_land(board, *shore);
        if a.union(&b).any(|h| !piece.contains(h)) {
            return Ok(());
        }
    }
    Err("does not reach from bank to bank".to_owned())
}

fn is_land(board: &Board, hex: Hex) -> bool {
    board.terrain(hex) != Terrain::Nile
}

/// All land that is joined to a hex: a bank, an island, the point between the rivers.
fn piece_of_land(board: &Board, from: Hex) -> BTreeSet<Hex> {
    let mut found = BTreeSet::from([from]);
    let mut todo = vec![from];
    while let Some(hex) = todo.pop() {
        for (_, next) in board.neighbours(hex) {
            if is_land(board, next) && found.insert(next) {
                todo.push(next);
            }
        }
    }
    found
}
