//! Nodes that all workers together have spent on each choice.

use crate::sync::{AtomicU64, Ordering::Relaxed};

/// One count per choice, the bits of a root move, to which any thread may add.
///
/// The additions are atomic, so none is lost. They are rare, one per root move and iteration, so the
/// cells may share cache lines. Nothing else depends on a count, so relaxed is enough.
#[derive(Debug, Default)]
pub struct Tally(Box<[(u16, AtomicU64)]>);

impl Tally {
    /// Zero for each choice.
    #[must_use]
    pub fn new(choices: impl IntoIterator<Item = u16>) -> Self {
        Self(choices.into_iter().map(|choice| (choice, AtomicU64::new(0))).collect())
    }

    /// Adds `nodes` to a choice; one that is not listed is ignored.
    pub fn add(&self, choice: u16, nodes: u64) {
        if let Some((_, cell)) = self.0.iter().find(|(listed, _)| *listed == choice) {
            cell.fetch_add(nodes, Relaxed);
        }
    }

    /// The share of all nodes so far that was spent on a choice, 0 to 1.
    #[must_use]
    pub fn share(&self, choice: u16) -> f64 {
        let (mut own, mut all) = (0, 0);
        for (listed, cell) in &self.0 {
            let nodes = cell.load(Relaxed);
            own += if *listed == choice { nodes } else { 0 };
            all += nodes;
        }
        own as f64 / all.max(1) as f64
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_that_was_added() {
        let tally = Tally::new([3, 5, 8]);
        assert_eq!(tally.share(3), 0.0);
        for (choice, nodes) in [(3, 10), (5, 20), (3, 30), (4, 1000)] {
            tally.add(choice, nodes);
        }
        assert_eq!(
            [3, 5, 8, 4].map(|choice| tally.share(choice)),
            [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]
        );
    }
}
