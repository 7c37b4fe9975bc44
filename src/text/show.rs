//! Text for people: a board, a score in pawns, the static evaluation, a speed.

use std::fmt::Write as _;
use std::time::Duration;

use crate::eval;
use crate::eval::nnue::network::{Network, bucket};
use crate::position::{Color, File, Move, Position, Rank, Square};
use crate::score::Score;
use crate::search::static_eval;
use crate::wdl::{self, MODEL};

/// A board with White at the bottom, followed by the FEN and the side to move.
pub fn board(position: &Position) -> String {
    const RULE: &str = "  +---+---+---+---+---+---+---+---+\n";
    let mut text = String::from(RULE);
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let symbol = if let Some(piece) = piece { piece.char() } else { ' ' };
            let _ = write!(text, " | {symbol}");
        }
        text.push_str(" |\n");
        text.push_str(RULE);
    }
    text.push_str("    a   b   c   d   e   f   g   h\n\n");
    let _ = write!(text, "FEN: {}\n{}", position.fen(), turn(position));
    text
}

/// The side to move, and the pieces that check it.
pub fn turn(position: &Position) -> String {
    let side = if position.turn().is_white() { "White" } else { "Black" };
    let checkers: Vec<String> =
        position.checkers().into_iter().map(|square| square.to_string()).collect();
    match checkers.as_slice() {
        [] => format!("{side} to move"),
        _ => format!("{side} to move, in check from {}", checkers.join(" ")),
    }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number in at most four digits, with k, M, G or T for thousands and so on.
pub fn short(number: u64) -> String {
    const UNITS: [&str; 5] = ["", "k", "M", "G", "T"];
    let (mut value, mut unit) = (number as f64, 0);
    // 999.5 would be shown as 1000.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(value < 9.95 && unit > 0);
    format!("{value:.digits$}{}", UNITS[unit])
}

/// A time as seconds, or as minutes and seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_secs() {
        0..=9 => format!("{seconds:.2}s"),
        10..=99 => format!("{seconds:.1}s"),
        whole => format!("{}:{:02}", whole / 60, whole % 60),
    }
}

/// A score of the side to move that is not a mate, in pawns, from White's point of view.
pub fn pawns(score: Score, position: &Position) -> String {
    let centipawns = MODEL.normalised(score, wdl::material(position));
    format!("{:+.2}", f64::from(position.turn().fold_wb(centipawns, -centipawns)) / 100.0)
}

/// A score of the side to move from White's point of view: pawns, or `#` and the moves to mate.
pub fn score(score: Score, position: &Position) -> String {
    match score.mate_moves() {
        Some(moves) => format!("#{}", position.turn().fold_wb(moves, -moves)),
        None => pawns(score, position),
    }
}

/// A line from `position`: numbered moves in standard algebraic notation.
pub fn line(position: &Position, moves: &[Move]) -> String {
    moves_of(position, moves).join(" ")
}

/// A move with its number, or a null move if there is none.
pub fn numbered(position: &Position, m: Option<Move>) -> String {
    match m {
        Some(m) => line(position, &[m]),
        None if position.turn().is_white() => format!("{}. --", position.fullmoves()),
        None => format!("{}... --", position.fullmoves()),
    }
}

/// The moves of a line without numbers.
pub fn sans(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let san = |&m: &Move| {
        let san = position.san(m);
        position = position.play(m);
        san
    };
    moves.iter().map(san).collect()
}

/// A whole line in rows of at most `columns`, broken between moves.
pub fn line_in_rows(position: &Position, moves: &[Move], columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in moves_of(position, moves) {
        match rows.last_mut() {
            Some(row) if width(row) + 1 + width(&word) <= columns => *row += &format!(" {word}"),
            _ => rows.push(word),
        }
    }
    rows
}

/// As much of a line as fits into `height` rows: whole moves, and an ellipsis if some are left out.
pub fn line_in_some_rows(
    position: &Position,
    moves: &[Move],
    columns: usize,
    height: usize,
) -> Vec<String> {
    let mut rows = line_in_rows(position, moves, columns);
    if rows.len() <= height && rows.iter().all(|row| width(row) <= columns) {
        return rows;
    }
    rows.truncate(height);
    if let Some(last) = rows.last_mut() {
        // A space and the ellipsis come after the last word that fits.
        while width(last) + 2 > columns {
            last.truncate(last.rfind(' ').unwrap_or(0));
            if last.is_empty() {
                break;
            }
        }
        last.push_str(if last.is_empty() { "…" } else { " …" });
    }
    rows
}

/// The characters of a text.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// The moves of a line from `position`, those of White and the first one with their number.
fn moves_of(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &m in moves {
        let number = position.fullmoves();
        let san = position.san(m);
        words.push(match (position.turn(), words.is_empty()) {
            (Color::White, _) => format!("{number}. {san}"),
            (Color::Black, true) => format!("{number}... {san}"),
            (Color::Black, false) => san,
        });
        position = position.play(m);
    }
    words
}

