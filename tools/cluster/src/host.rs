//! What the protocol drives: this rank's engine, and through it all others.

use std::time::{Duration, Instant};

use heddle::engine::{Current, EngineError, Event, Generation, SearchResult, Settings};
use heddle::eval::nnue::network::Network;
use heddle::position::{Game, Position};
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle::uci::options::Change;
use heddle::uci::protocol::{Ending, Host, Job};

use crate::head::{Desk, Request};
use crate::local::Local;
use crate::wire::{Answer, Changed, Found, Order, Start};

/// How long an answer waits for what the other ranks have found, at most.
const PATIENCE: Duration = Duration::from_millis(500);
/// The share of the time left on the clock that it waits at most.
const PATIENCE_SHARE: u32 = 10;
/// How long a change may take on them.
const CHANGE_PATIENCE: Duration = Duration::from_secs(30);
/// Unanswered orders after which we give up a rank.
const MOST_PENDING: usize = 32;

/// What is known of another rank.
#[derive(Default)]
struct Other {
    /// Orders that it has not answered. While there are any, it takes part in no search.
    pending: usize,
    /// It has let an order wait too long. Nobody waits for it again until it has answered all.
    is_late: bool,
    /// It has missed a change, and takes part in nothing any more.
    is_given_up: bool,
    /// It evaluates as this rank does, and has the same tablebases.
    agrees: bool,
    /// What it has found in the last search, if it has told.
    found: Option<Found>,
}

impl Other {
    /// An order may still be answered in time.
    fn is_awaited(&self) -> bool {
        self.pending > 0 && !self.is_late && !self.is_given_up
    }

    /// It would search as the others do.
    fn takes_part(&self) -> bool {
        self.pending == 0 && self.agrees && !self.is_given_up
    }
}

/// All ranks, as one engine.
pub struct ClusterHost {
    local: Local,
    desk: Desk,
    /// The ranks from 1 on.
    others: Vec<Other>,
    /// Those that take part in the search.
    part: Vec<usize>,
    generation: Generation,
    root: Position,
    /// How long the answer of this search may wait for the others.
    patience: Duration,
    /// What the others could not do.
    complaints: Vec<String>,
}

impl ClusterHost {
    /// The engine of `ranks` ranks, this one being the first.
    pub fn new(local: Local, desk: Desk, ranks: usize) -> Self {
        let other = |_| Other { agrees: true, ..Other::default() };
        Self {
            local,
            desk,
            others: (1..ranks).map(other).collect(),
            part: Vec::new(),
            generation: 0,
            root: Position::default(),
            patience: PATIENCE,
            complaints: Vec::new(),
        }
    }

    /// Takes in what has been answered so far.
    fn catch_up(&mut self) {
        while let Some((rank, answer)) = self.desk.answers.receive(Some(Instant::now())) {
            self.take(rank, answer);
        }
    }

    /// Takes in answers for so long, or until all have answered that are not late already.
    fn await_answers(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        while self.others.iter().any(Other::is_awaited) {
            let Some((rank, answer)) = self.desk.answers.receive(Some(deadline)) else { break };
            self.take(rank, answer);
        }
        for other in &mut self.others {
            other.is_late = other.pending > 0;
        }
    }

    fn take(&mut self, rank: usize, answer: Answer) {
        let other = &mut self.others[rank - 1];
        other.pending = other.pending.saturating_sub(1);
        other.is_late &= other.pending > 0;
        match answer {
            Answer::Found(found) if found.generation == self.generation => {
                other.found = Some(*found);
            }
            Answer::Changed { error, state } => {
                other.agrees = state == self.local.state();
                let reason = match error {
                    None if other.agrees => return,
                    None => "it has another network or other tablebases".into(),
                    Some(error) => error,
                };
                let end = if other.agrees { "" } else { "; it takes no part until it agrees" };
                self.complaints.push(format!("rank {rank}: {reason}{end}"));
            }
            Answer::Found(_) | Answer::Bye => {}
        }
    }

    /// Sends an order that has to be answered.
    fn note_ordered(&mut self, ranks: &[usize]) {
        ranks.iter().for_each(|&rank| self.others[rank - 1].pending += 1);
    }

