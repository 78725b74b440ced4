//! The sample of the Battle of Omdurman: the course of 1898, and one of every kind of
//! order and event that the battle has.

use std::sync::OnceLock;

use serde_json::Value;

use super::played::Played;

/// The battle, played once for all tests of this file.
fn demo() -> &'static Played {
    static PLAYED: OnceLock<Played> = OnceLock::new();
    PLAYED.get_or_init(|| Played::sample("historical"))
}

const COMBATS: [u32; 8] = [4, 6, 8, 10, 12, 14, 16, 18];

fn eliminated(phases: impl IntoIterator<Item = u32>) -> Vec<String> {
    let all = phases.into_iter().flat_map(|phase| demo().events(phase, "eliminated"));
    all.map(|event| event["unit"].as_str().unwrap().to_owned()).collect()
}

fn count(units: &[String], tribe: &str) -> usize {
    units.iter().filter(|unit| unit.starts_with(tribe)).count()
}

#[test]
fn both_sides_set_up_by_their_letters() {
    assert!(demo().has(1, "placed", &[("unit", "sultan"), ("hex", "2919")]));
    assert!(demo().has(1, "placed", &[("unit", "egy-cav-1"), ("hex", "2805")]));
    for (leader, hex) in [
        ("ali-wad-helu", "1305"),
        ("sheik-el-din", "1511"),
        ("yakub", "1818"),
        ("khalifa", "1822"),
        ("sherif", "2024"),
        ("osman-digna", "2224"),
    ] {
        assert!(demo().has(2, "placed", &[("unit", leader), ("hex", hex)]), "{leader}");
    }
    assert_eq!(demo().events(2, "placed").len(), 143);
    for phase in [1, 2] {
        let refused = demo().has(phase, "outcome", &[("outcome", "refused")]);
        assert!(!refused, "a set-up order of phase {phase} is refused");
    }
}

#[test]
fn the_attack_breaks_on_the_zariba_flag_by_flag() {
    // 06:00: the white flag and the red at the trench.
    let first = eliminated([4, 6]);
    assert_eq!((count(&first, "hadendowa"), count(&first, "danagla")), (12, 4));
    // 08:00: Osman Azrak.
    assert!(count(&eliminated([8, 10]), "mulazmin") >= 16);
    // 10:00 and 12:00: Yakub, who dies by his flag.
    let black = eliminated([12, 14, 16]);
    assert_eq!(count(&black, "baggara"), 12);
    assert!(count(&black, "jaalin") >= 12);
    assert!(demo().has(16, "eliminated", &[("unit", "yakub")]));
    // The Khalifa and his guard get away.
    let all = eliminated(COMBATS);
    assert_eq!(count(&all, "taiasha") + count(&all, "khalifa"), 0);
}

#[test]
fn maxims_fire_twice_and_howitzers_scatter() {
    for unit in ["maxim-batt-1", "fateh"] {
        assert!(demo().fired(4, "defence", unit) && demo().fired(4, "second", unit), "{unit}");
    }
    let shells: Vec<Value> = COMBATS.iter().flat_map(|p| demo().fights(*p, "howitzer")).collect();
    let text = serde_json::to_string(&shells).unwrap();
    assert!(shells.len() >= 12, "{}", shells.len());
    let report = demo().read("phase-004/report/public.txt");
    assert!(report.contains("it falls as meant") && report.contains("it falls in"), "{text}");
    // A brigade that stands whole fires better.
    assert!(report.contains("integrity of 2B"));
}

#[test]
fn the_lancers_charge() {
    assert!(demo().has(9, "moved", &[("unit", "21-lancers")]));
    let melee = &demo().fights(10, "melee")[0];
    assert_eq!(melee["target"], "2720");
    let parts = melee["attack"]["parts"].as_array().unwrap();
    assert!(parts.iter().all(|part| part["unit"] == "21-lancers"), "{melee}");
}

