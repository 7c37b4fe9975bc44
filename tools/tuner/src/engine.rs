//! An engine in a process of its own, spoken to over UCI.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use heddle::position::{Move, Position, START_FEN};
use heddle::score::Score;
use heddle::sync::thread;

use crate::found::Found;
use crate::parameter::{Parameter, ParameterError};

/// Size of each engine's transposition table, in MiB.
const HASH: usize = 16;
/// Depth of the signature search, in plies: it takes a fraction of a second.
const SIGNATURE_DEPTH: u32 = 12;
/// How often, and how long each time, to wait for a dying process.
const END_POLLS: u32 = 50;
const END_POLL: Duration = Duration::from_millis(10);
/// What an engine says, unasked, when it refuses something.
const COMPLAINT: &str = "info string ";

/// Why an engine cannot be played with.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot run {}: {source}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// The program has no margins to tune.
    #[error("{}: not a build of heddle with --features spsa", .0.display())]
    Untunable(PathBuf),
    /// A margin makes no sense.
    #[error("{}: {source}", path.display())]
    Parameter {
        /// The program.
        path: PathBuf,
        /// What is wrong with it.
        source: ParameterError,
    },
    /// The process ended, or closed its input or output.
    #[error("{}: the engine died ({status})", path.display())]
    Died {
        /// The program.
        path: PathBuf,
        /// How it ended, in words.
        status: String,
    },
    /// The engine refused a command.
    #[error("{}: the engine refuses: {complaint}", path.display())]
    Refused {
        /// The program.
        path: PathBuf,
        /// What it said.
        complaint: String,
    },
    /// The engine's answer to `go` makes no sense.
    #[error("{}: the engine answers `{answer}` in {fen}", path.display())]
    Answer {
        /// The program.
        path: PathBuf,
        /// What it said.
        answer: String,
        /// The position.
        fen: String,
    },
}

/// The margins of the engine `path`, from its command `spsa`.
///
/// # Errors
/// [`EngineError`] when it cannot be run or has none.
pub fn parameters(path: &Path) -> Result<Vec<Parameter>, EngineError> {
    let output = command(path.as_os_str())
        .arg("spsa")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| EngineError::Start { path: path.to_owned(), source })?;
    let path = path.to_owned();
    if output.status.code().is_none() {
        return Err(EngineError::Died { path, status: output.status.to_string() });
    }
    let lines = String::from_utf8(output.stdout).ok().filter(|_| output.status.success());
    let lines = lines.filter(|lines| !lines.is_empty());
    let Some(lines) = lines else { return Err(EngineError::Untunable(path)) };
    let found = lines.lines().map(str::parse).collect::<Result<Vec<Parameter>, _>>();
    found.map_err(|source| EngineError::Parameter { path, source })
}

/// A command in a process group of its own: Ctrl-C is for the tuner, which ends its engines itself.
#[cfg(unix)]
fn command(program: &OsStr) -> Command {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(program);
    command.process_group(0);
    command
}

/// A command. Where there are no process groups, Ctrl-C ends the engines as well.
#[cfg(not(unix))]
fn command(program: &OsStr) -> Command {
    Command::new(program)
}

/// A running engine, which ends when it is dropped.
pub struct Engine {
    path: PathBuf,
    process: Child,
    /// `None` once it is closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The last line that was read.
    line: String,
    /// The values that were set last; none at first.
    values: Vec<i32>,
}

