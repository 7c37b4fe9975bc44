//! Games in viriformat: a packed position, the moves with their scores, a terminator.
//!
//! Source: the format is that of the engine Viridithas (C. McGrath, crate `viriformat`, 2024), and
//! its packed position is that of Marlinflow. That crate reads only what it has written itself and
//! panics on anything else, so it serves as a reference in the tests; this is a small, total reader
//! and writer over this engine's positions. All numbers are little-endian.

use heddle::position::{Bitboard, Color, FenError, Move, Piece, Position, Role, Setup, Square};
use heddle::score::Score;

/// Size of the packed position that starts a game.
pub const HEADER: usize = 32;
/// Size of a move with its score.
pub const STEP: usize = 4;
/// The terminator of a game.
pub const TERMINATOR: [u8; STEP] = [0; STEP];

/// Offsets of the header's fields.
const PIECES: usize = 8;
const TURN_AND_EN_PASSANT: usize = 24;
const HALFMOVES: usize = 25;
const FULLMOVES: usize = 26;
const SCORE: usize = 28;
const RESULT: usize = 30;

/// The most pieces that fit in the header.
const MAX_PIECES: usize = 32;
/// The code of a rook that may castle; other pieces count from the pawn's 0.
const UNMOVED_ROOK: u8 = 6;
const BLACK_PIECE: u8 = 8;
const BLACK_TO_MOVE: u8 = 0x80;
const NO_EN_PASSANT: u8 = 64;

const SQUARE_BITS: u16 = 6;
const SQUARE_MASK: u16 = 0x3f;
const PROMOTION_SHIFT: u16 = 12;
const KIND_MASK: u16 = 0xc000;
const EN_PASSANT: u16 = 0x4000;
const CASTLE: u16 = 0x8000;
const PROMOTION: u16 = 0xc000;
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Why bytes are not a valid game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The start is not a packed position.
    #[error("not a packed position: {0}")]
    Header(&'static str),
    /// The packed position is illegal.
    #[error(transparent)]
    Position(#[from] FenError),
    /// A move is illegal in its position.
    #[error("move {number} is illegal in {fen}")]
    Move {
        /// Counted from 1.
        number: usize,
        /// The position.
        fen: String,
    },
}

/// The result of a game; the discriminant counts White's half points, as files do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameResult {
    /// Black won.
    BlackWin = 0,
    /// The game was drawn.
    Draw = 1,
    /// White won.
    WhiteWin = 2,
}

impl GameResult {
    /// All results, in the order of their discriminants.
    pub const ALL: [Self; 3] = [Self::BlackWin, Self::Draw, Self::WhiteWin];

    /// The result if `winner` has won.
    #[must_use]
    pub fn win(winner: Color) -> Self {
        winner.fold_wb(Self::WhiteWin, Self::BlackWin)
    }

    fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// One game as stored in a file, from the header to the terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    bytes: Vec<u8>,
}

/// A position of a game, with the move and score found by the search.
#[derive(Clone, Copy, Debug)]
pub struct ScoredPosition<'a> {
    /// The position.
    pub position: &'a Position,
    /// The move found and played.
    pub best: Move,
    /// The score found, in centipawns from White's point of view.
    pub score: i16,
    /// The game's result.
    pub result: GameResult,
    /// Half moves since the initial position of chess.
    pub ply: u32,
}

impl Record {
    /// A game that starts from `position`, without moves, and drawn until [`Record::set_result`].
    #[must_use]
    pub fn new(position: &Position) -> Self {
        let mut bytes = header(&position.to_setup()).to_vec();
        bytes.extend(TERMINATOR);
        Self { bytes }
    }

    /// A game of one move, with its `score` for the side to move.
    #[must_use]
    pub fn scored(position: &Position, result: GameResult, m: Move, score: Score) -> Self {
        let mut record = Self::new(position);
        record.push(m, position.turn().fold_wb(score, -score).get() as i16);
        record.set_result(result);
        record
    }

    /// Adds a move and its score in centipawns from White's point of view.
    pub fn push(&mut self, m: Move, score: i16) {
        self.bytes.truncate(self.bytes.len() - STEP);
        self.bytes.extend(encode(m).to_le_bytes());
        self.bytes.extend(score.to_le_bytes());
        self.bytes.extend(TERMINATOR);
    }

