//! The end of an assault and of the siege: who returns, who wins (R46 to R49).

use crate::core::cite::cite;

use super::super::data::{Data, FigureId, RoomId, Side, WallId, Way};
use super::super::events::Event;
use super::super::state::{Place, State, Window};
use super::Turn;

/// A side's level of victory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// None.
    None,
    /// Minor.
    Minor,
    /// Major.
    Major,
}

/// The levels of both sides if the siege ended now, garrison first, with reasons.
pub fn levels(data: &Data, state: &State) -> (Level, Level, Vec<String>) {
    let standing = state.garrison(data).count();
    let limit = data.rulings.casualty_limit;
    let many = state.casualties > limit;
    let mut done = Vec::new();
    for (is, what) in [
        (state.tower_down(data), "the water tower is down"),
        (state.guns_disabled(data), "the guns are disabled"),
        (state.massacred, "the patients are slain"),
    ] {
        if is {
            done.push(what);
        }
    }
    let needed = data.rulings.minor_conditions as usize;
    let mahdist = if standing == 0 {
        Level::Major
    } else if done.len() >= needed {
        Level::Minor
    } else {
        Level::None
    };
    let garrison = match (standing > 0, many) {
        (true, true) => Level::Major,
        (false, false) => Level::None,
        _ => Level::Minor,
    };
    let mut why = vec![
        format!("{standing} defenders stand"),
        format!("Mahdist casualties {} (more than {limit} count)", state.casualties),
    ];
    why.push(if done.is_empty() {
        "tower, guns and hospital are safe".to_owned()
    } else {
        done.join(", ")
    });
    (garrison, mahdist, why)
}

/// The result if the siege ended now, and the rule by which it follows.
pub fn outcome(data: &Data, state: &State) -> (String, Vec<String>, &'static str) {
    let (garrison, mahdist, why) = levels(data, state);
    let word = |level: Level| match level {
        Level::None => "no",
        Level::Minor => "Minor",
        Level::Major => "Major",
    };
    let (result, rule) = match garrison.cmp(&mahdist) {
        std::cmp::Ordering::Greater => {
            (format!("{} {}", Side::Garrison.name(), word(garrison)), "R48")
        }
        std::cmp::Ordering::Less => (format!("{} {}", Side::Mahdist.name(), word(mahdist)), "R47"),
        std::cmp::Ordering::Equal => ("Draw".to_owned(), "R49"),
    };
    (result, why, rule)
}

impl Turn<'_> {
    /// The siege is over.
    pub(super) fn declare(&mut self) {
        let (result, why, rule) = outcome(self.data, &self.state);
        self.emit(Event::Over { result, why, rule: cite(rule).to_string() });
    }

    /// The assault is over: who fell returns or not, and the day ends.
    pub(super) fn end_assault(&mut self, why: &str, rule: &'static str) -> Window {
        let rule = cite(rule).to_string();
        self.emit(Event::AssaultEnded { why: why.to_owned(), rule });
        self.returns();
        self.rally();
        self.end_day()
    }

    /// A third of those who fell unwounded, rounded up, return wounded (R46).
    fn returns(&mut self) {
        let fallen: Vec<FigureId> = self
            .data
            .of(Side::Garrison)
            .filter(|id| self.state.place(*id) == Place::Fallen)
            .collect();
        if fallen.is_empty() {
            return;
        }
        let owner = self.state.holder(Side::Garrison, "commandant").cloned();
        let list = self.state.doctrine_of(owner.as_ref()).returns;
        let rank = |id: &FigureId| {
            let place = list.iter().position(|word| self.selected(word, *id));
            (place.unwrap_or(list.len()), *id)
        };
        let mut order = fallen.clone();
        order.sort_by_key(rank);
        // Nobody returns to a place that has fallen (ruling `annihilation`).
        let held = self.state.garrison(self.data).next().is_some();
        let (back, gone) = order.split_at(if held { fallen.len().div_ceil(3) } else { 0 });
        let (back, gone) = (back.to_vec(), self.names(gone));
        for id in &back {
            let room = self.waiting_room(*id);
            self.stand(&[*id], Place::Open(room));
        }
        if !back.is_empty() {
            self.emit(Event::Returned {
                figures: self.names(&back),
                of: u32::try_from(fallen.len()).unwrap_or(u32::MAX),
                rule: cite("R46").to_string(),
            });
        }
        if !gone.is_empty() {
            self.emit(Event::Gone { figures: gone });
        }
    }

    /// Where one who returns awaits his posting: the room of his usual post, or before
    /// the door where that is a floor that is full.
    fn waiting_room(&self, id: FigureId) -> RoomId {
        let c = &self.data.compound;
        let posts = self.data.default_posts();
        let home = posts.get(&id).map(|post| self.data.room_of(*post));
        let position = self.position();
        home.filter(|room| position.room_for(Side::Garrison, *room) > 0)
            .or_else(|| {
                let door = |w: &WallId| matches!(c.wall(*w).way, Way::Door(_));
                c.wall_ids().find(door).and_then(|w| c.wall(w).way.from())
            })
            .unwrap_or(RoomId(0))
    }
}
