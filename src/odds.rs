//! Many resolutions of one window with independent dice, counted: what `odds` prints
//! of a set of orders. Any rule system will do: it resolves through [`Trials`] and
//! says in a [`Tally`] what came of it.
//!
//! Each resolution has a stream of dice of its own, numbered from the seed, and only
//! whole numbers are added up: the figures are the same on any number of cores.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::core::chance::{mean, percent};
use crate::core::dice::Roller;
use crate::core::hash::Hex64;
use crate::core::template::pad;
use crate::game::{GameError, Subject, Tally, Trials};

/// Resolutions that one task makes, so that sharing out costs little.
const BATCH: u32 = 64;

/// How often each value of each subject came up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Odds {
    /// Resolutions.
    pub runs: u32,
    /// Rolls in all of them.
    pub rolls: u64,
    /// By subject: how many resolutions had each value above zero.
    subjects: BTreeMap<Subject, BTreeMap<u32, u32>>,
}

/// Resolves a window so many times.
///
/// # Errors
/// The rules stopped: the first resolution that did says why.
pub fn simulate(trials: &dyn Trials, runs: u32, seed: &Hex64) -> Result<Odds, GameError> {
    let batches: Vec<Result<Odds, GameError>> = (0..runs.div_ceil(BATCH))
        .into_par_iter()
        .map(|batch| {
            let mut odds = Odds::default();
            for run in batch * BATCH..runs.min((batch + 1) * BATCH) {
                let mut dice = Roller::streamed(seed.bytes(), u64::from(run));
                let tally = trials.once(&mut dice)?;
                odds.add(tally, dice.rolls().len() + dice.sealed_rolls().len());
            }
            Ok(odds)
        })
        .collect();
    let mut odds = Odds::default();
    for batch in batches {
        odds.merge(batch?);
    }
    Ok(odds)
}

impl Odds {
    fn add(&mut self, tally: Tally, rolls: usize) {
        self.runs += 1;
        self.rolls += rolls as u64;
        for (subject, value) in tally {
            let values = self.subjects.entry(subject).or_default();
            if value > 0 {
                *values.entry(value).or_default() += 1;
            }
        }
    }

    fn merge(&mut self, other: Self) {
        self.runs += other.runs;
        self.rolls += other.rolls;
        for (subject, values) in other.subjects {
            let mine = self.subjects.entry(subject).or_default();
            for (value, count) in values {
                *mine.entry(value).or_default() += count;
            }
        }
    }

    /// In how many resolutions a subject came up at all.
    pub fn times(&self, subject: &Subject) -> u32 {
        self.subjects.get(subject).map_or(0, |values| values.values().sum())
    }

    /// The sum of a subject's values.
    fn sum(values: &BTreeMap<u32, u32>) -> u128 {
        values.iter().map(|(value, count)| u128::from(*value) * u128::from(*count)).sum()
    }

    /// The least value that so many per cent of the resolutions do not exceed.
    fn quantile(&self, values: &BTreeMap<u32, u32>, per_cent: u64) -> u32 {
        let enough = u64::from(self.runs) * per_cent;
        let above: u64 = values.values().map(|n| u64::from(*n)).sum();
        let mut reached = u64::from(self.runs) - above;
        if reached * 100 >= enough {
            return 0;
        }
        for (value, count) in values {
            reached += u64::from(*count);
            if reached * 100 >= enough {
                return *value;
            }
        }
        values.keys().next_back().copied().unwrap_or(0)
    }

    fn chance(&self, times: u32) -> String {
        percent(u128::from(times), u128::from(self.runs))
    }

    /// Within how much the printed percentages are right 95 times of 100, at worst:
    /// 1.96 standard deviations of a chance of one half.
    fn precision(&self) -> String {
        // 98 / sqrt(runs) per cent, in tenths, rounded up.
        let tenths = (960_400 / u64::from(self.runs.max(1))).isqrt() + 1;
        format!("{}.{}", tenths / 10, tenths % 10)
    }

