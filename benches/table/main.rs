//! What the transposition table costs compared with raw memory: operations per second, on several
//! threads, of the shipped table, of tables with other ways to keep a slot consistent, and of a
//! bare loop of random reads, which no table can beat.
//!
//! ```text
//! cargo bench --bench table
//! cargo bench --bench table -- --mebibytes 16,256,4096 --threads 1,2,4,8
//! ```
//!
//! All of them visit the same keys, and the operations are independent, so the processor has as
//! many cache misses in flight as its window allows: the more instructions an operation takes, the
//! fewer. A search prefetches the cluster of a position when the move is made and probes it later;
//! the prefetched variant of the shipped table does so. Nothing else is prefetched.
//!
//! The tables take turns, and the results are medians of the ratios within a turn, so that other
//! load on the machine affects all of them alike.

mod memory;
mod tables;

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use clap::Parser;

use heddle::position::mix;
use heddle::tt::Table;

use memory::{Mapping, Pages};
use tables::{Bare, Locked, Prefetched, Sharded, Slots, Words};

const BARE: &str = "bare random reads";
const SHARDED: &str = "slots behind sharded mutexes";

/// Tables in memory at the same time.
const TABLES: usize = 3;
/// Bytes of memory per key: half as many keys as slots, so that most probes hit and most stores
/// find their key.
const BYTES_A_KEY: usize = 32;
/// In the mix, one operation in this many is a store, about as in a search.
const STORE_EVERY: u64 = 4;
/// Operations per thread and measurement.
const OPERATIONS: u64 = 1 << 21;
/// Keys between a prefetch and its probe: enough to hide a miss, few enough to stay in the cache.
const AHEAD: u64 = 8;

/// Compares the shared table with the memory it lies in.
#[derive(Parser)]
struct Options {
    /// Sizes of the table in MiB.
    #[arg(long, value_delimiter = ',', default_values_t = [16, 256])]
    mebibytes: Vec<usize>,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2],
        value_parser = clap::value_parser!(u64).range(1..))]
    threads: Vec<u64>,
    /// Page sizes: 2 MiB or 4 KiB.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Pages::Large, Pages::Small])]
    pages: Vec<Pages>,
    /// Measurements of each table in each configuration.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Passed by Cargo to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What the threads do.
#[derive(Copy, Clone)]
enum Work {
    Probes,
    Mixture,
}

/// One measurement.
#[derive(Copy, Clone)]
struct Run {
    work: Work,
    threads: u64,
    /// Number of keys in use.
    keys: u64,
    round: u64,
}

/// The key with index `n`; never zero.
fn key(number: u64) -> u64 {
    mix(number + 1)
}

impl Run {
    /// Operations per second on `table`, summed over all threads, from the start of the first
    /// thread to the end of the last.
    fn rate(self, table: &impl Words) -> f64 {
        let barrier = Barrier::new(self.threads as usize);
        let work = |thread: u64| {
            let first = mix(self.round * self.threads + thread) % self.keys;
            barrier.wait();
            let start = Instant::now();
            match self.work {
                Work::Probes => self.operate(table, first, |_| false),
                Work::Mixture => self.operate(table, first, |i| i.is_multiple_of(STORE_EVERY)),
            }
            (start, Instant::now())
        };
        let times: Vec<(Instant, Instant)> = thread::scope(|scope| {
            let start = |thread| scope.spawn(move || work(thread));
            let started: Vec<_> = (0..self.threads).map(start).collect();
            started.into_iter().map(|thread| thread.join().expect("nothing panics")).collect()
        });
        let start = times.iter().map(|time| time.0).min().expect("there is a thread");
        let end = times.iter().map(|time| time.1).max().expect("there is a thread");
        (self.threads * OPERATIONS) as f64 / (end - start).as_secs_f64()
    }

    /// One thread's operations. It visits the keys in their order, which is random in memory.
    #[inline(always)]
    fn operate(self, table: &impl Words, first: u64, is_store: impl Fn(u64) -> bool) {
        let mut number = first;
        for i in 0..OPERATIONS {
            table.prefetch(key(number + AHEAD));
            if is_store(i) {
                table.store(key(number), i);
            } else {
                table.probe(key(number));
            }
            number = if number + 1 < self.keys { number + 1 } else { 0 };
        }
    }
}

