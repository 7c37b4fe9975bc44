//! A job that several processes share.
//!
//! The *head* cuts the job into units and writes the results. Its *hands* are processes of the same
//! program with the same command line; each does one unit at a time. Something else, such as
//! `heddle-cluster`, starts them all, carries units and results between them, and gives a unit to
//! another hand when one has died. It tells every process its role in an environment variable.
//!
//! Units and results are [`Frame`]s. A hand reads them from its standard input and writes them to
//! its standard output, the head uses a socket. What they hold is a matter of the program.

use std::collections::{HashMap, VecDeque};
use std::env;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::iter;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::machine;
use crate::paths;
use crate::smp::crew::{SMALL_STACK, spawn};
use crate::smp::mailbox::Mailbox;
use crate::smp::stop::StopFlag;
use crate::streams;
use crate::sync::{Arc, Instant, Mutex};

/// The environment variable: [`HAND`], or the number of hands, a colon and the path of the socket.
const ROLE: &str = "HEDDLE_HANDS";
/// The value for a hand.
const HAND: &str = "hand";
/// Units handed out before the first of them is done, by hand: one may take longer than others.
const AHEAD: usize = 8;
/// How often an interrupt is looked for.
const POLL: Duration = Duration::from_millis(50);
/// The longest frame, in bytes.
const MAX_LENGTH: u32 = 1 << 30;

/// The frames can no longer be carried, or make no sense.
#[derive(Debug, thiserror::Error)]
pub enum HandsError {
    /// The head cannot reach its hands.
    #[error("cannot reach the processes that share the work: {0}")]
    Connect(#[source] io::Error),
    /// A hand cannot read or write.
    #[error("cannot pass on a result: {0}")]
    Serve(#[source] io::Error),
    /// Nobody does units any more.
    #[error("the processes that share the work are gone; what was done is kept")]
    Gone,
    /// Head and hand do not understand each other.
    #[error("a process that shares the work speaks nonsense; is it another version?")]
    Nonsense,
}

/// A unit or its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The number of the unit.
    pub id: u64,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Frame {
    /// What a hand says when it is ready for its first unit.
    pub const READY: Self = Self { id: u64::MAX, bytes: Vec::new() };

    /// The next frame; `None` at the end of the input.
    ///
    /// # Errors
    /// Those of the system, and a frame that is cut short or too long.
    pub fn read(input: &mut impl Read) -> io::Result<Option<Self>> {
        let mut id = [0; 8];
        if input.read(&mut id[..1])? == 0 {
            return Ok(None);
        }
        input.read_exact(&mut id[1..])?;
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > MAX_LENGTH {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut bytes = Vec::new();
        if input.take(length.into()).read_to_end(&mut bytes)? < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some(Self { id: u64::from_le_bytes(id), bytes }))
    }

    /// Writes the frame.
    ///
    /// # Errors
    /// Those of the system.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.bytes.len()).ok().filter(|&length| length <= MAX_LENGTH);
        let length = length.ok_or(io::ErrorKind::InvalidInput)?;
        let head = [&self.id.to_le_bytes()[..], &length.to_le_bytes()].concat();
        output.write_all(&[&head[..], &self.bytes].concat())?;
        output.flush()
    }
}

/// What this process does of a job.
pub enum Role {
    /// All of it.
    Alone,
    /// It gives out the units.
    Head(Pool),
    /// It does units, see [`serve`].
    Hand,
}

impl Role {
    /// The role of this process, by its environment.
    ///
    /// # Errors
    /// [`HandsError::Connect`].
    pub fn of_this_process() -> Result<Self, HandsError> {
        let Some(role) = env::var_os(ROLE) else { return Ok(Self::Alone) };
        let role = paths::text(&role);
        if role == HAND {
            return Ok(Self::Hand);
        }
        let read = role.split_once(':').and_then(|(hands, path)| Some((hands.parse().ok()?, path)));
        let (hands, path) = read.ok_or(HandsError::Nonsense)?;
        Pool::connect(hands, &paths::path(path)).map(Self::Head).map_err(HandsError::Connect)
    }
}

/// The search threads of a process that is told no number: those of this machine, or one if other
/// processes share the work.
pub fn search_threads() -> usize {
    if env::var_os(ROLE).is_some() { 1 } else { machine::processors() }
}

/// Makes a hand of the program that `command` starts.
pub fn mark_hand(command: &mut Command) {
    command.env(ROLE, HAND);
}

/// Makes the program that `command` starts the head of this many hands, which are reached by the
/// socket at `path`.
pub fn mark_head(command: &mut Command, hands: usize, path: &Path) {
    let mut role = OsString::from(format!("{hands}:"));
    role.push(path);
    command.env(ROLE, role);
}

/// Does the units that arrive on the standard input by `work`, until there are no more: then `stop`
/// is raised. `work` returns nothing for a unit that it was stopped in.
///
/// # Errors
/// [`HandsError::Serve`], or the error of `work`.
pub fn serve<E: From<HandsError>>(
    stop: &Arc<StopFlag>,
    mut work: impl FnMut(&[u8]) -> Result<Option<Vec<u8>>, E>,
) -> Result<(), E> {
    let units = Arc::<Mailbox<Option<Frame>>>::default();
    let listen = {
        let (units, stop) = (Arc::clone(&units), Arc::clone(stop));
        move || {
            let mut input = streams::input();
            while let Ok(Some(unit)) = Frame::read(&mut input) {
                units.send(Some(unit));
            }
            stop.raise();
            units.send(None);
        }
    };
    spawn("units".into(), SMALL_STACK, listen).map_err(HandsError::Serve)?;
    let mut output = streams::output();
    Frame::READY.write(&mut output).map_err(HandsError::Serve)?;
    while let Some(Frame { id, bytes }) = units.receive(None).flatten() {
        let Some(bytes) = work(&bytes)? else { break };
        Frame { id, bytes }.write(&mut output).map_err(HandsError::Serve)?;
    }
    Ok(())
}

/// The hands, as the head sees them.
pub struct Pool {
    /// How many units are done at the same time.
    pub hands: usize,
    output: Mutex<Box<dyn Write + Send>>,
    open: Arc<Mutex<Open>>,
}

/// Where the result of one unit arrives; nothing if the hands end before.
type Answer = Arc<Mailbox<Option<Vec<u8>>>>;

/// The units without a result.
#[derive(Default)]
struct Open {
    answers: HashMap<u64, Answer>,
    /// The number of the next unit.
    next: u64,
    is_closed: bool,
}

/// Stands for the result of a unit.
pub struct Ticket(Answer);

impl Pool {
    #[cfg(unix)]
    fn connect(hands: usize, path: &Path) -> io::Result<Self> {
        let socket = std::os::unix::net::UnixStream::connect(path)?;
        Self::new(hands, socket.try_clone()?, socket)
    }

