//! Armies, kinds, weapons and counters (rules 2.3, 6.5).

use serde::Deserialize;

use crate::geometry::hex::Hex;

/// An army of the rules; a scenario gives it a side's name (`british`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Army {
    /// The Anglo-Egyptian army.
    AngloEgyptian,
    /// The Dervish army.
    Dervish,
}

impl Army {
    /// The other army.
    #[must_use]
    pub fn enemy(self) -> Self {
        match self {
            Self::AngloEgyptian => Self::Dervish,
            Self::Dervish => Self::AngloEgyptian,
        }
    }
}

/// The kind of a counter (rules 2.3, 6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Infantry.
    Infantry,
    /// Cavalry.
    Cavalry,
    /// Camel troops.
    Camel,
    /// Artillery.
    Artillery,
    /// A Maxim battery.
    Maxim,
    /// A Dervish or an old Anglo-Egyptian gunboat.
    Gunboat,
    /// A new, named gunboat.
    NamedGunboat,
    /// A fort.
    Fort,
    /// A Dervish leader with his retinue.
    Leader,
    /// An Anglo-Egyptian leader.
    Staff,
}

impl Kind {
    /// True for gunboats of both kinds.
    pub fn is_gunboat(self) -> bool {
        matches!(self, Self::Gunboat | Self::NamedGunboat)
    }

    /// The word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Infantry => "infantry",
            Self::Cavalry => "cavalry",
            Self::Camel => "camel",
            Self::Artillery => "artillery",
            Self::Maxim => "Maxims",
            Self::Gunboat => "gunboat",
            Self::NamedGunboat => "named gunboat",
            Self::Fort => "fort",
            Self::Leader | Self::Staff => "leader",
        }
    }
}

/// A line of the range table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weapon {
    /// Spears and swords.
    Spears,
    /// Rifles.
    Rifles,
    /// Maxim guns.
    Maxims,
    /// Artillery.
    Artillery,
    /// Howitzers of named gunboats.
    Howitzer,
    /// No weapon.
    None,
}

impl Weapon {
    /// The name in the charts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spears => "spears",
            Self::Rifles => "rifles",
            Self::Maxims => "maxims",
            Self::Artillery => "artillery",
            Self::Howitzer => "howitzer",
            Self::None => "none",
        }
    }
}

/// A range effect: what a fire factor is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Multiplier {
    /// Halved, rounded down, at least 1 (6.1.H).
    Half,
    /// Multiplied.
    Times(u32),
}

impl Multiplier {
    /// The factors that count.
    pub fn of(self, factor: u32) -> u32 {
        match self {
            Self::Half => (factor / 2).max(1),
            Self::Times(n) => factor * n,
        }
    }

    /// As the report prints it.
    pub fn text(self) -> String {
        match self {
            Self::Half => "1/2".to_owned(),
            Self::Times(n) => format!("x{n}"),
        }
    }
}

/// A unit of the game, by its place in the roster (ids sorted).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(pub u16);

/// The printed side of a counter in play.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Such as `mulazmin-07`.
    pub id: String,
    /// Such as `Mulazmin`.
    pub name: String,
    /// Its army.
    pub army: Army,
    /// The command that orders it.
    pub command: String,
    /// Dervish tribe, where it has one.
    pub tribe: Option<String>,
    /// The word by which loss lists may name it: tribe, nation or kind.
    pub class: String,
    /// The colour of a Dervish counter.
    pub colour: Option<String>,
    /// Brigade of an Anglo-Egyptian battalion (5.5.4).
    pub brigade: Option<String>,
    /// Its kind.
    pub kind: Kind,
    /// What it fires.
    pub weapon: Weapon,
    /// Friendlies fire on the Dervish table and melee with the Dervish modifier.
    pub friendlies: bool,
    /// The Royal Engineers (6.5.3).
    pub engineers: bool,
    /// The counter line that it comes from, such as `british-1b`.
    pub line: String,
    /// Fire factor.
    pub fire: u32,
    /// Fire factor of a named gunboat's Maxims, beside `fire` (2.3.2.C).
    pub maxim: Option<u32>,
    /// Melee factor.
    pub melee: u32,
    /// Movement allowance; of a gunboat, against the current.
    pub ma: u32,
    /// Movement allowance of a gunboat with the current; else as `ma`.
    pub down: u32,
    /// A fort's hex.
    pub fort: Option<Hex>,
    /// Where its figures come from.
    pub source: String,
}

impl Unit {
    /// Its weapons for direct fire: a named gunboat has two (2.3.2.C).
    pub fn arms(&self) -> impl Iterator<Item = (Weapon, u32)> + use<> {
        let main =
            (self.weapon != Weapon::None && self.fire > 0).then_some((self.weapon, self.fire));
        let maxims = self.maxim.map(|factor| (Weapon::Maxims, factor));
        main.into_iter().chain(maxims)
    }

    /// True for units that fire Maxims, and so fire twice (6.4.2.B).
    pub fn has_maxims(&self) -> bool {
        self.weapon == Weapon::Maxims || self.maxim.is_some()
    }

    /// True if the unit can be ordered about by the word: its id, its class (tribe,
    /// nation or kind), command, brigade or kind.
    pub fn answers_to(&self, word: &str) -> bool {
        // `egy-batt` for `egy-batt-1` and its sisters.
        let stem = self.id.rsplit_once('-').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit()));
        self.id == word
            || stem.is_some_and(|(stem, _)| stem == word)
            || self.class == word
            || self.command == word
            || self.kind.name() == word
            || self.brigade.as_deref().is_some_and(|b| b.eq_ignore_ascii_case(word))
    }

    /// `9-5-8`, as on the counter.
    pub fn factors(&self) -> String {
        if self.kind.is_gunboat() {
            format!("{}-{}-{}/{}", self.fire, self.melee, self.ma, self.down)
        } else {
            format!("{}-{}-{}", self.fire, self.melee, self.ma)
        }
    }
}
