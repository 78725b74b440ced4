//! Order files as written: every table lowered to one flat shape with the place of
//! each word, before any rule is asked.

use std::ops::Range;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::read::{At, Table, document, heads};
use crate::core::source::Source;

/// The kinds of order of a siege.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Post defenders, or send them somewhere.
    Post,
    /// Hold the fire of a wall.
    Fire,
    /// Say what a gun waits for.
    Gun,
    /// Form a wave.
    Wave,
    /// Tell a wave something else.
    Tell,
    /// Withdraw a wave.
    Withdraw,
}

impl Kind {
    /// All, with their table names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Post, "post"),
        (Self::Fire, "fire"),
        (Self::Gun, "gun"),
        (Self::Wave, "wave"),
        (Self::Tell, "tell"),
        (Self::Withdraw, "withdraw"),
    ];

    /// The table's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(k, _)| *k == self).map_or("", |(_, n)| n)
    }
}

/// One order as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Its kind.
    pub kind: Kind,
    /// The bytes of its header line.
    pub span: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Where the next table begins, or the end of the file.
    pub end: usize,
    /// Figures by id.
    pub figures: Vec<At<String>>,
    /// Figures by where they stand.
    pub from: Option<At<String>>,
    /// Of which kind.
    pub kind_of: Option<At<String>>,
    /// How many.
    pub count: Option<At<u32>>,
    /// The sections whose fire is held.
    pub sections: Vec<At<String>>,
    /// Where to, or the section of a wave, or a gun.
    pub to: Option<At<String>>,
    /// On what condition.
    pub when: Option<At<String>>,
    /// Moves to hold fire for.
    pub hold: Option<At<u32>>,
    /// The smallest wave worth a shot.
    pub min_wave: Option<At<u32>>,
    /// Spears of a wave.
    pub spears: Option<At<u32>>,
    /// Rifles of a wave.
    pub rifles: Option<At<u32>>,
    /// Markers of a wave.
    pub markers: Option<At<u32>>,
    /// The round.
    pub round: Option<At<u32>>,
    /// Which wave.
    pub wave: Option<At<String>>,
    /// When markers raise the dead.
    pub raise: Option<At<String>>,
    /// What the first of a crowd do.
    pub through: Option<At<String>>,
    /// What men do within.
    pub intents: Option<At<Vec<At<String>>>>,
    /// How many work at the tower.
    pub workers: Option<At<u32>>,
}

/// `[doctrine]` as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawDoctrine {
    /// Its header.
    pub span: Range<usize>,
    /// The order of zones.
    pub zones: Option<At<Vec<At<String>>>>,
    /// What to fire at first.
    pub targets: Option<At<Vec<At<String>>>>,
    /// Fire at those who storm another section.
    pub support: Option<At<String>>,
    /// Officers in contact fire.
    pub revolver: Option<At<bool>>,
    /// Men out of contact fight within.
    pub bayonet: Option<At<bool>>,
    /// Who is wounded first.
    pub wound: Option<At<Vec<At<String>>>>,
    /// Who is killed first.
    pub kill: Option<At<Vec<At<String>>>>,
    /// Who returns first.
    pub returns: Option<At<Vec<At<String>>>>,
    /// When all withdraw.
    pub call_off: Option<At<String>>,
}

/// `[sniping]` as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSniping {
    /// Its header.
    pub span: Range<usize>,
    /// Stop at the first joker.
    pub stop_on_first_joker: Option<At<bool>>,
    /// Stop after so many cards.
    pub max_cards: Option<At<u32>>,
    /// Stop with so many markers.
    pub stop_at_markers: Option<At<u32>>,
    /// Stop after so many kills.
    pub stop_if_kills: Option<At<u32>>,
    /// `stop` or `continue`.
    pub after_second_joker: Option<At<String>>,
}

