//! The rows of the laboratory: named combinations of an algorithm, a driver and switches.

use heddle::reference::drivers::{Driver, deepen};
use heddle::reference::extension::Extensions;
use heddle::reference::memory::{DepthRule, Policy, TableOptions};
use heddle::reference::minimax::{minimax, negamax};
use heddle::reference::ordering::Ordering;
use heddle::reference::search::{Algorithm, Counts, Options, Search};
use heddle::reference::{Found, Game};
use heddle::score::{Depth, Score};

/// The row that all others are compared with.
pub const BASELINE: &str = "alpha-beta";

/// The greatest depth, in plies, at which full searches run by default.
const FULL_DEPTH: Depth = 4;
/// The same for all other rows except the quick ones.
const SLOW_DEPTH: Depth = 5;
/// The rows that run at any depth: the most informative ones for the least time.
const QUICK: [&str; 17] = [
    BASELINE,
    "pvs",
    "negascout",
    "alpha-beta+tt",
    "bisection+tt",
    "pvs+tt",
    "negascout+tt",
    "scout+tt",
    "mtdf+tt",
    "mtdf-short+tt",
    "mtdf+all",
    "pvs+all",
    "killers",
    "history",
    "tt+etc",
    "alpha-beta+all",
    "null-move",
];

/// Positions in a table that never fills up.
const ROOMY: usize = 1 << 22;
/// Positions in a table so small that replacement matters.
const TIGHT: usize = 1 << 12;

/// A part of the literature; `--algorithms` accepts its name for all of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Minimax and negamax.
    Full,
    /// Bounded searches and drivers without memory.
    Plain,
    /// The same with a table.
    Memory,
    /// What the table, ETC and each way of ordering save.
    Ordering,
    /// Replacement policies in a small table.
    Replacement,
    /// Whatever changes the tree: null move, quiescence, extensions.
    Selective,
}

impl Group {
    /// All groups, in the order of the rows.
    pub const ALL: [Self; 6] =
        [Self::Full, Self::Plain, Self::Memory, Self::Ordering, Self::Replacement, Self::Selective];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Plain => "plain",
            Self::Memory => "memory",
            Self::Ordering => "ordering",
            Self::Replacement => "replacement",
            Self::Selective => "selective",
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Minimax,
    Negamax,
    Bounded(Options, Driver),
}

/// A way of finding the value of a position.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The name on the command line and in the table of results.
    pub name: &'static str,
    /// The group it belongs to.
    pub group: Group,
    kind: Kind,
}

impl Method {
    /// Solves `game` to `depth` plies, deepening ply by ply or at once, and counts the work. Full
    /// searches never deepen: nothing carries over.
    #[must_use]
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
        let mut iteration = |depth, guess| {
            let mut searches = 0;
            let found = driver.run(guess, |window| {
                searches += 1;
                search.root(game, depth, window)
            });
            search.counts.researches += searches - 1;
            found
        };
        let found = if deepens { deepen(depth, iteration) } else { iteration(depth, Score::DRAW) };
        (found, search.counts)
    }

    /// Whether it runs at `depth` plies by default, so that a suite takes only minutes.
    #[must_use]
    pub fn is_default(&self, depth: Depth) -> bool {
        let depths = if self.group == Group::Full { FULL_DEPTH } else { SLOW_DEPTH };
        depth <= depths || QUICK.contains(&self.name)
    }

    /// Whether it searches the same tree as minimax and so must return the same value.
    #[must_use]
    pub fn keeps_the_value(&self) -> bool {
        self.group != Group::Selective
    }
}

