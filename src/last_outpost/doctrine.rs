//! What players order to stand: how the garrison fires and is hit, how the Mahdists
//! snipe and fight, in place of the decisions that a table would ask for one by one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// When markers raise the dead of a wave (R19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Raise {
    /// As soon as five have fallen.
    #[default]
    AtOnce,
    /// Not before the wave stands at the compound.
    Contact,
    /// Only when nobody of the wave is left.
    Last,
}

impl Raise {
    /// The words of order files.
    pub const WORDS: [&'static str; 3] = ["at-once", "contact", "last"];

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::AtOnce, Self::Contact, Self::Last]
            .into_iter()
            .zip(Self::WORDS)
            .find(|(_, w)| *w == word)
            .map(|(it, _)| it)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::AtOnce => "at-once",
            Self::Contact => "contact",
            Self::Last => "last",
        }
    }
}

/// What the first of a crowd before a barrier do (ruling `who-crosses`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Through {
    /// They cross where places are empty.
    #[default]
    Gaps,
    /// They attack holders first.
    Holders,
}

impl Through {
    /// The words of order files.
    pub const WORDS: [&'static str; 2] = ["gaps", "holders"];

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "gaps" => Some(Self::Gaps),
            "holders" => Some(Self::Holders),
            _ => None,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gaps => "gaps",
            Self::Holders => "holders",
        }
    }
}

/// What Mahdists do within the compound, in order of wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intent {
    /// Fight whoever is in the zone where one stands.
    Fight,
    /// The guns (R44).
    Guns,
    /// The water tower (R43).
    Tower,
    /// The walled yard with the hospital (R45).
    Hospital,
    /// The door of the redoubt, and up (R39, R40).
    Redoubt,
    /// Whoever is nearest, in any zone but the redoubt.
    Hunt,
}

impl Intent {
    /// All, with the words of order files.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Fight, "fight"),
        (Self::Guns, "guns"),
        (Self::Tower, "tower"),
        (Self::Hospital, "hospital"),
        (Self::Redoubt, "redoubt"),
        (Self::Hunt, "hunt"),
    ];

    /// What men do who were told nothing.
    pub const USUAL: [Self; 6] =
        [Self::Fight, Self::Guns, Self::Hospital, Self::Tower, Self::Hunt, Self::Redoubt];

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(it, _)| *it)
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(it, _)| *it == self).map_or("", |(_, w)| w)
    }
}

/// When the emir stops flipping cards (R8).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sniping {
    /// Stop at the first joker.
    pub stop_on_first_joker: bool,
    /// Stop after so many cards.
    pub max_cards: u32,
    /// Stop with so many markers in hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_at_markers: Option<u32>,
    /// Stop after so many have been killed today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_if_kills: Option<u32>,
    /// Flip on after both jokers.
    pub after_second_joker: bool,
}

impl Sniping {
    /// Why no other card is flipped after so many, with so many jokers and kills today
    /// and so many markers in hand; `None` to flip on. `ends` is the ruling
    /// `second-joker`.
    pub fn stops(
        &self,
        flipped: u32,
        jokers: u32,
        kills: u32,
        markers: u32,
        ends: bool,
    ) -> Option<String> {
        if flipped >= self.max_cards {
            return Some(format!("max_cards = {}", self.max_cards));
        }
        if self.stop_on_first_joker && jokers == 1 {
            return Some("the first joker (stop_on_first_joker)".to_owned());
        }
        if jokers == 2 && ends {
            return Some("the second joker (ruling `second-joker`)".to_owned());
        }
        if jokers == 2 && !self.after_second_joker {
            return Some("the second joker (after_second_joker)".to_owned());
        }
        if let Some(n) = self.stop_at_markers.filter(|n| markers >= *n) {
            return Some(format!("{markers} in hand (stop_at_markers = {n})"));
        }
        if let Some(n) = self.stop_if_kills.filter(|n| kills >= *n) {
            return Some(format!("{kills} killed today (stop_if_kills = {n})"));
        }
        None
    }

    /// In words, what ends the flipping.
    pub fn words(&self) -> String {
        let mut stops = Vec::new();
        if self.stop_on_first_joker {
            stops.push("the first joker".to_owned());
        } else if !self.after_second_joker {
            stops.push("the second joker".to_owned());
        }
        if self.max_cards < 12 {
            stops.push(format!("{} cards", self.max_cards));
        }
        if let Some(n) = self.stop_at_markers {
            stops.push(format!("{n} markers in hand"));
        }
        if let Some(n) = self.stop_if_kills {
            stops.push(format!("{n} killed"));
        }
        match stops.as_slice() {
            [] => "all twelve cards".to_owned(),
            stops => format!("until {}", stops.join(" or ")),
        }
    }
}

