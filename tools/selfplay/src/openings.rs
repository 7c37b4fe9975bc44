//! Openings, which make every game different: random ones, or those of a file.

use std::path::Path;

use clap::ValueEnum;
use fastrand::Rng;
use heddle::commands::genfens::{NODES, PLIES};
use heddle::engine::EngineError;
use heddle::eval::nnue::network::Network;
use heddle::position::{Bitboard, CHESS960_STARTS, Game, Move, Position};
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::suite::{self, SuiteError};

use crate::player::Player;

/// Size of the judge's transposition table, in MiB.
const JUDGE_HASH: usize = 1;

/// Share of varied openings that begin from a Chess960 start, in per cent.
const CHESS960_PERCENT: u8 = 15;

/// Openings to judge before the most level of them is taken.
const ATTEMPTS: u32 = 100;

/// How openings are drawn.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Variety {
    /// Random moves from the initial position, each of them as likely
    #[default]
    Plain,
    /// Each piece as likely to move, and some games from Chess960 starts drawn for each side
    Varied,
}

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The file cannot be used.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The judge of random openings cannot be given its memory.
    #[error(transparent)]
    Judge(#[from] EngineError),
}

/// Where games begin.
pub enum Openings {
    /// At these positions, one after the other, and again from the first.
    Listed(Arc<[Position]>),
    /// After random moves.
    Random {
        /// Says which side is ahead.
        judge: Box<Player>,
        /// The largest advantage of a side, in centipawns.
        max_lead: i32,
    },
}

impl Openings {
    /// The positions of the file `path`: one a line, or those after at most `plies` of its games
    /// in PGN.
    ///
    /// # Errors
    /// [`OpeningsError`] when it cannot be read or a game cannot begin at one of them.
    pub fn read(path: &Path, plies: Option<usize>) -> Result<Arc<[Position]>, OpeningsError> {
        Ok(suite::read_unfinished(path, plies)?.into_iter().map(|named| named.position).collect())
    }

    /// Random openings that leave neither side ahead by more than `max_lead` centipawns, judged
    /// with `network` until `stop` is raised.
    ///
    /// # Errors
    /// [`OpeningsError::Judge`].
    pub fn random(
        network: Option<Arc<Network>>,
        max_lead: i32,
        stop: &Arc<StopFlag>,
    ) -> Result<Self, OpeningsError> {
        let judge = Box::new(Player::new(JUDGE_HASH, network, stop)?);
        Ok(Self::Random { judge, max_lead })
    }

    /// The opening of a pair of games: of a file the one of this number, a random one by the seed
    /// as well; `None` if stopped.
    pub fn of_pair(&mut self, seed: u64, number: u64) -> Option<Position> {
        match self {
            Self::Listed(_) => self.get(number),
            Self::Random { .. } => self.get(seed.wrapping_add(number)),
        }
    }

    /// The opening of this number; `None` if stopped.
    pub fn get(&mut self, number: u64) -> Option<Position> {
        match self {
            Self::Listed(positions) => {
                Some(positions[(number % positions.len() as u64) as usize].clone())
            }
            Self::Random { judge, max_lead } => {
                judge.clear();
                let mut rng = Rng::with_seed(number);
                draw(Variety::Plain, *max_lead, NODES, &mut rng, judge)
            }
        }
    }
}

/// Draws an opening in which, to a search of `nodes` nodes, neither side is ahead by more than
/// `max_lead` centipawns, or the most level of [`ATTEMPTS`] if there is none; `None` if `judge` was
/// stopped.
pub fn draw(
    variety: Variety,
    max_lead: i32,
    nodes: u64,
    rng: &mut Rng,
    judge: &mut Player,
) -> Option<Position> {
    let mut positions = std::iter::repeat_with(|| play_randomly(variety, rng)).flatten();
    let mut most_level: Option<(i32, Position)> = None;
    for _ in 0..ATTEMPTS {
        let position = positions.next()?;
        let (_, score) = judge.search(&Game::new(position.clone()), nodes)?;
        let lead = score.abs().get();
        if lead <= max_lead {
            return Some(position);
        }
        if most_level.as_ref().is_none_or(|&(least, _)| lead < least) {
            most_level = Some((lead, position));
        }
    }
    most_level.map(|(_, position)| position)
}

/// Plays random moves; `None` if they end the game.
fn play_randomly(variety: Variety, rng: &mut Rng) -> Option<Position> {
    let mut position = match variety {
        Variety::Varied if rng.u8(..100) < CHESS960_PERCENT => double_chess960(rng),
        _ => Position::default(),
    };
    for _ in 0..PLIES + u64::from(rng.bool()) {
        let m = match variety {
            Variety::Plain => rng.choice(position.legal_moves())?,
            Variety::Varied => by_piece(rng, &position)?,
        };
        position = position.play(m);
    }
    (!position.legal_moves().is_empty()).then_some(position)
}

