//! Endgame tables within the search.

use crate::position::Position;
use crate::score::{Depth, MAX_PLY, Score};
use crate::syzygy::{Probing, Ranking, Tablebases, Wdl};
use crate::tt::Bound;

use super::mode::Mode;
use super::node::{Node, answers};
use super::window::Window;
use super::worker::Search;
use super::{Shared, Task, params};

/// What a result that the fifty-move rule takes away is worth, in centipawns.
const CURSED: i32 = 2;

/// The tables as the inner nodes of one search probe them.
#[derive(Copy, Clone)]
pub(super) struct Prober<'a> {
    tables: &'a Tablebases,
    probing: Probing,
    /// Pieces up to which there are tables to be probed.
    pieces: usize,
}

impl<'a> Prober<'a> {
    /// `None` where there is nothing to probe, or where the ranking of the root's moves suffices.
    pub fn new(shared: &'a Shared, task: &Task) -> Option<Self> {
        let tables = shared.tablebases.as_ref();
        let pieces = tables.max_pieces().min(task.probing.limit);
        let suffices = task.ranking.as_ref().is_some_and(Ranking::suffices);
        let probes = pieces > 0 && !task.plain && !suffices;
        probes.then_some(Self { tables, probing: task.probing, pieces })
    }

    /// The result, if the tables have it. Only after a capture or a pawn move: later, the
    /// fifty-move rule could make it another.
    fn probe(&self, position: &Position, depth: Depth) -> Option<Wdl> {
        let pieces = position.occupied().count();
        let wanted = (pieces < self.pieces || pieces == self.pieces && depth >= self.probing.depth)
            && position.halfmove_clock() == 0
            && !position.has_castling_rights();
        if wanted { self.tables.wdl(position) } else { None }
    }
}

impl<M: Mode> Search<'_, M> {
    /// Tablebase cutoff: the tables' result stands for a search where it answers the window's
    /// question. On the principal variation, a result that does not is a bound on what the search
    /// may find: there can be a mate behind a win. Sources: K. Thompson, "Retrograde Analysis of
    /// Certain Endgames", 1986; R. de Man, 2013; in this form, Stockfish.
    pub fn tablebase_cutoff<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        node: &mut Node,
    ) -> Option<Score> {
        let prober = self.prober?;
        if ply == 0 || node.excluded.is_some() {
            return None;
        }
        let wdl = prober.probe(position, node.depth)?;
        self.shared.table_hits.add(self.index, 1);
        let (score, bound) = value(wdl, ply, prober.probing);
        if answers(score, bound, window) {
            let depth = (node.depth + params::TABLEBASE_DEPTH.get()).min(MAX_PLY as Depth);
            let proved = Node { depth, ..*node };
            self.store(position, ply, &proved, None, score, bound);
            return Some(score);
        }
        if PV {
            match bound {
                Bound::Lower => node.floor = score,
                Bound::Upper => node.ceiling = score,
                Bound::Exact => {} // answers every window
            }
        }
        None
    }
}

/// A result as a score, and what it says: there may be a mate nearer than a win that the tables
/// know of.
fn value(wdl: Wdl, ply: usize, probing: Probing) -> (Score, Bound) {
    let win = Score::tablebase_win_in(ply);
    match wdl {
        Wdl::Win => (win, Bound::Lower),
        Wdl::Loss => (-win, Bound::Upper),
        Wdl::CursedWin if !probing.fifty_moves => (win, Bound::Lower),
        Wdl::BlessedLoss if !probing.fifty_moves => (-win, Bound::Upper),
        Wdl::CursedWin => (Score::DRAW + CURSED, Bound::Exact),
        Wdl::BlessedLoss => (Score::DRAW + -CURSED, Bound::Exact),
        Wdl::Draw => (Score::DRAW, Bound::Exact),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_worth_the_more_the_nearer_it_is() {
        let probing = Probing::default();
        let (near, bound) = value(Wdl::Win, 2, probing);
        assert_eq!(bound, Bound::Lower);
        assert!(near > value(Wdl::Win, 3, probing).0);
        assert!(value(Wdl::Win, MAX_PLY, probing).0.is_win());
        assert!(!near.is_mate());
        assert_eq!(value(Wdl::Loss, 2, probing), (-near, Bound::Upper));
    }

    #[test]
    fn without_the_fifty_move_rule_a_cursed_win_is_a_win() {
        let probing = Probing::default();
        assert_eq!(value(Wdl::CursedWin, 4, probing), (Score::new(CURSED), Bound::Exact));
        assert_eq!(value(Wdl::BlessedLoss, 4, probing), (Score::new(-CURSED), Bound::Exact));
        let ignoring = Probing { fifty_moves: false, ..probing };
        for (cursed, real) in [(Wdl::CursedWin, Wdl::Win), (Wdl::BlessedLoss, Wdl::Loss)] {
            assert_eq!(value(cursed, 4, ignoring), value(real, 4, probing));
        }
    }
}
