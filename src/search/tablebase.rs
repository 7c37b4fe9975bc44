//! Endgame tables within the search.

use crate::score::{Depth, MAX_PLY, Score};
use crate::syzygy::{Probing, TbResult};
use crate::tt::Bound;

use super::mode::Mode;
use super::node::{Facts, Node, NodeType};
use super::params;
use super::worker::Search;

/// The score in centipawns of a win that the fifty-move rule makes a draw.
const CURSED: i32 = 2;

impl<M: Mode> Search<'_, M> {
    /// Tablebase cutoff: the tables' result stands for a search where it settles the window. On the
    /// principal variation, a result that does not bounds what the search may find: there can be a
    /// mate behind a win. Sources: K. Thompson, "Retrograde Analysis of
    /// Certain Endgames", 1986; R. de Man, 2013; in this form, Stockfish.
    pub fn tb_cutoff<N: NodeType>(&mut self, node: &Node<'_>, facts: &mut Facts) -> Option<Score> {
        let prober = self.prober?;
        if N::ROOT || node.excluded.is_some() {
            return None;
        }
        let result = prober.probe(node.position, node.depth)?;
        self.run.board.count_tb_hits(self.index, 1);
        let (score, bound) = value(result, node.ply, prober.probing());
        if node.window.is_settled_by(score, bound) {
            let depth = (node.depth + params::TB_DEPTH.get()).min(MAX_PLY as Depth);
            self.store(node, facts.entry(depth, None, Some((score, bound))));
            return Some(score);
        }
        if N::PV {
            match bound {
                Bound::Lower => facts.floor = score,
                Bound::Upper => facts.ceiling = score,
                Bound::Exact => {} // settles every window
            }
        }
        None
    }
}

/// A result as a score and its bound: behind a win there may be a mate, which the tables do not
/// know of.
fn value(result: TbResult, ply: usize, probing: Probing) -> (Score, Bound) {
    let win = Score::tablebase_win_in(ply);
    match result {
        TbResult::Win => (win, Bound::Lower),
        TbResult::Loss => (-win, Bound::Upper),
        TbResult::CursedWin if !probing.fifty_moves => (win, Bound::Lower),
        TbResult::BlessedLoss if !probing.fifty_moves => (-win, Bound::Upper),
        TbResult::CursedWin => (Score::DRAW + CURSED, Bound::Exact),
        TbResult::BlessedLoss => (Score::DRAW + -CURSED, Bound::Exact),
        TbResult::Draw => (Score::DRAW, Bound::Exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_worth_the_more_the_nearer_it_is() {
        let probing = Probing::default();
        let (near, bound) = value(TbResult::Win, 2, probing);
        assert_eq!(bound, Bound::Lower);
        assert!(near > value(TbResult::Win, 3, probing).0);
        assert!(value(TbResult::Win, MAX_PLY, probing).0.is_win());
        assert!(!near.is_mate());
        assert_eq!(value(TbResult::Loss, 2, probing), (-near, Bound::Upper));
    }

    #[test]
    fn without_the_fifty_move_rule_a_cursed_win_is_a_win() {
        let probing = Probing::default();
        assert_eq!(value(TbResult::CursedWin, 4, probing), (Score::new(CURSED), Bound::Exact));
        assert_eq!(value(TbResult::BlessedLoss, 4, probing), (Score::new(-CURSED), Bound::Exact));
        let ignoring = Probing { fifty_moves: false, ..probing };
        for (cursed, real) in
            [(TbResult::CursedWin, TbResult::Win), (TbResult::BlessedLoss, TbResult::Loss)]
        {
            assert_eq!(value(cursed, 4, ignoring), value(real, 4, probing));
        }
    }
}
