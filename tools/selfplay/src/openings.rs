//! Random openings, which make every game different.

use fastrand::Rng;

use crate::player::Player;
use heddle::position::{Game, Position};

/// Random plies at the start of a game; sometimes one more, so that either side may begin.
const PLIES: usize = 8;
/// Nodes after which the search that judges an opening begins no further iteration.
const NODES: u64 = 2000;
/// The largest advantage of a side in an accepted opening, in centipawns.
const MAX_SCORE: i32 = 400;

/// Draws an opening in which neither side is far ahead; `None` if `judge` was stopped.
pub fn draw(rng: &mut Rng, judge: &mut Player) -> Option<Position> {
    loop {
        let Some(position) = play_randomly(rng) else { continue };
        let (_, score) = judge.search(&Game::new(position.clone()), NODES)?;
        if score.abs().get() <= MAX_SCORE {
            return Some(position);
        }
    }
}

/// Plays random moves from the initial position; `None` if they end the game.
fn play_randomly(rng: &mut Rng) -> Option<Position> {
    let mut position = Position::default();
    for _ in 0..PLIES + usize::from(rng.bool()) {
        let m = rng.choice(position.legal_moves())?;
        position = position.play(m);
    }
    (!position.legal_moves().is_empty()).then_some(position)
}
