//! Whole searches with several threads and one table, for ThreadSanitizer.
//!
//! `HEDDLE_STORM` sets how many seconds each of the two storms lasts, one by default.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::{self, BufReader, Read, Write};
use std::time::{Duration, Instant};

use heddle::commands::bench;
use heddle::engine::{Engine, Event, SearchResult, Settings};
use heddle::names::Named;
use heddle::numa::NumaPolicy;
use heddle::position::{Game, Position};
use heddle::search::Outcome;
use heddle::smp::mailbox::Mailbox;
use heddle::smp::teamwork::{Sharing, Stagger};
use heddle::sync::Arc;
use heddle::time::limits::Limits;
use heddle::tt::Counting;
use heddle::uci;

/// Far longer than any of these searches takes, even with the sanitizer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
const THREADS: usize = 4;
/// Workers in a storm: more than most machines have processors, so that some are preempted
/// anywhere.
const CROWD: usize = 8;

const POSITIONS: [&str; 3] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

/// Signals from one thread to another. The standard library's channels would do, but they are not
/// instrumented, and ThreadSanitizer would report them as races.
type Signals = Arc<Mailbox<()>>;

/// Waits for a signal; false if it does not come for a long time.
fn wait(signals: &Signals) -> bool {
    signals.receive(Some(Instant::now() + PATIENCE)).is_some()
}

/// Starts a search; the signal tells when the main worker is done.
fn start(engine: &mut Engine, game: &Game, limits: &Limits, stagger: Stagger) -> Signals {
    let finished = Signals::default();
    let done = Arc::clone(&finished);
    // With every policy but one, all that workers can share is shared, and accesses are counted.
    let (sharing, census) = match stagger {
        Stagger::Alternate => (Sharing::Private, Counting::Nothing),
        _ => (Sharing::All, Counting::Everything),
    };
    let settings = Settings { stagger, sharing, census, ..Settings::default() };
    engine.start(game, limits, &settings, move |event| {
        if matches!(event, Event::Finished(_)) {
            done.send(());
        }
    });
    finished
}

/// How long a storm lasts.
fn storm() -> Duration {
    let seconds = std::env::var("HEDDLE_STORM")
        .map_or(1, |seconds| seconds.parse().expect("HEDDLE_STORM is a number of seconds"));
    Duration::from_secs(seconds)
}

fn assert_playable(game: &Game, outcomes: &[Outcome]) {
    for outcome in outcomes {
        let m = outcome.lines[0].moves[0];
        assert!(game.position().if_legal(m).is_some(), "{m:?} in {:?}", game.position());
    }
}

#[test]
fn searches_to_a_depth_end_by_themselves_under_every_policy() {
    let mut engine = Engine::new(THREADS, 1).unwrap();
    for stagger in Stagger::all() {
        for fen in POSITIONS {
            let game = game(fen);
            let limits = Limits { depth: Some(8), ..Limits::default() };
            assert!(wait(&start(&mut engine, &game, &limits, stagger)));
            let SearchResult { outcomes, vote } = engine.result();
            assert_eq!(outcomes.len(), THREADS);
            assert_eq!(outcomes[0].depth, 8);
            assert!(vote.winner < THREADS);
            assert_playable(&game, &outcomes);
        }
    }
}

/// Here all workers come to one node, so this shows that being bound changes nothing but the place,
/// and that changes of the number of threads and of the binding go together.
#[test]
fn bound_workers_search_as_others_do() {
    let mut engine = Engine::new(1, 1).unwrap();
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let mut searched = Vec::new();
    use NumaPolicy::{Auto, Bind, Hardware, None};
    for policy in [None, Bind, Auto, Hardware, None] {
        let said = engine.set_numa(policy).unwrap();
        let is_known = cfg!(any(target_os = "linux", all(windows, target_pointer_width = "64")));
        let is_bound = [Bind, Hardware].contains(&policy) && is_known;
        assert_eq!(said.starts_with("threads on memory nodes: 1 on "), is_bound, "{said}");
        engine.clear();
        assert!(wait(&start(&mut engine, &game(POSITIONS[0]), &limits, Stagger::default())));
        searched.push((engine.nodes(), engine.result()));
        engine.set_threads(THREADS).unwrap();
        assert!(wait(&start(&mut engine, &game(POSITIONS[1]), &limits, Stagger::default())));
        assert_eq!(engine.result().outcomes.len(), THREADS);
        engine.set_threads(1).unwrap();
    }
    assert!(searched.iter().all(|search| *search == searched[0]), "{searched:?}");
}

#[test]
fn a_node_limit_ends_every_worker() {
    let mut engine = Engine::new(THREADS, 1).unwrap();
    let game = game(POSITIONS[0]);
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    assert!(wait(&start(&mut engine, &game, &limits, Stagger::default())));
    assert_playable(&game, &engine.result().outcomes);
    assert!(engine.nodes() >= 20_000);
}

#[test]
fn a_storm_of_stops_resizes_and_clears_loses_nothing() {
    let mut engine = Engine::new(THREADS, 1).unwrap();
    for round in 0..40 {
        match round % 5 {
            1 => engine.set_hash(1 + round % 3).unwrap(),
            2 => engine.set_threads(1 + round % THREADS).unwrap(),
            3 => engine.clear(),
            _ => {}
        }
        let game = game(POSITIONS[round % POSITIONS.len()]);
        let limits = Limits { infinite: true, ..Limits::default() };
        let finished = start(&mut engine, &game, &limits, Stagger::Skip);
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_millis(round as u64));
        }
        engine.stop();
        assert!(wait(&finished));
        assert_playable(&game, &engine.result().outcomes);
    }
}

