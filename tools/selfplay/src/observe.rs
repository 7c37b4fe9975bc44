//! The positions of games that the model of the chances is fitted to.

use crate::filter::is_quiet;
use crate::fit::Observation;
use crate::format::{Record, RecordError, Sample};
use heddle::score::Score;
use heddle::wdl::material;

/// Appends the quiet positions of a game to `observations`.
///
/// # Errors
/// [`RecordError`], at the first illegal move; the positions before it have been appended.
pub fn observe(record: &Record, observations: &mut Vec<Observation>) -> Result<(), RecordError> {
    record.walk(|sample| {
        if is_quiet(sample) {
            observations.push(observation(sample));
        }
    })
}

fn observation(sample: &Sample) -> Observation {
    let score = Score::eval(i32::from(sample.score));
    Observation { score, material: material(sample.position), result: sample.result }
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
            let sample = Sample { position: &position, best, score: 30, result, ply: 20 };
            let wanted = Observation { score: Score::new(30), material: 78, result };
            assert_eq!(observation(&sample), wanted);
        }
    }
}
