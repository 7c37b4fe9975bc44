//! Which games to play: for several numbers of threads, each at several node multiples.

use crate::duel::Odds;
use crate::equal::{Equality, Side, Trial, equal_at, equalities};

/// Multiples played at the same time.
const MULTIPLES: usize = 4;
/// The fixed multiples, relative to the number of threads.
const SHARES: [f64; MULTIPLES] = [0.25, 0.5, 0.75, 1.0];
/// The multiple around which an adaptive contest starts, relative to the number of threads.
const FIRST_GUESS: f64 = 0.5;
/// Multiples per doubling in an adaptive contest.
const STEPS: f64 = 2.0;
/// Openings after which an adaptive contest chooses new multiples.
const OPENINGS_PER_CHOICE: u64 = 4;

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The matches, each of another number of threads.
    pub matches: Vec<Match>,
    /// Nodes of each thread per move.
    pub nodes: u64,
    /// Whether the multiples follow the games so far, staying around the one where both sides are
    /// equally strong; otherwise they are fixed multiples of the number of threads.
    pub is_adaptive: bool,
}

/// The games of one number of threads against one thread.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The number of threads.
    pub threads: usize,
    /// The games.
    pub games: usize,
}

/// A pair of games with the same opening.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Pair {
    /// What each side may spend on a move.
    pub odds: Odds,
    /// The opening's number.
    pub opening: u64,
}

/// A pair that was played.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Played {
    /// Which pair.
    pub pair: Pair,
    /// The share of the points won by the many side, 0 to 1.
    pub points: f64,
}

impl Match {
    /// Openings; each is played at every multiple with both colors.
    fn openings(&self) -> u64 {
        (self.games / (2 * MULTIPLES)).max(1) as u64
    }

    /// Pairs of games.
    fn pairs(&self) -> usize {
        self.openings() as usize * MULTIPLES
    }
}

impl Contest {
    /// Total number of pairs.
    #[must_use]
    pub fn total(&self) -> usize {
        self.matches.iter().map(Match::pairs).sum()
    }

    /// Plays every pair with `play`, which is given as many pairs at a time as are known; it
    /// appends them to `played` in order, without those prevented by an interrupt.
    ///
    /// # Errors
    /// Those of `play`, which end the contest.
    pub fn play<E>(
        &self,
        played: &mut Vec<Played>,
        mut play: impl FnMut(&[Pair], &mut Vec<Played>) -> Result<(), E>,
    ) -> Result<(), E> {
        for of_threads in &self.matches {
            let (threads, openings) = (of_threads.threads, of_threads.openings());
            let at_a_time = if self.is_adaptive { OPENINGS_PER_CHOICE } else { openings };
            let mut first = 0;
            while first < openings {
                let next = openings.min(first + at_a_time);
                let multiples = self.multiples(threads, &trials(threads, played));
                let odds = multiples.map(|multiple| Odds { threads, nodes: self.nodes, multiple });
                let pairs: Vec<Pair> = (first..next)
                    .flat_map(|opening| odds.map(|odds| Pair { odds, opening }))
                    .collect();
                let before = played.len();
                play(&pairs, played)?;
                if played.len() < before + pairs.len() {
                    return Ok(());
                }
                first = next;
            }
        }
        Ok(())
    }

    /// The multiples to play next. Adaptive ones are spaced [`STEPS`] per doubling, two on each
    /// side of the one at which the games so far make both sides equally strong, or of the nearest
    /// one tried: beyond that the fit is a guess.
    fn multiples(&self, threads: usize, trials: &[Trial]) -> [f64; MULTIPLES] {
        let threads = threads as f64;
        if !self.is_adaptive {
            return SHARES.map(|share| share * threads);
        }
        let centre = match trials {
            [] => FIRST_GUESS * threads,
            [least, .., most] => equal_at(trials)
                .unwrap_or(if mean_score(trials) > 0.5 { most.multiple } else { least.multiple })
                .clamp(least.multiple, most.multiple),
            [only] => only.multiple,
        };
        let below = (STEPS * centre.log2()).floor();
        [-1.0, 0.0, 1.0, 2.0].map(|step| ((below + step) / STEPS).exp2())
    }

    /// The results for each number of threads; `seed` seeds the bootstrap.
    #[must_use]
    pub fn equalities(&self, played: &[Played], seed: u64) -> Vec<Equality> {
        let side = |of_threads: &Match| {
            let Match { threads, .. } = *of_threads;
            Side { threads, planned: 2 * of_threads.pairs(), trials: trials(threads, played) }
        };
        equalities(self.nodes, self.matches.iter().map(side).collect(), seed)
    }
}

/// The pairs of one number of threads by multiple, in ascending order.
fn trials(threads: usize, played: &[Played]) -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for Played { pair, points } in played.iter().filter(|p| p.pair.odds.threads == threads) {
        let multiple = pair.odds.multiple;
        match trials.iter_mut().find(|trial| trial.multiple == multiple) {
            Some(trial) => trial.pairs.push(*points),
            None => trials.push(Trial { multiple, pairs: vec![*points] }),
        }
    }
    trials.sort_by(|a, b| a.multiple.total_cmp(&b.multiple));
    trials
}

