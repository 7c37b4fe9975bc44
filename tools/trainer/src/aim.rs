//! The training target of a position: a mixture of the game's result, the evaluations of teachers
//! and the search scores.
//!
//! The search of the position itself is shallow; the searches of later plies know what became of
//! it. So they count as well, each less than the one before, and the last for all that would
//! follow: this is the λ-return of temporal differences. Source: R. Sutton, "Learning to Predict
//! by the Methods of Temporal Differences", 1988; for chess J. Baxter, A. Tridgell and L. Weaver,
//! "KnightCap", 1998.

use heddle::position::{Color, Position};
use heddle::search::static_eval::scaled;
use heddle_selfplay::{Record, RecordError, is_quiet};

use crate::committee::Committee;
use crate::logistic::chance;

/// The weight of each part of the mixture.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The weight of the game's result, 0 to 1.
    pub lambda: f32,
    /// The weight of the teachers' evaluation, 0 to 1 − `lambda`; the searches get the rest.
    pub anchor: f32,
    /// The teachers.
    pub teachers: Committee,
    /// The weight of all later searches together, 0 to 1; the position's own search gets the rest.
    pub trace: f32,
    /// Centipawns that multiply the odds of a score by e.
    pub logistic: f32,
}

impl Aim {
    /// Whether all weights are from 0 to 1, including that of the searches, and the logistic is
    /// positive.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        [self.lambda, self.anchor, self.lambda + self.anchor, self.trace]
            .iter()
            .all(|weight| (0.0..=1.0).contains(weight))
            && self.logistic > 0.0
    }

    /// Replaces each of White's chances, one for each ply's search, by its mean with all later
    /// searches, weighted by [`Aim::trace`]. The last one stands for all that would follow, so that
    /// a position searched on its own keeps its score.
    pub fn look_ahead(&self, chances: &mut [f32]) {
        let Some(&(mut later)) = chances.last() else { return };
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
        &self,
        record: &Record,
        mut visit: impl FnMut(&Position),
    ) -> Result<Vec<f32>, RecordError> {
        let result = f32::from(record.result() as u8) / 2.0;
        let mut chances = Vec::new(); // White's, from the search of every ply
        let mut chosen = Vec::new();
        record.walk(|found| {
            if is_quiet(found) {
                let turn = found.position.turn();
                let taught = match self.anchor {
                    0.0 => 0.0, // it does not count
                    _ => self.taught(found.position),
                };
                chosen.push((chances.len(), turn, turn.fold_wb(taught, 1.0 - taught)));
                visit(found.position);
            }
            chances.push(chance(found.score, self.logistic));
        })?;
        self.look_ahead(&mut chances);
        let target = |(ply, turn, taught): (usize, Color, f32)| {
            let white = self.mix(result, taught, chances[ply]);
            turn.fold_wb(white, 1.0 - white)
        };
        Ok(chosen.into_iter().map(target).collect())
    }

    /// The chance that the teachers give the side to move; they count their scores as the search
    /// does.
    fn taught(&self, position: &Position) -> f32 {
        let score = scaled(self.teachers.evaluate(position), position);
        chance(score.get() as i16, self.logistic) // within MAX_EVAL, which fits
    }

    /// The mixture, of the chances of one side.
    #[must_use]
    pub fn mix(&self, result: f32, taught: f32, searches: f32) -> f32 {
        let rest = 1.0 - self.lambda - self.anchor;
        self.lambda * result + self.anchor * taught + rest * searches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_search() -> Aim {
        let teachers = Committee::default();
        Aim { lambda: 0.0, anchor: 0.0, teachers, trace: 0.0, logistic: 200.0 }
    }

    fn close(found: f32, wanted: f32) {
        assert!((found - wanted).abs() < 1e-6, "{found}, not {wanted}");
    }

    #[test]
    fn the_target_mixes_result_evaluation_and_search() {
        let mix = |lambda, anchor| Aim { lambda, anchor, ..own_search() }.mix(1.0, 0.2, 0.6);
        close(mix(1.0, 0.0), 1.0);
        close(mix(0.0, 0.0), 0.6);
        close(mix(0.0, 1.0), 0.2);
        close(mix(0.25, 0.25), 0.25 + 0.25 * 0.2 + 0.5 * 0.6);
    }

    #[test]
    fn later_searches_count_less_and_less() {
        let ahead = |trace| {
            let mut chances = [0.5, 0.9, 0.1];
            Aim { trace, ..own_search() }.look_ahead(&mut chances);
            chances
        };
        assert_eq!(ahead(0.0), [0.5, 0.9, 0.1]);
        assert_eq!(ahead(1.0), [0.1; 3]);
        close(ahead(0.5)[0], 0.5 * 0.5 + 0.25 * 0.9 + 0.25 * 0.1);
        close(ahead(0.5)[2], 0.1);
    }

    #[test]
    fn weights_out_of_bounds_are_noticed() {
        let valid =
            |lambda, anchor, trace| Aim { lambda, anchor, trace, ..own_search() }.is_valid();
        assert!(valid(0.0, 0.0, 0.0) && valid(0.5, 0.5, 1.0));
        assert!(!valid(f32::NAN, 0.0, 0.0) && !valid(0.0, f32::NAN, 0.0));
        assert!(!valid(-0.1, 0.5, 0.0) && !valid(0.6, 0.5, 0.0) && !valid(0.0, 0.0, 1.1));
        assert!(!valid(0.0, 0.0, f32::NAN) && !valid(0.0, 0.0, -0.1));
    }
}