    #[cfg(not(unix))]
    fn connect(_: usize, _: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A pool whose results come from `input` and whose units go to `output`.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only a Unix socket leads to hands"))]
    fn new(
        hands: usize,
        mut input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let open = Arc::<Mutex<Open>>::default();
        let listener = Arc::clone(&open);
        let listen = move || {
            while let Ok(Some(Frame { id, bytes })) = Frame::read(&mut input) {
                let answer = listener.lock().answers.remove(&id);
                if let Some(answer) = answer {
                    answer.send(Some(bytes));
                }
            }
            let mut open = listener.lock();
            open.is_closed = true;
            open.answers.drain().for_each(|(_, answer)| answer.send(None));
        };
        spawn("results".into(), SMALL_STACK, listen)?;
        Ok(Self { hands: hands.max(1), output: Mutex::new(Box::new(output)), open })
    }

    /// Gives out a unit.
    ///
    /// # Errors
    /// [`HandsError::Gone`].
    pub fn submit(&self, unit: Vec<u8>) -> Result<Ticket, HandsError> {
        let answer = Answer::default();
        let mut open = self.open.lock();
        if open.is_closed {
            return Err(HandsError::Gone);
        }
        let id = open.next;
        open.next += 1;
        open.answers.insert(id, Arc::clone(&answer));
        drop(open);
        let frame = Frame { id, bytes: unit };
        frame.write(&mut *self.output.lock()).map_err(|_| HandsError::Gone)?;
        Ok(Ticket(answer))
    }

    /// Waits for a result; `None` if `stop` is raised before it comes.
    ///
    /// # Errors
    /// [`HandsError::Gone`].
    pub fn wait(&self, ticket: &Ticket, stop: &StopFlag) -> Result<Option<Vec<u8>>, HandsError> {
        loop {
            if let Some(answer) = ticket.0.receive(Some(Instant::now() + POLL)) {
                return answer.ok_or(HandsError::Gone).map(Some);
            }
            if stop.is_raised() {
                return Ok(None);
            }
        }
    }

    /// The result of one unit; `None` if `stop` is raised before it comes.
    ///
    /// # Errors
    /// [`HandsError::Gone`].
    pub fn ask(&self, unit: Vec<u8>, stop: &StopFlag) -> Result<Option<Vec<u8>>, HandsError> {
        self.wait(&self.submit(unit)?, stop)
    }

    /// The `items` in their order, each with the result of its unit, if it has one. They end when
    /// `stop` is raised.
    pub fn in_order<'a, T: 'a>(
        &'a self,
        mut items: impl Iterator<Item = T> + 'a,
        unit: impl Fn(&T) -> Option<Vec<u8>> + 'a,
        stop: &'a StopFlag,
    ) -> impl Iterator<Item = Result<(T, Option<Vec<u8>>), HandsError>> + 'a {
        let mut ahead = VecDeque::new();
        let mut next = move || {
            while ahead.len() < AHEAD * self.hands
                && let Some(item) = items.next()
            {
                let ticket = unit(&item).map(|unit| self.submit(unit)).transpose()?;
                ahead.push_back((item, ticket));
            }
            let Some((item, ticket)) = ahead.pop_front() else { return Ok(None) };
            let Some(ticket) = ticket else { return Ok(Some((item, None))) };
            Ok(self.wait(&ticket, stop)?.map(|result| (item, Some(result))))
        };
        iter::from_fn(move || next().transpose())
    }
}

#[cfg(test)]
#[cfg(all(unix, not(loom)))]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::sync::thread;

