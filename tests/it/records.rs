//! Record files: the sample bundle's parse, and are written back byte for byte.

use despatch::core::record::{
    Amend, Call, Close, Genesis, Lock, Offer, Rolls, RulesList, Seals, Secret, Turn,
};

fn sample(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample/");
    std::fs::read_to_string(format!("{root}{path}")).unwrap()
}

macro_rules! round_trip {
    ($type:ty: $($path:literal),+) => {
        $(
            let text = sample($path);
            let parsed = <$type>::parse(&text).unwrap();
            assert_eq!(parsed.to_text(), text, "{}", $path);
            assert_eq!(<$type>::parse(&parsed.to_text()), Ok(parsed));
        )+
    };
}

#[test]
fn the_samples_records_are_written_back_byte_for_byte() {
    round_trip!(Offer: "offer.txt");
    round_trip!(Genesis: "genesis.txt");
    round_trip!(RulesList: "rules.sha256", "amend-001/rules.sha256");
    round_trip!(Call: "phase-001/call.txt", "phase-001/call-2.txt", "phase-002/call.txt");
    round_trip!(Lock: "phase-001/lock.txt", "phase-002/lock.txt");
    round_trip!(Rolls: "phase-001/rolls.txt", "phase-002/rolls.txt");
    round_trip!(Seals: "phase-001/seals.txt", "phase-002/seals.txt", "close-seals.txt");
    round_trip!(Turn: "phase-001/turn.txt", "phase-002/turn.txt");
    round_trip!(Amend: "amend-001/amend.txt");
    round_trip!(Close: "close.txt");
}

#[test]
fn words_of_a_value_have_one_space_between_them() {
    let close = sample("close.txt");
    let line = close.lines().find(|line| line.starts_with("result=")).unwrap().to_owned();
    let with = |result: &str| Close::parse(&close.replace(&line, &format!("result={result}")));
    assert_eq!(with("a draw by consent").unwrap().result, "a draw by consent");
    for bad in ["a draw  by consent", " a draw", "a draw ", "a\tdraw", ""] {
        assert!(with(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn heads_of_the_sample() {
    let heads = [
        Genesis::parse(&sample("genesis.txt")).unwrap().hash(),
        Turn::parse(&sample("phase-001/turn.txt")).unwrap().hash(),
        Amend::parse(&sample("amend-001/amend.txt")).unwrap().hash(),
        Turn::parse(&sample("phase-002/turn.txt")).unwrap().hash(),
        Close::parse(&sample("close.txt")).unwrap().hash(),
    ];
    assert_eq!(
        heads.map(|head| head.to_string()),
        [
            "7e1b881df851d6b79fde527fa532547fddad86328c1df864e3831520e908280c",
            "9d26f200b67e70d4bb64c4855e262730aba8bdfdd21b367b5aee8fa6c2fe6e6c",
            "79d34f1bf56ff21d154b86e891258f9c9f44344c7cadc6edae2e102345ba099f",
            "ede9d6edfee201c42700458b51524840dfed8fb811b2472c1a137938fd7fed56",
            "b02c305d8a6c991d81b512742460e34dc1c173a2afc2967f033873265573322e",
        ]
    );
}

#[test]
fn a_fault_says_where_what_was_expected_and_what_was_found() {
    let text = format!(
        "pbem-dice/1 secret\ngame=a\nlength=08\nroot={r}\nhidden={r}\n",
        r = "22".repeat(32)
    );
    let fault = Secret::parse(&text).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "line 3: expected `length=` and a whole number, found `length=08`"
    );
    let good = text.replace("=08", "=8");
    assert_eq!(Secret::parse(&good).unwrap().to_text(), good);
    for bad in [
        good.trim_end().to_owned(),
        format!("{good}\n"),
        format!("{good}more=1\n"),
        good.replace("game=a", "game= a"),
        good.replace("pbem-dice/1", "pbem-dice/2"),
        good.replace("22", "aB"),
    ] {
        assert!(Secret::parse(&bad).is_err(), "{bad}");
    }
}

#[test]
fn a_rules_list_is_sorted_and_stays_below_rules() {
    let hash = "0a".repeat(32);
    for path in ["rules/a.toml", "rules/a/b.toml", "amend-001/rules/a.toml"] {
        assert!(RulesList::parse(&format!("{hash}  {path}\n")).is_ok(), "{path}");
    }
    for path in ["a.toml", "rules/../a", "rules/", "rules//a", "amend-1/rules/a", "/rules/a"] {
        assert!(RulesList::parse(&format!("{hash}  {path}\n")).is_err(), "{path}");
    }
    assert!(RulesList::parse(&format!("{hash}  rules/b\n{hash}  rules/a\n")).is_err());
    assert_eq!(RulesList::parse("\n").unwrap().to_text(), "\n");
}
