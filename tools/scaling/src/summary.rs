//! Turns samples into ratios with intervals.
//!
//! In each position the mean over the repeats in one configuration is compared with the mean on one
//! thread. The result is the geometric mean of these ratios over the positions, so that the
//! speed-up is exactly the nps ratio divided by the node overhead. The bootstrap draws positions,
//! and within each of them repeats, with replacement; all configurations use the same draws.

use fastrand::Rng;
use serde::Serialize;

use crate::configuration::Policy;
use crate::measure::{Measured, Plan, TimeUnit};
use crate::misses::MissRates;
use crate::stats::{Estimate, geometric_mean, mean};
use heddle::tt::Counts;

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1000;

/// The cost of a search, or the mean over several.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Work {
    time: f64,
    nodes: f64,
}

/// One configuration compared with one thread.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Ratios {
    /// Nodes per second relative to one thread.
    pub nps: f64,
    /// Time on one thread relative to the time here.
    pub speed_up: f64,
    /// Nodes relative to one thread.
    pub overhead: f64,
}

/// The ratios of each configuration; `None` where there are no samples.
pub type Curve = Vec<Option<Ratios>>;

/// The measured ratios and those of every resample.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Over all samples.
    pub measured: Curve,
    /// Over the samples of each draw.
    pub resampled: Vec<Curve>,
}

/// The speed-up in one position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InPosition {
    /// Name of the position.
    pub position: String,
    /// Time on one thread relative to the time here.
    pub speed_up: f64,
}

/// Hits in the transposition table, in per cent of all probes.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct Hits {
    /// Hits on any entry.
    pub all: f64,
    /// Hits on an entry written by another worker.
    pub foreign: f64,
}

impl Hits {
    /// The hits of all these searches combined.
    pub fn of(counts: &[Counts]) -> Self {
        let sum = |of: fn(&Counts) -> u64| counts.iter().map(of).sum::<u64>() as f64;
        let share = |hits: f64| 100.0 * hits / sum(|c| c.probes).max(1.0);
        Self { all: share(sum(|c| c.hits)), foreign: share(sum(|c| c.foreign)) }
    }
}

/// The results of one configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Number of workers.
    pub threads: usize,
    /// The policy, if the engine has several.
    #[serde(flatten)]
    pub policy: Option<Policy>,
    /// Positions searched both in this configuration and on one thread.
    pub positions: usize,
    /// Searches in this configuration.
    pub runs: usize,
    /// Nodes per unit of time, over all searches combined.
    pub nps: f64,
    /// Nodes per second relative to one thread.
    pub nps_ratio: Estimate,
    /// Mean time to depth over all searches.
    pub time: f64,
    /// Time to depth on one thread relative to the time here.
    pub speed_up: Estimate,
    /// The speed-up divided by the number of threads.
    pub efficiency: Estimate,
    /// Nodes relative to one thread.
    pub node_overhead: Estimate,
    /// Mean per mille of the table filled.
    pub hashfull: f64,
    /// Hits in the table, over all searches combined, if they were counted.
    pub hits: Option<Hits>,
    /// Misses of simulated caches per node, if they were counted.
    pub misses: Option<MissRates>,
    /// Share of the searches that chose the same move as one thread.
    pub agreement: f64,
    /// The speed-up in each position.
    pub in_positions: Vec<InPosition>,
}

/// All samples by configuration, position and repeat.
struct Grid {
    cells: Vec<Vec<Vec<Work>>>,
}

impl Grid {
    fn new(plan: &Plan, measured: &[Measured]) -> Self {
        let mut cells = vec![vec![Vec::new(); plan.suite.len()]; plan.configurations.len()];
        for Measured { place, sample, .. } in measured {
            let work = Work { time: sample.time, nodes: sample.nodes as f64 };
            cells[place.configuration][place.position].push(work);
        }
        Self { cells }
    }

    fn positions(&self) -> usize {
        self.cells[0].len()
    }

    /// Geometric means over `positions` of the ratios of the mean cost that `pick` computes from
    /// the repeats.
    fn curve(&self, positions: &[usize], mut pick: impl FnMut(&[Work]) -> Option<Work>) -> Curve {
        let mut ratios = vec![Vec::new(); self.cells.len()];
        for &position in positions {
            let Some(alone) = pick(&self.cells[0][position]) else { continue };
            ratios[0].push(Ratios { nps: 1.0, speed_up: 1.0, overhead: 1.0 });
            for (configuration, ratios) in ratios.iter_mut().enumerate().skip(1) {
                let together = pick(&self.cells[configuration][position]);
                ratios.extend(together.map(|together| compare(alone, together)));
            }
        }
        ratios.iter().map(|ratios| combine(ratios)).collect()
    }

    fn measured(&self) -> Curve {
        self.curve(&(0..self.positions()).collect::<Vec<_>>(), average)
    }

