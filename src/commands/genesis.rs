//! `genesis`: closes the first record; from here the ledger runs.

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::join::Joins;
use super::ledger::Ledger;
use super::outbox::{Note, Post, enclosed};
use super::store::Batch;
use crate::cli::GenesisArgs;
use crate::core::beacon::{self, BeaconKey, BeaconValue};
use crate::core::hash;
use crate::core::record::{EntropySource, Genesis, Join};

/// Writes `genesis.txt`.
pub fn run(desk: &mut Desk<'_>, args: &GenesisArgs) -> Result<u8, Fault> {
    let folder = Folder::hold(desk)?;
    let ledger = Ledger::read(&folder)?;
    let offer = &ledger.offer;
    if let Some(head) = ledger.head {
        return Err(Fault::refused(
            format!("the genesis of this game is closed already: head {head}"),
            "go on with `despatch call`",
        ));
    }
    let mut batch = Batch::new();
    let genesis = match offer.entropy {
        EntropySource::Nonces => {
            let joins = Joins::read(&folder, offer)?;
            let mut list = Vec::new();
            let mut missing = Vec::new();
            for (player, commitment, nonce) in joins.players {
                match (commitment, nonce) {
                    (Some(commitment), Some(nonce)) => {
                        list.push(Join { player, commitment, nonce });
                    }
                    (None, _) => missing.push(format!("{player} (commitment and nonce)")),
                    (_, None) => missing.push(format!("{player} (nonce)")),
                }
            }
            if !missing.is_empty() {
                return Err(Fault::refused(
                    format!("not everybody has joined: {}", missing.join(", ")),
                    "take them with `despatch join PLAYER --commitment HEX`, then --nonce HEX",
                ));
            }
            let nonces: Vec<_> = list.iter().map(|j| (j.player.clone(), j.nonce)).collect();
            Genesis {
                game: offer.game.clone(),
                offer: offer.hash(),
                entropy: hash::entropy_of_nonces(&offer.game, &nonces),
                joins: list,
                beacon: None,
            }
        }
        EntropySource::Round(round) => {
            let value = read_beacon(desk, args.beacon.as_deref(), round)?;
            batch.record("genesis-beacon.json", value.to_text());
            Genesis {
                game: offer.game.clone(),
                offer: offer.hash(),
                joins: Vec::new(),
                beacon: Some(value.string()),
                entropy: hash::entropy_of_beacon(&offer.game, &value.string()),
            }
        }
    };
    // The secret must be at hand before anybody plays for it.
    folder.chain(offer)?;
    let head = genesis.hash();
    let settings = folder.settings()?;
    let body = format!(
        "The game {} begins. Keep this head: every later one rests on it.\n\nhead {head}\n\n\
         The record is attached: the head is its hash.\n",
        offer.game
    );
    for player in &offer.players {
        let note = Note {
            name: &format!("genesis-{player}"),
            subject: "the game begins",
            body: &body,
            with: vec![enclosed("genesis.txt", genesis.to_text())],
            ..Note::default()
        };
        Post::new(&settings, offer, desk.now).to(&mut batch, player, &note);
    }
    batch.record("genesis.txt", genesis.to_text());
    folder.commit(desk, &batch)?;
    writeln!(desk.out, "genesis closed\nhead {head}")?;
    writeln!(desk.out, "next: send the mails in outbox/, then `despatch call`")?;
    Ok(0)
}

/// Reads the page of a beacon round and checks it, signature included.
///
/// # Errors
/// No file was named (the message has the command that fetches it), or it is
/// another round's, or no true one.
pub fn read_beacon(
    desk: &Desk<'_>,
    file: Option<&std::path::Path>,
    round: u64,
) -> Result<BeaconValue, Fault> {
    let appears = beacon::time_of(round);
    let fetch = format!("curl -s {} -o round.json", beacon::page(round));
    let Some(file) = file else {
        return Err(Fault::refused(
            format!("the dice wait for the beacon's round {round}, which appears at {appears}"),
            format!("then fetch it with `{fetch}` and add --beacon round.json"),
        ));
    };
    let value = BeaconValue::parse(&desk.read(file)?)
        .map_err(|e| Fault::input(e.to_string(), format!("fetch it with `{fetch}`")))?;
    if value.round != round {
        return Err(Fault::refused(
            format!("`{}` is round {}, not {round}", file.display(), value.round),
            format!("fetch the right one with `{fetch}`"),
        ));
    }
    value
        .check_randomness()
        .and_then(|()| value.check_signature(&BeaconKey::quicknet()))
        .map_err(|e| Fault::refused(e.to_string(), format!("fetch it again with `{fetch}`")))?;
    Ok(value)
}
