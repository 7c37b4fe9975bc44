//! Lists of positions as files of games, for `rescore` to score.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use heddle::position::Position;
use heddle::position::record::{Operation, Record as Line};
use heddle::text::{self, encoding, suite};
use heddle_progress::tell;

use crate::error::SelfplayError;
use crate::files;
use crate::filter::MIN_PLY;
use crate::format::{GameResult, Record};
use crate::teacher::quiet_move;
use crate::writer::{Writer, finish};

/// The operations of EPD in which collections of positions keep the result of the game.
const RESULTS: [&str; 2] = ["c9", "c0"];

/// What to read.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Lists of positions, in FEN or EPD, one per line
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File to write, which must not exist yet: each quiet position as a game of one move, scored 0
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the quiet positions. A line that is no position is reported and left out.
///
/// # Errors
/// [`SelfplayError`] if a file cannot be read or written.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    let mut writer = Writer::create(&args.output)?;
    for path in &args.files {
        let input = text::files::open(path).map_err(files::io_error(path))?;
        for (number, line) in (1..).zip(input.split(b'\n')) {
            let line = line.map_err(files::io_error(path))?;
            if let Some(record) = record(path, number, &encoding::decode(line)) {
                writer.write(record.bytes())?;
            }
        }
    }
    Ok(finish(vec![writer], "positions")?)
}

/// The game of a line's position, if the position is quiet.
fn record(path: &Path, number: usize, line: &str) -> Option<Record> {
    let read = match suite::line_record(number, line)? {
        Ok(read) => read,
        Err(error) => {
            tell(format_args!("{}: line {number}: {error}", path.display()));
            return None;
        }
    };
    let position = past_the_opening(&read.position);
    let mut record = Record::new(&position);
    record.push(quiet_move(&position)?, 0);
    record.set_result(result(&read));
    Some(record)
}

/// The result of the game that a position is from; drawn if none is known.
fn result(line: &Line) -> GameResult {
    match RESULTS.iter().find_map(|name| line.operation(name)).map(Operation::text) {
        Some("1-0") => GameResult::WhiteWin,
        Some("0-1") => GameResult::BlackWin,
        _ => GameResult::Draw,
    }
}

/// The position with a move number that no filter takes for one of the opening: EPD has none.
fn past_the_opening(position: &Position) -> Position {
    if position.game_ply() >= MIN_PLY {
        return position.clone();
    }
    let fen = position.fen();
    let (rest, _) = fen.rsplit_once(' ').expect("the move number is the last field of a FEN");
    let fen = format!("{rest} {}", MIN_PLY / 2 + 1);
    Position::from_fen(&fen).expect("only the move number has changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, GameResult)> {
        let record = record(Path::new("list"), 1, line)?;
        Some((record.start().unwrap().fen(), record.result()))
    }

    #[test]
    fn quiet_positions_are_read_with_their_results() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        let expected = |result| Some((format!("{fen} 0 5"), result));
        assert_eq!(read(&format!("{fen} c9 \"1-0\";\r")), expected(GameResult::WhiteWin));
        assert_eq!(read(&format!("{fen} c0 \"0-1\"; id \"x\";")), expected(GameResult::BlackWin));
        assert_eq!(read(&format!("{fen} 0 1")), expected(GameResult::Draw));
        assert_eq!(read(&format!("{fen} 3 40")).unwrap().0, format!("{fen} 3 40"));
    }

    #[test]
    fn other_lines_are_left_out() {
        for line in [
            "",
            "# a comment",
            "; another",
            "FEN,Evaluation",
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/r3K3 w - - 0 1",
            "no position",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
