use std::collections::HashSet;

use super::quiesce::MAX_NODES;
use super::worker::FIRST_ITERATION;
use super::*;
use crate::eval::{self, nnue::network::Network};
use crate::position::{Game, PackedMove, Position, uci};
use crate::smp::board::Board;
use crate::sync::Arc;
use crate::time::clock::Support;
use crate::time::limits::Limits;
use crate::tt::Table;

/// Mebibytes of table.
const HASH: usize = 1;

fn common(network: Option<&Network>) -> Common {
    let network = network.map(|network| Arc::new(network.clone()));
    Common::new(Arc::new(Table::new(HASH).unwrap()), network).unwrap()
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn to_depth(depth: Depth) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// A search by one worker.
fn alone(game: Game, limits: Limits) -> Run {
    Run::new(game, limits, 1)
}

/// The same with several lines.
fn with_lines(multipv: usize, run: Run) -> Run {
    Run { settings: Settings { multipv, ..Settings::default() }, ..run }
}

/// The same without anything selective.
fn plain(run: Run) -> Run {
    Run { settings: Settings { plain: true, ..Settings::default() }, ..run }
}

/// One worker's outcome and its nodes, from an empty memory.
fn run(run: &Run) -> (Outcome, u64) {
    run_with(None, run)
}

/// The same with a network.
fn run_with(network: Option<&Network>, run: &Run) -> (Outcome, u64) {
    let outcome = Worker::default().search(0, &common(network), run, &|_| {});
    (outcome, run.board.nodes())
}

fn best(outcome: &Outcome) -> &Line {
    &outcome.lines[0]
}

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8";

#[test]
fn mates_in_one_to_five_are_found() {
    for (moves, fen) in [
        (1, "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1"),
        (1, "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"),
        (2, "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1"),
        (2, "3qr2k/pbpp2pp/1p5N/3Q2b1/2P1P3/P7/1PP2PPP/R4RK1 w - - 0 1"),
        (2, "7k/8/8/5K2/8/8/8/1R6 w - - 0 1"),
        (3, "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1"),
        (3, "2r3k1/p4p2/3Rp2p/1p2P1pK/8/1P4P1/P3Q2P/1q6 b - - 0 1"),
        (4, "r5rk/2p1Nppp/3p3P/pp2p1P1/4P3/2qnPQK1/8/R6R w - - 1 1"),
        (5, "7k/8/3K4/8/8/8/8/R7 w - - 0 1"),
    ] {
        let limits = Limits { mate: Some(moves), ..Limits::default() };
        let (outcome, _) = run(&alone(game(fen), limits));
        assert_eq!(best(&outcome).score.mate_moves(), Some(moves as i32), "{fen}");
    }
}

#[test]
fn a_finished_game_has_no_line() {
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"] {
        assert_eq!(run(&alone(game(fen), to_depth(4))).0, Outcome::default());
    }
}

#[test]
fn dead_positions_are_drawn() {
    for fen in [
        "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3K1q2/8/6N1 w - - 99 80",
        "8/8/4k3/8/8/3K3R/8/8 w - - 0 1",
    ] {
        let won = fen.contains("3R");
        let (outcome, _) = run(&alone(game(fen), to_depth(6)));
        let score = best(&outcome).score;
        assert_eq!(score == Score::DRAW, !won, "{fen}: {score:?}");
    }
}

#[test]
fn a_lost_side_repeats_the_position() {
    // Black is far ahead, but White checks for ever from e8 and h5.
    let (outcome, _) = run(&alone(game("6k1/6p1/8/7Q/8/1r6/q7/6K1 w - - 0 1"), to_depth(10)));
    assert_eq!(best(&outcome).score, Score::DRAW);
}

