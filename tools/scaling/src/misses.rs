//! Misses of simulated caches: how often a worker reads a line that another has written since.

use heddle::smp::recorder::{Misses, Structure};
use serde::{Serialize, Serializer};

/// Nodes per turn while misses are counted: a worker that had more turns at once would hide those
/// of its own nodes.
pub const QUANTUM: u64 = 1;

/// Misses per node, by structure and of all.
#[derive(Clone, Debug, PartialEq)]
pub struct MissRates([f64; Structure::ALL.len()]);

impl MissRates {
    /// The misses of all these searches of so many nodes combined, `None` if there are none.
    pub fn of(searches: &[(Misses, u64)]) -> Option<Self> {
        let nodes: u64 = searches.iter().map(|(_, nodes)| nodes).sum();
        let rate = |structure| {
            let misses: u64 = searches.iter().map(|(misses, _)| misses.of(structure)).sum();
            misses as f64 / nodes.max(1) as f64
        };
        (!searches.is_empty()).then(|| Self(Structure::ALL.map(rate)))
    }

    /// The misses of each structure, in the order of [`Structure::ALL`], and of all.
    pub fn columns(&self) -> impl Iterator<Item = f64> {
        self.0.into_iter().chain([self.0.iter().sum()])
    }
}

impl Serialize for MissRates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = Structure::ALL.map(Structure::name).into_iter().chain(["all"]);
        serializer.collect_map(names.zip(self.columns()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Configuration;
    use crate::measure::{Instrument, Run, Sample};
    use crate::virtual_time::InLockstep;
    use crate::wall::OnThreads;
    use heddle::position::Position;
    use heddle::smp::teamwork::Sharing;
    use heddle::sync::Arc;

    fn sample(threads: usize) -> Sample {
        let engine = OnThreads::new(1, None, Arc::default()).unwrap();
        let mut instrument = InLockstep::new(engine, QUANTUM).counting_misses(true);
        let configuration =
            Configuration { threads, sharing: Sharing::All, ..Configuration::default() };
        let run = Run { position: &Position::default(), configuration, depth: 5 };
        instrument.take(&run).unwrap().unwrap()
    }

    fn rates(threads: usize) -> MissRates {
        let sample = sample(threads);
        MissRates::of(&[(sample.misses.unwrap(), sample.nodes)]).unwrap()
    }

    #[test]
    fn one_thread_misses_nothing_and_more_miss_more_in_every_structure() {
        assert!(rates(1).columns().all(|rate| rate == 0.0));
        let (two, eight) = (rates(2), rates(8));
        for (few, many) in two.columns().zip(eight.columns()) {
            assert!(few < many, "{two:?} {eight:?}");
        }
    }

    #[test]
    fn misses_are_the_same_each_time() {
        assert_eq!(sample(5), sample(5));
    }

    #[test]
    fn counting_changes_no_search() {
        let engine = OnThreads::new(1, None, Arc::default()).unwrap();
        let mut unobserved = InLockstep::new(engine, QUANTUM);
        let configuration =
            Configuration { threads: 3, sharing: Sharing::All, ..Configuration::default() };
        let run = Run { position: &Position::default(), configuration, depth: 5 };
        let plain = unobserved.take(&run).unwrap().unwrap();
        assert_eq!(plain, Sample { misses: None, ..sample(3) });
    }

    #[test]
    fn rates_are_per_node_of_all_searches() {
        assert_eq!(MissRates::of(&[]), None);
        let none = MissRates::of(&[(Misses::default(), 0)]).unwrap();
        assert_eq!(none.columns().last(), Some(0.0));
        let json = serde_json::to_value(rates(2)).unwrap();
        let sum: f64 =
            Structure::ALL.iter().map(|structure| json[structure.name()].as_f64().unwrap()).sum();
        assert!((json["all"].as_f64().unwrap() - sum).abs() < 1e-9 && sum > 0.0, "{json}");
    }
}
