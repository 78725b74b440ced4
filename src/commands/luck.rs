//! `luck`: each player's dice against what fair dice show. Integers only: the
//! spread is the square root of a sum of variances, in hundredths.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::desk::Desk;
use super::fault::Fault;
use super::folder::Folder;
use super::ledger::Ledger;
use super::report::directory;
use crate::core::dice::{Roll, Spec};
use crate::core::record::Rolls;
use crate::core::salt::split_events;

/// Sums of one roller, scaled so that no fraction is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// Dice thrown.
    dice: u64,
    /// Sum of the faces, each times its weight.
    sum: i128,
    /// Twice the sum that fair dice show on average.
    twice_expected: i128,
    /// Twelve times the variance of that sum.
    twelve_variance: i128,
}

impl Tally {
    fn add(&mut self, roll: &Roll, weight: u32) {
        let Ok(Spec::Dice { sides, .. }) = Spec::parse(&roll.spec) else { return };
        let (s, w) = (i128::from(sides), i128::from(weight));
        for face in &roll.faces {
            self.dice += 1;
            self.sum += i128::from(*face) * w;
            self.twice_expected += (s + 1) * w;
            self.twelve_variance += (s * s - 1) * w * w;
        }
    }

    /// Above (or below) the average, in hundredths.
    fn above(&self) -> i128 {
        self.sum * 100 - self.twice_expected * 50
    }

    /// One standard deviation, in hundredths.
    fn spread(&self) -> i128 {
        (self.twelve_variance * 10_000 / 12).isqrt()
    }

    /// The distance in tenths of a standard deviation.
    fn tenths(&self) -> i128 {
        match self.spread() {
            0 => 0,
            spread => self.above() * 10 / spread,
        }
    }

    fn sentence(&self) -> &'static str {
        if self.dice == 0 {
            return "no dice yet";
        }
        match self.tenths().abs() {
            0..=9 => "nothing unusual: two in three fair games lie within this",
            10..=19 => "not unusual: one fair game in three lies this far out or farther",
            20..=29 => "unusual: about one fair game in twenty lies this far out",
            _ => "very unusual: fewer than one fair game in three hundred lies this far out",
        }
    }
}

/// Prints the comparison.
pub fn run(desk: &mut Desk<'_>) -> Result<u8, Fault> {
    let folder = Folder::open(desk)?;
    let ledger = Ledger::read(&folder)?;
    let names = ledger.game(desk, &folder)?.side_names();
    let mut plain: BTreeMap<String, Tally> = BTreeMap::new();
    let mut weighted: BTreeMap<String, Tally> = BTreeMap::new();
    for phase in 1..=ledger.phases {
        let dir = directory(&ledger, phase);
        let rolls = folder.record(&format!("{dir}/rolls.txt"), Rolls::parse)?;
        let events = folder.maybe(&format!("{dir}/events.jsonl"))?.unwrap_or_default();
        let known = rollers(split_events(&events).1, &names);
        for roll in &rolls.rolls {
            let (who, weight) =
                known.get(&roll.label).cloned().unwrap_or_else(|| ("(either side)".to_owned(), 1));
            for name in [who, "(all dice)".to_owned()] {
                plain.entry(name.clone()).or_default().add(roll, 1);
                weighted.entry(name).or_default().add(roll, weight);
            }
        }
    }
    if desk.json {
        let rows: Vec<_> = plain
            .iter()
            .map(|(who, tally)| {
                serde_json::json!({
                    "roller": who, "dice": tally.dice, "sum": tally.sum.to_string(),
                    "above_hundredths": tally.above().to_string(),
                    "spread_hundredths": tally.spread().to_string(),
                    "tenths_of_spread": tally.tenths().to_string(),
                    "verdict": tally.sentence(),
                })
            })
            .collect();
        writeln!(desk.out, "{}", Value::Array(rows))?;
        return Ok(0);
    }
    writeln!(
        desk.out,
        "{:<20} {:>5} {:>8} {:>9} {:>8}",
        "roller", "dice", "sum", "above", "spread"
    )?;
    for (who, tally) in &plain {
        line(desk, who, tally)?;
    }
    if weighted != plain {
        writeln!(desk.out, "\nweighted by what hung on each die")?;
        for (who, tally) in &weighted {
            line(desk, who, tally)?;
        }
    }
    writeln!(desk.out, "\nHigh is not always good: read it with the charts of the game.")?;
    Ok(0)
}

fn line(desk: &mut Desk<'_>, who: &str, tally: &Tally) -> Result<(), Fault> {
    let above = hundredths(tally.above());
    let spread = hundredths(tally.spread());
    writeln!(desk.out, "{who:<20} {:>5} {:>8} {above:>9} {spread:>8}", tally.dice, tally.sum)?;
    writeln!(desk.out, "  {}", tally.sentence())?;
    Ok(())
}

