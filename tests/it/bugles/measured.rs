//! What fights and games by policy come to, held to what the rules' own notes on tactics
//! say; `cargo bench --bench bugles` measures more of them.

use despatch::bugles::data::Troop;

use super::library;
use super::trials::{ATTACKS, campaign, fights, game};

#[test]
fn lines_hold_as_the_notes_on_tactics_say() {
    let game = game(&library(), "tamai", &[]);
    let trials = 30;
    let of = |attack: usize, troop| fights(&game, ATTACKS[attack], troop, trials);
    let british = of(0, Troop::BritishInfantry);
    // British troops stand almost any attack in front.
    assert!(british.held * 100 >= 90 * trials, "{british:?}");
    let egyptian = of(0, Troop::EgyptianInfantry);
    assert!(egyptian.line_lost >= british.line_lost, "{egyptian:?} {british:?}");
    // From close by, more of them come home; and on the flank they do most harm.
    let near = of(3, Troop::EgyptianInfantry);
    assert!(near.line_lost >= egyptian.line_lost, "{near:?} {egyptian:?}");
    let flank = of(2, Troop::EgyptianInfantry);
    let front = of(1, Troop::EgyptianInfantry);
    assert!(flank.line_lost >= front.line_lost, "{flank:?} {front:?}");
}

/// No scenario is decided before it begins: of a handful of games by policy each army
/// wins some, or holds the other to a draw.
#[test]
fn no_scenario_is_a_foregone_conclusion() {
    for scenario in ["bugles-solo", "bugles-club", "el-teb", "tamai"] {
        let game = game(&library(), scenario, &[]);
        let mut results = super::Counts::new();
        for seed in 0..12 {
            *results.entry(campaign(&game, seed).result).or_default() += 1;
        }
        assert!(results.len() > 1, "{scenario}: {results:?}");
    }
}
