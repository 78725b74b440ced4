//! The text of the offer: all that a player must know and keep.

use std::fmt::Write as _;

use super::settings::Settings;
use super::words::wrap;
use crate::core::beacon;
use crate::core::record::{EntropySource, Mode, Offer};
use crate::game::Seat;

/// What a mode does not prove, in one line.
pub fn unproved(mode: Mode) -> &'static str {
    match mode {
        Mode::Chain => {
            "Chain dice prove that the rolls were fixed before the game began; they do not prove \
             that the referee, who knows them, tells nobody."
        }
        Mode::Beacon => {
            "Beacon dice are known to nobody before the orders are locked; they do not prove that \
             the referee delivered every mail."
        }
    }
}

/// The mail that every player keeps for the whole game.
pub fn offer_mail(offer: &Offer, settings: &Settings, seat: &Seat, title: &str) -> String {
    let game = &offer.game;
    let player = &seat.player;
    let mut text = String::new();
    let _ = writeln!(text, "{title}: a game by mail, {game}\n");
    let commands = seat.commands.join(", ");
    let _ = writeln!(
        text,
        "{}",
        wrap(&format!("You are {player} and play {} ({commands}).", seat.side))
    );
    for (id, person) in &settings.player {
        let _ = writeln!(text, "  {id:<20} {}", person.name);
        if !person.address.is_empty() {
            let _ = writeln!(text, "  {:<20} {}", "", person.address);
        }
    }
    if let Some(old) = &offer.continues {
        let _ = writeln!(
            text,
            "\nThis game goes on from {} at the head\n\n{}\n\n\
             Compare the head with your own mail of that game. The position is the one after\n\
             that record, under this game's id. With the program and bundles of both games:\n\n  \
             despatch verify NEW --continues OLD",
            old.game, old.head
        );
    }
    let _ = writeln!(text, "\nKEEP THIS MAIL. The dice of the whole game are sealed by the tip:\n");
    let _ = writeln!(text, "tip {}\n", offer.tip);
    let _ = writeln!(text, "{}\n", wrap(unproved(offer.mode)));
    match offer.entropy {
        EntropySource::Nonces => {
            let _ = writeln!(
                text,
                "{}\n\n  despatch nonce --id {game} --player {player}\n",
                wrap(
                    "TO JOIN, think of a nonce of 64 hex digits that nobody can guess and mail its \
                     commitment to everybody; when everybody's commitment is there, mail the \
                     nonce. With the program:"
                )
            );
            let _ = writeln!(
                text,
                "By hand, the commitment of NONCE is\n\n  \
                 printf 'pbem-dice/1 join\\ngame=%s\\nplayer=%s\\nnonce=%s\\n' \\\n  \
                 {game} {player} \\\n  NONCE \\\n  | sha256sum\n"
            );
            let _ = writeln!(
                text,
                "{}",
                wrap(
                    "Without any program you may mail the nonce alone after the commitments of all \
                     others: then you trust that the referee and the last of them do not collude."
                )
            );
        }
        EntropySource::Round(round) => {
            let _ = writeln!(
                text,
                "{}\n\n  {}",
                wrap(&format!(
                    "Nothing is asked of you to join: the public beacon's round {round} of {} \
                     enters the dice. Anybody can read it there:",
                    beacon::time_of(round)
                )),
                beacon::page(round)
            );
        }
    }
    let _ = writeln!(
        text,
        "\n{}\n\n  \
         printf 'pbem-dice/1 chain\\ngame=%s\\nindex=%s\\nnext=%s\\n' \\\n  \
         {game} INDEX \\\n  REF \\\n  | sha256sum\n\n\
         INDEX is p - 1. `despatch verify` checks this and all the rest.\n",
        wrap(
            "TO CHECK BY HAND LATER that a phase used the sealed dice: every phase p shows a \
             value `ref`; hashed, it gives the one of the phase before (phase 1: the tip)."
        )
    );
    let _ = writeln!(text, "THE OFFER, whose hash is\n{}\n\n{}", offer.hash(), offer.to_text());
    text
}
