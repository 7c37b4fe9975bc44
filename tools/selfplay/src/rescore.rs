//! Searches positions of games again.
//!
//! Short games are cheap and come to many different positions; long searches know more about each. A
//! few positions of each of many short games, searched for longer, have both. Source: rescoring, as
//! practised for the networks of Stockfish and Lc0.

use std::path::PathBuf;

use fastrand::Rng;
use heddle::cli;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::machine::processors;
use heddle::position::{Game, Key};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_progress::tell;

use crate::error::SelfplayError;
use crate::files::{self, FileError};
use crate::filter::is_quiet;
use crate::format::{GameResult, Record, RecordError};
use crate::ordered::{self, Target};
use crate::player::Player;
use crate::progress::Goal;

/// What to search, and for how long.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// File of games
    file: PathBuf,
    /// File to append the positions to, each as a game of one move
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Nodes per position after which no iteration begins; the search is cut off at eight times this
    /// number
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Search one in N of the quiet positions, drawn at random
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
    /// Random moves to play from each of them before the search
    #[arg(long, default_value_t = 0, value_name = "N")]
    random_moves: u32,
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

/// The positions drawn from a game.
struct Task {
    drawn: Vec<Game>,
    /// The game's result.
    result: GameResult,
    /// How many of the positions have been searched by an earlier run.
    skip: usize,
}

/// How positions are drawn.
#[derive(Copy, Clone)]
struct Draw {
    seed: u64,
    one_in: u32,
    random_moves: u32,
}

/// Appends the positions drawn from a file, with the moves and scores of new searches. An interrupted run
/// continues with the first position that is missing.
///
/// # Errors
/// [`SelfplayError`] if memory is short, the network cannot be read, or a file cannot be read or written or
/// is not a file of games.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    let draw = Draw { seed: args.seed, one_in: args.one_in, random_moves: args.random_moves };
    let stop = Arc::new(StopFlag::default());
    let network = args.eval.load()?;
    let player = || Player::new(args.hash, network.clone(), &stop);
    let players = (0..args.threads).map(|_| player()).collect::<Result<Vec<_>, _>>()?;
    // Before anything is written: the whole file is known to be valid.
    let total = count(args, draw)?;
    let (file, extent) = ordered::open(&args.output)?;
    if extent.games != extent.positions {
        return Err(FileError::Unrelated { path: args.output.clone() }.into());
    }
    tell(format_args!(
        "{}: {} of {total} positions; seed {}, {} threads, {} nodes per position",
        args.output.display(),
        extent.positions,
        args.seed,
        args.threads,
        args.nodes
    ));
    let workers = players
        .into_iter()
        .map(|mut player| move |task: Task| search(&task, &mut player, args.nodes));
    let target = Target { path: &args.output, file, extent, goal: Goal::Positions(total) };
    ordered::run(tasks(args, draw, extent.positions)?, workers.collect(), target, &stop)
}

/// How many positions are drawn from the file.
fn count(args: &Args, draw: Draw) -> Result<u64, FileError> {
    let mut reader = files::open(&args.file)?;
    let mut count = 0;
    let mut number = 0;
    while let Some(record) = reader.next() {
        let drawn = draw.positions(&record?, number);
        count += drawn.map_err(|error| reader.blame(error))?.len() as u64;
        number += 1;
    }
    reader.warn_of_truncation();
    Ok(count)
}

/// The games from which positions are drawn, without the first `done` of these positions.
fn tasks(
    args: &Args,
    draw: Draw,
    mut done: u64,
) -> Result<impl Iterator<Item = Result<Task, FileError>> + Send, FileError> {
    let mut reader = files::open(&args.file)?;
    let mut number = 0;
    let mut next = move || {
        while let Some(record) = reader.next().transpose()? {
            let drawn = draw.positions(&record, number).map_err(|error| reader.blame(error))?;
            number += 1;
            let skip = done.min(drawn.len() as u64);
            done -= skip;
            let skip = skip as usize;
            if skip < drawn.len() {
                return Ok(Some(Task { drawn, result: record.result(), skip }));
            }
        }
        Ok(None)
    };
    Ok(std::iter::from_fn(move || next().transpose()))
}

/// Searches the positions drawn from a game; `None` if stopped.
fn search(task: &Task, player: &mut Player, nodes: u64) -> Option<Vec<Record>> {
    player.clear();
    // All of them, because a search depends on the ones before it.
    let records: Option<Vec<_>> =
        task.drawn.iter().map(|game| rescore(game, task.result, player, nodes)).collect();
    Some(records?.split_off(task.skip))
}

/// A game of the one move that a search finds.
fn rescore(game: &Game, result: GameResult, player: &mut Player, nodes: u64) -> Option<Record> {
    let (best, score) = player.search(game, nodes)?;
    let position = game.position();
    let mut record = Record::new(position);
    record.push(best, position.turn().fold_wb(score, -score).get() as i16);
    record.set_result(result);
    Some(record)
}

impl Draw {
    /// The positions drawn from game `number`, in its order, each with those before it.
    fn positions(self, record: &Record, number: u64) -> Result<Vec<Game>, RecordError> {
        let mut rng = Rng::with_seed(self.seed ^ number.rotate_left(u64::BITS / 2));
        let mut keys: Vec<Key> = Vec::new();
        let mut drawn = Vec::new();
        record.walk(|scored| {
            if is_quiet(scored) && rng.u32(..self.one_in) == 0 {
                let game = Game::with_keys(scored.position.clone(), keys.clone());
                drawn.extend(self.leave(game, &mut rng));
            }
            keys.push(scored.position.key());
        })?;
        Ok(drawn)
    }

    /// Plays the random moves; `None` if they end the game or end in check.
    fn leave(self, mut game: Game, rng: &mut Rng) -> Option<Game> {
        for _ in 0..self.random_moves {
            game.play(rng.choice(game.position().legal_moves())?);
        }
        let position = game.position();
        let is_over = game.is_draw() || position.legal_moves().is_empty();
        let is_learnt = !is_over && !position.is_check();
        is_learnt.then_some(game)
    }
}
