//! Any UCI engine as a teacher: its searches are the scores.

use std::time::Duration;

use heddle::position::{Move, Position};
use heddle::score::Score;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_client::{Fault, House, Seat, Spec};
use heddle_progress::tell;

use crate::filter::{MAX_SCORE, UNSCORED};

/// How long an engine may take to start, or to search one position.
const PATIENCE: Duration = Duration::from_secs(60);

/// An engine that scores positions, started again after a fault.
pub struct Oracle {
    seat: Seat,
    nodes: u64,
    /// Our centipawns in one of the engine's.
    unit: f64,
}

impl Oracle {
    /// Starts an engine with a table of `hash` MiB, whose centipawns are ours until
    /// [`Oracle::with_unit`] says otherwise. `cancel` ends every wait for it.
    ///
    /// # Errors
    /// [`Fault`], if it cannot be started.
    pub fn new(
        spec: &Spec,
        nodes: u64,
        hash: usize,
        cancel: &Arc<StopFlag>,
    ) -> Result<Self, Fault> {
        let house = House { hash, patience: PATIENCE, cancel: Arc::clone(cancel) };
        let mut seat = Seat::new(spec.clone(), house);
        seat.session()?;
        Ok(Self { seat, nodes, unit: 1.0 })
    }

    /// The same with this many of our centipawns in one of the engine's.
    #[must_use]
    pub fn with_unit(self, unit: f64) -> Self {
        Self { unit, ..self }
    }

    /// Makes the engine forget what it has searched, before positions of another game; `position`
    /// is one of them.
    ///
    /// # Errors
    /// [`Fault`], if it cannot be started again after an earlier fault.
    pub fn clear(&mut self, position: &Position) -> Result<(), Fault> {
        self.seat.new_game(position).map(drop)
    }

    /// The engine's move and score of a position. An engine that dies or hangs is reported and
    /// started again, and the position is [`UNSCORED`].
    ///
    /// # Errors
    /// [`Fault`], if it cannot be started again, or the search was interrupted.
    pub fn score(&mut self, position: &Position) -> Result<(Move, Score), Fault> {
        match self.search(position) {
            Err(fault @ (Fault::Interrupted | Fault::Start { .. })) => Err(fault),
            Err(fault) => {
                tell(format_args!("{}: {fault}", position.fen()));
                Ok((position.legal_moves()[0], UNSCORED))
            }
            Ok((best, score)) => Ok((best, self.scaled(score))),
        }
    }

    /// The score in the engine's centipawns, if it can be compared.
    pub fn centipawns(&mut self, position: &Position) -> Option<f64> {
        let (_, score) = self.search(position).ok()?;
        (!score.is_decisive()).then(|| score.get().into())
    }

    /// The move, and the score with the engine's centipawns.
    fn search(&mut self, position: &Position) -> Result<(Move, Score), Fault> {
        let setup = format!("position fen {}", position.fen());
        let go = format!("go nodes {}", self.nodes);
        let thought = self.seat.think(position, &setup, &go, PATIENCE)?;
        Ok((thought.best, thought.score.ok_or(Fault::Unreported("score"))?.score()))
    }

    /// A score in our centipawns, within ±[`MAX_SCORE`] unless it is proved.
    fn scaled(&self, score: Score) -> Score {
        if score.is_decisive() {
            return score;
        }
        let limit = f64::from(MAX_SCORE);
        let ours = f64::from(score.get()) * self.unit;
        Score::new(ours.round().clamp(-limit, limit) as i32)
    }
}
