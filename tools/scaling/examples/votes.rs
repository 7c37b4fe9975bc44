//! Which vote over the workers' results chooses best?
//!
//! Workers in lockstep play games with themselves. Wherever they disagree on the move, a longer search by
//! one thread judges each of their moves, and several ways to choose among the same ballots are compared
//! with worker 0's choice: how often they override it, and what that is worth in expected points.

use std::error::Error;

use clap::Parser;
use fastrand::Rng;
use heddle::commands::genfens::{MAX_SCORE, NODES};
use heddle::engine::{Engine, Settings};
use heddle::eval::nnue::eval_file::EvalFile;
use heddle::position::{Game, PackedMove, Position};
use heddle::score::Score;
use heddle::smp::vote::{Ballot, vote};
use heddle::sync::Arc;
use heddle::syzygy::Tablebases;
use heddle::time::limits::Limits;
use heddle::wdl::{MODEL, material};
use heddle_progress::bar;
use heddle_selfplay::{Player, Variety, draw_opening, play_out};

/// Half the width of a 95 % interval, in standard errors.
const INTERVAL: f64 = 1.96;
/// Nodes per turn in lockstep.
const QUANTUM: u64 = 64;

/// Compare votes over the workers' results, judged by a longer search.
#[derive(Parser)]
struct Args {
    /// Number of workers
    #[arg(long, default_value_t = 8)]
    threads: usize,
    /// Nodes per move of each
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Nodes of the judge for each move that a worker prefers
    #[arg(long, default_value_t = 200_000)]
    judge: u64,
    /// Games
    #[arg(long, default_value_t = 40)]
    games: u64,
    /// Transposition table in MiB
    #[arg(long, default_value_t = 16)]
    hash: usize,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A way to choose: the index of the ballot whose move is played.
type Rule = fn(&[Ballot<PackedMove>]) -> usize;

const RULES: [(&str, Rule); 5] = [
    ("depth (the engine's)", |ballots| vote(ballots).winner),
    ("depth and score", by_depth_and_score),
    ("majority", by_majority),
    ("deepest", |ballots| first_max(ballots, |b| b.depth)),
    ("score", |ballots| {
        first_max(ballots, |b| if b.depth > 0 { b.score } else { -Score::INFINITE })
    }),
];

/// Everybody's vote counts as much.
fn by_majority(ballots: &[Ballot<PackedMove>]) -> usize {
    let equal = ballots.iter().map(|b| Ballot { depth: b.depth.min(1), ..*b });
    vote(&equal.collect::<Vec<_>>()).winner
}

/// The first ballot with the greatest `key`.
fn first_max<K: Ord>(
    ballots: &[Ballot<PackedMove>],
    key: impl Fn(&Ballot<PackedMove>) -> K,
) -> usize {
    (0..ballots.len()).rev().max_by_key(|&i| key(&ballots[i])).unwrap_or(0)
}

/// Stockfish's vote: the score above the lowest one, plus a margin, times the depth.
fn by_depth_and_score(ballots: &[Ballot<PackedMove>]) -> usize {
    const MARGIN: i32 = 14;
    if ballots.iter().any(|b| b.score.is_decisive()) {
        return vote(ballots).winner;
    }
    let lowest = ballots.iter().filter(|b| b.depth > 0).map(|b| b.score).min().unwrap_or_default();
    let weigh = |b: &Ballot<PackedMove>| (b.score - lowest + MARGIN) * b.depth;
    first_max(ballots, |ballot| {
        let supporters = ballots.iter().filter(|b| b.depth > 0 && b.choice == ballot.choice);
        (supporters.map(weigh).sum::<i32>(), ballot.depth)
    })
}

/// What the rules are worth, over all moves that were played.
#[derive(Default)]
struct Tables {
    moves: usize,
    disputes: usize,
    /// For each rule, the points that each override has won.
    overrides: [Vec<f64>; RULES.len()],
}

impl Tables {
    /// Takes the ballots of one move; `points` are those of each move that a worker prefers, if they
    /// prefer several.
    fn add(&mut self, ballots: &[Ballot<PackedMove>], points: &[(PackedMove, f64)]) {
        self.moves += 1;
        self.disputes += usize::from(!points.is_empty());
        let worth =
            |m: PackedMove| points.iter().find(|(judged, _)| *judged == m).map(|(_, worth)| worth);
        for ((_, rule), gains) in RULES.iter().zip(&mut self.overrides) {
            let (chosen, first) = (ballots[rule(ballots)].choice, ballots[0].choice);
            if let (Some(new), Some(old)) = (worth(chosen), worth(first))
                && chosen != first
            {
                gains.push(new - old);
            }
        }
    }

