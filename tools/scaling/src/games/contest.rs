//! Which games to play: between sides that get the same, or at several multiples, for several
//! numbers of threads.

use serde::{Deserialize, Serialize};

use super::equal::{Equality, Side, Trial, equal_at, equalities};

/// Multiples played at the same time.
const MULTIPLES: usize = 4;
/// The multiple around which the search for the right one starts, relative to the number of
/// threads, but not below 1.
const FIRST_GUESS: f64 = 0.5;
/// Multiples per doubling.
const STEPS: f64 = 2.0;
/// Openings after which new multiples are chosen.
const OPENINGS_PER_CHOICE: u64 = 4;

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The matches, each of another number of threads.
    pub matches: Vec<Match>,
    /// Nodes of each thread per move; 0 under a clock.
    pub nodes: u64,
    /// Whether the second side gets multiples of what the first one gets: chosen by the games so
    /// far, around the one at which both are equally strong. Otherwise it gets the same.
    pub has_odds: bool,
}

/// What each side may spend on a move.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Odds {
    /// Number of threads of the first side.
    pub threads: usize,
    /// Nodes of each of them; 0 under a clock.
    pub nodes: u64,
    /// What the second side gets relative to each of them.
    pub multiple: f64,
}

/// The games of one number of threads.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The number of threads.
    pub threads: usize,
    /// The games.
    pub games: usize,
}

/// A pair of games with the same opening.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The points of the first side in each game, 0 to 1; it has White in the first.
    pub games: [f64; 2],
}

impl Played {
    /// The share of the points won by the first side, 0 to 1.
    pub fn points(&self) -> f64 {
        self.games.iter().sum::<f64>() / 2.0
    }
}

impl Contest {
    /// Total number of pairs.
    pub fn total(&self) -> usize {
        self.matches.iter().map(|of_threads| self.pairs(of_threads)).sum()
    }

    /// Openings of a match; each is played at every multiple with both colors.
    fn openings(&self, of_threads: &Match) -> u64 {
        (of_threads.games / (2 * self.multiples_at_a_time())).max(1) as u64
    }

    /// Pairs of games of a match.
    fn pairs(&self, of_threads: &Match) -> usize {
        self.openings(of_threads) as usize * self.multiples_at_a_time()
    }