    /// Sets the game's result.
    pub fn set_result(&mut self, result: GameResult) {
        self.bytes[RESULT] = result as u8;
    }

    /// The bytes, including header and terminator.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A game with the given `header` and no moves; only a cheap check is made of it.
    ///
    /// # Errors
    /// [`RecordError::Header`] if these bytes cannot begin a game.
    pub(super) fn from_header(header: &[u8; HEADER]) -> Result<Self, RecordError> {
        check_header(header).map_err(RecordError::Header)?;
        let mut bytes = header.to_vec();
        bytes.extend(TERMINATOR);
        Ok(Self { bytes })
    }

    /// Adds a move in its stored form.
    pub(super) fn push_raw(&mut self, step: [u8; STEP]) {
        let end = self.bytes.len() - STEP;
        self.bytes[end..].copy_from_slice(&step);
        self.bytes.extend(TERMINATOR);
    }

    /// The number of moves played, which is also the number of positions with a score.
    #[must_use]
    pub fn positions(&self) -> usize {
        (self.bytes.len() - HEADER) / STEP - 1
    }

    /// The game's result.
    #[must_use]
    pub fn result(&self) -> GameResult {
        GameResult::from_byte(self.bytes[RESULT]).expect("every header has been checked")
    }

    /// The position that the game started from.
    ///
    /// # Errors
    /// [`RecordError`], if it is illegal.
    pub fn start(&self) -> Result<Position, RecordError> {
        Ok(Position::from_setup(setup(&self.bytes[..HEADER])?)?)
    }

    /// The moves as they are stored, with their scores in centipawns from White's point of view.
    pub fn moves(&self) -> impl Iterator<Item = (u16, i16)> {
        let steps = self.bytes[HEADER..HEADER + self.positions() * STEP].chunks_exact(STEP);
        steps.map(|s| (u16::from_le_bytes([s[0], s[1]]), i16::from_le_bytes([s[2], s[3]])))
    }

    /// Replays the game and calls `visit` for every position with a score.
    ///
    /// # Errors
    /// [`RecordError`] at the first illegal move; the positions before it have been visited.
    pub fn walk(&self, mut visit: impl FnMut(&ScoredPosition)) -> Result<(), RecordError> {
        let result = self.result();
        let mut position = self.start()?;
        let first = position.game_ply();
        for (ply, (bits, score)) in (0..).zip(self.moves()) {
            let Some(best) = decode(bits, &position) else {
                return Err(RecordError::Move { number: ply as usize + 1, fen: position.fen() });
            };
            visit(&ScoredPosition { position: &position, best, score, result, ply: first + ply });
            position = position.play(best);
        }
        Ok(())
    }
}

/// Packs a position.
fn header(setup: &Setup) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let occupied = setup.board.occupied();
    header[..PIECES].copy_from_slice(&u64::from(occupied).to_le_bytes());
    for (index, (square, piece)) in setup.board.iter().enumerate() {
        let kind = match piece.role {
            Role::Rook if setup.castling_rights.contains(square) => UNMOVED_ROOK,
            role => role as u8 - 1,
        };
        let color = piece.color.fold_wb(0, BLACK_PIECE);
        header[PIECES + index / 2] |= (kind | color) << (index % 2 * 4);
    }
    let en_passant = setup.ep_square.map_or(NO_EN_PASSANT, u8::from);
    header[TURN_AND_EN_PASSANT] = en_passant | setup.turn.fold_wb(0, BLACK_TO_MOVE);
    header[HALFMOVES] = setup.halfmoves.min(u32::from(u8::MAX)) as u8;
    let fullmoves = setup.fullmoves.get().min(u32::from(u16::MAX)) as u16;
    header[FULLMOVES..SCORE].copy_from_slice(&fullmoves.to_le_bytes());
    header[RESULT] = GameResult::Draw as u8;
    header
}

/// A cheap check of a header: enough to recognise another kind of file.
fn check_header(header: &[u8; HEADER]) -> Result<(), &'static str> {
    let pieces = occupied(header).count();
    if pieces > MAX_PIECES {
        return Err("too many pieces");
    }
    let kings = |color| {
        let is_king = |&index: &usize| code(header, index) == (Role::King as u8 - 1) | color;
        (0..pieces).filter(is_king).count()
    };
    if kings(0) != 1 || kings(BLACK_PIECE) != 1 {
        return Err("a king is missing or doubled");
    }
    if (0..pieces).any(|index| code(header, index) & !BLACK_PIECE > UNMOVED_ROOK) {
        return Err("no such piece");
    }
    if header[TURN_AND_EN_PASSANT] & !BLACK_TO_MOVE > NO_EN_PASSANT {
        return Err("no such square");
    }
    GameResult::from_byte(header[RESULT]).map(drop).ok_or("no such result")
}

