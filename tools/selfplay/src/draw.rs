//! Positions drawn from the games of a file, by a seed.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use fastrand::Rng;
use heddle::eval::nnue::network::Network;
use heddle::position::{Game, Key, Move, Position};

use crate::files::{self, FileError, Reader};
use crate::filter::{MIN_PLY, is_quiet};
use crate::format::{Record, RecordError, ScoredPosition};
use crate::teacher;

/// A position that has been drawn.
pub struct Drawn {
    /// It, with those before it.
    pub game: Game,
    /// A quiet move, if only quiet positions are drawn.
    pub quiet: Option<Move>,
}

/// How positions are drawn.
#[derive(Copy, Clone)]
pub struct Draw {
    /// Seed of the selection and of the random moves.
    pub seed: u64,
    /// One in this many positions is drawn.
    pub one_in: u32,
    /// The least and the most random moves that are played from each.
    pub random_moves: (u32, u32),
    /// Positions in which a capture or promotion wins material are left out.
    pub only_quiet: bool,
}

/// The positions drawn from the first games of a file, enough to find a scale.
fn first(path: &Path, draw: Draw, sample: usize) -> Result<Vec<Drawn>, FileError> {
    let mut first = Vec::new();
    let mut games = Games::open(path)?;
    while first.len() < sample
        && let Some(game) = games.next().transpose()?
    {
        first.extend(game.draw(path, draw)?);
    }
    Ok(first)
}

/// Our centipawns in one unit of what `evaluate` returns: as `given`, or from the spread of its
/// evaluations and of those of `own` on the first `sample` positions drawn from a file; `None` if
/// there is no spread.
pub fn unit(
    given: Option<f64>,
    path: &Path,
    draw: Draw,
    own: Option<&Network>,
    sample: usize,
    evaluate: impl FnMut(&Position) -> Option<f64>,
) -> Result<Option<f64>, FileError> {
    if given.is_some() {
        return Ok(given);
    }
    let first = first(path, draw, sample)?;
    let positions = first.iter().map(|drawn| drawn.game.position());
    Ok(teacher::scale(own, positions, evaluate))
}

/// A game of the file, with its number and where it begins.
pub struct Numbered {
    /// The game.
    pub record: Record,
    /// Its number, from 0.
    pub number: usize,
    /// Where it begins, in bytes.
    offset: u64,
}

impl Numbered {
    /// The positions drawn from a game of the file at `path`.
    pub fn draw(&self, path: &Path, draw: Draw) -> Result<Vec<Drawn>, FileError> {
        let drawn = draw.positions(&self.record, self.number);
        drawn.map_err(|source| files::foreign(path, self.offset, source))
    }
}

/// The games of a file, numbered from 0.
pub struct Games {
    reader: Reader<BufReader<File>>,
    number: usize,
    /// Bytes of the file when it was opened.
    size: u64,
}

impl Games {
    /// The games of the file at `path`.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let size = fs::metadata(path).map_err(files::io_error(path))?.len();
        Ok(Self { reader: files::open(path)?, number: 0, size })
    }

    /// How many games have been read, and their share of the file's bytes in percent.
    pub fn progress(&self) -> (u64, f64) {
        let read = self.reader.extent();
        (read.games, 100.0 * read.bytes as f64 / self.size.max(1) as f64)
    }

    /// Tells the user if the file ended within a game.
    pub fn warn_of_truncation(&self) {
        self.reader.warn_of_truncation();
    }
}

impl Iterator for Games {
    type Item = Result<Numbered, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.reader.next()?;
        let (number, offset) = (self.number, self.reader.offset());
        self.number += 1;
        Some(record.map(|record| Numbered { record, number, offset }))
    }
}

impl Draw {
    /// The positions drawn from game `number`, in its order, each with those before it.
    pub fn positions(self, record: &Record, number: usize) -> Result<Vec<Drawn>, RecordError> {
        let mut rng = Rng::with_seed(self.seed ^ (number as u64).rotate_left(u64::BITS / 2));
        let mut keys: Vec<Key> = Vec::new();
        let mut drawn = Vec::new();
        record.walk(|scored| {
            if self.is_suitable(scored) && rng.u32(..self.one_in) == 0 {
                let game = Game::with_keys(scored.position.clone(), keys.clone());
                drawn.extend(self.leave(game, &mut rng));
            }
            keys.push(scored.position.key());
        })?;
        Ok(drawn)
    }

    /// What is only counted if quiet is asked after the random moves, not before.
    fn is_suitable(self, scored: &ScoredPosition) -> bool {
        if self.only_quiet { scored.ply >= MIN_PLY } else { is_quiet(scored) }
    }

    /// Plays the random moves; `None` if they end the game or end in check, or if the position
    /// should be quiet and is not.
    fn leave(self, mut game: Game, rng: &mut Rng) -> Option<Drawn> {
        let (least, most) = self.random_moves;
        for _ in 0..rng.u32(least..=most) {
            game.play(rng.choice(game.position().legal_moves())?);
        }
        let position = game.position();
        if game.is_draw() || position.is_check() {
            return None;
        }
        let quiet = if self.only_quiet {
            Some(teacher::quiet_move(position)?)
        } else if position.legal_moves().is_empty() {
            return None;
        } else {
            None
        };
        Some(Drawn { game, quiet })
    }
}