/// Every row, group by group.
#[must_use]
pub fn methods() -> Vec<Method> {
    use Driver::{Aspiration, Bisection, FullWindow, GradualAspiration, MtdF, MtdFShort};
    use Group::{Full, Memory, Ordering as Order, Plain, Replacement};

    let plain = |algorithm| Options { algorithm, ordering: PROMISE, ..Options::default() };
    let soft = plain(Algorithm::FailSoft);
    let memory = |algorithm| Options {
        ordering: Ordering { tt_move: true, ..PROMISE },
        table: Some(table(ROOMY, Policy::Always)),
        ..plain(algorithm)
    };
    let soft_memory = memory(Algorithm::FailSoft);
    let order = |ordering| Options { ordering, ..soft };
    let cutoffs = Options { ordering: PROMISE, ..soft_memory };
    let bounded =
        |name, group, options, driver| Method { name, group, kind: Kind::Bounded(options, driver) };
    let mut methods = vec![
        Method { name: "minimax", group: Full, kind: Kind::Minimax },
        Method { name: "negamax", group: Full, kind: Kind::Negamax },
        bounded("alpha-beta-hard", Plain, plain(Algorithm::FailHard), FullWindow),
        bounded(BASELINE, Plain, soft, FullWindow),
        bounded("aspiration", Plain, soft, Aspiration),
        bounded("aspiration-gradual", Plain, soft, GradualAspiration),
        bounded("bisection", Plain, soft, Bisection),
        bounded("mtdf", Plain, soft, MtdF),
        bounded("pvs", Plain, plain(Algorithm::Pvs), FullWindow),
        bounded("negascout", Plain, plain(Algorithm::NegaScout), FullWindow),
        bounded("scout", Plain, plain(Algorithm::Scout), FullWindow),
        bounded("alpha-beta+tt", Memory, soft_memory, FullWindow),
        bounded("aspiration+tt", Memory, soft_memory, Aspiration),
        bounded("bisection+tt", Memory, soft_memory, Bisection),
        bounded("pvs+tt", Memory, memory(Algorithm::Pvs), FullWindow),
        bounded("negascout+tt", Memory, memory(Algorithm::NegaScout), FullWindow),
        bounded("scout+tt", Memory, memory(Algorithm::Scout), FullWindow),
        bounded("mtdf+tt", Memory, soft_memory, MtdF),
        bounded("mtdf-short+tt", Memory, soft_memory, MtdFShort),
        bounded("mtdf+all", Memory, all(Algorithm::FailSoft), MtdF),
        bounded("pvs+all", Memory, all(Algorithm::Pvs), FullWindow),
        bounded("no-ordering", Order, order(Ordering::default()), FullWindow),
        bounded("killers", Order, order(Ordering { killers: true, ..PROMISE }), FullWindow),
        bounded("history", Order, order(Ordering { history: true, ..PROMISE }), FullWindow),
        bounded("tt-cutoffs", Order, cutoffs, FullWindow),
        bounded("tt-cutoffs+etc", Order, Options { etc: true, ..cutoffs }, FullWindow),
        bounded("tt+etc", Order, Options { etc: true, ..soft_memory }, FullWindow),
        bounded("alpha-beta+all", Order, all(Algorithm::FailSoft), FullWindow),
    ];
    let policies = [
        ("replace-always", Policy::Always),
        ("replace-shallower", Policy::DepthPreferred),
        ("replace-fifo", Policy::Fifo),
        ("replace-lru", Policy::Lru),
        ("replace-two-tier", Policy::TwoTier),
    ];
    methods.extend(policies.map(|(name, policy)| {
        let options = Options { table: Some(table(TIGHT, policy)), ..all(Algorithm::Pvs) };
        bounded(name, Replacement, options, FullWindow)
    }));
    methods.extend(selective());
    methods
}

/// Captures and promotions first: the initial order of every row except `no-ordering`.
const PROMISE: Ordering =
    Ordering { tt_move: false, promise: true, killers: false, history: false };

fn table(capacity: usize, policy: Policy) -> TableOptions {
    TableOptions { capacity, policy, depth_rule: DepthRule::Equal }
}

/// All techniques that preserve the value.
fn all(algorithm: Algorithm) -> Options {
    Options {
        algorithm,
        ordering: Ordering::ALL,
        table: Some(table(ROOMY, Policy::Always)),
        etc: true,
        ..Options::default()
    }
}

/// PVS with all techniques, with one change to the tree per row.
fn selective() -> impl Iterator<Item = Method> {
    let base = all(Algorithm::Pvs);
    let off = Extensions::default();
    let extended = |extensions| Options { extensions, ..base };
    let together = Extensions { check: true, recapture: true, promotion_threat: true, ..off };
    [
        ("null-move", Options { null_move: true, ..base }),
        ("quiescence", Options { quiescence: true, ..base }),
        ("check", extended(Extensions { check: true, ..off })),
        ("recapture", extended(Extensions { recapture: true, ..off })),
        ("promotion-threat", extended(Extensions { promotion_threat: true, ..off })),
        ("singular", extended(Extensions { singular: true, ..off })),
        ("whole-plies", extended(together)),
        ("fractions", extended(Extensions { fractional: true, ..together })),
    ]
    .into_iter()
    .map(|(name, options)| Method {
        name,
        group: Group::Selective,
        kind: Kind::Bounded(options, Driver::FullWindow),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_quick_rows_exist() {
        let methods = methods();
        let mut names: Vec<_> = methods.iter().map(|m| m.name).collect();
        names.extend(Group::ALL.map(Group::name));
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(QUICK.iter().all(|quick| methods.iter().any(|m| m.name == *quick)));
    }
}
