//! Any UCI engine as a teacher: its searches are the scores.

use std::time::Duration;

use heddle::position::{Move, Position};
use heddle::score::Score;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle_client::{Fault, Session, Spec};
use heddle_progress::tell;

use crate::filter::{MAX_SCORE, UNSCORED};

/// How long an engine may take to start, or to search one position.
const PATIENCE: Duration = Duration::from_secs(60);

/// How an engine is asked.
#[derive(Clone)]
pub struct Query {
    /// The engine.
    pub spec: Spec,
    /// Nodes per position.
    pub nodes: u64,
    /// Size of its table, in MiB.
    pub hash: usize,
    /// Our centipawns in one of its own.
    pub unit: f64,
}

/// An engine that scores positions, started again after a fault.
pub struct Oracle {
    query: Query,
    cancel: Arc<StopFlag>,
    /// `None` after a fault.
    session: Option<Session>,
}

impl Oracle {
    /// Starts the engine. `cancel` ends every wait for it.
    ///
    /// # Errors
    /// [`Fault`], if it cannot be started.
    pub fn new(query: Query, cancel: &Arc<StopFlag>) -> Result<Self, Fault> {
        let mut oracle = Self { query, cancel: Arc::clone(cancel), session: None };
        oracle.session()?;
        Ok(oracle)
    }

    /// The same with this many of our centipawns in one of the engine's.
    #[must_use]
    pub fn with_unit(self, unit: f64) -> Self {
        Self { query: Query { unit, ..self.query }, ..self }
    }

    /// Makes the engine forget what it has searched.
    ///
    /// # Errors
    /// [`Fault`], if it cannot be started again after an earlier fault.
    pub fn clear(&mut self) -> Result<(), Fault> {
        if self.session()?.new_game().is_err() {
            self.session = None;
            self.session()?;
        }
        Ok(())
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
                self.session = None;
                tell(format_args!("{}: {fault}", position.fen()));
                Ok((position.legal_moves()[0], UNSCORED))
            }
            Ok(found) => Ok(found),
        }
    }

    /// The score in the engine's centipawns, if it can be compared.
    pub fn centipawns(&mut self, position: &Position) -> Option<f64> {
        let (_, score) = self.search(position).ok()?;
        (!score.is_decisive()).then(|| f64::from(score.get()) / self.query.unit)
    }

    fn search(&mut self, position: &Position) -> Result<(Move, Score), Fault> {
        let (go, unit) = (format!("go nodes {}", self.query.nodes), self.query.unit);
        let setup = format!("position fen {}", position.fen());
        let thought = self.session()?.think(position, &setup, &go, PATIENCE)?;
        let score = thought.score.ok_or(Fault::Unreported("score"))?.score();
        let limit = f64::from(MAX_SCORE);
        let ours = (f64::from(score.get()) * unit).round().clamp(-limit, limit);
        let score = if score.is_decisive() { score } else { Score::new(ours as i32) };
        Ok((thought.best, score))
    }

    fn session(&mut self) -> Result<&mut Session, Fault> {
        let session = match self.session.take() {
            Some(session) => session,
            None => {
                let Query { spec, hash, .. } = &self.query;
                Session::start(spec, *hash, PATIENCE, Arc::clone(&self.cancel))?
            }
        };
        Ok(self.session.insert(session))
    }
}
