//! The only file that sends and receives.
//!
//! Everything is buffered: MPI copies a message that is sent and returns at once, and only messages
//! that have arrived are received. What may be on its way is bounded: a rank gets no more units
//! than it has hands, and says once a second that it is there.

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
}

const ORDER: Tag = 1;
const ANSWER: Tag = 2;

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

    /// The next message that has arrived, if any.
    pub fn receive(&self) -> Option<Mail> {
        let mail = self.world.any_process().immediate_matched_probe()?;
        let (bytes, status) = mail.matched_receive_vec();
        let from = status.source_rank() as usize;
        Some(if status.tag() == ORDER { Mail::Order(bytes) } else { Mail::Answer(from, bytes) })
    }

    fn process(&self, rank: usize) -> mpi::topology::Process<'_> {
        self.world.process_at_rank(rank as i32)
    }
}
