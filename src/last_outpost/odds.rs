//! Odds: a window resolved many times, and the tables exactly.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use crate::core::dice::Roller;
use crate::game::{Answer, GameError, Question, Subject, Tally, Trials};

use super::data::{Data, FigureId, Side};
use super::resolve::{Part, resolve};
use super::state::{Place, State};

/// A window made ready to be resolved many times.
#[derive(Debug)]
pub struct Window<'a> {
    data: &'a Data,
    before: State,
    parts: Vec<Part>,
}

impl<'a> Window<'a> {
    /// From a position and what was lawfully ordered.
    pub fn new(data: &'a Data, before: State, parts: Vec<Part>) -> Self {
        Self { data, before, parts }
    }
}

impl Trials for Window<'_> {
    fn once(&self, dice: &mut Roller) -> Result<Tally, GameError> {
        let phase = self.before.phase + 1;
        let (after, _) = resolve(self.data, self.before.clone(), phase, &self.parts, dice)?;
        let mut tally = Tally::new();
        let standing = |state: &State, id: FigureId| state.place(id).present();
        let garrison = || self.data.of(Side::Garrison);
        let lost =
            garrison().filter(|id| standing(&self.before, *id) && !standing(&after, *id)).count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let what = |side: Side| Subject::Count { what: side.name().to_owned() };
        tally.insert(what(Side::Garrison), count(lost));
        tally.insert(what(Side::Mahdist), after.casualties.saturating_sub(self.before.casualties));
        let c = &self.data.compound;
        for room in c.room_ids() {
            let within = |state: &State| {
                self.data.of(Side::Mahdist).any(|id| state.place(id).room(self.data) == Some(room))
            };
            if within(&after) && !within(&self.before) {
                let what = format!("Mahdists stand in {}", c.room(room).id);
                tally.insert(Subject::Happens { what }, 1);
            }
        }
        for (happens, what) in [
            (after.tower_down(self.data) && !self.before.tower_down(self.data), "the tower falls"),
            (after.massacred && !self.before.massacred, "the patients are slain"),
            (after.forced && !self.before.forced, "both jokers are flipped"),
            (!after.window.in_assault() && self.before.window.in_assault(), "the assault ends"),
        ] {
            if happens {
                tally.insert(Subject::Happens { what: what.to_owned() }, 1);
            }
        }
        for gun in c.gun_ids() {
            if after.guns[gun.at()].disabled && !self.before.guns[gun.at()].disabled {
                let what = format!("{} is disabled", c.gun(gun).id);
                tally.insert(Subject::Happens { what }, 1);
            }
        }
        for wave in &self.before.waves {
            let withdrew = self.data.of(Side::Mahdist).any(|id| {
                after.figure(id).wave == Some(wave.number) && after.place(id) == Place::Withdrawn
            });
            if wave.active() && withdrew {
                let what = format!("wave-{} withdraws", wave.number);
                tally.insert(Subject::Happens { what }, 1);
            }
        }
        if let Some(result) = &after.result {
            tally.insert(Subject::End { result: result.clone() }, 1);
        }
        Ok(tally)
    }
}

/// How often two dice sum to each number, of 36.
fn two_dice() -> BTreeMap<i32, u32> {
    let mut ways = BTreeMap::new();
    for a in 1..=6 {
        for b in 1..=6 {
            *ways.entry(a + b).or_insert(0) += 1;
        }
    }
    ways
}

