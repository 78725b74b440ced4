//! The order form of a player: the header filled in, everything else a comment, so
//! that it passes the check as it stands and means the defaults.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::core::template::{Template, TemplateError, wrap};
use crate::game::FormHeader;
use crate::geometry::hex::Hex;

use super::check::{
    entry_hexes, may_construct, may_desert, may_enter_now, may_load, sets_up, setup_hexes,
};
use super::data::{Army, Ground, Kind, UnitId};
use super::fire::Target;
use super::position::Position;
use super::report::heading;
use super::resolve::next_window;
use super::state::{Place, Window};
use super::words::{counted, id_list, runs};

/// More stacks than this are told by command, a line or two each.
const MANY: usize = 18;

/// Words of an example list, so that it stays on its line.
const EXAMPLES: usize = 4;

#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "a template asks yes or no")]
struct Model<'a> {
    game: &'a str,
    phase: u32,
    player: &'a str,
    head: &'a str,
    ticket: &'a str,
    window: &'static str,
    title: &'static str,
    heading: String,
    default: String,
    phasing: bool,
    stacks: Vec<Stack>,
    unit: String,
    hex: String,
    target: String,
    standing: bool,
    losses: String,
    fire: String,
    advance: bool,
    melee: bool,
    idle: bool,
    /// Somebody on the map can move.
    movers: bool,
    enters: Option<String>,
    entry: String,
    melee_unit: String,
    melee_hex: String,
    /// In place of `stacks`, where there are too many for a page or two.
    commands: Vec<Command>,
    /// Special orders that somebody of this player could use now.
    extra: Vec<&'static str>,
    /// Units of the examples of such orders.
    maxim: String,
    howitzer: String,
    rider: String,
    leader: String,
    retreat: Option<String>,
}

/// A command with its stacks, a line or two each.
#[derive(Serialize)]
struct Command {
    title: String,
    lines: Vec<String>,
}

#[derive(Serialize)]
struct Stack {
    title: String,
    units: Vec<String>,
    facts: Vec<String>,
}

/// What happens in the window of a position when a player sends nothing.
pub fn default_words(position: &Position<'_>) -> String {
    let window = position.state.window;
    let fire = if position.data.rulings.standing_hold {
        "hold their fire"
    } else {
        "fire at the nearest enemy they can hit"
    };
    let rides = position.data.units.iter().any(|u| matches!(u.kind, Kind::Cavalry | Kind::Camel));
    let retreats = if rides { "; cavalry and camels retreat from infantry" } else { "" };
    match window {
        Window::Setup | Window::Setup2 => {
            "units stand where the scenario usually places them".to_owned()
        }
        Window::Move => "nobody moves, nobody enters".to_owned(),
        Window::Combat => format!(
            "units {fire} unless a standing order says otherwise; nobody attacks in melee{retreats}; losses by the standing list, else the weakest"
        ),
        Window::DefenceSecond | Window::OffenceSecond => {
            "Maxims fire again at the nearest enemy they can hit, unless a standing order says otherwise; no howitzer fires".to_owned()
        }
        Window::Defence | Window::Offence => {
            format!("units {fire} unless a standing order says otherwise")
        }
        Window::Melee => format!("nobody attacks in melee{retreats}"),
        Window::End => "nothing: the game is over".to_owned(),
    }
}

