//! The positions to which the WDL model is fitted.

use crate::filter::is_quiet;
use crate::fit::Observation;
use crate::format::{Record, RecordError, ScoredPosition};
use heddle::score::Score;
use heddle::wdl::material;

/// Appends the quiet positions of a game to `observations`.
///
/// # Errors
/// [`RecordError`] at the first illegal move; the positions before it have been appended.
pub fn observe(record: &Record, observations: &mut Vec<Observation>) -> Result<(), RecordError> {
    record.walk(|scored| {
        if is_quiet(scored) {
            observations.push(observation(scored));
        }
    })
}

fn observation(scored: &ScoredPosition) -> Observation {
    let score = Score::eval(i32::from(scored.score));
    Observation { score, material: material(scored.position), result: scored.result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::GameResult;
    use heddle::position::Position;

    #[test]
    fn score_and_result_are_white_s_whoever_is_to_move() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        for position in [white, black] {
            let (best, result) = (position.legal_moves()[0], GameResult::WhiteWin);
            let scored = ScoredPosition { position: &position, best, score: 30, result, ply: 20 };
            let wanted = Observation { score: Score::new(30), material: 78, result };
            assert_eq!(observation(&scored), wanted);
        }
    }
}
