//! In lockstep a search is the same on every run, whatever the number of threads and however they
//! are scheduled.
//!
//! With `HEDDLE_LOCKSTEP_LONG` set, compares twenty runs instead of three, on up to 32 threads.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::Cursor;
use std::time::{Duration, Instant};

use heddle::commands::bench;
use heddle::engine::{Engine, Event, SearchResult, Settings, Totals};
use heddle::names::Named;
use heddle::position::{Game, Position};
use heddle::search::{Line, Outcome};
use heddle::smp::mailbox::Mailbox;
use heddle::smp::teamwork::{FEW, Sharing, Stagger};
use heddle::smp::vote::Vote;
use heddle::sync::{Arc, Mutex};
use heddle::time::limits::Limits;
use heddle::tt::{Bound, Counting, Counts};
use heddle::uci;

/// Far longer than any of these searches takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

const POSITIONS: [&str; 3] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// The number of runs, and the numbers of threads.
fn extent() -> (usize, &'static [usize]) {
    let is_long = std::env::var_os("HEDDLE_LOCKSTEP_LONG").is_some();
    if is_long { (20, &[1, 2, 8, 32]) } else { (3, &[1, 2, 8]) }
}

/// Everything a search reports except for times.
#[derive(Debug, PartialEq)]
struct Record {
    lines: Vec<(Line, Totals)>,
    outcomes: Vec<Outcome>,
    vote: Vote,
    nodes: Vec<u64>,
    totals: Totals,
    rounds: u64,
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

fn lockstep() -> Settings {
    Settings { lockstep: true, ..Settings::default() }
}

/// Starts a search; lines go to the first channel, the end to the second.
type Started = (Arc<Mutex<Vec<(Line, Totals)>>>, Arc<Mailbox<()>>);

fn start(engine: &mut Engine, game: &Game, limits: &Limits, settings: &Settings) -> Started {
    let lines = Arc::<Mutex<Vec<_>>>::default();
    let finished = Arc::<Mailbox<()>>::default();
    let done = Arc::clone(&finished);
    let kept = Arc::clone(&lines);
    engine.start(game, limits, settings, move |event| match event {
        Event::Line(_, line, totals) => kept.lock().push((line, totals)),
        Event::Finished(_) => done.send(()),
    });
    (lines, finished)
}

fn record(engine: &mut Engine, game: &Game, limits: &Limits, settings: &Settings) -> Record {
    let (lines, finished) = start(engine, game, limits, settings);
    finished.receive(Some(Instant::now() + PATIENCE)).unwrap();
    let SearchResult { outcomes, vote } = engine.result();
    let lines = std::mem::take(&mut *lines.lock());
    let (nodes, totals, rounds) = (engine.worker_nodes(), engine.totals(), engine.rounds());
    Record { lines, outcomes, vote, nodes, totals, rounds }
}

/// Searches of all kinds, one after the other with one engine, whose memory is kept, cleared or
/// resized in between.
fn session(threads: usize) -> Vec<Record> {
    let mut engine = Engine::new(threads, 1).unwrap();
    let limits = [
        Limits { depth: Some(7), ..Limits::default() },
        Limits { nodes: Some(20_000), ..Limits::default() },
        Limits { mate: Some(1), depth: Some(5), ..Limits::default() },
    ];
    let settings = [
        Settings { census: Counting::Everything, ..lockstep() },
        Settings { stagger: Stagger::Skip, sharing: Sharing::All, quantum: 57, ..lockstep() },
        Settings { multipv: 3, stagger: Stagger::None, quantum: 1000, ..lockstep() },
    ];
    let mut records = Vec::new();
    for (round, fen) in POSITIONS.iter().enumerate() {
        for (limits, settings) in limits.iter().zip(&settings) {
            records.push(record(&mut engine, &game(fen), limits, settings));
        }
        match round {
            0 => engine.clear(),
            _ => engine.set_hash(2).unwrap(),
        }
    }
    records
}

#[test]
fn every_run_is_the_same() {
    let (runs, threads) = extent();
    for &threads in threads {
        let first = session(threads);
        for (search, record) in first.iter().enumerate() {
            assert_eq!(record.outcomes.len(), threads);
            assert!(record.nodes.iter().all(|&nodes| nodes > 0), "{search}: {:?}", record.nodes);
            assert_eq!(record.nodes.iter().sum::<u64>(), record.totals.nodes);
            assert!(record.lines.is_sorted_by_key(|(_, totals)| totals.nodes), "{search}");
        }
        for run in 1..runs {
            for (search, (record, first)) in session(threads).iter().zip(&first).enumerate() {
                assert_eq!(record, first, "{threads} threads, run {run}, search {search}");
            }
        }
    }
}

/// What workers who share so much find: one search after the other and then, after a change of the
/// number of threads, again from a fresh start.
fn with_sharing(threads: usize, sharing: Sharing) -> Vec<Record> {
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let settings = Settings { sharing, ..lockstep() };
    let mut engine = Engine::new(threads, 1).unwrap();
    let mut records = Vec::new();
    for begin_anew in [
        Engine::clear,
        |_: &mut Engine| {},
        |engine: &mut Engine| {
            let threads = engine.threads();
            engine.set_threads(threads + 1).unwrap();
            engine.set_threads(threads).unwrap();
            engine.set_hash(1).unwrap();
        },
    ] {
        begin_anew(&mut engine);
        records.extend(POSITIONS.map(|fen| record(&mut engine, &game(fen), &limits, &settings)));
    }
    records
}

#[test]
fn shared_histories_can_be_repeated_and_are_forgotten_with_the_rest() {
    let (runs, threads) = extent();
    for &threads in threads {
        let [private, shared] =
            [Sharing::Private, Sharing::All].map(|sharing| with_sharing(threads, sharing));
        assert_eq!(private == shared, threads == 1, "{threads} threads");
        for records in [&private, &shared] {
            let [first, second, third] = [0, 1, 2].map(|part| &records[part * 3..][..3]);
            assert_eq!(first, third, "{threads} threads: something was not cleared");
            assert_ne!(first, second, "{threads} threads: nothing was kept");
        }
        for run in 1..runs {
            let again = with_sharing(threads, Sharing::All);
            assert_eq!(again, shared, "{threads} threads, run {run}");
        }
    }
}

#[test]
fn each_extent_of_sharing_makes_a_difference() {
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let search = |threads, sharing| {
        let settings = Settings { sharing, ..lockstep() };
        record(&mut Engine::new(threads, 1).unwrap(), &game(POSITIONS[0]), &limits, &settings)
    };
    let few = Sharing::all().map(|sharing| search(2, sharing)).collect::<Vec<_>>();
    let again = Sharing::all().map(|sharing| search(2, sharing)).collect::<Vec<_>>();
    assert_eq!(few, again, "each can be repeated");
    let [private, corrections, all, auto] = &few[..] else { panic!("{} extents", few.len()) };
    assert!(private != corrections && private != all && corrections != all);
    assert_eq!(auto, all, "few share everything");
    let many = |sharing| search(FEW + 1, sharing);
    assert_eq!(many(Sharing::Auto), many(Sharing::Corrections), "many do not");
}

#[test]
fn one_thread_searches_as_it_does_without() {
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let without = [&lockstep(), &Settings::default()].map(|settings| {
        let mut engine = Engine::new(1, 1).unwrap();
        let search = |fen: &&str| record(&mut engine, &game(fen), &limits, settings);
        POSITIONS
            .iter()
            .map(search)
            .map(|record| Record { rounds: 0, ..record })
            .collect::<Vec<_>>()
    });
    assert_eq!(without[0], without[1]);
}

#[test]
fn the_bench_counts_the_same_nodes_each_time_and_on_one_thread_those_of_its_signature() {
    let count = |threads, lockstep| {
        let config = bench::BenchConfig {
            limit: 3,
            threads,
            hash: 1,
            lockstep,
            ..bench::BenchConfig::default()
        };
        bench::run(&config, None, &Arc::default(), |_| {}).unwrap().unwrap().nodes
    };
    assert_eq!(count(1, true), count(1, false));
    let nodes = count(4, true);
    assert!(nodes > count(1, false));
    assert_eq!(count(4, true), nodes);
}

/// Counting table accesses is as repeatable as the search and does not change it.
#[test]
fn the_table_is_counted_the_same_each_time() {
    let (runs, threads) = extent();
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let counted = Settings { census: Counting::Everything, ..lockstep() };
    let search = |threads, settings: &Settings| {
        let mut engine = Engine::new(threads, 1).unwrap();
        POSITIONS.map(|fen| record(&mut engine, &game(fen), &limits, settings))
    };
    for &threads in threads {
        let first = search(threads, &counted);
        for record in &first {
            let counts = record.totals.census.unwrap();
            let Counts { probes, hits, foreign, filled, .. } = counts;
            assert!(hits > 0 && hits < probes && probes <= record.totals.nodes + threads as u64);
            assert!(filled > 0 && counts.stores() < record.totals.nodes, "{counts:?}");
            assert_eq!(foreign > 0, threads > 1, "{counts:?}");
            assert!(foreign <= hits && counts.illegal == 0, "{counts:?}");
        }
        for _ in 1..runs {
            assert_eq!(search(threads, &counted), first, "{threads} threads");
        }
        let nodes = |records: [Record; 3]| records.map(|record| record.nodes);
        assert_eq!(nodes(search(threads, &lockstep())), nodes(first), "{threads} threads");
    }
}

/// The main worker has the first turn of every round, so its node count determines how many rounds
/// it takes.
#[test]
fn rounds_are_the_nodes_of_the_main_worker() {
    const QUANTUM: u64 = 64;
    let mut engine = Engine::new(4, 1).unwrap();
    let limits = Limits { depth: Some(7), ..Limits::default() };
    let settings = Settings { quantum: QUANTUM, ..lockstep() };
    let record = record(&mut engine, &game(POSITIONS[0]), &limits, &settings);
    assert!(record.rounds > 1);
    assert_eq!(record.rounds, (record.nodes[0] - 1) / QUANTUM);
    // A helper has had the same number of full turns, and may have stopped at the first node of the
    // next.
    assert!(
        record.nodes[1..].iter().all(|&nodes| nodes.div_ceil(QUANTUM).abs_diff(record.rounds) <= 1)
    );
}

#[test]
fn a_node_limit_is_kept_to_within_a_round() {
    let mut engine = Engine::new(8, 1).unwrap();
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let settings = lockstep();
    let record = record(&mut engine, &game(POSITIONS[0]), &limits, &settings);
    let round = 8 * settings.quantum;
    assert!((20_000..20_000 + round).contains(&record.totals.nodes), "{}", record.totals.nodes);
}

#[test]
fn a_stop_at_any_time_ends_it_and_the_engine_goes_on() {
    let mut engine = Engine::new(8, 1).unwrap();
    let infinite = Limits { infinite: true, ..Limits::default() };
    for round in 0..20 {
        match round % 5 {
            1 => engine.set_threads(1 + round % 8).unwrap(),
            2 => engine.set_hash(1 + round % 3).unwrap(),
            3 => engine.set_threads(32).unwrap(),
            4 => engine.clear(),
            _ => {}
        }
        let game = game(POSITIONS[round % POSITIONS.len()]);
        let settings =
            Settings { lockstep: round % 4 != 3, quantum: 1 + round as u64, ..lockstep() };
        let (_, finished) = start(&mut engine, &game, &infinite, &settings);
        std::thread::sleep(Duration::from_millis([0, 1, 7, 30][round % 4]));
        let rounds = engine.rounds();
        engine.stop();
        finished.receive(Some(Instant::now() + PATIENCE)).unwrap();
        let SearchResult { outcomes, vote } = engine.result();
        assert!(vote.winner < outcomes.len() && engine.rounds() >= rounds);
        for outcome in outcomes {
            assert!(game.position().if_legal(outcome.lines[0].moves[0]).is_some());
        }
    }
}

/// The answers of a protocol session, without anything that depends on the clock.
fn answers(script: &str) -> Vec<String> {
    let mut output = Vec::new();
    uci::run(Cursor::new(script.to_owned().into_bytes()), &mut output).unwrap();
    let untimed = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        for name in ["time", "nps"] {
            if let Some(place) = words.iter().position(|&word| word == name) {
                words[place + 1] = "-";
            }
        }
        words.join(" ")
    };
    String::from_utf8(output).unwrap().lines().map(untimed).collect()
}

