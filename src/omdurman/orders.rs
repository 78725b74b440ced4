//! Order files as written: every table lowered to one flat shape with the place of
//! each word, before any rule is asked.

use std::ops::Range;

use crate::core::diag::{Diagnostic, did_you_mean};
use crate::core::read::{At, Table, document, heads};
use crate::core::source::Source;

/// The kinds of order of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Set up a unit.
    Place,
    /// Hide something in the Nile.
    Hide,
    /// Enter the map.
    Enter,
    /// Move.
    Move,
    /// Move by way of the mouths of the Nile.
    Transfer,
    /// Move after a leader.
    Follow,
    /// Go on board a gunboat.
    Load,
    /// Go ashore.
    Disembark,
    /// Build hexsides of the Zariba.
    Construct,
    /// Destroy a fort, a wall or the chain.
    Demolish,
    /// Who deserts first.
    Desert,
    /// Fire.
    Fire,
    /// Second fire of Maxims.
    Second,
    /// Hold fire.
    Hold,
    /// Attack in melee.
    Melee,
    /// Retreat before melee.
    Retreat,
}

impl Kind {
    /// All, with their table names.
    pub const ALL: [(Self, &'static str); 16] = [
        (Self::Place, "place"),
        (Self::Hide, "hide"),
        (Self::Load, "load"),
        (Self::Enter, "enter"),
        (Self::Move, "move"),
        (Self::Transfer, "transfer"),
        (Self::Follow, "follow"),
        (Self::Disembark, "disembark"),
        (Self::Construct, "construct"),
        (Self::Demolish, "demolish"),
        (Self::Desert, "desert"),
        (Self::Fire, "fire"),
        (Self::Second, "second"),
        (Self::Hold, "hold"),
        (Self::Melee, "melee"),
        (Self::Retreat, "retreat"),
    ];

    /// The table's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(k, _)| *k == self).map_or("", |(_, n)| n)
    }

    /// True for orders that bring units to other hexes in the movement phase.
    pub fn moves(self) -> bool {
        matches!(self, Self::Enter | Self::Move | Self::Transfer | Self::Follow | Self::Disembark)
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
    /// Units by id.
    pub units: Vec<At<String>>,
    /// Units by the hex that they stand in.
    pub stack: Option<At<String>>,
    /// Targets (fire, melee), or the entry hex.
    pub at: Vec<At<String>>,
    /// Destination, or the hex to set up in.
    pub to: Option<At<String>>,
    /// Where to go as far as the points allow.
    pub towards: Option<At<String>>,
    /// The path.
    pub path: Option<At<Vec<At<String>>>>,
    /// Advance after combat.
    pub advance: Option<At<bool>>,
    /// Which weapon.
    pub weapon: Option<At<String>>,
    /// A howitzer's fire joins second fire where it falls as meant.
    pub combine: Option<At<bool>>,
    /// `boat` of a load, `leader` of a follow, `how` of a retreat, `note` of a hide.
    pub word: Option<At<String>>,
    /// The salt of a hide.
    pub salt: Option<At<String>>,
}

/// `[standing]` as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawStanding {
    /// Loss preferences.
    pub losses: Option<Vec<At<String>>>,
    /// Fire policy.
    pub fire: Option<At<String>>,
    /// Advance policy.
    pub advance: Option<At<bool>>,
    /// Retreat policy.
    pub retreat: Option<At<String>>,
}

/// A whole file as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The orders, kind by kind, each kind in the order of the file.
    pub orders: Vec<Raw>,
    /// Loss preferences of this phase only.
    pub losses: Option<Vec<At<String>>>,
    /// Standing orders, if the file changes them.
    pub standing: Option<RawStanding>,
}

/// The longest list of words in an order: more than any side has units.
const LONGEST: usize = 300;

/// The most orders that a file may hold.
const MOST: usize = 1000;

