//! The rules' share of a node: generating moves, making one, passing, unpacking one.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use heddle::commands::perft::perft;
use heddle::position::{PackedMove, Position, START_FEN};
use heddle::smp::stop::StopFlag;

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDGAME: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

fn rules(criterion: &mut Criterion) {
    for (name, fen) in [("start", START_FEN), ("middlegame", MIDDLEGAME), ("endgame", ENDGAME)] {
        let position = Position::from_fen(fen).expect("the FEN is valid");
        let moves = position.legal_moves();
        let packed: Vec<_> = moves.iter().map(|&m| PackedMove::pack(m)).collect();
        let mut group = criterion.benchmark_group(name);
        group.bench_function("legal moves", |b| b.iter(|| black_box(&position).legal_moves()));
        group.bench_function("play every move", |b| {
            b.iter(|| moves.iter().fold(0, |keys, &m| keys ^ black_box(&position).play(m).key()));
        });
        group.bench_function("null move", |b| b.iter(|| black_box(&position).null_move()));
        group.bench_function("unpack every move", |b| {
            b.iter(|| packed.iter().filter(|m| m.unpack(black_box(&position)).is_some()).count());
        });
        group.bench_function("perft 3", |b| b.iter(|| perft(&position, 3, &StopFlag::default())));
        group.finish();
    }
}

criterion_group!(benches, rules);
criterion_main!(benches);
