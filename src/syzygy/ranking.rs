//! The moves of a root, ranked by the tables.
//!
//! Tablebases have the result and the distance to the next capture or pawn move, but not the
//! distance to mate. So they do not choose the move; they show which moves keep the result, and the
//! search chooses among them. While there is time, all certain wins rank equal. Once the fifty-move
//! rule comes near or a position has been repeated, the nearest capture or pawn move ranks first,
//! so that a won position is won. Source: R. de Man's `probe_root`, 2013; in this form, Stockfish.

use crate::position::{FIFTY_MOVES, Game, Move};
use crate::score::Score;

use super::{Probing, Tablebases, TbResult};

/// The rank of a certain win; farther from zero than any distance.
const CERTAIN: i32 = 1 << 18;
/// Half moves that the fifty-move rule grants.
const LIMIT: i32 = FIFTY_MOVES as i32;
/// The halfmove clock beyond which nothing changes.
const MAX_CLOCK: u32 = 10 * FIFTY_MOVES;
/// The distance of a result that the fifty-move rule takes away, by a capture or pawn move at once.
const CURSED: i32 = LIMIT + 1;
/// The scores in centipawns of a win that the fifty-move rule may take away.
const CURSED_SCORE: std::ops::RangeInclusive<i32> = 1..=50;

/// A root move, ranked by the tables.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RankedMove {
    /// The move.
    pub m: Move,
    /// The higher, the better. The search chooses among moves of equal rank.
    pub rank: i32,
    /// The score of the root, if this move is played.
    pub score: Score,
}

/// All legal moves of a root, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The moves.
    pub moves: Vec<RankedMove>,
    /// The distances are known, not only the results.
    pub by_distance: bool,
}

impl Ranking {
    /// The search need not probe the tables: the ranking keeps the result, and a search without
    /// them sees how to mate.
    pub fn suffices(&self) -> bool {
        self.by_distance || self.moves.first().is_none_or(|best| best.score <= Score::DRAW)
    }
}

impl Tablebases {
    /// Ranks the legal moves of the position of `game`, by distance if those tables are there, else
    /// by result. `None` if the position is not in the tables.
    pub fn rank(&self, game: &Game, probing: Probing) -> Option<Ranking> {
        let position = game.position();
        let pieces = position.occupied().count();
        if pieces > self.max_pieces().min(probing.limit) || position.has_castling_rights() {
            return None;
        }
        let ranked = |rank: fn(&Self, &Game, Move, Probing) -> Option<i32>| {
            let moves = position.legal_moves().into_iter();
            let mut moves = moves
                .map(|m| {
                    let rank = rank(self, game, m, probing)?;
                    Some(RankedMove { m, rank, score: score(rank, probing) })
                })
                .collect::<Option<Vec<_>>>()?;
            moves.sort_by_key(|ranked| -ranked.rank);
            Some(moves)
        };
        let by_distance = ranked(Self::distance_rank).map(|moves| (moves, true));
        let (moves, by_distance) =
            by_distance.or_else(|| ranked(Self::result_rank).map(|moves| (moves, false)))?;
        Some(Ranking { moves, by_distance })
    }

    /// The rank of a move by the distance to the next capture or pawn move.
    fn distance_rank(&self, game: &Game, m: Move, probing: Probing) -> Option<i32> {
        let next = after(game, m);
        let distance = if is_drawn(&next, probing) {
            0
        } else if m.is_zeroing() {
            before_zeroing(-self.probe_wdl(next.position())?)
        } else {
            let distance = -self.probe_dtz(next.position())?;
            distance + distance.signum()
        };
        let mates = distance > 0 && next.position().is_checkmate();
        let distance = if mates { 1 } else { distance };
        let clock = game.position().halfmove_clock().min(MAX_CLOCK) as i32;
        Some(if distance > 0 {
            let in_time = distance + clock < LIMIT && !game.has_repeated();
            if in_time || mates { CERTAIN } else { CERTAIN - (distance + clock) }
        } else if distance < 0 {
            // The search chooses how to defend, until a draw by the fifty-move rule comes into
            // sight.
            let in_sight = -2 * distance + clock >= LIMIT;
            if in_sight { -CERTAIN + (clock - distance) } else { -CERTAIN }
        } else {
            0
        })
    }

    /// The rank of a move by its result.
    fn result_rank(&self, game: &Game, m: Move, probing: Probing) -> Option<i32> {
        let next = after(game, m);
        if is_drawn(&next, probing) {
            return Some(0);
        }
        Some(match -self.probe_wdl(next.position())? {
            TbResult::Win => CERTAIN,
            TbResult::CursedWin => CERTAIN - CURSED,
            TbResult::Draw => 0,
            TbResult::BlessedLoss => -CERTAIN + CURSED,
            TbResult::Loss => -CERTAIN,
        })
    }
}

fn after(game: &Game, m: Move) -> Game {
    let mut next = game.clone();
    next.play(m);
    next
}

/// Drawn by repetition or, if it counts, by the fifty-move rule: rules of the game's history, which
/// the tables do not know.
fn is_drawn(game: &Game, probing: Probing) -> bool {
    if probing.fifty_moves { game.is_draw() } else { game.is_threefold() }
}

/// The distance where the next move is a capture or pawn move that leads to `result`.
fn before_zeroing(result: TbResult) -> i32 {
    match result {
        TbResult::Win => 1,
        TbResult::CursedWin => CURSED,
        TbResult::Draw => 0,
        TbResult::BlessedLoss => -CURSED,
        TbResult::Loss => -1,
    }
}

/// The score of the root if a move of `rank` is played.
fn score(rank: i32, probing: Probing) -> Score {
    let missing = CERTAIN - rank.abs();
    let is_decisive = rank != 0 && (!probing.fifty_moves || missing <= LIMIT);
    let (least, most) = CURSED_SCORE.into_inner();
    let worth = if is_decisive {
        Score::TABLEBASE_WIN.get()
    } else if rank == 0 {
        0
    } else {
        (most + (LIMIT - missing) / 2).clamp(least, most)
    };
    Score::new(worth * rank.signum())
}
