//! Gives positions of games new scores: by longer searches, or by a network that knows more.
//!
//! Short games are cheap and come to many different positions; long searches know more about each.
//! A few positions of each of many short games, searched for longer, have both. Source: rescoring,
//! as practised for the networks of Stockfish and Lc0.
//!
//! A larger network's static evaluation costs a hundredth of such a search. Random moves before it
//! make positions beside the line of play: few of them occur twice.

use std::path::{Path, PathBuf};

use heddle::cli;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::machine::processors;
use heddle::position::{Game, Move, Position};
use heddle::smp::stop::StopFlag;
use heddle::sync::thread::{self, ScopedJoinHandle};
use heddle::sync::{Arc, Mutex};
use heddle_client::{Fault, Spec, spec};
use heddle_progress::tell;

use crate::draw::{self, Draw, Drawn, Games, Numbered};
use crate::error::SelfplayError;
use crate::files::FileError;
use crate::format::Record;
use crate::oracle::Oracle;
use crate::ordered::{self, Target};
use crate::player::Player;
use crate::progress::Goal;
use crate::teacher::{self, Teacher, TeacherError};

/// Games that a thread replays at a time to count their positions.
const GAMES: usize = 64;

/// Positions that an engine searches to find the scale of its scores.
const SEARCHED: usize = 256;

/// What to score, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// File of games
    file: PathBuf,
    /// File to append the positions to, each as a game of one move
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Nodes per position after which no iteration begins; the search is cut off at eight times
    /// this number
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Search one in N of the quiet positions, drawn at random
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
    /// Random moves to play from each of them before it is scored: a number, or a range like 1-3 to
    /// draw from
    #[arg(long, default_value = "0", value_name = "N", value_parser = range)]
    random_moves: (u32, u32),
    /// Score quiet positions by the static evaluation of this network of another engine, without a
    /// search: Stockfish's of the architectures SFNNv10, HalfKAv2_hm, HalfKAv2 or HalfKP
    #[arg(long, value_name = "FILE", group = "teacher", conflicts_with_all = ["nodes", "hash"])]
    network: Option<PathBuf>,
    /// Score positions by searches of another UCI engine, to --nodes: a command, or
    /// cmd=C,option.O=V as for `heddle match`
    #[arg(long, value_name = "ENGINE", group = "teacher", value_parser = spec)]
    engine: Option<Spec>,
    /// Our centipawns in one unit of that network, or one centipawn of that engine [default: found
    /// from the spread of --eval's scores]
    #[arg(long, value_name = "CENTIPAWNS", requires = "teacher", value_parser = unit)]
    unit: Option<f64>,
    /// Positions to search at the same time, one thread each
    #[arg(long, default_value_t = processors(), value_parser = cli::threads)]
    threads: usize,
    /// Transposition table of each thread, in MiB
    #[arg(long, default_value_t = 1, value_name = "MIB", value_parser = cli::hash)]
    hash: usize,
    /// Seed of the selection and the random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
}

/// Reads `N` or `N-M`.
fn range(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok());
    range.filter(|(least, most)| least <= most).ok_or_else(|| "not a number or a range".to_owned())
}

/// Reads a positive number.
pub fn unit(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|unit: &f64| unit.is_finite() && *unit > 0.0);
    number.ok_or_else(|| "not a positive number".to_owned())
}

/// Gives positions their scores.
enum Labeller {
    /// A search of `nodes` nodes.
    Search { player: Box<Player>, nodes: u64 },
    /// A network's static evaluation, of quiet positions alone.
    Network(Arc<Teacher>),
    /// A search of another engine.
    Engine(Box<Oracle>),
}

/// A game to draw positions from.
struct Task {
    record: Record,
    number: usize,
    /// How many of the positions an earlier run has scored.
    skip: usize,
}

/// Appends the positions drawn from a file, with the moves and scores of new searches. An
/// interrupted run continues with the first position that is missing.
///
/// # Errors
/// [`SelfplayError`] if memory is short, the network cannot be read, or a file cannot be read or
/// written or is not a file of games.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    let draw = Draw {
        seed: args.seed,
        one_in: args.one_in,
        random_moves: args.random_moves,
        only_quiet: args.network.is_some(),
    };
    let stop = Arc::new(StopFlag::default());
    let (labellers, scores) = labellers(args, draw, &stop)?;
    // Before anything is written: the whole file is known to be valid.
    let counts = count(args, draw)?;
    let total = counts.iter().copied().map(u64::from).sum();
    let (file, extent) = ordered::open_scored(&args.output)?;
    tell(format_args!(
        "{}: {} of {total} positions; seed {}, {} threads, {scores}",
        args.output.display(),
        extent.positions,
        args.seed,
        args.threads,
    ));
    let workers = labellers.into_iter().map(|mut labeller| move |task| labeller.label(task, draw));
    let target =
        Target { path: &args.output, file, extent, again: 0, goal: Goal::Positions(total) };
    ordered::run(tasks(args, &counts, extent.positions)?, workers.collect(), target, &stop)
}

