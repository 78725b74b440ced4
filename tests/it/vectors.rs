//! The vectors of the protocol: published ones, and our own that an independent
//! program computed too.

use despatch::core::chain::Chain;
use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;

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
