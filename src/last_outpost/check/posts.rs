//! Posting defenders (R21, R24, R34): who, where, and whether there is room.

use crate::core::cite::cite;
use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::read::At;

use super::super::data::{FigureId, Kind as FigureKind, Post, Side};
use super::super::orders::Raw;
use super::super::state::{Place, Window};
use super::super::violation::Violation;
use super::{Checker, PostOrder, Who, post_of};

/// A kind in the plural, or all kinds.
fn kind_words(kind: Option<FigureKind>) -> String {
    kind.map_or("figures".to_owned(), |kind| format!("{}s", kind.name()))
}

impl Checker<'_> {
    pub(super) fn post(&mut self, raw: &Raw) -> Option<PostOrder> {
        let windows = [Window::Setup, Window::Day, Window::Assault, Window::Round];
        if !self.belongs(raw, Side::Garrison, &windows) {
            return None;
        }
        let (data, state) = (self.position.data, self.position.state);
        let before = self.faults.len();
        self.who_is_meant(raw);
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
                && !data.serves(*id, gun)
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
            let mut there = self.standing_at(post, kind);
            let count = raw.count.as_ref().map_or(1, |c| c.value);
            if let (Some(Post::Gun(gun)), Some(to)) = (to, &raw.to) {
                // Of several gunners those go who may serve it.
                let some = !there.is_empty();
                there.retain(|id| data.serves(*id, gun));
                if kind != Some(FigureKind::Gunner) || (some && there.is_empty()) {
                    let (figure, gun) = (from.value.clone(), to.value.clone());
                    self.fault(&Violation::NotHisGun { figure, gun }, to.span.clone());
                }
            }
            if now {
                if (count as usize) > there.len() {
                    let what = format!("{} at {}", kind_words(kind), from.value);
                    let (has, wants) = (there.len(), count as usize);
                    let span = raw.count.as_ref().map_or(from.span.clone(), |c| c.span.clone());
                    let violation = Violation::TooFew { what, has, wants, rule: "R21" };
                    self.fault(&violation, span);
                    self.at_the_gun(post, kind);
                    return None;
                }
                ids = there.into_iter().take(count as usize).collect();
                who = Who::These(ids.clone());
            } else {
                who = Who::From { post, kind, count };
            }
        }
        let to = to.filter(|_| self.faults.len() == before)?;
        if !now {
            self.short_of_room(raw, &who, to);
        }
        if now {
            // A place at the wall, and room on the floor that it belongs to.
            let room = data.room_of(to);
            let cap = data.compound.room(room).cap.map(|cap| (Post::Room(room), cap, "R24"));
            let wall = match to {
                Post::Wall(wall) => Some((to, data.compound.wall(wall).places, "R21")),
                Post::Gun(_) => Some((to, data.tables.crew, "R32")),
                Post::Room(_) => None,
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

    /// A posting names figures, or says how many go from where: one of these.
    fn who_is_meant(&mut self, raw: &Raw) {
        let mut wrong = |what: &str, span: &std::ops::Range<usize>, help: &str| {
            self.faults.push(Diagnostic::error(None, what).at(span.clone()).help(help));
        };
        match (&raw.from, raw.figures.first()) {
            (Some(from), Some(_)) => wrong(
                "a posting has `figures` or `from`, not both",
                &from.span,
                "write two [[post]]: one with `figures`, one with `from`",
            ),
            (None, None) => wrong(
                "this [[post]] names nobody",
                &raw.span,
                "write figures = [\"soldier-01\"], or from = \"HB-N\" and count = 2",
            ),
            (Some(_), None) => {
                if let Some(count) = raw.count.as_ref().filter(|count| count.value == 0) {
                    wrong("`count = 0` posts nobody", &count.span, "1 or more");
                }
            }
            (None, Some(_)) => {
                for (key, span) in [
                    ("count", raw.count.as_ref().map(|n| &n.span)),
                    ("kind", raw.kind_of.as_ref().map(|k| &k.span)),
                ] {
                    if let Some(span) = span {
                        let what = format!("`{key}` goes with `from`, not with `figures`");
                        wrong(&what, span, "leave it out: everybody named is posted");
                    }
                }
            }
        }
    }

    /// Gunners stand at their gun, not at the wall behind which it stands: says so of
    /// a fault just found.
    fn at_the_gun(&mut self, post: Post, kind: Option<FigureKind>) {
        let c = &self.position.data.compound;
        let Post::Wall(wall) = post else { return };
        if let (Some(gun), Some(FigureKind::Gunner)) = (c.gun_at(wall), kind)
            && let Some(fault) = self.faults.last_mut()
        {
            let gun = &c.gun(gun).id;
            *fault = fault.clone().help(format!("they serve the gun there: from = \"{gun}\""));
        }
    }

    /// Warns of men who would find no place, or who are not there, as things stand: an
    /// order of an assault is carried out later, and either may change until then.
    fn short_of_room(&mut self, raw: &Raw, who: &Who, to: Post) {
        let data = self.position.data;
        let (wants, going) = match who {
            Who::These(ids) => (ids.len(), ids.clone()),
            Who::From { post, kind, count } => {
                let there = self.standing_at(*post, *kind);
                let wants = *count as usize;
                if there.len() < wants
                    && let Some(from) = &raw.from
                {
                    let (has, kind_words) = (there.len(), kind_words(*kind));
                    let what = format!(
                        "{wants} {kind_words} of `{}` are to go, and {has} stand there now",
                        from.value
                    );
                    self.faults.push(
                        Diagnostic::warning(Some(cite("R21")), what)
                            .at(from.span.clone())
                            .help("as many go as stand there when it comes to it"),
                    );
                    self.at_the_gun(*post, *kind);
                }
                (wants.min(there.len()), there.into_iter().take(wants).collect())
            }
        };
        let state = self.position.state;
        let already = |id: &FigureId| post_of(state.place(*id)) == Some(to);
        let coming = wants - going.iter().filter(|id| already(id)).count();
        let bound = data
            .of(Side::Garrison)
            .filter(|id| state.figure(*id).bound == Some(to) && !going.contains(id))
            .count();
        let sent = self.sent.entry(to).or_default();
        *sent += coming;
        let room = data.room_of(to);
        let left = self.position.places_left(to);
        let short = left.saturating_sub(bound) < *sent;
        if coming > 0 && short {
            let name = data.post_id(to);
            let more = if bound > 0 {
                format!(", and {bound} are on their way to it")
            } else {
                String::new()
            };
            let what = format!("{sent} are sent to `{name}`, which has {left} free now{more}");
            let open = match to {
                Post::Room(_) => "who finds no room waits outside".to_owned(),
                _ => format!("who finds no place stands within {}", data.compound.room(room).id),
            };
            let rule = if matches!(to, Post::Room(_)) { "R24" } else { "R21" };
            let span = raw.to.as_ref().map_or(raw.span.clone(), |t| t.span.clone());
            self.faults.push(Diagnostic::warning(Some(cite(rule)), what).at(span).help(open));
        }
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
