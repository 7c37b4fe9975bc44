//! The training target of a position: a mixture of the game's result, the classical evaluation and
//! the search scores.
//!
//! The search of the position itself is shallow; the searches of later plies know what became of
//! it. So they count as well, each less than the one before, and the result last: this is the
//! λ-return of temporal differences. Source: R. Sutton, "Learning to Predict by the Methods of
//! Temporal Differences", 1988; for chess J. Baxter, A. Tridgell and L. Weaver, "KnightCap", 1998.

use heddle::eval;
use heddle::position::{Color, Position};
use heddle_selfplay::{Record, RecordError, is_quiet};

/// Centipawns for an output of 1.0.
pub const SCALE: f32 = 400.0;

/// The weight of each part of the mixture.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Aim {
    /// The weight of the game's result, 0 to 1.
    pub lambda: f32,
    /// The weight of the classical evaluation, 0 to 1 − `lambda`; the searches get the rest.
    pub anchor: f32,
    /// The weight of all later searches together, 0 to 1; the position's own search gets the rest.
    pub trace: f32,
}

impl Aim {
    /// Whether all weights are from 0 to 1, including that of the searches.
    #[must_use]
    pub fn is_valid(self) -> bool {
        [self.lambda, self.anchor, self.lambda + self.anchor, self.trace]
            .iter()
            .all(|weight| (0.0..=1.0).contains(weight))
    }

    /// Replaces each of White's chances, one for each ply's search, by its mean with all later
    /// searches and the game's `result`, weighted by [`Aim::trace`].
    pub fn look_ahead(self, chances: &mut [f32], result: f32) {
        let mut later = result;
        for chance in chances.iter_mut().rev() {
            later = (1.0 - self.trace) * *chance + self.trace * later;
            *chance = later;
        }
    }

    /// Calls `visit` for every position of a game that is suitable for training, and returns their
    /// targets: the chance of the side to move, from 0 (lost) to 1 (won).
    ///
    /// # Errors
    /// [`RecordError`] at the first illegal move; the positions before it have been visited.
    pub fn label(
        self,
        record: &Record,
        mut visit: impl FnMut(&Position),
    ) -> Result<Vec<f32>, RecordError> {
        let result = f32::from(record.result() as u8) / 2.0;
        let mut chances = Vec::new(); // White's, from the search of every ply
        let mut chosen = Vec::new();
        record.walk(|found| {
            if is_quiet(found) {
                let turn = found.position.turn();
                let classical = match self.anchor {
                    0.0 => 0.0, // it does not count
                    // Within MAX_EVAL, which fits.
                    _ => chance(eval::evaluate(None, found.position).get() as i16),
                };
                chosen.push((chances.len(), turn, turn.fold_wb(classical, 1.0 - classical)));
                visit(found.position);
            }
            chances.push(chance(found.score));
        })?;
        self.look_ahead(&mut chances, result);
        let target = |(ply, turn, classical): (usize, Color, f32)| {
            let white = self.mix(result, classical, chances[ply]);
            turn.fold_wb(white, 1.0 - white)
        };
        Ok(chosen.into_iter().map(target).collect())
    }

    /// The mixture, of the chances of one side.
    #[must_use]
    pub fn mix(self, result: f32, classical: f32, searches: f32) -> f32 {
        let rest = 1.0 - self.lambda - self.anchor;
        self.lambda * result + self.anchor * classical + rest * searches
    }
}

/// The winning chance, 0 to 1, for a score in centipawns.
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
    fn weights_out_of_bounds_are_noticed() {
        let valid = |lambda, anchor, trace| Aim { lambda, anchor, trace }.is_valid();
        assert!(valid(0.0, 0.0, 0.0) && valid(0.5, 0.5, 1.0));
        assert!(!valid(f32::NAN, 0.0, 0.0) && !valid(0.0, f32::NAN, 0.0));
        assert!(!valid(-0.1, 0.5, 0.0) && !valid(0.6, 0.5, 0.0) && !valid(0.0, 0.0, 1.1));
        assert!(!valid(0.0, 0.0, f32::NAN) && !valid(0.0, 0.0, -0.1));
    }
}
