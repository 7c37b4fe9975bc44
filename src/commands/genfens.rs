//! Random openings for data generation, as `OpenBench` asks for them:
//! `genfens N seed S book <None|file.epd>`.
//!
//! An opening is some random moves from the initial position, or from one of the book, after which
//! neither side is far ahead. The same words give the same openings.

use crate::engine::{Engine, EngineError, Settings};
use crate::eval::nnue::network::Network;
use crate::position::{Game, Position, split_mix};
use crate::smp::stop::StopFlag;
use crate::sync::Arc;
use crate::text::suite::{self, SuiteError};
use crate::time::limits::Limits;

/// The most openings.
const MAX_COUNT: u64 = 1_000_000;
/// Random plies from the initial position; sometimes one more, so that either side may begin.
pub const PLIES: u64 = 8;
/// Random plies from a position of a book, likewise.
const BOOK_PLIES: u64 = 4;
/// Nodes after which the search that judges an opening begins no further iteration.
pub const NODES: u64 = 2000;
/// The transposition table of that search, in MiB.
const HASH: usize = 1;
/// The largest advantage of a side in an accepted opening, in centipawns.
pub const MAX_SCORE: i32 = 400;
/// How many openings may be rejected in a row before the book is given up.
const MAX_REJECTED: usize = 1000;
const NO_BOOK: &str = "none";

/// The openings to generate.
#[derive(Clone, Debug)]
pub struct GenfensConfig {
    count: u64,
    seed: u64,
    /// Positions to start from; none means the initial one.
    book: Vec<Position>,
}

/// Why nothing can be generated.
#[derive(Debug, thiserror::Error)]
pub enum GenfensError {
    /// The arguments are malformed.
    #[error("the words are: genfens <1 to {MAX_COUNT}> seed <number> book <None or a file>")]
    Words,
    /// The book cannot be read.
    #[error(transparent)]
    Book(#[from] SuiteError),
    /// The engine that judges the openings cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The book holds no positions from which an opening can be made.
    #[error("no even opening found")]
    Hopeless,
}

impl GenfensConfig {
    /// Reads the words after `genfens`. The seed and the book may be missing; words after them are
    /// for other engines.
    pub fn read<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self, GenfensError> {
        let words: Vec<&str> = words.collect();
        let mut words = words.as_slice().iter();
        let number = |word: Option<&str>| word.and_then(|word| word.parse().ok());
        let count = number(words.next().copied()).filter(|count| (1..=MAX_COUNT).contains(count));
        let mut config =
            Self { count: count.ok_or(GenfensError::Words)?, seed: 0, book: Vec::new() };
        while let Some(&word) = words.next() {
            match word {
                "seed" => config.seed = number(words.next().copied()).ok_or(GenfensError::Words)?,
                "book" => {
                    let rest = words.as_slice();
                    let name = rest.first().ok_or(GenfensError::Words)?;
                    let mut length = 1;
                    if !name.eq_ignore_ascii_case(NO_BOOK) {
                        let (path, named) = suite::leading_file(rest);
                        let book = suite::read(&path)?.into_iter();
                        config.book = book.map(|named| named.position).collect();
                        length = named;
                    }
                    words = rest[length..].iter();
                }
                _ => break,
            }
        }
        Ok(config)
    }
}

/// Generates what `config` asks for and `say`s each opening. Returns false if cancelled.
pub fn run(
    config: &GenfensConfig,
    network: Option<Arc<Network>>,
    cancel: &StopFlag,
    mut say: impl FnMut(String),
) -> Result<bool, GenfensError> {
    let mut engine = Engine::new(1, HASH)?;
    engine.set_network(network);
    let mut state = config.seed;
    let mut rejected = 0;
    let mut said = 0;
    while said < config.count {
        let position = play_randomly(&config.book, &mut state);
        let even = position.filter(|position| is_even(&mut engine, position, cancel));
        // A search that was cut short has judged nothing.
        if cancel.is_raised() {
            return Ok(false);
        }
        match even {
            Some(position) => {
                say(format!("info string genfens {}", position.fen()));
                said += 1;
                rejected = 0;
            }
            None if rejected == MAX_REJECTED => return Err(GenfensError::Hopeless),
            None => rejected += 1,
        }
    }
    Ok(true)
}

/// Plays random moves; `None` if they end the game.
fn play_randomly(book: &[Position], state: &mut u64) -> Option<Position> {
    let mut below = |limit: u64| split_mix(state) % limit;
    let (start, plies) = if book.is_empty() {
        (Position::default(), PLIES)
    } else {
        (book[below(book.len() as u64) as usize].clone(), BOOK_PLIES)
    };
    let mut position = start;
    for _ in 0..plies + below(2) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        position = position.play(moves[below(moves.len() as u64) as usize]);
    }
    (!position.legal_moves().is_empty()).then_some(position)
}

