//! Forming waves and telling their men what to do (R14, R15, R18).

use crate::core::read::At;

use super::super::data::{Kind as FigureKind, Side, WallId};
use super::super::doctrine::{Intent, Raise, Through};
use super::super::orders::{self, Raw};
use super::super::state::Window;
use super::super::violation::Violation;
use super::{Checker, Told, WaveOrder, free_of};

impl Checker<'_> {
    pub(super) fn wave(&mut self, raw: &Raw) -> Option<WaveOrder> {
        let windows = [Window::Day, Window::Assault, Window::Launch];
        if !self.belongs(raw, Side::Mahdist, &windows) {
            return None;
        }
        let (data, state) = (self.position.data, self.position.state);
        let before = self.faults.len();
        if let Some(said) = self.quiet {
            self.fault(&Violation::NotThisDay { said }, raw.span.clone());
        }
        let target = raw.to.as_ref().and_then(|to| self.section(to));
        let when = self.condition(raw.when.as_ref());
        let told = self.told(raw, None);
        let (from, to) = match state.window {
            Window::Day => (1, 1),
            Window::Launch => (state.round, state.round),
            _ => (state.round, state.round + data.rulings.rounds_a_block - 1),
        };
        let round = raw.round.as_ref().map_or(from, |r| r.value);
        if let Some(named) = &raw.round
            && !(from..=to).contains(&round)
        {
            self.fault(&Violation::Round { round, from, to }, named.span.clone());
        }
        if let (Some(target), Some(to)) = (target, &raw.to)
            && round == state.round.max(1)
            && state.window != Window::Day
            && self.position.engaged(target)
        {
            self.fault(&Violation::Engaged { section: to.value.clone() }, to.span.clone());
        }
        let (spears, rifles) = (
            raw.spears.as_ref().map_or(0, |n| n.value),
            raw.rifles.as_ref().map_or(0, |n| n.value),
        );
        // What is left if only those waves form that are sure to, before this one.
        let sure = |w: &&super::Legal<WaveOrder>| w.get().when.is_none() && w.get().round <= round;
        let gone = |kind: FigureKind| -> usize {
            let of = |w: &WaveOrder| if kind == FigureKind::Spear { w.spears } else { w.rifles };
            self.plan.waves.iter().filter(sure).map(|w| of(w.get()) as usize).sum()
        };
        let left: usize = [FigureKind::Spear, FigureKind::Rifle]
            .map(|kind| self.free(kind).saturating_sub(gone(kind)))
            .iter()
            .sum();
        for (kind, wants, at) in
            [(FigureKind::Spear, spears, &raw.spears), (FigureKind::Rifle, rifles, &raw.rifles)]
        {
            let have = self.free(kind);
            let taken = self.taken.get(&kind).copied().unwrap_or(0);
            let has = have.saturating_sub(taken);
            if wants as usize > has {
                let what = format!("uncommitted {}s", kind.name());
                let wants = wants as usize;
                let span = at.as_ref().map_or(raw.span.clone(), |n| n.span.clone());
                self.fault(&Violation::TooFew { what, has, wants, rule: "R15" }, span);
            }
        }
        let size = (spears as usize).saturating_add(rifles as usize);
        if size < (data.tables.smallest_wave as usize).min(left).max(1) {
            let smallest = data.tables.smallest_wave;
            let span = raw.spears.as_ref().map_or(raw.span.clone(), |n| n.span.clone());
            self.fault(&Violation::SmallWave { has: size, smallest }, span);
        }
        let markers = raw.markers.as_ref().map_or(0, |n| n.value);
        if let Some(named) = &raw.markers
            && self.markers.saturating_add(markers) > state.markers
        {
            let wants = self.markers.saturating_add(markers);
            self.fault(&Violation::Markers { has: state.markers, wants }, named.span.clone());
        }
        let target = target.filter(|_| self.faults.len() == before)?;
        let told = told?;
        *self.taken.entry(FigureKind::Spear).or_default() += spears as usize;
        *self.taken.entry(FigureKind::Rifle).or_default() += rifles as usize;
        self.markers += markers;
        Some(WaveOrder { target, spears, rifles, markers, round, when, told })
    }

    /// Figures of a kind that the player leads and that are free for a wave.
    pub(super) fn free(&self, kind: FigureKind) -> usize {
        free_of(self.position, self.player, kind).len()
    }

    pub(super) fn section(&mut self, text: &At<String>) -> Option<WallId> {
        let c = &self.position.data.compound;
        let found = c.find_wall(&text.value).filter(|w| c.sections().any(|s| s == *w));
        if found.is_none() {
            let known: Vec<&str> = c.sections().map(|w| c.wall(w).id.as_str()).collect();
            self.unknown("wall section", text, &known);
        }
        found
    }

    pub(super) fn told(&mut self, raw: &Raw, base: Option<Told>) -> Option<Told> {
        let base = base.unwrap_or(Told {
            raise: Raise::default(),
            through: Through::default(),
            intents: Intent::USUAL.to_vec(),
            workers: 12,
        });
        let before = self.faults.len();
        let mut intents = Vec::new();
        for word in raw.intents.iter().flat_map(|list| &list.value) {
            match Intent::parse(&word.value) {
                Some(intent) if !intents.contains(&intent) => intents.push(intent),
                Some(_) => {}
                None => {
                    let words = Intent::ALL.map(|(_, word)| word);
                    self.faults.push(orders::no_choice(word, "intents", &words));
                }
            }
        }
        if intents.is_empty() {
            intents = base.intents;
        }
        let army = self.position.data.of(Side::Mahdist).count();
        if let Some(workers) = raw.workers.as_ref().filter(|n| n.value as usize > army) {
            let (what, wants) = ("workers".to_owned(), workers.value as usize);
            let violation = Violation::TooFew { what, has: army, wants, rule: "R43" };
            self.fault(&violation, workers.span.clone());
        }
        (self.faults.len() == before).then(|| Told {
            raise: raw.raise.as_ref().and_then(|w| Raise::parse(&w.value)).unwrap_or(base.raise),
            through: raw
                .through
                .as_ref()
                .and_then(|w| Through::parse(&w.value))
                .unwrap_or(base.through),
            intents,
            workers: raw.workers.as_ref().map_or(base.workers, |n| n.value),
        })
    }

    /// A wave of this player that can be ordered.
    pub(super) fn own_wave(&mut self, raw: &Raw) -> Option<u32> {
        let text = raw.wave.as_ref()?;
        let number = text.value.strip_prefix("wave-").and_then(|n| n.parse::<u32>().ok());
        let wave = number.and_then(|n| self.position.state.wave(n)).filter(|w| w.active());
        let Some(wave) = wave else {
            let wave = text.value.clone();
            self.fault(&Violation::WaveOver { wave }, text.span.clone());
            return None;
        };
        if wave.player != *self.player {
            let (what, commander) = (text.value.clone(), wave.player.to_string());
            self.fault(&Violation::NotYours { what, commander }, text.span.clone());
            return None;
        }
        Some(wave.number)
    }
}
