//! One roll by hand: the commands of `docs/dice.md`, filled in.

use std::fmt::{self, Write as _};

use super::Bundle;
use super::walk::phase_folder;
use crate::core::beacon;
use crate::core::dice::{ChaChaWords, Roll, Spec, Words as _};
use crate::core::hash::{self, Hex64};
use crate::core::record::{Genesis, Offer, Opened, RecordFault, Rolls, Seals, Turn};

/// A command and what it must print, or a thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it shows.
    pub title: String,
    /// What to type; may be empty.
    pub command: String,
    /// What must come out, or what to do.
    pub result: String,
}

/// The steps from the tip to the faces of one roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByHand {
    /// The phase.
    pub phase: u32,
    /// The roll.
    pub roll: Roll,
    /// In the order to do them.
    pub steps: Vec<Step>,
}

/// Why a roll cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    /// A file that is needed and cannot be read.
    #[error("{0} is not here or cannot be read: verify the bundle first")]
    File(String),
    /// No roll with this label.
    #[error("no published roll has the label `{0}`")]
    Unknown(String),
    /// The label occurs in several phases.
    #[error("`{label}` was rolled in phases {phases}: say which")]
    Several {
        /// The label.
        label: String,
        /// Joined by commas.
        phases: String,
    },
}

/// Finds a roll by its label, in one phase or all, and shows how to compute it with
/// `sha256sum`, `openssl` and paper. Only records are read; nothing is verified.
pub fn explain_roll(
    bundle: &dyn Bundle,
    label: &str,
    phase: Option<u32>,
) -> Result<ByHand, ExplainError> {
    let files = bundle.files();
    let has = |path: &str| files.iter().any(|file| file == path);
    let offer = read(bundle, "offer.txt", Offer::parse)?;
    let genesis = read(bundle, "genesis.txt", Genesis::parse)?;
    let mut turns = Vec::new();
    for number in 1_u32.. {
        let path = format!("{}/turn.txt", phase_folder(number));
        if !has(&path) {
            break;
        }
        turns.push(read(bundle, &path, Turn::parse)?);
    }

    let mut found: Vec<(Turn, Roll, Option<Hex64>)> = Vec::new();
    for turn in &turns {
        let path = format!("{}/rolls.txt", phase_folder(turn.phase));
        let rolls = read(bundle, &path, Rolls::parse)?.rolls;
        let roll = rolls.into_iter().find(|roll| roll.label == label);
        found.extend(roll.map(|roll| (turn.clone(), roll, None)));
    }
    // A sealed roll is opened in its phase, a later one, or at the close; its
    // commitment says in which phase it was sealed.
    for path in files.iter().filter(|path| path.ends_with("seals.txt")) {
        for opened in read(bundle, path, Seals::parse)?.opens {
            let Opened::Roll { commitment, key, roll } = opened else { continue };
            let sealed = turns.iter().find(|turn| {
                let seal = hash::seal(&offer.game, turn.phase, &key, &roll.label, &roll.spec);
                roll.label == label && seal == commitment
            });
            found.extend(sealed.map(|turn| (turn.clone(), roll.clone(), Some(key))));
        }
    }
    found.retain(|(turn, _, _)| phase.is_none_or(|phase| turn.phase == phase));
    if found.len() > 1 {
        let phases: Vec<String> = found.iter().map(|(turn, _, _)| turn.phase.to_string()).collect();
        return Err(ExplainError::Several { label: label.to_owned(), phases: phases.join(", ") });
    }
    let Some((turn, roll, key)) = found.pop() else {
        return Err(ExplainError::Unknown(label.to_owned()));
    };
    let before = turn
        .phase
        .checked_sub(2)
        .and_then(|index| turns.get(index as usize))
        .map_or(offer.tip, |turn| turn.reference);
    Ok(ByHand { phase: turn.phase, steps: steps(&turn, &roll, key, &before, &genesis), roll })
}

fn read<T>(
    bundle: &dyn Bundle,
    path: &str,
    parse: fn(&str) -> Result<T, RecordFault>,
) -> Result<T, ExplainError> {
    bundle
        .read(path)
        .and_then(|bytes| hash::normal(&bytes).ok())
        .and_then(|text| parse(&text).ok())
        .ok_or_else(|| ExplainError::File(path.to_owned()))
}

