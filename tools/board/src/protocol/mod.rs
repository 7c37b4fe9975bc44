//! The messages between the page and the server, as JSON: see `docs/board.md`.

mod reply;
mod request;

pub use reply::*;
pub use request::*;

/// The version of the protocol. It grows when a page of the version before would not understand.
pub const VERSION: u32 = 1;

/// The most moves of a game in a message.
pub const MAX_PLIES: usize = 2000;