#[test]
fn mate_on_the_hundredth_half_move_counts() {
    let (outcome, _) = run(&alone(game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 90"), to_depth(4)));
    assert_eq!(best(&outcome).score.mate_moves(), Some(1));
}

#[test]
fn one_worker_is_deterministic() {
    for (is_plain, depth) in [(false, 9), (true, 4)] {
        let settings = || Settings { plain: is_plain, ..Settings::default() };
        let search = || Run { settings: settings(), ..alone(game(MIDDLEGAME), to_depth(depth)) };
        let (first, second) = (run(&search()), run(&search()));
        assert_eq!(first, second);
        assert!(first.1 > 1000);
    }
}

#[test]
fn one_worker_with_a_network_is_deterministic() {
    // In a build with assertions, some evaluations on the way are compared with one made anew.
    let network = Network::random(11);
    for fen in [MIDDLEGAME, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"] {
        let search = || alone(game(fen), to_depth(8));
        let (first, second) = [(); 2].map(|()| run_with(Some(&network), &search())).into();
        assert_eq!(first, second);
        assert!(first.1 > 1000);
        assert_ne!(first.1, run(&search()).1);
    }
}

/// Full-width alpha-beta without any window tricks, over the same rules and evaluation.
fn negamax(
    network: Option<&Network>,
    search: &mut Vec<u64>,
    root: usize,
    position: &Position,
    ply: usize,
    depth: Depth,
) -> Score {
    let moves = position.legal_moves();
    if moves.is_empty() {
        return if position.is_check() { Score::mated_in(ply) } else { Score::DRAW };
    }
    let drawn = crate::position::is_repetition(search, root, position)
        || position.is_insufficient_material()
        || position.halfmove_clock() >= crate::position::FIFTY_MOVES;
    if ply > 0 && drawn {
        return Score::DRAW;
    }
    if depth == 0 {
        return eval::evaluate(network, position);
    }
    search.push(position.key());
    let value = moves
        .into_iter()
        .map(|m| -negamax(network, search, root, &position.play(m), ply + 1, depth - 1))
        .max();
    search.pop();
    value.unwrap()
}

#[test]
fn plain_equals_negamax() {
    for (fen, depth) in [
        (MIDDLEGAME, 3),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
        ("8/8/8/8/5kp1/P7/8/1K1N4 w - - 96 80", 5),
        ("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1", 3),
    ] {
        let game = game(fen);
        for network in [None, Some(&Network::random(2))] {
            let expected = negamax(network, &mut Vec::new(), 0, game.position(), 0, depth);
            let (outcome, _) = run_with(network, &plain(alone(game.clone(), to_depth(depth))));
            assert_eq!(best(&outcome).score, expected, "{fen}");
        }
    }
}

#[test]
fn the_node_limit_is_exact_for_one_worker() {
    for nodes in [1000, 12_345] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let (outcome, searched) = run(&alone(game(MIDDLEGAME), limits));
        assert_eq!(searched, nodes);
        assert!(game(MIDDLEGAME).position().legal_moves().contains(&best(&outcome).moves[0]));
    }
}

#[test]
fn a_stop_before_the_start_still_gives_one_iteration() {
    let run = alone(game(MIDDLEGAME), Limits::default());
    run.stop.raise();
    let outcome = Worker::default().search(0, &common(None), &run, &|_| {});
    assert_eq!(outcome.depth, 1);
    assert_eq!(best(&outcome).bound, Bound::Exact);
}

#[test]
fn the_root_is_stored_only_if_all_its_moves_were_searched() {
    let game = game(MIDDLEGAME);
    let stored = |limits: Limits| {
        let common = common(None);
        let run = alone(game.clone(), limits);
        Worker::default().search(0, &common, &run, &|_| {});
        common.table.probe(game.position().key(), 0).is_some_and(|entry| entry.depth > 0)
    };
    let search_moves = vec![game.position().parse_move("a2a3").unwrap()];
    assert!(stored(to_depth(4)));
    assert!(!stored(Limits { search_moves, ..to_depth(4) }));
}

/// Positions in which captures never seem to end.
const EXPLOSIVE: [&str; 2] = [
    "qqqqqqqk/8/QqQqQqQq/8/qQqQqQqQ/8/8/KQQQQQQ1 w - - 0 1",
    "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
];

#[test]
fn a_stop_ends_even_the_first_iteration() {
    for fen in EXPLOSIVE {
        for lines in [1, 256] {
            let run = with_lines(lines, alone(game(fen), Limits::default()));
            run.stop.raise();
            let outcome = Worker::default().search(0, &common(None), &run, &|_| {});
            let nodes = run.board.nodes();
            assert!(nodes <= FIRST_ITERATION, "{fen}: {nodes}");
            let legal = run.game.position().legal_moves();
            assert!(legal.contains(&best(&outcome).moves[0]), "{fen}: {outcome:?}");
        }
    }
}

#[test]
fn quiescence_ends_in_any_position() {
    const MOVES: usize = 12;
    for fen in EXPLOSIVE {
        let game = game(fen);
        let nodes_of = |m: &Move| {
            let limits = Limits { search_moves: vec![*m], ..to_depth(1) };
            let (outcome, nodes) = run(&alone(game.clone(), limits));
            assert_eq!(outcome.depth, 1);
            nodes
        };
        let moves = game.position().legal_moves();
        let most = moves.iter().take(MOVES).map(nodes_of).max().unwrap();
        // A move is searched twice at most; a search that is over still has to unwind.
        assert!(most > MAX_NODES && most < 4 * MAX_NODES, "{fen}: {most}");
    }
}

#[test]
fn a_limit_waits_for_the_first_iteration() {
    let game = game("4k3/8/8/3q4/8/8/P7/3RK3 w - - 0 1");
    for (lines, nodes) in [(1, 1), (1, 20), (3, 1), (3, 20)] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let (outcome, _) = run(&with_lines(lines, alone(game.clone(), limits)));
        assert_eq!((outcome.depth, outcome.lines.len()), (1, lines), "{nodes} nodes");
        assert_eq!(uci(best(&outcome).moves[0], false), "d1d5");
    }
}