/// A whole file as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The orders, kind by kind, each kind in the order of the file.
    pub orders: Vec<Raw>,
    /// The kind of day.
    pub day: Option<(Range<usize>, Option<At<String>>)>,
    /// When to stop flipping cards.
    pub sniping: Option<RawSniping>,
    /// Riflemen who hide.
    pub rocks: Option<(Range<usize>, Option<At<u32>>)>,
    /// What stands.
    pub doctrine: Option<RawDoctrine>,
}

/// The most orders that a file may hold.
const MOST: usize = 500;

/// The longest list of words in an order: more than there are figures.
const LONGEST: usize = 200;

/// Reads a file; every fault of its form goes to `faults`.
pub fn read(source: &Source, faults: &mut Vec<Diagnostic>) -> File {
    let ends: Vec<usize> = source.text.match_indices('\n').map(|(at, _)| at).collect();
    document(&source.text, faults, |root, faults| {
        for key in ["game", "phase", "player", "head", "ticket", "final"] {
            root.allow(key);
        }
        let mut file = File::default();
        for (kind, name) in Kind::ALL {
            for mut table in root.tables(name, faults) {
                let line = 1 + ends.partition_point(|end| *end < table.span().start);
                file.orders.push(raw(kind, &mut table, line, faults));
                table.finish(&format!("[[{name}]]"), faults);
            }
        }
        let heads = heads(&source.text);
        for order in &mut file.orders {
            let next = heads.partition_point(|at| *at <= order.span.start);
            order.end = heads.get(next).copied().unwrap_or(source.text.len() + 1);
        }
        if file.orders.len() > MOST {
            let last = file.orders.split_off(MOST);
            faults.push(
                Diagnostic::error(None, format!("{} orders are too many", MOST + last.len()))
                    .at(last[0].span.clone())
                    .help(format!("only the first {MOST} of a file are read")),
            );
        }
        if let Some(mut table) = root.table("day", faults) {
            let turn = one_of(&mut table, "turn", &["sniping", "assault"], faults);
            table.require("turn", "[day]", faults);
            table.finish("[day]", faults);
            file.day = Some((table.span(), turn));
        }
        if let Some(mut table) = root.table("sniping", faults) {
            file.sniping = Some(RawSniping {
                span: table.span(),
                stop_on_first_joker: table.flag("stop_on_first_joker", faults),
                max_cards: table.number("max_cards", faults),
                stop_at_markers: table.number("stop_at_markers", faults),
                stop_if_kills: table.number("stop_if_kills", faults),
                after_second_joker: one_of(
                    &mut table,
                    "after_second_joker",
                    &["stop", "continue"],
                    faults,
                ),
            });
            table.finish("[sniping]", faults);
        }
        if let Some(mut table) = root.table("rocks", faults) {
            let rifles = table.number("rifles", faults);
            table.require("rifles", "[rocks]", faults);
            table.finish("[rocks]", faults);
            file.rocks = Some((table.span(), rifles));
        }
        if let Some(mut table) = root.table("doctrine", faults) {
            file.doctrine = Some(RawDoctrine {
                span: table.span(),
                zones: texts(&mut table, "zones", faults),
                targets: texts(&mut table, "targets", faults),
                support: table.text("support", faults),
                revolver: table.flag("revolver", faults),
                bayonet: table.flag("bayonet", faults),
                wound: texts(&mut table, "wound", faults),
                kill: texts(&mut table, "kill", faults),
                returns: texts(&mut table, "returns", faults),
                call_off: table.text("call_off", faults),
            });
            table.finish("[doctrine]", faults);
        }
        root.finish("an order file", faults);
        file
    })
}

fn texts(
    table: &mut Table<'_, '_>,
    key: &'static str,
    faults: &mut Vec<Diagnostic>,
) -> Option<At<Vec<At<String>>>> {
    let mut list = table.texts(key, faults)?;
    if list.value.len() > LONGEST {
        let has = list.value.len();
        faults.push(
            Diagnostic::error(None, format!("`{key}` has {has} words; {LONGEST} are read"))
                .at(list.span.clone())
                .help("name a place or a kind instead of so many words"),
        );
        list.value.truncate(LONGEST);
    }
    Some(list)
}

