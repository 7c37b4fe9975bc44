//! The command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;

use heddle::score::Depth;

use crate::methods::{BASELINE, Group, Method, methods};

/// The greatest depth, in plies.
const MAX_DEPTH: i64 = 20;

/// Compares the reference algorithms.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Position to search [default: the initial position]
    #[arg(conflicts_with = "suite")]
    pub fen: Option<String>,
    /// Search a suite of positions and print totals
    #[arg(long)]
    pub suite: bool,
    /// Search a random tree with this many moves at every node
    #[arg(long, value_name = "WIDTH", conflicts_with_all = ["fen", "suite"],
          value_parser = clap::value_parser!(u8).range(1..))]
    pub tree: Option<u8>,
    /// Seed of the random tree
    #[arg(long, default_value_t = 1, requires = "tree")]
    pub seed: u64,
    /// Put the best move first at every node of the random tree
    #[arg(long, requires = "tree")]
    pub ordered: bool,
    /// Depth in plies
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(i32).range(1..=MAX_DEPTH))]
    pub depth: Depth,
    /// Algorithms, or groups of them, separated by commas [default: those that take minutes at most
    /// at this depth]
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(names()))]
    pub algorithms: Vec<String>,
    /// Search to the full depth at once instead of deepening ply by ply
    #[arg(long)]
    pub fixed: bool,
    /// Count repetitions and the fifty-move rule, as in play; a table may then change values
    #[arg(long)]
    pub path_draws: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Write a bar chart as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

impl Args {
    /// The requested rows, and the one they are compared with.
    #[must_use]
    pub fn methods(&self) -> Vec<Method> {
        let is_named = |m: &Method| {
            self.algorithms.iter().any(|name| name == m.name || name == m.group.name())
        };
        let by_default = |m: &Method| self.algorithms.is_empty() && m.is_default(self.depth);
        methods()
            .into_iter()
            .filter(|m| m.name == BASELINE || is_named(m) || by_default(m))
            .collect()
    }
}

/// The names that `--algorithms` accepts: rows, then groups.
fn names() -> Vec<&'static str> {
    let rows = methods().into_iter().map(|m| m.name);
    rows.chain(Group::ALL.map(Group::name)).collect()
}
