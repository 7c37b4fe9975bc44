//! Heddle is a UCI chess engine whose threads share memory without locks, model-checked by loom.
//!
//! This crate is the engine as a library; the program `heddle` is a thin layer over it. To search a
//! position:
//!
//! ```
//! use heddle::{engine::{Engine, Settings}, position::{Game, Position}, time::limits::Limits};
//!
//! let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1")?;
//! let mut engine = Engine::new(2, 16)?; // threads, and MiB of transposition table
//! let limits = Limits { depth: Some(5), ..Limits::default() };
//! engine.start(&Game::new(position.clone()), &limits, &Settings::default(), |_event| {});
//! let result = engine.result();
//! let best = result.best().expect("White has moves");
//! assert_eq!(position.san(best.moves[0]), "Ra8#");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! Several workers search one position at the same time ("Lazy SMP"). Each runs an ordinary
//! single-threaded search. They share the transposition table and the histories, through which one
//! profits from the results of another. Helpers skip some depths, so that they do not all do the
//! same work. When the main worker is done, the workers vote on the move. In lockstep the workers
//! take turns, so that a search on any number of threads is repeatable node for node.
//!
//! # Modules
//!
//! Each module uses only those above it in this table and those in its own row.
//!
//! | modules | what they hold |
//! |---|---|
//! | [`sync`], [`score`], [`memory`], [`machine`], [`names`], [`numa`], [`paths`], [`streams`] | locks and atomics, replaced by loom in models; scores; fallible allocation; what the machine has; settings chosen by name; names of files in text; the standard streams |
//! | [`position`], [`wdl`] | the rules of chess; a score as chances of win, draw and loss |
//! | [`smp`] | the crew of threads, its board, stop flag, mailbox, lockstep, vote |
//! | [`tt`] | the lock-free transposition table |
//! | [`time`], [`eval`], [`syzygy`] | limits and clock; neural network and classical evaluation; tablebases |
//! | [`search`] | one worker's search, a function for each technique |
//! | [`engine`] | table, workers and one search at a time |
//! | [`text`], [`cli`] | boards, lines, games and positions as people read and write them; command lines |
//! | [`uci`], [`commands`] | the protocol; the commands for people |
//!
//! # Only the table and its models
//!
//! Begin with [`tt`], whose slots verify themselves, and [`smp`]. Both take their primitives from
//! [`sync`] alone, so the models in `loom-tests/` run the source that ships. `docs/lockless.md` is
//! a ten-minute tour for readers who know no chess; `loom-tests/README.md` lists every model with
//! its bound and its mutants.

// The programs print: the library writes to what it is given.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod cli;
pub mod commands;
pub mod engine;
pub mod eval;
pub mod machine;
pub mod memory;
pub mod names;
pub mod numa;
pub mod paths;
pub mod position;
pub mod score;
pub mod search;
pub mod smp;
pub mod streams;
pub mod sync;
pub mod syzygy;
pub mod text;
pub mod time;
pub mod tt;
pub mod uci;
pub mod wdl;
