//! The options, in one table.
//!
//! The table says what an option is called, what it takes and what it does; the listing that
//! answers `uci`, the reading of a value and the help all come from it.

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::commands::cli::MAX_MULTIPV;
use crate::commands::system::{max_hash, max_threads};
use crate::engine::Settings;
use crate::eval::nnue::eval_file::EvalFile;
use crate::score::Depth;
use crate::search::params;
use crate::smp::lockstep;
use crate::smp::sharing::Sharing;
use crate::smp::stagger::Stagger;
use crate::syzygy::{self, Probing};

use super::strength::{self, Strength};

/// The default size of the table, in MiB.
pub const DEFAULT_HASH: usize = 16;
/// What is lost on the way to the GUI, unless it says otherwise.
const DEFAULT_OVERHEAD: Duration = Duration::from_millis(10);
/// The most that may be lost on the way to the GUI.
const MAX_OVERHEAD: Duration = Duration::from_millis(5000);
/// The greatest depth, in plies, below which the largest endgame tables can be left alone.
const MAX_PROBE_DEPTH: usize = 100;
/// The most nodes that a turn in lockstep may have: a second's work.
pub const MAX_QUANTUM: usize = 1_000_000;
/// How the protocol writes an empty text.
const EMPTY: &str = "<empty>";

/// What an option is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Workers.
    Threads(usize),
    /// Size of the table in MiB.
    Hash(usize),
    /// Empty the table.
    ClearHash,
    /// The GUI may let the engine ponder. It says so with each `go`, so this changes nothing.
    Ponder(bool),
    /// Lines wanted.
    MultiPv(usize),
    /// Time lost between the engine and the clock that counts.
    MoveOverhead(Duration),
    /// Castling is written as the king taking its rook.
    Chess960(bool),
    /// How the workers' depths are staggered.
    Stagger(Stagger),
    /// Whose correction history the workers use.
    Correction(Sharing),
    /// Which evaluation is used.
    EvalFile(EvalFile),
    /// The chances of win, draw and loss are shown.
    ShowWdl(bool),
    /// The engine plays no better than its rating says.
    LimitStrength(bool),
    /// The rating.
    Elo(Strength),
    /// The engine analyses, so that its strength is not limited.
    AnalyseMode(bool),
    /// A margin of the search, by its index in [`params::tunable`].
    Param(usize, i32),
    /// Directories of the endgame tables, separated as the system does it; empty for none.
    SyzygyPath(String),
    /// Depth in plies from which the largest endgame tables are probed.
    SyzygyProbeDepth(Depth),
    /// Endgame tables count a win that the fifty-move rule prevents as a draw.
    Syzygy50MoveRule(bool),
    /// Pieces up to which endgame tables are probed.
    SyzygyProbeLimit(usize),
    /// The workers take turns, so that the search can be repeated.
    Lockstep(bool),
    /// Nodes of such a turn.
    LockstepQuantum(u64),
}

/// What an option takes, and the setting that a value makes.
enum Kind {
    Check { default: bool, set: fn(bool) -> Setting },
    Spin { default: usize, min: usize, max: usize, set: fn(usize) -> Setting },
    Combo { default: &'static str, choices: Vec<&'static str>, set: fn(usize) -> Setting },
    Text { default: &'static str, takes: &'static str, set: fn(&str) -> Setting },
    Button { set: Setting },
    Param { index: usize },
}

/// One row of the table.
struct Spec {
    name: &'static str,
    kind: Kind,
    help: &'static str,
}

/// Why an option cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("no such option: {0}")]
    Unknown(String),
    /// The value is not one that the option takes.
    #[error("option {name} takes {takes}, not {found}")]
    Value {
        /// The option.
        name: &'static str,
        /// What it takes, with its bounds.
        takes: String,
        /// What was found.
        found: String,
    },
}

/// The values that the protocol itself works with; threads and table are the engine's.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lines and depth policy.
    pub settings: Settings,
    /// Time lost between the engine and the clock that counts.
    pub overhead: Duration,
    /// Castling is written as the king taking its rook.
    pub chess960: bool,
    /// The chances of win, draw and loss are shown.
    pub show_wdl: bool,
    /// The strength is limited, except in analysis.
    pub limit_strength: bool,
    /// The strength if it is limited.
    pub strength: Strength,
    /// The engine analyses.
    pub analyse_mode: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            overhead: DEFAULT_OVERHEAD,
            chess960: false,
            show_wdl: false,
            limit_strength: false,
            strength: Strength::new(*strength::RANGE.start()),
            analyse_mode: false,
        }
    }
}

