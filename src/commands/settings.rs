//! `game.toml`: what the referee may change at any time. It is in no hash.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::timetable::Timetable;
use crate::core::id::Id;

/// A name and an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// The name in mails.
    pub name: String,
    /// The mail address; empty when the referee delivers by other means.
    #[serde(default)]
    pub address: String,
    /// The SSH key that signs this player's order files, as in `authorized_keys`; files
    /// without its signature are then not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Person {
    /// The person as a `To:` line names one.
    pub fn mailbox(&self) -> String {
        if self.address.is_empty() {
            self.name.clone()
        } else {
            format!("{} <{}>", self.name, self.address)
        }
    }
}

/// What is done when somebody who is asked is missing at a deadline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// The referee decides.
    #[default]
    Hold,
    /// The defaults run, for so many as may be missing.
    Defaults,
    /// The deadline moves once, decided before it passes; then as `Defaults`.
    Extend,
}

/// When orders are due.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// Days from a call to its deadline, at least.
    pub days: u32,
    /// The weekdays that may have a deadline (`sun`); all if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weekdays: Vec<String>,
    /// The hour, `20:00`; the next full one if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The IANA zone of that hour, `Europe/Berlin`; UTC if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Days that have no deadline, `2027-12-24`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days_off: Vec<String>,
    /// Hours that `club` waits after a deadline before it locks.
    #[serde(default)]
    pub grace_hours: u32,
    /// Hours before a deadline at which the missing are reminded, once; 0: never.
    #[serde(default)]
    pub remind_hours: u32,
    /// What is done when somebody is missing.
    #[serde(default)]
    pub missing: Missing,
    /// So many may be missing and the game goes on without them.
    #[serde(default)]
    pub allow_missing: u32,
    /// Days of the one extension.
    #[serde(default = "two")]
    pub extend_days: u32,
}

fn two() -> u32 {
    2
}

impl Deadline {
    /// So many days, and nothing else.
    pub fn in_days(days: u32) -> Self {
        Self {
            days,
            weekdays: Vec::new(),
            time: None,
            zone: None,
            days_off: Vec::new(),
            grace_hours: 0,
            remind_hours: 0,
            missing: Missing::Hold,
            allow_missing: 0,
            extend_days: two(),
        }
    }
}

/// Messages between players.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Press {
    /// A message may be sent without its author's seat.
    #[serde(default)]
    pub anonymous: bool,
}

/// What `club` does by itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Club {
    /// Calls the next phase as soon as one is resolved.
    #[serde(default = "yes")]
    pub call: bool,
    /// Locks before the deadline when everybody asked is final.
    #[serde(default = "yes")]
    pub early: bool,
}

fn yes() -> bool {
    true
}

impl Default for Club {
    fn default() -> Self {
        Self { call: true, early: true }
    }
}

/// How mail goes out and comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// The name of our own mail server as its Received lines have it (`by NAME`). If
    /// given, a mail without such a line on top was received when its file was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The program that takes a message on its standard input and finds its receivers
    /// in the headers: `msmtp -t`, `sendmail -t -oi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sendmail: Option<String>,
}

/// All of `game.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Who runs the game.
    pub referee: Person,
    /// When orders are due.
    pub deadline: Deadline,
    /// How mail goes out and comes in.
    #[serde(default)]
    pub mail: Mail,
    /// Messages between players.
    #[serde(default)]
    pub press: Press,
    /// What `club` does by itself.
    #[serde(default)]
    pub club: Club,
    /// Who plays, by player id.
    pub player: BTreeMap<Id, Person>,
}

impl Settings {
    /// Reads the file.
    ///
    /// # Errors
    /// A file that is not there or says something else.
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let text = std::fs::read_to_string(path).map_err(Fault::file("read", path))?;
        let settings: Self = toml::from_str(&text).map_err(|fault| {
            Fault::input(
                format!("`{}` cannot be used: {}", path.display(), fault.message()),
                "it holds [referee], [deadline] and one [player.ID] each, with name and address; \
                 docs/referee.md lists all that it may hold",
            )
        })?;
        Timetable::new(&settings.deadline)?;
        Ok(settings)
    }

    /// The file's text.
    pub fn text(&self) -> String {
        // Plain structures of words and numbers: they can always be written.
        fn table<T: Serialize>(value: &T) -> String {
            toml::to_string(value).unwrap_or_default()
        }
        let mut out = String::from(
            "# The referee's settings. Change them at any time: they are in no hash.\n\n[referee]\n",
        );
        out += &table(&self.referee);
        out += "\n# A call without --deadline gives this many days at least; docs/referee.md has\n\
                # weekdays, hours, zones, reminders and what to do when somebody is missing.\n";
        let _ = write!(out, "[deadline]\n{}", table(&self.deadline));
        if self.mail != Mail::default() {
            let _ = write!(out, "\n[mail]\n{}", table(&self.mail));
        }
        if self.press != Press::default() {
            let _ = write!(out, "\n[press]\n{}", table(&self.press));
        }
        if self.club != Club::default() {
            let _ = write!(out, "\n[club]\n{}", table(&self.club));
        }
        for (id, who) in &self.player {
            let _ = write!(out, "\n[player.{id}]\n{}", table(who));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_reads_back() {
        let person = |name: &str| Person {
            name: name.into(),
            address: "a@b.c".into(),
            key: Some("ssh-ed25519 AAAA".into()),
        };
        let settings = Settings {
            referee: person("R \"the\" Referee"),
            deadline: Deadline {
                weekdays: vec!["sun".into()],
                zone: Some("Europe/Berlin".into()),
                missing: Missing::Extend,
                ..Deadline::in_days(7)
            },
            mail: Mail { server: Some("mx.example.org".into()), sendmail: Some("msmtp -t".into()) },
            press: Press { anonymous: true },
            club: Club { call: false, early: true },
            player: [(Id::new("dervish-2").unwrap(), person("Ben"))].into(),
        };
        assert_eq!(toml::from_str::<Settings>(&settings.text()).unwrap(), settings);
    }
}
