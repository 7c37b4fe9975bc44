//! Pairs of games between two engines, one for each vector of a trial.

use std::path::Path;

use heddle::position::{Color, Game, Position};
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle_selfplay::{GameResult, Openings, play_out};

use crate::engine::{Engine, EngineError};
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
    plus: Engine,
    minus: Engine,
    openings: Openings,
    parameters: Arc<[Parameter]>,
    nodes: u64,
}

impl Board {
    /// Two processes of the engine at `path`, which search `nodes` nodes per move.
    ///
    /// # Errors
    /// [`EngineError`] when they cannot be started.
    pub fn new(
        path: &Path,
        parameters: Arc<[Parameter]>,
        nodes: u64,
        openings: Openings,
    ) -> Result<Self, EngineError> {
        let (plus, minus) = (Engine::start(path)?, Engine::start(path)?);
        Ok(Self { plus, minus, openings, parameters, nodes })
    }

    /// A game from `opening` in which `plus` has `color`.
    fn game(&mut self, opening: &Position, color: Color) -> Result<GameResult, EngineError> {
        self.plus.new_game()?;
        self.minus.new_game()?;
        let (fen, mut moves) = (opening.fen(), String::new());
        let mut failed = None;
        let result = play_out(Game::new(opening.clone()), &Tablebases::default(), |game| {
            let position = game.position();
            let turn = position.turn();
            let engine = if turn == color { &mut self.plus } else { &mut self.minus };
            let found = engine.search(&fen, &moves, position, self.nodes);
            let (m, score) = found.map_err(|error| failed = Some(error)).ok()?;
            moves.push(' ');
            moves.push_str(&heddle::position::uci(m, position.is_chess960()));
            Some((m, Some(turn.fold_wb(score, -score))))
        });
        result.ok_or_else(|| failed.expect("only a failure ends a game early"))
    }
}

impl Pairing for Board {
    type Error = EngineError;

    fn play(&mut self, trial: &Trial) -> Result<i32, EngineError> {
        let opening = self.openings.get(trial.opening).expect("nobody stops the judge");
        self.plus.set(&self.parameters, &trial.plus)?;
        self.minus.set(&self.parameters, &trial.minus)?;
        let mut result = 0;
        for color in Color::ALL {
            result += match self.game(&opening, color)? {
                GameResult::Draw => 0,
                won if won == GameResult::win(color) => 1,
                _ => -1,
            };
        }
        Ok(result)
    }
}
