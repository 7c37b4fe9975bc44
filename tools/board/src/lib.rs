//! A chess board in the browser: play, analyse, and watch the threads think.
//!
//! The [`server`] listens on 127.0.0.1 alone. [`guard`] lets in whoever knows the token of the
//! address and comes from no other page; [`assets`] are the pages, which the program holds. Each
//! page has one WebSocket, its [`session`], which speaks the JSON of [`protocol`]. Questions about
//! the [`rules`] and about [`games`] as text are answered at once. What needs the engine goes to
//! the [`desk`], the thread that owns it: [`search`] runs there, [`watch`] shows its workers,
//! [`turns`] holds them in lockstep, and [`judge`] judges games.
//!
//! # Why axum and tokio
//!
//! The server must bound everything: connections, the time for a request's head, the size of a
//! message. hyper, under axum, has a limit for each. `tiny_http` would be smaller, but its last
//! release is of 2022, it has no time limit for a request, and it starts a thread for each
//! connection. One WebSocket for a page rather than server-sent events and posts: its end is the
//! end of the page, so the search of a closed tab ends at once, and a browser's limit of six
//! connections to a host does not count tabs. The runtime has one thread and sleeps when idle.
//!
//! The pages are plain modules of JavaScript over chessground, which draws the board. They need no
//! framework: three views of a small state.

mod args;
mod assets;
mod desk;
mod games;
mod guard;
mod judge;
pub mod protocol;
mod rules;
mod search;
mod server;
mod session;
mod site;
mod turns;
mod watch;

pub use args::Args;
pub use server::{BoardError, Server, run};
