//! The rules: positions, moves, keys. The one place that hides the rules library.
//!
//! [`Position`] wraps a `shakmaty` position with what a search asks of every node and the library
//! does not keep: the incremental keys of the whole position, of the pawns and of either side's
//! pieces, and the checkers. Moves are made by copying, so that nothing is ever unmade.
//! [`Game`] adds the history that repetitions are counted in.

mod cuckoo;
mod game;
mod mirror;
mod packed;
mod zobrist;

#[cfg(test)]
mod tests;

use std::fmt;

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, EnPassantMode, FromSetup, Position as _, PositionError};

pub use game::{Game, is_repetition, is_upcoming_repetition};
pub use packed::PackedMove;
pub(crate) use shakmaty::Chess;
pub use shakmaty::{
    Bitboard, Board, Color, File, Move, MoveList, Piece, Rank, Role, Setup, Square, attacks,
};
pub use zobrist::Key;

/// Half moves without capture or pawn move after which the game is drawn.
pub const FIFTY_MOVES: u32 = 100;

/// Legal moves that a [`MoveList`] has room for; no [`Position`] has more.
pub const MAX_MOVES: usize = 256;

/// Pieces that a side may have, pawns and king included: what keeps positions of unusual material
/// within [`MAX_MOVES`].
const MAX_PIECES: usize = 16;

/// The FEN of the initial position.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text does not follow the notation.
    #[error("not a FEN: {0}")]
    Syntax(String),
    /// The text describes a position that chess does not allow.
    #[error("illegal position: {0}")]
    Illegal(String),
}

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text does not follow UCI's notation.
    #[error("not a move: {0}")]
    Syntax(String),
    /// The move is not legal here.
    #[error("illegal move: {0}")]
    Illegal(String),
}

/// A legal chess position, standard or Chess960, with its keys and checkers.
#[derive(Clone)]
pub struct Position {
    chess: Chess,
    checkers: Bitboard,
    key: Key,
    pawn_key: Key,
    non_pawn_keys: [Key; 2],
}

impl Default for Position {
    fn default() -> Self {
        Self::new(Chess::default())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl Position {
    fn new(chess: Chess) -> Self {
        let mut position =
            Self { checkers: chess.checkers(), chess, key: 0, pawn_key: 0, non_pawn_keys: [0; 2] };
        let board = position.chess.board().clone();
        for (square, piece) in &board {
            position.toggle(piece.color, piece.role, square);
        }
        position.key ^= position.state_key();
        position
    }

    /// Reads a FEN, X-FEN or Shredder-FEN; clocks may be missing. Castling rights and an en passant
    /// square that the board contradicts are dropped, unusual material is allowed.
    ///
    /// # Errors
    /// [`FenError`], when the text is no FEN or a king is missing, doubled or can be captured, or
    /// a pawn stands on a back rank, or a side has more than 16 pieces.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let fen: Fen = text.trim().parse().map_err(|e| FenError::Syntax(format!("{e}")))?;
        Self::from_setup(fen.into_setup())
    }

    /// The position that `setup` describes, taken as leniently as a FEN.
    ///
    /// # Errors
    /// [`FenError::Illegal`], for what makes a FEN illegal.
    pub fn from_setup(setup: Setup) -> Result<Self, FenError> {
        if Color::ALL.iter().any(|&color| setup.board.by_color(color).count() > MAX_PIECES) {
            return Err(FenError::Illegal(format!("more than {MAX_PIECES} pieces of one color")));
        }
        let mode = CastlingMode::detect(&setup);
        lenient(setup, mode).map(Self::new).map_err(|e| {
            let text = e.to_string();
            FenError::Illegal(text.trim_start_matches("illegal position: ").to_owned())
        })
    }

    /// What a file has to keep of the position: pieces, rights and clocks, the en passant square
    /// only where a capture is legal.
    #[must_use]
    pub fn to_setup(&self) -> Setup {
        self.chess.to_setup(EnPassantMode::Legal)
    }

    /// The FEN, with castling rights in X-FEN where Chess960 needs it.
    #[must_use]
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// The side to move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// The pieces.
    #[must_use]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// All occupied squares.
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.board().occupied()
    }

