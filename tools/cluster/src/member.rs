//! Every rank but the first: it does what it is told.

use std::time::{Duration, Instant};

use heddle::engine::Settings;
use heddle::sync::{Arc, thread};
use heddle::uci::protocol::Host;
use heddle_exchange::Outgoing;

use crate::local::Local;
use crate::net::{Mail, Net};
use crate::ring::{Ring, Sent};
use crate::wire::{Answer, Found, Order, Start, write};

/// The longest nap of a rank that has nothing to do.
const LONGEST_NAP: Duration = Duration::from_millis(10);
/// An idle rank naps for the time it has been idle divided by this.
const NAPS: u32 = 100;

/// How long to sleep before looking for messages again: `step` during a search, and longer the
/// longer there has been nothing to do.
pub fn nap(step: Duration, idle_since: Instant, is_searching: bool) -> Duration {
    if is_searching {
        step
    } else {
        (idle_since.elapsed() / NAPS).clamp(step, LONGEST_NAP.max(step))
    }
}

/// A rank that obeys.
pub struct Member<'a> {
    net: &'a Net,
    local: Local,
    ring: Ring,
    generation: u64,
    /// It has been told to send nothing more, and has not said yet that all has arrived.
    is_leaving: bool,
}

impl<'a> Member<'a> {
    /// The member of this rank.
    pub fn new(net: &'a Net, local: Local, outgoing: Arc<Outgoing>) -> Self {
        let ring = Ring::new(outgoing, net.ranks);
        Self { net, local, ring, generation: 0, is_leaving: false }
    }

    /// Obeys until it is told to end, looking for messages every `step` while it searches. Returns
    /// what it has sent.
    ///
    /// # Errors
    /// A line, if an order cannot be understood.
    pub fn run(&mut self, step: Duration) -> Result<Sent, String> {
        let mut idle_since = Instant::now();
        loop {
            while let Some(mail) = self.net.receive() {
                idle_since = Instant::now();
                match mail {
                    Mail::Order(order) => {
                        let order = serde_json::from_slice(&order)
                            .map_err(|error| format!("unknown order: {error}"))?;
                        if matches!(order, Order::End) {
                            return Ok(self.ring.sent());
                        }
                        self.obey(order)?;
                    }
                    Mail::Entries(message) => self.ring.receive(self.net, &message),
                    Mail::Ready => self.ring.ready(),
                    Mail::Poll => self.tell_totals(),
                    Mail::Answer(..) | Mail::Totals(..) => {}
                }
            }
            if self.is_leaving && self.ring.is_clear() {
                self.is_leaving = false;
                self.net.answer(&write(&Answer::Bye));
            }
            self.ring.step(self.net);
            thread::sleep(nap(step, idle_since, self.ring.is_searching()));
        }
    }

    fn obey(&mut self, order: Order) -> Result<(), String> {
        match order {
            Order::Start(start) => self.start(&start)?,
            Order::Stop => self.stop(),
            Order::Change(change) => {
                let error = match self.local.change(&change.read()) {
                    Ok((_, outgoing)) => {
                        outgoing.into_iter().for_each(|new| self.ring.reconnect(new));
                        None
                    }
                    Err(error) => Some(error.to_string()),
                };
                let state = self.local.state();
                self.net.answer(&write(&Answer::Changed { error, state }));
            }
            Order::Quit => {
                self.local.host.engine().stop();
                self.ring.end();
                self.is_leaving = true;
            }
            Order::End => {}
        }
        Ok(())
    }

    fn start(&mut self, start: &Start) -> Result<(), String> {
        let (game, limits, settings) =
            start.read().ok_or_else(|| "a search that is none".to_owned())?;
        let engine = self.local.host.engine();
        // The workers of all ranks are staggered as if they were those of one engine.
        let settings = Settings { first_worker: self.net.rank * engine.threads(), ..settings };
        // Nobody here is told of lines.
        engine.start(&game, &limits, &settings, |_| ());
        self.generation = start.generation;
        let table = Arc::clone(engine.table());
        self.ring.begin(start.generation, table);
        Ok(())
    }

    fn stop(&mut self) {
        let ending = self.local.host.finish();
        self.ring.end();
        let totals = [ending.totals.nodes, ending.totals.tb_hits];
        let found = Found::new(self.generation, totals, ending.faults, &ending.result.outcomes);
        self.net.answer(&write(&Answer::Found(found.into())));
    }

    fn tell_totals(&mut self) {
        let totals = self.local.host.engine().totals();
        self.net.tell_totals(&[self.generation, totals.nodes, totals.tb_hits]);
    }
}
