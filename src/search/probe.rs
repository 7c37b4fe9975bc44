//! Probes of the transposition table (TT) and of the tablebases at a node.
//!
//! Every access to the TT goes through here, so that a census can count the accesses of the
//! search. Without one, the cost is one test.
//!
//! TT cutoffs follow the textbooks' rule: from an equal or greater depth, an exact score always, a
//! lower bound at least beta, an upper bound at most alpha. There are two exceptions. At PV nodes a
//! lone worker takes no cutoff, so that its line stays whole; several workers take only exact
//! scores from a greater depth ([`tt_exact`]). Near the fifty-move rule, of which stored scores are
//! independent, only quiescence takes cutoffs.

use crate::position::{FIFTY_MOVES, Key, Move, PackedMove, Position};
use crate::score::{Depth, MAX_PLY, Score};
use crate::smp::recorder::{CacheLine, Structure};
use crate::syzygy::{Probing, TbResult};
use crate::tt::{Bound, Entry};

use super::node::{Node, NodeType};
use super::params;
use super::worker::Search;

/// The halfmove clock from which there are no TT cutoffs: stored scores ignore the draw that is
/// near.
const FIFTY_MOVES_NEAR: u32 = 90;

/// The score in centipawns of a win that the fifty-move rule makes a draw.
const CURSED: i32 = 2;

impl Search<'_> {
    /// The TT entry of a node.
    #[inline]
    pub fn probe(&self, node: &Node<'_>) -> Option<Entry> {
        let key = node.position.key();
        self.shared.observer.read(Structure::Table, CacheLine::of(self.shared.table.cluster(key)));
        let entry = match self.shared.census_of(key) {
            None => self.shared.table.probe(key, node.ply),
            Some(census) => census.probe(self.shared.index, self.shared.table, key, node.ply),
        };
        entry.map(|entry| Entry {
            score: entry.score.filter(|(score, _)| in_time(*score, node)),
            ..entry
        })
    }

    /// The TT move and bound of `position`, if the move is legal there. This completes the lines
    /// that are shown; no census counts it, since it is no access of the search.
    pub fn peek(&self, position: &Position, ply: usize) -> Option<(Move, Bound)> {
        let entry = self.shared.table.probe(position.key(), ply)?;
        let (_, bound) = entry.score?;
        Some((entry.best.unpack(position)?, bound))
    }

    /// Stores the entry of a node.
    #[inline]
    pub fn store(&mut self, node: &Node<'_>, entry: Entry) {
        let (key, ply) = (node.position.key(), node.ply);
        let is_stored = match self.shared.census_of(key) {
            None => self.shared.table.store(key, ply, entry),
            Some(census) => census.store(self.shared.index, self.shared.table, key, ply, entry),
        };
        self.observe_store(key, is_stored);
    }

    /// Passes an entry that was offered to the TT to the observer.
    #[inline]
    fn observe_store(&self, key: Key, is_stored: bool) {
        let line = CacheLine::of(self.shared.table.cluster(key));
        self.shared.observer.read(Structure::Table, line);
        if is_stored {
            self.shared.observer.write(line);
        }
    }

    /// The move of an entry, if it is legal in `position`: after a key collision it may not be.
    #[inline]
    pub fn tt_move(&self, position: &Position, entry: Entry) -> Option<Move> {
        let legal = entry.best.unpack(position);
        if legal.is_none()
            && entry.best != PackedMove::NONE
            && let Some(census) = self.shared.census
        {
            census.note_illegal(self.shared.index);
        }
        legal
    }

    /// The score of a TT cutoff at a node of this type.
    pub fn settled<N: NodeType>(&self, node: &Node<'_>) -> Option<Score> {
        if !N::PV {
            tt_cutoff(node.tt_entry, node, node.depth)
        } else if !N::ROOT && self.is_joint() {
            tt_exact(node.tt_entry, node)
        } else {
            None
        }
    }

    /// Tablebase cutoff: the tablebases' result replaces the search if it settles the window. At PV
    /// nodes it otherwise bounds the score of the search, since a win may hide a mate. Sources: K.
    /// Thompson, "Retrograde Analysis of Certain Endgames", 1986; R. de Man, 2013; in this form,
    /// Stockfish.
    pub fn tb_cutoff<N: NodeType>(&mut self, node: &mut Node<'_>) -> Option<Score> {
        let prober = self.shared.prober?;
        if N::ROOT || node.excluded.is_some() {
            return None;
        }
        let result = prober.probe(node.position, node.depth)?;
        self.shared.run.board.count_tb_hits(self.shared.index, 1);
        let (score, bound) = value(result, node.ply, prober.probing());
        if node.window.is_settled_by(score, bound) {
            let depth = (node.depth + params::tb_depth()).min(MAX_PLY as Depth);
            self.store(node, node.entry(depth, None, Some((score, bound))));
            return Some(score);
        }
        if N::PV {
            match bound {
                Bound::Lower => node.floor = score,
                Bound::Upper => node.ceiling = score,
                Bound::Exact => {} // settles every window
            }
        }
        None
    }
}

