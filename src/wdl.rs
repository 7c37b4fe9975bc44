//! From a score to the chances of winning, drawing and losing.
//!
//! The chance of a win is a logistic function of the score, as in Elo's scale and in Stockfish's
//! win-rate model. Its centre `a`, the score that wins every other game, and its spread `b` are in
//! centipawns, and both are polynomials of the material on the board. A loss is the other side's
//! win and a draw what remains, so the model is symmetric; `a > 0` keeps every chance positive.
//!
//! Scores are shown in units of the centre ([`WdlModel::normalised`]), so that they mean the same
//! in any phase of the game.

use crate::position::{Color, Position, Role};
use crate::score::Score;

/// Coefficients of a polynomial in the material, the constant first.
pub type Polynomial = [f64; 3];

/// The material at which the polynomials' variable is 1; typical of the middlegame.
const UNIT: f64 = 58.0;
/// The material is clamped to this range: there were too few games outside it for a fit.
const RANGE: std::ops::RangeInclusive<u32> = 10..=78;
/// The smallest centre and spread, in centipawns, whatever the polynomials say.
const LEAST: f64 = 1.0;
/// Certainty, in per mille.
const ALL: u32 = 1000;

/// Chances in per mille, which sum to 1000.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Chances {
    /// The side to move wins.
    pub win: u32,
    /// The game is drawn.
    pub draw: u32,
    /// The side to move loses.
    pub loss: u32,
}

/// The chances of White's win, a draw and Black's win, by [`MODEL`]: `score` is that of the side to
/// move in `position`.
pub fn whites(score: Score, position: &Position) -> Chances {
    let Chances { win, draw, loss } = MODEL.chances(score, material(position));
    let (win, loss) = position.turn().fold_wb((win, loss), (loss, win));
    Chances { win, draw, loss }
}

/// The model's coefficients.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct WdlModel {
    /// The centre: the score in centipawns at which a win is as likely as not.
    pub a: Polynomial,
    /// The spread, in centipawns.
    pub b: Polynomial,
}

/// The model that normalises scores and that `UCI_ShowWDL` shows, fitted by `heddle data fit-wdl`
/// to 62 208 quiet positions of 731 games that the engine played against itself with network 21
/// and 5000 nodes per move. Two games in five were drawn. The chances are those of such play;
/// longer games or another evaluation would give other coefficients.
pub const MODEL: WdlModel = WdlModel { a: [182.33, -185.79, 74.45], b: [33.21, 37.28, -7.39] };

