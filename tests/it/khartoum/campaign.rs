//! The sample of the campaign: entry by the schedule, several players a side, the first
//! contact, and what lay hidden in the Nile.

use std::sync::OnceLock;

use super::played::Played;

/// The first three turns, played once for all tests of this file.
fn demo() -> &'static Played {
    static PLAYED: OnceLock<Played> = OnceLock::new();
    PLAYED.get_or_init(|| Played::sample("omdurman-campaign"))
}

fn entered(phase: u32) -> Vec<String> {
    let all = demo().events(phase, "entered");
    all.iter().map(|e| e["unit"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn reinforcements_come_by_the_schedule() {
    let boats = |units: &[String]| {
        let names = ["sultan", "melik", "sheik", "fateh", "abu-klea", "gunboat"];
        units.iter().filter(|u| names.iter().any(|n| u.starts_with(n))).count()
    };
    let leaders = ["kitchener", "gatacre", "hunter"];
    for (phase, land) in [(2, 16), (5, 12), (9, 12)] {
        let units = entered(phase);
        let led = units.iter().filter(|u| leaders.contains(&u.as_str())).count();
        assert_eq!((boats(&units), units.len() - boats(&units) - led), (3, land), "{units:?}");
    }
    // The thirteenth unit of turn 2.
    let refused = [("outcome", "refused"), ("rule", "9.1.1.4"), ("player", "anglo-egyptian")];
    assert!(demo().has(5, "outcome", &refused));
    // The Dervish wave by wave, each unit paying for the hex of entry.
    let waves = [(4, "baggara", 12), (4, "jaalin", 25), (7, "hadendowa", 12), (11, "jehadia", 24)];
    for (phase, tribe, counters) in waves {
        let here = entered(phase).iter().filter(|u| u.starts_with(tribe)).count();
        assert_eq!(here, counters, "{tribe}");
    }
}

#[test]
fn who_has_nothing_to_set_up_is_not_asked() {
    let text = demo().read("phase-001/report/public.txt");
    assert!(text.contains("dervish-yakub             not asked"), "{text}");
    assert!(text.contains("dervish-sheik-el-din      not asked"), "{text}");
}

#[test]
fn every_commander_sends_his_own_orders() {
    for (phase, player) in [
        (1, "dervish"),
        (2, "anglo-egyptian"),
        (2, "anglo-egyptian-flotilla"),
        (2, "anglo-egyptian-friendlies"),
        (4, "dervish-yakub"),
        (11, "dervish-sheik-el-din"),
    ] {
        assert!(demo().there(&format!("phase-{phase:03}/orders/{player}.toml")), "{player}");
    }
}

#[test]
fn boats_follow_one_another_without_a_stop() {
    assert!(demo().events(5, "stopped").is_empty());
    let moved = demo().events(5, "moved");
    assert!(moved.iter().any(|m| m["unit"] == "sultan"));
}

#[test]
fn the_boats_and_the_forts_fire_at_each_other() {
    let shelled = demo().fights(6, "offence");
    assert!(shelled.iter().any(|f| f["target"] == "3327:fort"), "{shelled:?}");
    assert!(demo().fired(6, "defence", "fort-15"));
    assert!(demo().fired(10, "offence", "melik") && demo().fired(10, "defence", "fort-1"));
    assert!(demo().has(12, "eliminated", &[("unit", "melik")]));
}

#[test]
fn sultan_strikes_the_mine_that_nobody_knew_of() {
    let note = "mine 2435";
    assert!(demo().has(9, "eliminated", &[("unit", "sultan")]));
    assert!(demo().read("phase-009/report/public.txt").contains("sultan strikes a mine in 2435"));
    // Until then only its owner and the referee know.
    for phase in 1..9 {
        for (viewer, knows) in [
            ("public", false),
            ("anglo-egyptian", false),
            ("anglo-egyptian-flotilla", false),
            ("referee", phase == 1),
            ("dervish", phase == 1),
        ] {
            let text = demo().read(&format!("phase-{phase:03}/report/{viewer}.txt"));
            assert_eq!(text.contains(note), knows, "phase {phase}, {viewer}");
            assert!(knows || !text.contains("2536 "), "phase {phase}, {viewer}");
        }
    }
    // The close opens the other.
    let seals = demo().read("close-seals.txt");
    assert!(seals.contains("opens=1\n"), "{seals}");
    let (_, open) = seals.split_once("open=note ").unwrap();
    let commitment = open.split_whitespace().next().unwrap();
    assert_eq!(demo().read(&format!("notes/{commitment}.txt")).trim(), "mine 2536");
}

#[test]
fn the_river_is_open_to_the_friendlies() {
    assert!(demo().has(3, "eliminated", &[("unit", "isa-zachneih")]));
    assert!(demo().has(9, "loaded", &[("unit", "friendlies-5"), ("boat", "fateh")]));
}

#[test]
fn yakub_meets_the_cavalry() {
    let lost = demo().events(12, "eliminated");
    let horse = lost.iter().filter(|e| e["unit"].as_str().unwrap().starts_with("baggara"));
    assert_eq!(horse.count(), 7);
    let report = demo().read("phase-012/report/public.txt");
    assert!(report.contains("Victory points: Anglo-Egyptian 11, Dervish 45"), "{report}");
}

#[test]
fn everything_said_fits_its_page_and_verifies() {
    // 12 phases for six players, the public and the referee.
    assert_eq!(demo().reports_that_fit(), 96);
    assert!(demo().said.contains("RESULT  closed: no result: ended by agreement"));
    demo().verifies(12);
}

#[test]
fn reports_and_forms_read_as_they_should() {
    for (phase, viewer) in [(1, "public"), (9, "referee"), (12, "dervish-yakub")] {
        let text = demo().plain(&format!("phase-{phase:03}/report/{viewer}.txt"));
        insta::assert_snapshot!(format!("report-{phase:03}-{viewer}"), text);
    }
    insta::assert_snapshot!("form-001-dervish", demo().form(1, "dervish"));
    insta::assert_snapshot!("form-005-anglo-egyptian", demo().form(5, "anglo-egyptian"));
    insta::assert_snapshot!("form-009-friendlies", demo().form(9, "anglo-egyptian-friendlies"));
}
