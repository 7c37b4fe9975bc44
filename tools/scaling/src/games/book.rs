//! The openings of a file, in the order in which they are played.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use heddle::names::Named;
use heddle::position::Position;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle_selfplay::{Openings, OpeningsError, first_known};

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

/// Which openings of a file are played.
#[derive(Copy, Clone, Debug)]
pub struct Selection {
    /// Their order.
    pub order: Order,
    /// Determines a random order.
    pub seed: u64,
    /// The first one in that order, from 1.
    pub start: usize,
    /// Plies of each game in PGN that belong to the opening; all if `None`.
    pub plies: Option<usize>,
}

/// Why a book cannot be played from.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] OpeningsError),
    /// A game would be over before its first move.
    #[error("{}: the tablebases know the result of {fen}", path.display())]
    Known {
        /// The file of openings.
        path: PathBuf,
        /// The opening.
        fen: String,
    },
}

/// Reads the openings of a file, in the order in which they are played.
///
/// # Errors
/// [`BookError`], when the file cannot be used or a game would be over before its first move.
pub fn read(
    path: &Path,
    selection: &Selection,
    tablebases: &Tablebases,
) -> Result<Arc<[Position]>, BookError> {
    let mut positions = Openings::read(path, selection.plies)?.to_vec();
    if let Some(known) = first_known(&positions, tablebases) {
        return Err(BookError::Known { path: path.to_owned(), fen: known.fen() });
    }
    if selection.order == Order::Random {
        Rng::with_seed(selection.seed).shuffle(&mut positions);
    }
    let count = positions.len();
    positions.rotate_left((selection.start - 1) % count);
    Ok(positions.into())
}

/// What a reader has to know of a book from which `pairs` are played, if something: games that
/// repeat others are no new evidence.
pub fn caveat(positions: &[Position], pairs: usize) -> Option<String> {
    let played = &positions[..pairs.min(positions.len())];
    let different = played.iter().map(Position::fen).collect::<HashSet<_>>().len();
    (different < pairs).then(|| {
        let openings = if different == 1 { "opening" } else { "openings" };
        format!(
            "Only {different} different {openings} in {pairs} pairs: games that repeat others are \
             no new evidence, and the interval is too narrow."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_the_tablebases_know_is_not_played() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let tablebases = Tablebases::open(folder).unwrap();
        let path = std::env::temp_dir().join(format!("heddle-book-{}.epd", std::process::id()));
        std::fs::write(&path, "8/8/8/8/8/5k2/8/R4K2 w - - 0 1\n").unwrap();
        let selection = Selection { order: Order::Random, seed: 1, start: 5, plies: None };
        let error = read(&path, &selection, &tablebases).unwrap_err().to_string();
        assert!(error.contains("the tablebases know the result of 8/8/"), "{error}");
        assert_eq!(read(&path, &selection, &Tablebases::default()).unwrap().len(), 1);
        std::fs::remove_file(&path).unwrap();
    }

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
