//! The only file that sends and receives.
//!
//! Everything is buffered: MPI copies a message that is sent and returns at once, and only messages
//! that have arrived are received. What may be on its way is bounded by the protocol: an order
//! waits for its answer, a message of entries and a question for totals for theirs.

use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};
use mpi::{Tag, Threading};

/// Room for messages on their way from one rank, in bytes. Memory that is not used is not taken.
const BUFFER: usize = 64 << 20;

/// A message that has arrived.
pub enum Mail {
    /// The first rank orders something.
    Order(Vec<u8>),
    /// A rank answers an order.
    Answer(usize, Vec<u8>),
    /// The first rank asks for totals.
    Poll,
    /// Totals of a rank.
    Totals(usize, Vec<u64>),
    /// Entries from the rank before this one.
    Entries(Vec<u64>),
    /// The next rank has taken the last entries.
    Ready,
}

const ORDER: Tag = 1;
const ANSWER: Tag = 2;
const POLL: Tag = 3;
const TOTALS: Tag = 4;
const ENTRIES: Tag = 5;
const READY: Tag = 6;

/// This rank among all.
pub struct Net {
    world: SimpleCommunicator,
    /// Its number.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
}

/// Starts MPI for calls from this thread alone; `None` if it cannot be used from a program with
/// several threads.
pub fn join() -> Option<(Universe, Net)> {
    let (mut universe, granted) = mpi::initialize_with_threading(Threading::Funneled)?;
    if granted < Threading::Funneled {
        return None;
    }
    universe.set_buffer_size(BUFFER);
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    Some((universe, Net { world, rank, ranks }))
}

impl Net {
    /// What every rank says, in the order of the ranks. Waits for all of them.
    pub fn gather(&self, word: u64) -> Vec<u64> {
        let mut words = vec![0; self.ranks];
        self.world.all_gather_into(&word, &mut words[..]);
        words
    }

    /// Gives an order to a rank.
    pub fn order(&self, to: usize, order: &[u8]) {
        self.process(to).buffered_send_with_tag(order, ORDER);
    }

    /// Answers an order.
    pub fn answer(&self, answer: &[u8]) {
        self.process(0).buffered_send_with_tag(answer, ANSWER);
    }

    /// Asks a rank for its totals.
    pub fn ask_totals(&self, of: usize) {
        self.process(of).buffered_send_with_tag(&[0_u8; 0], POLL);
    }

    /// Tells the first rank this one's totals.
    pub fn tell_totals(&self, totals: &[u64]) {
        self.process(0).buffered_send_with_tag(totals, TOTALS);
    }

    /// Sends entries to the next rank.
    pub fn send_entries(&self, message: &[u64]) {
        self.process((self.rank + 1) % self.ranks).buffered_send_with_tag(message, ENTRIES);
    }

    /// Tells the rank before this one that its entries have been taken.
    pub fn say_ready(&self) {
        let before = (self.rank + self.ranks - 1) % self.ranks;
        self.process(before).buffered_send_with_tag(&[0_u8; 0], READY);
    }

    /// The next message that has arrived, if any.
    pub fn receive(&self) -> Option<Mail> {
        loop {
            let (message, status) = self.world.any_process().immediate_matched_probe()?;
            let from = status.source_rank() as usize;
            let mail = (message, status);
            return Some(match status.tag() {
                ORDER => Mail::Order(mail.matched_receive_vec().0),
                ANSWER => Mail::Answer(from, mail.matched_receive_vec().0),
                POLL => {
                    mail.matched_receive_vec::<u8>();
                    Mail::Poll
                }
                TOTALS => Mail::Totals(from, mail.matched_receive_vec().0),
                ENTRIES => Mail::Entries(mail.matched_receive_vec().0),
                READY => {
                    mail.matched_receive_vec::<u8>();
                    Mail::Ready
                }
                _ => {
                    mail.matched_receive_vec::<u8>();
                    continue;
                }
            });
        }
    }

    /// Ends every rank at once, for when one does not answer any more.
    pub fn abort(&self, status: i32) -> ! {
        self.world.abort(status)
    }

    fn process(&self, rank: usize) -> mpi::topology::Process<'_> {
        self.world.process_at_rank(rank as i32)
    }
}
