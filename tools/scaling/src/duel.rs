//! Games of many threads against one thread with more nodes.
//!
//! Both sides search a fixed number of nodes per move; the many run in lockstep, so that each gets
//! an equal share. Openings are random and played twice, with colors reversed; a game depends only
//! on its opening, the threads and the nodes.
//!
//! In lockstep every turn wakes a thread. That takes longest between two processors, and only one
//! thread runs at a time, so all threads of a duel are bound to one processor.

use fastrand::Rng;

use crate::ranks::{Machines, Ranks};
use heddle::commands::genfens::{MAX_SCORE, NODES};
use heddle::commands::runner;
use heddle::engine::{Engine, EngineError, Settings};
use heddle::eval::nnue::network::Network;
use heddle::numa;
use heddle::position::{Color, Game, Position};
use heddle::score::Depth;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle::time::limits::Limits;
use heddle_selfplay::{GameResult, Player, Variety, draw_opening, play_out};

/// Size of the judge's transposition table, in MiB.
const JUDGE_HASH: usize = 1;
/// Depth of the signature search, in plies: it takes milliseconds.
const SIGNATURE_DEPTH: Depth = 8;

/// What each side may spend on a move.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Odds {
    /// Number of workers on the many side.
    pub threads: usize,
    /// Nodes of each of them.
    pub nodes: u64,
    /// Nodes of the single thread relative to each of the many.
    pub multiple: f64,
}

impl Odds {
    fn many(&self) -> u64 {
        self.nodes * self.threads as u64
    }

    fn alone(&self) -> u64 {
        (self.nodes as f64 * self.multiple).round().max(1.0) as u64
    }
}

/// Two sides, and the judge of their openings.
pub struct Duel {
    many: Machines,
    alone: Engine,
    judge: Player,
    cancel: Arc<StopFlag>,
    seed: u64,
    max_lead: i32,
    hash: usize,
    processor: Option<usize>,
}

impl Duel {
    /// Engines with a table of `hash` MiB each that evaluate with `network`, or with the classical
    /// evaluation if there is none. `cancel` ends their games; `seed` determines the openings.
    ///
    /// # Errors
    /// [`EngineError`] when a table cannot be allocated.
    pub fn new(
        hash: usize,
        network: Option<&Arc<Network>>,
        cancel: Arc<StopFlag>,
        seed: u64,
    ) -> Result<Self, EngineError> {
        let mut alone = Engine::new(1, hash)?;
        alone.set_network(network.cloned());
        let judge = Player::new(JUDGE_HASH, network.cloned(), &Arc::default())?;
        let many = Machines::new(Ranks::ONE, hash, network)?;
        Ok(Self { many, alone, judge, cancel, seed, max_lead: MAX_SCORE, hash, processor: None })
    }

    /// A duel that is played on `processor`, if that is known. Its engines' threads run where the thread
    /// that made them was bound.
    #[must_use]
    pub fn on_processor(self, processor: Option<usize>) -> Self {
        Self { processor, ..self }
    }

    /// Binds this thread, which is to play the duel, to the duel's processor, if it has one.
    pub fn bind_thread(&self) {
        if let Some(processor) = self.processor {
            numa::bind(&[processor]);
        }
    }

    /// Opens the games with positions in which neither side is ahead by more than `max_lead` centipawns,
    /// rather than [`MAX_SCORE`].
    #[must_use]
    pub fn with_max_lead(self, max_lead: i32) -> Self {
        Self { max_lead, ..self }
    }

    /// Divides the many among `ranks`, if there are any.
    ///
    /// # Errors
    /// [`EngineError`], if the table of a rank cannot be allocated.
    pub fn with_ranks(self, ranks: Option<Ranks>) -> Result<Self, EngineError> {
        let Some(ranks) = ranks else { return Ok(self) };
        let many = Machines::new(ranks, self.hash, self.alone.network())?;
        Ok(Self { many, ..self })
    }

