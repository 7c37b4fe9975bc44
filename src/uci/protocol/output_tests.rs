//! The lines of a search while it runs and when it ends.

use super::tests::*;
use std::time::Duration;

use super::search::{BOUND_DELAY, CURRENT_DELAY};
use super::*;
use crate::engine::Totals;
use crate::score::Score;
use crate::search::{Line, Outcome};
use crate::tt::{Bound, Counting};

/// An outcome whose lines begin with the first legal moves of the initial position.
fn outcome(depth: i32, scores: &[i32]) -> Outcome {
    let moves = Position::default().legal_moves();
    let line = |(index, &score): (usize, &i32)| Line {
        multipv: index + 1,
        score: Score::new(score),
        ..line(&[moves[index]], depth)
    };
    Outcome { lines: scores.iter().enumerate().map(line).collect(), depth }
}

fn end_with(script: &mut Script, outcome: Outcome) -> Vec<String> {
    *script.protocol.host.outcomes.borrow_mut() = vec![outcome];
    script.send(&["stop"])
}

fn infos(output: &[String]) -> Vec<&String> {
    output.iter().filter(|line| line.starts_with("info depth ")).collect()
}

/// The last `info` of the first line is exact and begins with the move that is played.
fn assert_last_info_is_the_answer(output: &[String]) {
    let answer = output.last().unwrap();
    let info = output.iter().rfind(|line| line.contains(" multipv 1 ")).unwrap();
    let best = answer.strip_prefix("bestmove ").unwrap().split(' ').next().unwrap();
    assert!(!info.contains("bound"), "{output:?}");
    assert!(info.contains(&format!(" pv {best}")), "{output:?}");
}

#[test]
fn chances_are_shown_if_they_are_wanted() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    assert!(!script.send(&["stop"])[0].contains(" wdl "));
    script.send(&["setoption name UCI_ShowWDL value true", "go infinite"]);
    for output in [script.iterate(3), script.send(&["stop"])] {
        let words: Vec<&str> = output[0].split(' ').collect();
        let at = words.iter().position(|&word| word == "wdl").unwrap();
        assert_eq!(words[at - 3..at], ["score", "cp", &shown(20)]);
        let chances: Vec<u32> = words[at + 1..at + 4].iter().map(|n| n.parse().unwrap()).collect();
        assert_eq!(chances.iter().sum::<u32>(), 1000);
    }
}

#[test]
fn the_table_is_watched_only_for_debugging() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    assert_eq!(script.protocol.host.settings.census, Counting::Nothing);
    script.send(&["stop", "debug on", "go infinite"]);
    assert_eq!(script.protocol.host.settings.census, Counting::Everything);
    script.send(&["stop"]);
}

#[test]
fn a_limited_strength_limits_nodes_and_hides_its_lines() {
    let mut script = Script::new();
    script.send(&["setoption name UCI_LimitStrength value true", "go wtime 1000 btime 1000"]);
    let strength = options::Options::default().strength;
    assert_eq!(script.protocol.host.limits.nodes, Some(strength.nodes()));
    assert_eq!(script.protocol.host.settings.multipv, strength.lines());
    let moves = Position::default().legal_moves();
    let second = Line { multipv: 2, ..line(&[moves[1]], 3) };
    script.tell(Message::Engine(Event::Line(1, second, TOTALS)));
    assert!(script.protocol.take_output().is_empty(), "nobody asked for a second line");
    let output = end_with(&mut script, outcome(3, &[20, 15, 10, 5]));
    assert_eq!(infos(&output).len(), 1);
    assert_last_info_is_the_answer(&output);
    script.send(&["go nodes 7"]);
    assert_eq!(script.protocol.host.limits.nodes, Some(7));
}

