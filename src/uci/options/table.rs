//! The table of options.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::cli::{GAME_HASH, MAX_MULTIPV};
use crate::eval::nnue::eval_file::EvalFile;
use crate::machine::{max_hash, max_threads};
use crate::names::Named;
use crate::score::Depth;
use crate::search::params;
use crate::smp::turnstile;
use crate::syzygy;
use crate::uci::strength::{self, Strength};

use super::{Change, NotTaken, Options};

/// The most nodes that a turn in lockstep may have: a second's work.
pub const MAX_QUANTUM: usize = 1_000_000;
/// The most time that may be lost on the way to the GUI, in milliseconds.
const MAX_OVERHEAD: usize = 5000;
/// The greatest depth, in plies, below which the largest tablebases can be left alone.
const MAX_PROBE_DEPTH: usize = 100;

/// How the protocol writes an empty text.
const EMPTY: &str = "<empty>";

pub(super) struct UciOption {
    pub name: &'static str,
    /// Its effect, for people.
    pub help: &'static str,
    /// Its type, as UCI describes it.
    pub kind: String,
    /// The value by default.
    pub default: Option<String>,
    /// The values that it takes, as a person would describe them.
    pub takes: String,
    /// Does what a value asks for.
    pub set: Setter,
}

type Setter = Box<dyn Fn(&mut Options, &str) -> Result<Option<Change>, NotTaken>>;

/// The effect of a value: it sets one of the [`Options`], or asks for a change of the engine.
type Effect<T> = Box<dyn Fn(&mut Options, T) -> Option<Change>>;

fn own<T: 'static>(set: fn(&mut Options, T)) -> Effect<T> {
    Box::new(move |options, value| {
        set(options, value);
        None
    })
}

fn engine<T: 'static>(change: fn(T) -> Change) -> Effect<T> {
    Box::new(move |_, value| Some(change(value)))
}

fn setter<T: 'static>(read: impl Fn(&str) -> Option<T> + 'static, effect: Effect<T>) -> Setter {
    Box::new(move |options, value| Ok(effect(options, read(value).ok_or(NotTaken)?)))
}

fn check(name: &'static str, help: &'static str, default: bool, effect: Effect<bool>) -> UciOption {
    UciOption {
        name,
        help,
        kind: format!("check default {default}"),
        default: Some(default.to_string()),
        takes: "true or false".into(),
        set: setter(|value| value.to_ascii_lowercase().parse().ok(), effect),
    }
}

fn spin<T: Copy + Display + FromStr + PartialOrd + 'static>(
    name: &'static str,
    help: &'static str,
    default: T,
    range: RangeInclusive<T>,
    effect: Effect<T>,
) -> UciOption {
    let (least, most) = (range.start(), range.end());
    UciOption {
        name,
        help,
        kind: format!("spin default {default} min {least} max {most}"),
        default: Some(default.to_string()),
        takes: format!("{least} to {most}"),
        set: setter(
            move |value| value.parse().ok().filter(|number| range.contains(number)),
            effect,
        ),
    }
}

fn combo<T: Named + Default>(
    name: &'static str,
    help: &'static str,
    effect: Effect<T>,
) -> UciOption {
    let default = T::default().name();
    let choices: Vec<_> = T::all().map(Named::name).collect();
    UciOption {
        name,
        help,
        kind: format!("combo default {default} var {}", choices.join(" var ")),
        default: Some(default.to_owned()),
        takes: format!("one of {}", choices.join(", ")),
        set: setter(|value| T::by_name(value), effect),
    }
}

/// An option that takes a text, which may be empty if that is the default.
fn text(
    name: &'static str,
    help: &'static str,
    default: &'static str,
    takes: &str,
    effect: Effect<String>,
) -> UciOption {
    let read = move |value: &str| {
        let text = if value == EMPTY { "" } else { value };
        (default == EMPTY || !text.is_empty()).then(|| text.to_owned())
    };
    UciOption {
        name,
        help,
        kind: format!("string default {default}"),
        default: Some(default.into()),
        takes: takes.into(),
        set: setter(read, effect),
    }
}

fn button(name: &'static str, help: &'static str, effect: Effect<()>) -> UciOption {
    UciOption {
        name,
        help,
        kind: "button".into(),
        default: None,
        takes: "no value".into(),
        set: setter(|_| Some(()), effect),
    }
}

/// What a margin of the search does; a release has none.
pub(super) const MARGIN_HELP: &str = "a margin of the search; setting it forgets all searches";

