//! The rules, as the page asks for them: it knows no chess of its own.

use std::collections::BTreeMap;

use heddle::position::{CHESS960_STARTS, Game, Move, Position, uci};
use heddle::score::Score;
use heddle::syzygy::Tablebases;
use heddle::text::{pgn, show};
use heddle::wdl::{self, Chances};

use crate::protocol::{At, Code, Line, MAX_PLIES, Moved, Over, Refusal, Scored, Tablebase};

/// The longest text of a position or a move that is read.
const MAX_WORD: usize = 200;
/// Comes before the number of a start of Chess960.
const CHESS960: &str = "chess960 ";
/// A null move in UCI notation.
const PASS: &str = "0000";

/// The game that a message describes.
///
/// # Errors
/// A refusal of request `id`: there is no such position, or a move is not legal.
pub fn game(id: u64, line: &Line) -> Result<Game, Refusal> {
    let start = start(id, line.start.as_deref())?;
    if line.moves.len() > MAX_PLIES {
        let message = format!("more than {MAX_PLIES} moves");
        return Err(Refusal::new(id, Code::Bounds, message));
    }
    let mut game = Game::new(start);
    for word in &line.moves {
        let (m, _) = step(id, game.position(), word)?;
        let is_played = game.play_or_pass(m);
        debug_assert!(is_played, "a step is legal");
    }
    Ok(game)
}

/// The position of a FEN, a start of Chess960, or the initial position.
///
/// # Errors
/// A refusal of request `id`.
pub fn start(id: u64, fen: Option<&str>) -> Result<Position, Refusal> {
    let Some(fen) = fen else { return Ok(Position::default()) };
    let refused = |error: &dyn ToString| Refusal::new(id, Code::Position, error.to_string());
    if fen.len() > MAX_WORD {
        return Err(refused(&"the position is too long"));
    }
    if let Some(number) = fen.strip_prefix(CHESS960) {
        let number = number.trim().parse().ok().filter(|number| *number < CHESS960_STARTS);
        let number = number.ok_or_else(|| refused(&"a start of Chess960 is a number below 960"))?;
        return Ok(Position::double_chess960(number, number));
    }
    Position::from_record(fen).map_err(|error| refused(&error))
}

/// The move that a word says, or `None` for a null move, and the position after it.
///
/// # Errors
/// A refusal of request `id`: it is no legal move, or a side in check passes.
pub fn step(id: u64, position: &Position, word: &str) -> Result<(Option<Move>, Position), Refusal> {
    if word.len() > MAX_WORD {
        return Err(Refusal::new(id, Code::Move, "the move is too long"));
    }
    // Almost always UCI notation, which is quick to read.
    if let Ok(m) = position.parse_move(word) {
        return Ok((Some(m), position.play(m)));
    }
    let found = pgn::step(position, word.trim());
    found.map_err(|error| Refusal::new(id, Code::Move, error.to_string()))
}

/// The answer to `position`.
///
/// # Errors
/// As [`game`], and if `word` is no legal move.
pub fn at(
    id: u64,
    line: &Line,
    word: Option<&str>,
    tablebases: &Tablebases,
) -> Result<At, Refusal> {
    let mut game = game(id, line)?;
    let mut played = None;
    if let Some(word) = word {
        let (m, _) = step(id, game.position(), word)?;
        let m = m.ok_or_else(|| Refusal::new(id, Code::Move, "a player may not pass"))?;
        played = Some(moved(game.position(), Some(m)));
        game.play(m);
    }
    let position = game.position();
    let chess960 = position.is_chess960();
    let legal = position.legal_moves();
    Ok(At {
        id,
        fen: position.fen(),
        white: position.turn().is_white(),
        check: position.is_check(),
        chess960,
        played,
        legal: legal.iter().map(|&m| (uci(m, chess960), position.san(m))).collect(),
        over: over(&game),
        tablebase: tablebase(position, tablebases),
    })
}

/// A move in both notations; without one, a null move.
pub fn moved(position: &Position, m: Option<Move>) -> Moved {
    m.map_or_else(
        || Moved { uci: PASS.to_owned(), san: pgn::NULL.to_owned() },
        |m| Moved { uci: uci(m, position.is_chess960()), san: position.san(m) },
    )
}

/// How a game has ended, if it has.
fn over(game: &Game) -> Option<Over> {
    let position = game.position();
    if position.legal_moves().is_empty() {
        return Some(if position.is_check() {
            Over { result: position.turn().fold_wb("0-1", "1-0"), reason: "checkmate" }
        } else {
            Over { result: "1/2-1/2", reason: "stalemate" }
        });
    }
    let reason = if game.is_threefold() {
        "threefold repetition"
    } else if position.is_insufficient_material() {
        "insufficient material"
    } else if game.is_draw() {
        "fifty moves without capture or pawn move"
    } else {
        return None;
    };
    Some(Over { result: "1/2-1/2", reason })
}

