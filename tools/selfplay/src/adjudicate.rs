//! When a self-play game is over.

use crate::format::GameResult;
use heddle::position::{Game, Move, Position};
use heddle::score::Score;
use heddle::syzygy::{Tablebases, TbResult};

/// A side this far ahead counts as winning, in centipawns.
const WIN_SCORE: i32 = 800;
/// Consecutive plies, counting both sides, with a winning score that decide the game.
const WIN_PLIES: u32 = 4;
/// A score this close to zero counts as drawish, in centipawns.
const DRAW_SCORE: i32 = 8;
/// Consecutive plies, counting both sides, with a drawish score that make a draw.
const DRAW_PLIES: u32 = 12;
/// The first ply at which drawish scores can make a draw.
const DRAW_FROM: u32 = 80;
/// Plies after which a game is drawn, unless something else is said.
pub const MAX_PLIES: u32 = 400;

/// The length of a game.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Length {
    /// Plies that count as played when it begins.
    pub played: u32,
    /// Plies after which it is drawn.
    pub most: u32,
}

/// Plays `game` until the rules, the `tablebases`, its `length` or the scores decide it, and
/// returns the result; `None` if `choose` returns `None`. `choose` picks each move, with its score
/// from White's point of view if the score may decide the game.
pub fn play_out(
    mut game: Game,
    tablebases: &Tablebases,
    length: Length,
    mut choose: impl FnMut(&Game) -> Option<(Move, Option<Score>)>,
) -> Option<GameResult> {
    let mut adjudicator = Adjudicator::default();
    for ply in length.played.. {
        let known = || Adjudicator::by_tablebases(tablebases, game.position());
        if let Some(result) = Adjudicator::by_rule(&game).or_else(known) {
            return Some(result);
        }
        if ply >= length.most {
            break;
        }
        let (m, score) = choose(&game)?;
        if let Some(result) = score.and_then(|score| adjudicator.by_score(score, ply)) {
            return Some(result);
        }
        game.play(m);
    }
    Some(GameResult::Draw)
}

/// The first of `positions` at which the `tablebases` know the result, so that no game would be
/// played from it.
pub fn first_known<'a>(positions: &'a [Position], tablebases: &Tablebases) -> Option<&'a Position> {
    positions.iter().find(|position| Adjudicator::by_tablebases(tablebases, position).is_some())
}

/// Tracks the scores of one game.
#[derive(Debug, Default)]
pub struct Adjudicator {
    white_wins: u32,
    black_wins: u32,
    level: u32,
}