    /// The speed-up of a configuration in every position, if it was searched in both.
    fn speed_ups(&self, configuration: usize) -> Vec<Option<f64>> {
        let pairs = self.cells[0].iter().zip(&self.cells[configuration]);
        pairs.map(|(one, many)| Some(compare(average(one)?, average(many)?).speed_up)).collect()
    }

    /// The curve of one draw.
    fn resample(&self, rng: &mut Rng) -> Curve {
        let count = self.positions();
        let positions: Vec<usize> = (0..count).map(|_| rng.usize(..count)).collect();
        self.curve(&positions, |repeats| {
            let drawn: Vec<Work> =
                repeats.iter().filter_map(|_| rng.choice(repeats)).copied().collect();
            average(&drawn)
        })
    }
}

fn average(repeats: &[Work]) -> Option<Work> {
    let time = mean(repeats.iter().map(|work| work.time))?;
    let nodes = mean(repeats.iter().map(|work| work.nodes))?;
    Some(Work { time, nodes })
}

fn compare(alone: Work, together: Work) -> Ratios {
    let speed_up = alone.time / together.time;
    let overhead = together.nodes / alone.nodes;
    Ratios { nps: speed_up * overhead, speed_up, overhead }
}

fn combine(ratios: &[Ratios]) -> Option<Ratios> {
    Some(Ratios {
        nps: geometric_mean(ratios.iter().map(|r| r.nps))?,
        speed_up: geometric_mean(ratios.iter().map(|r| r.speed_up))?,
        overhead: geometric_mean(ratios.iter().map(|r| r.overhead))?,
    })
}

/// The ratios of all configurations; `seed` determines the draws.
pub fn curves(plan: &Plan, measured: &[Measured], seed: u64) -> Curves {
    let grid = Grid::new(plan, measured);
    let mut rng = Rng::with_seed(seed);
    let resampled = (0..RESAMPLES).map(|_| grid.resample(&mut rng)).collect();
    Curves { measured: grid.measured(), resampled }
}

/// One row for each configuration with samples.
pub fn rows(plan: &Plan, measured: &[Measured], curves: &Curves) -> Vec<Row> {
    let grid = Grid::new(plan, measured);
    (0..plan.configurations.len()).filter_map(|i| row(plan, measured, curves, &grid, i)).collect()
}

fn row(
    plan: &Plan,
    measured: &[Measured],
    curves: &Curves,
    grid: &Grid,
    index: usize,
) -> Option<Row> {
    let ratios = curves.measured[index]?;
    let configuration = plan.configurations[index];
    let samples = || measured.iter().filter(|m| m.place.configuration == index).map(|m| &m.sample);
    let interval = |value: f64, of: fn(&Ratios) -> f64| {
        let drawn = curves.resampled.iter().filter_map(|curve| curve[index].as_ref().map(of));
        Estimate::new(value, drawn.collect())
    };
    let speed_up = interval(ratios.speed_up, |r| r.speed_up);
    let share = |value: f64| value / configuration.threads as f64;
    let Estimate { value, low, high } = speed_up;
    let (time, nodes) =
        samples().fold((0.0, 0.0), |(time, nodes), s| (time + s.time, nodes + s.nodes as f64));
    let counts: Vec<Counts> = samples().filter_map(|s| s.census).collect();
    let misses: Vec<_> = samples().filter_map(|s| Some((s.misses?, s.nodes))).collect();
    let in_positions: Vec<InPosition> = grid
        .speed_ups(index)
        .into_iter()
        .zip(&plan.suite)
        .filter_map(|(speed_up, named)| {
            Some(InPosition { position: named.name.clone(), speed_up: speed_up? })
        })
        .collect();
    Some(Row {
        threads: configuration.threads,
        policy: Some(configuration.policy()),
        positions: in_positions.len(),
        runs: samples().count(),
        nps: nodes / time,
        nps_ratio: interval(ratios.nps, |r| r.nps),
        time: mean(samples().map(|s| s.time))?,
        speed_up,
        efficiency: Estimate { value: share(value), low: share(low), high: share(high) },
        node_overhead: interval(ratios.overhead, |r| r.overhead),
        hashfull: mean(samples().map(|s| s.hashfull.into()))?,
        hits: (!counts.is_empty()).then(|| Hits::of(&counts)),
        misses: MissRates::of(&misses),
        agreement: agreement(measured, index)?,
        in_positions,
    })
}

/// The share of the searches in a configuration that chose the same move as one thread, whose
/// choice is always the same; searches without a counterpart do not count.
fn agreement(measured: &[Measured], configuration: usize) -> Option<f64> {
    let alone = |position| {
        measured.iter().find(|m| m.place.configuration == 0 && m.place.position == position)
    };
    let here = measured.iter().filter(|m| m.place.configuration == configuration);
    mean(here.filter_map(|m| {
        let same = alone(m.place.position)?.sample.best_move == m.sample.best_move;
        Some(f64::from(u8::from(same)))
    }))
}

