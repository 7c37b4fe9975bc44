//! Another engine's network, as a teacher: its static evaluations are the scores.

use std::path::{Path, PathBuf};

use heddle::eval;
use heddle::eval::nnue::network::Network as Own;
use heddle::position::{Color, Move, Position, Role, is_tactical};
use heddle::score::Score;
use heddle::search::see;
use heddle::search::static_eval::scaled;
use nnue_rs::{Board, Network, PieceKind};

use crate::filter::MAX_SCORE;
use crate::spread::Spread;

/// Positions that both evaluations are compared on, to bring the teacher's to our scale.
pub const SAMPLE: usize = 4096;
/// Our evaluations from 1 to this many centipawns are compared: the scale of won positions says
/// little.
const SCALED: f64 = 600.0;

/// Why a network cannot teach.
#[derive(Debug, thiserror::Error)]
pub enum TeacherError {
    /// It cannot be read, or is of an unknown kind.
    #[error("{}: no network of a known kind ({source})", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The fault.
        source: nnue_rs::Error,
    },
    /// Its evaluations of the positions at hand are all equal.
    #[error("{}: no scale can be found; give one with --unit", path.display())]
    Scaleless {
        /// The file.
        path: PathBuf,
    },
}

impl TeacherError {
    /// No scale can be found for the evaluations of `path`.
    pub fn scaleless(path: &Path) -> Self {
        Self::Scaleless { path: path.to_owned() }
    }
}

/// A network of another engine.
pub struct Teacher {
    network: Network,
    /// Our centipawns in one of its units.
    unit: f64,
}

/// A position as the library asks for it.
struct View<'a>(&'a Position);

impl Board for View<'_> {
    fn side_to_move(&self) -> nnue_rs::Color {
        color(self.0.turn())
    }

    fn king_square(&self, of: nnue_rs::Color) -> u8 {
        self.0.king(Color::from_white(of == nnue_rs::Color::White)).into()
    }

    fn for_each_piece(&self, see: &mut dyn FnMut(u8, nnue_rs::Piece)) {
        for (square, piece) in self.0.board() {
            see(square.into(), nnue_rs::Piece::new(color(piece.color), kind(piece.role)));
        }
    }
}

fn color(color: Color) -> nnue_rs::Color {
    color.fold_wb(nnue_rs::Color::White, nnue_rs::Color::Black)
}

fn kind(role: Role) -> PieceKind {
    match role {
        Role::Pawn => PieceKind::Pawn,
        Role::Knight => PieceKind::Knight,
        Role::Bishop => PieceKind::Bishop,
        Role::Rook => PieceKind::Rook,
        Role::Queen => PieceKind::Queen,
        Role::King => PieceKind::King,
    }
}

impl Teacher {
    /// Reads a network, whose units are ours until [`Teacher::with_unit`] says otherwise.
    ///
    /// # Errors
    /// [`TeacherError::Unreadable`].
    pub fn load(path: &Path) -> Result<Self, TeacherError> {
        let read = |source| TeacherError::Unreadable { path: path.to_owned(), source };
        let bytes = std::fs::read(path).map_err(|error| read(error.into()))?;
        Ok(Self { network: Network::from_bytes(&bytes).map_err(read)?, unit: 1.0 })
    }

    /// The same with this many of our centipawns in one of its units.
    #[must_use]
    pub fn with_unit(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// Our centipawns in one of its units.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The score of a position for the side to move, within ±[`MAX_SCORE`].
    pub fn score(&self, position: &Position) -> Score {
        let limit = f64::from(MAX_SCORE);
        let score = self.evaluation(position) * self.unit;
        Score::new(score.round().clamp(-limit, limit) as i32)
    }

    /// The evaluation in the network's units.
    pub fn evaluation(&self, position: &Position) -> f64 {
        self.network.evaluate(&View(position)).into()
    }
}

/// Our centipawns in one unit of what `evaluate` returns, by the spread of its evaluations and of
/// those of `own`, or of the classical evaluation; `None` if there is no spread.
pub fn scale<'a>(
    own: Option<&Own>,
    positions: impl Iterator<Item = &'a Position>,
    mut evaluate: impl FnMut(&Position) -> Option<f64>,
) -> Option<f64> {
    let mut spread = Spread::default();
    for position in positions {
        let score = f64::from(scaled(eval::raw(own, position), position).get());
        if (1.0..=SCALED).contains(&score.abs())
            && let Some(theirs) = evaluate(position)
        {
            spread.note(score, theirs);
        }
    }
    spread.ratio()
}

/// A quiet move of a quiet position: one out of check, in which no capture or promotion wins
/// material. It stands for the best move where none has been searched.
pub fn quiet_move(position: &Position) -> Option<Move> {
    let moves = position.legal_moves();
    let wins = |m: &Move| is_tactical(*m) && see::wins(position, *m, 1);
    if position.is_check() || moves.iter().any(wins) {
        return None;
    }
    moves.into_iter().find(|m| !m.is_capture() && !m.is_promotion())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_quiet_if_no_capture_or_promotion_wins() {
        let quiet = |fen: &str| quiet_move(&Position::from_fen(fen).unwrap());
        assert!(quiet("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").is_some());
        assert_eq!(quiet("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"), None, "a pawn is loose");
        assert!(quiet("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1").is_some(), "a trade");
        assert_eq!(quiet("8/4P3/8/k7/8/8/8/4K3 w - - 0 1"), None, "a promotion");
        assert_eq!(quiet("4k3/8/8/8/8/8/8/r3K3 w - - 0 1"), None, "check");
        let m = quiet("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1").unwrap();
        assert!(!m.is_capture() && !m.is_promotion());
        assert_eq!(quiet("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"), None, "no move");
    }
}