/// A named table, and how to measure it.
type Subject<'a> = (&'static str, Box<dyn Fn(Run) -> f64 + 'a>);

fn subject<'a>(name: &'static str, table: &'a impl Words) -> Subject<'a> {
    (name, Box::new(|run| run.rate(table)))
}

/// Stores every key in each of `tables`, on all processors.
fn fill(tables: &[&dyn Words], keys: u64) {
    let threads = num_cpus::get() as u64;
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for number in keys * thread / threads..keys * (thread + 1) / threads {
                    tables.iter().for_each(|table| table.store(key(number), number));
                }
            });
        }
    });
}

/// Measures all tables at a size of `mebibytes` MiB.
fn compare(mebibytes: usize, options: &Options) -> Result<(), String> {
    let bytes = mebibytes << 20;
    memory::demand(TABLES * bytes)?;
    let keys = (bytes / BYTES_A_KEY) as u64;
    let shipped = Table::new(mebibytes).map_err(|error| error.to_string())?;
    let [mut checked, mut unchecked] = [Mapping::new(bytes)?, Mapping::new(bytes)?];
    let checked = Slots::<true>(checked.clusters());
    let unchecked = Slots::<false>(unchecked.clusters());
    fill(&[&shipped, &checked, &unchecked], keys);
    let (bare, prefetched) = (Bare(unchecked.0), Prefetched(&shipped));
    let (sharded, locked) = (Sharded::new(&unchecked), Locked::new(&unchecked));
    let subjects = [
        subject(BARE, &bare),
        subject("shipped table", &shipped),
        subject("shipped table, prefetched", &prefetched),
        subject("slots with the check", &checked),
        subject("slots without a check", &unchecked),
        subject(SHARDED, &sharded),
        subject("slots behind one RwLock", &locked),
    ];
    println!("{mebibytes} MiB, {}", memory::page_share(TABLES * bytes));
    for &threads in &options.threads {
        let rates = [Work::Probes, Work::Mixture].map(|work| {
            let run = |round| Run { work, threads, keys, round };
            let round = |round| subjects.iter().map(|(_, rate)| rate(run(round))).collect();
            (0..options.rounds).map(round).collect::<Vec<Vec<f64>>>()
        });
        report(&subjects, threads, &rates);
    }
    Ok(())
}

/// Prints the rates of probes and of the mix, by round and subject.
fn report(subjects: &[Subject], threads: u64, [probes, mixture]: &[Vec<Vec<f64>>; 2]) {
    let place = |name| subjects.iter().position(|s| s.0 == name).expect("it is measured");
    let (bare, sharded) = (place(BARE), place(SHARDED));
    println!("{:<30}{:^27}{:^27}", format!("  {threads} threads"), "probes", "3 probes, 1 store");
    println!("{:<30}{}", "", format!("{:>8}{:>8}{:>9}  ", "M/s", "/ bare", "/ mutex").repeat(2));
    for (i, (name, _)) in subjects.iter().enumerate() {
        let columns = |rounds: &[Vec<f64>]| {
            let median = |value: fn(f64, f64) -> f64, base: usize| {
                median(rounds.iter().map(|rates| value(rates[i], rates[base])).collect())
            };
            let [rate, of_bare, of_mutexes] = [
                median(|rate, _| rate / 1e6, bare),
                median(|rate, base| rate / base, bare),
                median(|rate, base| rate / base, sharded),
            ];
            format!("{rate:8.1}{of_bare:8.2}{of_mutexes:9.2}  ")
        };
        println!("    {name:<26}{}{}", columns(probes), columns(mixture));
    }
    println!();
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let options = Options::parse();
    for &pages in &options.pages {
        for &mebibytes in &options.mebibytes {
            if let Err(error) = pages.set().and_then(|()| compare(mebibytes, &options)) {
                println!("{mebibytes} MiB on {pages} pages skipped: {error}\n");
            }
        }
    }
}