    /// The tables, 72 columns wide.
    pub fn render(&self) -> String {
        let mut out = String::new();
        let name = |text: &str| pad(text, 36, false);
        let right = |text: String, width: usize| pad(&text, width, true);
        let mut counts = String::new();
        let mut ends = String::new();
        let mut others = String::new();
        let mut units: BTreeMap<(&str, &str, &str), (u32, u32)> = BTreeMap::new();
        let mut places: BTreeMap<(&str, &str), (u32, u32)> = BTreeMap::new();
        for (subject, values) in &self.subjects {
            let times: u32 = values.values().sum();
            match subject {
                Subject::Count { what } => {
                    let _ = write!(counts, "  {}", name(what));
                    let mean = mean(Self::sum(values), u128::from(self.runs));
                    counts.push_str(&right(mean, 8));
                    for per_cent in [10, 50, 90] {
                        let value = self.quantile(values, per_cent).to_string();
                        counts.push_str(&right(value, 7));
                    }
                    counts.push('\n');
                }
                Subject::Lost { side, unit, place } => {
                    units.entry((side, place, unit)).or_default().0 += times;
                }
                Subject::Disrupted { side, unit, place } => {
                    units.entry((side, place, unit)).or_default().1 += times;
                }
                Subject::Loses { side, place } => {
                    places.entry((side, place)).or_default().0 += times;
                }
                Subject::Cleared { side, place } => {
                    places.entry((side, place)).or_default().1 += times;
                }
                Subject::Happens { what } => {
                    let chance = right(self.chance(times), 8);
                    let _ = writeln!(others, "  {}{chance}", name(what));
                }
                Subject::End { result } => {
                    let chance = right(self.chance(times), 8);
                    let _ = writeln!(ends, "  {}{chance}", name(result));
                }
            }
        }
        let head = |title: &str, columns: &[(&str, usize)]| {
            let columns = columns.iter().map(|(text, width)| pad(text, *width, true));
            format!("\n{}{}\n", pad(title, 38, false), columns.collect::<String>())
        };
        if !counts.is_empty() {
            out += &head("UNITS LOST", &[("mean", 8), ("10%", 7), ("50%", 7), ("90%", 7)]);
            out += &counts;
        }
        for (title, rows) in [("WHAT MAY HAPPEN", &others), ("THE GAME MAY END", &ends)] {
            if !rows.is_empty() {
                out += &head(title, &[("chance", 8)]);
                out += rows;
            }
        }
        if !places.is_empty() {
            out += &head("HEXES", &[("loses any", 10), ("loses all", 12)]);
            for ((side, place), (any, all)) in places {
                let (any, all) = (right(self.chance(any), 10), right(self.chance(all), 12));
                let _ = writeln!(out, "  {}{any}{all}", name(&format!("{place:<10} {side}")));
            }
        }
        if !units.is_empty() {
            out += &head("UNITS", &[("lost", 10), ("disrupted", 12)]);
            for ((_, place, unit), (lost, down)) in units {
                let (lost, down) = (right(self.chance(lost), 10), right(self.chance(down), 12));
                let _ = writeln!(out, "  {}{lost}{down}", name(&format!("{place:<10} {unit}")));
            }
        }
        if self.rolls == 0 {
            out += "\nNo dice are rolled in this window: it comes out so every time.\n";
        } else {
            let each = mean(u128::from(self.rolls), u128::from(self.runs));
            let _ = writeln!(
                out,
                "\n{each} rolls a time. A chance is right to {} points, 95 times of 100.",
                self.precision()
            );
        }
        out.trim_start_matches('\n').to_owned()
    }

    /// The same for programs: of each subject how many resolutions had each value.
    pub fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .subjects
            .iter()
            .map(|(subject, values)| {
                let mut row = match subject {
                    Subject::Count { what } => json!({ "count": what }),
                    Subject::Lost { side, unit, place } => {
                        json!({ "lost": unit, "side": side, "place": place })
                    }
                    Subject::Disrupted { side, unit, place } => {
                        json!({ "disrupted": unit, "side": side, "place": place })
                    }
                    Subject::Loses { side, place } => json!({ "loses": place, "side": side }),
                    Subject::Cleared { side, place } => json!({ "cleared": place, "side": side }),
                    Subject::Happens { what } => json!({ "happens": what }),
                    Subject::End { result } => json!({ "end": result }),
                };
                let times: u32 = values.values().sum();
                row["times"] = times.into();
                if matches!(subject, Subject::Count { .. }) {
                    row["values"] = json!(values);
                }
                row
            })
            .collect();
        json!({ "runs": self.runs, "rolls": self.rolls, "subjects": rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loses as many as the die shows above 7, and at 10 the game ends.
    struct Die;

    impl Trials for Die {
        fn once(&self, dice: &mut Roller) -> Result<Tally, GameError> {
            let face = dice.d10("die")?;
            let what = "Blue".to_owned();
            let mut tally = Tally::from([(Subject::Count { what }, face.saturating_sub(7))]);
            if face == 10 {
                tally.insert(Subject::End { result: "a draw".to_owned() }, 1);
            }
            Ok(tally)
        }
    }

    #[test]
    fn resolutions_are_counted_and_shared_out_alike() {
        let seed = Hex64::digest(b"test");
        let all = simulate(&Die, 10_000, &seed).unwrap();
        assert_eq!((all.runs, all.rolls), (10_000, 10_000));
        // A tenth of 10,000, within five standard deviations (30 each).
        let end = Subject::End { result: "a draw".to_owned() };
        assert!((850..=1150).contains(&all.times(&end)), "{}", all.times(&end));
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| simulate(&Die, 10_000, &seed)).unwrap(), all);
        }
        assert_ne!(simulate(&Die, 10_000, &Hex64::digest(b"other")).unwrap(), all);
        assert_eq!(simulate(&Die, 65, &seed).unwrap().runs, 65, "not only whole batches");
    }

    #[test]
    fn quantiles_and_precision() {
        let values = BTreeMap::from([(1, 30), (2, 15), (5, 5)]);
        let odds = Odds { runs: 100, ..Odds::default() };
        let at = |per_cent| odds.quantile(&values, per_cent);
        assert_eq!((at(10), at(50), at(51), at(80), at(90), at(96)), (0, 0, 1, 1, 2, 5));
        assert_eq!(Odds { runs: 10_000, ..Odds::default() }.precision(), "1.0");
        assert_eq!(odds.precision(), "9.9");
    }
}
