//! The vectors of the protocol: published ones, and our own that an independent
//! program computed too.

use std::collections::BTreeMap;

use despatch::core::chain::Chain;
use despatch::core::dice::{DiceError, Roller};
use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;
use proptest::prelude::*;

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

fn hex(text: &str) -> Hex64 {
    Hex64::new(text).unwrap()
}

/// One byte 32 times.
fn of(byte: u8) -> Hex64 {
    Hex64::from_bytes([byte; 32])
}

#[test]
fn entropy_sorts_players_by_id_and_not_the_joined_strings() {
    let game = id("sample-1");
    let nonces = [(id("p2"), of(0x02)), (id("p10"), of(0x0a)), (id("p1"), of(0x01))];
    assert_eq!(
        hash::entropy_of_nonces(&game, &nonces).to_string(),
        "103730f2714301cde385d085b2fc1fb587b5e1844575ad5b809d29221792df01"
    );
    let beacon = "quicknet:123:fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc";
    assert_eq!(
        hash::entropy_of_beacon(&game, &beacon).to_string(),
        "1ae61dc682af383e710224ee9b2837ad2e7a4f37f813ad4a34e09ebfc02c801e"
    );
}

#[test]
fn the_sample_game() {
    let game = id("sample-1");
    let chain = Chain::derive(&game, 8, of(0x22));
    let d = of(0x33);
    let at = |p| chain.at(p).unwrap();
    assert_eq!(
        chain.tip(),
        hex("22b2536e6fce1836b9004245a389d6753a64ee069357704c4233e742e619ccaa")
    );
    assert_eq!(at(1), hex("018d12c52ee527deb5942f8dd3e87f534dde520e76106c0e898cfd367f699f70"));
    assert_eq!(chain.length(), 8);
    assert_eq!(chain.at(9), None);
    assert_eq!(
        hash::hidden(&game, &d),
        hex("945593223d57a3894d8231c256b95665cf533a93888740ec4ba7017c8480098f")
    );
    assert_eq!(
        hash::join(&game, &id("british"), &of(0xa1)),
        hex("28c3a4f69c8b58f2a60348133a3f0d3f6bbbdb2e1d0eab5e50855ddd1a1c0222")
    );
    let entropy = hash::entropy_of_nonces(
        &game,
        &[(id("british"), of(0xa1)), (id("dervish"), of(0xb2)), (id("dervish-2"), of(0xc3))],
    );
    assert_eq!(entropy, hex("c07e4cbe3c783f9d0eaf7770cfa0a366fef7f16d346744d4a7f5d106e5db2d02"));
    assert_eq!(
        hash::ticket(&game, 1, &id("british"), 1, &d),
        hex("408ed1e1950d5e3893b8673dc5f944060af30a358fb62e39f27b312c9a4ce10b")
    );
    assert_eq!(
        hash::salt(&game, 1, "state-after.toml", &d),
        hex("013ac20e958e0f4789e8b92e29c9267f6285c6f0c359689a24c2affbc351548d")
    );
    let seed1 = hash::seed(
        &game,
        1,
        &at(1),
        &entropy,
        &"quicknet:123:fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc",
    );
    assert_eq!(seed1, hex("7d18505b801083cc5759885969cd79972e788614201cde3efe23a6479e1ad5b5"));
    let seed2 = hash::seed(
        &game,
        2,
        &at(2),
        &entropy,
        &"quicknet:1000:fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    );
    assert_eq!(seed2, hex("ffe5bcedf15411292dd4c3363b0539c6975641b26681a2bed9cb257463feb325"));
    let key = hash::hidden_roll_key(&d, &seed1, "arrival/t1");
    assert_eq!(key, hex("c16a260383b970e4618111ecd3a6b2d74311fe196ad49d774372769d73bf0be1"));
    assert_eq!(
        hash::seal(&game, 1, &key, "arrival/t1", "1d100"),
        hex("64f542b62955cb92ae950a0d11a0d4a8d836cf9a22cc13c0dbcd0577733e4dc9")
    );
    assert_eq!(
        hash::hide(
            &game,
            1,
            &id("dervish"),
            &of(0xd4),
            &hash::text_hash("[[mine]]\nhex = \"0304\"\n")
        ),
        hex("567ca4ac53a8c6704d39ffb5dd2cc5bdaedab20d28f74b6c651c34778e9e047f")
    );
    assert_eq!(
        hash::roll_key(&seed2, "fire/offence/0712"),
        hex("f0774de20feb39160a34da98c6d16a7a188615ce7a34c8860c5ff3e139c51b3e")
    );
}

#[test]
fn the_demo_game_of_the_first_draft() {
    let game = id("demo-ardennes-1");
    let chain = Chain::derive(&game, 8, of(0x11));
    assert_eq!(
        chain.tip(),
        hex("7932d6dad712d0a52da95cbf0a9a4233dcbb7d3e7ec18ab1d480c84b420f0ec8")
    );
    let s1 = hex("fcb1541cc1cfb964d460bd60f4baddbd52296bdde2c49cb3856043081a4e21f5");
    assert_eq!(chain.at(1), Some(s1));
    let list = "blue:00112233445566778899aabbccddeeff,red:ffeeddccbbaa99887766554433221100";
    let entropy = hash::entropy(&game, 2, list);
    assert_eq!(entropy, hex("1ef1be71c96326baea67441abdfa596abf7902b45a51d3c089fc74c0d240b735"));
    let seed = hash::seed(&game, 1, &s1, &entropy, &"none");
    assert_eq!(seed, hex("c47c184ce12b96fb4b83d7e28086fe187e4eed2728faa6d5d64b69a413047668"));
    assert_eq!(
        hash::roll_key(&seed, "combat/0304/r1"),
        hex("f5dab17410077896aae0c9f78b41a49cefb3c2c9156b34597e27f3e0ce233217")
    );
    let mut dice = Roller::seeded(&seed.to_string());
    for (label, spec, faces) in [
        ("combat/0304/r1", "3d6", &[6, 1, 5][..]),
        ("combat/0511/r1", "2d6", &[2, 5]),
        ("morale/ger-47pz", "1d10", &[4]),
        ("d5/fuel", "4d5", &[3, 3, 1, 1]),
        // The fourth word is rejected.
        ("big/reject", "4d3000000000", &[793_505_429, 2_869_072_122, 2_498_147_596, 169_275_472]),
        (
            "deck/german/1",
            "shuffle52",
            &[
                38, 19, 9, 14, 24, 49, 3, 40, 35, 7, 43, 44, 15, 20, 42, 12, 48, 51, 32, 21, 36, 2,
                26, 13, 22, 52, 28, 41, 29, 8, 39, 30, 16, 33, 25, 1, 18, 11, 23, 46, 6, 45, 50,
                37, 27, 10, 4, 31, 5, 17, 47, 34,
            ],
        ),
    ] {
        assert_eq!(dice.roll(label, spec).unwrap(), faces, "{label}");
    }
}

/// The dice of the sample's phases write the sample's files, byte for byte.
#[test]
fn the_roller_writes_the_samples_rolls_and_seals() {
    let read = |path: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dice-sample/");
        std::fs::read_to_string(format!("{root}{path}")).unwrap()
    };
    let (game, d) = (id("sample-1"), of(0x33));
    let seed1 = hex("7d18505b801083cc5759885969cd79972e788614201cde3efe23a6479e1ad5b5");
    let mut one = Roller::sealing(&game, 1, &seed1, &d);
    assert_eq!(one.roll("current/abu-klea", "1d6").unwrap(), [3]);
    let arrival = one.roll_sealed("arrival/t1", "1d100").unwrap();
    assert_eq!(arrival.faces, [5]);
    let note = hex("567ca4ac53a8c6704d39ffb5dd2cc5bdaedab20d28f74b6c651c34778e9e047f");
    one.seal_note(&id("dervish"), note).unwrap();
    assert_eq!(one.rolls_file(&game, 1).to_text(), read("phase-001/rolls.txt"));
    assert_eq!(one.seals_file(&game, 1).to_text(), read("phase-001/seals.txt"));

    let seed2 = hex("ffe5bcedf15411292dd4c3363b0539c6975641b26681a2bed9cb257463feb325");
    let mut two = Roller::sealing(&game, 2, &seed2, &d);
    two.roll("mine/0304/abu-klea", "1d6").unwrap();
    assert_eq!(two.d10("fire/offence/0712").unwrap(), 6);
    two.d10("melee/0711/attack").unwrap();
    two.d10("melee/0711/defence").unwrap();
    two.roll("deck/day-2", "shuffle12").unwrap();
    two.open_note(note, of(0xd4), "[[mine]]\nhex = \"0304\"\n").unwrap();
    assert_eq!(two.rolls_file(&game, 2).to_text(), read("phase-002/rolls.txt"));
    assert_eq!(two.seals_file(&game, 2).to_text(), read("phase-002/seals.txt"));

    let mut close = Roller::sealing(&game, 0, &seed2, &d);
    close.open(&arrival).unwrap();
    assert_eq!(close.seals_file(&game, 0).to_text(), read("close-seals.txt"));
}

