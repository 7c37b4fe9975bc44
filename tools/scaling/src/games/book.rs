//! The openings of a file, in the order in which they are played.

use std::collections::HashSet;
use std::path::Path;

use fastrand::Rng;
use heddle::names::Named;
use heddle::position::Position;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle_selfplay::{Openings, first_known};

use super::args::Args;
use super::run::MatchError;

/// The order of the openings in a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Shuffled by the seed.
    Random,
    /// As in the file.
    Sequential,
}

impl Named for Order {
    const VALUES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Random, "random", "Shuffled by the seed, each once before any comes again"),
        (Self::Sequential, "sequential", "As in the file"),
    ];
}

/// Reads the openings that `args` name, from the first one that is played.
pub fn read(
    path: &Path,
    args: &Args,
    tablebases: &Tablebases,
) -> Result<Arc<[Position]>, MatchError> {
    let mut positions = Openings::read(path, args.plies)?.to_vec();
    if let Some(known) = first_known(&positions, tablebases) {
        return Err(MatchError::Known { path: path.to_owned(), fen: known.fen() });
    }
    if args.order == Order::Random {
        Rng::with_seed(args.seed).shuffle(&mut positions);
    }
    let count = positions.len();
    positions.rotate_left((args.start - 1) % count);
    Ok(positions.into())
}

/// What a reader has to know of a book from which `pairs` are played, if something: games that repeat others are no new
/// evidence.
pub fn caveat(positions: &[Position], pairs: usize) -> Option<String> {
    let played = &positions[..pairs.min(positions.len())];
    let different = played.iter().map(Position::fen).collect::<HashSet<_>>().len();
    (different < pairs).then(|| {
        format!(
            "Only {different} different openings in {pairs} pairs: games that repeat others are no new evidence, and \
             the interval is too narrow."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_openings_are_told() {
        let start = Position::default();
        let other = start.play(start.legal_moves()[0]);
        let book = [start.clone(), other.clone(), start.clone()];
        assert_eq!(caveat(&book, 2), None);
        let said = |pairs| caveat(&book, pairs).unwrap_or_default();
        assert!(said(3).starts_with("Only 2 different openings in 3 pairs"), "{}", said(3));
        assert!(said(9).starts_with("Only 2 different openings in 9 pairs"), "{}", said(9));
        assert!(caveat(&book[..1], 2).is_some());
    }
}