    fn multiples_at_a_time(&self) -> usize {
        if self.has_odds { MULTIPLES } else { 1 }
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
            let (threads, openings) = (of_threads.threads, self.openings(of_threads));
            let at_a_time = if self.has_odds { OPENINGS_PER_CHOICE } else { openings };
            let mut first = 0;
            while first < openings {
                let next = openings.min(first + at_a_time);
                let multiples = self.multiples(threads, &trials(threads, played));
                let odds = |&multiple| Odds { threads, nodes: self.nodes, multiple };
                let odds: Vec<Odds> = multiples.iter().map(odds).collect();
                let pairs: Vec<Pair> = (first..next)
                    .flat_map(|opening| odds.iter().map(move |&odds| Pair { odds, opening }))
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

    /// The multiples to play next. They are spaced [`STEPS`] per doubling, two on each
    /// side of the one at which the games so far make both sides equally strong, or of the nearest
    /// one tried: beyond that the fit is a guess.
    fn multiples(&self, threads: usize, trials: &[Trial]) -> Vec<f64> {
        if !self.has_odds {
            return vec![1.0];
        }
        let centre = match trials {
            [] => (FIRST_GUESS * threads as f64).max(1.0),
            [least, .., most] => equal_at(trials)
                .unwrap_or(if mean_score(trials) > 0.5 { most.multiple } else { least.multiple })
                .clamp(least.multiple, most.multiple),
            [only] => only.multiple,
        };
        let below = (STEPS * centre.log2()).floor();
        [-1.0, 0.0, 1.0, 2.0].map(|step| ((below + step) / STEPS).exp2()).to_vec()
    }

    /// The results for each number of threads; `seed` seeds the bootstrap.
    pub fn equalities(&self, played: &[Played], seed: u64) -> Vec<Equality> {
        let side = |of_threads: &Match| {
            let Match { threads, .. } = *of_threads;
            Side { threads, planned: 2 * self.pairs(of_threads), trials: trials(threads, played) }
        };
        equalities(self.nodes, self.matches.iter().map(side).collect(), seed)
    }
}

/// The pairs of one number of threads by multiple, in ascending order.
fn trials(threads: usize, played: &[Played]) -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for played in played.iter().filter(|p| p.pair.odds.threads == threads) {
        let (multiple, points) = (played.pair.odds.multiple, played.points());
        match trials.iter_mut().find(|trial| trial.multiple == multiple) {
            Some(trial) => trial.pairs.push(points),
            None => trials.push(Trial { multiple, pairs: vec![points] }),
        }
    }
    trials.sort_by(|a, b| a.multiple.total_cmp(&b.multiple));
    trials
}

/// The share of all points won by the first side.
fn mean_score(trials: &[Trial]) -> f64 {
    let games: usize = trials.iter().map(Trial::games).sum();
    trials.iter().map(|trial| trial.score() * trial.games() as f64).sum::<f64>() / games as f64
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use fastrand::Rng;

    use super::*;

    fn contest(games: usize) -> Contest {
        Contest { matches: vec![Match { threads: 8, games }], nodes: 100, has_odds: true }
    }

    /// Plays a contest whose sides are equally strong at `equal`, pair by pair at random.
    fn simulate(contest: &Contest, equal: f64, seed: u64) -> Vec<Played> {
        let mut rng = Rng::with_seed(seed);
        let mut played = Vec::new();
        let play = |pairs: &[Pair], played: &mut Vec<Played>| {
            for &pair in pairs {
                let expected = 1.0 / (1.0 + (pair.odds.multiple / equal).powf(1.4));
                let mut won = || f64::from(u8::from(rng.f64() < expected));
                let games = [won(), won()];
                played.push(Played { pair, games });
            }
            Ok::<_, Infallible>(())
        };
        contest.play(&mut played, play).unwrap();
        played
    }

    #[test]
    fn each_number_of_threads_has_its_games() {
        let matches = vec![Match { threads: 2, games: 24 }, Match { threads: 8, games: 40 }];
        let contest = Contest { matches, ..contest(0) };
        let played = simulate(&contest, 4.0, 1);
        assert_eq!((contest.total(), played.len()), (32, 32));
        let found = contest.equalities(&played, 1);
        let games = |place: usize| (found[place].threads, found[place].games());
        assert_eq!([games(0), games(1)], [(2, 24), (8, 40)]);
        // After an interrupt, the games played still count.
        let found = contest.equalities(&played[..4], 1);
        assert_eq!((found[0].games(), found[0].planned), (8, 24));
        assert!(found[1].trials.is_empty() && found[1].multiple.is_none());
    }

    #[test]
    fn without_odds_both_sides_get_the_same() {
        let contest = Contest { has_odds: false, ..contest(7) };
        let played = simulate(&contest, 1.0, 1);
        assert_eq!((contest.total(), played.len()), (3, 3));
        assert!(played.iter().all(|played| played.pair.odds.multiple == 1.0));
        assert!(played.iter().map(|played| played.pair.opening).eq(0..3));
    }

    #[test]
    fn an_interrupt_ends_a_contest() {
        let mut played = Vec::new();
        let mut calls = 0;
        let result = contest(160).play(&mut played, |pairs, played| {
            calls += 1;
            let taken = if calls == 3 { 5 } else { pairs.len() };
            played.extend(pairs[..taken].iter().map(|&pair| Played { pair, games: [0.5; 2] }));
            Ok::<_, Infallible>(())
        });
        assert_eq!((result, calls, played.len()), (Ok(()), 3, 16 + 16 + 5));
    }

    #[test]
    fn games_are_played_where_the_sides_are_equally_strong() {
        for (seed, equal) in [(1, 1.3), (2, 3.5), (3, 7.0), (4, 14.0)] {
            let contest = contest(1600);
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
        let contest = contest(8);
        let trial = |multiple, points| Trial { multiple, pairs: vec![points; 4] };
        let rounded = |trials: &[Trial]| -> Vec<f64> {
            contest.multiples(8, trials).iter().map(|m| (m * 100.0).round()).collect()
        };
        assert_eq!(rounded(&[]), [283.0, 400.0, 566.0, 800.0]);
        let won = [trial(2.0, 1.0), trial(4.0, 1.0)];
        assert_eq!(rounded(&won), [283.0, 400.0, 566.0, 800.0]);
        let lost = [trial(2.0, 0.0), trial(4.0, 0.0)];
        assert_eq!(rounded(&lost), [141.0, 200.0, 283.0, 400.0]);
        // A nearly level line crosses one half far away.
        let level = [trial(2.0, 0.76), trial(4.0, 0.75)];
        assert_eq!(rounded(&level), [283.0, 400.0, 566.0, 800.0]);
    }
}
