//! The rows of the laboratory, group by group.

use heddle_reference::drivers::Driver;
use heddle_reference::extension::Extensions;
use heddle_reference::memory::{CutoffRule, DepthRule, Policy, TableOptions};
use heddle_reference::ordering::Ordering;
use heddle_reference::search::{Algorithm, Options, Quiescence, ReSearch};

use crate::methods::{BASELINE, Group, Kind, Method};
use Driver::FullWindow;

/// Positions in a table that never fills up.
const ROOMY: usize = 1 << 22;

/// Captures and promotions first: the initial order of every row except `no-ordering`.
const PROMISE: Ordering = Ordering {
    tt_move: false,
    promise: true,
    killers: false,
    local_killers: false,
    history: false,
};

/// The small tables in which replacement matters: names, policies and numbers of positions.
const SMALL_TABLES: [(&str, Policy, usize); 20] = [
    ("replace-always-256", Policy::Always, 1 << 8),
    ("replace-shallower-256", Policy::DepthPreferred, 1 << 8),
    ("replace-fifo-256", Policy::Fifo, 1 << 8),
    ("replace-lru-256", Policy::Lru, 1 << 8),
    ("replace-two-tier-256", Policy::TwoTier, 1 << 8),
    ("replace-always-1k", Policy::Always, 1 << 10),
    ("replace-shallower-1k", Policy::DepthPreferred, 1 << 10),
    ("replace-fifo-1k", Policy::Fifo, 1 << 10),
    ("replace-lru-1k", Policy::Lru, 1 << 10),
    ("replace-two-tier-1k", Policy::TwoTier, 1 << 10),
    ("replace-always-4k", Policy::Always, 1 << 12),
    ("replace-shallower-4k", Policy::DepthPreferred, 1 << 12),
    ("replace-fifo-4k", Policy::Fifo, 1 << 12),
    ("replace-lru-4k", Policy::Lru, 1 << 12),
    ("replace-two-tier-4k", Policy::TwoTier, 1 << 12),
    ("replace-always-16k", Policy::Always, 1 << 14),
    ("replace-shallower-16k", Policy::DepthPreferred, 1 << 14),
    ("replace-fifo-16k", Policy::Fifo, 1 << 14),
    ("replace-lru-16k", Policy::Lru, 1 << 14),
    ("replace-two-tier-16k", Policy::TwoTier, 1 << 14),
];

/// Every row, group by group.
pub fn methods() -> Vec<Method> {
    let full = |name, kind| Method {
        name,
        group: Group::Full,
        kind,
        at_once: true,
        keeps_the_value: true,
    };
    let mut methods = vec![full("minimax", Kind::Minimax), full("negamax", Kind::Negamax)];
    methods.extend(plain());
    methods.extend(memory());
    methods.extend(table_rules());
    methods.extend(ordering());
    methods.extend(SMALL_TABLES.map(|(name, policy, capacity)| {
        let table = Some(TableOptions { policy, capacity, ..TABLE });
        bounded(name, Group::Replacement, Options { table, ..all(Algorithm::Pvs) }, FullWindow)
    }));
    methods.extend(selective());
    methods
}

/// The table of every row that has one, unless stated otherwise.
const TABLE: TableOptions = TableOptions {
    capacity: ROOMY,
    policy: Policy::Always,
    depth_rule: DepthRule::Equal,
    cutoff_rule: CutoffRule::Bounds,
    both_bounds: false,
    narrows_window: false,
};

fn bounded(name: &'static str, group: Group, options: Options, driver: Driver) -> Method {
    let kind = Kind::Bounded(options, driver);
    Method { name, group, kind, at_once: false, keeps_the_value: true }
}

/// Without memory.
fn bare(algorithm: Algorithm) -> Options {
    Options { algorithm, ordering: PROMISE, ..Options::default() }
}

/// With a table and its move first.
fn with_table(algorithm: Algorithm) -> Options {
    let ordering = Ordering { tt_move: true, ..PROMISE };
    Options { algorithm, ordering, table: Some(TABLE), ..Options::default() }
}

/// All techniques that preserve the value.
fn all(algorithm: Algorithm) -> Options {
    Options { ordering: Ordering::ALL, etc: true, ..with_table(algorithm) }
}

/// What the drivers are explained with: alpha-beta alone.
pub fn example() -> Options {
    bare(Algorithm::FailSoft)
}

fn plain() -> Vec<Method> {
    let soft = bare(Algorithm::FailSoft);
    let pvs = bare(Algorithm::Pvs);
    let row = |name, options, driver| bounded(name, Group::Plain, options, driver);
    vec![
        row("alpha-beta-hard", bare(Algorithm::FailHard), FullWindow),
        row(BASELINE, soft, FullWindow),
        Method { at_once: true, ..row("alpha-beta-at-once", soft, FullWindow) },
        row("aspiration", soft, Driver::Aspiration),
        row("aspiration-off-centre", soft, Driver::OffCentreAspiration),
        row("aspiration-gradual", soft, Driver::GradualAspiration),
        row("bisection", soft, Driver::Bisection),
        row("mtdf", soft, Driver::MtdF),
        row("pvs", pvs, FullWindow),
        row("pvs-from-alpha", Options { re_search: ReSearch::FromAlpha, ..pvs }, FullWindow),
        row("pvs-below-value", Options { re_search: ReSearch::BelowValue, ..pvs }, FullWindow),
        row("negascout", bare(Algorithm::NegaScout), FullWindow),
        row("scout", bare(Algorithm::Scout), FullWindow),
    ]
}

