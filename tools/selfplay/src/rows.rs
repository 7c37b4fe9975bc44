//! Positions of games as rows of fixed size, for a trainer that is written in another language, and its
//! estimates back into the games.
//!
//! A large network can estimate the score of a deep search from what surrounds a position in its game: the
//! searches before and after it, and the result. Such labels cost a thousandth of the search. Source:
//! V. Vapnik and A. Vashist, "A New Learning Paradigm: Learning Using Privileged Information", 2009.

use std::path::PathBuf;

use heddle::eval;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::eval::nnue::network::Network;
use heddle::position::{Color, Position};
use heddle::search::static_eval::scaled;

use crate::error::SelfplayError;
use crate::files::{self, FileError};
use crate::filter::is_quiet;
use crate::format::{HEADER, Record, RecordError, STEP, ScoredPosition};
use crate::writer::{Writer, finish};

/// Bytes of a row.
const ROW: usize = 64;
/// Bytes of its board.
const BOARD: usize = 32;
/// The bits of a square that say its rank: Black sees them reflected.
const RANK_BITS: usize = 0o70;
/// A rook of the side to move that may castle; the code of the other side's follows.
const UNMOVED_ROOK: u8 = 13;
/// The square behind a pawn that may be taken in passing.
const EN_PASSANT: u8 = 15;
/// The difference between the codes of both sides' pieces.
const ROLES: u8 = 6;
/// Searches after the position, and before it, in a row.
const LATER: usize = 8;
const EARLIER: usize = 2;
/// Stands for a search that there was not.
const NONE: i16 = i16::MIN;

/// What to write.
#[derive(Clone, Debug, clap::Args)]
pub struct RowsArgs {
    /// File of games
    file: PathBuf,
    /// File to write, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
    /// Also write the positions that are not quiet, marked as such
    #[arg(long)]
    all: bool,
}

