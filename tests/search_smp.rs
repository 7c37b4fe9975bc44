//! Whole searches on several threads over one table: what ThreadSanitizer is run on.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::sync::mpsc;
use std::time::Duration;

use heddle::engine::{Engine, Event, Settings};
use heddle::limits::Limits;
use heddle::position::{Game, Position};
use heddle::search::Outcome;
use heddle::smp::stagger::Stagger;

/// Far longer than any of these searches takes, sanitizer and busy machine included.
const PATIENCE: Duration = Duration::from_secs(120);
const THREADS: usize = 4;

const POSITIONS: [&str; 3] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

/// Starts a search; the channel says when the main worker is done.
fn start(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    stagger: Stagger,
) -> mpsc::Receiver<()> {
    let (done, finished) = mpsc::channel();
    let settings = Settings { stagger, ..Settings::default() };
    engine.start(game, limits, &settings, move |event| {
        if matches!(event, Event::Finished(_)) {
            done.send(()).unwrap();
        }
    });
    finished
}

fn assert_playable(game: &Game, outcomes: &[Outcome]) {
    for outcome in outcomes {
        let m = outcome.lines[0].moves[0];
        assert!(game.position().if_legal(m).is_some(), "{m} in {:?}", game.position());
    }
}

#[test]
fn searches_to_a_depth_end_by_themselves_under_every_policy() {
    let mut engine = Engine::new(THREADS, 1).unwrap();
    for stagger in Stagger::ALL {
        for fen in POSITIONS {
            let game = game(fen);
            let limits = Limits { depth: Some(8), ..Limits::default() };
            start(&mut engine, &game, &limits, stagger).recv_timeout(PATIENCE).unwrap();
            let (outcomes, winner) = engine.result();
            assert_eq!(outcomes.len(), THREADS);
            assert_eq!(outcomes[0].depth, 8);
            assert!(winner < THREADS);
            assert_playable(&game, &outcomes);
        }
    }
}

#[test]
fn a_node_limit_ends_every_worker() {
    let mut engine = Engine::new(THREADS, 1).unwrap();
    let game = game(POSITIONS[0]);
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    start(&mut engine, &game, &limits, Stagger::Alternate).recv_timeout(PATIENCE).unwrap();
    assert_playable(&game, &engine.result().0);
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
        finished.recv_timeout(PATIENCE).unwrap();
        assert_playable(&game, &engine.result().0);
    }
}
