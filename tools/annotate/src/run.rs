//! One run from the command line to the last game.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use heddle::commands::cli::{Completion, InterruptError, stop_on_interrupt};
use heddle::commands::pgn::games::Games;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_progress::{bar, tell};

use crate::args::Args;
use crate::evaluate::{Evaluator, SetupError};
use crate::notes::annotate;
use crate::opening::Openings;
use crate::read::read;
use crate::report::Report;
use crate::sinks::{SinkError, Sinks};

/// The name of the standard input.
const STANDARD_INPUT: &str = "-";

/// Why a run failed, wholly or in part.
#[derive(Debug, thiserror::Error)]
pub enum AnnotateError {
    /// The engine cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The handler for interrupts cannot be installed.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// A file of games cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error from the system.
        source: io::Error,
    },
    /// A result cannot be written.
    #[error(transparent)]
    Write(#[from] SinkError),
    /// Some games were left out, each with a line that says why.
    #[error("{0} of {1} games could not be read and are left out")]
    Broken(usize, usize),
}

/// Annotates the games that `args` name.
///
/// # Errors
/// [`AnnotateError`], the first one; what was annotated before it is written.
pub fn run(args: &Args) -> Result<Completion, AnnotateError> {
    let cancel = Arc::<StopFlag>::default();
    // Before the first search: an unwritable path should not cost hours.
    let mut session = Session {
        sinks: Sinks::open(args)?,
        evaluator: Evaluator::new(args, Arc::clone(&cancel))?,
        openings: Openings::new(),
        cancel: Arc::clone(&cancel),
        games: 0,
        broken: 0,
    };
    stop_on_interrupt(Arc::clone(&cancel))?;
    let standard_input = [PathBuf::from(STANDARD_INPUT)];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    let annotated = files.iter().try_for_each(|path| session.file(path));
    let (games, broken) = (session.games, session.broken);
    let finished = session.sinks.finish();
    annotated?;
    finished?;
    if cancel.is_raised() {
        Ok(Completion::Interrupted)
    } else if broken > 0 {
        Err(AnnotateError::Broken(broken, games))
    } else {
        Ok(Completion::Complete)
    }
}

/// What a run works with.
struct Session {
    sinks: Sinks,
    evaluator: Evaluator,
    openings: Openings,
    cancel: Arc<StopFlag>,
    /// Games that were found.
    games: usize,
    /// Those of them that could not be read.
    broken: usize,
}

impl Session {
    fn file(&mut self, path: &Path) -> Result<(), AnnotateError> {
        let refused = |source| AnnotateError::Read { path: path.to_owned(), source };
        let input: Box<dyn BufRead> = if path == Path::new(STANDARD_INPUT) {
            Box::new(io::stdin().lock())
        } else {
            Box::new(BufReader::new(File::open(path).map_err(refused)?))
        };
        let mut games = Games::new(input);
        while !self.cancel.is_raised()
            && let Some(raw) = games.next()
        {
            let raw = raw.map_err(refused)?;
            self.games += 1;
            match read(&raw) {
                Ok(mut game) => {
                    let report = self.report(&game, raw.number);
                    if report.is_empty() {
                        break; // interrupted at its first search
                    }
                    annotate(&mut game, &report);
                    self.sinks.add(&game, &report)?;
                }
                Err(error) => {
                    self.broken += 1;
                    let (path, number) = (path.display(), raw.number);
                    tell(format_args!("heddle-annotate: {path}: game {number}, {error}"));
                }
            }
        }
        Ok(())
    }

    /// Evaluates a game under a progress bar, hidden if standard error is not a terminal.
    fn report(&mut self, game: &crate::game::Game, number: usize) -> Report {
        let bar = bar(game.moves.len() as u64 + 1, "{msg} {wide_bar} {pos}/{len} ETA {eta}");
        bar.set_message(format!("game {number}: {}", game.players()));
        let evaluations = self.evaluator.evaluate(game, || bar.inc(1));
        bar.finish_and_clear();
        Report::new(game, evaluations, &self.openings)
    }
}
