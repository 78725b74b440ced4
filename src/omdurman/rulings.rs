//! The readings of unclear rules that a game is played by.

use std::collections::BTreeMap;

use crate::core::diag::Diagnostic;
use crate::core::ruling;
pub use crate::core::ruling::Ruling;

/// All rulings of a game; the fields are those that the rules ask about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a named reading with two choices")]
pub struct Rulings {
    /// All of them, by name.
    pub all: Vec<Ruling>,
    /// losses = random.
    pub losses_random: bool,
    /// forts-and-stacking = counts.
    pub forts_count: bool,
    /// guns-and-tribes = own-group.
    pub guns_own_group: bool,
    /// fire-at-a-fort = chart.
    pub fort_itself_protected: bool,
    /// d-against-attackers = disrupts.
    pub d_disrupts_attackers: bool,
    /// disrupted-in-melee = normal.
    pub disrupted_defend: bool,
    /// recovery = full-turn.
    pub recovery_full_turn: bool,
    /// sight-units = both.
    pub sight_units_both: bool,
    /// hilltop-to-ground = 3.
    pub hilltop_ground_as_printed: bool,
    /// ground-over-hilltop = as-rough.
    pub hilltop_as_rough: bool,
    /// crest-note = together.
    pub crest_together: bool,
    /// corner = passable.
    pub corner_passable: bool,
    /// hexspine = both.
    pub spine_both: bool,
    /// leaders-and-sight = block.
    pub leaders_block: bool,
    /// buildings-and-sight = huts.
    pub buildings_block: bool,
    /// fort-sight = ground.
    pub fort_sight_ground: bool,
    /// own-rampart = sees.
    pub own_rampart_sees: bool,
    /// gates-and-sight = wall.
    pub gates_block: bool,
    /// hut-beside-breach = hut.
    pub hut_beats_breach: bool,
    /// gate-on-a-road = adds.
    pub gate_adds_on_road: bool,
    /// beside-the-wall = both.
    pub setup_both_sides_of_wall: bool,
    /// late-entry = allowed.
    pub late_entry: bool,
    /// north-fort = enter.
    pub north_fort_entry: bool,
    /// standing-fire = hold.
    pub standing_hold: bool,
    /// entrenched = across.
    pub entrenched_across_only: bool,
    /// howitzer-impact = shared.
    pub howitzers_share: bool,
    /// emptied-by-retreat = advance.
    pub retreat_advance: bool,
    /// desertion = down.
    pub desertion_down: bool,
    /// drifted-off = eliminated.
    pub drifted_off_lost: bool,
    /// chain-line = any.
    pub chain_any_line: bool,
    /// zariba-faces = swapped.
    pub zariba_swapped: bool,
    /// historical-sight = all.
    pub gunboats_see_setup: bool,
}

impl Rulings {
    /// Reads `rulings.toml` and the choices that differ from the defaults.
    ///
    /// # Errors
    /// Every fault: a ruling or a choice that does not exist, with what there is.
    pub fn load(text: &str, chosen: &BTreeMap<String, String>) -> Result<Self, Vec<Diagnostic>> {
        let (rulings, mut faults) = ruling::load(text, chosen);
        let mut is = |name: &str, choice: &str| ruling::stands(&rulings, name, choice, &mut faults);
        let read = Self {
            losses_random: is("losses", "random"),
            forts_count: is("forts-and-stacking", "counts"),
            guns_own_group: is("guns-and-tribes", "own-group"),
            fort_itself_protected: is("fire-at-a-fort", "chart"),
            d_disrupts_attackers: is("d-against-attackers", "disrupts"),
            disrupted_defend: is("disrupted-in-melee", "normal"),
            recovery_full_turn: is("recovery", "full-turn"),
            sight_units_both: is("sight-units", "both"),
            hilltop_ground_as_printed: is("hilltop-to-ground", "3"),
            hilltop_as_rough: is("ground-over-hilltop", "as-rough"),
            crest_together: is("crest-note", "together"),
            corner_passable: is("corner", "passable"),
            spine_both: is("hexspine", "both"),
            leaders_block: is("leaders-and-sight", "block"),
            buildings_block: is("buildings-and-sight", "huts"),
            fort_sight_ground: is("fort-sight", "ground"),
            own_rampart_sees: is("own-rampart", "sees"),
            gates_block: is("gates-and-sight", "wall"),
            hut_beats_breach: is("hut-beside-breach", "hut"),
            gate_adds_on_road: is("gate-on-a-road", "adds"),
            setup_both_sides_of_wall: is("beside-the-wall", "both"),
            late_entry: is("late-entry", "allowed"),
            north_fort_entry: is("north-fort", "enter"),
            standing_hold: is("standing-fire", "hold"),
            entrenched_across_only: is("entrenched", "across"),
            howitzers_share: is("howitzer-impact", "shared"),
            retreat_advance: is("emptied-by-retreat", "advance"),
            desertion_down: is("desertion", "down"),
            drifted_off_lost: is("drifted-off", "eliminated"),
            chain_any_line: is("chain-line", "any"),
            zariba_swapped: is("zariba-faces", "swapped"),
            gunboats_see_setup: is("historical-sight", "all"),
            all: Vec::new(),
        };
        if faults.is_empty() { Ok(Self { all: rulings, ..read }) } else { Err(faults) }
    }

    /// The rulings that differ from their defaults, as `name = choice`.
    pub fn changed(&self) -> Vec<String> {
        ruling::changed(&self.all)
    }
}
