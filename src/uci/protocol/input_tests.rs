//! Input good and bad, and the text of answers.

use std::time::Duration;

use super::search::{BOUND_DELAY, CURRENT_DELAY};
use super::tests::*;
use super::*;
use crate::engine::Totals;
use crate::search::{Line, Outcome};
use crate::tt::Bound;

#[test]
fn the_handshake_lists_every_option_and_ends() {
    let output = Script::new().send(&["uci"]);
    assert!(output[0].starts_with("id name Heddle "));
    assert!(output[1].starts_with("id author "));
    assert!(output.iter().any(|line| line.starts_with("option name Move Overhead type spin")));
    assert_eq!(output.last().unwrap(), "uciok");
}

#[test]
fn mate_and_stalemate_have_no_best_move() {
    for (fen, score) in
        [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "cp 0")]
    {
        let mut script = Script::new();
        script.send(&[&format!("position fen {fen}"), "go depth 3"]);
        let output = script.finish();
        assert_eq!(output, [format!("info depth 0 score {score}"), "bestmove (none)".into()]);
    }
}

#[test]
fn a_search_that_found_nothing_still_plays() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    *script.protocol.host.outcomes.borrow_mut() = vec![Outcome::default()];
    assert_eq!(script.send(&["stop"]), [format!("bestmove {}", uci_first_move())]);
}

#[test]
fn the_winner_of_the_vote_has_the_last_info() {
    let mut script = Script::new();
    script.send(&["debug on", "go infinite"]);
    let moves = Position::default().legal_moves();
    let worker = |index: usize| Outcome { lines: vec![line(&[moves[index]], 7)], depth: 7 };
    *script.protocol.host.outcomes.borrow_mut() = vec![worker(0), worker(5)];
    script.protocol.host.winner.set(1);
    let output = script.send(&["stop"]);
    let best = crate::position::uci(moves[5], false);
    assert!(output[1].contains(&format!(" move {best} ")), "{output:?}");
    assert!(output[1].ends_with(" wins the vote"), "{output:?}");
    assert!(output[2].ends_with(&format!(" pv {best}")), "{output:?}");
    assert_eq!(output[3], format!("bestmove {best}"));
}

#[test]
fn several_lines_come_in_order() {
    let mut script = Script::new();
    script.send(&["setoption name MultiPV value 2", "go infinite"]);
    let moves = Position::default().legal_moves();
    let second = Line { multipv: 2, ..line(&[moves[1]], 4) };
    let outcome = Outcome { lines: vec![line(&[moves[0]], 4), second], depth: 4 };
    *script.protocol.host.outcomes.borrow_mut() = vec![outcome];
    let output = script.send(&["stop"]);
    assert!(output[0].contains(" multipv 1 ") && output[1].contains(" multipv 2 "), "{output:?}");
}

#[test]
fn a_failed_window_is_shown_only_in_a_long_search() {
    let mut script = Script::new();
    script.send(&["go infinite"]);
    let failed = || Line { bound: Bound::Lower, ..line(&[], 5) };
    script.tell(Message::Engine(Event::Line(1, failed(), TOTALS)));
    assert!(script.protocol.take_output().is_empty());
    script.wait(BOUND_DELAY.as_millis() as u64);
    script.tell(Message::Engine(Event::Line(1, failed(), TOTALS)));
    assert!(script.protocol.take_output()[0].contains(" lowerbound "));
}

#[test]
fn in_lockstep_nothing_is_shown_by_the_clock() {
    let mut script = Script::new();
    script.send(&["setoption name Lockstep value true", "go infinite"]);
    assert!(script.protocol.host.settings.lockstep);
    script.wait(10 * (BOUND_DELAY + CURRENT_DELAY).as_millis() as u64);
    let failed = Line { bound: Bound::Lower, ..line(&[], 5) };
    script.tell(Message::Engine(Event::Line(1, failed, TOTALS)));
    assert!(script.protocol.take_output().is_empty());
    assert_eq!(script.protocol.next_tick(), None);
    let moves = Position::default().legal_moves();
    let totals = Totals { nodes: 12_345, ..TOTALS };
    script.tell(Message::Engine(Event::Line(1, line(&moves[..1], 6), totals)));
    assert!(script.protocol.take_output()[0].contains(" nodes 12345 "));
}

#[test]
fn searchmoves_are_read_where_they_stand() {
    let mut script = Script::new();
    let output = script.send(&["go searchmoves e2e4 e2e5 d2d4 e2e4 x"]);
    assert_eq!(
        output,
        [
            "info string searchmoves ignores illegal move: e2e5",
            "info string searchmoves ignores not a move: x"
        ]
    );
    let names: Vec<String> = script
        .protocol
        .host
        .limits
        .search_moves
        .iter()
        .map(|&m| crate::position::uci(m, false))
        .collect();
    assert_eq!(names, ["e2e4", "d2d4"]);
}

