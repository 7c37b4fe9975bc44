//! The rules: positions, moves, keys. The one place that hides the rules library.
//!
//! [`Position`] holds `shakmaty`'s board and what a search asks at every node: incremental keys,
//! checkers and the blockers around the king. It
//!
//! - generates legal moves in stages (`generate`),
//! - tests a single move without generating any (`legal`),
//! - tells which moves give check (`checks`) and which squares are attacked (`threats`),
//! - makes a move by building the next position (`play`).
//!
//! The library provides bitboards, attack tables, FEN, SAN and UCI notation, and is the oracle that
//! the tests compare all of this with. [`Game`] adds the history for counting repetitions.

mod checks;
mod cuckoo;
mod game;
mod generate;
mod legal;
mod mirror;
mod moves;
mod notation;
mod packed;
mod play;
pub mod record;
mod threats;
mod zobrist;

#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod tests;

use std::fmt;
use std::num::NonZeroU32;

use arrayvec::ArrayVec;
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, FromSetup, Position as _, PositionError};

use checks::KingDanger;
use record::Record;

pub use checks::CheckSquares;
pub use game::{Game, is_repetition, is_upcoming_repetition};
pub use moves::Move;
pub use packed::PackedMove;
pub use play::{PieceChange, piece_changes};
pub(crate) use shakmaty::Chess;
pub use shakmaty::{
    Bitboard, Board, ByColor, Color, File, Piece, Rank, Role, Setup, Square, attacks,
};
pub use threats::{Threats, beside, pawn_threats};
pub(crate) use zobrist::split_mix;
pub use zobrist::{Key, mix};

/// Starts of Chess960.
pub const CHESS960_STARTS: u32 = 960;

/// Plies without capture or pawn move after which the game is drawn.
pub const FIFTY_MOVES: u32 = 100;

/// Legal moves that a [`MoveList`] has room for; no [`Position`] has more.
pub const MAX_MOVES: usize = 256;

/// The moves of a position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Pieces that a side may have, pawns and king included: keeps positions of unusual material within
/// [`MAX_MOVES`].
const MAX_PIECES: usize = 16;

/// Kinds of pieces.
const ROLES: usize = 6;

/// The index of the pawns' key, after those of the two colors.
const PAWNS: usize = 2;

/// The FEN of the initial position.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text does not follow the notation.
    #[error("{0}")]
    Syntax(String),
    /// The text describes a position that chess does not allow.
    #[error("illegal position: {0}")]
    Illegal(String),
}

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text does not follow the notation.
    #[error("not a move: {0}")]
    Syntax(String),
    /// The move is not legal here.
    #[error("illegal move: {0}")]
    Illegal(String),
}

/// A legal chess position, standard or Chess960.
#[derive(Clone)]
pub struct Position {
    board: Board,
    /// The rooks that have the right to castle.
    castling: Bitboard,
    /// Enemy pieces that give check to the side to move.
    checkers: Bitboard,
    /// The only pieces, of either side, between an enemy slider and the king of the side to move.
    blockers: Bitboard,
    key: Key,
    /// The keys of each color's king and pieces, and at [`PAWNS`] that of both sides' pawns.
    part_keys: [Key; 3],
    /// The key of both sides' kings, knights and bishops.
    minor_key: Key,
    /// Plies since the last capture or pawn move.
    halfmoves: u32,
    /// The number of the move, from 1.
    fullmoves: u32,
    turn: Color,
    /// The square that a pawn has just stepped over, if a capture there is legal.
    en_passant: Option<Square>,
    mode: CastlingMode,
}

