//! Lines good and bad, as commands.

use std::time::Duration;

use super::go::MAX_TIME;
use super::*;
use crate::score::{Depth, MAX_PLY};
use crate::time::limits::Limits;

fn parse(line: &str) -> Queued {
    match line.parse().unwrap() {
        Command::Queued(command) => command,
        other @ Command::Immediate(_) => panic!("{line} gave {other:?}"),
    }
}

fn parse_immediate(line: &str) -> Immediate {
    match line.parse().unwrap() {
        Command::Immediate(command) => command,
        other @ Command::Queued(_) => panic!("{line} gave {other:?}"),
    }
}

fn parse_go(line: &str) -> Go {
    match parse(line) {
        Queued::Go(go) => *go,
        other => panic!("{line} gave {other:?}"),
    }
}

fn error(line: &str) -> String {
    line.parse::<Command>().unwrap_err().to_string()
}

#[test]
fn every_single_word_is_its_command() {
    assert_eq!(parse_immediate("  uci\r"), Immediate::Uci);
    assert_eq!(parse_immediate("isready"), Immediate::IsReady);
    assert_eq!(parse("ucinewgame"), Queued::NewGame);
    assert_eq!(parse_immediate("stop"), Immediate::Stop);
    assert_eq!(parse_immediate("ponderhit"), Immediate::PonderHit);
    assert_eq!(parse_immediate("quit"), Immediate::Quit);
    assert_eq!(parse_immediate("debug on"), Immediate::Debug(true));
    assert_eq!(parse_immediate("debug off"), Immediate::Debug(false));
    assert_eq!(parse_immediate("register later"), Immediate::Register);
    assert_eq!(parse("perft 4"), Queued::Perft(4));
    assert_eq!(parse("bench 9  2"), Queued::Bench(vec!["9".into(), "2".into()]));
    assert_eq!(parse("speedtest"), Queued::Speedtest(vec![]));
}

#[test]
fn every_row_of_the_table_is_read_and_explained() {
    let help = help().join("\n");
    for row in &TABLE {
        assert_eq!(TABLE.iter().filter(|other| other.word == row.word).count(), 1, "{}", row.word);
        assert_eq!(skip_unknown(row.word).0, "", "{}", row.word);
        assert!(help.contains(&format!("  {} ", row.word)), "{}", row.word);
        let unknown = |error| matches!(error, CommandError::Unknown(_));
        assert!(!row.word.parse::<Command>().is_err_and(unknown), "{}", row.word);
    }
    assert_eq!(error("castle"), "unknown command: castle (try help)");
}

#[test]
fn leading_unknown_words_are_separated() {
    assert_eq!(skip_unknown("joho debug on"), ("joho", "debug on"));
    assert_eq!(skip_unknown(" what is this "), ("what is this", ""));
    assert_eq!(skip_unknown("go depth 3"), ("", "go depth 3"));
    assert_eq!(skip_unknown("  \t"), ("", ""));
    assert_eq!(skip_unknown("é stop"), ("é", "stop"));
}

#[test]
fn positions_keep_their_fen_and_moves_as_text() {
    assert_eq!(
        parse("position startpos moves e2e4  e7e5"),
        Queued::Position { fen: None, moves: vec!["e2e4".into(), "e7e5".into()] }
    );
    assert_eq!(
        parse("position fen 8/8/8/8/8/k7/8/K7 w - - 0 1"),
        Queued::Position { fen: Some("8/8/8/8/8/k7/8/K7 w - - 0 1".into()), moves: vec![] }
    );
    assert_eq!(error("position"), "position needs startpos or fen");
    assert_eq!(error("position e2e4"), "position needs startpos or fen");
    assert_eq!(error("position startpos e2e4"), "startpos does not take e2e4");
}

#[test]
fn go_reads_everything_in_any_order() {
    let go = parse_go(
        "go movestogo 20 searchmoves e2e4 d2d4 winc 30 wtime 1000 btime 2000 binc 40 ponder \
         depth 7 nodes 500 mate 3 movetime 250 infinite",
    );
    let limits = go.limits;
    assert_eq!(go.search_moves, ["e2e4", "d2d4"]);
    assert_eq!(limits.white.remaining, Some(Duration::from_secs(1)));
    assert_eq!(limits.black.remaining, Some(Duration::from_secs(2)));
    assert_eq!(limits.white.increment, Duration::from_millis(30));
    assert_eq!(limits.black.increment, Duration::from_millis(40));
    assert_eq!(limits.moves_to_go, Some(20));
    assert_eq!(limits.depth, Some(7));
    assert_eq!(limits.nodes, Some(500));
    assert_eq!(limits.mate, Some(3));
    assert_eq!(limits.move_time, Some(Duration::from_millis(250)));
    assert!(limits.ponder && limits.infinite);
    assert_eq!(parse_go("go"), Go::default());
}

