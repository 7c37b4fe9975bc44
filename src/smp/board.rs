//! The board on which the workers of one search note what they do, for each other and for the
//! owner.
//!
//! A worker that finds what the others have stored in the transposition table soon settles on a
//! move, however much the others doubt it. So the clock asks all of them which move they prefer and
//! since when, and what share of the nodes it took.

use crossbeam_utils::CachePadded;

use super::recorder::CacheLine;
use super::vote::Ballot;
use crate::score::{Depth, Score};
use crate::sync::{AtomicU64, Ordering::Relaxed};

/// A worker's notes. Only the worker writes them, so a plain load and store replace a
/// read-modify-write.
#[derive(Debug, Default)]
struct Row {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
    /// The preferred root move and, above [`SINCE_SHIFT`], the iteration since which it has been
    /// preferred: one word, so that it is never torn. Zero before the first iteration ends.
    opinion: AtomicU64,
    /// The root move that the worker searches. A queue would fill up where root moves are quick.
    current: AtomicU64,
    /// What the worker would vote for: move, depth and score in one word. Zero before the first
    /// iteration ends. No search reads it, only those who watch.
    ballot: AtomicU64,
}

/// The first bit of the iteration in an opinion; the move's bits are below.
const SINCE_SHIFT: u32 = 16;
/// The first bits of the move count and of the depth in the word of the current move; the move's
/// bits are below.
const COUNT_SHIFT: u32 = 16;
const DEPTH_SHIFT: u32 = 32;
/// The first bit of the score in a ballot; the depth is at [`COUNT_SHIFT`], the move below it.
const SCORE_SHIFT: u32 = 32;

/// The notes of one search's workers so far: a row for each worker, on cache lines of its own, and
/// some that they make together. A choice is a root move, as 16 bits.
///
/// Any thread may read at any time. Relaxed is enough: nothing else depends on a value; a sum taken
/// during the search is a lower bound under any ordering, and one taken at rest is exact, because
/// the crew's lock publishes what the workers wrote.
#[derive(Debug)]
pub struct Board {
    rows: Box<[CachePadded<Row>]>,
    /// The nodes spent on each choice. Additions are atomic, so none is lost; they are rare, one
    /// per root move and iteration, so the cells may share cache lines.
    effort: Box<[(u16, AtomicU64)]>,
}

impl Board {
    /// An empty board for `workers` workers and these choices.
    pub fn new(workers: usize, choices: impl IntoIterator<Item = u16>) -> Self {
        Self {
            rows: (0..workers).map(|_| CachePadded::default()).collect(),
            effort: choices.into_iter().map(|choice| (choice, AtomicU64::new(0))).collect(),
        }
    }

    /// Counts a node of worker `index`. Only that worker may call it.
    #[inline]
    pub fn count_node(&self, index: usize) {
        add(&self.rows[index].nodes, 1);
    }

    /// Counts tablebase probes that were answered. Only worker `index` may call it.
    pub fn count_tb_hits(&self, index: usize, hits: u64) {
        add(&self.rows[index].tb_hits, hits);
    }

    /// The nodes of all workers: exact once they are idle, a lower bound before that.
    pub fn nodes(&self) -> u64 {
        self.rows.iter().map(|row| row.nodes.load(Relaxed)).sum()
    }

    /// The cache line of the row of worker `index`.
    #[inline]
    pub fn row_line(&self, index: usize) -> CacheLine {
        CacheLine::of(&self.rows[index])
    }

    /// Each choice with the cache line of the nodes spent on it.
    #[inline]
    pub fn effort_lines(&self) -> impl Iterator<Item = (u16, CacheLine)> {
        self.effort.iter().map(|cell| (cell.0, CacheLine::within(&*self.effort, cell)))
    }

    /// The nodes by worker.
    pub fn worker_nodes(&self) -> Vec<u64> {
        self.rows.iter().map(|row| row.nodes.load(Relaxed)).collect()
    }

    /// The answered tablebase probes of all workers.
    pub fn tb_hits(&self) -> u64 {
        self.rows.iter().map(|row| row.tb_hits.load(Relaxed)).sum()
    }

    /// Worker `index` has completed the iteration `depth` (in plies, from 1) and prefers `choice`.
    /// Only that worker may call it.
    pub fn prefer(&self, index: usize, choice: u16, depth: Depth) {
        let cell = &self.rows[index].opinion;
        if opinion(cell.load(Relaxed)).is_none_or(|(last, _)| last != choice) {
            cell.store((depth as u64) << SINCE_SHIFT | u64::from(choice), Relaxed);
        }
    }

    /// For how many iterations, up to `depth`, the workers have preferred `choice`: the mean over
    /// those that have an opinion. A worker counts at most `most`, one that prefers another move 0,
    /// and one that found the move at a greater depth 1.
    pub fn kept(&self, choice: u16, depth: Depth, most: Depth) -> f64 {
        let opinions = self.rows.iter().filter_map(|row| opinion(row.opinion.load(Relaxed)));
        let (sum, count) = opinions.fold((0, 0), |(sum, count), (preferred, since)| {
            let kept = if preferred == choice { (depth - since + 1).clamp(1, most) } else { 0 };
            (sum + kept, count + 1)
        });
        f64::from(sum) / f64::from(count.max(1))
    }

    /// Worker `index` has completed the iteration of that ballot. Only that worker may call it.
    pub fn set_ballot(&self, index: usize, ballot: Ballot<u16>) {
        let Ballot { choice, score, depth } = ballot;
        let score = u64::from(score.get() as u16) << SCORE_SHIFT;
        let word = score | (depth as u64) << COUNT_SHIFT | u64::from(choice);
        self.rows[index].ballot.store(word, Relaxed);
    }

