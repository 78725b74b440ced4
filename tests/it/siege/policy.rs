//! Players by policy: they write order files from what they may see, as people would.
//! The siege is calibrated with them (`benches/siege.rs`), and tests play them.

use std::fmt::Write as _;

use despatch::last_outpost::data::{Data, FigureId, Kind, Post, RoomId, Side, WallId, Way};
use despatch::last_outpost::position::Position;
use despatch::last_outpost::state::{Place, State, WaveStatus, Window};

/// How the Mahdists play.
#[derive(Clone, Debug)]
pub(crate) struct Emir {
    /// Assault with so many markers in hand,
    pub(crate) markers: u32,
    /// or from this day on.
    pub(crate) day: u32,
    /// Figures of a wave.
    pub(crate) size: usize,
    /// Waves in one round.
    pub(crate) waves: usize,
    /// What men do within.
    pub(crate) intents: &'static str,
}

impl Emir {
    /// Waits for many markers, then storms the weakest places with all he has.
    pub(crate) fn prepared() -> Self {
        Self {
            markers: 20,
            day: 9,
            size: 40,
            waves: 2,
            intents: r#"["fight", "hunt", "guns", "redoubt", "hospital", "tower"]"#,
        }
    }

    /// Storms with what a day or two of sniping gave.
    pub(crate) fn premature() -> Self {
        Self { markers: 4, day: 4, ..Self::prepared() }
    }

    /// Goes for tower, guns and hospital, then for the garrison.
    pub(crate) fn raider() -> Self {
        Self {
            intents: r#"["guns", "fight", "hospital", "tower", "hunt", "redoubt"]"#,
            ..Self::prepared()
        }
    }
}

/// How the garrison plays.
#[derive(Clone, Debug)]
pub(crate) struct Commandant {
    /// Sends men to walls that are rushed, and against Mahdists within.
    pub(crate) reinforces: bool,
    /// Gives a zone up when outnumbered so many times, in tenths; 0 for never.
    pub(crate) gives_up: usize,
}

impl Commandant {
    /// Moves men to where they are needed.
    pub(crate) fn active() -> Self {
        Self { reinforces: true, gives_up: 25 }
    }

    /// Leaves everybody where the plan has him.
    pub(crate) fn passive() -> Self {
        Self { reinforces: false, gives_up: 0 }
    }
}

/// The Mahdists' file; they hold all commands.
pub(crate) fn emir(data: &Data, view: &State, plan: &Emir) -> String {
    let position = Position::new(data, view);
    let mut out = String::new();
    match view.window {
        Window::Day => {
            let assault = view.forced || view.markers >= plan.markers || view.day >= plan.day;
            let able = position.uncommitted(None).len() >= 40;
            if assault && able {
                out.push_str("[day]\nturn = \"assault\"\n");
                waves(&position, plan, plan.waves, &mut out);
            } else {
                let last = view.day >= data.days;
                out.push_str("[day]\nturn = \"sniping\"\n[sniping]\nstop_on_first_joker = true\n");
                if last {
                    // Nothing is to be feared on the last day.
                    out.push_str("max_cards = 12\nafter_second_joker = \"continue\"\n");
                }
            }
        }
        Window::Assault | Window::Launch => {
            let active = view.waves.iter().filter(|w| w.active()).count();
            if active < plan.waves {
                waves(&position, plan, plan.waves - active, &mut out);
            }
        }
        _ => {}
    }
    out
}

/// Waves against the sections with the fewest defenders for their length.
fn waves(position: &Position<'_>, plan: &Emir, count: usize, out: &mut String) {
    let data = position.data;
    let c = &data.compound;
    let view = position.state;
    let mut sections: Vec<WallId> = c.sections().filter(|w| !position.engaged(*w)).collect();
    let coming = |w: &WallId| position.coming(*w).count();
    let gun = |w: &WallId| {
        c.gun_ids()
            .any(|g| c.wall(c.gun(g).wall).side == c.wall(*w).side && !view.guns[g.at()].disabled)
    };
    sections.sort_by_key(|w| {
        let places = c.wall(*w).places as usize;
        (coming(w), gun(w), position.holders(*w).len() * 10 / places.max(1), *w)
    });
    let mut spears = position
        .uncommitted(None)
        .into_iter()
        .filter(|id| data.figure(*id).kind == Kind::Spear)
        .count();
    let mut rifles = position.uncommitted(None).len() - spears;
    let share = view.markers / u32::try_from(count.max(1)).unwrap();
    for wall in sections.into_iter().take(count) {
        let size = plan.size.min(spears + rifles);
        if size < 10 {
            break;
        }
        let s = size.min(spears);
        let r = size - s;
        spears -= s;
        rifles -= r;
        let _ = write!(
            out,
            "[[wave]]\ntarget = \"{}\"\nspears = {s}\nrifles = {r}\nmarkers = {share}\nintents = {}\n",
            c.wall(wall).id,
            plan.intents
        );
    }
}

