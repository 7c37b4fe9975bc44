//! The arguments of a bench.

use std::path::Path;

use clap::ValueEnum;

use crate::machine::Bounds;
use crate::position::Position;
use crate::score::Depth;
use crate::text::suite;

use super::{BenchError, positions};
use crate::commands::cli::GAME_HASH;
use crate::names::name;

/// Default search depth, in plies.
pub const DEFAULT_DEPTH: Depth = 12;

/// The unit of the limit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub enum LimitType {
    /// Plies of a search.
    #[default]
    Depth,
    /// Nodes of a search.
    Nodes,
    /// Milliseconds of a search.
    MoveTime,
    /// Plies of perft.
    Perft,
    /// No limit: the positions are evaluated, not searched.
    Eval,
}

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct BenchConfig {
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Number of workers.
    pub threads: usize,
    /// The limit per position.
    pub limit: u64,
    /// The positions.
    pub positions: Vec<Position>,
    /// The unit of the limit.
    pub limit_type: LimitType,
    /// Whether the workers take turns, which makes the node count repeatable on any number of
    /// threads.
    pub lockstep: bool,
}

impl Default for BenchConfig {
    fn default() -> Self {
        Self {
            hash: GAME_HASH,
            threads: 1,
            limit: DEFAULT_DEPTH as u64,
            positions: positions(),
            limit_type: LimitType::default(),
            lockstep: false,
        }
    }
}

impl BenchConfig {
    /// Parses `[hash] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`;
    /// missing arguments take their defaults. The word `current` means the position `current`.
    pub fn read<'a>(
        words: impl IntoIterator<Item = &'a str>,
        current: &Position,
        bounds: Bounds,
    ) -> Result<Self, BenchError> {
        let mut config = Self::default();
        let mut words = words.into_iter();
        if let Some(word) = words.next() {
            config.hash = number("hash", word, bounds.hash as u64)? as usize;
        }
        if let Some(word) = words.next() {
            config.threads = number("threads", word, bounds.threads as u64)? as usize;
        }
        if let Some(word) = words.next() {
            config.limit = number("limit", word, u64::MAX)?;
        }
        config.positions = match words.next() {
            None | Some("default") => positions(),
            Some("current") => vec![current.clone()],
            Some(path) => {
                suite::read(Path::new(path))?.into_iter().map(|named| named.position).collect()
            }
        };
        if let Some(word) = words.next() {
            config.limit_type = LimitType::from_str(word, false).map_err(|_| {
                let names: Vec<_> = LimitType::value_variants().iter().map(name).collect();
                argument("the limit's type", format!("one of {}", names.join(", ")), word)
            })?;
        }
        match words.next() {
            Some(word) => Err(argument("the last argument", "the limit's type".into(), word)),
            None => Ok(config),
        }
    }
}

/// Parses a number from 1 to `max`.
pub(in crate::commands) fn number(
    what: &'static str,
    word: &str,
    max: u64,
) -> Result<u64, BenchError> {
    let number = word.parse().ok().filter(|number| (1..=max).contains(number));
    number.ok_or_else(|| argument(what, format!("a number from 1 to {max}"), word))
}

pub(in crate::commands) fn argument(what: &'static str, takes: String, found: &str) -> BenchError {
    BenchError::Argument { what, takes, found: found.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { hash: 64, threads: 8 };

    fn read(words: &str) -> Result<BenchConfig, String> {
        BenchConfig::read(words.split_whitespace(), &Position::default(), BOUNDS)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_arguments_stand_in_their_order() {
        let config = read("64 2 5000 current nodes").unwrap();
        assert_eq!((config.hash, config.threads, config.limit), (64, 2, 5000));
        assert_eq!(config.positions.len(), 1);
        assert_eq!(config.limit_type, LimitType::Nodes);
        let config = read("").unwrap();
        assert_eq!((config.hash, config.threads, config.limit), (16, 1, 12));
        assert_eq!(config.positions.len(), positions().len());
        assert_eq!(config.limit_type, LimitType::Depth);
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let error = |words| read(words).unwrap_err();
        assert_eq!(error("65"), "hash must be a number from 1 to 64, not 65");
        assert_eq!(error("16 0"), "threads must be a number from 1 to 8, not 0");
        assert_eq!(
            error("1 1 1 default plies"),
            "the limit's type must be one of depth, nodes, movetime, perft, eval, not plies"
        );
        assert_eq!(
            error("1 1 1 default depth 1"),
            "the last argument must be the limit's type, not 1"
        );
    }

    #[test]
    fn positions_come_from_a_file_of_fens_or_epd() {
        let path = std::env::temp_dir().join(format!("heddle-bench-{}.epd", std::process::id()));
        let kings = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        std::fs::write(&path, format!("# two kings\n{kings} 0 1\n{kings} bm e4;\n\n")).unwrap();
        let words = format!("1 1 1 {}", path.display());
        let found = read(&words).unwrap().positions;
        std::fs::remove_file(&path).unwrap();
        assert_eq!(found.len(), 2);
        let missing = read(&words).unwrap_err();
        assert!(missing.starts_with("cannot read "), "{missing}");
    }
}
