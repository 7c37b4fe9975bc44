//! One comparison from the command line to the report.

use std::io::{self, Write as _};

use indicatif::{ProgressBar, ProgressStyle};

use heddle::commands::output::{OutputError, OutputFile};
use heddle::commands::suite;
use heddle::position::{FenError, Game as History, Position, START_FEN};
use heddle::reference::Game;
use heddle::reference::chess::{ChessGame, Rules};
use heddle::reference::tree::{Shape, Tree, Values};
use heddle::score::Score;

use crate::args::Args;
use crate::measure::{self, Plan, Row};
use crate::{plot, report};

/// How many values a random tree may have; the seed picks one, so that a first guess is not lucky.
const TREE_VALUES: u64 = 200;

/// Why a comparison failed or could not be written.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The position is invalid.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The rows could not be written as JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Standard output could not be written.
    #[error("cannot print the comparison: {0}")]
    Print(io::Error),
    /// The chart could not be drawn.
    #[error("cannot draw the chart: {0}")]
    Draw(String),
    /// The chart could not be written.
    #[error(transparent)]
    Chart(#[from] OutputError),
}

/// Measures what `args` ask for, writes the chart and prints the rows; if one of these fails, the
/// other is still written.
///
/// # Errors
/// [`LabError`], the first one.
pub fn run(args: &Args) -> Result<(), LabError> {
    // Before the first search: an unwritable path should not cost minutes.
    let chart = args.plot.as_deref().map(OutputFile::open).transpose()?;
    let rows = match args.tree {
        Some(width) => on_tree(args, width),
        None => on_chess(args)?,
    };
    let charted = chart.map_or(Ok(()), |file| draw(file, args, &rows));
    print(args, &rows)?;
    charted
}

fn draw(file: OutputFile, args: &Args, rows: &[Row]) -> Result<(), LabError> {
    let svg = plot::svg(args.depth, rows).map_err(LabError::Draw)?;
    Ok(file.write(svg.as_bytes())?)
}

fn print(args: &Args, rows: &[Row]) -> Result<(), LabError> {
    let text = if args.json { report::json(args.depth, rows)? + "\n" } else { report::text(rows) };
    io::stdout().write_all(text.as_bytes()).map_err(LabError::Print)
}

fn on_chess(args: &Args) -> Result<Vec<Row>, FenError> {
    let positions = if args.suite {
        suite::built_in().into_iter().map(|named| named.position).collect()
    } else {
        vec![Position::from_fen(args.fen.as_deref().unwrap_or(START_FEN))?]
    };
    let rules = if args.path_draws { Rules::PRACTICAL } else { Rules::EXACT };
    let games = positions.into_iter().map(|p| ChessGame::new(&History::new(p), rules)).collect();
    Ok(rows(args, games, |game, m| game.position().san(m), None))
}

fn on_tree(args: &Args, width: u8) -> Vec<Row> {
    let root = Score::new((args.seed % TREE_VALUES) as i32 - TREE_VALUES as i32 / 2);
    let values = Values::Planted { root, ordered: args.ordered };
    let height = args.depth as usize;
    let tree = Tree::new(Shape { seed: args.seed, height, width: (width, width), values });
    rows(args, vec![tree], |_, m| m.to_string(), measure::knuth_moore(width, args.depth))
}

/// The rows on `games`, compared with each other and, if given, with the `minimum` number of
/// leaves.
fn rows<G>(
    args: &Args,
    games: Vec<G>,
    name: fn(&G, G::Move) -> String,
    minimum: Option<u64>,
) -> Vec<Row>
where
    G: Game + Send + Sync + 'static,
    G::Move: 'static,
{
    let methods = args.methods();
    let bar = progress(methods.len() * games.len());
    let plan = Plan { methods, games, depth: args.depth, deepens: !args.fixed, name };
    let mut rows = measure::rows(plan, &bar);
    bar.finish_and_clear();
    measure::compare(&mut rows, minimum);
    rows
}

/// A progress bar, hidden if standard error is not a terminal.
fn progress(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} {elapsed}");
    ProgressBar::new(steps as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
