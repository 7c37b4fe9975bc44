//! The first rank's thread for messages: it carries what the protocol orders to the others, and
//! what they answer back.

use std::time::{Duration, Instant};

use heddle::engine::Generation;
use heddle::smp::mailbox::Mailbox;
use heddle::sync::{Arc, Mutex};
use heddle::tt::Table;
use heddle_exchange::Outgoing;

use crate::member::nap;
use crate::net::{Mail, Net};
use crate::ring::{Ring, Sent};
use crate::wire::{Answer, Order, write};

/// How often the others are asked for their totals.
const POLL: Duration = Duration::from_millis(20);
/// How long they may take to end.
const GRACE: Duration = Duration::from_secs(10);

/// What the protocol asks for.
pub enum Request {
    /// Send what is outgoing here from now on.
    Reconnect(Arc<Outgoing>),
    /// A search has begun on this rank, and begins with the order on those that take part.
    Start {
        /// Its number.
        generation: u64,
        /// This rank's table.
        table: Arc<Table>,
        /// Who takes part.
        to: Vec<usize>,
        /// The order.
        order: Order,
    },
    /// The search is over.
    Stop,
    /// An order for these ranks.
    Order(Vec<usize>, Order),
    /// The program ends.
    Quit,
}

/// What the two threads of the first rank share.
#[derive(Clone, Default)]
pub struct Desk {
    /// From the protocol.
    pub requests: Arc<Mailbox<Request>>,
    /// To the protocol: the answers, each with its rank.
    pub answers: Arc<Mailbox<(usize, Answer)>>,
    /// The number of a search, and the nodes and hits in the tablebases of all other ranks in it,
    /// as far as they are known.
    pub totals: Arc<Mutex<(Generation, [u64; 2])>>,
}

/// The thread for messages.
pub struct Head<'a> {
    net: &'a Net,
    desk: Desk,
    ring: Ring,
    generation: u64,
    /// The ranks that take part in the search.
    to: Vec<usize>,
    /// What is known of each rank's totals.
    totals: Vec<[u64; 2]>,
    /// Who has been asked for them and has not answered.
    is_asked: Vec<bool>,
    next_poll: Instant,
    /// How many have said goodbye.
    byes: usize,
}

impl<'a> Head<'a> {
    /// The thread for messages of the first rank.
    pub fn new(net: &'a Net, outgoing: Arc<Outgoing>, desk: Desk) -> Self {
        let ring = Ring::new(outgoing, net.ranks);
        let (totals, is_asked) = (vec![[0; 2]; net.ranks], vec![false; net.ranks]);
        let (to, next_poll) = (Vec::new(), Instant::now());
        Self { net, desk, ring, generation: 0, to, totals, is_asked, next_poll, byes: 0 }
    }

    /// Carries messages until the program ends, looking for them every `step` during a search.
    /// Returns what it has sent, or nothing if some rank has not ended in time.
    pub fn run(&mut self, step: Duration) -> Option<Sent> {
        let mut idle_since = Instant::now();
        loop {
            let wake = Instant::now() + nap(step, idle_since, self.ring.is_searching());
            let mut request = self.desk.requests.receive(Some(wake));
            while let Some(wanted) = request {
                idle_since = Instant::now();
                if matches!(wanted, Request::Quit) {
                    return self.close().then(|| self.ring.sent());
                }
                self.carry(wanted);
                request = self.desk.requests.receive(Some(Instant::now()));
            }
            if self.receive() {
                idle_since = Instant::now();
            }
            self.ask_totals();
            self.ring.step(self.net);
        }
    }

    fn carry(&mut self, request: Request) {
        match request {
            Request::Reconnect(outgoing) => self.ring.reconnect(outgoing),
            Request::Start { generation, table, to, order } => {
                self.order(&to, &order);
                self.ring.begin(generation, table);
                (self.generation, self.to) = (generation, to);
                self.totals.fill([0; 2]);
            }
            Request::Stop => {
                self.order(&self.to, &Order::Stop);
                self.ring.end();
            }
            Request::Order(to, order) => self.order(&to, &order),
            Request::Quit => {}
        }
    }

    fn order(&self, to: &[usize], order: &Order) {
        let text = write(order);
        to.iter().for_each(|&rank| self.net.order(rank, &text));
    }

    /// Takes in what has arrived; false if nothing had.
    fn receive(&mut self) -> bool {
        let mut has_mail = false;
        while let Some(mail) = self.net.receive() {
            has_mail = true;
            match mail {
                Mail::Answer(rank, text) => match serde_json::from_slice(&text) {
                    Ok(Answer::Bye) => self.byes += 1,
                    Ok(answer) => self.desk.answers.send((rank, answer)),
                    Err(_) => {} // as if there had been no answer
                },
                Mail::Totals(rank, totals) => self.note_totals(rank, &totals),
                Mail::Entries(message) => self.ring.receive(self.net, &message),
                Mail::Ready => self.ring.ready(),
                Mail::Order(_) | Mail::Poll => {}
            }
        }
        has_mail
    }

    fn ask_totals(&mut self) {
        let now = Instant::now();
        if !self.ring.is_searching() || now < self.next_poll {
            return;
        }
        self.next_poll = now + POLL;
        for &rank in &self.to {
            if !std::mem::replace(&mut self.is_asked[rank], true) {
                self.net.ask_totals(rank);
            }
        }
    }

    fn note_totals(&mut self, rank: usize, totals: &[u64]) {
        self.is_asked[rank] = false;
        if let [generation, nodes, tb_hits] = *totals
            && generation == self.generation
            && self.ring.is_searching()
        {
            self.totals[rank] = [nodes, tb_hits];
            let sum = |of: usize| self.totals.iter().map(|totals| totals[of]).sum();
            *self.desk.totals.lock() = (generation, [sum(0), sum(1)]);
        }
    }

    /// Ends all ranks: they send nothing more, then everything has arrived, then they end.
    fn close(&mut self) -> bool {
        let others: Vec<usize> = (1..self.net.ranks).collect();
        self.ring.end();
        self.order(&others, &Order::Quit);
        let deadline = Instant::now() + GRACE;
        while self.byes < others.len() || !self.ring.is_clear() {
            self.receive();
            if Instant::now() >= deadline {
                return false;
            }
            // Nobody asks for anything any more.
            let _ = self.desk.requests.receive(Some(Instant::now() + Duration::from_millis(1)));
        }
        self.order(&others, &Order::End);
        true
    }
}
