//! A header compared with what it must say.

use std::ops::Range;

use super::{COPY, Header};
use crate::core::diag::Diagnostic;
use crate::core::hash::Hex64;
use crate::core::id::Id;

/// What the header of a file must say to count.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The game.
    pub game: &'a Id,
    /// The phase that is called.
    pub phase: u32,
    /// Whose file it should be: the sender, or the name of the file.
    pub player: &'a Id,
    /// The head that the call names.
    pub head: &'a Hex64,
    /// The ticket of the player's last form; `None` where nobody can know it.
    pub ticket: Option<&'a Hex64>,
    /// Tickets of forms that a later one replaced.
    pub replaced: &'a [Hex64],
}

/// Compares a header with what it must say: one fault for each thing that differs.
pub fn check_header(header: &Header, expected: &Expected<'_>) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let (game, phase, player) = (&header.game, &header.phase, &header.player);
    let mut fault = |message: String, span: &Range<usize>, help: String| {
        faults.push(Diagnostic::error(None, message).at(span.clone()).help(help));
    };
    if game.value != *expected.game {
        fault(
            format!("these are orders of the game `{}`, not of `{}`", game.value, expected.game),
            &game.span,
            format!("fill in the form of `{}`", expected.game),
        );
    }
    if phase.value < expected.phase {
        fault(
            format!("this form is of phase {}; phase {} is open", phase.value, expected.phase),
            &phase.span,
            format!("the form is an old one: use that of phase {}", expected.phase),
        );
    } else if phase.value > expected.phase {
        fault(
            format!("phase {} has not been called; phase {} is open", phase.value, expected.phase),
            &phase.span,
            format!("fill in the form of phase {}", expected.phase),
        );
    }
    if player.value != *expected.player {
        fault(
            format!("these are orders of `{}`, not of `{}`", player.value, expected.player),
            &player.span,
            format!("`{}` sends the form of `{0}`", expected.player),
        );
    }
    // The head and the ticket belong to game, phase and player: where those are
    // wrong, theirs would be noise.
    let same = game.value == *expected.game && phase.value == expected.phase;
    if let Some(head) = header.head.as_ref().filter(|head| same && head.value != *expected.head) {
        fault(
            "the head is not the one that the call names".to_owned(),
            &head.span,
            format!(
                "the call says head = \"{}\"; if your mail shows another, ask the referee why \
                 before you send orders",
                expected.head
            ),
        );
    }
    let same = same && player.value == *expected.player;
    if let (Some(ticket), Some(right)) = (&header.ticket, expected.ticket)
        && same
        && ticket.value != *right
    {
        if expected.replaced.contains(&ticket.value) {
            fault(
                "the ticket is of an earlier form, which a later one replaced".to_owned(),
                &ticket.span,
                "use the last form that you were sent".to_owned(),
            );
        } else {
            fault("the ticket is not that of your form".to_owned(), &ticket.span, COPY.to_owned());
        }
    }
    faults
}