fn memory() -> Vec<Method> {
    let soft = with_table(Algorithm::FailSoft);
    let pvs = with_table(Algorithm::Pvs);
    let row = |name, options, driver| bounded(name, Group::Memory, options, driver);
    vec![
        row("alpha-beta-hard+tt", with_table(Algorithm::FailHard), FullWindow),
        row("alpha-beta+tt", soft, FullWindow),
        Method { at_once: true, ..row("alpha-beta+tt-at-once", soft, FullWindow) },
        row("aspiration+tt", soft, Driver::Aspiration),
        row("aspiration-off-centre+tt", soft, Driver::OffCentreAspiration),
        row("aspiration-gradual+tt", soft, Driver::GradualAspiration),
        row("bisection+tt", soft, Driver::Bisection),
        row("pvs+tt", pvs, FullWindow),
        row("pvs-from-alpha+tt", Options { re_search: ReSearch::FromAlpha, ..pvs }, FullWindow),
        row("pvs-below-value+tt", Options { re_search: ReSearch::BelowValue, ..pvs }, FullWindow),
        row("negascout+tt", with_table(Algorithm::NegaScout), FullWindow),
        row("scout+tt", with_table(Algorithm::Scout), FullWindow),
        row("mtdf+tt", soft, Driver::MtdF),
        row("mtdf-short+tt", soft, Driver::MtdFShort),
        row("mtd-step+tt", soft, Driver::MtdStep),
        row("sss-star+tt", soft, Driver::SssStar),
        row("dual-star+tt", soft, Driver::DualStar),
        row("mtdf+all", all(Algorithm::FailSoft), Driver::MtdF),
        row("pvs+all", all(Algorithm::Pvs), FullWindow),
    ]
}

/// Alpha-beta, or MTD(f), with a table and one change to its rules per row.
fn table_rules() -> Vec<Method> {
    let row = |name, table, driver| {
        let options = Options { table: Some(table), ..with_table(Algorithm::FailSoft) };
        bounded(name, Group::Table, options, driver)
    };
    let deeper = TableOptions { depth_rule: DepthRule::AtLeast, ..TABLE };
    let exact_only = TableOptions { cutoff_rule: CutoffRule::ExactInside, ..TABLE };
    let two_bounds = TableOptions { both_bounds: true, ..TABLE };
    let narrowing = TableOptions { narrows_window: true, ..TABLE };
    vec![
        Method { keeps_the_value: false, ..row("tt-deeper", deeper, FullWindow) },
        row("tt-exact-only", exact_only, FullWindow),
        row("tt-two-bounds", two_bounds, FullWindow),
        row("mtdf+tt-two-bounds", two_bounds, Driver::MtdF),
        row("bisection+tt-two-bounds", two_bounds, Driver::Bisection),
        row("tt-narrowing", narrowing, FullWindow),
    ]
}

fn ordering() -> Vec<Method> {
    let order = |ordering| Options { ordering, ..bare(Algorithm::FailSoft) };
    let soft = with_table(Algorithm::FailSoft);
    let cutoffs = Options { ordering: PROMISE, ..soft };
    let killers = Ordering { killers: true, ..PROMISE };
    let row = |name, options| bounded(name, Group::Ordering, options, FullWindow);
    vec![
        row("no-ordering", order(Ordering::default())),
        row("killers", order(killers)),
        row("killers-local", order(Ordering { local_killers: true, ..killers })),
        row("history", order(Ordering { history: true, ..PROMISE })),
        row("tt-cutoffs", cutoffs),
        row("tt-cutoffs+etc", Options { etc: true, ..cutoffs }),
        row("tt+etc", Options { etc: true, ..soft }),
        row("alpha-beta+all", all(Algorithm::FailSoft)),
    ]
}

/// PVS with all techniques, with one change to the tree per row.
fn selective() -> impl Iterator<Item = Method> {
    let base = all(Algorithm::Pvs);
    let off = Extensions::default();
    let extended = |extensions| Options { extensions, ..base };
    let together = Extensions { check: true, recapture: true, promotion_threat: true, ..off };
    [
        ("null-move", Options { null_move: true, ..base }),
        ("quiescence", Options { quiescence: Quiescence::Captures, ..base }),
        ("quiescence-threats", Options { quiescence: Quiescence::Threats, ..base }),
        ("check", extended(Extensions { check: true, ..off })),
        ("recapture", extended(Extensions { recapture: true, ..off })),
        ("promotion-threat", extended(Extensions { promotion_threat: true, ..off })),
        ("singular", extended(Extensions { singular: true, ..off })),
        ("whole-plies", extended(together)),
        ("fractions", extended(Extensions { fractional: true, ..together })),
    ]
    .into_iter()
    .map(|(name, options)| Method {
        keeps_the_value: false,
        ..bounded(name, Group::Selective, options, FullWindow)
    })
}
