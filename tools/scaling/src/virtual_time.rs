//! Searches on simulated processors, measured in virtual time.
//!
//! Workers in lockstep take turns of equal numbers of nodes, so a round corresponds to one turn on
//! a machine with a processor for each worker: the number of threads may exceed the number of
//! processors, and every search is repeatable to the node. Costs of memory, caches and contention
//! are not modelled; only the search is compared.

use crate::configuration::Configuration;
use crate::measure::{Instrument, Run, Sample, TimeUnit};
use crate::wall::OnThreads;
use heddle::engine::{EngineError, Settings};
use heddle::position::Position;
use heddle::score::Depth;
use heddle::time::limits::Limits;
use heddle::tt::Counting;

/// An engine whose workers take turns.
pub struct InLockstep {
    engine: OnThreads,
    quantum: u64,
}

impl InLockstep {
    /// Makes the workers of `engine` take turns of `quantum` nodes.
    pub fn new(engine: OnThreads, quantum: u64) -> Self {
        Self { engine, quantum }
    }

    /// Whether to count the misses of simulated caches.
    #[must_use]
    pub fn counting_misses(self, counts_misses: bool) -> Self {
        Self { engine: self.engine.counting_misses(counts_misses), ..self }
    }
}

impl Instrument for InLockstep {
    fn time_unit(&self) -> TimeUnit {
        TimeUnit::Virtual
    }

    fn reach(&mut self, position: &Position, time: u64) -> Result<Option<Depth>, EngineError> {
        let nodes = Some(time.saturating_mul(TimeUnit::KILO as u64));
        self.engine.depth_within(position, &Limits { nodes, ..Limits::default() })
    }

    fn take(&mut self, run: &Run<'_>) -> Result<Option<Sample>, EngineError> {
        let Configuration { stagger, sharing, .. } = run.configuration;
        let settings = Settings {
            stagger,
            sharing,
            lockstep: true,
            quantum: self.quantum,
            // Counting takes no virtual time.
            census: Counting::Everything,
            ..Settings::default()
        };
        let sample = self.engine.search(run, &settings)?;
        // The round in which the search has ended counts as a whole.
        let nodes = (self.engine.rounds() + 1) * self.quantum;
        Ok(sample.map(|sample| Sample { time: nodes as f64 / TimeUnit::KILO, ..sample }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::sync::Arc;

    #[test]
    fn a_depth_within_virtual_time_repeats_and_takes_no_longer() {
        const TIME: u64 = 20;
        let engine = OnThreads::new(1, None, Arc::default()).unwrap();
        let mut instrument = InLockstep::new(engine, 1);
        let position = Position::default();
        let depth = instrument.reach(&position, TIME).unwrap().unwrap();
        assert_eq!(instrument.reach(&position, TIME).unwrap(), Some(depth));
        let configuration = Configuration { threads: 1, ..Configuration::default() };
        let mut time = |depth| {
            let run = Run { position: &position, configuration, depth };
            instrument.take(&run).unwrap().unwrap().time
        };
        assert!(time(depth) <= TIME as f64 && TIME as f64 <= time(depth + 1), "{depth}");
    }

    #[test]
    fn virtual_time_repeats_and_is_shared_by_all_workers() {
        const QUANTUM: u64 = 16;
        let engine = OnThreads::new(1, None, Arc::default()).unwrap();
        let mut instrument = InLockstep::new(engine, QUANTUM);
        let position = Position::default();
        for threads in [1, 3] {
            let configuration = Configuration { threads, ..Configuration::default() };
            let run = Run { position: &position, configuration, depth: 4 };
            let sample = instrument.take(&run).unwrap().unwrap();
            assert_eq!(instrument.take(&run).unwrap().unwrap(), sample);
            assert_eq!(sample.census.unwrap().foreign > 0, threads > 1);
            let room = sample.time * TimeUnit::KILO * threads as f64;
            assert!(sample.nodes as f64 <= room, "{sample:?}");
            // Every round is full unless a worker has already left.
            assert!(sample.nodes as f64 > room / 2.0, "{sample:?}");
        }
    }
}
