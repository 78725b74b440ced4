//! The sample bundle of the protocol: it passes, spoilt by mail or cut back it
//! still passes, and each change is named by its check.

use std::path::Path;

use despatch::bundle_dir::DirBundle;
use despatch::core::hash::Hex64;
use despatch::core::verify::{
    Check, ExplainError, MemoryBundle, NoticeKind, Options, RecordName, explain_roll, verify,
};

use crate::tamper::{add_line, cut_before_close, load, mend, spoil};
use crate::tampers;

const LAST: &str = "b02c305d8a6c991d81b512742460e34dc1c173a2afc2967f033873265573322e";

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample"))
}

fn sample() -> MemoryBundle {
    load(folder())
}

fn head(text: &str) -> Hex64 {
    Hex64::new(text).unwrap()
}

#[test]
fn it_passes_and_says_what_that_proves() {
    let disk = DirBundle::open(folder()).unwrap();
    let result = verify(&disk, Some(&head(LAST)), &Options::default());
    assert_eq!(result.failure, None);
    assert_eq!(result.matched, Some(RecordName::Close));
    insta::assert_snapshot!(result.render(), @r"
    genesis     sealed tip, 3 nonces, entropy                         ok
    rules       2 files                                               ok
    phase 1-2   3 calls, 2 locks, 5 order files, 2 secrets, 6 rolls   ok
    seals       2 made, 2 opened                                      ok
    amendments  1                                                     ok
    close       every secret shown is the one fixed                   ok
    head        yours is the close                                    ok
    notice      amendment 1: ruling, with the consent of all
                (amend-001/note.txt)
    ALL CHECKS PASSED
    The dice follow from values fixed before the orders were locked. This does
    not prove that the referee kept secrets, or delivered every mail; run with
    --replay to check that he read the rules right.
    ");
    let result = verify(&disk, None, &Options { beacon_key: None });
    assert!(result.passed());
    assert!(result.closing(false).contains("the last record proves nothing"));
    assert!(result.notices.iter().any(|n| n.kind == NoticeKind::SignaturesUnchecked));
}

#[test]
fn the_record_of_any_head_is_named() {
    let bundle = sample();
    for (digits, name) in [
        ("7e1b881df851d6b79fde527fa532547fddad86328c1df864e3831520e908280c", RecordName::Genesis),
        ("9d26f200b67e70d4bb64c4855e262730aba8bdfdd21b367b5aee8fa6c2fe6e6c", RecordName::Phase(1)),
        (
            "79d34f1bf56ff21d154b86e891258f9c9f44344c7cadc6edae2e102345ba099f",
            RecordName::Amendment(1),
        ),
        (LAST, RecordName::Close),
    ] {
        assert_eq!(verify(&bundle, Some(&head(digits)), &Options::default()).matched, Some(name));
    }
}

#[test]
fn it_passes_with_every_line_end_spoilt() {
    let mut bundle = sample();
    spoil(&mut bundle);
    assert_eq!(verify(&bundle, Some(&head(LAST)), &Options::default()).failure, None);
}

#[test]
fn it_passes_before_the_close_with_secret_files_withheld() {
    let mut bundle = sample();
    cut_before_close(&mut bundle);
    let given = head("ede9d6edfee201c42700458b51524840dfed8fb811b2472c1a137938fd7fed56");
    let result = verify(&bundle, Some(&given), &Options::default());
    assert_eq!(result.failure, None);
    assert_eq!(result.matched, Some(RecordName::Phase(2)));
    let kinds: Vec<_> = result.notices.iter().map(|notice| notice.kind).collect();
    assert!(kinds.contains(&NoticeKind::NotPublished) && kinds.contains(&NoticeKind::SealsClosed));
    let said = result.render_after(None);
    assert!(said.contains("is shown after the close, with --replay"), "{said}");
    // A withheld file that is there must still be the right one.
    let mut edited = sample();
    edited.files.retain(|path, _| !path.starts_with("close"));
    assert!(verify(&edited, None, &Options::default()).passed());
    assert!(add_line(&mut edited, "phase-001/events.jsonl", "{}"));
    let failure = verify(&edited, None, &Options::default()).failure.unwrap();
    assert_eq!((failure.check, failure.file.as_str()), (Check::Files, "phase-001/events.jsonl"));
}

#[test]
fn it_passes_at_every_stage_of_the_game() {
    // What a player sees while phase 2 is called, then locked, then resolved.
    for (stage, keep) in [
        ("genesis", &["genesis"][..]),
        ("phase 1 called", &["genesis", "phase-001/call"]),
        ("phase 1 locked", &["genesis", "phase-001/call", "phase-001/lock"]),
        ("phase 1 resolved", &["genesis", "phase-001"]),
        ("amended", &["genesis", "phase-001", "amend-001"]),
        (
            "phase 2 locked",
            &["genesis", "phase-001", "amend-001", "phase-002/call", "phase-002/lock"],
        ),
    ] {
        let mut bundle = sample();
        bundle.files.retain(|path, _| {
            ["offer", "rules", "state-000"].iter().chain(keep).any(|word| path.starts_with(word))
        });
        let result = verify(&bundle, None, &Options::default());
        assert_eq!(result.failure, None, "{stage}");
        let open = result.notices.iter().any(|notice| notice.kind == NoticeKind::OpenPhase);
        assert_eq!(open, stage.ends_with("called") || stage.ends_with("locked"), "{stage}");
    }
}

#[test]
fn a_referees_own_papers_are_ignored() {
    let mut bundle = sample();
    for path in [
        "referee.secret",
        "addresses.toml",
        "outbox/phase-001/report.txt",
        "phase-001/receipts/dervish-1.txt",
        "phase-001/forms/dervish.toml",
        "phase-001/orders/superseded/dervish-1.toml",
        "phase-001/view/dervish.toml",
        "phase-001/report/dervish.txt",
        "verify.py",
    ] {
        bundle.files.insert(path.to_owned(), vec![0xff, 0]);
    }
    assert_eq!(verify(&bundle, None, &Options::default()).failure, None);
}

#[test]
fn each_change_is_named_by_its_check() {
    let skipped = tampers::run_all(&sample(), &Options::default());
    assert_eq!(skipped, [""; 0], "the sample has a place for every change");
}

#[test]
fn mending_a_good_bundle_changes_nothing() {
    let mut bundle = sample();
    mend(&mut bundle);
    assert_eq!(bundle, sample());
}

#[test]
fn only_a_head_catches_the_last_record_rewritten() {
    let mut bundle = sample();
    tampers::rewrite_the_last_record(&mut bundle);
    assert!(verify(&bundle, None, &Options::default()).passed());
    let failure = verify(&bundle, Some(&head(LAST)), &Options::default()).failure.unwrap();
    assert_eq!(failure.check, Check::Head);
    // So too with an order edited and the whole history mended after it.
    let mut bundle = sample();
    assert!(add_line(&mut bundle, "phase-001/orders/british.toml", "# moved"));
    mend(&mut bundle);
    assert_eq!(verify(&bundle, None, &Options::default()).failure, None);
    let failure = verify(&bundle, Some(&head(LAST)), &Options::default()).failure.unwrap();
    assert_eq!(failure.check, Check::Head);
}

#[test]
fn a_failure_reads_in_plain_words() {
    let mut bundle = sample();
    bundle.files.retain(|path, _| !path.starts_with("amend-001/"));
    insta::assert_snapshot!(verify(&bundle, None, &Options::default()).render(), @r"
    genesis     sealed tip, 3 nonces, entropy                         ok
    rules       2 files                                               ok
    phase 1     2 calls, 1 lock, 2 order files, 1 secret, 1 roll      ok
    seals       2 made, 0 opened                                      ok
    ledger                                                            FAILED
      in phase-002/turn.txt
      its prev is not the head of phase 1, the last record here
      (9d26f200b67e70d4bb64c4855e262730aba8bdfdd21b367b5aee8fa6c2fe6e6c)
      The history was cut, reordered or rewritten here: a record does not
      follow from the one before it.
    DO NOT TRUST THIS BUNDLE
    ");
}

#[test]
fn one_roll_by_hand() {
    let bundle = sample();
    let shown = explain_roll(&bundle, "fire/offence/0712", None).unwrap();
    assert_eq!((shown.phase, &shown.roll.faces[..]), (2, &[6][..]));
    insta::assert_snapshot!(shown.to_string(), @r"
    fire/offence/0712 1d10 -> 6   (phase 2)

    1. the sealed envelope: the secret of this phase was fixed before
       printf '%s\n' 'pbem-dice/1 chain' 'game=sample-1' 'index=1' 'next=2b65591fd8e096dfe022189243b15995a6b483c7d8c07beb496876e7fd38a96c' | sha256sum
       = 018d12c52ee527deb5942f8dd3e87f534dde520e76106c0e898cfd367f699f70
       = `ref` in the record of phase 1

    2. the public value: open this page and compare `randomness`
       https://api.drand.sh/52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971/public/1000
       = fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd
       = the round appeared at 2023-08-23T15:59:24Z

    3. the seed of the phase
       printf '%s\n' 'pbem-dice/1 seed' 'game=sample-1' 'phase=2' 'ref=2b65591fd8e096dfe022189243b15995a6b483c7d8c07beb496876e7fd38a96c' 'entropy=c07e4cbe3c783f9d0eaf7770cfa0a366fef7f16d346744d4a7f5d106e5db2d02' 'links=none' 'beacon=quicknet:1000:fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd' | sha256sum
       = ffe5bcedf15411292dd4c3363b0539c6975641b26681a2bed9cb257463feb325

    4. the key of the roll
       printf '%s\n' 'pbem-dice/1 roll' 'seed=ffe5bcedf15411292dd4c3363b0539c6975641b26681a2bed9cb257463feb325' 'label=fire/offence/0712' | sha256sum
       = f0774de20feb39160a34da98c6d16a7a188615ce7a34c8860c5ff3e139c51b3e

    5. the words of the roll
       head -c 4 /dev/zero | openssl enc -chacha20 -K f0774de20feb39160a34da98c6d16a7a188615ce7a34c8860c5ff3e139c51b3e -iv 00000000000000000000000000000000 | od -An -v -tx4 --endian=little
       = 659af3cf

    6. on paper
       = 659af3cf = 1704653775; mod 10 = 5; plus 1: 6
    ");
    let sealed = explain_roll(&bundle, "arrival/t1", Some(1)).unwrap();
    assert_eq!(sealed.roll.faces, [5]);
    assert!(sealed.steps[3].result.starts_with("64f542b62955cb92ae950a0d11a0d4a8"));
    assert_eq!(
        explain_roll(&bundle, "arrival/t1", Some(2)),
        Err(ExplainError::Unknown("arrival/t1".to_owned()))
    );
}
