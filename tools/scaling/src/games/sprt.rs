//! The sequential probability ratio test.
//!
//! A. Wald, "Sequential Tests of Statistical Hypotheses", 1945. The chances of each result of a
//! pair are unknown, so either hypothesis takes those that make the pairs most likely: M. Van den
//! Bergh, "Comments on Normalized Elo", 2020.

use heddle_selfplay::{Score, points};
use serde::Serialize;

/// The chance of accepting the wrong hypothesis, either way.
const RISK: f64 = 0.05;
/// Pairs of each kind that are added to those played, so that no result is impossible.
const PRIOR: f64 = 1e-3;
/// Halvings by which the chances are found.
const STEPS: usize = 60;

/// A test of two hypotheses about how much stronger the first side is, in Elo.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The hypothesis to be given up.
    pub elo0: f64,
    /// The other.
    pub elo1: f64,
}

/// What the games say of the hypotheses.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// The first is accepted.
    H0,
    /// The second is accepted.
    H1,
}

impl Sprt {
    /// Reads `ELO0,ELO1`.
    ///
    /// # Errors
    /// The mistake, as text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(',').and_then(|(elo0, elo1)| {
            Some(Self { elo0: elo0.trim().parse().ok()?, elo1: elo1.trim().parse().ok()? })
        });
        let usable = numbers.filter(|Self { elo0, elo1 }| elo0.is_finite() && elo1.is_finite());
        usable
            .filter(|Self { elo0, elo1 }| elo0 < elo1)
            .ok_or_else(|| "not two numbers with a comma between, the smaller one first".to_owned())
    }

    /// The limit on either side of 0 at which the ratio decides.
    pub fn limit() -> f64 {
        ((1.0 - RISK) / RISK).ln()
    }

    /// The logarithm of the likelihood ratio: positive if the games speak for the second
    /// hypothesis.
    pub fn ratio(&self, score: &Score) -> f64 {
        let counts = score.pairs.map(|pairs| pairs as f64 + PRIOR);
        likelihood(&counts, points(self.elo1)) - likelihood(&counts, points(self.elo0))
    }

    /// What the games say.
    pub fn verdict(&self, score: &Score) -> Verdict {
        match self.ratio(score) {
            ratio if ratio >= Self::limit() => Verdict::H1,
            ratio if ratio <= -Self::limit() => Verdict::H0,
            _ => Verdict::Open,
        }
    }

    /// The verdict as a sentence.
    pub fn sentence(&self, score: &Score) -> String {
        let Self { elo0, elo1 } = self;
        let said = match self.verdict(score) {
            Verdict::Open => "neither is accepted yet".to_owned(),
            Verdict::H0 => format!("{elo0} is accepted"),
            Verdict::H1 => format!("{elo1} is accepted"),
        };
        let (ratio, limit) = (self.ratio(score), Self::limit());
        format!(
            "SPRT of {elo0} against {elo1} Elo: {said} (LLR {ratio:.2}, bounds ±{limit:.2}, risks {RISK})."
        )
    }
}

/// The log-likelihood, up to a constant, of `counts` pairs with 0, ½, 1, 1½ and 2 points under
/// the likeliest distribution with this mean.
fn likelihood(counts: &[f64; 5], mean: f64) -> f64 {
    let above = [0.0, 0.25, 0.5, 0.75, 1.0].map(|points| points - mean);
    let terms = || counts.iter().zip(above);
    // The chances are counts / (1 + tilt above), up to a factor; the tilt makes their mean the
    // given one.
    let (mut low, mut high) = (-1.0 / above[4], -1.0 / above[0]);
    for _ in 0..STEPS {
        let tilt = (low + high) / 2.0;
        let slope: f64 = terms().map(|(count, above)| count * above / (1.0 + tilt * above)).sum();
        if slope > 0.0 { low = tilt } else { high = tilt }
    }
    let tilt = (low + high) / 2.0;
    -terms().map(|(count, above)| count * (tilt * above).ln_1p()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    const SPRT: Sprt = Sprt { elo0: 0.0, elo1: 10.0 };

    /// Pairs at random until there is a verdict; games are won, drawn and lost with these chances.
    fn verdict(win: f64, draw: f64, seed: u64) -> Verdict {
        let mut rng = Rng::with_seed(seed);
        let mut score = Score::default();
        while SPRT.verdict(&score) == Verdict::Open {
            score.add_halves([(); 2].map(|()| match rng.f64() {
                x if x < win => 2,
                x if x < win + draw => 1,
                _ => 0,
            }));
        }
        SPRT.verdict(&score)
    }

    #[test]
    fn the_true_hypothesis_is_mostly_accepted() {
        let count =
            |win, wanted| (0..100).filter(|&seed| verdict(win, 0.5, seed) == wanted).count();
        let at_zero = count(0.25, Verdict::H0);
        // 10 Elo: 51.44 % of the points.
        let at_ten = count(0.2644, Verdict::H1);
        assert!(at_zero >= 88 && at_ten >= 88, "{at_zero} {at_ten}");
    }

    #[test]
    fn the_ratio_is_nearly_that_of_two_normal_distributions() {
        let score = Score { games: [0; 3], pairs: [10, 20, 40, 20, 10] };
        // The mean is 1/2, the variance 0.075; 10 Elo are 0.514385.
        let expected = -100.0 * 0.014_385_f64.powi(2) / (2.0 * 0.075);
        assert!((SPRT.ratio(&score) - expected).abs() < 0.01, "{}", SPRT.ratio(&score));
        assert_eq!(SPRT.verdict(&Score::default()), Verdict::Open);
        let one = Score { games: [0; 3], pairs: [0, 0, 1, 0, 0] };
        assert_eq!(SPRT.verdict(&one), Verdict::Open, "{}", SPRT.ratio(&one));
        let won = Score { games: [0; 3], pairs: [0, 0, 0, 0, 200] };
        assert_eq!(SPRT.verdict(&won), Verdict::H1);
        assert!(SPRT.sentence(&won).starts_with("SPRT of 0 against 10 Elo: 10 is accepted (LLR "));
    }

    #[test]
    fn the_smaller_number_comes_first() {
        assert_eq!(Sprt::parse("0,10"), Ok(SPRT));
        assert!(Sprt::parse("-3, 0.5").is_ok());
        for wrong in ["", "5", "5,5", "5,0", "0,x", "0,inf", "nan,1", "0,5,9"] {
            assert!(Sprt::parse(wrong).is_err(), "{wrong}");
        }
    }
}