    #[test]
    fn frames_are_read_as_they_were_written() {
        let frames = [Frame::READY, Frame { id: 7, bytes: vec![0, 10, 255] }];
        let mut bytes = Vec::new();
        frames.iter().for_each(|frame| frame.write(&mut bytes).unwrap());
        let mut input = &bytes[..];
        for frame in frames {
            assert_eq!(Frame::read(&mut input).unwrap(), Some(frame));
        }
        assert_eq!(Frame::read(&mut input).unwrap(), None);
        for end in 13..bytes.len() {
            assert!(Frame::read(&mut &bytes[12..end]).is_err(), "{end}");
        }
        assert!(Frame::read(&mut &[0xff; 64][..]).is_err(), "too long");
    }

    /// A pool whose units are echoed in pairs, the second before the first, up to this many.
    fn swapping(most: usize) -> Pool {
        let (ours, theirs) = UnixStream::pair().unwrap();
        thread::spawn(move || {
            let (mut input, mut output) = (theirs.try_clone().unwrap(), theirs);
            for _ in 0..most / 2 {
                let [first, second] = [(); 2].map(|()| Frame::read(&mut input).unwrap());
                for frame in [second, first].into_iter().flatten() {
                    frame.write(&mut output).unwrap();
                }
            }
        });
        Pool::new(1, ours.try_clone().unwrap(), ours).unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let (pool, stop) = (swapping(80), StopFlag::default());
        // Every fifth needs no work.
        let unit = |&item: &u8| (item % 5 > 0).then(|| vec![item]);
        let found: Vec<_> = pool.in_order(0..100, unit, &stop).map(Result::unwrap).collect();
        let expected: Vec<_> = (0..100).map(|item| (item, unit(&item))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_stop_and_the_end_of_the_hands_end_the_wait() {
        let (pool, stop) = (swapping(2), StopFlag::default());
        let tickets = [0, 1, 2].map(|unit| pool.submit(vec![unit]));
        for (unit, ticket) in (0..).zip(&tickets[..2]) {
            let result = pool.wait(ticket.as_ref().unwrap(), &stop).unwrap();
            assert_eq!(result, Some(vec![unit]));
        }
        if let Ok(lost) = &tickets[2] {
            assert!(matches!(pool.wait(lost, &stop), Err(HandsError::Gone)));
            stop.raise();
            assert!(matches!(pool.wait(lost, &stop), Ok(None)));
        }
    }
}
