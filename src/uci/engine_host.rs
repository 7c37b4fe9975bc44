//! The real engine, and a thread for one job at a time. Both report to the inbox.

use super::options::Change;
use super::protocol::{Ending, Host, Job, Message};
use super::{Inbox, post, post_in_turn};
use crate::cli::GAME_HASH;
use crate::commands::bench::{self, BenchError, Total};
use crate::commands::{genfens, perft, speedtest};
use crate::engine::{Current, Engine, EngineError, Generation, Settings};
use crate::eval::nnue::network::Network;
use crate::position::{Game, Position, uci};
use crate::smp::crew::{SMALL_STACK, spawn};
use crate::smp::stop::StopFlag;
use crate::sync::{Arc, Instant, thread};
use crate::time::limits::Limits;

/// One engine on this machine.
pub struct EngineHost {
    engine: Engine,
    inbox: Arc<Inbox>,
    /// The job that runs, or has run: what cancels it, and its thread.
    job: Option<(Arc<StopFlag>, thread::JoinHandle<()>)>,
    /// A margin has changed since the engine was cleared.
    is_stale: bool,
}

impl EngineHost {
    /// An engine with the options' defaults, which reports to `inbox`.
    pub fn new(inbox: Arc<Inbox>) -> Result<Self, EngineError> {
        Ok(Self { engine: Engine::new(1, GAME_HASH)?, inbox, job: None, is_stale: false })
    }

    fn clear(&mut self) {
        self.engine.clear();
        self.is_stale = false;
    }

    fn join_job(&mut self) {
        if let Some((_, thread)) = self.job.take() {
            thread.join().expect("a job does not panic");
        }
    }
}

impl Host for EngineHost {
    fn start(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Generation {
        if self.is_stale {
            self.clear();
        }
        let inbox = Arc::clone(&self.inbox);
        let report = move |event| post(&inbox, Message::Engine(event));
        self.engine.start(game, limits, settings, report)
    }

    fn finish(&mut self) -> Ending {
        self.engine.stop();
        let result = self.engine.result();
        let at = Instant::now();
        let (totals, faults) = (self.engine.totals(), self.engine.take_faults());
        Ending { result, totals, faults, at }
    }

    fn current(&self, position: &Position) -> Option<Current> {
        self.engine.current(position)
    }

    fn network(&self) -> Option<Arc<Network>> {
        self.engine.network().cloned()
    }

    fn change(&mut self, change: &Change) -> Result<Option<String>, EngineError> {
        match change {
            Change::Threads(threads) => self.engine.set_threads(*threads)?,
            Change::Hash(hash) => self.engine.set_hash(*hash)?,
            Change::Numa(policy) => return self.engine.set_numa(*policy).map(Some),
            Change::EvalFile(file) => self.engine.set_network(file.load()?),
            Change::Tablebases(path) => {
                return Ok(Some(self.engine.set_tablebases(path)?.to_string()));
            }
            Change::Clear => self.clear(),
            Change::Margin => self.is_stale = true,
        }
        Ok(None)
    }

    fn begin(&mut self, job: Job) {
        self.join_job();
        let cancel = Arc::new(StopFlag::default());
        let (threads, network) = (self.engine.threads(), self.network());
        let spawned = spawn("job".into(), SMALL_STACK, {
            let (cancel, inbox) = (Arc::clone(&cancel), Arc::clone(&self.inbox));
            move || {
                let say = |line: String| {
                    let length = line.len();
                    post_in_turn(&inbox, Message::Output(line), length);
                };
                let last = work(&job, threads, network, &cancel, say);
                post(&inbox, Message::Done(last));
            }
        });
        match spawned {
            Ok(thread) => self.job = Some((cancel, thread)),
            Err(error) => {
                let notice = format!("info string cannot start a thread: {error}");
                post(&self.inbox, Message::Done(notice));
            }
        }
    }

    fn cancel(&self) {
        if let Some((cancel, _)) = &self.job {
            cancel.raise();
        }
    }
}

impl Drop for EngineHost {
    fn drop(&mut self) {
        self.engine.stop();
        self.cancel();
        self.inbox.close(); // a job may be waiting for room in it
        self.join_job();
    }
}

/// Does `job` until it is done or told to stop. Passes every line of output to `say` except the
/// last, which it returns.
fn work(
    job: &Job,
    threads: usize,
    network: Option<Arc<Network>>,
    cancel: &Arc<StopFlag>,
    say: impl FnMut(String),
) -> String {
    match job {
        Job::Perft { position, depth, chess960 } => {
            count_leaves(position, *depth, *chess960, threads, cancel, say)
        }
        Job::Bench(config) => closing("bench", bench::run(config, network, cancel, say)),
        Job::Speedtest(config) => {
            closing("speedtest", speedtest::run(config, network, cancel, say))
        }
        Job::Genfens(config) => match genfens::run(config, network, cancel, say) {
            // Every line that begins with `info string genfens ` is taken for an opening.
            Ok(true) => "info string all openings are generated".into(),
            Ok(false) => "info string genfens: stopped".into(),
            Err(error) => format!("info string genfens: {error}"),
        },
    }
}

fn count_leaves(
    position: &Position,
    depth: u32,
    chess960: bool,
    threads: usize,
    cancel: &Arc<StopFlag>,
    mut say: impl FnMut(String),
) -> String {
    let split = match perft::divide(position, depth, threads, cancel) {
        Ok(Some(split)) => split,
        Ok(None) => return "info string perft stopped".into(),
        Err(error) => return format!("info string perft: {error}"),
    };
    let total: u64 = if depth == 0 { 1 } else { split.iter().map(|(_, count)| count).sum() };
    for (m, count) in split {
        say(format!("{}: {count}", uci(m, chess960)));
    }
    format!("\nNodes searched: {total}")
}

/// The last line of a bench.
fn closing(name: &str, total: Result<Option<Total>, BenchError>) -> String {
    match total {
        Ok(Some(total)) => total.to_string(),
        Ok(None) => format!("info string {name} stopped"),
        Err(error) => format!("info string {name}: {error}"),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::smp::mailbox::Mailbox;

    #[test]
    fn nobody_waits_for_room_when_the_engine_has_gone() {
        let inbox = Arc::<Inbox>::default();
        drop(EngineHost::new(Arc::clone(&inbox)).unwrap());
        let line = Message::Output(String::new());
        assert!(!inbox.send_in_turn((Instant::now(), line), 1), "the inbox is closed");
    }

    /// Drops a host that `begin` has given something endless to do.
    fn is_dropped(begin: impl FnOnce(&mut EngineHost)) -> bool {
        const PATIENCE: Duration = Duration::from_secs(20);
        let mut host = EngineHost::new(Arc::default()).expect("a small engine fits");
        begin(&mut host);
        let dropped = Arc::<Mailbox<()>>::default();
        let done = Arc::clone(&dropped);
        thread::spawn(move || {
            drop(host);
            done.send(());
        });
        dropped.receive(Some(Instant::now() + PATIENCE)).is_some()
    }

    #[test]
    fn a_search_and_a_job_end_with_the_host() {
        assert!(is_dropped(|host| {
            let limits = Limits { infinite: true, ..Limits::default() };
            host.start(&Game::default(), &limits, &Settings::default());
        }));
        assert!(is_dropped(|host| {
            let position = Box::default();
            host.begin(Job::Perft { position, depth: 30, chess960: false });
        }));
    }
}
