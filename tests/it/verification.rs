//! Verification of games of every mode, with amendments, late locks and the rest.

use despatch::core::hash::Hex64;
use despatch::core::record::{Amend, AmendKind, Close, Consent, Lock, Offer, Seals, Turn};
use despatch::core::verify::{Check, MemoryBundle, NoticeKind, Options, verify};
use proptest::prelude::*;

use crate::maker::{Locking, Maker, OPEN, Plan, SEALED_CHAIN};
use crate::tamper::{self, add_line, edit, flip, mend, put, spoil};
use crate::tampers;

fn check(bundle: &MemoryBundle, options: &Options) -> Option<Check> {
    verify(bundle, None, options).failure.map(|failure| failure.check)
}

/// A whole open game: every way to lock, every kind of amendment.
pub(crate) fn open_game() -> Maker {
    let mut game = Maker::new(OPEN);
    game.amend(AmendKind::Seat, Consent::All)
        .phase(Locking::Due, false)
        .amend(AmendKind::Correct, Consent::Referee)
        .phase(Locking::Early, true)
        .amend(AmendKind::Ruling, Consent::All)
        .amend(AmendKind::State, Consent::All)
        .phase(Locking::Late, true)
        .close();
    game
}

pub(crate) fn sealed_game() -> Maker {
    let mut game = Maker::new(SEALED_CHAIN);
    game.phase(Locking::Due, false)
        .amend(AmendKind::Correct, Consent::All)
        .phase(Locking::Early, true)
        .close();
    game
}

