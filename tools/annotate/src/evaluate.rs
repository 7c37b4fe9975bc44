//! Searches the positions of a game.

use std::time::Duration;

use heddle::engine::{Engine, EngineError, Settings};
use heddle::eval::nnue::eval_file::EvalFileError;
use heddle::position::{self, Move, Position};
use heddle::score::{Depth, Score};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle::wdl::{self, MODEL};

use crate::args::Args;
use crate::game::Game;

/// Why nothing can be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The engine cannot allocate its table or start its threads.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The network cannot be loaded.
    #[error(transparent)]
    Network(#[from] EvalFileError),
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The score, for the side to move.
    pub score: Score,
    /// The depth reached, in plies; 0 if the game is over.
    pub depth: Depth,
    /// The best moves; none if the game is over.
    pub line: Vec<Move>,
}

impl Evaluation {
    /// The score to expect from the game for the side to move: 1 for a win, 0.5 for a draw.
    pub fn expected(&self, position: &Position) -> f64 {
        let chances = MODEL.chances(self.score, wdl::material(position));
        f64::from(2 * chances.win + chances.draw) / 2000.0
    }

    /// The same from White's side.
    pub fn expected_by_white(&self, position: &Position) -> f64 {
        let expected = self.expected(position);
        position.turn().fold_wb(expected, 1.0 - expected)
    }
}

/// Evaluates positions with one engine.
pub struct Evaluator {
    engine: Engine,
    limits: Limits,
    cancel: Arc<StopFlag>,
}

impl Evaluator {
    /// An evaluator as `args` ask for; when `cancel` is raised, it evaluates no more.
    pub fn new(args: &Args, cancel: Arc<StopFlag>) -> Result<Self, SetupError> {
        let mut engine = Engine::new(args.threads, args.hash)?;
        engine.set_network(args.eval.load()?);
        let move_time = args.nodes.is_none().then(|| Duration::from_millis(args.movetime));
        let limits = Limits { nodes: args.nodes, move_time, ..Limits::default() };
        Ok(Self { engine, limits, cancel })
    }

    /// Evaluates the positions of `game` and calls `on_position` after each, see [`evaluate`].
    pub fn evaluate(
        &mut self,
        game: &Game,
        mut on_position: impl FnMut(),
    ) -> Vec<Option<Evaluation>> {
        let searches =
            Searches { engine: &mut self.engine, limits: &self.limits, cancel: &self.cancel };
        evaluate(searches, game, |news| {
            if let News::Found(..) = news {
                on_position();
            }
        })
    }
}

/// What the searches of [`evaluate`] have in common.
pub struct Searches<'a> {
    /// The engine.
    pub engine: &'a mut Engine,
    /// Limits of each search.
    pub limits: &'a Limits,
    /// Raised to evaluate no more.
    pub cancel: &'a StopFlag,
}

/// What [`evaluate`] reports.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// A position is being searched. Comes often, so that the receiver can cancel.
    Searching,
    /// The position after this number of plies has its evaluation.
    Found(usize, &'a Evaluation),
}

/// Evaluates the positions of `game`. It begins with the last, so that each search knows what came
/// of the position in the game. If it was cancelled, the first ones are missing.
pub fn evaluate(
    mut searches: Searches<'_>,
    game: &Game,
    mut on_news: impl FnMut(News<'_>),
) -> Vec<Option<Evaluation>> {
    searches.engine.clear();
    let mut found = vec![None; game.moves.len() + 1];
    for (ply, found) in found.iter_mut().enumerate().rev() {
        let mut history = position::Game::new(game.start.clone());
        let is_played = game.moves[..ply].iter().all(|&m| history.play_or_pass(m));
        debug_assert!(is_played, "the moves were found to be legal");
        let evaluation = searches.one(&history, &mut || on_news(News::Searching));
        // A search that was cut short says little.
        if searches.cancel.is_raised() {
            break;
        }
        on_news(News::Found(ply, &evaluation));
        *found = Some(evaluation);
    }
    found
}

impl Searches<'_> {
    fn one(&mut self, history: &position::Game, on_news: &mut dyn FnMut()) -> Evaluation {
        let position = history.position();
        let over = |score| Evaluation { score, depth: 0, line: Vec::new() };
        if position.is_checkmate() {
            return over(Score::mated_in(0));
        }
        if position.legal_moves().is_empty() || history.is_draw() {
            return over(Score::DRAW);
        }
        let evaluation = self.within(history, self.limits, on_news);
        if evaluation.depth == 0 {
            // The limit was too small for a score, and no score is no draw.
            let one_ply = Limits { depth: Some(1), ..Limits::default() };
            return self.within(history, &one_ply, on_news);
        }
        evaluation
    }

    /// The result of a search within `limits`.
    fn within(
        &mut self,
        history: &position::Game,
        limits: &Limits,
        on_news: &mut dyn FnMut(),
    ) -> Evaluation {
        let settings = Settings::default();
        let outcome =
            self.engine.search(history, limits, &settings, self.cancel, |_, _, _| on_news());
        let best = outcome.lines.into_iter().next().expect("there is a legal move");
        Evaluation { score: best.score, depth: best.depth, line: best.moves }
    }
}
