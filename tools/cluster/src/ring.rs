//! A rank's part in the ring of entries.
//!
//! A message goes to the next rank when that has taken the last one; until then what is found
//! gathers, the deepest first. So a slow rank slows the ring and nothing else.

use std::fmt;
use std::time::{Duration, Instant};

use heddle::sync::Arc;
use heddle::tt::Table;
use heddle_exchange::{MESSAGE, Outgoing, Relay};

use crate::net::Net;

/// What is under way at one rank.
pub struct Ring {
    outgoing: Arc<Outgoing>,
    relay: Relay,
    /// The next rank has taken the last message.
    is_clear: bool,
    /// The search that runs, if one does, and its table.
    search: Option<(u64, Arc<Table>)>,
    message: Vec<u64>,
    began: Instant,
    sent: Sent,
}

/// What a rank has sent to the next.
#[derive(Copy, Clone, Default)]
pub struct Sent {
    messages: u64,
    bytes: u64,
    /// The time of all searches together.
    time: Duration,
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { messages, bytes, time } = self;
        let rate = *bytes as f64 / 1e3 / time.as_secs_f64().max(1e-9);
        let seconds = time.as_secs_f64();
        write!(f, "{messages} messages, {bytes} bytes in {seconds:.1} s of search: {rate:.1} kB/s")
    }
}

impl Ring {
    /// The part of one of `ranks` ranks, which sends what is `outgoing`.
    pub fn new(outgoing: Arc<Outgoing>, ranks: usize) -> Self {
        let relay = Relay::new(ranks, MESSAGE);
        Self {
            outgoing,
            relay,
            is_clear: true,
            search: None,
            message: Vec::new(),
            began: Instant::now(),
            sent: Sent::default(),
        }
    }

    /// Sends what is `outgoing` from now on; no search runs.
    pub fn reconnect(&mut self, outgoing: Arc<Outgoing>) {
        self.outgoing = outgoing;
    }

    /// A search with this number has begun, with this table.
    pub fn begin(&mut self, generation: u64, table: Arc<Table>) {
        self.outgoing.take(|_| ());
        self.relay.clear();
        self.search = Some((generation, table));
        self.began = Instant::now();
    }

    /// The search is over.
    pub fn end(&mut self) {
        if self.search.take().is_some() {
            self.sent.time += self.began.elapsed();
        }
    }

    /// What has been sent so far.
    pub fn sent(&self) -> Sent {
        self.sent
    }

    /// Whether a search runs.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Whether everything sent has arrived.
    pub fn is_clear(&self) -> bool {
        self.is_clear
    }

    /// The next rank has taken the last message.
    pub fn ready(&mut self) {
        self.is_clear = true;
    }

    /// Takes in a message of the rank before this one: stores what belongs to the same search, and
    /// keeps for the next rank what goes on.
    pub fn receive(&mut self, net: &Net, message: &[u64]) {
        net.say_ready();
        if let (Some((generation, table)), Some((first, packets))) =
            (&self.search, message.split_first())
            && generation == first
        {
            self.relay.receive(packets, |packet| table.receive(packet));
        }
    }

    /// Sends what there is, if there is anything and the next rank has taken the last message.
    pub fn step(&mut self, net: &Net) {
        let Some((generation, _)) = &self.search else { return };
        self.outgoing.take(|packet| self.relay.add(packet));
        if self.is_clear && !self.relay.is_empty() {
            self.message.clear();
            self.message.push(*generation);
            self.relay.write(&mut self.message);
            net.send_entries(&self.message);
            self.sent.messages += 1;
            self.sent.bytes += size_of_val(&self.message[..]) as u64;
            self.is_clear = false;
        }
    }
}
