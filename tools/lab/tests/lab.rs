//! The reference algorithms agree on chess, on every position of the laboratory's suite.

use heddle::position::{Game as History, Position};
use heddle::score::{Depth, Score};
use heddle::text::suite;
use heddle_lab::{BASELINE, Group, Method, methods};
use heddle_reference::chess::{ChessGame, Rules};
use heddle_reference::extension::Extensions;
use heddle_reference::minimax::negamax;
use heddle_reference::search::{Algorithm, Counts, Options, Quiescence, Search};
use heddle_reference::{Game, Window};

/// With at most this many pieces, a position's tree is small.
const FEW: usize = 9;

fn games(rules: Rules) -> Vec<(String, ChessGame)> {
    let positions = suite::built_in().into_iter();
    positions.map(|p| (p.name, ChessGame::new(&History::new(p.position), rules))).collect()
}

fn bounded() -> Vec<Method> {
    let keeps = |m: &Method| m.keeps_the_value() && m.group != Group::Full;
    methods().into_iter().filter(keeps).collect()
}

fn named(name: &str) -> Method {
    methods().into_iter().find(|m| m.name == name).expect("a known row")
}

fn chess(fen: &str, rules: Rules) -> ChessGame {
    let position = Position::from_fen(fen).expect("a legal position");
    ChessGame::new(&History::new(position), rules)
}

fn value(game: &ChessGame, depth: Depth) -> Score {
    negamax(game, 0, depth, &mut Counts::default()).value
}

#[test]
fn all_methods_return_the_minimax_value_and_a_true_pv() {
    const DEPTH: Depth = 3;
    for (name, game) in games(Rules::EXACT) {
        let truth = value(&game, DEPTH);
        for method in bounded() {
            let (found, _) = method.solve(&game, DEPTH, true);
            assert_eq!(found.value, truth, "{} on {name}", method.name);
            let (mut at, mut ply) = (game.clone(), 0);
            for m in found.line.moves() {
                assert!(at.successors().contains(&m), "{} on {name}", method.name);
                at = at.play(m);
                ply += 1;
            }
            let end = negamax(&at, ply, DEPTH - ply as Depth, &mut Counts::default()).value;
            let end = if ply.is_multiple_of(2) { end } else { -end };
            assert_eq!(end, truth, "{} on {name}", method.name);
        }
    }
}

#[test]
fn all_methods_agree_at_depth_4_and_on_small_boards_at_6() {
    for (name, game) in games(Rules::EXACT) {
        let depth = if game.position().occupied().count() <= FEW { 6 } else { 4 };
        let truth = named(BASELINE).solve(&game, depth, false).0.value;
        for method in bounded().iter().filter(|m| m.is_default(6)) {
            let (found, _) = method.solve(&game, depth, true);
            assert_eq!(found.value, truth, "{} on {name} at depth {depth}", method.name);
        }
    }
}

#[test]
fn without_a_table_algorithms_agree_on_repetitions_and_the_fifty_move_rule_too() {
    let ending = "8/8/1k6/8/8/3K4/3Q4/8 w - - 97 120";
    let mut game = History::new(Position::from_fen("7k/8/8/8/8/8/q7/2K3R1 b - - 0 1").unwrap());
    for m in ["a2a1", "c1c2", "a1a2", "c2c1"] {
        game.play(game.position().parse_move(m).unwrap());
    }
    let mut positions = vec![chess(ending, Rules::PRACTICAL)];
    positions.push(ChessGame::new(&game, Rules::PRACTICAL));
    for game in positions {
        let truth = value(&game, 4);
        for algorithm in Algorithm::ALL {
            let mut search = Search::new(Options { algorithm, ..Options::default() });
            assert_eq!(search.root(&game, 4, Window::FULL).value, truth, "{algorithm:?}");
        }
    }
}

/// Leaf rules and extensions give another tree; on that tree the algorithms agree, too.
#[test]
fn algorithms_agree_with_quiescence_and_with_extensions() {
    let extensions = Extensions { check: true, recapture: true, ..Extensions::default() };
    let fractions = Extensions { promotion_threat: true, fractional: true, ..extensions };
    let switches = [
        Options { quiescence: Quiescence::Threats, ..Options::default() },
        Options { extensions, ..Options::default() },
        Options { extensions: fractions, quiescence: Quiescence::Captures, ..Options::default() },
    ];
    for (name, game) in games(Rules::EXACT) {
        for options in switches {
            let values = Algorithm::ALL.map(|algorithm| {
                let mut search = Search::new(Options { algorithm, ..options });
                search.root(&game, 2, Window::FULL).value
            });
            assert!(values.iter().all(|v| *v == values[0]), "{name}: {values:?}");
        }
    }
}

