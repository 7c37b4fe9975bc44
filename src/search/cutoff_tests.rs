//! When a stored score stands in for a search: the rule of the TalkChess thread that `reference`
//! implements too, case by case, and the engine's two exceptions.

use super::pvs::tt_cutoff;
use super::window::Window;
use super::*;
use crate::position::{PackedMove, Position, START_FEN};
use crate::tt::Entry;

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
    let found = tt_cutoff(Some(entry(score, bound, depth)), &position, WINDOW, DEPTH);
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
    assert_eq!(tt_cutoff(Some(evaluated), &position, WINDOW, DEPTH), None);
    assert_eq!(tt_cutoff(None, &position, WINDOW, DEPTH), None);
}

/// The first exception: stored scores know nothing of a draw by the fifty-move rule.
#[test]
fn near_the_fifty_move_rule_nothing_is_settled() {
    let settled = |clock| {
        let fen = format!("4k3/8/8/8/8/8/3R4/4K3 w - - {clock} 80");
        let position = Position::from_fen(&fen).unwrap();
        tt_cutoff(Some(entry(15, Bound::Exact, DEPTH)), &position, WINDOW, DEPTH).is_some()
    };
    assert!(settled(0) && settled(89) && !settled(90) && !settled(99));
}

/// The second: on the principal variation nothing is, so that its line stays whole. Here the table
/// knows every move of the root to be bad, which saves the search of all but the first.
#[test]
fn on_the_principal_variation_nothing_is_settled() {
    const BAD: i32 = 900;
    let game = Game::new(Position::from_fen(START_FEN).unwrap());
    let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
    let task = |game| Task {
        game,
        limits: limits.clone(),
        settings: Settings::default(),
        ranking: None,
        workers: 1,
        first_worker: 0,
    };
    let run = |is_known: bool| {
        let table = Arc::new(Table::new(1).unwrap());
        let histories = Arc::new(Histories::new().unwrap());
        let shared = Shared::new(table, None, Arc::default(), histories, Arc::default(), 1);
        for m in game.position().legal_moves() {
            if is_known {
                let child = game.position().play(m);
                shared.table.store(child.key(), 1, entry(BAD, Bound::Exact, 2 * DEPTH));
            }
        }
        let mut worker = Worker::new().unwrap();
        let outcome = worker.search::<Full>(0, &shared, &task(game.clone()), &|_| {});
        (outcome.lines[0].clone(), shared.nodes.sum())
    };
    let ((unaided, all), (line, few)) = (run(false), run(true));
    assert!(line.score.abs() < Score::new(BAD), "{line:?}");
    assert!(line.moves.len() >= DEPTH as usize / 2, "{line:?}");
    assert!(unaided.depth == line.depth && few < all, "{few} against {all} nodes");
}
