//! What a network is taught to say of a position: a mixture of three opinions.
//!
//! The first is the game's result, the second the classical evaluation, the third that of the searches.
//! A search of the position itself is a shallow one; those of the plies that follow look at what came
//! of it. So they are asked as well, each less than the one before, and the result last: the
//! λ-return of temporal differences. Source: R. Sutton, "Learning to Predict by the Methods of
//! Temporal Differences", 1988; for chess J. Baxter, A. Tridgell and L. Weaver, "KnightCap", 1998.

/// Centipawns that an output of one stands for.
pub const SCALE: f32 = 400.0;

/// How much each opinion counts.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Aim {
    /// The weight of the game's result, 0 to 1.
    pub lambda: f32,
    /// The weight of the classical evaluation, 0 to 1 - `lambda`; what remains is that of the searches.
    pub anchor: f32,
    /// What the later searches count, taken together, 0 to 1; what remains is the weight of the search
    /// of the position itself.
    pub trace: f32,
}

impl Aim {
    /// All weights are from 0 to 1, and no opinion's is less than nothing.
    #[must_use]
    pub fn is_valid(self) -> bool {
        [self.lambda, self.anchor, self.lambda + self.anchor, self.trace]
            .iter()
            .all(|weight| (0.0..=1.0).contains(weight))
    }

    /// Turns the chances that the searches of a game's plies gave White into those that they give
    /// together with all later ones and the game's `result`.
    pub fn look_ahead(self, chances: &mut [f32], result: f32) {
        let mut later = result;
        for chance in chances.iter_mut().rev() {
            later = (1.0 - self.trace) * *chance + self.trace * later;
            *chance = later;
        }
    }

    /// The mixture of one side's chances.
    #[must_use]
    pub fn mix(self, result: f32, classical: f32, searches: f32) -> f32 {
        let rest = 1.0 - self.lambda - self.anchor;
        self.lambda * result + self.anchor * classical + rest * searches
    }
}

/// The chance to win, 0 to 1, at a score in centipawns.
#[must_use]
pub fn chance(centipawns: i16) -> f32 {
    sigmoid(f32::from(centipawns) / SCALE)
}

/// The logistic function.
#[must_use]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f32, wanted: f32) {
        assert!((found - wanted).abs() < 1e-6, "{found}, not {wanted}");
    }

    #[test]
    fn the_target_mixes_result_evaluation_and_search() {
        let mix = |lambda, anchor| Aim { lambda, anchor, trace: 0.0 }.mix(1.0, 0.2, 0.6);
        close(mix(1.0, 0.0), 1.0);
        close(mix(0.0, 0.0), 0.6);
        close(mix(0.0, 1.0), 0.2);
        close(mix(0.25, 0.25), 0.25 + 0.25 * 0.2 + 0.5 * 0.6);
        close(chance(0), 0.5);
        close(chance(400), 1.0 - chance(-400));
    }

    #[test]
    fn later_searches_count_less_and_less_and_the_result_last() {
        let ahead = |trace| {
            let mut chances = [0.5, 0.9, 0.1];
            Aim { trace, ..Aim::default() }.look_ahead(&mut chances, 1.0);
            chances
        };
        assert_eq!(ahead(0.0), [0.5, 0.9, 0.1]);
        assert_eq!(ahead(1.0), [1.0; 3]);
        close(ahead(0.5)[0], 0.5 * 0.5 + 0.25 * 0.9 + 0.125 * 0.1 + 0.125);
        close(ahead(0.5)[2], 0.5 * 0.1 + 0.5);
    }

    #[test]
    fn weights_that_are_none_are_noticed() {
        let valid = |lambda, anchor, trace| Aim { lambda, anchor, trace }.is_valid();
        assert!(valid(0.0, 0.0, 0.0) && valid(0.5, 0.5, 1.0));
        assert!(!valid(f32::NAN, 0.0, 0.0) && !valid(0.0, f32::NAN, 0.0));
        assert!(!valid(-0.1, 0.5, 0.0) && !valid(0.6, 0.5, 0.0) && !valid(0.0, 0.0, 1.1));
        assert!(!valid(0.0, 0.0, f32::NAN) && !valid(0.0, 0.0, -0.1));
    }
}
