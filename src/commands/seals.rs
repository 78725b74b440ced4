//! `hash`, `nonce` and `hide`: what a player computes to commit to something.

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::join::find_player;
use crate::cli::{HashArgs, HideArgs, NonceArgs};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::Offer;

/// Prints the hash of each file.
pub fn hash(desk: &mut Desk<'_>, args: &HashArgs) -> Result<u8, Fault> {
    for file in &args.files {
        let path = desk.path(file);
        let bytes = std::fs::read(&path).map_err(Fault::file("read", &path))?;
        let hash = hash::file_hash(&bytes).map_err(|e| {
            Fault::input(format!("`{}`: {e}", path.display()), "only texts have such a hash")
        })?;
        writeln!(desk.out, "{hash}  {}", file.display())?;
    }
    Ok(0)
}

/// The game and the player: as named, and of the game in the folder where that is the
/// one; then the player must be one of its players.
fn who(desk: &Desk<'_>, id: Option<&str>, player: &str) -> Result<(Id, Id), Fault> {
    let named = id
        .map(|text| {
            Id::new(text).map_err(|e| Fault::input(e.to_string(), "the offer names the game"))
        })
        .transpose()?;
    let here = Folder::open(desk).and_then(|folder| folder.record("offer.txt", Offer::parse)).ok();
    let game = match (named, here) {
        (None, None) => {
            return Err(Fault::input("which game?", "name it with --id, as the offer does"));
        }
        (Some(game), Some(offer)) if game != offer.game => game,
        (_, Some(offer)) => {
            let player = find_player(&offer, player)?;
            return Ok((offer.game, player));
        }
        (Some(game), None) => game,
    };
    let player = Id::player(player)
        .map_err(|e| Fault::input(e.to_string(), "the offer names your player id"))?;
    Ok((game, player))
}

fn given_or_fresh(desk: &mut Desk<'_>, given: Option<&str>) -> Result<Hex64, Fault> {
    match given {
        Some(text) => Hex64::new(text)
            .map_err(|e| Fault::input(e.to_string(), "leave it out for a fresh one")),
        None => desk.fresh(),
    }
}

/// Makes a nonce and its commitment.
pub fn nonce(desk: &mut Desk<'_>, args: &NonceArgs) -> Result<u8, Fault> {
    let (game, player) = who(desk, args.id.as_deref(), &args.player)?;
    let nonce = given_or_fresh(desk, args.nonce.as_deref())?;
    let commitment = hash::join(&game, &player, &nonce);
    if desk.json {
        let value = serde_json::json!({
            "game": game.as_str(), "player": player.as_str(),
            "nonce": nonce.to_string(), "commitment": commitment.to_string(),
        });
        writeln!(desk.out, "{value}")?;
        return Ok(0);
    }
    writeln!(desk.out, "commitment {commitment}")?;
    writeln!(desk.out, "nonce      {nonce}")?;
    writeln!(desk.out, "Mail the commitment to everybody now. Keep the nonce to yourself until")?;
    writeln!(desk.out, "everybody's commitment is there, then mail it to everybody.")?;
    Ok(0)
}

/// Seals a note.
pub fn hide(desk: &mut Desk<'_>, args: &HideArgs) -> Result<u8, Fault> {
    let (game, player) = who(desk, args.id.as_deref(), &args.player)?;
    let path = desk.path(&args.file);
    let bytes = std::fs::read(&path).map_err(Fault::file("read", &path))?;
    let text = hash::file_hash(&bytes)
        .map_err(|e| Fault::input(format!("`{}`: {e}", path.display()), "a note is a text"))?;
    let salt = given_or_fresh(desk, args.salt.as_deref())?;
    let commitment = hash::hide(&game, args.phase, &player, &salt, &text);
    if desk.json {
        let value = serde_json::json!({
            "commitment": commitment.to_string(), "salt": salt.to_string(), "text": text.to_string(),
        });
        writeln!(desk.out, "{value}")?;
        return Ok(0);
    }
    writeln!(desk.out, "commitment {commitment}")?;
    writeln!(desk.out, "salt       {salt}")?;
    writeln!(desk.out, "text       {text}")?;
    let note = String::from_utf8_lossy(&bytes).trim().to_owned();
    if !note.is_empty() && !note.contains(['\n', '"']) {
        writeln!(desk.out, "\nIn your orders of phase {}:\n", args.phase)?;
        writeln!(desk.out, "[[hide]]\nnote = \"{note}\"\nsalt = \"{salt}\"\n")?;
        writeln!(desk.out, "Tell nobody but the referee; keep the salt.")?;
        return Ok(0);
    }
    writeln!(
        desk.out,
        "Put the commitment into your orders of phase {}. Keep the salt and the",
        args.phase
    )?;
    writeln!(desk.out, "note: without both nobody can open it.")?;
    Ok(0)
}
