//! A day (R2 to R9): sniping with the deck, or the opening of an assault.

use crate::core::cite::cite;
use crate::core::dice::DiceError;

use super::super::data::{CardDoes, FigureId, Kind, Side};
use super::super::events::Event;
use super::super::state::{Place, Window};
use super::Turn;

impl Turn<'_> {
    pub(super) fn day(&mut self) -> Result<Window, DiceError> {
        self.posts_at_once();
        let emir = self.state.holder(Side::Mahdist, "emir").cloned();
        let part = self.parts.iter().find(|p| Some(&p.player) == emir.as_ref());
        let chosen = part.and_then(|p| p.plan.day);
        if chosen.is_some()
            && let Some(emir) = &emir
        {
            self.tally(emir).done += 1;
        }
        if part.is_some_and(|p| p.submission == "missing")
            && let Some(emir) = &emir
        {
            let what = if self.state.forced {
                "an assault, because both jokers fell yesterday".to_owned()
            } else {
                let plan = self.state.doctrine_of(Some(emir)).sniping.unwrap_or_default();
                format!("sniping, {}", plan.words())
            };
            self.tally(emir).defaulted.push(what);
        }
        let able = !self.position().uncommitted(None).is_empty();
        let assault = able && (self.state.forced || chosen == Some(true));
        let (why, rule) = match (assault, self.state.forced, chosen) {
            (true, true, _) => ("forced", "R8"),
            (true, ..) | (false, false, Some(false)) => ("ordered", "R3"),
            (false, _, Some(_)) => ("nobody is left to assault", "R3"),
            (false, _, None) => ("default", "R3"),
        };
        cite("R2");
        let rule = cite(rule).to_string();
        self.emit(Event::Chosen { assault, why: why.to_owned(), rule });
        if assault {
            return Ok(self.open_assault());
        }
        for part in self.parts {
            for order in &part.plan.waves {
                let what = "this day was one of sniping".to_owned();
                let target = &self.data.compound.wall(order.get().target).id;
                self.fail(&part.player, order.line(), format!("wave at {target}"), what, "R3");
            }
            if part.plan.rocks.is_some() {
                self.tally(&part.player).done += 1;
            }
        }
        self.sniping()?;
        Ok(self.end_day())
    }

    /// The deck (R4 to R9).
    fn sniping(&mut self) -> Result<(), DiceError> {
        let emir = self.state.holder(Side::Mahdist, "emir").cloned();
        let plan = self.state.doctrine_of(emir.as_ref()).sniping.unwrap_or_default();
        let label = self.label("deck");
        let deck = self.dice.roll(&label, &format!("shuffle{}", self.data.tables.deck.len()))?;
        cite("R4");
        let (mut jokers, mut kills, mut flipped) = (0, 0, 0);
        let mut why = None;
        for (number, card) in (1..).zip(deck) {
            let ends = self.data.rulings.second_joker_ends;
            why = plan.stops(number - 1, jokers, kills, self.state.markers, ends);
            if why.is_some() {
                break;
            }
            flipped = number;
            let at = card.saturating_sub(1) as usize;
            let Some(card) = self.data.tables.deck.get(at).cloned() else { break };
            let rule = match card.does {
                CardDoes::Wounds => "R5",
                CardDoes::Kills => "R6",
                CardDoes::Nothing => "R7",
                CardDoes::Joker => "R8",
            };
            let room = match self.data.rulings.marker_cap {
                Some(cap) => cap.saturating_sub(self.state.markers_in_play()),
                None => u32::MAX,
            };
            let markers = card.markers.min(room);
            if markers < card.markers {
                cite("R1");
            }
            self.emit(Event::Card {
                number,
                card: card.name.clone(),
                markers,
                lost: card.markers - markers,
                rule: cite(rule).to_string(),
            });
            match card.does {
                CardDoes::Wounds => self.victim(false, &card.name),
                CardDoes::Kills => {
                    self.victim(true, &card.name);
                    kills += 1;
                }
                CardDoes::Joker => jokers += 1,
                CardDoes::Nothing => {}
            }
            if self.state.garrison(self.data).next().is_none() {
                why = Some("no defender is left".to_owned());
                break;
            }
        }
        let why = why.unwrap_or_else(|| "the deck is through".to_owned());
        self.emit(Event::Stopped { cards: flipped, why, rule: cite("R8").to_string() });
        if jokers == 2 && self.state.day < self.data.days {
            self.emit(Event::Forced { rule: cite("R8").to_string() });
        }
        Ok(())
    }

    /// Somebody is hit by a sniper: the garrison picks (R5, R6, R9).
    fn victim(&mut self, kill: bool, card: &str) {
        let standing: Vec<FigureId> = self.state.garrison(self.data).collect();
        let owner = self.state.holder(Side::Garrison, "commandant").cloned();
        let doctrine = self.state.doctrine_of(owner.as_ref());
        let list = if kill { &doctrine.kill } else { &doctrine.wound };
        let Some(id) = self.pick(list, &standing, kill) else { return };
        let cause = format!("sniping ({card})");
        let rule = if kill { "R6" } else { "R5" };
        let outcome = if kill || self.state.figure(id).wounded { "killed" } else { "wounded" };
        if !kill && outcome == "killed" {
            cite("R9");
        }
        self.emit(Event::Hit {
            figure: self.name(id),
            outcome: outcome.to_owned(),
            cause,
            rule: cite(rule).to_string(),
        });
    }

    /// The first of some defenders by a list of selectors; without one soldiers before
    /// gunners and officers, for a kill the wounded first, for a wound last.
    fn pick(&self, list: &[String], ids: &[FigureId], wounded_first: bool) -> Option<FigureId> {
        let usual = |id: &FigureId| {
            let kind = match self.data.figure(*id).kind {
                Kind::Gunner => 1,
                Kind::Officer => 2,
                _ => 0,
            };
            (self.state.figure(*id).wounded != wounded_first, kind, *id)
        };
        // A wound goes to an unwounded man as long as the list has one.
        for fresh in if wounded_first { &[false][..] } else { &[true, false] } {
            for word in list {
                let fits = |id: &FigureId| {
                    self.selected(word, *id) && !(*fresh && self.state.figure(*id).wounded)
                };
                if let Some(id) = ids.iter().copied().filter(fits).min_by_key(usual) {
                    return Some(id);
                }
            }
        }
        ids.iter().copied().min_by_key(usual)
    }

    /// True if a selector names a defender: `LZ-N.soldier`, `wounded`, `officer-2`.
    pub(super) fn selected(&self, word: &str, id: FigureId) -> bool {
        let c = &self.data.compound;
        let place = self.state.place(id);
        word.split('.').all(|part| {
            if part == "wounded" {
                return self.state.figure(id).wounded;
            }
            if let Some(kind) = Kind::parse(part) {
                return self.data.figure(id).kind == kind;
            }
            if let Some(post) = self.data.find_post(part) {
                return super::super::check::post_of(place) == Some(post)
                    || place.room(self.data).is_some_and(|room| c.room(room).id == part);
            }
            if let Some(zone) = c.find_zone(part) {
                return place.room(self.data).is_some_and(|room| c.room(room).zone == zone);
            }
            self.data.figure(id).id == part
        })
    }

    /// The first step of the first round: riflemen hide, the opening waves are
    /// announced, and everybody sees them before writing again (R15).
    fn open_assault(&mut self) -> Window {
        for part in self.parts {
            let Some(rifles) = part.plan.rocks.filter(|n| *n > 0) else { continue };
            let free = super::super::check::free_of(&self.position(), &part.player, Kind::Rifle);
            let ids: Vec<FigureId> = free.into_iter().rev().take(rifles as usize).collect();
            cite("R42");
            let figures = self.names(&ids);
            self.emit(Event::Hidden { figures });
            self.tally(&part.player).done += 1;
        }
        self.launches();
        if self.state.waves.is_empty() {
            self.default_wave();
        }
        if self.state.waves.is_empty() {
            return self.end_assault("nobody was left to form a wave", "R10");
        }
        if self.data.strict { Window::Round } else { Window::Assault }
    }

    /// The smallest lawful wave against the section with the fewest defenders, for an
    /// assault to which nobody ordered one (R8 and the ruling `smallest-wave`).
    fn default_wave(&mut self) {
        let Some((target, ids)) = self.position().smallest_wave() else { return };
        let owner = ids
            .first()
            .and_then(|id| self.state.holder(Side::Mahdist, &self.data.figure(*id).command))
            .cloned();
        if let Some(owner) = owner {
            cite("R8");
            let what = "the smallest wave goes where the fewest defenders stand".to_owned();
            self.tally(&owner).defaulted.push(what);
            let told = super::super::check::Told {
                raise: super::super::doctrine::Raise::default(),
                through: super::super::doctrine::Through::default(),
                intents: super::super::doctrine::Intent::USUAL.to_vec(),
                workers: 12,
            };
            self.launch(&owner, target, &ids, 0, &told);
        }
    }

    /// The next day, or the end of the siege.
    pub(super) fn end_day(&mut self) -> Window {
        let nobody = self.state.garrison(self.data).next().is_none();
        if nobody || self.state.day >= self.data.days {
            self.declare();
            return Window::End;
        }
        let day = self.state.day + 1;
        self.emit(Event::Next { window: Window::Day, day });
        Window::Day
    }

    /// Who withdrew stands ready again, and by the ruling `refresh` who fell.
    pub(super) fn rally(&mut self) {
        let full = self.data.rulings.refresh_full;
        let ids: Vec<FigureId> = self
            .data
            .of(Side::Mahdist)
            .filter(|id| match self.state.place(*id) {
                Place::Withdrawn => true,
                Place::Dead => full,
                _ => false,
            })
            .collect();
        if !ids.is_empty() {
            let figures = self.names(&ids);
            self.emit(Event::Rallied { figures });
        }
    }
}