/// Reads a file; every fault of its form goes to `faults`.
pub fn read(source: &Source, faults: &mut Vec<Diagnostic>) -> File {
    let ends: Vec<usize> = source.text.match_indices('\n').map(|(at, _)| at).collect();
    document(&source.text, faults, |root, faults| {
        for key in ["game", "phase", "player", "head", "ticket", "final"] {
            root.allow(key);
        }
        let mut file = File { losses: texts(root, "losses", faults), ..File::default() };
        for (kind, name) in Kind::ALL {
            for mut table in root.tables(name, faults) {
                let line = 1 + ends.partition_point(|end| *end < table.span().start);
                let raw = raw(kind, &mut table, line, faults);
                let before = faults.len();
                table.finish(&format!("[[{name}]]"), faults);
                losses_above(&mut faults[before..]);
                file.orders.push(raw);
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
        if let Some(mut table) = root.table("standing", faults) {
            file.standing = Some(RawStanding {
                losses: texts(&mut table, "losses", faults),
                fire: one_of(&mut table, "fire", &["nearest", "hold"], faults),
                advance: table.flag("advance", faults),
                retreat: one_of(&mut table, "retreat", &["away", "never"], faults),
            });
            table.finish("[standing]", faults);
        }
        root.finish("an order file", faults);
        file
    })
}

/// What stands below a table's head belongs to that table: said where it is `losses`.
fn losses_above(faults: &mut [Diagnostic]) {
    for fault in faults.iter_mut().filter(|f| f.message.starts_with("`losses` is no key")) {
        let help = "losses of this phase stand above the first [[...]], lasting ones in [standing]";
        fault.help = Some(help.to_owned());
    }
}

fn texts(
    table: &mut Table<'_, '_>,
    key: &'static str,
    faults: &mut Vec<Diagnostic>,
) -> Option<Vec<At<String>>> {
    let mut list = table.texts(key, faults)?;
    if list.value.len() > LONGEST {
        let has = list.value.len();
        faults.push(
            Diagnostic::error(None, format!("`{key}` has {has} words; {LONGEST} are read"))
                .at(list.span)
                .help("name a stack, a tribe or a kind instead of so many words"),
        );
        list.value.truncate(LONGEST);
    }
    Some(list.value)
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
    let fault = Diagnostic::error(None, format!("`{}` is no choice of `{key}`", text.value))
        .at(text.span.clone());
    faults.push(match did_you_mean(&text.value, words.iter().copied()) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help(format!("write one of: {}", words.join(", "))),
    });
    None
}

fn raw(kind: Kind, table: &mut Table<'_, '_>, line: usize, faults: &mut Vec<Diagnostic>) -> Raw {
    let hides = kind == Kind::Hide;
    let mut units =
        if hides { Vec::new() } else { texts(table, "units", faults).unwrap_or_default() };
    if !hides && let Some(unit) = table.text("unit", faults) {
        units.push(unit);
    }
    let fires = matches!(kind, Kind::Fire | Kind::Second);
    let stacks = !matches!(
        kind,
        Kind::Place | Kind::Hide | Kind::Enter | Kind::Load | Kind::Disembark | Kind::Desert
    );
    let stack = if stacks { table.text("stack", faults) } else { None };
    let at = match kind {
        Kind::Fire | Kind::Second | Kind::Melee | Kind::Enter | Kind::Demolish => {
            texts(table, "at", faults).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let steers = kind.moves() && kind != Kind::Follow;
    let to = match kind {
        Kind::Place => table.text("hex", faults),
        _ if steers => table.text("to", faults),
        _ => None,
    };
    let towards = if steers { table.text("towards", faults) } else { None };
    let mut path = if steers || kind == Kind::Retreat { table.texts("path", faults) } else { None };
    if let Some(path) = path.as_mut().filter(|p| p.value.len() > LONGEST) {
        let text = format!("a path of {} hexes is longer than any unit can go", path.value.len());
        faults.push(Diagnostic::error(None, text).at(path.span.clone()));
        path.value.truncate(LONGEST);
    }
    let advance = if fires || kind == Kind::Melee { table.flag("advance", faults) } else { None };
    let weapon = match kind {
        Kind::Fire => one_of(table, "weapon", &["artillery", "maxim", "howitzer"], faults),
        _ => None,
    };
    let combine = if kind == Kind::Fire { table.flag("combine", faults) } else { None };
    let word = match kind {
        Kind::Load => table.text("boat", faults),
        Kind::Follow => table.text("leader", faults),
        Kind::Retreat => one_of(table, "how", &["away", "never"], faults),
        Kind::Hide => table.text("note", faults),
        _ => None,
    };
    let salt = if hides { table.text("salt", faults) } else { None };
    let what = format!("[[{}]]", kind.name());
    match kind {
        Kind::Place => table.require("hex", &what, faults),
        Kind::Fire | Kind::Second | Kind::Melee | Kind::Demolish => {
            table.require("at", &what, faults);
        }
        Kind::Load => table.require("boat", &what, faults),
        Kind::Follow => table.require("leader", &what, faults),
        Kind::Hide => {
            table.require("note", &what, faults);
            table.require("salt", &what, faults);
        }
        Kind::Retreat if word.is_none() && path.is_none() => {
            table.require("how", &what, faults);
        }
        Kind::Move | Kind::Transfer | Kind::Enter | Kind::Disembark
            if to.is_none()
                && towards.is_none()
                && path.is_none()
                && (kind != Kind::Enter || at.is_empty()) =>
        {
            table.require("to", &what, faults);
        }
        _ => {}
    }
    Raw {
        kind,
        line,
        end: usize::MAX,
        span: table.span(),
        units,
        stack,
        at,
        to,
        towards,
        path,
        advance,
        weapon,
        combine,
        word,
        salt,
    }
}
