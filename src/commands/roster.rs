//! Who plays: `--player SIDE[/COMMAND]=NAME[:ADDRESS]` made into seats, so that
//! every command ends with exactly one player.

use std::collections::BTreeMap;

use super::fault::Fault;
use super::settings::Person;
use crate::core::diag::did_you_mean;
use crate::core::id::Id;
use crate::game::{ScenarioInfo, Seat};

/// A seat and the person who takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The seat.
    pub seat: Seat,
    /// The person.
    pub person: Person,
}

/// Reads `NAME` or `NAME:ADDRESS`.
pub fn person(text: &str) -> Result<Person, Fault> {
    let (name, address) = text.split_once(':').unwrap_or((text, ""));
    let (name, address) = (name.trim(), address.trim());
    let breaks = |s: &str| s.chars().any(char::is_control);
    let help = "write NAME or NAME:ADDRESS, such as Anna:anna@example.org";
    if name.is_empty() || breaks(name) || breaks(address) {
        return Err(Fault::input(format!("{text:?} names nobody"), help));
    }
    // It stands in the head of a mail: one address, and nothing that begins another.
    let odd = |c: char| c.is_whitespace() || ",;:<>()[]\\\"".contains(c);
    let parts: Vec<&str> = address.split('@').collect();
    let sound = parts.len() == 2 && parts.iter().all(|part| !part.is_empty());
    if !address.is_empty() && (!sound || address.contains(odd)) {
        return Err(Fault::input(format!("`{address}` is no address for mail"), help));
    }
    Ok(Person { name: name.to_owned(), address: address.to_owned(), key: None })
}

/// Seats everybody, sorted by player id.
///
/// # Errors
/// A side or command that the scenario does not have, one given twice, or one
/// that nobody plays.
pub fn seat(scenario: &ScenarioInfo, specs: &[String]) -> Result<Vec<Place>, Fault> {
    let sides: Vec<&str> = scenario.sides.iter().map(|(side, _)| side.as_str()).collect();
    let mut named: BTreeMap<(String, String), Person> = BTreeMap::new();
    let mut whole: BTreeMap<String, Person> = BTreeMap::new();
    for spec in specs {
        let (place, who) = spec.split_once('=').ok_or_else(|| {
            Fault::input(
                format!("`--player {spec}` has no `=`"),
                format!("write SIDE=NAME or SIDE/COMMAND=NAME; the sides are {}", list(&sides)),
            )
        })?;
        let (side, command) = match place.split_once('/') {
            Some((side, command)) => (side, Some(command)),
            None => (place, None),
        };
        let Some((_, commands)) = scenario.sides.iter().find(|(s, _)| s == side) else {
            return Err(unknown("side", side, &sides));
        };
        let person = person(who)?;
        let twice = match command {
            Some(command) => {
                let known: Vec<&str> = commands.iter().map(String::as_str).collect();
                if !known.contains(&command) {
                    return Err(unknown("command", command, &known));
                }
                named.insert((side.to_owned(), command.to_owned()), person).is_some()
            }
            None => whole.insert(side.to_owned(), person).is_some(),
        };
        if twice {
            return Err(Fault::input(
                format!("`{place}` has two players"),
                "give each side, and each command, to one player",
            ));
        }
    }
    let mut places = Vec::new();
    for (side, commands) in &scenario.sides {
        let mut rest = Vec::new();
        for command in commands {
            match named.remove(&(side.clone(), command.clone())) {
                Some(person) => {
                    let player = player_id(&format!("{side}-{command}"))?;
                    let commands = vec![command.clone()];
                    places.push(Place {
                        seat: Seat { player, side: side.clone(), commands },
                        person,
                    });
                }
                None => rest.push(command.clone()),
            }
        }
        match (whole.remove(side), rest.is_empty()) {
            (Some(person), false) => {
                let player = player_id(side)?;
                let seat = Seat { player, side: side.clone(), commands: rest };
                places.push(Place { seat, person });
            }
            (None, true) => {}
            (Some(_), true) => {
                return Err(Fault::input(
                    format!("`{side}` has a player for every command and one too many"),
                    format!("leave out --player {side}=..., or a command's player"),
                ));
            }
            (None, false) => {
                let all = rest.len() == commands.len();
                let what = if all { side.clone() } else { format!("{side}/{}", rest[0]) };
                return Err(Fault::input(
                    format!("nobody plays `{what}`"),
                    format!("add --player {side}=NAME[:ADDRESS]: it takes all commands left over"),
                ));
            }
        }
    }
    places.sort_by(|a, b| a.seat.player.cmp(&b.seat.player));
    Ok(places)
}

fn player_id(text: &str) -> Result<Id, Fault> {
    Id::player(text).map_err(|e| {
        Fault::input(e.to_string(), "the side's and the command's name make the player's id")
    })
}

fn unknown(what: &str, word: &str, known: &[&str]) -> Fault {
    let help = match did_you_mean(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? there are {}", list(known)),
        None => format!("there are {}", list(known)),
    };
    Fault::input(format!("this scenario has no {what} `{word}`"), help)
}

fn list(words: &[&str]) -> String {
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> ScenarioInfo {
        ScenarioInfo {
            id: "s".into(),
            system: "x".into(),
            title: "S".into(),
            summary: String::new(),
            sides: vec![
                ("british".into(), vec!["field".into()]),
                ("dervish".into(), vec!["guns".into(), "riders".into(), "foot".into()]),
            ],
            sealed: false,
        }
    }

    fn seats(specs: &[&str]) -> Result<Vec<String>, String> {
        let specs: Vec<String> = specs.iter().map(|s| (*s).to_owned()).collect();
        seat(&scenario(), &specs)
            .map(|places| {
                places
                    .iter()
                    .map(|p| {
                        format!("{}:{}={}", p.seat.player, p.seat.commands.join("+"), p.person.name)
                    })
                    .collect()
            })
            .map_err(|e| e.to_string())
    }

    #[test]
    fn every_command_ends_with_one_player() {
        assert_eq!(
            seats(&["british=A:a@b.c", "dervish=B", "dervish/guns=C"]).unwrap(),
            ["british:field=A", "dervish:riders+foot=B", "dervish-guns:guns=C"]
        );
        for (bad, word) in [
            (&["british=A"][..], "nobody plays `dervish`"),
            (&["british=A", "dervish/guns=B"], "nobody plays `dervish/riders`"),
            (&["british=A", "british=B", "dervish=C"], "two players"),
            (&["british/field=A", "british=B", "dervish=C"], "one too many"),
            (&["britsh=A"], "no side `britsh`"),
            (&["british"], "has no `=`"),
            (&["british=", "dervish=C"], "names nobody"),
        ] {
            let fault = seats(bad).unwrap_err();
            assert!(fault.contains(word), "{fault}");
        }
    }
}
