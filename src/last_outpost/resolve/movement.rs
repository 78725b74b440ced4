//! Movement in a zone (R21 to R26): defenders on their way, men who cross, men within.

use crate::core::cite::cite;

use super::super::check::Who;
use super::super::data::{FigureId, Holds, Kind, Post, RoomId, Side, WallId, Way, ZoneId};
use super::super::doctrine::Intent;
use super::super::events::Event;
use super::super::position::Position;
use super::super::state::Place;
use super::Turn;

/// Figures that go through the redoubt's door in a round (R24).
const DOOR: u32 = 4;

impl Turn<'_> {
    /// Postings of this block: at once where no condition stands, else in the first
    /// round in which it holds.
    pub(super) fn reinforcements(&mut self) {
        for part in self.parts {
            for order in &part.plan.posts {
                if self.over.contains(&(part.player.clone(), order.line())) {
                    continue;
                }
                let post = order.get();
                if !post.when.as_ref().is_none_or(|c| c.holds(&self.position())) {
                    continue;
                }
                let ids = match &post.who {
                    Who::These(ids) => ids.clone(),
                    Who::From { post: from, kind, count } => {
                        let mut there: Vec<FigureId> = self
                            .data
                            .of(Side::Garrison)
                            .filter(|id| {
                                super::super::check::post_of(self.state.place(*id)) == Some(*from)
                            })
                            .filter(|id| kind.is_none_or(|k| self.data.figure(*id).kind == k))
                            .filter(|id| self.state.figure(*id).bound.is_none())
                            .filter(|id| match post.to {
                                Post::Gun(gun) => self.data.serves(*id, gun),
                                _ => true,
                            })
                            .collect();
                        there.sort_by_key(|id| {
                            let figure = self.state.figure(*id);
                            (self.data.figure(*id).kind, figure.wounded, *id)
                        });
                        there.into_iter().take(*count as usize).collect()
                    }
                };
                let ids: Vec<FigureId> =
                    ids.into_iter().filter(|id| self.state.place(*id).present()).collect();
                let to = self.data.post_id(post.to).to_owned();
                if ids.is_empty() {
                    let what = "nobody was there to go".to_owned();
                    self.fail(&part.player, order.line(), format!("posting to {to}"), what, "R21");
                    continue;
                }
                let figures = self.names(&ids);
                self.emit(Event::Posted { figures, post: to, walks: true });
                self.done(&part.player, order.line());
            }
        }
    }

    /// Defenders on their way take a step (R21 to R24); door and ladders are manned.
    pub(super) fn garrison_moves(&mut self, zone: ZoneId) {
        for id in self.ready(Side::Garrison, zone) {
            let figure = *self.state.figure(id);
            let Some(bound) = figure.bound else { continue };
            let Some(room) = figure.place.room(self.data) else { continue };
            let fresh = figure.since == self.state.round;
            let target = self.data.room_of(bound);
            if let (Place::Before(wall), false) = (figure.place, fresh)
                && self.toward(room, target) == Some(wall)
            {
                self.go_through(id, wall);
                continue;
            }
            if matches!(figure.place, Place::Across(_)) && fresh {
                continue;
            }
            if room == target {
                // Who stands there already has his place, however full it is.
                let there = figure.place == super::super::state::State::at_post(bound);
                if there || self.position().places_left(bound) > 0 {
                    cite("R21");
                    self.stand(&[id], super::super::state::State::at_post(bound));
                } else if !matches!(figure.place, Place::Open(_)) {
                    self.stand(&[id], Place::Open(room));
                }
                continue;
            }
            let Some(wall) = self.toward(room, target) else { continue };
            if let Way::Ladder(_) = self.data.compound.wall(wall).way {
                self.go_through(id, wall);
            } else if figure.place != Place::Before(wall) {
                cite("R23");
                self.stand(&[id], Place::Before(wall));
            }
        }
        self.man_the_door(zone);
    }

    fn toward(&self, from: RoomId, to: RoomId) -> Option<WallId> {
        self.data.compound.step(from, to).map(|(_, wall)| wall)
    }

    /// Over a barrier (R23), through the door (R24), up or down a ladder.
    fn go_through(&mut self, id: FigureId, wall: WallId) {
        let (way, room) = {
            let wall = self.data.compound.wall(wall);
            (wall.way, wall.room)
        };
        let side = self.data.figure(id).side;
        if self.position().room_for(side, room) == 0 {
            return;
        }
        match way {
            Way::Outer | Way::Barrier(_) => {
                cite("R23");
                self.stand(&[id], Place::Across(room));
            }
            Way::Door(_) => {
                cite("R24");
                if self.door >= DOOR {
                    return;
                }
                self.door += 1;
                self.stand(&[id], Place::Open(room));
            }
            Way::Ladder(_) => {
                cite("R40");
                self.stand(&[id], Place::Open(room));
            }
        }
        if side == Side::Mahdist {
            self.busy = true;
        }
    }

    /// A man of the floor steps into the door or to the head of a ladder when
    /// Mahdists are in the room that it leads to (R39, R40).
    fn man_the_door(&mut self, zone: ZoneId) {
        let walls: Vec<WallId> = self
            .data
            .compound
            .wall_ids()
            .filter(|w| self.data.compound.zone_of(*w) == zone)
            .filter(|w| self.data.compound.wall(*w).way.narrow())
            .collect();
        for wall in walls {
            let (room, from) = {
                let wall = self.data.compound.wall(wall);
                (wall.room, wall.way.from())
            };
            // One defends the way in from the zone, or up: not the way down or out.
            let c = &self.data.compound;
            let inward = from.is_some_and(|from| {
                c.room(from).zone != zone || c.room(from).height < c.room(room).height
            });
            let position = self.position();
            let threatened =
                from.is_some_and(|from| !position.in_room(Side::Mahdist, from).is_empty());
            if !inward || !threatened || !position.holders(wall).is_empty() {
                continue;
            }
            let mut men: Vec<FigureId> = position
                .in_room(Side::Garrison, room)
                .into_iter()
                .filter(|id| matches!(self.state.place(*id), Place::Open(_)))
                .filter(|id| self.state.figure(*id).bound.is_none())
                .collect();
            men.sort_by_key(|id| (self.state.figure(*id).wounded, *id));
            if let Some(id) = men.first() {
                self.stand(&[*id], Place::Wall(wall));
            }
        }
    }

    /// Mahdists of a zone move: over walls where places are empty, to a section that
    /// its fire has opened, within by what they were told.
    pub(super) fn mahdist_moves(&mut self, zone: ZoneId) {
        let round = self.state.round;
        let sections: Vec<WallId> = self
            .data
            .compound
            .sections()
            .filter(|w| self.data.compound.zone_of(*w) == zone)
            .collect();
        for wall in sections {
            for id in self.position().front(wall).crossers {
                if self.state.figure(id).since < round {
                    self.go_through(id, wall);
                }
            }
            self.spill_over(wall);
        }
        for id in self.ready(Side::Mahdist, zone) {
            let figure = *self.state.figure(id);
            let Some(room) = figure.place.room(self.data) else { continue };
            if figure.since == round {
                continue;
            }
            cite("R25");
            let wish = self.wish(id, room);
            let Some(target) = wish else {
                if figure.place != Place::Open(room) {
                    self.stand(&[id], Place::Open(room));
                }
                continue;
            };
            let Some(wall) = self.toward(room, target) else { continue };
            let front = self.position().front(wall);
            let passage = self.data.compound.wall(wall).clone();
            let free = self.position().holders(wall).is_empty()
                || (!passage.way.narrow() && front.crossers.contains(&id));
            match figure.place {
                Place::Before(at) if at == wall => {
                    if free {
                        self.go_through(id, wall);
                    }
                }
                _ if matches!(passage.way, Way::Ladder(_)) && free => self.go_through(id, wall),
                _ => {
                    self.busy = true;
                    cite("R23");
                    self.stand(&[id], Place::Before(wall));
                }
            }
        }
    }

    /// Men for whom there is no room before their own section turn to one that fired
    /// at them (R26 and the ruling `spill-over`).
    fn spill_over(&mut self, from: WallId) {
        let targets: Vec<WallId> =
            self.state.opened.iter().filter(|(f, _)| *f == from).map(|(_, to)| *to).collect();
        for to in targets {
            // Who came this round, with his wave or by turning, has made his move.
            let round = self.state.round;
            let mut waiting = self.position().front(from).waiting;
            waiting.retain(|id| self.state.figure(*id).since < round);
            if waiting.is_empty() {
                return;
            }
            cite("R26");
            self.stand(&waiting, Place::Before(to));
            // They act where they stand now.
            let zone = self.data.compound.zone_of(to);
            for id in waiting {
                self.began.insert(id, zone);
            }
            self.silence(to);
        }
    }

    /// The room to which a Mahdist within would go; `None` to stay where he is.
    fn wish(&self, id: FigureId, room: RoomId) -> Option<RoomId> {
        let position = self.position();
        let c = &self.data.compound;
        let wave = self.state.figure(id).wave.and_then(|n| self.state.wave(n))?;
        let rank = self.rank(id, wave.number);
        for intent in &wave.intents {
            match intent {
                Intent::Fight => {
                    if !position.in_room(Side::Garrison, room).is_empty() {
                        return None;
                    }
                }
                Intent::Guns => {
                    let per = self.data.tables.gun_figures as usize;
                    let open = c.gun_ids().filter(|g| !self.state.guns[g.at()].disabled);
                    let rooms: Vec<RoomId> =
                        open.map(|g| self.data.room_of(Post::Gun(g))).collect();
                    if rank < per * rooms.len()
                        && let Some(target) = rooms.first()
                    {
                        return (*target != room).then_some(*target);
                    }
                }
                Intent::Tower => {
                    if !self.state.tower_down(self.data)
                        && rank < wave.workers as usize
                        && let Some(target) = c.holding(Holds::Tower)
                    {
                        return (target != room).then_some(target);
                    }
                }
                Intent::Hospital => {
                    if !self.state.massacred
                        && let Some(target) = c.holding(Holds::Hospital)
                    {
                        return (target != room).then_some(target);
                    }
                }
                Intent::Redoubt => {
                    let floors = c.room_ids().filter(|r| c.room(*r).cap.is_some());
                    let mut held: Vec<RoomId> = floors
                        .filter(|r| !position.in_room(Side::Garrison, *r).is_empty())
                        .collect();
                    held.sort_by_key(|r| c.room(*r).height);
                    if let Some(target) = held.first() {
                        return (*target != room).then_some(*target);
                    }
                    // Nobody defends it: a rifleman snipes from the top (R41).
                    if self.data.figure(id).kind == Kind::Rifle
                        && let Some(top) = c.room_ids().max_by_key(|r| c.room(*r).height)
                        && position.room_for(Side::Mahdist, top) > 0
                    {
                        return (top != room).then_some(top);
                    }
                }
                Intent::Hunt => {
                    if let Some(target) = self.nearest_defended(&position, room) {
                        return (target != room).then_some(target);
                    }
                }
            }
        }
        None
    }

    /// His place among the men of his wave who are within.
    fn rank(&self, id: FigureId, wave: u32) -> usize {
        self.data
            .of(Side::Mahdist)
            .take_while(|other| *other != id)
            .filter(|other| {
                let figure = self.state.figure(*other);
                figure.wave == Some(wave) && figure.place.room(self.data).is_some()
            })
            .count()
    }

    /// The nearest room with defenders, the redoubt's floors left out.
    fn nearest_defended(&self, position: &Position<'_>, from: RoomId) -> Option<RoomId> {
        let c = &self.data.compound;
        let mut seen = vec![from];
        let mut at = 0;
        while at < seen.len() {
            let room = seen[at];
            at += 1;
            if c.room(room).cap.is_none() && !position.in_room(Side::Garrison, room).is_empty() {
                return Some(room);
            }
            for (next, _) in c.next_to(room) {
                if !seen.contains(&next) && c.room(next).cap.is_none() {
                    seen.push(next);
                }
            }
        }
        None
    }
}
