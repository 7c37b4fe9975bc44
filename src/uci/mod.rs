//! The Universal Chess Interface over a pair of streams.
//!
//! A thread reads lines into a mailbox and the engine's workers send their events to the same
//! mailbox. The thread that calls [`run`] owns everything else: it sleeps until a message or the
//! deadline of the search comes, hands it to the [`protocol`], and writes what that says.

mod about;
pub mod command;
mod flip;
pub mod options;
pub mod protocol;
pub mod report;
pub mod strength;

use std::io::{self, BufRead, Write};
use std::time::Instant;

use crate::commands::bench::{self, BenchError, Total};
use crate::commands::perft;
use crate::commands::runner::Cancel;
use crate::commands::speedtest;
use crate::engine::{Current, Engine, EngineError, Generation, SearchResult, Settings, Totals};
use crate::eval::nnue::eval_file::EvalFile;
use crate::eval::nnue::network::Network;
use crate::position::{Game, Position, uci};
use crate::smp::mailbox::Mailbox;
use crate::sync::{Arc, thread};
use crate::time::limits::Limits;
use protocol::{Host, Job, JobEvent, Message, Protocol};

/// The longest line that is read, in bytes; what is longer is skipped with a notice.
const MAX_LINE: u64 = 1 << 20;

/// Messages, each with the time at which it was sent.
type Inbox = Mailbox<(Instant, Message)>;

/// Sends `message` to `inbox`, dated now.
fn post(inbox: &Inbox, message: Message) {
    inbox.send((Instant::now(), message));
}

/// Why the protocol could not be spoken.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// The engine cannot be had.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The thread that reads the input cannot be had.
    #[error("cannot start the input thread: {0}")]
    Input(io::Error),
}

/// Answers `input` on `output` until `quit` or the end of input. If `output` fails, nobody is
/// listening any more, and that is an end like any other.
///
/// # Errors
/// [`UciError`], when the engine cannot be set up.
pub fn run(input: impl BufRead + Send + 'static, mut output: impl Write) -> Result<(), UciError> {
    let inbox = Arc::<Inbox>::default();
    let engine = Engine::new(1, options::DEFAULT_HASH)?;
    let host = EngineHost { engine, inbox: Arc::clone(&inbox), job: None };
    let mut protocol = Protocol::new(host);
    let reader = thread::Builder::new()
        .name("input".into())
        .spawn({
            let inbox = Arc::clone(&inbox);
            move || read(input, &inbox)
        })
        .map_err(UciError::Input)?;
    while !protocol.is_over() {
        let mail = inbox.receive(protocol.next_tick());
        let now = Instant::now();
        match mail {
            // The GUI's clock has been running since, even if there was other work to be done first.
            Some((sent, line @ Message::Line(_))) => protocol.handle(line, sent),
            Some((_, message)) => protocol.handle(message, now),
            None => {}
        }
        protocol.tick(now);
        if write(&mut output, &protocol.take_output()).is_err() {
            return Ok(()); // the reader may be waiting for a line that never comes
        }
    }
    reader.join().expect("the reader does not panic");
    Ok(())
}

/// Writes `lines`, if there are any, and pushes them out.
fn write(output: &mut impl Write, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut text = lines.join("\n");
    text.push('\n');
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Sends every line of `input` until it ends or a line is `quit`.
fn read(mut input: impl BufRead, inbox: &Inbox) {
    while let Ok(Some(line)) = read_line(&mut input) {
        let is_last = matches!(&line, Message::Line(line) if is_quit(line));
        post(inbox, line);
        if is_last {
            return;
        }
    }
    post(inbox, Message::EndOfInput);
}

fn is_quit(line: &str) -> bool {
    command::skip_unknown(line).1.split_whitespace().next() == Some("quit")
}

/// The next line, or `None` at the end. Bytes that are not UTF-8 are replaced.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut line = Vec::new();
    if io::Read::take(&mut *input, MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(Message::LongLine));
    }
    Ok(Some(Message::Line(String::from_utf8_lossy(&line).into_owned())))
}

/// The real engine. Its events, and those of a job, go to the inbox.
struct EngineHost {
    engine: Engine,
    inbox: Arc<Inbox>,
    job: Option<RunningJob>,
}

