//! How models are run and reported.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// If set, every model runs with its long bound.
const LONG: &str = "HEDDLE_LOOM_LONG";

/// How many preemptions (switches away from a thread that could continue) an execution may have.
#[derive(Copy, Clone, Debug)]
pub enum Bound {
    /// Any number: every interleaving.
    Exhaustive,
    /// This many.
    Preemptions(usize),
    /// This many, or every interleaving in a long run.
    ExhaustiveIfLong(usize),
    /// The first number, or the second in a long run.
    MoreIfLong(usize, usize),
}

impl Bound {
    fn preemptions(self) -> Option<usize> {
        let long = std::env::var_os(LONG).is_some();
        match self {
            Self::Exhaustive => None,
            Self::Preemptions(bound) => Some(bound),
            Self::ExhaustiveIfLong(usual) => (!long).then_some(usual),
            Self::MoreIfLong(usual, more) => Some(if long { more } else { usual }),
        }
    }
}

/// Reports a model when it ends, passed or panicked. Bypasses the test harness, which would swallow
/// the output of passing tests.
struct Report {
    name: &'static str,
    preemptions: Option<usize>,
    executions: Arc<AtomicUsize>,
    start: Instant,
}

impl Drop for Report {
    fn drop(&mut self) {
        let Self { name, preemptions, executions, start } = self;
        let bound = preemptions.map_or_else(|| "none".to_string(), |bound| bound.to_string());
        let end = if std::thread::panicking() { "caught" } else { "passed" };
        let executions = executions.load(Relaxed);
        let seconds = start.elapsed().as_secs_f64();
        // Failing to write a report must not fail the model.
        let _ = writeln!(
            std::io::stderr(),
            "{name:<48} bound {bound:>4}  {end} {executions:>8} executions {seconds:>7.2} s"
        );
    }
}

/// Runs `model` in every interleaving within `bound`; panics on the first failure.
pub fn explore(name: &'static str, bound: Bound, model: impl Fn() + Send + Sync + 'static) {
    let executions = Arc::new(AtomicUsize::new(0));
    let preemptions = bound.preemptions();
    let _report =
        Report { name, preemptions, executions: Arc::clone(&executions), start: Instant::now() };
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(move || {
        executions.fetch_add(1, Relaxed);
        model();
    });
}

/// Joins every thread.
pub fn join(threads: impl IntoIterator<Item = loom::thread::JoinHandle<()>>) {
    for thread in threads {
        thread.join().expect("loom aborts the model when a thread panics");
    }
}
