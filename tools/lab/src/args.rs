//! The command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;

use heddle::score::Depth;

use crate::claims;
use crate::methods::{BASELINE, Group, Method};
use crate::rows::methods;

/// The greatest depth, in plies.
const MAX_DEPTH: i64 = 20;

/// Headings of the help.
const REPORTS: &str = "Instead of the comparison";
const OUTPUT: &str = "Output";

/// Compare the classical search algorithms on the same trees.
///
/// `--list` tells what the names of the rows mean.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Example: heddle lab --suite --depth 5 --algorithms alpha-beta,pvs,pvs+tt,mtdf+tt"
)]
pub struct Args {
    /// Position to search, quoted or not [default: the initial position]
    #[arg(num_args = 0.., value_name = "FEN", conflicts_with = "suite")]
    pub fen: Vec<String>,
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
    /// Algorithms, or groups of them (full, plain, memory, table, ordering, replacement,
    /// selective), separated by commas [default: those that take minutes at most at this depth]
    #[arg(long, hide_possible_values = true, value_delimiter = ',', value_parser = PossibleValuesParser::new(names()))]
    pub algorithms: Vec<String>,
    /// Search to the full depth at once instead of deepening ply by ply
    #[arg(long)]
    pub fixed: bool,
    /// Count repetitions and the fifty-move rule, as in play; a table may then change values
    #[arg(long)]
    pub path_draws: bool,
    /// Print the suite's nodes relative to alpha-beta's at this depth and those before it, as
    /// Markdown
    #[arg(long, help_heading = REPORTS, requires = "suite")]
    pub growth: bool,
    /// Print what the texts claim and what the suite shows of it at this depth and those before it,
    /// as Markdown
    #[arg(long, help_heading = REPORTS, requires = "suite", conflicts_with = "algorithms")]
    pub claims: bool,
    /// List all rows with their groups and what their names mean
    #[arg(long, help_heading = REPORTS, exclusive = true)]
    pub list: bool,
    /// Show each driver's searches of the root, and how their lines prove the value
    #[arg(long, help_heading = REPORTS, conflicts_with_all = ["suite", "algorithms", "json", "markdown", "plot", "html"])]
    pub explain: bool,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT, conflicts_with_all = ["growth", "claims", "markdown"])]
    pub json: bool,
    /// Print Markdown, without times
    #[arg(long, help_heading = OUTPUT)]
    pub markdown: bool,
    /// Write a bar chart as SVG
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the table, the chart and two small trees as one HTML page
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

impl Args {
    /// The rows to run at `depth`: those asked for, and the one they are compared with.
    pub fn methods(&self, depth: Depth) -> Vec<Method> {
        let claimed = if self.claims { claims::rows() } else { Vec::new() };
        let is_claimed = |m: &Method| claimed.contains(&m.name) && m.is_affordable(depth);
        let is_named = |m: &Method| {
            self.algorithms.iter().any(|name| name == m.name || name == m.group.name())
        };
        let by_default = |m: &Method| {
            self.algorithms.is_empty() && (self.growth || !self.claims) && m.is_default(self.depth)
        };
        methods()
            .into_iter()
            .filter(|m| m.name == BASELINE || is_named(m) || is_claimed(m) || by_default(m))
            .collect()
    }
}

/// The names that `--algorithms` accepts: rows, then groups.
fn names() -> Vec<&'static str> {
    let rows = methods().into_iter().map(|m| m.name);
    rows.chain(Group::ALL.map(Group::name)).collect()
}