/// Exact odds of the tables: `melee`, `morale`, `gun CREW`, `sniping CARDS`.
///
/// # Errors
/// A question that names none of these.
pub fn odds(data: &Data, question: &Question) -> Result<Answer, GameError> {
    let number = |at: usize, default: u32| -> Result<u32, GameError> {
        match question.words.get(at) {
            None => Ok(default),
            Some(word) => word.parse().map_err(|_| GameError::Question {
                message: format!("`{word}` is no whole number"),
                help: "such as: odds gun 3".to_owned(),
            }),
        }
    };
    let of_36 = |n: u32| format!("{n} of 36 ({})", percent(n, 36));
    let ways = two_dice();
    let at_least = |needed: i32| ways.range(needed..).map(|(_, n)| n).sum::<u32>();
    let exactly = |sum: i32| ways.get(&sum).copied().unwrap_or(0);
    let mut text = String::new();
    let mut rows = Vec::new();
    match question.topic.as_str() {
        "melee" => {
            let m = &data.tables.melee;
            for (who, needed, passes) in [
                (
                    "a defender at one before a barrier, door or ladder",
                    m.garrison_at_barrier,
                    false,
                ),
                ("a defender at one within", m.garrison_inside, false),
                ("a Mahdist at the holder of one", m.mahdist_at_barrier, true),
                ("a Mahdist at one in the open or from behind", m.mahdist_inside, false),
            ] {
                let kills = at_least(needed);
                let by = if passes { exactly(needed - 1) } else { 0 };
                let _ = writeln!(text, "{who}: {needed} or more on two dice [R36]");
                let _ = writeln!(text, "  kills {}", of_36(kills));
                if passes {
                    let _ = writeln!(text, "  passes {} [R37]", of_36(by));
                }
                rows.push(
                    json!({"who": who, "needed": needed, "kills_of_36": kills, "passes_of_36": by}),
                );
            }
            let _ = writeln!(
                text,
                "a defender's wound {:+} [R35], the height of a ladder {:+} [R40]",
                m.wound, m.height
            );
        }
        "morale" => {
            let m = &data.tables.morale;
            for (percent_, on) in [(m.first_percent, m.first), (m.second_percent, m.second)] {
                let on = i32::try_from(on).unwrap_or(0);
                let breaks = 36 - at_least(on + 1);
                let _ = writeln!(text, "at {percent_} per cent: withdraws on {on} or less [R20]");
                let _ = writeln!(text, "  {}", of_36(breaks));
                rows.push(json!({"percent": percent_, "withdraws_on": on, "of_36": breaks}));
            }
        }
        "gun" => {
            let crew = number(0, data.tables.crew)?.clamp(1, data.tables.crew);
            let missing = data.tables.crew - crew;
            let mut sum = 0;
            for (dice, n) in &ways {
                let kills = u32::try_from(*dice).unwrap_or(0).saturating_sub(missing);
                sum += kills * n;
                rows.push(json!({"casualties": kills, "of_36": n}));
                let _ = writeln!(text, "  {kills:>2} casualties {}", of_36(*n));
            }
            let head = format!(
                "a gun with {crew} of {} gunners [R32]: {}.{:02} casualties on average\n\
                 loads in {} rounds of peace [R33]\n",
                data.tables.crew,
                hundredths(sum, 36) / 100,
                hundredths(sum, 36) % 100,
                data.tables.gun_reload + missing
            );
            text = head + &text;
        }
        "sniping" => {
            let cards = number(0, 12)?.clamp(1, 12);
            let pips: u32 = data.tables.deck.iter().map(|c| c.markers).sum();
            let both = cards * (cards - 1);
            let _ = writeln!(text, "{cards} cards of 12 [R4]");
            let _ = writeln!(
                text,
                "  markers {}.{:02} on average",
                hundredths(pips * cards, 12) / 100,
                hundredths(pips * cards, 12) % 100
            );
            let _ = writeln!(text, "  both jokers {both} of 132 ({}) [R8]", percent(both, 132));
            rows.push(json!({"cards": cards, "both_jokers_of_132": both}));
        }
        other => {
            return Err(GameError::Question {
                message: format!("`{other}` has no odds in this game"),
                help: "there is: melee, morale, gun CREW, sniping CARDS".to_owned(),
            });
        }
    }
    Ok(Answer { text, json: json!({"topic": question.topic, "rows": rows}) })
}

/// A quotient in hundredths, rounded.
fn hundredths(n: u32, of: u32) -> u32 {
    (n * 200 + of) / (of * 2)
}

fn percent(n: u32, of: u32) -> String {
    // Rounded, not cut: 15 of 36 are 41.7 in a hundred.
    let tenths = (n * 2000 + of) / (of * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
