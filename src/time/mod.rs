//! Time: the [`limits`] of a search, the [`clock`] that turns them into deadlines, and the
//! [`timekeeper`] that tracks a search against its clock.

pub mod clock;
pub mod limits;
pub mod timekeeper;
