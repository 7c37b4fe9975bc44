//! The table of options.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::ValueEnum;

use crate::commands::cli::{GAME_HASH, MAX_MULTIPV};
use crate::eval::nnue::eval_file::EvalFile;
use crate::machine::{max_hash, max_threads};
use crate::names;
use crate::score::Depth;
use crate::search::params::{self, Param};
use crate::smp::lockstep;
use crate::syzygy;
use crate::uci::strength::{self, Strength};

use super::{Change, EMPTY, Options};
use Effect::{Engine, Own};

/// The most nodes that a turn in lockstep may have: a second's work.
pub const MAX_QUANTUM: usize = 1_000_000;
/// The most time that may be lost on the way to the GUI, in milliseconds.
const MAX_OVERHEAD: usize = 5000;
/// The greatest depth, in plies, below which the largest endgame tables can be left alone.
const MAX_PROBE_DEPTH: usize = 100;

/// What a value of an option does.
pub(super) enum Effect<T> {
    /// Sets one of the [`Options`].
    Own(fn(&mut Options, T)),
    /// Asks for a change of the engine.
    Engine(fn(T) -> Change),
}

impl<T> Effect<T> {
    /// Sets the option, or returns the change of the engine.
    pub(super) fn apply(&self, options: &mut Options, value: T) -> Option<Change> {
        match self {
            Self::Own(set) => {
                set(options, value);
                None
            }
            Self::Engine(change) => Some(change(value)),
        }
    }
}

/// The effect of the choice with a number.
type Choose = Box<dyn Fn(&mut Options, usize) -> Option<Change>>;

/// What an option takes, and what a value does.
pub(super) enum OptionType {
    Check {
        default: bool,
        effect: Effect<bool>,
    },
    Spin {
        default: usize,
        range: RangeInclusive<usize>,
        effect: Effect<usize>,
    },
    Combo {
        default: String,
        choices: Vec<String>,
        choose: Choose,
    },
    Text {
        default: &'static str,
        takes: &'static str,
        change: fn(&str) -> Change,
    },
    Button {
        change: Change,
    },
    /// A margin of the search, in a build for tuning.
    Margin(&'static Param),
}

/// One option.
pub(super) struct UciOption {
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    pub kind: OptionType,
}

fn check(name: &'static str, help: &'static str, default: bool, effect: Effect<bool>) -> UciOption {
    UciOption { name, help, kind: OptionType::Check { default, effect } }
}

fn spin(
    name: &'static str,
    help: &'static str,
    default: usize,
    range: RangeInclusive<usize>,
    effect: Effect<usize>,
) -> UciOption {
    UciOption { name, help, kind: OptionType::Spin { default, range, effect } }
}

fn combo<T: ValueEnum + Default + 'static>(
    name: &'static str,
    help: &'static str,
    effect: Effect<T>,
) -> UciOption {
    let default = names::name(&T::default());
    let choices = T::value_variants().iter().map(names::name).collect();
    let choose: Choose =
        Box::new(move |options, index| effect.apply(options, T::value_variants()[index].clone()));
    UciOption { name, help, kind: OptionType::Combo { default, choices, choose } }
}

/// Every option, in the order in which they are listed.
pub(super) fn all() -> Vec<UciOption> {
    let margins = params::tunable().iter().map(|param| UciOption {
        name: param.name,
        help: "a margin of the search; setting it forgets all searches",
        kind: OptionType::Margin(param),
    });
    [basics(), play(), workers(), evaluation(), endgame_tables()]
        .into_iter()
        .flatten()
        .chain(margins)
        .collect()
}

