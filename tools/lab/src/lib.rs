//! The laboratory: the reference algorithms side by side on the same positions.
//!
//! Every algorithm gets a row: value, work, and how that compares. Bounded searches deepen ply by
//! ply, and their counts are sums over the iterations, so that what a table, killers or history
//! carry from one iteration to the next shows.

mod measure;
mod methods;
mod plot;
mod report;

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressStyle};

use measure::Plan;
pub use measure::Row;
pub use methods::{BASELINE, Group, Method, methods};

use heddle::commands::suite::suite;
use heddle::position::{FenError, Game as History, Position, START_FEN};
use heddle::reference::Game;
use heddle::reference::chess::{ChessGame, Rules};
use heddle::reference::tree::{Shape, Tree, Values};
use heddle::score::{Depth, Score};

/// The greatest depth in plies that may be asked for.
const MAX_DEPTH: i64 = 20;

/// How many values a random tree may have; the seed picks one, so that a first guess is no gift.
const TREE_VALUES: u64 = 200;

/// Compares the reference algorithms.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Position to search, the initial one by default
    #[arg(conflicts_with = "suite")]
    pub fen: Option<String>,
    /// Search a suite of positions and sum up
    #[arg(long)]
    pub suite: bool,
    /// Search a random tree with this many moves everywhere
    #[arg(long, value_name = "WIDTH", conflicts_with_all = ["fen", "suite"],
          value_parser = clap::value_parser!(u8).range(1..))]
    pub tree: Option<u8>,
    /// The random tree
    #[arg(long, default_value_t = 1, requires = "tree")]
    pub seed: u64,
    /// Best move first everywhere in the random tree
    #[arg(long, requires = "tree")]
    pub ordered: bool,
    /// Depth in plies
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(i32).range(1..=MAX_DEPTH))]
    pub depth: Depth,
    /// Algorithms, or groups of them, separated by commas; by default those that take no more than
    /// minutes at that depth
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(names()))]
    pub algorithms: Vec<String>,
    /// Search the depth at once instead of deepening ply by ply
    #[arg(long)]
    pub fixed: bool,
    /// Count repetitions and the fifty-move rule, as in play: a table may then change values
    #[arg(long)]
    pub path_draws: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Write a bar chart as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The position cannot be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The rows cannot be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The rows cannot be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// The chart cannot be written.
    #[error("cannot write the chart: {0}")]
    Plot(String),
}

/// Measures what `args` ask for and prints it.
///
/// # Errors
/// [`LabError`], when the position cannot be read or the chart cannot be written.
pub fn run(args: &Args) -> Result<(), LabError> {
    let methods = chosen(args);
    let rows = match args.tree {
        Some(width) => measure_tree(args, width, methods),
        None => measure_chess(args, methods)?,
    };
    if args.json {
        writeln!(io::stdout(), "{}", report::json(args.depth, &rows)?)?;
    } else {
        write!(io::stdout(), "{}", report::text(&rows))?;
    }
    match &args.plot {
        Some(path) => plot::write(path, args.depth, &rows).map_err(LabError::Plot),
        None => Ok(()),
    }
}

/// The names that `--algorithms` knows: rows, then groups.
fn names() -> Vec<&'static str> {
    let rows = methods().into_iter().map(|m| m.name);
    rows.chain(Group::ALL.map(Group::name)).collect()
}

/// The rows that `args` ask for, and the one they are compared with.
fn chosen(args: &Args) -> Vec<Method> {
    let named =
        |m: &Method| args.algorithms.iter().any(|name| name == m.name || name == m.group.name());
    let by_default = |m: &Method| args.algorithms.is_empty() && m.is_default(args.depth);
    methods().into_iter().filter(|m| m.name == BASELINE || named(m) || by_default(m)).collect()
}

fn measure_chess(args: &Args, methods: Vec<Method>) -> Result<Vec<Row>, LabError> {
    let positions = if args.suite {
        suite()?.into_iter().map(|named| named.position).collect()
    } else {
        vec![Position::from_fen(args.fen.as_deref().unwrap_or(START_FEN))?]
    };
    let rules = if args.path_draws { Rules::PRACTICAL } else { Rules::EXACT };
    let games: Vec<_> =
        positions.into_iter().map(|p| ChessGame::new(&History::new(p), rules)).collect();
    let name = |game: &ChessGame, m| game.position().san(m);
    let bar = progress(methods.len() * games.len());
    let mut rows = measure::rows(plan(args, methods, games, name), &bar);
    bar.finish_and_clear();
    measure::compare(&mut rows, None);
    Ok(rows)
}

fn measure_tree(args: &Args, width: u8, methods: Vec<Method>) -> Vec<Row> {
    let root = Score::new((args.seed % TREE_VALUES) as i32 - TREE_VALUES as i32 / 2);
    let values = Values::Planted { root, ordered: args.ordered };
    let height = args.depth as usize;
    let tree = Tree::new(Shape { seed: args.seed, height, width: (width, width), values });
    let bar = progress(methods.len());
    let mut rows = measure::rows(plan(args, methods, vec![tree], |_, m| m.to_string()), &bar);
    bar.finish_and_clear();
    measure::compare(&mut rows, measure::knuth_moore(width, args.depth));
    rows
}

fn plan<G: Game>(
    args: &Args,
    methods: Vec<Method>,
    games: Vec<G>,
    name: fn(&G, G::Move) -> String,
) -> Plan<G> {
    Plan { methods, games, depth: args.depth, deepens: !args.fixed, name }
}

/// A progress bar on the standard error, silent where that is no terminal.
fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} {elapsed}");
    ProgressBar::new(steps as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
