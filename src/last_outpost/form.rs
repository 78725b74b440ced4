//! The order form of a player: the header filled in, everything else a comment, so
//! that it passes the check as it stands and means the defaults.

use serde::Serialize;

use crate::core::template::{Template, TemplateError, wrap};
use crate::core::words::runs;
use crate::game::FormHeader;

use super::check::{Told, free_of};
use super::data::{Kind, Side};
use super::map;
use super::position::Position;
use super::report::heading;
use super::state::{Place, Window};

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
    default: Vec<String>,
    garrison: bool,
    asked: bool,
    emir: bool,
    commandant: bool,
    forced: bool,
    plan: Vec<String>,
    places: Vec<String>,
    facts: Vec<String>,
    waves: Vec<String>,
    standing: Vec<String>,
    soldier: String,
    to: String,
    from: String,
    target: String,
    spears: usize,
    rifles: usize,
    markers: u32,
    round: u32,
    wave: String,
}

/// What happens in the window of a position when a player sends nothing.
pub fn default_words(position: &Position<'_>) -> String {
    match position.state.window {
        Window::Setup => "the garrison stands where the plan of the compound has it".to_owned(),
        Window::Day if position.state.forced => {
            "the day is an assault: the smallest wave goes where the fewest defenders stand; the garrison stays where it is".to_owned()
        }
        Window::Day => {
            "sniping by what the emir has standing, or until the first joker; the garrison stays where it is".to_owned()
        }
        Window::Assault => {
            "no new wave; everybody fights on by what stands; without a wave the assault ends".to_owned()
        }
        Window::Launch => "no new wave; without a wave the assault ends".to_owned(),
        Window::Round => "everybody fights on by what stands".to_owned(),
        Window::End => "nothing: the siege is over".to_owned(),
    }
}

/// Who goes where when no wave is ordered for an assault.
pub fn smallest_words(position: &Position<'_>) -> String {
    match position.smallest_wave() {
        Some((target, ids)) => format!(
            "{} men rush {}, where the fewest defenders stand",
            ids.len(),
            position.data.compound.wall(target).id
        ),
        None => "nobody goes".to_owned(),
    }
}

/// Who stands at each post of a room: of its walls how many places are held.
fn posts(position: &Position<'_>, room: super::data::RoomId) -> String {
    let (data, state) = (position.data, position.state);
    let c = &data.compound;
    let all = position.in_room(Side::Garrison, room);
    let those = |there: &dyn Fn(Place) -> bool| -> String {
        let ids = all.iter().filter(|id| there(state.place(**id)));
        runs(&ids.map(|id| data.figure(*id).id.as_str()).collect::<Vec<_>>()).join(" ")
    };
    let mut out = Vec::new();
    for wall in c.walls_of(room) {
        let (held, places) = (position.holders(wall).len(), c.wall(wall).places);
        if held == 0 && c.wall(wall).way != super::data::Way::Outer {
            continue;
        }
        let mut part = format!("{} {held} of {places}", c.wall(wall).id);
        let gun = c.gun_at(wall);
        let crew = gun.map_or(String::new(), |gun| those(&|place| place == Place::Gun(gun)));
        let men = those(&|place| place == Place::Wall(wall));
        for who in [men, crew].into_iter().filter(|who| !who.is_empty()) {
            part = format!("{part} {who}");
        }
        out.push(part);
    }
    let open = those(&|place| !matches!(place, Place::Wall(_) | Place::Gun(_)));
    if !open.is_empty() || out.is_empty() {
        let open = if open.is_empty() { "nobody".to_owned() } else { open };
        out.push(format!("at no wall {open}"));
    }
    format!("{}: {}", c.room(room).id, out.join("; "))
}