/// Every option, in the order in which they are listed.
pub(super) fn all() -> Vec<UciOption> {
    let margins = params::tunable().iter().map(|param| {
        let effect = |_: &mut Options, value| {
            param.set(value);
            Some(Change::Margin) // tables are made from it
        };
        spin(param.name, MARGIN_HELP, param.default, param.least..=param.greatest, Box::new(effect))
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
        spin("Threads", "search threads", 1, 1..=max_threads(), engine(Change::Threads)),
        spin("Hash", "MiB of transposition table", GAME_HASH, 1..=max_hash(), engine(Change::Hash)),
        button("Clear Hash", "clear the hash table and the histories", engine(|()| Change::Clear)),
        // The GUI asks for it with each `go`.
        check("Ponder", "allow thinking in the opponent's time", false, own(|_, _| ())),
        spin(
            "MultiPV",
            "number of lines to show",
            1,
            1..=MAX_MULTIPV,
            own(|options, lines| options.settings.multipv = lines),
        ),
        spin(
            "Move Overhead",
            "milliseconds per move lost between engine and clock",
            overhead,
            0..=MAX_OVERHEAD,
            own(|options, ms| options.overhead = Duration::from_millis(ms as u64)),
        ),
        check(
            "UCI_Chess960",
            "write castling as the king taking its rook",
            false,
            own(|options, on| options.chess960 = on),
        ),
        check(
            "UCI_ShowWDL",
            "show the chances of win, draw and loss with each score, per mille",
            false,
            own(|options, on| options.show_wdl = on),
        ),
        text(
            "Debug Log File",
            "append every line in (>>) and out (<<) to this file",
            EMPTY,
            "a file",
            own(|options, name| options.log_file = name),
        ),
    ]
}

/// A whole number of any size, as the nearest that fits.
fn nearest(value: &str) -> Option<usize> {
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = if value.starts_with('-') { 0 } else { digits.parse().unwrap_or(usize::MAX) };
    is_number.then_some(number)
}

/// How well the engine plays.
fn play() -> Vec<UciOption> {
    vec![
        check(
            "UCI_LimitStrength",
            "limit the strength to UCI_Elo",
            false,
            own(|options, on| options.limit_strength = on),
        ),
        UciOption {
            // GUIs keep the rating of another engine, and what is beyond our bounds means the
            // nearest.
            set: setter(nearest, own(|options, elo| options.strength = Strength::new(elo))),
            ..spin(
                "UCI_Elo",
                "rating on the scale of the Computer Chess Rating Lists, uncertain by some 150",
                *strength::RANGE.start(),
                strength::RANGE,
                own(|_, _| ()),
            )
        },
        check(
            "UCI_AnalyseMode",
            "analyse at full strength, even with UCI_LimitStrength",
            false,
            own(|options, on| options.analyse_mode = on),
        ),
    ]
}

/// How several threads work together.
fn workers() -> Vec<UciOption> {
    vec![
        combo(
            "Stagger",
            "depths that helper threads leave out (expert)",
            own(|options, stagger| options.settings.stagger = stagger),
        ),
        combo(
            "NumaPolicy",
            "whether threads stay near their memory and cache on machines with several (expert)",
            engine(Change::Numa),
        ),
        check(
            "Lockstep",
            "threads take turns, so that a search on several threads is repeatable (expert)",
            false,
            own(|options, on| options.settings.lockstep = on),
        ),
        spin(
            "LockstepQuantum",
            "nodes each thread searches per lockstep turn (expert)",
            turnstile::DEFAULT_QUANTUM as usize,
            1..=MAX_QUANTUM,
            own(|options, nodes| options.settings.quantum = nodes as u64),
        ),
    ]
}

/// The evaluation.
fn evaluation() -> Vec<UciOption> {
    vec![text(
        "EvalFile",
        "network that evaluates positions",
        EvalFile::DEFAULT,
        "<default>, <classical> or a file",
        engine(|name| Change::EvalFile(EvalFile::from(name.as_str()))),
    )]
}

fn endgame_tables() -> Vec<UciOption> {
    let default = syzygy::Probing::default();
    vec![
        text(
            "SyzygyPath",
            "directories of Syzygy tablebases, separated by : (; on Windows)",
            EMPTY,
            "directories",
            engine(Change::Tablebases),
        ),
        spin(
            "SyzygyProbeDepth",
            "least remaining depth, in plies, at which the largest tablebases are probed",
            default.depth as usize,
            1..=MAX_PROBE_DEPTH,
            own(|options, depth| options.settings.probing.depth = depth as Depth),
        ),
        check(
            "Syzygy50MoveRule",
            "count wins that the fifty-move rule prevents as draws",
            default.fifty_moves,
            own(|options, on| options.settings.probing.fifty_moves = on),
        ),
        spin(
            "SyzygyProbeLimit",
            "most pieces of a position that is probed",
            default.limit,
            0..=syzygy::MAX_PIECES,
            own(|options, pieces| options.settings.probing.limit = pieces),
        ),
    ]
}
