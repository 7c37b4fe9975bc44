//! The score of a match over pairs of games.
//!
//! The two games of an opening are alike, so the interval counts pairs, not games; common practice
//! since "pentanomial" statistics in Fishtest (M. Van den Bergh, 2019).

use std::fmt;

use crate::format::GameResult;

/// Standard errors on either side of an estimate that make its 95 % interval.
const SIGMAS: f64 = 1.96;
/// Elo of a tenfold ratio of the points.
const ELO: f64 = 400.0;

/// The strength, in Elo, of who wins this share of the points: infinite for none or all of them.
#[must_use]
pub fn elo(points: f64) -> f64 {
    ELO * (points / (1.0 - points)).log10()
}

/// The share of the points that this strength wins: the inverse of [`elo`].
#[must_use]
pub fn points(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / ELO))
}

/// The results of pairs of games. Its `Display` is one line.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of games won, drawn and lost.
    pub games: [u64; 3],
    /// Number of pairs that brought 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

impl Score {
    /// Adds a pair of games, in the first of which the side to judge was White.
    pub fn add(&mut self, first: GameResult, second: GameResult) {
        self.add_halves([first as usize, 2 - second as usize]);
    }

    /// Adds a pair of games with these half points, 0 to 2 each.
    pub fn add_halves(&mut self, halves: [usize; 2]) {
        halves.iter().for_each(|half| self.games[2 - half] += 1);
        self.pairs[halves[0] + halves[1]] += 1;
    }

    /// The number of pairs.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// The share of the points, 0 to 1, and its standard error.
    #[must_use]
    pub fn mean(&self) -> (f64, f64) {
        let count = self.played() as f64;
        let points = |halves: usize| halves as f64 / 4.0;
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            (0..).zip(self.pairs).map(|(halves, pairs)| pairs as f64 * value(points(halves))).sum()
        };
        let mean = sum(&|points| points) / count;
        let squares = sum(&|points| (points - mean).powi(2));
        (mean, (squares / (count * (count - 1.0))).sqrt())
    }

    /// The difference in Elo and half the width of its 95 % interval; `None` before it can be
    /// estimated, as when one side has all the points or all pairs have brought the same.
    #[must_use]
    pub fn elo(&self) -> Option<(f64, f64)> {
        let (mean, error) = self.mean();
        let elo = elo(mean);
        let slope = ELO / (std::f64::consts::LN_10 * mean * (1.0 - mean));
        // Pairs that are all alike do not tell how much they vary.
        (elo.is_finite() && error.is_finite() && error > 0.0)
            .then_some((elo, SIGMAS * error * slope))
    }

    /// The likelihood of superiority: how probable it is, 0 to 1, that the side to judge is the
    /// stronger one; `None` where there is no [`Score::elo`]. It is Φ((points − ½) / error), as in
    /// Fishtest (`LOS` of its `stat_util.py`), with the error over pairs of games. R. Coulom's
    /// formula for single games is ½ (1 + erf((won − lost) / √(2 (won + lost)))).
    #[must_use]
    pub fn superiority(&self) -> Option<f64> {
        self.elo()?;
        let (mean, error) = self.mean();
        // Of the small part, which a difference from 1 would lose.
        Some(libm::erfc((0.5 - mean) / (error * std::f64::consts::SQRT_2)) / 2.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [won, drawn, lost] = self.games;
        write!(f, "games {}, +{won} ={drawn} -{lost}", won + drawn + lost)?;
        let (Some((elo, error)), Some(superiority)) = (self.elo(), self.superiority()) else {
            return Ok(());
        };
        write!(f, ", {elo:+.1} +- {error:.1} Elo (95 %), LOS {:.1} %", 100.0 * superiority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{BlackWin, Draw, WhiteWin};

    #[test]
    fn a_win_counts_for_the_one_who_had_those_pieces() {
        let mut score = Score::default();
        score.add(WhiteWin, BlackWin);
        assert_eq!((score.games, score.pairs), ([2, 0, 0], [0, 0, 0, 0, 1]));
        score.add(BlackWin, WhiteWin);
        assert_eq!((score.games, score.pairs), ([2, 0, 2], [1, 0, 0, 0, 1]));
        score.add(WhiteWin, WhiteWin);
        score.add(Draw, BlackWin);
        assert_eq!((score.games, score.pairs), ([4, 1, 3], [1, 0, 1, 1, 1]));
    }

    #[test]
    fn pairs_that_are_all_alike_have_no_interval() {
        for level in [
            Score { games: [50, 0, 50], pairs: [0, 0, 50, 0, 0] },
            Score { games: [0, 4, 0], pairs: [0, 0, 2, 0, 0] },
        ] {
            assert_eq!(level.elo(), None);
            assert!(!level.to_string().contains("Elo"), "{level}");
        }
        let uneven = Score { games: [50, 0, 50], pairs: [25, 0, 0, 0, 25] };
        let (elo, error) = uneven.elo().unwrap();
        // Fifty throws of a coin: ±0.139 of the points.
        assert!(elo.abs() < 1e-9 && (error - 97.3).abs() < 1.0, "{error}");
    }

    #[test]
    fn superiority_is_the_normal_probability_of_the_score() {
        let score = |pairs| Score { games: [1, 0, 0], pairs };
        let los = |pairs| score(pairs).superiority().unwrap();
        // 2/3 of the points, with a standard error of √((10 · 4/9 + 20 · 1/9) / (30 · 29)): 1.90394
        // standard errors above a half.
        assert!((los([10, 0, 0, 0, 20]) - 0.971_54).abs() < 1e-5);
        assert!((los([20, 0, 0, 0, 10]) - 0.028_46).abs() < 1e-5);
        assert_eq!(los([25, 3, 7, 3, 25]), 0.5);
        assert!(los([1, 0, 0, 0, 1000]) > 0.999_999);
        assert_eq!(score([0, 0, 50, 0, 0]).superiority(), None);
        assert_eq!(Score::default().superiority(), None);
        assert!(score([10, 0, 0, 0, 20]).to_string().ends_with(" Elo (95 %), LOS 97.2 %"));
    }

    #[test]
    fn three_points_of_four_are_191_elo() {
        let score = Score { games: [100, 100, 0], pairs: [0, 0, 20, 60, 20] };
        let (elo, _) = score.elo().unwrap();
        assert!((elo - 190.8).abs() < 0.1, "{elo}");
        assert_eq!(Score::default().elo(), None);
        assert_eq!(Score { games: [200, 0, 0], pairs: [0, 0, 0, 0, 100] }.elo(), None);
    }
}