/// Whether a stored mate comes before the fifty-move rule makes a draw: it was found with another
/// halfmove clock.
fn in_time(score: Score, node: &Node<'_>) -> bool {
    score.mate_ply().is_none_or(|ply| {
        let plies = ply.saturating_sub(node.ply) as u32;
        node.position.halfmove_clock() + plies <= FIFTY_MOVES
    })
}

/// The TT score, if it can replace a search of `node` to `depth`.
fn tt_cutoff(tt_entry: Option<Entry>, node: &Node<'_>, depth: Depth) -> Option<Score> {
    let entry = tt_entry?;
    let (score, bound) = entry.score?;
    let is_trusted = entry.depth >= depth && node.position.halfmove_clock() < FIFTY_MOVES_NEAR;
    (is_trusted && node.window.is_settled_by(score, bound)).then_some(score)
}

/// The exact TT score of a deeper search, which replaces the search of a PV node if several workers
/// search: a helper that is ahead has done the work already. The line, which ends here, is
/// completed from the table (`completed`). Measured gain: `docs/scaling.md`.
fn tt_exact(tt_entry: Option<Entry>, node: &Node<'_>) -> Option<Score> {
    // A mate is searched out, since its line would end too early.
    let is_exact =
        |entry: &Entry| matches!(entry.score, Some((score, Bound::Exact)) if !score.is_mate());
    tt_cutoff(tt_entry.filter(is_exact), node, node.depth + 1)
}