impl Options {
    /// Takes over `setting`, unless it is one of the engine's.
    pub fn set(&mut self, setting: &Setting) {
        match *setting {
            Setting::MultiPv(lines) => self.settings.multipv = lines,
            Setting::Stagger(stagger) => self.settings.stagger = stagger,
            Setting::Correction(sharing) => self.settings.correction = sharing,
            Setting::MoveOverhead(time) => self.overhead = time,
            Setting::Chess960(on) => self.chess960 = on,
            Setting::ShowWdl(on) => self.show_wdl = on,
            Setting::LimitStrength(on) => self.limit_strength = on,
            Setting::Elo(strength) => self.strength = strength,
            Setting::AnalyseMode(on) => self.analyse_mode = on,
            Setting::SyzygyProbeDepth(depth) => self.settings.probing.depth = depth,
            Setting::Syzygy50MoveRule(on) => self.settings.probing.fifty_moves = on,
            Setting::SyzygyProbeLimit(pieces) => self.settings.probing.limit = pieces,
            Setting::Lockstep(on) => self.settings.lockstep = on,
            Setting::LockstepQuantum(nodes) => self.settings.quantum = nodes,
            Setting::Ponder(_)
            | Setting::Threads(_)
            | Setting::Hash(_)
            | Setting::EvalFile(_)
            | Setting::ClearHash
            | Setting::SyzygyPath(_)
            | Setting::Param(..) => {}
        }
    }

    /// The strength to play with, if it is limited.
    #[must_use]
    pub fn limited(&self) -> Option<Strength> {
        (self.limit_strength && !self.analyse_mode).then_some(self.strength)
    }
}

fn table() -> Vec<Spec> {
    let tuning = params::tunable().iter().enumerate().map(|(index, param)| Spec {
        name: param.name,
        kind: Kind::Param { index },
        help: "a margin of the search; setting it forgets all searches",
    });
    [basics(), play(), endgame_tables()].into_iter().flatten().chain(tuning).collect()
}

fn spec(name: &'static str, kind: Kind, help: &'static str) -> Spec {
    Spec { name, kind, help }
}

/// Threads, memory and how a search is shown.
fn basics() -> Vec<Spec> {
    vec![
        spec(
            "Threads",
            Kind::Spin { default: 1, min: 1, max: max_threads(), set: Setting::Threads },
            "search threads",
        ),
        spec(
            "Hash",
            Kind::Spin { default: DEFAULT_HASH, min: 1, max: max_hash(), set: Setting::Hash },
            "transposition table in MiB",
        ),
        spec("Clear Hash", Kind::Button { set: Setting::ClearHash }, "forget all searches"),
        spec(
            "Ponder",
            Kind::Check { default: false, set: Setting::Ponder },
            "the engine may think in the opponent's time",
        ),
        spec(
            "MultiPV",
            Kind::Spin { default: 1, min: 1, max: MAX_MULTIPV, set: Setting::MultiPv },
            "lines shown",
        ),
        spec(
            "Move Overhead",
            Kind::Spin {
                default: DEFAULT_OVERHEAD.as_millis() as usize,
                min: 0,
                max: MAX_OVERHEAD.as_millis() as usize,
                set: |ms| Setting::MoveOverhead(Duration::from_millis(ms as u64)),
            },
            "milliseconds lost per move between engine and clock",
        ),
        spec(
            "UCI_Chess960",
            Kind::Check { default: false, set: Setting::Chess960 },
            "write castling as the king taking its rook",
        ),
        spec(
            "UCI_ShowWDL",
            Kind::Check { default: false, set: Setting::ShowWdl },
            "show the chances of win, draw and loss",
        ),
    ]
}

/// How well the engine plays, and what it plays by.
fn play() -> Vec<Spec> {
    vec![
        spec(
            "UCI_LimitStrength",
            Kind::Check { default: false, set: Setting::LimitStrength },
            "play no better than UCI_Elo",
        ),
        spec(
            "UCI_Elo",
            Kind::Spin {
                default: *strength::RANGE.start(),
                min: *strength::RANGE.start(),
                max: *strength::RANGE.end(),
                set: |elo| Setting::Elo(Strength::new(elo)),
            },
            "the nominal rating to play at",
        ),
        spec(
            "UCI_AnalyseMode",
            Kind::Check { default: false, set: Setting::AnalyseMode },
            "analyse at full strength, UCI_LimitStrength or not",
        ),
        spec(
            "Stagger",
            Kind::Combo {
                default: Stagger::default().name(),
                choices: Stagger::ALL.map(Stagger::name).to_vec(),
                set: |index| Setting::Stagger(Stagger::ALL[index]),
            },
            "depths that helper threads search",
        ),
        spec(
            "CorrectionHistory",
            Kind::Combo {
                default: Sharing::default().name(),
                choices: Sharing::ALL.map(Sharing::name).to_vec(),
                set: |index| Setting::Correction(Sharing::ALL[index]),
            },
            "whether threads learn together how the evaluation errs",
        ),
        spec(
            "EvalFile",
            Kind::Text {
                default: EvalFile::DEFAULT,
                takes: "<default>, <classical> or a file",
                set: |name| Setting::EvalFile(EvalFile::from(name)),
            },
            "the network that evaluates",
        ),
    ]
}

