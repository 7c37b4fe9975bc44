//! Plays many games on many threads into one file.
//!
//! Games have numbers and are written in that order: the file is the same for any number of
//! threads, and an interrupted run continues with the first game missing from the file.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::files::{self, FileError};
use crate::format::Record;
use crate::openings::Variety;
use crate::progress::{Goal, Progress};
use crate::selfplay::{Match, Rules};
use heddle::commands::cli;
use heddle::commands::system::processors;
use heddle::engine::EngineError;
use heddle::eval::nnue::eval_file::{EvalFile, EvalFileError};
use heddle::smp::stop::StopFlag;
use heddle::sync::{Arc, Condvar, Mutex, thread};
use heddle::syzygy::{TablebaseError, Tablebases};
use heddle_progress::tell;

/// Plays games of the engine against itself and appends them to a file in viriformat.
///
/// A run may be stopped in any way at any time: it loses only unfinished games and those waiting
/// for an earlier one, and the same command continues with the first missing game.
#[derive(Clone, Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("goal").required(true))]
#[command(after_help = "Example: heddle datagen --positions 1000000 --output games.vf")]
pub struct Args {
    /// File to append the games to
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Play until the file has this many games
    #[arg(long, group = "goal", value_name = "N")]
    pub games: Option<u64>,
    /// Play until the file has this many positions
    #[arg(long, group = "goal", value_name = "N")]
    pub positions: Option<u64>,
    /// Games to play at the same time, one thread each
    #[arg(long, default_value_t = processors(), value_parser = cli::threads)]
    pub threads: usize,
    /// Nodes per move after which no iteration begins; the search is cut off at eight times this
    /// number
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Transposition table of each side of each game, in MiB
    #[arg(long, default_value_t = 1, value_name = "MIB", value_parser = cli::hash)]
    pub hash: usize,
    /// Determines the games: the same seed plays the same games [default: random]
    #[arg(long)]
    pub seed: Option<u64>,
    /// How the openings are drawn
    #[arg(long, value_enum, default_value_t)]
    pub openings: Variety,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    pub eval: EvalFile,
    /// Directories of Syzygy tablebases, which end a game once they know its result
    #[arg(long, value_name = "PATH", default_value = "")]
    pub syzygy: String,
}

/// Why games could not be played or written.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Memory for the players could not be allocated.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The network cannot be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
    /// The tablebases cannot be opened.
    #[error(transparent)]
    Tablebases(#[from] TablebaseError),
}

/// State shared by the threads.
struct State {
    output: File,
    goal: Goal,
    /// The next game to play.
    next: u64,
    /// Number of games written.
    games: u64,
    /// Number of positions written.
    positions: u64,
    /// Finished games that wait for one with a lower number.
    waiting: BTreeMap<u64, Record>,
    /// The first failure to write.
    failed: Option<io::Error>,
}

/// The state, and the condition that tells the main thread that all is done.
struct Run {
    state: Mutex<State>,
    done: Condvar,
    stop: Arc<StopFlag>,
}

/// Plays the games that `args` ask for.
///
/// # Errors
/// [`GenerateError`] if memory is short, a network or tablebase cannot be read, or the file cannot
/// be written or is not a file of games.
pub fn run(args: &Args) -> Result<(), GenerateError> {
    let goal = match (args.games, args.positions) {
        (Some(games), _) => Goal::Games(games),
        (None, positions) => Goal::Positions(positions.unwrap_or_default()),
    };
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(()));
    let stop = Arc::new(StopFlag::default());
    let network = args.eval.load()?;
    let tablebases = Arc::new(Tablebases::open(&args.syzygy)?);
    let rules = Rules {
        nodes: args.nodes,
        seed,
        variety: args.openings,
        tablebases: Arc::clone(&tablebases),
    };
    let players = || Match::new(args.hash, rules.clone(), network.as_ref(), &stop);
    let players = (0..args.threads).map(|_| players()).collect::<Result<Vec<_>, _>>()?;
    let (output, extent) = files::append(&args.output)?;
    let name = args.output.display();
    if extent.is_truncated {
        tell(format_args!("{name}: the last game was incomplete and has been cut off"));
    }
    tell(format_args!(
        "{name}: {} games, {} positions; seed {seed}, {} threads, {} nodes per move",
        extent.games, extent.positions, args.threads, args.nodes
    ));
    if tablebases.max_pieces() > 0 {
        tell(&tablebases);
    }
    let (games, positions) = (extent.games, extent.positions);
    let waiting = BTreeMap::new();
    let state = State { output, goal, next: games, games, positions, waiting, failed: None };
    let run = Run { state: Mutex::new(state), done: Condvar::default(), stop };
    thread::scope(|scope| {
        for players in players {
            let run = &run;
            scope.spawn(move || run.play(players));
        }
        run.watch(Progress::new(goal, games, positions));
    });
    tablebases.take_faults().iter().for_each(tell);
    let failed = run.state.into_inner().failed;
    failed.map_or(Ok(()), |error| Err(files::io_error(&args.output)(error).into()))
}

impl Run {
    /// Plays games until all are done.
    fn play(&self, mut players: Match) {
        loop {
            let mut state = self.state.lock();
            if state.is_done() {
                return;
            }
            let number = state.next;
            state.next += 1;
            drop(state);
            let Some(record) = players.play(number) else { return };
            let mut state = self.state.lock();
            state.take(number, record);
            if state.is_done() {
                self.stop.raise();
                self.done.notify_all();
            }
        }
    }

    /// Shows the progress until all is done.
    fn watch(&self, mut progress: Progress) {
        let mut state = self.state.lock();
        while !state.is_done() {
            progress.show(state.games, state.positions);
            (state, _) = self.done.wait_until(state, progress.next());
        }
        progress.finish(state.games, state.positions);
    }
}

impl State {
    /// Whether enough games have been written, or no more can be.
    fn is_done(&self) -> bool {
        self.failed.is_some() || self.goal.is_reached(self.games, self.positions)
    }

    /// Writes a game once all earlier ones have been written.
    fn take(&mut self, number: u64, record: Record) {
        self.waiting.insert(number, record);
        while !self.is_done() {
            let Some(record) = self.waiting.remove(&self.games) else { return };
            // A single write, so that a kill can only truncate the last game.
            match self.output.write_all(record.bytes()) {
                Ok(()) => {
                    self.games += 1;
                    self.positions += record.positions() as u64;
                }
                Err(error) => self.failed = Some(error),
            }
        }
    }
}
