//! What a worker shares, fetches, keeps and leaves to others.

use std::cell::RefCell;

use super::history::History;
use super::*;
use crate::eval::nnue::{eval_file::EvalFile, network::Network};
use crate::position::{Game, Position};
use crate::score::MAX_PLY;
use crate::smp::teamwork::{FEW, Stagger};
use crate::sync::Arc;
use crate::time::limits::Limits;
use crate::tt::{Table, fetched};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8";
/// Mebibytes of table.
const HASH: usize = 1;

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn to_depth(depth: Depth) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn common(network: Option<&Arc<Network>>) -> Common {
    Common::new(Arc::new(Table::new(HASH).unwrap()), network.cloned()).unwrap()
}

/// One worker's outcome, and its nodes.
fn search(worker: &mut Worker, common: &Common, limits: Limits) -> (Outcome, u64) {
    search_of(MIDDLEGAME, worker, common, limits)
}

/// The same in another position.
fn search_of(fen: &str, worker: &mut Worker, common: &Common, limits: Limits) -> (Outcome, u64) {
    let run = Run::new(game(fen), limits, 1);
    (worker.search(0, common, &run, &|_| {}), run.board.nodes())
}

#[test]
fn a_worker_evaluates_with_the_network_near_it() {
    let network = Arc::new(Network::random(1));
    let with = |common: &Common| search(&mut Worker::default(), common, to_depth(3));
    let near = [Some(Near::new(Some(&network)))];
    let found = with(&Common { near: near.into(), ..common(None) });
    assert_eq!(found, with(&common(Some(&network))));
    assert_ne!(found, with(&common(None)));
}

/// What the first of `workers` has left to the others.
fn left_by(workers: usize) -> Arc<Histories> {
    let common = common(None);
    let run = Run::new(game(MIDDLEGAME), to_depth(6), workers);
    Worker::default().search(0, &common, &run, &|_| {});
    common.histories
}

#[test]
fn two_workers_share_what_one_keeps() {
    let has_learnt =
        |workers| left_by(workers).butterfly.cells().iter().any(|cell| cell.get() != 0);
    assert_eq!([1, 2, 3].map(has_learnt), [false, true, true]);
}

#[test]
fn many_workers_share_the_errors_of_positions_alone() {
    let learnt = |workers| left_by(workers).errors.is_learnt();
    assert_eq!([1, FEW, FEW + 1].map(learnt), [[false; 2], [true; 2], [true, false]]);
}

/// Each sum reads a line that every worker writes, so the first worker alone forms them.
#[test]
fn a_helper_leaves_the_node_limit_to_the_main_worker() {
    const SOFT: u64 = 5000;
    let limits = Limits { nodes: Some(1), soft_nodes: Some(SOFT), ..Limits::default() };
    let run = Run::new(game(MIDDLEGAME), limits, 2);
    Worker::default().search(1, &common(None), &run, &|_| {});
    assert!(run.board.nodes() >= SOFT && !run.stop.is_raised());
}

#[test]
fn a_helper_goes_on_beyond_the_depth() {
    let limits = Limits { soft_nodes: Some(5000), ..to_depth(1) };
    let run = Run::new(game(MIDDLEGAME), limits, 2);
    assert!(Worker::default().search(1, &common(None), &run, &|_| {}).depth > 1);
}

#[test]
fn a_worker_leaves_out_the_depths_of_its_rhythm() {
    let settings = Settings { stagger: Stagger::Skip, ..Settings::default() };
    for index in 0..4 {
        let limits = Limits { soft_nodes: Some(20_000), ..Limits::default() };
        let run = Run { settings: settings.clone(), ..Run::new(game(MIDDLEGAME), limits, 4) };
        let depths = RefCell::new(Vec::new());
        let note = |line: &Line| depths.borrow_mut().push(line.depth);
        let deepest = Worker::default().search(index, &common(None), &run, &note).depth;
        let mut depths = depths.into_inner();
        depths.dedup();
        let searched = (1..=deepest).filter(|&depth| Stagger::Skip.searches(index, depth));
        assert!(deepest > 4 && searched.eq(depths.iter().copied()), "{index}: {depths:?}");
    }
}

#[test]
fn a_mate_that_was_asked_for_ends_the_search() {
    let fen = "6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1";
    let limits = Limits { mate: Some(1), ..Limits::default() };
    let (outcome, _) = search_of(fen, &mut Worker::default(), &common(None), limits);
    assert_eq!(outcome.lines[0].score.mate_moves(), Some(1));
    assert!(outcome.depth < 4, "{}", outcome.depth);
}

#[test]
fn a_cleared_worker_searches_like_a_new_one() {
    let mut worker = Worker::default();
    let searched = |worker: &mut Worker| search(worker, &common(None), to_depth(7));
    let fresh = searched(&mut worker);
    assert_ne!(searched(&mut worker), fresh, "the histories last");
    worker.clear();
    assert_eq!(searched(&mut worker), fresh);
}

/// The quiet move that refuted the last root would be tried early at this one, where it is legal
/// too.
#[test]
fn a_cleared_worker_keeps_nothing_of_the_last_line() {
    const OTHER: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let network = EvalFile::Default.load().unwrap();
    let searched =
        |worker: &mut Worker, fen| search_of(fen, worker, &common(network.as_ref()), to_depth(6));
    let mut worker = Worker::default();
    searched(&mut worker, MIDDLEGAME);
    worker.clear();
    assert_eq!(searched(&mut worker, OTHER), searched(&mut Worker::default(), OTHER));
}

/// A ply that this search does not reach shows it; at others, what is left over seldom matters.
#[test]
fn a_search_keeps_nothing_of_the_last_line() {
    const FAR: usize = MAX_PLY - 1;
    let mut worker = Worker::default();
    worker.stack.at_mut(FAR).cutoffs = 1;
    search(&mut worker, &common(None), to_depth(1));
    assert_eq!(worker.stack.at(FAR).cutoffs, 0);
}

/// Every node but the root is entered by a move, or by a null move, which is rare.
#[test]
fn the_corrections_of_each_node_are_fetched() {
    let (common, mut worker, mut nodes) = (common(None), Worker::default(), 0);
    let lines = fetched(|| nodes = search(&mut worker, &common, to_depth(4)).1);
    let corrections = lines.iter().filter(|(_, size)| *size == size_of::<Cell<1>>()).count() as u64;
    assert!(corrections > nodes, "{corrections} at {nodes} nodes");
}
