//! The sample game: that `demo` plays it to its end, and that it holds one of every
//! kind of thing that it is there to show.

use std::sync::OnceLock;

use serde_json::Value;

use super::played::Played;

/// The demo's folder, played once for all tests of this file.
fn demo() -> &'static Played {
    static PLAYED: OnceLock<Played> = OnceLock::new();
    PLAYED.get_or_init(|| Played::sample("khartoum"))
}

fn read(path: &str) -> String {
    demo().read(path)
}

fn there(path: &str) -> bool {
    demo().there(path)
}

fn events(phase: u32, kind: &str) -> Vec<Value> {
    demo().events(phase, kind)
}

fn has(phase: u32, kind: &str, values: &[(&str, &str)]) -> bool {
    demo().has(phase, kind, values)
}

fn report(phase: u32) -> Value {
    demo().report(phase)
}

fn fired(phase: u32, kind: &str, unit: &str) -> bool {
    demo().fired(phase, kind, unit)
}

#[test]
fn the_night_assault_comes_through_the_gap() {
    assert!(has(2, "entered", &[("unit", "mulazmin-01")]), "from the south");
    assert!(has(2, "entered", &[("unit", "hadendowa-01")]), "from the east");
    let report = report(3);
    assert!(report["heading"].as_str().unwrap().contains("turn 1"), "{}", report["heading"]);
    assert!(report["heading"].as_str().unwrap().contains("(night)"), "{}", report["heading"]);
    assert!(has(3, "fight", &[("kind", "melee"), ("target", "0512")]));
    let advanced = events(3, "advanced");
    assert!(!advanced.is_empty());
    for advance in advanced {
        assert_eq!(advance["compulsory"], true);
        // 0512:SW belongs to the stretch that the White Nile washed away.
        assert_eq!((&advance["from"], &advance["to"]), (&"0413".into(), &"0512".into()));
    }
}

#[test]
fn the_guns_open_the_wall() {
    assert!(fired(3, "offence", "dervish-art-1"));
    assert!(has(3, "fight", &[("target", "1013:SE")]));
    assert!(has(3, "breached", &[("side", "1013:SE")]));
    // They go in by it themselves.
    let moved = events(6, "moved");
    let gun = moved.iter().find(|m| m["unit"] == "dervish-art-1").unwrap();
    assert!(gun["path"].as_array().unwrap().ends_with(&["1114".into(), "1013".into()]), "{gun}");
}

#[test]
fn the_gunboats_move_and_fire() {
    assert!(has(4, "moved", &[("unit", "gunboat-2")]));
    assert!(fired(3, "defence", "gunboat-1"));
    assert!(fired(13, "offence", "gunboat-2"));
    // From the White Nile to the Blue.
    let moved = events(12, "moved");
    let boat = moved.iter().find(|m| m["unit"] == "gunboat-1").unwrap();
    assert!(
        boat["path"].as_array().unwrap().starts_with(&["0101".into(), "0601".into()]),
        "{boat}"
    );
}

#[test]
fn units_are_disrupted_and_recover() {
    assert!(has(5, "disrupted", &[("unit", "kehena-01")]));
    assert!(has(7, "recovered", &[("unit", "kehena-02")]));
    assert!(has(11, "disrupted", &[("unit", "friendlies-3")]));
    assert!(has(13, "recovered", &[("unit", "friendlies-3")]));
}

#[test]
fn losses_follow_the_owners_lists() {
    let fights = events(3, "fight");
    let melee = fights.iter().find(|f| f["target"] == "0512" && f["kind"] == "melee").unwrap();
    assert_eq!(melee["defence"]["chosen"], "owner's order");
    // Of the Kehena, Degheim and Mulazmin who attack, the file of the phase names the
    // Mulazmin first, the standing order the Kehena.
    let lost = melee["defence"]["lost"].as_array().unwrap();
    assert!(lost.iter().all(|unit| unit.as_str().unwrap().starts_with("mulazmin")), "{lost:?}");
    assert!(has(1, "standing", &[("player", "british")]));
    assert!(has(2, "standing", &[("player", "dervish")]));
}

