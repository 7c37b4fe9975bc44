//! The gold loss: compares networks on games with deep searches.
//!
//! Every network evaluates the same quiet positions, in the engine's integers, and its loss is the
//! mean squared error of its winning chances. The scale of its scores is fitted first: it matters
//! little in play, but affects the loss more than a generation of training does. Networks are
//! compared in pairs, position by position. Positions of one game are alike, so the interval of a
//! difference is computed by resampling whole games: the bootstrap of B. Efron, "Bootstrap Methods:
//! Another Look at the Jackknife", 1979.

use std::fmt;
use std::path::PathBuf;

use heddle::eval::nnue::eval_file::EvalFileError;
use heddle::position::Position;
use heddle_selfplay::{FileError, open};
use rand::RngExt;
use rand_pcg::Pcg64;

use crate::aim::Aim;
use crate::committee::Committee;
use crate::direction::{Changes, Direction};
use crate::logistic::{self, minimise, sigmoid};

/// Resamples of the bootstrap.
const DRAWS: usize = 2000;
/// Share of the resamples on either side of the interval, which thus covers 95 %.
const TAIL: f64 = 0.025;
/// Seed of the bootstrap.
const SEED: u128 = 1;
/// The largest factor by which a network's scores are multiplied, or divided, to fit the targets.
const MAX_FACTOR: f64 = 8.0;

/// Compare the losses of networks on games.
///
/// Every other network is compared with the first. The scale of each network's scores is fitted to
/// the games, because play depends little on it. Losses are comparable only on the same games and
/// with the same weights of the target. `right` correlates what a network says otherwise than the
/// first with what the targets say otherwise, among positions with about as many pieces and the
/// same chance; its square is the share of the loss that the best step in this direction takes
/// away.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Example: heddle train eval --gold gold.vf default new.nnue")]
pub struct Args {
    /// Networks: a file, `default` for the engine's own, or `classical`; the mean of several is
    /// named one+other
    #[arg(required = true, value_name = "NETWORK")]
    pub networks: Vec<String>,
    /// Files of games that no network was trained on, in viriformat
    #[arg(long, required = true, value_name = "FILE")]
    pub gold: Vec<PathBuf>,
    /// Weight of the game's result in the target; the rest is the search's score
    #[arg(long, default_value_t = 0.25)]
    pub lambda: f32,
    /// Weight of the searches of later plies: each has this share of the weight of the one before
    #[arg(long, default_value_t = 0.0)]
    pub trace: f32,
}

/// Why networks could not be compared.
#[derive(Debug, thiserror::Error)]
pub enum GoldError {
    /// A network cannot be loaded.
    #[error(transparent)]
    EvalFile(#[from] EvalFileError),
    /// The games cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There are no positions to compare on.
    #[error("no quiet position in these games")]
    Empty,
    /// The weights of the target are out of bounds.
    #[error("lambda and trace must be from 0 to 1")]
    Aim,
}

/// The quiet positions of a game, with targets and scores.
#[derive(Clone, Debug, Default)]
struct Judged {
    /// The chance of the side to move in each position.
    targets: Vec<f32>,
    /// The number of pieces of each position.
    pieces: Vec<usize>,
    /// The score of each position in centipawns, by each network.
    scores: Vec<Vec<f32>>,
    /// Centipawns that multiply the odds by e.
    logistic: f32,
}

/// The squared errors of all networks on one game.
#[derive(Clone, Debug, PartialEq)]
struct Game {
    positions: usize,
    /// Their sum over the positions, one per network.
    errors: Vec<f64>,
}

/// The losses of some networks. Its `Display` is a table.
#[derive(Clone, Debug)]
pub struct Report {
    /// Number of games with quiet positions.
    pub games: usize,
    /// Number of quiet positions.
    pub positions: usize,
    /// The weights of the target.
    pub aim: Aim,
    /// The networks, in the order given.
    pub rows: Vec<Row>,
}

/// The result of one network.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name as given.
    pub name: String,
    /// The factor for its scores that fits the targets best.
    pub factor: f64,
    /// Mean squared error of its winning chances, with that factor.
    pub loss: f64,
    /// Its loss minus the first network's, relative to the latter.
    pub difference: f64,
    /// The 95 % interval of the difference.
    pub interval: [f64; 2],
    /// Whether what it says otherwise than the first network is right; `None` if it says nothing
    /// else.
    pub direction: Option<Direction>,
}