#[test]
fn a_label_twice_stops_the_phase_public_or_sealed() {
    let mut dice = Roller::rehearsal(&id("a"), 1, [7; 32]);
    dice.d10("fire/0712").unwrap();
    let again = DiceError::Repeated("fire/0712".to_owned());
    assert_eq!(dice.d10("fire/0712"), Err(again.clone()));
    assert_eq!(dice.roll_sealed("fire/0712", "1d10"), Err(again));
    let sealed = dice.roll_sealed("arrival", "1d6").unwrap();
    assert_eq!(dice.roll("arrival", "1d6"), Err(DiceError::Repeated("arrival".to_owned())));
    dice.open(&sealed).unwrap();
    assert_eq!(dice.open(&sealed), Err(DiceError::Commitment(sealed.commitment)));
    let mut open = Roller::seeded(&"0".repeat(64));
    assert_eq!(open.roll_sealed("a", "1d6"), Err(DiceError::Unsealed("a".to_owned())));
    assert!(open.roll("a", "1d6").is_ok(), "a refused seal takes no label");
}

proptest! {
    /// Adding, dropping or permuting requests never changes another roll's faces.
    #[test]
    fn no_roll_moves_another(
        seed in any::<[u8; 32]>(),
        requests in prop::collection::btree_map("[a-z0-9/._-]{1,12}", (1_u32..5, 2_u32..200), 1..12),
        order in any::<[u8; 16]>(),
        keep in any::<u16>(),
        sealed in any::<u16>(),
    ) {
        let game = id("laws");
        let all: Vec<(String, String, bool)> = requests
            .into_iter()
            .enumerate()
            .map(|(i, (label, (n, s)))| (label, format!("{n}d{s}"), sealed >> i & 1 == 1))
            .collect();
        let faces = |asked: &[(String, String, bool)]| {
            let mut dice = Roller::rehearsal(&game, 1, seed);
            asked
                .iter()
                .map(|(label, spec, sealed)| {
                    let faces = if *sealed {
                        dice.roll_sealed(label, spec).unwrap().faces
                    } else {
                        dice.roll(label, spec).unwrap()
                    };
                    (label.clone(), faces)
                })
                .collect::<BTreeMap<_, _>>()
        };
        let first = faces(&all);
        let mut other: Vec<_> =
            all.iter().enumerate().filter(|(i, _)| keep >> i & 1 == 1).collect();
        other.sort_by_key(|(i, _)| order[*i]);
        let other: Vec<_> = other.into_iter().map(|(_, request)| request.clone()).collect();
        for (label, faces) in faces(&other) {
            prop_assert_eq!(&first[&label], &faces);
        }
    }
}
