//! The positions of games as the model of chances is fitted to them.

use crate::filter::is_quiet;
use crate::fit::{Ending, Observation};
use crate::format::{Record, RecordError, Sample, Wdl};
use heddle::position::Color;
use heddle::score::Score;
use heddle::wdl::material;

/// Appends the quiet positions of a game to `observations`.
///
/// # Errors
/// [`RecordError`], if the game breaks the rules of chess; those before are appended.
pub fn observe(record: &Record, observations: &mut Vec<Observation>) -> Result<(), RecordError> {
    record.walk(|sample| {
        if is_quiet(sample) {
            observations.push(observation(sample));
        }
    })
}

/// A position from the side of the player to move.
fn observation(sample: &Sample) -> Observation {
    let turn = sample.position.turn();
    let score = i32::from(sample.score);
    let score = Score::eval(turn.fold_wb(score, -score));
    let result = match sample.result {
        Wdl::Draw => Ending::Draw,
        Wdl::WhiteWin if turn == Color::White => Ending::Win,
        Wdl::BlackWin if turn == Color::Black => Ending::Win,
        Wdl::WhiteWin | Wdl::BlackWin => Ending::Loss,
    };
    Observation { score, material: material(sample.position), result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::position::Position;

    #[test]
    fn a_position_is_seen_by_the_side_to_move() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        let seen = |position: &Position, score, result| {
            let best = position.legal_moves()[0];
            observation(&Sample { position, best, score, result, ply: 20 })
        };
        let found = seen(&white, 30, Wdl::WhiteWin);
        let wanted = Observation { score: Score::new(30), material: 78, result: Ending::Win };
        assert_eq!(found, wanted);
        let found = seen(&black, 30, Wdl::WhiteWin);
        let wanted = Observation { score: Score::new(-30), result: Ending::Loss, ..wanted };
        assert_eq!(found, wanted);
        assert_eq!(seen(&black, 0, Wdl::BlackWin).result, Ending::Win);
        assert_eq!(seen(&black, 0, Wdl::Draw).result, Ending::Draw);
    }
}
