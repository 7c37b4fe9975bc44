//! Pairs of games between two engines, one for each vector of a trial.

use std::path::Path;

use heddle::sync::Arc;
use heddle_client::{House, Seat};
use heddle_scaling::games::{Duel, Limit, Odds, Pair, Rules};
use heddle_selfplay::Openings;

use crate::engine::{EngineError, spec};
use crate::parameter::Parameter;
use crate::spsa::Trial;

/// Plays the two vectors of a trial against each other.
pub trait Pairing: Send {
    /// Why a pair cannot be played.
    type Error: Send;

    /// The result of a pair of games: those that `plus` won less those that it lost.
    ///
    /// # Errors
    /// When a game cannot be finished; the pair then counts as not played.
    fn play(&mut self, trial: &Trial) -> Result<i32, Self::Error>;
}

/// Two engines at a board.
pub struct Board {
    duel: Duel,
    odds: Odds,
    parameters: Arc<[Parameter]>,
}

impl Board {
    /// Two processes of the engine at `path`, which search `nodes` nodes a move.
    pub fn new(
        path: &Path,
        house: &House,
        parameters: Arc<[Parameter]>,
        nodes: u64,
        openings: Openings,
    ) -> Self {
        let name = path.display().to_string();
        let rules =
            Rules { is_adjudicated: true, ..Rules::new([name.clone(), name], Limit::Nodes(nodes)) };
        let seats = [(); 2].map(|()| Seat::new(spec(path), house.clone()));
        let odds = Odds { threads: 1, nodes, multiple: 1.0 };
        Self { duel: Duel::new(seats, openings, rules, None), odds, parameters }
    }
}

impl Pairing for Board {
    type Error = EngineError;

    fn play(&mut self, trial: &Trial) -> Result<i32, EngineError> {
        let options = [&trial.plus, &trial.minus].map(|values| {
            let pairs = self.parameters.iter().zip(values);
            pairs.map(|(parameter, value)| (parameter.name.clone(), value.to_string())).collect()
        });
        let pair = Pair { odds: self.odds, opening: trial.opening };
        let twice = self.duel.play_twice(&pair, options)?;
        let twice = twice.expect("nobody stops the games");
        if let Some(fault) = twice.faults.into_iter().next() {
            return Err(EngineError::Lost(fault));
        }
        // A win is worth a point more than a draw, and a loss one less.
        Ok(twice.points.iter().map(|points| (2.0 * points) as i32 - 1).sum())
    }
}
