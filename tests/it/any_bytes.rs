//! No bytes make a reader of the protocol panic, and what reads is written back.

use despatch::core::beacon::BeaconValue;
use despatch::core::hash::normal;
use despatch::core::orderfile::{Form, read_header};
use despatch::core::record::{
    Amend, Call, Close, Genesis, Lock, Offer, Rolls, RulesList, Seals, Secret, Turn,
};
use despatch::core::source::Source;
use proptest::prelude::*;

/// Reads a text as every kind of record; one that parses is written back.
fn read_all(text: &str) {
    macro_rules! each {
        ($($name:ident),+) => {
            $(if let Ok(record) = $name::parse(text) {
                assert_eq!(record.to_text(), text);
            })+
        };
    }
    each!(Amend, Call, Close, Genesis, Lock, Offer, Rolls, RulesList, Seals, Secret, Turn);
    let _ = BeaconValue::parse(text);
    let source = Source::new("a.toml", text);
    for form in [Form::Game, Form::Sample] {
        match read_header(&source, form) {
            Ok(header) => assert!(header.phase.value >= 1),
            Err(faults) => {
                assert!(!faults.is_empty());
                for fault in faults {
                    fault.render(&source, false);
                }
            }
        }
    }
}

/// The records and one order file of the sample.
fn samples() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample/");
    [
        "offer.txt",
        "genesis.txt",
        "rules.sha256",
        "phase-001/call-2.txt",
        "phase-001/lock.txt",
        "phase-001/seals.txt",
        "phase-001/beacon.json",
        "phase-001/orders/dervish.toml",
        "phase-002/seals.txt",
        "phase-002/rolls.txt",
        "phase-002/turn.txt",
        "amend-001/amend.txt",
        "close.txt",
    ]
    .iter()
    .map(|path| std::fs::read_to_string(format!("{root}{path}")).unwrap())
    .collect()
}

proptest! {
    #[test]
    fn normal_form_is_idempotent(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(once) = normal(&bytes) {
            prop_assert_eq!(normal(once.as_bytes()).unwrap(), once);
        }
    }

    #[test]
    fn normal_form_of_blanks_and_line_ends(text in "[\u{feff}a \t\r\n]{0,40}") {
        let once = normal(text.as_bytes()).unwrap();
        prop_assert_eq!(&normal(once.as_bytes()).unwrap(), &once);
        prop_assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.contains('\r'));
        prop_assert!(!once.contains(" \n") && !once.contains("\t\n"));
        let marked = once.starts_with('\u{feff}');
        prop_assert!(!marked);
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        read_all(&text);
    }

    /// A sample with a piece replaced by something else that such files hold.
    #[test]
    fn any_edit_of_a_record_is_answered(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        piece in prop_oneof![
            "[a-z0-9=:,. \"\\n#\\[-]{0,20}",
            "\\PC{0,5}",
            "[0-9]{1,25}",
            Just("quicknet:".to_owned()),
        ],
    ) {
        let samples = samples();
        let mut text = which.get(&samples).clone();
        let from = at.index(text.len());
        let to = (from + length).min(text.len());
        text.replace_range(from..to, &piece);
        read_all(&text);
    }
}
