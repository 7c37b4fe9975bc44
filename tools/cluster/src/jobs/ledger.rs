//! Which units are open, and which rank has which: the bookkeeping of the first rank, without any
//! messages.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use heddle::cli::hands::Frame;

/// Hands that a unit may cost before it is given up.
const MAX_LOSSES: u32 = 3;
/// Hands of a rank that may fail to start in a row before the rank gets no more units.
const MAX_FAILURES: u32 = 2;
/// A rank that has said nothing for so long counts as lost until it does.
pub const SILENCE: Duration = Duration::from_secs(5);

/// Why a job is given up.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenUp {
    /// A unit costs every hand.
    #[error("{MAX_LOSSES} processes have died over the same piece of work; it is given up")]
    Unit,
    /// No rank can start a hand.
    #[error("no rank can start the tool")]
    Ranks,
}

/// All units and ranks.
pub struct Ledger {
    open: HashMap<u64, Unit>,
    /// Units that no rank does, perhaps with some that are done meanwhile.
    waiting: VecDeque<u64>,
    ranks: Vec<Rank>,
    /// Hands of each rank.
    hands: usize,
}

/// A unit without a result.
struct Unit {
    bytes: Vec<u8>,
    /// Hands that have died over it.
    losses: u32,
}

/// What is known of a rank.
struct Rank {
    /// The units it has been given.
    holds: HashSet<u64>,
    /// Hands that have failed to start, in a row.
    failures: u32,
    /// When it was last heard of.
    heard: Instant,
    is_lost: bool,
}

impl Ledger {
    /// A ledger of ranks with this many `hands` each, all there `now`.
    pub fn new(ranks: usize, hands: usize, now: Instant) -> Self {
        let rank = || Rank { holds: HashSet::new(), failures: 0, heard: now, is_lost: false };
        let ranks = (0..ranks).map(|_| rank()).collect();
        Self { open: HashMap::new(), waiting: VecDeque::new(), ranks, hands }
    }

    /// Takes in a unit.
    pub fn add(&mut self, Frame { id, bytes }: Frame) {
        self.open.insert(id, Unit { bytes, losses: 0 });
        self.waiting.push_back(id);
    }

    /// Gives the next unit to the rank with most idle hands, if there is a unit and such a rank.
    pub fn give(&mut self) -> Option<(usize, Frame)> {
        let hands = self.hands;
        let is_able =
            |rank: &Rank| !rank.is_lost && rank.failures < MAX_FAILURES && rank.holds.len() < hands;
        let able = self.ranks.iter_mut().enumerate().filter(|(_, rank)| is_able(rank));
        let (number, rank) = able.min_by_key(|(_, rank)| rank.holds.len())?;
        while let Some(id) = self.waiting.pop_front() {
            if let Some(Unit { bytes, .. }) = self.open.get(&id) {
                rank.holds.insert(id);
                return Some((number, Frame { id, bytes: bytes.clone() }));
            }
        }
        None
    }

    /// A rank has a result; false if another had it before.
    pub fn done(&mut self, rank: usize, id: u64) -> bool {
        self.ranks[rank].holds.remove(&id);
        self.ranks[rank].failures = 0;
        self.open.remove(&id).is_some()
    }

    /// A hand has died over a unit, which goes to another.
    ///
    /// # Errors
    /// [`GivenUp::Unit`], if it has cost enough of them.
    pub fn lost(&mut self, rank: usize, id: u64) -> Result<(), GivenUp> {
        self.ranks[rank].holds.remove(&id);
        if let Some(unit) = self.open.get_mut(&id) {
            unit.losses += 1;
            if unit.losses == MAX_LOSSES {
                return Err(GivenUp::Unit);
            }
            self.waiting.push_front(id);
        }
        Ok(())
    }

    /// A rank could not start a hand for a unit, which goes to another. Returns whether the rank
    /// gets no more units.
    ///
    /// # Errors
    /// [`GivenUp::Ranks`], if no rank gets any.
    pub fn unfit(&mut self, rank: usize, id: u64) -> Result<bool, GivenUp> {
        self.ranks[rank].holds.remove(&id);
        self.ranks[rank].failures += 1;
        self.waiting.push_front(id);
        if self.ranks.iter().all(|rank| rank.failures >= MAX_FAILURES) {
            return Err(GivenUp::Ranks);
        }
        Ok(self.ranks[rank].failures == MAX_FAILURES)
    }

