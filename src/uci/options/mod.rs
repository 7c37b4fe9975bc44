//! The options: what they are set to, and how a `setoption` is read.
//!
//! An option is one entry of one [table](table::all): its name, what it takes, what it does, and
//! the function that does it. The listing that answers `uci`, the reading of a value, the help and
//! the table of docs/uci.md all follow from that entry.

mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::time::Duration;

use textwrap::Options as Wrapping;

use crate::cli::similar;
use crate::engine::Settings;
use crate::eval::nnue::eval_file::EvalFile;
use crate::numa::NumaPolicy;

use super::command::quote;
use super::strength::{self, Strength};
use table::{MARGIN_HELP, UciOption, all};

pub use table::MAX_QUANTUM;

/// Time lost on the way to the GUI, unless it says otherwise.
const DEFAULT_OVERHEAD: Duration = Duration::from_millis(10);

/// The width of the help, in characters, and what begins the further lines of an option.
const HELP_COLUMNS: usize = 80;
const HELP_INDENT: &str = "                    ";

/// Options that GUIs and scripts set without being offered them: those of the UCI specification
/// and of Stockfish that mean nothing here. No user could do anything about an error.
const FOREIGN: [&str; 16] = [
    "Analysis Contempt",
    "Contempt",
    "EvalFileSmall",
    "Minimum Thinking Time",
    "NalimovCache",
    "NalimovPath",
    "nodestime",
    "OwnBook",
    "Skill Level",
    "Slow Mover",
    "UCI_EngineAbout",
    "UCI_Opponent",
    "UCI_RatingAdv",
    "UCI_ShowCurrLine",
    "UCI_ShowRefutations",
    "Use NNUE",
];

/// Why a `setoption` is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("no such option: {name}{}", similar.map_or(String::new(), |name| format!("; did you mean {name}?")))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The option that is spelt most alike.
        similar: Option<&'static str>,
    },
    /// The value is not one that the option takes.
    #[error("option {name} takes {takes}, not {found}")]
    Value {
        /// The option.
        name: &'static str,
        /// The values that it takes, with their bounds.
        takes: String,
        /// The value found.
        found: String,
    },
}

/// The part of an option that the engine has to carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Use N workers.
    Threads(usize),
    /// Use a transposition table of N MiB.
    Hash(usize),
    /// Bind the workers to memory nodes by this policy.
    Numa(NumaPolicy),
    /// Use another evaluation.
    EvalFile(EvalFile),
    /// Use the tablebases in these directories, separated as the system does it; empty for
    /// none.
    Tablebases(String),
    /// Forget all searches.
    Clear,
    /// Forget all searches before the next one: a margin has changed, and perhaps more of them
    /// will.
    Margin,
}

/// The values that the protocol itself works with.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the engine searches.
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
    /// The file to which all lines of the protocol are appended; empty for none.
    pub log_file: String,
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
            log_file: String::new(),
        }
    }
}

impl Options {
    /// Carries out a `setoption`. What it changes in the engine, if anything, is for the caller.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Option<Change>, OptionError> {
        if FOREIGN.iter().any(|foreign| foreign.eq_ignore_ascii_case(name)) {
            return Ok(None);
        }
        let option = all()
            .into_iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown {
                name: quote(name),
                similar: similar(name, all().iter().map(|option| option.name)),
            })?;
        let value = value.unwrap_or_default().trim();
        (option.set)(self, value).map_err(|NotTaken| OptionError::Value {
            name: option.name,
            takes: option.takes,
            found: if value.is_empty() { "nothing".into() } else { quote(value) },
        })
    }

    /// The strength to play with, if it is limited.
    pub fn limited(&self) -> Option<Strength> {
        (self.limit_strength && !self.analyse_mode).then_some(self.strength)
    }
}

/// The lines that answer `uci`, one for each option.
pub fn listing() -> Vec<String> {
    let line = |option: &UciOption| format!("option name {} type {}", option.name, option.kind);
    all().iter().map(line).collect()
}

/// The lines that explain the options to a person: what they take, and their defaults. A manual
/// page leaves out the bounds that depend on the machine.
pub fn help(for_manual: bool) -> Vec<String> {
    let line = |option: &UciOption| {
        let UciOption { name, help, default, .. } = option;
        let default = default.as_ref().map(|default| format!(" [default: {default}]"));
        let takes = if for_manual { portable(option) } else { &option.takes };
        format!("  {name:17} {help} ({takes}){}", default.unwrap_or_default())
    };
    let wrapped = Wrapping::new(HELP_COLUMNS).subsequent_indent(HELP_INDENT);
    let is_shown = |option: &&UciOption| !for_manual || option.help != MARGIN_HELP;
    let lines: Vec<_> = all().iter().filter(is_shown).map(line).collect();
    let lines = lines.iter().flat_map(|line| textwrap::wrap(line, &wrapped));
    lines.map(Cow::into_owned).collect()
}

/// The values that an option takes on any machine.
fn portable(option: &UciOption) -> &str {
    match option.name {
        "Threads" => "1 to at least 1024",
        "Hash" => "1 to the machine's memory",
        _ => &option.takes,
    }
}

/// The text is no value of the option.
struct NotTaken;
