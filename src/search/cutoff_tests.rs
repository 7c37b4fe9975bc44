//! When a stored score stands in for a search: the rule of the TalkChess thread that `reference`
//! implements too, case by case, and the engine's two exceptions.

use super::node::Node;
use super::pvs::{tt_cutoff, tt_exact};
use super::window::Window;
use super::*;
use crate::position::{Game, PackedMove, Position, START_FEN};
use crate::sync::Arc;
use crate::time::limits::Limits;
use crate::tt::{Entry, Table};

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
    let found = tt_cutoff(Some(entry(score, bound, depth)), &Node::root(&position, WINDOW, DEPTH));
    found.map(Score::get)
}

/// Below alpha, at it, inside, at beta and above it.
const SCORES: [i32; 7] = [9, 10, 11, 15, 19, 20, 21];

#[test]
fn a_score_settles_what_its_bound_proves() {
    for depth in [DEPTH, DEPTH + 1] {
        let found = BOUNDS.map(|bound| SCORES.map(|score| cutoff(score, bound, depth).is_some()));
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
    assert_eq!(tt_cutoff(Some(evaluated), &node), None);
    assert_eq!(tt_cutoff(None, &node), None);
}

/// The first exception: stored scores know nothing of a draw by the fifty-move rule.
#[test]
fn near_the_fifty_move_rule_nothing_is_settled() {
    let settled = |clock| {
        let fen = format!("4k3/8/8/8/8/8/3R4/4K3 w - - {clock} 80");
        let position = Position::from_fen(&fen).unwrap();
        tt_cutoff(Some(entry(15, Bound::Exact, DEPTH)), &Node::root(&position, WINDOW, DEPTH))
            .is_some()
    };
    assert!(settled(0) && settled(89) && !settled(90) && !settled(99));
}

/// The score for the opponent that the table has for every move of the root.
const BAD: i32 = 900;

/// The best reply according to the table.
fn reply_to(child: &Position) -> PackedMove {
    PackedMove::pack(child.legal_moves()[0])
}

/// The line that worker `index` finds in its first iterations, to [`DEPTH`] or, of a helper, in the very
/// first, and its nodes; if `is_known`, the table says from the start that every move is bad.
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
    let run = Run::new(Task { workers: index + 1, ..Task::new(game, limits) });
    let mut worker = Worker::default();
    let outcome = worker.search::<Full>(index, &common, &run, &|_| {});
    (outcome.lines[0].clone(), run.board.nodes())
}

/// The second: on the principal variation of one worker nothing is, so that its line stays whole. Here
/// the table knows every move of the root to be bad, which saves the search of all but the first.
#[test]
fn on_the_principal_variation_nothing_is_settled() {
    let ((unaided, all), (line, few)) = (run(0, false), run(0, true));
    assert!(line.score.abs() < Score::new(BAD), "{line:?}");
    assert!(line.moves.len() >= DEPTH as usize / 2, "{line:?}");
    assert!(unaided.depth == line.depth && few < all, "{few} against {all} nodes");
}

/// Of several workers, each believes the exact score of a deeper search, and the table completes the line.
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
