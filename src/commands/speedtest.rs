//! Measures the nodes per second of this machine over positions typical of a game.

use std::time::Duration;

use crate::eval::nnue::network::Network;
use crate::numa::Topology;
use crate::smp::stop::StopFlag;
use crate::sync::Arc;

use super::bench::{self, BenchConfig, BenchError, LimitType, Total, argument, number};
use crate::machine::{Bounds, processors};

/// Default table size per thread, in MiB.
const HASH_PER_THREAD: usize = 128;
/// Default duration, in seconds.
const DEFAULT_SECONDS: u64 = 30;
/// The longest duration, in seconds: a day.
const MAX_SECONDS: u64 = 24 * 60 * 60;

/// The arguments of a speedtest.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SpeedtestConfig {
    /// Number of workers.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// Total time for all positions.
    pub time: Duration,
}

impl SpeedtestConfig {
    /// Parses `[threads] [hash] [seconds]`. The defaults are one thread per core, 128 MiB per
    /// thread but at most half of `bounds`, and 30 seconds.
    pub fn read<'a>(
        words: impl IntoIterator<Item = &'a str>,
        bounds: Bounds,
    ) -> Result<Self, BenchError> {
        let mut words = words.into_iter();
        let mut next =
            |what, max, default| words.next().map_or(Ok(default), |word| number(what, word, max));
        let cores = processors().min(bounds.threads) as u64;
        let threads = next("threads", bounds.threads as u64, cores)? as usize;
        let hash = (threads * HASH_PER_THREAD).min(bounds.hash / 2).max(1);
        let hash = next("hash", bounds.hash as u64, hash as u64)? as usize;
        let seconds = next("seconds", MAX_SECONDS, DEFAULT_SECONDS)?;
        match words.next() {
            Some(word) => Err(argument("the last argument", "the seconds".into(), word)),
            None => Ok(Self { threads, hash, time: Duration::from_secs(seconds) }),
        }
    }
}

/// Searches the bench positions for equal times with a new engine; `say` receives a line with the
/// conditions and one with the machine. It evaluates as [`super::bench::run`] does. Returns `None`
/// if cancelled.
pub fn run(
    config: &SpeedtestConfig,
    network: Option<Arc<Network>>,
    cancel: &Arc<StopFlag>,
    mut say: impl FnMut(String),
) -> Result<Option<Total>, BenchError> {
    let SpeedtestConfig { threads, hash, time } = *config;
    say(format!("threads {threads} hash {hash} MiB time {} s", time.as_secs()));
    say(format!("{}; {} at a time for this process", Topology::here(), processors()));
    let config =
        BenchConfig { threads, hash, limit_type: LimitType::MoveTime, ..BenchConfig::default() };
    let each = time / config.positions.len() as u32;
    bench::run(&BenchConfig { limit: each.as_millis() as u64, ..config }, network, cancel, |_| {})
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { hash: 64, threads: 8 };

    #[test]
    fn arguments_stand_in_their_order_and_have_defaults() {
        let read = |words: &str| SpeedtestConfig::read(words.split_whitespace(), BOUNDS);
        let config = SpeedtestConfig { threads: 2, hash: 8, time: Duration::from_secs(5) };
        assert_eq!(read("2 8 5").unwrap(), config);
        assert_eq!(read("1").unwrap().hash, 32, "half of the available memory");
        assert_eq!(read("").unwrap().time, Duration::from_secs(DEFAULT_SECONDS));
        let error = read("2 8 0").unwrap_err().to_string();
        assert_eq!(error, "seconds must be a number from 1 to 86400, not 0");
        assert!(read("2 8 5 5").is_err());
    }

    #[test]
    fn the_totals_are_those_of_all_positions() {
        let config = SpeedtestConfig { threads: 1, hash: 1, time: Duration::from_millis(57) };
        let mut lines = Vec::new();
        let total = run(&config, None, &Arc::default(), |line| lines.push(line)).unwrap().unwrap();
        assert_eq!(lines[0], "threads 1 hash 1 MiB time 0 s");
        assert!(lines[1].contains(" on ") && lines[1].ends_with(" for this process"), "{lines:?}");
        assert_eq!(lines.len(), 2);
        assert!(total.nodes > 0);
        let cancel = Arc::<StopFlag>::default();
        cancel.raise();
        assert_eq!(run(&config, None, &cancel, |_| {}).unwrap(), None);
    }
}