/// The form.
///
/// # Errors
/// A template that cannot be rendered.
pub fn form(position: &Position<'_>, header: &FormHeader) -> Result<String, TemplateError> {
    let (data, state) = (position.data, position.state);
    let c = &data.compound;
    let player = &header.player;
    let garrison = state.side(player) == Some(Side::Garrison);
    let asked = super::resolve::asks(state).contains(player);
    let mut facts = Vec::new();
    if garrison {
        for zone in c.zone_ids().filter(|z| state.commander(data, *z) == Some(player)) {
            for room in c.room_ids().filter(|r| c.room(*r).zone == zone) {
                facts.push(posts(position, room));
            }
        }
        let wounded: Vec<&str> = state
            .garrison(data)
            .filter(|id| state.figure(*id).wounded)
            .map(|id| data.figure(id).id.as_str())
            .collect();
        if !wounded.is_empty() {
            facts.push(format!("wounded (-1 [R35]): {}", runs(&wounded).join(", ")));
        }
    } else {
        for kind in [Kind::Spear, Kind::Rifle] {
            let n = free_of(position, player, kind).len();
            let (s, are) = if n == 1 { ("", "is") } else { ("s", "are") };
            facts.push(format!("{n} {}{s} of yours {are} free for a wave [R15]", kind.name()));
        }
        let (s, are) = if state.markers == 1 { ("", "is") } else { ("s", "are") };
        facts.push(format!("{} marker{s} {are} held [R18]", state.markers));
        let engaged: Vec<&str> =
            c.sections().filter(|w| position.engaged(*w)).map(|w| c.wall(w).id.as_str()).collect();
        if !engaged.is_empty() {
            facts.push(format!("engaged, so no new wave there: {}", engaged.join(", ")));
        }
    }
    let mut waves = Vec::new();
    let mut wave = String::new();
    for w in state.waves.iter().filter(|w| w.active()) {
        let men = position.members(w.number).len();
        // What its men were told and which markers it has, its own side may see.
        let told = if garrison {
            String::new()
        } else {
            let told = Told {
                raise: w.raise,
                through: w.through,
                intents: w.intents.clone(),
                workers: w.workers,
            };
            let markers = if w.markers == 1 { "marker" } else { "markers" };
            format!("; {} {markers}; {}", w.markers, super::understood::told(&told))
        };
        waves.push(format!(
            "wave-{}{}: {men} {} at {}, {} lost, move {} of {}{told}",
            w.number,
            if w.player == *player { " (yours)" } else { "" },
            if men == 1 { "man" } else { "men" },
            c.wall(w.target).id,
            w.casualties,
            w.moves,
            data.tables.wave_moves
        ));
        if w.player == *player {
            wave = format!("wave-{}", w.number);
        }
    }
    let doctrine = state.doctrine_of(Some(player));
    let mine = |id: &super::data::FigureId| {
        let room = state.place(*id).room(data);
        room.is_some_and(|room| state.commander(data, c.room(room).zone) == Some(player))
    };
    let soldier =
        state.garrison(data).find(|id| mine(id) && data.figure(*id).kind == Kind::Soldier);
    let target = c.sections().min_by_key(|w| (position.engaged(*w), position.holders(*w).len()));
    let from = c
        .sections()
        .filter(|w| state.commander(data, c.zone_of(*w)) == Some(player))
        .max_by_key(|w| position.holders(*w).len());
    let to = c.sections().find(|w| position.empty_places(*w) > 0 && Some(*w) != from);
    let wall = |w: Option<super::data::WallId>| w.map_or(String::new(), |w| c.wall(w).id.clone());
    let text = default_words(position);
    let model = Model {
        game: header.game.as_str(),
        phase: header.phase,
        player: player.as_str(),
        head: &header.head,
        ticket: &header.ticket,
        window: state.window.id(),
        title: state.window.title(),
        heading: heading(data, state),
        default: wrap(&text, 0, 0, 68).lines().map(str::to_owned).collect(),
        garrison,
        asked,
        emir: state.holder(Side::Mahdist, "emir") == Some(player),
        commandant: state.holder(Side::Garrison, "commandant") == Some(player),
        forced: state.forced,
        plan: map::draw(position),
        places: lines(&map::places(position)),
        facts: lines(&facts),
        waves: lines(&waves),
        standing: doctrine.orders(),
        soldier: soldier.map_or(String::new(), |id| data.figure(id).id.clone()),
        to: wall(to),
        from: wall(from),
        target: wall(target),
        spears: free_of(position, player, Kind::Spear).len(),
        rifles: free_of(position, player, Kind::Rifle).len(),
        markers: state.markers,
        round: state.round.max(1),
        wave,
    };
    let name = "templates/form.toml.j2";
    let source = data.files.get(name).map_or("", |text| &**text);
    let text = Template::new(name, source)?.render(&model)?;
    Ok(crate::core::template::normal(&text))
}

fn lines(texts: &[String]) -> Vec<String> {
    texts
        .iter()
        .flat_map(|t| wrap(t, 0, 4, 68).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}