/// A random move of a random piece, so that the queen, once she is out, moves no more often than
/// others.
fn by_piece(rng: &mut Rng, position: &Position) -> Option<Move> {
    let moves = position.legal_moves();
    let movable: Bitboard = moves.iter().map(|m| m.from()).collect();
    let from = rng.choice(movable.into_iter().collect::<Vec<_>>())?;
    rng.choice(moves.into_iter().filter(|m| m.from() == from).collect::<Vec<_>>())
}

/// A start of Chess960, drawn for each side.
fn double_chess960(rng: &mut Rng) -> Position {
    let [white, black] = [(); 2].map(|()| rng.u32(..CHESS960_STARTS));
    Position::double_chess960(white, black)
}

#[cfg(test)]
mod tests {
    use heddle::commands::genfens::MAX_SCORE;
    use heddle::eval::nnue::network::{MAX_BIAS, Network};

    use super::*;

    fn openings(variety: Variety) -> Vec<Position> {
        let mut rng = Rng::with_seed(5);
        (0..400).filter_map(|_| play_randomly(variety, &mut rng)).collect()
    }

    #[test]
    fn either_side_begins() {
        for kind in [Variety::Plain, Variety::Varied] {
            let plies: Vec<_> = openings(kind).iter().map(Position::game_ply).collect();
            assert!(plies.contains(&8) && plies.contains(&9), "{kind:?}");
            assert!(plies.iter().all(|plies| (8..=9).contains(plies)), "{kind:?}");
        }
    }

    #[test]
    fn only_varied_openings_come_from_chess960_and_not_most_of_them() {
        let starts = |kind| {
            let is_shuffled =
                |p: &&Position| p.is_chess960() && p.fen().split(' ').nth(2) != Some("-");
            openings(kind).iter().filter(is_shuffled).count()
        };
        assert_eq!(starts(Variety::Plain), 0);
        assert!((20..120).contains(&starts(Variety::Varied)));
        let mut rng = Rng::with_seed(1);
        let start = double_chess960(&mut rng);
        let rows: Vec<_> = start.fen().split('/').map(str::to_owned).collect();
        assert_eq!(rows[1..7], ["pppppppp", "8", "8", "8", "8", "PPPPPPPP"]);
        assert_ne!(rows[0], rows[7].split(' ').next().unwrap().to_lowercase());
    }

    #[test]
    fn a_judge_to_whom_every_position_is_decided_does_not_draw_for_ever() {
        let mut network = Network::random(1);
        network.outputs.iter_mut().for_each(|output| output.bias = MAX_BIAS);
        let stop = Arc::new(StopFlag::default());
        let mut judge = Player::new(1, Some(Arc::new(network)), &stop).unwrap();
        let mut rng = Rng::with_seed(3);
        let position = draw(Variety::Plain, MAX_SCORE, 1, &mut rng, &mut judge).unwrap();
        let (_, score) = judge.search(&Game::new(position), 1).unwrap();
        assert!(score.abs().get() > MAX_SCORE);
        stop.raise();
        assert!(draw(Variety::Plain, MAX_SCORE, 1, &mut rng, &mut judge).is_none());
    }

    #[test]
    fn the_smaller_the_lead_the_more_level_are_the_openings() {
        let mut judge = Player::new(1, None, &Arc::default()).unwrap();
        let mut lead = |seed, max_lead| {
            let mut rng = Rng::with_seed(seed);
            judge.clear();
            let position = draw(Variety::Plain, max_lead, 100, &mut rng, &mut judge).unwrap();
            judge.search(&Game::new(position), 100).unwrap().1.abs().get()
        };
        let mut total = |max_lead| (0..20).map(|seed| lead(seed, max_lead)).sum::<i32>();
        let (level, any) = (total(50), total(MAX_SCORE));
        assert!(2 * level < any, "{level} {any}");
    }

    /// In a position in which the queen has most moves, she moves as often as each of the others.
    #[test]
    fn every_piece_is_as_likely_to_move() {
        let position = Position::from_fen("4k3/8/8/8/3Q4/7P/8/7K w - - 0 1").unwrap();
        let mut rng = Rng::with_seed(2);
        let moves = (0..3000).map(|_| by_piece(&mut rng, &position).unwrap());
        let queens = moves.filter(|m| m.role() == heddle::position::Role::Queen).count();
        assert!((900..1100).contains(&queens), "{queens}");
    }
}