impl Default for Sniping {
    fn default() -> Self {
        Self {
            stop_on_first_joker: true,
            max_cards: 12,
            stop_at_markers: None,
            stop_if_kills: None,
            after_second_joker: false,
        }
    }
}

/// Whether men fire at those who storm another section, which opens theirs (R26).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// Never.
    Never,
    /// If nobody stands before or comes at their own section.
    #[default]
    IfFree,
    /// Always.
    Always,
}

impl Support {
    /// The words of order files.
    pub const WORDS: [&'static str; 3] = ["never", "if-free", "always"];

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "never" => Some(Self::Never),
            "if-free" => Some(Self::IfFree),
            "always" => Some(Self::Always),
            _ => None,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::IfFree => "if-free",
            Self::Always => "always",
        }
    }
}

/// How the garrison uses a gun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GunPlan {
    /// The smallest wave worth a shot.
    pub min_wave: u32,
    /// Not before a wave has made so many moves.
    pub hold: u32,
}

/// All that a player ordered to stand. Empty lists and `None` mean the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doctrine {
    /// The order of zones (R11); the most threatened first if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<String>,
    /// What to fire at first: `inside`, `wall`, `wave`, `next`, `snipers`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Fire at those who storm another section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<Support>,
    /// Officers in contact fire (true) or fight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revolver: Option<bool>,
    /// Loaded men out of contact join the fight within instead of firing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bayonet: Option<bool>,
    /// Who is wounded first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wound: Vec<String>,
    /// Who is killed first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kill: Vec<String>,
    /// Who returns first (R46).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returns: Vec<String>,
    /// Hold the fire of a section until the wave has made so many moves.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hold: BTreeMap<String, u32>,
    /// Guns.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guns: BTreeMap<String, GunPlan>,
    /// When to stop flipping cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sniping: Option<Sniping>,
    /// A condition on which all Mahdists withdraw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_off: Option<String>,
}

impl Doctrine {
    /// What stands, as an order file has it, a line each: it can be sent back as it is.
    pub fn orders(&self) -> Vec<String> {
        let text = |word: &str| toml::Value::String(word.to_owned()).to_string();
        let list = |words: &[String]| {
            format!("[{}]", words.iter().map(|w| text(w)).collect::<Vec<_>>().join(", "))
        };
        let mut out = Vec::new();
        let mut holds: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (wall, hold) in &self.hold {
            holds.entry(*hold).or_default().push(wall.clone());
        }
        for (hold, walls) in holds {
            out.push("[[fire]]".to_owned());
            out.push(format!("at = {}", list(&walls)));
            out.push(format!("hold = {hold}"));
        }
        for (gun, plan) in &self.guns {
            out.push("[[gun]]".to_owned());
            out.push(format!("gun = {}", text(gun)));
            out.push(format!("min_wave = {}", plan.min_wave));
            out.push(format!("hold = {}", plan.hold));
        }
        if let Some(plan) = &self.sniping {
            let after = if plan.after_second_joker { "continue" } else { "stop" };
            out.push("[sniping]".to_owned());
            out.push(format!("stop_on_first_joker = {}", plan.stop_on_first_joker));
            out.push(format!("max_cards = {}", plan.max_cards));
            out.extend(plan.stop_at_markers.map(|n| format!("stop_at_markers = {n}")));
            out.extend(plan.stop_if_kills.map(|n| format!("stop_if_kills = {n}")));
            out.push(format!("after_second_joker = {}", text(after)));
        }
        let mut table = Vec::new();
        for (key, words) in [
            ("zones", &self.zones),
            ("targets", &self.targets),
            ("wound", &self.wound),
            ("kill", &self.kill),
            ("returns", &self.returns),
        ] {
            if !words.is_empty() {
                table.push(format!("{key} = {}", list(words)));
            }
        }
        table.extend(self.support.map(|s| format!("support = {}", text(s.word()))));
        table.extend(self.revolver.map(|b| format!("revolver = {b}")));
        table.extend(self.bayonet.map(|b| format!("bayonet = {b}")));
        table.extend(self.call_off.as_ref().map(|c| format!("call_off = {}", text(c))));
        if !table.is_empty() {
            out.push("[doctrine]".to_owned());
            out.extend(table);
        }
        out
    }
}
