//! Plays many games on many threads into one file.
//!
//! Games have numbers and are written in that order, so an interrupted run continues with the first
//! game missing from the file.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::PathBuf;

use crate::error::SelfplayError;
use crate::openings::Variety;
use crate::ordered::{self, Target};
use crate::progress::Goal;
use crate::selfplay::{Match, Rules};
use heddle::cli;
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

/// Plays the games that `args` ask for.
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
    let network = args.eval.load()?;
    let tablebases = Arc::new(Tablebases::open(&args.syzygy)?);
    let rules = Rules {
        nodes: args.nodes,
        seed,
        variety: args.openings,
        tablebases: Arc::clone(&tablebases),
    };
    let players = || Match::new(args.hash, rules.clone(), [network.as_ref(); 2], &stop);
    let players = (0..args.threads).map(|_| players()).collect::<Result<Vec<_>, _>>()?;
    let (file, extent) = ordered::open(&args.output)?;
    let name = args.output.display();
    tell(format_args!(
        "{name}: {} games, {} positions; seed {seed}, {} threads, {} nodes per move",
        extent.games, extent.positions, args.threads, args.nodes
    ));
    if tablebases.max_pieces() > 0 {
        tell(&tablebases);
    }
    let source = (extent.games..).map(Ok);
    let workers = players
        .into_iter()
        .map(|mut players| move |number| players.play(number).map(|record| Ok(vec![record])))
        .collect();
    let target = Target { path: &args.output, file, extent, goal };
    let result = ordered::run(source, workers, target, &stop);
    tablebases.take_faults().iter().for_each(tell);
    result
}