/// Compares the networks that `args` name.
///
/// # Errors
/// [`GoldError`].
pub fn run(args: &Args) -> Result<Report, GoldError> {
    let aim = Aim {
        lambda: args.lambda,
        anchor: 0.0,
        teachers: Committee::default(),
        trace: args.trace,
        logistic: logistic::fit(&args.gold)?,
    };
    if !aim.is_valid() {
        return Err(GoldError::Aim);
    }
    let networks = args.networks.iter().map(|name| Committee::named(name));
    let networks = networks.collect::<Result<Vec<_>, _>>()?;
    let mut games = Vec::new();
    for path in &args.gold {
        let mut reader = open(path)?;
        while let Some(record) = reader.next() {
            let mut game = Judged {
                scores: vec![vec![]; networks.len()],
                logistic: aim.logistic,
                ..Judged::default()
            };
            let see = |position: &Position| {
                game.pieces.push(position.occupied().count());
                for (network, scores) in networks.iter().zip(&mut game.scores) {
                    scores.push(network.evaluate(position).get() as f32);
                }
            };
            let targets = aim.label(&record?, see);
            game.targets = targets.map_err(|error| reader.blame(error))?;
            games.push(game);
        }
    }
    games.retain(|game| !game.targets.is_empty());
    if games.is_empty() {
        return Err(GoldError::Empty);
    }
    let factors: Vec<_> = (0..networks.len()).map(|network| fit(&games, network)).collect();
    let directions: Vec<_> =
        (0..networks.len()).map(|network| direction(&games, network, &factors)).collect();
    let games: Vec<_> = games.iter().map(|game| game.errors(&factors)).collect();
    Ok(Report::new(&args.networks, &aim, &factors, &directions, &games))
}

impl Judged {
    /// The chances that a network gives, with its scores multiplied by `factor`.
    fn chances(&self, network: usize, factor: f64) -> impl Iterator<Item = f32> {
        let factor = factor as f32 / self.logistic;
        self.scores[network].iter().map(move |score| sigmoid(score * factor))
    }

    /// The sum of the squared errors of a network, with its scores multiplied by `factor`.
    fn error(&self, network: usize, factor: f64) -> f64 {
        let errors = self.chances(network, factor).zip(&self.targets);
        errors.map(|(chance, target)| f64::from(chance - target).powi(2)).sum()
    }

    fn errors(&self, factors: &[f64]) -> Game {
        let errors = factors.iter().enumerate().map(|(i, &factor)| self.error(i, factor)).collect();
        Game { positions: self.targets.len(), errors }
    }
}

/// The factor for a network's scores that minimises the loss.
fn fit(games: &[Judged], network: usize) -> f64 {
    let range = [1.0 / MAX_FACTOR, MAX_FACTOR];
    minimise(range, |factor| games.iter().map(|game| game.error(network, factor)).sum())
}

/// The direction from the first network to another.
fn direction(games: &[Judged], network: usize, factors: &[f64]) -> Option<Direction> {
    let mut changes = Changes::default();
    for game in games {
        let first = game.chances(0, factors[0]);
        let others = game.chances(network, factors[network]).zip(&game.targets);
        for ((first, (other, &target)), &pieces) in first.zip(others).zip(&game.pieces) {
            changes.add(pieces, [first, other, target].map(f64::from));
        }
    }
    changes.direction()
}

impl Report {
    fn new(
        names: &[String],
        aim: &Aim,
        factors: &[f64],
        directions: &[Option<Direction>],
        games: &[Game],
    ) -> Self {
        let draws = draws(games);
        let row = |(index, name): (usize, &String)| {
            let differences = draws.iter().map(|losses| losses[index] / losses[0] - 1.0);
            let losses = losses(games.iter());
            Row {
                name: name.clone(),
                factor: factors[index],
                loss: losses[index],
                difference: losses[index] / losses[0] - 1.0,
                interval: interval(differences),
                direction: directions[index],
            }
        };
        let rows = names.iter().enumerate().map(row).collect();
        let positions = games.iter().map(|game| game.positions).sum();
        Self { games: games.len(), positions, aim: aim.clone(), rows }
    }
}

/// The losses of all networks over some games.
fn losses<'a>(games: impl Iterator<Item = &'a Game>) -> Vec<f64> {
    let (mut sums, mut positions) = (Vec::new(), 0);
    for game in games {
        sums.resize(game.errors.len(), 0.0);
        sums.iter_mut().zip(&game.errors).for_each(|(sum, error)| *sum += error);
        positions += game.positions;
    }
    sums.iter().map(|sum| sum / positions as f64).collect()
}

