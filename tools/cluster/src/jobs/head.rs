//! The first rank of a job: it carries units from the tool to the ranks and results back.

use std::collections::HashSet;
use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use heddle::smp::mailbox::Mailbox;
use heddle::sync::{Arc, thread};

use super::crew::Crew;
use super::ledger::{GivenUp, Ledger};
use super::outcome::{Outcome, frame_bytes};
use super::tool::{Event, Tool};
use super::{END, HEARD, Job, NAPS};
use crate::Failure;
use crate::net::{Mail, Net};

/// How long the other ranks may take to end.
const GRACE: Duration = Duration::from_secs(5);
/// The status if the tool was killed.
const FAILURE: u8 = 1;

/// The first rank.
pub struct Head<'a> {
    net: &'a Net,
    crew: Crew,
    ledger: Ledger,
    events: Arc<Mailbox<Event>>,
    /// Hands of all ranks.
    hands: usize,
    has_lost: bool,
}

impl<'a> Head<'a> {
    /// The first rank, whose own hands are `crew`; every rank has as many `hands`.
    pub fn new(net: &'a Net, crew: Crew, hands: usize, events: Arc<Mailbox<Event>>) -> Self {
        let ledger = Ledger::new(net.ranks, hands, Instant::now());
        Self { net, crew, ledger, events, hands: hands * net.ranks, has_lost: false }
    }

    /// Runs the tool to its end, and returns its status, or a line if it cannot be started or the
    /// job is given up; and whether a rank is lost.
    pub fn run(mut self, job: &Job) -> (Result<u8, Failure>, bool) {
        let mut given_up = None;
        let ended = Tool::start(job, self.hands, &self.events).and_then(|mut tool| {
            loop {
                match self.step(&mut tool) {
                    Ok(None) => {}
                    Ok(Some(ended)) => return ended,
                    Err(error) => {
                        given_up = given_up.or(Some(error));
                        tool.abandon();
                    }
                }
            }
        });
        self.close();
        let ended = match given_up {
            Some(error) => Err(error.into()),
            None => ended.map(status).map_err(Failure::from),
        };
        (ended, self.has_lost)
    }

    /// Takes in what has happened and gives out what there is. Returns the tool's status once it
    /// has ended.
    fn step(&mut self, tool: &mut Tool) -> Result<Option<io::Result<ExitStatus>>, GivenUp> {
        let mut event = self.events.receive(Some(Instant::now() + NAPS[1]));
        while let Some(happened) = event {
            match happened {
                Event::Ended(status) => return Ok(Some(status)),
                Event::Connected(results) => tool.connect(results),
                Event::Unit(unit) => self.ledger.add(unit),
                Event::Outcome(slot, outcome) => {
                    self.crew.release(slot);
                    self.note(0, outcome, tool)?;
                }
            }
            event = self.events.receive(Some(Instant::now()));
        }
        while let Some((rank, outcome)) = self.receive() {
            self.note(rank, outcome, tool)?;
        }
        for rank in self.ledger.silent(Instant::now()) {
            self.has_lost = true;
            eprintln!("heddle-cluster: rank {rank} is silent; others do its work");
        }
        while let Some((rank, unit)) = self.ledger.give() {
            if rank == 0 {
                self.crew.give(unit);
            } else {
                self.net.order(rank, &frame_bytes(&unit));
            }
        }
        Ok(None)
    }

    /// What a rank tells, if there is anything.
    fn receive(&mut self) -> Option<(usize, Outcome)> {
        loop {
            if let Mail::Answer(rank, answer) = self.net.receive()?
                && let Some(outcome) = Outcome::read(&answer)
            {
                if self.ledger.hear(rank, Instant::now()) {
                    eprintln!("heddle-cluster: rank {rank} is back");
                }
                return Some((rank, outcome));
            }
        }
    }

    fn note(&mut self, rank: usize, outcome: Outcome, tool: &mut Tool) -> Result<(), GivenUp> {
        match outcome {
            Outcome::Done(result) => {
                if self.ledger.done(rank, result.id) {
                    tool.take(&result);
                }
            }
            Outcome::Lost(id) => {
                eprintln!(
                    "heddle-cluster: rank {rank}: a process has died; its work is done again"
                );
                self.ledger.lost(rank, id)?;
            }
            Outcome::Unfit(id) => {
                if self.ledger.unfit(rank, id)? {
                    eprintln!("heddle-cluster: rank {rank} cannot start the tool and is left out");
                }
            }
            Outcome::Present => self.net.order(rank, HEARD),
            Outcome::Bye => {}
        }
        Ok(())
    }

    /// Ends the other ranks. With a lost one nobody takes leave of MPI, which would wait for it.
    fn close(&mut self) {
        let mut open: HashSet<usize> = self.ledger.present().into_iter().collect();
        let order = END[usize::from(self.has_lost)];
        open.iter().for_each(|&rank| self.net.order(rank, order));
        let deadline = Instant::now() + GRACE;
        while !open.is_empty() && Instant::now() < deadline {
            while let Some((rank, outcome)) = self.receive() {
                if outcome == Outcome::Bye {
                    open.remove(&rank);
                }
            }
            thread::sleep(NAPS[1]);
        }
        self.has_lost |= !open.is_empty();
    }
}

/// The status of the tool as that of this program.
fn status(ended: ExitStatus) -> u8 {
    ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILURE)
}