    /// A rank was heard of; whether it had been lost.
    pub fn hear(&mut self, rank: usize, now: Instant) -> bool {
        self.ranks[rank].heard = now;
        std::mem::take(&mut self.ranks[rank].is_lost)
    }

    /// The ranks but the first that have just been found silent; their units go to others.
    pub fn silent(&mut self, now: Instant) -> Vec<usize> {
        let is_silent =
            |rank: &Rank| !rank.is_lost && now.saturating_duration_since(rank.heard) > SILENCE;
        let mut silent = Vec::new();
        for (number, rank) in self.ranks.iter_mut().enumerate().skip(1) {
            if is_silent(rank) {
                rank.is_lost = true;
                self.waiting.extend(&rank.holds);
                // They are the oldest.
                self.waiting.rotate_right(rank.holds.len());
                silent.push(number);
            }
        }
        silent
    }

    /// The ranks but the first that are not lost.
    pub fn present(&self) -> Vec<usize> {
        let ranks = self.ranks.iter().enumerate().skip(1);
        ranks.filter(|(_, rank)| !rank.is_lost).map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ledger of two ranks with these units, of which they have been given as many as they take.
    fn ledger(hands: usize, units: u64) -> (Ledger, Vec<(usize, u64)>) {
        let mut ledger = Ledger::new(2, hands, Instant::now());
        (0..units).for_each(|id| ledger.add(Frame { id, bytes: vec![id as u8] }));
        let given = given(&mut ledger);
        (ledger, given)
    }

    fn given(ledger: &mut Ledger) -> Vec<(usize, u64)> {
        std::iter::from_fn(|| ledger.give()).map(|(rank, frame)| (rank, frame.id)).collect()
    }

    #[test]
    fn every_hand_gets_a_unit_and_the_next_when_it_is_done() {
        let (mut ledger, first) = ledger(2, 6);
        assert_eq!(first, [(0, 0), (1, 1), (0, 2), (1, 3)]);
        assert!(ledger.done(1, 3));
        assert_eq!(given(&mut ledger), [(1, 4)]);
    }

    #[test]
    fn a_unit_whose_hand_dies_is_the_next_until_it_has_cost_too_many() {
        let (mut ledger, _) = ledger(1, 4);
        assert_eq!(ledger.lost(1, 1), Ok(()));
        assert_eq!(given(&mut ledger), [(1, 1)]);
        assert_eq!(ledger.lost(1, 1), Ok(()));
        assert_eq!(given(&mut ledger), [(1, 1)]);
        assert_eq!(ledger.lost(1, 1), Err(GivenUp::Unit));
    }

    #[test]
    fn a_rank_that_cannot_start_the_tool_is_left_out() {
        let (mut ledger, _) = ledger(1, 3);
        assert_eq!(ledger.unfit(1, 1), Ok(false));
        assert_eq!(given(&mut ledger), [(1, 1)]);
        assert_eq!(ledger.unfit(1, 1), Ok(true));
        assert_eq!(given(&mut ledger), []);
        assert!(ledger.done(0, 0));
        assert_eq!(given(&mut ledger), [(0, 1)]);
        assert_eq!(ledger.unfit(0, 1), Ok(false));
        assert_eq!(given(&mut ledger), [(0, 1)]);
        assert_eq!(ledger.unfit(0, 1), Err(GivenUp::Ranks));
    }

    #[test]
    fn the_units_of_a_silent_rank_go_to_others_and_count_once() {
        let (mut ledger, _) = ledger(1, 3);
        let later = Instant::now() + 2 * SILENCE;
        assert_eq!(ledger.silent(later), [1]);
        assert_eq!(ledger.silent(later), [0; 0], "told once");
        assert_eq!(ledger.present(), [0; 0]);
        assert!(ledger.done(0, 0));
        assert_eq!(given(&mut ledger), [(0, 1)]);
        // It was only slow.
        assert!(ledger.hear(1, later));
        assert_eq!(given(&mut ledger), [], "it still has a unit");
        assert!(ledger.done(1, 1));
        assert!(!ledger.done(0, 1), "another had it before");
        assert_eq!(given(&mut ledger), [(0, 2)]);
    }
}