/// A tablebase result as a score and its bound: a win is a lower bound, since it may hide a mate.
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
    use super::super::node::Window;
    use super::super::{Common, Line, Run, Worker};
    use super::*;
    use crate::position::{Game, START_FEN};
    use crate::sync::Arc;
    use crate::time::limits::Limits;
    use crate::tt::Table;

    const WINDOW: Window = Window { alpha: Score::new(10), beta: Score::new(20) };
    /// The depth that is searched.
    const DEPTH: Depth = 6;
    const BOUNDS: [Bound; 3] = [Bound::Exact, Bound::Lower, Bound::Upper];

    fn entry(score: i32, bound: Bound, depth: Depth) -> Entry {
        let score = Some((Score::new(score), bound));
        Entry { best: PackedMove::NONE, score, eval: None, depth, was_pv: false }
    }

    /// The score that replaces a search of the window, if the entry is that deep.
    fn cutoff(score: i32, bound: Bound, depth: Depth) -> Option<i32> {
        let position = Position::from_fen(START_FEN).unwrap();
        let found = tt_cutoff(
            Some(entry(score, bound, depth)),
            &Node::root(&position, WINDOW, DEPTH),
            DEPTH,
        );
        found.map(Score::get)
    }

    /// Below alpha, at it, inside, at beta and above it.
    const SCORES: [i32; 7] = [9, 10, 11, 15, 19, 20, 21];

    #[test]
    fn a_mate_beyond_the_fifty_move_rule_is_no_score() {
        let of = |clock: u32, mate: usize, ply: usize| {
            let fen = format!("7k/8/8/8/8/8/8/KQ6 w - - {clock} 90");
            let position = Position::from_fen(&fen).unwrap();
            let mut node = Node::root(&position, WINDOW, DEPTH);
            node.ply = ply;
            [Score::mate_in(mate), Score::mated_in(mate)].map(|score| in_time(score, &node))
        };
        assert_eq!(of(80, 20, 0), [true; 2]);
        assert_eq!(of(80, 21, 0), [false; 2]);
        assert_eq!(of(80, 25, 5), [true; 2], "plies from the node on count");
        assert_eq!(of(0, 100, 0), [true; 2]);
        let position = Position::from_fen("7k/8/8/8/8/8/8/KQ6 w - - 99 90").unwrap();
        assert!(in_time(Score::new(900), &Node::root(&position, WINDOW, DEPTH)));
    }

    #[test]
    fn a_score_settles_what_its_bound_proves() {
        for depth in [DEPTH, DEPTH + 1] {
            let found =
                BOUNDS.map(|bound| SCORES.map(|score| cutoff(score, bound, depth).is_some()));
            assert_eq!(found[0], [true; 7], "exact");
            assert_eq!(found[1], [false, false, false, false, false, true, true], "lower bound");
            assert_eq!(found[2], [true, true, false, false, false, false, false], "upper bound");
        }
        assert_eq!(cutoff(25, Bound::Lower, DEPTH), Some(25), "the score itself is returned");
    }

    #[test]
    fn a_shallower_entry_settles_nothing() {
        for bound in BOUNDS {
            assert!(SCORES.iter().all(|&score| cutoff(score, bound, DEPTH - 1).is_none()));
        }
    }

    #[test]
    fn an_entry_without_a_score_settles_nothing() {
        let position = Position::from_fen(START_FEN).unwrap();
        let evaluated = Entry { score: None, ..entry(0, Bound::Exact, DEPTH) };
        let node = Node::root(&position, WINDOW, DEPTH);
        assert_eq!(tt_cutoff(Some(evaluated), &node, DEPTH), None);
        assert_eq!(tt_cutoff(None, &node, DEPTH), None);
    }

    /// The first exception: stored scores ignore the fifty-move rule.
    #[test]
    fn near_the_fifty_move_rule_nothing_is_settled() {
        let settled = |clock| {
            let fen = format!("4k3/8/8/8/8/8/3R4/4K3 w - - {clock} 80");
            let position = Position::from_fen(&fen).unwrap();
            let node = Node::root(&position, WINDOW, DEPTH);
            tt_cutoff(Some(entry(15, Bound::Exact, DEPTH)), &node, DEPTH).is_some()
        };
        assert!(settled(0) && settled(89) && !settled(90) && !settled(99));
    }

    /// The score for the opponent that the table has for every move of the root.
    const BAD: i32 = 900;

    /// The best reply according to the table.
    fn reply_to(child: &Position) -> PackedMove {
        PackedMove::pack(child.legal_moves()[0])
    }

    /// The line that worker `index` finds in its first iterations, to [`DEPTH`] or, of a helper, in
    /// the very first, and its nodes; if `is_known`, the table says from the start that every move
    /// is bad.
    fn run(index: usize, is_known: bool) -> (Line, u64) {
        let game = Game::new(Position::from_fen(START_FEN).unwrap());
        let common = Common::new(Arc::new(Table::new(1).unwrap()), None).unwrap();
        for m in game.position().legal_moves().into_iter().filter(|_| is_known) {
            let child = game.position().play(m);
            let known = Entry { best: reply_to(&child), ..entry(BAD, Bound::Exact, 2 * DEPTH) };
            common.table.store(child.key(), 1, known);
        }
        let limits = match index {
            0 => Limits { depth: Some(DEPTH), ..Limits::default() },
            _ => Limits { soft_nodes: Some(1), ..Limits::default() },
        };
        let run = Run::new(game, limits, index + 1);
        let mut worker = Worker::default();
        let outcome = worker.search(index, &common, &run, &|_| {});
        (outcome.lines[0].clone(), run.board.nodes())
    }

    /// The second exception: a lone worker takes no cutoffs at PV nodes, so that its line stays
    /// whole. Here the table has a bad score for every root move, which saves all but the first
    /// search.
    #[test]
    fn on_the_principal_variation_nothing_is_settled() {
        let ((unaided, all), (line, few)) = (run(0, false), run(0, true));
        assert!(line.score.abs() < Score::new(BAD), "{line:?}");
        assert!(line.moves.len() >= DEPTH as usize / 2, "{line:?}");
        assert!(unaided.depth == line.depth && few < all, "{few} against {all} nodes");
    }

    /// Several workers use exact scores of deeper searches, and the table completes the line.
    #[test]
    fn deeper_exact_scores_settle_the_line_of_several_workers() {
        let (unaided, _) = run(1, false);
        assert!(unaided.depth == 2 && unaided.score.abs() < Score::new(BAD), "{unaided:?}");
        let (line, _) = run(1, true);
        assert_eq!(line.score, Score::new(-BAD), "{line:?}");
        let [m, reply] = line.moves[..] else { panic!("{line:?}") };
        assert_eq!(PackedMove::pack(reply), reply_to(&Position::default().play(m)));
        let position = Position::default();
        let node = Node::root(&position, WINDOW, DEPTH);
        let settled = |bound, depth| tt_exact(Some(entry(15, bound, depth)), &node);
        assert_eq!(settled(Bound::Exact, DEPTH + 1), Some(Score::new(15)));
        assert_eq!(settled(Bound::Exact, DEPTH), None, "as deep, but no deeper");
        assert_eq!([Bound::Lower, Bound::Upper].map(|bound| settled(bound, DEPTH + 1)), [None; 2]);
    }

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
