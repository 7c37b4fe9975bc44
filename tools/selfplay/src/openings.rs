//! Random openings, which make every game different.

use fastrand::Rng;
use heddle::commands::genfens::{MAX_SCORE, NODES, PLIES};
use heddle::position::{Game, Position};

use crate::player::Player;

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
    for _ in 0..PLIES + u64::from(rng.bool()) {
        let m = rng.choice(position.legal_moves())?;
        position = position.play(m);
    }
    (!position.legal_moves().is_empty()).then_some(position)
}
