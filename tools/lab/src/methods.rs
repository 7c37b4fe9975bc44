//! What a row of the laboratory is: a named combination of an algorithm, a driver and switches.

use heddle::score::{Depth, Score};
use heddle_reference::drivers::{Driver, deepen};
use heddle_reference::minimax::{minimax, negamax};
use heddle_reference::search::{Counts, Options, Search};
use heddle_reference::{Found, Game};

/// The row that all others are compared with.
pub const BASELINE: &str = "alpha-beta";

/// The greatest depth, in plies, at which full searches and small tables run by default.
const FULL_DEPTH: Depth = 4;
/// The same for all other rows except the quick ones.
const SLOW_DEPTH: Depth = 5;
/// Rows that take many times the nodes of alpha-beta.
const SLOW: [&str; 2] = ["bisection", "mtdf"];
/// The rows that run at any depth: the most informative ones for the least time.
const QUICK: [&str; 18] = [
    BASELINE,
    "pvs",
    "negascout",
    "alpha-beta-hard+tt",
    "alpha-beta+tt",
    "bisection+tt",
    "pvs+tt",
    "negascout+tt",
    "scout+tt",
    "mtdf+tt",
    "mtd-step+tt",
    "mtdf+all",
    "pvs+all",
    "killers",
    "history",
    "tt+etc",
    "alpha-beta+all",
    "null-move",
];

/// A part of the literature; `--algorithms` accepts its name for all of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Minimax and negamax.
    Full,
    /// Bounded searches and drivers without memory.
    Plain,
    /// The same with a table.
    Memory,
    /// Rules for what the table keeps and when it cuts off.
    Table,
    /// What the table, ETC and each way of ordering save.
    Ordering,
    /// Replacement policies in a small table.
    Replacement,
    /// Whatever changes the tree: null move, quiescence, extensions.
    Selective,
}

impl Group {
    /// All groups, in the order of the rows.
    pub const ALL: [Self; 7] = [
        Self::Full,
        Self::Plain,
        Self::Memory,
        Self::Table,
        Self::Ordering,
        Self::Replacement,
        Self::Selective,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
            Self::Memory => "memory",
            Self::Table => "table",
            Self::Ordering => "ordering",
            Self::Replacement => "replacement",
            Self::Selective => "selective",
        }
    }
}

/// How a row searches.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Full search with two players.
    Minimax,
    /// Full search with one rule for both.
    Negamax,
    /// A driver of bounded searches.
    Bounded(Options, Driver),
}

/// A way of finding the value of a position.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name on the command line and in the table of results.
    pub name: &'static str,
    /// The group it belongs to.
    pub group: Group,
    pub(crate) kind: Kind,
    /// Searches to the full depth at once, even where the others deepen ply by ply.
    pub(crate) at_once: bool,
    /// The tree is that of minimax, and so is the value.
    pub(crate) keeps_the_value: bool,
}

impl Method {
    /// Solves `game` to `depth` plies, deepening ply by ply or at once, and counts the work. Full
    /// searches never deepen: nothing carries over.
    pub fn solve<G: Game>(
        &self,
        game: &G,
        depth: Depth,
        deepens: bool,
    ) -> (Found<G::Move>, Counts) {
        let mut counts = Counts::default();
        let (options, driver) = match self.kind {
            Kind::Minimax => return (minimax(game, depth, &mut counts), counts),
            Kind::Negamax => return (negamax(game, 0, depth, &mut counts), counts),
            Kind::Bounded(options, driver) => (options, driver),
        };
        let mut search = Search::new(options);
        let mut iteration =
            |depth, guess| driver.run(guess, |window| search.root(game, depth, window));
        let found = if self.iterations(depth, deepens) > 1 {
            deepen(depth, iteration)
        } else {
            iteration(depth, Score::DRAW)
        };
        (found, search.counts)
    }

    /// How often the row searches a position: once, or to every depth up to the last.
    pub fn iterations(&self, depth: Depth, deepens: bool) -> u64 {
        let is_deepened = deepens && !self.at_once && matches!(self.kind, Kind::Bounded(..));
        if is_deepened { depth as u64 } else { 1 }
    }

    /// Whether it runs at `depth` plies by default, so that a suite takes only minutes.
    pub fn is_default(&self, depth: Depth) -> bool {
        let depths = match self.group {
            Group::Full | Group::Replacement => FULL_DEPTH,
            _ => SLOW_DEPTH,
        };
        depth <= depths || QUICK.contains(&self.name)
    }

    /// Whether it takes at most minutes on a suite at `depth` plies.
    pub fn is_affordable(&self, depth: Depth) -> bool {
        match self.group {
            Group::Full => depth <= FULL_DEPTH,
            _ => depth <= SLOW_DEPTH || !SLOW.contains(&self.name),
        }
    }

    /// Whether it searches the same tree as minimax and so must return the same value.
    pub fn keeps_the_value(&self) -> bool {
        self.keeps_the_value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::methods;

    #[test]
    fn names_are_unique_and_quick_rows_exist() {
        let methods = methods();
        let mut names: Vec<_> = methods.iter().map(|m| m.name).collect();
        names.extend(Group::ALL.map(Group::name));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        for name in QUICK.iter().chain(&SLOW) {
            assert!(methods.iter().any(|m| m.name == *name), "{name}");
        }
    }
}