    /// The ranks of which `holds`.
    fn ranks(&self, holds: impl Fn(&Other) -> bool) -> Vec<usize> {
        (1..=self.others.len()).filter(|rank| holds(&self.others[rank - 1])).collect()
    }
}

impl Host for ClusterHost {
    fn start(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Generation {
        self.catch_up();
        self.part = self.ranks(Other::takes_part);
        self.others.iter_mut().for_each(|other| other.found = None);
        // Everybody gets an even share of the nodes, so that nobody has to ask what is left.
        let share = limits.nodes.map(|nodes| nodes.div_ceil(1 + self.part.len() as u64));
        let own = Limits { nodes: share, ..limits.clone() };
        let totals = Arc::clone(&self.desk.totals);
        let amend = move |event| match event {
            Event::Line(generation, line, mut sum) => {
                let (of, [nodes, tb_hits]) = *totals.lock();
                if of == generation {
                    sum.nodes += nodes;
                    sum.tb_hits += tb_hits;
                }
                Event::Line(generation, line, sum)
            }
            finished @ Event::Finished(_) => finished,
        };
        self.generation = self.local.host.start_amended(game, &own, settings, amend);
        let start = Start::new(self.generation, game, limits, settings, share);
        let table = Arc::clone(self.local.host.engine().table());
        let (generation, to) = (self.generation, self.part.clone());
        self.note_ordered(&to);
        let order = Order::Start(start.into());
        self.desk.requests.send(Request::Start { generation, table, to, order });
        self.root = game.position().clone();
        let clock = limits.side(self.root.turn()).remaining;
        self.patience = clock.map_or(PATIENCE, |left| PATIENCE.min(left / PATIENCE_SHARE));
        self.generation
    }

    fn finish(&mut self) -> Ending {
        self.local.host.engine().stop();
        self.desk.requests.send(Request::Stop);
        let Ending { result, mut totals, mut faults, .. } = self.local.host.finish();
        self.await_answers(self.patience);
        let mut outcomes = result.outcomes;
        for rank in std::mem::take(&mut self.part) {
            let Some(found) = self.others[rank - 1].found.take() else {
                faults.push(format!("rank {rank} does not answer and is left out until it does"));
                continue;
            };
            let Some(read) = found.read(&self.root) else {
                faults.push(format!("rank {rank} sent an impossible result"));
                continue;
            };
            totals.nodes += found.totals[0];
            totals.tb_hits += found.totals[1];
            faults.extend(found.faults.iter().map(|fault| format!("rank {rank}: {fault}")));
            outcomes.extend(read);
        }
        faults.append(&mut self.complaints);
        Ending { result: SearchResult::new(outcomes), totals, faults, at: Instant::now() }
    }

    fn current(&self, position: &Position) -> Option<Current> {
        self.local.host.current(position)
    }

    fn network(&self) -> Option<Arc<Network>> {
        self.local.host.network()
    }

    fn change(&mut self, change: &Change) -> Result<Option<String>, EngineError> {
        let (summary, outgoing) = self.local.change(change)?;
        outgoing.into_iter().for_each(|new| self.desk.requests.send(Request::Reconnect(new)));
        if let Some(order) = Changed::new(change) {
            self.catch_up();
            for rank in self.ranks(|other| other.pending >= MOST_PENDING && !other.is_given_up) {
                self.others[rank - 1].is_given_up = true;
                self.complaints.push(format!("rank {rank} does not answer; giving up on it"));
            }
            let to = self.ranks(|other| !other.is_given_up);
            self.note_ordered(&to);
            self.desk.requests.send(Request::Order(to, Order::Change(order)));
            self.await_answers(CHANGE_PATIENCE);
        }
        let said: Vec<String> = summary.into_iter().chain(self.complaints.drain(..)).collect();
        Ok((!said.is_empty()).then(|| said.join("; ")))
    }

    fn begin(&mut self, job: Job) {
        self.local.host.begin(job);
    }

    fn cancel(&self) {
        self.local.host.cancel();
    }
}