#[test]
fn orders_are_refused_and_fail_with_their_rules() {
    let refused = [("outcome", "refused"), ("rule", "5.2.6"), ("player", "dervish")];
    assert!(has(2, "outcome", &refused));
    let shot = events(3, "outcome");
    let shot = shot
        .iter()
        .find(|o| {
            let order = o["order"].as_str().unwrap();
            order.starts_with("melee ") && order.contains("mulazmin-05")
        })
        .unwrap();
    assert_eq!(shot["outcome"], "failed");
    assert!(shot["reason"].as_str().unwrap().contains("eliminated in defensive fire"), "{shot}");
    let fifth = [("outcome", "failed"), ("rule", "5.5.1.A"), ("player", "dervish-guns")];
    assert!(has(10, "outcome", &fifth));
    let text = read("phase-002/report/public.txt");
    assert!(text.contains("must stop in 0413 and cannot go on to 0412"), "{text}");
}

#[test]
fn files_are_superseded_refused_late_and_missing() {
    assert!(there("phase-003/superseded/british-1.toml"));
    let receipts = read("phase-003/receipts.txt");
    let british: Vec<&str> = receipts.lines().filter(|l| l.contains(" british ")).collect();
    assert_eq!(british.len(), 2);
    let (_, counts) = british[1].split_once("british ").unwrap();
    assert!(read("phase-003/lock.txt").contains(&format!("\norders=british {counts}\n")));
    assert!(there("phase-009/refused/dervish-1.toml"));
    assert_eq!(read("phase-009/receipts.txt").matches(" dervish ").count(), 1);
    assert!(there("phase-011/late/dervish-guns-1.toml"));
    assert!(read("phase-011/lock.txt").contains("\norders=dervish-guns nmr\n"));
    // The standing order that the gunners gave in phase 2 is used: their guns hold.
    assert!(!fired(11, "offence", "dervish-art-1"));
    assert!(fired(13, "defence", "dervish-art-1"));
    assert!(read("phase-011/report/public.txt").contains("no orders received"));
}

#[test]
fn one_ruling_is_changed_with_the_consent_of_all() {
    let record = read("amend-001/amend.txt");
    assert!(record.contains("\nkind=ruling\n") && record.contains("\nconsent=all\n"), "{record}");
    assert!(read("amend-001/note.txt").contains("We all agree"));
    assert_eq!(report(7)["rulings"].as_array().unwrap().len(), 0);
    assert_eq!(report(8)["rulings"][0], "disrupted-in-melee = normal");
}

#[test]
fn gordon_falls_and_the_losses_cost_the_victory() {
    let over = events(15, "over");
    assert_eq!(over[0]["result"], "British Marginal");
    assert_eq!(over[0]["why"][0], "Gordon fell on turn 4");
    assert!(read("close.txt").contains("\nresult=British Marginal\n"));
    assert!(demo().said.contains("RESULT  closed: British Marginal"), "{}", demo().said);
}

#[test]
fn everything_said_fits_its_page() {
    // 15 phases for three players, the public and the referee.
    assert_eq!(demo().reports_that_fit(), 75);
    assert_eq!(demo().shown().matches("\nDESPATCH  khartoum-1885").count(), 3);
}

#[test]
fn its_bundle_verifies_from_the_last_head() {
    demo().verifies(15);
}

#[test]
fn whole_reports_of_every_viewer_read_as_they_should() {
    for (phase, viewer) in
        [(1, "british"), (2, "public"), (3, "referee"), (8, "dervish-guns"), (15, "dervish")]
    {
        let text = demo().plain(&format!("phase-{phase:03}/report/{viewer}.txt"));
        insta::assert_snapshot!(format!("report-{phase:03}-{viewer}"), text);
    }
    insta::assert_snapshot!("form-004-british", demo().form(4, "british"));
    insta::assert_snapshot!("form-005-dervish", demo().form(5, "dervish"));
}