#[test]
fn a_move_that_failed_high_is_played_if_the_search_ends_there() {
    const DEPTH: Depth = 12;
    // The nodes at which another move than the best so far failed high, and that move.
    let surprises = |fen: &str| {
        let run = alone(game(fen), to_depth(DEPTH));
        let lines = std::cell::RefCell::new(Vec::new());
        let report = |line: &Line| lines.borrow_mut().push((run.board.nodes(), line.clone()));
        Worker::default().search(0, &common(None), &run, &report);
        let lines = lines.into_inner();
        let is_surprise = |pair: &&[(u64, Line)]| {
            let [before, after] = pair else { return false };
            before.1.bound == Bound::Exact
                && after.1.bound == Bound::Lower
                && before.1.moves[0] != after.1.moves[0]
        };
        let found = lines.windows(2).filter(is_surprise);
        found.map(|pair| (pair[1].0, pair[1].1.moves[0])).collect::<Vec<_>>()
    };
    let mut seen = 0;
    for fen in [
        MIDDLEGAME,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
        "rnbqkb1r/p3pppp/1p6/2ppP3/3N4/2P5/PPP1QPPP/R1B1KB1R w KQkq - 0 1",
        "r1b2rk1/2q1b1pp/p2ppn2/1p6/3QP3/1BN1B3/PPP3PP/R4RK1 w - - 0 1",
        "2r3k1/pppR1pp1/4p3/4P1P1/5P2/1P4K1/P1P5/8 w - - 0 1",
    ] {
        for (nodes, m) in surprises(fen) {
            let limits = Limits { nodes: Some(nodes + 1), ..to_depth(DEPTH) };
            let (outcome, _) = run(&alone(game(fen), limits));
            assert_eq!(best(&outcome).moves[0], m, "{fen} after {nodes} nodes");
            seen += 1;
        }
    }
    assert!(seen > 0, "no move has failed high");
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let game = game(MIDDLEGAME);
    let wanted = game.position().parse_move("a2a3").unwrap();
    let limits = Limits { search_moves: vec![wanted], ..to_depth(5) };
    let (outcome, _) = run(&alone(game, limits));
    assert_eq!(best(&outcome).moves[0], wanted);
}

