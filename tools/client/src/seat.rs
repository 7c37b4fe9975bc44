//! An engine that is started again after a fault: a side of a match, or a teacher.

use std::time::Duration;

use heddle::position::Position;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;

use crate::{Fault, Session, Spec, Thought};

/// The option without which Chess960 cannot be played.
const CHESS960: &str = "UCI_Chess960";

/// How the engines are started.
#[derive(Clone)]
pub struct House {
    /// Size of the tables in MiB, unless an engine's options say otherwise.
    pub hash: usize,
    /// The longest wait for an answer.
    pub patience: Duration,
    /// Ends every wait.
    pub cancel: Arc<StopFlag>,
}

/// One side.
pub struct Seat {
    spec: Spec,
    house: House,
    /// Options of the pair that is played.
    options: Vec<(String, String)>,
    /// `None` before the first game and after a fault.
    session: Option<Session>,
}

impl Seat {
    /// A seat for an engine, which is started with its first game.
    pub fn new(spec: Spec, house: House) -> Self {
        Self { spec, house, options: Vec::new(), session: None }
    }

    /// The longest wait for an answer.
    pub fn patience(&self) -> Duration {
        self.house.patience
    }

    /// Sets options for the games to come. An engine that does not take them is started again with
    /// the next game, which reports why it cannot have them.
    pub fn set(&mut self, options: Vec<(String, String)>) {
        if self.options != options {
            self.options = options;
            if let Some(session) = &mut self.session
                && session.set(&self.options).is_err()
            {
                self.session = None;
            }
        }
    }

    /// The engine, started if need be.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn session(&mut self) -> Result<&mut Session, Fault> {
        let started = match self.session.take() {
            Some(session) => session,
            None => {
                let House { hash, patience, cancel } = &self.house;
                let mut session = Session::start(&self.spec, *hash, *patience, Arc::clone(cancel))?;
                session.set(&self.options)?;
                session
            }
        };
        Ok(self.session.insert(started))
    }

    /// Prepares the engine for a game. One that has died since the last game is started again; the
    /// fault is returned.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn new_game(&mut self, opening: &Position) -> Result<Option<Fault>, Fault> {
        let mut died = None;
        if self.session.is_some() {
            match self.prepare(opening) {
                Err(Fault::Interrupted) => return Err(Fault::Interrupted),
                Err(fault) => died = Some(fault),
                Ok(()) => return Ok(None),
            }
            self.session = None;
        }
        self.prepare(opening)?;
        Ok(died)
    }

    fn prepare(&mut self, opening: &Position) -> Result<(), Fault> {
        let is_chess960 = opening.is_chess960();
        let session = self.session()?;
        // Every time, since an engine that was started again has forgotten it.
        if is_chess960 || session.offers(CHESS960) {
            session.set(&[(CHESS960.into(), is_chess960.to_string())])?;
        }
        session.new_game()
    }

    /// The engine's move. It ends after a fault.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn think(
        &mut self,
        position: &Position,
        setup: &str,
        go: &str,
        limit: Duration,
    ) -> Result<Thought, Fault> {
        let thought = self.session()?.think(position, setup, go, limit);
        thought.inspect_err(|_| self.session = None)
    }
}
