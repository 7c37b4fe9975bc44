//! Games that other processes evaluate: what a hand is given, a game as PGN, and what it answers,
//! the evaluations of its positions.

use heddle::cli::hands::{self, HandsError};
use heddle::position::{Move, Position, uci};
use heddle::score::{Depth, Score};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::pgn::games::Games;
use serde::{Deserialize, Serialize};

use crate::evaluate::{Evaluation, Evaluator};
use crate::game::Game;
use crate::read::read;
use crate::write::pgn;

/// An evaluation: the score, the depth, and the line as UCI writes it.
#[derive(Serialize, Deserialize)]
struct Sent(i32, Depth, Vec<String>);

/// The unit of a game.
pub fn unit(game: &Game) -> Vec<u8> {
    pgn(game).into_bytes()
}

/// Evaluates the games that the head gives out, until `cancel` is raised.
pub fn serve(mut evaluator: Evaluator, cancel: &Arc<StopFlag>) -> Result<(), HandsError> {
    hands::serve(cancel, |unit| {
        let raw = Games::new(unit).next().and_then(Result::ok).ok_or(HandsError::Nonsense)?;
        let game = read(&raw).map_err(|_| HandsError::Nonsense)?;
        let evaluations = evaluator.evaluate(&game, || ());
        Ok((!cancel.is_raised()).then(|| answer(&game, &evaluations)))
    })
}

/// The answer with these evaluations.
fn answer(game: &Game, evaluations: &[Option<Evaluation>]) -> Vec<u8> {
    let sent = |(evaluation, position): (&Option<Evaluation>, &Position)| {
        let Evaluation { score, depth, line } = evaluation.as_ref()?;
        let words = line.iter().map(|&m| uci(m, position.is_chess960())).collect();
        Some(Sent(score.get(), *depth, words))
    };
    let sent: Vec<_> = evaluations.iter().zip(&game.positions()).map(sent).collect();
    serde_json::to_vec(&sent).expect("strings and numbers are JSON")
}

/// The evaluations of an answer.
pub fn evaluations(game: &Game, answer: &[u8]) -> Result<Vec<Option<Evaluation>>, HandsError> {
    let sent: Vec<Option<Sent>> =
        serde_json::from_slice(answer).map_err(|_| HandsError::Nonsense)?;
    let positions = game.positions();
    if sent.len() != positions.len() {
        return Err(HandsError::Nonsense);
    }
    let read = |(sent, position): (Option<Sent>, Position)| {
        sent.map(|Sent(score, depth, words)| {
            let line = line(position, &words).ok_or(HandsError::Nonsense)?;
            Ok(Evaluation { score: Score::new(score), depth, line })
        })
        .transpose()
    };
    sent.into_iter().zip(positions).map(read).collect()
}

/// The moves of a line from `position`.
fn line(mut position: Position, words: &[String]) -> Option<Vec<Move>> {
    let mut next = |word: &String| {
        let m = position.parse_move(word).ok()?;
        position = position.play(m);
        Some(m)
    };
    words.iter().map(&mut next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(text: &str) -> Game {
        read(&Games::new(text.as_bytes()).next().unwrap().unwrap()).unwrap()
    }

    #[test]
    fn an_answer_is_read_as_it_was_meant() {
        let game = game(
            "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/R4RK1 w A - 0 1\"]\n\n1. -- Ke7 *\n",
        );
        let castles = game.start.legal_moves().into_iter().find(|m| m.is_castle());
        let line = Vec::from_iter(castles);
        let known = |score| Some(Evaluation { score, depth: 3, line: Vec::new() });
        let first = Some(Evaluation { score: Score::mate_in(3), depth: 12, line });
        let found = vec![first, None, known(Score::new(-70))];
        let answer = answer(&game, &found);
        assert_eq!(evaluations(&game, &answer).unwrap(), found);
        for nonsense in [&answer[1..], b"[null]", b"[[1,2,[\"e2e4\"]],null,null]"] {
            assert!(evaluations(&game, nonsense).is_err());
        }
    }

    #[test]
    fn a_hand_is_given_the_same_game() {
        let known = game("1. e4 { why } e5 (1... c5 2. Nf3) 2. -- d5 1-0\n");
        let given = game(&String::from_utf8(unit(&known)).unwrap());
        assert_eq!((given.start.fen(), given.moves), (known.start.fen(), known.moves));
    }
}