/// Threads, memory and how a search is shown.
fn basics() -> Vec<UciOption> {
    let overhead = super::DEFAULT_OVERHEAD.as_millis() as usize;
    vec![
        spin("Threads", "search threads", 1, 1..=max_threads(), Engine(Change::Threads)),
        spin("Hash", "MiB of transposition table", GAME_HASH, 1..=max_hash(), Engine(Change::Hash)),
        UciOption {
            name: "Clear Hash",
            help: "clear the hash table and the histories",
            kind: OptionType::Button { change: Change::Clear },
        },
        // The GUI asks for it with each `go`.
        check("Ponder", "allow thinking in the opponent's time", false, Own(|_, _| ())),
        spin(
            "MultiPV",
            "number of lines to show",
            1,
            1..=MAX_MULTIPV,
            Own(|options, lines| options.settings.multipv = lines),
        ),
        spin(
            "Move Overhead",
            "milliseconds per move lost between engine and clock",
            overhead,
            0..=MAX_OVERHEAD,
            Own(|options, ms| options.overhead = Duration::from_millis(ms as u64)),
        ),
        check(
            "UCI_Chess960",
            "write castling as the king taking its rook",
            false,
            Own(|options, on| options.chess960 = on),
        ),
        check(
            "UCI_ShowWDL",
            "show the chances of win, draw and loss with each score, per mille",
            false,
            Own(|options, on| options.show_wdl = on),
        ),
    ]
}

/// How well the engine plays.
fn play() -> Vec<UciOption> {
    vec![
        check(
            "UCI_LimitStrength",
            "limit the strength to UCI_Elo",
            false,
            Own(|options, on| options.limit_strength = on),
        ),
        spin(
            "UCI_Elo",
            "rating on the scale of the Computer Chess Rating Lists, uncertain by some 150",
            *strength::RANGE.start(),
            strength::RANGE,
            Own(|options, elo| options.strength = Strength::new(elo)),
        ),
        check(
            "UCI_AnalyseMode",
            "analyse at full strength, even with UCI_LimitStrength",
            false,
            Own(|options, on| options.analyse_mode = on),
        ),
    ]
}

/// How several threads work together.
fn workers() -> Vec<UciOption> {
    vec![
        combo(
            "Stagger",
            "depths that helper threads leave out (expert)",
            Own(|options, stagger| options.settings.stagger = stagger),
        ),
        combo(
            "NumaPolicy",
            "whether threads stay near their memory and cache on machines with several (expert)",
            Engine(Change::Numa),
        ),
        check(
            "Lockstep",
            "threads take turns, so that a search on several threads is repeatable (expert)",
            false,
            Own(|options, on| options.settings.lockstep = on),
        ),
        spin(
            "LockstepQuantum",
            "nodes each thread searches per lockstep turn (expert)",
            lockstep::DEFAULT_QUANTUM as usize,
            1..=MAX_QUANTUM,
            Own(|options, nodes| options.settings.quantum = nodes as u64),
        ),
    ]
}

/// What the engine plays by.
fn evaluation() -> Vec<UciOption> {
    vec![UciOption {
        name: "EvalFile",
        help: "network that evaluates positions",
        kind: OptionType::Text {
            default: EvalFile::DEFAULT,
            takes: "<default>, <classical> or a file",
            change: |name| Change::EvalFile(EvalFile::from(name)),
        },
    }]
}

/// The endgame tables.
fn endgame_tables() -> Vec<UciOption> {
    let default = syzygy::Probing::default();
    vec![
        UciOption {
            name: "SyzygyPath",
            help: "directories of Syzygy tablebases, separated by : (; on Windows)",
            kind: OptionType::Text {
                default: EMPTY,
                takes: "directories",
                change: |path| Change::Tablebases(path.into()),
            },
        },
        spin(
            "SyzygyProbeDepth",
            "least remaining depth, in plies, at which the largest tablebases are probed",
            default.depth as usize,
            1..=MAX_PROBE_DEPTH,
            Own(|options, depth| options.settings.probing.depth = depth as Depth),
        ),
        check(
            "Syzygy50MoveRule",
            "count wins that the fifty-move rule prevents as draws",
            default.fifty_moves,
            Own(|options, on| options.settings.probing.fifty_moves = on),
        ),
        spin(
            "SyzygyProbeLimit",
            "most pieces of a position that is probed",
            default.limit,
            0..=syzygy::MAX_PIECES,
            Own(|options, pieces| options.settings.probing.limit = pieces),
        ),
    ]
}
