//! Heddle, a chess engine that speaks UCI.
//!
//! Several workers search one position at the same time ("Lazy SMP"). Each is an ordinary
//! single-threaded search with histories of its own; what they share is the transposition table,
//! so that one profits from what another has found, a flag that stops them, and their node
//! counters. Helpers leave out some depths, by a policy, so that they do not all do the same work.
//! When the main worker is done they vote on the move.
//!
//! # Where to begin
//!
//! - How threads share memory without locks: [`tt`], whose slots verify themselves, and [`smp`],
//!   the pool, the stop flag, the counters, the mailbox and the vote. Both name no primitive of
//!   their own: all come from [`sync`], which loom replaces, so that the models in `loom-tests`
//!   explore the source that ships.
//! - How a position is searched: [`search`], a skeleton with every technique a function beside it.
//!   The algorithms that it grew from stand in [`reference`](mod@reference), short and comparable.
//! - How a position is judged: [`eval`], and with few pieces left by the endgame tables of [`syzygy`].
//! - How it comes together: [`engine`] runs a search, the clock ([`time`]) ends it, and
//!   [`uci`] and [`commands`] talk to the world.
//!
//! # Example
//!
//! ```
//! use heddle::engine::{Engine, Settings};
//! use heddle::time::limits::Limits;
//! use heddle::position::{Game, Position};
//!
//! let mut engine = Engine::new(2, 1)?;
//! let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1")?;
//! let limits = Limits { depth: Some(5), ..Limits::default() };
//! engine.start(&Game::new(position.clone()), &limits, &Settings::default(), |_| {});
//! let result = engine.result();
//! let best = result.best().expect("White has moves");
//! assert_eq!(position.san(best.moves[0]), "Ra8#");
//! assert_eq!(best.score.mate_moves(), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod commands;
pub mod engine;
pub mod eval;
pub mod memory;
pub mod position;
pub mod reference;
pub mod score;
pub mod search;
pub mod smp;
pub mod sync;
pub mod syzygy;
pub mod time;
pub mod tt;
pub mod uci;
pub mod wdl;