fn occupied(header: &[u8]) -> Bitboard {
    let bytes = header[..PIECES].try_into().expect("the field has eight bytes");
    Bitboard(u64::from_le_bytes(bytes))
}

/// The code of the piece on the `index`th occupied square.
fn code(header: &[u8], index: usize) -> u8 {
    header[PIECES + index / 2] >> (index % 2 * 4) & 0xf
}

/// Unpacks a position.
fn setup(header: &[u8]) -> Result<Setup, RecordError> {
    let mut setup = Setup::empty();
    for (index, square) in occupied(header).into_iter().enumerate() {
        let code = code(header, index);
        let role = match code & !BLACK_PIECE {
            UNMOVED_ROOK => {
                setup.castling_rights.add(square);
                Role::Rook
            }
            kind => Role::try_from(kind + 1).map_err(|_| RecordError::Header("no such piece"))?,
        };
        let color = Color::from_white(code & BLACK_PIECE == 0);
        setup.board.set_piece_at(square, Piece { color, role });
    }
    let turn = header[TURN_AND_EN_PASSANT];
    setup.turn = Color::from_white(turn & BLACK_TO_MOVE == 0);
    setup.ep_square = Square::try_from(turn & !BLACK_TO_MOVE).ok();
    setup.halfmoves = u32::from(header[HALFMOVES]);
    let fullmoves = u16::from_le_bytes([header[FULLMOVES], header[FULLMOVES + 1]]);
    setup.fullmoves = u32::from(fullmoves).try_into().unwrap_or(setup.fullmoves);
    Ok(setup)
}

/// Packs a move of standard chess or Chess960; castling is the king taking its rook.
fn encode(m: Move) -> u16 {
    let squares = m.from() as u16 | (m.to() as u16) << SQUARE_BITS;
    let promotion = |role| PROMOTIONS.iter().position(|&r| r == role);
    match m.promotion().and_then(promotion) {
        Some(index) => squares | (index as u16) << PROMOTION_SHIFT | PROMOTION,
        None if m.is_castle() => squares | CASTLE,
        None if m.is_en_passant() => squares | EN_PASSANT,
        None => squares,
    }
}

