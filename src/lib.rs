//! Heddle, a chess engine that speaks UCI.
//!
//! Several workers search one position at the same time ("Lazy SMP"). Each runs an ordinary
//! single-threaded search. They share the transposition table and the histories, through which
//! one profits from what another has found, a stop flag and node counters. A stagger policy makes
//! helpers skip some depths, so that they do not all do the same work. When the main worker is
//! done, the workers vote on the move.
//!
//! # Where to begin
//!
//! - How threads share memory without locks: [`tt`], whose slots verify themselves, and [`smp`],
//!   with the pool, stop flag, counters, mailbox and vote. Both take their primitives from [`sync`]
//!   alone, which loom replaces, so the models in `loom-tests` explore the source that ships.
//! - How a position is searched: [`search`], a skeleton with a function for each technique. The
//!   algorithms it grew from are in [`reference`](mod@reference), short and comparable.
//! - How a position is evaluated: [`eval`] and, with few pieces left, the endgame tables of
//!   [`syzygy`].
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
pub mod exchange;
pub mod memory;
mod names;
pub mod numa;
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
