//! The hands of one rank: processes of the tool, each with a thread that waits for it.

use std::io::{self, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use heddle::cli::hands::{Frame, mark_hand};
use heddle::smp::crew::{SMALL_STACK, spawn};
use heddle::smp::mailbox::Mailbox;
use heddle::sync::Arc;

use super::Job;
use super::outcome::Outcome;
use super::tool::Event;

/// All hands of this rank.
pub struct Crew {
    slots: Vec<Arc<Mailbox<Frame>>>,
    /// The slots without a unit.
    idle: Vec<usize>,
}

impl Crew {
    /// A crew of `hands`, which start with their first unit; what becomes of the units goes to
    /// `events`.
    ///
    /// # Errors
    /// Those of the system.
    pub fn new(job: &Job, hands: usize, events: &Arc<Mailbox<Event>>) -> io::Result<Self> {
        let slot = |number: usize| {
            let units = Arc::<Mailbox<Frame>>::default();
            let (job, events, given) = (job.clone(), Arc::clone(events), Arc::clone(&units));
            let work = move || {
                let mut hand = None;
                while let Some(unit) = given.receive(None) {
                    events.send(Event::Outcome(number, work(&mut hand, &job, &unit)));
                }
            };
            spawn(format!("hand {number}"), SMALL_STACK, work)?;
            Ok(units)
        };
        let slots = (0..hands).map(slot).collect::<io::Result<_>>()?;
        Ok(Self { slots, idle: (0..hands).rev().collect() })
    }

    /// Whether a hand has nothing to do.
    pub fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// Gives a unit to an idle hand. A unit for which there is none is dropped: the first rank
    /// gives out no more units than there are hands.
    pub fn give(&mut self, unit: Frame) {
        if let Some(slot) = self.idle.pop() {
            self.slots[slot].send(unit);
        }
    }

    /// A hand has nothing to do any more.
    pub fn release(&mut self, slot: usize) {
        self.idle.push(slot);
    }
}

/// Has `hand` do a unit, after starting it if need be.
fn work(hand: &mut Option<Hand>, job: &Job, unit: &Frame) -> Outcome {
    let started = hand.take().map_or_else(|| Hand::start(job), Some);
    let Some(mut started) = started else { return Outcome::Unfit(unit.id) };
    match started.answer(unit) {
        Some(result) => {
            *hand = Some(started);
            Outcome::Done(result)
        }
        None => Outcome::Lost(unit.id),
    }
}

/// A process that does units. It ends when it is dropped.
struct Hand {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Hand {
    /// A hand that is ready; otherwise it has said why itself, or the system does.
    fn start(job: &Job) -> Option<Self> {
        let mut command = job.command();
        mark_hand(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command
            .spawn()
            .inspect_err(|error| eprintln!("heddle-cluster: {}: {error}", job.program.display()))
            .ok()?;
        let (input, output) = (process.stdin.take()?, process.stdout.take()?);
        let mut hand = Self { process, input, output: BufReader::new(output) };
        (hand.next()? == Frame::READY).then_some(hand)
    }

    fn next(&mut self) -> Option<Frame> {
        Frame::read(&mut self.output).ok().flatten()
    }

    /// The result of a unit; `None` if the hand dies over it.
    fn answer(&mut self, unit: &Frame) -> Option<Frame> {
        unit.write(&mut self.input).ok()?;
        self.next().filter(|result| result.id == unit.id)
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