impl Adjudicator {
    /// The result if the rules of chess end the game before the next move.
    #[must_use]
    pub fn by_rule(game: &Game) -> Option<GameResult> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            let mated = GameResult::win(!position.turn());
            return Some(if position.is_check() { mated } else { GameResult::Draw });
        }
        game.is_draw().then_some(GameResult::Draw)
    }

    /// The result according to the tablebases, probed only after a capture or a pawn move: only
    /// then are they exact about the fifty-move rule, which turns a win that takes too long into a
    /// draw.
    #[must_use]
    pub fn by_tablebases(tablebases: &Tablebases, position: &Position) -> Option<GameResult> {
        let is_known = position.halfmove_clock() == 0
            && position.occupied().count() <= tablebases.max_pieces()
            && !position.has_castling_rights();
        let turn = position.turn();
        Some(match is_known.then(|| tablebases.probe_wdl(position)).flatten()? {
            TbResult::Win => GameResult::win(turn),
            TbResult::Loss => GameResult::win(!turn),
            _ => GameResult::Draw,
        })
    }

    /// Counts the score at `ply` of the game, from White's point of view, and returns the result if
    /// it decides the game. A proved score decides it at once.
    pub fn by_score(&mut self, score: Score, ply: u32) -> Option<GameResult> {
        let count = |count: &mut u32, holds: bool| *count = if holds { *count + 1 } else { 0 };
        count(&mut self.white_wins, score.get() >= WIN_SCORE);
        count(&mut self.black_wins, score.get() <= -WIN_SCORE);
        count(&mut self.level, score.abs().get() <= DRAW_SCORE);
        if score.is_win() || self.white_wins >= WIN_PLIES {
            Some(GameResult::WhiteWin)
        } else if score.is_loss() || self.black_wins >= WIN_PLIES {
            Some(GameResult::BlackWin)
        } else if ply >= DRAW_FROM && self.level >= DRAW_PLIES {
            Some(GameResult::Draw)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result, and how many scores were needed from `ply` on.
    fn follow(scores: &[i32], ply: u32) -> Option<(GameResult, usize)> {
        let mut adjudicator = Adjudicator::default();
        (1..).zip(scores).find_map(|(count, &score)| {
            let result = adjudicator.by_score(Score::new(score), ply + count as u32 - 1);
            Some((result?, count))
        })
    }

    fn by_rule(fen: &str) -> Option<GameResult> {
        Adjudicator::by_rule(&Game::new(Position::from_fen(fen).unwrap()))
    }

    #[test]
    fn a_win_has_to_be_seen_for_some_plies_in_a_row() {
        let plies = WIN_PLIES as usize;
        let won = vec![WIN_SCORE; plies];
        assert_eq!(follow(&won, 20), Some((GameResult::WhiteWin, plies)));
        let lost: Vec<_> = won.iter().map(|score| -score).collect();
        assert_eq!(follow(&lost, 20), Some((GameResult::BlackWin, plies)));
        for doubt in [WIN_SCORE - 1, -WIN_SCORE] {
            let mut doubted = won.clone();
            doubted[plies - 1] = doubt;
            doubted.extend(&won[1..]);
            assert_eq!(follow(&doubted, 20), None, "{doubt}");
        }
    }

    #[test]
    fn a_proved_score_settles_the_game_at_once() {
        assert_eq!(follow(&[Score::mate_in(5).get()], 0), Some((GameResult::WhiteWin, 1)));
        assert_eq!(follow(&[Score::mated_in(4).get()], 0), Some((GameResult::BlackWin, 1)));
    }

    #[test]
    fn a_level_game_is_drawn_but_not_early() {
        let (plies, level) = (DRAW_PLIES as usize, vec![-DRAW_SCORE; DRAW_PLIES as usize]);
        assert_eq!(follow(&level, DRAW_FROM), Some((GameResult::Draw, plies)));
        assert_eq!(follow(&level, DRAW_FROM - DRAW_PLIES), None);
        let mut livelier = level;
        livelier[0] = DRAW_SCORE + 1;
        assert_eq!(follow(&livelier, DRAW_FROM), None);
    }

    #[test]
    fn the_rules_come_first() {
        assert_eq!(by_rule("R5k1/5ppp/8/8/8/8/8/4K3 b - - 1 1"), Some(GameResult::WhiteWin));
        assert_eq!(
            by_rule("8/8/8/8/8/5k2/5p2/5K2 w - - 0 99"),
            Some(GameResult::Draw),
            "stalemate"
        );
        assert_eq!(by_rule("8/8/8/8/8/5k2/8/5KB1 w - - 0 99"), Some(GameResult::Draw), "material");
        assert_eq!(
            by_rule("8/8/8/8/8/5k2/7R/5K2 w - - 100 99"),
            Some(GameResult::Draw),
            "fifty moves"
        );
        assert_eq!(by_rule("8/8/8/8/8/5k2/7R/5K2 w - - 99 99"), None);
    }

    #[test]
    fn a_game_is_as_long_as_it_was_played() {
        for fen in
            ["4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", "4k3/pppp4/8/8/8/8/PPPP4/4K3 b - - 0 250"]
        {
            for (played, most) in [(0, 5), (3, 10), (0, 0), (9, 3)] {
                let mut count = 0;
                let game = Game::new(Position::from_fen(fen).unwrap());
                let length = Length { played, most };
                let result = play_out(game, &Tablebases::default(), length, |game| {
                    count += 1;
                    Some((game.position().legal_moves()[0], None))
                });
                assert_eq!(result, Some(GameResult::Draw));
                assert_eq!(count, most.saturating_sub(played), "{fen} {played} {most}");
            }
        }
    }

    #[test]
    fn the_third_repetition_is_a_draw() {
        let mut game = Game::default();
        for m in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
            game.play(game.position().parse_move(m).unwrap());
            assert_eq!(Adjudicator::by_rule(&game), None);
        }
        game.play(game.position().parse_move("f6g8").unwrap());
        assert_eq!(Adjudicator::by_rule(&game), Some(GameResult::Draw));
    }

    #[test]
    fn the_tablebases_are_probed_where_they_are_exact() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let tablebases = Tablebases::open(path).unwrap();
        let found =
            |fen: &str| Adjudicator::by_tablebases(&tablebases, &Position::from_fen(fen).unwrap());
        assert_eq!(found("8/8/8/8/8/5k2/8/R4K2 w - - 0 60"), Some(GameResult::WhiteWin));
        assert_eq!(found("8/8/8/8/8/5k2/8/R4K2 b - - 0 60"), Some(GameResult::WhiteWin));
        assert_eq!(found("8/8/8/8/8/5K2/8/r4k2 w - - 0 60"), Some(GameResult::BlackWin));
        assert_eq!(found("8/8/8/8/4k3/8/4P3/4K3 w - - 0 60"), Some(GameResult::Draw));
        assert_eq!(found("8/8/8/8/8/5k2/8/R4K2 w - - 1 60"), None, "a quiet move was played");
        assert_eq!(found("8/8/8/8/8/5k2/5p2/R4K2 w - - 0 60"), None, "too many pieces");
        let none = Tablebases::default();
        let position = Position::from_fen("8/8/8/8/8/5k2/8/R4K2 w - - 0 60").unwrap();
        assert_eq!(Adjudicator::by_tablebases(&none, &position), None);
    }
}
