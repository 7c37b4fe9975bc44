//! Perft: counts the leaves of the tree of legal moves, which validates a move generator.

use std::io;

use crate::position::{Move, Position};
use crate::smp::crew::Crew;
use crate::smp::stop::StopFlag;
use crate::sync::{Arc, AtomicU64, Ordering::Relaxed};

/// The maximum depth, in plies: a deeper count would take centuries and overflow 64 bits.
pub const MAX_DEPTH: u32 = 13;

/// Counts the leaves `depth` plies below `position`; moves of the last ply are counted without
/// being played. Returns `None` if cancelled.
///
/// # Examples
/// ```
/// use heddle::{commands::perft::perft, position::Position, smp::stop::StopFlag};
/// assert_eq!(perft(&Position::default(), 3, &StopFlag::default()), Some(8_902));
/// ```
pub fn perft(position: &Position, depth: u32, cancel: &StopFlag) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return Some(moves.len() as u64);
    }
    if cancel.is_raised() {
        return None;
    }
    moves.into_iter().map(|m| perft(&position.play(m), depth - 1, cancel)).sum()
}

/// [`perft`] for each root move, in the order of the move generator, on `threads` threads. Returns
/// `None` if cancelled. At depth 0 there are no moves to list.
pub fn divide(
    position: &Position,
    depth: u32,
    threads: usize,
    cancel: &Arc<StopFlag>,
) -> io::Result<Option<Vec<(Move, u64)>>> {
    let moves = position.legal_moves();
    if depth == 0 || moves.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let counts: Arc<Vec<AtomicU64>> = Arc::new(moves.iter().map(|_| AtomicU64::new(0)).collect());
    let crew = Crew::new(threads.clamp(1, moves.len()))?;
    let job = {
        let (position, moves) = (position.clone(), moves.clone());
        let (counts, cancel) = (Arc::clone(&counts), Arc::clone(cancel));
        // Relaxed is enough: the atomic addition itself gives each worker a different number, and
        // the crew's lock publishes the counts.
        let next = AtomicU64::new(0);
        move |_, (): &mut ()| {
            loop {
                let index = next.fetch_add(1, Relaxed) as usize;
                let Some(&m) = moves.get(index) else { break };
                let Some(count) = perft(&position.play(m), depth - 1, &cancel) else { break };
                counts[index].store(count, Relaxed);
            }
        }
    };
    crew.run(job);
    let counts = counts.iter().map(|count| count.load(Relaxed));
    Ok((!cancel.is_raised()).then(|| moves.into_iter().zip(counts).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_what_one_thread_counts() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let position = Position::from_fen(kiwipete).unwrap();
        for threads in [1, 3] {
            let split = divide(&position, 3, threads, &Arc::default()).unwrap().unwrap();
            assert_eq!(split.len(), 48);
            assert_eq!(split.iter().map(|(_, count)| count).sum::<u64>(), 97_862);
        }
    }

    #[test]
    fn there_is_nothing_to_divide_without_moves() {
        let mated = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert_eq!(divide(&mated, 3, 2, &Arc::default()).unwrap(), Some(vec![]));
        assert_eq!(perft(&mated, 3, &StopFlag::default()), Some(0));
        assert_eq!(perft(&mated, 0, &StopFlag::default()), Some(1));
    }

    #[test]
    fn a_cancelled_count_is_no_count() {
        let cancel = Arc::<StopFlag>::default();
        cancel.raise();
        assert_eq!(perft(&Position::default(), 9, &cancel), None);
        assert_eq!(divide(&Position::default(), 9, 2, &cancel).unwrap(), None);
    }
}
