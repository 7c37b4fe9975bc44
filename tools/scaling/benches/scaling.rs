//! Time to depth of one position on 1, 2, 4 ... threads, each time with an empty table.
//!
//! For a quick look at how the search scales; `heddle scaling` is the real measurement.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use heddle::machine::processors;
use heddle::position::Position;
use heddle::score::Depth;
use heddle::sync::Arc;
use heddle_scaling::{Configuration, Instrument, OnThreads, Run};

const POSITION: &str = "r2q1rk1/1ppnbppp/p2p1nb1/3Pp3/2P1P1P1/2N2N1P/PPB1QP2/R1B2RK1 b - - 0 1";
const DEPTH: Depth = 8;
/// Size of the transposition table, in MiB.
const HASH: usize = 4;
/// The minimum number of samples.
const SAMPLES: usize = 10;
const TIME: Duration = Duration::from_secs(2);

fn scaling(criterion: &mut Criterion) {
    let position = Position::from_fen(POSITION).expect("the FEN is valid");
    let mut engine = OnThreads::new(HASH, None, Arc::default()).expect("4 MiB are available");
    let mut group = criterion.benchmark_group("time to depth");
    group.sample_size(SAMPLES).warm_up_time(TIME / 4).measurement_time(TIME);
    let available = processors();
    for threads in std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n <= available) {
        let configuration = Configuration { threads, ..Configuration::default() };
        let run = Run { position: &position, configuration, depth: DEPTH };
        group.bench_function(BenchmarkId::from_parameter(threads), |b| {
            b.iter_custom(|searches| {
                let seconds = (0..searches).map(|_| {
                    let sample = engine.take(&run).expect("the threads can be started");
                    sample.expect("nobody cancels it").time
                });
                Duration::from_secs_f64(seconds.sum())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, scaling);
criterion_main!(benches);