/// Which games get which scores.
#[derive(Clone, Debug, clap::Args)]
pub struct RelabelArgs {
    /// File of games
    file: PathBuf,
    /// A score of 16 bits for each quiet position, in order, in centipawns for the side to move; one beyond
    /// ±10,000 keeps the position out of training
    #[arg(long, value_name = "FILE")]
    scores: PathBuf,
    /// File to write, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the positions of a file as rows.
///
/// A row has 64 bytes, little-endian; scores are in centipawns for the side to move, −32768 where there is
/// none:
///
/// | bytes | |
/// |---|---|
/// | 0–31 | 4 bits a square from the side to move's a1 on (Black's view is reflected): 0 empty, 1–6 own pawn to king, 7–12 the other side's, 13 and 14 a rook that may castle, 15 the en passant square |
/// | 32, 33, 34–35 | half moves since a capture or pawn move; pieces; plies since the initial position |
/// | 36–37, 38–39 | the static evaluation; the search |
/// | 40–55, 56–59 | the searches of the next eight plies; of the last two, the nearest first |
/// | 60, 61 | half points of the side to move; 1 if the position is not quiet |
/// | 62–63 | zeros |
///
/// # Errors
/// [`SelfplayError`] if the network or the file cannot be read, or the rows cannot be written.
pub fn rows(args: &RowsArgs) -> Result<(), SelfplayError> {
    let network = args.eval.load()?;
    let mut reader = files::open(&args.file)?;
    let mut writer = Writer::create(&args.output)?;
    let mut rows = Vec::new();
    while let Some(record) = reader.next() {
        rows.clear();
        append_rows(&record?, network.as_deref(), args.all, &mut rows)
            .map_err(|error| reader.blame(error))?;
        for row in rows.chunks_exact(ROW) {
            writer.write(row)?;
        }
    }
    reader.warn_of_truncation();
    Ok(finish(vec![writer], "rows")?)
}

fn append_rows(
    record: &Record,
    network: Option<&Network>,
    all: bool,
    rows: &mut Vec<u8>,
) -> Result<(), RecordError> {
    let scores: Vec<i16> = record.moves().map(|(_, score)| score).collect();
    let mut ply = 0;
    record.walk(|scored| {
        if all || is_quiet(scored) {
            append_row(scored, &scores, ply, network, rows);
        }
        ply += 1;
    })
}

/// Appends the row of the position at `ply` of a game with these `scores`.
fn append_row(
    scored: &ScoredPosition,
    scores: &[i16],
    ply: usize,
    network: Option<&Network>,
    rows: &mut Vec<u8>,
) {
    let position = scored.position;
    let turn = position.turn();
    let search = |ply: Option<usize>| {
        ply.and_then(|ply| scores.get(ply)).map_or(NONE, |&score| for_side(turn, score))
    };
    rows.extend(board(position));
    let halfmoves = position.to_setup().halfmoves.min(u32::from(u8::MAX)) as u8;
    rows.extend([halfmoves, position.occupied().count() as u8]);
    rows.extend((position.game_ply().min(u32::from(u16::MAX)) as u16).to_le_bytes());
    let later = (0..=LATER).map(|plies| search(Some(ply + plies)));
    let earlier = (1..=EARLIER).map(|plies| search(ply.checked_sub(plies)));
    // Within MAX_EVAL, which fits.
    let evaluation = scaled(eval::raw(network, position), position).get() as i16;
    let known = [evaluation].into_iter().chain(later).chain(earlier);
    rows.extend(known.flat_map(i16::to_le_bytes));
    let result = scored.result as u8;
    rows.extend([turn.fold_wb(result, 2 - result), u8::from(!is_quiet(scored)), 0, 0]);
}

/// A score for the side to move from White's, or the other way round.
fn for_side(turn: Color, score: i16) -> i16 {
    turn.fold_wb(score, score.saturating_neg())
}

/// The board as a row has it.
fn board(position: &Position) -> [u8; BOARD] {
    let setup = position.to_setup();
    let mut board = [0; BOARD];
    let mut put = |square: usize, code: u8| {
        let seen = square ^ setup.turn.fold_wb(0, RANK_BITS);
        board[seen / 2] |= code << (seen % 2 * 4);
    };
    for (square, piece) in &setup.board {
        let other = u8::from(piece.color != setup.turn);
        let code = if setup.castling_rights.contains(square) {
            UNMOVED_ROOK + other
        } else {
            piece.role as u8 + other * ROLES
        };
        put(square as usize, code);
    }
    if let Some(square) = setup.ep_square {
        put(square as usize, EN_PASSANT);
    }
    board
}

/// Writes the games of a file with other scores at their quiet positions.
///
/// # Errors
/// [`FileError`] if a file cannot be read or written, or the number of scores is not that of the quiet positions.
pub fn relabel(args: &RelabelArgs) -> Result<(), FileError> {
    let bytes = std::fs::read(&args.scores).map_err(files::io_error(&args.scores))?;
    let mut scores = bytes.chunks_exact(size_of::<i16>()).map(|s| i16::from_le_bytes([s[0], s[1]]));
    let unmatched = || FileError::Scores { path: args.scores.clone() };
    let mut reader = files::open(&args.file)?;
    let mut writer = Writer::create(&args.output)?;
    while let Some(record) = reader.next() {
        let game = relabelled(&record?, &mut scores).map_err(|error| reader.blame(error))?;
        writer.write(&game.ok_or_else(unmatched)?)?;
    }
    if scores.next().is_some() {
        return Err(unmatched());
    }
    reader.warn_of_truncation();
    finish(vec![writer], "games")
}

/// The bytes of a game with the next of these `scores` at its quiet positions; `None` if there are too few.
fn relabelled(
    record: &Record,
    scores: &mut impl Iterator<Item = i16>,
) -> Result<Option<Vec<u8>>, RecordError> {
    let mut bytes = record.bytes().to_vec();
    let mut steps = bytes[HEADER..].chunks_exact_mut(STEP);
    let mut is_complete = true;
    record.walk(|scored| {
        let step = steps.next().expect("a position with a score is a step of the game");
        if is_quiet(scored) {
            let score = scores.next();
            is_complete &= score.is_some();
            let score = for_side(scored.position.turn(), score.unwrap_or_default());
            step[2..].copy_from_slice(&score.to_le_bytes());
        }
    })?;
    Ok(is_complete.then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::GameResult;

    /// The code on a square of a row's board.
    fn code(row: &[u8], square: usize) -> u8 {
        row[square / 2] >> (square % 2 * 4) & 0xf
    }

    fn word(row: &[u8], offset: usize) -> i16 {
        i16::from_le_bytes([row[offset], row[offset + 1]])
    }

    /// 1.e4 d5 2.exd5 Qxd5 3.Nc3, with scores from 10 to 50, won by White.
    fn game() -> Record {
        let mut position = Position::default();
        let mut record = Record::new(&position);
        for (text, score) in
            ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3"].into_iter().zip([10, 20, 30, 40, 50])
        {
            let m = position.parse_move(text).unwrap();
            record.push(m, score);
            position = position.play(m);
        }
        record.set_result(GameResult::WhiteWin);
        record
    }

    #[test]
    fn a_row_shows_the_board_from_the_side_to_move() {
        let mut rows = Vec::new();
        append_rows(&game(), None, true, &mut rows).unwrap();
        assert_eq!(rows.len(), 5 * ROW);
        let black = &rows[ROW..];
        assert_eq!([0, 4, 7, 8, 63].map(|square| code(black, square)), [13, 6, 13, 1, 14]);
        // White's pawn on e4 stands on Black's fifth rank, and its e3 behind it on the sixth.
        assert_eq!([36, 44].map(|square| code(black, square)), [7, 0]);
        let french = Position::from_fen("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 20").unwrap();
        assert_eq!(code(&board(&french), 44), EN_PASSANT);
    }

    #[test]
    fn a_row_has_the_searches_around_it() {
        let mut rows = Vec::new();
        append_rows(&game(), None, true, &mut rows).unwrap();
        let black = &rows[3 * ROW..][..ROW];
        assert_eq!(
            [38, 40, 42, 54, 56, 58].map(|offset| word(black, offset)),
            [-40, -50, NONE, NONE, -30, -20]
        );
        assert_eq!(black[60..], [0, 1, 0, 0], "lost, and the best move captures");
        assert_eq!([word(black, 34), i16::from(black[33])], [3, 31]);
        let quiet = |all| {
            let mut rows = Vec::new();
            append_rows(&game(), None, all, &mut rows).unwrap();
            rows.len() / ROW
        };
        assert_eq!([quiet(true), quiet(false)], [5, 0], "the opening is left out");
    }

    #[test]
    fn scores_replace_those_of_quiet_positions() {
        let position = Position::from_fen("4k3/8/8/3p4/4P3/8/8/4K3 b - - 0 20").unwrap();
        let mut record = Record::new(&position);
        record.push(position.parse_move("e8e7").unwrap(), 5);
        let next = position.play(position.parse_move("e8e7").unwrap());
        record.push(next.parse_move("e4d5").unwrap(), 6);
        let scores = |game: &[u8]| [word(game, HEADER + 2), word(game, HEADER + STEP + 2)];
        let game = relabelled(&record, &mut [70, 80].into_iter()).unwrap();
        assert_eq!(scores(&game.unwrap()), [-70, 6]);
        assert_eq!(relabelled(&record, &mut std::iter::empty()).unwrap(), None);
    }
}
