//! The roller: what an adjudicator asks for dice, public and sealed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{ChaChaWords, DiceError, Roll, Spec, draw, faces, is_label};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{Opened, Rolls, Sealed, Seals};

/// Rolls the dice of one phase and keeps the list of them, public and sealed.
///
/// The faces of a roll depend on its label, its specification and the phase's seed
/// (sealed: and the secret d) alone; no other roll moves them.
#[derive(Clone, Debug)]
pub struct Roller {
    source: Source,
    rolls: Vec<Roll>,
    used: BTreeSet<String>,
    seals: Vec<Sealed>,
    opens: Vec<Opened>,
    sealed: Vec<SealedRoll>,
    notes: Vec<(Hex64, String)>,
}

#[derive(Clone, Debug)]
enum Source {
    /// The phase's seed, as 64 hex digits; with the secrets where a game seals.
    Seed { seed: String, sealing: Option<Sealing> },
    /// Faces given by label: for cases that a person wrote.
    Script(BTreeMap<String, Vec<u32>>),
    /// One stream for all rolls, in the order asked: for odds.
    Stream(ChaChaWords),
}

/// What a sealed roll needs besides the seed.
#[derive(Clone, Debug)]
struct Sealing {
    game: Id,
    phase: u32,
    seed: Hex64,
    secret: Hex64,
}

/// A roll that only its commitment shows: a state that is itself secret keeps it,
/// to open it in the phase that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedRoll {
    /// H(seal), which is published at once.
    pub commitment: Hex64,
    /// H(hidden-roll), shown when it is opened.
    pub key: Hex64,
    /// What was rolled for.
    pub label: String,
    /// Such as `1d10`.
    pub spec: String,
    /// The faces, in the order drawn.
    pub faces: Vec<u32>,
}

impl SealedRoll {
    /// The line that opens it.
    pub fn opened(&self) -> Opened {
        Opened::Roll {
            commitment: self.commitment,
            key: self.key,
            roll: Roll {
                label: self.label.clone(),
                spec: self.spec.clone(),
                faces: self.faces.clone(),
            },
        }
    }
}

impl Roller {
    /// The dice of a phase from its seed (64 lower-case hex digits); such dice
    /// cannot seal.
    pub fn seeded(seed: &str) -> Self {
        Self::of(Source::Seed { seed: seed.to_owned(), sealing: None })
    }

    /// The dice of a phase of a game that seals: `secret` is d.
    pub fn sealing(game: &Id, phase: u32, seed: &Hex64, secret: &Hex64) -> Self {
        let sealing = Sealing { game: game.clone(), phase, seed: *seed, secret: *secret };
        Self::of(Source::Seed { seed: seed.to_string(), sealing: Some(sealing) })
    }

    /// Throw-away dice from 32 random bytes: the same code on a seed that no
    /// ledger knows.
    pub fn rehearsal(game: &Id, phase: u32, random: [u8; 32]) -> Self {
        let seed = Hex64::from_bytes(random);
        Self::sealing(game, phase, &seed, &hash::hidden(game, &seed))
    }

    /// Dice whose faces a test case gives, label by label; sealed rolls too.
    pub fn scripted(faces: BTreeMap<String, Vec<u32>>) -> Self {
        Self::of(Source::Script(faces))
    }

    /// Dice of one of many resolutions, for odds: a stream of its own by key and
    /// number, taken in the order in which dice are asked for. No game is played with
    /// them, since there one roll would move the next.
    pub fn streamed(key: [u8; 32], number: u64) -> Self {
        Self::of(Source::Stream(ChaChaWords::numbered(key, number)))
    }

