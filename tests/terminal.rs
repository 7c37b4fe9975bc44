//! The command line on a terminal: what it draws, how wide it writes, and how errors begin.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::process::{Command, Output};

fn heddle(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_heddle"));
    program.args(args).env("COLUMNS", "80").env_remove("NO_COLOR").output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = heddle(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A quick search.
const QUICK: [&str; 7] = ["analyse", "--depth", "4", "--threads", "1", "--hash", "1"];

#[test]
fn every_error_begins_with_the_name_of_the_program() {
    for args in [
        &["analyse", "--nonsense"][..],
        &["analyse", "--movetime", "5x"],
        &["analyse", "--depth", "0"],
        &["perft"],
        &["analyse", "e9"],
        &["bench", "0"],
        &["xyzzy"],
    ] {
        let output = heddle(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("heddle: ") && !said.contains("error"), "{args:?}: {said}");
    }
}

#[test]
fn times_are_read_with_their_units() {
    for time in ["20", "20ms", "0.02s"] {
        let text = stdout(&["analyse", "--movetime", time, "--hash", "1"]);
        assert!(text.contains("Best move: "), "{text}");
    }
    let said = String::from_utf8(heddle(&["analyse", "--movetime", "1x"]).stderr).unwrap();
    assert!(said.contains("not a time such as 500 (milliseconds), 1.5s, 2m or 1h"), "{said}");
}

#[test]
fn help_fits_a_usual_terminal() {
    let commands = ["analyse", "suite", "bench", "speedtest", "perft", "uci", "compiler"];
    let helps = commands.map(|command| vec![command, "--help"]);
    for args in helps.into_iter().chain([vec!["--help"], vec!["-h"], vec!["uci", "help"]]) {
        for line in stdout(&args).lines() {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let text = stdout(&[&QUICK[..], &["--json", "--multipv", "2"]].concat());
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(found["fen"].as_str().unwrap().starts_with("rnbqkbnr/"), "{text}");
    assert_eq!(found["lines"].as_array().unwrap().len(), 2, "{text}");
    assert_eq!(found["best"]["uci"], found["lines"][0]["moves"][0], "{text}");
    let mated = stdout(&["analyse", "f3", "e5", "g4", "Qh4", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&mated).unwrap();
    assert!(found["best"].is_null() && found["lines"].as_array().unwrap().is_empty(), "{mated}");
}

/// What the program writes to a terminal of that size.
#[cfg(target_os = "linux")]
fn on_terminal(args: &[&str], columns: u16, rows: u16) -> String {
    use std::io::Read;

    let (mut terminal, program_end) = crate::common::terminal(columns, rows);
    let mut program = Command::new(env!("CARGO_BIN_EXE_heddle"));
    program.args(args).stdin(std::process::Stdio::null()).stdout(program_end);
    program.env("TERM", "xterm-256color").env_remove("NO_COLOR");
    let mut running = program.spawn().unwrap();
    drop(program); // and with it the terminal's side that belongs to this process
    let mut shown = Vec::new();
    // It ends with an error when the program has closed its side.
    let _ = terminal.read_to_end(&mut shown);
    assert!(running.wait().unwrap().success());
    String::from_utf8(shown).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_board_and_table_side_by_side() {
    let shown = on_terminal(&QUICK, 80, 24);
    let beside = |line: &str| line.contains(" 8 ") && line.contains("dep");
    assert!(shown.lines().any(beside), "{shown}");
    assert!(shown.contains("White to move") && shown.contains("Best move: "), "{shown}");
    // White's score says no more than its sign: green and red would be the mover's.
    assert!(!shown.contains("\x1b[1m\x1b[32m") && !shown.contains("\x1b[1m\x1b[31m"), "{shown}");
}