/// Whether neither side is far ahead.
fn is_even(engine: &mut Engine, position: &Position, cancel: &StopFlag) -> bool {
    engine.clear();
    let game = Game::new(position.clone());
    let limits = Limits { soft_nodes: Some(NODES), ..Limits::default() };
    let settings = Settings::default();
    let outcome = engine.search(&game, &limits, &settings, cancel, |_, _, _| {});
    outcome.lines.first().is_some_and(|line| line.score.abs().get() <= MAX_SCORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generate(words: &str) -> Result<Vec<Position>, String> {
        let config = GenfensConfig::read(words.split(' ')).map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        run(&config, None, &StopFlag::default(), |line| {
            let fen = line.strip_prefix("info string genfens ").unwrap();
            found.push(Position::from_fen(fen).unwrap());
        })
        .map_err(|error| error.to_string())?;
        Ok(found)
    }

    #[test]
    fn a_seed_always_gives_the_same_openings() {
        let fens = |words| generate(words).unwrap().iter().map(Position::fen).collect::<Vec<_>>();
        let found = fens("5 seed 7 book None");
        assert_eq!(found.len(), 5);
        assert_eq!(found, fens("5 seed 7 book None extra words"));
        assert_ne!(found, fens("5 seed 8 book None"));
    }

    #[test]
    fn a_cancelled_run_is_not_complete() {
        let config = GenfensConfig::read("5 seed 7".split(' ')).unwrap();
        let cancel = StopFlag::default();
        let mut said = 0;
        let is_complete = run(&config, None, &cancel, |_| {
            said += 1;
            cancel.raise();
        });
        assert!(!is_complete.unwrap() && said == 1, "{said}");
    }

    #[test]
    fn openings_have_eight_or_nine_plies() {
        let plies: Vec<_> = generate("20 seed 1").unwrap().iter().map(Position::game_ply).collect();
        assert!(plies.contains(&8) && plies.contains(&9), "{plies:?}");
        assert!(plies.iter().all(|plies| (8..=9).contains(plies)), "{plies:?}");
    }

    #[test]
    fn a_book_is_where_openings_begin() {
        let file = std::env::temp_dir().join(format!("heddle-book-{}.epd", std::process::id()));
        let generate = |fen: &str| {
            std::fs::write(&file, fen).unwrap();
            generate(&format!("3 seed 1 book {}", file.display()))
        };
        let even = generate("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1").unwrap();
        assert!(even.iter().all(|position| position.occupied().count() <= 10));
        let lost = generate("4k3/8/8/8/8/8/QQQQ4/4K3 w - - 0 1").unwrap_err();
        assert_eq!(lost, "no even opening found");
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn wrong_words_are_answered_with_the_right_ones() {
        for words in ["", "0", "x", "3 seed", "3 seed x", "3 book"] {
            assert!(generate(words).unwrap_err().starts_with("the words are: "), "{words}");
        }
        assert!(generate("3 seed 1 book no/such/file").unwrap_err().contains("no/such/file"));
    }
}