    /// The pieces of one side.
    #[must_use]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.board().by_color(color)
    }

    /// The pieces of one kind of one side.
    #[must_use]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.board().by_piece(role.of(color))
    }

    /// The square of a side's king.
    #[must_use]
    pub fn king(&self, color: Color) -> Square {
        self.board().king_of(color).expect("a legal position has both kings")
    }

    /// The pieces that give check to the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// The side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// The key of the whole position: pieces, side to move, castling rights, legal en passant.
    #[must_use]
    pub fn key(&self) -> Key {
        self.key
    }

    /// The key of both sides' pawns.
    #[must_use]
    pub fn pawn_key(&self) -> Key {
        self.pawn_key
    }

    /// The key of a side's king and pieces.
    #[must_use]
    pub fn non_pawn_key(&self, color: Color) -> Key {
        self.non_pawn_keys[color as usize]
    }

    /// Half moves since the last capture or pawn move.
    #[must_use]
    pub fn halfmove_clock(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// The move number, from 1.
    #[must_use]
    pub fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Half moves since the beginning of the game, by the move number.
    #[must_use]
    pub fn game_ply(&self) -> u32 {
        (self.fullmoves() - 1).saturating_mul(2) + u32::from(self.turn().is_black())
    }

    /// A side may still castle.
    #[must_use]
    pub fn has_castling_rights(&self) -> bool {
        self.chess.castles().any()
    }

    /// The castling rights are those of a Chess960 position.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        self.chess.castles().mode() == CastlingMode::Chess960
    }

    /// The side to move is mated.
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Neither side can ever mate.
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// A side has more than its king and pawns.
    #[must_use]
    pub fn has_pieces(&self, color: Color) -> bool {
        let simple = self.board().pawns() | self.board().kings();
        (self.by_color(color) & !simple).any()
    }

    /// Every legal move.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    /// The legal captures and queen promotions.
    #[must_use]
    pub fn tactical_moves(&self) -> MoveList {
        let mut moves = self.legal_moves();
        moves.retain(|m| is_tactical(*m));
        moves
    }

    /// `m` if it is legal here.
    #[must_use]
    pub fn if_legal(&self, m: Move) -> Option<Move> {
        self.chess.is_legal(m).then_some(m)
    }

    /// The legal reversible move that leads to the position whose key is `key`, if there is one: a
    /// quiet move of a piece, castling left aside.
    #[must_use]
    pub fn reversible_move_to(&self, key: Key) -> Option<Move> {
        let [one, other] = cuckoo::squares(self.key ^ key)?;
        let us = self.by_color(self.turn());
        let (from, to) = if us.contains(one) { (one, other) } else { (other, one) };
        if !us.contains(from) || self.occupied().contains(to) {
            return None;
        }
        let role = self.board().role_at(from)?;
        self.if_legal(Move::Normal { role, from, capture: None, to, promotion: None })
    }

    /// The position after a legal move.
    #[must_use]
    pub fn play(&self, m: Move) -> Self {
        let mut next = self.clone();
        next.key ^= self.state_key();
        next.chess.play_unchecked(m);
        piece_changes(self.turn(), m, |_, color, role, square| next.toggle(color, role, square));
        next.key ^= next.state_key();
        next.checkers = next.chess.checkers();
        next
    }

    /// The position after passing, or `None` if that is impossible (a check has to be met).
    #[must_use]
    pub fn null_move(&self) -> Option<Self> {
        if self.is_check() {
            return None;
        }
        let mut setup = self.to_setup();
        setup.swap_turn();
        setup.halfmoves = 0;
        let chess = lenient(setup, self.chess.castles().mode()).ok()?;
        let mut next = Self { checkers: chess.checkers(), chess, ..*self };
        next.key ^= self.state_key() ^ next.state_key();
        Some(next)
    }

    /// Reads a move in UCI notation; castling may be written either way.
    ///
    /// # Errors
    /// [`MoveError`], when the text is no move or the move is not legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let uci: UciMove = text.parse().map_err(|_| MoveError::Syntax(text.to_owned()))?;
        uci.to_move(&self.chess).map_err(|_| MoveError::Illegal(text.to_owned()))
    }

    /// A move in standard algebraic notation, with its check or mate sign.
    #[must_use]
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.chess.clone(), m).to_string()
    }

    /// The position as the rules library has it, for the endgame tables, which are of its family.
    pub(crate) fn library(&self) -> &Chess {
        &self.chess
    }

    /// The part of the key that is not pieces: castling rights, en passant, side to move.
    fn state_key(&self) -> Key {
        let side = if self.turn().is_black() { zobrist::black_to_move() } else { 0 };
        let en_passant =
            self.chess.legal_ep_square().map_or(0, |ep| zobrist::en_passant(ep.file()));
        side ^ en_passant ^ zobrist::castling(self.chess.castles().castling_rights())
    }

    /// Adds or removes a piece in every key that it belongs to.
    fn toggle(&mut self, color: Color, role: Role, square: Square) {
        let key = zobrist::piece(color, role, square);
        self.key ^= key;
        if role == Role::Pawn {
            self.pawn_key ^= key;
        } else {
            self.non_pawn_keys[color as usize] ^= key;
        }
    }
}

/// What happens to a piece.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is taken off its square.
    Removed,
    /// It is put on its square.
    Added,
}

/// Calls `on` with every piece that a move of `us` takes off a square or puts on one: at most two
/// each. In Chess960 a castling piece may be put back where it stood.
#[inline]
pub fn piece_changes(us: Color, m: Move, mut on: impl FnMut(Change, Color, Role, Square)) {
    use Change::{Added, Removed};
    match m {
        Move::Normal { role, from, capture, to, promotion } => {
            on(Removed, us, role, from);
            on(Added, us, promotion.unwrap_or(role), to);
            if let Some(captured) = capture {
                on(Removed, !us, captured, to);
            }
        }
        Move::EnPassant { from, to } => {
            on(Removed, us, Role::Pawn, from);
            on(Added, us, Role::Pawn, to);
            on(Removed, !us, Role::Pawn, Square::from_coords(to.file(), from.rank()));
        }
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            on(Removed, us, Role::King, king);
            on(Removed, us, Role::Rook, rook);
            on(Added, us, Role::King, side.king_to(us));
            on(Added, us, Role::Rook, side.rook_to(us));
        }
        Move::Put { .. } => {}
    }
}

/// A capture or a queen promotion.
#[must_use]
pub fn is_tactical(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

/// A move in UCI notation; with `chess960`, castling is the king taking its rook.
#[must_use]
pub fn uci(m: Move, chess960: bool) -> String {
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    UciMove::from_move(m, mode).to_string()
}

/// Takes everything that the move generator can live with.
#[expect(clippy::result_large_err, reason = "the library's error holds the position")]
fn lenient(setup: Setup, mode: CastlingMode) -> Result<Chess, PositionError<Chess>> {
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
}
