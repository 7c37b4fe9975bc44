//! Searches on simulated processors, measured in virtual time.
//!
//! Workers in lockstep take turns of equal numbers of nodes, so a round corresponds to one turn on
//! a machine with a processor for each worker: the number of threads may exceed the number of
//! processors, and every search is repeatable to the node. Costs of memory, caches and contention
//! are not modelled; only the search is compared.

use crate::configuration::Configuration;
use crate::measure::{Instrument, Run, Sample, TimeUnit};
use crate::ranks::{Machines, Ranks};
use crate::wall::OnThreads;
use heddle::engine::{EngineError, Settings};
use heddle::position::{Game, Position};
use heddle::score::Depth;
use heddle::time::limits::Limits;
use heddle::tt::Counting;

/// An engine whose workers take turns.
pub struct InLockstep {
    engine: OnThreads,
    quantum: u64,
    /// Those who search with several threads, if these are divided among ranks.
    machines: Option<Machines>,
}

impl InLockstep {
    /// Makes the workers of `engine` take turns of `quantum` nodes, in several `ranks` if there are
    /// any.
    ///
    /// # Errors
    /// [`EngineError`], if the table of a rank cannot be allocated.
    pub fn new(engine: OnThreads, quantum: u64, ranks: Option<Ranks>) -> Result<Self, EngineError> {
        let machines = ranks.map(|ranks| engine.multiplied(ranks)).transpose()?;
        Ok(Self { engine, quantum, machines })
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
        let Configuration { stagger, sharing, threads } = run.configuration;
        let quantum = self.quantum;
        // The round in which the search has ended counts as a whole.
        let time = |round: u64| ((round + 1) * quantum) as f64 / TimeUnit::KILO;
        let settings =
            Settings { stagger, sharing, lockstep: true, quantum, ..Settings::default() };
        // One thread is one rank.
        let Some(machines) = self.machines.as_mut().filter(|_| threads > 1) else {
            // Counting takes no virtual time.
            let sample =
                self.engine.search(run, &Settings { census: Counting::Everything, ..settings })?;
            let time = time(self.engine.rounds());
            return Ok(sample.map(|sample| Sample { time, ..sample }));
        };
        machines.set_threads(threads)?;
        machines.clear();
        let (game, cancel) = (Game::new(run.position.clone()), self.engine.cancel());
        let limits = Limits { depth: Some(run.depth), ..Limits::default() };
        let outcome = machines.search(&game, &limits, &settings, cancel);
        let sample = Sample {
            time: time(machines.rounds()),
            nodes: machines.nodes(),
            depth: outcome.depth,
            best_move: run.best_move(&outcome),
            hashfull: machines.hashfull(),
            // It knows one table.
            census: None,
            misses: None,
        };
        Ok((!cancel.is_raised()).then_some(sample))
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
        let mut instrument = InLockstep::new(engine, 1, None).unwrap();
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
        let mut instrument = InLockstep::new(engine, QUANTUM, None).unwrap();
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

    #[test]
    fn ranks_that_hear_of_each_other_search_otherwise_and_repeatably() {
        let position = Position::default();
        let nodes = |batch, count| {
            let ranks = Ranks { count, delay: 2, batch, least_depth: 1 };
            let engine = OnThreads::new(1, None, Arc::default()).unwrap();
            let mut instrument = InLockstep::new(engine, 16, Some(ranks)).unwrap();
            let configuration = Configuration { threads: 4, ..Configuration::default() };
            let run = Run { position: &position, configuration, depth: 6 };
            let sample = instrument.take(&run).unwrap().unwrap();
            assert_eq!(instrument.take(&run).unwrap().unwrap(), sample);
            assert!(instrument.reach(&position, 1).unwrap().is_some(), "one thread is one rank");
            sample.nodes
        };
        let found = [nodes(1, 4), nodes(64, 4), nodes(64, 2)];
        assert!(found[0] != found[1] && found[1] != found[2], "{found:?}");
    }
}
