//! When a game of self-play is over.

use super::format::Wdl;
use crate::position::Game;
use crate::score::Score;

/// A side that is so far ahead is winning, in centipawns.
const WIN_SCORE: i32 = 1500;
/// Plies in a row, of both sides, that have to say so.
const WIN_PLIES: u32 = 6;
/// A score so near to zero looks like a draw, in centipawns.
const DRAW_SCORE: i32 = 8;
/// Plies in a row, of both sides, that have to say so.
const DRAW_PLIES: u32 = 12;
/// No such draw before this ply of the game.
const DRAW_FROM: u32 = 80;
/// A game that lasts so many plies is drawn.
const MAX_PLIES: u32 = 400;

/// Follows the scores of one game.
#[derive(Debug, Default)]
pub struct Adjudicator {
    white_wins: u32,
    black_wins: u32,
    level: u32,
}

impl Adjudicator {
    /// The result if the rules of chess or the length of the game end it before the next move.
    #[must_use]
    pub fn by_rule(game: &Game) -> Option<Wdl> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            let mated = Wdl::win(!position.turn());
            return Some(if position.is_check() { mated } else { Wdl::Draw });
        }
        (game.is_draw() || position.game_ply() >= MAX_PLIES).then_some(Wdl::Draw)
    }

    /// Takes the score at `ply` of the game, from White's point of view, into account; the result
    /// if it settles the game. A proved score does so at once.
    pub fn by_score(&mut self, score: Score, ply: u32) -> Option<Wdl> {
        let count = |count: &mut u32, holds: bool| *count = if holds { *count + 1 } else { 0 };
        count(&mut self.white_wins, score.get() >= WIN_SCORE);
        count(&mut self.black_wins, score.get() <= -WIN_SCORE);
        count(&mut self.level, score.abs().get() <= DRAW_SCORE);
        if score.is_win() || self.white_wins >= WIN_PLIES {
            Some(Wdl::WhiteWin)
        } else if score.is_loss() || self.black_wins >= WIN_PLIES {
            Some(Wdl::BlackWin)
        } else if ply >= DRAW_FROM && self.level >= DRAW_PLIES {
            Some(Wdl::Draw)
        } else {
            None
        }
    }
}
