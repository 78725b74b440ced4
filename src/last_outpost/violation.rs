//! Why an order is refused: a variant a rule, with the facts, so that verdict, reason
//! and citation are one thing.

use std::fmt;

use crate::core::cite::cite;
use crate::core::rule::Rule;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The window has no such order.
    WrongWindow {
        /// The order's name.
        order: &'static str,
        /// The window.
        window: &'static str,
    },
    /// The other side's order.
    WrongSide {
        /// The order's name.
        order: &'static str,
        /// Whose it is.
        side: &'static str,
    },
    /// Somebody else commands there.
    NotYours {
        /// Who or what.
        what: String,
        /// Who does.
        commander: String,
    },
    /// He cannot be ordered any more.
    Gone {
        /// Who.
        figure: String,
        /// What became of him.
        fate: String,
    },
    /// Not so many are there.
    TooFew {
        /// Of what.
        what: String,
        /// How many there are.
        has: usize,
        /// How many are wanted.
        wants: usize,
        /// The rule.
        rule: &'static str,
    },
    /// No place is left.
    Full {
        /// Where.
        post: String,
        /// Places in all.
        places: usize,
        /// How many would stand there.
        wants: usize,
        /// The rule.
        rule: &'static str,
    },
    /// Waves go out on a day of assault.
    NotThisDay {
        /// True where the file has a `[day]` that says sniping.
        said: bool,
    },
    /// A gun waits for a move on which its wave is at the wall already.
    GunTooLate {
        /// The moves named.
        hold: u32,
        /// The last on which a wave is still off the table.
        last: u32,
    },
    /// Only a gunner serves a gun, and only his own (ruling `gunners`).
    NotHisGun {
        /// Who.
        figure: String,
        /// Which.
        gun: String,
    },
    /// A wave below the smallest size.
    SmallWave {
        /// Its figures.
        has: usize,
        /// The smallest.
        smallest: u32,
    },
    /// A section that is engaged.
    Engaged {
        /// Which.
        section: String,
    },
    /// More markers than the emir holds.
    Markers {
        /// Held.
        has: u32,
        /// Wanted in all orders so far.
        wants: u32,
    },
    /// The round is over, or not of this phase.
    Round {
        /// Named.
        round: u32,
        /// From this one.
        from: u32,
        /// To this one.
        to: u32,
    },
    /// A wave that is no more.
    WaveOver {
        /// Which.
        wave: String,
    },
    /// Riflemen hide before an assault.
    TooLateToHide,
}

impl Violation {
    /// The rule that is broken, if it is one of the rulebook's.
    pub fn rule(&self) -> Option<Rule> {
        Some(match self {
            Self::WrongWindow { .. } | Self::WrongSide { .. } | Self::NotYours { .. } => {
                return None;
            }
            Self::Gone { .. } => cite("R9"),
            Self::TooFew { rule, .. } | Self::Full { rule, .. } => cite(rule),
            Self::NotHisGun { .. } => cite("R34"),
            Self::NotThisDay { .. } => cite("R3"),
            Self::GunTooLate { .. } => cite("R31"),
            Self::SmallWave { .. } => cite("R8"),
            Self::Engaged { .. } | Self::Round { .. } => cite("R15"),
            Self::Markers { .. } => cite("R18"),
            Self::WaveOver { .. } => cite("R20"),
            Self::TooLateToHide => cite("R42"),
        })
    }

    /// What would be legal.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::WrongWindow { window, .. } => match *window {
                "setup" => "now: [[post]], [[fire]], [[gun]], [doctrine], [sniping]".to_owned(),
                "day" => "now: [day], [sniping], [[wave]], [rocks]; [[post]], [[fire]], [[gun]]; [doctrine]".to_owned(),
                _ => "now: [[wave]], [[tell]], [[withdraw]]; [[post]], [[fire]], [[gun]]; [doctrine]".to_owned(),
            },
            Self::WrongSide { side, .. } => format!("only the {side} side gives it"),
            Self::NotYours { commander, .. } => format!("{commander} gives orders there"),
            Self::Gone { .. } => "name somebody who stands in the compound".to_owned(),
            Self::TooFew { has: 0, .. } => "name a place where some stand".to_owned(),
            Self::TooFew { has, .. } => format!("ask for {has} at most"),
            Self::Full { places, .. } => format!("{places} at most can stand there"),
            Self::NotHisGun { .. } => {
                "post him at a wall or in a room; the ruling `gunners` says who serves what"
                    .to_owned()
            }
            Self::NotThisDay { said: true } => {
                "write turn = \"assault\" below [day], or leave the waves out".to_owned()
            }
            Self::NotThisDay { said: false } => {
                "add [day] with turn = \"assault\", or leave the waves out".to_owned()
            }
            Self::GunTooLate { last, .. } => format!("0 to {last}"),
            Self::SmallWave { smallest, .. } => {
                format!("take {smallest} figures or more, or all that are left")
            }
            Self::Engaged { .. } => {
                "choose a section before which nobody stands, or a later round".to_owned()
            }
            Self::Markers { has, .. } => format!("{has} are there to be given"),
            Self::Round { from, to, .. } if from == to => format!("round {from} is the one"),
            Self::Round { from, to, .. } => format!("rounds {from} to {to} can be named"),
            Self::WaveOver { .. } => "name a wave that is under way or at the compound".to_owned(),
            Self::TooLateToHide => "say so in the file of a day, with its waves".to_owned(),
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongWindow { order, window } => {
                write!(f, "`{order}` is no order of the window `{window}`")
            }
            Self::WrongSide { order, side } => write!(f, "`{order}` is an order of the {side}"),
            Self::NotYours { what, commander } => {
                write!(f, "`{what}` is not yours but under {commander}")
            }
            Self::Gone { figure, fate } => write!(f, "`{figure}` is {fate}"),
            Self::TooFew { what, has, wants, .. } => {
                write!(f, "{what}: {wants} wanted, {has} there")
            }
            Self::Full { post, places, wants, .. } => {
                write!(f, "{wants} would stand at `{post}`, which takes {places}")
            }
            Self::NotHisGun { figure, gun } => write!(f, "`{figure}` does not serve `{gun}`"),
            Self::NotThisDay { .. } => {
                write!(f, "no wave is formed on a day of sniping, and this day is one")
            }
            Self::GunTooLate { hold, last } => write!(
                f,
                "a gun fires at waves off the table, up to their move {last}: {hold} never comes"
            ),
            Self::SmallWave { has, smallest } => {
                write!(f, "a wave of {has} is too small: {smallest} is the least")
            }
            Self::Engaged { section } => write!(f, "`{section}` is engaged already"),
            Self::Markers { has, wants } => {
                write!(f, "{wants} markers are given away, and {has} are held")
            }
            Self::Round { round, .. } => write!(f, "round {round} is not of this phase"),
            Self::WaveOver { wave } => write!(f, "`{wave}` is no wave that can be ordered"),
            Self::TooLateToHide => write!(f, "riflemen hide before an assault, not in it"),
        }
    }
}