struct RunningJob {
    cancel: Arc<Cancel>,
    thread: thread::JoinHandle<()>,
}

impl Host for EngineHost {
    fn start(&mut self, game: &Game, limits: &Limits, settings: &Settings) -> Generation {
        let inbox = Arc::clone(&self.inbox);
        self.engine.start(game, limits, settings, move |event| post(&inbox, Message::Engine(event)))
    }

    fn stop(&self) {
        self.engine.stop();
    }

    fn result(&self) -> SearchResult {
        self.engine.result()
    }

    fn totals(&self) -> Totals {
        self.engine.totals()
    }

    fn current(&self, position: &Position) -> Option<Current> {
        self.engine.current(position)
    }

    fn take_faults(&self) -> Vec<String> {
        self.engine.take_faults()
    }

    fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.engine.set_threads(threads)
    }

    fn set_hash(&mut self, hash: usize) -> Result<(), EngineError> {
        self.engine.set_hash(hash)
    }

    fn set_eval_file(&mut self, file: &EvalFile) -> Result<(), EngineError> {
        self.engine.set_network(file.load()?);
        Ok(())
    }

    fn network(&self) -> Option<Arc<Network>> {
        self.engine.network().cloned()
    }

    fn set_tablebases(&mut self, path: &str) -> Result<String, EngineError> {
        self.engine.set_tablebases(path).map(ToString::to_string)
    }

    fn clear(&mut self) {
        self.engine.clear();
    }

    fn begin(&mut self, job: Job) {
        self.join_job();
        let cancel = Arc::new(Cancel::default());
        let (threads, network) = (self.engine.threads(), self.network());
        let spawned = thread::Builder::new().name("job".into()).spawn({
            let (cancel, inbox) = (Arc::clone(&cancel), Arc::clone(&self.inbox));
            move || {
                let say = |line| post(&inbox, Message::Job(JobEvent::Output(line)));
                work(&job, threads, network, &cancel, say);
                post(&inbox, Message::Job(JobEvent::Done));
            }
        });
        match spawned {
            Ok(thread) => self.job = Some(RunningJob { cancel, thread }),
            Err(error) => {
                let notice = format!("info string cannot start a thread: {error}");
                post(&self.inbox, Message::Job(JobEvent::Output(notice)));
                post(&self.inbox, Message::Job(JobEvent::Done));
            }
        }
    }

    fn cancel(&self) {
        if let Some(job) = &self.job {
            job.cancel.cancel();
        }
    }
}

impl EngineHost {
    fn join_job(&mut self) {
        if let Some(job) = self.job.take() {
            job.thread.join().expect("a job does not panic");
        }
    }
}

impl Drop for EngineHost {
    fn drop(&mut self) {
        self.engine.stop();
        self.cancel();
        self.join_job();
    }
}

/// Does `job` and says what comes of it.
fn work(
    job: &Job,
    threads: usize,
    network: Option<Arc<Network>>,
    cancel: &Arc<Cancel>,
    mut say: impl FnMut(String),
) {
    match job {
        Job::Perft { position, depth } => {
            let split = match perft::divide(position, *depth, threads, cancel) {
                Ok(Some(split)) => split,
                Ok(None) => return say("info string perft stopped".into()),
                Err(error) => return say(format!("info string {error}")),
            };
            let total = if *depth == 0 { 1 } else { split.iter().map(|(_, count)| count).sum() };
            for (m, count) in split {
                say(format!("{}: {count}", uci(m, position.is_chess960())));
            }
            say(format!("\nNodes searched: {total}"));
        }
        Job::Bench(config) => {
            let total = bench::run(config, network, cancel, &mut say);
            say(closing(total));
        }
        Job::Speedtest(config) => {
            let total = speedtest::run(config, network, cancel, &mut say);
            say(closing(total));
        }
    }
}

/// What a bench ends with.
fn closing(total: Result<Option<Total>, BenchError>) -> String {
    match total {
        Ok(Some(total)) => total.to_string(),
        Ok(None) => "info string bench stopped".into(),
        Err(error) => format!("info string {error}"),
    }
}
