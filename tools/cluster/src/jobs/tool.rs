//! The head of a job: the tool on the first rank, which gives out units and takes in results by a
//! socket.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::ExitStatus;

use heddle::cli::hands::{Frame, mark_head};
use heddle::smp::crew::{SMALL_STACK, spawn};
use heddle::smp::mailbox::Mailbox;
use heddle::sync::Arc;
use tempfile::TempDir;

use super::outcome::Outcome;
use super::{Job, PROGRAM};

/// What happens on a rank.
pub enum Event {
    /// A hand of this rank is done with a unit.
    Outcome(usize, Outcome),
    /// The tool takes results here.
    Connected(UnixStream),
    /// The tool gives out a unit.
    Unit(Frame),
    /// The tool has ended.
    Ended(io::Result<ExitStatus>),
}

/// The tool, and how it is reached.
pub struct Tool {
    results: Option<UnixStream>,
    /// The folder of the socket, which nobody else can enter.
    _folder: TempDir,
}

impl Tool {
    /// Starts the tool as the head of this many `hands`; what it does is told to `events`.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(job: &Job, hands: usize, events: &Arc<Mailbox<Event>>) -> io::Result<Self> {
        let folder = TempDir::with_prefix("heddle-")?;
        let path = folder.path().join("hands");
        let listener = UnixListener::bind(&path)?;
        let mut command = job.command();
        mark_head(&mut command, hands, &path);
        let refused = |error| io::Error::other(format!("cannot run {PROGRAM}: {error}"));
        let mut process = command.spawn().map_err(refused)?;
        let listen = {
            let events = Arc::clone(events);
            move || {
                let Ok((mut units, _)) = listener.accept() else { return };
                let Ok(results) = units.try_clone() else { return };
                events.send(Event::Connected(results));
                while let Ok(Some(unit)) = Frame::read(&mut units) {
                    events.send(Event::Unit(unit));
                }
            }
        };
        spawn("units".into(), SMALL_STACK, listen)?;
        let events = Arc::clone(events);
        let wait = move || events.send(Event::Ended(process.wait()));
        spawn("tool".into(), SMALL_STACK, wait)?;
        Ok(Self { results: None, _folder: folder })
    }

    /// Sends results there from now on.
    pub fn connect(&mut self, results: UnixStream) {
        self.results = Some(results);
    }

    /// Passes on a result. The tool may have seen enough and ended.
    pub fn take(&mut self, result: &Frame) {
        if let Some(results) = &mut self.results {
            let _ = result.write(results);
        }
    }

    /// Tells the tool that there will be no more results: it keeps what it has and ends.
    pub fn abandon(&mut self) {
        if let Some(results) = &self.results {
            let _ = results.shutdown(Shutdown::Both);
        }
    }
}
