//! Games in PGN with evaluations, as games to train on.
//!
//! [`said`] reads the evaluations, [`scale`] brings them to one scale. A position without one cuts
//! the record; what follows is a game of its own. Files are read twice, if the scale is to be
//! found, and never held in memory.

mod said;
mod scale;

use std::path::{Path, PathBuf};

use heddle::eval;
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::eval::nnue::network::Network;
use heddle::position::{Move, Position};
use heddle::score::Score;
use heddle::search::static_eval::scaled;
use heddle::text;
use heddle::text::pgn::games::Games;
use heddle::text::pgn::raw::{RawGame, Token};
use heddle::text::pgn::{self, GameError};
use heddle_progress::tell;

use crate::error::SelfplayError;
use crate::files::{self, FileError};
use crate::filter::MAX_SCORE;
use crate::format::{GameResult, Record};
use crate::rescore::unit;
use crate::writer::{Writer, finish, say};
use said::{Said, Value};
use scale::{Judge, Scales};

/// The longest mate, in moves: a longer one counts as this.
const MAX_MATE: u32 = 1000;
/// Digits of a year at the start of a date.
const YEAR: usize = 4;
/// Stands for the player where a server's evaluation is not the mover's.
const SERVER: &str = "server";

/// What to read.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files in PGN whose comments have evaluations: TCEC's (`wv=`), cutechess's and fastchess's
    /// (`+0.35/17`) or lichess's (`[%eval 0.35]`)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File of games to write, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Our centipawns in a pawn of theirs [default: found for each player and year from the spread
    /// of --eval's scores]
    #[arg(long, value_name = "CENTIPAWNS", value_parser = unit)]
    unit: Option<f64>,
    /// The evaluation: default, classical, or a network file
    #[arg(long, value_name = "EVAL", default_value = "default")]
    eval: EvalFile,
}

/// A position with the move played and what was said of it, from White's point of view.
struct Ply {
    position: Position,
    m: Move,
    said: Option<(Value, Judge)>,
}

/// Writes the positions that have an evaluation. What is wrong with a game is one line, and what
/// comes before is kept.
///
/// # Errors
/// [`SelfplayError`] if a file or the network cannot be read, or the games cannot be written.
pub fn run(args: &Args) -> Result<(), SelfplayError> {
    let mut writer = Writer::create(&args.output)?;
    let mut scales = Scales::default();
    if args.unit.is_none() {
        let network = args.eval.load()?;
        for path in &args.files {
            each_game(path, |_, game| compare(&plies(&game).0, network.as_deref(), &mut scales))?;
        }
        say(scales.table())?;
    }
    let factor = |judge: &Judge| args.unit.unwrap_or_else(|| scales.factor(judge));
    for path in &args.files {
        let mut failed = Ok(());
        each_game(path, |number, game| {
            let (plies, fault) = plies(&game);
            if let Some(fault) = fault {
                tell(format_args!("{}: game {number}: {fault}", path.display()));
            }
            let records = records(&plies, result(&game), &factor);
            if failed.is_ok() {
                failed = records.iter().try_for_each(|record| writer.write(record.bytes()));
            }
        })?;
        failed?;
    }
    Ok(finish(vec![writer], "games")?)
}

/// Calls `on` for each game of a file, which may be compressed, with its number.
fn each_game(path: &Path, mut on: impl FnMut(usize, RawGame)) -> Result<(), FileError> {
    let input = text::files::open(path).map_err(files::io_error(path))?;
    for (number, game) in (1..).zip(Games::new(input)) {
        on(number, game.map_err(files::io_error(path))?);
    }
    Ok(())
}

/// The result of a game; drawn if none is known.
fn result(game: &RawGame) -> GameResult {
    let last = game.main_line().filter_map(|(_, token)| match token {
        Token::Result(result) => Some(*result),
        _ => None,
    });
    match game.result().or(last.last()) {
        Some("1-0") => GameResult::WhiteWin,
        Some("0-1") => GameResult::BlackWin,
        _ => GameResult::Draw,
    }
}

/// The positions of the main line, and what is wrong with it.
fn plies(game: &RawGame) -> (Vec<Ply>, Option<GameError>) {
    let mut plies = Vec::new();
    let mut position = match game.start() {
        Ok(start) => start,
        Err(fault) => return (plies, Some(fault)),
    };
    // What was said of the next position, and whether the last move was none.
    let (mut next, mut has_passed) = (None, true);
    for (_, token) in game.main_line() {
        match token {
            Token::Move(word) => {
                let (m, after) = match pgn::step(&position, word) {
                    Ok(step) => step,
                    Err(source) => {
                        let number = position.fullmoves();
                        return (plies, Some(GameError::Move { number, source }));
                    }
                };
                let said = next.take();
                has_passed = m.is_none();
                if let Some(m) = m {
                    plies.push(Ply { position, m, said });
                }
                position = after;
            }
            Token::Comment(comment) if !has_passed => {
                let (Some(said), Some(last)) = (Said::read(comment), plies.last_mut()) else {
                    continue;
                };
                let turn = last.position.turn();
                let judge = judge(game, (!said.is_after).then(|| turn.fold_wb("White", "Black")));
                let is_negated = said.is_movers && turn.is_black();
                let value = if is_negated { negated(said.value) } else { said.value };
                *(if said.is_after { &mut next } else { &mut last.said }) = Some((value, judge));
            }
            _ => {}
        }
    }
    (plies, None)
}

