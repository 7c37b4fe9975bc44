//! Nodes per second of whole searches to a fixed depth, on one thread and from an empty table.
//!
//! A search is the same each time, so its nodes are counted once and only the time varies.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use heddle::position::{Position, START_FEN};
use heddle::score::Depth;
use heddle::sync::Arc;
use heddle_scaling::{Configuration, Instrument, OnThreads, Run, Sample};

/// Names and depths of positions, chosen to take about the same time.
const POSITIONS: [(&str, &str, Depth); 4] = [
    ("start", START_FEN, 13),
    ("middlegame", "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1", 13),
    ("tactics", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 12),
    ("endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 17),
];
/// Size of the transposition table, in MiB.
const HASH: usize = 16;
/// The minimum number of samples.
const SAMPLES: usize = 10;
const TIME: Duration = Duration::from_secs(4);

fn search(criterion: &mut Criterion) {
    let mut engine = OnThreads::new(HASH, None, Arc::default()).expect("16 MiB are available");
    let configuration = Configuration { threads: 1, ..Configuration::default() };
    let mut group = criterion.benchmark_group("search");
    group.sample_size(SAMPLES).warm_up_time(TIME / 4).measurement_time(TIME);
    for (name, fen, depth) in POSITIONS {
        let position = Position::from_fen(fen).expect("the FEN is valid");
        let mut sample = || -> Sample {
            let sample = engine.take(&Run { position: &position, configuration, depth });
            sample.expect("a thread can be started").expect("nobody cancels it")
        };
        group.throughput(Throughput::Elements(sample().nodes));
        group.bench_function(format!("{name} to depth {depth}"), |b| {
            b.iter_custom(|searches| {
                Duration::from_secs_f64((0..searches).map(|_| sample().time).sum())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
