//! Brings the pawns of many engines to our scale.
//!
//! Engines count in pawns of their own, and some are twice as loud as others. An engine's factor is
//! the ratio of the spread of our static scores to that of its scores, in positions where both are
//! moderate. One that has few is drawn towards the factor of all.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::spread::Spread;

/// Scores up to this many pawns are compared: the scale of won positions says little.
const MODERATE: f64 = 6.0;
/// The weight of the common factor, in positions.
const COMMON: f64 = 1000.0;
/// Our centipawns in a pawn if nothing can be compared.
const PAWN: f64 = 100.0;

/// Who scored: a player's name and the year.
pub type Judge = (String, String);

/// The scores of all who have scored.
#[derive(Clone, Debug, Default)]
pub struct Scales {
    judges: BTreeMap<Judge, Spread>,
    all: Spread,
}

impl Scales {
    /// Notes that `judge` said `pawns` where we say `ours` centipawns.
    pub fn note(&mut self, judge: &Judge, pawns: f64, ours: i32) {
        if pawns == 0.0 || pawns.abs() > MODERATE {
            return;
        }
        let own = self.judges.entry(judge.clone()).or_default();
        for spread in [own, &mut self.all] {
            spread.note(f64::from(ours), pawns);
        }
    }

    /// Our centipawns in a pawn of `judge`.
    pub fn factor(&self, judge: &Judge) -> f64 {
        let common = self.all.ratio().unwrap_or(PAWN);
        let Some(own) = self.judges.get(judge) else { return common };
        let weight = own.positions / (own.positions + COMMON);
        common + weight * (own.ratio().unwrap_or(common) - common)
    }

    /// A line for each judge: positions, factor, name and year.
    pub fn table(&self) -> String {
        let mut table = String::from("positions  centipawns in a pawn  of\n");
        for (judge, spread) in &self.judges {
            let (name, year) = judge;
            let (positions, factor) = (spread.positions, self.factor(judge));
            let _ = writeln!(table, "{positions:9}  {factor:20.0}  {name} {year}");
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(name: &str) -> Judge {
        (name.to_owned(), "2026".to_owned())
    }

    #[test]
    fn a_factor_is_the_ratio_of_spreads_and_few_positions_lean_on_all() {
        let mut scales = Scales::default();
        assert!((scales.factor(&judge("loud")) - PAWN).abs() < 1e-9);
        for i in 1..=100_000 {
            scales.note(&judge("loud"), f64::from(i % 5 - 2), 60 * (i % 5 - 2));
            scales.note(&judge("soft"), f64::from(i % 5 - 2), -140 * (i % 5 - 2));
        }
        assert!((scales.factor(&judge("loud")) - 60.0).abs() < 1.0);
        assert!((scales.factor(&judge("soft")) - 140.0).abs() < 1.0);
        scales.note(&judge("new"), 1.0, 500);
        scales.note(&judge("new"), 20.0, 5000);
        let new = scales.factor(&judge("new"));
        assert!((100.0..102.0).contains(&new), "{new}");
        assert!((scales.factor(&judge("unknown")) - 100.0).abs() < 1.0);
        assert_eq!(scales.table().lines().count(), 4);
    }
}