fn one_of(
    table: &mut Table<'_, '_>,
    key: &'static str,
    words: &[&str],
    faults: &mut Vec<Diagnostic>,
) -> Option<At<String>> {
    let text = table.text(key, faults)?;
    if words.contains(&text.value.as_str()) {
        return Some(text);
    }
    faults.push(no_choice(&text, key, words));
    None
}

/// A word that is none of the choices of a key.
pub fn no_choice(text: &At<String>, key: &str, words: &[&str]) -> Diagnostic {
    let fault = Diagnostic::error(None, format!("`{}` is no choice of `{key}`", text.value))
        .at(text.span.clone());
    match did_you_mean(&text.value, words.iter().copied()) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help(format!("write one of: {}", words.join(", "))),
    }
}

fn raw(kind: Kind, table: &mut Table<'_, '_>, line: usize, faults: &mut Vec<Diagnostic>) -> Raw {
    let mut raw = Raw {
        kind,
        line,
        end: usize::MAX,
        span: table.span(),
        figures: Vec::new(),
        from: None,
        kind_of: None,
        count: None,
        sections: Vec::new(),
        to: None,
        when: None,
        hold: None,
        min_wave: None,
        spears: None,
        rifles: None,
        markers: None,
        round: None,
        wave: None,
        raise: None,
        through: None,
        intents: None,
        workers: None,
    };
    let what = format!("[[{}]]", kind.name());
    match kind {
        Kind::Post => {
            raw.figures = texts(table, "figures", faults).map_or(Vec::new(), |list| list.value);
            if let Some(one) = table.text("figure", faults) {
                raw.figures.push(one);
            }
            raw.from = table.text("from", faults);
            raw.kind_of = one_of(table, "kind", &["soldier", "officer", "gunner"], faults);
            raw.count = table.number("count", faults);
            raw.to = table.text("to", faults);
            raw.when = table.text("if", faults);
            table.require("to", &what, faults);
            if raw.figures.is_empty() && raw.from.is_none() {
                table.require("figures", &what, faults);
            }
        }
        Kind::Fire => {
            raw.sections = texts(table, "at", faults).map_or(Vec::new(), |list| list.value);
            raw.hold = table.number("hold", faults);
            table.require("at", &what, faults);
            table.require("hold", &what, faults);
        }
        Kind::Gun => {
            raw.to = table.text("gun", faults);
            raw.min_wave = table.number("min_wave", faults);
            raw.hold = table.number("hold", faults);
            table.require("gun", &what, faults);
        }
        Kind::Wave => {
            raw.to = table.text("target", faults);
            raw.spears = table.number("spears", faults);
            raw.rifles = table.number("rifles", faults);
            raw.markers = table.number("markers", faults);
            raw.round = table.number("round", faults);
            raw.when = table.text("if", faults);
            told(&mut raw, table, faults);
            table.require("target", &what, faults);
            if raw.rifles.is_none() {
                table.require("spears", &what, faults);
            }
        }
        Kind::Tell => {
            raw.wave = table.text("wave", faults);
            told(&mut raw, table, faults);
            table.require("wave", &what, faults);
        }
        Kind::Withdraw => {
            raw.wave = table.text("wave", faults);
            raw.when = table.text("if", faults);
            table.require("wave", &what, faults);
        }
    }
    raw
}

fn told(raw: &mut Raw, table: &mut Table<'_, '_>, faults: &mut Vec<Diagnostic>) {
    raw.raise = one_of(table, "raise", &super::doctrine::Raise::WORDS, faults);
    raw.through = one_of(table, "through", &super::doctrine::Through::WORDS, faults);
    raw.intents = texts(table, "intents", faults);
    raw.workers = table.number("workers", faults);
}