impl Engine {
    /// Starts the program `path`.
    ///
    /// # Errors
    /// [`EngineError`] when it cannot be started or does not speak UCI.
    pub fn start(path: &Path) -> Result<Self, EngineError> {
        let spawned = command(path.as_os_str())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut process =
            spawned.map_err(|source| EngineError::Start { path: path.to_owned(), source })?;
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("the output is piped"));
        let path = path.to_owned();
        let mut engine =
            Self { path, process, input, output, line: String::new(), values: Vec::new() };
        engine.send("uci\n")?;
        while engine.read()? != "uciok" {}
        engine.order(&format!(
            "setoption name Hash value {HASH}\nsetoption name Threads value 1\n"
        ))?;
        Ok(engine)
    }

    /// The nodes of a short search with the default values. A change of the search or the network
    /// is likely to change it.
    ///
    /// # Errors
    /// [`EngineError`].
    pub fn signature(&mut self) -> Result<u64, EngineError> {
        self.new_game()?;
        self.send(&format!("position fen {START_FEN}\ngo depth {SIGNATURE_DEPTH}\n"))?;
        Ok(self.found()?.nodes)
    }

    /// Sets the parameters to `values`; those that have their value already are left out.
    ///
    /// # Errors
    /// [`EngineError`], also when the engine refuses a value.
    pub fn set(&mut self, parameters: &[Parameter], values: &[i32]) -> Result<(), EngineError> {
        let mut commands = String::new();
        for (i, (parameter, value)) in parameters.iter().zip(values).enumerate() {
            if self.values.get(i) != Some(value) {
                writeln!(commands, "setoption name {} value {value}", parameter.name)
                    .expect("a string can be written");
            }
        }
        self.order(&commands)?;
        values.clone_into(&mut self.values);
        Ok(())
    }

    /// Forgets the last game.
    ///
    /// # Errors
    /// [`EngineError`].
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.order("ucinewgame\n")
    }

    /// The move that a search of `nodes` nodes chooses after `moves`, each preceded by a space, from
    /// `fen`, and its score for the side to move in `position`, the position reached.
    ///
    /// # Errors
    /// [`EngineError`], also when the move is not legal.
    pub fn search(
        &mut self,
        fen: &str,
        moves: &str,
        position: &Position,
        nodes: u64,
    ) -> Result<(Move, Score), EngineError> {
        let moves_word = if moves.is_empty() { "" } else { " moves" };
        self.send(&format!("position fen {fen}{moves_word}{moves}\ngo nodes {nodes}\n"))?;
        let found = self.found()?;
        position.parse_move(&found.best).ok().zip(found.score(position)).ok_or_else(|| {
            EngineError::Answer {
                path: self.path.clone(),
                answer: self.line.trim_end().to_owned(),
                fen: position.fen(),
            }
        })
    }

    /// Reads the answer to `go`.
    fn found(&mut self) -> Result<Found, EngineError> {
        let mut found = Found::default();
        while !found.read(self.read()?) {}
        Ok(found)
    }

    /// Sends commands that must not be answered, and waits until they have been carried out.
    fn order(&mut self, commands: &str) -> Result<(), EngineError> {
        self.send(&format!("{commands}isready\n"))?;
        let mut refused = None;
        loop {
            let line = self.read()?;
            if line == "readyok" {
                break;
            }
            if let Some(complaint) = line.strip_prefix(COMPLAINT) {
                refused = Some(complaint.to_owned());
            }
        }
        match refused {
            Some(complaint) => Err(EngineError::Refused { path: self.path.clone(), complaint }),
            None => Ok(()),
        }
    }

    /// Writes all of `commands` at once.
    fn send(&mut self, commands: &str) -> Result<(), EngineError> {
        let input = self.input.as_mut().expect("it is closed by drop alone");
        input.write_all(commands.as_bytes()).map_err(|_| self.died())
    }

    /// Reads a line, without its end.
    fn read(&mut self) -> Result<&str, EngineError> {
        self.line.clear();
        match self.output.read_line(&mut self.line) {
            Ok(1..) => Ok(self.line.trim_end()),
            Ok(0) | Err(_) => Err(self.died()),
        }
    }

    /// The error when the process no longer reads or writes.
    fn died(&mut self) -> EngineError {
        // Its pipes close a moment before it has ended.
        let status = (0..END_POLLS).find_map(|_| {
            let ended = self.process.try_wait().ok().flatten();
            if ended.is_none() {
                thread::sleep(END_POLL);
            }
            ended
        });
        let closed = "its input or output is closed".to_owned();
        let status = status.map_or(closed, |status| status.to_string());
        EngineError::Died { path: self.path.clone(), status }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The end of its input ends an idle engine, and killing it any other. It need not be told
        // that it died already.
        drop(self.input.take());
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
