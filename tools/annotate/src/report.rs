//! What is said about a game: every move's loss, both sides' accuracy, the opening, the decisive
//! moments.

use heddle::position::{Color, Move, Position};

use crate::evaluate::Evaluation;
use crate::game::Game;
use crate::judge::{Glyph, Loss};
use crate::opening::{Opening, Openings};

/// The most moments that are shown as diagrams.
const MAX_MOMENTS: usize = 6;

/// The report on a game.
pub struct Report {
    /// The positions of the game: the first, and the one after each move.
    pub positions: Vec<Position>,
    /// What is known of them.
    pub evaluations: Vec<Option<Evaluation>>,
    /// What each move lost that was judged: of those of the opening only blunders are.
    pub losses: Vec<Option<Loss>>,
    /// The opening, if it is known.
    pub opening: Option<Opening>,
    /// White's and Black's summary.
    pub sides: [Summary; 2],
}

/// How one side played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Moves that were judged.
    pub moves: usize,
    /// The mean accuracy of the moves, from 0 to 100.
    pub accuracy: f64,
    /// The mean loss of winning chances, in percent.
    pub chances: f64,
    /// The mean loss, in centipawns.
    pub centipawns: f64,
    /// How many moves have each glyph.
    pub glyphs: [usize; Glyph::ALL.len()],
}

impl Summary {
    fn new(losses: &[Loss]) -> Self {
        let mean = |value: fn(&Loss) -> f64| {
            losses.iter().map(value).sum::<f64>() / losses.len().max(1) as f64
        };
        let count = |glyph| losses.iter().filter(|l| Glyph::of(l.chances) == Some(glyph)).count();
        Self {
            moves: losses.len(),
            accuracy: mean(|loss| loss.accuracy()),
            chances: mean(|loss| loss.chances),
            centipawns: mean(|loss| f64::from(loss.centipawns)),
            glyphs: Glyph::ALL.map(count),
        }
    }
}

impl Report {
    /// The report on `game`, whose positions have these evaluations.
    pub fn new(game: &Game, evaluations: Vec<Option<Evaluation>>, openings: &Openings) -> Self {
        let positions = game.positions();
        let opening = openings.find(&positions);
        let known = opening.as_ref().map_or(0, |opening| opening.plies);
        let at = |index: usize| Some((&positions[index], evaluations[index].as_ref()?));
        // Where the game was drawn and went on, nothing was searched: there is no better move to
        // name.
        let searched = |ply| at(ply).filter(|(_, evaluation)| !evaluation.line.is_empty());
        let loss = |ply: usize| Some(Loss::of(game.moves[ply]?, searched(ply)?, at(ply + 1)?));
        let plies = 0..game.moves.len();
        // A gambit that has a name is no mistake, but a blunder stays one.
        let is_judged = |ply: usize, loss: &Loss| {
            ply >= known || Glyph::of(loss.chances) == Some(Glyph::Blunder)
        };
        let losses: Vec<_> =
            plies.map(|ply| loss(ply).filter(|loss| is_judged(ply, loss))).collect();
        let side = |color| {
            let own = losses.iter().zip(&positions).filter(|(_, before)| before.turn() == color);
            Summary::new(&own.filter_map(|(loss, _)| *loss).collect::<Vec<_>>())
        };
        let sides = [side(Color::White), side(Color::Black)];
        Self { positions, evaluations, losses, opening, sides }
    }

    /// The glyph of a move, by its number in plies from 0.
    pub fn glyph(&self, ply: usize) -> Option<Glyph> {
        Glyph::of(self.losses[ply]?.chances)
    }

    /// The best moves of a position; none if they are not known or the game is over.
    pub fn best(&self, index: usize) -> &[Move] {
        self.evaluations[index].as_ref().map_or(&[], |evaluation| &evaluation.line)
    }

    /// The white side's winning chances in a position, from 0 to 1.
    pub fn chances(&self, index: usize) -> Option<f64> {
        Some(self.evaluations[index].as_ref()?.expected_by_white(&self.positions[index]))
    }

    /// Nothing is known.
    pub fn is_empty(&self) -> bool {
        self.evaluations.iter().all(Option::is_none)
    }

    /// The first move that left the known opening.
    pub fn departure(&self) -> Option<(usize, &Opening)> {
        let opening = self.opening.as_ref()?;
        (opening.plies < self.losses.len()).then_some((opening.plies, opening))
    }

    /// The moves that cost most, in the order of the game.
    pub fn moments(&self) -> Vec<usize> {
        let cost = |ply: usize| self.losses[ply].map_or(0.0, |loss| loss.chances);
        let mut plies: Vec<_> =
            (0..self.losses.len()).filter(|&ply| self.glyph(ply).is_some()).collect();
        plies.sort_by(|&a, &b| cost(b).total_cmp(&cost(a)));
        plies.truncate(MAX_MOMENTS);
        plies.sort_unstable();
        plies
    }
}