#[test]
fn several_lines_are_distinct_and_sorted() {
    let (outcome, _) = run(&with_lines(4, alone(game(MIDDLEGAME), to_depth(7))));
    assert_eq!(outcome.lines.len(), 4);
    assert!(outcome.lines.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let mut moves: Vec<_> = outcome.lines.iter().map(|line| uci(line.moves[0], false)).collect();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), 4);
    assert_eq!(outcome.lines.iter().map(|line| line.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn every_line_is_playable() {
    let lines = crate::sync::Mutex::new(Vec::new());
    let run = alone(game(MIDDLEGAME), to_depth(9));
    let report = |line: &Line| lines.lock().push(line.clone());
    Worker::default().search(0, &common(None), &run, &report);
    for line in lines.into_inner() {
        let mut position = run.game.position().clone();
        for m in line.moves {
            assert!(position.legal_moves().contains(&m), "{m:?} in {position:?}");
            position = position.play(m);
        }
    }
}

#[test]
fn a_soft_node_limit_ends_the_search_after_an_iteration() {
    let limits = |soft_nodes| Limits { soft_nodes: Some(soft_nodes), ..Limits::default() };
    let (outcome, nodes) = run(&alone(game(MIDDLEGAME), limits(5000)));
    assert_eq!(run(&alone(game(MIDDLEGAME), to_depth(outcome.depth))), (outcome.clone(), nodes));
    let (before, fewer) = run(&alone(game(MIDDLEGAME), to_depth(outcome.depth - 1)));
    assert!(fewer < 5000 && nodes >= 5000, "{fewer} {nodes}");
    assert_eq!(before.depth + 1, outcome.depth);
    assert_eq!(run(&alone(game(MIDDLEGAME), limits(1))).0.depth, 1);
}

/// The lines that a search reports, failed windows included, by iteration.
fn reported(run: &Run) -> Vec<Line> {
    let lines = std::cell::RefCell::new(Vec::new());
    let report = |line: &Line| lines.borrow_mut().push(line.clone());
    Worker::default().search(0, &common(None), run, &report);
    lines.into_inner()
}

#[test]
fn a_failed_window_bounds_the_side_that_failed() {
    // The same position for White and for Black.
    let white = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let black = "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1";
    for fen in [white, black] {
        let mut seen = [0; 2];
        let mut exact = Score::DRAW;
        let mut fresh = true; // later windows of an iteration begin where the first has failed
        for line in reported(&alone(game(fen), to_depth(13))) {
            match line.bound {
                Bound::Lower if fresh => assert!(line.score > exact, "{line:?}"),
                Bound::Upper if fresh => assert!(line.score < exact, "{line:?}"),
                _ => {}
            }
            fresh = line.bound == Bound::Exact;
            match line.bound {
                Bound::Lower => seen[0] += 1,
                Bound::Upper => seen[1] += 1,
                Bound::Exact => exact = line.score,
            }
        }
        assert!(seen[0] > 0 && seen[1] > 0, "{fen}: {seen:?}");
    }
}

#[test]
fn a_broken_iteration_leaves_exact_lines() {
    for multipv in [1, 3] {
        for nodes in (2_000..12_000).step_by(487) {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let (outcome, _) = run(&with_lines(multipv, alone(game(MIDDLEGAME), limits)));
            assert_eq!(outcome.lines.len(), multipv);
            assert!(outcome.lines.iter().all(|line| line.bound == Bound::Exact));
            let firsts: HashSet<_> = outcome.lines.iter().map(|line| line.moves[0]).collect();
            assert!(outcome.lines.is_sorted_by_key(|line| -line.score), "{outcome:?}");
            assert_eq!(firsts.len(), multipv, "{outcome:?}");
        }
    }
}

#[test]
fn only_an_exact_first_line_completes_an_iteration() {
    let moves = vec![Position::default().legal_moves()[0]];
    let line = Line {
        depth: 3,
        seldepth: 4,
        multipv: 1,
        score: Score::new(7),
        bound: Bound::Exact,
        moves,
        support: Support::default(),
    };
    let iteration = line.iteration().unwrap();
    assert_eq!((iteration.depth, iteration.score), (3, Score::new(7)));
    assert!(Line { bound: Bound::Lower, ..line.clone() }.iteration().is_none());
    assert!(Line { multipv: 2, ..line.clone() }.iteration().is_none());
    assert!(Line { moves: vec![], ..line }.iteration().is_none());
}

#[test]
fn a_line_has_the_support_of_all_workers() {
    const DEPTH: Depth = 6;
    let code = |m: Move| PackedMove::pack(m).to_bits();
    let support = |prepare: &dyn Fn(&Board)| {
        let search = |workers| Run::new(game(MIDDLEGAME), to_depth(DEPTH), workers);
        let run = Run { board: search(2).board, ..search(1) };
        prepare(&run.board);
        let outcome = Worker::default().search(0, &common(None), &run, &|_| {});
        (best(&outcome).moves[0], best(&outcome).support)
    };
    let (preferred, alone) = support(&|_| {});
    assert!((1.0..=5.0).contains(&alone.stable_iterations), "{alone:?}");
    assert!(alone.share > 0.1 && alone.share < 1.0, "{alone:?}");
    let moves = game(MIDDLEGAME).position().legal_moves();
    let rival = moves.into_iter().find(|&m| m != preferred).unwrap();
    let (m, doubted) = support(&|board| {
        board.prefer(1, code(rival), 3);
        board.spend(code(rival), 1_000_000);
    });
    assert_eq!((m, doubted.stable_iterations), (preferred, alone.stable_iterations / 2.0));
    assert!(doubted.share < alone.share / 2.0, "{doubted:?}");
    let (_, shared) = support(&|board| {
        board.prefer(1, code(preferred), DEPTH);
        board.spend(code(preferred), 1_000_000);
    });
    assert_eq!(shared.stable_iterations, (alone.stable_iterations + 1.0) / 2.0);
    assert!(shared.share > alone.share, "{shared:?}");
}

#[test]
fn a_helper_notes_its_opinion_and_nodes_beside_others() {
    let limits = Limits { soft_nodes: Some(20_000), ..Limits::default() };
    let run = Run::new(game(MIDDLEGAME), limits, 2);
    let rival = 1;
    run.board.prefer(0, rival, 1);
    let outcome = Worker::default().search(1, &common(None), &run, &|_| {});
    let found = PackedMove::pack(best(&outcome).moves[0]).to_bits();
    assert!(run.board.kept(rival, 5, 5) > 0.0, "the opinion of the other stands");
    assert!(run.board.kept(found, outcome.depth, 5) > 0.0, "the helper has one too");
    assert!(run.board.share(found) > 0.0, "its nodes count");
    assert_eq!(run.board.worker_nodes()[0], 0);
}

#[test]
fn the_table_keeps_the_raw_evaluation() {
    let game = game("r3k3/pppp4/8/8/8/8/PPPPP3/R3K3 w - - 60 80");
    let common = common(None);
    let run = alone(game, to_depth(3));
    Worker::default().search(0, &common, &run, &|_| {});
    let position = run.game.position();
    let raw = eval::classical::evaluate(position);
    assert_eq!(common.table.probe(position.key(), 0).unwrap().eval, Some(raw));
    assert_ne!(eval::evaluate(None, position), raw);
}