#[test]
fn a_crowd_searches_the_bench_positions() {
    let config =
        bench::BenchConfig { limit: 4, threads: CROWD, hash: 1, ..bench::BenchConfig::default() };
    let total = bench::run(&config, None, &Arc::default(), |_| {}).unwrap().unwrap();
    assert!(total.nodes > 0);
}

/// Searches that are stopped at once, twice, in the middle and after their end, while the number of
/// threads and the hash size change between them.
#[test]
fn a_crowd_is_stopped_and_resized_at_any_time() {
    let mut engine = Engine::new(CROWD, 1).unwrap();
    let start_of_storm = Instant::now();
    for round in 0.. {
        if start_of_storm.elapsed() >= storm() {
            break;
        }
        match round % 7 {
            2 => engine.set_hash(1 + round % 5).unwrap(),
            4 => engine.set_threads(CROWD / 2).unwrap(),
            5 => engine.set_threads(CROWD).unwrap(),
            6 => engine.clear(),
            _ => {}
        }
        let game = game(POSITIONS[round % POSITIONS.len()]);
        let depth = round.is_multiple_of(3).then_some(1 + round as i32 % 6);
        let limits = Limits { depth, infinite: depth.is_none(), ..Limits::default() };
        let staggers: Vec<_> = Stagger::all().collect();
        let finished = start(&mut engine, &game, &limits, staggers[round % staggers.len()]);
        std::thread::sleep(Duration::from_millis([0, 1, 5, 40, 150][round % 5]));
        // What the main thread does in the meantime.
        assert!(engine.hashfull() <= 1000);
        let nodes = engine.nodes();
        engine.stop();
        engine.stop();
        assert!(wait(&finished));
        let SearchResult { outcomes, vote } = engine.result();
        assert!(vote.winner < outcomes.len() && outcomes.len() == engine.threads());
        assert!(engine.nodes() >= nodes);
        assert_playable(&game, &outcomes);
    }
}

/// Lines from a user who pauses before each.
struct Typed<I>(I);

impl<I: Iterator<Item = (u64, String)>> Read for Typed<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((pause, line)) = self.0.next() else { return Ok(0) };
        std::thread::sleep(Duration::from_millis(pause));
        line.as_bytes().read(buffer) // a `BufReader`'s buffer is longer than any of them
    }
}

/// Collects the output, and signals every answer in it.
struct Output {
    text: Vec<u8>,
    answered: Signals,
}

impl uci::AnswerStream for Output {}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let answers = String::from_utf8_lossy(bytes).matches("bestmove").count();
        (0..answers).for_each(|_| self.answered.send(()));
        self.text.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The same through the protocol: a finish, a deadline, a ponderhit and a stop race, options change
/// in between, and every `go` gets its `bestmove`.
#[test]
fn a_crowd_is_pondered_with_and_stopped_by_the_protocol() {
    const ROUND: [(u64, &str); 24] = [
        (0, "go ponder wtime 200 btime 200"),
        (20, "ponderhit"),
        (30, "stop"),
        (0, "go ponder depth 3"),
        (5, "ponderhit"),
        (5, "setoption name Hash value 3"),
        (5, "stop"),
        (0, "go infinite"),
        (0, "stop"),
        (0, "stop"),
        (0, "go ponder movetime 30"),
        (40, "stop"),
        (0, "setoption name Threads value 4"),
        (0, "go movetime 10"),
        (10, "stop"),
        (0, "ponderhit"),
        (0, "setoption name Threads value 8"),
        (0, "go depth 4"),
        (15, "isready"),
        (0, "setoption name Hash value 1"),
        (0, "ucinewgame"),
        (15, "stop"),
        (0, "go infinite"),
        (60, "stop"),
    ];
    let goes = ROUND.iter().filter(|(_, line)| line.starts_with("go")).count();
    let answered = Signals::default();
    let answers = Arc::clone(&answered);
    let start_of_storm = Instant::now();
    // A round begins when the previous one is answered; if it never is, the input ends.
    let rounds = (0_usize..)
        .map_while(move |round| {
            let waited = round == 0 || (0..goes).all(|_| wait(&answers));
            (waited && (round == 0 || start_of_storm.elapsed() < storm())).then_some(round)
        })
        .flat_map(|round| {
            let fen = POSITIONS[round % POSITIONS.len()];
            let position = [(0, format!("position fen {fen}\n"))];
            position.into_iter().chain(ROUND.map(|(pause, line)| (pause, format!("{line}\n"))))
        });
    let sent = Signals::default();
    let sent_goes = Arc::clone(&sent);
    let first = [(0, "setoption name Threads value 8\n".to_owned())];
    let lines = first.into_iter().chain(rounds).inspect(move |(_, line)| {
        if line.starts_with("go") {
            sent.send(());
        }
    });
    let mut output = Output { text: Vec::new(), answered };
    uci::run(BufReader::new(Typed(lines)), &mut output).unwrap();
    let text = String::from_utf8(output.text).unwrap();
    let best_moves = text.lines().filter(|line| line.starts_with("bestmove")).count();
    // After a `stop` the engine is idle, so no `go` is refused.
    let now = Some(Instant::now());
    assert_eq!(best_moves, std::iter::from_fn(|| sent_goes.receive(now)).count());
}

#[test]
fn a_panic_of_the_main_worker_ends_the_search() {
    let mut engine = Engine::new(2, 1).unwrap();
    let report = |event| assert!(matches!(event, Event::Finished(_)), "a line panics on purpose");
    engine.start(&Game::default(), &Limits::default(), &Settings::default(), report);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.result()));
    assert!(caught.is_err(), "the panic reaches the owner, and nobody searches on");
}
