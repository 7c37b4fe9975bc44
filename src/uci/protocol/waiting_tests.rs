//! Commands that wait until the engine is idle.

use std::time::Duration;

use super::tests::*;
use super::*;

#[test]
fn what_comes_during_a_search_waits_in_order() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    let output = script.send(&[
        "setoption name Threads value 3",
        "position startpos moves e2e4",
        "setoption name Hash value 5",
        "ucinewgame",
        "d",
    ]);
    assert!(output.is_empty());
    assert_eq!(script.record(), ["start"]);
    let output = script.send(&["stop"]);
    assert_eq!(script.record(), ["stop", "threads 3", "hash 5", "clear"]);
    let answer = output.iter().position(|line| line.starts_with("bestmove")).unwrap();
    let board = output.iter().position(|line| line.contains("Black to move")).unwrap();
    assert!(answer < board);
    script.send(&["go depth 1"]);
    assert!(script.protocol.host.game.position().turn().is_black());
}

#[test]
fn a_position_with_go_after_stop_is_the_next_search() {
    let mut script = Script::new();
    let output =
        script.send(&["go infinite", "stop", "position startpos moves e2e4", "go depth 3"]);
    assert_eq!(bestmoves(&output), 1);
    assert!(script.protocol.host.game.position().turn().is_black());
    assert_eq!(bestmoves(&script.finish()), 1);
}

#[test]
fn a_second_go_waits_for_the_answer_to_the_first() {
    let mut script = Script::new();
    let after = |moves: &str| format!("position startpos moves {moves}");
    let output = script.send(&[
        "go depth 6",
        &after("e2e4"),
        "go infinite",
        &after("e2e4 e7e5"),
        "go nodes 9",
    ]);
    assert!(output.is_empty());
    assert_eq!(script.record(), ["start"]);
    assert_eq!(bestmoves(&script.finish()), 1);
    assert_eq!(script.record(), ["stop", "start"]);
    assert!(script.protocol.host.limits.infinite);
    assert!(script.finish().is_empty(), "an infinite search is done and waits for the stop");
    assert_eq!(bestmoves(&script.send(&["stop"])), 1);
    assert_eq!(script.protocol.host.limits.nodes, Some(9));
    assert!(script.protocol.host.game.position().turn().is_white());
    assert_eq!(bestmoves(&script.finish()), 1);
    assert!(script.send(&["stop"]).is_empty(), "nothing waits any more");
}

#[test]
fn the_time_of_a_go_that_waited_runs_from_its_turn() {
    let mut script = Script::new();
    script.send(&["go infinite", "go movetime 100"]);
    script.wait(1000);
    assert_eq!(bestmoves(&script.send(&["stop"])), 1);
    let deadline = script.protocol.deadline().expect("the second search runs");
    assert!(script.now + Duration::from_millis(50) < deadline);
    assert_eq!(bestmoves(&script.wait(100)), 1);
}

#[test]
fn what_waits_at_the_end_of_input_is_answered() {
    let mut script = Script::new();
    script.send(&[
        "go infinite",
        "go ponder",
        "position startpos",
        "go",
        "go depth 2",
        "go infinite",
    ]);
    assert_eq!(bestmoves(&script.end_input()), 3, "none of them has an end of its own");
    assert!(!script.is_over());
    assert_eq!(bestmoves(&script.finish()), 2);
    assert!(script.is_over());
}

#[test]
fn too_many_commands_are_refused_and_what_cannot_wait_is_heard() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    let long = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(2000));
    let mut waiting = 0;
    while script.send(&[&long]).is_empty() {
        waiting += 1;
    }
    assert!((50..200).contains(&waiting), "{waiting}");
    let refused = script.send(&["go depth 1"]);
    assert!(refused.is_empty(), "there is room for a little more");
    let refused = script.send(&[&long]);
    let [line] = &refused[..] else { panic!("{refused:?}") };
    assert!(line.starts_with("info string too many commands are waiting: ignored position"));
    assert_eq!(script.send(&["isready"]), ["readyok"]);
    assert_eq!(bestmoves(&script.send(&["stop"])), 1);
    assert_eq!(bestmoves(&script.finish()), 1, "the go that had waited");
    script.send(&["go infinite"]);
    assert!(script.send(&[&long]).is_empty(), "there is room again");
    script.send(&["quit"]);
    assert!(script.is_over());
}

#[test]
fn a_job_runs_between_searches_and_can_be_stopped() {
    let mut script = Script::new();
    script.send(&["go infinite", "go perft 3", "bench 4 2 9", "isready"]);
    script.send(&["stop"]);
    assert_eq!(script.record(), ["start", "stop", "perft 3"]);
    script.tell(Message::Output("a2a3: 20".into()));
    script.tell(Message::Done("20".into()));
    assert_eq!(script.protocol.take_output(), ["a2a3: 20", "20"]);
    assert_eq!(script.record(), ["bench 4 2 9 Depth"]);
    assert!(script.send(&["go depth 1"]).is_empty());
    script.send(&["stop"]);
    assert_eq!(script.record(), ["cancel"]);
    script.tell(Message::Done("0 nodes".into()));
    assert_eq!(script.record(), ["start"], "the go has waited");
}
