//! The static evaluation as the search uses it.
//!
//! The transposition table keeps the raw evaluation, which depends on the pieces alone. What
//! depends on the line, the fifty-move clock and what the corrections have learnt, is applied at
//! each use.

use crate::eval;
use crate::position::{Position, Role};
use crate::score::Score;

use super::correction::CorrectionIndex;
use super::node::Node;
use super::shared::Shared;
use super::worker::Search;
use super::{params, see};

/// The unit of factors: 1024ths.
const ONE: i32 = 1024;
/// Centipawns of all pieces and pawns at the start of a game.
const FULL_MATERIAL: i32 = 2
    * (8 * see::value(Role::Pawn)
        + 2 * see::value(Role::Knight)
        + 2 * see::value(Role::Bishop)
        + 2 * see::value(Role::Rook)
        + see::value(Role::Queen));

impl Search<'_> {
    /// The raw evaluation, from the transposition table if it is there; `None` in check.
    pub fn raw_eval(&mut self, node: &Node<'_>) -> Option<Score> {
        let known = || node.tt_entry.and_then(|entry| entry.eval);
        let evaluator = &mut self.own.evaluator;
        (!node.position.is_check())
            .then(|| known().unwrap_or_else(|| evaluator.evaluate(node.position, node.ply)))
    }

    /// The correction history's entries for `position`, at `ply`.
    #[inline]
    pub fn correction_index(&self, position: &Position, ply: usize) -> CorrectionIndex {
        let previous = [1, 2].map(|back| self.own.stack.before(ply, back).piece_to);
        CorrectionIndex::new(position, previous)
    }

    /// The evaluation of `position`: `raw`, scaled and corrected.
    pub fn static_eval(&self, position: &Position, index: CorrectionIndex, raw: Score) -> Score {
        let Shared { correction, observer, .. } = self.shared;
        correction.apply(index, scaled(raw, position), observer)
    }

    /// The uncorrected evaluation, for a node that is not searched.
    pub fn leaf_eval(&mut self, node: &Node<'_>) -> Score {
        scaled(self.own.evaluator.evaluate(node.position, node.ply), node.position)
    }
}

/// A `raw` evaluation of `position` on the scale of the search's margins, faded by the fifty-move
/// clock. The fewer pieces are left, the less an advantage counts: the side that is ahead should
/// keep them. Source: Stockfish.
pub fn scaled(raw: Score, position: &Position) -> Score {
    let board = position.board();
    let material: i32 = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
        .into_iter()
        .map(|role| see::value(role) * board.by_role(role).count() as i32)
        .sum();
    let missing = (FULL_MATERIAL - material).max(0);
    let left = ONE - params::material_fade() * missing / FULL_MATERIAL;
    let scaled = raw.get() * params::eval_scale() / ONE * left / ONE;
    eval::faded(Score::eval(scaled), position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advantage_counts_for_less_with_fewer_pieces() {
        let of = |fen: &str| scaled(Score::new(200), &Position::from_fen(fen).unwrap());
        let full = of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let bare = of("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let all = 200 * params::eval_scale() / ONE;
        assert_eq!(full, Score::new(all));
        assert_eq!(bare, Score::new(all * (ONE - params::material_fade()) / ONE));
        let rooks = of("r3k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 0 1");
        assert!(bare < rooks && rooks < full);
        // Material beyond that of the initial position adds nothing.
        assert_eq!(of("qqqqkqqq/qqqqqqqq/8/8/8/8/8/Q3K3 w - - 0 1"), full);
    }
}
