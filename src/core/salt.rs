//! The first line of secret files (`docs/dice.md`, "Secrets and files"): without a
//! salt their public hashes could be guessed.

use super::hash::Hex64;

/// A state file of a sealed game: the salt's line, then the state.
pub fn salt_state(salt: &Hex64, state: &str) -> String {
    format!("salt = \"{salt}\"\n{state}")
}

/// An event log of a sealed game: the salt's object, then the events. A log
/// without events is the salt's line alone.
pub fn salt_events(salt: &Hex64, events: &str) -> String {
    let events = if events == "\n" { "" } else { events };
    format!("{{\"salt\": \"{salt}\"}}\n{events}")
}

/// The salt of a state file, if it has one, and the state without it.
pub fn split_state(file: &str) -> (Option<Hex64>, &str) {
    split(file, |line| line.strip_prefix("salt = \"")?.strip_suffix('"').map(ToOwned::to_owned))
}

/// The salt of an event log, if it has one, and the events without it.
pub fn split_events(file: &str) -> (Option<Hex64>, &str) {
    split(file, |line| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let object = value.as_object().filter(|object| object.len() == 1)?;
        object.get("salt")?.as_str().map(ToOwned::to_owned)
    })
}

fn split(file: &str, salt: impl Fn(&str) -> Option<String>) -> (Option<Hex64>, &str) {
    let (first, rest) = file.split_once('\n').unwrap_or((file, ""));
    match salt(first).and_then(|digits| Hex64::new(&digits).ok()) {
        Some(salt) => (Some(salt), rest),
        None => (None, file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salt_comes_off_as_it_went_on() {
        let salt = Hex64::from_bytes([7; 32]);
        for state in ["a = 1\n", "salt = 3\n"] {
            assert_eq!(split_state(&salt_state(&salt, state)), (Some(salt), state));
            assert_eq!(split_state(state), (None, state));
        }
        let events = "{\"roll\": 1}\n";
        assert_eq!(split_events(&salt_events(&salt, events)), (Some(salt), events));
        assert_eq!(split_events(events), (None, events));
        assert_eq!(salt_events(&salt, "\n"), salt_events(&salt, ""));
    }
}
