//! The referee's chain of dice secrets (`docs/dice.md`, "Secrets and files").

use super::hash::{self, Hex64};
use super::id::Id;
use super::record::Secret;

/// `s_0` ... `s_N` of a game, derived from the root `s_N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    values: Vec<Hex64>,
}

impl Chain {
    /// Derives all values: `s_i` = H(chain; game, i, `s_{i+1}`), down from the root.
    pub fn derive(game: &Id, length: u32, root: Hex64) -> Self {
        let mut values = vec![root];
        let mut next = root;
        for index in (0..length).rev() {
            next = hash::chain_link(game, index, &next);
            values.push(next);
        }
        values.reverse();
        Self { values }
    }

    /// The chain of a secret file.
    pub fn of(secret: &Secret) -> Self {
        Self::derive(&secret.game, secret.length, secret.root)
    }

    /// `s_0`, which the offer publishes.
    pub fn tip(&self) -> Hex64 {
        self.values[0]
    }

    /// `s_p`, the secret of phase p; `None` beyond the end of the chain.
    pub fn at(&self, phase: u32) -> Option<Hex64> {
        self.values.get(phase as usize).copied()
    }

    /// N: how many phases the chain can serve.
    pub fn length(&self) -> usize {
        self.values.len() - 1
    }
}

/// The secrets of a new game from 64 bytes of the operating system's generator:
/// the root first, then d.
pub fn new_secret(game: &Id, length: u32, random: &[u8; 64]) -> Secret {
    let (mut root, mut hidden) = ([0; 32], [0; 32]);
    root.copy_from_slice(&random[..32]);
    hidden.copy_from_slice(&random[32..]);
    Secret {
        game: game.clone(),
        length,
        root: Hex64::from_bytes(root),
        hidden: Hex64::from_bytes(hidden),
    }
}
