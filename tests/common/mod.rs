//! Drives a running engine through pipes, as a GUI would.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use heddle::position::Position;

/// How long to wait for an answer before the engine counts as hung; generous, for busy machines.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// How long to wait for an answer that should not come.
const SILENCE: Duration = Duration::from_millis(200);

/// What starts the engine, with three pipes that belong to the test.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running engine whose three pipes belong to the test.
pub fn spawn() -> Child {
    command().spawn().unwrap()
}

/// A terminal of that size: our end, and the one for a program.
#[cfg(target_os = "linux")]
pub fn terminal(columns: u16, rows: u16) -> (std::fs::File, std::os::fd::OwnedFd) {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};

    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = ioctl_tiocgptpeer(&ours, flags).unwrap();
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).unwrap();
    (ours.into(), theirs)
}

/// A running engine; dropping it kills the process.
pub struct Engine {
    pub process: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    complaint: Option<JoinHandle<String>>,
}

/// How an engine ended.
pub struct End {
    /// The rest of its output.
    pub output: Vec<String>,
    /// What it wrote to standard error.
    pub complaint: String,
    pub status: ExitStatus,
}

impl Engine {
    pub fn start() -> Self {
        Self::from_process(spawn())
    }

    /// Drives a process that [`command`] has started.
    pub fn from_process(mut process: Child) -> Self {
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut stderr = process.stderr.take().unwrap();
        let complaint = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self { input: process.stdin.take(), process, output, complaint: Some(complaint) }
    }

    pub fn with_threads(threads: usize) -> Self {
        let mut engine = Self::start();
        engine.send(&format!("setoption name Threads value {threads}\n"));
        engine
    }

    /// Sends `text` in one write.
    pub fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// The engine's input, for a thread that does nothing but write.
    pub fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    pub fn end_input(&mut self) {
        self.input = None;
    }

    pub fn next(&mut self) -> String {
        self.output.recv_timeout(PATIENCE).expect("the engine hangs or is gone")
    }

    /// Everything up to and including the first line that begins with `prefix`.
    pub fn until(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = vec![self.next()];
        while !lines.last().unwrap().starts_with(prefix) {
            lines.push(self.next());
        }
        lines
    }

    /// Everything up to and including the first line that ends with `word`.
    pub fn until_last_word(&mut self, word: &str) -> Vec<String> {
        let mut lines = vec![self.next()];
        while !lines.last().unwrap().ends_with(word) {
            lines.push(self.next());
        }
        lines
    }

    /// The move of the next `bestmove`, which must be legal in `fen`.
    pub fn best_move(&mut self, fen: &str) -> String {
        let answer = self.until("bestmove ").pop().unwrap();
        let best = answer.split_whitespace().nth(1).unwrap().to_owned();
        Position::from_fen(fen).unwrap().parse_move(&best).unwrap();
        best
    }

    /// Asserts that no `bestmove` comes for a while.
    pub fn keeps_waiting(&mut self) -> bool {
        let end = Instant::now() + SILENCE;
        loop {
            match self.output.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if line.starts_with("bestmove") => return false,
                Ok(_) => {}
                Err(error) => return error == RecvTimeoutError::Timeout,
            }
        }
    }

    /// Waits for the process to end; if it does not, kills it and returns `None`.
    pub fn end(mut self) -> Option<End> {
        let deadline = Instant::now() + PATIENCE;
        let mut output = Vec::new();
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => output.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return None,
            }
        }
        let status = wait(&mut self.process)?;
        let complaint = self.complaint.take()?.join().ok()?;
        Some(End { output, complaint, status })
    }

    /// Waits for the process to end; returns the rest of its output and how it ended.
    pub fn finish(self) -> (Vec<String>, ExitStatus) {
        let end = self.end().expect("the engine ends");
        assert_eq!(end.complaint, "", "on its standard error");
        (end.output, end.status)
    }

    /// Sends `quit`; the engine must exit successfully without further output.
    pub fn quit(mut self) {
        self.send("quit\n");
        let (rest, status) = self.finish();
        assert!(rest.is_empty() && status.success(), "{status}: {rest:?}");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The exit status of `process`; `None` if it does not end.
pub fn wait(process: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return Some(status);
        }
        if start.elapsed() >= PATIENCE {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub fn count(lines: &[String], prefix: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(prefix)).count()
}
