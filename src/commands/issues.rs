//! `issues.txt` of a phase: forms that were sent anew, each with a ticket of its own
//! (`docs/dice.md`, "ticket"). The last one counts; the earlier ones count no more.

use std::fmt::Write as _;

use super::fault::Fault;
use super::folder::{Folder, phase_dir};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::time::Stamp;

/// One form sent anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Whose.
    pub player: Id,
    /// Its number: 2 for the first that replaces a form.
    pub number: u32,
    /// When.
    pub made: Stamp,
    /// The person who left the seat and the one who took it, if it changed hands.
    pub seat: Option<(String, String)>,
}

/// The forms of a phase that were sent anew.
#[derive(Clone, Debug, Default)]
pub struct Issues {
    /// In order.
    pub list: Vec<Issue>,
}

impl Issues {
    /// Reads those of a phase.
    ///
    /// # Errors
    /// A line that is none of ours.
    pub fn read(folder: &Folder, phase: u32) -> Result<Self, Fault> {
        let path = Self::path(phase);
        let Some(text) = folder.maybe(&path)? else { return Ok(Self::default()) };
        let issue = |line: &str| -> Option<Issue> {
            let (head, tail) = line.split_once('\t').map_or((line, None), |(h, t)| (h, Some(t)));
            let words: Vec<&str> = head.split(' ').collect();
            let ["issue", player, number, made] = words[..] else { return None };
            Some(Issue {
                player: Id::new(player).ok()?,
                number: number.parse().ok()?,
                made: Stamp::new(made).ok()?,
                seat: tail.and_then(|tail| {
                    tail.split_once('\t').map(|(old, new)| (old.to_owned(), new.to_owned()))
                }),
            })
        };
        let mut issues = Self::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            issues.list.push(issue(line).ok_or_else(|| {
                Fault::input(
                    format!("`{path}` has a line that is none of ours: {line}"),
                    "restore it from a backup: tickets are counted by it",
                )
            })?);
        }
        Ok(issues)
    }

    /// Where they are written.
    pub fn path(phase: u32) -> String {
        format!("{}/issues.txt", phase_dir(phase))
    }

    /// The file's text.
    pub fn text(&self) -> String {
        self.list.iter().fold(String::new(), |mut out, issue| {
            let _ = write!(out, "issue {} {} {}", issue.player, issue.number, issue.made);
            if let Some((old, new)) = &issue.seat {
                let _ = write!(out, "\t{old}\t{new}");
            }
            out.push('\n');
            out
        })
    }

    /// The number of the form that counts for a player.
    pub fn number(&self, player: &Id) -> u32 {
        self.list.iter().filter(|i| &i.player == player).map(|i| i.number).max().unwrap_or(1)
    }

    /// The ticket that counts for a player, and those that it replaced.
    pub fn tickets(&self, game: &Id, phase: u32, player: &Id, d: &Hex64) -> (Hex64, Vec<Hex64>) {
        let last = self.number(player);
        let old = (1..last).map(|number| hash::ticket(game, phase, player, number, d)).collect();
        (hash::ticket(game, phase, player, last, d), old)
    }
}
