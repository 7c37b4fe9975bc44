//! Pairs of games between two engines.
//!
//! Every opening is played twice, with colors reversed. The rules decide a game, as the engine's
//! own `Position` knows them, and a fault of an engine: its side loses. An engine with a fault is
//! started again for the next game.

use heddle::cli::hands::HandsError;
use heddle::numa;
use heddle::position::{Color, Game, Position, uci};
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle_selfplay::{GameResult, Length, MAX_PLIES, Openings, play_out};

use heddle_client::{Fault, Seat, Shown};
use serde::{Deserialize, Serialize};

use super::clock::{Limit, go};
use super::contest::{Odds, Pair};
use super::factorial::{Factor, options};
use super::pgn::Finished;

/// The match ends when an engine loses this many games in a row by a fault; losses on time do not
/// count.
const MAX_FAULTS: u32 = 3;

/// Why a pair cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// An engine cannot be started or set up.
    #[error("{name}: {fault}")]
    Engine {
        /// The engine.
        name: String,
        /// The fault.
        fault: Fault,
    },
    /// The processes that share the work cannot be used.
    #[error(transparent)]
    Hands(#[from] HandsError),
    /// An engine has a fault in every game.
    #[error("{name}: {MAX_FAULTS} games in a row lost by a fault, the last: {fault}")]
    Faults {
        /// The engine.
        name: String,
        /// The last fault.
        fault: Fault,
    },
}

/// An opening played twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twice {
    /// The points of the first side in each game, 0 to 1; it has White in the first.
    pub points: [f64; 2],
    /// Both games.
    pub pgn: String,
    /// The faults, each with the engine's name.
    pub faults: Vec<String>,
}

/// How games are played.
#[derive(Clone)]
pub struct Rules {
    /// The names of both sides.
    pub names: [String; 2],
    /// What both may spend.
    pub limit: Limit,
    /// Whether the threads of the first side are set for every pair.
    pub has_threads: bool,
    /// Options that a coin gives to one side or the other.
    pub factors: Vec<Factor>,
    /// They end a game once they know its result.
    pub tablebases: Arc<Tablebases>,
    /// Whether scores end a game.
    pub is_adjudicated: bool,
    /// Plies after the opening at which a game is drawn.
    pub max_plies: u32,
    /// Determines the openings.
    pub seed: u64,
    /// Tags of every game.
    pub tags: Vec<(&'static str, String)>,
}

impl Rules {
    /// The rules of chess alone, and the same engines in every pair.
    pub fn new(names: [String; 2], limit: Limit) -> Self {
        Self {
            names,
            limit,
            has_threads: false,
            factors: Vec::new(),
            tablebases: Arc::default(),
            is_adjudicated: false,
            max_plies: MAX_PLIES,
            seed: 0,
            tags: Vec::new(),
        }
    }
}

/// Two engines at a board.
pub struct Duel {
    seats: [Seat; 2],
    /// Faults in a row of each.
    faults: [u32; 2],
    openings: Openings,
    rules: Rules,
    /// The processor on which all is played, if that is set.
    processor: Option<usize>,
}

impl Duel {
    /// A duel of the engines in `seats`; `processor` is the one on which they run, `None` for all.
    pub fn new(
        seats: [Seat; 2],
        openings: Openings,
        rules: Rules,
        processor: Option<usize>,
    ) -> Self {
        Self { seats, faults: [0; 2], openings, rules, processor }
    }

    /// Plays a pair with the options that its threads and coins demand; `None` if cancelled.
    ///
    /// # Errors
    /// [`DuelError`].
    pub fn play_pair(&mut self, pair: &Pair) -> Result<Option<Twice>, DuelError> {
        let mut options = options(&self.rules.factors, self.rules.seed, pair.opening);
        if self.rules.has_threads {
            options[0].push(("Threads".to_owned(), pair.odds.threads.to_string()));
        }
        self.play_twice(pair, options)
    }

    /// Plays a pair with these options of both sides; `None` if cancelled.
    ///
    /// # Errors
    /// [`DuelError`].
    pub fn play_twice(
        &mut self,
        pair: &Pair,
        options: [Vec<(String, String)>; 2],
    ) -> Result<Option<Twice>, DuelError> {
        if let Some(processor) = self.processor {
            // The engines, which this thread starts, inherit it.
            numa::bind(&[processor]);
        }
        let Some(opening) = self.openings.of_pair(self.rules.seed, pair.opening) else {
            return Ok(None);
        };
        for (seat, options) in self.seats.iter_mut().zip(options) {
            seat.set(options);
        }
        let mut twice = Twice::default();
        for (place, color) in Color::ALL.into_iter().enumerate() {
            let Some(game) = self.play(&opening, color, &pair.odds)? else { return Ok(None) };
            twice.points[place] = match game.result {
                GameResult::Draw => 0.5,
                won => f64::from(u8::from(won == GameResult::win(color))),
            };
            twice.pgn += &game.pgn(&self.tags(pair, place));
            twice.faults.extend(game.remarks);
        }
        Ok(Some(twice))
    }