    fn print(&self) {
        let moves = self.moves as f64;
        println!("{} moves, {} disputed", self.moves, self.disputes);
        println!(
            "{:<22}{:>10}{:>8}{:>8}  per mille of a point per move",
            "chosen by", "overrides", "better", "worse"
        );
        for ((name, _), gains) in RULES.iter().zip(&self.overrides) {
            let better = gains.iter().filter(|&&gain| gain > 0.0).count();
            let worse = gains.iter().filter(|&&gain| gain < 0.0).count();
            let sum = gains.iter().fold(0.0, |sum, gain| sum + gain);
            let error = INTERVAL * gains.iter().fold(0.0, |sum, gain| sum + gain * gain).sqrt();
            let share = 100.0 * gains.len() as f64 / moves;
            println!(
                "{name:<22}{share:>8.1} %{better:>8}{worse:>8}  {:+.2} ± {:.2}",
                1000.0 * sum / moves,
                1000.0 * error / moves
            );
        }
    }
}

/// The engine that judges moves, and its nodes for each.
struct Judge(Engine, u64);

impl Judge {
    /// The expected points of each move that a worker prefers, or nothing if all prefer the same.
    fn settle(
        &mut self,
        position: &Position,
        ballots: &[Ballot<PackedMove>],
    ) -> Vec<(PackedMove, f64)> {
        let mut points: Vec<(PackedMove, f64)> = Vec::new();
        if ballots.iter().all(|ballot| ballot.choice == ballots[0].choice) {
            return points;
        }
        for &Ballot { choice, .. } in ballots {
            if points.iter().all(|(m, _)| *m != choice) {
                points.extend(self.expected(position, choice).map(|worth| (choice, worth)));
            }
        }
        points
    }

    /// The expected points of the side to move if it plays `choice`.
    fn expected(&mut self, position: &Position, choice: PackedMove) -> Option<f64> {
        let Self(engine, nodes) = self;
        engine.clear();
        let limits = Limits {
            nodes: Some(*nodes),
            search_moves: vec![choice.unpack(position)?],
            ..Limits::default()
        };
        engine.start(&Game::new(position.clone()), &limits, &Settings::default(), |_| {});
        let score = engine.result().best()?.score;
        let chances = MODEL.chances(score, material(position));
        Some(f64::from(chances.win) / 1000.0 + f64::from(chances.draw) / 2000.0)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut many = Engine::new(args.threads, args.hash)?;
    let mut judge = Judge(Engine::new(1, args.hash)?, args.judge);
    let mut drawer = Player::new(1, EvalFile::Default.load()?, &Arc::default())?;
    let settings = Settings { lockstep: true, quantum: QUANTUM, ..Settings::default() };
    let nodes = args.nodes.saturating_mul(args.threads as u64);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut tables = Tables::default();
    let progress = bar(args.games, "{wide_bar} {pos}/{len} ETA {eta}");
    for number in 0..args.games {
        drawer.clear();
        let mut rng = Rng::with_seed(args.seed.wrapping_add(number));
        let Some(opening) = draw_opening(Variety::Plain, MAX_SCORE, NODES, &mut rng, &mut drawer)
        else {
            break;
        };
        many.clear();
        play_out(Game::new(opening), &Tablebases::default(), |game| {
            many.start(game, &limits, &settings, |_| {});
            let result = many.result();
            let (position, ballots) = (game.position(), result.ballots());
            tables.add(&ballots, &judge.settle(position, &ballots));
            let line = result.best()?;
            Some((line.moves[0], position.turn().fold_wb(line.score, -line.score)))
        });
        progress.inc(1);
    }
    progress.finish_and_clear();
    tables.print();
    Ok(())
}
