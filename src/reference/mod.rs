//! The literature: every algorithm of the texts that the project was founded on, short, generic and
//! running.
//!
//! The texts are
//! - P. Verhelst, "Chess Tree Search", 1997: minimax to selective extensions;
//! - D. Eppstein, "Strategy and board game programming", lecture notes: variants of alpha-beta;
//! - lecture notes "Transposition Table / Scout (principal variation search) / MTD-f";
//! - F. Letouzey, "calculating the PV using MTD", Computer Chess Club, 2002: the semi-PV;
//! - a TalkChess thread of October 2024: what a table may answer.
//!
//! A [`Game`] is chess ([`chess::ChessGame`]) or a random tree ([`tree::Tree`]), on which everything
//! can be proved. [`minimax`] is the truth. A [`search::Search`] visits a node, applies the switches
//! that are on (table, ordering, null move, quiescence, extensions) and lets one of the algorithms
//! expand it: [`alphabeta`], [`pvs`], [`negascout`] or [`scout`]. A driver ([`drivers`], [`mtdf`])
//! gets the value out of one or more such searches of the root.
//!
//! Nothing here is used by the engine's own search, nor the other way round: each checks the other.

pub mod alphabeta;
pub mod chess;
mod counts;
pub mod drivers;
mod etc;
pub mod extension;
mod game;
pub mod memory;
pub mod minimax;
pub mod mtdf;
pub mod negascout;
pub mod node;
mod null_move;
pub mod ordering;
pub mod pvs;
mod quiescence;
pub mod scout;
pub mod search;
pub mod searcher;
pub mod semi_pv;
mod table;
pub mod tree;
mod window;

pub use game::Game;
pub use window::{Bound, Found, Window};
