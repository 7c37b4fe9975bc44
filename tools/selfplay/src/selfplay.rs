//! One game of the engine against itself.

use fastrand::Rng;

use crate::adjudicate::play_out;
use crate::format::Record;
use crate::openings;
use heddle::eval::nnue::network::Network;
use heddle::position::{Color, Game, Move};
use heddle::score::Score;
use heddle::search::{Full, Settings, Shared, Task, Worker};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle::time::limits::Limits;
use heddle::tt::{Table, TableError};

/// A search is broken off at so many times the nodes after which it begins no iteration.
const HARD_LIMIT: u64 = 8;
/// Spreads the numbers of the games over all seeds (the golden ratio, as in Fibonacci hashing).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// One side: a worker with a table of its own, run on the caller's thread.
pub struct Player {
    worker: Worker,
    shared: Shared,
}

impl Player {
    /// A player with a table of `hash` MiB, who evaluates with `network`, if there is one, and gives up when `stop` is raised.
    ///
    /// # Errors
    /// [`TableError`], when the table cannot be had.
    pub fn new(
        hash: usize,
        network: Option<Arc<Network>>,
        stop: &Arc<StopFlag>,
    ) -> Result<Self, TableError> {
        let table = Arc::new(Table::new(hash)?);
        let (tablebases, correction) = (Arc::default(), Arc::default());
        let shared = Shared::new(table, network, tablebases, correction, Arc::clone(stop), 1);
        Ok(Self { worker: Worker::default(), shared })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.worker.clear();
        self.shared.table.clear_part(0, 1);
    }

    /// The move for the side to move and its score, after some `nodes`; `None` if there is none or
    /// the search was told to stop.
    pub fn search(&mut self, game: &Game, nodes: u64) -> Option<(Move, Score)> {
        self.shared.table.age();
        let limits = Limits {
            soft_nodes: Some(nodes),
            nodes: Some(nodes.saturating_mul(HARD_LIMIT)),
            ..Limits::default()
        };
        let task = Task {
            game: game.clone(),
            limits,
            settings: Settings::default(),
            ranking: None,
            workers: 1,
        };
        let outcome = self.worker.search::<Full>(0, &self.shared, &task, &|_| {});
        let line = outcome.lines.first().filter(|_| !self.shared.stop.is_raised())?;
        Some((line.moves[0], line.score))
    }
}

/// Two players, who share nothing but the network.
pub struct Match {
    players: [Player; 2],
    nodes: u64,
    seed: u64,
    tables: Arc<Tablebases>,
}

impl Match {
    /// Players with a table of `hash` MiB each, who take some `nodes` for a move and evaluate with
    /// `network`, or without one by the classical evaluation. A game that `tables` know the result of
    /// is over; the players do not look into them.
    ///
    /// # Errors
    /// [`TableError`], when the tables cannot be had.
    pub fn new(
        hash: usize,
        nodes: u64,
        seed: u64,
        network: Option<&Arc<Network>>,
        tables: &Arc<Tablebases>,
        stop: &Arc<StopFlag>,
    ) -> Result<Self, TableError> {
        let player = || Player::new(hash, network.cloned(), stop);
        let tables = Arc::clone(tables);
        Ok(Self { players: [player()?, player()?], nodes, seed, tables })
    }

    /// Plays game `number`, which the seed, the number, the nodes, the size of the tables,
    /// the network and the endgame tables determine; `None` if it was told to stop.
    pub fn play(&mut self, number: u64) -> Option<Record> {
        let mut rng = Rng::with_seed(self.seed.wrapping_add(number.wrapping_mul(SPREAD)));
        self.players[0].clear();
        let game = Game::new(openings::draw(&mut rng, &mut self.players[0])?);
        // Both sides know nothing: a table filled by a longer search than theirs does harm, and
        // would cost White some points.
        self.players.iter_mut().for_each(Player::clear);
        let mut record = Record::new(game.position());
        let result = play_out(game, &self.tables, |game| {
            let turn = game.position().turn();
            let (m, score) = self.players[turn as usize].search(game, self.nodes)?;
            let score = white_view(score, turn);
            record.push(m, score.get() as i16);
            Some((m, score))
        })?;
        record.set_result(result);
        Some(record)
    }
}

/// A score of the side to move as White sees it.
fn white_view(score: Score, turn: Color) -> Score {
    if turn.is_white() { score } else { -score }
}