/// The endgame tables.
fn endgame_tables() -> Vec<Spec> {
    let probing = Probing::default();
    vec![
        spec(
            "SyzygyPath",
            Kind::Text {
                default: EMPTY,
                takes: "directories",
                set: |path| Setting::SyzygyPath(path.into()),
            },
            "where the Syzygy endgame tables are",
        ),
        spec(
            "SyzygyProbeDepth",
            Kind::Spin {
                default: probing.depth as usize,
                min: 1,
                max: MAX_PROBE_DEPTH,
                set: |depth| Setting::SyzygyProbeDepth(depth as Depth),
            },
            "depth from which the largest tables are probed",
        ),
        spec(
            "Syzygy50MoveRule",
            Kind::Check { default: probing.fifty_moves, set: Setting::Syzygy50MoveRule },
            "a win that the fifty-move rule prevents is a draw",
        ),
        spec(
            "SyzygyProbeLimit",
            Kind::Spin {
                default: probing.limit,
                min: 0,
                max: syzygy::MAX_PIECES,
                set: Setting::SyzygyProbeLimit,
            },
            "pieces up to which tables are probed",
        ),
        spec(
            "Lockstep",
            Kind::Check { default: false, set: Setting::Lockstep },
            "threads take turns: a search can be repeated",
        ),
        spec(
            "LockstepQuantum",
            Kind::Spin {
                default: lockstep::DEFAULT_QUANTUM as usize,
                min: 1,
                max: MAX_QUANTUM,
                set: |nodes| Setting::LockstepQuantum(nodes as u64),
            },
            "nodes of such a turn",
        ),
    ]
}

/// The lines that answer `uci`, one an option.
#[must_use]
pub fn listing() -> Vec<String> {
    table()
        .iter()
        .map(|spec| format!("option name {} type {}", spec.name, spec.kind.uci()))
        .collect()
}

/// The lines that explain the options to a person.
#[must_use]
pub fn help() -> Vec<String> {
    let row = |spec: &Spec| format!("  {:17} {} ({})", spec.name, spec.help, spec.kind.takes());
    table().iter().map(row).collect()
}

/// Reads a `setoption`.
///
/// # Errors
/// [`OptionError`], when there is no such option or it does not take that value.
pub fn parse(name: &str, value: Option<&str>) -> Result<Setting, OptionError> {
    let spec = table()
        .into_iter()
        .find(|spec| spec.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| OptionError::Unknown(super::command::quote(name)))?;
    let value = value.unwrap_or_default().trim();
    spec.kind.read(value).ok_or_else(|| OptionError::Value {
        name: spec.name,
        takes: spec.kind.takes(),
        found: if value.is_empty() { "nothing".into() } else { super::command::quote(value) },
    })
}

impl Kind {
    /// As UCI describes it.
    fn uci(&self) -> String {
        match self {
            Self::Check { default, .. } => format!("check default {default}"),
            Self::Spin { default, min, max, .. } => {
                format!("spin default {default} min {min} max {max}")
            }
            Self::Combo { default, choices, .. } => {
                format!("combo default {default} var {}", choices.join(" var "))
            }
            Self::Text { default, .. } => format!("string default {default}"),
            Self::Button { .. } => "button".into(),
            Self::Param { index } => {
                let param = params::tunable()[*index];
                let (default, min, max) = (param.default, param.least, param.greatest);
                format!("spin default {default} min {min} max {max}")
            }
        }
    }

    /// As a person would describe it.
    fn takes(&self) -> String {
        match self {
            Self::Check { .. } => "true or false".into(),
            Self::Spin { min, max, .. } => format!("{min} to {max}"),
            Self::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
            Self::Text { takes, .. } => (*takes).into(),
            Self::Button { .. } => "no value".into(),
            Self::Param { index } => {
                let param = params::tunable()[*index];
                format!("{} to {}", param.least, param.greatest)
            }
        }
    }

    fn read(&self, value: &str) -> Option<Setting> {
        match self {
            Self::Check { set, .. } => match value.to_ascii_lowercase().as_str() {
                "true" => Some(set(true)),
                "false" => Some(set(false)),
                _ => None,
            },
            Self::Spin { min, max, set, .. } => {
                value.parse().ok().filter(|number| (min..=max).contains(&number)).map(set)
            }
            Self::Combo { choices, set, .. } => {
                choices.iter().position(|choice| choice.eq_ignore_ascii_case(value)).map(set)
            }
            Self::Text { default, set, .. } => {
                let text = if value == EMPTY { "" } else { value };
                (!text.is_empty() || *default == EMPTY).then(|| set(text))
            }
            Self::Button { set } => Some(set.clone()),
            Self::Param { index } => {
                let param = params::tunable()[*index];
                let bounds = param.least..=param.greatest;
                let number = value.parse().ok().filter(|number| bounds.contains(number))?;
                Some(Setting::Param(*index, number))
            }
        }
    }
}