/// What the tablebases say, if they have the position.
fn tablebase(position: &Position, tablebases: &Tablebases) -> Option<Tablebase> {
    if position.occupied().count() > tablebases.max_pieces() {
        return None;
    }
    let result = |plies: i32| match plies {
        0 => "draw",
        1.. => "win",
        _ => "loss",
    };
    let here = tablebases.probe_dtz(position)?;
    let moves = position.legal_moves();
    let answer = |&m: &Move| {
        let after = position.play(m);
        let plies = if after.is_checkmate() { 1 } else { -tablebases.probe_dtz(&after)? };
        Some((uci(m, position.is_chess960()), (result(plies), Some(plies))))
    };
    let moves: BTreeMap<_, _> = moves.iter().filter_map(answer).collect();
    Some(Tablebase { result: result(here), moves })
}

/// A score of the side to move, from White's side.
pub fn scored(score: Score, depth: i32, position: &Position) -> Scored {
    let Chances { win, draw, loss } = wdl::whites(score, position);
    Scored { score: show::score(score, position), wdl: [win, draw, loss], depth }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(start: &str, moves: &str) -> Line {
        let start = (!start.is_empty()).then(|| start.to_owned());
        Line { start, moves: moves.split_whitespace().map(str::to_owned).collect() }
    }

    fn answer(start: &str, moves: &str, word: Option<&str>) -> Result<At, Refusal> {
        at(7, &line(start, moves), word, &Tablebases::default())
    }

    #[test]
    fn a_position_has_its_moves_in_both_notations() {
        let found = answer("", "e2e4 e7e5", Some("Nf3")).unwrap();
        assert_eq!(found.played.unwrap(), Moved { uci: "g1f3".into(), san: "Nf3".into() });
        assert_eq!((found.white, found.check, found.over), (false, false, None));
        assert_eq!(found.legal["b8c6"], "Nc6");
        assert_eq!(found.legal.len(), 29);
    }

    #[test]
    fn an_end_has_its_reason() {
        let over = |start: &str, moves: &str| answer(start, moves, None).unwrap().over.unwrap();
        let mate = over("", "f2f3 e7e5 g2g4 d8h4");
        assert_eq!((mate.result, mate.reason), ("0-1", "checkmate"));
        let shuffled = "g1f3 g8f6 f3g1 f6g8 ".repeat(2);
        assert_eq!(over("", &shuffled).reason, "threefold repetition");
        assert_eq!(over("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "").reason, "stalemate");
        assert_eq!(over("7k/8/6K1/8/8/8/8/8 b - - 0 1", "").reason, "insufficient material");
        let fifty = over("7k/8/6K1/8/8/8/8/R7 w - - 100 80", "");
        assert!(fifty.reason.starts_with("fifty moves"), "{fifty:?}");
    }

    #[test]
    fn what_is_wrong_has_a_code() {
        let code = |start: &str, moves: &str, word| answer(start, moves, word).unwrap_err().code;
        assert_eq!(code("x", "", None), Code::Position);
        assert_eq!(code(&"8/".repeat(999), "", None), Code::Position);
        assert_eq!(code("", "e2e5", None), Code::Move);
        assert_eq!(code("", "", Some("Ke2")), Code::Move);
        assert_eq!(code("", &"e2e4 ".repeat(MAX_PLIES + 1), None), Code::Bounds);
        assert_eq!(code("", "e2e4 f7f6 d1h5 0000", None), Code::Move, "in check");
        assert_eq!(code("", "e2e4", Some("--")), Code::Move, "a null move is only read");
        assert_eq!(code("", "", Some(&"x".repeat(MAX_WORD + 1))), Code::Move);
    }

    #[test]
    fn tablebases_answer_where_they_are_given() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let tablebases = Tablebases::open(path).unwrap();
        let at = |fen: &str| at(7, &line(fen, ""), None, &tablebases).unwrap().tablebase;
        let known = at("8/8/8/4k3/8/8/1Q6/K7 b - - 0 1").unwrap();
        assert_eq!(known.result, "loss");
        assert!(known.moves.values().all(|(result, _)| *result == "loss"), "{known:?}");
        let winning = at("7k/8/6K1/8/8/8/8/1R6 w - - 0 1").unwrap();
        assert_eq!((winning.result, winning.moves["b1b8"]), ("win", ("win", Some(1))));
        assert!(at(heddle::position::START_FEN).is_none());
    }

    #[test]
    fn castling_in_chess960_takes_the_rook() {
        let found = answer("chess960 518", "", None).unwrap();
        assert!(found.fen.starts_with("rnbqkbnr/"), "{}", found.fen);
        assert_eq!(answer("chess960 960", "", None).unwrap_err().code, Code::Position);
        let found = answer("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "", None).unwrap();
        assert!(found.chess960 && found.legal.contains_key("e1g1"), "{:?}", found.legal);
        assert_eq!(found.legal["e1b1"], "O-O-O");
    }

    #[test]
    fn scores_are_white_s() {
        let black = Position::from_fen("4k3/8/8/8/8/8/4p3/4K3 b - - 0 1").unwrap();
        let found = scored(Score::mate_in(3), 9, &black);
        assert_eq!((found.score.as_str(), found.wdl, found.depth), ("#-2", [0, 0, 1000], 9));
    }
}
