//! The work of a job, beside the protocol.

use super::protocol::Job;
use crate::commands::bench::{self, BenchError, Total};
use crate::commands::{genfens, perft, speedtest};
use crate::eval::nnue::network::Network;
use crate::position::{Position, uci};
use crate::smp::stop::StopFlag;
use crate::sync::Arc;

/// Does `job` until it is done or told to stop. `say` is given its output but for the last of it, which
/// is returned.
pub(super) fn work(
    job: &Job,
    threads: usize,
    network: Option<Arc<Network>>,
    cancel: &Arc<StopFlag>,
    say: impl FnMut(String),
) -> String {
    match job {
        Job::Perft { position, depth, chess960 } => {
            count_leaves(position, *depth, *chess960, threads, cancel, say)
        }
        Job::Bench(config) => closing("bench", bench::run(config, network, cancel, say)),
        Job::Speedtest(config) => {
            closing("speedtest", speedtest::run(config, network, cancel, say))
        }
        Job::Genfens(config) => match genfens::run(config, network, cancel, say) {
            // Every line that begins with `info string genfens ` is taken for an opening.
            Ok(()) => "info string all openings are generated".into(),
            Err(error) => format!("info string genfens: {error}"),
        },
    }
}

fn count_leaves(
    position: &Position,
    depth: u32,
    chess960: bool,
    threads: usize,
    cancel: &Arc<StopFlag>,
    mut say: impl FnMut(String),
) -> String {
    let split = match perft::divide(position, depth, threads, cancel) {
        Ok(Some(split)) => split,
        Ok(None) => return "info string perft stopped".into(),
        Err(error) => return format!("info string perft: {error}"),
    };
    let total: u64 = if depth == 0 { 1 } else { split.iter().map(|(_, count)| count).sum() };
    for (m, count) in split {
        say(format!("{}: {count}", uci(m, chess960)));
    }
    format!("\nNodes searched: {total}")
}

/// The last line of a bench.
fn closing(name: &str, total: Result<Option<Total>, BenchError>) -> String {
    match total {
        Ok(Some(total)) => total.to_string(),
        Ok(None) => format!("info string {name} stopped"),
        Err(error) => format!("info string {name}: {error}"),
    }
}