/// The share of all points won by the many side.
fn mean_score(trials: &[Trial]) -> f64 {
    let games: usize = trials.iter().map(Trial::games).sum();
    trials.iter().map(|trial| trial.score() * trial.games() as f64).sum::<f64>() / games as f64
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use fastrand::Rng;

    use super::*;

    fn contest(games: usize, is_adaptive: bool) -> Contest {
        Contest { matches: vec![Match { threads: 8, games }], nodes: 100, is_adaptive }
    }

    /// Plays a contest whose sides are equally strong at `equal`, pair by pair at random.
    fn simulate(contest: &Contest, equal: f64, seed: u64) -> Vec<Played> {
        let mut rng = Rng::with_seed(seed);
        let mut played = Vec::new();
        let play = |pairs: &[Pair], played: &mut Vec<Played>| {
            for &pair in pairs {
                let expected = 1.0 / (1.0 + (pair.odds.multiple / equal).powf(1.4));
                let won = || f64::from(u8::from(rng.f64() < expected));
                let points = std::iter::repeat_with(won).take(2).sum::<f64>() / 2.0;
                played.push(Played { pair, points });
            }
            Ok::<_, Infallible>(())
        };
        contest.play(&mut played, play).unwrap();
        played
    }

    #[test]
    fn every_fixed_multiple_gets_as_many_games() {
        let matches = vec![Match { threads: 2, games: 24 }, Match { threads: 8, games: 40 }];
        let contest = Contest { matches, ..contest(0, false) };
        let played = simulate(&contest, 4.0, 1);
        assert_eq!((contest.total(), played.len()), (32, 32));
        let found = contest.equalities(&played, 1);
        for (equality, (threads, games)) in found.iter().zip([(2, 6), (8, 10)]) {
            assert_eq!((equality.threads, equality.trials.len()), (threads, MULTIPLES));
            assert!(equality.trials.iter().all(|trial| trial.games() == games));
        }
        assert_eq!(found.len(), 2);
        // After an interrupt, the games played still count.
        let found = contest.equalities(&played[..4], 1);
        assert_eq!((found[0].games(), found[0].planned), (8, 24));
        assert!(found[1].trials.is_empty() && found[1].multiple.is_none());
    }

    #[test]
    fn an_interrupt_ends_a_contest() {
        let mut played = Vec::new();
        let mut calls = 0;
        let result = contest(160, true).play(&mut played, |pairs, played| {
            calls += 1;
            let taken = if calls == 3 { 5 } else { pairs.len() };
            played.extend(pairs[..taken].iter().map(|&pair| Played { pair, points: 0.5 }));
            Ok::<_, Infallible>(())
        });
        assert_eq!((result, calls, played.len()), (Ok(()), 3, 16 + 16 + 5));
    }

    #[test]
    fn adaptive_games_are_played_where_the_sides_are_equally_strong() {
        for (seed, equal) in [(1, 1.3), (2, 3.5), (3, 7.0), (4, 14.0)] {
            let contest = contest(1600, true);
            let played = simulate(&contest, equal, seed);
            assert_eq!(played.len(), contest.total());
            let near = |p: &&Played| (p.pair.odds.multiple / equal).log2().abs() <= 1.0;
            let late = &played[played.len() / 4..];
            let share = late.iter().filter(near).count() as f64 / late.len() as f64;
            assert!(share > 0.9, "{share} of the games near {equal}");
            let found = contest.equalities(&played, 1)[0].multiple.unwrap();
            assert!((found.value / equal).log2().abs() < 0.3, "{found:?} {equal}");
        }
    }

    #[test]
    fn one_sided_games_move_the_multiples_by_a_doubling_at_most() {
        let contest = contest(8, true);
        let trial = |multiple, points| Trial { multiple, pairs: vec![points; 4] };
        let rounded = |trials: &[Trial]| contest.multiples(8, trials).map(|m| (m * 100.0).round());
        assert_eq!(rounded(&[]), [283.0, 400.0, 566.0, 800.0]);
        let won = [trial(2.0, 1.0), trial(4.0, 1.0)];
        assert_eq!(rounded(&won), [283.0, 400.0, 566.0, 800.0]);
        let lost = [trial(2.0, 0.0), trial(4.0, 0.0)];
        assert_eq!(rounded(&lost), [141.0, 200.0, 283.0, 400.0]);
        // A nearly level line crosses one half far away.
        let level = [trial(2.0, 0.76), trial(4.0, 0.75)];
        assert_eq!(rounded(&level), [283.0, 400.0, 566.0, 800.0]);
    }

    #[test]
    fn adaptive_games_tell_more_where_many_threads_are_worth_few() {
        let width = |is_adaptive| {
            let matches = vec![Match { threads: 64, games: 320 }];
            let contest = Contest { matches, ..contest(320, is_adaptive) };
            let played = simulate(&contest, 9.0, 1);
            let found = contest.equalities(&played, 1)[0].multiple.unwrap();
            assert!(!is_adaptive || (found.low < 9.0 && 9.0 < found.high), "{found:?}");
            (found.high / found.low).log2()
        };
        assert!(width(true) < width(false) / 2.0, "{} {}", width(true), width(false));
    }
}