fn negated(value: Value) -> Value {
    match value {
        Value::Pawns(pawns) => Value::Pawns(-pawns),
        Value::Mate(moves) => Value::Mate(-moves),
    }
}

/// Who evaluates: the player of the tag `side`, or a server.
fn judge(game: &RawGame, side: Option<&str>) -> Judge {
    let name = side.map_or(Some(SERVER), |side| game.tag(side)).unwrap_or("?");
    let date = ["Date", "UTCDate", "GameStartTime"].into_iter().find_map(|tag| game.tag(tag));
    let year = date.and_then(|date| date.get(..YEAR)).unwrap_or("?");
    (name.to_owned(), year.to_owned())
}

/// Notes the scores of quiet positions beside ours.
fn compare(plies: &[Ply], network: Option<&Network>, scales: &mut Scales) {
    for Ply { position, m, said } in plies {
        if let Some((Value::Pawns(pawns), judge)) = said
            && !position.is_check()
            && !m.is_capture()
            && !m.is_promotion()
        {
            let ours = scaled(eval::raw(network, position), position);
            scales.note(judge, *pawns, ours.get());
        }
    }
}

/// The records of a game: one for each run of positions with an evaluation.
fn records(plies: &[Ply], result: GameResult, factor: &impl Fn(&Judge) -> f64) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut goes_on = false;
    for (index, Ply { position, m, said }) in plies.iter().enumerate() {
        // A null move cuts the record, too.
        let follows = index > 0 && {
            let before = &plies[index - 1];
            before.position.play(before.m).key() == position.key()
        };
        let Some((value, judge)) = said else {
            goes_on = false;
            continue;
        };
        if !(goes_on && follows) {
            let mut record = Record::new(position);
            record.set_result(result);
            records.push(record);
        }
        goes_on = true;
        let record = records.last_mut().expect("a record has just been begun");
        record.push(*m, score(*value, factor(judge), position));
    }
    records
}

/// A score in our centipawns, from White's point of view.
fn score(value: Value, factor: f64, position: &Position) -> i16 {
    let limit = f64::from(MAX_SCORE);
    match value {
        Value::Pawns(pawns) => (pawns * factor).round().clamp(-limit, limit) as i16,
        Value::Mate(moves) => {
            // The winner's last move is the last ply.
            let is_movers = (moves > 0) == position.turn().is_white();
            let full = 2 * moves.unsigned_abs().min(MAX_MATE) as usize;
            let plies = full.saturating_sub(usize::from(is_movers));
            let mate = if moves >= 0 { Score::mate_in(plies) } else { Score::mated_in(plies) };
            mate.get() as i16
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(text: &str) -> Vec<Vec<i16>> {
        let games: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
        let of = |game: &RawGame| records(&plies(game).0, result(game), &|_| 100.0);
        let records = games.iter().flat_map(of);
        records.map(|record| record.moves().map(|(_, score)| score).collect()).collect()
    }

    #[test]
    fn a_movers_score_is_turned_to_whites() {
        let text = "1. e4 {+0.35/17 0.5s} e5 {-0.20/12 1s} 2. Nf3 {+M5/9} Nc6 {-M4/20} *";
        assert_eq!(scores(text), [[35, 20, 31_991, 31_992]]);
    }

    #[test]
    fn a_servers_score_is_of_the_next_position() {
        let text = "1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 2. Nf3 {[%eval #-3]} Nc6 *";
        assert_eq!(scores(text), [[30, 20, -31_995]]);
    }

    #[test]
    fn plies_without_a_score_and_null_moves_cut_the_record() {
        let text = "1. e4 {book} e5 {wv=0.30, d=9} 2. Nf3 {wv=0.40} Nc6 {slow} 3. Bb5 {wv=0.50} \
            (3. d4 {wv=9.00}) a6 {wv=0.60} -- {wv=7.00} 4... b5 {wv=0.70} *";
        assert_eq!(scores(text), [vec![30, 40], vec![50, 60], vec![70]]);
    }

    #[test]
    fn results_and_judges_are_read_from_the_tags() {
        let text = "[White \"A 1\"]\n[Black \"B\"]\n[Date \"2024.03.01\"]\n[Result \"0-1\"]\n\n\
            1. e4 {0.35/17} e5 {0.2/12} 0-1\n\n1. d4 {[%eval 1.0]} d5 1-0\n";
        let games: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
        let judges = |game: &RawGame| -> Vec<_> {
            let said = plies(game).0.into_iter().filter_map(|ply| ply.said);
            said.map(|(_, (name, year))| format!("{name} {year}")).collect()
        };
        assert_eq!(judges(&games[0]), ["A 1 2024", "B 2024"]);
        assert_eq!(judges(&games[1]), ["server ?"]);
        assert_eq!(
            games.iter().map(result).collect::<Vec<_>>(),
            [GameResult::BlackWin, GameResult::WhiteWin]
        );
    }
}
