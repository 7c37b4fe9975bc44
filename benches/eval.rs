//! Evaluations per second: the classical evaluation, and the network with each way of computing its
//! sums.
//!
//! The second layer alone is measured with all the vector instructions that the processor has, the
//! rest with the best of them.

use std::cell::RefCell;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heddle::eval;
use heddle::eval::nnue;
use heddle::eval::nnue::accumulator::{Accumulators, Sums};
use heddle::eval::nnue::network::{Network, Row, Seeing, View};
use heddle::eval::nnue::simd::Simd;
use heddle::position::{Move, Position, START_FEN};

const ROOTS: [&str; 3] = [
    START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];
/// The maximum length of a game, in plies.
const PLIES: usize = 40;
/// Arbitrary.
const SEED: u64 = 1;

/// Positions, and the moves played in them.
type Game = Vec<(Position, Move)>;

/// A fixed game of random moves, none of which gives check.
fn game(root: &str, random: &mut fastrand::Rng) -> Game {
    let mut position = Position::from_fen(root).expect("the FEN is valid");
    let mut game = Game::new();
    while game.len() < PLIES {
        let mut moves = position.legal_moves();
        moves.retain(|m| !position.play(*m).is_check());
        let Some(m) = random.choice(moves) else { break };
        let next = position.play(m);
        game.push((std::mem::replace(&mut position, next), m));
    }
    game
}

/// Evaluates all positions of a game in order, each reusing what was kept from the previous one.
fn follow(accumulators: &mut Accumulators, game: &Game) {
    for (ply, (position, m)) in game.iter().enumerate() {
        black_box(accumulators.evaluate(position, ply));
        accumulators.push(ply, position.turn(), Some(*m));
    }
}

fn evaluations(criterion: &mut Criterion) {
    let network = Network::random(SEED);
    let mut random = fastrand::Rng::with_seed(SEED);
    let games = ROOTS.map(|root| game(root, &mut random));
    let positions: Vec<&Position> = games.iter().flatten().map(|(position, _)| position).collect();
    let mut group = criterion.benchmark_group("eval");
    group.throughput(Throughput::Elements(positions.len() as u64));
    let mut each = |name: &str, evaluate: &dyn Fn(&Position)| {
        group.bench_function(name, |b| b.iter(|| positions.iter().for_each(|p| evaluate(p))));
    };
    each("classical", &|position| {
        black_box(eval::classical::evaluate(position));
    });
    each("network, formed anew", &|position| {
        black_box(nnue::evaluate(&network, position));
    });
    let first = RefCell::new(Sums::default());
    each("network, first of a search", &|position| {
        let mut sums = first.borrow_mut();
        black_box(Accumulators::new(&network, &mut sums).evaluate(position, 0));
    });
    let rows: [&Row; 2] = [&network.features[0], &network.bias];
    let seeing = rows.map(Seeing::of);
    let views = [0, 1].map(|side| View { seeing: &seeing[side], others: rows[side] });
    for simd in Simd::available() {
        let network = Network { simd, ..network.clone() };
        each(&format!("network, second layer alone, {}", simd.name()), &|position| {
            black_box(network.centipawns(black_box(views), position.occupied().count()));
        });
    }
    let mut sums = games.each_ref().map(|_| Sums::default());
    let mut lines: Vec<_> = std::iter::zip(&mut sums, &games)
        .map(|(sums, game)| (Accumulators::new(&network, sums), game))
        .collect();
    group.bench_function("network, kept along a line", |b| {
        b.iter(|| lines.iter_mut().for_each(|(accumulators, game)| follow(accumulators, game)));
    });
    group.finish();
}

criterion_group!(benches, evaluations);
criterion_main!(benches);