#[test]
fn broadwood_retreats_before_the_bayonets_and_comes_in() {
    for (unit, path) in
        [("egy-cav-1", ["2606", "2706", "2806"]), ("egy-cav-2", ["2606", "2706", "2707"])]
    {
        let retreats = demo().events(12, "retreated");
        let found = retreats.iter().find(|r| r["unit"] == unit).unwrap();
        assert_eq!(found["path"], serde_json::json!(path));
    }
    // By the north end, the only way in.
    let moved = demo().events(13, "moved");
    let camels = moved.iter().find(|m| m["unit"] == "camel-corps-1").unwrap();
    let path = camels["path"].to_string();
    assert!(path.contains("\"2711\",\"2812\""), "{path}");
}

#[test]
fn orders_for_many_are_carried_out_together() {
    let moved = demo().events(3, "moved");
    let flags = |tribe: &str| {
        moved.iter().filter(|m| m["unit"].as_str().unwrap().starts_with(tribe)).count()
    };
    // `towards` for whole tribes, `follow` behind Ali Wad Helu and Sheik el Din.
    assert_eq!((flags("hadendowa"), flags("kehena"), flags("degheim")), (12, 6, 5));
    assert_eq!((flags("jehadia"), flags("mulazmin")), (24, 32));
    let text = demo().read("phase-003/orders/dervish.toml");
    assert!(text.contains("[[follow]]") && text.contains("towards"), "{text}");
    assert!(demo().read("phase-001/orders/anglo-egyptian.toml").contains("[\"2b\"]"));
}

#[test]
fn one_order_is_refused_one_file_superseded_one_deadline_missed() {
    let refused = [("outcome", "refused"), ("rule", "5.5.2"), ("player", "dervish")];
    assert!(demo().has(3, "outcome", &refused));
    assert!(demo().there("phase-003/superseded/dervish-1.toml"));
    assert!(demo().there("phase-006/late/dervish-sheik-el-din-1.toml"));
    assert!(demo().read("phase-006/lock.txt").contains("\norders=dervish-sheik-el-din nmr\n"));
    assert!(demo().read("phase-006/report/public.txt").contains("no orders received"));
    // They fire at the nearest all the same.
    assert!(demo().fired(6, "defence", "jehadia-03"));
}

#[test]
fn the_losses_are_of_the_order_of_1898() {
    let all = eliminated(COMBATS);
    let dervish: Vec<&String> = all
        .iter()
        .filter(|u| {
            let tribes = [
                "taiasha",
                "baggara",
                "jaalin",
                "danagla",
                "kehena",
                "degheim",
                "hadendowa",
                "mulazmin",
                "jehadia",
                "dervish-art",
                "yakub",
                "sheik-el-din",
            ];
            tribes.iter().any(|t| u.starts_with(t))
        })
        .collect();
    assert_eq!((dervish.len(), all.len() - dervish.len()), (112, 5));
    let over = &demo().events(18, "over")[0];
    assert_eq!(over["result"], "Anglo-Egyptian Tactical");
    assert!(demo().said.contains("RESULT  closed: Anglo-Egyptian Tactical"));
}

#[test]
fn everything_said_fits_its_page_and_verifies() {
    // 18 phases for three players, the public and the referee.
    assert_eq!(demo().reports_that_fit(), 90);
    assert_eq!(demo().shown().matches("\nDESPATCH  omdurman-1898").count(), 4);
    demo().verifies(18);
}

#[test]
fn reports_and_forms_read_as_they_should() {
    for (phase, viewer) in
        [(2, "public"), (3, "dervish"), (8, "dervish-sheik-el-din"), (18, "public")]
    {
        let text = demo().plain(&format!("phase-{phase:03}/report/{viewer}.txt"));
        insta::assert_snapshot!(format!("report-{phase:03}-{viewer}"), text);
    }
    insta::assert_snapshot!("form-002-dervish", demo().form(2, "dervish"));
    insta::assert_snapshot!("form-008-anglo-egyptian", demo().form(8, "anglo-egyptian"));
}