/// The garrison's file; it holds all commands.
pub(crate) fn commandant(data: &Data, view: &State, plan: &Commandant) -> String {
    let position = Position::new(data, view);
    let mut out = String::new();
    match view.window {
        Window::Setup => {
            out.push_str(
                "[doctrine]\nsupport = \"if-free\"\nreturns = [\"officer\", \"gunner\"]\n\
                 [[gun]]\ngun = \"gun-1\"\nmin_wave = 10\n[[gun]]\ngun = \"gun-2\"\nmin_wave = 10\n",
            );
        }
        Window::Day => at_home(data, view, &mut out),
        Window::Assault | Window::Round if plan.reinforces => {
            reinforce(&position, plan, &mut out);
        }
        _ => {}
    }
    out
}

/// Everybody back to his post.
fn at_home(data: &Data, view: &State, out: &mut String) {
    let posts = data.default_posts();
    // Who is at home stays; who is not goes home, if there is a place.
    let mut moves: Vec<(FigureId, Post)> = Vec::new();
    for id in view.garrison(data) {
        let Some(home) = posts.get(&id) else { continue };
        let now = match view.place(id) {
            Place::Wall(w) => Post::Wall(w),
            Place::Gun(g) => Post::Gun(g),
            Place::Open(r) => Post::Room(r),
            _ => continue,
        };
        if now != *home {
            moves.push((id, *home));
        }
    }
    for (id, home) in moves {
        let _ = write!(
            out,
            "[[post]]\nfigures = [\"{}\"]\nto = \"{}\"\n",
            data.figure(id).id,
            data.post_id(home)
        );
    }
}

/// Men to the walls that are rushed, and against those within.
fn reinforce(position: &Position<'_>, plan: &Commandant, out: &mut String) {
    let (data, view) = (position.data, position.state);
    let c = &data.compound;
    let quiet =
        |wall: WallId| position.before(wall).is_empty() && position.coming(wall).next().is_none();
    let mut sent: Vec<FigureId> = Vec::new();
    let order = |id: FigureId, post: &str, sent: &mut Vec<FigureId>, out: &mut String| {
        sent.push(id);
        let _ = write!(out, "[[post]]\nfigures = [\"{}\"]\nto = \"{post}\"\n", data.figure(id).id);
    };
    // A zone that is lost is left, for the redoubt while it has room.
    let mut places: Vec<(RoomId, usize)> = c
        .room_ids()
        .filter(|r| c.room(*r).cap.is_some())
        .map(|r| (r, position.room_for(Side::Garrison, r)))
        .collect();
    if plan.gives_up > 0 {
        for room in c.room_ids().filter(|r| c.room(*r).cap.is_none()) {
            let ours = position.in_room(Side::Garrison, room);
            let mut theirs = position.in_room(Side::Mahdist, room).len();
            theirs += c.walls_of(room).map(|w| position.before(w).len()).sum::<usize>();
            if ours.is_empty() || theirs * 10 < ours.len() * plan.gives_up {
                continue;
            }
            for id in ours {
                let free = view.figure(id).bound.is_none() && position.contact(id).is_empty();
                let Some(place) = places.iter_mut().find(|(_, left)| *left > 0).filter(|_| free)
                else {
                    continue;
                };
                place.1 -= 1;
                order(id, &c.room(place.0).id.clone(), &mut sent, out);
            }
        }
    }
    // Walls that are rushed are filled from quiet walls of the same room.
    for wave in view.waves.iter().filter(|w| w.status == WaveStatus::Advancing) {
        let wall = c.wall(wave.target);
        let mut want = position.empty_places(wave.target);
        let mut sources: Vec<FigureId> = Vec::new();
        for other in c.walls_of(wall.room).filter(|w| *w != wave.target && quiet(*w)) {
            let men = position.holders(other);
            let spare = men.len().saturating_sub(1);
            sources.extend(
                men.into_iter().filter(|id| matches!(view.place(*id), Place::Wall(_))).take(spare),
            );
        }
        // And from quiet rooms next door, if the wave has two moves to go.
        if wave.moves <= 1 {
            for (next, through) in c.next_to(wall.room) {
                if !matches!(c.wall(through).way, Way::Barrier(_)) {
                    continue;
                }
                let calm =
                    c.walls_of(next).all(quiet) && position.in_room(Side::Mahdist, next).is_empty();
                if calm {
                    let men = position.in_room(Side::Garrison, next);
                    let spare = men.len() / 2;
                    let at_wall = |id: &FigureId| matches!(view.place(*id), Place::Wall(_));
                    sources.extend(men.into_iter().filter(at_wall).take(spare));
                }
            }
        }
        for id in sources {
            if want == 0 {
                break;
            }
            if sent.contains(&id) || view.figure(id).bound.is_some() {
                continue;
            }
            want -= 1;
            order(id, &wall.id, &mut sent, out);
        }
    }
}
