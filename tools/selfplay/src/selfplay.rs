//! Games of the engine against itself.

use fastrand::Rng;

use crate::adjudicate::{Length, MAX_PLIES, play_out};
use crate::format::Record;
use crate::openings::{Variety, draw};
use crate::player::Player;
use heddle::engine::EngineError;
use heddle::eval::nnue::network::Network;
use heddle::position::{Color, Game};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;

/// Spreads the game numbers over all seeds (the golden ratio, as in Fibonacci hashing). Changing it
/// would make existing files irreproducible.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The largest advantage of a side after the opening, in centipawns: a larger one decides the game
/// more often than the moves that follow.
const MAX_LEAD: i32 = 100;
/// An opening is judged by a search of this many times the nodes of a move, but of at most
/// [`MAX_JUDGED`].
const JUDGED: u64 = 10;
/// The most nodes that judge an opening.
const MAX_JUDGED: u64 = 20_000;

/// How games are played.
#[derive(Clone)]
pub struct Rules {
    /// Nodes of each move, about.
    pub nodes: u64,
    /// Determines the openings.
    pub seed: u64,
    /// How the openings are drawn.
    pub variety: Variety,
    /// They end a game once they know its result; the players do not probe them.
    pub tablebases: Arc<Tablebases>,
}

/// Two players, which share nothing but the network, if they have the same.
pub struct Match {
    players: [Player; 2],
    rules: Rules,
}

impl Match {
    /// Players with a transposition table of `hash` MiB each that evaluate with these `networks`
    /// (or, without one, with the classical evaluation).
    ///
    /// # Errors
    /// [`EngineError`] if the memory cannot be allocated.
    pub fn new(
        hash: usize,
        rules: Rules,
        networks: [Option<&Arc<Network>>; 2],
        stop: &Arc<StopFlag>,
    ) -> Result<Self, EngineError> {
        let [first, second] = networks.map(|network| Player::new(hash, network.cloned(), stop));
        Ok(Self { players: [first?, second?], rules })
    }

    /// Draws the openings by another seed from now on.
    pub fn set_seed(&mut self, seed: u64) {
        self.rules.seed = seed;
    }

    /// Plays game `number`, the first player White. It depends only on its number, the rules, the
    /// size of the transposition tables and the networks; `None` if stopped.
    pub fn play(&mut self, number: u64) -> Option<Record> {
        let opening = self.opening(number)?;
        self.play_from(opening, Color::White)
    }

    /// Plays game `number` twice, the second time with the second player White; `None` if stopped.
    pub fn play_twice(&mut self, number: u64) -> Option<[Record; 2]> {
        let opening = self.opening(number)?;
        let first = self.play_from(opening.clone(), Color::White)?;
        Some([first, self.play_from(opening, Color::Black)?])
    }

    /// The opening of game `number`, judged by the second player: of two networks that play, the
    /// known one.
    fn opening(&mut self, number: u64) -> Option<Game> {
        let Rules { nodes, seed, variety, .. } = self.rules;
        let mut rng = Rng::with_seed(seed.wrapping_add(number.wrapping_mul(SPREAD)));
        let judge = &mut self.players[1];
        judge.clear();
        let judged = nodes.saturating_mul(JUDGED).min(MAX_JUDGED);
        Some(Game::new(draw(variety, MAX_LEAD, judged, &mut rng, judge)?))
    }

    /// Plays a game in which the first player has the pieces of `first`.
    fn play_from(&mut self, game: Game, first: Color) -> Option<Record> {
        // Both sides start with empty tables: entries of the judge's longer search would help only
        // one side, and used to cost White some points.
        self.players.iter_mut().for_each(Player::clear);
        let mut record = Record::new(game.position());
        // The random moves of the opening count.
        let length = Length { played: game.position().game_ply(), most: MAX_PLIES };
        let result = play_out(game, &self.rules.tablebases, length, |game| {
            let turn = game.position().turn();
            let player = &mut self.players[usize::from(turn != first)];
            let (m, score) = player.search(game, self.rules.nodes)?;
            let white_score = turn.fold_wb(score, -score);
            record.push(m, white_score.get() as i16);
            Some((m, Some(white_score)))
        })?;
        record.set_result(result);
        Some(record)
    }
}
