//! The rules' share of a node: each operation by itself, and whole trees of moves beside the rules
//! library's.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group};
use heddle::position::{MoveList, PackedMove, Position, START_FEN};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDGAME: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
const CHECK: &str = "r1b1k2r/pppp1ppp/2n2n2/4q3/1b2P3/2N5/PPPBNPPP/R2QKB1R b KQkq - 0 1";

/// Trees of moves that are walked: the position and the depth in plies.
const TREES: [(&str, u32); 3] = [(START_FEN, 5), (MIDDLEGAME, 4), (ENDGAME, 5)];
/// Times that each tree is walked; the median counts.
const ROUNDS: usize = 5;

fn rules(criterion: &mut Criterion) {
    let positions =
        [("start", START_FEN), ("middlegame", MIDDLEGAME), ("endgame", ENDGAME), ("check", CHECK)];
    for (name, fen) in positions {
        let position = Position::from_fen(fen).expect("the FEN is valid");
        let moves = position.legal_moves();
        let packed: Vec<_> = moves.iter().map(|&m| PackedMove::pack(m)).collect();
        let checks = position.check_squares();
        let mut group = criterion.benchmark_group(name);
        group.bench_function("legal moves", |b| b.iter(|| black_box(&position).legal_moves()));
        group.bench_function("tactical moves", |b| {
            b.iter(|| {
                let mut list = MoveList::new();
                black_box(&position).for_each_tactical(|m| list.push(m));
                list
            });
        });
        group.bench_function("quiet moves", |b| {
            b.iter(|| {
                let mut list = MoveList::new();
                black_box(&position).for_each_quiet(|m| list.push(m));
                list
            });
        });
        group.bench_function("play every move", |b| {
            b.iter(|| moves.iter().fold(0, |keys, &m| keys ^ black_box(&position).play(m).key()));
        });
        group.bench_function("key after every move", |b| {
            b.iter(|| moves.iter().fold(0, |keys, &m| keys ^ black_box(&position).key_after(m)));
        });
        group.bench_function("null move", |b| b.iter(|| black_box(&position).null_move()));
        group.bench_function("unpack every move", |b| {
            b.iter(|| packed.iter().filter(|m| m.unpack(black_box(&position)).is_some()).count());
        });
        group.bench_function("check squares", |b| {
            b.iter(|| black_box(&position).check_squares());
        });
        group.bench_function("does every move check", |b| {
            b.iter(|| {
                moves.iter().filter(|&&m| checks.gives_check(black_box(&position), m)).count()
            });
        });
        group.bench_function("threats", |b| {
            b.iter(|| black_box(&position).threats(!position.turn()));
        });
        group.finish();
    }
}

/// The leaves of the tree, each of them made, none only counted: tactical moves first, then quiet
/// ones, as the search has them.
fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        black_box(position);
        return 1;
    }
    let mut leaves = 0;
    let mut stage = MoveList::new();
    position.for_each_tactical(|m| stage.push(m));
    leaves += stage.drain(..).map(|m| perft(&position.play(m), depth - 1)).sum::<u64>();
    position.for_each_quiet(|m| stage.push(m));
    leaves + stage.into_iter().map(|m| perft(&position.play(m), depth - 1)).sum::<u64>()
}

/// The same tree through the rules library, which keeps no keys and finds checkers when asked: so
/// it is asked, at every position.
fn library_perft(position: &Chess, depth: u32) -> u64 {
    black_box(position.is_check());
    if depth == 0 {
        black_box(position);
        return 1;
    }
    let play = |m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        library_perft(&next, depth - 1)
    };
    position.legal_moves().into_iter().map(play).sum()
}

/// Walks every tree both ways in turn and prints the nodes per second.
fn compare() {
    for (fen, depth) in TREES {
        let position = Position::from_fen(fen).expect("the FEN is valid");
        let library: Fen = fen.parse().expect("the FEN is valid");
        let library: Chess =
            library.into_position(CastlingMode::Standard).expect("the position is legal");
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let mut leaves = 0;
        for _ in 0..ROUNDS {
            leaves = timed(&mut own, || perft(&position, depth));
            assert_eq!(leaves, timed(&mut others, || library_perft(&library, depth)), "{fen}");
        }
        let speed = |times: &mut Vec<Duration>| {
            times.sort();
            leaves as f64 / times[ROUNDS / 2].as_secs_f64() / 1e6
        };
        let (own, others) = (speed(&mut own), speed(&mut others));
        let ratio = own / others;
        println!(
            "perft {depth} of {fen}: {own:.1} M leaves/s, library {others:.1}, {ratio:.2} times"
        );
    }
}

fn timed(times: &mut Vec<Duration>, count: impl FnOnce() -> u64) -> u64 {
    let start = Instant::now();
    let leaves = black_box(count());
    times.push(start.elapsed());
    leaves
}

criterion_group!(benches, rules);

fn main() {
    compare();
    benches();
    Criterion::default().configure_from_args().final_summary();
}