impl Default for Position {
    fn default() -> Self {
        Self::new(&Chess::default())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl Position {
    fn new(chess: &Chess) -> Self {
        let (board, turn) = (chess.board(), chess.turn());
        let castling = chess.castles().castling_rights();
        let en_passant = chess.legal_ep_square();
        let mut part_keys = [0; 3];
        let mut minor_key = 0;
        for (square, piece) in board {
            let key = zobrist::piece(piece.color, piece.role, square);
            part_keys[play::part(piece.color, piece.role)] ^= key;
            minor_key ^= play::minor_part(piece.role, key);
        }
        let side = if turn.is_black() { zobrist::black_to_move() } else { 0 };
        let state = side ^ zobrist::castling(castling) ^ play::en_passant_key(en_passant);
        let KingDanger { checkers, blockers } = KingDanger::new(board, turn);
        Self {
            board: board.clone(),
            castling,
            checkers,
            blockers,
            key: part_keys.iter().fold(state, |key, part| key ^ part),
            part_keys,
            minor_key,
            halfmoves: chess.halfmoves(),
            fullmoves: chess.fullmoves().get(),
            turn,
            en_passant,
            mode: chess.castles().mode(),
        }
    }

    /// Reads a FEN, X-FEN or Shredder-FEN; clocks may be missing. Castling rights and an en passant
    /// square that the board contradicts are dropped. Unusual material is allowed.
    ///
    /// # Errors
    /// [`FenError`], if the text is not a FEN, a king is missing, doubled or can be captured, a
    /// pawn stands on a back rank, or a side has more than 16 pieces.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        // "invalid turn part in FEN"
        let syntax = |e: ParseFenError| FenError::Syntax(e.to_string().replace("fen", "FEN"));
        let fen: Fen = text.trim().parse().map_err(syntax)?;
        Self::from_setup(fen.into_setup())
    }

    /// Reads the position that begins a record: a FEN or an EPD, whatever operations follow.
    ///
    /// # Errors
    /// [`FenError`], as from [`Record::read`].
    pub fn from_record(text: &str) -> Result<Self, FenError> {
        Record::read(text).map(|record| record.position)
    }

    /// A start of Chess960 in which each side has its own arrangement, numbered below
    /// [`CHESS960_STARTS`].
    pub fn double_chess960(white: u32, black: u32) -> Self {
        let (white, mut board) = (Board::chess960(white), Board::chess960(black));
        for square in white.white() {
            board.discard_piece_at(square);
        }
        for (square, piece) in white.iter().filter(|(_, piece)| piece.color.is_white()) {
            board.set_piece_at(square, piece);
        }
        let castling_rights = board.rooks();
        Self::from_setup(Setup { board, castling_rights, ..Setup::initial() })
            .expect("a start of Chess960 is legal")
    }

    /// The position that `setup` describes, read as leniently as a FEN.
    pub fn from_setup(setup: Setup) -> Result<Self, FenError> {
        if Color::ALL.iter().any(|&color| setup.board.by_color(color).count() > MAX_PIECES) {
            return Err(FenError::Illegal(format!("more than {MAX_PIECES} pieces of one color")));
        }
        let mode = CastlingMode::detect(&setup);
        lenient(setup, mode).map(|chess| Self::new(&chess)).map_err(|e| {
            let text = e.to_string();
            FenError::Illegal(text.trim_start_matches("illegal position: ").to_owned())
        })
    }

    /// All that a file has to keep: pieces, castling rights and clocks, and the en passant square
    /// if a capture there is legal.
    pub fn to_setup(&self) -> Setup {
        Setup {
            board: self.board.clone(),
            turn: self.turn,
            castling_rights: self.castling,
            ep_square: self.en_passant,
            halfmoves: self.halfmoves,
            fullmoves: NonZeroU32::new(self.fullmoves).expect("moves are counted from 1"),
            ..Setup::empty()
        }
    }

    /// The FEN, with castling rights in X-FEN where Chess960 needs it.
    pub fn fen(&self) -> String {
        let fen = Fen::try_from(self.to_setup());
        fen.expect("a legal position has a FEN").to_string()
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The pieces.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// All occupied squares.
    pub fn occupied(&self) -> Bitboard {
        self.board().occupied()
    }

    /// The pieces of one side.
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.board().by_color(color)
    }

    /// The pieces of one kind of one side.
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.board().by_piece(role.of(color))
    }

    /// The square of a side's king.
    pub fn king(&self, color: Color) -> Square {
        king_of(&self.board, color)
    }

    /// The enemy pieces that give check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// The squares from which the side to move gives check. Computed by each call.
    pub fn check_squares(&self) -> CheckSquares {
        CheckSquares::new(self)
    }