#[test]
fn absurd_numbers_are_clamped() {
    let limits = parse_go("go wtime -5 btime 99999999999999999999999999999999999999999999").limits;
    assert_eq!(limits.white.remaining, Some(Duration::ZERO));
    assert_eq!(limits.black.remaining, Some(MAX_TIME));
    let limits = parse_go("go depth 0 nodes -1 mate 0 movestogo -3").limits;
    assert_eq!((limits.depth, limits.nodes, limits.mate), (Some(1), Some(1), Some(1)));
    assert_eq!(limits.moves_to_go, None);
    assert_eq!(parse_go("go depth 4000").limits.depth, Some(MAX_PLY as Depth));
    assert_eq!(parse("go depth 3 perft 99"), Queued::Perft(perft::MAX_DEPTH));
    assert_eq!(parse("perft -1"), Queued::Perft(0));
}

#[test]
fn malformed_limits_are_left_out_and_reported_on_one_line() {
    let go = parse_go("go wtime 60000.0 btime 1e5 winc - depth infinite movetime");
    assert_eq!(go.limits, Limits { infinite: true, ..Limits::default() });
    assert_eq!(
        go.complaint().unwrap(),
        "go: wtime needs a number, not 60000.0; btime needs a number, not 1e5; \
         winc needs a number, not -; depth needs a number; movetime needs a number"
    );
    let go = parse_go("go depth x soon nodes 500");
    assert_eq!(go.limits, Limits { nodes: Some(500), ..Limits::default() });
    assert_eq!(go.complaint().unwrap(), "go ignores soon; depth needs a number, not x");
    assert_eq!(parse_go("go depth 3").complaint(), None);
    assert_eq!(error("perft"), "perft needs a number");
    assert_eq!(error("go perft five"), "perft needs a number, not five");
    assert_eq!(error("debug maybe"), "debug needs on or off");
    let long = parse_go(&format!("go nodes {}", "é".repeat(100_000)));
    assert!(long.complaint().unwrap().len() < 200);
}

#[test]
fn unknown_words_after_go_are_kept_apart() {
    let go = parse_go("go fast depth 3 searchmoves e2e4 depth 4 soon");
    assert_eq!(go.unknown, ["fast", "soon"]);
    assert_eq!(go.search_moves, ["e2e4"]);
    assert_eq!(go.limits.depth, Some(4));
}

#[test]
fn options_keep_the_spaces_of_their_values() {
    let option = |name: &str, value: Option<&str>| Queued::SetOption {
        name: name.into(),
        value: value.map(Into::into),
    };
    assert_eq!(parse("setoption name Hash value 64"), option("Hash", Some("64")));
    assert_eq!(parse("setoption name Clear  Hash"), option("Clear Hash", None));
    assert_eq!(parse("setoption name Path value a  b c "), option("Path", Some("a  b c")));
    assert_eq!(parse("setoption name Path value"), option("Path", Some("")));
    assert_eq!(error("setoption Hash 5"), "setoption needs name <option>");
    assert_eq!(error("setoption name value 5"), "setoption needs name <option>");
}

#[test]
fn a_byte_order_mark_before_a_command_is_dropped() {
    for line in ["\u{feff}uci", "\u{feff} \u{feff}uci\r", " uci\u{feff}"] {
        assert_eq!(skip_unknown(line), ("", "uci"), "{line:?}");
    }
}

#[test]
fn quotes_make_one_word_of_several() {
    let bench = |words: &[&str]| Queued::Bench(words.iter().map(|&word| word.to_owned()).collect());
    assert_eq!(
        parse("bench 1 1 1 \"a  b.epd\" depth"),
        bench(&["1", "1", "1", "a  b.epd", "depth"])
    );
    assert_eq!(parse("bench \"\""), bench(&[""]));
    assert_eq!(parse("bench \"a b"), bench(&["\"a", "b"]));
    assert_eq!(parse("bench \"a\"b"), bench(&["\"a\"b"]));
}

#[test]
fn moves_begin_outside_of_quotes() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; c0 \"two moves later\";";
    for (tail, moves) in [("", vec![]), (" moves e2e4", vec!["e2e4".to_owned()])] {
        let read = parse(&format!("position fen {fen}{tail}"));
        assert_eq!(read, Queued::Position { fen: Some(fen.to_owned()), moves });
    }
}
