//! Playing weaker than one can.
//!
//! A search of fewer nodes sees less, and of several lines that are nearly as good a weak player
//! does not always take the best. Both depend on the strength alone, and the choice on the position
//! too, so that a game can be played again. What rating such a player has was measured in games
//! against Stockfish 15.1 at its Skill Levels, see `docs/strength.md`.

use std::ops::RangeInclusive;

use crate::position::{Key, mix};
use crate::score::Score;
use crate::search::{Line, Settings};
use crate::time::limits::Limits;

/// Ratings on the scale of the Computer Chess Rating Lists (blitz), as measured, and where the play
/// that earned them lies between the weakest, 0, and the strongest, 1, both beyond what was
/// measured. They are known to within some 150 Elo; in between they are interpolated.
const MEASURED: [(usize, f64); 5] =
    [(1090, 0.15), (1790, 0.3), (2265, 0.45), (2830, 0.6), (3210, 0.75)];

/// The ratings that can be asked for.
pub const RANGE: RangeInclusive<usize> = 1200..=2900;

/// Nodes per move of the weakest play: a search of one or two plies, with several lines, ...
const LEAST_NODES: f64 = 1000.0;
/// ... and of the strongest. In between the number grows by the same factor for the same step.
const MOST_NODES: f64 = 200_000.0;
/// Centipawns that the chosen line may be worse than the best in the weakest play; 0 in the
/// strongest.
const GREATEST_LAPSE: f64 = 1000.0;
/// The lapse falls with this power of the distance to the strongest play.
const LAPSE_POWER: i32 = 3;
/// Centipawns of lapse per additional line to choose from.
const LAPSE_PER_LINE: usize = 40;

/// How well to play.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Strength {
    elo: usize,
}

impl Strength {
    /// The strength of a player rated `elo`, cut to [`RANGE`].
    pub fn new(elo: usize) -> Self {
        Self { elo: elo.clamp(*RANGE.start(), *RANGE.end()) }
    }

    /// The place of the play between the weakest and the strongest, 0 to 1.
    fn fraction(self) -> f64 {
        let above = MEASURED.partition_point(|&(rating, _)| rating < self.elo).max(1);
        let [(low, from), (high, to)] = [MEASURED[above - 1], MEASURED[above]];
        from + (to - from) * (self.elo - low) as f64 / (high - low) as f64
    }

    /// Nodes that a move may cost.
    pub fn nodes(self) -> u64 {
        (LEAST_NODES * (MOST_NODES / LEAST_NODES).powf(self.fraction())).round() as u64
    }

    /// Centipawns that the move played may be worse than the best one found.
    pub fn lapse(self) -> i32 {
        (GREATEST_LAPSE * (1.0 - self.fraction()).powi(LAPSE_POWER)).round() as i32
    }

    /// Lines that the choice is made from.
    pub fn lines(self) -> usize {
        1 + self.lapse() as usize / LAPSE_PER_LINE
    }