#[test]
fn a_limited_strength_varies_with_the_position_alone() {
    let answer = |script: &mut Script, position: &str| {
        script.send(&[position, "go infinite"]);
        let moves = script.protocol.host.game.position().legal_moves();
        let lines = (0..4).map(|i| Line { multipv: i + 1, ..line(&[moves[i]], 3) }).collect();
        let output = end_with(script, Outcome { lines, depth: 3 });
        assert_last_info_is_the_answer(&output);
        let best = output.last().unwrap().split(' ').nth(1).unwrap();
        moves.iter().position(|&m| crate::position::uci(m, false) == best).unwrap()
    };
    let mut script = Script::new();
    script.send(&[
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1500",
    ]);
    let positions = ["a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"]
        .map(|m| format!("position startpos moves {m}"));
    let mut play = || positions.each_ref().map(|position| answer(&mut script, position));
    let first = play();
    assert_eq!(play(), first);
    assert!(first.iter().any(|&index| index > 0) && first.contains(&0), "{first:?}");
}

#[test]
fn analysis_and_an_unlimited_strength_are_as_ever() {
    for settings in [
        &["setoption name UCI_Elo value 1500"][..],
        &[
            "setoption name UCI_LimitStrength value true",
            "setoption name UCI_AnalyseMode value true",
        ],
    ] {
        let mut script = Script::new();
        script.send(settings);
        script.send(&["go infinite"]);
        assert_eq!(script.protocol.host.limits.nodes, None);
        assert_eq!(script.protocol.host.settings.multipv, 1);
        assert_eq!(end_with(&mut script, outcome(5, &[20])).len(), 2);
    }
}

#[test]
fn a_long_search_shows_its_current_move_once_a_second() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    assert_eq!(script.protocol.next_tick(), Some(script.now + CURRENT_DELAY));
    assert!(script.wait(2999).is_empty());
    let best = uci_first_move();
    let text = format!("info depth 20 currmove {best} currmovenumber 1");
    assert_eq!(script.wait(1), [text.as_str()]);
    assert!(script.wait(500).is_empty() && script.wait(499).is_empty());
    assert_eq!(script.wait(1), [text.as_str()]);
    assert!(script.finish().is_empty());
    assert_eq!(script.protocol.next_tick(), None, "nothing moves any more");
    assert!(script.wait(10_000).is_empty());
}

#[test]
fn ponderhit_goes_on_with_the_same_search() {
    let mut script = Script::new();
    script.send(&["go ponder wtime 60000 btime 60000"]);
    for depth in 1..=8 {
        assert_eq!(infos(&script.iterate(depth)).len(), 1);
    }
    script.send(&["ponderhit"]);
    assert!(script.iterate(9)[0].starts_with("info depth 9 "));
    assert_eq!(script.record(), ["start"], "one search");
    let output = script.wait(60_000);
    assert_last_info_is_the_answer(&output);
}

#[test]
fn the_last_info_is_that_of_the_move_played() {
    let mut script = Script::new();
    // Stopped in a failed window: the outcome is that of the iteration before.
    script.send(&["go infinite"]);
    script.wait(BOUND_DELAY.as_millis() as u64);
    let moves = Position::default().legal_moves();
    let failed = Line { bound: Bound::Lower, ..line(&[moves[7]], 9) };
    script.tell(Message::Engine(Event::Line(1, failed, TOTALS)));
    assert!(script.protocol.take_output()[0].contains(" lowerbound "));
    assert_last_info_is_the_answer(&end_with(&mut script, outcome(8, &[20])));
    // Stopped after a move has failed high, too early for its line to be shown before.
    script.send(&["go infinite"]);
    let failed = Line { bound: Bound::Lower, ..line(&[moves[7]], 9) };
    let output = end_with(&mut script, Outcome { lines: vec![failed], depth: 8 });
    let best = output[1].strip_prefix("bestmove ").unwrap();
    assert!(output[0].contains(" lowerbound ") && output[0].ends_with(best), "{output:?}");
    // Several lines, the vote's winner among the helpers.
    script.send(&["setoption name MultiPV value 3", "go infinite"]);
    *script.protocol.host.outcomes.borrow_mut() =
        vec![outcome(8, &[20, 10, 0]), outcome(9, &[31, 21, 11])];
    script.protocol.host.winner.set(1);
    let output = script.send(&["stop"]);
    assert!(
        output[0].contains(" depth 9 ") && output[0].contains(&format!(" cp {} ", shown(31))),
        "{output:?}"
    );
    assert_last_info_is_the_answer(&output);
}

