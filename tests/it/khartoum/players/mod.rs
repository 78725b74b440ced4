//! Random players who write lawful order files of every kind.

mod fights;
mod march;
mod setup;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use despatch::core::dice::{ChaChaWords, Words, below};
use despatch::core::id::Id;
use despatch::geometry::hex::Hex;
use despatch::omdurman::check::sets_up;
use despatch::omdurman::data::{Army, Data, UnitId};
use despatch::omdurman::position::Position;
use despatch::omdurman::state::{State, Window};

/// A stream of random numbers for tests.
pub struct Luck(ChaChaWords);

impl Luck {
    /// From a number.
    pub fn new(seed: u64) -> Self {
        let mut key = [7; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaChaWords::keyed(key))
    }

    /// 0 to n - 1.
    pub fn below(&mut self, n: usize) -> usize {
        if n < 2 { 0 } else { below(&mut self.0, u32::try_from(n).unwrap()) as usize }
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// One of a list.
    pub fn one<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }

    /// 32 random bytes in hex.
    pub fn hex64(&mut self) -> String {
        (0..8).fold(String::new(), |mut text, _| {
            let _ = write!(text, "{:08x}", self.0.word());
            text
        })
    }
}

/// What the players of one game are inclined to do, so that rare things happen in some
/// of the games.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaning {
    /// The Anglo-Egyptians go to where the Zariba may be built, and build it.
    pub digs: bool,
    /// Orders for many units at once: `towards`, `follow`, words for many.
    pub many: bool,
}

impl Leaning {
    /// The leaning of a game by its seed.
    pub fn of(seed: u64) -> Self {
        Self { digs: seed % 4 == 1, many: seed.is_multiple_of(2) }
    }
}

/// Where everybody would stand as the orders so far leave them.
struct Plan<'a> {
    position: &'a Position<'a>,
    there: BTreeMap<Hex, Vec<UnitId>>,
}

impl<'a> Plan<'a> {
    fn new(position: &'a Position<'a>, army: Army) -> Self {
        let mut there: BTreeMap<Hex, Vec<UnitId>> = BTreeMap::new();
        for id in position.data.ids() {
            if let (Some(hex), true) = (position.state.hex(id), position.data.unit(id).army == army)
            {
                there.entry(hex).or_default().push(id);
            }
        }
        Self { position, there }
    }

    /// Whether a unit may stand there.
    fn fits(&self, id: UnitId, to: Hex) -> bool {
        let others: Vec<UnitId> =
            self.there.get(&to).into_iter().flatten().copied().filter(|o| *o != id).collect();
        self.position.may_join(to, &others, id).is_ok()
    }

    /// Moves a unit if it may stand there.
    fn go(&mut self, id: UnitId, from: Option<Hex>, to: Hex) -> bool {
        if !self.fits(id, to) {
            return false;
        }
        if let Some(from) = from {
            self.there.entry(from).or_default().retain(|o| *o != id);
        }
        self.there.entry(to).or_default().push(id);
        true
    }
}

/// A player at his desk: what he sees, what is his, what he has written so far.
struct Desk<'a> {
    position: &'a Position<'a>,
    data: &'a Data,
    army: Army,
    mine: Vec<UnitId>,
    luck: &'a mut Luck,
    leaning: Leaning,
    out: String,
}

impl Desk<'_> {
    fn name(&self, id: UnitId) -> String {
        self.data.unit(id).id.clone()
    }

    /// Writes one order.
    fn write(&mut self, kind: &str, lines: &[String]) {
        let _ = writeln!(self.out, "[[{kind}]]");
        for line in lines {
            let _ = writeln!(self.out, "{line}");
        }
    }

    /// `units = ["a", "b"]`.
    fn units(&self, ids: &[UnitId]) -> String {
        let names: Vec<String> = ids.iter().map(|id| self.name(*id)).collect();
        format!("units = {}", list(&names))
    }

    /// The units of this player that a word names.
    fn answering(&self, word: &str) -> Vec<UnitId> {
        let all = self.data.answering(word);
        all.into_iter().filter(|id| self.mine.contains(id)).collect()
    }

    /// The hexes of the other army.
    fn enemies(&self) -> Vec<Hex> {
        self.position.hexes(self.army.enemy())
    }

    /// The hexes where so many of this player's units stand that one of their kinds of
    /// order is worth a `stack`.
    fn stack_of(&self, id: UnitId) -> Vec<UnitId> {
        let Some(hex) = self.position.state.hex(id) else { return Vec::new() };
        self.position.at(hex).iter().copied().filter(|o| self.mine.contains(o)).collect()
    }
}

/// A list of words as TOML.
fn list<T: std::fmt::Display>(words: &[T]) -> String {
    let words: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
    format!("[{}]", words.join(", "))
}

/// A lawful order file of a player, without header, from what he may see: random, with
/// a leaning towards the enemy, towards what decides the game, and towards what is rare.
pub fn orders(data: &Data, view: &State, player: &Id, luck: &mut Luck, leaning: Leaning) -> String {
    let position = Position::new(data, view);
    let Some(army) = view.army(data, player) else { return String::new() };
    let mine: Vec<UnitId> = data.ids().filter(|id| view.owner(data, *id) == Some(player)).collect();
    let mut desk =
        Desk { position: &position, data, army, mine, luck, leaning, out: String::new() };
    desk.losses();
    match view.window {
        Window::Setup | Window::Setup2 if sets_up(&position, army) => desk.setup(),
        Window::Move if army == view.moving => desk.movement(),
        Window::Setup | Window::Setup2 | Window::Move | Window::End => {}
        _ => desk.combat(),
    }
    desk.standing();
    desk.out
}

impl Desk<'_> {
    /// Words that loss lists may hold.
    fn loss_words(&mut self) -> Vec<String> {
        let mut words: BTreeSet<String> = BTreeSet::new();
        for _ in 0..=self.luck.below(3) {
            let Some(id) = self.luck.one(&self.mine).copied() else { continue };
            let unit = self.data.unit(id);
            let all = [&unit.id, &unit.class, &unit.command];
            words.insert((*all[self.luck.below(all.len())]).clone());
        }
        words.into_iter().collect()
    }

    fn losses(&mut self) {
        if self.luck.percent(10) {
            let words = self.loss_words();
            let _ = writeln!(self.out, "losses = {}", list(&words));
        }
    }

    fn standing(&mut self) {
        if !self.luck.percent(8) {
            return;
        }
        self.out.push_str("[standing]\n");
        if self.luck.percent(50) {
            let words = self.loss_words();
            let _ = writeln!(self.out, "losses = {}", list(&words));
        }
        let advance = self.luck.percent(50);
        let _ = writeln!(self.out, "advance = {advance}");
        if self.luck.percent(40) {
            let fire = if self.luck.percent(80) { "nearest" } else { "hold" };
            let _ = writeln!(self.out, "fire = \"{fire}\"");
        }
        if self.luck.percent(40) {
            let retreat = if self.luck.percent(60) { "away" } else { "never" };
            let _ = writeln!(self.out, "retreat = \"{retreat}\"");
        }
    }
}