    /// The points of the many side in two games from opening `number`, from 0 to 1; `None` if
    /// cancelled.
    ///
    /// # Errors
    /// [`EngineError`], when the threads cannot be started.
    pub fn play_pair(
        &mut self,
        number: u64,
        odds: &Odds,
        settings: &Settings,
    ) -> Result<Option<f64>, EngineError> {
        self.many.set_threads(odds.threads)?;
        let mut rng = Rng::with_seed(self.seed.wrapping_add(number));
        self.judge.clear();
        let judge = &mut self.judge;
        let opening = draw_opening(Variety::Plain, self.max_lead, NODES, &mut rng, judge);
        let Some(opening) = opening else { return Ok(None) };
        let mut points = 0.0;
        for color in Color::ALL {
            let Some(result) = self.play(opening.clone(), color, odds, settings) else {
                return Ok(None);
            };
            points += match result {
                GameResult::Draw => 0.5,
                won => f64::from(u8::from(won == GameResult::win(color))),
            };
        }
        Ok(Some(points / 2.0))
    }

    /// The node count of a search by two of the many, or two of each rank. A change of the engine, the network or the
    /// settings that could change a game is likely to change it.
    ///
    /// # Errors
    /// [`EngineError`], when the threads cannot be started.
    pub fn signature(&mut self, settings: &Settings) -> Result<u64, EngineError> {
        self.many.set_threads(2 * self.many.ranks())?;
        self.many.clear();
        let limits = Limits { depth: Some(SIGNATURE_DEPTH), ..Limits::default() };
        let _ = self.many.search(&Game::default(), &limits, settings, &StopFlag::default());
        Ok(self.many.nodes())
    }

    /// One game, in which the many side plays `color`; `None` if cancelled.
    fn play(
        &mut self,
        opening: Position,
        color: Color,
        odds: &Odds,
        settings: &Settings,
    ) -> Option<GameResult> {
        self.many.clear();
        self.alone.clear();
        let Self { many, alone, cancel, .. } = self;
        play_out(Game::new(opening), &Tablebases::default(), |game| {
            let turn = game.position().turn();
            let within = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
            let outcome = if turn == color {
                many.search(game, &within(odds.many()), settings, cancel)
            } else {
                let limits = within(odds.alone());
                runner::search(alone, game, &limits, settings, cancel, |_, _, _| {})
            };
            let line = outcome.lines.first().filter(|_| !cancel.is_raised())?;
            Some((line.moves[0], turn.fold_wb(line.score, -line.score)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::sync::thread;

    fn settings() -> Settings {
        Settings { lockstep: true, quantum: 16, ..Settings::default() }
    }

    fn duel() -> Duel {
        Duel::new(1, None, Arc::default(), 1).unwrap()
    }

    #[test]
    fn a_pair_can_be_repeated_and_differs_from_the_next() {
        let odds = Odds { threads: 2, nodes: 100, multiple: 2.0 };
        let pairs = |duel: &mut Duel| {
            let pair = |number| duel.play_pair(number, &odds, &settings()).unwrap().unwrap();
            (0..6).map(pair).collect::<Vec<_>>()
        };
        let found = pairs(&mut duel());
        assert_eq!(pairs(&mut duel()), found);
        assert!(found.iter().any(|points| *points != found[0]), "{found:?}");
    }

    #[test]
    fn ten_times_the_nodes_win() {
        let odds = Odds { threads: 2, nodes: 40, multiple: 40.0 };
        let mut duel = duel();
        let pair = |number| duel.play_pair(number, &odds, &settings()).unwrap().unwrap();
        let points: f64 = (0..6).map(pair).sum();
        assert!(points < 2.0, "{points} of 6");
    }

    #[test]
    fn a_duel_on_one_processor_plays_the_same_games() {
        let allowed = numa::allowed();
        let Some(&processor) = allowed.last() else {
            return println!("skipped: the system does not say where a process may run");
        };
        let odds = Odds { threads: 2, nodes: 100, multiple: 2.0 };
        let found = thread::scope(|scope| {
            let play = || {
                numa::bind(&[processor]);
                let mut bound = duel().on_processor(Some(processor));
                numa::bind(&allowed);
                bound.bind_thread();
                let pair =
                    (0..4).map(|number| bound.play_pair(number, &odds, &settings()).unwrap());
                (pair.collect::<Vec<_>>(), numa::allowed())
            };
            scope.spawn(play).join().unwrap()
        });
        let mut free = duel();
        let pair = |number| free.play_pair(number, &odds, &settings()).unwrap();
        assert_eq!(found, ((0..4).map(pair).collect(), vec![processor]));
    }

    #[test]
    fn a_cancelled_pair_has_no_result() {
        let odds = Odds { threads: 2, nodes: 100, multiple: 1.0 };
        let mut duel = duel();
        duel.cancel.raise();
        assert_eq!(duel.play_pair(0, &odds, &settings()).unwrap(), None);
    }
}