/// The form.
///
/// # Errors
/// A template that cannot be rendered.
pub fn form(position: &Position<'_>, header: &FormHeader) -> Result<String, TemplateError> {
    let (data, state) = (position.data, position.state);
    let player = &header.player;
    let army = state.army(data, player).unwrap_or(state.moving);
    let phasing = army == state.moving;
    let mine: Vec<UnitId> = data
        .ids()
        .filter(|id| state.owner(data, *id) == Some(player))
        .filter(|id| !matches!(state.unit(*id).place, Place::Eliminated(_) | Place::Out))
        .collect();
    // A side that does not set up has nothing to place.
    let idle = state.window.is_setup() && !sets_up(position, army);
    let mut stacks = Vec::new();
    let mut waiting: Vec<UnitId> = Vec::new();
    let mut by_hex: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
    for id in &mine {
        match state.unit(*id).place {
            Place::At(hex) => by_hex.entry(hex).or_default().push(*id),
            _ => waiting.push(*id),
        }
    }
    let many = by_hex.len() > MANY || mine.len() > 60;
    if !waiting.is_empty() && !idle && !many {
        stacks.push(off_map(position, &waiting));
    }
    if !many {
        for (hex, units) in &by_hex {
            stacks.push(stack(position, army, *hex, units));
        }
    }
    let first = |test: &dyn Fn(UnitId) -> bool| mine.iter().copied().find(|id| test(*id));
    let aims = |id: UnitId| -> Option<String> {
        let targets = position.targets(id);
        let unit = targets.iter().find(|(t, _)| !matches!(t, Target::Wall(_)));
        unit.or_else(|| targets.first().filter(|_| position.besieges(army)))
            .map(|t| t.0.to_string())
    };
    let example = match state.window {
        Window::Setup | Window::Setup2 => {
            waiting.iter().copied().find(|id| data.scenario.zone(*id).is_some())
        }
        Window::Move => first(&|id| position.may_move(id).is_ok() && state.hex(id).is_some())
            .or_else(|| waiting.first().copied()),
        _ => first(&|id| aims(id).is_some()),
    }
    .or_else(|| mine.first().copied());
    let enters = waiting.iter().copied().find(|id| may_enter_now(position, *id).is_ok());
    let fighter = first(&|id| !position.melee_targets(id).is_empty());
    let unit = example.map_or("UNIT".to_owned(), |id| data.unit(id).id.clone());
    let hex = example.and_then(|id| example_hex(position, id)).unwrap_or_else(|| "0712".to_owned());
    let target = example.and_then(aims).unwrap_or_else(|| "0712".to_owned());
    let name = |id: UnitId| data.unit(id).id.clone();
    let melee_unit = fighter.map_or_else(|| unit.clone(), name);
    let melee_hex = fighter
        .and_then(|id| position.melee_targets(id).first().map(ToString::to_string))
        .unwrap_or_else(|| "0712".to_owned());
    let entry = enters
        .and_then(|id| entry_hexes(position, id).first().copied())
        .map_or(String::new(), |hex| hex.to_string());
    let standing = state.standing.get(player).cloned().unwrap_or_default();
    let losses = if standing.losses.is_empty() {
        let mut classes: Vec<&str> = Vec::new();
        for id in &mine {
            let class = data.unit(*id).class.as_str();
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        // An example, on one line: leaders are nobody's first choice.
        classes.sort_by_key(|class| *class == "leader");
        classes.truncate(EXAMPLES);
        classes.join("\", \"")
    } else {
        standing.losses.join("\", \"")
    };
    let fallback = if data.rulings.standing_hold { "hold" } else { "nearest" };
    let commands = if many && !idle { by_command(position, army, &mine) } else { Vec::new() };
    let leads = |id: &UnitId| data.unit(*id).kind == Kind::Leader && state.hex(*id).is_some();
    let leader = mine.iter().find(|id| leads(id)).map_or("LEADER".to_owned(), |id| name(*id));
    // Who could attack in melee, now or after an advance (7.4.A).
    let storms = |id: UnitId| {
        let kind = data.unit(id).kind;
        state.hex(id).is_some()
            && matches!(kind, Kind::Infantry | Kind::Cavalry | Kind::Camel | Kind::Leader)
    };
    let named = |test: &dyn Fn(UnitId) -> bool| first(test).map_or_else(|| unit.clone(), name);
    let model = Model {
        movers: first(&|id| position.may_move(id).is_ok() && state.hex(id).is_some()).is_some(),
        maxim: named(&|id| data.unit(id).has_maxims() && position.can_fire(id).is_ok()),
        howitzer: named(&|id| position.can_shell(id).is_ok()),
        rider: named(&|id| position.rides(id)),
        commands,
        extra: if idle { Vec::new() } else { extra(position, army, &mine) },
        leader,
        retreat: standing.retreat.clone(),
        game: header.game.as_str(),
        phase: header.phase,
        player: player.as_str(),
        head: &header.head,
        ticket: &header.ticket,
        window: state.window.id(),
        title: state.window.title(),
        heading: heading(data, state),
        default: wrap(&default_words(position), 2, 2, 68).trim().replace("\n  ", "\n# "),
        phasing,
        stacks,
        idle,
        enters: enters.map(name),
        entry,
        melee_unit,
        melee_hex,
        unit,
        hex,
        target,
        standing: standing != super::state::Standing::default(),
        losses,
        fire: standing.fire.unwrap_or_else(|| fallback.to_owned()),
        advance: standing.advance.unwrap_or(false),
        melee: phasing
            && mine.iter().any(|id| storms(*id))
            && (state.window == Window::Melee
                || (state.window == Window::Combat && next_window(data, Window::Combat).is_none())),
    };
    let name = "templates/form.toml.j2";
    Template::new(name, data.files.get(name).map_or("", |text| &**text))?.render(&model)
}

fn example_hex(position: &Position<'_>, id: UnitId) -> Option<String> {
    let state = position.state;
    match (state.window, &state.unit(id).place) {
        (Window::Setup | Window::Setup2, _) => {
            setup_hexes(position, id).first().map(ToString::to_string)
        }
        (_, Place::At(_)) => position.reach(id).keys().next().map(ToString::to_string),
        _ => entry_hexes(position, id).first().map(ToString::to_string),
    }
}

fn off_map(position: &Position<'_>, units: &[UnitId]) -> Stack {
    let data = position.data;
    let mut facts = Vec::new();
    match position.state.window {
        Window::Setup | Window::Setup2 => {
            let mut seen: Vec<Vec<Hex>> = Vec::new();
            for id in units {
                let hexes = setup_hexes(position, *id);
                if seen.contains(&hexes) {
                    continue;
                }
                let unit = data.unit(*id);
                let anywhere = data
                    .scenario
                    .zone(*id)
                    .is_some_and(|zone| matches!(zone.ground, Ground::AnyNile));
                let list = if anywhere {
                    "any Nile hex, one boat a hex".to_owned()
                } else {
                    hexes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
                };
                facts.push(format!("{} and such may stand in: {list}", unit.id));
                seen.push(hexes);
            }
            let usual: Vec<String> = units
                .iter()
                .filter_map(|id| {
                    let hex = data.scenario.standard.get(id)?;
                    Some(format!("{} {hex}", data.unit(*id).id))
                })
                .collect();
            let elsewhere = "in the first hex of theirs that has room";
            facts.push(match usual.len() {
                0 => format!("without an order they stand {elsewhere}"),
                n if n == units.len() => {
                    format!("without an order they stand: {}", usual.join(", "))
                }
                _ => format!(
                    "without an order they stand: {}; the others {elsewhere}",
                    usual.join(", ")
                ),
            });
        }
        Window::Move => {
            // Who enters through the same hexes in one line.
            let mut groups: Vec<(Vec<Hex>, Vec<&str>)> = Vec::new();
            for id in units.iter().filter(|id| may_enter_now(position, **id).is_ok()) {
                let (hexes, name) = (entry_hexes(position, *id), data.unit(*id).id.as_str());
                match groups.iter_mut().find(|g| g.0 == hexes) {
                    Some(group) => group.1.push(name),
                    None => groups.push((hexes, vec![name])),
                }
            }
            let all = groups.iter().map(|g| g.1.len()).sum::<usize>() == units.len();
            let alone = groups.len() == 1 && all;
            for (hexes, names) in groups {
                let who = if alone {
                    String::new()
                } else {
                    format!("{} ", runs(&counted(names)).join(", "))
                };
                let hexes: Vec<String> = hexes.iter().map(ToString::to_string).collect();
                facts.push(format!("{who}enter through: {}", hexes.join(" ")));
            }
            facts.extend(schedule_words(position, units));
        }
        _ => {}
    }
    Stack {
        title: "off the map".to_owned(),
        units: summary(position, units),
        facts: facts.into_iter().flat_map(|f| lines(&f)).collect(),
    }
}

/// How many of these units may enter in this turn (9.1.1.3.D, 9.1.1.4).
fn schedule_words(position: &Position<'_>, waiting: &[UnitId]) -> Option<String> {
    let data = position.data;
    let turn = position.state.turn;
    let schedule = data.scenario.schedule?;
    let ours = |id: &&UnitId| data.unit(**id).army == schedule.army;
    let boats = waiting.iter().filter(ours).any(|id| data.unit(*id).kind.is_gunboat());
    let foot = |kind: Kind| !kind.is_gunboat() && kind != Kind::Staff;
    let land = waiting.iter().filter(ours).any(|id| foot(data.unit(*id).kind));
    let leads = waiting.iter().filter(ours).any(|id| data.unit(*id).kind == Kind::Staff);
    let mut words = Vec::new();
    if turn >= schedule.free {
        if boats || land {
            words.push("all who are still off the map may enter".to_owned());
        }
    } else {
        if boats {
            words.push(format!(
                "at most {} gunboats of your side enter this turn",
                schedule.gunboats
            ));
        }
        if land && turn == 1 {
            let n = schedule.first_brigades;
            words.push(format!("battalions of at most {n} brigades enter this turn"));
        } else if land {
            words
                .push(format!("at most {} land units of your side enter this turn", schedule.land));
        }
    }
    if leads {
        words.push(format!("leaders besides, by turn {} at the latest", schedule.leaders_by));
    }
    (!words.is_empty()).then(|| format!("{} [9.1.1.4]", words.join("; ")))
}

/// The special orders that somebody of this player could use now.
fn extra(position: &Position<'_>, army: Army, mine: &[UnitId]) -> Vec<&'static str> {
    let data = position.data;
    let state = position.state;
    let phasing = army == state.moving;
    let any = |test: &dyn Fn(UnitId) -> bool| mine.iter().any(|id| test(*id));
    let mut out = Vec::new();
    let fires = match state.window {
        Window::Combat => true,
        Window::Defence | Window::DefenceSecond => !phasing,
        Window::Offence | Window::OffenceSecond => phasing,
        _ => false,
    };
    match state.window {
        Window::Setup if data.scenario.river.any() && any(&|id| data.unit(id).id == "khalifa") => {
            out.push("hide");
        }
        Window::Move if phasing => {
            if data.units.len() > 100 {
                out.push("towards");
            }
            if any(&|id| data.unit(id).kind == Kind::Leader && state.hex(id).is_some()) {
                out.push("follow");
            }
            if any(&|id| may_construct(position, id).is_ok()) {
                out.push("construct");
            }
            if any(&|id| data.unit(id).engineers && state.hex(id).is_some()) {
                out.push("demolish");
            }
            let boats: Vec<UnitId> =
                data.ids().filter(|id| data.unit(*id).kind.is_gunboat()).collect();
            if any(&|id| boats.iter().any(|boat| may_load(position, id, *boat).is_ok())) {
                out.push("load");
            }
            if any(&|id| matches!(state.unit(id).place, Place::Aboard { .. })) {
                out.push("disembark");
            }
            if data.scenario.desertion == Some(state.turn)
                && any(&|id| may_desert(position, id).is_ok())
            {
                out.push("desert");
            }
        }
        _ if fires => {
            if any(&|id| data.unit(id).has_maxims() && position.can_fire(id).is_ok()) {
                out.push("second");
            }
            if any(&|id| position.can_shell(id).is_ok()) {
                out.push("howitzer");
            }
            if state.window == Window::Combat && !phasing && any(&|id| position.rides(id)) {
                out.push("retreat");
            }
        }
        Window::Melee if !phasing && any(&|id| position.rides(id)) => out.push("retreat"),
        _ => {}
    }
    out
}

/// All units of a player by command, a line or two a stack: where they stand, or where
/// they may be placed or enter.
fn by_command(position: &Position<'_>, army: Army, mine: &[UnitId]) -> Vec<Command> {
    let data = position.data;
    let state = position.state;
    let mut out = Vec::new();
    for name in &data.side(army).commands {
        let units: Vec<UnitId> =
            mine.iter().copied().filter(|id| data.unit(*id).command == *name).collect();
        if units.is_empty() {
            continue;
        }
        let mut stacks: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        let mut waiting: Vec<UnitId> = Vec::new();
        let mut aboard: Vec<UnitId> = Vec::new();
        for id in &units {
            match state.unit(*id).place {
                Place::At(hex) => stacks.entry(hex).or_default().push(*id),
                Place::Aboard { .. } => aboard.push(*id),
                _ => waiting.push(*id),
            }
        }
        let mut list = Vec::new();
        for (text, ids) in off_map_lines(position, &waiting) {
            let names: Vec<&str> = ids.iter().map(|id| data.unit(*id).id.as_str()).collect();
            list.extend(hanging(&format!("{}: {text}", runs(&counted(names)).join(", "))));
        }
        if !aboard.is_empty() {
            list.extend(hanging(&format!("on board: {}", id_list(data, &aboard))));
        }
        for (hex, ids) in &stacks {
            list.extend(hanging(&stack_line(position, army, *hex, ids)));
        }
        out.push(Command { title: name.clone(), lines: list });
    }
    let off = |id: &UnitId| state.unit(*id).place == Place::Waiting;
    let waiting: Vec<UnitId> = mine.iter().copied().filter(off).collect();
    if state.window == Window::Move
        && let Some(text) = schedule_words(position, &waiting)
    {
        out.push(Command { title: "who enters".to_owned(), lines: hanging(&text) });
    }
    out
}

fn hanging(text: &str) -> Vec<String> {
    wrap(text, 0, 5, 66).lines().map(str::to_owned).collect()
}

/// `2713 ii-egy, ix-sud (9-5-8)`, with enemies beside it and, in combat, what can be
/// hit from there.
fn stack_line(position: &Position<'_>, army: Army, hex: Hex, ids: &[UnitId]) -> String {
    let data = position.data;
    let names: Vec<String> = ids
        .iter()
        .map(|id| {
            let down = if position.state.disrupted(*id) { "*" } else { "" };
            format!("{}{down}", data.unit(*id).id)
        })
        .collect();
    let mut text = format!("{} {}", position.hex_words(hex), runs(&names).join(", "));
    let beside: Vec<String> = data
        .board
        .neighbours(hex)
        .map(|(_, h)| h)
        .filter(|h| position.of(army.enemy(), *h).next().is_some())
        .map(|h| h.to_string())
        .collect();
    if !beside.is_empty() {
        let _ = write!(text, "; enemies beside: {}", beside.join(" "));
    }
    if position.state.window.has_fire() {
        let mut near: Vec<(u32, String)> = Vec::new();
        for id in ids {
            for (target, shot) in position.targets(*id) {
                let entry = (shot.range, target.to_string());
                if !matches!(target, Target::Wall(_)) && !near.contains(&entry) {
                    near.push(entry);
                }
            }
        }
        near.sort();
        let more = near.len().saturating_sub(6);
        let words: Vec<String> =
            near.iter().take(6).map(|(range, hex)| format!("{hex}({range})")).collect();
        if !words.is_empty() {
            let _ = write!(text, "; can hit {}", words.join(" "));
        }
        if more > 0 {
            let _ = write!(text, " +{more}");
        }
    }
    text
}

/// Units off the map by what they may do now.
fn off_map_lines(position: &Position<'_>, waiting: &[UnitId]) -> Vec<(String, Vec<UnitId>)> {
    let data = position.data;
    let mut groups: Vec<(String, Vec<UnitId>)> = Vec::new();
    for id in waiting {
        let text = if position.state.window.is_setup() {
            match data.scenario.zone(*id).map(|z| (&z.ground, z.rule)) {
                Some((Ground::Around(hex), rule)) => {
                    let hexes: Vec<String> =
                        setup_hexes(position, *id).iter().map(ToString::to_string).collect();
                    format!(
                        "within three hexes of {hex}, out of sight [{rule}]: {}",
                        hexes.join(" ")
                    )
                }
                Some((Ground::Region(name, hexes), rule)) if hexes.len() > 30 => {
                    format!("in the region {name} ({} hexes) [{rule}]", hexes.len())
                }
                Some((_, rule)) => {
                    let hexes: Vec<String> =
                        setup_hexes(position, *id).iter().map(ToString::to_string).collect();
                    format!("in {} [{rule}]", hexes.join(" "))
                }
                None => "enters during the game".to_owned(),
            }
        } else {
            match (may_enter_now(position, *id), data.scenario.entry(*id)) {
                (Ok(()), Some(entry)) => {
                    let hexes = entry_hexes(position, *id);
                    let ends = match (hexes.first(), hexes.last()) {
                        (Some(a), Some(b)) if hexes.len() > 4 => format!("{a} to {b}"),
                        _ => hexes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
                    };
                    format!("may enter at {ends} [{}]", entry.rule)
                }
                (_, Some(entry)) => format!("enters from turn {} on", entry.from),
                _ => "off the map".to_owned(),
            }
        };
        match groups.iter_mut().find(|(t, _)| *t == text) {
            Some((_, ids)) => ids.push(*id),
            None => groups.push((text, vec![*id])),
        }
    }
    groups
}

/// Units of one hex with the same values are one line.
fn summary(position: &Position<'_>, units: &[UnitId]) -> Vec<String> {
    let data = position.data;
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for id in units {
        let unit = data.unit(*id);
        let mut text = format!("{} {}", unit.kind.name(), unit.factors());
        if position.state.disrupted(*id) {
            text.push_str(", disrupted: may not move, fire or melee");
        } else if position.may_move(*id).is_err() {
            text.push_str(", never moves");
        }
        match groups.iter_mut().find(|(t, _)| *t == text) {
            Some((_, ids)) => ids.push(unit.id.clone()),
            None => groups.push((text, vec![unit.id.clone()])),
        }
    }
    groups
        .into_iter()
        .flat_map(|(text, ids)| lines(&format!("{}: {text}", runs(&ids).join(" "))))
        .collect()
}

fn lines(text: &str) -> Vec<String> {
    wrap(text, 0, 4, 68).lines().map(str::to_owned).collect()
}

fn stack(position: &Position<'_>, army: Army, hex: Hex, units: &[UnitId]) -> Stack {
    let data = position.data;
    let board = &data.board;
    let mut title = position.hex_words(hex);
    let _ = write!(title, ", {}", board.terrain(hex).name());
    if board.inside(hex) && board.by_wall(hex) {
        title.push_str(", inside the wall");
    }
    let beside: Vec<String> = board
        .neighbours(hex)
        .map(|(_, h)| h)
        .filter(|h| position.of(army.enemy(), *h).next().is_some())
        .map(|h| h.to_string())
        .collect();
    if !beside.is_empty() {
        let _ = write!(title, "; enemies beside it: {}", beside.join(", "));
    }
    let facts = match position.state.window {
        Window::Move if army == position.state.moving => movement_facts(position, units),
        window if window.has_fire() || window.has_melee() => combat_facts(position, army, units),
        _ => Vec::new(),
    };
    Stack {
        title,
        units: summary(position, units),
        facts: facts.into_iter().flat_map(|f| lines(&f)).collect(),
    }
}

fn movement_facts(position: &Position<'_>, units: &[UnitId]) -> Vec<String> {
    let data = position.data;
    let mut out = Vec::new();
    let mut seen: Vec<(u32, u32, bool)> = Vec::new();
    for id in units {
        if position.may_move(*id).is_err() {
            continue;
        }
        let (up, down) = position.allowances(*id);
        let boat = data.unit(*id).kind.is_gunboat();
        if seen.contains(&(up, down, boat)) {
            continue;
        }
        seen.push((up, down, boat));
        let reach = position.reach(*id);
        let mut near: Vec<(u32, Hex, bool)> =
            reach.iter().map(|(hex, r)| (r.cost, *hex, r.stops.is_some())).collect();
        near.sort_unstable();
        let list: Vec<String> = near
            .iter()
            .take(10)
            .map(|(cost, hex, stops)| format!("{hex}({cost}{})", if *stops { "!" } else { "" }))
            .collect();
        let more = if near.len() > 10 {
            format!(" ... {} hexes: despatch ask reach {}", near.len(), data.unit(*id).id)
        } else {
            String::new()
        };
        let mp = if up == down { format!("{up} MP") } else { format!("up {up}, down {down} MP") };
        out.push(format!("{mp} reach {}{more}", list.join(" ")));
    }
    out
}

fn combat_facts(position: &Position<'_>, army: Army, units: &[UnitId]) -> Vec<String> {
    let data = position.data;
    let window = position.state.window;
    let phasing = army == position.state.moving;
    let fires = match window {
        Window::Combat => true,
        Window::Defence | Window::DefenceSecond => !phasing,
        Window::Offence | Window::OffenceSecond => phasing,
        _ => false,
    };
    let mut out: Vec<String> = Vec::new();
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for id in units {
        let mut text = String::new();
        if fires {
            let targets: Vec<String> = position
                .targets(*id)
                .iter()
                .filter(|(t, _)| position.besieges(army) || !matches!(t, Target::Wall(_)))
                .map(|(t, shot)| format!("{t} ({})", shot.factors))
                .collect();
            if !targets.is_empty() {
                let _ = write!(text, "can hit, with factors: {}", targets.join(" "));
            }
        }
        if phasing && matches!(window, Window::Combat | Window::Melee) {
            let melee: Vec<String> =
                position.melee_targets(*id).iter().map(ToString::to_string).collect();
            if !melee.is_empty() {
                if !text.is_empty() {
                    text.push_str("; ");
                }
                let _ = write!(text, "melee: {}", melee.join(" "));
            }
        }
        if text.is_empty() {
            continue;
        }
        let name = data.unit(*id).id.clone();
        match groups.iter_mut().find(|(t, _)| *t == text) {
            Some((_, ids)) => ids.push(name),
            None => groups.push((text, vec![name])),
        }
    }
    out.extend(groups.into_iter().map(|(text, ids)| format!("{} {text}", ids.join(", "))));
    out
}
