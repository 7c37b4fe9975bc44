//! A job that all ranks share: `heddle-cluster annotate …` is `heddle annotate …` whose units,
//! such as games, are done by every rank.
//!
//! The first rank starts the tool as the *head* of the job, which reads the input, gives out the
//! units and writes the results (`heddle::cli::hands`). Every rank, the first too, starts *hands*,
//! processes of the same tool that do one unit at a time. MPI carries units and results. A process
//! that speaks MPI does no work itself, so it seldom dies; when a hand does, its unit goes to
//! another. A rank that falls silent loses its units in the same way.

mod crew;
mod head;
mod ledger;
mod outcome;
mod tool;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{self, Command, ExitCode};
use std::time::{Duration, Instant};

use heddle::commands::tools::locate;
use heddle::smp::mailbox::Mailbox;
use heddle::sync::Arc;
use heddle::text::build;

use crate::net::{Mail, Net};
use crate::{Failure, REFUSED};
use crew::Crew;
use head::Head;
use outcome::Outcome;
use tool::Event;

/// The program that runs every tool.
const PROGRAM: &str = "heddle";
/// How often a rank says that it is there.
const BEAT: Duration = Duration::from_secs(1);
/// How often a rank looks at the network while all its hands are busy, and while one is not.
const NAPS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(1)];
/// A rank that has not heard of the first one for so long ends: MPI may not end it.
const ORPHANED: Duration = Duration::from_secs(20);
/// What the first rank answers to a rank that says that it is there.
const HEARD: &[u8] = b"?";
/// The order to end: all ranks take leave of MPI, or none if one is lost, which could not.
const END: [&[u8]; 2] = [b"", b"!"];

/// A tool with its command line.
#[derive(Clone)]
pub struct Job {
    program: PathBuf,
    words: Vec<OsString>,
}

impl Job {
    /// The tool that the first of `words` names.
    pub fn new(words: Vec<OsString>) -> Self {
        Self { program: locate(PROGRAM), words }
    }

    /// A number that is the same on all ranks if version and command line are.
    pub fn digest(&self, hands: usize) -> u64 {
        let text = format!("{} {hands} {:?}", build::NAME, self.words);
        crc32fast::hash(text.as_bytes()).into()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words);
        command
    }
}

/// Does this rank's share of a job with this many hands on each rank.
///
/// # Errors
/// A line, if the job cannot be done.
pub fn run(net: &Net, job: &Job, hands: usize) -> Result<ExitCode, Failure> {
    let events = Arc::<Mailbox<Event>>::default();
    let crew = Crew::new(job, hands, &events)?;
    if net.rank > 0 {
        return work(net, crew, &events);
    }
    let (ended, has_lost) = Head::new(net, crew, hands, events).run(job);
    if has_lost {
        // Leaving MPI would wait for the lost rank.
        let code = ended.unwrap_or_else(|error| {
            eprintln!("heddle-cluster: {error}");
            REFUSED
        });
        process::exit(code.into());
    }
    ended.map(ExitCode::from)
}

/// Does what the first rank gives out, until it says that this is all.
fn work(net: &Net, mut crew: Crew, events: &Mailbox<Event>) -> Result<ExitCode, Failure> {
    let (mut next_beat, mut heard) = (Instant::now(), Instant::now());
    loop {
        let wake = Instant::now() + NAPS[usize::from(crew.has_idle())];
        if let Some(Event::Outcome(slot, outcome)) = events.receive(Some(wake)) {
            crew.release(slot);
            net.answer(&outcome.to_bytes());
        }
        while let Some(mail) = net.receive() {
            let Mail::Order(order) = mail else { continue };
            heard = Instant::now();
            if order == HEARD {
                continue;
            }
            if let Some(is_broken) = END.iter().position(|&end| end == order) {
                net.answer(&Outcome::Bye.to_bytes());
                if is_broken > 0 {
                    process::exit(0);
                }
                return Ok(ExitCode::SUCCESS);
            }
            crew.give(outcome::unit(&order).ok_or("the first rank speaks nonsense")?);
        }
        if heard.elapsed() > ORPHANED {
            eprintln!("heddle-cluster: rank {}: the first rank is silent", net.rank);
            process::exit(REFUSED.into());
        }
        if Instant::now() >= next_beat {
            next_beat = Instant::now() + BEAT;
            net.answer(&Outcome::Present.to_bytes());
        }
    }
}