/// Chances in per cent that add up to 100, by the largest remainders.
pub fn percentages(permille: [u32; 3]) -> [u32; 3] {
    let mut percent = permille.map(|chance| chance / 10);
    let mut order = [0, 1, 2];
    order.sort_by_key(|&i| std::cmp::Reverse(permille[i] % 10));
    let missing = 100_u32.saturating_sub(percent.iter().sum()) as usize;
    for &i in order.iter().take(missing) {
        percent[i] += 1;
    }
    percent
}

/// Nodes per second, for any `time`, however short.
pub fn nps(nodes: u64, time: Duration) -> u64 {
    /// The shortest time that is divided by.
    const TICK: Duration = Duration::from_millis(1);
    (nodes as f64 / time.max(TICK).as_secs_f64()) as u64
}

/// The static evaluation as the search scales it: the network's, if there is one, and the classical
/// one.
pub fn evaluation(position: &Position, network: Option<&Network>) -> String {
    if position.is_check() {
        return "Evaluation: none (in check)".into();
    }
    let worded = |network| {
        let score = static_eval::scaled(eval::raw(network, position), position);
        format!("{} pawns (White's side)", pawns(score, position))
    };
    let classical = worded(None);
    let Some(network) = network else { return format!("Evaluation: {classical}") };
    let bucket = bucket(position.occupied().count());
    let value = worded(Some(network));
    format!("Evaluation: {value} (network, bucket {bucket})\nClassical:  {classical}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_needs_no_time() {
        assert_eq!(nps(10, Duration::ZERO), 10_000);
        assert_eq!(nps(10, Duration::from_secs(5)), 2);
    }

    #[test]
    fn short_numbers_and_times_keep_their_width() {
        let words = [0, 999, 1000, 9960, 84_321, 999_600, 1_234_567, 7_000_000_000_000].map(short);
        assert_eq!(words, ["0", "999", "1.0k", "10k", "84k", "1.0M", "1.2M", "7.0T"]);
        let times = [40, 9_990, 12_340, 123_400].map(|ms| clock(Duration::from_millis(ms)));
        assert_eq!(times, ["0.04s", "9.99s", "12.3s", "2:03"]);
    }

    #[test]
    fn digits_come_in_threes() {
        let words = [0, 12, 123, 1234, 1_234_567].map(grouped);
        assert_eq!(words, ["0", "12", "123", "1 234", "1 234 567"]);
    }

    #[test]
    fn the_board_shows_pieces_and_checks() {
        let text = board(&Position::from_fen("4k3/8/8/8/7q/8/8/4K3 w - - 0 1").unwrap());
        assert!(text.contains("4 |   |   |   |   |   |   |   | q |\n"), "{text}");
        assert!(text.ends_with("White to move, in check from h4"), "{text}");
    }

    #[test]
    fn moves_are_numbered_from_either_side() {
        let position = Position::default();
        let line: Vec<Move> = {
            let mut position = position.clone();
            ["e2e4", "e7e5", "g1f3"]
                .iter()
                .map(|text| {
                    let m = position.parse_move(text).unwrap();
                    position = position.play(m);
                    m
                })
                .collect()
        };
        assert_eq!(super::line(&position, &line), "1. e4 e5 2. Nf3");
        assert_eq!(super::line(&position.play(line[0]), &line[1..]), "1... e5 2. Nf3");
    }

    #[test]
    fn lines_are_cut_and_broken_between_moves() {
        let start = Position::default();
        let mut game = start.clone();
        let moves: Vec<Move> = ["e2e4", "e7e5", "g1f3", "b8c6"]
            .map(|text| {
                let m = game.parse_move(text).unwrap();
                game = game.play(m);
                m
            })
            .into();
        let row = |columns| line_in_some_rows(&start, &moves, columns, 1).concat();
        assert_eq!(row(22), "1. e4 e5 2. Nf3 Nc6");
        assert_eq!(row(18), "1. e4 e5 2. Nf3 …");
        assert_eq!(row(10), "1. e4 e5 …");
        assert_eq!(row(3), "…");
        assert_eq!(line_in_some_rows(&start, &moves, 9, 2), ["1. e4 e5", "2. Nf3 …"]);
        assert_eq!(line_in_some_rows(&start, &moves, 9, 3).len(), 3);
        assert_eq!(line_in_rows(&start, &moves, 9), ["1. e4 e5", "2. Nf3", "Nc6"]);
    }

    #[test]
    fn chances_add_up_to_a_hundred() {
        assert_eq!(percentages([334, 333, 333]), [34, 33, 33]);
        assert_eq!(percentages([325, 165, 510]), [33, 16, 51]);
        for win in 0..=1000 {
            for draw in (0..=1000 - win).step_by(7) {
                assert_eq!(percentages([win, draw, 1000 - win - draw]).iter().sum::<u32>(), 100);
            }
        }
    }

    #[test]
    fn scores_are_from_whites_side() {
        let white = Position::default();
        let black = white.play(white.parse_move("e2e4").unwrap());
        let is_even = |&score: &i32| MODEL.normalised(Score::new(score), 78) == 100;
        let even = (0..1000).find(is_even).unwrap();
        assert_eq!(score(Score::new(even), &white), "+1.00");
        assert_eq!(score(Score::new(even), &black), "-1.00");
        assert_eq!(score(Score::mate_in(3), &white), "#2");
        assert_eq!(score(Score::mate_in(3), &black), "#-2");
    }
}