/// The material on the board: a pawn counts 1, a knight or bishop 3, a rook 5, a queen 9; 78 at the
/// start of a game.
pub fn material(position: &Position) -> u32 {
    const VALUES: [(Role, usize); 5] =
        [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    let side = |color| VALUES.map(|(role, value)| position.pieces(color, role).count() * value);
    Color::ALL.map(side).as_flattened().iter().sum::<usize>() as u32
}

/// The material as the variable of the polynomials.
pub fn variable(material: u32) -> f64 {
    f64::from(material.clamp(*RANGE.start(), *RANGE.end())) / UNIT
}

fn evaluate(polynomial: &Polynomial, x: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The logistic function: the chance, 0 to 1, at `x` spreads above the centre.
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl WdlModel {
    /// Centre and spread for this material, in centipawns.
    pub fn at(&self, material: u32) -> (f64, f64) {
        let x = variable(material);
        (evaluate(&self.a, x).max(LEAST), evaluate(&self.b, x).max(LEAST))
    }

    /// The score to show, in centipawns, where 100 win every other game with this material. Proved
    /// scores stay as they are, and an advantage is never shown as 0. Stockfish normalises scores
    /// the same way.
    pub fn normalised(&self, score: Score, material: u32) -> i32 {
        const EVEN_CHANCE: f64 = 100.0;
        if score.is_decisive() {
            return score.get();
        }
        let centipawns = f64::from(score.get()) * EVEN_CHANCE / self.at(material).0;
        let rounded = centipawns.abs().ceil().copysign(centipawns);
        (rounded as i32).clamp(-Score::MAX_EVAL.get(), Score::MAX_EVAL.get())
    }

    /// The chances of the side to move, whose score is `score`. A proved score is certain.
    pub fn chances(&self, score: Score, material: u32) -> Chances {
        if score.is_decisive() {
            let win = if score.is_win() { ALL } else { 0 };
            return Chances { win, draw: 0, loss: ALL - win };
        }
        let (a, b) = self.at(material);
        let rate = |centipawns: i32| {
            let chance = logistic((f64::from(centipawns) - a) / b);
            (chance * f64::from(ALL)).round() as u32
        };
        let (win, loss) = (rate(score.get()), rate(-score.get()));
        // The exact chances sum to less than one, as `a > 0`; rounded ones may exceed it.
        Chances { win, draw: ALL.saturating_sub(win + loss), loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_counted_on_both_sides() {
        assert_eq!(material(&Position::default()), 78);
        assert_eq!(material(&Position::from_fen("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1").unwrap()), 6);
    }

    #[test]
    fn chances_sum_to_a_thousand_and_mirror_the_other_sides() {
        for material in 0..=100 {
            for centipawns in (-30_000..=30_000).step_by(37) {
                let wdl = MODEL.chances(Score::new(centipawns), material);
                assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{centipawns} {material}");
                let other = MODEL.chances(Score::new(-centipawns), material);
                assert_eq!((wdl.win, wdl.loss), (other.loss, other.win));
            }
        }
    }

    #[test]
    fn a_better_score_never_wins_less_or_loses_more() {
        for material in [0, 10, 24, 40, 58, 78] {
            let chances = |centipawns| MODEL.chances(Score::new(centipawns), material);
            for centipawns in -2000..2000 {
                let (worse, better) = (chances(centipawns), chances(centipawns + 1));
                assert!(worse.win <= better.win && worse.loss >= better.loss);
            }
            assert!(chances(0).draw > 0 && chances(2000).win > 900);
        }
    }

    #[test]
    fn a_normalised_score_of_100_wins_every_other_game() {
        for material in [10, 24, 40, 58, 78] {
            let shown = |centipawns| MODEL.normalised(Score::new(centipawns), material);
            let even = (0..1000).find(|&score| shown(score) >= 100).unwrap();
            let win = MODEL.chances(Score::new(even), material).win;
            assert!((490..=510).contains(&win), "{win} at {even} with {material}");
            assert!((-3000..3000).all(|score| shown(score) <= shown(score + 1)));
            assert!([1, 7, 500].into_iter().all(|score| shown(-score) == -shown(score)));
            assert!(shown(0) == 0 && shown(1) > 0);
        }
        assert_eq!(MODEL.normalised(Score::TABLEBASE_WIN, 6), Score::TABLEBASE_WIN.get());
        assert!(!Score::new(MODEL.normalised(Score::MAX_EVAL, 58)).is_decisive());
    }

    #[test]
    fn a_proved_score_is_certain() {
        for score in [Score::mate_in(1), Score::mate_in(99), Score::TABLEBASE_WIN] {
            assert_eq!(MODEL.chances(score, 50), Chances { win: 1000, draw: 0, loss: 0 });
            assert_eq!(MODEL.chances(-score, 50), Chances { win: 0, draw: 0, loss: 1000 });
        }
        assert!(MODEL.chances(Score::MAX_EVAL, 50).win > 990);
    }

    #[test]
    fn whites_chances_are_the_other_side_s_when_black_is_to_move() {
        let position = Position::default();
        let black = position.play(position.parse_move("e2e4").unwrap());
        assert_eq!(whites(Score::mate_in(3), &position).win, ALL);
        assert_eq!(whites(Score::mate_in(3), &black).loss, ALL);
    }
}