/// The legal move of `position` that these bits encode, if any.
fn decode(bits: u16, position: &Position) -> Option<Move> {
    let from = Square::new(u32::from(bits & SQUARE_MASK));
    let to = Square::new(u32::from(bits >> SQUARE_BITS & SQUARE_MASK));
    let promotion = match bits & KIND_MASK {
        CASTLE => return position.if_legal(Move::castle(from, to)),
        EN_PASSANT => return position.if_legal(Move::en_passant(from, to)),
        PROMOTION => Some(PROMOTIONS[usize::from(bits >> PROMOTION_SHIFT & 3)]),
        _ => None,
    };
    position.normal_move(from, to, promotion)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use viriformat::chess::board::{Board as TheirBoard, DrawType, GameOutcome};
    use viriformat::dataformat::{Game as TheirGame, WDL};

    use super::*;
    use heddle::position::uci;

    /// Starts that have castling rights of either kind, en passant and promotions ahead.
    const STARTS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 3 9",
        "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 12 30",
        "8/P1P3k1/8/1pP5/8/8/1K3ppp/8 w - b6 0 40",
        "1rkr4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w DBdb - 0 1",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];
    /// Random games per start.
    const GAMES: u64 = 2;
    /// Their maximum length in plies: too short for the fifty-move rule, at which the crate panics.
    const PLIES: usize = 80;

    /// A game of random moves with random scores, and the FENs of its positions with a score.
    fn random_game(fen: &str, seed: u64) -> (Record, Vec<String>) {
        let mut rng = Rng::with_seed(seed);
        let mut position = Position::from_fen(fen).unwrap();
        let mut record = Record::new(&position);
        record.set_result(GameResult::from_byte(rng.u8(0..3)).unwrap());
        let mut fens = Vec::new();
        for _ in 0..PLIES {
            let Some(m) = rng.choice(position.legal_moves()) else { break };
            record.push(m, rng.i16(..));
            fens.push(position.fen());
            position = position.play(m);
        }
        (record, fens)
    }

    fn theirs(record: &Record) -> TheirGame {
        TheirGame::deserialise_from(&mut record.bytes(), Vec::new()).unwrap()
    }

    /// Pieces, side to move and clocks, which both write in the same way.
    fn common(fen: &str) -> Vec<&str> {
        let fields: Vec<_> = fen.split(' ').collect();
        vec![fields[0], fields[1], fields[4], fields[5]]
    }

    #[test]
    fn the_format_s_own_library_reads_what_is_written() {
        for (fen, seed) in STARTS.iter().flat_map(|fen| (0..GAMES).map(move |seed| (fen, seed))) {
            let (record, fens) = random_game(fen, seed);
            let game = theirs(&record);
            let result = match game.outcome() {
                WDL::Win => GameResult::WhiteWin,
                WDL::Draw => GameResult::Draw,
                WDL::Loss => GameResult::BlackWin,
            };
            assert_eq!(result, record.result());
            let mut seen = Vec::new();
            game.visit_positions(|board, score| seen.push((board.to_string(), score)));
            assert_eq!(seen.len(), fens.len());
            for (((board, score), fen), (_, own)) in seen.iter().zip(&fens).zip(record.moves()) {
                assert_eq!((common(board), *score), (common(fen), i32::from(own)));
            }
        }
    }

    #[test]
    fn what_the_format_s_own_library_writes_is_read_back() {
        for (fen, seed) in STARTS.iter().flat_map(|fen| (0..GAMES).map(move |seed| (fen, seed))) {
            let (record, fens) = random_game(fen, seed);
            let mut bytes = Vec::new();
            theirs(&record).serialise_into(&mut bytes).unwrap();
            assert_eq!(bytes, record.bytes());
            let mut walked = Vec::new();
            let walk = |scored: &ScoredPosition| walked.push((scored.position.fen(), scored.ply));
            record.walk(walk).unwrap();
            let first = record.start().unwrap().game_ply();
            assert_eq!(walked, fens.into_iter().zip(first..).collect::<Vec<_>>());
        }
    }

    #[test]
    fn headers_are_those_of_the_format_s_own_library() {
        for fen in STARTS {
            let position = Position::from_fen(fen).unwrap();
            let record = Record::new(&position);
            let mut board = TheirBoard::new();
            board.set_from_fen(fen, position.is_chess960()).unwrap();
            let mut game = TheirGame::new(&board);
            game.initial_position.set_outcome(GameOutcome::Draw(DrawType::TB));
            assert_eq!(game.initial_position.as_bytes(), record.bytes()[..HEADER], "{fen}");
            assert_eq!(record.start().unwrap().fen(), position.fen());
        }
    }

    #[test]
    fn an_illegal_move_ends_a_walk_with_an_error() {
        let position = Position::default();
        let mut record = Record::new(&position);
        record.push(position.parse_move("e2e4").unwrap(), 20);
        record.push(position.parse_move("d2d4").unwrap(), 20);
        let mut walked = Vec::new();
        let error = record.walk(|scored| walked.push(uci(scored.best, false))).unwrap_err();
        assert_eq!(walked, ["e2e4"]);
        assert!(error.to_string().starts_with("move 2 is illegal in rnbqkbnr/"), "{error}");
    }

    #[test]
    fn any_bytes_are_a_game_or_an_error() {
        let (record, _) = random_game(STARTS[1], 0);
        let mut rng = Rng::with_seed(1);
        for _ in 0..20_000 {
            let mut header: [u8; HEADER] = record.bytes()[..HEADER].try_into().unwrap();
            for _ in 0..rng.usize(1..4) {
                header[rng.usize(..HEADER)] ^= 1 << rng.u8(..8);
            }
            let Ok(mut damaged) = Record::from_header(&header) else { continue };
            for _ in 0..3 {
                damaged.push_raw([rng.u8(..), rng.u8(..), rng.u8(..), rng.u8(..)]);
            }
            // Either answer is right, as long as it does not panic.
            let _ = damaged.walk(|_| {});
        }
    }
}
