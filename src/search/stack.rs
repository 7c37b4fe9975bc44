//! The memory of every ply of the current line.

use crate::position::Move;
use crate::score::{MAX_PLY, Score};

use super::history::{ButterflyIndex, CONTINUATION_PLIES, Continuation, PieceTo};

/// Plies that lie before the root, so that looking back needs no test.
const BEFORE_ROOT: usize = 6;
/// Plies beyond the last, so that looking ahead needs no test.
const AFTER_LAST: usize = 3;

/// One ply of the line.
#[derive(Clone)]
pub struct Frame {
    /// The move being searched; [`PieceTo::NONE`] for a null move.
    pub piece_to: PieceTo,
    /// The place of the move being searched in the butterfly history, if it is quiet and the node
    /// is not one of quiescence.
    pub quiet: Option<ButterflyIndex>,
    /// The corrected static evaluation, `None` in check.
    pub eval: Option<Score>,
    /// Quiet moves that refuted a node at this ply.
    pub killers: Killers,
    /// Double extensions from the root to here.
    pub double_extensions: i32,
    /// Fail-highs at this ply since its grandparent was entered.
    pub cutoffs: i32,
    /// The principal variation from here.
    pub pv: Vec<Move>,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            piece_to: PieceTo::NONE,
            quiet: None,
            eval: None,
            killers: Killers::default(),
            double_extensions: 0,
            cutoffs: 0,
            pv: Vec::new(),
        }
    }
}

/// The frames of all plies, which last from search to search.
pub struct Stack(Box<[Frame; BEFORE_ROOT + MAX_PLY + AFTER_LAST]>);

impl Default for Stack {
    fn default() -> Self {
        Self(Box::new(std::array::from_fn(|_| Frame::default())))
    }
}

impl Stack {
    /// Forgets everything, but keeps the memory of the lines.
    pub fn reset(&mut self) {
        for frame in self.0.iter_mut() {
            let mut pv = std::mem::take(&mut frame.pv);
            pv.clear();
            *frame = Frame { pv, ..Frame::default() };
        }
    }

    /// The frame of `ply`.
    pub fn at(&self, ply: usize) -> &Frame {
        &self.0[ply + BEFORE_ROOT]
    }

    /// The frame of `ply`.
    pub fn at_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[ply + BEFORE_ROOT]
    }

    /// The frame `back` plies before `ply`, at most six.
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[ply + BEFORE_ROOT - back]
    }

    /// The moves that led to the node at `ply`: the indices of the continuation histories.
    pub fn continuation(&self, ply: usize) -> Continuation {
        CONTINUATION_PLIES.map(|back| self.before(ply, back).piece_to)
    }

    /// `eval`, of the node at `ply`, is better than at the side to move's last turn, or at the one
    /// before if it was in check then. Source: Stockfish.
    pub fn is_improving(&self, ply: usize, eval: Option<Score>) -> bool {
        let earlier = self.before(ply, 2).eval.or(self.before(ply, 4).eval);
        eval.zip(earlier).is_some_and(|(now, then)| now > then)
    }

    /// Copies the counters that continue along the line from the ply before.
    pub fn inherit(&mut self, ply: usize) {
        self.at_mut(ply).double_extensions = self.before(ply, 1).double_extensions;
    }

    /// Clears what the children of a node at `ply` share: cousins have left it behind.
    pub fn prepare_children(&mut self, ply: usize) {
        if ply == 0 {
            // The root has no grandparent that would do it.
            self.at_mut(1).cutoffs = 0;
        }
        self.at_mut(ply + 1).killers = Killers::default();
        self.at_mut(ply + 2).cutoffs = 0;
    }

    /// Makes `m`, followed by the line of the next ply, the line of `ply`.
    pub fn raise_pv(&mut self, ply: usize, m: Move) {
        let (here, next) = self.0.split_at_mut(ply + BEFORE_ROOT + 1);
        let pv = &mut here[ply + BEFORE_ROOT].pv;
        pv.clear();
        pv.push(m);
        pv.extend_from_slice(&next[0].pv);
    }
}

/// The last two quiet moves that refuted a node at one ply, newest first.
///
/// Source: S. Akl and M. Newborn, 1977; P. Verhelst, "Chess Tree Search", 1997.
#[derive(Copy, Clone, Debug, Default)]
pub struct Killers([Option<Move>; 2]);

impl Killers {
    /// Makes `m` the newest.
    pub fn add(&mut self, m: Move) {
        if self.0[0] != Some(m) {
            self.0 = [Some(m), self.0[0]];
        }
    }

    /// Newest first.
    pub fn get(self) -> [Option<Move>; 2] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    #[test]
    fn a_side_improves_on_its_last_turn() {
        let mut stack = Stack::default();
        let improves =
            |stack: &Stack, eval: Option<i32>| stack.is_improving(6, eval.map(Score::new));
        for (two_before, four_before) in [(Some(10), Some(90)), (None, Some(10))] {
            stack.at_mut(4).eval = two_before.map(Score::new);
            stack.at_mut(2).eval = four_before.map(Score::new);
            assert!(improves(&stack, Some(11)) && !improves(&stack, Some(10)));
        }
        assert!(!improves(&stack, None), "in check");
        stack.at_mut(2).eval = None;
        assert!(!improves(&stack, Some(10)), "nothing before");
    }

    #[test]
    fn each_search_of_the_root_counts_cutoffs_anew() {
        let mut stack = Stack::default();
        for ply in 0..4 {
            stack.at_mut(ply).cutoffs = 9;
        }
        stack.prepare_children(0);
        assert_eq!([1, 2, 3].map(|ply| stack.at(ply).cutoffs), [0, 0, 9]);
        stack.at_mut(1).cutoffs = 9;
        stack.prepare_children(1);
        assert_eq!([1, 3].map(|ply| stack.at(ply).cutoffs), [9, 0]);
    }

    #[test]
    fn killers_are_two_and_distinct() {
        let position = Position::default();
        let moves = position.legal_moves();
        let mut killers = Killers::default();
        for m in [moves[0], moves[1], moves[1], moves[2]] {
            killers.add(m);
        }
        assert_eq!(killers.get(), [Some(moves[2]), Some(moves[1])]);
    }
}