    /// Lets a search take no more nodes than the strength has, and find the lines to choose from.
    pub fn restrict(self, limits: &mut Limits, settings: &mut Settings) {
        limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(self.nodes()));
        settings.multipv = settings.multipv.max(self.lines());
    }

    /// At most `shown` of `lines`, renumbered, with the line to play first.
    pub fn arrange(self, mut lines: Vec<Line>, key: Key, shown: usize) -> Vec<Line> {
        if !lines.is_empty() {
            let chosen = self.choose(&lines, key);
            lines[..=chosen].rotate_right(1);
            lines.truncate(shown);
        }
        for (index, line) in lines.iter_mut().enumerate() {
            line.multipv = index + 1;
        }
        lines
    }

    /// The index of the line to play, of `lines` with the best first, in the position of `key`:
    /// each is marked up by chance, by no more than the lapse, and the best mark wins. What is
    /// proved is not left to chance.
    pub fn choose(self, lines: &[Line], key: Key) -> usize {
        let Some(best) = lines.first() else { return 0 };
        if best.score.is_decisive() {
            return 0;
        }
        let lapse = self.lapse();
        let mark = |index: usize, score: Score| {
            let chance = mix(key.wrapping_add(index as Key)) % (lapse as u64 + 1);
            score + chance as i32
        };
        let within = |line: &Line| !line.score.is_decisive() && best.score - line.score <= lapse;
        let choices = lines.iter().enumerate().take(self.lines());
        let marks = choices.filter(|(_, line)| within(line));
        // The first of equal marks is the better line.
        let chosen = marks.rev().max_by_key(|(index, line)| mark(*index, line.score));
        chosen.map_or(0, |(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::time::clock::Support;
    use crate::tt::Bound;

    fn lines(scores: &[Score]) -> Vec<Line> {
        let moves = Position::default().legal_moves();
        let line = |(index, &score): (usize, &Score)| Line {
            depth: 5,
            seldepth: 5,
            multipv: index + 1,
            score,
            bound: Bound::Exact,
            moves: vec![moves[index]],
            support: Support::default(),
        };
        scores.iter().enumerate().map(line).collect()
    }

    #[test]
    fn more_elo_is_more_nodes_and_smaller_lapses() {
        let strengths = || RANGE.map(Strength::new);
        for (weak, strong) in strengths().zip(strengths().skip(1)) {
            assert!(weak.nodes() < strong.nodes(), "{weak:?}");
            assert!(weak.lapse() >= strong.lapse(), "{weak:?}");
        }
        assert_eq!(Strength::new(0), Strength::new(*RANGE.start()));
        assert_eq!(Strength::new(9999), Strength::new(*RANGE.end()));
        let weakest = Strength::new(0);
        assert_eq!((weakest.nodes(), weakest.lapse(), weakest.lines()), (2508, 564, 15));
    }

    #[test]
    fn a_measured_rating_is_played_as_it_was_measured() {
        for (rating, fraction) in MEASURED.into_iter().filter(|(rating, _)| RANGE.contains(rating))
        {
            let found = Strength::new(rating).fraction();
            assert!((found - fraction).abs() < 1e-12, "{rating}: {found}");
        }
        let [(low, from), (high, to)] = [MEASURED[0], MEASURED[1]];
        let between = Strength::new(usize::midpoint(low, high)).fraction();
        assert!((between - (from + to) / 2.0).abs() < 1e-12, "{between}");
    }

    #[test]
    fn the_choice_is_fixed_and_never_worse_than_the_lapse() {
        let weak = Strength::new(1600);
        let beyond = 30 - weak.lapse() - 1;
        let lines = lines(&[30, 10, -60, beyond].map(Score::new));
        let mut chosen = [0; 4];
        for key in 0..1000 {
            let index = weak.choose(&lines, key);
            assert_eq!(weak.choose(&lines, key), index);
            chosen[index] += 1;
        }
        assert!(chosen[0] > chosen[1] && chosen[1] > chosen[2] && chosen[2] > 0, "{chosen:?}");
        assert_eq!(chosen[3], 0, "more than the lapse");
        let strong = Strength::new(9999);
        assert!(strong.lapse() < 90 && (0..1000).all(|key| strong.choose(&lines, key) <= 1));
        assert!((0..1000).all(|key| strong.choose(&lines[1..], key) == 0), "clearly better");
    }

    #[test]
    fn a_mate_is_given_and_not_walked_into() {
        let weak = Strength::new(0);
        let winning = lines(&[Score::mate_in(3), Score::new(900)]);
        let losing = lines(&[Score::new(-50), Score::mated_in(2)]);
        assert!((0..100).all(|key| weak.choose(&winning, key) == 0));
        assert!((0..100).all(|key| weak.choose(&losing, key) == 0));
        assert_eq!(weak.choose(&[], 1), 0);
    }
}