fn steps(
    turn: &Turn,
    roll: &Roll,
    sealed: Option<Hex64>,
    before: &Hex64,
    genesis: &Genesis,
) -> Vec<Step> {
    let step = |title: &str, command: String, result: String| Step {
        title: title.to_owned(),
        command,
        result,
    };
    let index = turn.phase - 1;
    let envelope = if index == 0 {
        "the tip in the offer, mailed before anybody joined".to_owned()
    } else {
        format!("`ref` in the record of phase {index}")
    };
    let mut steps = vec![step(
        "the sealed envelope: the secret of this phase was fixed before",
        sum("chain", &[("game", &turn.game), ("index", &index), ("next", &turn.reference)]),
        format!("{before}\n{envelope}"),
    )];
    let beacon: &dyn fmt::Display = match &turn.beacon {
        Some(value) => {
            steps.push(step(
                "the public value: open this page and compare `randomness`",
                beacon::page(value.round),
                format!(
                    "{}\nthe round appeared at {}",
                    value.randomness,
                    beacon::time_of(value.round)
                ),
            ));
            value
        }
        None => &"none",
    };
    steps.push(step(
        "the seed of the phase",
        sum(
            "seed",
            &[
                ("game", &turn.game),
                ("phase", &turn.phase),
                ("ref", &turn.reference),
                ("entropy", &genesis.entropy),
                ("links", &"none"),
                ("beacon", beacon),
            ],
        ),
        turn.seed.to_string(),
    ));
    let key = sealed.unwrap_or_else(|| hash::roll_key(&turn.seed, &roll.label));
    if sealed.is_none() {
        steps.push(step(
            "the key of the roll",
            sum("roll", &[("seed", &turn.seed), ("label", &roll.label)]),
            key.to_string(),
        ));
    } else {
        let pairs: [(&str, &dyn fmt::Display); 5] = [
            ("game", &turn.game),
            ("phase", &turn.phase),
            ("key", &key),
            ("label", &roll.label),
            ("spec", &roll.spec),
        ];
        steps.push(step(
            "the seal: the key shown now was committed to in that phase",
            sum("seal", &pairs),
            format!(
                "{}\na line `seal=roll` of phase {}",
                hash::seal(&turn.game, turn.phase, &key, &roll.label, &roll.spec),
                turn.phase
            ),
        ));
    }
    if let Ok(spec) = Spec::parse(&roll.spec) {
        let worked = work(&key, spec);
        let bytes = worked.words.len() * 4;
        steps.push(step(
            "the words of the roll",
            format!(
                "head -c {bytes} /dev/zero | openssl enc -chacha20 -K {key} \
                 -iv 00000000000000000000000000000000 | od -An -v -tx4 --endian=little"
            ),
            worked.words.join(" "),
        ));
        steps.push(step("on paper", String::new(), worked.paper));
    }
    steps
}

/// `printf` of a block into `sha256sum`. No value holds a quote: records are read
/// strictly, and ids, digits, labels and specifications have none.
fn sum(tag: &str, pairs: &[(&str, &dyn fmt::Display)]) -> String {
    let mut out = "printf '%s\\n'".to_owned();
    for line in hash::block(tag, pairs).lines() {
        let _ = write!(out, " '{}'", line.replace('\'', "'\\''"));
    }
    out + " | sha256sum"
}

/// The words that a roll takes, and the sums on paper.
struct Worked {
    words: Vec<String>,
    paper: String,
}

/// The mapping from words to faces with every word named.
fn work(key: &Hex64, spec: Spec) -> Worked {
    let mut stream = ChaChaWords::keyed(key.bytes());
    let mut worked = Worked { words: Vec::new(), paper: String::new() };
    match spec {
        Spec::Dice { count, sides } => {
            for _ in 0..count {
                let rest = worked.below(&mut stream, sides);
                let _ = writeln!(worked.paper, "; plus 1: {}", rest + 1);
            }
        }
        Spec::Shuffle(n) => {
            let _ = writeln!(worked.paper, "write 1 to {n} in a row; then");
            for place in (2..=n).rev() {
                let other = worked.below(&mut stream, place) + 1;
                let _ = writeln!(worked.paper, "; swap places {place} and {other}");
            }
        }
    }
    worked
}

impl Worked {
    /// As [`crate::core::dice::below`], and every word written down.
    fn below(&mut self, stream: &mut ChaChaWords, n: u32) -> u32 {
        let limit = (1_u64 << 32) / u64::from(n) * u64::from(n);
        loop {
            let word = stream.word();
            self.words.push(format!("{word:08x}"));
            if u64::from(word) < limit {
                let _ = write!(self.paper, "{word:08x} = {word}; mod {n} = {}", word % n);
                return word % n;
            }
            let _ = writeln!(
                self.paper,
                "{word:08x} = {word}; not below {limit}, the last multiple of {n}: next word"
            );
        }
    }
}

impl fmt::Display for ByHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faces: Vec<String> = self.roll.faces.iter().map(ToString::to_string).collect();
        writeln!(
            f,
            "{} {} -> {}   (phase {})",
            self.roll.label,
            self.roll.spec,
            faces.join(","),
            self.phase
        )?;
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "\n{}. {}", number + 1, step.title)?;
            for line in step.command.lines() {
                writeln!(f, "   {line}")?;
            }
            for line in step.result.lines() {
                writeln!(f, "   = {line}")?;
            }
        }
        Ok(())
    }
}