/// The losses over the same number of games drawn with replacement, many times.
fn draws(games: &[Game]) -> Vec<Vec<f64>> {
    let mut rng = Pcg64::new(SEED, SEED);
    let mut draw = || losses((0..games.len()).map(|_| &games[rng.random_range(0..games.len())]));
    (0..DRAWS).map(|_| draw()).collect()
}

/// The middle 95 % of `values`.
pub(crate) fn interval(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let tail = (values.len() as f64 * TAIL) as usize;
    [values[tail], values[values.len() - 1 - tail]]
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Aim { lambda, trace, logistic, .. } = self.aim;
        writeln!(f, "{} quiet positions of {} games", self.positions, self.games)?;
        writeln!(
            f,
            "target: {lambda} result, {} search, trace {trace}, logistic {logistic:.0}",
            1.0 - lambda
        )?;
        for (index, row) in self.rows.iter().enumerate() {
            write!(f, "{}: loss {:.6} (scores times {:.2})", row.name, row.loss, row.factor)?;
            if index > 0 {
                let [low, high] = row.interval.map(|share| share * 100.0);
                let difference = row.difference * 100.0;
                write!(f, ", {difference:+.2} % (95 %: {low:+.2} to {high:+.2})")?;
            }
            if let Some(Direction { right, step }) = row.direction {
                write!(f, ", right {right:+.3}, best at {step:.2} of the step")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logistic::SCALE;

    fn report(games: &[Game]) -> Report {
        let names: Vec<_> = (0..games[0].errors.len()).map(|index| index.to_string()).collect();
        let teachers = Committee::default();
        let aim = Aim { lambda: 0.0, anchor: 0.0, teachers, trace: 0.0, logistic: SCALE };
        Report::new(&names, &aim, &vec![1.0; names.len()], &vec![None; names.len()], games)
    }

    /// Games in which the second network's errors are `factor` times those of the first; half of
    /// them more and half less by `noise`.
    fn games(count: usize, factor: f64, noise: f64) -> Vec<Game> {
        let game = |index: usize| {
            let (positions, error) = (20 + index % 7, 0.1 + (index % 5) as f64);
            let factor = factor + if index.is_multiple_of(2) { noise } else { -noise };
            Game { positions, errors: vec![error, error * factor] }
        };
        (0..count).map(game).collect()
    }

    #[test]
    fn a_loss_is_a_mean_over_positions() {
        let targets = vec![1.0, 0.0, 0.5];
        let scores = vec![vec![0.0; 3], vec![1e6; 3]];
        let judged = Judged { targets, scores, logistic: SCALE, ..Judged::default() };
        let one = judged.errors(&[1.0, 1.0]);
        assert_eq!(one, Game { positions: 3, errors: vec![0.5, 1.25] });
        let other = Game { positions: 1, errors: vec![0.1, 0.15] };
        assert_eq!(losses([one, other].iter()), [0.15, 0.35]);
    }

    #[test]
    fn the_scale_of_the_scores_is_found() {
        let scores: Vec<f32> = (-300..300).map(|score| score as f32).collect();
        for wanted in [0.5, 1.0, 1.7] {
            let chance = |&score: &f32| sigmoid(score * wanted / SCALE);
            let targets = scores.iter().map(chance).collect();
            let game = Judged {
                targets,
                scores: vec![scores.clone()],
                logistic: SCALE,
                ..Judged::default()
            };
            let found = fit(&[game], 0);
            assert!((found - f64::from(wanted)).abs() < 1e-3, "{found}, not {wanted}");
        }
    }

    #[test]
    fn equal_networks_differ_by_nothing() {
        let row = &report(&games(50, 1.0, 0.0)).rows[1];
        assert_eq!((row.difference, row.interval), (0.0, [0.0, 0.0]));
    }

    #[test]
    fn pairing_sees_a_difference_that_games_would_hide() {
        // Errors vary fortyfold from game to game; the difference is one per cent of them.
        let row = &report(&games(400, 1.01, 0.02)).rows[1];
        assert!((row.difference - 0.01).abs() < 1e-3, "{row:?}");
        assert!(row.interval[0] > 0.0 && row.interval[1] < 0.02, "{row:?}");
    }

    #[test]
    fn the_interval_holds_the_difference_and_narrows_with_more_games() {
        let width = |count| {
            let row = &report(&games(count, 1.05, 0.5)).rows[1];
            let [low, high] = row.interval;
            assert!(low < row.difference && row.difference < high, "{row:?}");
            high - low
        };
        let (few, many) = (width(50), width(800));
        // Sixteen times the games, a quarter of the width.
        assert!((3.0..5.3).contains(&(few / many)), "{few} {many}");
    }
}