#[test]
fn the_table_etc_killers_and_history_save_nodes() {
    let games = games(Rules::EXACT);
    let nodes = |name| -> u64 {
        games.iter().map(|(_, game)| named(name).solve(game, 4, true).1.nodes).sum()
    };
    let plain = nodes(BASELINE);
    let [killers, history, table, etc] =
        ["killers", "history", "alpha-beta+tt", "tt+etc"].map(nodes);
    assert!(killers < plain && history < plain && table < plain && etc < table);
}

#[test]
fn mate_comes_before_the_fifty_move_rule() {
    let rules = Rules::PRACTICAL;
    let mated = chess("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", rules);
    assert_eq!(mated.terminal(3), Some(Score::mated_in(3)));
    let drawn = chess("7k/8/6K1/8/8/8/8/Q7 b - - 100 90", rules);
    assert_eq!(drawn.terminal(3), Some(Score::DRAW));
    assert_eq!(drawn.terminal(0), None, "the root needs a move");
    let stalemate = chess("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", rules);
    assert_eq!(stalemate.terminal(0), Some(Score::DRAW));
    let bare = chess("7k/8/6K1/8/8/8/8/8 b - - 0 1", Rules::EXACT);
    assert_eq!(bare.terminal(1), Some(Score::DRAW));
}

#[test]
fn a_repetition_inside_the_search_is_a_draw() {
    let mut game = chess("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", Rules::PRACTICAL);
    for m in ["b1c1", "h8g8", "c1b1", "g8h8"] {
        game = game.play(game.position().parse_move(m).unwrap());
    }
    assert_eq!(game.terminal(4), Some(Score::DRAW));
}

#[test]
fn mates_are_found_at_their_distance() {
    let game = chess("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", Rules::EXACT);
    for method in bounded() {
        assert_eq!(method.solve(&game, 3, true).0.value, Score::mate_in(1), "{}", method.name);
    }
}

#[test]
fn passing_is_not_offered_in_check_or_without_pieces() {
    let rules = Rules::EXACT;
    assert!(chess("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", rules).pass().is_some());
    assert!(chess("7k/8/6K1/8/8/8/8/Q7 b - - 0 1", rules).pass().is_none());
    assert!(chess("4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", rules).pass().is_none());
}

/// Black mates with a quiet check after White's only move.
#[test]
fn quiescence_sees_a_quiet_check_only_if_it_may() {
    let game = chess("8/8/8/8/8/1k6/7r/K7 w - - 0 1", Rules::EXACT);
    let value = |quiescence| {
        let mut search = Search::new(Options { quiescence, ..Options::default() });
        search.root(&game, 1, Window::FULL).value
    };
    assert_eq!(value(Quiescence::Threats), Score::mated_in(2));
    assert!(!value(Quiescence::Captures).is_mate());
}

/// A pawn that can reach the seventh rank does so in the one, not in the other.
#[test]
fn quiescence_looks_at_promotion_threats_only_if_it_may() {
    let game = chess("8/8/4P3/8/8/k7/8/7K b - - 0 1", Rules::EXACT);
    let nodes = |quiescence| {
        let mut search = Search::new(Options { quiescence, ..Options::default() });
        let _ = search.root(&game, 1, Window::FULL);
        search.counts.nodes
    };
    assert!(nodes(Quiescence::Threats) > nodes(Quiescence::Captures));
}

/// What each count counts, on a search whose numbers are known.
#[test]
fn the_counts_tell_root_searches_re_searches_and_the_tables_answers_apart() {
    let (_, game) = games(Rules::EXACT).remove(0);
    let counts = |name| named(name).solve(&game, 4, true).1;
    let bare = counts(BASELINE);
    assert_eq!((bare.searches, bare.researches, bare.probes), (4, 0, 0));
    assert!(bare.null_windows < bare.nodes / 2, "only where the window has closed by itself");
    let pvs = counts("pvs+tt");
    assert!(pvs.searches == 4 && pvs.null_windows > pvs.nodes / 2);
    assert!(pvs.cutoffs > 0 && pvs.cutoffs <= pvs.hits && pvs.hits < pvs.probes);
    assert!(pvs.probes < pvs.nodes - pvs.leaves, "never at the root or a leaf");
    let mtdf = counts("mtdf+tt");
    assert!(mtdf.searches > 4 && mtdf.researches == 0 && mtdf.null_windows == mtdf.nodes);
    assert_eq!(named("alpha-beta-at-once").solve(&game, 4, true).1.searches, 1);
}
