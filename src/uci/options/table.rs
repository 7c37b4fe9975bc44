//! One entry for each option.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::commands::cli::MAX_MULTIPV;
use crate::eval::nnue::eval_file::EvalFile;
use crate::machine::{max_hash, max_threads};
use crate::numa::NumaPolicy;
use crate::score::Depth;
use crate::search::params::{self, Param};
use crate::smp::lockstep;
use crate::smp::sharing::Sharing;
use crate::smp::stagger::Stagger;
use crate::syzygy;
use crate::uci::strength::{self, Strength};

use super::{Change, EMPTY, Options};

/// The default size of the transposition table, in MiB.
pub const DEFAULT_HASH: usize = 16;
/// The most nodes that a turn in lockstep may have: a second's work.
pub const MAX_QUANTUM: usize = 1_000_000;
/// The most time that may be lost on the way to the GUI, in milliseconds.
const MAX_OVERHEAD: usize = 5000;
/// The greatest depth, in plies, below which the largest endgame tables can be left alone.
const MAX_PROBE_DEPTH: usize = 100;

/// What a value of an option does: it sets one of the [`Options`], or asks for a change of the engine.
type Set<T> = fn(&mut Options, T) -> Option<Change>;

/// What an option takes, and what a value does.
pub(super) enum Kind {
    Check {
        default: bool,
        set: Set<bool>,
    },
    Spin {
        default: usize,
        range: RangeInclusive<usize>,
        set: Set<usize>,
    },
    Combo {
        default: &'static str,
        choices: Vec<&'static str>,
        set: Set<usize>,
    },
    Text {
        default: &'static str,
        takes: &'static str,
        set: fn(&mut Options, &str) -> Option<Change>,
    },
    Button {
        change: Change,
    },
    /// A margin of the search, in a build for tuning.
    Margin(&'static Param),
}

/// One option.
pub(super) struct Entry {
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    pub kind: Kind,
}

fn check(name: &'static str, help: &'static str, default: bool, set: Set<bool>) -> Entry {
    Entry { name, help, kind: Kind::Check { default, set } }
}

fn spin(
    name: &'static str,
    help: &'static str,
    default: usize,
    range: RangeInclusive<usize>,
    set: Set<usize>,
) -> Entry {
    Entry { name, help, kind: Kind::Spin { default, range, set } }
}

fn combo(
    name: &'static str,
    help: &'static str,
    default: &'static str,
    choices: &[&'static str],
    set: Set<usize>,
) -> Entry {
    Entry { name, help, kind: Kind::Combo { default, choices: choices.to_vec(), set } }
}

/// Every option, in the order in which they are listed.
pub(super) fn entries() -> Vec<Entry> {
    let margins = params::tunable().iter().map(|param| Entry {
        name: param.name,
        help: "a margin of the search; setting it forgets all searches",
        kind: Kind::Margin(param),
    });
    [basics(), play(), workers(), evaluation(), endgame_tables()]
        .into_iter()
        .flatten()
        .chain(margins)
        .collect()
}

/// Threads, memory and how a search is shown.
fn basics() -> Vec<Entry> {
    let overhead = super::DEFAULT_OVERHEAD.as_millis() as usize;
    vec![
        spin("Threads", "search threads", 1, 1..=max_threads(), |_, threads| {
            Some(Change::Threads(threads))
        }),
        spin("Hash", "MiB of transposition table", DEFAULT_HASH, 1..=max_hash(), |_, hash| {
            Some(Change::Hash(hash))
        }),
        Entry {
            name: "Clear Hash",
            help: "clear the hash table and the histories",
            kind: Kind::Button { change: Change::Clear },
        },
        // The GUI asks for it with each `go`.
        check("Ponder", "allow thinking in the opponent's time", false, |_, _| None),
        spin("MultiPV", "number of lines to show", 1, 1..=MAX_MULTIPV, |options, lines| {
            options.settings.multipv = lines;
            None
        }),
        spin(
            "Move Overhead",
            "milliseconds per move lost between engine and clock",
            overhead,
            0..=MAX_OVERHEAD,
            |options, ms| {
                options.overhead = Duration::from_millis(ms as u64);
                None
            },
        ),
        check(
            "UCI_Chess960",
            "write castling as the king taking its rook",
            false,
            |options, on| {
                options.chess960 = on;
                None
            },
        ),
        check(
            "UCI_ShowWDL",
            "show the chances of win, draw and loss with each score, per mille",
            false,
            |options, on| {
                options.show_wdl = on;
                None
            },
        ),
    ]
}

/// How well the engine plays.
fn play() -> Vec<Entry> {
    vec![
        check("UCI_LimitStrength", "limit the strength to UCI_Elo", false, |options, on| {
            options.limit_strength = on;
            None
        }),
        spin(
            "UCI_Elo",
            "rating on the scale of the Computer Chess Rating Lists, uncertain by some 150",
            *strength::RANGE.start(),
            strength::RANGE,
            |options, elo| {
                options.strength = Strength::new(elo);
                None
            },
        ),
        check(
            "UCI_AnalyseMode",
            "analyse at full strength, even with UCI_LimitStrength",
            false,
            |options, on| {
                options.analyse_mode = on;
                None
            },
        ),
    ]
}

/// How several threads work together.
fn workers() -> Vec<Entry> {
    vec![
        combo(
            "Stagger",
            "depths that helper threads leave out (expert)",
            Stagger::default().name(),
            &Stagger::ALL.map(Stagger::name),
            |options, index| {
                options.settings.stagger = Stagger::ALL[index];
                None
            },
        ),
        combo(
            "SharedHistories",
            "histories that the threads share (expert)",
            Sharing::default().name(),
            &Sharing::ALL.map(Sharing::name),
            |options, index| {
                options.settings.sharing = Sharing::ALL[index];
                None
            },
        ),
        combo(
            "NumaPolicy",
            "whether threads stay near their memory on machines with several memory nodes (expert)",
            NumaPolicy::default().name(),
            &NumaPolicy::ALL.map(NumaPolicy::name),
            |_, index| Some(Change::Numa(NumaPolicy::ALL[index])),
        ),
        check(
            "Lockstep",
            "threads take turns, so that a search on several threads is repeatable (expert)",
            false,
            |options, on| {
                options.settings.lockstep = on;
                None
            },
        ),
        spin(
            "LockstepQuantum",
            "nodes each thread searches per lockstep turn (expert)",
            lockstep::DEFAULT_QUANTUM as usize,
            1..=MAX_QUANTUM,
            |options, nodes| {
                options.settings.quantum = nodes as u64;
                None
            },
        ),
    ]
}

/// What the engine plays by.
fn evaluation() -> Vec<Entry> {
    vec![Entry {
        name: "EvalFile",
        help: "network that evaluates positions",
        kind: Kind::Text {
            default: EvalFile::DEFAULT,
            takes: "<default>, <classical> or a file",
            set: |_, name| Some(Change::EvalFile(EvalFile::from(name))),
        },
    }]
}

/// The endgame tables.
fn endgame_tables() -> Vec<Entry> {
    let default = syzygy::Probing::default();
    vec![
        Entry {
            name: "SyzygyPath",
            help: "directories of Syzygy tablebases, separated by : (; on Windows)",
            kind: Kind::Text {
                default: EMPTY,
                takes: "directories",
                set: |_, path| Some(Change::Tablebases(path.into())),
            },
        },
        spin(
            "SyzygyProbeDepth",
            "least remaining depth, in plies, at which the largest tablebases are probed",
            default.depth as usize,
            1..=MAX_PROBE_DEPTH,
            |options, depth| {
                options.settings.probing.depth = depth as Depth;
                None
            },
        ),
        check(
            "Syzygy50MoveRule",
            "count wins that the fifty-move rule prevents as draws",
            default.fifty_moves,
            |options, on| {
                options.settings.probing.fifty_moves = on;
                None
            },
        ),
        spin(
            "SyzygyProbeLimit",
            "most pieces of a position that is probed",
            default.limit,
            0..=syzygy::MAX_PIECES,
            |options, pieces| {
                options.settings.probing.limit = pieces;
                None
            },
        ),
    ]
}