#[test]
fn the_second_move_is_the_one_to_ponder_on() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    let game = Position::default();
    let first = game.parse_move("e2e4").unwrap();
    let second = game.play(first).parse_move("c7c5").unwrap();
    let outcome = Outcome { lines: vec![line(&[first, second], 4)], depth: 4 };
    let output = end_with(&mut script, outcome);
    assert_eq!(output.last().unwrap(), "bestmove e2e4 ponder c7c5");
}

#[test]
fn numbers_of_an_instant_search_are_sane() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    let output = script.send(&["stop"]);
    assert!(output[0].contains(" nodes 77 nps 77000 hashfull 3 tbhits 5 time 0 "), "{output:?}");
}

#[test]
fn debugging_shows_what_the_vote_weighed() {
    let mut script = Script::new();
    script.send(&["debug on", "go infinite"]);
    *script.protocol.host.outcomes.borrow_mut() = vec![outcome(7, &[20]), outcome(9, &[20])];
    script.protocol.host.winner.set(1);
    let output = script.send(&["stop"]);
    // Both chose the same move, at depths 7 and 9.
    let first = format!("worker 0 depth 7 score cp {} move ", shown(20));
    assert!(output[0].contains(&first), "{output:?}");
    assert!(output[0].ends_with(" weight 16"), "{output:?}");
    assert!(output[1].ends_with(" weight 16 wins the vote"), "{output:?}");
}

#[test]
fn what_has_been_shown_is_not_repeated() {
    let lines = |depth: i32, scores: &[i32]| outcome(depth, scores).lines;
    let mut script = Script::new();
    script.send(&["setoption name MultiPV value 3", "go infinite"]);
    for line in lines(4, &[20, 10, 0]) {
        script.tell(Message::Engine(Event::Line(1, line, TOTALS)));
    }
    script.protocol.take_output();
    // Nothing has changed.
    let output = end_with(&mut script, outcome(4, &[20, 10, 0]));
    assert_eq!(output.len(), 1, "{output:?}");
    // Time has passed since, and nodes were searched.
    script.send(&["go infinite"]);
    for line in lines(4, &[20, 10, 0]) {
        script.tell(Message::Engine(Event::Line(2, line, TOTALS)));
    }
    script.wait(1000);
    script.protocol.take_output();
    script.protocol.host.totals = Some(Totals { nodes: 5000, ..TOTALS });
    let output = end_with(&mut script, outcome(4, &[20, 10, 0]));
    assert_eq!(output[0], "info nodes 5000 nps 5000 hashfull 3 tbhits 5 time 1000");
    assert_eq!(output.len(), 2, "{output:?}");
    // The first line of an iteration that was not completed is taken back.
    script.send(&["go infinite"]);
    for line in lines(4, &[20, 10, 0]).into_iter().chain(lines(5, &[30])) {
        script.tell(Message::Engine(Event::Line(3, line, TOTALS)));
    }
    script.protocol.take_output();
    let output = end_with(&mut script, outcome(4, &[20, 10, 0]));
    let ranks: Vec<_> = output.iter().filter_map(|line| line.split(' ').nth(6)).collect();
    assert_eq!(ranks, ["1", "2", "3"], "{output:?}");
    assert_last_info_is_the_answer(&output);
}

#[test]
fn time_and_nodes_are_of_one_moment() {
    let mut script = Script::new();
    script.send(&["go movetime 100"]);
    script.protocol.host.delay = Duration::from_millis(13_000);
    script.protocol.host.totals = Some(Totals { nodes: 1_310_000, ..TOTALS });
    let output = script.wait(100);
    assert!(output[0].contains(" nodes 1310000 nps 100000 "), "{output:?}");
    assert!(output[0].contains(" time 13100 "), "{output:?}");
}
