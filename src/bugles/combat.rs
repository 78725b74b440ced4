//! Combat: who fights whom, with which modifiers, and what becomes of the loser (R23 to
//! R27, R30).

use crate::geometry::plane::{Side, front_contact};

use super::cite;
use super::data::{Arm, Army, Troop};
use super::events::{Effect, Modifier};
use super::fire::own_modifiers;
use super::table::{Body, Table, mounted};

/// Two bases that fight, with what stands by each; all by place among the bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The Anglo-Egyptian.
    pub regular: usize,
    /// The Mahdist.
    pub mahdist: usize,
}

/// The matches of a phase: each base fights one enemy, the one most squarely opposite
/// (ruling `matching`). Bases that fought already in this turn fight no more (R7).
pub fn pairs(table: &Table<'_>, fought: &[String]) -> Vec<Pair> {
    let mut all = Vec::new();
    for (r, regular) in table.bodies.iter().enumerate() {
        if regular.army != Army::AngloEgyptian {
            continue;
        }
        for (m, mahdist) in table.bodies.iter().enumerate() {
            if mahdist.army != Army::Mahdist {
                continue;
            }
            let (a, b) = (table.contact(regular, mahdist), table.contact(mahdist, regular));
            let length = a.map(|c| c.0).max(b.map(|c| c.0));
            if let Some(length) = length {
                let both = a.is_some() && b.is_some();
                all.push((!both, -length, r, m));
            }
        }
    }
    all.sort_unstable();
    let mut used: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for (_, _, regular, mahdist) in all {
        if used.contains(&regular) || used.contains(&mahdist) {
            continue;
        }
        used.extend([regular, mahdist]);
        let names = [regular, mahdist].map(|n| table.name(&table.bodies[n]));
        if !names.iter().any(|n| fought.contains(n)) {
            cite("R23");
            out.push(Pair { regular, mahdist });
        }
    }
    out.sort_unstable_by_key(|p| (p.regular, p.mahdist));
    out
}

/// The base of the second rank that backs another, if one does (R25).
pub fn support(table: &Table<'_>, body: &Body) -> Option<usize> {
    let unit = table.unit(body);
    let may = match unit.troop.arm() {
        Arm::Infantry => true,
        Arm::Cavalry => unit.army() == Army::Mahdist,
        _ => false,
    };
    if !may {
        return None;
    }
    let (touch, slack) = (table.data.touch, table.data.slack);
    (0..table.bodies.len()).find(|n| {
        let other = &table.bodies[*n];
        other.unit == body.unit
            && other.base != body.base
            && other.sound
            && other.pose.facing.turn_to(body.pose.facing).abs() <= 5
            && front_contact(
                &table.data.compass,
                (other.pose, other.size),
                (body.pose, body.size),
                touch,
                slack,
            )
            .is_some_and(|(length, side)| side == Side::Rear && 2 * length >= body.size.front)
    })
}

/// The enemies that overlap a base: those with their front on it that fight nobody, and
/// those that stand level and touch it at a corner (R25, ruling `overlap`).
pub fn overlaps(table: &Table<'_>, body: &Body, matched: &[Pair]) -> usize {
    let busy = |n: usize| matched.iter().any(|p| p.regular == n || p.mahdist == n);
    let (mut edges, mut corners) = (0, 0);
    for (n, enemy) in table.bodies.iter().enumerate() {
        if enemy.army == body.army || !enemy.sound || busy(n) {
            continue;
        }
        if table.contact(enemy, body).is_some() {
            edges += 1;
        } else if table.touch(&enemy.shape, &body.shape) {
            let elsewhere = table
                .bodies
                .iter()
                .any(|b| b.army == body.army && table.contact(enemy, b).is_some());
            corners += usize::from(!elsewhere);
        }
    }
    edges + if table.data.rulings.all_overlaps { corners } else { corners.min(2) }
}

/// All modifiers of one side of a fight.
pub fn modifiers(
    table: &Table<'_>,
    body: &Body,
    enemy: &Body,
    matched: &[Pair],
) -> (Vec<Modifier>, Option<usize>) {
    let by = &table.data.modifiers;
    let mut out = own_modifiers(table, body);
    let mut add = |what: String, n: i64| {
        out.push(Modifier { what, by: n, rule: cite("R25").0.to_owned() });
    };
    let behind = support(table, body);
    if behind.is_some() {
        add("second rank".to_owned(), by.second_rank);
    }
    let count = overlaps(table, body, matched);
    if count > 0 {
        let n = i64::try_from(count).unwrap_or(0);
        add(
            if count == 1 { "overlapped".to_owned() } else { format!("overlapped by {count}") },
            n * by.overlap,
        );
    }
    let fence = table.fence_between(enemy.pose.at, body.pose.at, body.size.depth);
    let house = table.data.shapes_at(body.pose.at, |c| c.defended).is_some()
        && table.data.shapes_at(enemy.pose.at, |c| c.defended).is_none();
    if (fence && holds_fence(table, body, enemy)) || house {
        add("defending".to_owned(), by.defending);
    }
    (out, behind)
}

/// Of two bases with a fence between them, the regular defends it: zaribas are built by
/// regulars, and a Mahdist work is a building or cover.
fn holds_fence(table: &Table<'_>, body: &Body, _enemy: &Body) -> bool {
    table.unit(body).army() == Army::AngloEgyptian
}

/// How a base is beaten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By fire.
    Fire,
    /// In combat.
    Combat {
        /// The winner is cavalry in the saddle with its front on the loser.
        cavalry: bool,
        /// An enemy's front lies along the loser's rear.
        rear: bool,
    },
}

/// What befalls a base with the smaller total (R26, R27).
pub fn effect(
    table: &Table<'_>,
    loser: &Body,
    by: By,
    (won, lost): (i64, i64),
) -> (Effect, &'static str) {
    debug_assert!(lost < won, "only the lower total loses");
    if 2 * lost < won || (2 * lost == won && table.data.rulings.half_destroys) {
        return (Effect::Destroyed, cite("R27").0);
    }
    let rule = cite("R26").0;
    let unit = table.unit(loser);
    if matches!(by, By::Combat { rear: true, .. }) {
        return (Effect::Destroyed, rule);
    }
    let bad = table.bad_going(loser.pose.at);
    let open = !bad && !table.in_cover(loser.pose.at);
    let mahdist = |destroyed: bool| match by {
        By::Combat { .. } if destroyed => Effect::Destroyed,
        By::Combat { cavalry: false, .. } if table.data.rulings.beaten_on_foot_stands => {
            Effect::Nothing
        }
        _ => Effect::Recoil,
    };
    let effect = match (unit.troop, by) {
        (Troop::MahdistInfantry, By::Combat { cavalry, .. }) => mahdist(cavalry && open),
        (Troop::MahdistCavalry, By::Combat { cavalry, .. }) => mahdist((cavalry && open) || bad),
        (Troop::MahdistInfantry | Troop::MahdistCavalry, By::Fire) => Effect::Recoil,
        (_, By::Combat { .. }) => Effect::Destroyed,
        (_, By::Fire) if mounted(unit) => Effect::Recoil,
        (_, By::Fire) => Effect::Suppressed,
    };
    (effect, rule)
}
