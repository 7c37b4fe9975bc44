//! The command line.

use std::path::PathBuf;

use heddle::cli::hands::search_threads;
use heddle::cli::{ANALYSIS_HASH, hash, milliseconds, threads};
use heddle::eval::nnue::eval_file::EvalFile;

/// Default time for a position, in milliseconds. Lichess spends as much: about a million and a half
/// nodes.
const DEFAULT_MOVETIME: u64 = 1000;

/// Explain games: judge every move by the winning chances that it lost.
///
/// Write them as PGN with evaluations, the usual glyphs and better lines, and as a page with a
/// board. Comments, glyphs, variations and clock times of the games are kept. Ctrl-C keeps what is
/// done.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: heddle annotate game.pgn --pgn annotated.pgn --html game.html")]
pub struct Args {
    /// Files of games in PGN, compressed by gzip or zstd or not [default: standard input, also
    /// written -]
    #[arg(value_name = "GAME.pgn")]
    pub files: Vec<PathBuf>,
    /// Write the annotated PGN here [default: standard output, unless --html is given]
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Go on where an interrupted run with the same games has ended: those that its PGN has are
    /// not searched again
    #[arg(long, requires = "pgn", conflicts_with = "html")]
    pub resume: bool,
    /// Write one self-contained page here
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Time per position: milliseconds, or such as 0.5s; a game of 40 moves has 80 positions
    #[arg(
        long,
        value_name = "TIME",
        default_value_t = DEFAULT_MOVETIME,
        value_parser = milliseconds
    )]
    pub movetime: u64,
    /// Nodes per position, over all threads, instead of a time; repeatable with one thread
    #[arg(long, conflicts_with = "movetime", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Search threads
    #[arg(long, default_value_t = search_threads(), value_parser = threads)]
    pub threads: usize,
    /// Size of the transposition table, in MiB
    #[arg(long, default_value_t = ANALYSIS_HASH, value_parser = hash)]
    pub hash: usize,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    pub eval: EvalFile,
}
