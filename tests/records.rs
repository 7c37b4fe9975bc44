//! One door: whatever a position is given to reads it the same way. `position`, `analyse`, the tag
//! `FEN` of a game and files of positions (`bench`, `genfens`, `match`, `suite`) get the same
//! lines, good and bad.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::io::Cursor;

use heddle::position::Position;
use heddle::text::{pgn, setup, suite};
use proptest::prelude::*;

/// The position that UCI's `position fen` sets up; `None` if it is refused.
fn by_protocol(lines: &[String]) -> Vec<Option<String>> {
    let script: String =
        lines.iter().map(|line| format!("position startpos\nposition fen {line}\nd\n")).collect();
    let mut output = Vec::new();
    heddle::uci::run(Cursor::new(script), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let mut is_refused = false;
    let mut found = Vec::new();
    for line in output.lines() {
        if line.starts_with("info string position unchanged") {
            is_refused = true;
        } else if let Some(fen) = line.trim().strip_prefix("FEN: ") {
            found.push((!std::mem::take(&mut is_refused)).then(|| fen.trim().to_owned()));
        }
    }
    found
}

/// The positions of all other doors, with their names.
fn by_others(line: &str) -> Vec<(&'static str, Option<String>)> {
    let fen = |position: &Position| position.fen();
    let words = [line.to_owned()];
    let analysed = setup::game(&words, 1, None).ok();
    let value = line.replace('"', "\\\"");
    let tagged = pgn::read(format!("[FEN \"{value}\"]\n\n*\n").as_bytes(), 1).ok();
    let listed = suite::parse(line).ok().filter(|found| found.len() == 1);
    vec![
        ("analyse", analysed.map(|game| fen(game.position()))),
        ("FEN", tagged.map(|game| fen(&game.start))),
        ("suite", listed.map(|found| fen(&found[0].position))),
        ("record", Position::from_record(line).ok().map(|position| fen(&position))),
    ]
}

/// Asserts that all doors agree on each line; `None` stands for a refusal.
fn check(cases: &[(String, Option<String>)]) {
    let lines: Vec<String> = cases.iter().map(|(line, _)| line.clone()).collect();
    let spoken = by_protocol(&lines);
    assert_eq!(spoken.len(), cases.len());
    for ((line, wanted), spoken) in cases.iter().zip(spoken) {
        assert_eq!(&spoken, wanted, "position fen {line}");
        for (door, found) in by_others(line) {
            assert_eq!(&found, wanted, "{door}: {line}");
        }
    }
}

const BOARDS: [&str; 4] = [
    "4k3/8/8/8/8/8/4P3/4K3 w - -",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq -",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3",
];

#[test]
fn every_door_reads_the_same_lines() {
    let mut cases = Vec::new();
    for board in BOARDS {
        for (tail, clocks) in [
            ("", "0 1"),
            (" 3 9", "3 9"),
            (" 3 9;", "3 9"),
            (" 0 1,12,0.5", "0 1"),
            (" 0 1 id \"x\";", "0 1"),
            (" bm e4;", "0 1"),
            (" hmvc 99; fmvn 60;", "99 60"),
            (" fmvn 60; c0 \"a;b\"; hmvc 99;", "99 60"),
            (" c0 \"two moves later\";", "0 1"),
            (" bm e4; c9 \"moves\"; id \"moves e2e4\";", "0 1"),
            (" 0 1 ;D1 20 ;D2 400", "0 1"),
            (" 3 9\u{1a}", "3 9"),
        ] {
            for line in [format!("{board}{tail}"), format!("\u{feff}{board}{tail}")] {
                cases.push((line, Some(format!("{board} {clocks}"))));
            }
        }
        cases.push((format!("\"{board} 3 9\""), Some(format!("{board} 3 9"))));
        cases.push((format!("\"{board} 3 9\",12"), Some(format!("{board} 3 9"))));
        cases.push((format!("{board} hmvc x;"), None));
    }
    for line in ["4k3/8 w - -", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 x - - 0 1;"] {
        cases.push((line.to_owned(), None));
    }
    let padded = "r3k2r/8/8/8/8/8/8/R3K2R w KQ-- - 0 1";
    cases.push((padded.to_owned(), Some("r3k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1".to_owned())));
    let wrong = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e4 0 1";
    cases.push((wrong.to_owned(), Some(wrong.replace(" e4 ", " - "))));
    check(&cases);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_door_agrees_on_any_line(
        board in 0..BOARDS.len(),
        before in prop::sample::select(vec!["", " ", "\u{feff}", "\t"]),
        clocks in prop::sample::select(vec!["", " 0 1", " 7 12", " 0 0", " 12"]),
        operations in prop::collection::vec(
            prop::sample::select(vec![
                " bm e4;",
                " am a3 b3;",
                " id \"WAC.001\";",
                " hmvc 5;",
                " fmvn 8;",
                " c0 \"a moves b\";",
                " c1 \"x;y\";", " acd 9;", " ce -12;", " c2 \"\u{e9}\";", ";",
            ]),
            0..5,
        ),
        after in prop::sample::select(vec!["", " ", "\u{1a}", "\r"]),
    ) {
        let line = format!("{before}{}{clocks}{}{after}", BOARDS[board], operations.concat());
        let wanted = Position::from_record(&line).ok().map(|position| position.fen());
        check(&[(line, wanted)]);
    }
}
