//! The readings of unclear rules that a game is played by: `rulings.toml`, and what a
//! referee chose at `new`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::diag::{Diagnostic, did_you_mean};

/// One ruling with the choice in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// Its name.
    pub name: String,
    /// The rule that it reads.
    pub rule: String,
    /// The default choice.
    pub default: String,
    /// The choice in force.
    pub choice: String,
    /// Every choice with what it means.
    pub choices: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    ruling: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    rule: String,
    default: String,
    choices: BTreeMap<String, String>,
}

/// Reads `rulings.toml` and the choices that differ from the defaults. The rulings come
/// back even where there are faults, so that all of them can be told at once.
pub fn load(text: &str, chosen: &BTreeMap<String, String>) -> (Vec<Ruling>, Vec<Diagnostic>) {
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            let fault = Diagnostic::error(None, error.message().to_owned());
            let fault = match error.span() {
                Some(span) => fault.at(span),
                None => fault,
            };
            return (Vec::new(), vec![fault]);
        }
    };
    let mut faults = Vec::new();
    for name in chosen.keys() {
        if !file.ruling.iter().any(|r| r.name == *name) {
            let names = file.ruling.iter().map(|r| r.name.as_str());
            let fault = Diagnostic::error(None, format!("`{name}` is no ruling of this game"));
            faults.push(match did_you_mean(name, names) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help("`despatch games show` lists the rulings"),
            });
        }
    }
    let mut all = Vec::new();
    for entry in file.ruling {
        let choice = chosen.get(&entry.name).unwrap_or(&entry.default).clone();
        for name in [&choice, &entry.default] {
            if !entry.choices.contains_key(name) {
                let known: Vec<&str> = entry.choices.keys().map(String::as_str).collect();
                faults.push(
                    Diagnostic::error(None, format!("`{name}` is no choice of `{}`", entry.name))
                        .help(format!("its choices: {}", known.join(", "))),
                );
            }
        }
        all.push(Ruling {
            name: entry.name,
            rule: entry.rule,
            default: entry.default,
            choice,
            choices: entry.choices,
        });
    }
    (all, faults)
}

/// True if a ruling stands at a choice. One that the file lacks is a fault.
pub fn stands(all: &[Ruling], name: &str, choice: &str, faults: &mut Vec<Diagnostic>) -> bool {
    if let Some(ruling) = all.iter().find(|r| r.name == name) {
        ruling.choice == choice
    } else {
        faults.push(Diagnostic::error(None, format!("the ruling `{name}` is missing")));
        false
    }
}

/// The number that a ruling stands at, for those whose choices are numbers.
pub fn number(all: &[Ruling], name: &str, faults: &mut Vec<Diagnostic>) -> u32 {
    let choice = all.iter().find(|r| r.name == name).map(|r| r.choice.as_str());
    if let Some(number) = choice.and_then(|c| c.parse().ok()) {
        return number;
    }
    let what = choice.map_or("missing".to_owned(), |c| format!("`{c}`, which is no number"));
    faults.push(Diagnostic::error(None, format!("the ruling `{name}` is {what}")));
    0
}

/// The rulings that differ from their defaults, as `name = choice`.
pub fn changed(all: &[Ruling]) -> Vec<String> {
    all.iter()
        .filter(|r| r.choice != r.default)
        .map(|r| format!("{} = {}", r.name, r.choice))
        .collect()
}
