//! Judges a move by the winning chances that it lost.
//!
//! The chances are the score to expect, a win counting 1 and a draw a half, by the engine's model
//! of wins, draws and losses. A move loses what the side to move could expect before it less what
//! it can expect after it.

use heddle::position::{Move, Position};
use heddle::wdl::{self, MODEL};

use crate::evaluate::Evaluation;

/// The greatest advantage that counts towards the average loss, in centipawns, as is usual: beyond
/// it, the game is decided.
const MAX_CENTIPAWNS: i32 = 1000;

/// What is wrong with a move.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Glyph {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Glyph {
    /// Every glyph, the mildest first.
    pub const ALL: [Self; 3] = [Self::Inaccuracy, Self::Mistake, Self::Blunder];

    /// The least loss for this glyph, in percent.
    fn threshold(self) -> f64 {
        match self {
            Self::Inaccuracy => 5.0,
            Self::Mistake => 10.0,
            Self::Blunder => 20.0,
        }
    }

    /// The glyph for a loss in percent, if it deserves one. The loss counts as it is shown,
    /// rounded.
    pub fn of(loss: f64) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|glyph| loss.round() >= glyph.threshold())
    }

    /// The numeric annotation glyph of PGN.
    pub fn nag(self) -> u32 {
        match self {
            Self::Inaccuracy => 6,
            Self::Mistake => 2,
            Self::Blunder => 4,
        }
    }

    /// As it stands behind a move.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inaccuracy => "Inaccuracy",
            Self::Mistake => "Mistake",
            Self::Blunder => "Blunder",
        }
    }

    /// The plural, in lower case.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Inaccuracy => "inaccuracies",
            Self::Mistake => "mistakes",
            Self::Blunder => "blunders",
        }
    }
}

/// What a move lost.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Loss {
    /// Winning chances, in percent.
    pub chances: f64,
    /// Evaluation, in centipawns as they are shown.
    pub centipawns: i32,
}

impl Loss {
    const NONE: Self = Self { chances: 0.0, centipawns: 0 };

    /// What `played` lost, which led from one position with its evaluation to the other.
    pub fn of(
        played: Move,
        (before, expected): (&Position, &Evaluation),
        (after, found): (&Position, &Evaluation),
    ) -> Self {
        // The two searches differ even after the best move, but that is not the fault of the
        // player.
        if expected.line.first() == Some(&played) {
            return Self::NONE;
        }
        let chances = expected.expected(before) - (1.0 - found.expected(after));
        let centipawns = shown(expected, before) + shown(found, after);
        Self { chances: (100.0 * chances).max(0.0), centipawns: centipawns.max(0) }
    }

    /// How good the move was, from 0 to 100: the curve that Lichess uses
    /// (<https://lichess.org/page/accuracy>), rounded.
    pub fn accuracy(self) -> f64 {
        (103.17 * (-0.04354 * self.chances).exp() - 3.17).clamp(0.0, 100.0)
    }
}

/// The score in centipawns as it is shown, for the side to move, within the bounds that count.
fn shown(evaluation: &Evaluation, position: &Position) -> i32 {
    let centipawns = MODEL.normalised(evaluation.score, wdl::material(position));
    centipawns.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::score::Score;

    #[test]
    fn a_loss_gets_the_usual_glyph() {
        for (loss, glyph) in [
            (0.0, None),
            (4.4, None),
            (4.5, Some(Glyph::Inaccuracy)),
            (9.4, Some(Glyph::Inaccuracy)),
            (10.0, Some(Glyph::Mistake)),
            (19.4, Some(Glyph::Mistake)),
            (20.0, Some(Glyph::Blunder)),
            (100.0, Some(Glyph::Blunder)),
        ] {
            assert_eq!(Glyph::of(loss), glyph, "{loss}");
        }
        assert_eq!(Glyph::ALL.map(Glyph::nag), [6, 2, 4]);
    }

    #[test]
    fn accuracy_falls_with_the_loss_and_stays_a_percentage() {
        let accuracy = |chances| Loss { chances, centipawns: 0 }.accuracy();
        assert!((accuracy(0.0) - 100.0).abs() < 0.01 && accuracy(100.0) < 1.0);
        assert!((0..100).all(|loss| accuracy(f64::from(loss)) >= accuracy(f64::from(loss + 1))));
    }

    fn loss(before: Score, after: Score, is_best: bool) -> Loss {
        let start = Position::default();
        let [e4, d4] = ["e4", "d4"].map(|san| start.parse_san(san).unwrap());
        let evaluation = |score, line| Evaluation { score, depth: 9, line };
        let expected = evaluation(before, vec![if is_best { e4 } else { d4 }]);
        Loss::of(e4, (&start, &expected), (&start.play(e4), &evaluation(after, vec![])))
    }

    #[test]
    fn a_move_loses_what_the_other_side_gains() {
        let found = loss(Score::DRAW, Score::new(500), false);
        assert!(found.chances > 20.0 && found.centipawns > 100, "{found:?}");
        assert!(loss(Score::mate_in(3), Score::mate_in(4), false).chances > 99.0);
    }

    #[test]
    fn the_best_move_a_better_one_than_expected_and_a_longer_mate_lose_nothing() {
        assert_eq!(loss(Score::DRAW, Score::new(500), true), Loss::NONE);
        assert_eq!(loss(Score::DRAW, Score::new(-300), false), Loss::NONE);
        assert_eq!(loss(Score::mate_in(3), Score::mated_in(8), false), Loss::NONE);
    }

    #[test]
    fn a_lost_mate_costs_ten_pawns_at_most() {
        assert_eq!(loss(Score::mate_in(3), Score::DRAW, false).centipawns, MAX_CENTIPAWNS);
    }
}