    /// The squares that a side attacks. Computed by each call.
    pub fn threats(&self, by: Color) -> Threats {
        Threats::new(&self.board, by)
    }

    /// The side to move is in check.
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// The key of the whole position: pieces, side to move, castling rights, legal en passant.
    pub fn key(&self) -> Key {
        self.key
    }

    /// The key of both sides' pawns.
    pub fn pawn_key(&self) -> Key {
        self.part_keys[PAWNS]
    }

    /// The key of a side's king and pieces.
    pub fn non_pawn_key(&self, color: Color) -> Key {
        self.part_keys[color as usize]
    }

    /// The key of both sides' kings, knights and bishops.
    pub fn minor_key(&self) -> Key {
        self.minor_key
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmoves
    }

    /// The move number, from 1.
    pub fn fullmoves(&self) -> u32 {
        self.fullmoves
    }

    /// Plies since the beginning of the game, by the move number.
    pub fn game_ply(&self) -> u32 {
        (self.fullmoves() - 1).saturating_mul(2) + u32::from(self.turn().is_black())
    }

    /// A side may still castle.
    pub fn has_castling_rights(&self) -> bool {
        self.castling.any()
    }

    /// The castling rights are those of a Chess960 position.
    pub fn is_chess960(&self) -> bool {
        self.mode == CastlingMode::Chess960
    }

    /// The side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Neither side can ever mate: beside the kings there is at most one knight, or only bishops on
    /// squares of one color.
    pub fn is_insufficient_material(&self) -> bool {
        let board = &self.board;
        if (board.pawns() | board.rooks_and_queens()).any() {
            return false;
        }
        let (knights, bishops) = (board.knights(), board.bishops());
        if knights.any() {
            return bishops.is_empty() && !knights.more_than_one();
        }
        bishops.is_subset(Bitboard::DARK_SQUARES) || bishops.is_subset(Bitboard::LIGHT_SQUARES)
    }

    /// A side has more than its king and pawns.
    pub fn has_pieces(&self, color: Color) -> bool {
        let simple = self.board().pawns() | self.board().kings();
        (self.by_color(color) & !simple).any()
    }

    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.for_each_legal(|m| moves.push(m));
        moves
    }

    /// `m` if it is legal.
    pub fn if_legal(&self, m: Move) -> Option<Move> {
        self.is_legal(m).then_some(m)
    }

    /// The legal move of the piece on `from`, neither castling nor en passant, if there is one.
    pub fn normal_move(&self, from: Square, to: Square, promotion: Option<Role>) -> Option<Move> {
        let (role, capture) = (self.board().role_at(from)?, self.board().role_at(to));
        self.if_legal(Move::normal(role, from, capture, to, promotion))
    }

    /// The legal reversible move that leads to the position with this key, if there is one: a quiet
    /// move of a piece other than castling.
    pub fn reversible_move_to(&self, key: Key) -> Option<Move> {
        let [one, other] = cuckoo::squares(self.key ^ key)?;
        let us = self.by_color(self.turn());
        let (from, to) = if us.contains(one) { (one, other) } else { (other, one) };
        if !us.contains(from) || self.occupied().contains(to) {
            return None;
        }
        let role = self.board().role_at(from)?;
        self.if_legal(Move::normal(role, from, None, to, None))
    }

    /// The position as the rules library has it.
    pub(crate) fn to_library(&self) -> Chess {
        lenient(self.to_setup(), self.mode).expect("a position is legal")
    }
}

fn king_of(board: &Board, color: Color) -> Square {
    board.king_of(color).expect("a legal position has both kings")
}

/// A capture or a queen promotion.
pub fn is_tactical(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

/// A move in UCI notation; with `chess960`, castling is the king taking its rook.
pub fn uci(m: Move, chess960: bool) -> String {
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    UciMove::from_move(m.into(), mode).to_string()
}

/// Accepts everything that the move generator can handle.
#[expect(clippy::result_large_err, reason = "the library's error holds the position")]
fn lenient(setup: Setup, mode: CastlingMode) -> Result<Chess, PositionError<Chess>> {
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
}
