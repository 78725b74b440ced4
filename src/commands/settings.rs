//! `game.toml`: what the referee may change at any time. It is in no hash.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use super::fault::Fault;
use crate::core::id::Id;

/// A name and an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Person {
    /// The name in mails.
    pub name: String,
    /// The mail address; empty when the referee delivers by other means.
    #[serde(default)]
    pub address: String,
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

/// When orders are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// Days from a call to its deadline.
    pub days: u32,
}

/// How mail goes out and comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// The name of our own mail server as its Received lines have it (`by NAME`). If
    /// given, a mail without such a line on top was received when its file was made.
    #[serde(default)]
    pub server: Option<String>,
    /// The program that takes a message on its standard input and finds its receivers
    /// in the headers: `msmtp -t`, `sendmail -t -oi`.
    #[serde(default)]
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
        toml::from_str(&text).map_err(|fault| {
            Fault::input(
                format!("`{}` cannot be used: {}", path.display(), fault.message()),
                "it holds [referee], [deadline] and one [player.ID] each, with name and address",
            )
        })
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let quoted = |s: &str| toml::Value::String(s.to_owned()).to_string();
        let person =
            |p: &Person| format!("name = {}\naddress = {}\n", quoted(&p.name), quoted(&p.address));
        let mut out = String::from(
            "# The referee's settings. Change them at any time: they are in no hash.\n\n[referee]\n",
        );
        out += &person(&self.referee);
        out += "\n# A call without --deadline gives this many days, to the next full hour.\n";
        let _ = writeln!(out, "[deadline]\ndays = {}", self.deadline.days);
        let mail = [("server", &self.mail.server), ("sendmail", &self.mail.sendmail)];
        if mail.iter().any(|(_, value)| value.is_some()) {
            out += "\n[mail]\n";
        }
        for (key, value) in mail {
            if let Some(value) = value {
                let _ = writeln!(out, "{key} = {}", quoted(value));
            }
        }
        for (id, who) in &self.player {
            let _ = write!(out, "\n[player.{id}]\n{}", person(who));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_reads_back() {
        let person = |name: &str| Person { name: name.into(), address: "a@b.c".into() };
        let settings = Settings {
            referee: person("R \"the\" Referee"),
            deadline: Deadline { days: 7 },
            mail: Mail { server: Some("mx.example.org".into()), sendmail: Some("msmtp -t".into()) },
            player: [(Id::new("dervish-2").unwrap(), person("Ben"))].into(),
        };
        assert_eq!(toml::from_str::<Settings>(&settings.text()).unwrap(), settings);
    }
}
