//! Exact chances: outcomes with the number of equally likely ways to each. Whole
//! numbers until something is printed.

use std::collections::BTreeMap;

/// Outcomes and how many of the equally likely ways lead to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chances<T> {
    ways: BTreeMap<T, u128>,
}

impl Chances<u32> {
    /// One die: 1 to `sides`, one way each.
    pub fn die(sides: u32) -> Self {
        Self { ways: (1..=sides).map(|face| (face, 1)).collect() }
    }
}

impl<T: Ord> Chances<T> {
    /// What is certain.
    pub fn certain(outcome: T) -> Self {
        Self { ways: BTreeMap::from([(outcome, 1)]) }
    }

    /// The chances of what follows from each outcome.
    pub fn map<U: Ord>(&self, mut follows: impl FnMut(&T) -> U) -> Chances<U> {
        let mut ways = BTreeMap::new();
        for (outcome, count) in &self.ways {
            *ways.entry(follows(outcome)).or_insert(0) += count;
        }
        Chances { ways }
    }

    /// The chances of what follows from two independent outcomes together: with a sum
    /// this is a convolution.
    pub fn with<U: Ord, V: Ord>(
        &self,
        other: &Chances<U>,
        mut follows: impl FnMut(&T, &U) -> V,
    ) -> Chances<V> {
        let mut ways = BTreeMap::new();
        for (a, m) in &self.ways {
            for (b, n) in &other.ways {
                *ways.entry(follows(a, b)).or_insert(0) += m * n;
            }
        }
        Chances { ways }
    }

    /// All ways together.
    pub fn total(&self) -> u128 {
        self.ways.values().sum()
    }

    /// The ways to outcomes of which something holds.
    pub fn ways(&self, holds: impl Fn(&T) -> bool) -> u128 {
        self.ways.iter().filter(|(outcome, _)| holds(outcome)).map(|(_, n)| n).sum()
    }

    /// Each outcome with its ways, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&T, u128)> {
        self.ways.iter().map(|(outcome, n)| (outcome, *n))
    }

    /// How likely something is, as printed.
    pub fn percent(&self, holds: impl Fn(&T) -> bool) -> String {
        percent(self.ways(holds), self.total())
    }

    /// The mean of a number that goes with each outcome, as printed.
    pub fn mean(&self, number: impl Fn(&T) -> u32) -> String {
        let sum = self.iter().map(|(outcome, n)| u128::from(number(outcome)) * n).sum();
        mean(sum, self.total())
    }
}

/// A part of a whole as per cent with one decimal, halves up: `12.5%`. What is not
/// nothing is not printed as nothing, and what is not all not as all.
pub fn percent(part: u128, whole: u128) -> String {
    let tenths = (part * 2000 + whole) / (whole * 2).max(1);
    match tenths {
        0 if part > 0 => "<0.1%".to_owned(),
        1000 if part < whole => ">99.9%".to_owned(),
        _ => format!("{}.{}%", tenths / 10, tenths % 10),
    }
}

/// A mean with two decimals, halves up.
pub fn mean(sum: u128, count: u128) -> String {
    let hundredths = (sum * 200 + count) / (count * 2).max(1);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dice_are_a_convolution() {
        let two = Chances::die(6).with(&Chances::die(6), |a, b| a + b);
        let ways: Vec<u128> = two.iter().map(|(_, n)| n).collect();
        assert_eq!(ways, [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]);
        assert_eq!(two.total(), 36);
        assert_eq!(two.percent(|sum| *sum == 7), "16.7%");
        assert_eq!(two.mean(|sum| *sum), "7.00");
        assert_eq!(two.map(|sum| sum % 2).ways(|odd| *odd == 1), 18);
        assert_eq!(Chances::certain(3_u32).mean(|n| *n), "3.00");
    }

    #[test]
    fn percentages_round_and_never_lie_at_the_ends() {
        assert_eq!(percent(1, 8), "12.5%");
        assert_eq!(percent(1, 2000), "0.1%");
        assert_eq!(percent(1, 10_000), "<0.1%");
        assert_eq!(percent(9_999, 10_000), ">99.9%");
        assert_eq!((percent(0, 7), percent(7, 7)), ("0.0%".to_owned(), "100.0%".to_owned()));
        assert_eq!(mean(1, 3), "0.33");
        assert_eq!(mean(5, 1000), "0.01");
    }
}
