//! What the check costs: operations a second on 1, 2 and 4 threads of the shipped table, and of
//! three tables that differ in their slots alone: with the check, without it, and behind sharded
//! mutexes.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use heddle::position::PackedMove;
use heddle::score::Score;
use heddle::sync::{AtomicU64, Mutex, Ordering::Relaxed, thread};
use heddle::tt::{Bound, Entry, Slot, Table};

const MEBIBYTES: usize = 64;
const SLOTS: usize = 4;
const CLUSTERS: usize = (MEBIBYTES << 20) / 64;
const SHARDS: usize = 1024;
/// Keys in use: half as many as slots, so that most probes hit and most stores find their key.
const KEYS: u64 = (CLUSTERS * SLOTS / 2) as u64;
/// One operation in so many is a store, about as in a search; the others are probes.
const STORE_EVERY: u64 = 4;
/// Operations of a thread in one measured run.
const OPERATIONS: u64 = 1 << 16;

/// A table of words.
trait Words: Sync {
    fn probe(&self, key: u64) -> Option<u64>;
    fn store(&self, key: u64, data: u64);
}

impl Words for Table {
    fn probe(&self, key: u64) -> Option<u64> {
        Self::probe(self, key, 0).map(|entry| u64::from(entry.best.to_bits()))
    }
    fn store(&self, key: u64, data: u64) {
        let entry = Entry {
            best: PackedMove::from_bits(data as u16),
            score: Some((Score::new(12), Bound::Lower)),
            eval: Some(Score::new(34)),
            depth: 5,
            was_pv: false,
        };
        Self::store(self, key, 0, entry);
    }
}

/// A slot that several threads may use at once.
trait SharedSlot: Default + Sync {
    fn read(&self) -> (u64, u64);
    fn write(&self, key: u64, data: u64);
}

impl SharedSlot for Slot {
    fn read(&self) -> (u64, u64) {
        Self::read(self)
    }
    fn write(&self, key: u64, data: u64) {
        self.store(key, data);
    }
}

#[derive(Default)]
struct Unchecked {
    key: AtomicU64,
    data: AtomicU64,
}

impl SharedSlot for Unchecked {
    fn read(&self) -> (u64, u64) {
        (self.key.load(Relaxed), self.data.load(Relaxed))
    }
    fn write(&self, key: u64, data: u64) {
        self.key.store(key, Relaxed);
        self.data.store(data, Relaxed);
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Cluster<S>([S; SLOTS]);

/// The number below `range` that `key` falls on.
fn index(key: u64, range: usize) -> usize {
    ((u128::from(key) * range as u128) >> 64) as usize
}

/// The slot of a cluster that `key` goes to: its own, or one of the others by its low bits.
fn place(slots: impl Iterator<Item = (u64, u64)>, key: u64) -> usize {
    slots.map(|(found, _)| found).position(|found| found == key).unwrap_or(key as usize % SLOTS)
}

struct Lockless<S>(Vec<Cluster<S>>);

impl<S: SharedSlot> Lockless<S> {
    fn new() -> Self {
        Self((0..CLUSTERS).map(|_| Cluster::default()).collect())
    }
}

impl<S: SharedSlot> Words for Lockless<S> {
    fn probe(&self, key: u64) -> Option<u64> {
        let Cluster(slots) = &self.0[index(key, CLUSTERS)];
        slots.iter().map(SharedSlot::read).find(|&(found, _)| found == key).map(|(_, data)| data)
    }
    fn store(&self, key: u64, data: u64) {
        let Cluster(slots) = &self.0[index(key, CLUSTERS)];
        slots[place(slots.iter().map(SharedSlot::read), key)].write(key, data);
    }
}

/// Part of the clusters, behind a lock.
type Shard = Mutex<Vec<Cluster<(u64, u64)>>>;

struct Sharded(Vec<Shard>);

impl Sharded {
    fn new() -> Self {
        let shard = |_| (0..CLUSTERS / SHARDS).map(|_| Cluster::default()).collect();
        Self((0..SHARDS).map(shard).map(Mutex::new).collect())
    }

    /// The shard of a key, and its cluster in there.
    fn locate(&self, key: u64) -> (&Shard, usize) {
        let cluster = index(key, CLUSTERS);
        (&self.0[cluster % SHARDS], cluster / SHARDS)
    }
}

impl Words for Sharded {
    fn probe(&self, key: u64) -> Option<u64> {
        let (shard, cluster) = self.locate(key);
        let Cluster(slots) = &shard.lock()[cluster];
        slots.iter().find(|(found, _)| *found == key).map(|&(_, data)| data)
    }
    fn store(&self, key: u64, data: u64) {
        let (shard, cluster) = self.locate(key);
        let Cluster(slots) = &mut shard.lock()[cluster];
        slots[place(slots.iter().copied(), key)] = (key, data);
    }
}

/// A well-mixed function of `n` (the finalizer of `SplitMix64`).
fn mix(n: u64) -> u64 {
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

/// Every thread goes through its own sequence of keys.
fn run(table: &dyn Words, threads: u64) {
    let work = |thread: u64| {
        for i in 0..OPERATIONS {
            let key = mix(mix(i + thread * OPERATIONS) % KEYS + 1);
            if i % STORE_EVERY == 0 {
                table.store(key, i);
            } else {
                black_box(table.probe(key));
            }
        }
    };
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || work(thread));
        }
    });
}

fn compare(c: &mut Criterion) {
    let tables: [(&str, Box<dyn Words>); 4] = [
        ("shipped table", Box::new(Table::new(MEBIBYTES).expect("64 MiB can be had"))),
        ("slots with the check", Box::new(Lockless::<Slot>::new())),
        ("slots without a check", Box::new(Lockless::<Unchecked>::new())),
        ("slots behind sharded mutexes", Box::new(Sharded::new())),
    ];
    let mut group = c.benchmark_group("table");
    for (_, table) in &tables {
        (1..=KEYS).for_each(|n| table.store(mix(n), n));
    }
    for threads in [1, 2, 4] {
        group.throughput(Throughput::Elements(threads * OPERATIONS));
        for (name, table) in &tables {
            group.bench_with_input(BenchmarkId::new(*name, threads), &threads, |b, &threads| {
                b.iter(|| run(&**table, threads));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, compare);
criterion_main!(benches);