    /// What each worker would vote for now; `None` before it has completed an iteration.
    pub fn ballots(&self) -> Vec<Option<Ballot<u16>>> {
        let ballot = |row: &CachePadded<Row>| {
            let word = row.ballot.load(Relaxed);
            let score = Score::new((word >> SCORE_SHIFT) as i16 as i32);
            let depth = Depth::from((word >> COUNT_SHIFT) as u16);
            (word != 0).then_some(Ballot { choice: word as u16, score, depth })
        };
        self.rows.iter().map(ballot).collect()
    }

    /// Adds nodes to a choice; one that is not listed is ignored.
    pub fn spend(&self, choice: u16, nodes: u64) {
        if let Some((_, cell)) = self.effort.iter().find(|(listed, _)| *listed == choice) {
            cell.fetch_add(nodes, Relaxed);
        }
    }

    /// The share of all nodes spent so far that a choice took, 0 to 1.
    pub fn share(&self, choice: u16) -> f64 {
        let (mut own, mut all) = (0, 0);
        for (listed, cell) in &self.effort {
            let nodes = cell.load(Relaxed);
            own += if *listed == choice { nodes } else { 0 };
            all += nodes;
        }
        own as f64 / all.max(1) as f64
    }

    /// Worker `index` begins `choice` in the iteration `depth`, as move number `move_count` from 1.
    /// Only that worker may call it.
    pub fn set_current(&self, index: usize, depth: Depth, choice: u16, move_count: usize) {
        let word = (depth as u64) << DEPTH_SHIFT | (move_count as u64) << COUNT_SHIFT;
        self.rows[index].current.store(word | u64::from(choice), Relaxed);
    }

    /// The iteration of worker `index` in plies, its choice and the move count; `None` before the
    /// first.
    pub fn current(&self, index: usize) -> Option<(Depth, u16, usize)> {
        let word = self.rows.get(index)?.current.load(Relaxed);
        let move_count = usize::from((word >> COUNT_SHIFT) as u16);
        (word != 0).then_some(((word >> DEPTH_SHIFT) as Depth, word as u16, move_count))
    }
}

/// Adds to a cell that only this thread writes.
#[inline]
pub fn add(cell: &AtomicU64, n: u64) {
    cell.store(cell.load(Relaxed) + n, Relaxed);
}

/// The choice and the iteration of an opinion, if its worker has completed one.
fn opinion(word: u64) -> Option<(u16, Depth)> {
    (word != 0).then_some((word as u16, (word >> SINCE_SHIFT) as Depth))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const MOST: Depth = 5;

    #[test]
    fn sums_are_those_of_the_rows() {
        let board = Board::new(3, []);
        for index in [0, 2, 2] {
            board.count_node(index);
        }
        board.count_tb_hits(1, 7);
        assert_eq!((board.nodes(), board.worker_nodes(), board.tb_hits()), (3, vec![1, 0, 2], 7));
    }

    #[test]
    fn no_two_rows_share_a_cache_line() {
        const CACHE_LINE: usize = 64;
        let board = Board::new(2, []);
        let address = |index: usize| &raw const *board.rows[index] as usize;
        assert!(address(1) - address(0) >= CACHE_LINE);
    }

    #[test]
    fn one_alone_counts_its_own_iterations() {
        let board = Board::new(1, []);
        assert_eq!(board.kept(7, 1, MOST), 0.0);
        for (depth, expected) in (1..=8).zip([1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0]) {
            board.prefer(0, 7, depth);
            assert_eq!(board.kept(7, depth, MOST), expected, "{depth}");
        }
        board.prefer(0, 9, 9);
        assert_eq!([board.kept(9, 9, MOST), board.kept(7, 9, MOST)], [1.0, 0.0]);
        board.prefer(0, 7, 10);
        assert_eq!(board.kept(7, 10, MOST), 1.0, "the count begins again");
    }

    #[test]
    fn the_others_count_as_much_as_the_first() {
        let board = Board::new(4, []);
        board.prefer(0, 7, 4);
        assert_eq!(board.kept(7, 7, MOST), 4.0, "the others have no opinion yet");
        board.prefer(1, 7, 9);
        board.prefer(2, 8, 2);
        assert_eq!(board.kept(7, 7, MOST), (4.0 + 1.0 + 0.0) / 3.0);
    }

    #[test]
    fn shares_are_of_all_that_was_spent() {
        let board = Board::new(1, [3, 5, 8]);
        assert_eq!(board.share(3), 0.0);
        for (choice, nodes) in [(3, 10), (5, 20), (3, 30), (4, 1000)] {
            board.spend(choice, nodes);
        }
        assert_eq!(
            [3, 5, 8, 4].map(|choice| board.share(choice)),
            [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]
        );
    }

    #[test]
    fn a_ballot_is_read_as_it_was_set() {
        let board = Board::new(2, []);
        let scores = [Score::DRAW, Score::new(-135), Score::mate_in(3), Score::mated_in(8)];
        for (score, depth) in scores.into_iter().zip([1, 9, 100, 245]) {
            let ballot = Ballot { choice: 77, score, depth };
            board.set_ballot(1, ballot);
            assert_eq!(board.ballots(), [None, Some(ballot)]);
        }
    }

    #[test]
    fn the_current_move_is_read_as_it_was_set() {
        let board = Board::new(2, []);
        assert_eq!([0, 1].map(|index| board.current(index)), [None; 2]);
        for (depth, choice, move_count) in [(1, 1, 1), (239, u16::MAX, 256)] {
            board.set_current(1, depth, choice, move_count);
            assert_eq!(board.current(1), Some((depth, choice, move_count)));
        }
    }
}
