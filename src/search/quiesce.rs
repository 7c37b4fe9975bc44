//! Quiescence: captures and queen promotions are searched until the position is quiet enough to be
//! evaluated. In check, evasions are searched: all of them until one is known not to lose, and from
//! then on only captures.
//!
//! After [`MAX_NODES`] of one quiescence search, positions that are not in check are only
//! evaluated, so that a board full of queens, where captures never seem to end, is searched all the
//! same.
//!
//! Source: P. Verhelst, "Chess Tree Search", 1997; stand pat, delta and SEE pruning as in the Chess
//! Programming Wiki.

use crate::position::{Move, PackedMove, Position, is_tactical};
use crate::score::Score;
use crate::tt::{Bound, Entry};

use super::node::{Node, NodeType, Window};
use super::picker::{Picker, REFUTATIONS, Wanted};
use super::pvs::no_moves;
use super::worker::Search;
use super::{Searched, params, see};

/// Nodes of one quiescence search after which positions that are not in check are evaluated as they
/// stand: some milliseconds, and far more than positions of real games take.
pub(super) const MAX_NODES: u64 = 8192;

/// The unit of [`params::fail_firm`].
const QUARTERS: i32 = 4;

impl Search<'_> {
    /// The value of a node once its position is quiet; its depth counts for nothing.
    pub fn quiesce<N: NodeType>(&mut self, node: &mut Node<'_>) -> Searched {
        self.quiescence_end = self.nodes + MAX_NODES;
        self.quiescence_node::<N>(node)
    }

    /// A node of the quiescence search.
    fn quiescence_node<N: NodeType>(&mut self, node: &mut Node<'_>) -> Searched {
        let Node { position, ply, .. } = *node;
        self.enter(ply)?;
        self.own.stack.at_mut(ply).pv.clear();
        if self.is_drawn(position) {
            return Ok(Score::DRAW);
        }
        if node.is_too_deep() {
            return Ok(self.leaf_eval(node));
        }
        let asked = node.window;
        let tt_entry = self.probe(node);
        node.tt_entry = tt_entry;
        if !N::PV
            && let Some((score, bound)) = tt_entry.and_then(|entry| entry.score)
            && asked.is_settled_by(score, bound)
        {
            return Ok(score);
        }
        let in_check = position.is_check();
        let raw = self.raw_eval(node);
        let mut best = raw.map_or(-Score::INFINITE, |raw| self.stand_pat(node, raw));
        let is_exhausted = !in_check && self.nodes > self.quiescence_end;
        if best >= asked.beta || is_exhausted {
            if tt_entry.is_none() {
                self.store(node, entry(raw, None, (best, Bound::Lower), N::PV));
            }
            return Ok(best);
        }
        node.window.alpha = asked.alpha.max(best);
        let futility = best + params::delta_margin();
        let wanted = if in_check { Wanted::All } else { Wanted::Tactical(0) };
        if in_check {
            node.continuation = self.own.stack.continuation(ply);
        }
        let tt_move = tt_entry
            .and_then(|entry| self.tt_move(position, entry))
            .filter(|m| in_check || is_tactical(*m));
        let mut picker = Picker::new(wanted, tt_move, [None; REFUTATIONS]);
        let mut best_move = None;
        while let Some(picked) = picker.next(node, &self.shared) {
            let m = picked.m;
            node.move_count += 1;
            if !in_check && !best.is_loss() {
                let score = self.futile_capture(node, m, futility);
                if let Some(score) = score {
                    best = best.max(score);
                    continue;
                }
            }
            if in_check && !best.is_loss() && !m.is_capture() {
                picker.skip_quiets();
                continue;
            }
            let child = self.play(node, picked);
            let searched = self.quiescence_node::<N>(&mut node.child(&child, node.window, 0));
            self.pop();
            let score = -searched?;
            if score > best {
                best = score;
                if score > node.window.alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.own.stack.raise_pv(ply, m);
                    }
                    if score >= asked.beta {
                        break;
                    }
                    node.window.alpha = score;
                }
            }
        }
        if in_check && node.move_count == 0 {
            return Ok(no_moves(node));
        }
        best = fail_firm(best, asked);
        let was_pv = N::PV || tt_entry.is_some_and(|entry| entry.was_pv);
        // Most moves have been left out, so the score is a bound.
        let bound = if best >= asked.beta { Bound::Lower } else { Bound::Upper };
        self.store(node, entry(raw, best_move, (best, bound), was_pv));
        Ok(best)
    }

    /// The score of a capture that is pruned: it cannot raise the evaluation to alpha, or it comes
    /// late and is no recapture. Source: Stockfish.
    fn futile_capture(&self, node: &Node<'_>, m: Move, futility: Score) -> Option<Score> {
        if m.is_promotion() || node.window.alpha.is_loss() {
            return None;
        }
        let recaptures = self.own.stack.before(node.ply, 1).piece_to.is_to(m.to());
        if node.move_count > params::quiescence_captures() as usize && !recaptures {
            return Some(-Score::INFINITE);
        }
        delta(node.position, m, futility, node.window.alpha)
    }

    /// Stand pat: the corrected evaluation, or the TT score where it is a tighter bound.
    fn stand_pat(&self, node: &Node<'_>, raw: Score) -> Score {
        let index = self.correction_index(node.position, node.ply);
        let eval = self.static_eval(node.position, index, raw);
        match node.tt_entry.and_then(|entry| entry.score) {
            Some((score, bound)) if bound.refines(eval, score) && !score.is_decisive() => score,
            _ => eval,
        }
    }
}

