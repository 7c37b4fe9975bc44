//! Pairs of games between two engines, one for each vector of a trial.

use std::path::Path;

use fastrand::Rng;

use heddle::commands::genfens::{MAX_SCORE, NODES};
use heddle::engine::EngineError as PlayerError;
use heddle::eval::nnue::network::Network;
use heddle::position::{Color, Game, Position};
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle::text::suite::{self, SuiteError};
use heddle_selfplay::{GameResult, Player, Variety, draw_opening, play_out};

use crate::engine::{Engine, EngineError};
use crate::parameter::Parameter;
use crate::spsa::Trial;

/// Size of the transposition table of the judge of random openings, in MiB.
const JUDGE_HASH: usize = 1;

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

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be used.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The judge of random openings cannot be given its memory.
    #[error(transparent)]
    Judge(#[from] PlayerError),
}

/// Where games begin.
pub enum Openings {
    /// At one of these positions.
    Listed(Arc<[Position]>),
    /// After random moves that leave neither side far ahead, in this player's judgement.
    Random(Box<Player>),
}

impl Openings {
    /// The positions of the EPD file `path`.
    ///
    /// # Errors
    /// [`OpeningsError`] when it cannot be read or a game cannot begin at one of them.
    pub fn read(path: &Path) -> Result<Arc<[Position]>, OpeningsError> {
        Ok(suite::read_unfinished(path)?.into_iter().map(|named| named.position).collect())
    }

    /// Random openings, judged with `network`.
    ///
    /// # Errors
    /// [`OpeningsError::Judge`].
    pub fn random(network: Option<Arc<Network>>) -> Result<Self, OpeningsError> {
        Ok(Self::Random(Box::new(Player::new(JUDGE_HASH, network, &Arc::default())?)))
    }

    /// The opening that `seed` determines.
    fn draw(&mut self, seed: u64) -> Position {
        let mut rng = Rng::with_seed(seed);
        match self {
            Self::Listed(positions) => positions[rng.usize(..positions.len())].clone(),
            Self::Random(judge) => {
                judge.clear();
                draw_opening(Variety::Plain, MAX_SCORE, NODES, &mut rng, judge)
                    .expect("nobody stops the judge")
            }
        }
    }
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
            Some((m, turn.fold_wb(score, -score)))
        });
        result.ok_or_else(|| failed.expect("only a failure ends a game early"))
    }
}

impl Pairing for Board {
    type Error = EngineError;

    fn play(&mut self, trial: &Trial) -> Result<i32, EngineError> {
        let opening = self.openings.draw(trial.opening);
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