#[test]
fn the_protocol_says_the_same_each_time() {
    let (runs, threads) = extent();
    for threads in threads {
        let script = format!(
            "debug on\nsetoption name Hash value 1\nsetoption name Threads value {threads}\n\
             setoption name LockstepQuantum value 100\nsetoption name Lockstep value true\n\
             position startpos moves e2e4\ngo depth 7\n"
        );
        let first = answers(&script);
        let last = first.last().unwrap();
        assert!(last.starts_with("bestmove "), "{first:#?}");
        assert!(first.iter().any(|line| line.starts_with("info depth 7 ")), "{first:#?}");
        for _ in 1..runs {
            assert_eq!(answers(&script), first);
        }
    }
}

/// What the table has of a mate is no reason to end its line.
#[test]
fn the_line_of_a_mate_is_as_long_as_the_mate() {
    let limits = Limits { nodes: Some(50_000), ..Limits::default() };
    let mut mates = 0;
    for fen in ["k7/8/8/8/8/8/6R1/K6R w - - 0 1", "8/8/8/3k4/8/8/1Q6/K7 w - - 0 1"] {
        let mut engine = Engine::new(2, 1).unwrap();
        let found = record(&mut engine, &game(fen), &limits, &lockstep());
        for (line, _) in found.lines {
            let Some(moves) = line.score.mate_moves().filter(|_| line.bound == Bound::Exact) else {
                continue;
            };
            mates += 1;
            assert_eq!(line.moves.len() as i32, 2 * moves - 1, "{fen}: {line:?}");
        }
    }
    assert!(mates > 50, "{mates}");
}

/// A line that the table completes knows the fifty-move rule.
#[test]
fn a_line_ends_at_the_fifty_move_rule() {
    let mut engine = Engine::new(2, 1).unwrap();
    let bishop = |clock| game(&format!("8/5k2/8/8/3b4/8/3N4/4K3 w - - {clock} 60"));
    let nodes = Limits { nodes: Some(30_000), ..Limits::default() };
    record(&mut engine, &bishop(0), &nodes, &lockstep());
    let depth = Limits { depth: Some(6), ..Limits::default() };
    let found = record(&mut engine, &bishop(99), &depth, &lockstep());
    assert!(found.lines.iter().all(|(line, _)| line.moves.len() == 1), "{:?}", found.lines);
}
