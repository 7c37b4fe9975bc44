//! Searches on real threads, measured in seconds.

use std::time::{Duration, Instant};

use crate::configuration::Configuration;
use crate::measure::{Instrument, Run, Sample, TimeUnit};
use heddle::engine::{Engine, EngineError, Settings};
use heddle::eval::nnue::network::Network;
use heddle::position::{Game, Position};
use heddle::score::Depth;
use heddle::search::Outcome;
use heddle::smp::recorder::Recorder;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle::tt::Counting;

/// An engine and a clock.
pub struct OnThreads {
    engine: Engine,
    cancel: Arc<StopFlag>,
    counts: bool,
    /// The recorder of the last search, if the misses of simulated caches are counted.
    recorder: Option<Arc<Recorder>>,
}

impl OnThreads {
    /// An engine with a table of `hash` MiB that evaluates with `network`, or with the classical
    /// evaluation if there is none. `cancel` ends its searches.
    ///
    /// # Errors
    /// [`EngineError`] when the table cannot be allocated.
    pub fn new(
        hash: usize,
        network: Option<Arc<Network>>,
        cancel: Arc<StopFlag>,
    ) -> Result<Self, EngineError> {
        let mut engine = Engine::new(1, hash)?;
        engine.set_network(network);
        Ok(Self { engine, cancel, counts: false, recorder: None })
    }

    /// Whether to search each run a second time, untimed, counting table accesses.
    #[must_use]
    pub fn counting(self, counts: bool) -> Self {
        Self { counts, ..self }
    }

    /// Whether to count the misses of simulated caches, which makes sense in lockstep.
    pub(super) fn counting_misses(self, counts_misses: bool) -> Self {
        Self { recorder: counts_misses.then(Arc::default), ..self }
    }

    /// Rounds of the last search, if it was in lockstep.
    pub(super) fn rounds(&self) -> u64 {
        self.engine.rounds()
    }

    /// The depth that one thread completes within `limits`, at least 1; `None` if cancelled.
    pub(super) fn depth_within(
        &mut self,
        position: &Position,
        limits: &Limits,
    ) -> Result<Option<Depth>, EngineError> {
        let found = self.outcome(position, 1, limits, &Settings::default())?;
        Ok(found.map(|(outcome, _)| outcome.depth.max(1)))
    }

    /// Searches from an empty table; the outcome and the time it took, `None` if cancelled.
    fn outcome(
        &mut self,
        position: &Position,
        threads: usize,
        limits: &Limits,
        settings: &Settings,
    ) -> Result<Option<(Outcome, Duration)>, EngineError> {
        if self.engine.threads() != threads {
            self.engine.set_threads(threads)?;
        }
        // This also touches the whole table, so that no page fault falls within the timed search.
        self.engine.clear();
        let game = Game::new(position.clone());
        let start = Instant::now();
        if let Some(recorder) = &mut self.recorder {
            *recorder = Arc::default();
            self.engine.set_recorder(Some(Arc::clone(recorder)));
        }
        let outcome = self.engine.search(&game, limits, settings, &self.cancel, |_, _, _| {});
        let time = start.elapsed();
        Ok((!self.cancel.is_raised()).then_some((outcome, time)))
    }

    /// Searches and measures; `None` if cancelled.
    pub(super) fn search(
        &mut self,
        run: &Run<'_>,
        settings: &Settings,
    ) -> Result<Option<Sample>, EngineError> {
        let limits = Limits { depth: Some(run.depth), ..Limits::default() };
        let threads = run.configuration.threads;
        let Some((outcome, time)) = self.outcome(run.position, threads, &limits, settings)? else {
            return Ok(None);
        };
        Ok(Some(Sample {
            time: time.as_secs_f64(),
            nodes: self.engine.nodes(),
            depth: outcome.depth,
            best_move: run.best_move(&outcome),
            hashfull: self.engine.hashfull(),
            census: self.engine.totals().census,
            misses: self.recorder.as_ref().map(|recorder| recorder.misses()),
        }))
    }
}

impl Instrument for OnThreads {
    fn time_unit(&self) -> TimeUnit {
        TimeUnit::Wall
    }

    fn reach(&mut self, position: &Position, time: u64) -> Result<Option<Depth>, EngineError> {
        let move_time = Some(Duration::from_millis(time));
        self.depth_within(position, &Limits { move_time, ..Limits::default() })
    }

    fn take(&mut self, run: &Run<'_>) -> Result<Option<Sample>, EngineError> {
        let Configuration { stagger, sharing, .. } = run.configuration;
        let settings = Settings { stagger, sharing, ..Settings::default() };
        let timed = self.search(run, &settings)?;
        if !self.counts {
            return Ok(timed);
        }
        let counted = self.search(run, &Settings { census: Counting::Everything, ..settings })?;
        Ok(timed.zip(counted).map(|(timed, counted)| Sample { census: counted.census, ..timed }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle::smp::teamwork::Stagger;

    fn run(position: &Position, threads: usize) -> Run<'_> {
        Run {
            position,
            configuration: Configuration {
                threads,
                stagger: Stagger::Skip,
                ..Configuration::default()
            },
            depth: 4,
        }
    }

    #[test]
    fn every_run_starts_from_an_empty_table() {
        let position = Position::default();
        let mut engine = OnThreads::new(1, None, Arc::default()).unwrap();
        let first = engine.take(&run(&position, 1)).unwrap().unwrap();
        let second = engine.take(&run(&position, 2)).unwrap().unwrap();
        let third = engine.take(&run(&position, 1)).unwrap().unwrap();
        assert!(second.depth >= 4 && !second.best_move.is_empty());
        assert_eq!((first.nodes, first.best_move), (third.nodes, third.best_move));
    }

    #[test]
    fn accesses_of_the_table_are_counted_on_request() {
        let position = Position::default();
        let mut engine = OnThreads::new(1, None, Arc::default()).unwrap();
        let plain = engine.take(&run(&position, 1)).unwrap().unwrap();
        let mut engine = engine.counting(true);
        let counted = engine.take(&run(&position, 1)).unwrap().unwrap();
        assert_eq!((plain.census, plain.nodes), (None, counted.nodes));
        assert_eq!(counted.census.unwrap().foreign, 0);
        let together = engine.take(&run(&position, 2)).unwrap().unwrap().census.unwrap();
        assert!(together.probes >= together.hits && together.hits >= together.foreign);
    }

    #[test]
    fn a_cancelled_run_has_no_sample() {
        let cancel = Arc::<StopFlag>::default();
        cancel.raise();
        let mut engine = OnThreads::new(1, None, cancel).unwrap();
        assert_eq!(engine.take(&run(&Position::default(), 1)).unwrap(), None);
        assert_eq!(engine.reach(&Position::default(), 1).unwrap(), None);
    }
}