#[test]
fn an_open_game_passes_and_its_notices_say_what_to_judge() {
    let game = open_game();
    let result = verify(&game.bundle(), None, &game.options());
    insta::assert_snapshot!(result.render(), @r"
    genesis     sealed tip, one beacon value, entropy                 ok
    rules       1 file                                                ok
    phase 1-3   3 calls, 3 locks, 5 order files, 3 secrets, 8 rolls   ok
    amendments  4                                                     ok
    close       every secret shown is the one fixed                   ok
    notice      amendment 1: seat, with the consent of all
                (amend-001/note.txt)
    notice      amendment 2: correct, by the referee alone
                (amend-002/note.txt)
    notice      the program changed from despatch/0.1.0 to despatch/0.1.1
                (amend-002/amend.txt)
    notice      the program changed from despatch/0.1.1 to despatch/0.1.0
                (phase-002/turn.txt)
    notice      amendment 3: ruling, with the consent of all
                (amend-003/note.txt)
    notice      amendment 4: state, with the consent of all
                (amend-004/note.txt)
    notice      phase 3 was locked at 2027-01-16T00:00:00Z, when its beacon
                was public (from 2027-01-16T00:00:00Z) (phase-003/lock.txt)
    notice      the file of blue in phase 3 came at 2027-01-15T10:02:00Z,
                after the deadline 2027-01-15T10:01:00Z (phase-003/lock.txt)
    notice      the file of red in phase 3 came at 2027-01-15T10:02:00Z,
                after the deadline 2027-01-15T10:01:00Z (phase-003/lock.txt)
    ALL CHECKS PASSED
    The dice follow from values fixed before the orders were locked. This does
    not prove that the referee kept secrets, or delivered every mail; run with
    --replay to check that he read the rules right.
    No head was given, so the last record proves nothing: it could have been
    rewritten. Give the 64 digits of your last mail with --head.
    ");
    let outcomes: Vec<_> = result
        .phases
        .iter()
        .map(|facts| {
            let rules = &facts.rules.entries[0].path;
            (facts.outcome.as_str(), facts.state_before.as_str(), rules.as_str())
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            ("amend-002", "state-000.toml", "rules/settings.toml"),
            ("phase-002", "amend-002/state-after.toml", "rules/settings.toml"),
            ("phase-003", "amend-004/state-after.toml", "amend-003/rules/settings.toml"),
        ]
    );
}

#[test]
fn a_sealed_game_of_mode_chain_says_that_the_referee_could_know() {
    let game = sealed_game();
    let result = verify(&game.bundle(), None, &game.options());
    assert_eq!(result.failure, None);
    assert!(result.closing(false).contains("The referee could know these dice in advance."));
    let mut spoilt = game.bundle();
    spoil(&mut spoilt);
    assert_eq!(check(&spoilt, &game.options()), None);
    tamper::cut_before_close(&mut spoilt);
    assert_eq!(check(&spoilt, &game.options()), None);
}

#[test]
fn every_change_is_caught_in_these_games_too() {
    for game in [open_game(), sealed_game()] {
        let skipped = tampers::run_all(&game.bundle(), &game.options());
        assert!(skipped.len() <= 12, "{skipped:?}");
    }
}

#[test]
fn a_beacon_of_another_key_is_refused() {
    let bundle = open_game().bundle();
    assert_eq!(check(&bundle, &Options::default()), Some(Check::Genesis));
    let unchecked = Options { beacon_key: None };
    assert_eq!(check(&bundle, &unchecked), None);
}

#[test]
fn a_referee_who_plays_is_noticed_and_only_lawful_in_the_open_with_a_beacon() {
    let plan = Plan { referee: Some("red"), ..OPEN };
    let mut game = Maker::new(plan);
    game.phase(Locking::Due, true);
    let result = verify(&game.bundle(), None, &game.options());
    assert_eq!(result.failure, None);
    assert!(result.notices.iter().any(|notice| notice.kind == NoticeKind::RefereePlays));
    for plan in
        [Plan { referee: Some("red"), ..SEALED_CHAIN }, Plan { referee: Some("green"), ..OPEN }]
    {
        let game = Maker::new(plan);
        assert_eq!(check(&game.bundle(), &game.options()), Some(Check::Offer));
    }
}

#[test]
fn an_offer_must_be_lawful() {
    let changes: [fn(&mut Offer); 6] = [
        |offer| offer.players.reverse(),
        |offer| offer.players.clear(),
        |offer| offer.players.push(despatch::core::id::Id::new("referee").unwrap()),
        |offer| offer.grid = 7,
        |offer| offer.length = 0,
        // The beacon of the entropy was public when the offer was made.
        |offer| offer.made = offer.made.plus(86_400),
    ];
    for change in changes {
        let game = Maker::new(OPEN);
        let mut bundle = game.bundle();
        edit::<Offer>(&mut bundle, "offer.txt", |offer| {
            change(offer);
            true
        });
        mend(&mut bundle);
        assert_eq!(check(&bundle, &game.options()), Some(Check::Offer));
    }
}

/// A change, the check that must name it, and how it is made.
pub(crate) type Row = (&'static str, Check, fn(&mut MemoryBundle) -> bool);

/// Changes to [`open_game`] beside the table of the protocol; each is mended.
pub(crate) fn more() -> [Row; 12] {
    [
        ("amendment renumbered", Check::Ledger, |b| {
            edit::<Amend>(b, "amend-001/amend.txt", |amend| {
                amend.number = 2;
                true
            })
        }),
        ("a seat that changes the rules", Check::Amend, |b| {
            edit::<Amend>(b, "amend-003/amend.txt", |amend| {
                amend.kind = AmendKind::Seat;
                true
            })
        }),
        ("a ruling with rolls", Check::Amend, |b| {
            edit::<Amend>(b, "amend-003/amend.txt", |amend| {
                amend.rolls = Some(flip(amend.rules));
                true
            })
        }),
        ("a corrected face edited", Check::Amend, |b| {
            edit(b, "amend-002/rolls.txt", |rolls: &mut despatch::core::record::Rolls| {
                rolls.rolls[0].faces[0] = 1 + rolls.rolls[0].faces[0] % 10;
                true
            })
        }),
        ("seals in an open game", Check::Seals, |b| {
            put(b, "phase-001/seals.txt", "x\n");
            edit::<Turn>(b, "phase-001/turn.txt", |turn| {
                turn.seals = Some(turn.rolls);
                true
            })
        }),
        ("counts of the close", Check::Close, |b| {
            edit::<Close>(b, "close.txt", |close| {
                close.phases += 1;
                true
            })
        }),
        ("a player without a line in the lock", Check::Lock, |b| {
            edit::<Lock>(b, "phase-002/lock.txt", |lock| lock.orders.pop().is_some())
        }),
        ("early without a final mark", Check::Orders, |b| {
            let path = "phase-002/orders/red.toml";
            let text = tamper::text(b, path).unwrap().replace("final = true", "final = false");
            put(b, path, &text);
            true
        }),
        ("orders of another phase", Check::Orders, |b| {
            let path = "phase-002/orders/red.toml";
            let text = tamper::text(b, path).unwrap().replace("phase = 2", "phase = 1");
            put(b, path, &text);
            true
        }),
        ("the seed made up", Check::Seed, |b| {
            edit::<Turn>(b, "phase-001/turn.txt", |turn| {
                turn.seed = flip(turn.seed);
                true
            })
        }),
        ("a beacon page gone", Check::Missing, |b| {
            b.files.remove("phase-001/beacon.json").is_some()
        }),
        ("something after the close", Check::Ledger, |b| {
            put(b, "phase-004/form.txt", "x\n");
            true
        }),
    ]
}

#[test]
fn more_that_must_fail() {
    let game = open_game();
    for (name, expected, change) in more() {
        let mut bundle = game.bundle();
        assert!(change(&mut bundle), "{name}");
        mend(&mut bundle);
        let failure = verify(&bundle, None, &game.options()).failure;
        assert_eq!(failure.as_ref().map(|f| f.check), Some(expected), "{name}: {failure:?}");
    }
}

#[test]
fn a_sealed_label_may_not_be_a_public_one() {
    let game = sealed_game();
    let mut bundle = game.bundle();
    // The liar seals a second roll under a label that he also rolls in public.
    let d = Hex64::from_bytes([4; 32]);
    let turn: Turn = tamper::get(&bundle, "phase-002/turn.txt").unwrap();
    let mut dice = despatch::core::dice::Roller::sealing(&turn.game, 2, &turn.seed, &d);
    let twice = dice.roll_sealed("weather", "2d6").unwrap();
    assert!(edit::<Seals>(&mut bundle, "phase-002/seals.txt", |seals| {
        seals.seals.extend(dice.seals_file(&turn.game, 2).seals);
        true
    }));
    assert!(edit::<Seals>(&mut bundle, "close-seals.txt", |seals| {
        seals.opens.push(twice.opened());
        true
    }));
    mend(&mut bundle);
    let failure = verify(&bundle, None, &game.options()).failure.unwrap();
    assert_eq!(failure.check, Check::Close);
    assert!(failure.message.contains("rolled twice"), "{}", failure.message);
}

#[test]
fn nothing_may_be_called_before_an_amendment() {
    let mut game = Maker::new(OPEN);
    game.phase(Locking::Due, true).phase(Locking::Due, true);
    let mut bundle = game.bundle();
    bundle.files.retain(|path, _| !path.starts_with("phase-002/") || path.ends_with("/call.txt"));
    assert_eq!(check(&bundle, &game.options()), None);
    // The call of phase 2 is there; then the referee amends.
    let mut amended = Maker::new(OPEN);
    amended.phase(Locking::Due, true).amend(AmendKind::State, Consent::Referee);
    for (path, bytes) in amended.bundle().files {
        bundle.files.insert(path, bytes);
    }
    assert_eq!(check(&bundle, &game.options()), Some(Check::Call));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever bytes a file holds, a verification answers; it never panics, and a
    /// file that the ledger names cannot change unnoticed.
    #[test]
    fn any_bytes_in_any_file_are_answered(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..8),
    ) {
        let game = sealed_game();
        let good = game.bundle();
        let path = which.get(&good.files.keys().cloned().collect::<Vec<_>>()).clone();
        let mut changed = good.clone();
        let file = changed.files.get_mut(&path).unwrap();
        let from = at.index(file.len());
        file.splice(from..from, bytes);
        let same = despatch::core::hash::normal(&changed.files[&path]).ok()
            == tamper::text(&good, &path);
        let failed = !verify(&changed, None, &game.options()).passed();
        // Without a head the last record may say anything that parses.
        prop_assert!(failed || same || path == "close.txt", "{path}");
    }
}

#[test]
fn an_added_line_is_noticed_in_every_file() {
    let game = open_game();
    let good = game.bundle();
    for path in good.files.keys() {
        let mut changed = good.clone();
        assert!(add_line(&mut changed, path, "x"));
        assert!(check(&changed, &game.options()).is_some(), "{path}");
    }
}
