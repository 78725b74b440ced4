//! A whole campaign by players who play to win.

use std::collections::BTreeSet;

use despatch::geometry::hex::Hex;
use despatch::omdurman::data::Army;
use despatch::omdurman::position::Position;

use super::game_of;
use super::generals::{BRIGADES, orders};
use super::random::{Manner, play_with};

#[test]
fn a_whole_campaign_by_policy_comes_to_a_sane_end() {
    let game = game_of("omdurman-campaign", &[], "brisk", &[]);
    let data = game.data();
    let manner = Manner { several: false, thorough: true, phases: 0 };
    let mut whole = 0;
    let mut nearest = u32::MAX;
    let played = play_with(&game, None, 7, manner, &mut |view, player, _| {
        let position = Position::new(data, view);
        for (brigade, _) in BRIGADES {
            let hexes: BTreeSet<Option<Hex>> =
                data.answering(brigade).into_iter().map(|id| view.hex(id)).collect();
            whole += u32::from(hexes.len() == 1 && !hexes.contains(&None));
        }
        let tomb = data.scenario.tomb.unwrap();
        let ours = position.hexes(Army::AngloEgyptian);
        nearest = nearest.min(ours.iter().map(|h| h.distance(tomb)).min().unwrap_or(99));
        orders(data, view, player)
    });
    let end = &played.state;
    let (dervish, ours) =
        (end.eliminated(data, Army::Dervish), end.eliminated(data, Army::AngloEgyptian));
    println!(
        "{:?} on turn {} after {} phases: Dervish lost {dervish}, Anglo-Egyptians {ours}, points \
         {} to {}, nearest to the Tomb {nearest}, brigades together {whole} times",
        played.result,
        end.turn,
        played.phases,
        end.points(Army::AngloEgyptian),
        end.points(Army::Dervish)
    );
    assert!(played.result.is_some());
    assert_eq!(end.turn, data.scenario.turns, "nobody is beaten early");
    assert!((40..=180).contains(&dervish), "the Dervish lose {dervish}");
    assert!((1..=45).contains(&ours), "the Anglo-Egyptians lose {ours}");
    assert!(dervish > 2 * ours, "rifles tell");
    assert!(nearest <= 1, "nobody comes near the Tomb: {nearest}");
    assert!(whole > 20, "brigades stay together: {whole}");
    assert!(end.points(Army::AngloEgyptian) + 17 >= dervish, "points go with the losses");
}