    /// The tags of the first or second game of a pair.
    fn tags(&self, pair: &Pair, place: usize) -> Vec<(&'static str, String)> {
        let round = format!("{}.{}", pair.opening.wrapping_add(1), place + 1);
        let [white, black] = [place, 1 - place].map(|seat| self.rules.names[seat].clone());
        let players = [("Round", round), ("White", white), ("Black", black)];
        self.rules.tags.iter().cloned().chain(players).collect()
    }

    /// One game, in which the first side plays `color`; `None` if cancelled.
    fn play(
        &mut self,
        opening: &Position,
        color: Color,
        odds: &Odds,
    ) -> Result<Option<Finished>, DuelError> {
        let mut remarks = Vec::new();
        for place in 0..2 {
            match self.seats[place].new_game(opening) {
                Ok(None) => {}
                Ok(Some(fault)) => {
                    remarks.push(format!("{} is started again: {fault}", self.name(place)));
                }
                Err(Fault::Interrupted) => return Ok(None),
                Err(fault) => return Err(DuelError::Engine { name: self.name(place), fault }),
            }
        }
        let limit = self.rules.limit;
        let [first, second] = [limit.of_threads(odds.threads), limit.times(odds.multiple)];
        // Of White and Black.
        let mut budgets = color.fold_wb([first, second], [second, first]);
        let mut setup = format!("position fen {}", opening.fen());
        let (mut moves, mut fault) = (Vec::new(), None);
        let Self { seats, rules, .. } = self;
        let length = Length { played: 0, most: rules.max_plies };
        let game = Game::new(opening.clone());
        let result = play_out(game, &rules.tablebases, length, |game| {
            let position = game.position();
            let turn = position.turn();
            let place = usize::from(turn != color);
            let seat = &mut seats[place];
            let wait = turn.fold_wb(budgets[0], budgets[1]).wait(seat.patience());
            let thought = match seat.think(position, &setup, &go(turn, budgets), wait) {
                Ok(thought) => thought,
                Err(found) => {
                    fault = Some((place, turn, found));
                    return None;
                }
            };
            budgets[turn.fold_wb(0, 1)].spend(thought.time);
            setup += if moves.is_empty() { " moves " } else { " " };
            setup += &uci(thought.best, position.is_chess960());
            moves.push(thought.best);
            let score = thought.score.filter(|_| rules.is_adjudicated).map(Shown::score);
            Some((thought.best, score.map(|score| turn.fold_wb(score, -score))))
        });
        let (result, termination) = match (result, fault) {
            (Some(result), _) => {
                self.faults = [0; 2];
                (result, termination(opening, &moves))
            }
            (None, Some((_, _, Fault::Interrupted)) | None) => return Ok(None),
            (None, Some((place, turn, fault))) => {
                let (termination, remark) = self.lost(place, limit, fault)?;
                remarks.push(remark);
                (GameResult::win(!turn), termination)
            }
        };
        Ok(Some(Finished { opening: opening.clone(), moves, result, termination, remarks }))
    }

    /// PGN's `Termination` of a game lost by a fault, and the remark.
    fn lost(
        &mut self,
        place: usize,
        limit: Limit,
        fault: Fault,
    ) -> Result<(&'static str, String), DuelError> {
        let name = self.name(place);
        if matches!((&fault, limit), (Fault::Silent { .. }, Limit::Time { .. })) {
            return Ok(("time forfeit", format!("{name} loses on time")));
        }
        self.faults[place] += 1;
        if self.faults[place] == MAX_FAULTS {
            return Err(DuelError::Faults { name, fault });
        }
        let termination = match fault {
            Fault::Move { .. } => "illegal move",
            _ => "abandoned",
        };
        Ok((termination, format!("{name} loses: {fault}")))
    }

    fn name(&self, place: usize) -> String {
        self.rules.names[place].clone()
    }
}

/// What ended a game: the rules, or scores, tablebases or its length.
fn termination(opening: &Position, moves: &[heddle::position::Move]) -> &'static str {
    let mut game = Game::new(opening.clone());
    moves.iter().for_each(|&m| game.play(m));
    let is_over = game.is_draw() || game.position().legal_moves().is_empty();
    if is_over { "normal" } else { "adjudication" }
}
