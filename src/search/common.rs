//! What the workers of an engine have in common from search to search.

use crate::eval::nnue::network::Network;
use crate::memory::{HEADROOM, OutOfMemory, check_headroom};
use crate::sync::Arc;
use crate::syzygy::Tablebases;
use crate::tt::{StoreHook, Table};

use super::Worker;
use super::history::Histories;

/// What the workers of an engine have in common from search to search.
#[derive(Clone)]
pub struct Common {
    /// The transposition table.
    pub table: Arc<Table>,
    /// The network, or none for the classical evaluation.
    pub network: Option<Arc<Network>>,
    /// The endgame tables, possibly none.
    pub tablebases: Arc<Tablebases>,
    /// The histories of which the workers use those that they share.
    pub histories: Arc<Histories>,
    /// What each worker has in common with those near by; empty if all have the same in common.
    pub near: Arc<[Option<Near>]>,
    /// Listens to what the workers store, if anyone does.
    pub on_store: Option<Arc<StoreHook>>,
}

/// What a worker has in common with those near by, in memory near by.
#[derive(Clone)]
pub struct Near {
    /// Those on its memory node.
    network: Option<Arc<Network>>,
    /// Those of its group, see [`Sharing`](crate::smp::sharing::Sharing).
    histories: Arc<Histories>,
}

impl Near {
    /// Room for one of them, in bytes, rounded up.
    pub const ROOM: usize = 8 << 20;

    /// A copy of `network` and empty histories, in memory near the thread that makes them.
    #[must_use]
    pub fn new(network: Option<&Network>) -> Self {
        let network = network.cloned().map(Arc::new);
        Self { network, histories: Arc::new(Histories::new()) }
    }

    /// The same with the network of a worker on the same node.
    #[must_use]
    pub fn with_network_of(&self, other: &Self) -> Self {
        Self { network: other.network.clone(), ..self.clone() }
    }
}

impl Common {
    /// A table and an evaluation, with empty histories, no endgame tables and nobody who listens.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn new(table: Arc<Table>, network: Option<Arc<Network>>) -> Result<Self, OutOfMemory> {
        check_headroom(HEADROOM + Worker::ROOM)?;
        Ok(Self {
            table,
            network,
            tablebases: Arc::default(),
            histories: Arc::new(Histories::new()),
            near: Arc::default(),
            on_store: None,
        })
    }

    fn near(&self, index: usize) -> Option<&Near> {
        self.near.get(index).and_then(Option::as_ref)
    }

    /// The network of worker `index`.
    #[must_use]
    pub fn network_of(&self, index: usize) -> Option<&Network> {
        let copy = self.near(index).and_then(|near| near.network.as_deref());
        copy.or(self.network.as_deref())
    }

    /// The histories that worker `index` shares: with the workers of its group, or with all.
    #[must_use]
    pub fn histories_of(&self, index: usize) -> &Histories {
        self.near(index).map_or(&self.histories, |near| &near.histories)
    }

    /// Forgets what the workers have learnt together. Called while none searches.
    pub fn clear_histories(&self) {
        self.histories.clear();
        let near: Vec<_> = self.near.iter().flatten().map(|near| &near.histories).collect();
        for (index, histories) in near.iter().enumerate() {
            if !near[..index].iter().any(|before| Arc::ptr_eq(before, histories)) {
                histories.clear();
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::eval::nnue::eval_file::EvalFile;

    #[test]
    fn workers_share_with_those_of_their_node() {
        let nodes = [(); 2].map(|()| Some(Near::new(None)));
        let near = [nodes[0].clone(), nodes[1].clone(), nodes[0].clone(), None];
        let common = Common::new(Arc::new(Table::new(1).unwrap()), None).unwrap();
        let common = Common { near: near.into(), ..common };
        let histories = |index| std::ptr::from_ref(common.histories_of(index));
        assert_eq!(histories(0), histories(2));
        assert_ne!(histories(0), histories(1));
        assert_eq!(histories(3), std::ptr::from_ref(&*common.histories));
        assert_eq!(histories(4), histories(3));
    }

    #[test]
    fn workers_evaluate_with_the_copy_on_their_node() {
        let network = EvalFile::Default.load().unwrap();
        let near = [Some(Near::new(network.as_deref())), None];
        let common = Common::new(Arc::new(Table::new(1).unwrap()), network).unwrap();
        let common = Common { near: near.into(), ..common };
        let address = |network: Option<&Network>| network.map(std::ptr::from_ref);
        let [own, copy] = [common.network.as_deref(), common.near(0).unwrap().network.as_deref()];
        assert_ne!(address(own), address(copy));
        assert_eq!([0, 1].map(|index| address(common.network_of(index))), [copy, own].map(address));
    }
}
