//! The literature: short, generic, running versions of every algorithm in the texts that this
//! project started from.
//!
//! The texts are
//! - P. Verhelst, "Chess Tree Search", 1997: minimax to selective extensions;
//! - D. Eppstein, "Strategy and board game programming", lecture notes: variants of alpha-beta;
//! - lecture notes "Transposition Table / Scout (principal variation search) / MTD-f";
//! - F. Letouzey, "calculating the PV using MTD", Computer Chess Club, 2002: the semi-PV;
//! - a TalkChess thread of October 2024: when a stored value may be used.
//!
//! A [`Game`] is chess ([`chess::ChessGame`]) or a random tree ([`tree::Tree`]), where every claim
//! can be checked. [`minimax`] defines the right answer. A [`search::Search`] visits a node,
//! applies the enabled techniques (transposition table, null move, extensions and others) and lets
//! one of the algorithms expand it: [`alphabeta`], [`pvs`], [`negascout`] or [`scout`]. Algorithms
//! and techniques see the search only through [`searcher::Searcher`]. A driver ([`drivers`],
//! [`mtdf`]) finds the value with one or more searches of the root.
//!
//! This module and the engine's own search share no code: each checks the other.

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
#[cfg(test)]
mod tests;
pub mod tree;
mod window;

pub use game::Game;
pub use window::{Bound, Found, Window};
