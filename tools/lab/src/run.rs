//! From the command line to the report.

use std::io::{self, Write as _};

use heddle::position::{FenError, Game as History, Position, START_FEN};
use heddle::score::Score;
use heddle::text::suite;
use heddle_figures::output::{OutputError, OutputFile, Overlap, check_distinct};
use heddle_progress::bar;
use heddle_reference::Game;
use heddle_reference::chess::{ChessGame, Rules};
use heddle_reference::tree::{Shape, Tree, Values};

use crate::args::Args;
use crate::depths::{AtDepth, FIRST_DEPTH, growth};
use crate::explain::explain;
use crate::meanings::list;
use crate::measure::{self, Plan, Row};
use crate::rows::methods;
use crate::{claims, html, plot, report};

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
    Print(#[source] io::Error),
    /// The chart could not be drawn.
    #[error("cannot draw: {0}")]
    Draw(String),
    /// The chart or the page could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The chart and the page are one file.
    #[error(transparent)]
    Overlap(#[from] Overlap),
}

/// Does what `args` ask for. What has been computed is written to every output that can be written.
///
/// # Errors
/// [`LabError`], the first one.
pub fn run(args: &Args) -> Result<(), LabError> {
    if args.list {
        return print(&list(&methods()));
    }
    match args.tree {
        Some(width) => {
            let minimum = measure::knuth_moore(width, args.depth);
            on(args, &[tree(args, width)], |_, m| m.to_string(), minimum)
        }
        None => on(args, &chess(args)?, |game: &ChessGame, m| game.position().san(m), None),
    }
}

/// Explains or compares on `games`, whose moves `name` writes.
fn on<G>(
    args: &Args,
    games: &[G],
    name: fn(&G, G::Move) -> String,
    minimum: Option<u64>,
) -> Result<(), LabError>
where
    G: Game + Send + Sync + 'static,
    G::Move: 'static,
{
    if args.explain {
        return explain(&games[0], args.depth, name, print);
    }
    // Before the first search: an unwritable path should not cost minutes.
    check_distinct([], args.plot.as_deref().into_iter().chain(args.html.as_deref()))?;
    let chart = args.plot.as_deref().map(OutputFile::open).transpose()?;
    let page = args.html.as_deref().map(OutputFile::open).transpose()?;
    let first = if args.growth || args.claims { args.depth.min(FIRST_DEPTH) } else { args.depth };
    let mut depths: Vec<AtDepth> = (first..=args.depth)
        .map(|depth| {
            let methods = args.methods(depth);
            let games = games.to_vec();
            let plan = Plan { methods, games, depth, deepens: !args.fixed, name };
            AtDepth { depth, rows: compared(plan, minimum) }
        })
        .collect();
    let printed = output(args, &depths).and_then(|text| print(&text));
    let rows = depths.pop().map_or_else(Vec::new, |last| last.rows);
    let charted = write(chart, || plot::svg(args.depth, &rows));
    let written = write(page, || html::page(args.depth, &rows));
    printed.and(charted).and(written)
}

/// What is printed.
fn output(args: &Args, depths: &[AtDepth]) -> Result<String, LabError> {
    let last = depths.last().map_or(&[][..], |at| &at.rows);
    Ok(if args.growth || args.claims {
        let growth = args.growth.then(|| growth(depths).markdown());
        let claims = args.claims.then(|| claims::listing(depths).markdown());
        growth.into_iter().chain(claims).collect::<Vec<_>>().join("\n")
    } else if args.json {
        report::json(args.depth, last)? + "\n"
    } else if args.markdown {
        report::markdown(last)
    } else {
        report::text(last)
    })
}

fn print(text: &str) -> Result<(), LabError> {
    heddle::streams::output().write_all(text.as_bytes()).map_err(LabError::Print)
}

/// Writes a drawing to its file, if it was asked for.
fn write(
    file: Option<OutputFile>,
    draw: impl FnOnce() -> Result<String, String>,
) -> Result<(), LabError> {
    let Some(file) = file else { return Ok(()) };
    let content = draw().map_err(LabError::Draw)?;
    Ok(file.write(content.as_bytes())?)
}

fn chess(args: &Args) -> Result<Vec<ChessGame>, FenError> {
    let positions = if args.suite {
        suite::built_in().into_iter().map(|named| named.position).collect()
    } else {
        let fen = if args.fen.is_empty() { START_FEN.to_owned() } else { args.fen.join(" ") };
        vec![Position::from_record(&fen)?]
    };
    let rules = if args.path_draws { Rules::PRACTICAL } else { Rules::EXACT };
    Ok(positions.into_iter().map(|p| ChessGame::new(&History::new(p), rules)).collect())
}

fn tree(args: &Args, width: u8) -> Tree {
    let root = Score::new((args.seed % TREE_VALUES) as i32 - TREE_VALUES as i32 / 2);
    let values = Values::Planted { root, ordered: args.ordered };
    let height = args.depth as usize;
    Tree::new(Shape { seed: args.seed, height, width: (width, width), values })
}

/// The rows of a plan, compared with each other and, if given, with the `minimum` number of leaves.
fn compared<G>(plan: Plan<G>, minimum: Option<u64>) -> Vec<Row>
where
    G: Game + Send + Sync + 'static,
    G::Move: 'static,
{
    let steps = plan.methods.len() * plan.games.len();
    let bar = bar(steps as u64, "{wide_bar} {pos}/{len} {msg} {elapsed}");
    let mut rows = measure::rows(plan, &bar);
    bar.finish_and_clear();
    measure::compare(&mut rows, minimum);
    rows
}