/// Whether nodes per unit of time are meaningful. In virtual time their ratio is the number of
/// threads by definition.
pub fn speed_is_measured(unit: TimeUnit) -> bool {
    unit == TimeUnit::Wall
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::configurations;
    use crate::measure::{Goal, Place, Sample};
    use heddle::position::Position;
    use heddle::smp::teamwork::{Sharing, Stagger};
    use heddle::text::suite::Named;

    const SEED: u64 = 1;

    fn plan(positions: usize, repeats: usize) -> Plan {
        let named = |i| Named { name: format!("p{i}"), position: Position::default() };
        let suite = (0..positions).map(named).collect();
        let configurations = configurations(&[1, 2], &[Stagger::None], &[Sharing::Private]);
        Plan { suite, configurations, goal: Goal::Depth(1), repeats }
    }

    fn sample(time: f64, nodes: u64, best_move: &str) -> Sample {
        let best_move = best_move.into();
        Sample { time, nodes, depth: 1, best_move, hashfull: 10, census: None, misses: None }
    }

    fn measured(place: (usize, usize, usize), sample: Sample) -> Measured {
        let (repeat, position, configuration) = place;
        Measured { place: Place { repeat, position, configuration }, depth: 1, sample }
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn ratios_are_geometric_means_of_means_over_repeats() {
        let plan = plan(2, 2);
        let samples = [
            // On two threads half the time in one repeat and the same in the other: 4 to 3.
            measured((0, 0, 0), sample(4.0, 100, "e4")),
            measured((0, 0, 1), sample(2.0, 150, "e4")),
            measured((1, 0, 0), sample(4.0, 100, "e4")),
            measured((1, 0, 1), sample(4.0, 150, "d4")),
            // Three times as fast, with the same number of nodes.
            measured((0, 1, 0), sample(3.0, 100, "e4")),
            measured((0, 1, 1), sample(1.0, 100, "e4")),
        ];
        let curves = curves(&plan, &samples, SEED);
        let rows = rows(&plan, &samples, &curves);
        let [one, two] = &rows[..] else { panic!("{rows:?}") };
        close(two.speed_up.value, 2.0);
        close(two.node_overhead.value, 1.5f64.sqrt());
        close(two.nps_ratio.value, 2.0 * 1.5f64.sqrt());
        close(two.efficiency.value, 1.0);
        close(two.agreement, 2.0 / 3.0);
        close(two.nps, 400.0 / 7.0);
        assert_eq!((two.runs, two.positions, two.threads), (3, 2, 2));
        close(two.in_positions[0].speed_up, 4.0 / 3.0);
        assert_eq!(one.speed_up, Estimate::exact(1.0));
        close(one.agreement, 1.0);
    }

    #[test]
    fn intervals_contain_the_value_narrow_with_the_positions_and_follow_the_seed() {
        let width = |positions| {
            let plan = plan(positions, 1);
            let samples: Vec<_> = (0..positions)
                .flat_map(|i| {
                    let time = [1.0, 2.0, 4.0][i % 3];
                    [
                        measured((0, i, 0), sample(4.0, 100, "e4")),
                        measured((0, i, 1), sample(time, 100, "e4")),
                    ]
                })
                .collect();
            let drawn = curves(&plan, &samples, SEED);
            assert_eq!(drawn.resampled, curves(&plan, &samples, SEED).resampled);
            assert_ne!(drawn.resampled, curves(&plan, &samples, SEED + 1).resampled);
            let found = rows(&plan, &samples, &drawn)[1].speed_up;
            close(found.value, 2.0);
            assert!(found.low < 2.0 && 2.0 < found.high, "{found:?}");
            found.high - found.low
        };
        assert!(width(60) < width(6));
    }

    #[test]
    fn hits_are_shares_of_all_probes() {
        let counts = |probes, hits, foreign| Counts { probes, hits, foreign, ..Counts::default() };
        let Hits { all, foreign } = Hits::of(&[counts(100, 50, 0), counts(300, 50, 20)]);
        close(all, 25.0);
        close(foreign, 5.0);
        assert_eq!(Hits::of(&[Counts::default()]), Hits { all: 0.0, foreign: 0.0 });
    }

    #[test]
    fn what_has_no_counterpart_does_not_count() {
        let plan = plan(3, 1);
        let samples = [
            measured((0, 0, 0), sample(4.0, 100, "e4")),
            measured((0, 0, 1), sample(2.0, 100, "e4")),
            measured((0, 1, 0), sample(9.0, 100, "e4")),
        ];
        let found = rows(&plan, &samples, &curves(&plan, &samples, SEED));
        assert_eq!((found[0].positions, found[1].positions), (2, 1));
        close(found[1].speed_up.value, 2.0);
        assert!(rows(&plan, &[], &curves(&plan, &[], SEED)).is_empty());
        let alone = &samples[..1];
        assert_eq!(rows(&plan, alone, &curves(&plan, alone, SEED)).len(), 1);
    }
}
