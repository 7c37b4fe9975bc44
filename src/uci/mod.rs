//! The Universal Chess Interface over a pair of streams.
//!
//! A thread reads lines into a mailbox, to which the engine's workers and jobs send their events as
//! well. The thread that calls [`run`] owns everything else: it sleeps until a message or the
//! deadline of the search comes, hands it to the [`protocol`], and writes what that says.
//!
//! Whatever is queued is bounded. The mailbox has room for a fixed number of bytes of lines; when
//! it is full, the reader waits, and with it whoever writes to the engine. This delays a `stop` or
//! a `quit` but cannot keep it from arriving: the main thread takes in every line, in order and in
//! any state, and waits for nobody but the reader of its output. Commands that wait for the end of
//! a search wait in the protocol, which refuses with a line what exceeds its bound. A job waits for
//! room in the mailbox as the reader does; the workers, who have little to report, never wait.

pub mod command;
mod engine_host;
mod input;
mod log;
pub mod options;
mod output;
pub mod protocol;
pub mod report;
pub mod strength;

use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use crate::engine::EngineError;
use crate::smp::crew::{SMALL_STACK, spawn};
use crate::smp::mailbox::Mailbox;
use crate::sync::Arc;
use engine_host::EngineHost;
use log::DebugLog;
use protocol::{Message, Protocol};

pub use output::AnswerStream;

/// The most that waits in the mailbox, in bytes of lines and overhead.
const ROOM: usize = 1 << 20;
/// The cost of a message beside its text, in bytes, for that bound alone.
const OVERHEAD: usize = 64;
/// How often we check that the output still has a reader, once the input has ended.
const ATTENDANCE: Duration = Duration::from_secs(1);

/// Messages to the protocol, each with the time at which it was sent.
type Inbox = Mailbox<(Instant, Message)>;

/// Why the protocol could not be spoken.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// The engine cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The thread that reads the input cannot be started.
    #[error("cannot start the input thread: {0}")]
    Input(io::Error),
}

/// Answers `input` on `output` until `quit` or the end of input. An output that fails, or that
/// nobody will read any more once the input has ended, is an end like any other.
pub fn run(
    input: impl BufRead + Send + 'static,
    mut output: impl AnswerStream,
) -> Result<(), UciError> {
    let inbox = Arc::new(Inbox::with_room(ROOM));
    let mut protocol = Protocol::new(EngineHost::new(Arc::clone(&inbox))?);
    let mut log = DebugLog::default();
    let reader = {
        let inbox = Arc::clone(&inbox);
        spawn("input".into(), SMALL_STACK, move || input::read(input, &inbox))
            .map_err(UciError::Input)?
    };
    while !protocol.is_over() {
        let attendance = protocol.has_input_ended().then(|| Instant::now() + ATTENDANCE);
        let mail = inbox.receive(protocol.next_tick().into_iter().chain(attendance).min());
        if let Some((sent, message)) = mail {
            if let Some(line) = message.line() {
                log.received(line);
            }
            // The GUI's clock has been running since, even if there was other work to be done
            // first.
            protocol.handle(message, sent);
        }
        protocol.tick(Instant::now());
        if let Err(error) = log.follow(protocol.log_file()) {
            protocol.refuse_log(error);
        }
        let lines = protocol.take_output();
        log.sent(&lines);
        let is_heard = output::write(&mut output, &lines).is_ok();
        if !is_heard || attendance.is_some() && output.is_deserted() {
            return Ok(()); // the reader may be waiting for a line that never comes
        }
    }
    reader.join().expect("the reader does not panic");
    Ok(())
}

/// Sends `message`, dated now; never waits.
fn post(inbox: &Inbox, message: Message) {
    inbox.send((Instant::now(), message));
}

/// Sends `message`, which came as `length` bytes, dated now, as soon as there is room; false if
/// nobody will ever receive it.
fn post_in_turn(inbox: &Inbox, message: Message, length: usize) -> bool {
    inbox.send_in_turn((Instant::now(), message), length + OVERHEAD)
}
