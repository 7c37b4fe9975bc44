//! Between the workers of a rank and the thread that speaks for them.

use heddle::exchange::{Filter, Outbox, Transport};
use heddle::sync::{Arc, Mutex, Weak};
use heddle::tt::{Packet, Table};

/// The outboxes of a rank's workers, and the table at which they search.
pub struct Link {
    filter: Filter,
    first_worker: usize,
    outboxes: Vec<Outbox>,
    /// Not kept alive: the engine may replace it between searches.
    table: Mutex<Weak<Table>>,
}

impl Link {
    /// The link of rank `rank`, which like every other has `threads` workers.
    pub fn new(rank: usize, threads: usize, filter: Filter) -> Self {
        Self {
            filter,
            first_worker: rank * threads,
            outboxes: (0..threads).map(|_| Outbox::new(filter.batch)).collect(),
            table: Mutex::default(),
        }
    }

    /// Calls `each` with whatever waits in the outboxes.
    pub fn take(&self, mut each: impl FnMut(Packet)) {
        self.outboxes.iter().for_each(|outbox| outbox.take(&mut each));
    }

    /// The table of the last search that began, if the engine still has it.
    pub fn table(&self) -> Option<Arc<Table>> {
        self.table.lock().upgrade()
    }
}

impl Transport for Link {
    fn filter(&self) -> Filter {
        self.filter
    }

    fn first_worker(&self) -> usize {
        self.first_worker
    }

    fn begin(&self, table: &Arc<Table>, _workers: usize) {
        *self.table.lock() = Arc::downgrade(table);
    }

    fn send(&self, worker: usize, packets: &[Packet]) -> bool {
        // There is an outbox for each worker: the link is renewed with their number.
        self.outboxes.get(worker).is_some_and(|outbox| outbox.put(packets))
    }
}
