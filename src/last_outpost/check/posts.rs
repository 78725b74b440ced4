//! Posting defenders (R21, R24, R34): who, where, and whether there is room.

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::read::At;

use super::super::data::{FigureId, Kind as FigureKind, Post, Side};
use super::super::orders::Raw;
use super::super::state::{Place, Window};
use super::super::violation::Violation;
use super::{Checker, PostOrder, Who, post_of};

impl Checker<'_> {
    pub(super) fn post(&mut self, raw: &Raw) -> Option<PostOrder> {
        let windows = [Window::Setup, Window::Day, Window::Assault, Window::Round];
        if !self.belongs(raw, Side::Garrison, &windows) {
            return None;
        }
        let (data, state) = (self.position.data, self.position.state);
        let before = self.faults.len();
        let to = raw.to.as_ref().and_then(|to| self.post_named(to));
        let now = !state.window.in_assault();
        if now && let Some(when) = &raw.when {
            let fault = Diagnostic::error(None, "a posting between assaults has no condition")
                .at(when.span.clone())
                .help("leave the `if` out");
            self.faults.push(fault);
        }
        let when = self.condition(raw.when.as_ref());
        let mut ids: Vec<FigureId> = Vec::new();
        for name in &raw.figures {
            ids.extend(self.figures_named(name));
        }
        for id in &ids {
            let name = data.figure(*id).id.clone();
            let span = raw
                .figures
                .iter()
                .find(|f| f.value.starts_with(name.rsplit_once('-').map_or("", |(stem, _)| stem)))
                .map_or(raw.span.clone(), |f| f.span.clone());
            let place = state.place(*id);
            let Some(room) = place.room(data) else {
                let fate = if place == Place::Fallen { "out of the fight" } else { "dead" };
                let fate = fate.to_owned();
                self.fault(&Violation::Gone { figure: name, fate }, span);
                continue;
            };
            self.commands(Post::Room(room), &name, &span);
            if let Some(Post::Gun(gun)) = to
                && data.figure(*id).gun != Some(gun)
            {
                let gun = data.compound.gun(gun).id.clone();
                self.fault(&Violation::NotHisGun { figure: name, gun }, span);
            }
        }
        let mut who = Who::These(ids.clone());
        if let Some(from) = &raw.from {
            let post = self.post_named(from)?;
            self.commands(post, &from.value, &from.span);
            let kind = raw.kind_of.as_ref().and_then(|k| FigureKind::parse(&k.value));
            let there = self.standing_at(post, kind);
            let count = raw.count.as_ref().map_or(1, |c| c.value);
            if now {
                if (count as usize) > there.len() {
                    let what = format!("figures at {}", from.value);
                    let (has, wants) = (there.len(), count as usize);
                    let span = raw.count.as_ref().map_or(from.span.clone(), |c| c.span.clone());
                    self.fault(&Violation::TooFew { what, has, wants, rule: "R21" }, span);
                    return None;
                }
                ids = there.into_iter().take(count as usize).collect();
                who = Who::These(ids.clone());
            } else {
                who = Who::From { post, kind, count };
            }
            if let (Some(Post::Gun(_)), Some(to)) = (to, &raw.to)
                && kind != Some(FigureKind::Gunner)
            {
                let (figure, gun) = (from.value.clone(), to.value.clone());
                self.fault(&Violation::NotHisGun { figure, gun }, to.span.clone());
            }
        }
        let to = to.filter(|_| self.faults.len() == before)?;
        if now {
            // A place at the wall, and room on the floor that it belongs to.
            let room = data.room_of(to);
            let cap = data.compound.room(room).cap.map(|cap| (Post::Room(room), cap, "R24"));
            let wall = match to {
                Post::Wall(wall) => Some((to, data.compound.wall(wall).places, "R21")),
                _ => None,
            };
            for (post, places, rule) in wall.into_iter().chain(cap) {
                let (wants, places) = (self.would_stand(post, &ids), places as usize);
                if wants > places {
                    let post = data.post_id(post).to_owned();
                    let span = raw.to.as_ref().map_or(raw.span.clone(), |t| t.span.clone());
                    self.fault(&Violation::Full { post, places, wants, rule }, span);
                    return None;
                }
            }
            for id in ids {
                self.posted.insert(id, to);
            }
        }
        Some(PostOrder { who, to, when })
    }

    /// Figures of an id or a run of ids: `soldier-01..04`.
    pub(super) fn figures_named(&mut self, name: &At<String>) -> Vec<FigureId> {
        let data = self.position.data;
        let side = self.side;
        let text = name.value.as_str();
        let mut out = Vec::new();
        if let Some((first, last)) = text.split_once("..") {
            let parts = first.rsplit_once('-');
            let range = parts.and_then(|(stem, from)| {
                Some((stem, from.len(), from.parse::<u32>().ok()?, last.parse::<u32>().ok()?))
            });
            match range {
                Some((stem, digits, from, to)) if from <= to && to - from < 200 => {
                    for number in from..=to {
                        let id = format!("{stem}-{number:0digits$}");
                        if let Some(found) =
                            data.find(&id).filter(|id| data.figure(*id).side == side)
                        {
                            out.push(found);
                        } else {
                            self.unknown_figure(&At::new(id, name.span.clone()));
                            break;
                        }
                    }
                }
                _ => self.unknown_figure(name),
            }
        } else {
            match data.find(text).filter(|id| data.figure(*id).side == side) {
                Some(found) => out.push(found),
                None => self.unknown_figure(name),
            }
        }
        out
    }

    pub(super) fn unknown_figure(&mut self, name: &At<String>) {
        let data = self.position.data;
        let known: Vec<&str> = data.of(self.side).map(|id| data.figure(id).id.as_str()).collect();
        let what = format!("`{}` is no figure of yours", name.value);
        let fault = Diagnostic::error(None, what).at(name.span.clone());
        self.faults.push(match did_you_mean(&name.value, known.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("such as soldier-01, officer-2, or soldier-01..04"),
        });
    }

    /// Who stands at a post as the orders so far have it: unwounded first.
    pub(super) fn standing_at(&self, post: Post, kind: Option<FigureKind>) -> Vec<FigureId> {
        let (data, state) = (self.position.data, self.position.state);
        let mut ids: Vec<FigureId> = data
            .of(Side::Garrison)
            .filter(|id| kind.is_none_or(|kind| data.figure(*id).kind == kind))
            .filter(|id| match self.posted.get(id) {
                Some(there) => *there == post,
                None => post_of(state.place(*id)) == Some(post),
            })
            .collect();
        ids.sort_by_key(|id| (data.figure(*id).kind, state.figure(*id).wounded, *id));
        ids
    }

    /// How many would stand at a post with these.
    pub(super) fn would_stand(&self, post: Post, ids: &[FigureId]) -> usize {
        let (data, state) = (self.position.data, self.position.state);
        let mut others = 0;
        for id in data.of(Side::Garrison).filter(|id| !ids.contains(id)) {
            let there = match self.posted.get(&id) {
                Some(there) => Some(*there),
                None => post_of(state.place(id)),
            };
            let counts = match (post, there) {
                (Post::Wall(wall), Some(Post::Gun(gun))) => data.compound.gun(gun).wall == wall,
                (Post::Room(room), Some(there)) => data.room_of(there) == room,
                (_, there) => there == Some(post),
            };
            others += usize::from(counts);
        }
        others + ids.len()
    }
}