/// A labeller for each thread, and where their scores come from.
fn labellers(
    args: &Args,
    draw: Draw,
    stop: &Arc<StopFlag>,
) -> Result<(Vec<Labeller>, String), SelfplayError> {
    let own = args.eval.load()?;
    let nodes = args.nodes;
    if let Some(path) = &args.network {
        let teacher = Teacher::load(path)?;
        let evaluate = |position: &Position| Some(teacher.evaluation(position));
        let unit =
            draw::unit(args.unit, &args.file, draw, own.as_deref(), teacher::SAMPLE, evaluate)?;
        let teacher =
            Arc::new(teacher.with_unit(unit.ok_or_else(|| TeacherError::scaleless(path))?));
        let scores = format!("{} centipawns in a unit of {}", teacher.unit(), path.display());
        let labeller = |_| Labeller::Network(Arc::clone(&teacher));
        return Ok(((0..args.threads).map(labeller).collect(), scores));
    }
    if let Some(spec) = &args.engine {
        let start = || Oracle::new(spec, nodes, args.hash, stop);
        let mut first = start()?;
        let evaluate = |position: &Position| first.centipawns(position);
        let unit = draw::unit(args.unit, &args.file, draw, own.as_deref(), SEARCHED, evaluate)?;
        let unit = unit.ok_or_else(|| TeacherError::scaleless(Path::new(&spec.program)))?;
        let others = (1..args.threads).map(|_| start());
        let oracles = std::iter::once(Ok(first)).chain(others);
        let labeller = |oracle: Result<Oracle, Fault>| {
            oracle.map(|oracle| Labeller::Engine(Box::new(oracle.with_unit(unit))))
        };
        let labellers = oracles.map(labeller).collect::<Result<_, _>>()?;
        let scores = format!(
            "{nodes} nodes of {} per position, {unit} of our centipawns in one of its own",
            spec.program
        );
        return Ok((labellers, scores));
    }
    let player = || Player::new(args.hash, own.clone(), stop);
    let search = |player| Labeller::Search { player: Box::new(player), nodes };
    let players = (0..args.threads).map(|_| player().map(search)).collect::<Result<_, _>>()?;
    Ok((players, format!("{nodes} nodes per position")))
}

/// How many positions are drawn from each game of the file. All threads replay games.
fn count(args: &Args, draw: Draw) -> Result<Vec<u32>, FileError> {
    let games = Mutex::new(Games::open(&args.file)?);
    let replay = || {
        let mut counts = Vec::new();
        loop {
            let taken: Vec<_> = games.lock().by_ref().take(GAMES).collect();
            if taken.is_empty() {
                return Ok(counts);
            }
            for game in taken {
                let game = game?;
                counts.push((game.number, game.draw(&args.file, draw)?.len() as u32));
            }
        }
    };
    let counts: Result<Vec<Vec<_>>, FileError> = thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads).map(|_| scope.spawn(replay)).collect();
        let join = |thread: ScopedJoinHandle<_>| thread.join().expect("replaying does not panic");
        threads.into_iter().map(join).collect()
    });
    let mut counts = counts?.concat();
    games.into_inner().warn_of_truncation();
    counts.sort_unstable();
    Ok(counts.into_iter().map(|(_, count)| count).collect())
}

/// The games from which positions are drawn, without the first `done` of these positions.
fn tasks<'a>(
    args: &Args,
    counts: &'a [u32],
    mut done: u64,
) -> Result<impl Iterator<Item = Result<Task, FileError>> + Send + use<'a>, FileError> {
    let games = Games::open(&args.file)?;
    Ok(games.zip(counts).filter_map(move |(game, &count)| {
        let skip = done.min(u64::from(count));
        done -= skip;
        let Numbered { record, number, .. } = match game {
            Ok(game) => game,
            Err(error) => return Some(Err(error)),
        };
        (skip < u64::from(count)).then_some(Ok(Task { record, number, skip: skip as usize }))
    }))
}

impl Labeller {
    /// Each position drawn from a game as a game of one move, but for those that an earlier run has
    /// written; `None` if stopped.
    fn label(&mut self, task: Task, draw: Draw) -> Option<Result<Vec<Record>, SelfplayError>> {
        let Task { record, number, skip } = task;
        // Every game was valid when its positions were counted; one that has changed since gives
        // none.
        let drawn = draw.positions(&record, number).unwrap_or_default();
        let record = |game: &Game, (best, score)| {
            Record::scored(game.position(), record.result(), best, score)
        };
        match self {
            Self::Search { player, nodes } => {
                player.clear();
                let mut search =
                    |Drawn { game, .. }: &Drawn| Some(record(game, player.search(game, *nodes)?));
                // All of them, because a search depends on the ones before it.
                let records: Option<Vec<_>> = drawn.iter().map(&mut search).collect();
                Some(Ok(records?.into_iter().skip(skip).collect()))
            }
            Self::Network(teacher) => {
                let new = drawn.iter().skip(skip);
                let quiet = new.filter_map(|Drawn { game, quiet }| Some((game, (*quiet)?)));
                let label =
                    |(game, m): (&Game, Move)| record(game, (m, teacher.score(game.position())));
                Some(Ok(quiet.map(label).collect()))
            }
            Self::Engine(oracle) => {
                if let Some(first) = drawn.first()
                    && let Err(fault) = oracle.clear(first.game.position())
                {
                    return Some(Err(fault.into()));
                }
                let mut search =
                    |Drawn { game, .. }: &Drawn| Ok(record(game, oracle.score(game.position())?));
                let records = drawn.iter().skip(skip).map(&mut search).collect();
                match records {
                    Err(Fault::Interrupted) => None,
                    records => Some(records.map_err(SelfplayError::from)),
                }
            }
        }
    }
}