/// The transposition table's entry for a node of quiescence.
fn entry(
    eval: Option<Score>,
    best_move: Option<Move>,
    score: (Score, Bound),
    was_pv: bool,
) -> Entry {
    let best = best_move.map_or(PackedMove::NONE, PackedMove::pack);
    Entry { best, score: Some(score), eval, depth: 0, was_pv }
}

/// Fail-firm: a score above beta is drawn towards it, since a bound by captures alone is not to be
/// trusted in full. Source: Stockfish, 2023.
fn fail_firm(best: Score, window: Window) -> Score {
    if best < window.beta || best.is_decisive() {
        return best;
    }
    best - (best - window.beta) * params::fail_firm() / QUARTERS
}

/// Delta pruning: the best score that a capture could reach, if even that is below alpha.
fn delta(position: &Position, m: Move, futility: Score, alpha: Score) -> Option<Score> {
    let optimistic = futility + see::gain(m);
    if optimistic <= alpha {
        return Some(optimistic);
    }
    (futility <= alpha && !see::wins(position, m, 1)).then_some(futility)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Role;

    const WINDOW: Window = Window { alpha: Score::new(0), beta: Score::new(40) };

    #[test]
    fn a_score_above_beta_is_drawn_towards_it() {
        let firm = |score| fail_firm(score, WINDOW);
        for score in [-500, 0, 39, 40].map(Score::new) {
            assert_eq!(firm(score), score);
        }
        let excess = 400;
        let expected = WINDOW.beta + (excess - excess * params::fail_firm() / QUARTERS);
        assert_eq!(firm(WINDOW.beta + excess), expected);
        assert_eq!(firm(Score::mate_in(3)), Score::mate_in(3), "a mate is a mate");
    }

    #[test]
    fn a_capture_is_futile_unless_it_can_reach_alpha() {
        // The pawn on d5 is not defended, that on b5 is.
        let position = Position::from_fen("4k3/8/p7/1p1p4/8/8/8/1R1RK3 w - - 0 1").unwrap();
        let [free, defended] = ["d1d5", "b1b5"].map(|m| position.parse_move(m).unwrap());
        let pawn = see::value(Role::Pawn);
        let alpha = Score::new(0);
        for (m, futility, expected) in [
            (free, -pawn, Some(0)),
            (free, -pawn - 20, Some(-20)),
            (free, -pawn + 1, None),
            (defended, -pawn + 1, Some(-pawn + 1)),
            (defended, 0, Some(0)),
            (defended, 1, None),
        ] {
            let found = delta(&position, m, Score::new(futility), alpha);
            assert_eq!(found, expected.map(Score::new), "{m:?} {futility}");
        }
    }

    #[test]
    fn entries_of_quiescence_have_no_depth() {
        let position = Position::default();
        let m = position.parse_move("g1f3").unwrap();
        let score = (Score::new(7), Bound::Lower);
        let entry = entry(Some(Score::new(5)), Some(m), score, true);
        assert_eq!(entry.best.unpack(&position), Some(m));
        assert_eq!((entry.score, entry.eval), (Some(score), Some(Score::new(5))));
        assert!(entry.depth == 0 && entry.was_pv);
    }
}