fn hundredths(value: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", value.abs() / 100, value.abs() % 100)
}

/// Who rolled what, by label, from the event log. An object with a `label` is a die:
/// its `weight` or its `factors` hung on it. Who threw it stands in `player`,
/// `roller`, `side` or `attacker` of that object or of one around it; a die below
/// `defence` is the other side's.
///
/// `names` are the sides by the words of the log, where the game knows them: a phase in
/// which only one of them attacks does not name the other.
fn rollers(events: &str, names: &BTreeMap<String, String>) -> BTreeMap<String, (String, u32)> {
    let mut found = Found::default();
    for line in events.lines() {
        if let Ok(value) = serde_json::from_str::<Value>(line) {
            found.visit(&value, None, false);
        }
    }
    let Found { dice, sides } = found;
    let other = |side: &str| {
        let known = names.contains_key(side);
        let all: BTreeSet<&String> =
            if known { names.keys().collect() } else { sides.iter().collect() };
        let mut others = all.into_iter().filter(|s| s.as_str() != side);
        match (others.next(), others.next()) {
            (Some(one), None) => one.clone(),
            _ => format!("(not {side})"),
        }
    };
    let told = |(label, (who, against, weight)): (String, (String, bool, u32))| {
        let who = if against { other(&who) } else { who };
        let who = names.get(&who).cloned().unwrap_or(who);
        (label, (who, weight))
    };
    dice.into_iter().map(told).collect()
}

/// What an event log says of its dice.
#[derive(Debug, Default)]
struct Found {
    /// By label: a side, whether the thrower is its enemy, the weight.
    dice: BTreeMap<String, (String, bool, u32)>,
    /// Every side that was named.
    sides: BTreeSet<String>,
}

impl Found {
    fn visit(&mut self, value: &Value, around: Option<&str>, against: bool) {
        match value {
            Value::Array(items) => {
                for item in items {
                    self.visit(item, around, against);
                }
            }
            Value::Object(object) => {
                let keys = ["player", "roller", "side", "attacker"];
                let own = keys.iter().find_map(|key| object.get(*key)?.as_str());
                let (who, against) = match own {
                    Some(own) => (Some(own), false),
                    None => (around, against),
                };
                if let Some(own) = own {
                    self.sides.insert(own.to_owned());
                }
                if let (Some(label), Some(who)) = (object.get("label").and_then(Value::as_str), who)
                {
                    let weight =
                        ["weight", "factors"].iter().find_map(|k| object.get(*k)?.as_u64());
                    let weight = u32::try_from(weight.unwrap_or(1)).unwrap_or(u32::MAX);
                    self.dice.insert(label.to_owned(), (who.to_owned(), against, weight));
                }
                for (key, item) in object {
                    self.visit(item, who, against || key == "defence");
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_fair_dice() {
        let mut tally = Tally::default();
        let roll = |face| Roll { label: "a".into(), spec: "1d10".into(), faces: vec![face] };
        for face in 1..=10 {
            tally.add(&roll(face), 1);
        }
        assert_eq!((tally.sum, tally.above()), (55, 0));
        // Ten dice of variance 8.25: the root of 82.5.
        assert_eq!(tally.spread(), 908);
        for _ in 0..10 {
            tally.add(&roll(10), 1);
        }
        assert_eq!(tally.tenths(), 35);
        assert!(tally.sentence().starts_with("very unusual"));
    }

    #[test]
    fn finds_who_rolled() {
        let events =
            "{\"side\":\"dervish\",\"die\":{\"label\":\"a\",\"weight\":3}}\n{\"label\":\"b\"}\n";
        assert_eq!(
            rollers(events, &BTreeMap::new()),
            [("a".to_owned(), ("dervish".to_owned(), 3))].into()
        );
        let events = "{\"attacker\":\"x\",\"attack\":{\"label\":\"a\",\"factors\":9},\
                      \"defence\":{\"label\":\"d\"}}\n{\"attacker\":\"y\"}\n";
        let found = rollers(events, &BTreeMap::new());
        assert_eq!(found["a"], ("x".to_owned(), 9));
        assert_eq!(found["d"], ("y".to_owned(), 1));
        // The other side's printed name, though only players and one side are named.
        let events = "{\"player\":\"z\"}\n{\"attacker\":\"x\",\"defence\":{\"label\":\"d\"}}\n";
        let names = [("x", "Xanthians"), ("y", "Ynglings")]
            .map(|(word, name)| (word.to_owned(), name.to_owned()));
        let found = rollers(events, &names.into());
        assert_eq!(found["d"], ("Ynglings".to_owned(), 1));
    }
}
