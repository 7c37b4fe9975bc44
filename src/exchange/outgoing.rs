//! What a worker has to tell the other ranks.

use super::{Deepest, Transport};
use crate::tt::Packet;

/// The deepest entries that a worker has stored and not yet sent, and the way to send them.
pub struct Outgoing<'a> {
    transport: &'a dyn Transport,
    deepest: Deepest,
}

impl<'a> Outgoing<'a> {
    /// Nothing yet.
    #[must_use]
    pub fn new(transport: &'a dyn Transport) -> Self {
        Self { transport, deepest: Deepest::new(transport.filter()) }
    }

    /// In lockstep, a turn begins in round `round`.
    pub fn turn(&self, round: u64) {
        self.transport.turn(round);
    }

    /// Keeps a packet of worker `index` if it is among the deepest, and sends what there is if the
    /// transport takes it.
    pub fn offer(&mut self, index: usize, packet: Packet) {
        if self.deepest.offer(packet) && self.transport.send(index, self.deepest.packets()) {
            self.deepest.clear();
        }
    }
}
