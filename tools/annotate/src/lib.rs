//! Explains games: reads PGN, judges every move by the winning chances that it lost, and writes
//! annotated PGN and a page with a board.
//!
//! A game passes through the modules in this order: the engine's
//! [`pgn::games`](heddle::text::pgn::games) cuts the input into games, [`mod@read`] makes a
//! [`game`] of each, [`mod@evaluate`] searches its positions, [`judge`] weighs the moves,
//! [`opening`] names the opening, [`report`] puts it all together, [`notes`] writes it into the
//! game, and [`mod@write`] and [`page`] say it in PGN and in HTML. Other processes may do the
//! searches, see [`hand`].

mod args;
mod evaluate;
mod game;
mod hand;
mod judge;
mod notes;
mod opening;
mod page;
mod read;
mod report;
mod resume;
mod run;
mod sinks;
mod write;

pub use args::Args;
pub use evaluate::{Evaluation, News, Searches, evaluate};
pub use game::{Game, Node, Variation};
pub use judge::{Glyph, Loss};
pub use notes::{annotate, verdict};
pub use opening::{Opening, Openings};
pub use read::{ReadError, Reason, read};
pub use report::{Report, Summary};
pub use run::{AnnotateError, run};
pub use write::pgn;
