//! With everything selective turned off, the engine's search is the textbook's principal variation
//! search: the same scores, and the promised value at the end of every line, on one thread and in
//! the vote of several.

use heddle::engine::{Engine, Settings};
use heddle::position::{Game as History, Position};
use heddle::score::{Depth, Score};
use heddle::search::Line;
use heddle::smp::teamwork::Stagger;
use heddle::text::suite;
use heddle::time::limits::Limits;
use heddle_reference::chess::{ChessGame, Rules};
use heddle_reference::ordering::Ordering;
use heddle_reference::search::{Algorithm, Options, Search};
use heddle_reference::{Game, Window};

/// With at most this many pieces, a position's tree is small enough for another ply.
const FEW: usize = 12;

fn depth(position: &Position) -> Depth {
    if position.occupied().count() <= FEW { 5 } else { 4 }
}

/// The value found by the reference's principal variation search.
fn reference(history: &History, depth: Depth) -> Score {
    let ordering = Ordering { killers: true, history: true, ..Ordering::default() };
    let options = Options { algorithm: Algorithm::Pvs, ordering, ..Options::default() };
    let game = ChessGame::new(history, Rules::PRACTICAL);
    Search::new(options).root(&game, depth, Window::FULL).value
}

/// The engine's line, and the depth of its iteration.
fn plain(engine: &mut Engine, history: &History, depth: Depth) -> (Line, Depth) {
    let settings = Settings { stagger: Stagger::Alternate, plain: true, ..Settings::default() };
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    engine.start(history, &limits, &settings, |_| {});
    let result = engine.result();
    let winner = result.winner().expect("there are workers");
    (winner.lines[0].clone(), winner.depth)
}

/// The value at the end of the line, which should be the value of the line.
fn value_at_the_end(history: &History, line: &Line, depth: Depth) -> Score {
    let mut game = ChessGame::new(history, Rules::PRACTICAL);
    for (ply, &m) in line.moves.iter().enumerate() {
        assert!(game.successors().contains(&m), "{m:?} at ply {ply}");
        game = game.play(m);
    }
    let ply = line.moves.len();
    let end = game.terminal(ply).unwrap_or_else(|| {
        assert_eq!(ply as Depth, depth, "a line ends at the horizon or at the end of the game");
        game.evaluate()
    });
    if ply.is_multiple_of(2) { end } else { -end }
}

fn compare(threads: usize) {
    let mut engine = Engine::new(threads, 4).expect("a small engine");
    engine.set_network(None); // the reference uses the classical evaluation
    let suite = suite::built_in();
    assert!(suite.len() >= 30);
    for named in suite {
        let history = History::new(named.position);
        engine.clear();
        let (line, completed) = plain(&mut engine, &history, depth(history.position()));
        assert_eq!(line.score, reference(&history, completed), "{}", named.name);
        assert_eq!(value_at_the_end(&history, &line, completed), line.score, "{}", named.name);
    }
}

#[test]
fn one_worker_agrees_with_the_reference() {
    compare(1);
}

#[test]
fn the_vote_of_several_agrees_with_the_reference() {
    compare(3);
}
