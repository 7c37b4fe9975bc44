//! Plays many games on many threads into one file.
//!
//! Games have numbers and are written in that order, so an interrupted run continues with the first
//! game missing from the file.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

use crate::error::SelfplayError;
use crate::files::Reader;
use crate::format::Record;
use crate::openings::Variety;
use crate::ordered::{self, Target};
use crate::progress::Goal;
use crate::selfplay::{Match, Rules};
use heddle::cli;
use heddle::cli::hands::{self, HandsError, Pool, Role};
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::machine::processors;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle_progress::tell;

/// Play games of the engine against itself and append them to a file in viriformat.
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
    #[arg(long, value_name = "PATH", default_value = "", value_parser = cli::word())]
    pub syzygy: String,
}

/// Plays the games that `args` ask for, or has other processes play them.
///
/// # Errors
/// [`SelfplayError`] if memory is short, a network or tablebase cannot be read, or the file cannot
/// be written or is not a file of games.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    let goal = match (args.games, args.positions) {
        (Some(games), _) => Goal::Games(games),
        (None, positions) => Goal::Positions(positions.unwrap_or_default()),
    };
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(()));
    let stop = Arc::new(StopFlag::default());
    let tablebases = Arc::new(Tablebases::open(&args.syzygy)?);
    let network = args.eval.load()?;
    let rules = Rules {
        nodes: args.nodes,
        seed,
        variety: args.openings,
        tablebases: Arc::clone(&tablebases),
    };
    let players = || Match::new(args.hash, rules.clone(), [network.as_ref(); 2], &stop);
    let workers: Vec<Worker> = match Role::of_this_process()? {
        Role::Hand => return serve(players()?, &stop),
        Role::Head(pool) => {
            let (pool, stop) = (Arc::new(pool), Arc::clone(&stop));
            let ask = |_| -> Worker {
                let (pool, stop) = (Arc::clone(&pool), Arc::clone(&stop));
                Box::new(move |number| ask(&pool, seed, number, &stop).transpose())
            };
            (0..pool.hands).map(ask).collect()
        }
        Role::Alone => (0..args.threads)
            .map(|_| {
                let mut players = players()?;
                let play = move |number| players.play(number).map(|record| Ok(vec![record]));
                Ok(Box::new(play) as Worker)
            })
            .collect::<Result<_, SelfplayError>>()?,
    };
    let (file, extent) = ordered::open(&args.output)?;
    let name = args.output.display();
    tell(format_args!(
        "{name}: {} games, {} positions; seed {seed}, {} at a time, {} nodes per move",
        extent.games,
        extent.positions,
        workers.len(),
        args.nodes
    ));
    if tablebases.max_pieces() > 0 {
        tell(&tablebases);
    }
    let source = (extent.games..).map(Ok);
    let target = Target { path: &args.output, file, extent, again: 0, goal };
    let result = ordered::run(source, workers, target, &stop);
    tablebases.take_faults().iter().for_each(tell);
    result
}

/// Plays the game of a number; `None` if stopped.
type Worker = Box<dyn FnMut(u64) -> Option<Result<Vec<Record>, SelfplayError>> + Send>;

/// The bytes of a seed or a number.
const WORD: usize = size_of::<u64>();

/// Plays the games that the head gives out, each a seed and a number.
fn serve(mut players: Match, stop: &Arc<StopFlag>) -> Result<(), SelfplayError> {
    hands::serve(stop, |unit| {
        let (words, rest) = unit.as_chunks::<WORD>();
        let ([seed, number], []) = (words, rest) else { return Err(HandsError::Nonsense.into()) };
        players.set_seed(u64::from_le_bytes(*seed));
        let record = players.play(u64::from_le_bytes(*number));
        Ok(record.map(|record| record.bytes().to_vec()))
    })
}

/// Has another process play a game.
fn ask(
    pool: &Pool,
    seed: u64,
    number: u64,
    stop: &StopFlag,
) -> Result<Option<Vec<Record>>, SelfplayError> {
    let unit = [seed.to_le_bytes(), number.to_le_bytes()].concat();
    let Some(bytes) = pool.ask(unit, stop)? else { return Ok(None) };
    let records: Vec<_> = Reader::new(Path::new("a hand"), &bytes[..]).collect::<Result<_, _>>()?;
    if records.len() == 1 { Ok(Some(records)) } else { Err(HandsError::Nonsense.into()) }
}
