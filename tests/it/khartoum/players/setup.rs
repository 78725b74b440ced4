//! Random set-up: each unit in a hex of its zone, and the notes about the Nile.

use std::collections::BTreeSet;

use despatch::geometry::hex::Hex;
use despatch::omdurman::board::{Bank, Terrain};
use despatch::omdurman::check::setup_hexes;
use despatch::omdurman::data::UnitId;
use despatch::omdurman::state::Place;

use super::{Desk, Plan};

impl Desk<'_> {
    pub(super) fn setup(&mut self) {
        let mut plan = Plan::new(self.position, self.army);
        let forts: BTreeSet<Hex> = (self.data.scenario.gordon.is_some())
            .then(|| self.data.board.grid.hexes().filter(|h| self.position.fort(*h).is_some()))
            .into_iter()
            .flatten()
            .collect();
        let waiting: Vec<UnitId> = self.mine.clone();
        let mut at = 0;
        while at < waiting.len() {
            let id = waiting[at];
            // Some neighbours of one kind together in a hex.
            let like = |o: &&UnitId| self.data.unit(**o).line == self.data.unit(id).line;
            let many = waiting[at..].iter().take_while(like).count();
            let take = 1 + self.luck.below(many.min(4));
            let group = &waiting[at..at + take];
            at += take;
            if self.position.state.unit(id).place != Place::Waiting || self.luck.percent(20) {
                continue;
            }
            let mut hexes = setup_hexes(self.position, id);
            if self.luck.percent(30) && hexes.iter().any(|h| forts.contains(h)) {
                hexes.retain(|hex| forts.contains(hex));
            }
            let Some(hex) = self.luck.one(&hexes).copied() else { continue };
            let placed: Vec<UnitId> =
                group.iter().copied().filter(|unit| plan.go(*unit, None, hex)).collect();
            match placed[..] {
                [] => {}
                [one] if self.luck.percent(50) => {
                    let unit = format!("unit = \"{}\"", self.name(one));
                    self.write("place", &[unit, format!("hex = \"{hex}\"")]);
                }
                _ => {
                    let units = self.units(&placed);
                    self.write("place", &[units, format!("hex = \"{hex}\"")]);
                }
            }
        }
        let khalifa = self.data.find("khalifa").is_some_and(|id| self.mine.contains(&id));
        if khalifa && self.data.scenario.river.any() && self.luck.percent(90) {
            self.hide();
        }
    }

    /// Two mines, or a chain and nothing.
    fn hide(&mut self) {
        let river = self.data.scenario.river;
        let notes = if river.mines && (!river.chain || self.luck.percent(50)) {
            let hexes: Vec<Hex> = self.river();
            let first = hexes[self.luck.below(hexes.len())];
            let others: Vec<Hex> = hexes.into_iter().filter(|h| *h != first).collect();
            let second = others[self.luck.below(others.len())];
            [format!("mine {first}"), format!("mine {second}")]
        } else {
            let chain: Vec<String> = self.chain().iter().map(ToString::to_string).collect();
            [format!("chain {}", chain.join(" ")), "nothing".to_owned()]
        };
        for note in notes {
            let salt = self.luck.hex64();
            self.write("hide", &[format!("note = \"{note}\""), format!("salt = \"{salt}\"")]);
        }
    }

    /// The Nile south of the Khor Shambat.
    fn river(&self) -> Vec<Hex> {
        let board = &self.data.board;
        let south = |h: &Hex| h.row > board.khor_mouth_row;
        let nile = |h: &Hex| board.has(*h) && board.terrain(*h) == Terrain::Nile;
        board.grid.hexes().filter(|h| nile(h) && south(h)).collect()
    }

    /// A line of one to four Nile hexes from one bank to another, or to an island.
    fn chain(&mut self) -> Vec<Hex> {
        let board = &self.data.board;
        let river = self.river();
        let banks = |hex: Hex| -> Vec<Option<Bank>> {
            let dry = |n: &Hex| board.terrain(*n) != Terrain::Nile;
            board.neighbours(hex).map(|(_, n)| n).filter(dry).map(|n| board.bank(n)).collect()
        };
        loop {
            let mut line = vec![river[self.luck.below(river.len())]];
            for _ in 0..self.luck.below(4) {
                let next: Vec<Hex> = board
                    .neighbours(line[line.len() - 1])
                    .map(|(_, n)| n)
                    .filter(|n| river.contains(n) && !line.contains(n))
                    .collect();
                line.extend(self.luck.one(&next));
            }
            let (a, b) = (banks(line[0]), banks(line[line.len() - 1]));
            if let (Some(one), false) = (a.first(), b.is_empty())
                && a.iter().chain(&b).any(|bank| bank != one)
            {
                return line;
            }
        }
    }
}