#[test]
fn bad_input_is_one_line_and_changes_nothing() {
    let mut script = Script::new();
    script.send(&["position startpos moves e2e4"]);
    for bad in [
        "position fen nonsense",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e4 e2e4",
        "position",
        "setoption name Hash value abc",
        "setoption name Threads value 0",
        "setoption name Threads value 101",
        "setoption name Nonsense value 1",
        "setoption",
        "xyzzy",
        &"x".repeat(100_000),
        &format!("position startpos moves {}", "e2e4 ".repeat(20_000)),
    ] {
        let output = script.send(&[bad]);
        assert_eq!(output.len(), 1, "{output:?}");
        assert!(output[0].starts_with("info string ") && output[0].len() < 250, "{output:?}");
    }
    assert!(script.send(&["", "  \t "]).is_empty());
    script.tell(Message::LongLine);
    assert_eq!(script.protocol.take_output(), ["info string the line is too long"]);
    let board = script.send(&["d"]).concat();
    assert!(
        board.contains("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        "{board}"
    );
}

#[test]
fn a_refused_position_is_not_searched_and_the_next_one_is() {
    let mut script = Script::new();
    let refusals: [&str; 5] = [
        "position fen nonsense",
        "position startpos moves e2e4 e2e4",
        "position",
        "position startpos e2e4",
        &format!("position startpos moves {}", "e2e4 ".repeat(20_000)),
    ];
    for refused in refusals {
        script.send(&["position startpos", refused]);
        for go in ["go wtime 1000", "go infinite", "go ponder wtime 1000"] {
            let reason = "info string no search: the last position was refused";
            assert_eq!(script.send(&[go]), [reason, "bestmove 0000"], "{refused}: {go}");
        }
        let told = script.send(&["go perft 3"]);
        assert_eq!(told, ["info string go perft: the last position was refused"]);
    }
    script.tell(Message::LongLine);
    script.protocol.take_output();
    assert_eq!(bestmoves(&script.send(&["go depth 1"])), 1, "it may have been a position");
    assert!(script.record().is_empty(), "nothing was searched");
    assert!(script.send(&["position startpos", "go depth 1"]).is_empty());
    // A refused one waits for its turn like a good one.
    let answers = script.send(&["position startpos e2e4", "go depth 2", "stop"]);
    let answers: Vec<_> = answers.iter().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(answers, [&format!("bestmove {}", uci_first_move()), "bestmove 0000"]);
}

#[test]
fn leading_unknown_words_are_skipped() {
    let mut script = Script::new();
    let output = script.send(&["joho isready"]);
    assert_eq!(output, ["info string unknown command: joho (try help)", "readyok"]);
}

#[test]
fn castling_follows_the_option_and_the_position() {
    let mut script = Script::new();
    let castles = |output: Vec<String>| output.last().unwrap().clone();
    let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
    let short = position.parse_move("e1g1").unwrap();
    let mut play = |before: &[&str]| {
        script.send(before);
        script.send(&["position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "go infinite"]);
        *script.protocol.host.outcomes.borrow_mut() =
            vec![Outcome { lines: vec![line(&[short], 1)], depth: 1 }];
        castles(script.send(&["stop"]))
    };
    assert_eq!(play(&[]), "bestmove e1g1");
    assert_eq!(play(&["setoption name UCI_Chess960 value true"]), "bestmove e1h1");
}

#[test]
fn the_commands_for_people_say_something() {
    let mut script = Script::new();
    assert!(script.send(&["d"])[0].contains("FEN: rnbqkbnr/pppppppp/"));
    assert!(script.send(&["eval"])[0].starts_with("Evaluation: "));
    assert!(script.send(&["license"])[0].contains("GNU General Public License"));
    assert!(script.send(&["compiler"])[0].starts_with("Heddle "));
    let help = script.send(&["help"]);
    assert!(help.iter().any(|line| line.contains("Move Overhead")));
    assert!(script.send(&["register later", "debug off"]).is_empty());
    script.send(&["flip"]);
    assert!(script.send(&["d"])[0].contains("Black to move"));
}

#[test]
fn a_go_without_a_limit_that_can_be_read_is_answered() {
    for go in ["go wtime 60000.0 btime 60000.0", "go depth x", "go winc 5 wtime x", "go nodes"] {
        let mut script = Script::new();
        let output = script.send(&[go]);
        assert!(output[0].starts_with("info string go: "), "{output:?}");
        assert_eq!(output.last().unwrap(), "info string go without a limit: 1000 ms", "{go}");
        assert_eq!(bestmoves(&script.wait(1000)), 1, "{go}");
        // Later, if it ponders; and never unasked, if it is infinite.
        script.send(&[&format!("{go} ponder")]);
        assert_eq!(bestmoves(&script.wait(1_000_000)), 0, "{go}");
        script.send(&["ponderhit"]);
        assert_eq!(bestmoves(&script.wait(1000)), 1, "{go}");
        script.send(&[&format!("{go} infinite")]);
        assert_eq!(bestmoves(&script.wait(1_000_000)), 0, "{go}");
        assert_eq!(bestmoves(&script.send(&["stop"])), 1, "{go}");
    }
    let mut script = Script::new();
    let output = script.send(&["go depth x nodes 500"]);
    assert_eq!(output, ["info string go: depth needs a number, not x"]);
    assert_eq!(script.protocol.host.limits.nodes, Some(500));
    assert_eq!(script.protocol.deadline(), None);
    script.send(&["stop", "go wtime x btime 60000"]);
    let deadline = script.protocol.deadline().expect("one clock stands in for the other");
    assert!(deadline > script.now + Duration::from_millis(2000));
}

#[test]
fn a_long_note_keeps_its_reason() {
    let mut script = Script::new();
    let path = format!("/no/{}.nnue", "a".repeat(5000));
    let output = script.send(&[&format!("setoption name EvalFile value {path}")]);
    let [note] = &output[..] else { panic!("{output:?}") };
    assert!(note.starts_with("info string cannot read the network /no/aaa"), "{note}");
    assert!(note.contains("a…a") && note.chars().count() < 250, "{note}");
    let reason = std::fs::read(&path).unwrap_err().to_string();
    assert!(note.ends_with(&reason), "{note}");
}

#[test]
fn perft_writes_castling_as_it_is_wanted() {
    let mut script = Script::new();
    script.send(&["go perft 1"]);
    script.tell(Message::Done(String::new()));
    script.send(&["setoption name UCI_Chess960 value true", "go perft 1"]);
    assert_eq!(script.record(), ["perft 1", "perft 1 in Chess960"]);
}
