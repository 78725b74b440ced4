//! Order files as written: every table with the place of each word, before any rule is
//! asked.

use std::ops::Range;

use crate::core::diag::{Diagnostic, Severity};
use crate::core::read::{At, Table, document, heads};
use crate::core::source::Source;

/// The kinds of order of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Set up a unit.
    Deploy,
    /// Place a false marker.
    False,
    /// A general moves.
    General,
    /// A unit gets another order.
    Change,
    /// A unit or a marker moves.
    Move,
    /// What units fire at.
    Fire,
    /// Show what is behind a marker.
    Reveal,
}

impl Kind {
    /// All, with their table names.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Deploy, "deploy"),
        (Self::False, "false"),
        (Self::General, "general"),
        (Self::Change, "change"),
        (Self::Move, "move"),
        (Self::Fire, "fire"),
        (Self::Reveal, "reveal"),
    ];

    /// The table's name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(k, _)| *k == self).map_or("", |(_, n)| n)
    }
}

/// One order as written.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Its kind.
    pub kind: Kind,
    /// The bytes of its header line.
    pub span: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// It could not be read; the fault says why.
    pub broken: bool,
    /// Units by id.
    pub units: Vec<At<String>>,
    /// A marker by id.
    pub marker: Option<At<String>>,
    /// A general by id.
    pub general: Option<At<String>>,
    /// A place: two numbers.
    pub at: Option<At<Vec<At<String>>>>,
    /// Degrees.
    pub facing: Option<At<String>>,
    /// `battle` or `column`.
    pub formation: Option<At<String>>,
    /// An order: `HOLD`, `ATTACK`, `MOVE`.
    pub order: Option<At<String>>,
    /// A base by id.
    pub attach: Option<At<String>>,
    /// The MOVE withdraws.
    pub withdraw: Option<At<bool>>,
    /// A condition.
    pub only_if: Option<At<String>>,
    /// Steps of a manoeuvre.
    pub steps: Option<At<Vec<At<String>>>>,
    /// Move and fire in which order.
    pub act: Option<At<String>>,
    /// Targets.
    pub targets: Option<At<Vec<At<String>>>>,
    /// Bases that fire at one target.
    pub per_target: Option<At<u32>>,
    /// Fire at markers too.
    pub markers: Option<At<bool>>,
    /// Hold fire.
    pub hold: Option<At<bool>>,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its orders as they stand.
    pub orders: Vec<Raw>,
    /// Lines that are no TOML.
    pub unreadable: Vec<usize>,
}

/// Reads a file; every fault of reading goes to `faults`.
pub fn read(source: &Source, faults: &mut Vec<Diagnostic>) -> File {
    let mut file = File::default();
    let heads = heads(&source.text);
    let before = faults.len();
    let orders = document(&source.text, faults, |root, faults| {
        for key in ["game", "phase", "player", "head", "ticket", "final"] {
            root.allow(key);
        }
        let mut out = Vec::new();
        for (kind, name) in Kind::ALL {
            for mut table in root.tables(name, faults) {
                out.push(order(kind, &mut table, source, &heads, faults));
            }
        }
        root.finish("an order file of this game", faults);
        out
    });
    // What is no TOML spoils the order that it stands in, and that alone.
    let mut orders = orders;
    let block = |order: &Raw| {
        let end = heads.iter().copied().find(|h| *h > order.span.start);
        order.span.start..end.unwrap_or(source.text.len() + 1)
    };
    for fault in &faults[before..] {
        if fault.severity != Severity::Error {
            continue;
        }
        let start = fault.span.as_ref().map(|s| s.start);
        let inside = orders.iter_mut().find(|o| start.is_some_and(|s| block(o).contains(&s)));
        match inside {
            Some(order) => order.broken = true,
            None => file.unreadable.push(fault.span.as_ref().map_or(1, |s| source.line(s))),
        }
    }
    file.orders = orders;
    file.orders.sort_by_key(|o| o.span.start);
    file
}

/// What to write instead of a facing that is no number: degrees, not just any number.
fn facing_help(faults: &mut [Diagnostic]) {
    for fault in faults.iter_mut().filter(|f| f.message.contains("facing")) {
        let words = "write facing = 180: degrees clockwise, 0 north (the top edge), 90 east";
        fault.help = Some(words.to_owned());
    }
}

fn order(
    kind: Kind,
    table: &mut Table<'_, '_>,
    source: &Source,
    heads: &[usize],
    faults: &mut Vec<Diagnostic>,
) -> Raw {
    let before = faults.len();
    let span = table.span();
    // The header line; toml gives the whole table or its header.
    let start = heads.iter().copied().filter(|h| *h <= span.start).max().unwrap_or(span.start);
    let end = source.text[start..].find('\n').map_or(source.text.len(), |n| start + n);
    let mut raw = Raw {
        kind,
        span: start..end,
        line: source.line(&(start..end)),
        broken: false,
        units: Vec::new(),
        marker: None,
        general: None,
        at: None,
        facing: None,
        formation: None,
        order: None,
        attach: None,
        withdraw: None,
        only_if: None,
        steps: None,
        act: None,
        targets: None,
        per_target: None,
        markers: None,
        hold: None,
    };
    let what = match kind {
        Kind::Deploy => {
            raw.units = table.text("unit", faults).into_iter().collect();
            table.require("unit", "[[deploy]]", faults);
            raw.at = table.figures("at", faults);
            raw.facing =
                table.number("facing", faults).map(|n| At::new(n.value.to_string(), n.span));
            facing_help(&mut faults[before..]);
            raw.formation = table.text("formation", faults);
            raw.order = table.text("order", faults);
            "a [[deploy]]"
        }
        Kind::False => {
            raw.at = table.figures("at", faults);
            table.require("at", "[[false]]", faults);
            raw.general = table.text("general", faults);
            "a [[false]]"
        }
        Kind::General => {
            raw.general = table.text("general", faults);
            table.require("general", "[[general]]", faults);
            raw.at = table.figures("to", faults);
            raw.attach = table.text("attach", faults);
            "a [[general]]"
        }
        Kind::Change => {
            raw.units = table.texts("units", faults).map(|u| u.value).unwrap_or_default();
            raw.units.extend(table.text("unit", faults));
            raw.order = table.text("to", faults);
            table.require("to", "[[change]]", faults);
            raw.withdraw = table.flag("withdraw", faults);
            raw.only_if = table.text("if", faults);
            "a [[change]]"
        }
        Kind::Move => {
            raw.units = table.texts("units", faults).map(|u| u.value).unwrap_or_default();
            raw.units.extend(table.text("unit", faults));
            raw.marker = table.text("marker", faults);
            raw.steps = table.texts("do", faults);
            raw.act = table.text("act", faults);
            raw.only_if = table.text("if", faults);
            "a [[move]]"
        }
        Kind::Fire => {
            raw.units = table.texts("units", faults).map(|u| u.value).unwrap_or_default();
            raw.units.extend(table.text("unit", faults));
            raw.targets = table.texts("at", faults);
            raw.per_target = table.number("per_target", faults);
            raw.markers = table.flag("markers", faults);
            raw.hold = table.flag("hold", faults);
            "a [[fire]]"
        }
        Kind::Reveal => {
            raw.marker = table.text("marker", faults);
            table.require("marker", "[[reveal]]", faults);
            "a [[reveal]]"
        }
    };
    table.finish(what, faults);
    raw.broken = faults[before..].iter().any(|f| f.severity == Severity::Error);
    raw
}
