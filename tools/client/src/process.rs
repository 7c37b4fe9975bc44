//! The process of an engine, and what it says.

use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, thread};

use crate::fault::Fault;
use crate::spec::Spec;

/// The longest line that is read in one piece, in bytes: no line of UCI comes near.
const LONGEST_LINE: u64 = 1 << 16;
/// Lines that may wait to be read, before the engine has to wait itself.
const WAITING_LINES: usize = 1024;
/// How often an interrupt is looked for.
const POLL: Duration = Duration::from_millis(50);
/// How long a dying process is waited for.
const END: Duration = Duration::from_millis(500);

/// What comes out of the process.
enum Heard {
    /// A line of its output, and when it came.
    Line(String, Instant),
    /// A line of its error output.
    Complaint(String),
    /// Its output has ended.
    End,
}

/// A running engine. It ends, with all processes it has started, when it is dropped.
pub struct Process {
    child: Child,
    /// `None` once it is closed.
    input: Option<ChildStdin>,
    heard: Receiver<Heard>,
    /// The last line that was no answer, which may say why an engine ends.
    last_words: String,
    cancel: Arc<StopFlag>,
}

impl Process {
    /// Starts an engine. `cancel` ends every wait for it.
    ///
    /// # Errors
    /// [`Fault::Start`].
    pub fn start(spec: &Spec, cancel: Arc<StopFlag>) -> Result<Self, Fault> {
        let mut command = Command::new(&spec.program);
        command.args(&spec.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &spec.folder {
            command.current_dir(folder);
        }
        // Ctrl-C is for the measurement, which ends its engines itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let spawned = command.spawn();
        let mut child =
            spawned.map_err(|source| Fault::Start { program: spec.program.clone(), source })?;
        let (sender, heard) = sync_channel(WAITING_LINES);
        if let Some(errors) = child.stderr.take() {
            let sender = sender.clone();
            thread::spawn(move || listen(errors, &sender, |line, _| Heard::Complaint(line)));
        }
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                listen(output, &sender, Heard::Line);
                let _ = sender.send(Heard::End);
            });
        }
        let input = child.stdin.take();
        Ok(Self { child, input, heard, last_words: String::new(), cancel })
    }

    /// Writes whole lines.
    ///
    /// # Errors
    /// [`Fault::Ended`] when the engine does not read.
    pub fn send(&mut self, lines: &str) -> Result<(), Fault> {
        let written = self.input.as_mut().map(|input| input.write_all(lines.as_bytes()));
        if matches!(written, Some(Ok(()))) { Ok(()) } else { Err(self.ended()) }
    }

    /// The next line that `pick` takes and when it came, waiting until `end`; `command` is what it
    /// answers.
    ///
    /// # Errors
    /// [`Fault`] when the engine ends or says nothing of the kind, or the user interrupts.
    pub fn answer<T>(
        &mut self,
        command: &str,
        limit: Duration,
        mut pick: impl FnMut(&str, Instant) -> Option<T>,
    ) -> Result<T, Fault> {
        let start = Instant::now();
        loop {
            if self.cancel.is_raised() {
                return Err(Fault::Interrupted);
            }
            // Asked before every line: an engine may say things without end.
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(Fault::Silent { command: command.to_owned(), limit });
            }
            match self.heard.recv_timeout(left.min(POLL)) {
                Ok(Heard::Line(line, at)) => match pick(&line, at) {
                    Some(found) => return Ok(found),
                    None => self.last_words = line,
                },
                Ok(Heard::Complaint(line)) => self.last_words = line,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Heard::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// The fault of a process that no longer reads or writes.
    fn ended(&mut self) -> Fault {
        drop(self.input.take());
        let start = Instant::now();
        // Its output closes a moment before it has ended; a complaint may come after both.
        let (mut status, mut is_heard_out) = (None, false);
        while (status.is_none() || !is_heard_out) && start.elapsed() < END {
            match self.heard.recv_timeout(POLL / 10) {
                Ok(Heard::Complaint(line) | Heard::Line(line, _)) => self.last_words = line,
                Ok(Heard::End) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    is_heard_out = true;
                    thread::sleep(POLL / 10);
                }
            }
            status = status.or_else(|| self.child.try_wait().ok().flatten());
        }
        let last = std::mem::take(&mut self.last_words);
        let closed = || "it closed its input or output".to_owned();
        Fault::Ended { status: status.map_or_else(closed, |status| status.to_string()), last }
    }

    #[cfg(unix)]
    fn kill(&mut self) -> io::Result<()> {
        use rustix::process::{Pid, Signal, kill_process_group};
        // The group is its own, see `start`; a wrapper script may have started the engine proper.
        let group = Pid::from_child(&self.child);
        kill_process_group(group, Signal::KILL).map_err(io::Error::from)
    }

    #[cfg(not(unix))]
    fn kill(&mut self) -> io::Result<()> {
        self.child.kill()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(b"quit\n");
        }
        let start = Instant::now();
        while start.elapsed() < END {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            thread::sleep(POLL / 10);
        }
        // It may have ended in the meantime, and then there is nothing to kill.
        let _ = self.kill();
        let _ = self.child.wait();
    }
}

/// Passes lines on until there are none, or nobody takes them.
fn listen(output: impl Read, sender: &SyncSender<Heard>, heard: impl Fn(String, Instant) -> Heard) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) {
            return;
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if sender.send(heard(text, Instant::now())).is_err() {
            return;
        }
    }
}