    fn of(source: Source) -> Self {
        Self {
            source,
            rolls: Vec::new(),
            used: BTreeSet::new(),
            seals: Vec::new(),
            opens: Vec::new(),
            sealed: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Rolls in public.
    ///
    /// # Errors
    /// A bad label or specification, or a label rolled before in this phase.
    pub fn roll(&mut self, label: &str, spec: &str) -> Result<Vec<u32>, DiceError> {
        let parsed = self.claim(label, spec)?;
        let faces = match &mut self.source {
            Source::Stream(words) => draw(words, parsed),
            Source::Seed { seed, .. } => {
                let block = hash::block("roll", &[("seed", &*seed), ("label", &label)]);
                faces(&hash::text_hash(&block), parsed)
            }
            Source::Script(script) => scripted(script, label, parsed)?,
        };
        self.rolls.push(Roll {
            label: label.to_owned(),
            spec: spec.to_owned(),
            faces: faces.clone(),
        });
        Ok(faces)
    }

    /// Rolls under a seal: of this roll only a commitment is published. For each
    /// roll whose faces, or whose existence, some player may not know yet.
    ///
    /// # Errors
    /// As [`Roller::roll`]; and dice without the secret cannot seal.
    pub fn roll_sealed(&mut self, label: &str, spec: &str) -> Result<SealedRoll, DiceError> {
        if matches!(&self.source, Source::Seed { sealing: None, .. }) {
            return Err(DiceError::Unsealed(label.to_owned()));
        }
        let parsed = self.claim(label, spec)?;
        let (key, commitment, faces) = match &mut self.source {
            Source::Stream(words) => {
                let key = Hex64::digest(label.as_bytes());
                (key, Hex64::digest(&key.bytes()), draw(words, parsed))
            }
            Source::Seed { sealing: Some(with), .. } => {
                let key = hash::hidden_roll_key(&with.secret, &with.seed, label);
                let commitment = hash::seal(&with.game, with.phase, &key, label, spec);
                (key, commitment, faces(&key, parsed))
            }
            Source::Seed { sealing: None, .. } => {
                return Err(DiceError::Unsealed(label.to_owned()));
            }
            Source::Script(script) => {
                // A script has no key: any value that differs by label will do.
                let key = Hex64::digest(label.as_bytes());
                (key, Hex64::digest(&key.bytes()), scripted(script, label, parsed)?)
            }
        };
        self.register(Sealed::Roll(commitment))?;
        let (label, spec) = (label.to_owned(), spec.to_owned());
        let roll = SealedRoll { commitment, key, label, spec, faces };
        self.sealed.push(roll.clone());
        Ok(roll)
    }

    /// Registers the commitment to a note that a player's locked file holds.
    ///
    /// # Errors
    /// A commitment registered before in this phase.
    pub fn seal_note(&mut self, owner: &Id, commitment: Hex64) -> Result<(), DiceError> {
        self.register(Sealed::Note { owner: owner.clone(), commitment })
    }

    /// Opens a sealed roll of this phase or an earlier one.
    ///
    /// # Errors
    /// A commitment opened before in this phase.
    pub fn open(&mut self, sealed: &SealedRoll) -> Result<(), DiceError> {
        self.record_open(sealed.opened())
    }

    /// Opens a player's note: its text, in normal form, will be published.
    ///
    /// # Errors
    /// A commitment opened before in this phase.
    pub fn open_note(
        &mut self,
        commitment: Hex64,
        salt: Hex64,
        text: &str,
    ) -> Result<(), DiceError> {
        let hash = hash::text_hash(text);
        self.record_open(Opened::Note { commitment, salt, text: hash })?;
        self.notes.push((commitment, text.to_owned()));
        Ok(())
    }

    /// The notes that were opened, by commitment.
    pub fn opened_notes(&self) -> &[(Hex64, String)] {
        &self.notes
    }

    fn register(&mut self, seal: Sealed) -> Result<(), DiceError> {
        let commitment = seal.commitment();
        if self.seals.iter().any(|other| other.commitment() == commitment) {
            return Err(DiceError::Commitment(commitment));
        }
        self.seals.push(seal);
        Ok(())
    }

    fn record_open(&mut self, opened: Opened) -> Result<(), DiceError> {
        let commitment = opened.commitment();
        if self.opens.iter().any(|other| other.commitment() == commitment) {
            return Err(DiceError::Commitment(commitment));
        }
        self.opens.push(opened);
        Ok(())
    }

    /// Takes a label for the rest of the phase.
    fn claim(&mut self, label: &str, spec: &str) -> Result<Spec, DiceError> {
        let parsed = Spec::parse(spec)?;
        if !is_label(label) {
            return Err(DiceError::Label(label.to_owned()));
        }
        if !self.used.insert(label.to_owned()) {
            return Err(DiceError::Repeated(label.to_owned()));
        }
        Ok(parsed)
    }

    /// One ten-sided die.
    pub fn d10(&mut self, label: &str) -> Result<u32, DiceError> {
        Ok(self.roll(label, "1d10")?[0])
    }

    /// The public rolls so far, in order.
    pub fn rolls(&self) -> &[Roll] {
        &self.rolls
    }

    /// The sealed rolls so far, in order: the close opens those still sealed.
    pub fn sealed_rolls(&self) -> &[SealedRoll] {
        &self.sealed
    }

    /// `rolls.txt` of the phase.
    pub fn rolls_file(&self, game: &Id, phase: u32) -> Rolls {
        Rolls { game: game.clone(), phase, rolls: self.rolls.clone() }
    }

    /// `seals.txt` of the phase, which sealed games write even when it is empty.
    pub fn seals_file(&self, game: &Id, phase: u32) -> Seals {
        Seals { game: game.clone(), phase, seals: self.seals.clone(), opens: self.opens.clone() }
    }
}

/// The faces that a script has for a label: as many as the specification draws,
/// each one that it can draw.
fn scripted(
    script: &BTreeMap<String, Vec<u32>>,
    label: &str,
    spec: Spec,
) -> Result<Vec<u32>, DiceError> {
    let fits = |faces: &&Vec<u32>| match spec {
        Spec::Dice { count, sides } => {
            faces.len() == count as usize && faces.iter().all(|face| (1..=sides).contains(face))
        }
        Spec::Shuffle(n) => {
            let mut sorted = (*faces).clone();
            sorted.sort_unstable();
            sorted.into_iter().eq(1..=n)
        }
    };
    script
        .get(label)
        .filter(fits)
        .cloned()
        .ok_or_else(|| DiceError::Script { label: label.to_owned(), spec: spec.to_string() })
}
